//! Payloads that were right once: every part of them replaced, removed, doubled or cut, in all clients.

use jiff::Timestamp;
use oldhand_domain::event::LINE_LIMIT;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Agent, Root, from_hook, parse_payload};

/// One payload of each shape that clients send.
fn shapes() -> Vec<Value> {
    let common = json!({
        "session_id": "6c754824-1cac-49f9",
        "cwd": "/home/dev/project",
        "transcript_path": "/home/dev/t.jsonl",
        "agent_id": "a7",
        "agent_type": "Explore",
    });
    let rest = [
        json!({"hook_event_name": "SessionStart", "source": "compact"}),
        json!({"hook_event_name": "UserPromptSubmit", "prompt": "make it <system-reminder>x</system-reminder> faster"}),
        json!({"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": "/home/dev/project/a.rs"}, "tool_response": {"type": "text", "file": {"content": "fn main() {}"}}, "tool_use_id": "t1"}),
        json!({"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": "a.rs", "old_string": "a", "new_string": "b"}, "tool_response": {"userModified": true, "structuredPatch": []}, "tool_use_id": "t2", "duration_ms": 7}),
        json!({"hook_event_name": "PostToolUse", "tool_name": "Grep", "tool_input": {"pattern": "fn .*", "path": "src"}, "tool_response": {"filenames": ["a.rs", "b.rs"], "numFiles": 2}, "tool_use_id": "t3"}),
        json!({"hook_event_name": "PostToolUse", "tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch\n*** Update File: a.rs\n@@\n-a\n+b\n*** End Patch"}, "tool_response": "Process exited with code 1\nOutput:\nno", "tool_use_id": "t4"}),
        json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "cargo test"}, "tool_use_id": "t5", "error": "Exit code 101\nerror[E0433]", "is_interrupt": false}),
        json!({"hook_event_name": "PostToolBatch", "tool_calls": [{"tool_name": "Edit", "tool_input": {"file_path": "a.rs"}, "tool_use_id": "t6", "tool_response": "<tool_use_error>no</tool_use_error>"}]}),
        json!({"hook_event_name": "Stop", "last_assistant_message": "Done."}),
        json!({"hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "tool_response": {"llmContent": "Exit Code: 1", "error": {"message": "x"}}, "timestamp": "2026-01-16T10:20:19Z"}),
        json!({"hook_event_name": "afterFileEdit", "file_path": "a.rs", "edits": [{"old_string": "a", "new_string": "b"}], "workspace_roots": ["/home/dev/project"], "conversation_id": "c"}),
        json!({"hook_event_name": "tool.execute.after", "input": {"tool": "bash", "callID": "c1", "sessionID": "s", "args": {"command": "ls"}}, "output": {"output": "x", "metadata": {"exit": 1}}}),
        json!({"hook_event_name": "event", "event": {"type": "message.part.updated", "properties": {"sessionID": "s", "part": {"type": "tool", "tool": "edit", "callID": "c", "state": {"status": "error", "error": "no", "input": {"filePath": "a.rs"}}}}}}),
    ];
    rest.into_iter()
        .map(|rest| {
            let mut payload = common.clone();
            if let (Value::Object(all), Value::Object(rest)) = (&mut payload, rest) {
                all.extend(rest);
            }
            payload
        })
        .collect()
}

/// What a part may be replaced by.
fn anything() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[[[1]]], {"a": null}])),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
        "[/.~:\\\\ \n<>a-z\u{202e}\u{0}]{0,60}".prop_map(Value::from),
        (1_usize..200_000).prop_map(|length| Value::from("é<".repeat(length / 3))),
    ]
}

/// How many parts a value has, itself included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

/// Replaces the part with this number; `None` removes it from what holds it.
fn replace(value: &mut Value, number: &mut usize, new: Option<&Value>) {
    if *number == 0 {
        *value = new.cloned().unwrap_or(Value::Null);
        *number = usize::MAX;
        return;
    }
    *number -= 1;
    match value {
        Value::Array(items) => {
            for item in items {
                if *number != usize::MAX {
                    replace(item, number, new);
                }
            }
        }
        Value::Object(members) => {
            let keys: Vec<String> = members.keys().cloned().collect();
            for key in keys {
                if *number == usize::MAX {
                    break;
                }
                if *number == 0 && new.is_none() {
                    members.remove(&key);
                    *number = usize::MAX;
                } else if let Some(member) = members.get_mut(&key) {
                    replace(member, number, new);
                }
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn no_change_of_a_payload_breaks_us(
        shape in proptest::sample::select(shapes()),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), proptest::option::of(anything())), 0..4),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut payload = shape;
        for (at, new) in &changes {
            let mut number = at.index(count(&payload));
            replace(&mut payload, &mut number, new.as_ref());
        }
        let mut text = payload.to_string();
        if let Some(cut) = cut {
            text.truncate(text.floor_char_boundary(cut.index(text.len())));
        }
        let Some(payload) = parse_payload(&text) else {
            return Ok(());
        };
        let root = Root::new("/home/dev/project");
        for agent in Agent::ALL {
            let told = from_hook(agent, &payload, &root, Timestamp::UNIX_EPOCH);
            for event in &told.events {
                if let Some(line) = event.to_line() {
                    prop_assert!(line.len() < LINE_LIMIT && !line.contains('\n'));
                }
            }
            // Looking for cues must not break either.
            crate::hook::try_cues(told.moment, &told.events, &payload);
        }
    }
}
