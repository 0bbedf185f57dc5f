//! Commands of the project that mend what a check finds: the check fails, such a command runs and nothing is edited, and it passes.
//!
//! What a check complains of differs from day to day, so that no error tells it; what is run next is the same.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::id::SessionId;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::Taint;
use serde::{Deserialize, Serialize};

use super::facts::{SessionFacts, checks_of, uncut};
use super::hurdles::FAILED;
use super::{Knowledge, Place, synthesis};
use crate::distill::{Candidate, Wording};
use crate::fold::{Run, SessionAnalytics};
use crate::outcome::commands::check_of;
use crate::outcome::results::CheckResult;
use crate::outcome::shell::commands;
use crate::promote::Dropped;

/// So many sessions show that a command mends a check.
const SESSIONS: usize = 3;
/// One in so many of the sessions in which the check failed.
const SHARE: usize = 4;
/// One in so many makes it what is tried first.
const MOSTLY: usize = 3;
/// What passes later than so many steps was mended by more than one command.
const WITHIN: u32 = 40;
/// How sure that many make it, what each further one adds, and the most it can be.
const SURE: f64 = 0.66;
const ANOTHER: f64 = 0.02;
const SUREST: f64 = 0.85;

/// That a check failed in a session, and what alone made it pass.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MendFact {
    /// The check as one would type it, in its folder.
    pub check: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Outside text had come in before that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_outside: bool,
}

/// The checks that failed in a session, each with what mended it.
pub(super) fn mends(session: &SessionAnalytics, is_after: impl Fn(u32) -> bool) -> Vec<MendFact> {
    let root = session.start.as_ref();
    let root = root.map_or("", |start| start.cwd.as_str());
    let edits = session.edits.iter().map(|edit| edit.step);
    let acts = session.git.iter().map(|(step, _)| *step);
    let changed: BTreeSet<u32> = edits
        .chain(acts)
        .chain(session.unnamed_edits.iter().copied())
        .collect();
    let mut found: BTreeMap<String, Option<(String, u32)>> = BTreeMap::new();
    // From the last run to the first, so that the next one of each check is known.
    let mut next: BTreeMap<String, &Run> = BTreeMap::new();
    for run in session.runs.iter().rev() {
        let ran = checks_of(uncut(&run.command), root, &run.folder);
        if let ([check], CheckResult::Failed) = (&ran[..], run.result) {
            let mended = found.entry(check.bare()).or_default();
            let passed = next.get(&check.bare()).filter(|next| {
                // Calls side by side may come back in any order.
                let is_later = (run.step + 1..=run.step + WITHIN).contains(&next.step);
                let by_others = || changed.range(run.step + 1..=next.step).next().is_some();
                let is_all = is_all_of(run, next);
                next.result == CheckResult::Passed && is_later && is_all && !by_others()
            });
            let by = passed.and_then(|passed| Some((mended_by(session, run, passed)?, passed)));
            if let Some((by, passed)) = by {
                *mended = Some((by, passed.step));
            }
        }
        next.extend(ran.iter().map(|check| (check.bare(), run)));
    }
    let facts = found.into_iter().map(|(check, mended)| MendFact {
        after_outside: mended.as_ref().is_some_and(|(_, step)| is_after(*step)),
        by: mended.map(|(by, _)| by),
        check,
    });
    facts.collect()
}

/// Whether a passing run was about no less than a failing one of the same command: it was given nothing that the other was not.
fn is_all_of(failed: &Run, passed: &Run) -> bool {
    let before = commands(&failed.command);
    let given: BTreeSet<&String> = before.iter().flat_map(|simple| &simple.words).collect();
    let mut now = commands(&passed.command).into_iter();
    now.any(|simple| {
        check_of(&simple.words).is_some() && simple.words.iter().all(|word| given.contains(word))
    })
}

/// The one command of the project that can have put things right between a failing and a passing run.
fn mended_by(session: &SessionAnalytics, failed: &Run, passed: &Run) -> Option<String> {
    let upto = |step: u32| session.mending.partition_point(|one| one.step <= step);
    let between = session.mending.get(upto(failed.step)..upto(passed.step))?;
    let by: BTreeSet<Option<&String>> = between.iter().map(|one| one.by.as_ref()).collect();
    let mut by = by.into_iter();
    let only = by.next()??;
    by.next().is_none().then(|| only.clone())
}

/// The check that a note of its own tells how to mend, and the command that does.
pub fn mended(content: &str) -> Option<(&str, &str)> {
    let (check, rest) = content.strip_prefix("When `")?.split_once('`')?;
    let (by, _) = rest.strip_prefix(FAILS)?.split_once('`')?;
    Some((check, by))
}

/// The check that a memory tells a way out for when it fails: a note of its own, or what the check mostly fails by.
pub fn way_out(content: &str) -> Option<&str> {
    if let Some((check, _)) = mended(content) {
        return Some(check);
    }
    let (check, rest) = content.strip_prefix('`')?.split_once(FAILED)?;
    let mut ways = [FIRST, OFTEN].into_iter();
    ways.any(|words| rest.contains(words)).then_some(check)
}

const FAILS: &str = " fails, `";
const FIRST: &str = "` first: it alone made it pass in ";
const OFTEN: &str = "` alone made it pass in ";

/// What mends a check, as far as it is known without any outside text.
pub(super) struct WayOut {
    /// The key of the note that says so alone.
    pub(super) key: String,
    by: String,
    sessions: usize,
    failed: usize,
}

impl WayOut {
    /// What it adds to what the check mostly fails by, in full and in short.
    pub(super) fn words(&self) -> (String, String) {
        let Self {
            by,
            sessions,
            failed,
            ..
        } = self;
        let counted = format!("{sessions} sessions.");
        if MOSTLY * sessions >= *failed {
            let told = format!(" Run `{by}{FIRST}{counted}");
            (told, format!(": run `{by}` first"))
        } else {
            let told = format!(" `{by}{OFTEN}{counted}");
            (told, format!("; `{by}` often mends it"))
        }
    }
}

/// A check over all sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mended {
    failed: u32,
    by: BTreeMap<String, Vec<Place>>,
}

impl Knowledge {
    pub(super) fn learn_mends(&mut self, facts: &SessionFacts, number: u32) {
        let stands = facts.succeeded != Some(false);
        for fact in &facts.mends {
            let known = self.mends.entry(fact.check.clone()).or_default();
            known.failed += 1;
            if let Some(by) = fact.by.as_ref().filter(|_| stands) {
                let places = known.by.entry(by.clone()).or_default();
                places.push(Place::new(number, fact.after_outside));
            }
        }
    }

    /// What is known of the checks that a session shows, with what that says of them.
    pub(super) fn mends_with(&self, facts: &SessionFacts) -> Self {
        let shown = facts.mends.iter().map(|fact| &fact.check);
        let ran = facts.hurdles.iter().map(|fact| &fact.check);
        let of_check = |check: &String| Some((check.clone(), self.mends.get(check)?.clone()));
        let mut known = Self {
            mends: shown.chain(ran).filter_map(of_check).collect(),
            ..Self::default()
        };
        known.order.clone_from(&self.order);
        known.taints.clone_from(&self.taints);
        let number = known.order.len() as u32;
        known.order.push(facts.session.clone());
        if !facts.taint.is_clean() {
            known.taints.insert(number, facts.taint.clone());
        }
        known.learn_mends(facts, number);
        known
    }

    /// What a session showed once more to mend a check, as would-be memories, unless one of these tells of the error and the command, or it is
    /// told with what the check mostly fails by.
    pub(crate) fn mending(&self, facts: &SessionFacts, told: &[Candidate]) -> Vec<Candidate> {
        let shown = facts.mends.iter().filter(|fact| fact.by.is_some());
        if self.sessions.contains(&facts.session) || shown.clone().next().is_none() {
            return Vec::new();
        }
        let known = self.mends_with(facts);
        let is_told = |by: &str| {
            let quoted = format!("`{by}`");
            let mut errors = told.iter().filter(|told| !told.fingerprints.is_empty());
            errors.any(|error| error.content.as_str().contains(&quoted))
        };
        let shown = shown.filter(|fact| !fact.by.as_deref().is_some_and(is_told));
        let told = shown.filter_map(|fact| {
            let mut mended = known.mended(&fact.check)?;
            if known.way_out(&fact.check).is_some() && self.tells_hurdle(facts, &fact.check) {
                mended.refuse(Dropped::ToldAlready);
            }
            Some(mended)
        });
        told.collect()
    }

    /// The one command that mends a check more than twice as often as all others, with the sessions that show it.
    fn mostly_mended(&self, check: &str) -> Option<Most<'_>> {
        let known = self.mends.get(check)?;
        let (by, places) = known
            .by
            .iter()
            .max_by_key(|(by, places)| (places.len(), std::cmp::Reverse(*by)))?;
        let others = known.by.iter().filter(|(other, _)| *other != by);
        let others: usize = others.map(|(_, places)| places.len()).sum();
        let failed = known.failed as usize;
        let is_enough = |sessions: usize| sessions >= SESSIONS && SHARE * sessions >= failed;
        if !is_enough(places.len()) || places.len() <= 2 * others {
            return None;
        }
        // Those that stand behind it are those that it speaks of.
        let (counted, taint) = self.rests_on(places, |sessions| is_enough(sessions as usize));
        Some(Most {
            by,
            failed,
            counted,
            taint,
        })
    }

    /// What mends a check, where no outside text had a hand in it.
    pub(super) fn way_out(&self, check: &str) -> Option<WayOut> {
        let most = self.mostly_mended(check)?;
        most.taint.is_clean().then(|| WayOut {
            key: key_of(check),
            by: most.by.to_owned(),
            sessions: most.counted.len(),
            failed: most.failed,
        })
    }

    fn mended(&self, check: &str) -> Option<Candidate> {
        let Most {
            by,
            failed,
            counted,
            taint,
        } = self.mostly_mended(check)?;
        let sessions = counted.len();
        let wording = Wording {
            payload: BuiltInType::ErrorPattern.into(),
            content: format!(
                "When `{check}`{FAILS}{by}` often mends it: in {sessions} of the {failed} sessions in which the check failed, it passed after that command and no edit."
            ),
            summary: format!("When `{check}`{FAILS}{by}` often mends it"),
        };
        let sure = SURE + ANOTHER * (sessions - SESSIONS) as f64;
        let witnesses: BTreeSet<SessionId> = self.named(&counted);
        synthesis::candidate(key_of(check), wording, sure.min(SUREST), witnesses, taint)
    }
}

/// What mends a check most.
struct Most<'k> {
    by: &'k str,
    failed: usize,
    counted: Vec<Place>,
    taint: Taint,
}

fn key_of(check: &str) -> String {
    format!("mended:{check}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{learned, session};
    use crate::fold::{FoldOptions, fold};
    use crate::harvest::harvest;
    use crate::story::events;
    use oldhand_domain::id::SessionId;

    /// What a session shows of its checks: `check < what mended it`.
    fn shown(story: &str) -> Vec<String> {
        let facts = session(1, story).mends.into_iter();
        let told = facts.map(|fact| match fact.by {
            Some(by) => format!("{} < {by}", fact.check),
            None => fact.check,
        });
        told.collect()
    }

    const MENDED: &str = "edit a.ts; run bun run lint = 1: a.ts format: not as it should be; run bun run lint:fix = 0: Fixed 1 file.; run bun run lint = 0: Checked 9 files.";
    const BY_HAND: &str = "edit a.ts; run bun run lint = 1: a.ts: unused variable; edit a.ts; run bun run lint = 0: Checked 9 files.";

    #[test]
    fn a_check_is_mended_by_the_one_command_that_ran_before_it_passed() {
        for (story, expected) in [
            (MENDED, "bun run lint < bun run lint:fix"),
            (
                "edit a.ts; run bun run lint = 1: bad; run bun run lint:fix && bun run lint = 0: fine",
                "bun run lint < bun run lint:fix",
            ),
            (
                "edit a.rs; run make lint = 1: bad; read a.rs; run make fmt = 0; run make lint = 0: fine",
                "make lint < make fmt",
            ),
            (
                "start build; edit a.ts; run cd /project && bun run lint = 1: bad; run cd /project && bun run lint:fix = 0; run bun run lint = 0: fine",
                "bun run lint < bun run lint:fix",
            ),
            // Somebody's hands had a part in it.
            (BY_HAND, "bun run lint"),
            (
                "edit a.ts; run bun run lint = 1: bad; edit a.ts; run bun run lint:fix = 0; run bun run lint = 0: fine",
                "bun run lint",
            ),
            // It did not help, or nobody looked.
            (
                "edit a.ts; run bun run lint = 1: bad; run bun run lint:fix = 0; run bun run lint = 1: bad",
                "bun run lint",
            ),
            (
                "edit a.ts; run bun run lint = 1: bad; run bun run lint:fix = 0",
                "bun run lint",
            ),
            // Two did, another try did, or what everybody knows.
            (
                "edit a.ts; run bun run lint = 1: bad; run bun run lint:fix = 0; run bun run generate = 0; run bun run lint = 0: fine",
                "bun run lint",
            ),
            (
                "edit a.ts; run bun run lint = 1: bad; run bun run lint = 0: fine",
                "bun run lint",
            ),
            (
                "edit a.rs; run cargo clippy = 1: error: bad; run cargo fmt = 0; run cargo clippy = 0: fine",
                "cargo clippy",
            ),
            // What puts nothing right, or is found where it lies, or from another folder.
            (
                "edit a.ts; run bun run lint = 1: bad; run bun run docs = 0; run bun run lint = 0: fine",
                "bun run lint",
            ),
            (
                "edit a.ts; run make lint = 1: bad; run ./scripts/format.sh = 0; run make lint = 0: fine",
                "make lint",
            ),
            (
                "edit a.ts; run make lint = 1: bad; run cd web && make fmt = 0; run make lint = 0: fine",
                "make lint",
            ),
            (
                "edit a.ts; run make lint = 1: bad; run make -C web fmt = 0; run make lint = 0: fine",
                "make lint",
            ),
            // It failed, or others may have put it right as well.
            (
                "edit a.ts; run bun run lint = 1: bad; run bun run lint:fix = 1: could not mend; run bun run lint = 0: fine",
                "bun run lint, bun run lint:fix",
            ),
            (
                "edit a.ts; run bun run lint = 1: bad; run npx prettier --write . = 0; run bun run lint:fix = 0; run bun run lint = 0: fine",
                "bun run lint",
            ),
            (
                "edit a.ts; run bun run lint = 1: bad; run npx eslint --fix . = 0; run bun run lint:fix = 0; run bun run lint = 0: fine",
                "bun run lint",
            ),
            (
                "edit a.ts; run bun run lint = 1: bad; run git checkout HEAD~1 -- a.ts = 0; run bun run lint:fix = 0; run bun run lint = 0: fine",
                "bun run lint",
            ),
            (
                "edit a.ts; run bun run lint = 1: bad; run sed -i s/a/b/ a.ts && bun run lint:fix && bun run lint = 0: fine",
                "bun run lint",
            ),
            // Less was checked than before, or something else was done for a long time.
            (
                "edit a.ts; run npm test = 1: bad; run npm run generate = 0; run npm test -- src/one.test.ts = 0: 1 passed",
                "npm test",
            ),
            // Looks and checks put nothing right.
            (
                "edit a.ts; run bun run lint = 1: bad; run git diff = 0; run bun run lint:fix = 0; run bun run test = 0: 4 passed; run bun run lint = 0: fine",
                "bun run lint < bun run lint:fix",
            ),
        ] {
            assert_eq!(shown(story).join(", "), expected, "{story}");
        }
    }

    fn told(before: &[&str], last: &str) -> Option<String> {
        let number = before.len() as u32;
        let facts = session(number, last);
        let told = learned(before).mending(&facts, &[]);
        told.first().map(|told| told.content.as_str().to_owned())
    }

    #[test]
    fn three_sessions_show_it_and_a_quarter_of_those_that_failed() {
        assert_eq!(told(&[MENDED], MENDED), None);
        assert_eq!(
            told(&[MENDED, BY_HAND, MENDED], MENDED).as_deref(),
            Some(
                "When `bun run lint` fails, `bun run lint:fix` often mends it: in 3 of the 4 sessions in which the check failed, it passed after that command and no edit."
            )
        );
        assert_eq!(told(&[MENDED, MENDED], BY_HAND), None, "nothing new");
        let mut rarely = vec![BY_HAND; 10];
        rarely.extend([MENDED, MENDED]);
        assert!(told(&rarely, MENDED).is_none(), "3 of 13");
        assert!(told(&rarely[1..], MENDED).is_some(), "3 of 12");
    }

    /// A remedy that one error names is told of that error, and of the check only where errors differ.
    #[test]
    fn what_an_error_tells_is_not_said_of_the_check_again() {
        let met = "edit a.rs; run make test = 2: error: cannot find module 'schema_v2'; run make gen = 0; run make test = 0: test result: ok. 1 passed";
        let told = |stories: &[&str], last: &str| {
            let analytics = fold(&events(last), &FoldOptions::default());
            let id = SessionId::new("last").unwrap();
            let told = harvest(id, &analytics, &learned(stories)).candidates;
            let told = told.iter().map(|told| told.content.as_str().to_owned());
            told.filter(|told| told.contains("make gen"))
                .collect::<Vec<_>>()
        };
        let same = told(&[met, met], met);
        assert!(!same.is_empty() && !same[0].starts_with("When"), "{same:?}");
        assert_eq!(same.len(), 1, "{same:?}");
    }

    #[test]
    fn another_command_that_helps_as_often_leaves_it_open() {
        let other = MENDED.replace("lint:fix", "format");
        assert!(told(&[MENDED, MENDED, &other], MENDED).is_some());
        assert!(told(&[MENDED, MENDED, &other, &other], MENDED).is_none());
    }

    #[test]
    fn what_came_after_outside_text_is_marked_unless_the_rest_is_enough() {
        let marked = format!("fetch https://a.example/page; {MENDED}");
        let marked = marked.as_str();
        let is_clean = |before: &[&str], last: &str| {
            let facts = session(before.len() as u32, last);
            learned(before).mending(&facts, &[])[0].taint.is_clean()
        };
        assert!(is_clean(&[MENDED, MENDED], MENDED));
        assert!(is_clean(&[MENDED, MENDED, marked], MENDED));
        assert!(!is_clean(&[MENDED, marked], MENDED));
        let between = MENDED.replace(
            "run bun run lint:fix",
            "fetch https://a.example/page; run bun run lint:fix",
        );
        assert!(!is_clean(&[MENDED, &between], &between));
    }
}
