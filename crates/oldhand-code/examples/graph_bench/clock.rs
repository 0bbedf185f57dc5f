//! Wall time, and time on a processor, which a busy machine does not distort.

use std::fs;
use std::time::Duration;

pub(super) fn best(
    times: u32,
    mut run: impl FnMut() -> Result<Duration, Box<dyn std::error::Error>>,
) -> Result<Took, Box<dyn std::error::Error>> {
    let start = busy();
    let mut wall = run()?;
    for _ in 1..times {
        wall = wall.min(run()?);
    }
    Ok(Took {
        wall,
        busy: busy().saturating_sub(start) / times,
    })
}

/// Time that all threads of this process, also those that ended, spent on a processor: a busy machine does not distort it.
fn busy() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|field| field.parse::<u64>().ok())
            .unwrap_or(0)
    };
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

/// Time that this thread spent on a processor.
pub(super) fn busy_here() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split(' ').next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Wall time of the best run, and processor time of the average one.
pub(super) struct Took {
    pub(super) wall: Duration,
    pub(super) busy: Duration,
}

impl std::fmt::Display for Took {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.1?} ({:.1?} busy)", self.wall, self.busy)
    }
}

pub(super) fn ratio(one: &Took, other: &Took) -> String {
    let share = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64().max(1e-9);
    format!(
        "{:.2} times ({:.2} busy)",
        share(one.wall, other.wall),
        share(one.busy, other.busy)
    )
}
