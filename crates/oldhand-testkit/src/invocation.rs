//! One command line: how it is prepared, run and read.

use std::ffi::OsStr;
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::Sandbox;

/// A command line that has not run yet.
pub struct Invocation<'sandbox> {
    sandbox: &'sandbox Sandbox,
    command: Command,
    stdin: Vec<u8>,
}

impl<'sandbox> Invocation<'sandbox> {
    pub(crate) fn new(sandbox: &'sandbox Sandbox, command: Command) -> Self {
        Self {
            sandbox,
            command,
            stdin: Vec::new(),
        }
    }

    /// Gives the command these bytes on standard input, which is empty otherwise.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Sets one more environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Fixes the clock of this command alone, as RFC 3339.
    #[must_use]
    pub fn at(self, moment: &str) -> Self {
        self.env("OLDHAND_TEST_NOW", moment)
    }

    /// Runs in another folder; a relative one is taken from the project's root.
    #[must_use]
    pub fn inside(mut self, folder: impl AsRef<Path>) -> Self {
        self.command
            .current_dir(self.sandbox.project().join(folder));
        self
    }

    /// Runs the command to its end.
    pub fn run(mut self) -> Outcome {
        let stdin = std::mem::take(&mut self.stdin);
        let sandbox = self.sandbox;
        let mut child = self.spawn();
        let mut pipe = child.stdin.take().expect("standard input is piped");
        // Written from a thread of its own: the command may print more than a pipe holds before it has read all.
        let writer = std::thread::spawn(move || {
            // A command that stops reading early is free to do so; its outcome is what the test judges.
            let _ = pipe.write_all(&stdin);
        });
        let output = child
            .wait_with_output()
            .expect("the command can be waited for");
        writer.join().expect("the writer does not panic");
        Outcome::new(
            sandbox,
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
            output.status.code(),
        )
    }

    /// Starts the command with nobody listening and nothing to read, and leaves it to the caller.
    pub fn start_unheard(mut self) -> Child {
        self.command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.command.spawn().expect("the command starts")
    }

    /// Starts the command and leaves it to the caller, with all three streams piped and nothing written yet.
    pub fn spawn(mut self) -> Child {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        self.command.spawn().unwrap_or_else(|error| {
            panic!(
                "{} does not start: {error}",
                self.command.get_program().display()
            )
        })
    }
}

/// What a command left behind. Shown (`to_string`), it is a transcript without the sandbox's paths.
#[derive(Debug)]
pub struct Outcome {
    pub stdout: String,
    pub stderr: String,
    /// `None` when a signal ended the command.
    pub code: Option<i32>,
    transcript: String,
}

impl Outcome {
    pub(crate) fn new(
        sandbox: &Sandbox,
        stdout: String,
        stderr: String,
        code: Option<i32>,
    ) -> Self {
        let mut parts = vec![match code {
            Some(code) => format!("exit {code}"),
            None => "ended by a signal".to_owned(),
        }];
        for (name, stream) in [("stdout", &stdout), ("stderr", &stderr)] {
            if !stream.is_empty() {
                parts.push(format!("--- {name}\n{}", stream.trim_end_matches('\n')));
            }
        }
        let transcript = sandbox.without_paths(&parts.join("\n"));
        Self {
            stdout,
            stderr,
            code,
            transcript,
        }
    }

    /// The standard output with one blank between any two words: where its lines break hangs on how long this machine's paths are.
    pub fn words(&self) -> String {
        let words: Vec<&str> = self.stdout.split_whitespace().collect();
        words.join(" ")
    }

    /// The standard output of a command that must have succeeded.
    pub fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{self}");
        self.stdout
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.transcript)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Outcome {
        let sandbox = Sandbox::with_folder("sh");
        sandbox.oldhand(["-c", script]).run()
    }

    #[test]
    fn a_transcript_names_the_exit_code_and_both_streams() {
        let outcome = shell("pwd; echo trouble >&2; exit 2");
        assert_eq!(
            outcome.to_string(),
            "exit 2\n--- stdout\n[PROJECT]\n--- stderr\ntrouble"
        );
    }

    #[test]
    fn the_environment_holds_only_what_the_sandbox_put_there() {
        let names = shell("env | cut -d= -f1 | grep -vx -e PWD -e SHLVL -e _ | sort").stdout;
        let names: Vec<&str> = names
            .lines()
            .filter(|name| !name.starts_with("GIT_"))
            .collect();
        assert_eq!(
            names,
            [
                "HOME",
                "LC_ALL",
                "NO_COLOR",
                "OLDHAND_HOME",
                "OLDHAND_TEST_NOW",
                "OLDHAND_TEST_SEED",
                "PATH",
                "TZ"
            ]
        );
    }

    #[test]
    fn input_larger_than_a_pipe_goes_through() {
        let sandbox = Sandbox::with_folder("cat");
        let text = "line\n".repeat(100_000);
        let outcome = sandbox.oldhand([] as [&str; 0]).stdin(text.clone()).run();
        assert_eq!(outcome.success(), text);
    }

    #[test]
    fn no_two_commands_share_a_seed() {
        let sandbox = Sandbox::with_folder("sh");
        let seed = || {
            sandbox
                .oldhand(["-c", "echo $OLDHAND_TEST_SEED"])
                .run()
                .success()
        };
        assert_ne!(seed(), seed());
    }
}
