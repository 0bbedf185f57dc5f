//! Configuration edited together with code: the one asked for the other.

use std::collections::BTreeMap;

use oldhand_domain::path::ProjectPath;
use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Signal};
use crate::fold::SessionAnalytics;
use crate::paths;

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    let edited = session.edited_files();
    let mut modules: BTreeMap<&str, Vec<ProjectPath>> = BTreeMap::new();
    for &file in &edited {
        let path = session.files.path(file);
        if paths::is_code(path.as_str()) && !paths::is_generated(path.as_str()) {
            modules
                .entry(paths::module_of(path.as_str()))
                .or_default()
                .push(path.clone());
        }
    }
    // The module most of the work was in is the one the configuration serves.
    let main = modules
        .iter()
        .max_by_key(|(name, files)| (files.len(), std::cmp::Reverse(*name)));
    let Some((module, code)) = main else {
        return Vec::new();
    };
    let configs = edited
        .iter()
        .map(|&file| session.files.get(file))
        .filter(|file| paths::is_config(file.path.as_str()));
    configs
        .map(|config| {
            let key = format!("config:{}+{module}", config.path);
            let code: Vec<ProjectPath> = code.iter().take(4).cloned().collect();
            let files = std::iter::once(config.path.clone())
                .chain(code.iter().cloned())
                .collect::<Vec<_>>();
            // The first edit of each of them shows that they go together.
            let steps: Vec<u32> = files
                .iter()
                .filter_map(|path| {
                    let mut edits = session.edits.iter();
                    edits.find(|edit| session.files.path(edit.file) == path)
                })
                .map(|edit| edit.step)
                .collect();
            let finding = Finding::ConfigTouch {
                config: config.path.clone(),
                module: (*module).to_owned(),
                code,
            };
            Signal::new(SignalKind::ConfigTouch, key, finding)
                .about(files)
                .seen_at(steps)
                .strong(0.6)
        })
        .collect()
}

#[test]
fn four_files_of_the_code_are_named_and_their_edits_show_it() {
    let story = "repeat 5 edit src/a/x{n}.ts; edit package.json; edit src/a/x1.ts";
    let signals = super::detected(story);
    let mut found = signals.iter();
    let signal = found.find(|signal| signal.kind == SignalKind::ConfigTouch);
    let signal = signal.unwrap();
    assert_eq!(
        (signal.files.len(), &signal.evidence[..]),
        (5, &[1, 2, 3, 4, 6][..])
    );
}

#[test]
fn configuration_alone_or_only_read_is_nothing() {
    let cases = [
        (
            "edit src/a/x.ts; edit package.json",
            "config:package.json+src/a",
        ),
        ("edit package.json", ""),
        ("edit src/a/x.min.js; edit package.json", ""),
        ("read package.json; edit src/a/x.ts", ""),
        ("edit README.md; edit package.json", ""),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::ConfigTouch, story),
            expected,
            "{story}"
        );
    }
}
