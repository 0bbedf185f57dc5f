//! Tokens of code forges and package registries.

use crate::filter::Case;
use crate::kind::SecretKind;
use crate::rule::{Find, Rule};
use crate::shape::{ALNUM, Class, HEX_SMALL, Part, SMALL_DIGIT, URL_SAFE, WORD, exactly, run};

pub(super) const RULES: &[Rule] = &[
    Rule {
        kind: SecretKind::GithubToken,
        anchors: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        case: Case::Exact,
        // A checksum ends a real one. A token that somebody mistyped, or made up from a real one, is taken out all the same.
        find: Find::Token(&[exactly(ALNUM, 36)]),
        hits: &[
            &["ghp_", "dAISasc5klDcyA7LOTsBb65SJbCkBb", "0SRIKn"],
            &["ghp_", "k3J9xQ2mVb7RtY5wLz8NcD4fGh6PsA", "9f3Kq2"],
        ],
        misses: &["ghp_short", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
    },
    Rule {
        kind: SecretKind::GithubToken,
        anchors: &["ghs_", "ghu_"],
        case: Case::Exact,
        find: Find::Token(&[run(Class::of("0-9A-Za-z_.-"), 60, 1024)]),
        hits: &[&[
            "ghs_",
            "oSqXPTijG86AKZtUkKU9xTIcrQQy0gvgIJIbNxpmaIebhVuG3LE37L6ClNsH",
            "Ai7s7nCBm5gd6UDRjRileicO97Z5kAREInIMGbFUfW10sTUbBJKR7VsiP0LM",
        ]],
        misses: &["ghs_token"],
    },
    Rule {
        kind: SecretKind::GithubToken,
        anchors: &["github_pat_"],
        case: Case::Exact,
        find: Find::Token(&[exactly(ALNUM, 22), Part::Text("_"), exactly(ALNUM, 59)]),
        hits: &[&[
            "github_pat_",
            "AoCECyy8MHTe2HeujLQTDk",
            "_",
            "8LBXP1Vim4spZCvt4Gh3YJREWEI0QmsxI3k5flIphdRSgvSDCs0suUQAAKm",
        ]],
        misses: &["github_pat_prefix"],
    },
    Rule {
        kind: SecretKind::GitlabToken,
        anchors: &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-",
            "glagent-", "gloas-", "glffct-",
        ],
        case: Case::Exact,
        find: Find::Token(&[run(Class::of("0-9A-Za-z_.-"), 20, 300)]),
        hits: &[
            &["glpat-", "z2ChVIHNaQzlMKYdILjO"],
            &["glrt-t1_", "Z4uEHrIxdNb9UixrXkOs"],
        ],
        misses: &["glpat-xxxxxxxxxxxxxxxxxxxx", "glpat-token"],
    },
    Rule {
        kind: SecretKind::GitlabToken,
        anchors: &["GR1348941"],
        case: Case::Exact,
        find: Find::Token(&[exactly(URL_SAFE, 20)]),
        hits: &[&["GR1348941", "BOwTTozqvCnAKjsmvnwC"]],
        misses: &["GR1348941"],
    },
    Rule {
        kind: SecretKind::BitbucketToken,
        anchors: &["ATBB", "ATCTT3", "BBDC-"],
        case: Case::Exact,
        find: Find::Token(&[run(Class::of("0-9A-Za-z_=+/-"), 28, 250)]),
        hits: &[
            &["ATBB", "ho73EM2HPcNMZdV1CtPlpKoBoAlQW2v4"],
            &["BBDC-", "N82YTyr+n/dryG4cBIRlNmbh+/3UHdgBDJppkFFEZciv"],
        ],
        misses: &["ATBB"],
    },
    Rule {
        kind: SecretKind::AtlassianToken,
        anchors: &["ATATT3"],
        case: Case::Exact,
        find: Find::Token(&[run(Class::of("0-9A-Za-z_=-"), 60, 250)]),
        hits: &[&[
            "ATATT3",
            "d00U87juJUBEoAXHmGRZ2XsTS5MivpF9k9jz89iLWeajzV6xuRXLAsfmhVwl",
            "va-byCSEsWAGU0g47kCxhG4rS2A5e7sAuPFJiN7UZpjxV2KKrgnfHCzbt5G7",
            "_eSeiOJcT-HHqodEvUF0f_UzpWcP1mLMwT3zWLA825gFKEOU0Ekm5h_Kt9sE",
        ]],
        misses: &["ATATT3"],
    },
    Rule {
        kind: SecretKind::NpmToken,
        anchors: &["npm_"],
        case: Case::Exact,
        find: Find::Token(&[exactly(ALNUM, 36)]),
        hits: &[&["npm_", "aKn736ejao72x2B5QrDz2CE8ZiC2N6mpSa7A"]],
        misses: &[
            "npm_config_registry",
            "npm_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        ],
    },
    Rule {
        kind: SecretKind::PypiToken,
        anchors: &["pypi-AgE"],
        case: Case::Exact,
        find: Find::Token(&[run(URL_SAFE, 50, 1024)]),
        hits: &[&[
            "pypi-AgE",
            "IcHlwaS5vcmc",
            "KykVg5kpYYrDYo57oJP6hq6ItLy8k-QY0vPToTry-L31PNgqWbch2QUxxjY_",
            "oXqUj_22nRe40JZ-bYZ_w65no5VB180ACFa0qn6dQj-QKhCHD4--UjgjfXum",
        ]],
        misses: &["pypi-AgEIcHlwaS5vcmc"],
    },
    Rule {
        kind: SecretKind::CratesToken,
        anchors: &["cio"],
        case: Case::Exact,
        find: Find::Token(&[exactly(ALNUM, 32)]),
        hits: &[&["cio", "wJ2v4Kyqi9eF8lEuefsB3jFYG5me3v0a"]],
        misses: &["ciosomething", "social"],
    },
    Rule {
        kind: SecretKind::RubygemsToken,
        anchors: &["rubygems_"],
        case: Case::Exact,
        find: Find::Token(&[exactly(HEX_SMALL, 48)]),
        hits: &[&[
            "rubygems_",
            "290c9d174e373bdb76b2ca917b4c5d21718cde22967e79f2",
        ]],
        misses: &["rubygems_version"],
    },
    Rule {
        kind: SecretKind::DockerToken,
        anchors: &["dckr_pat_", "dckr_oat_"],
        case: Case::Exact,
        find: Find::Token(&[run(URL_SAFE, 24, 40)]),
        hits: &[&["dckr_pat_", "CkdgK7FI0b4iiLl3Ezomr0odA-F"]],
        misses: &["dckr_pat_token"],
    },
    Rule {
        kind: SecretKind::DockerToken,
        anchors: &["SWMTKN-1-"],
        case: Case::Exact,
        find: Find::Token(&[
            exactly(SMALL_DIGIT, 50),
            Part::Text("-"),
            exactly(SMALL_DIGIT, 25),
        ]),
        hits: &[&[
            "SWMTKN-1-",
            "c6co96tq0ibt3xpltm7e41hbdur8iyzqj37uwqil3syt0rglrt",
            "-",
            "9vqapa43yltj609covorgv7bm",
        ]],
        misses: &["SWMTKN-1-token"],
    },
    Rule {
        kind: SecretKind::TerraformToken,
        anchors: &[".atlasv1."],
        case: Case::Exact,
        find: Find::Around(&[exactly(ALNUM, 14)], &[run(URL_SAFE, 60, 72)]),
        hits: &[&[
            "MNVvvyWfEqXbTF",
            ".atlasv1.",
            "iFbfUwm5TQuZxLQZ35BqewvoSFxhfrEw0bVCTvmiaXcaAK9G0Wuiw6rWIj0L",
            "EiRlwYm",
        ]],
        misses: &["x.atlasv1.y"],
    },
    Rule {
        kind: SecretKind::NugetKey,
        anchors: &["oy2"],
        case: Case::Exact,
        find: Find::Token(&[exactly(SMALL_DIGIT, 43)]),
        hits: &[&["oy2", "7ci8jpgjywdm1pwol0lu0juz9deut5mji1pddsj7gps"]],
        misses: &["oy2"],
    },
    Rule {
        kind: SecretKind::ClojarsToken,
        anchors: &["CLOJARS_"],
        case: Case::Exact,
        find: Find::Token(&[exactly(HEX_SMALL, 60)]),
        hits: &[&[
            "CLOJARS_",
            "4e8249b1f891a45d218bafcbbaa49132982769100a24a6514cbb7928ac4d",
        ]],
        misses: &["CLOJARS_PASSWORD"],
    },
    Rule {
        kind: SecretKind::JfrogToken,
        anchors: &["AKCp"],
        case: Case::Exact,
        find: Find::Token(&[run(ALNUM, 60, 73)]),
        hits: &[&[
            "AKCp",
            "XUqwXR366l4blF6VIFhH4vOHL3lWIze9iXcFpY7QCct7A1TtrDmkfjm2Rhwt",
            "uWEP28nBM",
        ]],
        misses: &["AKCp"],
    },
    Rule {
        kind: SecretKind::SonarToken,
        anchors: &["sqp_", "squ_", "sqa_"],
        case: Case::Exact,
        find: Find::Token(&[exactly(HEX_SMALL, 40)]),
        hits: &[&["squ_", "b66f211fed21c5e19e1afc0f106d090678f8de86"]],
        misses: &["squ_token"],
    },
    Rule {
        kind: SecretKind::CircleciToken,
        anchors: &["CCIPAT_", "CCIPRJ_"],
        case: Case::Exact,
        find: Find::Token(&[run(WORD, 40, 80)]),
        hits: &[&[
            "CCIPAT_",
            "jRYfGjsUt4HFoGUHcXp3XR",
            "_",
            "c63ed5b47fd113e37fee97653e0d154279dee1d5",
        ]],
        misses: &["CCIPAT_token"],
    },
    Rule {
        kind: SecretKind::BuildkiteToken,
        anchors: &["bkua_"],
        case: Case::Exact,
        find: Find::Token(&[exactly(HEX_SMALL, 40)]),
        hits: &[&["bkua_", "9a8d4032cb9d5059761791b353b191fd0bae5e67"]],
        misses: &["bkua_token"],
    },
];
