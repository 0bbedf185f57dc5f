//! What lies beside the product: tests, and what shows, tries or measures it. A question asks for it by its word.

use oldhand_domain::words;

use crate::localise::is_for_tests;

/// Words of the folders that hold it, cut to compare.
const FOLDERS: &[&str] = &[
    "bench",
    "benchmark",
    "demo",
    "exampl",
    "fixtur",
    "playground",
    "sampl",
];
/// Below these the folders are names: `src/main/java/com/example/demo`.
const OF_NAMES: &[&str] = &["groovy", "java", "kotlin", "scala"];

/// What a question asks for beside the product.
pub(super) struct Wanted {
    stems: Vec<String>,
}

impl Wanted {
    pub(super) fn of(question: &str) -> Self {
        let words = words::split(question);
        let stems = words.iter().map(|word| words::stem(word).to_owned());
        Self {
            stems: stems
                .filter(|stem| stem == "test" || FOLDERS.contains(&stem.as_str()))
                .collect(),
        }
    }

    pub(super) fn tests(&self) -> bool {
        self.stems.iter().any(|stem| stem == "test")
    }

    /// Whether the file at `path` is beside the product, and nobody asked for its like.
    pub(super) fn leaves_out(&self, path: &str) -> bool {
        if is_for_tests(path) && !self.tests() {
            return true;
        }
        let Some((folders, _)) = path.rsplit_once('/') else {
            return false;
        };
        let folders = folders
            .split('/')
            .take_while(|name| !OF_NAMES.contains(name));
        folders.into_iter().any(|name| {
            let name = name.trim_matches(['_', '.']);
            let name = name.to_lowercase();
            let stem = words::stem(&name);
            FOLDERS.contains(&stem) && !self.stems.iter().any(|asked| asked == stem)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_left_out_unless_they_are_asked_for() {
        let left_out = |question: &str, path: &str| Wanted::of(question).leaves_out(path);
        for path in [
            "docs/examples/plot.py",
            "_examples/a/main.go",
            "benches/scan.rs",
            "tests/test_a.py",
            "Samples/a.cs",
        ] {
            assert!(left_out("draw a plot", path), "{path}");
        }
        for path in [
            "src/plot.py",
            "examples.py",
            "src/resample/fast.py",
            "src/main/java/com/example/demo/App.java",
        ] {
            assert!(!left_out("draw a plot", path), "{path}");
        }
        assert!(!left_out("an example of a plot", "docs/examples/plot.py"));
        assert!(left_out("an example of a plot", "benches/plot.rs"));
        assert!(!left_out("which tests draw", "tests/test_a.py"));
    }
}
