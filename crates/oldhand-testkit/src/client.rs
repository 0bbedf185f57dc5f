//! Real coding agents: which package each of them is, how it is told of a model on loopback, and how it is run.
//!
//! A client never sees the machine's own home, keys or network: its home is the sandbox's, its only key is a made-up one, and
//! whatever it wants from the internet it asks the scripted model for, which refuses and keeps a record.

mod package;
mod tools;

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::{Model, Outcome, Sandbox};

/// No session of a test takes this long; one that does is ended.
const LIMIT: Duration = Duration::from_mins(3);

/// A coding agent that is tried as people get it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    ClaudeCode,
    Codex,
    Gemini,
    OpenCode,
}

impl Client {
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::OpenCode];

    /// As `oldhand install` calls it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
        }
    }
}

/// A client with a sandbox to work in and a model to ask.
pub struct Stage {
    pub client: Client,
    pub sandbox: Sandbox,
    pub model: Model,
    packages: PathBuf,
}

impl Stage {
    /// Writes the client's own settings into the sandbox's home: which model to ask, and nothing that a person would not write.
    /// `packages` is the folder that [`Client::install`] filled.
    pub fn set(
        client: Client,
        sandbox: Sandbox,
        model: Model,
        packages: impl Into<PathBuf>,
    ) -> Self {
        let stage = Self {
            client,
            sandbox,
            model,
            packages: packages.into(),
        };
        if let Some((path, text)) = stage.settings() {
            let path = stage.sandbox.user_home().join(path);
            let folder = path.parent().expect("a file has a folder");
            fs::create_dir_all(folder).expect("a folder can be made in the sandbox");
            fs::write(path, text).expect("a file can be written in the sandbox");
        }
        stage
    }

    /// Runs a session to its end.
    pub fn run(&self, prompt: &str, arguments: &[&str]) -> Outcome {
        self.wait(self.start(prompt, arguments))
    }

    /// Waits for the end of a session that [`Stage::start`] started.
    pub fn wait(&self, mut child: Child) -> Outcome {
        let until = Instant::now() + LIMIT;
        loop {
            let ended = child.try_wait().expect("a child can be asked");
            if ended.is_some() || Instant::now() > until {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        // Harmless when it has ended, and our own child when not.
        let _ = child.kill();
        let status = child.wait().expect("a child can be waited for");
        let read =
            |name: &str| fs::read_to_string(self.sandbox.root().join(name)).unwrap_or_default();
        let (stdout, stderr) = (read("client.out"), read("client.err"));
        Outcome::new(&self.sandbox, stdout, stderr, status.code())
    }

    /// Starts a session and leaves it to the caller. What it prints goes to files: it may outlive its own children's pipes.
    pub fn start(&self, prompt: &str, arguments: &[&str]) -> Child {
        let file = |name: &str| {
            let path = self.sandbox.root().join(name);
            fs::File::create(path).expect("a file can be made in the sandbox")
        };
        self.command(prompt, arguments)
            .stdin(Stdio::null())
            .stdout(file("client.out"))
            .stderr(file("client.err"))
            .spawn()
            .expect("the client starts")
    }

    /// `PATH` with the client in it, as a person has it.
    pub fn path(&self) -> OsString {
        let program = self.client.program(&self.packages);
        let folder = program.parent().expect("a program lies in a folder");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
        std::env::join_paths(folders).expect("folders of a path make a path")
    }

    fn command(&self, prompt: &str, arguments: &[&str]) -> Command {
        let program = self.client.program(&self.packages);
        let mut command = self.sandbox.command(program);
        let url = self.model.url();
        // A machine under load must not change what a test sees. Where everything is kept it has to learn from its own settings.
        command
            .env_remove("OLDHAND_HOME")
            .env("OLDHAND_HOOK_DEADLINE", "20000")
            .env("NPM_CONFIG_UPDATE_NOTIFIER", "false")
            .env("HTTPS_PROXY", &url)
            .env("HTTP_PROXY", &url)
            .env("NO_PROXY", "127.0.0.1,localhost");
        match self.client {
            Client::ClaudeCode => {
                command
                    .env("ANTHROPIC_BASE_URL", &url)
                    .env("ANTHROPIC_API_KEY", "made-up")
                    .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
                    .env("DISABLE_AUTOUPDATER", "1")
                    // Compaction is tried with a script that claims to be this long.
                    .env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000")
                    // Containers run tests as root, which it would refuse otherwise.
                    .env("IS_SANDBOX", "1")
                    .args(["-p", prompt, "--permission-mode", "bypassPermissions"]);
            }
            Client::Codex => {
                command
                    .env("MADE_UP_KEY", "made-up")
                    .args(["exec"])
                    .args(arguments)
                    .arg(prompt);
                return command;
            }
            Client::Gemini => {
                command
                    .env("GEMINI_API_KEY", "made-up")
                    .env("GOOGLE_GEMINI_BASE_URL", &url)
                    .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
                    .args(["-m", "gemini-2.5-pro", "--approval-mode", "yolo"])
                    .args(["-p", prompt]);
            }
            Client::OpenCode => {
                for name in ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE"] {
                    command.env(format!("OPENCODE_DISABLE_{name}"), "1");
                }
                command.args(["run", "-m", "scripted/m", prompt]);
            }
        }
        command.args(arguments);
        command
    }

    fn settings(&self) -> Option<(&'static str, String)> {
        let url = self.model.url();
        match self.client {
            Client::ClaudeCode => None,
            Client::Codex => {
                let project = self.sandbox.project();
                let text = format!(
                    "model = \"gpt-5.5\"\n\
                     model_provider = \"scripted\"\n\
                     approval_policy = \"never\"\n\
                     sandbox_mode = \"danger-full-access\"\n\
                     check_for_update_on_startup = false\n\
                     model_auto_compact_token_limit = 150000\n\n\
                     [model_providers.scripted]\n\
                     name = \"scripted\"\n\
                     base_url = \"{url}/v1\"\n\
                     wire_api = \"responses\"\n\
                     env_key = \"MADE_UP_KEY\"\n\
                     request_max_retries = 0\n\
                     stream_max_retries = 0\n\
                     supports_websockets = false\n\n\
                     [features]\n\
                     enable_request_compression = false\n\n\
                     [projects.\"{}\"]\n\
                     trust_level = \"trusted\"\n",
                    project.display()
                );
                Some((".codex/config.toml", text))
            }
            Client::Gemini => {
                let settings = json!({
                    "security": { "auth": { "selectedType": "gemini-api-key" } },
                    "general": { "enableAutoUpdate": false },
                    "privacy": { "usageStatisticsEnabled": false },
                });
                Some((".gemini/settings.json", format!("{settings:#}\n")))
            }
            Client::OpenCode => {
                let model = json!({ "name": "m", "tool_call": true, "limit": { "context": 200_000, "output": 8000 } });
                let settings = json!({
                    "provider": { "scripted": {
                        "npm": "@ai-sdk/openai-compatible",
                        "options": { "baseURL": format!("{url}/v1"), "apiKey": "made-up" },
                        "models": { "m": model },
                    } },
                    "model": "scripted/m",
                    "small_model": "scripted/m",
                    "autoupdate": false,
                });
                Some((".config/opencode/opencode.json", format!("{settings:#}\n")))
            }
        }
    }
}
