//! The agents on this machine: which are here, which call us already, and which shall from now on.

use std::path::Path;

use anyhow::Result;

use crate::cli::Door;
use crate::cli::install::{self, Approval};
use crate::config::Environment;
use crate::out::Out;
use crate::wire::{self, Change, Client, Reach};

/// An agent or editor that was used on this machine.
pub(crate) struct Found {
    pub(crate) client: Client,
    pub(crate) state: State,
    changes: Vec<Change>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It calls us already.
    Connected,
    ConnectedNow,
    NotConnected,
}

impl State {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::ConnectedNow => "connected_now",
            Self::NotConnected => "not_connected",
        }
    }

    pub(crate) const fn say(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::ConnectedNow => "connected now",
            Self::NotConnected => "not connected",
        }
    }
}

/// Those whose settings are on this machine. One whose settings cannot be read is told and left alone.
pub(super) fn find(environment: &Environment, root: &Path, out: &Out) -> Vec<Found> {
    let here = Client::ALL.into_iter().filter(|client| {
        let folder = client.folder(environment);
        folder.is_some_and(|folder| folder.is_dir())
    });
    here.filter_map(|client| {
        let mut changes = wire::connect(client, Reach::User, environment, root)
            .inspect_err(|error| out.note(&format!("{} is left alone: {error:#}", client.as_str())))
            .ok()?;
        changes.retain(Change::is_needed);
        let state = if changes.is_empty() {
            State::Connected
        } else {
            State::NotConnected
        };
        Some(Found {
            client,
            state,
            changes,
        })
    })
    .collect()
}

/// Asks once for all of them, unless `yes` was said beforehand.
pub(super) fn wants_to_connect(found: &[Found], yes: bool, door: &mut Door) -> Result<bool> {
    let new: Vec<&str> = found
        .iter()
        .filter(|one| one.state == State::NotConnected)
        .map(|one| one.client.as_str())
        .collect();
    if new.is_empty() || yes {
        return Ok(yes);
    }
    let question = format!(
        "Connect {}, so that they learn and are told? (`oldhand init --dry-run` shows which files change; `oldhand uninstall \
         --all` takes it back)",
        new.join(", ")
    );
    Ok(door.out.ask(&question)? == Some(true))
}

/// Connects those that are not.
pub(super) fn connect(found: &mut [Found], yes: bool, root: &Path, door: &mut Door) -> Result<()> {
    for one in found
        .iter_mut()
        .filter(|one| one.state == State::NotConnected)
    {
        // The client may have written to its settings while the question stood.
        let mut fresh = wire::connect(one.client, Reach::User, &door.environment, root)?;
        fresh.retain(Change::is_needed);
        let changes: Vec<&Change> = fresh.iter().collect();
        wire::carry_out(&changes, &door.environment.home)?;
        one.state = State::ConnectedNow;
        if one.client == Client::Codex {
            let approval = if yes {
                Approval::LeftToCodex
            } else {
                Approval::AskFor
            };
            install::approve(approval, root, door)?;
        }
    }
    Ok(())
}

impl Found {
    /// What would be written, and how many lines of it.
    pub(super) fn plan(&self) -> Vec<String> {
        let lines = |text: &Option<String>| text.as_deref().map_or(0, |text| text.lines().count());
        self.changes
            .iter()
            .map(|change| {
                let more = lines(&change.after).saturating_sub(lines(&change.before));
                format!("{}: {more} more lines", change.path.display())
            })
            .collect()
    }
}

/// `claude-code (connected now), zed (not connected)`.
pub(super) fn say(found: &[Found]) -> String {
    let each = found
        .iter()
        .map(|one| format!("{} ({})", one.client.as_str(), one.state.say()));
    each.collect::<Vec<_>>().join(", ")
}
