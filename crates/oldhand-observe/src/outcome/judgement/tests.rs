//! Stories, and how their work is judged.

use super::*;

fn told(story: &str) -> String {
    let session = crate::fold::fold(
        &crate::story::events(story),
        &crate::fold::FoldOptions::default(),
    );
    let judgement = judge(&session);
    format!("{:?} {}", judgement.verdict, judgement.confidence)
}

#[test]
fn the_verdict_follows_the_evidence_after_the_last_edit() {
    let cases = [
        ("edit src/a.rs; run cargo test = 0", "Passed 0.85"),
        ("run cargo test = 0; edit src/a.rs", "Unknown 0.00"),
        (
            "edit src/a.rs; run cargo test = 101: error: bad",
            "Failed 0.80",
        ),
        (
            "edit src/a.rs; run cargo test = 101: error: bad; run cargo test = 0",
            "Passed 0.85",
        ),
        (
            "edit src/a.rs; run cargo test = 0; edit README.md",
            "Passed 0.85",
        ),
        ("edit src/a.rs; run cargo build = 0", "Passed 0.65"),
        // A linter runs nothing.
        ("edit src/a.rs; run cargo clippy = 0", "Unknown 0.00"),
        (
            "edit src/a.rs; run cargo clippy = 0; run cargo build = 0",
            "Passed 0.79",
        ),
        // Who starts a test has not seen it pass.
        ("edit src/a.rs; run cargo test & = 0", "Unknown 0.00"),
        (
            "edit src/a.rs; run npm test = 0: Command running in background with ID: bash_1",
            "Unknown 0.00",
        ),
        // A search that finds nothing ends with 1.
        (
            "edit src/a.go; run go test ./... | grep FAIL = 1",
            "Unknown 0.00",
        ),
        (
            "edit src/a.go; run go test ./... | grep FAIL = 0: --- FAIL: TestA",
            "Failed 0.80",
        ),
        // Without the edits a check says nothing about them.
        (
            "edit src/a.rs; run git stash && make test && git stash pop = 1: error: bad",
            "Unknown 0.00",
        ),
        (
            "edit src/a.rs; run git stash = 0; run make test = 0; run git stash pop = 0",
            "Unknown 0.00",
        ),
        (
            "edit src/a.rs; run make test = 0; run git stash = 0",
            "Unknown 0.00",
        ),
        (
            "edit src/a.rs; run make test = 0; run git stash = 0; run git stash pop = 0",
            "Passed 0.85",
        ),
        (
            "edit src/a.rs; run git commit -m 'WIP broken' = 0",
            "Unknown 0.00",
        ),
        // Less than what had failed is not all of it.
        (
            "edit a.py; run pytest = 1: 3 failed in 0.1s; edit a.py; run pytest tests/other.py = 0",
            "Passed 0.50",
        ),
        (
            "edit a.py; run pytest = 1: 3 failed in 0.1s; edit a.py; run pytest tests/a.py = 0; run pytest = 0",
            "Passed 0.85",
        ),
        (
            "edit a.py; run pytest = 0; edit a.py; run pytest tests/a.py = 0",
            "Passed 0.85",
        ),
        (
            "edit src/a.rs; run cargo test = 0; run git commit -m x = 0",
            "Passed 0.93",
        ),
        ("edit src/a.rs; run git commit -m x = 0", "Passed 0.65"),
        ("edit src/a.rs; commit x", "Passed 0.65"),
        (
            "edit src/a.rs; run git commit -m x = 0; run git revert HEAD = 0",
            "Failed 0.90",
        ),
        (
            "edit src/a.rs; run git checkout -- src/a.rs = 0",
            "Failed 0.90",
        ),
        (
            "edit src/a.rs; edit src/b.rs; run git checkout HEAD src/a.rs src/b.rs = 0",
            "Failed 0.90",
        ),
        ("edit src/a.rs; run git checkout src = 0", "Failed 0.90"),
        ("edit src/a.rs; run git checkout main = 0", "Unknown 0.00"),
        (
            "edit src/a.rs; run git commit -m x = 0; run git checkout . = 0",
            "Passed 0.65",
        ),
        // Who goes on may not have looked.
        ("edit src/a.rs; prompt now the docs", "Unknown 0.00"),
        (
            "edit src/a.rs; run cargo clippy = 0; prompt now the docs",
            "Passed 0.67",
        ),
        (
            "edit src/a.rs; run cargo build = 0; prompt now the docs",
            "Passed 0.81",
        ),
        // What is changed in the shell is changed.
        (
            "edit src/a.c; run make test = 0; run sed -i s/a/b/ src/b.c = 0",
            "Unknown 0.00",
        ),
        (
            "edit src/a.c; run make test = 0; run git apply fix.patch = 0",
            "Unknown 0.00",
        ),
        (
            "run cat > src/c.c <<E = 0; run make test = 0",
            "Passed 0.85",
        ),
        ("run sed -i s/a/b/ src/b.c && make test = 0", "Passed 0.85"),
        ("run make test && sed -i s/a/b/ src/b.c = 0", "Unknown 0.00"),
        (
            "edit src/a.c; run make test = 0; run echo x > /tmp/note = 0",
            "Passed 0.85",
        ),
        // The same files are the same work, named or used.
        (
            "edit src/client.rs; run cargo build = 0; prompt add a timeout to the client",
            "Passed 0.65",
        ),
        (
            "edit src/client.rs; run cargo build = 0; prompt add a page for the settings; read src/client.rs",
            "Passed 0.65",
        ),
        (
            "edit src/a.rs; run cargo build = 0; prompt continue",
            "Passed 0.65",
        ),
        (
            "edit src/a.rs; run cargo build = 0; prompt No, use the other client",
            "Failed 0.75",
        ),
        (
            "edit src/a.rs; run cargo test = 0; prompt That's wrong, the port is 80",
            "Failed 0.75",
        ),
        ("edit src/a.rs; corrected rewound", "Failed 0.75"),
        ("edit src/a.rs; corrected interrupted", "Unknown 0.00"),
        ("edit src/a.rs", "Unknown 0.00"),
        ("read src/a.rs; run cargo test = 0", "Unknown 0.00"),
        (
            "edit src/a.rs; run cargo test | tail -3 = 0: ...",
            "Unknown 0.00",
        ),
        (
            "edit src/a.rs; run cargo test = 0; validated failed",
            "Failed 0.95",
        ),
        (
            "edit src/a.rs; run cargo test = 101: error: x; validated passed",
            "Passed 0.95",
        ),
        // What somebody said holds for what there was to be seen.
        ("edit src/a.rs; validated passed; edit b.rs", "Unknown 0.00"),
        (
            "edit src/a.rs; validated passed; edit README.md",
            "Passed 0.95",
        ),
        (
            "edit src/a.rs; validated passed; edit b.rs; run cargo test = 101: error: x",
            "Failed 0.80",
        ),
        (
            "edit src/a.rs; validated failed; edit b.rs; run cargo test = 0",
            "Passed 0.85",
        ),
        (
            "edit src/a.rs; validated passed; run cargo test = 101: error: x",
            "Passed 0.95",
        ),
        (
            "edit src/a.rs; validated passed; run git checkout . = 0",
            "Failed 0.90",
        ),
        (
            "edit src/a.rs; validated passed; edit b.rs; validated failed",
            "Failed 0.95",
        ),
    ];
    for (story, expected) in cases {
        assert_eq!(told(story), expected, "{story}");
    }
}

#[test]
fn a_check_counts_however_it_is_wrapped() {
    let after_an_edit = [
        ("cd web && npm test = 0", "Passed 0.85"),
        (
            "cd web && npm test = 1: Tests: 1 failed, 3 passed",
            "Failed 0.80",
        ),
        ("(cd web && npm test) = 0", "Passed 0.85"),
        ("bash -c 'cd web && npm run test:unit' = 0", "Passed 0.85"),
        ("CI=1 timeout 60 npm test = 0", "Passed 0.85"),
        (
            "go test ./... 2>&1 | tail -20 = 0: ok  \texample.org/a\t0.2s",
            "Passed 0.85",
        ),
        (
            "go test ./... 2>&1 | tail -20 = 0: --- FAIL: TestX (0.00s)",
            "Failed 0.80",
        ),
        ("go test ./... 2>&1 | tail -20 = 0", "Unknown 0.00"),
        (
            "set -o pipefail && go test ./... | tail -3 = 0",
            "Passed 0.85",
        ),
        ("cargo test || true = 0", "Unknown 0.00"),
        ("make test = 0", "Passed 0.85"),
        ("make -C api test = 2: error: bad", "Failed 0.80"),
        ("just test = 0", "Passed 0.85"),
        ("just lint = 1: Found 3 errors", "Failed 0.60"),
        ("npm run build = 0", "Passed 0.65"),
        ("npm run typecheck = 0", "Passed 0.65"),
        ("npm run lint = 1: 3 problems", "Failed 0.60"),
        ("pnpm -r test && pnpm lint = 0", "Passed 0.91"),
        ("npm run dev = 0", "Unknown 0.00"),
        ("grep -rn 'npm test' . = 0", "Unknown 0.00"),
    ];
    for (line, expected) in after_an_edit {
        assert_eq!(
            told(&format!("edit src/a.rs; run {line}")),
            expected,
            "{line}"
        );
    }
}

#[test]
fn what_git_does_with_the_work_counts_however_it_is_wrapped() {
    let after_an_edit = [
        (
            "run cd web && git add -A && git commit -qm x = 0",
            "Passed 0.65",
        ),
        ("run git commit -m x = 1: nothing to commit", "Unknown 0.00"),
        (
            "run git commit -m x = 0; run git revert --no-edit HEAD = 0",
            "Failed 0.90",
        ),
        (
            "run git commit -m x = 0; run git reset --hard HEAD~1 = 0",
            "Failed 0.90",
        ),
        (
            "run git commit -m x = 0; run git reset --soft HEAD~1 = 0",
            "Unknown 0.00",
        ),
        ("run git restore src/a.rs = 0", "Failed 0.90"),
        ("run git restore src = 0", "Failed 0.90"),
        ("run git restore src/other.rs = 0", "Unknown 0.00"),
        ("run git restore --staged src/a.rs = 0", "Unknown 0.00"),
        ("run git reset --hard = 0", "Failed 0.90"),
        ("run git stash = 0", "Unknown 0.00"),
        ("run git stash = 0; run git stash drop = 0", "Unknown 0.00"),
        ("run git stash && git stash pop = 0", "Unknown 0.00"),
        (
            "run git stash = 0; run git stash pop = 0; run make test = 0",
            "Passed 0.85",
        ),
    ];
    for (acts, expected) in after_an_edit {
        assert_eq!(told(&format!("edit src/a.rs; {acts}")), expected, "{acts}");
    }
}

#[test]
fn a_commit_that_has_the_edits_speaks_for_work_that_nothing_else_speaks_of() {
    let judged = |story: &str| {
        let session = crate::fold::fold(
            &crate::story::events(story),
            &crate::fold::FoldOptions::default(),
        );
        judge(&session).taken_in(&session, "1a2b3c4", 25)
    };
    let kept = judged("edit src/a.rs");
    assert_eq!(kept.verdict, WorkVerdict::Passed);
    assert_eq!(kept.confidence, Confidence::clamped(0.5));
    assert_eq!(
        kept.evidence[0].describe(),
        "commit 1a2b3c4 took the edits in, 25 min later"
    );
    let failed = judged("edit src/a.rs; run cargo test = 101: error: no");
    assert_eq!(failed.verdict, WorkVerdict::Failed);
    assert_eq!(judged("read src/a.rs").verdict, WorkVerdict::Unknown);
}

#[test]
fn a_long_line_is_told_up_to_the_end_of_a_step() {
    let long = format!(
        "cargo test -p one && {} && mise run build",
        "cargo test -p two --lib ".repeat(7)
    );
    let cut = &long[..198];
    let told = whole_steps(cut);
    assert!(
        told.starts_with("cargo test -p one && cargo test -p two") && told.ends_with("--lib  …"),
        "{told}"
    );
    assert_eq!(
        whole_steps("cargo test && cargo clippy"),
        "cargo test && cargo clippy"
    );
}

#[test]
fn what_ran_in_another_project_says_nothing_about_this_one() {
    for (acts, expected) in [
        ("run cd /srv/other && npm test = 0", "Unknown 0.00"),
        (
            "run cd /srv/other && npm test = 1: error: bad",
            "Unknown 0.00",
        ),
        ("run make -C /srv/other test = 0", "Unknown 0.00"),
        ("run npm --prefix /srv/other test = 1", "Unknown 0.00"),
        (
            "run cargo test --manifest-path /srv/other/Cargo.toml = 0",
            "Unknown 0.00",
        ),
        ("run pytest /srv/other = 0", "Unknown 0.00"),
        ("run git -C /srv/other commit -m x = 0", "Unknown 0.00"),
        (
            "run cd /srv/other && git restore . = 0; run make test = 0",
            "Passed 0.85",
        ),
        ("run cd /project/web && npm test = 0", "Passed 0.85"),
        ("run make -C web test = 1: error: bad", "Failed 0.80"),
        (
            "run npm test && cd /srv/other && npm run lint = 0",
            "Passed 0.85",
        ),
        // Which of the two it was nobody knows.
        (
            "run npm test && cd /srv/other && npm test = 1",
            "Unknown 0.00",
        ),
    ] {
        let story = format!("start build; edit src/a.rs; {acts}");
        assert_eq!(told(&story), expected, "{acts}");
    }
}

#[test]
fn a_check_is_worth_what_it_shows_to_have_run() {
    for (acts, expected) in [
        (
            "run just check = 0: cargo clippy --all-targets",
            "Unknown 0.00",
        ),
        ("run npm run check = 0: > biome check", "Unknown 0.00"),
        ("run npm run check = 0: > tsc --noEmit", "Passed 0.65"),
        ("run npm run check = 0: > vitest run", "Passed 0.85"),
        ("run just check = 0", "Unknown 0.00"),
        ("run just check = 1: error: bad", "Failed 0.60"),
        ("run just check = 0; prompt now the docs", "Passed 0.67"),
        ("run make check = 0", "Passed 0.85"),
        // The second time it says what it is.
        (
            "run just check = 1: error: bad; run just check = 0: cargo test",
            "Passed 0.85",
        ),
    ] {
        assert_eq!(told(&format!("edit src/a.rs; {acts}")), expected, "{acts}");
    }
}

#[test]
fn a_commit_that_a_hook_refused_counts_against_the_work_until_it_is_made() {
    let refused = "run git commit -m x = 1: husky - pre-commit hook exited with code 1 (error)";
    for (acts, expected) in [
        (refused.to_owned(), "Failed 0.60"),
        (format!("{refused}; run git commit -m x = 0"), "Passed 0.65"),
        (
            format!("{refused}; run git commit --no-verify -m x = 0"),
            "Failed 0.60",
        ),
        (
            "run git commit -m x = 1: nothing to commit".to_owned(),
            "Unknown 0.00",
        ),
        (
            "run git -C /srv/other commit -m x = 1: husky - pre-commit hook exited with code 1"
                .to_owned(),
            "Unknown 0.00",
        ),
    ] {
        let story = format!("start build; edit src/a.rs; {acts}");
        assert_eq!(told(&story), expected, "{acts}");
    }
}
