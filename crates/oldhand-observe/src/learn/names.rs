//! Names that a client does not have: skills, kinds of agents and tools that session after session calls in vain.
//!
//! Each new session tries it again and goes on without. Whoever called one with success even once shows that it is there for some,
//! so that nothing is told of it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::id::SessionId;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::Taint;
use oldhand_domain::text::Fingerprint;
use serde::{Deserialize, Serialize};

use super::errors::occasions;
use super::facts::SessionFacts;
use super::walls::{OCCASIONS, sure_after};
use super::{Knowledge, synthesis};
use crate::distill::{Candidate, Wording};
use crate::fold::{NameKind, Named, SessionAnalytics};

/// How the key of what a client has not begins.
const IN_VAIN: &str = "in_vain:";

/// A name that a client was asked for and has not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VainFact {
    pub named: Named,
    pub steps: Vec<u32>,
    /// Outside text that had come in before.
    #[serde(default, skip_serializing_if = "Taint::is_clean")]
    pub taint: Taint,
}

/// What a session asked its client for in vain.
pub(super) fn in_vain(session: &SessionAnalytics) -> Vec<VainFact> {
    let called = session.in_vain.iter();
    let told = called.map(|(named, used)| VainFact {
        named: named.clone(),
        steps: used.steps.clone(),
        taint: session.taint_after(used.steps.first().copied().unwrap_or(0)),
    });
    told.collect()
}

/// What clients have, and what they have not, over all sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// By client and name.
    in_vain: BTreeMap<(String, Named), VainRecord>,
    there: BTreeSet<(String, Named)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct VainRecord {
    sessions: BTreeSet<SessionId>,
    times: BTreeSet<Timestamp>,
    /// When sessions called it before any outside text came in.
    clean: BTreeSet<Timestamp>,
}

impl Names {
    pub(super) fn learn(&mut self, facts: &SessionFacts) {
        let of_client = |named: &Named| (facts.client.clone(), named.clone());
        self.there.extend(facts.names.iter().map(of_client));
        for vain in &facts.in_vain {
            let record = self.in_vain.entry(of_client(&vain.named)).or_default();
            record.learn(facts, vain);
        }
    }
}

impl VainRecord {
    fn learn(&mut self, facts: &SessionFacts, vain: &VainFact) {
        self.sessions.insert(facts.session.clone());
        self.times.insert(facts.at);
        if vain.taint.is_clean() {
            self.clean.insert(facts.at);
        }
    }
}

impl Knowledge {
    /// What a session asked its client for in vain once more, as would-be memories.
    pub(crate) fn in_vain(&self, facts: &SessionFacts) -> Vec<Candidate> {
        let is_there = |named: Named| {
            facts.names.contains(&named)
                || self.names.there.contains(&(facts.client.clone(), named))
        };
        let called = facts.in_vain.iter().filter(|vain| {
            // A success of which nobody knows the name may have been of this one.
            let some = (vain.named.kind == NameKind::Skill).then(Named::some_skill);
            !is_there(vain.named.clone()) && !some.is_some_and(is_there)
        });
        let told = called.filter_map(|vain| {
            let key = (facts.client.clone(), vain.named.clone());
            let record = self.names.in_vain.get(&key);
            let mut record = record.cloned().unwrap_or_default();
            record.learn(facts, vain);
            tell(&record, &facts.client, vain)
        });
        told.collect()
    }
}

fn tell(record: &VainRecord, client: &str, vain: &VainFact) -> Option<Candidate> {
    let occasions = occasions(&record.times);
    if occasions < OCCASIONS {
        return None;
    }
    let (named, last) = (&vain.named, record.times.last()?.strftime("%Y-%m-%d"));
    let (kind, name) = (named.kind.as_str(), &named.name);
    let lacks = format!("{} has no {kind} `{name}` here", called(client)?);
    let sessions = record.sessions.len();
    let wording = Wording {
        payload: BuiltInType::Gotcha.into(),
        content: format!("{lacks}: {sessions} sessions called it in vain, last on {last}."),
        summary: lacks,
    };
    let clean = self::occasions(&record.clean) >= OCCASIONS;
    let taint = if clean {
        Taint::CLEAN
    } else {
        vain.taint.clone()
    };
    let message = missing_name(client, named);
    let key = format!("{IN_VAIN}{message}");
    let mut candidate = synthesis::candidate(
        key,
        wording,
        sure_after(occasions),
        record.sessions.clone(),
        taint,
    )?;
    candidate
        .fingerprints
        .extend(Fingerprint::new(&message).ok());
    Some(candidate)
}

/// What a memory of a missing name is known by, whatever words the client has for it.
pub(crate) fn missing_name(client: &str, named: &Named) -> String {
    format!("{client}: unknown {}: {}", named.kind.as_str(), named.name)
}

/// What memories would be known by that say of the names a session called with success that they are missing, each with the name.
pub fn missing_names(facts: &SessionFacts) -> BTreeMap<String, &str> {
    let there = facts.names.iter();
    let told = there.map(|named| (missing_name(&facts.client, named), named.name.as_str()));
    told.collect()
}

/// Where clients look for what a project brings.
const FOLDERS: [&str; 3] = [".claude", ".opencode", ".gemini"];

/// The files of a project that would bring what a candidate says is missing.
pub fn defined_in(key: &str) -> Vec<String> {
    key.strip_prefix(IN_VAIN).map_or_else(Vec::new, brought_by)
}

/// The same for what a memory of a missing name is known by.
pub fn brought_by(message: &str) -> Vec<String> {
    let named = message.split_once(": unknown ");
    let Some((kind, name)) = named.and_then(|(_, named)| named.split_once(": ")) else {
        return Vec::new();
    };
    let name = name.replace(':', "/");
    let folders = FOLDERS.iter();
    let brings = folders.flat_map(|folder| {
        if kind == NameKind::Skill.as_str() {
            vec![
                format!("{folder}/skills/{name}/SKILL.md"),
                format!("{folder}/skill/{name}/SKILL.md"),
                format!("{folder}/commands/{name}.md"),
                format!("{folder}/command/{name}.md"),
                format!("{folder}/commands/{name}.toml"),
            ]
        } else if kind == NameKind::Agent.as_str() {
            vec![
                format!("{folder}/agents/{name}.md"),
                format!("{folder}/agent/{name}.md"),
            ]
        } else {
            Vec::new()
        }
    });
    brings.collect()
}

/// What people call a client.
fn called(client: &str) -> Option<&str> {
    Some(match client {
        "" => return None,
        "claude-code" => "Claude Code",
        "codex" => "Codex",
        "gemini" => "Gemini CLI",
        "cursor" => "Cursor",
        "opencode" => "OpenCode",
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::super::tests::session;
    use super::*;

    const VAIN: &str =
        "start build; skill commit = failed: Unknown skill: commit; run git commit -m a = 0";
    const THERE: &str = "start build; skill commit = ok: Launching skill: commit";

    /// What each of some sessions tells after those before it were learned, each at its hour.
    fn told(stories: &[(i64, &str)]) -> Vec<Option<String>> {
        let mut known = Knowledge::default();
        let told = stories.iter().enumerate().map(|(number, (hour, story))| {
            let mut facts = session(number as u32, story);
            facts.at = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(*hour);
            let told = known.in_vain(&facts).pop();
            known.learn(&facts);
            told.map(|told| told.content.as_str().to_owned())
        });
        told.collect()
    }

    #[test]
    fn what_three_occasions_called_in_vain_is_missing() {
        let expected =
            "story has no skill `commit` here: 3 sessions called it in vain, last on 1970-01-03.";
        assert_eq!(
            told(&[(0, VAIN), (24, VAIN), (48, VAIN)]),
            [None, None, Some(expected.to_owned())]
        );
        let evening: Vec<_> = (0..9).map(|hour| (hour / 2, VAIN)).collect();
        assert!(told(&evening).iter().all(Option::is_none), "one evening");
    }

    #[test]
    fn what_anybody_called_with_success_is_there() {
        let days = |stories: [&'static str; 4]| -> Vec<_> {
            let stories = stories.into_iter().enumerate();
            stories
                .map(|(day, story)| (day as i64 * 24, story))
                .collect()
        };
        let both = "start build; skill commit = failed: Unknown skill: commit; skill commit = ok: Launching skill: commit";
        for stories in [
            [THERE, VAIN, VAIN, VAIN],
            [VAIN, THERE, VAIN, VAIN],
            [VAIN, VAIN, VAIN, both],
        ] {
            assert_eq!(told(&days(stories)).last(), Some(&None), "{stories:?}");
        }
        // Of another name, or of another kind, it says nothing.
        let other = "start build; skill review = ok: Launching skill: review; task commit: do it";
        assert!(
            told(&days([other, VAIN, VAIN, VAIN]))
                .pop()
                .flatten()
                .is_some()
        );
    }

    #[test]
    fn a_file_of_the_project_may_bring_a_name() {
        let named = Named {
            kind: NameKind::Skill,
            name: "git:commit".to_owned(),
        };
        let key = format!("{IN_VAIN}{}", missing_name("claude-code", &named));
        let files = defined_in(&key);
        assert!(
            files.contains(&".claude/skills/git/commit/SKILL.md".to_owned()),
            "{files:?}"
        );
        assert!(
            files.contains(&".claude/commands/git/commit.md".to_owned()),
            "{files:?}"
        );
        assert_eq!(defined_in("wall:no such host"), Vec::<String>::new());
    }
}
