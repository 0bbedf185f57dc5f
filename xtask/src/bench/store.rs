//! The promises of the store, under stress.

use anyhow::Result;
use oldhand_testkit::crash::kill_at_random;
use oldhand_testkit::crowd::{Manner, write_at_once};
use oldhand_testkit::{Audit, Sandbox};

use super::page::table;
use super::{build, power};
use crate::house::House;

const WRITERS: usize = 20;
const EACH: usize = 200;
const KILLS: usize = 1_000;
const CUTS: usize = 20;

pub(super) fn run(house: &House) -> Result<String> {
    let oldhand = &build(house, "oldhand", "oldhand", &[])?;
    let heading = [
        "what",
        "acknowledged",
        "lost",
        "errors shown",
        "integrity check",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for (manner, name) in [
        (Manner::OneByOne, "a process per memory"),
        (Manner::InOneGo, "one import each"),
    ] {
        println!("{WRITERS} writers, {EACH} memories each, {name}");
        let outcome = write_at_once(&Sandbox::with_repository(oldhand), manner, WRITERS, EACH);
        if let Some(error) = outcome.errors.first() {
            println!("{error}");
        }
        let what = format!("{WRITERS} writers at once, {EACH} memories each, {name}");
        rows.push(row(what, &outcome.audit, outcome.errors.len().to_string()));
    }

    println!("{KILLS} writers, each killed at random");
    let outcome = kill_at_random(&Sandbox::with_repository(oldhand), KILLS, 1);
    let what = format!(
        "{KILLS} writes, `kill -9` at a random point; {} were still running",
        outcome.killed
    );
    rows.push(row(what, &outcome.audit, "–".to_owned()));

    println!("{CUTS} power cuts");
    let note = match power::cut_at_random(oldhand, CUTS)? {
        power::Cuts::Made(audit) => {
            let what = format!("{CUTS} power cuts while two processes write, on ext4");
            rows.push(row(what, &audit, "–".to_owned()));
            String::new()
        }
        power::Cuts::Skipped(why) => format!("\nPower cuts were skipped: {why}.\n"),
    };
    Ok(format!("{}{note}", table(&rows)))
}

fn row(what: String, audit: &Audit, errors: String) -> Vec<String> {
    for lost in &audit.lost {
        println!("lost: {lost}");
    }
    let integrity = if audit.integrity.is_empty() {
        "passed"
    } else {
        "failed"
    };
    if !audit.integrity.is_empty() {
        println!("{}", audit.integrity);
    }
    vec![
        what,
        audit.acknowledged.to_string(),
        audit.lost.len().to_string(),
        errors,
        integrity.to_owned(),
    ]
}
