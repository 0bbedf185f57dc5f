//! Words as they have to be typed, and those that are not told: places of one machine, and what may be a secret.

use super::place::At;

/// What stands for something that is not told.
pub(super) const UNTOLD: &str = "…";

/// A word as it has to be typed; none that a shell would fill in, that names a place of one machine or may be a secret.
pub(super) fn quoted(word: &str, at: At<'_>) -> Option<String> {
    let typed = match word.split_once('=') {
        Some((option, _)) if is_secret(option) => return None,
        Some((option, value)) if option.starts_with('-') => {
            format!("{option}={}", at.path(value)?)
        }
        _ => at.path(word)?,
    };
    if is_private(&typed) {
        return None;
    }
    in_quotes(&typed)
}

/// The same, with a mark for what is not told.
pub(super) fn marked(word: &str, at: At<'_>) -> String {
    let option = word.split_once('=').filter(|(name, _)| is_plain(name));
    let typed = quoted(word, at).or_else(|| option.map(|(name, _)| format!("{name}={UNTOLD}")));
    typed.unwrap_or_else(|| UNTOLD.to_owned())
}

fn in_quotes(typed: &str) -> Option<String> {
    if is_plain(typed) {
        return Some(typed.to_owned());
    }
    let is_quotable = |c: char| is_plain_char(c) || matches!(c, ' ' | '(' | ')');
    let is_words = typed.chars().all(is_quotable) && typed.len() <= 80 && !typed.is_empty();
    is_words.then(|| format!("'{typed}'"))
}

pub(super) fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(is_plain_char)
}

fn is_plain_char(c: char) -> bool {
    c.is_alphanumeric() || "-_./:=,@+*%".contains(c)
}

/// Whether what is called so may be a secret, or a place that only one person has.
pub(super) fn is_secret(name: &str) -> bool {
    let is_option = name.starts_with('-');
    let name = name.to_ascii_uppercase();
    let steps: Vec<&str> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|step| !step.is_empty())
        .collect();
    let holds = [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSCODE",
        "PASSPHRASE",
        "COOKIE",
        "CREDENTIAL",
    ];
    let ends = ["KEY", "PWD", "AUTH", "CRED", "CREDS", "DSN", "URL", "URI"];
    let is_one = |step: &&str| {
        holds.iter().any(|part| step.contains(part))
            || ends.iter().any(|part| step.ends_with(part))
            || matches!(*step, "PAT" | "PIN" | "USER" | "USERNAME" | "LOGIN" | "EMAIL")
            // Sessions of nox are none of anybody.
            || !is_option && step.contains("SESSION")
    };
    let last = steps.last().copied().unwrap_or_default();
    steps.iter().any(is_one) || last.ends_with("PASS") && last != "BYPASS"
}

/// Whether a word names a place of one machine, a person, or a thing by what one machine calls it.
fn is_private(word: &str) -> bool {
    let mut pieces = word.split([',', '=', ':', ' ']);
    let is_place = |piece: &str| piece.starts_with('/') && !piece.starts_with("//");
    // `-I/opt/include`
    let is_behind = word.starts_with('-') && word.chars().nth(2) == Some('/');
    let is_id = |piece: &str| {
        let is_of_id = |c: char| c.is_ascii_hexdigit() || c == '-';
        let has = |is: fn(&char) -> bool| piece.chars().any(|c| is(&c));
        let is_mixed = has(char::is_ascii_digit) && has(char::is_ascii_alphabetic);
        piece.len() >= 12 && piece.chars().all(is_of_id) && is_mixed
    };
    let is_homes = |step: &str| matches!(step, "home" | "Users");
    let is_person = word.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains(|c: char| c.is_alphabetic()) && host.contains('.')
    });
    let mut set = word
        .split([',', ' '])
        .filter_map(|part| part.rsplit_once('='));
    is_behind
        || is_person
        || word.split('/').skip(1).any(is_homes)
        || pieces.any(is_place)
        || word.split(['=', ',', '/', ':', ' ']).any(is_id)
        || set.any(|(names, _)| names.split('=').any(is_secret))
}
