//! Why a dependency stays at its version: the manifest of today says which, the agent's words say why.

use oldhand_domain::path::ProjectPath;

use super::{gotcha, line};
use crate::distill::Wording;

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

/// The pin that the manifest has today of the dependency that a statement names first, with what the statement gives as its reason;
/// `None` where it has none or no reason is told.
pub fn keep(statement: &str, manifest: &ProjectPath, text: &str) -> Option<Wording> {
    let words = statement
        .split(|c: char| !(c.is_alphanumeric() || "-_@/".contains(c)))
        .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 3);
    let (name, version) = words
        .map(str::to_lowercase)
        .find_map(|word| Some((word.clone(), pinned(&word, text)?)))?;
    let clauses = statement.split([';', '—']);
    let clauses = clauses.flat_map(|clause| clause.split(", and "));
    let reason = clauses
        .map(|clause| clause.trim().trim_end_matches('.'))
        .filter(|clause| clause.len() >= SHORTEST && has_version(clause))
        .last()?;
    let reason = reason.replace(" just ", " ");
    let told = format!("{KEEP}{name}` at `{version}` (`{manifest}`): {reason}.");
    let summary = line(&format!("{KEEP}{name}` at `{version}`: {reason}"));
    Some(gotcha(told, summary))
}

/// A shorter reason says nothing.
const SHORTEST: usize = 30;

/// What a manifest asks of a dependency, where that is a bound: `"mcp>=1.2,<2"`, `"typescript": "~5.9.2"`, `serde = "=1.0.1"`.
fn pinned(name: &str, manifest: &str) -> Option<String> {
    manifest.lines().find_map(|text| {
        let entry = text.trim().trim_matches(|c| "\"',".contains(c));
        let lower = entry.to_lowercase();
        let rest = lower.strip_prefix(name)?;
        let rest = rest.trim_start_matches(|c: char| "\"' ".contains(c));
        let is_bound = rest.starts_with(|c: char| ":=<>~^!@v[".contains(c) || c.is_ascii_digit());
        let version = rest.trim_start_matches([':', '=', ' ', '"', '\'', '[']);
        let version = &entry[entry.len() - version.len()..];
        let end = version.find(['"', '\'', ';', '}']);
        let version = version[..end.unwrap_or(version.len())].trim_end_matches([',', ' ']);
        let has_digit = version.chars().any(|c| c.is_ascii_digit());
        (is_bound && has_digit && version.len() < 40).then(|| version.to_owned())
    })
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
            "Not an old environment, but a gap: `relay>=1.2` has no upper bound, and `relay` just shipped a breaking `2.0.0` (`relay.fast` moved).",
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
            "It is the Typed v7 upgrade (`~5.9.2` → `~7.0.2`) — Expo SDK 55's CLI expects TS 5.x's API shape.",
            &node,
            "  \"dependencies\": {\n    \"typed\": \"~5.9.2\",\n  }\n",
        );
        assert_eq!(
            told.unwrap().content,
            "Keep `typed` at `~5.9.2` (`package.json`): Expo SDK 55's CLI expects TS 5.x's API shape."
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
}
