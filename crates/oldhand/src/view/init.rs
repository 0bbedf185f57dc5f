//! What `oldhand init` found and did, as JSON.

use serde::Serialize;

use super::graph::SurveyView;
use super::status::StatusView;
use crate::cli::init::Findings;
use crate::cli::status::Overview;
use crate::project::LookAlike;

#[derive(Serialize)]
pub(crate) struct InitView<'a> {
    /// `created`, `known`, `joined` or `merged`.
    outcome: &'static str,
    /// Known projects with the same root commits or remotes.
    look_alikes: Vec<LookAlikeView<'a>>,
    rules: Vec<RulesFoundView>,
    /// How many rules were taken in; `null` when none was.
    rules_taken: Option<usize>,
    /// Past sessions that nobody had learned from.
    sessions_found: usize,
    /// How many memories came of them; `null` when they were left alone.
    sessions_learned: Option<usize>,
    /// Agents and editors that were used on this machine.
    agents: Vec<AgentFoundView>,
    /// `null` when the code could not be read.
    survey: Option<&'a SurveyView>,
    #[serde(flatten)]
    status: StatusView<'a>,
}

#[derive(Serialize)]
struct AgentFoundView {
    agent: &'static str,
    /// `connected`, `connected_now`, `not_connected` or `taken_out`.
    state: &'static str,
    /// The files that were written to, or would be.
    files: Vec<String>,
}

#[derive(Serialize)]
struct LookAlikeView<'a> {
    name: &'a str,
    directory: &'a str,
    place: &'a str,
    still_there: bool,
    /// `history`, `folder` or `whereabouts`.
    resemblance: &'static str,
}

#[derive(Serialize)]
struct RulesFoundView {
    path: String,
    new: usize,
    known: usize,
    skipped: usize,
}

impl<'a> InitView<'a> {
    pub(crate) fn new(
        found: &Findings<'a>,
        look_alikes: &'a [LookAlike],
        overview: &'a Overview,
    ) -> Self {
        let look_alikes = look_alikes.iter().map(|look_alike| LookAlikeView {
            name: &look_alike.name,
            directory: &look_alike.directory,
            place: &look_alike.place,
            still_there: look_alike.still_there,
            resemblance: look_alike.resemblance.as_str(),
        });
        let rules = found.previews.iter().map(|preview| RulesFoundView {
            path: preview.file.to_string(),
            new: preview.new.len(),
            known: preview.known,
            skipped: preview.skipped.len(),
        });
        let agents = found.agents.iter().map(|one| AgentFoundView {
            agent: one.client.as_str(),
            state: one.state.as_str(),
            files: one.files().map(|path| path.display().to_string()).collect(),
        });
        Self {
            outcome: found.arrival.as_str(),
            look_alikes: look_alikes.collect(),
            rules: rules.collect(),
            rules_taken: found.taken.map(|rules| rules.taken),
            sessions_found: found.past.found,
            sessions_learned: found.past.learned,
            agents: agents.collect(),
            survey: found.survey,
            status: StatusView::new(overview),
        }
    }
}
