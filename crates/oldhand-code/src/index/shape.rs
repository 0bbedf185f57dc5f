//! What other files can see of a file: two versions with the same shape leave everyone else's links as they are.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{FileFacts, ImportForm, Reach, ReferenceKind, SymbolKind};

/// Which links of other files a change may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Those of files that asked for one of these names.
    Names(FxHashSet<String>),
    /// Any.
    All,
}

/// What changed for others between two versions of a file.
pub(super) fn compare(old: &FileFacts, new: &FileFacts) -> Change {
    if passed_on(old) != passed_on(new)
        || bases(old) != bases(new)
        || rebinds(old, new)
        || old.package != new.package
    {
        return Change::All;
    }
    let (old, new) = (visible(old), visible(new));
    let mut names = FxHashSet::default();
    for (name, shape) in &old {
        if new.get(name) != Some(shape) {
            names.insert((*name).to_owned());
        }
    }
    names.extend(
        new.keys()
            .filter(|name| !old.contains_key(*name))
            .map(|name| (*name).to_owned()),
    );
    Change::Names(names)
}

/// Every name of a file, for one that came or went as a whole.
pub(super) fn all_names(facts: &FileFacts) -> Change {
    let passes_on = !passed_on(facts).is_empty();
    if passes_on {
        return Change::All;
    }
    Change::Names(visible(facts).into_keys().map(str::to_owned).collect())
}

/// Names of a file that stand on one of `changed`: what it passes on, types and exports under another name.
pub(super) fn standing_on(facts: &FileFacts, changed: &FxHashSet<String>) -> Vec<String> {
    let mut moved: FxHashSet<&str> = FxHashSet::default();
    let mut grows = true;
    while grows {
        let is_moved = |name: &str| changed.contains(name) || moved.contains(name);
        let imports = facts.imports.iter().filter_map(|import| match import.form {
            ImportForm::Named(name) if is_moved(facts.text(name)) => {
                import.local.map(|local| facts.text(local))
            }
            _ => None,
        });
        let exports = facts.exports.iter();
        let exports = exports.filter(|export| is_moved(facts.text(export.local)));
        let definitions = facts.definitions.iter().filter(|definition| {
            let value = definition.value_type.map(|value| facts.text(value));
            value.is_some_and(|value| value.split(is_no_name).any(is_moved))
        });
        let bases = bases(facts).into_iter().filter(|(_, base)| is_moved(base));
        let more: Vec<&str> = imports
            .chain(exports.map(|export| facts.text(export.name)))
            .chain(definitions.map(|definition| facts.text(definition.name)))
            .chain(bases.map(|(name, _)| name))
            .collect();
        let before = moved.len();
        moved.extend(more);
        grows = moved.len() > before;
    }
    let fresh = moved.into_iter().filter(|name| !changed.contains(*name));
    fresh.map(str::to_owned).collect()
}

fn is_no_name(letter: char) -> bool {
    !letter.is_alphanumeric() && letter != '_' && letter != '$'
}

/// Everything but position, body and words, by name.
fn visible(facts: &FileFacts) -> FxHashMap<&str, Vec<String>> {
    let mut shapes: FxHashMap<&str, Vec<String>> = FxHashMap::default();
    let text = |name: Option<crate::facts::Name>| name.map_or("", |name| facts.text(name));
    for (at, definition) in facts.definitions.iter().enumerate() {
        let mut path = String::new();
        let mut around = definition.container;
        while let Some(outer) = around {
            let outer = &facts.definitions[outer as usize];
            path.push_str(facts.text(outer.name));
            path.push('/');
            around = outer.container;
        }
        let (kind, visibility) = (definition.kind, definition.visibility);
        let (owner, value) = (text(definition.owner), text(definition.value_type));
        let parameters = text(definition.parameters);
        let mut shape = format!("{kind:?} {visibility:?} {path} {owner} {value} {parameters}");
        // Who implements it depends on all that it asks for.
        if kind == SymbolKind::Interface {
            let members = facts.definitions.iter();
            for member in members.filter(|member| member.container == Some(at as u32)) {
                shape.push_str(facts.text(member.signature));
                shape.push(';');
            }
        }
        shapes
            .entry(facts.text(definition.name))
            .or_default()
            .push(shape);
    }
    for export in &facts.exports {
        shapes
            .entry(facts.text(export.name))
            .or_default()
            .push(format!("exports {}", facts.text(export.local)));
    }
    for import in facts
        .imports
        .iter()
        .filter(|import| import.reach != Reach::Private)
    {
        if let (Some(local), ImportForm::Named(name)) = (import.local, import.form) {
            let shape = format!(
                "passes on {} {}",
                facts.text(import.source),
                facts.text(name)
            );
            shapes.entry(facts.text(local)).or_default().push(shape);
        }
    }
    shapes
}

/// Whole modules that the file passes on: names in them cannot be listed without looking further.
fn passed_on(facts: &FileFacts) -> Vec<(&str, Option<&str>)> {
    let whole = facts.imports.iter().filter(|import| {
        import.reach != Reach::Private
            && !matches!(import.form, ImportForm::Named(_) | ImportForm::Effect)
    });
    let mut whole: Vec<_> = whole
        .map(|import| {
            (
                facts.text(import.source),
                import.local.map(|local| facts.text(local)),
            )
        })
        .collect();
    whole.sort_unstable();
    whole.dedup();
    whole
}

fn bases(facts: &FileFacts) -> Vec<(&str, &str)> {
    let named = |at: u32| facts.text(facts.definitions[at as usize].name);
    let bases = facts
        .references
        .iter()
        .filter(|reference| {
            matches!(
                reference.kind,
                ReferenceKind::Extends | ReferenceKind::Implements | ReferenceKind::Alias
            )
        })
        .map(|reference| {
            (
                reference.within.map_or("", named),
                facts.text(reference.name),
            )
        });
    let mut bases: Vec<_> = bases.collect();
    bases.sort_unstable();
    bases
}

/// Whether a name that types or exports of the file stand on now comes from elsewhere.
fn rebinds(old: &FileFacts, new: &FileFacts) -> bool {
    let bound = |facts| sources(facts);
    let (before, after) = (bound(old), bound(new));
    let mut stood_on: FxHashSet<&str> = FxHashSet::default();
    for facts in [old, new] {
        for definition in &facts.definitions {
            let types = [
                definition.value_type,
                definition.owner,
                definition.parameters,
            ];
            let written = types.into_iter().flatten().map(|name| facts.text(name));
            stood_on.extend(written.flat_map(|types| types.split(['|', ','])).map(head));
        }
        stood_on.extend(facts.exports.iter().map(|export| facts.text(export.local)));
        stood_on.extend(bases(facts).into_iter().map(|(_, base)| base));
    }
    stood_on
        .into_iter()
        .any(|name| before.get(name) != after.get(name))
}

fn sources(facts: &FileFacts) -> FxHashMap<&str, (&str, bool)> {
    let locals = facts.imports.iter().filter_map(|import| {
        let whole = matches!(import.form, ImportForm::Module);
        Some((
            facts.text(import.local?),
            (facts.text(import.source), whole),
        ))
    });
    locals.collect()
}

fn head(path: &str) -> &str {
    path.split(['.', ':', '\\', '(']).next().unwrap_or(path)
}
