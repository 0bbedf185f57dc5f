//! How a Python project is tested: by pytest where anything speaks of it, else as `tox.ini` does it, else by `unittest` where
//! that is named. Without a sign nothing is guessed.

use super::{Command, Purpose};
use crate::project::{Manifest, parent};

pub(super) fn tests(manifest: &Manifest, all: &[Manifest]) -> Vec<Command> {
    let folder = manifest.folder();
    let line = |line: &str, folder: String| {
        vec![Command {
            purpose: Purpose::Test,
            line: line.to_owned(),
            folder,
        }]
    };
    let around: Vec<&Manifest> = all.iter().filter(|other| is_about(other, folder)).collect();
    if around.iter().any(|other| speaks_of_pytest(other)) {
        return line("python -m pytest", folder.to_owned());
    }
    let tox = around
        .iter()
        .find(|other| other.file_name() == "tox.ini" && other.folder() == folder);
    if let Some(tox) = tox {
        return match tox_command(&tox.text) {
            Some(written) => line(&written, folder.to_owned()),
            None => line("tox", folder.to_owned()),
        };
    }
    if around.iter().any(|other| other.text.contains("unittest")) {
        return line("python -m unittest", folder.to_owned());
    }
    Vec::new()
}

/// Whether `manifest` says something of the tests of `folder`: it stands in it, above it or below it.
fn is_about(manifest: &Manifest, folder: &str) -> bool {
    let is_python = matches!(
        manifest.file_name(),
        "pyproject.toml" | "setup.py" | "setup.cfg" | "tox.ini" | "pytest.ini" | "conftest.py"
    );
    let holds = |outer: &str, inner: &str| {
        let rest = inner.strip_prefix(outer);
        outer.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let at = parent(&manifest.path);
    is_python && (holds(at, folder) || holds(folder, at))
}

fn speaks_of_pytest(manifest: &Manifest) -> bool {
    matches!(manifest.file_name(), "pytest.ini" | "conftest.py") || manifest.text.contains("pytest")
}

/// The first command of tox's usual environment that runs Python, from the folder of its settings.
fn tox_command(text: &str) -> Option<String> {
    let section = text.split("[testenv]").nth(1)?;
    let section = section.split("\n[").next()?;
    let value = |key: &str| {
        let mut lines = section.lines();
        lines.find_map(|line| value_of(line, key))
    };
    let mut lines = section
        .lines()
        .skip_while(|line| value_of(line, "commands").is_none());
    let first = value_of(lines.next()?, "commands")?;
    let more = lines.take_while(|line| line.starts_with([' ', '\t']));
    let runs = |line: &str| line.contains("python") && !line.contains("pip ");
    let written = std::iter::once(first).chain(more).find(|line| runs(line))?;
    let mut plain = written
        .replace("{envpython}", "python")
        .replace("{toxinidir}/", "");
    while let Some(at) = plain.find("{posargs") {
        let end = plain[at..].find('}')? + at;
        plain.replace_range(at..=end, "");
    }
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = match value("changedir") {
        None | Some("" | "." | "{toxinidir}") => plain,
        Some(inside) => format!("cd {inside} && {plain}"),
    };
    (!whole.contains('{')).then_some(whole)
}

/// What a line says of `key`, and of no key that starts like it.
fn value_of<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    let rest = line.strip_prefix(key)?.trim_start();
    Some(rest.strip_prefix('=')?.trim())
}

#[cfg(test)]
mod tests {
    use super::tests;
    use crate::project::Manifest;

    fn told(files: &[(&str, &str)]) -> String {
        let all: Vec<Manifest> = files
            .iter()
            .map(|(path, text)| Manifest {
                path: (*path).to_owned(),
                text: (*text).to_owned(),
            })
            .collect();
        let found = tests(&all[0], &all);
        let lines = found
            .iter()
            .map(|command| format!("{}|{}", command.folder, command.line));
        lines.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_sign_of_pytest_anywhere_is_enough() {
        assert_eq!(
            told(&[("pyproject.toml", ""), ("tests/conftest.py", "")]),
            "|python -m pytest"
        );
        assert_eq!(
            told(&[("setup.py", ""), ("tox.ini", "deps = pytest\n")]),
            "|python -m pytest"
        );
    }

    #[test]
    fn tox_says_how_a_project_with_its_own_runner_is_tested() {
        let tox = "[tox]\nminversion = 4\n\n[testenv]\nchangedir = tests\ncommands =\n    {envpython} runtests.py {posargs}\n\n[testenv:docs]\nchangedir = docs\n";
        assert_eq!(
            told(&[("pyproject.toml", ""), ("tox.ini", tox)]),
            "|cd tests && python runtests.py"
        );
        let first = "[testenv]\ncommands_pre = python -c 'import this'\ncommands = python run.py\n";
        assert_eq!(
            told(&[("setup.py", ""), ("tox.ini", first)]),
            "|python run.py"
        );
        assert_eq!(
            told(&[
                ("setup.py", ""),
                ("tox.ini", "[testenv]\ncommands = make all\n")
            ]),
            "|tox"
        );
    }

    #[test]
    fn without_a_sign_nothing_is_guessed() {
        assert_eq!(told(&[("pyproject.toml", "[project]\n")]), "");
        assert_eq!(
            told(&[("pyproject.toml", "test = 'unittest'\n")]),
            "|python -m unittest"
        );
    }
}
