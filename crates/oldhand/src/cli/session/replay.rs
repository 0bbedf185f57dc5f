//! `oldhand session replay`: what a journal shows, without learning anything from it.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_code::names::Files;

use crate::cli::Door;
use crate::cli::import::rules;
use crate::code;
use crate::desk::{Desk, Purpose};
use crate::out::style::{FAINT, STRONG, TYPE};
use crate::out::time::count;
use crate::sessions::{Sessions, find_size};
use crate::view::session::{CandidateView, ReplayView, SignalView};

/// Replay a session's journal and show the signals and candidates in it; nothing is written
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The session, or the beginning of its id
    id: String,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    let sessions = Sessions::of(&desk)?;
    let known = sessions.resolve(&args.id)?;
    let history = code::Past::of(&desk, &door.out);
    let taken_in = history.taken_in();
    let is_gone = history.is_gone();
    let size = find_size(&desk.location.root);
    let tree = Files::below(&desk.location.root);
    let rules = rules::read_texts(&desk.location.root);
    let finalizer = desk
        .engine()
        .finalizer(sessions.store, std::slice::from_ref(&known.id))?
        .with_history(&history, &taken_in, &is_gone)
        .with_rules(&rules)
        .with_files(&size, &tree);
    let (pad, reading) = sessions.scratchpad(&finalizer, &known.id)?;
    let harvest = finalizer.replay(&known.id, &pad, desk.now)?;
    drop((taken_in, is_gone));
    let view = ReplayView {
        id: known.id.as_str().to_owned(),
        events: usize::try_from(pad.analytics().events)?,
        bad_lines: reading.bad_lines,
        steps: pad.analytics().step,
        signals: harvest.signals.iter().map(SignalView::new).collect(),
        candidates: harvest.candidates.iter().map(CandidateView::new).collect(),
    };
    let out = &mut door.out;
    if out.is_json() {
        out.json(&view)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(
        out,
        "{STRONG}{}{STRONG:#}{FAINT} in {}, {} not readable{FAINT:#}",
        count(view.events, "event"),
        count(view.steps as usize, "step"),
        count(view.bad_lines, "line"),
    )?;
    for signal in &view.signals {
        writeln!(out, "  {TYPE}{}{TYPE:#} {}", signal.signal, signal.key)?;
    }
    for candidate in &view.candidates {
        writeln!(out, "  {TYPE}{}{TYPE:#}", candidate.memory_type)?;
        out.paragraph("    ", &candidate.summary)?;
    }
    Ok(ExitCode::SUCCESS)
}
