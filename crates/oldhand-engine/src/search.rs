//! Finding memories by what they say and by what they mean.

mod found;
mod hands;
mod lanes;
mod replaced;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::Called;
use oldhand_domain::vocabulary::Phase;
use oldhand_recall::beside::{Surrounding, named_files};
use oldhand_recall::boost::best_files;
use oldhand_recall::candidate::{Candidate, may_speak, say_order, stands_out};
use oldhand_recall::chain::{Link, expand, pulled};
use oldhand_recall::gate::{LeftOut, Purpose, Refusal, Stale, refuse};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::named::Named;
use oldhand_recall::nearness::{Embed, Nearness};
use oldhand_recall::plan::{DEPTH, Day, Plan, QueryType, RecentWork, Said, Time, plan};
use oldhand_recall::rank::{self, Ranking, rank};
use oldhand_recall::reread::{Reader, Spread};
use oldhand_recall::score::{Emphasis, Situation};

use self::found::{Found, beside_first};
use self::hands::{EmbedWords, Hands, compare_meanwhile};
use crate::lookup::Shelved;
use crate::{Engine, EngineError, Shelf};

#[derive(Clone, Debug)]
pub struct SearchRequest {
    pub text: String,
    pub filter: Filter,
    /// `None` asks every shelf.
    pub shelf: Option<Shelf>,
    pub stale: Stale,
    /// Files at hand, beside those that the text names: what is known about them and about what stands beside them comes first among what fits.
    pub near: BTreeSet<ProjectPath>,
    /// What the asker did just before.
    pub recent: RecentWork,
    /// What kind of work the answer is for; its kinds of memory come first among equals.
    pub phase: Option<Phase>,
    pub weak: Weak,
    pub reasons: Reasons,
    pub limit: usize,
}

/// Why a memory does not fit the tree any more, though nobody wrote that down yet: for whoever can look at the files.
pub type WhyGone<'a> = &'a dyn Fn(&Memory) -> Option<String>;

/// Whether an answer is given of which nothing stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weak {
    Hidden,
    Shown,
}

/// Whether anybody will read why each answer is where it is: which words of the question it has takes a while to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reasons {
    Unread,
    Read,
    /// Also why others are not there that say what was asked: what was replaced is looked for by itself.
    ReadOfAll,
}

/// What was looked for, and among how many.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    pub query_type: Option<QueryType>,
    /// Whether what came last was asked for, or on a day.
    pub time: Option<Time>,
    /// The day that was asked for and has nothing: the answer is what came last.
    pub nothing_of: Option<Day>,
    /// The words of the question that say something.
    pub words: Vec<String>,
    pub memories: usize,
    /// How many the filters let through, where there are some.
    pub passing: Option<usize>,
}

impl Asked {
    /// That a day has nothing, for whoever is shown what came last instead.
    pub fn say_nothing_of(&self) -> Option<String> {
        let day = self.nothing_of?;
        Some(format!(
            "nothing is remembered of {day}: these are the newest"
        ))
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Best first.
    pub results: Vec<(Shelf, Candidate)>,
    /// Found, but not shown.
    pub left_out: Vec<(Shelf, LeftOut<Refusal>)>,
    pub damaged: Vec<(Shelf, MemoryId)>,
    /// How many were only somewhat near, and are not shown for that.
    pub weak: usize,
    pub asked: Asked,
    /// Whether anything in it speaks for itself; of what is volunteered, whether the task is near to anything.
    pub(crate) stands_out: bool,
}

impl Answer {
    pub fn shelved(&self) -> impl Iterator<Item = (Shelved, &Candidate)> {
        let shelve = |(shelf, candidate): &'_ (Shelf, Candidate)| Shelved {
            shelf: *shelf,
            memory: candidate.memory.clone(),
        };
        self.results
            .iter()
            .map(move |result| (shelve(result), &result.1))
    }
}

impl Engine<'_> {
    /// What `why_gone` says is gone is stale in this answer, whatever is written of it.
    pub fn search(
        &self,
        request: &SearchRequest,
        why_gone: WhyGone<'_>,
        now: Timestamp,
    ) -> Result<Answer, EngineError> {
        let situation = Situation {
            now,
            phase: request.phase,
            churn: &BTreeMap::new(),
            emphasis: Emphasis::Relevance,
        };
        let named = self.named_in(&request.text, request.shelf)?;
        let mut answer = self.recall(
            &Asking {
                text: &request.text,
                filter: &request.filter,
                shelf: request.shelf,
                purpose: Purpose::Search {
                    stale: request.stale,
                },
                named: &named,
                near: &request.near,
                recent: request.recent,
                before: 0,
                read: READ.max(request.limit + SPARE),
                why_gone: Some(why_gone),
            },
            &situation,
        )?;
        let plan = plan(&request.text, request.recent).for_model(self.embedder.model());
        answer
            .results
            .retain(|(_, candidate)| is_answer(candidate, &plan));
        if request.weak == Weak::Hidden && !answer.stands_out {
            answer.weak = std::mem::take(&mut answer.results).len();
        }
        leave_room(&mut answer.results, request.limit);
        answer.results.truncate(request.limit);
        if request.reasons == Reasons::ReadOfAll {
            let replaced = self.replaced(request, &plan, &situation)?;
            let known: BTreeSet<MemoryId> =
                answer.left_out.iter().map(|(_, left)| left.id).collect();
            let others = replaced.into_iter();
            let others = others.filter(|(_, left)| !known.contains(&left.id));
            answer.left_out.extend(others);
        }
        // The nearest first, whyever it is not shown.
        answer
            .left_out
            .sort_by(|(_, a), (_, b)| b.relevance.total_cmp(&a.relevance));
        if request.reasons != Reasons::Unread {
            for (_, candidate) in &mut answer.results {
                candidate.find_words(&plan);
            }
            say_order(answer.results.iter_mut().map(|(_, candidate)| candidate));
        }
        Ok(answer)
    }

    /// Runs the lanes of every shelf, reads the `read` best of each and ranks them together.
    pub(crate) fn recall(
        &self,
        asking: &Asking<'_>,
        situation: &Situation<'_>,
    ) -> Result<Answer, EngineError> {
        let mut plan = plan(asking.text, asking.recent).for_model(self.embedder.model());
        if matches!(asking.purpose, Purpose::Inject { .. }) {
            // That it is new is no reason to volunteer something.
            plan = plan.of_any_time();
        }
        let answer = self.recall_by(&plan, asking, situation)?;
        match plan.time {
            Time::Around(day) if plan.wants_newest() && answer.results.is_empty() => {
                let mut newest = self.recall_by(&plan.of_latest(), asking, situation)?;
                newest.asked.nothing_of = Some(day);
                Ok(newest)
            }
            _ => Ok(answer),
        }
    }

    fn recall_by(
        &self,
        plan: &Plan,
        asking: &Asking<'_>,
        situation: &Situation<'_>,
    ) -> Result<Answer, EngineError> {
        let Asking { text, shelf, .. } = *asking;
        let vector = self.embedder.embed_questions(&[text])?.pop();
        let vector = vector.unwrap_or_default();
        let question = Question {
            plan,
            vector: &vector,
            filter: asking.filter,
            purpose: asking.purpose,
            surrounding: self.around(asking.named, asking.near),
            now: situation.now,
            read: asking.read,
            why_gone: asking.why_gone,
        };
        let mut found = Found::default();
        found.spread.memories = asking.before;
        let embed = self.embed_words();
        let ask = |hands: &Hands| {
            let asked = |(at, _): &(Shelf, _)| shelf.is_none_or(|wanted| wanted == *at);
            let shelves: Vec<_> = self.shelves().filter(asked).collect();
            let mut beside = beside_first(&shelves, &question)?;
            for (at, store) in shelves {
                beside = found.add((at, store), self.vectors(at), &question, &beside, hands)?;
            }
            Ok::<_, EngineError>(found)
        };
        let (found, ahead) = compare_meanwhile(plan, embed.as_deref(), ask);
        let mut found = found?;
        let (ranking, shelves) = self.rank(&mut found, &question, situation, &ahead);
        let in_all = found.spread.memories;
        let mut candidates = ranking.candidates.iter();
        let stands_out = match asking.purpose {
            Purpose::Search { .. } => {
                candidates.any(|candidate| stands_out(candidate, plan, in_all))
            }
            Purpose::Inject { .. } => may_speak(ranking.nearest, plan, in_all),
        };
        let shelf_of = |id: &MemoryId| shelves.get(id).copied().unwrap_or(Shelf::Project);
        let results = ranking.candidates.into_iter();
        let left_out = ranking.left_out.into_iter();
        Ok(Answer {
            results: results
                .map(|candidate| (shelf_of(&candidate.memory.id), candidate))
                .collect(),
            left_out: left_out
                .map(|left_out| (shelf_of(&left_out.id), left_out))
                .collect(),
            damaged: found.damaged,
            weak: 0,
            asked: Asked {
                query_type: Some(plan.query_type),
                time: Some(plan.time),
                nothing_of: None,
                words: plan.words.clone(),
                memories: in_all,
                passing: found.passing,
            },
            stands_out,
        })
    }

    /// The vectors of words, for a close reading: of a model that is a sum of rows alone, which has them at hand. With any other a question would
    /// wait for as many answers as there are texts.
    fn embed_words(&self) -> Option<Box<EmbedWords<'_>>> {
        self.embedder.rows()?;
        Some(Box::new(|words| {
            self.embedder.embed(words).unwrap_or_default()
        }))
    }

    /// Ranks what all shelves found as if it were of one, and says which shelf each is of.
    fn rank(
        &self,
        found: &mut Found,
        question: &Question<'_>,
        situation: &Situation<'_>,
        ahead: &[Nearness],
    ) -> (Ranking, BTreeMap<MemoryId, Shelf>) {
        let churn = match (situation.emphasis, self.surroundings) {
            // Where usefulness only breaks ties, reading the history would cost more than it could change.
            (Emphasis::Usefulness, Some(code)) => {
                let about = found.memories.iter().flat_map(|(_, memory)| &memory.files);
                code.churn(&about.cloned().collect())
            }
            _ => BTreeMap::new(),
        };
        let situation = &Situation {
            churn: &churn,
            ..situation.clone()
        };
        let neighbours = |files: &BTreeSet<ProjectPath>| match self.surroundings {
            Some(code) if !files.is_empty() => code.neighbours(files),
            _ => BTreeSet::new(),
        };
        let shelved = std::mem::take(&mut found.memories);
        let shelves = shelved.iter().map(|(shelf, memory)| (memory.id, *shelf));
        let shelves = shelves.collect();
        let memories = shelved.into_iter().map(|(_, memory)| memory);
        let lanes: Vec<Ranked<MemoryId>> = found.lanes.values().cloned().collect();
        let embed = self.embed_words();
        let with = |word: &str| found.spread.words.get(word).copied().unwrap_or_default();
        let reader = Reader {
            embed: embed.as_deref().map(|embed| embed as &Embed<'_>),
            spread: Some(Spread {
                memories: found.spread.memories,
                with: &with,
            }),
            ahead,
        };
        let among = rank::Found {
            lanes: &lanes,
            memories: memories.collect(),
            vectors: &found.vectors,
            surrounding: &question.surrounding,
            neighbours: &neighbours,
        };
        let ranking = rank(question.plan, among, reader, question.purpose, situation);
        (ranking, shelves)
    }
}

/// What is asked of the memories, and for what.
pub(crate) struct Asking<'a> {
    pub(crate) text: &'a str,
    pub(crate) filter: &'a Filter,
    /// `None` asks every shelf.
    pub(crate) shelf: Option<Shelf>,
    pub(crate) purpose: Purpose,
    /// The files that the text names.
    pub(crate) named: &'a Named,
    /// Files at hand, beside those.
    pub(crate) near: &'a BTreeSet<ProjectPath>,
    pub(crate) recent: RecentWork,
    /// The memories of shelves that were asked the same already: how many there are in all is what one of them has to stand out of.
    pub(crate) before: usize,
    /// How many of the best are read from each shelf.
    pub(crate) read: usize,
    /// What is stale for this asking alone.
    pub(crate) why_gone: Option<WhyGone<'a>>,
}

/// What the project might say to a task unasked. `named` are the files that the task names; of those at hand something is known by itself.
pub(crate) fn asking<'a>(
    text: &'a str,
    named: &'a Named,
    filter: &'a Filter,
    purpose: Purpose,
) -> Asking<'a> {
    Asking {
        text,
        filter,
        shelf: Some(Shelf::Project),
        purpose,
        named,
        near: const { &BTreeSet::new() },
        recent: RecentWork::Ordinary,
        before: 0,
        read: READ,
        why_gone: None,
    }
}

impl Engine<'_> {
    /// The files that a text names, as far as memories of the shelf are about them; `None` asks every shelf.
    pub(crate) fn named_in(&self, text: &str, shelf: Option<Shelf>) -> Result<Named, EngineError> {
        let names = named_files(text);
        let mut called = Called::new();
        let asked = |(at, _): &(Shelf, _)| shelf.is_none_or(|wanted| wanted == *at);
        for (_, store) in self.shelves().filter(|at| !names.is_empty() && asked(at)) {
            for (name, files) in store.called(&names)? {
                called.entry(name).or_default().extend(files);
            }
        }
        Ok(Named::new(names, &called))
    }

    /// The files that are named or at hand, and what stands beside them.
    fn around(&self, named: &Named, near: &BTreeSet<ProjectPath>) -> Surrounding {
        let mut all = named.files();
        all.extend(near.iter().cloned());
        match self.surroundings {
            Some(code) if !all.is_empty() => {
                Surrounding::of(named, near, code.neighbours(&all), code.companions(&all))
            }
            _ => Surrounding::of(named, near, BTreeSet::new(), Vec::new()),
        }
    }

    /// What hangs together with the best answers: memories about files that nearly always change with theirs.
    pub(crate) fn expand(
        &self,
        results: &mut Vec<(Shelf, Candidate)>,
        purpose: Purpose,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        let Some(code) = self.surroundings else {
            return Ok(());
        };
        let mut project: Vec<Candidate> = results
            .iter()
            .filter(|(shelf, _)| *shelf == Shelf::Project)
            .map(|(_, candidate)| candidate.clone())
            .collect();
        let files = best_files(&project);
        if files.is_empty() {
            return Ok(());
        }
        let links: Vec<Link> = code
            .companions(&files)
            .into_iter()
            .map(|(from, to, strength)| Link { from, to, strength })
            .collect();
        let pulled = pulled(&project, &links);
        if pulled.is_empty() {
            return Ok(());
        }
        let mut about = self.project.list(&Filter {
            files: pulled.into_iter().collect(),
            limit: Some(DEPTH),
            ..Filter::default()
        })?;
        about
            .memories
            .retain(|memory| refuse(memory, purpose, now).is_none());
        let known = project.len();
        expand(&mut project, &links, about.memories);
        let added = project.into_iter().skip(known);
        results.extend(added.map(|candidate| (Shelf::Project, candidate)));
        Ok(())
    }
}

/// How many parts of one text are shown in an answer: more would push other answers out.
const PARTS: usize = 2;

/// Keeps the best parts of each text that was cut, unless there is room for all.
fn leave_room(results: &mut Vec<(Shelf, Candidate)>, limit: usize) {
    let mut shown: BTreeMap<MemoryId, usize> = BTreeMap::new();
    results.retain(|(_, candidate)| {
        let parts = shown.entry(candidate.memory.family()).or_default();
        *parts += 1;
        *parts <= PARTS || limit > DEPTH
    });
}

/// What is not even as near as nonsense comes to one of so few memories is no answer, however few there are.
const FEW: usize = 25;

/// Something is always nearest. Without a word in common it only counts when it is really near, where it is known what that is.
fn is_answer(candidate: &Candidate, plan: &Plan) -> bool {
    if candidate.because.name().is_some() {
        return true;
    }
    let near = plan.calibration.map(|known| known.by_chance(FEW));
    candidate.because.lanes.iter().any(|part| match part.lane {
        Lane::Text => true,
        Lane::Dense => near.is_none_or(|near| part.score >= near),
        Lane::Recent => plan.said == Said::Nothing,
        Lane::Graph => false,
    })
}

/// How many of the best are read from the store at least, and closely: what is behind them is hardly ever an answer. docs/decisions/0009
pub(crate) const READ: usize = 24;
/// How many are read at most where few of these may be said, each time four times as many: all that the lanes find.
const DEEPEST: usize = 4 * DEPTH;
/// How many more than are asked for: some of what is read turns out not to be shown.
const SPARE: usize = 16;
/// So many of what the lanes found may be gone before they are asked for what lives.
pub(crate) const GONE: usize = 8;

/// One question, as every shelf is asked it.
struct Question<'a> {
    plan: &'a Plan,
    vector: &'a [f32],
    filter: &'a Filter,
    purpose: Purpose,
    surrounding: Surrounding,
    now: Timestamp,
    /// How many of the best are read from the store.
    read: usize,
    why_gone: Option<WhyGone<'a>>,
}
