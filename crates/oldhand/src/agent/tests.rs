//! Payloads and transcript lines as the clients send them, and what we understand.

use oldhand_domain::event::{Happening, UserCorrection};
use serde_json::json;

use super::transcript::{peek, read};
use super::*;

fn told(agent: Agent, payload: &Value) -> Told {
    from_hook(
        agent,
        payload,
        &Root::new("/home/dev/project"),
        Timestamp::UNIX_EPOCH,
    )
}

/// The events of a payload as journal lines, without their time.
fn lines(agent: Agent, payload: &Value) -> Vec<String> {
    told(agent, payload).events.iter().map(line).collect()
}

fn line(event: &Event) -> String {
    let line = event.to_line().unwrap();
    line.split_once("\",")
        .unwrap()
        .1
        .trim_end_matches('}')
        .replace('"', "")
}

fn transcript(agent: Agent, text: &[u8]) -> (Vec<String>, Reading) {
    let mut found = Vec::new();
    let reading = read(
        agent,
        std::io::Cursor::new(text),
        &Root::new("/home/dev/project"),
        |event| found.push(line(&event)),
    )
    .unwrap();
    (found, reading)
}

fn claude(event: &str, rest: &Value) -> Value {
    let mut payload = json!({"session_id": "6c75", "cwd": "/home/dev/project", "transcript_path": "/home/dev/t.jsonl", "hook_event_name": event});
    payload
        .as_object_mut()
        .unwrap()
        .extend(rest.as_object().unwrap().clone());
    payload
}

#[test]
fn agents_are_known_by_name() {
    for agent in Agent::ALL {
        assert_eq!(Agent::named(agent.as_str()), Some(agent));
    }
    assert_eq!(Agent::named("emacs"), None);
}

#[test]
fn claude_code_sends_failing_commands_to_another_hook() {
    let payload = claude(
        "PostToolUseFailure",
        &json!({"tool_name": "Bash", "tool_input": {"command": "npm test"}, "tool_use_id": "t1", "error": "Exit code 3\n> exit 3", "is_interrupt": false}),
    );
    let told = told(Agent::ClaudeCode, &payload);
    assert_eq!(told.moment, Moment::ToolTrouble);
    let Happening::ToolReturned(back) = &told.events[0].what else {
        panic!("{told:?}")
    };
    assert_eq!(back.exit_code, Some(3));
}

#[test]
fn claude_code_tells_refused_calls_only_in_the_batch() {
    let calls = json!({"tool_calls": [
        {"tool_name": "Read", "tool_input": {"file_path": "/home/dev/project/a.ts"}, "tool_use_id": "t1", "tool_response": "1\tx"},
        {"tool_name": "Edit", "tool_input": {"file_path": "/home/dev/project/a.ts", "old_string": "x", "new_string": "y"}, "tool_use_id": "t2", "tool_response": "<tool_use_error>String to replace not found in file.</tool_use_error>"},
        {"tool_name": "Edit", "tool_input": {"file_path": "/home/dev/project/b.ts"}, "tool_use_id": "t3", "tool_response": "The user doesn't want to proceed with this tool use. The tool use was rejected"},
    ]});
    let told = lines(Agent::ClaudeCode, &claude("PostToolBatch", &calls));
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("ended:error,excerpt:String to replace not found in file."));
    assert_eq!(told[1], "event:{corrected:{how:permission_denied,file:b.ts");
}

#[test]
fn a_step_is_about_the_files_it_opened_and_those_a_narrow_search_led_to() {
    let found = |paths: &[&str]| paths.join("\n");
    let step = |response: &str| {
        let command = json!({ "command": "grep -rn verify src" });
        let calls = json!({"tool_calls": [
            {"tool_name": "Read", "tool_input": {"file_path": "/home/dev/project/a.ts"}, "tool_use_id": "t1", "tool_response": "1\tx"},
            {"tool_name": "Grep", "tool_input": {"pattern": "verify"}, "tool_use_id": "t2", "tool_response": response},
            {"tool_name": "Bash", "tool_input": command, "tool_use_id": "t3", "tool_response": "src/jwt.ts:3:verify()"},
        ]});
        let payload = claude("PostToolBatch", &calls);
        let root = Root::new("/home/dev/project");
        let files = files_of_step(Agent::ClaudeCode, &payload, &root);
        files.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        step(&found(&["Found 1 file", "auth.ts"])),
        ["a.ts", "auth.ts", "src/jwt.ts"]
    );
    let everywhere = ["b.ts", "c.ts", "d.ts", "e.ts", "f.ts", "g.ts"];
    assert_eq!(step(&found(&everywhere)), ["a.ts", "src/jwt.ts"]);
}

#[test]
fn an_edit_the_user_changed_is_a_correction() {
    let payload = claude(
        "PostToolUse",
        &json!({"tool_name": "Edit", "tool_input": {"file_path": "/home/dev/project/a.ts", "old_string": "x", "new_string": "y"}, "tool_use_id": "t1", "tool_response": {"userModified": true}}),
    );
    let events = told(Agent::ClaudeCode, &payload).events;
    assert!(matches!(
        &events[0].what,
        Happening::Corrected {
            how: UserCorrection::EditModified,
            file: Some(_)
        }
    ));
    assert!(matches!(&events[1].what, Happening::ToolReturned(_)));
}

#[test]
fn a_subagents_calls_carry_its_name_and_compaction_is_no_subagent() {
    let payload = claude(
        "PostToolUse",
        &json!({"agent_id": "a77", "tool_name": "Grep", "tool_input": {"pattern": "jwt"}, "tool_use_id": "t1", "tool_response": {"filenames": ["auth.ts", "../other/x.ts"], "numFiles": 2}}),
    );
    assert_eq!(
        lines(Agent::ClaudeCode, &payload),
        [
            "agent:a77,event:{tool_returned:{id:t1,call:{tool:grep,pattern:jwt},ended:ok,matched:[auth.ts],size:0"
        ]
    );
    let stop = claude(
        "SubagentStop",
        &json!({"agent_id": "x", "agent_type": "", "last_assistant_message": "summary"}),
    );
    assert!(lines(Agent::ClaudeCode, &stop).is_empty());
}

#[test]
fn a_prompt_loses_what_clients_put_around_it() {
    let payload = claude(
        "UserPromptSubmit",
        &json!({"prompt": "<system-reminder>be nice</system-reminder>fix the bug"}),
    );
    assert_eq!(
        lines(Agent::ClaudeCode, &payload),
        ["event:{prompt:{text:fix the bug"]
    );
    let long = format!("look:\n```\n{}```", "log line\n".repeat(20));
    let payload = claude("UserPromptSubmit", &json!({"prompt": long}));
    assert!(lines(Agent::ClaudeCode, &payload)[0].ends_with("pasted:true"));
    let gemini = json!({"session_id": "s", "hook_event_name": "BeforeAgent", "prompt": "<hook_context>INJ</hook_context>\n\nfix the bug"});
    assert_eq!(
        lines(Agent::Gemini, &gemini),
        ["event:{prompt:{text:fix the bug"]
    );
}

#[test]
fn files_outside_the_project_lose_their_path() {
    let payload = claude(
        "PostToolUse",
        &json!({"tool_name": "Read", "tool_input": {"file_path": "/etc/passwd"}, "tool_use_id": "t1", "tool_response": {}}),
    );
    let told = lines(Agent::ClaudeCode, &payload);
    assert_eq!(
        told,
        ["event:{tool_returned:{id:t1,call:{tool:read,file:null},ended:ok,size:0"]
    );
}

#[test]
fn codex_edits_by_patch_and_hides_exit_codes() {
    let patch = json!({"session_id": "s", "cwd": "/home/dev/project", "hook_event_name": "PostToolUse", "tool_name": "apply_patch", "tool_use_id": "c1",
        "tool_input": {"command": "*** Begin Patch\n*** Update File: auth.ts\n@@\n-a\n+b\n*** End Patch"}, "tool_response": "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n"});
    assert!(lines(Agent::Codex, &patch)[0].contains("tool:edit,files:[auth.ts]"));
    let shell = json!({"session_id": "s", "cwd": "/home/dev/project", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "c2", "tool_input": {"command": "npm test"}, "tool_response": "boom"});
    let Happening::ToolReturned(back) = &told(Agent::Codex, &shell).events[0].what else {
        panic!("a return")
    };
    assert_eq!(back.exit_code, None);
}

#[test]
fn gemini_has_no_ids_and_writes_exit_codes_into_text() {
    let payload = json!({"session_id": "s", "cwd": "/home/dev/project", "timestamp": "2026-11-15T01:31:35.213Z", "hook_event_name": "AfterTool", "tool_name": "run_shell_command",
        "tool_input": {"command": "npm test"}, "tool_response": {"llmContent": "<untrusted_context>\nOutput: > exit 1\nExit Code: 1\n</untrusted_context>"}});
    let once = told(Agent::Gemini, &payload);
    let Happening::ToolReturned(back) = &once.events[0].what else {
        panic!("a return")
    };
    assert_eq!(back.exit_code, Some(1));
    assert!(back.excerpt.as_str().starts_with("> exit 1"));
    let mut later = payload.clone();
    later["timestamp"] = json!("2026-11-15T01:32:35.213Z");
    assert_ne!(once.events, told(Agent::Gemini, &later).events);
    let server = json!({"session_id": "s", "hook_event_name": "AfterTool", "tool_name": "mcp_oldhand_search_memory", "tool_input": {}, "tool_response": {"llmContent": [{"text": "hit"}]}, "mcp_context": {"server_name": "oldhand"}});
    assert!(
        lines(Agent::Gemini, &server)[0].contains("tool:mcp,server:oldhand,name:search_memory")
    );
}

#[test]
fn a_subagent_of_opencode_belongs_to_the_session_that_started_it() {
    let payload = |event: &str, agent: Value| {
        json!({ "hook_event_name": event, "session": "ses_1", "agent": agent, "cwd": "/home/dev/project",
            "text": "Done.", "delivered": ["3f9a2c1b"], "output": { "parts": [{ "text": "look" }] } })
    };
    let mut found = Vec::new();
    for agent in [Value::Null, json!("ses_2")] {
        for event in [
            "session.start",
            "chat.message",
            "session.idle",
            "session.end",
        ] {
            let told = told(Agent::OpenCode, &payload(event, agent.clone()));
            assert_eq!(told.session, "ses_1");
            let whose = agent.as_str();
            assert!(
                told.events
                    .iter()
                    .all(|event| event.agent.as_deref() == whose)
            );
            found.push((told.moment, told.events.len()));
        }
    }
    assert_eq!(
        found,
        [
            (Moment::SessionStart, 1),
            (Moment::Prompt, 1),
            (Moment::TurnEnd, 2),
            (Moment::SessionEnd, 3),
            (Moment::SubagentStart, 1),
            // What a subagent is asked, its parent asks.
            (Moment::Other, 0),
            (Moment::SubagentStop, 3),
            (Moment::SessionEnd, 3),
        ]
    );
}

#[test]
fn opencode_tells_failures_in_events() {
    let payload = json!({"cwd": "/home/dev/project", "hook_event_name": "event", "event": {"type": "message.part.updated", "properties": {"sessionID": "ses_1",
        "part": {"type": "tool", "tool": "grep", "callID": "c1", "state": {"status": "error", "input": {"pattern": "jwt"}, "error": "ripgrep execution failed"}}}}});
    let found = told(Agent::OpenCode, &payload);
    assert_eq!(
        (found.moment, found.session.as_str()),
        (Moment::ToolTrouble, "ses_1")
    );
    let after = json!({"cwd": "/home/dev/project", "hook_event_name": "tool.execute.after", "input": {"tool": "bash", "sessionID": "ses_1", "callID": "c2", "args": {"command": "npm test"}}, "output": {"output": "no", "metadata": {"exit": 1}}});
    assert!(lines(Agent::OpenCode, &after)[0].contains("ended:error,excerpt:no,exit_code:1"));
}

#[test]
fn cursor_tells_each_kind_of_call_apart() {
    let common = json!({"conversation_id": "c", "generation_id": "g", "workspace_roots": ["/home/dev/project"]});
    let payload = |event: &str, rest: Value| {
        let mut payload = common.clone();
        payload["hook_event_name"] = json!(event);
        payload
            .as_object_mut()
            .unwrap()
            .extend(rest.as_object().unwrap().clone());
        payload
    };
    let edit = payload(
        "afterFileEdit",
        json!({"file_path": "/home/dev/project/a.ts", "edits": [{"old_string": "x", "new_string": "y"}]}),
    );
    assert!(lines(Agent::Cursor, &edit)[0].contains("tool:edit,files:[a.ts]"));
    let shell = payload(
        "afterShellExecution",
        json!({"command": "npm test", "output": "ok", "duration": 3}),
    );
    assert!(lines(Agent::Cursor, &shell)[0].contains("tool:shell,command:npm test"));
    // The same event through a hook written for Claude Code is told as that client tells it.
    let twice = payload(
        "PostToolUse",
        json!({"session_id": "c", "tool_name": "Read", "tool_use_id": "t1", "tool_input": {"file_path": "/home/dev/project/a.ts"}, "tool_response": {}}),
    );
    assert!(lines(Agent::Cursor, &twice)[0].contains("tool:read,file:a.ts"));
}

#[test]
fn nothing_a_client_sends_breaks_us() {
    let odd = [
        json!(null),
        json!([]),
        json!("x"),
        json!({}),
        json!({"hook_event_name": "PostToolUse"}),
        json!({"hook_event_name": 3, "cwd": []}),
        json!({"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_use_id": "t", "tool_input": "text", "tool_response": 7}),
        json!({"hook_event_name": "event", "event": {"type": "message.part.updated"}}),
        json!({"hook_event_name": "PostToolBatch", "tool_calls": [1, null, {}]}),
    ];
    for agent in Agent::ALL {
        for payload in &odd {
            for event in told(agent, payload).events {
                assert!(event.to_line().is_some(), "{payload}");
            }
        }
    }
}

#[test]
fn a_claude_transcript_joins_calls_and_results() {
    let text = br#"{"type":"user","sessionId":"s","cwd":"/home/dev/project","gitBranch":"main","timestamp":"2026-01-16T10:20:19Z","message":{"role":"user","content":"fix it"}}
{"type":"assistant","timestamp":"2026-01-16T10:20:20Z","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"On it."}],"usage":{"input_tokens":5,"cache_read_input_tokens":7,"output_tokens":2}}}
{"type":"assistant","timestamp":"2026-01-16T10:20:21Z","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test ./..."}}],"usage":{"input_tokens":5,"cache_read_input_tokens":7,"output_tokens":2}}}
{"type":"user","timestamp":"2026-01-16T10:20:22Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Exit code 1\nFAIL"}]}}
{"type":"user","timestamp":"2026-01-16T10:20:23Z","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}}
{"type":"hologram","timestamp":"2026-01-16T10:20:24Z"}
{"type":"assistant","timest
"#;
    let (found, reading) = transcript(Agent::ClaudeCode, text);
    assert_eq!(
        found,
        [
            "event:{session_started:{client:claude-code,session_type:build,cwd:/home/dev/project,branch:main",
            "event:{prompt:{text:fix it",
            "event:{step_completed:{input:12,output:2",
            "event:{text:{voice:said,text:On it.",
            "event:{tool_called:{id:t1,call:{tool:shell,command:go test ./...",
            "event:{tool_returned:{id:t1,call:{tool:shell,command:go test ./...},ended:error,excerpt:Exit code 1\\nFAIL,exit_code:1,size:16",
            "event:{corrected:{how:interrupted",
        ]
    );
    assert_eq!(
        (reading.broken, reading.unknown.get("hologram")),
        (1, Some(&1))
    );
    let head = peek(Agent::ClaudeCode, std::io::Cursor::new(&text[..])).unwrap();
    assert_eq!(
        (
            head.session.as_deref(),
            head.cwd.as_deref(),
            head.branch.as_deref()
        ),
        (Some("s"), Some("/home/dev/project"), Some("main"))
    );
}

#[test]
fn a_prompt_typed_after_going_back_is_a_rewind() {
    let line = |id: &str, parent: &str, kind: &str, words: &str| {
        json!({"type": kind, "uuid": id, "parentUuid": parent, "cwd": "/home/dev/project", "timestamp": "2026-01-16T10:20:19Z", "message": {"role": kind, "content": words}}).to_string()
    };
    let start = [
        line("a", "", "user", "fix it"),
        line("b", "a", "assistant", "Done."),
        line("c", "b", "user", "now the docs"),
    ];
    let on = [start.join("\n"), line("d", "c", "assistant", "Done.")].join("\n");
    assert!(
        !transcript(Agent::ClaudeCode, on.as_bytes())
            .0
            .iter()
            .any(|line| line.contains("rewound"))
    );
    let back = [on, line("e", "b", "user", "no, the tests")].join("\n");
    let found = transcript(Agent::ClaudeCode, back.as_bytes()).0;
    assert_eq!(
        found[found.len() - 2..],
        [
            "event:{corrected:{how:rewound",
            "event:{prompt:{text:no, the tests"
        ]
    );
}

#[test]
fn a_codex_rollout_joins_calls_and_outputs() {
    let text = br#"{"timestamp":"2026-11-15T01:25:12Z","type":"session_meta","payload":{"id":"s1","cwd":"/home/dev/project","timestamp":"2026-11-15T01:25:12Z"}}
{"timestamp":"2026-11-15T01:25:13Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n<cwd>/x</cwd>\n</environment_context>"}]}}
{"timestamp":"2026-11-15T01:25:13Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"fix it"}]}}
{"timestamp":"2026-11-15T01:25:14Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\": \"npm test\"}","call_id":"c1"}}
{"timestamp":"2026-11-15T01:25:15Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Chunk ID: 1\nProcess exited with code 1\nOutput:\nboom\n"}}
{"timestamp":"2026-11-15T01:25:16Z","type":"response_item","payload":{"type":"function_call","name":"search_memory","namespace":"mcp__oldhand","arguments":"{}","call_id":"c2"}}
{"timestamp":"2026-11-15T01:25:17Z","type":"event_msg","payload":{"type":"turn_aborted"}}
"#;
    let (found, reading) = transcript(Agent::Codex, text);
    assert_eq!(
        found,
        [
            "event:{session_started:{client:codex,session_type:build,cwd:/home/dev/project",
            "event:{prompt:{text:fix it",
            "event:{tool_called:{id:c1,call:{tool:shell,command:npm test",
            "event:{tool_returned:{id:c1,call:{tool:shell,command:npm test},ended:error,excerpt:boom,exit_code:1,size:5",
            "event:{tool_called:{id:c2,call:{tool:mcp,server:oldhand,name:search_memory",
            "event:{corrected:{how:interrupted",
        ]
    );
    assert!(reading.unknown.is_empty());
}

#[test]
fn what_a_codex_reviewer_is_asked_no_person_typed() {
    let asked = |source: &str| {
        let text = format!(
            r#"{{"timestamp":"2026-11-15T01:25:12Z","type":"session_meta","payload":{{"id":"s1","cwd":"/home/dev/project","source":{source}}}}}
{{"timestamp":"2026-11-15T01:25:13Z","type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":"Always review with care."}}]}}}}
"#
        );
        transcript(Agent::Codex, text.as_bytes()).0[1].clone()
    };
    assert!(!asked(r#""vscode""#).contains("agent:s1"));
    assert!(asked(r#"{"subagent":"review"}"#).contains("agent:s1"));
    assert!(asked(r#"{"subagent":{"other":"guardian"}}"#).contains("agent:s1"));
}

#[test]
fn a_gemini_message_written_again_is_told_once() {
    let text = br#"{"sessionId":"s","startTime":"2026-11-15T01:31:29Z","kind":"main"}
{"id":"u1","timestamp":"2026-11-15T01:31:30Z","type":"user","content":[{"text":"fix it"}]}
{"id":"g1","timestamp":"2026-11-15T01:31:31Z","type":"gemini","content":"Reading.","tokens":{"input":9,"output":1}}
{"id":"g1","timestamp":"2026-11-15T01:31:31Z","type":"gemini","content":"Reading.","tokens":{"input":9,"output":1},"toolCalls":[{"id":"c1","name":"read_file","args":{"file_path":"auth.ts"},"result":[{"functionResponse":{"response":{"output":"x"}}}],"status":"success"}]}
{"$set":{"lastUpdated":"2026-11-15T01:31:32Z"}}
"#;
    let (found, _) = transcript(Agent::Gemini, text);
    assert_eq!(
        found,
        [
            "event:{session_started:{client:gemini,session_type:build,cwd:",
            "event:{prompt:{text:fix it",
            "event:{text:{voice:said,text:Reading.",
            "event:{step_completed:{input:9,output:1",
            "event:{tool_returned:{id:c1,call:{tool:read,file:auth.ts},ended:ok,size:1",
        ]
    );
}

#[test]
fn huge_lines_and_binary_are_passed_over() {
    let mut text = vec![b'x'; lines::LINE_LIMIT + 10];
    text.extend_from_slice(b"\n\xff\xfe\x00\n{\"type\":\"user\",\"cwd\":\"/home/dev/project\",\"message\":{\"role\":\"user\",\"content\":\"hi there\"}}\n");
    let (found, reading) = transcript(Agent::ClaudeCode, &text);
    assert_eq!((reading.too_long, reading.broken, found.len()), (1, 1, 2));
}

#[test]
fn an_opencode_session_is_read_from_its_rows() {
    let text = br#"{"table":"session","id":"ses_1","parent_id":null,"directory":"/home/dev/project","time_created":1794707038615}
{"table":"session","id":"ses_2","parent_id":"ses_1","directory":"/home/dev/project","time_created":1794707072668}
{"table":"message","id":"m1","session_id":"ses_1","data":{"role":"user","time":{"created":1794707039166}}}
{"table":"part","id":"p1","message_id":"m1","session_id":"ses_1","data":{"type":"text","text":"\"fix it\""}}
{"table":"part","id":"p2","message_id":"m1","session_id":"ses_1","data":{"type":"text","text":"pushed","synthetic":true}}
{"table":"message","id":"m2","session_id":"ses_1","data":{"role":"assistant","tokens":{"input":9,"output":1,"cache":{"read":2,"write":0}},"time":{"created":1794707042834}}}
{"table":"part","id":"p3","message_id":"m2","session_id":"ses_1","data":{"type":"text","text":"Reading."}}
{"table":"part","id":"p4","message_id":"m2","session_id":"ses_1","data":{"type":"tool","tool":"read","callID":"c1","state":{"status":"completed","input":{"filePath":"/home/dev/project/auth.ts"},"output":"x"}}}
{"table":"part","id":"p5","message_id":"m2","session_id":"ses_1","data":{"type":"tool","tool":"bash","callID":"c2","state":{"status":"completed","input":{"command":"npm test"},"output":"bad","metadata":{"exit":1}}}}
{"table":"part","id":"p6","message_id":"m2","session_id":"ses_1","data":{"type":"tool","tool":"read","callID":"c3","state":{"status":"running","input":{}}}}
{"table":"part","id":"p7","message_id":"m2","session_id":"ses_1","data":{"type":"riddle"}}
"#;
    let (found, reading) = transcript(Agent::OpenCode, text);
    assert_eq!(
        found,
        [
            "event:{session_started:{client:opencode,session_type:build,cwd:/home/dev/project",
            "event:{prompt:{text:fix it",
            "event:{step_completed:{input:11,output:1",
            "event:{text:{voice:said,text:Reading.",
            "event:{tool_returned:{id:c1,call:{tool:read,file:auth.ts},ended:ok,size:1",
            "event:{tool_returned:{id:c2,call:{tool:shell,command:npm test},ended:error,excerpt:bad,exit_code:1,size:3",
        ]
    );
    assert_eq!(reading.unknown.keys().collect::<Vec<_>>(), ["riddle"]);
}

#[test]
fn a_transcript_may_be_one_object_over_many_lines() {
    let text = br#"{
  "sessionId": "s",
  "startTime": "2026-11-15T01:31:29Z",
  "messages": [
    {"id": "u1", "timestamp": "2026-11-15T01:31:30Z", "type": "user", "content": "fix it"}
  ]
}
"#;
    let (found, reading) = transcript(Agent::Gemini, text);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[1], "event:{prompt:{text:fix it");
    assert_eq!(reading.broken, 0);
    let (found, reading) = transcript(Agent::Gemini, b"{\n \"sessionId\": ");
    assert_eq!((found.len(), reading.broken), (0, 1));
}
