//! Whether the work of a branch is in the main line.

use std::path::Path;

use super::git;

/// So many commits of the main line are looked through.
const COMMITS: usize = 20_000;

/// Where the main line may be, the likeliest first.
const MAIN: [&str; 4] = [
    "refs/remotes/origin/HEAD",
    "refs/heads/main",
    "refs/heads/master",
    "refs/heads/trunk",
];

/// When the last commit of a branch was made, if the main line has it; `None` for the main line itself, for a branch that is
/// gone, and for one whose commits went in under other names.
pub fn merged(path: &Path, branch: &str) -> Option<i64> {
    let repository = git::open(path).ok()?;
    let find = |name: &str| {
        let mut found = repository.try_find_reference(name).ok()??;
        Some(found.peel_to_id().ok()?.detach())
    };
    let main = MAIN.iter().find(|name| find(name).is_some())?;
    let own = format!("refs/heads/{branch}");
    if **main == *own || main.ends_with("/HEAD") && MAIN[1..].contains(&own.as_str()) {
        return None;
    }
    let tip = find(&own)?;
    let walk = repository.rev_walk([find(main)?]).all().ok()?;
    let mut commits = walk.take(COMMITS).flatten();
    commits.find(|commit| commit.id == tip)?;
    let time = repository.find_commit(tip).ok()?.time().ok()?;
    Some(time.seconds)
}

#[test]
fn a_branch_is_merged_once_the_main_line_has_its_last_commit() {
    let repository = super::fixture::Fixture::new();
    repository.write("a.rs", "one").commit("begin");
    repository.git(&["branch", "-M", "main"]);
    repository.git(&["checkout", "--quiet", "-b", "work"]);
    repository.write("a.rs", "two").commit("work");
    assert_eq!(merged(repository.path(), "work"), None);
    repository.git(&["checkout", "--quiet", "main"]);
    repository.git(&["merge", "--quiet", "--no-ff", "--no-edit", "work"]);
    assert!(merged(repository.path(), "work").is_some());
    assert_eq!(merged(repository.path(), "main"), None);
    assert_eq!(merged(repository.path(), "gone"), None);
}
