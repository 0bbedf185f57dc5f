//! The table of languages: `languages.toml` and the query files, joined with the grammars.
//!
//! Everything that differs between languages while a file is parsed is data here; only the meaning of imports is code,
//! in [`crate::resolve`].

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use crate::extract::roles::Roles;
use crate::facts::Visibility;
use crate::query::Query;

const TABLE: &str = include_str!("../languages.toml");
const QUERIES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/queries.rs"));

/// A language by its number in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LanguageId(pub u8);

impl LanguageId {
    /// A file that is part of the project but is not source code (a manifest, prose).
    pub const NONE: Self = Self(u8::MAX);

    pub fn get(self) -> Option<&'static Language> {
        languages().get(usize::from(self.0))
    }

    pub fn name(self) -> &'static str {
        self.get().map_or("text", |language| &language.name)
    }
}

/// An interface by which the members of another type are had through the type that implements it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forward {
    /// The interface.
    pub by: String,
    /// What its block calls the other type.
    pub to: String,
}

/// One language as the table describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    pub name: String,
    /// Its name in `oldhand-grammars`.
    grammar: String,
    /// Query files, joined in this order; of two patterns that define one node the later wins.
    queries: Vec<String>,
    pub extensions: Vec<String>,
    /// Whole file names without a telling extension (`Rakefile`).
    #[serde(default)]
    pub files: Vec<String>,
    /// Which rules give imports their meaning.
    pub resolver: String,
    /// Words for the value a method is called on.
    #[serde(default)]
    pub itself: Vec<String>,
    /// Words for the type that the one around extends.
    #[serde(default)]
    pub parent: Vec<String>,
    /// What joins the names of a path.
    pub separators: Vec<String>,
    /// Methods that give what they are called on, or what that wraps, where its type has none of that name.
    #[serde(default)]
    pub passing: Vec<String>,
    /// Interfaces by which the members of another type are had through a type.
    #[serde(default)]
    pub forwards: Vec<Forward>,
    /// Methods that make a value of their type; nobody calls them through a base.
    #[serde(default)]
    pub constructors: Vec<String>,
    /// Parts of a path, after a leading slash, that mark tests.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Who sees a definition that says nothing about it.
    #[serde(default)]
    visibility: Shown,
    /// Methods name the members of their type without a receiver.
    #[serde(default)]
    members_in_scope: bool,
    /// A type implements an interface by having its methods.
    #[serde(default)]
    implements_by_shape: bool,
    #[serde(skip)]
    compiled: OnceLock<Option<Compiled>>,
}

/// How visibility is known when no capture tells it.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Shown {
    /// Top-level definitions are private, members public.
    #[default]
    Exported,
    Public,
    Private,
    /// A leading underscore hides.
    Underscore,
    /// A leading capital shows.
    Capital,
}

/// Grammar and query, made ready once per process.
pub(crate) struct Compiled {
    pub(crate) grammar: tree_sitter::Language,
    pub(crate) query: Query,
    pub(crate) roles: Roles,
}

impl Language {
    /// The name of its grammar in `oldhand-grammars`.
    pub fn grammar(&self) -> &str {
        &self.grammar
    }

    /// The grammar with its query, compiled when first asked for.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        self.compiled.get_or_init(|| self.compile().ok()).as_ref()
    }

    fn compile(&self) -> Result<Compiled, String> {
        let grammar = oldhand_grammars::grammar(&self.grammar)
            .ok_or_else(|| format!("no grammar {}", self.grammar))?;
        let query = Query::new(&grammar, &self.query_text())?;
        let roles = Roles::read(&query)?;
        Ok(Compiled {
            grammar,
            query,
            roles,
        })
    }

    pub(crate) fn query_text(&self) -> String {
        let texts = self
            .queries
            .iter()
            .filter_map(|wanted| QUERIES.iter().find(|(name, _)| name == wanted));
        texts.map(|(_, text)| *text).collect::<Vec<_>>().join("\n")
    }

    /// Who sees a definition called `name` that says nothing about it.
    pub(crate) fn visibility_of(&self, name: &str, place: Place) -> Visibility {
        let shown = match self.visibility {
            Shown::Exported => place == Place::Member,
            Shown::Public => true,
            Shown::Private => false,
            Shown::Underscore => {
                !name.starts_with('_') || (name.starts_with("__") && name.ends_with("__"))
            }
            Shown::Capital => name.chars().next().is_some_and(char::is_uppercase),
        };
        if shown {
            Visibility::Public
        } else {
            Visibility::Private
        }
    }

    /// Whether a top-level definition must say that it is exported to be seen elsewhere.
    pub(crate) fn must_export(&self) -> bool {
        self.visibility == Shown::Exported
    }

    /// Whether a leading underscore keeps a name out of what is imported as a whole.
    pub(crate) fn hides_underscores(&self) -> bool {
        self.visibility == Shown::Underscore
    }

    /// Whether a method sees the members of its type by their bare names.
    pub(crate) fn members_in_scope(&self) -> bool {
        self.members_in_scope
    }

    /// Whether a type implements an interface by having its methods, without saying so.
    pub(crate) fn implements_by_shape(&self) -> bool {
        self.implements_by_shape
    }

    /// The names of a path, in order.
    pub(crate) fn split<'t>(&self, path: &'t str) -> Vec<&'t str> {
        let mut parts = vec![path];
        for separator in &self.separators {
            parts = parts
                .into_iter()
                .flat_map(|part| part.split(separator.as_str()))
                .collect();
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// Whether `path` (relative, forward slashes) is a place where this language keeps tests.
    pub fn keeps_tests_at(&self, path: &str) -> bool {
        let rooted = format!("/{path}");
        self.tests.iter().any(|mark| rooted.contains(mark.as_str()))
    }
}

/// Where a definition stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Top,
    Member,
}

#[derive(Deserialize)]
struct Table {
    language: Vec<Language>,
}

/// All languages, in the order of the table.
pub fn languages() -> &'static [Language] {
    static LANGUAGES: OnceLock<Vec<Language>> = OnceLock::new();
    LANGUAGES.get_or_init(|| {
        let table: Table = toml::from_str(TABLE).expect("a test reads the table that is built in");
        table.language
    })
}

/// The language of the file at `path`, by its extension or name.
pub fn language_of(path: &str) -> Option<LanguageId> {
    static BY_NAME: OnceLock<FxHashMap<&str, LanguageId>> = OnceLock::new();
    let known = BY_NAME.get_or_init(|| names(TABLE).collect());
    let file = path.rsplit('/').next().unwrap_or(path);
    let whole = known
        .get(file)
        .filter(|_| file.starts_with(char::is_uppercase));
    whole
        .or_else(|| known.get(file.rsplit_once('.')?.1))
        .copied()
}

/// The extensions and file names of a table, read off its lines: reading all of it takes longer than walking a small tree.
fn names(table: &str) -> impl Iterator<Item = (&str, LanguageId)> {
    let languages = table.split("[[language]]").skip(1).zip(0..);
    languages.flat_map(|(language, at)| {
        let lines = language.lines();
        let telling = lines.filter(|line| {
            let key = line.split_once(" = ").map(|(key, _)| key);
            matches!(key, Some("extensions" | "files"))
        });
        let names = telling.flat_map(|line| line.split('"').skip(1).step_by(2));
        names.map(move |name| (name, LanguageId(at)))
    })
}

/// Changes whenever cached facts would no longer be what parsing again would give. Worked out by the compiler: whoever opens a graph asks for it first.
pub(crate) const FINGERPRINT: u64 = {
    let mut sum = mixed(0, &crate::extract::REVISION.to_le_bytes());
    sum = mixed(sum, TABLE.as_bytes());
    let mut at = 0;
    while at < QUERIES.len() {
        let (name, text) = QUERIES[at];
        sum = mixed(mixed(sum, name.as_bytes()), text.as_bytes());
        at += 1;
    }
    sum
};

/// A sum that tells other bytes, and the same bytes cut elsewhere.
const fn mixed(mut sum: u64, bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut at = 0;
    while at < bytes.len() {
        sum = (sum ^ bytes[at] as u64).wrapping_mul(FACTOR);
        sum ^= sum >> 32;
        at += 1;
    }
    (sum ^ bytes.len() as u64).wrapping_mul(FACTOR)
}

#[cfg(test)]
mod tests {
    use super::{LanguageId, QUERIES, TABLE, language_of, languages, mixed, names};

    #[test]
    fn a_fingerprint_tells_other_texts_and_other_cuts() {
        let sums = [
            mixed(mixed(0, b"ab"), b"c"),
            mixed(mixed(0, b"a"), b"bc"),
            mixed(mixed(0, b"ab"), b"d"),
            mixed(mixed(0, b"abc"), b""),
            mixed(0, b"abc"),
        ];
        for (at, sum) in sums.iter().enumerate() {
            assert!(!sums[..at].contains(sum), "{at}");
        }
    }

    #[test]
    fn every_language_compiles() {
        for language in languages() {
            for wanted in &language.queries {
                assert!(
                    QUERIES.iter().any(|(name, _)| name == wanted),
                    "{} asks for {wanted}",
                    language.name
                );
            }
            if let Err(error) = language.compile() {
                panic!("{}: {error}", language.name);
            }
        }
    }

    #[test]
    fn names_that_are_read_off_lines_are_those_of_the_table() {
        let all = languages().iter().enumerate();
        let truth = all.flat_map(|(at, language)| {
            let names = language.extensions.iter().chain(&language.files);
            names.map(move |name| (name.as_str(), LanguageId(at as u8)))
        });
        assert!(names(TABLE).eq(truth));
    }

    #[test]
    fn extensions_belong_to_one_language() {
        let mut seen = std::collections::HashMap::new();
        for language in languages() {
            for extension in &language.extensions {
                assert_eq!(seen.insert(extension, &language.name), None, "{extension}");
            }
        }
    }

    #[test]
    fn a_file_is_known_by_its_extension() {
        let name = |path| language_of(path).map(LanguageId::name);
        assert_eq!(name("src/a.d.ts"), Some("typescript"));
        assert_eq!(name("a.tsx"), Some("tsx"));
        assert_eq!(name("LICENSE"), None);
    }
}
