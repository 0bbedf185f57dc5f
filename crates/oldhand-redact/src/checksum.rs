//! Checksums that some vendors put into their tokens, so that a look-alike can be told from a token.

/// CRC-32 (IEEE 802.3), bit by bit: tokens are short.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

/// `value` in base 62 (digits, capitals, small letters), six places.
pub(crate) fn base62(mut value: u32) -> [u8; 6] {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut places = [b'0'; 6];
    for place in places.iter_mut().rev() {
        *place = DIGITS[(value % 62) as usize];
        value /= 62;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc32_agrees_with_the_published_check_value() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn base62_is_padded_and_counts_digits_capitals_small() {
        assert_eq!(&base62(0), b"000000");
        assert_eq!(&base62(61), b"00000z");
        assert_eq!(&base62(62 * 36 + 10), b"0000aA");
    }
}
