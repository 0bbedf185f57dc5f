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

/// The programs of a line that a shell found where it always looks, by an exit code that nothing behind them hides: not through another
/// one, nor where the line changes what a name stands for, sends errors away, asks before or has another way out.
fn found_by_name(line: &str) -> Vec<String> {
    let run = commands(line);
    let is_sure = |simple: &Simple| simple.then != Then::Or && !renames(simple);
    if sends_errors_away(line) || sets_path(line) || !run.iter().all(is_sure) {
        return Vec::new();
    }
    // What is joined otherwise leaves the exit code to what comes after it.
    let hides = |simple: &Simple| !matches!(simple.then, Then::And | Then::End);
    let shown = run.iter().rposition(hides).map_or(0, |at| at + 1);
    let plain = run[shown..].iter().filter(|simple| {
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

/// Whether a command may give a name another program than a shell finds for it by itself: it makes an alias or a function, or runs a
/// script, as a login shell does with those of its user.
fn renames(simple: &Simple) -> bool {
    let program = simple.words[0].as_str();
    !simple.within.is_empty()
        || matches!(program, "source" | "." | "eval" | "alias" | "function")
        || program.contains('(')
}

/// Whether a line sets where programs are looked for, or may.
fn sets_path(line: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_$/{".contains(c);
    line.match_indices("PATH").any(|(at, path)| {
        let after = line[at + path.len()..].chars().next();
        !line[..at].ends_with(is_part) && !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

/// Whether what a line says of its errors goes anywhere else than to where its output goes.
fn sends_errors_away(line: &str) -> bool {
    let mut numbered = line
        .match_indices("2>")
        .map(|(at, arrow)| &line[at + arrow.len()..]);
    numbered.any(|rest| !rest.starts_with("&1")) || line.contains("&>")
}

#[test]
fn programs_count_that_a_shell_found_by_name() {
    for (line, expected) in [
        ("go test ./...", &["go"][..]),
        ("cd web && go vet ./... && pnpm build", &["go", "pnpm"]),
        ("ls; go version 2>&1", &["go"]),
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
        // Its exit code is not the line's.
        ("go version | head -1", &[]),
        ("go vet ./... && pnpm build | tail -3", &[]),
        ("go env GOPATH; ls", &[]),
        ("go version; pnpm build", &["pnpm"]),
        ("go version & wait", &["wait"]),
        // What the shell says of it is not shown.
        ("go version 2>/dev/null", &[]),
        ("go version 2>/dev/null | head -1", &[]),
        ("go env GOPATH 2>/dev/null; ls", &[]),
        ("go version &> log && ls", &[]),
        // The name stands for something else.
        ("PATH+=:/opt/go/bin; go version", &[]),
        ("PATH=/opt/go/bin; go version", &[]),
        ("export PATH && go version", &[]),
        ("export GOPATH=$PATH && go version", &["go"]),
        ("set -gx PATH /opt/go/bin $PATH; go version", &[]),
        ("alias go='mise exec -- go'; go version", &[]),
        ("go() { mise exec -- go \"$@\"; }; go version", &[]),
        ("bash -lc \"go version\"", &[]),
        ("zsh -l -c \"go version\"", &[]),
    ] {
        assert_eq!(found_by_name(line), expected, "{line}");
    }
}
