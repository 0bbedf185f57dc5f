//! Clients told to call us: which files each of them reads, what stands there, and how it goes away again.
//!
//! These files belong to other people. What is not ours keeps every byte, and a file that nobody changed since becomes what it
//! was before. Start reading at [`connect`] and [`disconnect`]: they say what would change, [`Change::carry_out`] does it.

mod change;
mod client;
mod hooks;
mod jsonc;
mod opencode;
mod parted;
mod plugin;
mod record;
mod refusal;
mod servers;
pub(crate) mod trust;
mod words;

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::config::{Environment, usual_home};
use crate::failure::Failure;
use crate::health::on_path;
use crate::input;
use record::{Before, Record};
use refusal::{strange, taken, unreadable};
use servers::Run;

use change::Step;

pub(crate) use change::{Change, all_together, carry_out};
pub(crate) use client::{Client, Piece, Place};
pub(crate) use hooks::{Hook, events};
pub(crate) use parted::{is_parted, join_again, part};
pub(crate) use refusal::obstacle;
pub(crate) use servers::Server;
pub(crate) use words::quoted;

/// Whose settings are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The user's own, for every project that is known.
    User,
    /// The repository's, which others share.
    Repository,
}

/// What is undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undo {
    /// What stands in the user's own settings, and plugins.
    User,
    /// What stands in the repository.
    Repository,
    /// Everything that was ever written, in whichever repository.
    Everywhere,
}

/// What would have to change for `client` to call us.
pub(crate) fn connect(
    client: Client,
    reach: Reach,
    environment: &Environment,
    root: &Path,
) -> Result<Vec<Change>> {
    let places = client.places(reach, environment, root);
    if places.is_empty() {
        return Err(match reach {
            Reach::Repository => Failure::invalid(format!(
                "{} reads no settings in a repository",
                client.as_str()
            ))
            .hint("leave --project out"),
            Reach::User => Failure::unavailable("could not find your home folder")
                .hint("set HOME, or use --project for this repository alone"),
        }
        .into());
    }
    let binary = binary(reach)?;
    let run = run(&binary, reach, environment)?;
    places
        .into_iter()
        .map(|place| {
            let before = read(&place.path)?;
            let mut after = before.clone();
            for piece in &place.pieces {
                after = Some(add(*piece, after.as_deref(), &run, &place.path)?);
            }
            Ok(Change {
                client,
                path: place.path,
                before,
                after,
                pieces: place.pieces,
                step: Step::Connect,
            })
        })
        .collect()
}

/// What would have to be in `folder` for it to be a plugin of Claude Code.
pub(crate) fn connect_plugin(folder: &Path, environment: &Environment) -> Result<Vec<Change>> {
    let client = Client::ClaudeCode;
    let binary = binary(Reach::User)?;
    plugin::files(&run(&binary, Reach::User, environment)?)
        .into_iter()
        .map(|(name, text)| {
            let path = folder.join(name);
            let before = read(&path)?;
            let is_ours = Record::read(&environment.home, client, &path).is_some();
            if before.is_some() && !is_ours {
                return Err(taken(&path).into());
            }
            Ok(Change {
                client,
                path,
                before,
                after: Some(text),
                pieces: vec![Piece::Plugin],
                step: Step::Connect,
            })
        })
        .collect()
}

/// What would have to change for `client` not to call us any more. A file that cannot be undone does not keep the others from it.
pub(crate) fn disconnect(
    client: Client,
    undo: Undo,
    environment: &Environment,
    root: &Path,
) -> Vec<Result<Change>> {
    let user = client.places(Reach::User, environment, root);
    let here = client.places(Reach::Repository, environment, root);
    let written = Record::all(&environment.home, client);
    let written: Vec<PathBuf> = written.into_iter().map(|record| record.path).collect();
    let is_known = |path: &PathBuf| user.iter().chain(&here).any(|place| place.path == *path);
    let others = written.iter().filter(|path| !is_known(path));
    let (plugins, elsewhere): (Vec<&PathBuf>, Vec<&PathBuf>) =
        others.partition(|path| plugin::holds(path, &written));
    let plugins = plugins.into_iter().map(|path| Place {
        path: path.clone(),
        pieces: vec![Piece::Plugin],
    });
    let (mut there, mut moved) = (Vec::new(), Vec::new());
    for path in elsewhere {
        match in_a_repository(client, environment, path) {
            Some(place) => there.push(place),
            None => moved.extend(user.iter().find_map(|place| place.moved_to(path))),
        }
    }
    let own = [user.clone(), plugins.collect(), moved].concat();
    let places: Vec<Place> = match undo {
        Undo::User => own,
        Undo::Repository => here,
        Undo::Everywhere => [own, here, there].concat(),
    };
    places
        .into_iter()
        .map(|place| {
            let before = read(&place.path)?;
            let record = record_of(&environment.home, client, &place, before.as_deref());
            let after = match &before {
                None => None,
                Some(text) => without_ours(&place, text, record.as_ref())?,
            };
            Ok(Change {
                client,
                path: place.path,
                before,
                after,
                pieces: place.pieces,
                step: Step::Disconnect,
            })
        })
        .collect()
}

/// What is known of the file. It may have been written to by another home: what of ours stands there says which.
fn record_of(home: &Path, client: Client, place: &Place, text: Option<&str>) -> Option<Record> {
    Record::read(home, client, &place.path).or_else(|| {
        let wiring = look(place, text?);
        let hooks = wiring.hooks.iter().map(Hook::home);
        let server = wiring.server.iter().map(|server| server.home.clone());
        hooks.chain(server).find_map(|named| {
            let other = named.map(PathBuf::from).or_else(usual_home)?;
            Record::read(&other, client, &place.path)
        })
    })
}

/// What a file is without what is ours. One that nobody touched since we wrote it is what it was; from any other our own goes.
fn without_ours(place: &Place, text: &str, record: Option<&Record>) -> Result<Option<String>> {
    if let Some(record) = record.filter(|record| record.wrote(text)) {
        match record.before() {
            Before::Nothing => return Ok(None),
            Before::Whole(whole) => return Ok(Some(whole.clone())),
            Before::Rest { .. } => {}
        }
    }
    let stays = |path: &[&str]| was_there(record, path);
    let mut left = Some(text.to_owned());
    for piece in &place.pieces {
        left = left
            .map(|text| remove(*piece, &text, &place.path, &stays))
            .transpose()?
            .flatten();
    }
    let left = left.map(|left| {
        if is_codex_config(place) {
            let hooks = place.path.with_file_name("hooks.json");
            let left = trust::withdraw(&left, &hooks).unwrap_or(left);
            without_our_newline(left, text, record)
        } else {
            left
        }
    });
    // A file that was made for us and holds nothing of anybody else is not missed.
    let is_made_for_us = record.is_some_and(|record| record.before().is_nothing());
    let is_empty = |left: &String| left.chars().all(|c| c.is_whitespace() || "{}".contains(c));
    Ok(left.filter(|left| !is_made_for_us || !is_empty(left)))
}

/// Ours stood on lines of their own behind a last line that had no end: then that end is ours too.
fn without_our_newline(left: String, text: &str, record: Option<&Record>) -> String {
    if !record.is_some_and(|record| record.before().is_unended()) || !text.starts_with(&left) {
        return left;
    }
    let ended = left.strip_suffix('\n').unwrap_or(&left);
    ended.strip_suffix('\r').unwrap_or(ended).to_owned()
}

fn is_codex_config(place: &Place) -> bool {
    place.pieces == [Piece::Server(servers::Shape::Codex)]
}

/// A file that was written to in another repository: its name says what of ours is in it.
fn in_a_repository(client: Client, environment: &Environment, path: &Path) -> Option<Place> {
    let alike = client
        .places(Reach::Repository, environment, Path::new(""))
        .into_iter()
        .filter(|place| {
            path.ends_with(&place.path) || path.ends_with(place.path.with_extension("jsonc"))
        })
        .max_by_key(|place| place.path.components().count())?;
    Some(Place {
        path: path.to_owned(),
        pieces: alike.pieces,
    })
}

fn add(piece: Piece, before: Option<&str>, run: &Run<'_>, path: &Path) -> Result<String> {
    let filled = before.filter(|text| !text.trim().is_empty());
    let added = match piece {
        Piece::Hooks(agent) => {
            let command = hooks::command(run, agent);
            hooks::add(filled.unwrap_or("{}\n"), agent, &command)
        }
        Piece::Server(shape) => shape.add(filled.unwrap_or_default(), run),
        Piece::Plugin if before.is_some_and(|text| !opencode::is_ours(text)) => {
            return Err(taken(path).into());
        }
        Piece::Plugin => Some(opencode::plugin(run)),
    };
    Ok(added.ok_or_else(|| strange(path, piece, filled.unwrap_or_default()))?)
}

/// Whether the list at `path` was in a file before we wrote to it. Where nobody knows, the outermost counts as theirs: an empty one
/// left behind does less harm than one that is missed.
fn was_there(record: Option<&Record>, path: &[&str]) -> bool {
    record.map_or(path.len() == 1, |record| record.before().had(path))
}

/// What stays of a file, if anything does. Lists that `stays` names are kept when they are empty.
fn remove(
    piece: Piece,
    text: &str,
    path: &Path,
    stays: &dyn Fn(&[&str]) -> bool,
) -> Result<Option<String>> {
    let left = match piece {
        Piece::Hooks(agent) => hooks::remove(text, agent, stays),
        Piece::Server(shape) => shape.remove(text, stays),
        Piece::Plugin if opencode::is_ours(text) || plugin::is_ours(path, text) => return Ok(None),
        Piece::Plugin => Some(text.to_owned()),
    };
    // A file that cannot be read and does not name us has nothing of ours.
    let left = left.or_else(|| (!text.contains("oldhand")).then(|| text.to_owned()));
    Ok(Some(left.ok_or_else(|| unreadable(path, piece, text))?))
}

/// What of ours is in a file: its hooks, and the server it names.
pub(crate) struct Wiring {
    pub(crate) hooks: Vec<Hook>,
    pub(crate) server: Option<Server>,
}

impl Wiring {
    pub(crate) fn is_there(&self) -> bool {
        !self.hooks.is_empty() || self.server.is_some()
    }

    /// Whether it can have been us: a person may have a server of our name that runs something else.
    fn is_ours(&self) -> bool {
        let runs_us = |server: &Server| server.home.is_some() || hooks::is_our_name(&server.binary);
        !self.hooks.is_empty() || self.server.as_ref().is_some_and(runs_us)
    }
}

pub(crate) fn look(place: &Place, text: &str) -> Wiring {
    let mut wiring = Wiring {
        hooks: Vec::new(),
        server: None,
    };
    for piece in &place.pieces {
        match piece {
            Piece::Hooks(agent) => wiring.hooks.extend(hooks::find(text, *agent)),
            Piece::Plugin => wiring.hooks.extend(opencode::find(text)),
            Piece::Server(shape) => wiring.server = shape.find(text),
        }
    }
    wiring
}

/// Whether a settings file of JSON can be read at all.
pub(crate) fn is_readable(place: &Place, text: &str) -> bool {
    let toml = is_codex_config(place);
    let plugin = place.pieces.contains(&Piece::Plugin);
    text.trim().is_empty()
        || plugin
        || (toml && text.parse::<toml::Table>().is_ok())
        || (!toml && jsonc::parse(text).is_some())
}

/// The value at `path` of a settings file of JSON, comments or not.
pub(crate) fn setting(text: &str, path: &[&str]) -> Option<serde_json::Value> {
    let root = jsonc::parse(text)?;
    let found = path.iter().try_fold(&root, |node, key| node.get(key))?;
    Some(found.to_value(text))
}

/// What a client runs. In a repository it is the bare name: others keep the binary elsewhere.
fn binary(reach: Reach) -> Result<String> {
    Ok(match reach {
        Reach::Repository => "oldhand".to_owned(),
        Reach::User => {
            let binary = std::env::current_exe().context("could not find out where oldhand is")?;
            let called = as_called(&binary).unwrap_or(binary);
            called.to_string_lossy().into_owned()
        }
    })
}

/// Where the search path leads to this very program: a package manager's link stays when the version that it leads to goes.
fn as_called(binary: &Path) -> Option<PathBuf> {
    let called = PathBuf::from(std::env::args_os().next()?);
    let name = called.file_name()?.to_str()?;
    let place = on_path(name.strip_suffix(".exe").unwrap_or(name))?;
    let is_same = place.canonicalize().ok()? == binary.canonicalize().ok()?;
    (place.is_absolute() && is_same).then_some(place)
}

/// In a repository nothing of one person's machine is written down. A program of another name is told from a stranger's by its home.
fn run<'a>(binary: &'a str, reach: Reach, environment: &'a Environment) -> Result<Run<'a>> {
    let home = match reach {
        Reach::User if environment.is_moved || !hooks::is_our_name(binary) => {
            Some(environment.home_as_text()?)
        }
        Reach::User | Reach::Repository => None,
    };
    Ok(Run { binary, home })
}

/// `None` where there is no such file.
pub(crate) fn read(path: &Path) -> Result<Option<String>> {
    match input::file(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) => match error.downcast_ref::<io::Error>() {
            Some(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(None),
            _ => Err(error),
        },
    }
}
