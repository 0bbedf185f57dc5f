//! Whether two rules give one name in code different values.

use oldhand_domain::words;

/// "Auto commit: `allowsMain() = true`, as it is safe" and "Auto commit: `allowsMain() = false`, as it is not": what leads up to the value is the
/// same, and only then it is the same thing that they speak of. The reasons behind it may be as different as the values are.
pub(super) fn is_another(a: &str, b: &str) -> bool {
    let (Some(one), Some(other)) = (Given::in_text(a), Given::in_text(b)) else {
        return false;
    };
    one.name == other.name
        && one.value != other.value
        && !one.before.is_empty()
        && one.before == other.before
}

/// The first piece of code that gives a name a value.
struct Given<'t> {
    before: Vec<String>,
    name: &'t str,
    value: &'t str,
}

impl<'t> Given<'t> {
    fn in_text(text: &'t str) -> Option<Self> {
        let mut at = 0;
        for (place, part) in text.split('`').enumerate() {
            let given = (place % 2 == 1).then(|| part.split_once(" = ")).flatten();
            let given = given.map(|(name, value)| (name.trim(), value.trim()));
            if let Some((name, value)) = given.filter(|(_, value)| is_plain(value)) {
                let before = words::split(&text[..at]);
                return Some(Self {
                    before,
                    name,
                    value,
                });
            }
            at += part.len() + 1;
        }
        None
    }
}

/// `true`, `30` or `"strict"`, and no expression.
fn is_plain(value: &str) -> bool {
    let quoted = value.len() > 1 && value.starts_with(['"', '\'']) && value.ends_with(['"', '\'']);
    let is_number = value.starts_with(|c: char| c.is_ascii_digit());
    ["true", "false"].contains(&value) || quoted || is_number && !value.contains(' ')
}

#[test]
fn a_value_is_another_where_the_same_words_lead_up_to_it() {
    for (a, b, expected) in [
        (
            "Auto commit: `allowsMain() = true` - safe there",
            "Auto commit: `allowsMain() = false` - it makes commits",
            true,
        ),
        (
            "In tests `level = \"low\"`",
            "In tests: `level = \"high\"` now",
            true,
        ),
        (
            "The pool: `size = 5`",
            "The pool: `size = 8`, for load",
            true,
        ),
        (
            "Auto commit: `allowsMain() = true`",
            "Manual commit: `allowsMain() = false`",
            false,
        ),
        ("`allowsMain() = true`", "`allowsMain() = false`", false),
        ("The pool: `size = 5`", "The pool: `count = 8`", false),
        (
            "The pool: `size = 5`",
            "The pool: `size = 5`, for load",
            false,
        ),
        ("The pool: `size = a + b`", "The pool: `size = c`", false),
        ("The pool is `5`", "The pool is `8`", false),
    ] {
        assert_eq!(is_another(a, b), expected, "{a} / {b}");
        assert_eq!(is_another(b, a), expected, "{b} / {a}");
    }
}
