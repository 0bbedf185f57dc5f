//! `oldhand import transcripts`: what agents did before Oldhand was there.

mod aside;
mod database;
mod evidence;
mod find;
mod former;
mod here;
mod left_out;
mod own;
mod past;
mod recognise;
mod take;
mod taken;
mod unknown;
mod unread;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;
use oldhand_domain::id::SessionId;
use oldhand_engine::Shelf;

use crate::agent::Root;
use crate::cli::session::finalize::{Tally, Which, finalize_all};
use crate::cli::{Door, NOTHING_FOUND, job};
use crate::code;
use crate::config::Environment;
use crate::desk::{Desk, Purpose, refuse_no_project};
use crate::interrupt;
use crate::out::style::{FAINT, STRONG};
use crate::out::time::count;
use crate::out::{Out, Progress};
use crate::paths::without_dots;
use crate::project::{self, Found};
use crate::sessions::Sessions;
use crate::view::session::{FormerView, SkippedView, TranscriptsView};
use crate::wire::quoted;

pub(crate) use find::Transcript;
pub(crate) use former::Former;
pub(crate) use own::OwnTranscripts;
pub(crate) use past::{learn_from, past};
pub(crate) use taken::{NOTES, Unread, join_notes, unread};

use find::{Findings, TranscriptAgent, find, find_others};
use former::recognise;
use left_out::{Skipped, Why};
use take::{Tray, take_all};
use taken::Taken;

/// Bring in what agents did here before, from the transcripts they keep
///
/// Sessions are matched to this project by the folder they ran in, as the transcript records it; one that ran in a folder above is this project's if a
/// commit made there is in this repository or most files it touched are here. Without PATH the usual
/// places of Claude Code, Codex, Gemini CLI, Cursor and OpenCode are looked through. What lies below a PATH is taken even if it ran elsewhere, as
/// from a clone on another machine, if a commit made there is in this repository or most files it worked on are or were; what ran in another project of
/// this machine is left out. What folders are called tells nothing; where nothing else tells, a session is left out and named. A file that is named itself is taken in any case, but for one of a session that hooks still tell of: it is read once that is over. Where nothing is found, no project is made. Doing it again takes only what is new; a copy that says less of a session than what is known is left out.
#[derive(Default, clap::Args)]
#[command(after_help = "\
Examples:
  oldhand import transcripts
  oldhand import transcripts --agent codex
  oldhand import transcripts ~/old-laptop/.claude/projects/-home-me-shop --json")]
pub(crate) struct Args {
    /// Transcript files, or folders with transcripts in them
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only transcripts of this agent
    #[arg(long, value_enum)]
    agent: Option<TranscriptAgent>,
    /// Sessions of this folder too: the project was there before it was renamed or moved
    #[arg(long, value_name = "FOLDER")]
    ran_in: Vec<PathBuf>,
    /// Only take the events in; `oldhand session finalize --all` learns from them later
    #[arg(long)]
    no_finalize: bool,
    /// In the background; `oldhand status` shows how far it is
    #[arg(long)]
    detach: bool,
}

impl Args {
    /// The same command without `--detach`; paths do not depend on where it runs.
    fn in_background(&self, environment: &Environment) -> Vec<String> {
        let mut arguments = vec!["import".to_owned(), "transcripts".to_owned()];
        if let Some(agent) = self.agent.and_then(|agent| agent.to_possible_value()) {
            arguments.push(format!("--agent={}", agent.get_name()));
        }
        if self.no_finalize {
            arguments.push("--no-finalize".to_owned());
        }
        let ran_in = self.former_folders(environment).into_iter();
        arguments.extend(ran_in.map(|folder| format!("--ran-in={}", folder.display())));
        let paths = self.paths.iter().map(|path| environment.folder.join(path));
        arguments.extend(paths.map(|path| path.display().to_string()));
        arguments
    }
}

impl Args {
    /// Where the project was before, as transcripts write it down: from the root of the machine, without dots.
    fn former_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        let folders = self.ran_in.iter().map(|folder| {
            // A folder of a machine with drives is whole as it is.
            match folder.as_os_str().as_encoded_bytes() {
                [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic() => folder.clone(),
                _ => without_dots(&environment.folder.join(folder)),
            }
        });
        folders.collect()
    }

    /// Says which of the folders no session ran in: a slip of the pen finds nothing, too.
    fn tell_unknown(&self, found: &[Transcript], door: &Door) {
        for folder in self.former_folders(&door.environment) {
            let root = Root::new(&folder.display().to_string());
            let ran_there =
                |one: &Transcript| [one.root.as_str(), one.root.ran_in()].contains(&root.as_str());
            if !found.iter().any(ran_there) {
                door.out.note(&format!(
                    "no transcript tells of a session in {}",
                    folder.display()
                ));
            }
        }
    }

    /// Folders that the project was probably in before, each with the command that takes its sessions in.
    fn former(
        &self,
        found: &Findings,
        desk: &Desk,
        sessions: Option<&Sessions<'_>>,
    ) -> Vec<(Former, String)> {
        let former = recognise(&found.abroad, &desk.location.root, sessions).into_iter();
        let with_command = |one: Former| {
            let command = self.with_former(&one.folder);
            (one, command)
        };
        former.map(with_command).collect()
    }

    /// What takes sessions of a former folder in too.
    fn with_former(&self, folder: &str) -> String {
        let mut command = vec!["oldhand import transcripts".to_owned()];
        let paths = self.paths.iter().map(|path| path.display().to_string());
        command.extend(paths.map(|path| quoted(&path)));
        command.push(format!("--ran-in {}", quoted(folder)));
        command.join(" ")
    }
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    interrupt::watch_as(|| {
        if take::has_taken_in() {
            "what was imported so far stays; doing it again goes on from there"
        } else {
            "nothing was imported yet"
        }
    });
    if let Some(nothing) = find_nothing(args, door)? {
        return Ok(nothing);
    }
    let desk = Desk::open(&door.environment, Purpose::Teach(Shelf::Project), &door.out)?;
    if !args.detach {
        return take_in(args, door, &desk);
    }
    let arguments = args.in_background(&door.environment);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    job::hand_over(door, &arguments)
}

/// A folder becomes a project once there is something to keep of it: says so where there is nothing.
fn find_nothing(args: &Args, door: &mut Door) -> Result<Option<ExitCode>> {
    let environment = &door.environment;
    let user_home = environment.user_home.as_deref();
    let known = project::find(&environment.home, &environment.folder, user_home)?;
    if matches!(known, Found::Known(_)) {
        return Ok(None);
    }
    let desk = Desk::open(environment, Purpose::Look, &door.out)?;
    refuse_no_project(&desk.location, environment)?;
    let mut skipped = Vec::new();
    let found = search(args, door, &desk, &mut skipped)?;
    let is_part = |one: &Transcript| one.is_aside && !one.is_named;
    if !found.transcripts.iter().all(is_part) {
        return Ok(None);
    }
    skipped.extend(found.transcripts.iter().flat_map(take::orphans));
    args.tell_unknown(&found.transcripts, door);
    let former = args.former(&found, &desk, None);
    let (tray, tally) = (Tray::default(), Tally::default());
    tell(door, &desk, &found, &tray, &skipped, &former, &tally).map(Some)
}

/// The transcripts of a project, known or not.
fn search(args: &Args, door: &Door, desk: &Desk, skipped: &mut Vec<Skipped>) -> Result<Findings> {
    let (environment, out) = (&door.environment, &door.out);
    let history = || match &desk.project {
        Some(_) => code::read_history(desk, out).ok(),
        None => code::read_history(&code::open_desk(environment, out).ok()?, out).ok(),
    };
    let sessions = Sessions::of(desk).ok();
    let known = sessions.map(|sessions| (Taken::read(sessions.imported.folder()), sessions));
    let known_root = |session: &SessionId| {
        let (known, sessions) = known.as_ref()?;
        let root = known.root(session)?;
        (sessions.imported.contains(session)).then(|| root.to_owned())
    };
    find(
        args,
        environment,
        &desk.location,
        &history,
        &known_root,
        skipped,
    )
}

/// Takes in what is found of a known project, and learns from it.
fn take_in(args: &Args, door: &mut Door, desk: &Desk) -> Result<ExitCode> {
    let attended = desk.attend(args.in_background(&door.environment));
    let sessions = Sessions::of(desk)?;
    let mut skipped = Vec::new();
    let mut found = search(args, door, desk, &mut skipped)?;
    args.tell_unknown(&found.transcripts, door);
    let former = args.former(&found, desk, Some(&sessions));
    let bar = Progress::new("reading transcripts", found.transcripts.len());
    let take = |transcripts: &[Transcript], skipped: &mut Vec<Skipped>| {
        take_all(transcripts, &sessions, desk.now, skipped, |done| {
            bar.reach(done);
        })
    };
    let mut tray = take(&found.transcripts, &mut skipped);
    let others = find_others(
        &tray.others,
        &found.transcripts,
        args,
        &door.environment,
        &desk.location,
    );
    tray.add(take(&others, &mut skipped));
    found.transcripts.extend(others);
    drop(bar);
    let (tally, failure) = if args.no_finalize {
        (Tally::default(), None)
    } else {
        finalize_all(desk, &sessions, Which::Ended, &door.out)?
    };
    if !args.no_finalize {
        code::keep_up(desk, &door.out);
        code::keep_crib(desk, &door.out);
    }
    desk.back_up(&door.out);
    drop(attended);
    // On a full disk nothing else matters: what was found is found again by the next import.
    if let Some(full) = tray.failure {
        let taken = match tray.taken {
            0 => "nothing was imported".to_owned(),
            some => format!(
                "only {some} of {} imported; doing it again goes on from there",
                count(found.transcripts.len(), "transcript")
            ),
        };
        return Err(full.context(taken));
    }
    let told = tell(door, desk, &found, &tray, &skipped, &former, &tally)?;
    failure.map_or(Ok(told), Err)
}

fn tell(
    door: &mut Door,
    desk: &Desk,
    found: &Findings,
    tray: &Tray,
    skipped: &[Skipped],
    former: &[(Former, String)],
    tally: &Tally,
) -> Result<ExitCode> {
    let (out, total) = (&mut door.out, &tray.total);
    let transcripts = found.transcripts.len();
    let says_less = |one: &Skipped| matches!(one.why, Why::SaysLess(_));
    // What was taken in before, or is told otherwise, is nothing new; where there is nothing of the kind, nothing was found.
    let of_project = tray.taken + tray.unchanged + tray.known + tray.discarded;
    let is_nothing = of_project == 0 && !skipped.iter().any(says_less);
    let code = ExitCode::from(if is_nothing { NOTHING_FOUND } else { 0 });
    if out.is_json() {
        let skipped = skipped.iter().map(|one| SkippedView {
            path: one.path.display().to_string(),
            why: one.why.to_string(),
        });
        out.json(&TranscriptsView {
            looked_at: found.looked_at.0,
            transcripts,
            taken: tray.taken,
            unchanged: tray.unchanged,
            discarded: tray.discarded,
            known_from_hooks: tray.known,
            lines: total.lines,
            bytes: total.bytes,
            events: total.events,
            broken_lines: total.broken,
            too_long_lines: total.too_long,
            parts: tray.parts,
            redacted: total.redacted.values().sum(),
            redacted_kinds: total.redacted.clone(),
            redacted_in: tray.redacted_in.iter().map(ToString::to_string).collect(),
            unknown_kinds: total.unknown.clone(),
            skipped: skipped.collect(),
            former: former
                .iter()
                .map(|(one, command)| FormerView {
                    folder: &one.folder,
                    transcripts: one.files.len(),
                    because: one.because.as_str(),
                    command,
                })
                .collect(),
            finalized: tally.view(desk)?,
        })?;
        return Ok(code);
    }
    if is_nothing {
        out.note(&found.say_nothing());
        tell_left_out(skipped, former, out);
        return Ok(code);
    }
    if tray.taken == 0 {
        writeln!(
            out,
            "{STRONG}nothing new{STRONG:#}{FAINT} in {}{FAINT:#}",
            count(of_project, "transcript")
        )?;
    } else {
        writeln!(
            out,
            "{STRONG}{}{STRONG:#} read{FAINT}, {} in {}{FAINT:#}",
            count(tray.taken, "transcript"),
            count(total.events as usize, "event"),
            count(total.lines as usize, "line"),
        )?;
    }
    for (sessions, why) in [
        (tray.unchanged, "read before"),
        (tray.known, "still told by their hooks"),
        (
            tray.discarded,
            "discarded before; name the file to take one in after all",
        ),
    ] {
        if sessions > 0 {
            writeln!(
                out,
                "  {FAINT}{} {why}{FAINT:#}",
                count(sessions, "session")
            )?;
        }
    }
    if tray.parts > 0 {
        let parts = count(tray.parts, "more file");
        writeln!(
            out,
            "  {FAINT}{parts} told what subagents of these sessions did{FAINT:#}"
        )?;
    }
    if !total.redacted.is_empty() {
        out.paragraph("  ", &say_redacted(tray))?;
    }
    if let Some(unread) = Unread::of(total).say() {
        out.paragraph("  ", &unread)?;
        // On lines of their own and never broken, so that they can be copied.
        for (path, first) in tray.unread_in.iter().take(NAMED) {
            let first = first.map(|line| format!(", the first is line {line}"));
            let first = first.unwrap_or_default();
            writeln!(out, "    {FAINT}in {}{first}{FAINT:#}", path.display())?;
        }
        if tray.unread_in.len() > NAMED {
            let more = count(tray.unread_in.len() - NAMED, "more file");
            writeln!(out, "    {FAINT}in {more}{FAINT:#}")?;
        }
    }
    if tray.taken > 0 && tally.is_too_late() {
        let why = "another process learned from them already";
        writeln!(
            out,
            "{STRONG}0 sessions{STRONG:#} finalized{FAINT}: {why}{FAINT:#}"
        )?;
    } else if tray.taken > 0 || tally.is_busy() {
        tally.write(desk, out)?;
    }
    tell_left_out(skipped, former, out);
    Ok(ExitCode::SUCCESS)
}

/// So many of what may be many are named.
const NAMED: usize = 3;

fn tell_left_out(skipped: &[Skipped], former: &[(Former, String)], out: &Out) {
    let is_former = |one: &Skipped| former.iter().any(|(at, _)| at.files.contains(&one.path));
    for line in left_out::notes(skipped.iter().filter(|one| !is_former(one))) {
        out.note(&line);
    }
    for (one, command) in former {
        out.note(&one.say(command));
    }
}

/// What marks stand for, by kind, and in which sessions. A transcript may have had some of them before.
fn say_redacted(tray: &Tray) -> String {
    let kinds = tray.total.redacted.iter();
    let kinds: Vec<String> = kinds
        .map(|(kind, times)| format!("{times} {kind}"))
        .collect();
    let number = tray.total.redacted.values().sum::<u64>() as usize;
    let named = tray.redacted_in.iter().take(NAMED);
    let mut sessions: Vec<String> = named.map(ToString::to_string).collect();
    if tray.redacted_in.len() > NAMED {
        sessions.push(format!("{} more", tray.redacted_in.len() - NAMED));
    }
    format!(
        "{} hidden behind marks in what is kept: {} (in {})",
        count(number, "secret"),
        kinds.join(", "),
        sessions.join(", ")
    )
}
