//! Code between fences, said in one line: commands one by one, a piece of a program whole, and what is right before what is wrong.

use std::borrow::Cow;

const FENCE: &str = "```";
/// What stands for the end of a line inside a piece of code.
const LINE_END: &str = " ⏎ ";

/// The text with its code between marks: put into one line without them, two commands would read as one.
pub(super) fn without_fences(text: &str) -> Cow<'_, str> {
    if !text.contains(FENCE) {
        return Cow::Borrowed(text);
    }
    let mut said: Vec<String> = Vec::new();
    let mut code: Option<Vec<&str>> = None;
    for line in text.lines() {
        if line.trim_start().starts_with(FENCE) {
            match code.take() {
                Some(lines) => said.push(say(&lines)),
                None => code = Some(Vec::new()),
            }
        } else if let Some(lines) = &mut code {
            lines.push(line);
        } else {
            said.push(line.trim().to_owned());
        }
    }
    said.extend(code.map(|lines| say(&lines)));
    Cow::Owned(said.join("\n"))
}

/// Lines under what a comment says of them.
#[derive(Default)]
struct Part<'a> {
    comment: Option<&'a str>,
    lines: Vec<&'a str>,
}

/// Which of two ways a piece of code shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Example {
    Right,
    Wrong,
}

fn say(lines: &[&str]) -> String {
    let mut parts = parts(lines);
    // Who reads no further than the first example takes that one. Everything else may be steps, which have their order.
    if let [first, second] = parts.as_mut_slice()
        && first.example() == Some(Example::Wrong)
        && second.example() == Some(Example::Right)
    {
        std::mem::swap(first, second);
    }
    let mut said: Vec<String> = Vec::new();
    for part in &parts {
        let code = part.say();
        match part.comment {
            Some(comment) if code.is_empty() => said.push(comment.to_owned()),
            Some(comment) => said.push(format!("{}: {code}", comment.trim_end_matches(':'))),
            None => said.push(code),
        }
    }
    said.retain(|part| !part.is_empty());
    said.join("; ")
}

/// Cuts code at the comments that stand as far left as it does.
fn parts<'a>(lines: &[&'a str]) -> Vec<Part<'a>> {
    let filled = || lines.iter().filter(|line| !line.trim().is_empty());
    let indent = |line: &str| line.len() - line.trim_start().len();
    let least = filled().map(|line| indent(line)).min().unwrap_or_default();
    let mut parts: Vec<Part<'a>> = Vec::new();
    for line in filled() {
        let comment = ["# ", "// ", "-- "]
            .iter()
            .find_map(|mark| line.trim().strip_prefix(mark));
        match comment.filter(|_| indent(line) == least) {
            Some(comment) => parts.push(Part {
                comment: Some(comment.trim()),
                lines: Vec::new(),
            }),
            None => match parts.last_mut() {
                Some(part) => part.lines.push(line.get(least..).unwrap_or(line)),
                None => parts.push(Part {
                    comment: None,
                    lines: vec![line.get(least..).unwrap_or(line)],
                }),
            },
        }
    }
    parts
}

impl Part<'_> {
    /// What its comment calls it, where it is an example.
    fn example(&self) -> Option<Example> {
        const WRONG: [&str; 4] = ["❌", "wrong", "bad", "incorrect"];
        const RIGHT: [&str; 5] = ["✅", "✓", "right", "good", "correct"];
        let comment = self.comment?.to_lowercase();
        let word = comment
            .split(|c: char| !(c.is_alphanumeric() || "❌✅✓".contains(c)))
            .find(|word| !word.is_empty())?;
        let is_one = |words: &[&str]| {
            let mut words = words.iter();
            words.any(|sign| word == *sign || (!sign.is_ascii() && word.starts_with(sign)))
        };
        if is_one(&WRONG) {
            Some(Example::Wrong)
        } else {
            is_one(&RIGHT).then_some(Example::Right)
        }
    }

    fn say(&self) -> String {
        if self.is_program() {
            let lines: Vec<&str> = self.lines.iter().map(|line| line.trim()).collect();
            return mark(&lines.join(LINE_END));
        }
        let commands = self.lines.iter().map(|line| mark(line.trim()));
        commands.collect::<Vec<_>>().join("; ")
    }

    /// Whether a line is no whole without the next.
    fn is_program(&self) -> bool {
        let goes_on = |line: &&str| {
            let line = line.trim_end();
            line.starts_with([' ', '\t', '}', ')', ']'])
                || line.ends_with(['{', '(', '[', ',', ';', '\\'])
        };
        self.lines.len() > 1 && self.lines.iter().any(goes_on)
    }
}

fn mark(code: &str) -> String {
    if code.is_empty() || code.contains('`') {
        code.to_owned()
    } else {
        format!("`{code}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_of_a_program_stays_one_piece() {
        let text = "Each test has a setup:\n```\nsetup() {\n  load common\n}\n```";
        assert_eq!(
            without_fences(text),
            "Each test has a setup:\n`setup() { ⏎ load common ⏎ }`"
        );
    }

    #[test]
    fn the_right_way_is_said_before_the_wrong_one() {
        let text = "Use the command line instead:\n```\n// WRONG - deletes what is ignored\ntree.Reset(&Options{\n\tCommit: hash,\n})\n\n// CORRECT - keeps it\nrun(\"reset\")\n```";
        assert_eq!(
            without_fences(text),
            "Use the command line instead:\nCORRECT - keeps it: `run(\"reset\")`; WRONG - deletes what is ignored: `tree.Reset(&Options{ ⏎ Commit: hash, ⏎ })`"
        );
        let alone = "Reset:\n```\n# bad\nreset --hard\n```";
        assert_eq!(without_fences(alone), "Reset:\nbad: `reset --hard`");
    }

    #[test]
    fn steps_keep_their_order_whatever_their_comments_forbid() {
        let text = "Deploy the shop:\n```\n# Do not forget: stop the server first\nsystemctl stop shop\n# Copy the build\nrsync out/ web:\n# Start it again\nsystemctl start shop\n```";
        assert_eq!(
            without_fences(text),
            "Deploy the shop:\nDo not forget: stop the server first: `systemctl stop shop`; Copy the build: `rsync out/ web:`; Start it again: `systemctl start shop`"
        );
        for comment in [
            "Never skip this",
            "Avoid downtime: drain first",
            "Not needed on macOS",
            "Bad blocks are looked for first",
        ] {
            let text =
                format!("```\n# {comment}\ndrain\n# Right after that\nrestart\n# Last\nlook\n```");
            assert!(
                without_fences(&text).starts_with(comment),
                "{}",
                without_fences(&text)
            );
        }
        let forbidden = "```\n# Never without this\ndrain\n# Good to go\nrestart\n```";
        assert!(without_fences(forbidden).starts_with("Never"));
    }

    #[test]
    fn signs_tell_the_right_way_from_the_wrong_one() {
        let text = "```\n# ❌ loses what is not saved\nkill -9\n# ✅ Correct\nkill\n```";
        assert_eq!(
            without_fences(text),
            "✅ Correct: `kill`; ❌ loses what is not saved: `kill -9`"
        );
    }

    #[test]
    fn commands_are_said_one_by_one() {
        let text =
            "Run tests:\n```bash\n# Run all:\nmise run test\n\nmise run lint\n```\nThen commit.";
        assert_eq!(
            without_fences(text),
            "Run tests:\nRun all: `mise run test`; `mise run lint`\nThen commit."
        );
        assert_eq!(without_fences("```\nunclosed"), "`unclosed`");
        assert_eq!(without_fences("```\n# only words\n```"), "only words");
    }
}
