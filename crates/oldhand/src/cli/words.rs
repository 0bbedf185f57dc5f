//! Options that take a word of the house's vocabulary, and say what they would have taken.

use std::ffi::OsString;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::spelled::UnknownWord;
use oldhand_domain::text::{InvalidText, Tag};

use crate::nearest::nearest;

/// A question of several arguments. Bytes that are no text say nothing, and what is left may still say enough.
pub(crate) fn joined(words: &[OsString]) -> String {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

/// Whether there is anything that a search could go by: signs and pictures alone are not.
pub(crate) fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Reads a word; the error names the nearest known one, or all of them.
pub(crate) fn word<T: FromStr<Err = UnknownWord>>(text: &str) -> Result<T, String> {
    text.parse().map_err(
        |error: UnknownWord| match nearest(text, error.known.iter().copied()) {
            Some(near) => format!("{error}; did you mean `{near}`?"),
            None => format!("{error}; known: {}", error.known.join(", ")),
        },
    )
}

pub(crate) fn confidence(text: &str) -> Result<Confidence, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number"))?;
    Confidence::new(number).map_err(|error| error.to_string())
}

/// A tag, also with the `#` that cards show it with.
pub(crate) fn tag(text: &str) -> Result<Tag, InvalidText> {
    Tag::new(text.trim_start().trim_start_matches('#'))
}

/// A time in RFC 3339, or a day, which begins at midnight UTC.
pub(crate) fn time(text: &str) -> Result<Timestamp, String> {
    if let Ok(time) = text.parse() {
        return Ok(time);
    }
    let day: Date = text
        .parse()
        .map_err(|_| format!("`{text}` is neither a day like 2026-01-31 nor a time in RFC 3339"))?;
    let midnight = day
        .to_zoned(TimeZone::UTC)
        .map_err(|error| error.to_string())?;
    Ok(midnight.timestamp())
}

#[cfg(test)]
mod tests {
    use oldhand_domain::vocabulary::Source;

    use super::*;

    #[test]
    fn a_word_that_is_nearly_right_is_corrected() {
        assert_eq!(
            word::<Source>("user_tought").unwrap_err(),
            "unknown source `user_tought`; did you mean `user_taught`?"
        );
        assert!(
            word::<Source>("person")
                .unwrap_err()
                .contains("known: user_taught, ")
        );
    }

    #[test]
    fn a_day_begins_at_midnight() {
        assert_eq!(
            time("2026-01-31").unwrap().to_string(),
            "2026-01-31T00:00:00Z"
        );
        assert!(time("yesterday").is_err());
    }
}
