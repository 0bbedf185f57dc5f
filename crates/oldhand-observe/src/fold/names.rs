//! What a client is asked for by its name, a skill, a kind of agent or a tool, and whether it has it.

use oldhand_domain::event::{Call, Ending, Return};
use serde::{Deserialize, Serialize};

use super::SessionAnalytics;

/// As many of a session are kept.
const MOST: usize = 64;
const MOST_IN_VAIN: usize = 16;
/// A longer name is none.
const LONGEST: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NameKind {
    Skill,
    Agent,
    Tool,
}

impl NameKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::Agent => "agent",
            Self::Tool => "tool",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Named {
    pub kind: NameKind,
    pub name: String,
}

/// The first steps at which a name was called in vain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameUse {
    pub steps: Vec<u32>,
}

impl Named {
    /// Names as code writes them; anything else is a slip of whoever wrote the call.
    fn new(kind: NameKind, name: &str) -> Option<Self> {
        let name = name.trim_start_matches('/');
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-_:./".contains(c);
        let is_name = name.len() <= LONGEST
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.ends_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(is_part);
        is_name.then(|| Self {
            kind,
            name: name.to_owned(),
        })
    }

    /// A skill that the journal does not name: it may be any.
    pub(crate) fn some_skill() -> Self {
        Self {
            kind: NameKind::Skill,
            name: String::new(),
        }
    }

    /// What a client that answered has.
    fn answered(call: &Call) -> Vec<Self> {
        match call {
            Call::Other { name, asked, .. } => {
                let skill = match asked {
                    Some(asked) => Self::new(NameKind::Skill, asked),
                    None => (name == "Skill").then(Self::some_skill),
                };
                let tool = Self::new(NameKind::Tool, name);
                skill.into_iter().chain(tool).collect()
            }
            Call::Task {
                kind: Some(kind), ..
            } => Self::new(NameKind::Agent, kind).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// What a client says that it has not, in the words of Claude Code, Gemini CLI and OpenCode. Tools count only where the journal
    /// keeps their names: nobody knows by which one a file was read.
    fn missing(back: &Return) -> Option<Self> {
        let words = back.excerpt.as_str().trim();
        let words = words.strip_prefix("<tool_use_error>").unwrap_or(words);
        let words = words.split("</tool_use_error>").next().unwrap_or(words);
        let is_refused = back.ended == Ending::Failed;
        match &back.call {
            Call::Other { name, .. } if name == "invalid" => {
                let (_, rest) = words.split_once("Model tried to call unavailable tool '")?;
                let (name, rest) = rest.split_once('\'')?;
                let is_whole = rest.starts_with(". Available tools:");
                let is_shared = SHARED.contains(&name.to_lowercase().as_str());
                let named = Self::new(NameKind::Tool, name)?;
                (is_whole && !is_shared).then_some(named)
            }
            Call::Other { name, asked, .. } if is_refused => {
                if name == "Skill" {
                    let skill = Self::new(NameKind::Skill, after(words, "Unknown skill: ")?)?;
                    let asked = asked.as_ref();
                    let is_it =
                        asked.is_none_or(|asked| asked.trim_start_matches('/') == skill.name);
                    return is_it.then_some(skill);
                }
                let quoted = format!("Tool \"{name}\" not found.");
                let told = after(words, "No such tool available: ");
                let is_it = told == Some(name.as_str()) || words.starts_with(&quoted);
                Self::new(NameKind::Tool, name).filter(|_| is_it)
            }
            Call::Task { kind, .. } if is_refused => {
                let rest = words.strip_prefix("Agent type '")?;
                let (name, rest) = rest.split_once('\'')?;
                let is_it = kind.as_ref()? == name;
                let is_whole = rest.starts_with(" not found");
                let named = Self::new(NameKind::Agent, name)?;
                (is_it && is_whole).then_some(named)
            }
            _ => None,
        }
    }
}

/// Tools that OpenCode shares with others, under which the journal does not keep a call.
const SHARED: [&str; 14] = [
    "bash",
    "edit",
    "glob",
    "grep",
    "list",
    "ls",
    "multiedit",
    "patch",
    "read",
    "task",
    "webfetch",
    "websearch",
    "write",
    "codesearch",
];

/// The one word behind a mark that opens a refusal, where nothing but that is said.
fn after<'w>(words: &'w str, mark: &str) -> Option<&'w str> {
    let words = words.strip_prefix("Error: ").unwrap_or(words);
    let rest = words.strip_prefix(mark)?.trim_end();
    (!rest.contains(char::is_whitespace)).then(|| rest.trim_end_matches('.'))
}

pub(super) fn take(session: &mut SessionAnalytics, back: &Return, agent: Option<&str>) {
    if let Some(named) = Named::missing(back) {
        // What a subagent may not call its kind was not given.
        let is_known = session.in_vain.contains_key(&named);
        if agent.is_none() && (is_known || session.in_vain.len() < MOST_IN_VAIN) {
            let step = session.step;
            let used = session.in_vain.entry(named).or_default();
            if used.steps.len() < 8 {
                used.steps.push(step);
            }
        }
    } else if back.ended == Ending::Succeeded {
        for named in Named::answered(&back.call) {
            session.keep_name(named);
        }
    }
}

impl SessionAnalytics {
    pub(super) fn count_agent(&mut self, kind: &str) {
        if let Some(named) = Named::new(NameKind::Agent, kind) {
            self.keep_name(named);
        }
    }

    fn keep_name(&mut self, named: Named) {
        if self.names.len() < MOST {
            self.names.insert(named);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::{FoldOptions, fold};

    fn told(story: &str) -> (Vec<String>, Vec<String>) {
        let session = fold(&crate::story::events(story), &FoldOptions::default());
        let told = |named: &Named| format!("{} {}", named.kind.as_str(), named.name);
        (
            session.in_vain.keys().map(told).collect(),
            session.names.iter().map(told).collect(),
        )
    }

    #[test]
    fn a_client_says_which_names_it_has_not() {
        for (story, expected) in [
            (
                "skill commit = failed: Unknown skill: commit",
                "skill commit",
            ),
            (
                "skill commit = failed: <tool_use_error>Unknown skill: commit</tool_use_error>",
                "skill commit",
            ),
            (
                "skill tools:code-review = failed: Unknown skill: tools:code-review",
                "skill tools:code-review",
            ),
            (
                "task reviewer: look it over = failed: Agent type 'reviewer' not found. Available agents: Explore, Plan",
                "agent reviewer",
            ),
            (
                "call Lookup = failed: Error: No such tool available: Lookup",
                "tool Lookup",
            ),
            (
                "call find_code = failed: Tool \"find_code\" not found. Did you mean one of: \"read_file\"?",
                "tool find_code",
            ),
            (
                "call invalid = ok: The arguments provided to the tool are invalid: Model tried to call unavailable tool 'find_code'. Available tools: bash, edit.",
                "tool find_code",
            ),
        ] {
            assert_eq!(told(story).0, [expected], "{story}");
        }
    }

    #[test]
    fn other_failures_and_other_people_s_words_are_no_missing_names() {
        for story in [
            "skill commit = failed: Skill commit cannot be used: it failed",
            "skill commit = failed: Unknown skill: commit is what the script printed",
            "skill commit = failed: Unknown skill: review",
            "skill x = ok: Unknown skill: x",
            "call Task\" > <parameter = failed: Error: No such tool available: Task\" > <parameter",
            "call Lookup = failed: Error: No such tool available: Lookup. Lookup exists but is not enabled in this context",
            "call Lookup = failed: Error: No such tool available: Other",
            "run node cli.js = 1: Unknown skill: commit",
            "run node cli.js = 1: Error: No such tool available: Lookup",
            "mcp linear get_issue = failed: Error: No such tool available: mcp__linear__get_issue",
            "read src/skills.ts = ok: Unknown skill: commit",
            "call invalid = ok: Model tried to call unavailable tool 'bash'. Available tools: edit.",
            "call invalid = ok: The arguments provided to the tool are invalid: path is missing",
            "task reviewer: look = failed: Agent type 'reviewer' is denied by a rule",
            "task reviewer: look = failed: the tests say Agent type 'reviewer' not found",
            "as a1: call Lookup = failed: Error: No such tool available: Lookup",
            "as a1: skill commit = failed: Unknown skill: commit",
        ] {
            assert_eq!(told(story).0, Vec::<String>::new(), "{story}");
        }
    }

    #[test]
    fn what_answers_is_there() {
        let (missing, there) = told(
            "skill commit = ok: Launching skill: commit; task Explore: look; call TodoWrite = ok; as a1: skill review = ok; skill deploy = failed: it broke",
        );
        assert_eq!(missing, Vec::<String>::new());
        assert_eq!(
            there,
            [
                "skill commit",
                "skill review",
                "agent Explore",
                "tool Skill",
                "tool TodoWrite"
            ]
        );
    }
}
