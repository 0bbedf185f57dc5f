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
use super::{Knowledge, Place, synthesis};
use crate::distill::phrase::clip;
use crate::distill::{Candidate, Wording};
use crate::fold::{COMMIT, SessionAnalytics};
use crate::outcome::commands::check_commands;

/// So many sessions, on so many occasions, were stopped by a check.
const SESSIONS: usize = 5;
const OCCASIONS: usize = 3;
/// One in so many of the sessions that ran it.
const SHARE: usize = 5;
/// So many sessions broke a rule that is told.
const BROKE: usize = 3;
/// More rules nobody reads.
const RULES: usize = 8;
/// How many of them the summary names.
const SHORT: usize = 4;
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
    for run in &session.runs {
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
        fact.steps.push(hurdle.step);
        let wordings = fact.broke.entry(hurdle.rule.clone()).or_default();
        if wordings.len() < WORDINGS {
            wordings.insert(without_the_case(&hurdle.message));
        }
    }
    found.into_values().collect()
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
    /// Those of them before any outside text, and how many of these saw it in which words.
    clean: u32,
    wordings: BTreeMap<String, u32>,
}

impl Hurdle {
    fn learn(&mut self, facts: &SessionFacts, fact: &HurdleFact, number: u32) {
        self.ran += 1;
        if fact.broke.is_empty() {
            return;
        }
        self.stopped.push(Place::new(number, fact.after_outside));
        self.times.insert(facts.at);
        for (rule, wordings) in &fact.broke {
            let known = self.rules.entry(rule.clone()).or_default();
            known.sessions += 1;
            // Names and numbers of all are counted, words are quoted of those alone that nobody else had a hand in.
            if fact.after_outside {
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
        let is_told = |rule: &Rule| rule.sessions as usize >= BROKE;
        let mut often: Vec<_> = often.filter(|(_, rule)| is_told(rule)).collect();
        often.sort_by_key(|(name, rule)| (std::cmp::Reverse(rule.sessions), *name));
        often.truncate(RULES);
        often
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
        let met = facts.hurdles.iter().filter(|fact| !fact.broke.is_empty());
        let told = met.filter_map(|fact| {
            let before = self.hurdles.get(&fact.check).cloned().unwrap_or_default();
            let mut hurdle = before.clone();
            hurdle.learn(facts, fact, self.order.len() as u32);
            let mut told = tell(&fact.check, &hurdle)?;
            told.witnesses = self.named(&before.stopped);
            told.witnesses.insert(facts.session.clone());
            let clean = hurdle
                .stopped
                .iter()
                .filter(|place| !place.is_after_outside());
            if clean.count() < SESSIONS {
                let (_, taint) = self.rests_on(&before.stopped, |_| false);
                told.taint = taint.join(&facts.taint);
            }
            told.evidence.clone_from(&fact.steps);
            Some(told)
        });
        told.collect()
    }
}

fn tell(check: &str, hurdle: &Hurdle) -> Option<Candidate> {
    let (stopped, ran) = (hurdle.stopped.len(), hurdle.ran as usize);
    let worst = hurdle.worst();
    if stopped < SESSIONS
        || SHARE * stopped < ran
        || occasions(&hurdle.times) < OCCASIONS
        || worst.is_empty()
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
        (
            format!(
                "`{check}{FAILED}{stopped} of the {ran} sessions that ran it, most often {listed}."
            ),
            format!("`{check}` mostly fails by {names}"),
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

const FAILED: &str = "` failed on the changes of ";
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
mod tests {
    use jiff::SignedDuration;

    use super::super::tests::session;
    use super::*;

    const BROKEN: &str = "edit a.go; run make lint = 1: a.go:10:2: Error return value of `x.Close` is not checked (errcheck)\\na.go:3:1: error is not nil (line 2) but it returns nil (nilerr)";
    const ERRCHECK: &str = "edit a.go; run make lint = 1: a.go:7:2: Error return value of `y.Flush` is not checked (errcheck)";
    const PASSED: &str = "edit a.go; run make lint = 0: 0 issues.";

    /// What the last of some sessions tells, each a day after the one before.
    fn told(stories: &[&str]) -> Option<Candidate> {
        let mut known = Knowledge::default();
        let mut last = Vec::new();
        for (number, story) in stories.iter().enumerate() {
            let mut facts = session(number as u32, story);
            facts.at = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * number as i64);
            last = known.hurdles(&facts);
            known.learn(&facts);
        }
        last.pop()
    }

    fn words(stories: &[&str]) -> Option<String> {
        told(stories).map(|told| told.content.as_str().to_owned())
    }

    #[test]
    fn what_stopped_five_sessions_on_three_occasions_is_told_with_its_rules() {
        let five = [BROKEN, ERRCHECK, PASSED, BROKEN, ERRCHECK, BROKEN];
        let expected = "`make lint` failed on the changes of 5 of the 6 sessions that ran it, most often errcheck (5: \"Error return value of … is not checked\"), nilerr (3: \"error is not nil but it returns nil\").";
        assert_eq!(words(&five).as_deref(), Some(expected));
        assert_eq!(words(&five[1..]), None, "four sessions");
        assert_eq!(
            words(&[BROKEN, BROKEN, BROKEN, BROKEN, PASSED]),
            None,
            "nothing new"
        );
        let told = told(&five).unwrap();
        assert_eq!(
            told.summary.as_str(),
            "`make lint` mostly fails by errcheck, nilerr"
        );
        assert_eq!((told.witnesses.len(), told.evidence.len()), (5, 2));
    }

    #[test]
    fn what_stops_few_of_those_that_run_it_is_no_hurdle() {
        let mut stories = vec![PASSED; 20];
        stories.extend([BROKEN; 5]);
        assert!(words(&stories).is_some(), "5 of 25");
        stories.insert(0, PASSED);
        assert!(words(&stories).is_none(), "5 of 26");
    }

    #[test]
    fn one_evening_is_one_occasion_and_a_rule_needs_three_sessions() {
        let mut known = Knowledge::default();
        for number in 0..9 {
            let mut facts = session(number, BROKEN);
            facts.at = Timestamp::UNIX_EPOCH;
            assert!(known.hurdles(&facts).is_empty(), "one occasion");
            known.learn(&facts);
        }
        let two = ["a", "b", "c"].map(|rule| {
            format!(
                "edit a.go; run make lint = 1: a.go:1:2: this is not as it should be (rule{rule})"
            )
        });
        let each: Vec<&str> = two.iter().chain(&two).map(String::as_str).collect();
        assert_eq!(words(&each), None, "each rule twice");
    }

    #[test]
    fn hooks_that_refuse_commits_are_told_by_what_they_check() {
        const REFUSED: &str = "edit docs/a.md; run git commit -m x = 1: ✖ markdownlint --fix:\\n/p/docs/a.md:7 error MD040/fenced-code-language Fenced code blocks should have a language specified\\nhusky - pre-commit script failed (code 1)";
        const MADE: &str = "edit docs/a.md; run git commit -m x = 0: [main 1a2b3c4] x";
        let told = words(&[MADE, REFUSED, REFUSED, REFUSED, REFUSED, REFUSED]);
        let expected = "The hooks before `git commit` refused the work of 5 of the 6 sessions that committed, most often for MD040/fenced-code-language (5: \"Fenced code blocks should have a language specified\"), lint (5). What they check can be run before.";
        assert_eq!(told.as_deref(), Some(expected));
        assert_eq!(rules_told(expected), ["MD040/fenced-code-language", "lint"]);
    }

    #[test]
    fn what_came_after_outside_text_is_counted_marked_and_not_quoted() {
        let marked = format!("fetch https://a.example/page; {BROKEN}");
        let marked = marked.as_str();
        let one = told(&[BROKEN, BROKEN, BROKEN, BROKEN, marked]).unwrap();
        assert!(!one.taint.is_clean());
        let enough = told(&[BROKEN, BROKEN, BROKEN, BROKEN, BROKEN, marked]).unwrap();
        assert!(enough.taint.is_clean());
        let alone = told(&[marked; 5]).unwrap();
        assert!(
            alone
                .content
                .as_str()
                .ends_with("most often errcheck (5), nilerr (5)."),
            "{}",
            alone.content.as_str()
        );
    }

    #[test]
    fn a_rule_is_told_without_the_case_that_broke_it() {
        for (message, told) in [
            (
                "The line is 185 characters long, which exceeds the maximum of 180 characters",
                "The line is … characters long, which exceeds the maximum of 180 characters",
            ),
            (
                "missing cases in switch of type color.Ansi: color.emptyColor, color.Accent",
                "missing cases in switch of type color.Ansi",
            ),
            (
                "string `a long text` has 3 occurrences, make it a constant",
                "string … has … occurrences, make it a constant",
            ),
            (
                "error returned from external package is unwrapped: sig: func example.com/x.Load() (*example.com/x.Set)",
                "error returned from external package is unwrapped",
            ),
            (
                "os/exec.Command must not be called. use os/exec.CommandContext",
                "os/exec.Command must not be called. use os/exec.CommandContext",
            ),
            ("", ""),
        ] {
            assert_eq!(without_the_case(message), told);
        }
    }
}
