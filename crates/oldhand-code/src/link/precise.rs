//! A compiler's references in the place of guessed ones.

use crate::facts::FileFacts;
use crate::graph::{EdgeKind, End, Link, Origin};
use crate::project::{FileId, Project};
use crate::scip::ScipReference;

/// The links of `file`: those to whole files stay, those to definitions are what the compiler found.
pub(super) fn replace(
    project: &Project<'_>,
    file: FileId,
    guessed: &[Link],
    found: &[ScipReference],
) -> Vec<Link> {
    let facts = project.facts(file);
    let mut links: Vec<Link> = guessed
        .iter()
        .filter(|link| link.to.definition.is_none())
        .copied()
        .collect();
    for reference in found {
        let Some(target) = project.find(&reference.path) else {
            continue;
        };
        let Some(at) = defined_at(project.facts(target), reference) else {
            continue;
        };
        let to = End {
            file: target,
            definition: Some(at),
        };
        let from = around(facts, reference.line);
        if target == file && from == Some(at) {
            continue;
        }
        // The compiler says what is named; how it is used is what the parser saw on that line.
        let seen = guessed
            .iter()
            .find(|link| link.line == reference.line && same_name(project, link.to, reference));
        let kind = seen.map_or(EdgeKind::Uses, |link| link.kind);
        let from = seen.map_or(from, |link| link.from);
        links.push(Link {
            from,
            to,
            kind,
            origin: Origin::Scip,
            confidence: 100,
            line: reference.line,
        });
    }
    links
}

fn same_name(project: &Project<'_>, end: End, reference: &ScipReference) -> bool {
    let Some(at) = end.definition else {
        return false;
    };
    let facts = project.facts(end.file);
    facts.text(facts.definitions[at as usize].name) == reference.name
}

/// The definition of that name around the line on which the compiler saw it defined.
fn defined_at(facts: &FileFacts, reference: &ScipReference) -> Option<u32> {
    let around = facts
        .definitions
        .iter()
        .enumerate()
        .filter(|(_, definition)| {
            facts.text(definition.name) == reference.name
                && definition.first_line <= reference.defined_on
                && reference.defined_on <= definition.last_line
        });
    let nearest = around.min_by_key(|(_, definition)| definition.last_line - definition.first_line);
    nearest.map(|(at, _)| at as u32)
}

fn around(facts: &FileFacts, line: u32) -> Option<u32> {
    let around = facts
        .definitions
        .iter()
        .enumerate()
        .filter(|(_, definition)| definition.first_line <= line && line <= definition.last_line);
    around
        .min_by_key(|(_, definition)| definition.last_line - definition.first_line)
        .map(|(at, _)| at as u32)
}
