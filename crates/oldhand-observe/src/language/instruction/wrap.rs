//! Items of a list that an editor wrapped: their lines are joined, so that nobody is told half of a sentence. Other lines stay apart,
//! since most people end a line without a mark and begin the next one small.

use super::law::is_law;

/// A text of the same length in which a line that goes on in the next one is joined to it by a space.
pub(super) fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    let mut column = None;
    while let Some(line) = lines.next() {
        column = text_column(line).or(column);
        let goes_on = lines.peek().is_some_and(|next| goes_on(line, column, next));
        match line.strip_suffix('\n') {
            Some(bare) if goes_on => {
                out.push_str(bare);
                out.push(' ');
            }
            _ => {
                column = None;
                out.push_str(line);
            }
        }
    }
    out
}

/// How many characters stand before the text of an item; `None` where a line is none.
pub(super) fn text_column(line: &str) -> Option<usize> {
    let item = line.trim_start();
    let number = item.trim_start_matches(|c: char| c.is_ascii_digit());
    let mark = if number.len() < item.len() {
        number.strip_prefix(['.', ')'])
    } else {
        item.strip_prefix(['-', '*', '•'])
    };
    let text = mark?.strip_prefix(' ')?.trim_start();
    Some(line.chars().count() - text.chars().count())
}

/// Whether a sentence that stands in `line` goes on in the `next`: that stands right below the item's text, begins small, and lays
/// nothing down by itself.
fn goes_on(line: &str, column: Option<usize>, next: &str) -> bool {
    let below = next.trim_start();
    let is_set_in = column == Some(next.chars().count() - below.chars().count());
    is_set_in
        && below.starts_with(|c: char| c.is_lowercase())
        && !line.trim_end().ends_with(['.', '!', '?', ':', ';'])
        && !is_law(&below.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::super::{Reach, instructions};
    use super::joined;

    #[test]
    fn a_wrapped_item_is_one_sentence() {
        let wrapped = "- never push to a shared branch unless\n  the tests of the whole\n  suite passed\n- be kind";
        let line = "- never push to a shared branch unless   the tests of the whole   suite passed\n- be kind";
        assert_eq!(joined(wrapped), line);
        let numbered = "12. größere Änderungen always need\n    a second look";
        assert!(!joined(numbered).contains('\n'));
    }

    #[test]
    fn lines_of_their_own_stay_apart() {
        for (text, rule) in [
            (
                "fix the login page so that it shows the error from the api\nalways use pnpm for the scripts",
                "always use pnpm for the scripts",
            ),
            (
                "Add tests for the parser and make sure they cover errors\nuse pnpm, not npm",
                "use pnpm, not npm",
            ),
            (
                "the login page shows the wrong error when the api is down\nnever push to main without asking me",
                "never push to main without asking me",
            ),
            (
                "нужно исправить ошибку входа на сайт\nalways use pnpm for the scripts",
                "always use pnpm for the scripts",
            ),
            (
                "- Always use the shared logger\n    some pasted line of output\n- next",
                "Always use the shared logger",
            ),
            (
                "# What the review of the last release found out and what became of it all\nnever push to main without asking me",
                "never push to main without asking me",
            ),
            (
                "- fix the login page\n  always use pnpm for the scripts",
                "always use pnpm for the scripts",
            ),
        ] {
            assert_eq!(joined(text), text);
            let told = instructions(text);
            assert_eq!(told, [(rule, Reach::Lasting)], "{text}");
        }
    }
}
