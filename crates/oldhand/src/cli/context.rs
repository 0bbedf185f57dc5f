//! `oldhand context`: what an agent would be told about a task, which files it will probably touch, and why.

mod files;
mod prefetch;
mod tell;

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::vocabulary::{Phase, Role};
use oldhand_engine::{Context, ContextRequest, Engine};
use oldhand_observe::paths::module_of;
use oldhand_recall::request::Heard;

use super::{Door, NOTHING_FOUND, words};
use crate::code::{self, Ground, Looking};
use crate::config::{Listening, Settings};
use crate::desk::{Desk, Early, Meanings, Question};
use crate::health;
use crate::hook;
use crate::out::style::{FAINT, STRONG};
use crate::out::time::count;
use crate::paths;
use crate::project::{Head, Project};
use crate::trust;
use crate::view::context::{ContextView, Likely, StepsView, is_pointed_at};
use crate::view::memory::rounded;
use files::{Asked, Clues, predict};
use prefetch::Prefetch;

/// Show what an agent would be told about a task, and which files it will probably touch
///
/// Nothing is volunteered unless it is sound, sure and relevant enough; the usual answer is silence, and what was left out
/// says why. The files are a ranked guess from the task's words, the code, the history and earlier sessions.
#[derive(clap::Args)]
#[cfg_attr(test, derive(Debug))]
#[command(after_help = "\
Examples:
  oldhand context \"add a retry to the upload\"
  oldhand context \"why does login fail\" --file src/auth/login.ts
  oldhand context \"plan the migration\" --phase define --json")]
pub(crate) struct Args {
    /// The task, as it would be asked of an agent
    #[arg(required = true)]
    task: Vec<OsString>,
    /// The phase of the work: define, implement, validate, refine, explore or reflect
    #[arg(long, value_name = "PHASE")]
    phase: Option<Phase>,
    /// Who asks: planner, coder, qa or recovery; each hears what is of use to it, also about the likeliest files
    #[arg(long, value_name = "ROLE", value_parser = words::word::<Role>)]
    role: Option<Role>,
    /// A file at hand, in the order they were touched; may be given several times. The files to come are then those after it
    #[arg(long = "file", value_name = "FILE")]
    at_hand: Vec<String>,
    /// At most this many tokens of memory
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u32>,
    /// How many files to predict
    #[arg(long, value_name = "N", default_value_t = FILES)]
    files: u16,
    /// Also look into the likeliest of them: at most 12 files and 32,000 tokens
    #[arg(long, value_name = "WHAT")]
    prefetch: Option<Prefetch>,
    /// The steps that were planned; says how many to allow, by how far off plans were before
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=500))]
    steps: Option<u32>,
    /// Say with all its numbers why each memory was chosen
    #[arg(long)]
    explain: bool,
}

impl Args {
    /// A task without any options.
    pub(super) fn plain(task: Vec<OsString>) -> Self {
        Self {
            task,
            phase: None,
            role: None,
            at_hand: Vec::new(),
            budget: None,
            files: FILES,
            prefetch: None,
            steps: None,
            explain: false,
        }
    }
}

/// How many files are predicted where nobody says.
const FILES: u16 = 20;
/// Files beyond these are too unlikely to count.
const LIKELY: usize = 3;

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let task = words::joined(&args.task);
    if task.trim().is_empty() {
        door.out.note("the task is empty");
        door.out.hint("say what the agent is going to do");
    } else if !words::has_words(&task) {
        door.out.note("the task has no words to go by");
        door.out.hint("say what the agent is going to do");
    }
    let heard = Heard::of(&task);
    // What a hook does not ask with is not asked with here.
    let asked = if heard == Heard::Request { &task } else { "" };
    let begun = Cell::new(Some(Early::start(asked)));
    if !door.out.is_kept() {
        code::everywhere::look(&door.environment);
    }
    let looking = RefCell::new(None);
    let begin = |project: &Project, settings: &Settings| {
        let (task, location) = (task.clone(), project.location.clone());
        let Ok(at_hand) = at_hand(args, &location.root, &door.environment.folder) else {
            return;
        };
        let gather = move |ground: &Ground| {
            let touched = as_text(&at_hand);
            Clues::gather(&task, &touched, &location, ground)
        };
        // Where a database could not be opened at first, the look that began then goes on.
        let mut looking = looking.borrow_mut();
        if looking.is_none() {
            *looking = Looking::start(project, settings, gather);
        }
    };
    let question = Question {
        text: asked,
        begun: Some(&begun),
        meanwhile: &begin,
    };
    let open = |purpose| code::open_desk_for(Some(question), purpose, &door.environment, &door.out);
    let look = |desk: &Desk| look(args, &task, asked, looking.take(), desk, door);
    let (desk, (seen, guessed)) = Desk::glance(&door.out, open, look)?;
    if desk.settings.listening == Listening::Off {
        door.out
            .note("agents hear nothing of this: the project is switched off");
        door.out.hint("`oldhand on` switches it on again");
    }
    let at_hand = at_hand(args, &desk.location.root, &door.environment.folder)?;
    desk.tell_missing(&at_hand, &door.out);
    let told = seen.context.memories.iter();
    let told: Vec<&Memory> = told.map(|(_, candidate)| &candidate.memory).collect();
    let left = hook::left_to_clients(&told, &desk.location.root);
    let silence = heard.why_silent().filter(|_| words::has_words(&task));
    if door.out.is_json() {
        if let Some(why) = silence {
            door.out.note(why);
        }
        let view = ContextView::new(&seen.context, &seen.files, seen.meanings.behind, desk.now);
        door.out
            .json(&view.less(&left).with(&seen.texts, seen.steps))?;
    } else {
        let connected = health::connected_agents(&door.environment, &desk.location.root);
        let told = tell::Told {
            context: &seen.context,
            files: &seen.files,
            left: &left,
            connected: &connected,
            budget: args.budget,
            silence,
            reasons: if args.explain {
                tell::Reasons::Numbers
            } else {
                tell::Reasons::Words
            },
        };
        tell::tell(&told, door)?;
        tell_more(&seen.texts, seen.steps, door)?;
    }
    seen.meanings.tell_damage(&door.out);
    let nothing = seen.context.text.is_empty() && !is_pointed_at(&seen.files);
    door.leave(desk, (seen, guessed));
    Ok(ExitCode::from(if nothing { NOTHING_FOUND } else { 0 }))
}

/// What there is to say.
struct Seen {
    context: Context,
    files: Vec<Likely>,
    texts: Vec<(String, String)>,
    steps: Option<StepsView>,
    meanings: Meanings,
}

/// What files are guessed from.
type Guessed = (Ground, Option<Clues>);

/// The files that are at hand.
fn at_hand(args: &Args, root: &Path, folder: &Path) -> Result<Vec<ProjectPath>> {
    let files = args.at_hand.iter();
    files
        .map(|file| paths::inside(root, folder, file))
        .collect()
}

fn as_text(files: &[ProjectPath]) -> Vec<String> {
    files.iter().map(ToString::to_string).collect()
}

fn look(
    args: &Args,
    task: &str,
    heard: &str,
    looking: Option<Looking<Option<Clues>>>,
    desk: &Desk,
    door: &Door,
) -> Result<(Seen, Option<Guessed>)> {
    let location = &desk.location;
    let at_hand = at_hand(args, &location.root, &door.environment.folder)?;
    let touched = as_text(&at_hand);
    let refresh = || -> Result<_> {
        let ground = Ground::refresh(desk, &door.out)?;
        let clues = Clues::gather(task, &touched, location, &ground);
        Ok((ground, clues))
    };
    let mut request = ContextRequest {
        task: heard.to_owned(),
        phase: args.phase,
        files: at_hand,
        budget: args.budget.map(|budget| budget as usize),
        role: args.role,
        branch: Head::branch(&desk.location),
        level: trust::level(&desk.settings, desk.project_store()),
    };
    // Before anything is said: memories whose code is gone are found out here.
    let known = desk.project_store();
    let looking = looking.filter(|_| known.is_some());
    let is_asked = known.is_some() || desk.aside().is_some();
    let mut ground = match &looking {
        None if is_asked => Some(refresh()?),
        _ => None,
    };
    let mut meanings = desk.meanings(&door.out);
    let mut context = desk.engine_with(&meanings).context(&request, desk.now)?;
    if let Some(looking) = looking {
        ground = looking.end(&door.out);
        if ground.is_none() {
            ground = Some(refresh()?);
            // Where that changed a memory, a glance is taken again as a whole.
            if known.is_some_and(|store| !store.is_a_glance()) {
                meanings = desk.meanings(&door.out);
                context = desk.engine_with(&meanings).context(&request, desk.now)?;
            }
        }
    }
    let engine = desk.engine_with(&meanings);
    let about: Vec<(String, f64)> = context
        .about
        .iter()
        .map(|(path, relevance)| (path.to_string(), *relevance))
        .collect();
    let asked = Asked {
        task,
        about: &about,
        at_hand: &touched,
        limit: usize::from(args.files),
    };
    let files = match &ground {
        Some((ground, Some(clues))) => predict(&asked, clues, ground, desk)?,
        _ => Vec::new(),
    };
    // Who asks for a role has a task and no file yet: what is known about the likeliest is what it needs.
    if request.role.is_some() && request.files.is_empty() {
        let likely = files.iter().take(LIKELY);
        request.files = likely
            .filter_map(|file| ProjectPath::new(&file.file.path).ok())
            .collect();
        context = engine.context(&request, desk.now)?;
    }
    let texts = match args.prefetch {
        Some(wanted) => prefetch::look_into(&files, wanted, desk, &door.out)?,
        None => Vec::new(),
    };
    let steps = match args.steps {
        Some(planned) => Some(allow(planned, &request, &files, &engine)?),
        None => None,
    };
    let seen = Seen {
        context,
        files,
        texts,
        steps,
        meanings,
    };
    Ok((seen, ground))
}

/// How many steps to allow for work in the modules of these files.
fn allow(
    planned: u32,
    request: &ContextRequest,
    files: &[Likely],
    engine: &Engine<'_>,
) -> Result<StepsView> {
    let at_hand = request.files.iter().map(ProjectPath::as_str);
    let likely = files
        .iter()
        .take(LIKELY)
        .map(|likely| likely.file.path.as_str());
    let modules: Vec<String> = at_hand
        .chain(likely)
        .map(|path| module_of(path).to_owned())
        .collect();
    let (allowed, ratio) = engine.step_limit(planned, &modules)?;
    Ok(StepsView {
        planned,
        allowed,
        ratio: ratio.map(rounded),
    })
}

fn tell_more(texts: &[(String, String)], steps: Option<StepsView>, door: &mut Door) -> Result<()> {
    let out = &mut door.out;
    for (path, text) in texts {
        writeln!(out, "\n{STRONG}{path}{STRONG:#}")?;
        for line in text.lines() {
            writeln!(out, "  {line}")?;
        }
    }
    if let Some(StepsView {
        planned,
        allowed,
        ratio,
    }) = steps
    {
        let why = match ratio {
            None => "nothing is known of how far off plans were here".to_owned(),
            Some(ratio) if f64::from(allowed) < (f64::from(planned) * ratio).floor() => {
                format!(
                    "work here took {ratio} times its plan, but this is the most that is allowed"
                )
            }
            Some(ratio) => format!("work here took {ratio} times its plan"),
        };
        writeln!(
            out,
            "\n{STRONG}allow {}{STRONG:#} where {planned} were planned{FAINT}: {why}{FAINT:#}",
            count(allowed as usize, "step")
        )?;
    }
    Ok(())
}
