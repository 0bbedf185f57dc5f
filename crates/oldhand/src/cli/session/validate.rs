//! `oldhand session validate`: a person says whether the work is right, and what the session was for.

use std::process::ExitCode;

use anyhow::Result;
use clap::ArgGroup;
use clap::builder::NonEmptyStringValueParser;
use oldhand_domain::event::{Event, Happening, Issue, Severity};
use oldhand_domain::session::SessionStore;
use oldhand_engine::{Extent, Finalized, Shelf};
use oldhand_redact::redact;

use super::finalize::{Tally, finalize_one};
use crate::cli::Door;
use crate::config::read_session_type;
use crate::desk::{Desk, Purpose};
use crate::failure::Failure;
use crate::sessions::Sessions;

/// Say whether a session's work was right or what it was for, and learn from it
///
/// What a person says counts more than what is inferred from tests and commits. After a failure only dead ends, what
/// went wrong and what a person laid down in it are kept; saying the same again changes nothing. With more than five subtasks, what each taught is kept as it is validated, and stays whatever
/// becomes of the rest. The type of a session says which of what it showed is kept, and how much: what it taught as one of another type goes
/// where sessions of this type do not teach it, and comes back when its type does.
#[derive(clap::Args)]
#[command(
    group = ArgGroup::new("verdict").args(["passed", "failed"]),
    group = ArgGroup::new("word").required(true).multiple(true).args(["passed", "failed", "session_type"]),
    after_help = "\
Examples:
  oldhand session validate 0bb9 --passed
  oldhand session validate 0bb9 --failed --issue \"high src/cache.rs: entries are never dropped\"
  oldhand session validate 0bb9 --subtask parser --passed
  oldhand session validate 0bb9 --subtask parser --failed --issue \"high: numbers are cut\"
  oldhand session validate 0bb9 --type pr_review"
)]
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
    #[arg(long, value_name = "NAME", requires = "verdict", conflicts_with = "session_type", value_parser = NonEmptyStringValueParser::new())]
    subtask: Option<String>,
    /// What is wrong, as `SEVERITY FILE: words` or `SEVERITY: words`; may be given several times. Severity is critical, high, medium or low;
    /// what is critical or high is remembered at once
    #[arg(long = "issue", value_name = "ISSUE", requires = "verdict")]
    issues: Vec<String>,
    /// What the session was for: build, insights, roadmap, terminal, changelog, `spec_creation` or `pr_review`
    #[arg(long = "type", value_name = "TYPE")]
    session_type: Option<String>,
}

/// Who speaks on the command line.
const PERSON: &str = "user";

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let session_type = args
        .session_type
        .as_deref()
        .map(read_session_type)
        .transpose()?;
    let desk = Desk::open(&door.environment, Purpose::Teach(Shelf::Project), &door.out)?;
    let sessions = Sessions::of(&desk)?;
    let known = sessions.resolve(&args.id)?;
    let issues = args.issues.iter().map(|told| read_issue(told, &desk));
    let issues = issues.collect::<Result<Vec<Issue>>>()?;
    let typed = session_type.map(|session_type| Happening::TypeTold {
        session_type,
        by: PERSON.to_owned(),
    });
    let (judged, extent) = match &args.subtask {
        Some(subtask) => (
            Some(Happening::SubtaskValidated {
                subtask: subtask.clone(),
                passed: args.passed,
                by: PERSON.to_owned(),
                issues,
            }),
            Extent::Subtasks,
        ),
        None => (
            (args.passed || args.failed).then(|| Happening::Validated {
                passed: args.passed,
                by: PERSON.to_owned(),
                issues,
            }),
            Extent::Whole,
        ),
    };
    let told: Vec<Event> = typed
        .into_iter()
        .chain(judged)
        .map(|what| {
            let mut told = Event::new(desk.now, what);
            told.change_texts(|text| *text = redact(text).text.into_owned());
            told
        })
        .collect();
    sessions.journals_of(&known.id).append(&known.id, &told)?;
    let earlier = sessions.store.session(&known.id)?;
    let done = finalize_one(&desk, &sessions, &known.id, extent, &door.out)?;
    let mut tally = Tally::after(earlier.as_ref());
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
