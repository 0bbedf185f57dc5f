//! What one file says, as plain data: the result of parsing, and all that linking ever looks at.
//!
//! Facts depend on the file's bytes alone, never on its neighbours, so they are cached by content hash. Text is kept once
//! per file in [`Names`]; everything else refers to it by [`Name`].

pub mod codec;
pub mod store;

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

/// A piece of text of one file, by its number in that file's [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub u32);

/// All texts of one file, each kept once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    pub(crate) text: String,
    pub(crate) ends: Vec<u32>,
}

impl Names {
    pub fn get(&self, name: Name) -> &str {
        let at = name.0 as usize;
        let end = self.ends[at] as usize;
        let start = if at == 0 {
            0
        } else {
            self.ends[at - 1] as usize
        };
        &self.text[start..end]
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// Collects the texts of a file while it is being read.
#[derive(Default)]
pub struct NamesBuilder {
    names: Names,
    /// By the hash of the text, or the next free number after it.
    known: FxHashMap<u64, Name>,
}

impl NamesBuilder {
    pub fn add(&mut self, text: &str) -> Name {
        let place = match self.place(text) {
            Ok(name) => return name,
            Err(place) => place,
        };
        let name = Name(self.names.ends.len() as u32);
        self.names.text.push_str(text);
        self.names.ends.push(self.names.text.len() as u32);
        self.known.insert(place, name);
        name
    }

    /// The name of `text`, or where it would be kept.
    fn place(&self, text: &str) -> Result<Name, u64> {
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        let mut place = hasher.finish();
        while let Some(&name) = self.known.get(&place) {
            if self.names.get(name) == text {
                return Ok(name);
            }
            place = place.wrapping_add(1);
        }
        Err(place)
    }

    pub fn get(&self, name: Name) -> &str {
        self.names.get(name)
    }

    pub fn find(&self, text: &str) -> Option<Name> {
        self.place(text).ok()
    }

    pub fn finish(self) -> Names {
        self.names
    }
}

/// The facts of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileFacts {
    pub names: Names,
    /// How many lines the file has.
    pub lines: u32,
    /// The comment or docstring that opens the file.
    pub doc: Option<Name>,
    /// The package or namespace that the file says it belongs to.
    pub package: Option<Name>,
    /// Whether the parser had to skip over text it did not understand.
    pub syntax: Syntax,
    /// In the order of their first byte; a container comes before what it contains.
    pub definitions: Vec<Definition>,
    pub imports: Vec<Import>,
    /// Exports by name of something defined or imported elsewhere in the file (`export { a as b }`).
    pub exports: Vec<Export>,
    /// Uses of names that are not local to a function, in the order of their first byte.
    pub references: Vec<Reference>,
}

impl FileFacts {
    pub fn text(&self, name: Name) -> &str {
        self.names.get(name)
    }

    /// Definitions that stand at the top of the file, with their numbers.
    pub fn top_level(&self) -> impl Iterator<Item = (u32, &Definition)> {
        let all = self.definitions.iter().enumerate();
        all.filter(|(_, definition)| definition.container.is_none() && definition.owner.is_none())
            .map(|(at, definition)| (at as u32, definition))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    #[default]
    Clean,
    Broken,
}

/// A thing that a file defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub kind: SymbolKind,
    pub name: Name,
    /// The definition around this one, by its number in the file.
    pub container: Option<u32>,
    /// The type this belongs to when it stands outside that type's body (a Rust `impl`, a Go receiver), as written.
    pub owner: Option<Name>,
    pub visibility: Visibility,
    /// The text up to the body, in one line.
    pub signature: Name,
    pub doc: Option<Name>,
    /// The type of the value: what a function returns, what a variable or field holds, without its arguments. Where it
    /// may be one of several types, a bar stands between them.
    pub value_type: Option<Name>,
    /// The types of the parameters, with a comma after each; nothing stands before the comma where none is known.
    pub parameters: Option<Name>,
    /// First and last line, counted from 1.
    pub first_line: u32,
    pub last_line: u32,
    /// Fingerprint of the text without its white space.
    pub body: u64,
}

/// What a definition is. The order is part of the cache and snapshot formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SymbolKind {
    File,
    Module,
    Class,
    Interface,
    Type,
    Enum,
    Function,
    Method,
    Field,
    Variable,
    Constant,
    Macro,
    Test,
}

impl SymbolKind {
    pub const ALL: [Self; 13] = [
        Self::File,
        Self::Module,
        Self::Class,
        Self::Interface,
        Self::Type,
        Self::Enum,
        Self::Function,
        Self::Method,
        Self::Field,
        Self::Variable,
        Self::Constant,
        Self::Macro,
        Self::Test,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Module => "module",
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Type => "type",
            Self::Enum => "enum",
            Self::Function => "function",
            Self::Method => "method",
            Self::Field => "field",
            Self::Variable => "variable",
            Self::Constant => "constant",
            Self::Macro => "macro",
            Self::Test => "test",
        }
    }

    pub fn from_spelling(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Whether it is called, or run as a test.
    pub fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Test)
    }

    /// Whether values of this type have members.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Interface | Self::Type | Self::Enum
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Visibility {
    /// Seen from its own file, or from its own type, only.
    Private,
    /// Seen from the rest of its package or module.
    Inner,
    /// Seen from everywhere, and exported where the language asks for that.
    Public,
}

/// One name brought in from elsewhere; `import a, { b } from "x"` is two of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Where from, as written but without quotes: `./a`, `pkg.mod`, `crate::a`, `example.org/mod/pkg`.
    pub source: Name,
    pub form: ImportForm,
    /// What the file calls it.
    pub local: Option<Name>,
    pub reach: Reach,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportForm {
    /// The module itself: `import * as m`, `import a.b`, `mod m;`, a Go package.
    Module,
    /// One name of it. A default export is called `default`.
    Named(Name),
    /// Everything it exports.
    All,
    /// Nothing; the file is only run or read.
    Effect,
}

/// Whether importing files see the imported name too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// No.
    Private,
    /// Yes, though that is not why it is imported (an attribute of a Python module, a `use` seen by inner modules).
    Visible,
    /// Yes, and on purpose.
    Reexported,
}

/// `export { local as name }`, `export default local`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    pub name: Name,
    pub local: Name,
}

/// A use of a name that may be defined elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub kind: ReferenceKind,
    pub name: Name,
    pub receiver: Receiver,
    /// The innermost definition around it, by its number in the file.
    pub within: Option<u32>,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ReferenceKind {
    Use,
    Type,
    Call,
    Construct,
    Extends,
    Implements,
    /// A type that another type is a name for, or one of those it may be.
    Alias,
}

/// What stands before the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Receiver {
    /// Nothing: the name stands alone.
    None,
    /// `this`, `self`: the type around it.
    Itself,
    /// `super`: what the type around it extends.
    Parent,
    /// A path of names (`a.b`, `a::b`, `a.b().c`) whose first name is not local.
    Path(Name),
    /// A local variable of a known type, or what a path of names leads to from there.
    Typed(Name),
    /// The result of calling what this path of names leads to.
    Returned(Name),
    /// An expression, or a local variable that could be anything.
    Unknown,
}
