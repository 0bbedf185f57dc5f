//! A repository as it was at a commit, and what its code and history say about a text: the same evidence `oldhand context` asks with.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use oldhand_code::concordance::Concordance;
use oldhand_code::history::log::History;
use oldhand_code::history::message::{Expected, files_for_message};
use oldhand_code::history::read::{self, ReadOptions};
use oldhand_code::index::{Index, Options};
use oldhand_code::localise::{Ground, localise};
use oldhand_code::read::Generated;
use oldhand_code::walk::Skip;
use oldhand_embed::StaticEmbedder;
use oldhand_engine::CodeEvidence;
use oldhand_recall::predict::{PastCommit, Task, said_by_branch};

/// A clone of its own, moved from commit to commit.
pub(crate) struct Checkout {
    clone: PathBuf,
    root: PathBuf,
    state: PathBuf,
}

/// What was read of one commit.
pub(crate) struct Read {
    index: Index,
    words: Concordance,
    history: History,
}

impl Checkout {
    /// `clone` is not touched: its objects are shared.
    pub(crate) fn new(clone: &Path, folder: &Path) -> Self {
        let (root, state) = (folder.join("tree"), folder.join("state"));
        if !root.join(".git").exists() {
            fs::create_dir_all(folder).expect("a folder for the checkout");
            let made = Command::new("git")
                .args(["clone", "--quiet", "--shared", "--no-checkout"])
                .args([clone, &root])
                .status()
                .expect("git runs");
            assert!(made.success(), "{} can be cloned", clone.display());
        }
        fs::create_dir_all(&state).expect("a folder for the index");
        Self {
            clone: clone.to_owned(),
            root,
            state,
        }
    }

    /// The words git answers with, without the end of the line; empty when it refuses.
    pub(crate) fn ask(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .arg("-C")
            .arg(&self.clone)
            .args(arguments)
            .output()
            .expect("git runs");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Moves to `commit` and reads it; `None` where it cannot be checked out.
    pub(crate) fn read(&self, commit: &str) -> Option<Read> {
        let git = |arguments: &[&str]| {
            Command::new("git")
                .arg("-C")
                .arg(&self.root)
                .args(["-c", "core.hooksPath=/dev/null", "-c", "filter.lfs.smudge="])
                .args([
                    "-c",
                    "filter.lfs.process=",
                    "-c",
                    "filter.lfs.required=false",
                ])
                .args(arguments)
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        };
        // A clone may lack its largest blobs: what is there is written, the rest is passed over.
        if !git(&["update-ref", "--no-deref", "HEAD", commit])
            || !git(&["read-tree", "--reset", commit])
        {
            return None;
        }
        git(&["checkout-index", "--all", "--force", "--index", "--quiet"]);
        git(&["clean", "-ffdxq"]);
        let options = Options {
            threads: 2,
            max_bytes: 2 << 20,
            skip: Skip::Usual,
            generated: Generated::Skip,
        };
        let (mut index, _) = Index::open_or_build(&self.root, &self.state, &options, &mut |_| {})
            .expect("the tree can be read");
        index
            .refresh(&mut |_| {})
            .expect("the tree can be read again");
        let words = self.state.join("words");
        let (words, _) = Concordance::refresh(&self.root, &words, 2).expect("words are kept");
        let options = ReadOptions {
            commit_limit: 50_000,
            progress: &mut |_| ControlFlow::Continue(()),
        };
        Some(Read {
            index,
            words,
            history: read::read(&self.root, None, options),
        })
    }
}

impl Read {
    /// What is said where no branch is checked out.
    pub(crate) fn evidence(&self, text: &str) -> CodeEvidence {
        let ground = Ground {
            index: &self.index,
            words: &self.words,
            history: &self.history,
            embed: &|texts| StaticEmbedder.embed_batch(texts),
        };
        let located = localise(&ground, text, 60);
        let mut commits: Vec<PastCommit> = self
            .history
            .small_commits(30)
            .rev()
            .take(3000)
            .map(|files| PastCommit {
                files: files.into_iter().map(str::to_owned).collect(),
            })
            .collect();
        commits.reverse();
        CodeEvidence {
            files: self.words.files(),
            contents: self.contents(&Task::new(text)),
            located: located
                .into_iter()
                .map(|file| (file.path, f64::from(file.score)))
                .collect(),
            expected: self.expected(text),
            commits,
            ..CodeEvidence::default()
        }
    }

    /// The same with a branch checked out.
    pub(crate) fn on_branch(&self, code: CodeEvidence, task: &Task, branch: &str) -> CodeEvidence {
        CodeEvidence {
            contents: self.contents(task),
            expected_of_branch: self.expected(&said_by_branch(branch)),
            branch: Some(branch.to_owned()),
            ..code
        }
    }

    fn contents(&self, task: &Task) -> Vec<(String, f64)> {
        self.words.search(task.words(), 300)
    }

    fn expected(&self, text: &str) -> Vec<(String, f64)> {
        files_for_message(&self.history, text, 60)
            .into_iter()
            .filter(Expected::is_spoken_for)
            .map(|file| (file.path, f64::from(file.strength)))
            .collect()
    }

    /// What the given files use and are used by, as pairs of user and used.
    pub(crate) fn uses(&self, files: &[String]) -> Vec<(String, String)> {
        let snapshot = self.index.snapshot();
        let mut pairs = Vec::new();
        for path in files {
            let Some(file) = snapshot.find_file(path) else {
                continue;
            };
            let found = self.index.dependencies(file);
            let other = |file| snapshot.path(file).to_owned();
            pairs.extend(
                found
                    .uses
                    .iter()
                    .map(|used| (path.clone(), other(used.file))),
            );
            pairs.extend(
                found
                    .used_by
                    .iter()
                    .map(|user| (other(user.file), path.clone())),
            );
        }
        pairs.sort();
        pairs.dedup();
        pairs
    }
}
