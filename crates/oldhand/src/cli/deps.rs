//! `oldhand deps`: what a file uses, and who uses it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_code::graph::EdgeKind;
use oldhand_code::snapshot::{Edge, NodeId, Snapshot};

use super::impact::tell_others;
use super::{Door, NOTHING_FOUND};
use crate::code::{self, name_of};
use crate::out::Out;
use crate::out::style::{FAINT, STRONG};
use crate::out::wrap::{shorten, width};
use crate::view::graph::{DependenciesView, NeighbourView};

/// Show what a file imports and uses, and who imports and uses it
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand deps src/cart.ts
  oldhand deps cart.ts --json")]
pub(crate) struct Args {
    file: String,
}

/// Links below this confidence, in percent, are guesses by name alone.
const SURE: u8 = 50;
/// Files told to a person in each list.
const SHOWN: usize = 30;

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = code::open_desk(&door.environment, &door.out)?;
    let index = code::open_index(&desk, &door.out)?;
    let target = code::resolve_file(&index, &desk, &args.file)?;
    let snapshot = index.snapshot();
    let file = target.first();
    let (imports, uses) = neighbours(snapshot, file, Side::Used);
    let (imported_by, used_by) = neighbours(snapshot, file, Side::Users);
    let view = DependenciesView {
        path: snapshot.path(file),
        imports,
        imported_by,
        uses,
        used_by,
        externals: snapshot.externals(file).collect(),
    };
    let out = &mut door.out;
    let lists = [
        ("Imports", &view.imports),
        ("Uses without importing", &view.uses),
        ("Imported by", &view.imported_by),
        ("Used by without importing", &view.used_by),
    ];
    let found = !view.externals.is_empty() || lists.iter().any(|(_, list)| !list.is_empty());
    if out.is_json() {
        out.json(&view)?;
    } else {
        writeln!(out, "{STRONG}{}{STRONG:#}", view.path)?;
        for (title, list) in lists {
            show(title, list, out)?;
        }
        if !view.externals.is_empty() {
            writeln!(out, "\n{STRONG}Packages{STRONG:#}")?;
            out.paragraph("  ", &view.externals.join(", "))?;
        }
        if !found {
            out.note("it uses nothing of this project, and nothing uses it");
        }
        tell_others(&index, &target, out);
    }
    Ok(ExitCode::from(if found { 0 } else { NOTHING_FOUND }))
}

/// Which end of a link is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Used,
    Users,
}

/// What links one file to another.
#[derive(Default)]
struct Link {
    kinds: BTreeSet<EdgeKind>,
    confidence: u8,
    symbols: BTreeSet<String>,
    lines: BTreeSet<u32>,
}

/// The files on one side of `file`: those joined by an import, and the others.
fn neighbours(
    snapshot: &Snapshot,
    file: NodeId,
    side: Side,
) -> (Vec<NeighbourView<'_>>, Vec<NeighbourView<'_>>) {
    let mut links: BTreeMap<NodeId, Link> = BTreeMap::new();
    for part in std::iter::once(file).chain(snapshot.symbols_in(file)) {
        let mut take = |edge: Edge| {
            let other = snapshot.file_of(match side {
                Side::Used => edge.to,
                Side::Users => edge.from,
            });
            if other == file || edge.confidence < SURE {
                return;
            }
            let link = links.entry(other).or_default();
            link.kinds.insert(edge.kind);
            link.confidence = link.confidence.max(edge.confidence);
            link.symbols.extend(name_of(snapshot, edge.to));
            link.lines.extend(snapshot.lines(edge.id));
        };
        match side {
            Side::Used => snapshot.outgoing(part).for_each(&mut take),
            Side::Users => snapshot.incoming(part).for_each(&mut take),
        }
    }
    let is_import = |link: &Link| {
        let kinds = [EdgeKind::Imports, EdgeKind::Exports];
        kinds.iter().any(|kind| link.kinds.contains(kind))
    };
    let (imports, others): (Vec<_>, Vec<_>) =
        links.into_iter().partition(|(_, link)| is_import(link));
    let view = |(other, link): (NodeId, Link)| NeighbourView {
        path: snapshot.path(other),
        kinds: link.kinds.iter().map(|kind| kind.as_str()).collect(),
        confidence: f64::from(link.confidence) / 100.0,
        symbols: link.symbols.into_iter().collect(),
        lines: link.lines.into_iter().collect(),
    };
    (
        imports.into_iter().map(view).collect(),
        others.into_iter().map(view).collect(),
    )
}

fn show(title: &str, list: &[NeighbourView<'_>], out: &mut Out) -> Result<()> {
    if list.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{STRONG}{title}{STRONG:#}")?;
    for neighbour in list.iter().take(SHOWN) {
        let names = neighbour.symbols.join(", ");
        let room = out.width().saturating_sub(4 + width(neighbour.path));
        let names = if room < 8 {
            String::new()
        } else {
            shorten(&names, room)
        };
        let line = format!("  {}  {FAINT}{names}{FAINT:#}", neighbour.path);
        if names.is_empty() {
            writeln!(out, "  {}", neighbour.path)?;
        } else {
            writeln!(out, "{line}")?;
        }
    }
    if list.len() > SHOWN {
        writeln!(out, "  {FAINT}and {} more{FAINT:#}", list.len() - SHOWN)?;
    }
    Ok(())
}
