//! Stories and the words they end in.

use super::*;
use crate::detect::{Norms, dead_end, detect};
use crate::fold::{FoldOptions, fold};
use crate::story::events;

fn candidates(story: &str) -> Vec<Candidate> {
    let session = fold(&events(story), &FoldOptions::default());
    let signals = detect(
        &session,
        &Norms {
            tokens_per_file: Some(2_000.0),
        },
    );
    distill(
        &session,
        &signals,
        &dead_end::detect(&session),
        &Frequency::default(),
    )
}

fn told(story: &str) -> String {
    let lines: Vec<String> = candidates(story)
        .iter()
        .map(|candidate| {
            format!(
                "{}: {}\n  {}",
                candidate.payload.memory_type(),
                candidate.content,
                candidate.summary
            )
        })
        .collect();
    lines.join("\n")
}

#[test]
fn a_command_that_works_instead_is_named() {
    insta::assert_snapshot!(told("run pytest tests = 127: zsh: command not found: pytest; run pytest -q tests = 127: zsh: command not found: pytest; run python -m pytest tests = 0: 3 passed in 0.1s"), @r#"
    error_pattern: `pytest` alone fails with "zsh: command not found: pytest" (seen in one session). Run it as `python -m pytest`.
      Run `pytest` as `python -m pytest`: alone it is not found
    "#);
}

#[test]
fn each_kind_has_words_of_its_own() {
    insta::assert_snapshot!(told("start build planned 2; edit src/a/user.rs; read src/b/store.rs; edit src/a/user.rs; edit Cargo.toml; grep parse_token = nothing; grep parse_token = src/b/parse.rs; read src/b/parse.rs; tokens 90000 1; as one: edit src/a/user.rs; as one: edit src/a/user.rs = failed: File has been modified since read; as two: edit src/a/user.rs = failed: File has been modified since read; as two: edit src/a/user.rs; as one: read src/b/store.rs; say I was wrong about `ttl`. It is in seconds, not milliseconds, see `store.rs`."), @r#"
    gotcha: Easily got wrong: `ttl` is in seconds, not milliseconds, see `store.rs`.
      `ttl` is in seconds, not milliseconds, see `store.rs`.
    causal_dependency: Changing `src/a` also meant changing `Cargo.toml`: edited together with `src/a/user.rs` (seen in one session).
      Changes in `src/a` may need `Cargo.toml` too
    causal_dependency: `src/b/parse.rs` and `src/a/user.rs` belong together: they were used close to each other, seen in one session.
      `src/b/parse.rs` goes with `src/a/user.rs`
    causal_dependency: `src/b/store.rs` and `src/a/user.rs` belong together: they were used close to each other, seen in one session.
      `src/b/store.rs` goes with `src/a/user.rs`
    prefetch_pattern: `src/b/store.rs` and `src/b/parse.rs` belong together: they were used close to each other, seen in one session.
      `src/b/store.rs` goes with `src/b/parse.rs`
    gotcha: `src/a/user.rs` was edited by 2 agents at the same time, and edits of 2 of them were refused because it had changed. Give it to one of them.
      Do not split work on `src/a/user.rs` between agents
    module_insight: What `parse_token` stands for is hard to find (searched 2 times, seen in one session); it is in `src/b/parse.rs`.
      `parse_token` is in `src/b/parse.rs`
    prefetch_pattern: Work in `src/a` begins with `src/a/user.rs`: it was opened early and edited by 1 of 1 sessions.
      Work in `src/a` begins with `src/a/user.rs` (1 of 1 sessions)
    prefetch_pattern: Work at the top of the project begins with `Cargo.toml`: it was opened early and edited by 1 of 1 sessions.
      Work at the top of the project begins with `Cargo.toml` (1 of 1 sessions)
    prefetch_pattern: Work in `src/b` begins with `src/b/store.rs`: it was opened early by 1 of 1 sessions.
      Work in `src/b` begins with `src/b/store.rs` (1 of 1 sessions)
    task_calibration: Work in `src/a` takes 6.0 times the planned steps (12 instead of 2, over one session).
      Plan 6.0× the steps for `src/a`
    gotcha: An edit of `src/a/user.rs` had to be redone after reading `src/b/parse.rs`, seen in one session. Read that first.
      Before editing `src/a/user.rs`, read `src/b/parse.rs`
    gotcha: An edit of `src/a/user.rs` had to be redone after reading `src/b/store.rs`, seen in one session. Read that first.
      Before editing `src/a/user.rs`, read `src/b/store.rs`
    context_cost: Work in `src/a` is expensive to read: 22500 tokens a file where this project usually takes 2000 (over one session).
      `src/a` costs 22500 tokens a file, 2000 is usual
    "#);
}

#[test]
fn a_dead_end_tells_what_was_tried_and_what_came_instead() {
    insta::assert_snapshot!(told("prompt make login faster; repeat 20 edit src/cache.rs; run cargo test = 101: error: cache is not shared; say This approach won't work. Each worker has a cache of its own.; edit src/pool.rs")
        .lines().take(2).collect::<Vec<_>>().join("\n"), @r#"
    dead_end: A dead end for "make login faster": working on `src/cache.rs`, given up after 21 steps. Each worker has a cache of its own. The last error was "error: cache is not shared". What was done instead: work on `src/pool.rs`.
      Dead end in `src/cache.rs`: Each worker has a cache of its own
    "#);
}

#[test]
fn another_way_without_a_reason_is_no_dead_end_and_a_program_has_no_task() {
    let story = |task: &str, words: &str| {
        told(&format!(
            "prompt {task}; repeat 21 edit src/cache.rs; say {words}; edit src/pool.rs"
        ))
    };
    for without in [
        "This approach won't work.",
        "This approach won't work. Let me write to `src/pool.rs` directly.",
        "Let me try a different approach: write to `src/pool.rs` directly.",
        "This approach won't work because it takes far too long.",
        "This approach won't work. Looking at `read_all`, tests of it need no disk.",
    ] {
        let told = story("make it faster", without);
        assert!(!told.contains("dead_end"), "{told}");
    }
    let given_up = "This approach won't work because the cache is not shared.";
    let told = story("<teammate-message id=\"lead\"> {\"task\": 1}", given_up);
    assert!(
        told.contains("A dead end: working on `src/cache.rs`"),
        "{told}"
    );
    let looked = "Let me try a different approach to check the final result.";
    let told = story("make it faster", looked);
    assert!(!told.contains("dead_end"), "{told}");
}

#[test]
fn grave_issues_and_notes_speak_for_themselves() {
    insta::assert_snapshot!(told("edit src/a.rs; note decision: We keep tokens in the keychain because files leak.; validated failed critical src/a.rs: the token is logged"), @r#"
    error_pattern: A critical problem was found in `src/a.rs` by qa: the token is logged
      Check in `src/a.rs`: the token is logged
    decision: We keep tokens in the keychain because files leak.
      We keep tokens in the keychain because files leak.
    prefetch_pattern: Work in `src` begins with `src/a.rs`: it was opened early and edited by 1 of 1 sessions.
      Work in `src` begins with `src/a.rs` (1 of 1 sessions)
    "#);
}

#[test]
fn vague_words_teach_nothing() {
    for words in [
        "I was wrong about that.",
        "Oh, I misunderstood! The user is saying that `x` should be 12.",
    ] {
        let found = candidates(&format!("say {words}"));
        assert!(!found.iter().any(Candidate::is_fit), "{found:?}");
    }
}

#[test]
fn every_summary_fits_and_every_candidate_has_evidence() {
    let long = "x".repeat(300);
    let story = format!(
        "run make = 2: error: {long} bad; run make = 2: error: {long} bad; edit src/{long}/a.rs; read src/{long}/b.rs; edit src/{long}/a.rs; run make = 0"
    );
    for candidate in candidates(&story) {
        assert!(
            oldhand_domain::tokens::count(candidate.summary.as_str()) <= 35,
            "{}",
            candidate.summary
        );
        assert!(!candidate.evidence.is_empty(), "{}", candidate.key);
    }
}

#[test]
fn the_same_journal_gives_the_same_candidates() {
    let story = "read src/a.rs; read src/b.rs; edit src/a.rs; run make = 2: error: bad thing; edit src/b.rs; run make = 2: error: bad thing; edit src/c.rs; run make = 0; grep wxyz = nothing; grep wxyz = nothing";
    assert_eq!(
        format!("{:?}", candidates(story)),
        format!("{:?}", candidates(story))
    );
}

#[test]
fn more_sessions_make_surer() {
    let session = fold(
        &events("run make = 2: error: header `bad` not found; run ./configure = 0; run make = 0"),
        &FoldOptions::default(),
    );
    let signals = detect(&session, &Norms::default());
    let sure = |sessions| {
        let seen = Seen {
            sessions,
            task_types: 1,
            edited_sessions: 0,
            ..Seen::default()
        };
        let frequency = Frequency {
            seen: BTreeMap::from([(signals[0].key.clone(), seen)]),
            ..Frequency::default()
        };
        distill(&session, &signals, &[], &frequency)[0].confidence
    };
    assert!(sure(3) > sure(0));
}

fn told_from(story: &str, start: &str) -> String {
    let lines = told(story);
    let mut lines = lines.lines().skip_while(|line| !line.starts_with(start));
    let (content, summary) = (lines.next(), lines.next());
    format!("{}\n{}", content.unwrap_or(""), summary.unwrap_or(""))
}

#[test]
fn rules_of_handing_work_in_alone_and_of_other_languages_are_not_counted() {
    for (rule, counted) in [
        ("never push to main", 1),
        ("please don't push to main, open a pull request", 0),
        ("今後はpnpmを使ってください。", 0),
    ] {
        let session = fold(&events(&format!("prompt {rule}")), &FoldOptions::default());
        assert_eq!(
            keys_of_rules(&rules_laid_down(&session)).len(),
            counted,
            "{rule}"
        );
        assert_eq!(
            told_from(&format!("prompt {rule}"), "preference")
                .lines()
                .count(),
            2
        );
    }
}

#[test]
fn what_a_person_lays_down_is_kept_in_their_words() {
    let refused = |words: &str| format!("run make ci; corrected permission_denied; prompt {words}");
    insta::assert_snapshot!(told_from(&refused("we never run CI by hand, too slow."), "preference"), @r#"
    preference: The user laid this down while working with an agent: "we never run CI by hand, too slow".
      User's rule: we never run CI by hand, too slow
    "#);
    // What sends the agent elsewhere is about that call.
    assert!(!told(&refused("don't run CI, too slow.")).contains("preference"));
    assert!(!told("as helper: prompt Always answer in JSON for the parent").contains("preference"));
}

#[test]
fn clients_say_which_files_are_missing_or_too_large() {
    insta::assert_snapshot!(told_from("read .golangci.yml = failed: File does not exist. Did you mean .golangci.yaml?", "gotcha"), @r"
    gotcha: There is no `.golangci.yml`; the file is `.golangci.yaml` (seen in one session).
      There is no `.golangci.yml`; it is `.golangci.yaml`
    ");
    insta::assert_snapshot!(told_from("read a/big.rs = failed: File content (34278 tokens) exceeds maximum allowed tokens (25000).", "gotcha"), @r"
    gotcha: `a/big.rs` is too large to be read in one piece (34278 tokens): search in it, or read the part that is needed (seen in one session).
      `a/big.rs` is too large to read at once (34278 tokens); search in it
    ");
}

#[test]
fn a_program_that_says_how_it_was_misused_needs_no_second_witness() {
    let needed = |story: &str| {
        candidates(story)
            .iter()
            .find(|candidate| candidate.key.starts_with("error:"))
            .map(|candidate| candidate.sessions_needed)
    };
    for (program, expected) in [("shop", 1), ("gh", 2)] {
        let refused = format!("run {program} list a --stat = 1: unknown flag: --stat");
        let story = format!("{refused}; run {program} list a = 0");
        assert_eq!(needed(&story), Some(Some(expected)), "{program}");
    }
    let other = "run gh pr diff 104 --stat = 1: could not resolve host";
    let other = needed(&format!("{other}; run gh pr diff 104 --name-only = 0"));
    assert_eq!(other.flatten(), None);
}

#[test]
fn an_error_without_a_remedy_is_not_told() {
    let told = |story: &str| {
        let lines = told(story);
        let mut lines = lines.lines();
        lines.any(|line| line.starts_with("error_pattern"))
    };
    let cases = [
        // That a file was edited before it passed is no answer, and what was behind it is told apart.
        (
            "run make = 2: error: no field cache_size; edit src/a.c; run make = 0",
            false,
        ),
        (
            "run make = 2: error: no field cache_size; say The issue is that `cache_size` is only set when `start` was called before, which the tests do not do.; edit src/a.c; run make = 0",
            false,
        ),
        // Nothing was done about it.
        (
            "run make = 2: error: no field cache_size; run make = 2: error: no field cache_size",
            false,
        ),
        // Trying again tells of a test that it is flaky, and of nothing else anything.
        (
            "run make = 2: error: no field cache_size; run make = 0; run make = 2: error: no field cache_size; run make = 0",
            false,
        ),
        (
            "run cargo test = 101: test cache::evicts ... FAILED; run cargo test = 101: test cache::evicts ... FAILED; run cargo test = 0",
            true,
        ),
        // A check that passes makes no other one pass; a step that the failing one asks for does.
        (
            "run make ci = 2: error: fixture users not found; run make test = 0; run make ci = 0",
            false,
        ),
        (
            "run make ci = 2: error: fixture users not found; run ./seed.sh users = 0; run make ci = 0",
            true,
        ),
        (
            "run make ci = 2: error: wrong colour in the header; run ./seed.sh users = 0; run make ci = 0",
            false,
        ),
        // Another way to run the tests is no answer to what they found.
        (
            "run pytest tests/a.py = 1: error: wrong colour in the header; run python -m pytest tests/a.py = 0",
            false,
        ),
        (
            "run pytest tests/a.py = 1: error: plugin timeout not installed; run uv run pytest tests/a.py = 0",
            true,
        ),
        // What everybody's programs say is of the moment, also behind a pipe.
        (
            "run git pull --rebase = 1: error: cannot pull with rebase: file not found here; run git stash push = 0; run git pull --rebase = 0",
            false,
        ),
        (
            "run ./gen.sh users | tail -x = 1: tail: users.log: No such file or directory; run ./gen.sh users --all = 0",
            false,
        ),
    ];
    for (story, expected) in cases {
        assert_eq!(told(story), expected, "{story}");
    }
}

#[test]
fn a_hook_that_refuses_a_call_is_told_in_its_own_words() {
    let told = |words: &str| {
        told_from(
            &format!(
                "run git add a.md && git commit -m x = 1: PreToolUse:Bash hook error: [{words}"
            ),
            "error_pattern",
        )
    };
    insta::assert_snapshot!(told("guard.sh]: Do not commit to main."), @r#"
    error_pattern: A hook refuses `git commit` here: "Do not commit to main." (seen in one session).
      A hook refuses `git commit`: Do not commit to main.
    "#);
    let written = told("guard.sh]: Do not commit to main.");
    let printed = told("test x && echo 'Do not commit to main.' && exit 2]: No stderr output");
    assert_eq!(written, printed);
    assert_eq!(told("guard.sh]: BLOCKED: a dangerous call").trim(), "");
}

#[test]
fn an_option_that_does_not_exist_is_told_without_what_it_was_for() {
    let story = "run bd create \"chore: tidy up\" --set-metadata a=b = 1: Error: unknown flag: --set-metadata; run bd create \"chore: tidy up\" --metadata a=b = 0";
    insta::assert_snapshot!(told_from(story, "error_pattern"), @r#"
    error_pattern: `bd create` does not know `--set-metadata` ("Error: unknown flag: --set-metadata"). What worked instead: `bd create --metadata …` (seen in one session).
      `bd create` has no `--set-metadata`; `bd create --metadata …` worked
    "#);
    let of = |program: &str, with: &str| {
        let story = format!(
            "run {program} learn \"Tea\" --tags a = 1: Unknown option: --tags; run {program} learn \"Tea\"{with} = 0"
        );
        told_from(&story, "error_pattern")
    };
    let without = "`./notes.sh learn` does not know `--tags` (\"Unknown option: --tags\"). It worked without (seen in one session).";
    assert!(of("./notes.sh", "").contains(without));
    assert!(of("bd", " --tag a").contains("What worked instead: `bd learn --tag …`"));
    // Another option does another thing.
    assert_eq!(of("bd", " --label a").trim(), "");
    // What is behind a verb is of that day.
    let made_up =
        "run sc create test-agent --fast = 1: unknown flag: --fast; run sc create test-agent = 0";
    assert!(told_from(made_up, "error_pattern").contains("`sc create` does not know `--fast`"));
    let go = "run ./serve.sh -frob = 2: flag provided but not defined: -frob; run ./serve.sh = 0";
    assert!(told_from(go, "error_pattern").contains("`./serve.sh` does not know `-frob`"));
    // Another project's.
    assert_eq!(of("~/dev/notes/notes.sh", "").trim(), "");
    for elsewhere in [
        "$HOME/notes/notes.sh",
        "${HOME}/notes/notes.sh",
        "../notes/notes.sh",
        "cd ../notes && ./notes.sh",
    ] {
        assert_eq!(of(elsewhere, " --label a").trim(), "", "{elsewhere}");
    }
}

#[test]
fn what_runs_a_script_is_not_blamed_for_its_options() {
    let of = |program: &str, option: &str| {
        let story =
            format!("run {program} {option} a = 1: Unknown option: {option}; run {program} = 0");
        told_from(&story, "error_pattern")
    };
    for (program, name) in [
        ("python3.12 manage.py seed", "manage.py seed"),
        (".venv/bin/python scripts/seed.py", "scripts/seed.py"),
        ("bash ./seed.sh", "./seed.sh"),
        ("node scripts/seed.mjs", "scripts/seed.mjs"),
        ("uv run scripts/seed.py", "scripts/seed.py"),
    ] {
        let told = of(program, "--tenant");
        let named = format!("`{name}` does not know `--tenant`");
        assert!(told.contains(&named), "{program}: {told}");
    }
    for program in [
        "python -m seed",
        "npx -y seed.js add",
        "bunx seed add",
        "uv run seed",
        "ruby ../other/seed.rb",
        "php ~/other/seed.php",
        "node node_modules/seed/main.js",
        "./scripts/run.sh cargo test",
        "make seed",
    ] {
        assert_eq!(of(program, "--tenant").trim(), "", "{program}");
    }
    // Refused by what runs the script, not by the script.
    let story = "run bash --frob ./seed.sh = 1: Unknown option: --frob; run bash ./seed.sh = 0";
    assert_eq!(told_from(story, "error_pattern").trim(), "");
}

#[test]
fn nobody_is_told_to_go_without_a_guard_or_to_reach_out() {
    for (program, option) in [
        ("./seed.sh staging", "--dry-run"),
        ("./seed.sh staging", "--check"),
        ("./seed.sh staging", "--no-write"),
        ("./seed.sh staging", "--confirm"),
        ("./deploy.sh staging", "--region"),
        ("./bin/deploy-all.sh staging", "--region"),
        ("notes publish", "--tags"),
    ] {
        let story =
            format!("run {program} {option} = 1: Unknown option: {option}; run {program} = 0");
        let told = told_from(&story, "error_pattern");
        assert_eq!(told.trim(), "", "{program} {option}");
    }
}

#[test]
fn a_short_listing_is_no_noise() {
    let told = told_from("glob **/*.rs = 49 files; read src/a.rs", "gotcha");
    assert_eq!(told.trim(), "");
    assert!(told_from("glob **/*.rs = 50 files; read src/a.rs", "gotcha").contains("`**/*.rs`"));
}

#[test]
fn what_fixed_an_error_is_told_as_seen_from_the_project() {
    let story = "run python -m tool = 1: ModuleNotFoundError: No module named 'httpx'; run cd /project/agents && uv run python -m tool 2>&1 | tail -5 = 0";
    let start = "start build; ";
    let told = told_from(&format!("{start}{story}"), "error_pattern");
    assert!(
        told.contains("`cd agents && uv run python -m tool`"),
        "{told}"
    );
}
