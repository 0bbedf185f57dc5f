//! Disks that are full, read-only or lose power. They need the right to mount; without it, each test says
//! that it did not run.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "mounting takes commands, and a test that cannot run here must say so"
)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use oldhand_domain::error::StoreError;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::port::{MemoryReader, MemoryStore};
use oldhand_store::{Mode, SqliteStore};

use crate::fixture::{Home, Noise, everything, gotcha, ids, save};
use crate::processes::{acknowledgement, start_writer};

/// A file system of its own, gone with the value.
struct Mounted {
    place: PathBuf,
}

impl Mounted {
    /// `None`, after saying why, where mounting is not possible.
    fn new(place: &Path, arguments: &[&str]) -> Option<Self> {
        fs::create_dir_all(place).unwrap();
        run("mount", arguments, place).then(|| Self {
            place: place.to_owned(),
        })
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        run("umount", &["-l"], &self.place);
    }
}

fn run(program: &str, arguments: &[&str], place: &Path) -> bool {
    let output = Command::new(program).args(arguments).arg(place).output();
    match output {
        Ok(output) if output.status.success() => true,
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr);
            eprintln!("skipped: {program} does not work here: {}", why.trim());
            false
        }
        Err(error) => {
            eprintln!("skipped: {program} does not start here: {error}");
            false
        }
    }
}

fn long(number: u32) -> Memory {
    let text = "A memory long enough to fill a disk with not too many of its kind. ".repeat(25);
    gotcha(number, &format!("{text} {number}"))
}

/// Saves batches until the disk is full.
fn fill(store: &SqliteStore, batches: impl Iterator<Item = (u32, u32)>, saved: &mut Vec<MemoryId>) {
    for (start, count) in batches {
        let batch: Vec<Memory> = (start..start + count).map(long).collect();
        match store.change(&mut |_| Ok(batch.clone())) {
            Ok(()) => saved.extend(ids(&batch)),
            Err(StoreError::DiskFull { .. }) => return,
            Err(error) => panic!("{error:?}"),
        }
    }
    panic!("the disk never got full");
}

#[test]
fn a_full_disk_can_still_be_read_deleted_from_and_erased_from() {
    let home = Home::new();
    let place = home.folder().join("small");
    let options = ["-t", "tmpfs", "-o", "size=12m,mode=700", "tmpfs"];
    let Some(_disk) = Mounted::new(&place, &options) else {
        return;
    };
    let path = place.join("memory.db");
    let store = SqliteStore::open(&path, Mode::Write).unwrap();
    let mut saved = Vec::new();
    // The last bytes go to a file of somebody else, and what is left of the log is used up one by one.
    fill(
        &store,
        (1..4_000).step_by(20).map(|start| (start, 20)),
        &mut saved,
    );
    let _ = fs::write(place.join("other"), vec![7; 32 << 20]);
    fill(&store, (4_000..8_000).map(|start| (start, 1)), &mut saved);
    assert!(place.join("memory.db-ballast").exists());

    assert_eq!(ids(&everything(&store)), saved);
    let doomed: Vec<Memory> = everything(&store)
        .into_iter()
        .take(100)
        .map(|memory| Memory {
            deleted_since: Some(memory.created_at),
            ..memory
        })
        .collect();
    store.change(&mut |_| Ok(doomed.clone())).unwrap();
    assert!(!store.get(saved[99]).unwrap().unwrap().is_live());
    assert!(!place.join("memory.db-ballast").exists());
    drop(store);

    let reader = SqliteStore::open(&path, Mode::Read).unwrap();
    assert_eq!(everything(&reader).len(), saved.len());
    drop(reader);
    let store = SqliteStore::open(&path, Mode::Write).unwrap();
    assert_eq!(store.erase(&saved[..20]).unwrap(), 20);
    assert_eq!(store.check().unwrap(), []);
    assert_eq!(ids(&everything(&store)), saved[20..]);
    save(&store, &[gotcha(9_999, "Room again.")]);
}

#[test]
fn a_full_disk_without_any_file_open_can_still_be_deleted_from() {
    let home = Home::new();
    let place = home.folder().join("small");
    let options = ["-t", "tmpfs", "-o", "size=12m,mode=700", "tmpfs"];
    let Some(_disk) = Mounted::new(&place, &options) else {
        return;
    };
    let path = place.join("memory.db");
    let store = SqliteStore::open(&path, Mode::Write).unwrap();
    save(&store, &(1..=50).map(long).collect::<Vec<Memory>>());
    drop(store);
    let _ = fs::write(place.join("other"), vec![7; 32 << 20]);
    let reader = SqliteStore::open(&path, Mode::Read).unwrap();
    assert_eq!(everything(&reader).len(), 50);
    drop(reader);
    let store = SqliteStore::open(&path, Mode::Write).unwrap();
    assert_eq!(store.erase(&[long(1).id]).unwrap(), 1);
    assert_eq!(everything(&store).len(), 49);
}

#[test]
fn a_read_only_mount_can_be_read_whatever_lies_there() {
    let home = Home::new();
    let place = home.folder().join("read-only");
    for leftover in ["nothing", "a log and its index", "a log without its index"] {
        let inside = home.folder().join(leftover);
        fs::create_dir_all(&inside).unwrap();
        let path = inside.join("memory.db");
        let store = SqliteStore::open(&path, Mode::Write).unwrap();
        save(
            &store,
            &[
                gotcha(1, "The cache is cold."),
                gotcha(2, "The cache is warm."),
            ],
        );
        if leftover == "nothing" {
            drop(store);
        } else {
            // As after a kill: the log stays.
            let copy = home.folder().join("copy");
            fs::create_dir_all(&copy).unwrap();
            for file in ["memory.db", "memory.db-wal", "memory.db-shm"] {
                fs::copy(inside.join(file), copy.join(file)).unwrap();
            }
            drop(store);
            for file in ["memory.db", "memory.db-wal", "memory.db-shm"] {
                fs::rename(copy.join(file), inside.join(file)).unwrap();
            }
        }
        if leftover == "a log without its index" {
            fs::remove_file(inside.join("memory.db-shm")).unwrap();
        }
        let Some(_mount) = Mounted::new(&place, &["--bind", inside.to_str().unwrap()]) else {
            return;
        };
        if !run("mount", &["-o", "remount,ro,bind"], &place) {
            return;
        }
        let path = place.join("memory.db");
        let reader = SqliteStore::open(&path, Mode::Read)
            .unwrap_or_else(|error| panic!("{leftover}: {error}"));
        assert_eq!(everything(&reader).len(), 2, "{leftover}");
        drop(reader);
        let refused = SqliteStore::open(&path, Mode::Write).err();
        assert!(
            matches!(refused, Some(StoreError::ReadOnly { .. })),
            "{leftover}: {refused:?}"
        );
    }
}

#[test]
fn a_power_cut_takes_nothing_that_was_acknowledged() {
    let home = Home::new();
    let image = home.folder().join("disk");
    fs::File::create(&image).unwrap().set_len(48 << 20).unwrap();
    if !run("mkfs.ext4", &["-q", "-F"], &image) {
        return;
    }
    let place = home.folder().join("mounted");
    let mut noise = Noise(3);
    let mut promised = Vec::new();
    for round in 0..4 {
        let Some(disk) = Mounted::new(&place, &["-o", "loop", image.to_str().unwrap()]) else {
            return;
        };
        let path = place.join("memory.db");
        let store = SqliteStore::open(&path, Mode::Write).unwrap();
        let lost = |number: &&u32| store.get(gotcha(**number, "x").id).unwrap().is_none();
        let lost: Vec<&u32> = promised.iter().filter(lost).collect();
        assert!(lost.is_empty(), "{lost:?} of {}", promised.len());
        assert_eq!(store.check().unwrap(), []);
        drop(store);
        let mut writer = start_writer(&path, 1 + round * 10_000, 10_000);
        let acknowledged = Arc::new(Mutex::new(Vec::new()));
        let listener = thread::spawn({
            let lines = BufReader::new(writer.stdout.take().unwrap()).lines();
            let acknowledged = Arc::clone(&acknowledged);
            move || {
                for line in lines.map_while(Result::ok) {
                    acknowledged.lock().unwrap().extend(acknowledgement(&line));
                }
            }
        });
        thread::sleep(Duration::from_millis(300 + noise.below(300)));
        // The writer lives on in a dead disk for a moment, and may be told there that all is well: what counts
        // is what it said before the plug was pulled.
        let cut = cut_power(&place, || {
            promised.extend(acknowledged.lock().unwrap().iter());
        });
        writer.kill().unwrap();
        writer.wait().unwrap();
        listener.join().unwrap();
        drop(disk);
        if !cut {
            return;
        }
    }
    assert!(!promised.is_empty());
}

/// Ends the file system without writing anything more, as when the plug is pulled. `last` is run just before.
fn cut_power(place: &Path, last: impl FnOnce()) -> bool {
    const SCRIPT: &str = "import fcntl, os, struct, sys
disk = os.open(sys.argv[1], os.O_RDONLY)
print('ready', flush=True)
sys.stdin.readline()
fcntl.ioctl(disk, 0x8004587D, struct.pack('I', 2))";
    let started = Command::new("python3")
        .args(["-c", SCRIPT])
        .arg(place)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut plug) = started else {
        eprintln!("skipped: python3 does not start here");
        return false;
    };
    let mut ready = String::new();
    let mut lines = BufReader::new(plug.stdout.take().unwrap());
    lines.read_line(&mut ready).unwrap();
    last();
    drop(plug.stdin.take());
    let pulled = plug.wait().unwrap().success();
    if !pulled {
        eprintln!("skipped: this file system cannot be cut off");
    }
    pulled
}
