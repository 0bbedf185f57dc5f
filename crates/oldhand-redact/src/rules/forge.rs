//! Tokens of code forges and package registries.

use crate::checksum::{base62, crc32};
use crate::kind::SecretKind;
use crate::rule::{Rule, TOKEN};
use crate::shape::{ALNUM, Part, URL_SAFE, WORD, exactly, run};

pub(super) const RULES: &[Rule] = &[
    Rule {
        kind: SecretKind::GithubToken,
        anchors: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        after: &[run(ALNUM, 36, 76)],
        check: has_checksum,
        hits: &[&["ghp_", "k3J9xQ2mVb7RtY5wLz8NcD4fGh6PsA", "0TUULt"]],
        misses: &[
            "ghp_k3J9xQ2mVb7RtY5wLz8NcD4fGh6PsA000000",
            "ghp_short",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        ],
        ..TOKEN
    },
    Rule {
        kind: SecretKind::GithubToken,
        anchors: &["github_pat_"],
        after: &[exactly(ALNUM, 22), Part::Text("_"), exactly(ALNUM, 59)],
        hits: &[&[
            "github_pat_",
            "11AB3CDEY0kXq7LmPz2Rt5",
            "_",
            "wV8nKdB4hJ6sFg1TcYx9QeUa3MoZi7RpLk2NvCb5XtWjHs0DyGfEu4AqPm8",
        ]],
        misses: &["github_pat_prefix", "github_pat_11AB3CDEY0kXq7LmPz2Rt5"],
        ..TOKEN
    },
    Rule {
        kind: SecretKind::GitlabToken,
        anchors: &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-",
            "glagent-", "gloas-", "glffct-",
        ],
        after: &[
            run(URL_SAFE, 20, 68),
            Part::Maybe(&Part::Text(".")),
            run(WORD, 0, 16),
        ],
        hits: &[
            &["glpat-", "x7Kq_2Lm9Rt4VwZ1pNc6"],
            &["glrt-", "t1_Qd7kLm9Rt4VwZ1pNc6Hs"],
        ],
        misses: &["glpat-xxxxxxxxxxxxxxxxxxxx", "glpat-token"],
        ..TOKEN
    },
];

/// The last six characters are the CRC-32 of the ones between them and the prefix.
fn has_checksum(token: &[u8]) -> bool {
    let Some((body, sum)) = token["ghp_".len()..].split_last_chunk::<6>() else {
        return false;
    };
    base62(crc32(body)) == *sum
}
