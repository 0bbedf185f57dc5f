//! A command line as clients keep it: a word for a shell, and back to the words a shell would make of it.

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | ':');
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if cfg!(windows) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The words of a command line. A backslash counts before a quote or a blank and nowhere else: paths of Windows hold many.
pub(super) fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                while let Some(inner) = letters.next_if(|inner| *inner != letter) {
                    let escapes = letter == '"' && inner == '\\';
                    match letters.next_if(|next| escapes && matches!(next, '"' | '$' | '`')) {
                        Some(escaped) => word.push(escaped),
                        None => word.push(inner),
                    }
                }
                letters.next();
            }
            '\\' => {
                let escaped = letters.next_if(|next| matches!(next, '\'' | '"' | ' '));
                word.get_or_insert_default().push(escaped.unwrap_or(letter));
            }
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_path_is_quoted_when_a_shell_would_take_it_apart() {
        assert_eq!(quoted("/usr/bin/oldhand"), "/usr/bin/oldhand");
        #[cfg(unix)]
        assert_eq!(
            quoted("/my apps/it's/oldhand"),
            r"'/my apps/it'\''s/oldhand'"
        );
    }

    #[test]
    fn a_line_is_taken_apart_as_a_shell_does_and_backslashes_of_windows_stay() {
        for (line, words) in [
            ("oldhand  hook codex", vec!["oldhand", "hook", "codex"]),
            (
                r"'/it'\''s here/oldhand' hook",
                vec!["/it's here/oldhand", "hook"],
            ),
            (
                r#""C:\My Apps\oldhand.exe" hook"#,
                vec![r"C:\My Apps\oldhand.exe", "hook"],
            ),
            (
                r"C:\bin\oldhand.exe hook",
                vec![r"C:\bin\oldhand.exe", "hook"],
            ),
            (r"/my\ apps/oldhand hook", vec!["/my apps/oldhand", "hook"]),
            (r#""a \"b\" \$c" ''"#, vec![r#"a "b" $c"#, ""]),
            ("'never closed", vec!["never closed"]),
            ("", vec![]),
        ] {
            assert_eq!(split(line), words, "{line}");
        }
    }

    proptest! {
        #[cfg(unix)]
        #[test]
        fn what_was_quoted_comes_back(words in prop::collection::vec("\\PC*", 1..4)) {
            let line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            prop_assert_eq!(split(&line.join(" ")), words);
        }
    }
}
