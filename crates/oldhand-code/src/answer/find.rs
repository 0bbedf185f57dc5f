//! Where is it? By name, by part of a name, or by words of what it does.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;

use crate::facts::{SymbolKind, Visibility};
use crate::question::MOST_WORDS;
use crate::snapshot::{NodeId, Snapshot};
use wanted::Wanted;

mod names;
mod wanted;

pub use names::Names;

/// Something that a question may mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    pub node: NodeId,
    /// Larger is better; comparable within one answer only.
    pub score: f32,
    pub reason: Reason,
}

/// Why something matched, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    Name,
    NameInOtherCase,
    StartOfName,
    WordsOfName,
    WordsOfPath,
    WordsOfDoc,
    /// Its code says it, by words and by meaning.
    Code,
}

impl Reason {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::NameInOtherCase => "name_in_other_case",
            Self::StartOfName => "start_of_name",
            Self::WordsOfName => "words_of_name",
            Self::WordsOfPath => "words_of_path",
            Self::WordsOfDoc => "words_of_doc",
            Self::Code => "code",
        }
    }
}

/// At most `limit` nodes that `question` may mean, best first. Of its words the first [`MOST_WORDS`] are looked for.
pub fn find(snapshot: &Snapshot, question: &str, limit: usize) -> Vec<Match> {
    let Some(asked) = Asked::of(question) else {
        return Vec::new();
    };
    let mut best = Best::new(snapshot, &asked, limit);
    for node in snapshot.files().chain(snapshot.symbols()) {
        best.weigh(node, || standing(snapshot, node));
    }
    best.take()
}

/// The best so far of what may be meant.
struct Best<'s> {
    snapshot: &'s Snapshot,
    asked: &'s Asked<'s>,
    /// What the whole question names.
    qualifier: FxHashSet<NodeId>,
    limit: usize,
    matches: Vec<Match>,
    /// What is worth less than this is none of them.
    least: f32,
}

impl<'s> Best<'s> {
    fn new(snapshot: &'s Snapshot, asked: &'s Asked<'s>, limit: usize) -> Self {
        let qualifier = super::target::locate(snapshot, asked.question);
        Self {
            snapshot,
            asked,
            qualifier: qualifier.into_iter().collect(),
            limit,
            matches: Vec::new(),
            least: f32::NEG_INFINITY,
        }
    }

    /// What it is worth, if it may be meant.
    fn weigh(&mut self, node: NodeId, standing: impl FnOnce() -> f32) -> Option<f32> {
        let (score, reason) = self.asked.weigh(self.snapshot, node)?;
        let named = if self.qualifier.contains(&node) {
            10.0
        } else {
            0.0
        };
        let score = score + named + standing();
        self.matches.push(Match {
            node,
            score,
            reason,
        });
        if self.limit > 0 && self.matches.len() / 2 >= self.limit {
            self.keep();
            let least = self.matches.iter().map(|found| found.score);
            self.least = least.fold(f32::INFINITY, f32::min);
        }
        Some(score)
    }

    /// Lets go of all but the best.
    fn keep(&mut self) {
        if (1..self.matches.len()).contains(&self.limit) {
            self.matches.select_nth_unstable_by(self.limit - 1, order);
        }
        self.matches.truncate(self.limit);
    }

    fn take(mut self) -> Vec<Match> {
        self.keep();
        self.matches.sort_unstable_by(order);
        self.matches
    }
}

fn order(a: &Match, b: &Match) -> Ordering {
    b.score.total_cmp(&a.score).then(a.node.cmp(&b.node))
}

/// What all words of a question are worth in a name, in a file's path and in what is said about something.
const IN_NAME: f32 = 4.0;
const IN_PATH: f32 = 3.0;
const IN_DOC: f32 = 2.0;
/// The same in a name that has few of them.
const FEW_IN_NAME: f32 = 1.5;

/// Whether a name has enough of so many words to be meant by them.
fn is_much_of_name(share: f32, words: usize) -> bool {
    share > 0.5 || (share > 0.0 && words == 1)
}

/// Whether what is said about something has enough of the words.
fn is_much_of_doc(share: f32) -> bool {
    share >= 0.5
}

/// A question, ready to be held against many names.
struct Asked<'q> {
    question: &'q str,
    lower: String,
    words: Wanted,
}

impl<'q> Asked<'q> {
    /// Nothing where it has no word that says something.
    fn of(question: &'q str) -> Option<Self> {
        let question = question.trim();
        let words = words(question).filter(|word| !is_filler(word));
        let words = Wanted::new(words.take(MOST_WORDS));
        (!words.is_empty()).then(|| Self {
            question,
            lower: question.to_lowercase(),
            words,
        })
    }

    fn weigh(&self, snapshot: &Snapshot, node: NodeId) -> Option<(f32, Reason)> {
        let is_file = snapshot.is_file(node);
        let name = snapshot.name(node);
        let short = short(snapshot, node);
        if short == self.question {
            return Some((10.0, Reason::Name));
        }
        match self.begins(short) {
            Some(Reason::NameInOtherCase) => return Some((8.0, Reason::NameInOtherCase)),
            Some(_) => return Some((6.0, Reason::StartOfName)),
            None => {}
        }
        let in_name = self.words.share(short);
        if is_much_of_name(in_name, self.words.len()) {
            return Some((IN_NAME * in_name, Reason::WordsOfName));
        }
        if is_file {
            let in_path = self.words.share(name);
            if in_path > 0.0 {
                return Some((IN_PATH * in_path, Reason::WordsOfPath));
            }
        }
        let doc = snapshot.doc(node);
        let in_doc = if doc.is_empty() {
            0.0
        } else {
            self.words.share(doc).max(in_name)
        };
        is_much_of_doc(in_doc)
            .then_some((IN_DOC * in_doc, Reason::WordsOfDoc))
            .or((in_name > 0.0).then_some((FEW_IN_NAME * in_name, Reason::WordsOfName)))
    }

    /// Whether a name is the question or begins with it, in whatever case.
    fn begins(&self, short: &str) -> Option<Reason> {
        let lower = self.lower.as_str();
        // In other letters a capital may be longer than its small one.
        let same = if short.is_ascii() {
            short
                .get(..lower.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(lower))
                .then_some(short.len() == lower.len())
        } else {
            let short = short.to_lowercase();
            short.starts_with(lower).then_some(short == lower)
        };
        if same? {
            return Some(Reason::NameInOtherCase);
        }
        (lower.len() >= 3).then_some(Reason::StartOfName)
    }
}

/// What a definition is called, and a file without its folder.
fn short(snapshot: &Snapshot, node: NodeId) -> &str {
    let name = snapshot.name(node);
    if snapshot.is_file(node) {
        name.rsplit('/').next().unwrap_or(name)
    } else {
        name
    }
}

/// What many depend on and everyone sees comes first among equals.
fn standing(snapshot: &Snapshot, node: NodeId) -> f32 {
    let used = (1.0 + snapshot.incoming_count(node) as f32).ln() * 0.15;
    if snapshot.is_file(node) {
        return used
            + if snapshot.file(node).is_test {
                -1.5
            } else {
                0.2
            };
    }
    let symbol = snapshot.symbol(node);
    let kind = match symbol.kind {
        SymbolKind::Test => -2.0,
        SymbolKind::Field | SymbolKind::Variable => -0.5,
        _ => 0.3,
    };
    let seen = if symbol.visibility == Visibility::Private {
        -0.2
    } else {
        0.1
    };
    let tested = if snapshot.file(symbol.file).is_test {
        -1.5
    } else {
        0.0
    };
    used + kind + seen + tested
}

/// The words of a name or sentence, in lower case: `parseURLPath_v2` is parse, url, path, v2.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .flat_map(split_case)
        .filter(|word| !word.is_empty())
}

fn split_case(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (at, &c) in chars.iter().enumerate() {
        let after_lower = at > 0 && chars[at - 1].is_lowercase() && c.is_uppercase();
        let ends_capitals = at > 0
            && chars[at - 1].is_uppercase()
            && c.is_uppercase()
            && chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        if after_lower || ends_capitals {
            words.push(std::mem::take(&mut word));
        }
        word.extend(c.to_lowercase());
    }
    words.push(word);
    words
}

fn is_filler(word: &str) -> bool {
    [
        "the", "a", "an", "is", "are", "where", "what", "how", "does", "do", "of", "in", "to",
        "for", "and", "or", "we", "it",
    ]
    .contains(&word)
}
