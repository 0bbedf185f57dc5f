//! A command line cut into the simple commands it runs. Enough of a shell to see what an agent ran.

mod cmdlets;
mod last;
mod runner;
mod windows;

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

/// Cuts a line at the shell's joints, outside quotes; here-documents are passed over.
fn lex(line: &str) -> Vec<Simple> {
    let mut lexer = Lexer {
        rest: line.chars().peekable(),
        words: Vec::new(),
        into: Vec::new(),
        from: Vec::new(),
        word: None,
        out: Vec::new(),
        heredoc: None,
    };
    lexer.run();
    lexer.out
}

struct Lexer<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    words: Vec<String>,
    into: Vec<String>,
    from: Vec<String>,
    word: Option<String>,
    out: Vec<Simple>,
    heredoc: Option<String>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(c) = self.rest.next() {
            match c {
                '\'' => self.quoted('\''),
                '"' => self.quoted('"'),
                '\\' => {
                    if let Some(next) = self.rest.next().filter(|&next| next != '\n') {
                        self.word.get_or_insert_default().push(next);
                    }
                }
                '$' if self.rest.peek() == Some(&'(') => self.substitution(),
                '&' if self.rest.next_if_eq(&'&').is_some() => self.end(Then::And),
                '&' if self.rest.next_if_eq(&'>').is_some() => self.redirection('>'),
                '|' if self.rest.next_if_eq(&'|').is_some() => self.end(Then::Or),
                '|' => {
                    self.rest.next_if_eq(&'&');
                    self.end(Then::Pipe);
                }
                '&' => self.end(Then::Aside),
                ';' => self.end(Then::Next),
                '\n' => {
                    self.end(Then::Next);
                    self.skip_heredoc();
                }
                '#' if self.word.is_none() => {
                    while self.rest.next_if(|&next| next != '\n').is_some() {}
                }
                '<' if self.rest.peek() == Some(&'<') => self.start_heredoc(),
                '>' | '<' => self.redirection(c),
                '(' | ')' if self.word.is_none() => {}
                ')' => self.end_word(),
                c if c.is_whitespace() => self.end_word(),
                c => self.word.get_or_insert_default().push(c),
            }
        }
        self.end(Then::End);
        let last = self.out.last_mut();
        if let Some(last) = last.filter(|last| last.then != Then::Aside) {
            last.then = Then::End;
        }
    }

    fn quoted(&mut self, quote: char) {
        let word = self.word.get_or_insert_default();
        while let Some(c) = self.rest.next() {
            if c == quote {
                return;
            }
            if c == '\\' && quote == '"' {
                match self.rest.next() {
                    Some(next @ ('"' | '\\' | '$' | '`')) => word.push(next),
                    Some('\n') | None => {}
                    Some(next) => word.extend(['\\', next]),
                }
            } else {
                word.push(c);
            }
        }
    }

    /// `$(…)` is kept as one opaque piece: what it prints is not known.
    fn substitution(&mut self) {
        let word = self.word.get_or_insert_default();
        word.push_str("$(");
        let mut depth = 0_usize;
        for c in self.rest.by_ref() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        word.push(')');
    }

    fn redirection(&mut self, arrow: char) {
        // `2>` has its number in the current word.
        let number = self
            .word
            .take_if(|word| word.chars().all(|c| c.is_ascii_digit()));
        self.end_word();
        while self
            .rest
            .next_if(|&c| matches!(c, '>' | '&' | '<' | '|') || c == ' ')
            .is_some()
        {}
        let mut target = String::new();
        while let Some(c) = self
            .rest
            .next_if(|&c| !c.is_whitespace() && !matches!(c, ';' | '&' | '|' | ')'))
        {
            if matches!(c, '\'' | '"') {
                while let Some(inner) = self.rest.next_if(|&next| next != c) {
                    target.push(inner);
                }
                self.rest.next();
            } else {
                target.push(c);
            }
        }
        let shown = number.is_none_or(|number| number == "1");
        let is_number = target.chars().all(|c| c.is_ascii_digit());
        if arrow == '>' && shown && !is_number && !target.starts_with("/dev/") {
            self.into.push(target);
        } else if arrow == '<' && !is_number && !target.starts_with('(') {
            self.from.push(target);
        }
    }

    fn start_heredoc(&mut self) {
        self.rest.next();
        if self.rest.next_if_eq(&'<').is_some() {
            return self.redirection('=');
        }
        self.end_word();
        self.rest.next_if_eq(&'-');
        while self.rest.next_if_eq(&' ').is_some() {}
        let mut mark = String::new();
        while let Some(c) = self
            .rest
            .next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '\'' | '"' | '\\'))
        {
            if c.is_alphanumeric() || c == '_' {
                mark.push(c);
            }
        }
        if !mark.is_empty() {
            self.heredoc = Some(mark);
        }
    }

    fn skip_heredoc(&mut self) {
        let Some(mark) = self.heredoc.take() else {
            return;
        };
        let mut line = String::new();
        for c in self.rest.by_ref() {
            if c == '\n' {
                if line.trim() == mark {
                    return;
                }
                line.clear();
            } else {
                line.push(c);
            }
        }
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            self.words.push(word);
        }
    }

    fn end(&mut self, then: Then) {
        self.end_word();
        let words = std::mem::take(&mut self.words);
        let into = std::mem::take(&mut self.into);
        let from = std::mem::take(&mut self.from);
        if !words.is_empty() {
            self.out.push(Simple {
                words,
                through: None,
                wrapping: Vec::new(),
                lost: false,
                within: Vec::new(),
                into,
                from,
                then,
            });
        } else if let Some(last) = self.out.last_mut() {
            // `cmd &&` at a line's end goes on in the next line.
            if last.then == Then::Next {
                last.then = then;
            }
        }
    }
}

#[cfg(test)]
mod tests;
