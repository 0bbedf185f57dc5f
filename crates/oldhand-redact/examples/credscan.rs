//! Scores [`oldhand_redact::redact`] against a corpus with labelled lines, such as CredData.
//!
//! `credscan <labels.csv> <folder> [missed|false|unlabelled]`: the labels have CredData's columns, the paths in
//! them are relative to the folder. A label counts as found when a finding starts on one of its lines. The third
//! argument lists the lines behind a number.

#![allow(
    clippy::disallowed_methods,
    reason = "a measuring tool reads its arguments and the corpus; the library does neither"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::hint::black_box;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use oldhand_redact::{SecretKind, redact};

/// Categories that name a kind of value and no format.
const GENERIC: &[&str] = &[
    "API",
    "Auth",
    "CMD ConvertTo-SecureString",
    "CMD Password",
    "CMD Secret",
    "CMD Token",
    "Credential",
    "Key",
    "Password",
    "SQL Password",
    "Secret",
    "Token",
];
/// Categories whose values are no secrets by themselves, or that any short word can match.
const SOFT: &[&str] = &[
    "AWS S3 Bucket",
    "Dropbox App secret",
    "Firebase Domain",
    "Nonce",
    "Salt",
    "Tencent WeChat API App ID",
    "UUID",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Structured,
    Generic,
    Soft,
}

struct Label {
    truth: char,
    lines: (usize, usize),
    category: String,
}

impl Label {
    fn class(&self) -> Class {
        let mut class = Class::Soft;
        for part in self.category.split(':') {
            if GENERIC.contains(&part) {
                class = class.min(Class::Generic);
            } else if !SOFT.contains(&part) {
                return Class::Structured;
            }
        }
        class
    }
}

#[derive(Default)]
struct Score {
    found: BTreeMap<Class, (usize, usize)>,
    by_category: BTreeMap<String, (usize, usize)>,
    true_lines: usize,
    false_lines: usize,
    doubtful_lines: usize,
    unlabelled_lines: usize,
    bytes: usize,
    /// What each piece of the size of an event takes, the best of five, so that a busy machine does not count.
    pieces: Vec<Duration>,
}

const EVENT: usize = 4 * 1024;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [labels, folder, rest @ ..] = &arguments[..] else {
        return Err("usage: credscan <labels.csv> <folder> [missed|false|unlabelled]".into());
    };
    let shown = rest.first().map_or("", String::as_str);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut score = Score::default();
    for (path, labels) in read_labels(&std::fs::read_to_string(labels)?) {
        let text =
            String::from_utf8_lossy(&std::fs::read(Path::new(folder).join(&path))?).into_owned();
        scan(&text, &labels, shown, &mut score, &mut out)?;
    }
    report(&score, &mut out)?;
    Ok(())
}

fn read_labels(text: &str) -> BTreeMap<String, Vec<Label>> {
    let mut files: BTreeMap<String, Vec<Label>> = BTreeMap::new();
    for row in text.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let [_, _, _, _, path, first, last, truth, .., category] = &fields[..] else {
            continue;
        };
        let (Ok(first), Ok(last), Some(truth)) =
            (first.parse(), last.parse(), truth.chars().next())
        else {
            continue;
        };
        let label = Label {
            truth,
            lines: (first, last),
            category: category.trim().to_owned(),
        };
        files.entry((*path).to_owned()).or_default().push(label);
    }
    files
}

fn scan(
    text: &str,
    labels: &[Label],
    shown: &str,
    score: &mut Score,
    out: &mut impl Write,
) -> io::Result<()> {
    score.bytes += text.len();
    time_pieces(text, &mut score.pieces);
    let lines: Vec<&str> = text.split('\n').collect();
    let mut flagged: BTreeMap<usize, SecretKind> = BTreeMap::new();
    for finding in redact(text).findings {
        flagged.insert(finding.line, finding.kind);
    }
    let mut truths: BTreeMap<usize, BTreeSet<char>> = BTreeMap::new();
    for label in labels {
        let (first, last) = label.lines;
        let hit = flagged.range(first..=last).next();
        for (line, _) in flagged.range(first..=last) {
            truths.entry(*line).or_default().insert(label.truth);
        }
        if label.truth == 'T' {
            let classes = score.found.entry(label.class()).or_default();
            let categories = score.by_category.entry(label.category.clone()).or_default();
            for (found, all) in [classes, categories] {
                *found += usize::from(hit.is_some());
                *all += 1;
            }
            if shown == "missed" && hit.is_none() && label.class() != Class::Soft {
                writeln!(out, "missed {} | {}", label.category, cut(&lines, first))?;
            }
        }
    }
    for (line, kind) in &flagged {
        let truth = truths.get(line);
        let has = |mark: char| truth.is_some_and(|truth| truth.contains(&mark));
        let (counter, name) = if has('T') {
            (&mut score.true_lines, "")
        } else if has('F') {
            (&mut score.false_lines, "false")
        } else if has('X') {
            (&mut score.doubtful_lines, "false")
        } else {
            (&mut score.unlabelled_lines, "unlabelled")
        };
        *counter += 1;
        if !name.is_empty() && name == shown {
            writeln!(out, "{shown} {kind} | {}", cut(&lines, *line))?;
        }
    }
    Ok(())
}

fn time_pieces(text: &str, pieces: &mut Vec<Duration>) {
    let mut rest = text;
    while rest.len() >= EVENT {
        let end = (0..=EVENT)
            .rev()
            .find(|end| rest.is_char_boundary(*end))
            .unwrap_or(EVENT);
        let (piece, after) = rest.split_at(end);
        let runs = (0..5).map(|_| {
            let start = Instant::now();
            black_box(redact(black_box(piece)));
            start.elapsed()
        });
        pieces.extend(runs.min());
        rest = after;
    }
}

fn cut(lines: &[&str], line: usize) -> String {
    lines
        .get(line - 1)
        .map(|text| text.trim().chars().take(160).collect())
        .unwrap_or_default()
}

fn report(score: &Score, out: &mut impl Write) -> io::Result<()> {
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    for (category, (found, all)) in &score.by_category {
        writeln!(out, "{found:5} of {all:5}  {category}")?;
    }
    for (class, (found, all)) in &score.found {
        writeln!(
            out,
            "recall {class:?}: {found} of {all} = {:.3}",
            share(*found, *all)
        )?;
    }
    let Score {
        true_lines,
        false_lines,
        doubtful_lines,
        unlabelled_lines,
        bytes,
        ..
    } = score;
    let labelled = true_lines + false_lines;
    writeln!(
        out,
        "precision on T and F: {true_lines} of {labelled} = {:.3}",
        share(*true_lines, labelled)
    )?;
    let doubted = labelled + doubtful_lines;
    writeln!(
        out,
        "precision on T, F and X: {true_lines} of {doubted} = {:.3}",
        share(*true_lines, doubted)
    )?;
    let flagged = doubted + unlabelled_lines;
    writeln!(
        out,
        "precision, unlabelled lines false: {true_lines} of {flagged} = {:.3}",
        share(*true_lines, flagged)
    )?;
    let mut pieces = score.pieces.clone();
    pieces.sort();
    let at = |share: f64| {
        pieces
            .get((pieces.len() as f64 * share) as usize)
            .copied()
            .unwrap_or_default()
    };
    writeln!(
        out,
        "pieces of 4 KB: p50 {:?}, p99 {:?}, p99.9 {:?}",
        at(0.5),
        at(0.99),
        at(0.999)
    )?;
    writeln!(out, "scanned {bytes} bytes")
}
