//! `oldhand init`: make a project known, and show what is known about it.

pub(crate) mod agents;
mod known;
mod merge;
mod screen;

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_engine::Shelf;

use super::import::rules::said::{By, look_again};
use super::import::rules::{
    Preview, find_files, preview, read_files, show, take, tell_many, tell_unread,
};
use super::import::transcripts::{self, Former, Transcript};
use super::{Door, status};
use crate::code::{self, survey};
use crate::desk::{Desk, Purpose, describe_look_alike, refuse_no_project, tell_look_alikes};
use crate::health::{Check, silent_agents};
use crate::ids::Ids;
use crate::interrupt;
use crate::out::style::STRONG;
use crate::out::time::count;
use crate::out::{Out, Waiting};
use crate::project::{self, Continuity, Found, LookAlike, Newcomer, Project};
use crate::view::graph::SurveyView;
use crate::view::init::InitView;
use screen::{files_of, how_many_new, tell};

/// Make this project known, and show what is known about it
///
/// Makes the project's database, outside your repository. Reads the code and its history, so that questions about them are
/// answered at once. Asks twice: whether to take in the rules files that are here and learn from past sessions of agents, and
/// whether to connect the agents on this machine. Then shows what is known, and from where. Doing it again changes nothing that
/// is there.
/// `oldhand uninstall --all` undoes what was written for agents.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand init
  oldhand init --dry-run
  oldhand init --yes
  oldhand init --yes --no-agents
  oldhand init --same-as api")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Args {
    /// Take in rules and past sessions and connect agents, without asking
    #[arg(long, short = 'y')]
    yes: bool,
    /// Connect no agents; `oldhand install AGENT` does it later
    #[arg(long)]
    no_agents: bool,
    /// Only show what would be taken in and written
    #[arg(long)]
    dry_run: bool,
    /// Show each rule that is found, not only how many
    #[arg(long, short = 'v')]
    verbose: bool,
    /// This is the known project NAME, moved or cloned again: they become one.
    /// Its directory's name or its place tell it from another of the same name
    #[arg(long, value_name = "NAME")]
    same_as: Option<String>,
    /// Make this place a project of its own: it holds another repository than before, or it is your home folder and meant as one
    #[arg(long, conflicts_with = "same_as")]
    separate: bool,
}

/// How the project became known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    Created,
    Known,
    /// A new place of a known project.
    Joined,
    /// Two known projects are one now.
    Merged,
}

impl Arrival {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Known => "known",
            Self::Joined => "joined",
            Self::Merged => "merged",
        }
    }
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    if args.dry_run {
        return foresee(args, door);
    }
    interrupt::watch("run `oldhand init` again to finish");
    let environment = door.environment.clone();
    let ids = Ids::new(environment.seed, environment.now);
    let found = project::find(
        &environment.home,
        &environment.folder,
        environment.user_home.as_deref(),
    )?;
    if let Found::Known(project) = &found {
        project::learn(&environment.home, project)?;
    }
    let (project, arrival, look_alikes) = match found {
        Found::Known(project) => match &args.same_as {
            Some(name) => {
                let (project, arrival) = merge::merge(&project, name, door)?;
                (project, arrival, Vec::new())
            }
            None if is_another(&project, args, door)? => {
                project::leave(&environment.home, &project)?;
                let newcomer = project::look_over(&environment.home, project.location)?;
                let look_alikes = newcomer.look_alikes.clone();
                let created =
                    newcomer.register(&environment.home, environment.now, || ids.tag())?;
                (created, Arrival::Created, look_alikes)
            }
            None => (project, Arrival::Known, Vec::new()),
        },
        Found::Unknown(location) => {
            if !args.separate {
                refuse_no_project(&location, &environment)?;
            }
            let waiting = Waiting::new("looking at the history");
            let newcomer = project::look_over(&environment.home, location)?;
            drop(waiting);
            let look_alikes = newcomer.look_alikes.clone();
            let (project, arrival) = welcome(newcomer, args, door, &ids)?;
            (project, arrival, look_alikes)
        }
    };
    let location = project.location.clone();
    let purpose = Purpose::Teach(Shelf::Project);
    let desk = Desk::at(None, &environment, Some(project), location, purpose, ids)?;
    let files = find_files(&desk.location.root, &door.out);
    let (texts, unread) = read_files(&files, Some(&desk.location.root));
    tell_unread(&unread, &door.out);
    let previews = preview(&texts, Shelf::Project, &desk)?;
    let (transcripts, former) = transcripts::past(&environment, &desk)?;
    tell_former(&former, &door.out);
    let mut past = Past::of(&transcripts);
    let mut agents = if args.no_agents {
        Vec::new()
    } else {
        agents::find(&environment, &desk.location.root, &door.out)
    };
    // Everything is asked before the long work, so that nobody has to wait for a question.
    let takes_in = wants_to_take_in(&previews, &past, args, door)?;
    let connects = agents::wants_to_connect(&agents, args.yes, door)?;
    let attended = desk.attend(vec!["init".to_owned()]);
    let taken = if takes_in {
        take_rules(&previews, &desk, &door.out)?
    } else {
        None
    };
    // Whoever says no to what is new wants nothing changed.
    if takes_in || how_many_new(&previews) + past.found == 0 {
        look_again(&desk, By::Person, &door.out);
    }
    desk.back_up(&door.out);
    let survey = read_code(&desk, &door.out);
    let mut failure = None;
    if takes_in && !transcripts.is_empty() {
        let (tally, full) = transcripts::learn_from(&transcripts, &environment, &desk, &door.out)?;
        past.learned = Some(tally.learned());
        failure = full;
        // What was learned long ago may be about files that were rewritten since.
        code::keep_crib(&desk, &door.out);
    }
    drop(attended);
    if connects {
        agents::connect(&mut agents, args.yes, &desk.location.root, door)?;
    }
    desk.back_up(&door.out);
    let mut overview = status::Overview::gather(&desk, &environment)?;
    let silent = if args.no_agents || door.out.is_json() {
        Vec::new()
    } else {
        silent_agents(&environment, &desk.location.root)
    };
    let found = Findings {
        arrival,
        previews: &previews,
        taken,
        past: &past,
        agents: &agents,
        silent,
        survey: survey.as_ref(),
    };
    if door.out.is_json() {
        door.out
            .json(&InitView::new(&found, &look_alikes, &overview))?;
    } else {
        if survey.is_some() {
            // The survey says more, and it was made just now.
            overview.code = None;
        }
        let known = known::lines(&desk)?;
        tell(&found, &known, &overview, door)?;
    }
    let why = "not all past sessions were taken in";
    failure.map_or(Ok(ExitCode::SUCCESS), |full| Err(full.context(why)))
}

/// Everything that was found and done.
pub(crate) struct Findings<'a> {
    pub(crate) arrival: Arrival,
    pub(crate) previews: &'a [Preview],
    pub(crate) taken: Option<TakenRules>,
    pub(crate) past: &'a Past,
    pub(crate) agents: &'a [agents::Found],
    /// What keeps agents that are connected from calling.
    pub(crate) silent: Vec<Check>,
    pub(crate) survey: Option<&'a SurveyView>,
}

/// What came of the rules that were new.
#[derive(Clone, Copy)]
pub(crate) struct TakenRules {
    pub(crate) taken: usize,
    /// Those of them that became no memory of their own: another says the same.
    pub(crate) alike: usize,
}

/// Sessions that agents kept transcripts of and that nobody learned from yet.
#[derive(Default)]
pub(crate) struct Past {
    pub(crate) found: usize,
    /// Whose they are: `12 of claude-code, 3 of codex`.
    whose: String,
    /// How many memories came of it; `None` when nobody wanted that.
    pub(crate) learned: Option<usize>,
}

impl Past {
    fn of(transcripts: &[Transcript]) -> Self {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for transcript in transcripts {
            *counts.entry(transcript.agent().as_str()).or_default() += 1;
        }
        let whose = counts
            .iter()
            .map(|(agent, number)| format!("{number} of {agent}"));
        Self {
            found: transcripts.len(),
            whose: whose.collect::<Vec<_>>().join(", "),
            learned: None,
        }
    }
}

/// Says in a few words what could be taken in, and asks once.
fn wants_to_take_in(
    previews: &[Preview],
    past: &Past,
    args: &Args,
    door: &mut Door,
) -> Result<bool> {
    let rules = how_many_new(previews);
    if rules + past.found == 0 {
        return Ok(false);
    }
    let out = &mut door.out;
    if args.verbose && !out.is_json() && rules > 0 {
        show(previews, out)?;
        writeln!(out)?;
    }
    if args.yes {
        return Ok(true);
    }
    let mut parts = Vec::new();
    if rules > 0 {
        let files = files_of(previews, |preview| !preview.new.is_empty());
        parts.push(format!("take in {} of {files}", count(rules, "rule")));
    }
    if past.found > 0 {
        let sessions = count(past.found, "past session");
        parts.push(format!("learn from {sessions} ({})", past.whose));
    }
    tell_many(previews, out);
    let mut question = parts.join(" and ");
    question[..1].make_ascii_uppercase();
    if !args.verbose && rules > 0 {
        question.push_str("? (`oldhand import rules --dry-run` shows each rule)");
    } else {
        question.push('?');
    }
    Ok(out.ask(&question)? == Some(true))
}

/// What a run without `--dry-run` would take in and write.
fn foresee(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let environment = door.environment.clone();
    let desk = Desk::open(&environment, Purpose::Look, &door.out)?;
    let arrival = match desk.project {
        Some(_) => Arrival::Known,
        None => Arrival::Created,
    };
    if arrival == Arrival::Created && !args.separate {
        refuse_no_project(&desk.location, &environment)?;
    }
    let files = find_files(&desk.location.root, &door.out);
    let (texts, unread) = read_files(&files, Some(&desk.location.root));
    tell_unread(&unread, &door.out);
    let previews = preview(&texts, Shelf::Project, &desk)?;
    let (transcripts, former) = transcripts::past(&environment, &desk)?;
    tell_former(&former, &door.out);
    let past = Past::of(&transcripts);
    let agents = if args.no_agents {
        Vec::new()
    } else {
        agents::find(&environment, &desk.location.root, &door.out)
    };
    let overview = status::Overview::gather(&desk, &environment)?;
    let found = Findings {
        arrival,
        previews: &previews,
        taken: None,
        past: &past,
        agents: &agents,
        silent: Vec::new(),
        survey: None,
    };
    let out = &mut door.out;
    if out.is_json() {
        out.json(&InitView::new(&found, &[], &overview))?;
        return Ok(ExitCode::SUCCESS);
    }
    let name = desk.location.root.display();
    match desk.project_name() {
        Some(known) => writeln!(out, "{STRONG}{known}{STRONG:#} is known, at {name}")?,
        None => writeln!(out, "{STRONG}{name}{STRONG:#} would become known")?,
    }
    let new = how_many_new(&previews);
    if new > 0 {
        let files = files_of(&previews, |preview| !preview.new.is_empty());
        let rules = count(new, "rule");
        writeln!(out, "\n{rules} would be taken in: {files}")?;
        if args.verbose {
            show(&previews, out)?;
        }
    }
    if past.found > 0 {
        let sessions = count(past.found, "past session");
        writeln!(out, "\n{sessions} would be learned from: {}", past.whose)?;
    }
    for one in &agents {
        writeln!(
            out,
            "\n{STRONG}{}{STRONG:#} {}",
            one.client.as_str(),
            one.state.say()
        )?;
        for line in one.plan() {
            writeln!(out, "  {line}")?;
        }
    }
    if new > 0 && !args.verbose {
        out.hint("`--verbose` shows each rule");
    }
    out.note("nothing was written");
    Ok(ExitCode::SUCCESS)
}

/// Sessions of a folder that this project was in before are not taken in unasked.
fn tell_former(former: &[Former], out: &Out) {
    for one in former {
        out.note(&one.say(&one.command()));
    }
}

/// Whether a known place is to become a project of its own: it holds another repository than before, or `--separate`
/// says so.
fn is_another(project: &Project, args: &Args, door: &mut Door) -> Result<bool> {
    if args.separate {
        return Ok(true);
    }
    if project::look_again(&door.environment.home, project)? == Continuity::Same {
        return Ok(false);
    }
    let name = &project.name;
    let found = format!("this place was project {name}, with another history");
    if let Some(answer) = door.out.ask(&format!("{found}. A new project?"))? {
        return Ok(answer);
    }
    door.out.note(&found);
    door.out
        .hint("`oldhand init --separate` makes it a project of its own");
    Ok(false)
}

/// Registers a new place: as the project it says it is, or as one of its own.
fn welcome(
    newcomer: Newcomer,
    args: &Args,
    door: &mut Door,
    ids: &Ids,
) -> Result<(Project, Arrival)> {
    let home = door.environment.home.clone();
    if let Some(name) = &args.same_as {
        return Ok((newcomer.join(&home, name)?, Arrival::Joined));
    }
    for alike in newcomer.look_alikes.clone() {
        let question = format!("{}. Same project?", describe_look_alike(&alike));
        match door.out.ask(&question)? {
            Some(true) => {
                let LookAlike {
                    name, directory, ..
                } = alike;
                door.out.note(&format!("this is {name} from now on"));
                return Ok((newcomer.join(&home, &directory)?, Arrival::Joined));
            }
            Some(false) => {}
            None => {
                tell_look_alikes(&newcomer, &door.out);
                break;
            }
        }
    }
    let project = newcomer.register(&home, door.environment.now, || ids.tag())?;
    Ok((project, Arrival::Created))
}

/// Takes the rules that are new.
fn take_rules(previews: &[Preview], desk: &Desk, out: &Out) -> Result<Option<TakenRules>> {
    if how_many_new(previews) == 0 {
        return Ok(None);
    }
    let written = take(previews, Shelf::Project, desk, out)?;
    let lines = || written.iter().flatten();
    Ok(Some(TakenRules {
        taken: lines().filter(|line| line.outcome != "refused").count(),
        alike: lines().filter(|line| line.outcome == "merged").count(),
    }))
}

/// What the tree and its history say. The project is known whether or not they can be read.
fn read_code(desk: &Desk, out: &Out) -> Option<SurveyView> {
    let read = || -> Result<SurveyView> {
        let index = code::refresh_index(desk, out)?;
        let history = code::read_history(desk, out)?;
        code::open_words(desk)?;
        code::write_crib(desk, &index, &history, out);
        code::registers::learn(desk, &history, out);
        Ok(survey::survey(
            &index,
            &history,
            code::named_commands(&desk.location.root),
        ))
    };
    read()
        .inspect_err(|error| out.note(&format!("the code was not read: {error:#}")))
        .ok()
}
