//! What is said after a memory was changed.

use std::io::Write;

use anyhow::Result;
use jiff::Timestamp;
use oldhand_engine::{Redaction, Shelved};

use crate::card;
use crate::out::Out;
use crate::out::style::GOOD;
use crate::view::receipt::ChangeView;

/// `outcome` is one word: `pinned`.
pub(crate) fn tell(
    out: &mut Out,
    outcome: &'static str,
    shelved: &Shelved,
    redactions: &[Redaction],
    now: Timestamp,
) -> Result<()> {
    if out.is_json() {
        return out.json(&ChangeView::new(outcome, shelved, redactions, now));
    }
    for redaction in redactions {
        out.note(&card::redaction(redaction));
    }
    writeln!(out, "{GOOD}{outcome}{GOOD:#}")?;
    card::brief(out, shelved, now)?;
    Ok(())
}
