//! Commands of the shell that ran in a folder of the project: their files are called as the project calls them.

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::repository;
use crate::session::Transcript;

fn edited(sandbox: &Sandbox, session: &str) -> Value {
    let show = ["session", "show", session, "--json"];
    let shown = sandbox.oldhand(show).run().success();
    let mut shown: Value = serde_json::from_str(&shown).expect("JSON");
    shown["body"]["edited"].take()
}

#[test]
fn a_transcript_of_work_in_a_folder_tells_the_files_of_the_project() {
    let sandbox = repository();
    let root = sandbox.project().canonicalize().expect("it is there");
    let mut told = Transcript::new(&sandbox, "deeper");
    told.go_down("src");
    told.prompt("give the shop its types");
    for command in [
        "cat config/types.go",
        "sed -i s/a/b/ config/types.go",
        "echo hi > config/names.go",
        "sed -i s/a/b/ ../web/a.js",
        "sed -i s/a/b/ ../../other/b.js",
        &format!("cd {} && echo hi > top.go", root.display()),
        "cd .. && echo hi > docs/shop.md",
        "go test ./...",
    ] {
        told.tool("Bash", &json!({ "command": command }), "ok", false);
    }
    told.say("Done.");
    sandbox.write("../transcripts/deeper.jsonl", told.text());
    let import = ["import", "transcripts", "../transcripts"];
    sandbox.oldhand(import).run().success();
    assert_eq!(
        edited(&sandbox, "deeper"),
        json!([
            "src/config/types.go",
            "src/config/names.go",
            "web/a.js",
            "top.go",
            "docs/shop.md",
        ])
    );
}

#[test]
fn hooks_that_name_the_folder_a_command_ended_in_tell_the_same() {
    let sandbox = repository();
    let root = sandbox.project().canonicalize().expect("it is there");
    let tell = |event: &str, folder: &str, rest: Value| {
        let mut payload = json!({
            "session_id": "live",
            "cwd": root.join(folder),
            "hook_event_name": event,
        });
        let (Value::Object(all), Value::Object(rest)) = (&mut payload, rest) else {
            unreachable!("both are objects");
        };
        all.extend(rest);
        let hook = sandbox.oldhand(["hook", "claude-code"]);
        let hook = hook.env("OLDHAND_HOOK_DEADLINE", "60000");
        let outcome = hook.stdin(payload.to_string()).run();
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    };
    sandbox.oldhand(["init"]).run().success();
    for folder in ["src/config", "web"] {
        std::fs::create_dir_all(root.join(folder)).expect("a folder can be made");
    }
    tell("SessionStart", "", json!({ "source": "startup" }));
    let prompt = "give the shop its types";
    tell("UserPromptSubmit", "", json!({ "prompt": prompt }));
    let lines = [
        ("src", "cd src && sed -i s/a/b/ config/types.go"),
        ("src", "sed -i s/a/b/ ../web/a.js"),
        ("src/config", "cd config && echo hi > names.go"),
    ];
    for (at, (ended, command)) in lines.into_iter().enumerate() {
        let call = json!({
            "tool_name": "Bash",
            "tool_input": { "command": command },
            "tool_use_id": format!("toolu_{at}"),
            "tool_response": { "stdout": "ok", "stderr": "" },
        });
        tell("PostToolUse", ended, call);
    }
    tell("Stop", "src/config", json!({}));
    let finalize = ["session", "finalize", "live"];
    sandbox.oldhand(finalize).run().success();
    assert_eq!(
        edited(&sandbox, "live"),
        json!(["src/config/types.go", "web/a.js", "src/config/names.go"])
    );
}
