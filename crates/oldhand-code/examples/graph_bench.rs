//! Measures the graph: against bare parsing of the same files, after one edit, and on a made-up graph of a million nodes.
//!
//! `graph_bench TREE [THREADS]` copies nothing and changes one file of a copy in a temporary folder. Budgets: cold index at most
//! 1.6 times bare parsing with the same threads, one edit at most 100 ms on 500 k lines, opening at most 1 ms, impact of depth 3
//! at most 5 ms at the 99th percentile.

#![allow(
    clippy::disallowed_methods,
    reason = "a bench looks at the clock and writes to a temporary folder"
)]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use oldhand_code::answer::impact::{Bounds, Direction, impact};
use oldhand_code::extract::Extractor;
use oldhand_code::facts::{Definition, FileFacts, NamesBuilder, SymbolKind, Visibility};
use oldhand_code::graph::{EdgeKind, End, Link, Origin};
use oldhand_code::index::{Index, Options};
use oldhand_code::language::LanguageId;
use oldhand_code::link::Linked;
use oldhand_code::project::FileId;
use oldhand_code::read::Generated;
use oldhand_code::snapshot::draft::{Draft, FileMeta};
use oldhand_code::snapshot::{NodeId, Snapshot};
use oldhand_code::walk::{Skip, walk};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let tree = PathBuf::from(arguments.next().expect("a tree"));
    let threads = arguments
        .next()
        .map_or(2, |count| count.parse().expect("a number of threads"));
    let mut report = String::new();
    real(&tree, threads, &mut report).expect("the tree can be measured");
    made_up(&mut report).expect("text can be written");
    std::io::stdout()
        .write_all(report.as_bytes())
        .expect("output is open");
}

fn options(threads: usize) -> Options {
    Options {
        threads,
        max_bytes: 1 << 20,
        skip: Skip::Usual,
        generated: Generated::Skip,
    }
}

fn real(
    tree: &Path,
    threads: usize,
    report: &mut String,
) -> Result<(), Box<dyn std::error::Error>> {
    let copy = tempfile::tempdir()?;
    copy_tree(tree, copy.path())?;
    let state = tempfile::tempdir()?;
    let options = options(threads);
    // Queries are compiled once per process; that is start-up, not indexing, and told apart.
    let compile = best(1, || {
        let start = Instant::now();
        warm_up(copy.path(), threads)?;
        Ok(start.elapsed())
    })?;
    let bare = best(3, || Ok(each_file(copy.path(), threads, Doing::Parsing)))?;
    let extract = best(3, || Ok(each_file(copy.path(), threads, Doing::Extracting)))?;
    let cold = best(3, || {
        fs::remove_dir_all(state.path())?;
        let start = Instant::now();
        Index::build(copy.path(), state.path(), &options, &mut |_| {})?;
        Ok(start.elapsed())
    })?;
    let warm = best(3, || {
        let start = Instant::now();
        Index::build(copy.path(), state.path(), &options, &mut |_| {})?;
        Ok(start.elapsed())
    })?;
    let (mut index, _) = Index::build(copy.path(), state.path(), &options, &mut |_| {})?;
    let lines: u32 = index
        .snapshot()
        .files()
        .map(|file| index.snapshot().file(file).lines)
        .sum();
    let snapshot = index.snapshot();
    writeln!(
        report,
        "tree: {} files, {lines} lines, {} definitions, {} edges",
        snapshot.file_count(),
        snapshot.symbol_count(),
        snapshot.edge_count()
    )?;
    writeln!(report, "compiling queries, once per process: {compile}")?;
    writeln!(
        report,
        "bare parsing {bare}, cold index {cold}: {}",
        ratio(&cold, &bare)
    )?;
    writeln!(
        report,
        "of which extracting alone {extract}: {}",
        ratio(&extract, &bare)
    )?;
    writeln!(
        report,
        "index with every file cached {warm}: {}",
        ratio(&warm, &bare)
    )?;
    let open = best(20, || {
        let start = Instant::now();
        let opened = Index::open(copy.path(), state.path(), &options).ok_or("no index")?;
        let took = start.elapsed();
        drop(opened);
        Ok(took)
    })?;
    writeln!(report, "opening {open}")?;
    let quiet = best(10, || {
        let start = Instant::now();
        index.refresh(&mut |_| {})?;
        Ok(start.elapsed())
    })?;
    writeln!(report, "refresh without a change {quiet}")?;
    for (what, addition) in [
        ("a comment", "\n// edited\n"),
        ("a new function", "\nexport function freshlyMade() {}\n"),
    ] {
        let victim = most_used(index.snapshot()).ok_or("no file")?;
        let path = copy.path().join(index.snapshot().path(victim));
        let mut linked = 0;
        let mut turn = 0;
        let took = best(10, || {
            turn += 1;
            let mut text = fs::read_to_string(&path)?;
            text.push_str(&addition.replace("freshlyMade", &format!("freshlyMade{turn}")));
            fs::write(&path, text)?;
            let start = Instant::now();
            linked = index.refresh(&mut |_| {})?.linked;
            Ok(start.elapsed())
        })?;
        writeln!(
            report,
            "refresh after {what} in the most used file {took}, {linked} files linked"
        )?;
    }
    Ok(())
}

fn made_up(report: &mut String) -> std::fmt::Result {
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

fn most_used(snapshot: &Snapshot) -> Option<NodeId> {
    let source = snapshot
        .files()
        .filter(|&file| snapshot.file(file).language.get().is_some());
    source.max_by_key(|&file| {
        let parts = std::iter::once(file).chain(snapshot.symbols_in(file));
        parts
            .map(|part| snapshot.incoming_count(part))
            .sum::<usize>()
    })
}

/// What is done with each file that the index would read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    Parsing,
    Extracting,
}

/// Reads every file that the index would, and drops what it gave.
fn each_file(tree: &Path, threads: usize, doing: Doing) -> Duration {
    let seen = walk(tree, &Skip::Usual, threads, &mut Vec::new());
    let start = Instant::now();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut parser = tree_sitter::Parser::new();
                let mut extractor = Extractor::default();
                while let Some(file) = seen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(language) = file.language().get().filter(|_| file.size <= 1 << 20)
                    else {
                        continue;
                    };
                    let Ok(text) = fs::read_to_string(tree.join(&file.path)) else {
                        continue;
                    };
                    if doing == Doing::Extracting {
                        std::hint::black_box(extractor.extract(language, &text).is_ok());
                    } else if let Some(grammar) = oldhand_grammars::grammar(language.grammar())
                        && parser.set_language(&grammar).is_ok()
                    {
                        std::hint::black_box(parser.parse(&text, None));
                    }
                }
            });
        }
    });
    start.elapsed()
}

fn warm_up(tree: &Path, threads: usize) -> Result<(), Box<dyn std::error::Error>> {
    let small = tempfile::tempdir()?;
    let state = tempfile::tempdir()?;
    let mut known = std::collections::HashSet::new();
    for file in walk(tree, &Skip::Usual, threads, &mut Vec::new()) {
        if file.language().get().is_some() && known.insert(file.language()) {
            let name = file.path.rsplit('/').next().unwrap_or("a").to_owned();
            fs::copy(tree.join(&file.path), small.path().join(name))?;
        }
    }
    Index::build(small.path(), state.path(), &options(threads), &mut |_| {})?;
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    for file in walk(from, &Skip::Usual, 1, &mut Vec::new()) {
        let target = to.join(&file.path);
        fs::create_dir_all(target.parent().unwrap_or(to))?;
        fs::copy(from.join(&file.path), target)?;
    }
    Ok(())
}

fn best(
    times: u32,
    mut run: impl FnMut() -> Result<Duration, Box<dyn std::error::Error>>,
) -> Result<Took, Box<dyn std::error::Error>> {
    let start = busy();
    let mut wall = run()?;
    for _ in 1..times {
        wall = wall.min(run()?);
    }
    Ok(Took {
        wall,
        busy: busy().saturating_sub(start) / times,
    })
}

/// Time that all threads of this process, also those that ended, spent on a processor: a busy machine does not distort it.
fn busy() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|field| field.parse::<u64>().ok())
            .unwrap_or(0)
    };
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

/// Time that this thread spent on a processor.
fn busy_here() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split(' ').next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Wall time of the best run, and processor time of the average one.
struct Took {
    wall: Duration,
    busy: Duration,
}

impl std::fmt::Display for Took {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.1?} ({:.1?} busy)", self.wall, self.busy)
    }
}

fn ratio(one: &Took, other: &Took) -> String {
    let share = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64().max(1e-9);
    format!(
        "{:.2} times ({:.2} busy)",
        share(one.wall, other.wall),
        share(one.busy, other.busy)
    )
}
