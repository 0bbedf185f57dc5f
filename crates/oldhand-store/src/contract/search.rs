//! Finding memories by words.

use std::collections::BTreeMap;

use oldhand_domain::filter::{Filter, State, TextQuery};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::port::{Matches, MemoryStore, Spread};
use oldhand_domain::vocabulary::Scope;

use super::fixture::{NONE, minute, plain, save, searched, searched_with, set, text};

pub fn words_are_found_wherever_they_stand(store: &impl MemoryStore) {
    let tagged = Memory {
        tags: set(&["flaky"]),
        files: set(&["src/httpServer/listen.rs"]),
        ..plain(2, "Port 8080 is taken in tests.")
    };
    let identifiers = plain(3, "Call getUserById before `refresh_token`.");
    let unspaced = plain(4, "公開鍵は設定から読む。");
    save(
        store,
        &[
            plain(1, "Run migrations first."),
            tagged,
            identifiers,
            unspaced,
        ],
    );
    for (query, expected) in [
        ("migrations", 1),
        ("MIGRATIONS!", 1),
        ("flaky", 2),
        ("server", 2),
        ("listen.rs", 2),
        ("getUserById", 3),
        ("user", 3),
        ("refreshToken", 3),
        ("公開鍵", 4),
        // A character that stands alone means the words that it is part of.
        ("鍵", 4),
        ("開", 4),
    ] {
        assert_eq!(searched(store, query).first(), Some(&expected), "{query}");
    }
    assert_eq!(searched(store, "nowhere"), NONE);
}

pub fn more_of_the_words_is_better(store: &impl MemoryStore) {
    save(
        store,
        &[
            plain(1, "The cache is cold after a deploy."),
            plain(2, "The cache is warm."),
            plain(3, "Deploys happen on Tuesday."),
            plain(4, "Nothing of the kind."),
        ],
    );
    let found = searched(store, "cold cache deploy");
    assert_eq!(found.first(), Some(&1));
    assert!(found.contains(&2) && !found.contains(&4), "{found:?}");
}

pub fn a_store_rates_as_if_what_stands_beside_it_were_here(store: &impl MemoryStore) {
    let mut theirs = vec![
        plain(
            1,
            "The cache is cold after a deploy, and warm again by noon.",
        ),
        plain(2, "A deploy takes an hour."),
    ];
    theirs.extend((3..9).map(|number| plain(number, "Nothing of the kind.")));
    let ours = [
        plain(9, "A cold cache is no fault."),
        plain(10, "Ask before you deploy."),
    ];
    for filter in [Filter::default(), of_scope(Scope::Global)] {
        let query = TextQuery {
            text: "cold cache deploy".to_owned(),
            filter,
            limit: 10,
        };
        let matches = |others: &Spread| {
            let matches = store.matches_beside(&query, others);
            let Matches { hits, spread } = matches.expect("memories can be matched");
            (hits.into_iter().collect::<BTreeMap<_, _>>(), spread)
        };
        save(store, &theirs);
        let elsewhere = TextQuery {
            text: "zebra".to_owned(),
            ..query.clone()
        };
        let unmet = store.matches(&elsewhere).expect("memories can be matched");
        assert_eq!((unmet.spread.indexed, unmet.spread.length), (0, 0));
        let (_, others) = matches(&Spread::default());
        let ids = |memories: &[Memory]| -> Vec<MemoryId> {
            memories.iter().map(|memory| memory.id).collect()
        };
        let erase = |memories: &[Memory]| {
            let erased = store.erase(&ids(memories));
            assert_eq!(erased.expect("memories can be erased"), memories.len());
        };
        erase(&theirs);
        save(store, &ours);
        let (alone, _) = matches(&Spread::default());
        let (beside, _) = matches(&others);
        save(store, &theirs);
        let (together, _) = matches(&Spread::default());
        assert_eq!((alone.len(), beside.len(), together.len()), (2, 2, 4));
        for (id, rate) in beside {
            assert!((rate - together[&id]).abs() < 1e-9, "{rate}, {together:?}");
            assert!((rate - alone[&id]).abs() > 1e-3, "{alone:?}");
        }
        erase(&theirs);
        erase(&ours);
    }
}

fn of_scope(scope: Scope) -> Filter {
    Filter {
        scopes: vec![scope],
        ..Filter::default()
    }
}

pub fn a_search_obeys_its_filter_and_limit(store: &impl MemoryStore) {
    let deleted = Memory {
        deleted_since: Some(minute(9)),
        ..plain(1, "The cache is cold.")
    };
    let about = Memory {
        files: set(&["src/cache.rs"]),
        ..plain(2, "The cache is cold.")
    };
    save(
        store,
        &[
            deleted,
            about,
            plain(3, "The cache is cold."),
            plain(4, "The cache is cold."),
        ],
    );
    assert_eq!(searched(store, "cold cache").len(), 3);
    let count = |filter, limit| searched_with(store, "cold cache", filter, limit).len();
    assert_eq!(count(Filter::default(), 2), 2);
    assert_eq!(count(Filter::default(), 0), 0);
    let any = Filter {
        state: State::Any,
        ..Filter::default()
    };
    assert_eq!(count(any, 10), 4);
    let files = Filter {
        files: vec![text("src")],
        ..Filter::default()
    };
    assert_eq!(searched_with(store, "cold cache", files, 10), [2]);
}

pub fn what_has_some_of_the_words_is_found_behind_what_was_deleted(store: &impl MemoryStore) {
    let deleted = |number: u32| Memory {
        deleted_since: Some(minute(900)),
        ..plain(number, "The cache is cold.")
    };
    let gone: Vec<Memory> = (10..40).map(deleted).collect();
    save(store, &gone);
    save(
        store,
        &[
            plain(1, "The cache is warm."),
            plain(2, "The soup is cold."),
            plain(3, "Nothing of the kind."),
        ],
    );
    let mut found = searched(store, "cold cache");
    found.sort_unstable();
    assert_eq!(found, [1, 2]);
    save(store, &[plain(4, "A cold cache is slow.")]);
    assert_eq!(searched(store, "cold cache").first(), Some(&4));
    let one = searched_with(store, "cold cache", Filter::default(), 1);
    assert_eq!(one, [4]);
}

pub fn no_query_text_is_an_error(store: &impl MemoryStore) {
    save(store, &[plain(1, "The cache is cold.")]);
    let many = "cache word ".repeat(5_000);
    let long = "x".repeat(100_000);
    for query in [
        "",
        " ",
        "\"",
        "\"cache",
        "cache\" OR \"",
        "cache AND",
        "NOT cache",
        "NEAR(cache cold, 2)",
        "content:cache",
        "{content} : cache",
        "^cache",
        "cache*",
        "-cache",
        "cache + cold",
        "(((((",
        "'; drop table memory; --",
        "cache\0cold",
        "🦀 cache 🦀🦀",
        "e\u{301}\u{301}\u{301}",
        "\u{202e}cache",
        "%_?!\\",
        &many,
        &long,
    ] {
        let found = searched(store, query);
        assert_eq!(
            found.contains(&1),
            query.contains("cache"),
            "{}",
            &query.chars().take(20).collect::<String>()
        );
    }
}
