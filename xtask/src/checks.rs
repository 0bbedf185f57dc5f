//! The checks that keep the house true, one line each.

use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};
use oldhand_testkit::Client;

use crate::house::House;
use crate::report::{Report, Verdict};
use crate::{clients, repositories, rooms, tidy};

/// One thing that must hold, and how to find out.
#[derive(Clone, Copy)]
pub(crate) struct Check {
    name: &'static str,
    run: fn(&House) -> Result<Verdict>,
}

const FORMAT: Check = check("format", format);
const LINTS: Check = check("lints", lints);
const ROOMS: Check = check("rooms", rooms::check);
pub(crate) const REPOSITORIES: Check = check("real repositories", repositories::check);
pub(crate) const TIDY: Check = check("tidy", tidy::check);

const CLAUDE_CODE: Check = check("claude-code", |house| {
    clients::check(house, Client::ClaudeCode)
});

/// What `cargo xtask test` runs, quick ones first.
pub(crate) const ALL: [Check; 10] = [
    FORMAT,
    TIDY,
    ROOMS,
    LINTS,
    check("tests", tests),
    REPOSITORIES,
    CLAUDE_CODE,
    check("documentation examples", documentation_examples),
    check("documentation links", documentation_links),
    check("dependencies", dependencies),
];

/// What `cargo xtask test --agents` runs on top: clients that are large, or slow to start.
pub(crate) const AGENTS: [Check; 3] = [
    check("codex", |house| clients::check(house, Client::Codex)),
    check("gemini", |house| clients::check(house, Client::Gemini)),
    check("opencode", |house| clients::check(house, Client::OpenCode)),
];

/// What `cargo xtask check` runs.
pub(crate) const QUICK: [Check; 4] = [FORMAT, TIDY, ROOMS, LINTS];

/// The checks of these agents; of all where none is named.
pub(crate) fn of_agents(names: &[String]) -> Result<Vec<Check>> {
    let all = || std::iter::once(CLAUDE_CODE).chain(AGENTS);
    if names.is_empty() {
        return Ok(all().collect());
    }
    let named = names.iter().map(|name| {
        let found = all().find(|check| check.name == name);
        found.with_context(|| {
            let known: Vec<&str> = all().map(|check| check.name).collect();
            format!(
                "no agent is called `{name}`; known are {}",
                known.join(", ")
            )
        })
    });
    named.collect()
}

pub(crate) fn run<'a>(house: &House, checks: impl IntoIterator<Item = &'a Check>) -> ExitCode {
    let mut report = Report::default();
    for Check { name, run } in checks {
        println!("── {name}");
        let verdict = run(house).unwrap_or_else(|error| Verdict::Failed(format!("{error:#}")));
        report.add(name, verdict);
    }
    println!("── closing\n{}", report.closing());
    report.exit_code()
}

const fn check(name: &'static str, run: fn(&House) -> Result<Verdict>) -> Check {
    Check { name, run }
}

fn format(house: &House) -> Result<Verdict> {
    judge(&mut house.cargo(["fmt", "--all", "--check"]))
}

fn lints(house: &House) -> Result<Verdict> {
    let clippy = ["clippy", "--workspace", "--all-targets", "--locked"];
    let judged = judge(house.cargo(clippy).args(["--", "-D", "warnings"]))?;
    if !matches!(judged, Verdict::Passed) {
        return Ok(judged);
    }
    // Left out of "all targets", because it is run only where the clients are.
    let clients = ["clippy", "--workspace", "--locked", "--test", "clients"];
    judge(house.cargo(clients).args(["--", "-D", "warnings"]))
}

fn tests(house: &House) -> Result<Verdict> {
    if house.has_cargo("nextest") {
        let nextest = [
            "nextest",
            "run",
            "--workspace",
            "--locked",
            "--no-fail-fast",
        ];
        judge(&mut house.cargo(nextest))
    } else {
        let plain = ["test", "--workspace", "--locked", "--no-fail-fast"];
        judge(house.cargo(plain).args(["--lib", "--bins", "--tests"]))
    }
}

fn documentation_examples(house: &House) -> Result<Verdict> {
    judge(&mut house.cargo(["test", "--workspace", "--locked", "--doc"]))
}

fn documentation_links(house: &House) -> Result<Verdict> {
    let mut doc = house.cargo(["doc", "--workspace", "--locked", "--no-deps"]);
    judge(
        doc.arg("--document-private-items")
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}

fn dependencies(house: &House) -> Result<Verdict> {
    if !house.has_cargo("deny") {
        return Ok(Verdict::Skipped(
            "cargo-deny is not installed; `cargo install --locked cargo-deny` brings it".to_owned(),
        ));
    }
    let judged = judge(&mut house.cargo([
        "deny",
        "--workspace",
        "check",
        "bans",
        "licenses",
        "sources",
    ]))?;
    if !matches!(judged, Verdict::Passed) {
        return Ok(judged);
    }
    advisories(house)
}

/// Advisories come over the network: without one, the check says so instead of failing.
fn advisories(house: &House) -> Result<Verdict> {
    let fetched = house.cargo(["deny", "fetch", "db"]).status()?.success();
    if !fetched {
        return Ok(Verdict::Skipped(
            "licences, bans and sources hold; the advisory database could not be fetched"
                .to_owned(),
        ));
    }
    let offline = [
        "deny",
        "--workspace",
        "check",
        "--disable-fetch",
        "advisories",
    ];
    judge(&mut house.cargo(offline))
}

pub(crate) fn judge(command: &mut Command) -> Result<Verdict> {
    let status = command.status()?;
    if status.success() {
        return Ok(Verdict::Passed);
    }
    let line: Vec<_> = command
        .get_args()
        .map(|part| part.to_string_lossy())
        .collect();
    Ok(Verdict::Failed(format!(
        "`cargo {}` ended with {status}",
        line.join(" ")
    )))
}
