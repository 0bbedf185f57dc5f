//! Past sessions for those who begin: which there are, and learning from them.

use anyhow::Result;

use super::{Args, Transcript, find, take};
use crate::cli::session::finalize::{Tally, Which, finalize_all};
use crate::config::Environment;
use crate::desk::Desk;
use crate::out::{Out, Progress};
use crate::sessions::Sessions;

/// Sessions of this project that nobody learned from yet, where agents usually keep their transcripts.
pub(crate) fn past(environment: &Environment, desk: &Desk) -> Result<Vec<Transcript>> {
    let everything = Args {
        paths: Vec::new(),
        agent: None,
        no_finalize: false,
        detach: false,
    };
    if environment.user_home.is_none() {
        return Ok(Vec::new());
    }
    let mut found = find(
        &everything,
        environment,
        &desk.location.root,
        &mut Vec::new(),
    )?;
    if let Ok(sessions) = Sessions::of(desk) {
        found.retain(|one| {
            !sessions.live.contains(&one.session) && !sessions.imported.contains(&one.session)
        });
    }
    Ok(found)
}

/// Takes past sessions in and learns from them. What cannot be read is passed over and told.
pub(crate) fn learn_from(past: &[Transcript], desk: &Desk, out: &Out) -> Result<Tally> {
    let sessions = Sessions::of(desk)?;
    let bar = Progress::new("reading transcripts", past.len());
    for (done, transcript) in past.iter().enumerate() {
        if let Err(error) = take(transcript, &sessions) {
            out.note(&format!(
                "left out {}: {error:#}",
                transcript.path.display()
            ));
        }
        bar.reach(done + 1);
    }
    drop(bar);
    finalize_all(desk, &sessions, Which::All)
}
