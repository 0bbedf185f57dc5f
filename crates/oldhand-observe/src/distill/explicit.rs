//! Candidates that need no signal: dead ends, what a validation found, what an agent asked to keep.

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::Digest;
use oldhand_domain::payload::{self, BuiltInType, Payload};
use oldhand_domain::vocabulary::Source;

use super::phrase::{clip, list};
use super::wording::Wording;
use super::{Candidate, Origin, is_grave};
use crate::detect::dead_end::{DeadEnd, GaveUp};
use crate::fold::SessionAnalytics;

/// What dead ends are worth beside the signals of the table.
const DEAD_END_WORTH: f64 = 0.8;

/// Why an approach was given up often stands in the next sentence; what comes next does, too, and is no reason.
fn with_reason(sentence: &str, next: Option<&str>) -> String {
    const NEXT: [&str; 10] = [
        "let me",
        "let's",
        "i'll",
        "i will",
        "instead",
        "now",
        "next",
        "first",
        "so i",
        "i'm going",
    ];
    let said = sentence.trim_end_matches(['.', ':']);
    let reason = next
        .map(|next| next.trim_end_matches(['.', ':']))
        .filter(|next| {
            let lower = next.to_lowercase();
            !NEXT.iter().any(|begin| lower.starts_with(begin))
                && lower.split_whitespace().count() > 3
        });
    match reason {
        Some(reason) => format!("{said}. {reason}"),
        None => said.to_owned(),
    }
}

pub(super) fn from_dead_end(end: &DeadEnd) -> Option<Candidate> {
    // Who goes on in the very file has not turned away from it, and who edited none gave up a tool's way or a thought.
    if end.tried.is_empty() || end.tried.first() == end.instead.first() {
        return None;
    }
    // That another way was taken says nothing to anybody else without what was wrong with this one.
    if let GaveUp::Said(sentence) = &end.gave_up {
        let has_reason = end.reason.is_some() || end.last_error.is_some();
        if !has_reason && !sentence.contains(" because ") {
            return None;
        }
    }
    let tried = format!("working on {}", list(&end.tried));
    let words = match &end.gave_up {
        GaveUp::Said(sentence) => Some(clip(&with_reason(sentence, end.reason.as_deref()), 240)),
        GaveUp::Undid(_) => end.reason.as_deref().map(|reason| clip(reason, 200)),
    };
    let gave_up = match (&end.gave_up, &words) {
        (GaveUp::Said(_), Some(words)) => format!(
            "given up after {} steps with the words \"{words}\"",
            end.until - end.from
        ),
        (GaveUp::Undid("git"), _) => format!(
            "after {} steps everything was taken back with git",
            end.until - end.from
        ),
        _ => format!("after {} steps every edit was undone", end.until - end.from),
    };
    let error = end
        .last_error
        .as_ref()
        .map(|error| format!(" The last error was \"{}\".", clip(error, 200)))
        .unwrap_or_default();
    // What another program asked for is no task in anybody's words.
    let task = end
        .task
        .as_deref()
        .filter(|task| !task.trim_start().starts_with(['<', '{']));
    let task = task.map(|task| clip(task, 160));
    let for_task = task
        .as_ref()
        .map(|task| format!(" for \"{task}\""))
        .unwrap_or_default();
    let content = format!(
        "A dead end{for_task}: {tried}, {gave_up}.{error} What was done instead: work on {}.",
        list(&end.instead)
    );
    let summary = format!(
        "Dead end: {}; used {} instead",
        list(&end.tried[..end.tried.len().min(1)]),
        list(&end.instead[..end.instead.len().min(1)])
    );
    let why = match (&words, &end.last_error) {
        (Some(words), _) => words.clone(),
        (None, Some(error)) => clip(error, 200),
        (None, None) => "it was taken back".to_owned(),
    };
    let payload = Payload::DeadEnd(payload::DeadEnd {
        tried: tried.clone(),
        why_it_failed: why,
        used_instead: Some(format!("work on {}", list(&end.instead))),
        task_context: task,
    });
    let files = || end.tried.iter().chain(&end.instead).cloned();
    let names: Vec<String> = files().map(|file| file.to_string()).collect();
    let key = format!("dead_end:{}", Digest::of(&names.join("\n")));
    let mut candidate = Candidate::new(
        key,
        Origin::DeadEnd,
        Wording {
            payload,
            content,
            summary,
        },
    )?;
    candidate.confidence = Confidence::clamped(if matches!(end.gave_up, GaveUp::Undid(_)) {
        0.75
    } else {
        0.65
    });
    candidate.priority = DEAD_END_WORTH;
    candidate.urgency = DEAD_END_WORTH;
    candidate.taint = end.taint.clone();
    candidate.evidence = vec![end.from, end.until];
    Some(candidate.about(files()))
}

/// Critical and high issues become error patterns at once.
pub(super) fn from_issues(session: &SessionAnalytics) -> Vec<Candidate> {
    let grave = session.validations.iter().flat_map(|validation| {
        validation
            .issues
            .iter()
            .filter(|issue| is_grave(issue.severity))
            .map(move |issue| (validation, issue))
    });
    let mut found: Vec<Candidate> = Vec::new();
    for (validation, issue) in grave {
        let words = clip(issue.text.as_str(), 500);
        let place = issue
            .file
            .as_ref()
            .map(|file| format!(" in `{file}`"))
            .unwrap_or_default();
        let content = format!(
            "A {} problem was found{place} by {}: {words}",
            issue.severity, validation.by
        );
        let summary = format!("Check{place}: {}", clip(&words, 90));
        let key = format!(
            "qa:{}",
            Digest::of(&format!("{place}{}", words.to_lowercase()))
        );
        let wording = Wording::plain(BuiltInType::ErrorPattern, content, summary);
        if found.iter().any(|known| known.key == key) {
            continue;
        }
        let Some(mut candidate) = Candidate::new(key, Origin::Qa, wording) else {
            continue;
        };
        candidate.confidence = Confidence::clamped(0.8);
        candidate.priority = 0.9;
        candidate.urgency = 0.95;
        candidate.source = Source::QaAuto;
        candidate.taint = session.taint_after(validation.step + 1);
        candidate.evidence = vec![validation.step];
        found.push(candidate.about(issue.file.iter().cloned()));
    }
    found
}

/// What an agent asked to keep, in its own words and of the type it named.
pub(super) fn from_notes(session: &SessionAnalytics) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for note in &session.notes {
        let kind: BuiltInType = note.kind.parse().unwrap_or(BuiltInType::ModuleInsight);
        let key = format!("note:{}", Digest::of(&note.text.to_lowercase()));
        let wording = Wording::plain(kind, note.text.clone(), clip(&note.text, 140));
        if found.iter().any(|known| known.key == key) {
            continue;
        }
        let Some(mut candidate) = Candidate::new(key, Origin::Note, wording) else {
            continue;
        };
        candidate.confidence = Confidence::clamped(0.75);
        candidate.priority = 0.85;
        candidate.urgency = 0.85;
        candidate.source = Source::AgentExplicit;
        candidate.taint = session.taint_after(note.step + 1);
        candidate.evidence = vec![note.step];
        found.push(candidate.about(note.files.iter().cloned()));
    }
    found
}
