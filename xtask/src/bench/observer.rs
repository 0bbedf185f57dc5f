//! Learning from past sessions, through the binary: how quick it is and how much memory it takes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use oldhand_testkit::Sandbox;
use serde_json::Value;

use super::page::{milliseconds, table};
use super::{ask_room, build};
use crate::house::House;

const ROOM: [&str; 3] = ["bench", "--package", "oldhand-observe"];
const JOURNAL: [&str; 5] = ["bench", "--package", "oldhand-store", "--bench", "journal"];
/// The events of a long session.
const LONG: u64 = 5_000;
/// The same transcripts under other session ids: ten times as much must not take more memory.
const COPIES: [usize; 2] = [1, 10];
/// How often the process is asked how much memory it took at most.
const LOOK_EVERY: Duration = Duration::from_millis(2);
const MEGABYTE: f64 = 1e6;

pub(super) fn run(house: &House, over: &[String]) -> Result<String> {
    let [folder] = over else {
        anyhow::bail!("name one folder of Claude Code transcripts (`*.jsonl`)");
    };
    let originals = transcripts(Path::new(folder))?;
    ensure!(!originals.is_empty(), "no transcript in the folder");
    let oldhand = build(house, "oldhand", "oldhand", &[])?;
    let mut rows = vec![row([
        "what",
        "transcripts",
        "MB",
        "events",
        "time",
        "processor time",
        "MB/s of processor time",
        "peak memory",
    ])];
    for copies in COPIES {
        let sandbox = Sandbox::with_repository(&oldhand);
        let place = sandbox.root().join("transcripts");
        copy(&originals, &place, copies)?;
        let start = Instant::now();
        let mut bytes = 0;
        for path in transcripts(&place)? {
            bytes += fs::read(path)?.len();
        }
        let read = start.elapsed();
        let size = bytes as f64 / MEGABYTE;
        let number = originals.len() * copies;
        let (number, size_told) = (number.to_string(), format!("{size:.1}"));
        let time = milliseconds(read);
        rows.push(row([
            "only read",
            &number,
            &size_told,
            "–",
            &time,
            "–",
            "–",
            "–",
        ]));
        let take = ["import", "transcripts", "--no-finalize"];
        let taken = measure(&sandbox, &oldhand, &take, Some(&place))?;
        let events = taken.said["events"].to_string();
        let learned = measure(&sandbox, &oldhand, &["session", "finalize", "--all"], None)?;
        for (what, measured) in [("taken in", &taken), ("learned from", &learned)] {
            let speed = measured
                .processor
                .map_or("–".to_owned(), |time| per_second(size, time));
            let processor = measured.processor.map_or("–".to_owned(), milliseconds);
            rows.push(row([
                what,
                &number,
                &size_told,
                &events,
                &milliseconds(measured.time),
                &processor,
                &speed,
                &measured.peak(),
            ]));
        }
    }
    let long = long_session(&originals, &oldhand)?;
    let fold = ask_room(house, &ROOM, &[])?;
    let journal = ask_room(house, &JOURNAL, &[])?;
    Ok(format!(
        "## Through the binary\n\n{}\nThe transcripts are {} real ones, repeated under other session ids for the larger runs. \
         Budget: 100 MB/s taken in, memory flat, and ten times as many sessions in ten times the time.\n\n## One long session\n\n{long}\n\
         ## Without a process around it\n\n{fold}\n{journal}",
        table(&rows),
        originals.len()
    ))
}

/// Real transcripts one after the other as one session of five thousand events, finalized by a process of its own.
fn long_session(originals: &[PathBuf], oldhand: &Path) -> Result<String> {
    let sandbox = Sandbox::with_repository(oldhand);
    let place = sandbox.root().join("transcripts");
    fs::create_dir_all(&place)?;
    let mut text = String::new();
    let mut answer = None;
    for original in originals.iter().cycle().take(10 * originals.len()) {
        let one = String::from_utf8_lossy(&fs::read(original)?).into_owned();
        let session = session_of(&one).context("a transcript does not name its session")?;
        text.push_str(&one.replace(&session, "long"));
        fs::write(place.join("long.jsonl"), &text)?;
        let take = ["import", "transcripts", "--no-finalize"];
        let taken = measure(&sandbox, oldhand, &take, Some(&place))?;
        let events = taken.said["events"].as_u64().unwrap_or(0);
        if events >= LONG {
            answer = Some(events);
            break;
        }
    }
    let events = answer.context("the transcripts do not make a long session")?;
    let mut rows = vec![row([
        "what",
        "events",
        "time",
        "processor time",
        "peak memory",
    ])];
    for (what, words) in [
        ("a process that only looks", &["session", "list"][..]),
        ("finalize", &["session", "finalize", "long"]),
    ] {
        let measured = measure(&sandbox, oldhand, words, None)?;
        let processor = measured.processor.map_or("–".to_owned(), milliseconds);
        rows.push(row([
            what,
            &events.to_string(),
            &milliseconds(measured.time),
            &processor,
            &measured.peak(),
        ]));
    }
    Ok(format!("{}\nBudget: 100 ms.\n", table(&rows)))
}

fn row<const COLUMNS: usize>(cells: [&str; COLUMNS]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

fn per_second(size: f64, time: Duration) -> String {
    format!("{:.0}", size / time.as_secs_f64().max(f64::EPSILON))
}

fn transcripts(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).context("could not read the folder of transcripts")?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "jsonl")
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn copy(originals: &[PathBuf], place: &Path, copies: usize) -> Result<()> {
    fs::create_dir_all(place)?;
    for (number, original) in originals.iter().enumerate() {
        let text = String::from_utf8_lossy(&fs::read(original)?).into_owned();
        let session = session_of(&text).context("a transcript does not name its session")?;
        for copy in 0..copies {
            let other = text.replace(&session, &format!("{session}-{copy}"));
            fs::write(place.join(format!("{number}-{copy}.jsonl")), other)?;
        }
    }
    Ok(())
}

fn session_of(text: &str) -> Option<String> {
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut named = lines.filter_map(|line| line["sessionId"].as_str().map(str::to_owned));
    named.next()
}

struct Measured {
    time: Duration,
    said: Value,
    /// What the process computed, where the system tells.
    processor: Option<Duration>,
    /// In kilobytes, where the system tells.
    peak: Option<u64>,
}

impl Measured {
    fn peak(&self) -> String {
        self.peak.map_or_else(
            || "not told".to_owned(),
            |kilobytes| format!("{} MB", kilobytes / 1000),
        )
    }
}

fn measure(
    sandbox: &Sandbox,
    oldhand: &Path,
    words: &[&str],
    place: Option<&Path>,
) -> Result<Measured> {
    let answer = sandbox.root().join("answer.json");
    let mut command = sandbox.command(oldhand);
    command.args(words).args(place).arg("--json");
    command
        .stdout(fs::File::create(&answer)?)
        .stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn()?;
    let (mut peak, mut processor) = (None, None);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        peak = peak_of(child.id()).or(peak);
        processor = processor_of(child.id()).or(processor);
        std::thread::sleep(LOOK_EVERY);
    };
    let time = start.elapsed();
    ensure!(
        status.success(),
        "`oldhand {}` ended with {status}",
        words.join(" ")
    );
    let said = serde_json::from_str(&fs::read_to_string(&answer)?)?;
    Ok(Measured {
        time,
        said,
        processor,
        peak,
    })
}

fn peak_of(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The system counts in hundredths of a second.
fn processor_of(process: u32) -> Option<Duration> {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, numbers) = status.rsplit_once(") ")?;
    let mut numbers = numbers.split_whitespace().skip(11);
    let user: u64 = numbers.next()?.parse().ok()?;
    let system: u64 = numbers.next()?.parse().ok()?;
    Some(Duration::from_millis(10 * (user + system)))
}

#[test]
fn a_transcript_names_its_session_on_any_line() {
    let text = "{\"type\":\"summary\"}\n{\"sessionId\":\"abc\"}\n";
    assert_eq!(session_of(text).as_deref(), Some("abc"));
    assert_eq!(session_of("{}\nnope\n"), None);
}
