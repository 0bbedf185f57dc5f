//! The lanes: each looks at the evidence its own way and scores files.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::words;

use super::{Bm25, Evidence, LaneScore, LaneScores, PastCommit, PastSession, PredictionLane, Task};

/// The lanes that need no other.
pub(super) fn of_task(
    task: &Task,
    evidence: &Evidence<'_>,
) -> BTreeMap<PredictionLane, LaneScores> {
    use PredictionLane as L;
    let like = like_sessions(task, evidence.sessions);
    let edited = |session: &PastSession| session.edited.clone();
    let read = |session: &PastSession| session.read.clone();
    BTreeMap::from([
        (L::Named, lane(named(task, evidence.files))),
        (L::NamedNew, lane(named_new(task, evidence.files))),
        (L::Path, lane(paths(task, evidence.files))),
        (L::Contents, lane(evidence.contents.iter().cloned())),
        (L::EditedLately, lane(lately(evidence.sessions, edited))),
        (L::ReadLately, lane(lately(evidence.sessions, read))),
        (L::JustEdited, lane(just_edited(evidence.sessions))),
        (L::EditedLast, lane(edited_last(evidence.sessions))),
        (L::EditedOnBranch, lane(edited_on_branch(evidence))),
        (L::Located, lane(located(evidence.located))),
        (L::Remembered, remembered(evidence.remembered)),
        (L::EditedForLikeTasks, lane(of_sessions(&like, edited))),
        (L::ReadForLikeTasks, lane(of_sessions(&like, read))),
        (L::LikeCommits, lane(evidence.expected.iter().cloned())),
        (L::CommittedLately, lane(committed_lately(evidence.commits))),
    ])
}

/// Adds up what was said of each file, then divides by the best.
fn lane(scores: impl IntoIterator<Item = (String, f64)>) -> LaneScores {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for (path, score) in scores {
        *sums.entry(path).or_default() += score;
    }
    let mut ranked: Vec<(String, f64)> =
        sums.into_iter().filter(|(_, score)| *score > 0.0).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let best = ranked.first().map_or(1.0, |(_, score)| *score);
    let scored = ranked
        .into_iter()
        .enumerate()
        .map(|(place, (path, score))| {
            (
                path,
                LaneScore {
                    value: score / best,
                    place: 1.0 / (1.0 + place as f64 / 5.0),
                },
            )
        });
    scored.collect()
}

/// Files the task spells out: in full, by their end, or by a folder they are in.
fn named(task: &Task, files: &[String]) -> Vec<(String, f64)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-');
    let spelled = task
        .text
        .split(|c: char| !is_part(c))
        .map(|word| word.trim_matches(['.', '/']).to_lowercase());
    let mut in_order: BTreeMap<String, f64> = BTreeMap::new();
    for word in spelled.filter(|word| word.contains(['/', '.'])) {
        let place = in_order.len() as f64;
        in_order.entry(word).or_insert(place);
    }
    if in_order.is_empty() {
        return Vec::new();
    }
    // What is named first is mostly touched first.
    let order = |place: f64| 1.0 - 0.15 * (place / (place + 10.0));
    let lower: Vec<String> = files.iter().map(|file| file.to_lowercase()).collect();
    let mut same_name: BTreeMap<&str, f64> = BTreeMap::new();
    for path in &lower {
        *same_name.entry(last_step(path)).or_default() += 1.0;
    }
    let of_file = |(file, path): (&String, &String)| {
        let ends = |word: &String| {
            path.strip_suffix(word.as_str())
                .is_some_and(|rest| rest.ends_with('/'))
        };
        let score = |(word, place): (&String, &f64)| {
            order(*place)
                * if path == word || (word.contains('/') && ends(word)) {
                    1.0
                } else if ends(word) {
                    1.0 / same_name.get(last_step(path)).copied().unwrap_or(1.0)
                } else if word.contains('/') && format!("/{path}/").contains(&format!("/{word}/")) {
                    0.15
                } else {
                    0.0
                }
        };
        let best = in_order.iter().map(score).fold(0.0, f64::max);
        (best > 0.0).then(|| (file.clone(), best))
    };
    files.iter().zip(&lower).filter_map(of_file).collect()
}

fn last_step(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The file's own name counts twice against the folders it is in.
fn paths(task: &Task, files: &[String]) -> Vec<(String, f64)> {
    let words_of = |file: &String| {
        let name = last_step(file);
        let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let words = words::split(file).into_iter().chain(words::split(name));
        words
            .map(|word| words::stem(&word).to_owned())
            .collect::<Vec<String>>()
    };
    let texts: Vec<Vec<String>> = files.iter().map(words_of).collect();
    let collection = Bm25::new(texts.iter().map(Vec::as_slice), 0.5);
    collection
        .score(&task.words)
        .into_iter()
        .map(|(at, score)| (files[at].clone(), score))
        .collect()
}

/// Files of sessions, the latest counting most.
fn lately<'s>(
    sessions: impl IntoIterator<Item = &'s PastSession, IntoIter: DoubleEndedIterator>,
    files: impl Fn(&PastSession) -> Vec<String>,
) -> Vec<(String, f64)> {
    const MOST: usize = 60;
    const FADE: f64 = 0.8;
    let mut scores = Vec::new();
    let mut weight = 1.0;
    for session in sessions.into_iter().rev().take(MOST) {
        scores.extend(files(session).into_iter().map(|file| (file, weight)));
        weight *= FADE;
    }
    scores
}

fn edited_last(sessions: &[PastSession]) -> Vec<(String, f64)> {
    let last = sessions.last().into_iter();
    last.flat_map(|session| session.edited.iter().map(|file| (file.clone(), 1.0)))
        .collect()
}

fn edited_on_branch(evidence: &Evidence<'_>) -> Vec<(String, f64)> {
    let Some(branch) = evidence.branch else {
        return Vec::new();
    };
    let on_it: Vec<&PastSession> = evidence
        .sessions
        .iter()
        .filter(|session| session.branch.as_deref() == Some(branch))
        .collect();
    lately(on_it, |session| session.edited.clone())
}

/// By how far a file is behind the first of the located ones.
fn located(located: &[(String, f64)]) -> Vec<(String, f64)> {
    /// Files further behind gain nothing.
    const REACH: f64 = 7.0;
    let top = located
        .iter()
        .map(|(_, score)| *score)
        .fold(f64::NEG_INFINITY, f64::max);
    located
        .iter()
        .map(|(path, score)| (path.clone(), (1.0 + (score - top) / REACH).max(0.0)))
        .collect()
}

/// How well the best memory about a file fits the task: a chance, and not divided by the best.
fn remembered(about: &[(String, f64)]) -> LaneScores {
    let mut scores = LaneScores::new();
    for (path, relevance) in about {
        let known = scores.entry(path.clone()).or_insert(LaneScore {
            value: 0.0,
            place: 0.0,
        });
        known.value = known.value.max(*relevance);
    }
    scores
}

/// How long ago each file was last changed, counted in commits: near 1 for the last ones, half after thirty.
pub(super) fn fresh(commits: &[PastCommit]) -> BTreeMap<&str, LaneScore> {
    const HALF: f64 = 30.0;
    let mut fresh = BTreeMap::new();
    for (age, commit) in commits.iter().rev().enumerate() {
        let score = LaneScore {
            value: 1.0 / (1.0 + (age + 1) as f64 / HALF),
            place: 0.0,
        };
        for file in &commit.files {
            fresh.entry(file.as_str()).or_insert(score);
        }
    }
    fresh
}

fn just_edited(sessions: &[PastSession]) -> Vec<(String, f64)> {
    let last = &sessions[sessions.len().saturating_sub(3)..];
    let mut scores: BTreeMap<String, f64> = BTreeMap::new();
    for (order, session) in last.iter().enumerate() {
        scores.extend(
            session
                .edited
                .iter()
                .map(|file| (file.clone(), (order + 1) as f64)),
        );
    }
    scores.into_iter().collect()
}

/// The sessions whose first prompt is most like the task, with how like it is.
fn like_sessions<'a>(task: &Task, sessions: &'a [PastSession]) -> Vec<(&'a PastSession, f64)> {
    const MOST: usize = 15;
    let collection = Bm25::new(sessions.iter().map(|session| session.words.as_slice()), 0.5);
    let mut like = collection.score(&task.words);
    like.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    like.truncate(MOST);
    like.into_iter()
        .map(|(at, score)| (&sessions[at], score * score))
        .collect()
}

fn of_sessions(
    sessions: &[(&PastSession, f64)],
    files: impl Fn(&PastSession) -> Vec<String>,
) -> Vec<(String, f64)> {
    let scores = sessions.iter().flat_map(|(session, weight)| {
        files(session)
            .into_iter()
            .map(|file| (file, *weight))
            .collect::<Vec<_>>()
    });
    scores.collect()
}

fn committed_lately(commits: &[PastCommit]) -> Vec<(String, f64)> {
    const MOST: usize = 60;
    const FADE: f64 = 0.93;
    let mut weight = 1.0;
    let mut scores = Vec::new();
    for commit in commits.iter().rev().take(MOST) {
        let share = weight / (commit.files.len() as f64).sqrt();
        scores.extend(commit.files.iter().map(|file| (file.clone(), share)));
        weight *= FADE;
    }
    scores
}

/// The tests of the files that the other lanes put first, and what those test.
pub(super) fn partners_of_first(
    scores: &BTreeMap<PredictionLane, LaneScores>,
    evidence: &Evidence<'_>,
) -> LaneScores {
    use PredictionLane as L;
    const FIRST: usize = 8;
    const VOICES: [(L, f64); 6] = [
        (L::Named, 3.0),
        (L::EditedForLikeTasks, 1.0),
        (L::LikeCommits, 1.0),
        (L::Path, 1.0),
        (L::Contents, 1.0),
        (L::EditedLately, 0.7),
    ];
    let mut first: BTreeMap<&str, f64> = BTreeMap::new();
    for (voice, weight) in VOICES {
        for (path, score) in &scores[&voice] {
            let amount = if voice == L::Named {
                score.value
            } else {
                score.place
            };
            *first.entry(path).or_default() += weight * amount;
        }
    }
    let mut first: Vec<(&str, f64)> = first.into_iter().collect();
    first.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    first.truncate(FIRST);
    lane(partners(&first, evidence.files))
}

/// The files of the last commits that are small enough to tie them together.
fn small_commits<'a>(evidence: &Evidence<'a>) -> impl Iterator<Item = &'a Vec<String>> + use<'a> {
    let last = evidence.commits.iter().rev().take(800);
    last.map(|commit| &commit.files)
        .filter(|files| files.len() <= 20)
}

/// Files that the task sets apart as code and that are not there yet, below a folder that is: a plan names what it will create.
fn named_new(task: &Task, files: &[String]) -> Vec<(String, f64)> {
    let tops: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.split_once('/').map(|(top, _)| top))
        .collect();
    let known: BTreeSet<&str> = files.iter().map(String::as_str).collect();
    let mut found: Vec<(String, f64)> = Vec::new();
    // Every second piece between backticks is code.
    for word in task.text.split('`').skip(1).step_by(2) {
        let word = word.trim().trim_start_matches("./");
        let Some((top, rest)) = word.split_once('/') else {
            continue;
        };
        let plain = |c: char| {
            c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | '[' | ']' | '(' | ')' | '$')
        };
        let is_file = last_step(rest)
            .rsplit_once('.')
            .is_some_and(|(stem, ending)| !stem.is_empty() && is_ending(ending));
        let is_new = tops.contains(top) && !known.contains(word) && word.chars().all(plain);
        if is_file && is_new && found.iter().all(|(path, _)| path != word) {
            found.push((word.to_owned(), 1.0));
        }
    }
    found
}

fn is_ending(ending: &str) -> bool {
    (1..=5).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && ending.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// A file's name without what makes it a test, in small letters, and whether it is one.
fn tested_name(path: &str) -> (String, bool) {
    let name = last_step(path).to_ascii_lowercase();
    let stem = name.split_once('.').map_or(name.as_str(), |(stem, _)| stem);
    let inner = name.contains(".test.") || name.contains(".spec.");
    let bare = ["_test", "_spec", "test"]
        .iter()
        .find_map(|mark| stem.strip_suffix(mark).filter(|bare| !bare.is_empty()))
        .or_else(|| stem.strip_prefix("test_"));
    match bare {
        Some(bare) => (bare.to_owned(), true),
        None => (stem.to_owned(), inner),
    }
}

/// Tests of the given files, and what the given tests are about: the nearer in the tree the better.
fn partners(first: &[(&str, f64)], files: &[String]) -> Vec<(String, f64)> {
    let names: Vec<(String, bool)> = files.iter().map(|file| tested_name(file)).collect();
    let mut found = Vec::new();
    for (path, weight) in first {
        let (bare, is_test) = tested_name(path);
        for (file, (name, tests)) in files.iter().zip(&names) {
            if *tests != is_test && *name == bare {
                let near = if folder(file) == folder(path) {
                    1.0
                } else {
                    0.4
                };
                found.push((file.clone(), weight * near));
            }
        }
    }
    found
}

fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..at])
}

/// Files in the folders of the given ones; a crowded folder says less about each.
fn beside(first: &[(&str, f64)], files: &[String]) -> Vec<(String, f64)> {
    let mut folders: BTreeMap<&str, f64> = BTreeMap::new();
    for (path, weight) in first {
        *folders.entry(folder(path)).or_default() += weight;
    }
    let mut crowd: BTreeMap<&str, f64> = BTreeMap::new();
    for file in files {
        *crowd.entry(folder(file)).or_default() += 1.0;
    }
    let found = files.iter().filter_map(|file| {
        let weight = folders.get(folder(file))?;
        Some((file.clone(), weight / crowd[folder(file)].sqrt()))
    });
    found.collect()
}

/// What the files at hand bring with them.
pub(super) fn at_hand(evidence: &Evidence<'_>) -> BTreeMap<PredictionLane, LaneScores> {
    use PredictionLane as L;
    /// The latest files say most about the next one.
    const FADE: f64 = 0.75;
    if evidence.at_hand.is_empty() {
        return BTreeMap::new();
    }
    let mut weight = 1.0;
    let mut weighed: Vec<(&str, f64)> = Vec::new();
    for file in evidence.at_hand.iter().rev().take(12) {
        weighed.push((file, weight));
        weight *= FADE;
    }
    let mut with: Vec<(String, f64)> = Vec::new();
    let mut after: Vec<(String, f64)> = Vec::new();
    for (file, weight) in &weighed {
        let mut uses = 2.0;
        let mut others: BTreeMap<&str, f64> = BTreeMap::new();
        for session in evidence.sessions {
            let Some(at) = session.touched.iter().position(|path| path == file) else {
                continue;
            };
            uses += 1.0;
            let share = 1.0 / (1.0 + session.touched.len() as f64 / 20.0);
            for (place, other) in session.touched.iter().enumerate() {
                *others.entry(other).or_default() += share;
                if place > at && place <= at + 3 {
                    after.push((other.clone(), weight / (place - at) as f64));
                }
            }
        }
        for files in small_commits(evidence) {
            if files.iter().any(|path| path == file) {
                uses += 1.0;
                for other in files {
                    *others.entry(other).or_default() += 1.0;
                }
            }
        }
        let shares = others
            .into_iter()
            .map(|(other, times)| (other.to_owned(), weight * times / uses));
        with.extend(shares);
    }
    BTreeMap::from([
        (L::WithAtHand, lane(with)),
        (L::AfterAtHand, lane(after)),
        (L::BesideAtHand, lane(beside(&weighed, evidence.files))),
        (L::PartnerAtHand, lane(partners(&weighed, evidence.files))),
        (
            L::UsedByAtHand,
            lane(linked(&weighed, evidence.uses, |(user, used)| (user, used))),
        ),
        (
            L::UsesAtHand,
            lane(linked(&weighed, evidence.uses, |(user, used)| (used, user))),
        ),
    ])
}

/// What the given files are linked to, looked at from one end of each pair; a file with many links says less by each.
fn linked(
    first: &[(&str, f64)],
    pairs: &[(String, String)],
    turn: fn(&(String, String)) -> (&String, &String),
) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    for (path, weight) in first {
        let others: Vec<&String> = pairs
            .iter()
            .map(turn)
            .filter(|(from, _)| from == path)
            .map(|(_, to)| to)
            .collect();
        let share = weight / (others.len() as f64).sqrt();
        found.extend(others.into_iter().map(|other| (other.clone(), share)));
    }
    found
}
