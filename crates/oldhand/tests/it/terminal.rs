//! What a terminal, a pipe and Ctrl-C see.

use oldhand_testkit::Sandbox;

use crate::{sandbox, taught};

const ESCAPE: char = '\u{1b}';

fn listed(sandbox: &Sandbox, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let all = ["list"].iter().chain(arguments);
    let invocation = sandbox.oldhand(all);
    let invocation = variables
        .iter()
        .fold(invocation, |invocation, (name, value)| {
            invocation.env(name, value)
        });
    invocation.run().success()
}

#[test]
fn colours_are_for_terminals_or_for_who_asks() {
    let sandbox = taught();
    assert!(!listed(&sandbox, &[], &[]).contains(ESCAPE));
    assert!(listed(&sandbox, &["--color", "always"], &[]).contains(ESCAPE));
    assert!(listed(&sandbox, &[], &[("OLDHAND_OUTPUT_COLOR", "always")]).contains(ESCAPE));
    assert!(!listed(&sandbox, &["--json", "--color", "always"], &[]).contains(ESCAPE));
}

#[test]
fn nothing_is_wider_than_80_columns() {
    let sandbox = sandbox();
    for text in [
        "The parser keeps a stack of open brackets, and every closing bracket must match the one on top of it.",
        "設定ファイルはプロジェクトのルートに置く必要があります。環境変数よりも優先順位が低いので注意してください。",
        &"unbroken".repeat(30),
    ] {
        sandbox
            .oldhand(["remember", text, "--tag", "parser"])
            .run()
            .success();
    }
    for command in ["list", "search"] {
        let arguments: &[&str] = match command {
            "list" => &["list"],
            _ => &["search", "parser", "--explain"],
        };
        let shown = sandbox.oldhand(arguments).run().success();
        for line in shown.lines() {
            assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
        }
    }
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    let sandbox = taught();
    for command in [&["export"][..], &["completions", "bash"]] {
        let mut child = sandbox.oldhand(command).spawn();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interruption_says_what_stays_and_leaves_nothing_half_written() {
    let sandbox = taught();
    let mut child = sandbox.oldhand(["import", "json", "-"]).spawn();
    let pipe = child.stdin.take();
    let pid = child.id().to_string();
    let caught = || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let mask = status
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))
            .unwrap();
        u64::from_str_radix(mask.trim(), 16).unwrap() & 0b10 != 0
    };
    let ready = (0..1000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        caught()
    });
    assert!(ready, "the handler was never set");
    let sent = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status()
        .unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    drop(pipe);
    assert_eq!(output.status.code(), Some(130));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(
        words.contains("interrupted: what was imported so far stays"),
        "{words}"
    );
    assert_eq!(sandbox.oldhand(["doctor"]).run().code, Some(0));
}

#[test]
fn who_waits_for_another_process_is_told() {
    let sandbox = taught();
    let lock = crate::database(&sandbox).with_file_name("backups/lock");
    let lock = std::fs::File::open(lock).unwrap();
    lock.lock().unwrap();
    let mut child = sandbox.oldhand(["backup"]).spawn();
    let stderr = child.stderr.take().expect("standard error is piped");
    let mut words = String::new();
    // Ends with the first line, or with the process.
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stderr), &mut words).unwrap();
    drop(lock);
    let output = child.wait_with_output().unwrap();
    assert_eq!(words, "note: waiting for another process…\n");
    assert_eq!(output.status.code(), Some(0));
}

/// A command in a terminal of its own, which `script` makes. `None` where there is no `script`, and nothing to try.
#[cfg(target_os = "linux")]
pub(crate) fn in_terminal(
    sandbox: &Sandbox,
    arguments: &str,
    editor: &str,
) -> Option<std::process::Child> {
    let script = std::process::Command::new("script")
        .arg("--version")
        .output();
    script.ok()?;
    let shell = Sandbox::with_folder("script");
    let command = format!("{} {arguments}", env!("CARGO_BIN_EXE_oldhand"));
    let child = shell
        .oldhand(["-qec", &command, "/dev/null"])
        .env("OLDHAND_HOME", sandbox.home())
        .env("OLDHAND_EDITOR", editor)
        .inside(sandbox.project())
        .spawn();
    Some(child)
}

#[cfg(target_os = "linux")]
#[test]
fn an_edit_keeps_only_what_was_changed_and_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = taught();
    let id = crate::id_of(&sandbox, "migrations");
    let short = &id[id.len() - 8..];
    let edit = |editor: &str| {
        let child = in_terminal(&sandbox, &format!("edit {id}"), editor)?;
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let folder = sandbox.home().join("edit");
    let Some(shown) = edit("false") else { return };
    assert!(!shown.contains("your text is kept"), "{shown}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);

    sandbox.write("editor", "#!/bin/sh\necho more >> \"$1\"\nexit 1\n");
    let editor = sandbox.project().join("editor");
    let program = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&editor, program).unwrap();
    let shown = edit(&editor.to_string_lossy()).expect("there is a terminal");
    assert!(shown.contains("your text is kept"), "{shown}");
    let copy = folder.join(format!("{short}.txt"));
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&copy)), (0o700, 0o600));

    let doctor = sandbox.oldhand(["doctor"]).run().success();
    assert!(doctor.contains("1 edited text left in"), "{doctor}");
    sandbox
        .oldhand(["forget", &id, "--now", "--yes"])
        .run()
        .success();
    assert!(!copy.exists());
}

#[cfg(target_os = "linux")]
#[test]
fn an_interruption_ends_a_question_at_once() {
    use std::io::{Read as _, Write as _};
    let sandbox = sandbox();
    sandbox.write("AGENTS.md", "Always run the linter before committing.\n");
    let Some(mut child) = in_terminal(&sandbox, "import rules", "true") else {
        return;
    };
    let mut terminal = child.stdout.take().expect("standard output is piped");
    let mut keys = child.stdin.take().expect("standard input is piped");
    let mut shown = Vec::new();
    let mut byte = [0];
    while !shown.ends_with(b"[y/N] ") && terminal.read(&mut byte).unwrap() == 1 {
        shown.push(byte[0]);
    }
    let ctrl_c = [3];
    keys.write_all(&ctrl_c).unwrap();
    keys.flush().unwrap();
    let mut rest = String::new();
    terminal.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
    assert!(rest.contains("interrupted: "), "{rest}");
}

#[cfg(unix)]
#[test]
fn an_answer_stands_above_the_words_about_it() {
    let sandbox = taught();
    let arguments = "list --limit 1";
    let script = format!("{} {arguments} 2>&1", env!("CARGO_BIN_EXE_oldhand"));
    let shell = Sandbox::with_folder("sh");
    let both = shell
        .oldhand(["-c", &script])
        .env("OLDHAND_HOME", sandbox.home())
        .inside(sandbox.project())
        .run()
        .success();
    let answer = both.find("I prefer small commits").expect("the answer");
    let hint = both.find("hint: there are more").expect("the hint");
    assert!(answer < hint, "{both}");
}

/// Else the next file that is opened takes the place of what is closed, and whoever prints writes into it.
#[test]
#[cfg(unix)]
fn whoever_starts_it_with_closed_hands_harms_nothing() {
    let sandbox = taught();
    let run = |line: &str| {
        let line = format!("\"$0\" {line}");
        let mut shell = sandbox.command("sh");
        let shell = shell
            .args(["-c", &line, env!("CARGO_BIN_EXE_oldhand")])
            .env("OLDHAND_HOME", sandbox.home())
            .current_dir(sandbox.project());
        shell.status().unwrap().code()
    };
    for (closed, text) in [
        ("0<&-", "Closed: the parser keeps a stack."),
        (">&-", "Closed: migrations run by hand."),
        ("2>&-", "Closed: fonts are bought."),
        ("0<&- >&- 2>&-", "Closed: the queue is drained at night."),
    ] {
        assert_eq!(
            run(&format!("search commits {closed}")),
            Some(0),
            "{closed}"
        );
        assert_eq!(
            run(&format!("remember '{text}' {closed}")),
            Some(0),
            "{closed}"
        );
    }
    let looked = sandbox.oldhand(["doctor"]).run().words();
    assert!(looked.contains("ok database"), "{looked}");
    let listed = sandbox.oldhand(["list"]).run().success();
    assert_eq!(listed.matches("Closed: ").count(), 4, "{listed}");
    if std::path::Path::new("/dev/full").exists() {
        assert_eq!(run("list >/dev/full 2>/dev/null"), Some(2));
        assert_eq!(
            run("remember 'Closed: answers are.' >/dev/full 2>said"),
            Some(2)
        );
        let said = std::fs::read_to_string(sandbox.project().join("said")).unwrap();
        assert!(said.contains("could not print the answer: "), "{said}");
        assert!(said.contains("what was to be done is done"), "{said}");
        let listed = sandbox.oldhand(["list"]).run().success();
        assert!(listed.contains("Closed: answers are."), "{listed}");
        // Nothing is done yet where it is said what will be.
        assert_eq!(run("up --no-open --port 0 >/dev/full 2>said"), Some(2));
        let said = std::fs::read_to_string(sandbox.project().join("said")).unwrap();
        assert!(
            said.contains("hint: look where standard output goes"),
            "{said}"
        );
        assert!(!said.contains("is done"), "{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_could_not_be_asked_is_not_said_to_be_done() {
    let sandbox = sandbox();
    let old = ["remember", "Old: the queue is drained at night."];
    let old = sandbox.oldhand(old).at("2024-01-01T09:00:00Z");
    old.run().success();
    let Some(child) = in_terminal(&sandbox, "prune >/dev/full", "true") else {
        return;
    };
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("could not print the answer"), "{said}");
    assert!(said.contains("look where standard output goes"), "{said}");
    assert!(!said.contains("is done"), "{said}");
    let listed = sandbox.oldhand(["list"]).run().success();
    assert!(listed.contains("Old: "), "{listed}");
}
