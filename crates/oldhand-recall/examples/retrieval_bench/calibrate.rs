//! What relevance and nearness mean, fitted for a model: the constants of `oldhand_recall::calibration`.

use std::collections::BTreeSet;

use oldhand_domain::port::Embedder;
use oldhand_recall::candidate::BAR;
use oldhand_recall::plan::{RecentWork, plan};

use crate::data;
use crate::pipeline;
use crate::systems::Prepared;

/// Fits everything for one model and prints how true it is.
pub(crate) fn calibrate(folder: &str, embedder: &'static dyn Embedder) {
    let mut stores: Vec<Prepared> = data::locomo(folder)
        .into_iter()
        .chain([data::long_mem_eval(folder, usize::MAX)])
        .map(|corpus| Prepared::new(corpus, embedder))
        .collect();
    let all: Vec<&Prepared> = stores.iter().collect();
    println!("\n## {}: lanes alone\n", embedder.model());
    let fused = relevance(&all, None);
    println!("\n## {}: read closely\n", embedder.model());
    let read = relevance(&all, Some(pipeline::Known::Store));
    println!(
        "\n## {}: how near chance brings the nearest\n",
        embedder.model()
    );
    let largest = stores.pop().expect("there is a store");
    let chance = by_chance(&largest);
    stores.push(largest);
    right_answers(&stores);
    let [f, r] = [fused, read]
        .map(|[slope, nearness, start]| format!("[{slope:.2}, {nearness:.1}, {start:.1}]"));
    println!(
        "\n`{}`: `fused: {f}, read: {r}, chance: [{:.2}, {:.3}]`",
        embedder.model(),
        chance[0],
        chance[1]
    );
}

/// How many questions of nonsense are asked of each size of a store.
const NONSENSE: usize = 400;
/// As near as this share of them comes.
const SHARE: f64 = 0.75;

/// Asks words that nobody ever said of stores of several sizes: where the nearest lies, and how that grows with their number.
fn by_chance(store: &Prepared) -> [f64; 2] {
    println!(
        "| memories | half of the questions come nearer than | one in four | one in twenty |\n| --- | --- | --- | --- |"
    );
    let mut draws = Draws(0x9e37_79b9_7f4a_7c15);
    let mut points = Vec::new();
    let mut memories = 25;
    while memories <= store.vectors.len() {
        let mut nearest: Vec<f64> = (0..NONSENSE)
            .map(|_| {
                let vector = store.embed(&draws.nonsense());
                let some = draws.some(memories, store.vectors.len());
                let cosines = some
                    .into_iter()
                    .map(|at| oldhand_embed::cosine(&vector, &store.vectors[at]));
                cosines.fold(0.0, |nearest, cosine| f64::from(cosine).max(nearest))
            })
            .collect();
        nearest.sort_by(f64::total_cmp);
        let at = |share: f64| nearest[(share * NONSENSE as f64) as usize];
        println!(
            "| {memories} | {:.2} | {:.2} | {:.2} |",
            at(0.5),
            at(0.75),
            at(0.95)
        );
        points.push(((memories as f64).log2(), at(SHARE)));
        memories *= 4;
    }
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let slope = points
        .iter()
        .map(|point| (point.0 - x) * (point.1 - y))
        .sum::<f64>()
        / points
            .iter()
            .map(|point| (point.0 - x).powi(2))
            .sum::<f64>();
    [y - slope * x, slope]
}

/// How near the right answers are, for those questions that no word leads to an answer: what silence by nearness costs.
fn right_answers(stores: &[Prepared]) {
    let mut near = Vec::new();
    for store in stores {
        for question in &store.corpus.questions {
            let words = plan(&question.text, RecentWork::Ordinary).words;
            let led: BTreeSet<usize> = store
                .text
                .search(&words)
                .into_iter()
                .map(|(at, _)| at)
                .collect();
            if question.answers.is_disjoint(&led) {
                let vector = store.embed(&question.text);
                let cosines = question
                    .answers
                    .iter()
                    .map(|&at| oldhand_embed::cosine(&vector, &store.vectors[at]));
                near.push(cosines.fold(0.0, |nearest, cosine| f64::from(cosine).max(nearest)));
            }
        }
    }
    near.sort_by(f64::total_cmp);
    let at = |share: f64| {
        near.get((share * near.len() as f64) as usize)
            .copied()
            .unwrap_or_default()
    };
    println!(
        "\nOf {} questions that share no telling word with a right answer, a quarter comes nearer to it than {:.2}, half than {:.2}, three in four than {:.2}.",
        near.len(),
        at(0.75),
        at(0.5),
        at(0.25)
    );
}

/// Numbers that are the same in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    /// One to four words of four to nine letters, every second one a vowel: what a slip of the hand or a foreign word looks like.
    fn nonsense(&mut self) -> String {
        let letters: [&[u8]; 2] = [b"bcdfghjklmnpqrstvwxz", b"aeiouy"];
        let words: Vec<String> = (0..=self.below(4))
            .map(|_| {
                let length = 4 + self.below(6);
                (0..length)
                    .map(|at| char::from(letters[at % 2][self.below(letters[at % 2].len())]))
                    .collect()
            })
            .collect();
        words.join(" ")
    }

    fn some(&mut self, count: usize, of: usize) -> BTreeSet<usize> {
        let mut chosen = BTreeSet::new();
        while chosen.len() < count.min(of) {
            chosen.insert(self.below(of));
        }
        chosen
    }
}

/// Fits the chance that an item is right, and prints how true it is. Each question is asked of its own store and of one where
/// nothing answers it.
fn relevance(stores: &[&Prepared], known: Option<pipeline::Known>) -> [f64; 3] {
    let mut rows: Vec<([f64; 3], f64)> = Vec::new();
    let mut firsts: Vec<First> = Vec::new();
    for (number, store) in stores.iter().enumerate() {
        for question in &store.corpus.questions {
            let other =
                stores[(number + 1 + question.text.len() % (stores.len() - 1)) % stores.len()];
            for (asked, right) in [(*store, true), (other, false)] {
                let (candidates, near) = pipeline::candidates(asked, &question.text, known);
                if let Some(first) = candidates.first() {
                    let number = pipeline::number_of(first.memory.id);
                    firsts.push(First {
                        row: [first.because.fused, near, 1.0],
                        answerable: right,
                        right: right && question.answers.contains(&number),
                    });
                }
                for candidate in candidates.iter().take(20) {
                    let number = pipeline::number_of(candidate.memory.id);
                    let is_right = right && question.answers.contains(&number);
                    rows.push((
                        [candidate.because.fused, near, 1.0],
                        f64::from(u8::from(is_right)),
                    ));
                }
            }
        }
    }
    let weights = logistic(&rows);
    println!("| relevance | items | right |\n| --- | --- | --- |");
    let chance = |row: &[f64; 3]| {
        sigmoid(
            row.iter()
                .zip(&weights)
                .map(|(value, weight)| value * weight)
                .sum(),
        )
    };
    for bounds in [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.01].windows(2) {
        let inside: Vec<f64> = rows
            .iter()
            .filter(|(row, _)| (bounds[0]..bounds[1]).contains(&chance(row)))
            .map(|(_, right)| *right)
            .collect();
        let right = 100.0 * inside.iter().sum::<f64>() / inside.len().max(1) as f64;
        println!(
            "| {:.2}–{:.2} | {} | {right:.0} % |",
            bounds[0],
            bounds[1].min(1.0),
            inside.len()
        );
    }
    println!(
        "\n| bar | speaks when there is an answer | speaks when there is none | first line right when it speaks |"
    );
    println!("| --- | --- | --- | --- |");
    for bar in [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, BAR, 0.4, 0.5] {
        let speaks = |first: &&First| chance(&first.row) >= bar;
        let share = |answerable| {
            let all: Vec<&First> = firsts
                .iter()
                .filter(|first| first.answerable == answerable)
                .collect();
            100.0 * all.iter().copied().filter(speaks).count() as f64 / all.len().max(1) as f64
        };
        let spoken: Vec<&First> = firsts
            .iter()
            .filter(|first| first.answerable)
            .filter(speaks)
            .collect();
        let right = spoken.iter().filter(|first| first.right).count();
        let precise = 100.0 * right as f64 / spoken.len().max(1) as f64;
        println!(
            "| {bar:.2} | {:.0} % | {:.0} % | {precise:.0} % |",
            share(true),
            share(false)
        );
    }
    weights
}

/// The first item of an answer.
struct First {
    row: [f64; 3],
    answerable: bool,
    right: bool,
}

/// Newton's method on three weights.
fn logistic(rows: &[([f64; 3], f64)]) -> [f64; 3] {
    let mut weights = [0.0; 3];
    for _ in 0..30 {
        let mut gradient = [0.0; 3];
        let mut curve = [[0.0; 3]; 3];
        for (row, right) in rows {
            let chance = sigmoid(
                row.iter()
                    .zip(&weights)
                    .map(|(value, weight)| value * weight)
                    .sum(),
            );
            for i in 0..3 {
                gradient[i] += (right - chance) * row[i];
                for j in 0..3 {
                    curve[i][j] += chance * (1.0 - chance) * row[i] * row[j];
                }
            }
        }
        let step = solve(curve, gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight += step;
        }
    }
    weights
}

fn sigmoid(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

/// Gauss elimination; the matrix is positive definite, so that no pivoting is needed.
fn solve(mut matrix: [[f64; 3]; 3], mut right: [f64; 3]) -> [f64; 3] {
    for column in 0..3 {
        let pivot = matrix[column];
        for row in column + 1..3 {
            let factor = matrix[row][column] / pivot[column];
            for (value, above) in matrix[row].iter_mut().zip(pivot) {
                *value -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..3).rev() {
        let known: f64 = (row + 1..3).map(|at| matrix[row][at] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}
