//! The stages as a search runs them, over real memories.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::payload::BuiltInType;
use oldhand_recall::candidate::{Candidate, gather, judge, nearest};
use oldhand_recall::diversify::diversify;
use oldhand_recall::fuse::{Method, fuse};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::plan::{DEPTH, Day, Plan, RecentWork, Time, plan};
use oldhand_recall::reread::{Reader, Spread, reread};
use oldhand_recall::score::{Emphasis, Situation, recent, score};
use oldhand_testkit::{memory, memory_id};

use crate::company;
use crate::systems::{Prepared, Scored};

/// Which stages run after the lanes are joined.
#[derive(Clone, Copy)]
pub(crate) enum Stages {
    /// The best are read closely; what is rare is known from the store, or only from the candidates.
    Reread(Known),
    Score(Emphasis),
    Diversify,
    /// What a search does.
    Search,
    /// The same, whatever the question says of when.
    Timeless,
    /// The same, where memories of one session lift each other by so much.
    Company(f64),
}

impl Stages {
    pub(crate) const ALL: [Self; 7] = [
        Self::Score(Emphasis::Relevance),
        Self::Score(Emphasis::Usefulness),
        Self::Diversify,
        Self::Reread(Known::Candidates),
        Self::Reread(Known::Store),
        Self::Search,
        Self::Timeless,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Score(Emphasis::Relevance) => {
                "… then scored for a search (dates of the sessions)"
            }
            Self::Score(Emphasis::Usefulness) => "… then scored as for an injection",
            Self::Diversify => "… then diversified",
            Self::Reread(Known::Candidates) => "… then read closely, rare among the candidates",
            Self::Reread(Known::Store) => "… then read closely, rare in the store",
            Self::Search => "**all stages of a search**",
            Self::Timeless => "… without the lane of age",
            Self::Company(_) => "… memories of one session lifting each other",
        }
    }
}

/// Where it is known from how rare a word is.
#[derive(Clone, Copy)]
pub(crate) enum Known {
    Candidates,
    Store,
}

/// What the lanes find together.
const KEPT: usize = 200;

pub(crate) fn answer(store: &Prepared, question: &str, stages: Stages) -> Vec<usize> {
    let known = match stages {
        Stages::Reread(known) => Some(known),
        Stages::Search | Stages::Timeless | Stages::Company(_) => Some(Known::Store),
        Stages::Score(_) | Stages::Diversify => None,
    };
    let mut plan = plan_for(store, question);
    if matches!(stages, Stages::Timeless) {
        plan = plan.of_any_time();
    }
    let (mut candidates, _) = read(store, question, &plan, known);
    if let Stages::Company(weight) = stages {
        company::lift(&mut candidates, &store.corpus.sessions, weight);
    }
    judge(&mut candidates, &plan, store.corpus.documents.len());
    let weigh = |emphasis, candidates: &mut Vec<_>| {
        let churn = BTreeMap::new();
        score(
            candidates,
            &Situation {
                now: now(),
                phase: None,
                churn: &churn,
                emphasis,
            },
        );
    };
    match stages {
        Stages::Score(emphasis) => weigh(emphasis, &mut candidates),
        Stages::Search | Stages::Timeless | Stages::Company(_) => {
            weigh(Emphasis::Relevance, &mut candidates);
        }
        Stages::Reread(_) => {}
        Stages::Diversify => {
            let vector =
                |candidate: &Candidate| store.vectors[number_of(candidate.memory.id)].clone();
            let vectors = candidates
                .iter()
                .map(|candidate| (candidate.memory.id, vector(candidate)))
                .collect();
            diversify(&mut candidates, &vectors);
        }
    }
    candidates
        .iter()
        .map(|candidate| number_of(candidate.memory.id))
        .collect()
}

/// Candidates after the lanes were joined and, where `known` says so, read closely; and the cosine of the nearest.
pub(crate) fn candidates(
    store: &Prepared,
    question: &str,
    known: Option<Known>,
) -> (Vec<Candidate>, f64) {
    let plan = plan_for(store, question);
    let (mut candidates, near) = read(store, question, &plan, known);
    judge(&mut candidates, &plan, store.corpus.documents.len());
    (candidates, near)
}

fn plan_for(store: &Prepared, question: &str) -> Plan {
    plan(question, RecentWork::Ordinary).for_model(store.model())
}

/// The same before they are judged.
fn read(
    store: &Prepared,
    question: &str,
    plan: &Plan,
    known: Option<Known>,
) -> (Vec<Candidate>, f64) {
    let numbered = store.lanes(plan, &store.embed(question), Scored::TextHitsToo);
    let mut lanes: Vec<Ranked<MemoryId>> = numbered
        .iter()
        .map(|ranked| {
            Ranked::new(
                ranked.lane,
                ranked.hits.iter().map(|hit| (id_of(hit.key), hit.score)),
            )
        })
        .collect();
    match plan.time {
        Time::Any => {}
        Time::Latest => lanes.push(newest(store)),
        Time::Around(day) => lanes.push(of_day(store, day, question, &lanes)),
    }
    let mut fused = fuse(&lanes, plan, Method::Standardised);
    fused.truncate(KEPT);
    let memories = fused
        .iter()
        .map(|item| memory_of(store, number_of(item.key), now()));
    let mut candidates = gather(&fused, memories.collect(), plan);
    let near = nearest(&fused);
    if let Some(known) = known {
        let embed = |words: &[&str]| store.embed_words(words);
        let with = |word: &str| store.text.spread(word);
        let spread = Spread {
            memories: store.corpus.documents.len(),
            with: &with,
        };
        let spread = matches!(known, Known::Store).then_some(spread);
        reread(
            &mut candidates,
            plan,
            Reader {
                embed: store.has_words().then_some(&embed),
                spread,
                ahead: &[],
            },
        );
    }
    (candidates, near)
}

/// What other lanes found that is of the day which a question counts back to, as a search does it.
fn of_day(
    store: &Prepared,
    day: Day,
    question: &str,
    lanes: &[Ranked<MemoryId>],
) -> Ranked<MemoryId> {
    let mut questions = store.corpus.questions.iter();
    let asked = questions.find(|asked| asked.text == question);
    let now = asked.and_then(|asked| asked.asked_at).unwrap_or_else(now);
    let around = day.around(now);
    Ranked::of_day(lanes, |id| {
        around.contains(&memory_of(store, number_of(*id), now).created_at)
    })
}

/// The lane of age, as a search asks it.
fn newest(store: &Prepared) -> Ranked<MemoryId> {
    let days = &store.corpus.days;
    let ages = (0..days.len()).map(|number| {
        let memory = memory_of(store, number, now());
        (memory.id, recent(&memory, now()))
    });
    let mut ranked = Ranked::new(Lane::Recent, ages);
    ranked.hits.truncate(DEPTH);
    ranked
}

pub(crate) fn now() -> Timestamp {
    Timestamp::from_second(1_700_000_000).expect("a moment of 2023")
}

/// A gotcha of the day it was said on: the type that ages fastest of those that hold lessons.
fn memory_of(store: &Prepared, number: usize, now: Timestamp) -> Memory {
    let text = &store.corpus.documents[number];
    let mut memory = memory(
        number as u32,
        BuiltInType::Gotcha,
        &text[..text.floor_char_boundary(2000)],
    );
    memory.created_at = now - store.corpus.age(number);
    memory.usage.last_accessed_at = memory.created_at;
    memory.files = BTreeSet::new();
    memory
}

fn id_of(number: usize) -> MemoryId {
    memory_id(number as u32)
}

pub(crate) fn number_of(id: MemoryId) -> usize {
    (id.uuid().as_u128() & 0xffff_ffff) as usize
}
