//! What outlives a session: plain data, small, the same for the same journal.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::event::ToolName;
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::taint::{OutsideText, Taint};
use serde::{Deserialize, Serialize};

use super::attempts::{AttemptFact, attempts, whose};
use super::conflicts::{Stretch, stretches};
use super::customs::{CustomFact, customs};
use super::findings::FindingFact;
use super::hurdles::{HurdleFact, hurdles};
use super::leftovers::{LeftFact, leftovers};
use super::mends::{MendFact, mends};
use super::missed::{MissedFact, missed};
use super::names::{VainFact, in_vain};
use super::task::{TaskType, task_of};
use crate::detect::{Finding, Signal, Solved, SolvedBy};
use crate::distill::{SAID, StepUnit};
use crate::fold::{FileId, KEPT_OF_A_LINE, Named, RefusalKind, SessionAnalytics};
use crate::outcome::commands::{Whole, own_checks, own_format_commands};
use crate::outcome::judgement::{Judgement, WorkVerdict};
use crate::outcome::results::CheckResult;
use crate::paths;

mod pairs;

use pairs::pairs;

/// The form of today's facts: checks are told with what they were given, what of it cannot be told and the folder they ran in, without edits that were asked for and never made, what a look printed is no error, only such edits solve one
/// that it is bound to, and it is told what an error advised or listed itself and which programs were found; the lines of PowerShell and `cmd` are read; prompts in which people said how work is cut are counted; of a listing only what is known to be unused counts as that; what approaches that were given up and subtasks that failed said is left out; what mended a check and what a client has not by a name is told; what was typed while the agent was at work is heard; a subcommand that a program does not have is one thing whatever its line was about, a listing says where in it the work was, and what is understood of a cause or a correction is narrower; commands that a person refused, customs of handing work in and typed answers to questions are counted; commits that a hook refused without saying why, calls that the client never made, what biome says at its end, folders that were missed and what was left in folders that git ignores are told; what a runner echoes is no error, and another try is one only where nothing changed in between; what a program printed or a plan was handed over with lays nothing down, and what a file broke before the session changed it stopped nothing; what a client states as a fact keeps the marks of outside text that came before; what was found out is kept; a session that was plainly a review passes the gate of one, and a command that only prints how it is called or which one it is mends nothing. A session of an earlier form is learned anew where its journal is there. So this
/// rises with every change of the rules by which old sessions teach something else, too; `specs.rs` watches over it.
pub const FORM: u32 = 13;
/// From this form on facts tell what came before outside text and what after.
pub(super) const TELLS_OUTSIDE: u32 = 1;
/// From this form on a check says what was left out of it, and where it ran.
pub(super) const TELLS_CHECKS: u32 = 5;
/// From this form on what a client states as a fact has marks of its own.
pub(super) const TELLS_MARKS: u32 = 13;
/// How the keys of such facts begin: a file is not there.
const MISSING: &str = "missing:";

/// One session, as statistics see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionFacts {
    /// What the facts tell at all, see [`FORM`].
    #[serde(default)]
    pub form: u32,
    pub session: SessionId,
    pub at: Timestamp,
    pub task_type: TaskType,
    pub succeeded: Option<bool>,
    pub files: Vec<FileFact>,
    pub pairs: Vec<PairFact>,
    pub errors: Vec<ErrorFact>,
    /// Failures whose errors were too many to be told apart, where there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors_left_out: Option<u32>,
    /// Modules touched, and whether anything in them was edited.
    pub modules: BTreeMap<String, bool>,
    pub main_module: Option<String>,
    /// What it bears witness to: not what outside text had a hand in, nor what belongs to an approach that was given up.
    pub signals: Vec<SignalFact>,
    /// Telling runs of steps, each once.
    pub sequences: BTreeSet<Vec<String>>,
    /// Those that were gone through only after outside text had come in.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub sequences_after_outside: BTreeSet<Vec<String>>,
    /// What checked the work, by kind and command, each once; a command that ran in a folder of the project begins with `cd`.
    #[serde(default)]
    pub checks: BTreeSet<(String, String)>,
    /// What checked it only after outside text had come in.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub checks_after_outside: BTreeSet<(String, String)>,
    /// Checks that failed, and what mended them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mends: Vec<MendFact>,
    /// Checks that were run and commits, and which rules stopped them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hurdles: Vec<HurdleFact>,
    /// What was looked for where it is not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<MissedFact>,
    /// Folders by whose files checks and commits were stopped that it did not edit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftFact>,
    /// Programs that a shell found by their names alone.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub programs: BTreeSet<String>,
    /// Whose client it ran in.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub client: String,
    /// What that was asked for by name and has.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub names: BTreeSet<Named>,
    /// What it was asked for by name in vain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_vain: Vec<VainFact>,
    /// Whose it was, by the folder of a user that it ran in.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub whose: String,
    /// Commands that it wanted to run, and what became of each in the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<AttemptFact>,
    /// What was said in it of how work is handed in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub customs: Vec<CustomFact>,
    /// What it found out, to be told once another session meets that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingFact>,
    /// Outside text that had come in by its end.
    #[serde(default, skip_serializing_if = "Taint::is_clean")]
    pub taint: Taint,
    pub steps: u32,
    pub planned_steps: Option<u32>,
    /// What the plan took, counted as it was planned, and what both are counted in.
    #[serde(default)]
    pub taken_steps: Option<u32>,
    #[serde(default)]
    pub step_unit: StepUnit,
    /// How its unit of work was planned; nothing where none was told.
    #[serde(default)]
    pub methodology: Option<String>,
    pub peak_tokens: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFact {
    pub path: ProjectPath,
    pub reads: u32,
    /// Edits and writes.
    pub edits: u32,
    /// Outside text had come in before it was first used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_outside: bool,
    /// When it was edited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited_at: Vec<Stretch>,
    /// An edit of it was refused because somebody else had changed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
}

/// Two files used together; the smaller path is `first`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairFact {
    pub first: ProjectPath,
    pub then: ProjectPath,
    pub count: u32,
    /// How often `first` came first.
    pub forward: u32,
    pub millis_apart: i64,
    pub both_edited: bool,
    /// Outside text had come in before the two were first used together or, where both were edited, before that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_outside: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorFact {
    pub message: String,
    /// What failed with it, as it was typed.
    pub command: String,
    pub count: u32,
    /// The steps at which it came.
    pub steps: Vec<u32>,
    pub solved: Option<Solved>,
    /// Outside text that had come in by the time it was solved.
    pub taint: Taint,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalFact {
    pub key: String,
    pub edited: bool,
    /// The marks of outside text on it, which counts all the same: a client states it as a fact, or a person pasted it.
    #[serde(default, skip_serializing_if = "Taint::is_clean")]
    pub taint: Taint,
}

/// Sequences kept per session.
const SEQUENCES: usize = 200;

/// Takes from a session what outlives it; the approaches that were given up are no part of it any more.
pub fn facts(
    session_id: SessionId,
    session: &SessionAnalytics,
    signals: &[Signal],
    judgement: &Judgement,
) -> SessionFacts {
    let used = || {
        session
            .files
            .iter()
            .filter(|(_, file)| file.first_step > 0 && !paths::is_generated(file.path.as_str()))
    };
    let mut modules: BTreeMap<String, bool> = BTreeMap::new();
    let mut weights: BTreeMap<String, u32> = BTreeMap::new();
    for (_, file) in used() {
        let module = paths::module_of(file.path.as_str());
        *modules.entry(module.to_owned()).or_default() |= file.is_edited();
        *weights.entry(module.to_owned()).or_default() += file.weight();
    }
    let came = session.outside.iter().map(|(came, _)| *came).min();
    let is_after = |step: u32| came.is_some_and(|came| came < step);
    let main_module = weights
        .into_iter()
        .max_by_key(|(name, weight)| (*weight, std::cmp::Reverse(name.clone())))
        .map(|(name, _)| name);
    let (sequences, sequences_after_outside) = sequences(session, is_after);
    let (checks, checks_after_outside) = checks(session, is_after);
    let mut edit_times: BTreeMap<FileId, Vec<Timestamp>> = BTreeMap::new();
    for edit in &session.edits {
        edit_times.entry(edit.file).or_default().push(edit.at);
    }
    SessionFacts {
        form: FORM,
        session: session_id,
        at: session.last_at.unwrap_or(Timestamp::UNIX_EPOCH),
        task_type: task_of(session),
        succeeded: match judgement.verdict {
            WorkVerdict::Passed => Some(true),
            WorkVerdict::Failed => Some(false),
            WorkVerdict::Unknown => None,
        },
        files: used()
            .map(|(id, file)| FileFact {
                path: file.path.clone(),
                reads: file.reads,
                edits: file.edits + file.writes,
                after_outside: is_after(file.first_step),
                edited_at: stretches(edit_times.remove(&id).unwrap_or_default()),
                refused: is_refused(session, &file.path),
            })
            .collect(),
        pairs: pairs(session, is_after),
        errors: errors(session),
        errors_left_out: Some(session.errors_left_out()).filter(|count| *count > 0),
        modules,
        main_module,
        signals: signals
            .iter()
            .filter(|signal| signal.is_own())
            .map(|signal| SignalFact {
                taint: signal.taint.clone(),
                key: signal.key.clone(),
                edited: matches!(
                    signal.finding,
                    Finding::FileAccess { edited: true, .. } | Finding::CoAccess { edited: 2, .. }
                ),
            })
            .collect(),
        sequences,
        sequences_after_outside,
        checks,
        checks_after_outside,
        mends: mends(session, is_after),
        hurdles: hurdles(session, is_after),
        missed: missed(session, signals, is_after),
        left: leftovers(session, is_after),
        programs: session.programs.clone(),
        client: session
            .start
            .as_ref()
            .map_or_else(String::new, |start| start.client.clone()),
        names: session.names.clone(),
        in_vain: in_vain(session),
        whose: whose(session),
        attempts: attempts(session),
        customs: customs(session),
        findings: Vec::new(),
        taint: session.taint_after(u32::MAX),
        steps: session.step,
        planned_steps: session.plan().map(|plan| plan.planned),
        taken_steps: session.plan().map(|plan| plan.actual),
        step_unit: session.plan().map(|plan| plan.unit).unwrap_or_default(),
        methodology: session.methodology().map(str::to_owned),
        peak_tokens: session.tokens.peak,
    }
}

impl SessionFacts {
    /// What it bears witness to: work that failed to nothing but what was said to whoever did it.
    pub(super) fn witnessed(&self) -> impl Iterator<Item = &SignalFact> {
        let stands = self.succeeded != Some(false);
        let signals = self.signals.iter();
        signals.filter(move |signal| stands || signal.key.starts_with(SAID))
    }

    /// The marks on what it shows. Where they were not kept with each thing, those of the whole session are on all that clients state.
    pub(super) fn marks_on<'s>(&'s self, signal: &'s SignalFact) -> &'s Taint {
        if self.form < TELLS_MARKS && signal.key.starts_with(MISSING) {
            &self.taint
        } else {
            &signal.taint
        }
    }

    /// The session shows these things as well.
    pub(crate) fn bear_witness(&mut self, keys: impl IntoIterator<Item = (String, Taint)>) {
        let facts = keys.into_iter().map(|(key, taint)| SignalFact {
            key,
            edited: false,
            taint,
        });
        self.signals.extend(facts);
    }

    /// The same where nobody noted when outside text came in: all of it may have been shown after that.
    pub(super) fn as_after_outside(&self) -> Self {
        let mut facts = self.clone();
        for file in &mut facts.files {
            file.after_outside = true;
        }
        for pair in &mut facts.pairs {
            pair.after_outside = true;
        }
        facts.sequences_after_outside.append(&mut facts.sequences);
        facts.checks_after_outside.append(&mut facts.checks);
        facts.taint = facts.taint.join(&Taint::by(OutsideText::Unseen));
        facts
    }

    /// Every telling run of steps, and whether outside text had come in before it.
    pub(super) fn each_sequence(&self) -> impl Iterator<Item = (&Vec<String>, bool)> {
        let after = self
            .sequences_after_outside
            .iter()
            .map(|steps| (steps, true));
        self.sequences
            .iter()
            .map(|steps| (steps, false))
            .chain(after)
    }

    /// Everything that checked the work, and whether outside text had come in before it.
    pub(super) fn each_check(&self) -> impl Iterator<Item = (&(String, String), bool)> {
        let after = self.checks_after_outside.iter().map(|check| (check, true));
        self.checks.iter().map(|check| (check, false)).chain(after)
    }

    /// The marks of something that it showed, or clean where no outside text had come in before.
    pub(super) fn taint_if(&self, after_outside: bool) -> Taint {
        if after_outside {
            self.taint.clone()
        } else {
            Taint::CLEAN
        }
    }
}

/// Whether a client would not edit a file because it was not as the agent had read it.
fn is_refused(session: &SessionAnalytics, file: &ProjectPath) -> bool {
    let mut refusals = session.refusals.iter();
    refusals.any(|refusal| refusal.kind == RefusalKind::Changed && refusal.file == *file)
}

fn errors(session: &SessionAnalytics) -> Vec<ErrorFact> {
    let path = |id| session.files.path(id).clone();
    let mut found: Vec<ErrorFact> = session
        .errors
        .values()
        // A client's own tools fail for the agent's reasons.
        .filter(|error| matches!(error.tool, ToolName::Shell | ToolName::Mcp))
        .map(|error| {
            let first = error.steps.first().copied().unwrap_or(0);
            let solved = error.resolution.as_ref().and_then(|resolution| {
                let solved = Solved::of(resolution, first, path);
                match solved.by {
                    // What else was edited meanwhile was the work.
                    SolvedBy::Edits(_) => {
                        let files: Vec<_> = resolution.bound.iter().copied().map(path).collect();
                        let by = SolvedBy::Edits(files);
                        (!resolution.bound.is_empty()).then_some(Solved { by, ..solved })
                    }
                    _ => Some(solved),
                }
            });
            let last = error.resolution.as_ref().map(|resolution| resolution.step);
            ErrorFact {
                message: error.message.clone(),
                command: if error.typed.is_empty() {
                    error.command.clone()
                } else {
                    error.typed.lines().next().unwrap_or_default().to_owned()
                },
                count: error.count,
                steps: error.steps.iter().copied().take(8).chain(last).collect(),
                solved,
                taint: session.taint_after(last.unwrap_or(first) + 1),
            }
        })
        .collect();
    found.sort_by(|a, b| a.message.cmp(&b.message));
    found
}

/// What was shown before outside text came in, and what only after that.
type BeforeAndAfter<T> = (BTreeSet<T>, BTreeSet<T>);

fn apart<T: Ord>(found: BTreeMap<T, u32>, is_after: impl Fn(u32) -> bool) -> BeforeAndAfter<T> {
    let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
    for (what, first) in found {
        let into = if is_after(first) {
            &mut after
        } else {
            &mut before
        };
        into.insert(what);
    }
    (before, after)
}

fn checks(
    session: &SessionAnalytics,
    is_after: impl Fn(u32) -> bool,
) -> BeforeAndAfter<(String, String)> {
    let root = (session.start.as_ref()).map_or("", |start| start.cwd.as_str());
    let mut found = BTreeMap::new();
    for run in session
        .runs
        .iter()
        .filter(|run| run.result == CheckResult::Passed)
    {
        for whole in checks_of(uncut(&run.command), root, &run.folder) {
            let check = (whole.check.as_str().to_owned(), whole.line());
            found.entry(check).or_insert(run.step);
        }
        for command in own_format_commands(&run.command, root, &run.folder) {
            let check = ("format".to_owned(), command);
            found.entry(check).or_insert(run.step);
        }
    }
    apart(found, is_after)
}

/// What a line checks. A session that began in a folder called like the one that the line ran in began there, or in a project with a
/// folder of its own name: what is not the same either way is not known.
pub(super) fn checks_of(line: &str, begun: &str, folder: &str) -> Vec<Whole> {
    let checks = own_checks(line, begun, folder);
    let above = begun.strip_suffix(folder).filter(|_| !folder.is_empty());
    let Some(above) = above.and_then(|above| above.strip_suffix('/')) else {
        return checks;
    };
    let other = own_checks(line, above, folder);
    if checks == other { checks } else { Vec::new() }
}

/// A line without its last word where that may be cut.
pub(super) fn uncut(line: &str) -> &str {
    // A letter may be four bytes long.
    if line.len() + 4 <= KEPT_OF_A_LINE {
        return line;
    }
    line.rsplit_once(char::is_whitespace)
        .map_or("", |(whole, _)| whole)
}

fn sequences(
    session: &SessionAnalytics,
    is_after: impl Fn(u32) -> bool,
) -> BeforeAndAfter<Vec<String>> {
    use crate::detect::sequence::{LENGTH, is_telling};
    let mut found: BTreeMap<Vec<String>, u32> = BTreeMap::new();
    for window in session.trail.windows(LENGTH) {
        let steps: Vec<&str> = window.iter().map(|(key, _)| key.as_str()).collect();
        if is_telling(&steps) && found.len() < SEQUENCES {
            let steps = steps.into_iter().map(str::to_owned).collect();
            let (_, last) = window[LENGTH - 1];
            found.entry(steps).or_insert(last);
        }
    }
    apart(found, is_after)
}

/// The methodology of work that names none.
pub(crate) fn native() -> String {
    "native".to_owned()
}

#[test]
fn a_folder_called_like_the_project_is_no_reason_to_look_above_it() {
    let below = "cd /home/dev/shop/web && make check";
    for (line, folder, expected) in [
        (below, "", "cd web && make check"),
        ("make check", "shop", "cd shop && make check"),
        // Of the project called so, or of one above it.
        (below, "shop", ""),
        ("cd /home/dev/billing && make check", "shop", ""),
    ] {
        let checks = checks_of(line, "/home/dev/shop", folder);
        let told: Vec<String> = checks.iter().map(Whole::line).collect();
        assert_eq!(told.join(", "), expected, "{line} in {folder}");
    }
}
