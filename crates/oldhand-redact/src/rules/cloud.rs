//! Keys of cloud providers.

use crate::filter::Case;
use crate::kind::SecretKind;
use crate::rule::{Find, Rule};
use crate::shape::{
    ALNUM, BASE32, BASE64, BASE64_PADDED, Class, HEX_SMALL, Part, SMALL_DIGIT, URL_SAFE, exactly,
    run,
};

const AZURE: Class = Class::of("0-9A-Za-z_~.-");

pub(super) const RULES: &[Rule] = &[
    Rule {
        kind: SecretKind::AwsAccessKey,
        anchors: &["AKIA", "ASIA", "ABIA", "ACCA"],
        case: Case::Exact,
        find: Find::Token(&[exactly(BASE32, 16)]),
        hits: &[&["AKIA", "VQJXXVBOTHD2WTFL"], &["ASIA", "HBMUAPTT2ZN5X2PD"]],
        misses: &[
            concat!("AKIA", "IOSFODNN7EXAMPLE"),
            "AKIAXXXXXXXXXXXXXXXX",
            "ASIA is a continent",
        ],
    },
    Rule {
        kind: SecretKind::AwsSessionToken,
        anchors: &["FwoGZXIvYXdz", "IQoJb3JpZ2lu"],
        case: Case::Exact,
        find: Find::Token(&[run(BASE64_PADDED, 80, 2048)]),
        hits: &[&[
            "IQoJb3JpZ2lu",
            "4VJWDBt2hWdQZUm14QhoxhLPAbQcEFUV2fsjGHb6HrlEOS47WgjKCu/0xxKh",
            "g5QjWV1mKaUyvBPs0jSO2Jkf08MMF1ulMMCw3XVy27dFanUrOSE62chn4xde",
            "Jg1Kza5KxxGWfvmaQtKnP/VSGVBrYSuIb9OZiFZq",
        ]],
        misses: &["IQoJb3JpZ2lu is how they start"],
    },
    Rule {
        kind: SecretKind::AwsAccessKey,
        anchors: &["amzn.mws."],
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
        hits: &[&["amzn.mws.", "995efeba-9032-050d", "-09c5-892503e12b47"]],
        misses: &["amzn.mws.token"],
    },
    Rule {
        kind: SecretKind::GcpApiKey,
        anchors: &["AIza"],
        case: Case::Exact,
        find: Find::Token(&[exactly(URL_SAFE, 35)]),
        hits: &[&["AIza", "TOsj-LnZ5R_j-8U-m7aSz7NRSOtv75y4SXp"]],
        misses: &["AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"],
    },
    Rule {
        kind: SecretKind::GcpOauthToken,
        anchors: &["ya29."],
        case: Case::Exact,
        find: Find::Token(&[run(Class::of("0-9A-Za-z_.-"), 30, 1024)]),
        hits: &[&[
            "ya29.",
            "LrwLbAtf6e9cpCGybY9lMR4pAwBp3GVy1PixOqoRGrB5Vpg5C6QsyHZytfqY",
            "6K1Qjah8",
        ]],
        misses: &["ya29.a0short"],
    },
    Rule {
        kind: SecretKind::GcpOauthToken,
        anchors: &["1//0"],
        case: Case::Exact,
        find: Find::Token(&[run(URL_SAFE, 60, 400)]),
        hits: &[&[
            "1//0",
            "rXd3eOa1Zcc-a4CgOFfqRgz7IhYePP2lny2pg17_dUM2jNKogorTAuRVpQ09",
            "oiVeZWJ9QyucS19AvMp2gUAeSsUfFgUl8oPK_L",
        ]],
        misses: &["1//0 is no division"],
    },
    Rule {
        kind: SecretKind::GcpOauthSecret,
        anchors: &["GOCSPX-"],
        case: Case::Exact,
        find: Find::Token(&[run(URL_SAFE, 24, 32)]),
        hits: &[&["GOCSPX-", "045P-ED75cNRqsKz5b70CO8W7RQ3"]],
        misses: &["GOCSPX-your-secret"],
    },
    Rule {
        kind: SecretKind::AzureStorageKey,
        anchors: &[
            "AccountKey=",
            "accountKey=",
            "SharedAccessKey=",
            "sharedAccessKey=",
        ],
        case: Case::Exact,
        find: Find::Behind(&[run(BASE64, 42, 88), Part::Run(Class::of("="), 1, 2)]),
        hits: &[
            &[
                "AccountKey=",
                "l2Yp+ptzsJqLOJqu3g9DYpQaxEN+cNljiRkV71kDRuIr2jhTxs+OHKDpnJh/",
                "rgiOaPq/N9RtlnnudSkpmKog0h",
                "==",
            ],
            &[
                "SharedAccessKey=",
                "xvaQcT7xl2cwC6dT0ctPVnaawqrczLJWImKMG4hEbuo",
                "=",
            ],
        ],
        misses: &["AccountKey=your-key", "SharedAccessKey=$KEY"],
    },
    Rule {
        kind: SecretKind::AzureClientSecret,
        anchors: &[
            "0Q~", "1Q~", "2Q~", "3Q~", "4Q~", "5Q~", "6Q~", "7Q~", "8Q~", "9Q~",
        ],
        case: Case::Exact,
        find: Find::Around(&[exactly(AZURE, 3)], &[run(AZURE, 31, 34)]),
        hits: &[&["3GI", "8Q~", "0uoV6vGTFN4g3AfCK9eVGViflxutnrYecp"]],
        misses: &["a8Q~short"],
    },
    Rule {
        kind: SecretKind::AzureSas,
        anchors: &["&sig=", "?sig="],
        case: Case::Exact,
        find: Find::Behind(&[
            run(Class::of("0-9A-Za-z+/%"), 43, 64),
            Part::Maybe(&Part::Text("=")),
        ]),
        hits: &[&[
            "https://a.blob.core.windows.net/c?sv=2024-08-04&sig=",
            "JbsNaUXkFVi3CzOkvgsOM5LsE1zKLiSpYMZElLTCPPA",
            "%3D",
        ]],
        misses: &["?sig=ok&sv=1"],
    },
    Rule {
        kind: SecretKind::AzureDevopsToken,
        anchors: &["AZDO"],
        case: Case::Exact,
        find: Find::Around(&[exactly(ALNUM, 76)], &[exactly(ALNUM, 4)]),
        hits: &[&[
            "wVv82BHZO0vk3ZdjYYCfrpx8IH5vbljomsx29WujczU9YGP6SxWw4iUiE6La",
            "pkRgRsaITgqLpaKo",
            "AZDO",
            "JceX",
        ]],
        misses: &["AZDO is a prefix"],
    },
    Rule {
        kind: SecretKind::DigitaloceanToken,
        anchors: &["dop_v1_", "doo_v1_", "dor_v1_"],
        case: Case::Exact,
        find: Find::Token(&[exactly(HEX_SMALL, 64)]),
        hits: &[&[
            "dop_v1_",
            "d5f63adfa395d6cff31aeea03bdba261ad590acbc5fbb5ecb983b410e6f5",
            "8de9",
        ]],
        misses: &["dop_v1_token"],
    },
    Rule {
        kind: SecretKind::CloudflareToken,
        anchors: &["v1.0-"],
        case: Case::Exact,
        find: Find::Token(&[
            exactly(HEX_SMALL, 24),
            Part::Text("-"),
            exactly(HEX_SMALL, 146),
        ]),
        hits: &[&[
            "v1.0-",
            "b9d56191e28c2f2388dc10da",
            "-",
            "5bffacefd697312bba82af983eadec108b08c3ce052e96819b8ac3e6dfeb",
            "63cc17fd04d5014995756e61d6b91cda411dfd72f1a3447c745c48c0b90a",
            "16be3388e7f14697f0603577aa",
        ]],
        misses: &["v1.0-beta"],
    },
    Rule {
        kind: SecretKind::HerokuKey,
        anchors: &["HRKU-"],
        case: Case::Exact,
        find: Find::Token(&[run(URL_SAFE, 36, 64)]),
        hits: &[
            &["HRKU-", "6c55e0d1-9d35-7218", "-6e57-61b1524bf0b0"],
            &[
                "HRKU-AA",
                "drFWv5SRclfFhhqCmzhp59yZk4d6-GlThw_ZqyC85Nn7Jf30xIOdZh_NRx",
            ],
        ],
        misses: &["HRKU-key"],
    },
    Rule {
        kind: SecretKind::AlibabaKey,
        anchors: &["LTAI"],
        case: Case::Exact,
        find: Find::Token(&[run(ALNUM, 12, 26)]),
        hits: &[&["LTAI", "wK9kLWBsZFwJgO52MhEB"]],
        misses: &["LTAI"],
    },
    Rule {
        kind: SecretKind::TencentKey,
        anchors: &["AKID"],
        case: Case::Exact,
        find: Find::Token(&[exactly(ALNUM, 32)]),
        hits: &[&["AKID", "DYxZ4XB2aPTw6PAmY6xWutgCg4zjIccv"]],
        misses: &["AKID is the prefix"],
    },
    Rule {
        kind: SecretKind::FlyToken,
        anchors: &["fm1r_", "fm2_", "fm1a_"],
        case: Case::Exact,
        find: Find::Token(&[run(BASE64_PADDED, 80, 2048)]),
        hits: &[&[
            "fm2_",
            "yvy0Dxo5pCJFz2B30M8KVM+w8MDaD3vSS1Mmn7qOiqh1yudML66YbgqaD7XB",
            "PgUbqr2RbwXOq43IedbtWe27WH77hBlyqz/9PNldsWhXK64VtGHZA2PQLUDI",
        ]],
        misses: &["fm2_token"],
    },
    Rule {
        kind: SecretKind::FlyToken,
        anchors: &["fo1_"],
        case: Case::Exact,
        find: Find::Token(&[exactly(URL_SAFE, 43)]),
        hits: &[&["fo1_", "MnW4kGeJ-ky88BV8-luteLKWMFmkkBTDijysfSa5JhD"]],
        misses: &["fo1_token"],
    },
    Rule {
        kind: SecretKind::YandexKey,
        anchors: &["AQVN"],
        case: Case::Exact,
        find: Find::Token(&[run(URL_SAFE, 35, 38)]),
        hits: &[&["AQVN", "fiECB7lavfWXTKTiVQ47qsxG72VnY6wGD4tV"]],
        misses: &["AQVN key"],
    },
    Rule {
        kind: SecretKind::AkamaiKey,
        anchors: &["akab-"],
        case: Case::Exact,
        find: Find::Token(&[
            exactly(SMALL_DIGIT, 16),
            Part::Text("-"),
            exactly(SMALL_DIGIT, 16),
        ]),
        hits: &[&["akab-", "68b5z1hsui0qfju2", "-", "w5syk2z9medc1h70"]],
        misses: &["akab-client-token"],
    },
];
