//! What must hold of the tree for something that an agent found out to be true today.
//!
//! Most causes that agents state are mistakes in the code that the very next edit ended: true for an hour. What outlives the edit
//! is how something works that is not the project's own (a tool, a library, a platform, a setting that stands) and why a version
//! is kept. What an agent had taken for something else outlives the talk where it names things of the project.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::text::{Content, Summary};

use super::phrase::clip;
use super::{Candidate, Wording, stated};
use crate::detect::{CAUSE, CORRECTION};
use crate::paths;
use crate::promote::Dropped;

mod alone;
mod equal;
mod line;
#[cfg(test)]
mod measure;
mod pin;
pub(super) mod rule;
mod said;
mod state;
mod subject;
mod taken;
#[cfg(test)]
mod tests;

pub use equal::{has_both, made_of};
pub use line::{typed, typed_at};
pub use pin::keep;
pub use said::{Statement, may_say};
use subject::platform;
pub(super) use subject::{Subject, subject};
pub use taken::{meets, stem, taken_for};

/// What the files of today have to bear out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// How something works that others made: its names are used and none of them is the project's own. Where the words begin with
    /// a name of theirs, the project must depend `on` it.
    Outside {
        names: Vec<String>,
        on: Option<String>,
    },
    /// How things of the project are: they are all there.
    Own { names: Vec<String> },
    /// Why a dependency is kept at its version, which the manifest still says.
    Version {
        manifest: ProjectPath,
        statement: String,
    },
}

/// Words that say that something is not there or is changing: so it was that day, or on one machine.
const OF_THE_DAY: &[&str] = &[
    "missing",
    "doesn't exist",
    "does not exist",
    "not installed",
    "isn't installed",
    "already",
    " now ",
    "no longer",
    "is being ",
    " our ",
    " instead of ",
    " rather than ",
    "new release",
    " yet",
    "isn't set ",
    "is not set ",
    "in the current ",
    "current code ",
    "successfully",
];

/// What goes on in a program as its user imagines it: a guess at why it did what it did.
const IMAGINED: [&str; 4] = ["n't understand ", "n't realize ", " thinks ", " believes "];

/// What a sentence about a case of that day begins with.
const OF_A_CASE: &[&str] = &[
    "both", "some", "there's", "not", "only", "because", "after", "this", "these", "those", "when",
    "while", "since", "once", "in", "inside", "with", "without", "for", "on", "at", "from",
    "under", "same",
];

/// Verbs of what happened once.
const HAPPENED: &[&str] = &[
    "got", "was", "were", "had", "did", "didn't", "went", "came", "lost", "left", "sent", "broke",
    "threw", "caught", "kept", "wasn't", "weren't", "could", "couldn't",
];

/// What follows where something has done a thing, and not where it has a thing of some kind.
const AFTER_DEED: &[&str] = &[
    "NAME", "a", "all", "an", "and", "at", "by", "from", "in", "into", "it", "its", "on", "since",
    "the", "this", "to", "with",
];

/// What stands before a deed that something has done to it, not what it did.
const PASSIVE: [&str; 16] = [
    "is", "isn't", "are", "aren't", "be", "been", "being", "get", "gets", "has", "have", "if",
    "when", "unless", "only", "the",
];

/// What a cause needs to be true; `None` where it tells of code that the edit after it changed, or of a machine.
pub(super) fn of_cause(statement: &str, mended: &[ProjectPath]) -> Option<Claim> {
    let mut manifests = mended
        .iter()
        .filter(|file| paths::is_manifest(file.as_str()));
    if let Some(manifest) = manifests.next().filter(|_| pin::has_version(statement)) {
        return Some(Claim::Version {
            manifest: manifest.clone(),
            statement: statement.to_owned(),
        });
    }
    // What stands in parentheses is said besides, and of a failure with its reason the reason lasts.
    let main = without_parentheses(statement);
    let about = subject(&main);
    // Of how somebody else's thing works the first sentence tells, and what follows is what it meant that day.
    let main = match (&about, main.split_once(". ")) {
        (Some(Subject::Maker(_)), Some((first, _))) => first.to_owned(),
        _ => main.clone(),
    };
    let reason = alone::reason(&main);
    let lower = reason.to_lowercase();
    let first = main
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let is_case = OF_A_CASE.contains(&first.trim_end_matches(['.', ',', ':']));
    let is_ours = is_case || state::is_state(reason);
    let says = |words: &[&str]| words.iter().any(|words| lower.contains(words));
    if says(OF_THE_DAY)
        || says(&IMAGINED)
        || main.contains(" now ")
        || is_ours && platform(&main).is_none()
        || is_past(&main)
        || state::is_demand(&main)
        || state::is_off_path(&main)
        || alone::points_back(&main)
        || alone::is_symptom(&main)
        || line::is_import(&main)
    {
        return None;
    }
    let on = match about? {
        Subject::Name => None,
        Subject::Maker(maker) => Some(maker.to_owned()),
    };
    let named = [reason, &main, statement].map(names);
    let named = named.into_iter().find(|named| !named.is_empty());
    // A release of somebody's thing is named by its version.
    let named = named.or_else(|| on.is_some().then(Vec::new))?;
    if let Some(flags) = flags_alone(&named) {
        // An option that nobody changed because of it is as it was.
        return mended.is_empty().then_some(Claim::Own { names: flags });
    }
    let names: Vec<String> = named
        .into_iter()
        .filter(|name| !name.starts_with('-'))
        .collect();
    // A folder somewhere on a machine is that machine's, and a commit or an exact release is of its day.
    let is_far = |name: &String| {
        name.starts_with('/') && name.matches('/').count() > 2
            || is_commit(name)
            || is_release(name)
            || name.contains("==")
    };
    (!names.iter().any(is_far)).then_some(Claim::Outside { names, on })
}

/// What of a cause is told: all of it, or its first clause where that alone says how something works and the rest only what it
/// meant that day ("Cobble doesn't hand `Hidden` on to children, so two commands were shown").
pub(super) fn lasting(statement: &str, mended: &[ProjectPath]) -> String {
    let is_claim = |part: &&str| of_cause(part, mended).is_some();
    let parts = [
        Some(statement),
        head(statement, ". "),
        head(statement, ", so "),
    ];
    let mut parts = parts
        .into_iter()
        .flatten()
        .filter(|part| part.contains('`'));
    match parts.find(is_claim) {
        Some(part) if part != statement => format!("{}.", part.trim_end_matches('.')),
        _ => statement.to_owned(),
    }
}

/// What stands before a mark that is not quoted; `None` where what follows binds it or takes it back.
pub(super) fn head<'s>(statement: &'s str, mark: &str) -> Option<&'s str> {
    let is_bare = |at: &usize| statement[..*at].matches('`').count().is_multiple_of(2);
    let mut marks = statement.match_indices(mark).map(|(at, _)| at);
    let (head, tail) = statement.split_at(marks.find(is_bare)?);
    let tail = tail.to_lowercase();
    // "(where `hooks` is hidden but `git` is not)" tells which ones are meant.
    let (said, besides) = tail.split_once("(where ").unwrap_or((&tail, ""));
    let rest = besides.split_once(')').map_or(besides, |(_, rest)| rest);
    let mut words = [said, rest]
        .into_iter()
        .flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '\''));
    let opens = |start: &&str| tail[2..].starts_with(*start);
    let is_bound = OPENS_BOUND.iter().any(opens)
        || words.any(|word| word.ends_with("n't") || TAKES_BACK.contains(&word));
    (!is_bound).then_some(head)
}

/// How a rest begins that is no consequence.
const OPENS_BOUND: [&str; 7] = [
    "so long as ",
    "so far",
    "so to s",
    "so that ",
    "so the docs ",
    "so i ",
    "our ",
];

/// Words of a rest under which the first clause holds no more, or not always.
const TAKES_BACK: [&str; 18] = [
    "already", "although", "but", "except", "fixed", "however", "if", "longer", "not", "now",
    "said", "says", "seemed", "though", "thought", "unless", "until", "wrong",
];

/// The options that a statement names, where it names nothing else.
fn flags_alone(named: &[String]) -> Option<Vec<String>> {
    let flag = |name: &String| {
        let (word, value) = name.split_once([' ', '=']).unwrap_or((name, ""));
        let is_plain = value.chars().all(char::is_alphanumeric);
        (word.starts_with("--") && is_plain).then(|| word.to_owned())
    };
    let flags: Option<Vec<String>> = named.iter().map(flag).collect();
    flags.filter(|flags| !flags.is_empty())
}

/// Whether a name is that of one release of something: `heron@1.0.3`.
fn is_release(name: &str) -> bool {
    let version = name.rsplit_once('@').map_or("", |(_, version)| version);
    version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.')
}

/// Whether a name is that of a commit.
pub(super) fn is_commit(name: &str) -> bool {
    (7..=40).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_hexdigit())
        && name.chars().any(|c| c.is_ascii_digit())
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0_u32;
    let mut kept = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

/// Whether the main clause tells what happened once.
fn is_past(statement: &str) -> bool {
    let main = statement.split(". ").next().unwrap_or(statement);
    let plain = state::plain(main);
    let words = state::words(&plain);
    let happened = words.iter().any(|word| HAPPENED.contains(word));
    // The verb stands behind the first name: `x` gated, `x` included.
    let verb = words.iter().position(|word| *word == "NAME");
    let verb = verb.and_then(|at| words.get(at + 1));
    let is_past = |word: &str| word.ends_with("ed") && !word.ends_with("eed") && word != "embed";
    // "`x` hiding it masked a gap" happened; what "is passed a row", or "gets handed the rows", is always so.
    let to_one = words.windows(3).any(|near| {
        is_past(near[1]) && !PASSIVE.contains(&near[0]) && ["a", "an", "the"].contains(&near[2])
    });
    // "The job that stalled" is one of that day, and so is what it "has written".
    let of_one = words.windows(2).enumerate().any(|(at, pair)| {
        is_past(pair[1])
            && match pair[0] {
                "that" | "which" => true,
                // "has limited support" tells what it is like.
                "has" | "have" => words
                    .get(at + 2)
                    .is_none_or(|next| AFTER_DEED.contains(next)),
                _ => false,
            }
    });
    happened || of_one || to_one || verb.is_some_and(|verb| is_past(verb))
}

/// What stands between backticks, and files that stand bare; not what is said not to be so.
pub fn names(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split('`').collect();
    let is_denied = |before: &str| {
        let last = before.split_whitespace().next_back().unwrap_or_default();
        ["not", "no", "No", "without"].contains(&last)
    };
    let mut named: Vec<String> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let is_quoted = at % 2 == 1 && at + 1 < parts.len();
        if is_quoted && !is_denied(parts[at - 1]) {
            named.push((*part).to_owned());
        } else if !is_quoted {
            let words = part
                .split(|c: char| c.is_whitespace() || "(),:;\"'".contains(c))
                .map(|word| word.trim_end_matches('.'));
            named.extend(words.filter(|word| is_file(word)).map(str::to_owned));
        }
    }
    named
}

/// What of a statement that became a memory has to be in the tree; of a version that is kept only whose it is, since the reason
/// names what it is kept from.
pub fn names_to_find(content: &str) -> Vec<String> {
    // The error that it is told with is no part of the tree.
    let mut named = names(stated(content));
    // Options of others need not stand in the tree; where nothing else is named they have to.
    if flags_alone(&named).is_none() {
        named.retain(|name| !name.starts_with('-'));
    }
    if content.starts_with(pin::KEEP) {
        named.truncate(1);
    }
    named
}

/// Whether what is told as this has to be borne out by the tree: a cause or a correction in an agent's own words.
pub fn is_claim(key: &str) -> bool {
    key.starts_with(CAUSE) || key.starts_with(CORRECTION)
}

/// Whether a word is a file: `src/wire.rs`, `cliff.toml`. What has a capital or is called behind its dot is a name of somebody's
/// library: `io.EOF`, `client.enable()`.
pub fn is_file(word: &str) -> bool {
    let known = paths::is_config(word) || paths::is_prose(word);
    let name = paths::file_name(word);
    let (stem, ending) = name.rsplit_once('.').unwrap_or_default();
    let is_ending = ending.starts_with(|c: char| c.is_ascii_lowercase())
        && ending
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    (known || is_ending)
        && stem.len() >= 2
        && !word.starts_with(['/', '~', '<'])
        && (known || !is_member(word))
}

/// Whether a word is what somebody's thing does: `Bun.spawn`, `JSON.parse`. What else has a capital before its dot may be a file.
fn is_member(word: &str) -> bool {
    const DOES: [&str; 25] = [
        "all",
        "close",
        "exec",
        "exit",
        "fetch",
        "file",
        "find",
        "from",
        "get",
        "join",
        "keys",
        "now",
        "open",
        "parse",
        "read",
        "run",
        "send",
        "serve",
        "set",
        "sleep",
        "spawn",
        "start",
        "stop",
        "stringify",
        "write",
    ];
    let is_name = |thing: &str| thing.chars().all(char::is_alphanumeric);
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word
            .split_once('.')
            .is_some_and(|(thing, does)| is_name(thing) && DOES.contains(&does))
}

/// Whether two statements name mostly the same things.
pub fn is_same(one: &[String], other: &[String]) -> bool {
    let shared = one.iter().filter(|name| other.contains(name)).count();
    shared * 2 >= one.len().min(other.len()).max(1)
}

impl Claim {
    /// What it is told of.
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::Outside { names, .. } | Self::Own { names } => names.clone(),
            Self::Version { statement, .. } => names(statement),
        }
    }
}

impl Candidate {
    /// Files that are not there any more say nothing about where it holds.
    pub fn keep_files(&mut self, is_there: impl Fn(&ProjectPath) -> bool) {
        let kept: Vec<ProjectPath> = self
            .files
            .iter()
            .filter(|file| is_there(file))
            .cloned()
            .collect();
        self.name_files(kept);
    }

    /// It is told of the file in which what it names stands, not of the one that was changed that day.
    pub fn stands_in(&mut self, file: ProjectPath) {
        let told = format!("{} (`{file}`)", self.content.as_str().trim_end_matches('.'));
        if let Ok(content) = Content::new(&told) {
            self.content = content;
        }
        self.name_files([file]);
    }

    /// It is about this file, whichever was changed that day.
    pub fn is_about(&mut self, file: ProjectPath) {
        self.name_files([file]);
    }

    /// The same finding in words that hold today.
    pub fn reword(&mut self, wording: &Wording) {
        if let Ok(content) = Content::new(&wording.content) {
            self.summary = Summary::new(&wording.summary).unwrap_or_else(|_| Summary::of(&content));
            self.content = content;
        }
    }

    /// What it needs to be true; without that it tells of the code of that day.
    pub(super) fn claims(&mut self, claim: Option<Claim>) {
        if claim.is_none() {
            self.refuse(Dropped::Mended);
        }
        self.claim = claim;
    }

    /// Whether nothing speaks against it yet.
    pub fn is_fit(&self) -> bool {
        self.unfit.is_none()
    }

    /// It can become nothing.
    pub fn refuse(&mut self, why: Dropped) {
        self.unfit.get_or_insert(why);
    }
}

/// A line of a summary's length that begins with what it is about.
pub(super) fn line(statement: &str) -> String {
    let fits =
        |line: &String| oldhand_domain::tokens::count(line) <= oldhand_domain::text::SUMMARY_LIMIT;
    let lines = [140, 115, 90, 65].map(|limit| clip(statement, limit));
    lines
        .into_iter()
        .find(fits)
        .unwrap_or_else(|| clip(statement, 40))
}

pub(super) fn gotcha(content: String, summary: String) -> Wording {
    Wording::plain(BuiltInType::Gotcha, content, summary)
}
