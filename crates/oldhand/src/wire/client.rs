//! The programs that can be told to call us, and the files in which each of them is told.

use std::path::{Path, PathBuf};

use super::Reach;
use super::hooks::events;
use super::servers::Shape;
use crate::agent::Agent;
use crate::config::Environment;

/// A program that calls us: an agent with hooks, or an editor whose agent asks for tools only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Client {
    ClaudeCode,
    Codex,
    Gemini,
    Cursor,
    OpenCode,
    VsCode,
    Windsurf,
    Zed,
}

/// What of ours stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Hooks(Agent),
    /// The entry of our server.
    Server(Shape),
    /// The whole file is ours.
    Plugin,
}

/// A file that a client reads, and what of ours belongs there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) pieces: Vec<Piece>,
}

impl Piece {
    /// The lists that it is added to, or that come with it.
    pub(super) fn lists(self) -> Vec<Vec<String>> {
        let owned = |path: &[&str]| path.iter().map(|&key| key.to_owned()).collect();
        match self {
            Self::Hooks(agent) => [owned(&["hooks"]), owned(&["version"])]
                .into_iter()
                .chain(events(agent).iter().map(|event| owned(&["hooks", event])))
                .collect(),
            Self::Server(shape) => vec![owned(&[shape.list()])],
            Self::Plugin => Vec::new(),
        }
    }
}

impl Place {
    /// The same file of a client whose folder was elsewhere when it was written.
    pub(super) fn moved_to(&self, path: &Path) -> Option<Self> {
        let same = self.path.file_name() == path.file_name();
        same.then(|| Self {
            path: path.to_owned(),
            pieces: self.pieces.clone(),
        })
    }
}

impl Client {
    pub(crate) const ALL: [Self; 8] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Gemini,
        Self::Cursor,
        Self::OpenCode,
        Self::VsCode,
        Self::Windsurf,
        Self::Zed,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => Agent::ClaudeCode.as_str(),
            Self::Codex => Agent::Codex.as_str(),
            Self::Gemini => Agent::Gemini.as_str(),
            Self::Cursor => Agent::Cursor.as_str(),
            Self::OpenCode => Agent::OpenCode.as_str(),
            Self::VsCode => "vscode",
            Self::Windsurf => "windsurf",
            Self::Zed => "zed",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.as_str() == name)
    }

    /// What people run to start it, as far as it can be found on a `PATH`.
    pub(crate) const fn program(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::OpenCode => "opencode",
            Self::VsCode => "code",
            Self::Windsurf => "windsurf",
            Self::Zed => "zed",
        }
    }

    /// Where it keeps its settings; that there is such a folder is the sign that it was used here.
    pub(crate) fn folder(self, environment: &Environment) -> Option<PathBuf> {
        let moved = match self {
            Self::ClaudeCode => Environment::other_variable("CLAUDE_CONFIG_DIR"),
            Self::Codex => Environment::other_variable("CODEX_HOME"),
            Self::Gemini => {
                Environment::other_variable("GEMINI_CLI_HOME").map(|home| home.join(".gemini"))
            }
            _ => None,
        };
        if moved.is_some() {
            return moved;
        }
        let home = environment.user_home.as_deref()?;
        Some(match self {
            Self::ClaudeCode => home.join(".claude"),
            Self::Codex => home.join(".codex"),
            Self::Gemini => home.join(".gemini"),
            Self::Cursor => home.join(".cursor"),
            Self::OpenCode => dot_config(home).join("opencode"),
            Self::VsCode => application_data(home).join("Code").join("User"),
            Self::Windsurf => home.join(".codeium").join("windsurf"),
            Self::Zed if cfg!(windows) => application_data(home).join("Zed"),
            Self::Zed => dot_config(home).join("zed"),
        })
    }

    /// The files in which it is told; none where it has no such files, or where the home folder is not known.
    pub(crate) fn places(self, reach: Reach, environment: &Environment, root: &Path) -> Vec<Place> {
        let here = |path: &str, pieces: Vec<Piece>| Place {
            path: or_with_comments(root.join(path)),
            pieces,
        };
        if reach == Reach::Repository {
            return match self {
                Self::ClaudeCode => vec![
                    here(
                        ".claude/settings.json",
                        vec![Piece::Hooks(Agent::ClaudeCode)],
                    ),
                    here(".mcp.json", vec![Piece::Server(Shape::Plain)]),
                ],
                Self::Codex => vec![
                    here(".codex/hooks.json", vec![Piece::Hooks(Agent::Codex)]),
                    here(".codex/config.toml", vec![Piece::Server(Shape::Codex)]),
                ],
                Self::Gemini => vec![here(
                    ".gemini/settings.json",
                    vec![Piece::Hooks(Agent::Gemini), Piece::Server(Shape::Plain)],
                )],
                Self::Cursor => vec![
                    here(".cursor/hooks.json", vec![Piece::Hooks(Agent::Cursor)]),
                    here(".cursor/mcp.json", vec![Piece::Server(Shape::Plain)]),
                ],
                Self::OpenCode => vec![
                    here(".opencode/plugin/oldhand.js", vec![Piece::Plugin]),
                    here("opencode.json", vec![Piece::Server(Shape::OpenCode)]),
                ],
                Self::VsCode => vec![here(".vscode/mcp.json", vec![Piece::Server(Shape::VsCode)])],
                Self::Zed => vec![here(".zed/settings.json", vec![Piece::Server(Shape::Zed)])],
                Self::Windsurf => Vec::new(),
            };
        }
        let Some(folder) = self.folder(environment) else {
            return Vec::new();
        };
        let there = |name: &str, pieces: Vec<Piece>| Place {
            path: or_with_comments(folder.join(name)),
            pieces,
        };
        match self {
            Self::ClaudeCode => {
                // Servers stand beside the folder, unless the folder was moved.
                let moved = Environment::other_variable("CLAUDE_CONFIG_DIR").is_some();
                let beside = folder.parent().filter(|_| !moved).unwrap_or(&folder);
                vec![
                    there("settings.json", vec![Piece::Hooks(Agent::ClaudeCode)]),
                    Place {
                        path: beside.join(".claude.json"),
                        pieces: vec![Piece::Server(Shape::Plain)],
                    },
                ]
            }
            Self::Codex => vec![
                there("hooks.json", vec![Piece::Hooks(Agent::Codex)]),
                there("config.toml", vec![Piece::Server(Shape::Codex)]),
            ],
            Self::Gemini => vec![there(
                "settings.json",
                vec![Piece::Hooks(Agent::Gemini), Piece::Server(Shape::Plain)],
            )],
            Self::Cursor => vec![
                there("hooks.json", vec![Piece::Hooks(Agent::Cursor)]),
                there("mcp.json", vec![Piece::Server(Shape::Plain)]),
            ],
            Self::OpenCode => vec![
                there("plugin/oldhand.js", vec![Piece::Plugin]),
                there("opencode.json", vec![Piece::Server(Shape::OpenCode)]),
            ],
            Self::VsCode => vec![there("mcp.json", vec![Piece::Server(Shape::VsCode)])],
            Self::Windsurf => vec![there("mcp_config.json", vec![Piece::Server(Shape::Plain)])],
            Self::Zed => vec![there("settings.json", vec![Piece::Server(Shape::Zed)])],
        }
    }
}

/// OpenCode also reads `opencode.jsonc`; who has that one wants no second file.
fn or_with_comments(path: PathBuf) -> PathBuf {
    let other = path.with_extension("jsonc");
    let is_opencode = path.file_name().is_some_and(|name| name == "opencode.json");
    if is_opencode && !path.exists() && other.exists() {
        other
    } else {
        path
    }
}

fn dot_config(home: &Path) -> PathBuf {
    let moved = Environment::other_variable("XDG_CONFIG_HOME");
    moved.unwrap_or_else(|| home.join(".config"))
}

/// Where programs with a window keep their settings.
fn application_data(home: &Path) -> PathBuf {
    if cfg!(windows) {
        let moved = Environment::other_variable("APPDATA");
        moved.unwrap_or_else(|| home.join("AppData").join("Roaming"))
    } else if cfg!(target_os = "macos") {
        home.join("Library").join("Application Support")
    } else {
        dot_config(home)
    }
}
