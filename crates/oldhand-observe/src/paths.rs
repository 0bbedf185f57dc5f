//! What a path says about its file: configuration, test, prose, and the module it belongs to.

/// Names that share half of their words are alike.
const ALIKE: f64 = 0.5;

/// How many leading folders name a module when no module map is given.
const MODULE_DEPTH: usize = 4;

/// The folder that stands for a file's module. Files at the top belong to `.`.
pub fn module_of(path: &str) -> &str {
    let Some(folder) = path.rfind('/').map(|at| &path[..at]) else {
        return ".";
    };
    match folder.match_indices('/').nth(MODULE_DEPTH - 1) {
        Some((at, _)) => &folder[..at],
        None => folder,
    }
}

/// What a step names when it worked on files at the top: `.` is no word a person would use.
pub(crate) const TOP_FILES: &str = "files at the top";

/// A module as a step of a recipe names it.
pub(crate) fn step_place(module: &str) -> &str {
    if module == "." { TOP_FILES } else { module }
}

/// Where a module is, in the middle of a sentence.
pub(crate) fn place_of(module: &str) -> String {
    if module == "." {
        "at the top of the project".to_owned()
    } else {
        format!("in `{module}`")
    }
}

/// The last step of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A file name without its extensions: `user_test.go` is `user_test`.
pub fn stem(path: &str) -> &str {
    let name = file_name(path);
    let from = usize::from(name.starts_with('.'));
    match name[from..].find('.') {
        Some(at) => &name[..from + at],
        None => name,
    }
}

/// What comes after the last dot of a lower-case name.
fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// What a project depends on, by the names of its lists.
const MANIFESTS: [&str; 13] = [
    "package.json",
    "cargo.toml",
    "go.mod",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "gemfile",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "mix.exs",
    "requirements.txt",
];

const CONFIG_NAMES: [&str; 11] = [
    "settings.gradle",
    "makefile",
    "justfile",
    "dockerfile",
    "cmakelists.txt",
    "tox.ini",
    "pytest.ini",
    "biome.json",
    "deno.json",
    "turbo.json",
    "nx.json",
];

/// Whether a file sets things up rather than doing them.
pub fn is_config(path: &str) -> bool {
    let lower = file_name(path).to_ascii_lowercase();
    let dotted = lower.starts_with('.');
    is_manifest(path)
        || CONFIG_NAMES.contains(&lower.as_str())
        || (lower.starts_with("tsconfig") && ending(&lower) == "json")
        || lower.starts_with("docker-compose")
        || lower == ".env"
        || lower.starts_with(".env.")
        || lower.contains(".config.")
        || (dotted && (lower.contains("rc") || matches!(ending(&lower), "toml" | "yml" | "yaml")))
        || path.starts_with(".github/workflows/")
}

/// Whether a file lists what a project depends on: everybody who adds a dependency changes it.
pub fn is_manifest(path: &str) -> bool {
    MANIFESTS.contains(&file_name(path).to_ascii_lowercase().as_str())
}

/// Whether a file tells agents how to work: they are sent to it, and from it to the next.
pub fn is_for_agents(path: &str) -> bool {
    let in_folder = [
        ".claude/",
        ".cursor/",
        ".codex/",
        ".gemini/",
        ".opencode/",
        ".windsurf/",
    ]
    .iter()
    .any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")));
    is_rules_file(path) || in_folder
}

/// Whether a file holds the rules of a project for agents.
pub fn is_rules_file(path: &str) -> bool {
    matches!(file_name(path), "AGENTS.md" | "CLAUDE.md" | "GEMINI.md")
}

/// Whether a file is where its language begins to read a folder: its name says so.
pub fn is_entry(path: &str) -> bool {
    let name = file_name(path);
    matches!(
        name,
        "mod.rs"
            | "lib.rs"
            | "main.rs"
            | "__init__.py"
            | "__main__.py"
            | "main.go"
            | "doc.go"
            | "main.py"
    ) || matches!(stem(name), "index" | "main")
        && matches!(ending(name), "ts" | "tsx" | "js" | "jsx" | "mjs" | "vue")
}

/// Whether a file is named after its folder: `paths/paths.go` needs nobody to point at it.
pub fn is_eponym(path: &str) -> bool {
    let folder = path.rsplit('/').nth(1);
    folder.is_some_and(|folder| folder == stem(path))
}

/// Whether a file only holds tests, or what tests need.
pub fn is_test(path: &str) -> bool {
    let folders = path.split('/').rev().skip(1);
    is_named_test(path)
        || folders.into_iter().any(|step| {
            matches!(
                step,
                "tests" | "test" | "__tests__" | "spec" | "testdata" | "integration_test"
            )
        })
}

/// Whether the name of a file says that tests are in it.
pub fn is_named_test(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    let stem = stem(&name);
    stem.ends_with("_test")
        || stem.ends_with("_spec")
        || stem.starts_with("test_")
        || matches!(stem, "test" | "tests" | "conftest")
        || name.contains(".test.")
        || name.contains(".spec.")
        || (stem.ends_with("test") && matches!(ending(&name), "java" | "kt" | "scala"))
        || (stem.ends_with("tests") && matches!(ending(&name), "cs" | "swift"))
}

/// Whether the names of two files say that they go together: a test with what it tests or with the tests beside it, a file with its
/// namesake or with what its folder is read by, a page with its own style.
pub fn say_it(a: &str, b: &str) -> bool {
    is_own_test(a, b)
        || is_test(a) && is_test(b) && folder(a) == folder(b)
        || is_namesake(a, b)
        || is_index_of(a, b)
        || is_index_of(b, a)
        || is_page_with_own(a, b)
}

/// Whether a language reads the folder of a file by another one, in which its files are entered.
fn is_index_of(index: &str, file: &str) -> bool {
    let is_named = |path: &str| {
        let name = file_name(path);
        matches!(name, "mod.rs" | "__init__.py")
            || stem(name) == "index" && matches!(ending(name), "ts" | "tsx" | "js" | "jsx" | "mjs")
    };
    // What stands for a folder lies in the one around it.
    let around = match folder(file) {
        within if is_named(file) => folder(within.trim_end_matches('/')),
        within => within,
    };
    let stands_for = index.strip_suffix(".rs").unwrap_or_default();
    is_named(index) && folder(index) == around || around.strip_suffix('/') == Some(stands_for)
}

/// The folder that a file lies in, with its last slash.
fn folder(path: &str) -> &str {
    &path[..path.len() - file_name(path).len()]
}

/// Whether one is the test of the other: everybody knows that these go together.
pub fn is_own_test(a: &str, b: &str) -> bool {
    let bare = |path: &str| {
        let stem = stem(path);
        let stem = ["_test", "_spec", "Tests", "Test"]
            .iter()
            .find_map(|ending| stem.strip_suffix(ending))
            .unwrap_or(stem);
        stem.strip_prefix("test_").unwrap_or(stem).to_owned()
    };
    is_test(a) != is_test(b) && bare(a) == bare(b)
}

/// Whether one file of a folder is named after another of it: `ChatView.swift` and `ChatViewModel.swift`, `parse.rs` and `parse_args.rs`.
fn is_namesake(a: &str, b: &str) -> bool {
    let (one, two) = (stem(a), stem(b));
    folder(a) == folder(b) && (one.starts_with(two) || two.starts_with(one))
}

/// Whether one is a page and the other its own style or script: they are called alike, or both by their parts alone, as `index.html`
/// and `js/app.js` below it are.
fn is_page_with_own(a: &str, b: &str) -> bool {
    let is_page = |path: &str| matches!(ending(path), "html" | "htm" | "vue" | "svelte" | "astro");
    let is_part = |path: &str| {
        let ending = ending(path);
        matches!(
            ending,
            "css" | "scss" | "sass" | "less" | "js" | "mjs" | "ts"
        )
    };
    let is_bare = |path: &str| {
        let stem = stem(path).to_ascii_lowercase();
        let stem = stem.trim_end_matches('s');
        matches!(stem, "index" | "main" | "app" | "style" | "script")
    };
    // Folders of parts are named after their kind.
    let is_kind = |step: &str| {
        matches!(
            step,
            "" | "js" | "css" | "scripts" | "styles" | "assets" | "static" | "src"
        )
    };
    let has = |outer: &str, inner: &str| {
        let below = folder(inner).strip_prefix(folder(outer));
        below.is_some_and(|below| below.split('/').all(is_kind))
    };
    let is_beside = has(a, b) || has(b, a);
    let is_own = stem(a) == stem(b) && !is_bare(a) || is_beside && is_bare(a) && is_bare(b);
    (is_page(a) && is_part(b) || is_page(b) && is_part(a)) && is_own
}

/// Whether two files are of one part of a project: they lie in one folder, or are called alike.
pub fn is_near(a: &str, b: &str) -> bool {
    folder(a) == folder(b) || name_likeness(a, b) >= ALIKE
}

/// Whether a file is written for people rather than machines.
pub fn is_prose(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    (matches!(ending(&name), "md" | "mdx" | "rst" | "txt" | "adoc") && !is_config(path))
        || matches!(name.as_str(), "license" | "changelog" | "readme")
}

/// Whether a file is source code that does the work itself.
pub fn is_code(path: &str) -> bool {
    !is_config(path) && !is_prose(path)
}

/// Generated or lock files: touched by tools, never a lesson.
pub fn is_generated(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    matches!(ending(&name), "lock" | "snap" | "map")
        || name.contains("-lock.")
        || name.contains(".min.")
        || name == "go.sum"
        || path.split('/').any(|step| {
            matches!(
                step,
                "node_modules" | "target" | "dist" | "build" | "vendor" | ".git"
            )
        })
}

/// How alike two file names are: shared words of their stems over all words, in `0..=1`.
pub fn name_likeness(a: &str, b: &str) -> f64 {
    let words = |path: &str| -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let mut lower_before = false;
        for c in stem(path).chars() {
            if c.is_alphanumeric() {
                if words.is_empty() || (c.is_uppercase() && lower_before) {
                    words.push(String::new());
                }
                if let Some(word) = words.last_mut() {
                    word.extend(c.to_lowercase());
                }
            } else {
                words.push(String::new());
            }
            lower_before = c.is_lowercase();
        }
        words.retain(|word| !word.is_empty());
        words.sort();
        words.dedup();
        words
    };
    let (a, b) = (words(a), words(b));
    let shared = a.iter().filter(|word| b.contains(word)).count();
    let all = a.len() + b.len() - shared;
    if all == 0 {
        0.0
    } else {
        shared as f64 / all as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_the_first_folders() {
        assert_eq!(module_of("main.go"), ".");
        assert_eq!(
            module_of("cmd/entire/cli/strategy/common.go"),
            "cmd/entire/cli/strategy"
        );
        assert_eq!(module_of("src/auth/token.rs"), "src/auth");
    }

    #[test]
    fn configuration_is_told_from_code() {
        for path in [
            "package.json",
            "web/tsconfig.build.json",
            ".env.local",
            "vite.config.ts",
            ".eslintrc.js",
            ".github/workflows/ci.yml",
            "Makefile",
            ".golangci.yaml",
        ] {
            assert!(is_config(path), "{path}");
        }
        for path in ["src/config.rs", "src/package.rs", "README.md", "src/make.c"] {
            assert!(!is_config(path), "{path}");
        }
    }

    #[test]
    fn tests_are_told_from_code() {
        for path in [
            "a/user_test.go",
            "tests/it/main.rs",
            "src/auth.test.ts",
            "src/parse/tests.rs",
            "test_login.py",
            "src/__tests__/x.js",
            "FooTest.java",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in [
            "src/contest.rs",
            "src/latest.ts",
            "attest.go",
            "src/testing_ground.rs",
        ] {
            assert!(!is_test(path), "{path}");
        }
    }

    #[test]
    fn a_test_is_known_by_the_name_of_what_it_tests() {
        for (a, b) in [
            ("a/user.go", "a/user_test.go"),
            ("App/Chat.swift", "AppTests/ChatTests.swift"),
            ("src/Shop.java", "test/ShopTest.java"),
        ] {
            assert!(is_own_test(a, b), "{a} {b}");
        }
        assert!(!is_own_test("App/Chat.swift", "AppTests/ShopTests.swift"));
        assert!(is_named_test("src/chat.test.ts") && !is_named_test("src/test/mock.ts"));
    }

    #[test]
    fn namesakes_lie_in_one_folder() {
        assert!(is_namesake("v/ChatView.swift", "v/ChatViewModel.swift"));
        assert!(!is_namesake("v/FilesView.swift", "v/PhotosView.swift"));
        assert!(!is_namesake("en/Text.strings", "pt/Text.strings"));
    }

    #[test]
    fn a_page_has_its_own_style_and_script() {
        for (a, b, expected) in [
            ("web/cart.html", "web/css/cart.css", true),
            ("src/Cart.vue", "styles/Cart.scss", true),
            ("index.html", "style.css", true),
            ("app.js", "index.html", true),
            ("index.html", "islandView.js", false),
            ("index.html", "admin/index.js", false),
            ("cart.html", "style.css", false),
            ("cart.css", "cart.js", false),
        ] {
            assert_eq!(is_page_with_own(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn alike_names_share_words() {
        assert!(name_likeness("ipc/github.ts", "ipc/github-issues.ts") >= 0.5);
        assert!(name_likeness("userService.ts", "user_store.ts") > 0.0);
        assert!(name_likeness("a/login.rs", "b/cache.rs") < 0.01);
    }
}
