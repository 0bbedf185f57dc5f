//! Tests and linted files that failing checks and refused commits name and the session did not edit: some may be no part of the project.

use oldhand_domain::path::ProjectPath;

use super::SessionAnalytics;
use crate::fingerprint::broken_rules;
use crate::paths;

/// What was stopped by what lies in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    Check,
    Commit,
}

/// A folder in which files lie by which something was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftUse {
    pub step: u32,
    pub folder: ProjectPath,
    pub stopped: Stopped,
}

/// So many steps of a path say where something was left; what follows is mostly a name by chance.
const STEPS: usize = 3;
/// How many folders are noted of a session, and how many words of one output are looked at.
const FOLDERS: usize = 64;
const WORDS: usize = 4000;

impl SessionAnalytics {
    pub(super) fn count_leftovers(&mut self, output: &str, stopped: Stopped) {
        let root = self.root(None).to_owned();
        for folder in folders_named(output, &root) {
            let step = self.step;
            let is_own = |file: &ProjectPath| file.is_at_or_below(&folder);
            let edited = self.edits.iter().map(|edit| self.files.path(edit.file));
            let is_known = |known: &LeftUse| known.folder == folder && known.stopped == stopped;
            if edited.into_iter().any(is_own)
                || self.left.iter().any(is_known)
                || self.left.len() >= FOLDERS
            {
                continue;
            }
            self.left.push(LeftUse {
                step,
                folder,
                stopped,
            });
        }
    }
}

/// The folders of the tests, and of the files that a linter names, in an output.
pub(crate) fn folders_named(output: &str, root: &str) -> Vec<ProjectPath> {
    let mut found: Vec<ProjectPath> = Vec::new();
    let is_edge = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;…".contains(c);
    let words = output.split(is_edge).filter(|word| word.contains('/'));
    let tests = words.take(WORDS).map(without_place);
    let tests = tests.filter(|word| paths::is_code(word) && paths::is_test(word));
    let linted = broken_rules(output).into_iter();
    let linted: Vec<String> = linted.filter_map(|broken| broken.file).collect();
    for word in tests.chain(linted.iter().map(String::as_str)) {
        let inside = if paths::is_absolute(word) {
            paths::below(word, root)
        } else {
            Some(word)
        };
        let Some(path) = inside.and_then(|path| ProjectPath::new(path).ok()) else {
            continue;
        };
        let steps: Vec<&str> = path.as_str().split('/').collect();
        let above = steps.len().saturating_sub(1).min(STEPS);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.@+/".contains(c);
        let folder = steps[..above].join("/");
        if path.as_str().chars().all(is_plain)
            && !steps.iter().any(|step| is_of_others(step))
            && let Ok(folder) = ProjectPath::new(&folder)
            && !found.contains(&folder)
        {
            found.push(folder);
        }
    }
    found
}

/// `a/x.test.ts:12:3:` without the place in it.
fn without_place(word: &str) -> &str {
    let is_place = |c: char| c == ':' || c == '.' || c.is_ascii_digit();
    let end = word.find(':').unwrap_or(word.len());
    let (path, place) = word.split_at(end);
    if place.chars().all(is_place) {
        path.trim_end_matches('.')
    } else {
        word
    }
}

/// Whether a folder holds what others wrote or what the check itself made.
fn is_of_others(step: &str) -> bool {
    matches!(
        step,
        "node_modules"
            | "vendor"
            | "third_party"
            | "site-packages"
            | "__pycache__"
            | "venv"
            | ".venv"
            | "target"
            | "dist"
            | "build"
            | "out"
            | "bin"
            | "obj"
            | "coverage"
            | "Pods"
            | "deps"
            | "_build"
            | ".next"
            | ".git"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_linted_files_say_in_which_folders_they_lie() {
        for (output, expected) in [
            (
                "tmp/clones/run-1/src/a/x.test.ts:\nerror: Cannot find module 'y' from '/project/tmp/clones/run-1/src/a/x.test.ts'",
                "tmp/clones/run-1",
            ),
            ("FAIL /project/tmp/x.test.ts:12:3", "tmp"),
            (" at tmp/a/b.ts:4:1 lint/style/useConst ━━━\n× no", "tmp/a"),
            ("x.test.ts: failed", ""),
            ("/elsewhere/tmp/x.test.ts failed", ""),
            ("tmp/notes/read.txt is missing", ""),
            ("tmp/notes/main.ts:3:1 threw", ""),
            ("node_modules/left/x.test.ts failed", ""),
            ("target/debug/x_test.go failed", ""),
            ("see https://a.example/tests/x.test.ts", ""),
        ] {
            let found = folders_named(output, "/project");
            let told: Vec<&str> = found.iter().map(ProjectPath::as_str).collect();
            assert_eq!(told.join(", "), expected, "{output}");
        }
    }
}
