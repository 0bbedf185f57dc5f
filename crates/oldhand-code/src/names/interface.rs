//! Whether a compiler holds two files to the same interface that another one declares.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::extract::Extractor;
use crate::facts::{FileFacts, ReferenceKind, SymbolKind};
use crate::language::{LanguageId, language_of};

/// A file and what it says.
pub(super) type Source<'a> = (&'a str, &'a str);

/// Languages in which what an interface asks for has to be there, or nothing is built, and what declares one in them.
const CHECKED: [(&str, &str); 9] = [
    ("go", "interface"),
    ("rs", "trait"),
    ("ts", "interface"),
    ("tsx", "interface"),
    ("java", "interface"),
    ("kt", "interface"),
    ("swift", "protocol"),
    ("cs", "interface"),
    ("scala", "trait"),
];
/// A file that does not name an interface has to have so many methods, and all that it asks for.
const TELLING: usize = 2;

/// What files declare and answer to, each parsed once.
#[derive(Debug, Default)]
pub(super) struct Interfaces {
    parsed: RefCell<BTreeMap<String, Option<Rc<FileFacts>>>>,
}

impl Interfaces {
    /// Whether both files answer to an interface of the third: each has all of its methods, and several, or half of them and names it.
    pub(super) fn binds(&self, declaring: Source<'_>, files: [Source<'_>; 2]) -> bool {
        let [Some(word), Some(_), Some(_)] = [declaring.0, files[0].0, files[1].0].map(declares)
        else {
            return false;
        };
        // Most files are told by their letters, without a parser.
        if !may_declare(declaring.1, word) {
            return false;
        }
        let Some(declaring) = self.parse(declaring) else {
            return false;
        };
        let mut asked = interfaces(&declaring);
        asked.retain(|(name, methods)| files.iter().all(|(_, text)| may_meet(text, name, methods)));
        if asked.is_empty() {
            return false;
        }
        let (Some(one), Some(two)) = (self.parse(files[0]), self.parse(files[1])) else {
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

    fn parse(&self, (path, text): Source<'_>) -> Option<Rc<FileFacts>> {
        let mut parsed = self.parsed.borrow_mut();
        let parse = || {
            let language = language_of(path).and_then(LanguageId::get)?;
            let facts = Extractor::default().extract(language, text).ok()?;
            Some(Rc::new(facts))
        };
        let facts = parsed.entry(path.to_owned()).or_insert_with(parse);
        facts.clone()
    }
}

/// What an interface is declared by in the language of a file, where a compiler checks it.
fn declares(path: &str) -> Option<&'static str> {
    let (_, word) = CHECKED.iter().find(|(end, _)| *end == ending(path))?;
    Some(word)
}

/// Go writes `interface{}` for whatever there is; it asks for nothing.
fn may_declare(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let behind = text[at + word.len()..].trim_start().strip_prefix('{');
        behind.is_none_or(|inside| !inside.trim_start().starts_with('}'))
    })
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
        is_answer(has, methods.len(), || self.named.contains(interface))
    }
}

/// Whether a text has the words of an answer: without them there is none, and nothing to parse.
fn may_meet(text: &str, interface: &str, methods: &BTreeSet<&str>) -> bool {
    let has = methods.iter().filter(|method| text.contains(**method));
    is_answer(has.count(), methods.len(), || text.contains(interface))
}

fn is_answer(has: usize, of: usize, names_it: impl Fn() -> bool) -> bool {
    has == of && has >= TELLING || 2 * has >= of && names_it()
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
            let [asked, first, second] = ["a", "b", "c"].map(|name| format!("{name}.{ending}"));
            let files = [(first.as_str(), one), (second.as_str(), two)];
            let bound = Interfaces::default().binds((&asked, declaring), files);
            assert_eq!(bound, expected, "{declaring} {two}");
        }
    }
}
