//! What importing rules would do, for a person to look at.

use std::io::Write;

use anyhow::Result;
use oldhand_engine::rules::Skipped;
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
        writeln!(out, "{STRONG}{}{STRONG:#}", preview.file)?;
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
