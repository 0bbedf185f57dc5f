//! `oldhand search --code`: pieces of code by their words and their meaning.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use anstyle::Style;
use anyhow::Result;
use oldhand_code::passage::Passage;
use oldhand_engine::code_search::{FoundPiece, Nearness};
use oldhand_recall::candidate::say_lane;
use oldhand_recall::lane::Lane;

use super::{Args, NO_WORDS};
use crate::cli::most::Most;
use crate::cli::{Door, NOTHING_FOUND};
use crate::code;
use crate::code::pieces::{Pieces, say_instead, say_left_out};
use crate::out::style::{FAINT, STRONG, TYPE};
use crate::out::time::count;
use crate::out::wrap::shorten;
use crate::view::code::{CodeSearchView, InsteadView, PieceView};

/// How many lines of a piece are shown.
const LINES: usize = 4;

pub(super) fn run(question: &str, args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = code::open_desk(&door.environment, &door.out)?;
    let within = args.narrow.paths(&desk)?;
    desk.tell_missing(&within, &door.out);
    let limit = args.limit.map_or(desk.settings.search_limit, Most::get);
    let found = Pieces::find(&desk, question, &within, limit, &door.out)?;
    let out = &mut door.out;
    if out.is_json() {
        let results = found.best().map(|(one, piece)| PieceView::new(piece, one));
        out.json(&CodeSearchView {
            results: results.collect(),
            instead: found.instead.iter().map(InsteadView::new).collect(),
            words_left_out: NonZeroUsize::new(found.words_left_out),
        })?;
    } else {
        if args.explain {
            let compared = &found.compared;
            let files: BTreeSet<&str> =
                compared.iter().map(|one| one.chunk.path.as_str()).collect();
            let (pieces, files) = (count(compared.len(), "piece"), count(files.len(), "file"));
            let how = format!(
                "looked among {pieces} of the {files} that share most words with the question; meaning counts twice as much as words"
            );
            out.paragraph("", &how)?;
            if found.words_left_out > 0 {
                out.paragraph("", &say_left_out(found.words_left_out))?;
            }
            writeln!(out)?;
        }
        for (at, (one, passage)) in found.best().enumerate() {
            let chunk = &passage.chunk;
            if at > 0 {
                writeln!(out)?;
            }
            let place = format!("{}:{}-{}", chunk.path, chunk.first_line, chunk.last_line);
            let kind = chunk.kind.as_str();
            out.pieces(
                "  ",
                &[
                    ("", STRONG, &place),
                    ("  ", TYPE, kind),
                    (" ", Style::new(), &chunk.name),
                ],
            )?;
            let width = out.width().saturating_sub(2);
            let lines = chunk.text.lines().filter(|line| !line.trim().is_empty());
            for line in lines.take(LINES) {
                writeln!(out, "  {FAINT}{}{FAINT:#}", shorten(line.trim_end(), width))?;
            }
            if args.explain {
                out.paragraph("  ", &explain(one, passage))?;
            }
        }
        if question.trim().is_empty() {
            out.note(NO_WORDS);
            out.hint("`oldhand map` shows the code without a query");
        } else if !found.best.is_empty() {
            for note in say_instead(&found.instead) {
                out.note(&note);
            }
        } else {
            out.note("no piece of code shares a word with that");
        }
    }
    Ok(ExitCode::from(if found.best.is_empty() {
        NOTHING_FOUND
    } else {
        0
    }))
}

/// Why a piece is where it is, for a person.
fn explain(one: &FoundPiece, passage: &Passage) -> String {
    let mut said = format!("{:.1}: ", one.score);
    for (at, part) in one.lanes.iter().enumerate() {
        said.push_str(if at == 0 { "" } else { ", " });
        let _ = say_lane(&mut said, part);
        let Nearness {
            text,
            name,
            place,
            signatures,
            usual,
        } = one.near;
        let _ = match part.lane {
            Lane::Text => write!(said, ": {})", passage.words.join(", ")),
            _ => write!(
                said,
                "; body {text:.2}, name {name:.2}, path and name {place:.2}, declaration {signatures:.2}, to all {usual:.2})"
            ),
        };
    }
    if one.begins > 0.0 {
        let _ = write!(
            said,
            ", its name begins as the question does {:+.1}",
            one.begins
        );
    }
    if one.aside > 0.0 {
        let _ = write!(
            said,
            ", prose, a test or an example that was not asked for {:+.1}",
            -one.aside
        );
    }
    if one.shape > 0.0 {
        let _ = write!(
            said,
            ", does nothing where the question asks what is done {:+.1}",
            -one.shape
        );
    }
    let found: f64 = one.lanes.iter().map(|part| part.part).sum();
    let start = one.score - found - one.begins + one.aside + one.shape;
    let _ = write!(said, "; every piece starts at {start:.1}");
    said
}
