//! The arithmetic of a scan: vectors as steps and as sketches, their products, the best few.

#[cfg(target_arch = "x86_64")]
mod x86;

use std::cmp::Ordering;

use super::Key;

/// A vector as whole steps: `scale × step`.
pub(super) struct Steps {
    pub(super) scale: f32,
    pub(super) steps: Vec<i16>,
}

impl Steps {
    pub(super) fn of(vector: &[f32]) -> Self {
        let most = f32::from(i16::MAX);
        let Some(scale) = largest(vector).map(|largest| largest / most) else {
            return Self {
                scale: 0.0,
                steps: vec![0; vector.len()],
            };
        };
        let step = |value: &f32| (value / scale).round().clamp(-most, most) as i16;
        Self {
            scale,
            steps: vector.iter().map(step).collect(),
        }
    }
}

/// The largest value, whatever its sign; `None` for nothing and for nonsense.
fn largest(vector: &[f32]) -> Option<f32> {
    let largest = vector
        .iter()
        .fold(0.0_f32, |largest, value| largest.max(value.abs()));
    (largest > 0.0 && largest.is_finite()).then_some(largest)
}

/// A vector in two bits a dimension: each value is far below, below, above or far above zero.
///
/// Byte `b` holds the dimensions `b`, `b + quarter`, `b + 2 quarter` and `b + 3 quarter`, so that one load and three shifts meet four
/// stretches of the question.
pub(super) struct Sketch {
    /// What the product of the sketch and a question has to be multiplied with to be near that of the vector.
    pub(super) fit: f32,
    pub(super) bytes: Vec<u8>,
}

/// How far is far, in standard deviations: what loses least of normally spread values.
const FAR: f32 = 0.98;

impl Sketch {
    pub(super) fn of(vector: &[f32]) -> Self {
        let quarter = vector.len().div_ceil(4);
        let mut bytes = vec![0; quarter];
        if largest(vector).is_none() {
            return Self { fit: 0.0, bytes };
        }
        let square: f32 = vector.iter().map(|value| value * value).sum();
        let far = FAR * (square / vector.len() as f32).sqrt();
        let mut along = 0.0;
        for (at, &value) in vector.iter().enumerate() {
            let level = match (value > 0.0, value.abs() > far) {
                (false, true) => 0_u8,
                (false, false) => 1,
                (true, false) => 2,
                (true, true) => 3,
            };
            bytes[at % quarter] |= level << (2 * (at / quarter));
            along += value * (2.0 * f32::from(level) - 3.0);
        }
        Self {
            fit: square / along,
            bytes,
        }
    }
}

/// A question as signed bytes, laid out as sketches are.
pub(super) struct Asked {
    bytes: Vec<u8>,
    sum: i32,
}

impl Asked {
    pub(super) fn of(question: &[f32]) -> Self {
        let mut bytes = vec![0; 4 * question.len().div_ceil(4)];
        if let Some(largest) = largest(question) {
            for (byte, value) in bytes.iter_mut().zip(question) {
                *byte = ((value / largest * 127.0).round() as i8).cast_unsigned();
            }
        }
        let sum = bytes.iter().map(|byte| i32::from(byte.cast_signed())).sum();
        Self { bytes, sum }
    }

    /// The products of this question and of sketches that lie one behind the other.
    pub(super) fn dots(&self, fastest: Dots, sketches: &[u8], products: &mut [i32]) {
        fastest(sketches, &self.bytes, products);
    }

    /// How near sketches with these products and fits are, in steps of this question; and of each eight of them, whether one is above `bar`.
    pub(super) fn roughs(
        &self,
        products: &[i32],
        fits: &[u8],
        bar: f32,
        roughs: &mut [f32],
        is_above: &mut [bool],
    ) {
        // Levels count 0 to 3 and mean −3, −1, 1 and 3.
        let middle = 3 * self.sum;
        #[cfg(target_arch = "x86_64")]
        if x86::roughs(products, fits, middle, bar, roughs, is_above) {
            return;
        }
        plain_roughs(products, fits, middle, bar, roughs, is_above);
    }
}

fn plain_roughs(
    products: &[i32],
    fits: &[u8],
    middle: i32,
    bar: f32,
    roughs: &mut [f32],
    is_above: &mut [bool],
) {
    let rows = products.iter().zip(fits.as_chunks::<4>().0);
    for ((product, fit), rough) in rows.zip(&mut *roughs) {
        *rough = (2 * product - middle) as f32 * f32::from_le_bytes(*fit);
    }
    for (eight, is_above) in roughs.chunks(8).zip(is_above) {
        *is_above = eight.iter().any(|rough| *rough > bar);
    }
}

/// The products of many sketches' levels and four times as many signed bytes as each has.
pub(super) type Dots = fn(&[u8], &[u8], &mut [i32]);

/// The fastest way this processor has.
pub(super) fn fastest_dots() -> Dots {
    #[cfg(target_arch = "x86_64")]
    if let Some(fastest) = x86::fastest_dots() {
        return fastest;
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("neon") {
        // SAFETY: the processor was asked.
        return |sketches, asked, products| unsafe { arm::dots(sketches, asked, products) };
    }
    plain_dots
}

fn plain_dots(sketches: &[u8], asked: &[u8], products: &mut [i32]) {
    for (sketch, product) in one_by_one(sketches, asked).zip(products) {
        *product = plain_dot_from(0, sketch, asked);
    }
}

/// The sketches, each a quarter as long as what is asked.
fn one_by_one<'a>(sketches: &'a [u8], asked: &[u8]) -> impl Iterator<Item = &'a [u8]> {
    sketches.chunks_exact((asked.len() / 4).max(1))
}

/// The product of a sketch without its first bytes.
fn plain_dot_from(first: usize, sketch: &[u8], asked: &[u8]) -> i32 {
    let quarter = sketch.len();
    let part = |at: usize| {
        let level = |shift: usize| i32::from(sketch[at] >> (2 * shift) & 3);
        let value = |shift: usize| i32::from(asked[shift * quarter + at].cast_signed());
        (0..4).map(|shift| level(shift) * value(shift)).sum::<i32>()
    };
    (first..quarter).map(part).sum()
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use std::arch::aarch64::{
        uint8x16_t, vaddlvq_s16, vandq_u8, vdupq_n_s16, vdupq_n_u8, vget_high_s8, vget_low_s8,
        vld1q_s8, vld1q_u8, vmlal_s8, vreinterpretq_s8_u8, vshrq_n_u8,
    };

    #[target_feature(enable = "neon")]
    pub(super) unsafe fn dots(sketches: &[u8], asked: &[u8], products: &mut [i32]) {
        for (sketch, product) in super::one_by_one(sketches, asked).zip(products) {
            // SAFETY: as for this.
            *product = unsafe { dot(sketch, asked) };
        }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn dot(sketch: &[u8], asked: &[u8]) -> i32 {
        let quarter = sketch.len();
        assert!(asked.len() == 4 * quarter);
        let mut sum = 0;
        let whole = quarter / 16 * 16;
        for at in (0..whole).step_by(16) {
            // SAFETY: 16 bytes from `at` are within the sketch.
            let bytes = unsafe { vld1q_u8(sketch.as_ptr().add(at)) };
            let shifted: [uint8x16_t; 4] = [
                bytes,
                vshrq_n_u8::<2>(bytes),
                vshrq_n_u8::<4>(bytes),
                vshrq_n_u8::<6>(bytes),
            ];
            // Eight products of at most 3 × 128 each fit sixteen bits.
            let mut products = vdupq_n_s16(0);
            for (shift, bytes) in shifted.into_iter().enumerate() {
                let levels = vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(3)));
                // SAFETY: a quarter or more further than `at` is within what is asked, as was made sure above.
                let values = unsafe { vld1q_s8(asked.as_ptr().add(shift * quarter + at).cast()) };
                products = vmlal_s8(products, vget_low_s8(levels), vget_low_s8(values));
                products = vmlal_s8(products, vget_high_s8(levels), vget_high_s8(values));
            }
            sum += vaddlvq_s16(products);
        }
        sum + super::plain_dot_from(whole, sketch, asked)
    }
}

/// The rows with the highest scores seen so far. Twice as many as are wanted are gathered before the lower half goes: keeping them in order
/// all the time takes longer.
pub(super) struct Best {
    limit: usize,
    bar: f32,
    gathered: Vec<Scored>,
}

#[derive(PartialEq)]
struct Scored {
    score: f32,
    row: usize,
    key: Key,
}

impl Eq for Scored {}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of equal scores the earlier row is the better one.
        self.score
            .total_cmp(&other.score)
            .then_with(|| other.row.cmp(&self.row))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Best {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            bar: f32::NEG_INFINITY,
            gathered: Vec::with_capacity(2 * limit),
        }
    }

    /// What a row must exceed to be among the best.
    pub(super) fn bar(&self) -> f32 {
        self.bar
    }

    pub(super) fn offer(&mut self, row: usize, key: Key, score: f32) {
        self.gathered.push(Scored { score, row, key });
        if self.gathered.len() >= 2 * self.limit.max(1) {
            self.keep_best();
        }
    }

    fn keep_best(&mut self) {
        if let Some(lowest_kept) = put_best_first(&mut self.gathered, self.limit) {
            self.bar = lowest_kept;
            self.gathered.truncate(self.limit);
        }
    }

    /// As if all that `other` was offered had been offered here.
    pub(super) fn join(&mut self, other: Self) {
        self.gathered.extend(other.gathered);
        self.keep_best();
    }

    /// Rows and their owners: the first `count` are the best, in no order.
    pub(super) fn rows(mut self, count: usize) -> Vec<(usize, Key)> {
        self.keep_best();
        put_best_first(&mut self.gathered, count);
        let rows = self.gathered.into_iter();
        rows.map(|scored| (scored.row, scored.key)).collect()
    }
}

/// Brings the `count` best to the front, and tells the lowest score of them; nothing where there are no more.
fn put_best_first(all: &mut [Scored], count: usize) -> Option<f32> {
    if all.len() <= count {
        return None;
    }
    let best_first = |left: &Scored, right: &Scored| right.cmp(left);
    let (_, lowest, _) = all.select_nth_unstable_by(count.saturating_sub(1), best_first);
    Some(lowest.score)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_fastest_dots_are_the_plain_ones(rows in proptest::collection::vec(any::<([u8; 3], [u8; 4])>(), 1..300)) {
            let asked: Vec<u8> = rows.iter().flat_map(|(_, asked)| *asked).collect();
            let sketches: Vec<u8> = (0..3).flat_map(|at| rows.iter().map(move |(levels, _)| levels[at])).collect();
            let (mut fastest, mut plain) = ([0; 3], [0; 3]);
            fastest_dots()(&sketches, &asked, &mut fastest);
            plain_dots(&sketches, &asked, &mut plain);
            prop_assert_eq!(fastest, plain);
        }

        #[test]
        fn all_roughs_are_the_plain_ones(rows in proptest::collection::vec((-100_000_i32..100_000, -2.0_f32..2.0), 1..50), middle in -9_000_i32..9_000, at in any::<prop::sample::Index>()) {
            let (products, fits): (Vec<i32>, Vec<f32>) = rows.into_iter().unzip();
            let asked = Asked { bytes: Vec::new(), sum: middle };
            let fits: Vec<u8> = fits.iter().flat_map(|fit| fit.to_le_bytes()).collect();
            let mut plain = (vec![0.0; products.len()], vec![false; products.len().div_ceil(8)]);
            let mut wide = plain.clone();
            plain_roughs(&products, &fits, 3 * middle, f32::NAN, &mut plain.0, &mut plain.1);
            prop_assert!(plain.1.iter().all(|is_above| !is_above));
            let bar = plain.0[at.index(products.len())];
            plain_roughs(&products, &fits, 3 * middle, bar, &mut plain.0, &mut plain.1);
            asked.roughs(&products, &fits, bar, &mut wide.0, &mut wide.1);
            prop_assert_eq!(wide, plain);
        }

        #[test]
        fn steps_give_the_vector_back(vector in proptest::collection::vec(-1.0_f32..1.0, 1..64)) {
            let Steps { scale, steps } = Steps::of(&vector);
            for (value, step) in vector.iter().zip(steps) {
                prop_assert!((value - scale * f32::from(step)).abs() <= scale);
            }
        }

        #[test]
        fn a_sketch_is_nearest_to_its_own_vector(
            vector in proptest::collection::vec(0.1_f32..1.0, 8..64),
            signs in any::<u64>(),
        ) {
            let vector: Vec<f32> = vector.iter().enumerate()
                .map(|(at, value)| if signs >> at & 1 == 1 { *value } else { -value })
                .collect();
            let Sketch { fit, bytes } = Sketch::of(&vector);
            let rough = |question: &[f32]| {
                let (asked, mut product, mut rough) = (Asked::of(question), [0], [0.0]);
                asked.dots(fastest_dots(), &bytes, &mut product);
                asked.roughs(&product, &fit.to_le_bytes(), 0.0, &mut rough, &mut [false]);
                rough[0]
            };
            let own = rough(&vector);
            let square: f32 = vector.iter().map(|value| value * value).sum();
            let steps = 127.0 * square / largest(&vector).unwrap();
            prop_assert!((own - steps).abs() < 0.05 * steps, "{own} is not {steps}");
            for at in 0..vector.len() {
                let mut other = vector.clone();
                other[at] = -other[at];
                prop_assert!(rough(&other) < own, "dimension {at}");
            }
        }
    }

    #[test]
    fn the_best_are_kept_and_the_earlier_of_equals() {
        let offer = |best: &mut Best, scores: &[(usize, f32)]| {
            for &(row, score) in scores {
                if score > best.bar() {
                    best.offer(row, Key([row as u8; 16]), score);
                }
            }
        };
        let scores: Vec<(usize, f32)> = [0.1, 0.9, 0.5, 0.9, -1.0, 0.5, 0.4, 0.3, 0.2, 0.5]
            .into_iter()
            .enumerate()
            .collect();
        let mut best = Best::new(3);
        offer(&mut best, &scores);
        let mut joined = Best::new(3);
        offer(&mut joined, &[(17, 0.2), (15, 0.5), (19, 0.45)]);
        joined.join(best);
        let mut rows = joined.rows(3);
        rows.sort_unstable();
        assert_eq!(rows, [1, 2, 3].map(|row| (row, Key([row as u8; 16]))));
        let mut none = Best::new(0);
        offer(&mut none, &scores);
        assert_eq!(none.rows(1), []);
    }

    #[test]
    fn nothing_and_nonsense_are_zero() {
        for vector in [&[0.0, 0.0][..], &[f32::NAN, f32::INFINITY], &[]] {
            assert!(Steps::of(vector).scale.abs() < f32::EPSILON);
            assert!(Sketch::of(vector).fit.abs() < f32::EPSILON);
        }
    }
}
