//! What puts an answer where it is: points that add up to the total by which answers are ordered.

use std::fmt;

use oldhand_domain::id::MemoryId;
use oldhand_domain::path::ProjectPath;

use super::{BAR, BEHIND, Because, Candidate, name_of, say_lane};
use crate::beside::Beside;
use crate::calibration::{ToldAct, chance, log_odds};
use crate::lane::Lane;
use crate::score::Emphasis;

/// Log-odds in the points that lanes count in.
pub(crate) fn points(log_odds: f64) -> f64 {
    log_odds / BEHIND
}

/// What is added to the lanes and the close reading, in their points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Added {
    /// For telling the command that is asked for.
    pub act: f64,
    /// For being about a file that the question names, in a search.
    pub named: f64,
    /// For standing next to the best answers in the code.
    pub boost: f64,
    /// For use, age, trust and confidence, in a search; what is volunteered is multiplied with them behind the total.
    pub usefulness: f64,
}

impl Because {
    /// What the question calls the file that it is about, where it names it.
    pub fn name(&self) -> Option<&ProjectPath> {
        self.beside.as_ref().and_then(Beside::name)
    }

    pub fn added(&self) -> Added {
        let act = self.likelihood.and_then(|known| known.act);
        let act = act.map_or(0.0, ToldAct::moves);
        let boost = self.boost.as_ref().map_or(0.0, |boost| boost.lift);
        let usefulness = self.usefulness.map_or(0.0, |known| match known.emphasis {
            Emphasis::Relevance => known.log_odds(),
            Emphasis::Usefulness => 0.0,
        });
        Added {
            act: points(act),
            named: self.named,
            boost: points(boost),
            usefulness: points(usefulness),
        }
    }

    /// What answers of one question are ordered by.
    pub fn total(&self) -> f64 {
        let Added {
            act,
            named,
            boost,
            usefulness,
        } = self.added();
        self.fused + act + named + boost + usefulness
    }

    /// What it costs not to have been read closely: it stays behind what was.
    fn unread(&self) -> f64 {
        let lanes: f64 = self.lanes.iter().map(|part| part.part).sum();
        let lift = self.reading.map_or(0.0, |reading| reading.lift);
        self.fused - self.start - lanes - lift
    }

    /// All that [`Because::total`] is made of but the start, each with a name.
    fn parts(&self) -> Vec<(&'static str, f64)> {
        let Added {
            act,
            named,
            boost,
            usefulness,
        } = self.added();
        let lanes = Lane::ALL.map(|lane| {
            let parts = self.lanes.iter().filter(|part| part.lane == lane);
            (name_of(lane), parts.map(|part| part.part).sum())
        });
        let lift = self.reading.map_or(0.0, |reading| reading.lift);
        let others = [
            ("where it was read closely", lift + self.unread()),
            ("by the command that the other tells", act),
            ("for the file that is named", named),
            ("by the files beside the best answers", boost),
            ("by usefulness", usefulness),
        ];
        lanes.into_iter().chain(others).collect()
    }

    /// ` · ranked 3.4: every memory starts at -1.1, by words +3.1 (1st: deploy), …`: what is shown adds up to the total.
    pub(super) fn say_place(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lanes.is_empty() {
            if let Some(reading) = &self.reading {
                write!(f, " · {reading}")?;
            }
            return match &self.usefulness {
                Some(usefulness) => write!(f, " · {usefulness}"),
                None => Ok(()),
            };
        }
        let (total, start) = (self.total(), self.start);
        write!(f, " · ranked {total:.1}: every memory starts at {start:.1}")?;
        for part in &self.lanes {
            f.write_str(", ")?;
            say_lane(f, part)?;
            match part.lane {
                Lane::Dense => write!(f, ", cosine {:.2})", part.score)?,
                Lane::Text if !self.words.is_empty() => {
                    write!(f, ": {})", self.words.join(", "))?;
                }
                Lane::Graph => match &self.beside {
                    Some(beside) => write!(f, ": {beside})")?,
                    None => f.write_str(")")?,
                },
                Lane::Text | Lane::Recent => f.write_str(")")?,
            }
        }
        match &self.reading {
            Some(reading) => write!(f, ", {reading}")?,
            None if self.unread() < -0.05 => {
                write!(f, ", behind what was read closely {:+.1}", self.unread())?;
            }
            None => {}
        }
        let act = self.added().act;
        if act > 0.0 {
            write!(f, ", tells the command {act:+.1}")?;
        }
        if let Some(beside) = self.beside.as_ref().filter(|_| self.named > 0.0) {
            write!(f, ", {beside} {:+.1}", self.named)?;
        }
        if let Some(boost) = &self.boost {
            write!(f, ", {boost}")?;
        }
        match &self.usefulness {
            Some(usefulness) if usefulness.emphasis == Emphasis::Relevance => {
                write!(f, ", {usefulness}")
            }
            Some(usefulness) => write!(f, " · {usefulness}"),
            None => Ok(()),
        }
    }
}

/// The answer before it is less likely.
#[derive(Clone, Debug, PartialEq)]
pub struct Outranked {
    pub by: MemoryId,
    /// What it has least of, against the one before, and by how much.
    pub part: &'static str,
    pub less: f64,
}

impl fmt::Display for Outranked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (by, part, less) = (self.by.short(), self.part, self.less);
        write!(
            f,
            "likelier by itself than {by} before it, which has {less:.1} more {part}"
        )
    }
}

/// Chances that are no further apart than this are as good as equal.
const EQUAL: f64 = 0.02;

/// Says of each that stands behind a less likely one for want of what.
///
/// How likely one is says when to speak of it; it does not know how rare the shared words are and how long the text is. Ordering by it finds fewer
/// of the right memories where these are long (`docs/benchmarks/retrieval.md`).
pub fn say_order<'a>(candidates: impl IntoIterator<Item = &'a mut Candidate>) {
    let mut before: Option<&Candidate> = None;
    for candidate in candidates {
        let own = &candidate.because;
        let is_likelier = |other: &&Candidate| own.relevance > other.because.relevance + EQUAL;
        candidate.because.outranked = before.filter(is_likelier).and_then(|other| {
            let theirs = other.because.parts().into_iter();
            let less = theirs
                .zip(own.parts())
                .map(|((part, theirs), (_, own))| (part, theirs - own));
            let (part, less) = less.max_by(|a, b| a.1.total_cmp(&b.1))?;
            Some(Outranked {
                by: other.memory.id,
                part,
                less,
            })
        });
        before = Some(candidate);
    }
}

/// By how much the answer to what is asked for stands before the others, in points.
const BEFORE: f64 = 0.1;

/// Who asks that something is done is answered by the plainest command for it first, where that is likely what is asked for, and then by what
/// has the words of the task. Candidates must be in order, and are afterwards.
pub fn lead_with_command(candidates: &mut [Candidate]) {
    let act = |candidate: &Candidate| candidate.because.likelihood.and_then(|known| known.act);
    let answers = |candidate: &Candidate| {
        act(candidate).is_some_and(ToldAct::is_plain) && candidate.because.relevance >= BAR
    };
    let Some(at) = candidates.iter().position(answers) else {
        return;
    };
    if candidates[..at].iter().all(|one| act(one).is_some()) {
        return;
    }
    let score = candidates[0].score;
    let behind = candidates[0].because.total() - candidates[at].because.total();
    let first = &mut candidates[at];
    let likelihood = first.because.likelihood.as_mut();
    if let Some(told) = likelihood.and_then(|known| known.act.as_mut()) {
        told.move_by((behind + BEFORE).max(0.0) * BEHIND);
    }
    first.score = score * (1.0 + f64::EPSILON);
    candidates[..=at].rotate_right(1);
}

/// Who names a file hears first what is known about it, and then what only shares words with the question; among what is about the file those
/// words decide. Candidates must be in order, and are afterwards.
pub fn lead_with_named(candidates: &mut [Candidate]) {
    let total = |candidate: &&Candidate| candidate.because.total();
    let is_named = |candidate: &&Candidate| candidate.because.name().is_some();
    let (named, others): (Vec<_>, Vec<_>) = candidates.iter().partition(is_named);
    let best = others.iter().map(total).max_by(f64::total_cmp);
    let last = named.iter().map(total).min_by(f64::total_cmp);
    let (Some(best), Some(last)) = (best, last) else {
        return;
    };
    let ahead = (best - last + BEFORE).max(0.0);
    for candidate in candidates.iter_mut() {
        if candidate.because.name().is_some() {
            candidate.because.named = ahead;
            candidate.score = chance(log_odds(candidate.score) + ahead * BEHIND);
        }
    }
    candidates.sort_by(|left, right| right.because.total().total_cmp(&left.because.total()));
}

#[cfg(test)]
mod tests {
    use oldhand_domain::payload::BuiltInType;
    use oldhand_testkit::memory;

    use super::*;
    use crate::beside::Tie;
    use crate::candidate::tests::planned;
    use crate::candidate::{gather, judge};
    use crate::fuse::{Method, fuse};
    use crate::lane::Ranked;

    fn answers(question: &str, texts: &[(&str, f64, f64)], far: f64) -> Vec<Candidate> {
        let plan = planned(question);
        let memories: Vec<_> = (1..)
            .zip(texts)
            .map(|(number, (text, ..))| memory(number, BuiltInType::Pattern, text))
            .collect();
        let ids = || memories.iter().map(|memory| memory.id).zip(texts);
        let lanes = [
            Ranked::new(Lane::Text, ids().map(|(id, (_, words, _))| (id, *words))),
            Ranked::new(Lane::Dense, ids().map(|(id, (.., near))| (id, *near))),
        ];
        let fused = fuse(&lanes, &plan, Method::Standardised);
        let mut found = gather(&fused, memories, &plan);
        // As a close reading would: what has few of the words falls behind.
        for one in &mut found {
            let lane = one
                .because
                .lanes
                .iter()
                .find(|part| part.lane == Lane::Text);
            if lane.is_none_or(|part| part.score < 3.0) {
                one.because.fused -= far;
            }
        }
        judge(&mut found, &plan, 50);
        found
    }

    #[test]
    fn what_is_shown_adds_up_to_what_decides_the_order() {
        let found = answers(
            "run the tests",
            &[
                ("Tests are named after what they say.", 5.0, 0.5),
                ("`make test`: everything.", 1.0, 0.4),
                ("Colours of charts follow the theme.", 0.5, 0.1),
            ],
            0.0,
        );
        assert!(found[0].because.added().act > 0.0, "{}", found[0].because);
        let totals: Vec<f64> = found.iter().map(|one| one.because.total()).collect();
        assert!(totals.is_sorted_by(|a, b| a >= b), "{totals:?}");
        for one in &found {
            let because = &one.because;
            let parts: f64 = because.parts().iter().map(|(_, part)| part).sum();
            assert!((because.start + parts - because.total()).abs() < 1e-9);
            let shown = because.to_string();
            let ranked = format!("ranked {:.1}: every memory starts at ", because.total());
            assert!(shown.contains(&ranked), "{shown}");
        }
    }

    #[test]
    fn who_asks_for_an_act_hears_the_command_before_what_has_its_words() {
        let command = "Run `just fmt` automatically after you have finished making code changes anywhere here.";
        let texts = [
            (
                "When using format! in the code and you can inline variables, always do that.",
                5.0,
                0.38,
            ),
            ("Code: always inline format! args when possible.", 4.9, 0.37),
            (command, 2.5, 0.5),
            ("Colours of charts follow the theme.", 0.1, 0.1),
        ];
        let mut found = answers("format the code", &texts, 12.0);
        assert_ne!(
            found[0].memory.content.as_str(),
            command,
            "its words are few"
        );
        lead_with_command(&mut found);
        assert_eq!(found[0].memory.content.as_str(), command);
        let of = |one: &Candidate| (one.score, one.because.total());
        assert!(found.is_sorted_by(|a, b| of(a).0 >= of(b).0 && of(a).1 >= of(b).1));
        let mut narrower = answers("format the dates of a chart", &texts, 12.0);
        let before = narrower.clone();
        lead_with_command(&mut narrower);
        assert_eq!(narrower, before, "nobody asked for the act");
    }

    #[test]
    fn who_stands_behind_a_less_likely_one_is_told_why() {
        let mut found = answers(
            "rotate the logs",
            &[
                ("Rotate logs daily, logs of the day.", 9.0, 0.2),
                ("Old journals are moved away each night.", 1.0, 0.7),
                ("Colours of charts follow the theme.", 0.5, 0.1),
            ],
            0.0,
        );
        say_order(&mut found);
        let [first, second, third] = &found[..] else {
            panic!("all are found")
        };
        assert!(second.because.relevance > first.because.relevance);
        let why = second.because.outranked.as_ref().map(ToString::to_string);
        let first = first.memory.id.short();
        let expected = format!("likelier by itself than {first} before it, which has ");
        let why = why.unwrap();
        assert!(
            why.starts_with(&expected) && why.ends_with(" more by words"),
            "{why}"
        );
        assert_eq!(third.because.outranked, None);
    }

    #[test]
    fn what_is_about_a_named_file_leads_in_its_own_order() {
        let texts = [
            ("Walk order is that of the names.", 9.0, 0.6),
            ("Entries are sorted late.", 2.0, 0.3),
            ("Locks are held shortly.", 1.0, 0.2),
        ];
        let mut found = answers("walk.rs order", &texts, 0.0);
        let before = found.clone();
        lead_with_named(&mut found);
        assert_eq!(found, before, "nothing is about a named file");
        let file = ProjectPath::new("src/walk.rs").unwrap();
        for one in &mut found[1..] {
            one.because.beside = Some(Beside {
                tie: Tie::Named(file.clone()),
                file: file.clone(),
            });
        }
        lead_with_named(&mut found);
        let said = |at: usize| found[at].memory.content.as_str();
        assert_eq!([said(0), said(1), said(2)], [1, 2, 0].map(|at| texts[at].0));
        let of = |one: &Candidate| (one.score, one.because.total());
        assert!(found.is_sorted_by(|a, b| of(a).0 >= of(b).0 && of(a).1 >= of(b).1));
        let (first, last) = (&found[0].because, &found[2].because);
        assert!(first.named > 0.0 && last.named == 0.0);
        let parts: f64 = first.parts().iter().map(|(_, part)| part).sum();
        assert!((first.start + parts - first.total()).abs() < 1e-9);
        let shown = format!("about src/walk.rs, which is named {:+.1}", first.named);
        assert!(first.to_string().contains(&shown), "{first}");
    }
}
