//! From captured spans to facts: containers, visibility, documentation, imports, and which names are worth linking.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Tree;

use super::gather::{Gathered, RawDefinition, RawImport, RawReference, Span};
use super::prose::{Before, before, one_line, plain_comment, type_head};
use super::roles::Form;
use super::scopes::{Local, Scopes};
use crate::facts::{
    Definition, Export, FileFacts, Import, ImportForm, Name, NamesBuilder, Reach, Receiver,
    Reference, ReferenceKind, SymbolKind, Syntax, Visibility,
};
use crate::language::{Language, Place};

pub(crate) fn assemble(
    language: &Language,
    mut gathered: Gathered,
    text: &str,
    tree: &Tree,
) -> FileFacts {
    let mut names = NamesBuilder::default();
    sort_definitions(&mut gathered.definitions);
    gathered
        .references
        .sort_by_key(|reference| (reference.name.start, rank(reference)));
    gathered
        .references
        .dedup_by_key(|reference| reference.name.start);
    gathered.comments.sort_by_key(|comment| comment.start);
    let containers = containers(&gathered.definitions);
    let docs = Docs::new(&gathered, text);

    let mut definitions = Vec::with_capacity(gathered.definitions.len());
    for (at, raw) in gathered.definitions.iter().enumerate() {
        let container = containers[at];
        definitions.push(define(
            language, raw, container, &gathered, &docs, text, &mut names,
        ));
    }
    let imports = import(language, &gathered, text, &mut names);
    let exports = export(&gathered, text, &mut names);
    let references = refer(language, &mut gathered, &definitions, text, &mut names);
    let doc = docs.of_file(&definitions).map(|doc| names.add(&doc));
    let package = gathered
        .package
        .map(|span| names.add(text[span.bytes()].trim_matches(['"', '\'', ';', ' '])));
    let syntax = if tree.root_node().has_error() {
        Syntax::Broken
    } else {
        Syntax::Clean
    };
    let lines = super::count_lines(text);
    FileFacts {
        names: names.finish(),
        lines,
        doc,
        package,
        syntax,
        definitions,
        imports,
        exports,
        references,
    }
}

/// A container before its contents; where two patterns define one name, the later pattern stays.
fn sort_definitions(definitions: &mut Vec<RawDefinition>) {
    definitions.sort_by_key(|raw| (raw.name.start, std::cmp::Reverse(raw.pattern)));
    definitions.dedup_by_key(|raw| raw.name.start);
    definitions.sort_by_key(|raw| {
        (
            raw.span.start,
            std::cmp::Reverse(raw.span.end),
            raw.name.start,
        )
    });
}

/// How much a way of naming a thing says; the least number says most.
fn rank(reference: &RawReference) -> u8 {
    let kind = match reference.kind {
        ReferenceKind::Extends | ReferenceKind::Implements => 0,
        ReferenceKind::Construct => 1,
        ReferenceKind::Call => 2,
        ReferenceKind::Type => 3,
        ReferenceKind::Use => 4,
    };
    // A name after a receiver is also matched as a bare name by patterns that do not look around.
    kind * 2 + u8::from(reference.receiver.is_none()) * 10
}

fn containers(definitions: &[RawDefinition]) -> Vec<Option<u32>> {
    let mut open: Vec<u32> = Vec::new();
    let mut containers = Vec::with_capacity(definitions.len());
    for (at, raw) in definitions.iter().enumerate() {
        while open
            .last()
            .is_some_and(|&last| definitions[last as usize].span.end <= raw.span.start)
        {
            open.pop();
        }
        containers.push(open.last().copied());
        open.push(at as u32);
    }
    containers
}

fn define(
    language: &Language,
    raw: &RawDefinition,
    container: Option<u32>,
    gathered: &Gathered,
    docs: &Docs<'_>,
    text: &str,
    names: &mut NamesBuilder,
) -> Definition {
    let name = unquoted(&text[raw.name.bytes()]);
    let around = container.map(|at| &gathered.definitions[at as usize]);
    let owner = raw
        .owner
        .or_else(|| innermost(&gathered.owners, &raw.span))
        .filter(|_| {
            !around.is_some_and(|around| {
                matches!(
                    around.kind,
                    SymbolKind::Function | SymbolKind::Method | SymbolKind::Class
                )
            })
        });
    let owner = owner.and_then(|span| type_head(&text[span.bytes()]));
    let in_type = owner.is_some() || around.is_some_and(|around| around.kind.is_type());
    let kind = match raw.kind {
        SymbolKind::Function if in_type => SymbolKind::Method,
        kind => kind,
    };
    let place = if in_type { Place::Member } else { Place::Top };
    let marked = |marks: &[Span]| {
        let first = marks
            .partition_point(|mark| mark.start < around.map_or(0, |around| around.span.start + 1));
        let near = marks[first..]
            .iter()
            .take_while(|mark| mark.start <= raw.span.end);
        near.into_iter()
            .any(|mark| mark.holds(&raw.name) || belongs(mark, raw, gathered))
    };
    let visibility = if marked(&gathered.public) {
        Visibility::Public
    } else if marked(&gathered.private) {
        Visibility::Private
    } else {
        language.visibility_of(name, place)
    };
    let until = raw
        .body
        .map_or(raw.span.end, |body| body.start)
        .min(raw.span.end)
        .max(raw.span.start);
    let head = &text[raw.span.start..until];
    let signature = if raw.body.is_some() {
        one_line(head)
    } else {
        one_line(first_lines(head))
    };
    let doc = raw
        .doc
        .map(|span| plain_comment(&text[span.bytes()]))
        .or_else(|| docs.above(&raw.span));
    let value_type = raw
        .value_type
        .and_then(|span| type_head(&text[span.bytes()]));
    Definition {
        kind,
        name: names.add(name),
        container,
        owner: owner.map(|owner| names.add(owner)),
        visibility,
        signature: names.add(&signature),
        doc: doc.filter(|doc| !doc.is_empty()).map(|doc| names.add(&doc)),
        value_type: value_type.map(|head| names.add(head)),
        first_line: raw.span.first_row as u32 + 1,
        last_line: raw.span.last_row.max(raw.span.first_row) as u32 + 1,
        body: fingerprint(&text[raw.span.bytes()]),
    }
}

/// A mark inside a definition's head (`pub`, `private`) speaks for that definition alone.
fn belongs(mark: &Span, raw: &RawDefinition, gathered: &Gathered) -> bool {
    let body = raw.body.map_or(raw.span.end, |body| body.start);
    if !(raw.span.start <= mark.start && mark.end <= body) {
        return false;
    }
    let after = gathered
        .definitions
        .partition_point(|other| other.span.start <= raw.span.start);
    let inner = gathered.definitions[after..]
        .iter()
        .take_while(|other| other.span.start <= mark.start);
    !inner.into_iter().any(|other| other.span.holds(mark))
}

fn first_lines(text: &str) -> &str {
    let end = memchr::memchr_iter(b'\n', text.as_bytes())
        .nth(2)
        .unwrap_or(text.len());
    &text[..end]
}

fn innermost(spans: &[(Span, Span)], inner: &Span) -> Option<Span> {
    let around = spans.iter().filter(|(within, _)| within.holds(inner));
    around
        .min_by_key(|(within, _)| within.end - within.start)
        .map(|(_, owner)| *owner)
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}

/// Changes with the words of the text, not with its layout.
fn fingerprint(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for word in text.split_ascii_whitespace() {
        for chunk in word.as_bytes().chunks(8) {
            let mut bytes = [0_u8; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            hash = (hash ^ u64::from_le_bytes(bytes)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
        }
    }
    hash
}

/// Comments and attributes by the row on which they end.
struct Docs<'a> {
    text: &'a str,
    by_last_row: FxHashMap<usize, Span>,
    attributes: FxHashMap<usize, Span>,
    first: Option<Span>,
}

impl<'a> Docs<'a> {
    fn new(gathered: &Gathered, text: &'a str) -> Self {
        let leads = |span: &&Span| {
            let line = text[..span.start].rfind('\n').map_or(0, |end| end + 1);
            text[line..span.start].trim().is_empty()
        };
        let by_row = |spans: &[Span]| {
            spans
                .iter()
                .filter(leads)
                .map(|span| (span.last_row, *span))
                .collect()
        };
        let first = gathered
            .comments
            .first()
            .filter(|span| text[..span.start].trim().is_empty())
            .copied();
        let first = first.filter(|span| !text[span.bytes()].starts_with("#!"));
        Self {
            text,
            by_last_row: by_row(&gathered.comments),
            attributes: by_row(&gathered.attributes),
            first,
        }
    }

    /// The comment that ends on the row above `span`, or above its attributes.
    fn above(&self, span: &Span) -> Option<String> {
        let mut row = span.first_row;
        while let Some(attribute) = row
            .checked_sub(1)
            .and_then(|above| self.attributes.get(&above))
        {
            row = attribute.first_row;
        }
        let last = self.by_last_row.get(&row.checked_sub(1)?)?;
        Some(plain_comment(&self.text[self.run_up(last).start..last.end]))
    }

    /// The first of the comments that stand directly above one another, down to `last`.
    fn run_up(&self, last: &Span) -> Span {
        let mut first = *last;
        while let Some(above) = first
            .first_row
            .checked_sub(1)
            .and_then(|row| self.by_last_row.get(&row))
        {
            first = *above;
        }
        first
    }

    /// The comment that opens the file, unless it belongs to the first definition.
    fn of_file(&self, definitions: &[Definition]) -> Option<String> {
        let first = self.first?;
        let mut last = first;
        while let Some(below) = self
            .by_last_row
            .values()
            .find(|span| span.first_row == last.last_row + 1)
        {
            last = *below;
        }
        let next = definitions
            .first()
            .map_or(usize::MAX, |definition| definition.first_line as usize);
        let text = plain_comment(&self.text[first.start..last.end]);
        (last.last_row + 2 != next && !text.is_empty()).then_some(text)
    }
}

fn import(
    language: &Language,
    gathered: &Gathered,
    text: &str,
    names: &mut NamesBuilder,
) -> Vec<Import> {
    let mut seen = FxHashSet::default();
    let mut imports = Vec::with_capacity(gathered.imports.len());
    for raw in &gathered.imports {
        let source = import_source(language, raw, gathered, text);
        let named = raw.name.map(|span| unquoted(&text[span.bytes()]));
        let (form, called) = match (raw.form, named) {
            (Form::Default, _) => (ImportForm::Named(names.add("default")), None),
            (Form::Named, Some(name)) => (ImportForm::Named(names.add(name)), Some(name)),
            (Form::Named | Form::Module, _) => (ImportForm::Module, None),
            (Form::All, _) => (ImportForm::All, None),
            (Form::Effect, _) => (ImportForm::Effect, None),
        };
        let local = raw
            .local
            .map(|span| unquoted(&text[span.bytes()]))
            .or(called);
        let import = Import {
            source: names.add(&source),
            form,
            local: local.map(|local| names.add(local)),
            reach: if raw.reexported {
                Reach::Reexported
            } else {
                Reach::Private
            },
            line: raw.at.first_row as u32 + 1,
        };
        let form = match form {
            ImportForm::Named(Name(name)) => (0, name),
            ImportForm::Module => (1, 0),
            ImportForm::All => (2, 0),
            ImportForm::Effect => (3, 0),
        };
        if seen.insert((
            import.source,
            form,
            import.local,
            import.line,
            raw.reexported,
        )) {
            imports.push(import);
        }
    }
    // An import for its effect alone is also matched where names are imported.
    let named: FxHashSet<(Name, u32)> = imports
        .iter()
        .filter(|import| import.form != ImportForm::Effect)
        .map(|import| (import.source, import.line))
        .collect();
    imports.retain(|import| {
        import.form != ImportForm::Effect || !named.contains(&(import.source, import.line))
    });
    imports.sort_by_key(|import| import.line);
    imports
}

/// The source as written, after the prefixes of the groups around it.
fn import_source(language: &Language, raw: &RawImport, gathered: &Gathered, text: &str) -> String {
    let mut around: Vec<&(Span, Span)> = gathered
        .prefixes
        .iter()
        .filter(|(within, _)| within.holds(&raw.at))
        .collect();
    around.sort_by_key(|(within, _)| within.start);
    let separator = language.separators.first().map_or(".", String::as_str);
    let own = raw.source.map(|span| unquoted(text[span.bytes()].trim()));
    let own = own.map(|own| own.trim_start_matches('<').trim_end_matches('>'));
    let parts: Vec<&str> = around
        .iter()
        .map(|(_, prefix)| text[prefix.bytes()].trim())
        .chain(own)
        .collect();
    parts.join(separator).split_whitespace().collect()
}

fn export(gathered: &Gathered, text: &str, names: &mut NamesBuilder) -> Vec<Export> {
    let exports = gathered.exports.iter().map(|(name, local)| {
        let local = unquoted(&text[local.bytes()]);
        let name = name.map_or(local, |span| unquoted(&text[span.bytes()]));
        Export {
            name: names.add(name),
            local: names.add(local),
        }
    });
    exports.collect()
}

fn refer(
    language: &Language,
    gathered: &mut Gathered,
    definitions: &[Definition],
    text: &str,
    names: &mut NamesBuilder,
) -> Vec<Reference> {
    let end = text.len();
    let whole = Span {
        start: 0,
        end,
        first_row: 0,
        last_row: definitions.last().map_or(0, |last| last.last_line as usize),
    };
    let mut scopes = Scopes::new(std::mem::take(&mut gathered.scopes), whole);
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
            match scopes.find(home, head) {
                None | Some(Local::Defined) => Receiver::Path(names.add(&path)),
                Some(Local::Typed(head)) => Receiver::Typed(names.add(&format!("{head}{rest}"))),
                Some(Local::Returned(callee)) if rest.is_empty() => {
                    Receiver::Returned(names.add(callee))
                }
                Some(_) => Receiver::Unknown,
            }
        }
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
