//! Text as a terminal may have it: names and lines of a repository must not steer it, only our own colours may.

use std::borrow::Cow;

use oldhand_domain::text::{is_hidden, seen_in};

/// What stands where something was that cannot be seen.
const MARK: char = '\u{fffd}';
const ESCAPE: char = '\u{1b}';

/// The text with a mark for every character that is not seen but line ends, tabs and changes of colour.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if !has_unseen(text) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len());
    for (at, part) in text.split(ESCAPE).enumerate() {
        let colour = if at > 0 { colour(part) } else { Some("") };
        if at > 0 {
            visible.push(if colour.is_some() { ESCAPE } else { MARK });
        }
        let colour = colour.unwrap_or_default();
        visible.push_str(colour);
        let rest = &part[colour.len()..];
        if has_unseen(rest) {
            visible.extend(seen_in(rest, is_unseen).map(|c| c.unwrap_or(MARK)));
        } else {
            visible.push_str(rest);
        }
    }
    Cow::Owned(visible)
}

/// What [`visible`] gives, without the colours.
pub(super) fn without_colours(visible: &str) -> String {
    let mut parts = visible.split(ESCAPE);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        all + &part[colour(part).unwrap_or_default().len()..]
    })
}

fn has_unseen(text: &str) -> bool {
    // Most text is plain, and needs no closer look.
    let is_plain = |byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    !text.bytes().all(is_plain) && text.contains(is_unseen)
}

fn is_unseen(c: char) -> bool {
    !matches!(c, ' '..='~' | '\n' | '\t') && is_hidden(c)
}

/// What changes the colour at the start of what follows an escape: `[`, numbers, `m`.
fn colour(text: &str) -> Option<&str> {
    let numbers = text.strip_prefix('[')?;
    let end = numbers.find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
    numbers[end..].starts_with('m').then(|| &text[..end + 2])
}

#[cfg(test)]
mod tests {
    use super::{visible, without_colours};

    #[test]
    fn only_colours_line_ends_and_tabs_pass() {
        let ours = "\u{1b}[1m\u{1b}[38;5;4mname\u{1b}[0m\tof it\n";
        assert_eq!(visible(ours), ours);
        assert_eq!(without_colours(ours), "name\tof it\n");
        assert_eq!(
            visible("\u{1b}]0;title\u{7}\u{1b}[2Jgone\rover\u{202e}txt.exe\u{1b}"),
            "�]0;title��[2Jgone�over�txt.exe�"
        );
        assert_eq!(visible("👩\u{200d}💻 \u{200d}"), "👩\u{200d}💻 �");
    }
}
