//! Where a line goes in the project, and how paths are written from there.

use super::words::is_plain;
use crate::paths::{below, is_absolute};

/// The project on its machine, and the folder of it that a command runs in.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub root: &'a str,
    pub folder: &'a str,
}

impl At<'_> {
    /// A path as it is written from the folder; nothing of one outside of the project.
    pub(super) fn path(&self, word: &str) -> Option<String> {
        // `//pkg:target` is no path of a machine.
        if !is_absolute(word) || word.starts_with("//") {
            let is_inside = !word.starts_with("../") || join(self.folder, word).is_some();
            return is_inside.then(|| word.to_owned());
        }
        let inside = below(word, self.root)?;
        Some(self.written(&of_checkout(inside.trim_matches('/'))))
    }

    /// What lies at `inside` of the project, as it is written from the folder.
    pub(super) fn written(&self, inside: &str) -> String {
        let steps = |path| str::split(path, '/').filter(|step| !step.is_empty());
        let same = steps(self.folder).zip(steps(inside));
        let same = same.take_while(|(one, two)| one == two).count();
        let up = steps(self.folder).skip(same).map(|_| "..");
        let written: Vec<&str> = up.chain(steps(inside).skip(same)).collect();
        if written.is_empty() {
            return ".".to_owned();
        }
        written.join("/")
    }
}

/// Where a relative path leads from a folder; nothing outside of the project.
pub(super) fn join(folder: &str, path: &str) -> Option<String> {
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop()?;
            }
            step => steps.push(step),
        }
    }
    Some(steps.join("/"))
}

/// The folder that `cd` leads to, seen from the project, coming from `here`; none for another project, and where it is not known.
pub(super) fn leads(to: &str, root: &str, here: Option<&str>) -> Option<String> {
    let root = root.trim_end_matches('/');
    let to = match to.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", home_of(root)?),
        None => to.to_owned(),
    };
    if !is_plain(&to) || to.starts_with('-') {
        return None;
    }
    if is_absolute(&to) {
        return Some(of_checkout(&join("", below(&to, root)?)?));
    }
    Some(of_checkout(&join(here?, &to)?))
}

/// The home of whoever has the project there.
pub(in crate::outcome::commands) fn home_of(root: &str) -> Option<&str> {
    let is_home = matches!(root.split('/').nth(1), Some("home" | "Users"));
    let (at, _) = root.match_indices('/').nth(2).filter(|_| is_home)?;
    Some(&root[..at])
}

/// A folder as it is called in the project, where that is checked out once more inside itself.
fn of_checkout(folder: &str) -> String {
    let steps: Vec<&str> = folder.split('/').collect();
    let skipped = match &steps[..] {
        [".claude", "worktrees", ..] => 3,
        [".worktrees" | "worktrees" | ".trees", ..] => 2,
        [".git", ..] => steps.len(),
        _ => 0,
    };
    steps.get(skipped..).unwrap_or_default().join("/")
}

/// A file below a checkout of the project inside itself is one of the project; what git keeps there is git's.
pub(crate) fn in_checkout(path: &str) -> String {
    if path.split('/').next() == Some(".git") {
        return path.to_owned();
    }
    of_checkout(path)
}

/// Whether a line goes somewhere in a shell of its own, behind which nobody knows where the rest of it runs.
pub(crate) fn has_own_shell(line: &str) -> bool {
    let (mut quote, mut before) = (None, ' ');
    let mut opens = false;
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None => opens |= c == '(' && (before.is_whitespace() || ";&|(".contains(before)),
        }
        before = c;
    }
    let moves = |word: &str| {
        let word = word.trim_start_matches('(');
        matches!(word, "cd" | "pushd")
    };
    opens && line.split_whitespace().any(moves)
}
