//! A lane is one way of finding things: a list, best first, with the scores it was ordered by.

use std::collections::BTreeSet;
use std::fmt;

/// The ways of finding things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Near in meaning: cosine of vectors.
    Dense,
    /// Shares words: BM25.
    Text,
    /// About files near the ones at hand: imports, calls, files read or changed together.
    Graph,
    /// Made or used lately.
    Recent,
}

impl Lane {
    pub const ALL: [Self; 4] = [Self::Dense, Self::Text, Self::Graph, Self::Recent];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Text => "text",
            Self::Graph => "graph",
            Self::Recent => "recent",
        }
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Something a lane found. The score is comparable within its lane only; higher is better.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit<K> {
    pub key: K,
    pub score: f64,
}

/// What a lane found, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked<K> {
    pub lane: Lane,
    pub hits: Vec<Hit<K>>,
}

impl<K> Ranked<K> {
    /// A lane from `(key, score)` pairs in any order; equal scores keep the order they came in.
    pub fn new(lane: Lane, pairs: impl IntoIterator<Item = (K, f64)>) -> Self {
        let mut hits: Vec<Hit<K>> = pairs
            .into_iter()
            .map(|(key, score)| Hit { key, score })
            .collect();
        hits.sort_by(|left, right| right.score.total_cmp(&left.score));
        Self { lane, hits }
    }
}

impl<K: Copy + Ord> Ranked<K> {
    /// What `lanes` found that is of the day a question counts back to. What else is of that day has nothing to do with the question.
    pub fn of_day(lanes: &[Self], is_of_it: impl Fn(&K) -> bool) -> Self {
        let found = lanes.iter().flat_map(|ranked| &ranked.hits);
        let of_it: BTreeSet<K> = found.map(|hit| hit.key).filter(is_of_it).collect();
        Self::new(Lane::Recent, of_it.into_iter().map(|key| (key, 1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first_and_equals_stay_as_they_came() {
        let ranked = Ranked::new(Lane::Text, [("b", 1.0), ("a", 1.0), ("c", 2.0)]);
        let keys: Vec<&str> = ranked.hits.iter().map(|hit| hit.key).collect();
        assert_eq!(keys, ["c", "b", "a"]);
    }

    #[test]
    fn of_a_day_is_only_what_another_lane_found() {
        let lanes = [
            Ranked::new(Lane::Text, [(1, 3.0), (2, 2.0)]),
            Ranked::new(Lane::Dense, [(2, 0.9), (3, 0.8)]),
        ];
        let of_day = Ranked::of_day(&lanes, |key| [2, 3, 4].contains(key));
        let keys: Vec<i32> = of_day.hits.iter().map(|hit| hit.key).collect();
        assert_eq!((of_day.lane, keys), (Lane::Recent, vec![2, 3]));
    }
}
