//! Candidates that need no signal: dead ends, what a validation found, what an agent asked to keep.

use oldhand_domain::confidence::Confidence;
use oldhand_domain::event::{Digest, Issue};
use oldhand_domain::payload::{self, BuiltInType, Payload};
use oldhand_domain::vocabulary::Source;

use super::phrase::{clip, is_concrete, list};
use super::wording::Wording;
use super::{Candidate, Origin, is_grave};
use crate::detect::dead_end::{DeadEnd, GaveUp};
use crate::fold::SessionAnalytics;
use crate::paths::stem;

/// Who speaks on the command line.
const PERSON: &str = "user";

/// What dead ends are worth beside the signals of the table.
const DEAD_END_WORTH: f64 = 0.8;

/// Why an approach was given up: behind a "because", or in the next sentence. What comes next stands there, too, and is no reason.
fn reason(end: &DeadEnd) -> Option<String> {
    const NEXT: [&str; 16] = [
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
        "actually",
        "but ",
        "maybe",
        "perhaps",
        "i can",
        "i need",
    ];
    let because = match &end.gave_up {
        GaveUp::Said(sentence) => [" because ", " since "].iter().find_map(|joint| {
            let (_, reason) = sentence.split_once(joint)?;
            Some(reason)
        }),
        GaveUp::Undid(_) => None,
    };
    let mut reasons = because.into_iter().chain(end.reason.as_deref());
    let reason = reasons.find(|reason| {
        let lower = reason.to_lowercase();
        // It is about the approach only where it names what the files are about, or in the words of giving up something in the code: the
        // next sentence may be about anything.
        let names = because == Some(*reason) && is_concrete(reason)
            || end.tried.iter().any(|file| {
                let stem = stem(file.as_str()).to_lowercase();
                stem.len() >= 4 && lower.contains(&stem)
            });
        !NEXT.iter().any(|begin| lower.starts_with(begin))
            && !reason.ends_with(['?', ':'])
            && lower.split_whitespace().count() > 3
            && names
    })?;
    as_reason(reason)
}

/// A sentence as dead ends tell it.
pub(super) fn as_reason(sentence: &str) -> Option<String> {
    let mut letters = sentence.trim_end_matches('.').chars();
    let first = letters.next()?;
    let whole = format!("{}{}", first.to_uppercase(), letters.as_str());
    Some(clip(&whole, 240))
}

pub(super) fn from_dead_end(end: &DeadEnd) -> Option<Candidate> {
    // Who goes on in the very file has not turned away from it, and who edited none gave up a tool's way or a thought.
    if end.tried.is_empty() || end.tried.first() == end.instead.first() {
        return None;
    }
    // That another way was taken says nothing to anybody else without what was wrong with this one.
    let reason = reason(end)?;
    let tried = format!("working on {}", list(&end.tried));
    let gave_up = match &end.gave_up {
        GaveUp::Said(_) => format!("given up after {} steps", end.until - end.from),
        GaveUp::Undid("git") => format!(
            "after {} steps everything was taken back with git",
            end.until - end.from
        ),
        GaveUp::Undid(_) => format!("after {} steps every edit was undone", end.until - end.from),
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
        "A dead end{for_task}: {tried}, {gave_up}. {reason}.{error} What was done instead: work on {}.",
        list(&end.instead)
    );
    let summary = format!(
        "Dead end in {}: {}",
        list(&end.tried[..end.tried.len().min(1)]),
        clip(&reason, 90)
    );
    let payload = Payload::DeadEnd(payload::DeadEnd {
        tried: tried.clone(),
        why_it_failed: reason,
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
    // With a reason it is told for some weeks before it fades.
    candidate.confidence = Confidence::clamped(0.75);
    candidate.priority = DEAD_END_WORTH;
    candidate.urgency = DEAD_END_WORTH;
    candidate.taint = end.taint.clone();
    candidate.evidence = vec![end.from, end.until];
    Some(candidate.about(files()))
}

/// Who found an issue, when, and in which part of the work where only that was looked at.
struct Finding<'a> {
    step: u32,
    by: &'a str,
    subtask: Option<&'a str>,
    issue: &'a Issue,
}

fn findings(session: &SessionAnalytics) -> impl Iterator<Item = Finding<'_>> {
    let of_all = session.validations.iter().flat_map(|validation| {
        validation.issues.iter().map(|issue| Finding {
            step: validation.step,
            by: &validation.by,
            subtask: None,
            issue,
        })
    });
    let of_parts = session.subtask_findings.iter().map(|found| Finding {
        step: found.step,
        by: &found.by,
        subtask: Some(&found.subtask),
        issue: &found.issue,
    });
    of_all.chain(of_parts)
}

/// Whether the validation of a part of the work found what is remembered at once.
pub fn is_found_in_part(session: &SessionAnalytics) -> bool {
    let mut findings = session.subtask_findings.iter();
    findings.any(|found| is_grave(found.issue.severity))
}

impl Candidate {
    /// Whether it hangs on nothing that the session at hand did: many sessions show it, or a person found it.
    pub(crate) fn stands_alone(&self) -> bool {
        self.origin == Origin::Many || self.by_person
    }
}

/// Critical and high issues become error patterns at once, of the whole work and of its parts.
pub(super) fn from_issues(session: &SessionAnalytics) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let grave = findings(session).filter(|finding| is_grave(finding.issue.severity));
    let mut grave: Vec<Finding<'_>> = grave.collect();
    // What a person says is theirs, even where an agent said it before.
    grave.sort_by_key(|finding| finding.by != PERSON);
    for finding in grave {
        let Finding {
            step, by, issue, ..
        } = finding;
        let words = clip(issue.text.as_str(), 500);
        let place = issue
            .file
            .as_ref()
            .map(|file| format!(" in `{file}`"))
            .unwrap_or_default();
        let part = finding
            .subtask
            .map(|subtask| format!(" in subtask `{subtask}`"));
        let part = part.unwrap_or_default();
        let content = format!(
            "A {} problem was found{place} by {by}{part}: {words}",
            issue.severity
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
        candidate.subtask = finding.subtask.map(str::to_owned);
        // A person's words are their own, whatever the agent had read before.
        candidate.by_person = by == PERSON;
        if !candidate.by_person {
            candidate.taint = session.taint_after(step + 1);
        }
        candidate.evidence = vec![step];
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

#[test]
fn what_a_person_found_is_theirs_whatever_the_agent_had_read() {
    use oldhand_domain::event::{BoundedText, Event, Happening, Issue, Severity};

    let issues_by = |all: &[&str]| {
        let mut told = crate::story::events("fetch https://x.y = ok; edit src/a.rs");
        for by in all {
            let issue = Issue {
                severity: Severity::High,
                file: None,
                text: BoundedText::head("the list of `src/a.rs` is stale", 100),
            };
            let validated = Happening::Validated {
                passed: false,
                by: (*by).to_owned(),
                issues: vec![issue],
            };
            told.push(Event::new(told[0].at, validated));
        }
        from_issues(&crate::fold::fold(
            &told,
            &crate::fold::FoldOptions::default(),
        ))
    };
    assert!(issues_by(&["user"])[0].taint.is_clean());
    assert!(!issues_by(&["reviewer"])[0].taint.is_clean());
    // The same of both is one thing, and the person's.
    let both = issues_by(&["reviewer", "user"]);
    assert!(both.len() == 1 && both[0].taint.is_clean());
}

#[test]
fn what_is_found_in_a_part_is_told_with_its_name_and_once() {
    let told = |story: &str| -> Vec<(String, Option<String>, Vec<u32>)> {
        let told = crate::story::events(story);
        let session = crate::fold::fold(&told, &crate::fold::FoldOptions::default());
        let found = from_issues(&session).into_iter();
        let found = found.map(|one| (one.content.as_str().to_owned(), one.subtask, one.evidence));
        found.collect()
    };
    let leak = "critical src/a.rs: the handle leaks";
    let found = |subtask: Option<&str>| {
        let part = subtask.map(|name| format!(" in subtask `{name}`"));
        let part = part.unwrap_or_default();
        let words =
            format!("A critical problem was found in `src/a.rs` by qa{part}: the handle leaks");
        vec![(words, subtask.map(str::to_owned), vec![1])]
    };
    for (story, expected) in [
        (format!("subtask one failed {leak}"), found(Some("one"))),
        (format!("subtask one passed {leak}"), found(Some("one"))),
        (
            "subtask one failed medium src/a.rs: the handle leaks".to_owned(),
            vec![],
        ),
        ("subtask one failed".to_owned(), vec![]),
        // The same of two parts, or of one and of all, is one thing.
        (
            format!("subtask one failed {leak}; subtask two failed {leak}"),
            found(Some("one")),
        ),
        (
            format!("subtask one failed {leak}; validated failed {leak}"),
            found(None),
        ),
    ] {
        let story = format!("edit src/a.rs; {story}");
        assert_eq!(told(&story), expected, "{story}");
    }
}
