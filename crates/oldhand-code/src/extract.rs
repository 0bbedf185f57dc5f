//! Source text to facts: one parse, one query, and a few sorted lists.
//!
//! Nothing here walks the syntax tree by recursion, so nesting of any depth is only long, never deep. Work is bounded by
//! counted steps instead of a clock, so that the same bytes always give the same facts.

mod assemble;
mod defined;
mod docs;
mod gather;
mod inner;
mod nest;
mod prose;
mod refer;
pub(crate) mod roles;
mod scopes;
mod types;
mod written;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser, Range, Tree};

use crate::facts::FileFacts;
use crate::language::Language;
use crate::query::Finder;

pub(crate) use gather::Span;

/// Raised whenever the same text gives other facts than before, so that cached ones are not taken for them.
pub(crate) const REVISION: u32 = 10;

/// About a hundred parser operations each; a megabyte of ordinary source needs some fifteen thousand.
const STEPS: u32 = 300_000;
/// Some texts make single operations slow instead of many, which counting does not see. A megabyte of ordinary source needs a
/// tenth of a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// Parsing needed more steps, or more time, than any ordinary file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooSlow;

/// A parser with its working memory, used for one file after another.
pub struct Extractor {
    parser: Parser,
    finder: Finder,
    patience: Duration,
}

impl Default for Extractor {
    fn default() -> Self {
        Self {
            parser: Parser::new(),
            finder: Finder::default(),
            patience: PATIENCE,
        }
    }
}

impl Extractor {
    /// The facts of `text`, written in `language`.
    pub fn extract(&mut self, language: &Language, text: &str) -> Result<FileFacts, TooSlow> {
        let Some(compiled) = language.compiled() else {
            return Ok(FileFacts {
                lines: count_lines(text),
                ..FileFacts::default()
            });
        };
        if self.parser.set_language(&compiled.grammar).is_err() {
            return Ok(FileFacts {
                lines: count_lines(text),
                ..FileFacts::default()
            });
        }
        let tree = self.parse(text, &[])?;
        let mut gathered =
            gather::gather(&mut self.finder, compiled, &tree, text).ok_or(TooSlow)?;
        let mut unread = std::mem::take(&mut gathered.inner);
        for _ in 0..inner::DEPTH {
            if unread.is_empty() {
                break;
            }
            unread.sort_by_key(|span| span.start);
            let items = written::among_items(&gathered, &unread);
            written::add_written(&mut gathered, text, &items);
            let laid_out = inner::as_statements(text, &unread);
            let tree = self.parse(&laid_out, &inner::ranges(&unread))?;
            let mut again =
                gather::gather(&mut self.finder, compiled, &tree, &laid_out).ok_or(TooSlow)?;
            unread = std::mem::take(&mut again.inner);
            gathered.take(again, &items);
        }
        Ok(assemble::assemble(language, gathered, text, &tree))
    }

    /// The tree of `text`, or of those parts of it that `within` names.
    fn parse(&mut self, text: &str, within: &[Range]) -> Result<Tree, TooSlow> {
        self.parser
            .set_included_ranges(within)
            .map_err(|_| TooSlow)?;
        let mut steps = 0;
        let (began, patience) = (look_at_the_clock(), self.patience);
        let mut within_bounds = |_: &tree_sitter::ParseState| {
            steps += 1;
            if steps > STEPS || look_at_the_clock() - began > patience {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let bytes = text.as_bytes();
        let options = ParseOptions::new().progress_callback(&mut within_bounds);
        let mut read = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
        let tree = self
            .parser
            .parse_with_options(&mut read, None, Some(options));
        tree.ok_or_else(|| {
            self.parser.reset();
            TooSlow
        })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "only the clock tells that a text misleads the parser; facts that come in time do not depend on it"
)]
fn look_at_the_clock() -> Instant {
    Instant::now()
}

fn count_lines(text: &str) -> u32 {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    (ends + usize::from(!text.is_empty() && !text.ends_with('\n'))) as u32
}

#[cfg(test)]
pub(crate) fn extract_for_tests(path: &str, text: &str) -> FileFacts {
    let language = crate::language::language_of(path).and_then(crate::language::LanguageId::get);
    Extractor::default()
        .extract(language.expect("a known extension"), text)
        .expect("short enough")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_takes_too_long_is_given_up_and_the_next_one_is_read() {
        let language =
            crate::language::language_of("a.js").and_then(crate::language::LanguageId::get);
        let language = language.expect("a known extension");
        let mut extractor = Extractor {
            patience: Duration::ZERO,
            ..Extractor::default()
        };
        let long = "export const a = [1, 2, 3]\n".repeat(1_000);
        assert_eq!(extractor.extract(language, &long).err(), Some(TooSlow));
        extractor.patience = PATIENCE;
        let facts = extractor.extract(language, "export const ok = 1\n");
        assert_eq!(facts.map(|facts| facts.definitions.len()), Ok(1));
    }
}
