//! Which candidates become memories, and for each of the others why not.
//!
//! The order of the gates is the order of [`promote`]. Nothing is decided silently: every candidate leaves with a [`Verdict`].

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::confidence::{BARS, Confidence};
use oldhand_domain::event::SessionType;
use oldhand_domain::id::MemoryId;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::signal::{SESSIONS_WHEN_EDITED, SignalKind, VALUE_FLOOR};
use oldhand_domain::taint::{OutsideText, TAINTED_FACTOR, Taint};
use oldhand_domain::vocabulary::ReviewReason;

use crate::distill::{Candidate, Frequency, Origin};
use crate::fold::{SessionAnalytics, Sight};
use crate::outcome::judgement::{Judgement, WorkVerdict};

mod gate;
mod merge;
mod sureness;
mod telling;
mod verdict;

pub use gate::{Complexity, Gate, GateRule};
#[cfg(test)]
use merge::merge;
pub use merge::merge_into;
pub(crate) use sureness::{CHANGED, cautious_share};
use sureness::{module_sessions, rarer_sessions, sureness};
use telling::{is_common, telling};
pub use verdict::{Dropped, Promotion, Report, Verdict};

/// What is known beside the candidates.
#[derive(Clone, Debug)]
pub struct Circumstances<'a> {
    pub session_type: SessionType,
    pub sight: Sight,
    pub judgement: &'a Judgement,
    pub complexity: Complexity,
    pub frequency: &'a Frequency,
    /// The nearest memory of each candidate, by key, where one is near.
    pub neighbours: &'a BTreeMap<String, Neighbour>,
    /// Candidates, by key, that may not pass whatever they are worth, and why.
    pub barred: &'a BTreeMap<String, Dropped>,
    /// How many memories this session taught before, subtask by subtask.
    pub taught_before: usize,
    pub feedback: Feedback,
}

/// A memory that already says something close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    pub memory: MemoryId,
    pub cosine: f64,
    pub confidence: Confidence,
    pub says: Says,
}

/// How a memory that is near relates to a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// Something in like words.
    Alike,
    /// The very same statement, made by an earlier session: it is told again with fresher numbers.
    TheSame,
    /// The same statement, which a person has judged or taken out since.
    Settled,
}

/// What people made of observer memories so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    /// All that there are, rejected ones included.
    pub observed: u32,
    pub rejected: u32,
}

/// Above this share of rejections every threshold rises.
const REJECTED_SHARE: f64 = 0.3;
const RAISED: f64 = 1.2;

impl Feedback {
    fn factor(self) -> f64 {
        let share = f64::from(self.rejected) / f64::from(self.observed.max(1));
        if share > REJECTED_SHARE { RAISED } else { 1.0 }
    }
}

/// Above this cosine a candidate is known already.
pub const KNOWN: f64 = 0.88;
/// How much surer it must be to change what is known.
const SURER: f64 = 0.1;
/// What outside text costs in the score.
const TAINT_COST: f64 = 0.3;

/// What happens in more than this share of cases is usual.
const USUAL: f64 = 0.5;
/// Pairs less sure than this held in a third of later sessions of real projects, surer ones in almost
/// two thirds.
const SURE_PAIR: f64 = 0.5;
/// Five sessions of five, or eight of nine: where work begins.
const SURE_BEGINNING: f64 = 0.55;
/// Three sessions of three, or seven of nine: a habit.
const SURE_HABIT: f64 = 0.43;
/// A burst of work joins everything it touches: the surest pairs of a session say enough.
const PAIRS_A_SESSION: usize = 3;
/// A module with fewer sessions has no habits yet.
const MODULE_HABIT: u32 = 3;

/// What a person said in so many sessions they need not say once more.
const SAID_OFTEN: u32 = 3;
/// What so many sessions show together waits for nobody's word.
const WITNESSES: usize = 10;

/// As sure as a memory must be to be told unasked at the level of trust that every project begins with.
const TOLD_UNASKED: f64 = BARS[2];

/// With more subtasks than this, each is promoted as it validates.
pub const SUBTASKS_APART: usize = 5;

/// Decides over all candidates, the most urgent first.
pub fn promote(candidates: Vec<Candidate>, circumstances: &Circumstances<'_>) -> Report {
    let gate = Gate::of(circumstances.session_type, circumstances.judgement);
    let limit = gate.limit.min(circumstances.complexity.limit());
    let mut report = Report {
        gate,
        limit,
        verdicts: Vec::new(),
    };
    let mut told: BTreeSet<(Option<BuiltInType>, BTreeSet<String>)> = BTreeSet::new();
    let mut promoted = circumstances.taught_before;
    let mut pairs = 0;
    for (mut candidate, decided) in decide_all(candidates, gate, circumstances) {
        if is_of_a_page(&candidate) {
            candidate.taint = candidate.taint.join(&Taint::by(OutsideText::Web));
        }
        let verdict = decided.and_then(|promotion| {
            let subject = (
                candidate.built_in(),
                candidate.files.iter().map(ToString::to_string).collect(),
            );
            // Two problems of one file are two.
            let repeats = candidate.origin != Origin::Qa
                && !candidate.files.is_empty()
                && candidate.fingerprints.is_empty()
                && told.contains(&subject);
            if repeats {
                return Err(Dropped::ToldAlready);
            }
            // What is told again takes no room, nor does what is not of this session alone.
            if promotion.updates.is_none() && candidate.origin != Origin::Many {
                if candidate.origin == Origin::Signal(SignalKind::CoAccess) {
                    if pairs >= PAIRS_A_SESSION {
                        return Err(Dropped::EnoughPairs {
                            limit: PAIRS_A_SESSION,
                        });
                    }
                    pairs += 1;
                }
                if promoted >= limit {
                    return Err(Dropped::OverLimit { limit });
                }
                promoted += 1;
            }
            told.insert(subject);
            Ok(promotion)
        });
        let verdict = match verdict {
            Ok(promotion) => Verdict::Promoted(promotion),
            Err(dropped) => Verdict::Dropped(dropped),
        };
        report.verdicts.push((candidate, verdict));
    }
    report
}

/// Decides over each by itself; of those that make one statement only the surest passes, and before it one that agents may be
/// told without a review.
fn decide_all(
    candidates: Vec<Candidate>,
    gate: Gate,
    circumstances: &Circumstances<'_>,
) -> Vec<(Candidate, Result<Promotion, Dropped>)> {
    let mut decided: Vec<_> = candidates
        .into_iter()
        .map(|candidate| {
            let promotion = decide(&candidate, gate, circumstances);
            (candidate, promotion)
        })
        .collect();
    let mut surest: BTreeMap<String, usize> = BTreeMap::new();
    for at in 0..decided.len() {
        let Ok(promotion) = &decided[at].1 else {
            continue;
        };
        let rank = |promotion: &Promotion| (promotion.review.is_none(), promotion.confidence);
        let statement = decided[at].0.told_as();
        let beaten = match surest.get(&statement) {
            Some(&other)
                if decided[other]
                    .1
                    .as_ref()
                    .is_ok_and(|known| rank(promotion) <= rank(known)) =>
            {
                at
            }
            other => {
                let other = other.copied();
                surest.insert(statement, at);
                let Some(other) = other else { continue };
                other
            }
        };
        decided[beaten].1 = Err(Dropped::ToldAlready);
    }
    decided
}

/// Whether a candidate passes every gate that asks nothing of what is remembered: only then is it worth comparing with that.
pub fn may_pass(candidate: &Candidate, circumstances: &Circumstances<'_>) -> bool {
    let gate = Gate::of(circumstances.session_type, circumstances.judgement);
    decide(candidate, gate, circumstances).is_ok()
}

fn decide(
    candidate: &Candidate,
    gate: Gate,
    circumstances: &Circumstances<'_>,
) -> Result<Promotion, Dropped> {
    if let Some(barred) = circumstances.barred.get(&candidate.key) {
        return Err(barred.clone());
    }
    if let Some(unfit) = &candidate.unfit {
        return Err(unfit.clone());
    }
    let rule = gate.admits(candidate)?;
    if circumstances.complexity == Complexity::Trivial
        && candidate.built_in() == Some(BuiltInType::WorkflowRecipe)
    {
        return Err(Dropped::TooSmall);
    }
    if is_common(candidate) {
        return Err(Dropped::Common);
    }
    if candidate.priority < VALUE_FLOOR {
        return Err(Dropped::Worthless {
            value: candidate.priority,
        });
    }
    frequency(candidate, rule, circumstances.frequency)?;
    let sure = sureness(candidate, circumstances.frequency);
    let least = match candidate.origin {
        Origin::Signal(SignalKind::TestOrder) => SURE_HABIT,
        Origin::Signal(SignalKind::FileAccess) => SURE_BEGINNING,
        _ if candidate.pair().is_some() => SURE_PAIR,
        _ => 0.0,
    };
    if sure.get() < least {
        return Err(Dropped::NotSure { confidence: sure });
    }
    telling(candidate, circumstances.frequency)?;
    let mut confidence = Confidence::clamped(sure.get() - rule.lowered);
    let near = novelty(candidate, confidence, circumstances)?;
    // What many sessions show does not hang on the one that happens to bring it up, nor does what a person found.
    let unseen =
        !candidate.stands_alone() && (gate.needs_review || circumstances.sight == Sight::WordsOnly);
    let mut score = 0.5 * candidate.priority + 0.5 * confidence.get();
    if !candidate.taint.is_clean() {
        confidence = confidence.scaled(TAINTED_FACTOR);
        if !only_counts(candidate) {
            score -= TAINT_COST;
        }
    }
    // Where it leads is outside text. That it was gone there is not, so that the score stands.
    if is_of_a_page(candidate) && candidate.taint.is_clean() {
        confidence = confidence.scaled(TAINTED_FACTOR);
    }
    let threshold = threshold(candidate.built_in()) * circumstances.feedback.factor();
    if score < threshold {
        return Err(Dropped::UnderThreshold { score, threshold });
    }
    // Recipes, what few sessions say and what was picked from somebody's words are guesses until a person says so; so is whom to send elsewhere.
    let guessed = candidate.claim.is_some()
        || candidate.is_found_again()
        || candidate.built_in() == Some(BuiltInType::WorkflowRecipe)
        || matches!(
            candidate.origin,
            Origin::Synthesis | Origin::Signal(SignalKind::SelfCorrection | SignalKind::Backtrack)
        )
        || candidate.origin == Origin::Person
            && circumstances.frequency.sessions(&candidate.key) < SAID_OFTEN;
    // What is not sure enough to be told unasked would be neither told nor asked about.
    let unsure = is_observed(candidate) && confidence.get() < TOLD_UNASKED;
    let of_many = candidate.origin == Origin::Many;
    let shown = match candidate.witnesses.len() {
        0 => circumstances.frequency.sessions(&candidate.key) as usize,
        witnesses => witnesses,
    };
    let git = circumstances.frequency.borne_out(candidate);
    let few = (of_many || candidate.edited_pair().is_some()) && shown < WITNESSES && git.is_none();
    let review = if !candidate.taint.is_clean() || is_of_a_page(candidate) {
        Some(ReviewReason::OutsideText)
    } else if guessed || unseen || unsure && !of_many {
        Some(ReviewReason::Guess)
    } else {
        // Only what many sessions show together is freed by more of them.
        (few || unsure).then_some(ReviewReason::FewSessions)
    };
    Ok(Promotion {
        confidence,
        review,
        score,
        sessions: shown as u32,
        commits: git.map(|git| git.both),
        updates: near.map(|near| near.memory),
        restates: near.is_some_and(|near| near.says == Says::TheSame),
    })
}

/// Whether it is what sessions showed, and not what somebody said of them.
fn is_observed(candidate: &Candidate) -> bool {
    matches!(
        candidate.origin,
        Origin::Signal(_) | Origin::Many | Origin::Synthesis
    )
}

/// Whether it states nothing but files and commands and how often sessions used them. Outside text has no words in it, so that the mark
/// makes a person look at it and does not keep it from them.
fn only_counts(candidate: &Candidate) -> bool {
    matches!(
        candidate.origin,
        Origin::Many | Origin::Signal(SignalKind::CoAccess | SignalKind::FileAccess)
    ) && candidate.fingerprints.is_empty()
        && !candidate.is_found_again()
}

/// Whether it sends its reader to a page of somebody else's.
fn is_of_a_page(candidate: &Candidate) -> bool {
    candidate.origin == Origin::Signal(SignalKind::ExternalReference)
}

fn frequency(candidate: &Candidate, rule: GateRule, frequency: &Frequency) -> Result<(), Dropped> {
    let Origin::Signal(kind) = candidate.origin else {
        return Ok(());
    };
    if kind == SignalKind::SelfCorrection && candidate.key.starts_with(crate::detect::CAUSE) {
        return Err(Dropped::MetOnce);
    }
    if candidate.quorum
        || matches!(
            kind,
            SignalKind::SelfCorrection | SignalKind::ParallelConflict
        )
    {
        return Ok(());
    }
    let seen = frequency.before(&candidate.key);
    let needed = rule.sessions.or(candidate.sessions_needed);
    let mut needed = needed.unwrap_or(kind.rule().sessions);
    let edited = seen.edited_sessions + u32::from(candidate.edited);
    if kind == SignalKind::FileAccess && edited >= SESSIONS_WHEN_EDITED {
        needed = needed.min(SESSIONS_WHEN_EDITED);
    }
    let sessions = seen.sessions + 1;
    if kind == SignalKind::FileAccess {
        let of = module_sessions(candidate, frequency);
        if of < MODULE_HABIT {
            return Err(Dropped::YoungModule { of });
        }
        // A file that most sessions of its module pass by is not where work begins.
        if f64::from(sessions) <= f64::from(of) * USUAL {
            return Err(Dropped::SeldomOpened { seen: sessions, of });
        }
    }
    if kind == SignalKind::TestOrder {
        let against = other_order(&candidate.key).map_or(0, |key| frequency.before(&key).sessions);
        if sessions <= 2 * against {
            return Err(Dropped::OtherwiseToo {
                seen: sessions,
                against,
            });
        }
    }
    let seen = sessions;
    let against = frequency.otherwise.get(&candidate.key).copied();
    let against = against.unwrap_or_default();
    if kind == SignalKind::ErrorRetry && sessions <= 2 * against {
        return Err(Dropped::HelpedOtherwise { seen, against });
    }
    if kind == SignalKind::GlobIgnore && against > 0 {
        return Err(Dropped::NeededElsewhere { seen, against });
    }
    if kind == SignalKind::CoAccess {
        if frequency.borne_out(candidate).is_some() {
            return Ok(());
        }
        // Files that everything touches meet everything; the rarer of the two must mostly bring the other.
        let of = rarer_sessions(candidate, frequency);
        if f64::from(sessions) <= f64::from(of) * USUAL {
            return Err(Dropped::SeldomTogether { seen: sessions, of });
        }
    }
    if sessions < needed {
        Err(Dropped::TooFewSessions {
            seen: sessions,
            needed,
        })
    } else {
        Ok(())
    }
}

/// The key of the opposite habit: tests after instead of first.
pub(crate) fn other_order(key: &str) -> Option<String> {
    let first = key
        .strip_suffix(":first")
        .map(|module| format!("{module}:after"));
    first.or_else(|| {
        key.strip_suffix(":after")
            .map(|module| format!("{module}:first"))
    })
}

/// The known memory that a candidate makes surer.
fn novelty(
    candidate: &Candidate,
    confidence: Confidence,
    circumstances: &Circumstances<'_>,
) -> Result<Option<Neighbour>, Dropped> {
    let near = circumstances
        .neighbours
        .get(&candidate.key)
        .filter(|near| near.cosine > KNOWN);
    let Some(near) = near else { return Ok(None) };
    // What rests on outside text makes nothing surer that was learned without it.
    let surer = candidate.taint.is_clean() && confidence.get() > near.confidence.get() + SURER;
    if near.says == Says::TheSame || (near.says == Says::Alike && surer) {
        Ok(Some(*near))
    } else {
        Err(Dropped::Known {
            memory: near.memory,
            cosine: near.cosine,
        })
    }
}

/// What a score must reach, by type.
fn threshold(kind: Option<BuiltInType>) -> f64 {
    match kind {
        Some(BuiltInType::DeadEnd) => 0.3,
        Some(
            BuiltInType::ModuleInsight | BuiltInType::TaskCalibration | BuiltInType::ContextCost,
        ) => 0.55,
        Some(BuiltInType::CausalDependency | BuiltInType::PrefetchPattern) => 0.6,
        Some(BuiltInType::WorkflowRecipe) => 0.65,
        // Gotchas, error patterns and everything a person or an agent stated in words.
        _ => 0.5,
    }
}

/// Whether the subtasks of a session are promoted one by one as they validate.
pub fn is_split(session: &SessionAnalytics) -> bool {
    session.subtasks.len() > SUBTASKS_APART
}

/// The subtask that taught a candidate, when everything that taught it lies in subtasks that are validated by now.
pub fn validated_subtask<'a>(
    session: &'a SessionAnalytics,
    candidate: &Candidate,
) -> Option<&'a str> {
    let subtask_of = |step: u32| {
        let (name, subtask) = session.subtask_at(step)?;
        subtask.validated.then_some(name)
    };
    // What an agent says after one step it says about the next.
    let late = u32::from(candidate.origin == Origin::Signal(SignalKind::SelfCorrection));
    let steps = candidate.evidence.iter();
    let mut of = steps.map(|step| subtask_of(*step + late));
    let last = of.next_back()??;
    of.all(|subtask| subtask.is_some()).then_some(last)
}

/// Whether a failure leaves it: dead ends, what a validation found, what a person laid down, and that it failed. What an agent found out
/// in work that was wrong may be wrong as well, whatever names it has.
pub(crate) fn survives_failure(candidate: &Candidate) -> bool {
    matches!(
        candidate.origin,
        Origin::DeadEnd | Origin::Qa | Origin::Outcome | Origin::Person
    )
}

/// The verdict on the work, as the gates need it.
pub(crate) fn is_failed(verdict: WorkVerdict) -> bool {
    verdict == WorkVerdict::Failed
}

#[cfg(test)]
mod tests;
