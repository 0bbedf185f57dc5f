//! Names of things that never change.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A memory's name: a UUIDv7, so that ids sort by the time they were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryId(Uuid);

impl MemoryId {
    pub const fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    pub const fn uuid(self) -> Uuid {
        self.0
    }

    /// The tail of the id. The head of a UUIDv7 is its time, which memories of one day share.
    pub fn short(self) -> String {
        let text = self.0.simple().to_string();
        text[text.len() - SHORT_LENGTH..].to_owned()
    }
}

/// How many characters of an id are shown to people.
pub const SHORT_LENGTH: usize = 8;

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a memory id")]
pub struct InvalidId(pub String);

impl FromStr for MemoryId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        Uuid::parse_str(text)
            .map(Self)
            .map_err(|_| InvalidId(text.to_owned()))
    }
}

/// Where new ids come from. Tests give a seeded one, so that a whole run is repeatable.
pub trait IdSource: Send + Sync {
    fn memory_id(&self) -> MemoryId;
}

/// An agent's session, named by the client that ran it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionId(String);

/// A session id becomes a file name, so it stays within what every file system takes.
pub const SESSION_ID_LIMIT: usize = 128;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSession {
    #[error("a session id cannot be empty")]
    Empty,
    #[error("a session id of {0} bytes is longer than {SESSION_ID_LIMIT}")]
    TooLong(usize),
    #[error("a session id cannot hold {0:?}")]
    Character(char),
}

impl SessionId {
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidSession> {
        let text = text.into();
        if text.is_empty() {
            return Err(InvalidSession::Empty);
        }
        if text.len() > SESSION_ID_LIMIT {
            return Err(InvalidSession::TooLong(text.len()));
        }
        if let Some(bad) = text.chars().find(|&c| !is_allowed(c)) {
            return Err(InvalidSession::Character(bad));
        }
        if text.starts_with('.') {
            return Err(InvalidSession::Character('.'));
        }
        Ok(Self(text))
    }

    /// A client's name for a session. What cannot stay as it is gets a mark of the whole name, so that two names are two sessions.
    pub fn named(name: &str) -> Option<Self> {
        if name.is_empty() {
            return None;
        }
        if let Ok(session) = Self::new(name) {
            return Some(session);
        }
        let mark = blake3::hash(name.as_bytes()).to_hex();
        let kept = name.trim_start_matches('.').chars();
        let kept = kept.map(|c| if is_allowed(c) { c } else { '-' });
        let kept: String = kept.take(SESSION_ID_LIMIT - 1 - MARK).collect();
        Self::new(format!("{kept}-{}", &mark[..MARK])).ok()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Digits of the mark of a name that could not stay as it is.
const MARK: usize = 16;

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':')
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for SessionId {
    type Error = InvalidSession;

    fn try_from(text: String) -> Result<Self, InvalidSession> {
        Self::new(text)
    }
}

impl FromStr for SessionId {
    type Err = InvalidSession;

    fn from_str(text: &str) -> Result<Self, InvalidSession> {
        Self::new(text)
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_id_is_always_a_safe_file_name() {
        for bad in [
            "",
            "../etc/passwd",
            "a/b",
            "a\\b",
            ".hidden",
            "a b",
            "a\0b",
            &"x".repeat(129),
        ] {
            assert!(SessionId::new(bad).is_err(), "{bad:?}");
        }
        assert!(SessionId::new("0198c1e2-77aa-7000-8000-000000000001").is_ok());
        assert!(SessionId::new("rollout-2026-01-16T10:20:19_a.b").is_ok());
    }

    #[test]
    fn two_names_of_a_client_are_two_sessions() {
        let named = |name: &str| SessionId::named(name).unwrap();
        assert_eq!(named("0198c1e2-77aa").as_str(), "0198c1e2-77aa");
        let long = "x".repeat(200);
        let names = [
            "a b",
            "a/b",
            "a-b",
            ".a-b",
            "..",
            &long,
            &format!("{long}y"),
        ];
        let ids: std::collections::BTreeSet<SessionId> =
            names.iter().map(|name| named(name)).collect();
        assert_eq!(ids.len(), names.len());
        assert_eq!(SessionId::named(""), None);
    }

    #[test]
    fn short_ids_are_the_random_end() {
        let id: MemoryId = "0198c1e2-77aa-7000-8000-0123456789ab".parse().unwrap();
        assert_eq!(id.short(), "456789ab");
    }
}
