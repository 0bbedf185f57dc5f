//! How a project is checked, as its sessions show.

use super::*;

#[test]
fn work_that_is_spread_wide_still_shows_how_it_is_checked() {
    let stories: Vec<String> = (0..5)
        .map(|number| format!("edit m{number}/a.rs; run make test = 0"))
        .collect();
    let stories: Vec<&str> = stories.iter().map(String::as_str).collect();
    let mut knowledge = learned(&stories[..4]);
    let reached = knowledge.learn(&session(4, stories[4])).thresholds;
    assert_eq!(reached, [(WHOLE_PROJECT.to_owned(), 5)]);
    let told = knowledge.synthesize(WHOLE_PROJECT, &Stated::nothing());
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].summary.as_str(), "Check changes with `make test`");
}

#[test]
fn how_work_is_checked_is_learned_once_it_is_usual() {
    let story = "edit src/a.rs; run mise run test:ci 2>&1 | tail -3 = 0: ok  \tx\t0.1s; run mise run lint = 0";
    let other = "edit src/a.rs; run go test ./... = 0; run mise run lint = 0";
    let told = |stories: &[&str]| {
        let found = learned(stories).synthesize("src", &Stated::nothing());
        found
            .iter()
            .find(|candidate| candidate.key == "checking")
            .map(|candidate| candidate.content.to_string())
    };
    assert_eq!(told(&[story, story]), None);
    assert_eq!(
        told(&[story, story, story, story, other]).as_deref(),
        Some(
            "How changes are checked in this project: lint with `mise run lint` (5 of 5 sessions), test with `mise run test:ci` (4 of 5 sessions)."
        )
    );
    let bare = "edit src/a.rs; run go test ./... = 0";
    assert_eq!(
        told(&[story, story, story, bare, bare, bare, bare]).as_deref(),
        Some(
            "How changes are checked in this project: lint with `mise run lint` (3 of 3 sessions), test with `mise run test:ci` (3 of 7 sessions)."
        ),
        "a name that the project gave to it beats what it stands for"
    );
    assert_eq!(told(&[bare; 9]), None, "everybody tries that first");
    let failing = "edit src/a.rs; run mise run check = 1: error: bad";
    assert_eq!(told(&[failing; 9]), None, "it never passed");
    let old = "edit src/a.rs; run npm test = 0";
    let new = "edit src/a.rs; run uv run pytest = 0: 3 passed in 0.1s; run make check = 0";
    let mut stories = vec![old; 40];
    stories.extend([new; 20]);
    assert_eq!(
        told(&stories).as_deref(),
        Some(
            "How changes are checked in this project: everything with `make check` (20 of 20 sessions)."
        ),
        "the latest sessions say"
    );
    let built = "edit src/a.rs; run make build-api = 0";
    assert_eq!(told(&[built; 9]), None, "it may be what is shipped");
    let python = "edit src/a.py; run uv run pytest = 0: 3 passed in 0.1s";
    assert_eq!(
        told(&[python; 5]).as_deref(),
        Some(
            "How changes are checked in this project: test with `uv run pytest` (5 of 5 sessions)."
        )
    );
}

#[test]
fn one_command_that_checks_everything_is_told_once() {
    let mut knowledge = Knowledge::default();
    for number in 0..5 {
        let mut facts = session(number, "edit src/a.rs; run make check = 0");
        facts.checks = [
            ("build", "make check"),
            ("lint", "mise run lint"),
            ("test", "make check"),
        ]
        .map(|(check, command)| (check.to_owned(), command.to_owned()))
        .into();
        knowledge.learn(&facts);
    }
    let told = knowledge.synthesize(WHOLE_PROJECT, &Stated::nothing());
    assert_eq!(
        told[0].content.as_str(),
        "How changes are checked in this project: everything with `make check` (5 of 5 sessions), lint with `mise run lint` (5 of 5 sessions)."
    );
    assert_eq!(
        told[0].summary.as_str(),
        "Check changes with `make check`, `mise run lint`"
    );
}

/// What is told after these sessions, or nothing.
fn told(stories: &[&str]) -> String {
    let found = learned(stories).synthesize(WHOLE_PROJECT, &Stated::nothing());
    let checking = found.first().map(|candidate| candidate.content.to_string());
    let told = checking.unwrap_or_default();
    let told = told.strip_prefix("How changes are checked in this project: ");
    told.unwrap_or_default().to_owned()
}

#[test]
fn a_check_is_told_with_the_options_that_most_of_its_runs_had() {
    let globals = "edit a.ts; run npx vitest run --globals src/a.test.ts = 0: ok";
    let other = "edit a.ts; run npx vitest run --globals src/b.test.ts = 0: ok";
    let whole = "edit b.ts; run npx vitest run --globals --reporter=dot 2>&1 = 0: ok";
    let bare = "edit b.ts; run npx vitest run = 0: ok";
    for (stories, expected) in [
        (
            vec![globals, whole, other],
            "test with `npx vitest run --globals` (3 of 3 sessions).",
        ),
        // Three of four had it, so that it is needed more often than not.
        (
            vec![globals, whole, bare, globals],
            "test with `npx vitest run --globals` (4 of 4 sessions).",
        ),
        // Half of the runs passed without it.
        (
            vec![globals, whole, bare, globals, bare, bare],
            "test with `npx vitest run` (6 of 6 sessions).",
        ),
        // Most runs had it, and two sessions are too few to say that it is needed.
        (vec![globals, whole, bare], ""),
        (vec![globals, whole], ""),
        // The file may be what the option is set to.
        (vec![globals; 5], ""),
    ] {
        assert_eq!(told(&stories), expected, "{stories:?}");
    }
}

#[test]
fn what_everybody_tries_first_is_told_only_with_what_the_project_needs() {
    let plain =
        "edit a.rs; run cargo test = 0: ok; run cargo clippy --all-targets -- -D warnings = 0";
    assert_eq!(told(&[plain; 5]), "");
    let needed = "edit a.rs; run cargo test --workspace --features slow parse = 0: ok";
    assert_eq!(
        told(&[needed; 3]),
        "test with `cargo test --workspace --features slow parse` (3 of 3 sessions).",
        "what every run was about is part of it"
    );
    let other = "edit a.rs; run cargo test --workspace --features slow = 0: ok";
    assert_eq!(
        told(&[needed, other, other, other]),
        "test with `cargo test --workspace --features slow` (4 of 4 sessions)."
    );
}

#[test]
fn each_folder_is_told_how_it_is_checked() {
    let web = "edit web/a.ts; run cd web && npx tsc --noEmit = 0";
    let api =
        "edit api/a.py; run cd api && uv run --extra dev pytest tests/test_a.py = 0: 1 passed";
    assert_eq!(
        told(&[web, api, web, api, web, api]),
        "test with `uv run --extra dev pytest` in `api` (3 of 3 sessions), type check with `npx tsc --noEmit` in `web` (3 of 3 sessions)."
    );
    // What everybody tries first goes with it in a folder of its own.
    let usual = "edit web/a.ts; run cd web && npx tsc --noEmit = 0; run cd web && npm test = 0: ok";
    assert_eq!(
        told(&[usual; 3]),
        "test with `npm test` in `web` (3 of 3 sessions), type check with `npx tsc --noEmit` in `web` (3 of 3 sessions)."
    );
    let alone = "edit web/a.ts; run cd web && npm test = 0: ok";
    assert_eq!(told(&[alone; 3]), "");
    // An earlier `cd` lasts, and the client tells where a call ran.
    let inside = "edit web/a.ts; run [web] npx tsc --noEmit = 0";
    assert_eq!(
        told(&[inside, web, inside]),
        "type check with `npx tsc --noEmit` in `web` (3 of 3 sessions)."
    );
}

#[test]
fn what_the_manifest_runs_under_a_name_is_not_told() {
    let story = "edit a.ts; run npx vitest run --globals = 0: ok; run npx tsc --noEmit = 0; run cd web && npx tsc --noEmit = 0";
    let knowledge = learned(&[story; 3]);
    let told = |scripts: &[&str]| {
        let scripts: Vec<String> = scripts.iter().map(|line| (*line).to_owned()).collect();
        let of_root = |folder: &str| match folder {
            "" => scripts.clone(),
            _ => Vec::new(),
        };
        let stated = Stated {
            kinds: BTreeSet::new(),
            scripts: &of_root,
            is_there: &|_| true,
        };
        let found = knowledge.synthesize(WHOLE_PROJECT, &stated);
        found.first().map(|candidate| candidate.summary.to_string())
    };
    let web = "`npx tsc --noEmit` in `web`";
    for (scripts, expected) in [
        (
            &["vitest", "tsc -p ."][..],
            format!("`npx vitest run --globals`, {web}"),
        ),
        (
            &["vitest run", "tsc --noEmit -p ."],
            format!("`npx vitest run --globals`, {web}"),
        ),
        (
            &[
                "npm run build && vitest run --globals --coverage",
                "tsc --noEmit",
            ],
            web.to_owned(),
        ),
    ] {
        assert_eq!(
            told(scripts),
            Some(format!("Check changes with {expected}")),
            "{scripts:?}"
        );
    }
}

#[test]
fn nothing_is_told_of_a_check_of_which_something_cannot_be_told() {
    let slow = "edit a.py; run uv run pytest tests -k 'not slow' = 0: 3 passed";
    let slower = "edit a.py; run uv run pytest tests -k 'not slow and not net' = 0: 3 passed";
    let whole = "edit a.py; run uv run pytest tests = 0: 3 passed";
    let one = "edit a.py; run uv run pytest tests -k adds = 0: 1 passed";
    let other = "edit a.py; run uv run pytest tests -k takes = 0: 1 passed";
    for (stories, expected) in [
        (vec![slow; 5], ""),
        (vec![slow, slower, slow, slower, whole], ""),
        (
            vec![slow, whole, whole, whole, one],
            "test with `uv run pytest tests` (5 of 5 sessions).",
        ),
        // What each run chose for itself is none of the others.
        (
            vec![one, other, one, other, whole],
            "test with `uv run pytest tests` (5 of 5 sessions).",
        ),
        (
            vec!["edit a.py; run API_TOKEN=x1 uv run pytest tests = 0: 3 passed"; 5],
            "",
        ),
    ] {
        assert_eq!(told(&stories), expected, "{stories:?}");
    }
}

#[test]
fn facts_of_an_older_form_teach_no_checks() {
    let story = "edit a.ts; run npx vitest run --globals = 0: ok";
    let told = |form: u32| {
        let mut knowledge = Knowledge::default();
        for number in 0..5 {
            let mut facts = session(number, story);
            facts.form = form;
            knowledge.learn(&facts);
        }
        knowledge
            .synthesize(WHOLE_PROJECT, &Stated::nothing())
            .len()
    };
    assert_eq!((told(TELLS_CHECKS - 1), told(FORM)), (0, 1));
}

#[test]
fn a_folder_that_is_not_there_today_is_not_told() {
    let story = "edit web/a.ts; run cd web && npx vitest run --globals = 0: ok";
    let knowledge = learned(&[story; 3]);
    let told = |there: &str| {
        let is_there = |folder: &str| folder == there;
        let stated = Stated {
            is_there: &is_there,
            ..Stated::nothing()
        };
        knowledge.synthesize(WHOLE_PROJECT, &stated).len()
    };
    assert_eq!((told("api"), told("web")), (0, 1));
}

#[test]
fn a_script_that_goes_elsewhere_says_nothing_of_its_own_folder() {
    let knowledge = learned(&["edit a.ts; run npx vitest run --globals = 0: ok"; 3]);
    let told = |script: &str| {
        let scripts = |_: &str| vec![script.to_owned()];
        let stated = Stated {
            scripts: &scripts,
            ..Stated::nothing()
        };
        knowledge.synthesize(WHOLE_PROJECT, &stated).len()
    };
    assert_eq!(told("vitest run --globals"), 0);
    assert_eq!(told("cd web && vitest run --globals"), 1);
}

#[test]
fn a_check_that_does_not_run_any_more_is_not_told() {
    let passed = "edit a.c; run go test -tags=web ./... = 0: ok  \tx\t0.1s";
    let stopped = "edit a.c; run cd web && go test -v -tags=web ./... = 1: error: Unable to find shelf 'Rows'";
    let other = "edit a.c; run go test -tags=all ./... = 1: error: Unable to find shelf 'Rows'";
    let wrong = "edit a.c; run go test -tags=web ./... = 1: error: rows are not sorted";
    let way = "go test -tags=web ./...";
    for (since, expected) in [
        ([stopped; 3], Some("Unable to find shelf 'Rows'")),
        ([stopped, stopped, wrong], None),
        (
            [stopped, stopped, other],
            Some("Unable to find shelf 'Rows'"),
        ),
        ([wrong; 3], None),
        ([other; 3], None),
        ([stopped, stopped, passed], None),
    ] {
        let known = learned(&[&[passed; 5], &since[..]].concat());
        assert_eq!(known.stops(way), expected, "{since:?}");
    }
    assert_eq!(learned(&[passed; 8]).stops(way), None);
}
