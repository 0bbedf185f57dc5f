//! Many processes that write to one project at the same moment.

use std::thread;

use crate::{Audit, Dice, Ledger, Sandbox};

/// How the writers of a crowd go about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// A process for each memory, one after the other: `remember`.
    OneByOne,
    /// One process for all memories of a writer: `import json`.
    InOneGo,
}

/// What a crowd left behind.
pub struct CrowdOutcome {
    pub audit: Audit,
    /// Everything a user would have seen as an error.
    pub errors: Vec<String>,
}

/// Lets `writers` write `each` memories at once, then audits the store.
pub fn write_at_once(
    sandbox: &Sandbox,
    manner: Manner,
    writers: usize,
    each: usize,
) -> CrowdOutcome {
    let write = match manner {
        Manner::OneByOne => remember_each,
        Manner::InOneGo => import_all,
    };
    let mut ledger = Ledger::default();
    let mut errors = Vec::new();
    thread::scope(|scope| {
        let crowd: Vec<_> = (0..writers)
            .map(|writer| {
                let statements = statements(writer, each);
                scope.spawn(move || write(sandbox, &statements))
            })
            .collect();
        for writer in crowd {
            let (written, complaints) = writer.join().expect("a writer does not panic");
            ledger.append(written);
            errors.extend(complaints);
        }
    });
    let audit = ledger.audit(sandbox);
    CrowdOutcome { audit, errors }
}

fn statements(writer: usize, count: usize) -> Vec<String> {
    let mut dice = Dice::new(writer as u64);
    (0..count)
        .map(|n| dice.statement(writer * count + n))
        .collect()
}

fn remember_each(sandbox: &Sandbox, statements: &[String]) -> (Ledger, Vec<String>) {
    let mut ledger = Ledger::default();
    let mut errors = Vec::new();
    for statement in statements {
        let outcome = sandbox.oldhand(["remember", "--json", statement]).run();
        let promised = ledger.take_down(&outcome.stdout, statement);
        if !promised || outcome.code != Some(0) {
            errors.push(outcome.to_string());
        }
    }
    (ledger, errors)
}

fn import_all(sandbox: &Sandbox, statements: &[String]) -> (Ledger, Vec<String>) {
    let lines: String = statements
        .iter()
        .map(|statement| json_line(statement))
        .collect();
    let arguments = ["import", "json", "-", "--json"];
    let outcome = sandbox.oldhand(arguments).stdin(lines).run();
    let mut ledger = Ledger::default();
    let answers = outcome.stdout.lines().zip(statements);
    let promised = answers
        .filter(|(answer, statement)| ledger.take_down(answer, statement))
        .count();
    let whole = promised == statements.len() && outcome.code == Some(0);
    let errors = if whole {
        Vec::new()
    } else {
        vec![outcome.to_string()]
    };
    (ledger, errors)
}

/// One memory as `import json` reads it.
pub fn json_line(statement: &str) -> String {
    let memory = serde_json::json!({ "type": "gotcha", "content": statement });
    format!("{memory}\n")
}
