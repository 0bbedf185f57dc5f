//! `oldhand where`: where is it?

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_code::answer::find::{Match, Reason};
use oldhand_code::chunk::Chunk;
use oldhand_code::concordance::Concordance;
use oldhand_code::index::Index;
use oldhand_code::passage::passages;
use oldhand_code::question::Question;
use oldhand_code::snapshot::{NodeId, Snapshot};
use oldhand_domain::words::{split, stem};
use oldhand_engine::code_search::COMPARED;

use super::impact::show_node;
use super::most::Most;
use super::words::joined;
use super::{Door, NOTHING_FOUND, refuse_empty};
use crate::code::pieces::{order, say_left_out};
use crate::code::{self, file_of, name_of};
use crate::desk::Desk;
use crate::out::style::{FAINT, STRONG};
use crate::out::wrap::shorten;
use crate::view::graph::{MatchView, NodeView, WhereView, WordsView, rounded};

/// Find files and definitions by name, part of a name, or words of what they do
///
/// Of more than 200 different words, those are looked for that are in the fewest files.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand where parseHeader
  oldhand where retry after a timeout
  oldhand where auth --json")]
pub(crate) struct Args {
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<OsString>,
    /// At most this many; 0 is all
    #[arg(
        long,
        short = 'n',
        value_name = "N",
        allow_negative_numbers = true,
        default_value = "10"
    )]
    limit: Most,
}

/// Files told because of their text alone.
const FILES: usize = 5;

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let whole = joined(&args.words);
    refuse_empty(Some(&whole), "`oldhand map` shows what there is")?;
    let desk = code::open_desk(&door.environment, &door.out)?;
    let index = code::open_index(&desk, &door.out)?;
    // Names are known without the words of files, as on a disk that is full.
    let words = code::open_words(&desk);
    if let Err(error) = &words {
        door.out.note(&format!(
            "files are not looked for by their text: {error:#}"
        ));
    }
    let cut = Question::of(&whole, words.as_ref().ok());
    let question = cut.as_str();
    let snapshot = index.snapshot();
    let mut matches = index.find(question, args.limit.get());
    // Who writes a name as code does wants what is called so, not what shares a word with it.
    let is_exact = code::is_code(question.trim()) && {
        let named = index.locate(question);
        let is_named = |found: &Match| found.reason == Reason::Name || named.contains(&found.node);
        let is_found = matches.iter().any(is_named);
        if is_found {
            matches.retain(|found| is_named(found) || found.reason <= Reason::StartOfName);
        }
        is_found
    };
    let is_sentence = question.split_whitespace().nth(1).is_some() && !is_exact;
    if is_sentence && let Ok(words) = &words {
        let most = args.limit.get();
        let said = find_said(&desk, &index, words, question, most)?;
        matches = put_after_names(matches, said, most);
    }
    let is_loose = is_sentence && matches.iter().all(|found| !is_name(found.reason));
    let asked = split(question);
    let asked = asked.iter().map(|word| (stem(word), 1.0));
    let most = args.limit.get() + FILES;
    let mut files = words.map_or_else(|_| Vec::new(), |words| words.search(asked, most));
    files.retain(|(path, _)| {
        let mut shown = matches.iter().map(|found| file_of(snapshot, found.node));
        !shown.any(|known| known == path)
    });
    files.truncate(if is_exact { 0 } else { FILES });
    let found = !matches.is_empty() || !files.is_empty();
    let out = &mut door.out;
    if cut.left_out() > 0 {
        out.note(&say_left_out(cut.left_out()));
    }
    if is_loose && !matches.is_empty() {
        out.note("nothing is called exactly so; what speaks of it most comes first");
    }
    if out.is_json() {
        let matches = matches.iter().map(|found| MatchView {
            node: NodeView::new(snapshot, found.node),
            score: rounded(found.score),
            because: found.reason.as_str(),
        });
        let files = files.into_iter().map(|(path, score)| WordsView {
            path,
            score: rounded(score as f32),
        });
        out.json(&WhereView {
            matches: matches.collect(),
            files: files.collect(),
        })?;
    } else {
        for found in &matches {
            let node = found.node;
            let (path, why) = (file_of(snapshot, node), say(found.reason));
            if name_of(snapshot, node).is_some() {
                let symbol = snapshot.symbol(node);
                show_node(snapshot, node, out)?;
                let said = symbol.doc.lines().find(|line| !line.trim().is_empty());
                let said = said.map_or(symbol.signature, str::trim);
                let said = shorten(said, out.width().saturating_sub(2));
                if !said.is_empty() {
                    writeln!(out, "  {said}")?;
                }
            } else {
                out.pieces("  ", &[("", STRONG, path), ("  ", FAINT, why)])?;
            }
        }
        if !files.is_empty() {
            let title = "Files whose text says it";
            let gap = if matches.is_empty() { "" } else { "\n" };
            writeln!(out, "{gap}{STRONG}{title}{STRONG:#}")?;
            for (path, _) in &files {
                writeln!(out, "  {path}")?;
            }
        }
        if !found {
            let asked = shorten(&whole, out.width());
            out.note(&format!("nothing here is called `{asked}` or speaks of it"));
        }
    }
    Ok(ExitCode::from(if found { 0 } else { NOTHING_FOUND }))
}

fn is_name(reason: Reason) -> bool {
    matches!(reason, Reason::Name | Reason::NameInOtherCase)
}

/// The definitions whose code says it, in the order of `search --code`.
fn find_said(
    desk: &Desk,
    index: &Index,
    words: &Concordance,
    question: &str,
    most: usize,
) -> Result<Vec<Match>> {
    let found = passages(index, words, question, &[], COMPARED.max(most));
    let best = order(desk.settings.embedder(), question, &found, most)?;
    let matches = best.iter().filter_map(|one| {
        let chunk = &found[one.piece].chunk;
        Some(Match {
            node: node_of(index.snapshot(), chunk, question)?,
            score: one.score as f32,
            reason: Reason::Code,
        })
    });
    Ok(matches.collect())
}

/// What a piece defines; of several definitions the one whose name and words fit best, of equals the first. The file where it defines nothing.
fn node_of(snapshot: &Snapshot, chunk: &Chunk, question: &str) -> Option<NodeId> {
    let file = snapshot.find_file(&chunk.path)?;
    let asked = split(question);
    let fits = |node: &NodeId| {
        let symbol = snapshot.symbol(*node);
        let said = split(&format!("{} {}", symbol.signature, symbol.doc));
        let said: BTreeSet<&str> = said.iter().map(|word| stem(word)).collect();
        asked
            .iter()
            .filter(|word| said.contains(stem(word)))
            .count()
    };
    let is_named = |node: &NodeId| {
        let mut names = chunk.name.split(", ");
        names.any(|name| name.rsplit(['.', ':']).next() == Some(snapshot.name(*node)))
    };
    let is_inside = |node: &NodeId| {
        let symbol = snapshot.symbol(*node);
        symbol.first_line <= chunk.last_line && symbol.last_line >= chunk.first_line
    };
    let defined = snapshot.symbols_in(file).filter(is_inside).filter(is_named);
    // The last of equals is taken, and the first is wanted.
    let best = defined
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .max_by_key(fits);
    Some(best.unwrap_or(file))
}

/// What is called so, then what says so, then the rest.
fn put_after_names(matches: Vec<Match>, said: Vec<Match>, most: usize) -> Vec<Match> {
    let (names, rest): (Vec<_>, Vec<_>) =
        matches.into_iter().partition(|found| is_name(found.reason));
    let mut known = BTreeSet::new();
    let all = names.into_iter().chain(said).chain(rest);
    all.filter(|found| known.insert(found.node))
        .take(most)
        .collect()
}

fn say(reason: Reason) -> &'static str {
    match reason {
        Reason::Name | Reason::NameInOtherCase => "by its name",
        Reason::StartOfName | Reason::WordsOfName => "by part of its name",
        Reason::WordsOfPath => "by its path",
        Reason::WordsOfDoc => "by what it says of itself",
        Reason::Code => "by what it says",
    }
}
