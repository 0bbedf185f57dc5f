//! Lines of a prompt that a program printed: what git or a package manager advises is nobody's wish.

/// How lines begin by which a program tells what to do.
const MARKS: [&str; 13] = [
    "(use \"git ",
    "hint:",
    "remote:",
    "fatal:",
    "help:",
    "= help:",
    "= note:",
    "npm warn",
    "npm err",
    "npm notice",
    "[warn",
    "[error",
    "[info",
];

/// How a line begins that was typed into a shell.
const SHELLS: [&str; 5] = ["$ ", "% ", "❯ ", "➜ ", "PS C:\\"];

/// Whether a sentence stands in a line that a program printed: one with a program's mark or with a place in a file before it, or one
/// between what was typed into a shell and the end of the paragraph. The last line of a prompt may be the person's again.
pub(super) fn is_printed(text: &str, sentence: &str) -> bool {
    let Some(at) = text.find(sentence) else {
        return false;
    };
    let begin = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[begin..].lines().next().unwrap_or_default().trim();
    let lower = line.to_ascii_lowercase();
    if MARKS.iter().any(|mark| lower.starts_with(mark)) || is_located(line) {
        return true;
    }
    let is_last = text[at + sentence.len()..].trim().is_empty();
    let above = text[..begin].lines().rev().map(str::trim);
    let mut above = above.take_while(|line| !line.is_empty());
    !is_last && above.any(|line| SHELLS.iter().any(|shell| line.starts_with(shell)))
}

/// `src/a.rs:3:1: …` says where a finding is.
fn is_located(line: &str) -> bool {
    let place = line.split_whitespace().next().unwrap_or_default();
    let mut parts = place.trim_end_matches(':').split(':');
    let file = parts.next().unwrap_or_default();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    file.contains('.') && parts.next().is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::super::instructions;

    #[test]
    fn what_a_program_printed_lays_nothing_down() {
        for prompt in [
            "why is this?\nOn branch main\nYour branch is ahead of 'origin/main' by 2 commits.\n  (use \"git push\" to publish your local commits)\n\nnothing to commit",
            "it says\nhint: always use git pull before you push again\nwhat now",
            "npm warn deprecated a@1: use pnpm instead of npm for this\nfix it",
            "src/a.ts:3:1: never commit a key to the main branch\nis that so",
            "❯ make hooks\nalways use pnpm, not npm, for the scripts\ndone\n\nwhy does it say so",
        ] {
            assert_eq!(instructions(prompt), [], "{prompt}");
        }
        for prompt in [
            "❯ make hooks\ndone\n\nalways use pnpm, not npm, for the scripts",
            "❯ make hooks\ndone\nalways use pnpm, not npm, for the scripts",
            "never commit to main please\n$ git log",
            "a.md: never commit to main",
        ] {
            assert_eq!(instructions(prompt).len(), 1, "{prompt}");
        }
    }
}
