//! Lists that are one statement: those that explain names, such as which file holds what, and few words each under a long line.

use super::{Block, Kind};

/// Fewer explained names than these stand on their own.
const FEWEST_TERMS: usize = 2;
/// A list of names is cut into statements of about this many bytes.
const LIST: usize = 1200;

/// A line of so many words over a list is not said again with each of its points.
const LONG_LEAD: usize = 14;
/// Such a list of no more bytes is told in full.
const TOLD_WHOLE: usize = 520;

/// A list that explains names, such as which file holds what, is one statement and not one for each name.
pub(super) fn join_terms(blocks: Vec<Block>) -> Vec<Block> {
    let (is_term, is_any) = (Block::is_term, |_: &[Block]| true);
    let (is_point, is_short) = (Block::is_short_point, |run: &[Block]| told_in_full(run));
    join(join(blocks, is_term, is_any), is_point, is_short)
}

/// Makes one statement of each run of blocks that are `alike`, stand under one line and under one heading, where the run is `meant`.
fn join(
    blocks: Vec<Block>,
    alike: impl Fn(&Block) -> bool,
    meant: impl Fn(&[Block]) -> bool,
) -> Vec<Block> {
    let mut joined: Vec<Block> = Vec::with_capacity(blocks.len());
    let mut rest = blocks.into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut run = vec![first];
        while let Some(next) = rest.peek()
            && alike(&run[0])
            && alike(next)
            && next.lead == run[0].lead
            && next.headings == run[0].headings
        {
            run.extend(rest.next());
        }
        if run.len() < FEWEST_TERMS || !meant(&run) {
            joined.extend(run);
            continue;
        }
        let mut list: Option<Block> = None;
        for mut block in run {
            let point = block.point().to_owned();
            let lead = block.lead.take();
            let full = list
                .as_ref()
                .is_some_and(|list| list.whole().len() + point.len() > LIST);
            if full {
                joined.extend(list.take());
            }
            let title = lead.or_else(|| block.headings.last().map(|words| format!("{words}:")));
            list.get_or_insert_with(|| Block {
                text: title.unwrap_or_else(|| "Names:".to_owned()),
                children: Vec::new(),
                ..block.clone()
            })
            .children
            .push(point);
        }
        joined.extend(list);
    }
    joined
}

fn told_in_full(run: &[Block]) -> bool {
    let lead = run[0].lead().map_or(0, str::len);
    let points = run.iter().map(|block| block.point().len() + "\n- ".len());
    lead + points.sum::<usize>() <= TOLD_WHOLE
}

impl Block {
    /// Whether it has fewer words than the long line over it, and no points of its own.
    fn is_short_point(&self) -> bool {
        let words = |text: &str| text.split_whitespace().count();
        let lead = self.lead().map_or(0, words);
        self.kind == Kind::Statement
            && self.children.is_empty()
            && lead >= LONG_LEAD
            && words(self.point()) < lead
            && !self.text.contains('\n')
    }

    /// `name` and what it is: `- `errors.go` - defines the errors`.
    fn is_term(&self) -> bool {
        let point = self.point().trim_start_matches("**");
        let Some((name, rest)) = point
            .strip_prefix('`')
            .and_then(|rest| rest.split_once('`'))
        else {
            return false;
        };
        let rest = rest.trim_start_matches("**").trim_start();
        let explains = [":", "-", "–", "—", "→", "(", "/", ","]
            .iter()
            .any(|mark| rest.starts_with(mark));
        self.kind == Kind::Statement
            && self.children.is_empty()
            && explains
            && !name.contains(' ')
            && !crate::rules::guess::demands(rest)
    }
}
