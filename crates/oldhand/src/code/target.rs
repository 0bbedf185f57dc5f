//! What a person means by a file, `file:symbol`, `file:line` or a symbol, seen from where they stand.

use anyhow::Result;
use oldhand_code::answer::target::{COLONS, qualified_name};
use oldhand_code::index::Index;
use oldhand_code::language::language_of;
use oldhand_code::snapshot::{NodeId, Snapshot};

use crate::desk::Desk;
use crate::failure::Failure;
use crate::nearest::nearest;
use crate::out::wrap::shorten;

/// What was meant.
pub(crate) struct Target {
    /// One definition may be written in several places (overloads, platforms): all of them.
    pub(crate) nodes: Vec<NodeId>,
    /// Other definitions that the words fit as well.
    pub(crate) others: Vec<NodeId>,
    /// The folder whose files they are, when one was named.
    pub(crate) folder: Option<String>,
}

impl Target {
    pub(crate) fn first(&self) -> NodeId {
        self.nodes[0]
    }

    /// Everything that may be meant, best first.
    pub(crate) fn readings(&self) -> Vec<NodeId> {
        let all = self.nodes.iter().chain(&self.others);
        all.copied().collect()
    }
}

/// The best reading of `text`.
pub(crate) fn resolve(index: &Index, desk: &Desk, text: &str) -> Result<Target> {
    let found = find_all(index, desk, text);
    let snapshot = index.snapshot();
    let Some(&best) = found.first() else {
        return Err(unknown(index, desk, text));
    };
    let name = (snapshot.file_of(best), qualified_name(snapshot, best));
    let (nodes, others) = found
        .into_iter()
        .partition(|&node| (snapshot.file_of(node), qualified_name(snapshot, node)) == name);
    Ok(Target {
        nodes,
        others,
        folder: None,
    })
}

/// The best reading of `text`, which may also be a folder: then all files in it.
pub(crate) fn resolve_place(index: &Index, desk: &Desk, text: &str) -> Result<Target> {
    if let Some((folder, nodes)) = folder_at(index.snapshot(), desk, text)
        && find_all(index, desk, text).is_empty()
    {
        if folder.is_empty() {
            return Err(Failure::invalid(format!("`{text}` is the whole project"))
                .hint("name a file, a folder or a definition; `oldhand map` shows what there is")
                .into());
        }
        return Ok(Target {
            nodes,
            others: Vec::new(),
            folder: Some(folder),
        });
    }
    resolve(index, desk, text)
}

/// The folder that `text` names from where one stands (empty for the whole project), with its files.
fn folder_at(snapshot: &Snapshot, desk: &Desk, text: &str) -> Option<(String, Vec<NodeId>)> {
    let inside = desk
        .path(&format!("{}/_", text.trim_end_matches('/')))
        .ok()?;
    let inside = inside.as_str().strip_suffix('_')?;
    let files = snapshot.files();
    let files = files.filter(|&file| snapshot.path(file).starts_with(inside));
    let files: Vec<NodeId> = files.collect();
    (!files.is_empty()).then(|| (inside.trim_end_matches('/').to_owned(), files))
}

/// The file that `text` names.
pub(crate) fn resolve_file(index: &Index, desk: &Desk, text: &str) -> Result<Target> {
    let snapshot = index.snapshot();
    let mut files: Vec<NodeId> = find_all(index, desk, text)
        .into_iter()
        .map(|node| snapshot.file_of(node))
        .collect();
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|file| seen.insert(*file));
    if files.is_empty() {
        return Err(unknown(index, desk, text));
    }
    let others = files.split_off(1);
    Ok(Target {
        nodes: files,
        others,
        folder: None,
    })
}

/// Everything `text` may mean, best first.
fn find_all(index: &Index, desk: &Desk, text: &str) -> Vec<NodeId> {
    // A file is taken from where one stands, as everywhere; a path that is only known by its end comes after that.
    if let Some(file) = file_at(index.snapshot(), desk, text) {
        return vec![file];
    }
    for (at, _) in text.rmatch_indices(':').take(COLONS) {
        let (path, rest) = (text[..at].trim_end_matches(':'), &text[at + 1..]);
        if let Some(file) = file_at(index.snapshot(), desk, path)
            && !rest.is_empty()
        {
            let whole = format!("{}:{rest}", index.snapshot().path(file));
            return index.locate(&whole);
        }
    }
    index.locate(text)
}

fn file_at(snapshot: &Snapshot, desk: &Desk, text: &str) -> Option<NodeId> {
    let path = desk.path(text).ok()?;
    snapshot.find_file(path.as_str())
}

fn unknown(index: &Index, desk: &Desk, text: &str) -> anyhow::Error {
    if text.trim().is_empty() {
        return Failure::invalid("there is no name to look for")
            .hint("`oldhand map` shows what there is")
            .into();
    }
    let snapshot = index.snapshot();
    if folder_at(snapshot, desk, text).is_some() {
        return Failure::not_found(format!("`{text}` is a folder"))
            .hint(format!(
                "name one of its files; `oldhand impact {text}` answers for all of them, `oldhand map` for every module"
            ))
            .into();
    }
    if desk
        .path(text)
        .is_ok_and(|path| desk.location.root.join(path.as_str()).exists())
    {
        return Failure::not_found(format!("`{text}` is not part of the code graph"))
            .hint("it holds source files, manifests and prose that git does not ignore; vendored and built files stay out")
            .into();
    }
    let said = shorten(text, SAID);
    let failure = Failure::not_found(format!("no file or definition is called `{said}`"));
    let name = text.rsplit([':', '.', '/', '#']).next().unwrap_or(text);
    let near = if text.contains('/') {
        nearest(text, snapshot.files().map(|file| snapshot.path(file)))
    } else if language_of(text).is_some() {
        let names = snapshot.files().map(|file| snapshot.path(file));
        nearest(
            text,
            names.map(|path| path.rsplit('/').next().unwrap_or(path)),
        )
    } else {
        let names = snapshot.symbols().map(|node| snapshot.name(node));
        // Of two letters nearly every other pair is one change away.
        let names = names.filter(|near| near.len() >= SHORTEST && name.len() >= SHORTEST);
        nearest(name, names)
    };
    let words = text.rsplit(['/', ':']).next().unwrap_or(text);
    let words = words.trim_matches(['.', '#', ' ']);
    match near {
        Some(near) if near != name => failure.hint(format!("did you mean `{near}`?")).into(),
        _ if words.is_empty() => failure.hint("`oldhand map` shows what there is").into(),
        _ => failure
            .hint(format!(
                "`oldhand where {}` looks for it by its words",
                shorten(words, SAID)
            ))
            .into(),
    }
}

/// So much of what is not known is said back.
const SAID: usize = 160;

/// Names shorter than this are nobody's misspelling.
const SHORTEST: usize = 3;

/// The one definition in `files` that `text` speaks of by a name that no ordinary word is; nothing when it names several.
pub(crate) fn named_in(snapshot: &Snapshot, files: &[&str], text: &str) -> Option<NodeId> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '`');
    let words = text.split(|c: char| !is_part(c));
    let names: Vec<String> = words
        .filter(|word| is_code(word))
        .map(|word| word.trim_matches(['`', '.', ':']).replace("::", "."))
        .collect();
    let mut named: Vec<NodeId> = Vec::new();
    for file in files.iter().filter_map(|file| snapshot.find_file(file)) {
        for node in snapshot.symbols_in(file) {
            let (name, whole) = (snapshot.name(node), qualified_name(snapshot, node));
            if names.iter().any(|word| word == name || *word == whole) {
                named.push(node);
            }
        }
    }
    match named.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

/// Whether a word is written as code is: in backticks, with an underscore, a dot inside or a hump.
pub(crate) fn is_code(word: &str) -> bool {
    let inner = word.trim_matches(['`', '.', ':']);
    let is_quoted = word.starts_with('`') && word.ends_with('`');
    let has_mark = inner.contains(['_', '.']) || inner.contains("::");
    let has_hump = inner
        .chars()
        .zip(inner.chars().skip(1))
        .any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    inner.len() > 1 && (is_quoted || has_mark || has_hump)
}

/// The path of the file around a node.
pub(crate) fn file_of(snapshot: &Snapshot, node: NodeId) -> &str {
    snapshot.path(snapshot.file_of(node))
}

/// `Outer.inner`; nothing for a file.
pub(crate) fn name_of(snapshot: &Snapshot, node: NodeId) -> Option<String> {
    (!snapshot.is_file(node)).then(|| qualified_name(snapshot, node))
}
