//! What a validation found wrong.

use serde::{Deserialize, Serialize};

use super::BoundedText;
use crate::path::ProjectPath;
use crate::spelled::spelled;

/// One thing a validation found wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    pub severity: Severity,
    pub text: BoundedText,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<ProjectPath>,
}

/// The longest words of an issue.
const ISSUE_LIMIT: usize = 400;

impl Issue {
    /// Reads `SEVERITY FILE: words`, of which only the words need be there. What nobody called grave is medium.
    pub fn read(told: &str, place: impl Fn(&str) -> Option<ProjectPath>) -> Self {
        let told = told.trim();
        let (severity, file, words) = parts(told).unwrap_or((Severity::Medium, None, told));
        Self {
            severity,
            text: BoundedText::head(words, ISSUE_LIMIT),
            file: file.and_then(place),
        }
    }

    /// Reads `SEVERITY FILE: words` or `SEVERITY: words`, and nothing else.
    pub fn parse(
        told: &str,
        place: impl Fn(&str) -> Option<ProjectPath>,
    ) -> Result<Self, IssueError> {
        let (severity, file, words) = parts(told.trim())?;
        let file = file.map(|file| place(file).ok_or_else(|| IssueError::Place(file.to_owned())));
        Ok(Self {
            severity,
            text: BoundedText::head(words, ISSUE_LIMIT),
            file: file.transpose()?,
        })
    }
}

/// What keeps words from being an issue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IssueError {
    #[error("no colon parts what is wrong from where it is")]
    Colon,
    #[error("`{0}` is no severity")]
    Severity(String),
    #[error("more than a severity and one file stands before the colon")]
    Files,
    #[error("it does not say what is wrong")]
    Words,
    #[error("`{0}` is no file of this project")]
    Place(String),
}

fn parts(told: &str) -> Result<(Severity, Option<&str>, &str), IssueError> {
    let (before, words) = told.split_once(':').ok_or(IssueError::Colon)?;
    let mut before = before.split_whitespace();
    let named = before.next().unwrap_or_default();
    let severity = named.to_lowercase().parse::<Severity>();
    let severity = severity.map_err(|_| IssueError::Severity(named.to_owned()))?;
    let file = before.next();
    if before.next().is_some() {
        return Err(IssueError::Files);
    }
    let words = without_place(words).trim();
    if words.is_empty() {
        return Err(IssueError::Words);
    }
    Ok((severity, file, words))
}

/// The words behind a line and a column, as compilers write them after a file.
fn without_place(words: &str) -> &str {
    let mut rest = words;
    while let Some((number, after)) = rest.split_once(':') {
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        rest = after;
    }
    rest
}

spelled! {
    /// How bad an issue is.
    Severity, "severity", {
        Critical => "critical",
        High => "high",
        Medium => "medium",
        Low => "low",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_called_grave_is_grave() {
        let read = |told: &str| {
            let issue = Issue::read(told, |file| ProjectPath::new(file).ok());
            let file = issue.file.map(|file| file.to_string()).unwrap_or_default();
            format!("{} [{file}] {}", issue.severity, issue.text.as_str())
        };
        assert_eq!(read("high src/a.rs: it leaks"), "high [src/a.rs] it leaks");
        assert_eq!(read("Critical: it: leaks"), "critical [] it: leaks");
        assert_eq!(read("nit: a shorter name"), "medium [] nit: a shorter name");
        assert_eq!(read("the cache leaks"), "medium [] the cache leaks");
        assert_eq!(read("low:"), "medium [] low:");
    }

    #[test]
    fn an_issue_has_one_form() {
        let parse = |told: &str| {
            let issue = Issue::parse(told, |file| ProjectPath::new(file).ok());
            issue.map_or_else(
                |why| why.to_string(),
                |issue| {
                    format!(
                        "{} {:?} {}",
                        issue.severity,
                        issue.file,
                        issue.text.as_str()
                    )
                },
            )
        };
        for (told, read) in [
            ("low: a: b", "low None a: b"),
            (
                "the cache leaks",
                "no colon parts what is wrong from where it is",
            ),
            ("terrible x: y", "`terrible` is no severity"),
            ("high : ", "it does not say what is wrong"),
            (
                "high a.rs b.rs: y",
                "more than a severity and one file stands before the colon",
            ),
            (
                "critical ../../etc/passwd: boom",
                "`../../etc/passwd` is no file of this project",
            ),
        ] {
            assert_eq!(parse(told), read, "{told}");
        }
        let placed = parse("high src/a.rs:12:4: it leaks");
        assert!(placed.ends_with(" it leaks"), "{placed}");
        assert!(placed.contains("src/a.rs"), "{placed}");
    }
}
