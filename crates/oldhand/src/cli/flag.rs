//! `oldhand flag`: a person says that a memory is wrong.

use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::text::without_hidden;
use oldhand_domain::vocabulary::Correction;

use super::changed::tell;
use super::{Door, words};
use crate::desk::{Desk, Purpose};
use crate::trust;
use crate::wire::quoted;

/// Say that a memory is wrong; agents are not given it any more
///
/// What is wrong is one of: inaccurate, outdated, too_specific, duplicate; usual words for these (wrong, misleading,
/// useless, old, "not true any more") are understood. To correct it, use `oldhand edit`; to take the flag back, `oldhand verify`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand flag 8f1c22a0
  oldhand flag 8f1c22a0 outdated --note \"the port is 8080 since March\"")]
pub(crate) struct Args {
    id: String,
    /// What is wrong with it
    #[arg(value_parser = correction_of_one, default_value = "inaccurate")]
    correction: Correction,
    /// A few words on why
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

fn correction_of_one(text: &str) -> Result<Correction, String> {
    correction(text, "oldhand flag ID")
}

/// What is wrong with a memory, in the word for it or another that people use. `command` is what a few words on why may be said with.
pub(super) fn correction(text: &str, command: &str) -> Result<Correction, String> {
    let plain = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    let word = plain.replace([' ', '-'], "_");
    usual(core(&word))
        .map_or_else(|| words::word(&word), Ok)
        .map_err(|unknown| match text.trim() {
            why if why.contains(' ') => format!(
                "a few words on why go behind --note: `{command} --note {}`",
                quoted(why)
            ),
            _ => unknown,
        })
}

/// "it is wrong" says what "wrong" says.
fn core(word: &str) -> &str {
    const BEFORE: [&str; 9] = [
        "it_is_", "it's_", "its_", "this_is_", "that_is_", "that's_", "is_", "simply_", "just_",
    ];
    let mut rest = word;
    while let Some(core) = BEFORE.iter().find_map(|before| rest.strip_prefix(before)) {
        rest = core;
    }
    rest
}

/// Other words for what may be wrong.
fn usual(word: &str) -> Option<Correction> {
    Some(match word {
        "wrong" | "false" | "incorrect" | "untrue" | "not_true" | "invalid" | "bad"
        | "mistaken" | "mistake" | "a_mistake" | "error" | "misleading" | "harmful"
        | "dangerous" | "useless" | "unhelpful" | "not_helpful" | "noise" | "nonsense"
        | "irrelevant" | "not_right" | "inaccurate" => Correction::Inaccurate,
        "old" | "obsolete" | "stale" | "gone" | "out_of_date" | "outdated" | "expired"
        | "deprecated" | "superseded" | "no_longer_true" | "no_longer_right"
        | "no_longer_valid" | "not_true_any_more" | "not_true_anymore" | "not_valid_any_more"
        | "not_valid_anymore" => Correction::Outdated,
        "specific" | "narrow" | "too_narrow" | "too_specific" => Correction::TooSpecific,
        "dup" | "dupe" | "double" | "twice" | "same" | "the_same" | "a_duplicate" | "duplicate"
        | "duplicated" | "repeated" | "redundant" => Correction::Duplicate,
        _ => return None,
    })
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Change, &door.out)?;
    // It is shown on terminals, so nothing in it may steer one.
    let note = args.note.as_ref().map(|note| without_hidden(note));
    let note = note.as_deref();
    let shelved = desk
        .engine()
        .flag(&args.id, args.correction, note, desk.now)?;
    desk.back_up(&door.out);
    tell(&mut door.out, "flagged", &shelved, &[], desk.now)?;
    if !door.out.is_json() {
        let id = shelved.memory.id.short();
        door.out.hint(&match args.correction {
            Correction::Duplicate => format!("`oldhand forget {id}` removes it"),
            _ => format!("`oldhand edit {id}` corrects it, `oldhand forget {id}` removes it"),
        });
    }
    trust::offer_to_step_back(&desk, &door.out)?;
    Ok(ExitCode::SUCCESS)
}
