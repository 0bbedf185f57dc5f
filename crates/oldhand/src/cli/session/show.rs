//! `oldhand session show`: one session and what became of everything it had to offer.

mod dropped;

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use oldhand_domain::event::{Happening, Voice};
use oldhand_domain::id::SessionId;
use oldhand_engine::{Told, Took};

use crate::card::{self, fact};
use crate::cli::Door;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::out::Out;
use crate::out::size::bytes;
use crate::out::style::{FAINT, GOOD, ID, STRONG, TYPE};
use crate::out::time::{count, moment};
use crate::out::wrap::{shorten, wrap};
use crate::sessions::Sessions;
use crate::view::session::SessionView;

/// Show what a session did, what was learned from it, and why the rest was not
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand session show 0bb9
  oldhand session show 0bb9 --dropped
  oldhand session show 0bb9 --step 7")]
pub(crate) struct Args {
    /// The session, or the beginning of its id
    id: String,
    /// Also show what was weighed and dropped, and what learning took
    #[arg(long)]
    dropped: bool,
    /// Show what happened around this step of it instead
    #[arg(long, value_name = "N", conflicts_with = "dropped")]
    step: Option<u32>,
}

/// Who gives the id of a memory means what taught it.
fn or_a_memory(error: anyhow::Error, desk: &Desk, given: &str) -> anyhow::Error {
    if desk.engine().resolve(given).is_err() {
        return error;
    }
    Failure::not_found(format!("`{given}` is a memory, not a session"))
        .hint(format!(
            "`oldhand show {given}` shows it with the events that taught it"
        ))
        .into()
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    let sessions = Sessions::of(&desk)?;
    let known = sessions
        .resolve(&args.id)
        .map_err(|error| or_a_memory(error, &desk, &args.id))?;
    if let Some(step) = args.step {
        return show_step(&sessions, &known.id, step, &mut door.out);
    }
    let mut view = SessionView::whole(&known);
    view.trace(&sessions)?;
    view.look_for_unread(&sessions)?;
    let out = &mut door.out;
    if out.is_json() {
        out.json(&view)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{ID}{}{ID:#}", known.id)?;
    let (Some(record), Some(body), Some(report)) = (&known.record, &view.body, &view.report) else {
        tell_open(&sessions, &known.id, out)?;
        out.hint(&format!(
            "`oldhand session finalize {}` learns from it",
            known.id
        ));
        return Ok(ExitCode::SUCCESS);
    };
    writeln!(out)?;
    let (asked, left) = beginning(&body.prompt, out.width().saturating_sub(2), ASKED);
    for line in asked {
        writeln!(out, "  {line}")?;
    }
    if left > 0 {
        let left = count(left, "more line");
        writeln!(out, "  {FAINT}… {left}; `--json` has all{FAINT:#}")?;
    }
    writeln!(out)?;
    fact(
        out,
        "agent",
        &format!("{}, {}", record.client, body.session_type),
    )?;
    if let Some(because) = &body.type_because {
        fact(out, "type", &format!("{}: {because}", body.session_type))?;
    }
    fact(
        out,
        "when",
        &format!(
            "{} to {}",
            moment(record.started_at),
            moment(record.ended_at)
        ),
    )?;
    if !body.copied_from.is_empty() {
        let others: Vec<&str> = body.copied_from.iter().map(SessionId::as_str).collect();
        let others = format!("from {}; only what is new in it counts", others.join(", "));
        fact(out, "goes on", &others)?;
    }
    if let Some(transcript) = &body.transcript {
        let of = if transcript.read {
            "read, beside what hooks told"
        } else {
            "not read, so that only what hooks told counts"
        };
        let why = transcript.why.iter().map(|why| format!(": {why}"));
        fact(
            out,
            "transcript",
            &why.fold(of.to_owned(), |all, why| all + &why),
        )?;
    }
    fact(
        out,
        "outcome",
        &format!(
            "{} (confidence {:.2})",
            body.verdict, body.verdict_confidence
        ),
    )?;
    for evidence in &body.evidence {
        fact(out, "", evidence)?;
    }
    fact(out, "edited", &body.edited.join(", "))?;
    fact(out, "read", &count(body.read.len(), "file"))?;
    if let Some(pad) = body
        .scratchpad
        .filter(|pad| args.dropped || pad.evicted > 0)
    {
        let used = bytes(pad.peak_bytes as u64);
        let given_up = match pad.evicted {
            0 => String::new(),
            evicted => format!(
                ", more than fit into {}: {} given up",
                bytes(pad.limit_bytes as u64),
                count(evicted, "signal")
            ),
        };
        fact(out, "scratchpad", &format!("{used} of signals{given_up}"))?;
    }
    if let Some(took) = body
        .took
        .filter(|took| args.dropped || took.whole() > Took::BUDGET)
    {
        let an_event = took.event(body.events);
        let mut words = format!(
            "{:.1?} to read ({an_event:.1?} an event), {:.1?} to learn",
            Duration::from_micros(took.fold),
            Duration::from_micros(took.learn)
        );
        if took.whole() > Took::BUDGET {
            let _ = write!(words, "; more than {:?}", Took::BUDGET);
        }
        fact(out, "took", &words)?;
    }
    if !report.whole {
        fact(out, "so far", "only what its validated subtasks taught")?;
    }
    if let Some(unread) = &view.unread {
        let lines = (unread.journal_lines > 0)
            .then(|| format!("{} of its journal", count(unread.journal_lines, "line")));
        let all: Vec<String> = unread.transcript.say().into_iter().chain(lines).collect();
        fact(out, "not read", &all.join("; "))?;
    }
    tell_told(&body.told, &desk, out)?;
    let (promoted, dropped): (Vec<_>, Vec<_>) = report
        .lines
        .iter()
        .partition(|line| line.outcome == "promoted");
    let size = report.complexity.as_deref().map(size_in_words);
    let kind = gate_in_words(&report.gate, &body.verdict);
    let kind = [Some(kind), size].into_iter().flatten();
    let kind = kind.collect::<Vec<_>>().join(", ");
    writeln!(
        out,
        "\n{STRONG}learned{STRONG:#}{FAINT} (at most {} may come of it: {kind}){FAINT:#}",
        report.limit
    )?;
    for line in promoted {
        let memory = line
            .memory
            .as_deref()
            .map(|id| id[id.len().saturating_sub(8)..].to_owned())
            .unwrap_or_default();
        writeln!(
            out,
            "  {GOOD}+{GOOD:#} {ID}{memory}{ID:#}  {TYPE}{}{TYPE:#}",
            line.memory_type
        )?;
        out.paragraph("    ", &line.summary)?;
        let why = if args.dropped {
            line.why.clone()
        } else {
            card::plainly(&line.why)
        };
        out.paragraph("    ", &why)?;
        let of = line.memory.as_ref().and_then(|id| view.events.get(id));
        let moments = of.map(Vec::as_slice).unwrap_or_default();
        card::moments(out, "    ", moments)?;
        if moments.is_empty() {
            out.paragraph(
                "    ",
                &format!("several sessions show it together; `oldhand show {memory}` names them"),
            )?;
        }
    }
    writeln!(
        out,
        "\n{STRONG}dropped{STRONG:#}{FAINT} {}{FAINT:#}",
        count(dropped.len(), "candidate")
    )?;
    if args.dropped {
        dropped::tell(&dropped, out)?;
        if !dropped.is_empty() {
            out.hint("`--json` has each of them");
        }
    } else if !dropped.is_empty() {
        out.hint("`--dropped` shows them with the reasons");
    }
    Ok(ExitCode::SUCCESS)
}

/// What kind of work the gate took it for.
fn gate_in_words(gate: &str, verdict: &str) -> &'static str {
    match (gate, verdict) {
        ("build", "passed") => "work that passed",
        ("build", "failed") => "work that failed",
        ("build", _) => "work on code",
        ("terminal", _) => "work that nothing proves",
        ("insights", _) => "questions about the code",
        ("roadmap", _) => "plans",
        ("spec_creation", _) => "a specification",
        ("changelog", _) => "a changelog",
        ("pr_review", _) => "a review",
        _ => "work",
    }
}

fn size_in_words(complexity: &str) -> &'static str {
    match complexity {
        "trivial" => "small task",
        "complex" => "large task",
        _ => "usual task",
    }
}

/// What happened around one step, with what was said and what came out.
fn show_step(
    sessions: &Sessions<'_>,
    id: &SessionId,
    step: u32,
    out: &mut Out,
) -> Result<ExitCode> {
    let around = sessions.around(id, step)?;
    if around.events.is_empty() {
        let has = match around.steps {
            0 => "its journal tells of none".to_owned(),
            last => format!("it has steps 0 to {last}"),
        };
        let told = format!("session {id} has nothing at step {step}: {has}");
        return Err(Failure::not_found(told).into());
    }
    if out.is_json() {
        out.json(&around)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(
        out,
        "{ID}{id}{ID:#}{FAINT}, step {step} of {}{FAINT:#}",
        around.steps
    )?;
    for seen in &around.events {
        let moment = &seen.moment;
        let who = moment.agent.iter();
        let who = who.fold(String::new(), |_, agent| format!("{agent} "));
        let what = match moment.voice {
            Some(Voice::Said) => "said",
            Some(Voice::Reasoned) => "thought",
            None if moment.what.starts_with("the user said") => "the user said",
            None => moment.what.as_str(),
        };
        let label = format!("step {}: {who}{what}", moment.step);
        writeln!(out)?;
        for line in wrap(&label, out.width().saturating_sub(2)) {
            writeln!(out, "  {STRONG}{line}{STRONG:#}")?;
        }
        if let Some(text) = &seen.text {
            let (lines, left) = beginning(text, out.width().saturating_sub(4), SEEN);
            for line in lines {
                let indent = if line.is_empty() { "" } else { "    " };
                writeln!(out, "{indent}{line}")?;
            }
            if left > 0 {
                let left = count(left, "more line");
                writeln!(out, "    {FAINT}… {left}{FAINT:#}")?;
            }
        }
    }
    if around.more > 0 {
        let more = count(around.more, "more event");
        writeln!(out, "\n  {FAINT}and {more} of these steps{FAINT:#}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What a session that nobody learned from yet is known by.
fn tell_open(sessions: &Sessions<'_>, session: &SessionId, out: &mut Out) -> Result<()> {
    let (mut start, mut asked, mut events) = (None, None, 0);
    let (mut first, mut last) = (None, None);
    sessions.each(session, |event| {
        events += 1;
        first.get_or_insert(event.at);
        last = last.max(Some(event.at));
        match &event.what {
            Happening::SessionStarted(told) if start.is_none() => start = Some(told.clone()),
            Happening::Prompt { text, .. } if asked.is_none() && event.agent.is_none() => {
                asked = Some(text.as_str().to_owned());
            }
            _ => {}
        }
    })?;
    let task = start.as_ref().and_then(|start| start.task.as_ref());
    let task = task.map(|task| task.as_str().to_owned()).or(asked);
    if let Some(task) = task {
        writeln!(out)?;
        let (lines, _) = beginning(&task, out.width().saturating_sub(2), ASKED);
        for line in lines {
            writeln!(out, "  {line}")?;
        }
    }
    writeln!(out)?;
    if let Some(start) = &start {
        let agent = format!("{}, {}", start.client, start.session_type);
        fact(out, "agent", &agent)?;
        if let Some(branch) = &start.branch {
            fact(out, "branch", branch)?;
        }
    }
    if let (Some(first), Some(last)) = (first, last) {
        let when = format!("{} to {}", moment(first), moment(last));
        fact(out, "when", &when)?;
    }
    fact(out, "so far", &count(events, "event"))?;
    fact(out, "learned", "nothing yet: it is not finalized")?;
    Ok(())
}

/// So many lines are shown of what a person asked for, and of what came of a step.
const ASKED: usize = 8;
const SEEN: usize = 24;

/// The first lines of what a person asked for, and how many there are besides: some paste whole plans.
fn beginning(prompt: &str, columns: usize, most: usize) -> (Vec<String>, usize) {
    let mut lines = wrap(prompt, columns);
    // To leave out one line says no less than to say so.
    if lines.len() <= most + 1 {
        return (lines, 0);
    }
    let left = lines.len() - most;
    lines.truncate(most);
    (lines, left)
}

/// What agents were told, whether it arrived, and what they did with it.
fn tell_told(told: &[Told], desk: &Desk, out: &mut Out) -> Result<()> {
    if told.is_empty() {
        return Ok(());
    }
    let tokens: u32 = told.iter().map(|told| told.tokens).sum();
    writeln!(
        out,
        "\n{STRONG}told{STRONG:#}{FAINT} {}, {}{FAINT:#}",
        count(told.len(), "time"),
        count(tokens as usize, "token")
    )?;
    for one in told {
        let arrived = match one.delivered {
            Some(true) => "delivered",
            Some(false) => "not delivered",
            None => "no transcript to see whether it arrived",
        };
        let to = one.agent.as_deref().map(|agent| format!(" to {agent}"));
        let to = to.unwrap_or_default();
        writeln!(out, "  {}{to}{FAINT}: {arrived}{FAINT:#}", one.point)?;
        for memory in &one.memories {
            let id = &memory.id[memory.id.len().saturating_sub(8)..];
            // What was removed for good since is known by its id alone.
            let words = desk.engine().show(&memory.id).ok();
            let words = words.map(|shown| shown.memory.summary.to_string());
            let effect = match one.delivered {
                None if memory.effect == "ignored" => "no sign of use",
                _ => memory.effect.as_str(),
            };
            let taken = 4 + id.len() + 2 + effect.len() + 2;
            let room = out.width().saturating_sub(taken);
            let words = shorten(&words.unwrap_or_default(), room);
            writeln!(out, "    {ID}{id}{ID:#}  {effect}  {FAINT}{words}{FAINT:#}")?;
        }
        for fact in &one.facts {
            let fact = shorten(&say_fact(fact), out.width().saturating_sub(4));
            writeln!(out, "    {FAINT}{fact}{FAINT:#}")?;
        }
    }
    Ok(())
}

/// What was said that is no memory, by the key it is remembered under.
fn say_fact(key: &str) -> String {
    match key.split_once(':') {
        Some(("fix", _)) => "the known fix of that error (`oldhand errors` lists it)".to_owned(),
        Some(("coupled", file)) => format!("what changes together with {file}"),
        Some(("searched", pattern)) => format!("where the search for `{pattern}` led before"),
        _ => format!("the {key} of the project"),
    }
}
