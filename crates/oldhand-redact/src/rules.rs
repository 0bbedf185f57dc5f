//! The rules, one file per family, and the test that walks their examples.

mod cloud;
mod forge;

use crate::rule::Rule;

pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    [cloud::RULES, forge::RULES].into_iter().flatten()
}

/// True for text that only shows what a token looks like: `AKIAXXXXXXXXXXXXXXXX`, documented examples.
pub(crate) fn is_dummy(token: &[u8]) -> bool {
    const MARKS: [&[u8]; 5] = [b"example", b"xxxx", b"your", b"placeholder", b"redacted"];
    let marked = MARKS.iter().any(|mark| {
        token
            .windows(mark.len())
            .any(|part| part.eq_ignore_ascii_case(mark))
    });
    marked || has_long_repeat(token)
}

/// Six times the same byte in a row: chance does that once in many thousand tokens, a hand does it at once.
fn has_long_repeat(token: &[u8]) -> bool {
    token
        .windows(6)
        .any(|part| part.iter().all(|byte| *byte == part[0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact;

    #[test]
    fn every_rule_finds_its_hits_wherever_they_stand() {
        for rule in all() {
            assert!(
                !rule.hits.is_empty() && !rule.misses.is_empty(),
                "{} has no examples",
                rule.kind
            );
            for pieces in rule.hits {
                let secret = pieces.concat();
                let dressed = [
                    secret.clone(),
                    format!("{{\"note\":\"first\\n{secret}\",\"n\":1}}"),
                    format!("$ tool --quiet '{secret}' | less"),
                    format!("see https://example.org/x?first=1&v={secret}&last=2 there"),
                ];
                for text in dressed {
                    let redacted = redact(&text);
                    let kinds: Vec<_> = redacted
                        .findings
                        .iter()
                        .map(|finding| finding.kind)
                        .collect();
                    assert!(
                        kinds.contains(&rule.kind),
                        "{} not found in {text}: {kinds:?}",
                        rule.kind
                    );
                    assert_eq!(redact(&redacted.text).text, redacted.text, "{text}");
                }
            }
        }
    }

    #[test]
    fn no_rule_takes_its_misses() {
        for rule in all() {
            for miss in rule.misses {
                let redacted = redact(miss);
                assert_eq!(redacted.findings, [], "{} taken from {miss}", rule.kind);
            }
        }
    }
}
