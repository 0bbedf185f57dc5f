//! What real histories teach, imported by the binary of today, beside what two readers said of each statement.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use oldhand_testkit::Sandbox;
use serde_json::Value;

use super::build;
use super::page::table;
use crate::house::House;

/// What readers said, kept beside the rules that it judges.
const LABELS: &str = "crates/oldhand-observe/data/read.tsv";

/// What two readers said of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Label {
    is_true: bool,
    /// How many of the two called it useful.
    useful: u32,
}

/// How the statements of a history fare.
#[derive(Default)]
struct Count {
    all: u32,
    labelled: u32,
    right: u32,
    by_both: u32,
    by_one: u32,
}

pub(super) fn run(house: &House, over: &[String]) -> Result<String> {
    ensure!(
        !over.is_empty() && over.len().is_multiple_of(2),
        "name pairs of a clone and the folder of its transcripts"
    );
    let labels = std::fs::read_to_string(house.root.join(LABELS))?;
    let labels = read(&labels)?;
    let oldhand = build(house, "oldhand", "oldhand", &[])?;
    let mut counts = vec![row([
        "history",
        "sessions",
        "learned",
        "true",
        "useful to both readers",
        "to at least one",
        "not read by anybody",
    ])];
    let mut told = vec![row(["history", "true", "useful to", "statement"])];
    for pair in over.chunks(2) {
        let (clone, transcripts) = (Path::new(&pair[0]), &pair[1]);
        let name = clone.file_name().context("a clone has a name")?;
        let name = name.to_string_lossy();
        let (sessions, statements) = learn(&oldhand, clone, transcripts)?;
        let mut count = Count::default();
        for statement in &statements {
            let label = labels.get(&without_numbers(statement));
            count.add(label);
            let (is_true, useful) = label.map_or(("?", "?".to_owned()), |label| {
                let is_true = if label.is_true { "yes" } else { "no" };
                (is_true, label.useful.to_string())
            });
            let statement = statement.replace('|', "\\|").replace('\n', " ");
            told.push(row([&*name, is_true, &useful, &statement]));
        }
        counts.push(count.row(&name, sessions));
    }
    Ok(format!(
        "Each clone is read by `oldhand init`, the transcripts by `oldhand import transcripts`. Counted is what sessions taught, not what \
         rules files and settings say. The labels lie in `{LABELS}`; numbers in a statement make no other one.\n\n{}\n{}",
        table(&counts),
        table(&told)
    ))
}

/// Imports a history into a home of its own: how many sessions that were, and what they taught.
fn learn(oldhand: &Path, clone: &Path, transcripts: &str) -> Result<(u64, Vec<String>)> {
    let clone = clone.canonicalize()?;
    let transcripts = Path::new(transcripts).canonicalize()?;
    let transcripts = transcripts.to_string_lossy();
    // By today's clock: a sandbox has one of its own, by which these sessions may lie ahead.
    let sandbox = Sandbox::with_folder(oldhand);
    let run = |arguments: &[&str]| -> Result<Output> {
        let mut command = Command::new(oldhand);
        command.args(arguments).current_dir(&clone);
        command.env("OLDHAND_HOME", sandbox.root().join("home-of-history"));
        Ok(command.output()?)
    };
    let ask = |arguments: &[&str]| -> Result<Value> {
        let answer = run(arguments)?;
        serde_json::from_slice(&answer.stdout).with_context(|| {
            let said = String::from_utf8_lossy(&answer.stderr);
            format!("{arguments:?} gave no JSON: {said}")
        })
    };
    let init = run(&["init", "--yes", "--no-agents"])?;
    ensure!(init.status.success(), "`init` ended with {}", init.status);
    let taken = ask(&["import", "transcripts", &transcripts, "--json"])?;
    let listed = ask(&["list", "-n", "0", "--json"])?;
    let memories = listed["memories"].as_array().context("a list")?;
    let learned = memories.iter().filter(|memory| {
        let provenance = memory["provenance"].as_array();
        provenance.is_some_and(|sessions| !sessions.is_empty())
    });
    let statements = learned.filter_map(|memory| memory["content"].as_str().map(str::to_owned));
    let mut statements: Vec<String> = statements.collect();
    statements.sort();
    Ok((taken["taken"].as_u64().unwrap_or_default(), statements))
}

impl Count {
    fn add(&mut self, label: Option<&Label>) {
        self.all += 1;
        let Some(label) = label else {
            return;
        };
        self.labelled += 1;
        self.right += u32::from(label.is_true);
        self.by_both += u32::from(label.is_true && label.useful == 2);
        self.by_one += u32::from(label.is_true && label.useful > 0);
    }

    fn row(&self, name: &str, sessions: u64) -> Vec<String> {
        let of = |part: u32| {
            let share = f64::from(part) / f64::from(self.labelled.max(1));
            format!("{part} of {} ({share:.2})", self.labelled)
        };
        vec![
            name.to_owned(),
            sessions.to_string(),
            self.all.to_string(),
            of(self.right),
            of(self.by_both),
            of(self.by_one),
            (self.all - self.labelled).to_string(),
        ]
    }
}

/// The labels by what they are about: `true`, `useful` and the statement, in columns.
fn read(text: &str) -> Result<BTreeMap<String, Label>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let read = lines.map(|line| {
        let parts: Vec<&str> = line.splitn(3, '\t').collect();
        let [is_true, useful, statement] = parts[..] else {
            anyhow::bail!("a line without three parts: {line}");
        };
        let useful = useful.parse().with_context(|| line.to_owned())?;
        ensure!(useful <= 2, "there were two readers: {line}");
        let is_true = match is_true {
            "yes" => true,
            "no" => false,
            _ => anyhow::bail!("neither yes nor no: {line}"),
        };
        Ok((without_numbers(statement), Label { is_true, useful }))
    });
    read.collect()
}

/// A statement of which fresher sessions change only the counts.
fn without_numbers(statement: &str) -> String {
    let mut plain = String::with_capacity(statement.len());
    for c in statement.chars() {
        let c = if c.is_ascii_digit() { '#' } else { c };
        let c = if c.is_whitespace() { ' ' } else { c };
        if !(c == '#' && plain.ends_with('#')) {
            plain.push(c);
        }
    }
    plain
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresher_counts_make_no_other_statement() {
        let labels = read("# words\nyes\t2\t`make` failed in 9 sessions\nno\t0\tx\n").unwrap();
        let label = labels.get(&without_numbers("`make` failed in 12 sessions"));
        let useful = Label {
            is_true: true,
            useful: 2,
        };
        assert_eq!(label, Some(&useful));
        assert_eq!(labels.get("y"), None);
        for wrong in ["yes\t3\tx", "maybe\t1\tx", "yes\tx"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
