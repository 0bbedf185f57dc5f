//! Text with limits: what a memory says, in full and in one line.

mod summary;

use std::fmt;

use serde::{Deserialize, Serialize};

/// The longest content, in bytes.
pub const CONTENT_LIMIT: usize = 2048;
/// The longest summary, in tokens: it is what gets injected.
pub const SUMMARY_LIMIT: usize = 35;
/// The longest citation, in characters.
pub const CITATION_LIMIT: usize = 40;
/// The longest tag, in bytes.
pub const TAG_LIMIT: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidText {
    #[error("{what} is empty")]
    Empty { what: &'static str },
    #[error("{what} is {length} {unit} long, {limit} at most")]
    TooLong {
        what: &'static str,
        length: usize,
        limit: usize,
        unit: &'static str,
    },
    #[error("{what} cannot hold {character:?}")]
    Character { what: &'static str, character: char },
}

/// Declares a text newtype whose constructor is the only way in, even for JSON.
macro_rules! text_type {
    ($(#[$outer:meta])* $name:ident) => {
        $(#[$outer])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidText;

            fn try_from(text: String) -> Result<Self, InvalidText> {
                Self::new(&text)
            }
        }

        impl std::str::FromStr for $name {
            type Err = InvalidText;

            fn from_str(text: &str) -> Result<Self, InvalidText> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }
    };
}

text_type! {
    /// All that a memory says: what is searched and read. Never empty, at most 2 KiB, no control
    /// characters except line ends and tabs.
    Content
}

impl Content {
    pub fn new(text: &str) -> Result<Self, InvalidText> {
        let text = normalise(text);
        if text.is_empty() {
            return Err(InvalidText::Empty { what: "memory" });
        }
        if text.len() > CONTENT_LIMIT {
            return Err(too_long("memory", text.len(), CONTENT_LIMIT, "bytes"));
        }
        Ok(Self(text))
    }
}

text_type! {
    /// What a memory says in one line of at most 35 tokens: what an agent is told.
    Summary
}

text_type! {
    /// A few words to recognise a memory by, at most 40 characters.
    Citation
}

impl Citation {
    pub fn new(text: &str) -> Result<Self, InvalidText> {
        let text = one_line(text);
        if text.is_empty() {
            return Err(InvalidText::Empty { what: "citation" });
        }
        let length = text.chars().count();
        if length > CITATION_LIMIT {
            return Err(too_long("citation", length, CITATION_LIMIT, "characters"));
        }
        Ok(Self(text))
    }
}

text_type! {
    /// A label: lower case, no spaces or commas, so that lists of tags need no quoting.
    Tag
}

impl Tag {
    pub fn new(text: &str) -> Result<Self, InvalidText> {
        let text = text.trim().to_lowercase();
        if text.is_empty() {
            return Err(InvalidText::Empty { what: "tag" });
        }
        if text.len() > TAG_LIMIT {
            return Err(too_long("tag", text.len(), TAG_LIMIT, "bytes"));
        }
        let bad = |c: &char| c.is_whitespace() || c.is_control() || *c == ',';
        match text.chars().find(bad) {
            Some(character) => Err(InvalidText::Character {
                what: "tag",
                character,
            }),
            None => Ok(Self(text)),
        }
    }
}

text_type! {
    /// The name of a module in the module map.
    ModuleName
}

impl ModuleName {
    pub fn new(text: &str) -> Result<Self, InvalidText> {
        let text = one_line(text);
        if text.is_empty() {
            return Err(InvalidText::Empty { what: "module" });
        }
        if text.len() > TAG_LIMIT * 2 {
            return Err(too_long("module", text.len(), TAG_LIMIT * 2, "bytes"));
        }
        Ok(Self(text))
    }
}

text_type! {
    /// An error with everything that changes between runs normalised away.
    Fingerprint
}

impl Fingerprint {
    pub fn new(text: &str) -> Result<Self, InvalidText> {
        let text = one_line(text);
        if text.is_empty() {
            return Err(InvalidText::Empty {
                what: "fingerprint",
            });
        }
        if text.len() > 512 {
            return Err(too_long("fingerprint", text.len(), 512, "bytes"));
        }
        Ok(Self(text))
    }
}

fn too_long(what: &'static str, length: usize, limit: usize, unit: &'static str) -> InvalidText {
    InvalidText::TooLong {
        what,
        length,
        limit,
        unit,
    }
}

/// Unix line ends, no control or invisible formatting characters, no space at the ends.
fn normalise(text: &str) -> String {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.bytes().all(is_plain) && text.trim_ascii().len() == text.len() {
        return text.to_owned();
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let is_unseen = |c| !matches!(c, '\n' | '\t') && is_hidden(c);
    let kept: String = seen_in(&text, is_unseen).flatten().collect();
    kept.trim().to_owned()
}

fn one_line(text: &str) -> String {
    if is_plain_line(text) {
        return text.to_owned();
    }
    let is_unseen = |c: char| !c.is_whitespace() && is_hidden(c);
    let kept: String = seen_in(text, is_unseen).flatten().collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text is already what [`one_line`] makes of it, as nearly all are that come out of a store: plain characters, no space at the
/// ends or beside another.
fn is_plain_line(text: &str) -> bool {
    let mut before = b' ';
    let plain = text.bytes().all(|byte| {
        let fits = matches!(byte, b'!'..=b'~') || byte == b' ' && before != b' ';
        before = byte;
        fits
    });
    plain && before != b' '
}

/// Characters that change how text looks or reads without being seen: control codes, bidirectional
/// overrides, zero-width marks and the tag block, which can carry a whole hidden sentence.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The text with a space for every character that `is_hidden`.
pub fn without_hidden(text: &str) -> String {
    let seen = seen_in(text, is_hidden);
    seen.map(|c| c.unwrap_or(' ')).collect()
}

/// The characters of `text`, with nothing for those that are unseen. What holds the pictures of an emoji together is seen as that
/// emoji.
pub fn seen_in(text: &str, is_unseen: impl Fn(char) -> bool) -> impl Iterator<Item = Option<char>> {
    let mut before = None;
    let mut rest = text.chars().peekable();
    std::iter::from_fn(move || {
        let c = rest.next()?;
        let goes = is_unseen(c) && !is_joint(before, c, rest.peek().copied());
        before = Some(c);
        Some((!goes).then_some(c))
    })
}

/// Whether a character between two others belongs to an emoji: the joiner of two pictures, or the mark that says how the one before
/// is drawn. No more than one stands after each picture, so no sentence hides in them.
fn is_joint(before: Option<char>, joint: char, after: Option<char>) -> bool {
    match joint {
        '\u{200d}' => {
            before.is_some_and(|c| c == '\u{fe0f}' || is_picture(c))
                && after.is_some_and(is_picture)
        }
        '\u{fe0f}' => before.is_some_and(is_picture),
        _ => false,
    }
}

fn is_picture(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_trimmed_and_cleaned_but_keeps_its_lines() {
        let content = Content::new("  first\r\nsecond\u{200b}\u{202e}\0 \n").unwrap();
        assert_eq!(content.as_str(), "first\nsecond");
    }

    proptest::proptest! {
        #[test]
        fn what_was_cleaned_once_stays_as_it_is(text in "[ a~\n\t\r\u{200b}é]{0,12}") {
            for clean in [normalise, one_line] {
                let once = clean(&text);
                proptest::prop_assert_eq!(&clean(&once), &once);
                let left = once.contains(['\u{200b}', '\r']);
                proptest::prop_assert!(!left);
                proptest::prop_assert_eq!(once.trim(), &once);
            }
            proptest::prop_assert!(!one_line(&text).contains("  "));
        }
    }

    #[test]
    fn an_emoji_stays_whole_and_hides_nothing() {
        for emoji in ["👩‍💻", "👩🏽‍🚀", "🏳️‍🌈", "❤️‍🔥", "⚠️"]
        {
            let text = format!("Ask the {emoji} first.");
            assert_eq!(Content::new(&text).unwrap().as_str(), text);
            assert_eq!(without_hidden(&text), text);
        }
        for (hiding, left) in [
            ("a\u{200d}b", "ab"),
            ("👩\u{200d}\u{200d}💻", "👩💻"),
            ("👩\u{200d}", "👩"),
            ("\u{200d}👩", "👩"),
            ("🏴\u{e0067}\u{e007f}", "🏴"),
        ] {
            assert_eq!(Content::new(hiding).unwrap().as_str(), left, "{hiding:?}");
        }
    }

    #[test]
    fn empty_and_over_long_content_is_refused() {
        for empty in ["", " \n\t", "\0\u{200b}"] {
            assert_eq!(
                Content::new(empty).unwrap_err().to_string(),
                "memory is empty"
            );
        }
        let error = Content::new(&"é".repeat(1025)).unwrap_err();
        assert_eq!(error.to_string(), "memory is 2050 bytes long, 2048 at most");
        assert!(Content::new(&"é".repeat(1024)).is_ok());
    }

    #[test]
    fn tags_fold_case_and_refuse_separators() {
        assert_eq!(Tag::new(" Auth ").unwrap().as_str(), "auth");
        assert!(Tag::new("two words").is_err());
        assert!(Tag::new("a,b").is_err());
    }
}
