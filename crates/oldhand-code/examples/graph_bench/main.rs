//! Measures the graph: against bare parsing of the same files, after one edit, after a switch of branches, on a made-up graph
//! of a million nodes, and in memory.
//!
//! `graph_bench [--lines N] TREE…` changes nothing in the trees: it works in a copy. With `--lines` the first tree is copied
//! until it has that many lines, and the memory that indexing the whole takes is told. `graph_bench --pieces TREE` tells only how many pieces of code a tree has. Budgets: cold index at most 1.6
//! times bare parsing with the same threads, one edit at most 100 ms on 500 k lines, opening at most 1 ms, impact of depth 3
//! at most 5 ms at the 99th percentile, memory at most 1 GB at 5 M lines.

#![allow(
    clippy::disallowed_methods,
    reason = "a bench looks at the clock and writes to a temporary folder"
)]

mod clock;
mod large;
mod made_up;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clock::{Took, best, ratio};
use oldhand_code::extract::Extractor;
use oldhand_code::index::{Index, Options};
use oldhand_code::read::Generated;
use oldhand_code::snapshot::{NodeId, Snapshot};
use oldhand_code::walk::{Skip, walk};

type Anything<T> = Result<T, Box<dyn std::error::Error>>;

/// The goals name two.
const THREADS: usize = 2;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut lines = None;
    if let Some(at) = arguments.iter().position(|argument| argument == "--lines") {
        let given = arguments
            .drain(at..at + 2)
            .nth(1)
            .expect("a number of lines");
        lines = Some(given.parse().expect("a number of lines"));
    }
    if arguments
        .first()
        .is_some_and(|first| first == "--only-index")
    {
        large::index(Path::new(&arguments[1])).expect("the tree can be indexed");
        return;
    }
    let mut report = String::new();
    match &arguments[..] {
        [first, tree] if first == "--pieces" => {
            let pieces = pieces(Path::new(tree)).expect("the tree can be indexed");
            report = format!("{pieces}\n");
        }
        trees => measure(trees, lines, &mut report).expect("the trees can be measured"),
    }
    std::io::stdout()
        .write_all(report.as_bytes())
        .expect("output is open");
}

fn pieces(tree: &Path) -> Anything<usize> {
    let state = tempfile::tempdir()?;
    let (index, _) = Index::build(tree, state.path(), &options(), &mut |_| {})?;
    Ok(index.chunks().count())
}

fn measure(trees: &[String], lines: Option<u64>, report: &mut String) -> Anything<()> {
    writeln!(
        report,
        "{THREADS} threads; times are the best wall time with the mean processor time in brackets; ratios are told in both.\n"
    )?;
    for tree in trees {
        real(Path::new(tree), report)?;
    }
    made_up::made_up(report)?;
    if let (Some(lines), Some(tree)) = (lines, trees.first()) {
        large::measure(Path::new(tree), lines, report)?;
    }
    Ok(())
}

fn options() -> Options {
    Options {
        threads: THREADS,
        max_bytes: 1 << 20,
        skip: Skip::Usual,
        generated: Generated::Skip,
    }
}

fn real(tree: &Path, report: &mut String) -> Anything<()> {
    let copy = tempfile::tempdir()?;
    copy_tree(tree, copy.path())?;
    let state = tempfile::tempdir()?;
    // Queries are compiled once per process; that is start-up, not indexing, and told apart.
    let compile = best(1, || {
        let start = Instant::now();
        warm_up(copy.path())?;
        Ok(start.elapsed())
    })?;
    let bare = best(5, || Ok(each_file(copy.path(), Doing::Parsing)))?;
    let extract = best(5, || Ok(each_file(copy.path(), Doing::Extracting)))?;
    let cold = best(5, || {
        fs::remove_dir_all(state.path())?;
        let start = Instant::now();
        Index::build(copy.path(), state.path(), &options(), &mut |_| {})?;
        Ok(start.elapsed())
    })?;
    let warm = best(3, || {
        let start = Instant::now();
        Index::build(copy.path(), state.path(), &options(), &mut |_| {})?;
        Ok(start.elapsed())
    })?;
    let (mut index, _) = Index::build(copy.path(), state.path(), &options(), &mut |_| {})?;
    let snapshot = index.snapshot();
    let lines: u32 = snapshot.files().map(|file| snapshot.file(file).lines).sum();
    let name = tree.file_name().unwrap_or(tree.as_os_str());
    writeln!(
        report,
        "{}: {} files, {lines} lines, {} definitions, {} edges\n",
        name.to_string_lossy(),
        snapshot.file_count(),
        snapshot.symbol_count(),
        snapshot.edge_count()
    )?;
    writeln!(
        report,
        "| what | time | against bare parsing |\n| --- | --- | --- |"
    )?;
    let mut row = |what: &str, took: &Took, against: &str| {
        writeln!(report, "| {what} | {took} | {against} |")
    };
    row("bare parsing", &bare, "1")?;
    row("extracting", &extract, &ratio(&extract, &bare))?;
    row("cold index, goal 1.6", &cold, &ratio(&cold, &bare))?;
    row("index, every file cached", &warm, &ratio(&warm, &bare))?;
    row(
        "compiling queries and a first file of each language, once per process",
        &compile,
        "",
    )?;
    let open = best(20, || {
        let start = Instant::now();
        let opened = Index::open(copy.path(), state.path(), &options()).ok_or("no index")?;
        let took = start.elapsed();
        drop(opened);
        Ok(took)
    })?;
    row("opening the snapshot, goal 1 ms", &open, "")?;
    let quiet = best(10, || {
        let start = Instant::now();
        index.refresh(&mut |_| {})?;
        Ok(start.elapsed())
    })?;
    row("refresh without a change", &quiet, "")?;
    let victim = most_used(index.snapshot()).ok_or("no file")?;
    let path = copy.path().join(index.snapshot().path(victim));
    let mut turn = 0;
    let edit = best(10, || {
        turn += 1;
        let mut text = fs::read_to_string(&path)?;
        writeln!(text, "\nexport function freshlyMade{turn}() {{}}")?;
        fs::write(&path, text)?;
        let start = Instant::now();
        index.refresh(&mut |_| {})?;
        Ok(start.elapsed())
    })?;
    row(
        "refresh after an edit of the most used file, goal 100 ms",
        &edit,
        "",
    )?;
    for share in [20, 5] {
        let (there, back, count) = switch(&mut index, copy.path(), share)?;
        row(
            &format!("switch to a branch with {count} other files"),
            &there,
            "",
        )?;
        row(&format!("and back, those {count} files cached"), &back, "")?;
    }
    writeln!(report)?;
    Ok(())
}

/// Changes every file whose number divides by `share`, refreshes, and changes them back.
fn switch(index: &mut Index, root: &Path, share: usize) -> Anything<(Took, Took, usize)> {
    let snapshot = index.snapshot();
    let source = snapshot
        .files()
        .filter(|&file| snapshot.file(file).language.get().is_some());
    let paths: Vec<_> = source
        .step_by(share)
        .map(|file| root.join(snapshot.path(file)))
        .collect();
    let old: Vec<Vec<u8>> = paths.iter().map(fs::read).collect::<Result<_, _>>()?;
    let there = best(1, || {
        for (path, text) in paths.iter().zip(&old) {
            fs::write(path, [text.as_slice(), b"\n\n"].concat())?;
        }
        let start = Instant::now();
        index.refresh(&mut |_| {})?;
        Ok(start.elapsed())
    })?;
    let back = best(1, || {
        for (path, text) in paths.iter().zip(&old) {
            fs::write(path, text)?;
        }
        let start = Instant::now();
        index.refresh(&mut |_| {})?;
        Ok(start.elapsed())
    })?;
    Ok((there, back, paths.len()))
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
fn each_file(tree: &Path, doing: Doing) -> Duration {
    let seen = walk(tree, &Skip::Usual, THREADS, &mut Vec::new());
    let start = Instant::now();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
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

fn warm_up(tree: &Path) -> Anything<()> {
    let small = tempfile::tempdir()?;
    let state = tempfile::tempdir()?;
    let mut known = std::collections::HashSet::new();
    for file in walk(tree, &Skip::Usual, THREADS, &mut Vec::new()) {
        if file.language().get().is_some() && known.insert(file.language()) {
            let name = file.path.rsplit('/').next().unwrap_or("a").to_owned();
            fs::copy(tree.join(&file.path), small.path().join(name))?;
        }
    }
    Index::build(small.path(), state.path(), &options(), &mut |_| {})?;
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
