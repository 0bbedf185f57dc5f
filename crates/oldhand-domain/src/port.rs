//! What the house needs from outside, said as traits. Adapters implement them; the engine calls them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::error::{EmbedError, StoreError};
use crate::filter::{Filter, TextQuery};
use crate::id::{MemoryId, SessionId};
use crate::memory::Memory;
use crate::path::ProjectPath;
use crate::text::ModuleName;

/// Reading memories. Every adapter passes `oldhand_store::contract`.
///
/// A memory whose stored words are not the ones that were written is never returned as if it were
/// sound: single reads fail with `DamagedMemory`, lists leave it out and name it.
pub trait MemoryReader {
    fn get(&self, id: MemoryId) -> Result<Option<Memory>, StoreError>;

    /// Ids that begin with `prefix`, in full or in their short form (see [`MemoryId::short`]); at
    /// most 20, deleted ones included.
    fn find(&self, prefix: &str) -> Result<Vec<MemoryId>, StoreError>;

    /// What passes the filter, newest first.
    fn list(&self, filter: &Filter) -> Result<Listing, StoreError>;

    /// What matches the words of the query, best first.
    fn search(&self, query: &TextQuery) -> Result<Found, StoreError>;

    /// What matches the words of the query, best first, without reading the memories: what is not shown need not be
    /// loaded. [`Self::read`] decides what passes the filter.
    fn matches(&self, query: &TextQuery) -> Result<Matches, StoreError> {
        self.matches_beside(query, &Spread::default())
    }

    /// As [`Self::matches`], rated as if the memories that `others` tells of were here as well: what two stores match can then be compared.
    fn matches_beside(&self, query: &TextQuery, others: &Spread) -> Result<Matches, StoreError>;

    /// Those of `ids` that are there and pass the filter, in no particular order.
    fn read(&self, ids: &[MemoryId], filter: &Filter) -> Result<Listing, StoreError>;

    /// The ids of at least everything that passes the filter, without reading the memories.
    fn ids(&self, filter: &Filter) -> Result<Vec<MemoryId>, StoreError>;

    /// For each name the files that go by it and that memories are about, deleted ones perhaps included: the path itself where there is one, else
    /// those that end in it, behind a `/`. What nothing goes by is left out.
    fn called(&self, names: &BTreeSet<ProjectPath>) -> Result<Called, StoreError>;

    /// Every module that a memory names, deleted ones included.
    fn modules(&self) -> Result<Vec<ModuleName>, StoreError>;

    /// How many memories a session has left behind, deleted ones included.
    fn learned_in(&self, session: &SessionId) -> Result<usize, StoreError>;

    fn counts(&self) -> Result<Counts, StoreError>;
}

/// Where memories live.
///
/// Calls block and may be made from any thread and from many processes at once. A returned `Ok`
/// means the change is on disk and survives a power cut.
pub trait MemoryStore: MemoryReader + Send + Sync {
    /// Asks `plan` what to save, in one transaction with what it reads, and saves all of it or none.
    ///
    /// Nobody else writes between the reads and the save. Saving an id again replaces the memory;
    /// the store sets the revision.
    fn change(&self, plan: &mut Plan<'_>) -> Result<(), StoreError>;

    /// Removes memories for good: no byte of their text stays in any file of the store, backups
    /// included. Returns how many there were.
    fn erase(&self, ids: &[MemoryId]) -> Result<usize, StoreError>;

    /// Counts a use of each memory. Counters may lose their last second in a power cut.
    fn touch(&self, ids: &[MemoryId], now: Timestamp) -> Result<(), StoreError>;
}

/// Reads, decides, and says which memories to save.
pub type Plan<'a> = dyn FnMut(&dyn MemoryReader) -> Result<Vec<Memory>, StoreError> + 'a;

/// Names of files, whole or the end of one, each with the files that go by it.
pub type Called = BTreeMap<ProjectPath, BTreeSet<ProjectPath>>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    pub memories: Vec<Memory>,
    /// Left out because their words are not the ones that were written.
    pub damaged: Vec<MemoryId>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    pub hits: Vec<Hit>,
    pub damaged: Vec<MemoryId>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub memory: Memory,
    /// BM25, higher is better; comparable within one search only.
    pub score: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matches {
    /// BM25, higher is better; comparable within one search, and with those of a store beside which they were rated.
    pub hits: Vec<(MemoryId, f64)>,
    pub spread: Spread,
}

/// How rare words are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// About how many memories there are.
    pub memories: usize,
    /// In how many of them each word of the query is; counting stops where a word is common.
    pub words: BTreeMap<String, usize>,
    /// How many memories are indexed, and how many words they have in all; nothing where none has a word of the query.
    pub indexed: usize,
    pub length: usize,
}

impl Spread {
    /// Counts the memories of both.
    pub fn take_in(&mut self, other: Self) {
        self.memories += other.memories;
        self.indexed += other.indexed;
        self.length += other.length;
        for (word, count) in other.words {
            *self.words.entry(word).or_default() += count;
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Neither deleted nor deprecated, per type, most first.
    pub live: Vec<(String, usize)>,
    pub deprecated: usize,
    pub deleted: usize,
    pub needs_review: usize,
    pub pinned: usize,
    pub flagged: usize,
    pub stale: usize,
}

/// Text to vectors. The embedded default is always there; others speak over HTTP. Whoever turns texts into vectors can be one: nothing else is
/// asked of it, and each call takes all texts at once.
pub trait Embedder: Send + Sync {
    /// Names the model, how many numbers its vectors have and everything else that changes them; files of vectors carry the name. Vectors of
    /// different models never meet, and neither do those of one model that were cut to different lengths. Files are called by it: letters, digits and
    /// `-` alone.
    fn model(&self) -> &str;

    fn dimensions(&self) -> usize;

    /// The lengths, longest first, to which its vectors may be cut and brought to unit length again, and still mean the same (Matryoshka). None
    /// where their first numbers say nothing alone. What is cut is a model with a name of its own.
    fn prefixes(&self) -> &[usize];

    /// One unit-length vector per text, in order: what is kept, found and compared with its like.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// One unit-length vector per question, in order, to be compared with those of texts. A model that was trained to tell the two apart says
    /// here how; others take a question for a text.
    fn embed_questions(&self, questions: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed(questions)
    }

    /// What its vectors are made of, where each is a sum of rows. Such a model is at hand and takes microseconds a text, so that words are
    /// compared one by one; with any other they are not.
    fn rows(&self) -> Option<&dyn RowModel> {
        None
    }
}

/// A model whose vectors are sums of rows. Who compares many texts with one vector compares each row with it once.
pub trait RowModel: Send + Sync {
    /// What the vector of each text is the sum of, but for a hair.
    fn rows_of(&self, texts: &[&str]) -> Vec<Rows>;

    /// Adds `share` of a row to a sum.
    fn add_row(&self, sum: &mut [f32], row: u16, share: f32);

    /// The dot product of a row and a vector.
    fn compare_row(&self, row: u16, vector: &[f32]) -> f32;
}

/// Rows of a model by their numbers, each once and in order, with the share that a text has of it.
pub type Rows = Arc<[(u16, f32)]>;

/// What the code says about files. Derived: it may lag behind the tree or be missing, and then says nothing.
pub trait Surroundings {
    /// The files one step from these: imported, called, importing, calling.
    fn neighbours(&self, files: &BTreeSet<ProjectPath>) -> BTreeSet<ProjectPath>;

    /// What changes together with these files: one of them, the other file, and in which share of cases.
    fn companions(&self, files: &BTreeSet<ProjectPath>) -> Vec<(ProjectPath, ProjectPath, f64)>;

    /// How often each of these files changes, in changes a month. What is not known is left out.
    fn churn(&self, files: &BTreeSet<ProjectPath>) -> BTreeMap<ProjectPath, f64>;
}

/// The vectors of a store's memories. Derived: it may lag behind the store or be missing, and never decides what is true.
pub trait VectorIndex: Send + Sync {
    /// The memories nearest to `question`, nearest first, deleted ones perhaps included; of `among` only, when given.
    fn nearest(
        &self,
        question: &[f32],
        limit: usize,
        among: Option<&BTreeSet<MemoryId>>,
    ) -> Vec<(MemoryId, f32)>;

    /// The cosine of the nearest of all, or of one that is as near but for a hair; nothing where there is none or it cannot be told.
    fn how_near(&self, question: &[f32]) -> Option<f32> {
        let nearest = self.nearest(question, 1, None);
        nearest.first().map(|(_, cosine)| *cosine)
    }

    /// Whether the same was asked of all already, so that asking is no more than waiting for it.
    fn is_asked(&self, _question: &[f32], _limit: usize) -> bool {
        false
    }

    /// Whether what was asked is found, so that asking takes no time.
    fn is_found(&self, _question: &[f32], _limit: usize) -> bool {
        false
    }

    /// How near each of `ids` is, for those that have a vector.
    fn cosines(&self, question: &[f32], ids: &[MemoryId]) -> Vec<(MemoryId, f32)>;

    /// The vectors of `ids`, for those that have one.
    fn vectors(&self, ids: &[MemoryId]) -> BTreeMap<MemoryId, Vec<f32>>;
}

/// What the files of today say of a name that somebody put between backticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It names nothing that would have to be in the tree: a command, a place elsewhere, a mark.
    Unasked,
    Absent,
    /// It is there; a setting and a file with where.
    Used {
        file: Option<ProjectPath>,
    },
    /// The project itself defines it.
    Defined,
}

/// The files of a project as they are today.
pub trait Tree {
    /// Looks for all of these names in one walk.
    fn look_for(&self, names: &[String]) -> Vec<Presence>;

    /// Whether a manifest names something that the project depends on, however it is spelled.
    fn depends_on(&self, name: &str) -> bool;

    /// Whether the project, a part of it or a program of it is called so, by a manifest or the folder of a program.
    fn is_called(&self, _name: &str) -> bool {
        false
    }

    /// What a file says.
    fn text_of(&self, file: &str) -> Option<String>;

    /// Whether files of the project lie in a folder.
    fn has_folder(&self, folder: &str) -> bool;

    /// The first folder on the way to a path that git ignores, perhaps the path itself.
    fn ignored_at(&self, _folder: &str) -> Option<String> {
        None
    }

    /// The first file that is asked for and in whose text, which has all of these in it, a line is found, and that line: documents
    /// before others, and not endlessly many.
    fn place_with(
        &self,
        _needles: &[&str],
        _is_asked: &dyn Fn(&str) -> bool,
        _line_in: &dyn Fn(&str, &str) -> Option<usize>,
    ) -> Option<(String, usize)> {
        None
    }

    /// Reads every file that is asked for once, documents before others.
    fn read_each(&self, _is_asked: &dyn Fn(&str) -> bool, _look: &mut dyn FnMut(&str, &str)) {}

    /// The documents of the project with this name, whatever their folder, ending and case.
    fn documents_called(&self, _name: &str) -> Vec<ProjectPath> {
        Vec::new()
    }

    /// Whether a file says that a program writes it.
    fn is_generated(&self, _file: &str) -> bool {
        false
    }

    /// Whether a compiler holds both files to one interface that another file declares.
    fn binds(&self, _declaring: &str, _files: [&str; 2]) -> bool {
        false
    }

    /// Whether code of one of two files uses the other directly.
    fn uses(&self, _files: [&str; 2]) -> bool {
        false
    }
}
