//! `oldhand session validate`: a person says whether the work is right.

use std::process::ExitCode;

use anyhow::Result;
use clap::ArgGroup;
use clap::builder::NonEmptyStringValueParser;
use oldhand_domain::event::{Event, Happening, Issue, Severity};
use oldhand_engine::{Extent, Finalized, Shelf};
use oldhand_redact::redact;

use super::finalize::{Tally, finalize_one};
use crate::cli::Door;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::sessions::Sessions;

/// Say whether a session's work was right, and learn from it
///
/// What a person says counts more than what is inferred from tests and commits. After a failure only dead ends, what
/// went wrong and what a person laid down in it are kept; saying the same again changes nothing. With more than five subtasks, what each taught is kept as it is validated, and stays whatever
/// becomes of the rest.
#[derive(clap::Args)]
#[command(group = ArgGroup::new("verdict").required(true).args(["passed", "failed"]), after_help = "\
Examples:
  oldhand session validate 0bb9 --passed
  oldhand session validate 0bb9 --failed --issue \"high src/cache.rs: entries are never dropped\"
  oldhand session validate 0bb9 --subtask parser --passed")]
pub(crate) struct Args {
    /// The session, or the beginning of its id
    id: String,
    /// The work is right
    #[arg(long)]
    passed: bool,
    /// The work is wrong
    #[arg(long)]
    failed: bool,
    /// Only this part of the work; the session goes on
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    subtask: Option<String>,
    /// What is wrong, as `SEVERITY FILE: words` or `SEVERITY: words`; may be given several times. Severity is critical, high, medium or low;
    /// what is critical or high is remembered at once
    #[arg(long = "issue", value_name = "ISSUE")]
    issues: Vec<String>,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    if args.subtask.is_some() && !args.issues.is_empty() {
        return Err(
            Failure::invalid("an issue is about the whole session, not about a subtask")
                .hint("leave out `--subtask` to tell the issue, or `--issue` to judge the subtask")
                .into(),
        );
    }
    let desk = Desk::open(&door.environment, Purpose::Teach(Shelf::Project), &door.out)?;
    let sessions = Sessions::of(&desk)?;
    let known = sessions.resolve(&args.id)?;
    let issues = args.issues.iter().map(|told| read_issue(told, &desk));
    let issues = issues.collect::<Result<Vec<Issue>>>()?;
    let (told, extent) = match &args.subtask {
        Some(subtask) => (
            Happening::SubtaskValidated {
                subtask: subtask.clone(),
                passed: args.passed,
            },
            Extent::Subtasks,
        ),
        None => (
            Happening::Validated {
                passed: args.passed,
                by: "user".to_owned(),
                issues,
            },
            Extent::Whole,
        ),
    };
    let mut told = Event::new(desk.now, told);
    told.change_texts(|text| *text = redact(text).text.into_owned());
    sessions.journals_of(&known.id).append(&known.id, &[told])?;
    let done = finalize_one(&desk, &sessions, &known.id, extent, &door.out)?;
    let mut tally = Tally::default();
    tally.add(&desk, &done);
    desk.back_up(&door.out);
    if door.out.is_json() {
        door.out.json(&tally.view(&desk)?)?;
    } else if done == Finalized::Waiting {
        door.out
            .note("it is written down; with five subtasks or fewer, all is learned at the end");
    } else {
        tally.write(&desk, &mut door.out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn read_issue(told: &str, desk: &Desk) -> Result<Issue> {
    // Read before it is redacted: a file may be called as a secret would begin.
    let issue = Issue::parse(told, |file| desk.path(file).ok());
    issue.map_err(|why| {
        let form = format!(
            "an issue is told as `SEVERITY FILE: words` or `SEVERITY: words`, with a severity of {}",
            Severity::SPELLINGS.join(", ")
        );
        let problem = format!("issue `{told}` is not understood: {why}");
        Failure::invalid(problem).hint(form).into()
    })
}
