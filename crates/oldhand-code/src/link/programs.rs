//! Small programs in `programs`, one way of calling each, in which every line says what it calls.
//!
//! `#> name` or `//> name` ends a line that calls `name` or makes one, and a line without calls nothing that the program
//! defines. `!name` is called too, but to find it values would have to be followed; when it is found after all, the mark
//! has to go.

use std::collections::BTreeSet;

use crate::graph::EdgeKind;
use crate::snapshot::Snapshot;
use crate::testing::{label, snapshot, split};

const PROGRAMS: [(&str, &str); 4] = [
    ("go", include_str!("../../programs/go.txt")),
    ("python", include_str!("../../programs/python.txt")),
    ("rust", include_str!("../../programs/rust.txt")),
    ("typescript", include_str!("../../programs/typescript.txt")),
];

/// Edges below this are guesses by name.
const CLAIMED: u8 = 50;

#[test]
fn every_call_of_the_small_programs_is_found_and_no_other() {
    let mut differences = Vec::new();
    let mut calls = 0;
    for (language, text) in PROGRAMS {
        for program in text.split("=== ").skip(1) {
            let (title, fixture) = program.split_once('\n').expect("a title, then files");
            let graph = snapshot(fixture);
            for (path, text) in split(fixture) {
                for (number, line) in text.lines().enumerate() {
                    let marks = line
                        .rsplit_once("> ")
                        .filter(|(code, _)| code.ends_with(['#', '/']))
                        .map_or("", |(_, marks)| marks);
                    let said: BTreeSet<&str> = marks
                        .split(' ')
                        .filter(|name| !name.is_empty() && !name.starts_with('!'))
                        .collect();
                    let found = called_on(&graph, &path, number as u32 + 1);
                    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
                    calls += said.len();
                    if said != found {
                        differences.push(format!(
                            "{language}, {title}, {path}: `{}` calls {said:?}, found {found:?}",
                            line.trim()
                        ));
                    }
                }
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(calls > 100, "the marks were not found");
}

fn called_on(graph: &Snapshot, path: &str, line: u32) -> Vec<String> {
    let mut called = Vec::new();
    for node in graph.files().chain(graph.symbols()) {
        if graph.path(graph.file_of(node)) != path {
            continue;
        }
        for edge in graph.outgoing(node) {
            let calls = edge.kind == EdgeKind::Calls && edge.confidence >= CLAIMED;
            if calls && graph.lines(edge.id).any(|at| at == line) {
                let name = label(graph, edge.to);
                called.push(
                    name.split_once(':')
                        .map_or(name.clone(), |(_, name)| name.to_owned()),
                );
            }
        }
    }
    called
}
