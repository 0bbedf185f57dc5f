//! Hooks against a process that does nothing: the time an agent waits for us.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
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
/// What one memory of ten thousand says.
const TRAP: &str = "Run migrations first, or the schema is empty.";
/// p50 and p99, as multiples of the process that does nothing. docs/budgets.md
const BUDGET: (f64, f64) = (2.0, 3.0);

/// What an agent tells, and whether it is answered.
struct Kind {
    name: &'static str,
    event: &'static str,
    rest: fn(&Sandbox) -> Value,
    is_answered: bool,
}

const KINDS: [Kind; 6] = [
    Kind {
        name: "a session starts",
        event: "SessionStart",
        rest: |_| json!({ "source": "startup" }),
        is_answered: false,
    },
    Kind {
        name: "a prompt",
        event: "UserPromptSubmit",
        rest: |_| json!({ "prompt": "make the wire format compile again" }),
        is_answered: false,
    },
    Kind {
        name: "a prompt that something is known about",
        event: "UserPromptSubmit",
        // In other words: what an agent reads in the prompt itself it is not told.
        rest: |_| json!({ "prompt": "why is the schema empty after I run the migrations first?" }),
        is_answered: true,
    },
    Kind {
        name: "a file without memories was read",
        event: "PostToolUse",
        rest: |sandbox| read(sandbox, "src/quiet.rs"),
        is_answered: false,
    },
    Kind {
        name: "a file with a trap was read",
        event: "PostToolUse",
        rest: |sandbox| read(sandbox, "src/db.rs"),
        is_answered: true,
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
        is_answered: false,
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
    let sandbox = Sandbox::with_repository(&oldhand);
    fill(&sandbox, &filler, MEMORIES)?;
    // What is known about a file is told while that is there.
    sandbox.write("src/db.rs", "fn migrate() {}\n");
    let taught = sandbox
        .oldhand(["remember", TRAP, "--type", "gotcha", "--file", "src/db.rs"])
        .run();
    ensure!(taught.code == Some(0), "could not teach: {taught}");
    // What hooks read is written anew after a change: in the background, beside what is measured, unless it is done here.
    sandbox
        .oldhand(["job", "session", "finalize", "--ended"])
        .run();
    for kind in KINDS.iter().filter(|kind| kind.is_answered) {
        // A session of its own: what it was told once it is not told again.
        let (_, answer) = once(&sandbox, &payload(&sandbox, kind, kind.event))?;
        ensure!(!answer.is_empty(), "nothing is said when {}", kind.name);
    }
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
    println!("{ROUNDS} rounds of each event, one at a time");
    let alone = measure(&sandbox, &idle, 1)?;
    println!("{ROUNDS} rounds of each event, {AT_ONCE} at once");
    let crowded = measure(&sandbox, &idle, AT_ONCE)?;
    rows.extend(alone.rows(1, |at, ratios| {
        let kept = ratios.0 <= BUDGET.0 && ratios.1 <= BUDGET.1;
        match at {
            None => "–",
            Some(_) if kept => "kept",
            Some(_) => "missed",
        }
        .to_owned()
    }));
    rows.extend(crowded.rows(AT_ONCE, |at, _| {
        let most = |measured: &Measured| measured.of(at).percentile(99);
        format!("p99 {:.1} × of one", ratio(most(&crowded), most(&alone)))
    }));
    let linked = if has_interpreter(&oldhand)? {
        "is joined with the system's libraries at each start"
    } else {
        "carries its libraries inside"
    };
    Ok(format!(
        "Each hook is a new process that reads one payload of Claude Code, writes to the journal of its session and answers where there is \
         something to say; {ROUNDS} of each kind take turns, every one in a session of its own. The empty process is given the same payload; both are copies, as an installation makes them. The \
         deadline of a hook is lifted, so that slow ones are measured and not cut off. The binary {linked}. Budget for one at a time: p50 ≤ {} ×, p99 ≤ {} × the empty \
         process; for {AT_ONCE} at once p99 ≤ 2 × of one, where each has a core of its own. Where they share cores, {AT_ONCE} empty processes at once show what sharing alone costs.\n\n{}",
        BUDGET.0,
        BUDGET.1,
        table(&rows)
    ))
}

/// Whether a program names a loader that joins it with libraries.
fn has_interpreter(program: &Path) -> Result<bool> {
    let mut start = vec![0; 4096];
    File::open(program)?.read_exact(&mut start)?;
    Ok(start.windows(3).any(|bytes| bytes == b"/ld"))
}

/// How long the process took that does nothing, and each kind of hook.
struct Measured {
    nothing: Times,
    kinds: Vec<Times>,
}

fn measure(sandbox: &Sandbox, idle: &Sandbox, crowd: usize) -> Result<Measured> {
    let mut nothing = Vec::new();
    let mut times: [Vec<Duration>; KINDS.len()] = Default::default();
    for round in 0..ROUNDS / crowd {
        for (at, (kind, times)) in KINDS.iter().zip(&mut times).enumerate() {
            let payload = |number: usize| {
                let session = format!("bench-{crowd}-{round}-{number}-{at}");
                payload(sandbox, kind, &session)
            };
            times.extend(together(sandbox, crowd, &payload)?);
            if at == 0 {
                nothing.extend(together(idle, crowd, &payload)?);
            }
        }
    }
    Ok(Measured {
        nothing: Times::new(nothing),
        kinds: times.map(Times::new).into(),
    })
}

impl Measured {
    /// The times of a kind of hook, or of the process that does nothing.
    fn of(&self, kind: Option<usize>) -> &Times {
        kind.map_or(&self.nothing, |at| &self.kinds[at])
    }

    fn rows(
        &self,
        crowd: usize,
        verdict: impl Fn(Option<usize>, (f64, f64)) -> String,
    ) -> Vec<Vec<String>> {
        let floor = (self.nothing.percentile(50), self.nothing.percentile(99));
        let row = |name: &str, at: Option<usize>| {
            let times = self.of(at);
            let (half, most) = (times.percentile(50), times.percentile(99));
            let ratios = (ratio(half, floor.0), ratio(most, floor.1));
            vec![
                crowd.to_string(),
                name.to_owned(),
                milliseconds(half),
                milliseconds(most),
                format!("{:.1}", ratios.0),
                format!("{:.1}", ratios.1),
                verdict(at, ratios),
            ]
        };
        let mut rows = vec![row("the empty process", None)];
        let kinds = KINDS.iter().enumerate();
        rows.extend(kinds.map(|(at, kind)| row(kind.name, Some(at))));
        rows
    }
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
            .map(|number| scope.spawn(move || Ok(once(sandbox, &payload(number))?.0)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a measurement does not panic"))
            .collect()
    })
}

/// How long one hook takes, and what it says.
fn once(sandbox: &Sandbox, payload: &[u8]) -> Result<(Duration, Vec<u8>)> {
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
    Ok((time, output.stdout))
}
