//! What a rule is: data. The anchor finds it, the shape proves it, the examples test it.

use crate::kind::SecretKind;
use crate::shape::Part;

/// One format of one kind of secret.
pub(crate) struct Rule {
    pub(crate) kind: SecretKind,
    /// Texts of which one must be there, at least three bytes each, compared exactly.
    pub(crate) anchors: &'static [&'static str],
    /// What stands right before the anchor and belongs to the secret.
    pub(crate) before: &'static [Part],
    /// What follows the anchor.
    pub(crate) after: &'static [Part],
    /// How much of the match is kept readable at its start, as `AccountKey=` is.
    pub(crate) keep: Keep,
    /// The last word: a checksum, a decoded header.
    pub(crate) check: fn(&[u8]) -> bool,
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

/// Whether the anchor is part of the secret or only leads to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Nothing,
    Anchor,
}

/// What most rules have in common: a prefix that is part of the token, and no checksum.
pub(crate) const TOKEN: Rule = Rule {
    kind: SecretKind::Token,
    anchors: &[],
    before: &[],
    after: &[],
    keep: Keep::Nothing,
    check: |_| true,
    hits: &[],
    misses: &[],
};
