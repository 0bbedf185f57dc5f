//! What a statement says in code: that something is on or off, and the one command it names.

use oldhand_domain::words;

/// Spellings of yes and of no.
const SWITCHES: &[(&str, bool)] = &[
    ("true", true),
    ("false", false),
    ("on", true),
    ("off", false),
    ("yes", true),
    ("no", false),
    ("enabled", true),
    ("disabled", false),
];

/// What is switched behind one of these is a case, of which there are two.
const OF_A_CASE: &[&str] = &[
    "for", "if", "on", "unless", "when", "where", "while", "with",
];

/// Words around a command of fewer than these fit any command.
const FEWEST_WORDS: usize = 3;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Values {
    /// What is switched, and the words before it, without which it may be another one of the name.
    switch: Option<(String, Vec<String>, bool)>,
    /// The only code of the statement, where it is a command, and the words around it.
    command: Option<(Vec<String>, Vec<String>)>,
}

impl Values {
    pub(super) fn of(text: &str) -> Self {
        let mut parts = text.split('`');
        let mut before = parts.next().unwrap_or_default().to_owned();
        let mut spans: Vec<&str> = Vec::new();
        let mut switch = None;
        while let (Some(code), Some(behind)) = (parts.next(), parts.next()) {
            if let Some((name, is_on)) = switched(code).filter(|_| switch.is_none()) {
                let words = words::split(&before);
                let is_case = words
                    .last()
                    .is_some_and(|word| OF_A_CASE.contains(&word.as_str()));
                switch = (!is_case).then(|| (name.to_owned(), words, is_on));
            }
            spans.push(code);
            before.push_str(code);
            before.push(' ');
            before.push_str(behind);
        }
        let command = match spans[..] {
            [only] => {
                let around = text.replace(only, " ");
                let command: Vec<String> = only.split_whitespace().map(str::to_owned).collect();
                (command.len() > 1).then(|| (command, words::split(&around)))
            }
            _ => None,
        };
        Self { switch, command }
    }

    /// Whether both switch one thing differently, or name another program for one thing in the same words.
    pub(super) fn differ_from(&self, other: &Self) -> bool {
        let switched = match (&self.switch, &other.switch) {
            (Some((name, before, is_on)), Some((other, other_before, other_on))) => {
                name == other && before == other_before && !before.is_empty() && is_on != other_on
            }
            _ => false,
        };
        let commanded = match (&self.command, &other.command) {
            (Some((command, around)), Some((other, other_around))) => {
                let is_same_act =
                    command.last() == other.last() && command.first() != other.first();
                is_same_act && around == other_around && around.len() >= FEWEST_WORDS
            }
            _ => false,
        };
        switched || commanded
    }
}

/// `strict = true`, `strict: off`.
fn switched(code: &str) -> Option<(&str, bool)> {
    let (name, value) = code.split_once('=').or_else(|| code.split_once(": "))?;
    let (name, value) = (name.trim(), value.trim().to_lowercase());
    let (_, is_on) = SWITCHES.iter().find(|(word, _)| *word == value)?;
    (!name.is_empty() && !name.contains(' ')).then_some((name, *is_on))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(a: &str, b: &str) -> bool {
        Values::of(a).differ_from(&Values::of(b))
    }

    #[test]
    fn one_thing_switched_two_ways_is_a_contradiction() {
        let on = "Direct strategy (`direct.go`): `AllowsMain() = true` - safe on main";
        let off = "Direct strategy (`direct.go`): `AllowsMain() = false` - creates commits, so not on main";
        assert!(differ(on, off) && differ(off, on));
        assert!(!differ(on, on));
        let of_another = "Manual strategy (`manual.go`): `AllowsMain() = false` - it asks first";
        assert!(!differ(on, of_another));
        assert!(!differ("`strict = true`", "`strict = false`"), "of what?");
        let case = |value: &str| format!("On success with `keep={value}`: it cleans up");
        assert!(!differ(&case("true"), &case("false")), "two cases");
    }

    #[test]
    fn another_program_for_one_thing_is_a_contradiction() {
        assert!(differ(
            "Run the tests with `npm test`",
            "Run the tests with `pnpm test`"
        ));
        for (a, b) in [
            (
                "Run the tests with `make test`",
                "Run the tests with `make test-all`",
            ),
            ("Run `npm test`", "Run `pnpm test`"),
            (
                "Before a commit run `cargo fmt`",
                "Before a commit run `cargo clippy`",
            ),
            (
                "Run the tests with `npm test`",
                "Run the tests of the site with `pnpm test`",
            ),
        ] {
            assert!(!differ(a, b), "{a} and {b}");
        }
    }
}
