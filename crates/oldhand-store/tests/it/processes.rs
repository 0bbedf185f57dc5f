//! Many processes at once, and processes that are killed.

#![expect(
    clippy::disallowed_methods,
    reason = "these tests are about processes: they start themselves again as writers"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, thread};

use oldhand_domain::error::StoreError;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::port::{MemoryReader, MemoryStore};
use oldhand_store::{Mode, SqliteStore};

use crate::fixture::{Home, Noise, everything, gotcha, save};

const DATABASE: &str = "OLDHAND_WRITER_DATABASE";
const FIRST: &str = "OLDHAND_WRITER_FIRST";
const COUNT: &str = "OLDHAND_WRITER_COUNT";
const ACKNOWLEDGED: &str = "acknowledged ";

/// What each writer process runs: it saves memories one by one and says so after each. Run by itself it
/// writes a few into a home of its own.
#[test]
fn a_writer_says_what_it_has_saved() {
    // A killed process cannot clean up, so it is not given anything to.
    let given = env::var_os(DATABASE).map(PathBuf::from);
    let own = given.is_none().then(Home::new);
    let path = given.or(own.as_ref().map(Home::path)).unwrap();
    let number = |name: &str| {
        env::var(name)
            .ok()
            .and_then(|text| text.parse::<u32>().ok())
    };
    let first = number(FIRST).unwrap_or(1);
    let count = number(COUNT).unwrap_or(3);
    let store = SqliteStore::open(&path, Mode::Write).unwrap();
    for number in first..first + count {
        save(&store, &[gotcha(number, &words(number))]);
        // Past the harness, which holds back what tests print.
        writeln!(std::io::stdout().lock(), "{ACKNOWLEDGED}{number}.").unwrap();
    }
    assert!(store.get(gotcha(first, "x").id).unwrap().is_some());
}

fn words(number: u32) -> String {
    format!("Process and turn are told by the number {number}, and nothing else.")
}

/// Starts a writer of `count` memories from number `first` on.
pub(crate) fn start_writer(database: &Path, first: u32, count: u32) -> Child {
    Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "processes::a_writer_says_what_it_has_saved",
            "--nocapture",
        ])
        .env(DATABASE, database)
        .env(FIRST, first.to_string())
        .env(COUNT, count.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a writer acknowledged, after its end.
fn acknowledged(writer: &mut Child) -> Vec<u32> {
    let lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    lines
        .map_while(Result::ok)
        .filter_map(|line| acknowledgement(&line))
        .collect()
}

/// The number in a line of a writer. The end of a killed process may cut its last line in two.
pub(crate) fn acknowledgement(line: &str) -> Option<u32> {
    let (_, number) = line.split_once(ACKNOWLEDGED)?;
    number.strip_suffix('.')?.parse().ok()
}

fn id(number: u32) -> MemoryId {
    gotcha(number, "x").id
}

#[test]
fn twenty_processes_write_at_once_and_none_loses_or_refuses_anything() {
    let home = Home::new();
    let writers: Vec<Child> = (0..20)
        .map(|n| start_writer(&home.path(), 1 + n * 100, 10))
        .collect();
    let reader = thread::spawn({
        let path = home.path();
        move || read_until_full(&path)
    });
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let store = home.writer();
    let memories = everything(&store);
    assert_eq!(memories.len(), 200);
    assert_eq!(store.check().unwrap(), []);
    assert_eq!(reader.join().unwrap(), 200);
}

/// Reads while others write, until there is nothing more to come; every look must be sound.
fn read_until_full(path: &Path) -> usize {
    for _ in 0..20_000 {
        thread::sleep(Duration::from_millis(5));
        let Ok(store) = SqliteStore::open(path, Mode::Read) else {
            // Not made yet.
            continue;
        };
        let count = everything(&store).len();
        if count == 200 {
            return count;
        }
    }
    0
}

#[test]
fn a_database_can_be_made_by_many_at_once_and_read_meanwhile() {
    for _ in 0..6 {
        let home = Home::new();
        let openers: Vec<_> = [
            Mode::Write,
            Mode::Read,
            Mode::Write,
            Mode::Read,
            Mode::Write,
        ]
        .map(|mode| {
            let path = home.path();
            thread::spawn(move || {
                for _ in 0..15 {
                    match SqliteStore::open(&path, mode) {
                        Ok(store) => assert_eq!(everything(&store), []),
                        // Not made yet.
                        Err(StoreError::Backend { .. }) if mode == Mode::Read => {}
                        Err(error) => panic!("{mode:?}: {error:?}"),
                    }
                }
            })
        })
        .into();
        for opener in openers {
            opener.join().unwrap();
        }
    }
}

#[test]
fn changes_of_many_processes_to_one_memory_all_count() {
    let home = Home::new();
    let store = home.writer();
    save(&store, &[gotcha(1, "Counted.")]);
    let adders: Vec<_> = (0..4)
        .map(|_| {
            let path = home.path();
            thread::spawn(move || {
                let store = SqliteStore::open(&path, Mode::Write).unwrap();
                for _ in 0..10 {
                    let add = &mut |reader: &dyn MemoryReader| {
                        let mut memory = reader.get(id(1))?.unwrap();
                        memory.usage.access_count += 1;
                        Ok(vec![memory])
                    };
                    store.change(add).unwrap();
                    store.touch(&[id(1)], gotcha(9, "x").created_at).unwrap();
                }
            })
        })
        .collect();
    for adder in adders {
        adder.join().unwrap();
    }
    let memory = store.get(id(1)).unwrap().unwrap();
    assert_eq!((memory.usage.access_count, memory.revision), (80, 41));
}

#[test]
fn a_killed_writer_loses_nothing_it_acknowledged() {
    const KILLS: u32 = 40;
    let home = Home::new();
    let mut noise = Noise(11);
    let mut promised: Vec<u32> = Vec::new();
    for round in 0..KILLS {
        let mut writer = start_writer(&home.path(), 1 + round * 1_000, 1_000);
        thread::sleep(Duration::from_millis(20 + noise.below(120)));
        writer.kill().unwrap();
        writer.wait().unwrap();
        promised.extend(acknowledged(&mut writer));
        if round % 8 == 7 {
            let store = home.writer();
            assert_eq!(store.found_at_open(), []);
        }
    }
    assert!(promised.len() > KILLS as usize, "{}", promised.len());
    let store = home.writer();
    for number in &promised {
        let memory: Memory = store.get(id(*number)).unwrap().unwrap();
        assert_eq!(memory.content.as_str(), words(*number));
    }
    // At most the memory being acknowledged when the kill came is there without a word.
    let saved = everything(&store).len();
    assert!(
        saved <= promised.len() + KILLS as usize,
        "{saved} of {}",
        promised.len()
    );
    assert_eq!(store.check().unwrap(), []);
}
