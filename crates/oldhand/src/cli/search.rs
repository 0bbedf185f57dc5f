//! `oldhand search`: memories by their words.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_engine::{Because, SearchRequest};

use super::narrow::Narrow;
use super::{Door, NOTHING_FOUND, tell_damaged};
use crate::card;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::out::style::FAINT;
use crate::view::memory::{ResultView, SearchView};

/// Find memories by their words, best first
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand search migration order
  oldhand search \"connection refused\" --type error_pattern
  oldhand search cache --file src/api --json")]
pub(crate) struct Args {
    /// Words to look for; camelCase and snake_case names are also found by their parts
    #[arg(required = true)]
    query: Vec<String>,
    /// At most this many
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    limit: Option<u16>,
    /// Say why each result is where it is
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    narrow: Narrow,
}

pub(crate) fn run(args: Args, door: &mut Door) -> Result<ExitCode> {
    let text = args.query.join(" ");
    if text.trim().is_empty() {
        return Err(Failure::invalid("the query is empty")
            .hint("`oldhand list` shows memories without a query")
            .into());
    }
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    let request = SearchRequest {
        shelf: args.narrow.shelf(),
        limit: args.limit.map_or(desk.settings.search_limit, usize::from),
        filter: args.narrow.filter(&desk)?,
        text,
    };
    let answer = desk.engine().search(&request, desk.now)?;
    let found = !answer.results.is_empty();
    let out = &mut door.out;
    if out.is_json() {
        let results = answer.results.iter();
        out.json(&SearchView {
            results: results
                .map(|(shelved, because)| ResultView::new(shelved, because, desk.now))
                .collect(),
            damaged: answer.damaged.iter().map(|(_, id)| *id).collect(),
        })?;
    } else {
        for (at, (shelved, because)) in answer.results.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            card::brief(out, shelved, desk.now)?;
            if args.explain {
                writeln!(out, "  {FAINT}{}{FAINT:#}", explain(because))?;
            }
        }
        if !found {
            out.note(&format!("nothing says `{}`", request.text));
        }
        tell_damaged(out, &answer.damaged);
    }
    Ok(ExitCode::from(if found { 0 } else { NOTHING_FOUND }))
}

fn explain(because: &Because) -> String {
    format!(
        "score {:.2} = words {:.2} (match {}) × source {:.2} × confidence {}",
        because.score,
        because.text,
        because.text_rank,
        because.source_trust,
        because.confidence_now
    )
}
