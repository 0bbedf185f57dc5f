//! Why a dependency stays at its version: the manifest of today says which, the agent's words say why.

use oldhand_domain::path::ProjectPath;

use super::{gotcha, line};
use crate::distill::Wording;
use crate::paths;

/// How such a statement begins.
pub(super) const KEEP: &str = "Keep `";

/// Whether a text names a version: `v7`, `2.0.0`, `>=1.2`, `5.x`.
pub(super) fn has_version(text: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || "`()[]\"',;:→".contains(c))
        .any(is_version)
}

fn is_version(word: &str) -> bool {
    let word = word.trim_matches(|c: char| "~^<>=.".contains(c));
    let numbers = word.strip_prefix('v').unwrap_or(word);
    let mut parts = numbers.split('.');
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    let leads = parts.next().is_some_and(digits);
    let rest: Vec<&str> = parts.collect();
    let is_number = |part: &&str| digits(part) || *part == "x";
    leads && rest.iter().all(is_number) && (numbers.len() < word.len() || !rest.is_empty())
}

/// The pin that the manifest has today of the dependency that a statement names first, between backticks before elsewhere, with what
/// the statement gives as its reason; `None` where it has none or no reason is told.
pub fn keep(statement: &str, manifest: &ProjectPath, text: &str) -> Option<Wording> {
    let entries = dependencies(manifest, text);
    let quoted = statement.split('`').skip(1).step_by(2);
    let (name, version) = quoted
        .chain([statement])
        .flat_map(words)
        .find_map(|word| entries.iter().find_map(|entry| pinned(word, entry)))?;
    let clauses = statement.split([';', '—']);
    let clauses = clauses.flat_map(|clause| clause.split(", and "));
    let reason = clauses
        .map(|clause| clause.trim().trim_end_matches('.'))
        .filter(|clause| clause.len() >= SHORTEST && has_version(clause))
        .last()?;
    let told = format!("{KEEP}{name}` at `{version}` (`{manifest}`): {reason}.");
    let summary = line(&format!("{KEEP}{name}` at `{version}`: {reason}"));
    Some(gotcha(told, summary))
}

/// A shorter reason says nothing.
const SHORTEST: usize = 30;

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || "-_@/".contains(c)))
        .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 3)
}

/// The lines of a manifest that ask for others' work: the rest are keys of its own, as its `version` and its `name`.
fn dependencies<'t>(manifest: &ProjectPath, text: &'t str) -> Vec<&'t str> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    if !has_sections(manifest) {
        return lines.map(str::trim).collect();
    }
    let mut entries = Vec::new();
    // How far in a line has to stand to be one of them.
    let mut least: Option<usize> = None;
    for line in lines {
        let entry = line.trim();
        let depth = line.len() - line.trim_start().len();
        if entry.starts_with('[') && entry.ends_with(']') {
            let path = entry.trim_matches(['[', ']']);
            let last = path.rsplit('.').next().unwrap_or(path);
            least = names_dependencies(last).then_some(depth);
            continue;
        }
        least = least.filter(|least| depth >= *least);
        if least.is_some() {
            entries.push(entry);
        } else if entry.ends_with(['{', '[', '(', ':', '=']) && names_dependencies(entry) {
            least = Some(depth + 1);
        }
    }
    entries
}

/// Whether a manifest holds anything but what it asks for.
fn has_sections(manifest: &ProjectPath) -> bool {
    !matches!(
        paths::file_name(manifest.as_str()).rsplit_once('.'),
        None | Some((_, "txt"))
    )
}

/// Whether what follows such a key is asked for: `"devDependencies": {`, `require (`, `dev-packages`.
fn names_dependencies(key: &str) -> bool {
    let key = key
        .trim_start_matches(['"', '\'', ' '])
        .to_ascii_lowercase();
    let end = key.find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
    let key = &key[..end.unwrap_or(key.len())];
    key.contains("dependenc")
        || key.contains("require")
        || key.ends_with("packages")
        || matches!(key, "catalog" | "engines" | "overrides" | "resolutions")
}

/// What an entry asks of a dependency, where it is the one of that name and that is a bound: `"mcp>=1.2,<2"`, `"typescript": "~5.9.2"`,
/// `serde = "=1.0.1"`.
fn pinned<'e>(name: &str, entry: &'e str) -> Option<(&'e str, &'e str)> {
    let entry = entry.trim_matches(|c| "\"',".contains(c));
    let (own, rest) = entry.split_at_checked(name.len())?;
    let rest = rest.trim_start_matches(['"', '\'', ' ']);
    let is_bound = rest.starts_with(|c: char| ":=<>~^!@v[".contains(c) || c.is_ascii_digit());
    let version = rest.trim_start_matches([':', '=', ' ', '"', '\'', '[']);
    let end = version.find(['"', '\'', ';', '}']);
    let version = version[..end.unwrap_or(version.len())].trim_end_matches([',', ' ']);
    let has_digit = version.chars().any(|c| c.is_ascii_digit());
    let is_asked = own.eq_ignore_ascii_case(name) && is_bound && has_digit && version.len() < 40;
    is_asked.then_some((own, version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_from_numbers_and_commits() {
        for word in ["v7", "2.0.0", ">=1.2", "5.x", "~5.9.2"] {
            assert!(is_version(word), "{word}");
        }
        for word in ["7", "d22ba16", "a.b", "v", "1.2ab", ""] {
            assert!(!is_version(word), "{word}");
        }
    }

    #[test]
    fn a_pin_of_today_is_told_with_its_reason() {
        let python = ProjectPath::new("pyproject.toml").unwrap();
        let told = keep(
            "`relay>=1.2` has no upper bound, and `relay` shipped a breaking `2.0.0` (`relay.fast` moved).",
            &python,
            "dependencies = [\n  \"httpx>=0.27\",\n  \"relay>=1.2,<2\",\n]\n",
        );
        assert_eq!(
            told.unwrap().content,
            "Keep `relay` at `>=1.2,<2` (`pyproject.toml`): `relay` shipped a breaking `2.0.0` (`relay.fast` moved)."
        );
        let content = "Keep `relay` at `>=1.2,<2` (`pyproject.toml`): `relay.fast` moved.";
        assert_eq!(super::super::names_to_find(content), ["relay"]);
        let node = ProjectPath::new("package.json").unwrap();
        let told = keep(
            "It is the Typed v7 upgrade (`~5.9.2` → `~7.0.2`) — the Heron builder reads the tree of Typed 5.x.",
            &node,
            "  \"dependencies\": {\n    \"typed\": \"~5.9.2\",\n  }\n",
        );
        assert_eq!(
            told.unwrap().content,
            "Keep `typed` at `~5.9.2` (`package.json`): the Heron builder reads the tree of Typed 5.x."
        );
        assert_eq!(
            keep(
                "`relay` 2.0.0 moved its fast server elsewhere.",
                &python,
                "name = \"x\""
            ),
            None
        );
    }

    #[test]
    fn the_keys_of_a_manifest_itself_are_no_pins() {
        let statement =
            "The version of the builder that Heron 54.0.1 ships reads the tree of Typed 5.x only";
        let node = ProjectPath::new("package.json").unwrap();
        let with = |typed: &str| {
            format!(
                "{{\n  \"version\": \"1.4.0\",\n  \"devDependencies\": {{\n    \"vite\": \"^6.0.0\"{typed}\n  }},\n  \"builder\": \"2.0.0\"\n}}\n"
            )
        };
        assert_eq!(keep(statement, &node, &with("")), None);
        let told = keep(statement, &node, &with(",\n    \"typed\": \"~5.9.2\""));
        assert!(
            told.unwrap()
                .content
                .starts_with("Keep `typed` at `~5.9.2`")
        );
        let cargo = ProjectPath::new("Cargo.toml").unwrap();
        let text = "[package]\nversion = \"0.3.0\"\n\n[dependencies.heron]\nversion = \"1\"\n[dependencies]\ntyped = \"=5.9.2\"\n";
        let told = keep(statement, &cargo, text);
        assert!(told.unwrap().content.starts_with("Keep `typed` at `5.9.2`"));
    }

    #[test]
    fn a_name_between_backticks_is_meant_before_any_other() {
        let list = ProjectPath::new("requirements.txt").unwrap();
        let told = keep(
            "The server of 2.0.0 was moved by its makers, so that `relay` cannot go on from 1.9",
            &list,
            "server==3.1\nrelay==1.9\n",
        );
        assert!(told.unwrap().content.starts_with("Keep `relay` at `1.9`"));
    }

    #[test]
    fn letters_that_change_their_length_in_lower_case_are_read_as_they_stand() {
        let list = ProjectPath::new("requirements.txt").unwrap();
        for text in [
            "relay=İİİİİİİİ",
            "relay: \"\u{212a}\u{212a}1\"",
            "rela\u{212a}=1",
        ] {
            keep(
                "`relay` 2.0.0 moved its fast server elsewhere.",
                &list,
                text,
            );
        }
    }
}
