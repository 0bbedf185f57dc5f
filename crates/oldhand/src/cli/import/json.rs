//! `oldhand import json`: memories from JSON lines.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::memory::Draft;
use oldhand_domain::text::is_hidden;
use oldhand_engine::Shelf;

use crate::cli::Door;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::input;
use crate::interrupt;
use crate::out::Progress;
use crate::out::time::count;
use crate::view::memory::ImportLine;
use crate::view::receipt::LineView;

/// Bring in memories from JSON lines, such as `oldhand export` writes
///
/// Each line is an object with `content` and, if you like, `type`, `files`, `tags`, `confidence`, `source`,
/// `created_at` and the other fields that docs/json.md names. With --json the answer is one line for each line.
/// What is known already is confirmed; a line that cannot be taken is told and the others are taken.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand import json memories.jsonl
  oldhand --project ../other export | oldhand import json -")]
pub(crate) struct Args {
    /// `-` reads standard input
    file: PathBuf,
    /// Let them follow you from project to project
    #[arg(long)]
    personal: bool,
}

/// The longest name of a branch or methodology, in bytes.
const NAME_LIMIT: usize = 256;
/// How many lines that were not taken are shown to a person.
const MOST_SHOWN: usize = 20;

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    interrupt::watch("what was imported so far stays");
    let text = if args.file.as_os_str() == "-" {
        input::standard_input()?
    } else {
        input::file(&args.file)?
    };
    let shelf = if args.personal {
        Shelf::Personal
    } else {
        Shelf::Project
    };
    let (lines, drafts): (Vec<usize>, Vec<Result<Draft>>) = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| (at + 1, read_line(line)))
        .unzip();
    let desk = Desk::open(&door.environment, Purpose::Teach(shelf), &door.out)?;
    let mut taken = Vec::new();
    let mut answers: Vec<Option<LineView>> = Vec::new();
    for (line, draft) in lines.iter().zip(drafts) {
        match draft {
            Ok(draft) => {
                taken.push(draft);
                answers.push(None);
            }
            Err(error) => {
                let why = Some(format!("{error:#}"));
                answers.push(Some(LineView::unwritten(*line, "refused", why)));
            }
        }
    }
    let progress = Progress::new("importing", taken.len());
    let receipts = desk
        .engine()
        .remember_all(shelf, taken, desk.now, &mut |done| progress.reach(done))?;
    drop(progress);
    let mut receipts = receipts.iter();
    let answers = lines.iter().zip(answers).map(|(line, answer)| {
        answer.unwrap_or_else(|| {
            let receipt = receipts.next().expect("a receipt for each draft");
            LineView::new(*line, receipt)
        })
    });
    let answers: Vec<LineView> = answers.collect();
    desk.back_up(&door.out);
    tell(&answers, door)?;
    let refused = answers.iter().any(|answer| answer.outcome == "refused");
    Ok(ExitCode::from(if refused { 2 } else { 0 }))
}

fn read_line(line: &str) -> Result<Draft> {
    let line: ImportLine = serde_json::from_str(line).map_err(|error| {
        // Each line is a document of its own; its number is told beside this.
        Failure::invalid(
            error
                .to_string()
                .replace(" at line 1 column ", " at column "),
        )
    })?;
    let draft = line.into_draft()?;
    for (field, text) in [
        ("branch", &draft.branch),
        ("methodology", &draft.methodology),
    ] {
        // They are shown on terminals, so nothing in them may steer one.
        let fits = |text: &String| text.len() <= NAME_LIMIT && !text.contains(is_hidden);
        if !text.as_ref().is_none_or(fits) {
            return Err(Failure::invalid(format!("`{field}` is not a name")).into());
        }
    }
    Ok(draft)
}

fn tell(answers: &[LineView], door: &mut Door) -> Result<()> {
    let out = &mut door.out;
    if out.is_json() {
        return answers.iter().try_for_each(|answer| out.json(answer));
    }
    let refused: Vec<&LineView> = answers
        .iter()
        .filter(|answer| answer.outcome == "refused")
        .collect();
    for LineView { line, why, .. } in refused.iter().take(MOST_SHOWN) {
        let why = why.as_deref().unwrap_or_default();
        out.note(&format!("line {line} was not taken: {why}"));
    }
    if refused.len() > MOST_SHOWN {
        out.note(&format!("and {} more lines", refused.len() - MOST_SHOWN));
    }
    let redacted: usize = answers.iter().map(|answer| answer.redactions.len()).sum();
    if redacted > 0 {
        out.note(&format!("{} left out", count(redacted, "secret")));
    }
    writeln!(
        out,
        "{}",
        super::rules::summary(answers.iter().map(|answer| answer.outcome))
    )?;
    Ok(())
}
