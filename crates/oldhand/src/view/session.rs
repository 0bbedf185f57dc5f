//! Sessions as JSON.

use std::collections::BTreeMap;

use jiff::Timestamp;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::memory::Memory;
use oldhand_domain::payload::MemoryType;
use oldhand_engine::{ReportLine, SessionBody, SessionReport};
use oldhand_observe::detect::Signal;
use oldhand_observe::distill::Candidate;
use serde::Serialize;

use crate::cli::import::transcripts::{Unread, unread};
use crate::sessions::trace::Moment;
use crate::sessions::{Known, Sessions};

#[derive(Serialize)]
pub(crate) struct TranscriptsView<'a> {
    pub(crate) looked_at: usize,
    pub(crate) transcripts: usize,
    pub(crate) taken: usize,
    pub(crate) unchanged: usize,
    pub(crate) discarded: usize,
    pub(crate) known_from_hooks: usize,
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
    pub(crate) events: u64,
    pub(crate) broken_lines: u64,
    pub(crate) too_long_lines: u64,
    /// Files that tell what subagents of these sessions did.
    pub(crate) parts: usize,
    pub(crate) redacted: u64,
    pub(crate) redacted_kinds: BTreeMap<String, u64>,
    /// The sessions that secrets were taken out of.
    pub(crate) redacted_in: Vec<String>,
    pub(crate) unknown_kinds: BTreeMap<String, u64>,
    pub(crate) skipped: Vec<SkippedView>,
    pub(crate) former: Vec<FormerView<'a>>,
    pub(crate) finalized: FinalizedView<'a>,
}

#[derive(Serialize)]
pub(crate) struct SkippedView {
    pub(crate) path: String,
    pub(crate) why: String,
}

/// A folder that the project was probably in before.
#[derive(Serialize)]
pub(crate) struct FormerView<'a> {
    pub(crate) folder: &'a str,
    pub(crate) transcripts: usize,
    pub(crate) because: &'a str,
    /// What takes its sessions in.
    pub(crate) command: &'a str,
}

#[derive(Serialize)]
pub(crate) struct FinalizedView<'a> {
    pub(crate) sessions: usize,
    /// Finalized before, from the same journal.
    pub(crate) already: usize,
    /// How many took longer to learn from than the budget is.
    pub(crate) over_budget: usize,
    /// What the longest took.
    pub(crate) longest_ms: f64,
    pub(crate) promoted: Vec<ReportLineView<'a>>,
    pub(crate) dropped: Vec<ReportLineView<'a>>,
    /// Memories that a session no longer stands behind.
    pub(crate) withdrawn: &'a [WithdrawnView],
}

#[derive(Serialize)]
pub(crate) struct WithdrawnView {
    pub(crate) memory: MemoryId,
    #[serde(rename = "type")]
    pub(crate) memory_type: MemoryType,
    pub(crate) summary: String,
    /// Whether it is told no more; else others show it too, and it is less sure.
    pub(crate) gone: bool,
    pub(crate) why: &'static str,
}

impl WithdrawnView {
    pub(crate) fn of(memory: &Memory, why: &'static str) -> Self {
        Self {
            memory: memory.id,
            memory_type: memory.memory_type(),
            summary: memory.summary.to_string(),
            gone: !memory.is_live(),
            why,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct ReportLineView<'a> {
    session: &'a str,
    #[serde(flatten)]
    line: &'a ReportLine,
    /// Of what was learned: whether a person is to look at it before agents hear it.
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_review: Option<bool>,
}

impl<'a> ReportLineView<'a> {
    pub(crate) fn promoted(session: &'a str, line: &'a ReportLine, needs_review: bool) -> Self {
        Self {
            needs_review: Some(needs_review),
            ..Self::dropped(session, line)
        }
    }

    pub(crate) fn dropped(session: &'a str, line: &'a ReportLine) -> Self {
        Self {
            session,
            line,
            needs_review: None,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct SessionListView<'a> {
    pub(crate) sessions: Vec<SessionView<'a>>,
    pub(crate) total: usize,
}

#[derive(Serialize)]
pub(crate) struct SessionView<'a> {
    id: &'a str,
    finalized: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finalized_at: Option<Timestamp>,
    /// Bytes of its journal, while there is one.
    journal_bytes: Option<u64>,
    /// What it was for, and what says so; nothing of one that is not finalized.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    type_because: Option<String>,
    outcome: Option<String>,
    prompt: Option<String>,
    files_edited: usize,
    memories: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<SessionBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) report: Option<SessionReport>,
    /// What of its transcript and of its journal could not be understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unread: Option<UnreadView>,
    /// What taught each memory, by its id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) events: BTreeMap<String, Vec<Moment>>,
}

#[derive(Serialize)]
pub(crate) struct UnreadView {
    #[serde(flatten)]
    pub(crate) transcript: Unread,
    /// Lines of the journal that are no events.
    pub(crate) journal_lines: usize,
}

impl<'a> SessionView<'a> {
    /// Adds what could not be understood of it, where there is anything.
    pub(crate) fn look_for_unread(&mut self, sessions: &Sessions<'_>) -> anyhow::Result<()> {
        let Ok(id) = SessionId::new(self.id) else {
            return Ok(());
        };
        let transcript = unread(sessions.imported.folder()).remove(self.id);
        let journal_lines = sessions.each(&id, |_| ())?.bad_lines;
        if transcript.is_some() || journal_lines > 0 {
            self.unread = Some(UnreadView {
                transcript: transcript.unwrap_or_default(),
                journal_lines,
            });
        }
        Ok(())
    }

    /// Adds the events that taught each of its memories.
    pub(crate) fn trace(&mut self, sessions: &Sessions<'_>) -> anyhow::Result<()> {
        let (Ok(id), Some(report)) = (SessionId::new(self.id), &self.report) else {
            return Ok(());
        };
        for line in &report.lines {
            if let Some(memory) = &line.memory {
                let moments = sessions.moments(&id, &line.steps, &line.summary)?;
                self.events.insert(memory.clone(), moments);
            }
        }
        Ok(())
    }

    /// A line of a list.
    pub(crate) fn new(known: &'a Known) -> Self {
        Self {
            body: None,
            report: None,
            ..Self::whole(known)
        }
    }

    pub(crate) fn whole(known: &'a Known) -> Self {
        let record = known.record.as_ref();
        let body = record.and_then(SessionBody::read);
        let report = record.and_then(SessionReport::read);
        let promoted = |report: &SessionReport| {
            report
                .lines
                .iter()
                .filter(|line| line.outcome == "promoted")
                .count()
        };
        Self {
            id: known.id.as_str(),
            finalized: record.is_some(),
            client: record.map_or(known.opening.client.as_deref(), |record| {
                Some(record.client.as_str())
            }),
            started_at: known.began_at(),
            ended_at: record.map(|record| record.ended_at),
            finalized_at: record.map(|record| record.finalized_at),
            journal_bytes: known.journal.as_ref().map(|journal| {
                let beside = known.transcript.as_ref();
                journal.bytes + beside.map_or(0, |transcript| transcript.bytes)
            }),
            session_type: body.as_ref().map(|body| body.session_type.clone()),
            type_because: body.as_ref().and_then(|body| body.type_because.clone()),
            outcome: body.as_ref().map(|body| body.verdict.clone()),
            prompt: body.as_ref().map_or_else(
                || known.opening.prompt.clone(),
                |body| Some(body.prompt.clone()),
            ),
            files_edited: body.as_ref().map_or(0, |body| body.edited.len()),
            memories: report.as_ref().map_or(0, promoted),
            body,
            report,
            unread: None,
            events: BTreeMap::new(),
        }
    }

    pub(crate) fn client(&self) -> &str {
        self.client.unwrap_or("unknown agent")
    }

    pub(crate) fn verdict(&self) -> &str {
        self.outcome.as_deref().unwrap_or("unknown")
    }

    pub(crate) fn prompt(&self) -> &str {
        self.prompt.as_deref().unwrap_or_default()
    }

    pub(crate) fn edited(&self) -> usize {
        self.files_edited
    }

    pub(crate) fn promoted(&self) -> usize {
        self.memories
    }
}

#[derive(Serialize)]
pub(crate) struct DiscardedView<'a> {
    pub(crate) id: &'a str,
    pub(crate) outcome: &'static str,
}

#[derive(Serialize)]
pub(crate) struct ReplayView {
    pub(crate) id: String,
    pub(crate) events: usize,
    pub(crate) bad_lines: usize,
    pub(crate) steps: u32,
    pub(crate) signals: Vec<SignalView>,
    pub(crate) candidates: Vec<CandidateView>,
}

#[derive(Serialize)]
pub(crate) struct SignalView {
    pub(crate) signal: &'static str,
    pub(crate) key: String,
    strength: f64,
    steps: Vec<u32>,
}

impl SignalView {
    pub(crate) fn new(signal: &Signal) -> Self {
        Self {
            signal: signal.kind.as_str(),
            key: signal.key.clone(),
            strength: signal.strength,
            steps: signal.evidence.clone(),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct CandidateView {
    #[serde(rename = "type")]
    pub(crate) memory_type: String,
    pub(crate) summary: String,
    content: String,
    confidence: f64,
    steps: Vec<u32>,
}

impl CandidateView {
    pub(crate) fn new(candidate: &Candidate) -> Self {
        Self {
            memory_type: candidate.payload.memory_type().to_string(),
            summary: candidate.summary.as_str().to_owned(),
            content: candidate.content.as_str().to_owned(),
            confidence: candidate.confidence.get(),
            steps: candidate.evidence.clone(),
        }
    }
}
