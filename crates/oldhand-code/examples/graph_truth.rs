//! Compares the graph of a tree with what a SCIP indexer found in it, as precision and recall.
//!
//! `graph_truth TREE TRUTH`: the truth is an index (`index.scip`), or lines of `{"sym", "def": [file, line], "refs": [[file,
//! line], …]}` after one that names the tree; either may be packed (`.gz`). Add `--show` to list the differences.

#![allow(
    clippy::disallowed_methods,
    reason = "reads the truth from a file that the caller names"
)]

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use oldhand_code::answer::step::is_override;
use oldhand_code::graph::EdgeKind;
use oldhand_code::index::{Index, Options};
use oldhand_code::read::Generated;
use oldhand_code::scip::{ScipIndex, ScipReference};
use oldhand_code::snapshot::{NodeId, Snapshot};
use oldhand_code::walk::Skip;

/// Edges that are guessed by name alone are not claims.
const CLAIMED: u8 = 50;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let tree = PathBuf::from(arguments.get(1).expect("a tree"));
    let truth = read(arguments.get(2).expect("a truth file"));
    let truth = match ScipIndex::decode(&truth) {
        Ok(index) => Truth::of_index(&index),
        Err(_) => Truth::read(&String::from_utf8(truth).expect("an index, or lines of JSON")),
    };
    let shows = arguments.iter().any(|argument| argument == "--show");
    let state = tempfile::tempdir().expect("a folder for the graph");
    let options = Options {
        threads: 2,
        max_bytes: 1 << 20,
        skip: Skip::Usual,
        generated: Generated::Read,
    };
    let (index, _) =
        Index::build(&tree, state.path(), &options, &mut |_| {}).expect("the tree can be indexed");
    let report = compare(index.snapshot(), &truth, shows);
    std::io::stdout()
        .write_all(report.as_bytes())
        .expect("output is open");
}

/// The bytes of a file, unpacked where its name says that it is packed.
fn read(path: &str) -> Vec<u8> {
    if Path::new(path).extension().is_none_or(|kind| kind != "gz") {
        return std::fs::read(path).expect("readable truth");
    }
    let unpacked = Command::new("gzip").args(["-dc", path]).output();
    let unpacked = unpacked.expect("gzip runs");
    assert!(unpacked.status.success(), "gzip cannot unpack {path}");
    unpacked.stdout
}

type Import = (String, String);
/// File and line of the reference, file and name of what it refers to.
type Reference = (String, u32, String, String);

#[derive(Default)]
struct Truth {
    files: HashSet<String>,
    /// Every word that is said to mean something, with its file and line.
    words: HashSet<(String, u32, String)>,
    imports: HashSet<Import>,
    references: BTreeMap<&'static str, HashSet<Reference>>,
}

impl Truth {
    /// An index says which name is meant where; modules and members are not told apart.
    fn of_index(index: &ScipIndex) -> Self {
        let mut truth = Self::default();
        for path in index.paths() {
            truth.files.insert(path.to_owned());
            let known = truth.references.entry("references").or_default();
            let references = index.references(path).unwrap_or_default().iter();
            for reference in references.filter(|reference| !names_module(reference)) {
                let word = (path.to_owned(), reference.line, reference.name.clone());
                truth.words.insert(word);
                if reference.path != path {
                    known.insert((
                        path.to_owned(),
                        reference.line,
                        reference.path.clone(),
                        reference.name.clone(),
                    ));
                }
            }
        }
        truth
    }

    fn read(text: &str) -> Self {
        let mut truth = Self::default();
        for line in text.lines().skip(1) {
            let value: serde_json::Value =
                serde_json::from_str(line).expect("one JSON object a line");
            let symbol = value["sym"].as_str().unwrap_or_default();
            let defined = value["def"][0].as_str().unwrap_or_default();
            truth.files.insert(defined.to_owned());
            let Some((_, descriptor)) = symbol.split_once("`/") else {
                continue;
            };
            for reference in value["refs"].as_array().into_iter().flatten() {
                let file = reference[0].as_str().unwrap_or_default();
                let line = reference[1].as_u64().unwrap_or_default() as u32;
                truth.files.insert(file.to_owned());
                if let Some((_, name)) = classify(descriptor) {
                    truth.words.insert((file.to_owned(), line, name));
                }
                if file == defined {
                    continue;
                }
                if descriptor.is_empty() {
                    truth.imports.insert((file.to_owned(), defined.to_owned()));
                } else if let Some((class, name)) = classify(descriptor) {
                    let known = truth.references.entry(class).or_default();
                    known.insert((file.to_owned(), line, defined.to_owned(), name));
                }
            }
        }
        truth
    }
}

/// Whether a reference names the module that a file is; those are edges between files.
fn names_module(reference: &ScipReference) -> bool {
    if let Some(path) = reference.path.strip_suffix(".rs") {
        let path = path.strip_suffix("/mod").unwrap_or(path);
        return reference.name == "crate" || path.rsplit('/').next() == Some(&reference.name);
    }
    reference.name == "__init__" && reference.defined_on <= 1
}

/// Whether a symbol stands at the top of its file or belongs to another, and its own name.
fn classify(descriptor: &str) -> Option<(&'static str, String)> {
    if descriptor.contains('\'') {
        return None;
    }
    let plain = descriptor
        .replace("<get>", "")
        .replace("<set>", "")
        .replace('`', "");
    let trimmed = plain
        .trim_end_matches(['.', '#', '/', ':'])
        .trim_end_matches("()");
    let class = if trimmed.contains(['#', '/', ':']) || trimmed.contains("().") {
        "members"
    } else {
        "top level"
    };
    let name = trimmed.rsplit(['#', '.', '/', ':']).next()?;
    // A parameter of a constructor that is a field as well.
    let name = name.trim_matches(['(', ')']).to_owned();
    Some((class, name))
}

fn compare(snapshot: &Snapshot, truth: &Truth, shows: bool) -> String {
    let mut imports = HashSet::new();
    let mut references: BTreeMap<&'static str, HashSet<Reference>> = BTreeMap::new();
    let path = |node: NodeId| snapshot.path(snapshot.file_of(node)).to_owned();
    for node in snapshot.files().chain(snapshot.symbols()) {
        for edge in snapshot.outgoing(node) {
            let (from, to) = (path(edge.from), path(edge.to));
            let known = truth.files.contains(&from) && truth.files.contains(&to);
            if from == to || edge.confidence < CLAIMED || !known || is_override(snapshot, &edge) {
                continue;
            }
            if snapshot.is_file(edge.to) {
                if edge.kind == EdgeKind::Imports {
                    imports.insert((from, to));
                }
                continue;
            }
            let symbol = snapshot.symbol(edge.to);
            let is_inside = symbol
                .container
                .is_some_and(|container| snapshot.symbol(container).name != "global");
            let is_member = is_inside || !symbol.owner.is_empty();
            let class = match (truth.references.contains_key("references"), is_member) {
                (true, _) => "references",
                (false, true) => "members",
                (false, false) => "top level",
            };
            for line in snapshot.lines(edge.id) {
                let known = references.entry(class).or_default();
                known.insert((from.clone(), line, to.clone(), symbol.name.to_owned()));
            }
        }
    }
    let mut report = String::new();
    tell(&mut report, "import edges", &imports, &truth.imports, shows);
    for (class, expected) in &truth.references {
        let found = references.remove(class).unwrap_or_default();
        tell(&mut report, class, &found, expected, shows);
        let wrong = found.difference(expected);
        let silent = wrong.filter(|(file, line, _, name)| {
            let word = (file.clone(), *line, name.clone());
            !truth.words.contains(&word)
        });
        let (silent, right) = (silent.count(), found.intersection(expected).count());
        writeln!(
            report,
            "  of the wrong ones {silent} are words of which the indexer says nothing; without them precision {:.4}",
            right as f64 / (found.len() - silent).max(1) as f64
        )
        .expect("a string takes all");
    }
    report
}

fn tell<T: std::hash::Hash + Eq + Ord + std::fmt::Debug>(
    report: &mut String,
    what: &str,
    found: &HashSet<T>,
    expected: &HashSet<T>,
    shows: bool,
) {
    let right = found.intersection(expected).count();
    let precision = right as f64 / found.len().max(1) as f64;
    let recall = right as f64 / expected.len().max(1) as f64;
    writeln!(
        report,
        "{what}: precision {precision:.4} recall {recall:.4} ({} found, {} true)",
        found.len(),
        expected.len()
    )
    .expect("a string takes all");
    if shows {
        for (label, one, other) in [("wrong", found, expected), ("missed", expected, found)] {
            let mut rest: Vec<&T> = one.difference(other).collect();
            rest.sort();
            for item in rest {
                writeln!(report, "  {label} {item:?}").expect("a string takes all");
            }
        }
    }
}
