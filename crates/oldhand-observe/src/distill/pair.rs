//! What is said of two files that change together, and from which of them it holds.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::Taint;
use oldhand_domain::text::{Content, Summary};

use super::{Candidate, SMALL, Together, Which, phrase};
use crate::paths;
use crate::promote::Dropped;

impl Candidate {
    /// The two files that sessions edited close together.
    pub fn edited_pair(&self) -> Option<(&ProjectPath, &ProjectPath)> {
        self.pair().filter(|_| self.edited)
    }

    /// The two files that it says change together, or that showed it where more do.
    pub fn pair(&self) -> Option<(&ProjectPath, &ProjectPath)> {
        if let Some((a, b)) = &self.seed {
            return Some((a, b));
        }
        let mut files = self.files.iter();
        match (files.next(), files.next(), files.next()) {
            (Some(a), Some(b), None) if self.key.starts_with("pair:") => Some((a, b)),
            _ => None,
        }
    }

    /// Says it in the place of what was told as that.
    pub fn replace(&mut self, told: String) {
        self.told = Some(told);
    }

    /// Why these files are no pair.
    pub fn contradict(&mut self, why: Dropped) {
        self.unfit = Some(why);
    }

    /// That the two met need be nothing but chance.
    pub fn doubt(&mut self, seen: Together) {
        self.unfit = Some(seen.chance());
    }

    /// Says what git says too. `sessions` edited both.
    pub fn cite(&mut self, together: Together, sessions: u32) {
        let agents = phrase::sessions(sessions);
        if self.say(
            together,
            ("commits", "people's, since both are there"),
            &format!("; {agents} edited both"),
        ) {
            // It is git that says so now, in names of files and numbers: no outside text of a session has a hand in that.
            self.taint = Taint::CLEAN;
        }
    }

    /// From which file it holds, where sessions edited them and one of the two mostly changes without the other, be it that only git,
    /// which saw more, says so.
    pub fn turn(&mut self, edited: Together, git: Option<Together>) {
        let turned = git.filter(|git| git.is_one_way());
        let turned = turned.map(|git| edited.one_way(git.rarer_is));
        let edited = turned
            .filter(|it| 2 * it.both >= it.rarer)
            .unwrap_or(edited);
        if !edited.holds_both_ways() {
            self.say(edited, ("sessions", "since both were edited"), "");
        }
    }

    /// Words it after what was seen, with which of it was counted. It holds from the rarer of its two files, and from the other where that
    /// mostly brings it.
    fn say(&mut self, together: Together, (seen, counted): (&str, &str), besides: &str) -> bool {
        let Some((a, b)) = self.edited_pair() else {
            return false;
        };
        let (a, b) = match together.rarer_is {
            Which::First => (a.clone(), b.clone()),
            Which::Second => (b.clone(), a.clone()),
        };
        let both = together.both;
        let (of_a, of_b) = (together.rarer.max(both), together.other.max(both));
        let both_ways = together.holds_both_ways();
        // The second time a file is named by its name alone, unless both have one.
        let (mut one, mut other) = (paths::file_name(a.as_str()), paths::file_name(b.as_str()));
        if one == other {
            (one, other) = (a.as_str(), b.as_str());
        }
        let line = |a: &str, b: &str| {
            if both_ways {
                format!("`{a}` and `{b}` change together")
            } else {
                format!("When `{a}` changes, `{b}` usually changes too")
            }
        };
        let whole = line(a.as_str(), b.as_str());
        let numbers = if both_ways {
            format!(
                "small {seen} changed both {both} times, `{one}` {of_a} and `{other}` {of_b} times in all"
            )
        } else {
            format!("{both} of the {of_a} small {seen} that changed `{one}` changed both")
        };
        // Whoever counts all of them finds others.
        let counted = format!("at most {SMALL} files each, {counted}");
        let Ok(content) = Content::new(&format!("{whole}: {numbers} ({counted}){besides}.")) else {
            return false;
        };
        let lines = [whole, line(one, other)];
        self.summary =
            Summary::new(&phrase::shortened(lines)).unwrap_or_else(|_| Summary::of(&content));
        self.content = content;
        self.payload = BuiltInType::CausalDependency.into();
        self.impacted = (!both_ways).then_some(b).into_iter().collect();
        true
    }

    /// Whether it only says that code changes when what is about it does, a test or a document. The way from the code to these helps.
    pub fn is_turned_around(&self) -> bool {
        let is_about =
            |file: &&ProjectPath| paths::is_test(file.as_str()) || paths::is_prose(file.as_str());
        let (to, from): (Vec<_>, Vec<_>) = self
            .files
            .iter()
            .partition(|file| self.impacted.contains(*file));
        !to.is_empty() && from.iter().all(is_about) && !to.iter().any(is_about)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> Candidate {
        let wording = super::super::Wording::plain(
            BuiltInType::CausalDependency,
            "x".to_owned(),
            "x".to_owned(),
        );
        let key = "pair:a.md+b.rs".to_owned();
        let pair = Candidate::new(key, super::super::Origin::Many, wording).unwrap();
        let files = ["a.md", "b.rs"].map(|file| ProjectPath::new(file).unwrap());
        let mut pair = pair.about(files);
        pair.edited = true;
        pair
    }

    #[test]
    fn git_says_from_which_end_what_sessions_edited_holds() {
        let told = |edited: [u32; 2], git: Option<(u32, [u32; 2])>| {
            let mut pair = pair();
            let git = git.map(|(both, each)| Together::of(both, each));
            pair.turn(Together::of(6, edited), git);
            (pair.content.to_string(), pair.is_turned_around())
        };
        let as_it_was = ("x".to_owned(), false);
        assert_eq!(told([7, 8], None), as_it_was);
        assert_eq!(told([7, 8], Some((11, [19, 20]))), as_it_was);
        assert_eq!(told([3, 4], Some((1, [1, 4]))), as_it_was, "too few to say");
        let from_the_document = "When `a.md` changes, `b.rs` usually changes too: 6 of the 8 small sessions that changed `a.md` changed both (at most 15 files each, since both were edited).";
        for edited in [[8, 7], [8, 9]] {
            let (content, is_turned) = told(edited, Some((11, [19, 68])));
            assert_eq!(content, from_the_document);
            assert!(is_turned, "the other file changes with everything");
        }
        assert_eq!(
            told([13, 6], Some((11, [19, 68]))).0,
            "When `b.rs` changes, `a.md` usually changes too: 6 of the 6 small sessions that changed `b.rs` changed both (at most 15 files each, since both were edited)."
        );
    }

    #[test]
    fn a_pair_is_told_from_the_end_at_which_it_holds() {
        let say = |each: [u32; 2], both| {
            let mut pair = pair();
            pair.cite(Together::of(both, each), 3);
            let impacted: Vec<String> = pair.impacted.iter().map(ToString::to_string).collect();
            (
                pair.content.to_string(),
                pair.summary.to_string(),
                impacted.join(" "),
            )
        };
        let (content, summary, impacted) = say([365, 22], 19);
        assert_eq!(
            content,
            "When `b.rs` changes, `a.md` usually changes too: 19 of the 22 small commits that changed `b.rs` changed both (at most 15 files each, people's, since both are there); 3 sessions edited both."
        );
        assert_eq!(summary, "When `b.rs` changes, `a.md` usually changes too");
        assert_eq!(impacted, "a.md");
        let (content, summary, impacted) = say([22, 24], 19);
        assert_eq!(
            content,
            "`a.md` and `b.rs` change together: small commits changed both 19 times, `a.md` 22 and `b.rs` 24 times in all (at most 15 files each, people's, since both are there); 3 sessions edited both."
        );
        assert_eq!(summary, "`a.md` and `b.rs` change together");
        assert_eq!(impacted, "");
        assert_eq!(say([22, 38], 19).2, "", "half of the changes is company");
        assert_eq!(say([22, 39], 19).2, "b.rs");
    }
}
