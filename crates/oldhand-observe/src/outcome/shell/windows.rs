//! Lines of PowerShell and of `cmd`, cut as those of a POSIX shell are. What they do by names of their own is told by [`super::cmdlets`].

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

use super::cmdlets::{Word, posix};
use super::{Simple, Then};

/// A shell whose lines a POSIX shell would read wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    PowerShell,
    Cmd,
}

impl Dialect {
    /// The shell behind a program's name, with or without its folder and ending.
    pub fn of(program: &str) -> Option<Self> {
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        let name = name.to_ascii_lowercase();
        match name.strip_suffix(".exe").unwrap_or(&name) {
            "powershell" | "pwsh" => Some(Self::PowerShell),
            "cmd" => Some(Self::Cmd),
            _ => None,
        }
    }

    /// A script of this shell as a line that any POSIX shell could run.
    pub fn wrap(self, script: &str) -> String {
        let program = match self {
            Self::PowerShell => "powershell -Command",
            Self::Cmd => "cmd /c",
        };
        format!("{program} '{}'", script.replace('\'', r"'\''"))
    }

    /// The words of a call of this shell that are the script: `-NoLogo -Command SCRIPT`, `/c SCRIPT`.
    pub fn script<W: AsRef<str>>(self, after: &[W]) -> Option<String> {
        let at = after.iter().position(|word| {
            let word = word.as_ref().to_ascii_lowercase();
            match self {
                Self::PowerShell => matches!(word.as_str(), "-c" | "-command" | "/c" | "/command"),
                Self::Cmd => matches!(word.as_str(), "/c" | "//c" | "/k" | "/s/c"),
            }
        })?;
        let script: Vec<&str> = after[at + 1..].iter().map(AsRef::as_ref).collect();
        (!script.is_empty()).then(|| script.join(" "))
    }
}

/// The simple commands of a script, each named as a POSIX shell would name it, with `/` in its paths.
pub(super) fn lex(script: &str, dialect: Dialect) -> Vec<Simple> {
    let mut lexer = Lexer {
        dialect,
        rest: script.chars().peekable(),
        words: Vec::new(),
        word: None,
        into: Vec::new(),
        depth: 0,
        set: Vec::new(),
        variables: BTreeMap::new(),
        assigned: None,
        out: Vec::new(),
    };
    lexer.run();
    lexer.out
}

struct Lexer<'a> {
    dialect: Dialect,
    rest: Peekable<Chars<'a>>,
    words: Vec<Word>,
    word: Option<Word>,
    into: Vec<String>,
    /// How many blocks are open: what is in one runs only sometimes.
    depth: usize,
    /// `X=y` of the environment, for all that follows.
    set: Vec<String>,
    /// Variables that hold one text.
    variables: BTreeMap<String, String>,
    /// The variable that the command at hand is assigned to.
    assigned: Option<String>,
    out: Vec<Simple>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        let is_powershell = self.dialect == Dialect::PowerShell;
        while let Some(c) = self.rest.next() {
            match c {
                '"' => self.quoted('"'),
                '\'' if is_powershell => self.quoted('\''),
                '@' if is_powershell && matches!(self.rest.peek(), Some('\'' | '"')) => {
                    self.here_string();
                }
                '`' if is_powershell => self.escaped(),
                '^' if !is_powershell => self.escaped(),
                '#' if is_powershell && self.word.is_none() => {
                    while self.rest.next_if(|&next| next != '\n').is_some() {}
                }
                '$' if is_powershell => self.variable(),
                '&' if self.rest.next_if_eq(&'&').is_some() => self.end(Then::And),
                // `& program` only calls it.
                '&' if is_powershell && self.words.is_empty() && self.word.is_none() => {}
                '&' if is_powershell => self.end(Then::Aside),
                '|' if self.rest.next_if_eq(&'|').is_some() => self.end(Then::Or),
                '|' => self.end(Then::Pipe),
                ';' if is_powershell => self.end(Then::Next),
                '>' => self.redirection(),
                '<' => {}
                '{' | '}' if is_powershell => self.block(c),
                // What stands in parentheses is a command of its own; those of a call belong to its word.
                '(' if is_powershell && self.word.is_some() => self.arguments(),
                '&' | '\n' | '(' | ')' => self.end(Then::Next),
                ',' if self.word.is_some() => {
                    self.push(',');
                    while self.rest.next_if(|c| c.is_whitespace()).is_some() {}
                }
                '=' if is_powershell && self.assigns() => {}
                c if c.is_whitespace() => self.end_word(),
                c => self.push(c),
            }
        }
        self.end(Then::End);
        if let Some(last) = self.out.last_mut() {
            last.then = Then::End;
        }
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().text.push(c);
    }

    fn escaped(&mut self) {
        match self.rest.next() {
            Some('\r') => {
                self.rest.next_if_eq(&'\n');
            }
            Some('\n') | None => {}
            Some(next) => self.push(next),
        }
    }

    fn quoted(&mut self, quote: char) {
        let is_powershell = self.dialect == Dialect::PowerShell;
        self.word.get_or_insert_default().quoted = true;
        while let Some(c) = self.rest.next() {
            if c == quote {
                // A quote is written twice to stand for itself.
                if !is_powershell || self.rest.next_if_eq(&quote).is_none() {
                    return;
                }
                self.push(quote);
            } else if is_powershell && quote == '"' && c == '`' {
                self.escaped();
            } else if is_powershell && quote == '"' && c == '$' {
                self.variable();
            } else {
                self.push(c);
            }
        }
    }

    /// `@'` … `'@`, which ends at the beginning of a line.
    fn here_string(&mut self) {
        let quote = self.rest.next().unwrap_or('\'');
        let mut text = String::new();
        let end = format!("\n{quote}@");
        for c in self.rest.by_ref() {
            text.push(c);
            if text.ends_with(&end) {
                text.truncate(text.len() - end.len());
                break;
            }
        }
        let word = self.word.get_or_insert_default();
        word.quoted = true;
        word.text.push_str(text.trim_start_matches(['\r', '\n']));
    }

    /// A variable: what it holds, where the script says so; otherwise its name.
    fn variable(&mut self) {
        if self.rest.peek() == Some(&'(') {
            self.word.get_or_insert_default().text.push('$');
            return self.arguments();
        }
        let mut name = String::new();
        let braced = self.rest.next_if_eq(&'{').is_some();
        while let Some(c) = self
            .rest
            .next_if(|&c| c.is_alphanumeric() || matches!(c, '_' | ':' | '?'))
        {
            name.push(c);
        }
        if braced {
            self.rest.next_if_eq(&'}');
        }
        let held = self.variables.get(&name.to_ascii_lowercase()).cloned();
        let word = self.word.get_or_insert_default();
        if let Some(text) = held {
            word.quoted = true;
            word.text.push_str(&text);
        } else {
            word.text.push('$');
            word.text.push_str(&name);
        }
    }

    /// `(…)` behind a word, as one opaque piece of it.
    fn arguments(&mut self) {
        let mut depth = 1_usize;
        self.rest.next_if_eq(&'(');
        for c in self.rest.by_ref() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        self.word.get_or_insert_default().text.push_str("()");
    }

    fn block(&mut self, brace: char) {
        self.end(Then::Next);
        self.depth = match brace {
            '{' => self.depth + 1,
            _ => self.depth.saturating_sub(1),
        };
    }

    /// `$x = …` and `$env:X = …`: what stands behind is the command.
    fn assigns(&mut self) -> bool {
        let name = match (self.words.as_slice(), &self.word) {
            ([], Some(word)) | ([word], None) => word.text.strip_prefix('$').map(str::to_owned),
            _ => None,
        };
        let Some(name) = name.filter(|name| !name.contains(['(', '.', '['])) else {
            return false;
        };
        self.words.clear();
        self.word = None;
        self.assigned = Some(name);
        while self.rest.next_if(|&c| c == ' ').is_some() {}
        true
    }

    fn redirection(&mut self) {
        // `2>` and `*>` have their number in the current word.
        let number = self
            .word
            .take_if(|word| word.text == "*" || word.text.chars().all(|c| c.is_ascii_digit()));
        self.end_word();
        while self.rest.next_if(|&c| matches!(c, '>' | ' ')).is_some() {}
        if self.rest.next_if_eq(&'&').is_some() {
            self.rest.next();
            return;
        }
        let quote = self.rest.next_if(|&c| matches!(c, '\'' | '"'));
        let mut target = String::new();
        while let Some(c) = self.rest.next_if(|&c| match quote {
            Some(quote) => c != quote,
            None => !c.is_whitespace() && !matches!(c, ';' | '|' | '&' | ')'),
        }) {
            target.push(c);
        }
        if quote.is_some() {
            self.rest.next();
        }
        let is_shown = number.is_none_or(|number| number.text != "2");
        let is_nothing = target.eq_ignore_ascii_case("nul") || target.starts_with('$');
        if is_shown && !is_nothing && !target.is_empty() {
            self.into.push(target.replace('\\', "/"));
        }
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn end(&mut self, then: Then) {
        self.end_word();
        let words = std::mem::take(&mut self.words);
        let into = std::mem::take(&mut self.into);
        if let Some(name) = self.assigned.take()
            && let [value] = words.as_slice()
            && value.quoted
        {
            match name.split_once(':') {
                Some((space, name)) if space.eq_ignore_ascii_case("env") => {
                    self.set.push(format!("{name}={}", value.text));
                }
                _ => {
                    let name = name.to_ascii_lowercase();
                    self.variables.insert(name, value.text.clone());
                }
            }
            return;
        }
        let words = posix(&words, self.dialect);
        if words.is_empty() {
            if let Some(last) = self.out.last_mut().filter(|last| last.then == Then::Next) {
                last.then = then;
            }
            return;
        }
        if let [set, value] = words.as_slice()
            && set == "set"
            && value.contains('=')
        {
            self.set.push(value.clone());
            return;
        }
        self.out.push(Simple {
            words: [self.set.as_slice(), &words].concat(),
            through: None,
            wrapping: Vec::new(),
            lost: self.depth > 0 || !self.set.is_empty(),
            within: Vec::new(),
            into,
            from: Vec::new(),
            then,
        });
    }
}

#[cfg(test)]
mod tests;
