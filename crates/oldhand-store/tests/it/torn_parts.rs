//! A torn table beside the memories costs no memory.

use std::collections::BTreeSet;
use std::fs;

use oldhand_domain::confidence::Confidence;
use oldhand_domain::memory::{Memory, Usage};
use oldhand_domain::relation::{Extraction, Relation, RelationTarget, RelationType};
use oldhand_domain::vocabulary::ReviewReason;
use oldhand_store::{Pace, Repair, RepairReport, SqliteStore, repair};
use rusqlite::Connection;

use crate::fixture::{Home, day, everything, gotcha, save};

const LISTS: [(&str, &str); 6] = [
    ("memory_tag", "tag"),
    ("memory_file", "path"),
    ("memory_module", "module"),
    ("memory_fingerprint", "fingerprint"),
    ("memory_provenance", "session"),
    ("memory_impacted_node", "node"),
];

/// Two with something in every list, and two with nothing in any.
fn four() -> Vec<Memory> {
    let mut memories: Vec<Memory> = (1..=4)
        .map(|number| gotcha(number, &format!("The words of memory {number} stay.")))
        .collect();
    for memory in &mut memories[..2] {
        memory.tags = BTreeSet::from(["slow".parse().unwrap()]);
        memory.files = BTreeSet::from(["src/login.rs".parse().unwrap()]);
        memory.modules = BTreeSet::from(["auth".parse().unwrap()]);
        memory.fingerprints = BTreeSet::from(["e0308".parse().unwrap()]);
        memory.provenance = BTreeSet::from(["s-1".parse().unwrap()]);
        memory.impacted_nodes = BTreeSet::from(["src/main.rs".to_owned()]);
        memory.relations = vec![Relation {
            relation_type: RelationType::Validates,
            target: RelationTarget::File("Cargo.toml".parse().unwrap()),
            confidence: Confidence::clamped(0.5),
            extraction: Extraction::Stated,
        }];
        memory.usage = Usage {
            last_accessed_at: day(3),
            access_count: 7,
        };
    }
    memories
}

/// What the database has, one revision after another.
fn written(home: &Home, memories: &[Memory]) -> Vec<Memory> {
    let store = home.writer();
    save(&store, memories);
    everything(&store)
}

fn root(home: &Home, name: &str) -> usize {
    let connection = Connection::open(home.path()).unwrap();
    connection
        .execute_batch("pragma wal_checkpoint(truncate)")
        .unwrap();
    let sql = "select rootpage from sqlite_schema where name = ?1";
    let page: u32 = connection.query_row(sql, [name], |row| row.get(0)).unwrap();
    page as usize
}

fn zero(home: &Home, page: usize) {
    let mut bytes = fs::read(home.path()).unwrap();
    bytes[(page - 1) * 4096..page * 4096].fill(0);
    fs::write(home.path(), bytes).unwrap();
}

fn mended(home: &Home) -> (RepairReport, SqliteStore) {
    let report = repair(&home.path(), day(1)).unwrap();
    let is_new = matches!(report.done[0], Repair::KeptAside(_));
    assert!(is_new, "{report:?}");
    let store = home.writer();
    assert_eq!(store.check().unwrap(), []);
    (report, store)
}

fn is_lost(step: &Repair) -> bool {
    matches!(
        step,
        Repair::Unreadable { .. }
            | Repair::Quarantined { .. }
            | Repair::Incomplete { .. }
            | Repair::Lacking { .. }
    )
}

#[test]
fn a_torn_list_is_read_from_its_index() {
    for (table, _) in LISTS {
        let home = Home::new();
        let written = written(&home, &four());
        zero(&home, root(&home, table));
        let (report, store) = mended(&home);
        assert!(report.done.contains(&Repair::CarriedOver(4)), "{report:?}");
        assert!(!report.done.iter().any(is_lost), "{report:?}");
        assert_eq!(everything(&store), written, "{table}");
    }
}

#[test]
fn a_list_that_is_gone_keeps_what_had_it_for_a_review_and_changes_nothing_else() {
    for (table, column) in LISTS {
        let home = Home::new();
        let written = written(&home, &four());
        let index = root(&home, &format!("{table}_by_{column}"));
        zero(&home, root(&home, table));
        zero(&home, index);
        let (report, store) = mended(&home);
        let lacks =
            |step: &&Repair| matches!(step, Repair::Lacking { parts, .. } if parts.len() == 1);
        assert_eq!(report.done.iter().filter(lacks).count(), 2, "{report:?}");
        assert!(report.done.contains(&Repair::CarriedOver(2)), "{report:?}");
        let left = everything(&store);
        assert_eq!(left[2..], written[2..], "{table}");
        for (left, was) in left[..2].iter().zip(&written) {
            assert_eq!((&left.content, left.usage), (&was.content, was.usage));
            assert!(left.needs_review && left.revision > was.revision);
            assert_eq!(left.review_reason, Some(ReviewReason::Damaged), "{table}");
        }
    }
}

#[test]
fn what_a_torn_list_took_comes_back_from_the_backup_that_has_the_very_memory() {
    let home = Home::new();
    let mut memories = four();
    let store = home.writer();
    save(&store, &memories);
    store.backup(day(0), Pace::Daily).unwrap().unwrap();
    drop(store);
    memories[1].branch = Some("later".to_owned());
    let written = written(&home, &memories[1..2]);
    zero(&home, root(&home, "memory_relation"));
    let (report, store) = mended(&home);
    let back =
        |step: &&Repair| matches!(step, Repair::PartsFromBackup { id, .. } if *id == written[0].id);
    assert_eq!(report.done.iter().filter(back).count(), 1, "{report:?}");
    let lacks = Repair::Lacking {
        id: written[1].id,
        parts: vec!["relations"],
    };
    assert!(report.done.contains(&lacks), "{report:?}");
    let left = everything(&store);
    assert_eq!(left[0], written[0]);
    assert_eq!(left[1].branch.as_deref(), Some("later"));
    assert!(left[1].needs_review && left[1].relations.is_empty());
}

#[test]
fn a_torn_record_of_use_costs_that_and_nothing_else() {
    let home = Home::new();
    let memories: Vec<Memory> = (1..=600)
        .map(|number| gotcha(number, &format!("The words of memory {number} stay.")))
        .collect();
    written(&home, &memories);
    // The first of its leaves: an inner page has the number of the page below before each key.
    let root = root(&home, "memory_usage");
    let bytes = fs::read(home.path()).unwrap();
    let page = &bytes[(root - 1) * 4096..root * 4096];
    assert_eq!(page[0], 5, "an inner page");
    let cell = usize::from(u16::from_be_bytes([page[12], page[13]]));
    let leaf = u32::from_be_bytes(page[cell..cell + 4].try_into().unwrap());
    zero(&home, leaf as usize);
    let (report, store) = mended(&home);
    assert!(
        report.done.contains(&Repair::CarriedOver(600)),
        "{report:?}"
    );
    let unused =
        |step: &Repair| matches!(step, Repair::UseLost(number) if (1..300).contains(number));
    assert!(report.done.iter().any(unused), "{report:?}");
    assert!(!report.done.iter().any(is_lost), "{report:?}");
    assert_eq!(everything(&store).len(), 600);
}
