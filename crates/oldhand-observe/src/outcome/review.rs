//! What a review is known by: the words that ask for one, and the commands that read and write one at a host of repositories.

use super::shell::{Simple, commands};

/// What a command does for a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewAct {
    /// It brings in what is proposed: `gh pr diff`, `gh pr checkout`.
    Looks,
    /// It hands a review in: `gh pr review`.
    Reviews,
    /// It says something beside what is proposed, which may be anything: `gh pr comment`.
    Comments,
}

/// The acts of a line, in its order.
pub fn review_acts(line: &str) -> impl Iterator<Item = ReviewAct> {
    let has_host = line.contains("gh ") || line.contains("glab ");
    let found = if has_host { commands(line) } else { Vec::new() };
    found.into_iter().filter_map(|simple| act_of(&simple))
}

fn act_of(simple: &Simple) -> Option<ReviewAct> {
    let mut words = simple.words.iter().map(String::as_str);
    let program = words.next()?.rsplit('/').next()?;
    let mut plain = words.filter(|word| !word.starts_with('-'));
    let (noun, verb) = (plain.next()?, plain.next()?);
    match (program, noun, verb) {
        ("gh", "pr", "diff" | "checkout" | "co") | ("glab", "mr", "diff" | "checkout") => {
            Some(ReviewAct::Looks)
        }
        ("gh", "pr", "review") | ("glab", "mr", "approve") => Some(ReviewAct::Reviews),
        ("gh", "pr", "comment") | ("glab", "mr", "note" | "comment") => Some(ReviewAct::Comments),
        _ => None,
    }
}

/// The beginning of a prompt that asks for a review of what is proposed, and for nothing else first: `/review`, "review PR #12",
/// "please do a code review of the changes on this branch". Not "review the comments on PR 12", "review the plan".
pub fn asks_for_review(prompt: &str) -> bool {
    let mut lines = prompt.lines().map(str::trim);
    let Some(line) = lines.find(|line| !line.is_empty()) else {
        return false;
    };
    if let Some(command) = line.strip_prefix('/') {
        return is_review_command(command);
    }
    let words: Vec<&str> = line.split_whitespace().take(LOOKED_AT).collect();
    object(&words).is_some_and(is_proposed)
}

/// So many words of the first line are looked at.
const LOOKED_AT: usize = 40;

/// `review 12`, `code-review`, `pr-review-toolkit:review-pr all`.
fn is_review_command(command: &str) -> bool {
    const PARTS: [&str; 8] = [
        "review",
        "ultrareview",
        "code",
        "security",
        "pr",
        "mr",
        "branch",
        "changes",
    ];
    let name = command.split_whitespace().next().unwrap_or_default();
    let name = name.rsplit(':').next().unwrap_or_default();
    let mut parts = name.split(['-', '_']);
    parts.clone().all(|part| PARTS.contains(&part)) && parts.any(|part| part.ends_with("review"))
}

/// What goes before an order and says nothing of it.
const COURTESIES: [&[&str]; 22] = [
    &["please"],
    &["can", "you"],
    &["could", "you"],
    &["would", "you"],
    &["will", "you"],
    &["i", "want", "you", "to"],
    &["i", "need", "you", "to"],
    &["i'd", "like", "you", "to"],
    &["let's"],
    &["lets"],
    &["hey"],
    &["hi"],
    &["hello"],
    &["ok"],
    &["okay"],
    &["now"],
    &["go", "ahead", "and"],
    &["help", "me"],
    &["just"],
    &["carefully"],
    &["thoroughly"],
    &["critically"],
];

/// What a review is called by, and done with.
const DOES: [&str; 7] = ["do", "run", "perform", "conduct", "give", "make", "start"];
const REVIEWS: [&str; 3] = ["review", "re-review", "rereview"];
const OF_A_REVIEW: [&str; 17] = [
    "a",
    "an",
    "another",
    "the",
    "me",
    "full",
    "thorough",
    "deep",
    "detailed",
    "quick",
    "careful",
    "critical",
    "independent",
    "adversarial",
    "code",
    "security",
    "pr",
];

/// The words behind the order to review.
fn object<'a>(words: &'a [&'a str]) -> Option<&'a [&'a str]> {
    let mut rest = words;
    while let Some(courtesy) = COURTESIES.iter().find(|courtesy| begins(rest, courtesy)) {
        rest = &rest[courtesy.len()..];
    }
    let is = |word: &str, list: &[&str]| list.contains(&plain(word).as_str());
    let (first, behind) = rest.split_first()?;
    if is(first, &REVIEWS) {
        return Some(behind);
    }
    // "Do a code review of …", "code review this PR".
    let named = is(first, &DOES) || is(first, &["code", "security"]);
    let at = behind.iter().position(|word| !is(word, &OF_A_REVIEW))?;
    (named && is(behind[at], &["review"])).then(|| &behind[at + 1..])
}

fn begins(words: &[&str], with: &[&str]) -> bool {
    words.len() > with.len()
        && words
            .iter()
            .zip(with)
            .all(|(word, with)| plain(word) == *with)
}

/// A word without what stands around it, in lower case.
fn plain(word: &str) -> String {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.to_lowercase().replace('’', "'")
}

/// What may stand between the order and what is to be looked at.
const BEFORE: [&str; 30] = [
    "this",
    "the",
    "my",
    "our",
    "these",
    "all",
    "any",
    "open",
    "current",
    "latest",
    "last",
    "recent",
    "new",
    "pending",
    "staged",
    "unstaged",
    "uncommitted",
    "unpushed",
    "local",
    "following",
    "code",
    "git",
    "github",
    "gitlab",
    "working",
    "feature",
    "of",
    "on",
    "for",
    "and",
];

/// What is proposed.
const PROPOSED: [&str; 14] = [
    "pr",
    "prs",
    "mr",
    "mrs",
    "diff",
    "diffs",
    "change",
    "changes",
    "changeset",
    "commit",
    "commits",
    "branch",
    "patch",
    "tree",
];

/// What may follow it; another noun makes something else of it: "the PR comments", "the commit message", "the branch protection".
const BEHIND: [&str; 38] = [
    "in",
    "on",
    "of",
    "for",
    "from",
    "against",
    "between",
    "since",
    "vs",
    "compared",
    "relative",
    "with",
    "and",
    "to",
    "by",
    "that",
    "which",
    "made",
    "introduced",
    "before",
    "below",
    "above",
    "here",
    "now",
    "again",
    "please",
    "focus",
    "focusing",
    "using",
    "only",
    "as",
    "at",
    "i",
    "we",
    "you",
    "then",
    "it",
    "thoroughly",
];

/// Whether the words name a change that somebody proposes, or a branch.
fn is_proposed(words: &[&str]) -> bool {
    let mut words = words.iter().copied();
    let Some(first) = words.find(|word| !BEFORE.contains(&plain(word).as_str())) else {
        return false;
    };
    if is_address(first) {
        return true;
    }
    let mut word = first;
    loop {
        let name = plain(word);
        let is_request = matches!(name.as_str(), "pull" | "merge");
        if is_request {
            word = words.next().unwrap_or_default();
            if !matches!(plain(word).as_str(), "request" | "requests") {
                return false;
            }
        } else if !PROPOSED.contains(&name.as_str()) {
            return false;
        }
        if ends_there(word) {
            return true;
        }
        let Some(mut next) = words.next() else {
            return true;
        };
        // "PR 12", "PR #12", "commit 3f2a91c".
        if is_number(next) {
            if ends_there(next) {
                return true;
            }
            match words.next() {
                None => return true,
                Some(behind) => next = behind,
            }
        }
        if BEHIND.contains(&plain(next).as_str()) || names_one(next) {
            return true;
        }
        word = next;
    }
}

/// The page of what is proposed, and not of one remark on it.
fn is_address(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', ':', ')', '>']);
    let hosts = ["/pull/", "/pulls/", "/merge_requests/", "/pull-requests/"];
    let number = hosts.iter().find_map(|host| word.split_once(host));
    number.is_some_and(|(_, rest)| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains('#')
    })
}

/// Whether a clause ends behind a word.
fn ends_there(word: &str) -> bool {
    word.ends_with(['.', ',', ':', ';', '!', '?', ')'])
}

/// `12`, `#12`, `!12`, or the beginning of a commit's name. Not `#12's`.
fn is_number(word: &str) -> bool {
    let number = word
        .trim_start_matches(['#', '!', '`', '('])
        .trim_end_matches(['.', ',', ':', ';', '!', '?', '`', ')']);
    let is_of = |is: fn(&u8) -> bool| number.bytes().all(|byte| is(&byte));
    !number.is_empty() && is_of(u8::is_ascii_digit)
        || number.len() >= 7 && is_of(u8::is_ascii_hexdigit)
}

/// A name or an address of it: `feat/mail`, "`main`", `https://…`, `(vs`.
fn names_one(word: &str) -> bool {
    word.starts_with(['`', '"', '\'', '(', '@', '-', '–', '—']) || word.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_is_asked_for_by_what_is_to_be_looked_at() {
        for prompt in [
            "/review",
            "/review 12",
            "/code-review",
            "/security-review the export",
            "/pr-review-toolkit:review-pr all",
            "/ultrareview",
            "review PR #12",
            "Review PR 12",
            "review this PR: https://github.com/o/r/pull/7369",
            "review this PR for me https://github.com/o/r/pull/7360",
            "Review https://github.com/o/r/pull/12",
            "Please review https://gitlab.com/o/r/-/merge_requests/3.",
            "review this pull request",
            "Can you review the merge request and tell me what is wrong?",
            "can you review the changes in this branch by two competing agents?",
            "can you review the changes focus on go best practices",
            "Review the current branch changes and report actionable findings.",
            "Review the current code changes (staged, unstaged, and untracked files) and provide prioritized findings.",
            "Review this change for security vulnerabilities.\n\nChanged files: a.ts",
            "Review the changes on branch feat/mail (vs main).",
            "review my branch",
            "review the branch `feat/mail`",
            "Review all open PRs for the project",
            "review commit 3f2a91c",
            "review the uncommitted changes",
            "review the diff against main",
            "Please do a thorough code review of this branch",
            "perform a security review of the pending changes",
            "code review this PR",
            "I want you to review pull request #4",
            "re-review PR #12",
        ] {
            assert!(asks_for_review(prompt), "{prompt}");
        }
    }

    #[test]
    fn what_is_about_a_review_or_of_something_else_asks_for_none() {
        for prompt in [
            "",
            "/review-comments",
            "/plan-review",
            "/address-review 12",
            "/code",
            "/compact",
            "review",
            "review the plan in docs/plan.md",
            "review the comments on PR 12 and fix them",
            "review the PR comments",
            "review PR #12's comments",
            "review PR #12 comments and address them",
            "review https://github.com/o/r/pull/12#discussion_r55",
            "review #12",
            "review the commit message",
            "review the branch protection rules",
            "review the changelog",
            "review my code",
            "review the docs folder",
            "Review this Entire Trail: https://entire.io/gh/o/r/trails/4",
            "Fix only the selected review findings.",
            "Address the review of PR 12",
            "how do I review a PR?",
            "Can I review this PR?",
            "the review of PR 12 says that the cache leaks",
            "implement the plan, then review the changes",
            "add a review page",
            "do a review",
            "make the review page of the PR faster",
            "brainstorm: linear ent-53 - check the comments for more information",
            "ship it",
        ] {
            assert!(!asks_for_review(prompt), "{prompt}");
        }
    }

    #[test]
    fn a_host_of_repositories_is_read_and_written_by_its_own_program() {
        use ReviewAct::{Comments, Looks, Reviews};
        let acts = |line: &str| review_acts(line).collect::<Vec<_>>();
        for (line, expected) in [
            ("gh pr diff 12 | head -200", vec![Looks]),
            ("gh pr checkout 12 && gh pr diff", vec![Looks, Looks]),
            ("glab mr diff 3", vec![Looks]),
            ("gh pr review 12 --approve -b 'fine'", vec![Reviews]),
            ("glab mr approve 3", vec![Reviews]),
            ("gh pr comment 12 --body-file /tmp/r.md", vec![Comments]),
            ("glab mr note 3 -m ok", vec![Comments]),
            ("gh pr view 12", vec![]),
            ("gh pr create --fill", vec![]),
            ("gh issue comment 12 -b x", vec![]),
            ("echo gh pr diff", vec![]),
            ("git diff main", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(acts(line), expected, "{line}");
        }
    }
}
