//! What of the things said to an agent its own client put down: the proof that they reached the model.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use anyhow::Result;
use jiff::Timestamp;
use oldhand_domain::event::{Event, Happening};
use oldhand_domain::id::SessionId;
use oldhand_recall::inject::fences_in;
use oldhand_store::journal::Journals;

use crate::file::open_regular;

/// A line that is longer holds no injection of ours.
const LINE_LIMIT: u64 = 4 * 1024 * 1024;

/// Looks into the transcripts of a session for what it was told, and writes into the journal what was found there. Where none
/// can be read nothing is written, and nothing is claimed.
pub(crate) fn take<'a>(
    journals: &Journals,
    session: &SessionId,
    files: impl Iterator<Item = &'a PathBuf>,
    now: Timestamp,
) -> Result<()> {
    let mut said: BTreeSet<String> = BTreeSet::new();
    let mut known: Option<BTreeSet<String>> = None;
    journals.each(session, |event| match event.what {
        Happening::Injected { fence, .. } => said.extend(fence),
        Happening::Delivered { fences } => known.get_or_insert_default().extend(fences),
        _ => {}
    })?;
    if said.is_empty() {
        return Ok(());
    }
    let seen: Vec<BTreeSet<String>> = files.filter_map(|path| look_through(path, &said)).collect();
    if seen.is_empty() {
        return Ok(());
    }
    let found: BTreeSet<String> = seen.into_iter().flatten().collect();
    let is_news = known.is_none_or(|known| found.iter().any(|mark| !known.contains(mark)));
    if is_news {
        let fences = found.into_iter().collect();
        let event = Event::new(now, Happening::Delivered { fences });
        journals.append(session, &[event])?;
    }
    Ok(())
}

/// The marks of `said` that a file holds; `None` when it cannot be read.
fn look_through(path: &Path, said: &BTreeSet<String>) -> Option<BTreeSet<String>> {
    let mut reader = BufReader::with_capacity(1 << 16, open_regular(path).ok()?);
    let mut found = BTreeSet::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = std::io::Read::take(&mut reader, LINE_LIMIT);
        if limited.read_until(b'\n', &mut line).ok()? == 0 {
            return Some(found);
        }
        let text = String::from_utf8_lossy(&line);
        // What a hook printed is not what the model got: Claude Code notes both.
        if text.contains("hook_success") && !text.contains("hook_additional_context") {
            continue;
        }
        let marks = fences_in(&text).filter(|mark| said.contains(*mark));
        found.extend(marks.map(str::to_owned));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn injected(fence: &str) -> Event {
        Event::new(
            Timestamp::UNIX_EPOCH,
            Happening::Injected {
                point: "file".to_owned(),
                memories: Vec::new(),
                facts: Vec::new(),
                tokens: 9,
                fence: Some(fence.to_owned()),
            },
        )
    }

    #[test]
    fn what_the_transcript_holds_was_delivered_and_a_printed_answer_is_no_proof() {
        let folder = tempfile::tempdir().unwrap();
        let transcript = folder.path().join("s.jsonl");
        let lines = [
            r#"{"attachment":{"type":"hook_additional_context","content":["<oldhand-memory aaaaaaaa>\n"]}}"#,
            r#"{"attachment":{"type":"hook_success","stdout":"<oldhand-memory bbbbbbbb>\n"}}"#,
            r#"{"text":"<oldhand-memory cccccccc>"}"#,
        ];
        std::fs::write(&transcript, lines.join("\n")).unwrap();
        let journals = Journals::new(folder.path().join("journal"));
        let session = SessionId::new("s").unwrap();
        let events = [injected("aaaaaaaa"), injected("bbbbbbbb")];
        journals.append(&session, &events).unwrap();
        for _ in 0..2 {
            take(
                &journals,
                &session,
                [&transcript].into_iter(),
                Timestamp::UNIX_EPOCH,
            )
            .unwrap();
        }
        let events = journals.read(&session).unwrap().events;
        let found: Vec<_> = events
            .iter()
            .filter_map(|event| match &event.what {
                Happening::Delivered { fences } => Some(fences.clone()),
                _ => None,
            })
            .collect();
        assert_eq!(found, [vec!["aaaaaaaa".to_owned()]]);
    }
}
