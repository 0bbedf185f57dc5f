//! The clippy bans hold: a room that looks at the clock, the environment, files or processes fails its lints.

use std::fs;
use std::path::Path;
use std::process::Command;

/// One forbidden thing a line, in the order of the names below.
const SAMPLE: &str = r#"//! Breaks every wall.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub fn clock() -> std::time::SystemTime { std::time::SystemTime::now() }
pub fn environment() -> Option<std::ffi::OsString> { std::env::var_os("HOME") }
pub fn file() -> std::io::Result<Vec<u8>> { std::fs::read("a") }
pub fn process() -> std::process::Command { std::process::Command::new("a") }
pub fn exit() { std::process::exit(1) }
"#;
const THINGS: [(usize, &str); 5] = [
    (3, "clock"),
    (4, "environment"),
    (5, "file"),
    (6, "process"),
    (7, "exit"),
];

/// What clippy forbids in the sample under the clippy.toml of `room`.
fn forbidden(room: &str) -> Vec<&'static str> {
    let house = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let package = tempfile::tempdir().unwrap();
    let manifest = "[package]\nname = \"sample\"\nedition = \"2024\"\n[workspace]\n";
    fs::create_dir(package.path().join("src")).unwrap();
    fs::write(package.path().join("Cargo.toml"), manifest).unwrap();
    fs::write(package.path().join("src/lib.rs"), SAMPLE).unwrap();
    let output = Command::new("cargo")
        .args([
            "clippy",
            "--quiet",
            "--offline",
            "--message-format",
            "short",
        ])
        .current_dir(package.path())
        .env("CLIPPY_CONF_DIR", house.join(room))
        .env("CARGO_TARGET_DIR", package.path().join("target"))
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    let is_told = |line: usize| told.contains(&format!("src/lib.rs:{line}:"));
    let things: Vec<&str> = THINGS
        .into_iter()
        .filter(|(line, _)| is_told(*line))
        .map(|(_, thing)| thing)
        .collect();
    assert_eq!(output.status.success(), things.is_empty(), "{told}");
    things
}

#[test]
fn a_pure_room_may_touch_nothing() {
    assert_eq!(
        forbidden("."),
        ["clock", "environment", "file", "process", "exit"]
    );
}

#[test]
fn the_store_may_touch_files_only() {
    assert_eq!(
        forbidden("crates/oldhand-store"),
        ["clock", "environment", "process", "exit"]
    );
}

#[test]
fn the_doors_may_touch_everything_but_must_close_what_is_open() {
    assert_eq!(forbidden("crates/oldhand"), ["exit"]);
}
