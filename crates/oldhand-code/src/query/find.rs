//! Holds each node of a laid-out tree against the patterns that start with its kind.

use tree_sitter::Tree;

use super::row::{Laid, Row};
use super::{Follows, Item, Kind, Pattern, Query, Shape, Times};
use crate::extract::Span;

/// Nodes held against patterns, for one file. A megabyte of ordinary source needs a few million.
const STEPS: u32 = 100_000_000;

/// A capture of a match, by its number in the query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    pub(crate) index: u16,
    pub(crate) span: Span,
}

/// Finds the matches of a query; keeps its room from file to file.
#[derive(Default)]
pub(crate) struct Finder {
    row: Row,
    spans: Vec<Capture>,
}

impl Finder {
    /// Calls `found` with the number of the pattern and the captures of every match. False when it took too many steps.
    pub(crate) fn find(
        &mut self,
        query: &Query,
        tree: &Tree,
        text: &str,
        mut found: impl FnMut(usize, &[Capture]),
    ) -> bool {
        self.row.lay_out(query, tree, text);
        let row = &self.row;
        let mut search = Search {
            nodes: &row.nodes,
            taken: Vec::new(),
            steps: STEPS,
        };
        let mut matches: Vec<(u16, u32)> = Vec::new();
        for at in 0..row.nodes.len() as u32 {
            let node = row.nodes[at as usize];
            let Some(starts) = query.starts.get(usize::from(node.kind)) else {
                continue;
            };
            for start in starts {
                if let Some(index) = start.only {
                    let span = span(row, at);
                    found(usize::from(start.pattern), &[Capture { index, span }]);
                    continue;
                }
                if !node.kinds.hold(start.needs) {
                    continue;
                }
                let pattern = &query.patterns[usize::from(start.pattern)];
                matches.clear();
                search.begin(pattern, at, &mut |taken| keep(&mut matches, taken));
                let mut left = matches.as_slice();
                while let Some((&(_, length), rest)) = left.split_first() {
                    let (captures, others) = rest.split_at(length as usize);
                    left = others;
                    if !pattern.accepts(captures, row, text) {
                        continue;
                    }
                    self.spans.clear();
                    self.spans
                        .extend(captures.iter().map(|&(index, node)| Capture {
                            index,
                            span: span(row, node),
                        }));
                    found(usize::from(start.pattern), &self.spans);
                }
            }
            if search.steps == 0 {
                return false;
            }
        }
        true
    }
}

/// Adds a match behind its length, unless the one before is the same: what is not captured may be found twice.
fn keep(matches: &mut Vec<(u16, u32)>, taken: &[(u16, u32)]) {
    let length = taken.len();
    if matches.len() > length && matches.ends_with(taken) {
        return;
    }
    matches.push((0, length as u32));
    matches.extend_from_slice(taken);
}

fn span(row: &Row, at: u32) -> Span {
    let node = row.nodes[at as usize];
    Span {
        start: node.start,
        end: node.end,
        first_row: node.row,
        last_row: row.row_before(node.end, node.row),
    }
}

impl Pattern {
    fn accepts(&self, captures: &[(u16, u32)], row: &Row, text: &str) -> bool {
        self.questions.iter().all(|question| {
            let mut asked = captures
                .iter()
                .filter(|(index, _)| *index == question.capture);
            asked.all(|&(_, node)| {
                let node = row.nodes[node as usize];
                question.holds(&text[node.start as usize..node.end as usize])
            })
        })
    }
}

/// Told of every way in which a pattern fits.
type Fits<'f> = &'f mut dyn FnMut(&[(u16, u32)]);

struct Search<'r> {
    nodes: &'r [Laid],
    taken: Vec<(u16, u32)>,
    steps: u32,
}

/// What is still to be held against nodes once a shape fits: the items beside it, and what is beside those around it.
#[derive(Clone, Copy)]
struct Rest<'p> {
    items: &'p [Item],
    /// Whether nothing named may follow.
    ends: bool,
    /// Where the node around ends.
    until: u32,
    outer: Option<&'p Rest<'p>>,
    /// Where the outer items go on.
    from: u32,
}

impl Search<'_> {
    fn begin(&mut self, pattern: &Pattern, at: u32, fits: Fits<'_>) {
        let Some((first, others)) = pattern.items.split_first() else {
            return;
        };
        self.taken.clear();
        let parent = self.nodes[at as usize].parent as usize;
        let rest = Rest {
            items: others,
            ends: false,
            until: self.nodes[parent].after,
            outer: None,
            from: 0,
        };
        self.shape(&first.shape, at, &rest, fits);
    }

    /// Holds the node at `at` against `shape`, and what follows it against `rest`.
    fn shape(&mut self, shape: &Shape, at: u32, rest: &Rest<'_>, fits: Fits<'_>) {
        let node = self.nodes[at as usize];
        let Some(left) = self.steps.checked_sub(1) else {
            return;
        };
        self.steps = left;
        if shape.field.is_some_and(|field| field != node.field) {
            return;
        }
        let before = self.taken.len();
        match &shape.kind {
            Kind::Is(kind) if *kind != node.kind => return,
            Kind::Named if !node.named || node.kind == u16::MAX => return,
            Kind::OneOf(shapes) => {
                self.capture(shape, at);
                for shape in shapes {
                    self.shape(shape, at, rest, fits);
                }
                self.taken.truncate(before);
                return;
            }
            Kind::Is(_) | Kind::Named => {}
        }
        if !shape.without.is_empty() && self.has_field(at, &shape.without) {
            return;
        }
        self.capture(shape, at);
        if shape.inner.is_empty() && !shape.ends {
            self.items(rest, node.after, fits);
        } else {
            let inner = Rest {
                items: &shape.inner,
                ends: shape.ends,
                until: node.after,
                outer: Some(rest),
                from: node.after,
            };
            self.items(&inner, at + 1, fits);
        }
        self.taken.truncate(before);
    }

    /// Holds the nodes from `from` against the items of `rest`, then goes on outside.
    fn items(&mut self, rest: &Rest<'_>, from: u32, fits: Fits<'_>) {
        let Some((item, others)) = rest.items.split_first() else {
            if rest.ends && self.named_in(from, rest.until) {
                return;
            }
            match rest.outer {
                Some(outer) => self.items(outer, rest.from, fits),
                None => fits(&self.taken),
            }
            return;
        };
        let after = Rest {
            items: others,
            ..*rest
        };
        if item.times != Times::Once {
            self.items(&after, from, fits);
        }
        // What may stand any number of times is looked for again after each.
        let next = if item.times == Times::Any {
            rest
        } else {
            &after
        };
        let mut at = from;
        while at < rest.until {
            let node = self.nodes[at as usize];
            self.shape(&item.shape, at, next, fits);
            if item.follows == Follows::Directly && node.named {
                break;
            }
            at = node.after;
        }
    }

    fn capture(&mut self, shape: &Shape, at: u32) {
        let captures = shape.captures.iter().map(|&index| (index, at));
        self.taken.extend(captures);
    }

    fn named_in(&self, from: u32, until: u32) -> bool {
        let mut at = from;
        while at < until {
            let node = self.nodes[at as usize];
            if node.named {
                return true;
            }
            at = node.after;
        }
        false
    }

    fn has_field(&self, at: u32, fields: &[u16]) -> bool {
        let until = self.nodes[at as usize].after;
        let mut at = at + 1;
        while at < until {
            let node = self.nodes[at as usize];
            if fields.contains(&node.field) {
                return true;
            }
            at = node.after;
        }
        false
    }
}
