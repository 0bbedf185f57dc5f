//! `oldhand errors`: errors that agents met here, and what made them go away.

use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::filter::Filter;
use oldhand_domain::payload::BuiltInType;
use oldhand_engine::Shelved;
use oldhand_observe::learn::ErrorRecord;

use self::matching::matching;
use self::row::Row;
use self::screen::{list, show};
use super::most::Most;
use super::{Door, NOTHING_FOUND, refuse_empty};
use crate::card;
use crate::desk::{Desk, Purpose};
use crate::out::Out;
use crate::out::time::count;
use crate::view::learned::{ErrorRecordView, ErrorsView};

mod matching;
mod row;
mod screen;

/// Show errors that agents met here, how often, and what made them go away
///
/// An error is known by its text without paths, numbers and times. Every session that met it counts here, also where the work failed; a memory about it counts those that stand behind its answer. Without ERROR those that came back or that something is
/// known to fix are listed: first those with a fix that held more than once, then those met most often. What one rule of a linter finds is one row; a test that failed once is not listed. ERROR is an id from that list, the output of a failed command, or words of an error.
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
    let found: Vec<&ErrorRecord> = match &args.error {
        Some(given) => matching(&errors, given),
        None => errors.iter().collect(),
    };
    let mut rows = match &args.error {
        Some(_) => found.into_iter().map(Row::alone).collect(),
        None if door.out.is_json() => found.into_iter().map(Row::alone).collect(),
        None => Row::by_kind(found),
    };
    rows.retain(|row| args.error.is_some() || args.all || recurs(row));
    let (total, shown) = (rows.len(), rows.iter().map(Row::len).sum());
    rows.truncate(args.limit.get());
    let told = match &args.error {
        Some(given) if total == 0 => memories_about(&desk, given)?,
        _ => Vec::new(),
    };
    let out = &mut door.out;
    if out.is_json() {
        out.json(&ErrorsView {
            errors: rows
                .iter()
                .map(|row| ErrorRecordView::new(row.first))
                .collect(),
            total,
            memories: told.iter().map(|told| told.memory.id).collect(),
        })?;
    } else if let ([only], Some(_)) = (rows.as_slice(), &args.error) {
        show(only.first, out, desk.now)?;
    } else {
        for row in &rows {
            list(row, out, desk.now)?;
        }
        args.limit.tell_rest(total, out);
        for told in &told {
            card::brief(out, told, desk.now)?;
        }
        if told.is_empty() {
            tell_nothing(args, &errors, shown, out);
        }
    }
    let is_nothing = total == 0 && told.is_empty();
    Ok(ExitCode::from(if is_nothing { NOTHING_FOUND } else { 0 }))
}

fn tell_nothing(args: &Args, errors: &[ErrorRecord], shown: usize, out: &Out) {
    if shown > 0 {
        let others = errors.len() - shown;
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
fn recurs(row: &Row<'_>) -> bool {
    let message = &row.first.message;
    let is_test = message.starts_with("test ") && message.ends_with(" fails");
    row.count() > 1 || (row.first.best().is_some() && !is_test)
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
