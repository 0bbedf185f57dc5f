//! What manifests run under names of their own.

use oldhand_domain::port::Tree;
use serde_json::Value;

/// Manifests that name commands, and where.
const MANIFESTS: [(&str, &str); 3] = [
    ("package.json", "scripts"),
    ("deno.json", "tasks"),
    ("composer.json", "scripts"),
];

/// The command lines that the manifests of a folder give a name.
pub(super) fn of(tree: Option<&dyn Tree>, folder: &str) -> Vec<String> {
    let Some(tree) = tree else {
        return Vec::new();
    };
    let lines = MANIFESTS.iter().flat_map(|(name, names)| {
        let path = match folder {
            "" => (*name).to_owned(),
            folder => format!("{folder}/{name}"),
        };
        let text = tree.text_of(&path).unwrap_or_default();
        named(&text, names)
    });
    lines.collect()
}

/// Whether a folder is one of the project's own today, and not of something that it depends on.
pub(super) fn is_there(tree: Option<&dyn Tree>, folder: &str) -> bool {
    let is_others = |step: &str| {
        matches!(
            step,
            "node_modules"
                | "vendor"
                | "third_party"
                | "third-party"
                | "site-packages"
                | ".venv"
                | "venv"
                | "deps"
                | "Pods"
                | "Carthage"
                | "target"
                | "dist"
        )
    };
    let is_own = !folder.split('/').any(is_others);
    folder.is_empty() || is_own && tree.is_some_and(|tree| tree.has_folder(folder))
}

fn named(manifest: &str, names: &str) -> Vec<String> {
    let Ok(Value::Object(manifest)) = serde_json::from_str(manifest) else {
        return Vec::new();
    };
    let Some(Value::Object(scripts)) = manifest.get(names) else {
        return Vec::new();
    };
    let lines = scripts.values().filter_map(Value::as_str);
    lines.map(str::to_owned).collect()
}

#[test]
fn scripts_are_read_from_a_manifest_and_nothing_else() {
    let text = r#"{"name": "x", "scripts": {"test": "vitest run", "all": ["a", "b"]}}"#;
    assert_eq!(named(text, "scripts"), ["vitest run"]);
    for other in ["", "[]", "{", r#"{"scripts": "vitest"}"#] {
        assert_eq!(named(other, "scripts"), [""; 0], "{other}");
    }
}

#[test]
fn a_folder_is_there_if_the_tree_of_today_has_it_and_nobody_else_wrote_it() {
    struct Has;
    impl Tree for Has {
        fn look_for(&self, _: &[String]) -> Vec<oldhand_domain::port::Presence> {
            Vec::new()
        }

        fn depends_on(&self, _: &str) -> bool {
            false
        }

        fn text_of(&self, _: &str) -> Option<String> {
            None
        }

        fn has_folder(&self, folder: &str) -> bool {
            folder != "gone"
        }
    }
    for (folder, expected) in [
        ("", true),
        ("web", true),
        ("gone", false),
        ("node_modules/left", false),
        ("web/vendor/lib", false),
    ] {
        assert_eq!(is_there(Some(&Has), folder), expected, "{folder}");
    }
    assert!(!is_there(None, "web"), "nobody looked");
}
