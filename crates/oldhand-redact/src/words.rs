//! Lists of words, written as one text and searched in a few steps.

/// A sorted list of small-letter words.
pub(crate) struct Words<const N: usize>([&'static [u8]; N]);

impl<const N: usize> Words<N> {
    /// Cuts `text` at its single spaces, when the program is compiled.
    pub(crate) const fn new(text: &'static str) -> Self {
        let mut words: [&'static [u8]; N] = [&[]; N];
        let mut rest = text.as_bytes();
        let mut count = 0;
        while count < N {
            let mut end = 0;
            while end < rest.len() && rest[end] != b' ' {
                end += 1;
            }
            let (word, after) = rest.split_at(end);
            words[count] = word;
            count += 1;
            rest = if after.is_empty() {
                after
            } else {
                after.split_at(1).1
            };
        }
        assert!(
            rest.is_empty(),
            "there are more words than the list has places"
        );
        Self(words)
    }

    /// True when `word`, in small letters, is in the list.
    pub(crate) fn has(&self, word: &[u8]) -> bool {
        self.0.binary_search(&word).is_ok()
    }

    #[cfg(test)]
    pub(crate) fn is_sorted(&self) -> bool {
        self.0.is_sorted() && !self.0.contains(&&b""[..])
    }
}

/// How many words `text` has.
pub(crate) const fn count(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut count, mut at) = (1, 0);
    while at < bytes.len() {
        count += (bytes[at] == b' ') as usize;
        at += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole() {
        const TEXT: &str = "alpha beta gamma";
        const LIST: Words<{ count(TEXT) }> = Words::new(TEXT);
        assert!(LIST.has(b"alpha") && LIST.has(b"beta") && LIST.has(b"gamma"));
        assert!(!LIST.has(b"bet") && !LIST.has(b"") && !LIST.has(b"alpha beta"));
        assert!(LIST.is_sorted());
    }
}
