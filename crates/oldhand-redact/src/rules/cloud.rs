//! Keys of cloud providers.

use crate::kind::SecretKind;
use crate::rule::{Rule, TOKEN};
use crate::shape::{BASE32, URL_SAFE, exactly};

pub(super) const RULES: &[Rule] = &[
    Rule {
        kind: SecretKind::AwsAccessKey,
        anchors: &["AKIA", "ASIA", "ABIA", "ACCA"],
        after: &[exactly(BASE32, 16)],
        hits: &[&["AKIA", "Q3EGRIPW7XZLC2TM"], &["ASIA", "Y34FZKBOKMUTVV7A"]],
        misses: &[
            concat!("AKIA", "IOSFODNN7EXAMPLE"),
            "AKIAXXXXXXXXXXXXXXXX",
            "ASIA is a continent",
            "AKIAQ3EGRIPW7XZLC2T",
        ],
        ..TOKEN
    },
    Rule {
        kind: SecretKind::GcpApiKey,
        anchors: &["AIza"],
        after: &[exactly(URL_SAFE, 35)],
        hits: &[&["AIza", "SyBx7Qd2-kLm9_Rt4VwZ1pNc6Hs8JfGe3Ua"]],
        misses: &[
            "AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
            "AIza is a prefix",
        ],
        ..TOKEN
    },
];
