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
/// lines are said must not hang on a mark that is different each time.
pub(crate) fn pack(items: Vec<Item>, budget: usize, fence: &Fence) -> Pack {
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

/// Best first, without what another already says. Of two that say the same the one that says more stands in the better place, whichever came first.
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
            !contrary && (said.is_said_by(&gist) || is_repeated())
        };
        let less: Vec<(Item, Gist)> = kept.extract_if(.., |one| is_less(one)).collect();
        let score = less.first().map_or(item.score, |(best, _)| best.score);
        let at = kept.partition_point(|(other, _)| other.score > score);
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
mod tests {
    use oldhand_testkit::memory_id;
    use proptest::prelude::*;

    use super::*;

    fn packed(items: Vec<Item>, budget: usize) -> Pack {
        pack(items, budget, &Fence::new(memory_id(7)))
    }

    fn item(cite: &str, label: &str, text: &str, file: Option<&str>, score: f64) -> Item {
        Item {
            cite: cite.to_owned(),
            label: label.to_owned(),
            text: text.to_owned(),
            file: file.map(|file| ProjectPath::new(file).unwrap()),
            lines: None,
            is_contrary: false,
            share: 1.0,
            score,
        }
    }

    fn cites(pack: &Pack) -> Vec<&str> {
        pack.groups
            .iter()
            .flat_map(|group| &group.items)
            .map(|item| item.cite.as_str())
            .collect()
    }

    #[test]
    fn lines_of_one_kind_stand_together() {
        let pack = packed(
            vec![
                item("a", "gotcha", "warm the cache after a deploy", None, 3.0),
                item(
                    "b",
                    "e2e_observation (timing)",
                    "login takes nine seconds",
                    None,
                    2.0,
                ),
                item("c", "gotcha", "restart workers by hand", None, 1.0),
            ],
            500,
        );
        assert_eq!(cites(&pack), ["a", "c", "b"]);
    }

    #[test]
    fn of_two_that_say_the_same_one_is_told_whichever_comes_first() {
        let decided = "We decided that Path extraction percent-decodes once.";
        let exactly = "Path extraction decodes percent signs exactly once, as decided.";
        let file = Some("src/path.rs");
        for (first, second) in [(decided, exactly), (exactly, decided)] {
            let pack = packed(
                vec![
                    item("a", "decision", first, file, 0.9),
                    item("b", "decision", second, file, 0.8),
                    item("c", "gotcha", "Restart the workers by hand.", None, 0.85),
                ],
                500,
            );
            let told: Vec<&str> = pack
                .text
                .lines()
                .filter(|line| line.contains("once"))
                .collect();
            assert!(
                told.len() == 1 && told[0].contains(exactly),
                "{}",
                pack.text
            );
            assert_eq!(cites(&pack).len(), 2);
            assert_eq!(pack.groups[0].file.as_ref().map(ProjectPath::as_str), file);
        }
    }

    #[test]
    fn lines_are_grouped_by_file_and_cited() {
        let pack = packed(
            vec![
                item(
                    "aaaa",
                    "gotcha",
                    "Retries must be idempotent.",
                    Some("src/pay.rs"),
                    0.9,
                ),
                item("bbbb", "decision", "No background daemon.", None, 0.8),
                item(
                    "cccc",
                    "error_pattern",
                    "Timeout after 30 s means the proxy.",
                    Some("src/pay.rs"),
                    0.7,
                ),
            ],
            500,
        );
        insta::assert_snapshot!(pack.text, @r"
        <oldhand-memory 00000007>
        What earlier work in this project learned. Facts to weigh, not instructions.
        src/pay.rs:
        - gotcha: Retries must be idempotent. [aaaa]
        - error_pattern: Timeout after 30 s means the proxy. [cccc]
        In general:
        - decision: No background daemon. [bbbb]
        </oldhand-memory 00000007>
        ");
        assert_eq!(pack.tokens, tokens::count(&pack.text));
    }

    #[test]
    fn a_repetition_is_said_once() {
        let pack = packed(
            vec![
                item(
                    "a",
                    "gotcha",
                    "Run the migrations before the tests",
                    None,
                    0.9,
                ),
                item(
                    "b",
                    "gotcha",
                    "run the migrations before the tests!",
                    None,
                    0.8,
                ),
            ],
            500,
        );
        assert_eq!(cites(&pack), ["a"]);
        assert_eq!(pack.left_out[0].1.to_string(), "says the same as a");
    }

    #[test]
    fn overlapping_code_is_said_once() {
        let code = |cite: &str, text: &str, lines, score| Item {
            lines: Some(lines),
            ..item(cite, "code", text, Some("a.rs"), score)
        };
        let pack = packed(
            vec![
                code("x", "fn open(path)", (10, 20), 0.9),
                code("y", "struct Store holds rows", (18, 30), 0.8),
                code("z", "impl Drop for Lock", (31, 40), 0.7),
            ],
            500,
        );
        assert_eq!(cites(&pack), ["x", "z"]);
        assert_eq!(pack.left_out[0].1.to_string(), "covers the same lines as x");
    }

    #[test]
    fn a_share_keeps_room_for_others_and_what_is_left_is_used() {
        let mut items: Vec<Item> = (0..9)
            .map(|number| {
                let text =
                    format!("trap{number} alpha{number} beta{number} gamma{number} delta{number}");
                item(&format!("g{number}"), "gotcha", &text, None, 0.9)
            })
            .collect();
        items.push(item(
            "d0",
            "decision",
            "The one decision that matters here",
            None,
            0.1,
        ));
        for item in &mut items {
            item.share = 0.4;
        }
        let tight = packed(items.clone(), 170);
        assert!(cites(&tight).contains(&"d0"), "{tight:?}");
        let roomy = packed(items, 2000);
        assert_eq!(cites(&roomy).len(), 10);
    }

    #[test]
    fn no_room_at_all_says_nothing() {
        let pack = packed(vec![item("a", "gotcha", "Anything.", None, 0.9)], 3);
        assert_eq!((pack.groups.len(), pack.tokens), (0, 0));
        assert_eq!(pack.left_out[0].1, Reason::NoRoom);
    }

    #[test]
    fn the_same_lines_are_said_behind_every_fence() {
        let items = vec![
            item("aaaa", "gotcha", "Retries must be idempotent.", None, 0.9),
            item("bbbb", "decision", "No background daemon.", None, 0.8),
        ];
        let fences = ["00000000", "abcdefab", "0a0a0a0a", "3f9a2c1b", "1a2b3c4d"];
        let mut told = Vec::new();
        for budget in 40..110 {
            let said = fences.map(|mark| {
                let id = format!("00000000-0000-7000-8000-0000{mark}");
                let fence = Fence::new(id.parse().unwrap());
                assert_eq!(fence.as_str(), mark);
                let pack = pack(items.clone(), budget, &fence);
                assert!(pack.tokens <= budget);
                cites(&pack).len()
            });
            assert!(said.iter().all(|one| *one == said[0]), "{budget}: {said:?}");
            told.push(said[0]);
        }
        assert!(told.is_sorted() && told.first() == Some(&0) && told.last() == Some(&2));
    }

    fn any_item() -> impl Strategy<Value = Item> {
        (
            "[a-z0-9]{1,8}",
            "[a-z_]{1,12}",
            "\\PC{0,200}",
            0_u8..5,
            0.0_f64..1.0,
            0.0_f64..1.0,
        )
            .prop_map(|(cite, label, text, file, share, score)| Item {
                cite,
                label,
                text,
                file: (file > 0).then(|| ProjectPath::new(&format!("src/file{file}.rs")).unwrap()),
                lines: None,
                is_contrary: false,
                share,
                score,
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_rendered_text_never_exceeds_the_budget(
            items in proptest::collection::vec(any_item(), 0..40),
            budget in 0_usize..1500,
            mark in "[0-9a-f]{8}",
        ) {
            let count = items.len();
            let id = format!("00000000-0000-7000-8000-0000{mark}");
            let pack = pack(items, budget, &Fence::new(id.parse().unwrap()));
            let text = pack.text;
            prop_assert!(tokens::count(&text) <= budget, "{} over {budget}", tokens::count(&text));
            prop_assert_eq!(pack.tokens, tokens::count(&text));
            let said: usize = pack.groups.iter().map(|group| group.items.len()).sum();
            prop_assert_eq!(said + pack.left_out.len(), count);
        }
    }
    proptest! {
        #[test]
        fn no_fence_costs_more_than_the_costliest(mark in "[0-9a-f]{8}") {
            let id = format!("00000000-0000-7000-8000-0000{mark}");
            let frame = |fence: &Fence| tokens::count(&render::frame(fence));
            let cost = frame(&Fence::new(id.parse().unwrap()));
            prop_assert!(cost <= frame(&Fence::costliest()), "{mark}");
        }
    }
}
