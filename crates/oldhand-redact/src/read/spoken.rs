//! Passwords that a sentence names in another language than English: 「パスワードは…」, "la contraseña es …".

use crate::kind::SecretKind;
use crate::name::Promise;
use crate::placeholder;
use crate::read::literal;
use crate::rule::Reading;
use crate::span::{Span, Surety};
use crate::value::{self, Quoting};

pub(crate) const NAMES: &[&str] = &[
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "mot de passe",
    "contraseña",
    "senha",
];

/// What stands between the name and the value, beside blanks.
const BETWEEN: [&str; 17] = [
    ":", "：", "=", "是", "为", "為", "は", "이", "가", "은", "는", "est ", "es ", "era ", "é ",
    "「", "“",
];
const MOST_BETWEEN: usize = 6;

/// The value behind one of [`NAMES`].
pub(crate) fn read(text: &[u8], at: usize) -> Reading {
    let is_here = |name: &&&str| {
        let there = text.get(at..at + name.len());
        there.is_some_and(|there| there.eq_ignore_ascii_case(name.as_bytes()))
    };
    let Some(name) = NAMES.iter().find(is_here) else {
        return Reading::nothing(at + 1);
    };
    let behind = at + name.len();
    // "Desenha" draws; the `n` of an escaped line break is no part of a word.
    let is_part = match text[..at] {
        [.., b'\\', b'n' | b't' | b'r'] | [] => false,
        [.., before] => name.is_ascii() && before.is_ascii_alphabetic(),
    };
    let start = value_at(text, behind);
    if is_part || start == behind {
        return Reading::nothing(behind);
    }
    let (range, quoting) = if let Some(range) = literal::quoted(text, start) {
        (range, Quoting::Quoted)
    } else {
        let bare = literal::bare(text, start);
        // What follows a value is written on to it: 「hunter2xを使う」.
        let own = text[bare.clone()].iter().take_while(|byte| byte.is_ascii());
        let end = start + own.count();
        (literal::without_full_stop(text, start..end), Quoting::Prose)
    };
    let is_hidden = text[range.start..].starts_with(placeholder::OPENING.as_bytes());
    if is_hidden
        || range.len() < value::SHORTEST
        || !value::is_secret(&text[range.clone()], quoting, Promise::Strong)
    {
        return Reading::nothing(behind);
    }
    Reading::found(Span {
        start: range.start,
        end: range.end,
        kind: SecretKind::Password,
        surety: Surety::Named,
    })
}

/// Where the value begins.
fn value_at(text: &[u8], behind: usize) -> usize {
    let mut at = behind;
    for _ in 0..MOST_BETWEEN {
        let rest = &text[at..];
        let mark = BETWEEN
            .iter()
            .find(|mark| rest.starts_with(mark.as_bytes()));
        at += match (mark, rest.first()) {
            (Some(mark), _) => mark.len(),
            (None, Some(b' ' | b'\t')) => 1,
            _ => break,
        };
    }
    at
}
