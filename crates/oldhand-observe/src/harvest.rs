//! Everything a finished session has to offer, in one call: what the gate then decides over.

use std::borrow::Cow;
use std::collections::BTreeSet;

use oldhand_domain::id::SessionId;
use oldhand_domain::taint::Taint;

use crate::detect::dead_end::{self, DeadEnd};
use crate::detect::{self, SCRATCHPAD_LIMIT, Signal};
use crate::distill::{
    Candidate, Frequency, Origin, consolidate, distill_with, keys_of_rules, outcome, refused,
    rules_laid_down, said_again, unfinished,
};
use crate::fold::SessionAnalytics;
use crate::learn::{Knowledge, SessionFacts, facts, findings, task_of};
use crate::outcome::judgement::{Judgement, judge};
use crate::promote::{Complexity, Dropped};

/// What a session showed, and what might be remembered of it.
#[derive(Clone, Debug)]
pub struct Harvest {
    pub signals: Vec<Signal>,
    /// The most bytes of signals the scratchpad held.
    pub peak: usize,
    /// Signals given up because the scratchpad was full.
    pub evicted: usize,
    pub dead_ends: Vec<DeadEnd>,
    pub judgement: Judgement,
    pub complexity: Complexity,
    /// For [`crate::promote::promote`], with the memories nearest to each.
    pub candidates: Vec<Candidate>,
    /// For [`Knowledge::learn`], after the gate.
    pub facts: SessionFacts,
    /// How often each signal was seen before this session.
    pub frequency: Frequency,
}

/// Looks at a whole session in the light of the earlier ones.
///
/// `known` must not have learned this very session, or it would be its own witness.
pub fn harvest(session_id: SessionId, session: &SessionAnalytics, known: &Knowledge) -> Harvest {
    harvest_judged(session_id, session, known, judge(session))
}

/// The same for work that was judged before, by more than the session itself shows.
pub fn harvest_judged(
    session_id: SessionId,
    session: &SessionAnalytics,
    known: &Knowledge,
    judgement: Judgement,
) -> Harvest {
    let dead_ends = dead_end::detect(session);
    let standing = what_stands(session, &dead_ends);
    let sound = what_passed(&standing);
    let laid_down = rules_laid_down(session);
    let rules = keys_of_rules(&laid_down);
    let scene = Scene {
        session,
        standing: &standing,
        sound: &sound,
        dead_ends: &dead_ends,
        judgement: &judgement,
    };
    let Sight {
        stands,
        signals,
        peak,
        evicted,
        mut frequency,
        mut candidates,
    } = look(&scene, known, laid_down);
    known.count(&rules, &mut frequency);
    let mut facts = facts(session_id, &sound, &stands, &judgement);
    facts.findings = findings(&stands, &candidates);
    // What is told of all who met it is not told beside that.
    let found = known.found_again(&facts);
    candidates.retain(|own| !found.iter().any(|again| again.covers.contains(&own.key)));
    candidates.extend(found);
    facts.bear_witness(rules);
    let refused = refused(session).into_iter();
    facts.bear_witness(refused.map(|key| (key, Taint::CLEAN)));
    // What is a rule by its words is told as that.
    let mut again = said_again(session, |key| known.said(key));
    again.retain(|again| !candidates.iter().any(|known| lays_down(known, again)));
    for again in &mut again {
        again.witnesses = known.sessions_that_said(&again.key);
        again.witnesses.insert(facts.session.clone());
    }
    candidates.extend(again);
    candidates.extend(known.refused(&facts));
    candidates.extend(known.customs(&facts));
    candidates.extend(known.walls(&facts));
    let mending = known.mending(&facts, &candidates);
    candidates.extend(mending);
    candidates.extend(known.hurdles(&facts));
    candidates.extend(known.in_vain(&facts));
    let complexity = Complexity::of(session);
    Harvest {
        signals,
        peak,
        evicted,
        dead_ends,
        judgement,
        complexity,
        candidates,
        facts,
        frequency,
    }
}

/// What one agent of a session saw by itself. What people laid down and what many sessions show is the whole session's.
pub fn harvest_alone(session: &SessionAnalytics, known: &Knowledge) -> Vec<Candidate> {
    let dead_ends = dead_end::detect(session);
    let standing = what_stands(session, &dead_ends);
    let scene = Scene {
        session,
        standing: &standing,
        sound: &what_passed(&standing),
        dead_ends: &dead_ends,
        judgement: &judge(session),
    };
    look(&scene, known, Vec::new()).candidates
}

/// A session with what is left of it.
struct Scene<'a> {
    session: &'a SessionAnalytics,
    /// Without the approaches that were given up.
    standing: &'a Cow<'a, SessionAnalytics>,
    /// Without the subtasks that failed either.
    sound: &'a Cow<'a, SessionAnalytics>,
    dead_ends: &'a [DeadEnd],
    judgement: &'a Judgement,
}

/// What a session shows by itself.
struct Sight {
    /// The signals of what is sound.
    stands: Vec<Signal>,
    signals: Vec<Signal>,
    peak: usize,
    evicted: usize,
    frequency: Frequency,
    candidates: Vec<Candidate>,
}

fn look(scene: &Scene<'_>, known: &Knowledge, laid_down: Vec<Candidate>) -> Sight {
    let norms = known.norms();
    let mut stands = detect::detect(scene.sound, &norms);
    let is_whole = matches!(
        (scene.standing, scene.sound),
        (Cow::Borrowed(_), Cow::Borrowed(_))
    );
    let mut given_up = if is_whole {
        Vec::new()
    } else {
        detect::detect(scene.session, &norms)
    };
    let kept: BTreeSet<String> = stands.iter().map(|signal| signal.key.clone()).collect();
    given_up.retain(|signal| !kept.contains(&signal.key));
    let lost: BTreeSet<String> = given_up.iter().map(|signal| signal.key.clone()).collect();
    let mut signals = stands.clone();
    signals.extend(given_up);
    let peak = detect::size(&signals);
    detect::evict(&mut stands, SCRATCHPAD_LIMIT);
    let evicted = detect::evict(&mut signals, SCRATCHPAD_LIMIT);
    let frequency = known.frequency(&signals, task_of(scene.session));
    let mut candidates = distill_with(
        laid_down,
        scene.session,
        &signals,
        scene.dead_ends,
        &frequency,
    );
    for candidate in &mut candidates {
        if matches!(candidate.origin, Origin::Signal(_)) && lost.contains(&candidate.key) {
            let mut steps = candidate.evidence.iter();
            let of_failed = steps.any(|step| scene.standing.is_failed_at(*step));
            candidate.unfit = Some(if of_failed {
                Dropped::SubtaskFailed
            } else {
                Dropped::Abandoned
            });
        }
    }
    known.refuse_of_a_machine(&mut candidates);
    candidates.extend(outcome(scene.standing, scene.judgement));
    candidates.extend(unfinished(scene.standing, scene.judgement));
    candidates.extend(consolidate(scene.standing, &candidates));
    Sight {
        stands,
        signals,
        peak,
        evicted,
        frequency,
        candidates,
    }
}

/// Whether a rule that a person laid down says what they said again.
fn lays_down(known: &Candidate, again: &Candidate) -> bool {
    let words = |candidate: &Candidate| {
        let summary = candidate.summary.as_str().to_lowercase();
        summary.split_once(": ").map(|(_, words)| words.to_owned())
    };
    known.origin == Origin::Person
        && known.is_fit()
        && words(known)
            .is_some_and(|known| words(again).is_some_and(|again| known.contains(&again)))
}

/// The session without the approaches that were given up: they are remembered as dead ends, and in no other way.
fn what_stands<'a>(
    session: &'a SessionAnalytics,
    dead_ends: &[DeadEnd],
) -> Cow<'a, SessionAnalytics> {
    if dead_ends.is_empty() {
        return Cow::Borrowed(session);
    }
    let is_gone = |step: u32| {
        let mut ends = dead_ends.iter();
        ends.any(|end| step > end.from && step <= end.until)
    };
    Cow::Owned(session.without(is_gone))
}

/// The same without the subtasks that failed: they leave what a validation found, and where the work stands.
fn what_passed(session: &SessionAnalytics) -> Cow<'_, SessionAnalytics> {
    if session.subtasks.values().all(|subtask| subtask.validated) {
        return Cow::Borrowed(session);
    }
    Cow::Owned(session.without(|step| session.is_failed_at(step)))
}

#[cfg(test)]
mod tests {
    use oldhand_domain::signal::SignalKind;

    use super::*;
    use crate::fold::{FoldOptions, fold};
    use crate::story::events;

    /// An approach that met an error, mended it, and was given up; `after` is what came then.
    fn gave_up(after: &str) -> Harvest {
        let story = format!(
            "edit src/cache.c; run make = 2: error: undefined symbol cache_open; say The issue is that `cache_open` is declared in `glue.h` but never defined, so the linker does not find it.; read src/glue.c; edit src/glue.c; run make = 0; run make lint = 0; repeat 20 edit src/cache.c; run git checkout -- src = 0; say This approach won't work.; {after}"
        );
        let session = fold(&events(&story), &FoldOptions::default());
        let id = SessionId::new("s").unwrap();
        harvest(id, &session, &Knowledge::default())
    }

    #[test]
    fn nothing_of_an_approach_that_was_given_up_outlives_it() {
        let harvest = gave_up("edit src/pool.c; edit src/wait.c; run make test = 0");
        assert_eq!(harvest.dead_ends.len(), 1);
        let cause = harvest
            .candidates
            .iter()
            .find(|candidate| candidate.key.starts_with("cause:"))
            .unwrap();
        assert_eq!(cause.unfit, Some(Dropped::Abandoned));
        assert_eq!(harvest.facts.findings, []);
        let facts = &harvest.facts;
        assert_eq!(facts.errors, []);
        let files: Vec<&str> = facts.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(files, ["src/pool.c", "src/wait.c"]);
        let pairs: Vec<&str> = facts.pairs.iter().map(|pair| pair.first.as_str()).collect();
        assert_eq!(pairs, ["src/pool.c"]);
        assert!(
            facts
                .checks
                .iter()
                .all(|(_, command)| command == "make test")
        );
        assert!(
            facts
                .sequences
                .iter()
                .flatten()
                .all(|step| step != "run make lint")
        );
        assert!(
            facts
                .signals
                .iter()
                .all(|signal| !signal.key.contains("glue"))
        );
    }

    /// What becomes of what an agent was wrong about, and whether the session bears witness to it.
    fn fate_of_correction(story: &str) -> (Option<Dropped>, bool) {
        let session = fold(&events(story), &FoldOptions::default());
        let id = SessionId::new("s").unwrap();
        let harvest = harvest(id, &session, &Knowledge::default());
        let mut found = harvest.candidates.iter();
        let found = found.find(|one| one.content.as_str().contains("cache_ttl"));
        let found = found.unwrap();
        let mut witnessed = harvest.facts.signals.iter();
        let witnessed = witnessed.any(|signal| signal.key == found.key);
        (found.unfit.clone(), witnessed)
    }

    const WRONG: &str = "say I was wrong about `cache_ttl`: it is in seconds, see `src/a.c`.";

    #[test]
    fn what_was_said_on_the_way_of_an_approach_goes_with_it() {
        for (before, after, expected) in [
            (WRONG, "read src/b.c", (Some(Dropped::Abandoned), false)),
            ("read src/b.c", WRONG, (None, true)),
        ] {
            let story = format!(
                "edit src/cache.c; {before}; repeat 20 edit src/cache.c; run git checkout -- src = 0; edit src/pool.c; {after}; edit src/wait.c; run make test = 0"
            );
            assert_eq!(fate_of_correction(&story), expected, "{story}");
        }
    }

    #[test]
    fn a_subtask_that_failed_teaches_nothing() {
        let of_failed = || (Some(Dropped::SubtaskFailed), false);
        for (story, expected) in [
            ("{wrong}; edit src/a.c; subtask one failed", of_failed()),
            ("edit src/a.c; {wrong}; subtask one failed", of_failed()),
            ("{wrong}; edit src/a.c; subtask one passed", (None, true)),
            (
                "edit src/b.c; subtask one failed; edit src/c.c; {wrong}; edit src/a.c; subtask two passed",
                (None, true),
            ),
            // It was mended in the end.
            (
                "{wrong}; edit src/a.c; subtask one failed; edit src/b.c; subtask one passed",
                (None, true),
            ),
            ("{wrong}; edit src/a.c", (None, true)),
        ] {
            let story = format!("{}; run make test = 0", story.replace("{wrong}", WRONG));
            assert_eq!(fate_of_correction(&story), expected, "{story}");
        }
    }

    #[test]
    fn what_was_admitted_or_run_into_says_why_it_becomes_nothing() {
        for (story, why) in [
            (
                "read src/a.c; say I was wrong about that.",
                Dropped::OfTheMoment,
            ),
            (
                "read src/a.c; say I was wrong about the limit: the limit is global.",
                Dropped::NamesNothing,
            ),
            (
                "as one: edit a.rs; as two: edit a.rs; as one: read b.rs",
                Dropped::GotBy,
            ),
        ] {
            let session = fold(&events(story), &FoldOptions::default());
            let id = SessionId::new("s").unwrap();
            let harvest = harvest(id, &session, &Knowledge::default());
            let mut of_kind = harvest.candidates.iter().filter(|one| {
                let kinds = [SignalKind::SelfCorrection, SignalKind::ParallelConflict];
                kinds.iter().any(|kind| one.origin == Origin::Signal(*kind))
            });
            let unfit = of_kind.next().and_then(|one| one.unfit.clone());
            assert_eq!(unfit, Some(why), "{story}");
        }
    }

    #[test]
    fn what_a_dead_end_tells_is_told_once() {
        let story = "repeat 22 edit src/cache.c; run git checkout -- src = 0; read src/pool.c; say This approach won't work because `cache_open` silently drops the `cache` of every worker.; edit src/pool.c; edit src/wait.c; run make test = 0";
        let session = fold(&events(story), &FoldOptions::default());
        let id = SessionId::new("s").unwrap();
        let harvest = harvest(id, &session, &Knowledge::default());
        let told = harvest.candidates.iter();
        let told = told.filter(|one| one.content.as_str().contains("silently drops"));
        let told: Vec<_> = told.map(|one| (one.origin, one.unfit.clone())).collect();
        let again = Origin::Signal(SignalKind::SelfCorrection);
        assert_eq!(
            told,
            [(Origin::DeadEnd, None), (again, Some(Dropped::ToldAlready))]
        );
    }

    #[test]
    fn an_error_that_went_with_the_approach_was_not_solved() {
        let harvest = gave_up(
            "edit src/pool.c; run make = 2: error: undefined symbol cache_open; edit src/list.c; run make = 0",
        );
        let [error] = harvest.facts.errors.as_slice() else {
            panic!("{:?}", harvest.facts.errors)
        };
        let solved = error.solved.as_ref().map(|solved| solved.by.to_string());
        assert_eq!(
            (error.count, solved.as_deref()),
            (1, Some("edit src/list.c"))
        );
        // It came only before the turn, and what passed afterwards had done without it.
        let story = "edit src/cache.c; repeat 20 edit src/cache.c; run make = 2: error: undefined symbol cache_open; say This approach won't work.; edit src/pool.c; run make = 0";
        let session = fold(&events(story), &FoldOptions::default());
        let id = SessionId::new("s").unwrap();
        assert_eq!(
            super::harvest(id, &session, &Knowledge::default())
                .facts
                .errors,
            []
        );
    }

    #[test]
    fn to_leave_a_failing_test_out_is_no_answer_to_it() {
        let story = "run cargo test = 101: test config::reads ... FAILED; run cargo test -- --skip config = 0; edit src/a.rs; run make test = 0";
        let session = fold(&events(story), &FoldOptions::default());
        let id = SessionId::new("s").unwrap();
        let facts = harvest(id, &session, &Knowledge::default()).facts;
        assert_eq!(facts.errors[0].message, "test config::reads fails");
        assert_eq!(facts.errors[0].solved, None);
    }

    #[test]
    fn edits_that_git_took_back_fixed_nothing() {
        let story = "edit src/a.c; run make = 2: error: undefined symbol cache_open; edit src/glue.c; run git checkout -- src/glue.c = 0; edit src/b.c; run make = 0";
        let session = fold(&events(story), &FoldOptions::default());
        let id = SessionId::new("s").unwrap();
        let facts = harvest(id, &session, &Knowledge::default()).facts;
        let solved = facts.errors[0]
            .solved
            .as_ref()
            .map(|solved| solved.by.to_string());
        assert_eq!(solved.as_deref(), Some("edit src/b.c"));
    }
}
