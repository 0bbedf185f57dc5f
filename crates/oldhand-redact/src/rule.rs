//! What a rule is: data. The anchor finds it, the shape proves it, the examples test it.

use crate::filter::Case;
use crate::kind::SecretKind;
use crate::shape::Part;
use crate::span::Span;

/// One format of one kind of secret.
pub(crate) struct Rule {
    pub(crate) kind: SecretKind,
    /// Texts of which one must be there, at least three bytes each.
    pub(crate) anchors: &'static [&'static str],
    pub(crate) case: Case,
    pub(crate) find: Find,
    /// Read by the tests only. Each example is written in pieces, so that no whole token stands in this
    /// repository and no scanner of a forge mistakes it for a leak.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "examples are the tests of a rule")
    )]
    pub(crate) hits: &'static [&'static [&'static str]],
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "examples are the tests of a rule")
    )]
    pub(crate) misses: &'static [&'static str],
}

/// How the secret is found from its anchor.
#[derive(Clone, Copy)]
pub(crate) enum Find {
    /// The anchor begins the token.
    Token(&'static [Part]),
    /// The same, and the token must pass a last check, such as a decoded header.
    Checked(&'static [Part], fn(&[u8]) -> bool),
    /// The anchor is inside the token.
    Around(&'static [Part], &'static [Part]),
    /// The anchor leads to the token and stays readable, as `AccountKey=` does.
    Behind(&'static [Part]),
    /// A reader looks at the text from the anchor on.
    Read(fn(&[u8], usize) -> Reading),
}

/// What a reader saw.
pub(crate) struct Reading {
    pub(crate) span: Option<Span>,
    /// The same reader has nothing to see before this offset. It keeps a reader from going over the same text
    /// once for each of its anchors, and so keeps it linear.
    pub(crate) until: usize,
}

impl Reading {
    pub(crate) fn nothing(until: usize) -> Self {
        Self { span: None, until }
    }

    pub(crate) fn found(span: Span) -> Self {
        Self {
            until: span.end,
            span: Some(span),
        }
    }
}
