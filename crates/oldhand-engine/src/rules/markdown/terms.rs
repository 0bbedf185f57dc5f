//! Lists that explain names, such as which file holds what.

use super::{Block, Kind};

/// Fewer explained names than these stand on their own.
const FEWEST_TERMS: usize = 2;
/// A list of names is cut into statements of about this many bytes.
const LIST: usize = 1200;

/// A list that explains names, such as which file holds what, is one statement and not one for each name.
pub(super) fn join_terms(blocks: Vec<Block>) -> Vec<Block> {
    let mut joined: Vec<Block> = Vec::with_capacity(blocks.len());
    let mut rest = blocks.into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut run = vec![first];
        while let Some(next) = rest.peek()
            && run[0].is_term()
            && next.is_term()
            && next.lead == run[0].lead
            && next.headings == run[0].headings
        {
            run.extend(rest.next());
        }
        if run.len() < FEWEST_TERMS {
            joined.extend(run);
            continue;
        }
        let mut list: Option<Block> = None;
        for mut block in run {
            let lead = block.lead.take();
            let point = match &lead {
                Some(lead) => block.text[lead.len()..].trim_start().to_owned(),
                None => block.text.clone(),
            };
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

impl Block {
    /// `name` and what it is: `- `errors.go` - defines the errors`.
    fn is_term(&self) -> bool {
        let point = match &self.lead {
            Some(lead) => self.text[lead.len()..].trim_start(),
            None => self.text.as_str(),
        };
        let point = point.trim_start_matches("**");
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
