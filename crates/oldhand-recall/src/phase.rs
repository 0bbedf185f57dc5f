//! What each phase of work wants to hear, and how much of it: weights, budgets and shares per type of memory.

use oldhand_domain::methodology;
use oldhand_domain::payload::{BuiltInType as T, MemoryType};
use oldhand_domain::vocabulary::Phase;

/// How much a type of memory is worth in a phase. 1 is neutral, and what methodologies add is neutral everywhere.
pub fn weight(phase: Phase, memory_type: &MemoryType) -> f64 {
    let MemoryType::BuiltIn(built_in) = memory_type else {
        return 1.0;
    };
    let column = match phase {
        Phase::Define => 0,
        Phase::Implement => 1,
        Phase::Validate => 2,
        Phase::Refine => 3,
        Phase::Explore => 4,
        Phase::Reflect => 5,
    };
    weights(*built_in)[column]
}

/// The types that a phase wants to hear of: all that are worth at least as much as anything in it.
pub fn types(phase: Phase) -> Vec<MemoryType> {
    let built_in = T::ALL.iter().copied().map(MemoryType::BuiltIn);
    let added = methodology::ALL.iter().flat_map(|one| {
        let names = one.adds_types().iter();
        names.filter_map(|name| format!("{}:{name}", one.name()).parse().ok())
    });
    built_in
        .chain(added)
        .filter(|memory_type| weight(phase, memory_type) >= 1.0)
        .collect()
}

/// Define, implement, validate, refine, explore, reflect.
const fn weights(built_in: T) -> [f64; 6] {
    match built_in {
        T::Gotcha => [0.8, 1.4, 1.2, 1.2, 0.8, 0.8],
        T::Decision => [1.1, 0.7, 1.1, 1.0, 1.2, 1.2],
        T::Preference => [1.0, 0.9, 1.0, 1.0, 1.0, 1.0],
        T::Pattern => [1.2, 1.1, 1.0, 1.0, 1.1, 1.0],
        T::Requirement => [1.2, 0.8, 1.2, 0.7, 1.0, 1.0],
        T::ErrorPattern => [0.8, 1.3, 1.4, 1.3, 0.7, 1.2],
        T::ModuleInsight => [1.0, 1.2, 0.9, 1.1, 1.4, 1.1],
        T::PrefetchPattern => [0.5, 1.1, 0.3, 1.0, 1.0, 0.4],
        T::WorkState => [1.1, 1.0, 0.5, 0.9, 1.0, 0.7],
        T::CausalDependency => [0.9, 1.2, 1.0, 1.1, 1.0, 1.0],
        T::TaskCalibration => [1.1, 0.5, 0.8, 1.0, 0.6, 1.3],
        T::E2eObservation => [0.6, 0.7, 1.4, 0.8, 0.9, 1.0],
        T::DeadEnd => [1.2, 1.2, 0.8, 1.2, 0.9, 1.1],
        T::WorkUnitOutcome => [1.0, 0.9, 1.1, 0.8, 1.0, 1.4],
        T::WorkflowRecipe => [1.4, 1.4, 0.6, 1.0, 1.1, 0.6],
        T::ContextCost => [1.3, 0.4, 0.3, 0.4, 0.5, 1.3],
    }
}

/// The tokens a phase may spend on memories.
pub const fn budget(phase: Phase) -> usize {
    match phase {
        Phase::Implement => 3000,
        Phase::Define | Phase::Validate => 2500,
        Phase::Refine | Phase::Explore => 2000,
        Phase::Reflect => 1500,
    }
}

/// The part of the budget that a type may take before others had their turn. Types that are not named get the last part each.
pub fn share(phase: Phase, memory_type: &MemoryType) -> f64 {
    let (named, others) = shares(phase);
    let MemoryType::BuiltIn(built_in) = memory_type else {
        return others;
    };
    named
        .iter()
        .find(|(name, _)| name == built_in)
        .map_or(others, |&(_, share)| share)
}

const fn shares(phase: Phase) -> (&'static [(T, f64)], f64) {
    match phase {
        Phase::Define => (
            &[
                (T::WorkflowRecipe, 0.30),
                (T::Requirement, 0.20),
                (T::Decision, 0.20),
                (T::DeadEnd, 0.15),
                (T::TaskCalibration, 0.10),
            ],
            0.05,
        ),
        Phase::Implement => (
            &[
                (T::Gotcha, 0.30),
                (T::ErrorPattern, 0.25),
                (T::CausalDependency, 0.15),
                (T::Pattern, 0.15),
                (T::DeadEnd, 0.10),
            ],
            0.05,
        ),
        Phase::Validate => (
            &[
                (T::ErrorPattern, 0.30),
                (T::Requirement, 0.25),
                (T::E2eObservation, 0.25),
                (T::WorkUnitOutcome, 0.15),
            ],
            0.05,
        ),
        Phase::Refine => (
            &[
                (T::ErrorPattern, 0.35),
                (T::Gotcha, 0.25),
                (T::DeadEnd, 0.20),
                (T::Pattern, 0.15),
            ],
            0.05,
        ),
        Phase::Explore => (
            &[
                (T::ModuleInsight, 0.40),
                (T::Decision, 0.25),
                (T::Pattern, 0.20),
                (T::CausalDependency, 0.15),
            ],
            0.0,
        ),
        Phase::Reflect => (
            &[
                (T::WorkUnitOutcome, 0.40),
                (T::TaskCalibration, 0.35),
                (T::DeadEnd, 0.15),
            ],
            0.10,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_parts_of_one_whole() {
        for phase in Phase::ALL {
            let (named, others) = shares(*phase);
            let total: f64 = others + named.iter().map(|(_, share)| share).sum::<f64>();
            assert!((total - 1.0).abs() < 1e-9, "{phase}: {total}");
        }
    }

    #[test]
    fn weights_stay_near_one() {
        for phase in Phase::ALL {
            for built_in in T::ALL {
                assert!(
                    (0.3..=1.5).contains(&weight(*phase, &(*built_in).into())),
                    "{phase} {built_in}"
                );
            }
        }
    }

    #[test]
    fn a_phase_wants_some_types_and_not_others() {
        let wanted = types(Phase::Validate);
        assert!(wanted.contains(&T::E2eObservation.into()));
        assert!(!wanted.contains(&T::PrefetchPattern.into()));
        assert!(
            wanted
                .iter()
                .any(|one| matches!(one, MemoryType::Plugin(_)))
        );
        for phase in Phase::ALL {
            assert!(!types(*phase).is_empty(), "{phase}");
        }
    }
}
