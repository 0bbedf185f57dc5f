//! What a path alone tells: its folder, the words in it, whether it is a test, which file it is named after.

use oldhand_domain::words;
use rustc_hash::FxHashMap;

pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The part of the name before its first dot, lower case, without what marks a test: `auth` for `test_auth.py`,
/// `auth.spec.ts` and `Auth.tsx`.
pub(super) fn stem(path: &str) -> String {
    let name = name(path).trim_start_matches('.');
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let bare = ["test_", "tests_", "spec_", "test-", "spec-"]
        .iter()
        .find_map(|mark| stem.strip_prefix(mark))
        .unwrap_or(&stem);
    let bare = ["_test", "_tests", "_spec", "-test", "-spec"]
        .iter()
        .find_map(|mark| bare.strip_suffix(mark))
        .unwrap_or(bare);
    bare.to_owned()
}

/// Names that every folder has; sharing one says nothing.
pub(super) fn is_common_stem(stem: &str) -> bool {
    [
        "index", "mod", "main", "lib", "__init__", "utils", "util", "init", "types",
    ]
    .contains(&stem)
}

pub(super) fn is_test(path: &str) -> bool {
    let mut folders = folder(path).split('/');
    let name = name(path).to_lowercase();
    folders.any(|part| ["test", "tests", "testing", "__tests__", "spec"].contains(&part))
        || name.starts_with("test_")
        || ["_test.", ".test.", ".spec."]
            .iter()
            .any(|mark| name.contains(mark))
}

/// Whether a bug can live in it: neither a test nor prose nor a list that a program writes.
pub(super) fn can_hold_bugs(path: &str) -> bool {
    !is_test(path) && !extension(path).is_empty() && !is_prose_or_list(path)
}

/// Whether it speaks about the code, or is a list or picture that a program writes.
pub(super) fn is_prose_or_list(path: &str) -> bool {
    let prose = [
        "md", "rst", "txt", "adoc", "org", "lock", "sum", "snap", "svg", "png",
    ];
    let written = ["package-lock.json", "pnpm-lock.yaml"];
    prose.contains(&extension(path)) || written.contains(&name(path))
}

pub(super) fn extension(path: &str) -> &str {
    name(path)
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension)
}

/// The words of a path, each once, with their endings removed.
pub(super) fn path_words(path: &str) -> Vec<String> {
    let mut roots: Vec<String> = Vec::new();
    words::each(path, &mut |word| roots.extend(root(word)));
    roots.sort_unstable();
    roots.dedup();
    roots
}

/// A word without its grammatical ending, so that `routes` finds `routing`. Single letters are no words.
pub(super) fn root(word: &str) -> Option<String> {
    if word.chars().nth(1).is_none() && !word.chars().all(char::is_numeric) {
        return None;
    }
    let ending = ["ing", "ies", "ed", "es", "s"].iter().find(|ending| {
        word.strip_suffix(*ending)
            .is_some_and(|rest| rest.chars().count() >= 3)
    });
    Some(match ending {
        Some(&"ies") => format!("{}y", &word[..word.len() - 3]),
        Some(ending) => word[..word.len() - ending.len()].to_owned(),
        None => word.to_owned(),
    })
}

/// The first word of each root in `text`, as it is written there.
pub(super) fn spellings(text: &str) -> FxHashMap<String, String> {
    let mut spelled = FxHashMap::default();
    for word in words::split(text) {
        if let Some(root) = root(&word) {
            spelled.entry(root).or_insert(word);
        }
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_named_after_what_it_tests() {
        for path in [
            "a/auth.py",
            "tests/test_auth.py",
            "a/Auth.spec.ts",
            "auth_test.go",
            "x/auth.test.tsx",
        ] {
            assert_eq!(stem(path), "auth", "{path}");
        }
        assert_eq!(stem(".gitignore"), "gitignore");
    }

    #[test]
    fn tests_are_known_by_folder_or_name() {
        for path in [
            "tests/a.py",
            "src/__tests__/a.ts",
            "a/test_b.py",
            "a/b_test.go",
            "a/b.spec.ts",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/attest.rs", "src/contest/a.py", "lib/latest.js"] {
            assert!(!is_test(path), "{path}");
        }
    }

    #[test]
    fn bugs_live_in_code() {
        for path in ["src/app.py", "a/Main.java", "config/routes.yaml"] {
            assert!(can_hold_bugs(path), "{path}");
        }
        for path in [
            "CHANGES.rst",
            "AUTHORS",
            "Cargo.lock",
            "tests/test_app.py",
            "web/package-lock.json",
        ] {
            assert!(!can_hold_bugs(path), "{path}");
        }
    }

    #[test]
    fn endings_do_not_keep_words_apart() {
        assert_eq!(path_words("src/routing/routes.rs"), ["rout", "rs", "src"]);
        assert_eq!(root("queries").as_deref(), Some("query"));
        assert_eq!(root("x"), None);
        assert_eq!(root("7").as_deref(), Some("7"));
        assert_eq!(spellings("Fix lost routes of routing")["rout"], "routes");
    }
}
