//! A database of every schema there ever was: it opens, is brought up to date, and answers the same.
//!
//! The file of a new schema is made by this test, which then fails once: look at the file and commit it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use oldhand_domain::confidence::Confidence;
use oldhand_domain::filter::{Filter, TextQuery};
use oldhand_domain::memory::{Chunk, ChunkType, CommitSha, Flag, Mark, Memory};
use oldhand_domain::payload::{Calibration, DeadEnd, Payload};
use oldhand_domain::port::{MemoryReader, MemoryStore};
use oldhand_domain::relation::{Extraction, Relation, RelationTarget, RelationType};
use oldhand_domain::session::{SessionRecord, SessionStore};
use oldhand_domain::taint::{OutsideText, Taint};
use oldhand_domain::vocabulary::{Correction, FlaggedBy, Scope, Source, Visibility};
use oldhand_domain::work_unit::WorkUnit;
use oldhand_store::{Mode, SqliteStore};

use crate::fixture::{Home, everything, gotcha};

/// How many schemas there have been.
const SCHEMAS: u32 = 5;
const MODULE_MAP: &str = r#"{"modules":["auth"]}"#;

/// What every frozen database holds. A field that a later schema adds has here what a migration gives it.
fn memories() -> Vec<Memory> {
    let since = gotcha(50, "x").created_at;
    let mark = |reason: &str| {
        Some(Mark {
            since,
            reason: reason.to_owned(),
        })
    };
    let mut reviewed = gotcha(2, "Never mock the clock in `getUserById`.");
    reviewed.payload = Payload::DeadEnd(DeadEnd {
        tried: "mock the clock".to_owned(),
        why_it_failed: "the library reads it natively".to_owned(),
        used_instead: None,
        task_context: Some("tests".to_owned()),
    });
    // When the first of these files was made, a review did not count as a use.
    let usage = reviewed.usage;
    reviewed.verify(since);
    reviewed.usage = usage;
    let full = Memory {
        payload: Payload::TaskCalibration(Calibration {
            module: "auth".parse().unwrap(),
            methodology: "native".to_owned(),
            mean_actual_steps: 10.0 / 3.0,
            mean_planned_steps: 0.1 + 0.2,
            samples: 7,
        }),
        citation: "auth/login.rs".parse().ok(),
        confidence: Confidence::clamped(1.0 / 3.0),
        tags: BTreeSet::from(["slow".parse().unwrap(), "login".parse().unwrap()]),
        files: BTreeSet::from(["src/auth/login.rs".parse().unwrap()]),
        modules: BTreeSet::from(["auth".parse().unwrap()]),
        fingerprints: BTreeSet::from(["e0308".parse().unwrap()]),
        session: "s-1".parse().ok(),
        provenance: BTreeSet::from(["s-1".parse().unwrap(), "s-2".parse().unwrap()]),
        commit: CommitSha::new(&"ab".repeat(20)),
        branch: Some("main".to_owned()),
        work_unit: WorkUnit::new("native", &["spec_042", "subtask_3"], "Log in").ok(),
        methodology: Some("native".to_owned()),
        scope: Scope::Module,
        source: Source::ObserverInferred,
        visibility: Visibility::Team,
        target_node: Some("src/auth/login.rs:login".to_owned()),
        impacted_nodes: BTreeSet::from(["src/main.rs".to_owned()]),
        relations: vec![
            Relation {
                relation_type: RelationType::Validates,
                target: RelationTarget::Memory(gotcha(1, "x").id),
                confidence: Confidence::clamped(0.7),
                extraction: Extraction::Stated,
            },
            Relation {
                relation_type: RelationType::RequiredWith,
                target: RelationTarget::File("Cargo.toml".parse().unwrap()),
                confidence: Confidence::FULL,
                extraction: Extraction::Automatic,
            },
        ],
        half_life_days: Some(12),
        needs_review: true,
        pinned: true,
        flagged: Some(Flag {
            since,
            correction: Correction::TooSpecific,
            note: Some("only on Tuesdays".to_owned()),
            // Before schema 4 only people flagged.
            by: FlaggedBy::Person,
        }),
        stale: mark("its file is gone"),
        chunk: Some(Chunk {
            chunk_type: ChunkType::Function,
            first_line: 3,
            last_line: 14,
            context_prefix: "impl Login".to_owned(),
        }),
        embedding_model: Some("static-1".to_owned()),
        taint: Taint::by(OutsideText::Mcp("tracker".to_owned())),
        ..gotcha(3, "Plans for the log-in are off by a third.")
    };
    let deprecated = Memory {
        deprecated: mark("replaced"),
        ..gotcha(4, "The port is 8080.")
    };
    let deleted = Memory {
        deleted_since: Some(since),
        ..gotcha(5, "The port is 8081.")
    };
    let first = gotcha(1, "Run migrations first.");
    [first, reviewed, full, deprecated, deleted]
        .map(|memory| Memory {
            revision: 1,
            ..memory
        })
        .into()
}

/// Sessions came with schema 2.
fn session() -> SessionRecord {
    let at = gotcha(50, "x").created_at;
    SessionRecord {
        id: "s-1".parse().unwrap(),
        client: "codex".to_owned(),
        started_at: at,
        ended_at: at,
        finalized_at: at,
        digest: "d1".to_owned(),
        body: "{}".to_owned(),
        report: "{}".to_owned(),
        errors: BTreeSet::new(),
    }
}

fn file(schema: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/frozen/schema-{schema}.db"))
}

fn freeze(path: &Path) {
    let home = Home::new();
    let store = home.writer();
    store.change(&mut |_| Ok(memories())).unwrap();
    store.put_document("module_map", MODULE_MAP).unwrap();
    store.save_session(&session()).unwrap();
    store.put_fact("project", "root:0123").unwrap();
    drop(store);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::copy(home.path(), path).unwrap();
}

#[test]
fn a_database_of_every_schema_answers_the_same() {
    let newest = file(SCHEMAS);
    if !newest.exists() {
        freeze(&newest);
        panic!("made {}: commit it", newest.display());
    }
    for schema in 1..=SCHEMAS {
        let home = Home::new();
        fs::copy(file(schema), home.path()).unwrap();
        let store = SqliteStore::open(&home.path(), Mode::Write).unwrap();
        assert_eq!(everything(&store), memories(), "schema {schema}");
        let query = TextQuery {
            text: "get user".to_owned(),
            filter: Filter::default(),
            limit: 5,
        };
        let found = store.search(&query).unwrap().hits;
        assert_eq!(found.len(), 1, "schema {schema}");
        assert!(found[0].memory.is_verified(), "schema {schema}");
        assert_eq!(
            store.document("module_map").unwrap().as_deref(),
            Some(MODULE_MAP)
        );
        assert_eq!(store.fact("project").unwrap().as_deref(), Some("root:0123"));
        let sessions = if schema < 2 {
            Vec::new()
        } else {
            vec![session()]
        };
        assert_eq!(store.sessions().unwrap(), sessions, "schema {schema}");
        let changed = store.changes_since(0, 100).unwrap();
        assert_eq!(changed.texts.len(), memories().len(), "schema {schema}");
        let number = memories().len() as u32;
        assert!(store.holds_more_than(number - 1).unwrap());
        assert!(!store.holds_more_than(number).unwrap());
        assert_eq!(store.check().unwrap(), [], "schema {schema}");
    }
    assert!(
        !file(SCHEMAS + 1).exists(),
        "a newer frozen database is not tried"
    );
}
