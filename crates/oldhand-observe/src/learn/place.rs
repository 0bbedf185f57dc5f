//! Where a statistic comes from.

/// A session, by its place among those that were learned, and whether outside text had come in before it showed the thing: small,
/// since every statistic names those it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

impl Place {
    /// `number` is the session's own; there are fewer than two billion.
    pub(super) fn new(number: u32, after_outside: bool) -> Self {
        Self(number << 1 | u32::from(after_outside))
    }

    pub(super) fn number(self) -> u32 {
        self.0 >> 1
    }

    pub(super) fn is_after_outside(self) -> bool {
        self.0 & 1 == 1
    }
}
