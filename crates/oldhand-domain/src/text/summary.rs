//! What a memory says in one line.

use super::{Content, InvalidText, SUMMARY_LIMIT, Summary, one_line, too_long};
use crate::tokens;

impl Summary {
    pub fn new(text: &str) -> Result<Self, InvalidText> {
        let text = one_line(text);
        if text.is_empty() {
            return Err(InvalidText::Empty { what: "summary" });
        }
        let length = tokens::count(&text);
        if length > SUMMARY_LIMIT {
            return Err(too_long("summary", length, SUMMARY_LIMIT, "tokens"));
        }
        Ok(Self(text))
    }

    /// One that was short enough when it was stored: counting tokens gets better over time, and what fitted then still does.
    pub fn stored(text: &str) -> Result<Self, InvalidText> {
        // Every memory that is read comes by here, and a line this short needs no counting.
        let is_short = |text: &str| {
            text.len() <= 8 * SUMMARY_LIMIT || tokens::count(text) <= 2 * SUMMARY_LIMIT
        };
        let is_whole = !text.is_empty() && text == one_line(text);
        if is_whole && is_short(text) {
            return Ok(Self(text.to_owned()));
        }
        Self::new(text)
    }

    /// The first sentence of `content`, without the targets of its links. What it only announces is told with it where that fits; where even
    /// the sentence does not, it ends at a word: a clause may be taken back by the next one, and must not pass for the whole.
    pub fn of(content: &Content) -> Self {
        let text = content.as_str();
        let (above, code) = text.split_once("\n```").unwrap_or((text, ""));
        let text = without_targets(&one_line(above));
        let sentence = first_sentence(&text);
        let announced = first_command(code).filter(|_| sentence.len() == text.len());
        let with_code = |code: &str| format!("{} `{code}`", announcing(sentence));
        if let Some(Ok(summary)) = announced.map(|code| Self::new(&with_code(code))) {
            return summary;
        }
        let rest = text[sentence.len()..].trim_start();
        if is_title(sentence) && !rest.is_empty() {
            let whole = format!("{sentence} {}", first_sentence(rest));
            return Self::new(&whole).unwrap_or_else(|_| Self::cut(&whole));
        }
        Self::new(sentence).unwrap_or_else(|_| Self::cut(sentence))
    }

    /// As many words of a text that is too long as fit.
    fn cut(text: &str) -> Self {
        let ends = text
            .char_indices()
            .filter(|(_, c)| c.is_whitespace())
            .map(|(at, _)| at);
        let ends: Vec<usize> = ends.collect();
        let fits = |end: usize| Self::new(&format!("{}…", text[..end].trim_end())).ok();
        let cut_at_word = ends.iter().rev().find_map(|&end| fits(end));
        // A single unbroken word longer than the limit is cut between characters.
        let cut_anywhere = || text.char_indices().rev().find_map(|(at, _)| fits(at));
        cut_at_word
            .or_else(cut_anywhere)
            .unwrap_or_else(|| Self("…".to_owned()))
    }

    /// What a point of a list says, behind as much of the end of the line that announced it as fits.
    pub fn of_point(lead: &str, point: &Content) -> Self {
        let own = Self::of(point);
        let lead = without_targets(&one_line(lead));
        if let Ok(whole) = Self::new(&format!("{lead} {own}")) {
            return whole;
        }
        let later = lead.match_indices(' ').map(|(at, _)| &lead[at..]);
        let shortened = later.map(|rest| Self::new(&format!("…{rest} {own}")));
        shortened.flatten().next().unwrap_or(own)
    }
}

/// `**Module size limits.**`: bold, and says nothing without what stands behind it.
fn is_title(sentence: &str) -> bool {
    /// More words than these may be the rule itself.
    const MOST: usize = 6;
    let inner = sentence.strip_prefix("**");
    let inner = inner.and_then(|inner| inner.strip_suffix("**"));
    inner.is_some_and(|inner| !inner.contains("**") && inner.split_whitespace().count() <= MOST)
}

fn first_sentence(text: &str) -> &str {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let marks = rest.len() - rest.trim_start_matches('*').len();
        let ends = matches!(c, '.' | '!' | '?') && rest[marks..].starts_with(' ');
        // "e.g. this" and "3. step" do not end a sentence.
        if ends
            && before.is_alphanumeric()
            && !text[..at].ends_with("e.g")
            && !text[..at].ends_with("i.e")
            && at > 3
        {
            return &text[..=at + marks];
        }
        before = c;
    }
    text
}

/// Links by their words alone, `[the guide](docs/guide.md)` as `the guide`; what is code stays as it is.
fn without_targets(text: &str) -> String {
    let link = |text: &str| {
        let mut plain = String::new();
        let mut rest = text;
        while let Some((before, words, behind)) = next_link(rest) {
            plain.push_str(before);
            plain.push_str(words);
            rest = behind;
        }
        plain + rest
    };
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(at, part)| {
        if at.is_multiple_of(2) {
            link(part)
        } else {
            part.to_owned()
        }
    });
    parts.collect::<Vec<_>>().join("`")
}

/// What stands before a link, its words, and what stands behind it.
fn next_link(text: &str) -> Option<(&str, &str, &str)> {
    let (words, target) = text.split_once("](")?;
    let (before, words) = words.rsplit_once('[')?;
    let (_, behind) = target.split_once(')')?;
    Some((before.trim_end_matches('!'), words, behind))
}

/// The first line of code that is no comment, without the comment behind it. Code under a comment that calls it wrong is passed over up to
/// one that calls the next right, and the beginning of something longer says nothing by itself.
fn first_command(code: &str) -> Option<&str> {
    let mut is_wrong = false;
    for line in code.lines().skip(1).map(str::trim) {
        if ["#", "//", "```"].iter().any(|mark| line.starts_with(mark)) {
            is_wrong = calls_wrong(line).unwrap_or(is_wrong);
            continue;
        }
        let (command, comment) = line.split_once(" # ").unwrap_or((line, ""));
        if command.is_empty() || is_wrong || calls_wrong(comment) == Some(true) {
            continue;
        }
        let command = command.trim_end();
        let is_begun = command.ends_with(['{', '(', '[']);
        return (!command.contains('`') && !is_begun).then_some(command);
    }
    None
}

/// Whether a comment calls the code at hand wrong, or right, by its first word.
fn calls_wrong(comment: &str) -> Option<bool> {
    let word = comment.trim_start_matches(['#', '/', ' ']);
    let word = word.split([' ', ':', ',', '-', '(']).next()?;
    match word.to_lowercase().as_str() {
        "wrong" | "bad" | "incorrect" | "❌" | "✗" => Some(true),
        "correct" | "good" | "right" | "✅" | "✓" => Some(false),
        _ if ["AVOID", "DON'T", "NEVER", "NO"].contains(&word) => Some(true),
        _ if ["DO", "YES"].contains(&word) => Some(false),
        _ => None,
    }
}

/// A sentence as it reads before what it is about.
fn announcing(sentence: &str) -> String {
    let is_title = sentence.ends_with(|c: char| c.is_alphanumeric()) || sentence.ends_with("**");
    let has_colon = sentence.trim_end_matches(['*', '_']).ends_with(':');
    let colon = if is_title && !has_colon { ":" } else { "" };
    format!("{sentence}{colon}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_the_first_sentence_when_that_fits() {
        let content =
            Content::new("Run `make gen` first, e.g. after a pull. The build needs it.").unwrap();
        assert_eq!(
            Summary::of(&content).as_str(),
            "Run `make gen` first, e.g. after a pull."
        );
        let with_code = Content::new("**It times out**\n```\n# Try\nmake slow\n```").unwrap();
        assert_eq!(
            Summary::of(&with_code).as_str(),
            "**It times out**: `make slow`"
        );
    }

    #[test]
    fn a_summary_is_read_without_what_it_points_at() {
        let summary = |text: &str| Summary::of(&Content::new(text).unwrap()).to_string();
        assert_eq!(
            summary(
                "Since [3971](https://example.org/pull/3971) read [the guide](docs/a.md), not `[x](y)`."
            ),
            "Since 3971 read the guide, not `[x](y)`."
        );
        assert_eq!(
            summary("For details, run:\n```\nmake help  # all of it\n```"),
            "For details, run: `make help`"
        );
        assert_eq!(
            summary("**Read all of what is in it first.** What is left is lost."),
            "**Read all of what is in it first.**"
        );
    }

    #[test]
    fn a_bold_title_is_told_with_what_stands_behind_it() {
        let summary = |text: &str| Summary::of(&Content::new(text).unwrap()).to_string();
        assert_eq!(
            summary("**Module size limits.** No module over 500 lines. Known exceptions: two."),
            "**Module size limits.** No module over 500 lines."
        );
        assert_eq!(
            summary("**Module size limits.**"),
            "**Module size limits.**"
        );
        let long = format!(
            "**Sizes.** No module {} ever.",
            "over 500 lines ".repeat(40)
        );
        let told = summary(&long);
        assert!(told.starts_with("**Sizes.** No module over") && told.ends_with('…'));
    }

    #[test]
    fn a_long_sentence_does_not_end_before_its_exception() {
        let content = Content::new(
            "Run the migration script of the database before each deploy — except for releases of the billing service, whose tables are moved by the people \
             who run the ledger and who have to be asked a week before anything of theirs is touched.",
        );
        let summary = Summary::of(&content.unwrap()).to_string();
        assert!(
            summary.contains("deploy — except for releases"),
            "{summary}"
        );
        assert!(summary.ends_with('…'), "{summary}");
    }

    #[test]
    fn a_point_is_told_by_its_own_words_behind_the_end_of_its_lead() {
        let lead = format!(
            "{} and what all of this is loved for:",
            "you stand for it ".repeat(20)
        );
        let point = Content::new("a delightful experience").unwrap();
        let summary = Summary::of_point(&lead, &point).to_string();
        assert!(summary.starts_with("… "), "{summary}");
        assert!(
            summary.ends_with("this is loved for: a delightful experience"),
            "{summary}"
        );
        let whole = Summary::of_point("When it fails:", &point);
        assert_eq!(whole.as_str(), "When it fails: a delightful experience");
    }

    #[test]
    fn code_that_is_called_wrong_is_not_told_as_what_to_do() {
        for (code, told) in [
            (
                "// WRONG - deletes ignored folders\ntree.reset()\n\n// CORRECT - use git\nrun(\"git reset\")",
                "Use git instead: `run(\"git reset\")`",
            ),
            ("# Bad:\nnpm install", "Use git instead:"),
            (
                "npm install # WRONG\npnpm install",
                "Use git instead: `pnpm install`",
            ),
            ("// ❌\na()\n// ✅\nb()", "Use git instead: `b()`"),
            (
                "# no network is needed\nmake all",
                "Use git instead: `make all`",
            ),
            (
                "tree.reset(&Options {\n    hard: true,\n})",
                "Use git instead:",
            ),
        ] {
            let content = Content::new(&format!("Use git instead:\n```sh\n{code}\n```")).unwrap();
            assert_eq!(Summary::of(&content).as_str(), told, "{code}");
        }
    }

    #[test]
    fn a_summary_never_exceeds_its_limit() {
        let long_words = "the parser keeps a stack of open brackets and ".repeat(20);
        let one_word = "x9".repeat(700);
        for text in [
            long_words.as_str(),
            one_word.as_str(),
            "漢字".repeat(300).as_str(),
        ] {
            let summary = Summary::of(&Content::new(text).unwrap());
            assert!(
                tokens::count(summary.as_str()) <= SUMMARY_LIMIT,
                "{summary}"
            );
            assert!(summary.as_str().ends_with('…'), "{summary}");
            assert!(summary.as_str().chars().count() > 10, "{summary}");
        }
    }

    #[test]
    fn what_was_counted_otherwise_when_it_was_stored_is_still_read() {
        let longer = "word ".repeat(SUMMARY_LIMIT + 4);
        let longer = longer.trim_end();
        assert!(Summary::new(longer).is_err());
        assert_eq!(Summary::stored(longer).unwrap().as_str(), longer);
        assert!(Summary::stored(&"word ".repeat(3 * SUMMARY_LIMIT)).is_err());
        assert!(Summary::stored("").is_err());
    }
}
