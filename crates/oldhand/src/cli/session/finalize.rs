//! `oldhand session finalize`: what a session taught, written down.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use oldhand_code::names::Files;
use oldhand_domain::id::SessionId;
use oldhand_domain::session::SessionRecord;
use oldhand_engine::{
    Extent, Finalized, Finalizer, ReportLine, SessionBody, SessionReport, Shelf, Took,
};

use crate::cli::import::rules;
use crate::cli::import::transcripts::OwnTranscripts;
use crate::cli::{Door, job};
use crate::code;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::interrupt;
use crate::out::style::{BAD, FAINT, GOOD, STRONG, TYPE, WARNING};
use crate::out::time::count;
use crate::out::{Out, Progress};
use crate::sessions::{Sessions, find_commit, find_size};
use crate::sweep;
use crate::trust;
use crate::view::session::{FinalizedView, ReportLineView, WithdrawnView};

/// Learn from a session that is over
///
/// What the session showed is weighed by how it ended; what passes becomes memories, the rest is told with the reason.
/// Doing it again changes nothing.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand session finalize --all
  oldhand session finalize 0bb9a2d9 --json")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch on the command line"
)]
pub(crate) struct Args {
    /// The session, or the beginning of its id
    #[arg(conflicts_with_all = ["all", "ended"])]
    id: Option<String>,
    /// Every session that has something new
    #[arg(long, conflicts_with = "ended")]
    all: bool,
    /// Every session that has something new and is over, or was silent for an hour
    #[arg(long)]
    ended: bool,
    /// In the background; `oldhand status` shows how far it is
    #[arg(long)]
    detach: bool,
    /// Wait until it is done, as it does without `--detach`
    #[arg(long, conflicts_with = "detach")]
    wait: bool,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let which = match (&args.id, args.ended, args.all) {
        (Some(id), ..) => id.as_str(),
        (None, true, _) => "--ended",
        (None, false, true) => "--all",
        (None, false, false) => {
            return Err(Failure::invalid("no session is named")
                .hint("`--all` learns from every session that has something new; `oldhand session list` shows their ids")
                .into());
        }
    };
    let command = ["session", "finalize", which];
    if args.detach {
        return job::hand_over(door, &command);
    }
    interrupt::watch("sessions finalized so far stay so");
    let desk = Desk::open(&door.environment, Purpose::Teach(Shelf::Project), &door.out)?;
    let attended = desk.attend(command.map(str::to_owned).to_vec());
    let sessions = Sessions::of(&desk)?;
    let (tally, failure) = match &args.id {
        None if args.ended => finalize_all(&desk, &sessions, Which::Ended, &door.out)?,
        None => finalize_all(&desk, &sessions, Which::All, &door.out)?,
        Some(given) => {
            let known = sessions.resolve(given)?;
            if known.journal.is_none() {
                return Err(Failure::not_found(format!(
                    "the journal of session {} is gone",
                    known.id
                ))
                .into());
            }
            if crate::job::is_this() {
                OwnTranscripts::of(&desk, &sessions).settle(&known.id)?;
            }
            let done = finalize_one(&desk, &sessions, &known.id, Extent::Whole, &door.out)?;
            let mut tally = Tally::default();
            tally.add(&desk, &done);
            (tally, None)
        }
    };
    round_off(&desk, &tally, &door.environment.home, &door.out)?;
    drop(attended);
    if let Some(failure) = failure {
        return Err(failure);
    }
    if door.out.is_json() {
        door.out.json(&tally.view(&desk)?)?;
    } else {
        tally.write(&desk, &mut door.out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Brings what follows from sessions up to date, once they were learned from.
pub(crate) fn round_off(desk: &Desk, tally: &Tally, home: &Path, out: &Out) -> Result<()> {
    code::keep_up(desk, out);
    code::keep_crib(desk, out);
    rules::said::keep_up(desk, out);
    let grown = trust::grow(desk, out);
    sweep::after_sessions(desk, tally.sessions, home, out);
    // Last, so that what is handed out to hooks is what holds from now on.
    desk.back_up(out);
    grown
}

pub(super) fn finalize_one(
    desk: &Desk,
    sessions: &Sessions<'_>,
    session: &SessionId,
    extent: Extent,
    out: &Out,
) -> Result<Finalized> {
    let _lock = sessions.lock()?;
    let transcript = OwnTranscripts::of(desk, sessions).complete(session)?;
    let sessions_of = std::slice::from_ref(session);
    with_finalizer(desk, sessions, sessions_of, out, |finalizer| {
        sessions.finalize(finalizer, session, transcript, extent, desk.now)
    })
}

/// Works with a finalizer of these sessions that knows the repository as it is now.
fn with_finalizer<T>(
    desk: &Desk,
    sessions: &Sessions<'_>,
    ids: &[SessionId],
    out: &Out,
    work: impl FnOnce(&mut Finalizer<'_>) -> Result<T>,
) -> Result<T> {
    let root = &desk.location.root;
    let find = find_commit(root);
    let history = code::Past::of(desk, out);
    let (taken_in, is_gone) = (history.taken_in(), history.is_gone());
    let rules = rules::read_texts(root);
    let size = find_size(root);
    let tree = Files::below(root);
    let engine = desk.engine();
    let began = Instant::now();
    let watch = || began.elapsed();
    let mut finalizer = engine
        .finalizer(sessions.store, ids)?
        .with_commits(&find)
        .with_history(&history, &taken_in, &is_gone)
        .with_rules(&rules)
        .with_files(&size, &tree)
        .with_watch(&watch);
    work(&mut finalizer)
}

/// Which sessions are finalized.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    All,
    /// Those of which nothing more is to be expected.
    Ended,
}

/// Finalizes sessions whose journal has something new, the oldest first. One that cannot be read keeps no other from being learned
/// from, nor what comes after from being done: the first such failure is handed back, to be told in the end.
pub(crate) fn finalize_all(
    desk: &Desk,
    sessions: &Sessions<'_>,
    which: Which,
    out: &Out,
) -> Result<(Tally, Option<anyhow::Error>)> {
    let _lock = sessions.lock()?;
    let mut transcripts = OwnTranscripts::of(desk, sessions);
    let mut pending = sessions.pending(&transcripts.changed())?;
    let mut tally = Tally {
        is_too_late: pending.is_empty(),
        ..Tally::default()
    };
    if which == Which::Ended {
        let mut over = Vec::new();
        for session in pending {
            // Of one that cannot be read nothing more is to be expected either.
            if sessions.is_over(&session, desk.now).unwrap_or(true) {
                over.push(session);
            }
        }
        pending = over;
    }
    if pending.is_empty() {
        return Ok((tally, None));
    }
    let bar = Progress::new("learning from sessions", pending.len());
    let failure = with_finalizer(desk, sessions, &pending, out, |finalizer| {
        let mut failure = None;
        for (done, session) in pending.iter().enumerate() {
            let finalized = transcripts.complete(session).and_then(|transcript| {
                sessions.finalize(finalizer, session, transcript, Extent::Whole, desk.now)
            });
            match finalized {
                Ok(finalized) => tally.add(desk, &finalized),
                Err(error) => {
                    failure.get_or_insert(error.context(format!("session {session}")));
                }
            }
            bar.reach(done + 1);
        }
        Ok(failure)
    })?;
    Ok((tally, failure))
}

/// What finalizing came to.
#[derive(Default)]
pub(crate) struct Tally {
    sessions: usize,
    already: usize,
    promoted: Vec<(String, ReportLine)>,
    /// What the session had taught before: it is no news.
    known: BTreeSet<String>,
    dropped: Vec<(String, ReportLine)>,
    /// Whether others had left nothing to learn from.
    is_too_late: bool,
    /// How many took longer than they may, and what the longest took.
    over_budget: usize,
    longest: Duration,
    /// Memories that sessions stood behind whose work turned out to be wrong, or that are of a type that does not teach them.
    withdrawn: Vec<WithdrawnView>,
}

impl Tally {
    /// A tally of a session of which this is known.
    pub(super) fn after(earlier: Option<&SessionRecord>) -> Self {
        let report = earlier.and_then(SessionReport::read);
        let lines = report.iter().flat_map(|report| &report.lines);
        let known = lines.filter_map(ReportLine::memory);
        Self {
            known: known.map(|id| id.to_string()).collect(),
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, desk: &Desk, finalized: &Finalized) {
        let record = match finalized {
            Finalized::Already(_) => {
                self.already += 1;
                return;
            }
            Finalized::Waiting => return,
            Finalized::Done(record) => record,
        };
        self.sessions += 1;
        if let Some(took) = SessionBody::read(record).and_then(|body| body.took) {
            self.over_budget += usize::from(took.whole() > Took::BUDGET);
            self.longest = self.longest.max(took.whole());
        }
        let Some(report) = SessionReport::read(record) else {
            return;
        };
        for one in &report.taken_out {
            // What was erased since has no words any more.
            if let Ok(shown) = desk.engine().show(&one.memory) {
                let why = if report.is_of_other_type(&one.memory) {
                    "sessions of its type do not teach it"
                } else {
                    "it rests on work that failed"
                };
                self.withdrawn.push(WithdrawnView::of(&shown.memory, why));
            }
        }
        for line in report.lines {
            let kept = if line.outcome == "promoted" {
                // What was forgotten stays so, whatever shows it again.
                let memory = line.memory.as_deref();
                let shown = memory.and_then(|id| desk.engine().show(id).ok());
                if shown.is_none_or(|shown| shown.memory.deleted_since.is_some()) {
                    continue;
                }
                &mut self.promoted
            } else {
                &mut self.dropped
            };
            kept.push((record.id.to_string(), line));
        }
    }

    pub(crate) fn view(&self, desk: &Desk) -> Result<FinalizedView<'_>> {
        let waiting = self.waiting(desk)?;
        let promoted = self.promoted.iter();
        let promoted = promoted.map(|(session, line)| {
            ReportLineView::promoted(session, line, is_among(&waiting, line))
        });
        let dropped = self.dropped.iter();
        let dropped = dropped.map(|(session, line)| ReportLineView::dropped(session, line));
        Ok(FinalizedView {
            withdrawn: &self.withdrawn,
            sessions: self.sessions,
            already: self.already,
            over_budget: self.over_budget,
            longest_ms: milliseconds(self.longest),
            promoted: promoted.collect(),
            dropped: dropped.collect(),
        })
    }

    /// What a person is to look at, of all that is known: the last of many sessions may have spoken for what one taught.
    fn waiting(&self, desk: &Desk) -> Result<BTreeSet<String>> {
        if self.promoted.is_empty() {
            return Ok(BTreeSet::new());
        }
        let level = trust::level(&desk.settings, desk.project_store());
        let queue = desk.engine().review_queue(level)?.into_iter();
        Ok(queue.map(|waiting| waiting.memory.id.to_string()).collect())
    }

    /// Whether any session was finalized.
    pub(crate) fn is_busy(&self) -> bool {
        self.sessions > 0
    }

    /// Whether there was nothing to learn from any more: who has new sessions then was overtaken.
    pub(crate) fn is_too_late(&self) -> bool {
        self.is_too_late
    }

    /// How many memories came of it.
    pub(crate) fn learned(&self) -> usize {
        self.latest().len()
    }

    /// How many sessions it was, and what came of them.
    pub(crate) fn say(&self) -> (String, String) {
        (
            count(self.sessions, "session"),
            format!("{} learned", self.learned()),
        )
    }

    /// The promoted lines, but of a statement that several sessions made only its latest words.
    fn latest(&self) -> Vec<usize> {
        let mut latest: std::collections::BTreeMap<_, usize> = std::collections::BTreeMap::new();
        for (at, (_, line)) in self.promoted.iter().enumerate() {
            let memory = line.memory.as_ref();
            if !memory.is_some_and(|id| self.known.contains(id)) {
                latest.insert(memory, at);
            }
        }
        let mut shown: Vec<usize> = latest.into_values().collect();
        shown.sort_unstable();
        shown
    }

    pub(crate) fn write(&self, desk: &Desk, out: &mut Out) -> Result<()> {
        let shown = self.latest();
        let (sessions, came) = self.say();
        writeln!(
            out,
            "{STRONG}{sessions}{STRONG:#} finalized{FAINT}: {came}{FAINT:#}"
        )?;
        if !self.dropped.is_empty() {
            let left = "what was not sure enough is in `oldhand session show ID --dropped`";
            writeln!(out, "  {FAINT}{left}{FAINT:#}")?;
        }
        if self.over_budget > 0 {
            let words = format!(
                "{} took longer than {:?} to learn from, at most {} ms",
                count(self.over_budget, "session"),
                Took::BUDGET,
                milliseconds(self.longest)
            );
            writeln!(out, "  {FAINT}{words}{FAINT:#}")?;
        }
        // The log of a job outlives what is erased, so that no memory is quoted there.
        if crate::job::is_this() {
            return Ok(());
        }
        let waiting = self.waiting(desk)?;
        let mut waits = 0;
        for (_, line) in shown.iter().map(|at| &self.promoted[*at]) {
            write!(out, "  {GOOD}+{GOOD:#} {TYPE}{}{TYPE:#}", line.memory_type)?;
            if is_among(&waiting, line) {
                waits += 1;
                write!(out, "{FAINT} · {FAINT:#}{WARNING}needs review{WARNING:#}")?;
            }
            writeln!(out)?;
            out.paragraph("    ", &line.summary)?;
        }
        let say_waits = say_waits(waits, shown.len());
        if let Some(words) = &say_waits {
            writeln!(out, "  {FAINT}{words}{FAINT:#}")?;
        }
        for one in &self.withdrawn {
            let what = if one.gone { "taken away" } else { "less sure" };
            writeln!(
                out,
                "  {BAD}-{BAD:#} {TYPE}{}{TYPE:#} {FAINT}{} {what}: {}{FAINT:#}",
                one.memory_type,
                one.memory.short(),
                one.why,
            )?;
            out.paragraph("    ", &one.summary)?;
        }
        if say_waits.is_some() {
            out.hint("`oldhand review` shows them one by one");
        }
        Ok(())
    }
}

/// To a tenth of one.
fn milliseconds(took: Duration) -> f64 {
    (took.as_secs_f64() * 10_000.0).round() / 10.0
}

fn is_among(waiting: &BTreeSet<String>, line: &ReportLine) -> bool {
    line.memory.as_ref().is_some_and(|id| waiting.contains(id))
}

/// How many of what was learned no agent hears yet.
fn say_waits(waits: usize, learned: usize) -> Option<String> {
    Some(match waits {
        0 => return None,
        1 if learned == 1 => "it waits for a review before agents hear it".to_owned(),
        1 => "1 of them waits for a review before agents hear it".to_owned(),
        _ => format!("{waits} of them wait for a review before agents hear them"),
    })
}
