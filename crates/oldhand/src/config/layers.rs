//! The layers of settings, laid over each other, each value with where it came from.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use anyhow::Result;
use toml_edit::{Document, Item, TableLike};

use super::keys::{self, KEYS, Key, Value};
use super::readable::{Readable, readable, take_out};
use super::{Environment, FILE};
use crate::failure::Failure;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File { path: PathBuf, line: usize },
    Variable(String),
}

/// What is wrong with settings, in the order it was met.
pub(crate) type Problems = Vec<anyhow::Error>;

/// Every key with its value and origin, in the order of [`KEYS`].
pub(crate) struct Layered {
    values: Vec<(&'static Key, Value, Origin)>,
}

impl Layered {
    /// `project` is the directory of the project's state, where there is one. One thing that is wrong fails all of it.
    pub(crate) fn read(environment: &Environment, project: Option<&Path>) -> Result<Self> {
        let (layered, problems) = Self::gather(environment, project);
        problems.into_iter().next().map_or(Ok(layered), Err)
    }

    /// All that can be read, and what is wrong with the rest.
    pub(crate) fn gather(environment: &Environment, project: Option<&Path>) -> (Self, Problems) {
        let mut problems = Problems::new();
        let defaults = KEYS
            .iter()
            .map(|key| (key, key.default.clone(), Origin::Default));
        let mut layered = Self {
            values: defaults.collect(),
        };
        for folder in std::iter::once(environment.home.as_path()).chain(project) {
            layered.lay_file(&folder.join(FILE), &mut problems);
        }
        for (at, key) in KEYS.iter().enumerate() {
            match read_variable(environment, key) {
                Ok(None) => {}
                Ok(Some(value)) => {
                    layered.values[at] = (key, value, Origin::Variable(key.variable()));
                }
                Err(problem) => problems.push(problem),
            }
        }
        (layered, problems)
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

    fn lay_file(&mut self, path: &Path, problems: &mut Problems) {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                let doing = format!("could not read {}", path.display());
                return problems.push(anyhow::Error::from(error).context(doing));
            }
        };
        let Readable { text, left_out } = readable(&bytes);
        problems.extend(left_out.iter().map(|one| one.failure(path).into()));
        let file = SettingsFile { path, text: &text };
        if let Ok(document) = Document::parse(text.as_str()) {
            self.lay_table(&file, document.as_table(), "", problems);
        }
    }

    fn lay_table(
        &mut self,
        file: &SettingsFile<'_>,
        table: &dyn TableLike,
        above: &str,
        problems: &mut Problems,
    ) {
        for (name, item) in table.iter() {
            let full = format!("{above}{name}");
            let key_span = table.key(name).and_then(toml_edit::Key::span);
            let at = key_span.or(item.span()).map_or(0, |span| span.start);
            let holds_keys = KEYS.iter().any(|key| key.is_below(&full));
            let inner = item.as_table_like().filter(|_| holds_keys);
            if let Some(inner) = inner {
                self.lay_table(file, inner, &format!("{full}."), problems);
                continue;
            }
            match file.read_key(&full, item, at) {
                Ok((place, value)) => {
                    let (path, line) = (file.path.to_owned(), file.line(at));
                    self.values[place] = (&KEYS[place], value, Origin::File { path, line });
                }
                Err(failure) => problems.push(failure.into()),
            }
        }
    }
}

fn read_variable(environment: &Environment, key: &Key) -> Result<Option<Value>> {
    let variable = key.variable();
    let Some(text) = environment.text(&variable)? else {
        return Ok(None);
    };
    let value = key.parse(text).map_err(|message| {
        Failure::invalid(format!("{variable}: {message}"))
            .hint("give it such a value, or do without it")
    })?;
    Ok(Some(value))
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

    /// The place of a key among [`KEYS`], and its value. `at` is where the key stands.
    fn read_key(&self, name: &str, item: &Item, at: usize) -> Result<(usize, Value), Failure> {
        const ALL: &str = "`oldhand config show` lists every key";
        let line = self.line(at);
        let wrong = |why: &str| {
            let place = self.path.display();
            Failure::invalid(format!("{place}:{line}: {why}"))
        };
        let out = take_out(line, self.text.lines().nth(line - 1).unwrap_or_default());
        let Some(place) = KEYS.iter().position(|key| key.name == name) else {
            if KEYS.iter().any(|key| key.is_below(name)) {
                let failure = wrong(&format!("`{name}` is a table of keys"));
                return Err(failure.hint(format!("{out}; {ALL}")));
            }
            let failure = wrong(&format!("unknown key `{name}`"));
            return Err(failure.hint(match keys::find(name) {
                Err(Some(near)) => format!("did you mean `{near}`? Else {out}"),
                _ => format!("{out}; {ALL}"),
            }));
        };
        let key = &KEYS[place];
        let value = read_value(item).ok_or_else(|| {
            let kind = item.type_name();
            format!("`{name}` cannot be a {kind}: it is {}", key.accepted())
        });
        let value = value.and_then(|value| key.check(value));
        value.map(|value| (place, value)).map_err(|why| {
            let anew = format!("`oldhand config set {name} VALUE` sets it anew");
            wrong(&why).hint(format!("{anew}; or {out}"))
        })
    }
}
