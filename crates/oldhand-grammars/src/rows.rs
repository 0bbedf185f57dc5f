//! Rows of a parse table, written by how each differs from one before it.
//!
//! A row tells what to do with each symbol in one state. Most of it is nothing, and the rest stands in a row nearby as well, so that a table of
//! megabytes fits in a twentieth of them. Each row is: how many rows back the one it is like is (none: all zeros), how many changes there are, and
//! for each of them how many places are left as they are, how many are set, and to what. Counts are written seven bits at a time.

/// Writes out `rows` of `width` numbers each into `table`, as far as both go.
pub(crate) fn write_out(mut short: &[u8], width: usize, table: &mut [u16]) {
    let mut start = 0;
    while start + width <= table.len() && !short.is_empty() {
        let (before, now) = table.split_at_mut(start);
        let row = &mut now[..width];
        let back = count(&mut short);
        if let Some(like) = start.checked_sub(back * width).filter(|_| back > 0) {
            row.copy_from_slice(&before[like..like + width]);
        }
        let mut place = 0;
        for _ in 0..count(&mut short) {
            place += count(&mut short);
            let end = place + count(&mut short);
            let value = u16::from_le_bytes([byte(&mut short), byte(&mut short)]);
            if let Some(places) = row.get_mut(place..end) {
                places.fill(value);
            }
            place = end;
        }
        start += width;
    }
}

fn byte(short: &mut &[u8]) -> u8 {
    short.split_off_first().copied().unwrap_or(0)
}

fn count(short: &mut &[u8]) -> usize {
    let mut counted = 0;
    for shift in (0..usize::BITS).step_by(7) {
        let part = byte(short);
        counted |= usize::from(part & 0x7f) << shift;
        if part & 0x80 == 0 {
            break;
        }
    }
    counted
}

#[cfg(test)]
#[path = "rows/shorten.rs"]
mod shorten;

#[cfg(test)]
mod tests {
    use super::shorten::shorten;
    use super::write_out;

    fn there_and_back(table: &[u16], width: usize) -> Vec<u16> {
        let mut written = vec![0; table.len()];
        write_out(&shorten(table, width), width, &mut written);
        written
    }

    #[test]
    fn a_table_is_what_it_was_before_it_was_shortened() {
        let tables: [(&[u16], usize); 5] = [
            (&[], 3),
            (&[0, 0, 0], 3),
            (&[7, 7, 7, 7, 0, 7], 3),
            (&[1, 2, 3, 1, 2, 4, 0, 0, 0, 1, 2, 3], 3),
            (&[65535; 400], 200),
        ];
        for (table, width) in tables {
            assert_eq!(there_and_back(table, width), table, "{width} wide");
        }
    }

    #[test]
    fn a_row_like_one_far_above_is_what_it_was() {
        let mut table: Vec<u16> = (0..300 * 40)
            .map(|place| (place * 31 % 997) as u16)
            .collect();
        table.copy_within(0..40, 100 * 40);
        table.copy_within(0..40, 299 * 40);
        assert_eq!(there_and_back(&table, 40), table);
    }

    #[test]
    fn a_row_that_is_like_another_takes_two_bytes() {
        let row: Vec<u16> = (1..=200).collect();
        let once = shorten(&row, 200).len();
        assert_eq!(shorten(&row.repeat(3), 200).len(), once + 2 * 2);
    }

    #[test]
    fn damaged_rows_stop_no_program() {
        let mut written = vec![0; 12];
        for damaged in [
            &[9u8, 1][..],
            &[0, 255, 255, 255],
            &[0, 1, 200, 1, 200, 1, 5, 5],
            &[1; 40],
        ] {
            write_out(damaged, 3, &mut written);
        }
    }
}
