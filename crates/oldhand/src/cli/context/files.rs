//! Which files a task will probably touch, with the words that say so.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use oldhand_code::concordance::Concordance;
use oldhand_code::history::message::{Expected, Hint, files_for_message};
use oldhand_code::index::Index;
use oldhand_code::localise::{Ground, localise};
use oldhand_domain::bm25::rarity;
use oldhand_domain::words;
use oldhand_embed::StaticEmbedder;
use oldhand_engine::{CodeEvidence, PredictRequest};
use oldhand_recall::plan::{RecentWork, plan};
use oldhand_recall::predict::{PastCommit, PredictionLane, Reason, Task, said_by_branch};
use oldhand_recall::request::Heard;

use crate::code;
use crate::desk::Desk;
use crate::project::{Head, Location};
use crate::view::context::Likely;

/// Commits that touch more files say little about any of them.
const MOST_FILES_A_COMMIT: usize = 30;
/// Older commits than these many say little about today.
const COMMITS: usize = 3000;
/// How many files the words of a task may bring.
const CONTENTS: usize = 300;
/// How many files the code may speak for.
const LOCATED: usize = 60;
/// How many files the history may expect.
const EXPECTED: usize = 60;
/// How many more are looked at than are shown, as some turn out to be gone.
const SPARE: usize = 20;
/// How many words a reason names.
const WORDS: usize = 3;

/// What the code says of a task, whatever is remembered.
pub(super) struct Clues {
    task: Task,
    code: CodeEvidence,
    expected: Vec<Expected>,
    said_by_branch: String,
}

impl Clues {
    /// `None` where nothing is asked.
    pub(super) fn gather(
        task: &str,
        at_hand: &[String],
        location: &Location,
        ground: &code::Ground,
    ) -> Option<Self> {
        let code::Ground {
            index,
            words,
            history,
        } = ground;
        let text = task;
        let task = Task::new(text);
        let is_no_work = task.asks_nothing() || asks_elsewhere(&task, words);
        if is_no_work && at_hand.is_empty() {
            return None;
        }
        let ground = Ground {
            index,
            words,
            history,
            embed: &|texts| StaticEmbedder.embed_batch(texts),
        };
        let located = localise(&ground, text, LOCATED);
        let branch = Head::read(location).branch;
        let task = task.on_branch(branch.as_deref());
        let newest = history
            .small_commits(MOST_FILES_A_COMMIT)
            .rev()
            .take(COMMITS);
        let mut commits: Vec<PastCommit> = newest
            .map(|files| PastCommit {
                files: files.into_iter().map(str::to_owned).collect(),
            })
            .collect();
        commits.reverse();
        let expected_for = |text: &str| -> Vec<Expected> {
            files_for_message(history, text, EXPECTED)
                .into_iter()
                .filter(Expected::is_spoken_for)
                .collect()
        };
        let expected = expected_for(text);
        let said_by_branch = branch.as_deref().map(said_by_branch).unwrap_or_default();
        let of_branch = expected_for(&said_by_branch);
        let chances = |expected: &[Expected]| {
            let chance = |file: &Expected| (file.path.clone(), f64::from(file.strength));
            expected.iter().map(chance).collect()
        };
        let code = CodeEvidence {
            files: words.files(),
            contents: words.search(task.words(), CONTENTS),
            located: located
                .into_iter()
                .map(|file| (file.path, f64::from(file.score)))
                .collect(),
            expected: chances(&expected),
            expected_of_branch: chances(&of_branch),
            uses: uses(index, at_hand),
            commits,
            branch,
        };
        Some(Self {
            task,
            code,
            expected,
            said_by_branch,
        })
    }
}

/// What the files are predicted for.
pub(super) struct Asked<'a> {
    pub(super) task: &'a str,
    /// What the memories that come to mind are about.
    pub(super) about: &'a [(String, f64)],
    pub(super) at_hand: &'a [String],
    pub(super) limit: usize,
}

pub(super) fn predict(
    asked: &Asked<'_>,
    clues: &Clues,
    ground: &code::Ground,
    desk: &Desk,
) -> Result<Vec<Likely>> {
    let Clues {
        task,
        code,
        expected,
        said_by_branch,
    } = clues;
    let request = PredictRequest {
        task,
        code,
        remembered: asked.about,
        at_hand: asked.at_hand,
        limit: asked.limit + SPARE,
    };
    let said = SaidWords {
        task,
        words: &ground.words,
        expected: expected
            .iter()
            .map(|file| (file.path.as_str(), file))
            .collect(),
        rarest: rarity(code.files.len() as f64, 0.0),
        is_for_all: !plan(asked.task, RecentWork::Ordinary).acts.is_empty(),
        is_request: Heard::of(asked.task) == Heard::Request,
        made_up: made_up(asked.task, &ground.words),
        spelled: words::split(asked.task)
            .into_iter()
            .chain(words::split(said_by_branch))
            .map(|word| (words::stem(&word).to_owned(), word))
            .collect(),
    };
    let predicted = match desk.sessions() {
        Some(sessions) => desk.engine().predict(&request, sessions)?,
        None => request.answer(&[]),
    };
    let mut likely = Vec::new();
    for file in predicted {
        let there = desk.location.root.join(&file.path).exists();
        // Only what the task itself names may be made, or made again.
        let is_planned = |reason: &Reason| reason.lane == PredictionLane::NamedNew;
        let is_planned = file.because.iter().any(is_planned) || asked.task.contains(&file.path);
        if !there && !is_planned {
            continue;
        }
        let reasons = file.because.iter();
        let mut certain = file.because.iter().map(|reason| reason.lane);
        likely.push(Likely {
            words: reasons
                .map(|reason| said.of(reason.lane, &file.path))
                .collect(),
            pointed_at: certain.any(PredictionLane::is_certain)
                || said.is_request && (said.points_at(&file.path) || said.calls(&file.path)),
            there,
            file,
        });
    }
    likely.truncate(asked.limit);
    Ok(likely)
}

/// Whether it asks what something is that the project hardly speaks of: half of its words or more are in no file.
fn asks_elsewhere(task: &Task, words: &Concordance) -> bool {
    let all = task.words().count();
    let unknown = task.words().filter(|(word, _)| words.rarity(word) <= 0.0);
    task.asks_what_is() && all >= 2 && unknown.count() * 2 >= all
}

/// The share of what a task says, by the rarity of its words, that a file must say too for the task to point at it: a word that is nowhere here
/// is the rarest, so that a task about something else points at nothing. `docs/benchmarks/pointing.md` says how often it does.
const POINTED: f64 = 0.5;
/// The same for a file whose whole name the task says.
const POINTED_BY_NAME: f64 = 0.25;

/// Which words of the task speak for a file.
struct SaidWords<'a> {
    task: &'a Task,
    words: &'a Concordance,
    expected: BTreeMap<&'a str, &'a Expected>,
    /// How the task spells a word that is looked for by its stem.
    spelled: BTreeMap<String, String>,
    /// How much a word says that no file has.
    rarest: f64,
    /// Whether the task asks for something that is done to the whole project.
    is_for_all: bool,
    /// Whether it asks for anything.
    is_request: bool,
    /// Names of several words that are nowhere here, as those are that the task will make: their words are said beside them.
    made_up: BTreeSet<String>,
}

impl SaidWords<'_> {
    fn of(&self, lane: PredictionLane, path: &str) -> Vec<String> {
        let mut found = match lane {
            PredictionLane::Path => {
                let stems: BTreeSet<String> = words::split(path)
                    .iter()
                    .map(|word| words::stem(word).to_owned())
                    .collect();
                let all = self.task.words().map(|(word, _)| word.to_owned());
                self.rarest_first(all.filter(|word| stems.contains(word)).collect())
            }
            PredictionLane::Contents => {
                let all: Vec<&str> = self.task.words().map(|(word, _)| word).collect();
                self.rarest_first(self.words.words_in(path, &all))
            }
            PredictionLane::LikeCommits => {
                let hints = self.expected.get(path).map(|file| &file.because);
                let said = hints.into_iter().flatten().find_map(|hint| match hint {
                    Hint::SaidBefore(words) => Some(words.clone()),
                    _ => None,
                });
                said.unwrap_or_default()
            }
            _ => Vec::new(),
        };
        found.truncate(WORDS);
        for word in &mut found {
            if let Some(spelled) = self.spelled.get(word) {
                word.clone_from(spelled);
            }
        }
        found
    }

    /// Whether the task says the name of a file at the root, as "the readme" does of `README.md`.
    fn calls(&self, path: &str) -> bool {
        let stem = path.split_once('.').map_or(path, |(stem, _)| stem);
        let name = words::split(stem);
        let mut said = self.task.words();
        !stem.contains('/')
            && name.len() == 1
            && said.any(|(word, _)| word == words::stem(&name[0]))
    }

    /// Whether what the task says is about this file. What is done to the whole project is about none, but for one that is named for it.
    fn points_at(&self, path: &str) -> bool {
        if self.is_for_all {
            self.is_in_path(path)
        } else {
            let (share, words) = self.share_met(path);
            let is_more_than_a_word = words > 1 || self.is_in_path(path);
            let bar = if self.says_name_of(path) {
                POINTED_BY_NAME
            } else {
                POINTED
            };
            share >= bar && is_more_than_a_word
        }
    }

    /// Whether the task says all words of the name of a file.
    fn says_name_of(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        // A number says nothing beside the whole name.
        let mut name = words::split(stem);
        name.retain(|part| part.len() > 1 && !part.bytes().all(|byte| byte.is_ascii_digit()));
        let is_said = |part: &String| self.task.words().any(|(word, _)| word == words::stem(part));
        !name.is_empty() && name.iter().all(is_said)
    }

    /// Whether the path has a word of the task. A page about formats is none about formatting everything.
    fn is_in_path(&self, path: &str) -> bool {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_about_another = self.is_for_all && matches!(ending, "md" | "mdx");
        !is_about_another && !self.of(PredictionLane::Path, path).is_empty()
    }

    /// How much of what the task says the file and its path say too, each word by its rarity; one that is nowhere here is the rarest. And by
    /// how many words.
    fn share_met(&self, path: &str) -> (f64, usize) {
        let says = |word: &str| {
            self.spelled
                .get(word)
                .is_none_or(|word| words::is_telling(word))
        };
        let all = self.task.words().map(|(word, _)| word);
        let all: Vec<&str> = all
            .filter(|word| says(word) && !self.made_up.contains(*word))
            .collect();
        let rarity = |word: &str| match self.words.rarity(word) {
            known if known > 0.0 => known,
            _ => self.rarest,
        };
        let in_path = self.of(PredictionLane::Path, path);
        let mut met: BTreeSet<String> = self.words.words_in(path, &all).into_iter().collect();
        let in_path = in_path.iter().map(|word| words::stem(word).to_owned());
        met.extend(in_path.filter(|word| all.contains(&word.as_str())));
        let weigh = |words: &mut dyn Iterator<Item = &str>| words.map(rarity).sum::<f64>();
        let said = weigh(&mut all.iter().copied());
        let share = weigh(&mut met.iter().map(String::as_str)) / said.max(f64::MIN_POSITIVE);
        (share, met.len())
    }

    fn rarest_first(&self, mut words: Vec<String>) -> Vec<String> {
        words.sort_by(|a, b| self.words.rarity(b).total_cmp(&self.words.rarity(a)));
        words
    }
}

/// The names of several words in a text that no file has, cut to compare. What a script without spaces is cut into is none.
fn made_up(text: &str, known: &Concordance) -> BTreeSet<String> {
    let names = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let wholes = names.filter_map(|name| {
        let mut parts = words::split(name);
        let whole = parts.pop()?;
        (parts.len() > 1 && parts.concat() == whole).then_some(whole)
    });
    wholes
        .map(|whole| words::stem(&whole).to_owned())
        .filter(|whole| known.rarity(whole) <= 0.0)
        .collect()
}

/// What the given files use and are used by, as pairs of user and used.
fn uses(index: &Index, files: &[String]) -> Vec<(String, String)> {
    let snapshot = index.snapshot();
    let mut pairs = Vec::new();
    for path in files {
        let Some(file) = snapshot.find_file(path) else {
            continue;
        };
        let found = index.dependencies(file);
        let other = |file| snapshot.path(file).to_owned();
        let used = found.uses.iter();
        pairs.extend(used.map(|used| (path.clone(), other(used.file))));
        let users = found.used_by.iter();
        pairs.extend(users.map(|user| (other(user.file), path.clone())));
    }
    pairs.sort();
    pairs.dedup();
    pairs
}

/// A reason as a person reads it.
pub(super) fn say(lane: PredictionLane, words: &[String]) -> String {
    // In a project that rests, the latest changes are old.
    if lane == PredictionLane::Fresh {
        return "among the latest changes".to_owned();
    }
    if words.is_empty() {
        return lane.as_str().to_owned();
    }
    let words = words.join(", ");
    match lane {
        PredictionLane::Path => format!("its path has {words}"),
        PredictionLane::Contents => format!("its text has {words}"),
        PredictionLane::LikeCommits => format!("changed by commits about {words}"),
        _ => lane.as_str().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_no_file_has_is_made_up_and_a_run_without_blanks_is_not() {
        let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(root.path().join("a.rs"), "fn read_header() {}").unwrap();
        let kept = state.path().join("words");
        let (known, _) = Concordance::refresh(root.path(), &kept, 1).unwrap();
        let made_up = |text: &str| made_up(text, &known).into_iter().collect::<Vec<_>>();
        assert_eq!(made_up("read_header or sendHeader"), ["sendheader"]);
        for text in [
            "数据库迁移失败",
            "データベースの移行とテスト",
            "移行",
            "header",
        ] {
            assert!(made_up(text).is_empty(), "{text}");
        }
    }
}
