//! A graph of a million nodes in which few are used by very many.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use oldhand_code::answer::impact::{Bounds, Direction, impact};
use oldhand_code::facts::{Definition, FileFacts, NamesBuilder, SymbolKind, Visibility};
use oldhand_code::graph::{EdgeKind, End, Link, Origin};
use oldhand_code::language::LanguageId;
use oldhand_code::link::Linked;
use oldhand_code::project::FileId;
use oldhand_code::snapshot::draft::{Draft, FileMeta};
use oldhand_code::snapshot::{NodeId, Snapshot};

use super::clock::busy_here;

pub(super) fn made_up(report: &mut String) -> std::fmt::Result {
    const FILES: u32 = 20_000;
    const EACH: u32 = 49;
    const EDGES: u32 = 5;
    let start = Instant::now();
    let bytes = draft(FILES, EACH, EDGES);
    let made = start.elapsed();
    let snapshot = Snapshot::from_bytes(bytes).expect("just made");
    writeln!(
        report,
        "made up: {} nodes, {} edges, written in {made:.1?}",
        snapshot.node_count(),
        snapshot.edge_count()
    )?;
    let bounds = Bounds {
        depth: 3,
        nodes: 500,
        confidence: 0,
    };
    let mut times: Vec<Duration> = Vec::new();
    let mut number = Numbers(7);
    for _ in 0..4_000 {
        let node = NodeId(FILES + number.below(FILES * EACH));
        let start = busy_here();
        let answer = impact(&snapshot, &[node], Direction::Dependents, bounds);
        times.push(busy_here().saturating_sub(start));
        assert!(answer.reached.len() <= bounds.nodes, "bounded");
    }
    times.sort_unstable();
    let hub = (0..snapshot.node_count() as u32)
        .map(NodeId)
        .max_by_key(|&node| snapshot.incoming_count(node));
    let hub = hub.expect("there are nodes");
    let start = busy_here();
    let answer = impact(&snapshot, &[hub], Direction::Dependents, bounds);
    let at_hub = busy_here().saturating_sub(start);
    writeln!(
        report,
        "impact of depth 3, busy: p50 {:.1?}, p99 {:.1?}; hub with {} users {at_hub:.1?}, cut {}",
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        snapshot.incoming_count(hub),
        answer.is_cut
    )
}

/// A graph in which few nodes are used by very many, as in real code.
fn draft(files: u32, each: u32, edges: u32) -> Vec<u8> {
    let mut names = NamesBuilder::default();
    let definitions: Vec<Definition> = (0..each)
        .map(|at| {
            let name = names.add(&format!("name{at}"));
            Definition {
                kind: SymbolKind::Function,
                name,
                container: None,
                owner: None,
                visibility: Visibility::Public,
                signature: name,
                doc: None,
                value_type: None,
                parameters: None,
                first_line: at * 10 + 1,
                last_line: at * 10 + 9,
                body: 0,
            }
        })
        .collect();
    let facts = FileFacts {
        names: names.finish(),
        lines: each * 10,
        definitions,
        ..FileFacts::default()
    };
    let mut number = Numbers(1);
    let mut draft = Draft::new((0..files).map(|_| each), None);
    for file in 0..files {
        let mut linked = Linked::default();
        for from in 0..each {
            for _ in 0..edges {
                // Squaring a fraction makes low numbers common.
                let share = f64::from(number.below(1 << 20)) / f64::from(1 << 20);
                let to = (share.powi(3) * f64::from(files * each - 1)) as u32;
                let to = End {
                    file: FileId(to / each),
                    definition: Some(to % each),
                };
                linked.links.push(Link {
                    from: Some(from),
                    to,
                    kind: EdgeKind::Calls,
                    origin: Origin::Ast,
                    confidence: 98,
                    line: from * 10 + 2,
                });
            }
        }
        linked.links.sort_unstable();
        let meta = FileMeta {
            path: format!("{file:06}.ts"),
            language: LanguageId(0),
            modified: 0,
            size: 0,
            hash: [0; 32],
        };
        draft.add(&meta, &facts, &linked);
    }
    draft.finish(None)
}

/// Numbers that are the same at every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}
