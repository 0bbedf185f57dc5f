//! What is counted of files, pairs, modules and signals over sessions.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::signal::SignalKind;
use oldhand_domain::taint::Taint;

use super::{Place, TaskType};
use crate::detect::Signal;
use crate::distill::{Cost, Plan, StepUnit};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileStats {
    pub sessions: u32,
    pub(super) by: Vec<Place>,
    pub edit_sessions: u32,
}

/// Two files used together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    pub sessions: u32,
    /// Times within a session, over all sessions.
    pub count: u32,
    /// Sessions in which the first of the pair mostly came first, and in which the second did.
    pub forward: u32,
    pub backward: u32,
    /// Sessions in which both were edited.
    pub edited_sessions: u32,
    pub(super) edited_by: Vec<Place>,
    /// Sessions that showed the pair after outside text had come in.
    pub(super) after_outside: u32,
    pub millis_apart: i64,
    pub task_types: BTreeMap<TaskType, u32>,
}

impl Edge {
    /// Sessions count more when the work in them was of different kinds.
    pub fn weight(&self) -> f64 {
        f64::from(self.sessions) * self.task_types.len().clamp(1, 3) as f64
    }

    /// The mean time between the two.
    pub fn mean_millis(&self) -> i64 {
        self.millis_apart / i64::from(self.count.max(1))
    }

    /// Whether one order clearly prevails: +1 first then second, −1 the other way, 0 neither.
    pub fn direction(&self) -> i8 {
        match (self.forward, self.backward) {
            (f, b) if f >= 2 && f >= 3 * b => 1,
            (f, b) if b >= 2 && b >= 3 * f => -1,
            _ => 0,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleStats {
    pub sessions: u32,
    pub edit_sessions: u32,
    /// The thresholds that were passed; each is told once.
    pub passed: BTreeSet<u32>,
    /// Sessions that had a plan, by their methodology and what they counted.
    pub(super) plans: BTreeMap<(String, StepUnit), Vec<(Place, Plan)>>,
    /// What the latest sessions cost.
    pub(super) costs: Vec<(Place, Cost)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CouplingStats {
    pub sessions: BTreeSet<SessionId>,
    pub(super) by: Vec<Place>,
    pub pairs: BTreeSet<(ProjectPath, ProjectPath)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignalStats {
    pub sessions: u32,
    pub(super) by: Vec<Place>,
    pub edited_sessions: u32,
    pub task_types: BTreeSet<TaskType>,
    /// The marks on those that outside text came before.
    pub(super) taint: Taint,
}

impl SignalStats {
    /// The sessions that showed it before any outside text came in.
    pub(super) fn clean_sessions(&self) -> u32 {
        let clean = self.by.iter().filter(|place| !place.is_after_outside());
        clean.count() as u32
    }

    /// The earlier sessions that count for what a session shows, and with which marks. Those that no outside text came before are enough by
    /// themselves where with this one they are as many as are needed; else all of them count, and their marks go with them.
    pub(super) fn before(&self, signal: &Signal) -> (u32, Taint) {
        let clean = self.clean_sessions();
        let own = u32::from(signal.taint.is_clean());
        // That a page was looked up is marked by the page, whatever came before.
        if signal.kind == SignalKind::ExternalReference {
            (self.sessions, Taint::CLEAN)
        } else if clean + own >= signal.sessions_needed() {
            (clean, Taint::CLEAN)
        } else {
            (self.sessions, self.taint.clone())
        }
    }
}
