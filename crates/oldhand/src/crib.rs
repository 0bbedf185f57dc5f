//! What hooks say of the code without reading it: the modules, and the files that change together, ready on one small page.
//!
//! The page is derived from the graph and the history, and may be deleted at any time. A hook has milliseconds; working this out
//! takes longer.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use oldhand_code::answer::map::ModuleMap;
use oldhand_code::history::facts;
use oldhand_code::history::log::History;
use oldhand_code::history::together::changed_together;
use oldhand_domain::memory::CommitSha;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_engine::Cue;
use oldhand_observe::paths::is_own_test;
use oldhand_recall::inject::{Fact, Line};

use crate::file::write_privately;
use crate::project::{Head, Project};

/// Modules named in a brief.
const MODULES: usize = 10;
/// Files named with another.
const COMPANIONS: usize = 3;
/// Fewer common commits are chance.
const LEAST_TIMES: usize = 4;
/// Fewer fixes in a row are ordinary work.
const FIXES_IN_A_ROW: usize = 4;
/// Pairs kept in all.
const PAIRS: usize = 20_000;

/// The form of the page. One that another version wrote in another form is made anew, and says nothing until then.
const FORM: &str = "crib 2";

/// Writes the page. Files with a tab or a line break in their names are left out.
pub(crate) fn write(directory: &Path, map: &ModuleMap, history: &History) -> Result<()> {
    // Writing to a text cannot fail.
    let mut page = first_line(history);
    for module in map.modules.iter().take(MODULES) {
        let folder = if module.folder.is_empty() {
            "."
        } else {
            &module.folder
        };
        if is_plain(&module.name) && is_plain(folder) {
            let _ = writeln!(page, "module\t{}\t{folder}", module.name);
        }
    }
    for Company {
        file,
        other,
        times,
        of,
    } in usual_company(history)
    {
        let _ = writeln!(page, "with\t{file}\t{other}\t{times}\t{of}");
    }
    for (file, fixes) in facts::fragile_files(history, FIXES_IN_A_ROW) {
        if is_plain(&file) {
            let _ = writeln!(page, "fragile\t{file}\t{fixes}");
        }
    }
    write_privately(&path(directory), page.as_bytes())
}

/// A file, one that usually changes with it, and in how many of its commits.
struct Company {
    file: String,
    other: String,
    times: usize,
    of: usize,
}

/// What usually changes with each file, its own test first, counted as for memories: in small commits since both are there, and still so.
fn usual_company(history: &History) -> Vec<Company> {
    let mut all = Vec::new();
    for pair in facts::co_changes(history, LEAST_TIMES, PAIRS) {
        let Some(found) = changed_together(history, &pair.a, &pair.b) else {
            continue;
        };
        if found.both < LEAST_TIMES || !is_plain(&pair.a) || !is_plain(&pair.b) {
            continue;
        }
        for (end, (file, other)) in [(&pair.a, &pair.b), (&pair.b, &pair.a)]
            .into_iter()
            .enumerate()
        {
            let (of, lately) = (found.each[end], found.lately[end]);
            // Usually means more often than not.
            if found.both * 2 > of && lately.both * 2 > lately.of {
                all.push(Company {
                    file: file.clone(),
                    other: other.clone(),
                    times: found.both,
                    of,
                });
            }
        }
    }
    // The heaviest come first, and stay so among those of one share.
    all.sort_by(|a, b| {
        let is_test = |one: &Company| is_own_test(&one.file, &one.other);
        let share = |one: &Company| one.times as f64 / one.of as f64;
        let by_file = a.file.cmp(&b.file);
        let by_test = is_test(b).cmp(&is_test(a));
        by_file.then(by_test).then(share(b).total_cmp(&share(a)))
    });
    all
}

/// Whether the page has the form of today and was made of the history as it is now.
pub(crate) fn is_current(directory: &Path, history: &History) -> bool {
    read(directory).starts_with(&first_line(history))
}

/// What the page is, and of which commit.
fn first_line(history: &History) -> String {
    format!("{FORM}\t{}\n", history.tip().unwrap_or_default())
}

/// The page, where it is there in the form of today; else nothing.
fn read(directory: &Path) -> String {
    let page = fs::read_to_string(path(directory)).unwrap_or_default();
    if tip(&page).is_some() {
        page
    } else {
        String::new()
    }
}

fn tip(page: &str) -> Option<&str> {
    page.lines().next()?.strip_prefix(FORM)?.strip_prefix('\t')
}

/// Adds what the page says on a cue. Without a page nothing is added.
pub(crate) fn add(project: &Project, cue: &Cue, lines: &mut Vec<Line>) {
    let page = || read(&project.directory);
    match cue {
        Cue::SessionStarted | Cue::ContextCompacted => {
            let page = page();
            let head = Head::read(&project.location).commit;
            let read_at = moved_on_from(&page, head.as_ref());
            let fact = Fact::modules(&modules(&page), read_at);
            lines.extend(fact.map(Line::Fact));
        }
        Cue::FileEdited(file) => {
            let page = page();
            let root = &project.location.root;
            let told: Vec<ProjectPath> = lines
                .iter()
                .filter_map(Line::memory)
                .filter(|memory| memory.memory_type() == BuiltInType::CausalDependency.into())
                .flat_map(|memory| memory.files.iter().cloned())
                .collect();
            // What a memory says of two files is not said twice.
            let exists =
                |other: &ProjectPath| root.join(other.as_str()).exists() && !told.contains(other);
            let fact = Fact::coupled(file, &companions(&page, file, exists));
            lines.extend(fact.map(Line::Fact));
            let fact = fixes_in_a_row(&page, file).map(|fixes| Fact::fragile(file, fixes));
            lines.extend(fact.map(Line::Fact));
        }
        _ => {}
    }
}

/// The commit the page was made of, in short, where that is not the one that is checked out.
fn moved_on_from<'a>(page: &'a str, head: Option<&CommitSha>) -> Option<&'a str> {
    const SHORT: usize = 7;
    let tip = tip(page)?;
    let is_another = head.is_some_and(|head| head.as_str() != tip);
    tip.get(..SHORT).filter(|_| is_another)
}

fn modules(page: &str) -> Vec<String> {
    let named = page.lines().filter_map(|line| {
        let (name, folder) = line.strip_prefix("module\t")?.split_once('\t')?;
        Some(if is_named_for(name, folder) {
            folder.to_owned()
        } else {
            format!("{name} ({folder})")
        })
    });
    named.collect()
}

/// Whether the name of a module says no more than its folder, as `shop/src/cart` in `src/cart` and `shop-api` in `packages/shop_api`.
fn is_named_for(name: &str, folder: &str) -> bool {
    let last = |path: &str| {
        let last = path.rsplit('/').next().unwrap_or(path);
        last.replace('-', "_").to_lowercase()
    };
    last(name) == last(folder)
}

fn companions(
    page: &str,
    file: &ProjectPath,
    exists: impl Fn(&ProjectPath) -> bool,
) -> Vec<(ProjectPath, u32, u32)> {
    let start = format!("with\t{file}\t");
    let lines = page.lines().filter_map(|line| line.strip_prefix(&start));
    let pairs = lines.filter_map(|rest| {
        let mut parts = rest.split('\t');
        let other = ProjectPath::new(parts.next()?).ok()?;
        let times = parts.next()?.parse().ok()?;
        let of = parts.next()?.parse().ok()?;
        Some((other, times, of))
    });
    pairs
        .filter(|(other, ..)| exists(other))
        .take(COMPANIONS)
        .collect()
}

fn fixes_in_a_row(page: &str, file: &ProjectPath) -> Option<u32> {
    let start = format!("fragile\t{file}\t");
    let mut lines = page.lines().filter_map(|line| line.strip_prefix(&start));
    lines.next()?.parse().ok()
}

fn is_plain(name: &str) -> bool {
    !name.contains(['\t', '\n', '\r'])
}

fn path(directory: &Path) -> PathBuf {
    directory.join("graph").join("crib")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "crib 2\tabc\nmodule\tengine\tcrates/engine\nmodule\tdocs\tdocs\n\
        with\tsrc/a.rs\tsrc/b.rs\t6\t7\nwith\tsrc/a.rs\tsrc/gone.rs\t5\t7\nwith\tsrc/ab.rs\tsrc/b.rs\t5\t7\nwith\tsrc/a.rs\tbroken\n";

    #[test]
    fn a_page_says_its_commit_where_another_is_checked_out() {
        let (old, new) = ("1a".repeat(20), "2b".repeat(20));
        let page = format!("{FORM}\t{old}\nmodule\tdocs\tdocs\n");
        let at = |commit: &str| CommitSha::new(commit);
        assert_eq!(moved_on_from(&page, at(&new).as_ref()), Some("1a1a1a1"));
        assert_eq!(moved_on_from(&page, at(&old).as_ref()), None);
        assert_eq!(moved_on_from(&page, None), None, "nothing is committed");
        assert_eq!(moved_on_from("crib 2\t\n", at(&new).as_ref()), None);
    }

    #[test]
    fn a_page_in_another_form_says_nothing() {
        let project = tempfile::tempdir().unwrap();
        fs::create_dir(project.path().join("graph")).unwrap();
        for (page, is_read) in [
            (PAGE.to_owned(), true),
            (PAGE.replace("crib 2", "tip"), false),
            (PAGE.replace("crib 2", "crib 21"), false),
        ] {
            fs::write(path(project.path()), &page).unwrap();
            let expected = if is_read { page } else { String::new() };
            assert_eq!(read(project.path()), expected);
        }
    }

    #[test]
    fn a_page_tells_modules_and_what_changes_with_a_file_that_is_there() {
        assert_eq!(modules(PAGE), ["crates/engine", "docs"]);
        let page = "module\tshop-api\tpackages/shop_api\nmodule\tshop/src/cart\tsrc/cart\nmodule\toldhand\t.\n";
        let named = ["packages/shop_api", "src/cart", "oldhand (.)"];
        assert_eq!(modules(page), named);
        let file = ProjectPath::new("src/a.rs").unwrap();
        let found = companions(PAGE, &file, |other| other.as_str() != "src/gone.rs");
        assert_eq!(found, [(ProjectPath::new("src/b.rs").unwrap(), 6, 7)]);
        assert_eq!(modules(""), [""; 0]);
        let page = "crib 2\tabc\nfragile\tsrc/a.rs\t5\nfragile\tsrc/b.rs\tmany\n";
        assert_eq!(fixes_in_a_row(page, &file), Some(5));
        let other = ProjectPath::new("src/b.rs").unwrap();
        assert_eq!(fixes_in_a_row(page, &other), None);
    }
}
