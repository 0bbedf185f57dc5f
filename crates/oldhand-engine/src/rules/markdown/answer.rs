//! Sentences that answer a question or go on where the one before them ended: neither half says anything alone.

use oldhand_domain::text::CONTENT_LIMIT;

use super::{Block, Kind};

/// Joins what needs the statement before it with that statement, under one heading.
pub(super) fn join_answers(blocks: Vec<Block>) -> Vec<Block> {
    let mut joined: Vec<Block> = Vec::with_capacity(blocks.len());
    for block in blocks {
        let last = joined.last_mut().filter(|last| {
            let fits = last.whole().len() + block.whole().len() < CONTENT_LIMIT;
            let statements = [&**last, &block].map(|block| block.kind == Kind::Statement);
            statements == [true; 2] && fits && last.headings == block.headings
        });
        match last {
            Some(last) if answers(&block.text) => {
                if last.children.is_empty() {
                    last.text = format!("{}\n{}", last.text, block.text);
                } else {
                    last.children.push(block.text);
                }
                last.children.extend(block.children);
            }
            _ => joined.push(block),
        }
    }
    joined
}

/// Whether a statement takes up what was asked or supposed before it: `If the answer is no, leave it out.`
fn answers(text: &str) -> bool {
    const TAKING_UP: &[&str] = &[
        "if all of these",
        "if any of these",
        "if either is",
        "if neither",
        "if no,",
        "if none of these",
        "if not,",
        "if so,",
        "if the answer",
        "if yes",
        "in either case",
        "in that case",
        "in this case",
        "otherwise",
    ];
    let text = text.to_lowercase();
    let text = text.trim_start_matches(['*', '_']);
    TAKING_UP.iter().any(|words| text.starts_with(words))
}
