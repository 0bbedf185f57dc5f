//! Which transcripts belong to this project: found by the folder their sessions ran in, never by the name of a file.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::ValueEnum;
use jiff::Timestamp;
use oldhand_domain::id::SessionId;
use oldhand_store::opencode;

use super::{Args, Skipped, unread};
use crate::agent::{self, Agent, Head, Root};
use crate::config::Environment;
use crate::failure::Failure;
use crate::file;
use crate::project::{Location, locate};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TranscriptAgent {
    ClaudeCode,
    Codex,
    Gemini,
    #[value(name = "opencode")]
    OpenCode,
}

impl TranscriptAgent {
    pub(super) const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::OpenCode];

    pub(super) const fn agent(self) -> Agent {
        match self {
            Self::ClaudeCode => Agent::ClaudeCode,
            Self::Codex => Agent::Codex,
            Self::Gemini => Agent::Gemini,
            Self::OpenCode => Agent::OpenCode,
        }
    }

    pub(super) fn of(agent: Agent) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.agent() == agent)
    }

    /// Where the agent keeps its transcripts: below the person's home, or where its own variable moved them.
    pub(super) fn places(self, user_home: Option<&Path>) -> Vec<PathBuf> {
        let (usual, variable, moved) = match self {
            Self::ClaudeCode => (".claude/projects", "CLAUDE_CONFIG_DIR", "projects"),
            Self::Codex => (".codex/sessions", "CODEX_HOME", "sessions"),
            Self::Gemini => (".gemini/tmp", "GEMINI_CLI_HOME", ".gemini/tmp"),
            Self::OpenCode => (".local/share/opencode", "XDG_DATA_HOME", "opencode"),
        };
        let usual = user_home.map(|home| home.join(usual));
        let moved = Environment::other_variable(variable).map(|folder| folder.join(moved));
        let mut places: Vec<PathBuf> = usual.into_iter().chain(moved).collect();
        places.dedup();
        places
    }
}

/// Transcripts are taken in the order they began, then by name.
pub(super) type Order = (Option<Timestamp>, String);

/// A session that belongs here, by the transcripts that tell of it.
pub(crate) struct Transcript {
    pub(super) path: PathBuf,
    /// What its subagents did, where the client writes that down apart.
    pub(super) aside: Vec<PathBuf>,
    pub(super) agent: Agent,
    pub(super) session: SessionId,
    pub(super) root: Root,
    pub(super) kin: Kin,
    pub(super) started_at: Option<Timestamp>,
}

/// How a session is known to belong here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kin {
    /// It ran here, or a person named it.
    Own,
    /// It ran elsewhere, in a folder of this project's name.
    Namesake,
    /// It ran elsewhere, in a folder of another name.
    Stranger,
}

impl Transcript {
    pub(crate) fn agent(&self) -> Agent {
        self.agent
    }
}

pub(super) fn find(
    args: &Args,
    environment: &Environment,
    location: &Location,
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<Transcript>> {
    let user_home = environment.user_home.as_deref();
    let mut here = Here::of(location, user_home);
    let wanted: Vec<TranscriptAgent> = TranscriptAgent::ALL
        .into_iter()
        .filter(|agent| args.agent.is_none_or(|only| only == *agent))
        .collect();
    let mut found: BTreeMap<Order, Transcript> = BTreeMap::new();
    if args.paths.is_empty() {
        let Some(folder) = user_home else {
            return Err(
                Failure::not_found("there is no home folder to look for transcripts in")
                    .hint("name them: `oldhand import transcripts PATH`")
                    .into(),
            );
        };
        skipped.extend(unread::below(folder, args.agent));
        for agent in wanted {
            let places = agent.places(user_home);
            for path in places.iter().flat_map(|place| files_below(place)) {
                if is_database(&path) {
                    let sessions =
                        database(&path, &mut here, Belonging::ByFolder).unwrap_or_default();
                    found.extend(sessions);
                    continue;
                }
                if let Ok(Recognised::Here(transcript)) =
                    recognise(&path, &[agent], &mut here, Belonging::ByFolder)
                {
                    found.insert(
                        (transcript.started_at, path.display().to_string()),
                        transcript,
                    );
                }
            }
        }
    } else {
        for given in &args.paths {
            let given = environment.folder.join(given);
            if !given.exists() {
                return Err(
                    Failure::not_found(format!("{} does not exist", given.display())).into(),
                );
            }
            let belonging = if given.is_file() {
                Belonging::Named
            } else {
                Belonging::Given
            };
            for path in files_below(&given) {
                if is_database(&path) && wanted.contains(&TranscriptAgent::OpenCode) {
                    match database(&path, &mut here, belonging) {
                        Ok(sessions) => found.extend(sessions),
                        Err(error) => skipped.push(Skipped {
                            path,
                            why: error.to_string(),
                        }),
                    }
                    continue;
                }
                match recognise(&path, &wanted, &mut here, belonging) {
                    Ok(Recognised::Here(transcript)) => {
                        found.insert(
                            (transcript.started_at, path.display().to_string()),
                            transcript,
                        );
                    }
                    Ok(Recognised::Elsewhere) => skipped.push(elsewhere(path)),
                    Ok(Recognised::NoTranscript) => skipped.push(Skipped {
                        why: unread::why(&path).to_owned(),
                        path,
                    }),
                    Err(error) => skipped.push(Skipped {
                        path,
                        why: error.to_string(),
                    }),
                }
            }
        }
    }
    // Sessions of a clone are told from those of its neighbours by the name of their folder.
    if found.values().any(|one| one.kin == Kin::Namesake) {
        let strangers = found.extract_if(.., |_, one| one.kin == Kin::Stranger);
        skipped.extend(strangers.map(|(_, one)| elsewhere(one.path)));
    }
    Ok(gather(found.into_values(), skipped))
}

fn elsewhere(path: PathBuf) -> Skipped {
    Skipped {
        path,
        why: "it ran in another project; name the file itself to take it in".to_owned(),
    }
}

/// One transcript a session: what subagents did belongs to the session that started them, and of a session that was copied the
/// longest transcript tells the most.
pub(super) fn gather(
    found: impl Iterator<Item = Transcript>,
    skipped: &mut Vec<Skipped>,
) -> Vec<Transcript> {
    let mut sessions: Vec<Transcript> = Vec::new();
    let mut places: BTreeMap<SessionId, usize> = BTreeMap::new();
    for one in found {
        let Some(&at) = places.get(&one.session) else {
            places.insert(one.session.clone(), sessions.len());
            sessions.push(one);
            continue;
        };
        let known = &mut sessions[at];
        match (is_aside(&known.path), is_aside(&one.path)) {
            (_, true) => known.aside.push(one.path),
            (true, false) => {
                known
                    .aside
                    .push(std::mem::replace(&mut known.path, one.path));
                known.started_at = one.started_at;
            }
            (false, false) => {
                let shorter = if length(&one.path) > length(&known.path) {
                    std::mem::replace(&mut known.path, one.path)
                } else {
                    one.path
                };
                skipped.push(Skipped {
                    path: shorter,
                    why: format!("it tells of the same session as {}", known.path.display()),
                });
            }
        }
    }
    sessions
}

/// Whether a client keeps what a subagent did in this file.
fn is_aside(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|folder| folder == "subagents")
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// The file itself, or every transcript-like file below the folder.
pub(super) fn files_below(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let mut files = Vec::new();
    let mut folders = vec![place.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = folder.read_dir() else {
            continue;
        };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = entry.path();
            let is_transcript = path
                .extension()
                .is_some_and(|extension| extension == "jsonl" || extension == "json")
                || is_database(&path);
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && is_transcript {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Whether a file is the database of OpenCode.
pub(super) fn is_database(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "opencode.db")
}

/// The sessions in a database that belong here.
pub(super) fn database(
    path: &Path,
    here: &mut Here<'_>,
    belonging: Belonging,
) -> io::Result<Vec<(Order, Transcript)>> {
    let sessions = opencode::sessions(path)?.into_iter().filter_map(|session| {
        let started_at = Timestamp::from_millisecond(session.created).ok();
        let id = SessionId::new(safe(&session.id)).ok()?;
        let (root, kin) = here.root_of(&session.directory, belonging)?;
        let transcript = Transcript {
            path: path.to_owned(),
            aside: Vec::new(),
            agent: Agent::OpenCode,
            session: id,
            root,
            kin,
            started_at,
        };
        let name = format!("{}#{}", path.display(), session.id);
        Some(((started_at, name), transcript))
    });
    Ok(sessions.collect())
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Belonging {
    /// It ran in this project's folder or below it.
    ByFolder,
    /// It lies below a folder that a person named.
    Given,
    /// A person named it.
    Named,
}

/// The project, and where folders that sessions ran in belong.
pub(super) struct Here<'a> {
    location: &'a Location,
    user_home: Option<&'a Path>,
    /// Folders of this machine that were looked up: the top of the checkout where they are this project's.
    known: BTreeMap<String, Option<PathBuf>>,
}

impl<'a> Here<'a> {
    pub(super) fn of(location: &'a Location, user_home: Option<&'a Path>) -> Self {
        Self {
            location,
            user_home,
            known: BTreeMap::new(),
        }
    }

    /// Where the project was when a session ran in `cwd`; `None` when that was another project.
    fn root_of(&mut self, cwd: &str, belonging: Belonging) -> Option<(Root, Kin)> {
        let (root, folder) = (&self.location.root, Path::new(cwd));
        if folder.starts_with(root) {
            return Some((Root::new(&root.display().to_string()), Kin::Own));
        }
        if folder.is_dir() {
            // Another checkout of the same repository has paths of its own.
            let checkout = self.known.entry(cwd.to_owned()).or_insert_with(|| {
                let found = locate(folder, self.user_home, |_| false).ok()?;
                (found.place == self.location.place).then_some(found.root)
            });
            if let Some(checkout) = checkout {
                return Some((Root::new(&checkout.display().to_string()), Kin::Own));
            }
            if belonging != Belonging::Named {
                return None;
            }
        }
        let (afar, kin) = from_afar(cwd, root);
        match belonging {
            Belonging::ByFolder => None,
            Belonging::Given => Some((Root::new(&afar), kin)),
            Belonging::Named => Some((Root::new(&afar), Kin::Own)),
        }
    }
}

pub(super) enum Recognised {
    Here(Transcript),
    Elsewhere,
    NoTranscript,
}

pub(super) fn recognise(
    path: &Path,
    agents: &[TranscriptAgent],
    here: &mut Here<'_>,
    belonging: Belonging,
) -> io::Result<Recognised> {
    for agent in agents {
        let mut head = agent::peek(
            agent.agent(),
            &mut BufReader::new(file::open_regular(path)?),
        )?;
        if *agent == TranscriptAgent::Gemini && head.cwd.is_none() {
            head.cwd = folder_noted(path);
        }
        let Head {
            session: Some(session),
            cwd: Some(cwd),
            started_at,
            ..
        } = head
        else {
            continue;
        };
        let Some((root, kin)) = here.root_of(&cwd, belonging) else {
            return Ok(Recognised::Elsewhere);
        };
        let Ok(session) = SessionId::new(safe(&session)) else {
            continue;
        };
        return Ok(Recognised::Here(Transcript {
            path: path.to_owned(),
            aside: Vec::new(),
            agent: agent.agent(),
            session,
            root,
            kin,
            started_at,
        }));
    }
    Ok(Recognised::NoTranscript)
}

/// The folder that Gemini CLI notes beside the sessions of a project.
fn folder_noted(path: &Path) -> Option<String> {
    let notes = path.ancestors().skip(1).take(3);
    let found = notes.filter_map(|folder| fs::read_to_string(folder.join(".project_root")).ok());
    found
        .map(|noted| noted.trim().to_owned())
        .find(|noted| !noted.is_empty())
}

/// Where the project was on another machine: the folder of the same name that the session ran in or below.
fn from_afar(cwd: &str, root: &Path) -> (String, Kin) {
    let name = root
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let steps: Vec<&str> = cwd.split(['/', '\\']).collect();
    match steps.iter().rposition(|step| *step == name) {
        Some(at) if !name.is_empty() => (steps[..=at].join("/"), Kin::Namesake),
        _ => (cwd.to_owned(), Kin::Stranger),
    }
}

/// A client's name for a session, as far as it can be a file name.
fn safe(session: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    let kept: String = session
        .chars()
        .map(|c| if allowed(c) { c } else { '-' })
        .collect();
    let kept = kept.trim_start_matches('.');
    kept.chars()
        .take(oldhand_domain::id::SESSION_ID_LIMIT)
        .collect()
}
