//! Which names of a file are worth linking, and what stands before each.

use rustc_hash::FxHashSet;

use super::assemble::unquoted;
use super::gather::{Gathered, RawReference, Span};
use super::prose::{cast_to, path_of, type_head};
use super::scopes::{Local, Scopes};
use crate::facts::{Definition, Name, NamesBuilder, Receiver, Reference, ReferenceKind};
use crate::language::Language;

/// The references of a file, without the names that are local to a function.
pub(super) fn refer<'a>(
    language: &Language,
    gathered: &mut Gathered,
    mut scopes: Scopes<'a>,
    definitions: &mut [Definition],
    text: &'a str,
    names: &mut NamesBuilder,
) -> Vec<Reference> {
    // Of what several patterns say of one name, a type that is written down says most.
    gathered
        .locals
        .sort_by_key(|local| (local.name.start, local.value_type.is_none()));
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
        let written = |span: Option<Span>| span.map(|span| &text[span.bytes()]);
        let value = if let Some(written) = written(local.value_type) {
            type_head(written).map_or(Local::Anything, Local::Typed)
        } else if let Some(callee) = written(local.call) {
            Local::Returned(callee)
        } else if let Some(path) = written(local.path) {
            Local::Alias(path)
        } else if let Some(holder) = written(local.holder_type) {
            type_head(holder).map_or(Local::Anything, Local::MemberOf)
        } else if let Some(holder) = written(local.holder) {
            Local::Member(holder)
        } else {
            Local::Anything
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
    take_over(language, gathered, &scopes, definitions, text, names);
    let starts = |spans: Vec<Option<Span>>| spans.into_iter().flatten().map(|span| span.start);
    // Names that are never a use, and names that are one only when something stands before them.
    let never: FxHashSet<usize> = starts(gathered.ignored.iter().map(|span| Some(*span)).collect())
        .chain(starts(
            gathered
                .imports
                .iter()
                .flat_map(|raw| [raw.name, raw.local, raw.source])
                .collect(),
        ))
        .chain(starts(
            gathered.exports.iter().map(|(name, _)| *name).collect(),
        ))
        .collect();
    let bound: FxHashSet<usize> = starts(
        gathered
            .definitions
            .iter()
            .map(|raw| Some(raw.name))
            .collect(),
    )
    .chain(starts(
        gathered
            .locals
            .iter()
            .map(|local| Some(local.name))
            .collect(),
    ))
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
        let is_bare = raw.receiver.is_none() && raw.receiver_type.is_none();
        if never.contains(&start) || (is_bare && bound.contains(&start)) {
            continue;
        }
        let name = unquoted(&text[raw.name.bytes()]);
        let Some(receiver) = receive(language, raw, name, home, &scopes, text, names) else {
            continue;
        };
        // A field of something unknown could be anyone's.
        if receiver == Receiver::Unknown && raw.kind != ReferenceKind::Call {
            continue;
        }
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

/// Gives a definition the type of the local whose value it takes over (`self.app = app`).
fn take_over(
    language: &Language,
    gathered: &Gathered,
    scopes: &Scopes<'_>,
    definitions: &mut [Definition],
    text: &str,
    names: &mut NamesBuilder,
) {
    let homes = scopes.around(gathered.definitions.iter().map(|raw| raw.span.start));
    for ((raw, home), definition) in gathered.definitions.iter().zip(homes).zip(definitions) {
        let Some(path) = raw
            .value_path
            .filter(|_| definition.value_type.is_none())
            .and_then(|span| path_of(&text[span.bytes()]))
        else {
            continue;
        };
        if let Receiver::Typed(name) | Receiver::Returned(name) =
            explain(language, &path, home, scopes, names)
        {
            definition.value_type = Some(name);
        }
    }
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
    if let Some(holder) = raw.receiver_type {
        let head = type_head(&text[holder.bytes()]);
        return Some(head.map_or(Receiver::Unknown, |head| Receiver::Typed(names.add(head))));
    }
    let Some(span) = raw.receiver else {
        return match scopes.find(home, name) {
            None | Some(Local::Defined) => Some(Receiver::None),
            // `let total = total(items)`: the call is of what the local hides from then on.
            Some(Local::Returned(callee)) if callee == name && raw.kind == ReferenceKind::Call => {
                Some(Receiver::None)
            }
            Some(_) => None,
        };
    };
    let written = &text[span.bytes()];
    if let Some(to) = cast_to(written) {
        return Some(Receiver::Typed(names.add(to)));
    }
    Some(path_of(written).map_or(Receiver::Unknown, |path| {
        explain(language, &path, home, scopes, names)
    }))
}

/// Locals that stand for one another are followed this far.
const FOLLOWED: usize = 5;

/// What a path of names stands for inside the scope `home`: its local head is replaced by what is known of it.
fn explain(
    language: &Language,
    path: &str,
    home: u32,
    scopes: &Scopes<'_>,
    names: &mut NamesBuilder,
) -> Receiver {
    let is = |words: &[String], word: &str| words.iter().any(|known| known == word);
    let separator = language.separators.first().map_or(".", String::as_str);
    let mut path = path.to_owned();
    let mut known_as: fn(Name) -> Receiver = Receiver::Path;
    for _ in 0..FOLLOWED {
        let first = language
            .separators
            .iter()
            .filter_map(|mark| path.find(mark.as_str()))
            .min();
        let (head, rest) = path.split_at(first.unwrap_or(path.len()));
        let (head, called) = head
            .strip_suffix("()")
            .map_or((head, ""), |head| (head, "()"));
        if rest.is_empty() && is(&language.parent, head) {
            return Receiver::Parent;
        }
        // `self` is a parameter in some languages, but what it is is known.
        let is_itself = is(&language.itself, head);
        if rest.is_empty() && called.is_empty() && is_itself {
            return Receiver::Itself;
        }
        let join = |before: &str| format!("{before}{called}{rest}");
        path = match scopes.find(home, head).filter(|_| !is_itself) {
            None | Some(Local::Defined) => return finish(&path, names, known_as),
            // A type that is its own parameter, as in `Self`, is not followed round.
            Some(Local::Typed(of)) if of == head => {
                return finish(&path, names, Receiver::Typed);
            }
            // The type may be a parameter itself, known by its bound.
            Some(Local::Typed(head)) => {
                known_as = Receiver::Typed;
                join(head)
            }
            Some(Local::MemberOf(holder)) => {
                return finish(
                    &join(&format!("{holder}{separator}{head}")),
                    names,
                    Receiver::Typed,
                );
            }
            Some(Local::Anything) => return Receiver::Unknown,
            Some(known) => {
                let (Local::Returned(written) | Local::Alias(written) | Local::Member(written)) =
                    known
                else {
                    return Receiver::Unknown;
                };
                let Some(before) = path_of(written) else {
                    return Receiver::Unknown;
                };
                // A local that is its own value again, as in a loop, explains nothing.
                if before.split(['.', ':', '(']).next() == Some(head) {
                    return Receiver::Unknown;
                }
                match known {
                    Local::Returned(_) => join(&format!("{before}()")),
                    Local::Member(_) => join(&format!("{before}{separator}{head}")),
                    _ => join(&before),
                }
            }
        };
    }
    Receiver::Unknown
}

fn finish(path: &str, names: &mut NamesBuilder, receiver: fn(Name) -> Receiver) -> Receiver {
    match path.strip_suffix("()") {
        Some(callee) if !callee.is_empty() => Receiver::Returned(names.add(callee)),
        _ => receiver(names.add(path)),
    }
}
