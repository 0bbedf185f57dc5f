//! How a statement of a rules file is told: with the headings that are a part of what it says.

use oldhand_domain::text::CONTENT_LIMIT;

use super::markdown::Block;
use super::stance::{Stance, forbid, is_bare_ban, own_stance, stance_of};

/// What a statement says, with the headings that are a part of it.
pub(super) struct Told<'b> {
    /// The heading that forbids it.
    pub(super) ban: Option<&'b str>,
    /// The heading that it may be told with.
    pub(super) heading: Option<&'b str>,
    /// One for each of its [`points`].
    pub(super) contents: Vec<String>,
}

pub(super) fn contents(block: &Block) -> Told<'_> {
    let ban = forbidding_heading(block);
    let heading = told_heading(block, ban);
    let contents = points(block).into_iter().map(|point| match (ban, heading) {
        (Some(ban), Some(nearer)) if nearer != ban => forbid(ban, &format!("{nearer}: {point}")),
        (Some(ban), _) => forbid(ban, &point),
        (None, _) => with_context(heading, block.lead(), &point),
    });
    Told {
        ban,
        heading,
        contents: contents.collect(),
    }
}

pub(super) fn points(block: &Block) -> Vec<String> {
    if block.text.len() > CONTENT_LIMIT && !block.children.is_empty() {
        // Too much for one memory, but its points stand on their own.
        block.children.clone()
    } else {
        vec![block.whole()]
    }
}

/// The nearest heading that forbids the statement, unless the statement or something between them says itself how it is meant.
pub(super) fn forbidding_heading(block: &Block) -> Option<&str> {
    // What a line announced stands behind it and is told with it.
    let lead = block.lead().map_or(Stance::Neither, stance_of);
    if [lead, own_stance(&block.text)] != [Stance::Neither; 2] {
        return None;
    }
    let mut headings = block.headings.iter().rev().map(String::as_str);
    let heading = headings.find(|heading| stance_of(heading) != Stance::Neither)?;
    (stance_of(heading) == Stance::Forbids).then_some(heading)
}

/// The nearest heading that a statement may be told with: the right way is not told with one that forbids, nor is "Do not" said twice. `ban` is
/// the heading that forbids the statement.
fn told_heading<'b>(block: &'b Block, ban: Option<&str>) -> Option<&'b str> {
    let forbids_itself = own_stance(&block.text) == Stance::Forbids
        || block.lead().map(stance_of) == Some(Stance::Forbids);
    let is_told = |heading: &&str| {
        let fits = ban.is_some() || stance_of(heading) != Stance::Forbids;
        fits || forbids_itself && !is_bare_ban(heading)
    };
    let headings = block.headings.iter().rev().map(String::as_str);
    headings.into_iter().find(is_told)
}

/// A few words rarely stand on their own: `Run npm test` under "Unit tests" becomes `Unit tests: Run npm test`. Nor does what points at
/// something said before it, or was announced in words that fit anything.
fn with_context(heading: Option<&str>, lead: Option<&str>, content: &str) -> String {
    let Some(heading) = heading else {
        return content.to_owned();
    };
    let few = content.split_whitespace().count() < 8;
    let is_label = |lead: &str| lead.split_whitespace().count() <= LABEL;
    let needs = few || lead.is_some_and(is_label);
    if points_back(content) || (needs || is_case(content)) && !mentions(content, heading) {
        format!("{heading}: {content}")
    } else {
        content.to_owned()
    }
}

/// `**Disagree** -- say why`: one of several cases, which says nothing without what it is a case of.
fn is_case(content: &str) -> bool {
    let Some((label, rest)) = content
        .strip_prefix("**")
        .and_then(|rest| rest.split_once("**"))
    else {
        return false;
    };
    // What stands behind a colon is a statement of its own: `**Errors**: handle all of them`.
    let marks = ["--", "- ", "–", "—"];
    let rest = rest.trim_start();
    label.split_whitespace().count() <= 2 && marks.iter().any(|mark| rest.starts_with(mark))
}

/// A lead of no more words than these says nothing of what it is about: `How it works:`.
const LABEL: usize = 3;

/// Whether a statement speaks of something that stands before it: `Use the command line instead`, `This also holds for …`.
fn points_back(content: &str) -> bool {
    const POINTING: &[&str] = &[
        "also",
        "however",
        "instead",
        "it",
        "otherwise",
        "see",
        "so",
        "that",
        "then",
        "therefore",
        "these",
        "they",
        "this",
        "those",
    ];
    let words = content.lines().next().unwrap_or_default().to_lowercase();
    let mut words = words
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let first = words.next();
    first.is_some_and(|first| POINTING.contains(&first)) || words.next_back() == Some("instead")
}

fn mentions(content: &str, heading: &str) -> bool {
    let content = content.to_lowercase();
    let mut words = heading.split_whitespace().filter(|word| word.len() > 3);
    words.any(|word| content.contains(&word.to_lowercase()))
}
