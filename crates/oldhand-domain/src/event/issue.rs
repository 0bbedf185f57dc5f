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
        let parts = told.split_once(':').and_then(|(before, words)| {
            let mut before = before.split_whitespace();
            let severity = before.next()?.to_lowercase().parse::<Severity>().ok()?;
            let file = before.next();
            let is_all = before.next().is_none() && !words.trim().is_empty();
            is_all.then_some((severity, file, words.trim()))
        });
        let (severity, file, words) = parts.unwrap_or((Severity::Medium, None, told));
        Self {
            severity,
            text: BoundedText::head(words, ISSUE_LIMIT),
            file: file.and_then(place),
        }
    }
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
}
