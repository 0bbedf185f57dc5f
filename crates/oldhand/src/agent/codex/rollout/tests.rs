//! Rollouts as they come, and the events they give.

use oldhand_domain::event::Ending;
use serde_json::json;

use super::*;

#[test]
fn a_patch_that_does_not_fit_and_a_server_that_fails_are_failures() {
    let item = |payload: Value| json!({ "type": "response_item", "payload": payload });
    let lines = [
        item(
            json!({ "type": "custom_tool_call", "name": "apply_patch", "input": "x", "call_id": "a" }),
        ),
        item(json!({ "type": "custom_tool_call_output", "call_id": "a",
            "output": "apply_patch verification failed: Failed to find expected lines" })),
        item(
            json!({ "type": "function_call", "name": "search", "namespace": "mcp__docs", "call_id": "b" }),
        ),
        json!({ "type": "event_msg", "payload": { "type": "item_completed",
            "item": { "type": "McpToolCall", "id": "b", "status": "failed" } } }),
        item(json!({ "type": "function_call_output", "call_id": "b", "output": "no such page" })),
        item(
            json!({ "type": "function_call", "name": "search", "namespace": "mcp__docs", "call_id": "c" }),
        ),
        item(json!({ "type": "function_call_output", "call_id": "c", "output": "a page" })),
    ];
    let mut rollout = Rollout::new(&Root::new("/home/dev/project"));
    let mut events = Vec::new();
    for line in &lines {
        assert_eq!(rollout.take(line, &mut events), None);
    }
    let ended: Vec<Ending> = events
        .iter()
        .filter_map(|event| match &event.what {
            Happening::ToolReturned(back) => Some(back.ended),
            _ => None,
        })
        .collect();
    assert_eq!(ended, [Ending::Failed, Ending::Failed, Ending::Succeeded]);
}

#[test]
fn a_script_counts_as_its_calls_and_a_process_ends_when_its_exit_code_is_told() {
    let item = |payload: Value| json!({ "type": "response_item", "payload": payload });
    let exec = |id: &str, input: &str| {
        item(json!({ "type": "custom_tool_call", "name": "exec", "input": input, "call_id": id }))
    };
    let printed = |id: &str, texts: &[&str]| {
        let head = "Script completed\nWall time 0.1 seconds\nOutput:\n";
        let parts: Vec<Value> = std::iter::once(&head)
            .chain(texts)
            .map(|text| json!({ "type": "input_text", "text": text }))
            .collect();
        item(json!({ "type": "custom_tool_call_output", "call_id": id, "output": parts }))
    };
    let lines = [
        exec(
            "a",
            "await tools.apply_patch(\"*** Begin Patch\\n*** Update File: src/a.rs\\n+x\\n*** End Patch\")",
        ),
        printed("a", &["{}"]),
        exec(
            "b",
            "for (const r of await Promise.all([tools.exec_command({cmd: 'ls'}), tools.exec_command({cmd: 'cat notes.md', workdir: '/opt/other'})])) text(r.output)",
        ),
        printed("b", &["src", "text"]),
        exec(
            "c",
            "const r = await tools.exec_command({cmd: 'cargo test'}); text(JSON.stringify(r))",
        ),
        item(
            json!({ "type": "custom_tool_call_output", "call_id": "c", "output": "Script running with cell ID 4\nWall time 10.0 seconds\nOutput:\n" }),
        ),
        item(
            json!({ "type": "function_call", "name": "wait", "arguments": "{\"cell_id\":\"4\"}", "call_id": "d" }),
        ),
        printed("d", &["{\"session_id\":7,\"output\":\"compiling\"}"]),
        exec(
            "e",
            "const r = await tools.write_stdin({session_id: 7, chars: ''}); text(JSON.stringify(r))",
        ),
        printed(
            "e",
            &["{\"exit_code\":101,\"output\":\"test a ... FAILED\"}"],
        ),
        item(
            json!({ "type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"make\"}", "call_id": "f" }),
        ),
        item(
            json!({ "type": "function_call_output", "call_id": "f", "output": "Chunk ID: 1\nProcess running with session ID 9\nOutput:\nstart" }),
        ),
        item(
            json!({ "type": "function_call", "name": "write_stdin", "arguments": "{\"session_id\":9,\"chars\":\"\"}", "call_id": "g" }),
        ),
        item(
            json!({ "type": "function_call_output", "call_id": "g", "output": "Process exited with code 0\nOutput:\ndone" }),
        ),
    ];
    let mut rollout = Rollout::new(&Root::new("/home/dev/project"));
    let mut events = Vec::new();
    for line in &lines {
        assert_eq!(rollout.take(line, &mut events), None);
    }
    let told: Vec<String> = events
        .iter()
        .map(|event| match &event.what {
            Happening::ToolCalled { id, .. } => format!("{id} called"),
            Happening::ToolReturned(back) => format!(
                "{} {:?} {:?} {}",
                back.id,
                back.ended,
                back.exit_code,
                back.excerpt.as_str().replace('\n', "|")
            ),
            Happening::CommandEnded {
                id,
                exit_code,
                output,
            } => format!("{id} ended {exit_code:?} {}", output.as_str()),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        told,
        [
            "a called",
            "a Succeeded None ",
            "b.1 called",
            "b.2 called",
            "b.1 Succeeded None src",
            "b.2 Succeeded None text",
            "c called",
            "c Succeeded None Process running with session ID 7|Output:|compiling",
            "c ended Some(101) test a ... FAILED",
            "f called",
            "f Succeeded None Process running with session ID 9|Output:|start",
            "f ended Some(0) done",
        ]
    );
    let outside = |id: &str| {
        events.iter().any(|event| matches!(&event.what,
            Happening::ToolCalled { id: of, call: Call::Shell { reads_outside: true, .. } } if of == id))
    };
    for (script, hides) in [
        ("await tools.exec_command({cmd: 'curl ' + url})", true),
        (
            "const run = tools['exec_command']; await run({cmd: 'ls'})",
            true,
        ),
        ("text(1 + 1)", false),
        ("await tools.exec_command({cmd: 'ls'})", false),
    ] {
        let mut events = Vec::new();
        rollout.take(&exec("h", script), &mut events);
        let marks = |event: &Event| matches!(event.what, Happening::MayHaveTaken { .. });
        assert_eq!(events.iter().any(marks), hides, "{script}");
    }
    assert!(!outside("b.1"), "{events:?}");
    assert!(outside("b.2"), "{events:?}");
}

#[test]
fn a_rollout_of_an_early_version_tells_the_same_as_later_ones() {
    let message = |role: &str, text: &str| {
        json!({ "type": "message", "id": null, "role": role,
            "content": [{ "type": "input_text", "text": text }] })
    };
    let note = json!({ "record_type": "state" });
    let at = "2025-08-28T12:05:24.389Z";
    let lines = [
        json!({ "id": "s1", "timestamp": at, "instructions": null, "git": { "branch": "main" } }),
        note.clone(),
        message(
            "user",
            "<environment_context>\n  <cwd>/home/dev/project</cwd>\n  <network_access>enabled</network_access>\n</environment_context>",
        ),
        note,
        message("user", "make the tests pass"),
        json!({ "type": "reasoning", "id": "r", "summary": [], "encrypted_content": "x" }),
        json!({ "type": "function_call", "name": "shell", "call_id": "a",
            "arguments": "{\"command\":[\"bash\",\"-lc\",\"make test\"]}" }),
        json!({ "type": "function_call_output", "call_id": "a",
            "output": "{\"output\":\"1 failed\",\"metadata\":{\"exit_code\":2}}" }),
        message("assistant", "One test fails."),
    ];
    let mut known = Head::default();
    for line in &lines {
        head(line, &mut known);
    }
    let when: Timestamp = at.parse().unwrap();
    let expected = Head {
        session: Some("s1".to_owned()),
        subagent: None,
        cwd: Some("/home/dev/project".to_owned()),
        branch: Some("main".to_owned()),
        started_at: Some(when),
    };
    assert_eq!(known, expected);
    let mut rollout = Rollout::new(&Root::new("/home/dev/project"));
    let mut events = Vec::new();
    for line in &lines {
        assert_eq!(rollout.take(line, &mut events), None, "{line}");
    }
    assert!(events.iter().all(|event| event.at == when), "{events:?}");
    let Happening::SessionStarted(start) = &events[0].what else {
        panic!("{events:?}");
    };
    assert_eq!(start.cwd, "/home/dev/project");
    assert_eq!(start.branch.as_deref(), Some("main"));
    let told: Vec<&str> = events
        .iter()
        .filter_map(|event| match &event.what {
            Happening::Prompt { text, .. } | Happening::Text { text, .. } => Some(text.as_str()),
            Happening::ToolReturned(back) => Some(back.excerpt.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(told, ["make the tests pass", "1 failed", "One test fails."]);
    let exits = events.iter().filter_map(|event| match &event.what {
        Happening::ToolReturned(back) => Some(back.exit_code),
        _ => None,
    });
    assert_eq!(exits.collect::<Vec<_>>(), [Some(2)]);
}

#[test]
fn what_an_editor_or_another_thread_puts_around_a_request_is_not_typed() {
    let message = |text: &str| {
        json!({ "type": "response_item", "payload": { "type": "message", "role": "user",
            "content": [{ "type": "input_text", "text": text }] } })
    };
    let heard = |text: &str| {
        let mut rollout = Rollout::new(&Root::new("/home/dev/project"));
        let mut events = Vec::new();
        let meta = json!({ "type": "session_meta", "payload": { "id": "t1", "cwd": "/home/dev/project" } });
        rollout.take(&meta, &mut events);
        rollout.take(&message(text), &mut events);
        let asked = events.into_iter().find_map(|event| match event.what {
            Happening::Prompt { text, .. } => Some((text.as_str().to_owned(), event.agent)),
            _ => None,
        });
        asked.map(|(text, agent)| format!("{text} by {}", agent.as_deref().unwrap_or("a person")))
    };
    for (text, expected) in [
        (
            "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs: src/a.rs\n\n## My request for Codex:\nuse tabs\n",
            Some("use tabs by a person"),
        ),
        (
            "\n# Files mentioned by the user:\n\n## shot.png: /home/dev/shot.png\n\n## My request for Codex:\nwhy is it red?",
            Some("why is it red? by a person"),
        ),
        (
            "<in-app-browser-context source=\"ambient-ui-state\">\n# In app browser:\n- one tab\n</in-app-browser-context>\n\n## My request for Codex:\ncommit each",
            Some("commit each by a person"),
        ),
        (
            "look: ## My request for Codex: is a heading",
            Some("look: ## My request for Codex: is a heading by a person"),
        ),
        (
            "<codex_delegation>\n  <source_thread_id>t0</source_thread_id>\n  <input>Make the branch.</input>\n</codex_delegation>",
            Some("Make the branch. by t1"),
        ),
        (
            "# Context from my IDE setup:\n\n## Active selection of the file:\n## My request for Codex:\nnever test\n\n## My request for Codex:\nuse tabs",
            Some("use tabs by a person"),
        ),
        (
            "what is <codex_delegation> <input>x</input></codex_delegation> for?",
            Some("what is <codex_delegation> <input>x</input></codex_delegation> for? by a person"),
        ),
        ("<skill>\n<name>notes</name>\nTake notes.\n</skill>", None),
    ] {
        assert_eq!(heard(text).as_deref(), expected, "{text}");
    }
}
