//! What agents found out is held against the files of today.

use std::cell::Cell;
use std::rc::Rc;

use oldhand_domain::port::{MemoryReader, Presence, Tree};
use oldhand_testkit::story::events;

use super::*;

/// A tree that has everything, and counts how often it was walked.
#[derive(Default)]
struct Walked(Cell<usize>);

impl Tree for Walked {
    fn look_for(&self, names: &[String]) -> Vec<Presence> {
        self.0.set(self.0.get() + 1);
        vec![Presence::Used { file: None }; names.len()]
    }

    fn depends_on(&self, _: &str) -> bool {
        true
    }

    fn text_of(&self, _: &str) -> Option<String> {
        Some(String::new())
    }

    fn has_folder(&self, _: &str) -> bool {
        true
    }
}

#[test]
fn a_session_walks_the_tree_once_for_all_that_it_found_out() {
    let house = House::new();
    let tree = Walked::default();
    let size = |_: &ProjectPath| None;
    let mut finalizer = house.engine().finalizer(&house.project, &[]).unwrap();
    finalizer = finalizer.with_files(&size, &tree);
    let story = "read src/a.c; say I was wrong about `cache_ttl`: it is in seconds, see `src/a.c`.; edit src/a.c; read src/b.c; say I was wrong about `retry_limit`: it is per host, see `src/b.c`.; edit src/b.c; run make test = 0";
    let pad: Scratchpad = events(story).iter().collect();
    let session = SessionId::new("one").unwrap();
    let done = finalizer.finalize(&session, &pad, story, Extent::Whole, day(1));
    let report = SessionReport::read(done.unwrap().record().unwrap()).unwrap();
    let found = report.lines.iter();
    let found = found.filter(|line| line.key.starts_with("correction:"));
    assert_eq!(found.count(), 2, "{report:?}");
    assert_eq!(tree.0.get(), 1);
}

/// A tree in which every name is used and every file says the same.
struct Says(&'static str);

impl Tree for Says {
    fn look_for(&self, names: &[String]) -> Vec<Presence> {
        vec![Presence::Used { file: None }; names.len()]
    }

    fn depends_on(&self, _: &str) -> bool {
        true
    }

    fn text_of(&self, _: &str) -> Option<String> {
        Some(self.0.to_owned())
    }

    fn has_folder(&self, folder: &str) -> bool {
        folder == "web"
    }

    fn is_called(&self, name: &str) -> bool {
        name == "Heron"
    }

    fn place_with(
        &self,
        needles: &[&str],
        is_asked: &dyn Fn(&str) -> bool,
        line_in: &dyn Fn(&str, &str) -> Option<usize>,
    ) -> Option<(String, usize)> {
        let file = "src/a.c";
        let is_asked = is_asked(file) && needles.iter().all(|needle| self.0.contains(needle));
        let line = is_asked.then(|| line_in(file, self.0)).flatten()?;
        Some((file.to_owned(), line))
    }
}

/// Why the first thing with a key that begins so came to nothing, or what became of it.
fn fate(story: &str, text: &'static str, rules: &str, key: &str) -> String {
    let house = House::new();
    let tree = Says(text);
    let size = |_: &ProjectPath| None;
    let rules = || Rc::from(rules);
    let finalizer = house.engine().finalizer(&house.project, &[]).unwrap();
    let mut finalizer = finalizer.with_files(&size, &tree).with_rules(&rules);
    let pad: Scratchpad = events(story).iter().collect();
    let session = SessionId::new("one").unwrap();
    let done = finalizer.finalize(&session, &pad, story, Extent::Whole, day(1));
    let report = SessionReport::read(done.unwrap().record().unwrap()).unwrap();
    let line = report.lines.iter().find(|line| line.key.starts_with(key));
    line.map(|line| line.why.clone()).unwrap_or_default()
}

#[test]
fn how_a_name_is_declared_needs_a_line_that_says_so() {
    let story = "read src/a.c; say I was wrong about the tick: `timer` is declared as `$state`, see `src/a.c`.; edit src/a.c; run make test = 0";
    let why = |text: &'static str| fate(story, text, "", "correction:");
    let otherwise = "the files of today say otherwise";
    assert_eq!(why("let timer = null;\nlet rows = $state([]);"), otherwise);
    let held = why("let timer = $state(null);");
    assert!(!held.is_empty() && held != otherwise, "{held}");
}

#[test]
fn what_the_project_itself_does_a_line_says_or_nothing_meets_any_more_is_no_finding() {
    let mended = "it tells of code as it was before it was mended";
    let gone = "what it names is not there any more";
    for (cause, text, expected) in [
        (
            "Heron passes `rows` by value, so the caller keeps its own.",
            "",
            mended,
        ),
        (
            "`Heron serve --rows` only keeps `rows` of its own caller.",
            "",
            mended,
        ),
        (
            "`larch serve --rows` only keeps `rows` of its own caller.",
            "",
            "",
        ),
        (
            "Larch passes `rows` by value, so the caller keeps its own.",
            "",
            "",
        ),
        (
            "`Assign` has `Box<Expr>` not `Option<Expr>` for its fields.",
            "enum Expr {\n    Assign(Box<Expr>),\n}",
            "`src/a.c:2` says it already",
        ),
        (
            "`Assign` has `Box<Expr>` not `Option<Expr>` for its fields.",
            "let a: Box<Expr> = b;",
            "",
        ),
        (
            "`larch` treats the `LOCK_*` constants as `Final`.",
            "LOCK_EX = 2",
            gone,
        ),
        (
            "`larch` treats the `LOCK_*` constants as `Final`.",
            "LOCK_EX: Final = 2",
            "",
        ),
    ] {
        let story = format!(
            "read src/b.c; run make test = 2; say Root cause: {cause}; edit src/a.c; run make test = 0"
        );
        let why = fate(&story, text, "", "cause:");
        let refusals = [mended, gone, "`src/a.c:2` says it already"];
        let expected = Some(expected).filter(|why| !why.is_empty());
        let refused = refusals.into_iter().find(|refusal| why == *refusal);
        assert_eq!(refused, expected, "{cause} in {text:?}: {why:?}");
        assert!(!why.is_empty(), "{cause}");
    }
}

#[test]
fn what_a_part_of_the_project_requires_is_of_its_day() {
    let story = "read src/b.c; run make test = 2; say Root cause: the uploader requires `S3_REGION` to be set, so that each bucket has one.; edit src/a.c; run make test = 0";
    let mended = "it tells of code as it was before it was mended";
    assert_eq!(fate(story, "int main;", "", "cause:"), mended);
}

#[test]
fn a_rule_that_the_projects_own_texts_state_is_not_learned() {
    let story = "prompt We always prefer free tools off the shelf, and never use a tool that we have to build; edit src/a.c; run make test = 0";
    let why = |rules| fate(story, "", rules, "said:");
    let stated = "a text of the project says it already";
    for (rules, is_stated) in [
        (
            "# Tools\n\n1. Never build a tool that is free off the shelf: such tools are\n   preferred, use them.\n2. Keep it small.",
            true,
        ),
        ("# Tools\n\nBuild a tool in `tools/`.", false),
        ("", false),
    ] {
        assert_eq!(why(rules) == stated, is_stated, "{rules}: {}", why(rules));
    }
}

#[test]
fn files_that_a_task_of_the_project_writes_are_no_pair() {
    let story = "prompt fix it; edit src/cli.ts; edit web/cli.ts; run make test = 0";
    let why = |text: &'static str| {
        let house = House::new();
        let tree = Says(text);
        let size = |_: &ProjectPath| None;
        let finalizer = house.engine().finalizer(&house.project, &[]).unwrap();
        let mut finalizer =
            finalizer
                .with_files(&size, &tree)
                .with_history(&learn::OneName, &|_, _| None, &|_| false);
        let pad: Scratchpad = events(story).iter().collect();
        let session = SessionId::new("one").unwrap();
        let done = finalizer.finalize(&session, &pad, story, Extent::Whole, day(1));
        let report = SessionReport::read(done.unwrap().record().unwrap()).unwrap();
        let pair = report
            .lines
            .iter()
            .find(|line| line.key.starts_with("pair:"));
        pair.map(|line| line.why.clone()).unwrap_or_default()
    };
    let by_program = "a program writes one of its files";
    assert_eq!(why("make-cli src/cli.json > web/cli.ts"), by_program);
    let told = why("run-cli web/cli.ts > out.txt");
    assert!(!told.is_empty() && told != by_program, "{told}");
}

/// A tree of these files, in which every name is used and some are defined.
struct Holds<'a> {
    files: &'a [(&'a str, &'a str)],
    defined: &'a str,
}

impl Tree for Holds<'_> {
    fn look_for(&self, names: &[String]) -> Vec<Presence> {
        let presence = |name: &String| {
            if name == self.defined {
                Presence::Defined
            } else {
                Presence::Used { file: None }
            }
        };
        names.iter().map(presence).collect()
    }

    fn depends_on(&self, _: &str) -> bool {
        true
    }

    fn text_of(&self, file: &str) -> Option<String> {
        let mut files = self.files.iter();
        let found = files.find(|(path, _)| *path == file);
        found.map(|(_, text)| (*text).to_owned())
    }

    fn has_folder(&self, _: &str) -> bool {
        true
    }

    fn place_with(
        &self,
        needles: &[&str],
        is_asked: &dyn Fn(&str) -> bool,
        line_in: &dyn Fn(&str, &str) -> Option<usize>,
    ) -> Option<(String, usize)> {
        let has_all = |text: &str| needles.iter().all(|needle| text.contains(needle));
        let mut files = self.files.iter().filter(|(path, _)| is_asked(path));
        files.find_map(|(path, text)| {
            let line = has_all(text).then(|| line_in(path, text)).flatten()?;
            Some(((*path).to_owned(), line))
        })
    }
}

/// What two sessions that went the same way taught, with the files that it is about.
fn taught(tree: &Holds<'_>, story: &str) -> Vec<(String, Vec<String>)> {
    let house = House::new();
    let size = |_: &ProjectPath| None;
    for (at, session) in ["one", "two"].into_iter().enumerate() {
        let finalizer = house.engine().finalizer(&house.project, &[]).unwrap();
        let mut finalizer = finalizer.with_files(&size, tree);
        let mut events = events(story);
        for event in &mut events {
            event.at += SignedDuration::from_hours(i64::try_from(at).unwrap());
        }
        let pad: Scratchpad = events.iter().collect();
        let session = SessionId::new(session).unwrap();
        let now = day(i64::try_from(at).unwrap() + 1);
        finalizer
            .finalize(&session, &pad, session.as_str(), Extent::Whole, now)
            .unwrap();
    }
    let told = house.project.list(&Filter::default()).unwrap().memories;
    let told = told.into_iter().map(|memory| {
        let files = memory.files.iter().map(ToString::to_string);
        (memory.content.to_string(), files.collect())
    });
    told.collect()
}

#[test]
fn a_name_that_the_project_defines_is_not_hard_to_find() {
    let story = "prompt fix it; grep ShelfError = nothing; grep ShelfError = src/hooks.c; read src/hooks.c; edit src/hooks.c; run make test = 0";
    let files = &[("src/hooks.c", "raise(ShelfError);")];
    for (defined, expected) in [("ShelfError", 0), ("", 1)] {
        let told = taught(&Holds { files, defined }, story);
        let hard = told
            .iter()
            .filter(|(told, _)| told.contains("hard to find"));
        assert_eq!(hard.count(), expected, "{told:?}");
    }
}

#[test]
fn a_finding_is_told_of_the_file_that_has_its_names() {
    let about = |files: &[(&str, &str)], subject: &str| {
        let story = format!(
            "read src/b.c; run make test = 2; say Root cause: {subject} passes `rowFolder` but not `rowPath`, so `writeRows` returns early.; edit src/test_env.c; run make test = 0"
        );
        let defined = "";
        let told = taught(&Holds { files, defined }, &story);
        let (_, files) = told
            .into_iter()
            .find(|(told, _)| told.contains("rowFolder"))
            .unwrap();
        files.join(" ")
    };
    let changed = ("src/test_env.c", "int main;");
    for (files, subject, expected) in [
        (
            &[changed, ("src/auto_pack.c", "rowFolder rowPath")][..],
            "Auto-pack",
            "src/auto_pack.c",
        ),
        (
            &[changed, ("src/rows.c", "rowFolder rowPath writeRows")],
            "Larch",
            "src/rows.c",
        ),
        // Nothing has more of it, or only a test and a document.
        (
            &[changed, ("src/auto_pack.c", "pack")],
            "Auto-pack",
            "src/test_env.c",
        ),
        (
            &[
                changed,
                ("tests/rows_test.c", "rowFolder rowPath writeRows"),
                ("rows.md", "rowFolder rowPath writeRows"),
            ],
            "Larch",
            "src/test_env.c",
        ),
    ] {
        assert_eq!(about(files, subject), expected, "{subject} in {files:?}");
    }
}
