//! The rules of the house that no other tool knows: one file each, with the samples that break it.

mod changelog;
mod ci;
mod decisions;
mod forgotten;
mod glossary;
mod header;
mod index;
mod length;
mod links;
mod machine_paths;
mod markers;
mod module_files;
mod names;
mod registry_hosts;
mod test_style;

use anyhow::Result;

use crate::house::{House, SourceFile};
use crate::report::Verdict;

/// A rule looks at the whole house and says what is wrong.
struct Rule {
    name: &'static str,
    find: fn(&[SourceFile]) -> Vec<Finding>,
}

const RULES: [Rule; 15] = [
    rule("changelog", changelog::find),
    rule("ci", ci::find),
    rule("decisions", decisions::find),
    rule("forgotten", forgotten::find),
    rule("glossary", glossary::find),
    rule("header", header::find),
    rule("index", index::find),
    rule("length", length::find),
    rule("links", links::find),
    rule("machine-paths", machine_paths::find),
    rule("markers", markers::find),
    rule("module-files", module_files::find),
    rule("names", names::find),
    rule("registry-hosts", registry_hosts::find),
    rule("test-style", test_style::find),
];

const fn rule(name: &'static str, find: fn(&[SourceFile]) -> Vec<Finding>) -> Rule {
    Rule { name, find }
}

/// Something that breaks a rule, and where.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    /// From 1; `None` when the whole file is meant.
    line: Option<usize>,
    says: String,
}

pub(crate) fn check(house: &House) -> Result<Verdict> {
    let files = house.files()?;
    let mut count = 0;
    for Rule { name, find } in RULES {
        for Finding { path, line, says } in find(&files) {
            count += 1;
            match line {
                Some(line) => println!("{path}:{line}: {says} ({name})"),
                None => println!("{path}: {says} ({name})"),
            }
        }
    }
    Ok(match count {
        0 => Verdict::Passed,
        count => Verdict::Failed(format!("{count} findings")),
    })
}

impl Finding {
    fn in_file(file: &SourceFile, says: impl Into<String>) -> Self {
        Self {
            path: file.path.clone(),
            line: None,
            says: says.into(),
        }
    }

    /// `index` counts lines from 0, as `enumerate` does.
    fn on_line(file: &SourceFile, index: usize, says: impl Into<String>) -> Self {
        Self {
            path: file.path.clone(),
            line: Some(index + 1),
            says: says.into(),
        }
    }
}

impl SourceFile {
    /// Rust that is ours. What lies in a `fixtures` folder is data for tests and may look as it likes.
    fn is_rust(&self) -> bool {
        self.has_extension("rs") && !self.is_fixture()
    }

    fn is_markdown(&self) -> bool {
        self.has_extension("md") && !self.is_fixture()
    }

    fn is_fixture(&self) -> bool {
        self.path.split('/').any(|part| part == "fixtures")
    }

    /// Written by a package tool, not by a person.
    fn is_lock_file(&self) -> bool {
        matches!(self.name(), "Cargo.lock" | "package-lock.json")
    }

    fn has_extension(&self, extension: &str) -> bool {
        self.name()
            .rsplit_once('.')
            .is_some_and(|(_, end)| end == extension)
    }

    fn name(&self) -> &str {
        self.path
            .rsplit_once('/')
            .map_or(&self.path, |(_, name)| name)
    }

    /// The folder it lies in, without a closing slash; empty at the root.
    fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// Looks at each line of the files that `applies` picks; a finding is what `says` returns.
fn by_line(
    files: &[SourceFile],
    applies: fn(&SourceFile) -> bool,
    says: impl Fn(&str) -> Option<String>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| applies(file)) {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(says) = says(line) {
                findings.push(Finding::on_line(file, index, says));
            }
        }
    }
    findings
}

#[cfg(test)]
mod sample {
    //! How the rules' tests write down a house in a few lines.

    use super::{Finding, SourceFile};

    pub(super) fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    /// Findings as `path:line: what`, one a line.
    pub(super) fn told(findings: &[Finding]) -> Vec<String> {
        let tell = |finding: &Finding| match finding.line {
            Some(line) => format!("{}:{line}: {}", finding.path, finding.says),
            None => format!("{}: {}", finding.path, finding.says),
        };
        findings.iter().map(tell).collect()
    }
}
