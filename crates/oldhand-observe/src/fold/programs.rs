//! Programs that a shell found by their names alone.

use super::SessionAnalytics;
use crate::distill::remedy::is_of_every_day;
use crate::outcome::commands::is_preparation;
use crate::outcome::shell::{Simple, Then, commands};

/// As many are kept of a session.
const MOST: usize = 64;

impl SessionAnalytics {
    /// A line ended well: what it ran by name is there.
    pub(super) fn count_programs(&mut self, line: &str, output: &str) {
        // A pipe may hide that one of them was not found.
        if output.contains("not found") {
            return;
        }
        for program in found_by_name(line) {
            if self.programs.len() < MOST {
                self.programs.insert(program);
            }
        }
    }
}

/// The programs of a line that a shell found where it always looks: not through another one, nor where the line itself changes where to look,
/// asks before or has another way out.
fn found_by_name(line: &str) -> Vec<String> {
    let run = commands(line);
    let changes_path = |simple: &Simple| {
        let is_path = |word: &String| word.starts_with("PATH=");
        let words = simple.words.iter().chain(&simple.wrapping);
        matches!(simple.words[0].as_str(), "source" | "." | "eval") || words.clone().any(is_path)
    };
    let is_sure = |simple: &Simple| simple.then != Then::Or && !changes_path(simple);
    if !run.iter().all(is_sure) {
        return Vec::new();
    }
    let plain = run.iter().filter(|simple| {
        let program = &simple.words[0];
        simple.through.is_none()
            && !simple.lost
            && !program.contains(['/', '$', '='])
            && !matches!(program.as_str(), "fi" | "done" | "esac" | "}" | ")")
            && !is_preparation(simple)
            && !is_of_every_day(program)
    });
    plain.map(|simple| simple.words[0].clone()).collect()
}

#[test]
fn programs_count_that_a_shell_found_by_name() {
    for (line, expected) in [
        ("go test ./...", &["go"][..]),
        (
            "cd web && go vet ./... && pnpm build | tail -3",
            &["go", "pnpm"],
        ),
        ("GOFLAGS=-v go test", &["go"]),
        ("mise exec -- go test", &[]),
        ("npx vitest run", &[]),
        ("/opt/go/bin/go test", &[]),
        ("PATH=/opt/go/bin:$PATH go test", &[]),
        ("export PATH=$HOME/go/bin:$PATH && go test", &[]),
        ("source ~/.profile && go test", &[]),
        ("eval \"$(mise env)\"; go test", &[]),
        ("go version || mise exec -- go version", &[]),
        ("if which go; then go test; fi", &[]),
        ("git status && ls", &[]),
    ] {
        assert_eq!(found_by_name(line), expected, "{line}");
    }
}
