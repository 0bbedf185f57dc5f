//! Runs `specs/*.md`: a session told in steps, and below it what must be seen in it.
//!
//! A `story` block is the session; the blocks after it say what is expected. `signals` lists every
//! signal except the kinds named beside it, `outcome` the verdict with its evidence, `memories` the
//! candidates of the kinds named beside it, `dead ends` the approaches given up.

use std::fmt::Write as _;

use oldhand_domain::event::Digest;
use oldhand_domain::id::SessionId;
use oldhand_domain::signal::SignalKind;

use crate::fold::{FoldOptions, SessionAnalytics, fold};
use crate::harvest::{Harvest, harvest};
use crate::learn::{FORM, Knowledge};
use crate::story::events;

/// The name and the text of every spec.
#[expect(
    clippy::disallowed_methods,
    reason = "the specs are files of this crate"
)]
fn specs() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/specs");
    let mut specs: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    specs.sort();
    assert!(specs.len() >= 8, "the specs are missing");
    let read = |spec: &std::path::PathBuf| {
        let name = spec.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(spec).unwrap())
    };
    specs.iter().map(read).collect()
}

/// Sessions that were learned from are read again once [`FORM`] rises, and not before.
#[test]
fn stories_teach_the_same_until_the_form_of_facts_rises() {
    let mut taught = String::new();
    for (_, text) in specs() {
        let blocks = blocks(&text).into_iter();
        for (_, _, story) in blocks.filter(|(_, info, _)| *info == "story") {
            let harvest = harvested(story).1;
            let mut facts = serde_json::to_value(&harvest.facts).unwrap();
            facts.as_object_mut().unwrap().remove("form");
            let _ = writeln!(taught, "{facts}");
            for candidate in &harvest.candidates {
                let (key, said, why) = (candidate.told_as(), &candidate.content, &candidate.unfit);
                let _ = writeln!(taught, "{key} {said} {why:?}");
            }
        }
    }
    let digest = Digest::of(&taught).to_string();
    assert_eq!(
        (FORM, digest.as_str()),
        (13, "dba4b6ca2e4f50f7"),
        "where an old story teaches something else, raise FORM; then put this down, as for a new story"
    );
}

#[test]
fn every_spec_holds() {
    let mut problems = String::new();
    let mut everything = String::new();
    for (name, text) in specs() {
        check(&name, &text, &mut problems);
        everything.push_str(&text);
    }
    for kind in SignalKind::ALL {
        let told = format!("\n{} ", kind.as_str());
        if !everything.contains(&told) {
            let _ = writeln!(problems, "no spec tells of {}", kind.as_str());
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

fn check(name: &str, text: &str, problems: &mut String) {
    let mut story: Option<(SessionAnalytics, Harvest)> = None;
    let mut checked = 0;
    for (line, info, body) in blocks(text) {
        let (kind, rest) = info.split_once(' ').unwrap_or((info, ""));
        if kind == "story" {
            story = Some(harvested(body));
            continue;
        }
        let Some((_, harvest)) = &story else {
            panic!("{name}:{line}: no story before this block")
        };
        let found = match kind {
            "signals" => signals(harvest, rest),
            "outcome" => outcome(harvest),
            "memories" => memories(harvest, rest),
            "dead" => dead_ends(harvest),
            other => panic!("{name}:{line}: nobody knows the block `{other}`"),
        };
        checked += 1;
        if found.trim() != body.trim() {
            let _ = writeln!(
                problems,
                "{name}:{line}: expected\n{}\nfound\n{}\n",
                body.trim(),
                found.trim()
            );
        }
    }
    assert!(checked > 0, "{name} expects nothing");
}

fn harvested(story: &str) -> (SessionAnalytics, Harvest) {
    let session = fold(&events(story), &FoldOptions::default());
    let id = SessionId::new("spec").unwrap();
    let harvest = harvest(id, &session, &Knowledge::default());
    (session, harvest)
}

/// The fenced blocks of a Markdown text: their line, what stands behind the fence, their body.
fn blocks(text: &str) -> Vec<(usize, &str, &str)> {
    let mut found = Vec::new();
    let mut start: Option<(usize, &str, usize)> = None;
    let mut offset = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if let Some(info) = line.trim_end().strip_prefix("```") {
            start = match start {
                Some((opened, info, from)) => {
                    found.push((opened, info, &text[from..offset]));
                    None
                }
                None => Some((number + 1, info, offset + line.len())),
            };
        }
        offset += line.len();
    }
    found
}

fn signals(harvest: &Harvest, rest: &str) -> String {
    let ignored: Vec<&str> = rest
        .strip_prefix("except ")
        .unwrap_or("")
        .split_whitespace()
        .collect();
    let shown = harvest
        .signals
        .iter()
        .filter(|signal| !ignored.contains(&signal.kind.as_str()));
    let lines: Vec<String> = shown
        .map(|signal| {
            // Digests say nothing to a reader; the files do.
            let key = signal.key.split(':').next().unwrap_or("");
            let told = if matches!(key, "error" | "correction") {
                signal
                    .files
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(" ")
            } else {
                signal.key.split('!').next().unwrap_or("").to_owned()
            };
            let tainted = if signal.taint.is_clean() {
                ""
            } else {
                " (tainted)"
            };
            format!("{} {told}{tainted}", signal.kind)
                .trim_end()
                .to_owned()
        })
        .collect();
    lines.join("\n")
}

fn outcome(harvest: &Harvest) -> String {
    let judgement = &harvest.judgement;
    let mut lines =
        vec![format!("{:?} {}", judgement.verdict, judgement.confidence).to_lowercase()];
    lines.extend(
        judgement
            .evidence
            .iter()
            .map(|evidence| format!("- {}", evidence.describe())),
    );
    lines.join("\n")
}

fn memories(harvest: &Harvest, rest: &str) -> String {
    let wanted: Vec<&str> = rest.split_whitespace().collect();
    let shown = harvest
        .candidates
        .iter()
        .filter(|candidate| wanted.contains(&candidate.payload.memory_type().to_string().as_str()));
    shown
        .map(|candidate| match &candidate.unfit {
            None => format!("{}\n  {}", candidate.content, candidate.summary),
            Some(why) => format!("dropped, {why}: {}", candidate.summary),
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn dead_ends(harvest: &Harvest) -> String {
    let names = |paths: &[oldhand_domain::path::ProjectPath]| {
        paths
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    };
    harvest
        .dead_ends
        .iter()
        .map(|end| {
            format!(
                "steps {}..{}: {} -> {}",
                end.from,
                end.until,
                names(&end.tried),
                names(&end.instead)
            )
        })
        .collect::<Vec<_>>()
        .join("\n")
}
