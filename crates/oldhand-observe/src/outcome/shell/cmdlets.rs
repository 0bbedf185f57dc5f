//! What PowerShell's cmdlets and the commands of `cmd` do, by the names that a POSIX shell has for it.

use super::windows::Dialect;

/// A word as it was typed.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub text: String,
    /// A part of it stood in quotes, or in a variable.
    pub quoted: bool,
}

/// The parameters that say what a cmdlet is about.
const PATHS: [&str; 5] = ["path", "literalpath", "lp", "filepath", "pspath"];

/// A command under its POSIX name, with what it is about; empty where it only computes.
pub(super) fn posix(words: &[Word], dialect: Dialect) -> Vec<String> {
    let words = match words {
        [word, rest @ ..] if is_keyword(word) => rest,
        words => words,
    };
    let Some((first, rest)) = words.split_first() else {
        return Vec::new();
    };
    if is_value(first, dialect) {
        return Vec::new();
    }
    let name = first.text.to_ascii_lowercase();
    let given = match dialect {
        Dialect::PowerShell => Given::to_cmdlet(&name, rest),
        Dialect::Cmd => Given::to_cmd(rest),
    };
    let command = |program: &str, words: Vec<String>| {
        let mut all = vec![program.to_owned()];
        all.extend(words);
        all
    };
    let files = || given.paths(&PATHS, usize::MAX);
    let file = || given.paths(&PATHS, 1);
    match name.as_str() {
        "get-content" | "gc" | "type" | "cat" => command("cat", files()),
        "select-string" | "sls" => {
            let pattern = given.value(&["pattern"]);
            let at = usize::from(pattern.is_none());
            let pattern = pattern.or_else(|| given.plain.first().map(|word| word.text.clone()));
            let mut words: Vec<String> = pattern.into_iter().collect();
            words.extend(given.paths_from(&PATHS, at, usize::MAX));
            command("grep", words)
        }
        "findstr" => {
            let pattern = given.value(&["c"]);
            let at = usize::from(pattern.is_none());
            let pattern = pattern.or_else(|| given.plain.first().map(|word| word.text.clone()));
            let mut words: Vec<String> = pattern.into_iter().collect();
            words.extend(given.paths_from(&[], at, usize::MAX));
            command("grep", words)
        }
        "get-childitem" | "gci" | "dir" | "ls" => command("ls", files()),
        "set-content" | "add-content" | "out-file" | "tee-object" => command("tee", file()),
        "sc" | "ac" if dialect == Dialect::PowerShell => command("tee", file()),
        "new-item" | "ni" => {
            let folder = given.value(&["itemtype", "type"]);
            let is_folder = folder.is_some_and(|kind| kind.eq_ignore_ascii_case("directory"));
            let mut made = file();
            if let Some(name) = given.value(&["name"]) {
                let name = name.replace('\\', "/");
                let folder = made.pop().map(|folder| format!("{folder}/"));
                made = vec![format!("{}{name}", folder.unwrap_or_default())];
            }
            command(if is_folder { "mkdir" } else { "tee" }, made)
        }
        "md" | "mkdir" => command("mkdir", files()),
        "remove-item" | "ri" | "rm" | "del" | "erase" | "rd" | "rmdir" => command("rm", files()),
        "move-item" | "mi" | "mv" | "move" => command("mv", given.pair(&["destination"])),
        "copy-item" | "cpi" | "cp" | "copy" | "xcopy" => {
            command("cp", given.pair(&["destination"]))
        }
        "rename-item" | "rni" | "ren" | "rename" => {
            let mut pair = given.pair(&["newname"]);
            if let [from, to] = pair.as_mut_slice()
                && !to.contains('/')
                && let Some((folder, _)) = from.rsplit_once('/')
            {
                *to = format!("{folder}/{to}");
            }
            command("mv", pair)
        }
        "set-location" | "sl" | "cd" | "chdir" | "push-location" | "pushd" => command("cd", file()),
        "write-output" | "write-host" | "echo" => {
            command("echo", given.plain.iter().map(Word::told).collect())
        }
        "select-object" | "select" => {
            let shown = |key: &str| given.value(&[key]).map(|count| vec![format!("-{count}")]);
            match (shown("first"), shown("last")) {
                (Some(count), _) => command("head", count),
                (None, Some(count)) => command("tail", count),
                (None, None) => command(&first.text, Vec::new()),
            }
        }
        "measure-object" => command("wc", Vec::new()),
        "sort-object" => command("sort", Vec::new()),
        "test-path" => command("test", files()),
        "invoke-webrequest" | "iwr" | "invoke-restmethod" | "irm" => {
            let address = given.value(&["uri"]);
            let address = address.or_else(|| given.plain.first().map(|word| word.text.clone()));
            command("curl", address.into_iter().collect())
        }
        _ => {
            let program = first.path();
            let ends = [".exe", ".cmd", ".bat"];
            let lower = program.to_ascii_lowercase();
            let cut = ends.iter().find(|ending| lower.ends_with(*ending));
            let program = &program[..program.len() - cut.map_or(0, |ending| ending.len())];
            command(program, rest.iter().map(Word::told).collect())
        }
    }
}

/// Words that only say when a command runs.
fn is_keyword(word: &Word) -> bool {
    !word.quoted
        && matches!(
            word.text.to_ascii_lowercase().as_str(),
            "if" | "elseif"
                | "else"
                | "try"
                | "catch"
                | "finally"
                | "do"
                | "while"
                | "foreach"
                | "for"
                | "return"
        )
}

/// Whether a command begins with a value that is computed or handed on, and runs nothing: `$lines[3]`, `"text" | …`, `-join ','`.
fn is_value(first: &Word, dialect: Dialect) -> bool {
    let text = &first.text;
    let is_program = text.contains(['/', '\\']) && !text.contains([' ', '\n', '$'])
        || dialect == Dialect::Cmd
        || text
            .rsplit_once('.')
            .is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("exe"));
    let computes = text.starts_with(['$', '[', '-', '=', '+', '@', '%', '?', ',', '.', '!', '~'])
        || text.starts_with(|c: char| c.is_ascii_digit());
    text.is_empty() || (computes || first.quoted) && !is_program || text.starts_with('$')
}

impl Word {
    /// As a path.
    fn path(&self) -> String {
        self.text.replace('\\', "/")
    }

    /// As a program is given it: what stands bare, or begins as a path does, is one; a backslash in quotes may be anything.
    fn told(&self) -> String {
        let bytes = self.text.as_bytes();
        let has_drive = bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
        let is_path = !self.quoted
            || has_drive && bytes[2] == b'\\'
            || self.text.starts_with(".\\")
            || self.text.starts_with("..\\");
        if is_path {
            self.path()
        } else {
            self.text.clone()
        }
    }
}

/// What a command was given: by its parameters, and without.
#[derive(Default)]
struct Given {
    named: Vec<(String, String)>,
    plain: Vec<Word>,
}

impl Given {
    fn to_cmdlet(cmdlet: &str, words: &[Word]) -> Self {
        // Of a listing it says that only names are shown; elsewhere it is followed by one.
        let lists = matches!(cmdlet, "get-childitem" | "gci" | "dir" | "ls");
        let is_switch = |name: &str| is_switch(name) || lists && name == "name";
        let mut given = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let name = word
                .text
                .strip_prefix('-')
                .filter(|name| !word.quoted && name.starts_with(|c: char| c.is_ascii_alphabetic()));
            let Some(name) = name else {
                given.plain.push(word.clone());
                continue;
            };
            let (name, value) = match name.split_once(':') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (name, None),
            };
            let name = name.to_ascii_lowercase();
            let mut next = || words.next().map(|word| word.text.clone());
            let value = value.or_else(|| (!is_switch(&name)).then(&mut next).flatten());
            given.named.extend(value.map(|value| (name, value)));
        }
        given
    }

    fn to_cmd(words: &[Word]) -> Self {
        let mut given = Self::default();
        for word in words {
            let option = word.text.strip_prefix('/');
            match option.and_then(|option| option.split_once(':')) {
                Some((name, value)) => {
                    let name = name.to_ascii_lowercase();
                    given.named.push((name, value.to_owned()));
                }
                None if option.is_some_and(|option| option.len() < 4) => {}
                None => given.plain.push(word.clone()),
            }
        }
        given
    }

    fn value(&self, names: &[&str]) -> Option<String> {
        let found = self.named.iter().find(|(name, _)| {
            let is_short = |whole: &&str| name.len() > 2 && whole.starts_with(name.as_str());
            names.iter().any(|whole| whole == name || is_short(whole))
        });
        found.map(|(_, value)| value.clone())
    }

    /// The paths that it is about: of a parameter, or else at most so many of the plain words.
    fn paths(&self, names: &[&str], most: usize) -> Vec<String> {
        self.paths_from(names, 0, most)
    }

    fn paths_from(&self, names: &[&str], at: usize, most: usize) -> Vec<String> {
        let several = |text: &str| -> Vec<String> {
            let parts = text.split(',').map(str::trim);
            let parts = parts.filter(|part| !part.is_empty());
            parts.map(|part| part.replace('\\', "/")).collect()
        };
        if let Some(value) = self.value(names) {
            return several(&value);
        }
        let plain = self.plain.iter().skip(at).take(most);
        plain.flat_map(|word| several(&word.text)).collect()
    }

    /// What it takes, and where that goes.
    fn pair(&self, to: &[&str]) -> Vec<String> {
        let from = self.value(&PATHS);
        let to = self.value(to);
        let mut plain = self.plain.iter().map(|word| word.text.clone());
        let from = from.or_else(|| plain.next());
        let to = to.or_else(|| plain.next());
        match (from, to) {
            (Some(from), Some(to)) => [from, to].map(|path| path.replace('\\', "/")).to_vec(),
            _ => Vec::new(),
        }
    }
}

/// Parameters of cmdlets that take no value.
fn is_switch(name: &str) -> bool {
    matches!(
        name,
        "raw"
            | "recurse"
            | "r"
            | "s"
            | "force"
            | "file"
            | "directory"
            | "ad"
            | "af"
            | "hidden"
            | "wait"
            | "nonewline"
            | "append"
            | "quiet"
            | "list"
            | "simplematch"
            | "casesensitive"
            | "allmatches"
            | "notmatch"
            | "passthru"
            | "asbytestream"
            | "noemphasis"
            | "confirm"
            | "debug"
            | "whatif"
            | "verbose"
            | "noclobber"
            | "usebasicparsing"
            | "line"
            | "word"
            | "character"
            | "unique"
            | "descending"
            | "f"
            | "la"
            | "l"
            | "a"
            | "al"
            | "rf"
            | "fr"
            | "p"
    )
}
