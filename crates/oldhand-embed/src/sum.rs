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

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "what is not inlined is not compiled for wide registers"
)]
fn plain_add(sum: &mut [f32], row: &[u8], weight: f32) {
    for (total, &value) in sum.iter_mut().zip(row) {
        *total += weight * f32::from(value.cast_signed());
    }
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "what is not inlined is not compiled for wide registers"
)]
fn plain_unit_length(vector: &mut [f32]) {
    // Sixteen sums side by side: one after the other would wait for each addition.
    let mut sums = [0.0_f32; 16];
    for values in vector.chunks(16) {
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value * value;
        }
    }
    let length = sums.iter().sum::<f32>().sqrt();
    if length > 0.0 {
        for value in vector {
            *value /= length;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn add(sum: &mut [f32], row: &[u8], weight: f32) {
        super::plain_add(sum, row, weight);
    }

    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn bring_to_unit_length(vector: &mut [f32]) {
        super::plain_unit_length(vector);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_registers_give_the_same_numbers() {
        let row: Vec<u8> = (0..=255).chain(0..128).collect();
        let mut wide: Vec<f32> = (0_u16..384).map(f32::from).collect();
        let mut plain = wide.clone();
        for weight in [0.013, -1.7, 0.5] {
            add(&mut wide, &row, weight);
            plain_add(&mut plain, &row, weight);
        }
        assert_eq!(wide, plain);
        bring_to_unit_length(&mut wide);
        plain_unit_length(&mut plain);
        assert_eq!(wide, plain);
        let mut nothing = [0.0; 384];
        bring_to_unit_length(&mut nothing);
        assert!(nothing.iter().all(|value| *value == 0.0));
    }
}
