//! What stays of a finalized session, as JSON inside its record.

use std::collections::BTreeSet;

use jiff::Timestamp;
use oldhand_domain::id::{MemoryId, SessionId};
use oldhand_domain::session::SessionRecord;
use oldhand_observe::distill::Origin;
use oldhand_observe::fold::{FileUse, SessionAnalytics};
use oldhand_observe::learn::{FORM, SessionFacts};
use oldhand_observe::outcome::judgement::{Evidence, Judgement, WorkVerdict};
use oldhand_observe::promote::{Complexity, Dropped, Report, Verdict, validated_subtask};
use oldhand_recall::effect::Effect;
use serde::{Deserialize, Serialize};

use super::costs::{ScratchpadUse, Took};
use super::retyped::{NOT_TAUGHT, RIGHT_AFTER_ALL, TAUGHT_AGAIN};
use super::told::{self, Told};
use super::{Extent, Promoted, Scratchpad};

const PROMOTED: &str = "promoted";
const DROPPED: &str = "dropped";
const WITHDRAWN: &str = "withdrawn";
/// What stands where the words were.
pub(crate) const ERASED: &str = "(erased)";

/// The longest first prompt that is kept, in bytes.
const PROMPT_LIMIT: usize = 4000;

/// What is known of a finished session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionBody {
    /// The first thing the user asked.
    pub prompt: String,
    pub branch: Option<String>,
    /// Where it ran.
    #[serde(default)]
    pub folder: Option<String>,
    pub session_type: String,
    /// Who said so, or what it was told by; nothing where nothing says anything.
    #[serde(default)]
    pub type_because: Option<String>,
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
    /// Both, in the order they were first touched.
    #[serde(default)]
    pub touched: Vec<String>,
    pub facts: SessionFacts,
    /// What agents were told in it.
    pub told: Vec<Told>,
    /// The modules that were looked at as a whole when it was finalized, each with its number of sessions.
    #[serde(default)]
    pub thresholds: Vec<(String, u32)>,
    /// Names its first call: another session with the same one tells the same past.
    #[serde(default)]
    pub first_call: Option<String>,
    /// The sessions whose events it tells again; those are counted with them.
    #[serde(default)]
    pub copied_from: Vec<SessionId>,
    /// Whether its client's own transcript tells of it, too; nothing where hooks name none.
    #[serde(default)]
    pub transcript: Option<OwnTranscript>,
    /// How full its scratchpad was; nothing in records of before that was measured.
    #[serde(default)]
    pub scratchpad: Option<ScratchpadUse>,
    /// What it took to learn from it; nothing where nobody looked at a clock.
    #[serde(default)]
    pub took: Option<Took>,
}

/// Whether the transcript that a session's hooks named was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnTranscript {
    pub read: bool,
    /// Why it was not, or what of it could not be.
    pub why: Option<String>,
}

impl SessionBody {
    /// `None` for a record of an older shape: it can be finalized again from its journal.
    pub fn read(record: &SessionRecord) -> Option<Self> {
        serde_json::from_str(&record.body).ok()
    }
}

/// Whether a record is of this very journal and of today's shape.
pub fn is_current(record: &SessionRecord, digest: &str) -> bool {
    record.digest == digest
        && SessionBody::read(record).is_some_and(|body| body.facts.form == FORM)
        && SessionReport::read(record).is_some_and(|report| report.whole)
}

/// What became of a session's candidates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionReport {
    /// The session type whose rules applied.
    pub gate: String,
    /// By the gate, and by how big the task was.
    pub limit: usize,
    /// How big the task was: `trivial`, `standard` or `complex`.
    #[serde(default)]
    pub complexity: Option<String>,
    /// Whether the session was over; else only its validated subtasks were looked at.
    pub whole: bool,
    pub lines: Vec<ReportLine>,
    /// The memories that it stood behind until its work failed: what was taken from them then comes back with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_out: Vec<TakenOut>,
}

/// A memory that a session no longer stands behind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TakenOut {
    pub memory: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportLine {
    /// `promoted`, `dropped`, or `withdrawn`: promoted until the work turned out to be wrong, or went on from where it stood.
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
    pub key: String,
    /// The subtask that it was promoted with, before the session was over, or in which it was found wrong.
    pub subtask: Option<String>,
    /// Whether it made a known memory surer instead of becoming one.
    #[serde(default)]
    pub confirms: bool,
    /// What was seen: the same in every session that shows the very same.
    #[serde(default)]
    pub observed: String,
    /// Whether many sessions show it together, and this one only brought it up: it takes none of the session's room.
    #[serde(default)]
    pub together: bool,
}

impl SessionReport {
    pub fn read(record: &SessionRecord) -> Option<Self> {
        serde_json::from_str(&record.report).ok()
    }

    /// The session stands behind what it taught again; says which memories it is to be put back to. What another session told
    /// meanwhile it shows anew, like any other: two memories must not say the same. What sessions of its type do not teach stays away.
    pub(super) fn come_back(
        &mut self,
        shut_out: &BTreeSet<String>,
        told: impl Fn(&str) -> Option<MemoryId>,
    ) -> Vec<TakenOut> {
        let shut = self
            .lines
            .iter()
            .filter(|line| shut_out.contains(&line.key));
        let shut: BTreeSet<&String> = shut.filter_map(|line| line.memory.as_ref()).collect();
        let taken = std::mem::take(&mut self.taken_out).into_iter();
        let (away, mut back) = taken.partition(|one| shut.contains(&one.memory));
        self.taken_out = away;
        self.lines.retain(|line| {
            let is_taken = back
                .iter()
                .any(|one| Some(&one.memory) == line.memory.as_ref());
            let other = told(&line.key).map(|id| Some(id.to_string()));
            let is_told = line.outcome == WITHDRAWN
                && is_taken
                && other.is_some_and(|other| other != line.memory);
            if is_told {
                back.retain(|one| Some(&one.memory) != line.memory.as_ref());
            }
            !is_told
        });
        for line in &mut self.lines {
            let is_back = back
                .iter()
                .any(|one| Some(&one.memory) == line.memory.as_ref());
            if line.outcome == WITHDRAWN && is_back {
                PROMOTED.clone_into(&mut line.outcome);
                let was_other = line.why == NOT_TAUGHT;
                let why = if was_other {
                    TAUGHT_AGAIN
                } else {
                    RIGHT_AFTER_ALL
                };
                why.clone_into(&mut line.why);
            } else if line.outcome == WITHDRAWN && shut_out.contains(&line.key) {
                // Its work is right; what keeps it away is the type.
                NOT_TAUGHT.clone_into(&mut line.why);
            }
        }
        back
    }

    /// The memory that the candidate of this key became and that went since, the latest first.
    pub(super) fn withdrawn(&self, key: &str) -> impl Iterator<Item = MemoryId> {
        let lines = self.lines.iter().rev();
        let lines = lines.filter(move |line| line.outcome == WITHDRAWN && line.key == key);
        lines.filter_map(|line| line.memory.as_deref()?.parse().ok())
    }

    /// Whether the session had something to say under this key, learned or not.
    pub(super) fn tells(&self, key: &str) -> bool {
        self.lines.iter().any(|line| line.key == key)
    }

    /// The report of a session that is to teach again what is lost, and nothing else. `None` where it taught none of it.
    pub fn to_teach_again(mut self, is_lost: impl Fn(&ReportLine) -> bool) -> Option<Self> {
        let lines = self.lines.iter();
        let lost = lines.filter(|line| line.memory().is_some() && is_lost(line));
        let lost: BTreeSet<String> = lost.map(|line| line.key.clone()).collect();
        self.lines.retain(|line| !lost.contains(&line.key));
        self.whole = false;
        (!lost.is_empty()).then_some(self)
    }

    /// The memory that the candidate of this key became.
    pub(super) fn learned(&self, key: &str) -> Option<MemoryId> {
        let mut lines = self.lines.iter().filter(|line| line.key == key);
        lines.find_map(ReportLine::memory)
    }

    /// How many memories the session taught. What made a known one surer took no room, and takes none later.
    pub fn taught(&self) -> usize {
        let lines = self.lines.iter();
        let taught =
            lines.filter(|line| line.memory().is_some() && !line.confirms && !line.together);
        taught.count()
    }
}

impl ReportLine {
    /// Whether the session bears witness to what it says: its work stands.
    pub fn shows(&self) -> bool {
        let failed = [Dropped::WorkFailed, Dropped::Abandoned, Dropped::Erased];
        self.outcome != WITHDRAWN && !failed.iter().any(|why| self.why == why.to_string())
    }

    /// The memory it became.
    pub fn memory(&self) -> Option<MemoryId> {
        if self.outcome != PROMOTED {
            return None;
        }
        self.memory.as_deref()?.parse().ok()
    }
}

/// What a finalization produced, on its way to being put down.
pub(super) struct Product<'a> {
    pub(super) session: &'a SessionId,
    pub(super) digest: &'a str,
    pub(super) pad: &'a Scratchpad,
    pub(super) judgement: &'a Judgement,
    pub(super) complexity: Complexity,
    pub(super) facts: &'a SessionFacts,
    pub(super) extent: Extent,
    pub(super) report: &'a Report,
    pub(super) earlier: Option<&'a SessionReport>,
    pub(super) told: Vec<Told>,
    /// What was known of the session before.
    pub(super) before: Option<&'a SessionBody>,
    /// Modules that were looked at as a whole.
    pub(super) thresholds: Vec<(String, u32)>,
    pub(super) scratchpad: ScratchpadUse,
    /// What it took so far, whenever asked.
    pub(super) took: &'a dyn Fn() -> Option<Took>,
    /// What the session stands behind again.
    pub(super) given_back: Vec<TakenOut>,
    /// What it taught as a session of another type.
    pub(super) left_behind: &'a BTreeSet<MemoryId>,
    /// What it taught before and would teach as its work stands now.
    pub(super) upheld: &'a BTreeSet<MemoryId>,
}

/// What became of the memories that a session spoke of.
#[derive(Default)]
pub(super) struct Put {
    /// For each promoted candidate.
    pub(super) written: Vec<Promoted>,
    /// Those of before that it no longer stands behind.
    pub(super) withdrawn: Vec<TakenOut>,
    /// Where its own work stood before, and does not any more.
    pub(super) over: Vec<MemoryId>,
}

impl Put {
    /// Why a line of this memory is one of what was learned no more.
    fn ends(
        &self,
        memory: Option<&String>,
        left_behind: &BTreeSet<MemoryId>,
    ) -> Option<&'static str> {
        let is = |id: &str| memory.is_some_and(|memory| memory == id);
        if self.withdrawn.iter().any(|one| is(&one.memory)) {
            if left_behind.iter().any(|id| is(&id.to_string())) {
                return Some(NOT_TAUGHT);
            }
            return Some("the work failed after all");
        }
        let is_over = self.over.iter().any(|id| is(&id.to_string()));
        is_over.then_some("the work went on")
    }
}

impl Product<'_> {
    /// Memories that the session used and that were not counted when it was finalized before.
    pub(super) fn newly_used(&self) -> BTreeSet<MemoryId> {
        let before = self.before.map_or(&[][..], |body| &body.told);
        let counted = told::ids(before, Effect::Used);
        let used = told::ids(&self.told, Effect::Used);
        used.difference(&counted).copied().collect()
    }

    pub(super) fn record(&self, put: &Put, now: Timestamp) -> SessionRecord {
        let analytics = &self.pad.whole;
        let start = analytics.start.as_ref();
        let kind = analytics.kind();
        let started_at = analytics.first_at.unwrap_or(now);
        let body = SessionBody {
            prompt: analytics
                .prompts
                .first()
                .map_or_else(String::new, |prompt| beginning(&prompt.text)),
            branch: start.and_then(|start| start.branch.clone()),
            folder: self.pad.folder(),
            session_type: kind.session_type.to_string(),
            type_because: kind.because.describe(),
            verdict: match self.judgement.verdict {
                WorkVerdict::Passed => "passed",
                WorkVerdict::Failed => "failed",
                WorkVerdict::Unknown => "unknown",
            }
            .to_owned(),
            verdict_confidence: self.judgement.confidence.get(),
            evidence: self
                .judgement
                .evidence
                .iter()
                .map(Evidence::describe)
                .collect(),
            events: analytics.events,
            input_tokens_peak: self.facts.peak_tokens,
            edited: in_order(analytics, FileUse::is_edited),
            read: in_order(analytics, |file| file.reads > 0),
            touched: in_order(analytics, |_| true),
            told: self.told.clone(),
            facts: self.facts.clone(),
            thresholds: self.all_thresholds(),
            first_call: self.pad.first_call.clone(),
            copied_from: self.pad.copied_from.clone(),
            transcript: self.pad.transcript.clone(),
            scratchpad: Some(self.scratchpad),
            took: (self.took)(),
        };
        SessionRecord {
            errors: body
                .facts
                .errors
                .iter()
                .map(|error| error.message.clone())
                .collect(),
            id: self.session.clone(),
            client: start.map_or_else(|| "unknown".to_owned(), |start| start.client.clone()),
            started_at,
            ended_at: analytics.last_at.unwrap_or(started_at),
            finalized_at: now,
            digest: self.digest.to_owned(),
            body: serde_json::to_string(&body).expect("plain data always serialises"),
            report: serde_json::to_string(&self.describe(put))
                .expect("plain data always serialises"),
        }
    }

    /// Those of now, and those of before that the session need not reach again.
    fn all_thresholds(&self) -> Vec<(String, u32)> {
        let before = self.before.iter().flat_map(|body| &body.thresholds);
        let all: BTreeSet<_> = before.chain(&self.thresholds).cloned().collect();
        all.into_iter().collect()
    }

    /// Those of now, and of before where the work is still wrong and nothing says them again.
    fn all_taken_out(&self, put: &Put) -> Vec<TakenOut> {
        let again = put.written.iter().filter_map(Promoted::id);
        let again: BTreeSet<String> = again.map(|id| id.to_string()).collect();
        let new = |one: &TakenOut| put.withdrawn.iter().any(|new| new.memory == one.memory);
        let before = self.earlier.iter().flat_map(|report| &report.taken_out);
        let before = before.filter(|one| !new(one) && !again.contains(&one.memory));
        before.chain(&put.withdrawn).cloned().collect()
    }

    fn describe(&self, put: &Put) -> SessionReport {
        let mut written = put.written.iter();
        let mut lines: Vec<ReportLine> = Vec::new();
        let before = |key: &str| {
            let lines = self.earlier.iter().flat_map(|report| &report.lines);
            lines
                .into_iter()
                .find(|line| line.key == key && line.memory().is_some())
        };
        for (candidate, verdict) in &self.report.verdicts {
            if let (Verdict::Dropped(Dropped::LearnedBefore { .. }), Some(line)) =
                (verdict, before(&candidate.told_as()))
            {
                if !lines.contains(line) {
                    lines.push(line.clone());
                }
                continue;
            }
            let (outcome, memory, why) = match verdict {
                Verdict::Dropped(dropped) => (DROPPED, None, dropped.to_string()),
                Verdict::Promoted(_) => match written.next() {
                    Some(Promoted::Refused(refusal)) => (DROPPED, None, refusal.clone()),
                    Some(Promoted::As(id)) => (PROMOTED, Some(id.to_string()), verdict.to_string()),
                    None => (DROPPED, None, "it was not written".to_owned()),
                },
            };
            let early = memory.is_some() && self.extent == Extent::Subtasks;
            let subtask = early
                .then(|| validated_subtask(&self.pad.whole, candidate))
                .flatten();
            let subtask = candidate.subtask.as_deref().or(subtask);
            let erased = *verdict == Verdict::Dropped(Dropped::Erased);
            let unless_erased = |words: &str| if erased { ERASED } else { words }.to_owned();
            lines.push(ReportLine {
                outcome: outcome.to_owned(),
                memory_type: candidate.payload.memory_type().to_string(),
                summary: unless_erased(candidate.summary.as_str()),
                memory,
                why,
                steps: candidate.evidence.clone(),
                key: unless_erased(&candidate.told_as()),
                subtask: subtask.map(str::to_owned),
                observed: unless_erased(&candidate.key),
                together: candidate.origin == Origin::Many,
                confirms: matches!(verdict, Verdict::Promoted(promotion) if promotion.updates.is_some()),
            });
        }
        // What was learned earlier and is no candidate any more was learned all the same; what was taken back may come again.
        for line in self.earlier.iter().flat_map(|report| &report.lines) {
            let told = lines.iter().any(|other| other.memory == line.memory);
            let is_withdrawn = line.outcome == WITHDRAWN && line.memory.is_some();
            if (line.memory().is_some() || is_withdrawn) && !told {
                lines.push(line.clone());
            }
        }
        for line in &mut lines {
            if line.memory().is_some()
                && let Some(why) = put.ends(line.memory.as_ref(), self.left_behind)
            {
                WITHDRAWN.clone_into(&mut line.outcome);
                why.clone_into(&mut line.why);
            }
        }
        SessionReport {
            gate: self.report.gate.session_type.to_string(),
            limit: self.report.limit,
            complexity: Some(self.complexity.as_str().to_owned()),
            whole: self.extent == Extent::Whole,
            lines,
            taken_out: self.all_taken_out(put),
        }
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
