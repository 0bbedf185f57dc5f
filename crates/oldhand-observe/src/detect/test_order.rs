//! Whether tests came before the code or after it.

use oldhand_domain::signal::SignalKind;

use super::{Finding, Norms, Order, Signal};
use crate::fold::SessionAnalytics;
use crate::outcome::commands::{Check, check_commands};
use crate::paths;

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    let code = session.edits.iter().find(|edit| {
        let path = session.files.path(edit.file).as_str();
        paths::is_code(path) && !paths::is_test(path) && !paths::is_for_agents(path)
    });
    let Some(code) = code else { return Vec::new() };
    let ran = session
        .runs
        .iter()
        .filter(|run| run.checks.contains(&Check::Test))
        .map(|run| run.step);
    let touched = session
        .files
        .iter()
        .filter(|(_, file)| file.first_step > 0 && paths::is_test(file.path.as_str()))
        .map(|(_, file)| file.first_step);
    let Some(first) = ran.chain(touched).min() else {
        return Vec::new();
    };
    let order = if first < code.step {
        Order::First
    } else {
        Order::After
    };
    let module = paths::module_of(session.files.path(code.file).as_str()).to_owned();
    let word = match order {
        Order::First => "first",
        Order::After => "after",
    };
    let key = format!("tests:{module}:{word}");
    let command = session.runs.iter().rev().find_map(|run| {
        let mut made = check_commands(&run.command).into_iter();
        made.find(|(check, _)| *check == Check::Test)
            .map(|(_, command)| command)
    });
    let finding = Finding::TestOrder {
        module,
        order,
        command,
    };
    vec![
        Signal::new(SignalKind::TestOrder, key, finding)
            .seen_at([first, code.step])
            .strong(0.6),
    ]
}

#[test]
fn the_first_touch_of_a_test_decides() {
    let cases = [
        ("run cargo test = 0; edit src/a.rs", "tests:src:first"),
        (
            "read tests/a.rs; edit src/a.rs; run cargo test = 0",
            "tests:src:first",
        ),
        ("edit src/a.rs; run cargo test = 0", "tests:src:after"),
        ("edit src/a.rs; edit src/b.rs", ""),
        ("run cargo test = 0", ""),
        ("edit tests/a.rs; run cargo test = 0", ""),
        (
            "run cargo test = 0; edit _bmad-output/plans/status.yaml",
            "",
        ),
    ];
    for (story, expected) in cases {
        assert_eq!(
            super::keys(SignalKind::TestOrder, story),
            expected,
            "{story}"
        );
    }
}
