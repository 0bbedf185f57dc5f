//! `oldhand session show`: one session and what became of everything it had to offer.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::event::Happening;
use oldhand_domain::id::SessionId;
use oldhand_engine::Told;

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
pub(crate) struct Args {
    /// The session, or the beginning of its id
    id: String,
    /// Also show what was weighed and dropped
    #[arg(long)]
    dropped: bool,
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
    let (asked, left) = beginning(&body.prompt, out.width().saturating_sub(2));
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
    if let Some(pad) = body.scratchpad {
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
    let task = report.complexity.iter();
    let task = task.fold(String::new(), |_, size| format!(", {size} task"));
    writeln!(
        out,
        "\n{STRONG}learned{STRONG:#}{FAINT} ({} at most, gate: {}{task}){FAINT:#}",
        report.limit, report.gate
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
        out.paragraph("    ", &line.why)?;
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
        for line in dropped {
            writeln!(out, "  - {TYPE}{}{TYPE:#}", line.memory_type)?;
            out.paragraph("    ", &line.summary)?;
            out.paragraph(
                "    ",
                &format!("{}, steps {}", line.why, steps(&line.steps)),
            )?;
        }
    } else if !dropped.is_empty() {
        out.hint("`--dropped` shows them with the reasons");
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
        let (lines, _) = beginning(&task, out.width().saturating_sub(2));
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

/// The first lines of what a person asked for, and how many there are besides: some paste whole plans.
fn beginning(prompt: &str, columns: usize) -> (Vec<String>, usize) {
    const LINES: usize = 8;
    let mut lines = wrap(prompt, columns);
    // To leave out one line says no less than to say so.
    if lines.len() <= LINES + 1 {
        return (lines, 0);
    }
    let left = lines.len() - LINES;
    lines.truncate(LINES);
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
            let words = words.map(|shown| shorten(shown.memory.summary.as_str(), WORDS));
            let effect = match one.delivered {
                None if memory.effect == "ignored" => "no sign of use",
                _ => memory.effect.as_str(),
            };
            let words = words.unwrap_or_default();
            writeln!(out, "    {ID}{id}{ID:#}  {effect}  {FAINT}{words}{FAINT:#}")?;
        }
        for fact in &one.facts {
            writeln!(out, "    {FAINT}{}{FAINT:#}", say_fact(fact))?;
        }
    }
    Ok(())
}

/// So many letters of a memory say which one it is.
const WORDS: usize = 56;

/// What was said that is no memory, by the key it is remembered under.
fn say_fact(key: &str) -> String {
    match key.split_once(':') {
        Some(("fix", _)) => "the known fix of that error (`oldhand errors` lists it)".to_owned(),
        Some(("coupled", file)) => format!("what changes together with {file}"),
        Some(("searched", pattern)) => format!("where the search for `{pattern}` led before"),
        _ => format!("the {key} of the project"),
    }
}

fn steps(steps: &[u32]) -> String {
    let shown: Vec<String> = steps.iter().take(8).map(ToString::to_string).collect();
    let more = if steps.len() > shown.len() {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", shown.join(", "))
}
