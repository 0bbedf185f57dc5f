//! Where a statement may have been poisoned. Outside text marks all that follows from it.
//!
//! Taint only ever grows: joining two statements keeps the marks of both, and rewording keeps them
//! all. The one way back to clean is [`Taint::clear`], with a person's review of the exact text.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Whether outside text had a hand in something, and which.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Taint(BTreeSet<OutsideText>);

/// Text that neither the project nor its people wrote.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutsideText {
    Web,
    /// The result of a server that the project does not trust.
    Mcp(String),
    /// A file that does not belong to the project.
    File,
    /// A block the user pasted into a prompt.
    Pasted,
    /// Words that give orders to a model, whoever brought them.
    Orders,
    /// Another store, or a file that says it is one.
    Import,
    /// What came in unseen: by a subagent whose doings nobody told, or in a journal that cannot be read.
    Unseen,
}

impl OutsideText {
    /// How the mark is spelled in the store and shown to people.
    pub fn label(&self) -> String {
        match self {
            Self::Web => "web".to_owned(),
            Self::Mcp(server) => format!("mcp:{server}"),
            Self::File => "outside_file".to_owned(),
            Self::Pasted => "pasted".to_owned(),
            Self::Orders => "orders".to_owned(),
            Self::Import => "import".to_owned(),
            Self::Unseen => "unseen".to_owned(),
        }
    }
}

/// How much less is believed of what outside text had a hand in.
pub const TAINTED_FACTOR: f64 = 0.7;

/// A person read this very text and stands by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    digest: blake3::Hash,
}

impl Review {
    pub fn of(text: &str) -> Self {
        Self {
            digest: blake3::hash(text.as_bytes()),
        }
    }

    pub fn covers(&self, text: &str) -> bool {
        self.digest == blake3::hash(text.as_bytes())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the review is of another text")]
pub struct NotReviewed;

impl Taint {
    pub const CLEAN: Self = Self(BTreeSet::new());

    pub fn by(outside: OutsideText) -> Self {
        Self(BTreeSet::from([outside]))
    }

    pub fn is_clean(&self) -> bool {
        self.0.is_empty()
    }

    pub fn sources(&self) -> impl Iterator<Item = &OutsideText> {
        self.0.iter()
    }

    /// Both together. Clean is the neutral element; nothing is ever lost.
    #[must_use]
    pub fn join(mut self, other: &Self) -> Self {
        self.0.extend(other.0.iter().cloned());
        self
    }

    /// Clean again, if the review is of exactly this text.
    pub fn clear(&self, text: &str, review: &Review) -> Result<Self, NotReviewed> {
        if review.covers(text) {
            Ok(Self::CLEAN)
        } else {
            Err(NotReviewed)
        }
    }
}

impl FromIterator<OutsideText> for Taint {
    fn from_iter<I: IntoIterator<Item = OutsideText>>(outside: I) -> Self {
        Self(outside.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> [Taint; 4] {
        [
            Taint::CLEAN,
            Taint::by(OutsideText::Web),
            Taint::by(OutsideText::Mcp("linear".to_owned())),
            Taint::by(OutsideText::File).join(&Taint::by(OutsideText::Pasted)),
        ]
    }

    #[test]
    fn joining_never_washes() {
        for a in some() {
            for b in some() {
                let both = a.clone().join(&b);
                assert_eq!(both, b.clone().join(&a));
                assert_eq!(both.clone().join(&b), both);
                assert_eq!(both.is_clean(), a.is_clean() && b.is_clean());
                assert!(
                    a.sources()
                        .all(|source| both.sources().any(|kept| kept == source))
                );
            }
        }
    }

    #[test]
    fn only_a_review_of_the_exact_text_clears() {
        let taint = Taint::by(OutsideText::Web);
        let review = Review::of("use port 8080");
        assert_eq!(taint.clear("use port 8080 ", &review), Err(NotReviewed));
        assert_eq!(taint.clear("use port 8080", &review), Ok(Taint::CLEAN));
    }
}
