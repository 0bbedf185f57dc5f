//! What the tree of today says of folders that sessions missed, of what stops checks and lies where git ignores it, and of documents
//! that still name what is missing.

use std::collections::BTreeSet;

use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::Tree;
use oldhand_observe::distill::{Candidate, Wording, may_say, missing, missing_and_meant};
use oldhand_observe::learn::{SessionFacts, missing_folder};
use oldhand_observe::paths::{file_name, is_prose, is_rules_file};
use oldhand_observe::promote::Dropped;

use super::Finalizer;

/// The end of a path that a document may name it by has so many steps: shorter ones are ends of others, too.
const STEPS: usize = 3;

impl Finalizer<'_> {
    /// Adds what the tree of today bears out of the places that a session missed or was stopped at, once for all files in a folder.
    pub(super) fn tell_places(&self, candidates: &mut Vec<Candidate>, facts: &SessionFacts) {
        let Some(tree) = self.tree else { return };
        for told in self.missing_folders(tree, facts) {
            for candidate in candidates.iter_mut() {
                if told.covers.contains(&candidate.key) {
                    candidate.refuse(Dropped::ToldAlready);
                }
            }
            candidates.push(told);
        }
        let ignored = facts.left.iter().filter_map(|fact| {
            let ignored = tree.ignored_at(fact.folder.as_str())?;
            ProjectPath::new(&ignored).ok()
        });
        for folder in ignored.collect::<BTreeSet<_>>() {
            if let Some(mut told) = self.across.knowledge.leftover(&folder) {
                let own = facts.left.iter();
                let own = own.filter(|fact| fact.folder.is_at_or_below(&folder));
                told.evidence = own.map(|fact| fact.step).collect();
                candidates.push(told);
            }
        }
        for candidate in candidates.iter_mut() {
            if candidate.is_fit() && is_of_folder(candidate, tree) {
                candidate.refuse(Dropped::Past);
            }
        }
        name_documents(candidates, tree);
    }

    fn missing_folders(&self, tree: &dyn Tree, facts: &SessionFacts) -> Vec<Candidate> {
        let is_there = |path: &ProjectPath| self.size.is_some_and(|size| size(path).is_some());
        let missed = facts.missed.iter().filter_map(|fact| {
            // The uppermost one that is not there.
            let way = std::iter::once(fact.path.clone()).chain(fact.path.folders());
            way.take_while(|path| !is_there(path)).last()
        });
        let folders: BTreeSet<ProjectPath> = missed.collect();
        let told = folders.into_iter().filter_map(|folder| {
            if tree.ignored_at(folder.as_str()).is_some() {
                return None;
            }
            let mut told = self.across.knowledge.missing_folder(&folder, &is_there)?;
            let own = facts.missed.iter();
            let own = own.filter(|fact| fact.path.is_at_or_below(&folder));
            told.evidence = own.map(|fact| fact.step).collect();
            Some(told)
        });
        told.collect()
    }
}

/// Whether what is told as the file that was meant is a folder today: reading that fails as well.
fn is_of_folder(candidate: &Candidate, tree: &dyn Tree) -> bool {
    let meant = missing_and_meant(candidate.content.as_str());
    meant.is_some_and(|(_, meant)| tree.has_folder(meant))
}

/// Which documents are asked, those that are written for agents first.
const KINDS: [fn(&str) -> bool; 2] = [is_rules_file, is_told_to_people];

/// A candidate that says what is missing, with the place that names it first.
struct Missed<'c> {
    candidate: &'c mut Candidate,
    path: String,
    /// Which of its names stands there, in which kind of document, and where.
    place: Option<(usize, usize, String)>,
}

/// Says which document of today still names what is missing; each document is read once, whatever is missing.
fn name_documents(candidates: &mut [Candidate], tree: &dyn Tree) {
    let fit = candidates.iter_mut().filter(|candidate| candidate.is_fit());
    let missed = fit.filter_map(|candidate| {
        let content = candidate.content.as_str();
        let path = missing_folder(content).or_else(|| missing(content))?;
        Some(Missed {
            path: path.to_owned(),
            place: None,
            candidate,
        })
    });
    let mut missed: Vec<Missed<'_>> = missed.collect();
    if missed.is_empty() {
        return;
    }
    let kind_of = |file: &str| KINDS.iter().position(|is_kind| is_kind(file));
    tree.read_each(&|file| kind_of(file).is_some(), &mut |file, text| {
        if let Some(kind) = kind_of(file) {
            for missed in &mut missed {
                missed.look_into(file, kind, text);
            }
        }
    });
    for missed in missed {
        missed.say();
    }
}

impl Missed<'_> {
    /// The longest name counts, and for agents before for people; of several documents the first.
    fn look_into(&mut self, file: &str, kind: usize, text: &str) {
        let known = self.place.as_ref().map(|(name, kind, _)| (*name, *kind));
        let found = names_of(&self.path).enumerate().find_map(|(at, name)| {
            let is_better = known.is_none_or(|known| (at, kind) < known);
            let line = is_better.then(|| line_with(text, name, &self.path))??;
            Some((at, kind, format!("{file}:{line}")))
        });
        self.place = found.or_else(|| self.place.take());
    }

    fn say(self) {
        let Some((at, _, place)) = &self.place else {
            return;
        };
        let named = match names_of(&self.path).nth(*at) {
            Some(end) if *at > 0 => format!("`{end}`"),
            _ => "it".to_owned(),
        };
        let content = self.candidate.content.as_str();
        let wording = Wording {
            payload: self.candidate.payload.clone(),
            content: format!("{content} `{place}` still names {named}."),
            summary: self.candidate.summary.as_str().to_owned(),
        };
        self.candidate.reword(&wording);
    }
}

/// The path, and the ends of it that are long enough to be its own.
fn names_of(path: &str) -> impl Iterator<Item = &str> {
    std::iter::once(path).chain(long_ends(path))
}

/// The ends of a path that are long enough to be its own.
fn long_ends(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    ends.filter(|end| end.split('/').count() >= STEPS)
}

/// Whether a document says to people how the project is made.
fn is_told_to_people(file: &str) -> bool {
    let name = file_name(file).to_ascii_lowercase();
    let is_first = name.starts_with("readme") || name.starts_with("contributing");
    let is_kept = is_first || file.split('/').any(|step| step == "docs" || step == "doc");
    is_kept && is_prose(file) && may_say(file)
}

/// The first line that names a path: the whole of it, or its end alone between backticks.
fn line_with(text: &str, name: &str, path: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let is_named = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let mut rest = line[at + name.len()..].trim_start_matches('/').chars();
            let ends = match rest.next() {
                Some('.') => !rest.next().is_some_and(is_part),
                next => !next.is_some_and(|c| c != '/' && is_part(c)),
            };
            let is_below = line[at + name.len()..].starts_with('/');
            let begins = !before.is_some_and(is_part);
            if name == path {
                begins && (ends || is_below)
            } else {
                before == Some('`')
                    && line[at + name.len()..]
                        .trim_start_matches('/')
                        .starts_with('`')
            }
        })
    };
    let at = text.lines().position(is_named)?;
    Some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_names_a_path_literally() {
        const PATH: &str = "cmd/app/cli/commands";
        for (text, name, expected) in [
            (
                "# Commands\n\n`cmd/app/cli/commands`: all of them",
                PATH,
                Some(3),
            ),
            ("See cmd/app/cli/commands.", PATH, Some(1)),
            ("See cmd/app/cli/commands/run.go", PATH, Some(1)),
            ("See cmd/app/cli/commands.go", PATH, None),
            ("See cmd/app/cli/commands_old", PATH, None),
            ("See x/cmd/app/cli/commands", PATH, None),
            ("- `app/cli/commands/`: all", "app/cli/commands", Some(1)),
            ("- app/cli/commands: all", "app/cli/commands", None),
            ("- `web/app/cli/commands`", "app/cli/commands", None),
            ("- `app/cli/commands/run.go`", "app/cli/commands", None),
        ] {
            assert_eq!(line_with(text, name, PATH), expected, "{text}");
        }
        let ends: Vec<&str> = long_ends(PATH).collect();
        assert_eq!(ends, ["app/cli/commands"]);
    }

    #[test]
    fn what_tells_of_changes_or_is_no_document_is_not_asked() {
        for (file, expected) in [
            ("README.md", true),
            ("web/README.md", true),
            ("docs/usage.md", true),
            ("CONTRIBUTING.md", true),
            ("docs/changelog.md", false),
            ("plan.md", false),
            ("docs/site.ts", false),
        ] {
            assert_eq!(is_told_to_people(file), expected, "{file}");
        }
    }
}
