//! Customs of handing work in, as people ask for them in passing: a draft, a fresh main, the tracker's project. Said once it is a
//! task; whoever has to say it again and again means all work.
//!
//! A custom is a row of [`CUSTOMS`]: words that ask for an act, for the act done in the custom's way, and for the contrary. In a pattern
//! `a|b` is either word, `~` up to five small words, `..` up to seven words of any kind, and `<name>` one that the person chose.

use super::again::told;

mod pattern;

use pattern::{Tokens, find_anywhere, find_order};

/// One custom.
#[derive(Debug)]
pub struct Custom {
    /// What it is kept under: another word would not be known again.
    pub id: &'static str,
    /// Orders of the act, however it is to be done; without any the custom is counted alone.
    act: &'static [&'static str],
    /// Orders of the act in this way.
    how: &'static [&'static str],
    /// What names the way anywhere in a prompt that also has one of `beside`.
    named: &'static [&'static str],
    beside: &'static [&'static str],
    /// Words for the contrary, anywhere in a sentence that does not order it in this way.
    against: &'static [&'static str],
    /// What else an order may be about: "create a PR template".
    not_behind: &'static [&'static str],
    /// What is told, with `{counts}` and `{name}` to be filled in.
    pub content: &'static str,
    pub summary: &'static str,
}

const MAIN: &str = "main|master|trunk|develop";

pub const CUSTOMS: [Custom; 4] = [
    Custom {
        id: "draft",
        act: &[
            "open|create|raise|make|launch|submit|file|push|publish ~ pr|prs|mr",
            "open|create|raise|make|launch|submit|file|push|publish ~ pull|merge request",
        ],
        how: &[
            "open|create|raise|make|launch|submit|file|push|publish ~ draft pr|prs|mr",
            "open|create|raise|make|launch|submit|file|push|publish ~ draft pull|merge request",
            "open|create|raise|make|launch|submit|file|push|publish ~ pr|mr as|in ~ draft",
            "draft pr|mr",
            "draft pull|merge request",
        ],
        named: &[],
        beside: &[],
        against: &[
            "not|no|without ~ draft|drafts",
            "instead of ~ draft",
            "non-draft",
        ],
        not_behind: &[
            "description",
            "descriptions",
            "comment",
            "comments",
            "template",
            "templates",
            "title",
            "body",
            "review",
            "branch",
            "number",
            "link",
            "created",
            "opened",
            "is",
            "was",
        ],
        content: "{counts} that asked for a pull request the user asked for a draft",
        summary: "open pull requests as drafts",
    },
    Custom {
        id: "fresh",
        act: &[],
        how: &[
            "get|go|switch|move|checkout|return|back ~ <base> .. pull|fetch|latest",
            "get|go|switch|move|checkout|return|back ~ <base> .. new|fresh .. branch",
            "branch off|from ~ <base>",
            "create|make|open|start|cut ~ branch off|from ~ <base>",
            "via|on|in|use ~ branch off|from ~ <base>",
        ],
        named: &[],
        beside: &[],
        against: &[
            "branch|branching|branched off|from <base> .. not|won't|wont|doesn't|cannot",
            "not .. off|from <base>",
            "should|must branch off|from",
            "stay on .. branch",
        ],
        not_behind: &[],
        content: "The user asked in {counts} to begin work from a fresh {name}",
        summary: "begin new work on a branch off an up-to-date {name}",
    },
    Custom {
        id: "replies",
        act: &[],
        how: &[
            "reply|respond .. pr|review .. comment|comments|feedback",
            "reply|respond .. comment|comments .. sha|shas|commit|pr|review",
        ],
        named: &[],
        beside: &[],
        against: &["don't|dont|never ~ reply|respond .. comment|comments|feedback"],
        not_behind: &[],
        content: "The user asked in {counts} to reply to the review comments of a pull request",
        summary: "reply to the review comments of a pull request",
    },
    Custom {
        id: "tracker",
        act: &[
            "log|file|create|add|open|write|raise ~ issue|issues|ticket|tickets|bug",
            "log|file|create|add|open|write|raise ~ linear|jira|gh|github|gitlab ~ issue|issues|ticket|tickets|bug|improvement",
        ],
        how: &[],
        named: &["project : <name>"],
        beside: &[
            "issue",
            "issues",
            "ticket",
            "tickets",
            "bug",
            "improvement",
            "linear",
            "jira",
        ],
        against: &[],
        not_behind: &["form", "forms", "template", "templates", "tracker"],
        content: "{counts} that asked for an issue the user named \"{name}\" as its project",
        summary: "file issues in the project \"{name}\"",
    },
];

/// On which side of a custom a prompt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// It asks for the act, and does not say in which way.
    Asks,
    For,
    Against,
}

/// What a prompt says of a custom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish<'a> {
    pub custom: &'static str,
    /// What the person calls a thing of the custom; mostly nothing.
    pub name: String,
    pub stance: Stance,
    /// As it was typed.
    pub words: &'a str,
}

/// Words that a custom is not meant for longer with.
const ONCE: [&str; 5] = [
    "for now",
    "this time",
    "just once",
    "this once",
    "only once",
];

/// More words are told from where the order begins.
const MOST_WORDS: usize = 14;

/// What a prompt says of the customs, in order.
pub fn wishes(prompt: &str) -> Vec<Wish<'_>> {
    let mut found = Vec::new();
    for sentence in told(prompt) {
        let lower = sentence.to_ascii_lowercase();
        let tokens = Tokens::of(sentence, &lower);
        let heard = CUSTOMS
            .iter()
            .filter_map(|custom| wish(custom, &tokens, prompt));
        let before = found.len();
        found.extend(heard);
        // Hardly any sentence wishes anything, so that this is asked last.
        if found.len() > before && ONCE.iter().any(|once| lower.contains(once)) {
            found.truncate(before);
        }
    }
    found
}

fn wish<'a>(custom: &Custom, tokens: &Tokens<'a, '_>, prompt: &str) -> Option<Wish<'a>> {
    let order = |patterns: &[&str]| {
        let mut found = patterns
            .iter()
            .filter_map(|one| find_order(tokens, one, MAIN));
        found.find(|found| {
            let next = tokens.word_at(found.end);
            !custom.not_behind.contains(&next)
        })
    };
    let is_beside = || {
        let mut words = prompt.split(|c: char| !c.is_alphanumeric());
        words.any(|word| {
            let mut beside = custom.beside.iter();
            beside.any(|one| word.eq_ignore_ascii_case(one))
        })
    };
    let anywhere = |patterns: &[&str]| {
        let mut found = patterns.iter();
        found.find_map(|one| find_anywhere(tokens, one, MAIN))
    };
    let named = || {
        let found = anywhere(custom.named).filter(|_| is_beside())?;
        // "Project: the parser" is no name.
        let first = found.name.chars().next()?;
        first.is_uppercase().then_some(found)
    };
    let (stance, found) = if let Some(found) = order(custom.how).or_else(named) {
        (Stance::For, found)
    } else if let Some(found) = anywhere(custom.against) {
        (Stance::Against, found)
    } else {
        (Stance::Asks, order(custom.act)?)
    };
    let sentence = tokens.text.trim_end_matches(['.', '!', ' ']);
    let words = if sentence.split_whitespace().count() <= MOST_WORDS {
        sentence
    } else {
        tokens.span(&found, MOST_WORDS)
    };
    Some(Wish {
        custom: custom.id,
        name: found.name,
        stance,
        words,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(prompt: &str) -> Vec<String> {
        let told = wishes(prompt).into_iter().map(|wish| {
            let name = if wish.name.is_empty() {
                String::new()
            } else {
                format!(" {}", wish.name)
            };
            format!("{} {:?}{name}", wish.custom, wish.stance)
        });
        told.collect()
    }

    #[test]
    fn customs_of_handing_work_in_are_heard() {
        for (prompt, expected) in [
            ("commit, push and open a draft PR", "draft For"),
            ("push and draft PR please", "draft For"),
            ("commit this, then push + a draft PR", "draft For"),
            ("raise a PR as a draft", "draft For"),
            ("draft pull request please", "draft For"),
            ("make a PR for this", "draft Asks"),
            ("push and create a pull request", "draft Asks"),
            ("open a PR, not a draft", "draft Against"),
            (
                "dont forget to switch to main, and pull in latest, then switch to a new branch",
                "fresh For main",
            ),
            ("ok back to master, and pull", "fresh For master"),
            (
                "fix the totals, via a fresh branch off main, and push it",
                "fresh For main",
            ),
            (
                "please create a new branch from develop",
                "fresh For develop",
            ),
            (
                "branching from main won't work, this should branch off the importer branch",
                "fresh Against main",
            ),
            (
                "commit, and reply to the PR comments referencing fix shas",
                "replies For",
            ),
            (
                "please reply directly to the comment and reference a commit sha",
                "replies For",
            ),
            ("don't reply to the review comments", "replies Against"),
            (
                "file an issue, medium priority, Project:Apollo",
                "tracker For Apollo",
            ),
            (
                "log a bug for the importer. It goes to Project: Web-2",
                "tracker Asks, tracker For Web-2",
            ),
            ("open a ticket and go on", "tracker Asks"),
            ("log a Linear improvement and go on", "tracker Asks"),
            ("stay on the importer branch", "fresh Against"),
        ] {
            assert_eq!(heard(prompt).join(", "), expected, "{prompt}");
        }
    }

    #[test]
    fn what_is_of_a_product_a_moment_or_a_question_is_not_heard() {
        for prompt in [
            "there is a draft PR of Kim, #37",
            "who opened the draft PR?",
            "can you open a draft PR?",
            "the bot should not open a draft PR",
            "draft the plan of the PR",
            "Draft PR created: #80",
            "[1] user: Raise a draft PR\n[2] assistant: It is done.",
            "stay on the import page",
            "it is not responding cleanly to the comment",
            "the release is off main anyway and won't conflict",
            "make sure that it goes with the issues fixed before",
            "add a comment on that issue",
            "create a PR template",
            "for now, open a draft PR",
            "just this once branch off main: use this branch from main this time",
            "why does it show nothing on the main branch?",
            "I've switched to main and pulled the latest changes",
            "the main menu needs a new branch in the tree",
            "merge the branch from main street into the map",
            "the form should reply to a comment of the user",
            "does it respond to review comments?",
            "the project: a parser for issues",
            "project: the issue list of Apollo",
            "in Project: Apollo the page is slow",
            "the user can file an issue in the page",
            "i allow you to commit with --no-verify",
            "# Steps\n\nopen a draft PR",
        ] {
            assert_eq!(heard(prompt), Vec::<String>::new(), "{prompt}");
        }
    }
}
