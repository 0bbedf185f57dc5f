//! What a project calls itself in its manifests.

/// Whether the manifest with this file name says that what it describes is called so.
pub(super) fn is_own_name(manifest: &str, text: &str, name: &str) -> bool {
    let own = match manifest {
        "package.json" | "composer.json" | "deno.json" => of_json(text),
        "go.mod" => of_module(text),
        "Cargo.toml" | "pyproject.toml" => of_table(text),
        _ => None,
    };
    own.is_some_and(|own| own.eq_ignore_ascii_case(name))
}

fn of_json(text: &str) -> Option<String> {
    let read: serde_json::Value = serde_json::from_str(text).ok()?;
    read.get("name")?.as_str().map(str::to_owned)
}

/// The last part of its path that is no version.
fn of_module(text: &str) -> Option<String> {
    let path = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("module "))?;
    let is_version = |part: &&str| {
        let number = part.strip_prefix('v');
        number.is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
    };
    let mut parts = path.trim().trim_matches('"').rsplit('/');
    parts.find(|part| !is_version(part)).map(str::to_owned)
}

fn of_table(text: &str) -> Option<String> {
    let read: toml::Table = text.parse().ok()?;
    let poetry = || read.get("tool")?.get("poetry");
    let tables = [read.get("package"), read.get("project"), poetry()];
    let mut names = tables.into_iter().flatten();
    names.find_map(|table| table.get("name")?.as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_says_what_it_describes() {
        for (manifest, text, name, expected) in [
            ("Cargo.toml", "[package]\nname = \"shop\"\n", "Shop", true),
            (
                "Cargo.toml",
                "[dependencies]\nshop = \"1\"\n",
                "Shop",
                false,
            ),
            ("Cargo.toml", "[package\nname = \"shop\"\n", "Shop", false),
            (
                "pyproject.toml",
                "[project]\nname = \"shop\"\n",
                "shop",
                true,
            ),
            (
                "pyproject.toml",
                "[tool.poetry]\nname = \"shop\"\n",
                "Shop",
                true,
            ),
            (
                "pyproject.toml",
                "[[tool.uv.index]]\nname = \"larch\"\n",
                "Larch",
                false,
            ),
            ("package.json", "{\"name\": \"shop\"}", "Shop", true),
            (
                "package.json",
                "{\"name\": \"shop\", \"dependencies\": {\"larch\": \"1\"}}",
                "Larch",
                false,
            ),
            // What wraps somebody's library bears its name, and not alone.
            (
                "package.json",
                "{\"name\": \"@shop/larch\"}",
                "Larch",
                false,
            ),
            ("go.mod", "module example.org/me/shop/v2\n", "Shop", true),
            (
                "go.mod",
                "module shop\n\nrequire larch v1\n",
                "Larch",
                false,
            ),
            ("Makefile", "name = shop\n", "shop", false),
        ] {
            let is_own = is_own_name(manifest, text, name);
            assert_eq!(is_own, expected, "{manifest}: {text}");
        }
    }
}
