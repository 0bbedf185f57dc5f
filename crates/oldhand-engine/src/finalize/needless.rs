//! What nobody needs to be told: of files what a program writes, what git does not keep, what a text of the project says and that one
//! uses the other; and what agents found out that a document says, or a comment beside the code.

use std::collections::BTreeSet;

use oldhand_domain::kind::Kind;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::{Presence, Tree};
use oldhand_domain::signal::SignalKind;
use oldhand_observe::distill::{Candidate, Origin, Statement, may_say, stated};
use oldhand_observe::learn::mended;
use oldhand_observe::paths;
use oldhand_observe::promote::Dropped;

use super::Finalizer;

mod made;
mod written;

/// Fewer changes of three files say nothing of the third.
const WITH_A_THIRD: u32 = 3;

impl Finalizer<'_> {
    /// Whether two files change together because both answer to an interface that changes with them: what is forgotten in one of them is
    /// not built. More than half of the changes of both must have brought the file that declares it.
    pub(super) fn is_compelled(&self, a: &ProjectPath, b: &ProjectPath) -> bool {
        let (Some(git), Some(tree)) = (self.company, self.tree) else {
            return false;
        };
        let Some(seen) = git.together(a, b) else {
            return false;
        };
        let beside: BTreeSet<ProjectPath> = git.beside(b).into_iter().collect();
        let thirds = git.beside(a).into_iter().filter(|third| {
            third != b && beside.contains(third) && !paths::is_test(third.as_str())
        });
        thirds.into_iter().any(|third| {
            let all = BTreeSet::from([a.clone(), b.clone(), third.clone()]);
            let changed = git.changed_of(&all);
            let with = changed.iter().filter(|changed| **changed == 3).count() as u32;
            with >= WITH_A_THIRD
                && 2 * with > seen.both
                && tree.binds(third.as_str(), [a.as_str(), b.as_str()])
        })
    }

    /// Finds the one document of the project that a person wants to be kept up to date.
    pub(super) fn find_documents(&self, candidates: &mut [Candidate]) {
        for candidate in candidates {
            let Some(name) = candidate.upkeep.clone() else {
                continue;
            };
            let found = self.tree.map(|tree| tree.documents_called(&name));
            let mut found = found.unwrap_or_default();
            found.retain(|file| self.company.is_none_or(|git| git.keeps(file)));
            match &found[..] {
                [file] => candidate.keep_up(file),
                _ => candidate.refuse(Dropped::NoOneFile { name }),
            }
        }
    }

    /// Why a document that a person wants to be kept up to date needs no telling: a program writes it, or a text asks for it.
    fn is_kept_up(&self, file: &ProjectPath) -> Option<Dropped> {
        let is_generated = |tree: &dyn Tree| tree.is_generated(file.as_str());
        if self.tree.is_some_and(is_generated) || self.is_output(&[file.as_str()]) {
            return Some(Dropped::ByProgram);
        }
        let texts = self.rules.map(|read| read()).unwrap_or_default();
        asks_for(&texts, file.as_str()).then_some(Dropped::Stated)
    }

    /// Why files that change together, one that work begins with, where a name is, or what an agent found out, need no telling.
    pub(super) fn needless(&self, candidate: &Candidate) -> Option<Dropped> {
        if candidate.claim.is_some() {
            return self.said_at(candidate);
        }
        if candidate.origin == Origin::Person {
            let file = candidate.files.first().filter(|_| candidate.keeps_up());
            return file.and_then(|file| self.is_kept_up(file));
        }
        if let Some(name) = candidate.place_of() {
            let name = [name.to_owned()];
            let found = self.tree.map(|tree| tree.look_for(&name));
            let is_defined = found.is_some_and(|found| found.contains(&Presence::Defined));
            return is_defined.then_some(Dropped::FoundAtOnce);
        }
        if let Some((_, by)) = mended(candidate.content.as_str()) {
            let texts = self.rules.map(|read| read()).unwrap_or_default();
            return texts.contains(by).then_some(Dropped::Stated);
        }
        let begins = candidate.origin == Origin::Signal(SignalKind::FileAccess);
        if !begins && candidate.pair().is_none() {
            return None;
        }
        let files = || candidate.files.iter();
        let is_kept = |file| self.company.is_none_or(|git| git.keeps(file));
        if begins && !files().all(is_kept) {
            return Some(Dropped::Unkept);
        }
        let is_written = |file: &ProjectPath| {
            self.tree
                .is_some_and(|tree| tree.is_generated(file.as_str()))
        };
        if files().any(is_written) {
            return Some(Dropped::ByProgram);
        }
        let texts = self.rules.map(|read| read()).unwrap_or_default();
        let names: Vec<&str> = files().map(ProjectPath::as_str).collect();
        let is_made = |file: &&str| made::is_called_made(&texts, file) || self.has_template(file);
        if !begins && names.iter().any(is_made) {
            return Some(Dropped::ByProgram);
        }
        if is_said(&texts, &names) {
            return Some(Dropped::Stated);
        }
        if let (false, [a, b]) = (begins, &names[..])
            && self.tree.is_some_and(|tree| tree.uses([a, b]))
        {
            return Some(Dropped::Used);
        }
        (!begins && self.is_output(&names)).then_some(Dropped::ByProgram)
    }

    /// Whether a template of the project is called after a file, wherever it lies.
    fn has_template(&self, file: &str) -> bool {
        let called: Vec<String> = paths::templates_of(file).collect();
        let is_template = |asked: &str| called.iter().any(|name| name == paths::file_name(asked));
        let found = self
            .tree
            .and_then(|tree| tree.place_with(&[], &is_template, &|_, _| Some(0)));
        found.is_some()
    }

    /// Whether a script or a task of the project writes one of the files. What tests write lies elsewhere.
    fn is_output(&self, files: &[&str]) -> bool {
        self.tree.is_some_and(|tree| is_output(tree, files))
    }

    /// The document, or else the comment beside the code, that says already what an agent found out.
    fn said_at(&self, candidate: &Candidate) -> Option<Dropped> {
        let statement = Statement::of(stated(candidate.content.as_str()))?;
        let tree = self.tree?;
        let line_in = |file: &str, text: &str| statement.place_in(file, text);
        let (file, line) = tree.place_with(&statement.needles(), &may_say, &line_in)?;
        let place = format!("{file}:{line}");
        Some(Dropped::SaidAt { place })
    }
}

pub(crate) fn is_output(tree: &dyn Tree, files: &[&str]) -> bool {
    let may_write =
        |asked: &str| !paths::is_prose(asked) && !paths::is_test(asked) && !files.contains(&asked);
    files.iter().any(|file| {
        let line_in =
            |_: &str, text: &str| text.lines().position(|line| written::writes(line, file));
        tree.place_with(&[file], &may_write, &line_in).is_some()
    })
}

/// Whether a passage of a text asks for a document to be kept up to date, whatever the words.
fn asks_for(text: &str, file: &str) -> bool {
    const ASKING: [&str; 15] = [
        "update",
        "updates",
        "updated",
        "updating",
        "bump",
        "sync",
        "add",
        "adds",
        "added",
        "adding",
        "entry",
        "entries",
        "up-to-date",
        "maintain",
        "maintained",
    ];
    let name = paths::file_name(file).to_lowercase();
    let stem = name
        .rsplit_once('.')
        .map_or(name.as_str(), |(stem, _)| stem);
    passages_of(text).iter().any(|passage| {
        let lower = passage.to_lowercase();
        let words = || lower.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
        words().any(|word| word == stem)
            && (words().any(|word| ASKING.contains(&word)) || lower.contains("up to date"))
    })
}

/// Whether a passage of a text names a register with a kind of file that is entered there, or with two of the files.
pub(crate) fn is_register_said(
    text: &str,
    register: &str,
    kind: &Kind,
    files: &BTreeSet<String>,
) -> bool {
    const MOST: usize = 2;
    let of_kind = [kind.as_str().to_owned(), format!("{}/", kind.folder())];
    passages_of(text).iter().any(|passage| {
        let names = || {
            files
                .iter()
                .filter(|file| passage.contains(paths::file_name(file)))
        };
        is_named(passage, register, &[register, ""])
            && (of_kind.iter().any(|name| passage.contains(name.as_str()))
                || names().take(MOST).count() == MOST)
    })
}

/// Whether one passage of a text names all of these files.
fn is_said(text: &str, files: &[&str]) -> bool {
    let passages = passages_of(text);
    let names_all = |passage: &String| files.iter().all(|file| is_named(passage, file, files));
    let orders = |passage: &String| {
        files
            .iter()
            .all(|file| is_named(passage, file, files) || is_spoken_of(passage, file, files))
            && files.iter().any(|file| is_named(passage, file, files))
            && UPDATING.iter().any(|word| passage.contains(word))
    };
    let joins = |passage: &String| files.len() == 2 && is_joined(passage, files);
    passages
        .iter()
        .any(|passage| names_all(passage) || orders(passage) || joins(passage))
}

/// The passages of a text: a paragraph, an item, a row, or a line of an example.
fn passages_of(text: &str) -> Vec<String> {
    let mut passages = vec![String::new()];
    let mut is_block = false;
    for line in text.lines().map(str::trim) {
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        is_block ^= is_fence;
        let is_item = line.starts_with(['-', '*', '|', '#', '>'])
            || line.starts_with(|c: char| c.is_ascii_digit());
        if line.is_empty() || is_item || is_block || is_fence {
            passages.push(String::new());
        }
        if let Some(passage) = passages.last_mut() {
            passage.push(' ');
            passage.push_str(line);
        }
    }
    passages
}

/// Whether a sentence asks for one of the files with whatever it goes with: "a new route goes into `manifest.py` in the same change".
fn is_joined(passage: &str, files: &[&str]) -> bool {
    const TOGETHER: [&str; 4] = ["change", "commit", "pull request", "pr"];
    const OTHERWISE: [&str; 5] = ["not", "never", "avoid", "unrelated", "separate"];
    passage.split(". ").any(|sentence| {
        let lower = sentence.to_lowercase().replace("n't", " not");
        let mut places = lower.split("in the same ").skip(1);
        let is_one = places.any(|rest| {
            TOGETHER.iter().any(|one| {
                let after = rest.strip_prefix(one);
                after.is_some_and(|after| !after.starts_with(char::is_alphanumeric))
            })
        });
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        is_one
            && !words.any(|word| OTHERWISE.contains(&word))
            && files.iter().any(|file| is_named(sentence, file, files))
    })
}

/// How a text asks for a file to be brought up to date with others.
const UPDATING: [&str; 5] = ["updat", "sync", "regenerat", "in step with", "bump"];

/// Whether a passage has a word of a file's path: "changes to settings require updating `settings.toml`" is about `src/config/settings.rs`, too.
fn is_spoken_of(passage: &str, file: &str, files: &[&str]) -> bool {
    const TELLING: usize = 5;
    // What all code lies in says nothing.
    const ANYWHERE: [&str; 4] = ["crates", "packages", "source", "internal"];
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.map(str::to_lowercase).collect()
    };
    let names = files.iter().map(|file| paths::file_name(file));
    let bare = names.fold(passage.to_owned(), |text, name| text.replace(name, " "));
    let spoken = words(&bare);
    words(file)
        .iter()
        .filter(|word| word.len() >= TELLING && !ANYWHERE.contains(&word.as_str()))
        .any(|word| spoken.contains(word))
}

/// Whether a passage names a file, be it by its name alone where that is no other's.
fn is_named(passage: &str, file: &str, files: &[&str]) -> bool {
    let name = paths::file_name(file);
    let namesakes = files.iter().filter(|other| paths::file_name(other) == name);
    let is_own = namesakes.count() == 1 && files.len() > 1 && !paths::is_entry(file);
    let named = if is_own { name } else { file };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    passage.match_indices(named).any(|(at, _)| {
        let before = passage[..at].chars().next_back();
        let mut after = passage[at + named.len()..].chars();
        let ends = match after.next() {
            Some('.') => !after.next().is_some_and(is_part),
            next => !next.is_some_and(is_part),
        };
        ends && !before.is_some_and(|c| is_part(c) || c == '.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_asks_for_a_document_needs_no_telling() {
        for (text, expected) in [
            ("Update the changelog with every change.", true),
            ("- Add an entry to `CHANGELOG.md`.", true),
            ("Keep the changelog up to date.", true),
            ("Releases are listed in the changelog.", false),
            ("See the changelog for additional details.", false),
            ("The changelog has the address of every country.", false),
            ("Add an entry to `docs/changelog-old.md`.", false),
            ("See the changelog.\n\nUpdate the tests.", false),
        ] {
            assert_eq!(asks_for(text, "CHANGELOG.md"), expected, "{text}");
        }
    }

    #[test]
    fn a_passage_that_names_all_of_them_says_it() {
        let both = ["build/install.sh.in", "web/install.sh"];
        for (text, expected) in [
            ("`install.sh` is made of `install.sh.in`: edit that.", true),
            ("Edit `install.sh.in`,\nnever `web/install.sh`.", true),
            ("Edit `install.sh.in`.", false),
            ("- `install.sh.in`\n- `install.sh`", false),
            ("```\ninstall.sh.in\ninstall.sh\n```", false),
            ("`install.sh.in` and `reinstall.sh`", false),
        ] {
            assert_eq!(is_said(text, &both), expected, "{text}");
        }
        let settings = ["src/config/settings.rs", "settings.toml"];
        for (text, expected) in [
            (
                "Changes to settings require updating `settings.toml` and a build.",
                true,
            ),
            ("`settings.toml` holds all settings.", false),
            ("Changes require updating `settings.toml`.", false),
            ("Update all settings.", false),
        ] {
            assert_eq!(is_said(text, &settings), expected, "{text}");
        }
        let schema = ["schema/tool.json", "settings.toml"];
        assert!(is_said(
            "Whoever updates `settings.toml` runs `render:schema`.",
            &schema
        ));
        let routes = ["src/app.py", "src/manifest.py"];
        for (text, expected) in [
            (
                "CI fails. A new route goes\ninto `src/manifest.py` in the same change.",
                true,
            ),
            ("Enter it in `manifest.py` in the same PR, please.", true),
            ("A new route goes into `manifest.py`.", false),
            ("Don't touch `manifest.py` in the same commit.", false),
            (
                "`manifest.py` is long. Keep what belongs together in the same commit.",
                false,
            ),
            ("Enter it in `manifest.py` in the same changelog.", false),
            ("Enter it in `docs.md` in the same change.", false),
        ] {
            assert_eq!(is_said(text, &routes), expected, "{text}");
        }
        let namesakes = ["a/mod.rs", "b/mod.rs"];
        assert!(!is_said("Enter it in `mod.rs`.", &namesakes));
        assert!(is_said(
            "Enter it in `a/mod.rs` and `b/mod.rs`.",
            &namesakes
        ));
        assert!(!is_said("Begin with `plan.md`.", &["docs/plan.md"]));
        assert!(is_said("Begin with `docs/plan.md`.", &["docs/plan.md"]));
    }
}
