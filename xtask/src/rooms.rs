//! Who may know whom, and which outside crate lives in which room.
//!
//! ARCHITECTURE.md draws the house; the two tables here are that drawing as law. A crate of ours that knows more
//! than its line says fails, and so does an outside crate that nobody gave a room: a new dependency is a decision.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::house::House;
use crate::report::Verdict;

/// A crate of ours and the crates of ours it may know.
struct Room {
    name: &'static str,
    knows: &'static [&'static str],
    /// What its tests may know on top of that, the testkit included.
    tries: &'static [&'static str],
}

const ROOMS: &[Room] = &[
    room("oldhand-domain", &[]),
    room("oldhand-redact", &[]),
    room("oldhand-grammars", &[]),
    room("oldhand-observe", &["oldhand-domain"]),
    Room {
        name: "oldhand-recall",
        knows: &["oldhand-domain"],
        // How well meaning is found is measured with the real model.
        tries: &["oldhand-embed"],
    },
    room("oldhand-embed", &["oldhand-domain"]),
    Room {
        name: "oldhand-store",
        knows: &["oldhand-domain"],
        // The file of vectors is tried with vectors of the real model.
        tries: &["oldhand-embed"],
    },
    room("oldhand-code", &["oldhand-domain", "oldhand-grammars"]),
    Room {
        name: "oldhand-engine",
        knows: &[
            "oldhand-code",
            "oldhand-domain",
            "oldhand-observe",
            "oldhand-recall",
            "oldhand-redact",
        ],
        // The engine is tried with the real adapters plugged in.
        tries: &["oldhand-embed", "oldhand-store"],
    },
    Room {
        name: "oldhand",
        knows: &[
            "oldhand-code",
            "oldhand-domain",
            "oldhand-embed",
            "oldhand-engine",
            "oldhand-observe",
            "oldhand-recall",
            "oldhand-redact",
            "oldhand-store",
        ],
        // What a database does that somebody else holds is tried with a real hold on it.
        tries: &["rusqlite"],
    },
    room("oldhand-testkit", &["oldhand-domain", "oldhand-store"]),
    room("xtask", &["oldhand-testkit"]),
];

/// An outside crate (or, with a closing `*`, a family of them) and the rooms it lives in.
struct Guest {
    name: &'static str,
    rooms: &'static [&'static str],
}

/// Any room at all: for crates that are words rather than machinery.
const ANYWHERE: &[&str] = &[];

const GUESTS: &[Guest] = &[
    guest("aho-corasick", &["oldhand-observe"]),
    guest("anstream", &["oldhand"]),
    guest("anstyle", &["oldhand"]),
    guest("anyhow", &["oldhand", "xtask"]),
    guest(
        "blake3",
        &["oldhand", "oldhand-domain", "oldhand-store", "oldhand-code"],
    ),
    guest("clap", &["oldhand", "xtask"]),
    guest("clap_complete", &["oldhand"]),
    // One key at a time in `oldhand review`; indicatif brings it along anyway.
    guest("console", &["oldhand"]),
    guest("ctrlc", &["oldhand"]),
    guest("etcetera", &["oldhand"]),
    guest("gix", &["oldhand-code"]),
    // HTTP as the MCP library speaks it, and no framework around it.
    guest("http-body-util", &["oldhand"]),
    guest("hyper", &["oldhand"]),
    guest("hyper-util", &["oldhand"]),
    guest("ignore", &["oldhand-code"]),
    guest("indicatif", &["oldhand"]),
    guest("jiff", ANYWHERE),
    // In `oldhand` for the flag that keeps it from waiting at a pipe.
    guest("libc", &["oldhand", "xtask"]),
    guest("memchr", &["oldhand-code"]),
    guest("memmap2", &["oldhand-store", "oldhand-code"]),
    guest("rmcp", &["oldhand"]),
    // A door that stays open hears of changes instead of looking for them.
    guest("notify", &["oldhand"]),
    guest("rusqlite", &["oldhand-store"]),
    // In `oldhand-recall` for the words of a close reading, which lasts as long as hashing them, and in `oldhand-store` for those of all memories.
    guest(
        "rustc-hash",
        &["oldhand-code", "oldhand-recall", "oldhand-store"],
    ),
    guest("serde", ANYWHERE),
    guest("serde_json", ANYWHERE),
    // In `oldhand` for what is read of the code where nothing can be kept.
    guest(
        "tempfile",
        &["oldhand", "oldhand-store", "oldhand-testkit", "xtask"],
    ),
    guest("terminal_size", &["oldhand"]),
    guest("thiserror", ANYWHERE),
    guest("tokio", &["oldhand"]),
    guest("toml", &["oldhand", "oldhand-code", "xtask"]),
    guest("toml_edit", &["oldhand"]),
    guest("tree-sitter*", &["oldhand-grammars", "oldhand-code"]),
    guest("unicode-width", &["oldhand"]),
    guest("uuid", &["oldhand", "oldhand-domain", "oldhand-store"]),
];

/// Crates that any room may use in its tests and benchmarks.
const TEST_GUESTS: &[&str] = &[
    "divan",
    "insta",
    "oldhand-testkit",
    "proptest",
    "tempfile",
    "uuid",
];

const fn room(name: &'static str, knows: &'static [&'static str]) -> Room {
    let tries = &[];
    Room { name, knows, tries }
}

const fn guest(name: &'static str, rooms: &'static [&'static str]) -> Guest {
    Guest { name, rooms }
}

pub(crate) fn check(house: &House) -> Result<Verdict> {
    let metadata = ["metadata", "--format-version", "1", "--no-deps", "--locked"];
    let output = house.cargo(metadata).output()?;
    ensure!(
        output.status.success(),
        "`cargo metadata` failed: {}",
        String::from_utf8_lossy(&output.stderr).trim_end()
    );
    let workspace: Workspace =
        serde_json::from_slice(&output.stdout).context("could not read `cargo metadata`")?;
    let complaints = complaints(&workspace.packages);
    for complaint in &complaints {
        println!("{complaint}");
    }
    Ok(match complaints.len() {
        0 => Verdict::Passed,
        count => Verdict::Failed(format!("{count} walls broken")),
    })
}

#[derive(Deserialize)]
struct Workspace {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
}

fn complaints(packages: &[Package]) -> Vec<String> {
    let ours: BTreeSet<&str> = packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let mut complaints = Vec::new();
    for package in packages {
        let name = &package.name;
        let Some(room) = ROOMS.iter().find(|room| room.name == *name) else {
            complaints.push(format!("{name} has no line in xtask/src/rooms.rs"));
            continue;
        };
        for Dependency { name: other, kind } in &package.dependencies {
            let in_tests = kind.as_deref() == Some("dev");
            if in_tests
                && (TEST_GUESTS.contains(&other.as_str()) || room.tries.contains(&other.as_str()))
            {
                continue;
            }
            if ours.contains(other.as_str()) {
                if !room.knows.contains(&other.as_str()) {
                    complaints.push(format!("{name} may not know {other}"));
                }
                continue;
            }
            match GUESTS.iter().find(|guest| guest.is(other)) {
                None => complaints.push(format!(
                    "{other}, used by {name}, has no room in xtask/src/rooms.rs"
                )),
                Some(guest) if !guest.may_live_in(name) => {
                    complaints.push(format!("{other} may not live in {name}"));
                }
                Some(_) => {}
            }
        }
    }
    complaints
}

impl Guest {
    fn is(&self, name: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(family) => name.starts_with(family),
            None => name == self.name,
        }
    }

    fn may_live_in(&self, room: &str) -> bool {
        self.rooms == ANYWHERE || self.rooms.contains(&room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        let dependencies = dependencies
            .iter()
            .map(|&(name, kind)| Dependency {
                name: name.to_owned(),
                kind: kind.map(str::to_owned),
            })
            .collect();
        Package {
            name: name.to_owned(),
            dependencies,
        }
    }

    #[test]
    fn a_brain_that_knows_an_adapter_is_told() {
        let packages = [
            package("oldhand-store", &[("rusqlite", None)]),
            package("oldhand-recall", &[("oldhand-store", None)]),
        ];
        assert_eq!(
            complaints(&packages),
            ["oldhand-recall may not know oldhand-store"]
        );
    }

    #[test]
    fn a_guest_in_the_wrong_room_is_told() {
        let packages = [package("oldhand-engine", &[("rusqlite", None)])];
        assert_eq!(
            complaints(&packages),
            ["rusqlite may not live in oldhand-engine"]
        );
    }

    #[test]
    fn a_dependency_nobody_decided_on_is_told() {
        let packages = [package("oldhand-domain", &[("left-pad", None)])];
        assert_eq!(
            complaints(&packages),
            ["left-pad, used by oldhand-domain, has no room in xtask/src/rooms.rs"]
        );
    }

    #[test]
    fn a_test_may_use_what_the_code_may_not() {
        let testkit = package("oldhand-testkit", &[]);
        let packages = [
            testkit,
            package("oldhand-recall", &[("oldhand-testkit", Some("dev"))]),
        ];
        assert_eq!(complaints(&packages), [""; 0]);
        let testkit = package("oldhand-testkit", &[]);
        let packages = [
            testkit,
            package("oldhand-recall", &[("oldhand-testkit", None)]),
        ];
        assert_eq!(
            complaints(&packages),
            ["oldhand-recall may not know oldhand-testkit"]
        );
    }

    #[test]
    fn a_crate_without_a_room_is_told() {
        assert_eq!(
            complaints(&[package("oldhand-attic", &[])]),
            ["oldhand-attic has no line in xtask/src/rooms.rs"]
        );
    }

    #[test]
    fn a_family_of_grammars_lives_in_one_room() {
        let packages = [
            package("oldhand-grammars", &[("tree-sitter-rust", None)]),
            package("oldhand-observe", &[("tree-sitter-rust", None)]),
        ];
        assert_eq!(
            complaints(&packages),
            ["tree-sitter-rust may not live in oldhand-observe"]
        );
    }
}
