//! Puts the text of every query file into the crate, so that a new language needs no line of code here.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=queries");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("queries");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .expect("the queries folder is part of the crate")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".scm").map(str::to_owned))
        .collect();
    names.sort();
    let mut table = String::from("&[\n");
    for name in names {
        let path = folder.join(format!("{name}.scm"));
        let path = path.to_str().expect("the path of the crate is UTF-8");
        writeln!(table, "    ({name:?}, include_str!({path:?})),").expect("a string takes all");
    }
    table.push_str("]\n");
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("queries.rs");
    fs::write(out, table).expect("the output folder is writable");
}
