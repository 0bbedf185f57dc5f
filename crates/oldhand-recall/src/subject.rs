//! What a statement in Oldhand's own words is about: the names in it. The sentence around them is the same for all of its kind, so that a task
//! which shares only that sentence has nothing to do with it.

use std::collections::BTreeSet;

use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, MemoryType};
use oldhand_domain::text::ModuleName;
use oldhand_domain::vocabulary::Source;
use oldhand_domain::words;

use crate::plan::Plan;

/// Whether a task is about what a memory is about, as far as its names can tell: it shares a word with them, and of the files that it names one
/// is among those from which the memory holds. What people and agents said in their own words is about all of its words.
pub fn is_subject(memory: &Memory, plan: &Plan, named: &BTreeSet<ProjectPath>) -> bool {
    if !is_patterned(memory) {
        return true;
    }
    let mut at_hand = named.iter().filter(|file| memory.files.contains(*file));
    if at_hand.clone().next().is_some() {
        return at_hand.any(|file| memory.holds_from(file));
    }
    let own = names(memory);
    plan.words
        .iter()
        .any(|word| own.contains(words::stem(word)))
}

/// The files that a memory speaks for when it fits a task. What was counted over sessions speaks for none: that two files change together
/// says nothing of what a task is about, and the sessions it was counted from are asked themselves.
pub fn spoken_for(memory: &Memory) -> impl Iterator<Item = &ProjectPath> {
    let is_telling = !is_patterned(memory);
    memory.files.iter().filter(move |_| is_telling)
}

/// Whether its words are ours and only its names are its own.
fn is_patterned(memory: &Memory) -> bool {
    let counted = matches!(
        memory.memory_type(),
        MemoryType::BuiltIn(
            BuiltInType::CausalDependency
                | BuiltInType::PrefetchPattern
                | BuiltInType::TaskCalibration
                | BuiltInType::ContextCost
        )
    );
    counted && memory.source == Source::ObserverInferred
}

/// The words of the names of its files, of those from which it holds, and of its modules where it is about no file.
fn names(memory: &Memory) -> BTreeSet<String> {
    let files = memory.files.iter().filter(|file| memory.holds_from(file));
    let mut names: Vec<&str> = files.flat_map(called).collect();
    if names.is_empty() || memory.memory_type() != BuiltInType::CausalDependency.into() {
        names.extend(memory.modules.iter().map(ModuleName::as_str));
    }
    let split = names.into_iter().flat_map(words::split);
    split.map(|word| words::stem(&word).to_owned()).collect()
}

/// What a file is called: its name without the ending, and the folder that it lies in unless that is one of the top, which names a kind of
/// files and no subject.
fn called(file: &ProjectPath) -> impl Iterator<Item = &str> {
    let path = file.as_str();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let dot = name.get(1..).and_then(|rest| rest.find('.'));
    let stem = dot.map_or(name, |dot| &name[..=dot]);
    let folder = folders.rsplit_once('/').map(|(_, folder)| folder);
    folder.into_iter().chain([stem])
}

#[cfg(test)]
mod tests {
    use oldhand_testkit::memory;

    use super::*;
    use crate::beside::named_files;
    use crate::plan::{RecentWork, plan};

    fn path(text: &str) -> ProjectPath {
        ProjectPath::new(text).unwrap()
    }

    fn pair() -> Memory {
        let mut pair = memory(
            1,
            BuiltInType::CausalDependency,
            "When `e2e/schema_check` changes, `web/settings.json` usually changes too: of the 22 small commits in git's history that changed \
             `e2e/schema_check`, 19 changed both; 3 sessions edited both.",
        );
        pair.source = Source::ObserverInferred;
        pair.files = ["e2e/schema_check", "web/settings.json"].map(path).into();
        pair.impacted_nodes = BTreeSet::from(["web/settings.json".to_owned()]);
        pair
    }

    fn asks_for(memory: &Memory, task: &str) -> bool {
        let plan = plan(task, RecentWork::Ordinary);
        is_subject(memory, &plan, &named_files(task))
    }

    #[test]
    fn the_words_of_the_sentence_are_no_subject() {
        for task in [
            "make smaller commits",
            "write a git history page",
            "change both buttons",
            "edit the sessions that changed",
        ] {
            assert!(!asks_for(&pair(), task), "{task}");
        }
        for task in ["check the schemas again", "why does e2e/schema_check fail"] {
            assert!(asks_for(&pair(), task), "{task}");
        }
    }

    #[test]
    fn what_holds_from_one_file_is_no_answer_at_the_other() {
        assert!(!asks_for(&pair(), "add a key to web/settings.json"));
        assert!(!asks_for(&pair(), "the settings are wrong"));
        assert!(asks_for(
            &pair(),
            "bring e2e/schema_check and web/settings.json in line"
        ));
        let mut both = pair();
        both.impacted_nodes.clear();
        assert!(asks_for(&both, "add a key to web/settings.json"));
        assert!(asks_for(&both, "the settings are wrong"));
    }

    #[test]
    fn what_was_counted_speaks_for_no_file() {
        assert_eq!(spoken_for(&pair()).count(), 0);
        let said = Memory {
            source: Source::UserTaught,
            ..pair()
        };
        assert_eq!(spoken_for(&said).count(), pair().files.len());
    }

    #[test]
    fn what_somebody_said_is_about_all_of_its_words() {
        let mut taught = pair();
        taught.source = Source::UserTaught;
        assert!(asks_for(&taught, "make smaller commits"));
        let mut found = memory(2, BuiltInType::Gotcha, "Small commits break the release.");
        found.source = Source::ObserverInferred;
        assert!(asks_for(&found, "make smaller commits"));
    }

    #[test]
    fn a_file_is_called_by_its_name_and_its_folder() {
        for (file, expected) in [
            ("src/cart/mod.rs", "cart mod"),
            ("app/sign-in/page.tsx", "sign-in page"),
            ("tests/test_app.py", "test_app"),
            ("main.go", "main"),
            ("src/.env.example", ".env"),
            ("src/user.service.ts", "user"),
        ] {
            let file = path(file);
            let found: Vec<&str> = called(&file).collect();
            assert_eq!(found.join(" "), expected);
        }
    }
}
