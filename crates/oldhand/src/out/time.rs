//! Times as people say them.

use jiff::Timestamp;

/// How long ago `then` was: `5 minutes ago`. What lies ahead was written by another clock, or before this one was set back.
pub(crate) fn ago(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(then).as_secs();
    match seconds {
        i64::MIN..=-60 => format!("{} ahead of the clock", span(-seconds)),
        -59..60 => "just now".to_owned(),
        _ => format!("{} ago", span(seconds)),
    }
}

/// A length of time in its largest unit: `5 minutes`.
fn span(seconds: i64) -> String {
    const UNITS: [(i64, &str); 6] = [
        (365 * 86_400, "year"),
        (30 * 86_400, "month"),
        (7 * 86_400, "week"),
        (86_400, "day"),
        (3600, "hour"),
        (60, "minute"),
    ];
    let (length, name) = UNITS
        .into_iter()
        .find(|(length, _)| seconds >= *length)
        .unwrap_or((1, "second"));
    count(usize::try_from(seconds / length).unwrap_or_default(), name)
}

/// The day and minute, in UTC.
pub(crate) fn moment(then: Timestamp) -> String {
    then.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// `1 memory`, `2 memories`.
pub(crate) fn count(number: usize, name: &str) -> String {
    match (number, name.strip_suffix('y')) {
        (1, _) => format!("1 {name}"),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{number} {stem}ies"),
        _ => format!("{number} {name}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_is_enough() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let said = |seconds: i64| {
            ago(
                Timestamp::from_second(1_800_000_000 - seconds).unwrap(),
                now,
            )
        };
        assert_eq!(said(0), "just now");
        assert_eq!(said(60), "1 minute ago");
        assert_eq!(said(3 * 3600 + 59), "3 hours ago");
        assert_eq!(said(13 * 86_400), "1 week ago");
        assert_eq!(said(800 * 86_400), "2 years ago");
        assert_eq!(said(-5), "just now");
        assert_eq!(said(-120), "2 minutes ahead of the clock");
    }

    #[test]
    fn words_have_their_plurals() {
        assert_eq!(count(0, "memory"), "0 memories");
        assert_eq!(count(1, "day"), "1 day");
        assert_eq!(count(2, "day"), "2 days");
    }
}
