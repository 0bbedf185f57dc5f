//! Folders that sessions missed, and what was left where git ignores it, are held against the tree of today.

use std::cell::Cell;

use oldhand_domain::port::{MemoryReader, Presence, Tree};
use oldhand_testkit::story::events;

use super::*;

/// A tree that has some files, ignores `tmp`, and says in `CLAUDE.md` and in `docs/use.md` what stands here.
#[derive(Default)]
struct Has {
    files: &'static [&'static str],
    says: &'static str,
    tells: &'static str,
    read: Cell<usize>,
}

impl Tree for Has {
    fn look_for(&self, names: &[String]) -> Vec<Presence> {
        vec![Presence::Unasked; names.len()]
    }

    fn depends_on(&self, _: &str) -> bool {
        false
    }

    fn text_of(&self, _: &str) -> Option<String> {
        None
    }

    fn has_folder(&self, folder: &str) -> bool {
        let mut files = self.files.iter();
        files.any(|file| {
            file.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        })
    }

    fn ignored_at(&self, folder: &str) -> Option<String> {
        let is_it = folder == "tmp" || folder.starts_with("tmp/");
        is_it.then(|| "tmp".to_owned())
    }

    fn read_each(&self, is_asked: &dyn Fn(&str) -> bool, look: &mut dyn FnMut(&str, &str)) {
        for (file, text) in [("CLAUDE.md", self.says), ("docs/use.md", self.tells)] {
            if is_asked(file) {
                self.read.set(self.read.get() + 1);
                look(file, text);
            }
        }
    }
}

/// What is known after some sessions, each a day after the one before.
fn known(stories: &[&str], tree: &Has) -> Vec<String> {
    let house = House::new();
    let size = |path: &ProjectPath| {
        let mut there = tree
            .files
            .iter()
            .map(|file| ProjectPath::new(file).unwrap());
        there.any(|file| file.is_at_or_below(path)).then_some(1)
    };
    for (number, story) in stories.iter().enumerate() {
        let finalizer = house.engine().finalizer(&house.project, &[]).unwrap();
        let mut finalizer = finalizer.with_files(&size, tree);
        let mut events = events(&format!(
            "start build; {story}; edit src/a.go; run make test = 0"
        ));
        for event in &mut events {
            event.at = day(number as i64 + 1);
        }
        let pad: Scratchpad = events.iter().collect();
        let session = SessionId::new(format!("s{number}")).unwrap();
        let now = day(number as i64 + 1);
        finalizer
            .finalize(&session, &pad, story, Extent::Whole, now)
            .unwrap();
    }
    let memories = house.project.list(&Filter::default()).unwrap().memories;
    let told = memories.iter().filter(|memory| memory.is_live());
    let told = told.map(|memory| memory.content.as_str().to_owned());
    told.filter(|told| told.starts_with("There is") || told.starts_with("Failures"))
        .collect()
}

const RUN: &str = "read src/cmds/run.go = failed: File does not exist.; read src/run.go";
const STOP: &str = "read src/cmds/stop.go = failed: File does not exist.; read src/stop.go";
const FILES: &[&str] = &["src/a.go", "src/run.go", "src/stop.go"];

#[test]
fn one_folder_that_is_not_there_takes_the_place_of_its_files() {
    let tree = Has {
        files: FILES,
        says: "# Where\n\n- src/cmds: all commands",
        ..Has::default()
    };
    let file = "There is no `src/cmds/run.go`; the file is `src/run.go` (seen in 2 sessions).";
    assert_eq!(known(&[RUN, RUN], &tree), [file]);
    let folder = "There is no `src/cmds/`; what was looked for there is in `src/` (seen in 3 sessions). `CLAUDE.md:3` still names it.";
    // As long as it waits for a person, agents are told of the file.
    assert_eq!(known(&[RUN, RUN, STOP], &tree), [folder, file]);
    let ten = [&[RUN, RUN][..], &[STOP; 8]].concat();
    let folder = folder.replace("3 sessions", "10 sessions");
    assert_eq!(known(&ten, &tree), [folder]);
    assert_eq!(known(&[RUN, STOP, RUN, RUN], &tree).len(), 1);
}

#[test]
fn documents_are_read_once_for_all_that_is_missing() {
    let tree = Has {
        files: FILES,
        tells: "Start at `src/cmds/stop.go`.",
        ..Has::default()
    };
    let both = format!("{RUN}; {STOP}");
    let told = known(&[&both, &both], &tree);
    let named = told
        .iter()
        .filter(|told| told.contains("`docs/use.md:1` still names it"));
    assert_eq!(named.count(), 1, "{told:?}");
    assert_eq!(tree.read.get(), 4, "two documents in each of two sessions");
}

#[test]
fn what_is_written_for_agents_comes_before_what_is_written_for_people() {
    let long = "See a/src/cmds/run.go.";
    for (says, tells, expected) in [
        ("src/cmds/run.go", "src/cmds/run.go", "CLAUDE.md:1"),
        ("", "src/cmds/run.go", "docs/use.md:1"),
        (long, "src/cmds/run.go", "docs/use.md:1"),
        (long, "", ""),
    ] {
        let tree = Has {
            files: FILES,
            says,
            tells,
            ..Has::default()
        };
        let [told] = known(&[RUN, RUN], &tree).try_into().unwrap();
        let place = told
            .split("). ")
            .nth(1)
            .and_then(|rest| rest.split('`').nth(1));
        assert_eq!(place.unwrap_or_default(), expected, "{told}");
    }
}

#[test]
fn a_folder_is_not_the_file_that_was_meant() {
    const HOOK: &str = "read src/hook.ts = failed: File does not exist. Did you mean hook?";
    for (files, expected) in [
        (&["src/a.go", "src/hook/index.ts"][..], 0),
        (&["src/a.go", "src/hook"], 1),
    ] {
        let tree = Has {
            files,
            ..Has::default()
        };
        assert_eq!(known(&[HOOK, HOOK], &tree).len(), expected, "{files:?}");
    }
}

#[test]
fn what_is_there_today_or_ignored_is_not_missing() {
    for (files, expected) in [
        (&["src/run.go", "src/stop.go", "src/cmds/list.go"][..], 0),
        (&["src/run.go", "src/stop.go"], 1),
    ] {
        let tree = Has {
            files,
            ..Has::default()
        };
        let told = known(&[RUN, STOP, STOP], &tree);
        let folders = told.iter().filter(|told| told.contains("src/cmds/`"));
        assert_eq!(folders.count(), expected, "{told:?}");
    }
    let ignored = |story: &str| story.replace("src/cmds/", "tmp/cmds/");
    let (run, stop) = (ignored(RUN), ignored(STOP));
    let tree = Has {
        files: FILES,
        ..Has::default()
    };
    let told = known(&[&run, &stop, &stop], &tree);
    assert!(
        !told.iter().any(|told| told.contains("tmp/cmds/`")),
        "{told:?}"
    );
}

#[test]
fn what_was_left_where_git_ignores_it_is_told_of_the_first_folder_of_all() {
    let left = |folder: &str| {
        format!(
            "edit src/a.go; run make check = 1: {folder}/one/x.test.ts:3:1\\nTests  1 failed | 2 passed (3)"
        )
    };
    let tree = Has {
        files: FILES,
        ..Has::default()
    };
    let told = |folders: [&str; 3]| {
        let stories = folders.map(left);
        known(&stories.each_ref().map(String::as_str), &tree)
    };
    assert_eq!(
        told(["tmp/clones/a", "tmp/clones/b", "tmp/clones/c"]),
        [
            "Failures in `tmp/clones/` are not of the project's code: git ignores it, and at least 3 sessions saw checks fail on what had been left there."
        ]
    );
    assert_eq!(told(["src/a", "src/a", "src/a"]), [""; 0]);
    assert_eq!(told(["tmp/clones/a", "tmp/clones/b", "src/c"]), [""; 0]);
}
