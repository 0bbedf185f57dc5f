//! Which paths a statement names.

use std::collections::BTreeSet;

use oldhand_domain::path::ProjectPath;

/// What is written in backticks and looks like a path: `src/db/schema.ts`, `Makefile.toml`.
pub(super) fn named_paths(content: &str) -> BTreeSet<ProjectPath> {
    let in_backticks = content.split('`').skip(1).step_by(2);
    // Outside of code a path is what could be nothing else: `File locking (src/locks.rs)`, and not `read/write` or `example.com/a.html`.
    let outside = content.split('`').step_by(2).flat_map(|text| {
        text.split(|c: char| c.is_whitespace() || "'\"()[]<>,;*".contains(c))
            .map(|word| word.trim_end_matches(['.', ':', '!', '?']))
            .filter(|word| is_file_in_folder(word))
    });
    in_backticks.chain(outside).filter_map(as_path).collect()
}

/// `src/locks.rs`, `src/step/`.
fn is_file_in_folder(word: &str) -> bool {
    let Some((folders, name)) = word.rsplit_once('/') else {
        return false;
    };
    let host = folders.split('/').next().unwrap_or_default();
    let is_folder = name.is_empty() && folders.contains('/');
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_ending = (1..=5).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && ending.chars().all(|c| c.is_ascii_alphanumeric());
    (is_ending || is_folder) && !host.is_empty() && !host.trim_start_matches('.').contains('.')
}

fn as_path(text: &str) -> Option<ProjectPath> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@');
    let path_like = text.chars().all(plain)
        && text.chars().any(char::is_alphanumeric)
        && (text.contains('/')
            || text
                .rsplit_once('.')
                .is_some_and(|(stem, _)| !stem.is_empty()));
    if !path_like || text.starts_with(['/', '@', '-']) || text.contains("..") {
        return None;
    }
    ProjectPath::new(text.trim_end_matches('/')).ok()
}

/// The file that is there in the place of another one: of the same name, with another ending for much the same.
pub(super) fn twin_of(
    path: &ProjectPath,
    exists: impl Fn(&ProjectPath) -> bool,
) -> Option<ProjectPath> {
    const ENDINGS: &[&[&str]] = &[
        &["yaml", "yml"],
        &["cjs", "cts", "js", "jsx", "mjs", "mts", "ts", "tsx"],
        &["json", "json5", "jsonc"],
        &["md", "mdc", "mdx"],
    ];
    let (stem, ending) = path.as_str().rsplit_once('.')?;
    let alike = ENDINGS.iter().find(|endings| endings.contains(&ending))?;
    let others = alike.iter().filter(|other| **other != ending);
    let mut others = others.filter_map(|other| ProjectPath::new(&format!("{stem}.{other}")).ok());
    others.find(|other| exists(other))
}

#[test]
fn a_file_may_be_there_with_another_ending() {
    for (named, there, expected) in [
        (".golangci.yml", ".golangci.yaml", true),
        ("prettier.config.js", "prettier.config.ts", true),
        ("web/tsconfig.json", "web/tsconfig.jsonc", true),
        ("notes.md", "notes.yaml", false),
        ("web/a.ts", "a.js", false),
        ("Makefile", "Makefile.js", false),
    ] {
        let named = ProjectPath::new(named).unwrap();
        let found = twin_of(&named, |path| path.as_str() == there);
        assert_eq!(found.is_some(), expected, "{named}");
    }
}
