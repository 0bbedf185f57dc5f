//! How near texts are to a question, and the first of them to what they are on the whole.
//!
//! A model whose vectors are sums of rows is asked for rows: the question is compared once with each row that any text has, and no vector of a text is
//! made. Of any other model the vectors themselves are compared. Both give the same numbers but for a hair.

use std::thread;

use oldhand_domain::error::EmbedError;
use oldhand_domain::port::{Embedder, RowModel, Rows};

/// Cosines of texts.
pub(super) struct Near {
    /// How near each text is to the question.
    pub(super) asked: Vec<f32>,
    /// How near each of the bodies is to the mean of all bodies.
    pub(super) usual: Vec<f32>,
}

impl Near {
    /// The first `bodies` of `texts` are what is found; the others say more of them.
    pub(super) fn to(
        question: &str,
        texts: &[&str],
        bodies: usize,
        embedder: &dyn Embedder,
    ) -> Result<Self, EmbedError> {
        let asked = embedder.embed_questions(&[question])?.pop();
        let asked = asked.unwrap_or_default();
        match embedder.rows() {
            Some(model) => Ok(Self::by_rows(asked, texts, bodies, model)),
            None => Ok(Self::by_vectors(&asked, &embedder.embed(texts)?, bodies)),
        }
    }

    fn by_rows(asked: Vec<f32>, texts: &[&str], bodies: usize, model: &dyn RowModel) -> Self {
        let rows = rows(model, texts);
        let bodies = &rows[..bodies];
        let mut shares = vec![0.0; ROWS];
        for (row, share) in bodies.iter().flat_map(|rows| rows.iter()) {
            shares[usize::from(*row)] += share / bodies.len() as f32;
        }
        let mut mean = vec![0.0; asked.len()];
        for (row, share) in (0..=u16::MAX)
            .zip(shares)
            .filter(|(_, share)| *share != 0.0)
        {
            model.add_row(&mut mean, row, share);
        }
        let mut to_mean = Compared::with(model, mean);
        let usual = bodies.iter().map(|rows| to_mean.cosine(rows)).collect();
        let mut to_asked = Compared::with(model, asked);
        let asked = rows.iter().map(|rows| to_asked.cosine(rows)).collect();
        Self { asked, usual }
    }

    fn by_vectors(asked: &[f32], vectors: &[Vec<f32>], bodies: usize) -> Self {
        let bodies = &vectors[..bodies.min(vectors.len())];
        let mut mean = vec![0.0; asked.len()];
        for body in bodies {
            for (mean, number) in mean.iter_mut().zip(body) {
                *mean += number / bodies.len() as f32;
            }
        }
        let to = |other: &[f32], vectors: &[Vec<f32>]| {
            let cosines = vectors.iter().map(|vector| dot(other, vector));
            cosines.collect()
        };
        Self {
            asked: to(asked, vectors),
            usual: to(&mean, bodies),
        }
    }
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    let products = left.iter().zip(right).map(|(left, right)| left * right);
    products.sum()
}

/// Rows have numbers of two bytes.
const ROWS: usize = 1 << 16;

/// How near the rows of a model are to a vector, each looked at once.
struct Compared<'e> {
    model: &'e dyn RowModel,
    vector: Vec<f32>,
    /// No number where none was looked at.
    rows: Vec<f32>,
}

impl<'e> Compared<'e> {
    fn with(model: &'e dyn RowModel, vector: Vec<f32>) -> Self {
        Self {
            model,
            vector,
            rows: vec![f32::NAN; ROWS],
        }
    }

    fn cosine(&mut self, rows: &Rows) -> f32 {
        let mut sum = 0.0;
        for (row, share) in rows.iter() {
            let near = &mut self.rows[usize::from(*row)];
            if near.is_nan() {
                *near = self.model.compare_row(*row, &self.vector);
            }
            sum += share * *near;
        }
        sum
    }
}

/// The rows of `texts`, half of them by another thread where there are many.
fn rows(model: &dyn RowModel, texts: &[&str]) -> Vec<Rows> {
    const MANY: usize = 100;
    if texts.len() < MANY {
        return model.rows_of(texts);
    }
    // Bodies come first and are the longest.
    let letters = |texts: &[&str]| texts.iter().map(|text| text.len()).sum::<usize>();
    let half = letters(texts) / 2;
    let mut read = 0;
    let middle = texts.iter().take_while(|text| {
        read += text.len();
        read <= half
    });
    let (ours, theirs) = texts.split_at(middle.count());
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, || model.rows_of(theirs));
        let mut rows = model.rows_of(ours);
        // Where there is no thread for it, or it broke off, all is left for this one.
        let rest = other.ok().and_then(|other| other.join().ok());
        rows.extend(rest.unwrap_or_else(|| model.rows_of(theirs)));
        rows
    })
}

#[cfg(test)]
mod tests {
    use oldhand_embed::MODELS;

    use super::*;

    #[test]
    fn vectors_say_what_rows_say() {
        let texts = [
            "fn parse_config(text: &str) -> Config",
            "fn draw_triangle(canvas: &mut Canvas)",
            "",
            "src/config.rs parse_config",
        ];
        let question = "where is the configuration parsed";
        for model in MODELS {
            let by_rows = Near::to(question, &texts, 3, model).unwrap();
            let asked = model.embed_questions(&[question]).unwrap().remove(0);
            let vectors = model.embed(&texts).unwrap();
            let by_vectors = Near::by_vectors(&asked, &vectors, 3);
            assert_eq!((by_rows.asked.len(), by_rows.usual.len()), (4, 3));
            for (rows, vectors) in [
                (&by_rows.asked, &by_vectors.asked),
                (&by_rows.usual, &by_vectors.usual),
            ] {
                assert_eq!(rows.len(), vectors.len());
                let mut pairs = rows.iter().zip(vectors);
                assert!(pairs.all(|(one, other)| (one - other).abs() < 1e-5));
            }
            assert!(by_vectors.asked[0] > by_vectors.asked[1]);
        }
    }
}
