//! Files that SQLite wrote, read with and without it.

use std::path::PathBuf;

use oldhand_testkit::Dice;
use rusqlite::types::Value;
use rusqlite::{Connection, params};
use tempfile::TempDir;

use super::*;

struct Written {
    folder: TempDir,
    connection: Connection,
}

impl Written {
    /// Rows of all lengths, many of which were deleted or made longer since.
    fn new(page_size: u32, rows: i64) -> Self {
        let folder = TempDir::new().unwrap();
        let connection = Connection::open(folder.path().join("any.db")).unwrap();
        let tables = format!(
            "pragma page_size = {page_size};
            create table numbered (number integer primary key, name text, share real, bytes blob);
            create index numbered_by_name on numbered (name);
            create table named (owner integer, name text, body text, primary key (owner, name)) without rowid;
            create table empty (number integer primary key);"
        );
        connection.execute_batch(&tables).unwrap();
        let mut dice = Dice::new(7);
        let transaction = connection.unchecked_transaction().unwrap();
        for number in 1..=rows {
            let name = format!(
                "{} {}",
                dice.below(rows as u64 / 3 + 1),
                "x".repeat(dice.below(9) as usize)
            );
            let long = [3, 40, 700, 9_000][(dice.below(40) as usize).min(3)];
            let (share, bytes) = (number as f64 / 4.0, vec![number as u8; long]);
            let values = params![number * 3 - rows, name, share, bytes];
            transaction
                .execute("insert into numbered values (?1, ?2, ?3, ?4)", values)
                .unwrap();
            let values = params![number % 40 - 20, name, "y".repeat(long)];
            transaction
                .execute("insert or replace into named values (?1, ?2, ?3)", values)
                .unwrap();
        }
        transaction
            .execute("delete from numbered where number % 4 = 0", [])
            .unwrap();
        transaction
            .execute(
                "update named set body = body || body where owner % 3 = 0",
                [],
            )
            .unwrap();
        transaction
            .execute("alter table numbered add column later text", [])
            .unwrap();
        transaction.commit().unwrap();
        Self { folder, connection }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("any.db")
    }

    fn root(&self, name: &str) -> u32 {
        let sql = "select rootpage from sqlite_schema where name = ?1";
        self.connection
            .query_row(sql, [name], |row| row.get(0))
            .unwrap()
    }

    /// What SQLite answers, all columns of each row.
    fn ask(&self, sql: &str, values: impl rusqlite::Params) -> Vec<Vec<Value>> {
        let mut statement = self.connection.prepare(sql).unwrap();
        let columns = statement.column_count();
        let rows = statement.query_map(values, |row| (0..columns).map(|at| row.get(at)).collect());
        rows.unwrap().map(Result::unwrap).collect()
    }
}

/// The values of a record, with the number of its row where it has one.
fn values(record: &Record, columns: usize) -> Vec<Value> {
    let value = |column| record.value(column).unwrap().try_into().unwrap();
    (0..columns).map(value).collect()
}

/// Numbers that are whole are stored so.
fn alike(told: &[Value], truth: &[Value]) -> bool {
    told.len() == truth.len()
        && told.iter().zip(truth).all(|pair| match pair {
            (Value::Integer(told), Value::Real(truth)) => (*told as f64).total_cmp(truth).is_eq(),
            (told, truth) => told == truth,
        })
}

#[test]
fn what_sqlite_wrote_is_read_alike() {
    for (page_size, rows) in [(512, 400), (4_096, 3_000), (65_536, 3_000), (4_096, 3)] {
        let written = Written::new(page_size, rows);
        let pages = Pages::open(&written.path()).unwrap();
        let table = written.root("numbered");
        for number in (-rows - 5..2 * rows + 5).step_by(2) {
            let truth = written.ask(
                "select null, name, share, bytes, later from numbered where number = ?1",
                [number],
            );
            let told = pages.row(table, number).unwrap();
            assert_eq!(
                told.is_some(),
                !truth.is_empty(),
                "{page_size}: row {number}"
            );
            if let Some(told) = told {
                assert!(
                    alike(&values(&told, 5), &truth[0]),
                    "{page_size}: row {number}"
                );
            }
        }
        let highest = written.ask("select max(number) from numbered", []);
        let told = pages.highest(table).unwrap().map(Value::Integer);
        assert_eq!(told.as_ref(), Some(&highest[0][0]));
        let (index, named) = (written.root("numbered_by_name"), written.root("named"));
        for name in written.ask(
            "select distinct name from named union select '5' union select 'z'",
            [],
        ) {
            let [Value::Text(name)] = &name[..] else {
                panic!("{name:?}")
            };
            let truth = written.ask(
                "select name, number from numbered where name = ?1 order by number",
                [name],
            );
            let told = pages.entries(index, Key::Text(name)).unwrap();
            assert!(
                told.iter().map(|entry| values(entry, 2)).eq(truth),
                "{page_size}: {name}"
            );
            assert!(told.iter().all(|entry| entry.last() == entry.integer(1)));
        }
        for owner in -22..=22 {
            let truth = written.ask(
                "select owner, name, body from named where owner = ?1 order by name",
                [owner],
            );
            let told = pages.entries(named, Key::Number(owner)).unwrap();
            assert!(
                told.iter().map(|entry| values(entry, 3)).eq(truth),
                "{page_size}: {owner}"
            );
        }
        let truth = written.ask(
            "select null, name, share, bytes, later from numbered order by number",
            [],
        );
        let told = pages.all(table).unwrap();
        assert_eq!(told.len(), truth.len());
        assert!(
            told.iter()
                .zip(&truth)
                .all(|(told, truth)| alike(&values(told, 5), truth))
        );
        let truth = written.ask(
            "select owner, name, body from named order by owner, name",
            [],
        );
        assert!(
            pages
                .all(named)
                .unwrap()
                .iter()
                .map(|entry| values(entry, 3))
                .eq(truth)
        );
        let empty = written.root("empty");
        assert_eq!(pages.highest(empty), Ok(None));
        assert!(pages.row(empty, 1).unwrap().is_none());
        assert!(pages.all(empty).unwrap().is_empty());
    }
}

#[test]
fn a_tree_of_the_wrong_kind_is_no_answer() {
    let written = Written::new(4_096, 300);
    let pages = Pages::open(&written.path()).unwrap();
    assert!(pages.row(written.root("named"), 1).is_err());
    assert!(pages.highest(written.root("named")).is_err());
    assert!(
        pages
            .entries(written.root("numbered"), Key::Number(1))
            .is_err()
    );
    for nowhere in [0, pages.number + 1, u32::MAX] {
        assert!(pages.row(nowhere, 1).is_err());
        assert!(pages.all(nowhere).is_err());
    }
}

#[test]
fn no_damage_stops_or_holds_up_who_reads() {
    let written = Written::new(512, 200);
    let roots = ["numbered", "numbered_by_name", "named"].map(|name| written.root(name));
    let sound = std::fs::read(written.path()).unwrap();
    let path = written.folder.path().join("damaged.db");
    let mut dice = Dice::new(11);
    for _ in 0..150 {
        let mut bytes = sound.clone();
        for _ in 0..=dice.below(20) {
            let at = dice.below(bytes.len() as u64) as usize;
            bytes[at] = dice.below(256) as u8;
        }
        // Where pages lead and how many cells they have is in their first bytes.
        for _ in 0..=dice.below(20) {
            let page = dice.below(bytes.len() as u64 / 512) as usize;
            bytes[page * 512 + dice.below(16) as usize] = dice.below(256) as u8;
        }
        if dice.below(4) == 0 {
            bytes.truncate(dice.below(bytes.len() as u64) as usize);
        }
        std::fs::write(&path, bytes).unwrap();
        let Ok(pages) = Pages::open(&path) else {
            continue;
        };
        for root in roots {
            for number in [-200, 0, 1, 100, 399] {
                let _ = pages.row(root, number);
                let _ = pages.entries(root, Key::Number(number));
            }
            let _ = pages.entries(root, Key::Text("5 x"));
            let _ = pages.highest(root);
            let _ = pages.all(root);
        }
        let _ = pages.all(SCHEMA);
    }
}

#[test]
fn what_is_no_plain_database_is_left_to_sqlite() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("other");
    assert!(Pages::open(&path).is_err());
    for bytes in [&b""[..], b"SQLite format 3\0", &[7; 4_096]] {
        std::fs::write(&path, bytes).unwrap();
        assert!(Pages::open(&path).is_err());
    }
    std::fs::remove_file(&path).unwrap();
    let wide = Connection::open(&path).unwrap();
    wide.execute_batch("pragma encoding = 'UTF-16'; create table one (name text)")
        .unwrap();
    assert!(Pages::open(&path).is_err());
}

/// A file of pages of 512 bytes, made by hand. The first is an empty schema; the others are what is given.
fn by_hand(folder: &TempDir, pages: &[Vec<u8>]) -> Pages {
    let mut bytes = vec![0; 512];
    bytes[..16].copy_from_slice(MARK);
    bytes[16..18].copy_from_slice(&512_u16.to_be_bytes());
    bytes[59] = 1;
    bytes[HEAD] = 13;
    for page in pages {
        bytes.extend(page);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    let path = folder.path().join("by-hand.db");
    std::fs::write(&path, bytes).unwrap();
    Pages::open(&path).unwrap()
}

/// A leaf of a table whose cells are all the same one: row 1, a record with these bytes, and the page on which it goes on.
fn leaf(cells: u16, size: &[u8], record: &[u8], next: u32) -> Vec<u8> {
    let cell = [size, &[1], record, &next.to_be_bytes()].concat();
    let at = 512 - cell.len() as u16;
    let mut page = vec![13, 0, 0];
    page.extend(cells.to_be_bytes());
    page.resize(8, 0);
    (0..cells).for_each(|_| page.extend(at.to_be_bytes()));
    page.resize(usize::from(at), 0);
    page.extend(cell);
    page
}

/// A page of a table that leads to `child` so many times, and behind them once more.
fn inner(cells: u16, child: u32) -> Vec<u8> {
    let mut page = vec![5, 0, 0];
    page.extend(cells.to_be_bytes());
    page.resize(8, 0);
    page.extend(child.to_be_bytes());
    (0..cells).for_each(|_| page.extend(500_u16.to_be_bytes()));
    page.resize(500, 0);
    page.extend(child.to_be_bytes());
    page.push(1);
    page
}

/// A record of one text.
fn record(text: &str) -> Vec<u8> {
    [&[2, 13 + 2 * text.len() as u8], text.as_bytes()].concat()
}

#[test]
fn pages_made_by_hand_are_read_while_they_are_sound() {
    let folder = TempDir::new().unwrap();
    let one = record("one");
    let pages = by_hand(&folder, &[inner(1, 3), leaf(1, &[5], &one, 0)]);
    assert_eq!(pages.row(2, 1).unwrap().unwrap().text(0), Ok("one"));
    let pages = by_hand(&folder, &[leaf(2, &[5], &one, 0)]);
    assert_eq!(pages.all(2).unwrap().len(), 2);
    assert_eq!(pages.highest(2), Ok(Some(1)));
}

#[test]
fn no_way_is_endless() {
    let folder = TempDir::new().unwrap();
    let one = record("one");
    let circle = by_hand(&folder, &[inner(1, 2)]);
    assert_eq!(circle.row(2, 1).err(), Some(Untold));
    assert_eq!(circle.highest(2), Err(Untold));
    assert_eq!(circle.all(2).err(), Some(Untold));
    let often = by_hand(&folder, &[inner(90, 3), leaf(1, &[5], &one, 0)]);
    assert_eq!(
        often.all(2).err(),
        Some(Untold),
        "more pages than there are"
    );
    let mut deep: Vec<Vec<u8>> = (3..40).map(|next| inner(1, next)).collect();
    deep.push(leaf(1, &[5], &one, 0));
    let deep = by_hand(&folder, &deep);
    assert_eq!(deep.row(2, 1).err(), Some(Untold));
    assert_eq!(deep.row(30, 1).unwrap().unwrap().text(0), Ok("one"));
    assert_eq!(deep.all(2).err(), Some(Untold));
}

#[test]
fn no_more_is_taken_than_the_file_holds() {
    let folder = TempDir::new().unwrap();
    let long = record(&"x".repeat(50));
    let often = by_hand(&folder, &[leaf(40, &[52], &long, 0)]);
    assert_eq!(
        often.all(2).err(),
        Some(Untold),
        "one cell named forty times"
    );
    let mut tiny = leaf(200, &[1], &[1], 0);
    tiny.resize(512, 0);
    let tiny = by_hand(&folder, &[tiny]);
    assert_eq!(tiny.all(2).err(), Some(Untold), "of one byte each");
    // Nine bytes a number: half of all that can be told.
    let vast = [0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    let vast = by_hand(&folder, &[leaf(1, &vast, &[0; 400], 2)]);
    assert_eq!(vast.row(2, 1).err(), Some(Untold));
    let wide = [[&[0x81, 0x01][..], &[0; 127]].concat(), vec![0; 20]].concat();
    let wide = by_hand(&folder, &[leaf(1, &[0x81, 0x15], &wide, 0)]);
    assert_eq!(
        wide.row(2, 1).err(),
        Some(Untold),
        "more columns than any table has"
    );
}

#[test]
fn a_record_ends_where_its_last_value_does() {
    let folder = TempDir::new().unwrap();
    let mut one = record("one");
    one.push(b'!');
    let longer = by_hand(&folder, &[leaf(1, &[6], &one, 0)]);
    assert_eq!(longer.row(2, 1).err(), Some(Untold));
    let shorter = by_hand(&folder, &[leaf(1, &[4], &one, 0)]);
    assert_eq!(shorter.row(2, 1).err(), Some(Untold));
    let empty_below = by_hand(&folder, &[inner(1, 3), leaf(0, &[5], &record("one"), 0)]);
    assert_eq!(empty_below.row(2, 1).err(), Some(Untold));
    assert_eq!(empty_below.row(3, 1).map(|row| row.is_none()), Ok(true));
}
