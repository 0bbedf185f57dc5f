//! `cargo xtask bench`: numbers with the command that makes them. Start reading at [`ALL`].

mod code_warm;
mod cold;
mod graph;
mod hooks;
mod observer;
mod page;
mod power;
mod promoted;
mod repository;
mod retrieval;
mod spent;
mod store;
mod warm;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::house::House;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which benchmark; without it, they are listed.
    name: Option<String>,
    /// What to measure: folders for `graph`, each with `=` and a SCIP index behind it where there is one; lists of commits
    /// for `cochange`; folders of source code for `code-search`, with `=held-out` behind those no weight was chosen on; a clone
    /// and how many copies of it for `code-warm`; a folder of Claude Code transcripts for `observer` (without it, this machine's own); pairs of SESSIONS.jsonl and a clone for `sessions`; pairs of a clone and the folder of its transcripts for `promoted`; pairs of
    /// COMMITS.jsonl and a clone for `messages`; TASKS.jsonl, a folder of clones and N (every Nth task is asked) for `localise`;
    /// the folder of the data for `retrieval` and `calibration`; folders of source code for `vectors`.
    over: Vec<String>,
}

/// A benchmark and the page it fills.
struct Bench {
    name: &'static str,
    says: &'static str,
    how: How,
}

enum How {
    /// Measured here, over real processes.
    Here(fn(&House) -> Result<String>),
    /// Measured over what the caller names.
    Over(fn(&House, &[String]) -> Result<String>),
    /// Measured by a room itself, through this cargo command; the page shows what it printed.
    Room(&'static [&'static str]),
    /// The same, through an example of a room, with what comes before what the caller names.
    Example(&'static str, &'static str, &'static [&'static str]),
}

const ALL: [Bench; 18] = [
    Bench {
        name: "calibration",
        says: "what relevance and nearness mean, fitted for every model of the binary",
        how: How::Example("oldhand-recall", "retrieval_bench", &["calibrate"]),
    },
    Bench {
        name: "cochange",
        says: "what else must change: from one file to the others, and from a message to files, against plain counting",
        how: How::Over(graph::cochange),
    },
    Bench {
        name: "code-search",
        says: "the right function first: asked with its documentation, which was taken out, by words, by meaning and by both as `search --code` does",
        how: How::Example("oldhand-engine", "code_search_bench", &[]),
    },
    Bench {
        name: "code-warm",
        says: "code search of a server that stays open, in a repository made larger by copies of itself",
        how: How::Over(code_warm::run),
    },
    Bench {
        name: "cold",
        says: "`search`, `context` and `show` as new processes at 1 000, 10 000 and 100 000 memories, and a server that stays open",
        how: How::Here(cold::run),
    },
    Bench {
        name: "database",
        says: "opening, reading, listing, searching and saving at 100 000 memories, without a process around it",
        how: How::Room(&["bench", "--package", "oldhand-store", "--bench", "store"]),
    },
    Bench {
        name: "embed",
        says: "the first text of a process, then short texts a second on one core",
        how: How::Example("oldhand-embed", "speed", &[]),
    },
    Bench {
        name: "graph",
        says: "is the map true, and is it instant: against compilers, bare parsing, one edit, a branch switch, a million nodes",
        how: How::Over(graph::graph),
    },
    Bench {
        name: "hooks",
        says: "what an agent waits for: a hook per kind of event at 10 000 memories, alone and with eight at once",
        how: How::Here(hooks::run),
    },
    Bench {
        name: "localise",
        says: "from the text of an issue to the files of its fix, against BM25 over files",
        how: How::Example("oldhand-engine", "predict_bench", &["localise"]),
    },
    Bench {
        name: "messages",
        says: "from the message of a commit to the files it changes, as `context` answers, against BM25 over files",
        how: How::Example("oldhand-engine", "predict_bench", &["messages"]),
    },
    Bench {
        name: "observer",
        says: "transcripts taken in a second and the memory it takes; events folded, detected and worded, against only walking over them",
        how: How::Over(observer::run),
    },
    Bench {
        name: "promoted",
        says: "what real histories teach, beside what two readers said of each statement",
        how: How::Over(promoted::run),
    },
    Bench {
        name: "redact",
        says: "the first call of a process, 4 KB events, and bytes a second on one core",
        how: How::Room(&["bench", "--package", "oldhand-redact"]),
    },
    Bench {
        name: "retrieval",
        says: "the right memory first: recall on data with known answers, beside baselines, each stage on its own",
        how: How::Over(retrieval::run),
    },
    Bench {
        name: "sessions",
        says: "which files a real session goes on to touch, predicted from its first prompt and from the files at hand, against plain baselines",
        how: How::Example("oldhand-engine", "predict_bench", &["sessions"]),
    },
    Bench {
        name: "store",
        says: "the promises under stress: twenty writers at once, kill -9, power cuts",
        how: How::Here(store::run),
    },
    Bench {
        name: "vectors",
        says: "pieces of real code: how much of what brute force finds a search finds, and how long it takes",
        how: How::Example("oldhand-store", "vectors_bench", &[]),
    },
];

pub(crate) fn run(house: &House, args: &Args) -> Result<ExitCode> {
    let Some(name) = &args.name else {
        for bench in &ALL {
            println!("{:11} {}", bench.name, bench.says);
        }
        return Ok(ExitCode::SUCCESS);
    };
    let Some(bench) = ALL.iter().find(|bench| bench.name == name) else {
        bail!("there is no benchmark `{name}`; `cargo xtask bench` lists them");
    };
    let body = match bench.how {
        How::Here(measure) => measure(house)?,
        How::Over(measure) => measure(house, &args.over)?,
        How::Room(arguments) => ask_room(house, arguments, &args.over)?,
        How::Example(room, example, first) => {
            let run = [
                "run",
                "--release",
                "--package",
                room,
                "--example",
                example,
                "--",
            ];
            ask_room(house, &[&run[..], first].concat(), &args.over)?
        }
    };
    let path = format!("docs/benchmarks/{}.md", bench.name);
    let old = fs::read_to_string(house.root.join(&path)).unwrap_or_default();
    let page = format!(
        "# Benchmark: {}\n\n{}.\n\n{}\n\n{}{}",
        bench.name,
        capitalised(bench.says),
        provenance(house, bench.name)?,
        body,
        reading(&old)
    );
    let folder = house.root.join("docs/benchmarks");
    fs::create_dir_all(&folder).context("could not make docs/benchmarks")?;
    fs::write(house.root.join(&path), &page).with_context(|| format!("could not write {path}"))?;
    println!("{page}\nwritten to {path}");
    Ok(ExitCode::SUCCESS)
}

/// What a person wrote below the numbers stays, and has to be read again beside the new ones.
fn reading(old: &str) -> String {
    let heading = "\n## What the numbers say\n";
    old.find(heading)
        .map_or_else(String::new, |at| old[at..].to_owned())
}

fn ask_room(house: &House, arguments: &[&str], data: &[String]) -> Result<String> {
    let mut room = house.cargo(arguments);
    let output = room.args(data).stderr(Stdio::inherit()).output()?;
    // Where the data lies is this machine's own business.
    let names = data
        .iter()
        .map(|path| path.rsplit('/').next().unwrap_or(path));
    let words: Vec<&str> = arguments.iter().copied().chain(names).collect();
    let command = words.join(" ");
    ensure!(
        output.status.success(),
        "`cargo {command}` ended with {}",
        output.status
    );
    let printed = String::from_utf8(output.stdout).context("a benchmark prints text")?;
    let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
    Ok(format!(
        "`cargo {command}` printed:\n\n```text\n{}\n```\n",
        lines.join("\n").trim_end()
    ))
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// How a page came to be, so that anybody can make it again.
fn provenance(house: &House, name: &str) -> Result<String> {
    let git = |arguments: &[&str]| -> Result<String> {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(&house.root)
            .output()?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short", "HEAD"])?;
    let changed = if git(&["status", "--short", "--", "crates"])?.is_empty() {
        ""
    } else {
        ", with changes on top"
    };
    let cores = std::thread::available_parallelism()?;
    Ok(format!(
        "Written by `cargo xtask bench {name}` at commit {commit}{changed}, release build, {} {}, {cores} cores. Times are \
         only comparable within this page.",
        std::env::consts::OS,
        std::env::consts::ARCH
    ))
}

/// Builds a binary of the workspace in release, and says where a copy of it is, as an installation makes one. What a linker has just written lies in the
/// system's cache in single pages, a copy in longer stretches, and a process starts from those sooner.
fn build(house: &House, package: &str, binary: &str, features: &[&str]) -> Result<PathBuf> {
    let mut build = house.cargo(["build", "--release", "--locked", "--package", package]);
    build.args(["--bin", binary, "--features", &features.join(",")]);
    let status = build.status()?;
    ensure!(status.success(), "could not build {binary}");
    let name = format!("{binary}{}", std::env::consts::EXE_SUFFIX);
    let target = house.target_directory()?;
    let copies = target.join("bench");
    fs::create_dir_all(&copies)?;
    let copy = copies.join(&name);
    // Written over an old one, it would lie where that did.
    if copy.exists() {
        fs::remove_file(&copy)?;
    }
    fs::copy(target.join("release").join(name), &copy)?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_wrote_below_the_numbers_stays() {
        assert_eq!(reading("# A\n\n| 1 |\n"), "");
        let written = "\n## What the numbers say\n\nMuch.\n";
        assert_eq!(reading(&format!("# A\n\n| 1 |\n{written}")), written);
    }
}
