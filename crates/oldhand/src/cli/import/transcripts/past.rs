//! Past sessions for those who begin: which there are, and learning from them.

use anyhow::Result;

use super::find::{Transcript, find, find_others};
use super::former::{Former, recognise};
use super::take::take_all;
use super::{Args, left_out};
use crate::cli::session::finalize::{Tally, Which, finalize_all};
use crate::config::Environment;
use crate::desk::Desk;
use crate::out::{Out, Progress};
use crate::sessions::Sessions;

/// Sessions of this project that nobody learned from yet, where agents usually keep their transcripts.
/// Beside them folders that the project may have been in before.
pub(crate) fn past(
    environment: &Environment,
    desk: &Desk,
) -> Result<(Vec<Transcript>, Vec<Former>)> {
    if environment.user_home.is_none() {
        return Ok((Vec::new(), Vec::new()));
    }
    let everything = Args::default();
    let findings = find(
        &everything,
        environment,
        &desk.location,
        &|| None,
        &|_| None,
        &mut Vec::new(),
    )?;
    let mut found = findings.transcripts;
    let sessions = Sessions::of(desk).ok();
    let former = recognise(&findings.abroad, &desk.location.root, sessions.as_ref());
    if let Some(sessions) = sessions {
        found.retain(|one| {
            !sessions.live.contains(&one.session)
                && !sessions.imported.contains(&one.session)
                && !sessions.is_discarded(&one.session).unwrap_or_default()
        });
    }
    Ok((found, former))
}

/// Takes past sessions in and learns from them. What cannot be read is passed over and told; a full disk is handed back.
pub(crate) fn learn_from(
    past: &[Transcript],
    environment: &Environment,
    desk: &Desk,
    out: &Out,
) -> Result<(Tally, Option<anyhow::Error>)> {
    let sessions = Sessions::of(desk)?;
    let bar = Progress::new("reading transcripts", past.len());
    let mut skipped = Vec::new();
    let mut take = |past: &[Transcript]| {
        take_all(past, &sessions, desk.now, &mut skipped, |done| {
            bar.reach(done);
        })
    };
    let mut tray = take(past);
    let everything = Args::default();
    let (beside, location) = (&tray.others, &desk.location);
    let others = find_others(beside, past, &everything, environment, location);
    tray.add(take(&others));
    for line in left_out::notes(&skipped) {
        out.note(&line);
    }
    drop(bar);
    let (tally, failure) = finalize_all(desk, &sessions, Which::Ended, out)?;
    if let Some(failure) = failure {
        out.note(&format!("left out {failure:#}"));
    }
    Ok((tally, tray.failure))
}
