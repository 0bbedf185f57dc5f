//! Everything the tree and its history say before anyone has worked here: what `map`, `hot`, `init` and `reindex` tell.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_code::answer::hot::Churn;
use oldhand_code::answer::map::{CoChange, Command, ModuleMap};
use oldhand_code::history::facts::{self, FileFacts};
use oldhand_code::history::log::History;
use oldhand_code::index::Index;

use super::describe_gap;
use crate::out::time::count;
use crate::view::graph::{
    CommandView, CouplingView, HotFileView, IndexView, LanguageView, ModuleNameView, SurveyView,
    rounded,
};

/// Pairs that the map is grown with.
const PAIRS: usize = 20_000;
/// Fewer common commits are chance.
const LEAST_TIMES: usize = 3;
/// What one screen holds of each kind.
const TOLD: usize = 5;

/// Everything, for one screen.
pub(crate) fn survey(index: &Index, history: &History) -> SurveyView {
    let map = map(index, history);
    let modules = map.modules.iter().map(|module| ModuleNameView {
        name: module.name.clone(),
        folder: module.folder.clone(),
        files: module.files.len(),
    });
    let mut hot = hot_spots(index, history, TOLD);
    // In a young project every file is among the hottest; a few commits are no evidence.
    hot.retain(|file| file.fixes > 0 || file.commits >= LEAST_TIMES);
    SurveyView {
        index: describe_index(index, history),
        modules: modules.collect(),
        hot,
        couplings: couplings(history, TOLD),
        commands: commands(&map),
    }
}

/// What was made of the tree and its history, in numbers.
pub(crate) fn describe_index(index: &Index, history: &History) -> IndexView {
    let snapshot = index.snapshot();
    let problems = snapshot.problems();
    IndexView {
        files: snapshot.file_count(),
        symbols: snapshot.symbol_count(),
        edges: snapshot.edge_count(),
        languages: languages(index),
        commits: history.commit_count(),
        problems: problems.iter().map(ToString::to_string).collect(),
        gaps: history.gaps().iter().map(describe_gap).collect(),
    }
}

/// The numbers as labelled lines.
pub(crate) fn say_index(view: &IndexView) -> Vec<(&'static str, String)> {
    let mut lines = vec![(
        "code",
        format!(
            "{}, {}, {}",
            count(view.files, "file"),
            count(view.symbols, "definition"),
            count(view.edges, "link")
        ),
    )];
    if !view.languages.is_empty() {
        lines.push(("languages", say_languages(&view.languages)));
    }
    let mut history = vec![count(view.commits, "commit")];
    history.extend(view.gaps.iter().cloned());
    lines.push(("history", history.join("; ")));
    lines
}

/// The whole survey as labelled lines, each with its evidence.
pub(crate) fn say(view: &SurveyView) -> Vec<(&'static str, String)> {
    let mut lines = say_index(&view.index);
    if !view.modules.is_empty() {
        let mut names: Vec<String> = view
            .modules
            .iter()
            .take(TOLD)
            .map(|module| format!("{} ({})", module.name, count(module.files, "file")))
            .collect();
        if view.modules.len() > TOLD {
            names.push(format!("{} more", view.modules.len() - TOLD));
        }
        lines.push(("modules", names.join(", ")));
    }
    let label = |at: usize, label| if at == 0 { label } else { "" };
    for (at, file) in view.hot.iter().enumerate() {
        lines.push((
            label(at, "hot spots"),
            format!("{}: {}", file.path, file.say()),
        ));
    }
    for (at, pair) in view.couplings.iter().enumerate() {
        let commits = count(pair.commits, "commit");
        let said = format!("{} and {}: {commits} together", pair.a, pair.b);
        lines.push((label(at, "couplings"), said));
    }
    for command in chief_commands(&view.commands) {
        lines.push((command.purpose, command.say()));
    }
    lines
}

/// The modules, with files that change together kept together.
pub(crate) fn map(index: &Index, history: &History) -> ModuleMap {
    let pairs = facts::co_changes(history, LEAST_TIMES, PAIRS);
    let most = pairs.iter().map(|pair| pair.weight).fold(1.0, f32::max);
    let together = pairs.into_iter().map(|pair| CoChange {
        a: pair.a,
        b: pair.b,
        weight: pair.weight / most,
    });
    index.map(together.collect())
}

/// The commands of all modules, each once.
pub(crate) fn commands(map: &ModuleMap) -> Vec<CommandView> {
    let modules = map.modules.iter();
    let all: BTreeSet<&Command> = modules.flat_map(|module| &module.commands).collect();
    all.into_iter().map(CommandView::new).collect()
}

/// The few commands a person needs: those for the whole project where there are any, else some of its parts'.
pub(crate) fn chief_commands(commands: &[CommandView]) -> Vec<&CommandView> {
    const OF_PARTS: usize = 3;
    let mut chief: Vec<&CommandView> = Vec::new();
    for command in commands {
        let same = |other: &&CommandView| other.purpose == command.purpose;
        let has_whole = commands
            .iter()
            .filter(same)
            .any(|other| other.folder.is_empty());
        let told = chief.iter().copied().filter(same).count();
        if command.folder.is_empty() || (!has_whole && told < OF_PARTS) {
            chief.push(command);
        }
    }
    chief
}

/// Files where much depends on what changes and breaks often, with what the history says of each.
pub(crate) fn hot_spots(index: &Index, history: &History, limit: usize) -> Vec<HotFileView> {
    /// A commit that fixed nothing is this much of one that did.
    const PLAIN_COMMIT: f32 = 0.2;
    let known: BTreeMap<String, FileFacts> = facts::file_facts(history)
        .into_iter()
        .map(|file| (file.path.clone(), file))
        .collect();
    let mut churn: Churn = known
        .iter()
        .filter(|(_, file)| file.commits > 0)
        .map(|(path, file)| (path.clone(), file.commits as f32 * PLAIN_COMMIT))
        .collect();
    for spot in facts::hot_spots(history, usize::MAX) {
        *churn.entry(spot.path).or_default() += spot.heat;
    }
    let spots = index.hot_spots(&churn, limit).into_iter();
    spots
        .filter(|spot| spot.score > 0.0)
        .map(|spot| {
            let path = index.snapshot().path(spot.file);
            let facts = known.get(path);
            HotFileView {
                path: path.to_owned(),
                score: rounded(spot.score),
                fixes: facts.map_or(0, |facts| facts.fixes),
                repeated_fixes: facts.map_or(0, |facts| facts.repeated_fixes),
                commits: facts.map_or(0, |facts| facts.commits),
                dependents: spot.dependents,
                lines: spot.lines,
            }
        })
        .collect()
}

/// Pairs of files that change together, strongest first.
fn couplings(history: &History, limit: usize) -> Vec<CouplingView> {
    let pairs = facts::co_changes(history, LEAST_TIMES, limit).into_iter();
    pairs
        .map(|pair| CouplingView {
            a: pair.a,
            b: pair.b,
            commits: pair.times,
        })
        .collect()
}

/// How many files there are of each language, most first.
pub(crate) fn languages(index: &Index) -> Vec<LanguageView> {
    let snapshot = index.snapshot();
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for file in snapshot.files() {
        if let Some(language) = snapshot.file(file).language.get() {
            *counts.entry(language.name.as_str()).or_default() += 1;
        }
    }
    let mut languages: Vec<LanguageView> = counts
        .into_iter()
        .map(|(name, files)| LanguageView { name, files })
        .collect();
    languages.sort_by_key(|language| std::cmp::Reverse(language.files));
    languages
}

/// `12 typescript, 3 python`.
pub(crate) fn say_languages(languages: &[LanguageView]) -> String {
    let words = languages.iter();
    let words = words.map(|language| format!("{} {}", language.files, language.name));
    words.collect::<Vec<_>>().join(", ")
}
