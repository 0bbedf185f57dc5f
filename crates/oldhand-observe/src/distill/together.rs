//! What somebody who saw files change says of two of them: git's commits, or the sessions of agents, weighed alike.

use std::collections::BTreeSet;

use oldhand_domain::path::ProjectPath;

use crate::promote::{Dropped, cautious_share};

/// Somebody who saw files change together: commits that are small, or sessions that edited few files. What touches much joins
/// whatever lay about.
pub trait Company {
    /// What was seen of two files since both are there; nothing where one of them is unknown.
    fn together(&self, a: &ProjectPath, b: &ProjectPath) -> Option<Together>;

    /// Whether it has the file at all: what git ignores is nobody's but its author's.
    fn keeps(&self, _file: &ProjectPath) -> bool {
        true
    }

    /// The files that changed with one at least twice, the most frequent first.
    fn beside(&self, file: &ProjectPath) -> Vec<ProjectPath>;

    /// How many of these files changed at once, for each time that any of them did; not when one of them came to be.
    fn changed_of(&self, files: &BTreeSet<ProjectPath>) -> Vec<u32>;
}

/// The most files of a commit or a session that is small; history counts commits by the same number.
pub(crate) const SMALL: usize = 15;

/// One of two files, in the order in which they are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    #[default]
    First,
    Second,
}

/// The changes of two files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Together {
    /// Those of both.
    pub both: u32,
    /// Those of the file that changes more rarely.
    pub rarer: u32,
    /// Those of the other one.
    pub other: u32,
    /// Which of the two changes more rarely.
    pub rarer_is: Which,
    /// All that were seen, of whatever files.
    pub all: u32,
    /// On how many days those of both were made.
    pub days: u32,
    /// The latest changes of the rarer one, and how many of them were of both.
    pub lately: u32,
    pub lately_both: u32,
    /// The same of the other one.
    pub other_lately: u32,
    pub other_lately_both: u32,
    /// How many changes of one of the two came after the last of both, up to how many days later, and how many days both are there by then.
    pub apart: u32,
    pub apart_days: u32,
    pub of_days: u32,
}

/// Fewer changes of both than this bear nothing out by themselves.
const CHANGES: u32 = 5;
/// And what was changed on fewer days is one piece of work, whatever its number of commits: of such pairs of 136 public repositories six
/// in ten held later, of those of eleven days nine.
const DAYS: u32 = 4;
/// And so many must be seen at all.
const FEW_CHANGES: u32 = 3;
/// With so many changes of the rarer file its company is known.
const KNOWN: u32 = 5;
/// Where two witnesses agree the rarer file must bring the other in this share of its changes, seen from the cautious end.
const AGREED_SHARE: f64 = 0.25;
/// How many times as often the other file must change with the rarer one as without it.
const LIFT: f64 = 2.0;
/// How likely chance may make as much of it.
const CHANCE: f64 = 0.01;
const AGREED_CHANCE: f64 = 0.05;
/// What is less likely than this, as a logarithm, adds nothing.
const NEGLIGIBLE: f64 = -40.0;
/// With so many of the latest changes it is known whether it is still so.
const LATELY: u32 = 5;
/// After so many changes without the other, over so many days, it shows that two files went apart. In 40 repositories three in ten of such
/// pairs held later, of the others three in four.
const APART: u32 = 3;
const APART_DAYS: u32 = 14;
/// With so many changes of the rarer file whoever saw them knows better than who saw fewer.
const ENOUGH: u32 = 10;

impl Together {
    /// Where one witness is enough the rarer file must bring the other in this share of its changes, seen from the cautious end.
    pub(crate) const SHARE: f64 = 0.5;
    /// Where one witness is not enough one of them must have seen so many changes of both.
    pub const OFTEN: u32 = 4;

    /// Those of both and of each of the two, each a piece of work by itself; nothing else is known.
    pub fn of(both: u32, [first, second]: [u32; 2]) -> Self {
        Self {
            both,
            days: both,
            rarer: first.min(second),
            other: first.max(second),
            rarer_is: if second < first {
                Which::Second
            } else {
                Which::First
            },
            ..Self::default()
        }
    }

    /// With how many of the latest changes of the first and of the second were of both, and how many they are.
    #[must_use]
    pub fn lately(self, [first, second]: [[u32; 2]; 2]) -> Self {
        let (rarer, other) = match self.rarer_is {
            Which::First => (first, second),
            Which::Second => (second, first),
        };
        Self {
            lately_both: rarer[0],
            lately: rarer[1],
            other_lately_both: other[0],
            other_lately: other[1],
            ..self
        }
    }

    /// With how many changes of one of the two came after the last of both, up to how many of the days that both are there.
    #[must_use]
    pub fn apart(self, changes: u32, [days, of]: [u32; 2]) -> Self {
        Self {
            apart: changes,
            apart_days: days,
            of_days: of,
            ..self
        }
    }

    /// Whether the other file brings the rarer one, too: in half of its changes at least, and still so.
    pub fn holds_both_ways(self) -> bool {
        2 * self.both >= self.other && !is_past(self.other_lately_both, self.other_lately)
    }

    /// Whether enough was seen of the other file to say that it mostly changes alone.
    pub(super) fn is_one_way(self) -> bool {
        self.other >= KNOWN && !self.holds_both_ways()
    }

    /// The same, said from one of the two files only.
    pub(super) fn one_way(self, from: Which) -> Self {
        let (rarer, other) = if self.rarer_is == from {
            (self.rarer, self.other)
        } else {
            (self.other, self.rarer)
        };
        Self {
            rarer,
            other,
            rarer_is: from,
            other_lately: LATELY,
            other_lately_both: 0,
            ..self
        }
    }

    /// Whether a session that edits both needs no other session to bear it out.
    pub fn bears_out(self) -> bool {
        self.both >= CHANGES && self.days >= DAYS && self.holds(Self::SHARE, CHANCE)
    }

    /// Whether it says so too, be it by few changes.
    pub fn agrees(self) -> bool {
        self.both >= FEW_CHANGES
            && 2 * self.both >= self.rarer
            && self.holds(AGREED_SHARE, AGREED_CHANCE)
    }

    /// Whether they are a pair by themselves and each of the two brings the other, the rarer one mostly.
    pub fn is_close(self) -> bool {
        self.bears_out() && 3 * self.both >= self.other
    }

    /// How many of the changes of any of the two are changes of both, seen from the cautious end.
    pub(crate) fn share_of_any(self) -> f64 {
        let (rarer, other) = (self.rarer.max(self.both), self.other.max(self.both));
        cautious_share(self.both, rarer + other - self.both)
    }

    fn holds(self, share: f64, chance: f64) -> bool {
        !self.is_past()
            && self.share() >= share
            && self.share() >= LIFT * self.without()
            && self.by_chance() <= chance
    }

    /// Why it is not so, where enough was seen to say that.
    pub fn against(self) -> Option<Dropped> {
        let Self { both, rarer, .. } = self;
        let apart = rarer >= KNOWN && 2 * both < rarer || rarer >= 2 && both < 2;
        if apart {
            return Some(Dropped::GitDisagrees { both, rarer });
        }
        if is_past(self.lately_both, self.lately) {
            return Some(Dropped::NoLonger {
                both: self.lately_both,
                of: self.lately,
            });
        }
        if self.went_apart() {
            return Some(Dropped::WentApart {
                changes: self.apart,
                days: self.apart_days,
            });
        }
        let share = f64::from(both) / f64::from(rarer.max(1));
        let usual = rarer >= KNOWN && share < LIFT * self.without();
        usual.then(|| self.chance())
    }

    /// That it need be nothing but chance.
    pub(crate) fn chance(self) -> Dropped {
        Dropped::ByChance {
            both: self.both,
            rarer: self.rarer,
            other: self.other,
            all: self.all,
        }
    }

    /// How often the rarer file brings the other, seen from the cautious end.
    pub(crate) fn share(self) -> f64 {
        cautious_share(self.both, self.rarer.max(self.both))
    }

    /// How often the other file changes without the rarer one. Where nothing else was ever seen, nobody can say.
    fn without(self) -> f64 {
        match self.all.saturating_sub(self.rarer) {
            0 => 1.0,
            elsewhere => f64::from(self.other.saturating_sub(self.both)) / f64::from(elsewhere),
        }
    }

    /// Whether it was so once and is no longer.
    fn is_past(self) -> bool {
        is_past(self.lately_both, self.lately) || self.went_apart()
    }

    /// Whether the two went on without each other for a third of the time that both are there.
    fn went_apart(self) -> bool {
        self.apart >= APART && self.apart_days >= APART_DAYS && 3 * self.apart_days >= self.of_days
    }

    /// Why what others saw does not count: enough was seen of the rarer file, and a third of its changes left the other as it was.
    pub fn outweighs(self) -> Option<Dropped> {
        let Self { both, rarer, .. } = self;
        let is_loose = self.is_known() && 3 * both < 2 * rarer;
        is_loose.then_some(Dropped::GitDisagrees { both, rarer })
    }

    /// Why two pages of one folder are no pair: a quarter of the changes of the rarer one left the other as it was, and the rest may be sweeps
    /// over the folder. In 40 repositories a quarter of the later changes of such a page brought the other, else four in five.
    pub fn swept(self) -> Option<Dropped> {
        let Self { both, rarer, .. } = self;
        let is_loose = self.is_known() && 4 * both < 3 * rarer;
        is_loose.then_some(Dropped::GitDisagrees { both, rarer })
    }

    /// Whether enough was seen of the rarer file to know how often it brings the other.
    pub fn is_known(self) -> bool {
        self.rarer >= ENOUGH
    }

    /// Whether it saw both change often enough to be believed where it is not enough by itself.
    pub fn is_often(self) -> bool {
        self.both >= Self::OFTEN
    }

    /// How likely at least as many changes of both are if the two had nothing to do with each other (Fisher's exact test).
    fn by_chance(self) -> f64 {
        let (rarer, other) = (self.rarer.max(self.both), self.other.max(self.both));
        let all = self.all.max(rarer + other - self.both);
        let ways = |of: u32, take: u32| -> f64 {
            let steps = 0..take.min(of - take);
            steps
                .map(|at| (f64::from(of - at) / f64::from(at + 1)).ln())
                .sum()
        };
        let elsewhere = all - other;
        // Where the other file is nearly everywhere, fewer than these of both cannot be.
        let first = self.both.max(rarer.saturating_sub(elsewhere));
        let likely = ways(other, first) + ways(elsewhere, rarer - first) - ways(all, rarer);
        // Each is so much less or more likely than the one before; added up in logarithms, as the first may be too small for a number.
        let mut next = likely;
        let mut sum = 0.0;
        for both in first..=rarer.min(other) {
            sum += next.exp();
            let more = f64::from(other - both) * f64::from(rarer - both);
            let less = f64::from(both + 1) * f64::from(elsewhere + both + 1 - rarer);
            next += (more / less).ln();
            if more < less && next < NEGLIGIBLE {
                break;
            }
        }
        sum
    }
}

/// Whether hardly more than half of the latest changes of a file brought another one: that was so once. Such pairs held later in four of ten
/// cases, all others in eight.
fn is_past(both: u32, lately: u32) -> bool {
    lately >= LATELY && 5 * both < 3 * lately
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(both: u32, rarer: u32, other: u32, all: u32) -> Together {
        let lately = [rarer, other].map(|of| [both.min(8), of.min(8)]);
        let seen = Together {
            all,
            ..Together::of(both, [rarer, other])
        };
        seen.lately(lately)
    }

    #[test]
    fn chance_is_as_likely_as_the_exact_test_says() {
        for (together, likely) in [
            (seen(4, 4, 4, 11), 1.0 / 330.0),
            (seen(3, 3, 7, 12), 35.0 / 220.0),
            (seen(2, 3, 4, 10), 40.0 / 120.0),
            (seen(0, 3, 4, 10), 1.0),
        ] {
            assert!((together.by_chance() - likely).abs() < 1e-9, "{together:?}");
        }
        assert!(seen(400, 900, 4000, 9000).by_chance() > 0.4);
        // Even where the first of many is too small for a number.
        assert!((seen(0, 40_000, 60_000, 200_000).by_chance() - 1.0).abs() < 1e-6);
        assert!(seen(39_000, 40_000, 60_000, 200_000).by_chance() < 1e-9);
    }

    #[test]
    fn a_pair_must_be_more_than_what_everything_changes() {
        assert!(seen(9, 10, 20, 300).bears_out());
        // Every second commit changes the other file, with or without the rarer one.
        assert!(!seen(12, 14, 20, 33).bears_out() && seen(12, 14, 28, 41).against().is_some());
        // Two files that half of all commits change, and never one without the other.
        assert!(seen(18, 18, 19, 41).bears_out());
        assert!(!seen(10, 30, 31, 300).bears_out(), "a third is no company");
        assert!(!seen(4, 4, 5, 300).bears_out() && seen(4, 4, 5, 300).agrees());
        assert!(!seen(9, 9, 9, 9).bears_out(), "nothing else was ever seen");
        let burst = |days| Together {
            days,
            ..seen(9, 10, 20, 300)
        };
        assert!(!burst(3).bears_out() && burst(3).agrees() && burst(4).bears_out());
    }

    #[test]
    fn each_must_bring_the_other_to_be_of_one_group() {
        assert!(seen(7, 8, 9, 90).is_close());
        assert!(seen(9, 10, 40, 290).bears_out() && !seen(9, 10, 40, 290).is_close());
        assert!(
            !seen(4, 4, 4, 90).is_close(),
            "it takes what makes two a pair"
        );
    }

    #[test]
    fn what_bears_out_and_what_agrees_have_their_numbers() {
        let days = |days, seen: Together| Together { days, ..seen };
        for (both, bears_out, agrees) in [
            (2, false, false),
            (3, false, true),
            (4, false, true),
            (5, true, true),
        ] {
            let seen = days(9, seen(both, both, both, 300));
            assert_eq!(
                (seen.bears_out(), seen.agrees()),
                (bears_out, agrees),
                "{both}"
            );
        }
        // Half of the changes of the rarer file, and a quarter at the cautious end.
        assert!(seen(10, 20, 20, 900).lately([[8, 8]; 2]).agrees());
        assert!(!seen(10, 21, 21, 900).lately([[8, 8]; 2]).agrees());
        assert!(seen(5, 9, 9, 900).lately([[8, 8]; 2]).agrees(), "0.27");
        assert!(!seen(4, 8, 8, 900).lately([[8, 8]; 2]).agrees(), "0.22");
        // Twice as often as without it: the share of 18 of 18 is 0.82.
        assert!(seen(18, 18, 58, 118).bears_out(), "0.40 without it");
        assert!(!seen(18, 18, 61, 118).bears_out(), "0.43 without it");
        // Chance: one case of a hundred, and of twenty.
        assert!(seen(5, 5, 6, 12).bears_out(), "0.008");
        assert!(!seen(5, 5, 6, 11).bears_out(), "0.013");
        assert!(seen(3, 3, 4, 9).agrees(), "0.048");
        assert!(!seen(3, 3, 4, 8).agrees(), "0.071");
        // A third of the other's changes make two close.
        assert!(seen(9, 10, 27, 900).is_close() && !seen(9, 10, 28, 900).is_close());
        assert_eq!(Together::of(3, [4, 4]).rarer_is, Which::First);
        // Three of the latest five are still company.
        assert!(!is_past(3, 5) && is_past(2, 5) && !is_past(2, 4));
        assert!(!is_past(6, 10) && is_past(5, 9));
    }

    #[test]
    fn what_is_mostly_apart_or_no_longer_so_is_spoken_against() {
        assert!(seen(4, 9, 9, 200).against().is_some());
        assert!(seen(5, 9, 9, 200).against().is_none(), "half is company");
        assert!(seen(1, 2, 3, 200).against().is_some() && seen(1, 1, 3, 200).against().is_none());
        assert!(seen(2, 4, 4, 200).against().is_none(), "too few to say");
        assert!(seen(9, 12, 13, 200).against().is_none());
        let past = Together {
            lately_both: 4,
            ..seen(9, 12, 13, 200)
        };
        assert_eq!(past.against(), Some(Dropped::NoLonger { both: 4, of: 8 }));
        assert!(!past.bears_out() && !past.agrees());
    }

    #[test]
    fn two_files_that_went_on_alone_for_a_third_of_their_time_are_no_pair_any_more() {
        for (changes, days, is_over) in [
            (3, [40, 120], true),
            (2, [40, 120], false),
            (3, [39, 120], false),
            (3, [14, 42], true),
            (9, [13, 20], false),
        ] {
            let seen = seen(10, 12, 30, 600).apart(changes, days);
            let expected = is_over.then_some(Dropped::WentApart {
                changes,
                days: days[0],
            });
            assert_eq!(seen.against(), expected, "{changes} {days:?}");
            assert_eq!(seen.bears_out(), !is_over, "{changes} {days:?}");
        }
    }

    #[test]
    fn enough_commits_outweigh_few_sessions() {
        for (both, rarer, is_loose) in
            [(6, 10, true), (7, 10, false), (5, 9, false), (10, 16, true)]
        {
            let expected = is_loose.then_some(Dropped::GitDisagrees { both, rarer });
            assert_eq!(
                seen(both, rarer, 30, 600).outweighs(),
                expected,
                "{both} of {rarer}"
            );
        }
        for (both, rarer, is_loose) in [(8, 11, true), (9, 12, false), (6, 9, false)] {
            assert_eq!(
                seen(both, rarer, 30, 600).swept().is_some(),
                is_loose,
                "{both} of {rarer}"
            );
        }
        assert!(seen(4, 5, 9, 90).is_often() && !seen(3, 3, 9, 90).is_often());
        assert!(seen(7, 10, 13, 90).is_known() && !seen(7, 9, 13, 90).is_known());
    }
}
