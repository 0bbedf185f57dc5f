//! Files that a plan names and that are not there yet.

use std::collections::BTreeSet;

use super::{Task, folder, last_step};

/// How much a path says whose folder nobody knows: as often as not it is another project's.
const UNKNOWN_FOLDER: f64 = 0.4;

/// Files that the task sets apart as code, or draws below their folder, and that the tree does not have.
pub(super) fn planned(task: &Task, files: &[String]) -> Vec<(String, f64)> {
    let tree = Layout::new(files);
    let named = named_folders(&task.text);
    let mut found: Vec<(String, f64)> = Vec::new();
    let mut add = |path: String, score: f64| {
        if !tree.files.contains(path.as_str()) && found.iter().all(|(known, _)| *known != path) {
            found.push((path, score));
        }
    };
    // Every second piece between backticks is code.
    for word in task.text.split('`').skip(1).step_by(2) {
        let word = without_lines(word.trim().trim_start_matches("./"));
        if is_path(word)
            && is_file(word)
            && let Some((path, score)) = tree.place(word, &named)
        {
            add(path, score);
        }
    }
    let drawn = drawn(&task.text);
    for (root, below) in &drawn {
        let same =
            |(other, path): &(&str, String)| other == root && tree.files.contains(path.as_str());
        let is_project = root.is_empty() || drawn.iter().any(same);
        let placed = if is_project {
            Some((below.clone(), 1.0))
        } else {
            tree.place(&format!("{root}/{below}"), &named)
        };
        if let Some((path, score)) = placed {
            add(path, score);
        }
    }
    found
}

/// The files and folders that are there.
struct Layout<'a> {
    files: BTreeSet<&'a str>,
    folders: BTreeSet<&'a str>,
}

impl<'a> Layout<'a> {
    fn new(files: &'a [String]) -> Self {
        let mut folders = BTreeSet::new();
        for file in files {
            let mut above = folder(file);
            while !above.is_empty() && folders.insert(above) {
                above = folder(above);
            }
        }
        Self {
            files: files.iter().map(String::as_str).collect(),
            folders,
        }
    }

    /// Where a path of two steps or more belongs: below a folder that is there, below one that the task names in full, or
    /// below the only one that ends as the path begins.
    fn place(&self, path: &str, named: &[&str]) -> Option<(String, f64)> {
        let (top, rest) = path.split_once('/')?;
        if self.folders.contains(top) {
            return Some((path.to_owned(), 1.0));
        }
        let ends_in_top = |known: &&&str| known.contains('/') && last_step(known) == top;
        if let Some(known) = named.iter().find(ends_in_top) {
            return Some((format!("{known}/{rest}"), 1.0));
        }
        let inner = format!("/{}", folder(path));
        let mut below = self.folders.iter().filter(|known| known.ends_with(&inner));
        match (below.next(), below.next()) {
            (Some(only), None) => Some((format!("{only}/{}", last_step(path)), 1.0)),
            (None, _) if self.is_unknown(top) => Some((path.to_owned(), UNKNOWN_FOLDER)),
            _ => None,
        }
    }

    fn is_unknown(&self, name: &str) -> bool {
        let is_plain =
            name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains(['.', '$']);
        is_plain && self.folders.iter().all(|known| last_step(known) != name)
    }
}

/// Folders that the text names, with their slash at the end.
fn named_folders(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '`' | '(' | ')' | ',' | '"' | '\''))
        .filter_map(|word| word.strip_suffix('/'))
        .filter(|folder| !folder.starts_with('/') && is_path(folder))
        .collect()
}

/// The files of drawn trees: the folder that stands above the drawing, empty where it is the project's own, and the way from there.
fn drawn(text: &str) -> Vec<(&str, String)> {
    let mut root = None;
    let mut above: Vec<(usize, String)> = Vec::new();
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let name = line.trim_start_matches(is_drawing);
        let word = name.split_whitespace().next().unwrap_or_default();
        if !line.contains(['├', '└']) {
            above.clear();
            root = root_of(word);
            continue;
        }
        let Some(root) = root.filter(|_| is_path(word)) else {
            continue;
        };
        let depth = line.chars().count() - name.chars().count();
        while above.last().is_some_and(|(known, _)| *known >= depth) {
            above.pop();
        }
        let folder = above.last().map_or("", |(_, folder)| folder.as_str());
        if let Some(inner) = word.strip_suffix('/') {
            let inner = format!("{folder}{inner}/");
            above.push((depth, inner));
        } else if is_file(word) {
            found.push((root, format!("{folder}{word}")));
        }
    }
    found
}

/// The folder that a drawing begins with; none that lies elsewhere.
fn root_of(word: &str) -> Option<&str> {
    match word.trim_matches('`') {
        "." | "./" => Some(""),
        word => {
            let root = word.strip_prefix("./").unwrap_or(word);
            let root = root.strip_suffix('/')?;
            (is_path(root) && !root.starts_with('/') && !root.starts_with("..")).then_some(root)
        }
    }
}

fn is_drawing(c: char) -> bool {
    c.is_whitespace() || matches!(c, '│' | '├' | '└' | '─')
}

/// `path:12` and `path:12-40` without the lines.
fn without_lines(word: &str) -> &str {
    match word.rsplit_once(':') {
        Some((path, lines)) if lines.bytes().all(|b| b.is_ascii_digit() || b == b'-') => path,
        _ => word,
    }
}

fn is_path(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| {
            c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | '[' | ']' | '(' | ')' | '$')
        })
}

fn is_file(path: &str) -> bool {
    last_step(path)
        .rsplit_once('.')
        .is_some_and(|(stem, ending)| !stem.is_empty() && is_ending(ending))
}

fn is_ending(ending: &str) -> bool {
    (1..=5).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && ending.bytes().all(|b| b.is_ascii_alphanumeric())
}
