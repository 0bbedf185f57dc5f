//! Text to vector, inside the binary.
//!
//! [`StaticEmbedder`] turns a text into a unit vector with no download, no key and no set-up: each piece of the text has one
//! trained row in a file compiled into the program, and the vector is their weighted sum. Nothing is parsed at start, so the
//! first text of a fresh process costs microseconds.
//!
//! ```
//! use oldhand_embed::StaticEmbedder;
//!
//! let question = StaticEmbedder.embed("where do we parse the configuration?");
//! let code = StaticEmbedder.embed("fn parse_config(text: &str) -> Config");
//! let other = StaticEmbedder.embed("fn draw_triangle(canvas: &mut Canvas)");
//! assert!(oldhand_embed::cosine(&question, &code) > oldhand_embed::cosine(&question, &other));
//! ```
//!
//! Start reading at [`StaticEmbedder`]; `table` is the file's layout, `pieces` the tokenizer. How the rows were trained and
//! how good they are is in `docs/embedding.md`.

mod pieces;
mod remembering;
mod sum;
mod table;

use oldhand_domain::error::EmbedError;
use oldhand_domain::port::{Embedder, RowModel, Rows};

use crate::sum::{bring_to_unit_length, length};
use crate::table::Table;

pub use crate::remembering::Remembering;

/// The embedder that is always there. It is stateless and free to copy.
#[derive(Clone, Copy, Debug)]
pub struct StaticEmbedder;

/// The model that took the place of one that earlier versions had; other names stay as they are.
pub fn successor(name: &str) -> &str {
    match name {
        "static-384-1" => StaticEmbedder::MODEL,
        "static-256-1" => ShortEmbedder::MODEL,
        _ => name,
    }
}

/// A text is read up to this many pieces; the rest adds little to a bag of words and would cost time.
const MOST_PIECES: usize = 256;

impl StaticEmbedder {
    /// The name that vectors of this model carry. Vectors of different models never meet.
    pub const MODEL: &'static str = "static-384-2";

    /// How many numbers a vector has.
    pub const DIMENSIONS: usize = table::DIMENSIONS;

    /// The unit vector of `text`. A text without a single known piece (empty, only unknown marks) is the zero vector, which is
    /// near nothing.
    pub fn embed(self, text: &str) -> Vec<f32> {
        let mut pieces = Vec::with_capacity(MOST_PIECES);
        embed_into(Table::embedded(), text, &mut pieces)
    }

    /// The vectors of `texts`, in their order.
    pub fn embed_batch<T: AsRef<str>>(self, texts: &[T]) -> Vec<Vec<f32>> {
        let table = Table::embedded();
        let mut pieces = Vec::with_capacity(MOST_PIECES);
        texts
            .iter()
            .map(|text| embed_into(table, text.as_ref(), &mut pieces))
            .collect()
    }
}

impl Embedder for StaticEmbedder {
    fn model(&self) -> &str {
        Self::MODEL
    }

    fn dimensions(&self) -> usize {
        Self::DIMENSIONS
    }

    fn prefixes(&self) -> &[usize] {
        &[ShortEmbedder::DIMENSIONS]
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(self.embed_batch(texts))
    }

    fn rows(&self) -> Option<&dyn RowModel> {
        Some(self)
    }
}

impl RowModel for StaticEmbedder {
    fn rows_of(&self, texts: &[&str]) -> Vec<Rows> {
        rows(texts, Self::DIMENSIONS)
    }

    fn add_row(&self, sum: &mut [f32], row: u16, share: f32) {
        sum::add(sum, first_of(row, Self::DIMENSIONS), share);
    }

    fn compare_row(&self, row: u16, vector: &[f32]) -> f32 {
        sum::dot(first_of(row, Self::DIMENSIONS), vector)
    }
}

/// The first 256 numbers of [`StaticEmbedder`]'s vectors, brought to unit length again: a third less on disk and to scan, for about a point of
/// quality.
#[derive(Clone, Copy, Debug)]
pub struct ShortEmbedder;

impl ShortEmbedder {
    pub const MODEL: &'static str = "static-256-2";
    pub const DIMENSIONS: usize = 256;
}

impl Embedder for ShortEmbedder {
    fn model(&self) -> &str {
        Self::MODEL
    }

    fn dimensions(&self) -> usize {
        Self::DIMENSIONS
    }

    fn prefixes(&self) -> &[usize] {
        // No shorter ones were trained to serve alone.
        &[]
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = StaticEmbedder.embed_batch(texts);
        for vector in &mut vectors {
            vector.truncate(Self::DIMENSIONS);
            bring_to_unit_length(vector);
        }
        Ok(vectors)
    }

    fn rows(&self) -> Option<&dyn RowModel> {
        Some(self)
    }
}

impl RowModel for ShortEmbedder {
    fn rows_of(&self, texts: &[&str]) -> Vec<Rows> {
        rows(texts, Self::DIMENSIONS)
    }

    fn add_row(&self, sum: &mut [f32], row: u16, share: f32) {
        sum::add(sum, first_of(row, Self::DIMENSIONS), share);
    }

    fn compare_row(&self, row: u16, vector: &[f32]) -> f32 {
        sum::dot(first_of(row, Self::DIMENSIONS), vector)
    }
}

/// Every model of this binary, the one that is used unless another is chosen first.
pub const MODELS: [&dyn Embedder; 2] = [&StaticEmbedder, &ShortEmbedder];

/// The dot product, which for unit vectors is the cosine. Of vectors of different lengths only the common prefix counts.
pub fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter()
        .zip(right)
        .map(|(left, right)| left * right)
        .sum()
}

fn embed_into(table: Table, text: &str, pieces: &mut Vec<u16>) -> Vec<f32> {
    let mut sum = vec![0.0_f32; StaticEmbedder::DIMENSIONS];
    for (row, weight) in weigh(table, text, pieces) {
        sum::add(&mut sum, table.row(row), weight);
    }
    bring_to_unit_length(&mut sum);
    sum
}

/// The rows of a text with their weights, in order.
fn weigh<'p>(
    table: Table,
    text: &str,
    pieces: &'p mut Vec<u16>,
) -> impl Iterator<Item = (u16, f32)> + 'p {
    pieces.clear();
    pieces::collect(text, table, MOST_PIECES, pieces);
    pieces.sort_unstable();
    // A word said nine times counts three times: repetition matters, but less and less.
    let weigh = move |same: &[u16]| (same[0], (same.len() as f32).sqrt() * table.scale(same[0]));
    pieces.chunk_by(|left, right| left == right).map(weigh)
}

/// As vectors of so many numbers, before they are added up.
fn rows(texts: &[&str], dimensions: usize) -> Vec<Rows> {
    let table = Table::embedded();
    let (mut pieces, mut sum) = (Vec::with_capacity(MOST_PIECES), vec![0.0; dimensions]);
    let rows_of = |text: &&str| {
        let mut rows: Vec<(u16, f32)> = weigh(table, text, &mut pieces).collect();
        sum.fill(0.0);
        for (row, weight) in &rows {
            sum::add(&mut sum, first_of(*row, dimensions), *weight);
        }
        let length = length(&sum);
        // Nothing is near to nothing.
        rows.retain(|_| length > 0.0);
        for (_, weight) in &mut rows {
            *weight /= length;
        }
        Rows::from(rows)
    };
    texts.iter().map(rows_of).collect()
}

fn first_of(row: u16, dimensions: usize) -> &'static [u8] {
    &Table::embedded().row(row)[..dimensions]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_add_up_to_the_vector() {
        let texts = [
            "parse the configuration, then parse it again",
            "",
            "fn warm_oven()",
        ];
        for model in MODELS {
            let vectors = model.embed(&texts).unwrap();
            let of_rows = model.rows().unwrap();
            for (rows, vector) in of_rows.rows_of(&texts).iter().zip(&vectors) {
                assert!(rows.is_sorted_by(|one, next| one.0 < next.0));
                let mut sum = vec![0.0; model.dimensions()];
                let mut near = 0.0;
                for (row, share) in rows.iter() {
                    of_rows.add_row(&mut sum, *row, *share);
                    near += share * of_rows.compare_row(*row, &vectors[0]);
                }
                let apart = sum
                    .iter()
                    .zip(vector)
                    .map(|(one, other)| (one - other).abs());
                assert!(apart.fold(0.0, f32::max) < 1e-5, "{}", model.model());
                assert!((near - cosine(vector, &vectors[0])).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn every_model_keeps_its_word() {
        for model in MODELS {
            let vectors = model.embed(&["parse the configuration", ""]).unwrap();
            assert_eq!(vectors[0].len(), model.dimensions(), "{}", model.model());
            assert!((cosine(&vectors[0], &vectors[0]) - 1.0).abs() < 1e-5);
            assert!(vectors[1].iter().all(|value| *value == 0.0));
            let asked = model.embed_questions(&["parse the configuration", ""]);
            assert_eq!(asked.unwrap(), vectors, "a question is a text like others");
        }
        assert_ne!(StaticEmbedder::MODEL, ShortEmbedder::MODEL);
        for model in MODELS {
            let (name, length) = (model.model(), model.dimensions());
            assert!(name.contains(&length.to_string()), "{name} has {length}");
            assert!(name.chars().all(|c| c == '-' || c.is_ascii_alphanumeric()));
            for prefix in model.prefixes() {
                assert!(*prefix < length, "{name} has no {prefix}");
                let mut cut = model.embed(&["parse the configuration"]).unwrap().remove(0);
                cut.truncate(*prefix);
                bring_to_unit_length(&mut cut);
                let named = MODELS.iter().find(|other| other.dimensions() == *prefix);
                let own = named.unwrap().embed(&["parse the configuration"]).unwrap();
                assert_eq!(own, [cut], "{name} cut to {prefix}");
            }
        }
    }
}
