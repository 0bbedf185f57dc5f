//! `oldhand errors`: errors that agents met here, and what made them go away.

use std::io::Write;
use std::process::ExitCode;

use anstyle::Style;
use anyhow::Result;
use jiff::Timestamp;
use oldhand_domain::event::Digest;
use oldhand_domain::filter::Filter;
use oldhand_domain::payload::BuiltInType;
use oldhand_engine::Shelved;
use oldhand_observe::detect::SolvedBy;
use oldhand_observe::fingerprint::fingerprint;
use oldhand_observe::learn::{ErrorRecord, FixRecord};

use super::most::Most;
use super::{Door, NOTHING_FOUND, refuse_empty};
use crate::card::{self, fact};
use crate::desk::{Desk, Purpose};
use crate::out::Out;
use crate::out::style::{FAINT, GOOD, ID, STRONG, WARNING};
use crate::out::time::{ago, count};
use crate::out::wrap::{shorten, wrap};
use crate::view::learned::{ErrorRecordView, ErrorsView};

/// Show errors that agents met here, how often, and what made them go away
///
/// An error is known by its text without paths, numbers and times. Every session that met it counts here, also where the work failed; a memory about it counts those that stand behind its answer. Without ERROR those that came back or that something is
/// known to fix are listed, the most frequent first; a test that failed once is not. ERROR is an id from that list, the output of a failed command, or words of an error.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand errors
  oldhand errors 5d1f
  oldhand errors \"ModuleNotFoundError: No module named 'yaml'\" --json")]
pub(crate) struct Args {
    error: Option<String>,
    /// Also those that came once and that nothing is known to fix
    #[arg(long, short = 'a')]
    all: bool,
    /// At most this many; 0 is all
    #[arg(
        long,
        short = 'n',
        value_name = "N",
        allow_negative_numbers = true,
        default_value = "10"
    )]
    limit: Most,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    refuse_empty(
        args.error.as_deref(),
        "`oldhand errors` lists what is known",
    )?;
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    let errors = match desk.project_store() {
        Some(store) => desk.engine().errors(store)?,
        None => Vec::new(),
    };
    let mut found: Vec<&ErrorRecord> = match &args.error {
        Some(given) => matching(&errors, given),
        None => errors
            .iter()
            .filter(|error| args.all || recurs(error))
            .collect(),
    };
    let total = found.len();
    found.truncate(args.limit.get());
    let told = match &args.error {
        Some(given) if total == 0 => memories_about(&desk, given)?,
        _ => Vec::new(),
    };
    let out = &mut door.out;
    if out.is_json() {
        out.json(&ErrorsView {
            errors: found
                .iter()
                .map(|error| ErrorRecordView::new(error))
                .collect(),
            total,
            memories: told.iter().map(|told| told.memory.id).collect(),
        })?;
    } else if let ([only], Some(_)) = (found.as_slice(), &args.error) {
        show(only, out, desk.now)?;
    } else {
        for error in &found {
            list(error, out, desk.now)?;
        }
        args.limit.tell_rest(total, out);
        for told in &told {
            card::brief(out, told, desk.now)?;
        }
        if told.is_empty() {
            tell_nothing(args, &errors, total, out);
        }
    }
    let is_nothing = total == 0 && told.is_empty();
    Ok(ExitCode::from(if is_nothing { NOTHING_FOUND } else { 0 }))
}

fn tell_nothing(args: &Args, errors: &[ErrorRecord], total: usize, out: &Out) {
    if total > 0 {
        let others = errors.len() - total;
        if args.error.is_none() && others > 0 {
            out.note(&format!(
                "{} came once, and nothing is sure to fix them; `--all` shows them too",
                count(others, "other")
            ));
        }
        return;
    }
    if args.error.is_some() {
        out.note("no session met this error");
    } else if errors.is_empty() {
        out.note("no session met an error");
        out.hint("`oldhand import transcripts` brings in what agents did so far");
    } else {
        out.note(&format!(
            "no error came back; `--all` shows {}",
            count(errors.len(), "other")
        ));
    }
}

/// Whether it came more than once, or is known to be fixed by something. That a test failed once, before it passed, is how tests are
/// written.
fn recurs(error: &ErrorRecord) -> bool {
    let is_test = error.message.starts_with("test ") && error.message.ends_with(" fails");
    error.count > 1 || (error.best().is_some() && !is_test)
}

/// What is remembered about an error that is kept under other words: a linter's rule is one memory, whatever it complained of.
fn memories_about(desk: &Desk, given: &str) -> Result<Vec<Shelved>> {
    let filter = Filter {
        types: vec![BuiltInType::ErrorPattern.into()],
        ..Filter::default()
    };
    let words = given.split_whitespace().map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.to_lowercase()
    });
    let words: Vec<String> = words.filter(|word| word.len() > 2).collect();
    let mut known = desk.engine().list(None, &filter)?.memories;
    known.retain(|shelved| {
        let content = shelved.memory.content.as_str().to_lowercase();
        !words.is_empty() && words.iter().all(|word| content.contains(word.as_str()))
    });
    Ok(known)
}

/// By id, by the output of a failed command, or by words.
fn matching<'a>(errors: &'a [ErrorRecord], given: &str) -> Vec<&'a ErrorRecord> {
    let by = |keep: &dyn Fn(&ErrorRecord) -> bool| -> Vec<&'a ErrorRecord> {
        errors.iter().filter(|error| keep(error)).collect()
    };
    let is_id = given.len() >= 4 && given.chars().all(|c| c.is_ascii_hexdigit());
    let mut found = if is_id {
        let given = given.to_ascii_lowercase();
        by(&|error| id_of(error).starts_with(&given))
    } else {
        Vec::new()
    };
    if found.is_empty()
        && let Some(told) = fingerprint(given)
    {
        found = by(&|error| error.message == told.message);
    }
    if found.is_empty() {
        let words: Vec<String> = given.split_whitespace().map(str::to_lowercase).collect();
        found = by(&|error| {
            let message = error.message.to_lowercase();
            words.iter().all(|word| message.contains(word))
        });
    }
    found
}

fn id_of(error: &ErrorRecord) -> String {
    Digest::of(&error.message).to_string()
}

fn often(error: &ErrorRecord, now: Timestamp) -> String {
    // A memory of it counts fewer: those that showed what helped, and whose work did not fail.
    let times = if error.count == 1 {
        "once".to_owned()
    } else {
        format!("{} times", error.count)
    };
    let sessions = count(error.sessions.len(), "session");
    let last = error.last_at.map(|at| format!(", last {}", ago(at, now)));
    format!("{times} in {sessions}{}", last.unwrap_or_default())
}

fn list(error: &ErrorRecord, out: &mut Out, now: Timestamp) -> Result<()> {
    let id = &id_of(error)[..8];
    writeln!(
        out,
        "{ID}{id}{ID:#}{FAINT} · met {}{FAINT:#}",
        often(error, now)
    )?;
    let columns = out.width().saturating_sub(2);
    writeln!(out, "  {}", shorten(&error.message, columns))?;
    match (error.best(), error.ranked().first()) {
        (Some((how, fix)), _) => {
            let told = format!("{how} ({})", held(fix));
            write_under(out, ("fix", GOOD), &told)?;
        }
        (None, Some((how, fix))) => {
            let told = format!("{how} ({}{})", held(fix), doubt(how, fix));
            write_under(out, ("perhaps", WARNING), &told)?;
        }
        (None, None) => writeln!(out, "  {FAINT}nothing is known to fix it{FAINT:#}")?,
    }
    Ok(())
}

/// Words behind a mark, wrapped beside it: a path that is cut names nothing.
fn write_under(out: &mut Out, (mark, style): (&str, Style), text: &str) -> Result<()> {
    let indent = " ".repeat(mark.len() + 3);
    let lines = wrap(text, out.width().saturating_sub(indent.len()));
    for (at, line) in lines.iter().enumerate() {
        if at == 0 {
            writeln!(out, "  {style}{mark}{style:#} {line}")?;
        } else {
            writeln!(out, "{indent}{line}")?;
        }
    }
    Ok(())
}

/// Why a way out that held is not told to agents.
fn doubt(how: &SolvedBy, fix: &FixRecord) -> &'static str {
    if fix.passed == 0 {
        ""
    } else if fix.passed <= fix.failed {
        "; it did not hold more often than it did"
    } else if !fix.telling {
        "; the error itself names what was edited"
    } else if *how == SolvedBy::Again {
        "; one more try may have been luck"
    } else {
        ""
    }
}

/// How far a fix held.
fn held(fix: &FixRecord) -> String {
    let used = count(fix.sessions.len(), "session");
    match (fix.passed, fix.failed) {
        (0, 0) => format!("{used}, not validated"),
        (passed, 0) => format!("{used}, held in {passed}"),
        (passed, failed) => format!("{used}, held in {passed}, failed in {failed}"),
    }
}

fn show(error: &ErrorRecord, out: &mut Out, now: Timestamp) -> Result<()> {
    writeln!(out, "{ID}{}{ID:#}", id_of(error))?;
    writeln!(out)?;
    out.paragraph("  ", &error.message)?;
    writeln!(out)?;
    fact(out, "met", &often(error, now))?;
    let commands: Vec<&str> = error.commands.keys().map(String::as_str).collect();
    fact(out, "failing", &commands.join("; "))?;
    let modules: Vec<&str> = error.modules.iter().map(String::as_str).collect();
    fact(out, "modules", &modules.join(", "))?;
    let sessions: Vec<&str> = error
        .sessions
        .iter()
        .map(oldhand_domain::id::SessionId::as_str)
        .collect();
    fact(out, "sessions", &sessions.join(", "))?;
    if error.ranked().is_empty() {
        out.note("nothing is known to fix it");
        return Ok(());
    }
    writeln!(out, "\n{STRONG}what made it go away{STRONG:#}")?;
    let best = error.best().map(|(how, _)| how);
    for (how, fix) in error.ranked() {
        let mark = if Some(how) == best { "+" } else { "?" };
        out.paragraph(&format!("  {mark} "), &how.to_string())?;
        let steps = count(fix.steps as usize, "step");
        if let Some(words) = &fix.words {
            out.paragraph("    ", &format!("“{words}”"))?;
        }
        writeln!(out, "    {FAINT}{}, in {steps}{FAINT:#}", held(fix))?;
        if !fix.taint.is_clean() {
            let outside: Vec<String> = fix
                .taint
                .sources()
                .map(oldhand_domain::taint::OutsideText::label)
                .collect();
            writeln!(
                out,
                "    {WARNING}outside text had a hand in it: {}{WARNING:#}",
                outside.join(", ")
            )?;
        }
    }
    if let Some(session) = error.sessions.first() {
        out.hint(&format!(
            "`oldhand session show {session}` tells what happened there"
        ));
    }
    Ok(())
}
