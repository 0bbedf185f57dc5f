//! What a program does not have, and what listings were for, over several sessions.

use super::*;

/// What the last of some sessions tells of a kind.
fn told(stories: &[&str], kind: &str) -> Vec<String> {
    let mut known = Knowledge::default();
    let mut told = Vec::new();
    for (number, story) in stories.iter().enumerate() {
        let session = fold(&events(story), &FoldOptions::default());
        let id = SessionId::new(format!("s{number}")).unwrap();
        let harvest = harvest(id, &session, &known);
        let fit = harvest.candidates.iter().filter(|one| one.is_fit());
        let of_kind = fit.filter(|one| one.key.starts_with(kind));
        told = of_kind.map(|one| one.content.to_string()).collect();
        known.learn(&harvest.facts);
    }
    told
}

#[test]
fn a_subcommand_is_counted_by_all_sessions_that_met_it() {
    let failed =
        |line: &str| format!("run rtk bun run {line} = 2: error: unrecognized subcommand 'bun'");
    let without = format!("{}; run bun run test = 0", failed("test"));
    let linted = format!("{}; run bun run lint = 0", failed("lint"));
    // Nothing was done about it, or something else.
    let left = failed("test");
    let other = format!("{}; run npx vitest run = 0", failed("test"));
    let all = [&without[..], &left, &other, &linted];
    let content = "`rtk` has no subcommand `bun` (\"error: unrecognized subcommand 'bun'\", met in 4 sessions). The same line worked without `rtk`.";
    assert_eq!(told(&all, "error:"), [content]);
    let one = content.replace("4 sessions", "one session");
    assert_eq!(told(&all[..1], "error:"), [one]);
    assert!(told(&all[..2], "error:").is_empty());
}
