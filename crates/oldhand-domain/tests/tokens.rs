//! The counting of tokens beside what real tokenizers count, per kind of text.
//!
//! `tokens.jsonl` holds pieces of this repository and sentences in other languages with the counts of four vocabularies; it is made by
//! `tools/tokens/count.mjs`. Nothing in it was used to fit the counter.

use std::collections::BTreeMap;

use oldhand_domain::tokens;
use serde::Deserialize;

#[derive(Deserialize)]
struct Counted {
    kind: String,
    text: String,
    o200k: usize,
    cl100k: usize,
    llama3: usize,
    /// An old vocabulary, the only one that was published.
    claude: usize,
}

/// What a vocabulary counts.
type Real = fn(&Counted) -> usize;

fn pieces() -> Vec<Counted> {
    include_str!("tokens.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is a piece"))
        .collect()
}

/// Vocabularies are far apart in other languages than English: `cl100k` counts a third more than `o200k` in Chinese.
const OTHER_LANGUAGES: [&str; 6] = [
    "chinese", "french", "german", "japanese", "korean", "russian",
];

/// How far the counts are off, kind by kind: the ratio of the sums, and the mean distance of a piece.
fn measure(pieces: &[Counted], real: fn(&Counted) -> usize) -> BTreeMap<&str, (f64, f64)> {
    let mut kinds: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for piece in pieces {
        let pair = (tokens::count(&piece.text) as f64, real(piece) as f64);
        kinds.entry(&piece.kind).or_default().push(pair);
        let is_other = OTHER_LANGUAGES.contains(&piece.kind.as_str());
        let group = if is_other { "other languages" } else { "all" };
        kinds.entry(group).or_default().push(pair);
    }
    let measured = kinds.into_iter().map(|(kind, pairs)| {
        let (ours, theirs) = pairs
            .iter()
            .fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
        let distances = pairs
            .iter()
            .map(|(ours, theirs)| (ours / theirs - 1.0).abs());
        let distance = distances.sum::<f64>() / pairs.len() as f64;
        (kind, (ours / theirs, distance))
    });
    measured.collect()
}

#[test]
fn english_and_code_are_counted_within_five_per_cent_of_the_common_tokenizers() {
    let pieces = pieces();
    let vocabularies: [(&str, Real); 3] = [
        ("o200k", |piece| piece.o200k),
        ("cl100k", |piece| piece.cl100k),
        ("llama3", |piece| piece.llama3),
    ];
    for (name, real) in vocabularies {
        for (kind, (ratio, distance)) in measure(&pieces, real) {
            if OTHER_LANGUAGES.contains(&kind) || kind == "other languages" {
                continue;
            }
            assert!((0.95..=1.05).contains(&ratio), "{name} {kind}: {ratio:.3}");
            if kind == "all" {
                assert!(
                    distance <= 0.05,
                    "{name}: {distance:.3} from piece to piece"
                );
            }
        }
    }
}

#[test]
fn other_languages_are_counted_within_a_tenth_of_the_newest_vocabulary() {
    let pieces = pieces();
    let measured = measure(&pieces, |piece| piece.o200k);
    let (ratio, distance) = measured["other languages"];
    assert!((0.9..=1.1).contains(&ratio), "{ratio:.3}");
    assert!(distance <= 0.15, "{distance:.3}");
}

#[test]
fn a_vocabulary_that_counts_more_is_not_missed_by_a_quarter() {
    let pieces = pieces();
    let measured = measure(&pieces, |piece| piece.claude);
    let (ratio, _) = measured["all"];
    assert!((0.8..=1.0).contains(&ratio), "{ratio:.3}");
}
