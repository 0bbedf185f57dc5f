//! What a statement says that a name is made of: "`x` is declared as `y`". Only the line that does so bears it out.

/// The two names of a statement that says how one of them is declared, defined or set.
pub fn made_of(statement: &str) -> Option<(&str, &str)> {
    let parts: Vec<&str> = statement.split('`').collect();
    let between = parts.iter().enumerate().skip(2).step_by(2);
    let mut made = between.filter(|(at, words)| at + 2 < parts.len() && says_made(words));
    made.next().map(|(at, _)| (parts[at - 1], parts[at + 1]))
}

/// Whether a text has both names in one line.
pub fn has_both(text: &str, (name, made): (&str, &str)) -> bool {
    let mut lines = text.lines();
    lines.any(|line| line.contains(name) && line.contains(made))
}

fn says_made(words: &str) -> bool {
    const MADE: [&str; 6] = [
        "declared",
        "defined",
        "set",
        "assigned",
        "initialized",
        "bound",
    ];
    const AS: [&str; 5] = ["as", "to", "with", "by", "via"];
    let words: Vec<&str> = words.split_whitespace().collect();
    let is = words
        .first()
        .is_some_and(|word| matches!(*word, "is" | "are" | "gets"));
    let made = words
        .windows(2)
        .any(|pair| MADE.contains(&pair[0]) && AS.contains(&pair[1]));
    let is_denied = words.iter().any(|word| matches!(*word, "not" | "never"));
    is && made && !is_denied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_of_how_a_name_is_made_names_both() {
        for (statement, expected) in [
            (
                "`timer` is declared as `$state`, which makes it reactive.",
                Some(("timer", "$state")),
            ),
            (
                "Here `LIMIT` is set to the value of `MAX_ROWS`.",
                Some(("LIMIT", "MAX_ROWS")),
            ),
            ("`timer` is never set to `null`.", None),
            ("`timer` is read before `start` runs.", None),
            ("`timer` is declared twice.", None),
            ("`flush` waits for `fsync`.", None),
        ] {
            assert_eq!(made_of(statement), expected, "{statement}");
        }
    }

    #[test]
    fn one_line_has_to_have_both() {
        let made = ("timer", "$state");
        assert!(has_both("let rows = [];\nlet timer = $state(null);", made));
        assert!(!has_both("let timer = null;\nlet rows = $state([]);", made));
    }
}
