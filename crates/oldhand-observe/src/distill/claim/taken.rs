//! What a tool takes a name for: "`x` treats `a` as `b`". It is met where a file has both, and gone with the code that met it.

use super::line::has_word;

/// The two names of a statement that says that one of them is taken for the other.
pub fn taken_for(statement: &str) -> Option<(&str, &str)> {
    const TAKES: [&str; 8] = [
        "treats",
        "sees",
        "regards",
        "considers",
        "infers",
        "types",
        "narrows",
        "reads",
    ];
    let parts: Vec<&str> = statement.split('`').collect();
    let mut names = (1..parts.len()).step_by(2);
    names.find_map(|at| {
        let other = parts.get(at + 2).filter(|_| at + 3 < parts.len())?;
        let mut before = parts[at - 1].split_whitespace().rev().take(NEAR);
        let between: Vec<&str> = parts[at + 1].split_whitespace().collect();
        let is_taken = before.any(|word| TAKES.contains(&word))
            && between.len() <= NEAR
            && between.last() == Some(&"as");
        is_taken.then_some((parts[at], *other))
    })
}

/// What of a name stands in texts: of `LOCK_*` its beginning.
pub fn stem(name: &str) -> &str {
    name.trim_end_matches('*')
}

/// Whether a text has both names, those that stand for several by their beginning.
pub fn meets(text: &str, (name, other): (&str, &str)) -> bool {
    let has = |name: &str| match name.strip_suffix('*') {
        Some(beginning) => text.contains(beginning),
        None => has_word(text, name),
    };
    has(name) && has(other)
}

/// So many words stand between a name and its verb, or between two names.
const NEAR: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_for_what_names_both() {
        for (statement, expected) in [
            (
                "`ty` treats the stdlib `LOCK_*` constants as `Final`.",
                Some(("LOCK_*", "Final")),
            ),
            (
                "Larch reads `rows` as `any`, which hides the mistake.",
                Some(("rows", "any")),
            ),
            ("`git` treats `dist` as a file.", None),
            ("`larch` treats `dist` and everything in it as `out`.", None),
            ("`larch` writes `dist` as `out`.", None),
            ("`larch` treats both alike.", None),
        ] {
            assert_eq!(taken_for(statement), expected, "{statement}");
        }
    }

    #[test]
    fn a_text_meets_it_that_has_both() {
        let pair = ("LOCK_*", "Final");
        assert!(meets("LOCK_EX: Final = 2", pair));
        assert!(!meets("from fcntl import LOCK_EX", pair));
        assert!(!meets("LOCK_EX = Finalizer()", pair));
        assert!(!meets("UNLOCK: Final = 2", pair));
    }
}
