//! The layers of settings, laid over each other, each value with where it came from.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use anyhow::{Context as _, Result};
use toml_edit::{Document, Item, TableLike};

use super::keys::{self, KEYS, Key, Value};
use super::{Environment, FILE};
use crate::failure::Failure;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File { path: PathBuf, line: usize },
    Variable(String),
}

/// Every key with its value and origin, in the order of [`KEYS`].
pub(crate) struct Layered {
    values: Vec<(&'static Key, Value, Origin)>,
}

impl Layered {
    /// `project` is the directory of the project's state, where there is one.
    pub(crate) fn read(environment: &Environment, project: Option<&Path>) -> Result<Self> {
        let defaults = KEYS
            .iter()
            .map(|key| (key, key.default.clone(), Origin::Default));
        let mut layered = Self {
            values: defaults.collect(),
        };
        for folder in std::iter::once(environment.home.as_path()).chain(project) {
            layered.lay_file(&folder.join(FILE))?;
        }
        for (at, key) in KEYS.iter().enumerate() {
            let variable = key.variable();
            if let Some(text) = environment.text(&variable)? {
                let value = key
                    .parse(text)
                    .map_err(|message| Failure::invalid(format!("{variable}: {message}")))?;
                layered.values[at] = (key, value, Origin::Variable(variable));
            }
        }
        Ok(layered)
    }

    pub(crate) fn all(&self) -> &[(&'static Key, Value, Origin)] {
        &self.values
    }

    pub(crate) fn get(&self, name: &str) -> Option<&(&'static Key, Value, Origin)> {
        self.values.iter().find(|(key, ..)| key.name == name)
    }

    pub(crate) fn colors(&self) -> ColorChoice {
        match self.text("output.color").as_str() {
            "always" => ColorChoice::Always,
            "never" => ColorChoice::Never,
            _ => ColorChoice::Auto,
        }
    }

    pub(super) fn text(&self, name: &str) -> String {
        self.value(name).to_string()
    }

    pub(super) fn number(&self, name: &str) -> usize {
        match self.value(name) {
            Value::Number(number) => usize::try_from(*number).unwrap_or_default(),
            other => unreachable!("{name} was checked to be a number, not {other}"),
        }
    }

    pub(super) fn is_on(&self, name: &str) -> bool {
        *self.value(name) == Value::Switch(true)
    }

    fn value(&self, name: &str) -> &Value {
        let (_, value, _) = self.get(name).expect("settings are read by known names");
        value
    }

    fn lay_file(&mut self, path: &Path) -> Result<()> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => {
                return Err(error).with_context(|| format!("could not read {}", path.display()));
            }
        };
        let file = SettingsFile { path, text: &text };
        let document = Document::parse(text.as_str()).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            Failure::invalid(format!("{}: {}", file.at(at), error.message()))
                .hint("it is a TOML file; `oldhand config set KEY VALUE` writes it for you")
        })?;
        self.lay_table(&file, document.as_table(), "")
    }

    fn lay_table(
        &mut self,
        file: &SettingsFile<'_>,
        table: &dyn TableLike,
        above: &str,
    ) -> Result<()> {
        for (name, item) in table.iter() {
            let full = format!("{above}{name}");
            let key_span = table.key(name).and_then(toml_edit::Key::span);
            let at = key_span.or(item.span()).map_or(0, |span| span.start);
            let holds_keys = KEYS.iter().any(|key| {
                key.name
                    .strip_prefix(full.as_str())
                    .is_some_and(|rest| rest.starts_with('.'))
            });
            if holds_keys {
                let inner = item.as_table_like().ok_or_else(|| {
                    Failure::invalid(format!("{}: `{full}` is a table of keys", file.at(at)))
                        .hint("`oldhand config show` lists every key")
                })?;
                self.lay_table(file, inner, &format!("{full}."))?;
                continue;
            }
            let key = keys::find(&full).map_err(|near| {
                let failure = Failure::invalid(format!("{}: unknown key `{full}`", file.at(at)));
                failure.hint(match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "`oldhand config show` lists every key".to_owned(),
                })
            })?;
            let value = read_value(item)
                .ok_or_else(|| {
                    format!(
                        "`{}` cannot be a {}: it is {}",
                        key.name,
                        item.type_name(),
                        key.accepted()
                    )
                })
                .and_then(|value| key.check(value))
                .map_err(|message| Failure::invalid(format!("{}: {message}", file.at(at))))?;
            let place = self
                .values
                .iter()
                .position(|(known, ..)| known.name == key.name);
            let place = place.expect("every key has a default");
            let origin = Origin::File {
                path: file.path.to_owned(),
                line: file.line(at),
            };
            self.values[place] = (key, value, origin);
        }
        Ok(())
    }
}

fn read_value(item: &Item) -> Option<Value> {
    if let Some(text) = item.as_str() {
        return Some(Value::Owned(text.to_owned()));
    }
    if let Some(number) = item.as_integer() {
        return Some(Value::Number(number));
    }
    item.as_bool().map(Value::Switch)
}

struct SettingsFile<'a> {
    path: &'a Path,
    text: &'a str,
}

impl SettingsFile<'_> {
    /// Counted from 1.
    fn line(&self, byte: usize) -> usize {
        let before = self.text.as_bytes().iter().take(byte);
        1 + before.filter(|&&byte| byte == b'\n').count()
    }

    fn at(&self, byte: usize) -> String {
        format!("{}:{}", self.path.display(), self.line(byte))
    }
}
