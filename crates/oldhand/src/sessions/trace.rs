//! Back from a memory to the events that taught it.

mod verdict;

use std::collections::BTreeSet;

use anyhow::Result;
use jiff::Timestamp;
use oldhand_domain::event::{Call, Ending, Event, Happening, Place, Return, Voice};
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::Memory;
use oldhand_domain::session::{SessionRecord, SessionStore};
use oldhand_domain::taint::OutsideText;
use oldhand_domain::words;
use oldhand_engine::{ReportLine, SessionBody, SessionReport};
use oldhand_observe::distill::Subject;
use oldhand_observe::fingerprint::broken_rules;
use oldhand_observe::fold::{SessionAnalytics, outside_of};
use oldhand_observe::language::cause::causes;
use oldhand_observe::learn::rules_told;
use serde::Serialize;

use verdict::describe_verdict;

use super::Sessions;

/// One thing that happened at a step, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Moment {
    pub(crate) step: u32,
    pub(crate) at: Timestamp,
    pub(crate) agent: Option<String>,
    pub(crate) what: String,
    /// Whether it is what the memory came of: its very words, the failure that it tells of, or what helped.
    pub(crate) decides: bool,
    /// Of what the agent only says or thinks beside it.
    #[serde(skip)]
    pub(crate) voice: Option<Voice>,
}

impl Moment {
    pub(super) fn of(step: u32, event: &Event, (what, decides): (String, bool)) -> Self {
        let voice = match &event.what {
            Happening::Text { voice, .. } => Some(*voice),
            _ => None,
        };
        Self {
            step,
            at: event.at,
            agent: event.agent.clone(),
            what,
            decides,
            voice,
        }
    }
}

/// A session that taught a memory, and what in it did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Lesson {
    pub(crate) session: SessionId,
    pub(crate) client: String,
    pub(crate) at: Timestamp,
    pub(crate) outcome: String,
    /// Why the outcome is what it is.
    pub(crate) evidence: Vec<String>,
    pub(crate) why: String,
    pub(crate) steps: Vec<u32>,
    /// Empty when the journal is gone.
    pub(crate) events: Vec<Moment>,
    /// What brought outside text into the session before that, the first of each kind; for a memory that outside text had a hand in.
    pub(crate) outside: Vec<Moment>,
}

/// The sessions that say most of how a memory came to be.
#[derive(Default)]
pub(crate) struct Trail {
    pub(crate) lessons: Vec<Lesson>,
    /// How many more have to do with it.
    pub(crate) more: usize,
}

/// A finalized session, and what is kept of it.
type Told = (SessionRecord, SessionBody, SessionReport);

/// The most events that are told of one session.
const MOST: usize = 12;
/// The longest words of an event, in bytes.
const LENGTH: usize = 160;
/// The same of one that decided.
const FULL_LENGTH: usize = 600;
/// By so many bytes of its beginning a statement is known again.
const BEGINNING: usize = 40;

impl Sessions<'_> {
    /// What each session that taught or confirmed a memory has to do with it.
    pub(crate) fn lessons(&self, memory: &Memory) -> Result<Vec<Lesson>> {
        let (told, observed) = self.told_of(memory)?;
        let mut lessons = Vec::new();
        for one in told {
            lessons.extend(self.lesson(one, observed.as_deref(), memory)?);
        }
        lessons.sort_by(|a, b| (a.at, &a.session).cmp(&(b.at, &b.session)));
        Ok(lessons)
    }

    /// The session that taught a memory and the newest that confirmed it, and how many more did. Only their journals are read.
    pub(crate) fn trail(&self, memory: &Memory) -> Result<Trail> {
        const SHOWN: usize = 2;
        let (mut told, observed) = self.told_of(memory)?;
        told.sort_by_key(|(record, ..)| std::cmp::Reverse((record.started_at, record.id.clone())));
        let is_teacher = |(record, ..): &Told| Some(&record.id) == memory.session.as_ref();
        if let Some(teacher) = told.iter().position(is_teacher) {
            told[..=teacher].rotate_right(1);
        }
        let mut told = told.into_iter();
        let mut lessons = Vec::new();
        for one in told.by_ref() {
            lessons.extend(self.lesson(one, observed.as_deref(), memory)?);
            if lessons.len() == SHOWN {
                break;
            }
        }
        lessons.sort_by(|a, b| (a.at, &a.session).cmp(&(b.at, &b.session)));
        Ok(Trail {
            lessons,
            more: told.len(),
        })
    }

    /// The finalized sessions that taught or confirmed a memory, and what they saw of it.
    fn told_of(&self, memory: &Memory) -> Result<(Vec<Told>, Option<String>)> {
        let mut sessions: BTreeSet<&SessionId> = memory.provenance.iter().collect();
        sessions.extend(&memory.session);
        let mut told = Vec::new();
        for id in sessions {
            if let Some(record) = self.store.session(id)?
                && let (Some(body), Some(report)) =
                    (SessionBody::read(&record), SessionReport::read(&record))
            {
                told.push((record, body, report));
            }
        }
        // A session that showed it before another taught it knows it by what it saw only.
        let mut reports = told.iter().map(|(_, _, report)| report);
        let observed = reports.find_map(|report| line_of(report, memory.id, None));
        let observed = observed.map(|line| line.observed.clone());
        Ok((told, observed))
    }

    /// What one session has to do with a memory.
    fn lesson(
        &self,
        (record, body, report): Told,
        observed: Option<&str>,
        memory: &Memory,
    ) -> Result<Option<Lesson>> {
        let line = line_of(&report, memory.id, observed);
        // The one that only brought it up shows nothing of it.
        let together = line.is_some_and(|line| line.together);
        if together && !memory.provenance.contains(&record.id) {
            return Ok(None);
        }
        let mut steps = line.map_or_else(Vec::new, |line| line.steps.clone());
        if steps.is_empty() {
            // What many sessions show together no single one was asked for: its files and errors lead there.
            steps = self.steps_about(&record.id, memory)?;
        }
        if line.is_none() && steps.is_empty() {
            return Ok(None);
        }
        Ok(Some(Lesson {
            session: record.id.clone(),
            client: record.client.clone(),
            at: record.started_at,
            outcome: body.verdict,
            evidence: body.evidence,
            why: line.map_or_else(
                || "one of the sessions that show it together".to_owned(),
                |line| line.why.clone(),
            ),
            events: self.moments(&record.id, &steps, memory.content.as_str())?,
            outside: self.outside_before(&record.id, &steps, memory)?,
            steps,
        }))
    }

    /// What brought the outside text that had a hand in a memory, in words.
    pub(crate) fn outside(&self, memory: &Memory) -> Result<Vec<String>> {
        if memory.taint.is_clean() {
            return Ok(Vec::new());
        }
        let mut told: Vec<String> = Vec::new();
        for moment in self
            .lessons(memory)?
            .into_iter()
            .flat_map(|one| one.outside)
        {
            if !told.contains(&moment.what) {
                told.push(moment.what);
            }
        }
        Ok(told)
    }

    /// What brought outside text into a session up to the last of the steps that taught a memory.
    fn outside_before(
        &self,
        session: &SessionId,
        steps: &[u32],
        memory: &Memory,
    ) -> Result<Vec<Moment>> {
        let marks: BTreeSet<&OutsideText> = memory.taint.sources().collect();
        let last = steps.iter().max().copied().unwrap_or(u32::MAX);
        let mut brought: BTreeSet<OutsideText> = BTreeSet::new();
        let mut moments: Vec<Moment> = Vec::new();
        if marks.is_empty() {
            return Ok(moments);
        }
        let mut fold = SessionAnalytics::default();
        self.own_events(session, |event| {
            fold.take(event, &self.options);
            let outside = outside_of(event, &self.options);
            if let Some(outside) = outside.filter(|outside| marks.contains(outside))
                && fold.step <= last
                && let Some(told) = describe(event, "")
                && brought.insert(outside)
            {
                moments.push(Moment::of(fold.step, event, told));
            }
        })?;
        Ok(moments)
    }

    /// The steps of a session that have to do with a memory; none when its journal is gone.
    fn steps_about(&self, session: &SessionId, memory: &Memory) -> Result<Vec<u32>> {
        let mut fold = SessionAnalytics::default();
        self.own_events(session, |event| fold.take(event, &self.options))?;
        Ok(fold.steps_about(&Subject::of(memory)))
    }

    /// What happened at `steps` of a session that taught `about`, in order. Reads its journal once; nothing when that is gone.
    pub(crate) fn moments(
        &self,
        session: &SessionId,
        steps: &[u32],
        about: &str,
    ) -> Result<Vec<Moment>> {
        let wanted: BTreeSet<u32> = steps.iter().copied().collect();
        let mut moments: Vec<Moment> = Vec::new();
        if wanted.is_empty() {
            return Ok(moments);
        }
        let mut fold = SessionAnalytics::default();
        // Places of prompts that do not say what was learned, and whether another does.
        let (mut others, mut is_said) = (BTreeSet::new(), false);
        self.own_events(session, |event| {
            fold.take(event, &self.options);
            if !wanted.contains(&fold.step) {
                return;
            }
            let says = match &event.what {
                Happening::Prompt { text, .. } => Some(is_said_in(text.as_str(), about)),
                _ => None,
            };
            let Some((what, decides)) = describe(event, about) else {
                return;
            };
            if moments.len() >= MOST && !decides || moments.len() >= MOST * MOST {
                return;
            }
            // A call and its end are one thing; the end says more.
            let begun = matches!(event.what, Happening::ToolReturned(_));
            if begun
                && let Some(last) = moments.last()
                && last.step == fold.step
                && what.starts_with(&last.what)
            {
                moments.pop();
            }
            // Said or done again at once is one thing; by another agent, or after something else, it is not.
            let again = moments.last().is_some_and(|last| {
                last.what == what && last.agent == event.agent && last.step == fold.step
            });
            if !again {
                is_said |= says == Some(true);
                if says == Some(false) {
                    others.insert(moments.len());
                }
                moments.push(Moment::of(fold.step, event, (what, decides)));
            }
        })?;
        let told = moments.into_iter().enumerate();
        let told = told.filter(|(at, _)| !(is_said && others.contains(at)));
        let mut told: Vec<Moment> = told.map(|(_, moment)| moment).collect();
        // What decided stays, however much was done before it.
        let mut besides = told.len().saturating_sub(MOST);
        while let Some(at) = told.iter().rposition(|one| !one.decides)
            && besides > 0
        {
            told.remove(at);
            besides -= 1;
        }
        told.truncate(MOST);
        Ok(told)
    }
}

/// Whether a prompt has four words of what was learned from it side by side.
fn is_said_in(prompt: &str, about: &str) -> bool {
    const SIDE_BY_SIDE: usize = 4;
    let (prompt, about) = (words::split(prompt), words::split(about));
    let mut parts = about.windows(SIDE_BY_SIDE);
    parts.any(|part| prompt.windows(SIDE_BY_SIDE).any(|said| said == part))
}

fn line_of<'a>(
    report: &'a SessionReport,
    memory: MemoryId,
    observed: Option<&str>,
) -> Option<&'a ReportLine> {
    let observed = observed.filter(|observed| !observed.is_empty());
    let id = memory.to_string();
    let lines = || report.lines.iter();
    let became = lines().find(|line| line.memory.as_ref() == Some(&id));
    became.or_else(|| lines().find(|line| line.shows() && Some(line.observed.as_str()) == observed))
}

/// What happened, in words, and whether it decided on what was learned.
pub(super) fn describe(event: &Event, about: &str) -> Option<(String, bool)> {
    match &event.what {
        Happening::ToolCalled { call, .. } => Some((describe_call(call), false)),
        Happening::ToolReturned(back) => Some(describe_return(back, about)),
        Happening::Text { voice, text } => {
            let verb = match voice {
                Voice::Said => "said",
                Voice::Reasoned => "thought",
            };
            Some(match cause_told(text.as_str(), about) {
                Some(cause) => (format!("{verb} “… {}”", clip_at(&cause, FULL_LENGTH)), true),
                None => (format!("{verb} “{}”", clip(text.as_str())), false),
            })
        }
        Happening::Prompt { text, .. } if event.agent.is_none() => {
            let text = text.as_str();
            let said = text.lines().find(|line| is_said_in(line, about));
            Some(match said {
                Some(line) => {
                    let before = if text.starts_with(line) { "" } else { "… " };
                    let words = clip_at(line, FULL_LENGTH);
                    (format!("the user said “{before}{words}”"), true)
                }
                None => (
                    format!("the user said “{}”", clip(text)),
                    is_said_in(text, about),
                ),
            })
        }
        Happening::Noted { text, .. } => {
            let text = clip_at(text.as_str(), FULL_LENGTH);
            Some((format!("asked to remember “{text}”"), true))
        }
        verdict => describe_verdict(verdict).map(|words| (words, true)),
    }
}

fn describe_call(call: &Call) -> String {
    let place = |place: &Place| match place {
        Place::Project(path) => path.to_string(),
        Place::Outside => "a file outside the project".to_owned(),
    };
    match call {
        Call::Read { file } => format!("read {}", place(file)),
        Call::Edit { files, .. } => {
            let files: Vec<String> = files.iter().map(place).collect();
            format!("edited {}", files.join(", "))
        }
        Call::Write { file, .. } => format!("wrote {}", place(file)),
        Call::Grep { pattern, within } => {
            let within = within.as_ref().map(|within| match within {
                Place::Project(path) => format!(" in {path}"),
                Place::Outside => " outside the project".to_owned(),
            });
            let within = within.unwrap_or_default();
            format!("searched for `{}`{within}", clip(pattern))
        }
        Call::Glob { pattern, .. } => format!("listed `{}`", clip(pattern)),
        Call::Shell { command, .. } => format!("ran `{}`", clip(command.as_str())),
        Call::WebFetch { url } => format!("fetched {}", clip(url)),
        Call::WebSearch { query } => format!("searched the web for “{}”", clip(query)),
        Call::Mcp { server, name } => format!("called {name} of {server}"),
        other => format!("used {}", other.tool()),
    }
}

/// The cause that a text states, where that is what was learned: it may stand far behind its beginning.
fn cause_told(text: &str, about: &str) -> Option<String> {
    let mut causes = causes(text).into_iter().map(|stated| stated.statement);
    causes.find(|cause| about.contains(&cause[..cause.floor_char_boundary(BEGINNING)]))
}

/// The first line of an output in which a linter names a rule that the memory tells of.
fn rule_held<'a>(output: &'a str, about: &str) -> Option<&'a str> {
    let told = rules_told(about);
    let broken = broken_rules(output).into_iter();
    let mut named = broken.filter(|broken| told.contains(&broken.rule.as_str()));
    let message = named.next()?.message;
    output.lines().find(|line| line.contains(&message))
}

fn describe_return(back: &Return, about: &str) -> (String, bool) {
    let call = describe_call(&back.call);
    if let Some(line) = rule_held(back.excerpt.as_str(), about) {
        return (
            format!("{call}, which said: {}", clip_at(line, FULL_LENGTH)),
            true,
        );
    }
    let is_quoted = match &back.call {
        Call::Shell { command, .. } => about.contains(&format!("`{}`", command.as_str())),
        _ => false,
    };
    if back.ended == Ending::Succeeded {
        return (call, is_quoted);
    }
    let told = oldhand_observe::fingerprint::fingerprint(back.excerpt.as_str());
    let output = told.map_or_else(
        || clip(back.excerpt.as_str().lines().next().unwrap_or_default()),
        |error| clip(&error.message),
    );
    let beginning = &output[..output.floor_char_boundary(BEGINNING)];
    let is_told = is_quoted || (!beginning.is_empty() && about.contains(beginning));
    (format!("{call}, which failed: {output}"), is_told)
}

fn clip(text: &str) -> String {
    clip_at(text, LENGTH)
}

fn clip_at(text: &str, length: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    if line.len() <= length {
        return line;
    }
    // A word that is cut says something else.
    let cut = &line[..line.floor_char_boundary(length)];
    let end = cut.rfind(' ').filter(|end| end * 2 > length);
    format!("{}…", &cut[..end.unwrap_or(cut.len())])
}

#[test]
fn a_search_names_where_it_looked() {
    use oldhand_domain::path::ProjectPath;
    let told = |within: Option<Place>| {
        describe_call(&Call::Grep {
            pattern: "retry".to_owned(),
            within,
        })
    };
    let folder = ProjectPath::new("src/upload").expect("a path");
    assert_eq!(told(None), "searched for `retry`");
    assert_eq!(
        told(Some(Place::Project(folder))),
        "searched for `retry` in src/upload"
    );
    assert_eq!(
        told(Some(Place::Outside)),
        "searched for `retry` outside the project"
    );
}

#[test]
fn a_moment_shows_the_part_that_taught() {
    let text = "All is green again, and the notes are in the usual place. Root cause: `load_env` reads `.env` from the current folder, not from the one of the script.";
    let about = "The cause of a failure: `load_env` reads `.env` from the current folder, not from the one of the script.";
    assert!(cause_told(text, about).is_some_and(|cause| cause.starts_with("`load_env`")));
    assert_eq!(cause_told(text, "Something else."), None);
    let output = "a.go:1:2: G304: Potential file inclusion (gosec)\na.go:3:4: exec.Command must not be called (noctx)";
    let about = "`make lint` failed on the changes of 5 of the 9 sessions that ran it, most often noctx (5: \"exec.Command must not be called\").";
    assert!(rule_held(output, about).is_some_and(|line| line.ends_with("(noctx)")));
    assert_eq!(rule_held(output, "`make` fails."), None);
}
