//! Products of sketches by the wide instructions of x86.

use std::arch::x86_64::{
    __m256i, _CMP_GT_OQ, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_add_epi16,
    _mm256_add_epi32, _mm256_and_si256, _mm256_castsi256_si128, _mm256_cmp_ps, _mm256_cvtepi32_ps,
    _mm256_extracti128_si256, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_movemask_ps, _mm256_mul_ps, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_si256, _mm256_srli_epi16, _mm256_storeu_ps,
    _mm256_sub_epi32,
};

use super::{Dots, one_by_one, plain_dot_from, plain_roughs};

/// Where this processor has what it takes.
pub(super) fn fastest_dots() -> Option<Dots> {
    let by_pairs: Dots = |sketches, asked, products| {
        // SAFETY: handed out only where the processor, which was asked, has these instructions.
        unsafe { dots(sketches, asked, products) }
    };
    is_x86_feature_detected!("avx2").then_some(by_pairs)
}

/// As [`plain_roughs`]; nothing is done where this processor cannot.
pub(super) fn roughs(
    products: &[i32],
    fits: &[u8],
    middle: i32,
    bar: f32,
    roughs: &mut [f32],
    is_above: &mut [bool],
) -> bool {
    let can = is_x86_feature_detected!("avx2");
    if can {
        // SAFETY: the processor was asked.
        unsafe { wide_roughs(products, fits, middle, bar, roughs, is_above) };
    }
    can
}

#[allow(
    clippy::cast_ptr_alignment,
    reason = "loads and the store take any address"
)]
#[target_feature(enable = "avx2")]
unsafe fn wide_roughs(
    products: &[i32],
    fits: &[u8],
    middle: i32,
    bar: f32,
    roughs: &mut [f32],
    is_above: &mut [bool],
) {
    let (eights, last_products) = products.as_chunks::<8>();
    let (eight_fits, last_fits) = fits.as_chunks::<32>();
    let (eight_roughs, last_roughs) = roughs.as_chunks_mut::<8>();
    let (middles, bars) = (_mm256_set1_epi32(middle), _mm256_set1_ps(bar));
    let rows = eights.iter().zip(eight_fits).zip(eight_roughs);
    for (((products, fits), roughs), is_above) in rows.zip(&mut *is_above) {
        // SAFETY: eight numbers of four bytes are loaded from as many.
        let (products, fits) = unsafe {
            (
                _mm256_loadu_si256(products.as_ptr().cast::<__m256i>()),
                _mm256_loadu_ps(fits.as_ptr().cast::<f32>()),
            )
        };
        let doubled = _mm256_sub_epi32(_mm256_add_epi32(products, products), middles);
        let near = _mm256_mul_ps(_mm256_cvtepi32_ps(doubled), fits);
        *is_above = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(near, bars)) != 0;
        // SAFETY: eight numbers are stored to as many.
        unsafe { _mm256_storeu_ps(roughs.as_mut_ptr(), near) };
    }
    let last = is_above.len().min(eights.len());
    plain_roughs(
        last_products,
        last_fits,
        middle,
        bar,
        last_roughs,
        &mut is_above[last..],
    );
}

#[target_feature(enable = "avx2")]
unsafe fn dots(sketches: &[u8], asked: &[u8], products: &mut [i32]) {
    for (sketch, product) in one_by_one(sketches, asked).zip(products) {
        // SAFETY: as for this.
        *product = unsafe { dot(sketch, asked) };
    }
}

#[allow(clippy::cast_ptr_alignment, reason = "the load takes any address")]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn dot(sketch: &[u8], asked: &[u8]) -> i32 {
    let quarter = sketch.len();
    assert!(asked.len() == 4 * quarter);
    let (low, ones) = (_mm256_set1_epi8(3), _mm256_set1_epi16(1));
    let mut sum = _mm256_setzero_si256();
    let whole = quarter / 32 * 32;
    for at in (0..whole).step_by(32) {
        // SAFETY: 32 bytes from `at` are within the sketch and, a quarter or more further, within what is asked, as was
        // made sure above; the loads take any address.
        let load = |bytes: &[u8], at: usize| unsafe {
            _mm256_loadu_si256(bytes.as_ptr().add(at).cast::<__m256i>())
        };
        let bytes = load(sketch, at);
        let product = |levels: __m256i, shift: usize| {
            _mm256_maddubs_epi16(
                _mm256_and_si256(levels, low),
                load(asked, shift * quarter + at),
            )
        };
        // Four products of at most 2 × 3 × 128 each fit sixteen bits.
        let first = _mm256_add_epi16(product(bytes, 0), product(_mm256_srli_epi16::<2>(bytes), 1));
        let second = _mm256_add_epi16(
            product(_mm256_srli_epi16::<4>(bytes), 2),
            product(_mm256_srli_epi16::<6>(bytes), 3),
        );
        let four = _mm256_madd_epi16(_mm256_add_epi16(first, second), ones);
        sum = _mm256_add_epi32(sum, four);
    }
    let sum = _mm_add_epi32(
        _mm256_castsi256_si128(sum),
        _mm256_extracti128_si256::<1>(sum),
    );
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b00_00_11_10>(sum));
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b00_00_00_01>(sum));
    let mut product = _mm_cvtsi128_si32(sum);
    if whole < quarter {
        product += plain_dot_from(whole, sketch, asked);
    }
    product
}
