//! Which transcripts belong to this project: found by the folder their sessions ran in, never by the name of a file.

use std::collections::BTreeMap;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::ValueEnum;
use jiff::Timestamp;
use oldhand_code::history::log::History;
use oldhand_domain::id::SessionId;

use super::database::{cursor_database, is_cursor, is_database, is_opencode, opencode_database};
use super::evidence::{Evidence, is_below};
use super::here::{Belonging, Here};
use super::left_out::{Skipped, Why};
use super::recognise::{Recognised, recognise};
use super::unknown::why_unknown;
use super::{Args, unread};
use crate::agent::{self, Agent, Root, loose};
use crate::config::Environment;
use crate::failure::Failure;
use crate::file;
use crate::out::time::count;
use crate::paths::without_dots;
use crate::project::Location;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TranscriptAgent {
    ClaudeCode,
    Codex,
    Gemini,
    Cursor,
    #[value(name = "opencode")]
    OpenCode,
}

impl TranscriptAgent {
    pub(super) const ALL: [Self; 5] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Gemini,
        Self::Cursor,
        Self::OpenCode,
    ];

    pub(super) const fn agent(self) -> Agent {
        match self {
            Self::ClaudeCode => Agent::ClaudeCode,
            Self::Codex => Agent::Codex,
            Self::Gemini => Agent::Gemini,
            Self::Cursor => Agent::Cursor,
            Self::OpenCode => Agent::OpenCode,
        }
    }

    pub(super) const fn of(agent: Agent) -> Self {
        match agent {
            Agent::ClaudeCode => Self::ClaudeCode,
            Agent::Codex => Self::Codex,
            Agent::Gemini => Self::Gemini,
            Agent::Cursor => Self::Cursor,
            Agent::OpenCode => Self::OpenCode,
        }
    }

    /// Where the agent keeps its transcripts: below the person's home, or where its own variable moved them.
    pub(super) fn places(self, user_home: Option<&Path>) -> Vec<PathBuf> {
        let (usual, variable, moved): (&[&str], _, _) = match self {
            Self::ClaudeCode => (&[".claude/projects"], "CLAUDE_CONFIG_DIR", "projects"),
            Self::Codex => (&[".codex/sessions"], "CODEX_HOME", "sessions"),
            Self::Gemini => (&[".gemini/tmp"], "GEMINI_CLI_HOME", ".gemini/tmp"),
            // One for each system.
            Self::Cursor => (
                &[
                    ".cursor/projects",
                    ".config/Cursor/User/globalStorage/state.vscdb",
                    "Library/Application Support/Cursor/User/globalStorage/state.vscdb",
                    "AppData/Roaming/Cursor/User/globalStorage/state.vscdb",
                ],
                "XDG_CONFIG_HOME",
                "Cursor/User/globalStorage/state.vscdb",
            ),
            Self::OpenCode => (&[".local/share/opencode"], "XDG_DATA_HOME", "opencode"),
        };
        let usual = usual
            .iter()
            .filter_map(|place| Some(user_home?.join(place)));
        let moved = Environment::other_variable(variable).map(|folder| folder.join(moved));
        let mut places: Vec<PathBuf> = usual.chain(moved).collect();
        places.dedup();
        places
    }
}

/// How an agent keeps a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// In a file of its own.
    Alone,
    /// In the database of OpenCode.
    OpenCode,
    /// In the database of Cursor, with the folder it was about.
    Cursor { folder: String },
}

/// Transcripts are taken in the order they began, then by name.
pub(super) type Order = (Option<Timestamp>, String);

/// A session that belongs here, by the transcripts that tell of it.
#[derive(Clone)]
pub(crate) struct Transcript {
    pub(super) path: PathBuf,
    /// What its subagents did, where the client writes that down apart.
    pub(super) aside: Vec<PathBuf>,
    pub(super) agent: Agent,
    pub(super) kept: Kept,
    pub(super) session: SessionId,
    /// As the client names it.
    pub(super) name: String,
    pub(super) root: Root,
    pub(super) kin: Kin,
    /// Whether it tells of a subagent alone.
    pub(super) is_aside: bool,
    /// Whether a person named its file.
    pub(super) is_named: bool,
    /// Whether its lines stand in the file of another session, which counts what nobody can read.
    pub(super) is_guest: bool,
    pub(super) started_at: Option<Timestamp>,
}

/// How a session is known to belong here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kin {
    /// It ran here.
    Own,
    /// It ran in a folder above.
    Above,
    /// It ran in a folder that nobody knows yet, at which its root begins until then.
    Afar,
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
    history: &dyn Fn() -> Option<History>,
    known_root: &dyn Fn(&SessionId) -> Option<String>,
    skipped: &mut Vec<Skipped>,
) -> Result<Findings> {
    let user_home = environment.user_home.as_deref();
    let former = args.former_folders(environment);
    let mut here = Here::of(location, user_home, &former);
    let mut abroad = Vec::new();
    let wanted: Vec<TranscriptAgent> = TranscriptAgent::ALL
        .into_iter()
        .filter(|agent| args.agent.is_none_or(|only| only == *agent))
        .collect();
    let mut found: BTreeMap<Order, Transcript> = BTreeMap::new();
    let mut looked_at = (0, Vec::new());
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
            let mut places = agent.places(user_home);
            places.retain(|place| place.exists());
            for path in places.iter().flat_map(|place| files_below(place)) {
                looked_at.0 += 1;
                let found_there = look(&path, &[agent], &mut here, Belonging::Usual);
                found.extend(found_there.sessions);
                skipped.extend(found_there.worth_telling);
                abroad.extend(found_there.abroad);
            }
            looked_at.1.extend(places);
        }
    } else {
        for given in &args.paths {
            let given = environment.folder.join(given);
            if !given.exists() {
                let missing = format!("{} does not exist", given.display());
                return Err(Failure::not_found(missing)
                    .hint("name a transcript or a folder with some in it; without PATH the usual places of agents are looked through")
                    .into());
            }
            let belonging = if given.is_file() {
                Belonging::Named
            } else {
                Belonging::Given
            };
            for path in files_below(&given) {
                looked_at.0 += 1;
                let found_there = look(&path, &wanted, &mut here, belonging);
                found.extend(found_there.sessions);
                skipped.extend(found_there.worth_telling);
                abroad.extend(found_there.abroad);
                let why = found_there.why_not;
                skipped.extend(why.map(|why| Skipped { path, why }));
            }
            looked_at.1.push(without_dots(&given));
        }
    }
    let of_kin = |found: &mut BTreeMap<Order, Transcript>, kin| {
        let of_kin = found.extract_if(.., |_, one| one.kin == kin);
        of_kin.collect::<Vec<_>>()
    };
    let (afar, above) = (
        of_kin(&mut found, Kin::Afar),
        of_kin(&mut found, Kin::Above),
    );
    let evidence = Evidence::of(&location.root, history);
    let (ours, others) = evidence.divide(afar, !abroad.is_empty(), known_root);
    found.extend(ours);
    skipped.extend(others);
    let (ours, others) = evidence.divide_above(above, known_root);
    found.extend(ours);
    // Who names no folder asks for nothing that ran elsewhere.
    skipped.extend(others.into_iter().filter(|_| !args.paths.is_empty()));
    Ok(Findings {
        looked_at,
        transcripts: gather(found.into_values(), skipped),
        abroad,
    })
}

/// What was found of this project.
pub(super) struct Findings {
    /// How many files were looked at, and where.
    pub(super) looked_at: (usize, Vec<PathBuf>),
    pub(super) transcripts: Vec<Transcript>,
    /// What ran in other folders.
    pub(super) abroad: Vec<Transcript>,
}

impl Findings {
    /// What was looked through for nothing.
    pub(super) fn say_nothing(&self) -> String {
        let (files, places) = &self.looked_at;
        let places: Vec<String> = places.iter().map(|at| at.display().to_string()).collect();
        match places.join(", ") {
            none if none.is_empty() => {
                "no agent keeps transcripts in its usual place on this machine".to_owned()
            }
            places => format!(
                "no transcript of this project was found in {} of {places}",
                count(*files, "file")
            ),
        }
    }
}

/// What one file holds.
#[derive(Default)]
pub(super) struct Look {
    pub(super) sessions: Vec<(Order, Transcript)>,
    /// What of it is left out and would be missed.
    pub(super) worth_telling: Option<Skipped>,
    /// A session of another folder.
    pub(super) abroad: Option<Transcript>,
    /// Why it holds nothing, for a person who named it.
    pub(super) why_not: Option<Why>,
}

pub(super) fn look(
    path: &Path,
    wanted: &[TranscriptAgent],
    here: &mut Here<'_>,
    belonging: Belonging,
) -> Look {
    let held = if is_opencode(path) && wanted.contains(&TranscriptAgent::OpenCode) {
        opencode_database(path, here, belonging)
    } else if is_cursor(path) && wanted.contains(&TranscriptAgent::Cursor) {
        cursor_database(path, here, belonging)
    } else {
        recognise(path, wanted, here, belonging).map(|recognised| match recognised {
            Recognised::Here(transcript) => Look {
                sessions: vec![(
                    (transcript.started_at, path.display().to_string()),
                    *transcript,
                )],
                ..Look::default()
            },
            Recognised::Elsewhere(transcript) => Look {
                why_not: Some(Why::Elsewhere(transcript.root.as_str().to_owned())),
                abroad: Some(*transcript),
                ..Look::default()
            },
            Recognised::Nowhere => {
                // Of all that Cursor keeps only what may be meant is worth a word.
                let is_likely = belonging == Belonging::Usual
                    && agent::is_kept_for(path, &here.root().display().to_string());
                Look {
                    worth_telling: is_likely.then(|| Skipped {
                        path: path.to_owned(),
                        why: Why::Nowhere,
                    }),
                    why_not: Some(Why::Nowhere),
                    ..Look::default()
                }
            }
            Recognised::NoTranscript => Look {
                why_not: Some(Why::Unreadable(why_unknown(path).to_owned())),
                ..Look::default()
            },
        })
    };
    held.unwrap_or_else(|error| Look {
        why_not: Some(Why::Unreadable(error.to_string())),
        ..Look::default()
    })
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
        match (known.is_aside, one.is_aside) {
            (_, true) => known.aside.push(one.path),
            (true, false) => {
                known
                    .aside
                    .push(std::mem::replace(&mut known.path, one.path));
                known.started_at = one.started_at;
                known.is_aside = false;
            }
            // Cursor's database knows what came of its calls.
            (false, false) if known.kept != one.kept => {
                let is_less = known.kept == Kept::Alone;
                let less = if is_less {
                    std::mem::replace(known, one)
                } else {
                    one
                };
                skipped.push(Skipped {
                    path: less.path,
                    why: Why::Copy(known.path.clone()),
                });
            }
            (false, false) => {
                let shorter = if length(&one.path) > length(&known.path) {
                    std::mem::replace(&mut known.path, one.path)
                } else {
                    one.path
                };
                skipped.push(Skipped {
                    path: shorter,
                    why: Why::Copy(known.path.clone()),
                });
            }
        }
    }
    sessions
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
        // Each message and each part of one is a file there.
        if loose::is_storage(&folder) {
            files.extend(loose::sessions(&folder));
            continue;
        }
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

/// Sessions that were found among the lines of others, as far as they belong here: they ran here, or where that of their file did.
pub(super) fn find_others(
    others: &[(PathBuf, String)],
    hosts: &[Transcript],
    args: &Args,
    environment: &Environment,
    location: &Location,
) -> Vec<Transcript> {
    let former = args.former_folders(environment);
    let mut here = Here::of(location, environment.user_home.as_deref(), &former);
    let found = others.iter().filter_map(|(path, name)| {
        let reader = BufReader::new(file::open_regular(path).ok()?);
        let head = agent::peek_among(Agent::ClaudeCode, reader, name).ok()?;
        let cwd = head.cwd?;
        let beside = || {
            let is_host = |host: &&Transcript| {
                host.path == *path && is_below(Root::new(&cwd).as_str(), host.root.as_str())
            };
            Some((hosts.iter().find(is_host)?.root.clone(), Kin::Own))
        };
        let (root, kin) = here.root_of(&cwd, Belonging::ByFolder).or_else(beside)?;
        Some(Transcript {
            path: path.clone(),
            aside: Vec::new(),
            agent: Agent::ClaudeCode,
            kept: Kept::Alone,
            session: SessionId::named(name)?,
            name: name.clone(),
            root,
            kin,
            is_aside: false,
            is_named: hosts.iter().any(|host| host.is_named && host.path == *path),
            is_guest: true,
            started_at: head.started_at,
        })
    });
    found.collect()
}
