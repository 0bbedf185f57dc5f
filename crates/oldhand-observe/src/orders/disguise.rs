//! Ways to write words so that only a machine reads them.

use oldhand_domain::text::{is_hidden, seen_in};

/// Whether characters that nobody sees stand where they can only hide something: directions turned round, letters of the tag block,
/// words cut in two by nothing, pictures with more than one way to be drawn.
pub(super) fn hides(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let at = |place: usize| chars.get(place).copied();
    let is_letter = |char: Option<char>| char.is_some_and(|char| char.is_ascii_alphanumeric());
    let mut selectors = 0;
    chars.iter().enumerate().any(|(place, char)| {
        let before = place.checked_sub(1).and_then(at);
        selectors = if is_selector(*char) { selectors + 1 } else { 0 };
        match *char {
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{1b}' | '\u{8}' => true,
            '\u{e0000}'..='\u{e007f}' => before != Some('\u{1f3f4}') && !is_flag(&chars[..place]),
            '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}' => {
                is_letter(before) && is_letter(at(place + 1))
            }
            _ => selectors > 1,
        }
    })
}

fn is_selector(char: char) -> bool {
    matches!(char, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether the last picture is a flag that is spelled with tags: no more than six letters and an end.
fn is_flag(before: &[char]) -> bool {
    let tags = before
        .iter()
        .rev()
        .take_while(|char| matches!(char, '\u{e0000}'..='\u{e007f}'))
        .count();
    let flag = before
        .len()
        .checked_sub(tags + 1)
        .map(|place| before[place]);
    tags <= 6 && flag == Some('\u{1f3f4}')
}

/// The text in lower case without what hides, and with letters of other scripts that pass for Latin ones in a Latin word as those.
pub(super) fn unmasked(text: &str) -> String {
    let is_unseen =
        |char: char| char != '\n' && char != '\t' && (is_hidden(char) || is_selector(char));
    let seen: String = seen_in(text, is_unseen)
        .flatten()
        .map(|char| match char {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(char) - 0xfee0).unwrap_or(char),
            '\u{2019}' | '\u{2018}' => '\'',
            other => other,
        })
        .collect();
    let mut plain = String::with_capacity(seen.len());
    for word in seen.split_inclusive(|char: char| !char.is_alphanumeric()) {
        let latin = word.chars().any(|char| char.is_ascii_alphabetic());
        let passes = |char: char| if latin { latin_of(char) } else { char };
        plain.extend(word.chars().map(passes).flat_map(char::to_lowercase));
    }
    plain
}

fn latin_of(char: char) -> char {
    match char {
        'а' | 'А' | 'α' | 'Α' => 'a',
        'е' | 'Е' | 'ё' | 'ε' | 'Ε' => 'e',
        'о' | 'О' | 'ο' | 'Ο' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'с' | 'С' | 'ϲ' => 'c',
        'у' | 'У' | 'γ' => 'y',
        'х' | 'Х' | 'χ' => 'x',
        'і' | 'І' | 'ι' | 'Ι' | 'ı' => 'i',
        'ѕ' | 'Ѕ' => 's',
        'ј' | 'Ј' => 'j',
        'ԁ' => 'd',
        'һ' | 'Н' | 'Η' => 'h',
        'м' | 'М' | 'Μ' => 'm',
        'т' | 'Т' | 'τ' | 'Τ' => 't',
        'к' | 'К' | 'κ' | 'Κ' => 'k',
        'в' | 'В' | 'Β' => 'b',
        'п' | 'η' => 'n',
        'ν' => 'v',
        'ɡ' => 'g',
        'υ' => 'u',
        other => other,
    }
}

/// The shortest encoded run that can hold an order.
const SHORTEST: usize = 24;

/// Whether a run of letters and digits is words in base64 or hexadecimal. Hashes, keys and ids are not words when they are decoded.
pub(super) fn decoded(text: &str) -> bool {
    let is_digit =
        |char: char| char.is_ascii_alphanumeric() || matches!(char, '+' | '/' | '=' | '-' | '_');
    let escaped: String = text.replace("\\x", "").replace('%', "");
    [text, &escaped].into_iter().any(|text| {
        text.split(|char| !is_digit(char))
            .filter(|run| run.len() >= SHORTEST)
            .any(|run| {
                let run = run.trim_end_matches('=');
                from_hex(run).is_some_and(|bytes| is_words(&bytes))
                    || (0..4).any(|skip| {
                        let part = run.get(skip..).unwrap_or_default();
                        from_base64(part).is_some_and(|bytes| is_words(&bytes))
                    })
            })
    })
}

fn from_hex(run: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = run
        .chars()
        .map(|char| char.to_digit(16).map(|digit| digit as u8))
        .collect();
    Some(
        digits?
            .chunks_exact(2)
            .map(|pair| pair[0] * 16 + pair[1])
            .collect(),
    )
}

fn from_base64(run: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(run.len() * 3 / 4);
    let (mut held, mut bits) = (0_u32, 0);
    for char in run.bytes() {
        let value = match char {
            b'A'..=b'Z' => char - b'A',
            b'a'..=b'z' => char - b'a' + 26,
            b'0'..=b'9' => char - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(value)) & 0xff_ffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    Some(bytes)
}

/// Whether bytes read as a sentence: nothing but printable text, with at least two spaces between letters.
fn is_words(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let words = text.split(' ').filter(|word| !word.is_empty()).count();
    let letters = text
        .chars()
        .filter(|char| char.is_alphabetic() || *char == ' ')
        .count();
    words >= 3
        && !text
            .chars()
            .any(|char| char.is_control() && !char.is_whitespace())
        && letters * 10 >= text.chars().count() * 8
}
