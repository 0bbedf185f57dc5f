//! What happens when an agent's hook calls: listen, write it down, perhaps say one thing, be gone.
//!
//! An agent must never notice that something here went wrong. Whatever cannot be understood, found, opened or finished in time
//! ends in silence and success. Start reading at [`run`].

mod answer;
mod background;
mod cue;
mod deadline;
mod known;
mod library;
mod person;

use std::io::{Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use oldhand_domain::event::{Event, Happening};
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_engine::rules::{is_for_another, is_of_file};
use oldhand_engine::{Cue, say};
use oldhand_recall::inject::{Injection, Line, Occasion, Said};
use oldhand_store::journal::Journals;
use serde_json::Value;

use crate::agent::{self, Agent, Moment, Root};
use crate::code::{registers, still};
use crate::config::{Environment, Listening, Settings};
use crate::crib;
use crate::file;
use crate::project::{self, Found, Head, Project};
use crate::wire::{self, Client, Hook, Reach};
use deadline::Deadline;
use library::Library;

pub(crate) use background::finalize as finalize_in_background;

/// The longest payload that is looked at. Longer ones are read to their end, so that the client can finish writing.
const PAYLOAD_LIMIT: u64 = 64 * 1024 * 1024;

/// Beside the database: when an answer came too late to be given.
pub(crate) const LATE_HOOKS: &str = "late-hooks";

/// Beside the database: calls of hooks that nobody here knows.
pub(crate) const UNKNOWN_HOOKS: &str = "unknown-hooks";

/// Answers one call of a hook on standard input and output. Nothing that happens in here reaches the caller. `home` is where
/// everything is kept, where the caller says so.
pub(crate) fn run(agent: &str, home: Option<PathBuf>) {
    // A panic's words would land in the agent's terminal.
    std::panic::set_hook(Box::new(|_| {}));
    let deadline = Deadline::start(Environment::hook_deadline());
    let answered = fail_open(|| {
        let mut environment = Environment::read(None).ok()?;
        if let Some(home) = home {
            environment.move_to(environment.folder.join(home));
        }
        let named = person::or_tell(Agent::named(agent), "no agent is called that");
        hear(named?, &environment, &deadline)
    });
    if let Some(answer) = answered
        && deadline.begin_to_answer()
    {
        let mut stdout = std::io::stdout().lock();
        // Nobody listens any more: nobody can be told.
        let _ = stdout
            .write_all(answer.as_bytes())
            .and_then(|()| stdout.flush());
    }
}

/// The answer, or silence: also where the code has a mistake.
fn fail_open(answer: impl FnOnce() -> Option<String>) -> Option<String> {
    catch_unwind(AssertUnwindSafe(answer)).ok().flatten()
}

fn hear(agent: Agent, environment: &Environment, deadline: &Deadline) -> Option<String> {
    person::tell_what_is_awaited();
    let payload = person::or_tell(read_payload(), "standard input has no payload in JSON")?;
    deadline.heard();
    let Some(project) = find_project(environment, &payload) else {
        person::tell(
            "the folder in the payload's `cwd` belongs to no project that is known; `oldhand init` there makes it one",
        );
        return None;
    };
    if is_told_twice(agent, &payload, environment, &project) {
        person::tell(
            "your own settings call another hook of Oldhand for this, which answers instead; run this one by its whole path to try it",
        );
        return None;
    }
    // Where settings cannot be read, nobody knows whether this project is switched off: then nothing is heard.
    let settings = Settings::read(environment, Some(&project.directory)).ok();
    let settings = person::or_tell(
        settings,
        "settings cannot be read; `oldhand doctor` says why",
    )?;
    if settings.listening == Listening::Off {
        person::tell("Oldhand is switched off here; `oldhand on` switches it on");
        return None;
    }
    deadline.allow(settings.hook_deadline);
    // The list had it a moment ago: what is written from here on has a place. A removal in between leaves a stray folder, which `doctor` names.
    let _ = file::create_private_dir(&project.directory);
    let call = Call::understand(agent, &payload, project, &settings, environment);
    let call = person::or_tell(call, "the payload names no session")?;
    // A journal that cannot be written, on a full disk say, is no reason to keep a known trap back.
    let _ = call.journals.append(&call.session, &call.events);
    let home = &environment.home;
    if call.moment == Moment::SessionEnd {
        background::finalize(home, &call.project, &call.session);
    }
    let event = payload.get("hook_event_name").and_then(Value::as_str);
    if call.moment == Moment::Unknown {
        note_unknown(&call.project, event, environment.now);
    }
    let event = event.unwrap_or("a call");
    deadline.written_down(
        call.project.directory.join(LATE_HOOKS),
        format!(
            "{} {}",
            environment.now,
            &event[..event.floor_char_boundary(40)]
        ),
    );
    if call.moment == Moment::SessionStart {
        background::catch_up(home, &call, environment.now);
    }
    let no_answer = "this agent takes no answer at this moment; what happened is written down";
    let door = person::or_tell(answer::door(agent, &payload), no_answer)?;
    let cues = cue::cues(
        call.moment,
        &call.events,
        &call.step,
        &call.project.location.root,
    );
    if cues.is_empty() {
        person::tell("nothing is told at this moment; what happened is written down");
        return None;
    }
    let injection = call.inject(&cues, &settings, environment, &payload);
    let nothing = "nothing that is sure enough is about this, or it was told before; `oldhand context TASK` says more";
    let injection = person::or_tell(injection, nothing)?;
    Some(door.word(&injection.text))
}

/// Notes that a client called at a moment that nobody here knows: it says new things, or its settings call us for nothing.
fn note_unknown(project: &Project, event: Option<&str>, now: Timestamp) {
    let is_of_name = |c: &char| c.is_ascii_alphanumeric() || "._-".contains(*c);
    let letters = event.unwrap_or_default().chars();
    let name: String = letters.filter(is_of_name).take(40).collect();
    let name = if name.is_empty() { "unnamed" } else { &name };
    let path = project.directory.join(UNKNOWN_HOOKS);
    deadline::note_within(deadline::NOTING, path, format!("{now} {name}"));
}

/// Whether other hooks of ours tell the same. Cursor also runs the hooks of Claude Code; where it has some in its own settings, those
/// count. And an agent runs what a repository has for everybody beside what its user has: then the user's own count.
fn is_told_twice(
    agent: Agent,
    payload: &Value,
    environment: &Environment,
    project: &Project,
) -> bool {
    let holds = |client: Client, reach: Reach, counts: &dyn Fn(&Hook) -> bool| {
        let places = client.places(reach, environment, &project.location.root);
        places.iter().any(|place| {
            let text = wire::read(&place.path).ok().flatten();
            text.is_some_and(|text| wire::look(place, &text).hooks.iter().any(counts))
        })
    };
    let by_cursor = agent == Agent::ClaudeCode
        && (payload.get("cursor_version").is_some()
            || Environment::other_variable("CURSOR_VERSION").is_some());
    if by_cursor {
        let reaches = [Reach::User, Reach::Repository];
        return reaches
            .into_iter()
            .any(|reach| holds(Client::Cursor, reach, &|_| true));
    }
    // What is shared calls us by name alone, what is a person's own by our place.
    let is_shared = std::env::args_os()
        .next()
        .is_some_and(|name| name == "oldhand");
    let event = payload.get("hook_event_name").and_then(Value::as_str);
    let is_own = |hook: &Hook| {
        let binary = hook.binary();
        let binary = Path::new(&binary);
        event == Some(hook.event.as_str()) && binary.is_absolute() && binary.exists()
    };
    is_shared
        && agent != Agent::OpenCode
        && Client::named(agent.as_str()).is_some_and(|client| holds(client, Reach::User, &is_own))
}

/// One call of a hook, understood.
struct Call {
    agent: Agent,
    project: Project,
    journals: Journals,
    session: SessionId,
    moment: Moment,
    events: Vec<Event>,
    /// The main agent has no name.
    subagent: Option<String>,
    /// The files that the step was about which ends with this call.
    step: Vec<ProjectPath>,
}

impl Call {
    fn understand(
        agent: Agent,
        payload: &Value,
        project: Project,
        settings: &Settings,
        environment: &Environment,
    ) -> Option<Self> {
        let now = environment.now;
        let root = Root::new(&project.location.root.to_string_lossy());
        let mut told = agent::from_hook(agent, payload, &root, now);
        let session = SessionId::named(&told.session)?;
        let journals = Journals::new(project.directory.join("journal"));
        let starts = |event: &Event| matches!(event.what, Happening::SessionStarted(_));
        if !told.events.is_empty()
            && !told.events.iter().any(starts)
            && !journals.contains(&session)
        {
            let first = agent::beginning(agent, payload, now);
            told.events.insert(0, first);
            let path = told
                .transcript
                .take()
                .filter(|_| told.events[1].agent.is_none());
            let transcribed = path.map(|path| Event::new(now, Happening::Transcribed { path }));
            told.events.extend(transcribed);
        }
        for event in &mut told.events {
            // Clients do not tell the branch. What a session leaves unfinished is unfinished there and nowhere else.
            if let Happening::SessionStarted(start) = &mut event.what {
                environment.complete(start, &settings.methodology);
                if start.branch.is_none() {
                    start.branch = Head::branch(&project.location);
                }
            }
            event.change_texts(|text| {
                let redacted = oldhand_redact::redact(text);
                if !redacted.findings.is_empty() {
                    *text = redacted.text.into_owned();
                }
            });
        }
        Some(Self {
            agent,
            journals,
            project,
            session,
            subagent: told
                .events
                .iter()
                .find_map(|event| event.agent.clone())
                .or_else(|| agent::subagent(payload)),
            step: match told.moment {
                Moment::StepEnd => agent::files_of_step(agent, payload, &root),
                _ => Vec::new(),
            },
            moment: told.moment,
            events: told.events,
        })
    }
}

impl Call {
    /// Whether what a memory hangs on is still there; the index may not know yet that it went.
    fn is_there(&self, cue: &Cue, line: &Line) -> bool {
        let why_gone = match cue {
            Cue::SessionStarted
            | Cue::ContextCompacted
            | Cue::Asked(_)
            // The other file, by which it is answered.
            | Cue::FileMissed(_) => still::why_gone,
            // What the agent just had in hand is there.
            _ => still::why_symbol_gone,
        };
        let root = &self.project.location.root;
        line.memory()
            .is_none_or(|memory| why_gone(memory, root).is_none())
    }

    /// Whether it says where a file has to be entered that needs no entering.
    fn is_no_news(&self, cue: &Cue, line: &Line) -> bool {
        let about = cue.file().zip(line.memory());
        about.is_some_and(|(file, memory)| {
            registers::is_no_news(memory, file, &self.project.location)
        })
    }

    /// What there is to say, written down as said.
    fn inject(
        &self,
        cues: &[Cue],
        settings: &Settings,
        environment: &Environment,
        payload: &Value,
    ) -> Option<Injection> {
        let library = Library::open(&self.project, settings, environment);
        let seen = cue::seen(payload);
        let injection = cues.iter().find_map(|cue| {
            let mut lines = library.recall(cue, &self.session)?;
            // Most calls end in silence, and need not know what the client reads by itself.
            if !lines.is_empty() {
                let started = payload.get("cwd").and_then(Value::as_str).map(Path::new);
                let root = &self.project.location.root;
                let own = cue::Own::read(self.agent, root, started, cue);
                lines.retain(|line| {
                    let left = |memory| why_left(self.agent, memory, &own).is_some();
                    self.is_there(cue, line)
                        && !line.memory().is_some_and(left)
                        && !self.is_no_news(cue, line)
                });
            }
            crib::add(&self.project, cue, &mut lines);
            self.say(cue, lines, &seen, &library, environment.now)
        });
        library.leave();
        injection
    }

    /// Whether the same search was made before in this session. Most were not, and reading a long journal takes its time.
    fn is_repeated(&self, cue: &Cue) -> bool {
        match cue {
            Cue::Searched(pattern) => serde_json::to_string(pattern)
                .is_ok_and(|pattern| self.journals.repeats(&self.session, &pattern)),
            _ => false,
        }
    }

    /// Says what was not said before. Hooks of one session run side by side, so that looking and writing down is for one of them at a
    /// time; nothing is said that could not be written down.
    fn say(
        &self,
        cue: &Cue,
        mut lines: Vec<Line>,
        seen: &[&str],
        library: &Library<'_>,
        now: Timestamp,
    ) -> Option<Injection> {
        if lines.is_empty() && !self.is_repeated(cue) {
            return None;
        }
        let locks = self.project.directory.join("locks");
        file::create_private_dir(&locks).ok()?;
        let _lock = file::lock(&locks.join(lock_of(&self.session))).ok()?;
        let agent = self.subagent.clone();
        let events = self.journals.read(&self.session).ok()?.events;
        if matches!(cue, Cue::StepEnded(_)) && calls(&events, agent.as_deref()) < FIRST_CALLS {
            return None;
        }
        let said = Said::of(&events, agent.as_deref());
        known::add_search(&events, agent.as_deref(), cue, &mut lines);
        let told = match cue {
            // Whatever else is said is about the very file or error at hand.
            Cue::Asked(_) => library.texts(&said.memories().collect::<Vec<_>>()),
            _ => Vec::new(),
        };
        let occasion = Occasion {
            point: cue.point(),
            about: cue.file(),
            said: &said,
            told: &told,
            seen,
            fence: library.fence(),
        };
        let injection = say(&occasion, &lines)?;
        let record = injection.to_event(now, agent);
        self.journals.append(&self.session, &[record]).ok()?;
        Some(injection)
    }
}

/// Why a client is not told a memory that another would be.
fn why_left(agent: Agent, memory: &Memory, own: &cue::Own) -> Option<&'static str> {
    if is_for_another(memory, agent.as_str()) {
        Some("it is meant for other clients")
    } else {
        own.has(memory).then_some("its own rules files say it")
    }
}

/// Which of these each client would not be told with a task, and why.
pub(crate) fn left_to_clients(
    memories: &[&Memory],
    root: &Path,
) -> Vec<(Agent, MemoryId, &'static str)> {
    // Only the rules of files are ever left to a client, and who has none need not be read for.
    let of_files: Vec<&&Memory> = memories.iter().filter(|one| is_of_file(one)).collect();
    if of_files.is_empty() {
        return Vec::new();
    }
    let left = Agent::ALL.into_iter().flat_map(|agent| {
        let own = cue::Own::read(agent, root, None, &Cue::Asked(String::new()));
        let left = of_files
            .iter()
            .filter_map(|memory| Some((agent, memory.id, why_left(agent, memory, &own)?)));
        left.collect::<Vec<_>>()
    });
    left.collect()
}

/// The lock that a session shares with one in sixteen others: all would wait for each other at one, and one for each would leave as many files behind.
fn lock_of(session: &SessionId) -> String {
    let sum = session.as_str().bytes().fold(0, u8::wrapping_add);
    format!("inject-{:x}", sum % 16)
}

/// How many calls an agent makes before it hears anything between its steps.
const FIRST_CALLS: usize = 6;

/// How many calls of an agent came back so far.
fn calls(told: &[Event], agent: Option<&str>) -> usize {
    let own = told.iter().filter(|event| event.agent.as_deref() == agent);
    own.filter(|event| matches!(event.what, Happening::ToolReturned(_)))
        .count()
}

fn read_payload() -> Option<Value> {
    let mut bytes = Vec::new();
    let mut stdin = std::io::stdin().lock();
    stdin
        .by_ref()
        .take(PAYLOAD_LIMIT)
        .read_to_end(&mut bytes)
        .ok()?;
    if bytes.len() as u64 == PAYLOAD_LIMIT {
        // A client whose pipe breaks while it writes may take that for a failure of the hook.
        let _ = std::io::copy(&mut stdin, &mut std::io::sink());
        return None;
    }
    agent::parse_payload(&String::from_utf8_lossy(&bytes))
}

/// The project the agent was started in; else the one it is in now. A project that nobody ran `oldhand init` in stays unknown.
fn find_project(environment: &Environment, payload: &Value) -> Option<Project> {
    let told = payload.get("cwd").and_then(Value::as_str).or_else(|| {
        let roots = payload.get("workspace_roots")?.as_array()?;
        roots.first()?.as_str()
    });
    let folders = [
        environment.agent_folder.clone(),
        told.map(PathBuf::from),
        Some(environment.folder.clone()),
    ];
    folders
        .into_iter()
        .flatten()
        .find_map(|folder| known(environment, &folder))
}

fn known(environment: &Environment, folder: &Path) -> Option<Project> {
    if !folder.is_absolute() {
        return None;
    }
    match project::find(&environment.home, folder, environment.user_home.as_deref()) {
        Ok(Found::Known(project)) => Some(project),
        _ => None,
    }
}

/// Everything that is asked of a payload before the database is.
#[cfg(test)]
pub(crate) fn try_cues(moment: Moment, events: &[Event], payload: &Value) {
    let _ = cue::cues(moment, events, &[], Path::new(""));
    let _ = cue::seen(payload);
    for agent in Agent::ALL {
        let _ = answer::door(agent, payload);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_in_the_code_is_silence() {
        assert_eq!(
            fail_open(|| Some("words".to_owned())).as_deref(),
            Some("words")
        );
        assert_eq!(fail_open(|| unreachable!("a rule was broken")), None);
    }
}
