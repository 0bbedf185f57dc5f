//! `oldhand import json`: memories from JSON lines.

use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::filter::{Filter, State};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Draft, Memory};
use oldhand_domain::payload::MemoryType;
use oldhand_domain::text::{Content, is_hidden};
use oldhand_engine::Shelf;
use oldhand_redact::redact;

use crate::cli::Door;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::input;
use crate::interrupt;
use crate::out::time::count;
use crate::out::{Out, Progress};
use crate::view::memory::ImportLine;
use crate::view::receipt::LineView;

/// Bring in memories from JSON lines, such as `oldhand export` writes
///
/// Each line is an object with `content` and, if you like, `type`, `files`, `tags`, `confidence`, `source`,
/// `created_at` and the other fields that docs/json.md names. With --json the answer is one line for each line.
/// What is known word for word is passed over, so that importing twice is importing once, and so is what you forgot;
/// what says the same in other words is confirmed. A line that cannot be taken is told, and the others are taken.
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
/// How many lines are written and answered at a time.
const BATCH: usize = 100;
/// How many lines that were not taken are shown to a person.
const MOST_SHOWN: usize = 20;

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    interrupt::watch("what was imported so far stays");
    let bytes = if args.file.as_os_str() == "-" {
        input::standard_input_bytes()?
    } else {
        input::file_bytes(&args.file)?
    };
    let shelf = if args.personal {
        Shelf::Personal
    } else {
        Shelf::Project
    };
    let lines: Vec<(usize, Result<Draft>)> = input::lines(&bytes)
        .map(|(at, line)| (at, line.and_then(read_line)))
        .collect();
    let desk = Desk::open(&door.environment, Purpose::Teach(shelf), &door.out)?;
    let known = Known::gather(&lines, shelf, &desk)?;
    let progress = Progress::new("importing", lines.len());
    let mut answers = Vec::with_capacity(lines.len());
    let mut lines = lines.into_iter().peekable();
    while lines.peek().is_some() {
        let batch = lines.by_ref().take(BATCH).collect();
        let taken = take(batch, &known, shelf, &desk)?;
        if door.out.is_json() {
            // Told batch by batch: what is answered stays, whatever becomes of the rest.
            taken.iter().try_for_each(|answer| door.out.json(answer))?;
        }
        answers.extend(taken);
        progress.reach(answers.len());
    }
    drop(progress);
    desk.back_up(&door.out);
    if !door.out.is_json() {
        tell(&answers, &mut door.out)?;
    }
    let refused = answers.iter().any(|answer| answer.outcome == "refused");
    Ok(ExitCode::from(if refused { 2 } else { 0 }))
}

/// Writes a batch of lines; the answers are in their order.
fn take(
    batch: Vec<(usize, Result<Draft>)>,
    known: &Known,
    shelf: Shelf,
    desk: &Desk,
) -> Result<Vec<LineView>> {
    let mut drafts = Vec::new();
    let mut answers: Vec<(usize, Option<LineView>)> = Vec::new();
    for (line, draft) in batch {
        let answer = match draft {
            Err(error) => {
                let why = Some(format!("{error:#}"));
                Some(LineView::unwritten(line, "refused", why))
            }
            Ok(draft) => {
                let found = known.find(&draft).map(|(id, outcome)| LineView {
                    id: Some(id),
                    ..LineView::unwritten(line, outcome, None)
                });
                if found.is_none() {
                    drafts.push(draft);
                }
                found
            }
        };
        answers.push((line, answer));
    }
    let receipts = desk
        .engine()
        .remember_all(shelf, drafts, desk.now, &mut |_| {})?;
    let mut receipts = receipts.iter();
    let answers = answers.into_iter().map(|(line, answer)| {
        answer.unwrap_or_else(|| {
            let receipt = receipts.next().expect("a receipt for each draft");
            LineView::new(line, receipt)
        })
    });
    Ok(answers.collect())
}

/// What the store says word for word already, so that importing twice is importing once.
struct Known {
    memories: HashMap<(MemoryType, Content), Memory>,
    /// What a person forgot does not come back by itself.
    forgotten: HashMap<(MemoryType, Content), MemoryId>,
}

impl Known {
    fn gather(lines: &[(usize, Result<Draft>)], shelf: Shelf, desk: &Desk) -> Result<Self> {
        let drafts = lines.iter().filter_map(|(_, draft)| draft.as_ref().ok());
        let types: BTreeSet<MemoryType> = drafts.map(|draft| draft.payload.memory_type()).collect();
        let list = |state| -> Result<Vec<Memory>> {
            if types.is_empty() {
                return Ok(Vec::new());
            }
            let filter = Filter {
                types: types.iter().cloned().collect(),
                state,
                ..Filter::default()
            };
            let kept = desk.engine().list(Some(shelf), &filter)?;
            let memories = kept.memories.into_iter();
            Ok(memories.map(|shelved| shelved.memory).collect())
        };
        let key = |memory: &Memory| (memory.memory_type(), memory.content.clone());
        let memories = list(State::Live)?.into_iter();
        let forgotten = list(State::Deleted)?.into_iter();
        Ok(Self {
            memories: memories.map(|memory| (key(&memory), memory)).collect(),
            forgotten: forgotten.map(|memory| (key(&memory), memory.id)).collect(),
        })
    }

    /// The memory that already says all that the draft says, and what becomes of the line. One more session that saw
    /// it is news.
    fn find(&self, draft: &Draft) -> Option<(MemoryId, &'static str)> {
        let content = Content::new(&redact(&draft.content).text).ok()?;
        let key = (draft.payload.memory_type(), content);
        let Some(memory) = self.memories.get(&key) else {
            return self.forgotten.get(&key).map(|id| (*id, "forgotten"));
        };
        let session = draft.session.as_ref();
        let seen = session.is_none_or(|session| {
            memory.session.as_ref() == Some(session) || memory.provenance.contains(session)
        });
        let nothing_new = seen
            && draft.tags.is_subset(&memory.tags)
            && draft.files.is_subset(&memory.files)
            && draft.modules.is_subset(&memory.modules)
            && draft.fingerprints.is_subset(&memory.fingerprints);
        nothing_new.then_some((memory.id, "known"))
    }
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

fn tell(answers: &[LineView], out: &mut Out) -> Result<()> {
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
