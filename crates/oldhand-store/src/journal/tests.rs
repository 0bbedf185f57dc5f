//! What a journal keeps, whatever happens to its file.

use oldhand_domain::event::{BoundedText, Happening};

use super::*;

fn prompt(text: &str) -> Event {
    let text = BoundedText::head(text, 200);
    Event {
        at: Timestamp::UNIX_EPOCH,
        agent: None,
        what: Happening::Prompt {
            text,
            pasted: false,
            answers: false,
        },
    }
}

fn session() -> SessionId {
    SessionId::new("s:1").unwrap()
}

fn journals() -> (tempfile::TempDir, Journals) {
    let folder = tempfile::tempdir().unwrap();
    let journals = Journals::new(folder.path().join("journal"));
    (folder, journals)
}

#[test]
fn events_come_back_in_order() {
    let (_folder, journals) = journals();
    assert_eq!(journals.read(&session()).unwrap(), Replay::default());
    journals.append(&session(), &[prompt("one")]).unwrap();
    journals
        .append(&session(), &[prompt("two"), prompt("three")])
        .unwrap();
    let replay = journals.read(&session()).unwrap();
    assert_eq!(
        replay,
        Replay {
            events: vec![prompt("one"), prompt("two"), prompt("three")],
            bad_lines: 0
        }
    );
    assert_eq!(journals.list().unwrap()[0].session, session());
    journals.remove(&session()).unwrap();
    journals.remove(&session()).unwrap();
    assert!(journals.list().unwrap().is_empty());
}

#[test]
fn a_journal_that_grows_is_read_twice_as_it_was_first_seen() {
    let (_folder, journals) = journals();
    assert_eq!(journals.length(&session()), None);
    journals.append(&session(), &[prompt("one")]).unwrap();
    let length = journals.length(&session()).unwrap();
    let read = |journals: &Journals| {
        let mut events = Vec::new();
        let reading = journals.each_until(&session(), length, |event| events.push(event));
        (events, reading.unwrap())
    };
    let first = read(&journals);
    journals.append(&session(), &[prompt("two")]).unwrap();
    assert_eq!(read(&journals), first);
    assert_eq!(first.0, [prompt("one")]);
}

#[test]
fn a_replaced_journal_is_whole_or_the_old_one() {
    let (_folder, journals) = journals();
    journals.append(&session(), &[prompt("old")]).unwrap();
    let old = journals.each(&session(), drop).unwrap().digest;
    let failed = journals.replace(&session(), Timestamp::UNIX_EPOCH, |write| {
        write(&prompt("new"))?;
        Err(io::Error::other("the source broke off"))
    });
    assert!(failed.is_err());
    assert_eq!(journals.each(&session(), drop).unwrap().digest, old);
    for _ in 0..2 {
        journals
            .replace(&session(), Timestamp::UNIX_EPOCH, |write| {
                write(&prompt("new"))
            })
            .unwrap();
    }
    assert_eq!(journals.read(&session()).unwrap().events, [prompt("new")]);
    assert_ne!(journals.each(&session(), drop).unwrap().digest, old);
    assert_eq!(journals.list().unwrap().len(), 1);
}

#[test]
fn a_torn_line_takes_no_other_with_it() {
    let (_folder, journals) = journals();
    journals.append(&session(), &[prompt("one")]).unwrap();
    let path = journals.path(&session());
    let whole = fs::read(&path).unwrap();
    for cut in 1..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        journals.append(&session(), &[prompt("two")]).unwrap();
        let replay = journals.read(&session()).unwrap();
        assert_eq!(replay.events.last(), Some(&prompt("two")), "cut at {cut}");
        // Cut before its newline only, the first line is still whole.
        assert_eq!(replay.events.len() + replay.bad_lines, 2, "cut at {cut}");
    }
}

#[test]
fn garbage_is_counted_and_never_held_in_memory() {
    let (_folder, journals) = journals();
    journals.append(&session(), &[prompt("one")]).unwrap();
    let mut file = OpenOptions::new()
        .append(true)
        .open(journals.path(&session()))
        .unwrap();
    file.write_all(&vec![b'x'; 3 * LINE_LIMIT]).unwrap();
    file.write_all(b"\n\xff\xfe\n\n{\"event\":\"unheard_of\"}\n")
        .unwrap();
    journals.append(&session(), &[prompt("two")]).unwrap();
    let replay = journals.read(&session()).unwrap();
    assert_eq!(
        replay,
        Replay {
            events: vec![prompt("one"), prompt("two")],
            bad_lines: 3
        }
    );
}

#[test]
fn a_journal_that_did_not_change_need_not_be_read() {
    let (_folder, journals) = journals();
    assert_eq!(journals.began_at(&session()).unwrap(), None);
    journals.append(&session(), &[prompt("one")]).unwrap();
    assert_eq!(
        journals.began_at(&session()).unwrap(),
        Some(Timestamp::UNIX_EPOCH)
    );
    let digest = journals.each(&session(), drop).unwrap().digest.unwrap();
    let file = journals.list().unwrap().remove(0);
    let later = Timestamp::try_from(file.modified).unwrap();
    assert!(!file.may_differ(&digest, later));
    assert!(
        file.may_differ(&digest, Timestamp::UNIX_EPOCH),
        "it was written since"
    );
    journals.append(&session(), &[prompt("two")]).unwrap();
    let grown = journals.list().unwrap().remove(0);
    assert!(grown.may_differ(&digest, Timestamp::MAX));
}

#[test]
fn a_session_is_over_when_its_end_is_the_last_that_happened() {
    let (_folder, journals) = journals();
    let is_ended = || journals.is_ended(&session()).unwrap();
    let end = Event::new(
        Timestamp::UNIX_EPOCH,
        Happening::SessionEnded { reason: None },
    );
    let found = Event::new(
        Timestamp::UNIX_EPOCH,
        Happening::Delivered { fences: Vec::new() },
    );
    assert!(!is_ended());
    for n in 0..300 {
        journals
            .append(&session(), &[prompt(&n.to_string())])
            .unwrap();
    }
    assert!(!is_ended());
    journals.append(&session(), &[end.clone(), found]).unwrap();
    assert!(is_ended());
    journals.append(&session(), &[prompt("on we go")]).unwrap();
    assert!(!is_ended(), "it was resumed");
}

#[test]
fn parallel_writers_interleave_by_whole_lines() {
    let (_folder, journals) = journals();
    let long = "x".repeat(180);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    journals.append(&session(), &[prompt(&long)]).unwrap();
                }
            });
        }
    });
    let replay = journals.read(&session()).unwrap();
    assert_eq!((replay.events.len(), replay.bad_lines), (400, 0));
}

#[cfg(unix)]
#[test]
fn journals_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, journals) = journals();
    journals.append(&session(), &[prompt("one")]).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode(&journals.path(&session())), mode(&journals.folder)),
        (0o600, 0o700)
    );
}
