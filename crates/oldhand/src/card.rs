//! A memory as people see it: short in lists, whole when shown.

mod trail;

use std::io::{self, Write};

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::memory::Memory;
use oldhand_domain::payload::Payload;
use oldhand_domain::relation::{Extraction, Relation, RelationTarget};
use oldhand_domain::taint::OutsideText;
use oldhand_domain::vocabulary::ReviewReason;
use oldhand_engine::{Place, Redaction, Shelf, Shelved};
use oldhand_observe::orders::{order_in, order_in_output};
use oldhand_recall::candidate::{BAR, Because, Judged};

use crate::out::Out;
use crate::out::style::{BAD, FAINT, GOOD, ID, STRONG, TYPE, WARNING};
use crate::out::time::{ago, count, moment};
use crate::out::wrap::{shorten, width};

pub(crate) use trail::{moments, plainly, trail};

/// A few lines: id, type, confidence and age; what it says; what it is about; why it is stale, where it is.
pub(crate) fn brief(out: &mut Out, shelved: &Shelved, now: Timestamp) -> io::Result<()> {
    found(out, shelved, None, now)
}

/// The same of an answer, with the chance that it is one, or its place or day where age alone was asked for.
pub(crate) fn found(
    out: &mut Out,
    shelved: &Shelved,
    because: Option<&Because>,
    now: Timestamp,
) -> io::Result<()> {
    let memory = &shelved.memory;
    let (id, kind) = (memory.id.short(), memory.memory_type());
    let likely = because.map(|because| match because.say_age() {
        Some(age) => age,
        None if because.judged == Judged::Unmeasured => "likelihood not measured".to_owned(),
        // What is under the bar is a guess, and the order of guesses says more than their shares.
        None if because.relevance < BAR => "weak match".to_owned(),
        None => format!("{:.0} % likely", because.relevance * 100.0),
    });
    let sure = format!("sure {}", memory.confidence_now(now));
    let renewed = renewed(memory, now).map(|since| format!(", renewed {since}"));
    let age = ago(memory.created_at, now) + &renewed.unwrap_or_default();
    let kind = kind.to_string();
    let mut pieces = vec![("", ID, id.as_str()), ("  ", TYPE, kind.as_str())];
    let said = likely.iter().chain([&sure, &age]);
    pieces.extend(said.map(|words| (" · ", FAINT, words.as_str())));
    let marks = marks(shelved);
    pieces.extend(marks.iter().map(|(style, words)| (" · ", *style, *words)));
    out.pieces("          ", &pieces)?;
    out.paragraph("  ", memory.summary.as_str())?;
    let about = about(memory, out.width() - 2);
    if !about.is_empty() {
        writeln!(out, "  {FAINT}{about}{FAINT:#}")?;
    }
    if let Some(stale) = &memory.stale {
        let why = shorten(&format!("stale: {}", stale.reason), out.width() - 2);
        writeln!(out, "  {FAINT}{why}{FAINT:#}")?;
    }
    Ok(())
}

/// Everything a person may want to know about a memory.
pub(crate) fn whole(out: &mut Out, shelved: &Shelved, now: Timestamp) -> io::Result<()> {
    let memory = &shelved.memory;
    let (id, kind) = (memory.id.short(), memory.memory_type());
    writeln!(out, "{ID}{id}{ID:#}  {TYPE}{kind}{TYPE:#}")?;
    writeln!(out)?;
    out.paragraph("  ", memory.content.as_str())?;
    writeln!(out)?;
    let marks = marks(shelved);
    if !marks.is_empty() {
        let words: Vec<String> = marks
            .iter()
            .map(|(style, words)| format!("{style}{words}{style:#}"))
            .collect();
        writeln!(out, "  {STRONG}state{STRONG:#}       {}", words.join(", "))?;
    }
    for (label, value) in facts(memory, now) {
        fact(out, label, &value)?;
    }
    Ok(())
}

fn facts(memory: &Memory, now: Timestamp) -> Vec<(&'static str, String)> {
    let list = |items: Vec<&str>| items.join(", ");
    let mut facts = Vec::new();
    if memory.summary.as_str() != memory.content.as_str() {
        facts.push(("summary", memory.summary.to_string()));
    }
    facts.push(("confidence", confidence(memory, now)));
    facts.push(("waits", waits(memory).unwrap_or_default()));
    facts.push((
        "files",
        list(
            memory
                .files
                .iter()
                .map(oldhand_domain::path::ProjectPath::as_str)
                .collect(),
        ),
    ));
    facts.push((
        "modules",
        list(
            memory
                .modules
                .iter()
                .map(oldhand_domain::text::ModuleName::as_str)
                .collect(),
        ),
    ));
    facts.push((
        "tags",
        list(
            memory
                .tags
                .iter()
                .map(oldhand_domain::text::Tag::as_str)
                .collect(),
        ),
    ));
    facts.push(("hangs on", memory.target_node.clone().unwrap_or_default()));
    facts.push((
        "errors",
        list(
            memory
                .fingerprints
                .iter()
                .map(oldhand_domain::text::Fingerprint::as_str)
                .collect(),
        ),
    ));
    facts.push((
        "citation",
        memory
            .citation
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
    ));
    facts.push(("details", details(&memory.payload)));
    facts.push((
        "source",
        format!("{}, by {}", memory.source, memory.created_by),
    ));
    facts.push(("learned", learned(memory, now)));
    if memory.updated_at != memory.created_at {
        facts.push(("changed", ago(memory.updated_at, now)));
    }
    facts.push(("used", used(memory, now)));
    facts.push(("seen in", seen_in(memory)));
    facts.push(("scope", format!("{}, {}", memory.scope, memory.visibility)));
    let gone = if memory.deleted_since.is_some() {
        "deleted"
    } else {
        "replaced"
    };
    for (label, mark) in [("stale", &memory.stale), (gone, &memory.deprecated)] {
        if let Some(mark) = mark {
            facts.push((label, format!("{}: {}", ago(mark.since, now), mark.reason)));
        }
    }
    if let Some(flag) = &memory.flagged {
        let note = flag
            .note
            .as_ref()
            .map(|note| format!(": {note}"))
            .unwrap_or_default();
        facts.push((
            "flagged",
            format!(
                "{} {} by {}{note}",
                flag.correction,
                ago(flag.since, now),
                flag.by.in_words()
            ),
        ));
    }
    let relations: Vec<String> = memory.relations.iter().map(relation).collect();
    facts.push(("relations", relations.join(", ")));
    facts.push(("id", memory.id.to_string()));
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

/// The sessions that show it: all where they are few, else how many and the first of them. `--json` has all.
fn seen_in(memory: &Memory) -> String {
    const SHOWN: usize = 4;
    let sessions = memory.provenance.iter();
    let named: Vec<&str> = sessions
        .map(oldhand_domain::id::SessionId::as_str)
        .collect();
    match named.len().saturating_sub(SHOWN) {
        0 => named.join(", "),
        1 => format!("{} sessions: {}", named.len(), named.join(", ")),
        more => format!(
            "{} sessions: {} and {more} more",
            named.len(),
            named[..SHOWN].join(", ")
        ),
    }
}

/// Why a memory waits whose words are for a model, not about the project: by which order it is, where its words still show that.
pub(crate) fn ordering(memory: &Memory) -> String {
    let texts = [memory.content.as_str(), memory.summary.as_str()];
    let order = texts.into_iter().find_map(order_in);
    let order = order.or_else(|| texts.into_iter().find_map(order_in_output));
    match order {
        Some(order) => format!("it {order}"),
        None => "it gives orders to a model".to_owned(),
    }
}

/// Why it waits for a person. Outside text that gives orders is told as what it is.
fn waits(memory: &Memory) -> Option<String> {
    let mut sources = memory.taint.sources();
    match memory.review_reason? {
        ReviewReason::OutsideText if sources.any(|source| *source == OutsideText::Orders) => {
            Some(ordering(memory))
        }
        reason => Some(reason.in_words().to_owned()),
    }
}

/// A label and what it says, continued below itself where it is long.
pub(crate) fn fact(out: &mut Out, label: &str, value: &str) -> io::Result<()> {
    const INDENT: usize = 14;
    let lines = crate::out::wrap::wrap(value, out.width() - INDENT);
    for (at, line) in lines.iter().enumerate() {
        let label = if at == 0 { label } else { "" };
        let gap = " ".repeat(INDENT - 2 - width(label).min(INDENT - 3));
        writeln!(out, "  {STRONG}{label}{STRONG:#}{gap}{line}")?;
    }
    Ok(())
}

/// What stands for or against a memory, each with the colour of its meaning.
fn marks(shelved: &Shelved) -> Vec<(anstyle::Style, &'static str)> {
    let memory = &shelved.memory;
    let all = [
        (shelved.shelf == Shelf::Personal, GOOD, "personal"),
        (memory.pinned, GOOD, "pinned"),
        (memory.is_verified(), GOOD, "verified"),
        (memory.needs_review, WARNING, "needs review"),
        (!memory.taint.is_clean(), WARNING, "from outside text"),
        (memory.flagged.is_some(), BAD, "flagged"),
        (memory.stale.is_some(), WARNING, "stale"),
        (
            memory.deprecated.is_some() && memory.deleted_since.is_none(),
            BAD,
            "replaced",
        ),
        (memory.deleted_since.is_some(), BAD, "deleted"),
    ];
    let holding = all.into_iter().filter(|(holds, ..)| *holds);
    holding.map(|(_, style, words)| (style, words)).collect()
}

/// Files first, then tags, as far as one line goes.
fn about(memory: &Memory, columns: usize) -> String {
    let files = memory.files.iter().map(|file| file.as_str().to_owned());
    let tags = memory.tags.iter().map(|tag| format!("#{tag}"));
    shorten(&files.chain(tags).collect::<Vec<_>>().join("  "), columns)
}

fn confidence(memory: &Memory, now: Timestamp) -> String {
    let current = memory.confidence_now(now);
    let mut text = current.to_string();
    if text != memory.confidence.to_string() {
        let last = match memory.usage.access_count {
            0 => "at first",
            _ => "when last used",
        };
        text = format!("{text} now, {} {last}", memory.confidence);
    }
    let renewed = renewed(memory, now).map(|since| {
        format!(", counted from {since}, when it was last learned, confirmed or used")
    });
    match memory.half_life_days() {
        Some(days) => format!(
            "{text}, halves every {} without use{}",
            count(days as usize, "day"),
            renewed.unwrap_or_default()
        ),
        None => format!("{text}, does not age"),
    }
}

/// Since when its sureness fades, where that is not about the day that its words are from: it was taken in later, or was of use since.
fn renewed(memory: &Memory, now: Timestamp) -> Option<String> {
    memory.half_life_days()?;
    let since = memory.usage.last_accessed_at;
    let apart = since.duration_since(memory.created_at);
    (apart >= SignedDuration::from_hours(24)).then(|| ago(since, now))
}

fn learned(memory: &Memory, now: Timestamp) -> String {
    let mut parts = vec![ago(memory.created_at, now), moment(memory.created_at)];
    let session = memory.session.as_ref();
    parts.extend(session.map(|session| format!("in session {session}")));
    let branch = memory.branch.as_ref();
    parts.extend(branch.map(|branch| format!("on {branch}")));
    let commit = memory.commit.as_ref();
    parts.extend(commit.map(|commit| format!("at {}", &commit.as_str()[..8])));
    let unit = memory.work_unit.as_ref();
    parts.extend(unit.map(|unit| format!("for {}", unit.label())));
    parts.join(", ")
}

fn used(memory: &Memory, now: Timestamp) -> String {
    match memory.usage.access_count {
        0 => "never so far".to_owned(),
        times => format!(
            "{}, last {}",
            count(times as usize, "time"),
            ago(memory.usage.last_accessed_at, now)
        ),
    }
}

fn relation(relation: &Relation) -> String {
    let target = match &relation.target {
        RelationTarget::Memory(id) => id.short(),
        RelationTarget::File(path) => path.to_string(),
    };
    let kind = relation.relation_type;
    match relation.extraction {
        // How much of the file is left since the memory was known.
        Extraction::Automatic if matches!(relation.target, RelationTarget::File(_)) => {
            let left = relation.confidence.get() * 100.0;
            format!("{kind} {target} ({left:.0} % of it left)")
        }
        _ => format!("{kind} {target}"),
    }
}

/// The structured part, as the JSON that it is stored as.
pub(crate) fn details(payload: &Payload) -> String {
    match payload {
        Payload::Plain(_) => String::new(),
        structured => serde_json::to_string(structured).unwrap_or_default(),
    }
}

/// What was taken out of a text, and where it was.
pub(crate) fn redaction(redaction: &Redaction) -> String {
    let place = match redaction.place {
        Place::Content { line, column } => format!("line {line}, column {column}"),
        Place::Summary => "the summary".to_owned(),
        Place::Citation => "the citation".to_owned(),
        Place::Details => "the details".to_owned(),
        Place::Tag => "a tag".to_owned(),
        Place::File => "a file name".to_owned(),
        Place::Module => "a module name".to_owned(),
        Place::Fingerprint => "a fingerprint".to_owned(),
        Place::Branch => "the branch name".to_owned(),
        Place::Session => "the session id".to_owned(),
        Place::WorkUnit => "the work unit".to_owned(),
        Place::Author => "the author".to_owned(),
    };
    format!(
        "a secret ({}) was left out: {place}",
        redaction.kind.as_str()
    )
}
