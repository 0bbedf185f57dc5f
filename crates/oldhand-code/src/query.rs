//! Query files, compiled to tables by kind of node.
//!
//! The files are written in tree-sitter's own query language, but a general matcher costs as much as parsing does. Here a
//! syntax tree is laid out in a row once ([`row`]), and each node is held only against the patterns that start with its
//! kind ([`find`]). A test holds both matchers against each other.

mod find;
mod read;
mod row;
#[cfg(test)]
mod tests;

use tree_sitter::Language;

pub(crate) use find::{Capture, Finder};

/// All patterns of a language.
pub(crate) struct Query {
    pub(crate) captures: Vec<String>,
    pub(crate) patterns: Vec<Pattern>,
    /// By kind of node: the patterns that start with it.
    starts: Vec<Vec<Start>>,
    /// By kind of node: whether it is laid out, and how.
    kinds: Vec<Laid>,
}

/// One pattern with what is asked of its captures.
pub(crate) struct Pattern {
    /// Nodes side by side; nearly always one.
    items: Vec<Item>,
    questions: Vec<Question>,
    pub(crate) settings: Vec<(String, String)>,
}

/// Where a pattern starts.
#[derive(Clone, Copy)]
struct Start {
    pattern: u16,
    /// The capture, when the pattern is a kind of node and nothing else.
    only: Option<u16>,
    needs: Kinds,
}

/// Kinds of nodes one and two levels below a node, each as one of 64 bits: enough to see that a pattern cannot fit.
#[derive(Clone, Copy, Default)]
struct Kinds {
    below: u64,
    further: u64,
}

impl Kinds {
    fn bit(kind: u16) -> u64 {
        1 << (kind % 64)
    }

    /// What `shape` cannot do without.
    fn needed(shape: &Shape) -> Self {
        let mut needs = Self::default();
        for item in shape.inner.iter().filter(|item| item.times == Times::Once) {
            if let Kind::Is(kind) = item.shape.kind {
                needs.below |= Self::bit(kind);
            }
            needs.further |= Self::needed(&item.shape).below;
        }
        needs
    }

    fn hold(self, needed: Self) -> bool {
        self.below & needed.below == needed.below && self.further & needed.further == needed.further
    }
}

/// One of the nodes that stand side by side in another, or at the top of a pattern.
struct Item {
    shape: Shape,
    follows: Follows,
    times: Times,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Follows {
    /// Anywhere after what stands before it.
    Later,
    /// With no named node between.
    Directly,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Times {
    Once,
    Optional,
    Any,
}

/// What a node must look like.
struct Shape {
    kind: Kind,
    field: Option<u16>,
    captures: Vec<u16>,
    /// Fields that the node must not have.
    without: Vec<u16>,
    inner: Vec<Item>,
    /// Whether nothing named may follow the last of `inner`.
    ends: bool,
}

enum Kind {
    Is(u16),
    /// Any named node.
    Named,
    OneOf(Vec<Shape>),
}

/// What is asked of the text of a capture.
struct Question {
    capture: u16,
    asked: Asked,
    words: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    IsOneOf,
    IsNoneOf,
    StartsWith,
    /// Starts with a word that ends there: no small letter follows.
    FirstWord,
}

impl Question {
    fn holds(&self, text: &str) -> bool {
        let mut words = self.words.iter();
        match self.asked {
            Asked::IsOneOf => words.any(|word| word == text),
            Asked::IsNoneOf => words.all(|word| word != text),
            Asked::StartsWith => words.any(|word| text.starts_with(word.as_str())),
            Asked::FirstWord => words.any(|word| {
                text.strip_prefix(word.as_str())
                    .is_some_and(|rest| !rest.starts_with(char::is_lowercase))
            }),
        }
    }
}

/// What is kept of a node of some kind.
#[derive(Clone, Copy, Default)]
struct Laid {
    kept: bool,
    named: bool,
    /// Whether some pattern asks for the fields of its children.
    fields: bool,
}

impl Query {
    pub(crate) fn new(grammar: &Language, text: &str) -> Result<Self, String> {
        let (captures, patterns) = read::read(grammar, text)?;
        let count = grammar.node_kind_count();
        let mut query = Self {
            captures,
            patterns: Vec::new(),
            starts: vec![Vec::new(); count],
            kinds: (0..count)
                .map(|id| {
                    let named = grammar.node_kind_is_named(id as u16);
                    Laid {
                        kept: named,
                        named,
                        fields: false,
                    }
                })
                .collect(),
        };
        for (number, pattern) in patterns.iter().enumerate() {
            let first = pattern.items.first().ok_or("an empty pattern")?;
            let mut kinds = Vec::new();
            first_kinds(&first.shape, &mut kinds)?;
            kinds.sort_unstable();
            kinds.dedup();
            let only = pattern.only_capture();
            let needs = Kinds::needed(&first.shape);
            for kind in kinds {
                query.starts[usize::from(kind)].push(Start {
                    pattern: u16::try_from(number).map_err(|_| "too many patterns")?,
                    only,
                    needs,
                });
            }
            for item in &pattern.items {
                query.note(&item.shape);
            }
        }
        query.patterns = patterns;
        Ok(query)
    }

    /// Keeps what `shape` asks for when a tree is laid out.
    fn note(&mut self, shape: &Shape) {
        let asks =
            !shape.without.is_empty() || shape.inner.iter().any(|item| asks_field(&item.shape));
        match &shape.kind {
            Kind::Is(kind) => {
                let laid = &mut self.kinds[usize::from(*kind)];
                laid.kept = true;
                laid.fields |= asks;
            }
            Kind::Named if asks => {
                for laid in self.kinds.iter_mut().filter(|laid| laid.named) {
                    laid.fields = true;
                }
            }
            Kind::Named => {}
            Kind::OneOf(shapes) => {
                for shape in shapes {
                    self.note(shape);
                }
            }
        }
        for item in &shape.inner {
            self.note(&item.shape);
        }
    }
}

fn asks_field(shape: &Shape) -> bool {
    let inner = match &shape.kind {
        Kind::OneOf(shapes) => shapes.iter().any(asks_field),
        Kind::Is(_) | Kind::Named => false,
    };
    shape.field.is_some() || inner
}

impl Pattern {
    fn only_capture(&self) -> Option<u16> {
        let [item] = self.items.as_slice() else {
            return None;
        };
        let plain = |shape: &Shape| shape.inner.is_empty() && shape.without.is_empty();
        let is_plain = self.questions.is_empty()
            && plain(&item.shape)
            && match &item.shape.kind {
                Kind::Is(_) => true,
                Kind::Named => false,
                Kind::OneOf(shapes) => shapes.iter().all(|shape| {
                    plain(shape) && shape.captures.is_empty() && matches!(shape.kind, Kind::Is(_))
                }),
            };
        match item.shape.captures.as_slice() {
            [only] if is_plain => Some(*only),
            _ => None,
        }
    }
}

fn first_kinds(shape: &Shape, kinds: &mut Vec<u16>) -> Result<(), String> {
    match &shape.kind {
        Kind::Is(kind) => kinds.push(*kind),
        Kind::Named => return Err("a pattern starts with any node".to_owned()),
        Kind::OneOf(shapes) => {
            for shape in shapes {
                first_kinds(shape, kinds)?;
            }
        }
    }
    Ok(())
}
