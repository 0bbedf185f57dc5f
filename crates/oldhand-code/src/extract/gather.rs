//! Runs a language's query over a tree and sorts what it captured by role.

use std::ops::Range;

use tree_sitter::Tree;

use super::roles::{Form, Role, Taken};
use super::written::Areas;
use crate::facts::{Reach, ReferenceKind, SymbolKind};
use crate::language::Compiled;
use crate::query::{Capture, Finder};

/// Byte range and rows of a captured node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) first_row: u32,
    pub(crate) last_row: u32,
}

impl Span {
    pub(crate) fn bytes(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(crate) fn holds(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

pub(crate) struct RawDefinition {
    /// Counts only outside of functions.
    pub(crate) at_top: bool,
    pub(crate) pattern: usize,
    pub(crate) kind: SymbolKind,
    pub(crate) span: Span,
    pub(crate) name: Span,
    pub(crate) owner: Option<Span>,
    pub(crate) body: Option<Span>,
    pub(crate) doc: Option<Span>,
    pub(crate) value_type: Option<Span>,
    pub(crate) value_path: Option<Span>,
    pub(crate) parameters: Option<Span>,
}

pub(crate) struct RawLocal {
    pub(crate) name: Span,
    /// What is taken of any of the following.
    pub(crate) taken: Taken,
    pub(crate) value_type: Option<Span>,
    pub(crate) call: Option<Span>,
    pub(crate) path: Option<Span>,
    pub(crate) holder: Option<Span>,
    pub(crate) holder_type: Option<Span>,
    pub(crate) member: Option<Span>,
    pub(crate) through: Option<Span>,
}

impl RawLocal {
    fn of(name: Span) -> Self {
        Self {
            name,
            taken: Taken::default(),
            value_type: None,
            call: None,
            path: None,
            holder: None,
            holder_type: None,
            member: None,
            through: None,
        }
    }
}

pub(crate) struct RawImport {
    pub(crate) form: Form,
    pub(crate) reach: Reach,
    pub(crate) local_is_last: bool,
    pub(crate) relative: bool,
    /// Where the import stands, for the prefixes around it.
    pub(crate) at: Span,
    pub(crate) source: Option<Span>,
    pub(crate) name: Option<Span>,
    pub(crate) local: Option<Span>,
}

pub(crate) struct RawReference {
    pub(crate) kind: ReferenceKind,
    pub(crate) name: Span,
    pub(crate) receiver: Option<Span>,
    pub(crate) receiver_type: Option<Span>,
    /// A member of the receiver that stands between it and the name.
    pub(crate) through: Option<Span>,
    /// What is taken of the receiver.
    pub(crate) taken: Taken,
    /// The type it speaks for when it stands outside that type's body.
    pub(crate) owner: Option<Span>,
}

/// Everything a query captured in one file.
#[derive(Default)]
pub(crate) struct Gathered {
    pub(crate) definitions: Vec<RawDefinition>,
    pub(crate) locals: Vec<RawLocal>,
    pub(crate) scopes: Vec<Span>,
    pub(crate) imports: Vec<RawImport>,
    pub(crate) prefixes: Vec<(Span, Span)>,
    pub(crate) statements: Vec<Span>,
    /// Exported name, if another, and the local it stands for.
    pub(crate) exports: Vec<(Option<Span>, Span)>,
    pub(crate) references: Vec<RawReference>,
    pub(crate) keys: Vec<RawReference>,
    pub(crate) owners: Vec<(Span, Span)>,
    pub(crate) comments: Vec<Span>,
    pub(crate) attributes: Vec<Span>,
    pub(crate) public: Vec<Span>,
    pub(crate) private: Vec<Span>,
    pub(crate) ignored: Vec<Span>,
    /// Brackets and all between them, outermost first.
    pub(crate) inner: Vec<Span>,
    pub(crate) package: Option<Span>,
}

impl Gathered {
    /// Adds what was read between the brackets of macros: the names in all of them, definitions and imports in those that stand
    /// among items. Anywhere else what looks like a definition is only text for a macro.
    pub(super) fn take(&mut self, other: Self, items: &Areas) {
        self.references.extend(other.references);
        self.keys.extend(other.keys);
        self.locals.extend(other.locals);
        self.scopes.extend(other.scopes);
        self.ignored.extend(other.ignored);
        if items.is_empty() {
            return;
        }
        let is_item = |span: &Span| items.hold(span);
        let definitions = other.definitions.into_iter();
        self.definitions
            .extend(definitions.filter(|raw| is_item(&raw.span)));
        let imports = other.imports.into_iter();
        self.imports.extend(imports.filter(|raw| is_item(&raw.at)));
        let pairs = |pairs: Vec<(Span, Span)>| pairs.into_iter().filter(|(at, _)| is_item(at));
        self.prefixes.extend(pairs(other.prefixes));
        self.owners.extend(pairs(other.owners));
        for (own, others) in [
            (&mut self.comments, other.comments),
            (&mut self.attributes, other.attributes),
            (&mut self.public, other.public),
            (&mut self.private, other.private),
        ] {
            own.extend(others.into_iter().filter(is_item));
        }
    }
}

/// The captures of one match, by role.
#[derive(Default)]
struct Parts {
    definition: Option<(SymbolKind, Span)>,
    name: Option<Span>,
    owner: Option<Span>,
    owner_within: Option<Span>,
    body: Option<Span>,
    doc: Option<Span>,
    value_type: Option<Span>,
    value_path: Option<Span>,
    parameters: Option<Span>,
    local_type: Option<Span>,
    local_call: Option<Span>,
    local_path: Option<Span>,
    local_holder: Option<Span>,
    local_holder_type: Option<Span>,
    local_member: Option<Span>,
    through: Option<Span>,
    receiver_type: Option<Span>,
    import_source: Option<Span>,
    import_at: Option<Span>,
    import_name: Option<Span>,
    import_local: Option<Span>,
    import_prefix: Option<Span>,
    import_within: Option<Span>,
    export_name: Option<Span>,
    export_local: Option<Span>,
    receiver: Option<Span>,
}

/// Nothing when the query needed more steps than allowed.
pub(crate) fn gather(
    finder: &mut Finder,
    compiled: &Compiled,
    tree: &Tree,
    text: &str,
) -> Option<Gathered> {
    let mut gathered = Gathered::default();
    // About as many as ordinary source has: growing by copying would cost more.
    gathered.references.reserve(text.len() / 32);
    let is_whole = finder.find(&compiled.query, tree, text, |pattern, captures| {
        if let [only] = captures {
            let role = compiled.roles.captures[usize::from(only.index)];
            take_single(&mut gathered, role, only.span);
            if compiled.roles.patterns[pattern].form.is_none() {
                return;
            }
        }
        // A name after what it is a member of: by far the most of what is left.
        if let [before, name] = captures
            && let Role::Receiver = compiled.roles.captures[usize::from(before.index)]
            && let Role::Reference(kind) = compiled.roles.captures[usize::from(name.index)]
        {
            gathered.references.push(RawReference {
                kind,
                name: name.span,
                receiver: Some(before.span),
                receiver_type: None,
                through: None,
                taken: compiled.roles.patterns[pattern].taken,
                owner: None,
            });
            return;
        }
        take(&mut gathered, compiled, pattern, captures);
    });
    is_whole.then_some(gathered)
}

/// Captures that mean something alone; by far the most.
fn take_single(gathered: &mut Gathered, role: Role, span: Span) {
    match role {
        Role::Reference(kind) => gathered.references.push(RawReference {
            kind,
            name: span,
            receiver: None,
            receiver_type: None,
            through: None,
            taken: Taken::default(),
            owner: None,
        }),
        Role::Scope => gathered.scopes.push(span),
        Role::Local => gathered.locals.push(RawLocal::of(span)),
        Role::Comment => gathered.comments.push(span),
        Role::Attribute => gathered.attributes.push(span),
        Role::Public => gathered.public.push(span),
        Role::Private => gathered.private.push(span),
        Role::Ignore => gathered.ignored.push(span),
        Role::Inner => gathered.inner.push(span),
        Role::ExportLocal => gathered.exports.push((None, span)),
        Role::ImportStatement => gathered.statements.push(span),
        Role::Package if gathered.package.is_none() => gathered.package = Some(span),
        _ => {}
    }
}

fn take(gathered: &mut Gathered, compiled: &Compiled, pattern: usize, captures: &[Capture]) {
    let mut parts = Parts::default();
    for capture in captures {
        let span = capture.span;
        match compiled.roles.captures[usize::from(capture.index)] {
            Role::Definition(kind) => parts.definition = Some((kind, span)),
            Role::Name => parts.name = Some(span),
            Role::Owner => parts.owner = Some(span),
            Role::OwnerWithin => parts.owner_within = Some(span),
            Role::Body => parts.body = Some(span),
            Role::Doc => parts.doc = Some(span),
            Role::ValueType => parts.value_type = Some(span),
            Role::ValuePath => parts.value_path = Some(span),
            Role::Parameters => parts.parameters = Some(span),
            Role::LocalType => parts.local_type = Some(span),
            Role::LocalCall => parts.local_call = Some(span),
            Role::LocalPath => parts.local_path = Some(span),
            Role::LocalHolder => parts.local_holder = Some(span),
            Role::LocalHolderType => parts.local_holder_type = Some(span),
            Role::LocalMember => parts.local_member = Some(span),
            Role::Through => parts.through = Some(span),
            Role::ReceiverType => parts.receiver_type = Some(span),
            Role::ImportSource => parts.import_source = Some(span),
            Role::ImportAt => parts.import_at = Some(span),
            Role::ImportName => parts.import_name = Some(span),
            Role::ImportLocal => parts.import_local = Some(span),
            Role::ImportPrefix => parts.import_prefix = Some(span),
            Role::ImportWithin => parts.import_within = Some(span),
            Role::ExportName => parts.export_name = Some(span),
            Role::ExportLocal => parts.export_local = Some(span),
            Role::Receiver => parts.receiver = Some(span),
            _ => {}
        }
    }
    let settings = compiled.roles.patterns[pattern];
    if captures.len() > 1 {
        for capture in captures {
            let span = capture.span;
            match compiled.roles.captures[usize::from(capture.index)] {
                role @ (Role::Reference(_) | Role::Key) => {
                    let kind = match role {
                        Role::Reference(kind) => kind,
                        _ => ReferenceKind::Use,
                    };
                    let into = match role {
                        Role::Key => &mut gathered.keys,
                        _ => &mut gathered.references,
                    };
                    into.push(RawReference {
                        kind,
                        name: span,
                        receiver: parts.receiver,
                        receiver_type: parts.receiver_type,
                        through: parts.through,
                        taken: settings.taken,
                        owner: parts.owner,
                    });
                }
                Role::Local => {
                    gathered.locals.push(RawLocal {
                        name: span,
                        taken: settings.taken,
                        value_type: parts.local_type,
                        call: parts.local_call,
                        path: parts.local_path,
                        holder: parts.local_holder,
                        holder_type: parts.local_holder_type,
                        member: parts.local_member,
                        through: parts.through,
                    });
                }
                Role::ExportLocal => {}
                role => take_single(gathered, role, span),
            }
        }
    }
    if let (Some((kind, span)), Some(name)) = (parts.definition, parts.name) {
        let Parts {
            owner,
            body,
            doc,
            value_type,
            value_path,
            parameters,
            ..
        } = parts;
        gathered.definitions.push(RawDefinition {
            at_top: settings.at_top,
            pattern,
            kind,
            span,
            name,
            owner,
            body,
            doc,
            value_type,
            value_path,
            parameters,
        });
    } else if let (Some(owner), Some(within)) = (parts.owner, parts.owner_within) {
        gathered.owners.push((within, owner));
    }
    if let Some(form) = settings.form {
        let Parts {
            import_source: source,
            import_name: name,
            import_local: local,
            ..
        } = parts;
        if let Some(at) = name.or(source).or(local).or(parts.import_at) {
            gathered.imports.push(RawImport {
                form,
                reach: settings.reach.unwrap_or(Reach::Private),
                local_is_last: settings.local_is_last,
                relative: settings.relative,
                at,
                source,
                name,
                local,
            });
        }
    }
    if let (Some(prefix), Some(within)) = (parts.import_prefix, parts.import_within) {
        gathered.prefixes.push((within, prefix));
    }
    if captures.len() > 1
        && let Some(local) = parts.export_local
    {
        gathered.exports.push((parts.export_name, local));
    }
}
