//! A neighbourhood of the graph as a picture: DOT for other tools, SVG to look at.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use crate::answer::target::qualified_name;
use crate::graph::EdgeKind;
use crate::snapshot::{Edge, NodeId, Snapshot};

/// Part of a graph around some nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neighbourhood {
    /// Each with its distance from the middle: negative for dependents, positive for dependencies.
    pub nodes: Vec<(NodeId, i32)>,
    pub edges: Vec<Edge>,
    /// Whether there were more nodes than asked for.
    pub is_cut: bool,
}

/// At most `limit` nodes within `depth` steps of `middle`, in both directions.
pub fn neighbourhood(
    snapshot: &Snapshot,
    middle: &[NodeId],
    depth: u8,
    limit: usize,
) -> Neighbourhood {
    let mut places: FxHashMap<NodeId, i32> = middle.iter().map(|&node| (node, 0)).collect();
    let mut is_cut = false;
    for direction in [-1, 1] {
        let mut front: Vec<NodeId> = middle.to_vec();
        for step in 1..=i32::from(depth) {
            let mut next: Vec<(u8, NodeId)> = Vec::new();
            for &node in &front {
                if direction < 0 {
                    next.extend(
                        snapshot
                            .incoming(node)
                            .map(|edge| (edge.confidence, edge.from)),
                    );
                } else {
                    next.extend(
                        snapshot
                            .outgoing(node)
                            .map(|edge| (edge.confidence, edge.to)),
                    );
                }
            }
            next.sort_by_key(|&(confidence, node)| (std::cmp::Reverse(confidence), node));
            front.clear();
            for (_, node) in next {
                if places.contains_key(&node) {
                    continue;
                }
                if places.len() >= limit {
                    is_cut = true;
                    break;
                }
                places.insert(node, direction * step);
                front.push(node);
            }
        }
    }
    let mut nodes: Vec<(NodeId, i32)> =
        places.iter().map(|(&node, &place)| (node, place)).collect();
    nodes.sort_by_key(|&(node, place)| (place, node));
    let edges = nodes
        .iter()
        .flat_map(|&(node, _)| snapshot.outgoing(node))
        .filter(|edge| places.contains_key(&edge.to));
    let mut edges: Vec<Edge> = edges.collect();
    edges.sort_by_key(|edge| edge.id);
    Neighbourhood {
        nodes,
        edges,
        is_cut,
    }
}

/// The neighbourhood in Graphviz's language.
pub fn dot(snapshot: &Snapshot, part: &Neighbourhood) -> String {
    let mut text = String::from(
        "digraph code {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n",
    );
    for &(node, place) in &part.nodes {
        let style = if place == 0 { ", style=bold" } else { "" };
        let label = label(snapshot, node)
            .replace('\\', "\\\\")
            .replace('"', "\\\"");
        let _ = writeln!(text, "  n{} [label=\"{label}\"{style}];", node.0);
    }
    for edge in &part.edges {
        let style = if edge.confidence < 50 {
            ", style=dashed"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "  n{} -> n{} [label=\"{}\"{style}];",
            edge.from.0,
            edge.to.0,
            edge.kind.as_str()
        );
    }
    text.push_str("}\n");
    text
}

const ROW: i32 = 34;
const COLUMN: i32 = 300;
const WIDTH: i32 = 240;
const HEIGHT: i32 = 24;
const MARGIN: i32 = 20;

/// The neighbourhood as a picture: dependents on the left, dependencies on the right.
pub fn svg(snapshot: &Snapshot, part: &Neighbourhood) -> String {
    let first = part.nodes.first().map_or(0, |&(_, place)| place);
    let last = part.nodes.last().map_or(0, |&(_, place)| place);
    let mut rows: FxHashMap<i32, i32> = FxHashMap::default();
    let mut at: FxHashMap<NodeId, (i32, i32)> = FxHashMap::default();
    for &(node, place) in &part.nodes {
        let row = rows.entry(place).or_default();
        at.insert(
            node,
            (MARGIN + (place - first) * COLUMN, MARGIN + *row * ROW),
        );
        *row += 1;
    }
    let width = MARGIN * 2 + (last - first) * COLUMN + WIDTH;
    let height = MARGIN * 2 + rows.values().max().copied().unwrap_or(1) * ROW;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n"
    );
    for edge in &part.edges {
        let (Some(&(from_x, from_y)), Some(&(to_x, to_y))) = (at.get(&edge.from), at.get(&edge.to))
        else {
            continue;
        };
        let (x1, y1, x2, y2) = (from_x + WIDTH, from_y + HEIGHT / 2, to_x, to_y + HEIGHT / 2);
        let bend = ((x2 - x1).abs() / 2).max(30);
        let dash = if edge.confidence < 50 {
            " stroke-dasharray=\"4 3\""
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "<path d=\"M{x1} {y1} C{} {y1} {} {y2} {x2} {y2}\" fill=\"none\" stroke=\"{}\"{dash}><title>{}</title></path>",
            x1 + bend,
            x2 - bend,
            colour(edge.kind),
            edge.kind.as_str()
        );
    }
    for &(node, place) in &part.nodes {
        let (x, y) = at[&node];
        let fill = if place == 0 { "#fde68a" } else { "#f3f4f6" };
        let whole = escape(&label(snapshot, node));
        let shown = escape(&shorten(&label(snapshot, node)));
        let _ = writeln!(
            text,
            "<g><title>{whole}</title><rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"4\" fill=\"{fill}\" \
             stroke=\"#9ca3af\"/><text x=\"{}\" y=\"{}\">{shown}</text></g>",
            x + 6,
            y + 16
        );
    }
    text.push_str("</svg>\n");
    text
}

fn colour(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Imports | EdgeKind::Exports => "#9ca3af",
        EdgeKind::Calls | EdgeKind::EntryPointFor => "#2563eb",
        EdgeKind::Implements | EdgeKind::Extends => "#7c3aed",
        _ => "#059669",
    }
}

fn label(snapshot: &Snapshot, node: NodeId) -> String {
    if snapshot.is_file(node) {
        return snapshot.path(node).to_owned();
    }
    let file = snapshot.path(snapshot.file_of(node));
    format!(
        "{} · {}",
        qualified_name(snapshot, node),
        file.rsplit('/').next().unwrap_or(file)
    )
}

fn shorten(label: &str) -> String {
    const LONGEST: usize = 38;
    let count = label.chars().count();
    if count <= LONGEST {
        return label.to_owned();
    }
    std::iter::once('…')
        .chain(label.chars().skip(count - LONGEST + 1))
        .collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
