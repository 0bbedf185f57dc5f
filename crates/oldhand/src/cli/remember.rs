//! `oldhand remember`: a person teaches.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anyhow::Result;
use oldhand_code::anchor::follow::place_of;
use oldhand_code::index::Index;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::SessionId;
use oldhand_domain::memory::{Draft, Memory};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{MemoryType, Payload};
use oldhand_domain::text::{Content, ModuleName, Tag};
use oldhand_domain::vocabulary::{Scope, Visibility};
use oldhand_domain::work_unit::WorkUnit;
use oldhand_engine::{Receipt, Refusal, Shelf, Shelved, Written, rules};

use super::{Door, words};
use crate::agent;
use crate::card;
use crate::code;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::input;
use crate::out::Out;
use crate::out::style::{FAINT, GOOD, ID};
use crate::project::Head;
use crate::view::receipt::ReceiptView;

/// Teach something worth knowing
///
/// The text is the arguments, or standard input with `-`. Without --type its words decide the type. Secrets are
/// left out before anything is stored, and you are told. What is known already is confirmed instead of stored twice;
/// what says the opposite of an older memory replaces it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand remember \"Run migrations before the tests\" --file src/db
  oldhand remember \"We use SQLite because it needs no server\" --type decision
  git log -1 --format=%B | oldhand remember - --tag release
  oldhand remember --personal \"I prefer small commits\"")]
pub(crate) struct Args {
    /// What to remember, at most 2 KiB; `-` reads standard input
    text: Vec<String>,
    /// What kind of statement it is, such as gotcha, decision, preference, pattern, requirement
    #[arg(long = "type", short = 't', value_name = "TYPE", value_parser = words::word::<MemoryType>)]
    memory_type: Option<MemoryType>,
    /// A file or folder it is about; may be given several times
    #[arg(long = "file", short = 'f', value_name = "PATH")]
    files: Vec<String>,
    /// The place in the code it hangs on: a file, `file:symbol` or a symbol. It goes where that goes, and is stale when that
    /// is gone or has another signature
    #[arg(long, value_name = "X", conflicts_with = "personal")]
    at: Option<String>,
    /// A tag; may be given several times
    #[arg(long = "tag", value_name = "TAG", value_parser = words::tag)]
    tags: Vec<Tag>,
    /// A module it is about; may be given several times
    #[arg(long = "module", value_name = "NAME")]
    modules: Vec<ModuleName>,
    /// One line of at most 35 tokens for agents; without it, the first sentence
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// A few words to recognise it by, at most 40 characters
    #[arg(long, value_name = "TEXT")]
    citation: Option<String>,
    /// How sure you are
    #[arg(long, value_name = "0..1", value_parser = words::confidence, default_value = "0.9")]
    confidence: Confidence,
    /// How far it reaches: global, module, work_unit, session
    #[arg(long, value_name = "SCOPE", value_parser = words::word::<Scope>)]
    scope: Option<Scope>,
    /// Who may see it once memories are shared: private, project, team, organization
    #[arg(long, value_name = "WHO", value_parser = words::word::<Visibility>)]
    visibility: Option<Visibility>,
    /// The piece of work it belongs to, such as spec_042/subtask_3
    #[arg(long, value_name = "ID")]
    work_unit: Option<String>,
    /// The agent session it was learned in
    #[arg(long, value_name = "ID")]
    session: Option<SessionId>,
    /// Keep it from ageing
    #[arg(long)]
    pin: bool,
    /// Let it follow you from project to project
    #[arg(long)]
    personal: bool,
}

pub(crate) fn run(args: Args, door: &mut Door) -> Result<ExitCode> {
    let (text, is_piped) = read_text(&args.text)?;
    // Checked before a project is made for it.
    if text.trim().is_empty() {
        Content::new(&text)?;
    }
    let shelf = if args.personal {
        Shelf::Personal
    } else {
        Shelf::Project
    };
    let desk = Desk::open(&door.environment, Purpose::Teach(shelf), &door.out)?;
    let at = args.at.clone();
    let mut draft = draft(args, text, shelf, &desk)?;
    draft.is_handed_over = is_piped || agent::runs_this();
    if shelf == Shelf::Project {
        desk.tell_missing(&draft.files, &door.out);
    }
    let index = hang(&mut draft, at.as_deref(), shelf, &desk, &door.out)?;
    let receipt = desk.engine().remember(shelf, draft, desk.now)?;
    if let Some(index) = index {
        code::follow_anchors(&desk, &index, &door.out);
    }
    desk.back_up(&door.out);
    let out = &mut door.out;
    if out.is_json() {
        out.json(&ReceiptView::new(
            &receipt,
            shelf,
            desk.project_name(),
            desk.now,
        ))?;
    } else {
        tell(out, &receipt, shelf, &desk)?;
    }
    match receipt.outcome {
        Written::Refused(Refusal::Text(error)) => Err(error.into()),
        Written::Refused(refusal) => Err(Failure::invalid(refusal.to_string()).into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Says what place in the code the memory hangs on: the one that is given, or the only one that its words name in its files.
/// Code that was never read is not read for the latter.
fn hang(
    draft: &mut Draft,
    at: Option<&str>,
    shelf: Shelf,
    desk: &Desk,
    out: &Out,
) -> Result<Option<Index>> {
    if let Some(at) = at {
        let index = code::open_index(desk, out)?;
        let target = code::resolve(&index, desk, at)?;
        draft.files.insert(ProjectPath::new(code::file_of(
            index.snapshot(),
            target.first(),
        ))?);
        draft.target_node = Some(place_of(&index, target.first()));
        return Ok(Some(index));
    }
    if draft.files.is_empty() || shelf == Shelf::Personal {
        return Ok(None);
    }
    let project = desk.project.as_ref();
    let known = project.and_then(|project| code::peek(project, &desk.settings));
    let Some((index, _)) = known else {
        return Ok(None);
    };
    let files: Vec<&str> = draft.files.iter().map(ProjectPath::as_str).collect();
    let named = code::named_in(index.snapshot(), &files, &draft.content);
    draft.target_node = named.map(|node| place_of(&index, node));
    Ok(Some(index))
}

/// The text, and whether it came from standard input.
fn read_text(given: &[String]) -> Result<(String, bool)> {
    let is_piped = match given {
        [dash] => dash == "-",
        [] => !std::io::stdin().is_terminal(),
        _ => false,
    };
    let text = if is_piped {
        input::statement()?
    } else {
        given.join(" ")
    };
    Ok((text, is_piped))
}

fn draft(args: Args, text: String, shelf: Shelf, desk: &Desk) -> Result<Draft> {
    let payload = match args.memory_type {
        Some(memory_type) => Payload::Plain(memory_type),
        None => rules::guess_type(&text).into(),
    };
    let files = args.files.iter().map(|file| desk.path(file));
    let methodology = desk.settings.methodology.as_str();
    let work_unit = args
        .work_unit
        .map(|path| WorkUnit::parse(methodology, &path))
        .transpose();
    let work_unit = work_unit.map_err(|error| {
        Failure::invalid(error.to_string()).hint("a work unit looks like spec_042/subtask_3")
    })?;
    let head = match shelf {
        Shelf::Project => Head::read(&desk.location),
        Shelf::Personal => Head::default(),
    };
    let scope = args
        .scope
        .unwrap_or(match (&work_unit, args.modules.is_empty()) {
            (Some(_), _) => Scope::WorkUnit,
            (None, false) => Scope::Module,
            (None, true) => Scope::Global,
        });
    Ok(Draft {
        summary: args.summary,
        citation: args.citation,
        confidence: args.confidence,
        tags: args.tags.into_iter().collect(),
        files: files.collect::<Result<_>>()?,
        modules: args.modules.into_iter().collect(),
        session: args.session,
        branch: head.branch,
        commit: head.commit,
        methodology: work_unit.as_ref().map(|unit| unit.methodology().to_owned()),
        work_unit,
        scope,
        visibility: args.visibility,
        pinned: args.pin,
        ..Draft::taught(payload, text)
    })
}

fn tell(out: &mut Out, receipt: &Receipt, shelf: Shelf, desk: &Desk) -> Result<()> {
    for redaction in &receipt.redactions {
        out.note(&card::redaction(redaction));
    }
    let place = match (shelf, desk.project_name()) {
        (Shelf::Project, Some(name)) => format!("in {name}"),
        _ => "for you, in every project".to_owned(),
    };
    let said = match &receipt.outcome {
        Written::Inserted(_) | Written::Superseded { .. } => "remembered",
        Written::Merged { .. } => "known already, confirmed",
        Written::Refused(_) => return Ok(()),
    };
    writeln!(out, "{GOOD}{said}{GOOD:#} {FAINT}{place}{FAINT:#}")?;
    if let Some(memory) = receipt.memory() {
        let shelved = Shelved {
            shelf,
            memory: memory.clone(),
        };
        card::brief(out, &shelved, desk.now)?;
        if let Some(order) = receipt.order {
            out.note(&format!(
                "it {order}: no agent is told it before you confirm it"
            ));
            out.hint(&format!(
                "`oldhand verify {}` confirms it",
                memory.id.short()
            ));
        }
    }
    if let Written::Superseded { old, .. } = &receipt.outcome {
        for Memory { id, summary, .. } in old {
            let id = id.short();
            writeln!(out, "{GOOD}replaced{GOOD:#} what said the opposite")?;
            writeln!(out, "{ID}{id}{ID:#}  {FAINT}{summary}{FAINT:#}")?;
        }
        out.hint("if both are true, `oldhand restore ID` brings the older one back");
    }
    Ok(())
}
