//! `oldhand model`, and the files of vectors behind it.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use oldhand_domain::id::MemoryId;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::port::MemoryStore as _;
use oldhand_store::{Mode, SqliteStore};
use oldhand_testkit::{Sandbox, memory};
use serde_json::Value;

use crate::{assert_transcript, id_of, sandbox};

fn ask(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--json"]].concat();
    let outcome = sandbox.oldhand(arguments).run();
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome}"))
}

fn state(sandbox: &Sandbox) -> PathBuf {
    let mut projects = fs::read_dir(sandbox.home().join("projects")).expect("a folder of projects");
    let project = projects.next().expect("one project");
    project.expect("a project that can be read").path()
}

/// A house with one memory that a question finds by its meaning alone.
fn parser() -> Sandbox {
    let sandbox = sandbox();
    let text = "The parser keeps a stack of open brackets";
    sandbox.oldhand(["remember", text]).run().success();
    sandbox
}

fn is_found_by_meaning(sandbox: &Sandbox) -> bool {
    let answer = ask(sandbox, &["search", "parsing", "bracket", "nesting"]);
    let lanes = &answer["results"][0]["because"]["lanes"];
    let mut lanes = lanes.as_array().into_iter().flatten();
    lanes.any(|lane| lane["lane"] == "dense")
}

#[test]
fn models_are_listed_with_how_far_they_are() {
    assert_transcript!(parser().oldhand(["model", "list"]));
}

#[test]
fn a_model_that_is_not_there_is_told() {
    assert_transcript!(parser().oldhand(["model", "use", "gpt-2"]));
}

#[test]
fn a_few_memories_are_read_at_once_when_the_model_changes() {
    let sandbox = parser();
    assert_transcript!(sandbox.oldhand(["model", "use", "static-256-2"]));
    assert!(is_found_by_meaning(&sandbox));
    assert_eq!(ask(&sandbox, &["model", "show"])["serving"], true);
}

#[test]
fn many_memories_are_read_in_the_background_while_the_old_vectors_answer() {
    let sandbox = parser();
    let store = SqliteStore::open(&state(&sandbox).join("memory.db"), Mode::Write).unwrap();
    let memories: Vec<_> = (1..=20_100)
        .map(|number| {
            let text = format!("Service {number} listens on port {}", 20_000 + number);
            memory(number, BuiltInType::Gotcha, &text)
        })
        .collect();
    store.change(&mut |_| Ok(memories.clone())).unwrap();
    drop(store);
    let built = ask(&sandbox, &["model", "build"]);
    assert_eq!(
        (&built["vectors"], &built["behind"]),
        (&20_101.into(), &0.into())
    );
    // Something else runs in the background first.
    let running = state(&sandbox).join("job").join("running.json");
    let locks = state(&sandbox).join("locks");
    for folder in [running.parent().unwrap(), &locks] {
        fs::create_dir_all(folder).unwrap();
    }
    let other = fs::File::create(locks.join("job")).unwrap();
    other.lock().unwrap();
    let reindex =
        r#"{"arguments":["reindex"],"pid":1,"started_at":"2026-01-01T00:00:00Z","progress":null}"#;
    fs::write(&running, reindex).unwrap();
    let switched = ask(&sandbox, &["model", "use", "static-256-2"]);
    assert_eq!(switched["model"], "static-256-2");
    assert!(is_found_by_meaning(&sandbox), "while it is being switched");
    fs::remove_file(&running).unwrap();
    drop(other);
    let is_done = |_| {
        std::thread::sleep(Duration::from_millis(100));
        ask(&sandbox, &["model", "show"])["behind"] == 0
    };
    assert!((0..600).any(is_done), "the background made no vectors");
    let shown = ask(&sandbox, &["model", "show"]);
    assert_eq!(
        (&shown["vectors"], &shown["serving"]),
        (&20_101.into(), &true.into())
    );
    assert!(is_found_by_meaning(&sandbox));
}

#[test]
fn damaged_and_missing_vectors_come_back_with_the_next_search() {
    let sandbox = parser();
    let folder = state(&sandbox).join("vectors").join("memory");
    let file = folder.join("static-384-2.vec");
    assert!(is_found_by_meaning(&sandbox));
    let whole = fs::read(&file).unwrap();
    let mut beginning = whole.clone();
    beginning[..64].fill(0xff);
    for damage in [beginning, whole[..whole.len() / 2].to_vec(), Vec::new()] {
        fs::write(&file, damage).unwrap();
        assert!(is_found_by_meaning(&sandbox));
    }
    fs::remove_file(&file).unwrap();
    assert!(is_found_by_meaning(&sandbox));
    fs::remove_dir_all(&folder).unwrap();
    assert!(is_found_by_meaning(&sandbox));
}

/// Everything below a folder.
fn files(folder: PathBuf) -> Vec<PathBuf> {
    let mut folders = vec![folder];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("a file").path();
            let list = if path.is_dir() {
                &mut folders
            } else {
                &mut files
            };
            list.push(path);
        }
    }
    files
}

#[test]
fn a_vector_that_was_busy_while_its_memory_was_erased_goes_with_the_next_search() {
    let sandbox = parser();
    let text = "The build needs protoc installed";
    sandbox.oldhand(["remember", text]).run().success();
    let id = id_of(&sandbox, "brackets");
    // Afterwards there are vectors of two models, and only one is ever brought up to date.
    sandbox
        .oldhand(["model", "use", "static-256-2"])
        .run()
        .success();
    let key: MemoryId = id.parse().expect("an id");
    let key = key.uuid().into_bytes();
    let holds = |path: &PathBuf| {
        let bytes = fs::read(path).expect("a file that can be read");
        bytes.windows(key.len()).any(|window| window == key)
    };
    let is_lock = |path: &PathBuf| path.to_string_lossy().ends_with(".vec.lock");
    let vectors = files(state(&sandbox).join("vectors"));
    assert_eq!(vectors.iter().filter(|path| holds(path)).count(), 2);
    let locks: Vec<fs::File> = vectors
        .iter()
        .filter(|path| is_lock(path))
        .map(|path| {
            let lock = fs::File::open(path).expect("a lock");
            lock.lock().expect("a free lock");
            lock
        })
        .collect();
    assert_eq!(locks.len(), 2);
    let forget = ["forget", &id, "--now", "--yes"];
    let outcome = sandbox.oldhand(forget).run();
    assert!(outcome.stderr.contains("next search"), "{outcome}");
    drop(locks);
    sandbox.oldhand(["search", "build"]).run().success();
    for path in files(sandbox.home()) {
        assert!(!holds(&path), "{}", path.display());
    }
}
