//! What of a file is there for its tests alone. In Rust tests stand below what they test, with all that helps them, in a module that only they are
//! compiled with.

use std::ops::RangeInclusive;

use crate::chunk::{Chunk, with_comment_above};
use crate::facts::SymbolKind;
use crate::snapshot::{NodeId, Snapshot, Symbol};

/// How modules of tests are called, whatever stands above them.
const NAMES: [&str; 2] = ["test", "tests"];

/// The lines of a file that are its tests': modules with what stands directly above them.
pub(super) struct ForTests(Vec<RangeInclusive<u32>>);

impl ForTests {
    /// `chunks` are the pieces of `file`.
    pub(super) fn of(snapshot: &Snapshot, file: NodeId, chunks: &[Chunk]) -> Self {
        let language = snapshot.file(file).language.get();
        if language.is_none_or(|language| language.name != "rust") {
            return Self(Vec::new());
        }
        let modules = snapshot
            .symbols_in(file)
            .filter(|node| snapshot.kind(*node) == SymbolKind::Module);
        let lines = modules.filter_map(|node| lines_for_tests(&snapshot.symbol(node), chunks));
        Self(lines.collect())
    }

    /// Whether all of a piece is there for tests.
    pub(super) fn hold(&self, chunk: &Chunk) -> bool {
        let mut lines = self.0.iter();
        lines.any(|lines| lines.contains(&chunk.first_line) && lines.contains(&chunk.last_line))
    }
}

/// The lines of a module where it is one of tests.
fn lines_for_tests(module: &Symbol<'_>, chunks: &[Chunk]) -> Option<RangeInclusive<u32>> {
    let begins_in =
        |chunk: &&Chunk| (chunk.first_line..=chunk.last_line).contains(&module.first_line);
    let chunk = chunks.iter().find(begins_in)?;
    let lines: Vec<&str> = chunk.text.lines().collect();
    let place = module.first_line - chunk.first_line + 1;
    let first = with_comment_above(&lines, place);
    let mut above = lines[first as usize - 1..place as usize - 1].iter();
    let is_for_tests = NAMES.contains(&module.name) || above.any(|line| says_tests(line));
    is_for_tests.then(|| chunk.first_line + first - 1..=module.last_line)
}

/// Whether a line says that what follows is compiled with tests, and with nothing else: `#[cfg(test)]`, `#[cfg(all(test, unix))]`.
fn says_tests(line: &str) -> bool {
    let Some(when) = line.trim_start().strip_prefix("#[cfg(") else {
        return false;
    };
    if when.starts_with("test)") {
        return true;
    }
    let Some(all) = when.strip_prefix("all(") else {
        return false;
    };
    let also_others = all.contains("any(") || all.contains("not(");
    let mut words = all.split([',', ')']).map(str::trim);
    !also_others && words.any(|word| word == "test")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::chunk_source;
    use crate::testing::{snapshot, split};

    /// The names of the pieces that are there for tests, and of those that are not; pieces without a name by their first line.
    fn sort(fixture: &str) -> (Vec<String>, Vec<String>) {
        let graph = snapshot(fixture);
        let (path, text) = &split(fixture)[0];
        let file = graph.find_file(path).expect("is there");
        let chunks = chunk_source(&graph, file, text);
        let for_tests = ForTests::of(&graph, file, &chunks);
        let name = |chunk: &Chunk| match chunk.name.as_str() {
            "" => chunk.text.lines().next().unwrap_or_default().to_owned(),
            name => name.to_owned(),
        };
        let (tests, rest): (Vec<&Chunk>, Vec<&Chunk>) =
            chunks.iter().partition(|chunk| for_tests.hold(chunk));
        let names = |chunks: Vec<&Chunk>| chunks.into_iter().map(name).collect();
        (names(tests), names(rest))
    }

    /// A function of some length, so that it is a piece of its own.
    fn function(name: &str) -> String {
        format!("fn {name}() {{\n{}}}\n\n", "    call();\n".repeat(9))
    }

    fn module(head: &str, names: &[&str]) -> String {
        let inside: String = names.iter().map(|name| function(name)).collect();
        format!("{head} {{\n{inside}}}\n\n")
    }

    #[test]
    fn what_stands_in_a_module_of_tests_is_for_tests() {
        let many: Vec<String> = (0..9).map(|number| format!("help{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let long = module("#[cfg(test)]\nmod checks", &many);
        let text = format!("//- src/a.rs\n{}{long}{}", function("walk"), function("go"));
        let (tests, rest) = sort(&text);
        assert_eq!(rest, ["walk", "go"]);
        assert!(tests.contains(&"checks.help3".to_owned()), "{tests:?}");
        assert!(tests.len() >= many.len(), "{tests:?}");
    }

    #[test]
    fn a_module_is_one_of_tests_by_its_name_or_by_what_stands_above_it() {
        for (head, is_for_tests) in [
            ("mod tests", true),
            ("pub(crate) mod test", true),
            ("#[cfg(test)]\n#[allow(dead_code)]\nmod shared", true),
            ("// Help.\n#[cfg(all(unix, test))]\nmod shared", true),
            ("mod shared", false),
            ("mod testing", false),
            ("#[cfg(not(test))]\nmod shared", false),
            ("#[cfg(all(unix, not(test)))]\nmod shared", false),
            ("#[cfg(any(test, feature = \"kit\"))]\nmod shared", false),
            ("#[cfg(feature = \"test\")]\nmod shared", false),
        ] {
            let text = format!("//- src/a.rs\n{}", module(head, &["help"]));
            let (tests, _) = sort(&text);
            assert_eq!(!tests.is_empty(), is_for_tests, "{head}");
        }
    }

    #[test]
    fn a_piece_that_also_holds_the_product_is_not_for_tests() {
        let text = "//- src/a.rs\nfn one() {\n    call()\n}\n\nmod tests {\n    fn two() {}\n}\n";
        assert_eq!(sort(text).0, Vec::<String>::new());
    }
}
