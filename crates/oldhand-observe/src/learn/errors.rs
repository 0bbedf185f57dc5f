//! The registry of errors: how often each came, what made it go away, and whether that held.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::event::Digest;
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::Taint;
use oldhand_domain::text::Fingerprint;

use super::facts::{ErrorFact, SessionFacts};
use super::{Knowledge, move_on, synthesis};
use crate::detect::SolvedBy;
use crate::distill::phrase::without_plumbing;
use crate::distill::remedy::{
    drops_guard, is_of_words_given, is_remedy, missing_program, options_apart, reaches_out,
};
use crate::distill::{Candidate, Wording, error_told};
use crate::fold::{only_looks, same_aim};
use crate::outcome::commands::{is_preparation, main_command, program_key};
use crate::outcome::shell::{Simple, commands};

mod fix;
mod offer;

pub use fix::FixRecord;

/// One error, over all sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorRecord {
    pub message: String,
    pub sessions: BTreeSet<SessionId>,
    /// Where the work was when it came.
    pub modules: BTreeSet<String>,
    /// What failed with it, and in how many sessions.
    pub commands: BTreeMap<String, u32>,
    pub count: u32,
    /// What made it go away; edits by the files that most of them share.
    pub fixes: BTreeMap<SolvedBy, FixRecord>,
    /// The same as each session did it.
    done: BTreeMap<SolvedBy, FixRecord>,
    /// When sessions met it before any outside text came in.
    clean: BTreeSet<Timestamp>,
    /// When each session met it, and what outside text had come in by the time it was over there.
    times: BTreeMap<(Timestamp, SessionId), Taint>,
    pub first_at: Option<Timestamp>,
    pub last_at: Option<Timestamp>,
}

/// Sessions closer to each other than this are one occasion.
const OCCASION: SignedDuration = SignedDuration::from_hours(6);

impl ErrorRecord {
    /// Folds in what one session met.
    pub fn learn(&mut self, session: &SessionFacts, error: &ErrorFact) {
        self.message.clone_from(&error.message);
        self.sessions.insert(session.session.clone());
        if error.taint.is_clean() {
            self.clean.insert(session.at);
        }
        self.modules.extend(session.main_module.clone());
        self.count += error.count;
        if !error.command.is_empty() {
            *self.commands.entry(error.command.clone()).or_default() += 1;
        }
        self.first_at = Some(self.first_at.map_or(session.at, |at| at.min(session.at)));
        move_on(&mut self.last_at, session.at);
        let when = (session.at, session.session.clone());
        self.times.insert(when, error.taint.clone());
        let Some(solved) = &error.solved else {
            return;
        };
        let fix = self.done.entry(solved.by.clone()).or_default();
        fix.taint = std::mem::take(&mut fix.taint).join(&error.taint);
        fix.steps = if fix.sessions.is_empty() {
            solved.steps
        } else {
            fix.steps.min(solved.steps)
        };
        if let SolvedBy::Command(other) = &solved.by {
            let apart = options_apart(&error.command, other);
            fix.left_out = apart.map_or_else(Vec::new, |(gone, _)| gone);
            fix.same_aim |= same_aim(&error.command, other);
        }
        fix.sessions.insert(session.session.clone());
        if solved.advised {
            fix.advised.insert(session.session.clone());
        }
        if error.taint.is_clean() && solved.words.is_some() {
            fix.words.clone_from(&solved.words);
        }
        // Where a program did not take the words it was given, the call that it took proves itself, whatever the work was worth.
        let is_call = matches!(solved.by, SolvedBy::Command(_))
            && is_of_words_given(&error.message, &error.command);
        let held = session.succeeded == Some(true) || is_call && session.succeeded.is_none();
        let counts = held && error.taint.is_clean();
        fix.passed += u32::from(counts);
        fix.failed += u32::from(session.succeeded == Some(false));
        move_on(&mut fix.last_at, session.at);
        self.fixes = self.by_what_is_shared();
    }

    /// The fixes with all edits that have files in common told by those files, and all commands that left out the same option by that:
    /// what one session edited besides, and what its command was about, is chance.
    fn by_what_is_shared(&self) -> BTreeMap<SolvedBy, FixRecord> {
        let shared = self.shared_files();
        let mut fixes: BTreeMap<SolvedBy, FixRecord> = BTreeMap::new();
        let done = self.done.iter();
        for (by, fix) in done.filter(|(_, fix)| !drops_guard(&self.message, &fix.left_out)) {
            let told = match by {
                SolvedBy::Edits(files) if files.iter().any(|file| shared.contains(file)) => {
                    SolvedBy::Edits(shared.clone())
                }
                SolvedBy::Command(command) => self
                    .without(command, fix)
                    .or_else(|| self.another_program(command))
                    .unwrap_or_else(|| by.clone()),
                _ => by.clone(),
            };
            fixes.entry(told).or_default().join(fix);
        }
        fixes
    }

    /// What answers a program that is not there, without what it was to do that day: `python3`, `pnpm exec vp`.
    fn another_program(&self, command: &str) -> Option<SolvedBy> {
        let missing = missing_program(&self.message)?;
        let mut line = without_plumbing(command);
        while let Some((_, after)) = line.strip_prefix("cd ").and_then(|at| at.split_once("&& ")) {
            line = after.trim_start();
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let told = match words.iter().position(|word| *word == missing) {
            Some(at) => words[..=at].join(" "),
            None => self.program_instead(missing, line)?,
        };
        (told != missing).then_some(SolvedBy::Command(told))
    }

    /// The program of a line that took the place of one that is not there: the one that was given the same words, else the one that
    /// the line is about where no failing line had it.
    fn program_instead(&self, missing: &str, line: &str) -> Option<String> {
        let failing: Vec<Simple> = self
            .commands
            .keys()
            .flat_map(|line| commands(line))
            .collect();
        let is_given_the_same = |simple: &Simple| {
            let mut asked = failing.iter().filter(|asked| asked.words[0] == missing);
            simple.words.len() > 1 && asked.any(|asked| asked.words[1..] == simple.words[1..])
        };
        let instead = commands(line).into_iter().find(is_given_the_same);
        let instead = instead.or_else(|| {
            let main = main_command(line)?;
            let ran_before = |asked: &Simple| asked.words[0] == main.words[0];
            (!is_preparation(&main) && !failing.iter().any(ran_before)).then_some(main)
        })?;
        let program = &instead.words[0];
        Some(match &instead.through {
            Some(through) => format!("{through} {program}"),
            None => program.clone(),
        })
    }

    /// What a command says to all: the option that it left out, where nothing else was different or another session left it out as well.
    fn without(&self, command: &str, fix: &FixRecord) -> Option<SolvedBy> {
        // Without what it was about it reads harmless, and still reaches as far.
        if reaches_out(command) {
            return None;
        }
        let leaves_out = |option: &String| {
            let mut sessions = 0;
            for (by, other) in &self.done {
                let is_command = matches!(by, SolvedBy::Command(_));
                if is_command && other.left_out.contains(option) {
                    sessions += other.sessions.len();
                }
            }
            sessions
        };
        let option = fix
            .left_out
            .iter()
            .max_by_key(|option| leaves_out(option))?;
        let told = fix.same_aim || leaves_out(option) >= 2;
        told.then_some(SolvedBy::Without {
            command: program_key(command)?,
            option: option.clone(),
        })
    }

    /// The files that at least half of the sessions that edited their way out of it edited, and at least two. The most edited first.
    fn shared_files(&self) -> Vec<ProjectPath> {
        let mut counts: BTreeMap<&ProjectPath, usize> = BTreeMap::new();
        let mut sessions = 0;
        for (by, fix) in &self.done {
            let SolvedBy::Edits(files) = by else { continue };
            sessions += fix.sessions.len();
            for file in files {
                *counts.entry(file).or_default() += fix.sessions.len();
            }
        }
        let often = |count: usize| count >= 2 && count * 2 >= sessions;
        let mut shared: Vec<(&ProjectPath, usize)> = counts
            .into_iter()
            .filter(|(_, count)| often(*count))
            .collect();
        shared.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        shared.into_iter().map(|(file, _)| file.clone()).collect()
    }

    /// Whether nothing but looks at files met it, as sessions of earlier days kept it: what a search printed.
    pub fn is_of_a_look(&self) -> bool {
        !self.commands.is_empty() && self.commands.keys().all(|command| only_looks(command))
    }

    /// Whether an edit ended it in a session whose work held.
    pub(super) fn was_mended(&self) -> bool {
        let mut fixes = self.fixes.iter();
        fixes.any(|(by, fix)| matches!(by, SolvedBy::Edits(_)) && fix.passed > fix.failed)
    }

    /// Whether it ended in a third of its sessions, be it by another try.
    pub(super) fn is_mostly_answered(&self) -> bool {
        let answers = self.done.values();
        let answered: BTreeSet<&SessionId> = answers.flat_map(|fix| &fix.sessions).collect();
        answered.len() * 3 >= self.sessions.len()
    }

    /// How often it came, with all that came within some hours as one: ten sessions of an evening without a network are one evening.
    pub(super) fn occasions(&self) -> usize {
        let times = self.times.keys().map(|(at, _)| *at);
        occasions(&times.collect())
    }

    /// When each session met it, and its marks.
    pub(super) fn met_at(&self) -> impl Iterator<Item = (&(Timestamp, SessionId), &Taint)> {
        self.times.iter()
    }

    /// The sessions that met it, the newest first.
    pub fn newest_sessions(&self) -> impl Iterator<Item = &SessionId> {
        self.times.keys().rev().map(|(_, session)| session)
    }

    /// Those of them on which a session met it before any outside text came in.
    pub(super) fn clean_occasions(&self) -> usize {
        occasions(&self.clean)
    }

    /// What failed with it most often.
    pub fn usual_command(&self) -> &str {
        let usual = self.commands.iter().max_by_key(|(_, times)| **times);
        usual.map_or("", |(command, _)| command.as_str())
    }
}

/// How many occasions these times are.
pub(super) fn occasions(times: &BTreeSet<Timestamp>) -> usize {
    let gaps = times.iter().zip(times.iter().skip(1));
    let apart = gaps.filter(|(earlier, later)| later.duration_since(**earlier) >= OCCASION);
    apart.count() + usize::from(!times.is_empty())
}

impl Knowledge {
    /// Sessions that met an error, whatever came of it.
    pub(super) fn met(&self, message: &str) -> u32 {
        let record = self.errors.get(message);
        record.map_or(0, |record| record.sessions.len() as u32)
    }

    /// Sessions in which something else helped against an error than what `key` stands for.
    pub(super) fn helped_otherwise(&self, fingerprint: Digest, key: &str) -> u32 {
        let of_error = format!("error:{fingerprint}:");
        let remedies = self.signals.range(of_error.clone()..);
        let remedies = remedies.take_while(|(other, _)| other.starts_with(&of_error));
        let others = remedies.filter(|(other, _)| other.as_str() != key);
        // Without a remedy of its own there is none that others could speak against.
        if !key.starts_with(&of_error) {
            return 0;
        }
        others.map(|(_, stats)| stats.sessions).sum()
    }

    /// Errors that came in several sessions and have one answer.
    pub(super) fn errors_known(&self, module: &str) -> Vec<Candidate> {
        let mut known: Vec<_> = self
            .errors
            .values()
            .filter(|error| error.modules.contains(module))
            .filter_map(|error| {
                let (how, fix) = error.best()?;
                // What passed without outside text is enough by itself.
                let taint = if fix.passed >= 2 {
                    Taint::CLEAN
                } else {
                    fix.taint.clone()
                };
                let command = error.usual_command();
                // What the error says itself, and what one machine lacks, is no memory.
                let is_news = !fix.is_advised() && self.found_elsewhere(&error.message).is_none();
                let others = error.fixes.iter().filter(|(other, _)| {
                    *other != how && is_remedy(&error.message, command, other)
                });
                let others: usize = others.map(|(_, other)| other.sessions.len()).sum();
                let often = fix.sessions.len() >= 2 && fix.sessions.len() > 2 * others;
                let is_known = often && is_remedy(&error.message, command, how);
                let known = is_news && is_known;
                known.then_some((error, how, fix, taint))
            })
            .collect();
        known.sort_by(|(a, ..), (b, ..)| {
            b.sessions
                .len()
                .cmp(&a.sessions.len())
                .then_with(|| a.message.cmp(&b.message))
        });
        known
            .into_iter()
            .take(2)
            .filter_map(|(error, how, fix, taint)| {
                let times = fix.sessions.len() as u32;
                let wording = Wording {
                    payload: BuiltInType::ErrorPattern.into(),
                    content: format!(
                        "\"{}\" came in {} sessions; what helped {times} times: {how}.",
                        error.message,
                        error.sessions.len()
                    ),
                    summary: format!(
                        "\"{}\": {how}",
                        &error.message[..error.message.floor_char_boundary(60)]
                    ),
                };
                let key = format!("known_error:{}", error.message);
                let mut candidate = synthesis::candidate(
                    key,
                    wording,
                    0.65 + 0.05 * f64::from(times.min(5)),
                    fix.sessions.clone(),
                    taint,
                )?;
                candidate
                    .fingerprints
                    .extend(Fingerprint::new(&error.message).ok());
                candidate.told = Some(error_told(&error.message));
                Some(candidate)
            })
            .collect()
    }
}
