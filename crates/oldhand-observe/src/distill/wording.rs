//! The words of a memory, as a colleague would say them: which file, which command, what helped.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, Payload};

use super::Frequency;
use super::costs::{self, Cost};
use super::phrase::{clip, list, seen, shortened};
use super::remedy::NoSubcommand;
use super::{is_misuse, refused_option};
use crate::detect::{Cause, Finding, Order, Signal};
use crate::paths::{file_name, is_test};
use crate::promote::Dropped;

pub(super) mod correction;
mod error;
mod misuse;

/// What a memory will say, in full and in one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Wording {
    pub payload: Payload,
    pub content: String,
    pub summary: String,
}

impl Wording {
    pub(crate) fn plain(kind: BuiltInType, content: String, summary: String) -> Self {
        Self {
            payload: kind.into(),
            content,
            summary,
        }
    }
}

/// A listing of so many files costs something to look over.
const LONG_LISTING: u32 = 50;

/// How the note of a file that was asked for by a wrong name begins.
const MISSING: &str = "There is no `";
/// The name under which a file is not to be found, where that is what a note tells.
pub fn missing(content: &str) -> Option<&str> {
    missing_and_meant(content).map(|(name, _)| name)
}

/// The same name with that of the file which is told instead.
pub fn missing_and_meant(content: &str) -> Option<(&str, &str)> {
    let (name, rest) = content.strip_prefix(MISSING)?.split_once('`')?;
    let (meant, _) = rest.strip_prefix("; the file is `")?.split_once('`')?;
    Some((name, meant))
}

/// Why what somebody admitted or ran into can become nothing, with the words to say so.
pub(super) fn refused(signal: &Signal) -> Option<(Wording, Dropped)> {
    match &signal.finding {
        Finding::SelfCorrection { sentence, next } => {
            let why = correction::word(sentence, next.as_deref()).err()?;
            Some((correction::as_said(sentence), why))
        }
        Finding::GlobIgnore {
            pattern,
            results,
            below: None,
            ..
        } if *results >= LONG_LISTING => {
            let told = format!("Listing `{pattern}` gives {results} files");
            let wording = Wording::plain(BuiltInType::Gotcha, format!("{told}."), told);
            Some((wording, Dropped::NoOneFolder))
        }
        Finding::ParallelConflict { file, agents, .. } => {
            let told = format!("`{file}` was edited by {agents} agents at the same time");
            let wording = Wording::plain(BuiltInType::Gotcha, format!("{told}."), told);
            Some((wording, Dropped::GotBy))
        }
        _ => None,
    }
}

/// The wording of a signal; `None` when there is nothing concrete to say.
pub(super) fn of(signal: &Signal, frequency: &Frequency) -> Option<Wording> {
    let sessions = frequency.sessions(&signal.key);
    let edited_before = frequency.before(&signal.key).edited_sessions;
    let seen = seen(sessions);
    match &signal.finding {
        Finding::FileAccess { edited, .. } => {
            let file = signal.files.first()?;
            let module = crate::paths::module_of(file.as_str());
            let place = crate::paths::place_of(module);
            let of = frequency
                .modules
                .get(module)
                .map_or(1, |before| before + 1)
                .max(sessions);
            let use_of = if *edited {
                "opened early and edited"
            } else {
                "opened early"
            };
            Some(Wording::plain(
                BuiltInType::PrefetchPattern,
                format!(
                    "Work {place} begins with `{file}`: it was {use_of} by {sessions} of {of} sessions."
                ),
                format!("Work {place} begins with `{file}` ({sessions} of {of} sessions)"),
            ))
        }
        Finding::CoAccess {
            first,
            then,
            directed,
            edited,
            ..
        } => {
            let both = edited_before + u32::from(*edited == 2);
            Some(pair(
                first,
                then,
                *directed,
                (*edited, both, sessions),
                &seen,
            ))
        }
        Finding::ErrorRetry {
            message,
            command,
            solved: Some(solved),
            ..
        } if let Some(refused) = NoSubcommand::of(message, command, &solved.by) => {
            let met = frequency.met.get(message).map_or(1, |before| before + 1);
            Some(misuse::no_subcommand(&refused, message, met))
        }
        Finding::ErrorRetry {
            message,
            command,
            solved: Some(solved),
            ..
        } if is_misuse(message, command, &solved.by) && refused_option(message).is_some() => {
            misuse::word(message, command, &solved.by, &seen)
        }
        Finding::ErrorRetry {
            message,
            command,
            count,
            solved,
            ..
        } => {
            let met = error::Met {
                message,
                command,
                count: *count,
                sessions,
            };
            met.word(solved.as_ref())
        }
        // A slip that the compiler catches teaches nothing about the file.
        Finding::Backtrack {
            cause: Cause::Broke(error),
            ..
        } if is_compile_slip(error) => None,
        Finding::Backtrack { file, cause, .. } => backtrack(file, cause, &seen),
        Finding::ReadAbandon { opened, worked_in } => Some(Wording::plain(
            BuiltInType::Gotcha,
            format!(
                "`{opened}` looks like the place but is not: it was opened first and left unchanged, the work was done in `{worked_in}`, {seen}."
            ),
            format!("The place is `{worked_in}`, not `{opened}`"),
        )),
        Finding::Missing { asked, found } => Some(Wording::plain(
            BuiltInType::Gotcha,
            format!("{MISSING}{asked}`; the file is `{found}` ({seen})."),
            format!("There is no `{asked}`; it is `{found}`"),
        )),
        Finding::TooLarge { file, tokens } => {
            let size = tokens
                .map(|tokens| format!(" ({tokens} tokens)"))
                .unwrap_or_default();
            Some(Wording::plain(
                BuiltInType::Gotcha,
                format!(
                    "`{file}` is too large to be read in one piece{size}: search in it, or read the part that is needed ({seen})."
                ),
                format!("`{file}` is too large to read at once{size}; search in it"),
            ))
        }
        Finding::RepeatedGrep {
            pattern,
            count,
            empty,
            found_in,
        } => {
            let tried = format!("searched {count} times");
            // Without a place to point to there is nothing to learn: a search that finds nothing twice
            // is as often a check that something is gone. And only a name is in one place: what matches many calls is not.
            let place = found_in.first()?;
            // What the first search finds is easy to find, however often somebody looks.
            if *empty == 0 || !is_name(pattern) || is_test(place.as_str()) {
                return None;
            }
            Some(Wording::plain(
                BuiltInType::ModuleInsight,
                format!(
                    "What `{pattern}` stands for is hard to find ({tried}, {seen}); it is in {}.",
                    list(found_in)
                ),
                format!("`{}` is in {}", clip(pattern, 50), list(&found_in[..1])),
            ))
        }
        Finding::ToolSequence { steps, count } => Some(Wording::plain(
            BuiltInType::WorkflowRecipe,
            format!(
                "A round that recurs here: {}. Gone through {count} times in one session, {seen}.",
                steps.join(", then ")
            ),
            format!("Usual round: {}", steps.join(" → ")),
        )),
        // Time strengthens another candidate and says nothing by itself, and where one of the agents on a file got in the way of the others
        // at most it is no lesson.
        Finding::TimeAnomaly { .. } | Finding::ParallelConflict { refused: 0 | 1, .. } => None,
        Finding::SelfCorrection { sentence, next } => {
            correction::word(sentence, next.as_deref()).ok()
        }
        Finding::Cause {
            statement, mended, ..
        } => Some(correction::cause(statement, mended)),
        Finding::ExternalReference { subject, edited } => Some(Wording::plain(
            BuiltInType::ModuleInsight,
            format!(
                "Work on `{edited}` needed something from outside the project: {subject} ({seen})."
            ),
            format!("`{edited}` relies on {}", clip(subject, 80)),
        )),
        // A short listing is looked over at a glance.
        Finding::GlobIgnore { results, .. } if *results < LONG_LISTING => None,
        Finding::GlobIgnore {
            pattern,
            results,
            is_cut,
            below,
            ..
        } => {
            // That a wide pattern finds much is no news; where in it the work is may be.
            let folder = below.as_ref()?;
            let gives = if *is_cut { "at least " } else { "" };
            Some(Wording::plain(
                BuiltInType::Gotcha,
                format!(
                    "Of the {gives}{results} files that `{pattern}` lists only some below `{folder}` were used ({seen}): look there first."
                ),
                format!("Of `{pattern}` only files below `{folder}` were used"),
            ))
        }
        Finding::ImportChase { from, to } => Some(Wording::plain(
            BuiltInType::CausalDependency,
            format!("`{from}` leads to `{to}`, which had to be searched for ({seen})."),
            format!("`{from}` depends on `{to}`"),
        )),
        Finding::TestOrder {
            module,
            order,
            command,
        } => {
            // Testing what was changed is what everybody does; and without its command a habit is nothing one could act on.
            let (Order::First, Some(command)) = (order, command) else {
                return None;
            };
            Some(Wording::plain(
                BuiltInType::TaskCalibration,
                format!(
                    "In `{module}` the tests come before the change: they are read, or run with `{command}`, first ({seen})."
                ),
                format!("In `{module}`, begin with the tests (`{command}`)"),
            ))
        }
        Finding::ConfigTouch {
            config,
            module,
            code,
        } => Some(Wording::plain(
            BuiltInType::CausalDependency,
            format!(
                "Changing `{module}` also meant changing `{config}`: edited together with {} ({seen}).",
                list(code)
            ),
            format!("Changes in `{module}` may need `{config}` too"),
        )),
        Finding::StepOverrun {
            module,
            methodology,
            plan,
        } => {
            let key = (module.clone(), methodology.clone(), plan.unit);
            let mut plans = frequency.plans.get(&key).cloned().unwrap_or_default();
            plans.push(*plan);
            costs::of_steps(module, methodology, plan.unit, &plans)
        }
        Finding::ParallelConflict {
            file,
            agents,
            refused,
        } => Some(Wording::plain(
            BuiltInType::Gotcha,
            format!(
                "`{file}` was edited by {agents} agents at the same time, and edits of {refused} of them were refused because it had changed. Give it to one of them."
            ),
            format!("Do not split work on `{file}` between agents"),
        )),
        Finding::ContextTokenSpike {
            module,
            tokens,
            files,
            norm,
        } => {
            let (tokens, files) = (*tokens, *files);
            let mut known = frequency.costs.get(module).cloned().unwrap_or_default();
            known.push(Cost { tokens, files });
            costs::of_files(module, &known, *norm)
        }
    }
}

/// Two files that go together; they *change* together once at least two sessions, and half of those that used them, edited both.
fn pair(
    first: &ProjectPath,
    then: &ProjectPath,
    directed: bool,
    (edited, both, sessions): (u32, u32, u32),
    seen: &str,
) -> Wording {
    let changes = both >= 2 && 2 * both >= sessions;
    let kind = if changes || edited > 0 {
        BuiltInType::CausalDependency
    } else {
        BuiltInType::PrefetchPattern
    };
    let content = match (changes, directed) {
        (true, _) => format!(
            "`{first}` and `{then}` change together: both were edited in {both} of {sessions} sessions that used them side by side (failed ones and what came after outside text aside)."
        ),
        (false, true) => format!(
            "Who works with `{first}` goes on to `{then}`: they were used together in that order, {seen}."
        ),
        (false, false) => format!(
            "`{first}` and `{then}` belong together: they were used close to each other, {seen}."
        ),
    };
    let say = |one: &str, other: &str| {
        if changes {
            format!("`{one}` and `{other}` change together")
        } else {
            format!("`{one}` goes with `{other}`")
        }
    };
    // Whole paths may not fit; the content has them. One name twice would say nothing.
    let (one, other) = (file_name(first.as_str()), file_name(then.as_str()));
    let names = (one != other).then(|| say(one, other));
    let lines = [say(first.as_str(), then.as_str())]
        .into_iter()
        .chain(names);
    Wording::plain(kind, content, shortened(lines))
}

/// Whether a search was for one name, perhaps with the word in front that defines it.
fn is_name(pattern: &str) -> bool {
    let words: Vec<&str> = pattern.split_whitespace().collect();
    let plain = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    (1..=2).contains(&words.len()) && words.iter().all(plain)
}

fn is_compile_slip(error: &str) -> bool {
    const SLIPS: [&str; 12] = [
        "undefined:",
        "no new variables",
        "imported and not used",
        "declared and not used",
        "cannot use ",
        "syntax error",
        "unexpected token",
        "Cannot find name",
        "cannot find ",
        "mismatched types",
        "is not defined",
        "expected ",
    ];
    SLIPS.iter().any(|slip| error.contains(slip))
}

fn backtrack(file: &ProjectPath, cause: &Cause, seen: &str) -> Option<Wording> {
    let (content, summary) = match cause {
        Cause::Broke(error) => (
            format!(
                "An edit of `{file}` had to be redone at once because it broke: \"{}\" ({seen}).",
                clip(error, 200)
            ),
            format!("Edits of `{file}` easily break: \"{}\"", clip(error, 60)),
        ),
        Cause::Missing(files) => (
            format!(
                "An edit of `{file}` had to be redone after reading {}, {seen}. Read that first.",
                list(files)
            ),
            format!("Before editing `{file}`, read {}", list(&files[..1])),
        ),
        // That the first idea was wrong says nothing without why.
        Cause::Undone => return None,
    };
    Some(Wording::plain(BuiltInType::Gotcha, content, summary))
}

#[test]
fn of_a_listing_the_folder_is_told_in_which_the_work_was() {
    let told = |story: &str| {
        let signals = crate::detect::detected(story);
        let listing = signals
            .iter()
            .find(|signal| signal.key.starts_with("glob:"))
            .unwrap();
        let told = of(listing, &Frequency::default()).map(|told| told.content);
        told.or_else(|| refused(listing).map(|(_, why)| why.to_string()))
    };
    let read = "read src/a/x.rs; read src/a/y.rs";
    for (story, expected) in [
        (
            format!("glob **/*.rs = 50 files; {read}"),
            "Of the 50 files that `**/*.rs` lists only some below `src/a` were used (seen in one session): look there first.",
        ),
        (
            // Sixty without a number were cut by those who did not count.
            format!("glob **/*.rs = 60 files; {read}"),
            "Of the at least 60 files that `**/*.rs` lists only some below `src/a` were used (seen in one session): look there first.",
        ),
        (
            "glob **/*.rs = 50 files; read src/a/x.rs".to_owned(),
            "what was needed of the listing lay in no one folder",
        ),
    ] {
        assert_eq!(told(&story).as_deref(), Some(expected), "{story}");
    }
    let few = format!("glob **/*.rs = 49 files; {read}");
    assert_eq!(told(&few), None);
}
