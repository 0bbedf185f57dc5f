//! A relative link in a Markdown file leads somewhere: to a file or folder, and to a heading when it names one.

use std::collections::{HashMap, HashSet};

use super::{Finding, SourceFile};

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    let texts: HashMap<&str, &str> = files
        .iter()
        .map(|file| (file.path.as_str(), file.text.as_str()))
        .collect();
    let folders = folders(files);
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_markdown()) {
        for (index, target) in links(&file.text) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let Some(path) = resolve(file, path) else {
                findings.push(Finding::on_line(
                    file,
                    index,
                    format!("`{target}` leads out of the house"),
                ));
                continue;
            };
            let text = texts.get(path.as_str());
            if text.is_none() && !folders.contains(path.as_str()) {
                findings.push(Finding::on_line(
                    file,
                    index,
                    format!("`{target}` does not exist"),
                ));
            } else if !heading.is_empty() && !text.is_some_and(|text| has_heading(text, heading)) {
                findings.push(Finding::on_line(
                    file,
                    index,
                    format!("`{target}` names no heading"),
                ));
            }
        }
    }
    findings
}

fn folders(files: &[SourceFile]) -> HashSet<&str> {
    let mut folders = HashSet::from([""]);
    for file in files {
        let mut folder = file.folder();
        while folders.insert(folder) {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
    folders
}

/// The relative targets of `[text](target)`, with the line each stands on; code blocks do not count.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    for (index, line) in outside_code(text) {
        for (at, _) in line.match_indices("](") {
            let target = &line[at + 2..];
            let Some(end) = target.find(')') else {
                continue;
            };
            let target = &target[..end];
            if !target.contains("://") && !target.starts_with("mailto:") {
                links.push((index, target));
            }
        }
    }
    links
}

fn outside_code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    text.lines().enumerate().filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !fence && !in_code
    })
}

/// The path from the root of the house; `None` when it climbs above it.
fn resolve(from: &SourceFile, target: &str) -> Option<String> {
    if target.is_empty() {
        return Some(from.path.clone());
    }
    let mut parts: Vec<&str> = from
        .folder()
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether a Markdown text has a heading whose anchor, as forges make it, is `anchor`.
fn has_heading(text: &str, anchor: &str) -> bool {
    let headings = outside_code(text).filter_map(|(_, line)| line.strip_prefix('#'));
    headings
        .map(|heading| {
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = heading
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c })
                .collect::<String>()
        })
        .any(|made| made == anchor)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{file, told};
    use super::find;

    #[test]
    fn a_link_to_nowhere_is_told() {
        let files = [
            file(
                "docs/README.md",
                "see\n[words](glossery.md), [up](../../x), [there](glossary.md#zebra)",
            ),
            file("docs/glossary.md", "# Glossary\n"),
        ];
        assert_eq!(
            told(&find(&files)),
            [
                "docs/README.md:2: `glossery.md` does not exist",
                "docs/README.md:2: `../../x` leads out of the house",
                "docs/README.md:2: `glossary.md#zebra` names no heading",
            ]
        );
    }

    #[test]
    fn a_link_that_leads_somewhere_is_fine() {
        let files = [
            file(
                "docs/README.md",
                "# All of it\n[a](glossary.md#two-words-really) [b](decisions/) [c](../crates/a/src/lib.rs)",
            ),
            file(
                "docs/glossary.md",
                "## Two words, really\n[self](#two-words-really) [out](https://example.com)\n",
            ),
            file(
                "docs/decisions/0001.md",
                "```md\n[sample](nowhere.md)\n```\n[root](../../README.md)",
            ),
            file("README.md", "[docs](docs)"),
            file("crates/a/src/lib.rs", "//! A.\n"),
        ];
        assert_eq!(told(&find(&files)), [""; 0]);
    }
}
