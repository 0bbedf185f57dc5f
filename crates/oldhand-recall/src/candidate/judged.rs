//! Whether a candidate counts as an answer, and whether that can be told.

use super::Candidate;
use crate::calibration::Calibration;
use crate::lane::Lane;
use crate::plan::{Plan, Said};

/// By what it is told whether something is an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// By the chance that it is what was asked for.
    ByRelevance,
    /// By its age, where nothing else was asked for.
    ByAge,
    /// By nothing: what the numbers of the model mean was not measured.
    Unmeasured,
}

impl Judged {
    pub(super) fn by(plan: &Plan) -> Self {
        match plan.calibration {
            _ if plan.wants_newest() => Self::ByAge,
            Some(_) => Self::ByRelevance,
            None => Self::Unmeasured,
        }
    }
}

/// What is said of an answer whose relevance means nothing.
pub const UNMEASURED: &str = "what relevance means for this model was not measured";

/// Whether a candidate speaks for itself: it is about a file that the question names, shares a telling word with the question, or is nearer than
/// chance would bring the nearest of so many memories.
pub fn stands_out(candidate: &Candidate, plan: &Plan, memories: usize) -> bool {
    if candidate.because.name().is_some() {
        return true;
    }
    let near = plan.calibration.map(|known| known.by_chance(memories));
    candidate.because.lanes.iter().any(|part| match part.lane {
        Lane::Text => plan.said != Said::Nothing,
        Lane::Dense => plan.said == Said::Enough && near.is_some_and(|near| part.score >= near),
        // Who asks for nothing but what came last is answered by what came last.
        Lane::Recent => plan.wants_newest(),
        // To be beside something is no answer by itself.
        Lane::Graph => false,
    })
}

/// Whether a task may be answered unasked: it is known how near chance brings memories, it says something, and it comes nearer to something here than chance would bring the nearest of so
/// many memories. A word in common alone is no reason to speak up.
pub fn may_speak(nearest: f64, plan: &Plan, memories: usize) -> bool {
    let is_near = |known: Calibration| nearest >= known.by_chance(memories);
    plan.said != Said::Nothing && plan.calibration.is_some_and(is_near)
}

/// The relevance from which something is said unasked: about the chance that it is what the task needs. `docs/benchmarks/calibration.md` says
/// how often it is reached where there is an answer and where there is none; under it, saying nothing is better than saying something.
pub const BAR: f64 = 0.4;

#[cfg(test)]
mod tests {
    use oldhand_domain::payload::BuiltInType;
    use oldhand_testkit::memory;

    use super::*;
    use crate::candidate::tests::planned;
    use crate::candidate::{gather, judge};
    use crate::fuse::{Method, fuse};
    use crate::lane::Ranked;
    use crate::plan::{RecentWork, plan};

    #[test]
    fn a_model_that_nobody_measured_orders_what_it_finds_and_vouches_for_nothing() {
        let found = memory(1, BuiltInType::Gotcha, "Deploys need the staging flag.");
        let other = memory(2, BuiltInType::Gotcha, "Logs rotate daily.");
        let plan = plan("how do we roll out", RecentWork::Ordinary).for_model("remote-1024");
        let lanes = [Ranked::new(
            Lane::Dense,
            [(found.id, 0.99), (other.id, 0.7)],
        )];
        let fused = fuse(&lanes, &plan, Method::Standardised);
        let mut gathered = gather(&fused, vec![other, found], &plan);
        judge(&mut gathered, &plan, 2);
        let [best, second] = &gathered[..] else {
            panic!("both are found")
        };
        assert!(best.memory.content.as_str().starts_with("Deploys"));
        assert!(best.score > second.score);
        assert!(!may_speak(0.99, &plan, 2));
        for one in &gathered {
            assert!(one.because.relevance < BAR && one.because.likelihood.is_none());
            assert!(!stands_out(one, &plan, 2), "as near as can be");
            assert_eq!(one.because.newest(), None);
        }
        insta::assert_snapshot!(best.because, @"what relevance means for this model was not measured · ranked 0.6: every memory starts at -0.6, by meaning +1.2 (1st, cosine 0.99)");
    }

    #[test]
    fn only_what_says_something_stands_out() {
        let found = memory(1, BuiltInType::Gotcha, "Deploys need the staging flag.");
        let judge = |question: &str, lane, score| {
            let plan = planned(question);
            let lanes = [Ranked::new(lane, [(found.id, score)])];
            let fused = fuse(&lanes, &plan, Method::Standardised);
            stands_out(&gather(&fused, vec![found.clone()], &plan)[0], &plan, 100)
        };
        assert!(judge("staging", Lane::Text, 1.0));
        assert!(judge("how to roll out", Lane::Dense, 0.5));
        assert!(
            !judge("how to roll out", Lane::Dense, 0.2),
            "as near as nonsense"
        );
        for nothing in ["the of and", "...", ""] {
            assert!(!judge(nothing, Lane::Text, 9.0), "{nothing:?}");
            assert!(!judge(nothing, Lane::Dense, 0.9), "{nothing:?}");
        }
        assert!(judge("x1", Lane::Text, 1.0), "a name may be short");
        assert!(!judge("x1", Lane::Dense, 0.9), "but has no meaning then");
    }
}
