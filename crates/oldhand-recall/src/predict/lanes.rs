//! The lanes: each looks at the evidence its own way and scores files.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::words;

use super::{Bm25, Evidence, LaneScore, LaneScores, PastCommit, PastSession, PredictionLane, Task};

pub(super) fn without_coupling(
    task: &Task,
    evidence: &Evidence<'_>,
) -> BTreeMap<PredictionLane, LaneScores> {
    use PredictionLane as L;
    let like = like_sessions(task, evidence.sessions);
    let edited = |session: &PastSession| session.edited.clone();
    let read = |session: &PastSession| session.read.clone();
    BTreeMap::from([
        (L::Named, lane(named(task, evidence.files))),
        (L::Path, lane(paths(task, evidence.files))),
        (L::Contents, lane(evidence.contents.iter().cloned())),
        (L::EditedLately, lane(lately(evidence.sessions, edited))),
        (L::ReadLately, lane(lately(evidence.sessions, read))),
        (L::JustEdited, lane(just_edited(evidence.sessions))),
        (L::EditedForLikeTasks, lane(of_sessions(&like, edited))),
        (L::ReadForLikeTasks, lane(of_sessions(&like, read))),
        (L::LikeCommits, lane(like_commits(task, evidence.commits))),
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
    let spelled: BTreeSet<String> = spelled.filter(|word| word.contains(['/', '.'])).collect();
    if spelled.is_empty() {
        return Vec::new();
    }
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
        let score = |word: &String| {
            if path == word || (word.contains('/') && ends(word)) {
                1.0
            } else if ends(word) {
                1.0 / same_name.get(last_step(path)).copied().unwrap_or(1.0)
            } else if word.contains('/') && format!("/{path}/").contains(&format!("/{word}/")) {
                0.15
            } else {
                0.0
            }
        };
        let best = spelled.iter().map(score).fold(0.0, f64::max);
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
fn lately(
    sessions: &[PastSession],
    files: impl Fn(&PastSession) -> Vec<String>,
) -> Vec<(String, f64)> {
    const MOST: usize = 60;
    const FADE: f64 = 0.8;
    let mut scores = Vec::new();
    let mut weight = 1.0;
    for session in sessions.iter().rev().take(MOST) {
        scores.extend(files(session).into_iter().map(|file| (file, weight)));
        weight *= FADE;
    }
    scores
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

fn like_commits(task: &Task, commits: &[PastCommit]) -> Vec<(String, f64)> {
    const MOST: usize = 30;
    let collection = Bm25::new(commits.iter().map(|commit| commit.words.as_slice()), 0.5);
    let mut like = collection.score(&task.words);
    like.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    like.truncate(MOST);
    let scores = like.into_iter().flat_map(|(at, score)| {
        let files = &commits[at].files;
        let share = score * score / (files.len() as f64).sqrt();
        files.iter().map(move |file| (file.clone(), share))
    });
    scores.collect()
}

fn committed_lately(commits: &[PastCommit]) -> Vec<(String, f64)> {
    const MOST: usize = 60;
    const FADE: f64 = 0.93;
    let mut weight = 1.0;
    let mut scores = Vec::new();
    for commit in commits.iter().rev().take(MOST) {
        scores.extend(commit.files.iter().map(|file| (file.clone(), weight)));
        weight *= FADE;
    }
    scores
}

/// Files that changed together with those the other lanes put first.
pub(super) fn coupled(
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
    let mut sums = Vec::new();
    for (path, weight) in first {
        let together = together_with(path, evidence);
        let most = together.values().copied().fold(0.0, f64::max);
        sums.extend(
            together
                .into_iter()
                .map(|(other, times)| (other.to_owned(), weight * times / (most + 2.0))),
        );
    }
    lane(sums)
}

/// How often each other file was touched in one session or one commit with `path`.
fn together_with<'a>(path: &str, evidence: &Evidence<'a>) -> BTreeMap<&'a str, f64> {
    let sessions = evidence
        .sessions
        .iter()
        .map(|session| (&session.edited, 25));
    let commits = evidence
        .commits
        .iter()
        .rev()
        .take(800)
        .map(|commit| (&commit.files, 20));
    let mut together: BTreeMap<&str, f64> = BTreeMap::new();
    for (files, limit) in sessions.chain(commits) {
        if files.len() <= limit && files.iter().any(|file| file == path) {
            for other in files.iter().filter(|file| *file != path) {
                *together.entry(other).or_default() += 1.0;
            }
        }
    }
    together
}
