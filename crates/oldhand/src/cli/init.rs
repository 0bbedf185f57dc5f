//! `oldhand init`: make a project known, and show what is known about it.

mod merge;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_engine::Shelf;

use super::import::rules::{Preview, find_files, preview, read_files, show, take, tell_unread};
use super::{Door, status};
use crate::code::{self, survey};
use crate::desk::{Desk, Purpose, describe_look_alike, tell_look_alikes};
use crate::ids::Ids;
use crate::interrupt;
use crate::out::style::{GOOD, STRONG};
use crate::out::time::count;
use crate::out::{Out, Waiting};
use crate::project::{self, Continuity, Found, LookAlike, Newcomer, Project};
use crate::view::graph::SurveyView;
use crate::view::init::InitView;

/// Make this project known, and show what is known about it
///
/// Makes the project's database, outside your repository, and offers to take in the rules files that are here. Doing
/// it again changes nothing that is there. Reads the code and its history, so that questions about them are answered at
/// once, and shows what they say. `oldhand install AGENT` connects an agent.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand init
  oldhand init --yes
  oldhand init --same-as api")]
pub(crate) struct Args {
    /// Take in the rules files that are found, without asking
    #[arg(long, short = 'y')]
    yes: bool,
    /// Leave agents alone, as it does in any case: `oldhand install` connects them
    #[arg(long)]
    no_agents: bool,
    /// This is the known project NAME, moved or cloned again: they become one
    #[arg(long, value_name = "NAME")]
    same_as: Option<String>,
    /// This place holds another repository than before: make it a project of its own
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
    interrupt::watch("run `oldhand init` again to finish");
    let environment = door.environment.clone();
    let ids = Ids::new(environment.seed, environment.now);
    let found = project::find(
        &environment.home,
        &environment.folder,
        environment.user_home.as_deref(),
    )?;
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
    let desk = Desk::at(&environment, Some(project), location, purpose, ids)?;
    let files = find_files(&desk.location.root);
    let (texts, unread) = read_files(&files);
    tell_unread(&unread, &door.out);
    let previews = preview(&texts, Shelf::Project, &desk)?;
    let taken = take_rules(&previews, args, &desk, door)?;
    desk.back_up(&door.out);
    let survey = read_code(&desk, &door.out);
    let mut overview = status::Overview::gather(&desk, &environment)?;
    if door.out.is_json() {
        door.out.json(&InitView::new(
            arrival,
            &look_alikes,
            &previews,
            taken,
            survey.as_ref(),
            &overview,
        ))?;
    } else {
        if survey.is_some() {
            // The survey says more, and it was made just now.
            overview.code = None;
        }
        tell(arrival, &previews, taken, survey.as_ref(), &overview, door)?;
    }
    Ok(ExitCode::SUCCESS)
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
    if let Some(LookAlike {
        directory, name, ..
    }) = newcomer.look_alikes.first().cloned()
    {
        let question = format!(
            "{}. Same project?",
            describe_look_alike(&newcomer.look_alikes[0])
        );
        match door.out.ask(&question)? {
            Some(true) => {
                door.out.note(&format!("this is {name} from now on"));
                return Ok((newcomer.join(&home, &directory)?, Arrival::Joined));
            }
            Some(false) => {}
            None => tell_look_alikes(&newcomer, &door.out),
        }
    }
    let project = newcomer.register(&home, door.environment.now, || ids.tag())?;
    Ok((project, Arrival::Created))
}

/// Takes the rules that are new, if a person or `--yes` says so. Returns how many were taken.
fn take_rules(
    previews: &[Preview],
    args: &Args,
    desk: &Desk,
    door: &mut Door,
) -> Result<Option<usize>> {
    let new: usize = previews.iter().map(|preview| preview.new.len()).sum();
    if new == 0 {
        return Ok(None);
    }
    let wanted = if args.yes {
        true
    } else {
        if !door.out.is_json() {
            show(previews, &mut door.out)?;
            writeln!(door.out)?;
        }
        door.out.ask(&format!("Remember {}?", count(new, "rule")))? == Some(true)
    };
    if !wanted {
        return Ok(None);
    }
    let written = take(previews, Shelf::Project, desk, &door.out)?;
    let taken = written
        .iter()
        .flatten()
        .filter(|line| line.outcome != "refused");
    Ok(Some(taken.count()))
}

/// What the tree and its history say. The project is known whether or not they can be read.
fn read_code(desk: &Desk, out: &Out) -> Option<SurveyView> {
    let read = || -> Result<SurveyView> {
        let index = code::refresh_index(desk, out)?;
        let history = code::read_history(desk, out)?;
        code::open_words(desk)?;
        code::write_crib(desk, &index, &history, out);
        Ok(survey::survey(&index, &history))
    };
    read()
        .inspect_err(|error| out.note(&format!("the code was not read: {error:#}")))
        .ok()
}

fn tell(
    arrival: Arrival,
    previews: &[Preview],
    taken: Option<usize>,
    survey: Option<&SurveyView>,
    overview: &status::Overview,
    door: &mut Door,
) -> Result<()> {
    let out = &mut door.out;
    let said = match arrival {
        Arrival::Created => "new project",
        Arrival::Known => "known project",
        Arrival::Joined => "known project, at a new place",
        Arrival::Merged => "two projects made one",
    };
    writeln!(out, "{GOOD}{said}{GOOD:#}")?;
    status::show(overview, out)?;
    for preview in previews {
        let Preview {
            file, new, known, ..
        } = preview;
        let waiting = if taken.is_some() { 0 } else { new.len() };
        let taken = if taken.is_some() { new.len() } else { 0 };
        let parts = [
            (taken, "taken in"),
            (*known, "known already"),
            (waiting, "not taken in"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, words)| format!("{} {words}", count(*number, "rule")))
            .collect();
        if !parts.is_empty() {
            crate::card::fact(out, "rules", &format!("{file}: {}", parts.join(", ")))?;
        }
    }
    for (label, value) in survey.map(survey::say).unwrap_or_default() {
        crate::card::fact(out, label, &value)?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "  {STRONG}oldhand install AGENT{STRONG:#} lets an agent learn and be told."
    )?;
    let waiting: usize = previews.iter().map(|preview| preview.new.len()).sum();
    if waiting > 0 && taken.is_none() {
        writeln!(
            out,
            "  {STRONG}oldhand import rules{STRONG:#} takes in what the rules files say."
        )?;
    }
    writeln!(
        out,
        "  {STRONG}oldhand remember TEXT{STRONG:#} teaches something new."
    )?;
    writeln!(
        out,
        "  {STRONG}oldhand search WORDS{STRONG:#} finds it again."
    )?;
    if survey.is_some_and(|survey| !survey.modules.is_empty()) {
        writeln!(
            out,
            "  {STRONG}oldhand map{STRONG:#} shows the modules, {STRONG}oldhand impact FILE{STRONG:#} what a change reaches."
        )?;
    }
    Ok(())
}
