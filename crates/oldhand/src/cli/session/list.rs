//! `oldhand session list`.

use std::cmp::Reverse;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};

use crate::cli::most::Most;
use crate::cli::{Door, NOTHING_FOUND};
use crate::desk::{Desk, Purpose};
use crate::out::Out;
use crate::out::style::{FAINT, ID};
use crate::out::time::{ago, count};
use crate::out::wrap::shorten;
use crate::sessions::{Known, Sessions};
use crate::view::session::{SessionListView, SessionView};

/// List sessions, newest first
#[derive(clap::Args)]
pub(crate) struct Args {
    /// At most this many; 0 is all
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true, default_value_t = SHOWN)]
    limit: Most,
}

const SHOWN: Most = Most::of(20);

impl Default for Args {
    fn default() -> Self {
        Self { limit: SHOWN }
    }
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    let mut known = match Sessions::of(&desk) {
        Ok(sessions) => newest_first(&sessions)?,
        Err(_) => Vec::new(),
    };
    let total = known.len();
    let waiting = known.iter().filter(|one| one.record.is_none()).count();
    known.truncate(args.limit.get());
    let out = &mut door.out;
    if out.is_json() {
        out.json(&SessionListView {
            sessions: known.iter().map(SessionView::new).collect(),
            total,
        })?;
    } else {
        for session in &known {
            show(session, desk.now, out)?;
        }
        if total == 0 {
            out.note("no session is known here");
            out.hint("`oldhand import transcripts` brings in what agents did so far");
        }
        args.limit.tell_rest(total, out);
        if waiting > 0 {
            let learns = "`oldhand session finalize --all` learns from";
            let what = match waiting {
                1 => "the one that is not finalized yet".to_owned(),
                _ => format!("the {waiting} that are not finalized yet"),
            };
            out.hint(&format!("{learns} {what}"));
        }
    }
    Ok(ExitCode::from(if total == 0 { NOTHING_FOUND } else { 0 }))
}

/// Every session, those not finalized with what the beginning of their journal tells.
fn newest_first(sessions: &Sessions<'_>) -> Result<Vec<Known>> {
    let mut known = sessions.all()?;
    known.reverse();
    for one in known.iter_mut().filter(|one| one.record.is_none()) {
        one.opening = sessions.opening(&one.id);
    }
    known.sort_by_key(|one| Reverse(one.began_at().unwrap_or(Timestamp::MAX)));
    Ok(known)
}

fn show(session: &Known, now: Timestamp, out: &mut Out) -> Result<()> {
    let view = SessionView::new(session);
    let id = session.id.to_string();
    let began = session.began_at().map(|at| day_or_age(at, now));
    let became = match &session.record {
        Some(_) => view.verdict(),
        None => "not finalized yet",
    };
    let words = [view.client(), began.as_deref().unwrap_or_default(), became];
    let words = words.into_iter().filter(|words| !words.is_empty());
    let words = words.map(|words| (" · ", FAINT, words));
    let pieces: Vec<_> = std::iter::once(("", ID, id.as_str()))
        .chain(words)
        .collect();
    out.pieces("  ", &pieces)?;
    match title(view.prompt()) {
        "" => writeln!(out, "  {FAINT}no prompt{FAINT:#}")?,
        title => writeln!(out, "  {}", shorten(title, out.width().saturating_sub(2)))?,
    }
    if session.record.is_some() {
        let learned = count(view.promoted(), "memory");
        let edited = count(view.edited(), "file");
        writeln!(out, "  {FAINT}{edited} edited, {learned}{FAINT:#}")?;
    }
    Ok(())
}

/// After a week the day says more than how long ago it was.
fn day_or_age(at: Timestamp, now: Timestamp) -> String {
    const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);
    if now.duration_since(at) < WEEK {
        return ago(at, now);
    }
    at.strftime("%Y-%m-%d").to_string()
}

/// What a prompt is called: of a plan that is handed over its own title, not the words that hand it over.
fn title(prompt: &str) -> &str {
    let mut lines = prompt
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let handed_over = match first.split_once(": #") {
        // "Please fix: #482" names an issue.
        Some((_, heading)) => Some(heading).filter(|text| text.starts_with(['#', ' '])),
        None if first.ends_with(':') => lines.next().and_then(|line| line.strip_prefix('#')),
        None => None,
    };
    let heading = handed_over.map(|heading| heading.trim_start_matches('#').trim());
    heading
        .filter(|heading| !heading.is_empty())
        .unwrap_or(prompt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_called_by_its_title() {
        for (prompt, called) in [
            (
                "Please fix: #482 login loops",
                "Please fix: #482 login loops",
            ),
            (
                "Implement the following plan:\n\n# Fix the cache\n\n## Summary",
                "Fix the cache",
            ),
            ("Do this: # Fix the cache", "Fix the cache"),
            ("Fix the cache", "Fix the cache"),
            ("Fix this:\nerror: no cache", "Fix this:\nerror: no cache"),
            ("Fix issue #12: the cache", "Fix issue #12: the cache"),
            ("Look:\n#", "Look:\n#"),
            ("", ""),
        ] {
            assert_eq!(title(prompt), called, "{prompt}");
        }
    }

    #[test]
    fn what_is_older_than_a_week_has_its_day() {
        let now: Timestamp = "2026-02-10T12:00:00Z".parse().unwrap();
        let said = |at: &str| day_or_age(at.parse().unwrap(), now);
        assert_eq!(said("2026-02-03T12:00:01Z"), "6 days ago");
        assert_eq!(said("2026-02-03T12:00:00Z"), "2026-02-03");
    }
}
