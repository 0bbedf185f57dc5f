//! One small project with one trap in it, and sessions that fall into the trap and find the way out.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use oldhand_testkit::{Asked, Client, Model, Outcome, Sandbox, Script, Stage, Talk, Turn};
use serde_json::Value;

pub(crate) const PROMPT: &str = "print totals with the symbol of the currency";

const TOTAL: &str = "const { currency } = require(\"../config.json\");\n\
    exports.total = (prices) => {\n\
    \x20 const sum = prices.reduce((a, b) => a + b, 0);\n\
    \x20 return `${sum}`;\n\
    };\n";
const CHECK: &str = "const { total } = require(\"./src/total.js\");\n\
    const got = total([1, 2]);\n\
    if (got !== \"3 €\") throw new Error(`1 and 2 make ${got}`);\n\
    console.log(\"1 passed, 0 failed\");\n";

/// What the first session learns the hard way: this comes of a command of the project.
pub(crate) const ERROR: &str = "Cannot find module '../currency.json'";
pub(crate) const WAY_OUT: &str = "npm run generate";
const GENERATE: &str =
    "require(\"fs\").writeFileSync(\"currency.json\", '{ \"symbol\": \"€\" }');\n";

/// The folder with the packages, as `cargo xtask test` names it.
fn packages() -> PathBuf {
    let folder = std::env::var_os("OLDHAND_AGENT_PACKAGES");
    folder
        .expect("OLDHAND_AGENT_PACKAGES is set; `cargo xtask test` sets it")
        .into()
}

/// A project that Oldhand knows and a client that calls it, as `oldhand install` leaves them.
pub(crate) fn wired(client: Client) -> Stage {
    let stage = bare(client);
    connect(&stage);
    stage
}

/// Makes the project known and wires the client, as its user would.
pub(crate) fn connect(stage: &Stage) {
    let mut arguments = vec!["install", stage.client.as_str(), "--yes"];
    if stage.client == Client::Codex {
        arguments.push("--trust");
    }
    for arguments in [&["init", "--yes"][..], &arguments] {
        let invocation = stage.sandbox.oldhand(arguments);
        invocation
            .env("OLDHAND_TEST_NOW", "")
            .env("OLDHAND_TEST_SEED", "")
            .env("PATH", stage.path())
            .run()
            .success();
    }
}

/// The project and the client before they met Oldhand.
pub(crate) fn bare(client: Client) -> Stage {
    let sandbox = Sandbox::with_repository(env!("CARGO_BIN_EXE_oldhand"));
    sandbox.write(
        "package.json",
        "{ \"name\": \"shop\", \"private\": true, \"scripts\": { \"generate\": \"node generate.js\", \"test\": \"node check.js\" } }\n",
    );
    sandbox.write("config.json", "{ \"name\": \"shop\" }\n");
    sandbox.write("src/total.js", TOTAL);
    sandbox.write("check.js", CHECK);
    sandbox.write("generate.js", GENERATE);
    sandbox.write(".gitignore", "currency.json\n");
    sandbox.git(&sandbox.project(), ["add", "."]);
    sandbox.git(
        &sandbox.project(),
        ["commit", "--quiet", "-m", "Add totals"],
    );
    Stage::set(client, sandbox, Model::plays(Script::default()), packages())
}

/// What a person taught about the file that every session reads.
pub(crate) const TRAP: &str = "A loader runs this module twice, so it keeps no state";

/// A client with Oldhand, in a project with a trap that a person wrote down.
pub(crate) fn warned(client: Client) -> Stage {
    let stage = wired(client);
    teach_the_trap(&stage);
    stage
}

pub(crate) fn teach_the_trap(stage: &Stage) {
    let about = ["--type", "gotcha", "--file", "src/total.js"];
    oldhand(&stage.sandbox, &[&["remember", TRAP][..], &about].concat());
}

/// Runs the binary with today's clock, as the hooks of a client do.
pub(crate) fn oldhand(sandbox: &Sandbox, arguments: &[&str]) -> String {
    today(sandbox, arguments).success()
}

fn today(sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
    let invocation = sandbox.oldhand(arguments);
    invocation
        .env("OLDHAND_TEST_NOW", "")
        .env("OLDHAND_TEST_SEED", "")
        .run()
}

/// The answer of a command that may have found nothing.
pub(crate) fn answer(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let outcome = today(sandbox, arguments);
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("no JSON: {outcome}"))
}

/// A mistake, an error, the way out, and tests that pass.
pub(crate) fn mistake_and_fix(stage: &Stage) -> Script {
    Script::new([
        Turn::say("I read the file first.").and(stage.read("src/total.js")),
        Turn::call(stage.edit(
            "src/total.js",
            "  return `${sum}`;",
            "  return `${sum} ${require(\"../currency.json\").symbol}`;",
        )),
        Turn::say("Now the tests.").and(stage.shell("npm test")),
        Turn::call(stage.shell(WAY_OUT)),
        Turn::call(stage.shell("npm test")),
        Turn::say("Totals carry the symbol now, and the tests pass."),
    ])
}

/// A mistake that an edit mends, with words right before that.
pub(crate) fn mistake_and_words(stage: &Stage, words: &str) -> Script {
    Script::new([
        Turn::say("I read the file first.").and(stage.read("src/total.js")),
        Turn::call(stage.edit(
            "src/total.js",
            "  return `${sum}`;",
            "  return `${sum} ${currency.symbol}`;",
        )),
        Turn::say("Now the tests.").and(stage.shell("npm test")),
        Turn::say(words).and(stage.edit(
            "config.json",
            "{ \"name\": \"shop\" }",
            "{ \"name\": \"shop\", \"currency\": { \"symbol\": \"€\" } }",
        )),
        Turn::call(stage.shell("npm test")),
        Turn::say("Totals carry the symbol now, and the tests pass."),
    ])
}

/// Runs a session to its end and waits until it was learned from; `sessions` is how many there are by then.
pub(crate) fn play(stage: &Stage, script: Script, sessions: usize) -> Outcome {
    stage.model.play(script);
    let outcome = stage.run(PROMPT, &[]);
    assert_eq!(outcome.code, Some(0), "{outcome}");
    wait_until_learned(stage, sessions);
    outcome
}

/// A session that falls into the trap and gets out; there is nothing to tell it.
pub(crate) fn learn_the_hard_way(stage: &Stage) {
    let outcome = play(stage, mistake_and_fix(stage), 1);
    let generated = stage.sandbox.read("currency.json");
    assert!(generated.contains('€'), "{outcome}");
    let generated = stage.sandbox.project().join("currency.json");
    fs::remove_file(generated).expect("it was generated");
    assert_eq!(told(stage), [], "there was nothing to tell");
    start_over(stage);
}

/// As on a new branch: the code is what it was, what was learned stays.
fn start_over(stage: &Stage) {
    let project = stage.sandbox.project();
    stage.sandbox.git(&project, ["checkout", "--quiet", "."]);
}

/// Waits until the work that the end of a session starts is done.
pub(crate) fn wait_until_learned(stage: &Stage, sessions: usize) {
    let learned = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        let known = self::sessions(stage);
        known.iter().filter(|one| one["finalized"] == true).count() == sessions
    });
    assert!(
        learned,
        "not learned from within a minute: {:#?}",
        self::sessions(stage)
    );
}

pub(crate) fn sessions(stage: &Stage) -> Vec<Value> {
    list(&answer(&stage.sandbox, &["session", "list", "--json"])["sessions"])
}

/// What was learned, and what each session looked like: what to read when a test fails.
pub(crate) fn known(stage: &Stage) -> String {
    let mut text = today(&stage.sandbox, &["list"]).to_string();
    for session in sessions(stage) {
        let id = session["id"].as_str().unwrap_or_default();
        for verb in ["show", "replay"] {
            text += &today(&stage.sandbox, &["session", verb, id]).to_string();
        }
    }
    text
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// What was said in the main conversation: with each block the number of the first request that carried it.
pub(crate) fn told(stage: &Stage) -> Vec<(usize, String)> {
    told_in(&stage.model.asked(&Talk::Main))
}

/// What was said in these requests of one conversation. A request that carries the same words twice is a failure.
pub(crate) fn told_in(asked: &[Asked]) -> Vec<(usize, String)> {
    let mut told: Vec<(usize, String)> = Vec::new();
    for (number, asked) in asked.iter().enumerate() {
        let mut blocks = asked.memories();
        // The very same block twice is the client's doing: each thing said has a fence of its own.
        blocks.sort();
        blocks.dedup();
        for block in &blocks {
            let words = words_of(block);
            let again = blocks.iter().filter(|other| words_of(other) == words);
            let again = again.count();
            assert_eq!(again, 1, "said twice in request {number}: {block}");
            if told.iter().all(|(_, known)| words_of(known) != words) {
                told.push((number, block.clone()));
            }
        }
    }
    told
}

/// A block without its fence, which differs each time.
fn words_of(block: &str) -> &str {
    let inside = block.split_once('>').map_or(block, |(_, inside)| inside);
    inside.split_once("</").map_or(inside, |(words, _)| words)
}

/// What the journal of each session says was told, in tokens, the oldest session first.
pub(crate) fn tokens(stage: &Stage) -> Vec<u64> {
    let mut tokens: Vec<u64> = sessions(stage)
        .iter()
        .map(|session| {
            let id = session["id"].as_str().expect("a session has an id");
            let journal = journal(stage, id);
            let told = journal
                .iter()
                .filter_map(|event| event["event"]["injected"]["tokens"].as_u64());
            told.sum()
        })
        .collect();
    tokens.reverse();
    tokens
}

/// Whether each thing said in the latest session was seen to reach the model, as `session show` tells it.
pub(crate) fn receipts(stage: &Stage) -> Vec<bool> {
    let sessions = sessions(stage);
    let id = sessions[0]["id"].as_str().expect("a session has an id");
    let shown = answer(&stage.sandbox, &["session", "show", id, "--json"]);
    let told = list(&shown["body"]["told"]);
    told.iter().map(|one| one["delivered"] == true).collect()
}

pub(crate) fn journal(stage: &Stage, session: &str) -> Vec<Value> {
    let projects = fs::read_dir(stage.sandbox.home().join("projects"));
    let mut projects = projects.expect("the project is known");
    let project = projects.next().expect("there is one project");
    let folder = project.expect("a folder can be listed").path();
    let path = folder.join("journal").join(format!("{session}.jsonl"));
    let text = fs::read_to_string(path).expect("the session has a journal");
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("every line is whole"))
        .collect()
}

/// Waits until no process is left that was started for this sandbox, and says which are.
#[cfg(target_os = "linux")]
pub(crate) fn processes_left(stage: &Stage) -> Vec<String> {
    let mark = stage.sandbox.root().to_string_lossy().into_owned();
    let running = || -> Vec<String> {
        let all = fs::read_dir("/proc").expect("there is a list of processes");
        let folders = all.flatten().map(|entry| entry.path());
        folders
            .filter(|folder| {
                let environment = fs::read(folder.join("environ")).unwrap_or_default();
                String::from_utf8_lossy(&environment).contains(&mark)
            })
            .map(|folder| {
                let line = fs::read(folder.join("cmdline")).unwrap_or_default();
                String::from_utf8_lossy(&line).replace('\0', " ")
            })
            .collect()
    };
    for _ in 0..300 {
        if running().is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    running()
}

/// What each file is that `install` would write to; `None` where there is none.
pub(crate) fn settings(stage: &Stage) -> Vec<(PathBuf, Option<String>)> {
    let arguments = ["install", stage.client.as_str(), "--dry-run", "--json"];
    let planned = answer(&stage.sandbox, &arguments);
    let files = list(&planned["files"]);
    files
        .iter()
        .map(|file| {
            let path = PathBuf::from(file["path"].as_str().expect("a file has a path"));
            let text = fs::read_to_string(&path).ok();
            (path, text)
        })
        .collect()
}
