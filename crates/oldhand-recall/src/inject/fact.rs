//! What is said beside memories: looked up or counted, and made of the project's own names, and of commands that were run in it.
//!
//! Nobody's sentences are in here. A command is named after a session that was validated and that no outside text had a hand in;
//! names and commands are shown as plainly as a memory is.

use oldhand_domain::path::ProjectPath;

use super::ClearedFix;
use crate::pack::Item;

/// A line about the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    key: String,
    label: &'static str,
    text: String,
    file: Option<ProjectPath>,
    source: &'static str,
}

impl Fact {
    /// What the project is made of, the largest modules first. A project of one piece has no map worth reading. `read_at` is the
    /// commit the map was made of, where another one is checked out by now.
    pub fn modules(names: &[String], read_at: Option<&str>) -> Option<Self> {
        let age = read_at.map(|commit| format!(" (as of commit {commit})"));
        let age = age.unwrap_or_default();
        (names.len() > 1).then(|| Self {
            key: "modules".to_owned(),
            label: "modules",
            text: format!("{}{age}", names.join(", ")),
            file: None,
            source: "code map",
        })
    }

    /// Files that usually change together with `file`: each with in how many of its changes.
    pub fn coupled(file: &ProjectPath, with: &[(ProjectPath, u32, u32)]) -> Option<Self> {
        let named: Vec<String> = with
            .iter()
            .map(|(other, together, changes)| format!("{other} ({together} of {changes})"))
            .collect();
        (!named.is_empty()).then(|| Self {
            key: format!("coupled:{file}"),
            label: "changes together with",
            text: named.join(", "),
            file: Some(file.clone()),
            source: "git history",
        })
    }

    /// A file whose fixes needed fixing: so many in a row, each within two weeks of the last.
    pub fn fragile(file: &ProjectPath, fixes: u32) -> Self {
        Self {
            key: format!("fragile:{file}"),
            label: "fixed again and again",
            text: format!(
                "{file} was fixed {fixes} times in a row, each time in lines of the fix before and within two weeks of it"
            ),
            file: Some(file.clone()),
            source: "git history",
        }
    }

    /// What made an error go away before. Known is what held twice: once may have been chance.
    pub fn fix(fix: &ClearedFix) -> Self {
        const LONGEST: usize = 300;
        const TESTED: u32 = 2;
        let ClearedFix {
            error,
            deed,
            sessions,
            held,
        } = fix;
        let deed = &deed[..deed.floor_char_boundary(LONGEST)];
        let times = match *sessions {
            1 => "a session that ended well".to_owned(),
            many => format!("{many} sessions"),
        };
        Self {
            key: format!("fix:{error}"),
            label: if *held < TESTED {
                "perhaps"
            } else {
                "known fix"
            },
            text: format!("this error went away with {deed}, in {times}"),
            file: None,
            source: "error registry",
        }
    }

    /// Where a search that was made before led.
    pub fn searched(pattern: &str, files: &[ProjectPath]) -> Option<Self> {
        let named: Vec<&str> = files.iter().map(ProjectPath::as_str).collect();
        (!named.is_empty()).then(|| Self {
            key: format!("searched:{pattern}"),
            label: "searched before",
            text: format!(
                "this search was made earlier in this session and led to {}",
                named.join(", ")
            ),
            file: None,
            source: "this session",
        })
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn item(&self, score: f64) -> Item {
        Item {
            cite: self.source.to_owned(),
            label: self.label.to_owned(),
            text: self.text.clone(),
            file: self.file.clone(),
            lines: None,
            is_contrary: false,
            share: 1.0,
            score,
        }
    }
}
