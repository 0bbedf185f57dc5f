//! `oldhand session list`.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use crate::cli::most::Most;
use crate::cli::{Door, NOTHING_FOUND};
use crate::desk::{Desk, Purpose};
use crate::out::style::{FAINT, ID};
use crate::out::time::{ago, count};
use crate::out::wrap::shorten;
use crate::sessions::Sessions;
use crate::view::session::{SessionListView, SessionView};

/// List sessions, newest first
#[derive(clap::Args)]
pub(crate) struct Args {
    /// At most this many; 0 is all
    #[arg(long, short = 'n', value_name = "N", default_value_t = SHOWN)]
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
        Ok(sessions) => sessions.all()?,
        Err(_) => Vec::new(),
    };
    known.reverse();
    let total = known.len();
    known.truncate(args.limit.get());
    let out = &mut door.out;
    if out.is_json() {
        out.json(&SessionListView {
            sessions: known.iter().map(SessionView::new).collect(),
            total,
        })?;
    } else {
        for session in &known {
            let view = SessionView::new(session);
            let id = session.id.to_string();
            if let Some(record) = &session.record {
                let words = [
                    &record.client,
                    &ago(record.started_at, desk.now),
                    view.verdict(),
                ];
                let words = words.map(|words| (" · ", FAINT, words));
                out.pieces("  ", &[&[("", ID, id.as_str())], &words[..]].concat())?;
                writeln!(
                    out,
                    "  {}",
                    shorten(view.prompt(), out.width().saturating_sub(2))
                )?;
                let learned = count(view.promoted(), "memory");
                writeln!(
                    out,
                    "  {FAINT}{} edited, {learned}{FAINT:#}",
                    count(view.edited(), "file")
                )?;
            } else {
                let words = (" · ", FAINT, "not finalized yet");
                out.pieces("  ", &[("", ID, &id), words])?;
            }
        }
        if total == 0 {
            out.note("no session is known here");
            out.hint("`oldhand import transcripts` brings in what agents did so far");
        }
        args.limit.tell_rest(total, out);
    }
    Ok(ExitCode::from(if total == 0 { NOTHING_FOUND } else { 0 }))
}
