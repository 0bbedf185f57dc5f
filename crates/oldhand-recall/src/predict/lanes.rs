//! The lanes: each looks at the evidence its own way and scores files.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::words;

use super::{Bm25, Evidence, LaneScore, LaneScores, PastCommit, PastSession, PredictionLane, Task};

mod at_hand;
mod planned;

pub(super) use at_hand::at_hand;
use planned::planned;

/// The lanes that need no other.
pub(super) fn of_task(
    task: &Task,
    evidence: &Evidence<'_>,
) -> BTreeMap<PredictionLane, LaneScores> {
    use PredictionLane as L;
    let like = like_sessions(task, evidence.sessions);
    let touched_for = |files: fn(&PastSession) -> &Vec<String>| {
        lane(of_sessions(&like, evidence.sessions, files))
    };
    BTreeMap::from([
        (L::Named, lane(named(task, evidence.files))),
        (L::NamedFolder, lane(in_named_folder(task, evidence.files))),
        (L::NamedNew, lane(planned(task, evidence.files))),
        (L::Path, lane(like_paths(&task.words, &known(evidence)))),
        (L::Contents, lane(evidence.contents.iter().cloned())),
        (L::JustEdited, lane(just_edited(evidence.sessions))),
        (L::EditedLast, lane(edited_last(evidence.sessions))),
        (
            L::EditedOnBranch,
            lane(on_branch(evidence, |past| &past.edited)),
        ),
        (
            L::ReadOnBranch,
            lane(on_branch(evidence, |past| &past.read)),
        ),
        (L::Located, lane(located(evidence.located))),
        (L::Remembered, remembered(evidence.remembered)),
        (L::EditedForLikeTasks, touched_for(|past| &past.edited)),
        (L::ReadForLikeTasks, touched_for(|past| &past.read)),
        (L::LikeCommits, lane(evidence.expected.iter().cloned())),
        (
            L::BranchCommits,
            lane(evidence.expected_of_branch.iter().cloned()),
        ),
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

/// What a task says that may be a path or a name of one, in small letters, in its order.
fn spelled(task: &Task) -> impl Iterator<Item = String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-');
    let words = task.text.split(move |c: char| !is_part(c));
    words.map(|word| word.trim_matches(['.', '/']).to_lowercase())
}

/// Files the task spells out: in full or by their end.
fn named(task: &Task, files: &[String]) -> Vec<(String, f64)> {
    let mut in_order: BTreeMap<String, f64> = BTreeMap::new();
    let pages = known_pages(files);
    for word in spelled(task) {
        let place = in_order.len() as f64;
        if word.contains(['/', '.']) {
            in_order.entry(word).or_insert(place);
        } else if let Some(page) = pages.get(word.as_str()) {
            in_order.entry(page.to_lowercase()).or_insert(place);
        }
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
                } else {
                    0.0
                }
        };
        let best = in_order.iter().map(score).fold(0.0, f64::max);
        (best > 0.0).then(|| (file.clone(), best))
    };
    files.iter().zip(&lower).filter_map(of_file).collect()
}

/// Files in a folder that the task names: by several steps of its path, or by a name that is joined of several words, which is said only
/// where it is meant (`user-service`, `e2e_tests`). A folder with a third of the files or more is the project itself.
fn in_named_folder(task: &Task, files: &[String]) -> Vec<(String, f64)> {
    let is_joined = |word: &String| word.trim_matches(['-', '_']).contains(['/', '-', '_']);
    let said: BTreeSet<String> = spelled(task).filter(is_joined).collect();
    let mut found = Vec::new();
    for name in said {
        let steps = format!("/{name}/");
        let is_below =
            |file: &&String| format!("/{}/", folder(file).to_lowercase()).contains(&steps);
        let below: Vec<&String> = files.iter().filter(is_below).collect();
        if below.len() * 3 < files.len() {
            found.extend(below.into_iter().map(|file| (file.clone(), 1.0)));
        }
    }
    found
}

/// Files at the top of the tree that people call by their bare names, which mean nothing else: "the readme" is `README.md`.
fn known_pages(files: &[String]) -> BTreeMap<String, &str> {
    const PAGES: [&str; 9] = [
        "changelog",
        "dockerfile",
        "gemfile",
        "jenkinsfile",
        "justfile",
        "makefile",
        "rakefile",
        "readme",
        "roadmap",
    ];
    let at_top = files.iter().filter(|file| !file.contains('/'));
    let page = |file: &'_ String| {
        let stem = file.split_once('.').map_or(file.as_str(), |(stem, _)| stem);
        let stem = stem.to_lowercase();
        PAGES.contains(&stem.as_str()).then_some(stem)
    };
    // Of `README.de.md` and `README.md` the first is a translation.
    let mut pages: Vec<(String, &str)> = at_top
        .filter_map(|file| Some((page(file)?, file.as_str())))
        .collect();
    pages.sort_by_key(|(_, file)| std::cmp::Reverse(file.len()));
    pages.into_iter().collect()
}

fn last_step(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The files of the tree, and what earlier sessions touched that it does not have: ignored by git, or on another branch.
fn known<'e>(evidence: &Evidence<'e>) -> Vec<&'e String> {
    let touched = evidence.sessions.iter().flat_map(|past| &past.touched);
    let known: BTreeSet<&String> = evidence.files.iter().chain(touched).collect();
    known.into_iter().collect()
}

/// Files whose paths have the given words; a file's own name counts twice against the folders it is in.
fn like_paths(words: &BTreeMap<String, f64>, files: &[&String]) -> Vec<(String, f64)> {
    let mut asked = Bm25::new(words, 0.5);
    for file in files {
        asked.read(|take| each_path_word(file, take));
    }
    let found = asked.score().into_iter();
    found
        .map(|(at, score)| (files[at].clone(), score))
        .collect()
}

fn each_path_word(file: &str, take: &mut dyn FnMut(&str)) {
    let name = last_step(file);
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    for text in [file, name] {
        words::each(text, &mut |word| take(words::stem(word)));
    }
}

fn path_words(file: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_path_word(file, &mut |word| found.push(word.to_owned()));
    found
}

fn edited_last(sessions: &[PastSession]) -> Vec<(String, f64)> {
    let last = sessions.last().into_iter();
    last.flat_map(|session| session.edited.iter().map(|file| (file.clone(), 1.0)))
        .collect()
}

/// Files of the sessions on this branch, the latest counting most. Where no branch is known, all are on it.
fn on_branch(
    evidence: &Evidence<'_>,
    files: impl Fn(&PastSession) -> &Vec<String>,
) -> Vec<(String, f64)> {
    const MOST: usize = 60;
    const FADE: f64 = 0.8;
    let is_on_it = |past: &&PastSession| {
        evidence.branch.is_none() || past.branch.as_deref() == evidence.branch
    };
    let mut scores = Vec::new();
    let mut weight = 1.0;
    for session in evidence.sessions.iter().rev().filter(is_on_it).take(MOST) {
        scores.extend(files(session).iter().map(|file| (file.clone(), weight)));
        weight *= FADE;
    }
    scores
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

/// The sessions that are most like the task by what they were asked first and their branch: the place of each and how like it is.
fn like_sessions(task: &Task, sessions: &[PastSession]) -> Vec<(usize, f64)> {
    const MOST: usize = 15;
    let mut asked = Bm25::new(&task.words, 0.5);
    for session in sessions {
        asked.read(|take| session.words.iter().for_each(|word| take(word)));
    }
    let mut like = asked.score();
    like.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    like.truncate(MOST);
    like
}

fn of_sessions(
    like: &[(usize, f64)],
    sessions: &[PastSession],
    files: impl Fn(&PastSession) -> &Vec<String>,
) -> Vec<(String, f64)> {
    let scores = like.iter().flat_map(|&(at, score)| {
        let files = files(&sessions[at]).iter();
        files.map(move |file| (file.clone(), score * score))
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
        (L::EditedLast, 0.7),
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
