//! Secrets out of a draft, whatever field they hide in.

use oldhand_domain::memory::{Author, Draft};
use oldhand_domain::parts;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::Payload;
use oldhand_domain::relation::RelationTarget;
use oldhand_domain::text::{CONTENT_LIMIT, Content, Fingerprint, ModuleName, Tag};
use oldhand_redact::{SecretKind, redact};

/// Where in a draft a secret was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Content { line: usize, column: usize },
    Summary,
    Citation,
    Details,
    Tag,
    File,
    Module,
    Fingerprint,
    Branch,
    Session,
    WorkUnit,
    Author,
}

/// A secret that was taken out. It never holds the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redaction {
    pub kind: SecretKind,
    pub place: Place,
}

/// The drafts of the parts of one that is too long for a memory, and what was left out of it; a short one is its own only part. Secrets go
/// before it is cut, so that none is cut in two.
pub fn cut_draft(draft: Draft) -> (Vec<Draft>, Vec<Redaction>) {
    if draft.content.len() <= CONTENT_LIMIT {
        return (vec![draft], Vec::new());
    }
    let (draft, redactions) = redact_draft(draft);
    let texts: Vec<String> = parts::cut(&draft.content, CONTENT_LIMIT)
        .into_iter()
        .filter(|part| Content::new(part).is_ok())
        .map(str::to_owned)
        .collect();
    let part = |(at, content): (usize, String)| Draft {
        // What was said of the whole is true of its beginning.
        summary: draft.summary.clone().filter(|_| at == 0),
        citation: draft.citation.clone().filter(|_| at == 0),
        content,
        ..draft.clone()
    };
    (
        texts.into_iter().enumerate().map(part).collect(),
        redactions,
    )
}

/// Every text of the draft without its secrets, and where they were.
pub(crate) fn redact_draft(mut draft: Draft) -> (Draft, Vec<Redaction>) {
    let mut found = Vec::new();
    let content = redact(&draft.content);
    found.extend(content.findings.iter().map(|finding| {
        let place = Place::Content {
            line: finding.line,
            column: finding.column,
        };
        Redaction {
            kind: finding.kind,
            place,
        }
    }));
    draft.content = content.text.into_owned();
    let mut clean = |text: &str, place: Place| -> String {
        let redacted = redact(text);
        found.extend(redacted.findings.iter().map(|finding| Redaction {
            kind: finding.kind,
            place,
        }));
        redacted.text.into_owned()
    };
    draft.summary = draft.summary.map(|text| clean(&text, Place::Summary));
    draft.citation = draft.citation.map(|text| clean(&text, Place::Citation));
    draft.branch = draft.branch.map(|text| clean(&text, Place::Branch));
    draft.payload = redact_payload(&draft.payload, &mut clean);
    // A label that held a secret and does not survive its removal is dropped: the secret mattered more.
    draft.tags = draft
        .tags
        .iter()
        .filter_map(|tag| {
            // Tags are lower case, keys often are not: the same letters in capitals are the same secret.
            let shouted = tag.as_str().to_uppercase();
            if clean(&shouted, Place::Tag) != shouted {
                return None;
            }
            Tag::new(&clean(tag.as_str(), Place::Tag)).ok()
        })
        .collect();
    draft.files = draft
        .files
        .iter()
        .filter_map(|file| ProjectPath::new(&clean(file.as_str(), Place::File)).ok())
        .collect();
    draft.target_node = draft
        .target_node
        .filter(|node| clean(node, Place::File) == *node);
    draft
        .impacted_nodes
        .retain(|node| clean(node, Place::File) == *node);
    draft.modules = draft
        .modules
        .iter()
        .filter_map(|name| ModuleName::new(&clean(name.as_str(), Place::Module)).ok())
        .collect();
    draft.fingerprints = draft
        .fingerprints
        .iter()
        .filter_map(|print| Fingerprint::new(&clean(print.as_str(), Place::Fingerprint)).ok())
        .collect();
    // Names that are looked up by are kept whole or not at all.
    draft.session = draft
        .session
        .filter(|session| holds_nothing(session.as_str(), Place::Session, &mut clean));
    let past = &mut draft.past;
    past.provenance
        .retain(|session| holds_nothing(session.as_str(), Place::Session, &mut clean));
    past.relations.retain(|relation| match &relation.target {
        RelationTarget::File(file) => clean(file.as_str(), Place::File) == file.as_str(),
        RelationTarget::Memory(_) => true,
    });
    let note = past.flagged.as_mut().and_then(|flag| flag.note.as_mut());
    let reason = past.stale.as_mut().map(|stale| &mut stale.reason);
    for text in note.into_iter().chain(reason) {
        *text = clean(text, Place::Details);
    }
    draft.work_unit = draft.work_unit.filter(|unit| {
        let names = [unit.methodology(), &unit.path(), unit.label()].join(" ");
        holds_nothing(&names, Place::WorkUnit, &mut clean)
    });
    draft.methodology = draft
        .methodology
        .filter(|name| holds_nothing(name, Place::WorkUnit, &mut clean));
    if !holds_nothing(draft.created_by.as_str(), Place::Author, &mut clean) {
        draft.created_by = Author::new("unknown").expect("a plain word is an author");
    }
    (draft, found)
}

/// Whether a name is free of secrets. Its parts are looked at one by one: a key does not hide behind a dash.
fn holds_nothing(name: &str, place: Place, clean: &mut impl FnMut(&str, Place) -> String) -> bool {
    let parts = name.replace(['-', '_', '/', ':', '.'], " ");
    clean(name, place) == name && clean(&parts, place) == parts
}

/// A payload without its secrets.
pub(crate) fn redact_details(payload: &Payload) -> Payload {
    redact_payload(payload, &mut |text: &str, _: Place| {
        redact(text).text.into_owned()
    })
}

/// Payloads are walked as JSON, so that a new field cannot be forgotten.
fn redact_payload(payload: &Payload, clean: &mut impl FnMut(&str, Place) -> String) -> Payload {
    if let Payload::Plain(_) = payload {
        return payload.clone();
    }
    let mut value =
        serde_json::to_value(payload).expect("a payload is plain data with string keys");
    let mut changed = false;
    walk(&mut value, &mut |text| {
        let cleaned = clean(text, Place::Details);
        changed |= cleaned != *text;
        *text = cleaned;
    });
    if !changed {
        return payload.clone();
    }
    // A secret inside a checked field (a path, a time) leaves no valid payload: the words remain.
    serde_json::from_value(value).unwrap_or_else(|_| Payload::Plain(payload.memory_type()))
}

fn walk(value: &mut serde_json::Value, each: &mut impl FnMut(&mut String)) {
    match value {
        serde_json::Value::String(text) => each(text),
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| walk(item, each)),
        serde_json::Value::Object(fields) => {
            fields.values_mut().for_each(|field| walk(field, each));
        }
        _ => {}
    }
}
