//! The words of all names, and of what is said about them, by their hashes: what may answer a question is found without looking at each name.
//!
//! It is for who asks again and again: making it takes longer than one look at every name.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::{Asked, Match, best, words};
use crate::snapshot::{NodeId, Snapshot};

/// The words of one snapshot's names.
pub struct Names {
    /// Hashes of words and the files and definitions that are called so, or lie there, in order.
    called: Vec<(u32, NodeId)>,
    /// The same of what is said about them.
    said: Vec<(u32, NodeId)>,
}

impl Names {
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut names = Self {
            called: Vec::new(),
            said: Vec::new(),
        };
        let mut own: Vec<u32> = Vec::new();
        let mut add = |text: &str, node: NodeId, to: &mut Vec<(u32, NodeId)>| {
            own.clear();
            own.extend(words(text).map(|word| hash(&word)));
            own.sort_unstable();
            own.dedup();
            to.extend(own.iter().map(|word| (*word, node)));
        };
        for node in snapshot.files().chain(snapshot.symbols()) {
            add(snapshot.name(node), node, &mut names.called);
            add(snapshot.doc(node), node, &mut names.said);
        }
        names.called.sort_unstable();
        names.said.sort_unstable();
        names.called.shrink_to_fit();
        names.said.shrink_to_fit();
        names
    }

    /// As [`super::find`] of the same snapshot.
    pub fn find(&self, snapshot: &Snapshot, question: &str, limit: usize) -> Vec<Match> {
        let Some(asked) = Asked::of(question) else {
            return Vec::new();
        };
        // One name may be another in another case, or its beginning, and share none of its words.
        if asked.words.len() < 2 || !asked.question.contains(char::is_whitespace) {
            return super::find(snapshot, question, limit);
        }
        // How many of the words are said about each; who is called by one of them has them all.
        let count = asked.words.len();
        let mut met = vec![0_u8; snapshot.node_count()];
        for word in asked.words.iter() {
            let word = hash(word);
            for (_, node) in with(&self.said, word) {
                met[node.0 as usize] = met[node.0 as usize].saturating_add(1);
            }
            for (_, node) in with(&self.called, word) {
                met[node.0 as usize] = u8::MAX;
            }
        }
        let is_met = |(_, met): &(u32, u8)| 2 * usize::from(*met) >= count;
        let nodes = (0..).zip(met).filter(is_met).map(|(node, _)| NodeId(node));
        best(snapshot, &asked, nodes, limit)
    }
}

fn with(all: &[(u32, NodeId)], word: u32) -> &[(u32, NodeId)] {
    let from = all.partition_point(|(other, _)| *other < word);
    let length = all[from..].partition_point(|(other, _)| *other == word);
    &all[from..from + length]
}

fn hash(word: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(word.as_bytes());
    (hasher.finish() >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;
    use crate::testing::snapshot;

    #[test]
    fn with_all_words_at_hand_the_same_is_found() {
        let graph = snapshot(
            "//- src/read_config.ts\n// Reads what is configured.\nexport function parseFile() {}\nexport function parse() {}\n//- src/draw.ts\n// Draws a file as a picture of lines.\nexport class Picture { draw() {} readFile() {} }\n//- src/net.ts\nexport function readfile() {}\nexport function gethostbyname() {}\n",
        );
        let names = Names::of(&graph);
        for question in [
            "parse",
            "pars",
            "read the file",
            "draws a picture",
            "parseFile",
            "src/draw.ts",
            "config reads nothing else whatever",
            "readFile",
            "getHost",
            "the",
            "",
        ] {
            for limit in [0, 1, 3, 100] {
                assert_eq!(
                    names.find(&graph, question, limit),
                    find(&graph, question, limit),
                    "{question}"
                );
            }
        }
    }
}
