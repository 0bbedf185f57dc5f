//! How sure we are.

use serde::{Deserialize, Serialize};

/// A number in `0.0..=1.0`. A `Confidence` never needs checking again.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Confidence(f64);

/// How sure a memory must be to be told unasked, one bar for each level of trust, the most trusting first.
pub const BARS: [f64; 4] = [0.45, 0.55, 0.65, 0.80];

#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("confidence {0} is not between 0 and 1")]
pub struct OutOfRange(pub f64);

impl Confidence {
    pub const NONE: Self = Self(0.0);
    pub const FULL: Self = Self(1.0);

    pub fn new(value: f64) -> Result<Self, OutOfRange> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(OutOfRange(value))
        }
    }

    /// The nearest confidence to `value`; what is not a number is no confidence at all.
    pub fn clamped(value: f64) -> Self {
        if value.is_nan() {
            Self::NONE
        } else {
            Self(value.clamp(0.0, 1.0))
        }
    }

    pub const fn get(self) -> f64 {
        self.0
    }

    /// Whether it reaches `least`, as it is or as it is shown: who asks for 0.90 means all that say 0.90.
    pub fn reaches(self, least: Self) -> bool {
        let shown = (self.0 * 100.0).round() / 100.0;
        self.0.max(shown) >= least.0
    }

    /// What is left after multiplying by a factor; never leaves the range.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self::clamped(self.0 * factor)
    }

    /// Moves by `step` and never over a bar it is under: what takes no more than patience opens no door.
    #[must_use]
    pub fn raised_below_bar(self, step: f64, limit: f64) -> Self {
        /// As small as confidence is ever shown.
        const UNDER: f64 = 0.01;
        let bar = BARS.into_iter().find(|bar| self.0 < *bar);
        self.raised(step, bar.map_or(limit, |bar| limit.min(bar - UNDER)))
    }

    /// Moves towards `limit` by `step` and never past it, never back.
    #[must_use]
    pub fn raised(self, step: f64, limit: f64) -> Self {
        Self::clamped((self.0 + step).min(limit).max(self.0))
    }
}

impl TryFrom<f64> for Confidence {
    type Error = OutOfRange;

    fn try_from(value: f64) -> Result<Self, OutOfRange> {
        Self::new(value)
    }
}

impl From<Confidence> for f64 {
    fn from(confidence: Confidence) -> Self {
        confidence.0
    }
}

impl std::fmt::Display for Confidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_reaches_what_it_is_shown_as() {
        let is_enough = |now, least| {
            let (now, least) = (Confidence::clamped(now), Confidence::clamped(least));
            now.reaches(least)
        };
        assert!(is_enough(0.8962, 0.9) && is_enough(0.9, 0.9) && is_enough(0.124, 0.123));
        assert!(!is_enough(0.8949, 0.9) && !is_enough(0.9, 0.901));
    }

    #[test]
    fn only_the_unit_interval_is_a_confidence() {
        for bad in [-0.01, 1.01, f64::NAN, f64::INFINITY] {
            assert!(Confidence::new(bad).is_err(), "{bad}");
        }
        assert_eq!(Confidence::new(0.65).unwrap(), Confidence::clamped(0.65));
    }

    #[test]
    fn raising_stops_at_the_limit_and_never_lowers() {
        let sure = Confidence::clamped(0.97);
        assert_eq!(sure.raised(0.05, 0.95), sure);
        assert_eq!(
            Confidence::clamped(0.93).raised(0.05, 0.95),
            Confidence::clamped(0.95)
        );
    }

    #[test]
    fn json_outside_the_range_is_refused() {
        assert!(serde_json::from_str::<Confidence>("1.5").is_err());
        assert_eq!(
            serde_json::to_string(&Confidence::clamped(0.5)).unwrap(),
            "0.5"
        );
    }
}
