//! The tree-sitter grammars, by name, so that their C code is compiled once and left alone.
//!
//! This room knows nothing of queries or graphs: it turns a grammar's name into a grammar. A new language adds one line
//! to `GRAMMARS` and one dependency to the manifest.

use tree_sitter::Language;
use tree_sitter_language::LanguageFn;

mod hollow;
mod rows;
mod table;

/// Every grammar and the name by which the language table asks for it, in alphabetical order.
const GRAMMARS: &[(&str, LanguageFn)] = &[
    ("bash", tree_sitter_bash::LANGUAGE),
    ("c", tree_sitter_c::LANGUAGE),
    ("c-sharp", tree_sitter_c_sharp::LANGUAGE),
    ("cpp", tree_sitter_cpp::LANGUAGE),
    ("go", tree_sitter_go::LANGUAGE),
    ("java", tree_sitter_java::LANGUAGE),
    ("javascript", tree_sitter_javascript::LANGUAGE),
    ("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
    ("php", tree_sitter_php::LANGUAGE_PHP),
    ("python", tree_sitter_python::LANGUAGE),
    ("ruby", tree_sitter_ruby::LANGUAGE),
    ("rust", tree_sitter_rust::LANGUAGE),
    ("scala", tree_sitter_scala::LANGUAGE),
    ("swift", tree_sitter_swift::LANGUAGE),
    ("tsx", tree_sitter_typescript::LANGUAGE_TSX),
    ("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
];

/// The grammar called `name`, or nothing when this build has none of that name.
pub fn grammar(name: &str) -> Option<Language> {
    let found = GRAMMARS.iter().find(|(known, _)| *known == name);
    found.map(|(name, language)| {
        hollow::fill(name, *language);
        Language::new(*language)
    })
}

#[cfg(test)]
mod tests {
    use super::{GRAMMARS, grammar};

    #[test]
    fn every_grammar_speaks_a_version_the_parser_understands() {
        for (name, _) in GRAMMARS {
            let language = grammar(name).expect("the table holds it");
            tree_sitter::Parser::new()
                .set_language(&language)
                .unwrap_or_else(|error| panic!("grammar {name}: {error}"));
        }
    }

    #[test]
    fn an_unknown_name_has_no_grammar() {
        assert!(grammar("klingon").is_none());
    }
}
