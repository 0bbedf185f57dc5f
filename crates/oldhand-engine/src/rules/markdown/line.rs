//! What a line of Markdown is: a heading, a bullet, or one that says nothing, such as links, pictures, tags, tables, drawings.

use crate::rules::guess::demands;

/// Fewer words than these between tags are a caption.
const FEWEST_WORDS: usize = 4;

/// Tags that begin a line of HTML. Others are placeholders, such as `<name>`, or sections of a prompt.
const TAGS: &[&str] = &[
    "a",
    "b",
    "blockquote",
    "br",
    "center",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "iframe",
    "img",
    "kbd",
    "li",
    "ol",
    "p",
    "picture",
    "small",
    "source",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
    "video",
];

/// Tags whose inside is no text of the file, until they are closed.
const RAW_TAGS: &[&str] = &["pre", "script", "style", "svg"];

/// Why a line that goes on with no other is no statement.
pub(super) fn says_nothing(line: &str) -> Option<&'static str> {
    is_no_text(line).or_else(|| links_alone(line))
}

/// Why a line is no statement, whatever stands above it.
pub(super) fn is_no_text(line: &str) -> Option<&'static str> {
    if is_link_definition(line) {
        Some("a link definition")
    } else if is_drawing(line) {
        Some("a drawing")
    } else if line.starts_with('@') && !line.contains(' ') {
        Some("names another file")
    } else if is_section_tag(line) {
        Some("a tag")
    } else {
        None
    }
}

/// How deep a heading is, and its words.
pub(in crate::rules) fn as_heading(line: &str) -> Option<(usize, &str)> {
    let words = line.trim_start_matches('#');
    let level = line.len() - words.len();
    let words = words.strip_prefix(' ')?.trim().trim_end_matches('#');
    let words = words.trim().trim_matches('*').trim_end_matches(':');
    ((1..=6).contains(&level) && !words.is_empty()).then_some((level, words))
}

/// The words of a bullet, marked or numbered.
pub(in crate::rules) fn as_bullet(line: &str) -> Option<&str> {
    let marked = ["- ", "* ", "+ ", "• "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    if marked.is_some() {
        return marked.map(str::trim_start);
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = line.get(digits..)?;
    let words = rest
        .strip_prefix(". ")
        .or_else(|| rest.strip_prefix(") "))?;
    (1..=3).contains(&digits).then(|| words.trim_start())
}

/// Folders as a tree, boxes and arrows between them.
pub(super) fn is_drawing(text: &str) -> bool {
    text.contains(['├', '└', '│', '┌', '┐', '┘', '▼', '▲', '╔', '║'])
}

/// Words that point from one thing to the next, as in a drawing of what needs what. A comment behind a command may do so, too.
pub(super) fn has_arrows(text: &str) -> bool {
    let mut drawn = text.lines().filter_map(|line| line.split('#').next());
    drawn.any(|words| words.contains(['→', '←', '↓', '↑', '⇒', '⟶']))
}

/// Why a whole paragraph says nothing yet: it has no words, or it stands in for what somebody is to write there.
pub(super) fn stands_in(text: &str) -> Option<&'static str> {
    let is_marked = |mark: char| text.starts_with(mark) && text.ends_with(mark);
    let inner = text.trim_matches(['*', '_']);
    let is_aside = inner.starts_with('(') && inner.ends_with(')') && !demands(inner);
    // "[IMPORTANT] …, see [docs]" is two pairs with words between them.
    let slot = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let is_slot = slot.is_some_and(|slot| slot.contains(' ') && !slot.contains(['[', ']']));
    if !text.contains(char::is_alphabetic) {
        Some("no words")
    } else if (is_marked('*') || is_marked('_')) && is_aside || is_slot {
        Some("a placeholder")
    } else {
        None
    }
}

/// The line below the heads of a table: `--- | :---:`.
pub(super) fn is_table_rule(line: &str) -> bool {
    let all = |c: char| matches!(c, '-' | '|' | ':' | ' ');
    line.contains('|') && line.contains("--") && line.chars().all(all)
}

/// The tag whose inside is not read, where the line opens one and does not close it.
pub(super) fn opens_raw(line: &str) -> Option<&'static str> {
    let name = tag_name(line)?;
    let raw = RAW_TAGS.iter().find(|tag| name.eq_ignore_ascii_case(tag))?;
    (!closes_raw(line, raw)).then_some(raw)
}

pub(super) fn closes_raw(line: &str, tag: &str) -> bool {
    line.to_ascii_lowercase().contains(&format!("</{tag}>"))
}

/// Whether a tag opens on this line and is not finished on it.
pub(super) fn leaves_tag_open(line: &str) -> bool {
    is_html(line) && line.rfind('<') > line.rfind('>')
}

pub(super) fn is_html(line: &str) -> bool {
    let known = |name: &str| {
        let all = TAGS.iter().chain(RAW_TAGS);
        all.into_iter().any(|tag| name.eq_ignore_ascii_case(tag))
    };
    tag_name(line).is_some_and(known)
}

/// The words of a line of HTML, if they are more than a caption.
pub(super) fn words_of_html(line: &str) -> Option<String> {
    let mut words = String::new();
    let mut inside = false;
    for c in line.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => {
                inside = false;
            }
            _ if inside => {}
            c => words.push(c),
        }
    }
    let words: Vec<&str> = words.split_whitespace().collect();
    (words.len() >= FEWEST_WORDS).then(|| words.join(" "))
}

/// The line without the comments that begin and end on it.
pub(super) fn without_comments(line: &str) -> String {
    let mut rest = line;
    let mut kept = String::new();
    while let Some((before, comment)) = rest.split_once("<!--") {
        let Some((_, behind)) = comment.split_once("-->") else {
            break;
        };
        kept.push_str(before);
        rest = behind;
    }
    kept + rest
}

/// `p` of `<p align="center">` and of `</p>`.
fn tag_name(line: &str) -> Option<&str> {
    let inside = line.strip_prefix('<')?;
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let end = inside
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(inside.len());
    // Attributes may begin on the next line.
    let is_tag = inside[end..].is_empty() || inside[end..].starts_with(['>', ' ', '/']);
    (end > 0 && is_tag).then(|| &inside[..end])
}

/// A line that is one tag, as prompts mark their sections: `<important>`, `</rules>`.
fn is_section_tag(line: &str) -> bool {
    let inside = line
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    inside.is_some_and(|inside| !inside.contains(['<', '>']) && !inside.contains("://"))
}

/// `[name]: https://…`, also of footnotes.
fn is_link_definition(line: &str) -> bool {
    let Some((name, target)) = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]:"))
    else {
        return false;
    };
    let target = target.trim_start().trim_start_matches('<');
    let is_target = ["http", "/", "./", "../", "#", "mailto:"]
        .iter()
        .any(|start| target.starts_with(start));
    !name.is_empty() && (name.starts_with('^') || is_target)
}

/// A line of nothing but links or pictures: a table of contents, badges, a pointer.
fn links_alone(line: &str) -> Option<&'static str> {
    let (mut rest, mut pictures, mut places, mut links) = (line, 0_usize, 0_usize, 0_usize);
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix("[![") {
            let (_, behind) = inner.split_once(")](")?;
            rest = behind.split_once(')')?.1;
            pictures += 1;
        } else if let Some(inner) = rest.strip_prefix("![") {
            rest = inner.split_once("](")?.1.split_once(')')?.1;
            pictures += 1;
        } else if let Some(inner) = rest.strip_prefix('[') {
            let (_, target) = inner.split_once("](")?;
            places += usize::from(target.starts_with('#'));
            links += 1;
            rest = target.split_once(')')?.1;
        } else if rest.starts_with("http://") || rest.starts_with("https://") {
            rest = rest.split_once(' ').map_or("", |(_, behind)| behind);
            links += 1;
        } else {
            let first = rest.chars().next()?;
            if first.is_alphanumeric() || first == '`' {
                return None;
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    match (pictures, places, links) {
        (0, 0, 0) => None,
        (1.., ..) => Some("a picture"),
        (0, 1.., _) => Some("a table of contents"),
        (0, 0, _) => Some("a link alone"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_pictures_alone_say_nothing() {
        for (line, why) in [
            ("[Policy]: https://example.org/policy", "a link definition"),
            ("[^1]: As the standard has it", "a link definition"),
            ("[Setup](#setup)", "a table of contents"),
            ("![logo](docs/logo.png)", "a picture"),
            ("[![ci](https://a/b.svg)](https://a/b) ![x](y)", "a picture"),
            ("[CONTRIBUTING.md](.github/CONTRIBUTING.md)", "a link alone"),
            ("https://example.org/docs", "a link alone"),
            ("<important>", "a tag"),
            ("</rules>", "a tag"),
            ("@docs/more.md", "names another file"),
        ] {
            assert_eq!(says_nothing(line), Some(why), "{line}");
        }
        for line in [
            "[CONTRIBUTING.md](CONTRIBUTING.md): read it first",
            "See [the guide](docs/guide.md).",
            "[scope]: one word in the title of each commit",
            "<name> is the name of the crate",
            "<https://example.org> has the documentation",
            "`[x](y)`",
            "@alice owns the parser",
            "***",
        ] {
            assert_eq!(says_nothing(line), None, "{line}");
        }
    }

    #[test]
    fn html_is_read_for_its_words() {
        let words = |line| words_of_html(line);
        assert_eq!(words("<summary>Click here</summary>"), None);
        assert_eq!(
            words("<li>Never push to <b>main</b>.</li>").as_deref(),
            Some("Never push to main.")
        );
        assert!(is_html("<p align=\"center\">") && is_html("</details>") && is_html("<img"));
        assert!(!is_html("<name> is a word") && !is_html("< 5 items"));
        assert!(leaves_tag_open("<img src=\"a\"") && !leaves_tag_open("<br>"));
        assert_eq!(opens_raw("<pre>"), Some("pre"));
        assert_eq!(opens_raw("<pre>a</pre>"), None);
    }
}
