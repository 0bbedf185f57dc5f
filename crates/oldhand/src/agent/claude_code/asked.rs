//! What a person types where the agent asks them something and offers answers.

use jiff::Timestamp;
use oldhand_domain::event::{Event, Happening};
use serde_json::Value;

use super::super::json::{prompt, text};

/// What Claude Code tells its model where a person answers with "chat about this".
pub(super) const CLARIFIES: &str = "The user wants to clarify these questions";

/// The client's own tool that asks a person. What any other tool returns is nobody's words, whatever its form.
const ASKS: &str = "AskUserQuestion";

/// The answers of a result that were typed and not chosen.
pub(super) fn typed_answers(tool: &str, response: &Value, now: Timestamp) -> Vec<Event> {
    if tool != ASKS {
        return Vec::new();
    }
    let (Some(questions), Some(answers)) = (
        response.get("questions").and_then(Value::as_array),
        response.get("answers").and_then(Value::as_object),
    ) else {
        return Vec::new();
    };
    let typed = questions.iter().filter_map(|asked| {
        let question = text(asked, &["question"])?;
        let of_question = response
            .get("annotations")
            .and_then(|all| all.get(question));
        let note = of_question.and_then(|note| text(note, &["notes"]));
        let answer = answers.get(question).and_then(Value::as_str);
        note.or_else(|| answer.filter(|answer| !is_offered(asked, answer)))
    });
    let said = typed.filter_map(|words| prompt(words, now));
    said.map(as_answer).collect()
}

fn as_answer(mut event: Event) -> Event {
    if let Happening::Prompt { answers, .. } = &mut event.what {
        *answers = true;
    }
    event
}

/// Whether an answer is one of those that were offered, or several of them.
fn is_offered(asked: &Value, answer: &str) -> bool {
    let options = asked.get("options").and_then(Value::as_array);
    let labels = options.into_iter().flatten();
    let mut labels: Vec<&str> = labels
        .filter_map(|option| text(option, &["label"]))
        .filter(|label| !label.is_empty())
        .collect();
    // Of two that begin alike the longer one was chosen.
    labels.sort_by_key(|label| usize::MAX - label.len());
    let mut rest = answer.trim();
    while let Some(after) = labels.iter().find_map(|label| rest.strip_prefix(label)) {
        rest = after.trim_start_matches([',', ' ']);
    }
    rest.is_empty()
}

#[test]
fn what_was_chosen_is_nobodys_own_words() {
    use serde_json::json;
    let options = json!([{ "label": "Yes, all" }, { "label": "Yes" }, { "label": "No" }]);
    for (answer, note, expected) in [
        (json!("Yes"), json!(null), None),
        (json!("Yes, all"), json!(null), None),
        (json!("Yes, No"), json!(null), None),
        (json!(null), json!(null), None),
        (
            json!("no docker in here"),
            json!(null),
            Some("no docker in here"),
        ),
        (
            json!("No"),
            json!({ "notes": "not on Fridays" }),
            Some("not on Fridays"),
        ),
    ] {
        let response = json!({
            "questions": [{ "question": "Go on?", "options": options }],
            "answers": { "Go on?": answer },
            "annotations": { "Go on?": note },
        });
        let events = typed_answers(ASKS, &response, Timestamp::UNIX_EPOCH);
        let said = events.first().map(|event| match &event.what {
            Happening::Prompt {
                text,
                answers: true,
                ..
            } => text.as_str().to_owned(),
            other => panic!("{other:?}"),
        });
        assert_eq!(said.as_deref(), expected, "{response}");
    }
}
