//! `oldhand edit`: a person rewrites a memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};
use oldhand_domain::confidence::Confidence;
use oldhand_domain::id::MemoryId;
use oldhand_domain::payload::MemoryType;
use oldhand_domain::text::Tag;
use oldhand_domain::vocabulary::Scope;
use oldhand_engine::{Edit, Shelved};

use super::changed::tell;
use super::{Door, words};
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::out::{self, Out};
use crate::{file, input};

/// Change what a memory says or is about
///
/// Without options the text opens in your editor. Lists that are given replace the ones there are. What you wrote
/// counts as verified by you.
#[derive(clap::Args, Default)]
#[command(after_help = "\
Examples:
  oldhand edit 8f1c22a0
  oldhand edit 8f1c22a0 --text \"The API listens on port 8080\"
  oldhand edit 8f1c22a0 --type requirement --file src/api
  oldhand edit 8f1c22a0 --no-files")]
pub(crate) struct Args {
    id: String,
    /// What it says; `-` reads standard input
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// One line of at most 35 tokens for agents
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// A few words to recognise it by, at most 40 characters
    #[arg(long, value_name = "TEXT")]
    citation: Option<String>,
    /// What kind of statement it is
    #[arg(long = "type", short = 't', value_name = "TYPE", value_parser = words::word::<MemoryType>)]
    memory_type: Option<MemoryType>,
    /// How sure you are
    #[arg(long, value_name = "0..1", value_parser = words::confidence)]
    confidence: Option<Confidence>,
    /// How far it reaches: global, module, work_unit, session
    #[arg(long, value_name = "SCOPE", value_parser = words::word::<Scope>)]
    scope: Option<Scope>,
    /// A tag; may be given several times
    #[arg(long = "tag", value_name = "TAG", value_parser = words::tag)]
    tags: Vec<Tag>,
    /// Take all tags away
    #[arg(long, conflicts_with = "tags")]
    no_tags: bool,
    /// A file or folder it is about; may be given several times
    #[arg(long = "file", short = 'f', value_name = "PATH")]
    files: Vec<String>,
    /// Take all files away
    #[arg(long, conflicts_with = "files")]
    no_files: bool,
}

/// Opens one memory in the editor, as `oldhand edit ID` does.
pub(super) fn open(id: &str, door: &mut Door) -> Result<Change> {
    let args = Args {
        id: id.to_owned(),
        ..Args::default()
    };
    change(&args, door)
}

/// What came of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Made,
    /// The text was left as it was.
    None,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    change(args, door)?;
    Ok(ExitCode::SUCCESS)
}

fn change(args: &Args, door: &mut Door) -> Result<Change> {
    let desk = Desk::open(&door.environment, Purpose::Change, &door.out)?;
    let engine = desk.engine();
    let mut edit = read_edit(args, &desk)?;
    let mut written = None;
    if says_nothing(&edit) {
        let shelved = engine.show(&args.id)?;
        let copy = write_copy(&shelved, &desk, door)?;
        let edited = open_editor(&copy).and_then(|()| input::file(&copy.path));
        let text = edited.inspect_err(|_| copy.keep_changed(&shelved, &door.out))?;
        if text.trim() == shelved.memory.content.as_str() {
            copy.remove();
            door.out.note("nothing was changed");
            return Ok(Change::None);
        }
        edit.content = Some(text);
        written = Some(copy);
    }
    let edited = engine.edit(&args.id, &edit, desk.now);
    if let Some(copy) = written {
        match edited {
            Ok(_) => copy.remove(),
            Err(_) => copy.tell_kept(&door.out),
        }
    }
    let (shelved, redactions) = edited?;
    desk.back_up(&door.out);
    tell(&mut door.out, "edited", &shelved, &redactions, desk.now)?;
    Ok(Change::Made)
}

fn read_edit(args: &Args, desk: &Desk) -> Result<Edit> {
    let content = match args.text.as_deref() {
        Some("-") => Some(input::statement()?),
        text => text.map(str::to_owned),
    };
    let files = args.files.iter().map(|file| desk.path(file));
    Ok(Edit {
        content,
        summary: args.summary.clone(),
        citation: args.citation.clone(),
        memory_type: args.memory_type.clone(),
        confidence: args.confidence,
        scope: args.scope,
        tags: (args.no_tags || !args.tags.is_empty()).then(|| args.tags.iter().cloned().collect()),
        files: if args.no_files || !args.files.is_empty() {
            Some(files.collect::<Result<_>>()?)
        } else {
            None
        },
    })
}

fn says_nothing(edit: &Edit) -> bool {
    let Edit {
        content,
        summary,
        citation,
        memory_type,
        confidence,
        scope,
        tags,
        files,
    } = edit;
    content.is_none()
        && summary.is_none()
        && citation.is_none()
        && memory_type.is_none()
        && confidence.is_none()
        && scope.is_none()
        && tags.is_none()
        && files.is_none()
}

/// The text in a file, for an editor. It stays until its words are in the database.
struct Copy {
    path: PathBuf,
    editor: String,
}

impl Copy {
    fn remove(&self) {
        // A copy that cannot be removed harms nobody: the next edit writes over it.
        let _ = fs::remove_file(&self.path);
    }

    /// What was written goes nowhere else: it stays, unless there is nothing new in it.
    fn keep_changed(&self, shelved: &Shelved, out: &Out) {
        let is_old = |text: String| text.trim() == shelved.memory.content.as_str();
        if fs::read_to_string(&self.path).is_ok_and(is_old) {
            self.remove();
        } else {
            self.tell_kept(out);
        }
    }

    fn tell_kept(&self, out: &Out) {
        out.note(&format!("your text is kept in {}", self.path.display()));
    }
}

fn folder(home: &Path) -> PathBuf {
    home.join("edit")
}

/// Texts that an editor was opened for and that never became a memory, and what editors put beside them.
pub(crate) fn leftovers(home: &Path) -> Vec<PathBuf> {
    let there = fs::read_dir(folder(home)).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = there.map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// Removes what is left of edits of this memory.
pub(crate) fn remove_leftovers(home: &Path, id: MemoryId) -> Result<()> {
    let name = id.short();
    let about = |path: &PathBuf| {
        let file = path.file_name().unwrap_or_default();
        file.to_string_lossy().contains(&name)
    };
    for path in leftovers(home).into_iter().filter(about) {
        fs::remove_file(&path).with_context(|| format!("could not remove {}", path.display()))?;
    }
    Ok(())
}

fn write_copy(shelved: &Shelved, desk: &Desk, door: &Door) -> Result<Copy> {
    let id = shelved.memory.id.short();
    let nothing = || Failure::invalid("nothing to change was given");
    if door.out.is_json() || !out::can_ask() {
        let hint = format!("for example `oldhand edit {id} --text \"…\"`");
        return Err(nothing().hint(hint).into());
    }
    let editor = desk.settings.editor.clone();
    let editor = editor
        .or_else(|| door.environment.editor.clone())
        .ok_or_else(|| {
            nothing().hint("set EDITOR, or `oldhand config set editor vi`, to edit the text here")
        })?;
    let folder = folder(&door.environment.home);
    file::create_private_dir(&folder)?;
    let path = folder.join(format!("{id}.txt"));
    let text = format!("{}\n", shelved.memory.content);
    file::write_privately(&path, text.as_bytes())?;
    Ok(Copy { path, editor })
}

fn open_editor(Copy { path, editor }: &Copy) -> Result<()> {
    // `EDITOR="code --wait"` is a command with arguments.
    let mut words = editor.split_whitespace();
    let program = words.next().context("the editor is empty")?;
    let status = Command::new(program)
        .args(words)
        .arg(path)
        .status()
        .with_context(|| format!("could not start the editor `{editor}`"))?;
    if !status.success() {
        return Err(
            Failure::unavailable(format!("the editor `{editor}` failed"))
                .hint("the memory is as it was")
                .into(),
        );
    }
    Ok(())
}
