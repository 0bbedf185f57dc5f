//! What whoever starts an agent knows of the work and the agent's client does not tell: three variables, read by the hook.

use oldhand_domain::event::{SessionType, Start};
use oldhand_domain::work_unit::WorkUnit;

use super::Environment;
use crate::failure::Failure;

pub(super) const VARIABLES: [&str; 3] = [TYPE, UNIT, PLANNED];

const TYPE: &str = "OLDHAND_SESSION_TYPE";
const UNIT: &str = "OLDHAND_WORK_UNIT";
const PLANNED: &str = "OLDHAND_PLANNED_STEPS";

impl Environment {
    /// Completes the beginning of a session. What cannot be understood is passed over here: no agent waits for an answer about it.
    pub(crate) fn complete(&self, start: &mut Start, methodology: &str) {
        if let Some(told) = self.told(TYPE).and_then(|text| text.parse().ok()) {
            start.session_type = told;
            start.type_told = true;
        }
        let unit = self.told(UNIT).and_then(|text| unit(methodology, text));
        start.work_unit = start.work_unit.take().or(unit);
        let planned = self.told(PLANNED).and_then(|text| text.parse().ok());
        start.planned_steps = start.planned_steps.or(planned);
    }

    /// The variables of a session that say nothing that could be understood, each with what was expected.
    pub(crate) fn unfit_variables(&self) -> Vec<String> {
        let fits = [
            self.told(TYPE)
                .is_none_or(|text| text.parse::<SessionType>().is_ok()),
            self.told(UNIT)
                .is_none_or(|text| unit("native", text).is_some()),
            self.told(PLANNED)
                .is_none_or(|text| text.parse::<u32>().is_ok()),
        ];
        let types: Vec<&str> = SessionType::ALL.iter().map(|kind| kind.as_str()).collect();
        let wanted = [
            format!("one of {}", types.join(", ")),
            "ids with slashes between, as spec_042/subtask_3".to_owned(),
            "a whole number".to_owned(),
        ];
        let all = VARIABLES.iter().zip(wanted).zip(fits);
        all.filter(|(_, fits)| !fits)
            .map(|((name, wanted), _)| format!("{name} should be {wanted}"))
            .collect()
    }

    fn told(&self, name: &str) -> Option<&str> {
        self.variable(name)?
            .to_str()
            .filter(|text| !text.is_empty())
    }
}

/// The type of a session, as a person or an agent says it.
pub(crate) fn read_session_type(told: &str) -> Result<SessionType, Failure> {
    told.parse().map_err(|_| {
        let types = SessionType::SPELLINGS.join(", ");
        Failure::invalid(format!("`{told}` is no type of a session"))
            .hint(format!("a session was for one of {types}"))
    })
}

fn unit(methodology: &str, text: &str) -> Option<WorkUnit> {
    let ids: Vec<&str> = text.split('/').collect();
    WorkUnit::new(methodology, &ids, "").ok()
}
