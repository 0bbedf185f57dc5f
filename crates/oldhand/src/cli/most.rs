//! How much of a list is asked for: `-n 20`, and `-n 0` for all of it, in every command that has one.

use std::fmt;
use std::str::FromStr;

use crate::out::Out;

/// More than any list has, and little enough to be added to and multiplied.
const ALL: usize = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Most(usize);

impl Most {
    pub(super) const fn of(number: usize) -> Self {
        Self(number)
    }

    pub(super) const fn get(self) -> usize {
        self.0
    }

    /// Says how many were left out, and how to see them.
    pub(super) fn tell_rest(self, total: usize, out: &Out) {
        if total > self.0 {
            let more = total - self.0;
            out.note(&format!("{more} more; `--limit 0` shows all"));
        }
    }
}

impl fmt::Display for Most {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ALL => f.write_str("0"),
            number => number.fmt(f),
        }
    }
}

impl FromStr for Most {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted = "a number of 0 or more is wanted; 0 is all";
        let number: u32 = text.parse().map_err(|_| wanted)?;
        Ok(match number as usize {
            0 => Self(ALL),
            number => Self(number.min(ALL)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_all() {
        assert_eq!("7".parse(), Ok(Most(7)));
        assert_eq!("0".parse(), Ok(Most(ALL)));
        assert_eq!(
            (Most(7).to_string(), Most(ALL).to_string()),
            ("7".into(), "0".into())
        );
        assert!("-1".parse::<Most>().is_err() && "x".parse::<Most>().is_err());
    }
}
