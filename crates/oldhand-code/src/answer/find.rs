//! Where is it? By name, by part of a name, or by words of what it does.

use rustc_hash::FxHashSet;

use crate::facts::{SymbolKind, Visibility};
use crate::question::MOST_WORDS;
use crate::snapshot::{NodeId, Snapshot};

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
    let question = question.trim();
    let wanted: FxHashSet<String> = words(question)
        .filter(|word| !is_filler(word))
        .take(MOST_WORDS)
        .collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let lower = question.to_lowercase();
    let qualifier = super::target::locate(snapshot, question);
    let mut matches: Vec<Match> = Vec::new();
    for node in snapshot.files().chain(snapshot.symbols()) {
        if let Some((score, reason)) = weigh(snapshot, node, question, &lower, &wanted) {
            let score = score + if qualifier.contains(&node) { 10.0 } else { 0.0 };
            matches.push(Match {
                node,
                score: score + standing(snapshot, node),
                reason,
            });
        }
    }
    matches.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.node.cmp(&b.node)));
    matches.truncate(limit);
    matches
}

fn weigh(
    snapshot: &Snapshot,
    node: NodeId,
    question: &str,
    lower: &str,
    wanted: &FxHashSet<String>,
) -> Option<(f32, Reason)> {
    let is_file = snapshot.is_file(node);
    let name = snapshot.name(node);
    let short = if is_file {
        name.rsplit('/').next().unwrap_or(name)
    } else {
        name
    };
    if short == question {
        return Some((10.0, Reason::Name));
    }
    let short_lower = short.to_lowercase();
    if short_lower == lower {
        return Some((8.0, Reason::NameInOtherCase));
    }
    if lower.len() >= 3 && short_lower.starts_with(lower) {
        return Some((6.0, Reason::StartOfName));
    }
    let share = |text: &str| {
        let have: FxHashSet<String> = words(text).collect();
        wanted.iter().filter(|word| have.contains(*word)).count() as f32 / wanted.len() as f32
    };
    let in_name = share(short);
    if in_name > 0.5 || (in_name > 0.0 && wanted.len() == 1) {
        return Some((4.0 * in_name, Reason::WordsOfName));
    }
    if is_file {
        let in_path = share(name);
        if in_path > 0.0 {
            return Some((3.0 * in_path, Reason::WordsOfPath));
        }
    }
    let doc = if is_file {
        snapshot.file(node).doc
    } else {
        snapshot.symbol(node).doc
    };
    let in_doc = if doc.is_empty() {
        0.0
    } else {
        share(doc).max(in_name)
    };
    (in_doc >= 0.5)
        .then_some((2.0 * in_doc, Reason::WordsOfDoc))
        .or((in_name > 0.0).then_some((1.5 * in_name, Reason::WordsOfName)))
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
