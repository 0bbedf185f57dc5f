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
