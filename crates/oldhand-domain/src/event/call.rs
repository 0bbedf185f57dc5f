//! A tool call, freed from its client: the tool and the one argument that matters.

use serde::{Deserialize, Serialize};

use super::text::BoundedText;
use crate::path::ProjectPath;
use crate::spelled::spelled;

/// What an agent asked a tool to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tool", rename_all = "snake_case")]
pub enum Call {
    Read {
        file: Place,
    },
    Edit {
        files: Vec<Place>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        change: Option<Change>,
    },
    Write {
        file: Place,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        change: Option<Change>,
    },
    Grep {
        pattern: String,
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "named"
        )]
        within: Option<Place>,
    },
    Glob {
        pattern: String,
        /// Whether it lists a folder that does not belong to the project.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        outside: bool,
    },
    Shell {
        command: BoundedText,
        /// Whether it prints files that do not belong to the project: only the client knows where a path leads.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        reads_outside: bool,
        /// The folder of the project that it ran in; none for its root and for what nobody told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<ProjectPath>,
    },
    WebFetch {
        url: String,
    },
    WebSearch {
        query: String,
    },
    Mcp {
        server: String,
        name: String,
    },
    Task {
        about: BoundedText,
        /// The kind of agent that is asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
    },
    Other {
        name: String,
        /// What the tool is asked for by its name: a skill.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<String>,
        /// What it does to the plan, for the tools with which agents keep one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<Planning>,
    },
}

/// How many steps a plan has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Planning {
    /// The whole list is written anew.
    Whole(u32),
    /// So many come to what is there.
    Added(u32),
}

/// A place that is named at all: outside has no path, and is not the same as nowhere.
fn named<'de, D: serde::Deserializer<'de>>(told: D) -> Result<Option<Place>, D::Error> {
    Place::deserialize(told).map(Some)
}

/// A file as memories may know it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Option<ProjectPath>", into = "Option<ProjectPath>")]
pub enum Place {
    Project(ProjectPath),
    /// Somewhere else: that it was touched matters for trust, where it lies is nobody's business.
    Outside,
}

impl Place {
    pub fn project(&self) -> Option<&ProjectPath> {
        match self {
            Self::Project(path) => Some(path),
            Self::Outside => None,
        }
    }
}

impl Place {
    fn change(&mut self, change: &mut dyn FnMut(&mut String)) {
        if let Self::Project(path) = self {
            *self = Self::from(changed(path, change));
        }
    }
}

/// The path after a change; `None` when it is none then.
pub(super) fn changed(
    path: &ProjectPath,
    change: &mut dyn FnMut(&mut String),
) -> Option<ProjectPath> {
    let mut text = path.as_str().to_owned();
    change(&mut text);
    if text == path.as_str() {
        return Some(path.clone());
    }
    ProjectPath::new(&text).ok()
}

impl From<Option<ProjectPath>> for Place {
    fn from(path: Option<ProjectPath>) -> Self {
        path.map_or(Self::Outside, Self::Project)
    }
}

impl From<Place> for Option<ProjectPath> {
    fn from(place: Place) -> Self {
        match place {
            Place::Project(path) => Some(path),
            Place::Outside => None,
        }
    }
}

/// What an edit took out and put in, as digests: enough to see that it was undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub removed: Digest,
    pub added: Digest,
}

impl Change {
    pub fn between(removed: &str, added: &str) -> Self {
        Self {
            removed: Digest::of(removed),
            added: Digest::of(added),
        }
    }

    /// Whether this change takes out what `earlier` put in and puts back what it took out.
    pub fn undoes(self, earlier: Self) -> bool {
        self.added == earlier.removed && self.removed == earlier.added
    }
}

/// A short digest of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(u64);

impl Digest {
    pub fn of(text: &str) -> Self {
        let hash = blake3::hash(text.as_bytes());
        let mut eight = [0; 8];
        eight.copy_from_slice(&hash.as_bytes()[..8]);
        Self(u64::from_be_bytes(eight))
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        u64::from_str_radix(&text, 16).map(Self)
    }
}

spelled! {
    /// The tools all clients share under one name.
    ToolName, "tool", {
        Read => "read",
        Edit => "edit",
        Write => "write",
        Grep => "grep",
        Glob => "glob",
        Shell => "shell",
        WebFetch => "web_fetch",
        WebSearch => "web_search",
        Mcp => "mcp",
        Task => "task",
        Other => "other",
    }
}

impl Call {
    pub fn tool(&self) -> ToolName {
        match self {
            Self::Read { .. } => ToolName::Read,
            Self::Edit { .. } => ToolName::Edit,
            Self::Write { .. } => ToolName::Write,
            Self::Grep { .. } => ToolName::Grep,
            Self::Glob { .. } => ToolName::Glob,
            Self::Shell { .. } => ToolName::Shell,
            Self::WebFetch { .. } => ToolName::WebFetch,
            Self::WebSearch { .. } => ToolName::WebSearch,
            Self::Mcp { .. } => ToolName::Mcp,
            Self::Task { .. } => ToolName::Task,
            Self::Other { .. } => ToolName::Other,
        }
    }

    pub(super) fn each_text(&mut self, change: &mut dyn FnMut(&mut BoundedText)) {
        match self {
            Self::Shell { command: text, .. } | Self::Task { about: text, .. } => change(text),
            _ => {}
        }
    }

    /// Patterns, queries and addresses are typed by the agent and may hold secrets too.
    pub(super) fn each_word(&mut self, change: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Grep { pattern: word, .. }
            | Self::Glob { pattern: word, .. }
            | Self::WebFetch { url: word }
            | Self::WebSearch { query: word } => change(word),
            _ => {}
        }
    }

    /// Names that clients and servers make up, and paths.
    pub(super) fn each_name(&mut self, change: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Mcp { server, name } => {
                change(server);
                change(name);
            }
            Self::Other { name, asked, .. } => {
                change(name);
                asked.iter_mut().for_each(change);
            }
            Self::Task { kind, .. } => kind.iter_mut().for_each(change),
            Self::Read { file } | Self::Write { file, .. } => file.change(change),
            Self::Edit { files, .. } => files.iter_mut().for_each(|file| file.change(change)),
            Self::Grep {
                within: Some(place),
                ..
            } => place.change(change),
            _ => {}
        }
    }

    pub(super) fn shrink(&mut self, limit: usize) {
        self.each_word(&mut |word| {
            if word.len() > limit {
                word.truncate(word.floor_char_boundary(limit));
            }
        });
        if let Self::Edit { files, .. } = self {
            files.truncate((limit / 32).max(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_outside_has_no_path_in_the_journal() {
        let call = Call::Read {
            file: Place::Outside,
        };
        assert_eq!(
            serde_json::to_string(&call).unwrap(),
            r#"{"tool":"read","file":null}"#
        );
        let call = Call::Read {
            file: Place::Project(ProjectPath::new("src/a.rs").unwrap()),
        };
        let line = serde_json::to_string(&call).unwrap();
        assert_eq!(serde_json::from_str::<Call>(&line).unwrap(), call);
    }

    #[test]
    fn every_call_comes_back_from_the_journal_as_it_was() {
        let inside = || Place::Project(ProjectPath::new("src/a.rs").unwrap());
        let text = |words: &str| BoundedText::head(words, 100);
        let change = Some(Change::between("a", "b"));
        let word = || "word".to_owned();
        let mut calls = vec![
            Call::WebFetch { url: word() },
            Call::WebSearch { query: word() },
            Call::Mcp {
                server: word(),
                name: word(),
            },
            Call::Task {
                about: text("x"),
                kind: Some(word()),
            },
            Call::Other {
                name: word(),
                asked: Some(word()),
                plan: None,
            },
            Call::Other {
                name: word(),
                asked: None,
                plan: Some(Planning::Whole(3)),
            },
            Call::Other {
                name: word(),
                asked: None,
                plan: Some(Planning::Added(1)),
            },
            Call::Grep {
                pattern: word(),
                within: None,
            },
        ];
        for place in [inside(), Place::Outside] {
            calls.extend([
                Call::Read {
                    file: place.clone(),
                },
                Call::Edit {
                    files: vec![place.clone(), inside()],
                    change,
                },
                Call::Write {
                    file: place.clone(),
                    change: None,
                },
                Call::Grep {
                    pattern: word(),
                    within: Some(place.clone()),
                },
            ]);
        }
        for outside in [false, true] {
            calls.extend([
                Call::Glob {
                    pattern: word(),
                    outside,
                },
                Call::Shell {
                    command: text("ls"),
                    reads_outside: outside,
                    folder: outside.then(|| ProjectPath::new("web").unwrap()),
                },
            ]);
        }
        let kinds: std::collections::BTreeSet<_> =
            calls.iter().map(|call| call.tool().as_str()).collect();
        assert_eq!(kinds.len(), ToolName::ALL.len());
        for call in calls {
            let line = serde_json::to_string(&call).unwrap();
            assert_eq!(serde_json::from_str::<Call>(&line).unwrap(), call, "{line}");
        }
    }

    #[test]
    fn the_tag_of_a_call_is_the_name_of_its_tool() {
        let call = Call::Mcp {
            server: "linear".to_owned(),
            name: "get_issue".to_owned(),
        };
        let line = serde_json::to_string(&call).unwrap();
        assert!(
            line.contains(&format!(r#""tool":"{}""#, call.tool())),
            "{line}"
        );
    }

    #[test]
    fn an_edit_back_undoes_the_edit() {
        let there = Change::between("a", "b");
        assert!(Change::between("b", "a").undoes(there));
        assert!(!Change::between("b", "c").undoes(there));
    }
}
