//! How the finished binary is linked on Linux: at a fixed place and with the C library inside, so that nothing has to be looked up
//! or moved when it starts (docs/decisions/0013), and with the place of the largest parse tables alone (docs/decisions/0019).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the linker is asked for, and what answers. A name that ends in `.so` is looked for first and may be a script.
const INSIDE: [(&str, &str); 7] = [
    ("c", "libc.a libgcc_eh.a libgcc.a"),
    ("gcc_s", "libgcc_eh.a libgcc.a"),
    ("m", "libm.a"),
    ("dl", "libdl.a"),
    ("pthread", "libpthread.a"),
    ("rt", "librt.a"),
    ("util", "libutil.a"),
];

/// The grammars whose tables are left out, as their crates are called. `crates/oldhand-grammars/build.rs` writes these in short.
const LARGE: [&str; 6] = ["c_sharp", "cpp", "kotlin_ng", "ruby", "scala", "swift"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if !is_linux || !is("PROFILE", "release") {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    if let Some(out) = env::var_os("OUT_DIR").map(PathBuf::from)
        && is_usual_linker()
        && fs::write(out.join("tables.ld"), without_tables()).is_ok()
    {
        println!("cargo::rustc-link-arg-bins=-T{}/tables.ld", out.display());
    }
    // The linker of another machine finds the libraries of this one.
    let is_native = env::var("HOST").is_ok_and(|host| is("TARGET", &host));
    let out = env::var_os("OUT_DIR").map(PathBuf::from);
    if let Some(out) = out
        && is_native
        && has_static_libraries()
        && write_scripts(&out).is_ok()
    {
        println!("cargo::rustc-link-arg-bins=-L{}", out.display());
        println!("cargo::rustc-link-arg-bins=-static");
    }
}

/// Whether nobody has chosen another linker than the one that Rust comes with or the C compiler uses: some know no scripts.
fn is_usual_linker() -> bool {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    env::var_os("RUSTC_LINKER").is_none()
        && !["linker", "-ld", "ld="]
            .iter()
            .any(|word| flags.contains(word))
}

/// What tells the linker that the tables have a place, behind all that begins as zeros, and no content. In front of them is the lock under
/// which they are written out, by which the place may be written to.
fn without_tables() -> String {
    let tables =
        LARGE.map(|grammar| format!("*/libtree_sitter_{grammar}-*.rlib:*(.rodata.ts_parse_table)"));
    format!(
        "SECTIONS {{ .tables (NOLOAD) : {{ *(.bss.oldhand_tables) {} }} }} INSERT AFTER .bss;\n",
        tables.join(" ")
    )
}

/// Some distributions have the C library as an archive in a package of its own.
fn has_static_libraries() -> bool {
    let archives = INSIDE.iter().flat_map(|(_, with)| with.split(' '));
    archives.into_iter().all(|archive| {
        let asked = Command::new("cc")
            .arg(format!("-print-file-name={archive}"))
            .output();
        // The name comes back as it was where there is no such file.
        asked
            .is_ok_and(|told| Path::new(String::from_utf8_lossy(&told.stdout).trim()).is_absolute())
    })
}

fn write_scripts(folder: &Path) -> std::io::Result<()> {
    for (name, with) in INSIDE {
        let script = format!("GROUP ( {with} )\n");
        fs::write(folder.join(format!("lib{name}.so")), script)?;
    }
    Ok(())
}
