//! Whether a compiler holds two files to the same interface that another one declares.

use std::collections::BTreeSet;

use crate::extract::Extractor;
use crate::facts::{FileFacts, ReferenceKind, SymbolKind};
use crate::language::{LanguageId, language_of};

/// A file and what it says.
pub(super) type Source<'a> = (&'a str, &'a str);

/// Languages in which what an interface asks for has to be there, or nothing is built.
const CHECKED: [&str; 9] = [
    "go", "rs", "ts", "tsx", "java", "kt", "swift", "cs", "scala",
];
/// A file that does not name an interface has to have so many methods, and all that it asks for.
const TELLING: usize = 2;

/// Whether both files answer to an interface of the third: each has all of its methods, and several, or half of them and names it.
pub(super) fn binds(declaring: Source<'_>, files: [Source<'_>; 2]) -> bool {
    let is_checked = |path: &str| CHECKED.contains(&ending(path));
    if ![declaring.0, files[0].0, files[1].0]
        .into_iter()
        .all(is_checked)
    {
        return false;
    }
    let mut extractor = Extractor::default();
    let mut read = |(path, text): Source<'_>| {
        let language = language_of(path).and_then(LanguageId::get)?;
        extractor.extract(language, text).ok()
    };
    let Some(declaring) = read(declaring) else {
        return false;
    };
    let asked = interfaces(&declaring);
    if asked.is_empty() {
        return false;
    }
    let (Some(one), Some(two)) = (read(files[0]), read(files[1])) else {
        return false;
    };
    let is_go = |path: &str| ending(path) == "go";
    let answers = [
        Answers::of(&one, is_go(files[0].0)),
        Answers::of(&two, is_go(files[1].0)),
    ];
    asked
        .iter()
        .any(|(name, methods)| answers.iter().all(|it| it.meets(name, methods)))
}

fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// The interfaces of a file with the methods that each asks for.
fn interfaces(facts: &FileFacts) -> Vec<(&str, BTreeSet<&str>)> {
    let all = facts.definitions.iter().enumerate();
    let declared = all.filter(|(_, it)| it.kind == SymbolKind::Interface);
    let with_methods = declared.map(|(at, it)| {
        let inside = facts
            .definitions
            .iter()
            .filter(|inner| is_method(inner.kind) && inner.container == u32::try_from(at).ok());
        let methods = inside.map(|inner| facts.text(inner.name)).collect();
        (facts.text(it.name), methods)
    });
    with_methods
        .filter(|(_, methods): &(&str, BTreeSet<&str>)| !methods.is_empty())
        .collect()
}

/// What a file has to answer with.
struct Answers<'f> {
    methods: BTreeSet<&'f str>,
    named: BTreeSet<&'f str>,
}

impl<'f> Answers<'f> {
    fn of(facts: &'f FileFacts, is_go: bool) -> Self {
        let is_own = |container: Option<u32>| {
            let around = container.and_then(|at| facts.definitions.get(at as usize));
            around.is_none_or(|around| around.kind != SymbolKind::Interface)
        };
        let methods = facts.definitions.iter().filter(|it| {
            is_method(it.kind)
                && (it.container.is_some() || it.owner.is_some())
                && is_own(it.container)
        });
        // Go says nowhere what a type is to answer to, but for the type of what makes one, or a check of it.
        let named = facts.references.iter().filter(|it| {
            let is_type = it.kind == ReferenceKind::Type && is_go;
            is_type || matches!(it.kind, ReferenceKind::Implements | ReferenceKind::Extends)
        });
        Self {
            methods: methods.map(|it| facts.text(it.name)).collect(),
            named: named.map(|it| facts.text(it.name)).collect(),
        }
    }

    fn meets(&self, interface: &str, methods: &BTreeSet<&str>) -> bool {
        let has = methods.intersection(&self.methods).count();
        let has_all = has == methods.len() && has >= TELLING;
        has_all || 2 * has >= methods.len() && self.named.contains(interface)
    }
}

fn is_method(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Method | SymbolKind::Function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_answer_to_one_interface_are_bound_by_its_file() {
        const GO: &str = "package a\ntype Agent interface {\n\tName() string\n\tStart() error\n}\ntype Other interface{ Stop() }\n";
        const ONE: &str = "package one\ntype One struct{}\nfunc (o One) Name() string { return \"\" }\nfunc (o *One) Start() error { return nil }\n";
        const LARGE: &str = "package a\ntype Agent interface {\n\tName() string\n\tStart() error\n\tStop() error\n}\n";
        const NAMED: &str = "package one\ntype One struct{}\nfunc New() a.Agent { return &One{} }\nfunc (o One) Name() string { return \"\" }\nfunc (o *One) Start() error { return nil }\n";
        const TRAIT: &str = "pub trait Fs { fn read(&self); fn write(&self); fn close(&self); }";
        const LOCAL: &str =
            "struct L; impl Fs for L { fn read(&self) {} fn write(&self) {} fn close(&self) {} }";
        const PORT: &str = "export interface Port { send(): void }";
        const CLASS: &str = "export class A implements Port { send(): void {} }";
        for (ending, declaring, one, two, expected) in [
            ("go", GO, ONE, ONE, true),
            (
                "go",
                GO,
                ONE,
                "package two\nfunc Name() string { return \"\" }\nfunc Start() error { return nil }\n",
                false,
            ),
            (
                "go",
                GO,
                ONE,
                "package two\ntype T struct{}\nfunc (t T) Name() string { return \"\" }\n",
                false,
            ),
            ("go", GO, ONE, GO, false),
            // Two of three are none that a compiler asks for, unless it is named.
            ("go", LARGE, ONE, ONE, false),
            ("go", LARGE, NAMED, NAMED, true),
            ("go", LARGE, NAMED, ONE, false),
            ("go", ONE, ONE, ONE, false),
            ("rs", TRAIT, LOCAL, LOCAL, true),
            (
                "rs",
                TRAIT,
                LOCAL,
                "struct L; impl L { fn read(&self) {} }",
                false,
            ),
            ("ts", PORT, CLASS, CLASS, true),
            (
                "ts",
                PORT,
                CLASS,
                "export class B { send(): void {} }",
                false,
            ),
            // Nothing looks at it before it runs.
            (
                "py",
                "class A(Protocol):\n  def a(self): ...\n  def b(self): ...\n",
                "class B:\n  def a(self): 1\n  def b(self): 1\n",
                "class B:\n  def a(self): 1\n  def b(self): 1\n",
                false,
            ),
        ] {
            let path = format!("x.{ending}");
            let bound = binds((&path, declaring), [(&path, one), (&path, two)]);
            assert_eq!(bound, expected, "{declaring} {two}");
        }
    }
}
