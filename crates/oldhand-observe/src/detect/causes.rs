//! The causes that an agent found and mended: what it said last, in one piece of work that changed something.

use std::collections::BTreeMap;

use oldhand_domain::event::{Digest, ToolName};
use oldhand_domain::path::ProjectPath;

use super::{CAUSE, Symptom};
use crate::distill::{explains, is_same, names};
use crate::fold::{ErrorUse, Said, SessionAnalytics};
use crate::language::Admission;
use crate::outcome::results::CheckResult;
use crate::paths;

/// A cause in the agent's words, with what was changed because of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found<'a> {
    pub said: &'a Said,
    pub mended: Vec<ProjectPath>,
    /// The errors that had come by then and that it explains.
    pub explains: Vec<Symptom>,
}

impl Found<'_> {
    pub(crate) fn key(&self) -> String {
        key(&self.said.sentence)
    }
}

/// What a cause is known by in the session that found it.
pub(crate) fn key(statement: &str) -> String {
    format!("{CAUSE}{}", Digest::of(&statement.to_lowercase()))
}

/// What was told at the end is about the edits of so many steps before, whoever spoke in between.
const BACK: u32 = 40;
/// A cause explains no more errors than this.
const SYMPTOMS: usize = 8;
/// A session finds no more causes than this that are worth telling.
const MOST: usize = 20;
/// What is said so many calls after a failure is said of it.
const JUST: u32 = 3;
/// With more files edited than this, which of them mended it cannot be told; the first are the likeliest.
const FEW: usize = 2;

/// What a session found out, in order: causes, and how something behaves that had just failed or was then mended.
pub(crate) fn found(session: &SessionAnalytics) -> Vec<Found<'_>> {
    let mut found: Vec<Found<'_>> = Vec::new();
    let stated = session
        .said
        .iter()
        .filter(|said| matches!(said.admission, Admission::Cause | Admission::Behaviour));
    let stated: Vec<&Said> = stated.collect();
    for (at, &said) in stated.iter().enumerate() {
        let mut later = stated[at..]
            .iter()
            .take_while(|other| other.prompts == said.prompts);
        let next =
            later.find(|other| other.admission == Admission::Cause && other.step > said.step);
        let mended = mended(session, said, next.map(|next| next.step));
        let is_borne_out = match said.admission {
            // One that was told on the way to another, with nothing done about it, is none, nor is an opinion.
            Admission::Cause if mended.is_none() => next.is_none() && has_failed(session, said),
            Admission::Cause => is_investigated(session, said),
            _ => is_of_a_run(session, said),
        };
        if !is_borne_out {
            continue;
        }
        let mended = mended.unwrap_or_default();
        // The same cause told again, in other words: the more it says the better.
        let again = found.iter().position(|known| {
            let (one, other) = (names(&known.said.sentence), names(&said.sentence));
            let one_fix = known.said.prompts == said.prompts
                && known.mended.iter().any(|file| mended.contains(file))
                && one.iter().any(|name| other.contains(name));
            one_fix || is_same(&one, &other)
        });
        match again {
            Some(at) if found[at].said.sentence.len() >= said.sentence.len() => {}
            Some(at) => found[at] = Found::new(session, said, mended),
            None => found.push(Found::new(session, said, mended)),
        }
    }
    found.retain(|one| !is_taken_back(session, one.said));
    leave_to_the_last(&mut found);
    found.truncate(MOST);
    found
}

impl<'a> Found<'a> {
    fn new(session: &SessionAnalytics, said: &'a Said, mended: Vec<ProjectPath>) -> Self {
        let mut errors: Vec<&ErrorUse> = session
            .errors
            .values()
            .filter(|error| matches!(error.tool, ToolName::Shell | ToolName::Mcp))
            .filter(|error| error.steps.iter().any(|step| *step <= said.step))
            .collect();
        errors.sort_by_key(|error| (error.steps.first().copied(), &error.message));
        let symptoms = errors.into_iter().filter_map(|error| {
            let typed = error.typed.as_str();
            let line = if typed.is_empty() {
                &error.command
            } else {
                typed
            };
            let command = explains(&said.sentence, &error.message, line)?;
            let message = error.message.clone();
            Some(Symptom { message, command })
        });
        Self {
            said,
            mended,
            explains: symptoms.take(SYMPTOMS).collect(),
        }
    }
}

/// Whether the agent said later that it had been wrong about mostly the same things.
fn is_taken_back(session: &SessionAnalytics, said: &Said) -> bool {
    let named = names(&said.sentence);
    let mut later = session.said.iter().filter(|other| other.step > said.step);
    later.any(|other| {
        let next = other.next.as_deref().unwrap_or_default();
        let admitted = names(&format!("{} {next}", other.sentence));
        other.admission == Admission::Correction
            && !admitted.is_empty()
            && is_same(&named, &admitted)
    })
}

/// Of several causes of one error the last is the one that held: what was found before it was a step on the way.
fn leave_to_the_last(found: &mut Vec<Found<'_>>) {
    let last: BTreeMap<String, u32> = found
        .iter()
        .flat_map(|one| one.explains.iter().map(|error| (error, one.said.step)))
        .fold(BTreeMap::new(), |mut last, (error, step)| {
            let known = last.entry(error.message.clone()).or_default();
            *known = step.max(*known);
            last
        });
    found.retain_mut(|one| {
        let had_any = !one.explains.is_empty();
        let step = one.said.step;
        one.explains
            .retain(|error| last.get(&error.message) == Some(&step));
        !had_any || !one.explains.is_empty()
    });
}

/// Whether it is said of what was just run, or of what had gone wrong in the last calls.
fn is_of_a_run(session: &SessionAnalytics, said: &Said) -> bool {
    let (from, _) = session.piece_of(said);
    let just = from.max(said.step.saturating_sub(JUST));
    let mut steps = session.trail.iter();
    let was_run = steps.any(|(key, step)| *step == said.step && key.starts_with("run "));
    was_run || fails_within(session, just, said.step)
}

/// Whether anything went wrong in the piece of work in which it was told.
fn has_failed(session: &SessionAnalytics, said: &Said) -> bool {
    let (from, _) = session.piece_of(said);
    fails_within(session, from, said.step)
}

fn fails_within(session: &SessionAnalytics, after: u32, until: u32) -> bool {
    let within = |step: u32| step > after && step <= until;
    let mut errors = session.errors.values();
    let mut runs = session.runs.iter();
    errors.any(|error| error.steps.iter().any(|step| within(*step)))
        || runs.any(|run| within(run.step) && run.result == CheckResult::Failed)
}

impl SessionAnalytics {
    /// The step of the prompt under which something was said, and that of the next one.
    fn piece_of(&self, said: &Said) -> (u32, u32) {
        let prompt = |at: Option<usize>| {
            at.and_then(|at| self.prompts.get(at))
                .map(|prompt| prompt.step)
        };
        let from = prompt(said.prompts.checked_sub(1)).unwrap_or(0);
        (from, prompt(Some(said.prompts)).unwrap_or(u32::MAX))
    }
}

/// Whether anything was looked at, or went wrong, before it was told.
fn is_investigated(session: &SessionAnalytics, said: &Said) -> bool {
    let (from, _) = session.piece_of(said);
    let within = |step: u32| (from.saturating_sub(BACK)..=said.step).contains(&step);
    let erred = |error: &ErrorUse| error.steps.iter().any(|step| within(*step));
    let looked = || session.accesses.iter().any(|access| within(access.step));
    session.errors.values().any(erred) || looked()
}

/// The files whose edits the cause asked for: those edited after it was told, and before the `next` one was; or before it, where
/// it was told at the end. Of many those that the words name or that were just looked at. `None` where nothing was mended.
fn mended(session: &SessionAnalytics, said: &Said, next: Option<u32>) -> Option<Vec<ProjectPath>> {
    let (from, until) = session.piece_of(said);
    let edited = |after: u32, until: u32| {
        let mut files: Vec<ProjectPath> = Vec::new();
        for edit in &session.edits {
            let path = session.files.path(edit.file);
            let within = edit.step > after && edit.step <= until;
            if within && !files.contains(path) && !paths::is_prose(path.as_str()) {
                files.push(path.clone());
            }
        }
        files
    };
    let mut files = edited(said.step, next.unwrap_or(until));
    let at_the_end = files.is_empty() && next.is_none();
    if at_the_end {
        files = edited(said.step.saturating_sub(BACK), said.step);
    }
    if files.is_empty() {
        // Nothing had to be changed where another command was the answer.
        let within = |step: u32| step > from && step <= until;
        let mut errors = session.errors.values();
        let answered = errors.any(|error| {
            let answer = error.resolution.as_ref();
            answer.is_some_and(|answer| within(answer.step) && answer.step > said.step)
                && error.steps.iter().any(|step| within(*step))
        });
        return (answered && next.is_none()).then_some(files);
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let named = |path: &&ProjectPath| {
        let stem = paths::stem(path.as_str());
        said.sentence
            .split(|c| !is_part(c))
            .any(|word| word == stem)
    };
    let named: Vec<ProjectPath> = files.iter().filter(named).take(FEW).cloned().collect();
    if !named.is_empty() {
        return Some(named);
    }
    if at_the_end && files.len() > FEW {
        files.retain(|file| said.files.contains(file));
    }
    files.truncate(FEW);
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::{FoldOptions, fold};
    use crate::story::events;

    fn told(story: &str) -> Vec<String> {
        let session = fold(&events(story), &FoldOptions::default());
        let found = found(&session).into_iter();
        found
            .map(|found| {
                let files: Vec<&str> = found.mended.iter().map(ProjectPath::as_str).collect();
                format!(
                    "{} {}",
                    names(&found.said.sentence).concat(),
                    files.join(" ")
                )
            })
            .collect()
    }

    #[test]
    fn a_cause_is_what_was_looked_into_and_mended() {
        let poll = "say Root cause: `poll()` blocks every worker until the socket closes.";
        let tick = "say Root cause: `tick()` skips every timer until the clock moves.";
        let cases = [
            (
                format!("read src/a.rs; {poll}; edit src/b.rs"),
                "poll() src/b.rs",
            ),
            (format!("{poll}; edit src/b.rs"), ""),
            (format!("read src/a.rs; {poll}"), ""),
            (format!("read src/a.rs; {poll}; edit README.md"), ""),
            (
                format!("prompt one; read src/a.rs; {poll}; prompt two; edit src/b.rs"),
                "",
            ),
            (format!("run make = 2: error: bad thing; {poll}"), "poll() "),
            (
                format!("run make = 2: error: bad thing; prompt go on; read src/a.rs; {poll}"),
                "",
            ),
            (
                format!(
                    "run make = 2: error: bad thing; {poll}; run ./configure = 0; run make = 0"
                ),
                "poll() ",
            ),
            // Told on the way to another.
            (
                format!("read src/a.rs; {poll}; read src/c.rs; {tick}; edit src/b.rs"),
                "tick() src/b.rs",
            ),
            (
                format!("read src/a.rs; {poll}; edit src/c.rs; {tick}; edit src/b.rs"),
                "poll() src/c.rs, tick() src/b.rs",
            ),
            // Told again in more words.
            (
                "read src/a.rs; say Root cause: `poll()` blocks every worker.; edit src/b.rs; say Root cause: `poll()` blocks every worker until the socket closes.; edit src/b.rs".to_owned(),
                "poll() src/b.rs",
            ),
            // Told at the end.
            (
                format!("read src/a.rs; edit src/b.rs; {poll}"),
                "poll() src/b.rs",
            ),
            (
                format!("edit src/b.rs; repeat 39 run ls = 0; {poll}"),
                "poll() src/b.rs",
            ),
            (format!("edit src/b.rs; repeat 40 run ls = 0; {poll}"), ""),
            // Of many files those that it names, or the first two.
            (
                format!("read src/a.rs; {poll}; edit src/b.rs; edit src/c.rs; edit src/d.rs"),
                "poll() src/b.rs src/c.rs",
            ),
            (
                format!("read src/a.rs; {poll}; edit src/b.rs; edit src/c.rs; edit src/worker.rs"),
                "poll() src/worker.rs",
            ),
        ];
        for (story, expected) in cases {
            assert_eq!(told(&story).join(", "), expected, "{story}");
        }
    }

    #[test]
    fn how_something_behaves_is_said_of_a_run_or_of_what_just_failed() {
        let says = "say Heron runs `beforeBuild` from the folder of the manifest regardless of where you call it.";
        let cases = [
            (format!("run gofmt -l . = 0; {says}"), 1),
            (format!("read src/a.go; {says}"), 0),
            (
                format!("run make = 2: error: bad thing; repeat 2 read src/a{{n}}.go; {says}"),
                1,
            ),
            (
                format!("run make = 2: error: bad thing; repeat 3 read src/a{{n}}.go; {says}"),
                0,
            ),
        ];
        for (story, expected) in cases {
            assert_eq!(told(&story).len(), expected, "{story}");
        }
    }

    #[test]
    fn a_session_finds_twenty_causes_at_most() {
        let story: Vec<String> = (1..=21)
            .map(|n| format!("read src/a{n}.rs; say Root cause: `work{n}()` blocks every worker until the socket closes.; edit src/b{n}.rs"))
            .collect();
        assert_eq!(told(&story[..20].join("; ")).len(), 20);
        assert_eq!(told(&story.join("; ")).len(), 20);
    }

    /// The errors that the findings of a session explain, each behind the program that failed with it.
    fn explained(story: &str) -> Vec<String> {
        let session = fold(&events(story), &FoldOptions::default());
        let found = found(&session).into_iter();
        let explained = found.map(|found| {
            let errors = found.explains.iter();
            let errors = errors.map(|error| format!("{}: {}", error.command, error.message));
            let errors: Vec<String> = errors.collect();
            format!(
                "{} <- {}",
                names(&found.said.sentence)[0],
                errors.join(", ")
            )
        });
        explained.collect()
    }

    const FAILS: &str = "run make = 2: error: polls not found";

    #[test]
    fn a_finding_explains_the_errors_that_name_what_it_names() {
        for (error, says, expected) in [
            ("polls not found", "polls", "make: error: polls not found"),
            ("polls not found", "polls()", "make: error: polls not found"),
            ("poll not found", "poll", ""),
            ("polls not found", "other", ""),
            // What tells nothing is explained by nobody.
            ("polls.c: no such file or directory", "polls", ""),
        ] {
            let told = explained(&format!(
                "run make = 2: error: {error}; read src/a.c; say Root cause: `{says}` blocks every worker until the socket closes.; edit src/a.c; run make = 0"
            ));
            assert_eq!(told, [format!("{says} <- {expected}")], "{error}");
        }
        let later = format!(
            "read src/a.c; say Root cause: `polls` blocks every worker until the socket closes.; edit src/a.c; {FAILS}"
        );
        assert_eq!(explained(&later), ["polls <- "]);
    }

    #[test]
    fn a_finding_explains_the_errors_of_a_program_that_it_names_with_its_option() {
        let says = "say Root cause: `larch build` needs the workspace (`--all web`), not the project (`--only web`), because it keeps its parts apart.; edit src/a.c";
        for (line, expected) in [
            ("larch build --only web", "larch: Shelf 'Rows' is missing"),
            (
                "cd web && larch build --only web 2>&1 | tail -5",
                "larch: Shelf 'Rows' is missing",
            ),
            ("larch build", ""),
            ("other build --only web", ""),
        ] {
            let story = format!("run {line} = 1: error: Shelf 'Rows' is missing; {says}");
            let expected = format!(
                "larch build <- {}",
                expected.replace("Shelf", "error: Shelf")
            );
            assert_eq!(
                explained(&story),
                [expected.replace("<- error: ", "<- ")],
                "{line}"
            );
        }
    }

    #[test]
    fn the_last_word_on_an_error_is_told() {
        let poll =
            "say Root cause: `polls` blocks every worker until the socket closes.; edit src/a.c";
        let tick = "say Root cause: `tick()` drops the `polls` of every timer until the clock moves.; edit src/b.c";
        let other =
            "say Root cause: `tick()` skips every timer until the clock moves.; edit src/b.c";
        let wrong = "say I was wrong about `polls`: it is called once, see `src/a.c`.";
        let error = "make: error: polls not found";
        for (then, expected) in [
            (
                other,
                vec![format!("polls <- {error}"), "tick() <- ".to_owned()],
            ),
            (tick, vec![format!("tick() <- {error}")]),
            (wrong, vec![]),
        ] {
            let story = format!("{FAILS}; read src/a.c; {poll}; read src/b.c; {then}");
            assert_eq!(explained(&story), expected, "{then}");
        }
    }
}
