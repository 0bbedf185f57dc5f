//! The shapes of everything that leaves as JSON. Fields may be added, never renamed; docs/json.md describes them.

pub(crate) mod backup;
pub(crate) mod code;
pub(crate) mod context;
pub(crate) mod doctor;
pub(crate) mod graph;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod learned;
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod prune;
pub(crate) mod receipt;
pub(crate) mod review;
pub(crate) mod rules;
pub(crate) mod session;
pub(crate) mod status;

use oldhand_embed::StaticEmbedder;
use serde::Serialize;

use crate::config::Origin;
use crate::config::keys::{Key, Value};

#[derive(Serialize)]
pub(crate) struct ErrorView<'a> {
    pub(crate) error: &'a str,
    pub(crate) kind: &'static str,
    pub(crate) hint: Option<&'a str>,
}

#[derive(Serialize)]
pub(crate) struct VersionView {
    pub(crate) version: &'static str,
    pub(crate) model: &'static str,
}

impl VersionView {
    pub(crate) fn current() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            model: StaticEmbedder::MODEL,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct SettingsView {
    pub(crate) settings: Vec<SettingView>,
}

#[derive(Serialize)]
pub(crate) struct SettingView {
    key: &'static str,
    value: serde_json::Value,
    origin: &'static str,
    /// The file or the variable that says so.
    at: Option<String>,
    line: Option<usize>,
}

impl SettingView {
    pub(crate) fn new(key: &Key, value: &Value, origin: &Origin) -> Self {
        let (name, at, line) = match origin {
            Origin::Default => ("default", None, None),
            Origin::File { path, line } => (
                "file",
                Some(path.display().to_string()),
                (*line > 0).then_some(*line),
            ),
            Origin::Variable(variable) => ("environment", Some(variable.clone()), None),
        };
        Self {
            key: key.name,
            value: match value {
                Value::Text(text) => (*text).into(),
                Value::Owned(text) => text.as_str().into(),
                Value::Number(number) => (*number).into(),
                Value::Switch(on) => (*on).into(),
            },
            origin: name,
            at,
            line,
        }
    }
}
