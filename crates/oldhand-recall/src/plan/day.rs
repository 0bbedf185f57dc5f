//! The day that a question counts back to, and the days that it names: "two weeks ago", "last Tuesday", "yesterday", "last week".

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
    Of(Span),
}

/// Days of the calendar, which begin at midnight UTC and weeks on a Monday.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    Yesterday,
    ThisWeek,
    LastWeek,
    ThisMonth,
    LastMonth,
}

impl Span {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Yesterday => "yesterday",
            Self::ThisWeek => "this week",
            Self::LastWeek => "last week",
            Self::ThisMonth => "this month",
            Self::LastMonth => "last month",
        }
    }

    /// How many days before the one of `now` it begins, and how many before it is over; one that is not over has none.
    fn days(self, now: Timestamp) -> (i64, i64) {
        let today = now.to_zoned(TimeZone::UTC).date();
        let of_week = i64::from(today.weekday().to_monday_zero_offset());
        let of_month = i64::from(today.day()) - 1;
        match self {
            Self::Yesterday => (1, 0),
            Self::ThisWeek => (of_week, -1),
            Self::LastWeek => (of_week + 7, of_week),
            Self::ThisMonth => (of_month, -1),
            Self::LastMonth => {
                let month = today.first_of_month().yesterday();
                let length = month.map_or(0, |last| i64::from(last.day()));
                (of_month + length, of_month)
            }
        }
    }
}

/// Nobody looks at a clock of another zone to say which day it was.
const GIVE: i64 = 1;

impl Day {
    /// When something was made that is of this day, asked `now`.
    pub fn around(self, now: Timestamp) -> RangeInclusive<Timestamp> {
        let before = |now: Timestamp, days: i64| {
            let ago = SignedDuration::from_hours(24 * days);
            now.checked_sub(ago).unwrap_or(Timestamp::MIN)
        };
        let (days, give) = match self {
            Self::Of(span) => {
                let since_midnight = now.as_second().rem_euclid(24 * 3600);
                let midnight = now.as_second() - since_midnight;
                let midnight = Timestamp::from_second(midnight).unwrap_or(now);
                let (since, until) = span.days(now);
                let end = before(midnight, until);
                let last = end.checked_sub(SignedDuration::from_nanos(1));
                return before(midnight, since)..=last.unwrap_or(end);
            }
            Self::Ago { days, give } => (days, give),
            Self::Last(weekday) => {
                let today = now.to_zoned(TimeZone::UTC).weekday();
                let days = i64::from(today.since(weekday));
                (if days == 0 { 7 } else { days }, GIVE)
            }
        };
        before(now, days + give)..=before(now, days - give)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ago { days: 1, .. } => f.write_str("a day ago"),
            Self::Ago { days, .. } => write!(f, "{days} days ago"),
            Self::Last(weekday) => write!(f, "last {weekday:?}"),
            Self::Of(span) => f.write_str(span.as_str()),
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

/// The span of days that they name. What is asked of how things are ("how do we bill last month's hours") names it as a part of them.
pub(super) fn named(words: &[String]) -> Option<Day> {
    const NOW: [&str; 10] = [
        "are", "can", "do", "does", "if", "is", "must", "should", "when", "will",
    ];
    const THEN: [&str; 5] = ["been", "did", "had", "was", "were"];
    /// "since yesterday" begins there, and "the last month" ends today.
    const BEYOND: [&str; 7] = ["after", "before", "since", "than", "the", "till", "until"];
    let has = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
    if has(&NOW) && !has(&THEN) {
        return None;
    }
    (0..words.len()).find_map(|at| {
        let after = |further: usize| words.get(at + further).map_or("", String::as_str);
        let (span, long) = match (after(0), after(1)) {
            ("yesterday", _) => (Span::Yesterday, 1),
            ("this", "week") => (Span::ThisWeek, 2),
            ("last", "week") => (Span::LastWeek, 2),
            ("this", "month") => (Span::ThisMonth, 2),
            ("last", "month") => (Span::LastMonth, 2),
            _ => return None,
        };
        let is_beyond = at > 0 && BEYOND.contains(&words[at - 1].as_str());
        let recurs = after(long) == "of";
        (!is_beyond && !recurs).then_some(Day::Of(span))
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
    fn yesterday_and_this_or_the_last_week_or_month_are_named() {
        for (question, expected) in [
            ("What did we do yesterday?", "yesterday"),
            ("yesterday's decisions", "yesterday"),
            ("what happened this week", "this week"),
            ("The cache was off last week", "last week"),
            ("what broke in main.rs this month?", "this month"),
            ("decisions of last month", "last month"),
            ("what did we do when it broke last week", "last week"),
        ] {
            let day = named(&typed(question)).map(|day| day.to_string());
            assert_eq!(day.as_deref(), Some(expected));
        }
        for question in [
            "how do we bill last month's hours",
            "where is the list of this week",
            "what is new since yesterday",
            "what broke before last week",
            "what was the last week of the freeze",
            "what did yesterday.rs do",
            "what did `last month` show",
            "what did we do last",
            "what changed in the last two weeks",
            "what did we change in the last month",
            "what was this about, and the week",
        ] {
            assert_eq!(named(&typed(question)), None, "{question}");
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

    #[test]
    fn days_of_the_calendar_begin_at_midnight_and_weeks_on_a_monday() {
        let around = |span: Span, now: &str| {
            let (since, until) = Day::Of(span).around(now.parse().unwrap()).into_inner();
            (since.to_string(), until.to_string())
        };
        let whole = |since: &str, until: &str| {
            (
                format!("{since}T00:00:00Z"),
                format!("{until}T23:59:59.999999999Z"),
            )
        };
        // A Wednesday, the Monday before it, and the Sunday after it.
        for now in [
            "2026-03-18T12:00:00Z",
            "2026-03-16T00:00:00Z",
            "2026-03-22T23:59:59Z",
        ] {
            let last = whole("2026-03-09", "2026-03-15");
            assert_eq!(around(Span::LastWeek, now), last, "{now}");
            let (this, until) = around(Span::ThisWeek, now);
            assert_eq!(this, "2026-03-16T00:00:00Z");
            assert!(until[..10] == now[..10], "{until}");
            assert_eq!(
                around(Span::LastMonth, now),
                whole("2026-02-01", "2026-02-28")
            );
            assert_eq!(around(Span::ThisMonth, now).0, "2026-03-01T00:00:00Z");
        }
        let yesterday = |now| around(Span::Yesterday, now);
        let last = whole("2026-02-28", "2026-02-28");
        assert_eq!(yesterday("2026-03-01T00:00:00Z"), last);
        assert_eq!(yesterday("2026-03-01T23:59:59.5Z"), last);
        assert_eq!(
            around(Span::LastMonth, "2026-01-31T08:00:00Z"),
            whole("2025-12-01", "2025-12-31")
        );
    }
}
