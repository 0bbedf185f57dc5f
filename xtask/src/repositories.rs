//! Questions about real code: packages that others wrote, fetched by the clients of their registries, asked through the
//! binary, and compared with answers that a person has checked against the source.
//!
//! The packages and the answers are in `xtask/repositories`, one file each. What is fetched stays below `target`.

mod fetch;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;

use crate::house::House;
use crate::report::Verdict;

/// A package, and what is asked about it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Repository {
    language: String,
    client: fetch::Client,
    package: String,
    version: String,
    /// The folder in the archive that holds the source.
    folder: String,
    /// What is kept of that folder; everything when it is empty.
    #[serde(default)]
    only: Vec<String>,
    ask: Vec<Question>,
}

/// A command and what its answer holds.
#[derive(Deserialize)]
struct Question {
    command: Vec<String>,
    /// For each field of the answer that is a list: all of it, in any order, as [`say`] says it.
    #[serde(flatten)]
    answer: BTreeMap<String, BTreeSet<String>>,
}

/// The languages whose names are resolved, and how many real repositories speak for each.
const LANGUAGES: [&str; 4] = ["go", "python", "rust", "typescript"];
const EACH: usize = 2;

pub(crate) fn check(house: &House) -> Result<Verdict> {
    let repositories = read_all(&house.root.join("xtask/repositories"))?;
    let oldhand = build(house)?;
    let kept = house.target_directory()?.join("repositories");
    let (mut wrong, mut missing, mut questions) = (Vec::new(), Vec::new(), 0);
    for repository in &repositories {
        let name = format!("{} {}", repository.package, repository.version);
        match fetch::unpack(repository, &kept) {
            Ok(folder) => {
                let root = folder.path().join(&repository.folder);
                let before = wrong.len();
                for question in &repository.ask {
                    questions += 1;
                    wrong.extend(ask(&oldhand, &root, folder.path(), question)?);
                }
                println!("{name}: {} wrong", wrong.len() - before);
            }
            Err(why) => missing.push(format!("{name}: {why:#}")),
        }
    }
    for line in &wrong {
        println!("{line}");
    }
    Ok(if !wrong.is_empty() {
        Verdict::Failed(format!("{} answers are wrong", wrong.len()))
    } else if !missing.is_empty() {
        let held = repositories.len() - missing.len();
        Verdict::Skipped(format!(
            "{questions} answers about {held} hold; not here: {}",
            missing.join("; ")
        ))
    } else {
        Verdict::Passed
    })
}

fn read_all(folder: &Path) -> Result<Vec<Repository>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let repository: Repository =
            toml::from_str(&text).with_context(|| format!("could not read {}", path.display()))?;
        all.push(repository);
    }
    for language in LANGUAGES {
        let spoken = all.iter().filter(|known| known.language == language);
        let spoken = spoken.count();
        ensure!(
            spoken >= EACH,
            "{language} has {spoken} repositories, {EACH} are wanted"
        );
    }
    Ok(all)
}

fn build(house: &House) -> Result<PathBuf> {
    // As the tests build it, so that nothing is compiled a second time with other features.
    let tests = [
        "test",
        "--workspace",
        "--locked",
        "--no-run",
        "--test",
        "it",
    ];
    let status = house.cargo(tests).status()?;
    ensure!(status.success(), "could not build oldhand");
    let name = format!("oldhand{}", std::env::consts::EXE_SUFFIX);
    Ok(house.target_directory()?.join("debug").join(name))
}

/// Asks, and returns how the answer differs from what it should be.
fn ask(oldhand: &Path, root: &Path, home: &Path, question: &Question) -> Result<Vec<String>> {
    let output = Command::new(oldhand)
        .args(&question.command)
        .args(["--json", "--project"])
        .arg(root)
        .env("OLDHAND_HOME", home.join("oldhand-home"))
        .current_dir(root)
        .output()?;
    let command = question.command.join(" ");
    let Ok(answer) = serde_json::from_slice::<Value>(&output.stdout) else {
        let said = String::from_utf8_lossy(&output.stderr);
        return Ok(vec![format!("{command}: no answer: {}", said.trim_end())]);
    };
    let mut wrong = Vec::new();
    for (field, expected) in &question.answer {
        let told = answer[field].as_array();
        let told: BTreeSet<String> = told.into_iter().flatten().map(say).collect();
        let lacks = expected.difference(&told).map(|item| (item, "lacks"));
        let adds = told.difference(expected).map(|item| (item, "adds"));
        let lines = lacks.chain(adds);
        wrong.extend(lines.map(|(item, how)| format!("{command}: {field} {how} `{item}`")));
    }
    Ok(wrong)
}

/// One item of a list in words: its path, `path:symbol` or `path:line`, then the kinds of its links.
fn say(item: &Value) -> String {
    if let Some(text) = item.as_str().or_else(|| item["text"].as_str()) {
        return text.to_owned();
    }
    let text = |field: &str| item[field].as_str().unwrap_or_default();
    let mut said = if item["path"].is_null() {
        text("name").to_owned()
    } else {
        text("path").to_owned()
    };
    if let Some(symbol) = item["symbol"].as_str() {
        said = format!("{said}:{symbol}");
    } else if item["within"].is_string() || item.get("within").is_some() {
        said = format!("{said}:{}", item["line"]);
    }
    let kinds = item["kinds"].as_array().into_iter().flatten();
    let last = item["via"].as_array().and_then(|steps| steps.last());
    let kinds = kinds.chain(last.map(|step| &step["kind"]));
    for kind in kinds.filter_map(Value::as_str) {
        said = format!("{said} {kind}");
    }
    said
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_are_said_by_what_tells_them_apart() {
        for (item, said) in [
            (json!("net/http"), "net/http"),
            (json!({ "text": "fn f()", "line": 3 }), "fn f()"),
            (json!({ "path": "a.ts", "symbol": null }), "a.ts"),
            (
                json!({ "path": "a.ts", "symbol": "A.b", "via": [{ "kind": "imports" }, { "kind": "calls" }] }),
                "a.ts:A.b calls",
            ),
            (
                json!({ "path": "a.ts", "line": 7, "within": null }),
                "a.ts:7",
            ),
            (
                json!({ "path": "a.ts", "kinds": ["imports", "uses"] }),
                "a.ts imports uses",
            ),
            (json!({ "name": "core", "folder": "src" }), "core"),
        ] {
            assert_eq!(say(&item), said);
        }
    }

    #[test]
    fn every_language_has_its_repositories_and_every_repository_its_questions() {
        let house = House::of_this_workspace();
        let all = read_all(&house.root.join("xtask/repositories")).expect("they are read");
        assert!(all.iter().all(|repository| repository.ask.len() >= 4));
    }
}
