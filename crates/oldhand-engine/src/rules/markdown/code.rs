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

    pub(super) fn ends_at(&self, line: &str, indent: usize) -> bool {
        let body = line.trim();
        if self.fence.is_empty() {
            return !body.is_empty() && indent < INDENTED_CODE;
        }
        body.starts_with(self.fence.as_str()) && body.replace(&self.fence[..1], "").is_empty()
    }
}
