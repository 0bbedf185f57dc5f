//! Which of the files that were edited between an error and the end of it may have ended it: most of what is edited meanwhile is the work itself.

use super::{ErrorUse, FileId, SessionAnalytics};
use crate::distill::phrase::without_plumbing;
use crate::distill::remedy::{is_of_the_moment, is_of_words_given};
use crate::outcome::commands::{command_key, main_command};
use crate::outcome::results::CheckResult;

/// What passes so much later was waiting for nothing in particular.
const NEAR_STEPS: u32 = 20;
/// So few files are the answer although nothing in the error speaks of them.
const FEW_FILES: usize = 2;
/// So many files that the error speaks of.
const SPOKEN_FILES: usize = 3;
/// The shortest name that two files share by more than chance.
const STEM_LENGTH: usize = 4;

impl SessionAnalytics {
    /// The edited files that `error` is bound to: the line that had failed with it was run next, passed, and few files were edited in
    /// between, or few of them that the error speaks of.
    pub(super) fn bound_files(
        &self,
        error: &ErrorUse,
        edited: &[FileId],
        typed: &str,
    ) -> Vec<FileId> {
        let last = error.steps.last().copied().unwrap_or(self.step);
        let is_direct = self.step - last <= NEAR_STEPS
            && runs_it_again(error, typed)
            && !is_of_the_moment(&error.message, &error.typed)
            && !is_of_words_given(&error.message, &error.typed)
            && !self.failed_between(error, last);
        if !is_direct {
            return Vec::new();
        }
        if edited.len() <= FEW_FILES {
            return edited.to_vec();
        }
        let mut spoken = edited.to_vec();
        spoken.retain(|file| speaks_of(error, self.files.path(*file).as_str()));
        spoken.truncate(SPOKEN_FILES + 1);
        if spoken.len() > SPOKEN_FILES {
            spoken.clear();
        }
        spoken
    }

    /// Whether the same command failed with something else meanwhile: what was edited then was edited for that.
    fn failed_between(&self, error: &ErrorUse, last: u32) -> bool {
        let is_meanwhile = |step: u32| step > last && step < self.step;
        let mut others = self.errors.values();
        let other = others.any(|other| {
            other.fingerprint != error.fingerprint
                && other.command == error.command
                && other.steps.iter().any(|step| is_meanwhile(*step))
        });
        let runs = self.runs.iter().rev().take_while(|run| run.step > last);
        other
            || runs
                .filter(|run| is_meanwhile(run.step) && run.result == CheckResult::Failed)
                .any(|run| command_key(&run.command).as_deref() == Some(&error.command))
    }
}

/// Whether a line that passed ran what had failed: the same words, or of a test that failed all tests or this one.
fn runs_it_again(error: &ErrorUse, typed: &str) -> bool {
    let words = |line: &str| -> Vec<String> {
        let main = main_command(without_plumbing(line));
        main.map_or_else(Vec::new, |main| main.words)
    };
    let (failed, passed) = (words(&error.typed), words(typed));
    if failed == passed {
        return true;
    }
    is_test(&error.message)
        && passed
            .iter()
            .all(|word| failed.contains(word) || error.message.contains(word.as_str()))
}

fn is_test(message: &str) -> bool {
    message.starts_with("test ") && message.ends_with(" fails")
}

/// Whether an error speaks of a file: its output names it, or the test that failed is called like it.
fn speaks_of(error: &ErrorUse, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = stem(name);
    // A compiler speaks of everything that it meets; what a test is called says what it is about.
    let is_tested = || {
        let message = error.message.to_lowercase();
        let mut words = message.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')));
        words.any(|word| bare(word) == stem)
            || error.names.iter().any(|named| self::stem(named) == stem)
    };
    error.names.contains(name)
        || is_test(&error.message) && stem.len() >= STEM_LENGTH && is_tested()
}

/// What a file is called, without what says that it is a test: `cart` of `test_cart.py` and of `cart.spec.ts`.
fn stem(name: &str) -> String {
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    bare(&stem).to_owned()
}

fn bare(word: &str) -> &str {
    let word = word.strip_prefix("test_").unwrap_or(word);
    let word = word.strip_suffix("_test").unwrap_or(word);
    word.strip_suffix("_spec").unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use crate::fold::Solution;
    use crate::fold::tests::told;

    /// The files that the only error of a story is bound to.
    fn bound(story: &str) -> Vec<String> {
        let session = told(story);
        let error = session.errors.values().next().unwrap();
        let resolution = error.resolution.as_ref().unwrap();
        assert!(matches!(resolution.solution, Solution::Edits(_)), "{story}");
        let paths = resolution
            .bound
            .iter()
            .map(|file| session.files.path(*file).as_str().to_owned());
        paths.collect()
    }

    #[test]
    fn few_files_that_were_edited_before_the_same_line_passed_ended_it() {
        let table = "run cargo test = 101: error: no such table: users";
        for (story, files) in [
            (
                format!(
                    "{table}; edit m/2.sql; run cargo test 2>&1 | tail -3 = 0: test result: ok. 1 passed"
                ),
                vec!["m/2.sql"],
            ),
            (
                format!("{table}; edit m/2.sql; edit b.rs; run cargo test = 0"),
                vec!["m/2.sql", "b.rs"],
            ),
            (
                format!("{table}; edit a.rs; edit b.rs; edit c.rs; run cargo test = 0"),
                vec![],
            ),
            // Another line, another failure in between, another day.
            (
                format!("{table}; edit m/2.sql; run cargo test --release = 0"),
                vec![],
            ),
            (
                format!("{table}; edit m/2.sql; repeat 30 read a.rs; run cargo test = 0"),
                vec![],
            ),
        ] {
            assert_eq!(bound(&story), files, "{story}");
        }
        let between = "run make = 2: error: no such table: users; edit a.rs; run make = 2: error: no such column: age; edit b.rs; run make = 0";
        let session = told(between);
        let of = |message: &str| {
            let mut errors = session.errors.values();
            let error = errors.find(|error| error.message.ends_with(message));
            error.unwrap().resolution.as_ref().unwrap().bound.len()
        };
        assert_eq!((of("users"), of("age")), (0, 1));
    }

    #[test]
    fn a_failing_test_is_ended_where_it_or_all_tests_ran_again() {
        let failed = "run go test ./... = 1: --- FAIL: TestCart (0.00s); edit shop/cart.go; run go test ./...";
        assert_eq!(bound(&format!("{failed} = 0")), ["shop/cart.go"]);
        let among = "run pytest = 1: FAILED tests/test_cart.py::test_sum - KeyError; edit till.py; edit cart.py; edit stock.py; run pytest = 0: 1 passed in 0.1s";
        assert_eq!(bound(among), ["cart.py"]);
        assert_eq!(
            bound(&format!("{failed} -run TestCart = 0: ok")).len(),
            0,
            "an option that nobody gave before"
        );
    }

    #[test]
    fn no_edit_ends_an_error_of_a_call() {
        for story in [
            "run cargo test cart till = 1: error: unexpected argument 'till' found; edit a.rs; run cargo test cart till = 0: test result: ok. 1 passed",
            "run shop --fast = 2: error: unknown option --fast; edit a.rs; run shop --fast = 0",
            "run cargo test --lib = 101: error: no library targets found in package `shop`; edit a.rs; run cargo test --lib = 0",
            "run hk check = 127: zsh: command not found: hk; edit a.rs; run hk check = 0",
            "run git pull --rebase = 1: error: cannot pull with rebase: You have unstaged changes; edit a.rs; run git pull --rebase = 0",
        ] {
            assert_eq!(bound(story).len(), 0, "{story}");
        }
    }
}
