//! Which branches' work is in the main line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gix::ObjectId;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

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

/// When the work of each branch was done that the main line has: the time of its last commit, or, where the branch is gone, of the
/// merge that names it. Looks back to `since`, in one walk for all of them. Missing are the main line itself and branches that
/// went in under other names, as a squashed one does.
pub fn merged(path: &Path, branches: &BTreeSet<String>, since: i64) -> BTreeMap<String, i64> {
    look(path, branches, since).unwrap_or_default()
}

fn look(path: &Path, branches: &BTreeSet<String>, since: i64) -> Option<BTreeMap<String, i64>> {
    let repository = git::open(path).ok()?;
    let find = |name: &str| {
        let mut found = repository.try_find_reference(name).ok()??;
        Some(found.peel_to_id().ok()?.detach())
    };
    let main = MAIN.iter().find(|name| find(name).is_some())?;
    let default = repository.try_find_reference(*main).ok()??;
    let default = default.target().try_name().and_then(|name| {
        let branch = name.as_bstr().strip_prefix(b"refs/remotes/origin/")?;
        std::str::from_utf8(branch).ok().map(str::to_owned)
    });
    let mut tips: BTreeMap<ObjectId, Vec<&String>> = BTreeMap::new();
    let mut gone: BTreeSet<&String> = BTreeSet::new();
    for branch in branches {
        let own = format!("refs/heads/{branch}");
        let is_main = main.ends_with("/HEAD") && MAIN[1..].contains(&own.as_str());
        if **main == *own || is_main || default.as_ref() == Some(branch) {
            continue;
        }
        match find(&own) {
            Some(tip) => tips.entry(tip).or_default().push(branch),
            None => {
                gone.insert(branch);
            }
        }
    }
    let newest_first = Sorting::ByCommitTimeCutoff {
        order: CommitTimeOrder::NewestFirst,
        seconds: since,
    };
    let walk = repository.rev_walk([find(main)?]).sorting(newest_first);
    let mut found = BTreeMap::new();
    for commit in walk.all().ok()?.take(COMMITS).flatten() {
        if tips.is_empty() && gone.is_empty() {
            break;
        }
        let tip_of = tips.remove(&commit.id);
        let names_gone = !gone.is_empty() && commit.parent_ids.len() > 1;
        if tip_of.is_none() && !names_gone {
            continue;
        }
        let Ok(commit) = repository.find_commit(commit.id) else {
            continue;
        };
        let Ok(at) = commit.time().map(|time| time.seconds) else {
            continue;
        };
        for branch in tip_of.into_iter().flatten() {
            found.insert(branch.clone(), at);
        }
        if names_gone && let Ok(message) = commit.message_raw() {
            let message = message.to_string();
            let named = message.lines().next().and_then(merged_branch);
            let named = named.map(str::to_owned);
            if let Some(branch) = named.filter(|branch| gone.remove(branch)) {
                found.insert(branch, at);
            }
        }
    }
    Some(found)
}

/// The branch that a merge says it took in, as git and the common forges word it.
fn merged_branch(subject: &str) -> Option<&str> {
    if let Some((_, from)) = subject
        .strip_prefix("Merge pull request ")
        .and_then(|rest| rest.split_once(" from "))
    {
        // Whose it is stands before it.
        return from.trim().split_once('/').map(|(_, branch)| branch);
    }
    let rest = subject
        .strip_prefix("Merge branch '")
        .or_else(|| subject.strip_prefix("Merge remote-tracking branch 'origin/"))?;
    rest.split_once('\'').map(|(branch, _)| branch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::fixture::Fixture;

    fn of(repository: &Fixture, branches: &[&str]) -> Vec<String> {
        let branches = branches.iter().map(|name| (*name).to_owned()).collect();
        merged(repository.path(), &branches, 0)
            .into_keys()
            .collect()
    }

    #[test]
    fn a_branch_is_merged_once_the_main_line_has_its_last_commit() {
        let repository = Fixture::new();
        repository.write("a.rs", "one").commit("begin");
        repository.git(&["branch", "-M", "main"]);
        repository.git(&["checkout", "--quiet", "-b", "work"]);
        repository.write("a.rs", "two").commit("work");
        let all = ["gone", "main", "work"];
        assert_eq!(of(&repository, &all), Vec::<String>::new());
        repository.git(&["checkout", "--quiet", "main"]);
        repository.git(&["merge", "--quiet", "--no-ff", "--no-edit", "work"]);
        assert_eq!(of(&repository, &all), ["work"]);
        // Who merges tidies up.
        repository.git(&["branch", "--quiet", "-d", "work"]);
        assert_eq!(of(&repository, &all), ["work"]);
        let long_since = [String::from("work")].into();
        assert!(merged(repository.path(), &long_since, i64::MAX).is_empty());
    }

    #[test]
    fn the_branch_that_the_origin_begins_with_is_the_main_line() {
        let repository = Fixture::new();
        repository.write("a.rs", "one").commit("begin");
        repository.git(&["branch", "-M", "develop"]);
        repository.git(&["branch", "work"]);
        let there = "refs/remotes/origin/develop";
        repository.git(&["update-ref", there, "develop"]);
        repository.git(&["symbolic-ref", "refs/remotes/origin/HEAD", there]);
        assert_eq!(of(&repository, &["develop", "work"]), ["work"]);
    }

    #[test]
    fn a_merge_names_its_branch() {
        let cases = [
            ("Merge branch 'faster'", Some("faster")),
            ("Merge branch 'me/faster' into develop", Some("me/faster")),
            (
                "Merge pull request #7 from acme/me/faster",
                Some("me/faster"),
            ),
            (
                "Merge remote-tracking branch 'origin/faster' into main",
                Some("faster"),
            ),
            ("Merge the two parsers", None),
            ("Make it faster (#7)", None),
        ];
        for (subject, branch) in cases {
            assert_eq!(merged_branch(subject), branch, "{subject}");
        }
    }
}
