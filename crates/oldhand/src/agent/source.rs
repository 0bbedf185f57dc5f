//! Where the values that a transcript is made of come from, one at a time.

use std::io::{self, BufRead, Seek};

use serde_json::Value;

use super::lines::{LINE_LIMIT, Line, next_line};
use super::object::{Object, Piece};
use super::slim;

/// What comes next.
pub(super) enum Found {
    Value(Value),
    /// No JSON: cut off, interleaved, binary.
    Broken,
    TooLong,
}

pub(super) trait Source {
    /// The next value and how many bytes it took, if there is one.
    fn next(&mut self) -> io::Result<Option<(Found, u64)>>;

    /// In which line that was, counted from 1, where values are lines.
    fn line(&self) -> Option<u64> {
        None
    }
}

/// One value a line, or one object over many lines.
pub(super) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// How many lines were read, empty ones too.
    passed: u64,
    is_begun: bool,
    object: Option<Object>,
    /// Whether what an object says about itself was handed on.
    is_named: bool,
}

/// What some editors and shells put before a text, to say that it is UTF-8.
const MARK: char = '\u{feff}';
const MARK_BYTES: &[u8] = "\u{feff}".as_bytes();

/// By these an object says which session it is.
const NAMES: [&str; 2] = ["sessionId", "info"];

impl<R: BufRead + Seek> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            passed: 0,
            is_begun: false,
            object: None,
            is_named: false,
        }
    }

    /// What an object says about itself, where that does not stand before its messages: looked for behind them. Then it is read
    /// from the beginning.
    fn look_behind(&mut self, mut head: Value) -> io::Result<Value> {
        let mut nothing = 0;
        while let Some(object) = &mut self.object
            && let Some(piece) = object.next(&mut self.reader, &mut nothing)?
        {
            if let Piece::Rest(rest) = piece
                && let (Value::Object(head), Some(Value::Object(rest))) =
                    (&mut head, slim::parse(&rest))
            {
                head.extend(rest);
            }
        }
        self.reader.rewind()?;
        if self.reader.fill_buf()?.starts_with(MARK_BYTES) {
            self.reader.consume(MARK_BYTES.len());
        }
        self.object = Some(Object::begun("", LINE_LIMIT));
        if let Some(object) = &mut self.object {
            object.next(&mut self.reader, &mut nothing)?;
        }
        Ok(head)
    }
}

impl<R: BufRead + Seek> Source for Lines<R> {
    fn next(&mut self) -> io::Result<Option<(Found, u64)>> {
        let mut bytes = 0;
        loop {
            if let Some(object) = &mut self.object {
                let found = match object.next(&mut self.reader, &mut bytes)? {
                    None => return Ok(None),
                    Some(Piece::Rest(_)) => continue,
                    Some(Piece::Text(text)) => match slim::parse(&text) {
                        Some(head) if !std::mem::replace(&mut self.is_named, true) => {
                            let is_named = NAMES.iter().any(|name| head.get(name).is_some());
                            Found::Value(if is_named {
                                head
                            } else {
                                self.look_behind(head)?
                            })
                        }
                        Some(value) => Found::Value(value),
                        None => Found::Broken,
                    },
                    Some(Piece::TooLong) => Found::TooLong,
                    Some(Piece::CutOff) => Found::Broken,
                };
                return Ok(Some((found, bytes)));
            }
            self.passed += 1;
            let is_first = !std::mem::replace(&mut self.is_begun, true);
            let line = match next_line(&mut self.reader, &mut self.buffer, LINE_LIMIT)? {
                None => return Ok(None),
                Some(Line::TooLong) => return Ok(Some((Found::TooLong, bytes))),
                Some(Line::Text(line)) => line,
            };
            bytes += line.len() as u64 + 1;
            let text = if is_first {
                line.trim_start_matches(MARK)
            } else {
                &line
            }
            .trim();
            if text.is_empty() {
                continue;
            }
            if is_first && text == "{" {
                self.object = Some(Object::begun(text, LINE_LIMIT));
                continue;
            }
            let found = slim::parse(text).map_or(Found::Broken, Found::Value);
            return Ok(Some((found, bytes)));
        }
    }

    fn line(&self) -> Option<u64> {
        self.object.is_none().then_some(self.passed)
    }
}
