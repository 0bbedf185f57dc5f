//! Which commands may be put in front of somebody else: none that deletes, reaches other machines or goes without a rehearsal.

use super::is_about_the_call;
use crate::outcome::shell::commands;
use crate::paths::is_absolute;

/// Whether a command may be put in front of somebody who meets the error again: it is whole, is about no single case, and it neither
/// throws anything away nor reaches out to machines that others use.
pub(crate) fn may_be_offered(command: &str) -> bool {
    let even = |quote: char| command.matches(quote).count().is_multiple_of(2);
    let is_whole = !command
        .trim_end()
        .ends_with(['…', '\\', '|', '&', '(', ','])
        && even('"')
        && even('\'')
        && even('`')
        && command.matches('(').count() == command.matches(')').count();
    let mut words = command.split_whitespace();
    is_whole
        && !reaches_out(command)
        && !throws_away(command)
        && !is_of_one_case(command)
        && !words.any(is_of_a_machine)
}

/// Whether a command gives up work that was done, or one side of it.
fn throws_away(command: &str) -> bool {
    commands(command).iter().any(|simple| {
        let words: Vec<&str> = simple.words.iter().map(String::as_str).collect();
        let given = |word: &str| words[1..].contains(&word);
        let verb = words[1..].iter().find(|word| !word.starts_with('-'));
        match (words[0], verb.copied()) {
            ("git", Some("restore" | "clean" | "rm")) => true,
            ("git", Some("checkout" | "switch")) => {
                let drops = ["--theirs", "--ours", "-f", "--", ".", "--discard-changes"];
                drops.iter().any(|word| given(word))
            }
            ("git", Some("stash")) => !given("pop") && !given("apply") && !given("list"),
            ("git", Some("branch" | "worktree")) => given("-D") || given("-d") || given("remove"),
            ("git", Some("merge" | "rebase" | "cherry-pick" | "am")) => {
                given("--abort") || given("--quit") || given("--skip")
            }
            ("find", _) => given("-delete"),
            (program, _) => matches!(program, "truncate" | "shred" | "unlink" | "dropdb"),
        }
    })
}

/// Whether a command is about one case of many, a pull request, an issue or a run by its number: as part of a path
/// (`pulls/117/comments`), or given to a program of a forge (`gh pr view 117`).
fn is_of_one_case(command: &str) -> bool {
    const FORGES: [&str; 4] = ["gh", "glab", "hub", "tea"];
    let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit()) && !word.is_empty();
    let is_given = commands(command).iter().any(|simple| {
        let words = &simple.words;
        FORGES.contains(&words[0].as_str()) && words.iter().any(|word| is_number(word))
    });
    let is_step = |step: &str| step.len() > 1 && is_number(step);
    let mut words = command.split_whitespace();
    is_given || words.any(|word| word.split('/').skip(1).any(is_step))
}

/// Whether a command deletes, or reaches out to machines that others use.
pub(crate) fn reaches_out(command: &str) -> bool {
    const AFAR: [&str; 21] = [
        "--remote", "ssh", "scp", "rsync", "push", "publish", "deploy", "delete", "destroy",
        "drop", "rm", "rmdir", "prune", "reset", "clean", "--force", "--hard", "apply", "kill",
        "pkill", "kubectl",
    ];
    // `./bin/deploy-all.sh` deploys as `deploy` does.
    let is_script = |word: &str| {
        let ends = [".sh", ".bash", ".py", ".rb", ".js", ".mjs", ".ts", ".ps1"];
        word.starts_with("./") || ends.iter().any(|end| word.ends_with(end))
    };
    let names = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        let mut parts = name.split(['.', '-', '_', ':']);
        // `npm run db:reset` resets as well.
        let is_named = is_script(word) || word.contains(':') && !word.contains('/');
        is_named && parts.any(|part| AFAR.contains(&part))
    };
    let mut words = command.split_whitespace();
    words.any(|word| AFAR.contains(&word) || names(word))
}

/// Whether an option that was left out had kept a command from doing what it does: to go without a rehearsal answers nothing, nor to
/// go without a check that the program only did not know by that name.
pub(crate) fn drops_guard(message: &str, left_out: &[String]) -> bool {
    const REHEARSES: [&str; 12] = [
        "dry",
        "plan-only",
        "noop",
        "no-op",
        "no-act",
        "simulat",
        "what-if",
        "whatif",
        "confirm",
        "interactive",
        "just-print",
        "preview",
    ];
    const CHECKS: [&str; 5] = ["check", "verify", "validate", "diff", "plan"];
    let about_the_call = is_about_the_call(message);
    left_out.iter().any(|option| {
        let name = option.trim_start_matches('-').to_lowercase();
        let is_one_of = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
        is_one_of(&REHEARSES) || about_the_call && is_one_of(&CHECKS)
    })
}

/// Whether a word is a path from the root of a machine, from a drive or from somebody's home, which no other machine needs to have. What
/// tools put into a home has a dot before its name (`~/.cargo/env`), and what is near the root is there on most machines (`/dev/null`).
pub(crate) fn is_of_a_machine(word: &str) -> bool {
    let word = word.trim_start_matches(['"', '\'', '=']);
    let at_home = word
        .strip_prefix("~/")
        .or_else(|| word.strip_prefix("$HOME/"))
        .or_else(|| word.strip_prefix("$HOME\"/"))
        .or_else(|| word.strip_prefix("${HOME}/"))
        .or_else(|| word.strip_prefix("${HOME}\"/"));
    let is_near_root = word.starts_with('/') && word.matches('/').count() <= 2;
    is_absolute(word) && !is_near_root || at_home.is_some_and(|rest| !rest.starts_with('.'))
}
