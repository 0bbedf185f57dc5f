//! What an import of rules files did or would do, as JSON.

use oldhand_domain::id::MemoryId;
use oldhand_engine::rules::Weight;
use oldhand_observe::orders::Order;
use oldhand_redact::redact;
use serde::Serialize;

use super::receipt::LineView;
use crate::cli::import::rules::Preview;
use crate::cli::import::rules::said::Looked;

#[derive(Serialize)]
pub(crate) struct RulesView {
    pub(crate) dry_run: bool,
    pub(crate) files: Vec<RulesFileView>,
    /// What no rules file says any more: stale from now on.
    pub(crate) unsaid: Vec<UnsaidView>,
    /// What was stale by that, and stands in one again.
    pub(crate) said_again: Vec<MemoryId>,
}

#[derive(Serialize)]
pub(crate) struct UnsaidView {
    id: MemoryId,
    content: String,
    why: String,
}

impl UnsaidView {
    pub(crate) fn all(looked: &Looked) -> Vec<Self> {
        let unsaid = looked.unsaid.iter().map(|(memory, why)| Self {
            id: memory.id,
            content: memory.content.to_string(),
            why: why.clone(),
        });
        unsaid.collect()
    }
}

#[derive(Serialize)]
pub(crate) struct RulesFileView {
    path: String,
    /// New statements: what became of each, or `new` when nothing was written.
    rules: Vec<LineView>,
    /// How many are known already.
    known: usize,
    skipped: Vec<SkippedView>,
    /// Sections that are the manual of a program, each told as one pointer.
    manuals: Vec<ManualView>,
}

#[derive(Serialize)]
struct ManualView {
    program: String,
    heading: String,
    first_line: usize,
    last_line: usize,
}

#[derive(Serialize)]
struct SkippedView {
    line: usize,
    why: &'static str,
}

impl RulesFileView {
    pub(crate) fn new(preview: &Preview, written: Option<&Vec<LineView>>) -> Self {
        let rules = preview.new.iter().enumerate().map(|(at, rule)| {
            let answer = written.and_then(|lines| lines.get(at)).cloned();
            let mut line = answer.unwrap_or_else(|| LineView::unwritten(rule.line, "new", None));
            line.memory_type = Some(rule.rule_type.to_string());
            line.content = Some(redact(&rule.content).text.into_owned());
            let doubt = matches!(rule.weight, Weight::Doubtful { .. });
            let doubt = doubt.then_some("names a file that is not there");
            line.held_back = rule.order.map(Order::as_str).or(doubt);
            line
        });
        let skipped = preview.skipped.iter().map(|skipped| SkippedView {
            line: skipped.line,
            why: skipped.why,
        });
        let manuals = preview.manuals.iter().map(|manual| ManualView {
            program: manual.program.clone(),
            heading: manual.heading.clone(),
            first_line: manual.first,
            last_line: manual.last,
        });
        Self {
            manuals: manuals.collect(),
            path: preview.file.to_string(),
            rules: rules.collect(),
            known: preview.known,
            skipped: skipped.collect(),
        }
    }
}
