//! Several lanes into one list, where each item keeps its because.
//!
//! Lanes are joined by how far each item stands out of its own lane: its score, less the lane's mean, in standard deviations.
//! A plain sum of reciprocal ranks throws that away, and measurably loses to it (`docs/benchmarks/retrieval.md`); it is kept as
//! [`Method::Reciprocal`], the baseline every benchmark runs beside.

use std::collections::BTreeMap;

use crate::lane::{Lane, Ranked};
use crate::plan::{DEPTH, Plan};

/// How lanes are joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Weighted sum of standardised scores.
    Standardised,
    /// Weighted sum of `1 / (k + rank)`.
    Reciprocal { k: f64 },
}

/// An item with all that the lanes said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused<K> {
    pub key: K,
    /// What every item of the answer starts at, and what the lanes added.
    pub score: f64,
    pub start: f64,
    /// In the order of [`Lane`].
    pub lanes: Vec<LanePart>,
}

/// What one lane said of an item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LanePart {
    pub lane: Lane,
    /// From 1.
    pub rank: usize,
    /// As the lane gave it.
    pub score: f64,
    pub weight: f64,
    /// What it added to the fused score.
    pub part: f64,
}

/// Beyond this, standing out further counts less and less: a single hit in a lane of nothing stands out without bound.
const OUTSTANDING: f64 = 3.0;

/// Joins lanes, best first; equal scores are ordered by key. The order of `lanes` does not matter.
///
/// When a lane can score what another lane found (vectors can), give it those hits too, below its own: an item is then judged by
/// what the lane thinks of it and not by its absence.
pub fn fuse<K: Clone + Ord>(lanes: &[Ranked<K>], plan: &Plan, method: Method) -> Vec<Fused<K>> {
    let mut lanes: Vec<&Ranked<K>> = lanes
        .iter()
        .filter(|ranked| !ranked.hits.is_empty())
        .collect();
    lanes.sort_by_key(|ranked| ranked.lane);
    let mut items: BTreeMap<&K, Vec<LanePart>> = BTreeMap::new();
    let mut absent = 0.0;
    for ranked in lanes {
        let (lane, weight) = (ranked.lane, plan.weight(ranked.lane));
        let scale = Scale::of(ranked, method, plan.depth(ranked.lane));
        // Absence is the same for all, so it is added once and what is present counts from there.
        absent += weight * scale.absent;
        for (index, hit) in ranked.hits.iter().enumerate() {
            let part = weight * (scale.place(index + 1, hit.score) - scale.absent);
            let parts = items.entry(&hit.key).or_default();
            if parts.last().is_none_or(|last| last.lane != lane) {
                parts.push(LanePart {
                    lane,
                    rank: index + 1,
                    score: hit.score,
                    weight,
                    part,
                });
            }
        }
    }
    let mut fused: Vec<Fused<K>> = items
        .into_iter()
        .map(|(key, lanes)| {
            let score = absent + lanes.iter().map(|part| part.part).sum::<f64>();
            Fused {
                key: key.clone(),
                score,
                start: absent,
                lanes,
            }
        })
        .collect();
    fused.sort_by(|left, right| {
        right
            .score
            .total_cmp(&left.score)
            .then_with(|| left.key.cmp(&right.key))
    });
    fused
}

/// More than [`fuse`] can give to any item, when the dense lane is this one and nothing is known of the text lane but that it is [`DEPTH`]
/// deep. A few hits that the dense lane should have had make no difference.
pub fn highest_with_words<K>(dense: &Ranked<K>, plan: &Plan) -> f64 {
    // What a text has in common with a question that no other text has stands out this far, and nothing further.
    let alone = stand_out(((DEPTH - 1) as f64).sqrt());
    let scale = Scale::of(dense, Method::Standardised, plan.depth(Lane::Dense));
    let nearest = dense.hits.first();
    let nearest = nearest.map_or(0.0, |hit| 0.1 + 1.1 * scale.deviations(hit.score).max(0.0));
    plan.weight(Lane::Text) * alone + plan.weight(Lane::Dense) * nearest
}

/// How a lane's scores become comparable.
struct Scale {
    method: Method,
    mean: f64,
    deviation: f64,
    /// What an item gets that the lane did not find.
    absent: f64,
}

impl Scale {
    /// What is usual shows in the first `depth` of a lane.
    fn of<K>(ranked: &Ranked<K>, method: Method, depth: usize) -> Self {
        let usual: Vec<f64> = ranked
            .hits
            .iter()
            .take(depth)
            .map(|hit| hit.score)
            .collect();
        // What a short lane did not find scores nothing, and that counts as usual too.
        let count = if usual.len() < DEPTH && ranked.lane != Lane::Dense {
            DEPTH
        } else {
            usual.len()
        };
        let count = count.max(1) as f64;
        let mean = usual.iter().sum::<f64>() / count;
        let missing = count - usual.len() as f64;
        let spread = usual
            .iter()
            .map(|score| (score - mean).powi(2))
            .sum::<f64>()
            + missing * mean * mean;
        let deviation = (spread / count).sqrt();
        let mut scale = Self {
            method,
            mean,
            deviation,
            absent: 0.0,
        };
        let lowest = if missing > 0.0 {
            0.0
        } else {
            usual.iter().copied().fold(f64::INFINITY, f64::min)
        };
        scale.absent = match method {
            Method::Standardised => scale.deviations(lowest),
            Method::Reciprocal { .. } => 0.0,
        };
        scale
    }

    fn place(&self, rank: usize, score: f64) -> f64 {
        match self.method {
            Method::Standardised => self.deviations(score),
            Method::Reciprocal { k } => 1.0 / (k + rank as f64),
        }
    }

    fn deviations(&self, score: f64) -> f64 {
        if self.deviation <= f64::EPSILON {
            return 0.0;
        }
        stand_out((score - self.mean) / self.deviation)
    }
}

fn stand_out(deviations: f64) -> f64 {
    if deviations <= OUTSTANDING {
        deviations
    } else {
        OUTSTANDING + (deviations - OUTSTANDING).ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::plan::{RecentWork, plan};

    fn lane(lane: Lane, found: &[(&'static str, f64)]) -> Ranked<&'static str> {
        Ranked::new(lane, found.iter().copied())
    }

    fn explained(lanes: &[Ranked<&'static str>], method: Method) -> String {
        let fused = fuse(
            lanes,
            &plan("how do we deploy", RecentWork::Ordinary),
            method,
        );
        let line = |item: &Fused<&str>| {
            let parts: Vec<String> = item
                .lanes
                .iter()
                .map(|part| format!("{} {} {:.3}", part.lane, part.rank, part.part))
                .collect();
            format!("{} {:.3} [{}]", item.key, item.score, parts.join(", "))
        };
        fused.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn agreement_beats_a_single_first_place() {
        let lanes = [
            lane(Lane::Text, &[("a", 8.0), ("b", 7.5), ("c", 1.0)]),
            lane(Lane::Dense, &[("b", 0.6), ("d", 0.5), ("a", 0.2)]),
        ];
        insta::assert_snapshot!(explained(&lanes, Method::Standardised), @r"
        b 5.144 [dense 1 1.412, text 2 4.707]
        a 3.824 [dense 3 0.000, text 1 4.800]
        d 0.084 [dense 2 1.059]
        c -0.057 [text 3 0.919]
        ");
        insta::assert_snapshot!(explained(&lanes, Method::Reciprocal { k: 60.0 }), @r"
        b 0.026 [dense 1 0.010, text 2 0.016]
        a 0.026 [dense 3 0.010, text 1 0.016]
        c 0.016 [text 3 0.016]
        d 0.010 [dense 2 0.010]
        ");
    }

    #[test]
    fn what_stands_out_beats_what_is_merely_first() {
        // Both lanes have a first place; only one of them means it.
        let flat: Vec<(&str, f64)> = vec![("a", 1.02), ("b", 1.01), ("c", 1.0), ("d", 0.99)];
        let lanes = [
            lane(Lane::Dense, &flat),
            lane(Lane::Text, &[("d", 9.0), ("a", 1.0)]),
        ];
        let fused = fuse(
            &lanes,
            &plan("how", RecentWork::Ordinary),
            Method::Standardised,
        );
        assert_eq!(fused[0].key, "d");
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(explained(&[], Method::Standardised), "");
        assert_eq!(
            explained(&[lane(Lane::Text, &[])], Method::Standardised),
            ""
        );
    }

    fn any_lanes() -> impl Strategy<Value = Vec<Ranked<u8>>> {
        let hits = proptest::collection::vec((0_u8..20, 0.0_f64..10.0), 0..30);
        proptest::collection::vec(hits, 4).prop_map(|lists| {
            Lane::ALL
                .into_iter()
                .zip(lists)
                .map(|(lane, pairs)| Ranked::new(lane, pairs))
                .collect()
        })
    }

    proptest! {
        #[test]
        fn the_order_of_lanes_does_not_matter(lanes in any_lanes()) {
            let plan = plan("how", RecentWork::Ordinary);
            let mut backwards = lanes.clone();
            backwards.reverse();
            for method in [Method::Standardised, Method::Reciprocal { k: 60.0 }] {
                prop_assert_eq!(fuse(&lanes, &plan, method), fuse(&backwards, &plan, method));
            }
        }

        #[test]
        fn everything_found_is_there_once_with_finite_scores(lanes in any_lanes()) {
            let found: std::collections::BTreeSet<u8> =
                lanes.iter().flat_map(|ranked| ranked.hits.iter().map(|hit| hit.key)).collect();
            let fused = fuse(&lanes, &plan("how", RecentWork::Ordinary), Method::Standardised);
            prop_assert_eq!(fused.len(), found.len());
            prop_assert!(fused.iter().all(|item| item.score.is_finite() && !item.lanes.is_empty()));
            prop_assert!(fused.windows(2).all(|pair| pair[0].score >= pair[1].score));
        }
    }

    proptest! {
        #[test]
        fn no_words_bring_an_item_higher_than_the_dense_lane_allows(
            near in prop::collection::vec(0.0_f64..1.0, 1..150),
            said in prop::collection::vec((0_usize..200, 0.0_f64..30.0), 0..DEPTH),
            question in "[a-z]{3,6}( [a-z_]{3,9}){0,3}",
        ) {
            let plan = plan(&question, RecentWork::Ordinary);
            let mut nearest: Vec<(usize, f64)> = near.iter().copied().enumerate().collect();
            nearest.sort_by(|left, right| right.1.total_cmp(&left.1));
            nearest.truncate(DEPTH);
            let bound = highest_with_words(&Ranked::new(Lane::Dense, nearest.clone()), &plan);
            // What shares a word is looked up among the vectors too.
            let words: BTreeMap<usize, f64> = said.into_iter().collect();
            let others = words.keys().filter(|key| nearest.iter().all(|(near, _)| near != *key));
            let others: Vec<(usize, f64)> = others.filter_map(|key| Some((*key, *near.get(*key)?))).collect();
            nearest.extend(others);
            let lanes = [Ranked::new(Lane::Dense, nearest), Ranked::new(Lane::Text, words)];
            for item in fuse(&lanes, &plan, Method::Standardised) {
                prop_assert!(item.score <= bound, "{} is over {bound}", item.score);
            }
        }
    }
}
