//! Pieces of code that answer a question, by their words and by what they mean.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use oldhand_code::index::Index;
use oldhand_code::passage::{Passage, instead_of, passages};
use oldhand_code::question::{MOST_WORDS, Question};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::Embedder;
use oldhand_engine::code_search::{COMPARED, FoundPiece, PieceOfCode, search_code};

use super::kept;
use crate::desk::Desk;
use crate::out::Out;
use crate::out::time::count;

/// How many words are named that were looked for in the place of another.
const OTHERS: usize = 6;
/// How many words are named that no file has.
const UNKNOWN: usize = 5;

/// What was found for a question.
pub(crate) struct Pieces {
    /// All that were compared.
    pub(crate) compared: Vec<Passage>,
    /// The best of them, best first.
    pub(crate) best: Vec<FoundPiece>,
    /// Words that no file has, and what was looked for in their place.
    pub(crate) instead: BTreeMap<String, Vec<String>>,
    /// How many words of a long question were not looked for.
    pub(crate) words_left_out: usize,
}

impl Pieces {
    /// The `limit` best pieces of the code as it is now; only of files at or below one of `within`, unless it is empty.
    pub(crate) fn find(
        desk: &Desk,
        question: &str,
        within: &[ProjectPath],
        limit: usize,
        out: &Out,
    ) -> Result<Self> {
        let mut code = kept::open(desk, out)?;
        let most = COMPARED.max(limit);
        let mut whole = Question::of(question, Some(&code.words));
        let mut compared = passages(&code.index, &code.words, whole.as_str(), within, most);
        if code.is_kept && !are_as_read(&code.index, &compared) {
            kept::forget(&desk.location.root);
            code = kept::open(desk, out)?;
            whole = Question::of(question, Some(&code.words));
            compared = passages(&code.index, &code.words, whole.as_str(), within, most);
        }
        let embedder = code.embedder(desk.settings.embedder());
        Ok(Self {
            best: order(embedder, whole.as_str(), &compared, limit)?,
            compared,
            instead: instead_of(&code.words, whole.as_str()),
            words_left_out: whole.left_out(),
        })
    }

    /// Each of the best, and what it is.
    pub(crate) fn best(&self) -> impl Iterator<Item = (&FoundPiece, &Passage)> {
        self.best.iter().map(|one| (one, &self.compared[one.piece]))
    }
}

/// Whether the files of all pieces are as the graph knows them. A change that no watch heard is found so where it matters.
fn are_as_read(index: &Index, found: &[Passage]) -> bool {
    let paths: BTreeSet<&str> = found.iter().map(|one| one.chunk.path.as_str()).collect();
    paths.into_iter().all(|path| index.is_as_read(path))
}

/// The best of the pieces that were found by their words, best first.
pub(crate) fn order(
    embedder: &dyn Embedder,
    question: &str,
    found: &[Passage],
    limit: usize,
) -> Result<Vec<FoundPiece>> {
    let pieces: Vec<PieceOfCode<'_>> = found
        .iter()
        .map(|passage| PieceOfCode {
            path: &passage.chunk.path,
            name: &passage.chunk.name,
            text: &passage.chunk.text,
            signatures: &passage.signatures,
            functions: &passage.functions,
            words: passage.score,
            is_aside: passage.is_aside,
            is_inert: passage.is_inert,
        })
        .collect();
    let best = search_code(embedder, question, &pieces, limit)?;
    Ok(best)
}

/// That of a long question not all was looked for.
pub(crate) fn say_left_out(words: usize) -> String {
    let words = count(words, "different word");
    format!(
        "looked for the {MOST_WORDS} words of the question that are in the fewest files and left out {words} of it"
    )
}

/// Which words no file has, and what was looked for in the place of each.
pub(crate) fn say_instead(instead: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let say = |(word, others): (&String, &Vec<String>)| {
        let named: Vec<&str> = others.iter().map(String::as_str).take(OTHERS).collect();
        let more = if others.len() > OTHERS { " …" } else { "" };
        format!(
            "no file has “{word}”: looked for what begins alike, {}{more}",
            named.join(", ")
        )
    };
    let mut said: Vec<String> = instead.iter().take(UNKNOWN).map(say).collect();
    if instead.len() > UNKNOWN {
        let more = count(instead.len() - UNKNOWN, "more word");
        said.push(format!("{more} of the question that no file has"));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_of_many_words_that_no_file_has_are_named() {
        let word = |at: usize| (format!("word{at}"), vec!["words".to_owned()]);
        assert_eq!(say_instead(&(0..5).map(word).collect()).len(), 5);
        let said = say_instead(&(0..300).map(word).collect());
        assert_eq!(said.len(), 6);
        assert_eq!(said[5], "295 more words of the question that no file has");
    }
}
