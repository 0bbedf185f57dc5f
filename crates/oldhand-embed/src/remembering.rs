//! A model that remembers what texts are made of, for a process that is asked again and again about the same code.
//!
//! What a text is made of depends on its letters alone, and it is found by all of them: whatever changed is another text.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::mem;
use std::sync::{Mutex, PoisonError};

use oldhand_domain::error::EmbedError;
use oldhand_domain::port::{Embedder, RowModel, Rows};

/// About so many bytes beside its rows are taken by a text that is remembered.
const BESIDE: usize = 96;

/// Answers as the model does. Of a model that is no sum of rows nothing is remembered.
pub struct Remembering {
    model: &'static dyn Embedder,
    rows: Option<RememberingRows>,
}

struct RememberingRows {
    model: &'static dyn RowModel,
    /// The most bytes that are kept.
    most: usize,
    hasher: RandomState,
    known: Mutex<Known>,
}

/// Texts by their hash and their length. What was asked for of late is `young`; once that is half of what may be kept, it becomes `old`, and what was old is
/// forgotten.
#[derive(Default)]
struct Known {
    young: HashMap<Key, Rows>,
    old: HashMap<Key, Rows>,
    /// What is young takes so many bytes.
    bytes: usize,
}

type Key = (u64, usize);

impl Remembering {
    pub fn new(model: &'static dyn Embedder, most: usize) -> Self {
        let rows = model.rows().map(|model| RememberingRows {
            model,
            most,
            hasher: RandomState::new(),
            known: Mutex::default(),
        });
        Self { model, rows }
    }
}

impl RememberingRows {
    /// About how many bytes are kept.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .young
            .values()
            .chain(known.old.values())
            .map(size)
            .sum()
    }
}

impl Known {
    fn find(&mut self, key: Key, most: usize) -> Option<Rows> {
        if let Some(rows) = self.young.get(&key) {
            return Some(Rows::clone(rows));
        }
        let rows = self.old.remove(&key)?;
        self.keep(key, Rows::clone(&rows), most);
        Some(rows)
    }

    fn keep(&mut self, key: Key, rows: Rows, most: usize) {
        self.bytes += size(&rows);
        if self.bytes > most / 2 {
            self.bytes = size(&rows);
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(key, rows);
    }
}

fn size(rows: &Rows) -> usize {
    size_of_val(&**rows) + BESIDE
}

impl Embedder for Remembering {
    fn model(&self) -> &str {
        self.model.model()
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    fn prefixes(&self) -> &[usize] {
        self.model.prefixes()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.model.embed(texts)
    }

    fn embed_questions(&self, questions: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.model.embed_questions(questions)
    }

    fn rows(&self) -> Option<&dyn RowModel> {
        self.rows.as_ref().map(|rows| rows as &dyn RowModel)
    }
}

impl RowModel for RememberingRows {
    fn rows_of(&self, texts: &[&str]) -> Vec<Rows> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = |text: &&str| (self.hasher.hash_one(text), text.len());
        let keys: Vec<Key> = texts.iter().map(key).collect();
        let mut found: Vec<Option<Rows>> = {
            let mut known = known();
            keys.iter().map(|key| known.find(*key, self.most)).collect()
        };
        let missing = || {
            (0..texts.len())
                .zip(&found)
                .filter(|(_, rows)| rows.is_none())
        };
        let missing: Vec<usize> = missing().map(|(at, _)| at).collect();
        let unknown: Vec<&str> = missing.iter().map(|at| texts[*at]).collect();
        let read = self.model.rows_of(&unknown);
        let mut known = known();
        for (at, rows) in missing.into_iter().zip(read) {
            known.keep(keys[at], Rows::clone(&rows), self.most);
            found[at] = Some(rows);
        }
        found.into_iter().flatten().collect()
    }

    fn add_row(&self, sum: &mut [f32], row: u16, share: f32) {
        self.model.add_row(sum, row, share);
    }

    fn compare_row(&self, row: u16, vector: &[f32]) -> f32 {
        self.model.compare_row(row, vector)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::StaticEmbedder;

    #[test]
    fn what_is_remembered_is_what_the_model_says() {
        let remembering = Remembering::new(&StaticEmbedder, 1 << 20);
        let remembering = remembering.rows().unwrap();
        let texts = ["parse the file", "", "fn warm_oven()", "parse the file"];
        let first = remembering.rows_of(&texts);
        let again = remembering.rows_of(&["fn warm_oven()", "parse the files", "parse the file"]);
        assert_eq!(first, StaticEmbedder.rows_of(&texts));
        assert_eq!(again[1], StaticEmbedder.rows_of(&["parse the files"])[0]);
        assert!(Arc::ptr_eq(&first[2], &again[0]), "it was not read again");
        assert!(!Arc::ptr_eq(&first[0], &again[1]));
    }

    #[test]
    fn no_more_is_kept_than_may_be_and_what_is_asked_for_again_stays() {
        let most = 20_000;
        let remembering = Remembering::new(&StaticEmbedder, most);
        let remembering = remembering.rows.as_ref().unwrap();
        let often = &remembering.rows_of(&["the oven is warm"])[0];
        for number in 0..2_000 {
            let text = format!("fn number_{number}() -> u32");
            remembering.rows_of(&[&text]);
            assert!(remembering.bytes() <= most, "{}", remembering.bytes());
            let again = &remembering.rows_of(&["the oven is warm"])[0];
            assert!(Arc::ptr_eq(often, again), "it was forgotten at {number}");
        }
        assert!(remembering.bytes() > most / 4);
    }
}
