//! Stories and what the fold makes of them.

use oldhand_domain::event::{BoundedText, SessionType};

use super::*;
use crate::story::events;

pub(super) fn told(story: &str) -> SessionAnalytics {
    fold(&events(story), &FoldOptions::default())
}

#[test]
fn files_are_weighed_by_what_was_done_to_them() {
    let session = told("read a.rs; edit a.rs; write b.rs; read a.rs");
    let weights: Vec<u32> = session
        .files
        .iter()
        .map(|(_, file)| file.weight())
        .collect();
    assert_eq!(weights, [4, 3]);
    assert_eq!(session.step, 4);
}

#[test]
fn the_same_call_told_twice_counts_once() {
    let once = events("read a.rs; run cargo test = 1: error: no way; edit a.rs");
    let twice: Vec<Event> = once.iter().chain(&once).cloned().collect();
    let (once, twice) = (
        fold(&once, &FoldOptions::default()),
        fold(&twice, &FoldOptions::default()),
    );
    assert_eq!(
        (once.step, once.edits.len(), once.runs.len()),
        (twice.step, twice.edits.len(), twice.runs.len())
    );
}

#[test]
fn a_failed_edit_is_no_edit() {
    let session = told("read a.rs; edit a.rs = failed: string not found");
    assert!(session.edits.is_empty());
    assert_eq!(
        session
            .files
            .iter()
            .next()
            .map(|(_, file)| file.is_edited()),
        Some(false)
    );
}

#[test]
fn a_failed_edit_takes_back_its_own_and_nobody_else_s() {
    let counts = |session: &SessionAnalytics| {
        let (_, file) = session.files.iter().next().unwrap();
        (file.edits, file.writes)
    };
    // Two agents change one file at once; the first to begin fails last.
    let mut both = events("as one: edit a.rs; as two: edit a.rs");
    let mut calls = both.clone();
    for event in &mut calls {
        if let Happening::ToolReturned(back) = &event.what {
            event.what = Happening::ToolCalled {
                id: back.id.clone(),
                call: back.call.clone(),
            };
        }
    }
    if let Happening::ToolReturned(back) = &mut both[0].what {
        back.ended = Ending::Failed;
    }
    both.swap(0, 1);
    let session = fold(calls.iter().chain(&both), &FoldOptions::default());
    let agents: Vec<_> = session
        .edits
        .iter()
        .map(|edit| edit.agent.as_deref())
        .collect();
    assert_eq!(agents, [Some("two")]);
    assert_eq!(counts(&session), (1, 0));

    let session = told("edit a.rs; write a.rs = failed: no space");
    assert_eq!(counts(&session), (1, 0));
    assert_eq!(session.edits.len(), 1);
}

#[test]
fn an_error_is_not_watched_for_ever() {
    let solved = |steps: u32| {
        let story = format!("run make = 2: error: no rule; repeat {steps} read a.rs; run make = 0");
        let session = told(&story);
        session.errors.values().next().unwrap().resolution.is_some()
    };
    assert!(solved(150));
    assert!(!solved(250));
}

#[test]
fn a_read_that_found_nothing_met_nobody() {
    let session = told(
        "read a.rs; read b.rs; read gone.rs = failed: File does not exist.; read c.rs; read a.rs",
    );
    let pairs: Vec<_> = session
        .co_access
        .keys()
        .map(|(a, b)| {
            (
                session.files.path(*a).as_str(),
                session.files.path(*b).as_str(),
            )
        })
        .collect();
    assert_eq!(
        pairs,
        [("a.rs", "b.rs"), ("a.rs", "c.rs"), ("b.rs", "c.rs")]
    );
    assert_eq!(session.accesses.len(), 4);
}

#[test]
fn a_prompt_told_twice_before_anything_was_done_is_one() {
    let prompts = |story: &str| told(story).prompts.len();
    assert_eq!(prompts("prompt go on; prompt go on; read a.rs"), 1);
    assert_eq!(prompts("prompt go on; read a.rs; prompt go on"), 2);
}

#[test]
fn what_is_said_of_a_session_afterwards_does_not_move_it() {
    let session = told("edit a.rs; wait 3600s; validated passed; subtask x passed");
    assert_eq!(session.first_at, session.last_at);
    assert!(session.last_at.is_some());
}

#[test]
fn an_error_remembers_what_made_it_go_away() {
    let session =
        told("run cargo test = 101: error: no such thing; edit src/a.rs; run cargo test = 0");
    let error = session.errors.values().next().unwrap();
    let resolution = error.resolution.as_ref().unwrap();
    assert_eq!(resolution.step, 3);
    let Solution::Edits(files) = &resolution.solution else {
        panic!("{resolution:?}")
    };
    assert_eq!(session.files.path(files[0]).as_str(), "src/a.rs");
}

#[test]
fn another_command_can_be_the_answer() {
    let session = told(
        "run pytest tests/a.py = 127: zsh: command not found: pytest; run python -m pytest tests/a.py = 0: 1 passed in 0.1s",
    );
    let error = session.errors.values().next().unwrap();
    assert_eq!(
        error.resolution.as_ref().unwrap().solution,
        Solution::Command("python -m pytest tests/a.py".to_owned())
    );
}

#[test]
fn a_command_in_between_can_be_what_was_missing() {
    let solution = |story: &str| {
        let session = told(story);
        let error = session.errors.values().next().unwrap();
        error.resolution.as_ref().unwrap().solution.clone()
    };
    let error = "run pytest = 1: ModuleNotFoundError: No module named 'yaml'";
    assert_eq!(
        solution(&format!(
            "{error}; run pip install pyyaml = 0; run ls = 0; run pytest = 0: 1 passed in 0.1s"
        )),
        Solution::First("pip install pyyaml".to_owned())
    );
    // Of two different things nobody knows which it was.
    assert_eq!(
        solution(&format!(
            "{error}; run pip install pyyaml = 0; run make db = 0; run pytest = 0: 1 passed in 0.1s"
        )),
        Solution::Later
    );
    assert_eq!(
        solution(&format!(
            "run pip install pyyaml = 0; {error}; run pytest = 0: 1 passed in 0.1s"
        )),
        Solution::Again
    );
}

#[test]
fn a_session_out_of_hand_is_told_by_its_first_errors_and_the_number_of_the_others() {
    for (failures, kept, left_out) in [(512, 512, 0), (513, 512, 1), (600, 512, 88)] {
        let story = format!("repeat {failures} run shop = 1: error: no such shelf: `q{{n}}z`");
        let session = told(&story);
        assert_eq!(session.errors.len(), kept);
        assert_eq!(session.errors_left_out(), left_out, "{failures}");
    }
}

#[test]
fn how_late_a_command_may_end_an_error_depends_on_how_much_it_is_the_same() {
    let instead = |command: &str| Solution::Command(command.to_owned());
    for (looks, passing, expected) in [
        // Twenty steps for the same call in another form, five for one about something else.
        (19, "shop add a.rs --new", instead("shop add a.rs --new")),
        (20, "shop add a.rs --new", Solution::Later),
        (
            4,
            "shop add a.rs all of.rs",
            instead("shop add a.rs all of.rs"),
        ),
        (5, "shop add a.rs all of.rs", Solution::Later),
    ] {
        let story = format!(
            "run shop add a.rs = 1: error: no such shelf: `a`; repeat {looks} read b.rs; run {passing} = 0"
        );
        let session = told(&story);
        let error = session.errors.values().next().unwrap();
        let end = error.resolution.as_ref().map(|end| end.solution.clone());
        assert_eq!(end, Some(expected), "{looks} looks, {passing}");
    }
}

#[test]
fn what_the_shell_could_not_read_is_no_error_of_the_project() {
    for output in [
        "(eval):1: parse error near `)'",
        "zsh: no matches found: src/*.x",
    ] {
        let session = told(&format!("run git commit -m x = 1: Exit code 1\\n{output}"));
        assert!(session.errors.is_empty(), "{output}");
    }
    let session = told("run foo = 127: zsh: command not found: foo");
    assert_eq!(session.errors.len(), 1);
}

#[test]
fn an_error_that_comes_back_is_open_again() {
    let session = told("run make = 2: error: no rule; run make = 0; run make = 2: error: no rule");
    assert_eq!(session.errors.values().next().unwrap().resolution, None);
}

#[test]
fn a_search_without_result_is_no_error() {
    assert!(
        told("run grep -rn foo src = 1; run rg foo = 1")
            .errors
            .is_empty()
    );
}

#[test]
fn reading_through_the_shell_is_reading() {
    let session = told(
        "run cat src/a.rs && sed -n '1,5p' src/b.rs = 0; run rg -n parse src = 0; run rg parse = 0",
    );
    let names: Vec<&str> = session
        .files
        .iter()
        .map(|(_, file)| file.path.as_str())
        .collect();
    assert_eq!(names, ["src/a.rs", "src/b.rs"]);
    assert_eq!(session.greps["parse"].count, 2);
}

#[test]
fn outside_text_marks_what_comes_after_it() {
    let session = told(
        "read a.rs; fetch https://example.org/x?y=1 = ok; read b.rs; mcp linear get_issue = ok; read /etc/hosts; paste long",
    );
    assert!(session.taint_after(2).is_clean());
    let labels: Vec<String> = session
        .taint_after(6)
        .sources()
        .map(OutsideText::label)
        .collect();
    assert_eq!(labels, ["web", "mcp:linear", "outside_file", "pasted"]);
}

#[test]
fn outside_text_marks_whatever_way_it_came_and_however_the_call_ended() {
    for story in [
        "run curl -s https://example.org/install.sh = 0",
        "run curl -s https://example.org/install.sh = 6: could not resolve",
        "run cat /etc/hosts = 0",
        "fetch https://example.org = error: 404",
        "mcp linear get_issue = error: no such issue",
        "read node_modules/left-pad/README.md",
        "task look around = ok",
    ] {
        let session = told(&format!("{story}; read a.rs"));
        assert!(!session.taint_after(session.step).is_clean(), "{story}");
    }
}

#[test]
fn what_is_said_or_fails_right_after_outside_text_is_marked() {
    for story in [
        "read src/a.rs; fetch https://x.y = ok; say I was wrong about the port. In a.rs it is 8080, not 80.",
        "mcp evil query = error: Error: cannot open table users; mcp evil query = error: Error: cannot open table users; edit src/a.rs",
    ] {
        let session = told(story);
        let signals = crate::detect::detect(&session, &crate::detect::Norms::default());
        let marked = signals.iter().filter(|signal| !signal.taint.is_clean());
        assert!(marked.count() > 0, "{story}");
    }
}

#[test]
fn our_own_server_leaves_no_mark() {
    assert!(
        told("mcp oldhand search_memory = ok; read a.rs")
            .taint_after(99)
            .is_clean()
    );
}

#[test]
fn a_subagent_whose_doings_are_told_leaves_the_marks_of_what_it_did() {
    let told = events("as scout: read b.rs; task look around = ok; read a.rs");
    let [_, back, _] = &told[..] else {
        unreachable!("three things happened");
    };
    let Happening::ToolReturned(Return { id, call, .. }) = &back.what else {
        unreachable!("a story tells ends of calls");
    };
    let (id, call) = (id.clone(), call.clone());
    let asked = Event::new(told[0].at, Happening::ToolCalled { id, call });
    let mut story = vec![asked];
    story.extend(told);
    let session = fold(&story, &FoldOptions::default());
    assert!(session.taint_after(99).is_clean());
    // What one agent did alone says nothing of the others.
    story.retain(|event| event.agent.is_none());
    let alone = FoldOptions {
        subagents: Subagents::Elsewhere,
        ..FoldOptions::default()
    };
    assert!(fold(&story, &alone).taint_after(99).is_clean());
    assert!(
        !fold(&story, &FoldOptions::default())
            .taint_after(99)
            .is_clean()
    );
}

#[test]
fn a_server_of_ours_that_fails_is_no_error_of_the_project() {
    let story = "mcp SERVER search_memory = failed: Error: cannot open the database";
    for own in OWN_SERVERS {
        assert!(told(&story.replace("SERVER", own)).errors.is_empty());
    }
    assert!(!told(&story.replace("SERVER", "linear")).errors.is_empty());
}

#[test]
fn a_trusted_server_leaves_no_mark() {
    let options = FoldOptions::trusting(["linear".to_owned()]);
    let session = fold(&events("mcp linear get_issue = ok; read a.rs"), &options);
    assert!(session.taint_after(99).is_clean());
}

#[test]
fn co_access_keeps_direction_and_window() {
    let session = told(
        "read a.rs; read b.rs; read a.rs; read c.rs; read d.rs; read e.rs; read f.rs; read g.rs",
    );
    let (a, b) = (FileIdOf("a.rs"), FileIdOf("b.rs"));
    let edge = session.co_access[&(a.of(&session), b.of(&session))];
    assert_eq!((edge.count, edge.forward), (2, 1));
    assert!(
        !session
            .co_access
            .contains_key(&(b.of(&session), FileIdOf("g.rs").of(&session)))
    );
}

struct FileIdOf(&'static str);

impl FileIdOf {
    fn of(&self, session: &SessionAnalytics) -> FileId {
        session
            .files
            .iter()
            .find(|(_, file)| file.path.as_str() == self.0)
            .map(|(id, _)| id)
            .unwrap()
    }
}

#[test]
fn a_clock_that_goes_backwards_does_no_harm() {
    let mut story = events("read a.rs; read b.rs; read c.rs");
    story.reverse();
    let session = fold(&story, &FoldOptions::default());
    assert!(session.first_at < session.last_at);
    assert!(session.dwells.is_empty());
}

#[test]
fn commands_that_change_files_edit_them() {
    let edited = |story: &str| {
        let session = told(story);
        let mut files: Vec<String> = session
            .edited_files()
            .into_iter()
            .map(|file| session.files.path(file).to_string())
            .collect();
        files.extend(
            session
                .unnamed_edits
                .iter()
                .map(|step| format!("step {step}")),
        );
        files.join(" ")
    };
    assert_eq!(edited("run sed -i s/a/b/ src/b.c = 0"), "src/b.c");
    assert_eq!(edited("run git apply fix.patch = 0"), "step 1");
    // What failed alone changed nothing; of several nobody knows.
    assert_eq!(edited("run sed -i s/a/b/ src/b.c = 1: no such file"), "");
    assert_eq!(edited("run git apply fix.patch = 1: does not apply"), "");
    assert_eq!(
        edited("run sed -i s/a/b/ src/b.c && make test = 1: no"),
        "src/b.c"
    );
    // A scratch file leaves nothing behind.
    assert_eq!(
        edited("edit src/a.c; run echo x > try.py = 0; run rm try.py = 0"),
        "src/a.c"
    );
    assert_eq!(edited("read src/a.c; run rm src/a.c = 0"), "src/a.c");
}

#[test]
fn files_that_a_shell_reads_are_those_of_the_project_wherever_it_stands() {
    let read = |cwd: &str, line: &str| -> Vec<String> {
        let start = Start {
            client: "codex".to_owned(),
            session_type: SessionType::Build,
            type_told: false,
            task: None,
            cwd: cwd.to_owned(),
            branch: None,
            work_unit: None,
            planned_steps: None,
        };
        let call = Call::Shell {
            command: BoundedText::head(line, 500),
            reads_outside: false,
            folder: None,
        };
        let id = "c1".to_owned();
        let happened = [
            Happening::SessionStarted(start),
            Happening::ToolCalled { id, call },
        ];
        let at = Timestamp::UNIX_EPOCH;
        let events = happened.map(|what| Event::new(at, what));
        let session = fold(&events, &FoldOptions::default());
        let read = session.files.iter().filter(|(_, file)| file.reads > 0);
        read.map(|(_, file)| file.path.to_string()).collect()
    };
    for line in [
        r"powershell -Command 'Get-Content -Path web\a.ts -Encoding UTF8'",
        r"powershell -Command 'Set-Location d:\work\shop\web; gc .\a.ts'",
        r"cmd /c 'type D:\work\shop\web\a.ts'",
        "cat web/a.ts",
    ] {
        assert_eq!(read(r"D:\work\shop", line), ["web/a.ts"], "{line}");
    }
    for line in [
        "cd web && cat a.ts",
        "cat /home/dev/shop/web/a.ts",
        "cd /home/dev/shop/.claude/worktrees/fix && cat web/a.ts",
        "cd .worktrees/fix/web && cat a.ts",
        "cat /home/dev/shop/.claude/worktrees/fix/web/a.ts",
        "bash -c 'cd docs && make'; cat web/a.ts",
        "cat web/a.ts; (cd docs && make); cat b.ts",
    ] {
        assert_eq!(read("/home/dev/shop", line), ["web/a.ts"], "{line}");
    }
    let line = r"powershell -Command '$p=''web\a.ts''; $p=''D:\other\b.ts''; gc $p'";
    assert_eq!(read(r"D:\work\shop", &line.replace("''", r"'\''")), [""; 0]);
    let other = r"powershell -Command 'gc D:\work\other\a.ts'";
    assert_eq!(read(r"D:\work\shop", other), [""; 0]);
    assert_eq!(read("/home/dev/shop", "cd ../other && cat a.ts"), [""; 0]);
}
