//! Numbers as a page shows them.

use std::time::Duration;

/// The durations of one kind of run, in order.
pub(super) struct Times(Vec<Duration>);

impl Times {
    pub(super) fn new(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The smallest time that at least `percent` of the runs kept to.
    pub(super) fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.0.len() * percent).div_ceil(100);
        self.0[rank.saturating_sub(1)]
    }
}

/// A Markdown table; the first row is its heading.
pub(super) fn table(rows: &[Vec<String>]) -> String {
    let mut lines = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        lines.push(format!("| {} |", row.join(" | ")));
        if index == 0 {
            lines.push(format!("|{}", " --- |".repeat(row.len())));
        }
    }
    lines.join("\n") + "\n"
}

pub(super) fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

pub(super) fn ratio(time: Duration, baseline: Duration) -> f64 {
    time.as_secs_f64() / baseline.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_time_that_was_measured() {
        let times = Times::new((1..=200).rev().map(Duration::from_millis).collect());
        assert_eq!(times.percentile(50), Duration::from_millis(100));
        assert_eq!(times.percentile(99), Duration::from_millis(198));
    }

    #[test]
    fn a_table_has_a_line_below_its_heading() {
        let rows = [["a", "b"], ["1", "2"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&rows), "| a | b |\n| --- | --- |\n| 1 | 2 |\n");
    }
}
