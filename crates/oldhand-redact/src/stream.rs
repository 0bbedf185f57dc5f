//! The same redaction for input that does not fit in memory, or that arrives in pieces.

use crate::scan;
use crate::span::{self, Span};
use crate::{Finding, locate};

/// How much of the input is held at once, in bytes.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    /// Held before anything is let go.
    window: usize,
    /// Held back at the end of the window, because a secret may go on. Longer than any secret that is known.
    tail: usize,
    /// Kept of what was let go, because it may name what follows.
    context: usize,
}

const SIZES: Sizes = Sizes {
    window: 256 * 1024,
    tail: 72 * 1024,
    context: 4 * 1024,
};

/// Takes text piece by piece and gives it back without its secrets, wherever the pieces were cut.
///
/// It holds a window of the input, 256 KiB, whatever the size of the whole or of its lines.
///
/// ```
/// let mut redactor = oldhand_redact::Redactor::new();
/// let mut clean = String::new();
/// let mut findings = redactor.push("password = \"hun", &mut clean);
/// findings.extend(redactor.push("ter2x\"", &mut clean));
/// findings.extend(redactor.finish(&mut clean));
/// assert_eq!(clean, "password = \"[REDACTED:password]\"");
/// assert_eq!(findings.len(), 1);
/// ```
#[derive(Debug)]
pub struct Redactor {
    sizes: Sizes,
    /// Context, then what is not let go yet. All of it as it came in.
    held: String,
    context: usize,
    /// Where `held` begins, counted from 1.
    line: usize,
    column: usize,
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new()
    }
}

impl Redactor {
    pub fn new() -> Self {
        Self::with(SIZES)
    }

    fn with(sizes: Sizes) -> Self {
        Self {
            sizes,
            held: String::new(),
            context: 0,
            line: 1,
            column: 1,
        }
    }

    /// Takes the next piece, and appends to `clean` what is certain by now.
    pub fn push(&mut self, piece: &str, clean: &mut String) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut rest = piece;
        while !rest.is_empty() {
            let room = self
                .sizes
                .window
                .saturating_sub(self.held.len() - self.context)
                .max(4);
            let (part, after) = rest.split_at(floor(rest, room));
            self.held.push_str(part);
            rest = after;
            if self.held.len() - self.context + 4 > self.sizes.window {
                let spans = scan::settle(&self.held);
                let cut = self.cut(&spans);
                self.release(cut, &spans, clean, &mut findings);
            }
        }
        findings
    }

    /// Appends what is left to `clean`.
    pub fn finish(mut self, clean: &mut String) -> Vec<Finding> {
        let mut findings = Vec::new();
        let spans = scan::settle(&self.held);
        self.release(self.held.len(), &spans, clean, &mut findings);
        findings
    }

    /// How far the held text can be let go: at a line break before the tail, and never inside a secret.
    fn cut(&self, spans: &[Span]) -> usize {
        let latest = floor(
            &self.held,
            self.held.len() - self.sizes.tail.min(self.held.len()),
        );
        let lines = &self.held[self.context.min(latest)..latest];
        let cut = lines.rfind('\n').map_or(latest, |at| self.context + at + 1);
        let across = spans.iter().find(|span| span.start < cut && cut < span.end);
        match across {
            Some(span) if span.start > self.context => span.start,
            Some(span) => span.end,
            None => cut.max(self.context),
        }
    }

    fn release(
        &mut self,
        cut: usize,
        spans: &[Span],
        clean: &mut String,
        findings: &mut Vec<Finding>,
    ) {
        // A secret that reaches out of the context was let go up to there already.
        let fresh: Vec<Span> = spans
            .iter()
            .filter(|span| span.end > self.context && span.start < cut)
            .map(|span| Span {
                start: span.start.max(self.context),
                ..*span
            })
            .collect();
        for mut finding in locate(&self.held, &fresh) {
            finding.column += if finding.line == 1 {
                self.column - 1
            } else {
                0
            };
            finding.line += self.line - 1;
            findings.push(finding);
        }
        let moved: Vec<Span> = fresh
            .iter()
            .map(|span| Span {
                start: span.start - self.context,
                end: span.end - self.context,
                ..*span
            })
            .collect();
        clean.push_str(&span::replace(&self.held[self.context..cut], &moved));

        let kept = floor(&self.held, cut.saturating_sub(self.sizes.context));
        let gone = &self.held[..kept];
        if let Some(line_break) = gone.rfind('\n') {
            self.line += gone.matches('\n').count();
            self.column = 1 + gone[line_break + 1..].chars().count();
        } else {
            self.column += gone.chars().count();
        }
        self.held.drain(..kept);
        self.context = cut - kept;
    }
}

/// The last character border at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact;

    const SMALL: Sizes = Sizes {
        window: 1024,
        tail: 300,
        context: 120,
    };

    fn streamed(text: &str, piece: usize) -> (String, Vec<Finding>) {
        let mut redactor = Redactor::with(SMALL);
        let (mut clean, mut findings) = (String::new(), Vec::new());
        let mut rest = text;
        while !rest.is_empty() {
            let (part, after) = rest.split_at(floor(rest, piece.max(4)));
            findings.extend(redactor.push(part, &mut clean));
            assert!(
                redactor.held.len() <= SMALL.window + SMALL.context + 8,
                "{}",
                redactor.held.len()
            );
            rest = after;
        }
        findings.extend(redactor.finish(&mut clean));
        (clean, findings)
    }

    fn sample(lines: &[&str]) -> String {
        let filler = "the quick brown fox, jumps over a lazy dog; and so on. ";
        (0..60)
            .map(|n| [&filler.repeat(n % 7), lines[n % lines.len()]].concat())
            .collect()
    }

    #[test]
    fn pieces_give_what_the_whole_gives() {
        let token = ["AKIA", "Q3EGRIPW7XZLC2TM"].concat();
        let block = ["-----BEGIN ", "RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAu5Qw8rT1yUiOpAs\n-----END RSA PRIVATE KEY-----\n"].concat();
        let with_breaks = sample(&[
            "password = \"hunter2x\"\n",
            &format!("use {token}\n"),
            &block,
            "\n",
        ]);
        let one_line = sample(&["password = \"hunter2x\" ", &format!("use {token}, "), "é "]);
        for text in [with_breaks, one_line] {
            let whole = redact(&text);
            assert!(whole.findings.len() >= 20);
            for piece in [4, 7, 100, 1000, 5000] {
                let (clean, findings) = streamed(&text, piece);
                assert_eq!(clean, whole.text, "pieces of {piece}");
                assert_eq!(findings, whole.findings, "pieces of {piece}");
            }
        }
    }

    #[test]
    fn a_line_without_end_is_held_in_part() {
        let text = "a".repeat(100_000);
        assert_eq!(streamed(&text, 4096).0, text);
    }

    #[test]
    fn nothing_in_gives_nothing_out() {
        assert_eq!(streamed("", 1), (String::new(), Vec::new()));
    }
}
