//! The way from a memory back to what taught it, as people see it.

use std::collections::BTreeSet;
use std::io::{self, Write};

use oldhand_domain::event::Voice;

use crate::out::Out;
use crate::out::style::{FAINT, ID, STRONG, WARNING};
use crate::out::time::{count, moment};
use crate::out::wrap::{shorten, width, wrap};
use crate::sessions::trace::{Lesson, Moment, Trail};

/// What happened, step by step: what decided in full, anything else on a line.
pub(crate) fn moments(out: &mut Out, indent: &str, moments: &[Moment]) -> io::Result<()> {
    let columns = out.width().saturating_sub(width(indent));
    let mut told = BTreeSet::new();
    for moment in telling(moments) {
        let who = moment.agent.as_ref();
        let who = who.map_or_else(String::new, |agent| format!("{agent} "));
        let line = format!("step {}: {who}{}", moment.step, moment.what);
        // Once is enough to read it.
        let lines = if moment.decides && told.insert(&moment.what) {
            wrap(&line, columns.saturating_sub(2))
        } else {
            vec![shorten(&line, columns)]
        };
        for (at, line) in lines.iter().enumerate() {
            let deeper = if at == 0 { "" } else { "  " };
            writeln!(out, "{indent}{deeper}{FAINT}{line}{FAINT:#}")?;
        }
    }
    Ok(())
}

/// What is worth reading: what an agent thinks is told only where it decided, what it says only where nothing else did.
fn telling(moments: &[Moment]) -> impl Iterator<Item = &Moment> {
    let is_decided = moments.iter().any(|moment| moment.decides);
    let is_done = moments.iter().any(|moment| moment.voice.is_none());
    moments.iter().filter(move |moment| match moment.voice {
        _ if moment.decides => true,
        Some(Voice::Said) => !is_decided,
        Some(Voice::Reasoned) => !is_decided && !is_done,
        None => true,
    })
}

/// The sessions that say most of how a memory came to be, each with its outcome and with what in it taught it.
pub(crate) fn trail(out: &mut Out, trail: &Trail) -> io::Result<()> {
    if trail.lessons.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{STRONG}learned from{STRONG:#}")?;
    for lesson in &trail.lessons {
        tell(out, lesson)?;
    }
    if trail.more > 0 {
        let more = count(trail.more, "more session");
        writeln!(out, "  {FAINT}and {more}; `--json` has all{FAINT:#}")?;
    }
    Ok(())
}

fn tell(out: &mut Out, lesson: &Lesson) -> io::Result<()> {
    let (session, at) = (lesson.session.to_string(), moment(lesson.at));
    let said = [&lesson.client, &at, &lesson.outcome];
    let said = said.map(|words| (" · ", FAINT, words.as_str()));
    let pieces = [&[("  ", ID, session.as_str())][..], &said].concat();
    out.pieces("    ", &pieces)?;
    for evidence in &lesson.evidence {
        out.paragraph("    ", evidence)?;
    }
    out.paragraph("    ", &plainly(&lesson.why))?;
    moments(out, "    ", &lesson.events)?;
    if !lesson.outside.is_empty() {
        writeln!(
            out,
            "    {WARNING}outside text came in before that{WARNING:#}"
        )?;
        moments(out, "    ", &lesson.outside)?;
    }
    Ok(())
}

/// Why something was learned, without the numbers that it was weighed with.
pub(crate) fn plainly(why: &str) -> String {
    let Some((how, rest)) = why.split_once(": score ") else {
        return why.to_owned();
    };
    let seen = rest.splitn(3, ", ").nth(2).unwrap_or_default();
    match how {
        "promoted" => seen.to_owned(),
        how => format!("{how}: {seen}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_verdict_are_left_out() {
        for (why, plain) in [
            (
                "promoted: score 0.84, confidence 0.80, seen in one session, needs review",
                "seen in one session, needs review",
            ),
            (
                "makes a known memory surer: score 1.04, confidence 0.85, seen in 61 sessions and in 4 small commits",
                "makes a known memory surer: seen in 61 sessions and in 4 small commits",
            ),
            (
                "score 0.40 is under the threshold of 0.50",
                "score 0.40 is under the threshold of 0.50",
            ),
            (
                "seen in 1 of 2 sessions needed",
                "seen in 1 of 2 sessions needed",
            ),
        ] {
            assert_eq!(plainly(why), plain);
        }
    }

    #[test]
    fn thoughts_are_told_only_where_nothing_else_is() {
        let told = |moments: &[(Option<Voice>, bool)]| {
            let moments: Vec<Moment> = moments
                .iter()
                .map(|(voice, decides)| Moment {
                    step: 1,
                    at: jiff::Timestamp::UNIX_EPOCH,
                    agent: None,
                    what: String::new(),
                    decides: *decides,
                    voice: *voice,
                })
                .collect();
            let all = telling(&moments).map(|one| (one.voice, one.decides));
            all.collect::<Vec<_>>()
        };
        let (done, said) = ((None, false), (Some(Voice::Said), false));
        let (thought, decided) = ((Some(Voice::Reasoned), false), (Some(Voice::Said), true));
        assert_eq!(told(&[done, thought, said, decided]), [done, decided]);
        assert_eq!(told(&[done, thought, said]), [done, said]);
        assert_eq!(told(&[thought, said]), [thought, said]);
    }
}
