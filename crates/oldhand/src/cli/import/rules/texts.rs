//! What the texts of a project lay down, read as they stand.

use std::cell::OnceCell;
use std::path::Path;
use std::rc::Rc;

use super::{each_once, of_project, read_files};

/// What a project's rules files, its constitution and its texts for people say, read when it is first asked for.
pub(crate) fn read_texts(root: &Path) -> impl Fn() -> Rc<str> {
    // A constitution is what a planning framework (Spec Kit) reads before each step.
    const BESIDE: [&str; 4] = [
        "README.md",
        "CONTRIBUTING.md",
        "DEVELOPMENT.md",
        ".specify/memory/constitution.md",
    ];
    let root = root.to_owned();
    let text: OnceCell<Rc<str>> = OnceCell::new();
    move || {
        let read = || {
            let beside = BESIDE.map(|name| root.join(name)).into_iter();
            let beside = beside.filter(|path| path.is_file());
            let paths = each_once(of_project(&root).into_iter().chain(beside));
            let (texts, _) = read_files(&paths, Some(&root));
            let texts: Vec<String> = texts.into_iter().map(|(_, text)| text).collect();
            texts.join("\n").into()
        };
        Rc::clone(text.get_or_init(read))
    }
}

#[test]
fn what_a_constitution_lays_down_is_read_with_the_rules() {
    let root = tempfile::tempdir().expect("a folder");
    let memory = root.path().join(".specify/memory");
    std::fs::create_dir_all(&memory).expect("a folder");
    std::fs::write(memory.join("constitution.md"), "- Never skip the audit.\n").expect("a file");
    assert!(read_texts(root.path())().contains("Never skip the audit"));
}
