//! The options that narrow a search, a list or an export.

use std::error::Error as _;

use anyhow::Result;
use clap::Parser as _;
use clap::error::{ContextKind, ContextValue};
use jiff::{SignedDuration, Timestamp};
use oldhand_domain::confidence::Confidence;
use oldhand_domain::filter::{Filter, State, Sure};
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::MemoryType;
use oldhand_domain::session::SessionStore as _;
use oldhand_domain::text::{ModuleName, Tag};
use oldhand_domain::vocabulary::{Phase, Scope, Source};
use oldhand_engine::{EngineError, Shelf};
use oldhand_recall::phase;

use super::words;
use crate::code;
use crate::desk::Desk;
use crate::failure::Failure;
use crate::out::Out;
use crate::out::time::count;
use crate::sessions::Sessions;

#[derive(Clone, Default, clap::Args)]
#[cfg_attr(test, derive(Debug))]
#[command(next_help_heading = "Narrowing")]
pub(crate) struct Narrow {
    /// Only this type; may be given several times
    #[arg(long = "type", short = 't', value_name = "TYPE", value_parser = words::word::<MemoryType>)]
    types: Vec<MemoryType>,
    /// Only types that are of use in this phase of work, unless --type says which: define, implement, validate, refine, explore or reflect; those
    /// that it needs most come first among equals
    #[arg(long, value_name = "PHASE", value_parser = words::word::<Phase>)]
    phase: Option<Phase>,
    /// Only about this file, or a file below this folder; may be given several times
    #[arg(long = "file", short = 'f', value_name = "PATH")]
    files: Vec<String>,
    /// Only with this tag; may be given several times
    #[arg(long = "tag", value_name = "TAG", value_parser = words::tag)]
    tags: Vec<Tag>,
    /// Only about this module, as `oldhand map` calls it, or the last part of that: what names it, or a file that lies in it; may be given
    /// several times
    #[arg(long = "module", value_name = "NAME")]
    modules: Vec<ModuleName>,
    /// Only what came about this way, such as user_taught
    #[arg(long = "source", value_name = "SOURCE", value_parser = words::word::<Source>)]
    sources: Vec<Source>,
    /// Only what reaches this far: global, module, work_unit, session
    #[arg(long = "scope", value_name = "SCOPE", value_parser = words::word::<Scope>)]
    scopes: Vec<Scope>,
    /// Only what was learned in this session; the beginning of its id is enough
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only what was learned on this branch
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Only of which at least this confidence is left today
    #[arg(long, value_name = "0..1", value_parser = words::confidence)]
    min_confidence: Option<Confidence>,
    /// Only learned at or after this: 2026-01-31, a time in RFC 3339, or how long ago: 12h, 7d, 2w, 1y
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    since: Option<When>,
    /// Only learned at or before this, said as for --since
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    until: Option<When>,
    /// Only learned within a week of this time, of the memory or of the session with this id
    #[arg(long, value_name = "TIME|ID", conflicts_with_all = ["since", "until"])]
    around: Option<String>,
    /// Only learned in the last sessions, this many, or since
    #[arg(long, value_name = "SESSIONS", conflicts_with_all = ["since", "until", "around"], value_parser = clap::value_parser!(u16).range(1..))]
    recent: Option<u16>,
    /// Only what follows you from project to project
    #[arg(long)]
    personal: bool,
}

/// What is wrong with options that were given by their names, in those names: who asks so knows no command line.
fn misnamed(error: &clap::Error) -> Failure {
    let named = |kind| match error.get(kind)? {
        ContextValue::String(option) => Some(plain_name(option)),
        ContextValue::Strings(options) => options.first().map(|option| plain_name(option)),
        _ => None,
    };
    let name = named(ContextKind::InvalidArg).unwrap_or_default();
    if let Some(other) = named(ContextKind::PriorArg) {
        return Failure::invalid(format!("`{name}` cannot be given together with `{other}`"))
            .hint("leave one of them out");
    }
    match error.source() {
        Some(why) => Failure::invalid(format!("`{name}`: {why}")),
        None => super::unheard(error),
    }
}

/// `min_confidence` of `--min-confidence <0..1>`.
fn plain_name(option: &str) -> String {
    let name = option.split([' ', '=']).next().unwrap_or_default();
    name.trim_start_matches('-').replace('-', "_")
}

/// How far before and after an event still is around it.
const AROUND: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A time, or how long before now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum When {
    At(Timestamp),
    Ago(SignedDuration),
}

impl When {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let hours = |unit: char, hours: i64| {
            let number: i64 = text.strip_suffix(unit)?.parse().ok()?;
            (0..=100_000)
                .contains(&number)
                .then(|| Self::Ago(SignedDuration::from_hours(number * hours)))
        };
        hours('h', 1)
            .or_else(|| hours('d', 24))
            .or_else(|| hours('w', 7 * 24))
            .or_else(|| hours('y', 365 * 24))
            .map_or_else(|| words::time(text).map(Self::At), Ok)
            .map_err(|why| format!("{why}; a while ago is said as 12h, 3d, 2w or 1y"))
    }

    fn before(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(time) => time,
            Self::Ago(ago) => shift(now, -ago),
        }
    }
}

/// As far as times go.
fn shift(time: Timestamp, by: SignedDuration) -> Timestamp {
    let end = if by.is_negative() {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    time.checked_add(by).unwrap_or(end)
}

impl Narrow {
    /// The same options by their names, where no command line gives them.
    pub(crate) fn by_name(options: impl IntoIterator<Item = (String, String)>) -> Result<Self> {
        #[derive(clap::Parser)]
        struct Options {
            #[command(flatten)]
            narrow: Narrow,
        }
        let words = options
            .into_iter()
            .map(|(name, value)| format!("--{name}={value}"));
        let words = std::iter::once("oldhand".to_owned()).chain(words);
        match Options::try_parse_from(words) {
            Ok(Options { narrow }) => Ok(narrow),
            Err(error) => Err(misnamed(&error).into()),
        }
    }

    /// `None` is every shelf.
    pub(crate) fn shelf(&self) -> Option<Shelf> {
        self.personal.then_some(Shelf::Personal)
    }

    pub(crate) fn phase(&self) -> Option<Phase> {
        self.phase
    }

    /// The files and folders that are asked about.
    pub(crate) fn paths(&self, desk: &Desk) -> Result<Vec<ProjectPath>> {
        self.files.iter().map(|file| desk.path(file)).collect()
    }

    pub(crate) fn filter(self, desk: &Desk, out: &Out) -> Result<Filter> {
        let (mut since, mut until) = (
            self.since.map(|when| when.before(desk.now)),
            self.until.map(|when| when.before(desk.now)),
        );
        if let Some(around) = &self.around {
            let (from, to) = event(around, desk)?;
            since = Some(shift(from, -AROUND));
            until = Some(shift(to, AROUND));
        }
        if let Some(recent) = self.recent {
            since = Some(start_of_last(usize::from(recent), desk)?);
        }
        let files = self.paths(desk)?;
        let session = self
            .session
            .map(|given| session(&given, desk))
            .transpose()?;
        let named = code::modules::named(&self.modules, desk, out)?;
        let types = match self.phase {
            Some(phase) if self.types.is_empty() => phase::types(phase),
            _ => self.types,
        };
        Ok(Filter {
            types,
            sources: self.sources,
            scopes: self.scopes,
            tags: self.tags,
            files,
            modules: named.names,
            module_places: named.places,
            session,
            branch: self.branch,
            at_least: self.min_confidence.map(|confidence| Sure {
                confidence,
                at: desk.now,
            }),
            created_since: since,
            created_until: until,
            ..Filter::default()
        })
    }
}

/// When the event of that name began and ended: a time, a session, or the moment a memory came about.
fn event(name: &str, desk: &Desk) -> Result<(Timestamp, Timestamp)> {
    if let Ok(when) = When::parse(name) {
        let time = when.before(desk.now);
        return Ok((time, time));
    }
    let store = desk.project_store();
    let sessions = match store {
        Some(store) => store.find_sessions(name)?,
        None => Vec::new(),
    };
    let memory = desk.engine().show(name);
    let several = |what: &str| {
        Failure::invalid(format!("`{name}` is the beginning of {what}"))
            .hint("give more of the id; `oldhand session list` and `oldhand list` show them")
    };
    match (&sessions[..], memory) {
        ([], Ok(shelved)) => {
            let learned = shelved.memory.created_at;
            Ok((learned, learned))
        }
        ([], Err(EngineError::UnknownId(_) | EngineError::ShortId(_))) => Err(Failure::not_found(
            format!("`{name}` is no time, and no session and no memory has that id"),
        )
        .hint("a time is said as 2026-01-31, 2026-01-31T09:00:00Z, 12h, 3d, 2w or 1y; `oldhand session list` and `oldhand list` show ids")
        .into()),
        ([], Err(error)) => Err(error.into()),
        ([_], Ok(_)) => Err(several("the id of a session and of a memory").into()),
        ([session], Err(_)) => {
            let record = store.map(|store| store.session(session)).transpose()?;
            let record = record.flatten();
            record
                .map(|record| (record.started_at, record.ended_at))
                .ok_or_else(|| several("a session that is gone").into())
        }
        ([_, ..], _) => Err(several(&count(sessions.len(), "session id")).into()),
    }
}

/// The session that is meant. Memories may also name one that was never seen here.
fn session(given: &str, desk: &Desk) -> Result<SessionId> {
    let unknown = match Sessions::of(desk).and_then(|sessions| sessions.resolve(given)) {
        Ok(known) => return Ok(known.id),
        Err(unknown) => unknown,
    };
    let Ok(named) = SessionId::new(given) else {
        return Err(unknown);
    };
    let filter = Filter {
        state: State::Any,
        session: Some(named.clone()),
        ..Filter::default()
    };
    let learned = desk.engine().list(None, &filter)?;
    if learned.memories.is_empty() {
        Err(unknown)
    } else {
        Ok(named)
    }
}

/// When the last `count` sessions began; the first of all where there are fewer.
fn start_of_last(count: usize, desk: &Desk) -> Result<Timestamp> {
    let sessions = match desk.project_store() {
        Some(store) => store.sessions()?,
        None => Vec::new(),
    };
    let Some(last) = sessions.len().checked_sub(1) else {
        return Err(Failure::not_found("no session is known here")
            .hint("`oldhand import transcripts` brings in past ones; `--since 7d` narrows by time")
            .into());
    };
    Ok(sessions[(last + 1).saturating_sub(count)].started_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_can_be_said_as_how_long_ago() {
        let now: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        for (said, expected) in [
            ("2026-01-01", "2026-01-01T00:00:00Z"),
            ("2d", "2026-01-29T12:00:00Z"),
            ("1w", "2026-01-24T12:00:00Z"),
            ("36h", "2026-01-30T00:00:00Z"),
            ("2y", "2024-02-01T12:00:00Z"),
            ("100000w", "0109-07-20T12:00:00Z"),
        ] {
            assert_eq!(When::parse(said).unwrap().before(now).to_string(), expected);
        }
        for nonsense in ["", "d", "-3d", "yesterday", "1e9d"] {
            assert!(When::parse(nonsense).is_err(), "{nonsense}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_name_is_said_in_that_name() {
        let said = |options: &[(&str, &str)]| {
            let options = options
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            Narrow::by_name(options).err().unwrap().to_string()
        };
        assert_eq!(
            said(&[("since", "yesterday")]),
            "`since`: `yesterday` is neither a day like 2026-01-31 nor a time in RFC 3339; a while ago is said as 12h, 3d, 2w or 1y"
        );
        assert_eq!(
            said(&[("min-confidence", "much")]),
            "`min_confidence`: `much` is not a number"
        );
        assert_eq!(
            said(&[("around", "7d"), ("since", "7d")]),
            "`around` cannot be given together with `since`"
        );
    }
}
