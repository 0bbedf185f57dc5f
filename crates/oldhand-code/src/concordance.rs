//! Which words are in which files: one memory-mapped file per project, asked with BM25.
//!
//! The graph knows symbols; this knows words, in every text file that git would not ignore (styles, workflows and fixtures
//! too). It is derived: deleting it costs one rebuild. A refresh reads only files whose size or time changed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use oldhand_domain::bm25::{Bm25, rarity};

mod build;
mod layout;
mod list;

use build::Compared;
use layout::View;
pub(crate) use list::list as list_text;

/// An open concordance. A newer one may take its place on disk; this one stays readable.
pub struct Concordance {
    map: Mmap,
}

/// What a refresh found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refreshed {
    pub files: usize,
    pub read_again: usize,
    pub gone: usize,
}

impl Concordance {
    /// Opens the file at `path`; one that is missing, damaged or of another version is no concordance.
    pub fn open(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        // SAFETY: the file is only ever replaced by renaming a new one over it, never written in place; should something else
        // truncate it, reads past the end fault, as they would for any memory-mapped index.
        #[expect(unsafe_code, reason = "memory-mapping is unsafe by nature")]
        let map = unsafe { Mmap::map(&file) }.ok()?;
        View::new(&map)?;
        Some(Self { map })
    }

    /// Brings the file at `path` up to date with the tree at `root`, reading what changed, and opens it.
    pub fn refresh(root: &Path, path: &Path, threads: usize) -> io::Result<(Self, Refreshed)> {
        let known = Self::open(path);
        let compared = Compared::of(list::list(root), known.as_ref());
        let refreshed = compared.refreshed;
        let unchanged = refreshed.read_again == 0 && refreshed.gone == 0;
        if unchanged && let Some(known) = known {
            return Ok((known, refreshed));
        }
        write_whole(path, &compared.write(root, known.as_ref(), threads))?;
        let opened = Self::open(path)
            .ok_or_else(|| io::Error::other("a concordance just written does not open"))?;
        Ok((opened, refreshed))
    }

    /// Every file it knows, in the order of paths.
    pub fn files(&self) -> Vec<String> {
        let view = self.view();
        (0..view.file_count())
            .map(|file| view.path(file).to_owned())
            .collect()
    }

    /// How much a word says, cut by [`oldhand_domain::words::stem`]: the fewer files have it, the more. One that no file has says
    /// nothing.
    pub fn rarity(&self, word: &str) -> f64 {
        let view = self.view();
        let spread = view.find(word).map_or(0, |postings| postings.spread());
        if spread == 0 {
            return 0.0;
        }
        rarity(f64::from(view.file_count()), spread as f64)
    }

    /// The words, cut as for [`Self::search`], that begin with `letters`, in order.
    pub fn beginning(&self, letters: &str) -> Vec<&str> {
        self.view().beginning(letters).collect()
    }

    /// Files that hold words of the query, with their BM25 score, best first. `query` gives each word, cut by
    /// [`oldhand_domain::words::stem`], with its weight.
    pub fn search<'q>(
        &self,
        query: impl IntoIterator<Item = (&'q str, f64)>,
        limit: usize,
    ) -> Vec<(String, f64)> {
        let view = self.view();
        let count = f64::from(view.file_count());
        let mean = view.mean_length().max(1.0);
        // A place for each file; those that no word is in stay without a number.
        let mut scores = vec![f64::NAN; view.file_count() as usize];
        for (word, weight) in query {
            let Some(postings) = view.find(word) else {
                continue;
            };
            let postings: Vec<(u32, u32)> = postings.collect();
            let spread = postings.len() as f64;
            let rarity = rarity(count, spread);
            for (file, times) in postings {
                let length = f64::from(view.length(file)) / mean;
                let worth = weight * rarity * Bm25::USUAL.weigh(f64::from(times), length);
                let score = &mut scores[file as usize];
                *score = if score.is_nan() {
                    worth
                } else {
                    *score + worth
                };
            }
        }
        let ranked = (0..).zip(scores).filter(|(_, score)| !score.is_nan());
        let mut ranked: Vec<(u32, f64)> = ranked.collect();
        // File numbers follow paths, so that equal scores are in the order of paths.
        let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if (1..ranked.len()).contains(&limit) {
            ranked.select_nth_unstable_by(limit - 1, order);
        }
        ranked.truncate(limit);
        ranked.sort_unstable_by(order);
        ranked
            .into_iter()
            .map(|(file, score)| (view.path(file).to_owned(), score))
            .collect()
    }

    /// Those of `words`, cut as for [`Self::search`], that the file at `path` holds.
    pub fn words_in(&self, path: &str, words: &[&str]) -> Vec<String> {
        let view = self.view();
        let files: Vec<u32> = (0..view.file_count()).collect();
        let Ok(file) = files.binary_search_by(|&file| view.path(file).cmp(path)) else {
            return Vec::new();
        };
        let is_there = |word: &&&str| {
            let mut postings = view.find(word).into_iter().flatten();
            postings.any(|(other, _)| other == file as u32)
        };
        words
            .iter()
            .filter(is_there)
            .map(|word| (*word).to_owned())
            .collect()
    }

    fn view(&self) -> View<'_> {
        View::new(&self.map).expect("checked when it was opened")
    }
}

fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // Two refreshes at once each write their own file; the last rename wins, and both are right.
    let beside = beside(path);
    let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    written.inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

/// A name that no other process has, and nothing else in this one.
fn beside(path: &Path) -> PathBuf {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    path.with_extension(format!("{}-{number}.tmp", std::process::id()))
}

#[cfg(test)]
mod tests;
