//! A writer that is killed, over and over, at moments nobody chose.

use std::io::Read;
use std::thread;
use std::time::{Duration, Instant};

use crate::{Audit, Dice, Ledger, Sandbox};

/// What the kills left behind.
pub struct CrashOutcome {
    pub audit: Audit,
    /// Writers that had not finished when they were killed.
    pub killed: usize,
}

/// Starts `count` writers one after the other and sends each `kill -9` after a random part of the time a write takes,
/// then audits the store.
pub fn kill_at_random(sandbox: &Sandbox, count: usize, seed: u64) -> CrashOutcome {
    let mut dice = Dice::new(seed);
    let mut ledger = Ledger::default();
    let mut longest = usual_time(sandbox, &mut dice, &mut ledger).as_micros() as u64;
    let mut killed = 0;
    for number in 0..count {
        let statement = dice.statement(number);
        let mut writer = sandbox.oldhand(["remember", "--json", &statement]).spawn();
        thread::sleep(Duration::from_micros(dice.below(longest)));
        let finished = writer
            .try_wait()
            .expect("the writer can be asked")
            .is_some();
        if finished {
            longest = (longest * 4 / 5).max(1);
        } else {
            writer.kill().expect("the writer is still ours to kill");
            killed += 1;
            // A writer that finds an unclean end behind it takes longer than usual. Growing by less than finishing
            // shrinks it settles where about two of three are killed.
            longest += longest / 10 + 1;
        }
        let mut answer = String::new();
        let mut stdout = writer.stdout.take().expect("standard output is piped");
        stdout
            .read_to_string(&mut answer)
            .expect("an answer is text");
        writer.wait().expect("the writer has ended");
        ledger.take_down(&answer, &statement);
    }
    let audit = ledger.audit(sandbox);
    CrashOutcome { audit, killed }
}

/// How long a write takes when nobody interrupts it: the middle one of five, the first of which makes the database.
fn usual_time(sandbox: &Sandbox, dice: &mut Dice, ledger: &mut Ledger) -> Duration {
    let mut times: Vec<Duration> = (0..5)
        .map(|n| {
            let statement = dice.statement(1_000_000 + n);
            let invocation = sandbox.oldhand(["remember", "--json", &statement]);
            let start = Instant::now();
            let outcome = invocation.run();
            let time = start.elapsed();
            assert!(ledger.take_down(&outcome.stdout, &statement), "{outcome}");
            time
        })
        .collect();
    times.sort();
    times[2]
}
