//! `oldhand list`: memories, newest first.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::filter::{Filter, Only, State};
use oldhand_store::SqliteStore;

use super::most::Most;
use super::narrow::Narrow;
use super::{Door, NOTHING_FOUND, tell_damaged};
use crate::card;
use crate::code;
use crate::desk::{Desk, Purpose};
use crate::view::memory::{ListView, MemoryView};

/// List memories, newest first
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand list
  oldhand list --type gotcha --file src/db
  oldhand list --needs-review
  oldhand list --deleted")]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own on the command line"
)]
pub(crate) struct Args {
    /// At most this many; 0 is all
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    limit: Option<Most>,
    /// Those that were forgotten and can be restored
    #[arg(long, conflicts_with = "all")]
    deleted: bool,
    /// Also those that were forgotten or replaced
    #[arg(long)]
    all: bool,
    /// Only those that wait for a person's word
    #[arg(long)]
    needs_review: bool,
    /// Only pinned ones
    #[arg(long)]
    pinned: bool,
    /// Only those that a person or an agent flagged as wrong
    #[arg(long)]
    flagged: bool,
    /// Only those whose code has changed or gone
    #[arg(long)]
    stale: bool,
    /// Only those that a person has verified
    #[arg(long)]
    verified: bool,
    #[command(flatten)]
    narrow: Narrow,
}

pub(crate) fn run(args: Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    desk.tell_look_alikes(&door.environment, &door.out)?;
    // Who asks what no longer fits the code asks about the code as it is now.
    let is_unread = args.stale && desk.project.is_some() && !code::keep_up(&desk, &door.out);
    let limit = args.limit.map_or(desk.settings.list_limit, Most::get);
    let shelf = args.narrow.shelf();
    let marks = [
        (args.needs_review, Only::NeedsReview),
        (args.pinned, Only::Pinned),
        (args.flagged, Only::Flagged),
        (args.stale, Only::Stale),
        (args.verified, Only::Verified),
    ];
    let filter = Filter {
        state: match (args.deleted, args.all) {
            (true, _) => State::Deleted,
            (_, true) => State::Any,
            _ => State::Live,
        },
        only: marks
            .iter()
            .filter(|(asked, _)| *asked)
            .map(|(_, only)| *only)
            .collect(),
        // One more than is shown tells whether there is more.
        limit: Some(limit + 1),
        ..args.narrow.filter(&desk, &door.out)?
    };
    let mut kept = desk.engine().list(shelf, &filter)?;
    let truncated = kept.memories.len() > limit;
    kept.memories.truncate(limit);
    let out = &mut door.out;
    if out.is_json() {
        let memories = kept.memories.iter();
        out.json(&ListView {
            memories: memories
                .map(|shelved| MemoryView::of(shelved, desk.now))
                .collect(),
            damaged: kept.damaged.iter().map(|(_, id)| *id).collect(),
            truncated,
        })?;
    } else {
        for (at, shelved) in kept.memories.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            card::brief(out, shelved, desk.now)?;
        }
        if kept.memories.is_empty() {
            tell_nothing(out, &desk);
        } else if truncated {
            out.hint("there are more; `--limit 0` shows all");
        }
        if is_unread {
            out.hint("the code was not read yet: `oldhand map` reads it and finds out which memories no longer fit it");
        }
        tell_damaged(out, &kept.damaged);
    }
    Ok(ExitCode::from(if kept.memories.is_empty() {
        NOTHING_FOUND
    } else {
        0
    }))
}

fn tell_nothing(out: &crate::out::Out, desk: &Desk) {
    let holds_any = |store: &SqliteStore| store.holds_more_than(0).unwrap_or(true);
    if let Some(name) = desk.project_name().filter(|_| desk.stores().any(holds_any)) {
        out.note(&format!("nothing like that is remembered in {name}"));
    } else {
        out.note("nothing is remembered here yet");
        out.hint("`oldhand remember TEXT` starts; `oldhand init` also reads your rules files");
    }
}
