//! Pieces of code that share a question's words, read where they lie.
//!
//! Files are found by the concordance and by the names in the graph; the likeliest are cut into pieces as they are now. Nothing is
//! kept for it, so that nothing can be out of date.

mod beside;
mod for_tests;
mod inert;
mod weigh;

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::bm25::Bm25;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::words;
use rustc_hash::FxHashMap;

use crate::answer::target::qualified_name;
use crate::chunk::{Chunk, ChunkKind};
use crate::concordance::Concordance;
use crate::facts::SymbolKind;
use crate::index::{Index, work};
use crate::question::Question;
use crate::snapshot::{NodeId, Snapshot, Symbol};

use beside::Wanted;
use for_tests::ForTests;
use weigh::{Asked, USUAL_LENGTH};

/// A piece of code, and how well its words fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    pub chunk: Chunk,
    /// BM25; comparable within one answer only.
    pub score: f64,
    /// Whether it is beside what was asked for: prose, or a test or an example where nobody asked for them.
    pub is_aside: bool,
    /// How its definitions are declared: names, parameters and what they give.
    pub signatures: String,
    /// Where it has several functions: how each is called and declared.
    pub functions: Vec<(String, String)>,
    /// Whether nothing is done in it: it holds heads of types, constants and imports alone.
    pub is_inert: bool,
    /// The words of the question that it has, if only by how they begin, as they were asked.
    pub words: Vec<String>,
}

/// How many files are read.
const READ: usize = 40;
/// How many files names may bring.
const NAMED: usize = 30;
/// Fewer files are read sooner than a thread is started for them.
const FILES_A_THREAD: usize = 8;

/// The `limit` pieces that fit `question`'s words best, best first; only of files at or below one of `within`, unless it is empty. Of a
/// long question only the words that say most are looked for ([`Question`]).
pub fn passages(
    index: &Index,
    concordance: &Concordance,
    question: &str,
    within: &[ProjectPath],
    limit: usize,
) -> Vec<Passage> {
    let question = Question::of(question, Some(concordance));
    let question = question.as_str();
    let mut spelled = telling_stems(question);
    let rarity = |word: &str| (word.to_owned(), concordance.rarity(word));
    let known = spelled.keys().map(|word| rarity(word));
    let known = known.filter(|(_, rarity)| *rarity > 0.0).collect();
    let others = instead_of(concordance, question);
    let instead = others.values().flatten().map(|word| rarity(word));
    let asked = Asked::new(known, instead.collect());
    for (word, others) in &others {
        for other in others {
            let spelling = spelled.entry(other.clone());
            spelling.or_insert_with(|| word.clone());
        }
    }
    let snapshot = index.snapshot();
    // Where only some files are asked for, the best of them may be far behind others.
    let deep = |most| if within.is_empty() { most } else { usize::MAX };
    let named = index.find(question, deep(NAMED)).into_iter();
    let said = concordance.search(asked.words(), deep(READ));
    let is_asked = |path: &str| {
        let path = ProjectPath::new(path);
        within.is_empty()
            || path.is_ok_and(|path| within.iter().any(|place| path.is_at_or_below(place)))
    };
    let said = said.iter().filter(|(path, _)| is_asked(path));
    let files: BTreeSet<NodeId> = named
        .map(|found| snapshot.file_of(found.node))
        .filter(|file| is_asked(snapshot.path(*file)))
        .take(NAMED)
        .chain(
            said.filter_map(|(path, _)| snapshot.find_file(path))
                .take(READ),
        )
        .collect();
    let wanted = Wanted::of(question);
    let is_package = |folder: &str| {
        let init = format!("{folder}/__init__.py");
        snapshot.find_file(&init).is_some()
    };
    let files: Vec<NodeId> = files.into_iter().collect();
    let read_one = |file: NodeId| -> Vec<(Passage, Vec<&str>)> {
        let entry = snapshot.file(file);
        let is_left_out =
            wanted.leaves_out(entry.path, is_package) || entry.is_test && !wanted.tests();
        let path = asked.read_path(entry.path);
        let chunks = index.chunks_of(file);
        let for_tests = ForTests::of(snapshot, file, &chunks);
        let weighed = chunks.into_iter().filter_map(|chunk| {
            let is_test =
                chunk.kind == ChunkKind::Definition(SymbolKind::Test) || for_tests.hold(&chunk);
            let weighed = asked.weigh(&chunk, &path);
            let passage = || Passage {
                score: weighed.score,
                words: Vec::new(),
                is_aside: chunk.kind == ChunkKind::Section
                    || is_left_out
                    || is_test && !wanted.tests(),
                signatures: String::new(),
                functions: Vec::new(),
                is_inert: false,
                chunk,
            };
            (weighed.score > 0.0)
                .then(passage)
                .map(|passage| (passage, weighed.words))
        });
        weighed.collect()
    };
    let mut passages: Vec<(Passage, Vec<&str>)> = Vec::new();
    work::share(
        index.threads().min(files.len() / FILES_A_THREAD),
        files.len(),
        || (),
        |(), at| read_one(files[at]),
        |_, mut read| passages.append(&mut read),
    );
    let order = |(a, _): &(Passage, Vec<&str>), (b, _): &(Passage, Vec<&str>)| {
        let scores = b.score.total_cmp(&a.score);
        scores
            .then_with(|| a.chunk.path.cmp(&b.chunk.path))
            .then(a.chunk.first_line.cmp(&b.chunk.first_line))
            .then(a.chunk.last_line.cmp(&b.chunk.last_line))
    };
    if (1..passages.len()).contains(&limit) {
        passages.select_nth_unstable_by(limit - 1, order);
        passages.truncate(limit);
    }
    passages.sort_unstable_by(order);
    passages.truncate(limit);
    let complete = |(mut passage, words): (Passage, Vec<&str>)| {
        for word in words.into_iter().filter_map(|word| spelled.get(word)) {
            if !passage.words.contains(word) {
                passage.words.push(word.clone());
            }
        }
        let defined = defined_in(snapshot, &passage.chunk);
        let signatures: Vec<&str> = defined.iter().map(|symbol| symbol.signature).collect();
        passage.signatures = signatures.join(" ");
        let functions = defined.iter().filter(|symbol| symbol.kind.is_function());
        if functions.clone().nth(1).is_some() {
            let declared = |symbol: &Symbol<'_>| {
                let name = qualified_name(snapshot, symbol.id);
                (name, symbol.signature.to_owned())
            };
            passage.functions = functions.map(declared).collect();
        }
        passage.is_inert = inert::is_inert(&passage.chunk, &defined);
        passage
    };
    passages.into_iter().map(complete).collect()
}

/// The words of `question` that no file has, each with the words of the code that are looked for in its place, cut to compare: they begin
/// alike. Words that nothing begins alike are left out, and so are those of the code that are asked for themselves.
pub fn instead_of(concordance: &Concordance, question: &str) -> BTreeMap<String, Vec<String>> {
    let question = Question::of(question, Some(concordance));
    let spelled = telling_stems(question.as_str());
    let unknown = spelled
        .iter()
        .filter(|(word, _)| concordance.rarity(word) <= 0.0);
    let instead = unknown.map(|(word, spelling)| {
        let others = weigh::instead_of(concordance, word).into_iter();
        let others = others.filter(|other| !spelled.contains_key(*other));
        (spelling.clone(), others.map(str::to_owned).collect())
    });
    instead
        .filter(|(_, others): &(String, Vec<String>)| !others.is_empty())
        .collect()
}

/// The words of a question that say something, cut to compare, each with how it was spelled.
fn telling_stems(question: &str) -> BTreeMap<String, String> {
    let telling = words::split(&words::without_contractions(question));
    let telling = telling.into_iter().rev();
    telling
        .filter(|word| words::is_telling(word))
        .map(|word| (words::stem(&word).to_owned(), word))
        .collect()
}

/// What a piece defines.
fn defined_in<'s>(snapshot: &'s Snapshot, chunk: &Chunk) -> Vec<Symbol<'s>> {
    let Some(file) = snapshot.find_file(&chunk.path) else {
        return Vec::new();
    };
    let inside = snapshot.symbols_in(file).filter(|node| {
        let lines = snapshot.lines_of(*node);
        lines.start() >= &chunk.first_line && lines.end() <= &chunk.last_line
    });
    inside.map(|node| snapshot.symbol(node)).collect()
}

/// How often the words that matter are in a piece.
pub(crate) struct Counted {
    counts: FxHashMap<String, f64>,
    length: f64,
}

impl Counted {
    /// A piece's own name counts twice more: it says what the piece is for.
    pub(crate) fn of(chunk: &Chunk, matters: impl Fn(&str) -> bool) -> Self {
        let mut counted = Self {
            counts: FxHashMap::default(),
            length: 0.0,
        };
        for (text, times) in [(&chunk.text, 1.0), (&chunk.name, 2.0)] {
            words::each(text, &mut |word| {
                counted.length += 1.0;
                let stem = words::stem(word);
                if matters(stem) {
                    *counted.counts.entry(stem.to_owned()).or_default() += times;
                }
            });
        }
        counted
    }

    /// BM25, with what each word is worth.
    pub(crate) fn weigh(&self, worth: impl Fn(&str) -> f64) -> f64 {
        let length = self.length / USUAL_LENGTH;
        let words = self.counts.iter();
        words
            .map(|(word, times)| worth(word) * Bm25::USUAL.weigh(*times, length))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::index::Options;
    use crate::read::Generated;
    use crate::walk::Skip;

    #[test]
    fn a_name_in_the_asked_folder_is_found_behind_the_same_name_elsewhere() {
        let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |path: String, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for number in 0..2 * NAMED {
            write(format!("far/f{number}.py"), "def warm():\n    return 1\n");
        }
        for number in 0..2 * READ {
            let text = "def other():\n    return 'warm warm warm warm'\n";
            write(format!("near/n{number}.py"), text);
        }
        let long: Vec<String> = (0..200)
            .map(|number| format!("def cold{number}():\n    return {number}\n\n\n"))
            .collect();
        let target = "near/target.py";
        write(
            target.to_owned(),
            &(long.concat() + "def warm():\n    return 2\n"),
        );
        let (index, words) = read(root.path(), state.path());
        let near = [ProjectPath::new("near").unwrap()];
        let found = passages(&index, &words, "warm", &near, 1_000);
        let mut paths = found.iter().map(|passage| passage.chunk.path.as_str());
        assert!(paths.clone().all(|path| path.starts_with("near/")));
        assert!(paths.any(|path| path == target));
    }

    #[test]
    fn tests_are_beside_the_point_unless_they_are_asked_for() {
        let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(root.path().join("tests")).unwrap();
        let texts = [
            ("warm.py", "def warm(cache):\n    return cache.fill()\n"),
            (
                "tests/test_warm.py",
                "def test_warm():\n    assert warm({})\n",
            ),
            ("notes.md", "# Caches\n\nWarm them first.\n"),
            (
                "oven.rs",
                "#[cfg(test)]\nmod tests {\n    use super::open;\n\n    fn warm() {\n        open();\n    }\n}\n",
            ),
        ];
        for (path, text) in texts {
            fs::write(root.path().join(path), text).unwrap();
        }
        let (index, words) = read(root.path(), state.path());
        let aside = |question: &str| -> Vec<String> {
            let found = passages(&index, &words, question, &[], 10).into_iter();
            let mut paths: Vec<String> = found
                .filter(|passage| passage.is_aside)
                .map(|passage| passage.chunk.path)
                .collect();
            paths.sort();
            paths
        };
        assert_eq!(
            aside("warm caches"),
            ["notes.md", "oven.rs", "tests/test_warm.py"]
        );
        assert_eq!(aside("tests of warm caches"), ["notes.md"]);
    }

    #[test]
    fn one_word_finds_its_other_forms_and_words_that_say_nothing_find_nothing() {
        let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let text = "def handle_route(query):\n    return query.path\n";
        fs::write(root.path().join("route.py"), text).unwrap();
        let (index, words) = read(root.path(), state.path());
        let found = |question: &str| passages(&index, &words, question, &[], 10);
        for question in ["route", "routes", "routing", "queries", "handles"] {
            let first = found(question).into_iter().next();
            let first = first.unwrap_or_else(|| panic!("{question} finds nothing"));
            assert_eq!(first.words, [question]);
            assert!(
                first.signatures.contains("handle_route(query)"),
                "{first:?}"
            );
        }
        assert_eq!(found("the of and"), []);
    }

    #[test]
    fn a_word_that_no_file_has_finds_what_begins_alike() {
        let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let texts = [
            (
                "merge.py",
                "def merge_dict(one, other):\n    return {**one, **other}\n",
            ),
            ("start.py", "def start(env):\n    return env\n"),
        ];
        for (path, text) in texts {
            fs::write(root.path().join(path), text).unwrap();
        }
        let (index, words) = read(root.path(), state.path());
        let found = |question: &str| -> Vec<(String, Vec<String>)> {
            let found = passages(&index, &words, question, &[], 10).into_iter();
            found.map(|one| (one.chunk.path, one.words)).collect()
        };
        let said = |path: &str, word: &str| (path.to_owned(), vec![word.to_owned()]);
        assert_eq!(found("dictionaries"), [said("merge.py", "dictionaries")]);
        // What is said as it is comes before what only begins so, and what is asked for itself stands for nothing else.
        assert_eq!(
            found("start the environment of a dictionary").first(),
            Some(&(
                "start.py".to_owned(),
                vec!["environment".to_owned(), "start".to_owned()]
            ))
        );
        assert_eq!(found("dict dictionary"), [said("merge.py", "dict")]);
        assert_eq!(found("direction"), []);
        let instead = instead_of(&words, "merge the dictionary, dictator of directions");
        let of = |word: &str| (word.to_owned(), vec!["dict".to_owned()]);
        assert_eq!(instead, [of("dictionary"), of("dictator")].into());
    }

    #[test]
    fn what_lies_in_a_package_is_the_product_whatever_it_is_called() {
        let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for path in ["ovens/__init__.py", "ovens/demo/warm.py", "demo/warm.py"] {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "def warm(oven):\n    return oven\n").unwrap();
        }
        let (index, words) = read(root.path(), state.path());
        let found = passages(&index, &words, "warm", &[], 10);
        let aside = found.iter().filter(|one| one.is_aside);
        let aside: Vec<&str> = aside.map(|one| one.chunk.path.as_str()).collect();
        assert_eq!((found.len(), aside), (3, vec!["demo/warm.py"]));
    }

    #[test]
    fn types_constants_and_imports_do_nothing_and_statements_do() {
        let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let inert = [
            ("error.py", "class WarmError(Exception):\n    pass\n"),
            ("names.py", "WARM = 'warm'\n"),
            (
                "several.go",
                "package a\n\nconst (\n\tWarm = 1\n\tCold = 2\n)\n",
            ),
            ("shape.rs", "pub struct Warm {\n    pub degrees: u32,\n}\n"),
        ];
        let done = [
            ("called.js", "const oven = warm(3)\nconst other = warm(4)\n"),
            (
                "loop.py",
                "ROWS = 3\n\nfor row in range(ROWS):\n    print('warm', row)\n",
            ),
            (
                "oven.py",
                "class Oven:\n    def warm(self):\n        return 1\n",
            ),
            ("set.sh", "OVEN=a\ncurl \"$OVEN/warm\"\nDOOR=b\n"),
            ("warm.sh", "set -e\ncurl oven/warm\n"),
        ];
        for (path, text) in inert.iter().chain(&done) {
            fs::write(root.path().join(path), text).unwrap();
        }
        let (index, words) = read(root.path(), state.path());
        let found = passages(&index, &words, "warm", &[], 20);
        let expected = inert.iter().map(|(path, _)| (*path, true));
        for (path, is_inert) in expected.chain(done.iter().map(|(path, _)| (*path, false))) {
            let mut pieces = found.iter().filter(|one| one.chunk.path == path).peekable();
            assert!(pieces.peek().is_some(), "{path} is found");
            assert!(pieces.all(|one| one.is_inert == is_inert), "{path}");
        }
    }

    fn read(root: &Path, state: &Path) -> (Index, Concordance) {
        let options = Options {
            threads: 1,
            max_bytes: 1 << 20,
            skip: Skip::Usual,
            generated: Generated::Skip,
        };
        let (index, _) = Index::build(root, state, &options, &mut |_| {}).unwrap();
        let (words, _) = Concordance::refresh(root, &state.join("words"), 1).unwrap();
        (index, words)
    }
}
