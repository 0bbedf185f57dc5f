//! What kind of question it is, which lanes to ask, how deep, and how much each one's word counts.

mod day;
mod telling;
#[cfg(test)]
mod tests;

use oldhand_domain::words::{self, is_telling};

use crate::act::{self, Act};
use crate::calibration::Calibration;
use crate::lane::Lane;
pub use day::{Day, Span};
use day::{counted_back, named};
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
    /// What the numbers of the model mean that is asked; none before [`Self::for_model`], and of a model that nobody has fitted. Then what is found is
    /// ordered and shown to whoever asks, and nothing is volunteered.
    pub calibration: Option<Calibration>,
    /// What it asks to be done to the whole project, where it asks for nothing else.
    pub acts: Vec<Act>,
    /// Where a day is named: how to look if its words were words like others.
    pub dayless: Option<Box<Self>>,
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
    /// What came last: "the latest", "what did we do last".
    Latest,
    /// What came on a day, or near it: "two weeks ago", "last week".
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
    /// The same, asking for what came last instead of on a day.
    #[must_use]
    pub fn of_latest(self) -> Self {
        Self {
            time: Time::Latest,
            ..self
        }
    }

    /// The same, without asking for what came last.
    #[must_use]
    pub fn of_any_time(mut self) -> Self {
        if let Some(dayless) = self.dayless.take() {
            return Self {
                calibration: self.calibration,
                ..*dayless
            };
        }
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
    let make = |words, time| made(query_type, words, time, weights, depth);
    // What has no lane of age cannot be asked for by it.
    if !weights.iter().any(|(lane, _)| *lane == Lane::Recent) {
        return make(telling_words(question), Time::Any);
    }
    let typed = typed(question);
    let Some((day, said)) = counted_back(&typed) else {
        // What says "last month" may be told in the same words, long after it.
        let time = named(&typed).map(Time::Around);
        let time = time.unwrap_or_else(|| when(question, query_type));
        return make(telling_words(question), time);
    };
    let mut rest: Vec<&str> = question.split_whitespace().collect();
    rest.drain(said);
    let plan = make(telling_words(&rest.join(" ")), Time::Around(day));
    // Who names nothing but a day has said nothing without it, either.
    let says_more = plan.said != Said::Nothing;
    Plan {
        dayless: says_more.then(|| Box::new(make(telling_words(question), Time::Any))),
        ..plan
    }
}

/// The words of a question as they were typed, in lower case, without the marks around them. What names something stays as it is.
fn typed(question: &str) -> Vec<String> {
    let plain = |word: &str| {
        if is_identifier(word) {
            return word.to_owned();
        }
        let word = word.trim_matches(['.', ',', '?', '!', ':', ';', '(', ')', '"', '\'', '’']);
        let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
        owner.unwrap_or(word).to_lowercase()
    };
    question.split_whitespace().map(plain).collect()
}

fn made(
    query_type: QueryType,
    mut words: Vec<String>,
    time: Time,
    weights: &[(Lane, [f64; 3])],
    depth: usize,
) -> Plan {
    let column = match query_type {
        QueryType::Identifier => 0,
        QueryType::Semantic => 1,
        QueryType::Structural => 2,
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
            Time::Around(Day::Ago { .. } | Day::Last(_)) if lane == Lane::Recent => OF_A_DAY,
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
        calibration: None,
        acts,
        dayless: None,
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

/// What the lane of age counts where a question counts back to a day (`docs/benchmarks/retrieval.md`): more than what is merely new, or of a week.
const OF_A_DAY: f64 = 1.0;

/// For pieces of code (`docs/benchmarks/code-search.md`). A sentence that names something still says what is done, so that meaning counts as much.
const CODE: [(Lane, [f64; 3]); 3] = [
    (Lane::Text, [1.0, 1.0, 0.4]),
    (Lane::Dense, [2.0, 2.0, 0.8]),
    (Lane::Graph, [0.6, 0.3, 1.0]),
];

/// Whether a question in words asks for what came last.
fn when(question: &str, query_type: QueryType) -> Time {
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
    if query_type == QueryType::Identifier {
        return Time::Any;
    }
    let words = words::split(question);
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
    "agree",
    "agreed",
    "change",
    "changed",
    "day",
    "days",
    "decide",
    "decided",
    "did",
    "discuss",
    "discussed",
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
