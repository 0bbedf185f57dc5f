//! A piece of a file.

/// A piece of a file, with the headings it stands under, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rules) struct Block {
    pub(in crate::rules) kind: Kind,
    pub(in crate::rules) headings: Vec<String>,
    pub(in crate::rules) text: String,
    /// Points below a bullet that is complete without them.
    pub(in crate::rules) children: Vec<String>,
    pub(in crate::rules) line: usize,
    /// The line that announced it, which is part of its text.
    pub(super) lead: Option<String>,
    /// Whether it is marked as one point of a list.
    pub(super) is_point: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rules) enum Kind {
    Statement,
    Skipped(&'static str),
}

impl Block {
    /// The line that announced it.
    pub(in crate::rules) fn lead(&self) -> Option<&str> {
        self.lead.as_deref()
    }

    /// Its words without the line that announced it.
    pub(in crate::rules) fn point(&self) -> &str {
        let lead = self.lead().map_or(0, str::len);
        self.text[lead..].trim_start()
    }

    /// The statement with its points below it.
    pub(in crate::rules) fn whole(&self) -> String {
        let points = self.children.iter().map(|child| format!("\n- {child}"));
        std::iter::once(self.text.clone()).chain(points).collect()
    }
}
