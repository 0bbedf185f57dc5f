//! `oldhand flow`: how one thing reaches another.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_code::snapshot::{NodeId, Snapshot};

use super::impact::{show_node, spoken, tell_others};
use super::refs::SURE;
use super::{Door, NOTHING_FOUND};
use crate::code::{self, file_of, name_of};
use crate::out::style::{FAINT, STRONG, TYPE, WARNING};
use crate::view::graph::{FlowView, NodeView, PathView, StepView, rounded};

/// Show how one definition or file reaches another, by calls, uses and imports
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand flow handleRequest saveOrder
  oldhand flow src/api.ts src/db.ts --depth 4")]
pub(crate) struct Args {
    from: String,
    to: String,
    /// At most this many steps
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=32))]
    depth: u8,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = code::open_desk(&door.environment, &door.out)?;
    let index = code::open_index(&desk, &door.out)?;
    let snapshot = index.snapshot();
    let from = code::resolve_place(&index, &desk, &args.from)?;
    let to = code::resolve_place(&index, &desk, &args.to)?;
    let ways = |from: &[NodeId], to: &[NodeId]| {
        let (from, to) = (with_members(snapshot, from), with_members(snapshot, to));
        index.flow(&from, &to, args.depth)
    };
    let mut flow = ways(&from.nodes, &to.nodes);
    // A name may mean several things: the ones that a way joins are meant.
    if flow.paths.is_empty() {
        flow = ways(&from.readings(), &to.readings());
    }
    let ends = flow
        .paths
        .first()
        .and_then(|path| Some((path.start, path.steps.last()?.to)));
    let (start, end) = ends.unwrap_or((from.first(), to.first()));
    let out = &mut door.out;
    if out.is_json() {
        let paths = flow.paths.iter().map(|path| PathView {
            confidence: rounded(path.confidence),
            steps: path
                .steps
                .iter()
                .map(|step| StepView::new(snapshot, step))
                .collect(),
        });
        out.json(&FlowView {
            from: NodeView::new(snapshot, start),
            to: NodeView::new(snapshot, end),
            paths: paths.collect(),
            truncated: flow.is_cut,
        })?;
    } else {
        for (at, path) in flow.paths.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            show_node(snapshot, path.start, out)?;
            for step in &path.steps {
                let edge = &step.edge;
                let line = snapshot.lines(edge.id).next();
                let line = line
                    .map(|line| format!(" on line {line}"))
                    .unwrap_or_default();
                let kind = spoken(step);
                let path = file_of(snapshot, step.to);
                let name = name_of(snapshot, step.to);
                let shown = name.as_deref().unwrap_or(path);
                write!(
                    out,
                    "  {TYPE}{kind}{TYPE:#}{FAINT}{line}{FAINT:#} {STRONG}{shown}{STRONG:#}"
                )?;
                if name.is_some() {
                    write!(out, " {FAINT}{path}{FAINT:#}")?;
                }
                if edge.confidence < SURE {
                    write!(out, "  {WARNING}guessed{WARNING:#}")?;
                }
                writeln!(out)?;
            }
        }
        if flow.paths.is_empty() {
            let depth = crate::out::time::count(usize::from(args.depth), "step");
            out.note(&format!(
                "no way leads from `{}` to `{}` in {depth}",
                args.from, args.to
            ));
            out.hint("try them the other way round, or `--depth` for longer ways");
        } else {
            tell_others(&index, &from, out);
            tell_others(&index, &to, out);
        }
    }
    Ok(ExitCode::from(if flow.paths.is_empty() {
        NOTHING_FOUND
    } else {
        0
    }))
}

/// A file stands for everything it defines.
fn with_members(snapshot: &Snapshot, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut all = nodes.to_vec();
    for &node in nodes {
        if snapshot.is_file(node) {
            all.extend(snapshot.symbols_in(node));
        }
    }
    all
}
