//! How far a project's memories are trusted: what an agent may be told unasked, and when that may become more or less.

use std::fmt;
use std::str::FromStr;

use oldhand_domain::confidence::{BARS, Confidence};
use oldhand_domain::memory::Memory;
use oldhand_domain::vocabulary::Source;

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
        let [autonomous, confident, standard, cautious] = BARS;
        Confidence::clamped(match self {
            Self::Cautious => cautious,
            Self::Standard => standard,
            Self::Confident => confident,
            Self::Autonomous => autonomous,
        })
    }

    /// Whether a person confirms a memory here before it is said, though nothing stands against it: at the first level all that
    /// nobody taught and use has not proven.
    pub fn asks_first(self, memory: &Memory) -> bool {
        self == Self::Cautious
            && memory.source != Source::UserTaught
            && !memory.is_verified()
            && !is_proven_by_use(memory)
    }

    /// The level at which one answers who asks: more may be weighed than would be told unasked, but not what a person is to
    /// confirm first.
    #[must_use]
    pub const fn when_asked(self) -> Self {
        match self {
            Self::Cautious => Self::Cautious,
            Self::Standard | Self::Confident | Self::Autonomous => Self::Autonomous,
        }
    }
}

/// Surer than this, a memory needs few uses to be confirmed by them.
const VERY_SURE: f64 = 0.9;
const USES_WHEN_SURE: u64 = 3;

/// Whether nobody need be asked any more: what commits show, and what is very sure and was used without correction.
pub fn is_proven_by_use(memory: &Memory) -> bool {
    memory.source == Source::CommitAuto
        || memory.usage.access_count >= USES_WHEN_SURE && memory.confidence.get() > VERY_SURE
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

/// What people made of what was learned in a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackRecord {
    /// Finished sessions in which agents were told something, since trust last went back.
    pub sessions: usize,
    /// Memories of that time that nobody taught and no file of the project says.
    pub learned: usize,
    /// Of these, those that were forgotten or replaced since.
    pub gone: usize,
    /// Of these, those a person stands by.
    pub confirmed: usize,
    /// Of these, those a person flagged or rejected.
    pub corrected: usize,
}

impl TrackRecord {
    const FIRST_SESSIONS: usize = 3;
    const FIRST_CONFIRMED: f64 = 0.5;
    const MANY_SESSIONS: usize = 10;
    const FEW_CORRECTED: f64 = 0.05;

    pub fn share_confirmed(&self) -> f64 {
        self.share(self.confirmed)
    }

    pub fn share_corrected(&self) -> f64 {
        self.share(self.corrected)
    }

    fn share(&self, part: usize) -> f64 {
        if self.learned == 0 {
            return 0.0;
        }
        part as f64 / self.learned as f64
    }
}

/// So many flags in one session are more than slips.
pub const MANY_FLAGS: usize = 3;

impl TrustLevel {
    /// The level that the record has earned, one step at a time: no step without a person's word on half of what was learned.
    /// The last one is never earned, only chosen.
    pub fn earned(self, record: &TrackRecord) -> Option<Self> {
        let is_confirmed = record.sessions >= TrackRecord::FIRST_SESSIONS
            && record.share_confirmed() >= TrackRecord::FIRST_CONFIRMED;
        let is_proven = record.sessions >= TrackRecord::MANY_SESSIONS
            && record.share_corrected() < TrackRecord::FEW_CORRECTED;
        match self {
            Self::Cautious if is_confirmed => Some(Self::Standard),
            Self::Standard if is_confirmed && is_proven => Some(Self::Confident),
            _ => None,
        }
    }

    /// One step back; there is none behind the first.
    pub const fn stepped_back(self) -> Option<Self> {
        match self {
            Self::Cautious => None,
            Self::Standard => Some(Self::Cautious),
            Self::Confident => Some(Self::Standard),
            Self::Autonomous => Some(Self::Confident),
        }
    }

    /// What has to happen before the next level, in words; `None` where nothing more is earned.
    pub fn missing(self, record: &TrackRecord) -> Option<String> {
        let percent = |share: f64| (share * 100.0).round();
        match self {
            Self::Cautious => Some(format!(
                "standard after {} sessions ({}) with half of what was learned confirmed ({} %)",
                TrackRecord::FIRST_SESSIONS,
                record.sessions,
                percent(record.share_confirmed())
            )),
            Self::Standard => Some(format!(
                "confident after {} sessions ({}) with half of what was learned confirmed ({} %) and less than 5 % corrected ({} %)",
                TrackRecord::MANY_SESSIONS,
                record.sessions,
                percent(record.share_confirmed()),
                percent(record.share_corrected())
            )),
            Self::Confident | Self::Autonomous => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(sessions: usize, confirmed: usize, corrected: usize) -> TrackRecord {
        TrackRecord {
            sessions,
            learned: 100,
            gone: 0,
            confirmed,
            corrected,
        }
    }

    #[test]
    fn trust_is_earned_step_by_step_and_the_last_step_is_chosen() {
        use TrustLevel::{Autonomous, Cautious, Confident, Standard};
        assert_eq!(Cautious.earned(&record(3, 50, 9)), Some(Standard));
        assert_eq!(Cautious.earned(&record(2, 90, 0)), None);
        assert_eq!(Cautious.earned(&record(30, 49, 0)), None);
        assert_eq!(Standard.earned(&record(10, 50, 4)), Some(Confident));
        assert_eq!(Standard.earned(&record(9, 90, 0)), None);
        assert_eq!(Standard.earned(&record(10, 90, 5)), None);
        assert_eq!(
            Standard.earned(&record(500, 0, 0)),
            None,
            "nobody said a word"
        );
        let nothing_learned = TrackRecord {
            sessions: 50,
            ..TrackRecord::default()
        };
        assert_eq!(Standard.earned(&nothing_learned), None);
        assert_eq!(Confident.earned(&record(500, 100, 0)), None);
        assert_eq!(Autonomous.stepped_back(), Some(Confident));
        assert_eq!(Cautious.stepped_back(), None);
    }

    #[test]
    fn every_level_has_one_spelling_and_lower_bars_as_trust_grows() {
        for level in TrustLevel::ALL {
            assert_eq!(level.as_str().parse(), Ok(level));
        }
        assert!(TrustLevel::ALL.is_sorted_by(|a, b| a.at_least() > b.at_least()));
        assert!("blind".parse::<TrustLevel>().is_err());
    }
}
