//! The one screen that ends `oldhand init`: what was found, what is known, and what to do next.

use std::io::Write;

use anyhow::Result;
use oldhand_domain::path::ProjectPath;
use oldhand_engine::rules;

use super::agents::{self, State};
use super::{Arrival, Findings};
use crate::cli::import::rules::{Preview, manuals_of};
use crate::cli::{Door, status};
use crate::code::survey;
use crate::out::style::{FAINT, GOOD, STRONG};
use crate::out::time::count;

pub(super) fn tell(
    found: &Findings<'_>,
    known: &[String],
    overview: &status::Overview,
    door: &mut Door,
) -> Result<()> {
    let Findings {
        arrival,
        previews,
        taken,
        past,
        agents,
        silent,
        survey,
    } = found;
    let out = &mut door.out;
    let said = match arrival {
        Arrival::Created => "new project",
        Arrival::Known => "known project",
        Arrival::Joined => "known project, at a new place",
        Arrival::Merged => "two projects made one",
    };
    writeln!(out, "{GOOD}{said}{GOOD:#}")?;
    status::show(overview, out)?;
    let new = how_many_new(previews);
    let known_rules: usize = previews.iter().map(|preview| preview.known).sum();
    let parts = [
        (
            taken.map_or(0, |rules| rules.taken - rules.alike),
            "taken in",
        ),
        (
            taken.map_or(0, |rules| rules.alike),
            "that say the same as another",
        ),
        (known_rules, "known already"),
        (if taken.is_some() { 0 } else { new }, "not taken in"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, words)| format!("{} {words}", count(*number, "rule")))
        .collect();
    if !parts.is_empty() {
        let files = files_of(previews, |preview| preview.known + preview.new.len() > 0);
        crate::card::fact(out, "rules", &format!("{files}: {}", parts.join(", ")))?;
        for preview in *previews {
            if let Some(manuals) = manuals_of(preview) {
                crate::card::fact(out, "", &format!("{}: {manuals}", preview.file))?;
            }
        }
    }
    if past.found > 0 {
        let came = match past.learned {
            Some(learned) => format!("{} learned", count(learned, "memory")),
            None => "not learned from".to_owned(),
        };
        let sessions = format!("{}: {came}", past.whose);
        crate::card::fact(out, "sessions", &sessions)?;
    }
    for (label, value) in survey.map(survey::say).unwrap_or_default() {
        crate::card::fact(out, label, &value)?;
    }
    for (at, line) in known.iter().enumerate() {
        crate::card::fact(out, if at == 0 { "known" } else { "" }, line)?;
    }
    if !agents.is_empty() {
        crate::card::fact(out, "agents", &agents::say(agents))?;
        let connected = agents.iter().filter(|one| one.state == State::ConnectedNow);
        // On lines of their own and never broken, so that they can be copied.
        for line in connected.flat_map(agents::Found::plan) {
            writeln!(out, "              {FAINT}{line}{FAINT:#}")?;
        }
    }
    for (at, check) in silent.iter().enumerate() {
        let label = if at == 0 { "to do" } else { "" };
        let fix = check.fix.as_deref().unwrap_or_default();
        let words = format!("{}: {}; {fix}", check.name, check.detail);
        crate::card::fact(out, label, &words)?;
    }
    writeln!(out)?;
    if !agents.iter().any(|one| one.state != State::NotConnected) {
        writeln!(
            out,
            "  {STRONG}oldhand install AGENT{STRONG:#} lets an agent learn and be told."
        )?;
    }
    if past.found > 0 && past.learned.is_none() {
        writeln!(
            out,
            "  {STRONG}oldhand import transcripts{STRONG:#} learns from past sessions."
        )?;
    }
    if past.found == 0 && *arrival == Arrival::Created {
        writeln!(
            out,
            "  {STRONG}oldhand import transcripts PATH{STRONG:#} learns from sessions that are kept elsewhere."
        )?;
    }
    if new > 0 && taken.is_none() {
        writeln!(
            out,
            "  {STRONG}oldhand import rules{STRONG:#} takes in what the rules files say."
        )?;
    }
    writeln!(
        out,
        "  {STRONG}oldhand remember TEXT{STRONG:#} teaches something new."
    )?;
    writeln!(
        out,
        "  {STRONG}oldhand search WORDS{STRONG:#} finds it again."
    )?;
    if survey.is_some_and(|survey| !survey.modules.is_empty()) {
        writeln!(
            out,
            "  {STRONG}oldhand map{STRONG:#} shows the modules, {STRONG}oldhand impact FILE{STRONG:#} what a change reaches."
        )?;
    }
    Ok(())
}

pub(super) fn how_many_new(previews: &[Preview]) -> usize {
    previews.iter().map(|preview| preview.new.len()).sum()
}

/// `AGENTS.md, CLAUDE.md and 14 more files, 12 of them of folders`.
pub(super) fn files_of(previews: &[Preview], is_meant: impl Fn(&Preview) -> bool) -> String {
    const NAMED: usize = 3;
    let files: Vec<&ProjectPath> = previews
        .iter()
        .filter(|preview| is_meant(preview))
        .map(|preview| &preview.file)
        .collect();
    let more = files.len().saturating_sub(NAMED);
    let (named, rest) = files.split_at(files.len() - more);
    let named: Vec<&str> = named.iter().map(|file| file.as_str()).collect();
    let named = named.join(", ");
    let is_of_folder = |file: &&&ProjectPath| rules::folder_of_file(file).is_some();
    match (more, rest.iter().filter(is_of_folder).count()) {
        (0, _) => named,
        (_, 0) => format!("{named} and {}", count(more, "more file")),
        (_, folders) => {
            let more = count(more, "more file");
            format!("{named} and {more}, {folders} of them of folders")
        }
    }
}
