//! Which names of a file are worth linking, and what stands before each.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::assemble::unquoted;
use super::gather::{Gathered, RawReference, Span};
use super::roles::Taken;
use super::scopes::{Local, Member, Scopes};
use super::types::{cast_to, path_of, type_head, type_heads};
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
        let value = if let Some(of) = written(local.value_type.or(local.path))
            && local.taken != Taken::default()
        {
            Local::Taken(of, local.taken)
        } else if let Some(written) = written(local.value_type) {
            type_heads(written).map_or(Local::Anything, |heads| match heads {
                Cow::Borrowed(head) => Local::Typed(head),
                Cow::Owned(_) => Local::OneOf(written),
            })
        } else if let Some(callee) = written(local.call) {
            Local::Returned(callee)
        } else if let Some(path) = written(local.path) {
            Local::Alias(path)
        } else if let Some(holder) = written(local.holder_type.or(local.holder)) {
            Local::Member(Member {
                holder,
                taken: local.taken,
                through: written(local.through),
                name: written(local.member).unwrap_or(name),
            })
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
    let never: FxHashSet<u32> = starts(gathered.ignored.iter().map(|span| Some(*span)).collect())
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
    let bound: FxHashSet<u32> = starts(
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
        let written = unquoted(&text[raw.name.bytes()]);
        let name = if is_bare && raw.kind == ReferenceKind::Call {
            called_as(written, home, &scopes)
        } else {
            written
        };
        let Some(receiver) = receive(language, raw, name, home, &scopes, text, names) else {
            continue;
        };
        // A field of something unknown could be anyone's.
        if receiver == Receiver::Unknown && raw.kind != ReferenceKind::Call {
            continue;
        }
        let line = raw.name.first_row + 1;
        let name = match raw.receiver.and_then(|span| path_of(&text[span.bytes()])) {
            // The place of the receiver is taken by the owner, so what stands before the name stays with it.
            Some(path) if raw.owner.is_some() => {
                let separator = language.separators.first().map_or(".", String::as_str);
                names.add(&format!("{path}{separator}{name}"))
            }
            _ => names.add(name),
        };
        references.push(Reference {
            kind: raw.kind,
            name,
            receiver,
            within,
            line,
        });
    }
    references
}

/// The function that a local stands for when it is called: `f = one`, then `f()`.
fn called_as<'a>(name: &'a str, home: u32, scopes: &Scopes<'a>) -> &'a str {
    let Some(Local::Alias(other)) = scopes.find(home, name) else {
        return name;
    };
    let is_name = other.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_outside = matches!(scopes.find(home, other), None | Some(Local::Defined));
    if is_name && is_outside { other } else { name }
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
    let mut taking: Vec<(Span, usize)> = gathered
        .definitions
        .iter()
        .enumerate()
        .filter_map(|(at, raw)| Some((raw.value_path?, at)))
        .filter(|(_, at)| definitions[*at].value_type.is_none())
        .collect();
    taking.sort_by_key(|(span, _)| span.start);
    let homes = scopes.around(taking.iter().map(|(span, _)| span.start));
    for ((span, at), home) in taking.iter().zip(homes) {
        let Some(path) = path_of(&text[span.bytes()]) else {
            continue;
        };
        if let Receiver::Typed(name) | Receiver::Returned(name) | Receiver::Path(name) =
            explain(language, &path, home, scopes, names)
        {
            definitions[*at].value_type = Some(name);
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
        let heads = type_heads(&text[holder.bytes()]);
        let suffix = raw.taken.suffix();
        return Some(heads.map_or(Receiver::Unknown, |heads| {
            Receiver::Typed(names.add(&format!("{heads}{suffix}")))
        }));
    }
    if raw.taken != Taken::default() {
        let of = raw.receiver.and_then(|span| path_of(&text[span.bytes()]))?;
        let path = format!("{of}{}", raw.taken.suffix());
        return Some(explain(language, &path, home, scopes, names));
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
    let Some(mut path) = path_of(written) else {
        return Some(Receiver::Unknown);
    };
    if let Some(through) = raw.through {
        let separator = language.separators.first().map_or(".", String::as_str);
        path = format!("{path}{separator}{}", &text[through.bytes()]).into();
    }
    Some(explain(language, &path, home, scopes, names))
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
        let (head, called) = head.split_at(head.find('(').unwrap_or(head.len()));
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
            Some(Local::OneOf(written)) => {
                let heads = type_heads(written).unwrap_or_default();
                return finish(&join(&heads), names, Receiver::Typed);
            }
            Some(Local::Taken(written, of)) => {
                let Some(before) = type_heads(written).or_else(|| path_of(written)) else {
                    return Receiver::Unknown;
                };
                known_as = Receiver::Typed;
                join(&format!("{before}{}", of.suffix()))
            }
            Some(Local::Member(member)) => {
                // What is called is a value; anything else may be a type as well.
                let found = path_of(member.holder).or_else(|| type_heads(member.holder));
                let Some(before) = found else {
                    return Receiver::Unknown;
                };
                if before.split(['.', ':', '(']).next() == Some(head) {
                    return Receiver::Unknown;
                }
                let suffix = member.taken.suffix();
                let through = member.through.map(|name| format!("{separator}{name}"));
                let through = through.unwrap_or_default();
                let name = member.name;
                known_as = Receiver::Typed;
                join(&format!("{before}{suffix}{through}{separator}{name}"))
            }
            Some(Local::Anything) => return Receiver::Unknown,
            Some(known) => {
                let (Local::Returned(written) | Local::Alias(written)) = known else {
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
