//! How often two files changed together, for whoever learns from sessions: read from git when it is first asked for.

use std::cell::OnceCell;
use std::collections::HashMap;

use oldhand_code::history::facts::{co_changes, file_facts};
use oldhand_domain::path::ProjectPath;
use oldhand_observe::distill::Together;

use super::read_history;
use crate::desk::Desk;
use crate::out::Out;

/// Pairs that changed together less often than this are not asked about.
const LEAST_TIMES: usize = 5;

type Pairs = HashMap<(String, String), Together>;

pub(crate) fn changed_together<'d>(
    desk: &'d Desk,
    out: &'d Out,
) -> impl Fn(&ProjectPath, &ProjectPath) -> Option<Together> + 'd {
    let pairs: OnceCell<Pairs> = OnceCell::new();
    move |a, b| {
        let pairs = pairs.get_or_init(|| read(desk, out));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        pairs.get(&(a.to_string(), b.to_string())).copied()
    }
}

/// A history that cannot be read bears nothing out.
fn read(desk: &Desk, out: &Out) -> Pairs {
    let Ok(history) = read_history(desk, out) else {
        return Pairs::new();
    };
    let facts = file_facts(&history);
    let commits: HashMap<&str, usize> = facts
        .iter()
        .map(|file| (file.path.as_str(), file.commits))
        .collect();
    let pairs = co_changes(&history, LEAST_TIMES, usize::MAX).into_iter();
    pairs
        .map(|pair| {
            let of = |path: &str| commits.get(path).copied().unwrap_or(pair.times);
            let rarer = of(&pair.a).min(of(&pair.b));
            let together = Together {
                both: u32::try_from(pair.times).unwrap_or(u32::MAX),
                rarer: u32::try_from(rarer).unwrap_or(u32::MAX),
            };
            ((pair.a, pair.b), together)
        })
        .collect()
}
