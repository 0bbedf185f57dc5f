//! From captured spans to facts: containers, visibility, documentation, imports, and which names are worth linking.

use rustc_hash::FxHashSet;
use tree_sitter::Tree;

use super::defined;
use super::docs::Docs;
use super::gather::{Gathered, RawDefinition, RawImport, RawReference, Span};
use super::nest::Nest;
use super::prose::{one_line, plain_comment};
use super::refer::refer;
use super::roles::Form;
use super::scopes::Scopes;
use super::types::{parameter_types, type_head, type_heads};
use crate::facts::{
    Definition, Export, FileFacts, Import, ImportForm, Name, NamesBuilder, Reach, ReferenceKind,
    SymbolKind, Syntax, Visibility,
};
use crate::language::{Language, Place};

pub(crate) fn assemble(
    language: &Language,
    mut gathered: Gathered,
    text: &str,
    tree: &Tree,
) -> FileFacts {
    let mut names = NamesBuilder::default();
    defined::sort(&mut gathered.definitions);
    let whole = Span {
        start: 0,
        end: text.len() as u32,
        first_row: 0,
        last_row: u32::MAX,
    };
    let scopes = Scopes::new(std::mem::take(&mut gathered.scopes), whole);
    defined::keep_at_top(&mut gathered.definitions, &scopes);
    defined::drop_imported(&mut gathered);
    gathered
        .references
        .sort_by_key(|reference| (reference.name.start, rank(reference)));
    gathered
        .references
        .dedup_by_key(|reference| reference.name.start);
    let keys = std::mem::take(&mut gathered.keys);
    if !keys.is_empty() {
        gathered.references.extend(keys);
        gathered
            .references
            .sort_by_key(|reference| reference.name.start);
    }
    gathered.comments.sort_by_key(|comment| comment.start);
    gathered.public.sort_by_key(|mark| mark.start);
    gathered.private.sort_by_key(|mark| mark.start);
    let owners = Nest::new(std::mem::take(&mut gathered.owners));
    let containers = lift(&gathered.definitions, &containers(&gathered.definitions));
    let docs = Docs::new(&gathered, text);

    let mut definitions = Vec::with_capacity(gathered.definitions.len());
    for (at, raw) in gathered.definitions.iter().enumerate() {
        let container = containers[at];
        definitions.push(define(
            language,
            raw,
            container,
            &gathered,
            (&owners, &docs),
            text,
            &mut names,
        ));
    }
    let imports = import(language, &gathered, text, &mut names);
    let exports = export(&gathered, text, &mut names);
    let references = refer(
        language,
        &mut gathered,
        scopes,
        &mut definitions,
        text,
        &mut names,
    );
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

/// How much a way of naming a thing says; the least number says most.
fn rank(reference: &RawReference) -> u8 {
    let kind = match reference.kind {
        ReferenceKind::Extends | ReferenceKind::Implements | ReferenceKind::Alias => 0,
        ReferenceKind::Construct => 1,
        ReferenceKind::Call => 2,
        ReferenceKind::Type => 3,
        ReferenceKind::Use => 4,
    };
    // A name after a receiver is also matched as a bare name by patterns that do not look around.
    kind * 2 + u8::from(reference.receiver.is_none() && reference.receiver_type.is_none()) * 10
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

/// Marks of visibility farther away than this many others belong to someone else.
const NEAR: usize = 16;

fn define(
    language: &Language,
    raw: &RawDefinition,
    container: Option<u32>,
    gathered: &Gathered,
    (owners, docs): (&Nest, &Docs<'_>),
    text: &str,
    names: &mut NamesBuilder,
) -> Definition {
    let name = unquoted(&text[raw.name.bytes()]);
    let around = container.map(|at| &gathered.definitions[at as usize]);
    let owner = raw
        .owner
        .or_else(|| owners.innermost(&raw.span))
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
        SymbolKind::Variable | SymbolKind::Constant if in_type => SymbolKind::Field,
        kind => kind,
    };
    let place = if in_type { Place::Member } else { Place::Top };
    let marked = |marks: &[Span]| {
        // A node around the name starts before it, and after the container does; a keyword stands in the head.
        let outside = around.map_or(0, |around| around.span.start + 1);
        let before = marks.partition_point(|mark| mark.start <= raw.name.start);
        let mut nearest = marks[..before]
            .iter()
            .rev()
            .take(NEAR)
            .take_while(|mark| mark.start >= outside);
        let inside = marks.partition_point(|mark| mark.start < raw.span.start);
        let mut inner = marks[inside..]
            .iter()
            .take(NEAR)
            .take_while(|mark| mark.start <= raw.span.end);
        nearest.any(|mark| mark.holds(&raw.name)) || inner.any(|mark| belongs(mark, raw, gathered))
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
    let head = &text[raw.span.start as usize..until as usize];
    let signature = if raw.body.is_some() {
        one_line(head)
    } else {
        one_line(first_lines(head))
    };
    let doc = raw
        .doc
        .map(|span| plain_comment(&text[span.bytes()]))
        // What stands on the same line as its container shares no comment with it.
        .or_else(|| {
            docs.above(&raw.span)
                .filter(|_| around.is_none_or(|around| around.span.first_row != raw.span.first_row))
        });
    let value_type = raw
        .value_type
        .and_then(|span| type_heads(&text[span.bytes()]));
    let parameters = raw
        .parameters
        .and_then(|span| parameter_types(&text[span.bytes()]));
    Definition {
        kind,
        name: names.add(name),
        container,
        owner: owner.map(|owner| names.add(owner)),
        visibility,
        signature: names.add(&signature),
        doc: doc.filter(|doc| !doc.is_empty()).map(|doc| names.add(&doc)),
        value_type: value_type.map(|heads| names.add(&heads)),
        parameters: parameters.map(|types| names.add(&types)),
        first_line: raw.span.first_row + 1,
        last_line: raw.span.last_row.max(raw.span.first_row) + 1,
        body: fingerprint(&text[raw.span.bytes()]),
    }
}

/// A field that a method gives to its own value (`self.x = …`) belongs to the type around the method.
fn lift(definitions: &[RawDefinition], containers: &[Option<u32>]) -> Vec<Option<u32>> {
    let is_type = |at: &u32| definitions[*at as usize].kind.is_type();
    let lifted = definitions
        .iter()
        .zip(containers)
        .map(|(raw, &container)| match container {
            Some(method) if raw.kind == SymbolKind::Field && !is_type(&method) => {
                containers[method as usize].filter(is_type).or(container)
            }
            container => container,
        });
    lifted.collect()
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

pub(super) fn unquoted(text: &str) -> &str {
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

fn import(
    language: &Language,
    gathered: &Gathered,
    text: &str,
    names: &mut NamesBuilder,
) -> Vec<Import> {
    let mut found: Vec<Written> = Vec::new();
    let prefixes = Nest::new(gathered.prefixes.clone());
    for raw in &gathered.imports {
        let mut source = import_source(language, raw, &prefixes, text);
        if raw.relative && !source.starts_with('.') {
            source.insert_str(0, "./");
        }
        let name = raw
            .name
            .map(|span| unquoted(&text[span.bytes()]).to_owned());
        let local = raw
            .local
            .map(|span| unquoted(&text[span.bytes()]).to_owned());
        let local = local.or_else(|| raw.local_is_last.then(|| last_name(&source).to_owned()));
        let line = raw.at.first_row + 1;
        let reach = raw.reach;
        let written = Written {
            source,
            form: raw.form,
            name,
            local,
            reach,
            line,
        };
        found.extend(if raw.form == Form::Path {
            last_names(language, written)
        } else {
            vec![written]
        });
    }
    for span in &gathered.statements {
        let said = text[span.bytes()]
            .split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest);
        let source: String = said.split_whitespace().collect();
        let line = span.first_row + 1;
        let written = Written {
            source,
            form: Form::Path,
            name: None,
            local: None,
            reach: Reach::Private,
            line,
        };
        found.extend(last_names(language, written));
    }
    settle(found, names)
}

/// The last name of a path, without a version: `example.org/shop/v2` is `shop`.
fn last_name(source: &str) -> &str {
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut parts = source.rsplit(['/', ':']).filter(|part| !part.is_empty());
    parts.find(|part| !is_version(part)).unwrap_or(source)
}

/// An import as written, before its texts are names.
struct Written {
    source: String,
    form: Form,
    name: Option<String>,
    local: Option<String>,
    reach: Reach,
    line: u32,
}

/// `a.b.C` is `C` of `a.b`, `a.b.{C, D => E}` is two names of `a.b`, `a.b._` is all of it.
fn last_names(language: &Language, written: Written) -> Vec<Written> {
    let Written {
        source,
        local,
        reach,
        line,
        ..
    } = written;
    let separator = language.separators.first().map_or(".", String::as_str);
    let make = |source: &str, name: &str, local: Option<String>| {
        let form = if matches!(name, "_" | "*" | "given") {
            Form::All
        } else {
            Form::Named
        };
        Written {
            source: source.to_owned(),
            form,
            name: Some(name.to_owned()),
            local,
            reach,
            line,
        }
    };
    if let Some((prefix, group)) = source
        .strip_suffix('}')
        .and_then(|source| source.split_once('{'))
    {
        let prefix = prefix.trim_end_matches(separator);
        let items = group.split(',').filter(|item| !item.is_empty());
        return items
            .map(|item| match item.split_once("=>") {
                Some((name, local)) => make(prefix, name, Some(local.to_owned())),
                None => make(prefix, item, None),
            })
            .collect();
    }
    match source.rsplit_once(separator) {
        Some((prefix, name)) if !prefix.is_empty() => vec![make(prefix, name, local)],
        _ => vec![Written {
            source,
            form: Form::Module,
            name: None,
            local,
            reach,
            line,
        }],
    }
}

/// Each import once, in the order of lines.
fn settle(found: Vec<Written>, names: &mut NamesBuilder) -> Vec<Import> {
    let mut seen = FxHashSet::default();
    let mut imports: Vec<Import> = Vec::with_capacity(found.len());
    for written in found {
        let form = match (written.form, &written.name) {
            (Form::Default, _) => ImportForm::Named(names.add("default")),
            (Form::Named, Some(name)) => ImportForm::Named(names.add(name)),
            (Form::Named | Form::Module | Form::Path, _) => ImportForm::Module,
            (Form::All, _) => ImportForm::All,
            (Form::Effect, _) => ImportForm::Effect,
        };
        let called = written.name.filter(|_| written.form == Form::Named);
        let import = Import {
            source: names.add(&written.source),
            form,
            local: written.local.or(called).map(|local| names.add(&local)),
            reach: written.reach,
            line: written.line,
        };
        let form = match form {
            ImportForm::Named(Name(name)) => (0, name),
            ImportForm::Module => (1, 0),
            ImportForm::All => (2, 0),
            ImportForm::Effect => (3, 0),
        };
        if seen.insert((import.source, form, import.local, import.line, import.reach)) {
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
fn import_source(language: &Language, raw: &RawImport, prefixes: &Nest, text: &str) -> String {
    let mut around: Vec<Span> = prefixes.outwards(&raw.at).collect();
    around.reverse();
    let separator = language.separators.first().map_or(".", String::as_str);
    let own = raw.source.map(|span| unquoted(text[span.bytes()].trim()));
    let own = own.map(|own| own.trim_start_matches('<').trim_end_matches('>'));
    let parts: Vec<&str> = around
        .iter()
        .map(|prefix| text[prefix.bytes()].trim())
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
