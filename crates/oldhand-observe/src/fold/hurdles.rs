//! What checks and the hooks before a commit held against files that the session had changed.
//!
//! What is wrong in a file that it never touched was there before, or came from a program: it says nothing of how work is done here. So does
//! what was seen wrong in a file before the session touched it.

use oldhand_domain::path::ProjectPath;

use super::mending::mends_by_name;
use super::{FileId, LIST_LIMIT, SessionAnalytics};
use crate::fingerprint::broken_rules;
use crate::outcome::commands::{Check, check_commands};

/// How a commit is called among checks, since its hooks are some.
pub(crate) const COMMIT: &str = "git commit";

/// How much of a linter's words is kept.
const WORDS: usize = 160;

/// One rule that stopped the work once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hurdle {
    pub step: u32,
    /// The check as one types it, or `git commit`.
    pub check: String,
    /// The rule as the linter names it, or the kind of check that a hook made; nothing where it does not say.
    pub rule: String,
    pub message: String,
}

impl SessionAnalytics {
    /// Notes the rules that a failing check names.
    pub(super) fn count_broken_rules(&mut self, command: &str, output: &str) {
        let mut linters = check_commands(command).into_iter();
        // What puts things right complains of what it could not: the next one in the line is the linter.
        let linter = linters.find(|(check, name)| {
            let mends = mends_by_name(name.split(' '));
            *check == Check::Lint && !mends
        });
        if let Some((_, linter)) = linter.filter(|_| !is_of_the_moment(command)) {
            self.note_rules(&linter, output);
        }
    }

    /// Notes what the hooks before a commit refused it for.
    pub(super) fn count_refused_commit(&mut self, refused: &[Check], output: &str) {
        for check in refused {
            let kind = match check {
                Check::Unclear => "",
                check => check.as_str(),
            };
            self.push_hurdle(COMMIT, kind, "");
        }
        self.note_rules(COMMIT, output);
    }

    fn note_rules(&mut self, check: &str, output: &str) {
        for broken in broken_rules(output) {
            let Some(file) = broken.file.as_deref() else {
                self.push_hurdle(check, &broken.rule, &broken.message);
                continue;
            };
            if !self.has_changed(file) {
                self.note_standing(file, &broken.rule);
            } else if !self.stood_before(file, &broken.rule) {
                self.push_hurdle(check, &broken.rule, &broken.message);
            }
        }
    }

    /// Keeps what was wrong in a file before the session changed it.
    fn note_standing(&mut self, file: &str, rule: &str) {
        if self.standing_findings.len() < LIST_LIMIT {
            self.standing_findings
                .insert((rule.to_owned(), bare(file).to_owned()));
        }
    }

    fn stood_before(&self, file: &str, rule: &str) -> bool {
        let file = bare(file);
        let mut stood = self.standing_findings.iter();
        stood.any(|(known, at)| {
            known == rule && (ends_with_path(at, file) || ends_with_path(file, at))
        })
    }

    fn push_hurdle(&mut self, check: &str, rule: &str, message: &str) {
        let step = self.step;
        let is_known =
            |known: &Hurdle| known.step == step && known.rule == rule && known.check == check;
        let mut latest = self.hurdles.iter().rev();
        if self.hurdles.len() < LIST_LIMIT && !latest.any(is_known) {
            self.hurdles.push(Hurdle {
                step,
                check: check.to_owned(),
                rule: rule.to_owned(),
                message: message[..message.floor_char_boundary(WORDS)].to_owned(),
            });
        }
    }

    /// Whether the session changed the file that an output names, from whichever folder it is seen.
    fn has_changed(&self, named: &str) -> bool {
        let named = named.replace('\\', "/");
        let named = bare(&named);
        let is_it = |file: FileId| {
            let path: &ProjectPath = self.files.path(file);
            ends_with_path(named, path.as_str()) || ends_with_path(path.as_str(), named)
        };
        self.edits.iter().any(|edit| is_it(edit.file))
    }
}

fn bare(file: &str) -> &str {
    file.trim_start_matches("./")
}

fn ends_with_path(whole: &str, end: &str) -> bool {
    let before = whole.strip_suffix(end);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether a line has options by which other rules hold than those of the project.
fn is_of_the_moment(command: &str) -> bool {
    const OWN_RULES: [&str; 16] = [
        "--no-config",
        "--config",
        "-c",
        "--enable",
        "--enable-only",
        "-E",
        "--disable",
        "--disable-all",
        "--default",
        "--rule",
        "--select",
        "--extend-select",
        "--isolated",
        "--no-eslintrc",
        "-W",
        "-D",
    ];
    let words = command.split_whitespace();
    let mut options = words.map(|word| word.split('=').next().unwrap_or(word));
    options.any(|option| OWN_RULES.contains(&option))
}

#[cfg(test)]
mod tests {
    use super::super::{FoldOptions, fold};
    use crate::story::events;

    fn held(story: &str) -> String {
        let session = fold(&events(story), &FoldOptions::default());
        let told: Vec<String> = session
            .hurdles
            .iter()
            .map(|hurdle| format!("{} {}", hurdle.check, hurdle.rule))
            .collect();
        told.join(", ")
    }

    #[test]
    fn a_rule_counts_where_the_session_changed_the_file() {
        const BROKEN: &str = "a/log.go:10:2: Error return value is not checked (errcheck)\\nb/old.go:3:1: error is not nil but it returns nil (nilerr)";
        for (story, expected) in [
            (
                format!("edit a/log.go; run make lint = 1: {BROKEN}"),
                "make lint errcheck",
            ),
            (
                format!("edit a/log.go; run make fmt && make lint = 1: {BROKEN}"),
                "make lint errcheck",
            ),
            (
                format!("edit a/log.go; edit b/old.go; run make lint = 1: {BROKEN}"),
                "make lint errcheck, make lint nilerr",
            ),
            (format!("read a/log.go; run make lint = 1: {BROKEN}"), ""),
            (
                format!("edit logs/a/log.go; run make lint = 1: {BROKEN}"),
                "make lint errcheck",
            ),
            (format!("edit data/log.go; run make lint = 1: {BROKEN}"), ""),
            (
                "edit src/a.ts; run npm run lint = 1: C:\\shop\\src\\a.ts\\n  12:5  error  'x' is assigned a value but never used  no-unused-vars".to_owned(),
                "npm run lint no-unused-vars",
            ),
            (
                format!("edit a/log.go; run npm run lint:fix = 1: {BROKEN}"),
                "",
            ),
            // It was there before the session touched the file.
            (
                format!(
                    "run make lint = 1: {BROKEN}; edit b/old.go; edit a/log.go; run make lint = 1: {BROKEN}\\na/log.go:9:1: this is not as it should be (other)"
                ),
                "make lint other",
            ),
            // With other rules than the project's.
            (
                format!(
                    "edit a/log.go; run golangci-lint run --no-config --enable=errcheck = 1: {BROKEN}"
                ),
                "",
            ),
            // It was another project's, be it that the shell hides how it went.
            (
                format!("start; edit a/log.go; run cd /srv/other && make lint = 1: {BROKEN}"),
                "",
            ),
            (
                format!(
                    "start; edit a/log.go; run cd /srv/other && make lint | tail -9 = 0: {BROKEN}"
                ),
                "",
            ),
            (
                format!("start; edit a/log.go; run cd web && make lint | tail -9 = 0: {BROKEN}"),
                "make lint errcheck",
            ),
            // What passed held nothing against it.
            (format!("edit a/log.go; run make lint = 0: {BROKEN}"), ""),
        ] {
            assert_eq!(held(&story), expected, "{story}");
        }
    }

    #[test]
    fn a_commit_that_its_hook_refuses_is_stopped_by_what_the_hook_checks() {
        for (story, expected) in [
            (
                "edit docs/a.md; run git commit -m x = 1: [FAILED] markdownlint --fix [FAILED]\\n✖ markdownlint --fix:\\n/p/docs/a.md:7 error MD040/fenced-code-language Fenced code blocks should have a language\\nhusky - pre-commit script failed (code 1)",
                "git commit lint, git commit MD040/fenced-code-language",
            ),
            (
                "edit a.ts; run git commit -m x = 1: > shop@1.0.0 test\\n> vitest run\\nTests  1 failed | 2 passed (3)\\nhusky - pre-commit script failed (code 1)",
                "git commit test",
            ),
            // It hides the exit code of what runs through it.
            (
                "edit a.ts; run rtk git add . && rtk git commit -m x = 0: > shop@1.0.0 test\\n> vitest run\\nTests  1 failed | 2 passed (3)\\nhusky - pre-commit script failed (code 1)",
                "git commit test",
            ),
            // A message of the log tells of hooks as well.
            (
                "edit a.ts; run git commit -q -m x && git log --oneline -3 = 0: 1a2b3c4 Retry when lint-staged failed",
                "",
            ),
            (
                "edit a.ts; run git commit -m x | tail -1; run git log -3 && git commit --amend --no-edit > /dev/null = 0: 1a2b3c4 Retry when lint-staged failed",
                "",
            ),
            (
                "edit a.ts; run git commit -qam x && git show -s = 0: pre-commit hook failed too early",
                "",
            ),
            (
                "edit a.ts; run git commit -m x && git push = 0: husky - pre-commit script failed (code 1)\\n[main 1a2b3c4] x",
                "",
            ),
            (
                "edit a.ts; run git commit -m x = 1: Missing generated files\\nhusky - pre-commit script failed (code 1)",
                "git commit ",
            ),
            (
                "edit a.ts; run git commit -m x = 1: nothing to commit, working tree clean",
                "",
            ),
        ] {
            assert_eq!(held(story), expected, "{story}");
        }
    }
}
