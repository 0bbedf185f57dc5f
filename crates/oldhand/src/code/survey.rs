//! Everything the tree and its history say before anyone has worked here: what `map`, `hot`, `init` and `reindex` tell.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_code::answer::hot::Churn;
use oldhand_code::answer::map::{CoChange, Command, ModuleMap};
use oldhand_code::history::coupled::is_listed_last;
use oldhand_code::history::facts::{self, CommitName, FileFacts, Reversal};
use oldhand_code::history::log::History;
use oldhand_code::index::Index;
use oldhand_observe::outcome::commands::is_own_name;

use super::describe_gap;
use crate::out::time::count;
use crate::view::graph::{
    CommandView, CouplingView, HotFileView, IndexView, LanguageView, ModuleCouplingView,
    ModuleNameView, ReversalView, SurveyView, rounded,
};

/// Pairs that the map is grown with.
const PAIRS: usize = 20_000;
/// Fewer common commits are chance.
const LEAST_TIMES: usize = 3;
/// What one screen holds of each kind.
const TOLD: usize = 5;

/// Everything, for one screen.
pub(crate) fn survey(index: &Index, history: &History, named: Vec<CommandView>) -> SurveyView {
    let map = map(index, history);
    let modules = map.modules.iter().map(|module| ModuleNameView {
        name: module.name.clone(),
        folder: module.folder.clone(),
        files: module.files.len(),
    });
    let module_couplings = module_couplings(index, history, &map);
    let reversals = facts::reversals(history);
    let mut hot = hot_spots(index, history, TOLD);
    // In a young project every file is among the hottest; a few commits are no evidence.
    hot.retain(|file| file.fixes > 0 || file.commits >= LEAST_TIMES);
    SurveyView {
        index: describe_index(index, history),
        modules: modules.collect(),
        hot,
        couplings: couplings(history, TOLD),
        module_couplings,
        reversals: reversals.len(),
        taken_back: reversals
            .iter()
            .rev()
            .take(TOLD)
            .map(describe_reversal)
            .collect(),
        commands: with_named(commands(&map), named),
    }
}

/// The commands that a project names itself stand for what manifests of their kind usually mean.
fn with_named(mut all: Vec<CommandView>, named: Vec<CommandView>) -> Vec<CommandView> {
    for own in named {
        let is_usual = |other: &CommandView| {
            other.purpose == own.purpose && other.folder.is_empty() && !is_own_name(&other.line)
        };
        let is_same = |other: &CommandView| {
            other.folder.is_empty() && without_run(&other.line) == without_run(&own.line)
        };
        all.retain(|other| !is_usual(other) && !is_same(other));
        all.push(own);
    }
    all.sort_by(|a, b| (a.purpose, &a.folder, &a.line).cmp(&(b.purpose, &b.folder, &b.line)));
    all
}

/// `pnpm run build` is `pnpm build`.
fn without_run(line: &str) -> String {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let runs_scripts = |manager: &str| ["bun", "npm", "pnpm", "yarn"].contains(&manager);
    if words.len() > 2 && words[1] == "run" && runs_scripts(words[0]) {
        words.remove(1);
    }
    words.join(" ")
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
    for (at, pair) in view.module_couplings.iter().enumerate() {
        let said = format!(
            "{} and {}: {} of files change together, one of them in {}",
            pair.a,
            pair.b,
            count(pair.pairs, "pair"),
            count(pair.commits, "commit")
        );
        lines.push((label(at, "together"), said));
    }
    if view.reversals > 0 {
        let newest = view.taken_back.first().map(say_reversal);
        let newest = newest.map_or_else(String::new, |newest| format!("; last {newest}"));
        let commits = count(view.reversals, "commit");
        lines.push(("taken back", format!("{commits}{newest}")));
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
    let mut chains: BTreeMap<String, usize> = BTreeMap::new();
    for chain in facts::fix_chains(history) {
        let longest = chains.entry(chain.path).or_default();
        *longest = (*longest).max(chain.fixes.len());
    }
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
    // Where one person wrote everything, nobody has to be told who.
    let authors = known.values().flat_map(|file| &file.authors);
    let authors: BTreeSet<&str> = authors.map(|(name, _)| name.as_str()).collect();
    let has_owners = authors.len() > 1;
    let spots = index.hot_spots(&churn, limit).into_iter();
    spots
        .filter(|spot| spot.score > 0.0)
        .map(|spot| {
            let path = index.snapshot().path(spot.file);
            let facts = known.get(path);
            let owner = facts.filter(|_| has_owners).and_then(FileFacts::owner);
            HotFileView {
                path: path.to_owned(),
                score: rounded(spot.score),
                fixes: facts.map_or(0, |facts| facts.fixes),
                repeated_fixes: facts.map_or(0, |facts| facts.repeated_fixes),
                longest_chain: chains.get(path).copied().unwrap_or_default(),
                reverted: facts.map_or(0, |facts| facts.reverted),
                commits: facts.map_or(0, |facts| facts.commits),
                changes_a_month: facts.map_or(0.0, |facts| rounded(facts.volatility)),
                owner: owner.map(|(name, _)| name.to_owned()),
                owner_share: owner.map(|(_, share)| rounded(share)),
                dependents: spot.dependents,
                lines: spot.lines,
            }
        })
        .collect()
}

/// Modules that hang together by what changes in them: at least three pairs of files, each changed together at least as often as
/// sessions of agents would have to show it. A module of everything hangs together with nothing in particular.
fn module_couplings(index: &Index, history: &History, map: &ModuleMap) -> Vec<ModuleCouplingView> {
    const LEAST_PAIRS: usize = 3;
    const LEAST_COMMITS: usize = 5;
    const MODULES: usize = 3;
    let snapshot = index.snapshot();
    let mut module_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, module) in map.modules.iter().enumerate() {
        module_of.extend(module.files.iter().map(|file| (snapshot.path(*file), at)));
    }
    let mut found: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    for pair in facts::co_changes(history, LEAST_COMMITS, PAIRS) {
        let modules = (
            module_of.get(pair.a.as_str()),
            module_of.get(pair.b.as_str()),
        );
        if let (Some(a), Some(b)) = modules
            && a != b
        {
            let (pairs, commits) = found.entry((*a.min(b), *a.max(b))).or_default();
            *pairs += 1;
            *commits = (*commits).max(pair.times);
        }
    }
    let name = |at: usize| map.modules[at].name.clone();
    let kept = found
        .into_iter()
        .filter(|(_, (pairs, _))| *pairs >= LEAST_PAIRS);
    let mut couplings: Vec<ModuleCouplingView> = kept
        .map(|((a, b), (pairs, commits))| ModuleCouplingView {
            a: name(a),
            b: name(b),
            pairs,
            commits,
        })
        .collect();
    couplings.sort_by_key(|pair| std::cmp::Reverse((pair.pairs, pair.commits)));
    couplings.truncate(MODULES);
    couplings
}

fn describe_reversal(reversal: &Reversal) -> ReversalView {
    const DIGITS: usize = 8;
    let short = |commit: &CommitName| commit.id[..DIGITS].to_owned();
    ReversalView {
        by: short(&reversal.by),
        of: reversal.of.as_ref().map(short),
        paths: reversal.paths.clone(),
    }
}

/// `1a2b3c4d took back 5e6f7a8b (src/a.rs and 3 more files)`.
fn say_reversal(reversal: &ReversalView) -> String {
    let of = reversal.of.as_deref().unwrap_or("an older commit");
    let files = match reversal.paths.as_slice() {
        [] => String::new(),
        [only] => format!(" ({only})"),
        [first, rest @ ..] => format!(" ({first} and {})", count(rest.len(), "more file")),
    };
    format!("{} took back {of}{files}", reversal.by)
}

/// Pairs of files that change together, strongest first, but source before what goes with nearly every change.
fn couplings(history: &History, limit: usize) -> Vec<CouplingView> {
    let goes_with_all = |pair: &facts::CoChange| {
        is_listed_last(&pair.a, &pair.b, 0.0) || is_listed_last(&pair.b, &pair.a, 0.0)
    };
    let pairs = facts::co_changes(history, LEAST_TIMES, PAIRS).into_iter();
    let (last, first): (Vec<_>, Vec<_>) = pairs.partition(goes_with_all);
    let pairs = first.into_iter().chain(last).take(limit);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_that_is_named_with_and_without_run_is_one_command() {
        let command = |line: &str| CommandView {
            purpose: "build",
            line: line.to_owned(),
            folder: String::new(),
        };
        let all = with_named(vec![command("pnpm run build")], vec![command("pnpm build")]);
        let lines: Vec<&str> = all.iter().map(|one| one.line.as_str()).collect();
        assert_eq!(lines, ["pnpm build"]);
    }
}
