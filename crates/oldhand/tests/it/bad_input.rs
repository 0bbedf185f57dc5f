//! What people and disks do wrong: a clear message, the next step, the right exit code, nothing lost.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Command;

use oldhand_domain::port::MemoryStore as _;
use oldhand_store::{Mode, SqliteStore};
use oldhand_testkit::Sandbox;

use crate::{assert_transcript, database, sandbox, taught};

#[test]
fn input_that_is_not_text_is_refused_with_its_place() {
    let bytes = b"fine\nnot \xff fine";
    assert_transcript!(sandbox().oldhand(["remember", "-"]).stdin(*bytes));
    let sandbox = sandbox();
    sandbox.write("rules.md", bytes);
    let import = sandbox.oldhand(["import", "rules", "rules.md", "--yes"]);
    assert_transcript!(import);
}

#[test]
fn a_database_from_a_newer_version_is_left_alone() {
    let sandbox = taught();
    let path = database(&sandbox);
    let mut file = File::options().write(true).open(&path).unwrap();
    // Where SQLite keeps the version of the tables.
    file.seek(SeekFrom::Start(60)).unwrap();
    file.write_all(&999_u32.to_be_bytes()).unwrap();
    drop(file);
    let before = fs::read(&path).unwrap();
    for arguments in [&["search", "x"][..], &["remember", "The cache is shared."]] {
        let outcome = sandbox.oldhand(arguments).run();
        assert_eq!(outcome.code, Some(2), "{outcome}");
        assert!(
            outcome.stderr.contains("newer Oldhand (schema 999"),
            "{outcome}"
        );
        assert!(outcome.stderr.contains("hint: update Oldhand"), "{outcome}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_corrupt_database_is_told_in_words_and_as_json() {
    let sandbox = taught();
    fs::write(
        database(&sandbox),
        "this is not a database, but a note to self",
    )
    .unwrap();
    for command in ["list", "status", "export"] {
        let outcome = sandbox.oldhand([command]).run();
        assert_eq!(outcome.code, Some(2), "{outcome}");
    }
    assert_transcript!(sandbox.oldhand(["search", "x"]));
    assert_transcript!(sandbox.oldhand(["remember", "The cache is shared.", "--json"]));
}

#[test]
fn an_empty_file_in_place_of_the_database_is_no_loss_to_hide() {
    let sandbox = taught();
    let path = database(&sandbox);
    File::create(&path).unwrap();
    let outcome = sandbox.oldhand(["list", "--type", "gotcha"]).run();
    assert_ne!(outcome.code, Some(0), "{outcome}");
}

#[test]
fn who_finds_the_database_locked_reads_at_once_and_writes_when_it_is_free() {
    let sandbox = taught();
    let store = SqliteStore::open(&database(&sandbox), Mode::Write).unwrap();
    let remember = ["remember", "Port 8080 is taken by the proxy."];
    let mut waiting = None;
    store
        .change(&mut |_| {
            assert_eq!(
                sandbox.oldhand(["search", "migrations"]).run().code,
                Some(0)
            );
            waiting = Some(sandbox.oldhand(remember).spawn());
            std::thread::sleep(std::time::Duration::from_millis(300));
            Ok(Vec::new())
        })
        .unwrap();
    let output = waiting.unwrap().wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(sandbox.oldhand(["search", "proxy"]).run().code, Some(0));
}

#[test]
fn a_damaged_list_of_projects_is_told_and_kept() {
    let sandbox = taught();
    let path = sandbox.home().join("projects.toml");
    fs::write(&path, "version = 1\n[[project]]\nname = \n").unwrap();
    assert_transcript!(sandbox.oldhand(["remember", "The cache is shared."]));
    assert!(fs::read_to_string(&path).unwrap().ends_with("name = \n"));
}

#[test]
fn a_clock_that_is_no_time_is_refused() {
    assert_transcript!(sandbox().oldhand(["list"]).at("yesterday"));
}

/// A file system of its own for a test; ended when dropped. Only an administrator can have one.
struct Disk(tempfile::TempDir);

impl Disk {
    fn new(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let options = format!("size={size}");
        let mounted = mount(
            &["-t", "tmpfs", "-o", &options, "oldhand-test"],
            folder.path(),
        );
        mounted.then(|| Self(folder))
    }

    fn fill(&self) {
        let filler = self.0.path().join("filler");
        let mut file = File::options()
            .create(true)
            .append(true)
            .open(filler)
            .expect("a full disk can still hold an empty file");
        for size in [65_536, 64] {
            let block = vec![0_u8; size];
            while file.write_all(&block).is_ok() {}
        }
    }

    fn empty(&self) {
        fs::remove_file(self.0.path().join("filler")).expect("the disk was filled before");
    }

    fn remount(&self, how: &str) {
        let options = format!("remount,{how}");
        assert!(mount(&["-o", &options], self.0.path()));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let ended = Command::new("umount").arg("-l").arg(self.0.path()).status();
        assert!(ended.is_ok_and(|status| status.success()));
    }
}

fn mount(arguments: &[&str], folder: &Path) -> bool {
    let run = Command::new("mount").args(arguments).arg(folder).output();
    run.is_ok_and(|output| output.status.success())
}

fn taught_on(disk: &Disk) -> Sandbox {
    let sandbox = Sandbox::inside(disk.0.path(), env!("CARGO_BIN_EXE_oldhand"));
    for text in ["The cache is shared.", "Run migrations before the tests."] {
        sandbox.oldhand(["remember", text]).run().success();
    }
    sandbox
}

#[test]
fn on_a_read_only_disk_everything_can_still_be_read() {
    let Some(disk) = Disk::new("64m") else {
        return;
    };
    let sandbox = taught_on(&disk);
    disk.remount("ro");
    assert_eq!(sandbox.oldhand(["search", "cache"]).run().code, Some(0));
    assert_eq!(
        sandbox.oldhand(["export"]).run().success().lines().count(),
        2
    );
    assert_eq!(sandbox.oldhand(["status"]).run().code, Some(0));
    let outcome = sandbox.oldhand(["remember", "Port 8080 is taken."]).run();
    disk.remount("rw");
    assert_eq!(outcome.code, Some(2), "{outcome}");
    assert!(outcome.stderr.contains("cannot be written"), "{outcome}");
    assert!(
        outcome.stderr.contains("hint: reading still works"),
        "{outcome}"
    );
    assert_eq!(sandbox.oldhand(["doctor"]).run().code, Some(0));
}

#[test]
fn on_a_read_only_disk_code_that_was_never_read_is_asked_about() {
    let Some(disk) = Disk::new("64m") else {
        return;
    };
    let sandbox = Sandbox::inside(disk.0.path(), env!("CARGO_BIN_EXE_oldhand"));
    sandbox.write("src/till.py", "def pay():\n    return 1\n");
    let ask = |known: &str| {
        disk.remount("ro");
        let asked = sandbox.oldhand(["where", "pay"]).run();
        let kept = sandbox.oldhand(["reindex"]).run();
        disk.remount("rw");
        assert!(asked.stdout.contains("src/till.py:1"), "{known}: {asked}");
        let told = "cannot be written: what is read for this answer is not kept";
        assert!(asked.stderr.contains(told), "{known}: {asked}");
        assert_eq!(kept.code, Some(2), "{known}: {kept}");
    };
    ask("not a known project");
    assert!(!sandbox.home().join("projects.toml").exists());
    let remember = ["remember", "The cache is shared."];
    sandbox.oldhand(remember).run().success();
    ask("a known project");
}

#[test]
fn on_a_read_only_disk_code_that_changed_is_asked_about_as_it_was_read() {
    let Some(disk) = Disk::new("64m") else {
        return;
    };
    let sandbox = Sandbox::inside(disk.0.path(), env!("CARGO_BIN_EXE_oldhand"));
    sandbox.write("src/till.py", "def pay_the_bill():\n    return 1\n");
    let remember = ["remember", "The cache is shared."];
    sandbox.oldhand(remember).run().success();
    let questions = [
        ["search", "--code", "pay the bill"],
        ["context", "--file", "src/till.py"],
    ];
    let ask = |question: [&str; 3]| {
        sandbox
            .oldhand([&question[..], &["pay the bill"]].concat())
            .run()
    };
    sandbox.oldhand(questions[0]).run().success();
    sandbox.write("src/other.py", "def refund():\n    return 2\n");
    disk.remount("ro");
    let searched = sandbox.oldhand(questions[0]).run();
    let weighed = ask(questions[1]);
    disk.remount("rw");
    assert!(searched.stdout.contains("src/till.py"), "{searched}");
    assert!(
        searched.stderr.contains("does not know 1 change"),
        "{searched}"
    );
    assert_ne!(weighed.code, Some(2), "{weighed}");
}

#[test]
fn on_a_full_disk_nothing_is_lost_and_forgetting_works() {
    let Some(disk) = Disk::new("48m") else {
        return;
    };
    let sandbox = taught_on(&disk);
    disk.fill();
    let id = crate::id_of(&sandbox, "cache");
    let forget = ["forget", &id, "--now", "--yes"];
    sandbox.oldhand(forget).run().success();
    let mut acknowledged = 1;
    // What is kept in reserve may carry a write or two; then the disk is really full.
    let refusal = (0..10).find_map(|n| {
        disk.fill();
        let text = format!("Service {n} listens on port {}.", 20_000 + n);
        let outcome = sandbox.oldhand(["remember", &text]).run();
        let refused = outcome.code != Some(0);
        acknowledged += usize::from(!refused);
        refused.then_some(outcome)
    });
    let outcome = refusal.expect("a full disk takes no more");
    assert_eq!(outcome.code, Some(2), "{outcome}");
    assert!(outcome.stderr.contains("the disk is full"), "{outcome}");
    assert!(
        outcome.stderr.contains("hint: free some space"),
        "{outcome}"
    );
    let exported = sandbox.oldhand(["export"]).run().success();
    assert_eq!(exported.lines().count(), acknowledged);
    disk.empty();
    assert_eq!(sandbox.oldhand(["search", "cache"]).run().code, Some(1));
    assert_eq!(
        sandbox.oldhand(["search", "migrations"]).run().code,
        Some(0)
    );
    assert_eq!(sandbox.oldhand(["doctor"]).run().code, Some(0));
}

#[test]
fn on_a_full_disk_an_import_says_that_it_was_not_done_and_goes_on_later() {
    let Some(disk) = Disk::new("48m") else {
        return;
    };
    let sandbox = taught_on(&disk);
    let root = sandbox.project().canonicalize().expect("it is there");
    let import = ["import", "transcripts", "../transcripts"];
    // What is kept in reserve may carry one or two of them.
    let refusal = (0..10).find_map(|n| {
        let prompt = serde_json::json!({
            "type": "user", "sessionId": format!("session-{n}"), "cwd": root, "timestamp": "2026-01-05T10:00:00Z",
            "message": {"role": "user", "content": "tidy the shelves"},
        });
        sandbox.write(&format!("../transcripts/{n}.jsonl"), format!("{prompt}\n"));
        disk.fill();
        let outcome = sandbox.oldhand(import).run();
        (outcome.code != Some(0)).then_some(outcome)
    });
    let outcome = refusal.expect("a full disk takes no more");
    assert_eq!(outcome.code, Some(2), "{outcome}");
    assert!(outcome.stderr.contains("the disk is full"), "{outcome}");
    disk.empty();
    let outcome = sandbox.oldhand(import).run();
    assert!(outcome.stdout.contains("1 transcript read"), "{outcome}");
}

#[test]
fn on_a_full_disk_the_code_is_still_known_and_the_graph_stays_whole() {
    let Some(disk) = Disk::new("48m") else {
        return;
    };
    let sandbox = taught_on(&disk);
    let code = |more: &str| format!("export function first() {{ return 1 }}\n{more}");
    sandbox.write("src/a.ts", code(""));
    sandbox.oldhand(["where", "first"]).run().success();
    sandbox.write("src/a.ts", code("export function second() { first() }\n"));
    disk.fill();
    for question in [["where", "first"], ["outline", "src/a.ts"]] {
        let outcome = sandbox.oldhand(question).run();
        assert_eq!(outcome.code, Some(0), "{outcome}");
        assert!(
            outcome.stderr.contains("does not know 1 change"),
            "{outcome}"
        );
        assert!(outcome.stderr.contains("No space left"), "{outcome}");
    }
    disk.empty();
    let outcome = sandbox.oldhand(["refs", "first"]).run();
    assert!(outcome.stdout.contains("src/a.ts"), "{outcome}");
    assert_eq!(sandbox.oldhand(["doctor"]).run().code, Some(0));
}

#[test]
fn a_command_that_is_not_complete_is_told_as_json() {
    let outcome = sandbox().oldhand(["--json", "import"]).run();
    assert_eq!(outcome.code, Some(2), "{outcome}");
    let said = r#""error":"the command is not complete""#;
    assert!(outcome.stderr.contains(said), "{outcome}");
}

#[test]
fn a_long_query_is_not_said_back_whole() {
    let outcome = sandbox().oldhand(["search", &"word ".repeat(20_000)]).run();
    assert_eq!(outcome.code, Some(1), "{outcome}");
    assert!(outcome.stderr.len() < 200, "{}", outcome.stderr.len());
}

#[test]
fn a_home_that_is_not_there_is_told_where_a_person_reads() {
    let sandbox = sandbox();
    let gone = sandbox.root().join("hoem");
    let ask = |arguments: &[&str]| {
        let asked = sandbox.oldhand(arguments).env("OLDHAND_HOME", &gone);
        asked.run().stderr
    };
    let told = "hoem, which does not exist: nothing is known there";
    for arguments in [
        &["status"][..],
        &["list"],
        &["search", "cache"],
        &["show", "12345678"],
    ] {
        let said = ask(arguments);
        assert!(said.contains(told), "{arguments:?}: {said}");
    }
    for arguments in [&["hook", "claude-code"][..], &["version"]] {
        let said = ask(arguments);
        assert!(!said.contains(told), "{arguments:?}: {said}");
    }
    assert!(!ask(&["remember", "The cache is shared."]).contains(told));
    assert!(!ask(&["list"]).contains(told));
}
