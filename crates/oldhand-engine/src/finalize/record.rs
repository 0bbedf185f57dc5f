//! What stays of a finalized session, as JSON inside its record.

use jiff::Timestamp;
use oldhand_domain::id::SessionId;
use oldhand_domain::session::SessionRecord;
use oldhand_observe::fold::{FileUse, SessionAnalytics};
use oldhand_observe::learn::SessionFacts;
use oldhand_observe::outcome::judgement::{Judgement, WorkVerdict};
use oldhand_observe::promote::{Report, Verdict};
use serde::{Deserialize, Serialize};

use super::told::Told;
use super::{Promoted, evidence, why};

/// The longest first prompt that is kept, in bytes.
const PROMPT_LIMIT: usize = 4000;

/// What is known of a finished session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionBody {
    /// The first thing the user asked.
    pub prompt: String,
    pub branch: Option<String>,
    pub session_type: String,
    pub verdict: String,
    /// Between 0 and 1.
    pub verdict_confidence: f64,
    /// Why the verdict is what it is, in words.
    pub evidence: Vec<String>,
    pub events: u64,
    pub input_tokens_peak: u64,
    /// Files in the order they were first edited.
    pub edited: Vec<String>,
    /// Files in the order they were first read.
    pub read: Vec<String>,
    pub facts: SessionFacts,
    /// What agents were told in it.
    #[serde(default)]
    pub told: Vec<Told>,
}

impl SessionBody {
    /// `None` for a record of an older shape: it can be finalized again from its journal.
    pub fn read(record: &SessionRecord) -> Option<Self> {
        serde_json::from_str(&record.body).ok()
    }
}

/// What became of a session's candidates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionReport {
    /// The session type whose rules applied.
    pub gate: String,
    pub limit: usize,
    pub lines: Vec<ReportLine>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportLine {
    /// `promoted` or `dropped`.
    pub outcome: String,
    #[serde(rename = "type")]
    pub memory_type: String,
    pub summary: String,
    /// The memory that says it now.
    pub memory: Option<String>,
    pub why: String,
    /// The steps of the session that taught it.
    pub steps: Vec<u32>,
    /// What it is told as: the same for the same statement of another session.
    #[serde(default)]
    pub key: String,
}

impl SessionReport {
    pub fn read(record: &SessionRecord) -> Option<Self> {
        serde_json::from_str(&record.report).ok()
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "everything a finalization produced, put down once"
)]
pub(super) fn make(
    session: &SessionId,
    digest: &str,
    analytics: &SessionAnalytics,
    judgement: &Judgement,
    facts: SessionFacts,
    report: &Report,
    promoted: &[Promoted],
    told: Vec<Told>,
    now: Timestamp,
) -> SessionRecord {
    let start = analytics.start.as_ref();
    let started_at = analytics.first_at.unwrap_or(now);
    let body = SessionBody {
        prompt: analytics
            .prompts
            .first()
            .map_or_else(String::new, |prompt| beginning(&prompt.text)),
        branch: start.and_then(|start| start.branch.clone()),
        session_type: start
            .map(|start| start.session_type)
            .unwrap_or_default()
            .to_string(),
        verdict: match judgement.verdict {
            WorkVerdict::Passed => "passed",
            WorkVerdict::Failed => "failed",
            WorkVerdict::Unknown => "unknown",
        }
        .to_owned(),
        verdict_confidence: judgement.confidence.get(),
        evidence: evidence(judgement),
        events: analytics.events,
        input_tokens_peak: facts.peak_tokens,
        edited: in_order(analytics, FileUse::is_edited),
        read: in_order(analytics, |file| file.reads > 0),
        facts,
        told,
    };
    SessionRecord {
        errors: body
            .facts
            .errors
            .iter()
            .map(|error| error.message.clone())
            .collect(),
        id: session.clone(),
        client: start.map_or_else(|| "unknown".to_owned(), |start| start.client.clone()),
        started_at,
        ended_at: analytics.last_at.unwrap_or(started_at),
        finalized_at: now,
        digest: digest.to_owned(),
        body: serde_json::to_string(&body).expect("plain data always serialises"),
        report: serde_json::to_string(&describe(report, promoted))
            .expect("plain data always serialises"),
    }
}

fn describe(report: &Report, promoted: &[Promoted]) -> SessionReport {
    let mut promoted = promoted.iter();
    let lines = report.verdicts.iter().map(|(candidate, verdict)| {
        let (outcome, memory, why) = match verdict {
            Verdict::Dropped(_) => ("dropped", None, why(verdict)),
            Verdict::Promoted(_) => match promoted.next() {
                Some(Promoted::Refused(refusal)) => ("dropped", None, refusal.clone()),
                Some(
                    Promoted::Inserted(id)
                    | Promoted::Merged(id)
                    | Promoted::Superseded(id)
                    | Promoted::MadeSurer(id),
                ) => ("promoted", Some(id.to_string()), why(verdict)),
                Some(Promoted::Pending) | None => {
                    ("dropped", None, "it was not written".to_owned())
                }
            },
        };
        ReportLine {
            outcome: outcome.to_owned(),
            memory_type: candidate.payload.memory_type().to_string(),
            summary: candidate.summary.as_str().to_owned(),
            memory,
            why,
            steps: candidate.evidence.clone(),
            key: candidate.told_as(),
        }
    });
    SessionReport {
        gate: report.gate.session_type.to_string(),
        limit: report.gate.limit,
        lines: lines.collect(),
    }
}

fn in_order(analytics: &SessionAnalytics, keep: impl Fn(&FileUse) -> bool) -> Vec<String> {
    let mut files: Vec<_> = analytics
        .files
        .iter()
        .filter(|(_, file)| file.first_step > 0 && keep(file))
        .collect();
    files.sort_by(|(_, a), (_, b)| {
        a.first_step
            .cmp(&b.first_step)
            .then_with(|| a.path.cmp(&b.path))
    });
    files
        .into_iter()
        .map(|(_, file)| file.path.as_str().to_owned())
        .collect()
}

fn beginning(text: &str) -> String {
    text[..text.floor_char_boundary(PROMPT_LIMIT)].to_owned()
}
