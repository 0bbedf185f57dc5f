//! What the file of vectors promises.

use std::path::PathBuf;

use oldhand_testkit::Dice;

use super::*;

const MODEL: &str = "test-24";
const DIMENSIONS: usize = 24;

struct Place {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors").join("test.vec");
        Self {
            _folder: folder,
            path,
        }
    }

    fn writer(&self) -> Writer {
        Writer::open(&self.path, MODEL, DIMENSIONS).unwrap()
    }

    fn reader(&self) -> Vectors {
        Vectors::open(&self.path, MODEL, DIMENSIONS).unwrap()
    }
}

fn key(number: usize) -> Key {
    Key::new((number as u128 + 1).to_be_bytes()).unwrap()
}

fn unit(seed: usize) -> Vec<f32> {
    let mut dice = Dice::new(seed as u64);
    let raw: Vec<f32> = (0..DIMENSIONS)
        .map(|_| dice.below(20_001) as f32 - 10_000.0)
        .collect();
    let length = raw.iter().map(|value| value * value).sum::<f32>().sqrt();
    raw.into_iter().map(|value| value / length).collect()
}

fn fill(place: &Place, count: usize) -> Vec<Vec<f32>> {
    let vectors: Vec<Vec<f32>> = (0..count).map(unit).collect();
    let rows: Vec<(Key, &[f32])> = vectors
        .iter()
        .enumerate()
        .map(|(number, vector)| (key(number), vector.as_slice()))
        .collect();
    place.writer().put(&rows).unwrap();
    vectors
}

fn brute_force(vectors: &[Vec<f32>], question: &[f32], limit: usize) -> Vec<Key> {
    let mut all: Vec<(f32, Key)> = vectors
        .iter()
        .enumerate()
        .map(|(number, vector)| {
            (
                vector.iter().zip(question).map(|(a, b)| a * b).sum(),
                key(number),
            )
        })
        .collect();
    all.sort_by(|left, right| {
        right
            .0
            .total_cmp(&left.0)
            .then_with(|| left.1.cmp(&right.1))
    });
    all.into_iter().take(limit).map(|(_, key)| key).collect()
}

fn keys(found: &[Near]) -> Vec<Key> {
    found.iter().map(|near| near.key).collect()
}

#[test]
fn a_scan_finds_what_brute_force_finds() {
    let place = Place::new();
    let vectors = fill(&place, 1000);
    let reader = place.reader();
    for question in (0..50).map(|number| unit(5000 + number)) {
        let found = reader.nearest(&question, 10, None).unwrap();
        assert_eq!(keys(&found), brute_force(&vectors, &question, 10));
    }
}

#[test]
fn a_search_that_many_make_together_finds_what_one_finds() {
    let place = Place::new();
    fill(&place, 3500);
    place.writer().remove(&[key(1), key(2000)]).unwrap();
    let reader = place.reader();
    for (number, limit) in [(1, 1), (2, 10), (3, 100), (4, 200)] {
        let question = unit(6000 + number);
        let alone = place.reader().nearest(&question, limit, None).unwrap();
        let search = reader.begin(&question, limit).unwrap();
        assert!(!search.is_found());
        let found: Vec<Vec<Near>> = std::thread::scope(|scope| {
            let others = [(); 4].map(|()| scope.spawn(|| reader.finish(&search)));
            others.map(|other| other.join().unwrap()).into()
        });
        assert!(search.is_found());
        assert!(found.iter().all(|found| *found == alone));
        // Who comes late is told.
        assert_eq!(reader.finish(&search), alone);
    }
    assert!(reader.begin(&[1.0], 1).is_err());
    let empty = Place::new();
    fill(&empty, 0);
    let empty = empty.reader();
    let search = empty.begin(&unit(1), 10).unwrap();
    assert_eq!(empty.finish(&search), []);
}

#[test]
fn what_was_just_found_is_given_as_if_it_had_been_looked_for() {
    let place = Place::new();
    fill(&place, 3000);
    // One has a second vector, and the last one counts.
    place.writer().put(&[(key(7), &unit(9000))]).unwrap();
    let asked = place.reader();
    let found = asked.nearest(&unit(9000), 20, None).unwrap();
    assert_eq!(found[0].key, key(7));
    let mut wanted = keys(&found);
    wanted.extend([key(2999), key(2998), key(9999)]);
    let looked_for = place.reader().get(&wanted);
    for _ in 0..2 {
        assert_eq!(asked.get(&wanted), looked_for);
    }
    assert!(looked_for.len() >= 20 && !looked_for.contains_key(&key(9999)));
}

#[test]
fn whoever_asks_how_near_anything_is_and_then_for_more_is_told_what_others_are() {
    let place = Place::new();
    fill(&place, 3000);
    let asked = place.reader();
    for question in (0..20).map(|number| unit(5000 + number)) {
        let near = place.reader().nearest(&question, 100, None).unwrap();
        assert_eq!(asked.how_near(&question).unwrap(), Some(near[0].cosine));
        let search = asked.begin(&question, 100).unwrap();
        assert_eq!(asked.finish(&search), near);
        assert_eq!(asked.how_near(&question).unwrap(), Some(near[0].cosine));
        // What is kept is for the same question and for all rows.
        let other = unit(7000);
        let others = place.reader().nearest(&other, 100, None).unwrap();
        assert_eq!(asked.nearest(&other, 100, None).unwrap(), others);
        let odd = asked.allow(|owner| owner.bytes()[15] % 2 == 1);
        let allowed = asked.nearest(&question, 100, Some(&odd)).unwrap();
        assert!(allowed.iter().all(|near| near.key.bytes()[15] % 2 == 1));
        assert_eq!(asked.nearest(&question, 100, None).unwrap(), near);
    }
    let empty = Place::new();
    fill(&empty, 0);
    assert_eq!(empty.reader().how_near(&unit(1)).unwrap(), None);
}

#[test]
fn one_damaged_row_among_the_nearest_is_seen_and_nobody_is_told_how_near_they_are() {
    let place = Place::new();
    fill(&place, 100);
    let sound = std::fs::read(&place.path).unwrap();
    let question = unit(3);
    let all = place.reader().nearest(&question, 100, None).unwrap();
    let layout = Layout::new(DIMENSIONS);
    let row_of = |key: Key| place.reader().keys().position(|other| other == key);
    for (key, spoil) in [
        // A scale that is no number is above all others.
        (all[9].key, [&[0; 4][..], &f32::NAN.to_le_bytes()].concat()),
        // The nearest, lost.
        (all[0].key, vec![0; layout.vector_size()]),
    ] {
        let at = layout.row(row_of(key).unwrap()).vector;
        let mut bytes = sound.clone();
        bytes[at..at + spoil.len()].copy_from_slice(&spoil);
        std::fs::write(&place.path, &bytes).unwrap();
        let reader = place.reader();
        assert_eq!(reader.how_near(&question).unwrap(), None);
        assert!(reader.is_damaged());
        std::fs::write(&place.path, &sound).unwrap();
    }
    let reader = place.reader();
    assert_eq!(reader.how_near(&question).unwrap(), Some(all[0].cosine));
    assert!(!reader.is_damaged());
}

#[test]
fn a_damaged_row_of_a_long_file_is_seen_and_not_found() {
    let place = Place::new();
    let vectors = fill(&place, FEW_ROWS + 10);
    let question = &vectors[FEW_ROWS];
    let before = place.reader().nearest(question, 10, None).unwrap();
    assert_eq!(before[0].key, key(FEW_ROWS));
    let at = Layout::new(DIMENSIONS).row(FEW_ROWS).vector;
    let mut bytes = std::fs::read(&place.path).unwrap();
    bytes[at + 9] ^= 1;
    std::fs::write(&place.path, &bytes).unwrap();
    let reader = place.reader();
    let found = reader.nearest(question, 9, None).unwrap();
    assert_eq!(found, before[1..]);
    assert!(reader.is_damaged());
}

#[test]
fn a_row_that_the_disk_does_not_give_is_seen_to_be_missing() {
    let place = Place::new();
    let rows = FEW_ROWS + 10;
    let vectors = fill(&place, rows);
    let question = &vectors[rows - 1];
    let before = place.reader().nearest(question, 10, None).unwrap();
    let open = || {
        let reader = place.reader();
        assert!(!reader.is_damaged());
        reader
    };
    let readers = [open(), open(), open()];
    let file = File::options().write(true).open(&place.path);
    // The map still has the page; reading the vector ends before it does.
    let at = Layout::new(DIMENSIONS).row(rows - 1).vector;
    file.unwrap().set_len(at as u64 + 8).unwrap();
    let [alone, together, looked_up] = readers;
    assert_eq!(alone.nearest(question, 9, None).unwrap(), before[1..]);
    let search = together.begin(question, 9).unwrap();
    assert_eq!(together.finish(&search), before[1..]);
    assert_eq!(looked_up.cosines(question, &[before[0].key]).unwrap(), []);
    assert_eq!(alone.count_damaged(), 1);
    for reader in [alone, together, looked_up] {
        assert!(reader.is_damaged());
    }
}

#[test]
fn rows_added_one_by_one_equal_rows_rebuilt() {
    let place = Place::new();
    for number in 0..130 {
        place.writer().put(&[(key(number), &unit(number))]).unwrap();
    }
    let grown = std::fs::read(&place.path).unwrap();
    let rows = (0..130).map(|number| (key(number), unit(number)));
    assert_eq!(rebuild(&place.path, MODEL, DIMENSIONS, rows).unwrap(), 130);
    assert!(grown == std::fs::read(&place.path).unwrap());
}

#[test]
fn only_allowed_rows_are_found() {
    let place = Place::new();
    fill(&place, 200);
    let reader = place.reader();
    let allowed = reader.allow(|owner| owner.bytes()[15] % 2 == 0);
    let found = reader.nearest(&unit(7), 20, Some(&allowed)).unwrap();
    assert_eq!(found.len(), 20);
    assert!(found.iter().all(|near| near.key.bytes()[15] % 2 == 0));
}

#[test]
fn removing_leaves_no_byte_of_the_vector() {
    let place = Place::new();
    let mut writer = place.writer();
    writer
        .put(&[(key(1), &unit(1)), (key(2), &unit(2))])
        .unwrap();
    let before = std::fs::read(&place.path).unwrap();
    let layout = Layout::new(DIMENSIONS);
    let row = layout.row(0);
    let is_zero = |bytes: &[u8]| {
        let sketch = &bytes[row.sketch..row.sketch + layout.sketch_size()];
        let vector = &bytes[row.vector..row.vector + layout.vector_size()];
        sketch.iter().chain(vector).all(|byte| *byte == 0)
    };
    assert!(!is_zero(&before));
    writer.remove(&[key(1)]).unwrap();
    assert!(is_zero(&std::fs::read(&place.path).unwrap()));
    let reader = place.reader();
    assert_eq!(keys(&reader.nearest(&unit(1), 10, None).unwrap()), [key(2)]);
    assert_eq!(reader.keys().collect::<Vec<_>>(), [key(2)]);
}

#[test]
fn an_owner_has_one_vector_the_newest() {
    let place = Place::new();
    let mut writer = place.writer();
    writer.put(&[(key(1), &unit(1))]).unwrap();
    writer.put(&[(key(1), &unit(9))]).unwrap();
    let reader = place.reader();
    assert_eq!(reader.keys().count(), 1);
    let found = reader.cosines(&unit(9), &[key(1), key(5)]).unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].cosine > 0.9999);
    let vector = &reader.get(&[key(1)])[&key(1)];
    assert!(
        vector
            .iter()
            .zip(unit(9))
            .all(|(stored, given)| (stored - given).abs() < 1e-4)
    );
}

#[test]
fn vectors_of_different_models_never_meet() {
    let place = Place::new();
    fill(&place, 3);
    let other = Vectors::open(&place.path, "other", DIMENSIONS).unwrap_err();
    assert!(other.calls_for_rebuild(), "{other}");
    assert!(
        Vectors::open(&place.path, MODEL, 12)
            .unwrap_err()
            .calls_for_rebuild()
    );
    let error = place.reader().nearest(&[1.0], 1, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a vector has 1 dimensions, the model has 24"
    );
}

#[test]
fn there_is_one_writer_and_any_number_of_readers() {
    let place = Place::new();
    fill(&place, 3);
    let writer = place.writer();
    assert!(matches!(
        Writer::open(&place.path, MODEL, DIMENSIONS),
        Err(VectorsError::Busy { .. })
    ));
    assert_eq!(place.reader().rows(), 3);
    drop(writer);
    place.writer();
}

#[test]
fn a_reader_keeps_what_it_opened_while_the_file_is_rebuilt() {
    let place = Place::new();
    fill(&place, 100);
    let reader = place.reader();
    rebuild(&place.path, MODEL, DIMENSIONS, [(key(500), unit(500))]).unwrap();
    assert_eq!(reader.nearest(&unit(3), 1, None).unwrap()[0].key, key(3));
    assert_eq!(place.reader().keys().collect::<Vec<_>>(), [key(500)]);
}

#[test]
fn a_row_cut_off_by_a_crash_does_not_exist() {
    let place = Place::new();
    fill(&place, 64);
    let whole = std::fs::read(&place.path).unwrap();
    place.writer().put(&[(key(64), &unit(64))]).unwrap();
    let mut crashed = std::fs::read(&place.path).unwrap();
    // The rows are written, the count is not.
    crashed[layout::ROWS_AT..layout::ROWS_AT + 8]
        .copy_from_slice(&whole[layout::ROWS_AT..layout::ROWS_AT + 8]);
    std::fs::write(&place.path, &crashed).unwrap();
    assert_eq!(place.reader().rows(), 64);
    place.writer().put(&[(key(70), &unit(70))]).unwrap();
    let reader = place.reader();
    assert_eq!(reader.keys().last(), Some(key(70)));
    let whole: Vec<Key> = reader.keys().collect();
    assert_eq!(reader.get(&whole).len(), 65);
}

#[test]
fn damage_is_an_error_or_a_row_that_is_not_found_but_never_a_wrong_answer() {
    let place = Place::new();
    fill(&place, 100);
    let sound = std::fs::read(&place.path).unwrap();
    let truth: Vec<(Key, f32)> = place
        .reader()
        .nearest(&unit(3), 100, None)
        .unwrap()
        .iter()
        .map(|near| (near.key, near.cosine))
        .collect();
    let mut dice = Dice::new(11);
    for _ in 0..300 {
        let mut damaged = sound.clone();
        let at = dice.below(damaged.len() as u64) as usize;
        damaged[at] ^= 1 << dice.below(8);
        std::fs::write(&place.path, &damaged).unwrap();
        if let Ok(reader) = Vectors::open(&place.path, MODEL, DIMENSIONS) {
            for near in reader.nearest(&unit(3), 100, None).unwrap() {
                assert!(truth.contains(&(near.key, near.cosine)), "byte {at}");
            }
        }
    }
    for length in [0, 7, 100, 4096, sound.len() - 1] {
        std::fs::write(&place.path, &sound[..length]).unwrap();
        let error = Vectors::open(&place.path, MODEL, DIMENSIONS).unwrap_err();
        assert!(error.calls_for_rebuild(), "{length}: {error}");
    }
}

#[test]
fn a_file_of_an_earlier_layout_calls_for_a_rebuild() {
    let place = Place::new();
    fill(&place, 3);
    let mut bytes = std::fs::read(&place.path).unwrap();
    let (version, sum) = (8..12, layout::CHECKSUM_AT..layout::CHECKSUM_AT + 4);
    bytes[version].copy_from_slice(&1_u32.to_le_bytes());
    let sum_now = layout::checksum(&[&bytes[..layout::CHECKSUM_AT]]);
    bytes[sum].copy_from_slice(&sum_now.to_le_bytes());
    std::fs::write(&place.path, &bytes).unwrap();
    let error = Vectors::open(&place.path, MODEL, DIMENSIONS).unwrap_err();
    assert!(error.calls_for_rebuild(), "{error}");
    assert!(Writer::open(&place.path, MODEL, DIMENSIONS).is_err());
    let vectors = (0..3).map(|at| (key(at), unit(at)));
    assert_eq!(rebuild(&place.path, MODEL, DIMENSIONS, vectors).unwrap(), 3);
    assert_eq!(place.reader().get(&[key(2)]).len(), 1);
}

#[test]
fn no_file_calls_for_a_rebuild() {
    let place = Place::new();
    assert!(
        Vectors::open(&place.path, MODEL, DIMENSIONS)
            .unwrap_err()
            .calls_for_rebuild()
    );
    assert_eq!(rebuild(&place.path, MODEL, DIMENSIONS, []).unwrap(), 0);
    assert_eq!(place.reader().nearest(&unit(1), 10, None).unwrap(), []);
}

#[test]
fn rows_that_come_bit_by_bit_make_the_file_that_all_at_once_make() {
    let place = Place::new();
    let vectors: Vec<Vec<f32>> = (0..3500).map(unit).collect();
    let row = |number: usize| (key(number), vectors[number].as_slice());
    for part in [0..900, 900..1024, 1024..1030, 1030..3400, 3400..3500] {
        let rows: Vec<(Key, &[f32])> = part.map(row).collect();
        place.writer().put(&rows).unwrap();
    }
    let grown = std::fs::read(&place.path).unwrap();
    let rows = (0..3500).map(|number| (key(number), vectors[number].clone()));
    rebuild(&place.path, MODEL, DIMENSIONS, rows).unwrap();
    assert!(grown == std::fs::read(&place.path).unwrap());
}

#[test]
fn a_long_file_is_longer_by_whole_stretches_and_holds_the_same() {
    let place = Place::new();
    let layout = Layout::new(DIMENSIONS);
    let length = || std::fs::metadata(&place.path).unwrap().len() as usize;
    let rows = (1..layout::STRETCH)
        .find(|rows| layout.size(*rows) > layout::STRETCH)
        .unwrap();
    let vectors = fill(&place, rows - 1);
    assert_eq!(
        length(),
        layout.size(rows - 1),
        "a short one is as long as its blocks"
    );
    let last = unit(rows);
    place.writer().put(&[(key(rows), &last)]).unwrap();
    assert_eq!(length(), 2 * layout::STRETCH);
    let reader = place.reader();
    assert_eq!(reader.rows(), rows);
    for (vector, owner) in [(&vectors[0], key(0)), (&last, key(rows))] {
        let found = reader.nearest(vector, 1, None).unwrap();
        assert_eq!(keys(&found), [owner]);
    }
    assert_eq!(reader.count_damaged(), 0);
}
