//! Porter's stemmer (1980), which FTS5 applies to every word.

pub(crate) fn stem(word: &str) -> String {
    if word.len() <= 2 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let mut word = word.to_owned();
    plurals(&mut word);
    past_and_present(&mut word);
    if word.ends_with('y') && has_vowel(&word[..word.len() - 1]) {
        word.replace_range(word.len() - 1.., "i");
    }
    replace_first(&mut word, SECOND);
    replace_first(&mut word, THIRD);
    fourth(&mut word);
    fifth(&mut word);
    word
}

const SECOND: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const THIRD: &[(&str, &str)] = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const FOURTH: &[&str] = &[
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "al", "er", "ic", "ou",
];

fn plurals(word: &mut String) {
    if word.ends_with("sses") || word.ends_with("ies") {
        word.truncate(word.len() - 2);
    } else if word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
}

fn past_and_present(word: &mut String) {
    if word.ends_with("eed") {
        if measure(&word[..word.len() - 3]) > 0 {
            word.pop();
        }
        return;
    }
    let Some(ending) = ["ed", "ing"]
        .into_iter()
        .find(|ending| word.strip_suffix(ending).is_some_and(has_vowel))
    else {
        return;
    };
    word.truncate(word.len() - ending.len());
    let bytes = word.as_bytes();
    let last = bytes.len() - 1;
    if ["at", "bl", "iz"]
        .iter()
        .any(|ending| word.ends_with(ending))
        || measure(word) == 1 && is_short(word)
    {
        word.push('e');
    } else if last > 0
        && bytes[last] == bytes[last - 1]
        && is_consonant(bytes, last)
        && !matches!(bytes[last], b'l' | b's' | b'z')
    {
        word.pop();
    }
}

fn replace_first(word: &mut String, endings: &[(&str, &str)]) {
    let Some((ending, instead)) = endings.iter().find(|(ending, _)| word.ends_with(ending)) else {
        return;
    };
    let rest = word.len() - ending.len();
    if measure(&word[..rest]) > 0 {
        word.replace_range(rest.., instead);
    }
}

fn fourth(word: &mut String) {
    if let Some(rest) = word.strip_suffix("ion")
        && rest.ends_with(['s', 't'])
    {
        if measure(rest) > 1 {
            word.truncate(rest.len());
        }
        return;
    }
    let Some(ending) = FOURTH.iter().find(|ending| word.ends_with(*ending)) else {
        return;
    };
    let rest = word.len() - ending.len();
    if measure(&word[..rest]) > 1 {
        word.truncate(rest);
    }
}

fn fifth(word: &mut String) {
    if let Some(rest) = word.strip_suffix('e') {
        let measure = measure(rest);
        if measure > 1 || measure == 1 && !is_short(rest) {
            word.pop();
        }
    }
    if word.ends_with("ll") && measure(word) > 1 {
        word.pop();
    }
}

fn is_consonant(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => false,
        b'y' => at == 0 || !is_consonant(bytes, at - 1),
        _ => true,
    }
}

fn has_vowel(text: &str) -> bool {
    (0..text.len()).any(|at| !is_consonant(text.as_bytes(), at))
}

/// How often a consonant follows a vowel.
fn measure(text: &str) -> usize {
    let bytes = text.as_bytes();
    (1..bytes.len())
        .filter(|&at| is_consonant(bytes, at) && !is_consonant(bytes, at - 1))
        .count()
}

/// Ends in consonant, vowel, consonant, the last not w, x or y.
fn is_short(text: &str) -> bool {
    let bytes = text.as_bytes();
    let length = bytes.len();
    length >= 3
        && is_consonant(bytes, length - 1)
        && !is_consonant(bytes, length - 2)
        && is_consonant(bytes, length - 3)
        && !matches!(bytes[length - 1], b'w' | b'x' | b'y')
}
