//! Memories about the files at hand and about what stands beside them: imported, calling, changed together.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;

use crate::endings::is_file;
use crate::lane::{Lane, Ranked};
use crate::named::Named;

/// What a file has to do with those at hand.
#[derive(Clone, Debug, PartialEq)]
pub enum Tie {
    /// The question calls it so.
    Named(ProjectPath),
    /// It is one of them.
    Same,
    /// It changes with this one, in such a share of cases.
    Together(ProjectPath, f64),
    /// It is one step from one of them in the code.
    Linked,
}

impl Tie {
    /// How much a memory about the file has to do with the files at hand; 1 is about one of them.
    fn strength(&self) -> f64 {
        match self {
            Self::Named(_) | Self::Same => 1.0,
            Self::Together(_, share) => 0.3 + 0.5 * share.clamp(0.0, 1.0),
            Self::Linked => 0.4,
        }
    }
}

/// Why a memory is in the lane: its file, and what that has to do with those at hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    pub file: ProjectPath,
    pub tie: Tie,
}

impl Beside {
    /// What the question calls the file, where it names it.
    pub fn name(&self) -> Option<&ProjectPath> {
        match &self.tie {
            Tie::Named(name) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = &self.file;
        match &self.tie {
            Tie::Named(_) => write!(f, "about {file}, which is named"),
            Tie::Same => write!(f, "about {file}, which is at hand"),
            Tie::Together(other, share) => write!(
                f,
                "about {file}, which changes with {other} in {:.0} %",
                share * 100.0
            ),
            Tie::Linked => write!(f, "about {file}, one step from the files at hand"),
        }
    }
}

/// Every file at hand and beside it, each with its strongest tie.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surrounding {
    ties: BTreeMap<ProjectPath, Tie>,
}

impl Surrounding {
    /// `linked` are one step away in the code; `together` are pairs of a file at hand and one that changes with it, and in which share of cases.
    pub fn of(
        named: &Named,
        at_hand: &BTreeSet<ProjectPath>,
        linked: BTreeSet<ProjectPath>,
        together: Vec<(ProjectPath, ProjectPath, f64)>,
    ) -> Self {
        let mut surrounding = Self::default();
        for (file, name) in named.iter() {
            surrounding.add(file.clone(), Tie::Named(name.clone()));
        }
        for file in at_hand {
            surrounding.add(file.clone(), Tie::Same);
        }
        for (from, to, share) in together {
            surrounding.add(to, Tie::Together(from, share));
        }
        for file in linked {
            surrounding.add(file, Tie::Linked);
        }
        surrounding
    }

    fn add(&mut self, file: ProjectPath, tie: Tie) {
        let known = self.ties.get(&file).map_or(0.0, Tie::strength);
        if tie.strength() > known {
            self.ties.insert(file, tie);
        }
    }

    /// Look up the memories about these.
    pub fn files(&self) -> Vec<ProjectPath> {
        self.ties.keys().cloned().collect()
    }

    /// The files that are named.
    pub fn named(&self) -> Vec<ProjectPath> {
        let named = self.ties.iter();
        let named = named.filter(|(_, tie)| matches!(tie, Tie::Named(_)));
        named.map(|(file, _)| file.clone()).collect()
    }

    /// The tie that brings a memory here, if any. What holds from another file than the one that is named is not meant by the name.
    pub fn why(&self, memory: &Memory) -> Option<Beside> {
        let ties = memory.files.iter().filter_map(|file| {
            let mut tie = self.ties.get(file)?.clone();
            if matches!(tie, Tie::Named(_)) && !memory.holds_from(file) {
                tie = Tie::Same;
            }
            let file = file.clone();
            Some(Beside { file, tie })
        });
        let rank = |beside: &Beside| (beside.tie.strength(), beside.name().is_some());
        ties.max_by(|a, b| {
            let ((one, is_named), (other, is_other)) = (rank(a), rank(b));
            one.total_cmp(&other).then(is_named.cmp(&is_other))
        })
    }

    /// How strong the strongest tie to these files is, if there is any.
    pub fn strength(&self, files: &BTreeSet<ProjectPath>) -> Option<f64> {
        let ties = files.iter().filter_map(|file| self.ties.get(file));
        ties.map(Tie::strength).max_by(f64::total_cmp)
    }

    /// The lane of those memories that are about one of the files.
    pub fn rank<'m>(&self, memories: impl Iterator<Item = &'m Memory>) -> Ranked<MemoryId> {
        let score = |memory: &Memory| Some((memory.id, self.strength(&memory.files)?));
        Ranked::new(Lane::Graph, memories.filter_map(score))
    }
}

/// The files that a question may name, by a path or by a name with an ending.
pub fn named_files(question: &str) -> BTreeSet<ProjectPath> {
    question
        .split(|c: char| c.is_whitespace() || "`'\"()[]<>,;".contains(c))
        .map(|word| word.trim_end_matches(['.', '?', '!', ':']))
        .map(|word| {
            // `src/main.rs:12` is about the file.
            let (path, line) = word.split_once(':').unwrap_or((word, ""));
            let is_place = line
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b':');
            if is_place { path } else { word }
        })
        .filter(|word| !word.contains("://") && is_file(word))
        .filter_map(|word| ProjectPath::new(word).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use oldhand_domain::payload::BuiltInType;
    use oldhand_testkit::memory;

    use super::*;

    fn path(text: &str) -> ProjectPath {
        ProjectPath::new(text).unwrap()
    }

    fn about(number: u32, file: &str) -> Memory {
        let mut memory = memory(number, BuiltInType::Gotcha, "Mind the order.");
        memory.files.insert(path(file));
        memory
    }

    #[test]
    fn the_nearer_the_file_the_higher_its_memory() {
        let surrounding = Surrounding::of(
            &Named::default(),
            &BTreeSet::from([path("src/a.rs")]),
            BTreeSet::from([path("src/b.rs"), path("src/c.rs")]),
            vec![(path("src/a.rs"), path("src/c.rs"), 0.7)],
        );
        let all = [
            about(1, "src/b.rs"),
            about(2, "src/far.rs"),
            about(3, "src/a.rs"),
            about(4, "src/c.rs"),
        ];
        let ranked = surrounding.rank(all.iter());
        let order: Vec<MemoryId> = ranked.hits.iter().map(|hit| hit.key).collect();
        assert_eq!(order, [all[2].id, all[3].id, all[0].id]);
        let why = |at: usize| surrounding.why(&all[at]).map(|why| why.to_string());
        insta::assert_snapshot!(
            [why(0), why(1), why(2), why(3)].map(Option::unwrap_or_default).join("\n"),
            @r"
        about src/b.rs, one step from the files at hand

        about src/a.rs, which is at hand
        about src/c.rs, which changes with src/a.rs in 70 %
        "
        );
        assert_eq!(
            surrounding.files(),
            ["src/a.rs", "src/b.rs", "src/c.rs"].map(path)
        );
    }

    #[test]
    fn what_is_named_goes_before_what_is_at_hand() {
        let (walk, order) = (path("src/walk.rs"), path("src/a.rs"));
        let called = [(path("walk.rs"), BTreeSet::from([walk.clone()]))];
        let named = Named::new(BTreeSet::from([path("walk.rs")]), &called.into());
        let at_hand = BTreeSet::from([order.clone()]);
        let surrounding = Surrounding::of(&named, &at_hand, BTreeSet::new(), Vec::new());
        assert_eq!(surrounding.named(), std::slice::from_ref(&walk));
        let mut both = about(1, "src/walk.rs");
        both.files.insert(order);
        let why = surrounding.why(&both).unwrap();
        assert_eq!(why.to_string(), "about src/walk.rs, which is named");
        assert_eq!(why.name(), Some(&path("walk.rs")));
        both.impacted_nodes.insert(walk.to_string());
        let why = surrounding.why(&both).unwrap();
        assert_eq!(why.name(), None, "it holds from the other");
    }

    #[test]
    fn a_question_may_name_files_by_path_and_by_name() {
        let named = |question: &str| -> Vec<String> {
            let files = named_files(question).into_iter();
            files.map(|file| file.to_string()).collect()
        };
        assert_eq!(
            named("why does `src/db/pool.rs:12` (and web/app.ts) time out?"),
            ["src/db/pool.rs", "web/app.ts"]
        );
        assert_eq!(
            named("walk.rs, Cargo.toml: main.c:7 and .gitignore."),
            [".gitignore", "Cargo.toml", "main.c", "walk.rs"]
        );
        for none in [
            "",
            "see https://host/a/b",
            "../up/here",
            "/etc/passwd",
            "main",
            "e.g. this, i.e. that at 3.5 or v1.2...",
            "mail me@host",
            "Node.js and/or I/O of config.load",
        ] {
            assert_eq!(named(none), Vec::<String>::new(), "{none}");
        }
    }
}
