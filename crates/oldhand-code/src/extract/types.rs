//! Readings of the text of types and of what stands before a name, without a grammar.

use std::borrow::Cow;

/// Types that stand for what they hold when a member is looked up.
const TRANSPARENT: [&str; 25] = [
    "Array",
    "ReadonlyArray",
    "Set",
    "Omit",
    "Pick",
    "Exclude",
    "Extract",
    "NonNullable",
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

/// Types that stand for what they hold by a key.
const KEYED: [&str; 3] = ["Record", "Map", "WeakMap"];

/// The name of a type without references, arguments and the wrappers above; nothing when no single name is left.
pub(crate) fn type_head(text: &str) -> Option<&str> {
    head_of(unwrapped(text))
}

/// The names of the types that a value may have, with a bar between them.
pub(crate) fn type_heads(text: &str) -> Option<Cow<'_, str>> {
    heads_within(text, WRAPPED)
}

/// Types are looked into this deep.
const WRAPPED: usize = 4;

fn heads_within(text: &str, depth: usize) -> Option<Cow<'_, str>> {
    let bare = unwrapped(text);
    if let Some((of, member)) = indexed(bare) {
        return Some(Cow::Owned(format!("{of}.{member}")));
    }
    if let Some(head) = head_of(bare) {
        return Some(Cow::Borrowed(head));
    }
    let depth = depth.checked_sub(1)?;
    // What a choice leaves when all else fails, as in `T extends U ? A : B`.
    let bare = match parted(bare, &['?']).as_deref() {
        Some([_, chosen]) => parted(chosen, &[':'])?.pop()?,
        _ => bare,
    };
    let mut heads = String::new();
    for part in parted(bare, &['|', '&', '+'])? {
        if part.len() == text.len() {
            return None;
        }
        let part = heads_within(part, depth).unwrap_or_default();
        for head in part.split('|') {
            let is_plain = !head.is_empty() && !head.contains(['.', ':', '\\']);
            if is_plain && !heads.split('|').any(|known| known == head) {
                heads.push_str(if heads.is_empty() { "" } else { "|" });
                heads.push_str(head);
            }
        }
    }
    (!heads.is_empty()).then_some(Cow::Owned(heads))
}

/// `text` without references and the wrappers above.
fn unwrapped(text: &str) -> &str {
    let mut text = text.trim();
    // Of several results the first is the value.
    if text.starts_with('(') && text.ends_with(')') && !text.contains("=>") {
        text = text[1..text.len() - 1].split(',').next().unwrap_or(text);
    }
    for _ in 0..8 {
        let before = text;
        text = text
            .trim_start_matches([':', '&', '*', '(', '"', '\'', '?', ' ', '|', '\n'])
            .trim_end_matches(['"', '\'', '?', ' ']);
        text = text.strip_suffix("[]").unwrap_or(text);
        // A bracket that was opened in front of the text goes with it.
        while text.ends_with(')') && text.matches(')').count() > text.matches('(').count() {
            text = &text[..text.len() - 1];
        }
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
        let is_closed = text.ends_with(['>', ']']) && end + 1 < text.len();
        if is_closed && (TRANSPARENT.contains(&head) || KEYED.contains(&head)) {
            let inner = &text[end + 1..text.len() - 1];
            let wanted = usize::from(KEYED.contains(&head));
            let arguments = parted(inner, &[',']).unwrap_or_default();
            text = arguments.get(wanted).copied().unwrap_or(inner);
        }
        if text == before {
            break;
        }
    }
    text
}

/// The type and the member that `T['member']` is made of.
fn indexed(text: &str) -> Option<(&str, &str)> {
    let (of, rest) = text.split_once("['")?;
    let (member, _) = rest.split_once("']")?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let is_one = |name: &str| !name.is_empty() && name.chars().all(is_name);
    (is_one(of) && is_one(member)).then_some((of, member))
}

fn head_of(text: &str) -> Option<&str> {
    let end = text.find(['<', '[']).unwrap_or(text.len());
    let (head, rest) = text.split_at(end);
    let head = head.trim();
    let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':' | '\\');
    let is_one =
        rest.is_empty() || parted(rest, &['|', '&', '?', '+']).is_none_or(|parts| parts.len() == 1);
    (!head.is_empty()
        && is_one
        && indexed(text).is_none()
        && head.chars().all(named)
        && !head.starts_with(|c: char| c.is_ascii_digit()))
    .then_some(head)
}

/// The types of the parameters in `(a: A, b?: B | C)`, with a comma after each.
pub(crate) fn parameter_types(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut types = String::new();
    for part in parted(inner, &[','])? {
        let mut sides = parted(part, &[':'])?.into_iter();
        let name = sides.next().unwrap_or_default();
        if name.trim() == "this" {
            continue;
        }
        if let Some(written) = sides.next() {
            let written = written.split(" = ").next().unwrap_or(written);
            types.push_str(&type_heads(written).unwrap_or_default());
        }
        types.push(',');
    }
    (types.len() > types.matches(',').count()).then_some(types)
}

/// `text` cut at those of `marks` that stand outside of brackets; nothing when the brackets do not pair up.
fn parted<'t>(text: &'t str, marks: &[char]) -> Option<Vec<&'t str>> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut before) = (0_usize, 0, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            // The arrow of a function is no bracket.
            '>' if matches!(before, '=' | '-') => {}
            ')' | ']' | '>' | '}' => depth = depth.checked_sub(1)?,
            c if depth == 0 && marks.contains(&c) => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
        before = c;
    }
    parts.push(&text[start..]);
    (depth == 0).then_some(parts)
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
    let (mut path, text) = match in_brackets(text) {
        Some((start, rest)) => (start, rest),
        None => (String::new(), text),
    };
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
    let chained = words <= 1 || text.contains(['\n', '(', '[', '<']);
    (depth == 0 && !path.is_empty() && path.len() <= PATH && chained).then_some(Cow::Owned(path))
}

/// What `(…)` at the start of an expression stands for, and what follows it: `(a as T).b` starts with the type `T`.
fn in_brackets(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('(')?;
    let mut depth = 1_usize;
    let end = inner.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let (inside, rest) = (&inner[..end], &inner[end + 1..]);
    let start = match inside.rsplit_once(" as ") {
        Some((_, to)) => type_heads(to)?,
        None => path_of(inside)?,
    };
    Some((start.into_owned(), rest))
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
    use super::{cast_to, parameter_types, path_of, type_head, type_heads};

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
    fn a_value_may_have_one_of_several_types() {
        let shown = |text| type_heads(text).map(std::borrow::Cow::into_owned);
        assert_eq!(shown("A | B<C> | null"), Some("A|B".to_owned()));
        assert_eq!(shown("(A | B)[]"), Some("A|B".to_owned()));
        assert_eq!(shown("A & { b: C }"), Some("A".to_owned()));
        assert_eq!(shown("Array<A | B> | C"), Some("A|B|C".to_owned()));
        assert_eq!(shown("Record<K, A>"), Some("A".to_owned()));
        assert_eq!(shown("A['b'][0] | undefined"), Some("A.b".to_owned()));
        assert_eq!(shown("T extends U ? A : B<C>"), Some("B".to_owned()));
        assert_eq!(shown("() => void"), None);
        assert_eq!(
            parameter_types("(this: T, a: A, b = 1, c?: B | C, d: (e: E) => F)"),
            Some("A,,B|C,,".to_owned())
        );
        assert_eq!(parameter_types("(a, b)"), None);
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
        assert_eq!(shown("(a)"), Some("a".to_owned()));
        assert_eq!(shown("(a as B).c"), Some("B.c".to_owned()));
        assert_eq!(shown("(await a.b()).c"), Some("a.b().c".to_owned()));
        assert_eq!(shown("'text'"), None);
        assert_eq!(cast_to("(node as ElementNode)"), Some("ElementNode"));
        assert_eq!(cast_to("(node)"), None);
    }
}
