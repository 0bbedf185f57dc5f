//! What somebody found of the work or of a part of it, in words.

use oldhand_domain::event::{Happening, Issue};

use super::{FULL_LENGTH, clip_at};

pub(super) fn describe_verdict(what: &Happening) -> Option<String> {
    match what {
        Happening::Validated { passed, by, issues } => Some(describe(
            by,
            "it",
            if *passed { "right" } else { "wrong" },
            issues,
        )),
        Happening::SubtaskValidated {
            subtask,
            passed,
            by,
            issues,
        } if !issues.is_empty() => {
            let part = format!("subtask `{subtask}`");
            Some(describe(
                by,
                &part,
                if *passed { "right" } else { "wrong" },
                issues,
            ))
        }
        _ => None,
    }
}

fn describe(by: &str, what: &str, verdict: &str, issues: &[Issue]) -> String {
    let first = issues.first().map(|issue| issue.text.as_str());
    let issue = first.map(|words| format!(": {}", clip_at(words, FULL_LENGTH)));
    format!("{by} found {what} {verdict}{}", issue.unwrap_or_default())
}
