//! Learning from past sessions, through the binary: how quick it is and how much memory it takes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use oldhand_testkit::Sandbox;
use serde_json::Value;

use super::page::{milliseconds, ratio, table};
use super::spent::{Spent, wait};
use super::{ask_room, build};
use crate::house::House;

const ROOM: [&str; 5] = [
    "bench",
    "--package",
    "oldhand-observe",
    "--bench",
    "observe",
];
const JOURNAL: [&str; 5] = ["bench", "--package", "oldhand-store", "--bench", "journal"];
/// The events of a long session.
const LONG: u64 = 5_000;
/// The same transcripts under other session ids: ten times as much must take no more memory and no more time a session.
const COPIES: [usize; 4] = [1, 2, 5, 10];
/// A number that one run gives is the middle one of so many.
const RUNS: usize = 5;
const MEGABYTE: f64 = 1e6;

pub(super) fn run(house: &House, over: &[String]) -> Result<String> {
    let originals = originals(over)?;
    let oldhand = build(house, "oldhand", "oldhand", &[])?;
    let mut taking = vec![row([
        "what",
        "transcripts",
        "MB",
        "time",
        "processor time",
        "MB/s of processor time",
        "peak memory",
    ])];
    let mut learning = vec![row([
        "transcripts",
        "events",
        "time",
        "processor time",
        "a session",
        "an event",
        "a session, against the first row",
        "peak memory",
    ])];
    let mut first = None;
    for copies in COPIES {
        let sandbox = Sandbox::with_repository(&oldhand);
        let place = sandbox.root().join("transcripts");
        let size = copy(&originals, &sandbox, &place, copies)? as f64 / MEGABYTE;
        let number = originals.len() * copies;
        let taken = Measured::of(&sandbox, &oldhand, &TAKE, Some(&place))?;
        let again = Measured::of(&sandbox, &oldhand, &TAKE, Some(&place))?;
        for (what, measured) in [("taken in", &taken), ("read again", &again)] {
            let speed = measured.spent.processor.map_or("–".to_owned(), |time| {
                format!("{:.0}", size / time.as_secs_f64().max(f64::EPSILON))
            });
            taking.push(row([
                what,
                &number.to_string(),
                &format!("{size:.1}"),
                &milliseconds(measured.spent.time),
                &measured.processor(),
                &speed,
                &measured.peak(),
            ]));
        }
        let events = taken.said["events"].as_u64().unwrap_or(0).max(1);
        let learned = Measured::of(&sandbox, &oldhand, &["session", "finalize", "--all"], None)?;
        let whole = learned.spent.processor.unwrap_or(learned.spent.time);
        let session = whole / u32::try_from(number)?;
        let baseline = *first.get_or_insert(session);
        learning.push(row([
            &number.to_string(),
            &events.to_string(),
            &milliseconds(learned.spent.time),
            &learned.processor(),
            &milliseconds(session),
            &format!("{:.1} µs", whole.as_secs_f64() * 1e6 / events as f64),
            &format!("{:.2} ×", ratio(session, baseline)),
            &learned.peak(),
        ]));
    }
    let long = long_session(&originals, &oldhand)?;
    let fold = ask_room(house, &ROOM, &[])?;
    let journal = ask_room(house, &JOURNAL, &[])?;
    Ok(format!(
        "## Taking in\n\n`oldhand import transcripts --no-finalize` over {} real transcripts, repeated under other session ids for the larger \
         runs. Budget: 100 MB/s, memory flat.\n\n{}\n## Learning\n\n`oldhand session finalize --all` over what was taken in. Budget: ten times as \
         many sessions in ten times the time.\n\n{}\n## One long session\n\n{long}\n\
         ## Without a process around it\n\nBudgets: 200 000 events a second for fold and detection, 20 µs for an append to a journal.\n\n{fold}\n{journal}",
        originals.len(),
        table(&taking),
        table(&learning),
    ))
}

const TAKE: [&str; 3] = ["import", "transcripts", "--no-finalize"];

/// The texts of the transcripts to learn from: those of the folder that is named, or else Claude Code's own on this machine.
fn originals(over: &[String]) -> Result<Vec<String>> {
    let folders = match over {
        [folder] => vec![PathBuf::from(folder)],
        [] => kept_by_claude_code(),
        _ => anyhow::bail!("name one folder of Claude Code transcripts"),
    };
    let mut texts = Vec::new();
    for folder in &folders {
        for path in transcripts(folder)? {
            let text = read(&path)?;
            if session_of(&text).is_some() {
                texts.push(text);
            }
        }
    }
    ensure!(
        !texts.is_empty(),
        "no transcript to learn from; name a folder of Claude Code transcripts (`*.jsonl` or `*.jsonl.gz`): \
         cargo xtask bench observer FOLDER"
    );
    Ok(texts)
}

fn kept_by_claude_code() -> Vec<PathBuf> {
    let folder = std::env::var_os("CLAUDE_CONFIG_DIR")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".claude")));
    let projects = folder.and_then(|folder| fs::read_dir(folder.join("projects")).ok());
    let entries = projects.into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect()
}

/// Real transcripts one after the other as one session of five thousand events, finalized by a process of its own.
fn long_session(originals: &[String], oldhand: &Path) -> Result<String> {
    let mut rows = vec![row([
        "what",
        "events",
        "time",
        "processor time",
        "peak memory",
    ])];
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let sandbox = Sandbox::with_repository(oldhand);
        let events = take_long(&sandbox, originals, oldhand)?;
        let looks = Measured::of(&sandbox, oldhand, &["session", "list"], None)?;
        let finalize = ["session", "finalize", "long"];
        let learned = Measured::of(&sandbox, oldhand, &finalize, None)?;
        runs.push((events, looks, learned));
    }
    runs.sort_by_key(|(_, _, learned)| learned.spent.processor);
    let (events, looks, learned) = &runs[RUNS / 2];
    for (what, measured) in [("a process that only looks", looks), ("finalize", learned)] {
        rows.push(row([
            what,
            &events.to_string(),
            &milliseconds(measured.spent.time),
            &measured.processor(),
            &measured.peak(),
        ]));
    }
    Ok(format!(
        "Transcripts one after the other as one session; `oldhand session finalize`, the middle one of {RUNS} runs. Budget: 100 ms.\n\n{}",
        table(&rows)
    ))
}

/// Grows one session until it has enough events, which only taking it in tells.
fn take_long(sandbox: &Sandbox, originals: &[String], oldhand: &Path) -> Result<u64> {
    let place = sandbox.root().join("transcripts");
    fs::create_dir_all(&place)?;
    let mut text = String::new();
    for one in originals.iter().cycle().take(100 * originals.len()) {
        let session = session_of(one).context("a transcript does not name its session")?;
        text.push_str(&ran_here(one, sandbox).replace(&session, "long"));
        fs::write(place.join("long.jsonl"), &text)?;
        let taken = Measured::of(sandbox, oldhand, &TAKE, Some(&place))?;
        let events = taken.said["events"].as_u64().unwrap_or(0);
        if events >= LONG {
            return Ok(events);
        }
    }
    anyhow::bail!("the transcripts do not make a session of {LONG} events");
}

fn row<const COLUMNS: usize>(cells: [&str; COLUMNS]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

fn transcripts(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)
        .with_context(|| format!("could not read the folder {}", folder.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.to_string_lossy();
        if name.ends_with(".jsonl") || name.ends_with(".jsonl.gz") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn read(path: &Path) -> Result<String> {
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    let bytes = if packed {
        let unpacked = Command::new("gzip").arg("-dc").arg(path).output();
        let output = unpacked.context("could not start `gzip` to unpack a transcript")?;
        ensure!(
            output.status.success(),
            "`gzip` could not unpack {}",
            path.display()
        );
        output.stdout
    } else {
        fs::read(path).with_context(|| format!("could not read {}", path.display()))?
    };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes every transcript so many times under other session ids, and says how many bytes that made.
fn copy(originals: &[String], sandbox: &Sandbox, place: &Path, copies: usize) -> Result<usize> {
    fs::create_dir_all(place)?;
    let mut bytes = 0;
    for (number, text) in originals.iter().enumerate() {
        let session = session_of(text).context("a transcript does not name its session")?;
        let text = ran_here(text, sandbox);
        for copy in 0..copies {
            // With calls of their own, or they would be what they are: copies, which count once.
            let other = text
                .replace(&session, &format!("{session}-{copy}"))
                .replace("toolu_", &format!("toolu_{copy}_"));
            bytes += other.len();
            fs::write(place.join(format!("{number}-{copy}.jsonl")), other)?;
        }
    }
    Ok(bytes)
}

fn session_of(text: &str) -> Option<String> {
    first(text, "sessionId")
}

/// The first text of that name in the lines of a transcript.
fn first(text: &str, name: &str) -> Option<String> {
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut named = lines.filter_map(|line| line[name].as_str().map(str::to_owned));
    named.next()
}

/// The transcript as if it had been written in the sandbox's project: nothing else tells whose a session is in a repository without files.
fn ran_here(text: &str, sandbox: &Sandbox) -> String {
    let project = sandbox.project();
    let project = project.canonicalize().unwrap_or(project);
    match first(text, "cwd") {
        Some(folder) => text.replace(&folder, &project.display().to_string()),
        None => text.to_owned(),
    }
}

struct Measured {
    spent: Spent,
    said: Value,
}

impl Measured {
    fn of(sandbox: &Sandbox, oldhand: &Path, words: &[&str], place: Option<&Path>) -> Result<Self> {
        let answer = sandbox.root().join("answer.json");
        let mut command = sandbox.command(oldhand);
        command.args(words).args(place).arg("--json");
        command
            .stdout(fs::File::create(&answer)?)
            .stderr(Stdio::null());
        let start = Instant::now();
        let (status, spent) = wait(command.spawn()?, start)?;
        ensure!(
            status.success(),
            "`oldhand {}` ended with {status}",
            words.join(" ")
        );
        let said = serde_json::from_str(&fs::read_to_string(&answer)?)?;
        Ok(Self { spent, said })
    }

    fn processor(&self) -> String {
        self.spent.processor.map_or("–".to_owned(), milliseconds)
    }

    fn peak(&self) -> String {
        self.spent.peak.map_or_else(
            || "not told".to_owned(),
            |kilobytes| format!("{} MB", kilobytes / 1000),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_names_its_session_on_any_line() {
        let text = "{\"type\":\"summary\"}\n{\"sessionId\":\"abc\"}\n";
        assert_eq!(session_of(text).as_deref(), Some("abc"));
        assert_eq!(session_of("{}\nnope\n"), None);
    }

    #[test]
    fn a_folder_without_transcripts_is_told_what_it_needs() {
        let folder = tempfile::tempdir().unwrap();
        let error = originals(&[folder.path().display().to_string()]).unwrap_err();
        assert!(error.to_string().contains("bench observer FOLDER"));
    }
}
