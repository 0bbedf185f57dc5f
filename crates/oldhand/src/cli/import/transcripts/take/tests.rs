//! Imports that are broken off, and what marks of secrets name.

use std::panic::{AssertUnwindSafe, catch_unwind};

use oldhand_store::{Mode, SqliteStore};

use super::super::find::Kin;
use super::*;
use crate::agent::Root;

#[test]
fn a_mark_that_is_cut_or_only_spoken_of_names_no_secret() {
    let text = "[REDACTED:token] a [REDACTED: …] b [REDACTED:kind] c [REDACTED:pass";
    let kinds: Vec<SecretKind> = marked(text).collect();
    assert_eq!(kinds, ["token".parse().unwrap()]);
}

#[test]
fn an_import_of_large_files_that_was_broken_off_reads_none_of_them_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("memory.db"), Mode::Write).unwrap();
    let sessions = Sessions::at(folder.path(), &store);
    let line = format!(
        "{{\"type\":\"summary\",\"summary\":\"{}\"}}\n",
        "x".repeat(1 << 20)
    );
    let transcripts: Vec<Transcript> = (0..3)
        .map(|number| {
            let times = if number == 0 { 65 } else { 1 };
            transcript(folder.path(), number, &line.repeat(times))
        })
        .collect();
    let take = |progress: &dyn Fn(usize)| {
        let now = Timestamp::now();
        let tray = take_all(&transcripts, &sessions, now, &mut Vec::new(), progress);
        (tray.taken, tray.unchanged)
    };
    let broken_off = catch_unwind(AssertUnwindSafe(|| {
        take(&|done| assert!(done < 2, "the power went"))
    }));
    assert!(broken_off.is_err());
    assert_eq!(take(&|_| {}), (2, 1));
}

fn transcript(folder: &Path, number: usize, text: &str) -> Transcript {
    let path = folder.join(format!("{number}.jsonl"));
    fs::write(&path, text).unwrap();
    Transcript {
        path,
        aside: Vec::new(),
        agent: Agent::ClaudeCode,
        kept: Kept::Alone,
        session: SessionId::new(format!("session-{number}")).unwrap(),
        name: format!("session-{number}"),
        root: Root::new("/project"),
        kin: Kin::Own,
        is_aside: false,
        is_named: false,
        is_guest: false,
        started_at: None,
    }
}

#[test]
fn an_import_that_was_broken_off_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("memory.db"), Mode::Write).unwrap();
    let sessions = Sessions::at(folder.path(), &store);
    let transcripts: Vec<Transcript> = (0..NOTED_AFTER + 5)
        .map(|number| transcript(folder.path(), number, "{\"type\":\"summary\"}\n"))
        .collect();
    let take = |progress: &dyn Fn(usize)| {
        let mut skipped = Vec::new();
        let tray = take_all(
            &transcripts,
            &sessions,
            Timestamp::now(),
            &mut skipped,
            progress,
        );
        assert!(skipped.is_empty());
        (tray.taken, tray.unchanged)
    };
    let broken_off = catch_unwind(AssertUnwindSafe(|| {
        take(&|done| assert!(done < NOTED_AFTER + 3, "the power went"))
    }));
    assert!(broken_off.is_err());
    assert_eq!(take(&|_| {}), (5, NOTED_AFTER));
}
