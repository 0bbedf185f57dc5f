//! A syntax tree laid out in a row: a node, then all that is inside it, then what follows it.

use tree_sitter::{Tree, TreeCursor};

use super::{Kinds, Query};

/// The kind of nodes that stand for text the parser did not understand.
const ERROR: u16 = u16::MAX;

#[derive(Clone, Copy)]
pub(super) struct Laid {
    pub(super) kind: u16,
    /// 0 for none.
    pub(super) field: u16,
    pub(super) named: bool,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) row: u32,
    pub(super) parent: u32,
    /// The place after the last node inside it.
    pub(super) after: u32,
    pub(super) kinds: Kinds,
}

/// The nodes of one file, and where its lines start; kept from file to file for its room.
#[derive(Default)]
pub(super) struct Row {
    pub(super) nodes: Vec<Laid>,
    lines: Vec<u32>,
}

impl Row {
    /// Lays out `tree`, without the nodes that no pattern asks for.
    pub(super) fn lay_out(&mut self, query: &Query, tree: &Tree, text: &str) {
        self.nodes.clear();
        self.lines.clear();
        self.lines.push(0);
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        self.lines.extend(ends.map(|end| end as u32 + 1));
        let mut cursor = tree.walk();
        let mut parent = 0;
        let mut fields = false;
        let mut row = 0;
        // Nodes that are left out have nothing inside that is kept: only marks and keywords are.
        loop {
            let node = cursor.node();
            let kind = node.kind_id();
            let known = query.kinds.get(usize::from(kind)).copied();
            let is_error = kind == ERROR;
            let at = self.nodes.len() as u32;
            let kept = is_error || known.is_some_and(|known| known.kept);
            if kept {
                let start = node.start_byte() as u32;
                while self.lines.get(row + 1).is_some_and(|&next| next <= start) {
                    row += 1;
                }
                self.nodes.push(Laid {
                    kind,
                    field: if fields { field(&cursor) } else { 0 },
                    named: is_error || known.is_some_and(|known| known.named),
                    start,
                    end: node.end_byte() as u32,
                    row: row as u32,
                    parent,
                    after: at + 1,
                    kinds: Kinds::default(),
                });
                // The root is its own parent.
                if at != parent {
                    self.nodes[parent as usize].kinds.below |= Kinds::bit(kind);
                }
                if node.child_count() > 0 && cursor.goto_first_child() {
                    parent = at;
                    fields = known.is_some_and(|known| known.fields);
                    continue;
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                let after = self.nodes.len() as u32;
                let ended = &mut self.nodes[parent as usize];
                ended.after = after;
                parent = ended.parent;
                let below = ended.kinds.below;
                let around = &mut self.nodes[parent as usize];
                around.kinds.further |= below;
                let around = around.kind;
                fields = query
                    .kinds
                    .get(usize::from(around))
                    .is_some_and(|known| known.fields);
            }
        }
    }

    /// The row on which the text before `end` stands, at or after `first`.
    pub(super) fn row_before(&self, end: u32, first: u32) -> u32 {
        let below = first as usize + 1;
        if self.lines.get(below).is_none_or(|&next| end <= next) {
            return first;
        }
        let more = self.lines[below..].partition_point(|&start| start < end);
        (below + more - 1) as u32
    }
}

fn field(cursor: &TreeCursor<'_>) -> u16 {
    cursor.field_id().map_or(0, std::num::NonZero::get)
}
