//! Code between fences, or indented.

/// What is indented by so much is code, outside of lists.
pub(super) const INDENTED_CODE: usize = 4;

pub(super) struct Code {
    pub(super) indent: usize,
    pub(super) lines: Vec<String>,
    /// How it was opened; it is closed by at least as many of the same marks. Code without is closed by what is not indented.
    pub(super) fence: String,
    pub(super) language: String,
    pub(super) line: usize,
}

impl Code {
    /// The code that this line opens: three or more of the same mark, and a language.
    pub(super) fn opened_by(body: &str, indent: usize, line: usize) -> Option<Self> {
        let mark = body
            .chars()
            .next()
            .filter(|mark| matches!(mark, '`' | '~'))?;
        let language = body.trim_start_matches(mark);
        let fence = &body[..body.len() - language.len()];
        let is_fence = fence.len() >= 3 && !language.contains('`');
        is_fence.then(|| Self {
            indent,
            lines: Vec::new(),
            fence: fence.to_owned(),
            language: language.trim().to_lowercase(),
            line,
        })
    }

    pub(super) fn is_shell(&self) -> bool {
        matches!(
            self.language.as_str(),
            "" | "bash" | "sh" | "shell" | "zsh" | "console" | "fish" | "powershell"
        )
    }

    pub(super) fn text(&self) -> String {
        self.lines.join("\n").trim_end().to_owned()
    }

    /// Each line of a shell block is a command, with its line in the file; a comment above it says what for.
    pub(super) fn commands(&self) -> Vec<(String, usize)> {
        let mut commands = Vec::new();
        let mut comment: Option<String> = None;
        for (offset, line) in self.lines.iter().enumerate() {
            let line = line.trim().trim_start_matches("$ ");
            if let Some(words) = line.strip_prefix('#') {
                comment = Some(words.trim_start_matches('#').trim().to_owned());
            } else if line.is_empty() {
                comment = None;
            } else {
                let (command, behind) = match line.split_once(" # ") {
                    Some((command, words)) => (command.trim(), Some(words.trim().to_owned())),
                    None => (line, None),
                };
                let text = match behind.or_else(|| comment.clone()) {
                    Some(words) => format!("{words}: `{command}`"),
                    None => format!("`{command}`"),
                };
                commands.push((text, self.line + offset + 1));
            }
        }
        commands
    }

    /// What stands in it, where it is no code but words set apart, one thing a line.
    pub(super) fn words(&self) -> Option<String> {
        const TEXT: &[&str] = &["plaintext", "question", "quote", "text", "txt"];
        let is_plain = |line: &str| {
            let mark = |c: char| !c.is_alphanumeric() && !" ',-.?!/".contains(c);
            line.starts_with(char::is_alphabetic) && !line.contains(mark)
        };
        let lines = || {
            let lines = self.lines.iter().map(|line| line.trim());
            lines.filter(|line| !line.is_empty())
        };
        let is_text = TEXT.contains(&self.language.as_str()) && lines().all(is_plain);
        let words = lines().collect::<Vec<_>>().join("; ");
        (is_text && !words.is_empty()).then_some(words)
    }

    pub(super) fn ends_at(&self, line: &str, indent: usize) -> bool {
        let body = line.trim();
        if self.fence.is_empty() {
            return !body.is_empty() && indent < INDENTED_CODE;
        }
        body.starts_with(self.fence.as_str()) && body.replace(&self.fence[..1], "").is_empty()
    }
}
