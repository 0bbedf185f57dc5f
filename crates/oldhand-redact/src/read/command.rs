//! Passwords on command lines and in the files of command line tools.

use std::ops::Range;

use crate::kind::SecretKind;
use crate::name::Promise;
use crate::read::literal;
use crate::rule::Reading;
use crate::span::{Span, Surety};
use crate::value::{self, Quoting};
use crate::work;

const MOST: usize = 1024;

/// `curl … -u user:password`: the user stays.
pub(crate) fn curl(text: &[u8], at: usize) -> Reading {
    let flags: [&[u8]; 5] = [b" -u ", b" -u", b" --user ", b" --user=", b" --proxy-user "];
    let start = match after_flag(text, at, &flags) {
        Ok(start) => start,
        Err(line_end) => return Reading::nothing(line_end),
    };
    let pair = argument(text, start);
    let Some(colon) = text[pair.clone()].iter().position(|byte| *byte == b':') else {
        return Reading::nothing(pair.end);
    };
    found(text, pair.start + colon + 1..pair.end)
}

/// `sshpass -p password`, `redis-cli -a password`, `docker login -p password`.
pub(crate) fn short_flag(text: &[u8], at: usize) -> Reading {
    let flag: &[u8] = if text[at..].starts_with(b"redis-cli") {
        b" -a "
    } else {
        b" -p "
    };
    match after_flag(text, at, &[flag]) {
        Ok(start) => found(text, argument(text, start)),
        Err(line_end) => Reading::nothing(line_end),
    }
}

/// `BasicAuth("user", "password")`: the second argument.
pub(crate) fn second_argument(text: &[u8], at: usize) -> Reading {
    let Some(open) = text[at..].iter().take(24).position(|byte| *byte == b'(') else {
        return Reading::nothing(at + 1);
    };
    let user = at + open + 1;
    let Some(user_range) = literal::quoted(text, user) else {
        return Reading::nothing(user);
    };
    let comma = user_range.end + literal::quote_len(text, user_range.end);
    let start = comma + 1 + usize::from(text.get(comma + 1) == Some(&b' '));
    let password = if text.get(comma) == Some(&b',') {
        literal::quoted(text, start)
    } else {
        None
    };
    password.map_or(Reading::nothing(comma), |password| found(text, password))
}

/// `mysql -ppassword`: the flag and the password are one word.
pub(crate) fn joined_flag(text: &[u8], at: usize) -> Reading {
    match after_flag(text, at, &[b" -p"]) {
        Ok(start) if text.get(start).is_some_and(u8::is_ascii_graphic) => {
            found(text, argument(text, start))
        }
        Ok(start) | Err(start) => Reading::nothing(start),
    }
}

/// `machine host login user password word`, as in `.netrc`.
pub(crate) fn netrc(text: &[u8], at: usize) -> Reading {
    let end = text.len().min(at + MOST);
    let mut offset = at;
    let mut words = text[at..end]
        .split_inclusive(u8::is_ascii_whitespace)
        .map(|word| {
            let start = offset;
            offset += word.len();
            start..start + word.trim_ascii_end().len()
        });
    let mut words = words
        .by_ref()
        .filter(|word| !word.is_empty())
        .skip(2)
        .take(6);
    let mut read = at + "machine".len();
    while let (Some(name), Some(value)) = (words.next(), words.next()) {
        match &text[name] {
            b"login" | b"account" => read = value.end,
            // The next entry, after a password that is missing.
            b"password" if text[value.clone()] == *b"machine" => {
                return Reading::nothing(value.start);
            }
            b"password" => return found(text, value),
            _ => break,
        }
    }
    Reading::nothing(read)
}

/// SQL's `IDENTIFIED BY 'password'` and `IDENTIFIED WITH plugin BY 'password'`.
pub(crate) fn identified_by(text: &[u8], at: usize) -> Reading {
    let near = &text[..text.len().min(at + 96)];
    let start = match after_flag(near, at, &[b" by ", b" BY "]) {
        Ok(start) | Err(start) => start,
    };
    // Prose puts the name of a thing between backticks.
    if text.get(start) == Some(&b'`') || literal::quote_len(text, start) == 0 {
        return Reading::nothing(at + "identified".len());
    }
    found(text, argument(text, start))
}

/// PowerShell's `ConvertTo-SecureString "password"`.
pub(crate) fn secure_string(text: &[u8], at: usize) -> Reading {
    let mut start = at + "securestring".len();
    for word in [&b" -string"[..], b" "] {
        if text
            .get(start..start + word.len())
            .is_some_and(|there| there.eq_ignore_ascii_case(word))
        {
            start += word.len();
        }
    }
    match literal::quoted(text, start) {
        Some(range) => found(text, range),
        None => Reading::nothing(start),
    }
}

fn found(text: &[u8], range: Range<usize>) -> Reading {
    if !value::is_secret(&text[range.clone()], Quoting::Literal, Promise::Strong) {
        return Reading::nothing(range.end);
    }
    Reading::found(Span {
        start: range.start,
        end: range.end,
        kind: SecretKind::CommandPassword,
        surety: Surety::Placed,
    })
}

/// Where the value of the first of `flags` on the command line at `at` starts, or where the line ends. A backslash
/// before the line break goes on with the line.
fn after_flag(text: &[u8], at: usize, flags: &[&[u8]]) -> Result<usize, usize> {
    let rest = &text[at..text.len().min(at + MOST)];
    for (offset, byte) in rest.iter().enumerate() {
        work::note(1);
        match byte {
            b'\n' if !rest[..offset].ends_with(b"\\") => return Err(at + offset),
            b' ' => {
                let flag = flags.iter().find(|flag| rest[offset..].starts_with(flag));
                if let Some(flag) = flag {
                    return Ok(at + offset + flag.len());
                }
            }
            _ => {}
        }
    }
    Err(at + rest.len())
}

fn argument(text: &[u8], at: usize) -> Range<usize> {
    if literal::quote_len(text, at) > 0 {
        return literal::quoted(text, at).unwrap_or(at..at);
    }
    literal::bare(text, at)
}
