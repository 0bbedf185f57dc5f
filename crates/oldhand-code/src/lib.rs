//! Source text to a linked code graph, and the questions it answers.
//!
//! Start reading at [`index::Index`]: it opens or builds the graph of a tree, brings it up to date and passes questions on.
//!
//! ```text
//! walk ─► read ─► extract ─► facts ─► link ─► snapshot ─► answer
//!         one file at a time, cached   resolve   one file,    impact, dependencies, references, flow,
//!         by content hash              imports   mapped       map, find, outline, hot spots, chunks
//! ```
//!
//! - [`walk`] finds the files worth knowing; [`read`] decodes one and says why it was left alone; [`extract`] runs the language's
//!   query and gives [`facts`], which depend on that file's bytes only. Languages are data: see [`language`] and
//!   `docs/languages.md`.
//! - [`link`] turns the facts of a file into edges, asking [`resolve`] what its imports mean. It notes every name it asked for
//!   elsewhere, so that after an edit only files that asked for a changed name are linked again.
//! - [`snapshot`] keeps the graph in one memory-mapped file. A newer one takes its place by renaming; whoever has the older one
//!   open goes on reading it.
//! - [`answer`] holds the questions, [`chunk`] cuts files into pieces, [`passage`] finds pieces for a question and [`localise`] files
//!   for an issue, [`draw`] pictures, [`scip`] what compilers
//!   know better.
//!
//! What is broken in a tree comes back as [`problem::Problem`]s beside the answer; nothing in a tree can make these functions
//! fail or hang. Errors are left for the folder that keeps the graph.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use oldhand_code::answer::impact::{Bounds, Direction};
//! use oldhand_code::index::{Index, Options};
//! use oldhand_code::read::Generated;
//! use oldhand_code::walk::Skip;
//!
//! # fn main() -> Result<(), oldhand_code::index::IndexError> {
//! let options = Options { threads: 2, max_bytes: 1 << 20, skip: Skip::Usual, generated: Generated::Skip };
//! let (mut index, _problems) =
//!     Index::open_or_build(Path::new("project"), Path::new("state/graph"), &options, &mut |_| {})?;
//! index.refresh(&mut |_| {})?;
//! let targets = index.locate("src/cart.ts:Cart.total");
//! let bounds = Bounds { depth: 3, nodes: 500, confidence: 0 };
//! for reached in index.impact(&targets, Direction::Dependents, bounds).reached {
//!     let _where = index.snapshot().name(reached.node);
//! }
//! # Ok(())
//! # }
//! ```

pub mod anchor;
pub mod answer;
pub mod chunk;
pub mod concordance;
pub mod draw;
pub mod extract;
pub mod facts;
pub mod graph;
pub mod history;
pub mod index;
pub mod language;
pub mod link;
pub mod localise;
pub mod names;
pub mod passage;
pub mod problem;
pub mod project;
pub(crate) mod query;
pub mod question;
pub mod read;
pub mod resolve;
pub mod scip;
pub mod snapshot;
pub mod walk;

#[cfg(test)]
pub(crate) mod testing;
