//! What a session was for: what somebody said of it, or else what it plainly did.

use oldhand_domain::event::SessionType;

use super::SessionAnalytics;
use crate::distill::phrase::clip;
use crate::outcome::git::GitVerb;
use crate::outcome::review::{ReviewAct, asks_for_review, review_acts};

/// The type of a session, and what says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    pub session_type: SessionType,
    pub because: Because,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// Somebody said so of the session.
    Told { by: String },
    /// Whoever started it said so.
    Started,
    /// It plainly was that, for this reason.
    Plain(String),
    /// Nothing says anything: most people who run an agent build something.
    Nothing,
}

impl Because {
    /// In words a person can check.
    pub fn describe(&self) -> Option<String> {
        match self {
            Self::Told { by } => Some(format!("{by} said so")),
            Self::Started => Some("whoever started it said so".to_owned()),
            Self::Plain(why) => Some(why.clone()),
            Self::Nothing => None,
        }
    }
}

/// What was done at a host of repositories for a review.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reviewing {
    /// The first line that brought in what is proposed.
    looked: Option<String>,
    /// The last line that handed a review in, and the last that said anything beside it.
    reviewed: Option<String>,
    commented: Option<String>,
}

/// So much of a prompt and of a line is told, in bytes.
const TOLD: usize = 100;

impl SessionAnalytics {
    /// What somebody said counts before what the session shows: a person, then whoever started it, then its agent.
    pub fn kind(&self) -> Kind {
        let said = self.told_type.as_ref();
        let by_person = said.filter(|(_, by)| is_person(by));
        let started = || self.start.as_ref()?.told_type();
        let (session_type, because) = if let Some((told, by)) = by_person {
            (*told, Because::Told { by: by.clone() })
        } else if let Some(told) = started() {
            (told, Because::Started)
        } else if let Some((told, by)) = said {
            (*told, Because::Told { by: by.clone() })
        } else if let Some(why) = self.plain_review() {
            (SessionType::PrReview, Because::Plain(why))
        } else {
            (SessionType::default(), Because::Nothing)
        };
        Kind {
            session_type,
            because,
        }
    }

    /// The line by which a review was posted, if it was.
    pub(crate) fn posted_review(&self) -> Option<&str> {
        let Reviewing {
            reviewed,
            commented,
            ..
        } = &self.reviewing;
        reviewed.as_deref().or(commented.as_deref())
    }

    /// Whether the reviewer said all there is to say: nothing was called or asked since, or it was posted.
    pub(crate) fn is_reviewed(&self) -> bool {
        self.step > 0 && (self.is_summed_up() || self.posted_review().is_some())
    }

    /// Why a session that nobody gave a type was a review and nothing else. One that was broken off may become anything yet.
    fn plain_review(&self) -> Option<String> {
        let is_commit = |act: &(u32, _)| matches!(act.1, GitVerb::Commit | GitVerb::Draft);
        let mut acts = self.git.iter().map(|(step, act)| (*step, act.verb));
        let changed = !self.edits.is_empty()
            || !self.unnamed_edits.is_empty()
            || !self.commits.is_empty()
            || acts.any(|act| is_commit(&act));
        if changed || !self.is_reviewed() {
            return None;
        }
        let first = self.prompts.first();
        let asked = first.filter(|prompt| asks_for_review(&prompt.text));
        let did = asked.map_or_else(
            || {
                let looked = clip(self.reviewing.looked.as_deref()?, TOLD);
                let posted = clip(self.reviewing.reviewed.as_deref()?, TOLD);
                Some(format!("`{looked}` was followed by `{posted}`"))
            },
            |prompt| {
                let line = prompt.text.lines().find(|line| !line.trim().is_empty());
                let words = clip(line.unwrap_or_default(), TOLD);
                Some(format!("its first prompt asks for a review (\"{words}\")"))
            },
        )?;
        Some(format!("{did} and nothing was changed"))
    }

    pub(super) fn hear_type(&mut self, told: SessionType, by: &str) {
        let known = self.told_type.as_ref();
        let outranks = known.is_some_and(|(_, known)| is_person(known) && !is_person(by));
        if !outranks {
            self.told_type = Some((told, by.to_owned()));
        }
    }

    /// Takes in a command that did not fail.
    pub(super) fn count_review(&mut self, line: &str) {
        for act in review_acts(line) {
            let kept = match act {
                ReviewAct::Looks if self.reviewing.looked.is_some() => continue,
                ReviewAct::Looks => &mut self.reviewing.looked,
                ReviewAct::Reviews => &mut self.reviewing.reviewed,
                ReviewAct::Comments => &mut self.reviewing.commented,
            };
            *kept = Some(line.to_owned());
        }
    }
}

fn is_person(by: &str) -> bool {
    by == "user"
}

#[cfg(test)]
mod tests {
    use oldhand_domain::event::{Event, Happening};

    use super::*;
    use crate::fold::{FoldOptions, fold};
    use crate::story::events;

    fn kind(story: &str) -> Kind {
        fold(&events(story), &FoldOptions::default()).kind()
    }

    #[test]
    fn a_session_that_was_asked_for_a_review_and_changed_nothing_is_one() {
        use SessionType::{Build, PrReview};
        let asked = "prompt review PR #12";
        for (story, expected) in [
            ("run gh pr diff 12 = 0; say Two findings.", PrReview),
            ("read src/a.rs; say Two findings.; end", PrReview),
            (
                "read src/a.rs; run gh pr review 12 -c -b x = 0; read src/b.rs",
                PrReview,
            ),
            (
                "run gh pr diff 12 = 0; say Two findings.; prompt post it; run gh pr comment 12 -b x = 0",
                PrReview,
            ),
            ("run make test = 1: error: bad; say It fails.", PrReview),
            // It is not over.
            ("read src/a.rs", Build),
            ("say I shall review it.", Build),
            ("read src/a.rs; run gh pr review 12 -c -b x = 1: no", Build),
            // It did more than to look.
            ("edit src/a.rs; say Two findings, and fixed.", Build),
            ("run sed -i s/a/b/ src/a.rs = 0; say Fixed.", Build),
            ("read src/a.rs; run git commit -m x = 0; say Done.", Build),
            ("read src/a.rs; commit x; say Done.", Build),
        ] {
            let story = format!("start build; {asked}; {story}");
            assert_eq!(kind(&story).session_type, expected, "{story}");
        }
        let later = "prompt what is in src?; read src/a.rs; say A cache.; prompt review PR 12; read src/b.rs; say Fine.";
        assert_eq!(kind(later).session_type, Build);
    }

    #[test]
    fn a_diff_that_was_read_and_a_review_that_was_handed_in_are_a_review_whatever_was_asked() {
        use SessionType::{Build, PrReview};
        for (story, expected) in [
            (
                "run gh pr diff 12 = 0; run gh pr review 12 --approve = 0",
                PrReview,
            ),
            (
                "run glab mr checkout 3 = 0; run glab mr approve 3 = 0",
                PrReview,
            ),
            // Who looks may look for anything, and who comments may say anything.
            ("run gh pr diff 12 = 0; say Here is what it does.", Build),
            (
                "run gh pr diff 12 = 0; run gh pr comment 12 -b later = 0",
                Build,
            ),
            ("run gh pr review 12 --approve = 0; say Done.", Build),
        ] {
            let story = format!("prompt number 12, then; {story}");
            assert_eq!(kind(&story).session_type, expected, "{story}");
        }
    }

    #[test]
    fn the_reason_is_told_in_the_words_of_the_session() {
        for (story, expected) in [
            (
                "prompt review PR #12; read a.rs; say Fine.",
                Some(
                    "its first prompt asks for a review (\"review PR #12\") and nothing was changed",
                ),
            ),
            (
                "prompt go; run gh pr diff 12 = 0; run gh pr review 12 -a = 0",
                Some(
                    "`gh pr diff 12` was followed by `gh pr review 12 -a` and nothing was changed",
                ),
            ),
            (
                "start changelog; prompt go",
                Some("whoever started it said so"),
            ),
            ("prompt go; read a.rs; say Fine.", None),
        ] {
            let because = kind(story).because.describe();
            assert_eq!(because.as_deref(), expected, "{story}");
        }
    }

    #[test]
    fn what_was_told_counts_before_what_was_seen_and_a_person_before_an_agent() {
        use SessionType::{Build, Changelog, Insights, PrReview, Roadmap};
        let review = "prompt review PR #12; read src/a.rs; say Fine.";
        let told = |start: &str, told: &[(SessionType, &str)]| {
            let mut all = events(&format!("{start}; {review}"));
            let at = all[0].at;
            all.extend(told.iter().map(|(session_type, by)| {
                let what = Happening::TypeTold {
                    session_type: *session_type,
                    by: (*by).to_owned(),
                };
                Event::new(at, what)
            }));
            fold(&all, &FoldOptions::default()).kind().session_type
        };
        for (start, said, expected) in [
            ("start build", &[][..], PrReview),
            ("start roadmap", &[], Roadmap),
            ("start build", &[(Build, "user")], Build),
            ("start roadmap", &[(Changelog, "agent")], Roadmap),
            ("start roadmap", &[(Changelog, "user")], Changelog),
            (
                "start build",
                &[(Changelog, "agent"), (Insights, "agent")],
                Insights,
            ),
            (
                "start build",
                &[(Changelog, "user"), (Insights, "user")],
                Insights,
            ),
            (
                "start build",
                &[(Changelog, "agent"), (Insights, "user")],
                Insights,
            ),
            (
                "start build",
                &[(Changelog, "user"), (Insights, "agent")],
                Changelog,
            ),
        ] {
            assert_eq!(told(start, said), expected, "{start} {said:?}");
        }
        let mut all = events(&format!("start build; {review}"));
        if let Happening::SessionStarted(start) = &mut all[0].what {
            start.type_told = true;
        }
        let kind = fold(&all, &FoldOptions::default()).kind();
        assert_eq!((kind.session_type, kind.because), (Build, Because::Started));
    }
}
