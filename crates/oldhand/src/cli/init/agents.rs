//! The agents on this machine: which are here, which call us already, and which shall from now on.

use std::io::Write as _;
use std::path::Path;

use anyhow::Result;

use crate::cli::Door;
use crate::cli::install::{self, Approval};
use crate::config::Environment;
use crate::out::time::count;
use crate::out::{self, Out};
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
    /// A person took it out.
    TakenOut,
}

impl State {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::ConnectedNow => "connected_now",
            Self::NotConnected => "not_connected",
            Self::TakenOut => "taken_out",
        }
    }

    pub(crate) const fn say(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::ConnectedNow => "connected now",
            Self::NotConnected => "not connected",
            Self::TakenOut => "taken out; `oldhand install` connects it again",
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
        } else if wire::is_parted(&environment.home, client) {
            changes.clear();
            State::TakenOut
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
    if !door.out.is_json() && out::can_ask() {
        for line in found.iter().flat_map(Found::plan) {
            writeln!(door.out, "  {line}")?;
        }
    }
    let (whom, why) = match new.as_slice() {
        [one] => ((*one).to_owned(), "it learns and is told"),
        [others @ .., last] => (
            format!("{} and {last}", others.join(", ")),
            "they learn and are told",
        ),
        [] => unreachable!("there is one"),
    };
    let question =
        format!("Connect {whom}, so that {why}? (`oldhand uninstall --all` takes it back)");
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
        one.changes = fresh;
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
    /// The files that are written to, and how much changes in each.
    pub(crate) fn plan(&self) -> Vec<String> {
        let lines = self.changes.iter().map(|change| {
            let (gone, new) = install::changed_lines(change);
            let how = match (&change.before, gone) {
                (None, _) => format!("a new file of {}", count(new, "line")),
                (Some(_), 0) => format!("{} more", count(new, "line")),
                (Some(_), gone) if gone == new => format!("{} changed", count(gone, "line")),
                (Some(_), gone) => format!("{} in place of {gone}", count(new, "line")),
            };
            format!("{}: {how}", change.path.display())
        });
        lines.collect()
    }

    /// The files that are written to.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.changes.iter().map(|change| change.path.as_path())
    }
}

/// `claude-code (connected now), zed (not connected)`.
pub(super) fn say(found: &[Found]) -> String {
    let each = found
        .iter()
        .map(|one| format!("{} ({})", one.client.as_str(), one.state.say()));
    each.collect::<Vec<_>>().join(", ")
}
