//! How far a project's memories are trusted: what an agent may be told unasked, and when that may become more or less.

use std::fmt;
use std::str::FromStr;

use oldhand_domain::confidence::Confidence;

/// How sure a memory must be before an agent is told it unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrustLevel {
    Cautious,
    #[default]
    Standard,
    Confident,
    Autonomous,
}

impl TrustLevel {
    pub const ALL: [Self; 4] = [
        Self::Cautious,
        Self::Standard,
        Self::Confident,
        Self::Autonomous,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cautious => "cautious",
            Self::Standard => "standard",
            Self::Confident => "confident",
            Self::Autonomous => "autonomous",
        }
    }

    /// What confidence has to reach, where neither a person nor use has proven a memory.
    pub fn at_least(self) -> Confidence {
        Confidence::clamped(match self {
            Self::Cautious => 0.80,
            Self::Standard => 0.65,
            Self::Confident => 0.55,
            Self::Autonomous => 0.45,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTrustLevel(String);

impl fmt::Display for UnknownTrustLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a trust level", self.0)
    }
}

impl std::error::Error for UnknownTrustLevel {}

impl FromStr for TrustLevel {
    type Err = UnknownTrustLevel;

    fn from_str(text: &str) -> Result<Self, UnknownTrustLevel> {
        let known = Self::ALL.into_iter().find(|level| level.as_str() == text);
        known.ok_or_else(|| UnknownTrustLevel(text.to_owned()))
    }
}
