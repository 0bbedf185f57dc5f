//! A file by its signatures, in as many tokens as there are to spend.

use std::fmt::Write as _;

use oldhand_domain::tokens;

use crate::facts::{SymbolKind, Visibility};
use crate::snapshot::{NodeId, Snapshot, Symbol};

/// The outline of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    pub lines: Vec<OutlineLine>,
    /// Definitions left out to stay within the budget.
    pub left_out: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineLine {
    pub node: NodeId,
    /// How many definitions are around it.
    pub indent: usize,
    pub line: u32,
    pub text: String,
}

impl Outline {
    /// As text: line number, indentation, signature.
    pub fn render(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            text.push_str(&format_line(line));
            text.push('\n');
        }
        if self.left_out > 0 {
            let _ = writeln!(text, "… {} more", self.left_out);
        }
        text
    }
}

fn format_line(line: &OutlineLine) -> String {
    format!("{:>5} {}{}", line.line, "  ".repeat(line.indent), line.text)
}

/// Signatures are cut here when not all of them fit.
const CUT: usize = 120;

/// The signatures of `file` in at most `tokens`; what others see and what holds other things goes first, and of that what most
/// depend on.
pub fn outline(snapshot: &Snapshot, file: NodeId, tokens: usize) -> Outline {
    let symbols = snapshot.symbols_in(file).map(|node| snapshot.symbol(node));
    let mut ranked: Vec<(u32, OutlineLine)> = symbols
        .map(|symbol| {
            let text = if symbol.signature.is_empty() {
                symbol.name
            } else {
                symbol.signature
            };
            let line = OutlineLine {
                node: symbol.id,
                indent: depth(snapshot, &symbol),
                line: symbol.first_line,
                text: text.to_owned(),
            };
            (rank(snapshot, &symbol), line)
        })
        .collect();
    let cost = |line: &OutlineLine| tokens::count(&format_line(line)) + 1;
    let whole: usize = ranked.iter().map(|(_, line)| cost(line)).sum();
    if HEAD + whole > tokens {
        for (_, line) in &mut ranked {
            if let Some((at, _)) = line.text.char_indices().nth(CUT) {
                line.text.truncate(at);
                line.text.push('…');
            }
        }
    }
    ranked.sort_by_key(|(rank, line)| {
        let used = snapshot.incoming_count(line.node);
        (*rank, std::cmp::Reverse(used), line.node)
    });
    let mut spent = HEAD;
    let mut full = u32::MAX;
    let mut outline = Outline::default();
    for (rank, line) in ranked {
        // What says less must not take the place of what says more only because it is short.
        if rank > full || spent + cost(&line) > tokens {
            full = full.min(rank);
            outline.left_out += 1;
            continue;
        }
        spent += cost(&line);
        outline.lines.push(line);
    }
    outline.lines.sort_by_key(|line| line.node);
    outline
}

/// What is kept for the line that tells how many are missing.
const HEAD: usize = 4;

fn rank(snapshot: &Snapshot, symbol: &Symbol<'_>) -> u32 {
    let inner = symbol.container.is_some_and(|around| {
        matches!(
            snapshot.kind(around),
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Test
        )
    });
    let kind = match symbol.kind {
        SymbolKind::Class
        | SymbolKind::Interface
        | SymbolKind::Module
        | SymbolKind::Enum
        | SymbolKind::Type => 0,
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro | SymbolKind::File => 1,
        SymbolKind::Constant | SymbolKind::Variable => 3,
        SymbolKind::Field => 4,
        SymbolKind::Test => 5,
    };
    kind + u32::from(symbol.visibility == Visibility::Private) * 2 + u32::from(inner) * 6
}

fn depth(snapshot: &Snapshot, symbol: &Symbol<'_>) -> usize {
    let mut depth = usize::from(!symbol.owner.is_empty());
    let mut around = symbol.container;
    while let Some(outer) = around {
        depth += 1;
        around = snapshot.symbol(outer).container;
    }
    depth
}
