//! What was weighed in a session and not kept: what is in words in full, pairs of files by the number.

use std::io::Write;

use anyhow::Result;
use oldhand_domain::payload::BuiltInType;
use oldhand_engine::ReportLine;

use crate::out::Out;
use crate::out::style::{FAINT, TYPE};

/// How many pairs of files stand for those that were dropped for the same reason.
const SUCH: usize = 2;

pub(super) fn tell(dropped: &[&ReportLine], out: &mut Out) -> Result<()> {
    let (pairs, words): (Vec<&ReportLine>, Vec<&ReportLine>) =
        dropped.iter().partition(|line| is_pair(line));
    for (_, alike) in by_reason(&words, |line| line.why.clone()) {
        writeln!(out)?;
        head(alike.len(), "", &alike[0].why, out)?;
        for line in alike {
            let steps = steps(&line.steps);
            let of = [("    ", TYPE, line.memory_type.as_str())];
            let words = format!("{}{steps}", line.summary);
            out.sentence("      ", &of, ("  ", anstyle::Style::new(), &words))?;
        }
    }
    for (why, alike) in by_reason(&pairs, |line| without_numbers(&line.why)) {
        writeln!(out)?;
        match &alike[..] {
            [one] => head(1, " pair", &one.why, out)?,
            many => head(many.len(), " pairs", &why, out)?,
        }
        for line in alike.iter().take(SUCH) {
            out.paragraph("    ", &line.summary)?;
        }
    }
    Ok(())
}

fn head(many: usize, what: &str, why: &str, out: &mut Out) -> Result<()> {
    let head = format!("{many}{what}");
    let pieces = [("  ", anstyle::Style::new(), head.as_str())];
    Ok(out.sentence("    ", &pieces, (": ", FAINT, why))?)
}

/// Files that go together, or that work begins with.
fn is_pair(line: &ReportLine) -> bool {
    let pairs = [BuiltInType::CausalDependency, BuiltInType::PrefetchPattern];
    pairs.iter().any(|kind| kind.as_str() == line.memory_type)
}

/// What a person is likeliest to want to know of.
fn is_telling(line: &ReportLine) -> bool {
    use BuiltInType as T;
    let telling = [
        T::Preference,
        T::Requirement,
        T::Decision,
        T::Gotcha,
        T::ErrorPattern,
        T::DeadEnd,
    ];
    telling.iter().any(|kind| kind.as_str() == line.memory_type)
}

/// The lines of each reason, those first that tell most and that most share.
fn by_reason<'a>(
    lines: &[&'a ReportLine],
    reason: impl Fn(&ReportLine) -> String,
) -> Vec<(String, Vec<&'a ReportLine>)> {
    let mut groups: Vec<(String, Vec<&ReportLine>)> = Vec::new();
    for line in lines {
        let why = reason(line);
        match groups.iter_mut().find(|(known, _)| *known == why) {
            Some((_, group)) => group.push(line),
            None => groups.push((why, vec![line])),
        }
    }
    groups.sort_by_key(|(_, group)| {
        let is_telling = group.iter().any(|line| is_telling(line));
        std::cmp::Reverse((is_telling, group.len()))
    });
    groups
}

/// A reason that holds of many with other numbers each.
fn without_numbers(why: &str) -> String {
    let words = why.split(' ').map(|word| {
        let number = word.trim_end_matches([':', ',']);
        if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return word.to_owned();
        }
        format!("…{}", &word[number.len()..])
    });
    words.collect::<Vec<_>>().join(" ")
}

fn steps(steps: &[u32]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = steps.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = if steps.len() > SHOWN { ", …" } else { "" };
    match steps.len() {
        0 => String::new(),
        1 => format!(" (step {})", shown[0]),
        _ => format!(" (steps {}{more})", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_with_other_numbers_are_one() {
        for (why, many) in [
            (
                "git saw both change in only 1 of the 12 small commits of the rarer one",
                "git saw both change in only … of the … small commits of the rarer one",
            ),
            ("only 0.23 sure", "only … sure"),
            (
                "the other in 5 of all 8: that may be chance",
                "the other in … of all …: that may be chance",
            ),
            ("`v2` says it already.", "`v2` says it already."),
        ] {
            assert_eq!(without_numbers(why), many);
        }
    }

    #[test]
    fn steps_are_named_as_far_as_they_help() {
        assert_eq!(steps(&[]), "");
        assert_eq!(steps(&[3]), " (step 3)");
        assert_eq!(
            steps(&[1, 2, 3, 4, 5, 6, 7, 8]),
            " (steps 1, 2, 3, 4, 5, 6, 7, 8)"
        );
        assert_eq!(
            steps(&[1, 2, 3, 4, 5, 6, 7, 8, 9]),
            " (steps 1, 2, 3, 4, 5, 6, 7, 8, …)"
        );
    }
}
