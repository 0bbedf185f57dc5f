//! A session that is one JSON object over many lines, taken apart while it is read: first what stands before its messages, then
//! one message at a time, so that a file of any length needs no more memory than its longest message.

use std::collections::VecDeque;
use std::io::{self, BufRead};

/// The list that is handed on item by item.
const LIST: &[u8] = b"messages";
/// Longer texts keep their ends, each longer than what is kept of a text later on.
const FRONT: usize = 64 * 1024;
const BACK: usize = 64 * 1024;
/// Stands where the middle of a long text was.
const GAP: &[u8] = "\\n…\\n".as_bytes();

/// A part of the object that is JSON by itself, or why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// What stands after the messages.
    Rest(String),
    TooLong,
    /// The file ends in the middle of it.
    CutOff,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Head,
    Between,
    Item,
    Rest,
    After,
}

/// How far an object was read.
pub(super) struct Object {
    place: Place,
    depth: usize,
    piece: Vec<u8>,
    limit: usize,
    too_long: bool,
    text: Option<Text>,
    /// The last text of the outermost level; before a colon it is a key.
    last: Vec<u8>,
}

/// A text that is being read.
#[derive(Default)]
struct Text {
    begins_at: usize,
    length: usize,
    escape: Escape,
    /// Its end, once its middle is left out; the mark says where a letter begins.
    back: VecDeque<(u8, bool)>,
    is_cut: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    Begun,
    Digits(u8),
}

impl Object {
    /// For an object whose first bytes were read already.
    pub(super) fn begun(with: &str, limit: usize) -> Self {
        let mut object = Self {
            place: Place::Head,
            depth: 0,
            piece: Vec::new(),
            limit,
            too_long: false,
            text: None,
            last: Vec::new(),
        };
        for &byte in with.as_bytes() {
            let _ = object.take(byte);
        }
        object
    }

    /// The next piece; `None` after the last.
    pub(super) fn next(
        &mut self,
        reader: &mut impl BufRead,
        bytes: &mut u64,
    ) -> io::Result<Option<Piece>> {
        loop {
            let chunk = reader.fill_buf()?;
            if chunk.is_empty() {
                let is_cut = !matches!(self.place, Place::After);
                self.place = Place::After;
                return Ok(is_cut.then_some(Piece::CutOff));
            }
            let length = chunk.len();
            if self.place == Place::After {
                *bytes += length as u64;
                reader.consume(length);
                continue;
            }
            let mut used = 0;
            let mut found = None;
            while used < length && found.is_none() {
                found = self.take(chunk[used]);
                used += 1;
            }
            *bytes += used as u64;
            reader.consume(used);
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    fn take(&mut self, byte: u8) -> Option<Piece> {
        if let Some(text) = &mut self.text {
            let keeps = self.place != Place::Between && !self.too_long;
            if text.take(byte, keeps.then_some(&mut self.piece)) {
                if self.depth == 1 {
                    let from = text.begins_at.min(self.piece.len());
                    self.last = self.piece[from..].trim_ascii().to_vec();
                }
                self.text = None;
            }
            self.check();
            return None;
        }
        match byte {
            b'"' => {
                self.put(byte);
                self.text = Some(Text {
                    begins_at: self.piece.len(),
                    ..Text::default()
                });
            }
            b'[' if self.place == Place::Head && self.depth == 1 && self.is_list() => {
                self.depth = 2;
                self.place = Place::Between;
                self.piece.extend_from_slice(b"[]}");
                return Some(self.finish());
            }
            b'{' | b'[' => {
                if self.place == Place::Between {
                    self.place = Place::Item;
                }
                self.depth += 1;
                self.put(byte);
            }
            b'}' | b']' => {
                self.put(byte);
                self.depth = self.depth.saturating_sub(1);
                match (self.place, self.depth) {
                    (Place::Item, 2) => {
                        self.place = Place::Between;
                        return Some(self.finish());
                    }
                    (Place::Head, 0) => {
                        self.place = Place::After;
                        return Some(self.finish());
                    }
                    (Place::Between, 0 | 1) => {
                        self.place = Place::Rest;
                        self.piece.push(b'{');
                    }
                    (Place::Rest, 0) => {
                        self.place = Place::After;
                        return Some(match self.finish() {
                            Piece::Text(text) => Piece::Rest(text),
                            other => other,
                        });
                    }
                    _ => {}
                }
            }
            // What follows the messages begins with the comma after them.
            b',' if self.place == Place::Rest && self.piece == b"{" => {}
            _ if self.place == Place::Rest && byte.is_ascii_whitespace() => {}
            _ => self.put(byte),
        }
        None
    }

    fn is_list(&self) -> bool {
        self.last.strip_suffix(b"\"") == Some(LIST)
    }

    fn put(&mut self, byte: u8) {
        if self.place != Place::Between && !self.too_long {
            self.piece.push(byte);
            self.check();
        }
    }

    fn check(&mut self) {
        if self.piece.len() > self.limit {
            self.too_long = true;
            self.piece = Vec::new();
        }
    }

    fn finish(&mut self) -> Piece {
        let piece = std::mem::take(&mut self.piece);
        if std::mem::take(&mut self.too_long) {
            return Piece::TooLong;
        }
        Piece::Text(String::from_utf8_lossy(&piece).into_owned())
    }
}

impl Text {
    /// Takes the next byte in and says whether the text ends with it.
    fn take(&mut self, byte: u8, mut piece: Option<&mut Vec<u8>>) -> bool {
        let begins = self.escape == Escape::None && !(0x80..0xc0).contains(&byte) && byte != b'\\';
        let ends = self.escape == Escape::None && byte == b'"';
        self.escape = match (self.escape, byte) {
            (Escape::None, b'\\') => Escape::Begun,
            (Escape::Begun, b'u') => Escape::Digits(4),
            (Escape::Digits(left), _) if left > 1 => Escape::Digits(left - 1),
            _ => Escape::None,
        };
        self.length += 1;
        if ends {
            if let Some(piece) = &mut piece {
                if self.is_cut {
                    piece.extend_from_slice(GAP);
                    let back = self.back.iter().skip_while(|(_, begins)| !begins);
                    piece.extend(back.map(|(byte, _)| byte));
                }
                piece.push(byte);
            }
            return true;
        }
        self.is_cut |= self.length > FRONT && begins;
        if self.is_cut {
            if self.back.len() == BACK {
                self.back.pop_front();
            }
            self.back.push_back((byte, begins));
        } else if let Some(piece) = piece {
            piece.push(byte);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn pieces(document: &str, limit: usize) -> Vec<Piece> {
        let mut reader = io::BufReader::with_capacity(13, document.as_bytes());
        let mut object = Object::begun("", limit);
        let (mut found, mut bytes) = (Vec::new(), 0);
        while let Some(piece) = object.next(&mut reader, &mut bytes).unwrap() {
            found.push(piece);
        }
        assert_eq!(bytes, document.len() as u64);
        found
    }

    fn values(document: &str) -> Vec<Value> {
        let texts = pieces(document, 1 << 20).into_iter();
        let texts = texts.map(|piece| match piece {
            Piece::Text(text) | Piece::Rest(text) => serde_json::from_str(&text).unwrap(),
            other => json!(format!("{other:?}")),
        });
        texts.collect()
    }

    #[test]
    fn messages_come_one_at_a_time_after_what_stands_before_them() {
        let document = serde_json::to_string_pretty(&json!({
            "a_title": "\"messages\": [\\", "info": {"messages": [1]}, "messages": [
                {"text": "[{\"\\}"}, [2], {"deep": {"messages": [3]}}, "words", 4],
            "time": [1, {"a": "b, c"}], "title": " t ",
        }))
        .unwrap();
        let found = values(&format!("{document}\n"));
        let before =
            json!({"a_title": "\"messages\": [\\", "info": {"messages": [1]}, "messages": []});
        let after = json!({"time": [1, {"a": "b, c"}], "title": " t "});
        assert_eq!(
            found,
            [
                before,
                json!({"text": "[{\"\\}"}),
                json!([2]),
                json!({"deep": {"messages": [3]}}),
                after
            ]
        );
        assert_eq!(values("{\"a\": 1}"), [json!({"a": 1})]);
    }

    #[test]
    fn a_text_of_any_length_keeps_its_ends() {
        for letter in ["é", "\\\"", "x", "\\ud83d\\ude00"] {
            let long = letter.repeat(300_000 / letter.len());
            let document = format!("{{\"messages\": [{{\"text\": \"first {long} last\"}}]}}");
            let found = values(&document);
            let text = found[1]["text"].as_str().unwrap();
            assert!(
                text.starts_with("first ") && text.ends_with(" last"),
                "{letter}"
            );
        }
        let found = values(&format!(
            "{{\"messages\": [{{\"text\": \"{}\"}}]}}",
            "é".repeat(300_000)
        ));
        assert!(found[1]["text"].as_str().unwrap().len() <= FRONT + BACK + 8);
    }

    #[test]
    fn what_is_too_long_or_cut_off_costs_itself_alone() {
        let long = format!("[{}]", vec!["1"; 400].join(","));
        let document = format!("{{\"messages\": [{{\"a\": {long}}}, {{\"b\": 2}}, {{\"c\": ");
        let found = pieces(&document, 300);
        assert_eq!(
            found[1..],
            [
                Piece::TooLong,
                Piece::Text("{\"b\": 2}".to_owned()),
                Piece::CutOff
            ]
        );
    }
}
