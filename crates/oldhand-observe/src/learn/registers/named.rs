//! Which files of a kind a text names: by path, by file name, or by a name that is no everyday word.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::kind::Kind;

use crate::paths;

/// What a register names, read once for all files of a kind.
pub struct Named {
    /// The register's own folder.
    folder: String,
    /// Whole paths and the ends of them, with and without what comes after the last dot.
    paths: BTreeSet<String>,
    /// Those that begin in the register's own folder.
    beside: BTreeSet<String>,
    /// What a compiler demands here of whoever adds a file: it is entered by itself.
    demanded: BTreeSet<String>,
    /// What stands alone on a line or in quotes, where a text is a list.
    alone: BTreeSet<String>,
}

impl Named {
    pub fn of(register: &str, text: &str) -> Self {
        let mut named = Self {
            folder: folder_of(register).to_owned(),
            paths: BTreeSet::new(),
            beside: BTreeSet::new(),
            demanded: text.lines().filter_map(module_in).collect(),
            alone: BTreeSet::new(),
        };
        let is_list = !is_source(register) && !paths::is_prose(register);
        for line in text.lines().filter(|line| !is_demanded(line)) {
            line.split(|c: char| !is_of_path(c))
                .for_each(|word| named.take(word));
            if is_list {
                named.take_alone(line);
            }
        }
        named
    }

    fn take(&mut self, word: &str) {
        let word = word.trim_end_matches(['.', '/']);
        let local = word.strip_prefix("./");
        let bare = word.trim_start_matches(['.', '/']);
        if bare.is_empty() {
            return;
        }
        // `app.commands.list` is a path in some languages.
        let dotted = !bare.contains('/') && bare.matches('.').count() >= 2;
        let dotted = dotted.then(|| bare.replace('.', "/"));
        for path in dotted.as_deref().into_iter().chain([bare]) {
            let ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
            for end in ends.chain([path]).collect::<Vec<_>>() {
                self.paths.insert(end.to_owned());
                self.paths.insert(without_ending(end).to_owned());
            }
        }
        // Sites name their pages from where they begin.
        if word.starts_with('/') && !word.starts_with("//") {
            self.paths.insert(format!("/{}", without_ending(bare)));
        }
        if let Some(local) = local {
            self.beside.insert(local.to_owned());
            self.beside.insert(without_ending(local).to_owned());
        }
    }

    fn take_alone(&mut self, line: &str) {
        let is_mark = |c: char| c.is_whitespace() || "-*\"'`,:;[](){}".contains(c);
        let trimmed = line.trim_matches(is_mark);
        self.alone.insert(trimmed.to_owned());
        let quoted = line.split(['"', '\'']).skip(1).step_by(2);
        self.alone.extend(quoted.map(str::to_owned));
    }

    /// Whether a file is named as nothing else is.
    pub fn names(&self, kind: &Kind, file: &str) -> bool {
        let Some((folder, name)) = file.rsplit_once('/') else {
            return false;
        };
        let above = paths::file_name(folder);
        let has = |path: &str| self.paths.contains(path);
        if !kind.name().contains('*') {
            // Its folder stands for it.
            let parent = paths::file_name(kind.folder());
            return has(&format!("{above}/{name}"))
                || has(&format!("{parent}/{above}"))
                || is_telling(above) && has(above)
                || self.alone.contains(above);
        }
        let stem = without_ending(name);
        let is_beside =
            self.folder == folder && (self.beside.contains(stem) || self.beside.contains(name));
        let is_own = !kind.is_deep() && has(name);
        if self.demanded.contains(stem) {
            return false;
        }
        is_own
            || is_beside
            || has(&format!("{above}/{stem}"))
            || !kind.is_deep() && has(&format!("/{stem}"))
            || is_telling(stem) && has(stem)
            || self.alone.contains(stem)
    }
}

/// Whether code has most of what it names in lines that are made alike, as a table or a list has: what it only uses stands in all sorts of lines.
/// What brings names in is no such row. Other texts need none.
pub fn is_row(register: &str, text: &str, files: &[&str], kind: &Kind) -> bool {
    if !is_source(register) {
        return true;
    }
    let fixed = !kind.name().contains('*');
    let of_file = |file: &&str| {
        let named_by = if fixed { folder_of(file) } else { file };
        letters(paths::stem(named_by))
    };
    let names: BTreeSet<String> = files.iter().map(of_file).collect();
    let mut rows: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !brings_in(line)) {
        let plain = letters(line);
        let mut here = names.iter().filter(|name| plain.contains(name.as_str()));
        if let Some(first) = here.next() {
            let row = rows.entry(marks(line)).or_default();
            row.insert(first);
            row.extend(here.map(String::as_str));
        }
    }
    rows.values().any(|row| 3 * row.len() >= 2 * names.len())
}

/// A name without its marks and cases: `list-all`, `list_all` and `listAll` are one.
fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// What a line is made of beside its words.
fn marks(line: &str) -> String {
    let is_mark = |c: &char| !is_of_path(*c) && !c.is_whitespace();
    line.chars().filter(is_mark).collect()
}

fn is_source(path: &str) -> bool {
    const DATA: [&str; 12] = [
        "json", "jsonc", "json5", "yaml", "yml", "toml", "csv", "tsv", "xml", "ini", "cfg", "conf",
    ];
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    !DATA.contains(&ending) && paths::is_code(path)
}

/// A line that a language demands of whoever adds a file, or that only hands its names on.
fn is_demanded(line: &str) -> bool {
    let line = line.trim();
    let is_handed_on =
        line.starts_with("export ") && line.contains(" from ") || line.starts_with("pub use ");
    is_handed_on || module_in(line).is_some()
}

/// The module that a line of Rust declares, without which its file is not compiled.
fn module_in(line: &str) -> Option<String> {
    let line = line.trim().strip_suffix(';')?;
    let visible = line.strip_prefix("pub").map_or(line, |rest| {
        let inside = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        inside.map_or(rest, |(_, rest)| rest)
    });
    let name = visible.trim_start().strip_prefix("mod ")?;
    Some(name.trim().to_owned())
}

/// A line that brings a name in from elsewhere.
fn brings_in(line: &str) -> bool {
    const WORDS: [&str; 7] = [
        "import ", "from ", "use ", "using ", "require", "#include", "export ",
    ];
    // In a block of imports: `name "path/of/it"`.
    let is_in_block = line.ends_with('"') && line.contains('/') && line.matches('"').count() == 2;
    is_demanded(line)
        || WORDS.iter().any(|word| line.starts_with(word))
        || line.contains("require(")
        || line.starts_with('}') && line.contains(" from ")
        || is_in_block
}

/// Whether a name is more than an everyday word: it has a mark, a digit or a capital inside.
fn is_telling(name: &str) -> bool {
    let has_mark = name.contains(['-', '_', '.']) || name.contains(|c: char| c.is_ascii_digit());
    let has_capital =
        name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase);
    name.chars().count() >= 4 && (has_mark || has_capital)
}

fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | '+')
}

fn without_ending(path: &str) -> &str {
    let name = paths::file_name(path);
    let before = path.len() - name.len();
    match name.rfind('.').filter(|at| *at > 0) {
        Some(at) => &path[..before + at],
        None => path,
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
