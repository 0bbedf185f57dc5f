//! The lanes that begin at the files a task has touched so far.

use std::collections::BTreeMap;

use super::super::{Evidence, LaneScores, PastSession, PredictionLane, Task};
use super::{folder, known, lane, like_paths, like_sessions, partners, path_words};

/// A file at hand, and how much it says about the next one.
type Weighed<'e> = (&'e str, f64);

/// What the files at hand bring with them; `scores` are those of the task.
pub(in super::super) fn at_hand(
    task: &Task,
    evidence: &Evidence<'_>,
    scores: &BTreeMap<PredictionLane, LaneScores>,
) -> BTreeMap<PredictionLane, LaneScores> {
    use PredictionLane as L;
    let weighed = weigh(evidence.at_hand);
    let Some(&(latest, _)) = weighed.first() else {
        return BTreeMap::new();
    };
    let used = lane(linked(&weighed, evidence.uses, |(user, used)| (user, used)));
    let users = lane(linked(&weighed, evidence.uses, |(user, used)| (used, user)));
    let words = words_of(&weighed);
    BTreeMap::from([
        (L::UsedAndFits, lane(fitting(&used, scores))),
        (L::WithAtHand, lane(with(&weighed, latest, evidence))),
        (L::AfterAtHand, lane(after(&weighed, evidence.sessions))),
        (
            L::LikeThisSession,
            lane(like_this(&weighed, task, evidence)),
        ),
        (L::NamedAlike, lane(like_paths(&words, &known(evidence)))),
        (L::BesideAtHand, lane(beside(&weighed, evidence.files))),
        (L::PartnerAtHand, lane(partners(&weighed, evidence.files))),
        (L::UsedByAtHand, used),
        (L::UsesAtHand, users),
    ])
}

/// The latest first, and it says most.
fn weigh(at_hand: &[String]) -> Vec<Weighed<'_>> {
    const FADE: f64 = 0.75;
    const MOST: usize = 12;
    let mut weight = 1.0;
    let mut weighed = Vec::new();
    for file in at_hand.iter().rev().take(MOST) {
        weighed.push((file.as_str(), weight));
        weight *= FADE;
    }
    weighed
}

/// How much a session says that so many came after.
fn weight_by_age(later: usize) -> f64 {
    const FADE: f64 = 0.97;
    FADE.powi(i32::try_from(later).unwrap_or(i32::MAX))
}

/// Files that were touched or committed together with those at hand, the later the more, and those in the folder of the latest twice.
fn with(weighed: &[Weighed<'_>], latest: &str, evidence: &Evidence<'_>) -> Vec<(String, f64)> {
    /// Of a file that was seen once or twice little is known.
    const DOUBT: f64 = 2.0;
    const COMMIT_FADE: f64 = 0.99;
    let mut found = Vec::new();
    for &(file, weight) in weighed {
        let mut seen = DOUBT;
        let mut others: BTreeMap<&str, f64> = BTreeMap::new();
        for (later, session) in evidence.sessions.iter().rev().enumerate() {
            if !session.touched.iter().any(|path| path == file) {
                continue;
            }
            let fade = weight_by_age(later);
            seen += fade;
            let share = fade / (1.0 + session.touched.len() as f64 / 20.0);
            for other in &session.touched {
                *others.entry(other).or_default() += share;
            }
        }
        let mut fade = 1.0;
        for files in small_commits(evidence) {
            if files.iter().any(|path| path == file) {
                seen += fade;
                let share = fade / (1.0 + files.len() as f64 / 8.0);
                for other in files {
                    *others.entry(other).or_default() += share;
                }
            }
            fade *= COMMIT_FADE;
        }
        let near = |other: &str| {
            if folder(other) == folder(latest) {
                2.0
            } else {
                1.0
            }
        };
        let shares = others
            .into_iter()
            .map(|(other, times)| (other.to_owned(), near(other) * weight * times / seen));
        found.extend(shares);
    }
    found
}

/// The files of the last commits that are small enough to tie them together, the latest first.
fn small_commits<'e>(evidence: &Evidence<'e>) -> impl Iterator<Item = &'e Vec<String>> + use<'e> {
    let last = evidence.commits.iter().rev().take(800);
    last.map(|commit| &commit.files)
        .filter(|files| files.len() <= 20)
}

/// Files that earlier sessions came to right after those at hand.
fn after(weighed: &[Weighed<'_>], sessions: &[PastSession]) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    for (later, session) in sessions.iter().rev().enumerate() {
        for pair in session.touched.windows(2) {
            let known = weighed.iter().find(|(file, _)| *file == pair[0]);
            if let Some((_, weight)) = known {
                found.push((pair[1].clone(), weight * weight * weight_by_age(later)));
            }
        }
    }
    found
}

/// Files of the sessions that are like this one, by what was asked and by what was touched.
fn like_this(weighed: &[Weighed<'_>], task: &Task, evidence: &Evidence<'_>) -> Vec<(String, f64)> {
    let sessions = evidence.sessions;
    let mut touched: BTreeMap<usize, f64> = BTreeMap::new();
    for &(file, weight) in weighed {
        let has = |session: &PastSession| session.touched.iter().any(|path| path == file);
        let at: Vec<usize> = (0..sessions.len())
            .filter(|&at| has(&sessions[at]))
            .collect();
        let rarity = (1.0 + sessions.len() as f64 / (1.0 + at.len() as f64)).ln();
        for at in at {
            *touched.entry(at).or_default() += weight * rarity;
        }
    }
    let asked: BTreeMap<usize, f64> = like_sessions(task, sessions).into_iter().collect();
    let mut like: BTreeMap<usize, f64> = BTreeMap::new();
    for way in [asked, touched] {
        let best = way.values().copied().fold(f64::EPSILON, f64::max);
        for (at, score) in way {
            *like.entry(at).or_default() += score / best;
        }
    }
    let files = like.into_iter().flat_map(|(at, likeness)| {
        let files = &sessions[at].touched;
        let share = likeness.powi(3) / (1.0 + files.len() as f64 / 20.0);
        files.iter().map(move |file| (file.clone(), share))
    });
    files.collect()
}

/// The words of the paths of the latest files.
fn words_of(weighed: &[Weighed<'_>]) -> BTreeMap<String, f64> {
    const LATEST: usize = 5;
    let mut words: BTreeMap<String, f64> = BTreeMap::new();
    for &(file, weight) in weighed.iter().take(LATEST) {
        let of_file: std::collections::BTreeSet<String> = path_words(file).into_iter().collect();
        for word in of_file {
            *words.entry(word).or_default() += weight;
        }
    }
    words
}

/// What the files at hand use, by how well it fits the task too.
fn fitting(used: &LaneScores, scores: &BTreeMap<PredictionLane, LaneScores>) -> Vec<(String, f64)> {
    /// What a file is worth that does not fit at all.
    const LEAST: f64 = 0.05;
    let place = |lane: PredictionLane, path: &str| {
        scores
            .get(&lane)
            .and_then(|lane| lane.get(path))
            .map_or(LEAST, |score| score.place)
    };
    let fits = |path: &str| {
        place(PredictionLane::Located, path)
            .max(place(PredictionLane::Contents, path))
            .max(LEAST)
    };
    used.iter()
        .map(|(path, score)| (path.clone(), score.value * fits(path)))
        .collect()
}

/// Files in the folders of the given ones; a crowded folder says less about each.
fn beside(first: &[Weighed<'_>], files: &[String]) -> Vec<(String, f64)> {
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

/// What the given files are linked to, looked at from one end of each pair; a file with many links says less by each.
fn linked(
    first: &[Weighed<'_>],
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
