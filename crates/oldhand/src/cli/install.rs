//! `oldhand install`: tell an agent to call us.

mod diff;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use oldhand_redact::redact;

use self::diff::changes;
use super::Door;
use crate::failure::Failure;
use crate::nearest::nearest;
use crate::out::Out;
use crate::out::style::{BAD, FAINT, GOOD, STRONG};
use crate::out::time::count;
use crate::project::{self, Found};
use crate::view::hook::{WireView, WiresView};
use crate::wire::{self, Change, Client, Reach, trust};

/// Tell an agent or editor to call Oldhand while it works
///
/// Adds hooks to the agent's own settings, or a plugin where it has none, and names Oldhand's MCP server there: what the agent
/// does is written down, it is told what is known when that matters, and it can ask. VS Code, Windsurf and Zed have no hooks; they can
/// ask. You are shown every line before it is written; what else stands in the file stays as it is. Only projects that
/// `oldhand init` made known are listened to. `oldhand uninstall AGENT` undoes it.
///
/// Your own settings are written to, and nothing in a repository. With --project, the settings in the repository are written to
/// instead, which others share: `--project` for this one, `--project DIR` for another.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand install claude-code
  oldhand install codex --dry-run
  oldhand install gemini --project --yes
  oldhand install claude-code --plugin ~/oldhand-plugin")]
pub(crate) struct Args {
    /// claude-code, codex, gemini, cursor, opencode, vscode, windsurf or zed
    agent: String,
    /// Claude Code: leave its settings alone and make a plugin in DIR, for `claude --plugin-dir DIR`
    #[arg(long, value_name = "DIR")]
    plugin: Option<PathBuf>,
    /// Codex: approve the hooks too, which `codex` would ask you about
    #[arg(long)]
    trust: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Only show what would be written
    #[arg(long)]
    dry_run: bool,
}

/// `install AGENT --project` and `uninstall AGENT --project` mean this project. Elsewhere the folder is always named: whatever came next would be taken for it.
pub(super) fn name_project(arguments: &mut Vec<OsString>) {
    let mut words = arguments.iter().enumerate().skip(1);
    let command = loop {
        match words.next() {
            Some((_, word)) if word == "--project" || word == "--color" => {
                words.next();
            }
            Some((_, word)) if word.to_string_lossy().starts_with('-') => {}
            found => break found,
        }
    };
    if command.is_none_or(|(_, word)| word != "install" && word != "uninstall") {
        return;
    }
    let Some((at, _)) = words.find(|(_, word)| *word == "--project") else {
        return;
    };
    let is_folder = |next: &OsString| {
        let word = next.to_string_lossy();
        !word.starts_with('-') && Client::named(&word).is_none()
    };
    if !arguments.get(at + 1).is_some_and(is_folder) {
        arguments.insert(at + 1, ".".into());
    }
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let client = client_named(&args.agent)?;
    let reach = if door.environment.is_told_the_project {
        Reach::Repository
    } else {
        Reach::User
    };
    for (given, option, only) in [
        (args.plugin.is_some(), "--plugin", Client::ClaudeCode),
        (args.trust, "--trust", Client::Codex),
    ] {
        if given && client != only {
            let message = format!("{option} is for {} alone", only.as_str());
            return Err(Failure::invalid(message).into());
        }
    }
    for (given, option) in [(args.plugin.is_some(), "--plugin"), (args.trust, "--trust")] {
        if given && reach == Reach::Repository {
            let message =
                format!("{option} is about your own settings, --project about a repository's");
            return Err(Failure::invalid(message)
                .hint("leave one of them out")
                .into());
        }
    }
    let root = root(door)?;
    let planned = match &args.plugin {
        Some(folder) => {
            let folder = door.environment.folder.join(folder);
            wire::connect_plugin(&folder, &door.environment)?
        }
        None => wire::connect(client, reach, &door.environment, &root)?,
    };
    let mode = Mode::of(args.dry_run, args.yes);
    let project = match reach {
        Reach::Repository => " --project",
        Reach::User => "",
    };
    let command = format!("oldhand install {}{project} --yes", args.agent);
    let done = carry_out(&planned, mode, &command, door)?;
    if done == Done::Written {
        wire::join_again(&door.environment.home, client)?;
    }
    if let (Some(folder), Done::Written) = (&args.plugin, done) {
        door.out.hint(&format!(
            "`claude --plugin-dir {0}` loads it; `claude plugin marketplace add {0}` offers it for good",
            folder.display()
        ));
    }
    if client == Client::Codex && mode != Mode::Show && reach == Reach::User {
        let approval = match (args.trust, mode) {
            (true, _) => Approval::Given,
            (false, Mode::Ask) => Approval::AskFor,
            (false, _) => Approval::LeftToCodex,
        };
        approve(approval, &root, door)?;
    }
    if done == Done::Written && !is_known(door)? {
        door.out
            .hint("`oldhand init` makes a project known; others are not listened to");
    }
    Ok(ExitCode::SUCCESS)
}

/// Who approves the hooks of Codex.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Approval {
    Given,
    AskFor,
    LeftToCodex,
}

/// Codex runs no hook that its user did not approve. Says so, and approves them where that is wanted.
pub(super) fn approve(approval: Approval, root: &Path, door: &mut Door) -> Result<()> {
    let places = Client::Codex.places(Reach::User, &door.environment, root);
    let [hooks, config] = places.as_slice() else {
        return Ok(());
    };
    let by_hand =
        "start `codex` and approve the hooks when it asks; `oldhand doctor` sees whether you did";
    if approval == Approval::LeftToCodex {
        let text = wire::read(&config.path)?.unwrap_or_default();
        if !trust::unapproved(&hooks.path, &text).is_empty() {
            door.out
                .note("Codex skips new hooks without a word until you approve them");
            door.out.hint(by_hand);
            door.out.hint("or `oldhand install codex --trust --yes`");
        }
        return Ok(());
    }
    let known = match trust::ask(&hooks.path, root) {
        Ok(known) => known,
        Err(error) => {
            door.out
                .note(&format!("the hooks are not approved yet: {error:#}"));
            door.out.hint(by_hand);
            return Ok(());
        }
    };
    let waiting = known.iter().filter(|hook| !hook.is_approved()).count();
    if waiting == 0 {
        return Ok(());
    }
    let agreed = if approval == Approval::Given {
        true
    } else {
        door.out
            .note("Codex skips new hooks without a word until you approve them");
        let question = format!("Approve {} of Oldhand in Codex?", count(waiting, "hook"));
        door.out.ask(&question)? == Some(true)
    };
    let change = agreed
        .then(|| trust::approve(&known, &config.path))
        .transpose()?
        .flatten();
    match change {
        Some(change) => {
            wire::carry_out(&[&change], &door.environment.home)?;
            door.out
                .note(&format!("{} approved in Codex", count(waiting, "hook")));
        }
        None => door.out.hint(by_hand),
    }
    Ok(())
}

pub(super) fn client_named(name: &str) -> Result<Client> {
    Client::named(name).ok_or_else(|| {
        let names = Client::ALL.map(Client::as_str);
        let meant = nearest(name, names);
        let hint = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("known agents: {}", names.join(", ")),
        };
        Failure::invalid(format!("no agent is called `{name}`"))
            .hint(hint)
            .into()
    })
}

/// The top of the repository that the command runs in.
pub(super) fn root(door: &Door) -> Result<PathBuf> {
    Ok(match find(door)? {
        Found::Known(project) => project.location.root,
        Found::Unknown(location) => location.root,
    })
}

fn is_known(door: &Door) -> Result<bool> {
    Ok(matches!(find(door)?, Found::Known(_)))
}

fn find(door: &Door) -> Result<Found> {
    let environment = &door.environment;
    let user_home = environment.user_home.as_deref();
    project::find(&environment.home, &environment.folder, user_home)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Show,
    Ask,
    Do,
}

impl Mode {
    pub(super) fn of(dry_run: bool, yes: bool) -> Self {
        match (dry_run, yes) {
            (true, _) => Self::Show,
            (false, true) => Self::Do,
            (false, false) => Self::Ask,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    Nothing,
    Written,
}

/// Shows the changes, asks, and carries them out. `command` is what to run where nobody can be asked.
pub(super) fn carry_out(
    changes: &[Change],
    mode: Mode,
    command: &str,
    door: &mut Door,
) -> Result<Done> {
    let needed: Vec<&Change> = changes.iter().filter(|change| change.is_needed()).collect();
    if !door.out.is_json() {
        for change in changes {
            show(change, mode, &mut door.out)?;
        }
    }
    for obstacle in changes.iter().filter_map(Change::obstacle) {
        door.out.note(&obstacle);
        door.out
            .hint("take it out; what stands in the file does nothing before");
    }
    let mut done = Done::Nothing;
    if !needed.is_empty() && mode != Mode::Show {
        let agreed = match mode {
            Mode::Ask => door.out.ask("Write this?")?,
            Mode::Do | Mode::Show => Some(true),
        };
        match agreed {
            Some(true) => {
                wire::carry_out(&needed, &door.environment.home)?;
                done = Done::Written;
            }
            Some(false) => door.out.note("nothing was written"),
            None => {
                return Err(
                    Failure::invalid("writing to an agent's settings needs a yes")
                        .hint(format!("`{command}`"))
                        .into(),
                );
            }
        }
    }
    if door.out.is_json() {
        let files = changes.iter().map(|change| {
            let outcome = match (change.is_needed(), done) {
                (false, _) => "unchanged",
                (true, Done::Written) => "written",
                (true, Done::Nothing) => "planned",
            };
            WireView::new(change, outcome)
        });
        let files = files.collect();
        door.out.json(&WiresView { files })?;
    }
    Ok(done)
}

/// How many lines around a change are shown.
const AROUND: usize = 2;

fn show(change: &Change, mode: Mode, out: &mut Out) -> Result<()> {
    let path = change.path.display();
    if !change.is_needed() {
        writeln!(
            out,
            "{STRONG}{}{STRONG:#} {FAINT}nothing to change in {path}{FAINT:#}",
            change.client.as_str()
        )?;
        return Ok(());
    }
    writeln!(out, "{STRONG}{}{STRONG:#} {path}", change.client.as_str())?;
    let before = lines(change.before.as_deref());
    let after = lines(change.after.as_deref());
    if change.after.is_none() {
        let number = count(before.len(), "line");
        writeln!(out, "  {BAD}- the whole file, {number}{BAD:#}")?;
        return Ok(());
    }
    let swaps = changes(&before, &after);
    let mut shown = 0;
    for (at, (gone, new)) in swaps.iter().enumerate() {
        let from = gone.start.saturating_sub(AROUND).max(shown);
        if from > shown && at > 0 {
            writeln!(out, "    {FAINT}…{FAINT:#}")?;
        }
        show_around(&before[from..gone.start], out)?;
        show_swap(&before[gone.clone()], &after[new.clone()], mode, out)?;
        let next = swaps
            .get(at + 1)
            .map_or(before.len(), |(gone, _)| gone.start);
        shown = (gone.end + AROUND).min(next);
        show_around(&before[gone.end..shown], out)?;
    }
    Ok(())
}

fn show_around(lines: &[&str], out: &mut Out) -> Result<()> {
    for line in lines {
        writeln!(out, "    {FAINT}{}{FAINT:#}", legible(line, ""))?;
    }
    Ok(())
}

/// What goes and what comes in its place. Of much that goes for little, and that nobody is asked about, the beginning is enough.
fn show_swap(gone: &[&str], new: &[&str], mode: Mode, out: &mut Out) -> Result<()> {
    const LONG: usize = 8;
    const BEGINNING: usize = 4;
    let beside = |lines: &[&str]| lines.first().copied().unwrap_or_default().to_owned();
    let (first_gone, first_new) = (beside(gone), beside(new));
    let is_shortened = mode == Mode::Do && gone.len() > new.len() + LONG;
    let most = if is_shortened { BEGINNING } else { gone.len() };
    for line in &gone[..most] {
        writeln!(out, "  {BAD}- {}{BAD:#}", legible(line, &first_new))?;
    }
    if is_shortened {
        let rest = count(gone.len() - most, "more line");
        writeln!(out, "  {BAD}- … and {rest}{BAD:#}")?;
    }
    for line in new {
        writeln!(out, "  {GOOD}+ {}{GOOD:#}", legible(line, &first_gone))?;
    }
    Ok(())
}

/// The most characters of a line that are shown.
const LEGIBLE: usize = 400;

/// A line of somebody's settings as it may be shown: without its keys and, where all of a file is one line, only the part in which
/// it differs from the one `beside` it.
fn legible(line: &str, beside: &str) -> String {
    const CONTEXT: usize = 40;
    let line = redact(line).text;
    if line.len() <= LEGIBLE {
        return line.into_owned();
    }
    let beside = redact(beside).text;
    let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b).take_while(|(a, b)| a == b).count()
    };
    let front = same(&mut line.chars(), &mut beside.chars()).saturating_sub(CONTEXT);
    let back = same(&mut line.chars().rev(), &mut beside.chars().rev());
    let total = line.chars().count();
    let end = total
        .saturating_sub(back.saturating_sub(CONTEXT))
        .max(front);
    let end = end.min(front + LEGIBLE);
    let part: String = line.chars().skip(front).take(end - front).collect();
    let lead = if front > 0 { "…" } else { "" };
    let tail = if end < total { "…" } else { "" };
    format!("{lead}{part}{tail}")
}

fn lines(text: Option<&str>) -> Vec<&str> {
    text.unwrap_or_default().lines().collect()
}

/// How many lines of a file go, and how many come.
pub(super) fn changed_lines(change: &Change) -> (usize, usize) {
    let before = lines(change.before.as_deref());
    let after = lines(change.after.as_deref());
    let swaps = changes(&before, &after);
    swaps.iter().fold((0, 0), |(gone, new), swap| {
        (gone + swap.0.len(), new + swap.1.len())
    })
}
