//! Continuous integration runs what the README tells a newcomer to run, and nothing else.

use super::{Finding, SourceFile};

const SCRIPT: &str = ".ci/run";

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    let text = |path: &str| {
        files
            .iter()
            .find(|file| file.path == path)
            .map(|file| file.text.as_str())
    };
    let command =
        text(SCRIPT).and_then(|script| script.lines().find_map(|line| line.strip_prefix("exec ")));
    let readme = text("README.md").unwrap_or_default();
    let says = match command {
        None => "must end in `exec` and the test command".to_owned(),
        Some(command) if !readme.lines().any(|line| is_command(line, command)) => {
            format!("runs `{command}`, which README.md does not name")
        }
        Some(_) => return Vec::new(),
    };
    vec![Finding {
        path: SCRIPT.to_owned(),
        line: None,
        says,
    }]
}

/// Whether a line of a shell block is this command, with or without a comment behind it.
fn is_command(line: &str, command: &str) -> bool {
    line.split('#')
        .next()
        .is_some_and(|words| words.trim() == command)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{file, told};
    use super::find;

    #[test]
    fn a_script_that_runs_something_else_is_told() {
        let readme = file("README.md", "```sh\ncargo xtask test   # all\n```\n");
        let script = file(".ci/run", "#!/bin/sh\nexec cargo test\n");
        assert_eq!(
            told(&find(&[script, readme])),
            [".ci/run: runs `cargo test`, which README.md does not name"]
        );
        assert_eq!(
            told(&find(&[])),
            [".ci/run: must end in `exec` and the test command"]
        );
    }

    #[test]
    fn a_script_that_runs_the_readme_is_fine() {
        let readme = file("README.md", "```sh\ncargo xtask test   # all\n```\n");
        let script = file(".ci/run", "#!/bin/sh\nexec cargo xtask test\n");
        assert_eq!(find(&[script, readme]), []);
    }
}
