//! What stops work here again and again: the rules that a check holds against changed files, and what the hooks before a commit refuse.
//!
//! One case says nothing that the check does not say itself. Which rules bite in session after session is worth knowing before the first line
//! is written, and only counting tells.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::Taint;
use serde::{Deserialize, Serialize};

use super::errors::occasions;
use super::facts::{SessionFacts, uncut};
use super::mends::WayOut;
use super::{Knowledge, Place, synthesis};
use crate::distill::phrase::clip;
use crate::distill::{Candidate, Wording};
use crate::fold::{COMMIT, Run, SessionAnalytics};
use crate::outcome::commands::{Check, check_commands, classify, elsewhere};

/// So many sessions, on so many occasions, were stopped by a check.
const SESSIONS: usize = 5;
/// By a linter that nothing is known to mend: it names its rules at once, and a handful of sessions meets those that anybody meets.
const LINTED: usize = 10;
const OCCASIONS: usize = 3;
/// One in so many of the sessions that ran it.
const SHARE: usize = 5;
/// So many sessions broke a rule that is told.
const BROKE: usize = 3;
/// More rules nobody reads.
const RULES: usize = 8;
/// How many of them the summary names.
const SHORT: usize = 4;
/// A rule is told until it was quiet in more of the sessions that its check stopped than these, and than twice as many as usually lie between
/// two that met it: by then it may have been dropped.
const QUIET: usize = 4;
/// How many wordings of one rule a session keeps.
const WORDINGS: usize = 4;
/// How sure that many sessions make it, what each further one adds, and the most it can be.
const SURE: f64 = 0.6;
const ANOTHER: f64 = 0.01;
const SUREST: f64 = 0.85;

/// That a session ran a check, and which of its rules it broke.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HurdleFact {
    /// The check as one types it, or `git commit`.
    pub check: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub broke: BTreeMap<String, BTreeSet<String>>,
    /// The steps at which it stopped the work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<u32>,
    /// Outside text had come in before that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_outside: bool,
}

/// What a session ran to check its work, and what that held against it.
pub(super) fn hurdles(
    session: &SessionAnalytics,
    is_after: impl Fn(u32) -> bool,
) -> Vec<HurdleFact> {
    let mut found: BTreeMap<String, HurdleFact> = BTreeMap::new();
    let mut ran = |check: &str| {
        found.entry(check.to_owned()).or_insert_with(|| HurdleFact {
            check: check.to_owned(),
            broke: BTreeMap::new(),
            steps: Vec::new(),
            after_outside: false,
        });
    };
    for run in session
        .runs
        .iter()
        .filter(|run| !is_of_others(session, run))
    {
        for (_, check) in check_commands(uncut(&run.command)) {
            ran(&check);
        }
    }
    if session.git.iter().any(|(_, act)| act.verb.commits()) {
        ran(COMMIT);
    }
    for hurdle in &session.hurdles {
        ran(&hurdle.check);
    }
    for hurdle in &session.hurdles {
        let Some(fact) = found.get_mut(&hurdle.check) else {
            continue;
        };
        if fact.steps.is_empty() {
            fact.after_outside = is_after(hurdle.step);
        }
        if fact.steps.last() != Some(&hurdle.step) {
            fact.steps.push(hurdle.step);
        }
        // A hook that says neither what it checks nor by which rule refused the work all the same.
        if hurdle.rule.is_empty() {
            continue;
        }
        let wordings = fact.broke.entry(hurdle.rule.clone()).or_default();
        // Others may have had a hand in what is said from then on.
        if wordings.len() < WORDINGS && !is_after(hurdle.step) {
            wordings.insert(without_the_case(&hurdle.message));
        }
    }
    let mut found: Vec<HurdleFact> = found.into_values().collect();
    // That it was a linter says the rule that it names.
    for fact in found.iter_mut().filter(|fact| fact.broke.len() > 1) {
        fact.broke.remove(Check::Lint.as_str());
    }
    found
}

/// Whether a line checks another project. A session may have begun in a part of the project that is called like the folder the line ran in.
fn is_of_others(session: &SessionAnalytics, run: &Run) -> bool {
    let begun = session.start.as_ref();
    let begun = begun.map_or("", |start| start.cwd.as_str());
    let above = begun.strip_suffix(&run.folder);
    let above = above.and_then(|above| above.strip_suffix('/'));
    let line = uncut(&run.command);
    classify(line).is_some_and(|checks| {
        let mut roots = std::iter::once(begun).chain(above);
        roots.all(|root| {
            let away = elsewhere(line, root, &run.folder);
            let mut turns = checks.turns.iter();
            turns.any(|turn| away.get(turn.at) == Some(&true))
        })
    })
}

/// A check over all sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hurdle {
    /// How many sessions ran it.
    ran: u32,
    /// Those that it stopped, and when.
    stopped: Vec<Place>,
    times: BTreeSet<Timestamp>,
    rules: BTreeMap<String, Rule>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rule {
    sessions: u32,
    /// When they were.
    times: BTreeSet<Timestamp>,
    /// Those of them before any outside text, and how many of these saw it in which words.
    clean: u32,
    wordings: BTreeMap<String, u32>,
}

impl Hurdle {
    fn learn(&mut self, facts: &SessionFacts, fact: &HurdleFact, number: u32) {
        self.ran += 1;
        if fact.steps.is_empty() {
            return;
        }
        self.stopped.push(Place::new(number, fact.after_outside));
        self.times.insert(facts.at);
        for (rule, wordings) in &fact.broke {
            let known = self.rules.entry(rule.clone()).or_default();
            known.sessions += 1;
            known.times.insert(facts.at);
            // Names and numbers of all are counted, words are quoted of those alone that nobody else had a hand in.
            if fact.after_outside || wordings.is_empty() {
                continue;
            }
            known.clean += 1;
            for words in wordings {
                *known.wordings.entry(words.clone()).or_default() += 1;
            }
        }
    }

    /// The rules that stopped most, most first.
    fn worst(&self) -> Vec<(&String, &Rule)> {
        let often = self.rules.iter();
        let is_told = |rule: &Rule| rule.sessions as usize >= BROKE && self.is_met_lately(rule);
        let mut often: Vec<_> = often.filter(|(_, rule)| is_told(rule)).collect();
        often.sort_by_key(|(name, rule)| (std::cmp::Reverse(rule.sessions), *name));
        often.truncate(RULES);
        often
    }

    /// Whether a rule was not quiet for so long that it may have been dropped.
    fn is_met_lately(&self, rule: &Rule) -> bool {
        let (Some(first), Some(last)) = (rule.times.first(), rule.times.last()) else {
            return false;
        };
        let later = |than: &Timestamp| self.times.range(than..).count() - 1;
        let (since, apart) = (later(last), later(first) - later(last));
        let usual = apart / (rule.times.len() - 1).max(1);
        since <= QUIET.max(2 * usual)
    }
}

impl Rule {
    /// The words that at least half of its sessions saw.
    fn words(&self) -> Option<&str> {
        let by_number =
            |(words, sessions): &(&String, &u32)| (**sessions, std::cmp::Reverse((*words).clone()));
        let (words, sessions) = self.wordings.iter().max_by_key(by_number)?;
        // Two words are a name.
        let is_usual = 2 * sessions >= self.clean && words.split(' ').count() > 2;
        is_usual.then_some(words)
    }
}

impl Knowledge {
    pub(super) fn learn_hurdles(&mut self, facts: &SessionFacts, number: u32) {
        for fact in &facts.hurdles {
            let known = self.hurdles.entry(fact.check.clone()).or_default();
            known.learn(facts, fact, number);
        }
    }

    /// What stopped a session once more, as would-be memories.
    pub(crate) fn hurdles(&self, facts: &SessionFacts) -> Vec<Candidate> {
        if self.sessions.contains(&facts.session) {
            return Vec::new();
        }
        let met = facts.hurdles.iter().filter(|fact| !fact.steps.is_empty());
        let mends = self.mends_with(facts);
        let told = met.filter_map(|fact| {
            let before = self.hurdles.get(&fact.check).cloned().unwrap_or_default();
            let mut hurdle = before.clone();
            hurdle.learn(facts, fact, self.order.len() as u32);
            let way_out = mends.way_out(&fact.check);
            let mut told = tell(&fact.check, &hurdle, way_out.as_ref())?;
            let needed = needed(&fact.check, way_out.as_ref());
            told.covers.extend(way_out.map(|way| way.key));
            told.witnesses = self.named(&before.stopped);
            told.witnesses.insert(facts.session.clone());
            let clean = hurdle
                .stopped
                .iter()
                .filter(|place| !place.is_after_outside());
            if clean.count() < needed {
                let (_, taint) = self.rests_on(&before.stopped, |_| false);
                told.taint = taint.join(&facts.taint);
            }
            told.evidence.clone_from(&fact.steps);
            Some(told)
        });
        told.collect()
    }

    /// Whether it is told what a check mostly fails by, with what mends that, once this session is known.
    pub(super) fn tells_hurdle(&self, facts: &SessionFacts, check: &str) -> bool {
        let mut hurdle = self.hurdles.get(check).cloned().unwrap_or_default();
        let own = facts.hurdles.iter().find(|fact| fact.check == check);
        if let Some(fact) = own.filter(|_| !self.sessions.contains(&facts.session)) {
            hurdle.learn(facts, fact, self.order.len() as u32);
        }
        let way_out = self.mends_with(facts).way_out(check);
        tell(check, &hurdle, way_out.as_ref()).is_some()
    }
}

/// So many sessions that a check stopped are worth telling.
fn needed(check: &str, way_out: Option<&WayOut>) -> usize {
    match way_out {
        None if check != COMMIT => LINTED,
        _ => SESSIONS,
    }
}

fn tell(check: &str, hurdle: &Hurdle, way_out: Option<&WayOut>) -> Option<Candidate> {
    let (stopped, ran) = (hurdle.stopped.len(), hurdle.ran as usize);
    let worst = hurdle.worst();
    if stopped < needed(check, way_out)
        || SHARE * stopped < ran
        || occasions(&hurdle.times) < OCCASIONS
        || worst.is_empty()
        || check == COMMIT && worst.iter().all(|(name, _)| is_kind(name))
    {
        return None;
    }
    let listed: Vec<String> = worst
        .iter()
        .map(|(name, rule)| listed(name, rule))
        .collect();
    let listed = listed.join(", ");
    let names = worst.iter().take(SHORT).map(|(name, _)| name.as_str());
    let names = names.collect::<Vec<_>>().join(", ");
    let (content, summary) = if check == COMMIT {
        (
            format!(
                "{HOOKS}{stopped} of the {ran} sessions that committed, most often for {listed}. What they check can be run before."
            ),
            format!("Hooks refuse commits, mostly for {names}"),
        )
    } else {
        let (told, short) = way_out.map_or_else(Default::default, WayOut::words);
        (
            format!(
                "`{check}{FAILED}{stopped} of the {ran} sessions that ran it, most often {listed}.{told}"
            ),
            format!("`{check}` mostly fails by {names}{short}"),
        )
    };
    let wording = Wording {
        payload: BuiltInType::Pattern.into(),
        content,
        summary,
    };
    let sure = (SURE + ANOTHER * (stopped - SESSIONS) as f64).min(SUREST);
    let key = format!("hurdle:{check}");
    synthesis::candidate(key, wording, sure, BTreeSet::new(), Taint::CLEAN)
}

/// Whether what a commit was refused for is only the kind of a check, which the hook says itself.
fn is_kind(rule: &str) -> bool {
    let kinds = [
        Check::Test,
        Check::Build,
        Check::TypeCheck,
        Check::Lint,
        Check::Unclear,
    ];
    kinds.iter().any(|kind| kind.as_str() == rule)
}

/// How a check begins that a memory tells the hurdles of, and what stands between it and their number.
pub(super) const FAILED: &str = "` failed on the changes of ";
const HOOKS: &str = "The hooks before `git commit` refused the work of ";

fn listed(name: &str, rule: &Rule) -> String {
    let sessions = rule.sessions;
    match rule.words() {
        Some(words) => format!("{name} ({sessions}: \"{}\")", clip(words, 90)),
        None => format!("{name} ({sessions})"),
    }
}

/// The rules that a memory names which tells what a check stops work by.
pub fn rules_told(content: &str) -> Vec<&str> {
    let is_one = content.contains(FAILED) || content.starts_with(HOOKS);
    let list = content.split_once("most often ").filter(|_| is_one);
    let mut rest = list.map_or("", |(_, list)| list.trim_start_matches("for "));
    let mut rules = Vec::new();
    while let Some((name, behind)) = rest.split_once(" (") {
        rules.push(name);
        // A quotation may hold brackets of its own.
        let Some(next) = behind.split_once("), ") else {
            break;
        };
        rest = next.1;
    }
    rules
}

/// A linter's words without what they say of one line of code: its names, its numbers and what stands behind them.
fn without_the_case(message: &str) -> String {
    let mut told: Vec<String> = Vec::new();
    let mut quoted: Option<char> = None;
    let mut words = message.split_whitespace().peekable();
    while let Some(word) = words.next() {
        // `(line 351)` says where.
        if word == "(line" && words.peek().is_some_and(|next| next.ends_with(')')) {
            words.next();
            continue;
        }
        let bare = word.trim_matches(|c: char| "(),.:;\"'`".contains(c));
        if let Some(mark) = quoted {
            if word.contains(mark) {
                quoted = None;
            }
            continue;
        }
        let mark = word
            .trim_start_matches('(')
            .chars()
            .next()
            .filter(|c| "`'\"".contains(*c));
        let of_case = mark.is_some()
            || !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_digit())
            || bare.contains('_')
            || word.find('(').is_some_and(|at| at > 0)
            || word.starts_with("(*")
            || bare.contains('/') && !bare.contains('.')
            || has_hump(bare);
        if let Some(mark) = mark {
            let rest = &word[word.find(mark).map_or(0, |at| at + mark.len_utf8())..];
            if !rest.contains(mark) {
                quoted = Some(mark);
            }
        }
        if !of_case || is_limit(told.last(), bare) {
            told.push(word.to_owned());
        } else if told.last().is_none_or(|last| last != "…") {
            told.push("…".to_owned());
        }
    }
    let words = told.join(" ");
    // A list of what the case is about says nothing of the rule.
    match words.split_once(": ") {
        Some((before, list)) if list.contains('…') || list.contains(", ") => before.to_owned(),
        _ => words,
    }
}

/// Whether a word is a name of code: `returnsThis`, `FileMode`.
fn has_hump(word: &str) -> bool {
    let mut letters = word.chars().zip(word.chars().skip(1));
    !word.contains('.') && letters.any(|(one, two)| one.is_lowercase() && two.is_uppercase())
}

/// Whether a number is one that a rule sets: `more than 180`.
fn is_limit(before: Option<&String>, word: &str) -> bool {
    const SETS: [&str; 8] = ["of", "than", "to", "limit", "maximum", "max", "over", ">"];
    let is_number = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    is_number && before.is_some_and(|before| SETS.contains(&before.as_str()))
}

#[cfg(test)]
mod tests;
