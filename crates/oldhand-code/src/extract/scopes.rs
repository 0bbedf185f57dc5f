//! Which names are local to a function, so that they are not taken for names of the file.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::gather::Span;
use super::roles::Taken;

/// What is known of a local name's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Local<'a> {
    Anything,
    Typed(&'a str),
    /// One of several types, as they are written.
    OneOf(&'a str),
    /// A parameter of a type or of something called.
    Taken(&'a str, Taken),
    Returned(&'a str),
    /// The value of a path of names.
    Alias(&'a str),
    /// A member of something.
    Member(Member<'a>),
    /// A definition inside a function: the name is local, but it is a fact.
    Defined,
}

/// How a local was taken out of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member<'a> {
    /// The value, or its type, as written.
    pub(crate) holder: &'a str,
    pub(crate) taken: Taken,
    /// A member in between.
    pub(crate) through: Option<&'a str>,
    pub(crate) name: &'a str,
}

/// Nested scopes of one file; scope 0 is the file itself.
pub(crate) struct Scopes<'a> {
    spans: Vec<Span>,
    parents: Vec<u32>,
    names: FxHashMap<(u32, &'a str), Local<'a>>,
    /// The scopes that bind a name: most names are bound by none or few, and need no climbing.
    homes: FxHashMap<&'a str, Vec<u32>>,
}

/// Up to this many scopes are compared rather than climbed through.
const FEW: usize = 16;

/// Deeper than any person nests; keeps a hostile file from costing depth times names.
const CLIMB: usize = 200;

impl<'a> Scopes<'a> {
    pub(crate) fn new(mut spans: Vec<Span>, whole: Span) -> Self {
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        spans.dedup_by_key(|span| (span.start, span.end));
        spans.insert(0, whole);
        let mut parents = Vec::with_capacity(spans.len());
        let mut open: Vec<u32> = Vec::new();
        for (at, span) in spans.iter().enumerate() {
            while open
                .last()
                .is_some_and(|&last| last != 0 && spans[last as usize].end <= span.start)
            {
                open.pop();
            }
            parents.push(open.last().copied().unwrap_or(0));
            open.push(at as u32);
        }
        Self {
            spans,
            parents,
            names: FxHashMap::default(),
            homes: FxHashMap::default(),
        }
    }

    /// The innermost scope around each of `starts`, which are in rising order.
    pub(crate) fn around(&self, starts: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut next = 1;
        let mut current = 0_u32;
        starts
            .map(|start| {
                while current != 0 && self.spans[current as usize].end <= start {
                    current = self.parents[current as usize];
                }
                while next < self.spans.len() && self.spans[next].start <= start {
                    if self.spans[next].end > start {
                        current = next as u32;
                    }
                    next += 1;
                }
                current
            })
            .collect()
    }

    /// The scope outside of `scope` when `scope` is the body of the definition at `span`, else `scope`.
    pub(crate) fn outside(&self, scope: u32, span: &Span) -> u32 {
        let mut scope = scope;
        for _ in 0..CLIMB {
            if scope == 0 || !span.holds(&self.spans[scope as usize]) {
                break;
            }
            scope = self.parents[scope as usize];
        }
        scope
    }

    pub(crate) fn bind(&mut self, scope: u32, name: &'a str, local: Local<'a>) {
        match self.names.entry((scope, name)) {
            Entry::Vacant(vacant) => {
                vacant.insert(local);
                self.homes.entry(name).or_default().push(scope);
            }
            Entry::Occupied(mut known) if *known.get() == Local::Anything => {
                *known.get_mut() = local;
            }
            Entry::Occupied(_) => {}
        }
    }

    /// What `name` means inside `scope`, when it is local to a function.
    pub(crate) fn find(&self, scope: u32, name: &'a str) -> Option<Local<'a>> {
        let homes = self.homes.get(name)?;
        if homes.len() <= FEW {
            let inner = &self.spans[scope as usize];
            let around = homes
                .iter()
                .filter(|&&home| self.spans[home as usize].holds(inner));
            // Of scopes around the same place, the later one is the inner one.
            let nearest = *around.max()?;
            return self.names.get(&(nearest, name)).copied();
        }
        let mut scope = scope;
        for _ in 0..CLIMB {
            if let Some(&found) = self.names.get(&(scope, name)) {
                return Some(found);
            }
            if scope == 0 {
                break;
            }
            scope = self.parents[scope as usize];
        }
        None
    }
}
