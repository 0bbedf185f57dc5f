//! Anything may stand in a journal: nothing in this room may panic on it or answer twice differently.

use jiff::Timestamp;
use oldhand_domain::event::{BoundedText, Call, Ending, Event, Happening, Place, Return, Voice};
use oldhand_domain::id::SessionId;
use proptest::prelude::*;

use crate::fold::{FoldOptions, fold};
use crate::harvest::harvest;
use crate::language::admissions;
use crate::learn::Knowledge;
use crate::outcome::{commands, git, results};
use crate::{fingerprint, paths};

/// Text with everything that hurts: quotes, escapes, other scripts, hidden marks, phrases of ours.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC{0,12}",
        Just("I was wrong about ".to_owned()),
        Just("this approach won't work".to_owned()),
        Just("$(cat <<'EOF'\n".to_owned()),
        Just("&& git reset --hard || ".to_owned()),
        Just("error: ".to_owned()),
        Just("\u{202e}é\u{200b}’“".to_owned()),
        "[\\\\\"'`$;&|<>(){}\n\t ]{0,6}",
        "[a-z]{1,6}/[a-z]{1,6}\\.[a-z]{1,3}:[0-9]{1,3}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let one = (text(), 0_u8..8, any::<bool>(), 0_i64..100_000, 0_u8..20).prop_map(
        |(words, kind, failed, at, id)| {
            let short = BoundedText::ends(&words, 300);
            let call = match kind {
                0 => Call::Read {
                    file: Place::Outside,
                },
                1 => Call::Grep {
                    pattern: words.clone(),
                    within: None,
                },
                2 => Call::Glob {
                    pattern: words.clone(),
                    outside: false,
                },
                3 => Call::WebFetch { url: words.clone() },
                4 => Call::Mcp {
                    server: words.clone(),
                    name: words.clone(),
                },
                _ => Call::Shell {
                    command: short.clone(),
                    reads_outside: false,
                    folder: None,
                },
            };
            let what = if kind == 7 {
                Happening::Text {
                    voice: Voice::Said,
                    text: short,
                }
            } else {
                Happening::ToolReturned(Return {
                    id: id.to_string(),
                    call,
                    ended: if failed {
                        Ending::Failed
                    } else {
                        Ending::Succeeded
                    },
                    excerpt: short,
                    matched: Vec::new(),
                    found: None,
                    exit_code: None,
                    duration_ms: None,
                    size: 0,
                })
            };
            Event::new(Timestamp::from_second(at).expect("a time after 1970"), what)
        },
    );
    prop::collection::vec(one, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_breaks_a_reader(words in text()) {
        let _ = (admissions(&words), fingerprint::fingerprint(&words), commands::classify(&words), commands::command_key(&words));
        let _ = (commands::program_key(&words), git::acts(&words), results::read(&words));
        let _ = (paths::module_of(&words), paths::is_config(&words), paths::is_test(&words), paths::name_likeness(&words, "a/b.rs"));
    }

    #[test]
    fn normalising_an_error_twice_changes_nothing_more(words in text()) {
        let once = fingerprint::normalise(&words);
        prop_assert_eq!(fingerprint::normalise(&once), once);
    }

    #[test]
    fn the_same_journal_gives_the_same_harvest(journal in events()) {
        let once = harvest(SessionId::new("s").unwrap(), &fold(&journal, &FoldOptions::default()), &Knowledge::default());
        let twice = harvest(SessionId::new("s").unwrap(), &fold(&journal, &FoldOptions::default()), &Knowledge::default());
        prop_assert_eq!(format!("{once:?}"), format!("{twice:?}"));
    }

    #[test]
    fn a_journal_told_twice_counts_once(journal in events()) {
        let mut doubled = journal.clone();
        doubled.extend(journal.iter().cloned());
        let (once, twice) = (fold(&journal, &FoldOptions::default()), fold(&doubled, &FoldOptions::default()));
        prop_assert_eq!((once.step, once.errors.len(), once.said.len()), (twice.step, twice.errors.len(), twice.said.len()));
    }
}
