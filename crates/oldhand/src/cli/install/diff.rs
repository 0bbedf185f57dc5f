//! Which lines of a file change: those that stay are not shown again as gone and new.

use std::ops::Range;

/// Lines that go, and the lines that come in their place; where nothing goes or comes, where that would be.
pub(crate) type Swap = (Range<usize>, Range<usize>);

/// So many comparisons are worth telling lines that stay; a larger piece is taken as one.
const MOST: usize = 4_000_000;

/// What changes, in order.
pub(crate) fn changes(before: &[&str], after: &[&str]) -> Vec<Swap> {
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
        pairs.take_while(|(one, other)| one == other).count()
    };
    let front = same(&mut before.iter().zip(after));
    let (old, new) = (&before[front..], &after[front..]);
    let back = same(&mut old.iter().rev().zip(new.iter().rev()));
    let (old, new) = (&old[..old.len() - back], &new[..new.len() - back]);
    let moved = |range: Range<usize>| range.start + front..range.end + front;
    swaps(old, new)
        .into_iter()
        .map(|(gone, come)| (moved(gone), moved(come)))
        .collect()
}

fn swaps(old: &[&str], new: &[&str]) -> Vec<Swap> {
    if old.len() * new.len() > MOST {
        return vec![(0..old.len(), 0..new.len())];
    }
    let kept = kept_from(old, new);
    let mut swaps: Vec<Swap> = Vec::new();
    let (mut at, mut to) = (0, 0);
    while at < old.len() || to < new.len() {
        if at < old.len() && to < new.len() && old[at] == new[to] {
            (at, to) = (at + 1, to + 1);
            continue;
        }
        let (start, begin) = (at, to);
        while at < old.len() || to < new.len() {
            let is_both = at < old.len() && to < new.len();
            if is_both && old[at] == new[to] {
                break;
            }
            // Whichever keeps more of what follows goes first.
            if to == new.len() || (is_both && kept[at + 1][to] >= kept[at][to + 1]) {
                at += 1;
            } else {
                to += 1;
            }
        }
        swaps.push((start..at, begin..to));
    }
    swaps
}

/// How many lines at most stay of `old[i..]` in `new[j..]`, for every `i` and `j`.
fn kept_from(old: &[&str], new: &[&str]) -> Vec<Vec<u32>> {
    let mut kept = vec![vec![0; new.len() + 1]; old.len() + 1];
    for at in (0..old.len()).rev() {
        for to in (0..new.len()).rev() {
            kept[at][to] = if old[at] == new[to] {
                kept[at + 1][to + 1] + 1
            } else {
                kept[at + 1][to].max(kept[at][to + 1])
            };
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str) -> String {
        let (before, after): (Vec<&str>, Vec<&str>) =
            (before.split(' ').collect(), after.split(' ').collect());
        let said = changes(&before, &after)
            .into_iter()
            .map(|(gone, come)| format!("-{} +{}", before[gone].join(","), after[come].join(",")));
        said.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn lines_that_stay_between_two_changes_are_no_change() {
        assert_eq!(check("a b c d e", "a B c D e"), "-b +B; -d +D");
        assert_eq!(check("a b c", "a b c"), "");
        assert_eq!(check("a c", "a b c"), "- +b");
        assert_eq!(check("a b c b d", "a b d"), "-c,b +");
    }

    #[test]
    fn what_changes_makes_the_one_of_the_other() {
        let words = ["a", "b", "c", "a", "d", "b", "b"];
        for start in 0..words.len() {
            for end in start..words.len() {
                let (before, after) = (&words[..end], &words[start..]);
                let mut made: Vec<&str> = Vec::new();
                let mut at = 0;
                for (gone, come) in changes(before, after) {
                    made.extend(&before[at..gone.start]);
                    made.extend(&after[come]);
                    at = gone.end;
                }
                made.extend(&before[at..]);
                assert_eq!(made, after);
            }
        }
    }
}
