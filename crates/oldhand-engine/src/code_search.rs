//! Pieces of code by their words and by what they mean.

use oldhand_domain::port::Embedder;
use oldhand_recall::fuse::{Fused, Method, fuse};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::plan::{RecentWork, plan_code};

use crate::EngineError;

/// How many pieces are compared by meaning.
pub const COMPARED: usize = 300;

/// A piece of code whose words were weighed.
#[derive(Clone, Copy, Debug)]
pub struct PieceOfCode<'a> {
    pub path: &'a str,
    /// What it is called; several names are divided by `, `.
    pub name: &'a str,
    pub text: &'a str,
    /// How well its words fit.
    pub words: f64,
    /// Whether it is beside what was asked for, as prose and tests are.
    pub is_aside: bool,
}

/// How much the nearness of the name counts beside that of the text, and that of path and name together. They and the lanes' weights were
/// fitted on nine repositories: `docs/benchmarks/code-search.md`.
const NAME: f32 = 0.6;
const PLACE: f32 = 0.7;
/// What is aside has to fit this much better.
const ASIDE: f64 = 2.0;

/// Joins what the words of pieces say with what the pieces mean: the places of the best in `pieces`, best first.
pub fn search_code(
    embedder: &dyn Embedder,
    question: &str,
    pieces: &[PieceOfCode<'_>],
    limit: usize,
) -> Result<Vec<Fused<usize>>, EngineError> {
    let near = compare(embedder, question, pieces)?;
    let lanes = [
        Ranked::new(Lane::Dense, near.into_iter().enumerate()),
        Ranked::new(
            Lane::Text,
            pieces.iter().map(|piece| piece.words).enumerate(),
        ),
    ];
    let plan = plan_code(question, RecentWork::Ordinary);
    let mut fused = fuse(&lanes, &plan, Method::Standardised);
    for one in &mut fused {
        if pieces[one.key].is_aside {
            one.score -= ASIDE;
        }
    }
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
    fused.truncate(limit);
    Ok(fused)
}

/// How near each piece is: by its text, by the nearest of its names, and by where it is and what it is called.
fn compare(
    embedder: &dyn Embedder,
    question: &str,
    pieces: &[PieceOfCode<'_>],
) -> Result<Vec<f64>, EngineError> {
    let places: Vec<String> = pieces
        .iter()
        .map(|piece| format!("{} {}", piece.path, piece.name))
        .collect();
    let names: Vec<Vec<&str>> = pieces.iter().map(|piece| bare_names(piece.name)).collect();
    let texts: Vec<&str> = std::iter::once(question)
        .chain(pieces.iter().map(|piece| piece.text))
        .chain(places.iter().map(String::as_str))
        .chain(names.iter().flatten().copied())
        .collect();
    let vectors = embedder.embed(&texts)?;
    let Some((asked, vectors)) = vectors.split_first() else {
        return Ok(Vec::new());
    };
    let nearness: Vec<f32> = vectors
        .iter()
        .map(|vector| asked.iter().zip(vector).map(|(a, b)| a * b).sum())
        .collect();
    let (bodies, rest) = nearness.split_at(pieces.len());
    let (places, mut called) = rest.split_at(pieces.len());
    let mut near = Vec::with_capacity(pieces.len());
    for ((body, place), names) in bodies.iter().zip(places).zip(&names) {
        let (own, rest) = called.split_at(names.len());
        called = rest;
        let name = own.iter().copied().fold(0.0, f32::max);
        near.push(f64::from(body + PLACE * place + NAME * name));
    }
    Ok(near)
}

/// Each name without what it is in: `Parser.next` is called `next`.
fn bare_names(name: &str) -> Vec<&str> {
    name.split(", ")
        .filter_map(|name| name.rsplit(['.', ':', '>']).next())
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use oldhand_embed::StaticEmbedder;

    use super::*;

    const PARSER: PieceOfCode<'_> = PieceOfCode {
        path: "src/config.py",
        name: "Config.parse_file",
        text: "def parse_file(self, path):\n    return self.read(open(path))",
        words: 2.0,
        is_aside: false,
    };
    const TEST: PieceOfCode<'_> = PieceOfCode {
        path: "tests/test_config.py",
        name: "test_parse_file",
        text: "def test_parse_file():\n    assert parse_file('a')",
        words: 2.1,
        is_aside: true,
    };
    const OTHER: PieceOfCode<'_> = PieceOfCode {
        path: "src/draw.py",
        name: "triangle, circle",
        text: "def triangle(canvas):\n    canvas.line(file)",
        words: 1.0,
        is_aside: false,
    };

    fn order(question: &str, pieces: &[PieceOfCode<'_>]) -> Vec<usize> {
        let found = search_code(&StaticEmbedder, question, pieces, 10).unwrap();
        found.into_iter().map(|fused| fused.key).collect()
    }

    #[test]
    fn what_is_aside_comes_after_what_fits_about_as_well() {
        let question = "read the configuration file";
        assert_eq!(order(question, &[TEST, OTHER, PARSER])[0], 2);
        let asked_for = PieceOfCode {
            is_aside: false,
            ..TEST
        };
        assert_eq!(order("test parse file", &[asked_for, PARSER])[0], 0);
    }

    #[test]
    fn one_of_several_names_is_enough() {
        assert_eq!(order("draw a circle", &[PARSER, OTHER])[0], 1);
        assert_eq!(bare_names("Config.parse, mod::run"), ["parse", "run"]);
        assert_eq!(bare_names(""), Vec::<&str>::new());
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(order("anything", &[]), Vec::<usize>::new());
    }
}
