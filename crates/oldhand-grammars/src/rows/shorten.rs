//! Shortens the rows of a parse table, when the program is built.

/// How far back a row that is like another is looked for. More than this makes a table hardly shorter.
const REACH: usize = 128;

/// The rows of `table`, each `width` numbers, in the way that `write_out` reads.
pub(crate) fn shorten(table: &[u16], width: usize) -> Vec<u8> {
    let rows: Vec<&[u16]> = table.chunks_exact(width).collect();
    let nothing = vec![0; width];
    let mut short = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let mut back = 0;
        let mut changes = changes(&nothing, row);
        for (distance, like) in (1..=REACH).zip(rows[..at].iter().rev()) {
            let differing = like.iter().zip(*row).filter(|(one, other)| one != other);
            // Each change takes four bytes, and sets one place or more.
            let runs = differing.count();
            if runs == 0 || runs <= changes.len() {
                let found = self::changes(like, row);
                if found.len() < changes.len() {
                    (back, changes) = (distance, found);
                }
            }
        }
        count(back, &mut short);
        short.extend(changes);
    }
    short
}

/// How many places of `like` have to be set to have `row`, and which to what.
fn changes(like: &[u16], row: &[u16]) -> Vec<u8> {
    let (mut changes, mut number, mut place, mut kept) = (Vec::new(), 0, 0, 0);
    while place < row.len() {
        if row[place] == like[place] {
            place += 1;
            continue;
        }
        let value = row[place];
        let same = row[place..]
            .iter()
            .take_while(|other| **other == value)
            .count();
        count(place - kept, &mut changes);
        count(same, &mut changes);
        changes.extend(value.to_le_bytes());
        number += 1;
        place += same;
        kept = place;
    }
    let mut counted = Vec::new();
    count(number, &mut counted);
    counted.extend(changes);
    counted
}

fn count(mut number: usize, short: &mut Vec<u8>) {
    while number > 0x7f {
        short.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    short.push(number as u8);
}
