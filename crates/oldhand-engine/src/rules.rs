//! Rules files (CLAUDE.md, AGENTS.md, .cursorrules and their kin) read as typed statements, and what a README, manifests and
//! the settings of formatters and linters lay down.
//!
//! Pure: text in, rules out. [`parse`] cuts a file into statements; [`guess_type`] says what kind of statement a
//! sentence is, which is also what a person gets who names no type.

mod clients;
mod folder;
mod guess;
mod manual;
mod markdown;
mod paths;
mod said;
mod settings;
mod stance;
mod told;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Author, Draft, Memory};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::{OutsideText, Taint};
use oldhand_domain::text::{CONTENT_LIMIT, Content, Summary, Tag};
use oldhand_domain::vocabulary::{ReviewReason, Scope, Source, Visibility};
use oldhand_observe::orders::{Order, order_in};
use oldhand_redact::redact;

pub use clients::is_for_another;
pub use folder::{FOLDER_FILES, NOT_ITS_OWN, folder_of, folder_of_file, holds_where};
pub(crate) use folder::{binding, folder_tags};
pub use guess::guess_type;
pub use manual::Manual;
pub use said::{Found, is_unsaid, unsaid};
pub use settings::is_settings_file;

use clients::client_tag;
use markdown::{Block, Kind};
use paths::{named_paths, twin_of};
use stance::{Stance, stance_of};
use told::{Told, contents, forbidding_heading, points};

/// Where tools keep their rules, below a project's root. A name that ends in `/` is a folder of such files.
pub const KNOWN_FILES: &[&str] = &[
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".cursor/rules/",
    ".windsurfrules",
    ".windsurf/rules/",
    ".github/copilot-instructions.md",
    "CONTRIBUTING.md",
    "README.md",
];

/// Files for people, of which only what is asked of those who work on the project is taken.
const FOR_PEOPLE: &[&str] = &["CONTRIBUTING.md", "README.md"];
/// Words of headings below which such things stand.
const ABOUT_WORK: &[&str] = &[
    "contribut",
    "convention",
    "develop",
    "guideline",
    "code style",
    "coding",
    "commit",
    "pull request",
    "testing",
];

/// One statement of a rules file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub content: String,
    pub rule_type: BuiltInType,
    pub tags: BTreeSet<Tag>,
    /// Paths the statement names; whether they exist is for the caller to find out.
    pub paths: BTreeSet<ProjectPath>,
    /// From 1.
    pub line: usize,
    /// The order to a model that its words give as they stand in the file, where reading them as a statement may hide it.
    pub order: Option<Order>,
    /// Its words without the heading that forbids them, which are the opposite of what is meant.
    pub opposite: Option<String>,
    /// What it says in one line, where that is not how its content begins: all points under one line begin with that.
    pub summary: Option<String>,
    /// The outermost heading it stands below.
    pub section: Option<String>,
    pub weight: Weight,
}

/// How much a statement weighs before anybody confirms it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    #[default]
    Rule,
    /// It only says where something is to be read: it is found by who looks for it, and volunteered to nobody.
    Pointer,
    /// It names a file that is not there, where another is of much the same name: a person reads it first.
    Doubtful {
        named: ProjectPath,
        there: ProjectPath,
    },
}

/// What is believed of a pointer: less than is asked for before something is said, however much is trusted.
const POINTER: f64 = 0.4;

/// A part of the file that is not a statement we can keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    pub line: usize,
    pub why: &'static str,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    pub rules: Vec<Rule>,
    pub skipped: Vec<Skipped>,
    /// What is told as one pointer each.
    pub manuals: Vec<Manual>,
}

/// What a rules file is read beside.
pub struct Among<'a> {
    /// The other files of the project, by name and text: what one of them has the word on is not taken from an `.editorconfig`.
    pub texts: &'a [(&'a str, &'a str)],
    /// Whether a program or a path belongs to the project: how its own programs are used is no manual of somebody else's.
    pub is_own: &'a dyn Fn(&str) -> bool,
}

/// Cuts the rules file at `file` into statements, where nothing else of a project is known.
pub fn parse(file: &ProjectPath, text: &str) -> Rules {
    let among = Among {
        texts: &[],
        is_own: &|_| false,
    };
    parse_among(file, text, &among)
}

/// The same beside all else of its project.
pub fn parse_among(file: &ProjectPath, text: &str, among: &Among<'_>) -> Rules {
    if is_settings_file(file.name()) {
        return read_settings(file, text, among);
    }
    let (front, body, first_line) = split_front_matter(text);
    let globs = front.map(read_globs).unwrap_or_default();
    let mut found = Rules {
        manuals: manuals_of(file, text, among),
        ..Rules::default()
    };
    let mut seen = BTreeSet::new();
    for block in markdown::blocks(body, first_line) {
        match block.kind {
            _ if is_left_to(&found.manuals, &block) => {}
            Kind::Statement if !is_asked(file, &block) => {}
            Kind::Statement => {
                for rule in read_statement(file, &block, &globs) {
                    if rule.content.len() > CONTENT_LIMIT {
                        found.skipped.push(Skipped {
                            line: rule.line,
                            why: "longer than a memory can be",
                        });
                    } else if seen.insert(rule.content.clone()) {
                        found.rules.push(rule);
                    }
                }
            }
            Kind::Skipped(why) => found.skipped.push(Skipped {
                line: block.line,
                why,
            }),
        }
    }
    let pointers = found.manuals.iter().map(|manual| pointer(file, manual));
    found.rules.extend(pointers);
    found.rules.sort_by_key(|rule| rule.line);
    mark_orders(&mut found.rules, text);
    found
}

/// Of what is written for people only what is asked is taken anyway.
fn manuals_of(file: &ProjectPath, text: &str, among: &Among<'_>) -> Vec<Manual> {
    if FOR_PEOPLE.contains(&file.name()) {
        return Vec::new();
    }
    manual::manuals(text, among.is_own)
}

/// Whether it stands in a manual, and orders nobody.
fn is_left_to(manuals: &[Manual], block: &Block) -> bool {
    let manual = manuals.iter().find(|manual| manual.holds(block.line));
    manual.is_some_and(|manual| block.kind != Kind::Statement || !manual.orders(&block.text))
}

fn pointer(file: &ProjectPath, manual: &Manual) -> Rule {
    Rule {
        content: manual.pointer(file.as_str()),
        rule_type: BuiltInType::ModuleInsight,
        tags: file_tag(file).into_iter().collect(),
        paths: BTreeSet::new(),
        line: manual.first,
        order: None,
        opposite: None,
        summary: None,
        section: Some(manual.heading.clone()),
        weight: Weight::Pointer,
    }
}

/// What the rules of a file say, without all else that is read of them: for whoever only compares it. Some of it may be longer than a memory.
pub fn contents_among(file: &ProjectPath, text: &str, among: &Among<'_>) -> Vec<String> {
    if is_settings_file(file.name()) {
        let rules = read_settings(file, text, among).rules.into_iter();
        return rules.map(|rule| rule.content).collect();
    }
    let (_, body, first_line) = split_front_matter(text);
    let manuals = manuals_of(file, text, among);
    let blocks = markdown::blocks(body, first_line).into_iter();
    let asked = blocks.filter(|block| {
        let is_meant = block.kind == Kind::Statement && is_asked(file, block);
        is_meant && !is_left_to(&manuals, block)
    });
    let said = asked.flat_map(|block| contents(&block).contents);
    let pointers = manuals.iter().map(|manual| manual.pointer(file.as_str()));
    said.chain(pointers).collect()
}

/// Marks that reading a file takes away, tags and what nobody sees, are of the statement in whose lines they stand.
fn mark_orders(rules: &mut [Rule], text: &str) {
    for (at, line) in text.lines().enumerate() {
        let order = order_in(line).filter(|order| matches!(order, Order::Call | Order::Hidden));
        let Some(order) = order else { continue };
        let lines = rules.iter().map(|rule| rule.line);
        let within = lines.filter(|line| *line <= at + 1).max();
        // A mark on a line of its own is no statement, and speaks for the next one.
        for rule in rules.iter_mut() {
            if Some(rule.line) == within || rule.line == at + 2 {
                rule.order.get_or_insert(order);
            }
        }
    }
    for rule in rules {
        rule.order = rule.order.or_else(|| order_in(&rule.content));
    }
}

/// What is stored for a rule that says this, as it would read after redaction; `None` when nothing would be left.
pub fn stored_content(content: &str) -> Option<Content> {
    Content::new(&redact(content).text).ok()
}

impl Rule {
    /// Doubts a rule for a file that it names, where only one of the same name with another ending is there: `.golangci.yml` for
    /// `.golangci.yaml`. Other paths that are not there may be examples, or be made yet.
    pub fn doubt(&mut self, exists: impl Fn(&ProjectPath) -> bool) {
        let mut absent = self.paths.iter().filter(|path| !exists(path));
        let found = absent.find_map(|named| Some((named.clone(), twin_of(named, &exists)?)));
        if let Some((named, there)) = found {
            self.weight = Weight::Doubtful { named, there };
        }
    }

    /// The memory that the rule asks for. It is the project's, like the file it comes from; what agents are told by a rules file is its owner's
    /// word, what a page for people or a setting lays down was committed by whoever wrote it.
    pub fn draft(self, file: &ProjectPath) -> Draft {
        let author = Author::new(&format!("{OF_FILE}{file}"));
        let taint = self.order.map(|_| Taint::by(OutsideText::Orders));
        let review_reason = match (self.order, &self.weight) {
            (Some(_), _) => Some(ReviewReason::OutsideText),
            (None, Weight::Doubtful { .. }) => Some(ReviewReason::MissingFile),
            (None, _) => None,
        };
        let confidence = (self.weight == Weight::Pointer).then(|| Confidence::clamped(POINTER));
        let draft = Draft::taught(self.rule_type.into(), self.content);
        Draft {
            needs_review: review_reason.is_some(),
            review_reason,
            confidence: confidence.unwrap_or(draft.confidence),
            taint: taint.unwrap_or_default(),
            tags: self.tags,
            summary: self.summary,
            files: self.paths,
            created_by: author.unwrap_or_else(|_| Author::user()),
            visibility: Some(Visibility::Project),
            scope: match folder_of_file(file) {
                Some(_) => Scope::Module,
                None => Scope::Global,
            },
            source: if FOR_PEOPLE.contains(&file.name()) || is_settings_file(file.name()) {
                Source::CommitAuto
            } else {
                Source::UserTaught
            },
            ..draft
        }
    }
}

/// How the author of what was taken from a file begins.
const OF_FILE: &str = "import:";

/// The rules file, text for people or setting that a memory was taken from.
pub fn file_of(memory: &Memory) -> Option<&str> {
    memory.created_by.as_str().strip_prefix(OF_FILE)
}

pub fn is_of_file(memory: &Memory) -> bool {
    file_of(memory).is_some()
}

/// A memory's turn among others: the latest comes first, but what was taken from files at one time keeps the order that the files give it,
/// for it may be the steps of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn(Reverse<Timestamp>, Within);

/// A turn among memories of one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Within {
    Latest(Reverse<MemoryId>),
    AsWritten(MemoryId),
}

impl Turn {
    pub fn of(memory: &Memory) -> Self {
        let within = if is_of_file(memory) {
            Within::AsWritten(memory.id)
        } else {
            Within::Latest(Reverse(memory.id))
        };
        Self(Reverse(memory.created_at), within)
    }
}

/// The tag that all rules of a file carry.
pub fn file_tag(file: &ProjectPath) -> Option<Tag> {
    Tag::new(&file.name().replace([' ', ','], "-")).ok()
}

fn read_settings(file: &ProjectPath, text: &str, among: &Among<'_>) -> Rules {
    let others = among.texts.iter().copied();
    let rule = settings::read(file.name(), text, others).map(|convention| Rule {
        content: convention.text,
        rule_type: BuiltInType::Preference,
        tags: file_tag(file).into_iter().collect(),
        paths: BTreeSet::from([file.clone()]),
        order: None,
        opposite: None,
        summary: None,
        section: None,
        weight: Weight::Rule,
        line: convention.line,
    });
    Rules {
        rules: rule.into_iter().collect(),
        ..Rules::default()
    }
}

/// What is written for agents is all meant; of what is written for people, only what is asked of those who work here.
fn is_asked(file: &ProjectPath, block: &Block) -> bool {
    if !FOR_PEOPLE.contains(&file.name()) {
        return true;
    }
    let is_about_work = |heading: &String| {
        let heading = heading.to_lowercase();
        ABOUT_WORK.iter().any(|words| heading.contains(words))
    };
    let for_those_who_work = file.name() != "README.md" || block.headings.iter().any(is_about_work);
    for_those_who_work && (guess::demands(&block.text) || forbidding_heading(block).is_some())
}

fn read_statement(file: &ProjectPath, block: &Block, globs: &BTreeSet<ProjectPath>) -> Vec<Rule> {
    let Told {
        ban,
        heading,
        contents,
    } = contents(block);
    let is_forbidden = ban.is_some() || block.lead().map(stance_of) == Some(Stance::Forbids);
    // What a project leaves out is no trap, somebody decided it.
    let above_cuts = ban.or(block.lead()).is_some_and(stance::cuts_scope);
    let mut tags: BTreeSet<Tag> = file_tag(file).into_iter().collect();
    tags.extend(block.headings.last().and_then(|words| heading_tag(words)));
    tags.extend(block.headings.iter().filter_map(|words| client_tag(words)));
    contents
        .into_iter()
        .zip(points(block))
        .map(|(content, point)| {
            // A heading that forbids is a part of what is said.
            let above = heading.filter(|_| ban.is_none());
            let rule_type = match guess::guess_type_under(above, &content) {
                other if !is_forbidden => other,
                BuiltInType::Requirement => BuiltInType::Requirement,
                _ if above_cuts => BuiltInType::Decision,
                _ => BuiltInType::Gotcha,
            };
            Rule {
                rule_type,
                summary: block.lead().and_then(|lead| own_summary(lead, &content)),
                paths: globs
                    .iter()
                    .cloned()
                    .chain(named_paths(&content))
                    .chain(heading.map(named_paths).unwrap_or_default())
                    .collect(),
                tags: tags.clone(),
                line: block.line,
                order: None,
                opposite: ban.map(|_| point),
                section: block.headings.first().cloned(),
                weight: Weight::Rule,
                content,
            }
        })
        .collect()
}

/// One line for a point that does not fit into one with the line that announced it.
fn own_summary(lead: &str, content: &str) -> Option<String> {
    let whole = Content::new(content).ok()?;
    let (before, point) = content.split_once(lead)?;
    let is_whole = Summary::new(content).is_ok();
    let lead = format!("{before}{lead}");
    let point = Content::new(point).ok().filter(|_| !is_whole)?;
    let summary = Summary::of_point(&lead, &point);
    (summary != Summary::of(&whole)).then(|| summary.to_string())
}

fn heading_tag(heading: &str) -> Option<Tag> {
    let words: Vec<String> = heading
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() || words.len() > 4 {
        return None;
    }
    Tag::new(&words.join("-")).ok()
}

/// The text between two lines of `---` at the top, the rest, and the line the rest begins at.
fn split_front_matter(text: &str) -> (Option<&str>, &str, usize) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"))
    else {
        return (None, text, 1);
    };
    let mut at = 0;
    for (number, line) in rest.split_inclusive('\n').enumerate() {
        if line.trim_end() == "---" {
            return (Some(&rest[..at]), &rest[at + line.len()..], number + 3);
        }
        at += line.len();
    }
    (None, text, 1)
}

/// The folders that `globs: src/api/**/*.ts, docs/*.md` limits a rule to.
fn read_globs(front: &str) -> BTreeSet<ProjectPath> {
    let values = front.lines().filter_map(|line| {
        line.strip_prefix("globs:")
            .or(line.strip_prefix("applyTo:"))
    });
    values
        .flat_map(|globs| globs.split(','))
        .filter_map(|glob| {
            let glob = glob.trim().trim_matches(['"', '\'', '[', ']', ' ']);
            let fixed = match glob.find(['*', '?', '{', '[']) {
                Some(at) => glob[..at].rsplit_once('/')?.0,
                None => glob,
            };
            ProjectPath::new(fixed).ok()
        })
        .collect()
}

#[cfg(test)]
mod tests;
