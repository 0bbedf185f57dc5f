//! `oldhand import rules`: what rules files say, as typed memories.

pub(crate) mod disputes;
mod folders;
mod own;
pub(crate) mod said;
mod screen;
mod taken;
mod texts;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::path::ProjectPath;
use oldhand_engine::rules::{self, Among, KNOWN_FILES, Manual, Rule, Skipped};
use oldhand_engine::{Redaction, Shelf, Voice, Written};
use oldhand_redact::{Finding, redact};

use self::disputes::tell_disputes;
use self::folders::each_once;
use self::own::Own;
use self::said::{By, Looked, Then};
pub(crate) use self::screen::{manuals_of, show, summary, tell_many};
use self::taken::{Taken, forget_opposites, known_contents};
pub(crate) use self::taken::{join_taken, take_again};
pub(crate) use self::texts::read_texts;
use crate::cli::{Door, NOTHING_FOUND};
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::input;
use crate::interrupt;
use crate::out::time::count;
use crate::out::{Out, Progress};
use crate::view::receipt::LineView;
use crate::view::rules::{RulesFileView, RulesView, UnsaidView};

/// Bring in what CLAUDE.md, AGENTS.md and other rules files say
///
/// Bullets and paragraphs become typed memories; headings become their context and tags, and what one forbids is kept as forbidden. HTML, tables, pictures, links alone and
/// long examples are left out. You see what would be
/// taken before anything is written. Doing it again takes only what is new: what you forgot or edited stays so. What a
/// file has dropped since it was taken becomes stale, unless you confirmed, edited or pinned it, and is believed again once it is back; the
/// next session notices that too, once it is committed. A file that cannot be read is told, and the others are taken.
/// Without FILE these are looked for: CLAUDE.md, AGENTS.md, GEMINI.md, .cursorrules, .cursor/rules, .windsurfrules,
/// .windsurf/rules, .github/copilot-instructions.md; of CONTRIBUTING.md and README.md what is asked of those who work on the
/// project; what manifests and the settings of formatters and linters lay down, one sentence each; and CLAUDE.md, AGENTS.md
/// and GEMINI.md in folders, whose rules hold there (100 files, 8 folders down). In folders, links are left alone, and so is what git ignores, submodules have, or lies
/// in a hidden folder or one for what others wrote (`vendor`, `external`), for examples, fixtures or templates; name such a file to take it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand import rules
  oldhand import rules AGENTS.md --dry-run
  oldhand import rules ~/.claude/CLAUDE.md --personal --yes")]
pub(crate) struct Args {
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Take everything that is new without asking
    #[arg(long, short = 'y')]
    yes: bool,
    /// Only show what would be taken
    #[arg(long)]
    dry_run: bool,
    /// Let them follow you from project to project
    #[arg(long)]
    personal: bool,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    interrupt::watch("what was imported so far stays");
    let shelf = if args.personal {
        Shelf::Personal
    } else {
        Shelf::Project
    };
    // Nothing is made before something is to be kept.
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    let given = args
        .files
        .iter()
        .map(|file| door.environment.folder.join(file));
    let (paths, within): (Vec<PathBuf>, _) = if args.files.is_empty() {
        let root = desk.location.root.as_path();
        (find_files(root, &door.out), Some(root))
    } else {
        (each_once(given), None)
    };
    if paths.is_empty() {
        return Err(Failure::not_found("no rules file is here")
            .hint("name one: `oldhand import rules FILE`")
            .into());
    }
    let (texts, mut unread) = read_files(&paths, within);
    if texts.is_empty() {
        return Err(unread.swap_remove(0));
    }
    tell_unread(&unread, &door.out);
    let previews = preview(&texts, shelf, &desk)?;
    let new: usize = previews.iter().map(|preview| preview.new.len()).sum();
    let is_nothing = new == 0 && previews.iter().all(|preview| preview.known == 0);
    if !door.out.is_json() {
        show(&previews, &mut door.out)?;
    }
    let asks = !args.dry_run && new > 0;
    let wanted = asks && (args.yes || agreed(&previews, door)?);
    let (desk, previews, written) = if wanted {
        drop(desk);
        let desk = Desk::open(&door.environment, Purpose::Teach(shelf), &door.out)?;
        // Looked at again: while a person thought, others may have imported the same.
        let previews = preview(&texts, shelf, &desk)?;
        let written = take(&previews, shelf, &desk, &door.out)?;
        (desk, previews, Some(written))
    } else {
        (desk, previews, None)
    };
    // After what is new: other words for a rule that was known are that rule.
    let looked = said::look(&desk, By::Person)?;
    let code = ExitCode::from(if texts.len() < paths.len() {
        2
    } else if is_nothing && looked.is_empty() {
        NOTHING_FOUND
    } else {
        0
    });
    // Whoever says no to what is new wants nothing changed.
    let then = if args.dry_run || asks && !wanted {
        Then::OnlyShown
    } else {
        said::mark(&looked, &desk)?;
        Then::Marked
    };
    if wanted {
        desk.back_up(&door.out);
    }
    if door.out.is_json() {
        let view = view(&previews, written.as_deref(), &looked, args.dry_run);
        door.out.json(&view)?;
        return Ok(code);
    }
    if let Some(written) = &written {
        let outcomes = written.iter().flatten().map(|line| line.outcome);
        writeln!(door.out, "\n{}", summary(outcomes))?;
    } else if new == 0 && !is_nothing && looked.is_empty() {
        door.out.note("everything is known already");
    }
    looked.show(then, &mut door.out)?;
    Ok(code)
}

/// What importing a file would do.
pub(crate) struct Preview {
    pub(crate) file: ProjectPath,
    /// Whether the project has it under this name: one from elsewhere may be called like one of its own.
    is_own: bool,
    pub(crate) new: Vec<Rule>,
    pub(crate) known: usize,
    pub(crate) skipped: Vec<Skipped>,
    /// Sections of it that are new as one pointer each.
    pub(crate) manuals: Vec<Manual>,
    /// Where in the file secrets are.
    secrets: Vec<Finding>,
}

/// The files that can be read, with what they say, and why the others cannot. Found `within` a project, none may lead out of it: what
/// is not the project's own is no rule of it.
pub(crate) fn read_files(
    paths: &[PathBuf],
    within: Option<&Path>,
) -> (Vec<(PathBuf, String)>, Vec<anyhow::Error>) {
    let mut texts = Vec::new();
    let mut unread = Vec::new();
    for path in paths {
        if within.is_some_and(|root| leads_out(path, root)) {
            let name = within.and_then(|root| path.strip_prefix(root).ok());
            let name = name.unwrap_or(path).display();
            let refused = Failure::invalid(format!("{name} is a link out of the project"));
            let hint = format!("if you stand by it, name it: `oldhand import rules {name}`");
            unread.push(refused.hint(hint).into());
            continue;
        }
        if !is_text_for_readers(path) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let refused = Failure::invalid(format!("{name} is no rules file"));
            let hint = "rules stand in Markdown or plain text; `oldhand import json FILE` takes memories as JSON lines";
            unread.push(refused.hint(hint).into());
            continue;
        }
        match input::named_file(path) {
            Ok(text) if has_conflicts(&text) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let refused = Failure::invalid(format!("{name} has merge conflicts in it"));
                let hint = "solve them; then `oldhand import rules` takes what it says";
                unread.push(refused.hint(hint).into());
            }
            Ok(text) => texts.push((path.clone(), text)),
            Err(error) => unread.push(error),
        }
    }
    (texts, unread)
}

/// Whether a file holds sentences, as its name says, or settings that lay something down. What has no ending may hold anything.
fn is_text_for_readers(path: &Path) -> bool {
    const TEXTS: [&str; 10] = [
        "adoc",
        "asciidoc",
        "instructions",
        "local",
        "markdown",
        "md",
        "mdc",
        "mdx",
        "rst",
        "txt",
    ];
    let name = path.file_name().and_then(|name| name.to_str());
    let ending = path.extension().and_then(|ending| ending.to_str());
    name.is_some_and(rules::is_settings_file)
        || ending.is_none_or(|ending| TEXTS.contains(&ending.to_lowercase().as_str()))
}

/// Whether a merge stopped in it: both sides stand there, and nobody has said yet which one holds. An example shows what that looks like.
fn has_conflicts(text: &str) -> bool {
    let mut is_example = false;
    let mut lines = text.lines().filter(|line| {
        is_example ^= line.trim_start().starts_with("```");
        !is_example
    });
    let mut comes = |mark: &str| lines.any(|line| line.split(' ').next() == Some(mark));
    ["<<<<<<<", "=======", ">>>>>>>"]
        .into_iter()
        .all(&mut comes)
}

fn leads_out(path: &Path, root: &Path) -> bool {
    let (Ok(path), Ok(root)) = (fs::canonicalize(path), fs::canonicalize(root)) else {
        return false;
    };
    !path.starts_with(root)
}

/// Says which files are passed over.
pub(crate) fn tell_unread(unread: &[anyhow::Error], out: &Out) {
    for error in unread {
        out.note(&format!("passed over: {error:#}"));
    }
}

/// Cuts the texts into rules and sets aside what is known, forgotten or edited since.
pub(crate) fn preview(
    texts: &[(PathBuf, String)],
    shelf: Shelf,
    desk: &Desk,
) -> Result<Vec<Preview>> {
    let mut previews = Vec::new();
    // What settings leave to another file hangs on all of them, whichever is asked for.
    let root = &desk.location.root;
    let is_other = |path: &PathBuf| !texts.iter().any(|(known, _)| known == path);
    let others: Vec<PathBuf> = of_project(root).into_iter().filter(is_other).collect();
    let (others, _) = read_files(&others, Some(root));
    let all = texts.iter().chain(&others).filter_map(|(path, text)| {
        let name = path.file_name()?.to_str()?;
        Some((name, text.as_str()))
    });
    let all: Vec<(&str, &str)> = all.collect();
    let own = Own::of(root);
    let among = Among {
        texts: &all,
        is_own: &|word| own.has(word),
    };
    for (path, text) in texts {
        let file = label(path, desk)?;
        let parsed = rules::parse_among(&file, text, &among);
        let known = known_contents(&file, shelf, desk)?;
        let taken = Taken::read(&file, shelf, desk)?;
        let (old, mut new): (Vec<Rule>, Vec<Rule>) = parsed.rules.into_iter().partition(|rule| {
            rules::stored_content(&rule.content)
                .is_some_and(|content| known.contains(&content) || taken.has(&content))
        });
        let on_disk = |path: &ProjectPath| desk.location.root.join(path.as_str());
        let exists = |path: &ProjectPath| on_disk(path).exists();
        let folder = rules::folder_of_file(&file);
        for rule in &mut new {
            rule.doubt(|path| {
                let inside = folder.as_ref().map(|folder| format!("{folder}/{path}"));
                exists(path) || inside.is_some_and(|inside| root.join(inside).exists())
            });
            if let Some(folder) = &folder {
                rule.hold_in(folder, exists, |path| on_disk(path).is_file());
            }
            rule.paths.retain(exists);
        }
        let real = |path: &Path| fs::canonicalize(path).ok();
        let is_new = |manual: &Manual| new.iter().any(|rule| rule.line == manual.first);
        let manuals = parsed.manuals.into_iter().filter(is_new).collect();
        previews.push(Preview {
            is_own: real(&on_disk(&file)) == real(path),
            file,
            new,
            known: old.len(),
            skipped: parsed.skipped,
            manuals,
            secrets: redact(text).findings,
        });
    }
    Ok(previews)
}

/// Rules files below `root`: those of the project, manifests and settings that lay down conventions, then those of its folders. Says how many
/// are too many.
pub(crate) fn find_files(root: &Path, out: &Out) -> Vec<PathBuf> {
    let mut of_folders = folders::find(root);
    let more = of_folders.len().saturating_sub(folders::MOST);
    if more > 0 {
        let files = count(more, "rules file");
        let most = folders::MOST;
        out.note(&format!(
            "passed over: {files} of folders; the {most} nearest to the top are read"
        ));
        out.hint("`oldhand import rules FILE` takes one");
    }
    of_folders.truncate(folders::MOST);
    each_once(of_project(root).into_iter().chain(of_folders))
}

/// In the order of [`KNOWN_FILES`], then manifests and settings.
fn of_project(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for name in KNOWN_FILES {
        let path = root.join(name);
        if !name.ends_with('/') {
            found.extend(path.is_file().then_some(path));
            continue;
        }
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| {
                path.extension()
                    .is_some_and(|end| end == "md" || end == "mdc")
            })
            .collect();
        files.sort();
        found.extend(files);
    }
    let beside = fs::read_dir(root).into_iter().flatten().flatten();
    let mut settings: Vec<PathBuf> = beside
        .filter(|entry| rules::is_settings_file(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    settings.sort();
    found.extend(settings);
    found
}

/// The Markdown files that a text takes in by `@path`, seen from its folder.
pub(crate) fn taken_in(text: &str, folder: &Path) -> Vec<PathBuf> {
    let words = text.split_whitespace();
    let paths = words
        .filter_map(|word| word.strip_prefix('@'))
        .map(|path| path.trim_end_matches(|c: char| !c.is_alphanumeric()))
        .filter(|path| Path::new(path).extension().is_some_and(|end| end == "md"));
    paths.map(|path| folder.join(path)).collect()
}

/// A file that was found is known by the name it was looked for, wherever a link leads; one outside the project by its name alone.
fn label(path: &Path, desk: &Desk) -> Result<ProjectPath> {
    let found = path.strip_prefix(&desk.location.root).ok();
    if let Some(Ok(found)) = found.map(|path| ProjectPath::new(&path.to_string_lossy())) {
        return Ok(found);
    }
    if let Ok(inside) = desk.path(&path.to_string_lossy()) {
        return Ok(inside);
    }
    let name = path.file_name().unwrap_or_default();
    Ok(ProjectPath::new(&name.to_string_lossy())?)
}

fn agreed(previews: &[Preview], door: &mut Door) -> Result<bool> {
    let new: usize = previews.iter().map(|preview| preview.new.len()).sum();
    writeln!(door.out)?;
    tell_many(previews, &door.out);
    let question = format!("Remember {}?", count(new, "rule"));
    match door.out.ask(&question)? {
        Some(answer) => {
            if !answer {
                door.out.note("nothing was taken");
            }
            Ok(answer)
        }
        None => Err(Failure::invalid("importing rules needs a yes")
            .hint("`oldhand import rules --yes` takes them, `--dry-run` only shows them")
            .into()),
    }
}

/// Writes what is new; the answers are in the order of the previews.
pub(crate) fn take(
    previews: &[Preview],
    shelf: Shelf,
    desk: &Desk,
    out: &Out,
) -> Result<Vec<Vec<LineView>>> {
    let mut answers = Vec::new();
    for preview in previews {
        forget_opposites(preview, shelf, desk, out)?;
        let drafts = preview
            .new
            .iter()
            .map(|rule| rule.clone().draft(&preview.file));
        let progress = Progress::new("importing", preview.new.len());
        let receipts = desk.engine().remember_all(
            shelf,
            drafts.collect(),
            Voice::Speaker,
            desk.now,
            &mut |done| {
                progress.reach(done);
            },
        )?;
        drop(progress);
        tell_disputes(preview, &receipts, desk, out);
        let mut secrets = preview.secrets.clone();
        let mut lines = Vec::new();
        for (rule, receipt) in preview.new.iter().zip(&receipts) {
            let mut line = LineView::new(rule.line, receipt);
            for (redaction, view) in receipt.redactions.iter().zip(&mut line.redactions) {
                let at = place_in_file(&mut secrets, redaction, rule);
                view.place_at(at);
                out.note(&format!(
                    "{}: a secret ({}) was left out: line {at}",
                    preview.file,
                    redaction.kind.as_str()
                ));
            }
            if let Written::Refused(refusal) = &receipt.outcome {
                out.note(&format!("{}: not taken: {refusal}", preview.file));
            }
            lines.push(line);
        }
        let taken = lines.iter().zip(&preview.new);
        let taken = taken.filter(|(line, _)| line.outcome != "refused");
        let taken = taken.filter_map(|(line, rule)| {
            let id = line.id.filter(|_| preview.is_own);
            Some((rules::stored_content(&rule.content)?, id))
        });
        Taken::add(&preview.file, shelf, desk, taken)?;
        answers.push(lines);
    }
    Ok(answers)
}

/// The line of the file that a rule's secret is in: that of the first such secret, from the rule on, that is not told yet.
fn place_in_file(secrets: &mut Vec<Finding>, redaction: &Redaction, rule: &Rule) -> usize {
    let is_it = |found: &Finding| found.kind == redaction.kind && found.line >= rule.line;
    match secrets.iter().position(is_it) {
        Some(at) => secrets.remove(at).line,
        None => rule.line,
    }
}

fn view(
    previews: &[Preview],
    written: Option<&[Vec<LineView>]>,
    looked: &Looked,
    dry_run: bool,
) -> RulesView {
    let files = previews.iter().enumerate();
    let files = files.map(|(at, preview)| {
        RulesFileView::new(preview, written.and_then(|written| written.get(at)))
    });
    RulesView {
        dry_run,
        files: files.collect(),
        unsaid: UnsaidView::all(looked),
        said_again: looked.again.iter().map(|memory| memory.id).collect(),
    }
}
