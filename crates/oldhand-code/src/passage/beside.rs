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
/// What lies below these is the product, whatever it is called: `src/main/java/com/example/demo`, `lib/benchmark`.
const OF_THE_PRODUCT: &[&str] = &["internal", "lib", "pkg", "src"];

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

    /// Whether the file at `path` is beside the product, and nobody asked for its like. Below a folder that `is_package` all is the product.
    pub(super) fn leaves_out(&self, path: &str, is_package: impl Fn(&str) -> bool) -> bool {
        if is_for_tests(path) && !self.tests() {
            return true;
        }
        let mut above = "";
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            let name = folder[above.len()..].trim_start_matches('/');
            if OF_THE_PRODUCT.contains(&name) {
                return false;
            }
            if is_beside(name) && !self.asks_for(name) {
                return true;
            }
            if is_package(folder) {
                return false;
            }
            above = folder;
        }
        false
    }

    fn asks_for(&self, folder: &str) -> bool {
        words_of(folder).any(|stem| self.stems.contains(&stem))
    }
}

/// Whether a folder says by a word of its name that it holds what shows, tries or measures the product.
fn is_beside(folder: &str) -> bool {
    words_of(folder).any(|stem| FOLDERS.contains(&stem.as_str()))
}

fn words_of(folder: &str) -> impl Iterator<Item = String> {
    let words = words::split(folder).into_iter();
    words.map(|word| words::stem(&word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_left_out_unless_they_are_asked_for() {
        let left_out = |question: &str, path: &str| {
            let is_package = |folder: &str| ["plots", "examples/plots"].contains(&folder);
            Wanted::of(question).leaves_out(path, is_package)
        };
        for path in [
            "docs/examples/plot.py",
            "_examples/a/main.go",
            "benches/scan.rs",
            "tests/test_a.py",
            "Samples/a.cs",
            "code-samples/a.cs",
            "demo-app/main.go",
            "packages/demo_app/src/main.ts",
            "java/examples/Plot.java",
            "examples/plots/plot.py",
        ] {
            assert!(left_out("draw a plot", path), "{path}");
        }
        for path in [
            "src/plot.py",
            "examples.py",
            "src/resample/fast.py",
            "src/main/java/com/example/demo/App.java",
            "src/benchmark/run.rs",
            "src/sample/rate.py",
            "packages/a/lib/demo/mode.js",
            "pkg/benchmark/run.go",
            "plots/sample/rate.py",
            "resample/fast.py",
        ] {
            assert!(!left_out("draw a plot", path), "{path}");
        }
        assert!(!left_out("an example of a plot", "docs/examples/plot.py"));
        assert!(left_out("an example of a plot", "benches/plot.rs"));
        assert!(!left_out("samples of a plot", "code-samples/plot.py"));
        assert!(!left_out("which tests draw", "tests/test_a.py"));
    }
}
