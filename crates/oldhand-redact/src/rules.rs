//! The rules, one file per family, and the test that walks their examples.

mod ai_provider;
mod chat;
mod cloud;
mod forge;
mod key;
mod payment;
mod place;
mod platform;
mod tool;

use crate::rule::Rule;

const FAMILIES: [&[Rule]; 9] = [
    ai_provider::RULES,
    chat::RULES,
    cloud::RULES,
    forge::RULES,
    key::RULES,
    payment::RULES,
    place::RULES,
    platform::RULES,
    tool::RULES,
];

pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().copied().flatten()
}

/// True for text that only shows what a token looks like: `AKIAXXXXXXXXXXXXXXXX`, documented examples.
pub(crate) fn is_dummy(token: &[u8]) -> bool {
    const MARKS: [&[u8]; 5] = [b"example", b"xxxx", b"your", b"placeholder", b"redacted"];
    has_any(token, &MARKS) || has_long_repeat(token)
}

/// True for what a finger makes when it runs along the keys: `12345678`, `abcdefgh`.
pub(crate) fn is_sequence(token: &[u8]) -> bool {
    has_any(token, &[b"abcdefgh", b"01234567", b"12345678", b"98765432"])
}

fn has_any(token: &[u8], parts: &[&[u8]]) -> bool {
    parts.iter().any(|mark| {
        token
            .windows(mark.len())
            .any(|part| part.eq_ignore_ascii_case(mark))
    })
}

/// Six times the same byte in a row: chance does that once in many thousand tokens, a hand does it at once.
fn has_long_repeat(token: &[u8]) -> bool {
    token
        .chunk_by(|before, after| before == after)
        .any(|run| run.len() >= 6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact;
    use crate::rule::Find;

    /// The same secret as people and tools write it down.
    fn dress(rule: &Rule, secret: &str) -> Vec<String> {
        let json = secret
            .replace('\\', r"\\")
            .replace('"', r#"\""#)
            .replace('\n', r"\n");
        let mut dressed = vec![
            secret.to_owned(),
            format!("before\n{secret}\nafter"),
            format!("{{\"note\":\"first\\n{json}\",\"n\":1}}"),
        ];
        if !matches!(rule.find, Find::Read(_)) {
            dressed.push(format!("$ tool --quiet '{secret}' | less"));
            dressed.push(format!(
                "see https://example.org/x?first=1&v={secret}&last=2 there"
            ));
        }
        dressed
    }

    #[test]
    fn every_rule_finds_its_hits_wherever_they_stand() {
        for rule in all() {
            assert!(
                !rule.hits.is_empty() && !rule.misses.is_empty(),
                "{} has no examples",
                rule.kind
            );
            for pieces in rule.hits {
                for text in dress(rule, &pieces.concat()) {
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
