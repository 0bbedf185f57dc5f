//! Approaches that were given up: said in words or undone in files, after real work, for other files.

use std::collections::BTreeSet;

use oldhand_domain::path::ProjectPath;
use oldhand_domain::taint::Taint;

use crate::fold::{Edit, FileId, SessionAnalytics};
use crate::language::Admission;
use crate::outcome::git::GitVerb;

/// An approach that led nowhere.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadEnd {
    /// The steps the approach took: from its first to the one that gave it up.
    pub from: u32,
    pub until: u32,
    pub gave_up: GaveUp,
    /// What was worked on before, most used first, and after.
    pub tried: Vec<ProjectPath>,
    pub instead: Vec<ProjectPath>,
    /// What the agent said right after giving up, when it said anything.
    pub reason: Option<String>,
    pub last_error: Option<String>,
    /// The prompt under which it was tried.
    pub task: Option<String>,
    pub taint: Taint,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GaveUp {
    /// In these words.
    Said(String),
    /// By this git command, or by edits that put everything back.
    Undid(&'static str),
}

/// An approach shorter than this was a try, not an approach.
const STEPS: u32 = 20;
/// How many steps before the end of an approach its cause is told.
const JUST: u32 = 5;
/// How different the files after it must be.
const DIFFERENT: f64 = 0.6;

pub fn detect(session: &SessionAnalytics) -> Vec<DeadEnd> {
    let mut turns: Vec<(u32, GaveUp, Option<String>)> = Vec::new();
    for said in session
        .said
        .iter()
        .filter(|said| said.admission == Admission::Abandonment)
    {
        turns.push((
            said.step,
            GaveUp::Said(said.sentence.clone()),
            said.next.clone(),
        ));
    }
    for (step, act) in &session.git {
        let before: Vec<&Edit> = session
            .edits
            .iter()
            .filter(|edit| edit.step < *step)
            .collect();
        let Some(last) = before.last() else { continue };
        let all = before
            .iter()
            .all(|edit| act.takes_back(session.files.path(edit.file).as_str()));
        // What was committed is not lost, and what was only put aside may come back.
        let kept = session.git.iter().any(|(other, kind)| match kind.verb {
            GitVerb::Commit | GitVerb::Draft => *other >= last.step && other < step,
            GitVerb::Unstash => other >= step && act.verb == GitVerb::Stash,
            _ => false,
        });
        if all && !kept {
            turns.push((*step, GaveUp::Undid("git"), reason_at(session, *step)));
        }
    }
    if let Some(step) = undone_by_hand(session) {
        turns.push((step, GaveUp::Undid("edits"), reason_at(session, step)));
    }
    turns.sort_by_key(|(step, ..)| *step);

    let mut found: Vec<DeadEnd> = Vec::new();
    for (until, gave_up, reason) in turns {
        let from = found.last().map_or(0, |last| last.until);
        let from = from.max(begun(session, &gave_up, until));
        if until < from + STEPS {
            continue;
        }
        let tried = used(session, from, until);
        let instead = used(session, until, u32::MAX);
        // Nothing edited after it: nobody can tell what would have worked.
        let went_on = session.edits.iter().any(|edit| edit.step > until);
        if !went_on || distance(&tried, &instead) <= DIFFERENT {
            continue;
        }
        let errors = session
            .errors
            .values()
            .filter(|error| error.steps.iter().any(|step| (from..=until).contains(step)));
        let last_error = errors.max_by_key(|error| {
            (
                error
                    .steps
                    .iter()
                    .filter(|step| **step <= until)
                    .max()
                    .copied(),
                error.fingerprint,
            )
        });
        let task = session
            .prompts
            .iter()
            .rev()
            .find(|prompt| prompt.step <= until)
            .map(|prompt| prompt.text.clone());
        found.push(DeadEnd {
            from,
            until,
            gave_up,
            tried: names(session, &tried),
            instead: names(session, &instead),
            reason,
            last_error: last_error.map(|error| error.message.clone()),
            task,
            taint: session.taint_after(until + 1),
        });
    }
    found
}

/// What the agent found to be wrong right before it took everything back, or said of it right after.
fn reason_at(session: &SessionAnalytics, step: u32) -> Option<String> {
    let mut said = session.said.iter().rev();
    let cause = said.find(|said| said.admission == Admission::Cause && said.step < step);
    let cause = cause.filter(|cause| step - cause.step <= JUST);
    if let Some(cause) = cause {
        return Some(cause.sentence.clone());
    }
    let mut said = session.said.iter();
    let words = said.find(|said| {
        said.admission == Admission::Abandonment && (step..=step + 1).contains(&said.step)
    })?;
    let because = words.sentence.split_once(" because ");
    because
        .map(|(_, why)| why.to_owned())
        .or_else(|| words.next.clone())
}

/// Where an approach began that was given up at `until`: what was committed before is kept, and words give up what was last asked for.
fn begun(session: &SessionAnalytics, gave_up: &GaveUp, until: u32) -> u32 {
    let commits = session.git.iter().filter(|(step, act)| {
        act.verb.commits() && *step <= until && matches!(gave_up, GaveUp::Said(_))
    });
    let committed = commits.map(|(step, _)| *step).max().unwrap_or(0);
    let asked = match gave_up {
        GaveUp::Said(_) => session
            .prompts
            .iter()
            .rev()
            .find(|prompt| prompt.step < until)
            .map_or(0, |prompt| prompt.step),
        GaveUp::Undid(_) => 0,
    };
    committed.max(asked)
}

/// The step at which every edited file was back to what it had been, by edits alone.
fn undone_by_hand(session: &SessionAnalytics) -> Option<u32> {
    let mut open: Vec<(FileId, oldhand_domain::event::Change)> = Vec::new();
    let mut last = None;
    for edit in &session.edits {
        let change = edit.change?;
        match open
            .iter()
            .rposition(|(file, earlier)| *file == edit.file && change.undoes(*earlier))
        {
            Some(at) => {
                open.remove(at);
                if open.is_empty() {
                    last = Some(edit.step);
                }
            }
            None => open.push((edit.file, change)),
        }
    }
    last
}

/// Files worked on in a stretch: the edited ones, or the read ones when nothing was edited.
fn used(session: &SessionAnalytics, after: u32, until: u32) -> BTreeSet<FileId> {
    let within = |step: u32| step > after && step <= until;
    let edited: BTreeSet<FileId> = session
        .edits
        .iter()
        .filter(|edit| within(edit.step))
        .map(|edit| edit.file)
        .collect();
    if !edited.is_empty() {
        return edited;
    }
    session
        .accesses
        .iter()
        .filter(|access| within(access.step))
        .map(|access| access.file)
        .collect()
}

/// How different two sets are: 0 the same, 1 nothing shared.
fn distance(a: &BTreeSet<FileId>, b: &BTreeSet<FileId>) -> f64 {
    let shared = a.intersection(b).count();
    let all = a.union(b).count();
    if all == 0 {
        0.0
    } else {
        1.0 - shared as f64 / all as f64
    }
}

fn names(session: &SessionAnalytics, files: &BTreeSet<FileId>) -> Vec<ProjectPath> {
    let mut files: Vec<FileId> = files.iter().copied().collect();
    files.sort_by_key(|&file| (std::cmp::Reverse(session.files.get(file).weight()), file));
    files
        .into_iter()
        .take(5)
        .map(|file| session.files.path(file).clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(story: &str) -> Vec<String> {
        let session = crate::fold::fold(
            &crate::story::events(story),
            &crate::fold::FoldOptions::default(),
        );
        let names = |paths: &[ProjectPath]| {
            paths
                .iter()
                .map(ProjectPath::as_str)
                .collect::<Vec<_>>()
                .join(" ")
        };
        detect(&session)
            .iter()
            .map(|end| {
                format!(
                    "{}..{} {} -> {}",
                    end.from,
                    end.until,
                    names(&end.tried),
                    names(&end.instead)
                )
            })
            .collect()
    }

    #[test]
    fn words_after_real_work_on_other_files_are_a_dead_end() {
        let cases = [
            (
                "repeat 20 edit src/a.rs; say This approach won't work.; edit src/b.rs",
                "0..20 src/a.rs -> src/b.rs",
            ),
            (
                "repeat 19 edit src/a.rs; say This approach won't work.; edit src/b.rs",
                "",
            ),
            (
                "repeat 20 edit src/a.rs; say This approach won't work.; edit src/a.rs",
                "",
            ),
            ("repeat 20 edit src/a.rs; say This approach won't work.", ""),
            ("repeat 20 edit src/a.rs; say All done.; edit src/b.rs", ""),
            // Two of five files are the same: 60 % differ. Three of eight are: more.
            (
                "repeat 18 edit src/a.rs; edit src/b.rs; edit src/c.rs; say This approach won't work.; edit src/b.rs; edit src/c.rs; edit src/d.rs; edit src/e.rs",
                "",
            ),
            (
                "repeat 17 edit src/a.rs; edit src/b.rs; edit src/c.rs; edit src/d.rs; say This approach won't work.; edit src/b.rs; edit src/c.rs; edit src/d.rs; repeat 4 edit src/n{n}.rs",
                "0..20 src/a.rs src/b.rs src/c.rs src/d.rs -> src/b.rs src/c.rs src/d.rs src/n1.rs src/n2.rs",
            ),
        ];
        for (story, expected) in cases {
            assert_eq!(told(story).join("|"), expected, "{story}");
        }
    }

    #[test]
    fn words_give_up_what_was_last_asked_for_and_not_committed() {
        let gave_up = "say This approach won't work.; edit src/b.rs";
        assert_eq!(
            told(&format!(
                "prompt one; repeat 20 edit src/a.rs; prompt two; read src/x.rs; {gave_up}"
            )),
            Vec::<String>::new()
        );
        assert_eq!(
            told(&format!(
                "prompt one; repeat 20 edit src/a.rs; prompt two; repeat 20 edit src/x.rs; {gave_up}"
            )),
            ["20..40 src/x.rs -> src/b.rs"]
        );
        assert_eq!(
            told(&format!(
                "repeat 20 edit src/a.rs; run git commit -am x = 0; read src/x.rs; {gave_up}"
            )),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_full_revert_is_a_dead_end_and_a_partial_one_is_not() {
        let work = "repeat 10 edit src/a.rs; repeat 10 edit src/b.rs; ";
        assert_eq!(
            told(&format!(
                "{work}run git checkout -- src/a.rs src/b.rs = 0; edit src/c.rs"
            )),
            ["0..21 src/a.rs src/b.rs -> src/c.rs"]
        );
        assert_eq!(
            told(&format!(
                "{work}run git checkout -- src/a.rs = 0; edit src/c.rs"
            )),
            Vec::<String>::new()
        );
        assert_eq!(
            told(&format!("{work}run git reset --hard = 0; edit src/c.rs")).len(),
            1
        );
    }

    #[test]
    fn the_reason_is_a_cause_found_just_before_or_words_said_right_after() {
        let reason = |before: &str, after: &str| {
            let story = format!(
                "repeat 19 edit src/a.rs; {before}run git reset --hard = 0; {after}edit src/c.rs"
            );
            let session = crate::fold::fold(
                &crate::story::events(&story),
                &crate::fold::FoldOptions::default(),
            );
            let found = detect(&session).remove(0).reason;
            found.map(|reason| reason.chars().take(9).collect::<String>())
        };
        let cause = "say Root cause: `poll()` blocks every worker until the socket closes.; ";
        let gave_up = "say This approach won't work because `tick()` never fires.; ";
        let cases = [
            (String::new(), "", None),
            (
                format!("{cause}repeat 4 run ls = 0; "),
                "",
                Some("`poll()` "),
            ),
            (format!("{cause}repeat 5 run ls = 0; "), "", None),
            // Words alone would give up no more than what was asked for last.
            ("prompt go on; ".to_owned(), gave_up, Some("`tick()` ")),
        ];
        for (before, after, expected) in cases {
            assert_eq!(
                reason(&before, after).as_deref(),
                expected,
                "{before}{after}"
            );
        }
    }

    #[test]
    fn what_was_committed_or_comes_back_is_not_lost() {
        let work = "repeat 20 edit src/a.rs; ";
        assert!(told(&format!("{work}run git commit -am x = 0; run git reset --hard origin/main = 0; edit src/c.rs")).is_empty());
        assert!(
            told(&format!(
                "{work}run git stash = 0; edit src/c.rs; run git stash pop = 0"
            ))
            .is_empty()
        );
        for lost in [
            "{}run git stash = 0; edit src/c.rs",
            "run git stash pop = 0; {}run git stash = 0; edit src/c.rs",
            "{}run git reset --hard = 0; edit src/c.rs; run git stash pop = 0",
            "{}run git reset --hard = 0; edit src/c.rs; run git commit -am x = 0",
            "edit src/a.rs; run git commit -am x = 0; {}run git reset --hard = 0; edit src/c.rs",
        ] {
            assert_eq!(told(&lost.replace("{}", work)).len(), 1, "{lost}");
        }
        // Words give up what came after a commit; other commands, and later ones, end nothing.
        let gave_up = "say This approach won't work.; edit src/b.rs";
        for (story, found) in [
            (format!("{work}run git status = 0; {gave_up}"), 1),
            (format!("{work}{gave_up}; run git commit -am x = 0"), 1),
            (format!("{work}run git commit -am x = 0; {gave_up}"), 0),
        ] {
            assert_eq!(told(&story).len(), found, "{story}");
        }
    }

    #[test]
    fn edits_that_put_everything_back_are_a_revert() {
        let story = "edit src/a.rs x -> y; repeat 20 read src/r{n}.rs; edit src/a.rs y -> x; edit src/c.rs p -> q";
        assert_eq!(told(story), ["0..22 src/a.rs -> src/c.rs"]);
        for other in ["edit src/b.rs y -> x", "edit src/a.rs y -> z"] {
            let story = story.replace("edit src/a.rs y -> x", other);
            assert_eq!(told(&story), Vec::<String>::new(), "{story}");
        }
    }
}
