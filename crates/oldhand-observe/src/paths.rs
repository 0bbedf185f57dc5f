//! What a path says about its file: configuration, test, prose, and the module it belongs to.

use std::collections::BTreeSet;

mod kin;

use kin::folder;
pub use kin::{are_pages_of_one_folder, are_twins, is_own_test, say_it, templates_of};

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

/// Whether a path says by itself where it is: from the root of a machine, or from a drive.
pub(crate) fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    let has_drive = bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    path.starts_with('/') || has_drive && matches!(bytes.get(2), None | Some(b'/' | b'\\'))
}

/// What lies at `path` as it is called in the folder `root`, empty for that itself. A folder on a drive may be written with `\`, and in
/// capitals or not.
pub(crate) fn below<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    let root = root.trim_end_matches(['/', '\\']);
    let start = path.get(..root.len()).filter(|_| !root.is_empty())?;
    let is_same = if root.starts_with('/') {
        start == root
    } else {
        start.eq_ignore_ascii_case(&root.replace('\\', "/"))
    };
    let rest = &path[root.len()..];
    (is_same && (rest.is_empty() || rest.starts_with('/'))).then(|| rest.trim_start_matches('/'))
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
        || is_settings(path, &lower)
}

/// Whether a file of data is called after settings, or lies in a folder for them: `config.yaml`, `config/database.yml`. Below such a folder
/// lies other data, too: `config/locales/en.yml`.
fn is_settings(path: &str, lower: &str) -> bool {
    const NAMES: [&str; 6] = [
        "config",
        "configuration",
        "conf",
        "settings",
        "appsettings",
        "application",
    ];
    let is_data = matches!(
        ending(lower),
        "yaml"
            | "yml"
            | "toml"
            | "json"
            | "jsonc"
            | "json5"
            | "ini"
            | "cfg"
            | "conf"
            | "properties"
    );
    // `application-dev.yml`, `config_test.toml`
    let called = stem(lower).split(['-', '_']).next().unwrap_or_default();
    let parent = path.rsplit('/').nth(1).unwrap_or_default();
    is_data && (NAMES.contains(&called) || matches!(parent, "config" | "conf" | "settings"))
}

/// Whether a file lists what a project depends on: everybody who adds a dependency changes it.
pub fn is_manifest(path: &str) -> bool {
    MANIFESTS.contains(&file_name(path).to_ascii_lowercase().as_str())
}

/// Whether a file tells agents how to work or keeps their plans: they are sent to it, and from it to the next.
pub fn is_for_agents(path: &str) -> bool {
    let in_folder = [
        ".claude/",
        ".cursor/",
        ".codex/",
        ".gemini/",
        ".opencode/",
        ".windsurf/",
        ".kiro/",
        ".specify/",
        ".bmad-core/",
        "_bmad/",
        "_bmad-output/",
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
    let mut folders = path.split('/').rev().skip(1);
    is_named_test(path) || folders.any(is_test_folder)
}

fn is_test_folder(step: &str) -> bool {
    matches!(
        step,
        "tests"
            | "test"
            | "__tests__"
            | "spec"
            | "e2e"
            | "cypress"
            | "__mocks__"
            | "__fixtures__"
            | "fixtures"
            | "testdata"
            | "integration_test"
            | "androidTest"
    ) || step.ends_with("Tests")
}

/// Whether the name of a file says that tests are in it.
pub fn is_named_test(path: &str) -> bool {
    let name = file_name(path);
    // Words that are joined by their capitals end with one: no `Latest`.
    let is_joined = |word: &str| stem(name).ends_with(word);
    let name = name.to_ascii_lowercase();
    // Elsewhere a `PodSpec` is what a pod is to be, and so is a `pod-spec` that no program runs.
    let has_specs = matches!(ending(&name), "scala" | "groovy" | "kt" | "hs" | "swift");
    let is_joined = is_joined("Test") || is_joined("Tests") || has_specs && is_joined("Spec");
    let is_data = matches!(ending(&name), "json" | "yaml" | "yml" | "toml" | "xml");
    let bare = stem(&name);
    let is_word = |word: &str| matches!(word, "test" | "tests" | "spec" | "e2e" | "cy");
    // Behind the first dot and before the last: `cart.e2e-spec.ts`.
    let between = || name[bare.len()..].rsplit(['.', '-']).skip(1);
    let (first, last) = match (bare.split_once(['_', '-']), bare.rsplit_once(['_', '-'])) {
        (Some((first, _)), Some((_, last))) => (first, last),
        _ => ("", ""),
    };
    let is_named = is_joined || is_word(last);
    let is_said = is_named && !is_data || first == "test" || between().any(is_word);
    is_said && !is_prose(path) || matches!(bare, "test" | "tests" | "conftest")
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

/// Files that a program writes while somebody works on others: what it was told to write from is the lesson.
pub fn is_written_by_program(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    // Between the first dot and the last: a grammar ends with `.g`, too.
    let mut marks = name[stem(&name).len()..].rsplit('.').skip(1);
    let is_marked = marks.any(|mark| matches!(mark, "generated" | "gen" | "pb" | "freezed" | "g"))
        || ["_generated", "_pb", "_pb2", "_pb2_grpc"]
            .iter()
            .any(|end| stem(&name).ends_with(end));
    let mut folders = path.split('/').rev().skip(1);
    is_generated(path)
        || is_marked
        || name.ends_with("snapshot.json")
        || name.ends_with("modelsnapshot.cs")
        || folders.clone().any(|step| matches!(step, "__generated__" | "generated" | "__snapshots__"))
        // What tools of databases keep of their migrations.
        || matches!(name.as_str(), "_journal.json" | "structure.sql")
        || name.ends_with("schema.rb") && folders.next() == Some("db")
}

/// Whether a file tells everybody about all of a project, so that it changes with everything: an overview, or what changed.
pub fn is_overview(path: &str) -> bool {
    let stem = stem(path).to_ascii_lowercase();
    matches!(
        stem.as_str(),
        "readme" | "changelog" | "changes" | "history" | "news" | "todo" | "roadmap"
    ) && is_prose(path)
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
    let (a, b) = (words(stem(a)), words(stem(b)));
    let shared = a.intersection(&b).count();
    let all = a.len() + b.len() - shared;
    if all == 0 {
        0.0
    } else {
        shared as f64 / all as f64
    }
}

/// The words of a name or a path, without their cases: they end at marks and before capitals.
fn words(text: &str) -> BTreeSet<String> {
    words_in_order(text).into_iter().collect()
}

fn words_in_order(text: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut lower_before = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && lower_before {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
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
            "config.yaml",
            "config/settings.toml",
            "config/database.yml",
            "src/main/resources/application-dev.yml",
            "api/appsettings.Development.json",
            "etc/settings.ini",
        ] {
            assert!(is_config(path), "{path}");
        }
        for path in [
            "src/config.rs",
            "src/package.rs",
            "README.md",
            "src/make.c",
            "config/routes.rb",
            "config/locales/en.yml",
            "data/users.json",
            "src/settings/page.tsx",
        ] {
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
            "test/test-read-list.py",
            "App/AppTests/Chat.swift",
            "src/CartSpec.scala",
            "api/cart.spec.json",
            "app/cart_spec.rb",
            "e2e/cart.ts",
            "web/cart.cy.ts",
            "src/cart.e2e-spec.ts",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in [
            "src/contest.rs",
            "src/latest.ts",
            "attest.go",
            "src/testing_ground.rs",
            "docs/payment-spec.md",
            "specs/001/test-plan.md",
            "src/Latest.ts",
            "src/PodSpec.ts",
            "core/TableSpec.java",
            "api/openapi-spec.yaml",
            "api/load-test.json",
        ] {
            assert!(!is_test(path), "{path}");
        }
    }

    #[test]
    fn alike_names_share_words() {
        assert!(name_likeness("ipc/github.ts", "ipc/github-issues.ts") >= 0.5);
        assert!(name_likeness("userService.ts", "user_store.ts") > 0.0);
        assert!(name_likeness("a/login.rs", "b/cache.rs") < 0.01);
    }

    #[test]
    fn what_a_program_writes_is_known_by_its_name() {
        for path in [
            "db/schema.rb",
            "db/queue_schema.rb",
            "db/structure.sql",
            "drizzle/meta/_journal.json",
            "drizzle/meta/0003_snapshot.json",
            "api/shop.pb.go",
            "shop_pb2.py",
            "lib/cart.g.dart",
            "src/routeTree.gen.ts",
            "web/__snapshots__/cart.test.tsx.snap",
            "Cargo.lock",
        ] {
            assert!(is_written_by_program(path), "{path}");
        }
        for path in [
            "db/seeds.rb",
            "src/schema.rb",
            "src/generated.rs",
            "db/migrate/001_cart.rb",
            "src/code-gen.ts",
            "grammar/Expr.g",
            "g.dart",
        ] {
            assert!(!is_written_by_program(path), "{path}");
        }
    }
}
