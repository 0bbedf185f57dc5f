//! A tree watched while a door stays open: what changes is told in batches, half a second after the last change.
//!
//! [`Watch::start`] calls `work` on a thread of its own, once for a save, once for a whole switch of branches. [`Watches`] is
//! what a door holds: it keeps the graph of the project it was last asked about up to date. Dropping either ends the watching.
//! What cannot be watched (too many folders, a disk that tells nothing) is found when a question is asked, as without a watch.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use notify::event::ModifyKind;
use notify::{EventKind, RecursiveMode, Watcher as _};
use oldhand_code::walk::{Skip, is_worth_knowing};

use self::attention::{Attention, Reach};
use super::stillness::Stillness;
use super::{keep_up, kept, options, peek};
use crate::config::Environment;
use crate::desk::{Desk, Purpose};
use crate::ids::Ids;
use crate::out::Out;
use crate::project::Project;

mod attention;

/// How long nothing may change before a batch is told.
const QUIET: Duration = Duration::from_millis(500);
/// How long a batch is held back when something changes all the time.
const LONGEST: Duration = Duration::from_secs(5);

/// A watched tree.
#[derive(Debug)]
pub(crate) struct Watch {
    messages: Sender<Message>,
    worker: Option<JoinHandle<()>>,
    pub(super) stillness: Arc<Stillness>,
}

enum Message {
    Changed(Vec<PathBuf>),
    Stop,
}

impl Watch {
    /// Watches the tree at `root` without the folders that `skip` and git leave out. `work` gets the paths that changed,
    /// relative to the root. Returns at once; the folders are listed on the thread that watches.
    /// `echoes` is a folder of our own, by which it is known what was heard.
    pub(crate) fn start(
        root: &Path,
        skip: Skip,
        echoes: &Path,
        work: impl FnMut(&BTreeSet<PathBuf>) + Send + 'static,
    ) -> Self {
        let (messages, inbox) = channel();
        let outbox = messages.clone();
        let root = root.to_owned();
        let stillness = Arc::new(Stillness::new(&root, echoes));
        let heard = Arc::clone(&stillness);
        let watch = move || watch(&root, &skip, &heard, &outbox, &inbox, work);
        // Where there is no thread for it nothing is watched, and each question looks at the tree itself.
        let worker = thread::Builder::new().spawn(watch).ok();
        Self {
            messages,
            worker,
            stillness,
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // A worker that is gone has nothing left to stop.
        let _ = self.messages.send(Message::Stop);
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

fn watch(
    root: &Path,
    skip: &Skip,
    stillness: &Arc<Stillness>,
    outbox: &Sender<Message>,
    inbox: &Receiver<Message>,
    mut work: impl FnMut(&BTreeSet<PathBuf>),
) {
    let (outbox, ears, own) = (
        outbox.clone(),
        Arc::clone(stillness),
        [root.to_owned(), stillness.echoes.clone()],
    );
    let tell = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else {
            ears.give_up();
            return;
        };
        // A folder that is made anew in the place of one that went has no watch.
        let goes = matches!(
            event.kind,
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
        );
        if event.need_rescan() || goes && event.paths.iter().any(|path| own.contains(path)) {
            ears.give_up();
        }
        if !matches!(event.kind, EventKind::Access(_)) && !ears.is_echo(&event.paths) {
            ears.hear();
            let _ = outbox.send(Message::Changed(event.paths));
        }
    };
    let Ok(watcher) = notify::recommended_watcher(tell) else {
        return;
    };
    stillness.sweep();
    let mut attention = Attention::new(watcher, root, skip);
    // Where the system allows no more, what was taken is given back: other programs of this user need it, too.
    let mut reach = attention.attend();
    if reach == Reach::Nothing {
        return;
    }
    let echoes = &stillness.echoes;
    let hears_itself = attention
        .watcher
        .watch(echoes, RecursiveMode::NonRecursive)
        .is_ok();
    if !root.is_dir() || !echoes.is_dir() {
        stillness.give_up();
    }
    stillness.listen(hears_itself && reach == Reach::All);
    while let Some((changed, messages)) = gather(inbox) {
        let mut batch: BTreeSet<PathBuf> = BTreeSet::new();
        let mut folders_may_differ = false;
        for path in changed {
            let Ok(inside) = path.strip_prefix(root) else {
                continue;
            };
            folders_may_differ |= attention.forget(&path) || is_ignore_file(inside);
            folders_may_differ |= path.is_dir() && !is_left_out(inside, skip) && !is_hidden(inside);
            if concerns(inside, skip) {
                batch.insert(inside.to_owned());
            }
        }
        // A new folder may have been filled before it is watched; the work looks at the whole tree anyway.
        if folders_may_differ {
            reach = attention.attend();
        }
        if reach == Reach::Nothing {
            stillness.listen(false);
            return;
        }
        if !batch.is_empty() {
            work(&batch);
        }
        stillness.listen(hears_itself && reach == Reach::All);
        stillness.settle(messages);
    }
    stillness.give_up();
}

/// Everything that changed until it was quiet for a while, and in how many messages it was told; nothing when the watch is over.
fn gather(inbox: &Receiver<Message>) -> Option<(BTreeSet<PathBuf>, u64)> {
    let mut changed = match inbox.recv() {
        Ok(Message::Changed(paths)) => BTreeSet::from_iter(paths),
        Ok(Message::Stop) | Err(_) => return None,
    };
    let mut messages = 1;
    let began = Instant::now();
    while began.elapsed() < LONGEST {
        match inbox.recv_timeout(QUIET) {
            Ok(Message::Changed(paths)) => {
                changed.extend(paths);
                messages += 1;
            }
            Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => break,
        }
    }
    Some((changed, messages))
}

/// Whether a path, seen from the root, lies in a hidden folder or is one.
fn is_hidden(path: &Path) -> bool {
    let mut parts = path.components();
    parts.any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
}

/// Whether a path, seen from the root, lies where nobody listens.
fn is_left_out(path: &Path, skip: &Skip) -> bool {
    let mut parts = path
        .components()
        .filter_map(|part| part.as_os_str().to_str());
    parts.any(|part| part == ".git" || skip.leaves_out(part))
}

/// Whether a change at `path`, seen from the root, may change the graph.
fn concerns(path: &Path, skip: &Skip) -> bool {
    if is_left_out(path, skip) {
        return false;
    }
    let name = path.file_name().and_then(|name| name.to_str());
    // What has no extension may be a folder that came or went.
    is_ignore_file(path) || name.is_some_and(|name| is_worth_knowing(name) || !name.contains('.'))
}

/// Whether a file says what a walk leaves out.
fn is_ignore_file(path: &Path) -> bool {
    path.ends_with(".gitignore") || path.ends_with(".ignore")
}

/// The watch of a door that lives on.
#[derive(Debug, Default)]
pub(crate) struct Watches(Mutex<Option<(PathBuf, Watch)>>);

impl Watches {
    /// Keeps the graph of `project` up to date from now on, where one was made; the watch of another project ends.
    pub(crate) fn keep(&self, environment: &Environment, project: &Project) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let root = &project.location.root;
        let is_kept =
            |(watched, watch): &(PathBuf, Watch)| watched == root && !watch.stillness.gave_up();
        if held.as_ref().is_some_and(is_kept) {
            return;
        }
        *held = None;
        let Ok(desk) = open(environment, project) else {
            return;
        };
        if peek(project, &desk.settings).is_none() {
            return;
        }
        let skip = options(&desk).skip;
        let echoes = super::folder_in(&project.directory);
        let (environment, project) = (environment.clone(), project.clone());
        let watch = Watch::start(root, skip, &echoes, move |_| {
            // A refresh that fails is made up for by the next question, which says so.
            if let Ok(environment) = environment.at_present()
                && let Ok(desk) = open(&environment, &project)
            {
                keep_up(&desk, &Out::kept());
            }
        });
        kept::listen(&watch.stillness);
        *held = Some((root.clone(), watch));
    }
}

fn open(environment: &Environment, project: &Project) -> anyhow::Result<Desk> {
    let ids = Ids::new(environment.seed, environment.now);
    let location = project.location.clone();
    Desk::at(
        None,
        environment,
        Some(project.clone()),
        location,
        Purpose::Look,
        ids,
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;
    use std::sync::mpsc::RecvTimeoutError;

    use super::*;

    /// Far more than a change takes to be told; a test that hangs is a test that fails.
    const PATIENCE: Duration = Duration::from_mins(1);

    /// A watched folder and the batches it told.
    struct Watched {
        root: tempfile::TempDir,
        batches: Receiver<BTreeSet<PathBuf>>,
        watch: Watch,
        echoes: tempfile::TempDir,
    }

    impl Watched {
        fn new(prepare: impl FnOnce(&Path)) -> Self {
            let root = tempfile::tempdir().unwrap();
            prepare(root.path());
            let (tell, batches) = channel();
            let echoes = tempfile::tempdir().unwrap();
            // Of a process that was killed.
            let old = fs::File::create(echoes.path().join("echo.1.2")).unwrap();
            old.set_modified(std::time::UNIX_EPOCH).unwrap();
            let watch = Watch::start(root.path(), Skip::Usual, echoes.path(), move |batch| {
                let _ = tell.send(batch.clone());
            });
            let watched = Self {
                root,
                batches,
                watch,
                echoes,
            };
            watched.settle();
            watched
        }

        /// Until a first change is told nobody knows that the watch has begun.
        fn settle(&self) {
            for round in 0..600 {
                self.write("settle.ts", &format!("// {round}"));
                match self.batches.recv_timeout(Duration::from_millis(700)) {
                    Ok(_) => break,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => panic!("the watch ended"),
                }
            }
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        /// All that is told until `path` is among it.
        fn hear(&self, path: &str) -> Vec<BTreeSet<PathBuf>> {
            let mut heard = Vec::new();
            for _ in 0..100 {
                let batch = self.batches.recv_timeout(PATIENCE).unwrap();
                let is_it = batch.contains(Path::new(path));
                heard.push(batch);
                if is_it {
                    return heard;
                }
            }
            panic!("{path} was never told: {heard:?}");
        }
    }

    #[test]
    fn a_save_is_told_and_what_is_left_out_is_not() {
        let watched = Watched::new(|root| {
            fs::create_dir_all(root.join("node_modules/a")).unwrap();
            fs::create_dir_all(root.join(".git")).unwrap();
            fs::create_dir_all(root.join("src")).unwrap();
        });
        watched.write("node_modules/a/index.js", "1");
        watched.write(".git/index", "1");
        watched.write("picture.png", "1");
        watched.write("src/a.ts", "1");
        let told: BTreeSet<PathBuf> = watched.hear("src/a.ts").into_iter().flatten().collect();
        let others: Vec<_> = told
            .iter()
            .filter(|path| !path.starts_with("src") && *path != Path::new("settle.ts"))
            .collect();
        assert!(others.is_empty(), "{others:?}");
    }

    /// The mark of a tree that has come to rest.
    #[cfg(target_os = "linux")]
    fn settled(stillness: &Stillness) -> crate::code::stillness::Mark {
        let mut marks = (0..1_000).map(|_| {
            thread::sleep(Duration::from_millis(20));
            stillness.mark()
        });
        marks.find_map(|mark| mark).expect("it becomes still")
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_tree_is_still_until_something_changes_and_that_is_known_at_once() {
        let watched = Watched::new(|root| fs::create_dir(root.join("src")).unwrap());
        let stillness = &*watched.watch.stillness;
        let before = settled(stillness);
        assert_eq!(stillness.mark(), Some(before));
        for number in 0..3 {
            watched.write("src/a.ts", &number.to_string());
            assert_eq!(stillness.mark(), None, "the change is not worked off yet");
            assert_ne!(settled(stillness), before);
        }
        // What is written into a folder right after it came is heard by whoever asks later.
        watched.write("new/deep/a.ts", "1");
        let before = settled(stillness);
        watched.write("new/deep/b.ts", "1");
        assert_ne!(stillness.mark(), Some(before));
        assert_eq!(fs::read_dir(watched.echoes.path()).unwrap().count(), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_git_ignores_no_more_is_listened_to_and_one_that_it_ignores_is_not() {
        let watched = Watched::new(|root| {
            fs::create_dir_all(root.join("gen/deep")).unwrap();
            fs::write(root.join(".gitignore"), "gen\nout\n").unwrap();
        });
        let stillness = &*watched.watch.stillness;
        watched.write("out/a.ts", "1");
        let before = settled(stillness);
        watched.write("out/b.ts", "1");
        assert_eq!(stillness.mark(), Some(before), "nobody listens there");
        watched.write(".gitignore", "out\n");
        let before = settled(stillness);
        watched.write("gen/deep/a.ts", "1");
        assert_ne!(stillness.mark(), Some(before));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_tree_that_was_made_anew_is_not_taken_for_the_one_that_is_watched() {
        for (is_root, is_held) in [(true, true), (true, false), (false, true), (false, false)] {
            let watched = Watched::new(|_| ());
            let stillness = &*watched.watch.stillness;
            settled(stillness);
            let place = if is_root {
                watched.root.path()
            } else {
                watched.echoes.path()
            };
            // As by a process that is in it: the system does not tell of its end then.
            let _held = is_held.then(|| fs::File::open(place).unwrap());
            fs::remove_dir_all(place).unwrap();
            fs::create_dir(place).unwrap();
            let began = Instant::now();
            while began.elapsed() < 2 * QUIET {
                assert_eq!(stillness.mark(), None);
            }
            assert!(stillness.gave_up());
        }
    }

    #[test]
    fn a_folder_that_is_new_is_watched_too() {
        let watched = Watched::new(|_| ());
        watched.write("new/deep/a.ts", "1");
        watched.batches.recv_timeout(PATIENCE).unwrap();
        watched.write("new/deep/b.ts", "1");
        watched.hear("new/deep/b.ts");
    }

    #[test]
    fn a_switch_of_branches_is_one_batch() {
        let git = |root: &Path, arguments: &[&str]| {
            let done = Command::new("git")
                .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
                .args(arguments)
                .current_dir(root)
                .output()
                .unwrap();
            assert!(done.status.success(), "{done:?}");
        };
        let watched = Watched::new(|root| {
            git(root, &["init", "--quiet", "-b", "main"]);
            for branch in ["main", "other"] {
                for number in 0..40 {
                    fs::write(root.join(format!("f{number}.ts")), branch).unwrap();
                }
                git(root, &["add", "--all"]);
                git(root, &["commit", "--quiet", "-m", branch]);
                git(root, &["checkout", "--quiet", "-B", "other"]);
            }
        });
        git(watched.root.path(), &["checkout", "--quiet", "main"]);
        let heard = watched.hear("f0.ts");
        let last = heard.last().unwrap();
        let files = (0..40).filter(|number| last.contains(Path::new(&format!("f{number}.ts"))));
        assert_eq!(files.count(), 40, "{heard:?}");
    }
}
