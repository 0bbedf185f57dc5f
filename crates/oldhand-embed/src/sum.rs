//! The arithmetic of a vector: rows of bytes added up, and the sum brought to unit length.
//!
//! A close reading embeds a thousand words in a process that lives a few milliseconds, so that both are done with the widest registers the
//! processor has. The numbers are the same with and without them.

/// Adds `weight` times a row of signed bytes.
pub(crate) fn add(sum: &mut [f32], row: &[u8], weight: f32) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was asked.
        return unsafe { wide::add(sum, row, weight) };
    }
    plain_add(sum, row, weight);
}

/// Nothing stays nothing.
pub(crate) fn bring_to_unit_length(vector: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was asked.
        return unsafe { wide::bring_to_unit_length(vector) };
    }
    plain_unit_length(vector);
}

/// The dot product with a row of signed bytes.
pub(crate) fn dot(row: &[u8], vector: &[f32]) -> f32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was asked.
        return unsafe { wide::dot(row, vector) };
    }
    plain_dot([0.0; 8], row, vector)
}

/// Eight sums side by side are gone on with.
fn plain_dot(mut sums: [f32; 8], row: &[u8], vector: &[f32]) -> f32 {
    for (row, vector) in row.chunks(8).zip(vector.chunks(8)) {
        for ((sum, left), right) in sums.iter_mut().zip(row).zip(vector) {
            *sum += f32::from(left.cast_signed()) * right;
        }
    }
    sums.iter().sum()
}

pub(crate) fn length(vector: &[f32]) -> f32 {
    // Sixteen sums side by side: one after the other would wait for each addition.
    let mut sums = [0.0_f32; 16];
    for values in vector.chunks(16) {
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value * value;
        }
    }
    sums.iter().sum::<f32>().sqrt()
}

fn plain_add(sum: &mut [f32], row: &[u8], weight: f32) {
    for (total, &value) in sum.iter_mut().zip(row) {
        *total += weight * f32::from(value.cast_signed());
    }
}

fn plain_unit_length(vector: &mut [f32]) {
    let length = length(vector);
    if length > 0.0 {
        for value in vector {
            *value /= length;
        }
    }
}

/// Written out, since a release that is built to be small has no loop turned into wide instructions by the compiler.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        __m128i, __m256, _mm_loadl_epi64, _mm256_add_ps, _mm256_cvtepi8_epi32, _mm256_cvtepi32_ps,
        _mm256_div_ps, _mm256_loadu_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_setzero_ps,
        _mm256_storeu_ps,
    };

    #[allow(clippy::cast_ptr_alignment, reason = "the load takes any address")]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn add(sum: &mut [f32], row: &[u8], weight: f32) {
        let weights = _mm256_set1_ps(weight);
        let (totals, last_totals) = sum.as_chunks_mut::<8>();
        let (values, last_values) = row.as_chunks::<8>();
        for (totals, values) in totals.iter_mut().zip(values) {
            // SAFETY: eight bytes are loaded from eight; the load takes any address.
            let bytes = unsafe { _mm_loadl_epi64(values.as_ptr().cast::<__m128i>()) };
            let values = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
            let product = _mm256_mul_ps(weights, values);
            // SAFETY: eight numbers are loaded from eight and stored to them.
            unsafe {
                let sum = _mm256_add_ps(_mm256_loadu_ps(totals.as_ptr()), product);
                _mm256_storeu_ps(totals.as_mut_ptr(), sum);
            }
        }
        super::plain_add(last_totals, last_values, weight);
    }

    #[allow(clippy::cast_ptr_alignment, reason = "the load takes any address")]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn dot(row: &[u8], vector: &[f32]) -> f32 {
        let mut sum = _mm256_setzero_ps();
        let (bytes, last_bytes) = row.as_chunks::<8>();
        let (values, last_values) = vector.as_chunks::<8>();
        for (bytes, values) in bytes.iter().zip(values) {
            // SAFETY: eight bytes and eight numbers are loaded from eight; the loads take any address.
            let (bytes, values) = unsafe {
                let bytes = _mm_loadl_epi64(bytes.as_ptr().cast::<__m128i>());
                (bytes, _mm256_loadu_ps(values.as_ptr()))
            };
            let bytes = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
            sum = _mm256_add_ps(sum, _mm256_mul_ps(bytes, values));
        }
        let mut sums = [0.0; 8];
        // SAFETY: eight numbers are stored to eight.
        unsafe { _mm256_storeu_ps(sums.as_mut_ptr(), sum) };
        super::plain_dot(sums, last_bytes, last_values)
    }

    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn bring_to_unit_length(vector: &mut [f32]) {
        let (whole, last) = vector.as_chunks_mut::<16>();
        // SAFETY: eight numbers are loaded from sixteen, the first or the last of them.
        let halves = |values: &[f32; 16]| unsafe {
            [
                _mm256_loadu_ps(values.as_ptr()),
                _mm256_loadu_ps(values.as_ptr().add(8)),
            ]
        };
        let mut squares: [__m256; 2] = [_mm256_setzero_ps(); 2];
        for values in whole.iter() {
            for (square, values) in squares.iter_mut().zip(halves(values)) {
                *square = _mm256_add_ps(*square, _mm256_mul_ps(values, values));
            }
        }
        let mut sums = [0.0_f32; 16];
        // SAFETY: eight numbers are stored to sixteen, the first or the last of them.
        unsafe {
            _mm256_storeu_ps(sums.as_mut_ptr(), squares[0]);
            _mm256_storeu_ps(sums.as_mut_ptr().add(8), squares[1]);
        }
        for (sum, value) in sums.iter_mut().zip(last.iter()) {
            *sum += value * value;
        }
        let length = sums.iter().sum::<f32>().sqrt();
        if length > 0.0 {
            let lengths = _mm256_set1_ps(length);
            for values in whole {
                let [first, second] = halves(values);
                // SAFETY: as above.
                unsafe {
                    _mm256_storeu_ps(values.as_mut_ptr(), _mm256_div_ps(first, lengths));
                    _mm256_storeu_ps(values.as_mut_ptr().add(8), _mm256_div_ps(second, lengths));
                }
            }
            for value in last {
                *value /= length;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_registers_give_the_same_numbers() {
        // The second ends in the middle of a register.
        for dimensions in [384_u16, 381] {
            let row: Vec<u8> = (0..dimensions).map(|at| at as u8).collect();
            let mut wide: Vec<f32> = (0..dimensions).map(f32::from).collect();
            let mut plain = wide.clone();
            for weight in [0.013, -1.7, 0.5] {
                add(&mut wide, &row, weight);
                plain_add(&mut plain, &row, weight);
            }
            assert_eq!(wide, plain);
            let both = [dot(&row, &wide), plain_dot([0.0; 8], &row, &plain)];
            assert_eq!(both[0].to_bits(), both[1].to_bits());
            bring_to_unit_length(&mut wide);
            plain_unit_length(&mut plain);
            assert_eq!(wide, plain);
        }
        let mut nothing = [0.0; 384];
        bring_to_unit_length(&mut nothing);
        assert!(nothing.iter().all(|value| *value == 0.0));
    }
}
