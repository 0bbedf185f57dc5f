//! The entry of our server in a client's list of MCP servers: one entry, several shapes, JSON or TOML.

use serde_json::{Map, Value, json};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, value};

use super::jsonc;

/// What the entry is called everywhere.
const NAME: &str = "oldhand";

/// How a client writes down a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `mcpServers` with a command and its arguments: Claude Code, Gemini CLI, Cursor, Windsurf.
    Plain,
    /// `servers`, with a type.
    VsCode,
    /// `context_servers`, with a source.
    Zed,
    /// `mcp`, with one list of words.
    OpenCode,
    /// A table in TOML.
    Codex,
}

/// What a file says about our server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    /// What it runs, where that can be told.
    pub(crate) binary: String,
    /// `OLDHAND_HOME`, where it is passed on.
    pub(crate) home: Option<String>,
    pub(crate) is_off: bool,
}

/// What is run, and what it has to know.
pub(crate) struct Run<'a> {
    pub(crate) binary: &'a str,
    /// `OLDHAND_HOME`, where it is set: some clients start their servers without the user's variables.
    pub(crate) home: Option<&'a str>,
}

impl Shape {
    pub(super) const fn list(self) -> &'static str {
        match self {
            Self::Plain => "mcpServers",
            Self::VsCode => "servers",
            Self::Zed => "context_servers",
            Self::OpenCode => "mcp",
            Self::Codex => "mcp_servers",
        }
    }

    const fn variables(self) -> &'static str {
        match self {
            Self::OpenCode => "environment",
            _ => "env",
        }
    }

    fn entry(self, run: &Run<'_>) -> Value {
        let Run { binary, home } = run;
        let mut entry = match self {
            Self::Plain | Self::Codex => json!({ "command": binary, "args": ["mcp"] }),
            Self::VsCode => json!({ "type": "stdio", "command": binary, "args": ["mcp"] }),
            Self::Zed => {
                json!({ "source": "custom", "command": binary, "args": ["mcp"], "env": {} })
            }
            Self::OpenCode => {
                json!({ "type": "local", "command": [binary, "mcp"], "enabled": true })
            }
        };
        if let Some(home) = home {
            entry[self.variables()] = json!({ "OLDHAND_HOME": home });
        }
        entry
    }

    /// The text with our entry in it, once. `None` when it is not such a file.
    pub(super) fn add(self, text: &str, run: &Run<'_>) -> Option<String> {
        if self == Self::Codex {
            return add_toml(text, run);
        }
        let text = if text.trim().is_empty() { "{}\n" } else { text };
        let entry = self.entry(run);
        let known = jsonc::parse(text)?
            .at(&[self.list(), NAME])
            .map(|known| known.to_value(text));
        match known {
            Some(Value::Object(known)) => self.renew(text, &known, &entry),
            _ => jsonc::put(text, &[self.list(), NAME], &entry),
        }
    }

    /// Our entry as it must be, with what a person added to it.
    fn renew(self, text: &str, known: &Map<String, Value>, entry: &Value) -> Option<String> {
        const HOME: &str = "OLDHAND_HOME";
        let mut text = text.to_owned();
        for (key, value) in entry.as_object()? {
            let is_ours = matches!(key.as_str(), "command" | "args");
            if key != self.variables() && (is_ours || !known.contains_key(key)) {
                text = jsonc::put(&text, &[self.list(), NAME, key], value)?;
            }
        }
        let home = [self.list(), NAME, self.variables(), HOME];
        match &entry[self.variables()][HOME] {
            // An empty list of variables is part of some entries.
            Value::Null => jsonc::take(&text, &home, &|path: &[&str]| {
                path.len() < 3 || entry.get(self.variables()).is_some()
            }),
            named => jsonc::put(&text, &home, named),
        }
    }

    /// The text without our entry, and without its list where that is empty then and does not stay. `None` when it is not such a
    /// file.
    pub(super) fn remove(self, text: &str, stays: &dyn Fn(&[&str]) -> bool) -> Option<String> {
        if self == Self::Codex {
            return remove_toml(text);
        }
        jsonc::take(text, &[self.list(), NAME], stays)
    }

    /// Our entry, where there is one.
    pub(super) fn find(self, text: &str) -> Option<Server> {
        let entry = if self == Self::Codex {
            let table: toml::Table = text.parse().ok()?;
            serde_json::to_value(table.get(self.list())?.get(NAME)?).ok()?
        } else {
            let root = jsonc::parse(text)?;
            let node = root.get(self.list())?.get(NAME)?;
            node.to_value(text)
        };
        let command = &entry["command"];
        let binary = command.as_str().or_else(|| command[0].as_str())?;
        let switched_off = |key: &str, off: bool| entry[key] == Value::Bool(off);
        Some(Server {
            binary: binary.to_owned(),
            home: entry[self.variables()]["OLDHAND_HOME"]
                .as_str()
                .map(str::to_owned),
            is_off: switched_off("enabled", false) || switched_off("disabled", true),
        })
    }
}

fn add_toml(text: &str, run: &Run<'_>) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let servers = document
        .entry(Shape::Codex.list())
        .or_insert_with(|| {
            let mut servers = Table::new();
            servers.set_implicit(true);
            Item::Table(servers)
        })
        .as_table_like_mut()?;
    let wanted = Array::from_iter(["mcp"]);
    if let Some(known) = servers.get_mut(NAME) {
        let known = known.as_table_like_mut()?;
        let same = known.get("command").and_then(Item::as_str) == Some(run.binary);
        if !same {
            known.insert("command", value(run.binary));
            known.insert("args", value(wanted));
        }
        if run.home.is_none()
            && let Some(variables) = known.get_mut("env").and_then(Item::as_table_like_mut)
        {
            variables.remove("OLDHAND_HOME");
            if variables.is_empty() {
                known.remove("env");
            }
        }
        if let Some(home) = run.home {
            let variables = known
                .entry("env")
                .or_insert_with(|| value(InlineTable::new()))
                .as_table_like_mut()?;
            if variables.get("OLDHAND_HOME").and_then(Item::as_str) != Some(home) {
                variables.insert("OLDHAND_HOME", value(home));
            }
        }
        return Some(written_like(text, &document));
    }
    let mut entry = Table::new();
    entry.insert("command", value(run.binary));
    entry.insert("args", value(wanted));
    if let Some(home) = run.home {
        let variables = InlineTable::from_iter([("OLDHAND_HOME", home)]);
        entry.insert("env", value(variables));
    }
    if !text.trim().is_empty() {
        entry.decor_mut().set_prefix("\n");
    }
    servers.insert(NAME, Item::Table(entry));
    Some(written_like(text, &document))
}

fn remove_toml(text: &str) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let Some(servers) = document.get_mut(Shape::Codex.list()) else {
        return Some(text.to_owned());
    };
    let servers = servers.as_table_like_mut()?;
    if servers.remove(NAME).is_none() {
        return Some(text.to_owned());
    }
    if servers.is_empty() {
        document.remove(Shape::Codex.list());
    }
    Some(written_like(text, &document))
}

/// The document with the line ends of the text it was read from, which the reader does not keep.
pub(super) fn written_like(text: &str, document: &DocumentMut) -> String {
    let written = document.to_string();
    if text.contains("\r\n") {
        written.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 5] = [
        Shape::Plain,
        Shape::VsCode,
        Shape::Zed,
        Shape::OpenCode,
        Shape::Codex,
    ];

    const fn run(binary: &str) -> Run<'_> {
        let home = Some("/my home");
        Run { binary, home }
    }

    fn theirs(shape: Shape) -> String {
        match shape {
            Shape::Codex => "# mine\nmodel = \"o5\" # the good one\n\n[mcp_servers.linear]\ncommand = \"linear\"\n".to_owned(),
            _ => format!(
                "{{\n  // mine\n  \"{}\": {{\n    \"linear\": {{\"command\": \"linear\"}}\n  }},\n  \"theme\": \"dark\",\n}}\n",
                shape.list()
            ),
        }
    }

    #[test]
    fn an_entry_is_added_once_and_other_peoples_stay() {
        for shape in SHAPES {
            for before in [theirs(shape), String::new()] {
                let wired = shape.add(&before, &run("/my apps/oldhand")).unwrap();
                assert_eq!(shape.find(&wired).unwrap().binary, "/my apps/oldhand");
                assert_eq!(
                    shape.add(&wired, &run("/my apps/oldhand")).as_ref(),
                    Some(&wired)
                );
                let moved = shape.add(&wired, &run("/new/oldhand")).unwrap();
                assert_eq!(shape.find(&moved).unwrap().binary, "/new/oldhand");
                assert!(!moved.contains("my apps") && moved.contains("/my home"));
                let at_home = Run {
                    binary: "/new/oldhand",
                    home: None,
                };
                let usual = shape.add(&moved, &at_home).unwrap();
                assert_eq!(shape.find(&usual).unwrap().home, None, "{shape:?}");
                assert!(!usual.contains("OLDHAND_HOME"), "{usual}");
                let back = shape.remove(&moved, &|_: &[&str]| false).unwrap();
                assert_eq!(shape.find(&back), None);
                if !before.is_empty() {
                    assert_eq!(back, before, "{shape:?}");
                }
            }
        }
    }

    #[test]
    fn lines_of_codex_end_as_they_did() {
        let before = theirs(Shape::Codex).replace('\n', "\r\n");
        let wired = Shape::Codex.add(&before, &run("oldhand")).unwrap();
        assert!(wired.starts_with(&before), "{wired:?}");
        assert_eq!(wired.matches('\n').count(), wired.matches("\r\n").count());
        let back = Shape::Codex.remove(&wired, &|_: &[&str]| false);
        assert_eq!(back, Some(before));
    }

    #[test]
    fn what_a_person_added_to_our_entry_of_codex_stays() {
        let text = "[mcp_servers.oldhand]\ncommand = \"old\"\nargs = []\nenabled = false\n";
        let wired = Shape::Codex.add(text, &run("new")).unwrap();
        assert!(wired.contains("enabled = false"), "{wired}");
        assert!(Shape::Codex.find(&wired).unwrap().is_off);
    }

    #[test]
    fn what_is_not_such_a_file_is_refused() {
        for shape in SHAPES {
            for text in ["{", "[1, 2]", "= ="] {
                assert_eq!(shape.add(text, &run("oldhand")), None, "{shape:?} {text}");
            }
        }
        assert_eq!(
            Shape::Plain.add("{\"mcpServers\": 3}", &run("oldhand")),
            None
        );
        assert_eq!(Shape::Codex.add("mcp_servers = 3", &run("oldhand")), None);
    }
}
