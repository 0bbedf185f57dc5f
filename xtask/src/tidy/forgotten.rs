//! A Rust file that no module declares is never compiled: its tests pass because they do not run.

use std::collections::HashMap;

use super::{Finding, SourceFile};

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    let texts: HashMap<&str, &str> = files
        .iter()
        .map(|file| (file.path.as_str(), file.text.as_str()))
        .collect();
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let parents = parents(file);
        let name = file.name().trim_end_matches(".rs");
        let declared = parents
            .iter()
            .filter_map(|parent| texts.get(parent.as_str()))
            .any(|text| declares(text, name));
        if !parents.is_empty() && !declared {
            findings.push(Finding::in_file(
                file,
                "no module declares it, so it is never compiled",
            ));
        }
    }
    findings
}

/// The files that could declare this one; none for those that cargo finds by itself.
fn parents(file: &SourceFile) -> Vec<String> {
    let folder = file.folder();
    let Some(top) = ["src", "tests"]
        .into_iter()
        .find(|top| folder.split('/').any(|part| part == *top))
    else {
        return Vec::new();
    };
    let cargo_knows = match file.name() {
        "main.rs" => true,
        "lib.rs" => folder.ends_with("/src"),
        _ => folder.ends_with("/src/bin") || folder.ends_with("/tests"),
    };
    if cargo_knows {
        return Vec::new();
    }
    if top == "src" && folder.ends_with("/src") {
        return vec![format!("{folder}/lib.rs"), format!("{folder}/main.rs")];
    }
    vec![format!("{folder}.rs"), format!("{folder}/main.rs")]
}

fn declares(text: &str, name: &str) -> bool {
    let declaration = format!("mod {name};");
    text.lines().any(|line| {
        let line = line.trim_start();
        let start = line.strip_suffix(&declaration);
        start.is_some_and(|start| start.is_empty() || start.starts_with("pub"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::{file, told};
    use super::find;

    #[test]
    fn a_file_no_module_declares_is_told() {
        let files = [
            file("crates/a/src/lib.rs", "//! A.\nmod b;\n// mod d;\n"),
            file("crates/a/src/b.rs", "//! B.\n"),
            file("crates/a/src/b/c.rs", "//! C.\n"),
            file("crates/a/src/d.rs", "//! D.\n"),
            file("crates/a/tests/it/main.rs", "//! It.\n"),
            file("crates/a/tests/it/e.rs", "//! E.\n"),
        ];
        let why = "no module declares it, so it is never compiled";
        assert_eq!(
            told(&find(&files)),
            [
                format!("crates/a/src/b/c.rs: {why}"),
                format!("crates/a/src/d.rs: {why}"),
                format!("crates/a/tests/it/e.rs: {why}"),
            ]
        );
    }

    #[test]
    fn a_declared_file_is_fine() {
        let files = [
            file("crates/a/src/main.rs", "//! A.\npub(crate) mod b;\n"),
            file("crates/a/src/b.rs", "//! B.\n    mod c;\n"),
            file("crates/a/src/b/c.rs", "//! C.\n"),
            file("crates/a/src/bin/d.rs", "//! D.\n"),
            file("crates/a/tests/it/main.rs", "//! It.\nmod e;\n"),
            file("crates/a/tests/it/e.rs", "//! E.\n"),
            file("crates/a/tests/alone.rs", "//! Alone.\n"),
            file("crates/a/build.rs", "//! Build.\n"),
        ];
        assert_eq!(find(&files), []);
    }
}
