//! What an agent would be told, for a person: the words, why each was chosen, what was kept back and why, and the files.

use std::collections::BTreeMap;
use std::io::Write;

use anstyle::Style;
use anyhow::Result;
use oldhand_domain::id::MemoryId;
use oldhand_engine::{Context, Unsaid, Why};
use oldhand_recall::candidate::{BAR, Because, Judged, UNMEASURED};
use oldhand_recall::inject::Unpacked;
use oldhand_recall::predict::PredictionLane;

use super::files;
use crate::agent::Agent;
use crate::cli::Door;
use crate::out::Out;
use crate::out::style::{FAINT, ID, STRONG};
use crate::out::time::count;
use crate::out::wrap::{shorten, wrap};
use crate::view::context::Likely;

/// How many of its reasons a file is shown with.
const REASONS: usize = 3;
/// How many lines tell what was left out.
const LEFT_OUT: usize = 10;
/// From so many on, memories that are left out for the same reason share a line.
const ALIKE: usize = 3;
/// How many files are shown that the task does not point at.
const LATELY: usize = 5;

/// What there is to tell.
pub(super) struct Told<'a> {
    pub(super) context: &'a Context,
    pub(super) files: &'a [Likely],
    /// What some clients are not told, and why.
    pub(super) left: &'a [(Agent, MemoryId, &'static str)],
    /// The agents that call us here.
    pub(super) connected: &'a [Agent],
    pub(super) budget: Option<u32>,
    /// Why nothing is said, where the task asks for nothing.
    pub(super) silence: Option<&'a str>,
    pub(super) reasons: Reasons,
}

/// How it is said why a memory was chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reasons {
    Words,
    Numbers,
}

pub(super) fn tell(told: &Told<'_>, door: &mut Door) -> Result<()> {
    let (out, context) = (&mut door.out, told.context);
    let is_connected = |one: &&(Agent, MemoryId, &str)| told.connected.contains(&one.0);
    if context.text.is_empty() {
        let why = told
            .silence
            .map_or_else(|| why_silent(context, told.budget), str::to_owned);
        let head = [("", STRONG, "silence")];
        out.sentence("  ", &head, (": ", FAINT, &why))?;
    } else {
        let tokens = count(context.tokens, "token");
        writeln!(out, "{STRONG}told{STRONG:#}{FAINT} in {tokens}{FAINT:#}")?;
        tell_less(told, out)?;
        out.paragraph("  ", context.text.trim_end())?;
        writeln!(out, "\n{STRONG}because{STRONG:#}")?;
        for (_, candidate) in &context.memories {
            let why = match told.reasons {
                Reasons::Numbers => candidate.because.to_string(),
                Reasons::Words => shortly(&candidate.because),
            };
            explain(&candidate.memory.id.short(), &why, out)?;
        }
    }
    // What connected agents are not told stands above.
    if !told.left.iter().any(|one| is_connected(&one)) {
        tell_left_to_clients(told.left, out)?;
    }
    tell_left_out(&context.left_out, out)?;
    tell_files(told.files, out)
}

/// What an agent that calls us here hears less than all of it.
fn tell_less(told: &Told<'_>, out: &mut Out) -> Result<()> {
    let all = told.context.memories.len();
    for agent in told.connected {
        let of_agent = told.left.iter().filter(|(client, ..)| client == agent);
        let mut of_agent: Vec<_> = of_agent.map(|(_, id, why)| (*why, id.short())).collect();
        if of_agent.is_empty() {
            continue;
        }
        of_agent.sort();
        let hears = match all - of_agent.len() {
            0 => "nothing of it".to_owned(),
            some => format!("{some} of these {all}"),
        };
        let reasons = of_agent.chunk_by(|a, b| a.0 == b.0).map(|alike| {
            let ids: Vec<&str> = alike.iter().map(|(_, id)| id.as_str()).collect();
            format!("{}: {}", ids.join(", "), alike[0].0)
        });
        let reasons = reasons.collect::<Vec<_>>().join("; ");
        let head = [("  ", STRONG, agent.as_str())];
        let words = format!("hears {hears} ({reasons})");
        out.sentence("    ", &head, (" ", FAINT, &words))?;
    }
    Ok(())
}

/// How likely it is, and what of the task it has.
fn shortly(because: &Because) -> String {
    if let Some(age) = because.say_age() {
        return age;
    }
    let likely = match &because.beside {
        _ if because.judged == Judged::Unmeasured => UNMEASURED.to_owned(),
        Some(beside) if because.relevance < BAR => return beside.to_string(),
        _ => format!("{:.0} % likely", because.relevance * 100.0),
    };
    match because.words.as_slice() {
        [] => format!("{likely}: near in meaning"),
        words => format!("{likely}: {}", words.join(", ")),
    }
}

/// What is told to some clients and not to others, each reason on a line.
fn tell_left_to_clients(left: &[(Agent, MemoryId, &'static str)], out: &mut Out) -> Result<()> {
    if left.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{STRONG}not told to every client{STRONG:#}")?;
    let mut left = left.to_vec();
    left.sort_by_key(|(client, _, why)| (client.as_str(), *why));
    for alike in left.chunk_by(|a, b| (a.0, a.2) == (b.0, b.2)) {
        let (client, _, why) = alike[0];
        let ids: Vec<String> = alike.iter().map(|(_, id, _)| id.short()).collect();
        let said = format!("{}: {why}", ids.join(", "));
        let client = client.as_str();
        out.pieces(
            "    ",
            &[("  ", STRONG, client), ("  ", Style::new(), &said)],
        )?;
    }
    Ok(())
}

/// What is silent for want of room is not silent for want of worth.
fn why_silent(context: &Context, budget: Option<u32>) -> String {
    let no_room = |unsaid: &&Unsaid| unsaid.why == Why::Unpacked(Unpacked::NoRoom);
    let worth = context.left_out.iter().filter(no_room).count();
    let is_unmeasured = |unsaid: &Unsaid| unsaid.why == Why::Unmeasured;
    match (context.least, budget) {
        (Some(least), Some(budget)) if worth > 0 => format!(
            "{} worth saying, and none fits into {budget} tokens: the shortest takes {least}",
            if worth == 1 {
                "one memory is".to_owned()
            } else {
                format!("{worth} memories are")
            }
        ),
        _ => match context.left_out.first() {
            // What is left out is in the order of its likelihood.
            Some(Unsaid {
                relevance,
                why: why @ Why::Refused(_),
                ..
            }) if *relevance >= BAR => {
                let alike = |unsaid: &&Unsaid| unsaid.why == *why && unsaid.relevance >= BAR;
                match context.left_out.iter().filter(alike).count() {
                    1 => format!("one memory is likely enough, and {}", why.of_one()),
                    many => format!(
                        "{many} memories are likely enough, and {}",
                        why.of_several()
                    ),
                }
            }
            _ if context.left_out.iter().any(is_unmeasured) => {
                format!("nothing is told: {UNMEASURED}")
            }
            _ => format!(
                "nothing known is likely enough to be of use here; what is told must reach {BAR:.2}"
            ),
        },
    }
}

fn explain(id: &str, why: &str, out: &mut Out) -> Result<()> {
    let columns = out.width().saturating_sub(12);
    for (at, line) in wrap(why, columns).into_iter().enumerate() {
        if at == 0 {
            writeln!(out, "  {ID}{id}{ID:#}  {FAINT}{line}{FAINT:#}")?;
        } else {
            writeln!(out, "            {FAINT}{line}{FAINT:#}")?;
        }
    }
    Ok(())
}

/// What was kept back, the likeliest first; what waits for the same thing stands on one line.
fn tell_left_out(left_out: &[Unsaid], out: &mut Out) -> Result<()> {
    if left_out.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{STRONG}left out{STRONG:#}")?;
    // Agents run this too, so that words of what was refused are never told.
    let lines = lines_of(left_out);
    let shown = &lines[..lines.len().min(LEFT_OUT)];
    for &Together { first, many } in shown {
        let unsaid = &left_out[first];
        let id = unsaid.id.short();
        if many >= ALIKE {
            let many = format!("{many} {}", reason_of_several(unsaid));
            let likeliest = format!("the likeliest is {id} with {:.2}", unsaid.relevance);
            let head = [("  ", Style::new(), many.as_str())];
            out.sentence("    ", &head, ("; ", FAINT, &likeliest))?;
            continue;
        }
        let (head, why) = ([("  ", ID, id.as_str())], unsaid.to_string());
        out.sentence("            ", &head, ("  ", Style::new(), &why))?;
        if may_be_shown(&unsaid.why) {
            let words = shorten(&unsaid.summary, out.width().saturating_sub(12));
            writeln!(out, "            {FAINT}{words}{FAINT:#}")?;
        }
    }
    let told: usize = shown.iter().map(|line| line.many).sum();
    if told < left_out.len() {
        writeln!(out, "  {FAINT}and {} more{FAINT:#}", left_out.len() - told)?;
    }
    Ok(())
}

/// Those that a line tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Together {
    /// The likeliest of them, by its place.
    first: usize,
    many: usize,
}

/// What stands on a line: each by itself, unless many are left out for the same reason. What reads alike is one line, whatever it is made of.
fn lines_of(left_out: &[Unsaid]) -> Vec<Together> {
    let reasons: Vec<String> = left_out.iter().map(reason).collect();
    let mut lines: Vec<Together> = Vec::new();
    let mut shared: BTreeMap<String, usize> = BTreeMap::new();
    for (first, reason) in reasons.iter().enumerate() {
        let alone = lines.len();
        let at = match reasons.iter().filter(|other| *other == reason).count() {
            ALIKE.. => *shared
                .entry(reason_of_several(&left_out[first]))
                .or_insert(alone),
            _ => alone,
        };
        match lines.get_mut(at) {
            Some(line) => line.many += 1,
            None => lines.push(Together { first, many: 1 }),
        }
    }
    lines
}

/// Under this, nobody wants to know how unlikely something is.
const HARDLY: f64 = 0.05;

/// What several may be left out for together.
fn reason(unsaid: &Unsaid) -> String {
    match &unsaid.why {
        Why::UnderTheBar if unsaid.relevance < HARDLY => "is hardly about this".to_owned(),
        _ => unsaid.to_string(),
    }
}

/// The same, said of several.
fn reason_of_several(unsaid: &Unsaid) -> String {
    match &unsaid.why {
        Why::UnderTheBar if unsaid.relevance < HARDLY => "are hardly about this".to_owned(),
        why => why.of_several(),
    }
}

/// Whether the words may stand where an agent might read them: not of what waits, was flagged or was refused otherwise.
fn may_be_shown(why: &Why) -> bool {
    !matches!(why, Why::Refused(_))
}

fn tell_files(files: &[Likely], out: &mut Out) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    // What was touched lately comes to mind whatever the task is, and must not stand between it and what it points at.
    let (pointed, lately): (Vec<&Likely>, Vec<&Likely>) =
        files.iter().partition(|likely| likely.pointed_at);
    if !pointed.is_empty() {
        writeln!(out, "\n{STRONG}files it will probably touch{STRONG:#}")?;
        tell_each(&pointed, out)?;
    }
    // Beside what the task points at, a file says nothing by having been touched lately.
    let shown: Vec<&Likely> = lately
        .iter()
        .copied()
        .filter(|likely| pointed.is_empty() || is_about(likely))
        .take(LATELY)
        .collect();
    let more = lately.len() - shown.len();
    if shown.is_empty() {
        return tell_more(more, out);
    }
    let heading = if pointed.is_empty() {
        "little in the task points at a file; perhaps"
    } else {
        "perhaps also"
    };
    writeln!(out, "\n{STRONG}{heading}{STRONG:#}")?;
    tell_each(&shown, out)?;
    tell_more(more, out)
}

/// Whether anything but its age speaks for a file.
fn is_about(likely: &Likely) -> bool {
    let mut lanes = likely.file.because.iter().map(|reason| reason.lane);
    lanes.any(|lane| {
        !matches!(
            lane,
            PredictionLane::CommittedLately | PredictionLane::Fresh
        )
    })
}

fn tell_more(more: usize, out: &mut Out) -> Result<()> {
    if more > 0 {
        let less = count(more, "less likely file");
        writeln!(out, "  {FAINT}and {less}; --json lists all{FAINT:#}")?;
    }
    Ok(())
}

fn tell_each(files: &[&Likely], out: &mut Out) -> Result<()> {
    for Likely {
        file, there, words, ..
    } in files
    {
        let reasons = file.because.iter().zip(words).take(REASONS);
        let why: Vec<String> = reasons
            .map(|(reason, words)| files::say(reason.lane, words))
            .collect();
        let there = if *there { "" } else { "  not there now" };
        writeln!(out, "  {}{FAINT}{there}{FAINT:#}", file.path)?;
        let columns = out.width().saturating_sub(4);
        for line in wrap(&why.join(" · "), columns) {
            writeln!(out, "    {FAINT}{line}{FAINT:#}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use oldhand_engine::Shelf;
    use oldhand_recall::gate::Refusal;

    use super::*;

    #[test]
    fn what_reads_alike_is_one_line() {
        let under = |relevance: f64| Unsaid {
            shelf: Shelf::Project,
            id: "0198c1e2-77aa-7000-8000-0123456789ab".parse().unwrap(),
            summary: String::new(),
            relevance,
            why: Why::UnderTheBar,
        };
        let left_out: Vec<Unsaid> = [0.31, 0.25, 0.25, 0.25, 0.18, 0.11, 0.11, 0.11, 0.02, 0.01]
            .map(under)
            .into();
        let lines: Vec<(usize, usize)> = lines_of(&left_out)
            .iter()
            .map(|line| (line.first, line.many))
            .collect();
        assert_eq!(lines, [(0, 1), (1, 6), (4, 1), (8, 1), (9, 1)]);
    }

    #[test]
    fn words_of_what_was_refused_are_not_shown_whoever_looks() {
        for refusal in [Refusal::Tainted, Refusal::NeedsReview, Refusal::Deleted] {
            assert!(!may_be_shown(&Why::Refused(refusal)));
        }
        assert!(may_be_shown(&Why::UnderTheBar));
        assert!(may_be_shown(&Why::Unpacked(Unpacked::NoRoom)));
    }
}
