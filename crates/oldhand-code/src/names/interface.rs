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
/// A file that names no interface has to have so many of its methods.
const TELLING: usize = 2;

/// Whether both files answer to an interface of the third: each has at least half of its methods, and says so or has several.
pub(super) fn binds(declaring: Source<'_>, files: [Source<'_>; 2]) -> bool {
    let is_checked = |path: &str| {
        let ending = path.rsplit_once('.').map(|(_, ending)| ending);
        ending.is_some_and(|ending| CHECKED.contains(&ending))
    };
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
    let answers = [&one, &two].map(Answers::of);
    asked
        .iter()
        .any(|(name, methods)| answers.iter().all(|it| it.meets(name, methods)))
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
    fn of(facts: &'f FileFacts) -> Self {
        let is_own = |container: Option<u32>| {
            let around = container.and_then(|at| facts.definitions.get(at as usize));
            around.is_none_or(|around| around.kind != SymbolKind::Interface)
        };
        let methods = facts.definitions.iter().filter(|it| {
            is_method(it.kind)
                && (it.container.is_some() || it.owner.is_some())
                && is_own(it.container)
        });
        let named = facts
            .references
            .iter()
            .filter(|it| matches!(it.kind, ReferenceKind::Implements | ReferenceKind::Extends));
        Self {
            methods: methods.map(|it| facts.text(it.name)).collect(),
            named: named.map(|it| facts.text(it.name)).collect(),
        }
    }

    fn meets(&self, interface: &str, methods: &BTreeSet<&str>) -> bool {
        let has = methods.intersection(&self.methods).count();
        2 * has >= methods.len() && (has >= TELLING || has > 0 && self.named.contains(interface))
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
