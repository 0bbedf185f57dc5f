//! What a tool's result adds: checks that ran, errors, what searches found.

use oldhand_domain::event::{Call, Ending, Return};
use oldhand_domain::path::ProjectPath;

use super::answers::only_looks;
use super::errors::{FailedCall, IsCheck};
use super::{
    GlobUse, LIST_LIMIT, OWN_SERVERS, Run, SessionAnalytics, key_of, left, names, normal_pattern,
    refusals, spaced_once,
};
use crate::fingerprint::{fingerprint, without_exit_code};
use crate::outcome::commands::{Check, CheckLine, Turn, classify, command_key, elsewhere};
use crate::outcome::shell::commands;
use crate::outcome::walk::Begun;
use crate::outcome::writes::writes;
use crate::outcome::{git, results};

/// The longest line of a check that is kept, in bytes.
pub(crate) const KEPT_OF_A_LINE: usize = 400;

pub(super) fn take(session: &mut SessionAnalytics, back: &Return, agent: Option<&str>) {
    refusals::take(session, back, agent);
    names::take(session, back, agent);
    match &back.call {
        Call::Shell {
            command, folder, ..
        } => {
            if back.ended == Ending::Failed || back.exit_code.is_some_and(|code| code != 0) {
                session.take_back_edit(key_of(&back.id));
            }
            session.changing.remove(&key_of(&back.id));
            shell(session, back, command.as_str(), folder.as_ref());
        }
        Call::Grep { pattern, .. } => {
            if let Some(grep) = session.greps.get_mut(&normal_pattern(pattern)) {
                if back.ended == Ending::Succeeded && found_something(back) {
                    grep.found += 1;
                    grep.matched.clone_from(&back.matched);
                    grep.typed = spaced_once(pattern);
                } else {
                    grep.empty += 1;
                }
            }
        }
        Call::Glob { pattern, .. } => {
            let found = back.ended == Ending::Succeeded && !back.matched.is_empty();
            if found && session.globs.len() < LIST_LIMIT {
                let used = listed(session.step, back);
                session.globs.insert(pattern.to_lowercase(), used);
            }
        }
        Call::Mcp { server, name } => {
            // That we could not answer says nothing of the project.
            if back.ended == Ending::Failed
                && !OWN_SERVERS.contains(&server.as_str())
                && let Some(error) = fingerprint(back.excerpt.as_str())
            {
                let call = FailedCall {
                    tool: back.call.tool(),
                    key: &format!("{server} {name}"),
                    typed: "",
                    folder: "",
                    output: back.excerpt.as_str(),
                };
                session.count_error(error, call);
            }
        }
        Call::Edit { .. } | Call::Write { .. } if back.ended == Ending::Failed => {
            session.take_back_edit(key_of(&back.id));
        }
        Call::Edit { .. } | Call::Write { .. } => {
            session.changing.remove(&key_of(&back.id));
        }
        Call::Read { .. }
        | Call::WebFetch { .. }
        | Call::WebSearch { .. }
        | Call::Task { .. }
        | Call::Other { .. } => {}
    }
}

/// What a listing gave. A list that is full and has no number is of a time when nobody counted, and clients leave out the end of a long one.
fn listed(step: u32, back: &Return) -> GlobUse {
    let kept = back.matched.len();
    let found = back.found.unwrap_or(kept as u64);
    let last = back.excerpt.as_str().trim_end().lines().next_back();
    let is_shortened = last.is_some_and(|line| line.contains("truncated"));
    GlobUse {
        step,
        matched: back.matched.clone(),
        found: u32::try_from(found).unwrap_or(u32::MAX),
        is_cut: is_shortened || back.found.is_none() && kept == Return::MATCHES,
    }
}

fn found_something(back: &Return) -> bool {
    let text = back.excerpt.as_str();
    !back.matched.is_empty()
        || !(text.is_empty()
            || text.starts_with("No matches")
            || text.starts_with("No files")
            || text.starts_with("Found 0"))
}

fn shell(
    session: &mut SessionAnalytics,
    back: &Return,
    command: &str,
    folder: Option<&ProjectPath>,
) {
    let output = back.excerpt.as_str();
    let step = session.step;
    let key = command_key(command).unwrap_or_default();
    let failed = back.ended == Ending::Failed || back.exit_code.is_some_and(|code| code != 0);
    let mut passed = !failed;
    let mut checks = Vec::new();
    let within = folder.map_or("", ProjectPath::as_str);
    let root = session.root(folder).to_owned();
    let begun = Begun::at(&root).within(folder);
    let elsewhere = elsewhere(command, &root, within);
    session.count_mending(command, &root, within, failed);
    if !failed {
        session.count_review(command);
    }
    if let Some(line) = classify(command) {
        let line = results::settle(line, output);
        let exit = back.exit_code.or(if back.ended == Ending::Failed {
            Some(1)
        } else {
            None
        });
        // Without the edits it says nothing about them.
        // What never ran says nothing either.
        let never_ran = back.exit_code.is_none() && is_client_noise(first_line(output));
        let is_unsaid = never_ran || git::checks_without_work(command, session.is_put_aside());
        let result = if is_unsaid {
            results::CheckResult::Unknown
        } else {
            results::judge(&line, exit, output)
        };
        let judged = result;
        passed = result == results::CheckResult::Passed;
        checks.clone_from(&line.checks);
        let is_all_here = !goes_away(&line, &elsewhere);
        let (line, result) = of_project(line, result, &elsewhere);
        if result == results::CheckResult::Failed {
            session.count_leftovers(output, left::Stopped::Check);
        }
        if !passed && is_all_here && line.checks.contains(&Check::Lint) {
            session.count_broken_rules(command, output);
        }
        let shown = command[..command.floor_char_boundary(KEPT_OF_A_LINE)].to_owned();
        if session.runs.len() < LIST_LIMIT && !never_ran {
            let each = if result == results::CheckResult::Failed {
                results::tell_apart(&line, output)
            } else {
                Vec::new()
            };
            session.runs.push(Run {
                step,
                command: shown,
                folder: within.to_owned(),
                checks: line.checks,
                result,
                each,
                then_edited: writes(command, begun).is_some_and(|writes| writes.after_checks),
            });
        }
        // A check that could not run is an error all the same.
        if judged == results::CheckResult::Failed || failed && !passed {
            note_error(session, back, (&key, command, within));
            return;
        }
    } else if failed {
        // A search that finds nothing and a comparison that differs exit with 1 by design.
        let program = key.split(' ').next().unwrap_or("");
        let by_design = back.exit_code == Some(1)
            && matches!(
                program,
                "grep"
                    | "rg"
                    | "diff"
                    | "test"
                    | "["
                    | "cmp"
                    | "pgrep"
                    | "which"
                    | "command"
                    | "ls"
            );
        if !by_design {
            note_error(session, back, (&key, command, within));
            note_refused_commit(session, command, within, output, &elsewhere);
            session.note_missing_in_shell(command, begun, output);
        }
        return;
    }
    // What a commit runs through may hide that a hook refused it.
    if !failed
        && git::committed(output).is_none()
        && is_told_by_runner(output)
        && !commits_quietly(command)
        && note_refused_commit(session, command, within, output, &elsewhere)
    {
        return;
    }
    if !failed {
        session.count_programs(command, output);
        session.note_missing_in_shell(command, begun, output);
    }
    for act in git::acts_here(command, &elsewhere) {
        if act.verb.commits() {
            // It passed the hooks that had refused it.
            if !git::skips_hooks(command) {
                session.forgive_hooks();
            }
            session.count_commit(git::committed(output), &[]);
        }
        if let Some(act) = session.meant(act) {
            session.git.push((step, act));
        }
    }
    if passed {
        session.answer_errors(&key, command, within);
        let is_check = if checks.is_empty() {
            IsCheck::No
        } else {
            IsCheck::Yes
        };
        session.count_done(command, is_check);
    }
}

/// The line and how it went, as far as that is about the project. Of a line that failed and checked another one, too, nobody knows
/// which of them it was.
fn of_project(
    mut line: CheckLine,
    result: results::CheckResult,
    elsewhere: &[bool],
) -> (CheckLine, results::CheckResult) {
    let is_away = |turn: &Turn| elsewhere.get(turn.at) == Some(&true);
    if !goes_away(&line, elsewhere) {
        return (line, result);
    }
    let here: Vec<Check> = line
        .turns
        .iter()
        .filter(|turn| !is_away(turn))
        .map(|turn| turn.check)
        .collect();
    if here.is_empty() || result == results::CheckResult::Failed {
        return (line, results::CheckResult::Unknown);
    }
    line.checks.retain(|check| here.contains(check));
    (line, result)
}

/// Whether a line checks another project, as `elsewhere` says of each command of the line.
fn goes_away(line: &CheckLine, elsewhere: &[bool]) -> bool {
    let mut turns = line.turns.iter();
    turns.any(|turn| elsewhere.get(turn.at) == Some(&true))
}

/// Whether a runner of hooks itself says that one failed. The words alone may be anybody's: a line of `git log` that follows the commit.
fn is_told_by_runner(output: &str) -> bool {
    output.lines().map(str::trim).any(|line| {
        let of_husky = line.strip_prefix("husky");
        let told = of_husky.map_or(line, |told| told.trim_start_matches([' ', '-', '>']));
        let is_of_hook = told.starts_with("hook exited with code")
            || told.starts_with("pre-commit hook")
            || of_husky.is_some() && told.starts_with("pre-commit");
        let has_ended = told.contains("failed") || told.contains("exited with code");
        is_of_hook && has_ended || line.starts_with(['✖', '🥊']) || line.starts_with("- hook id: ")
    })
}

/// Whether a commit of the line says nothing where it is made, so that its silence is no sign that it was not.
fn commits_quietly(line: &str) -> bool {
    /// What follows them, in the same word or the next, is their value.
    const WITH_VALUE: [char; 7] = ['m', 'F', 'C', 'c', 't', 'u', 'S'];
    let is_quiet = |word: &String| {
        let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let letters = short.and_then(|letters| letters.split(WITH_VALUE).next());
        word == "--quiet" || letters.is_some_and(|letters| letters.contains('q'))
    };
    commands(line).iter().any(|simple| {
        let mut rest = simple.words.iter().skip_while(|word| *word != "git");
        rest.any(|word| word == "commit") && rest.any(is_quiet)
    })
}

/// A commit that a hook refused is a failing run of what the hook checks. Says whether it is one.
fn note_refused_commit(
    session: &mut SessionAnalytics,
    command: &str,
    folder: &str,
    output: &str,
    elsewhere: &[bool],
) -> bool {
    let mut acts = git::acts_here(command, elsewhere).into_iter();
    if !acts.any(|act| act.verb.commits()) {
        return false;
    }
    let checks = results::refused_by(output);
    let is_refused = !checks.is_empty();
    if is_refused && session.runs.len() < LIST_LIMIT {
        session.count_leftovers(output, left::Stopped::Commit);
        session.count_refused_commit(&checks, output);
        session.refused_commits.push(session.runs.len());
        session.runs.push(Run {
            step: session.step,
            command: command[..command.floor_char_boundary(KEPT_OF_A_LINE)].to_owned(),
            folder: folder.to_owned(),
            each: checks
                .iter()
                .map(|check| (*check, results::CheckResult::Failed))
                .collect(),
            checks,
            result: results::CheckResult::Failed,
            then_edited: false,
        });
    }
    is_refused
}

impl SessionAnalytics {
    /// Where the project lies on its machine, as far as is known. A session that began in a part of it runs its first command there; one that
    /// comes to a folder called like the project later is in a part of that name.
    pub(super) fn root(&mut self, folder: Option<&ProjectPath>) -> &str {
        let begun = self.start.as_ref().map_or("", |start| start.cwd.as_str());
        if begun.is_empty() {
            return "";
        }
        self.root.get_or_insert_with(|| {
            let slashed = begun.replace('\\', "/");
            let above = slashed.trim_end_matches('/');
            let above = folder.and_then(|folder| above.strip_suffix(folder.as_str()));
            let above = above.and_then(|above| above.strip_suffix('/'));
            above.map_or_else(|| begun.to_owned(), str::to_owned)
        })
    }

    /// What hooks found before a commit that then went through.
    fn forgive_hooks(&mut self) {
        for at in std::mem::take(&mut self.refused_commits) {
            if let Some(run) = self.runs.get_mut(at) {
                run.result = results::CheckResult::Unknown;
                run.each.clear();
            }
        }
    }

    /// Whether all edits so far were put aside, and did not come back.
    pub(crate) fn is_put_aside(&self) -> bool {
        let last_edit = self.last_edit_step().unwrap_or(0);
        let acts = self.git.iter().rev();
        let mut acts = acts.take_while(|(step, _)| *step >= last_edit);
        acts.find_map(|(_, act)| match act.verb {
            git::GitVerb::Stash => Some(act.reach == git::Reach::Everything),
            git::GitVerb::Unstash | git::GitVerb::Commit | git::GitVerb::Draft => Some(false),
            _ => None,
        })
        .unwrap_or(false)
    }

    /// A git command as it was meant, given what had been edited.
    fn meant(&self, act: git::GitAct) -> Option<git::GitAct> {
        if !matches!(act.reach, git::Reach::Perhaps(_)) {
            return Some(act);
        }
        let edited = self.edited_files();
        let edited: Vec<&str> = edited
            .iter()
            .map(|&file| self.files.path(file).as_str())
            .collect();
        act.among(&edited)
    }
}

fn note_error(
    session: &mut SessionAnalytics,
    back: &Return,
    (key, command, folder): (&str, &str, &str),
) {
    let output = back.excerpt.as_str();
    if is_client_noise(output) || is_slip(output) || only_looks(command) {
        return;
    }
    if let Some(error) = fingerprint(output) {
        let call = FailedCall {
            tool: back.call.tool(),
            key,
            typed: command,
            folder,
            output,
        };
        session.count_error(error, call);
    }
}

/// Whether the shell could not even read the command: a slip of the agent, not of the project.
fn is_slip(output: &str) -> bool {
    let lines = output.lines().map(|line| without_exit_code(line.trim()));
    let mut lines = lines.skip_while(|line| line.is_empty());
    let told = lines.find(|line| {
        !line.is_empty() && !line.starts_with("Exit code") && !line.starts_with("Error:")
    });
    told.is_some_and(|line| {
        let shell = ["(eval):", "bash: -c:", "sh: ", "zsh: ", "zsh:"]
            .iter()
            .any(|shell| line.starts_with(shell));
        shell
            && [
                "parse error near",
                "syntax error near",
                "unexpected EOF while",
                "no matches found",
                "unmatched",
                "bad substitution",
                "cd:",
            ]
            .iter()
            .any(|slip| line.contains(slip))
    })
}

fn first_line(output: &str) -> &str {
    output.trim_start().lines().next().unwrap_or_default()
}

fn is_client_noise(output: &str) -> bool {
    CLIENT_NOISE.iter().any(|noise| output.contains(noise))
}

/// What clients say about calls they did not run; it tells nothing of the project.
const CLIENT_NOISE: [&str; 6] = [
    "Claude Code may only change directories",
    "Sibling tool call errored",
    "doesn't want to proceed",
    "Request interrupted by user",
    "is temporarily unavailable, so",
    "Cancelled: parallel tool call",
];

#[test]
fn a_runner_says_itself_that_a_hook_failed() {
    for (output, expected) in [
        ("husky - pre-commit script failed (code 1)", true),
        ("husky - pre-commit hook exited with code 1 (error)", true),
        ("husky > pre-commit hook failed (add --no-verify)", true),
        ("✖ eslint --fix:", true),
        ("🥊 lint", true),
        ("pre-commit hook 'check' failed", true),
        ("ruff....Failed\n- hook id: ruff\n- exit code: 1", true),
        ("1a2b3c4 Retry when lint-staged failed", false),
        ("1a2b3c4 Say so when the pre-commit hook failed", false),
        ("husky > pre-commit (node v20.1.0)", false),
    ] {
        assert_eq!(is_told_by_runner(output), expected, "{output}");
    }
}

#[test]
fn a_quiet_commit_is_told_by_its_options() {
    for (line, expected) in [
        ("git commit -q -m x", true),
        ("git add . && git commit -aqm x", true),
        ("rtk git commit --quiet -m x", true),
        ("git commit -m x", false),
        ("git commit -mq", false),
        ("git fetch -q && git commit -am x", false),
    ] {
        assert_eq!(commits_quietly(line), expected, "{line}");
    }
}

#[test]
fn a_check_that_the_client_did_not_run_is_no_run() {
    use super::{FoldOptions, fold};
    use oldhand_domain::event::Happening;
    let story = "run make lint = 1: The user doesn't want to proceed with this tool use.";
    for (code, runs) in [(Some(1), 1), (None, 0)] {
        let mut events = crate::story::events(story);
        for event in &mut events {
            if let Happening::ToolReturned(back) = &mut event.what {
                back.exit_code = code;
            }
        }
        let session = fold(&events, &FoldOptions::default());
        assert_eq!(session.runs.len(), runs, "{code:?}");
    }
}
