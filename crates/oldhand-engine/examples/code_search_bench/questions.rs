//! Functions with documentation, as questions: the documentation is taken out of the code and its first sentence asked with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;
use std::path::Path;

use oldhand_code::chunk::Chunk;
use oldhand_code::facts::SymbolKind;
use oldhand_code::index::Index;
use oldhand_code::snapshot::Symbol;

/// What is asked, and where its answer is once the documentation is gone.
pub(crate) struct Question {
    pub(crate) text: String,
    path: String,
    name: String,
    first: u32,
    last: u32,
}

impl Question {
    /// Whether a piece holds the function, or is a part of it.
    pub(crate) fn is_answered_by(&self, chunk: &Chunk) -> bool {
        let holds = chunk.first_line <= self.first && chunk.last_line >= self.last;
        let names = chunk.name.rsplit(['.', ':']).next() == Some(&self.name);
        let meets = chunk.first_line <= self.last && chunk.last_line >= self.first;
        chunk.path == self.path && (holds || names && meets)
    }
}

/// Copies what was indexed to `root` without the documentation of functions, and tells up to `most` questions, the same ones every time.
pub(crate) fn take_out(index: &Index, folder: &Path, root: &Path, most: usize) -> Vec<Question> {
    let snapshot = index.snapshot();
    let mut questions = Vec::new();
    for file in snapshot.files() {
        let path = snapshot.path(file);
        let Ok(text) = fs::read_to_string(folder.join(path)) else {
            continue;
        };
        let lines: Vec<&str> = text.lines().collect();
        let mut gone = BTreeSet::new();
        let mut asked = Vec::new();
        for node in snapshot.symbols_in(file) {
            let symbol = snapshot.symbol(node);
            let is_function = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
            let Some(said) = documentation(&lines, &symbol, path).filter(|_| is_function) else {
                continue;
            };
            let wanted = said.clone().map(|at| lines[at as usize - 1]);
            let text = first_sentence(wanted, symbol.name);
            gone.extend(said);
            if symbol.last_line - symbol.first_line >= 3 && !is_aside(path) {
                asked.extend(text.map(|text| {
                    (
                        text,
                        symbol.name.to_owned(),
                        symbol.first_line,
                        symbol.last_line,
                    )
                }));
            }
        }
        let kept: Vec<u32> = (1..=lines.len() as u32)
            .filter(|line| !gone.contains(line))
            .collect();
        let now = |line: u32| kept.partition_point(|kept| *kept < line) as u32 + 1;
        let rest: Vec<&str> = kept.iter().map(|line| lines[*line as usize - 1]).collect();
        let target = root.join(path);
        fs::create_dir_all(target.parent().expect("a file is in a folder"))
            .expect("a folder can be made");
        fs::write(target, rest.join("\n") + "\n").expect("a file can be written");
        questions.extend(asked.into_iter().map(|(text, name, first, last)| Question {
            text,
            path: path.to_owned(),
            name,
            first: now(first),
            last: now(last + 1) - 1,
        }));
    }
    choose(questions, most)
}

/// A sentence that two functions share asks for neither.
fn choose(questions: Vec<Question>, most: usize) -> Vec<Question> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for question in &questions {
        *times.entry(question.text.to_lowercase()).or_default() += 1;
    }
    let mut once: Vec<Question> = questions
        .into_iter()
        .filter(|question| times[&question.text.to_lowercase()] == 1)
        .collect();
    once.sort_by_key(|question| {
        let mut hasher = DefaultHasher::new();
        (&question.path, &question.name, question.first).hash(&mut hasher);
        hasher.finish()
    });
    once.truncate(most);
    once
}

/// Tests, examples and the like are searched, but not asked for.
fn is_aside(path: &str) -> bool {
    let path = path.to_lowercase();
    [
        "test",
        "example",
        "vendor",
        "fixture",
        "mock",
        "playground",
        "bench",
    ]
    .iter()
    .any(|word| path.contains(word))
}

/// The lines of a function's documentation.
fn documentation(lines: &[&str], symbol: &Symbol<'_>, path: &str) -> Option<RangeInclusive<u32>> {
    let line = |at: u32| lines.get(at as usize - 1).map_or("", |line| line.trim());
    if Path::new(path).extension().is_some_and(|end| end == "py") {
        let head = (symbol.first_line..=symbol.last_line).find(|at| line(*at).ends_with(':'))?;
        let first = head + 1;
        let mark = ["\"\"\"", "'''"].into_iter().find(|mark| {
            line(first)
                .trim_start_matches(['r', 'R', 'u'])
                .starts_with(mark)
        })?;
        let opening = line(first).matches(mark).count();
        let last = if opening > 1 {
            first
        } else {
            (first + 1..=symbol.last_line).find(|at| line(*at).contains(mark))?
        };
        // A function of nothing but its documentation stays whole.
        return (last < symbol.last_line).then_some(first..=last);
    }
    let is_said = |at: u32| at > 0 && line(at).starts_with(['/', '*']);
    let mut last = symbol.first_line - 1;
    while last > 0 && (line(last).starts_with("#[") || line(last).starts_with('@')) {
        last -= 1;
    }
    let mut first = last + 1;
    while is_said(first - 1) {
        first -= 1;
    }
    (first <= last).then_some(first..=last)
}

/// The first sentence, without marks and without the function's own name, when it says enough.
fn first_sentence<'a>(lines: impl Iterator<Item = &'a str>, name: &str) -> Option<String> {
    let said: Vec<&str> = lines
        .map(|line| {
            line.trim()
                .trim_start_matches(['/', '*', '!', '"', '\'', ' '])
                .trim_end_matches(['/', '*', '"', '\''])
                .trim()
        })
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty() && !line.starts_with(['@', ':']))
        .collect();
    let said = said.join(" ");
    let end = said
        .match_indices(['.', '!', '?'])
        .find(|(at, _)| said[at + 1..].starts_with(' '))
        .map_or(said.len(), |(at, _)| at);
    let words: Vec<&str> = said[..end]
        .split_whitespace()
        .filter(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_') != name)
        .collect();
    let sentence = words.join(" ");
    (words.len() >= 4 && (20..=300).contains(&sentence.len())).then_some(sentence)
}
