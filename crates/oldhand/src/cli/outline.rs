//! `oldhand outline`: a file by its signatures.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_code::problem::{Problem, ProblemKind};
use oldhand_code::snapshot::Snapshot;
use oldhand_domain::tokens;

use super::impact::tell_others;
use super::{Door, NOTHING_FOUND};
use crate::code::{self, name_of};
use crate::out::style::{FAINT, STRONG};
use crate::out::time::count;
use crate::out::wrap::shorten;
use crate::view::graph::{OutlineLineView, OutlineView};

/// Show a file by its signatures, in as many tokens as you have
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand outline src/cart.ts
  oldhand outline src/cart.ts --budget 200")]
pub(crate) struct Args {
    file: String,
    /// At most about this many tokens; what others see goes first
    #[arg(long, value_name = "TOKENS", alias = "tokens", default_value_t = 1000)]
    budget: usize,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = code::open_desk(&door.environment, &door.out)?;
    let index = code::open_index(&desk, &door.out)?;
    let target = code::resolve_file(&index, &desk, &args.file)?;
    let snapshot = index.snapshot();
    let outline = index.outline(target.first(), args.budget);
    let path = snapshot.path(target.first());
    let unread = unread(snapshot, path).filter(|_| outline.lines.is_empty());
    let out = &mut door.out;
    if out.is_json() {
        let lines = outline.lines.iter().map(|line| OutlineLineView {
            line: line.line,
            indent: line.indent,
            text: &line.text,
            symbol: name_of(snapshot, line.node),
            kind: snapshot.kind(line.node).as_str(),
        });
        out.json(&OutlineView {
            path,
            lines: lines.collect(),
            left_out: outline.left_out,
            tokens: tokens::count(&outline.render()),
            unread: unread.map(|problem| problem.detail),
        })?;
    } else {
        writeln!(out, "{STRONG}{path}{STRONG:#}")?;
        for line in &outline.lines {
            let indent = "  ".repeat(line.indent);
            let room = out.width().saturating_sub(7 + indent.len());
            let text = shorten(&line.text, room);
            writeln!(out, "{FAINT}{:>5}{FAINT:#}  {indent}{text}", line.line)?;
        }
        if outline.left_out > 0 {
            let more = count(outline.left_out, "definition");
            out.note(&format!("{more} left out; `--budget N` makes room"));
        } else if let Some(problem) = unread {
            out.note(&format!("it was not read: it {}", problem.detail));
            if problem.kind == ProblemKind::Skipped {
                out.hint("`oldhand config` tells what is skipped: `code.largest`, `code.generated`, `code.vendored`");
            }
        } else if outline.lines.is_empty() {
            out.note("nothing is defined in it");
        }
        tell_others(&index, &target, out);
    }
    let empty = outline.lines.is_empty() && outline.left_out == 0;
    Ok(ExitCode::from(if empty { NOTHING_FOUND } else { 0 }))
}

/// Why a file's definitions are not known.
fn unread(snapshot: &Snapshot, path: &str) -> Option<Problem> {
    let mut problems = snapshot.problems().into_iter();
    problems.find(|problem| {
        let is_unread = matches!(
            problem.kind,
            ProblemKind::Skipped | ProblemKind::TooSlow | ProblemKind::Unreadable
        );
        problem.path == path && is_unread
    })
}
