//! `oldhand refs`: every place where a definition is named.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use super::impact::show_node;
use super::most::Most;
use super::{Door, NOTHING_FOUND};
use crate::code::{self, name_of};
use crate::out::style::{FAINT, STRONG, WARNING};
use crate::out::wrap::shorten;
use crate::view::graph::{NodeView, ReferenceView, ReferencesView};

/// Show where a function, class or other definition is used
///
/// SYMBOL is a name, `Outer.name`, `file:name` or `file:line`. Where several definitions have the name, the uses of all
/// of them are shown; `file:name` picks one.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand refs Cart.total
  oldhand refs src/cart.ts:total --json")]
pub(crate) struct Args {
    symbol: String,
    /// Show only this many places to a person; 0 is all
    #[arg(
        long,
        short = 'n',
        value_name = "N",
        allow_negative_numbers = true,
        default_value = "100"
    )]
    limit: Most,
}

/// Below this confidence, in percent, a place is marked as a guess.
pub(super) const SURE: u8 = 60;

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = code::open_desk(&door.environment, &door.out)?;
    let index = code::open_index(&desk, &door.out)?;
    let target = code::resolve(&index, &desk, &args.symbol)?;
    let snapshot = index.snapshot();
    let nodes: Vec<_> = target.nodes.iter().chain(&target.others).copied().collect();
    let sites = index.references(&nodes);
    let out = &mut door.out;
    if out.is_json() {
        let definitions = nodes.iter();
        out.json(&ReferencesView {
            definitions: definitions
                .map(|&node| NodeView::new(snapshot, node))
                .collect(),
            references: sites
                .iter()
                .map(|site| ReferenceView::new(snapshot, site))
                .collect(),
        })?;
    } else {
        for &node in &nodes {
            show_node(snapshot, node, out)?;
        }
        let mut before = None;
        for site in sites.iter().take(args.limit.get()) {
            if before != Some(site.file) {
                writeln!(out, "\n{STRONG}{}{STRONG:#}", snapshot.path(site.file))?;
                before = Some(site.file);
            }
            let within = name_of(snapshot, site.within);
            let within = within.map(|name| format!(" in {name}")).unwrap_or_default();
            let room = out.width().saturating_sub(18);
            let how = shorten(&format!("{}{within}", site.kind.as_str()), room);
            write!(out, "  {:>5}  {FAINT}{how}{FAINT:#}", site.line)?;
            if site.confidence < SURE {
                write!(out, "  {WARNING}guessed{WARNING:#}")?;
            }
            writeln!(out)?;
        }
        args.limit.tell_rest(sites.len(), out);
        if sites.is_empty() {
            out.note("nothing in this project uses it");
        }
    }
    Ok(ExitCode::from(if sites.is_empty() {
        NOTHING_FOUND
    } else {
        0
    }))
}
