//! One process that stays open and is asked again and again, as an agent's client asks it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use oldhand_testkit::{Dice, Sandbox};
use serde_json::{Value, json};

use super::page::{Times, milliseconds};
use super::spent::{Spent, wait};

const ROUNDS: usize = 200;
/// How long the middle one of all answers may take at 100 000 memories. docs/budgets.md
const BUDGET: Duration = Duration::from_millis(8);

/// What a server that is kept open takes for a search, as a row of a table.
pub(super) fn measure(sandbox: &Sandbox, size: u32) -> Result<Vec<String>> {
    let mut server = Server::start(sandbox)?;
    let mut dice = Dice::new(2);
    let questions = (0..ROUNDS).map(|_| dice.prose(3));
    let times = server.time("search_memory", questions)?;
    server.leave()?;
    let half = times.percentile(50);
    let verdict = if half <= BUDGET { "kept" } else { "missed" };
    Ok(vec![
        size.to_string(),
        milliseconds(half),
        milliseconds(times.percentile(99)),
        verdict.to_owned(),
    ])
}

/// What a server that is kept open takes to find pieces of code: for each question the first time, from its start on, and once more.
pub(super) fn measure_code(sandbox: &Sandbox, questions: &[&str]) -> Result<([Times; 2], Spent)> {
    let mut server = Server::start(sandbox)?;
    let own = || questions.iter().map(|question| (*question).to_owned());
    let first = server.time("search_code", own())?;
    let again = server.time("search_code", own())?;
    Ok(([first, again], server.leave()?))
}

/// The heading of the rows, and what they are.
pub(super) fn heading() -> Vec<String> {
    ["memories", "p50", "p99", "budget"]
        .map(str::to_owned)
        .to_vec()
}

pub(super) fn describe() -> String {
    format!(
        "One `oldhand mcp` for each size, asked {ROUNDS} times for three words with its tool `search_memory`; from the question to the answer, with all of the \
         protocol between. Budget: p50 ≤ {} ms at 100 000 memories.",
        BUDGET.as_millis()
    )
}

struct Server {
    child: Child,
    start: Instant,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    count: u64,
}

impl Server {
    fn start(sandbox: &Sandbox) -> Result<Self> {
        let start = Instant::now();
        let mut child = sandbox.oldhand(["mcp"]).spawn();
        let to = child.stdin.take().expect("standard input is piped");
        let from = child.stdout.take().expect("standard output is piped");
        let mut server = Self {
            child,
            start,
            to,
            from: BufReader::new(from),
            count: 0,
        };
        let client = json!({ "name": "bench", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        server.ask("initialize", &hello)?;
        server.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    fn say(&mut self, message: &Value) -> Result<()> {
        self.to.write_all(format!("{message}\n").as_bytes())?;
        Ok(self.to.flush()?)
    }

    /// Asks, and waits for the answer to this question.
    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.count += 1;
        let id = self.count;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            let read = self.from.read_line(&mut line)?;
            ensure!(read > 0, "the server is gone");
            let told: Value = serde_json::from_str(&line)?;
            if told["id"] == id {
                return Ok(told);
            }
        }
    }

    /// How long each answer of a tool takes.
    fn time(&mut self, tool: &str, questions: impl Iterator<Item = String>) -> Result<Times> {
        let mut times = Vec::new();
        for query in questions {
            let asked = json!({ "name": tool, "arguments": { "query": query } });
            let start = Instant::now();
            let told = self.ask("tools/call", &asked)?;
            times.push(start.elapsed());
            ensure!(
                told["result"]["isError"] == false,
                "a search failed: {told}"
            );
        }
        Ok(Times::new(times))
    }

    /// Ends the conversation; the server ends with it, and what it took is told.
    fn leave(self) -> Result<Spent> {
        let Self {
            child,
            start,
            to,
            from,
            ..
        } = self;
        drop(to);
        drop(from);
        let (status, spent) = wait(child, start)?;
        ensure!(status.success(), "the server ended with {status}");
        Ok(spent)
    }
}
