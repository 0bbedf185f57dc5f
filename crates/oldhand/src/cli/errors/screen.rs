//! How errors are shown: a row of the list, and one error in full.

use std::io::Write;

use anstyle::Style;
use anyhow::Result;
use jiff::Timestamp;
use oldhand_domain::event::Digest;
use oldhand_domain::id::SessionId;
use oldhand_domain::taint::OutsideText;
use oldhand_observe::detect::SolvedBy;
use oldhand_observe::learn::{ErrorRecord, FixRecord};

use super::row::Row;
use crate::card::fact;
use crate::out::Out;
use crate::out::style::{FAINT, GOOD, ID, STRONG, WARNING};
use crate::out::time::{ago, count};
use crate::out::wrap::{shorten, wrap};

/// So many sessions are named; all of them are in the JSON.
const NAMED: usize = 3;
/// What the values of facts stand behind.
const FACT: usize = 14;

pub(super) fn id_of(error: &ErrorRecord) -> String {
    Digest::of(&error.message).to_string()
}

fn often(row: &Row<'_>, now: Timestamp) -> String {
    // A memory of it counts fewer: those that showed what helped, and whose work did not fail.
    let times = match row.count() {
        1 => "once".to_owned(),
        many => format!("{many} times"),
    };
    let sessions = count(row.sessions(), "session");
    let last = row.last_at().map(|at| format!(", last {}", ago(at, now)));
    format!("{times} in {sessions}{}", last.unwrap_or_default())
}

pub(super) fn list(row: &Row<'_>, out: &mut Out, now: Timestamp) -> Result<()> {
    let error = row.first;
    let id = &id_of(error)[..8];
    writeln!(
        out,
        "{ID}{id}{ID:#}{FAINT} · met {}{FAINT:#}",
        often(row, now)
    )?;
    let columns = out.width().saturating_sub(2);
    writeln!(out, "  {}", shorten(&error.message, columns))?;
    if row.len() > 1 {
        let others = count(row.len() - 1, "other");
        let told = format!(
            "and {others} of this kind; `oldhand errors \"{}\"` lists them",
            row.kind
        );
        for line in wrap(&told, columns) {
            writeln!(out, "  {FAINT}{line}{FAINT:#}")?;
        }
    }
    if let Some((how, fix)) = error.tested() {
        return write_behind(out, ("fix", GOOD), &format!("{how} ({})", held(fix)));
    }
    match error.best().or_else(|| error.ranked().first().copied()) {
        Some((how, fix)) => {
            let told = format!("{how} ({}{})", held(fix), doubt(how, fix));
            write_behind(out, ("perhaps", WARNING), &told)
        }
        None => Ok(writeln!(
            out,
            "  {FAINT}nothing is known to fix it{FAINT:#}"
        )?),
    }
}

/// Words behind a mark, wrapped beside it: a path that is cut names nothing.
fn write_behind(out: &mut Out, (mark, style): (&str, Style), text: &str) -> Result<()> {
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
    if *how == SolvedBy::Again && fix.passed == 1 {
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
        (passed, failed) if passed == failed => format!("{used}, held as often as not"),
        (passed, failed) if passed < failed => format!("{used}, mostly did not hold"),
        (passed, failed) => format!("{used}, held in {passed}, failed in {failed}"),
    }
}

/// One error: what can be done about it first.
pub(super) fn show(error: &ErrorRecord, out: &mut Out, now: Timestamp) -> Result<()> {
    writeln!(out, "{ID}{}{ID:#}", id_of(error))?;
    writeln!(out)?;
    show_ways_out(error, out)?;
    writeln!(out)?;
    out.paragraph("  ", &error.message)?;
    writeln!(out)?;
    fact(out, "met", &often(&Row::alone(error), now))?;
    fact(out, "sessions", &newest(error))?;
    let modules: Vec<&str> = error.modules.iter().map(String::as_str).collect();
    fact(out, "modules", &modules.join(", "))?;
    fact(out, "failing", &failing(error, out.width() - FACT))?;
    if let Some(session) = error.newest_sessions().next() {
        let session = short(session, error);
        out.hint(&format!(
            "`oldhand session show {session}` tells what happened there"
        ));
    }
    Ok(())
}

fn show_ways_out(error: &ErrorRecord, out: &mut Out) -> Result<()> {
    let ways = error.ranked();
    if ways.is_empty() {
        writeln!(out, "{STRONG}nothing is known to fix it{STRONG:#}")?;
        return Ok(());
    }
    writeln!(out, "{STRONG}what made it go away{STRONG:#}")?;
    let tested = error.tested().map(|(how, _)| how);
    for (how, fix) in ways {
        let mark = if Some(how) == tested {
            ("+", GOOD)
        } else {
            ("?", WARNING)
        };
        write_behind(out, mark, &how.to_string())?;
        if let Some(words) = &fix.words {
            out.paragraph("    ", &format!("“{words}”"))?;
        }
        let steps = count(fix.steps as usize, "step");
        writeln!(out, "    {FAINT}{}, in {steps}{FAINT:#}", held(fix))?;
        if !fix.taint.is_clean() {
            let outside: Vec<String> = fix.taint.sources().map(OutsideText::label).collect();
            writeln!(
                out,
                "    {WARNING}outside text had a hand in it: {}{WARNING:#}",
                outside.join(", ")
            )?;
        }
    }
    Ok(())
}

/// The newest sessions that met an error, and how many others did.
fn newest(error: &ErrorRecord) -> String {
    let named = error.newest_sessions().take(NAMED);
    let named: Vec<&str> = named.map(|session| short(session, error)).collect();
    match error.sessions.len().saturating_sub(named.len()) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// The beginning of a session's id where that names it among those that met an error; a name that somebody gave stays whole.
fn short<'s>(session: &'s SessionId, error: &ErrorRecord) -> &'s str {
    const SHORT: usize = 8;
    const LONG: usize = 36;
    let id = session.as_str();
    let is_long = id.len() == LONG && id.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    let Some(start) = id.get(..SHORT).filter(|_| is_long) else {
        return id;
    };
    let mut met = error.sessions.iter();
    let is_other = |other: &SessionId| other != session && other.as_str().starts_with(start);
    if met.any(is_other) { id } else { start }
}

/// What failed with it most often, on one line.
fn failing(error: &ErrorRecord, columns: usize) -> String {
    let usual = error.usual_command();
    let more = match error.commands.len() {
        0 | 1 => String::new(),
        many => format!(" and {} more", many - 1),
    };
    let left = columns.saturating_sub(more.len());
    format!("{}{more}", shorten(usual, left))
}
