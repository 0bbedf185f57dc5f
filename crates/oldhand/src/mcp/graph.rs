//! Questions about code: those of the command line, with answers short enough for a model.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::{Value, json};

use super::memory::{clear, lines, list, views};
use super::reply::{Reply, ask};
use super::room::Room;
use super::tool::Given;
use crate::desk::Purpose;
use crate::failure::Failure;
use crate::nearest::nearest;
use crate::out::time::count;

/// How many places a change reaches are told.
const REACHED: &str = "60";
/// How many files of each list are told.
const FILES: usize = 40;
/// How many ways from one thing to another are told.
const WAYS: usize = 5;
/// How many names stand in one line.
const NAMES: usize = 5;

pub(super) fn impact(given: &Given, room: &Room) -> Result<Reply> {
    let target = given.text("target").unwrap_or_default();
    let depth = given.number("depth").unwrap_or(3).to_string();
    let arguments = [
        "impact", "--depth", &depth, "--limit", REACHED, "--", target,
    ];
    let (answer, notes) = ask(&arguments, &room.environment)?;
    room.keep_place(word(&answer["target"], "path"));
    let desk = room.desk(Purpose::Look)?;
    let ids = list(&answer, "memories").filter_map(|memory| memory["id"].as_str());
    let memories = clear(ids, &desk);
    let mut text = format!("a change of {} reaches", name(&answer["target"]));
    let affected: Vec<Value> = list(&answer, "affected")
        .map(|reached| pick(reached, &["path", "symbol", "line", "depth", "strength"]))
        .collect();
    if affected.is_empty() {
        text.push_str(" nothing else that is known");
    }
    for line in by_file(&affected) {
        let _ = write!(text, "\n- {line}");
    }
    let tests: Vec<Value> = list(&answer, "tests").cloned().collect();
    if !tests.is_empty() {
        text.push_str("\ntests to run:");
        for test in &tests {
            let _ = write!(text, "\n- {}", word(test, "path"));
        }
    }
    if !memories.is_empty() {
        text.push_str("\nremembered about these files:\n");
        text.push_str(&lines(&memories).join("\n"));
    }
    let data = json!({
        "target": pick(&answer["target"], &["path", "symbol", "line"]),
        "affected": affected,
        "tests": tests,
        "memories": views(&memories, &desk),
        "truncated": answer["truncated"],
    });
    Ok(Reply::new(text, data).note(&notes))
}

/// One line for each file, strongest first: how far it is, and what in it is reached.
fn by_file(affected: &[Value]) -> Vec<String> {
    let mut files: Vec<(&str, Vec<&Value>)> = Vec::new();
    for reached in affected {
        let path = word(reached, "path");
        match files.iter_mut().find(|(known, _)| *known == path) {
            Some((_, all)) => all.push(reached),
            None => files.push((path, vec![reached])),
        }
    }
    let line = |(path, all): &(&str, Vec<&Value>)| {
        let depths = all.iter().filter_map(|reached| reached["depth"].as_u64());
        let steps = depths.min().unwrap_or_default() as usize;
        let mut line = format!("{path}, {} away", count(steps, "step"));
        let named: Vec<String> = all.iter().filter_map(|reached| in_file(reached)).collect();
        if !named.is_empty() {
            let _ = write!(line, ": {}", named[..named.len().min(NAMES)].join(", "));
        }
        if named.len() > NAMES {
            let _ = write!(line, ", {} more", named.len() - NAMES);
        }
        line
    };
    files.iter().map(line).collect()
}

/// A definition and its line, without its file.
fn in_file(value: &Value) -> Option<String> {
    let symbol = value["symbol"].as_str()?;
    Some(match value["line"].as_u64() {
        Some(line) => format!("{symbol} (line {line})"),
        None => symbol.to_owned(),
    })
}

pub(super) fn dependencies(given: &Given, room: &Room) -> Result<Reply> {
    let file = given.text("file").unwrap_or_default();
    let (answer, notes) = ask(&["deps", "--", file], &room.environment)?;
    room.keep_place(word(&answer, "path"));
    let mut text = word(&answer, "path").to_owned();
    let mut data = json!({ "path": answer["path"] });
    for (list_name, said) in [
        ("imports", "imports"),
        ("uses", "uses without importing"),
        ("imported_by", "is imported by"),
        ("used_by", "is used without importing by"),
    ] {
        let all: Vec<Value> = list(&answer, list_name)
            .map(|other| pick(other, &["path", "symbols", "confidence"]))
            .collect();
        if !all.is_empty() {
            let _ = write!(text, "\n{said}:");
        }
        for other in all.iter().take(FILES) {
            let _ = write!(text, "\n- {}", word(other, "path"));
            let symbols = names(other, "symbols");
            if !symbols.is_empty() {
                let _ = write!(text, " ({symbols})");
            }
        }
        if all.len() > FILES {
            let _ = write!(text, "\n… {} more", all.len() - FILES);
        }
        data[list_name] = all.into();
    }
    let externals = names(&answer, "externals");
    if !externals.is_empty() {
        let _ = write!(text, "\npackages: {externals}");
    }
    data["externals"] = answer["externals"].clone();
    Ok(Reply::new(text, data).note(&notes))
}

pub(super) fn flow(given: &Given, room: &Room) -> Result<Reply> {
    let from = given.text("from").unwrap_or_default();
    let to = given.text("to").unwrap_or_default();
    let (answer, notes) = ask(&["flow", "--", from, to], &room.environment)?;
    let start = name(&answer["from"]);
    let paths: Vec<Value> = list(&answer, "paths")
        .take(WAYS)
        .map(|path| {
            let steps =
                list(path, "steps").map(|step| pick(step, &["path", "symbol", "kind", "line"]));
            json!({ "confidence": path["confidence"], "steps": steps.collect::<Vec<_>>() })
        })
        .collect();
    let mut text = String::new();
    for path in &paths {
        let _ = write!(text, "{start}");
        for step in list(path, "steps") {
            let _ = write!(text, "\n  {} {}", word(step, "kind"), name(step));
        }
        text.push('\n');
    }
    if paths.is_empty() {
        text = format!("no way from {start} to {} is known", name(&answer["to"]));
    }
    let data = json!({
        "from": pick(&answer["from"], &["path", "symbol", "line"]),
        "to": pick(&answer["to"], &["path", "symbol", "line"]),
        "paths": paths,
        "truncated": answer["truncated"],
    });
    Ok(Reply::new(text, data).note(&notes))
}

pub(super) fn map(given: &Given, room: &Room) -> Result<Reply> {
    let (answer, notes) = ask(&["map"], &room.environment)?;
    let modules: Vec<&Value> = list(&answer, "modules").collect();
    if let Some(wanted) = given.text("module") {
        let module = modules
            .iter()
            .find(|module| word(module, "name") == wanted || word(module, "folder") == wanted);
        let Some(module) = module else {
            let known = modules.iter().map(|module| word(module, "name"));
            let hint = match nearest(wanted, known.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known: {}", known.take(20).collect::<Vec<_>>().join(", ")),
            };
            let failure = Failure::not_found(format!("no module is called `{wanted}`"));
            return Err(failure.hint(hint).into());
        };
        let mut text = say(module);
        for list_name in ["core", "tests", "files"] {
            let all: Vec<&str> = list(module, list_name).filter_map(Value::as_str).collect();
            if !all.is_empty() {
                let _ = write!(text, "\n{list_name}: {}", all.join(", "));
            }
        }
        return Ok(Reply::new(text, (*module).clone()).note(&notes));
    }
    let mut text = String::new();
    for module in &modules {
        text.push_str(&say(module));
        text.push('\n');
    }
    if modules.is_empty() {
        text.push_str("no modules are known");
    }
    let short = modules.iter().map(|module| {
        let needs = list(module, "depends_on").filter_map(|link| link["module"].as_str());
        let mut view = pick(module, &["name", "folder", "description", "lines"]);
        view["files"] = list(module, "files").count().into();
        view["depends_on"] = needs.take(NAMES).collect();
        view
    });
    let data = json!({ "modules": short.collect::<Vec<_>>(), "languages": answer["languages"] });
    Ok(Reply::new(text, data).note(&notes))
}

fn say(module: &Value) -> String {
    let mut text = format!("- {}", word(module, "name"));
    let folder = word(module, "folder");
    if !folder.is_empty() && folder != word(module, "name") {
        let _ = write!(text, " in {folder}");
    }
    let files = list(module, "files").count();
    let _ = write!(text, ", {}", count(files, "file"));
    let description = word(module, "description");
    if !description.is_empty() {
        let _ = write!(text, ": {description}");
    }
    let starts = names(module, "entry_points");
    if !starts.is_empty() {
        let _ = write!(text, "; starts at {starts}");
    }
    let needs: Vec<&str> = list(module, "depends_on")
        .filter_map(|link| link["module"].as_str())
        .take(NAMES)
        .collect();
    if !needs.is_empty() {
        let _ = write!(text, "; needs {}", needs.join(", "));
    }
    text
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn names(value: &Value, key: &str) -> String {
    let names = list(value, key).filter_map(Value::as_str);
    names.take(NAMES).collect::<Vec<_>>().join(", ")
}

/// A file or a definition in it, with its line where there is one.
fn name(value: &Value) -> String {
    let mut name = word(value, "path").to_owned();
    if let Some(line) = value["line"].as_u64() {
        let _ = write!(name, ":{line}");
    }
    if let Some(symbol) = value["symbol"].as_str() {
        let _ = write!(name, " {symbol}");
    }
    name
}

/// Only these fields, and only where they say something.
fn pick(value: &Value, keys: &[&str]) -> Value {
    let kept = keys.iter().filter_map(|key| {
        let found = value.get(*key).filter(|found| !found.is_null())?;
        Some(((*key).to_owned(), found.clone()))
    });
    Value::Object(kept.collect())
}
