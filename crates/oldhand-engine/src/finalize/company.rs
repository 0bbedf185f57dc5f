//! What git's history and all sessions saw of files that a session shows together, told once of all that change together.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::port::MemoryReader;
use oldhand_domain::vocabulary::Source;
use oldhand_observe::distill::{Candidate, Company, Frequency, Group, SeenBy, Together, Which};
use oldhand_observe::learn::Knowledge;
use oldhand_observe::paths;
use oldhand_observe::promote::Dropped;

use super::Finalizer;
use super::prior::PAIR;
use crate::EngineError;

/// A statement that files change together: what it is told as, and the files.
type Statement = (String, BTreeSet<ProjectPath>);

/// Files of different parts must be edited together in so many sessions, where git does not bear it out.
const FAR_APART: u32 = 5;
/// Who has a file in hand is told of so many others that it leads to.
const MOST_LEADS: usize = 2;
/// Two files of the same size are one under two names, unless they are as small as this.
const TELLING_SIZE: u64 = 64;
/// How the key of more than two files begins.
const GROUP: &str = "group:";

impl Finalizer<'_> {
    /// Weighs every two files that a session shows by what commits and sessions saw of them, and says it of all that change
    /// with them. Git knew files that change together before any session did: one session is enough where it bears that out.
    pub(super) fn ask_company(
        &self,
        candidates: &mut [Candidate],
        frequency: &mut Frequency,
    ) -> Result<(), EngineError> {
        let mut weighed = Vec::new();
        for (at, candidate) in candidates.iter_mut().enumerate() {
            let Some((a, b)) = candidate.pair() else {
                continue;
            };
            let pair = (a.clone(), b.clone());
            // Whether a compiler asks for both is looked up last: it parses files.
            let holds = self.weigh_pair(candidate, &pair, frequency);
            if holds && self.is_compelled(&pair.0, &pair.1) {
                candidate.contradict(Dropped::Compelled);
            } else if holds {
                weighed.push((at, pair));
            }
        }
        if weighed.is_empty() {
            return Ok(());
        }
        // Of what follows from each other the surest is told.
        weighed.sort_by_key(|(_, (a, b))| {
            let git = self.company.and_then(|git| git.together(a, b));
            let git = git.filter(|git| git.bears_out());
            std::cmp::Reverse(git.map_or(0, |git| git.both))
        });
        let mut told = self.told_groups()?;
        let shown = weighed
            .iter()
            .map(|(_, (a, b))| BTreeSet::from([a.clone(), b.clone()]));
        let shown: Vec<BTreeSet<ProjectPath>> = told
            .iter()
            .map(|(_, files)| files.clone())
            .chain(shown)
            .collect();
        for (at, pair) in &weighed {
            let candidate = &mut candidates[*at];
            // A test goes with all that goes with what it tests.
            if shown.iter().any(|files| is_by_tests(pair, files)) {
                candidate.contradict(Dropped::NamesSayIt);
            } else if self.leads_to(pair, &told) >= MOST_LEADS {
                candidate.contradict(Dropped::Hub { pairs: MOST_LEADS });
            } else {
                self.tell_group(candidate, pair, &mut told);
            }
        }
        Ok(())
    }

    /// To how many others the rarer of two files is told to lead. What changes with many is changed by sweeps over them all.
    fn leads_to(&self, (a, b): &(ProjectPath, ProjectPath), told: &[Statement]) -> usize {
        let Some(from) = self.rarer_of(a, b) else {
            return 0;
        };
        let leads = |files: &&BTreeSet<ProjectPath>| {
            let other = files.iter().find(|file| **file != from);
            let of_two = files.len() == 2 && files.contains(&from);
            let is_same = files.contains(a) && files.contains(b);
            of_two
                && !is_same
                && other.is_some_and(|other| self.rarer_of(&from, other).as_ref() == Some(&from))
        };
        told.iter().map(|(_, files)| files).filter(leads).count()
    }

    /// Which of two files leads to the other and not the other to it, by what git saw.
    fn rarer_of(&self, a: &ProjectPath, b: &ProjectPath) -> Option<ProjectPath> {
        let seen = self.company?.together(a, b)?;
        let rarer = match seen.rarer_is {
            Which::First => a,
            Which::Second => b,
        };
        (!seen.holds_both_ways()).then(|| rarer.clone())
    }

    /// Whether two files are more than chance; says what git says of them, too.
    fn weigh_pair(
        &self,
        candidate: &mut Candidate,
        (a, b): &(ProjectPath, ProjectPath),
        frequency: &mut Frequency,
    ) -> bool {
        let git = self.company.and_then(|git| git.together(a, b));
        let one = self.are_one_file(a, b).then_some(Dropped::OneFile);
        let against = || git.and_then(Together::against);
        // Commits that are mostly about one thing leave its twin for another day.
        let are_twins = paths::are_twins(a.as_str(), b.as_str());
        let outweighs = || {
            let git = git.filter(|_| !are_twins)?;
            git.outweighs().filter(|_| !git.bears_out())
        };
        if let Some(why) = one.or_else(against).or_else(outweighs) {
            candidate.contradict(why);
            return false;
        }
        let git = git.filter(|_| candidate.edited);
        if let Some(git) = git {
            frequency.together.insert(candidate.key.clone(), git);
        }
        if let Some(git) = git.filter(|git| git.bears_out()) {
            candidate.cite(git, sessions_of(candidate, frequency));
            return !drop_turned(candidate);
        }
        let known = &self.across.knowledge;
        let edited = known.together(a, b).filter(|seen| seen.both >= 2);
        let seen = edited.or_else(|| known.used_together(a, b));
        let seen = seen.unwrap_or_default();
        if !seen.agrees() && !git.is_some_and(Together::agrees) {
            candidate.doubt(seen);
            return false;
        }
        // Two or three sessions of one kind of work join what they happen to need. Enough commits that bear nothing out are no help.
        let often = [edited, git.filter(|git| are_twins || !git.is_known())];
        if !often.into_iter().flatten().any(Together::is_often) {
            candidate.contradict(Dropped::SeldomChanged {
                seen: edited.unwrap_or_default().both,
                needed: Together::OFTEN,
            });
            return false;
        }
        // Few sessions that build a thing from end to end join its ends.
        let sessions = sessions_of(candidate, frequency);
        if sessions < FAR_APART && !paths::is_near(a.as_str(), b.as_str()) {
            candidate.contradict(Dropped::FarApart {
                seen: sessions,
                needed: FAR_APART,
            });
            return false;
        }
        if let Some(edited) = edited {
            candidate.turn(edited, git);
        }
        !drop_turned(candidate)
    }

    /// Whether two files say the same: a link, or a copy that a tool makes. Siblings from one template only have one size.
    fn are_one_file(&self, a: &ProjectPath, b: &ProjectPath) -> bool {
        let (Some(size), Some(tree)) = (self.size, self.tree) else {
            return false;
        };
        let bytes = size(a);
        bytes.is_some_and(|bytes| bytes >= TELLING_SIZE)
            && bytes == size(b)
            && tree
                .text_of(a.as_str())
                .is_some_and(|text| tree.text_of(b.as_str()) == Some(text))
    }

    /// Says it of all files that change with the two, as git saw it or else the sessions. What such a statement covers is told by it.
    fn tell_group(
        &self,
        candidate: &mut Candidate,
        (a, b): &(ProjectPath, ProjectPath),
        told: &mut Vec<Statement>,
    ) {
        let covers = |files: &BTreeSet<ProjectPath>| files.contains(a) && files.contains(b);
        let known = told
            .iter()
            .find(|(_, files)| files.len() > 2 && covers(files));
        let known = known.map(|(_, files)| files.clone());
        let sessions = Agreed {
            sessions: &self.across.knowledge,
            git: self.company,
        };
        let found = [
            (self.company, SeenBy::Commits),
            (Some(&sessions as &dyn Company), SeenBy::Sessions),
        ];
        let found = found.into_iter().filter(|_| candidate.edited);
        let group = found
            .filter_map(|(company, by)| Some((company?, by)))
            .find_map(|(company, by)| Some((Group::around(company, (a, b), known.as_ref())?, by)));
        let Some((mut group, by)) = group else {
            let git = self.company.and_then(|git| git.together(a, b));
            let pages = paths::are_pages_of_one_folder(a.as_str(), b.as_str());
            if let Some(why) = git.filter(|_| pages).and_then(Together::swept) {
                candidate.contradict(why);
                return;
            }
            let bears_out = candidate.edited && self.bears_out(a, b);
            if known.is_some() && !bears_out || self.follows((a, b), told, &sessions) {
                candidate.contradict(Dropped::ToldAlready);
                return;
            }
            // A group that does not hold any more gives way to the surest of its pairs.
            let pair = BTreeSet::from([a.clone(), b.clone()]);
            let place = told
                .iter_mut()
                .find(|(_, files)| *files == pair || Some(files) == known.as_ref());
            if let Some((key, files)) = place {
                candidate.replace(key.clone());
                *files = pair;
            } else {
                told.push((candidate.told_as(), pair));
            }
            return;
        };
        // Two groups that share files are one, or the one that was told first.
        let other = told.iter().find(|(_, files)| {
            let shared = files.intersection(&group.files).count();
            files.len() > 2 && shared >= 2 && !files.is_subset(&group.files)
        });
        if let Some((_, files)) = other {
            let company = match by {
                SeenBy::Commits => self.company,
                SeenBy::Sessions => Some(&sessions as &dyn Company),
            };
            let whole = files.union(&group.files).cloned().collect();
            let Some(whole) = company.and_then(|company| Group::of(company, whole)) else {
                candidate.contradict(Dropped::ToldAlready);
                return;
            };
            group = whole;
        }
        let shared = |files: &BTreeSet<ProjectPath>| files.intersection(&group.files).count();
        let same = told.iter_mut().filter(|(_, files)| shared(files) >= 2);
        let same = same.max_by_key(|(_, files)| shared(files));
        let mut names = group.files.iter().map(ProjectPath::as_str);
        let names = [names.next(), names.next()].map(Option::unwrap_or_default);
        let key = if let Some((key, files)) = same {
            files.clone_from(&group.files);
            key.clone()
        } else {
            let key = format!("{GROUP}{}", names.join("+"));
            told.push((key.clone(), group.files.clone()));
            key
        };
        let both = self
            .across
            .knowledge
            .together(a, b)
            .map_or(1, |seen| seen.both.max(1));
        candidate.gather(&group, by, key, both);
    }

    /// Whether git's history alone says of the files of a memory that they change together, whatever becomes of any session.
    pub(super) fn is_of_history(&self, memory: &Memory) -> bool {
        let mut files = memory.files.iter();
        let is_company = memory.memory_type() == BuiltInType::CausalDependency.into();
        match (self.company, files.next(), files.next(), files.next()) {
            (Some(git), Some(_), Some(_), Some(_)) if is_company => {
                Group::of(git, memory.files.clone()).is_some()
            }
            (_, Some(a), Some(b), None) if is_company => self.bears_out(a, b),
            _ => false,
        }
    }

    /// Whether git's history alone makes two files a pair.
    fn bears_out(&self, a: &ProjectPath, b: &ProjectPath) -> bool {
        let git = self.company.and_then(|git| git.together(a, b));
        git.is_some_and(Together::bears_out)
    }

    /// Whether others say it of two files: each of them is told to change with a third, or one is of a group of which the other
    /// goes with several. Who has one of them in hand is told of the third, and not what that one leads to.
    fn follows(
        &self,
        (a, b): (&ProjectPath, &ProjectPath),
        told: &[Statement],
        sessions: &dyn Company,
    ) -> bool {
        let agree = |one: &ProjectPath, two: &ProjectPath| {
            let git = self.company.and_then(|git| git.together(one, two));
            let seen = git.or_else(|| sessions.together(one, two));
            seen.is_some_and(Together::agrees)
        };
        let hangs_on = |of: &ProjectPath, other: &ProjectPath| {
            let mut groups = told
                .iter()
                .filter(|(_, files)| files.len() > 2 && files.contains(of));
            groups.any(|(_, files)| files.iter().filter(|file| agree(file, other)).count() >= 2)
        };
        let beside_a = told_with(a, told);
        let share_third = !beside_a.is_disjoint(&told_with(b, told));
        !beside_a.contains(b) && (share_third || hangs_on(a, b) || hangs_on(b, a))
    }

    /// What sessions taught of files that change together, the oldest first.
    fn told_groups(&self) -> Result<Vec<Statement>, EngineError> {
        let told = self.learned_company(self.engine.project)?.into_iter();
        Ok(told.map(|(key, memory)| (key, memory.files)).collect())
    }

    /// The memories of sessions that say that files change together, with what they are told as. That one file leads to another
    /// is of the same type, and another statement.
    pub(super) fn learned_company(
        &self,
        reader: &dyn MemoryReader,
    ) -> Result<Vec<(String, Memory)>, EngineError> {
        let learned = self.across.learned.iter();
        let keys: BTreeMap<MemoryId, &String> = learned
            .filter(|(key, _)| key.starts_with(PAIR) || key.starts_with(GROUP))
            .map(|(key, id)| (*id, key))
            .collect();
        let found = reader.list(&Filter {
            types: vec![BuiltInType::CausalDependency.into()],
            sources: vec![Source::ObserverInferred],
            ..Filter::default()
        })?;
        let mut memories = found.memories;
        memories.sort_by_key(|memory| (memory.created_at, memory.id));
        let told = memories.into_iter();
        Ok(told
            .filter_map(|memory| Some(((*keys.get(&memory.id)?).clone(), memory)))
            .collect())
    }
}

/// The files that one is told to change with.
fn told_with<'t>(file: &ProjectPath, told: &'t [Statement]) -> BTreeSet<&'t ProjectPath> {
    let of_it = told.iter().filter(|(_, files)| files.contains(file));
    let files = of_it.flat_map(|(_, files)| files);
    files.filter(|other| *other != file).collect()
}

/// Whether these files, or what they test, are told to change together by code alone.
fn is_by_tests((a, b): &(ProjectPath, ProjectPath), files: &BTreeSet<ProjectPath>) -> bool {
    let is_test = |file: &ProjectPath| paths::is_test(file.as_str());
    let stands_for = |file: &ProjectPath, other: &ProjectPath| {
        file == other || paths::is_own_test(file.as_str(), other.as_str())
    };
    let find = |of: &ProjectPath| {
        files
            .iter()
            .find(|file| !is_test(file) && stands_for(file, of))
    };
    let found = find(a).zip(find(b));
    (is_test(a) || is_test(b)) && found.is_some_and(|(one, two)| one != two)
}

/// Drops what only says that code changes when a test or a document of it does, and says whether it did.
fn drop_turned(candidate: &mut Candidate) -> bool {
    let is_turned = candidate.is_turned_around();
    if is_turned {
        candidate.contradict(Dropped::TurnedAround);
    }
    is_turned
}

/// How many sessions edited the two files of a candidate.
fn sessions_of(candidate: &Candidate, frequency: &Frequency) -> u32 {
    let seen = frequency.seen.get(&candidate.key);
    match candidate.witnesses.len() {
        0 => seen.map_or(0, |seen| seen.edited_sessions) + 1,
        witnesses => u32::try_from(witnesses).unwrap_or(u32::MAX),
    }
}

/// What sessions saw, unless git knows better.
struct Agreed<'a> {
    sessions: &'a Knowledge,
    git: Option<&'a dyn Company>,
}

impl Company for Agreed<'_> {
    fn together(&self, a: &ProjectPath, b: &ProjectPath) -> Option<Together> {
        let git = self.git.and_then(|git| git.together(a, b));
        let against = git.and_then(Together::against);
        self.sessions.together(a, b).filter(|_| against.is_none())
    }

    fn beside(&self, file: &ProjectPath) -> Vec<ProjectPath> {
        self.sessions.beside(file)
    }

    fn changed_of(&self, files: &BTreeSet<ProjectPath>) -> Vec<u32> {
        self.sessions.changed_of(files)
    }
}
