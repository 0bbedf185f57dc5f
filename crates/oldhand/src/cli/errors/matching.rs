//! Which errors of the registry somebody means: by id, by what a failed command printed, or by words.

use oldhand_observe::fingerprint::{fingerprint, kind_of, kinds_in};
use oldhand_observe::learn::ErrorRecord;

use super::screen::id_of;

/// The errors that `given` means: an id, an output of any number of lines, or words.
pub(super) fn matching<'a>(errors: &'a [ErrorRecord], given: &str) -> Vec<&'a ErrorRecord> {
    let by = |keep: &dyn Fn(&ErrorRecord) -> bool| -> Vec<&'a ErrorRecord> {
        errors.iter().filter(|error| keep(error)).collect()
    };
    let is_id = given.len() >= 4 && given.chars().all(|c| c.is_ascii_hexdigit());
    if is_id {
        let given = given.to_ascii_lowercase();
        let found = by(&|error| id_of(error).starts_with(&given));
        if !found.is_empty() {
            return found;
        }
    }
    if let Some(told) = fingerprint(given) {
        let found = by(&|error| error.message == told.message);
        if !found.is_empty() {
            return found;
        }
    }
    let kinds = kinds_in(given);
    let found = by(&|error| kinds.contains(&kind_of(&error.message)));
    if !found.is_empty() {
        return found;
    }
    let lines: Vec<Vec<String>> = given.lines().filter_map(words_of).collect();
    // Of several lines one word alone says nothing.
    let least = if lines.len() > 1 { 3 } else { 1 };
    by(&|error| {
        let message = error.message.to_lowercase();
        let has_all = |words: &Vec<String>| words.iter().all(|word| message.contains(word));
        let mut lines = lines.iter().filter(|words| words.len() >= least);
        lines.any(has_all)
    })
}

fn words_of(line: &str) -> Option<Vec<String>> {
    let words: Vec<String> = line.split_whitespace().map(str::to_lowercase).collect();
    (!words.is_empty()).then_some(words)
}
