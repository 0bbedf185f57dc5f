//! Small readings of text: a comment without its marks, a signature in one line, a type without its wrapping.

use std::borrow::Cow;

/// Longest signature and documentation kept, in bytes.
const SIGNATURE: usize = 240;
const DOC: usize = 600;

/// `text` with every run of white space as one space, cut at a bound.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(SIGNATURE));
    for word in text.split_whitespace() {
        if line.len() + word.len() >= SIGNATURE {
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let end = line.trim_end_matches(['{', ':', '=', ';', ' ']).len();
    line.truncate(end);
    line
}

/// The words of a comment or docstring, without the marks of any language.
pub(crate) fn plain_comment(text: &str) -> String {
    let mut plain = String::new();
    for line in text.lines() {
        let mut line = line.trim();
        line = line
            .trim_start_matches(['/', '*', '#', '!', ';'])
            .trim_end_matches(['/', '*']);
        line = line.trim_matches(|c: char| c == '"' || c == '\'' || c.is_whitespace());
        if line.is_empty() && plain.is_empty() {
            continue;
        }
        if plain.len() + line.len() > DOC {
            break;
        }
        if !plain.is_empty() {
            plain.push('\n');
        }
        plain.push_str(line);
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// Types that stand for what they hold when a member is looked up.
const TRANSPARENT: [&str; 17] = [
    "Promise",
    "Readonly",
    "Partial",
    "Required",
    "Option",
    "Box",
    "Arc",
    "Rc",
    "Optional",
    "ClassVar",
    "Final",
    "Annotated",
    "Awaitable",
    "Result",
    "Self",
    "Type",
    "type",
];

/// The name of a type without references, arguments and the wrappers above; nothing when no single name is left.
pub(crate) fn type_head(text: &str) -> Option<&str> {
    let mut text = text.trim();
    // Of several results the first is the value.
    if text.starts_with('(') && text.ends_with(')') && !text.contains("=>") {
        text = text[1..text.len() - 1].split(',').next().unwrap_or(text);
    }
    for _ in 0..8 {
        let before = text;
        text = text
            .trim_start_matches([':', '&', '*', '(', '"', '\'', '?', ' '])
            .trim_end_matches([')', '"', '\'', '?', ' ']);
        // `&'a T` is a reference like any other.
        if let Some((_, rest)) = text.split_once(' ').filter(|_| before.starts_with("&'")) {
            text = rest;
        }
        for word in [
            "->",
            "mut ",
            "dyn ",
            "impl ",
            "const ",
            "readonly ",
            "typeof ",
            "struct ",
        ] {
            text = text.strip_prefix(word).unwrap_or(text).trim_start();
        }
        for nothing in ["| null", "| undefined", "| None", "| void"] {
            text = text.strip_suffix(nothing).unwrap_or(text).trim_end();
        }
        text = element(text);
        let end = text.find(['<', '[']).unwrap_or(text.len());
        let head = crate::project::last_segment(&text[..end]);
        if TRANSPARENT.contains(&head) && text.ends_with(['>', ']']) && end + 1 < text.len() {
            let inner = &text[end + 1..text.len() - 1];
            text = inner.split(',').next().unwrap_or(inner);
        }
        if text == before {
            break;
        }
    }
    let end = text.find(['<', '[']).unwrap_or(text.len());
    let head = text[..end].trim();
    let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':' | '\\');
    (!head.is_empty() && head.chars().all(named) && !head.starts_with(|c: char| c.is_ascii_digit()))
        .then_some(head)
}

/// What a Go list, map or channel holds: only that has members.
fn element(text: &str) -> &str {
    let text = text.strip_prefix("...").unwrap_or(text);
    let text = text.strip_prefix("chan ").unwrap_or(text);
    let inner = text.strip_prefix("map").unwrap_or(text);
    if !inner.starts_with('[') {
        return text;
    }
    let mut depth = 0_usize;
    for (at, c) in inner.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let rest = &inner[at + 1..];
            return if rest.is_empty() { text } else { rest };
        }
    }
    text
}

/// Longest path of names that is still one, and longest text that is looked at for one.
const PATH: usize = 120;
const EXPRESSION: usize = 600;

/// What stands before a name as a path of names: calls keep empty parentheses, indexes and type arguments go, so that
/// `a?.b[0].c(x)` is `a.b.c()`. Nothing when it is anything else.
pub(crate) fn path_of(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':' | '\\' | '@');
    if text.len() <= PATH && text.chars().all(is_name) {
        return (!text.is_empty()).then_some(Cow::Borrowed(text));
    }
    if text.len() > EXPRESSION {
        return None;
    }
    let text = text.strip_prefix("await ").unwrap_or(text);
    let text = text.strip_prefix("new ").unwrap_or(text);
    let mut path = String::new();
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' | '[' | '<' | '{' => {
                if depth == 0 {
                    // Something must be called: a parenthesis of its own is an expression, and so is a block.
                    if path.is_empty() || c == '{' {
                        return None;
                    }
                    path.push_str(if c == '(' { "()" } else { "" });
                }
                depth += 1;
            }
            ')' | ']' | '>' | '}' => depth = depth.checked_sub(1)?,
            _ if depth > 0 => {}
            '?' | '!' => {}
            c if is_name(c) => path.push(c),
            // A chain of calls may be written over several lines.
            c if c.is_whitespace() => {}
            _ => return None,
        }
    }
    let words = text.split_whitespace().count();
    let chained = words == 1 || text.contains(['\n', '(', '[', '<']);
    (depth == 0 && !path.is_empty() && path.len() <= PATH && chained).then_some(Cow::Owned(path))
}

/// The type of `(value as Type)`.
pub(crate) fn cast_to(text: &str) -> Option<&str> {
    let inner = text
        .trim()
        .trim_end_matches('!')
        .strip_prefix('(')?
        .strip_suffix(')')?;
    let (_, to) = inner.rsplit_once(" as ")?;
    type_head(to)
}

#[cfg(test)]
mod tests {
    use super::{cast_to, one_line, path_of, plain_comment, type_head};

    #[test]
    fn a_signature_is_one_line() {
        assert_eq!(
            one_line("function f(\n  a,\n  b\n) {"),
            "function f( a, b )"
        );
    }

    #[test]
    fn comment_marks_are_not_words() {
        assert_eq!(
            plain_comment("/**\n * Sums.\n *\n * Twice.\n */"),
            "Sums.\n\nTwice."
        );
        assert_eq!(plain_comment("/// One.\n/// Two."), "One.\nTwo.");
        assert_eq!(plain_comment("\"\"\"Doc.\"\"\""), "Doc.");
    }

    #[test]
    fn a_type_is_known_by_its_head() {
        assert_eq!(type_head(": Promise<Foo | null>"), Some("Foo"));
        assert_eq!(type_head("&mut Store<K, V>"), Some("Store"));
        assert_eq!(type_head("*http.Client"), Some("http.Client"));
        assert_eq!(type_head("&'a mut Store"), Some("Store"));
        assert_eq!(type_head("(*Store, error)"), Some("Store"));
        assert_eq!(type_head("[]*Store"), Some("Store"));
        assert_eq!(type_head("map[string][]shop.Item"), Some("shop.Item"));
        assert_eq!(type_head("t.Optional[Store]"), Some("Store"));
        assert_eq!(type_head("[A, B]"), None);
        assert_eq!(type_head("A | B"), None);
        assert_eq!(type_head("() => void"), None);
        assert_eq!(type_head("Option<"), Some("Option"));
    }

    #[test]
    fn a_receiver_is_a_path_of_names_and_calls() {
        let shown = |text| path_of(text).map(std::borrow::Cow::into_owned);
        assert_eq!(shown("a?.b"), Some("a.b".to_owned()));
        assert_eq!(shown("make()"), Some("make()".to_owned()));
        assert_eq!(shown("new Foo<T>(1)"), Some("Foo()".to_owned()));
        assert_eq!(shown("a(b()).c[0]!.d"), Some("a().c.d".to_owned()));
        assert_eq!(shown("a\n  .b()\n  .c"), Some("a.b().c".to_owned()));
        assert_eq!(shown("a + b"), None);
        assert_eq!(shown("a b"), None);
        assert_eq!(shown("(a)"), None);
        assert_eq!(shown("'text'"), None);
        assert_eq!(cast_to("(node as ElementNode)"), Some("ElementNode"));
        assert_eq!(cast_to("(node)"), None);
    }
}
