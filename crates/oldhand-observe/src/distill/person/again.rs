//! What people say again: nearly the same short refusal in several sessions, on several days, in what steps they want work done in
//! several prompts, or which document goes with work that is handed in.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::Digest;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::text::{Content, Summary};
use oldhand_domain::words;

use super::stated::EMPTY;
use super::{WORTH, clip, shortened};
use crate::distill::{Candidate, Origin, Wording};
use crate::fold::{PromptUse, SessionAnalytics};
use crate::language::instruction::{Pace, Refusal, paces, refusals, upkeeps};

/// How the key begins of what was refused.
const AGAIN: &str = "said:again:";
/// So many sessions, and so many days.
const SESSIONS: usize = 3;
const DAYS: usize = 2;
/// How sure that makes it.
pub(crate) const SURE: f64 = 0.7;
/// Nobody types so many words twice: a longer prompt that comes again is a copy.
const TYPED_ANEW: usize = 12;

/// What a prompt says that counts once it was said often enough.
struct Said<'a> {
    words: &'a str,
    keys: Vec<String>,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Refusal,
    Pace(Pace),
    /// A document is to be kept up to date.
    Upkeep(String),
}

impl Kind {
    /// So many times, and so many days.
    fn needed(&self) -> (usize, usize) {
        match self {
            Self::Refusal => (SESSIONS, DAYS),
            // Hardly anybody orders more than one commit by chance; things of the work are taken one at a time in a list, too. On one day
            // it is one task, begun again.
            Self::Pace(Pace::Commits) => (2, DAYS),
            Self::Pace(Pace::OneByOne) => (3, DAYS),
            // It is a task, too.
            Self::Upkeep(_) => (4, 3),
        }
    }

    fn is_pace(&self) -> bool {
        matches!(self, Self::Pace(_))
    }
}

/// What a session says: for each thing the key of it, with when it was first said there and in which prompt, so that a copy of a
/// session, or of a prompt, counts once. Of the pace of work each prompt counts.
pub(crate) fn refused(session: &SessionAnalytics) -> BTreeSet<String> {
    first_of(&said_by(session))
}

fn first_of(all: &[(Said<'_>, &PromptUse)]) -> BTreeSet<String> {
    let mut first: BTreeMap<&str, String> = BTreeMap::new();
    let mut each: BTreeSet<String> = BTreeSet::new();
    for (said, prompt) in all {
        for key in &said.keys {
            let when = format!("{key}:{}:{}", prompt.at, copy_of(&prompt.text));
            if said.kind.is_pace() {
                each.insert(when);
            } else {
                first.entry(key).or_insert(when);
            }
        }
    }
    each.extend(first.into_values());
    each
}

/// The rules that a session says once more, with what earlier ones said (`before`): often enough.
pub(crate) fn said_again<'k>(
    session: &SessionAnalytics,
    before: impl Fn(&str) -> Vec<&'k str>,
) -> Vec<Candidate> {
    let mut prompts = said_by(session);
    let own = first_of(&prompts);
    // Of the pace the most words tell the most.
    prompts.sort_by_key(|(said, _)| {
        let is_pace = said.kind.is_pace();
        is_pace.then(|| usize::MAX - said.words.len())
    });
    let mut found: Vec<Candidate> = Vec::new();
    for (said, prompt) in prompts {
        let counted = said.keys.into_iter().filter_map(|key| {
            let of_key = own.range(key.clone()..);
            let of_key = of_key.take_while(|said| said.starts_with(&key));
            let mut all: Vec<&str> = of_key.map(String::as_str).collect();
            all.extend(before(&key));
            Some((times(&all, &said.kind)?, key))
        });
        let Some((times, key)) = counted.max_by_key(|(times, _)| *times) else {
            continue;
        };
        if found.iter().any(|known| known.key == key) {
            continue;
        }
        let wording = match &said.kind {
            Kind::Refusal => word(said.words, times, "sessions"),
            Kind::Pace(_) => word(said.words, times, "prompts"),
            Kind::Upkeep(file) => of_upkeep(file, said.words, times),
        };
        let Some(mut candidate) = Candidate::new(key, Origin::Person, wording) else {
            continue;
        };
        candidate.confidence = Confidence::clamped(SURE);
        candidate.priority = WORTH;
        candidate.urgency = WORTH;
        candidate.evidence = vec![prompt.step];
        if let Kind::Upkeep(file) = said.kind {
            candidate.upkeep = Some(file);
        }
        found.push(candidate);
    }
    found
}

/// What the prompts of a session say that hold nothing from elsewhere, one after the other.
fn said_by(session: &SessionAnalytics) -> Vec<(Said<'_>, &PromptUse)> {
    let typed = session.typed().filter(|prompt| !prompt.pasted);
    typed
        .flat_map(|prompt| said_in(prompt).into_iter().map(move |said| (said, prompt)))
        .collect()
}

fn said_in(prompt: &PromptUse) -> Vec<Said<'_>> {
    let refusals = refusals(&prompt.text).into_iter().map(|refusal| Said {
        keys: keys(&refusal),
        words: refusal.words,
        kind: Kind::Refusal,
    });
    let paces = paces(&prompt.text).into_iter().map(|(pace, words)| Said {
        keys: vec![format!("{AGAIN}{}", Digest::of(pace.as_str()))],
        words,
        kind: Kind::Pace(pace),
    });
    let upkeeps = upkeeps(&prompt.text).into_iter().map(|upkeep| Said {
        keys: vec![format!(
            "{AGAIN}{}",
            Digest::of(&format!("upkeep: {}", upkeep.file))
        )],
        words: upkeep.words,
        kind: Kind::Upkeep(upkeep.file),
    });
    refusals.chain(paces).chain(upkeeps).collect()
}

/// The deed with each thing that it is not to be done with: two refusals with one of these in common are nearly the same.
fn keys(refusal: &Refusal<'_>) -> Vec<String> {
    let is_telling = |word: &&String| {
        word.len() > 2 && words::is_telling(word) && !EMPTY.contains(&word.as_str())
    };
    let things = refusal.rest.iter().filter(is_telling);
    let keys = things.map(|thing| {
        let thing = thing.trim_end_matches('s');
        format!(
            "{AGAIN}{}",
            Digest::of(&format!("{} {thing}", refusal.deed))
        )
    });
    keys.collect()
}

/// What tells a prompt that may be a copy; nothing of one that anybody types anew.
fn copy_of(prompt: &str) -> String {
    let is_long = prompt.split_whitespace().count() > TYPED_ANEW;
    if is_long {
        Digest::of(prompt).to_string()
    } else {
        String::new()
    }
}

/// How often a thing was said, by the keys of it, where that is enough.
fn times(said: &[&str], kind: &Kind) -> Option<usize> {
    let (mut times, mut days, mut copies) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for key in said {
        let (when, copy) = key.rsplit_once(':')?;
        let when = when.strip_prefix(AGAIN)?.split_once(':')?.1;
        if copy.is_empty() || copies.insert(copy) {
            times.insert(when);
            days.insert(when.get(..10)?);
        }
    }
    let needed = kind.needed();
    (times.len() >= needed.0 && days.len() >= needed.1).then_some(times.len())
}

fn word(said: &str, times: usize, of: &str) -> Wording {
    let said: Vec<&str> = said.split_whitespace().collect();
    let said = clip(&said.join(" "), 240);
    Wording::plain(
        BuiltInType::Preference,
        format!("The user said in {times} {of}: \"{said}\"."),
        shortened([120, 90, 60].map(|limit| format!("User's rule: {}", clip(&said, limit)))),
    )
}

/// The file is named as the person calls it until it is found in the tree.
fn of_upkeep(file: &str, said: &str, times: usize) -> Wording {
    let said: Vec<&str> = said.split_whitespace().collect();
    // Marks of its own would end the quotation.
    let said = clip(&said.join(" ").replace(['"', '`'], ""), 120);
    let with = if said.to_lowercase().contains("commit") {
        "with a commit"
    } else {
        "when work is handed in"
    };
    Wording::plain(
        BuiltInType::Preference,
        format!("The user asked in {times} sessions to update `{file}` {with} (\"{said}\")."),
        format!("User's rule: update `{file}` {with}"),
    )
}

impl Candidate {
    /// Whether it says that a document is to be kept up to date.
    pub fn keeps_up(&self) -> bool {
        self.origin == Origin::Person && self.key.starts_with(AGAIN) && !self.files.is_empty()
    }

    /// Names the one file that a person meant, for what they want to be kept up to date.
    pub fn keep_up(&mut self, file: &ProjectPath) {
        let Some(called) = self.upkeep.take() else {
            return;
        };
        let (called, name) = (format!("`{called}`"), format!("`{file}`"));
        let content = self.content.as_str().replacen(&called, &name, 1);
        let summary = self.summary.as_str().replacen(&called, &name, 1);
        if let (Ok(content), Ok(summary)) = (Content::new(&content), Summary::new(&summary)) {
            (self.content, self.summary) = (content, summary);
        }
        self.files.insert(file.clone());
    }
}
