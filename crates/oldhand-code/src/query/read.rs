//! The text of a query file to patterns.

use tree_sitter::Language;

use super::{Asked, Follows, Item, Kind, Pattern, Question, Shape, Times};

/// The names of the captures, and the patterns in the order of the file.
pub(super) fn read(grammar: &Language, text: &str) -> Result<(Vec<String>, Vec<Pattern>), String> {
    let mut reader = Reader {
        grammar,
        words: split(text)?,
        at: 0,
        captures: Vec::new(),
        questions: Vec::new(),
        settings: Vec::new(),
    };
    let mut patterns = Vec::new();
    while reader.at < reader.words.len() {
        let mut items = Vec::new();
        reader.item(Follows::Later, None, &mut items)?;
        patterns.push(Pattern {
            items,
            questions: std::mem::take(&mut reader.questions),
            settings: std::mem::take(&mut reader.settings),
        });
    }
    Ok((reader.captures, patterns))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word<'t> {
    /// One of `()[].*?+`.
    Mark(char),
    /// The name of a kind of node, or `_`.
    Name(&'t str),
    /// `name:`
    Field(&'t str),
    /// `!name`
    Without(&'t str),
    /// `@name`
    Capture(&'t str),
    /// `#name`
    Question(&'t str),
    Text(&'t str),
}

fn split(text: &str) -> Result<Vec<Word<'_>>, String> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else {
            return Ok(words);
        };
        let name_at = |from: usize| {
            let tail = &rest[from..];
            let length = tail.find(|c| !is_name(c)).unwrap_or(tail.len());
            (&tail[..length], from + length)
        };
        let (word, length) = match first {
            ';' => {
                rest = rest.split_once('\n').map_or("", |(_, below)| below);
                continue;
            }
            '"' => {
                let (inner, _) = rest[1..].split_once('"').ok_or("a text without an end")?;
                (Word::Text(inner), inner.len() + 2)
            }
            '(' | ')' | '[' | ']' | '.' | '*' | '?' | '+' => (Word::Mark(first), 1),
            '@' => {
                let (name, length) = name_at(1);
                (Word::Capture(name), length)
            }
            '!' => {
                let (name, length) = name_at(1);
                (Word::Without(name), length)
            }
            '#' => {
                let (name, length) = name_at(1);
                let mark = rest[length..].starts_with(['?', '!']);
                (Word::Question(name), length + usize::from(mark))
            }
            c if is_name(c) => {
                let (name, length) = name_at(0);
                if rest[length..].starts_with(':') {
                    (Word::Field(name), length + 1)
                } else {
                    (Word::Name(name), length)
                }
            }
            c => return Err(format!("{c} stands where nothing can begin with it")),
        };
        words.push(word);
        rest = &rest[length..];
    }
}

struct Reader<'t> {
    grammar: &'t Language,
    words: Vec<Word<'t>>,
    at: usize,
    captures: Vec<String>,
    questions: Vec<Question>,
    settings: Vec<(String, String)>,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<Word<'t>> {
        self.words.get(self.at).copied()
    }

    fn next(&mut self) -> Result<Word<'t>, String> {
        let word = self.peek().ok_or("the file ends inside a pattern")?;
        self.at += 1;
        Ok(word)
    }

    fn take(&mut self, word: Word<'_>) -> bool {
        let is_it = self.peek() == Some(word);
        self.at += usize::from(is_it);
        is_it
    }

    /// One pattern, with its captures and how often it may stand; a group adds each of its parts.
    fn item(
        &mut self,
        follows: Follows,
        field: Option<u16>,
        items: &mut Vec<Item>,
    ) -> Result<(), String> {
        let mut shape = match self.next()? {
            Word::Text(text) => self.shape_of(text, Nodes::Anonymous)?,
            Word::Mark('[') => {
                let mut shapes = Vec::new();
                while !self.take(Word::Mark(']')) {
                    let mut parts = Vec::new();
                    self.item(Follows::Later, None, &mut parts)?;
                    match (parts.pop(), parts.pop()) {
                        (Some(part), None) => shapes.push(part.shape),
                        _ => return Err("a choice between groups".to_owned()),
                    }
                }
                Shape::new(Kind::OneOf(shapes))
            }
            Word::Mark('(') => {
                let Some(Word::Name(name)) = self.peek() else {
                    let (parts, _) = self.parts(&mut Vec::new())?;
                    let before = items.len();
                    items.extend(parts);
                    let first = items.get_mut(before).ok_or("an empty group")?;
                    first.follows = follows;
                    return Ok(());
                };
                self.at += 1;
                let mut shape = self.shape_of(name, Nodes::Named)?;
                (shape.inner, shape.ends) = self.parts(&mut shape.without)?;
                shape
            }
            word => return Err(format!("{word:?} stands where a pattern is expected")),
        };
        let times = match self.peek() {
            Some(Word::Mark('*')) => Times::Any,
            Some(Word::Mark('?')) => Times::Optional,
            Some(Word::Mark('+')) => return Err("+ is not known here: write it twice".to_owned()),
            _ => Times::Once,
        };
        self.at += usize::from(times != Times::Once);
        while let Some(Word::Capture(name)) = self.peek() {
            self.at += 1;
            shape.captures.push(self.capture(name)?);
        }
        if times != Times::Once && shape.has_captures() {
            return Err("what may be repeated or missing captures something".to_owned());
        }
        shape.field = field;
        items.push(Item {
            shape,
            follows,
            times,
        });
        Ok(())
    }

    /// What stands between the name of a node and its closing bracket, and whether the last of it ends the node.
    fn parts(&mut self, without: &mut Vec<u16>) -> Result<(Vec<Item>, bool), String> {
        let mut items = Vec::new();
        let mut follows = Follows::Later;
        loop {
            match self.peek() {
                Some(Word::Mark(')')) => {
                    self.at += 1;
                    return Ok((items, follows == Follows::Directly));
                }
                Some(Word::Mark('.')) => {
                    self.at += 1;
                    follows = Follows::Directly;
                }
                Some(Word::Without(name)) => {
                    self.at += 1;
                    without.push(self.field(name)?);
                }
                Some(Word::Mark('('))
                    if matches!(self.words.get(self.at + 1), Some(Word::Question(_))) =>
                {
                    self.at += 1;
                    self.question()?;
                }
                Some(Word::Field(name)) => {
                    self.at += 1;
                    let field = self.field(name)?;
                    self.item(follows, Some(field), &mut items)?;
                    follows = Follows::Later;
                }
                _ => {
                    self.item(follows, None, &mut items)?;
                    follows = Follows::Later;
                }
            }
        }
    }

    fn question(&mut self) -> Result<(), String> {
        let Word::Question(name) = self.next()? else {
            return Err("a question without a name".to_owned());
        };
        let mut capture = None;
        let mut words = Vec::new();
        loop {
            match self.next()? {
                Word::Mark(')') => break,
                Word::Capture(name) => capture = Some(self.capture(name)?),
                Word::Text(word) | Word::Name(word) => words.push(word.to_owned()),
                word => return Err(format!("{word:?} stands in a question")),
            }
        }
        if name == "set" {
            let mut words = words.into_iter();
            let setting = (words.next(), words.next());
            let (Some(key), Some(value)) = setting else {
                return Err("a setting has a name and a value".to_owned());
            };
            self.settings.push((key, value));
            return Ok(());
        }
        let asked = match name {
            "eq" | "any-of" => Asked::IsOneOf,
            "not-eq" | "not-any-of" => Asked::IsNoneOf,
            "starts-with" => Asked::StartsWith,
            "first-word" => Asked::FirstWord,
            _ => return Err(format!("unknown question #{name}")),
        };
        let capture = capture.ok_or_else(|| format!("#{name} asks about no capture"))?;
        self.questions.push(Question {
            capture,
            asked,
            words,
        });
        Ok(())
    }

    fn capture(&mut self, name: &str) -> Result<u16, String> {
        let known = self.captures.iter().position(|known| known == name);
        let at = known.unwrap_or_else(|| {
            self.captures.push(name.to_owned());
            self.captures.len() - 1
        });
        u16::try_from(at).map_err(|_| "too many captures".to_owned())
    }

    fn field(&self, name: &str) -> Result<u16, String> {
        let field = self.grammar.field_id_for_name(name);
        field
            .map(std::num::NonZero::get)
            .ok_or_else(|| format!("unknown field {name}"))
    }

    fn shape_of(&self, name: &str, nodes: Nodes) -> Result<Shape, String> {
        if name == "_" && nodes == Nodes::Named {
            return Ok(Shape::new(Kind::Named));
        }
        let id = self.grammar.id_for_node_kind(name, nodes == Nodes::Named);
        if id == 0 || self.grammar.node_kind_is_supertype(id) {
            return Err(format!("unknown kind of node {name}"));
        }
        Ok(Shape::new(Kind::Is(id)))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nodes {
    Named,
    Anonymous,
}

impl Shape {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            field: None,
            captures: Vec::new(),
            without: Vec::new(),
            inner: Vec::new(),
            ends: false,
        }
    }

    fn has_captures(&self) -> bool {
        let in_choice = match &self.kind {
            Kind::OneOf(shapes) => shapes.iter().any(Self::has_captures),
            Kind::Is(_) | Kind::Named => false,
        };
        in_choice
            || !self.captures.is_empty()
            || self.inner.iter().any(|item| item.shape.has_captures())
    }
}
