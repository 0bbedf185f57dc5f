//! Lines that begin with the same heading, which is said once.

use crate::pack::Item;

/// The headings and announcing lines that several items begin with: `Tests: Before a release: `.
pub(super) fn in_common<'i>(items: &[&'i Item]) -> &'i str {
    let [first, others @ ..] = items else {
        return "";
    };
    let ends = first
        .text
        .match_indices(": ")
        .map(|(at, colon)| at + colon.len());
    let is_in_all = |end: &usize| {
        let heading = &first.text[..*end];
        let is_whole = heading.matches('`').count() % 2 == 0;
        let begins = |item: &&Item| {
            item.text
                .strip_prefix(heading)
                .is_some_and(|rest| !rest.trim().is_empty())
        };
        is_whole && !others.is_empty() && others.iter().all(begins)
    };
    ends.filter(is_in_all)
        .last()
        .map_or("", |end| &first.text[..end])
}

/// Items of one kind with the same heading, where the first of them stands.
pub(super) fn together(items: &[Item]) -> Vec<Vec<&Item>> {
    let mut lines: Vec<Vec<&Item>> = Vec::new();
    for item in items {
        let heading = heading_of(item);
        let alike = lines.iter_mut().find(|line| {
            let first = line[0];
            heading.is_some() && first.label == item.label && heading_of(first) == heading
        });
        match alike {
            Some(line) => line.push(item),
            None => lines.push(vec![item]),
        }
    }
    lines
}

/// Shorter ones are a word like "Note" that says nothing of what they have in common; the next one may.
const HEADING: usize = 12;

/// `Unit tests in CI: ` of `Unit tests in CI: run them twice`, with its colon and blank, as rules of a file are told with the heading they stand
/// below.
fn heading_of(item: &Item) -> Option<&str> {
    let text = Some(item.text.as_str()).filter(|_| item.lines.is_none())?;
    let mut ends = text.match_indices(": ").map(|(at, colon)| at + colon.len());
    let at = ends.find(|end| *end >= HEADING)?;
    let heading = &text[..at];
    let is_plain = !heading.contains(['`', '\n', '<']) && !text.contains('\n');
    (is_plain && !text[at..].trim().is_empty()).then_some(heading)
}
