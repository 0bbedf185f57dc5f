//! Fills a database with memories: `fill DATABASE COUNT`. For benchmarks that need more than is quick to write one by one.

use std::path::Path;
use std::process::ExitCode;

use oldhand_domain::payload::BuiltInType;
use oldhand_domain::port::MemoryStore;
use oldhand_store::{Mode, SqliteStore};
use oldhand_testkit::{Dice, memory};

const BATCH: u32 = 5_000;
const WORDS: usize = 25;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database, count] = arguments.as_slice() else {
        return ExitCode::from(2);
    };
    let count: u32 = count.parse().expect("COUNT is a number");
    let store = SqliteStore::open(Path::new(database), Mode::Write).expect("the database opens");
    let mut dice = Dice::new(u64::from(count));
    for start in (0..count).step_by(BATCH as usize) {
        let end = count.min(start + BATCH);
        let batch: Vec<_> = (start..end)
            .map(|number| memory(number, BuiltInType::Gotcha, &dice.prose(WORDS)))
            .collect();
        store
            .change(&mut |_| Ok(batch.clone()))
            .expect("the memories can be saved");
    }
    ExitCode::SUCCESS
}
