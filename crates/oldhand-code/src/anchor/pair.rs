//! Pairs sorted symbols, what agrees in more ways first.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::alike;
use super::{Evidence, Symbol};

/// One old symbol found among the new.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) new: usize,
    pub(super) confidence: f32,
    pub(super) evidence: Evidence,
}

pub(super) struct Paired {
    /// One for each old symbol.
    pub(super) found: Vec<Option<Found>>,
    /// The closest likeness that was seen and not believed, for each old symbol.
    pub(super) resemblance: Vec<f32>,
}

/// Bodies with fewer distinct tokens are equal by accident: a getter is like any getter.
const TELLING_TOKENS: usize = 6;
/// Below these likenesses two symbols are two symbols: of one name, in one file, anywhere.
const SAME_NAME_ALIKE: f32 = 0.3;
const SAME_FILE_ALIKE: f32 = 0.5;
const ANYWHERE_ALIKE: f32 = 0.65;
/// Likenesses this near each other do not decide between two candidates...
const TOO_CLOSE: f32 = 0.05;
/// ...and a choice between such is trusted this much.
const AMBIGUOUS: f32 = 0.6;
/// Nesting beyond this is somebody's joke; it must not cost a round each.
const DEEPEST: usize = 12;

/// Both lists must be sorted, so that the order they came in cannot matter.
pub(super) fn pair(old: &[&Symbol], new: &[&Symbol], renames: &BTreeMap<&str, &str>) -> Paired {
    let mut pairing = Pairing::new(old, new, renames);
    let deepest = old
        .iter()
        .chain(new)
        .map(|symbol| depth_of(symbol))
        .max()
        .unwrap_or_default();
    // Enclosing symbols first: where they went is where their members are looked for.
    for depth in 0..=deepest {
        pairing.pair_places(depth);
        pairing.pair_bodies(Some(depth));
        pairing.pair_names(Some(depth));
        pairing.pair_alike(Some(depth));
        if depth < deepest {
            pairing.follow_containers(depth);
        }
    }
    // A method that became a function, or the other way round, changed its depth.
    pairing.pair_bodies(None);
    pairing.pair_names(None);
    pairing.pair_alike(None);
    Paired {
        found: pairing.found,
        resemblance: pairing.resemblance,
    }
}

/// What two symbols of one name in one place have in common.
#[derive(Clone, Copy)]
enum Agreement {
    All,
    Signature,
    Body,
    None,
}

impl Agreement {
    fn key(self, symbol: &Symbol) -> (Option<&str>, Option<u64>) {
        match self {
            Self::All => (Some(&symbol.signature), Some(symbol.body)),
            Self::Signature => (Some(&symbol.signature), None),
            Self::Body => (None, Some(symbol.body)),
            Self::None => (None, None),
        }
    }
}

/// A file, and an enclosing symbol in it by its full name.
type Place<'s> = (&'s str, Vec<String>);

/// The distinct tokens of symbols, found out when first asked for: what stayed in place never is.
struct Tokens<'s> {
    symbols: &'s [&'s Symbol],
    distinct: Vec<OnceCell<Vec<u32>>>,
}

impl<'s> Tokens<'s> {
    fn new(symbols: &'s [&'s Symbol]) -> Self {
        let distinct = symbols.iter().map(|_| OnceCell::new()).collect();
        Self { symbols, distinct }
    }

    fn of(&self, at: usize) -> &[u32] {
        self.distinct[at].get_or_init(|| alike::distinct(&self.symbols[at].tokens))
    }
}

struct Pairing<'s> {
    old: &'s [&'s Symbol],
    new: &'s [&'s Symbol],
    renames: &'s BTreeMap<&'s str, &'s str>,
    old_tokens: Tokens<'s>,
    new_tokens: Tokens<'s>,
    found: Vec<Option<Found>>,
    taken: Vec<bool>,
    resemblance: Vec<f32>,
    /// Old path and full name of an enclosing symbol → the new ones, where they differ.
    followed: FxHashMap<Place<'s>, Place<'s>>,
}

impl<'s> Pairing<'s> {
    fn new(
        old: &'s [&'s Symbol],
        new: &'s [&'s Symbol],
        renames: &'s BTreeMap<&'s str, &'s str>,
    ) -> Self {
        Self {
            old,
            new,
            renames,
            old_tokens: Tokens::new(old),
            new_tokens: Tokens::new(new),
            found: vec![None; old.len()],
            taken: vec![false; new.len()],
            resemblance: vec![0.0; old.len()],
            followed: FxHashMap::default(),
        }
    }

    /// The same name in the same place, or where the place moved to.
    fn pair_places(&mut self, depth: usize) {
        let old = self.old_open(Some(depth));
        let new = self.new_open(Some(depth));
        let old_key = |at: usize| {
            let (path, container) = self.place_of(at);
            (
                path,
                container,
                self.old[at].name.as_str(),
                self.old[at].kind.as_str(),
            )
        };
        let new_key = |at: usize| {
            let symbol = self.new[at];
            (
                symbol.path.as_str(),
                &symbol.container[..],
                symbol.name.as_str(),
                symbol.kind.as_str(),
            )
        };
        let groups = group(&old, &new, old_key, new_key);
        for (old_group, new_group) in groups {
            self.pair_overloads(&old_group, &new_group);
        }
    }

    /// Several of one name in one place: equal ones first, then equal signatures, then equal bodies, then in order.
    fn pair_overloads(&mut self, old_group: &[usize], new_group: &[usize]) {
        let is_alone = old_group.len() == 1 && new_group.len() == 1;
        let agreements = [
            (Agreement::All, 1.0),
            (Agreement::Signature, 0.95),
            (Agreement::Body, 0.9),
            (Agreement::None, 0.6),
        ];
        for (agreement, sureness) in agreements {
            let old: Vec<usize> = old_group
                .iter()
                .copied()
                .filter(|&at| self.found[at].is_none())
                .collect();
            let new: Vec<usize> = new_group
                .iter()
                .copied()
                .filter(|&at| !self.taken[at])
                .collect();
            let (old_key, new_key) = (
                |at: usize| agreement.key(self.old[at]),
                |at: usize| agreement.key(self.new[at]),
            );
            for (old, new) in group(&old, &new, old_key, new_key) {
                for (at, other) in old.into_iter().zip(new) {
                    self.pair_place(at, other, if is_alone { 1.0 } else { sureness });
                }
            }
        }
    }

    fn pair_place(&mut self, at: usize, other: usize, sureness: f32) {
        let (old, new) = (self.old[at], self.new[other]);
        let is_same_place = old.path == new.path && old.container == new.container;
        let (evidence, trust) = if is_same_place {
            (Evidence::Place, 1.0)
        } else {
            (Evidence::FollowedPlace, 0.98)
        };
        self.found[at] = Some(Found {
            new: other,
            confidence: trust * sureness,
            evidence,
        });
        self.taken[other] = true;
    }

    /// The same body: of one name anywhere, then of one file, then anywhere.
    fn pair_bodies(&mut self, depth: Option<usize>) {
        self.pair_unique(depth, (Evidence::Body, 0.95), |symbol, _| {
            (symbol.kind.as_str(), symbol.body, symbol.name.as_str(), "")
        });
        self.pair_unique(depth, (Evidence::Body, 0.9), |symbol, path| {
            (symbol.kind.as_str(), symbol.body, "", path)
        });
        self.pair_unique(depth, (Evidence::Body, 0.85), |symbol, _| {
            (symbol.kind.as_str(), symbol.body, "", "")
        });
    }

    /// Pairs symbols with telling bodies that are the only ones of their key on both sides.
    fn pair_unique<K: Hash + Eq>(
        &mut self,
        depth: Option<usize>,
        (evidence, confidence): (Evidence, f32),
        key: impl Fn(&'s Symbol, &'s str) -> K,
    ) {
        let is_telling = |tokens: &[u32]| tokens.len() >= TELLING_TOKENS;
        let mut old = self.old_open(depth);
        old.retain(|&at| is_telling(self.old_tokens.of(at)));
        let mut new = self.new_open(depth);
        new.retain(|&at| is_telling(self.new_tokens.of(at)));
        let old_key = |at: usize| key(self.old[at], self.path_of(at));
        let new_key = |at: usize| key(self.new[at], self.new[at].path.as_str());
        for (old_group, new_group) in group(&old, &new, old_key, new_key) {
            if let ([at], [other]) = (&old_group[..], &new_group[..]) {
                self.found[*at] = Some(Found {
                    new: *other,
                    confidence,
                    evidence,
                });
                self.taken[*other] = true;
            }
        }
    }

    /// The same name elsewhere, where only one has it and the bodies are not strangers.
    fn pair_names(&mut self, depth: Option<usize>) {
        let old = self.old_open(depth);
        let new = self.new_open(depth);
        let groups = group(
            &old,
            &new,
            |at| self.old[at].name.as_str(),
            |at| self.new[at].name.as_str(),
        );
        for (old_group, new_group) in groups {
            if let ([at], [other]) = (&old_group[..], &new_group[..]) {
                self.pair_if_alike(*at, *other, SAME_NAME_ALIKE, (Evidence::Name, 1.0));
            }
        }
    }

    /// Similar bodies of one kind, the most similar first.
    fn pair_alike(&mut self, depth: Option<usize>) {
        let telling = |open: Vec<usize>, tokens: &Tokens<'s>| -> Vec<usize> {
            open.into_iter()
                .filter(|&at| tokens.of(at).len() >= TELLING_TOKENS)
                .collect()
        };
        let old = telling(self.old_open(depth), &self.old_tokens);
        let new = telling(self.new_open(depth), &self.new_tokens);
        let old: Vec<(usize, &[u32])> =
            old.iter().map(|&at| (at, self.old_tokens.of(at))).collect();
        let new: Vec<(usize, &[u32])> =
            new.iter().map(|&at| (at, self.new_tokens.of(at))).collect();
        let mut pairs: Vec<(f32, usize, usize)> = alike::meet(&old, &new)
            .into_iter()
            .filter(|&(at, other)| self.old[at].kind == self.new[other].kind)
            .map(|(at, other)| (self.likeness(at, other), at, other))
            .collect();
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let rivals = count_rivals(&pairs);
        for (pair, (_, at, other)) in pairs.into_iter().enumerate() {
            let is_same_file = self.path_of(at) == self.new[other].path;
            let least = if is_same_file {
                SAME_FILE_ALIKE
            } else {
                ANYWHERE_ALIKE
            };
            let trust = if rivals[pair] > 0 { AMBIGUOUS } else { 1.0 };
            self.pair_if_alike(at, other, least, (Evidence::Structure, trust));
        }
    }

    fn pair_if_alike(
        &mut self,
        at: usize,
        other: usize,
        least: f32,
        (evidence, trust): (Evidence, f32),
    ) {
        if self.found[at].is_some() || self.taken[other] {
            return;
        }
        let likeness = self.likeness(at, other);
        if likeness < least {
            self.resemblance[at] = self.resemblance[at].max(likeness);
            return;
        }
        let base = if evidence == Evidence::Name { 0.5 } else { 0.3 };
        let confidence = trust * (base + (0.9 - base) * likeness);
        self.found[at] = Some(Found {
            new: other,
            confidence,
            evidence,
        });
        self.taken[other] = true;
    }

    /// How alike two bodies are; an untouched body is wholly alike even when it is too short to tell.
    fn likeness(&self, at: usize, other: usize) -> f32 {
        if self.old[at].body == self.new[other].body {
            return 1.0;
        }
        alike::similarity(self.old_tokens.of(at), self.new_tokens.of(other))
    }

    /// Remembers where the enclosing symbols of this depth went.
    fn follow_containers(&mut self, depth: usize) {
        for (at, found) in self.found.iter().enumerate() {
            let old = self.old[at];
            if let (Some(found), true) = (found, depth_of(old) == depth) {
                let new = self.new[found.new];
                let place = (old.path.as_str(), full_name(old));
                self.followed
                    .entry(place)
                    .or_insert_with(|| (new.path.as_str(), full_name(new)));
            }
        }
    }

    /// Where an old symbol should be now: its file after renames, its enclosing symbol after everything found so far.
    fn place_of(&self, at: usize) -> (&str, &[String]) {
        let symbol = self.old[at];
        if symbol.container.is_empty() {
            return (self.path_of(at), &[]);
        }
        let enclosing = (symbol.path.as_str(), symbol.container.clone());
        let followed = self
            .followed
            .get(&enclosing)
            .map(|(path, container)| (*path, &container[..]));
        followed.unwrap_or_else(|| (self.path_of(at), &symbol.container[..]))
    }

    /// The path of an old symbol's file after renames.
    fn path_of(&self, at: usize) -> &'s str {
        let path = self.old[at].path.as_str();
        self.renames.get(path).copied().unwrap_or(path)
    }

    fn old_open(&self, depth: Option<usize>) -> Vec<usize> {
        let is_at = |symbol: &Symbol| depth.is_none_or(|depth| depth_of(symbol) == depth);
        (0..self.old.len())
            .filter(|&at| self.found[at].is_none() && is_at(self.old[at]))
            .collect()
    }

    fn new_open(&self, depth: Option<usize>) -> Vec<usize> {
        let is_at = |symbol: &Symbol| depth.is_none_or(|depth| depth_of(symbol) == depth);
        (0..self.new.len())
            .filter(|&at| !self.taken[at] && is_at(self.new[at]))
            .collect()
    }
}

/// The positions on both sides that share a key, where both sides have it, in the order of the old side.
fn group<K: Hash + Eq>(
    old: &[usize],
    new: &[usize],
    old_key: impl Fn(usize) -> K,
    new_key: impl Fn(usize) -> K,
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut numbers: FxHashMap<K, usize> = FxHashMap::default();
    let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
    for &at in old {
        let number = *numbers.entry(old_key(at)).or_insert_with(|| {
            groups.push((Vec::new(), Vec::new()));
            groups.len() - 1
        });
        groups[number].0.push(at);
    }
    for &at in new {
        if let Some(&number) = numbers.get(&new_key(at)) {
            groups[number].1.push(at);
        }
    }
    groups.retain(|(_, new)| !new.is_empty());
    groups
}

fn depth_of(symbol: &Symbol) -> usize {
    symbol.container.len().min(DEEPEST)
}

fn full_name(symbol: &Symbol) -> Vec<String> {
    let mut name = symbol.container.clone();
    name.push(symbol.name.clone());
    name
}

/// For each pair, how many others want one of its two symbols nearly as much. Pairs are sorted, most alike first.
fn count_rivals(pairs: &[(f32, usize, usize)]) -> Vec<usize> {
    let mut rivals = vec![0; pairs.len()];
    for side in [
        |pair: &(f32, usize, usize)| pair.1,
        |pair: &(f32, usize, usize)| pair.2,
    ] {
        let mut last: FxHashMap<usize, usize> = FxHashMap::default();
        for (at, pair) in pairs.iter().enumerate() {
            if let Some(before) = last.insert(side(pair), at)
                && pairs[before].0 - pair.0 <= TOO_CLOSE
            {
                rivals[before] += 1;
                rivals[at] += 1;
            }
        }
    }
    rivals
}
