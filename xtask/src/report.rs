//! What the checks of one run found, told while they run and summed up at the end.

use std::process::ExitCode;

pub(crate) enum Verdict {
    Passed,
    Failed(String),
    Skipped(String),
}

#[derive(Default)]
pub(crate) struct Report {
    passed: usize,
    failed: Vec<String>,
    skipped: Vec<String>,
}

impl Report {
    pub(crate) fn add(&mut self, check: &str, verdict: Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(why) => self.failed.push(format!("{check}: {why}")),
            Verdict::Skipped(why) => self.skipped.push(format!("{check}: {why}")),
        }
    }

    /// The lines that close a run; the last one counts the checks.
    pub(crate) fn closing(&self) -> String {
        let mut lines = Vec::new();
        lines.extend(self.skipped.iter().map(|line| format!("skipped {line}")));
        lines.extend(self.failed.iter().map(|line| format!("failed {line}")));
        lines.push(format!(
            "{} passed, {} failed, {} skipped",
            self.passed,
            self.failed.len(),
            self.skipped.len()
        ));
        lines.join("\n")
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(u8::from(!self.failed.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_lists_what_was_skipped_and_what_failed_and_counts_last() {
        let mut report = Report::default();
        report.add("format", Verdict::Passed);
        report.add(
            "lints",
            Verdict::Failed("cargo clippy exited with 101".into()),
        );
        report.add(
            "dependencies",
            Verdict::Skipped("cargo-deny is not installed".into()),
        );
        assert_eq!(
            report.closing(),
            "skipped dependencies: cargo-deny is not installed\n\
             failed lints: cargo clippy exited with 101\n\
             1 passed, 1 failed, 1 skipped"
        );
        assert_eq!(report.exit_code(), ExitCode::from(1));
    }
}
