//! Whether two rules give one act to different programs.

use oldhand_domain::words;

/// Words around a command of fewer than these fit any command.
const FEWEST_WORDS: usize = 3;

/// "Run the tests with `npm test`" and "Run the tests with `pnpm test`": the words are the same, and they name the act that both
/// commands end in. Else it may be another step, as `black src` and `mypy src` are before a commit.
pub(super) fn is_of_another(a: &str, b: &str) -> bool {
    let (Some(one), Some(other)) = (Run::in_text(a), Run::in_text(b)) else {
        return false;
    };
    let names_act = |word: &String| words::stem(word) == words::stem(one.act);
    one.program != other.program
        && one.act == other.act
        && one.around == other.around
        && one.around.len() >= FEWEST_WORDS
        && one.around.iter().any(names_act)
}

/// The only code of a text, where it is a program and what it is to do.
struct Run<'t> {
    program: &'t str,
    act: &'t str,
    around: Vec<String>,
}

impl<'t> Run<'t> {
    fn in_text(text: &'t str) -> Option<Self> {
        let mut parts = text.split('`');
        let (before, code, behind) = (parts.next()?, parts.next()?, parts.next()?);
        let (program, act) = code.split_once(' ').filter(|_| parts.next().is_none())?;
        Some(Self {
            program,
            act,
            around: words::split(&format!("{before} {behind}")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_program_for_one_act_is_told_from_another_step() {
        let tests = |command: &str| format!("Run all of the tests with `{command}`");
        assert!(is_of_another(&tests("npm test"), &tests("pnpm test")));
        for (a, b) in [
            ("make test", "make test-all"),
            ("npm test", "npm test"),
            ("pytest tests", "uv run pytest tests"),
            ("npm test", "CI=1 npm test"),
        ] {
            assert!(!is_of_another(&tests(a), &tests(b)), "{a} and {b}");
        }
        for (a, b) in [
            (
                "Before every commit, run: `black src`",
                "Before every commit, run: `mypy src`",
            ),
            ("Run `npm test`", "Run `pnpm test`"),
            (
                "Run the tests with `npm test`",
                "Run the tests of the site with `pnpm test`",
            ),
        ] {
            assert!(!is_of_another(a, b), "{a} and {b}");
        }
    }
}
