//! One hundred thousand memories: what opening, reading, listing, searching and saving cost.
//!
//! Budget: a search stays under 15 ms in the middle, opening and reading one memory under 1 ms.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use divan::{Bencher, black_box};
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::port::{MemoryReader, MemoryStore};
use oldhand_domain::text::{Content, Summary};
use oldhand_store::{Mode, SqliteStore};
use tempfile::TempDir;

const MEMORIES: u64 = 100_000;

static HOME: OnceLock<(TempDir, PathBuf)> = OnceLock::new();

/// The database, made when it is first asked for.
fn path() -> &'static Path {
    &HOME.get_or_init(fill).1
}

fn fill() -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a temporary folder can be made");
    let path = folder.path().join("memory.db");
    let store = SqliteStore::open(&path, Mode::Write).expect("a new database opens");
    for start in (0..MEMORIES).step_by(5_000) {
        let batch: Vec<Memory> = (start..start + 5_000).map(memory).collect();
        store
            .change(&mut |_| Ok(batch.clone()))
            .expect("memories can be saved");
    }
    (folder, path)
}

fn main() {
    divan::main();
    // Statics are never dropped, and this one is large.
    if let Some((folder, _)) = HOME.get() {
        std::fs::remove_dir_all(folder.path()).expect("the temporary folder can be removed");
    }
}

fn id(number: u64) -> MemoryId {
    let [time, tail] = [number, scramble(number)];
    format!(
        "019bc0d1-{:04x}-7{:03x}-8000-{:012x}",
        time >> 12,
        time & 0xfff,
        tail >> 16
    )
    .parse()
    .expect("the text has the shape of an id")
}

/// Thirty words, common ones often and rare ones rarely, as in prose.
fn memory(number: u64) -> Memory {
    let mut random = scramble(number);
    let mut words = Vec::new();
    for _ in 0..30 {
        random = scramble(random);
        let uniform = (random >> 11) as f64 / (1_u64 << 53) as f64;
        let rank = 30_000_f64.powf(uniform) as u64;
        words.push(format!("word{}", base26(rank)));
    }
    let content = Content::new(&words.join(" ")).expect("the content is valid");
    let files = [format!("src/m{}/f{}.rs", number % 97, number % 1_009)];
    Memory {
        id: id(number),
        summary: Summary::of(&content),
        content,
        files: files
            .iter()
            .map(|path| path.parse().expect("the path is valid"))
            .collect(),
        tags: [format!("tag{}", base26(number % 50))]
            .iter()
            .map(|tag| tag.parse().expect("the tag is valid"))
            .collect(),
        ..oldhand_testkit::memory(number as u32, BuiltInType::Gotcha, "Replaced.")
    }
}

fn base26(mut number: u64) -> String {
    let mut text = String::new();
    loop {
        text.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return text;
        }
    }
}

const fn scramble(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)).wrapping_add(0x9e37_79b9_7f4a_7c15)
}

fn open(mode: Mode) -> SqliteStore {
    SqliteStore::open(path(), mode).expect("the database opens")
}

fn query(ranks: &str, filter: Filter) -> TextQuery {
    let ranks = ranks.split(' ').filter_map(|rank| rank.parse().ok());
    let words: Vec<String> = ranks.map(|rank| format!("word{}", base26(rank))).collect();
    TextQuery {
        text: words.join(" "),
        filter,
        limit: 10,
    }
}

#[divan::bench]
fn open_to_read(bencher: Bencher<'_, '_>) {
    path();
    bencher.bench(|| open(Mode::Read));
}

#[divan::bench]
fn open_to_read_and_get(bencher: Bencher<'_, '_>) {
    path();
    bencher.bench(|| open(Mode::Read).get(id(4_711)));
}

#[divan::bench]
fn get(bencher: Bencher<'_, '_>) {
    let store = open(Mode::Read);
    bencher.bench(|| store.get(black_box(id(4_711))));
}

#[divan::bench]
fn list_fifty(bencher: Bencher<'_, '_>) {
    let store = open(Mode::Read);
    let filter = Filter {
        limit: Some(50),
        ..Filter::default()
    };
    bencher.bench(|| store.list(black_box(&filter)));
}

#[divan::bench]
fn list_of_a_file(bencher: Bencher<'_, '_>) {
    let store = open(Mode::Read);
    let filter = Filter {
        files: vec!["src/m3/f100.rs".parse().expect("the path is valid")],
        limit: Some(50),
        ..Filter::default()
    };
    bencher.bench(|| store.list(black_box(&filter)));
}

#[divan::bench]
fn count(bencher: Bencher<'_, '_>) {
    let store = open(Mode::Read);
    bencher.bench(|| store.counts());
}

/// Ranks of words: 1 is in most memories, 20 000 in hardly any.
#[divan::bench(args = ["9000", "1 2", "40 700", "1 40 700 9000", "3 9 27 81 243 729 2187 6561"])]
fn search(bencher: Bencher<'_, '_>, ranks: &str) {
    let store = open(Mode::Read);
    let query = query(ranks, Filter::default());
    bencher.bench(|| store.search(black_box(&query)));
}

#[divan::bench]
fn search_in_a_folder(bencher: Bencher<'_, '_>) {
    let store = open(Mode::Read);
    let filter = Filter {
        files: vec!["src/m3".parse().expect("the path is valid")],
        ..Filter::default()
    };
    let query = query("1 40 700", filter);
    bencher.bench(|| store.search(black_box(&query)));
}

#[divan::bench]
fn save(bencher: Bencher<'_, '_>) {
    let store = open(Mode::Write);
    let memory = memory(1);
    bencher.bench(|| store.change(&mut |_| Ok(vec![memory.clone()])));
}

#[divan::bench]
fn touch(bencher: Bencher<'_, '_>) {
    let store = open(Mode::Write);
    let memory = memory(1);
    bencher.bench(|| store.touch(&[memory.id], memory.created_at));
}
