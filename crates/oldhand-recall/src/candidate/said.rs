//! Which words of a question a memory says, and where.

use std::collections::BTreeSet;

use oldhand_domain::words;
use rustc_hash::FxHashSet;

use super::Candidate;
use crate::act::sentences;
use crate::plan::Plan;

impl Candidate {
    /// Looks which words of the question it has, in whatever form.
    pub fn find_words(&mut self, plan: &Plan) {
        let memory = &self.memory;
        let mut texts = vec![memory.content.to_string()];
        // What is short is its own summary.
        if memory.summary.as_str() != memory.content.as_str() {
            texts.push(memory.summary.to_string());
        }
        texts.extend(memory.tags.iter().map(ToString::to_string));
        texts.extend(memory.files.iter().map(ToString::to_string));
        texts.extend(memory.modules.iter().map(ToString::to_string));
        let split: Vec<String> = texts.iter().flat_map(|text| words::split(text)).collect();
        self.because.words = shared(&split, &plan.words, words::stem);
    }

    /// The sentence that says most of the question's words, once they were looked for, where the summary says fewer of them.
    pub fn where_said(&self) -> Option<&str> {
        let stems: BTreeSet<&str> = self
            .because
            .words
            .iter()
            .map(|word| words::stem(word))
            .collect();
        let said = |text: &str| {
            let split = words::split(text);
            let said: BTreeSet<&str> = split.iter().map(|word| words::stem(word)).collect();
            stems.intersection(&said).count()
        };
        let (mut best, mut most) = (None, said(self.memory.summary.as_str()));
        for sentence in sentences(self.memory.content.as_str()) {
            let here = said(sentence);
            if here > most {
                (best, most) = (Some(sentence), here);
            }
        }
        best
    }
}

/// The words asked for that are said in whatever form. Each word is cut to its stem once, and only where it begins as one that is asked for.
fn shared(said: &[String], asked: &[String], stem: impl Fn(&str) -> &str) -> Vec<String> {
    let first = |word: &String| word.as_bytes().first().copied();
    let is_like_one = |word: &&String| asked.iter().any(|asked| first(asked) == first(word));
    let may_be_asked = said.iter().filter(is_like_one);
    let stems: FxHashSet<&str> = may_be_asked.map(|word| stem(word)).collect();
    let has = |word: &&String| stems.contains(stem(word));
    asked.iter().filter(has).cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use oldhand_domain::payload::BuiltInType;
    use oldhand_domain::text::Summary;
    use oldhand_testkit::memory;

    use super::*;
    use crate::candidate::tests::candidates;
    use crate::plan::{RecentWork, plan};

    #[test]
    fn the_sentence_that_has_the_words_is_shown_where_the_summary_lacks_them() {
        let text = "Settings come from several files. After a change update the schema, too.";
        let mut candidate = candidates(&[0.5]).remove(0);
        candidate.memory = memory(1, BuiltInType::Pattern, text);
        candidate.memory.summary = Summary::new("Settings come from several files.").unwrap();
        candidate.find_words(&plan("update the schema", RecentWork::Ordinary));
        assert_eq!(
            candidate.where_said(),
            Some("After a change update the schema, too")
        );
        candidate.find_words(&plan("settings files", RecentWork::Ordinary));
        assert_eq!(candidate.where_said(), None);
    }

    #[test]
    fn each_word_is_cut_once_however_many_are_asked_for() {
        let said = words::split("Settings of files are updated by the schema");
        let asked = words::split("update setting file other more");
        let cut = Cell::new(0);
        let found = shared(&said, &asked, |word| {
            cut.set(cut.get() + 1);
            words::stem(word)
        });
        assert_eq!(found, ["update", "setting", "file"]);
        // Settings, of, files, updated and schema; "are", "by" and "the" begin as none of what is asked for.
        assert_eq!(cut.get(), 5 + asked.len());
    }
}
