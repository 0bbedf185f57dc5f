//! Trees and neighbours that make it hard: large files, trees that change while they are read, several readers at once.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Index, Options, Progress};
use crate::answer::impact::{Bounds, Direction};
use crate::problem::ProblemKind;
use crate::read::Generated;
use crate::testing::shown;
use crate::walk::Skip;

fn options() -> Options {
    Options {
        threads: 2,
        max_bytes: 1 << 20,
        skip: Skip::Usual,
        generated: Generated::Skip,
    }
}

fn put(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn build(root: &Path, state: &Path, options: &Options) -> Index {
    let (index, _) = Index::build(root, state, options, &mut |_| {}).expect("builds");
    index
}

fn names(index: &Index) -> Vec<&str> {
    let snapshot = index.snapshot();
    snapshot.symbols().map(|node| snapshot.name(node)).collect()
}

#[test]
fn fifty_megabytes_in_one_line_are_known_by_name_alone() {
    let (root, state) = (folder(), folder());
    put(root.path(), "bundle.js", "var a=1;".repeat(50 << 17));
    put(root.path(), "small.js", "export const ok = 1\n");
    for (most, reason) in [(1 << 20, "is larger than"), (1 << 30, "is minified")] {
        let options = Options {
            max_bytes: most,
            ..options()
        };
        let index = build(root.path(), state.path(), &options);
        let problems = index.snapshot().problems();
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].kind, ProblemKind::Skipped);
        assert!(problems[0].detail.contains(reason), "{}", problems[0]);
        assert_eq!(names(&index), ["ok"]);
    }
}

#[test]
fn a_tree_that_changes_while_it_is_read_ends_up_right() {
    let (root, state) = (folder(), folder());
    let text = |number: usize, of: usize| {
        format!(
            "import {{ f{of} }} from './m{of}'\nexport function f{number}() {{ return f{of}() }}\n"
        )
    };
    for number in 0..60 {
        put(
            root.path(),
            &format!("m{number}.ts"),
            text(number, (number + 1) % 60),
        );
    }
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..2_000_usize {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let number = round % 60;
                let path = root.path().join(format!("m{number}.ts"));
                if round % 3 == 0 {
                    let _ = fs::remove_file(path);
                } else {
                    let _ = fs::write(path, text(number, (round * 7) % 60));
                }
            }
        });
        let mut index = build(root.path(), state.path(), &options());
        for _ in 0..10 {
            index.refresh(&mut |_| {}).expect("refreshes");
            assert!(index.snapshot().verify());
        }
        is_over.store(true, Ordering::Relaxed);
    });
    // A coarse clock cannot tell two writes of one moment apart: what is looked at last has another length.
    for number in 0..60 {
        let more = "// the last word\n".repeat(3);
        put(
            root.path(),
            &format!("m{number}.ts"),
            text(number, (number + 1) % 60) + &more,
        );
    }
    let mut index = Index::open(root.path(), state.path(), &options()).expect("was built");
    index.refresh(&mut |_| {}).expect("refreshes");
    let anew = folder();
    let fresh = build(root.path(), anew.path(), &options());
    let all = |index: &Index| shown(index.snapshot(), |_, _, _| true);
    assert_eq!(all(&index), all(&fresh));
}

#[test]
fn imports_that_go_in_circles_end_in_every_language() {
    let (root, state) = (folder(), folder());
    for (path, text) in [
        (
            "a.ts",
            "export * from './b'\nimport { b } from './b'\nexport function a() { b() }\n",
        ),
        (
            "b.ts",
            "export * from './a'\nimport { a } from './a'\nexport function b() { a() }\n",
        ),
        ("p/__init__.py", "from .x import *\nfrom .y import *\n"),
        (
            "p/x.py",
            "from .y import *\nfrom . import y\ndef fx(): return y.fy()\n",
        ),
        (
            "p/y.py",
            "from .x import *\nfrom . import x\ndef fy(): return x.fx()\n",
        ),
        ("Cargo.toml", "[package]\nname = \"c\"\n"),
        (
            "src/lib.rs",
            "pub mod m;\npub use m::*;\npub fn l() { m::k() }\n",
        ),
        (
            "src/m.rs",
            "pub use super::*;\npub use crate::m::*;\npub fn k() { super::l() }\n",
        ),
        ("go.mod", "module example.org/g\n"),
        (
            "one/one.go",
            "package one\nimport \"example.org/g/two\"\nfunc One() { two.Two() }\n",
        ),
        (
            "two/two.go",
            "package two\nimport \"example.org/g/one\"\nfunc Two() { one.One() }\n",
        ),
    ] {
        put(root.path(), path, text);
    }
    let index = build(root.path(), state.path(), &options());
    let edges = shown(index.snapshot(), |_, _, _| true);
    for edge in [
        "a.ts:a calls b.ts:b",
        "b.ts:b calls a.ts:a",
        "p/x.py:fx calls p/y.py:fy",
        "p/y.py:fy calls p/x.py:fx",
        "src/lib.rs:l calls src/m.rs:k",
        "src/m.rs:k calls src/lib.rs:l",
        "one/one.go:One calls two/two.go:Two",
        "two/two.go:Two calls one/one.go:One",
    ] {
        assert!(edges.contains(edge), "{edge} in\n{edges}");
    }
}

#[test]
fn types_that_stand_on_each_other_in_circles_end() {
    let (root, state) = (folder(), folder());
    for (path, text) in [
        (
            "a.ts",
            "import { B } from './b'\nexport class A extends B { run() {} }\nexport class S extends S { run() {} }\n",
        ),
        (
            "b.ts",
            "import { A } from './a'\nexport class B extends A { run() {} }\n",
        ),
        ("Cargo.toml", "[package]\nname = \"c\"\n"),
        (
            "src/lib.rs",
            "trait T: U { fn t(&self); }\ntrait U: T { fn u(&self); }\nstruct X;\nstruct Y;\n\
             impl T for X { fn t(&self) { self.missing() } }\nimpl Deref for X { type Target = Y; }\n\
             impl Deref for Y { type Target = X; }\nmacro_rules! m { ($n:ident) => { m!($n); fn $n() {} } }\nm!(f);\n",
        ),
    ] {
        put(root.path(), path, text);
    }
    let index = build(root.path(), state.path(), &options());
    let edges = shown(index.snapshot(), |_, _, _| true);
    for edge in [
        "a.ts:A.run extends b.ts:B.run",
        "b.ts:B.run extends a.ts:A.run",
        "src/lib.rs:X.t implements src/lib.rs:T.t",
    ] {
        assert!(edges.contains(edge), "{edge} in\n{edges}");
    }
    let bounds = Bounds {
        depth: 32,
        nodes: 100,
        confidence: 0,
    };
    for direction in [Direction::Dependents, Direction::Dependencies] {
        let reached = index.impact(&index.locate("A.run"), direction, bounds);
        assert_eq!(reached.reached.len(), 1);
    }
}

#[test]
fn what_stands_in_for_what_follows_edits_of_bases_far_away() {
    let (root, state) = (folder(), folder());
    let base = "class Root: pass\nclass Base(Root):\n    def run(self): pass\n";
    put(root.path(), "p/__init__.py", "");
    put(root.path(), "p/base.py", base);
    put(
        root.path(),
        "p/mid.py",
        "from p.base import Base\nclass Mid(Base): pass\n",
    );
    let leaf = "from p.mid import Mid\nclass Leaf(Mid):\n    def run(self): pass\n    def stop(self): pass\n";
    put(root.path(), "p/leaf.py", leaf);
    let mut index = build(root.path(), state.path(), &options());
    let mut after = |path: &str, text: &str| {
        put(root.path(), path, text);
        index.refresh(&mut |_| {}).expect("is kept up");
        let edges = shown(index.snapshot(), |graph, from, _| {
            graph.path(graph.file_of(from)) == "p/leaf.py" && !graph.kind(from).is_type()
        });
        let members = edges.lines().filter(|edge| edge.contains(" extends "));
        members.collect::<Vec<_>>().join("; ")
    };
    let run = "p/leaf.py:Leaf.run extends p/base.py:Base.run";
    let stops = base.replace("Root: pass", "Root:\n    def stop(self): pass");
    let stop = "p/leaf.py:Leaf.stop extends p/base.py:Root.stop";
    assert_eq!(after("p/base.py", &stops), format!("{run}; {stop}"));
    assert_eq!(after("p/base.py", &base.replace("run", "runs")), "");
    assert_eq!(after("p/base.py", base), run);
    assert_eq!(after("p/mid.py", "class Mid: pass\n"), "");
}

#[test]
fn a_file_of_thousands_of_macros_blocks_and_interfaces_is_read_whole() {
    const MANY: usize = 6_000;
    let (root, state) = (folder(), folder());
    let many = |line: &dyn Fn(usize) -> String| (0..MANY).map(line).collect::<String>();
    let calls = many(&|n| format!("m!(f{n});\n"));
    let rules = "macro_rules! m { ($n:ident) => { pub fn $n() {} } }\n";
    put(root.path(), "macros.rs", format!("{rules}{calls}"));
    let blocks = many(&|n| format!("impl A{n} {{ fn b{n}() {{}} }}\n"));
    put(root.path(), "blocks.rs", blocks);
    let same = many(&|n| format!("impl T{n} for S {{ fn g{n}(&self) {{}} }}\n"));
    put(
        root.path(),
        "same.rs",
        format!("struct S;\ntrait T7 {{ fn g7(&self); }}\n{same}"),
    );
    let again = many(&|_| "impl T for S { fn g(&self) {} }\n".to_owned());
    put(
        root.path(),
        "again.rs",
        format!("struct S;\ntrait T {{ fn g(&self); }}\n{again}"),
    );
    let types = many(&|n| {
        format!("type I{n} interface {{ M() }}\ntype T{n} struct{{}}\nfunc (t T{n}) M() {{}}\n")
    });
    put(root.path(), "types.go", format!("package a\n{types}"));
    let index = build(root.path(), state.path(), &options());
    assert_eq!(index.snapshot().problems(), []);
    let names = names(&index);
    for last in [
        format!("f{}", MANY - 1),
        format!("b{}", MANY - 1),
        format!("T{}", MANY - 1),
    ] {
        assert!(names.contains(&last.as_str()), "{last}");
    }
}

#[test]
fn code_that_is_being_typed_is_read_wherever_it_ends() {
    let whole = "macro_rules! m { ($n:ident, $v:expr) => { pub const $n: u8 = $v; }; ($n:ident) => { pub fn $n() {} } }\n\
         mod a { m!(é); m![ö, 'ß']; }\nimpl X { m! { ü } }\nm!(\"ä\", é);\n";
    let language = crate::language::language_of("a.rs").and_then(crate::language::LanguageId::get);
    let mut extractor = crate::extract::Extractor::default();
    for (end, _) in whole.char_indices() {
        let read = extractor.extract(language.expect("a known extension"), &whole[..end]);
        assert!(read.is_ok(), "cut at {end}");
    }
    for text in ["m!(é }", "m![é", "m!(a, é", "impl X { m!(é }"] {
        let text = format!("{whole}mod b {{ {text}");
        assert!(
            extractor
                .extract(language.expect("a known extension"), &text)
                .is_ok(),
            "{text}"
        );
    }
}

#[test]
fn a_submodule_is_read_with_its_own_rules_and_its_git_folder_is_not() {
    let (root, state) = (folder(), folder());
    put(
        root.path(),
        ".gitmodules",
        "[submodule \"lib\"]\n\tpath = lib\n\turl = ../lib\n",
    );
    put(
        root.path(),
        "main.ts",
        "import { help } from './lib/help'\nhelp()\n",
    );
    put(root.path(), "lib/.git", "gitdir: ../.git/modules/lib\n");
    put(root.path(), "lib/.gitignore", "made.ts\n");
    put(root.path(), "lib/help.ts", "export function help() {}\n");
    put(root.path(), "lib/made.ts", "export function made() {}\n");
    put(
        root.path(),
        ".git/modules/lib/hook.ts",
        "export function hook() {}\n",
    );
    let index = build(root.path(), state.path(), &options());
    assert_eq!(names(&index), ["help"]);
    let edges = shown(index.snapshot(), |_, _, _| true);
    assert!(edges.contains("main.ts calls lib/help.ts:help"), "{edges}");
}

#[test]
fn what_is_left_out_can_be_chosen_and_a_new_choice_reads_again() {
    let (root, state) = (folder(), folder());
    put(root.path(), "a.ts", "export const own = 1\n");
    put(root.path(), "vendor/b.ts", "export const vendored = 1\n");
    put(root.path(), "old/c.ts", "export const old = 1\n");
    put(
        root.path(),
        "made.ts",
        "// Code generated by a tool. DO NOT EDIT.\nexport const made = 1\n",
    );
    let usual = options();
    let others = [
        (usual.clone(), vec!["own", "old"]),
        (
            Options {
                skip: Skip::Also(vec!["old".to_owned()]),
                ..usual.clone()
            },
            vec!["own"],
        ),
        (
            Options {
                skip: Skip::Only(Vec::new()),
                generated: Generated::Read,
                ..usual.clone()
            },
            vec!["own", "made", "old", "vendored"],
        ),
        (usual, vec!["own", "old"]),
    ];
    for (options, expected) in others {
        assert!(Index::open(root.path(), state.path(), &options).is_none());
        let index = build(root.path(), state.path(), &options);
        assert_eq!(names(&index), expected, "{options:?}");
        assert!(Index::open(root.path(), state.path(), &options).is_some());
    }
}

#[test]
fn two_worktrees_have_a_graph_each_and_share_what_was_parsed() {
    let (main, state) = (folder(), folder());
    let linked = folder();
    for root in [main.path(), linked.path()] {
        put(root, "same.ts", "export const same = 1\n");
    }
    put(linked.path(), "more.ts", "export const more = 1\n");
    build(main.path(), state.path(), &options());
    let facts = || {
        fs::metadata(state.path().join("facts.bin"))
            .expect("is kept")
            .len()
    };
    let before = facts();
    build(linked.path(), state.path(), &options());
    let more = facts() - before;
    assert!(more > 0 && more < before, "only the new file is added");
    let here = Index::open(main.path(), state.path(), &options()).expect("is kept");
    let there = Index::open(linked.path(), state.path(), &options()).expect("is kept");
    assert_eq!(
        (names(&here), names(&there)),
        (vec!["same"], vec!["more", "same"])
    );
    assert!(here.drift().is_empty() && there.drift().is_empty());
    let trees = || {
        fs::read_dir(state.path().join("trees"))
            .expect("is there")
            .count()
    };
    assert_eq!(trees(), 2);
    drop(linked);
    build(main.path(), state.path(), &options());
    assert_eq!(trees(), 1, "the graph of a tree that is gone goes");
}

#[test]
fn who_asks_during_a_first_reading_is_answered_from_a_part() {
    let (root, state) = (folder(), folder());
    for number in 0..4000 {
        put(
            root.path(),
            &format!("d{:02}/f{number:04}.sh", number % 40),
            format!("f{number}() {{ :; }}\n"),
        );
    }
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let mut asked = |step| {
        if let Progress::Reading { done, of } = step
            && done > of / 2
            && parts.is_empty()
        {
            assert!(Index::open(root.path(), state.path(), &options()).is_none());
            let part = Index::open_part(root.path(), state.path(), &options());
            parts.push((part.expect("there is a part").snapshot().file_count(), of));
            let (read, all) = Index::being_read(root.path(), state.path()).expect("it is read");
            assert!(read >= 1000 && all == 4000, "{read} of {all}");
        }
    };
    let (index, _) =
        Index::build(root.path(), state.path(), &options(), &mut asked).expect("builds");
    assert_eq!(parts, [(1000, 4000)]);
    assert_eq!(index.snapshot().file_count(), 4000);
    assert_eq!(Index::being_read(root.path(), state.path()), None);
    assert!(Index::open_part(root.path(), state.path(), &options()).is_none());
}

#[test]
fn readers_at_once_all_come_to_the_same_graph() {
    let (root, state) = (folder(), folder());
    for number in 0..40 {
        let next = (number + 1) % 40;
        let text = format!(
            "import {{ f{next} }} from './m{next}'\nexport function f{number}() {{ f{next}() }}\n"
        );
        put(root.path(), &format!("m{number}.ts"), text);
    }
    let edges: Vec<String> = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    let mut index = build(root.path(), state.path(), &options());
                    index.refresh(&mut |_| {}).expect("refreshes");
                    shown(index.snapshot(), |_, _, _| true)
                })
            })
            .collect();
        let done = readers.into_iter().map(std::thread::ScopedJoinHandle::join);
        done.map(|edges| edges.expect("no reader fails")).collect()
    });
    assert!(
        edges
            .iter()
            .all(|one| *one == edges[0] && one.contains("m0.ts:f0 calls m1.ts:f1"))
    );
}

#[test]
fn an_interface_that_asks_for_more_loses_those_that_lack_it() {
    let (root, state) = (folder(), folder());
    put(root.path(), "go.mod", "module example.org/m\n");
    let interface =
        |more: &str| format!("package a\ntype Runner interface {{\n\tRun()\n{more}}}\n");
    put(root.path(), "a/a.go", interface(""));
    put(
        root.path(),
        "b/b.go",
        "package b\ntype Dog struct{}\nfunc (d Dog) Run() {}\n",
    );
    let mut index = build(root.path(), state.path(), &options());
    let edge = "b/b.go:Dog implements a/a.go:Runner";
    let edges = |index: &mut Index| {
        index.refresh(&mut |_| {}).expect("refreshes");
        shown(index.snapshot(), |_, _, _| true)
    };
    assert!(edges(&mut index).contains(edge));
    put(root.path(), "a/a.go", interface("\tBark()\n"));
    assert!(!edges(&mut index).contains(edge));
    put(root.path(), "b/c.go", "package b\nfunc (d Dog) Bark() {}\n");
    assert!(edges(&mut index).contains(edge));
}
