//! How a project is checked, as the sessions that checked it really ran it.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::id::SessionId;
use oldhand_domain::payload::BuiltInType;

use super::findings::bare;
use super::synthesis::candidate;
use super::{Knowledge, Place};
use crate::distill::remedy::is_about_the_call;
use crate::distill::{Candidate, Wording};
use crate::outcome::commands::{Stated, Whole, is_compiler, is_own_name, is_standard};
use crate::outcome::shell::commands;
use crate::promote::cautious_share;

/// Fewer sessions show no way of checking.
const CHECKS: usize = 3;
/// How many sessions say how a project is checked today.
const LATELY: usize = 20;
/// More ways than this nobody reads.
const WAYS: usize = 5;

/// How it is said.
const TOLD: &str = "How changes are checked in this project: ";

/// Whether a line runs a command with all its words, wherever the files that it names are seen from.
fn runs(line: &str, command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let has = |own: &[String], word: &str| {
        let is_it = |own: &String| {
            own == word || own.strip_suffix(word).is_some_and(|at| at.ends_with('/'))
        };
        own.iter().any(is_it)
    };
    // To read a line costs more than to see that it has not even the words.
    if words.len() < 2 || !words.iter().all(|word| line.contains(word)) {
        return false;
    }
    let mut all = commands(line).into_iter();
    all.any(|simple| words.iter().all(|word| has(&simple.words, word)))
}

/// Whether an error says that something is not there without which nothing runs, and not that the work is wrong.
fn keeps_from_running(message: &str) -> bool {
    let lower = message.to_lowercase();
    let is_missing = lower.contains("unable to find") || is_about_the_call(message);
    let is_of_a_test = lower.starts_with("test ") || lower.contains("expect");
    is_missing && !is_of_a_test
}

/// One command of one folder, as sessions ran it.
struct Ways<'k> {
    runs: Vec<(Whole, &'k Place)>,
    sessions: BTreeSet<u32>,
}

/// What is told of one check in one folder.
struct Way<'k> {
    check: String,
    folder: String,
    command: String,
    sessions: u32,
    of: u32,
    by: Vec<&'k Place>,
}

impl Knowledge {
    /// How work is checked in this project. The same words whichever module asks, so that it is told once.
    pub(super) fn checking(&self, stated: &Stated<'_>) -> Option<Candidate> {
        // What was run before any outside text came in is enough by itself, if it says anything.
        let clean = self.checked_by(stated, |place| !place.is_after_outside());
        clean.or_else(|| self.checked_by(stated, |_| true))
    }

    fn checked_by(
        &self,
        stated: &Stated<'_>,
        counts: impl Fn(&Place) -> bool,
    ) -> Option<Candidate> {
        let mut told: Vec<Way<'_>> = Vec::new();
        for (check, commands) in &self.checks {
            if stated.kinds.contains(check) {
                continue;
            }
            let mut folders: BTreeMap<String, Vec<(Whole, &Place)>> = BTreeMap::new();
            for (command, by) in commands {
                // What puts code into form is no check, and told by its name.
                let named = (check == "format").then(|| Whole::named(command));
                let Some(whole) = Whole::read(command).or(named) else {
                    continue;
                };
                let runs = folders.entry(whole.folder.clone()).or_default();
                let by = by.iter().filter(|by| counts(by));
                runs.extend(by.map(|by| (whole.clone(), by)));
            }
            let ways = folders
                .into_iter()
                .filter_map(|(folder, runs)| usual_way(check, folder, runs));
            let ways = ways.filter(|way| (stated.is_there)(&way.folder));
            let ways = ways.filter(|way| self.stops(&way.command).is_none());
            // Nobody has to be told what the manifest says.
            told.extend(ways.filter(|way| {
                let scripts = (stated.scripts)(&way.folder);
                let whole = Whole::read(&way.command);
                !whole.is_some_and(|whole| whole.is_said_by(&scripts))
            }));
        }
        self.say(told)
    }

    /// The error that has kept a check from running at all ever since it last passed, if so many sessions met it.
    pub(super) fn stops(&self, command: &str) -> Option<&str> {
        let passed = self.checks.values().flatten();
        let passed = passed.filter(|(line, _)| runs(line, command));
        let last = passed.flat_map(|(_, by)| by).map(|by| by.number()).max()?;
        let since: BTreeSet<&SessionId> = self.order.iter().skip(last as usize + 1).collect();
        if since.len() < CHECKS {
            return None;
        }
        let mut met: BTreeMap<&str, BTreeSet<&SessionId>> = BTreeMap::new();
        for (message, record) in &self.errors {
            let sessions = record.sessions.iter().filter(|one| since.contains(one));
            let mut sessions = sessions.peekable();
            let mut lines = record.commands.keys();
            if sessions.peek().is_some()
                && keeps_from_running(message)
                && lines.any(|line| runs(line, command))
            {
                met.entry(bare(message)).or_default().extend(sessions);
            }
        }
        let mut stopped = met.into_iter();
        stopped.find_map(|(error, by)| (by.len() >= CHECKS).then_some(error))
    }

    fn say(&self, mut told: Vec<Way<'_>>) -> Option<Candidate> {
        // Nobody has to be told how their language is checked, and what is only built, perhaps to be shipped, is not checked.
        let is_usual = |way: &Way<'_>| {
            is_standard(&way.command) || way.folder.is_empty() && is_compiler(&way.command)
        };
        let is_no_news =
            |way: &Way<'_>| is_usual(way) || way.check == "build" && is_own_name(&way.command);
        if told.iter().all(is_no_news) {
            return None;
        }
        told.retain(|way| !way.folder.is_empty() || !is_usual(way));
        told.sort_by_key(|way| std::cmp::Reverse(way.sessions));
        told.truncate(WAYS);
        told.sort_by(|a, b| (&a.folder, &a.check).cmp(&(&b.folder, &b.check)));
        let mut parts: Vec<String> = Vec::new();
        let mut short: Vec<String> = Vec::new();
        for way in &told {
            let mut command = format!("`{}`", way.command);
            if !way.folder.is_empty() {
                command = format!("{command} in `{}`", way.folder);
            }
            let is_new = !short.contains(&command);
            // What is called so checks more than one thing.
            let last = way.command.rsplit(' ').next();
            let whole = is_own_name(&way.command) && matches!(last, Some("check" | "ci"));
            let check = if whole { "everything" } else { &way.check };
            if is_new || !whole {
                let (sessions, of) = (way.sessions, way.of);
                parts.push(format!(
                    "{check} with {command} ({sessions} of {of} sessions)"
                ));
            }
            if is_new {
                short.push(command);
            }
        }
        let wording = Wording {
            payload: BuiltInType::Pattern.into(),
            content: format!("{TOLD}{}.", parts.join(", ")),
            summary: format!("Check changes with {}", short.join(", ")),
        };
        let shares = told.iter().map(|way| cautious_share(way.sessions, way.of));
        let sure = 0.3 + 0.6 * shares.sum::<f64>() / told.len() as f64;
        let witnesses = told.iter().flat_map(|way| way.by.iter().copied());
        let (witnesses, taint) = self.rests_on(witnesses, |_| false);
        let witnesses = self.named(&witnesses);
        candidate("checking".to_owned(), wording, sure, witnesses, taint)
    }
}

/// The command that a check is mostly made with in a folder.
fn usual_way<'k>(
    check: &str,
    folder: String,
    mut runs: Vec<(Whole, &'k Place)>,
) -> Option<Way<'k>> {
    // What a project is checked with changes: its latest sessions say.
    let all: BTreeSet<u32> = runs.iter().map(|(_, by)| by.number()).collect();
    let lately: BTreeSet<u32> = all.iter().rev().take(LATELY).copied().collect();
    // How one part of it is checked is not how the project is.
    runs.retain(|(whole, by)| lately.contains(&by.number()) && !whole.is_of_a_part());
    let mut commands: BTreeMap<String, Ways<'k>> = BTreeMap::new();
    for (whole, by) in runs {
        let ways = commands.entry(whole.base()).or_insert_with(|| Ways {
            runs: Vec::new(),
            sessions: BTreeSet::new(),
        });
        ways.sessions.insert(by.number());
        ways.runs.push((whole, by));
    }
    let most = |own: bool| {
        let of_kind = commands
            .iter()
            .filter(|(base, _)| !own || is_own_name(base));
        of_kind.max_by_key(|(base, ways)| (ways.sessions.len(), std::cmp::Reverse(*base)))
    };
    let is_usual = |ways: &Ways<'_>| {
        let sessions = ways.sessions.len();
        sessions >= CHECKS && 2 * sessions > lately.len()
    };
    // A name that the project gave to it beats what it stands for.
    let own = most(true).filter(|(_, ways)| ways.sessions.len() >= CHECKS);
    let (_, ways) = own.or_else(|| most(false).filter(|(_, ways)| is_usual(ways)))?;
    Some(Way {
        check: check.to_owned(),
        folder,
        command: ways.as_run()?,
        sessions: ways.sessions.len() as u32,
        of: lately.len() as u32,
        by: ways.runs.iter().map(|(_, by)| *by).collect(),
    })
}

impl Ways<'_> {
    /// The command with what two thirds of its runs were given. Nothing where fewer sessions than show a way at all gave it a part of
    /// that, or where something that cannot be told is among it: without that it is another command.
    fn as_run(&self) -> Option<String> {
        let mut untold: BTreeMap<&str, usize> = BTreeMap::new();
        for (whole, _) in &self.runs {
            for key in whole.untold().collect::<BTreeSet<_>>() {
                *untold.entry(key).or_default() += 1;
            }
        }
        if untold.values().any(|runs| 3 * runs >= 2 * self.runs.len()) {
            return None;
        }
        let mut given: BTreeMap<&str, (usize, BTreeSet<u32>)> = BTreeMap::new();
        for (whole, by) in &self.runs {
            for text in whole.given().collect::<BTreeSet<_>>() {
                let (runs, sessions) = given.entry(text).or_default();
                *runs += 1;
                sessions.insert(by.number());
            }
        }
        let is_usual = |runs: usize| 3 * runs >= 2 * self.runs.len();
        // Too few sessions show it, and most runs had it: without it they may have checked less.
        let mut shared = given.values().filter(|(runs, _)| is_usual(*runs));
        if shared.any(|(_, sessions)| sessions.len() < CHECKS) {
            return None;
        }
        let needed = |text: &str| given.get(text).is_some_and(|(runs, _)| is_usual(*runs));
        let kept = |whole: &Whole| whole.given().filter(|text| needed(text)).count();
        // The latest run that had most of it says in which order.
        let model = self
            .runs
            .iter()
            .max_by_key(|(whole, by)| (kept(whole), by.number()));
        model.map(|(whole, _)| whole.with(needed))
    }
}
