//! Lines of PowerShell and of `cmd`, cut as those of a POSIX shell are. What they do by names of their own is told by [`super::cmdlets`].

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

use super::cmdlets::{Word, posix};
use super::{Simple, Then};

/// How much text variables may put into a script in all: each may hold what others held, many times over.
const MOST_PUT_IN: usize = 64 * 1024;
/// So many settings of the environment are kept; each command is given all of them.
const MOST_SET: usize = 32;

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
        put_in: 0,
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
    /// How much text they have put in so far.
    put_in: usize,
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
        let lower = name.to_ascii_lowercase();
        let is_given_anew = !braced && self.gives_anew(&lower);
        let held = self.variables.get(&lower).filter(|_| !is_given_anew);
        let held = held.filter(|text| self.put_in + text.len() <= MOST_PUT_IN);
        let word = self.word.get_or_insert_default();
        if let Some(text) = held {
            word.quoted = true;
            word.text.push_str(text);
            self.put_in += text.len();
        } else if word.text.is_empty()
            && !is_given_anew
            && matches!(lower.as_str(), "home" | "env:home" | "env:userprofile")
        {
            word.text.push('~');
        } else {
            word.text.push('$');
            word.text.push_str(&name);
        }
    }

    /// Whether a variable that was just named opens a statement that gives it something else: `$x = …`, `[string]$x = …`,
    /// `$x += …`, `$x in …`. What it held before is forgotten.
    fn gives_anew(&mut self, name: &str) -> bool {
        let is_type =
            |word: &Word| !word.quoted && word.text.starts_with('[') && word.text.ends_with(']');
        if !self.words.iter().chain(&self.word).all(is_type) {
            return false;
        }
        let mut behind = self.rest.clone().skip_while(|c| *c == ' ').take(2);
        let gives = matches!(
            (behind.next(), behind.next()),
            (Some('='), _)
                | (Some('+' | '-' | '*' | '/' | '%' | '?'), Some('='))
                | (Some('+'), Some('+'))
                | (Some('-'), Some('-'))
                | (Some('i' | 'I'), Some('n' | 'N'))
        );
        if gives {
            self.variables.remove(name);
            self.words.clear();
            self.word = None;
        }
        gives
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
        if let Some(other) = self.assigned.replace(name) {
            self.variables.remove(&other.to_ascii_lowercase());
        }
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
        const HOME: &str = "%userprofile%";
        let Some(mut word) = self.word.take() else {
            return;
        };
        let opens = word.text.get(..HOME.len());
        if self.dialect == Dialect::Cmd
            && opens.is_some_and(|opens| opens.eq_ignore_ascii_case(HOME))
        {
            word.text.replace_range(..HOME.len(), "~");
        }
        self.words.push(word);
    }

    fn end(&mut self, then: Then) {
        self.end_word();
        let words = std::mem::take(&mut self.words);
        let into = std::mem::take(&mut self.into);
        if let Some(name) = self.assigned.take()
            && self.assign(&name, &words, then)
        {
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
            self.set(value.clone());
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

    /// Whether a variable now holds one text; otherwise nobody knows what it holds, and `words` are a command.
    fn assign(&mut self, name: &str, words: &[Word], then: Then) -> bool {
        let value = match words {
            [value] if value.quoted && then != Then::Pipe => Some(value.text.clone()),
            _ => None,
        };
        let is_text = value.is_some();
        match (name.split_once(':'), value) {
            (Some((space, name)), Some(value)) if space.eq_ignore_ascii_case("env") => {
                self.set(format!("{name}={value}"));
            }
            (_, Some(value)) => {
                self.variables.insert(name.to_ascii_lowercase(), value);
            }
            (_, None) => {
                self.variables.remove(&name.to_ascii_lowercase());
            }
        }
        is_text
    }

    fn set(&mut self, setting: String) {
        let name = setting.split_once('=').map_or("", |(name, _)| name);
        self.set.retain(|known| {
            known
                .split_once('=')
                .is_none_or(|(known, _)| !known.eq_ignore_ascii_case(name))
        });
        if self.set.len() < MOST_SET {
            self.set.push(setting);
        }
    }
}

#[cfg(test)]
mod tests;
