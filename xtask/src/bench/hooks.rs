//! Hooks against a process that does nothing: the time an agent waits for us.

use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use super::build;
use super::cold::fill;
use super::page::{Times, milliseconds, ratio, table};
use crate::house::House;

const MEMORIES: u32 = 10_000;
const ROUNDS: usize = 200;
const AT_ONCE: usize = 8;
/// p50 and p99, as multiples of the process that does nothing. docs/budgets.md
const BUDGET: (f64, f64) = (2.0, 3.0);

/// What an agent tells, and whether it is answered.
struct Kind {
    name: &'static str,
    event: &'static str,
    rest: fn(&Sandbox) -> Value,
}

const KINDS: [Kind; 5] = [
    Kind {
        name: "a session starts",
        event: "SessionStart",
        rest: |_| json!({ "source": "startup" }),
    },
    Kind {
        name: "a prompt",
        event: "UserPromptSubmit",
        rest: |_| json!({ "prompt": "make the wire format compile again" }),
    },
    Kind {
        name: "a file without memories was read",
        event: "PostToolUse",
        rest: |sandbox| read(sandbox, "src/quiet.rs"),
    },
    Kind {
        name: "a file with a trap was read",
        event: "PostToolUse",
        rest: |sandbox| read(sandbox, "src/db.rs"),
    },
    Kind {
        name: "a command failed",
        event: "PostToolUseFailure",
        rest: |_| {
            json!({
                "tool_name": "Bash",
                "tool_input": { "command": "cargo test" },
                "tool_use_id": "toolu_1",
                "error": "Exit code 101\nerror[E0433]: failed to resolve: use of undeclared crate `wire`",
                "is_interrupt": false,
            })
        },
    },
];

fn read(sandbox: &Sandbox, file: &str) -> Value {
    json!({
        "tool_name": "Read",
        "tool_input": { "file_path": sandbox.project().join(file) },
        "tool_response": { "type": "text", "file": { "content": "fn main() {}\n".repeat(300) } },
        "tool_use_id": "toolu_1",
    })
}

pub(super) fn run(house: &House) -> Result<String> {
    let oldhand = build(house, "oldhand", "oldhand", &[])?;
    let no_op = build(house, "xtask", "no-op", &[])?;
    let filler = build(house, "oldhand-testkit", "fill", &["fill"])?;
    let sandbox = Sandbox::with_repository(oldhand);
    fill(&sandbox, &filler, MEMORIES)?;
    let trap = "Run migrations first, or the schema is empty.";
    let taught = sandbox
        .oldhand(["remember", trap, "--type", "gotcha", "--file", "src/db.rs"])
        .run();
    ensure!(taught.code == Some(0), "could not teach: {taught}");
    let idle = Sandbox::with_repository(no_op);
    let heading = [
        "at once",
        "event",
        "p50",
        "p99",
        "p50 ratio",
        "p99 ratio",
        "budget",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for crowd in [1, AT_ONCE] {
        println!("{ROUNDS} rounds of each event, {crowd} at once");
        rows.extend(measure(&sandbox, &idle, crowd)?);
    }
    Ok(format!(
        "Each hook is a new process that reads one payload of Claude Code, writes to the journal of its session and answers where there is \
         something to say; {ROUNDS} of each kind take turns, every one in a session of its own. The empty process is given the same payload. The \
         deadline of a hook is lifted, so that slow ones are measured and not cut off. Budget for one at a time: p50 ≤ {} ×, p99 ≤ {} × the empty process.\n\n{}",
        BUDGET.0,
        BUDGET.1,
        table(&rows)
    ))
}

fn measure(sandbox: &Sandbox, idle: &Sandbox, crowd: usize) -> Result<Vec<Vec<String>>> {
    let mut nothing = Vec::new();
    let mut times: [Vec<Duration>; KINDS.len()] = Default::default();
    for round in 0..ROUNDS / crowd {
        for (kind, times) in KINDS.iter().zip(&mut times) {
            let payload = |number: usize| {
                let session = format!("bench-{crowd}-{round}-{number}-{}", kind.name.len());
                payload(sandbox, kind, &session)
            };
            times.extend(together(sandbox, crowd, &payload)?);
            if kind.event == "UserPromptSubmit" {
                nothing.extend(together(idle, crowd, &payload)?);
            }
        }
    }
    let nothing = Times::new(nothing);
    let floor = (nothing.percentile(50), nothing.percentile(99));
    let row = |name: &str, times: &Times, budget: Option<(f64, f64)>| {
        let (half, most) = (times.percentile(50), times.percentile(99));
        let ratios = (ratio(half, floor.0), ratio(most, floor.1));
        let verdict = match budget {
            None => "–",
            Some(budget) if ratios.0 <= budget.0 && ratios.1 <= budget.1 => "kept",
            Some(_) => "missed",
        };
        vec![
            crowd.to_string(),
            name.to_owned(),
            milliseconds(half),
            milliseconds(most),
            format!("{:.1}", ratios.0),
            format!("{:.1}", ratios.1),
            verdict.to_owned(),
        ]
    };
    let budget = (crowd == 1).then_some(BUDGET);
    let mut rows = vec![row("the empty process", &nothing, None)];
    for (kind, times) in KINDS.iter().zip(times) {
        rows.push(row(kind.name, &Times::new(times), budget));
    }
    Ok(rows)
}

fn payload(sandbox: &Sandbox, kind: &Kind, session: &str) -> Vec<u8> {
    let mut payload = (kind.rest)(sandbox);
    payload["session_id"] = json!(session);
    payload["cwd"] = json!(sandbox.project());
    payload["hook_event_name"] = json!(kind.event);
    payload.to_string().into_bytes()
}

/// Runs `crowd` hooks side by side and says how long each took.
fn together(
    sandbox: &Sandbox,
    crowd: usize,
    payload: &(dyn Fn(usize) -> Vec<u8> + Sync),
) -> Result<Vec<Duration>> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..crowd)
            .map(|number| scope.spawn(move || once(sandbox, &payload(number))))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a measurement does not panic"))
            .collect()
    })
}

fn once(sandbox: &Sandbox, payload: &[u8]) -> Result<Duration> {
    let hook = sandbox
        .oldhand(["hook", "claude-code"])
        .env("OLDHAND_HOOK_DEADLINE", "60000");
    let start = Instant::now();
    let mut child = hook.spawn();
    if let Some(mut stdin) = child.stdin.take() {
        // The empty process reads nothing, and may be gone before this is written.
        let _ = stdin.write_all(payload);
    }
    let output = child.wait_with_output()?;
    let time = start.elapsed();
    ensure!(
        output.status.success(),
        "a hook ended with {}",
        output.status
    );
    Ok(time)
}
