//! What manifests say: names, entry points, and how to build and test.

mod python;

use serde_json::Value;

use crate::project::{Manifest, join, parent};

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    Build,
    Test,
    Lint,
    Run,
}

impl Purpose {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Test => "test",
            Self::Lint => "lint",
            Self::Run => "run",
        }
    }
}

/// A command line, to be run in `folder`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Command {
    pub purpose: Purpose,
    pub line: String,
    pub folder: String,
}

/// Whether a manifest of this name starts a package.
pub(super) fn marks_package(name: &str) -> bool {
    !matches!(
        name,
        "Makefile"
            | "justfile"
            | "CMakeLists.txt"
            | "pnpm-workspace.yaml"
            | "lerna.json"
            | "go.work"
            | "tox.ini"
            | "pytest.ini"
            | "conftest.py"
            | "mise.toml"
            | "Taskfile.yml"
            | "Taskfile.yaml"
            | "yarn.lock"
            | "pnpm-lock.yaml"
            | "bun.lock"
            | "bun.lockb"
    ) && !crate::walk::is_script_config(name)
}

/// The commands of the manifests nearest to `folder`, going up.
pub fn commands(manifests: &[Manifest], folder: &str) -> Vec<Command> {
    let mut at = folder;
    loop {
        let here = manifests.iter().filter(|manifest| manifest.folder() == at);
        let mut found: Vec<Command> = here
            .flat_map(|manifest| of_manifest(manifest, manifests))
            .collect();
        if !found.is_empty() {
            found.sort();
            found.dedup();
            return found;
        }
        if at.is_empty() {
            return Vec::new();
        }
        at = parent(at);
    }
}

fn of_manifest(manifest: &Manifest, all: &[Manifest]) -> Vec<Command> {
    let folder = manifest.folder().to_owned();
    let make = |purpose, line: String| Command {
        purpose,
        line,
        folder: folder.clone(),
    };
    let fixed = |pairs: &[(Purpose, &str)]| {
        pairs
            .iter()
            .map(|(purpose, line)| make(*purpose, (*line).to_owned()))
            .collect::<Vec<_>>()
    };
    match manifest.file_name() {
        "package.json" => {
            let value: Value = serde_json::from_str(&manifest.text).unwrap_or_default();
            let tool = package_tool(all, &value);
            let scripts = value["scripts"].as_object();
            let known = [
                ("build", Purpose::Build),
                ("test", Purpose::Test),
                ("lint", Purpose::Lint),
                ("start", Purpose::Run),
                ("dev", Purpose::Run),
            ];
            // npm writes a test that is none into every new manifest.
            let is_script = |name: &str| {
                let script = scripts.and_then(|scripts| scripts.get(name));
                script.is_some_and(|script| {
                    let line = script.as_str().unwrap_or_default();
                    !line.contains("no test specified")
                })
            };
            let found = known.iter().filter(|(name, _)| is_script(name));
            found
                .map(|(name, purpose)| make(*purpose, format!("{tool} run {name}")))
                .collect()
        }
        "Cargo.toml" => match package_name(manifest) {
            Some(name) => vec![
                make(Purpose::Build, format!("cargo build -p {name}")),
                make(Purpose::Test, format!("cargo test -p {name}")),
            ],
            None => fixed(&[
                (Purpose::Build, "cargo build --workspace"),
                (Purpose::Test, "cargo test --workspace"),
            ]),
        },
        "go.mod" => fixed(&[
            (Purpose::Build, "go build ./..."),
            (Purpose::Test, "go test ./..."),
            (Purpose::Lint, "go vet ./..."),
        ]),
        "pyproject.toml" | "setup.py" | "setup.cfg" | "tox.ini" | "pytest.ini" => {
            python::tests(manifest, all)
        }
        "mise.toml" => {
            let table = toml_table(manifest).unwrap_or_default();
            let tasks = table.get("tasks").and_then(toml::Value::as_table);
            let has = |name: &str| tasks.is_some_and(|tasks| tasks.contains_key(name));
            known_recipes(has, "mise run", make)
        }
        "Taskfile.yml" | "Taskfile.yaml" => {
            let has = |name: &str| {
                let mut lines = manifest.text.lines();
                lines.any(|line| line.strip_prefix("  ") == Some(&format!("{name}:")))
            };
            known_recipes(has, "task", make)
        }
        "pom.xml" => fixed(&[(Purpose::Build, "mvn package"), (Purpose::Test, "mvn test")]),
        "build.gradle" | "build.gradle.kts" => fixed(&[
            (Purpose::Build, "gradle build"),
            (Purpose::Test, "gradle test"),
        ]),
        "Package.swift" => fixed(&[
            (Purpose::Build, "swift build"),
            (Purpose::Test, "swift test"),
        ]),
        "build.sbt" => fixed(&[(Purpose::Build, "sbt compile"), (Purpose::Test, "sbt test")]),
        "composer.json" => {
            let value: Value = serde_json::from_str(&manifest.text).unwrap_or_default();
            let has_test =
                value["scripts"]["test"].is_string() || value["scripts"]["test"].is_array();
            fixed(&[(
                Purpose::Test,
                if has_test {
                    "composer test"
                } else {
                    "vendor/bin/phpunit"
                },
            )])
        }
        "Gemfile" => {
            let line = if manifest.text.contains("rspec") {
                "bundle exec rspec"
            } else {
                "bundle exec rake test"
            };
            fixed(&[(Purpose::Test, line)])
        }
        "CMakeLists.txt" => fixed(&[
            (Purpose::Build, "cmake -B build && cmake --build build"),
            (Purpose::Test, "ctest --test-dir build"),
        ]),
        "Makefile" => known_recipes(|name| has_recipe(&manifest.text, name), "make", make),
        "justfile" => known_recipes(|name| has_recipe(&manifest.text, name), "just", make),
        name if name.rsplit('.').next() == Some("csproj") => fixed(&[
            (Purpose::Build, "dotnet build"),
            (Purpose::Test, "dotnet test"),
        ]),
        _ => Vec::new(),
    }
}

/// The commands of a tool that runs what it is told by name.
fn known_recipes(
    has: impl Fn(&str) -> bool,
    tool: &str,
    make: impl Fn(Purpose, String) -> Command,
) -> Vec<Command> {
    let known = [
        ("build", Purpose::Build),
        ("test", Purpose::Test),
        ("check", Purpose::Test),
        ("lint", Purpose::Lint),
        ("run", Purpose::Run),
    ];
    let there = known.iter().filter(|(name, _)| has(name));
    there
        .map(|(name, purpose)| make(*purpose, format!("{tool} {name}")))
        .collect()
}

fn has_recipe(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        line.strip_prefix(name)
            .is_some_and(|rest| rest.trim_start().starts_with(':'))
    })
}

fn package_tool(all: &[Manifest], value: &Value) -> &'static str {
    let told = value["packageManager"].as_str().unwrap_or_default();
    let has = |names: &[&str]| {
        let mut all = all.iter();
        all.any(|manifest| names.contains(&manifest.file_name()))
    };
    if told.starts_with("pnpm") || has(&["pnpm-workspace.yaml", "pnpm-lock.yaml"]) {
        "pnpm"
    } else if told.starts_with("yarn") || has(&["yarn.lock"]) {
        "yarn"
    } else if told.starts_with("bun") || has(&["bun.lock", "bun.lockb"]) {
        "bun"
    } else {
        "npm"
    }
}

/// What the package of a manifest is called.
pub(super) fn package_name(manifest: &Manifest) -> Option<String> {
    match manifest.file_name() {
        "package.json" | "composer.json" | "deno.json" => {
            let value: Value = serde_json::from_str(&manifest.text).ok()?;
            Some(value["name"].as_str()?.to_owned())
        }
        "Cargo.toml" => Some(
            toml_table(manifest)?
                .get("package")?
                .get("name")?
                .as_str()?
                .to_owned(),
        ),
        "pyproject.toml" => Some(
            toml_table(manifest)?
                .get("project")?
                .get("name")?
                .as_str()?
                .to_owned(),
        ),
        "go.mod" => {
            let module = manifest
                .text
                .lines()
                .find_map(|line| line.strip_prefix("module "))?;
            Some(module.trim().rsplit('/').next()?.to_owned())
        }
        _ => None,
    }
}

/// What a manifest says its package is for.
pub(super) fn description(manifest: &Manifest) -> Option<String> {
    let text = match manifest.file_name() {
        "package.json" | "composer.json" => {
            let value: Value = serde_json::from_str(&manifest.text).ok()?;
            value["description"].as_str()?.to_owned()
        }
        "Cargo.toml" => toml_table(manifest)?
            .get("package")?
            .get("description")?
            .as_str()?
            .to_owned(),
        "pyproject.toml" => toml_table(manifest)?
            .get("project")?
            .get("description")?
            .as_str()?
            .to_owned(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// Paths that manifests of `folder` name as where to begin, also without extension and as the source of what is built.
pub(super) fn entry_paths(manifests: &[Manifest], folder: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for manifest in manifests
        .iter()
        .filter(|manifest| manifest.folder() == folder)
    {
        match manifest.file_name() {
            "package.json" => {
                let value: Value = serde_json::from_str(&manifest.text).unwrap_or_default();
                let mut told: Vec<&str> = ["main", "module", "source", "bin"]
                    .iter()
                    .filter_map(|key| value[*key].as_str())
                    .collect();
                told.extend(
                    value["bin"]
                        .as_object()
                        .into_iter()
                        .flatten()
                        .filter_map(|(_, path)| path.as_str()),
                );
                paths.extend(told.into_iter().filter_map(|path| join(folder, path)));
            }
            "Cargo.toml" => {
                let table = toml_table(manifest).unwrap_or_default();
                let named = table
                    .get("bin")
                    .and_then(toml::Value::as_array)
                    .into_iter()
                    .flatten();
                let named = named.filter_map(|bin| bin.get("path")?.as_str());
                paths.extend(
                    ["src/main.rs", "src/lib.rs"]
                        .into_iter()
                        .chain(named)
                        .filter_map(|path| join(folder, path)),
                );
            }
            _ => {}
        }
    }
    paths
}

fn toml_table(manifest: &Manifest) -> Option<toml::Table> {
    toml::from_str(&manifest.text).ok()
}
