//! Is this value a secret, given what its name promises?

use crate::filter::{Case, Filter, Lazy};
use crate::language::Makeup;
use crate::name::Promise;
use crate::placeholder;
use crate::rules;
use crate::words::{self, Words};
use crate::work;

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoting {
    Quoted,
    /// In a place where code would have an expression: `password = value`.
    Bare,
    /// Where no code stands: `NAME=value`, `--name value`, `<name>value</name>`.
    Literal,
    /// In a sentence: `the password is value`.
    Prose,
}

pub(crate) const LONGEST: usize = 4096;
pub(crate) const SHORTEST: usize = 4;
const LONGEST_STAND_IN: usize = 24;

/// Words that stand for a value and are none. Compared whole, in small letters.
static STAND_INS: Words<{ words::count(STAND_INS_TEXT) }> = Words::new(STAND_INS_TEXT);
const STAND_INS_TEXT: &str = "\
    abc abcd admin any api_key apikey auth bar basic baz bearer bool boolean bytes changeit \
    changeme client_secret const credential credentials custom default disabled dummy empty \
    enabled env fake false field file foo foobar hidden hmac input invalid json key local login \
    model my_secret mysecret new nil none null number oauth oauth2 object off on/off optional \
    param pass passphrase passwd password plain private prompt public pw pwd random \
    refresh_token required root sample secret secrets self signed some something static str \
    string super test testing text this token tokens true true/false type undefined unknown \
    unset user username value varchar void wrong wrongpassword yes yes/no";

/// Parts that make a value a description or a template, in any case.
const GIVEAWAYS: &[&str] = &[
    "...",
    "***",
    "example",
    "change_me",
    "change-me",
    "changeme",
    "replace",
    "placeholder",
    "your",
    "insert",
    "dummy",
    "redacted",
    "process.env",
    "os.environ",
    "getenv",
    "secrets.",
    "xxxx",
    "todo",
    "not_a_real",
    "notreal",
];

static FILTER: Lazy<()> =
    Lazy::new(|| Filter::new(GIVEAWAYS.iter().map(|part| (*part, Case::Ignored, ()))));

/// Pairs of marks that open or close the place of a value in a template.
fn is_template_mark(pair: &[u8]) -> bool {
    matches!(
        pair,
        b"${" | b"{{" | b"}}" | b"#{" | b"<%" | b"%>" | b"$(" | b"%s" | b"%(" | b"{}" | b"<<"
    )
}

pub(crate) fn is_secret(value: &[u8], quoting: Quoting, promise: Promise) -> bool {
    if !(SHORTEST..=LONGEST).contains(&value.len()) {
        return false;
    }
    work::note(value.len());
    if quoting == Quoting::Quoted && promise != Promise::Weak && is_packed(value) {
        return true;
    }
    let makeup = Makeup::of(value);
    if makeup.distinct < 3 || is_path_or_call(value) || is_stand_in(value) {
        return false;
    }
    if matches!(quoting, Quoting::Bare | Quoting::Prose) && is_code(value) {
        return false;
    }
    if quoting == Quoting::Prose {
        let mixed = makeup.digits > 0 && makeup.letters() > 0 && makeup.len >= 6;
        return match promise {
            Promise::Strong => mixed && !names_itself(value),
            Promise::Fair => {
                makeup.len >= 16 && is_long_token(&makeup) && !rules::is_sequence(value)
            }
            Promise::Weak => false,
        };
    }
    match promise {
        Promise::Strong => is_password(value, quoting, &makeup),
        Promise::Fair => {
            let typed = quoting == Quoting::Literal && makeup.len >= 8 && is_respelled(value);
            (typed || is_token(quoting, &makeup)) && !rules::is_sequence(value)
        }
        Promise::Weak => {
            is_pair(value, quoting) || is_long_token(&makeup) && !rules::is_sequence(value)
        }
    }
}

/// Is this value a secret in the address of a page? There it is no code, and seldom a word.
pub(crate) fn opens_a_page(value: &[u8], promise: Promise) -> bool {
    if is_secret(value, Quoting::Literal, promise) {
        return true;
    }
    let makeup = Makeup::of(value);
    let least = if promise == Promise::Weak { 12 } else { 6 };
    (least..=LONGEST).contains(&value.len())
        && makeup.distinct >= 4
        && makeup.digits > 0
        && makeup.letters() > 0
        && (promise != Promise::Weak || !makeup.reads_like_words())
        && !is_stand_in(value)
        && !is_path_or_call(value)
}

fn is_password(value: &[u8], quoting: Quoting, makeup: &Makeup) -> bool {
    if makeup.spaces > 0 {
        // Sentences about passwords have spaces too, but they read like words.
        let few = makeup.spaces <= 4 && makeup.foreign == 0;
        return quoting == Quoting::Quoted && few && !makeup.reads_like_words();
    }
    if makeup.foreign > 0 && makeup.digits == 0 {
        return false;
    }
    if is_respelled(value) && (quoting != Quoting::Bare || makeup.len >= 8) {
        return true;
    }
    let names_itself = names_itself(value);
    match quoting {
        // `user_password` names a column; nobody writes one as `supersecretpassword`.
        Quoting::Quoted | Quoting::Literal => {
            !names_itself || makeup.digits > 2 || makeup.small == makeup.len && makeup.len >= 8
        }
        Quoting::Bare | Quoting::Prose => {
            let words = makeup.reads_like_words() && makeup.digits * 5 < makeup.len;
            !(names_itself || words && is_identifier(value))
        }
    }
}

fn is_token(quoting: Quoting, makeup: &Makeup) -> bool {
    let digits_only = makeup.digits == makeup.len && makeup.len >= 9 && makeup.distinct >= 4;
    let typed = makeup.letters() > 0
        && makeup.spaces + makeup.foreign == 0
        && makeup.digits * 4 >= makeup.len;
    let phrase = makeup.letters() == makeup.len && makeup.turns == 0 && makeup.len >= 24;
    let written = quoting != Quoting::Bare && (digits_only || typed || phrase);
    makeup.len >= 8 && (makeup.is_random() || written)
}

fn is_long_token(makeup: &Makeup) -> bool {
    let mixed = makeup.len >= 16 && makeup.digits > 0;
    let long = makeup.len >= 24 && makeup.letters() == makeup.len && !makeup.reads_like_words();
    // A date has digits, marks and two letters.
    makeup.letters() >= 4 && makeup.distinct >= 10 && makeup.is_random() && (mixed || long)
}

/// `user:password` under a name like `auth`.
fn is_pair(value: &[u8], quoting: Quoting) -> bool {
    let Some(colon) = value.iter().position(|byte| *byte == b':') else {
        return false;
    };
    let (user, password) = (&value[..colon], &value[colon + 1..]);
    let plain = |part: &[u8]| {
        part.len() >= 3
            && part.iter().all(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@' | b'!')
            })
    };
    quoting == Quoting::Quoted
        && plain(user)
        && plain(password)
        && password.len() >= 4
        && !is_stand_in(password)
        && !names_itself(password)
}

/// A token inside a JSON object inside a string.
fn is_packed(value: &[u8]) -> bool {
    let object = value.starts_with(b"{") && value.windows(2).any(|part| part == b"\\\"");
    object
        && value
            .split(|byte| !byte.is_ascii_alphanumeric())
            .any(|word| word.len() >= 16 && Makeup::of(word).is_random())
}

fn is_stand_in(value: &[u8]) -> bool {
    let stem = &value[..value.len()
        - value
            .iter()
            .rev()
            .take(2)
            .take_while(|byte| byte.is_ascii_digit())
            .count()];
    let whole = stem.len() <= LONGEST_STAND_IN && STAND_INS.has(&stem.to_ascii_lowercase());
    let wrapped = matches!(
        (value.first(), value.last()),
        (Some(b'<'), Some(b'>'))
            | (Some(b'{'), Some(b'}'))
            | (Some(b'['), Some(b']'))
            | (Some(b'%'), Some(b'%'))
            | (Some(b'('), Some(b')'))
            | (Some(b'@'), Some(b'@'))
            | (Some(b'_'), Some(b'_'))
    );
    let variable = value.starts_with(b"$")
        && !value[1..].contains(&b'$')
        && value[1..]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let crypt_hash = value.starts_with(b"$") && value[1..].split(|byte| *byte == b'$').count() >= 3
        || value.starts_with(b"{CRYPT}")
        || value.starts_with(b"{SSHA");
    let mut giveaway = value.windows(2).any(is_template_mark);
    FILTER.each(value, |_, ()| giveaway = true);
    whole
        || wrapped
        || variable
        || crypt_hash
        || giveaway
        || rules::is_dummy(value)
        || value
            .windows(placeholder::OPENING.len())
            .any(|there| there == placeholder::OPENING.as_bytes())
}

fn is_identifier(value: &[u8]) -> bool {
    !value[0].is_ascii_digit()
        && value.iter().all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'-' | b'.' | b':' | b'@' | b'?' | b'!')
        })
}

/// `hunter2secret`, `Passw0rd`: one word with a digit inside, as people make words into passwords and no one names a variable.
pub(crate) fn is_respelled(value: &[u8]) -> bool {
    /// Words of the trade that have a digit inside.
    const TERMS: [&[u8]; 12] = [
        b"oauth2", b"base64", b"base32", b"sha1", b"sha2", b"sha5", b"md5", b"x509", b"utf8",
        b"http2", b"k8s", b"i18n",
    ];
    let inside = |three: &[u8]| {
        three[0].is_ascii_alphabetic() && three[1].is_ascii_digit() && three[2].is_ascii_lowercase()
    };
    value.len() >= 6
        && value
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'!' | b'@' | b'#'))
        && value.windows(3).any(inside)
        && !TERMS.iter().any(|term| has(value, term))
}

fn has(value: &[u8], part: &[u8]) -> bool {
    value
        .windows(part.len())
        .any(|there| there.eq_ignore_ascii_case(part))
}

/// `user_password`, `NEW_TOKEN`: the name of a variable, a column or a message.
fn names_itself(value: &[u8]) -> bool {
    const PARTS: [&[u8]; 8] = [
        b"pass",
        b"pwd",
        b"secret",
        b"token",
        b"_key",
        b"apikey",
        b"_auth",
        b"credential",
    ];
    PARTS.iter().any(|part| has(value, part))
}

fn is_path_or_call(value: &[u8]) -> bool {
    let starts = |text: &[u8]| value.starts_with(text);
    starts(b"/") && value[1..].contains(&b'/')
        || starts(b"./")
        || starts(b"../")
        || starts(b"~/")
        || starts(b"C:\\")
        || value.windows(3).any(|part| part == b"://")
        || value
            .windows(2)
            .any(|part| matches!(part, b"::" | b"()" | b"->" | b"=>"))
        || starts(b"--")
        || starts(b"0x") && value.len() <= 18
        || ends_like_a_file(value)
}

fn ends_like_a_file(value: &[u8]) -> bool {
    const ENDINGS: [&[u8]; 20] = [
        b".pem", b".key", b".crt", b".txt", b".json", b".yml", b".yaml", b".html", b".js", b".ts",
        b".py", b".go", b".rb", b".java", b".php", b".conf", b".cfg", b".com", b".org", b".local",
    ];
    ENDINGS.iter().any(|ending| value.ends_with(ending))
}

/// What stands in code where a value would: a call, an index, a path of names, a type.
fn is_code(value: &[u8]) -> bool {
    if value.iter().any(|byte| {
        matches!(
            byte,
            b'(' | b'[' | b'{' | b'<' | b'>' | b'*' | b'|' | b'\\' | b')' | b']' | b'}'
        )
    }) {
        return true;
    }
    if names_itself(value) {
        return !is_respelled(value);
    }
    let mut parts = value
        .split(|byte| *byte == b'.' || *byte == b':')
        .filter(|part| !part.is_empty());
    let dotted = value.contains(&b'.');
    dotted
        && parts.all(|part| {
            part[0].is_ascii_alphabetic()
                && part
                    .iter()
                    .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                && Makeup::of(part).digits * 4 < part.len()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Promise::{Fair, Strong, Weak};
    use Quoting::{Bare, Literal, Quoted};

    fn taken(value: &str, quoting: Quoting, promise: Promise) -> bool {
        is_secret(value.as_bytes(), quoting, promise)
    }

    #[test]
    fn a_quoted_literal_under_the_name_of_a_password_is_one() {
        for value in [
            "hunter2",
            "s3cr3tPa55",
            "tr0ub4dor&3",
            "letmein!",
            "iiqn190226",
        ] {
            assert!(taken(value, Quoted, Strong), "{value}");
            assert!(taken(value, Literal, Strong), "{value}");
        }
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(STAND_INS.is_sorted());
    }

    #[test]
    fn templates_variables_and_stand_ins_are_not() {
        for value in [
            "${DB_PASSWORD}",
            "<password>",
            "changeme",
            "$PASSWORD",
            "{{ password }}",
            "xxxxxxxx",
            "your-password",
            "%s",
            "password",
            "user_password",
            "********",
            "process.env.PASS",
        ] {
            assert!(!taken(value, Quoted, Strong), "{value}");
        }
    }

    #[test]
    fn code_is_not() {
        for value in [
            "get_password()",
            "config.password",
            "str",
            "String",
            "args[1]",
            "user.getPassword",
            "Optional<String>",
            "self.password",
        ] {
            assert!(!taken(value, Bare, Strong), "{value}");
        }
    }

    #[test]
    fn a_word_with_a_digit_inside_is_a_password_though_it_names_one() {
        for value in ["hunter2secret", "Passw0rd", "S3cretPass"] {
            assert!(taken(value, Literal, Strong), "{value}");
            assert!(taken(value, Bare, Strong), "{value}");
            assert!(taken(value, Literal, Fair), "{value}");
            assert!(!taken(value, Bare, Fair), "{value}");
        }
        for value in ["oauth2token", "user1Password", "user_pass2word", "pass1"] {
            assert!(!taken(value, Bare, Strong), "{value}");
        }
    }

    #[test]
    fn a_long_token_is_one() {
        let token: String = (0..2000_u32)
            .map(|n| char::from(b"q3Lm9Tz7Xw2Vb5Nc8Qd4Rf6Gh1"[(n * n % 26) as usize]))
            .collect();
        assert!(taken(&token, Quoted, Fair));
    }

    #[test]
    fn a_token_must_look_generated() {
        assert!(taken("g3mhx54VqJmdwKxA", Quoted, Fair));
        assert!(taken("g3mhx54VqJmdwKxA", Quoted, Weak));
        assert!(!taken("refresh", Quoted, Fair));
        assert!(!taken("with;semicolon", Quoted, Weak));
        assert!(!taken("databaseName", Quoted, Weak));
    }
}
