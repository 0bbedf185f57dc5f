//! From files to counted words, reading only what changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;

use oldhand_domain::words;

use super::layout::{self, View};
use super::{Concordance, Refreshed};
use crate::walk::Seen;

/// A file and how often each word is in it.
struct Entry {
    file: Seen,
    words: BTreeMap<String, u32>,
}

/// The listed files beside those that are known, each in the order of paths.
pub(super) struct Compared {
    listed: Vec<Seen>,
    /// For each file that is known, its place among the listed ones when it did not change.
    kept: Vec<Option<u32>>,
    pub(super) refreshed: Refreshed,
}

impl Compared {
    pub(super) fn of(mut listed: Vec<Seen>, known: Option<&Concordance>) -> Self {
        listed.sort_by(|a, b| a.path.cmp(&b.path));
        let view = known.map(Concordance::view);
        let count = view.map_or(0, View::file_count);
        let mut gone = 0;
        let mut place = |file: u32| {
            let was = view?.listed(file);
            let Ok(at) = listed.binary_search_by(|now| now.path.cmp(&was.path)) else {
                gone += 1;
                return None;
            };
            (listed[at] == was).then_some(at as u32)
        };
        let kept: Vec<Option<u32>> = (0..count).map(&mut place).collect();
        let refreshed = Refreshed {
            files: listed.len(),
            read_again: listed.len() - kept.iter().flatten().count(),
            gone,
        };
        Self {
            listed,
            kept,
            refreshed,
        }
    }

    /// Reads what changed, and lays it out with what is kept.
    pub(super) fn write(self, root: &Path, known: Option<&Concordance>, threads: usize) -> Vec<u8> {
        let mut lengths = vec![None; self.listed.len()];
        let mut terms: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
        if let Some(view) = known.map(Concordance::view) {
            for (was, now) in self.kept.iter().enumerate() {
                if let Some(now) = now {
                    lengths[*now as usize] = Some(view.length(was as u32));
                }
            }
            // Both are in the order of paths, so that postings stay in order.
            let keep = |(was, times): (u32, u32)| {
                let now = self.kept.get(was as usize).copied().flatten()?;
                Some((now, times))
            };
            let kept = view
                .terms()
                .map(|(word, postings)| (word, postings.filter_map(keep).collect::<Vec<_>>()));
            terms = kept.filter(|(_, postings)| !postings.is_empty()).collect();
        }
        let unread = lengths.iter().zip(&self.listed);
        let changed: Vec<Seen> = unread
            .filter(|(length, _)| length.is_none())
            .map(|(_, file)| file.clone())
            .collect();
        let read = read_all(root, &changed, threads);
        for entry in &read {
            let path = &entry.file.path;
            let Ok(at) = self.listed.binary_search_by(|file| file.path.cmp(path)) else {
                continue;
            };
            lengths[at] = Some(entry.words.values().sum());
            for (word, times) in &entry.words {
                let postings = terms.entry(word).or_default();
                let place = postings.partition_point(|(file, _)| *file < at as u32);
                postings.insert(place, (at as u32, *times));
            }
        }
        let lengths: Vec<u32> = lengths.into_iter().map(Option::unwrap_or_default).collect();
        layout::write(&self.listed, &lengths, &terms)
    }
}

/// What is in each of `files`, in their order. Where the system has no thread to give, the caller's own reads.
fn read_all(root: &Path, files: &[Seen], threads: usize) -> Vec<Entry> {
    let share = files.len().div_ceil(threads.max(1)).max(1);
    let read = move |chunk: &[Seen]| -> Vec<Entry> {
        let files = chunk.iter().cloned();
        files.map(|file| read_one(root, file)).collect()
    };
    thread::scope(|scope| {
        let begin = |chunk| thread::Builder::new().spawn_scoped(scope, move || read(chunk));
        let readers: Vec<_> = files
            .chunks(share)
            .map(|chunk| (chunk, begin(chunk)))
            .collect();
        let entries = readers.into_iter().map(|(chunk, reader)| match reader {
            // A thread that panicked (it should not) costs its share of the words, not the index.
            Ok(reader) => reader.join().unwrap_or_default(),
            Err(_) => read(chunk),
        });
        entries.flatten().collect()
    })
}

/// A file that vanished or holds binary data has no words; it is listed all the same, so that it is not read each time.
fn read_one(root: &Path, file: Seen) -> Entry {
    let bytes = fs::read(root.join(&file.path)).unwrap_or_default();
    let binary = bytes.iter().take(2048).any(|&byte| byte == 0);
    let mut counts = BTreeMap::new();
    if !binary {
        words::each(&String::from_utf8_lossy(&bytes), &mut |word| {
            let stem = words::stem(word);
            match counts.get_mut(stem) {
                Some(count) => *count += 1,
                None => {
                    counts.insert(stem.to_owned(), 1);
                }
            }
        });
    }
    Entry {
        file,
        words: counts,
    }
}
