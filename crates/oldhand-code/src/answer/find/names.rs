//! The words of all names, and of what is said about them, by their hashes: what may answer a question is found without looking at each name.
//!
//! How many words of a question a name has tells what it is worth at most; only names that may be among the best are looked at.
//!
//! It is for who asks again and again: making it takes longer than one look at every name.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::wanted::each_plain_word;
use super::{
    Asked, Best, FEW_IN_NAME, IN_DOC, IN_NAME, IN_PATH, Match, is_much_of_doc, is_much_of_name,
    short, standing, words,
};
use crate::question::MOST_WORDS;
use crate::snapshot::{NodeId, Snapshot};

/// Names are in order by so many of their first bytes.
const LETTERS: usize = 4;
/// Instead of a number of words: whatever words it has, it has to be looked at.
const ANYHOW: u8 = u8::MAX;
const _: () = assert!(MOST_WORDS < ANYHOW as usize, "words are counted in a byte");

/// The words of one snapshot's names.
pub struct Names {
    /// Words and the files and definitions that are called so, or lie there.
    called: Words,
    /// The same of what is said about them.
    said: Words,
    /// What each gains by its standing.
    standing: Box<[f32]>,
    /// All of them by their first letters, in lower case.
    by_letters: Box<[NodeId]>,
}

impl Names {
    pub fn of(snapshot: &Snapshot) -> Self {
        let all = || snapshot.files().chain(snapshot.symbols());
        let mut by_letters: Vec<(u32, NodeId)> = all()
            .map(|node| (u32::from_be_bytes(letters(short(snapshot, node))), node))
            .collect();
        by_letters.sort_unstable();
        Self {
            called: Words::of(all().map(|node| (snapshot.name(node), node))),
            said: Words::of(all().map(|node| (snapshot.doc(node), node))),
            standing: all().map(|node| standing(snapshot, node)).collect(),
            by_letters: by_letters.into_iter().map(|(_, node)| node).collect(),
        }
    }

    /// As [`super::find`] of the same snapshot.
    pub fn find(&self, snapshot: &Snapshot, question: &str, limit: usize) -> Vec<Match> {
        let Some(asked) = Asked::of(question) else {
            return Vec::new();
        };
        let mut best = Best::new(snapshot, &asked, limit);
        // How many of the words each is called by, and how many are said about it.
        let mut met = vec![[0_u8; 2]; snapshot.node_count()];
        for (place, words) in [&self.called, &self.said].into_iter().enumerate() {
            for word in asked.words.iter() {
                for node in words.with(word) {
                    met[node.0 as usize][place] += 1;
                }
            }
        }
        // One name may be another in another case, or its beginning, and share none of its words.
        let begun = self.beginning(snapshot, &asked.lower);
        let begun = begun.filter(|&node| asked.begins(short(snapshot, node)).is_some());
        for node in best.qualifier.iter().copied().chain(begun) {
            if let Some(met) = met.get_mut(node.0 as usize) {
                met[0] = ANYHOW;
            }
        }
        let first = NodeId(snapshot.file_count() as u32);
        let files = Worth::new(asked.words.len(), IN_PATH);
        let symbols = Worth::new(asked.words.len(), FEW_IN_NAME);
        for ((node, met), standing) in (0..).map(NodeId).zip(met).zip(self.standing.iter()) {
            if met == [0; 2] {
                continue;
            }
            let worth = if node < first { &files } else { &symbols };
            // Of those that are worth as much as the last of the best, the first are kept, and they were met before.
            let most = worth.at_most(met) + standing;
            if most > best.least {
                let score = best.weigh(node, || *standing);
                debug_assert!(score.is_none_or(|score| score <= most));
            }
        }
        best.take()
    }

    /// Those whose name begins with the first letters of `lower`, and others.
    fn beginning<'n>(
        &'n self,
        snapshot: &'n Snapshot,
        lower: &str,
    ) -> impl Iterator<Item = NodeId> + 'n {
        let wanted = letters(lower);
        let length = lower.len().min(LETTERS);
        let of = move |node: &NodeId| letters(short(snapshot, *node));
        let from = self.by_letters.partition_point(|node| of(node) < wanted);
        let begins = move |node: &&NodeId| of(node)[..length] == wanted[..length];
        self.by_letters[from..].iter().take_while(begins).copied()
    }
}

/// What a name is worth at most, by how many words of the question it has: what [`Asked::weigh`] may say of it.
struct Worth {
    called: [f32; 256],
    said: [f32; 256],
}

impl Worth {
    /// `few` is what a name counts that has no more than half of the words.
    fn new(words: usize, few: f32) -> Self {
        let mut worth = Self {
            called: [f32::INFINITY; 256],
            said: [f32::NEG_INFINITY; 256],
        };
        worth.called[0] = f32::NEG_INFINITY;
        for met in 1..=words {
            let share = met as f32 / words as f32;
            if is_much_of_doc(share) {
                worth.said[met] = IN_DOC * share;
            }
            let many = is_much_of_name(share, words);
            let called = if many { IN_NAME } else { few } * share;
            worth.called[met] = called.max(worth.said[met]);
        }
        worth
    }

    fn at_most(&self, [called, said]: [u8; 2]) -> f32 {
        self.called[usize::from(called)].max(self.said[usize::from(said)])
    }
}

/// Lists of files and definitions, one for each word.
struct Words {
    /// The hashes of words, in order, each with where its list ends; one word's begins where the one before ends.
    ends: Box<[(u32, u32)]>,
    /// Each list in the order of files and definitions.
    nodes: Box<[NodeId]>,
}

impl Words {
    fn of<'t>(texts: impl Iterator<Item = (&'t str, NodeId)>) -> Self {
        let mut all: Vec<(u32, NodeId)> = Vec::new();
        for (text, node) in texts {
            each_hash(text, |word| all.push((word, node)));
        }
        all.sort_unstable();
        all.dedup();
        let mut ends: Vec<(u32, u32)> = Vec::new();
        for (at, (word, _)) in (1..).zip(&all) {
            match ends.last_mut() {
                Some((last, end)) if last == word => *end = at,
                _ => ends.push((*word, at)),
            }
        }
        Self {
            ends: ends.into(),
            nodes: all.into_iter().map(|(_, node)| node).collect(),
        }
    }

    fn with(&self, word: &str) -> &[NodeId] {
        let word = hash(word.as_bytes());
        let Ok(at) = self.ends.binary_search_by_key(&word, |(word, _)| *word) else {
            return &[];
        };
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before].1);
        &self.nodes[from as usize..self.ends[at].1 as usize]
    }
}

/// The first bytes of a name in lower case, filled up with nothing.
fn letters(name: &str) -> [u8; LETTERS] {
    let mut letters = [0; LETTERS];
    let mut fill = |name: &[u8]| {
        for (letter, byte) in letters.iter_mut().zip(name) {
            *letter = byte.to_ascii_lowercase();
        }
    };
    if name.is_ascii() {
        fill(name.as_bytes());
    } else {
        fill(name.to_lowercase().as_bytes());
    }
    letters
}

/// The hash of each word of `text`.
fn each_hash(text: &str, mut take: impl FnMut(u32)) {
    if text.is_ascii() {
        let mut lower = Vec::new();
        each_plain_word(text.as_bytes(), |word| {
            if !word.is_empty() {
                lower.clear();
                lower.extend(word.iter().map(u8::to_ascii_lowercase));
                take(hash(&lower));
            }
        });
    } else {
        words(text).for_each(|word| take(hash(word.as_bytes())));
    }
}

fn hash(word: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(word);
    (hasher.finish() >> 32) as u32
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

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

    #[test]
    fn the_best_of_many_are_the_same_whatever_is_passed_over() {
        let words = ["read", "file", "Config", "ÄHNLICH", "draw", "node"];
        let word = |number: usize| words[number % words.len()];
        let mut code = String::new();
        for number in 0..300 {
            if number % 40 == 0 {
                let _ = writeln!(
                    code,
                    "//- src/{}/{}{number}.ts",
                    word(number / 40),
                    word(number / 7)
                );
            }
            let (one, two, three) = (word(number), word(number / 3), word(number / 11));
            if number % 3 == 0 {
                let _ = writeln!(code, "// {two} the {three} of a {}.", word(number / 5));
            }
            let _ = writeln!(
                code,
                "export function {one}{two}_{three}{number}() {{ {one}{two}(); }}"
            );
        }
        // Who is met last and called by many is before others that have as many words.
        code += "//- src/last.ts\nexport function nodeOfMany() {}\n";
        for number in 0..30 {
            let _ = writeln!(code, "export function many{number}() {{ nodeOfMany(); }}");
        }
        let graph = snapshot(&code);
        let names = Names::of(&graph);
        for question in [
            "read the file",
            "draw node",
            "ähnlich config",
            "ähnl",
            "read",
            "readFile_",
            "fileread",
            "config node file draw",
            "node of nothing that is known",
            "src/read/Config0.ts",
        ] {
            let all = find(&graph, question, usize::MAX);
            assert!(all.len() > 5, "{question}");
            for limit in [1, 5, 30, 1_000] {
                let best = &all[..limit.min(all.len())];
                assert_eq!(names.find(&graph, question, limit), best, "{question}");
                assert_eq!(find(&graph, question, limit), best, "{question}");
            }
        }
    }

    /// A few words in a few forms, so that names share them, begin with each other and differ in case.
    fn some_words(most: usize) -> impl Strategy<Value = Vec<&'static str>> {
        let word = prop::sample::select(vec![
            "read", "Read", "file", "File", "config", "CONFIG", "reader", "Ähnlich", "node", "the",
            "v2",
        ]);
        prop::collection::vec(word, 1..=most)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn whatever_is_called_and_asked_the_same_is_found(
            named in prop::collection::vec((some_words(4), prop::option::of(some_words(5)), 0..6_u8), 1..40),
            questions in prop::collection::vec((some_words(6), any::<bool>()), 1..12),
        ) {
            let mut code = String::new();
            for (number, (name, said, kind)) in named.iter().enumerate() {
                if number == 0 || *kind == 0 {
                    let _ = writeln!(code, "//- src/{}/{number}.ts", name.join("_"));
                }
                if let Some(said) = said {
                    let _ = writeln!(code, "// {}.", said.join(" "));
                }
                let private = if *kind == 1 { "" } else { "export " };
                let called = name.concat();
                let _ = writeln!(code, "{private}function {called}() {{ {}(); }}", named[0].0.concat());
            }
            let graph = snapshot(&code);
            let names = Names::of(&graph);
            for (question, as_a_name) in questions {
                let question = question.join(if as_a_name { "" } else { " " });
                for limit in [1, 4, 100] {
                    prop_assert_eq!(
                        names.find(&graph, &question, limit),
                        find(&graph, &question, limit),
                        "{}", &question
                    );
                }
            }
        }
    }
}
