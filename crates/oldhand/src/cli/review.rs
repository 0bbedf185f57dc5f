//! `oldhand review`: what was learned, one by one, with one key for each answer.

mod origin;

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use console::{Key, Term};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::text::{is_hidden, seen_in, without_hidden};
use oldhand_domain::vocabulary::Correction;
use oldhand_engine::rules::is_of_file;
use oldhand_engine::{Engine, Shelved, contradicted};

use super::edit::{self, Change};
use super::import::rules::disputes::other_side;
use super::most::Most;
use super::{Door, NOTHING_FOUND, flag};
use crate::card;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::out::style::{FAINT, GOOD, ID, QUESTION, STRONG, TYPE};
use crate::out::time::count;
use crate::out::wrap::{shorten, wrap};
use crate::out::{Out, can_ask};
use crate::sessions::Sessions;
use crate::trust;
use crate::view::review::{AnswerView, QueueView, ReviewedView, why};
use origin::Origin;

/// Go through what was learned and say what is true
///
/// In a terminal each memory is shown as an agent would read it, and one key answers: c confirms it, e opens it in your editor,
/// r rejects it (then i inaccurate, o outdated, t too specific, d duplicate; what is inaccurate or too specific you may write
/// anew, with w, instead of letting it go, with g), l leaves it for later, q ends. Elsewhere the list is printed, and `--confirm` and `--reject` answer by id.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand review
  oldhand review --json
  oldhand review --confirm 8f1c22a0 --confirm 77ab01c2
  oldhand review --reject 8f1c22a0 --as outdated --note \"the port is 8080 now\"")]
pub(crate) struct Args {
    /// Confirm this memory; may be given several times
    #[arg(long, value_name = "ID")]
    confirm: Vec<String>,
    /// Reject this memory; may be given several times
    #[arg(long, value_name = "ID")]
    reject: Vec<String>,
    /// What is wrong with what is rejected: inaccurate, outdated, too_specific or duplicate; usual words for these (wrong, old) are understood
    #[arg(long = "as", value_name = "WHAT", requires = "reject", value_parser = correction, default_value = "inaccurate")]
    correction: Correction,
    /// A few words on why
    #[arg(long, value_name = "TEXT", requires = "reject")]
    note: Option<String>,
    /// Show at most this many; 0 is all
    #[arg(
        long,
        short = 'n',
        value_name = "N",
        allow_negative_numbers = true,
        default_value = "50"
    )]
    limit: Most,
}

fn correction(text: &str) -> Result<Correction, String> {
    flag::correction(text, "oldhand review --reject ID")
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    if !args.confirm.is_empty() || !args.reject.is_empty() {
        return answer(args, door);
    }
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    let level = trust::level(&desk.settings, desk.project_store());
    let mut queue = desk.engine().review_queue(level)?;
    let now = desk.now;
    let outside = if door.out.is_json() {
        Outside::default()
    } else {
        Outside::of(&desk, &queue[..queue.len().min(args.limit.get())])?
    };
    drop(desk);
    if door.out.is_json() {
        door.out
            .json(&QueueView::new(&queue, args.limit.get(), now))?;
    } else if queue.is_empty() {
        door.out.note("nothing waits for a review");
    } else if can_ask() {
        queue.truncate(args.limit.get());
        return ask(&queue, &outside, door);
    } else {
        for shelved in queue.iter().take(args.limit.get()) {
            card::brief(&mut door.out, shelved, now)?;
            let why = say_why(shelved, &outside);
            let seen = origin::say_seen(&shelved.memory);
            let why = seen.iter().fold(why, |why, seen| format!("{why}; {seen}"));
            for line in wrap(&why, door.out.width() - 2) {
                writeln!(door.out, "  {FAINT}{line}{FAINT:#}")?;
            }
            writeln!(door.out)?;
        }
        args.limit.tell_rest(queue.len(), &door.out);
        let wrong: Vec<&str> = Correction::ALL.iter().map(|one| one.as_str()).collect();
        let wrong = wrong.join("|");
        door.out.hint(&format!(
            "`oldhand review --confirm ID` and `--reject ID --as {wrong}` answer"
        ));
    }
    Ok(ExitCode::from(if queue.is_empty() {
        NOTHING_FOUND
    } else {
        0
    }))
}

/// Answers that were given with the command.
fn answer(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Change, &door.out)?;
    let engine = desk.engine();
    // It is shown on terminals, so nothing in it may steer one.
    let note = args.note.as_ref().map(|note| without_hidden(note));
    refuse_opposites(&args.confirm, &engine)?;
    let mut answers = Vec::new();
    for id in &args.confirm {
        let shelved = engine.verify(id, desk.now)?;
        answers.push((shelved, "confirmed"));
    }
    for id in &args.reject {
        let shelved = engine.reject(id, args.correction, note.as_deref(), desk.now)?;
        answers.push((shelved, "rejected"));
    }
    desk.back_up(&door.out);
    let level = trust::level(&desk.settings, desk.project_store());
    let left = engine.review_queue(level)?.len();
    let out = &mut door.out;
    if out.is_json() {
        let answers = answers.iter().map(|(shelved, outcome)| AnswerView {
            id: shelved.memory.id,
            outcome,
        });
        out.json(&ReviewedView {
            answers: answers.collect(),
            left,
        })?;
    } else {
        for (shelved, outcome) in &answers {
            writeln!(out, "{GOOD}{outcome}{GOOD:#}")?;
            card::brief(out, shelved, desk.now)?;
        }
        out.note(&format!("{} left to review", count(left, "memory")));
        trust::offer_to_step_back(&desk, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One would replace the other, so that nobody who confirms both would get what they asked for.
fn refuse_opposites(confirmed: &[String], engine: &Engine<'_>) -> Result<()> {
    let all = confirmed.iter().map(|id| engine.show(id));
    let all: Vec<Shelved> = all.collect::<Result<_, _>>()?;
    let ids: Vec<MemoryId> = all.iter().map(|one| one.memory.id).collect();
    for one in &all {
        if let Some(other) = contradicted(&one.memory).find(|id| ids.contains(id)) {
            let (one, other) = (one.memory.id.short(), other.short());
            return Err(Failure::invalid(format!(
                "{one} and {other} say the opposite of each other; nothing was changed"
            ))
            .hint("confirm the one that holds: it replaces the other")
            .into());
        }
    }
    Ok(())
}

/// What a key means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Confirm,
    Edit,
    Reject,
    Later,
    Quit,
}

fn ask(queue: &[Shelved], outside: &Outside, door: &mut Door) -> Result<ExitCode> {
    let mut said = [0_usize; 3];
    'queue: for (at, shelved) in queue.iter().enumerate() {
        let id = shelved.memory.id.to_string();
        // The word on one memory may be the word on another.
        if said != [0; 3] && !still_waits(shelved.memory.id, door)? {
            continue;
        }
        show(shelved, outside, (at, queue.len()), door)?;
        // Until it is answered: who goes back or leaves the text as it is, is asked again.
        loop {
            let choice = choose(
                "[c]onfirm  [e]dit  [r]eject  [l]ater  [q]uit",
                &[
                    ('c', Choice::Confirm),
                    ('e', Choice::Edit),
                    ('r', Choice::Reject),
                    ('l', Choice::Later),
                    ('q', Choice::Quit),
                ],
                Choice::Quit,
                &mut door.out,
            )?;
            match choice {
                Choice::Quit => break 'queue,
                Choice::Later => break,
                Choice::Edit => match edit::open(&id, door) {
                    Ok(Change::Made) => {
                        said[1] += 1;
                        break;
                    }
                    Ok(Change::None) => {}
                    // One memory that cannot be edited is no reason to end the review.
                    Err(error) => door.out.note(&format!("{error:#}")),
                },
                Choice::Confirm => {
                    let desk = Desk::open(&door.environment, Purpose::Change, &door.out)?;
                    desk.engine().verify(&id, desk.now)?;
                    desk.back_up(&door.out);
                    said[0] += 1;
                    break;
                }
                Choice::Reject => match reject(&id, door)? {
                    Some(Rejected::Rewritten) => {
                        said[1] += 1;
                        break;
                    }
                    Some(Rejected::Gone) => {
                        said[2] += 1;
                        break;
                    }
                    None => {}
                },
            }
        }
    }
    let [confirmed, edited, rejected] = said;
    writeln!(
        door.out,
        "{confirmed} confirmed, {edited} edited, {rejected} rejected"
    )?;
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    if rejected > 0 {
        trust::offer_to_step_back(&desk, &door.out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn still_waits(id: MemoryId, door: &Door) -> Result<bool> {
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    let level = trust::level(&desk.settings, desk.project_store());
    let queue = desk.engine().review_queue(level)?;
    Ok(queue.iter().any(|waiting| waiting.memory.id == id))
}

/// What became of a memory that a person found wrong.
enum Rejected {
    Gone,
    /// In the person's own words it is right.
    Rewritten,
}

/// Asks what is wrong. What is inaccurate or too specific may be right in other words, so these are asked for; `None` when
/// the person goes back.
fn reject(id: &str, door: &mut Door) -> Result<Option<Rejected>> {
    let Some(correction) = choose_correction(&mut door.out)? else {
        return Ok(None);
    };
    let in_other_words = match correction {
        Correction::Inaccurate => Some("[w]rite it right  [g]one  [b]ack"),
        Correction::TooSpecific => Some("[w]rite it more generally  [g]one  [b]ack"),
        Correction::Outdated | Correction::Duplicate => None,
    };
    if let Some(question) = in_other_words {
        let keys = [
            ('w', Some(Rewrite::Wanted)),
            ('g', Some(Rewrite::Unwanted)),
            ('b', None),
        ];
        match choose(question, &keys, None, &mut door.out)? {
            None => return Ok(None),
            Some(Rewrite::Unwanted) => {}
            Some(Rewrite::Wanted) => {
                let change = edit::open(id, door).unwrap_or_else(|error| {
                    door.out.note(&format!("{error:#}"));
                    Change::None
                });
                return Ok((change == Change::Made).then_some(Rejected::Rewritten));
            }
        }
    }
    let desk = Desk::open(&door.environment, Purpose::Change, &door.out)?;
    desk.engine().reject(id, correction, None, desk.now)?;
    desk.back_up(&door.out);
    Ok(Some(Rejected::Gone))
}

#[derive(Clone, Copy)]
enum Rewrite {
    Wanted,
    Unwanted,
}

/// What is wrong with it; nothing when the person goes back.
fn choose_correction(out: &mut Out) -> Result<Option<Correction>> {
    choose(
        "[i]naccurate  [o]utdated  [t]oo specific  [d]uplicate  [b]ack",
        &[
            ('i', Some(Correction::Inaccurate)),
            ('o', Some(Correction::Outdated)),
            ('t', Some(Correction::TooSpecific)),
            ('d', Some(Correction::Duplicate)),
            ('b', None),
        ],
        None,
        out,
    )
}

/// What stands behind memories that wait: what brought the outside text that had a hand in them, as far as journals tell, and where another
/// rules file contradicts them.
#[derive(Default)]
struct Outside {
    told: BTreeMap<MemoryId, Vec<String>>,
    against: BTreeMap<MemoryId, String>,
}

impl Outside {
    fn of(desk: &Desk, queue: &[Shelved]) -> Result<Self> {
        let mut found = Self::default();
        for Shelved { memory, .. } in queue {
            let place = is_of_file(memory).then(|| other_side(memory, desk));
            found
                .against
                .extend(place.flatten().map(|place| (memory.id, place)));
        }
        let Ok(sessions) = Sessions::of(desk) else {
            return Ok(found);
        };
        for shelved in queue {
            let told = sessions.outside(&shelved.memory)?;
            found.told.insert(shelved.memory.id, told);
        }
        Ok(found)
    }

    fn words(&self, memory: &Memory) -> Option<String> {
        const SHOWN: usize = 2;
        const LENGTH: usize = 70;
        let told = self.told.get(&memory.id).filter(|told| !told.is_empty())?;
        let shown = told.iter().take(SHOWN).map(|one| shorten(one, LENGTH));
        let words = shown.collect::<Vec<_>>().join("; ");
        Some(match told.len().checked_sub(SHOWN) {
            Some(more) if more > 0 => format!("{words}; and {more} more"),
            _ => words,
        })
    }
}

/// The exact text, why it waits, and what it came of; characters that cannot be seen are spelled out.
fn show(
    shelved: &Shelved,
    outside: &Outside,
    (at, of): (usize, usize),
    door: &mut Door,
) -> Result<()> {
    let origin = Origin::of(&shelved.memory, door)?;
    let out = &mut door.out;
    let memory = &shelved.memory;
    let (id, kind) = (memory.id.short(), memory.memory_type());
    writeln!(
        out,
        "\n{STRONG}{} of {of}{STRONG:#}  {ID}{id}{ID:#}  {TYPE}{kind}{TYPE:#}\n",
        at + 1
    )?;
    out.paragraph("  ", memory.content.as_str())?;
    writeln!(out)?;
    card::fact(out, "why", &say_why(shelved, outside))?;
    let files: Vec<&str> = memory.files.iter().map(ProjectPath::as_str).collect();
    let citation = memory.citation.as_ref().map(ToString::to_string);
    for (label, value) in [
        ("files", files.join(", ")),
        ("citation", citation.unwrap_or_default()),
        ("details", card::details(&memory.payload)),
    ] {
        if !value.is_empty() {
            card::fact(out, label, &value)?;
        }
    }
    origin.tell(memory, out)?;
    let content = memory.content.as_str();
    let is_unseen = |char| char != '\n' && is_hidden(char);
    let hidden: Vec<String> = content
        .chars()
        .zip(seen_in(content, is_unseen))
        .filter(|(_, seen)| seen.is_none())
        .map(|(char, _)| char.escape_unicode().to_string())
        .collect();
    if !hidden.is_empty() {
        out.note(&format!(
            "it holds characters you cannot see: {}",
            hidden.join(" ")
        ));
    }
    if at == 0 {
        let keys = "c: agents hear it from now on; e: you put it in other words; r: they never do; l: it waits on; q: ends, and the rest waits";
        writeln!(out)?;
        for line in wrap(keys, out.width().saturating_sub(2)) {
            writeln!(out, "  {FAINT}{line}{FAINT:#}")?;
        }
    }
    Ok(())
}

fn say_why(shelved: &Shelved, outside: &Outside) -> String {
    let because = match why(shelved) {
        "flagged" => {
            let flag = shelved.memory.flagged.as_ref();
            let said = flag.map(|flag| (flag.correction.as_str(), flag.by.in_words()));
            let (correction, by) = said.unwrap_or(("wrong", "somebody"));
            format!("it was flagged as {correction} by {by}")
        }
        "contradicts" => {
            let ids = contradicted(&shelved.memory).map(MemoryId::short);
            let ids: Vec<String> = ids.collect();
            let ids = ids.join(", ");
            let place = outside.against.get(&shelved.memory.id);
            let place = place.map(|place| format!(", {place}")).unwrap_or_default();
            format!("it says the opposite of {ids}{place}, which it replaces once confirmed")
        }
        "orders" => card::ordering(&shelved.memory),
        "outside_text" => match outside.words(&shelved.memory) {
            Some(words) => format!("outside text had a hand in it: {words}"),
            None => "outside text had a hand in it".to_owned(),
        },
        "needs_review" => match shelved.memory.review_reason {
            Some(reason) => reason.in_words().to_owned(),
            None => "it is to be reviewed".to_owned(),
        },
        _ => "nobody has confirmed it yet".to_owned(),
    };
    format!("waits because {because}")
}

/// Waits for one of the keys. An interrupted or closed terminal means `ended`.
fn choose<T: Copy>(question: &str, keys: &[(char, T)], ended: T, out: &mut Out) -> Result<T> {
    /// A terminal that sends something else this often is no person.
    const PATIENCE: usize = 100;
    writeln!(out, "{QUESTION}{question}{QUESTION:#}")?;
    out.flush()?;
    let terminal = Term::stderr();
    for _ in 0..PATIENCE {
        match terminal.read_key() {
            Ok(Key::Char(pressed)) => {
                let pressed = pressed.to_ascii_lowercase();
                if let Some((_, choice)) = keys.iter().find(|(key, _)| *key == pressed) {
                    return Ok(*choice);
                }
            }
            Ok(Key::Escape | Key::CtrlC) | Err(_) => return Ok(ended),
            Ok(_) => {}
        }
    }
    Ok(ended)
}
