//! What macros outside of functions define: items among their arguments, and items that a macro of the same file writes
//! (`fn $name` in its body) under a name that the call gives.

use rustc_hash::FxHashMap;

use super::gather::{Gathered, RawDefinition, Span};
use super::inner::end_of_text;
use crate::facts::SymbolKind;

/// Parts of a text, none inside another, in order: asking what lies in them takes as long in a long file as in a short one.
#[derive(Default)]
pub(super) struct Areas(Vec<Span>);

impl Areas {
    fn of(mut spans: Vec<Span>) -> Self {
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut outermost: Vec<Span> = Vec::new();
        for span in spans {
            if outermost.last().is_none_or(|last| last.end <= span.start) {
                outermost.push(span);
            }
        }
        Self(outermost)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn hold(&self, inner: &Span) -> bool {
        let after = self.0.partition_point(|span| span.start <= inner.start);
        after > 0 && self.0[after - 1].holds(inner)
    }
}

/// Those of `calls` (the brackets of macros) that stand where items do.
pub(super) fn among_items(gathered: &Gathered, calls: &[Span]) -> Areas {
    let is_body = |raw: &&RawDefinition| {
        !matches!(
            raw.kind,
            SymbolKind::Module | SymbolKind::Class | SymbolKind::Interface | SymbolKind::Enum
        )
    };
    let bodies = gathered.definitions.iter().filter(is_body);
    let bodies = Areas::of(bodies.map(|raw| raw.span).collect());
    let items = calls.iter().filter(|call| !bodies.hold(call));
    Areas::of(items.copied().collect())
}

/// Adds what the macros of the file write for `calls`.
pub(super) fn add_written(gathered: &mut Gathered, text: &str, calls: &Areas) {
    let macros = gathered.definitions.iter();
    let macros = macros.filter(|raw| raw.kind == SymbolKind::Macro);
    let macros: FxHashMap<&str, Span> = macros
        .map(|raw| (&text[raw.name.bytes()], raw.span))
        .collect();
    if macros.is_empty() {
        return;
    }
    let mut known: FxHashMap<&str, Vec<Template>> = FxHashMap::default();
    for call in &calls.0 {
        let Some((start, name)) = name_before(text, call.start as usize) else {
            continue;
        };
        let Some(body) = macros.get(name) else {
            continue;
        };
        // A call that is still being typed has no end of its own.
        let is_closed = text[..call.end as usize].ends_with([')', ']', '}']);
        if !is_closed {
            continue;
        }
        let templates = known.entry(name).or_insert_with(|| templates(text, *body));
        let arguments = parts(text, call.start as usize + 1, call.end as usize - 1);
        let fits = |template: &&Template| template.of == arguments.len();
        let Some(template) = templates.iter().find(fits) else {
            continue;
        };
        let (from, to) = arguments[template.at];
        let Some((from, to)) = last_word(text, from, to) else {
            continue;
        };
        let row = call.first_row + newlines(text, call.start as usize, from);
        let name = span(from, to, row);
        if template.is_public {
            gathered.public.push(name);
        }
        gathered.definitions.push(RawDefinition {
            at_top: false,
            pattern: 0,
            kind: template.kind,
            span: Span {
                start: start as u32,
                ..*call
            },
            name,
            owner: None,
            body: None,
            doc: None,
            value_type: template.value_type,
            value_path: None,
            parameters: None,
        });
    }
}

/// One item that a rule of a macro writes under a name that it is given.
struct Template {
    /// Which argument the name is, of how many.
    at: usize,
    of: usize,
    kind: SymbolKind,
    value_type: Option<Span>,
    is_public: bool,
}

/// The items that the rules of the macro in `body` write.
fn templates(text: &str, body: Span) -> Vec<Template> {
    let bytes = text.as_bytes();
    let mut templates = Vec::new();
    let Some(open) = text[body.bytes()].find(['{', '(']) else {
        return templates;
    };
    let mut at = body.start as usize + open + 1;
    let end = body.end as usize;
    while let Some(matcher) = next_group(bytes, at, end) {
        let Some(written) = next_group(bytes, matcher.1, end) else {
            break;
        };
        at = written.1;
        let arguments = parts(text, matcher.0 + 1, matcher.1 - 1);
        for (number, &(from, to)) in arguments.iter().enumerate() {
            let Some(name) = text[from..to].trim_end().strip_suffix(":ident") else {
                continue;
            };
            let Some(dollar) = name.rfind('$') else {
                continue;
            };
            let item = item_called(text, written, &name[dollar..]);
            templates.extend(item.map(|(kind, value_type, is_public)| Template {
                at: number,
                of: arguments.len(),
                kind,
                value_type,
                is_public,
            }));
        }
    }
    templates
}

/// The item that is written as `variable` between the brackets of `written`: its kind, the type of its value, whether all see it.
fn item_called(
    text: &str,
    written: (usize, usize),
    variable: &str,
) -> Option<(SymbolKind, Option<Span>, bool)> {
    let body = &text[written.0..written.1];
    body.match_indices(variable).find_map(|(at, _)| {
        let after = at + variable.len();
        let goes_on = |c: char| c.is_alphanumeric() || c == '_';
        if body[after..].starts_with(goes_on) {
            return None;
        }
        let head = body[..at].trim_end();
        let keyword = head
            .rsplit(|c: char| !goes_on(c))
            .next()
            .unwrap_or_default();
        let kind = match keyword {
            "fn" => SymbolKind::Function,
            "struct" | "union" => SymbolKind::Class,
            "enum" => SymbolKind::Enum,
            "trait" => SymbolKind::Interface,
            "type" => SymbolKind::Type,
            "const" | "static" => SymbolKind::Constant,
            _ => return None,
        };
        let mut before = head[..head.len() - keyword.len()].trim_end();
        for word in ["async", "unsafe", "const"] {
            before = before.strip_suffix(word).unwrap_or(before).trim_end();
        }
        let is_public = before.ends_with("pub")
            || before.ends_with([')', 's']) && {
                let last = before.rsplit([' ', '\n', '}', ';', '{']).next();
                last.is_some_and(|last| last.starts_with("pub(") || last == "$vis")
            };
        let value_type = (kind == SymbolKind::Function)
            .then(|| result_after(text, written.0 + after, written.1))
            .flatten();
        Some((kind, value_type, is_public))
    })
}

/// The type between the arrow behind the parameters that follow `at` and the body.
fn result_after(text: &str, at: usize, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let (_, after) = next_group(bytes, at, end)?;
    let rest = text[after..end].trim_start();
    let from = end - rest.strip_prefix("->")?.len();
    let tail = &text[from..end];
    let stop = tail.find(['{', ';']).into_iter().chain(tail.find("where"));
    let to = from + stop.min()?;
    (!text[from..to].contains('$')).then(|| span(from, to, 0))
}

/// The name of the macro whose bracket opens at `bracket`, and where it starts.
fn name_before(text: &str, bracket: usize) -> Option<(usize, &str)> {
    let head = text[..bracket].trim_end().strip_suffix('!')?;
    let name = head
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()?;
    (!name.is_empty()).then_some((head.len() - name.len(), name))
}

/// Where the next pair of brackets after `at` opens, and where it has closed.
fn next_group(bytes: &[u8], mut at: usize, end: usize) -> Option<(usize, usize)> {
    let (mut depth, mut start) = (0_usize, None);
    while at < end {
        if let Some(after) = end_of_text(bytes, at) {
            at = after;
            continue;
        }
        match bytes[at] {
            b'(' | b'[' | b'{' => {
                start.get_or_insert(at);
                depth += 1;
            }
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some((start?, at + 1));
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// What commas outside of brackets part between `from` and `to`; a comma at the end parts nothing.
fn parts(text: &str, from: usize, to: usize) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut parts, mut depth, mut start, mut at) = (Vec::new(), 0_usize, from, from);
    while at < to {
        if let Some(after) = end_of_text(bytes, at) {
            at = after.min(to);
            continue;
        }
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push((start, at));
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if start < to && !text[start..to].trim().is_empty() {
        parts.push((start, to));
    }
    parts
}

/// The word that the text between `from` and `to` ends with.
fn last_word(text: &str, from: usize, to: usize) -> Option<(usize, usize)> {
    let part = text[from..to].trim_end();
    let word = part
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()?;
    let end = from + part.len();
    (!word.is_empty()).then_some((end - word.len(), end))
}

fn newlines(text: &str, from: usize, to: usize) -> u32 {
    memchr::memchr_iter(b'\n', &text.as_bytes()[from..to]).count() as u32
}

fn span(from: usize, to: usize, row: u32) -> Span {
    Span {
        start: from as u32,
        end: to as u32,
        first_row: row,
        last_row: row,
    }
}
