//! Private keys and signed tokens: what has a form of its own, whoever issued it.

use crate::filter::Case;
use crate::kind::SecretKind;
use crate::read::{jwt, key_block};
use crate::rule::{Find, Rule};
use crate::shape::{BASE64_PADDED, run};

pub(super) const RULES: &[Rule] = &[
    Rule {
        kind: SecretKind::PrivateKey,
        anchors: &["-----BEGIN"],
        case: Case::Exact,
        find: Find::Read(key_block::pem),
        hits: &[
            &[
                "-----BEGIN ",
                "RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAu5Qw8rT1yUiOpAsDfGhJkLzXcVbNm\n",
                "k9l8Jh7Gf6Ds5Aq4Zw3Xe2==\n-----END RSA PRIVATE KEY-----",
            ],
            &[
                "-----BEGIN ",
                "OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n",
                "-----END OPENSSH PRIVATE KEY-----\nafter",
            ],
            &[
                "-----BEGIN ",
                "PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg",
            ],
        ],
        misses: &[
            concat!(
                "-----BEGIN ",
                "PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----"
            ),
            "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
            "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
            concat!("looks for -----BEGIN ", "RSA PRIVATE KEY----- in a file"),
        ],
    },
    Rule {
        kind: SecretKind::PgpPrivateKey,
        anchors: &["-----BEGIN PGP"],
        case: Case::Exact,
        find: Find::Read(key_block::pem),
        hits: &[&[
            "-----BEGIN ",
            "PGP PRIVATE KEY BLOCK-----\n\nlQOYBF0qPzUBCADK3Lm9Tz7Xw2Vb5Nc8Qd4Rf6\n",
            "=a1Bc\n-----END PGP PRIVATE KEY BLOCK-----",
        ]],
        misses: &[
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\nmQENBF0qPzUBCADK3Lm9Tz7Xw2Vb5Nc8Qd4Rf6\n-----END PGP PUBLIC KEY BLOCK-----",
        ],
    },
    Rule {
        kind: SecretKind::PuttyKey,
        anchors: &["Private-Lines: "],
        case: Case::Exact,
        find: Find::Read(key_block::putty),
        hits: &[&[
            "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n",
            "AAABAQCk3Lm9Tz7Xw2Vb5Nc8Qd4Rf6\nGh1Jk8Lp0Zx==\n",
            "Private-MAC: 00",
        ]],
        misses: &["Private-Lines: 14"],
    },
    Rule {
        kind: SecretKind::PrivateKey,
        anchors: &["LS0tLS1CRUdJTi"],
        case: Case::Exact,
        find: Find::Checked(
            &[run(BASE64_PADDED, 60, 64 * 1024)],
            key_block::is_encoded_private_key,
        ),
        hits: &[&[
            "LS0tLS1CRUdJTi",
            "BSU0EgUFJJVkFURSBLRVktLS0tLQpaWU1tTE9QSXdGUXVZaHJzaUY4bmZNYXVubE55NXlYMFkzck5KZHFMMmtWRjh0aHJ4RmVVWkNSakFiTlg3aUZk",
        ]],
        misses: &[
            "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURkekNDQWwrZ0F3SUJBZ0lFQWdBQXVUQU5CZ2txaGtpRzl3MEJBUVVG",
        ],
    },
    Rule {
        kind: SecretKind::JsonWebKey,
        anchors: &[
            "\"d\"", "\"k\"", "\"p\"", "\"q\"", "\"dp\"", "\"dq\"", "\"qi\"", "\"d\\\"", "\"k\\\"",
        ],
        case: Case::Exact,
        find: Find::Read(key_block::json_web_key),
        hits: &[&[
            "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"abc\",\"d\":\"",
            "Z7GtQbU4WWEOCV81K2LSnAwqRzZHb4gzQt8HQT0PMPS",
            "\"}",
        ]],
        misses: &[
            "{\"d\": \"Z7GtQbU4WWEOCV81K2LSnAwqRzZHb4gzQt8HQT0PMPS\"}",
            "{\"kty\":\"EC\",\"d\":\"short\"}",
        ],
    },
    Rule {
        kind: SecretKind::Jwt,
        anchors: &["eyJ"],
        case: Case::Exact,
        find: Find::Read(jwt::read),
        hits: &[&[
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
            ".",
            "eyJzdWIiOiI0MjQyIiwibmFtZSI6IlRlc3QifQ",
            ".",
            "q3Lm9Tz7Xw2Vb5Nc8Qd4Rf6Gh1Jk8Lp0Zx_-aB",
        ]],
        misses: &[
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
            "eyJ.eyJ.eyJ",
            "eyJmb28iOiJiYXIifQ.eyJmb28iOiJiYXIifQ.abcdefghijk",
        ],
    },
];
