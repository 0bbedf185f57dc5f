//! `oldhand search --code`: pieces of code by their words and their meaning.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_code::passage::passages;
use oldhand_engine::code_search::{COMPARED, PieceOfCode, search_code};

use super::Args;
use crate::cli::most::Most;
use crate::cli::{Door, NOTHING_FOUND};
use crate::code;
use crate::out::style::{FAINT, STRONG, TYPE};
use crate::out::wrap::shorten;
use crate::view::code::{CodeSearchView, PieceView};

/// How many lines of a piece are shown.
const LINES: usize = 4;

pub(super) fn run(question: &str, args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = code::open_desk(&door.environment, &door.out)?;
    let within = args.narrow.paths(&desk)?;
    let limit = args.limit.map_or(desk.settings.search_limit, Most::get);
    let index = code::open_index(&desk, &door.out)?;
    let words = code::open_words(&desk)?;
    let found = passages(&index, &words, question, &within, COMPARED.max(limit));
    let pieces: Vec<PieceOfCode<'_>> = found
        .iter()
        .map(|passage| PieceOfCode {
            path: &passage.chunk.path,
            name: &passage.chunk.name,
            text: &passage.chunk.text,
            words: passage.score,
            is_aside: passage.is_aside,
        })
        .collect();
    let best = search_code(desk.settings.embedder(), question, &pieces, limit)?;
    let out = &mut door.out;
    if out.is_json() {
        let results = best
            .iter()
            .map(|fused| PieceView::new(&found[fused.key], fused));
        out.json(&CodeSearchView {
            results: results.collect(),
        })?;
    } else {
        for (at, fused) in best.iter().enumerate() {
            let chunk = &found[fused.key].chunk;
            let gap = if at > 0 { "\n" } else { "" };
            let (path, first, last) = (&chunk.path, chunk.first_line, chunk.last_line);
            let (kind, name) = (chunk.kind.as_str(), &chunk.name);
            writeln!(
                out,
                "{gap}{STRONG}{path}:{first}-{last}{STRONG:#}  {TYPE}{kind}{TYPE:#} {name}"
            )?;
            let width = out.width().saturating_sub(2);
            let lines = chunk.text.lines().filter(|line| !line.trim().is_empty());
            for line in lines.take(LINES) {
                writeln!(out, "  {FAINT}{}{FAINT:#}", shorten(line.trim_end(), width))?;
            }
            if args.explain {
                let lanes: Vec<String> = fused
                    .lanes
                    .iter()
                    .map(|part| format!("{} number {} ({:.2})", part.lane, part.rank, part.score))
                    .collect();
                let aside = if found[fused.key].is_aside {
                    ", less for prose or a test"
                } else {
                    ""
                };
                let said = format!("{:.2}: {}{aside}", fused.score, lanes.join(", "));
                out.paragraph("  ", &said)?;
            }
        }
        if best.is_empty() {
            out.note("no piece of code shares a word with that");
        }
    }
    Ok(ExitCode::from(if best.is_empty() {
        NOTHING_FOUND
    } else {
        0
    }))
}
