//! Looking up ids, and lists by every condition a filter has.

use oldhand_domain::confidence::Confidence;
use oldhand_domain::filter::{Filter, Only, State, Sure};
use oldhand_domain::memory::Memory;
use oldhand_domain::port::MemoryStore;
use oldhand_domain::vocabulary::{Scope, Source};

use super::fixture::{NONE, full, id, listed, minute, plain, save, session, set, text};

pub fn ids_are_found_by_either_end(store: &impl MemoryStore) {
    save(
        store,
        &[plain(0x10, "First."), full(0x1f), plain(0x2a, "Third.")],
    );
    let found = |prefix: &str| store.find(prefix).unwrap_or_default();
    assert_eq!(found("019bc0d1"), [id(0x10), id(0x1f), id(0x2a)]);
    assert_eq!(
        found("019BC0D13a8070008000"),
        [id(0x10), id(0x1f), id(0x2a)]
    );
    assert_eq!(found(&id(0x1f).to_string()), [id(0x1f)]);
    assert_eq!(found(&id(0x2a).short()), [id(0x2a)]);
    assert_eq!(found("0000001"), [id(0x10), id(0x1f)]);
    for nothing in ["", "-", "fff", "019bc0d1%", "wörter", &"0".repeat(40)] {
        assert_eq!(found(nothing), [], "{nothing:?}");
    }
}

pub fn lists_are_newest_first_and_bounded(store: &impl MemoryStore) {
    let memories: Vec<Memory> = [2, 5, 1, 4, 3].map(|n| plain(n, "One of five.")).into();
    save(store, &memories);
    assert_eq!(listed(store, &Filter::default()), [5, 4, 3, 2, 1]);
    let two = Filter {
        limit: Some(2),
        ..Filter::default()
    };
    assert_eq!(listed(store, &two), [5, 4]);
}

pub fn every_condition_of_a_filter_is_heard(store: &impl MemoryStore) {
    let alive = Memory {
        deprecated: None,
        deleted_since: None,
        ..full(3)
    };
    let unread = Memory {
        verified: alive.verified,
        ..plain(4, "Reviewed as another text.")
    };
    save(store, &[plain(1, "Plain."), full(2), alive, unread]);
    assert_eq!(store.modules().unwrap_or_default(), [text("auth")]);
    let wanted: Vec<(Filter, &[u32])> = vec![
        (
            Filter {
                state: State::Any,
                ..Filter::default()
            },
            &[4, 3, 2, 1],
        ),
        (
            Filter {
                state: State::Deleted,
                ..Filter::default()
            },
            &[2],
        ),
        (
            Filter {
                types: vec![text("task_calibration"), text("decision")],
                ..Filter::default()
            },
            &[3],
        ),
        (
            Filter {
                sources: vec![Source::ObserverInferred],
                ..Filter::default()
            },
            &[3],
        ),
        (
            Filter {
                scopes: vec![Scope::Module, Scope::Session],
                ..Filter::default()
            },
            &[3],
        ),
        (
            Filter {
                tags: vec![text("login"), text("other")],
                ..Filter::default()
            },
            &[3],
        ),
        (
            Filter {
                modules: vec![text("auth")],
                ..Filter::default()
            },
            &[3],
        ),
        (
            Filter {
                modules: vec![text("other")],
                module_places: vec![text("src")],
                ..Filter::default()
            },
            &[3],
        ),
        (
            Filter {
                modules: vec![text("auth")],
                module_places: vec![text("docs")],
                ..Filter::default()
            },
            &[3],
        ),
        (
            Filter {
                module_places: vec![text("docs")],
                ..Filter::default()
            },
            &[],
        ),
        (
            Filter {
                fingerprints: vec![text("e0599")],
                ..Filter::default()
            },
            &[3],
        ),
        (
            Filter {
                session: Some(session("s-1")),
                ..Filter::default()
            },
            &[3],
        ),
        (
            Filter {
                branch: Some("main".to_owned()),
                ..Filter::default()
            },
            &[3],
        ),
        (
            Filter {
                at_least: Some(Sure {
                    confidence: Confidence::clamped(0.5),
                    at: minute(5),
                }),
                ..Filter::default()
            },
            &[4, 1],
        ),
        (
            Filter {
                created_since: Some(minute(3)),
                ..Filter::default()
            },
            &[4, 3],
        ),
        (
            Filter {
                created_until: Some(minute(3)),
                ..Filter::default()
            },
            &[1],
        ),
        (
            Filter {
                only: vec![Only::Verified],
                ..Filter::default()
            },
            &[3],
        ),
        (
            Filter {
                only: vec![Only::Pinned, Only::Stale, Only::NeedsReview, Only::Flagged],
                ..Filter::default()
            },
            &[3],
        ),
        (
            Filter {
                only: vec![Only::Verified],
                limit: Some(1),
                ..Filter::default()
            },
            &[3],
        ),
        (
            Filter {
                tags: vec![text("other")],
                ..Filter::default()
            },
            &[],
        ),
    ];
    for (filter, expected) in wanted {
        assert_eq!(listed(store, &filter), expected, "{filter:?}");
    }
}

pub fn a_file_goes_by_its_path_or_the_end_of_it(store: &impl MemoryStore) {
    let about = |number, paths: &[&str]| Memory {
        files: set(paths),
        ..plain(number, "About a file.")
    };
    save(
        store,
        &[
            about(1, &["Cargo.toml", "a/src/walk.rs"]),
            about(2, &["a/src/walk.rs", "a/Cargo.toml"]),
            about(3, &["b/src/walk.rs", "b/src/sidewalk.rs"]),
        ],
    );
    let called = |name: &str| -> Vec<String> {
        let found = store.called(&set(&[name])).unwrap_or_default();
        let files = found.into_values().flatten();
        files.map(|file| file.to_string()).collect()
    };
    assert_eq!(called("Cargo.toml"), ["Cargo.toml"]);
    assert_eq!(called("a/Cargo.toml"), ["a/Cargo.toml"]);
    assert_eq!(called("walk.rs"), ["a/src/walk.rs", "b/src/walk.rs"]);
    assert_eq!(called("src/sidewalk.rs"), ["b/src/sidewalk.rs"]);
    for nothing in ["src", "lk.rs", "walk", "a/src", "%.rs"] {
        assert_eq!(called(nothing), Vec::<String>::new(), "{nothing}");
    }
    let both = store.called(&set(&["Cargo.toml", "walk.rs", "main.rs"]));
    assert_eq!(both.unwrap_or_default().len(), 2);
}

pub fn a_folder_means_what_lies_below_it(store: &impl MemoryStore) {
    let about = |number, path: &str| Memory {
        files: set(&[path]),
        ..plain(number, "About a file.")
    };
    save(
        store,
        &[
            about(1, "src/auth/login.rs"),
            about(2, "src/auth.rs"),
            about(3, "src/auth0/login.rs"),
            about(4, "src/auth"),
            about(5, "src/auth-old/login.rs"),
        ],
    );
    let below = |path: &str| {
        let files = vec![text(path)];
        listed(
            store,
            &Filter {
                files,
                ..Filter::default()
            },
        )
    };
    assert_eq!(below("src/auth"), [4, 1]);
    assert_eq!(below("src"), [5, 4, 3, 2, 1]);
    assert_eq!(below("src/auth.rs"), [2]);
    assert_eq!(below("auth"), NONE);
}
