//! One table of small states, and the laws that hold for all of them.

use proptest::prelude::*;

use super::*;

fn symbol(place: &str, signature: &str, body: &str) -> Symbol {
    let (path, name) = place.split_once(':').unwrap();
    let mut names: Vec<String> = name.split('.').map(str::to_owned).collect();
    let name = names.pop().unwrap();
    let kind = if body.starts_with("class") {
        "class"
    } else {
        "function"
    };
    let hash = |text: &str| {
        text.bytes().fold(17_u64, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(u64::from(byte))
        })
    };
    Symbol {
        path: path.to_owned(),
        container: names,
        name,
        kind: kind.to_owned(),
        signature: signature.to_owned(),
        body: hash(body),
        tokens: body
            .split_whitespace()
            .map(|token| hash(token) as u32)
            .collect(),
    }
}

const LONG: &str = "read the file then parse every line and collect what it names";
const LONG_EDITED: &str = "read the file then parse every line twice and collect what it names";
const OTHER: &str = "draw axis labels ticks legend grid frame with given colour scale";
const CLASS: &str = "class that holds a cache of open handles and closes them when idle";

/// `old` and `new` as (place, signature, body); what became of the first old symbol, in words.
fn check(
    old: &[(&str, &str, &str)],
    new: &[(&str, &str, &str)],
    renames: &[(&str, &str)],
    expected: &str,
) {
    let build = |list: &[(&str, &str, &str)]| -> Vec<Symbol> {
        list.iter()
            .map(|(place, signature, body)| symbol(place, signature, body))
            .collect()
    };
    let renames: Vec<FileRename> = renames
        .iter()
        .map(|(from, to)| FileRename {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
        })
        .collect();
    let (old, new) = (build(old), build(new));
    let anchoring = anchor(&old, &new, &renames);
    let told = match &anchoring.fates[0] {
        Fate::Gone { .. } => "gone".to_owned(),
        Fate::Found {
            new: at,
            altered,
            evidence,
            ..
        } => {
            let symbol = &new[*at];
            let name = [&symbol.container[..], std::slice::from_ref(&symbol.name)]
                .concat()
                .join(".");
            format!("{}:{name} {altered:?} by {evidence:?}", symbol.path)
        }
    };
    assert_eq!(told, expected);
}

#[test]
fn untouched_is_stayed() {
    check(
        &[("a:f", "()", "x")],
        &[("a:f", "()", "x")],
        &[],
        "a:f [] by Place",
    );
}

#[test]
fn an_edit_in_place_is_found_by_its_place() {
    check(
        &[("a:f", "()", LONG)],
        &[("a:f", "()", OTHER)],
        &[],
        "a:f [Body] by Place",
    );
    check(
        &[("a:f", "()", LONG)],
        &[("a:f", "(x)", LONG)],
        &[],
        "a:f [Signature] by Place",
    );
}

#[test]
fn a_file_that_git_moved_takes_its_symbols_along() {
    check(
        &[("a:f", "()", "x")],
        &[("b:f", "()", "y")],
        &[("a", "b")],
        "b:f [Moved, Body] by FollowedPlace",
    );
    // Something new at the old path is not the old file.
    check(
        &[("a:f", "()", "x")],
        &[("a:f", "()", "z"), ("b:f", "()", "x")],
        &[("a", "b")],
        "b:f [Moved] by FollowedPlace",
    );
}

#[test]
fn a_move_between_files_is_found_by_its_body() {
    check(
        &[("a:f", "()", LONG)],
        &[("b:f", "()", LONG)],
        &[],
        "b:f [Moved] by Body",
    );
    check(
        &[("a:f", "()", LONG)],
        &[("b:g", "()", LONG)],
        &[],
        "b:g [Moved, Renamed] by Body",
    );
}

#[test]
fn a_rename_is_found_by_body_then_by_structure() {
    check(
        &[("a:f", "()", LONG)],
        &[("a:g", "()", LONG)],
        &[],
        "a:g [Renamed] by Body",
    );
    check(
        &[("a:f", "()", LONG)],
        &[("a:g", "()", LONG_EDITED)],
        &[],
        "a:g [Renamed, Body] by Structure",
    );
}

#[test]
fn a_moved_and_edited_symbol_is_found_by_its_name() {
    check(
        &[("a:f", "()", LONG)],
        &[("b:f", "()", LONG_EDITED)],
        &[],
        "b:f [Moved, Body] by Name",
    );
}

#[test]
fn a_stranger_of_the_same_name_is_no_relative() {
    check(
        &[("a:run", "()", LONG)],
        &[("b:run", "()", OTHER)],
        &[],
        "gone",
    );
}

#[test]
fn short_bodies_are_equal_by_accident() {
    check(
        &[("a:f", "()", "return 1")],
        &[("a:g", "()", "return 1")],
        &[],
        "gone",
    );
}

#[test]
fn members_follow_their_renamed_class() {
    check(
        &[("a:Pool.get", "()", "x"), ("a:Pool", "", CLASS)],
        &[("a:Cache.get", "()", "y"), ("a:Cache", "", CLASS)],
        &[],
        "a:Cache.get [Moved, Body] by FollowedPlace",
    );
}

#[test]
fn a_function_may_become_a_method() {
    check(
        &[("a:load", "()", LONG)],
        &[("a:Loader", "", CLASS), ("a:Loader.load", "(self)", LONG)],
        &[],
        "a:Loader.load [Moved, Signature] by Body",
    );
}

#[test]
fn overloads_keep_to_their_signatures() {
    check(
        &[("a:f", "(int)", "x"), ("a:f", "(str)", "y")],
        &[("a:f", "(str)", "y"), ("a:f", "(int)", "z")],
        &[],
        "a:f [Body] by Place",
    );
}

#[test]
fn twins_that_both_moved_are_paired_with_doubt() {
    let old = [symbol("a:f", "()", LONG), symbol("b:g", "()", LONG)];
    let new = [symbol("c:h", "()", LONG), symbol("d:k", "()", LONG)];
    for fate in anchor(&old, &new, &[]).fates {
        let Fate::Found {
            confidence,
            evidence,
            ..
        } = fate
        else {
            panic!("{fate:?}");
        };
        assert_eq!(evidence, Evidence::Structure);
        assert!(confidence < 0.6, "{confidence}");
    }
}

#[test]
fn more_agreement_is_more_confidence() {
    let old = [symbol("a:f", "()", LONG)];
    let confidence = |new: Symbol| match &anchor(&old, &[new], &[]).fates[0] {
        Fate::Found { confidence, .. } => *confidence,
        Fate::Gone { .. } => 0.0,
    };
    let falling = [
        confidence(symbol("a:f", "()", LONG)),
        confidence(symbol("b:f", "()", LONG)),
        confidence(symbol("a:g", "()", LONG)),
        confidence(symbol("b:f", "()", LONG_EDITED)),
        confidence(symbol("a:g", "()", LONG_EDITED)),
        confidence(symbol("b:g", "()", OTHER)),
    ];
    assert!(
        falling.windows(2).all(|pair| pair[0] > pair[1]),
        "{falling:?}"
    );
}

#[test]
fn what_is_new_has_appeared() {
    let old = [symbol("a:f", "()", LONG)];
    let new = [
        symbol("a:g", "()", OTHER),
        symbol("a:f", "()", LONG),
        symbol("a:h", "()", CLASS),
    ];
    assert_eq!(anchor(&old, &new, &[]).appeared, [0, 2]);
}

#[test]
fn many_alike_symbols_are_no_quadratic_work() {
    let many = |path: &str| -> Vec<Symbol> {
        (0..10_000)
            .map(|at| symbol(&format!("{path}:f{at}"), "()", &format!("{LONG} {at}")))
            .collect()
    };
    let (old, new) = (many("a"), many("b"));
    let found = anchor(&old, &new, &[])
        .fates
        .iter()
        .filter(|fate| matches!(fate, Fate::Found { .. }))
        .count();
    assert_eq!(found, old.len());
}

#[test]
fn many_symbols_of_one_name_are_no_quadratic_work() {
    let many = |tail: &str| -> Vec<Symbol> {
        (0..10_000)
            .map(|at| symbol("a:it", "()", &format!("{LONG} {at} {tail}")))
            .collect()
    };
    let anchoring = anchor(&many("before"), &many("after"), &[]);
    assert!(anchoring.fates.iter().all(|fate| matches!(
        fate,
        Fate::Found {
            evidence: Evidence::Place,
            ..
        }
    )));
}

fn symbols() -> impl Strategy<Value = Vec<Symbol>> {
    let one = (
        0..3_u8,
        0..3_usize,
        0..4_u8,
        0..2_u8,
        0..4_u64,
        prop::collection::vec(0..12_u32, 0..10),
    );
    let build =
        |(path, depth, name, signature, body, tokens): (u8, usize, u8, u8, u64, Vec<u32>)| Symbol {
            path: format!("p{path}"),
            container: vec!["n0".to_owned(); depth],
            name: format!("n{name}"),
            kind: "function".to_owned(),
            signature: format!("s{signature}"),
            body,
            tokens,
        };
    prop::collection::vec(one.prop_map(build), 0..25)
}

/// What became of what, without positions.
fn told(old: &[Symbol], new: &[Symbol], anchoring: &Anchoring) -> Vec<String> {
    let tell = |(symbol, fate): (&Symbol, &Fate)| match fate {
        Fate::Gone { confidence } => format!("{symbol:?} gone {confidence}"),
        Fate::Found {
            new: at,
            altered,
            confidence,
            evidence,
        } => {
            format!(
                "{symbol:?} {altered:?} {confidence} {evidence:?} {:?}",
                new[*at]
            )
        }
    };
    let mut lines: Vec<String> = old.iter().zip(&anchoring.fates).map(tell).collect();
    lines.sort();
    lines
}

proptest! {
    #[test]
    fn a_state_compared_with_itself_stayed(state in symbols()) {
        let anchoring = anchor(&state, &state, &[]);
        prop_assert!(anchoring.fates.iter().all(Fate::is_unaltered));
        prop_assert!(anchoring.appeared.is_empty());
    }

    #[test]
    fn the_order_of_symbols_does_not_matter(
        (old, shuffled_old) in symbols().prop_flat_map(|it| (Just(it.clone()), Just(it).prop_shuffle())),
        (new, shuffled_new) in symbols().prop_flat_map(|it| (Just(it.clone()), Just(it).prop_shuffle())),
    ) {
        let plain = told(&old, &new, &anchor(&old, &new, &[]));
        let shuffled = told(&shuffled_old, &shuffled_new, &anchor(&shuffled_old, &shuffled_new, &[]));
        prop_assert_eq!(plain, shuffled);
    }

    #[test]
    fn no_new_symbol_is_two_old_ones(old in symbols(), new in symbols()) {
        let anchoring = anchor(&old, &new, &[]);
        let mut found: Vec<usize> = anchoring.fates.iter().filter_map(|fate| match fate {
            Fate::Found { new, .. } => Some(*new),
            Fate::Gone { .. } => None,
        }).chain(anchoring.appeared.iter().copied()).collect();
        found.sort_unstable();
        prop_assert_eq!(found, (0..new.len()).collect::<Vec<_>>());
    }
}
