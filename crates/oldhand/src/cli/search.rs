//! `oldhand search`: memories, or pieces of code, by their words and their meaning.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anstyle::Style;
use anyhow::Result;
use oldhand_domain::filter::Filter;
use oldhand_domain::path::ProjectPath;
use oldhand_engine::{Answer, Asked, Reasons, SearchRequest, Shelf, Shelved, Weak};
use oldhand_recall::candidate::{BAR, Candidate, Judged, UNMEASURED};
use oldhand_recall::gate::{LeftOut, Refusal, Stale};
use oldhand_recall::plan::{QueryType, RecentWork, Time};

mod code;

use super::most::Most;
use super::narrow::Narrow;
use super::words::{has_words, joined};
use super::{Door, NOTHING_FOUND, tell_damaged};
use crate::card;
use crate::code::{keep_up, still};
use crate::desk::{Desk, Early, Purpose, Question};
use crate::out::Out;
use crate::out::time::count;
use crate::out::wrap::shorten;
use crate::view::memory::{AskedView, LeftOutView, ResultView, SearchView};

/// Find memories by their words and by what they mean, best first
#[derive(Default, clap::Args)]
#[cfg_attr(test, derive(Debug))]
#[command(after_help = "\
Examples:
  oldhand search migration order
  oldhand search \"connection refused\" --type error_pattern
  oldhand search cache --file src/api --json
  oldhand search what we decided --since 2w --type decision
  oldhand search --code retry after a timeout")]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Args {
    /// What to look for; camelCase and snake_case names are also found by their parts, what is known about a file that is named ("walk.rs") comes first, and what came "yesterday", "last week" (Monday to Sunday), "this month" or "two weeks ago" by when it came, in days of UTC
    #[arg(required = true)]
    query: Vec<OsString>,
    /// At most this many; 0 is all
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    limit: Option<Most>,
    /// Look among pieces of the project's code instead of memories; of more than 200 different words, for those that are in the fewest files
    #[arg(long, conflicts_with_all = [
        "stale", "near", "phase", "weak", "types", "tags", "modules", "sources", "scopes", "session", "branch", "min_confidence", "since", "until",
        "around", "recent", "personal",
    ])]
    code: bool,
    /// A file at hand: what is known about it and about the files beside it comes first; may be given several times
    #[arg(long, value_name = "PATH")]
    near: Vec<String>,
    /// Say why each result is where it is, and of a weak match, which is under 40 % likely, how likely it is
    #[arg(long)]
    explain: bool,
    /// Also show memories that no longer fit the code; they are marked
    #[arg(long)]
    stale: bool,
    /// Also show what is only somewhat near when nothing stands out
    #[arg(long)]
    weak: bool,
    #[command(flatten)]
    narrow: Narrow,
}

impl Args {
    /// A question without any options.
    pub(super) fn plain(query: Vec<OsString>) -> Self {
        Self {
            query,
            ..Self::default()
        }
    }
}

/// How many of those that were found and not shown are told.
const LEFT_OUT: usize = 5;
/// Said where a question is empty: that is no mistake, and nothing is found by it.
const NO_WORDS: &str = "there are no words to look for";

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let text = joined(&args.query);
    if args.code {
        return code::run(&text, args, door);
    }
    let begun = Cell::new(Some(Early::start(&text)));
    let question = Some(Question {
        begun: Some(&begun),
        ..Question::of(&text)
    });
    let is_swept = Cell::new(false);
    let open = |purpose| Desk::open_for(question, &door.environment, purpose, &door.out);
    let ask = |desk: &Desk| {
        desk.tell_look_alikes(&door.environment, &door.out)?;
        let near: BTreeSet<ProjectPath> = args
            .near
            .iter()
            .map(|file| desk.path(file))
            .collect::<Result<_>>()?;
        desk.tell_missing(&near, &door.out);
        let request = SearchRequest {
            shelf: args.narrow.shelf(),
            limit: args.limit.map_or(desk.settings.search_limit, Most::get),
            filter: args.narrow.clone().filter(desk, &door.out)?,
            stale: if args.stale {
                Stale::Shown
            } else {
                Stale::Hidden
            },
            near,
            recent: RecentWork::Ordinary,
            phase: args.narrow.phase(),
            weak: if args.weak { Weak::Shown } else { Weak::Hidden },
            reasons: match (args.explain, door.out.is_json()) {
                (true, _) => Reasons::ReadOfAll,
                (false, true) => Reasons::Read,
                (false, false) => Reasons::Unread,
            },
            text: text.clone(),
        };
        let meanings = desk.meanings(&door.out);
        let engine = desk.engine_with(&meanings);
        let (answer, has_departed) = still::search(&engine, &request, desk)?;
        let may_be_back = answer.results.is_empty() && stale_of(&answer).next().is_some();
        if (has_departed || may_be_back) && !is_swept.replace(true) {
            // What is gone may have moved, and what was gone may be back. Whatever is written down of that, the question is asked again.
            let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
            keep_up(&desk, &door.out);
        }
        let is_kept_back = answer.results.is_empty() && answer.asked.passing.is_some();
        let unfiltered = if is_kept_back && !door.out.is_json() {
            let request = SearchRequest {
                filter: Filter::default(),
                ..request
            };
            still::search(&engine, &request, desk)?.0.results.len()
        } else {
            0
        };
        Ok((meanings, answer, unfiltered))
    };
    let (mut desk, mut seen) = Desk::glance(&door.out, open, ask)?;
    if is_swept.get() {
        desk = open(Purpose::Look)?;
        seen = ask(&desk)?;
    }
    let (meanings, answer, unfiltered) = seen;
    let found = !answer.results.is_empty();
    let out = &mut door.out;
    if out.is_json() {
        let results = answer.results.iter();
        out.json(&SearchView {
            results: results
                .map(|(shelf, candidate)| ResultView::new(*shelf, candidate, desk.now))
                .collect(),
            asked: AskedView::new(&answer.asked),
            damaged: answer.damaged.iter().map(|(_, id)| *id).collect(),
            weak: answer.weak,
            behind: meanings.behind,
            left_out: answer
                .left_out
                .iter()
                .map(|(_, left)| LeftOutView {
                    id: left.id,
                    why: left.why.to_string(),
                })
                .collect(),
        })?;
    } else {
        if args.explain {
            let how = describe(&answer.asked);
            out.paragraph("", &how)?;
            writeln!(out)?;
        }
        for (at, (shelf, candidate)) in answer.results.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            let shelved = Shelved {
                shelf: *shelf,
                memory: candidate.memory.clone(),
            };
            card::found(out, &shelved, Some(&candidate.because), desk.now)?;
            if args.explain {
                if let Some(sentence) = candidate.where_said() {
                    out.paragraph("  ", &format!("… {sentence}"))?;
                }
                let why = candidate.because.to_string();
                out.paragraph("  ", &why)?;
            }
        }
        if let Some(nothing) = answer.asked.say_nothing_of().filter(|_| found) {
            out.note(&nothing);
        }
        let judged = |found: &Candidate| found.because.judged;
        let is_weak = |found: &Candidate| {
            judged(found) == Judged::ByRelevance && found.because.relevance < BAR
        };
        if found && answer.results.iter().all(|(_, found)| is_weak(found)) {
            out.note("none of these is likely to be what you look for");
        }
        let mut results = answer.results.iter();
        if results.any(|(_, found)| judged(found) == Judged::Unmeasured) {
            out.note(UNMEASURED);
        }
        if args.explain {
            for (_, left) in answer.left_out.iter().take(LEFT_OUT) {
                let head = format!("left out {}", left.id.short());
                let why = left.why.to_string();
                writeln!(out)?;
                let head = [("", Style::new(), head.as_str())];
                out.sentence("  ", &head, (": ", Style::new(), &why))?;
            }
        }
        if !found {
            let words = shorten(&text, out.width());
            let memories = answer.asked.memories;
            if !has_words(&text) {
                out.note(NO_WORDS);
                out.hint("`oldhand list` shows memories without a query");
            } else if args.narrow.shelf() == Some(Shelf::Personal) && !has_personal(&desk)? {
                out.note("no memory follows you from project to project yet");
                out.hint("`oldhand remember --personal TEXT` starts");
            } else if memories == 0 {
                out.note("nothing is remembered here yet");
                out.hint(
                    "`oldhand remember TEXT` starts; `oldhand init` also reads your rules files",
                );
            } else if answer.weak == 0 {
                match (stale_of(&answer).count(), answer.asked.passing) {
                    (0, Some(passing)) => {
                        let all = count(memories, "memory");
                        out.note(&format!(
                            "nothing says `{words}` among the {passing} of {all} that pass the filters"
                        ));
                        if unfiltered > 0 {
                            let answers = count(unfiltered, "answer");
                            out.hint(&format!("without the filters there would be {answers}"));
                        }
                    }
                    (0, None) => out.note(&format!("nothing says `{words}`")),
                    _ => out.note(&format!("nothing that still holds says `{words}`")),
                }
            } else {
                out.note(&format!("nothing is known about `{words}`"));
                let guesses = count(answer.weak, "memory");
                out.hint(&format!(
                    "--weak shows {guesses} that may have to do with it"
                ));
            }
        }
        tell_stale(&answer, out);
        tell_damaged(out, &answer.damaged);
    }
    // Elsewhere nobody could find out what became of them.
    if desk.location.git_dir.is_some() {
        tell_missing_files(&answer, &desk.location.root, out);
    }
    meanings.tell_damage(out);
    door.leave(desk, (answer, meanings));
    Ok(ExitCode::from(if found { 0 } else { NOTHING_FOUND }))
}

/// What was found and no longer fits the code, the likeliest first.
fn stale_of(answer: &Answer) -> impl Iterator<Item = &LeftOut<Refusal>> {
    let left_out = answer.left_out.iter().map(|(_, left)| left);
    left_out.filter(|left| matches!(left.why, Refusal::Stale { .. }))
}

/// Says that there is something stale where it would have been the answer, or the first of several.
fn tell_stale(answer: &Answer, out: &Out) {
    let first = answer.results.first().map(|(_, found)| &found.because);
    let would_stand_first = |left: &&LeftOut<Refusal>| match first {
        Some(first) => first.newest().is_none() && left.relevance > first.relevance,
        None => answer.weak == 0 || left.relevance >= BAR,
    };
    let stale = stale_of(answer).filter(would_stand_first).count();
    if stale > 0 {
        let of_them = if first.is_some() {
            " that would come first and that the code has left behind"
        } else {
            " that the code has left behind"
        };
        let stale = count(stale, "memory");
        out.hint(&format!("--stale shows {stale}{of_them}"));
    }
}

/// Says which of the results are about files that are not there, where nothing tells whether they ever were: they may be of another branch, or still to
/// be written.
fn tell_missing_files(answer: &Answer, root: &Path, out: &Out) {
    let results = answer.results.iter();
    let fresh =
        results.filter(|(shelf, found)| *shelf == Shelf::Project && found.memory.stale.is_none());
    let missing: Vec<&ProjectPath> = fresh
        .filter_map(|(_, found)| still::missing(&found.memory, root))
        .collect();
    if let Some(first) = missing.first() {
        let of = match missing.len() {
            1 => "one of these is about files that are not here".to_owned(),
            many => format!("{many} of these are about files that are not here"),
        };
        out.note(&format!("{of}: {first}"));
        out.hint("`oldhand map` marks as stale what is about files that were taken out");
    }
}

/// Whether anything follows this person.
fn has_personal(desk: &Desk) -> Result<bool> {
    let one = Filter {
        limit: Some(1),
        ..Filter::default()
    };
    let kept = desk.engine().list(Some(Shelf::Personal), &one)?;
    Ok(!kept.memories.is_empty())
}

/// What was looked for, and among how many, for a person.
fn describe(asked: &Asked) -> String {
    let words = match (asked.words.join(", "), asked.time) {
        (none, Some(Time::Latest)) if none.is_empty() => "what came last".to_owned(),
        (none, Some(Time::Around(day))) if none.is_empty() => format!("what came {day}"),
        (none, _) if none.is_empty() => "no word".to_owned(),
        (words, Some(Time::Latest)) => format!("the latest about {words}"),
        (words, Some(Time::Around(day))) => format!("{words}, first of {day}"),
        (words, _) => words,
    };
    let how = match asked.query_type {
        Some(QueryType::Identifier) => ", where names count more than meaning",
        _ => "",
    };
    let memories = count(asked.memories, "memory");
    let among = match asked.passing {
        Some(passing) => format!("{passing} of {memories} that pass the filters"),
        None => memories,
    };
    format!("looked for {words} among {among}{how}")
}
