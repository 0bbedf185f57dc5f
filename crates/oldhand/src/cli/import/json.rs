//! `oldhand import json`: memories from JSON lines.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::filter::{Filter, State};
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::{Draft, Memory, Past};
use oldhand_domain::payload::MemoryType;
use oldhand_domain::taint::{OutsideText, Taint};
use oldhand_domain::text::{Content, is_hidden};
use oldhand_engine::{Redaction, Shelf, Voice, Written, cut_draft, replaced};
use oldhand_redact::redact;
use serde::de::IgnoredAny;

use crate::cli::{Door, NOTHING_FOUND};
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::input;
use crate::interrupt;
use crate::out::time::count;
use crate::out::{Out, Progress};
use crate::view::memory::ImportLine;
use crate::view::receipt::{LineView, RedactionView};

/// Bring in memories from JSON lines, such as `oldhand export` writes
///
/// Each line is an object with `content` and, if you like, `type`, `files`, `tags`, `confidence`, `source`,
/// `created_at` and the other fields that docs/json.md names. With --json the answer is one line for each line.
/// What is known word for word is passed over, so that importing twice is importing once, and so is what you forgot and, unless its date is
/// later, what something else took the place of; what says the same in other words is one with it, and makes it surer where the line names
/// another session. A text over 2 KiB becomes several memories that carry the same tags, files and
/// dates. A line that cannot be taken is told, and the others are taken.
/// Whoever wrote the file, `search` finds what it says; no agent is told it before you confirm it (`oldhand review`), and nothing
/// in it is pinned. Of your own export, `--trusted` keeps pins, verifications, flags, sessions and use, and needs no review.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand import json memories.jsonl
  oldhand --project ../other export | oldhand import json --trusted -")]
pub(crate) struct Args {
    /// `-` reads standard input
    file: PathBuf,
    /// Let them follow you from project to project
    #[arg(long)]
    personal: bool,
    /// You stand by what the file says: let agents be told it without a review, and keep what became of it
    #[arg(long)]
    trusted: bool,
}

impl Args {
    /// What `oldhand status` calls it.
    fn as_given(&self) -> Vec<String> {
        let file = self.file.to_string_lossy().into_owned();
        vec!["import".to_owned(), "json".to_owned(), file]
    }
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
        input::named_file_bytes(&args.file)?
    };
    let shelf = if args.personal {
        Shelf::Personal
    } else {
        Shelf::Project
    };
    let take_as = |draft: Draft| {
        if args.trusted {
            draft
        } else {
            from_outside(draft)
        }
    };
    let mut lines = Vec::new();
    let mut exported = Exported::default();
    for (number, line) in input::lines(&bytes) {
        let read = line.and_then(read_line);
        let draft = read.map(|line| exported.note(number, line));
        lines.push((number, draft.map(take_as)));
    }
    exported.bring_together(&mut lines);
    // A folder becomes a project once there is something to keep of it.
    let says_something = |draft: &Draft| !draft.content.trim().is_empty();
    let purpose = if lines
        .iter()
        .any(|(_, draft)| draft.as_ref().is_ok_and(says_something))
    {
        Purpose::Teach(shelf)
    } else {
        Purpose::Look
    };
    let desk = Desk::open(&door.environment, purpose, &door.out)?;
    let attended = desk.attend(args.as_given());
    let known = Known::gather(&lines, shelf, &desk)?;
    let progress = Progress::new("importing", lines.len());
    let mut answers = Vec::with_capacity(lines.len());
    let mut lines = lines.into_iter().peekable();
    while lines.peek().is_some() {
        let batch: Vec<_> = lines.by_ref().take(BATCH).collect();
        // Parts of a text that was cut before it was exported wait until its first part has its new id.
        let (parts, firsts): (Vec<_>, Vec<_>) = batch
            .into_iter()
            .partition(|(number, _)| exported.parts.contains_key(number));
        let mut taken = take(firsts, &known, shelf, &desk)?;
        exported.learn(&taken);
        let (forgotten, parts) = exported.join(parts, &known);
        taken.extend(forgotten);
        taken.extend(take(parts, &known, shelf, &desk)?);
        taken.sort_by_key(|answer| answer.line);
        if door.out.is_json() {
            // Told batch by batch: what is answered stays, whatever becomes of the rest.
            taken.iter().try_for_each(|answer| door.out.json(answer))?;
        }
        answers.extend(taken);
        progress.reach(answers.len());
    }
    drop(progress);
    if purpose != Purpose::Look {
        desk.back_up(&door.out);
    }
    drop(attended);
    if answers.is_empty() {
        door.out
            .note("no memory was taken: the file has no line with one");
        return Ok(ExitCode::from(NOTHING_FOUND));
    }
    if !door.out.is_json() {
        tell(&answers, &mut door.out)?;
        if !args.trusted && answers.iter().any(|answer| answer.outcome == "inserted") {
            door.out
                .note("no agent is told them before you confirm them: `oldhand review`");
            door.out
                .hint("`import json --trusted` takes your own export without a review");
        }
    }
    let refused = answers.iter().any(|answer| answer.outcome == "refused");
    Ok(ExitCode::from(if refused { 2 } else { 0 }))
}

/// What lines say of themselves that was true where they come from.
#[derive(Default)]
struct Exported {
    /// The id that the memory of a line had.
    ids: HashMap<usize, MemoryId>,
    /// The lines that are further parts of a text, with the id that its first part had.
    parts: HashMap<usize, MemoryId>,
    /// What the first parts, and whatever else has an id, are called here.
    new_ids: HashMap<MemoryId, MemoryId>,
    forgotten: BTreeSet<MemoryId>,
}

impl Exported {
    fn note(&mut self, number: usize, line: ReadLine) -> Draft {
        self.ids.extend(line.id.map(|id| (number, id)));
        self.parts.extend(line.part_of.map(|first| (number, first)));
        line.draft
    }

    /// Lets no part come before its first part.
    fn bring_together<T>(&self, lines: &mut [(usize, T)]) {
        let numbers: HashMap<MemoryId, usize> =
            self.ids.iter().map(|(number, id)| (*id, *number)).collect();
        lines.sort_by_key(|(number, _)| {
            let first = self.parts.get(number).and_then(|first| numbers.get(first));
            (first.copied().unwrap_or(0).max(*number), *number)
        });
    }

    fn learn(&mut self, answers: &[LineView]) {
        for answer in answers {
            if let (Some(old), Some(new)) = (self.ids.get(&answer.line), answer.id) {
                self.new_ids.insert(*old, new);
                if answer.outcome == "forgotten" {
                    self.forgotten.insert(*old);
                }
            }
        }
    }

    /// The same lines, each a part of what its first part is called here; one whose first part is not in the file stands alone. Whoever
    /// forgot the beginning of a text is not given its end: that is answered at once.
    fn join(
        &self,
        parts: Vec<(usize, Result<Draft>)>,
        known: &Known,
    ) -> (Vec<LineView>, Vec<(usize, Result<Draft>)>) {
        let mut forgotten = Vec::new();
        let mut joined = Vec::new();
        for (number, draft) in parts {
            let first = self.parts.get(&number);
            let part_of = first.and_then(|first| self.new_ids.get(first)).copied();
            let is_unknown = |draft: &Draft| known.find(draft).is_none();
            if first.is_some_and(|first| self.forgotten.contains(first))
                && draft.as_ref().is_ok_and(is_unknown)
            {
                forgotten.push(LineView::unwritten(number, "forgotten", None));
            } else {
                joined.push((number, draft.map(|draft| Draft { part_of, ..draft })));
            }
        }
        (forgotten, joined)
    }
}

/// A line that could be read.
struct ReadLine {
    draft: Draft,
    id: Option<MemoryId>,
    part_of: Option<MemoryId>,
}

/// A line on its way into the store.
struct Line {
    number: usize,
    /// `None` while its first part waits to be written.
    answer: Option<LineView>,
    /// What comes behind the first part of a long text.
    rest: Vec<Draft>,
    redactions: Vec<Redaction>,
}

/// Writes a batch of lines; the answers are in their order.
fn take(
    batch: Vec<(usize, Result<Draft>)>,
    known: &Known,
    shelf: Shelf,
    desk: &Desk,
) -> Result<Vec<LineView>> {
    let mut firsts = Vec::new();
    let lines: Vec<Line> = batch
        .into_iter()
        .map(|(number, draft)| begin(number, draft, known, &mut firsts))
        .collect();
    let write = |drafts| {
        let engine = desk.engine();
        engine.remember_all(shelf, drafts, Voice::Record, desk.now, &mut |_| {})
    };
    let receipts = write(firsts)?;
    let mut receipts = receipts.iter();
    let mut answers = Vec::with_capacity(lines.len());
    let mut rest = Vec::new();
    for line in lines {
        let mut answer = line.answer.unwrap_or_else(|| {
            let receipt = receipts.next().expect("a receipt for each draft");
            let mut answer = LineView::new(line.number, receipt);
            if matches!(&receipt.outcome, Written::Merged { is_news: false, .. }) {
                answer.outcome = "known";
            }
            answer
        });
        answer
            .redactions
            .extend(RedactionView::all(&line.redactions));
        if let Some(first) = answer.id.filter(|_| !line.rest.is_empty()) {
            answer.parts.push(first);
            for part in line.rest {
                match known.find(&part) {
                    Some((id, _)) => answer.parts.push(id),
                    // Whoever forgot the beginning of a text is not given its end.
                    None if answer.outcome == "forgotten" => {}
                    None => rest.push((
                        answers.len(),
                        Draft {
                            part_of: Some(first),
                            ..part
                        },
                    )),
                }
            }
        }
        answers.push(answer);
    }
    // All parts at once: a transaction for each text would cost more than what it writes.
    let (of, parts): (Vec<usize>, Vec<Draft>) = rest.into_iter().unzip();
    for (line, receipt) in of.into_iter().zip(write(parts)?) {
        answers[line].take_part(&receipt);
    }
    Ok(answers)
}

/// Answers what needs no writing, and puts what does on `firsts`.
fn begin(number: usize, draft: Result<Draft>, known: &Known, firsts: &mut Vec<Draft>) -> Line {
    let mut line = Line {
        number,
        answer: None,
        rest: Vec::new(),
        redactions: Vec::new(),
    };
    let refuse = |why: String| Some(LineView::unwritten(number, "refused", Some(why)));
    let draft = match draft {
        Ok(draft) => draft,
        Err(error) => {
            line.answer = refuse(format!("{error:#}"));
            return line;
        }
    };
    let (parts, redactions) = cut_draft(draft);
    let mut parts = parts.into_iter();
    match parts.next() {
        None => line.answer = refuse("memory is empty".to_owned()),
        Some(first) => match known.find(&first) {
            None => firsts.push(first),
            Some((id, outcome)) => {
                line.answer = Some(LineView {
                    id: Some(id),
                    ..LineView::unwritten(number, outcome, None)
                });
            }
        },
    }
    line.rest = parts.collect();
    line.redactions = redactions;
    line
}

/// What the store says word for word already, so that importing twice is importing once.
struct Known {
    /// Also what something else took the place of: read again, the same file would turn that round each time.
    memories: HashMap<(MemoryType, Content), Memory>,
    /// What was replaced by something that holds still, or by what that replaced. What is out of sight for another reason comes back.
    replaced: HashSet<MemoryId>,
    /// What a person forgot does not come back by itself.
    forgotten: HashMap<(MemoryType, Content), MemoryId>,
}

impl Known {
    fn gather(lines: &[(usize, Result<Draft>)], shelf: Shelf, desk: &Desk) -> Result<Self> {
        let drafts = lines.iter().filter_map(|(_, draft)| draft.as_ref().ok());
        let types: BTreeSet<MemoryType> = drafts.map(|draft| draft.payload.memory_type()).collect();
        let list = |types: Vec<MemoryType>, state| -> Result<Vec<Memory>> {
            let filter = Filter {
                types,
                state,
                ..Filter::default()
            };
            let kept = desk.engine().list(Some(shelf), &filter)?;
            let memories = kept.memories.into_iter();
            Ok(memories.map(|shelved| shelved.memory).collect())
        };
        let key = |memory: &Memory| (memory.memory_type(), memory.content.clone());
        let of_types = |state| {
            if types.is_empty() {
                return Ok(Vec::new());
            }
            list(types.iter().cloned().collect(), state)
        };
        let forgotten = of_types(State::Deleted)?.into_iter();
        let mut every = of_types(State::Any)?;
        let is_deprecated = |memory: &Memory| memory.deprecated.is_some();
        let replaced = if every.iter().any(is_deprecated) {
            // A successor may be of another type.
            replaced_still(&list(Vec::new(), State::Any)?)
        } else {
            HashSet::new()
        };
        // Of several that say the same the one that holds counts, or else one that was replaced; it is the last to be put in.
        every.sort_by_key(|memory| (memory.is_live(), replaced.contains(&memory.id)));
        let kept = every.into_iter();
        let kept = kept.filter(|memory| memory.deleted_since.is_none());
        Ok(Self {
            memories: kept.map(|memory| (key(&memory), memory)).collect(),
            replaced,
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
        if let Some(mark) = &memory.deprecated {
            let is_later = draft.created_at.is_some_and(|at| at > mark.since);
            let stays = self.replaced.contains(&memory.id) && !is_later;
            return stays.then_some((memory.id, "known"));
        }
        let mut sessions = draft.session.iter().chain(&draft.past.provenance);
        let seen = sessions.all(|session| {
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

/// What those that hold took the place of, and what that had replaced before.
fn replaced_still(every: &[Memory]) -> HashSet<MemoryId> {
    let successions: HashMap<MemoryId, Vec<MemoryId>> = every
        .iter()
        .map(|memory| (memory.id, replaced(memory).collect()))
        .collect();
    let live = every.iter().filter(|memory| memory.is_live());
    let mut open: Vec<MemoryId> = live.flat_map(replaced).collect();
    let mut found = HashSet::new();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            open.extend(successions.get(&id).into_iter().flatten());
        }
    }
    found
}

/// What a file says that anybody may have written: found by who asks, told to nobody before a person has read it.
fn from_outside(draft: Draft) -> Draft {
    Draft {
        needs_review: true,
        pinned: false,
        taint: draft.taint.join(&Taint::by(OutsideText::Import)),
        past: Past::default(),
        ..draft
    }
}

fn read_line(text: &str) -> Result<ReadLine> {
    if serde_json::from_str::<IgnoredAny>(text).is_ok() && !text.trim_start().starts_with('{') {
        return Err(Failure::invalid("it is not an object, `{ … }`").into());
    }
    let line: ImportLine = serde_json::from_str(text).map_err(|error| {
        // Each line is a document of its own; its number is told beside this.
        Failure::invalid(
            error
                .to_string()
                .replace(" at line 1 column ", " at column "),
        )
    })?;
    let (id, part_of) = (line.id(), line.part_of());
    let mut draft = line.into_draft()?;
    // Of what is not an export of ours, the past is unknown.
    draft.past = serde_json::from_str(text).unwrap_or_default();
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
    Ok(ReadLine { draft, id, part_of })
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
    let cut = answers.iter().filter(|answer| !answer.parts.is_empty());
    let texts = cut.clone().count();
    let parts: usize = cut.map(|answer| answer.parts.len()).sum();
    let in_parts = match texts {
        0 => String::new(),
        texts => format!(
            "; {} too long for one memory, in {parts} parts",
            count(texts, "text")
        ),
    };
    let summary = super::rules::summary(answers.iter().map(|answer| answer.outcome));
    writeln!(out, "{summary}{in_parts}")?;
    Ok(())
}
