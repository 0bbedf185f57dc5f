//! Both matchers, this one and tree-sitter's own, find the same in the same trees.

use std::collections::HashMap;

use tree_sitter::{Parser, QueryCursor, StreamingIterator, Tree};

use super::{Finder, Query};
use crate::language::{LanguageId, language_of, languages};

/// A language's query as both matchers hold it.
struct Both {
    parser: Parser,
    ours: Query,
    theirs: tree_sitter::Query,
}

impl Both {
    fn new(language: LanguageId) -> Self {
        let language = language.get().expect("a language of the table");
        let grammar = oldhand_grammars::grammar(language.grammar()).expect("a grammar");
        let mut parser = Parser::new();
        parser.set_language(&grammar).expect("a known version");
        Self {
            parser,
            ours: Query::new(&grammar, &language.query_text()).expect("a query"),
            theirs: tree_sitter::Query::new(&grammar, &language.query_text()).expect("a query"),
        }
    }

    fn assert_same(&mut self, path: &str, text: &str) {
        let tree = self.parser.parse(text, None).expect("no limit is set");
        let (ours, theirs) = (self.ours(&tree, text), self.theirs(&tree, text));
        let only = |one: &[String], other: &[String]| {
            let mut only = one
                .iter()
                .filter(|found| other.binary_search(found).is_err());
            only.next().cloned()
        };
        assert_eq!(only(&ours, &theirs), None, "{path}: only ours");
        assert_eq!(only(&theirs, &ours), None, "{path}: only theirs");
        assert_eq!(ours.len(), theirs.len(), "{path}: how often");
    }

    /// Every match as text: the pattern, then each capture with its place.
    fn ours(&self, tree: &Tree, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let is_whole = Finder::default().find(&self.ours, tree, text, |pattern, captures| {
            let captures = captures.iter().map(|capture| {
                let name = self.ours.captures[usize::from(capture.index)].clone();
                (name, capture.span.bytes().start, capture.span.bytes().end)
            });
            found.push(show(pattern, captures.collect()));
        });
        assert!(is_whole, "within bounds");
        found.sort();
        found
    }

    fn theirs(&self, tree: &Tree, text: &str) -> Vec<String> {
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(&self.theirs, tree.root_node(), text.as_bytes());
        let mut found = Vec::new();
        while let Some(one) = matches.next() {
            let captures: Vec<(String, usize, usize)> = one
                .captures()
                .iter()
                .map(|capture| {
                    let name = self.theirs.capture_names()[capture.index as usize].to_owned();
                    (name, capture.node.start_byte(), capture.node.end_byte())
                })
                .collect();
            // Questions that only this project knows are not asked there.
            let mut questions = self.ours.patterns[one.pattern_index].questions.iter();
            let accepted = questions.all(|question| {
                let asked = &self.ours.captures[usize::from(question.capture)];
                let mut asked = captures.iter().filter(|(name, _, _)| name == asked);
                asked.all(|(_, start, end)| question.holds(&text[*start..*end]))
            });
            if accepted {
                found.push(show(one.pattern_index, captures));
            }
        }
        found.sort();
        found
    }
}

fn show(pattern: usize, mut captures: Vec<(String, usize, usize)>) -> String {
    captures.sort();
    format!("{pattern:3} {captures:?}")
}

/// The trees of all fixtures, which are written for every rule of every language.
const FIXTURES: [&str; 7] = [
    include_str!("../resolve/fixtures.rs"),
    include_str!("../resolve/typescript/fixtures.rs"),
    include_str!("../resolve/python/fixtures.rs"),
    include_str!("../resolve/rust/fixtures.rs"),
    include_str!("../resolve/go/fixtures.rs"),
    include_str!("../answer/fixtures.rs"),
    include_str!("../index/fixtures.rs"),
];

#[test]
fn both_matchers_find_the_same_in_every_fixture() {
    let mut tried: HashMap<LanguageId, Both> = HashMap::new();
    for file in FIXTURES {
        // What follows the last file of a tree is code of the test: text that does not parse, which is wanted too.
        for part in file.split("//- ").skip(1) {
            let Some((path, text)) = part.split_once('\n') else {
                continue;
            };
            if let Some(language) = language_of(path) {
                let both = tried.entry(language).or_insert_with(|| Both::new(language));
                both.assert_same(path, text);
            }
        }
    }
    let without: Vec<&str> = (0..languages().len())
        .map(|at| LanguageId(at as u8))
        .filter(|language| !tried.contains_key(language))
        .map(LanguageId::name)
        .collect();
    assert!(without.is_empty(), "no fixture of {without:?}");
    let rust = language_of("a.rs").expect("known");
    let both = tried.get_mut(&rust).expect("tried above");
    both.assert_same("find.rs", include_str!("find.rs"));
    both.assert_same("read.rs", include_str!("read.rs"));
}

#[test]
fn what_cannot_be_asked_is_named() {
    let grammar = oldhand_grammars::grammar("rust").expect("a grammar");
    let refused = |text: &str| Query::new(&grammar, text).err().unwrap_or_default();
    assert_eq!(
        refused("(nothing_item) @scope"),
        "unknown kind of node nothing_item"
    );
    assert_eq!(
        refused("(block nothing: (_)) @scope"),
        "unknown field nothing"
    );
    assert_eq!(
        refused("((block) @scope (#match? @scope \"a\"))"),
        "unknown question #match"
    );
    assert_eq!(refused("(_) @scope"), "a pattern starts with any node");
    assert_eq!(refused("(block"), "the file ends inside a pattern");
}
