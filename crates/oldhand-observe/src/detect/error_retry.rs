//! The same error again, with what finally worked.

use oldhand_domain::event::{Digest, ToolName};
use oldhand_domain::signal::SignalKind;

use super::finding::Solved;
use super::{Finding, Norms, Signal};
use crate::distill::phrase::without_plumbing;
use crate::distill::remedy;
use crate::fingerprint::hook_words;
use crate::fold::{ErrorUse, SessionAnalytics, Solution};

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    // A client's own tools fail for the agent's reasons; only commands and servers tell of the project.
    let telling = session.errors.values().filter(|error| {
        // Once here and once in another session is twice as well, provided that it was understood.
        let refused = hook_words(&error.message).is_some();
        let again = error.count >= 2 || is_answered(error) || refused;
        again && matches!(error.tool, ToolName::Shell | ToolName::Mcp)
    });
    telling
        .map(|error| {
            let first = error.steps.first().copied().unwrap_or(0);
            let path = |id| session.files.path(id).clone();
            let solved = error
                .resolution
                .as_ref()
                .map(|resolution| Solved::of(resolution, first, path));
            let files = match solved.as_ref().map(|solved| &solved.by) {
                Some(super::finding::SolvedBy::Edits(files)) => files.clone(),
                _ => Vec::new(),
            };
            let last = error.resolution.as_ref().map(|resolution| resolution.step);
            let failed = error.steps.last().copied().unwrap_or(0);
            let fix = session.edits.iter().filter(|edit| {
                let between = edit.step > failed && last.is_some_and(|last| edit.step <= last);
                between && files.contains(session.files.path(edit.file))
            });
            let fix: Vec<u32> = fix.map(|edit| edit.step).collect();
            let done = error.resolution.iter().flat_map(|end| end.done.clone());
            let strength = if solved.is_some() { 0.8 } else { 0.55 };
            // As typed when that is short enough to read, else by its name and its options.
            let command = if short(&error.typed) {
                error.typed.clone()
            } else {
                with_options(&error.command, &error.typed)
            };
            let by = solved.as_ref().map(|solved| &solved.by);
            let helped = by.and_then(|by| remedy::form(&error.message, &command, by));
            // Two remedies of one error are two things to be seen.
            let helped = helped.map(|helped| format!(":{}", Digest::of(&helped)));
            let key = format!("error:{}{}", error.fingerprint, helped.unwrap_or_default());
            let finding = Finding::ErrorRetry {
                fingerprint: error.fingerprint,
                message: error.message.clone(),
                command,
                count: error.count,
                solved,
            };
            Signal::new(SignalKind::ErrorRetry, key, finding)
                .about(files)
                .seen_at(
                    error
                        .steps
                        .iter()
                        .copied()
                        .chain(fix)
                        .chain(done)
                        .chain(last),
                )
                .strong(strength)
        })
        .collect()
}

/// Whether something else than trying again made it go away.
fn is_answered(error: &ErrorUse) -> bool {
    error
        .resolution
        .as_ref()
        .is_some_and(|end| !matches!(end.solution, Solution::Again | Solution::Later))
}

/// A command's name with the variables and the options it was typed with: without them it is another command.
fn with_options(name: &str, typed: &str) -> String {
    let first = without_plumbing(typed.lines().next().unwrap_or(""));
    let is_variable = |word: &&str| {
        let (name, _) = word.split_once('=').unwrap_or_default();
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    let variables = first.split_whitespace().take_while(is_variable);
    let words = first.split_whitespace();
    let options = words.filter(|word| word.starts_with('-') && word.len() > 1 && *word != "--");
    let options = options.filter_map(|word| word.split('=').next());
    let told: Vec<&str> = variables.chain([name]).chain(options).collect();
    told.join(" ")
}

fn short(typed: &str) -> bool {
    !typed.is_empty() && typed.len() <= 80 && !typed.contains('\n')
}

#[test]
fn an_error_must_come_back_or_be_answered() {
    let cases = [
        ("run make = 2: a.c:3: error: bad thing; run make = 0", ""),
        (
            "run make = 2: a.c:3: error: bad thing; edit a.c; run make = 0",
            "1x, 2 steps: a.c 0.8",
        ),
        (
            "run make = 2: error: bad thing; run ./configure = 0; run make = 0",
            "1x, 2 steps: - 0.8",
        ),
        (
            "run make = 2: error: bad thing; run make = 2: error: bad thing",
            "2x, open: - 0.55",
        ),
        (
            "run make = 2: a.c:3: error: bad thing; edit a.c; run make = 2: a.c:9: error: bad thing",
            "2x, open: - 0.55",
        ),
        (
            "run make = 2: error: bad thing; run make = 2: error: bad thing; run make = 0",
            "2x, 2 steps: - 0.8",
        ),
        (
            "run make = 2: error: bad thing; run make = 2: error: other thing",
            "",
        ),
        (
            "edit a.rs = failed: String to replace not found; edit a.rs = failed: String to replace not found",
            "",
        ),
        (
            "mcp db query = failed: error: relation does not exist; mcp db query = failed: error: relation does not exist",
            "2x, open: - 0.55",
        ),
    ];
    for (story, expected) in cases {
        let signals = super::detected(story).into_iter();
        let told = signals.filter_map(|signal| match signal.finding {
            Finding::ErrorRetry { count, solved, .. } => {
                let files = signal.files.first().map_or("-", |file| file.as_str());
                let solved = solved.map(|solved| format!("{} steps", solved.steps));
                let solved = solved.unwrap_or_else(|| "open".to_owned());
                Some(format!("{count}x, {solved}: {files} {}", signal.strength))
            }
            _ => None,
        });
        assert_eq!(told.collect::<Vec<_>>().join(", "), expected, "{story}");
    }
}

#[test]
fn what_worked_is_told() {
    let signals = super::detected(
        "run make = 2: error: bad thing; run make = 2: error: bad thing; edit src/a.c; edit src/b.c; run make = 0",
    );
    let signal = signals
        .iter()
        .find(|signal| signal.kind == SignalKind::ErrorRetry)
        .unwrap();
    let names: Vec<&str> = signal
        .files
        .iter()
        .map(oldhand_domain::path::ProjectPath::as_str)
        .collect();
    assert_eq!(names, ["src/a.c", "src/b.c"]);
    let Finding::ErrorRetry {
        solved: Some(solved),
        count: 2,
        ..
    } = &signal.finding
    else {
        panic!("{signal:?}")
    };
    assert_eq!(solved.steps, 4);
}

#[test]
fn what_was_run_first_is_among_the_events_that_show_it() {
    let shown = |story: &str| super::shown_at(SignalKind::ErrorRetry, story);
    let failed = "run make test = 2: error: no client";
    assert_eq!(
        shown(&format!(
            "edit a.c; {failed}; run ./gen.sh = 0; run make test = 0"
        )),
        [2, 3, 4]
    );
    // The same thing twice is told twice, and what only looks is nothing of it.
    assert_eq!(
        shown(&format!(
            "edit a.c; {failed}; run ./gen.sh = 0; run ls = 0; run ./gen.sh = 0; run make test = 0"
        )),
        [2, 3, 5, 6]
    );
    assert_eq!(
        shown(&format!("{failed}; {failed}; run make test = 0")),
        [1, 2, 3]
    );
}

#[test]
fn a_long_command_is_told_by_its_name_its_variables_and_its_options() {
    let typed = "GOOS=windows GOARCH=amd64 go test ./internal/auth ./internal/planner ./internal/syncer -run=TestToken -count=1 2>&1 | tail -5";
    let told = with_options("go test ./internal/auth", typed);
    assert_eq!(
        told,
        "GOOS=windows GOARCH=amd64 go test ./internal/auth -run -count"
    );
    for (typed, expected) in [
        ("A_1=2 make -j", "A_1=2 make -j"),
        ("a=2 make -j", "make -j"),
        ("make -- - -j x", "make -j"),
        ("make\n-j", "make"),
    ] {
        assert_eq!(with_options("make", typed), expected, "{typed}");
    }
    let long = |letters: usize| short(&"x".repeat(letters));
    assert!(!long(0) && long(1) && long(80) && !long(81));
    assert!(!short("make\n-j"));
}
