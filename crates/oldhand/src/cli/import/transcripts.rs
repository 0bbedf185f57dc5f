//! `oldhand import transcripts`: what agents did before Oldhand was there.

mod past;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;
use jiff::Timestamp;
use oldhand_domain::event::Event;
use oldhand_domain::id::SessionId;
use oldhand_engine::Shelf;
use oldhand_redact::redact;
use oldhand_store::opencode;

use crate::agent::{self, Agent, Head, Reading, Root};
use crate::cli::session::finalize::{Tally, Which, finalize_all};
use crate::cli::{Door, job};
use crate::config::Environment;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::interrupt;
use crate::out::Progress;
use crate::out::style::{FAINT, STRONG};
use crate::out::time::count;
use crate::sessions::Sessions;
use crate::view::session::{SkippedView, TranscriptsView};

pub(crate) use past::{learn_from, past};

/// Bring in what agents did here before, from the transcripts they keep
///
/// Sessions are matched to this project by the folder they ran in, as the transcript records it. Without PATH the usual
/// places of Claude Code, Codex, Gemini CLI and OpenCode are looked through. What a PATH names is taken even if it ran elsewhere, as
/// from a clone on another machine. Doing it again takes only what is new.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand import transcripts
  oldhand import transcripts --agent codex
  oldhand import transcripts ~/old-laptop/.claude/projects --json")]
pub(crate) struct Args {
    /// Transcript files, or folders with transcripts in them
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only transcripts of this agent
    #[arg(long, value_enum)]
    agent: Option<TranscriptAgent>,
    /// Only take the events in; `oldhand session finalize --all` learns from them later
    #[arg(long)]
    no_finalize: bool,
    /// In the background; `oldhand status` shows how far it is
    #[arg(long)]
    detach: bool,
}

impl Args {
    /// The same command without `--detach`; paths do not depend on where it runs.
    fn in_background(&self, environment: &Environment) -> Vec<String> {
        let mut arguments = vec!["import".to_owned(), "transcripts".to_owned()];
        if let Some(agent) = self.agent.and_then(|agent| agent.to_possible_value()) {
            arguments.push(format!("--agent={}", agent.get_name()));
        }
        if self.no_finalize {
            arguments.push("--no-finalize".to_owned());
        }
        let paths = self.paths.iter().map(|path| environment.folder.join(path));
        arguments.extend(paths.map(|path| path.display().to_string()));
        arguments
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TranscriptAgent {
    ClaudeCode,
    Codex,
    Gemini,
    #[value(name = "opencode")]
    OpenCode,
}

impl TranscriptAgent {
    const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::OpenCode];

    const fn agent(self) -> Agent {
        match self {
            Self::ClaudeCode => Agent::ClaudeCode,
            Self::Codex => Agent::Codex,
            Self::Gemini => Agent::Gemini,
            Self::OpenCode => Agent::OpenCode,
        }
    }

    /// Where the agent keeps its transcripts, below the person's home.
    const fn place(self) -> &'static str {
        match self {
            Self::ClaudeCode => ".claude/projects",
            Self::Codex => ".codex/sessions",
            Self::Gemini => ".gemini/tmp",
            Self::OpenCode => ".local/share/opencode",
        }
    }
}

/// Transcripts are taken in the order they began, then by name.
type Order = (Option<Timestamp>, String);

/// A transcript that belongs here.
pub(crate) struct Transcript {
    path: PathBuf,
    agent: Agent,
    session: SessionId,
    root: Root,
    started_at: Option<Timestamp>,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    if args.detach {
        let arguments = args.in_background(&door.environment);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        return job::hand_over(door, &arguments);
    }
    interrupt::watch("what was imported so far stays; doing it again goes on from there");
    let desk = Desk::open(&door.environment, Purpose::Teach(Shelf::Project), &door.out)?;
    let sessions = Sessions::of(&desk)?;
    let mut skipped = Vec::new();
    let transcripts = find(args, &door.environment, &desk.location.root, &mut skipped)?;
    let mut total = Reading::default();
    let mut known = 0;
    let bar = Progress::new("reading transcripts", transcripts.len());
    for (done, transcript) in transcripts.iter().enumerate() {
        if sessions.live.contains(&transcript.session) {
            known += 1;
        } else {
            match take(transcript, &sessions) {
                Ok(reading) => add(&mut total, reading),
                Err(error) => skipped.push(Skipped {
                    path: transcript.path.clone(),
                    why: format!("{error:#}"),
                }),
            }
        }
        bar.reach(done + 1);
    }
    drop(bar);
    let tally = if args.no_finalize {
        Tally::default()
    } else {
        finalize_all(&desk, &sessions, Which::All)?
    };
    desk.back_up(&door.out);
    tell(door, &transcripts, &total, known, &skipped, &tally)
}

impl Transcript {
    pub(crate) fn agent(&self) -> Agent {
        self.agent
    }
}

struct Skipped {
    path: PathBuf,
    why: String,
}

fn tell(
    door: &mut Door,
    transcripts: &[Transcript],
    total: &Reading,
    known: usize,
    skipped: &[Skipped],
    tally: &Tally,
) -> Result<ExitCode> {
    let out = &mut door.out;
    if out.is_json() {
        let skipped = skipped.iter().map(|one| SkippedView {
            path: one.path.display().to_string(),
            why: one.why.clone(),
        });
        out.json(&TranscriptsView {
            transcripts: transcripts.len(),
            known_from_hooks: known,
            lines: total.lines,
            bytes: total.bytes,
            events: total.events,
            broken_lines: total.broken,
            too_long_lines: total.too_long,
            unknown_kinds: total.unknown.clone(),
            skipped: skipped.collect(),
            finalized: tally.view(),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    if transcripts.is_empty() && skipped.is_empty() {
        out.note("no transcript of this project was found");
        return Ok(ExitCode::from(crate::cli::NOTHING_FOUND));
    }
    writeln!(
        out,
        "{STRONG}{}{STRONG:#} read{FAINT}, {} in {}{FAINT:#}",
        count(transcripts.len() - known, "transcript"),
        count(total.events as usize, "event"),
        count(total.lines as usize, "line"),
    )?;
    if known > 0 {
        writeln!(
            out,
            "  {} known from their hooks already",
            count(known, "session")
        )?;
    }
    if total.broken + total.too_long > 0 {
        writeln!(
            out,
            "  {} could not be read",
            count((total.broken + total.too_long) as usize, "line")
        )?;
    }
    tally.write(out)?;
    for one in skipped {
        out.note(&format!("left out {}: {}", one.path.display(), one.why));
    }
    Ok(ExitCode::SUCCESS)
}

fn find(
    args: &Args,
    environment: &Environment,
    root: &Path,
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<Transcript>> {
    let wanted: Vec<TranscriptAgent> = TranscriptAgent::ALL
        .into_iter()
        .filter(|agent| args.agent.is_none_or(|only| only == *agent))
        .collect();
    let mut found: BTreeMap<Order, Transcript> = BTreeMap::new();
    if args.paths.is_empty() {
        let Some(home) = &environment.user_home else {
            return Err(
                Failure::not_found("there is no home folder to look for transcripts in")
                    .hint("name them: `oldhand import transcripts PATH`")
                    .into(),
            );
        };
        for agent in wanted {
            for path in files_below(&home.join(agent.place())) {
                if is_database(&path) {
                    let sessions = database(&path, root, Belonging::ByFolder).unwrap_or_default();
                    found.extend(sessions);
                    continue;
                }
                if let Ok(Some(transcript)) = recognise(&path, &[agent], root, Belonging::ByFolder)
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
            for path in files_below(&given) {
                if is_database(&path) && wanted.contains(&TranscriptAgent::OpenCode) {
                    match database(&path, root, Belonging::Given) {
                        Ok(sessions) => found.extend(sessions),
                        Err(error) => skipped.push(Skipped {
                            path,
                            why: error.to_string(),
                        }),
                    }
                    continue;
                }
                match recognise(&path, &wanted, root, Belonging::Given) {
                    Ok(Some(transcript)) => {
                        found.insert(
                            (transcript.started_at, path.display().to_string()),
                            transcript,
                        );
                    }
                    Ok(None) => skipped.push(Skipped {
                        path,
                        why: "it is no transcript of a known agent".to_owned(),
                    }),
                    Err(error) => skipped.push(Skipped {
                        path,
                        why: error.to_string(),
                    }),
                }
            }
        }
    }
    Ok(found.into_values().collect())
}

/// The file itself, or every transcript-like file below the folder.
fn files_below(place: &Path) -> Vec<PathBuf> {
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
fn is_database(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "opencode.db")
}

/// The sessions in a database that belong here.
fn database(
    path: &Path,
    root: &Path,
    belonging: Belonging,
) -> io::Result<Vec<(Order, Transcript)>> {
    let sessions = opencode::sessions(path)?.into_iter().filter_map(|session| {
        let started_at = Timestamp::from_millisecond(session.created).ok();
        let id = SessionId::new(safe(&session.id)).ok()?;
        let place = place(&session.directory, root, belonging)?;
        let transcript = Transcript {
            path: path.to_owned(),
            agent: Agent::OpenCode,
            session: id,
            root: Root::new(&place),
            started_at,
        };
        let name = format!("{}#{}", path.display(), session.id);
        Some(((started_at, name), transcript))
    });
    Ok(sessions.collect())
}

/// Where the project was when a session ran in `cwd`; `None` when that was another project.
fn place(cwd: &str, root: &Path, belonging: Belonging) -> Option<String> {
    if Path::new(cwd).starts_with(root) {
        return Some(root.display().to_string());
    }
    (belonging == Belonging::Given).then(|| root_of(cwd, root))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Belonging {
    /// It ran in this project's folder or below it.
    ByFolder,
    /// A person says so.
    Given,
}

/// `None` for a file that is no transcript, or not of this project.
fn recognise(
    path: &Path,
    agents: &[TranscriptAgent],
    root: &Path,
    belonging: Belonging,
) -> io::Result<Option<Transcript>> {
    for agent in agents {
        let mut head = agent::peek(agent.agent(), &mut BufReader::new(File::open(path)?))?;
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
        let Some(place) = place(&cwd, root, belonging) else {
            return Ok(None);
        };
        let Ok(session) = SessionId::new(safe(&session)) else {
            continue;
        };
        return Ok(Some(Transcript {
            path: path.to_owned(),
            agent: agent.agent(),
            session,
            root: Root::new(&place),
            started_at,
        }));
    }
    Ok(None)
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
fn root_of(cwd: &str, root: &Path) -> String {
    let name = root
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let steps: Vec<&str> = cwd.split(['/', '\\']).collect();
    match steps.iter().rposition(|step| *step == name) {
        Some(at) if !name.is_empty() => steps[..=at].join("/"),
        _ => cwd.to_owned(),
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

/// Reads a transcript into the journal of its session, without its secrets.
fn take(transcript: &Transcript, sessions: &Sessions<'_>) -> Result<Reading> {
    let mut reading = Reading::default();
    sessions.imported.replace(&transcript.session, |write| {
        let mut written = Ok(());
        let put = |mut event: Event| {
            if written.is_ok() {
                event.change_texts(|text| *text = redact(text).text.into_owned());
                written = write(&event);
            }
        };
        let (agent, root) = (transcript.agent, &transcript.root);
        reading = if is_database(&transcript.path) {
            let id = transcript.session.as_str();
            agent::read_values(agent, root, put, |give| {
                opencode::each_row(&transcript.path, id, give)
            })?
        } else {
            let mut reader = BufReader::with_capacity(1 << 16, File::open(&transcript.path)?);
            agent::read(agent, &mut reader, root, put)?
        };
        written
    })?;
    Ok(reading)
}

fn add(total: &mut Reading, one: Reading) {
    total.lines += one.lines;
    total.bytes += one.bytes;
    total.events += one.events;
    total.broken += one.broken;
    total.too_long += one.too_long;
    for (kind, times) in one.unknown {
        *total.unknown.entry(kind).or_default() += times;
    }
}
