//! Which of the things that just happened a memory may be about.

use oldhand_domain::event::{Call, Ending, Event, Happening, Place, Return};
use oldhand_engine::Cue;

use crate::agent::Moment;

/// The cues of one hook call, the most telling first. Most calls have none.
pub(super) fn cues(moment: Moment, events: &[Event]) -> Vec<Cue> {
    match moment {
        Moment::SessionStart => vec![Cue::SessionStarted],
        Moment::AfterCompaction => vec![Cue::ContextCompacted],
        Moment::AfterTool | Moment::ToolTrouble => returns(events).flat_map(of_return).collect(),
        _ => Vec::new(),
    }
}

/// What the agent has before its eyes: the results of its own calls.
pub(super) fn seen(events: &[Event]) -> String {
    let excerpts = returns(events).map(|back| back.excerpt.as_str());
    excerpts.collect::<Vec<_>>().join("\n")
}

fn returns(events: &[Event]) -> impl Iterator<Item = &Return> {
    events.iter().filter_map(|event| match &event.what {
        Happening::ToolReturned(back) => Some(back),
        _ => None,
    })
}

fn of_return(back: &Return) -> Vec<Cue> {
    let failed = || Cue::Failed(back.excerpt.as_str().to_owned());
    match (&back.call, back.ended) {
        (Call::Shell { command }, Ending::Failed) => {
            vec![failed(), Cue::CommandFailed(command.as_str().to_owned())]
        }
        // Some clients do not say how a command ended; a known error in its output does.
        (Call::Shell { .. }, Ending::Succeeded) if back.exit_code.is_none() => vec![failed()],
        (_, Ending::Failed) => vec![failed()],
        (Call::Read { file }, Ending::Succeeded) => of_file(file, Cue::FileRead),
        (Call::Write { file, .. }, Ending::Succeeded) => of_file(file, Cue::FileEdited),
        (Call::Edit { files, .. }, Ending::Succeeded) => files
            .iter()
            .flat_map(|file| of_file(file, Cue::FileEdited))
            .collect(),
        (Call::Grep { pattern, .. }, Ending::Succeeded) => vec![Cue::Searched(pattern.clone())],
        _ => Vec::new(),
    }
}

fn of_file(place: &Place, cue: impl FnOnce(oldhand_domain::path::ProjectPath) -> Cue) -> Vec<Cue> {
    place.project().cloned().map(cue).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use oldhand_domain::event::BoundedText;
    use oldhand_domain::path::ProjectPath;

    use super::*;

    fn back(call: Call, ended: Ending, exit_code: Option<i32>) -> Event {
        let returned = Return {
            id: "1".to_owned(),
            call,
            ended,
            excerpt: BoundedText::head("error: no such table", 200),
            matched: Vec::new(),
            exit_code,
            duration_ms: None,
            size: 20,
        };
        Event::new(Timestamp::UNIX_EPOCH, Happening::ToolReturned(returned))
    }

    fn shell() -> Call {
        Call::Shell {
            command: BoundedText::head("make test", 100),
        }
    }

    #[test]
    fn only_facts_are_cues() {
        let file = ProjectPath::new("src/db.rs").unwrap();
        let edit = Call::Edit {
            files: vec![Place::Project(file.clone()), Place::Outside],
            change: None,
        };
        let error = Cue::Failed("error: no such table".to_owned());
        let command = Cue::CommandFailed("make test".to_owned());
        let after = |event: Event| cues(Moment::AfterTool, &[event]);
        assert_eq!(
            after(back(shell(), Ending::Failed, Some(2))),
            [error.clone(), command]
        );
        assert_eq!(after(back(shell(), Ending::Succeeded, Some(0))), []);
        assert_eq!(after(back(shell(), Ending::Succeeded, None)), [error]);
        assert_eq!(
            after(back(edit, Ending::Succeeded, None)),
            [Cue::FileEdited(file)]
        );
        let prompt = back(shell(), Ending::Failed, Some(2));
        assert_eq!(cues(Moment::Prompt, &[prompt]), []);
    }
}
