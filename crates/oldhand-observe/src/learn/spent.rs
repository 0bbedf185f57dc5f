//! What planned work in a module took, and what its sessions cost.

use super::Knowledge;
use crate::distill::{Cost, Plan, StepUnit};

impl Knowledge {
    /// What planned work in a module took where no outside text had a hand in it.
    pub(super) fn plans(&self, module: &str, of: &(String, StepUnit)) -> Vec<Plan> {
        let stats = self.modules.get(module);
        let plans = stats.and_then(|stats| stats.plans.get(of));
        let plans = plans.into_iter().flatten();
        let own = plans.filter(|(place, _)| !place.is_after_outside());
        own.map(|(_, plan)| *plan).collect()
    }

    /// What the latest sessions of a module cost that took in no outside text.
    pub(super) fn own_costs(&self, module: &str) -> Vec<Cost> {
        let stats = self.modules.get(module).into_iter();
        let costs = stats.flat_map(|stats| &stats.costs);
        let own = costs.filter(|(place, _)| !place.is_after_outside());
        own.map(|(_, cost)| *cost).collect()
    }

    /// What the latest sessions of a module cost.
    pub(super) fn costs(&self, module: &str) -> Vec<Cost> {
        let stats = self.modules.get(module).into_iter();
        let costs = stats.flat_map(|stats| &stats.costs);
        costs.map(|(_, cost)| *cost).collect()
    }
}
