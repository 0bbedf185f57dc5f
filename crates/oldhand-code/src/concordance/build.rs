//! From files to counted words, reading only what changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use oldhand_domain::words;

use super::{Concordance, Refreshed};
use crate::walk::Seen;

/// A file and how often each word is in it.
pub(super) struct Entry {
    pub(super) file: Seen,
    pub(super) words: BTreeMap<String, u32>,
}

/// The entries of the listed files, those that did not change taken from `known`.
pub(super) fn entries(
    root: &Path,
    listed: Vec<Seen>,
    known: Option<&Concordance>,
    threads: usize,
) -> (Vec<Entry>, Refreshed) {
    let mut unchanged = known.map(kept).unwrap_or_default();
    let mut taken = 0;
    let mut changed = Vec::new();
    let mut entries = Vec::with_capacity(listed.len());
    for file in listed {
        match unchanged.remove(&file.path) {
            Some(entry) if entry.file == file => {
                taken += 1;
                entries.push(entry);
            }
            _ => changed.push(file),
        }
    }
    let refreshed = Refreshed {
        files: taken + changed.len(),
        read_again: changed.len(),
        gone: unchanged.len(),
    };
    entries.extend(read_all(root, changed, threads));
    entries.sort_by(|a, b| a.file.path.cmp(&b.file.path));
    (entries, refreshed)
}

fn kept(known: &Concordance) -> BTreeMap<String, Entry> {
    let view = known.view();
    let mut words: Vec<BTreeMap<String, u32>> = vec![BTreeMap::new(); view.file_count() as usize];
    for (word, postings) in view.terms() {
        for (file, times) in postings {
            if let Some(of_file) = words.get_mut(file as usize) {
                of_file.insert(word.to_owned(), times);
            }
        }
    }
    let entries = words.into_iter().enumerate().map(|(number, words)| {
        let file = view.listed(number as u32);
        (file.path.clone(), Entry { file, words })
    });
    entries.collect()
}

fn read_all(root: &Path, files: Vec<Seen>, threads: usize) -> Vec<Entry> {
    let share = files.len().div_ceil(threads.max(1)).max(1);
    let chunks: Vec<Vec<Seen>> = {
        let mut files = files.into_iter().peekable();
        std::iter::from_fn(|| {
            files
                .peek()
                .is_some()
                .then(|| files.by_ref().take(share).collect())
        })
        .collect()
    };
    std::thread::scope(|scope| {
        let readers: Vec<_> = chunks
            .into_iter()
            .map(|chunk| {
                scope.spawn(move || {
                    chunk
                        .into_iter()
                        .map(|file| read_one(root, file))
                        .collect::<Vec<Entry>>()
                })
            })
            .collect();
        // A thread that panicked (it should not) costs its share of the words, not the index.
        readers
            .into_iter()
            .filter_map(|reader| reader.join().ok())
            .flatten()
            .collect()
    })
}

/// A file that vanished or holds binary data has no words; it is listed all the same, so that it is not read each time.
fn read_one(root: &Path, file: Seen) -> Entry {
    let bytes = fs::read(root.join(&file.path)).unwrap_or_default();
    let binary = bytes.iter().take(2048).any(|&byte| byte == 0);
    let mut counts = BTreeMap::new();
    if !binary {
        for word in words::split(&String::from_utf8_lossy(&bytes)) {
            *counts.entry(words::stem(&word).to_owned()).or_default() += 1;
        }
    }
    Entry {
        file,
        words: counts,
    }
}
