//! Trees on disk that change: after every edit the graph must be what building it anew would give.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::{Index, Options, Refresh};
use crate::chunk::Chunk;
use crate::problem::ProblemKind;
use crate::read::Generated;
use crate::scip::sample::sample;
use crate::testing::{shown, split};
use crate::walk::Skip;

fn options() -> Options {
    Options {
        threads: 2,
        max_bytes: 1 << 20,
        skip: Skip::Usual,
        generated: Generated::Skip,
    }
}

fn write(root: &Path, fixture: &str) {
    for (path, text) in split(fixture) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
}

struct Tree {
    root: tempfile::TempDir,
    state: tempfile::TempDir,
    index: Index,
}

impl Tree {
    fn new(fixture: &str) -> Self {
        let (root, state) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        write(root.path(), fixture);
        let (index, _) =
            Index::build(root.path(), state.path(), &options(), &mut |_| {}).expect("builds");
        Self { root, state, index }
    }

    fn refresh(&mut self) -> Refresh {
        self.index.refresh(&mut |_| {}).expect("refreshes")
    }

    fn edges(&self) -> String {
        shown(self.index.snapshot(), |_, _, _| true)
    }

    /// The edges of the same tree, built where nothing is cached.
    fn edges_anew(&self) -> String {
        let state = tempfile::tempdir().expect("a folder");
        let (index, _) =
            Index::build(self.root.path(), state.path(), &options(), &mut |_| {}).expect("builds");
        shown(index.snapshot(), |_, _, _| true)
    }
}

const TREE: &str = r#"
//- package.json
{ "name": "app" }
//- a.ts
import { b, B } from './b'
export function a(x: B) { b(); x.run() }
//- b.ts
export * from './c'
export class B { run() { return this.stop() } stop() {} }
export function b() { return c() }
import { c } from './c'
//- c.ts
export function c() {}
//- d.ts
import { c, a } from './index'
export const d = () => { c(); a(); anything.run() }
//- index.ts
export * from './a'
export * from './b'
"#;

#[test]
fn an_unchanged_tree_needs_nothing() {
    let mut tree = Tree::new(TREE);
    assert!(tree.index.drift().is_empty());
    assert_eq!(tree.refresh(), Refresh::default());
}

#[test]
fn a_changed_body_links_one_file_again() {
    let mut tree = Tree::new(TREE);
    write(
        tree.root.path(),
        "//- c.ts\nexport function c() { return 1 }\n",
    );
    let refresh = tree.refresh();
    assert_eq!(
        (refresh.changed, refresh.linked),
        (vec!["c.ts".to_owned()], 1)
    );
    assert_eq!(tree.edges(), tree.edges_anew());
}

#[test]
fn a_type_that_forwards_elsewhere_moves_the_members_had_through_it() {
    let mut tree = Tree::new(
        "//- Cargo.toml\n[package]\nname = 'a'\n//- src/lib.rs\nmod alpha;\nmod beta;\nmod guard;\nmod user;\n\
         //- src/alpha.rs\npub struct Alpha;\nimpl Alpha { pub fn go(&self) {} }\n\
         //- src/beta.rs\npub struct Beta;\nimpl Beta { pub fn go(&self) {} }\n\
         //- src/guard.rs\nuse crate::{alpha::Alpha, beta::Beta};\npub struct Guard;\nimpl std::ops::Deref for Guard { type Target = Alpha; }\n\
         //- src/user.rs\nuse crate::guard::Guard;\nfn user(guard: Guard) { guard.go() }\n",
    );
    assert!(tree.edges().contains("user calls src/alpha.rs:Alpha.go"));
    write(
        tree.root.path(),
        "//- src/guard.rs\nuse crate::{alpha::Alpha, beta::Beta};\npub struct Guard;\nimpl std::ops::Deref for Guard { type Target = Beta; }\n",
    );
    tree.refresh();
    assert!(tree.edges().contains("user calls src/beta.rs:Beta.go"));
    assert_eq!(tree.edges(), tree.edges_anew());
}

#[test]
fn a_new_name_reaches_those_who_asked_for_it() {
    let mut tree = Tree::new(
        "//- a.ts\nimport { late } from './b'\nlate()\n//- b.ts\nexport * from './c'\n//- c.ts\n",
    );
    assert!(!tree.edges().contains("late"));
    write(tree.root.path(), "//- c.ts\nexport function late() {}\n");
    tree.refresh();
    assert!(
        tree.edges().contains("a.ts calls c.ts:late"),
        "{}",
        tree.edges()
    );
}

#[test]
fn a_file_that_comes_and_goes_is_found_and_lost() {
    let mut tree = Tree::new("//- a.ts\nimport { x } from './later'\nx()\n");
    write(
        tree.root.path(),
        "//- later/index.ts\nexport const x = () => 1\n",
    );
    assert_eq!(tree.refresh().added, ["later/index.ts"]);
    assert!(tree.edges().contains("a.ts calls later/index.ts:x"));
    fs::remove_file(tree.root.path().join("later/index.ts")).expect("was there");
    assert_eq!(tree.refresh().removed, ["later/index.ts"]);
    assert_eq!(tree.edges(), "");
}

#[test]
fn an_older_reader_goes_on_reading_what_it_opened() {
    let mut tree = Tree::new(TREE);
    let old = Index::open(tree.root.path(), tree.state.path(), &options()).expect("was built");
    let before = shown(old.snapshot(), |_, _, _| true);
    write(tree.root.path(), "//- c.ts\n");
    tree.refresh();
    assert_ne!(tree.edges(), before);
    assert_eq!(shown(old.snapshot(), |_, _, _| true), before);
    assert!(old.snapshot().verify());
}

#[test]
fn an_edit_changes_the_chunks_of_its_file_alone() {
    let mut tree = Tree::new(TREE);
    let before: Vec<Chunk> = tree.index.chunks().collect();
    write(
        tree.root.path(),
        "//- c.ts\n// moved\nexport function edited() {}\n",
    );
    tree.refresh();
    let after: Vec<Chunk> = tree.index.chunks().collect();
    let (edited, kept): (Vec<_>, Vec<_>) = after.into_iter().partition(|one| one.path == "c.ts");
    let others = before.into_iter().filter(|one| one.path != "c.ts");
    assert_eq!(kept, others.collect::<Vec<Chunk>>());
    let names: Vec<&str> = edited.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["edited"]);
    assert_eq!((edited[0].first_line, edited[0].last_line), (1, 2));
}

#[test]
fn a_branch_switched_back_is_read_from_the_cache() {
    let mut tree = Tree::new(TREE);
    let before = tree.edges();
    write(tree.root.path(), "//- c.ts\nexport function other() {}\n");
    tree.refresh();
    write(tree.root.path(), TREE);
    tree.refresh();
    assert_eq!(tree.edges(), before);
}

#[test]
fn damaged_state_is_built_anew() {
    let tree = Tree::new(TREE);
    let before = tree.edges();
    let snapshot = Index::snapshot_path(tree.root.path(), tree.state.path());
    for path in [snapshot, tree.state.path().join("facts.bin")] {
        let mut bytes = fs::read(&path).expect("was written");
        bytes.truncate(bytes.len() / 2);
        fs::write(&path, bytes).expect("writable");
    }
    assert!(Index::open(tree.root.path(), tree.state.path(), &options()).is_none());
    let (index, _) =
        Index::open_or_build(tree.root.path(), tree.state.path(), &options(), &mut |_| {})
            .expect("builds");
    assert_eq!(shown(index.snapshot(), |_, _, _| true), before);
}

#[test]
fn what_a_compiler_found_replaces_guesses_until_the_file_changes() {
    let a = "//- a.ts\n\n\n\n\nfunction f(x) { x.go(); x.stop() }\n";
    let mut tree = Tree::new(&format!(
        "{a}//- b.ts\nexport class K {{\n  go() {{}}\n  stop() {{}}\n}}\n"
    ));
    assert_eq!(tree.edges(), "a.ts:f calls b.ts:K.stop (45)");
    assert_eq!(
        tree.index
            .import_scip(&sample(), &mut |_| {})
            .expect("an index"),
        2
    );
    assert_eq!(tree.edges(), "a.ts:f uses b.ts:K.go");
    assert!(
        tree.index
            .import_scip(b"nothing of the kind", &mut |_| {})
            .is_err()
    );
    write(tree.root.path(), &format!("{a}// more\n"));
    tree.refresh();
    assert_eq!(tree.edges(), "a.ts:f calls b.ts:K.stop (45)");
}

#[test]
fn hostile_files_are_problems_not_failures() {
    let root = tempfile::tempdir().expect("a folder");
    let state = tempfile::tempdir().expect("a folder");
    let put = |name: &str, bytes: &[u8]| fs::write(root.path().join(name), bytes).expect("a file");
    put("broken.ts", b"export function ok() {}\nclass {{{ ((( \n");
    put("latin.ts", b"export const caf\xe9 = 1\n");
    put("crlf.ts", b"export const a = 1\r\nexport const b = 2\r\n");
    put(
        "wide.ts",
        &[
            &[0xff, 0xfe][..],
            &"export const w = 1"
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<u8>>(),
        ]
        .concat(),
    );
    put("binary.ts", b"\x00\x01\x02\x00");
    put("large.js", "var a=1;".repeat(200_000).as_bytes());
    put("minified.js", "var a=1;".repeat(20_000).as_bytes());
    put(
        "deep.ts",
        format!(
            "export const deep = {}1{}",
            "(".repeat(20_000),
            ")".repeat(20_000)
        )
        .as_bytes(),
    );
    put("nested.js", "function f(){".repeat(3_000).as_bytes());
    put(
        "made.ts",
        b"// Code generated by a tool. DO NOT EDIT.\nexport const m = 1\n",
    );
    put("Case.ts", b"export const upper = 1\n");
    put("case.ts", b"export const lower = 1\n");
    put("empty.ts", b"");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root.path(), root.path().join("loop")).expect("a link");
        std::os::unix::fs::symlink("nowhere.ts", root.path().join("dangling.ts")).expect("a link");
    }
    let (index, problems) =
        Index::build(root.path(), state.path(), &options(), &mut |_| {}).expect("builds");
    let told: Vec<(&str, ProblemKind)> = problems
        .iter()
        .map(|problem| (problem.path.as_str(), problem.kind))
        .collect();
    for expected in [
        ("broken.ts", ProblemKind::SyntaxError),
        ("latin.ts", ProblemKind::Encoding),
        ("binary.ts", ProblemKind::Skipped),
        ("large.js", ProblemKind::Skipped),
        ("minified.js", ProblemKind::Skipped),
        ("made.ts", ProblemKind::Skipped),
        ("case.ts", ProblemKind::CaseCollision),
    ] {
        assert!(told.contains(&expected), "{expected:?} in {told:?}");
    }
    let names: Vec<&str> = index
        .snapshot()
        .symbols()
        .map(|node| index.snapshot().name(node))
        .collect();
    for name in ["ok", "a", "b", "w", "upper", "lower"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
}

#[test]
fn who_asks_for_a_name_hears_of_a_change_behind_another_name() {
    let mut tree = Tree::new(
        "//- use.ts\nimport { made, Low } from './face'\nexport function run(low: Low) { made(); low.go() }\n\
         //- face.ts\nexport { make as made } from './later'\nimport { Base } from './later'\n\
         export class Low extends Base {}\n//- base.ts\nexport class Root { go() {} }\n",
    );
    let later =
        "import { Root } from './base'\nexport { Root as Base }\nexport function make() {}\n";
    fs::write(tree.root.path().join("later.ts"), later).expect("a file");
    tree.refresh();
    assert!(tree.edges().contains("use.ts:run calls later.ts:make"));
    assert!(tree.edges().contains("use.ts:run calls base.ts:Root.go"));
    assert_eq!(tree.edges(), tree.edges_anew());
}

/// Contents a file of the random tree may have; the numbers are other files.
const CONTENTS: [&str; 8] = [
    "",
    "export function f0() {}\nexport class K { go() {} }\n",
    "export * from './m1'\nexport function f2() { return f1() }\nimport { f1 } from './m1'\n",
    "import { f0, K } from './m0'\nexport function f1(k: K) { f0(); k.go() }\n",
    "import { K } from './m2'\nexport class L extends K { run() { this.go(); this.run() } }\n",
    "export { f0 as f1 } from './m3'\nimport * as all from './m0'\nall.f0(); what.run()\n",
    "import { L, f2, f1 } from './m2'\nexport function make(): L { return new L() }\nmake().run(); f2(); f1()\n",
    "export function f1() {}\nexport function f2() {}\nexport interface K { go(): void }\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn updating_is_the_same_as_building_anew(edits in proptest::collection::vec((0_usize..4, 0_usize..9), 1..10)) {
        let mut tree = Tree::new("//- m0.ts\nexport function f0() {}\n//- m1.ts\n//- m2.ts\n");
        for (file, content) in edits {
            let path = tree.root.path().join(format!("m{file}.ts"));
            match CONTENTS.get(content) {
                // The length differs each time, so that a coarse clock cannot hide an edit.
                Some(text) => fs::write(&path, format!("{text}//{}\n", "x".repeat(tree.index.snapshot().edge_count() * 2 + file))).expect("a file"),
                None => { let _ = fs::remove_file(&path); }
            }
            tree.refresh();
            prop_assert_eq!(tree.edges(), tree.edges_anew());
        }
    }
}
