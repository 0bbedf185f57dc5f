//! The memory that indexing a very large tree takes, measured in a process of its own.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use oldhand_code::index::Index;

use super::{Anything, copy_tree, options};

/// Copies `tree` until it has `lines` lines, and tells what indexing all of it takes.
pub(super) fn measure(tree: &Path, lines: u64, report: &mut String) -> Anything<()> {
    let folder = tempfile::tempdir()?;
    let mut copies = 0;
    let mut so_far = 0;
    while so_far < lines {
        let copy = folder.path().join(format!("copy{copies}"));
        copy_tree(tree, &copy)?;
        so_far += count_lines(&copy)?;
        copies += 1;
    }
    let output = Command::new(std::env::current_exe()?)
        .arg("--only-index")
        .arg(folder.path())
        .output()?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    writeln!(
        report,
        "{copies} copies of the first tree, {told}, goal 1 GB at 5 M lines"
    )?;
    Ok(())
}

fn count_lines(tree: &Path) -> Anything<u64> {
    let mut lines = 0;
    let mut unseen = vec![tree.to_owned()];
    while let Some(folder) = unseen.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                unseen.push(path);
            } else if oldhand_code::language::language_of(&path.to_string_lossy()).is_some() {
                lines += memchr::memchr_iter(b'\n', &fs::read(path)?).count() as u64;
            }
        }
    }
    Ok(lines)
}

/// Indexes `tree` and prints what it took: nothing else runs in this process.
pub(super) fn index(tree: &Path) -> Anything<()> {
    let state = tempfile::tempdir()?;
    let start = Instant::now();
    let (index, _) = Index::build(tree, state.path(), &options(), &mut |_| {})?;
    let took = start.elapsed();
    let snapshot = index.snapshot();
    let lines: u64 = snapshot
        .files()
        .map(|file| u64::from(snapshot.file(file).lines))
        .sum();
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .map_or("unknown", str::trim);
    let (files, edges) = (snapshot.file_count(), snapshot.edge_count());
    let mut out = std::io::stdout();
    std::io::Write::write_all(
        &mut out,
        format!("{files} files, {lines} lines, {edges} edges: indexed in {took:.1?}, at most {peak} of memory").as_bytes(),
    )?;
    Ok(())
}
