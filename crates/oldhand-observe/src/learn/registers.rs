//! Where a new file has to be entered: a register that is changed when a file of some kind is added, and names nearly all there are.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::confidence::Confidence;
use oldhand_domain::kind::Kind;

use crate::paths;
use crate::promote::cautious_share;

mod named;

pub use named::{Named, is_row};

/// A kind of file and the register it is entered in, with what commits and the register show of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    pub kind: Kind,
    pub path: String,
    /// The commits that added one, and those of them that changed the register.
    pub added: u32,
    pub changed: u32,
    /// The files of the kind that are there, and those that the register names.
    pub files: BTreeSet<String>,
    pub named: u32,
}

/// Fewer files may be named by chance.
const LEAST_NAMED: u32 = 5;
/// As many registers are told of one kind, and of a whole project.
const OF_KIND: usize = 3;
const OF_PROJECT: usize = 12;

const BEGINS: &str = "A new file like `";
const ENTERED: &str = "` is entered in `";

impl Register {
    /// Whether the register is one by what it says: it names two thirds of the files. Files of several folders are a kind where not most lie
    /// in one.
    pub fn holds(&self) -> bool {
        let there = self.files.len() as u32;
        self.named >= LEAST_NAMED && 3 * self.named >= 2 * there && !self.is_of_one_folder()
    }

    fn is_of_one_folder(&self) -> bool {
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        for file in &self.files {
            let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
            *folders.entry(folder).or_default() += 1;
        }
        let most = folders.into_values().max().unwrap_or_default();
        self.kind.is_deep() && 2 * most > self.files.len()
    }

    pub fn summary(&self) -> String {
        format!("{BEGINS}{}{ENTERED}{}`", self.kind, self.path)
    }

    pub fn content(&self) -> String {
        let Self {
            added,
            changed,
            named,
            ..
        } = self;
        let commits = if changed == added {
            format!("all {added} commits that added one changed it")
        } else {
            format!("{changed} of the {added} commits that added one changed it")
        };
        let there = self.files.len();
        let names = if *named as usize == there {
            format!("it names all {there} there are")
        } else {
            format!("it names {named} of the {there} there are")
        };
        format!(
            "{}: {commits} (at most 30 files each), and {names}.",
            self.summary()
        )
    }

    /// Commits and what the register says are one proof, seen from its cautious end.
    pub fn confidence(&self) -> Confidence {
        const SUREST: f64 = 0.95;
        let share = cautious_share(
            self.changed + self.named,
            self.added + self.files.len() as u32,
        );
        Confidence::clamped(share.min(SUREST))
    }

    /// How well both prove it, so that of kinds that share files the fitting one is told.
    fn worth(&self) -> f64 {
        cautious_share(self.changed, self.added)
            * cautious_share(self.named, self.files.len() as u32)
    }
}

/// The kind and the register that a statement is about.
pub fn entered_in(content: &str) -> Option<(Kind, &str)> {
    let (kind, rest) = content.strip_prefix(BEGINS)?.split_once(ENTERED)?;
    let (path, _) = rest.split_once('`')?;
    Some((Kind::new(kind)?, path))
}

/// Of kinds that share files the one that is entered best in a register, the surest first, and not endlessly many.
pub fn choose(mut found: Vec<Register>) -> Vec<Register> {
    found.sort_by(|a, b| {
        // The narrower of two that are as good.
        let letters = |one: &Register| one.kind.name().len();
        let by_worth = b.worth().total_cmp(&a.worth());
        by_worth
            .then_with(|| a.files.len().cmp(&b.files.len()))
            .then_with(|| letters(b).cmp(&letters(a)))
            .then_with(|| (&a.path, &a.kind).cmp(&(&b.path, &b.kind)))
    });
    let mut told: Vec<Register> = Vec::new();
    for one in found {
        let overlaps = |other: &Register| {
            other.path == one.path
                && (!other.files.is_disjoint(&one.files)
                    // One folder is entered once, whichever of its files stands for it.
                    || one.kind.is_deep() && other.kind.is_deep() && other.kind.folder() == one.kind.folder())
        };
        let of_kind = told.iter().filter(|other| other.kind == one.kind).count();
        if told.len() < OF_PROJECT && of_kind < OF_KIND && !told.iter().any(overlaps) {
            told.push(one);
        }
    }
    told
}

/// Whether a file may be a register of such files, by where it lies and what it is called: not what a language, a compiler or a program
/// demands or writes, not a list of what changed, not a plan of agents, and nothing that gathers a folder.
pub fn may_be_register(kind: &Kind, path: &str) -> bool {
    const CHANGES: [&str; 7] = [
        "changelog",
        "changes",
        "history",
        "news",
        "todo",
        "roadmap",
        "releases",
    ];
    const DEMANDED: [&str; 4] = ["cargo.toml", "go.mod", "go.work", "codeowners"];
    const OF_TOOLS: [&str; 8] = [
        ".pbxproj",
        ".sln",
        ".slnx",
        ".csproj",
        ".vbproj",
        ".iml",
        ".xcworkspacedata",
        ".svg",
    ];
    let name = paths::file_name(path).to_lowercase();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let gathers = paths::is_entry(path) && folder == kind.folder();
    !gathers
        && !paths::is_written_by_program(path)
        && !is_plan(path)
        && !CHANGES.contains(&paths::stem(&name))
        && !DEMANDED.contains(&name.as_str())
        && !OF_TOOLS.iter().any(|end| name.ends_with(end))
}

/// Whether files of a kind are entered anywhere: pictures are used, not entered, and what agents plan has a place by itself.
pub fn may_be_entered(file: &str) -> bool {
    const USED: [&str; 14] = [
        ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".mp4", ".mp3", ".wav", ".woff",
        ".woff2", ".ttf", ".pdf",
    ];
    let name = file.to_lowercase();
    !USED.iter().any(|end| name.ends_with(end))
        && !paths::is_written_by_program(file)
        && !is_plan(file)
}

/// Prose in a hidden folder or in one of agents: whoever has them written says where they are entered.
fn is_plan(path: &str) -> bool {
    let hidden = path
        .split('/')
        .rev()
        .skip(1)
        .any(|step| step.starts_with('.'));
    let is_vitepress = path.contains(".vitepress/") || path.contains(".vuepress/");
    let is_workflow = paths::is_for_agents(path) && path.contains("_bmad");
    is_workflow || paths::is_prose(path) && hidden && !is_vitepress
}

#[cfg(test)]
mod tests;
