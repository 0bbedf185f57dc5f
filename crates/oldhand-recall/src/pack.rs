//! The most worth saying within a number of tokens. Never over it: that is a law.

use std::fmt;

use oldhand_domain::path::ProjectPath;

use crate::render::{self, Fence};
use crate::same::Gist;
use oldhand_domain::tokens;

/// One line that could be said.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    /// What the reader can look it up by: the short id of a memory, the lines of a file.
    pub cite: String,
    /// What kind of statement it is: `gotcha`, `decision`, `code`.
    pub label: String,
    pub text: String,
    /// The file it is grouped under.
    pub file: Option<ProjectPath>,
    /// The lines it covers, for code. Overlapping pieces of one file are said once.
    pub lines: Option<(u32, u32)>,
    /// It says the opposite of another line, in much the same words: both are said.
    pub is_contrary: bool,
    /// The part of the budget its label may take before others had their turn, `0..=1`.
    pub share: f64,
    pub score: f64,
}

/// What is said, and what is not.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pack {
    /// Best group first; within a group, best line first.
    pub groups: Vec<Group>,
    /// What an agent reads.
    pub text: String,
    pub tokens: usize,
    /// Best first.
    pub left_out: Vec<(Item, Reason)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    pub file: Option<ProjectPath>,
    pub items: Vec<Item>,
}

/// Why a line is not said.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    NoRoom,
    SaysTheSameAs { cite: String },
    Covers { cite: String },
}

impl Reason {
    /// What is said in its place.
    fn cite(&self) -> Option<&str> {
        match self {
            Self::NoRoom => None,
            Self::SaysTheSameAs { cite } | Self::Covers { cite } => Some(cite),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRoom => f.write_str("no room in the budget"),
            Self::SaysTheSameAs { cite } => write!(f, "says the same as {cite}"),
            Self::Covers { cite } => write!(f, "covers the same lines as {cite}"),
        }
    }
}

/// Chooses lines worth the most within `budget` tokens of rendered text.
///
/// Each label first gets its share; what is left goes to the best of the rest. Whatever the fence, the costliest one is paid for: which
/// lines are said must not hang on a mark that is different each time. What there is no room for takes the place of nothing that says the same.
pub(crate) fn pack(mut items: Vec<Item>, budget: usize, fence: &Fence) -> Pack {
    let mut too_long: Vec<(Item, Reason)> = Vec::new();
    loop {
        let mut packed = pack_once(items.clone(), budget, fence);
        let left_out = &packed.left_out;
        let is_silencing = |item: &Item| {
            let is_it = |(other, reason): &(Item, Reason)| {
                *reason == Reason::NoRoom && other.cite == item.cite && other.text == item.text
            };
            let mut cites = left_out.iter().filter_map(|(_, reason)| reason.cite());
            cites.any(|cite| cite == item.cite) && left_out.iter().any(is_it)
        };
        let silencing = items.extract_if(.., |item| is_silencing(item));
        let silencing: Vec<(Item, Reason)> = silencing.map(|item| (item, Reason::NoRoom)).collect();
        if silencing.is_empty() {
            packed.left_out.append(&mut too_long);
            packed.left_out.sort_by(|a, b| by_worth(&a.0, &b.0));
            return packed;
        }
        too_long.extend(silencing);
    }
}

fn pack_once(items: Vec<Item>, budget: usize, fence: &Fence) -> Pack {
    let (items, mut left_out) = drop_overlaps(items);
    let mut kept: Vec<usize> = Vec::new();
    let paid = &Fence::costliest();
    let mut spent = tokens::count(&render::frame(paid));
    let mut spent_by_label: Vec<(&str, usize)> = Vec::new();
    for within_share in [true, false] {
        for (index, item) in items.iter().enumerate() {
            if kept.contains(&index) {
                continue;
            }
            let new_group = !kept.iter().any(|&other| items[other].file == item.file);
            let cost = cost(item, new_group, paid);
            let at = spent_by_label
                .iter()
                .position(|(label, _)| *label == item.label);
            let by_label = at.map_or(0, |at| spent_by_label[at].1);
            let in_share = (by_label + cost) as f64 <= item.share * budget as f64;
            if spent + cost > budget || within_share && !in_share {
                continue;
            }
            spent += cost;
            match at {
                Some(at) => spent_by_label[at].1 += cost,
                None => spent_by_label.push((&item.label, cost)),
            }
            kept.push(index);
        }
    }
    // Costs of lines add up to the cost of the text only nearly; the text is what counts.
    if kept.is_empty() {
        let fits = |item: &Item| {
            let text = render::render(&group(&[item]), paid);
            tokens::count(&text) <= budget
        };
        kept.extend(items.iter().position(fits));
    }
    kept.sort_unstable();
    loop {
        let chosen: Vec<&Item> = kept.iter().map(|&index| &items[index]).collect();
        let groups = group(&chosen);
        let text = render::render(&groups, fence);
        let tokens = tokens::count(&text);
        // The mark is taken out of a line that has it, which may cost more than the mark does.
        let most = tokens.max(tokens::count(&render::render(&groups, paid)));
        if most <= budget || kept.is_empty() {
            let missing = (0..items.len()).filter(|index| !kept.contains(index));
            left_out.extend(missing.map(|index| (items[index].clone(), Reason::NoRoom)));
            left_out.sort_by(|left, right| by_worth(&left.0, &right.0));
            return Pack {
                groups,
                text,
                tokens,
                left_out,
            };
        }
        kept.pop();
    }
}

fn cost(item: &Item, new_group: bool, fence: &Fence) -> usize {
    let line = tokens::count(&render::line(item, fence)) + 1;
    if new_group {
        line + tokens::count(&render::heading(item.file.as_ref())) + 1
    } else {
        line
    }
}

fn by_worth(left: &Item, right: &Item) -> std::cmp::Ordering {
    right
        .score
        .total_cmp(&left.score)
        .then_with(|| left.cite.cmp(&right.cite))
}

/// Best first, without what another already says. Of two of which one says all that the other says it stands in the better place, whichever came first.
fn drop_overlaps(mut items: Vec<Item>) -> (Vec<Item>, Vec<(Item, Reason)>) {
    items.sort_by(by_worth);
    let mut kept: Vec<(Item, Gist)> = Vec::new();
    let mut dropped = Vec::new();
    for item in items {
        let gist = Gist::of(&item.text);
        let reason = kept.iter().find_map(|(earlier, said)| {
            let cite = earlier.cite.clone();
            if !item.is_contrary && !earlier.is_contrary && gist.is_said_by(said) {
                return Some(Reason::SaysTheSameAs { cite });
            }
            let (a, b) = (item.lines?, earlier.lines?);
            (item.file == earlier.file && a.0 <= b.1 && b.0 <= a.1)
                .then_some(Reason::Covers { cite })
        });
        if let Some(reason) = reason {
            dropped.push((item, reason));
            continue;
        }
        // What tells a command and nothing else, or nothing that this one leaves out, gives its place to what says more of it.
        let is_less = |(earlier, said): &(Item, Gist)| {
            let contrary = item.is_contrary || earlier.is_contrary;
            let is_repeated = || earlier.file == item.file && said.is_repeated_by(&gist);
            !contrary && (said.is_within(&gist) || is_repeated())
        };
        let less: Vec<(Item, Gist)> = kept.extract_if(.., |one| is_less(one)).collect();
        let score = less.first().map_or(item.score, |(best, _)| best.score);
        let at = kept.partition_point(|(other, _)| other.score >= score);
        for (less, _) in less {
            let cite = item.cite.clone();
            dropped.push((less, Reason::SaysTheSameAs { cite }));
        }
        kept.insert(at, (Item { score, ..item }, gist));
    }
    (kept.into_iter().map(|(item, _)| item).collect(), dropped)
}

/// Lines of one file together, and in it those of one kind, in the order of their best.
fn group(items: &[&Item]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for item in items {
        match groups.iter_mut().find(|group| group.file == item.file) {
            Some(Group { items: known, .. }) => {
                let alike = known.iter().rposition(|one| one.label == item.label);
                let at = alike.map_or(known.len(), |alike| alike + 1);
                known.insert(at, (*item).clone());
            }
            None => groups.push(Group {
                file: item.file.clone(),
                items: vec![(*item).clone()],
            }),
        }
    }
    groups
}

#[cfg(test)]
mod tests;
