//! What kind of question it is, which lanes to ask, how deep, and how much each one's word counts.

mod day;
mod telling;

use oldhand_domain::words::{self, is_telling};

use crate::act::{self, Act};
use crate::calibration::Calibration;
use crate::lane::Lane;
pub use day::Day;
use day::counted_back;
use telling::telling_words;

/// What a question is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryType {
    /// Names something: `parseConfig`, `retry_count`, `src/main.rs`.
    Identifier,
    /// Says something in words.
    Semantic,
    /// Asked while looking at what depends on what.
    Structural,
}

impl QueryType {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::Semantic => "semantic",
            Self::Structural => "structural",
        }
    }
}

/// What the asker did just before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecentWork {
    /// Anything, or nothing.
    Ordinary,
    /// Asked for impact, dependencies or callers.
    Structure,
}

/// How to look for an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub query_type: QueryType,
    /// What to look for in the text lane: the words that carry meaning, each once.
    pub words: Vec<String>,
    pub said: Said,
    pub time: Time,
    pub lanes: Vec<PlannedLane>,
    pub calibration: Calibration,
    /// What it asks to be done to the whole project, where it asks for nothing else.
    pub acts: Vec<Act>,
}

/// How much a question says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Words that every sentence has, or none: whatever shares them is no answer.
    Nothing,
    /// A letter or two: a name to look for, without a meaning.
    Little,
    Enough,
}

/// Which memories a question wants by when they were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    Any,
    /// What came last: "the latest", "what did we do last week".
    Latest,
    /// What came on a day, or near it: "two weeks ago".
    Around(Day),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedLane {
    pub lane: Lane,
    pub weight: f64,
    /// How many hits to ask for.
    pub depth: usize,
}

impl Plan {
    /// The question for the text lane.
    pub fn text(&self) -> String {
        self.words.join(" ")
    }

    /// How much a lane counts; zero when it is not asked.
    pub fn weight(&self, lane: Lane) -> f64 {
        self.lanes
            .iter()
            .find(|planned| planned.lane == lane)
            .map_or(0.0, |planned| planned.weight)
    }

    /// Whether what came last, or on a day, is asked for, whatever it is: then age alone decides, and nothing tells how likely an answer is.
    pub fn wants_newest(&self) -> bool {
        self.time != Time::Any && self.said == Said::Nothing
    }

    /// How deep a lane is asked; what is usual in it shows in so many.
    pub fn depth(&self, lane: Lane) -> usize {
        let mut planned = self.lanes.iter();
        planned
            .find(|planned| planned.lane == lane)
            .map_or(DEPTH, |planned| planned.depth)
    }
}

/// Deep enough that a lane's scores show what is usual, so that one can tell what stands out.
pub const DEPTH: usize = 100;

/// How many pieces of code are compared: nearly all that fit are then among them, and what is usual shows in all of them.
pub const COMPARED: usize = 300;

/// How to look among memories.
pub fn plan(question: &str, recent: RecentWork) -> Plan {
    planned(question, recent, &MEMORIES, DEPTH)
}

impl Plan {
    /// The same, for what this model finds.
    #[must_use]
    pub fn for_model(self, model: &str) -> Self {
        Self {
            calibration: Calibration::of(model),
            ..self
        }
    }
}

impl Plan {
    /// The same, without asking for what came last.
    #[must_use]
    pub fn of_any_time(mut self) -> Self {
        self.lanes.retain(|planned| planned.lane != Lane::Recent);
        self.time = Time::Any;
        self
    }
}

/// How to look among pieces of code. What code does is seldom said in the words one asks with, so that meaning counts more.
pub fn plan_code(question: &str, recent: RecentWork) -> Plan {
    planned(question, recent, &CODE, COMPARED)
}

fn planned(question: &str, recent: RecentWork, weights: &[(Lane, [f64; 3])], depth: usize) -> Plan {
    let query_type = classify(question, recent);
    let column = match query_type {
        QueryType::Identifier => 0,
        QueryType::Semantic => 1,
        QueryType::Structural => 2,
    };
    let mut words = telling_words(question);
    // What has no lane of age cannot be asked for by it.
    let time = if weights.iter().any(|(lane, _)| *lane == Lane::Recent) {
        when(question, query_type, &mut words)
    } else {
        Time::Any
    };
    let said = match time {
        Time::Any => how_much(&words),
        // What says when, and that something was done, does not say what.
        _ => how_much(words.iter().filter(|word| !DOING.contains(&word.as_str()))),
    };
    let is_asked = |(lane, _): &&(Lane, [f64; 3])| match (time, said) {
        (Time::Any, _) => *lane != Lane::Recent,
        // Where it is not said what, words and meaning have nothing to go by.
        (_, Said::Nothing) => *lane == Lane::Recent,
        _ => true,
    };
    if time != Time::Any && said == Said::Nothing {
        words.clear();
    }
    let lane = |&(lane, weights): &(Lane, [f64; 3])| PlannedLane {
        lane,
        weight: match time {
            Time::Around(_) if lane == Lane::Recent => OF_A_DAY,
            _ => weights[column],
        },
        depth,
    };
    let acts = act::asked_for(&words);
    Plan {
        query_type,
        said,
        words,
        time,
        lanes: weights.iter().filter(is_asked).map(lane).collect(),
        calibration: Calibration::of(""),
        acts,
    }
}

/// Weights for identifier, semantic and structural questions, each learned on questions of its kind (`docs/benchmarks/retrieval.md`). The lane of
/// files is asked where files are at hand, that of age where a question asks for what came last.
const MEMORIES: [(Lane, [f64; 3]); 4] = [
    (Lane::Text, [1.0, 1.0, 0.4]),
    (Lane::Dense, [0.4, 0.6, 0.25]),
    (Lane::Graph, [0.6, 0.3, 1.0]),
    (Lane::Recent, [0.3, 0.3, 0.3]),
];

/// What the lane of age counts where a question names a day (`docs/benchmarks/retrieval.md`): more than what is merely new.
const OF_A_DAY: f64 = 1.0;

/// For pieces of code (`docs/benchmarks/code-search.md`). A sentence that names something still says what is done, so that meaning counts as much.
const CODE: [(Lane, [f64; 3]); 3] = [
    (Lane::Text, [1.0, 1.0, 0.4]),
    (Lane::Dense, [2.0, 2.0, 0.8]),
    (Lane::Graph, [0.6, 0.3, 1.0]),
];

/// Whether a question asks for what came on a day, which then is no word to look for, or one in words for what came last.
fn when(question: &str, query_type: QueryType, telling: &mut Vec<String>) -> Time {
    /// They say it by themselves.
    const LATELY: [&str; 8] = [
        "lately",
        "latest",
        "newest",
        "recent",
        "recently",
        "today",
        "tonight",
        "yesterday",
    ];
    const SPANS: [&str; 8] = [
        "day", "days", "month", "night", "session", "sprint", "week", "weeks",
    ];
    let words = words::split(question);
    if let Some((day, said)) = counted_back(&words) {
        telling.retain(|word| !said.contains(word));
        return Time::Around(day);
    }
    if query_type == QueryType::Identifier {
        return Time::Any;
    }
    let is_lately = |word: &String| LATELY.contains(&word.as_str());
    let says_span = |pair: &[String]| {
        let [before, span] = pair else { return false };
        ["last", "past", "this"].contains(&before.as_str()) && SPANS.contains(&span.as_str())
    };
    // "what did we do last", and not "how long does it last".
    let is_past = |word: &String| ["did", "was", "were"].contains(&word.as_str());
    let ends_so = words.last().is_some_and(|word| word == "last") && words.iter().any(is_past);
    if words.iter().any(is_lately) || words.windows(2).any(says_span) || ends_so {
        Time::Latest
    } else {
        Time::Any
    }
}

fn classify(question: &str, recent: RecentWork) -> QueryType {
    if question.split_whitespace().any(is_identifier) {
        QueryType::Identifier
    } else if recent == RecentWork::Structure {
        QueryType::Structural
    } else {
        QueryType::Semantic
    }
}

/// `camelCase`, `snake_case`, `path/to`, `module::item`, `file.rs`, `call()`. A word at the end of a sentence is not one.
fn is_identifier(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', '?', '!', ':', ';']);
    let pairs = || {
        word.as_bytes()
            .windows(2)
            .zip(word.as_bytes().iter().skip(2))
    };
    let inner = |mark: u8| {
        pairs().any(|(pair, after)| {
            pair[0].is_ascii_alphanumeric() && pair[1] == mark && after.is_ascii_alphanumeric()
        })
    };
    let camel = word
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    // An ending of two letters or more: `main.rs`, not `e.g` or `3.5`.
    let file = inner(b'.')
        && word.rsplit_once('.').is_some_and(|(_, ending)| {
            ending.len() >= 2
                && ending
                    .bytes()
                    .all(|byte| byte.is_ascii_alphabetic() || byte == b'(' || byte == b')')
        });
    camel || inner(b'_') || inner(b'/') || file || word.contains("::") || word.ends_with("()")
}

fn how_much<'w>(words: impl IntoIterator<Item = &'w String>) -> Said {
    /// A sign of other scripts has as many, and can be a word.
    const BYTES_OF_A_WORD: usize = 3;
    let longest = words.into_iter().filter(|word| is_telling(word));
    match longest.map(String::len).max() {
        None => Said::Nothing,
        Some(..BYTES_OF_A_WORD) => Said::Little,
        Some(_) => Said::Enough,
    }
}

/// Words of a question for what came last that say neither what nor about what.
const DOING: &[&str] = &[
    "change",
    "changed",
    "day",
    "days",
    "did",
    "doing",
    "done",
    "happen",
    "happened",
    "last",
    "lately",
    "latest",
    "learn",
    "learned",
    "learnt",
    "month",
    "new",
    "newest",
    "night",
    "past",
    "recent",
    "recently",
    "session",
    "sessions",
    "sprint",
    "time",
    "today",
    "tonight",
    "week",
    "weeks",
    "work",
    "worked",
    "working",
    "yesterday",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_make_an_identifier_question() {
        for question in [
            "parseConfig",
            "what does retry_count do",
            "src/main.rs",
            "std::fs",
            "open()",
            "why main.rs?",
        ] {
            assert_eq!(
                plan(question, RecentWork::Structure).query_type,
                QueryType::Identifier,
                "{question}"
            );
        }
    }

    #[test]
    fn sentences_are_semantic_unless_structure_was_just_looked_at() {
        for question in [
            "How do we deploy?",
            "Wait. What about 3.5 and A/ B?",
            "e.g. this",
            "",
            "🙂",
            "v1.2",
        ] {
            assert_eq!(
                plan(question, RecentWork::Ordinary).query_type,
                QueryType::Semantic,
                "{question}"
            );
        }
        assert_eq!(
            plan("what breaks?", RecentWork::Structure).query_type,
            QueryType::Structural
        );
    }

    #[test]
    fn common_words_are_left_out_unless_they_are_all_there_is() {
        assert_eq!(
            plan("What did we decide about the cache?", RecentWork::Ordinary).text(),
            "decide cache"
        );
        assert_eq!(
            plan("who are they", RecentWork::Ordinary).text(),
            "who are they"
        );
    }

    #[test]
    fn a_question_says_nothing_little_or_enough() {
        for (question, said) in [
            ("", Said::Nothing),
            ("the of and", Said::Nothing),
            ("?! ... -- \"", Said::Nothing),
            ("q", Said::Little),
            ("x1 of v2", Said::Little),
            ("who deploys", Said::Enough),
            ("字", Said::Enough),
        ] {
            assert_eq!(
                plan(question, RecentWork::Ordinary).said,
                said,
                "{question}"
            );
        }
    }

    #[test]
    fn a_question_for_what_came_last_asks_the_lane_of_age() {
        let planned = |question| plan(question, RecentWork::Ordinary);
        for (question, said) in [
            ("what did we do last", Said::Nothing),
            ("what happened this week?", Said::Nothing),
            ("the latest decision about caching", Said::Enough),
            ("what did we change recently in the parser", Said::Enough),
        ] {
            let plan = planned(question);
            assert_eq!((plan.time, plan.said), (Time::Latest, said), "{question}");
            assert!(plan.weight(Lane::Recent) > 0.0, "{question}");
        }
        for question in [
            "the last element of a list",
            "last_accessed_at",
            "how long do sessions last?",
            "this time zone",
            "how do we deploy",
        ] {
            let plan = planned(question);
            assert_eq!(plan.time, Time::Any, "{question}");
            assert!(plan.weight(Lane::Recent) <= 0.0, "{question}");
        }
    }

    #[test]
    fn a_day_that_is_counted_back_to_is_a_lane_and_no_word() {
        let planned = |question| plan(question, RecentWork::Ordinary);
        let about = planned("why did we change parse_config two weeks ago");
        assert!(matches!(about.time, Time::Around(_)));
        assert!(about.text().starts_with("change parse config"));
        assert!(
            !about
                .words
                .iter()
                .any(|word| word == "ago" || word == "weeks")
        );
        assert!(about.weight(Lane::Recent) > 0.0 && about.weight(Lane::Text) > 0.0);
        let anything = planned("what did we do two weeks ago?");
        assert!(anything.wants_newest() && anything.words.is_empty());
        assert!(about.of_any_time().weight(Lane::Recent) <= 0.0);
    }

    #[test]
    fn code_is_found_by_meaning_before_words() {
        let code = plan_code("retry with backoff", RecentWork::Ordinary);
        assert!(code.weight(Lane::Dense) > code.weight(Lane::Text));
        let memories = plan("retry with backoff", RecentWork::Ordinary);
        assert!(memories.weight(Lane::Dense) < memories.weight(Lane::Text));
    }

    #[test]
    fn code_has_no_age_to_be_asked_for_by() {
        for question in ["recent sessions", "sessions today", "recent work"] {
            let code = plan_code(question, RecentWork::Ordinary);
            assert_eq!(code.time, Time::Any, "{question}");
            assert!(code.weight(Lane::Dense) > 0.0, "{question}");
            assert!(!code.words.is_empty(), "{question}");
        }
    }

    #[test]
    fn a_name_with_a_digit_is_looked_for_as_a_whole() {
        let text = |question| plan(question, RecentWork::Ordinary).text();
        assert_eq!(text("e2e tests of v2 on k8s"), "e2e tests v2 k8s");
        assert_eq!(text("c compiler"), "c compiler");
        assert_eq!(text("parseJSON2Text"), "parse json text parsejson2text");
    }
}
