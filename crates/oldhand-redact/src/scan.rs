//! One look at a text: which stretches of it are secrets.

use crate::filter::{Case, Filter, Lazy};
use crate::placeholder;
use crate::rule::{Keep, Rule};
use crate::rules;
use crate::shape;
use crate::span::{self, Span, Surety};

/// After a replacement the text around it reads differently, and another rule may see something. Two rounds are
/// the rule, three are rare; the limit keeps the time linear.
const MOST_ROUNDS: usize = 8;

/// The secrets of `text`, so that looking at the replaced text again finds nothing more.
pub(crate) fn settle(text: &str) -> Vec<Span> {
    let mut spans = look(text);
    for _ in 1..MOST_ROUNDS {
        if spans.is_empty() {
            break;
        }
        let found = look(&span::replace(text, &spans));
        if found.is_empty() {
            break;
        }
        let mut all = span::trace_back(&spans, &found);
        all.append(&mut spans);
        spans = span::join(all);
    }
    spans
}

#[derive(Clone, Copy)]
enum Target {
    Placeholder,
    Rule(&'static Rule),
}

static FILTER: Lazy<Target> = Lazy::new(|| {
    let rules = rules::all().flat_map(|rule| {
        rule.anchors
            .iter()
            .map(move |anchor| (*anchor, Target::Rule(rule)))
    });
    Filter::new(rules.chain([(placeholder::OPENING, Target::Placeholder)]))
});

fn look(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    let mut wall = 0;
    FILTER.each(
        bytes,
        |_| Case::Exact,
        |at, target| {
            if at < wall {
                return;
            }
            match target {
                Target::Placeholder => wall = placeholder::end(bytes, at).unwrap_or(0),
                Target::Rule(rule) => spans.extend(fit(rule, bytes, at)),
            }
        },
    );
    span::join(spans)
}

/// The secret of `rule` around its anchor at `at`, if it is one.
fn fit(rule: &Rule, text: &[u8], at: usize) -> Option<Span> {
    let anchor = rule
        .anchors
        .iter()
        .find(|anchor| text[at..].starts_with(anchor.as_bytes()))?;
    let end = shape::end_of(rule.after, text, at + anchor.len())?;
    let start = shape::start_of(rule.before, text, at)?;
    if !shape::opens_word(text, start) {
        return None;
    }
    let start = if rule.keep == Keep::Anchor {
        at + anchor.len()
    } else {
        start
    };
    let token = &text[start..end];
    let surety = Surety::Shaped;
    (!rules::is_dummy(token) && (rule.check)(token)).then_some(Span {
        start,
        end,
        kind: rule.kind,
        surety,
    })
}
