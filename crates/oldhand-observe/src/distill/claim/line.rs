//! What one line of the project's own code says: of which type something is, and which of its files another takes in. Whoever works there
//! reads that line, and a compiler holds them to it.

/// The name and the type of a statement that tells nothing but that one has, takes or gives the other.
pub fn typed(statement: &str) -> Option<(&str, &str)> {
    let parts: Vec<&str> = statement.split('`').collect();
    let [before, name, verb, made, rest @ ..] = parts.as_slice() else {
        return None;
    };
    let begins = ["", "the", "each", "every"].contains(&before.trim().to_lowercase().as_str());
    let says_type = begins && is_of_type(verb) && is_type(made) && !goes_on(rest);
    says_type.then_some((*name, *made))
}

/// The line, from one on, in which a text gives a name this type: that of the name, or one of the block that it opens.
pub fn typed_at(text: &str, (name, made): (&str, &str)) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut named = (0..lines.len()).filter(|at| has_word(lines[*at], name));
    let at = named.find_map(|at| {
        let opens = lines[at].trim_end().ends_with(['{', '(', ':']);
        let inside = if opens { BLOCK } else { 0 };
        let last = (at + inside).min(lines.len() - 1);
        (at..=last).find(|at| lines[*at].contains(made))
    })?;
    Some(at + 1)
}

/// Whether a statement says that something uses or imports a file of the project, by the path that only its own code has for it.
pub(super) fn is_import(statement: &str) -> bool {
    const TAKES: [&str; 6] = ["uses", "use", "imports", "import", "loads", "from"];
    let parts: Vec<&str> = statement.split('`').collect();
    let mut names = (1..parts.len()).step_by(2);
    names.any(|at| {
        let is_own = ["@/", "./", "../"].iter().any(|own| {
            let path = parts[at].strip_prefix(own);
            path.is_some_and(|path| path.starts_with(char::is_alphanumeric))
        });
        let last = parts[at - 1].split_whitespace().next_back();
        is_own && last.is_some_and(|last| TAKES.contains(&last))
    })
}

/// So many lines of a block are looked at.
const BLOCK: usize = 20;
/// More words behind a type tell more than the type.
const BEHIND: usize = 6;

fn is_of_type(words: &str) -> bool {
    const VERBS: [&str; 8] = [
        "has", "have", "takes", "returns", "accepts", "holds", "stores", "contains",
    ];
    let mut words = words.split_whitespace();
    let is_verb = words.next().is_some_and(|verb| VERBS.contains(&verb));
    is_verb && words.all(|word| ["a", "an", "type", "the", "of"].contains(&word))
}

/// Whether code between backticks is a type and not a name or a value: `Box<Row>`, `&str`, `number[]`, `rows: u32`.
fn is_type(code: &str) -> bool {
    const PLAIN: [&str; 14] = [
        "string", "String", "number", "boolean", "bool", "int", "str", "float", "i32", "u32",
        "i64", "u64", "usize", "f64",
    ];
    let generic = code.ends_with('>') && code.find('<').is_some_and(|at| at > 0);
    let marked = ["&", "[]", "map["]
        .iter()
        .any(|mark| code.starts_with(mark));
    let of_field = code.split_once(": ").is_some_and(|(_, made)| is_type(made));
    PLAIN.contains(&code) || generic || marked || code.ends_with("[]") || of_field
}

/// Whether what follows a type tells more than which other type it is not.
fn goes_on(rest: &[&str]) -> bool {
    const MARKS: [char; 5] = [',', ';', ':', '—', '('];
    const JOINTS: [&str; 12] = [
        "so", "which", "that", "because", "when", "but", "and", "if", "unless", "even", "only",
        "silently",
    ];
    let mut words = rest
        .iter()
        .step_by(2)
        .flat_map(|part| part.split_whitespace());
    let is_more = |word: &str| word.contains(MARKS) || JOINTS.contains(&word);
    words.clone().count() > BEHIND || words.any(is_more)
}

/// Whether a text has a word, and not only as a part of a longer one.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_alone_is_told_apart_from_what_something_does() {
        for (statement, expected) in [
            (
                "`Assign` has `Box<Expr>` not `Option<Box<Expr>>` for its fields.",
                Some(("Assign", "Box<Expr>")),
            ),
            ("The `load` takes a `&str`.", Some(("load", "&str"))),
            ("`rows` returns `number[]`.", Some(("rows", "number[]"))),
            ("`Page` has `limit: u32`.", Some(("Page", "limit: u32"))),
            // What it does with it, and when.
            ("`load` takes `&str`, so a path with a blank is cut.", None),
            (
                "`find` returns `Option<Row>` even when the row is locked.",
                None,
            ),
            ("`find` returns `null`.", None),
            ("`Entity` has no `Vec<Mesh>`.", None),
            ("`sync` only takes `Vec<Row>`.", None),
            ("Relay's `find` returns `Option<Row>`.", None),
            ("`flush` waits for `fsync`.", None),
            ("`--page` has `<n>`.", None),
        ] {
            assert_eq!(typed(statement), expected, "{statement}");
        }
    }

    #[test]
    fn the_line_or_the_block_of_a_name_says_its_type() {
        let pair = ("Assign", "Box<Expr>");
        for (text, line) in [
            ("enum Expr {\n    Assign(Box<Expr>, Span),\n}", Some(2)),
            ("Assign {\n    left: Box<Expr>,\n}", Some(2)),
            ("Assign(Span),\nDrop(Box<Expr>),", None),
            ("AssignAll(Box<Expr>),", None),
            ("", None),
        ] {
            assert_eq!(typed_at(text, pair), line, "{text}");
        }
    }

    #[test]
    fn a_path_of_the_project_that_is_taken_in_is_its_own() {
        for (statement, expected) in [
            (
                "Relay uses `@/libs/db` but the page imports from `@/libs/orm`.",
                true,
            ),
            ("`load` imports `../rows`.", true),
            ("Relay resolves `@/libs` only in its own config.", false),
            ("Relay uses `@larch/plugin`, which keeps the rows.", false),
            ("Relay uses the `main` field in `package.json`.", false),
            ("Relay uses `./`.", false),
        ] {
            assert_eq!(is_import(statement), expected, "{statement}");
        }
    }
}
