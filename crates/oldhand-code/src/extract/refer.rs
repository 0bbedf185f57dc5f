//! Which names of a file are worth linking, and what stands before each.

use rustc_hash::FxHashSet;

use super::assemble::unquoted;
use super::gather::{Gathered, RawReference};
use super::prose::{Before, before, type_head};
use super::scopes::{Local, Scopes};
use crate::facts::{Definition, NamesBuilder, Receiver, Reference};
use crate::language::Language;

/// The references of a file, without the names that are local to a function.
pub(super) fn refer<'a>(
    language: &Language,
    gathered: &mut Gathered,
    mut scopes: Scopes<'a>,
    definitions: &[Definition],
    text: &'a str,
    names: &mut NamesBuilder,
) -> Vec<Reference> {
    gathered.locals.sort_by_key(|local| local.name.start);
    let homes = scopes.around(gathered.locals.iter().map(|local| local.name.start));
    let outer: FxHashSet<&str> = definitions
        .iter()
        .zip(&gathered.definitions)
        .filter(|(definition, _)| definition.container.is_none())
        .map(|(_, raw)| unquoted(&text[raw.name.bytes()]))
        .collect();
    let imported: FxHashSet<&str> = gathered
        .imports
        .iter()
        .filter_map(|raw| raw.local.or(raw.name))
        .map(|span| unquoted(&text[span.bytes()]))
        .collect();
    for (local, home) in gathered.locals.iter().zip(homes) {
        let name = &text[local.name.bytes()];
        if home == 0 && (outer.contains(name) || imported.contains(name)) {
            continue;
        }
        let value = match (local.value_type, local.call) {
            (Some(span), _) => type_head(&text[span.bytes()]).map_or(Local::Anything, Local::Typed),
            (None, Some(span)) => Local::Returned(&text[span.bytes()]),
            (None, None) => Local::Anything,
        };
        scopes.bind(home, name, value);
    }
    let homes = scopes.around(gathered.definitions.iter().map(|raw| raw.span.start));
    for (raw, home) in gathered.definitions.iter().zip(homes) {
        let home = scopes.outside(home, &raw.span);
        if home != 0 {
            scopes.bind(home, unquoted(&text[raw.name.bytes()]), Local::Defined);
        }
    }
    let taken: FxHashSet<usize> = gathered
        .definitions
        .iter()
        .map(|raw| raw.name.start)
        .chain(gathered.locals.iter().map(|local| local.name.start))
        .chain(
            gathered
                .imports
                .iter()
                .flat_map(|raw| [raw.name, raw.local, raw.source])
                .flatten()
                .map(|span| span.start),
        )
        .chain(
            gathered
                .exports
                .iter()
                .filter_map(|(name, _)| *name)
                .map(|span| span.start),
        )
        .chain(gathered.ignored.iter().map(|span| span.start))
        .collect();

    let homes = scopes.around(
        gathered
            .references
            .iter()
            .map(|reference| reference.name.start),
    );
    let mut open: Vec<u32> = Vec::new();
    let mut next = 0;
    let mut references = Vec::with_capacity(gathered.references.len());
    for (raw, home) in gathered.references.iter().zip(homes) {
        let start = raw.name.start;
        while next < gathered.definitions.len() && gathered.definitions[next].span.start <= start {
            open.push(next as u32);
            next += 1;
        }
        while open
            .last()
            .is_some_and(|&last| gathered.definitions[last as usize].span.end <= start)
        {
            open.pop();
        }
        // A closed definition may hide below one that is still open; the innermost open one is what counts.
        let within = open
            .iter()
            .rev()
            .copied()
            .find(|&at| gathered.definitions[at as usize].span.end > start);
        if taken.contains(&start) {
            continue;
        }
        let name = unquoted(&text[raw.name.bytes()]);
        let Some(receiver) = receive(language, raw, name, home, &scopes, text, names) else {
            continue;
        };
        let line = raw.name.first_row as u32 + 1;
        references.push(Reference {
            kind: raw.kind,
            name: names.add(name),
            receiver,
            within,
            line,
        });
    }
    references
}

/// What stands before the name; nothing when the name itself is local to a function.
fn receive<'a>(
    language: &Language,
    raw: &RawReference,
    name: &'a str,
    home: u32,
    scopes: &Scopes<'a>,
    text: &'a str,
    names: &mut NamesBuilder,
) -> Option<Receiver> {
    if let Some(owner) = raw.owner.and_then(|span| type_head(&text[span.bytes()])) {
        return Some(Receiver::Typed(names.add(owner)));
    }
    let Some(span) = raw.receiver else {
        return match scopes.find(home, name) {
            None | Some(Local::Defined) => Some(Receiver::None),
            Some(_) => None,
        };
    };
    let is = |words: &[String], word: &str| words.iter().any(|known| known == word);
    Some(match before(&text[span.bytes()]) {
        Before::Path(path) if is(&language.itself, path) => Receiver::Itself,
        Before::Path(path) if is(&language.parent, path) => Receiver::Parent,
        Before::Path(path) => {
            let path = path.replace("?.", ".").replace("!.", ".");
            let first = language
                .separators
                .iter()
                .filter_map(|mark| path.find(mark.as_str()))
                .min();
            let (head, rest) = path.split_at(first.unwrap_or(path.len()));
            // The head is looked up by its own text, which lives as long as the file.
            let head = &text[span.start..span.end].trim_start()[..head.len()];
            // `self` is a parameter in some languages, but what it is is known.
            let local = if is(&language.itself, head) {
                None
            } else {
                scopes.find(home, head)
            };
            match local {
                None | Some(Local::Defined) => Receiver::Path(names.add(&path)),
                Some(Local::Typed(head)) => Receiver::Typed(names.add(&format!("{head}{rest}"))),
                Some(Local::Returned(callee)) if rest.is_empty() => {
                    Receiver::Returned(names.add(callee))
                }
                Some(_) => Receiver::Unknown,
            }
        }
        Before::Call(callee) if is(&language.parent, callee) => Receiver::Parent,
        Before::Call(callee) => {
            let head = callee.split(['.', ':']).next().unwrap_or(callee);
            match scopes.find(home, head) {
                None | Some(Local::Defined) => Receiver::Returned(names.add(callee)),
                Some(_) => Receiver::Unknown,
            }
        }
        Before::Expression => Receiver::Unknown,
    })
}
