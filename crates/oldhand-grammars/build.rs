//! Writes the largest parse tables in short, for the binary that has only their place. docs/decisions/0019.

use std::path::PathBuf;
use std::{env, fs, slice};

use tree_sitter_language::LanguageFn;

#[path = "src/rows/shorten.rs"]
mod shorten;
#[path = "src/table.rs"]
mod table;

/// The grammars whose tables are over a megabyte. `crates/oldhand/build.rs` empties these.
const LARGE: [(&str, LanguageFn); 6] = [
    ("c-sharp", tree_sitter_c_sharp::LANGUAGE),
    ("cpp", tree_sitter_cpp::LANGUAGE),
    ("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
    ("ruby", tree_sitter_ruby::LANGUAGE),
    ("scala", tree_sitter_scala::LANGUAGE),
    ("swift", tree_sitter_swift::LANGUAGE),
];

#[allow(
    clippy::disallowed_methods,
    reason = "a build script is told by the environment where to write its files"
)]
fn main() -> std::io::Result<()> {
    for path in ["build.rs", "src/rows/shorten.rs", "src/table.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo says where"));
    let is_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    let mut list = Vec::new();
    for (name, grammar) in LARGE.iter().filter(|_| is_linux) {
        let table = table::table(*grammar).expect("a version that is known");
        // SAFETY: this is where the grammar says its table is, and how long.
        let numbers = unsafe { slice::from_raw_parts(table.start, table.width * table.rows) };
        fs::write(out.join(name), shorten::shorten(numbers, table.width))?;
        list.push(format!(
            "({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\")))"
        ));
    }
    fs::write(out.join("short.rs"), format!("[{}]", list.join(", ")))
}
