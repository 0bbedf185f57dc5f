//! The day that a question counts back to: "two weeks ago", "last Tuesday".

use std::fmt;
use std::ops::{Range, RangeInclusive};

use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// A day before the one on which is asked, as far as a question says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Day {
    /// So many days before, or this many more or fewer: who says "two weeks" does not count days.
    Ago {
        days: i64,
        give: i64,
    },
    Last(Weekday),
}

/// Nobody looks at a clock of another zone to say which day it was.
const GIVE: i64 = 1;

impl Day {
    /// When something was made that is of this day, asked `now`.
    pub fn around(self, now: Timestamp) -> RangeInclusive<Timestamp> {
        let (days, give) = match self {
            Self::Ago { days, give } => (days, give),
            Self::Last(weekday) => {
                let today = now.to_zoned(TimeZone::UTC).weekday();
                let days = i64::from(today.since(weekday));
                (if days == 0 { 7 } else { days }, GIVE)
            }
        };
        let before = |days: i64| {
            let ago = SignedDuration::from_hours(24 * days);
            now.checked_sub(ago).unwrap_or(Timestamp::MIN)
        };
        before(days + give)..=before(days - give)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ago { days: 1, .. } => f.write_str("a day ago"),
            Self::Ago { days, .. } => write!(f, "{days} days ago"),
            Self::Last(weekday) => write!(f, "last {weekday:?}"),
        }
    }
}

/// The day that these words of a question count back to, as they were typed, and which of them say so.
pub(super) fn counted_back(words: &[String]) -> Option<(Day, Range<usize>)> {
    let ago = (0..).zip(words.windows(3)).find_map(|(at, said)| {
        let [number, unit, ago] = said else {
            return None;
        };
        let number = number_of(number).filter(|_| ago == "ago")?;
        let (days, give) = match unit.trim_end_matches('s') {
            "day" => (1, GIVE),
            "week" => (7, 3),
            "month" => (30, 10),
            _ => return None,
        };
        let days = days * number;
        Some((Day::Ago { days, give }, at..at + 3))
    });
    ago.or_else(|| {
        (0..).zip(words.windows(2)).find_map(|(at, said)| {
            let weekday = weekday_of(&said[1]).filter(|_| said[0] == "last")?;
            // "the last Friday of the month" comes every month.
            let recurs = words.get(at + 2).is_some_and(|word| word == "of");
            (!recurs).then_some((Day::Last(weekday), at..at + 2))
        })
    })
}

fn number_of(word: &str) -> Option<i64> {
    const NUMBERS: [&str; 11] = [
        "an", "a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    let said = NUMBERS.iter().position(|number| *number == word);
    let said = said.map(|at| at.max(1) as i64);
    said.or_else(|| {
        if word == "one" {
            Some(1)
        } else {
            word.parse().ok()
        }
    })
    .filter(|number| (1..=100).contains(number))
}

fn weekday_of(word: &str) -> Option<Weekday> {
    let names = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    let at = names.iter().position(|name| *name == word)?;
    Weekday::from_monday_zero_offset(at as i8).ok()
}

#[cfg(test)]
mod tests {
    use super::super::typed;
    use super::*;

    fn day(question: &str) -> Option<String> {
        let words = typed(question);
        counted_back(&words).map(|(day, said)| format!("{day}: {}", words[said].join(" ")))
    }

    #[test]
    fn a_number_of_days_weeks_or_months_ago_and_a_last_weekday_are_days() {
        for (question, expected) in [
            (
                "What did we change two weeks ago?",
                "14 days ago: two weeks ago",
            ),
            ("deploys 5 days ago", "5 days ago: 5 days ago"),
            ("A month ago the cache was off", "30 days ago: a month ago"),
            (
                "what broke one day ago in main.rs",
                "a day ago: one day ago",
            ),
            ("who fixed it last Tuesday?", "last Tuesday: last tuesday"),
            ("last Friday's deploy", "last Friday: last friday"),
            ("it broke (2 weeks ago)", "14 days ago: 2 weeks ago"),
        ] {
            assert_eq!(day(question).as_deref(), Some(expected));
        }
        for question in [
            "How many weeks ago was the release?",
            "where did she move from 4 years ago",
            "how long ago did it break",
            "the last element, 0 days ago, 9999999999 days ago",
            "tests that run every Tuesday",
            "the last Friday of the month",
            "users created before 2.weeks.ago",
            "two_weeks_ago",
            "what does last() Friday do",
        ] {
            assert_eq!(day(question), None, "{question}");
        }
    }

    #[test]
    fn what_is_of_a_day_was_made_near_it_and_a_last_weekday_is_never_today() {
        let now: Timestamp = "2026-03-18T12:00:00Z".parse().unwrap();
        let around = |question: &str| {
            let words = typed(question);
            let (day, _) = counted_back(&words).unwrap();
            let (since, until) = day.around(now).into_inner();
            format!(
                "{} to {}",
                &since.to_string()[..10],
                &until.to_string()[..10]
            )
        };
        assert_eq!(around("two weeks ago"), "2026-03-01 to 2026-03-07");
        assert_eq!(around("a month ago"), "2026-02-06 to 2026-02-26");
        // It is a Wednesday.
        assert_eq!(around("last Monday"), "2026-03-15 to 2026-03-17");
        assert_eq!(around("last Wednesday"), "2026-03-10 to 2026-03-12");
    }
}
