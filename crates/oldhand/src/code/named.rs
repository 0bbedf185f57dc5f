//! The commands by which a project says itself that it is checked: in its rules files and in what its machines run.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use oldhand_observe::outcome::commands::{Check, check_commands, is_own_name};

use crate::file::open_regular;
use crate::view::graph::CommandView;

/// Files in which people write down how to work here.
const RULES: [&str; 6] = [
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "CONTRIBUTING.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
];
/// So much of a file is looked at, and so many files of a folder.
const BYTES: u64 = 256 * 1024;
const FILES: usize = 40;

/// For each purpose the project's own name of a command that is written down most often.
pub(crate) fn named_commands(root: &Path) -> Vec<CommandView> {
    let mut counts: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
    let mut take = |line: &str| {
        for (check, command) in check_commands(line) {
            if is_own_name(&command) {
                let purpose = match check {
                    Check::Test => "test",
                    Check::Build => "build",
                    Check::Lint => "lint",
                    Check::TypeCheck | Check::Unclear => continue,
                };
                *counts.entry((purpose, command)).or_default() += 1;
            }
        }
    };
    for name in RULES {
        let text = read(&root.join(name)).unwrap_or_default();
        code_of(&text).for_each(&mut take);
    }
    for path in workflows(root) {
        let text = read(&path).unwrap_or_default();
        run_of(&text).for_each(&mut take);
    }
    let mut found: BTreeMap<&'static str, (usize, &str)> = BTreeMap::new();
    for ((purpose, line), times) in &counts {
        let best = found.entry(purpose).or_default();
        if *times > best.0 {
            *best = (*times, line);
        }
    }
    // `mise run test` runs what `mise run test:unit` and its like are parts of, however often those are named.
    let whole = |purpose: &str, line: &str| {
        let mut own = counts.keys().filter(|(of, _)| *of == purpose);
        let is_part = |whole: &str| {
            let rest = line.strip_prefix(whole);
            rest.is_some_and(|rest| rest.starts_with([':', '-', '_', '.']))
        };
        let found = own.find(|(_, other)| is_part(other));
        found.map_or(line, |(_, other)| other).to_owned()
    };
    let views = found.iter().map(|(purpose, (_, line))| CommandView {
        purpose,
        line: whole(purpose, line),
        folder: String::new(),
    });
    views.collect()
}

fn read(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let file = open_regular(path).ok()?;
    file.take(BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn workflows(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join(".github/workflows"));
    let paths = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let is_yaml = |path: &PathBuf| {
        let ending = path.extension();
        ending.is_some_and(|ending| ending == "yml" || ending == "yaml")
    };
    let mut paths: Vec<PathBuf> = paths.filter(is_yaml).collect();
    paths.sort();
    paths.truncate(FILES);
    paths
}

/// The lines of Markdown that are code: those in a fence, and what stands between backticks.
fn code_of(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().flat_map(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        inside ^= is_fence;
        if is_fence {
            Vec::new()
        } else if inside {
            vec![line.trim().trim_start_matches("$ ")]
        } else {
            line.split('`').skip(1).step_by(2).collect()
        }
    })
}

/// The lines of a workflow that are run.
fn run_of(text: &str) -> impl Iterator<Item = &str> {
    let mut block: Option<usize> = None;
    text.lines().filter_map(move |line| {
        let depth = line.len() - line.trim_start().len();
        let words = line.trim();
        if let Some(since) = block {
            if words.is_empty() || depth > since {
                return Some(words);
            }
            block = None;
        }
        let key = words.strip_prefix("- ").unwrap_or(words).trim_start();
        let run = key.strip_prefix("run:")?.trim();
        if run.starts_with(['|', '>']) {
            // Keys beside it stand as deep as it does, behind the dash of its step.
            block = Some(depth + words.len() - key.len());
            return None;
        }
        Some(run)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_project_writes_down_is_how_it_is_checked() {
        let root = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert!(named_commands(root.path()).is_empty());
        put(
            "AGENTS.md",
            "Run `mise run lint` first. Never `go vet`.\n```sh\n$ mise run test\nmise run test:ci\nmise run test:ci\nmise run test:ci\n```\n",
        );
        put(
            ".github/workflows/ci.yml",
            "jobs:\n  a:\n    steps:\n      - run: mise run test\n      - name: b\n        run: |\n          make build\n          echo done\n        env: x\n      - run: |\n          echo more\n        name: make lint\n        env:\n          a: make lint\n      - run: echo\n        name: make lint\n",
        );
        let named = named_commands(root.path());
        let told: Vec<(&str, &str)> = named
            .iter()
            .map(|view| (view.purpose, view.line.as_str()))
            .collect();
        let expected = [
            ("build", "make build"),
            ("lint", "mise run lint"),
            ("test", "mise run test"),
        ];
        assert_eq!(told, expected);
    }
}
