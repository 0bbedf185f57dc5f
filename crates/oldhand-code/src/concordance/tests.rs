//! What a concordance answers, and that it stays true as files change.

use std::fs;

use super::*;

struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for (path, text) in files {
            tree.write(path, text.as_bytes());
        }
        tree
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn refresh(&self) -> (Concordance, Refreshed) {
        Concordance::refresh(&self.root(), &self.folder.path().join("state/words"), 2).unwrap()
    }
}

fn found(concordance: &Concordance, words: &[&str]) -> Vec<String> {
    let query = words.iter().map(|word| (*word, 1.0));
    concordance
        .search(query, 10)
        .into_iter()
        .map(|(path, _)| path)
        .collect()
}

#[test]
fn files_are_found_by_the_words_in_them() {
    let tree = Tree::new(&[
        (
            "src/login.ts",
            "export function loginUser() { return parseToken() }",
        ),
        ("src/tax.ts", "export const vatRate = 0.2"),
        (".github/workflows/ci.yml", "run: make test"),
    ]);
    let (concordance, refreshed) = tree.refresh();
    assert_eq!(
        refreshed,
        Refreshed {
            files: 3,
            read_again: 3,
            gone: 0
        }
    );
    assert_eq!(found(&concordance, &["token", "pars"]), ["src/login.ts"]);
    assert_eq!(found(&concordance, &["vat"]), ["src/tax.ts"]);
    assert_eq!(found(&concordance, &["mak"]), [".github/workflows/ci.yml"]);
    assert!(found(&concordance, &["zebra"]).is_empty());
}

#[test]
fn rare_words_and_short_files_count_more() {
    let tree = Tree::new(&[
        ("a.txt", "common common common rare"),
        ("b.txt", "common"),
        ("c.txt", &format!("rare {}", "filler ".repeat(200))),
    ]);
    let (concordance, _) = tree.refresh();
    assert_eq!(found(&concordance, &["rar", "rare"])[0], "a.txt");
}

#[test]
fn a_refresh_reads_only_what_changed() {
    let tree = Tree::new(&[("a.txt", "alpha"), ("b.txt", "beta"), ("c.txt", "gamma")]);
    tree.refresh();
    assert_eq!(
        tree.refresh().1,
        Refreshed {
            files: 3,
            read_again: 0,
            gone: 0
        }
    );
    tree.write("b.txt", b"delta and more");
    fs::remove_file(tree.root().join("c.txt")).unwrap();
    let (concordance, refreshed) = tree.refresh();
    assert_eq!(
        refreshed,
        Refreshed {
            files: 2,
            read_again: 1,
            gone: 1
        }
    );
    assert_eq!(found(&concordance, &["delta"]), ["b.txt"]);
    assert_eq!(found(&concordance, &["alpha"]), ["a.txt"]);
    assert!(
        found(&concordance, &["beta"]).is_empty() && found(&concordance, &["gamma"]).is_empty()
    );
    assert_eq!(concordance.files(), ["a.txt", "b.txt"]);
}

#[test]
fn what_git_ignores_and_what_is_no_text_stays_out() {
    let tree = Tree::new(&[
        (".gitignore", "secret/\n"),
        ("secret/key.txt", "hidden"),
        ("kept.txt", "kept"),
    ]);
    tree.write("binary.dat", b"word\0word");
    tree.write("picture.png", b"word");
    tree.write(".env", b"PASSWORD=word");
    tree.write("certs/server.pem", b"word");
    let (concordance, _) = tree.refresh();
    assert!(found(&concordance, &["hidden"]).is_empty());
    assert!(found(&concordance, &["word"]).is_empty());
    assert_eq!(found(&concordance, &["kept"]), ["kept.txt"]);
}

#[test]
fn a_damaged_file_is_built_anew_and_never_crashes() {
    let tree = Tree::new(&[("a.txt", "alpha beta gamma"), ("b.txt", "beta")]);
    tree.refresh();
    let path = tree.folder.path().join("state/words");
    let whole = fs::read(&path).unwrap();
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        assert!(Concordance::open(&path).is_none(), "cut at {cut}");
    }
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x55;
        fs::write(&path, &flipped).unwrap();
        if let Some(concordance) = Concordance::open(&path) {
            found(&concordance, &["alpha", "beta", "gamma"]);
            concordance.files();
        }
    }
    fs::write(&path, b"nonsense").unwrap();
    assert_eq!(found(&tree.refresh().0, &["alpha"]), ["a.txt"]);
}

#[test]
fn an_empty_tree_has_no_words() {
    let tree = Tree::new(&[]);
    fs::create_dir_all(tree.root()).unwrap();
    let (concordance, refreshed) = tree.refresh();
    assert_eq!(
        (refreshed, concordance.files().len()),
        (Refreshed::default(), 0)
    );
}

#[test]
fn the_words_that_a_file_holds_are_told() {
    let tree = Tree::new(&[("a.rs", "fn retry_upload() {}"), ("b.rs", "fn upload() {}")]);
    let (concordance, _) = tree.refresh();
    let words = ["retr", "upload", "unheard"];
    assert_eq!(concordance.words_in("a.rs", &words), ["retr", "upload"]);
    assert_eq!(concordance.words_in("b.rs", &words), ["upload"]);
    assert!(concordance.words_in("c.rs", &words).is_empty());
}

#[test]
fn two_refreshes_at_once_write_files_of_their_own() {
    let path = Path::new("state/words");
    let [first, second] = [beside(path), beside(path)];
    assert_ne!(first, second);
    for beside in [first, second] {
        assert_eq!(beside.parent(), path.parent());
        assert_eq!(beside.extension().unwrap(), "tmp");
    }
}

#[test]
fn what_could_not_be_put_in_its_place_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    // A folder with something in it gives way to no file.
    let taken = folder.path().join("words");
    fs::create_dir_all(taken.join("inner")).unwrap();
    assert!(write_whole(&taken, b"words").is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn how_many_files_have_a_word_is_told_without_reading_which() {
    let texts: Vec<(String, String)> = (0..600_usize)
        .map(|number| {
            let said = "often ".repeat(number % 300) + if number % 7 == 0 { "rare" } else { "" };
            (format!("f{number:03}.txt"), said)
        })
        .collect();
    let texts = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()));
    let (concordance, _) = Tree::new(&texts.collect::<Vec<_>>()).refresh();
    for (word, files) in [("often", 598), ("rare", 86)] {
        let found = || {
            concordance
                .view()
                .find(oldhand_domain::words::stem(word))
                .unwrap()
        };
        assert_eq!((found().count(), found().spread()), (files, files));
    }
}
