//! What lies in what: parts of a text that are inside or beside each other, each with something said about it.

use super::gather::Span;

/// Sorted so that the innermost part around a place is found without looking at all of them.
pub(super) struct Nest {
    /// Each part with what is said of it.
    parts: Vec<(Span, Span)>,
    /// The part around each.
    around: Vec<Option<usize>>,
}

impl Nest {
    pub(super) fn new(mut parts: Vec<(Span, Span)>) -> Self {
        parts.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        let mut around = Vec::with_capacity(parts.len());
        let mut open: Vec<usize> = Vec::new();
        for (at, (span, _)) in parts.iter().enumerate() {
            while open
                .last()
                .is_some_and(|&last| parts[last].0.end <= span.start)
            {
                open.pop();
            }
            around.push(open.last().copied());
            open.push(at);
        }
        Self { parts, around }
    }

    /// What is said of the innermost part around `inner`.
    pub(super) fn innermost(&self, inner: &Span) -> Option<Span> {
        self.outwards(inner).next()
    }

    /// What is said of every part around `inner`, the innermost first.
    pub(super) fn outwards(&self, inner: &Span) -> impl Iterator<Item = Span> + use<'_> {
        let inner = *inner;
        let after = self
            .parts
            .partition_point(|(span, _)| span.start <= inner.start);
        let mut at = after.checked_sub(1);
        std::iter::from_fn(move || {
            loop {
                let (span, said) = &self.parts[at?];
                at = self.around[at?];
                if span.holds(&inner) {
                    return Some(*said);
                }
            }
        })
    }
}
