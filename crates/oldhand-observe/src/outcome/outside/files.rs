//! Commands that print files which lie elsewhere, whatever program prints them and however they are named.

use std::collections::BTreeMap;

use super::super::shell::{Simple, commands};
use super::{DEPTH_LIMIT, LOOKED_AT, base, inner, is_of_others};

/// Whether a command prints files that lie elsewhere. `lies_outside` is given a path and the folder it is relative to, where the
/// command went into one.
pub fn reads_outside(command: &str, lies_outside: &dyn Fn(&str, Option<&str>) -> bool) -> bool {
    let looked_at = &command[..command.floor_char_boundary(LOOKED_AT)];
    within(looked_at, lies_outside, 0)
}

fn within(command: &str, lies_outside: &dyn Fn(&str, Option<&str>) -> bool, depth: usize) -> bool {
    let mut walk = Walk {
        lies_outside,
        folder: None,
        variables: assigned(command),
        hands_on: command.contains("xargs") || command.contains("-exec"),
    };
    commands(command).iter().any(|simple| walk.reads(simple))
        || walk.script_reads(command)
        || (depth < DEPTH_LIMIT
            && inner(command)
                .iter()
                .any(|inner| within(inner, lies_outside, depth + 1)))
}

/// What a program does with the files it is given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Tells of them at most that they are there.
    Names,
    /// Prints them.
    Prints,
    /// Prints them; its first word says what to look for.
    Looks,
    /// Copies all but the last of them to the last.
    Copies,
    /// Works on another machine or in a box of its own.
    Elsewhere,
    /// Anything: it may print what it is given.
    Unknown,
}

fn use_of(program: &str) -> Use {
    match program {
        "ls" | "ll" | "tree" | "du" | "df" | "stat" | "file" | "which" | "type" | "whereis"
        | "realpath" | "readlink" | "basename" | "dirname" | "mkdir" | "rmdir" | "touch" | "rm"
        | "chmod" | "chown" | "test" | "[" | "[[" | "export" | "unset" | "echo" | "printf"
        | "kill" | "pkill" | "pgrep" | "lsof" | "ps" | "sleep" | "shasum" | "sha1sum"
        | "sha256sum" | "md5" | "md5sum" | "wc" | "open" | "code" | "case" | "trap" | "set"
        | "alias" | "mktemp" | "tee" | "find" | "fd" | "source" | "." | "popd" | "ln"
        | "return" | "exit" | "grpcurl" | "curl" | "wget" | "gh" | "declare" | "local" | "read" => {
            Use::Names
        }
        "cat" | "bat" | "less" | "more" | "nl" | "head" | "tail" | "tac" | "rev" | "strings"
        | "xxd" | "od" | "hexdump" | "zcat" | "gzcat" | "bzcat" | "xzcat" | "diff" | "comm"
        | "cut" | "sort" | "uniq" | "column" | "fold" | "paste" | "pdftotext" | "pandoc"
        | "unzip" | "tar" | "glow" => Use::Prints,
        "sed" | "awk" | "gawk" | "rg" | "grep" | "egrep" | "fgrep" | "zgrep" | "ag" | "ack"
        | "jq" | "yq" | "perl" | "tr" => Use::Looks,
        "cp" | "mv" | "rsync" | "install" | "ditto" => Use::Copies,
        "docker" | "podman" | "nerdctl" | "docker-compose" | "kubectl" | "ssh" | "scp" => {
            Use::Elsewhere
        }
        _ => Use::Unknown,
    }
}

/// Options whose value says where something goes, runs or is installed.
fn takes_a_place(option: &str) -> bool {
    matches!(
        option,
        "-o" | "-d"
            | "-C"
            | "--output"
            | "--out"
            | "--out-dir"
            | "--outdir"
            | "--output-dir"
            | "--target"
            | "--target-dir"
            | "--prefix"
            | "--root"
            | "--cwd"
            | "--python"
            | "--log-file"
            | "--cache-dir"
    )
}

struct Walk<'a> {
    lies_outside: &'a dyn Fn(&str, Option<&str>) -> bool,
    /// Where the command went.
    folder: Option<String>,
    variables: BTreeMap<String, Vec<String>>,
    /// Names that are printed are given to another program.
    hands_on: bool,
}

impl Walk<'_> {
    fn reads(&mut self, simple: &Simple) -> bool {
        if simple.from.iter().any(|word| self.leads_out(word, true)) {
            return true;
        }
        let program = base(&simple.words[0]);
        let words = &simple.words[1..];
        match program {
            "cd" | "pushd" => {
                self.go(words);
                return false;
            }
            "for" => {
                if let [name, of, values @ ..] = words
                    && of == "in"
                {
                    self.variables.insert(name.clone(), values.to_vec());
                }
                return false;
            }
            "git" => return self.git_reads(words),
            _ => {}
        }
        let plain = plain_words(words);
        let (files, is_reader) = match use_of(program) {
            Use::Names if self.hands_on => (&plain[..], true),
            Use::Names | Use::Elsewhere => return false,
            Use::Prints => (&plain[..], true),
            Use::Looks => (plain.get(1..).unwrap_or_default(), true),
            Use::Copies => (plain.split_last().map_or(&[][..], |(_, from)| from), true),
            Use::Unknown => (&plain[..], false),
        };
        self.is_elsewhere() || files.iter().any(|word| self.leads_out(word, is_reader))
    }

    /// `git -C elsewhere` shows what stands there; files outside are none of a repository's own.
    fn git_reads(&self, words: &[String]) -> bool {
        let at = words.iter().position(|word| word == "-C");
        let there = at.and_then(|at| words.get(at + 1));
        let verb = words
            .iter()
            .enumerate()
            .find(|(place, word)| !word.starts_with('-') && at.is_none_or(|at| *place != at + 1));
        let is_quiet = verb.is_some_and(|(_, verb)| {
            matches!(
                verb.as_str(),
                "worktree"
                    | "init"
                    | "config"
                    | "push"
                    | "remote"
                    | "clone"
                    | "rev-parse"
                    | "add"
                    | "commit"
                    | "checkout"
                    | "switch"
                    | "status"
                    | "branch"
                    | "fetch"
            )
        });
        let moved = there.is_some_and(|there| self.leads_out(there, true));
        let no_index = words.iter().any(|word| word == "--no-index")
            && plain_words(words)
                .iter()
                .any(|word| self.leads_out(word, true));
        !is_quiet && (moved || self.is_elsewhere()) || no_index
    }

    fn go(&mut self, words: &[String]) {
        let Some(into) = words.iter().find(|word| !word.starts_with('-')) else {
            return;
        };
        let [into] = &self.expanded(into)[..] else {
            return;
        };
        let inside = self
            .folder
            .as_ref()
            .filter(|_| !into.starts_with('~') && !crate::paths::is_absolute(into));
        self.folder =
            Some(inside.map_or_else(|| into.clone(), |folder| format!("{folder}/{into}")));
    }

    /// Whether the command went where the project is not.
    fn is_elsewhere(&self) -> bool {
        let folder = self.folder.as_deref();
        folder.is_some_and(|folder| !is_scratch(folder) && (self.lies_outside)(folder, None))
    }

    /// Whether a word names a file elsewhere. A program that may take anything must be given what can only be a path.
    fn leads_out(&self, word: &str, is_reader: bool) -> bool {
        self.expanded(word).iter().any(|path| {
            let named = path.starts_with("~/")
                || path == "~"
                || path.starts_with("../")
                || path == ".."
                || path.contains("/../")
                || (crate::paths::is_absolute(path)
                    && (is_reader || is_rooted(path) || !path.starts_with('/')));
            let of_others = is_reader && is_of_others(path);
            (named || of_others)
                && path.len() > 1
                && !is_scratch(path)
                && (self.lies_outside)(path, self.folder.as_deref())
        })
    }

    /// A word with what is known of its variables put in, up to the first thing that stands for several names.
    fn expanded(&self, word: &str) -> Vec<String> {
        let word = word.trim_matches(['"', '\'']);
        let Some(rest) = word.strip_prefix('$') else {
            return vec![before_pattern(word)];
        };
        let braced = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let (name, rest) = braced.unwrap_or_else(|| {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            rest.split_at(end.unwrap_or(rest.len()))
        });
        match name {
            "HOME" => vec![before_pattern(&format!("~{rest}"))],
            "PWD" => vec![before_pattern(&format!(".{rest}"))],
            _ => {
                let values = self.variables.get(name).into_iter().flatten();
                let values = values.map(|value| value.replacen("$HOME", "~", 1));
                values
                    .filter(|value| !value.starts_with('$'))
                    .map(|value| before_pattern(&format!("{value}{rest}")))
                    .collect()
            }
        }
    }

    /// Whether a program that stands in the command itself opens a file elsewhere.
    fn script_reads(&self, line: &str) -> bool {
        const OPENS: [&str; 9] = [
            "open(",
            "readFile",
            "read_text",
            "Path(",
            "File.read",
            "file_get_contents",
            "createReadStream",
            "IO.read",
            "read_to_string",
        ];
        const RUNS: [&str; 6] = ["python", "node", "ruby", "perl", "php", "bun"];
        if !RUNS.iter().any(|program| line.contains(program)) {
            return false;
        }
        OPENS.iter().any(|call| {
            line.match_indices(call).any(|(at, _)| {
                let after = &line[at + call.len()..];
                let quote = after.find(['\'', '"']).filter(|at| *at < 12);
                let Some(quote) = quote else { return false };
                let text = &after[quote + 1..];
                let end = text.find(['\'', '"']).unwrap_or(text.len());
                text[..end].starts_with(['/', '~', '.']) && self.leads_out(&text[..end], true)
            })
        })
    }
}

/// The words that are neither options nor what says where an output goes.
fn plain_words(words: &[String]) -> Vec<&String> {
    let mut before = "";
    let mut found = Vec::new();
    for word in words {
        if !word.starts_with('-') && !takes_a_place(before) {
            found.push(word);
        }
        before = word;
    }
    found
}

/// What a line gives to variables.
fn assigned(line: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for piece in line.split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(')) {
        if let Some((name, value)) = piece.split_once('=')
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            let value = value.trim_matches(['"', '\'']).to_owned();
            found.entry(name.to_owned()).or_default().push(value);
        }
    }
    found
}

/// The folder that a pattern of several names lies in, or the word itself.
fn before_pattern(word: &str) -> String {
    let Some(at) = word.find(['*', '?', '[', '{', '$', '(']) else {
        return word.to_owned();
    };
    match word[..at].rfind('/') {
        Some(slash) => word[..=slash].to_owned(),
        None => String::new(),
    }
}

/// Whether a word begins as only paths do: other programs are given routes and patterns, too.
fn is_rooted(path: &str) -> bool {
    const ROOTS: [&str; 18] = [
        "home",
        "Users",
        "opt",
        "etc",
        "usr",
        "var",
        "root",
        "srv",
        "mnt",
        "media",
        "Volumes",
        "Library",
        "Applications",
        "private",
        "nix",
        "data",
        "proc",
        "sys",
    ];
    let mut steps = path.trim_start_matches('/').split('/');
    let first = steps.next().unwrap_or_default();
    ROOTS.contains(&first) && steps.next().is_some_and(|next| !next.is_empty())
}

/// Whether a path is a session's own though it lies elsewhere: scratch, and what clients keep of plans and of what they ran. What is
/// fetched into it marks by the fetching.
pub fn is_scratch(path: &str) -> bool {
    const SCRATCH: [&str; 8] = [
        "/tmp",
        "/private/tmp",
        "/var/tmp",
        "/var/folders",
        "/private/var/folders",
        "/dev",
        "$TMPDIR",
        "~/tmp",
    ];
    let is_below = |folder: &str| {
        path.strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if path.contains("/../") || path.ends_with("/..") {
        return false;
    }
    SCRATCH.iter().any(|folder| is_below(folder)) && !is_below("/dev/tcp")
        || is_kept_by_client(path)
}

/// Whether a path lies below a home, where a client keeps plans, tasks, its own transcripts and what a person told it to remember.
fn is_kept_by_client(path: &str) -> bool {
    const KEPT: [&str; 12] = [
        ".claude/plans",
        ".claude/tasks",
        ".claude/todos",
        ".claude/jobs",
        ".claude/projects",
        ".claude/CLAUDE.md",
        ".codex/AGENTS.md",
        ".codex/sessions",
        ".codex/memories",
        ".gemini/GEMINI.md",
        ".gemini/tmp",
        ".cursor/plans",
    ];
    let whole = path.strip_prefix("C:").unwrap_or(path);
    let mut steps = whole.splitn(4, '/');
    let below = match (steps.next(), steps.next(), steps.next(), steps.next()) {
        (Some(""), Some("home" | "Users"), Some(_), Some(rest)) => Some(rest),
        (Some(""), Some("root"), ..) => whole.splitn(3, '/').nth(2),
        (Some("~"), ..) => whole.split_once('/').map(|(_, rest)| rest),
        _ => None,
    };
    below.is_some_and(|below| {
        KEPT.iter().any(|kept| {
            below
                .strip_prefix(kept)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    })
}

#[cfg(test)]
mod tests;
