//! What a project calls itself and its programs, in its manifests and, in Go, by a folder.

/// Whether the manifest with this file name says that what it describes, or a program of it, is called so.
pub(super) fn is_own_name(manifest: &str, text: &str, name: &str) -> bool {
    let mut called = called(manifest, || Some(text.to_owned())).into_iter();
    called.any(|own| own.eq_ignore_ascii_case(name))
}

/// What the manifest with this file name calls what it describes, and the programs that come with it; only a manifest is read.
pub fn called(manifest: &str, read: impl FnOnce() -> Option<String>) -> Vec<String> {
    const SAYING: [&str; 6] = [
        "package.json",
        "composer.json",
        "deno.json",
        "go.mod",
        "Cargo.toml",
        "pyproject.toml",
    ];
    let Some(text) = SAYING.contains(&manifest).then(read).flatten() else {
        return Vec::new();
    };
    let text = text.as_str();
    let own = match manifest {
        "package.json" | "composer.json" | "deno.json" => of_json(text),
        "go.mod" => of_module(text),
        "Cargo.toml" | "pyproject.toml" => of_table(text),
        _ => None,
    };
    let programs = match manifest {
        "package.json" => of_bin(text),
        "Cargo.toml" | "pyproject.toml" => of_scripts(text),
        _ => Vec::new(),
    };
    own.into_iter().chain(programs).collect()
}

/// Whether a file is the beginning of a program of that name: `cmd/shop/main.go`.
pub(super) fn begins_program(path: &str, name: &str) -> bool {
    let folder = path.strip_suffix("/main.go").unwrap_or_default();
    let mut steps = folder.rsplit('/');
    let is_it = steps.next().is_some_and(|last| last == name);
    is_it && steps.next() == Some("cmd")
}

/// The programs that a package brings besides the one that is called as it is.
fn of_bin(text: &str) -> Vec<String> {
    let read: Option<serde_json::Value> = serde_json::from_str(text).ok();
    let programs = read.as_ref().and_then(|read| read.get("bin")?.as_object());
    programs.map_or_else(Vec::new, |programs| programs.keys().cloned().collect())
}

fn of_scripts(text: &str) -> Vec<String> {
    let Ok(read) = text.parse::<toml::Table>() else {
        return Vec::new();
    };
    let poetry = || read.get("tool")?.get("poetry");
    let tables = [read.get("project"), poetry()].into_iter().flatten();
    let scripts = tables.filter_map(|table| table.get("scripts")?.as_table());
    let scripts = scripts.flat_map(|scripts| scripts.keys().cloned());
    let bins = read.get("bin").and_then(toml::Value::as_array);
    let bins = bins.into_iter().flatten();
    let bins = bins.filter_map(|bin| bin.get("name")?.as_str().map(str::to_owned));
    scripts.chain(bins).collect()
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
            // A program of it.
            (
                "package.json",
                "{\"name\": \"@me/shop\", \"bin\": {\"till\": \"till.js\"}}",
                "till",
                true,
            ),
            (
                "package.json",
                "{\"name\": \"shop\", \"bin\": \"till.js\"}",
                "till",
                false,
            ),
            (
                "pyproject.toml",
                "[project]\nname = \"shop\"\n[project.scripts]\ntill = \"shop:till\"\n",
                "till",
                true,
            ),
            (
                "Cargo.toml",
                "[package]\nname = \"shop\"\n[[bin]]\nname = \"till\"\n",
                "till",
                true,
            ),
            (
                "Cargo.toml",
                "[package]\nname = \"shop\"\n[[example]]\nname = \"till\"\n",
                "till",
                false,
            ),
        ] {
            let is_own = is_own_name(manifest, text, name);
            assert_eq!(is_own, expected, "{manifest}: {text}");
        }
    }

    #[test]
    fn a_folder_of_programs_names_them() {
        for (path, name, expected) in [
            ("cmd/till/main.go", "till", true),
            ("tools/cmd/till/main.go", "till", true),
            ("cmd/till/serve/main.go", "till", false),
            ("cmd/till/main_test.go", "till", false),
            ("till/main.go", "till", false),
            ("main.go", "", false),
        ] {
            assert_eq!(begins_program(path, name), expected, "{path}");
        }
    }
}
