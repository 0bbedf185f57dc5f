//! Sentences that an editor wrapped: the lines of one are joined, so that nobody is told half of it.

/// A line that was wrapped is at least this long, in bytes.
const WIDE: usize = 55;

/// A text of the same length in which a line that goes on in the next one is joined to it by a space.
pub(super) fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    let mut in_code = false;
    while let Some(line) = lines.next() {
        in_code ^= line.trim_start().starts_with("```");
        let goes_on = lines.peek().is_some_and(|next| goes_on(line, next));
        match line.strip_suffix('\n') {
            Some(bare) if goes_on && !in_code => {
                out.push_str(bare);
                out.push(' ');
            }
            _ => out.push_str(line),
        }
    }
    out
}

/// Whether a sentence that stands in `line` goes on in the `next`: that begins small, and is set in below an item or follows a line as
/// long as editors make them.
fn goes_on(line: &str, next: &str) -> bool {
    let bare = line.trim();
    let is_item = |line: &str| {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit());
        line.starts_with(['-', '*', '•', '.', ')'])
    };
    let is_set_in = is_item(line) && next.starts_with("  ");
    let begins_small = next.trim_start().starts_with(|c: char| c.is_lowercase());
    begins_small
        && !is_item(next)
        && !bare.is_empty()
        && !bare.ends_with(['.', '!', '?', ':', ';'])
        && (is_set_in || bare.len() >= WIDE)
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn a_wrapped_sentence_is_one_and_lines_of_their_own_stay_apart() {
        let wrapped =
            "- never push to a shared branch unless\n  the tests of the whole passed\n- be kind";
        assert_eq!(
            joined(wrapped),
            "- never push to a shared branch unless   the tests of the whole passed\n- be kind"
        );
        let wide = "Always run the formatter of this repository before a commit and\nkeep the changelog up to date.";
        assert!(!joined(wide).contains('\n'));
        for apart in [
            "fix the test\nalways use poetry",
            "Done.\n\nalways use poetry",
            "```\nlet a long line of code that goes on and on and on, yes\nit does\n```",
        ] {
            assert_eq!(joined(apart), apart);
        }
    }
}
