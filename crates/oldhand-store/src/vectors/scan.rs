//! The arithmetic of a scan: vectors as bytes, products of bytes, the best few.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Steps of fine bytes in one step of coarse bytes.
pub(super) const FINE: f32 = 254.0;

/// A vector as bytes: `scale × (coarse + fine / 254)`.
pub(super) struct Quantised {
    pub(super) scale: f32,
    pub(super) coarse: Vec<u8>,
    pub(super) fine: Vec<u8>,
}

pub(super) fn quantise(vector: &[f32]) -> Quantised {
    let largest = vector
        .iter()
        .fold(0.0_f32, |largest, value| largest.max(value.abs()));
    if largest == 0.0 || !largest.is_finite() {
        let zeros = vec![0; vector.len()];
        return Quantised {
            scale: 0.0,
            coarse: zeros.clone(),
            fine: zeros,
        };
    }
    let scale = largest / 127.0;
    let (mut coarse, mut fine) = (
        Vec::with_capacity(vector.len()),
        Vec::with_capacity(vector.len()),
    );
    for value in vector {
        let steps = value / scale;
        let whole = steps.round().clamp(-127.0, 127.0);
        let rest = ((steps - whole) * FINE).round().clamp(-127.0, 127.0);
        coarse.push((whole as i8).cast_unsigned());
        fine.push((rest as i8).cast_unsigned());
    }
    Quantised {
        scale,
        coarse,
        fine,
    }
}

/// The dot product of two rows of signed bytes, of one length.
pub(super) type Dot = fn(&[u8], &[u8]) -> i32;

/// The fastest way this processor has.
pub(super) fn fastest_dot() -> Dot {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was asked.
        return |left, right| unsafe { x86::dot(left, right) };
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("neon") {
        // SAFETY: the processor was asked.
        return |left, right| unsafe { arm::dot(left, right) };
    }
    plain_dot
}

pub(super) fn plain_dot(left: &[u8], right: &[u8]) -> i32 {
    let product =
        |(left, right): (&u8, &u8)| i32::from(left.cast_signed()) * i32::from(right.cast_signed());
    left.iter().zip(right).map(product).sum()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32,
        _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256,
        _mm256_madd_epi16, _mm256_setzero_si256,
    };

    #[allow(clippy::cast_ptr_alignment, reason = "the load takes any address")]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn dot(left: &[u8], right: &[u8]) -> i32 {
        let mut sums: [__m256i; 2] = [_mm256_setzero_si256(); 2];
        let (mut lefts, mut rights) = (left.chunks_exact(32), right.chunks_exact(32));
        for (left, right) in lefts.by_ref().zip(rights.by_ref()) {
            for (half, sum) in sums.iter_mut().enumerate() {
                // SAFETY: each chunk has 32 bytes, and a load from the 16 bytes of a half needs no alignment.
                let (left, right) = unsafe {
                    let at = |bytes: &[u8]| {
                        _mm_loadu_si128(bytes.as_ptr().add(16 * half).cast::<__m128i>())
                    };
                    (at(left), at(right))
                };
                let products =
                    _mm256_madd_epi16(_mm256_cvtepi8_epi16(left), _mm256_cvtepi8_epi16(right));
                *sum = _mm256_add_epi32(*sum, products);
            }
        }
        let sum = _mm256_add_epi32(sums[0], sums[1]);
        let sum = _mm_add_epi32(
            _mm256_castsi256_si128(sum),
            _mm256_extracti128_si256::<1>(sum),
        );
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b00_00_11_10>(sum));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b00_00_00_01>(sum));
        _mm_cvtsi128_si32(sum) + super::plain_dot(lefts.remainder(), rights.remainder())
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use std::arch::aarch64::{
        vaddvq_s32, vdupq_n_s32, vget_high_s8, vget_low_s8, vld1q_s8, vmull_s8, vpadalq_s16,
    };

    #[target_feature(enable = "neon")]
    pub(super) unsafe fn dot(left: &[u8], right: &[u8]) -> i32 {
        let mut sum = vdupq_n_s32(0);
        let (mut lefts, mut rights) = (left.chunks_exact(16), right.chunks_exact(16));
        for (left, right) in lefts.by_ref().zip(rights.by_ref()) {
            // SAFETY: each chunk has 16 bytes, and the load needs no alignment.
            let (left, right) = unsafe {
                (
                    vld1q_s8(left.as_ptr().cast()),
                    vld1q_s8(right.as_ptr().cast()),
                )
            };
            sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(left), vget_low_s8(right)));
            sum = vpadalq_s16(sum, vmull_s8(vget_high_s8(left), vget_high_s8(right)));
        }
        vaddvq_s32(sum) + super::plain_dot(lefts.remainder(), rights.remainder())
    }
}

/// The rows with the highest scores seen so far.
pub(super) struct Best {
    limit: usize,
    heap: BinaryHeap<Reverse<Scored>>,
}

#[derive(PartialEq)]
struct Scored {
    score: f32,
    row: usize,
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
            heap: BinaryHeap::with_capacity(limit + 1),
        }
    }

    /// What a row must exceed to be among the best.
    pub(super) fn bar(&self) -> f32 {
        if self.heap.len() < self.limit {
            return f32::NEG_INFINITY;
        }
        self.heap
            .peek()
            .map_or(f32::INFINITY, |lowest| lowest.0.score)
    }

    pub(super) fn offer(&mut self, row: usize, score: f32) {
        self.heap.push(Reverse(Scored { score, row }));
        if self.heap.len() > self.limit {
            self.heap.pop();
        }
    }

    /// Best first.
    pub(super) fn rows(self) -> Vec<usize> {
        self.heap
            .into_sorted_vec()
            .into_iter()
            .map(|scored| scored.0.row)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_fastest_dot_is_the_plain_one(pairs in proptest::collection::vec(any::<(u8, u8)>(), 0..500)) {
            let (left, right): (Vec<u8>, Vec<u8>) = pairs.into_iter().unzip();
            prop_assert_eq!(fastest_dot()(&left, &right), plain_dot(&left, &right));
        }

        #[test]
        fn coarse_and_fine_bytes_give_the_vector_back(vector in proptest::collection::vec(-1.0_f32..1.0, 1..64)) {
            let Quantised { scale, coarse, fine } = quantise(&vector);
            for ((value, coarse), fine) in vector.iter().zip(coarse).zip(fine) {
                let again = scale * (f32::from(coarse.cast_signed()) + f32::from(fine.cast_signed()) / FINE);
                prop_assert!((value - again).abs() <= scale / 400.0, "{value} {again}");
            }
        }
    }

    #[test]
    fn the_best_are_kept_in_order() {
        let mut best = Best::new(3);
        for (row, score) in [0.1, 0.9, 0.5, 0.9, -1.0].into_iter().enumerate() {
            if score > best.bar() {
                best.offer(row, score);
            }
        }
        assert_eq!(best.rows(), [1, 3, 2]);
    }

    #[test]
    fn nothing_and_nonsense_are_zero() {
        for vector in [&[0.0, 0.0][..], &[f32::NAN, f32::INFINITY], &[]] {
            assert!(quantise(vector).scale.abs() < f32::EPSILON);
        }
    }
}
