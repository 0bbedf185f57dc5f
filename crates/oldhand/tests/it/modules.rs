//! Memories of one module: by the map of the code, however sessions call it.

use oldhand_testkit::Sandbox;
use serde_json::Value;

use crate::repository;

/// Two crates, a memory about a file of each, one about a manifest and one that names a folder as its module.
fn taught() -> Sandbox {
    let sandbox = repository();
    for name in ["walker", "matcher"] {
        let manifest = format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n");
        sandbox.write(&format!("crates/{name}/Cargo.toml"), &manifest);
        for file in ["lib", "deep", "more"] {
            let function = format!("pub fn {name}_{file}() -> u32 {{\n    7\n}}\n");
            sandbox.write(&format!("crates/{name}/src/{file}.rs"), &function);
        }
    }
    for (words, of) in [
        (
            "Symlinks are followed once.",
            ["--file", "crates/walker/src/lib.rs"],
        ),
        (
            "Symlinks need the fs feature.",
            ["--file", "crates/walker/Cargo.toml"],
        ),
        (
            "Symlinks of parents are skipped.",
            ["--module", "crates/walker/src"],
        ),
        (
            "Symlinks never match a glob.",
            ["--file", "crates/matcher/src/deep.rs"],
        ),
    ] {
        let taught = ["remember", words].into_iter().chain(of);
        sandbox.oldhand(taught).run().success();
    }
    sandbox
}

fn found(sandbox: &Sandbox, command: &[&str], module: &str) -> Vec<String> {
    let words = [command, &["--json", "--module", module]].concat();
    let outcome = sandbox.oldhand(words).run();
    let answer: Value = serde_json::from_str(&outcome.stdout).expect("one JSON document");
    let list = answer.get("results").unwrap_or(&answer["memories"]);
    let list = list.as_array().unwrap_or_else(|| panic!("{outcome}"));
    let mut said: Vec<String> = list
        .iter()
        .map(|memory| memory["content"].as_str().unwrap_or_default().to_owned())
        .collect();
    said.sort();
    said
}

#[test]
fn a_module_of_the_map_has_the_memories_about_its_files() {
    let sandbox = taught();
    sandbox.oldhand(["map"]).run().success();
    let walker = [
        "Symlinks are followed once.",
        "Symlinks need the fs feature.",
        "Symlinks of parents are skipped.",
    ];
    for command in [["search", "symlinks"].as_slice(), &["list"]] {
        for module in ["walker", "Walker", "crates/walker"] {
            assert_eq!(
                found(&sandbox, command, module),
                walker,
                "{command:?} {module}"
            );
        }
        let matcher = found(&sandbox, command, "matcher");
        assert_eq!(matcher, ["Symlinks never match a glob."]);
    }
}

#[test]
fn a_module_that_is_not_there_is_told_with_those_there_are() {
    let sandbox = taught();
    let asked = || {
        sandbox
            .oldhand(["search", "symlinks", "--module", "walkers"])
            .run()
    };
    let unread = asked();
    assert_eq!(unread.code, Some(1));
    let known = "no module is called `walkers`: there are crates/walker/src";
    assert!(unread.stderr.contains(known), "{unread}");
    sandbox.oldhand(["map"]).run().success();
    let said = asked();
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("did you mean `walker`?"), "{said}");
    assert!(said.stderr.contains("`oldhand map`"), "{said}");
    let carried = found(&sandbox, &["list"], "crates/walker/src");
    assert!(!carried.is_empty());
}
