//! Secrets out of text, before it is stored or shown.
//!
//! [`redact`] is the one door: everything that is written to a store or handed to a model passes through it.
//! [`Redactor`] is the same door for input too large to hold. A secret becomes `[REDACTED:kind]`, and a
//! [`Finding`] says what was there and where, never the secret itself.
//!
//! There is no regular expression in this room. A rule is data (`rules`): a literal that must be present (its
//! anchor) and the shape around it. One pass over the text finds all anchors (`filter`), so text without any
//! costs one table look-up per byte, nothing is compiled when a process starts, and no input can make a rule
//! take longer than linear time.

mod base64;
mod encoded;
mod filter;
mod kind;
mod language;
#[cfg(test)]
mod laws;
mod name;
mod placeholder;
mod read;
mod rule;
mod rules;
mod scan;
mod shape;
mod span;
mod stream;
mod value;
mod words;
mod work;

use std::borrow::Cow;

pub use kind::{SecretKind, UnknownKind};
use span::Span;
pub use stream::Redactor;

/// A text without its secrets, and what was taken out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// Borrowed from the input when nothing was found.
    pub text: Cow<'a, str>,
    /// In the order of the text.
    pub findings: Vec<Finding>,
}

/// What was found and where in the original text. It never holds the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: SecretKind,
    /// From 1.
    pub line: usize,
    /// From 1, counted in characters.
    pub column: usize,
}

/// Takes the secrets out of `text`. What it returns, given to it again, comes back unchanged.
pub fn redact(text: &str) -> Redacted<'_> {
    let spans = scan::settle(text);
    if spans.is_empty() {
        return Redacted {
            text: Cow::Borrowed(text),
            findings: Vec::new(),
        };
    }
    Redacted {
        text: Cow::Owned(span::replace(text, &spans)),
        findings: locate(text, &spans),
    }
}

/// Line and column of each of `spans`, which are sorted.
fn locate(text: &str, spans: &[Span]) -> Vec<Finding> {
    let (mut line, mut column, mut seen) = (1, 1, 0);
    let mut findings = Vec::with_capacity(spans.len());
    for span in spans {
        let passed = &text[seen..span.start];
        work::note(passed.len());
        if let Some(line_break) = passed.rfind('\n') {
            line += passed.bytes().filter(|byte| *byte == b'\n').count();
            column = 1 + passed[line_break + 1..].chars().count();
        } else {
            column += passed.chars().count();
        }
        seen = span.start;
        findings.push(Finding {
            kind: span.kind,
            line,
            column,
        });
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planted() -> String {
        ["AKIA", "Q3EGRIPW7XZLC2TM"].concat()
    }

    #[test]
    fn a_secret_becomes_its_kind_and_the_rest_stays() {
        let text = format!("first\nré use {} here", planted());
        let redacted = redact(&text);
        assert_eq!(
            redacted.text,
            "first\nré use [REDACTED:aws_access_key] here"
        );
        let expected = Finding {
            kind: SecretKind::AwsAccessKey,
            line: 2,
            column: 8,
        };
        assert_eq!(redacted.findings, [expected]);
    }

    #[test]
    fn clean_text_is_borrowed() {
        assert!(matches!(redact("nothing to see").text, Cow::Borrowed(_)));
    }

    #[test]
    fn a_second_time_changes_nothing() {
        let text = format!("one {} two {}", planted(), planted());
        let once = redact(&text);
        let twice = redact(&once.text);
        assert_eq!(twice.text, once.text);
        assert_eq!(twice.findings, []);
        assert_eq!(once.findings.len(), 2);
    }
}
