//! Ways of working that went well again and again.

use std::collections::BTreeSet;

use oldhand_domain::filter::Filter;
use oldhand_domain::memory::Memory;
use oldhand_domain::payload::{BuiltInType, Payload, RecipeStep};
use oldhand_domain::session::SessionStore;
use oldhand_observe::learn::RecipeRecord;

use crate::finalize::Across;
use crate::{Engine, EngineError};

/// Steps that followed each other in several sessions, and the memory that says so, where there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownRecipe {
    pub record: RecipeRecord,
    pub memory: Option<Memory>,
}

/// One session alone is no way of working.
const SHARED_BY: usize = 2;

impl Engine<'_> {
    /// Every way of working that sessions shared, those of most sessions first.
    pub fn recipes(&self, sessions: &dyn SessionStore) -> Result<Vec<KnownRecipe>, EngineError> {
        let kept = self.project.list(&Filter {
            types: vec![BuiltInType::WorkflowRecipe.into()],
            ..Filter::default()
        })?;
        let says = |memory: &&Memory, record: &RecipeRecord| match &memory.payload {
            Payload::WorkflowRecipe(recipe) => {
                let steps = recipe
                    .steps
                    .iter()
                    .map(|step: &RecipeStep| &step.description);
                recipe.task_pattern == record.task_pattern() && steps.eq(&record.steps)
            }
            _ => false,
        };
        let found = Across::read(sessions, &BTreeSet::new())?
            .knowledge
            .ways_of_working(SHARED_BY);
        let known = found.into_iter().map(|record| KnownRecipe {
            memory: kept
                .memories
                .iter()
                .find(|memory| says(memory, &record))
                .cloned(),
            record,
        });
        Ok(known.collect())
    }
}
