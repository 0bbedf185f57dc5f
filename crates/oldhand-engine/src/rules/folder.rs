//! Rules files of a folder: what they say holds there, and nowhere else.

use std::collections::BTreeSet;

use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType};
use oldhand_domain::text::Tag;
use oldhand_domain::vocabulary::Scope;

use super::{KNOWN_FILES, Rule, Turn, file_of};

/// The files that clients look for in every folder.
pub const FOLDER_FILES: &[&str] = &["CLAUDE.md", "AGENTS.md", "GEMINI.md"];
/// Folders that hold what others wrote, what shows how something is used, or what programs are tried with or filled from: rules files in them
/// are no rules of the project.
pub const NOT_ITS_OWN: &[&str] = &[
    "__fixtures__",
    "__snapshots__",
    "example",
    "examples",
    "external",
    "fixtures",
    "snapshots",
    "template",
    "templates",
    "testdata",
    "test_data",
    "third-party",
];

/// The folder that the rules of a file are about, where it is not the whole project.
pub fn folder_of_file(file: &ProjectPath) -> Option<ProjectPath> {
    let is_of_folder = FOLDER_FILES.contains(&file.name()) && !KNOWN_FILES.contains(&file.as_str());
    file.folder().filter(|_| is_of_folder)
}

/// The folder that a memory of a rules file is about.
pub fn folder_of(memory: &Memory) -> Option<ProjectPath> {
    let file = file_of(memory).filter(|_| memory.scope == Scope::Module)?;
    folder_of_file(&ProjectPath::new(file).ok()?)
}

/// Whether a memory holds where the rules of a file do: in its folder, or everywhere.
pub fn holds_where(memory: &Memory, file: &ProjectPath) -> bool {
    match folder_of_file(file) {
        Some(folder) => memory.scope == Scope::Module && memory.files.contains(&folder),
        None => folder_of(memory).is_none(),
    }
}

/// The tags by which rules of folders are found.
pub(crate) fn folder_tags() -> Vec<Tag> {
    let tags = FOLDER_FILES.iter().map(|name| Tag::new(name));
    tags.filter_map(Result::ok).collect()
}

/// How many rules of folders are told beside a file.
const MOST: usize = 5;

/// Of the rules of the folders around a file those that bind most: what is known of the nearest folder, what names the file, what is
/// required and warned of come first. They are the same at every file of a folder, so that they are told once.
pub(crate) fn binding(rules: Vec<Memory>, file: &ProjectPath) -> Vec<Memory> {
    let around: Vec<ProjectPath> = file.folders().collect();
    let place = |memory: &Memory| {
        folder_of(memory)?;
        // What two folders say in the same words is one memory about both.
        let distance = around.iter().position(|one| memory.files.contains(one))?;
        let weight = weight(memory)?;
        let names_others = !memory.files.contains(file);
        Some((distance, names_others, weight, Turn::of(memory)))
    };
    let mut placed: Vec<_> = rules
        .into_iter()
        .filter_map(|memory| Some((place(&memory)?, memory)))
        .collect();
    placed.sort_by_key(|(place, _)| *place);
    let rules = placed.into_iter().map(|(_, memory)| memory);
    rules.take(MOST).collect()
}

/// What is only told about a folder is for those who ask.
fn weight(memory: &Memory) -> Option<usize> {
    const BINDING: &[BuiltInType] = &[
        BuiltInType::Requirement,
        BuiltInType::Gotcha,
        BuiltInType::ErrorPattern,
        BuiltInType::Decision,
        BuiltInType::Preference,
        BuiltInType::Pattern,
    ];
    let is_it = |one: &BuiltInType| memory.memory_type() == MemoryType::BuiltIn(*one);
    BINDING.iter().position(is_it)
}

impl Rule {
    /// Ties a rule to the folder of its file: paths are meant from there, where they lead somewhere, and the rule is about the folder. Other
    /// folders that it names are not where it holds.
    pub fn hold_in(
        &mut self,
        folder: &ProjectPath,
        exists: impl Fn(&ProjectPath) -> bool,
        is_file: impl Fn(&ProjectPath) -> bool,
    ) {
        let from_there = |path: &ProjectPath| {
            let inner = ProjectPath::new(&format!("{folder}/{path}")).ok();
            inner.filter(|inner| exists(inner))
        };
        let paths = self.paths.iter();
        let paths = paths.map(|path| from_there(path).unwrap_or_else(|| path.clone()));
        let own = paths.filter(|path| path.is_at_or_below(folder) || is_file(path));
        let mut paths: BTreeSet<ProjectPath> = own.collect();
        paths.insert(folder.clone());
        self.paths = paths;
    }
}
