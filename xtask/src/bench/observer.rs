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
    let mut rows = vec![
        [
            "what",
            "transcripts",
            "MB",
            "events",
            "time",
            "MB/s",
            "peak memory",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
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
        rows.push(row("only read", number, size, "–", read, "–"));
        let taken = measure(
            &sandbox,
            &oldhand,
            &["import", "transcripts", "--no-finalize"],
            &place,
        )?;
        let events = taken.said["events"].to_string();
        rows.push(row(
            "taken in",
            number,
            size,
            &events,
            taken.time,
            &taken.peak(),
        ));
        if copies == 1 {
            let learned = measure(&sandbox, &oldhand, &["import", "transcripts"], &place)?;
            let what = "taken in and learned from";
            rows.push(row(
                what,
                number,
                size,
                &events,
                learned.time,
                &learned.peak(),
            ));
        }
    }
    let room = ask_room(house, &ROOM, &[])?;
    Ok(format!(
        "## Through the binary\n\n{}\nThe transcripts are {} real ones, repeated under other session ids for the larger runs. \
         Budget: 100 MB/s, memory flat.\n\n## Without a process around it\n\n{room}",
        table(&rows),
        originals.len()
    ))
}

fn row(
    what: &str,
    number: usize,
    size: f64,
    events: &str,
    time: Duration,
    peak: &str,
) -> Vec<String> {
    vec![
        what.to_owned(),
        number.to_string(),
        format!("{size:.1}"),
        events.to_owned(),
        milliseconds(time),
        format!("{:.0}", size / time.as_secs_f64()),
        peak.to_owned(),
    ]
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

fn measure(sandbox: &Sandbox, oldhand: &Path, words: &[&str], place: &Path) -> Result<Measured> {
    let answer = sandbox.root().join("answer.json");
    let mut command = sandbox.command(oldhand);
    command.args(words).arg(place).arg("--json");
    command
        .stdout(fs::File::create(&answer)?)
        .stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn()?;
    let mut peak = None;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        peak = peak_of(child.id()).or(peak);
        std::thread::sleep(LOOK_EVERY);
    };
    let time = start.elapsed();
    ensure!(
        status.success(),
        "`oldhand {}` ended with {status}",
        words.join(" ")
    );
    let said = serde_json::from_str(&fs::read_to_string(&answer)?)?;
    Ok(Measured { time, said, peak })
}

fn peak_of(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[test]
fn a_transcript_names_its_session_on_any_line() {
    let text = "{\"type\":\"summary\"}\n{\"sessionId\":\"abc\"}\n";
    assert_eq!(session_of(text).as_deref(), Some("abc"));
    assert_eq!(session_of("{}\nnope\n"), None);
}
