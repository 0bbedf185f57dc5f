//! Keys of payment and shop services.

use crate::filter::Case;
use crate::kind::SecretKind;
use crate::rule::{Find, Rule};
use crate::shape::{
    ALNUM, BASE64_PADDED, HEX, HEX_SMALL, Part, SMALL_DIGIT, URL_SAFE, exactly, run,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        kind: SecretKind::StripeKey,
        anchors: &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        case: Case::Exact,
        find: Find::Token(&[run(ALNUM, 16, 248)]),
        hits: &[
            &["sk_live_", "6aDzEQquX5WP6jFatBZZZTaf"],
            &[
                "rk_test_",
                "qY9Kl76zrxs7oRjHL7LTz5lGXKluXwO1eN2DxUfkE3RMXca1NmZbghmgseol",
                "9VJYaCZye5XKjlqLZ0Rroa2NpdkZyWr9jsGrCNy",
            ],
        ],
        misses: &["sk_test_xxxxxxxxxxxxxxxxxxxxxxxx", "sk_live_key"],
    },
    Rule {
        kind: SecretKind::StripeWebhookSecret,
        anchors: &["whsec_"],
        case: Case::Exact,
        find: Find::Token(&[run(BASE64_PADDED, 24, 64)]),
        hits: &[&["whsec_", "VmfDytWrlJSjyyCz7Sd56qZggOFy5EbW"]],
        misses: &["whsec_secret"],
    },
    Rule {
        kind: SecretKind::SquareToken,
        anchors: &["sq0atp-", "sq0csp-", "sq0idb-"],
        case: Case::Exact,
        find: Find::Token(&[run(URL_SAFE, 22, 43)]),
        hits: &[
            &["sq0atp-", "sIfd1l0RQObgz_VA9Z2Gmo"],
            &["sq0csp-", "EW4H60NN-lxCyZhxRHAIScklbrGWeru-FDk2cf4k3vS"],
        ],
        misses: &["sq0atp-token"],
    },
    Rule {
        kind: SecretKind::SquareToken,
        anchors: &["EAAA"],
        case: Case::Exact,
        find: Find::Token(&[exactly(URL_SAFE, 60)]),
        hits: &[&[
            "EAAA",
            "GKmY5bKbpUHgTG66vwAroBX2YJJLlEhfSasg39mIpEOPmMUAAoaoSwxqUDiY",
        ]],
        misses: &["EAAA"],
    },
    Rule {
        kind: SecretKind::PaypalToken,
        anchors: &["access_token$production$", "access_token$sandbox$"],
        case: Case::Exact,
        find: Find::Token(&[
            exactly(SMALL_DIGIT, 16),
            Part::Text("$"),
            exactly(HEX_SMALL, 32),
        ]),
        hits: &[&[
            "access_token$production$",
            "ldbsuhuajqcqtct5",
            "$",
            "8a7fabf31d18c38378b59b6abf3e450f",
        ]],
        misses: &["access_token$sandbox$merchant"],
    },
    Rule {
        kind: SecretKind::ShopifyToken,
        anchors: &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"],
        case: Case::Exact,
        find: Find::Token(&[exactly(HEX, 32)]),
        hits: &[&["shpat_", "106f01194926fcfa607a655cb61a5f65"]],
        misses: &["shpat_token"],
    },
    Rule {
        kind: SecretKind::RazorpayKey,
        anchors: &["rzp_live_", "rzp_test_"],
        case: Case::Exact,
        find: Find::Token(&[exactly(ALNUM, 14)]),
        hits: &[&["rzp_live_", "vdgIjWhxCZiPBp"]],
        misses: &["rzp_test_key"],
    },
    Rule {
        kind: SecretKind::PlaidKey,
        anchors: &[
            "access-sandbox-",
            "access-development-",
            "access-production-",
        ],
        case: Case::Exact,
        find: Find::Token(&[
            exactly(HEX_SMALL, 8),
            Part::Text("-"),
            exactly(HEX_SMALL, 4),
            Part::Text("-"),
            exactly(HEX_SMALL, 4),
            Part::Text("-"),
            exactly(HEX_SMALL, 4),
            Part::Text("-"),
            exactly(HEX_SMALL, 12),
        ]),
        hits: &[&[
            "access-production-",
            "69e02049-fb04-5dec",
            "-f71a-d9a825ada20f",
        ]],
        misses: &["access-sandbox-token"],
    },
];
