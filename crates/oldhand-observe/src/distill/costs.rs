//! What work in a module costs, in steps and in tokens: always the mean of every session that says, never one of them.

use oldhand_domain::payload::{Calibration, ContextCost, Payload};
use oldhand_domain::text::ModuleName;
use serde::{Deserialize, Serialize};

use super::phrase;
use super::wording::Wording;

/// The steps of one session that had a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub planned: u32,
    pub actual: u32,
    pub unit: StepUnit,
}

/// What the steps of a plan are. One item of a list takes many calls, so that the two are never counted together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepUnit {
    /// Calls of tools, as whoever started the session planned them.
    #[default]
    Calls,
    /// Items of the list that the agent wrote down.
    Items,
}

/// The context that one session took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// At its fullest.
    pub tokens: u64,
    /// Files that were used.
    pub files: u32,
}

impl Cost {
    fn per_file(self) -> u64 {
        self.tokens / u64::from(self.files.max(1))
    }
}

/// Plans that come so near to the truth change nothing that anybody would do.
const NEAR: std::ops::Range<f64> = 0.5..2.0;
/// What work in a module must cost against elsewhere before anybody would plan otherwise.
const COSTLY: u64 = 3;

/// What lies at the top of a project is no part of it: work there is work on anything.
const TOP: &str = ".";

/// What is told of the steps, or the tokens, of a module is one statement, whoever makes it.
pub(crate) fn steps_told(module: &str, methodology: &str, unit: StepUnit) -> String {
    match unit {
        StepUnit::Calls => format!("calibration:{module}:{methodology}"),
        StepUnit::Items => format!("calibration:{module}:{methodology}:items"),
    }
}

pub(crate) fn tokens_told(module: &str) -> String {
    format!("context_cost:{module}")
}

/// How plans compare with what it took; all of them in one unit.
pub(crate) fn of_steps(
    module: &str,
    methodology: &str,
    unit: StepUnit,
    plans: &[Plan],
) -> Option<Wording> {
    let mean = |pick: fn(&Plan) -> u32| {
        let sum: f64 = plans.iter().map(|plan| f64::from(pick(plan))).sum();
        sum / plans.len().max(1) as f64
    };
    let (planned, actual) = (mean(|plan| plan.planned), mean(|plan| plan.actual));
    let ratio = actual / planned;
    if plans.is_empty() || NEAR.contains(&ratio) {
        return None;
    }
    let samples = plans.len() as u32;
    let calibration = Calibration {
        module: ModuleName::new(module).ok()?,
        methodology: methodology.to_owned(),
        mean_actual_steps: actual,
        mean_planned_steps: planned,
        samples,
    };
    let (planned_as, counted, named) = match unit {
        StepUnit::Calls => ("planned steps", "", "steps"),
        StepUnit::Items => ("items of the first list", " items", "items of a list"),
    };
    Some(Wording {
        payload: Payload::TaskCalibration(calibration),
        content: format!(
            "Work in `{module}` takes {ratio:.1} times the {planned_as} ({actual:.0}{counted} instead of {planned:.0}, over {}).",
            phrase::sessions(samples)
        ),
        summary: format!("Plan {ratio:.1}× the {named} for `{module}`"),
    })
}

/// How much each file of a module takes where `norm` is usual.
pub(crate) fn of_files(module: &str, costs: &[Cost], norm: u64) -> Option<Wording> {
    let sum: u64 = costs.iter().map(|cost| cost.per_file()).sum();
    let mean = sum / (costs.len() as u64).max(1);
    if mean < COSTLY * norm || module == TOP {
        return None;
    }
    Some(Wording {
        payload: Payload::ContextCost(context_cost(module, costs)?),
        content: format!(
            "Work in `{module}` is expensive to read: {mean} tokens a file where this project usually takes {norm} (over {}).",
            phrase::sessions(costs.len() as u32)
        ),
        summary: format!("`{module}` costs {mean} tokens a file, {norm} is usual"),
    })
}

/// How full the context gets by work in a module where it gets `elsewhere` otherwise.
pub(crate) fn of_context(module: &str, costs: &[Cost], elsewhere: u64) -> Option<Wording> {
    let cost = context_cost(module, costs)?;
    let (here, p90) = (cost.mean_tokens, cost.p90_tokens);
    if here < COSTLY * elsewhere || module == TOP {
        return None;
    }
    Some(Wording {
        content: format!(
            "Work in `{module}` fills the context with {here} tokens on average and {p90} in one of ten sessions (over {}; elsewhere in this project {elsewhere}).",
            phrase::sessions(cost.samples)
        ),
        payload: Payload::ContextCost(cost),
        summary: format!("`{module}` costs {here} tokens of context; elsewhere {elsewhere}"),
    })
}

pub(crate) fn mean_tokens(costs: &[Cost]) -> Option<u64> {
    let sum: u64 = costs.iter().map(|cost| cost.tokens).sum();
    sum.checked_div(costs.len() as u64)
}

fn context_cost(module: &str, costs: &[Cost]) -> Option<ContextCost> {
    let mut tokens: Vec<u64> = costs.iter().map(|cost| cost.tokens).collect();
    tokens.sort_unstable();
    Some(ContextCost {
        module: ModuleName::new(module).ok()?,
        mean_tokens: mean_tokens(costs)?,
        p90_tokens: tokens[(tokens.len() * 9).div_ceil(10) - 1],
        samples: tokens.len() as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_compared_by_their_means() {
        let unit = StepUnit::Calls;
        let plan = |(planned, actual): (u32, u32)| Plan {
            planned,
            actual,
            unit,
        };
        for (pairs, told) in [
            (
                &[(2, 5), (5, 21), (10, 17)][..],
                Some(
                    "Work in `src/m` takes 2.5 times the planned steps (14 instead of 6, over 3 sessions).",
                ),
            ),
            (
                &[(2, 5)],
                Some(
                    "Work in `src/m` takes 2.5 times the planned steps (5 instead of 2, over one session).",
                ),
            ),
            (&[(10, 30), (50, 40), (20, 20)], None),
            (&[(10, 19), (10, 20), (10, 18)], None),
            (&[], None),
        ] {
            let plans: Vec<Plan> = pairs.iter().copied().map(plan).collect();
            let wording = of_steps("src/m", "agile", unit, &plans);
            assert_eq!(
                wording.as_ref().map(|wording| wording.content.as_str()),
                told
            );
            if let Some(Payload::TaskCalibration(means)) = wording.map(|wording| wording.payload) {
                assert_eq!(
                    (means.samples as usize, means.methodology.as_str()),
                    (pairs.len(), "agile")
                );
            }
        }
    }

    #[test]
    fn costs_are_means_with_one_of_ten_above() {
        let costs: Vec<Cost> = (1..=10)
            .map(|n| Cost {
                tokens: n * 10_000,
                files: 5,
            })
            .collect();
        let wording = of_files("src/m", &costs, 2_000).unwrap();
        assert_eq!(
            wording.content,
            "Work in `src/m` is expensive to read: 11000 tokens a file where this project usually takes 2000 (over 10 sessions)."
        );
        let Payload::ContextCost(cost) = wording.payload else {
            panic!("{:?}", wording.payload)
        };
        assert_eq!(
            (cost.mean_tokens, cost.p90_tokens, cost.samples),
            (55_000, 90_000, 10)
        );
        assert!(of_files("src/m", &costs, 8_000).is_none(), "not far above");
        assert!(of_files(".", &costs, 2_000).is_none(), "the top of it");
        assert!(of_context("src/m", &costs, 18_000).is_some());
        assert!(of_context(".", &costs, 18_000).is_none());
        assert!(of_context("src/m", &costs, 20_000).is_none());
    }
}
