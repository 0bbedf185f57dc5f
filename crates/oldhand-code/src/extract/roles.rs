//! What the captures of a query mean: the small vocabulary that query files are written in.

use crate::facts::{Reach, ReferenceKind, SymbolKind};
use crate::query::Query;

/// What one capture stands for. docs/languages.md lists the spellings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Definition(SymbolKind),
    Name,
    Owner,
    /// Everything inside belongs to the owner of the same match.
    OwnerWithin,
    Body,
    Doc,
    ValueType,
    /// A name whose value the definition takes over.
    ValuePath,
    /// The brackets around the parameters of a definition.
    Parameters,
    Public,
    Private,
    Comment,
    Attribute,
    Scope,
    Local,
    LocalType,
    LocalCall,
    /// A path of names whose value the local is, or one of whose values.
    LocalPath,
    /// What the local is a member of, as a value or as a type.
    LocalHolder,
    LocalHolderType,
    /// Which member of its holder the local is, where it is called otherwise.
    LocalMember,
    /// A member of the holder or receiver, of which the name is a member in turn.
    Through,
    ImportSource,
    /// A whole statement: its first word is a keyword, the rest a path that may end in a group.
    ImportStatement,
    ImportName,
    /// Where an import stands that has neither source nor name of its own.
    ImportAt,
    ImportLocal,
    /// Put before the source of every import inside the `ImportWithin` of the same match.
    ImportPrefix,
    ImportWithin,
    ExportName,
    ExportLocal,
    Package,
    Reference(ReferenceKind),
    /// A key of a literal that may be the name of its value as well; it has a receiver.
    Key,
    Receiver,
    /// The type of what would stand before the name.
    ReceiverType,
    /// Text that looks like a reference but is none.
    Ignore,
    /// Text in brackets that the grammar leaves unread, read again as statements.
    Inner,
}

/// The meaning of a pattern that imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Named,
    Default,
    Module,
    All,
    Effect,
    /// The last name of the source is what is imported.
    Path,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pattern {
    pub(crate) form: Option<Form>,
    pub(crate) reach: Option<Reach>,
    /// The file calls the import by the last name of its source.
    pub(crate) local_is_last: bool,
    /// What is defined counts only outside of functions.
    pub(crate) at_top: bool,
    /// The source is seen from the file, though it does not say so.
    pub(crate) relative: bool,
    pub(crate) taken: Taken,
}

/// What is meant of a type or of something called: the type of one of its parameters, and of a parameter of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) argument: Option<u8>,
    pub(crate) parameter: Option<u8>,
}

impl Taken {
    /// As it stands behind the name in a path: `watch(1)(0)`.
    pub(crate) fn suffix(self) -> String {
        let mut suffix = String::new();
        for number in [self.argument, self.parameter].into_iter().flatten() {
            suffix.push('(');
            suffix.push_str(&number.to_string());
            suffix.push(')');
        }
        suffix
    }
}

/// The roles of a query's captures and the settings of its patterns.
pub(crate) struct Roles {
    pub(crate) captures: Vec<Role>,
    pub(crate) patterns: Vec<Pattern>,
}

impl Roles {
    pub(crate) fn read(query: &Query) -> Result<Self, String> {
        let captures: Result<Vec<Role>, String> = query
            .captures
            .iter()
            .map(|name| role(name).ok_or_else(|| format!("unknown capture @{name}")))
            .collect();
        let mut patterns = Vec::with_capacity(query.patterns.len());
        for written in &query.patterns {
            let mut pattern = Pattern::default();
            for (key, value) in &written.settings {
                match (key.as_str(), value.as_str()) {
                    ("form", text) => {
                        pattern.form =
                            Some(form(text).ok_or_else(|| format!("unknown form {text}"))?);
                    }
                    ("reach", "reexported") => pattern.reach = Some(Reach::Reexported),
                    ("reach", "visible") => pattern.reach = Some(Reach::Visible),
                    ("local", "last") => pattern.local_is_last = true,
                    ("place", "top") => pattern.at_top = true,
                    ("relative", "yes") => pattern.relative = true,
                    ("argument", number) => pattern.taken.argument = number.parse().ok(),
                    ("parameter", number) => pattern.taken.parameter = number.parse().ok(),
                    (key, _) => return Err(format!("unknown setting {key}")),
                }
            }
            patterns.push(pattern);
        }
        Ok(Self {
            captures: captures?,
            patterns,
        })
    }
}

fn role(name: &str) -> Option<Role> {
    if let Some(kind) = name.strip_prefix("definition.") {
        return SymbolKind::from_spelling(kind).map(Role::Definition);
    }
    Some(match name {
        "name" => Role::Name,
        "owner" => Role::Owner,
        "owner.within" => Role::OwnerWithin,
        "body" => Role::Body,
        "doc" => Role::Doc,
        "value_type" => Role::ValueType,
        "value_path" => Role::ValuePath,
        "parameters" => Role::Parameters,
        "public" => Role::Public,
        "private" => Role::Private,
        "comment" => Role::Comment,
        "attribute" => Role::Attribute,
        "scope" => Role::Scope,
        "local" => Role::Local,
        "local.type" => Role::LocalType,
        "local.call" => Role::LocalCall,
        "local.path" => Role::LocalPath,
        "local.holder" => Role::LocalHolder,
        "local.holder.type" => Role::LocalHolderType,
        "local.member" => Role::LocalMember,
        "through" => Role::Through,
        "import.source" => Role::ImportSource,
        "import.statement" => Role::ImportStatement,
        "import.at" => Role::ImportAt,
        "import.name" => Role::ImportName,
        "import.local" => Role::ImportLocal,
        "import.prefix" => Role::ImportPrefix,
        "import.within" => Role::ImportWithin,
        "export.name" => Role::ExportName,
        "export.local" => Role::ExportLocal,
        "package" => Role::Package,
        "use" => Role::Reference(ReferenceKind::Use),
        "type" => Role::Reference(ReferenceKind::Type),
        "call" => Role::Reference(ReferenceKind::Call),
        "alias" => Role::Reference(ReferenceKind::Alias),
        "construct" => Role::Reference(ReferenceKind::Construct),
        "extends" => Role::Reference(ReferenceKind::Extends),
        "implements" => Role::Reference(ReferenceKind::Implements),
        "key" => Role::Key,
        "receiver" => Role::Receiver,
        "receiver.type" => Role::ReceiverType,
        "ignore" => Role::Ignore,
        "inner" => Role::Inner,
        _ => return None,
    })
}

fn form(text: &str) -> Option<Form> {
    Some(match text {
        "named" => Form::Named,
        "default" => Form::Default,
        "module" => Form::Module,
        "all" => Form::All,
        "effect" => Form::Effect,
        "path" => Form::Path,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_capture_is_explained_to_those_who_add_a_language() {
        let source = include_str!("roles.rs");
        let guide = include_str!("../../../../docs/languages.md");
        let spellings = source
            .lines()
            .filter_map(|line| line.trim().strip_prefix('"')?.split_once("\" => Role::"));
        let mut count = 0;
        for (spelling, _) in spellings {
            assert!(
                guide.contains(&format!("`@{spelling}`")),
                "docs/languages.md does not explain @{spelling}"
            );
            count += 1;
        }
        assert!(count > 20, "the spellings were not found");
    }
}
