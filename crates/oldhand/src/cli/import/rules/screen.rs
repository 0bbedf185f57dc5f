//! What importing rules would do, for a person to look at.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use oldhand_engine::rules::{Manual, Skipped, Weight};
use oldhand_redact::redact;

use super::Preview;
use crate::out::Out;
use crate::out::style::{FAINT, GOOD, STRONG, TYPE, WARNING};
use crate::out::time::count;
use crate::out::wrap::shorten;

pub(crate) fn show(previews: &[Preview], out: &mut Out) -> Result<()> {
    for (at, preview) in previews.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        write!(out, "{STRONG}{}{STRONG:#}", preview.file)?;
        match manuals_of(preview) {
            Some(manuals) => writeln!(out, ": {}, and {manuals}", count(preview.rules(), "rule"))?,
            None => writeln!(out)?,
        }
        let mut above = String::new();
        for rule in &preview.new {
            let columns = out.width() - 18;
            let content = redact(&rule.content).text.replace('\n', " ");
            let told = tell_apart(&above, &content);
            let words = if told.len() < content.len() {
                shorten(&format!("… {told}"), columns)
            } else {
                shorten(&content, columns)
            };
            above.clone_from(&content);
            let kind = rule.rule_type;
            writeln!(out, "{GOOD}+{GOOD:#} {TYPE}{kind:<14}{TYPE:#} {words}")?;
            if let Some(order) = rule.order {
                let line = rule.line;
                writeln!(
                    out,
                    "  {WARNING}line {line} {order}: no agent is told it before you confirm it{WARNING:#}"
                )?;
            }
            if let Weight::Doubtful { named, there } = &rule.weight {
                let line = rule.line;
                writeln!(
                    out,
                    "  {WARNING}line {line} names a file that is not there: {named} ({there} is); no agent is told it before you confirm it{WARNING:#}"
                )?;
            }
        }
        if preview.new.is_empty() && preview.known == 0 {
            writeln!(out, "{FAINT}it holds no rules{FAINT:#}")?;
        }
        if preview.known > 0 {
            writeln!(
                out,
                "{FAINT}= {} known already{FAINT:#}",
                count(preview.known, "rule")
            )?;
        }
        for Skipped { line, why } in &preview.skipped {
            writeln!(out, "{FAINT}- line {line} is left out: {why}{FAINT:#}")?;
        }
    }
    Ok(())
}

impl Preview {
    /// How many of what is new are rules, and not pointers to a manual.
    fn rules(&self) -> usize {
        self.new.len() - self.manuals.len()
    }
}

/// `a manual of rtk (132 lines) as one pointer`; nothing where none is new.
pub(crate) fn manuals_of(preview: &Preview) -> Option<String> {
    let tell = |manual: &Manual| {
        let lines = count(manual.lines(), "line");
        format!("a manual of {} ({lines}) as one pointer", manual.program)
    };
    let told: Vec<String> = preview.manuals.iter().map(tell).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// More rules than people write by hand into one file.
const MANY: usize = 120;

/// Says which files have so many rules that they may be something else, and where those stand.
pub(crate) fn tell_many(previews: &[Preview], out: &Out) {
    const NAMED: usize = 3;
    for preview in previews.iter().filter(|preview| preview.rules() > MANY) {
        let mut sections: BTreeMap<&str, usize> = BTreeMap::new();
        let of_rules = preview
            .new
            .iter()
            .filter_map(|rule| rule.section.as_deref());
        for section in of_rules {
            *sections.entry(section).or_default() += 1;
        }
        let mut sections: Vec<(&str, usize)> = sections.into_iter().collect();
        sections.sort_by_key(|(name, rules)| (Reverse(*rules), *name));
        let named = sections.iter().take(NAMED);
        let named = named.map(|(name, rules)| format!("\"{}\" ({rules})", shorten(name, 40)));
        let named: Vec<String> = named.collect();
        let most = if named.is_empty() {
            String::new()
        } else {
            format!("; most stand below {}", named.join(", "))
        };
        out.note(&format!(
            "{} has {}, more than people usually write{most}",
            preview.file,
            count(preview.rules(), "rule")
        ));
    }
}

/// Beginnings that are longer are said once.
const SAID_ONCE: usize = 24;

/// What a line says that the one above does not: rules under one heading begin alike.
fn tell_apart<'a>(above: &str, line: &'a str) -> &'a str {
    let alike = above.chars().zip(line.chars()).take_while(|(a, b)| a == b);
    let alike: usize = alike.map(|(letter, _)| letter.len_utf8()).sum();
    let word = line[..alike].rfind(' ').map_or(0, |at| at + 1);
    if word < SAID_ONCE {
        line
    } else {
        &line[word..]
    }
}

/// `imported 12: 10 new, 2 known`.
pub(crate) fn summary(outcomes: impl Iterator<Item = &'static str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes {
        *counts.entry(outcome).or_default() += 1;
    }
    let words = [
        ("inserted", "new"),
        ("known", "known already"),
        ("forgotten", "forgotten before"),
        ("merged", "confirmed"),
        ("superseded", "in place of what said the opposite"),
        ("refused", "not taken"),
    ];
    let parts = words
        .iter()
        .filter_map(|(outcome, words)| counts.get(outcome).map(|n| format!("{n} {words}")));
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() {
        return "nothing to import".to_owned();
    }
    format!("imported: {}", parts.join(", "))
}
