//! A command line cut into the simple commands it runs. Enough of a shell to see what an agent ran.

mod cmdlets;
mod last;
mod lex;
mod runner;
mod windows;

use lex::lex;
use runner::runner_rest;

pub use windows::Dialect;

/// One simple command with its words, quotes and redirections removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simple {
    pub words: Vec<String>,
    /// What runs it in the project's own surroundings: `uv run`, `npx`, `bundle exec`.
    pub through: Option<String>,
    /// All of what was taken off in front of it that it may need: assignments, and what runs it with the options of that.
    pub wrapping: Vec<String>,
    /// Something else stood in front of it that it may need, or that says when it runs at all: `nix develop -c`, `xargs`, `then`.
    pub lost: bool,
    /// The scripts that it is part of, the outermost first: `bash -c "cd web && make"` is one. Each has its number in the line.
    pub within: Vec<usize>,
    /// Where its output goes instead of being shown.
    pub into: Vec<String>,
    /// The files that its input comes from.
    pub from: Vec<String>,
    /// What joins it to the command after it.
    pub then: Then,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    And,
    Or,
    Pipe,
    Next,
    /// It is started, and nobody waits for it.
    Aside,
    End,
}

/// How deep `bash -c "bash -c …"` is followed.
const DEPTH_LIMIT: usize = 4;

/// The simple commands of a line in the order they are written, wrappers taken off.
pub fn commands(line: &str) -> Vec<Simple> {
    last::known_or(line, |found| collect(lex(line), &[], found))
}

/// Whether a script of another shell means the same as a line of a POSIX shell.
pub fn is_plain(script: &str, dialect: Dialect) -> bool {
    lex(script) == windows::lex(script, dialect)
}

fn collect(line: Vec<Simple>, within: &[usize], found: &mut Vec<Simple>) {
    for mut simple in line {
        match unwrap(&simple.words) {
            Unwrapped::Words(words, around) => {
                if !words.is_empty() {
                    simple.words = words;
                    simple.through = around.through;
                    simple.wrapping = around.wrapping;
                    simple.lost |= around.lost;
                    simple.within = within.to_vec();
                    found.push(simple);
                }
            }
            Unwrapped::Script(script, dialect, around) if within.len() < DEPTH_LIMIT => {
                let first = found.len();
                let script = match dialect {
                    Some(dialect) => windows::lex(&script, dialect),
                    None => lex(&script),
                };
                collect(script, &[within, &[first]].concat(), found);
                let is_lost = around.lost || !around.wrapping.is_empty();
                for inner in &mut found[first..] {
                    inner.lost |= is_lost;
                }
                if let Some(last) = found[first..].last_mut() {
                    last.then = simple.then;
                    last.into.append(&mut simple.into);
                    last.from.append(&mut simple.from);
                }
            }
            Unwrapped::Script(..) => {}
        }
    }
}

enum Unwrapped {
    Words(Vec<String>, Around),
    /// With its shell, where that is no POSIX shell.
    Script(String, Option<Dialect>, Around),
}

/// What stood around a command.
#[derive(Default)]
struct Around {
    through: Option<String>,
    wrapping: Vec<String>,
    lost: bool,
}

/// Takes off what only changes how a command runs: assignments, `sudo`, `timeout 30`, `npx`, …
fn unwrap(words: &[String]) -> Unwrapped {
    let mut rest = words;
    let mut around = Around::default();
    loop {
        let Some(first) = rest.first() else {
            return Unwrapped::Words(Vec::new(), around);
        };
        let name = first.rsplit('/').next().unwrap_or(first);
        let after = &rest[1..];
        rest = match name {
            _ if is_assignment(first) => {
                around.wrapping.push(first.clone());
                after
            }
            "(" | "{" => after,
            "then" | "do" | "else" | "!" | "if" | "while" => {
                around.lost = true;
                after
            }
            "sudo" | "doas" => {
                around.lost = true;
                skip_options(after, &["-u", "-g", "-C", "-h", "-p"])
            }
            "nice" | "ionice" | "chrt" => skip_options(after, &["-n", "-c", "-p"]),
            // It only asks whether a program is there.
            "command"
                if after
                    .first()
                    .is_some_and(|option| option == "-v" || option == "-V") =>
            {
                return Unwrapped::Words(rest.to_vec(), around);
            }
            "time" | "command" | "exec" | "builtin" | "nohup" | "setsid" | "unbuffer" | "rtk"
            | "xvfb-run" | "caffeinate" | "wsl" => {
                around.lost |= matches!(name, "xvfb-run" | "wsl");
                skip_options(after, &["-f", "-o"])
            }
            "stdbuf" => skip_options(after, &["-i", "-o", "-e"]),
            "env" | "cross-env" | "dotenv" => {
                let inner = skip_options(after, &["-u", "-C", "-f", "-e"]);
                let skipped = after[..after.len() - inner.len()].iter();
                let (set, other): (Vec<_>, Vec<_>) = skipped.partition(|word| is_assignment(word));
                around.lost |= name == "dotenv" || !other.is_empty();
                around.wrapping.extend(set.into_iter().cloned());
                inner
            }
            "timeout" | "gtimeout" => {
                let after = skip_options(after, &["-k", "-s", "--kill-after", "--signal"]);
                after.get(1..).unwrap_or(&[])
            }
            "npx" | "bunx" | "pnpx" | "uvx" => {
                let inner = skip_options(after, &["-p", "--package", "--from", "--with"]);
                let skipped = &after[..after.len() - inner.len()];
                around.wrapping.push(name.to_owned());
                around.wrapping.extend_from_slice(skipped);
                around.through = Some(name.to_owned());
                inner
            }
            "xargs" => {
                around.lost = true;
                skip_options(after, &["-n", "-I", "-P", "-L", "-d"])
            }
            "bash" | "sh" | "zsh" | "dash" | "fish" => {
                let script = after
                    .iter()
                    .position(|word| is_command_flag(word))
                    .and_then(|at| after.get(at + 1));
                if let Some(script) = script {
                    return Unwrapped::Script(script.clone(), None, around);
                }
                around.wrapping.push(name.to_owned());
                return Unwrapped::Words(skip_options(after, &["-o", "-O"]).to_vec(), around);
            }
            "nix-shell" => {
                let at = after
                    .iter()
                    .position(|word| matches!(word.as_str(), "--run" | "--command"));
                around.lost = true;
                return match at.and_then(|at| after.get(at + 1)) {
                    Some(script) => Unwrapped::Script(script.clone(), None, around),
                    None => Unwrapped::Words(rest.to_vec(), around),
                };
            }
            "nix"
                if after
                    .first()
                    .is_some_and(|verb| matches!(verb.as_str(), "develop" | "shell")) =>
            {
                let at = after
                    .iter()
                    .position(|word| matches!(word.as_str(), "-c" | "--command"));
                around.lost = true;
                match at.and_then(|at| after.get(at + 1..)) {
                    Some(inner) => inner,
                    None => return Unwrapped::Words(rest.to_vec(), around),
                }
            }
            "poetry" | "pipenv" | "uv" | "hatch" | "pdm" | "rye" | "conda" | "mise" | "bundle"
            | "pnpm" | "yarn" | "npm" | "dotenvx" | "nix" => match runner_rest(name, after) {
                Some(inner) => {
                    let skipped = &after[..after.len() - inner.len()];
                    let options = skipped.iter().filter(|word| *word != "--");
                    around.wrapping.push(name.to_owned());
                    around.wrapping.extend(options.cloned());
                    around.through = Some(format!("{name} {}", after[0]));
                    inner
                }
                None => return Unwrapped::Words(rest.to_vec(), around),
            },
            _ => {
                let Some(dialect) = Dialect::of(name) else {
                    return Unwrapped::Words(rest.to_vec(), around);
                };
                if let Some(script) = dialect.script(after) {
                    return Unwrapped::Script(script, Some(dialect), around);
                }
                let file = after.iter().position(|word| {
                    dialect == Dialect::PowerShell && word.eq_ignore_ascii_case("-file")
                });
                match file.and_then(|at| after.get(at + 1..)) {
                    Some(inner) => inner,
                    None => return Unwrapped::Words(rest.to_vec(), around),
                }
            }
        };
    }
}

fn skip_options<'a>(mut words: &'a [String], with_value: &[&str]) -> &'a [String] {
    while let Some(word) = words.first() {
        if !word.starts_with('-') && !is_assignment(word) {
            break;
        }
        let step = if with_value.contains(&word.as_str()) {
            2
        } else {
            1
        };
        words = words.get(step..).unwrap_or(&[]);
    }
    words
}

fn is_command_flag(word: &str) -> bool {
    word.len() <= 4 && word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests;
