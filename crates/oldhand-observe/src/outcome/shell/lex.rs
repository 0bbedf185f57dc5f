//! A line of the shell cut at its joints: words, redirections, here-documents.

use super::{Simple, Then};

/// Cuts a line at the shell's joints, outside quotes; here-documents are passed over.
pub(super) fn lex(line: &str) -> Vec<Simple> {
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
        let mut word = self.word.take().unwrap_or_default();
        while let Some(c) = self.rest.next() {
            if c == quote {
                break;
            }
            if quote == '\'' {
                word.push(c);
            } else if c == '\\' {
                match self.rest.next() {
                    Some(next @ ('"' | '\\' | '$' | '`')) => word.push(next),
                    Some('\n') | None => {}
                    Some(next) => word.extend(['\\', next]),
                }
            } else if c == '$' && self.rest.peek() == Some(&'(') {
                word.push(c);
                word.push_str(&self.parenthesis());
            } else {
                word.push(c);
            }
        }
        self.word = Some(word);
    }

    /// `$(…)` is kept as one opaque piece: what it prints is not known.
    fn substitution(&mut self) {
        self.parenthesis();
        self.word.get_or_insert_default().push_str("$()");
    }

    /// What stands in parentheses, with them, whatever quotes and here-documents are in it.
    fn parenthesis(&mut self) -> String {
        let mut text = String::new();
        let mut depth = 0_usize;
        let mut quote = None;
        while let Some(c) = self.rest.next() {
            text.push(c);
            match (quote, c) {
                (Some('"') | None, '\\') => text.extend(self.rest.next()),
                (Some('"'), '$') if self.rest.peek() == Some(&'(') => {
                    text.push_str(&self.parenthesis());
                }
                (Some(open), _) if c == open => quote = None,
                (None, '\'' | '"') => quote = Some(c),
                // In `$((1 << 2))` it is no here-document.
                (None, '<') if !text.starts_with("((") && self.rest.next_if_eq(&'<').is_some() => {
                    text.push('<');
                    if self.rest.peek() != Some(&'<') {
                        self.pass_over_heredoc(&mut text);
                    }
                }
                (None, '(') => depth += 1,
                (None, ')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && quote.is_none() {
                break;
            }
        }
        text
    }

    /// The rest of the line that begins a here-document, and the document.
    fn pass_over_heredoc(&mut self, text: &mut String) {
        let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
        let mut mark = String::new();
        while let Some(c) = self.rest.next_if(|c| !is_part(c) && *c != '\n') {
            text.push(c);
        }
        while let Some(c) = self.rest.next_if(is_part) {
            text.push(c);
            mark.push(c);
        }
        let mut line: Option<String> = None;
        for c in self.rest.by_ref() {
            text.push(c);
            match &mut line {
                None if c == '\n' => line = Some(String::new()),
                None => {}
                Some(said) if c == '\n' => {
                    if said.trim() == mark {
                        return;
                    }
                    said.clear();
                }
                Some(said) => said.push(c),
            }
        }
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
