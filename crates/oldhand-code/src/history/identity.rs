//! Recognises a repository that was moved or cloned again, by its root commits and its remotes.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Gap, git};

/// Walks at most this many commits in search of roots: seconds at worst, and more than most projects have.
const COMMIT_LIMIT: usize = 200_000;

/// What stays the same about a repository when its folder does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryIdentity {
    /// Ids of the parentless commits behind HEAD, sorted. Empty when the clone is shallow or nothing is committed.
    pub root_commits: Vec<String>,
    /// Remote addresses as `host/path`, sorted; see [`normalise_remote`].
    pub remotes: Vec<String>,
    /// Why either list may be incomplete.
    pub gaps: Vec<Gap>,
}

impl RepositoryIdentity {
    /// Whether both are clones of one project. Roots decide; remotes only when one side could not see its roots.
    pub fn is_same_project(&self, other: &Self) -> bool {
        let share =
            |ours: &[String], theirs: &[String]| ours.iter().any(|item| theirs.contains(item));
        if self.root_commits.is_empty() || other.root_commits.is_empty() {
            return share(&self.remotes, &other.remotes);
        }
        share(&self.root_commits, &other.root_commits)
    }
}

/// Reads the identity of the repository that `path` lies in. Without a repository both lists are empty.
pub fn identity(path: &Path) -> RepositoryIdentity {
    let repository = match git::open(path) {
        Ok(repository) => repository,
        Err(gap) => {
            return RepositoryIdentity {
                gaps: vec![gap],
                ..RepositoryIdentity::default()
            };
        }
    };
    let mut gaps = Vec::new();
    let root_commits = find_roots(&repository, COMMIT_LIMIT, &mut gaps);
    RepositoryIdentity {
        root_commits,
        remotes: read_remotes(&repository),
        gaps,
    }
}

/// The whole name of the commit that begins with `short`, in the repository that `path` lies in; `None` when there is none,
/// or more than one thing of that name.
pub fn whole_commit(path: &Path, short: &str) -> Option<String> {
    let repository = git::open(path).ok()?;
    let prefix = gix::hash::Prefix::from_hex(short).ok()?;
    let id = repository.objects.lookup_prefix(prefix, None).ok()??.ok()?;
    let found = repository.find_object(id).ok()?;
    (found.kind == gix::objs::Kind::Commit).then(|| id.to_string())
}

/// The first words of the commit that begins with `short`, as git prints them when it makes one.
pub fn commit_subject(path: &Path, short: &str) -> Option<String> {
    let repository = git::open(path).ok()?;
    let prefix = gix::hash::Prefix::from_hex(short).ok()?;
    let id = repository.objects.lookup_prefix(prefix, None).ok()??.ok()?;
    let commit = repository.find_object(id).ok()?.try_into_commit().ok()?;
    Some(commit.message().ok()?.summary().to_string())
}

fn read_remotes(repository: &gix::Repository) -> Vec<String> {
    let config = repository.config_snapshot();
    let names = repository.remote_names();
    let urls = names
        .iter()
        .filter_map(|name| config.string(format!("remote.{name}.url").as_str()));
    let remotes: BTreeSet<String> = urls.map(|url| normalise_remote(&url.to_string())).collect();
    remotes
        .into_iter()
        .filter(|remote| !remote.is_empty())
        .collect()
}

/// Parentless commits behind HEAD. When the whole graph is too large, the root of the first-parent line.
fn find_roots(repository: &gix::Repository, limit: usize, gaps: &mut Vec<Gap>) -> Vec<String> {
    let Ok(head) = repository.head_id() else {
        gaps.push(Gap::Unborn);
        return Vec::new();
    };
    if repository.is_shallow().unwrap_or(false) {
        gaps.push(Gap::Shallow);
    }
    let everything = repository.rev_walk([head.detach()]);
    let (roots, whole) = collect_roots(repository, everything, limit, gaps);
    if whole {
        return roots;
    }
    gaps.push(Gap::Capped { commits: limit });
    let first_parents = repository.rev_walk([head.detach()]).first_parent_only();
    let (more, _) = collect_roots(repository, first_parents, limit, gaps);
    roots
        .into_iter()
        .chain(more)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

/// Roots met within `limit` commits, sorted, and whether the walk reached the end.
fn collect_roots(
    repository: &gix::Repository,
    walk: gix::revision::walk::Platform<'_>,
    limit: usize,
    gaps: &mut Vec<Gap>,
) -> (Vec<String>, bool) {
    let mut roots = BTreeSet::new();
    let commits = match walk.all() {
        Ok(commits) => commits,
        Err(error) => {
            gaps.push(git::unreadable("commits")(error));
            return (Vec::new(), true);
        }
    };
    for (seen, commit) in commits.enumerate() {
        if seen == limit {
            return (roots.into_iter().collect(), false);
        }
        let commit = match commit {
            Ok(commit) => commit,
            Err(error) => {
                gaps.push(git::unreadable("commits")(error));
                break;
            }
        };
        // The walk hides parents that a shallow clone lacks; the commit object still names them.
        let is_root = commit.parent_ids.is_empty()
            && repository
                .find_commit(commit.id)
                .is_ok_and(|commit| commit.parent_ids().next().is_none());
        if is_root {
            roots.insert(commit.id.to_string());
        }
    }
    (roots.into_iter().collect(), true)
}

/// An address as `host/path`: scheme, user, password, port, `.git`, trailing slashes and the case of the host removed,
/// so that every way of spelling one remote is one remote. A path on this machine stays a path.
pub fn normalise_remote(url: &str) -> String {
    let url = url.trim();
    let (address, is_url) = match url.split_once("://") {
        Some(("file", path)) => return trim_path(path).to_owned(),
        Some((_, rest)) => (rest, true),
        None => (url, false),
    };
    let split = if is_url {
        address.split_once('/')
    } else {
        split_scp(address)
    };
    let Some((authority, path)) = split else {
        return trim_path(address).to_owned();
    };
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let path = trim_path(path).trim_start_matches('/');
    format!("{}/{path}", host.to_lowercase())
}

/// `user@host:path`, but neither `./a:b` nor a Windows drive.
fn split_scp(address: &str) -> Option<(&str, &str)> {
    let (authority, path) = address.split_once(':')?;
    let is_host = authority.len() > 1 && !authority.contains(['/', '\\']);
    is_host.then_some((authority, path))
}

fn trim_path(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.strip_suffix(".git")
        .unwrap_or(path)
        .trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, write_file};
    use super::*;

    #[test]
    fn every_spelling_of_a_remote_is_one_remote() {
        let spellings = [
            "https://github.com/Owner/repo.git",
            "https://GitHub.com/Owner/repo/",
            "https://me:secret@github.com:443/Owner/repo.git/",
            "git@github.com:Owner/repo.git",
            "git@github.com:/Owner/repo",
            "ssh://git@github.com:22/Owner/repo.git",
            "git://github.com/Owner/repo",
        ];
        for spelling in spellings {
            assert_eq!(
                normalise_remote(spelling),
                "github.com/Owner/repo",
                "{spelling}"
            );
        }
    }

    #[test]
    fn a_commit_is_found_by_the_beginning_of_its_name() {
        let fixture = Fixture::new();
        let sha = fixture.write("a", "1").commit("One");
        let whole = |short: &str| whole_commit(fixture.path(), short);
        assert_eq!(whole(&sha[..7]), Some(sha.clone()));
        let subject = commit_subject(fixture.path(), &sha[..7]);
        assert_eq!(subject.as_deref(), Some("One"));
        let tree = fixture.git(&["rev-parse", "HEAD^{tree}"]);
        assert_eq!(whole(&tree.trim()[..8]), None, "a tree is no commit");
        assert_eq!(whole("0000000"), None);
        assert_eq!(whole("not hex"), None);
    }

    #[test]
    fn a_path_stays_a_path() {
        for (given, expected) in [
            ("/srv/git/repo.git", "/srv/git/repo"),
            ("file:///srv/git/repo.git/", "/srv/git/repo"),
            ("../other", "../other"),
            ("C:\\code\\repo", "C:\\code\\repo"),
            ("./odd:name", "./odd:name"),
            ("", ""),
        ] {
            assert_eq!(normalise_remote(given), expected);
        }
    }

    #[test]
    fn a_clone_has_the_identity_of_its_origin() {
        let origin = Fixture::new();
        origin.write("a.rs", "fn a() {}\n").commit("start");
        origin.write("a.rs", "fn a() { b() }\n").commit("call b");
        origin.git(&["remote", "add", "origin", "git@Example.com:team/app.git"]);
        let copy = origin.clone_with(&[]);

        let (ours, theirs) = (identity(origin.path()), identity(copy.path()));
        assert_eq!(ours.root_commits.len(), 1);
        assert_eq!(ours.root_commits, theirs.root_commits);
        assert_eq!(ours.remotes, ["example.com/team/app"]);
        assert_eq!(ours.gaps, []);
        assert!(ours.is_same_project(&theirs));
    }

    #[test]
    fn every_root_behind_head_counts() {
        let repo = Fixture::new();
        repo.write("a", "1\n").commit("one");
        repo.git(&["checkout", "-q", "--orphan", "other"]);
        repo.write("b", "2\n").commit("two");
        repo.git(&["checkout", "-q", "main"]);
        repo.git(&[
            "merge",
            "-q",
            "--allow-unrelated-histories",
            "-m",
            "join",
            "other",
        ]);
        assert_eq!(identity(repo.path()).root_commits.len(), 2);
    }

    #[test]
    fn a_shallow_clone_knows_its_remote_but_not_its_root() {
        let origin = Fixture::new();
        origin.write("a", "1\n").commit("one");
        origin.write("a", "2\n").commit("two");
        let shallow = origin.clone_with(&["--depth", "1"]);
        let known = identity(shallow.path());
        assert_eq!(known.root_commits, Vec::<String>::new());
        assert_eq!(known.remotes.len(), 1);
        assert_eq!(known.gaps, [Gap::Shallow]);
    }

    #[test]
    fn no_repository_and_no_commit_are_answers() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(identity(folder.path()).gaps, [Gap::NoRepository]);
        assert_eq!(identity(Fixture::new().path()).gaps, [Gap::Unborn]);
    }

    #[test]
    fn worktrees_and_bare_layouts_share_the_identity() {
        let origin = Fixture::new();
        origin.write("a", "1\n").commit("one");
        let known = identity(origin.path()).root_commits;

        let beside = tempfile::tempdir().unwrap();
        let worktree = beside.path().join("tree");
        origin.git(&[
            "worktree",
            "add",
            "-q",
            worktree.to_str().unwrap(),
            "-b",
            "side",
        ]);
        assert_eq!(identity(&worktree).root_commits, known);

        let hub = tempfile::tempdir().unwrap();
        let bare = hub.path().join(".bare");
        origin.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
        write_file(&hub.path().join(".git"), "gitdir: ./.bare\n");
        assert_eq!(identity(hub.path()).root_commits, known);
        assert_eq!(identity(&bare).root_commits, known);
    }

    #[test]
    fn a_walk_that_is_cut_short_still_follows_the_first_parents() {
        let repo = Fixture::new();
        let root = repo.write("a", "0\n").commit("start");
        repo.git(&["checkout", "-q", "-b", "side"]);
        for step in 0..3 {
            repo.write("b", &format!("{step}\n")).commit("step");
        }
        repo.git(&["checkout", "-q", "main"]);
        repo.git(&["merge", "-q", "--no-ff", "-m", "join", "side"]);
        let opened = git::open(repo.path()).unwrap();
        let mut gaps = Vec::new();
        assert_eq!(find_roots(&opened, 3, &mut gaps), [root]);
        assert_eq!(gaps, [Gap::Capped { commits: 3 }]);
    }
}
