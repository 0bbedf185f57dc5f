//! Laws that hold for any text: no panic, twice is once, no planted secret survives, linear work.

use proptest::prelude::*;

use crate::rule::Find;
use crate::{redact, rules, work};

/// Pieces that mean something to some rule, so that random texts come near its borders.
const PIECES: &[&str] = &[
    "password",
    "PASSWORD",
    "token",
    "api_key",
    "secret",
    "key",
    "auth",
    "=",
    ": ",
    " = ",
    ":",
    "=>",
    "(",
    ")",
    "\"",
    "'",
    "`",
    "\\\"",
    "\\n",
    "\n",
    " ",
    ",",
    ";",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "</",
    "hunter2x",
    "abc",
    "é",
    "日本",
    "://",
    "user:",
    "@host",
    "--",
    "-p ",
    "curl ",
    "-u ",
    "machine ",
    "login ",
    "Bearer ",
    "Basic ",
    "-----BEGIN ",
    "PRIVATE KEY-----",
    "-----END ",
    "eyJ",
    "AKIA",
    "ghp_",
    "sk-",
    "%3D",
    "%",
    "[REDACTED:",
    "[REDACTED:password]",
    "]",
    "$",
    "${",
    "is ",
    "IDENTIFIED BY ",
    "kty",
    "\"d\"",
    "q3Lm9Tz7Xw2Vb5Nc8Qd4Rf6Gh1",
    "0123456789abcdef",
    "YWxhZGRpbjpvcGVuc2VzYW1l",
    "==",
    "+",
    "/",
    "_",
    "-",
    ".",
    "\u{0}",
    "\t",
];

/// Each hit of each rule, and the part of it that must not be seen again.
fn hits() -> Vec<(String, &'static str)> {
    let hits = rules::all().flat_map(|rule| rule.hits.iter().map(move |pieces| (rule, pieces)));
    hits.map(|(rule, pieces)| {
        let longest = pieces.iter().max_by_key(|piece| piece.len());
        let read = pieces
            .get(1)
            .filter(|_| matches!(rule.find, Find::Read(_) | Find::Behind(_)));
        (
            pieces.concat(),
            *read.or(longest).expect("a hit has pieces"),
        )
    })
    .collect()
}

/// Texts of such pieces, of whole secrets and of anything else.
fn texts() -> impl Strategy<Value = String> {
    let secrets: Vec<String> = hits().into_iter().map(|(text, _)| text).collect();
    let part = prop_oneof![
        12 => prop::sample::select(PIECES).prop_map(str::to_owned),
        2 => prop::sample::select(secrets),
        1 => ".{0,12}",
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn twice_is_once(text in texts()) {
        let once = redact(&text);
        let twice = redact(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert_eq!(twice.findings, vec![]);
    }

    #[test]
    fn any_text_at_all_is_taken(text in any::<String>()) {
        let once = redact(&text);
        prop_assert_eq!(once.findings.is_empty(), once.text == text);
    }

    #[test]
    fn no_planted_secret_survives(before in texts(), after in texts(), (hit, secret) in prop::sample::select(hits())) {
        let (before, after) = (before.replace(secret, ""), after.replace(secret, ""));
        let text = format!("{before}\n\n{hit}\n\n{after}");
        let redacted = redact(&text);
        prop_assert!(!redacted.text.contains(secret), "{secret} is still in {}", redacted.text);
    }
}

/// Texts made to send each rule over the same ground again and again.
fn adversaries() -> Vec<String> {
    let mut units: Vec<String> = [
        "password=",
        "password: \"",
        "password = \"a",
        "pass",
        "token=(",
        "api_key.",
        "a",
        "A1",
        "=",
        "\\",
        "\"",
        "'",
        "\\\"",
        "[REDACTED:",
        "[REDACTED:password]",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEAu5Qw8rT1yU\n",
        "eyJ.",
        "eyJhbGciOiJIUzI1NiJ9.",
        "http://a:b",
        "://",
        "curl ",
        "curl -u ",
        "curl -u a:b1b2b3b4 ",
        "machine a login b ",
        "identified by ",
        "identified by '",
        "Bearer a",
        "Basic YWJj",
        "\"d\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"",
        "Private-Lines: 1\n",
        "%41",
        "(",
        "password(\"",
        "\"password\",\"",
        "<password>",
        "password is ",
        "--password ",
        "password x = ",
        "authorization: a ",
        "auth=('a', ",
        "mysql -p ",
        "sshpass -p ",
        "key:key:",
        "x_password_",
        "hunter2 password=",
    ]
    .map(str::to_owned)
    .to_vec();
    units.extend(
        rules::all().flat_map(|rule| rule.anchors.iter().map(|anchor| (*anchor).to_owned())),
    );
    units.extend(
        rules::all()
            .filter(|rule| !matches!(rule.find, Find::Read(_)))
            .flat_map(|rule| {
                rule.hits.iter().map(|pieces| {
                    let secret = pieces.concat();
                    secret[..secret.len() - 1].to_owned()
                })
            }),
    );
    units
}

#[test]
fn work_grows_with_the_length_of_the_text_and_no_faster() {
    const SMALL: usize = 6 * 1024;
    for unit in adversaries() {
        let spent = |len: usize| {
            let text = unit.repeat(len / unit.len());
            work::start();
            redact(&text);
            work::spent()
        };
        let (small, large) = (spent(SMALL), spent(4 * SMALL));
        assert!(
            large <= 5 * small + SMALL,
            "{small} became {large} for {unit:?}"
        );
        assert!(
            small <= 400 * SMALL,
            "{} bytes are looked at for each byte of {unit:?}",
            small / SMALL
        );
    }
}
