//! What a command line changes in the project: agents edit through the shell, too.

use oldhand_domain::path::ProjectPath;

use super::commands::check_of;
use super::shell::{Simple, commands};
use super::walk::{Begun, Walk, is_pattern};
use crate::paths;

/// The changes that a line makes, as far as they can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writes {
    /// Files with new content, in order, each once.
    pub changed: Vec<ProjectPath>,
    /// Files that were taken away.
    pub removed: Vec<ProjectPath>,
    /// Something is changed whose name the line does not tell.
    pub unnamed: bool,
    /// The last change comes after the last check of the line.
    pub after_checks: bool,
}

/// More files than these are a script at work, not edits.
const MOST: usize = 12;

/// What `line` changes when it is run there; `None` when that is nothing of the project.
pub fn writes(line: &str, begun: Begun<'_>) -> Option<Writes> {
    // Most lines only look, and looking closely at all of them would cost every event.
    if !HINTS.iter().any(|hint| line.contains(hint)) {
        return None;
    }
    let mut found = Writes::default();
    let mut walk = Walk::of(begun);
    for simple in commands(line) {
        if walk.goes(&simple) {
            continue;
        }
        let checks = check_of(&simple.words).is_some();
        let before = (found.changed.len(), found.removed.len(), found.unnamed);
        let mut place = Place {
            found: &mut found,
            walk: &walk,
        };
        if !checks {
            let lists = is_listing(&simple.words);
            for target in &simple.into {
                if !(lists && is_notes(target)) {
                    place.change(target);
                }
            }
        }
        place.run(&simple, line);
        if (found.changed.len(), found.removed.len(), found.unnamed) != before {
            found.after_checks = true;
        } else if checks {
            found.after_checks = false;
        }
    }
    let any = found.unnamed || !found.changed.is_empty() || !found.removed.is_empty();
    (any && found.changed.len() + found.removed.len() <= MOST).then_some(found)
}

const HINTS: [&str; 14] = [
    ">",
    "sed",
    "perl",
    "tee ",
    "mv ",
    "cp ",
    "rm ",
    "apply",
    "patch",
    "write",
    "open(",
    "pwsh",
    "owershell",
    "cmd",
];

struct Place<'a> {
    found: &'a mut Writes,
    walk: &'a Walk<'a>,
}

impl Place<'_> {
    fn run(&mut self, simple: &Simple, line: &str) {
        let words = &simple.words;
        let program = words[0].rsplit('/').next().unwrap_or(&words[0]);
        let rest = &words[1..];
        let plain = || {
            rest.iter()
                .filter(|word| !word.starts_with('-') && !word.is_empty())
        };
        let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(&word.as_str()));
        match program {
            "sed" | "gsed"
                if rest
                    .iter()
                    .any(|word| word.starts_with("-i") || word == "--in-place") =>
            {
                let scripted = has(&["-e", "-f", "--expression"]);
                let mut files = Vec::new();
                let mut words = rest.iter();
                let mut script = scripted;
                while let Some(word) = words.next() {
                    if matches!(word.as_str(), "-e" | "-f" | "--expression") {
                        words.next();
                    } else if !word.starts_with('-') && !word.is_empty() {
                        if script {
                            files.push(word);
                        }
                        script = true;
                    }
                }
                self.change_all(files.into_iter());
            }
            "perl" if rest.iter().any(|word| is_in_place(word)) => {
                let mut files = Vec::new();
                let mut words = rest.iter();
                while let Some(word) = words.next() {
                    if word.starts_with('-') {
                        if word.ends_with('e') {
                            words.next();
                        }
                    } else {
                        files.push(word);
                    }
                }
                self.change_all(files.into_iter());
            }
            "tee" => self.change_named(plain()),
            "mv" => self.move_files(
                &plain().map(String::as_str).collect::<Vec<_>>(),
                Leaves::Nothing,
            ),
            "cp" => self.move_files(
                &plain().map(String::as_str).collect::<Vec<_>>(),
                Leaves::Source,
            ),
            "rm" | "unlink" => plain().for_each(|file| self.remove(file)),
            "git" => self.git(rest, line),
            "patch" if !has(&["--dry-run", "-C", "--check"]) => match plain().next() {
                Some(file) => self.change(file),
                None => self.patched(line),
            },
            "apply_patch" => self.patched(line),
            "find" | "fd" if has(&["sed", "perl"]) && has(&["-i", "-pi"]) => {
                self.found.unnamed = true;
            }
            "python" | "python3" | "node" | "ruby" | "bun" | "deno" => self.scripted(line),
            _ => {}
        }
    }

    fn git(&mut self, rest: &[String], line: &str) {
        let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(&word.as_str()));
        let Some(at) = rest.iter().position(|word| !word.starts_with('-')) else {
            return;
        };
        let plain: Vec<&str> = rest[at + 1..]
            .iter()
            .filter(|word| !word.starts_with('-'))
            .map(String::as_str)
            .collect();
        match rest[at].as_str() {
            "mv" => self.move_files(&plain, Leaves::Nothing),
            "rm" if !has(&["--cached", "-n", "--dry-run"]) => {
                for file in plain {
                    self.remove(file);
                }
            }
            "apply" | "am"
                if !has(&[
                    "--check",
                    "--stat",
                    "--numstat",
                    "--summary",
                    "--abort",
                    "--cached",
                ]) =>
            {
                self.patched(line);
            }
            _ => {}
        }
    }

    /// A patch that stands in the line itself names its files.
    fn patched(&mut self, line: &str) {
        let before = self.found.changed.len() + self.found.removed.len();
        for part in line.lines().map(str::trim_end) {
            let file = part
                .strip_prefix("+++ b/")
                .or_else(|| part.strip_prefix("*** Update File: "))
                .or_else(|| part.strip_prefix("*** Add File: "));
            if let Some(file) = file {
                self.change(file);
            } else if let Some(file) = part.strip_prefix("*** Delete File: ") {
                self.remove(file);
            }
        }
        self.found.unnamed |= self.found.changed.len() + self.found.removed.len() == before;
    }

    /// A script in the line itself that writes files.
    fn scripted(&mut self, line: &str) {
        let writes = [
            ".write_text(",
            ".write_bytes(",
            "writeFile",
            "File.write(",
            "Bun.write(",
        ];
        let mut wrote = writes.iter().any(|call| line.contains(call));
        for (at, _) in line.match_indices("open(") {
            let call = line[at + 5..].lines().next().unwrap_or_default();
            let mut quoted = call.split(['"', '\'']);
            let (Some(_), Some(file), Some(between), Some(mode)) =
                (quoted.next(), quoted.next(), quoted.next(), quoted.next())
            else {
                continue;
            };
            let opens = matches!(between.trim(), "," | ", mode=" | ",mode=");
            if opens && (mode.starts_with(['w', 'a', 'x']) || mode.starts_with("r+")) {
                self.change(file);
                wrote = false;
            }
        }
        self.found.unnamed |= wrote;
    }

    fn move_files(&mut self, words: &[&str], leaves: Leaves) {
        let Some((&target, sources)) = words.split_last() else {
            return;
        };
        for source in sources {
            if leaves == Leaves::Nothing {
                self.remove(source);
            }
            let name = source.rsplit('/').next().unwrap_or(source);
            if target.ends_with('/') || sources.len() > 1 {
                self.change(&format!("{}/{name}", target.trim_end_matches('/')));
            } else {
                self.change(target);
            }
        }
    }

    /// Files of an edit in place; what is not named by its name is changed all the same.
    fn change_all<'w>(&mut self, files: impl Iterator<Item = &'w String>) {
        let mut any = false;
        for file in files {
            any = true;
            if is_pattern(file) {
                self.found.unnamed = true;
            } else {
                self.change(file);
            }
        }
        self.found.unnamed |= !any;
    }

    fn change_named<'w>(&mut self, files: impl Iterator<Item = &'w String>) {
        for file in files {
            self.change(file);
        }
    }

    fn change(&mut self, file: &str) {
        if let Some(path) = self.path(file)
            && !self.found.changed.contains(&path)
        {
            self.found.changed.push(path);
        }
    }

    fn remove(&mut self, file: &str) {
        // Folders are cleaned up, files are edited away.
        let named = file
            .rsplit('/')
            .next()
            .is_some_and(|name| name.contains('.'));
        if let Some(path) = self.path(file).filter(|_| named)
            && !self.found.removed.contains(&path)
        {
            self.found.removed.push(path);
        }
    }

    /// A file of the project whose content is work.
    fn path(&self, word: &str) -> Option<ProjectPath> {
        if is_pattern(word) {
            return None;
        }
        let path = self.walk.path(word)?;
        let path = path.as_str();
        let name = path.rsplit('/').next().unwrap_or(path);
        let scratch = path.starts_with("tmp/")
            || name.rsplit_once('.').is_some_and(|(_, ending)| {
                matches!(
                    ending,
                    "log" | "out" | "tmp" | "pid" | "bak" | "orig" | "patch" | "diff"
                )
            });
        (!scratch && !paths::is_generated(path)).then(|| ProjectPath::new(path).ok())?
    }
}

/// Whether a command only shows what is there: put into a file of notes it is something to look at, and no work.
fn is_listing(words: &[String]) -> bool {
    let program = words[0].rsplit('/').next().unwrap_or(&words[0]);
    match program {
        "rg" | "ls" | "find" | "fd" | "tree" | "du" | "wc" | "ps" | "curl" => true,
        "grep" => !words.iter().any(|word| {
            let short = word.starts_with('-') && !word.starts_with("--");
            short && word.contains('v') || word == "--invert-match"
        }),
        "git" => words.get(1).is_some_and(|verb| {
            matches!(verb.as_str(), "log" | "diff" | "status" | "blame" | "grep")
        }),
        _ => false,
    }
}

fn is_notes(file: &str) -> bool {
    let ending = file.rsplit_once('.').map(|(_, ending)| ending);
    !file.contains('/') && matches!(ending, Some("txt" | "html"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaves {
    Source,
    Nothing,
}

fn is_in_place(word: &str) -> bool {
    word.starts_with("-i")
        || (word.starts_with("-p") || word.starts_with("-n")) && word.contains('i')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> String {
        let Some(writes) = writes(line, Begun::at("/home/dev/shop")) else {
            return String::new();
        };
        let names = |mark: &str, files: &[ProjectPath]| -> Vec<String> {
            files.iter().map(|file| format!("{mark}{file}")).collect()
        };
        let mut parts = names("", &writes.changed);
        parts.extend(names("-", &writes.removed));
        if writes.unnamed {
            parts.push("?".to_owned());
        }
        if !writes.after_checks {
            parts.push("then checked".to_owned());
        }
        parts.join(" ")
    }

    #[test]
    fn edits_in_the_shell_are_edits() {
        let cases = [
            ("sed -i 's/a/b/' src/b.c src/c.c", "src/b.c src/c.c"),
            ("sed -i '' -e 's/a/b/' -e 's/c/d/' src/b.c", "src/b.c"),
            (
                "sed -i.bak s/a/b/ src/b.c && make test",
                "src/b.c then checked",
            ),
            ("make test && sed -i s/a/b/ src/b.c", "src/b.c"),
            ("sed -i s/a/b/ src/*.c", "?"),
            ("grep -rl x src | xargs sed -i s/x/y/", "?"),
            ("find . -name '*.c' -exec sed -i s/x/y/ {} +", "?"),
            ("perl -pi -e 's/a/b/' src/e.c", "src/e.c"),
            ("perl -i -pe 's/a/b/' src/e.c", "src/e.c"),
            ("cat > src/c.c <<'EOF'\nint x;\nEOF", "src/c.c"),
            (
                "cat <<EOF >> 'docs/a b.md'\nx\nEOF\nmake",
                "docs/a b.md then checked",
            ),
            ("cd web && echo x > src/a.ts", "web/src/a.ts"),
            ("cd /home/dev/shop/web && echo x > ../src/a.ts", "src/a.ts"),
            ("cd .claude/worktrees/fix && echo x > src/a.ts", "src/a.ts"),
            ("echo x | tee -a src/d.c", "src/d.c"),
            ("git mv src/a.c src/z.c", "src/z.c -src/a.c"),
            ("mv a.json b.json", "b.json -a.json"),
            (
                "mv src/a.c src/b.c lib/",
                "lib/a.c lib/b.c -src/a.c -src/b.c",
            ),
            ("cp config.example.toml config.toml", "config.toml"),
            ("rm -f src/a.c", "-src/a.c"),
            ("git apply fix.patch", "?"),
            (
                "git apply <<'E'\n--- a/src/q.c\n+++ b/src/q.c\n@@\nE",
                "src/q.c",
            ),
            ("patch -p1 < fix.diff", "?"),
            (
                "python3 - <<'E'\nopen('src/f.c','w').write('x')\nE",
                "src/f.c",
            ),
            (
                "python3 -c \"from pathlib import Path; Path('a.py').write_text('x')\"",
                "?",
            ),
            (
                "node -e \"require('fs').writeFileSync('a.json', '{}')\"",
                "?",
            ),
            ("echo x > /home/dev/shop/Makefile", "Makefile"),
            ("jq .a package.json > package.new.json", "package.new.json"),
        ];
        for (line, expected) in cases {
            assert_eq!(told(line), expected, "{line}");
        }
    }

    #[test]
    fn looking_and_cleaning_up_are_none() {
        for line in [
            "cargo test > out.txt 2>&1",
            "make > build.log",
            "cargo build 2> errors.txt",
            "ls 2>/dev/null",
            "echo x > /tmp/a.c",
            "echo done >&2",
            "cat src/a.c | sed -n 1,20p",
            "sed 's/a/b/' src/a.c",
            "rm -rf target node_modules dist/app.js",
            "rm -rf src/old",
            "cd /tmp && echo x > a.c",
            "cd ../other && sed -i s/a/b/ a.c",
            "git apply --check fix.patch",
            "python3 -c \"print(open('a.py').read())\"",
            "python3 -c \"print(open('a.py').read() + 'r+')\"",
            "rg -n foo > matches.txt",
            "git log --oneline > history.txt",
            "curl -s https://example.org > page.html",
            "grep -n 'a > b' src/a.c",
            "git diff > fix.patch",
            "diff <(ls a) <(ls b)",
            "cp src/a.c /tmp/a.c",
            "perl -ne 'print' src/a.c",
        ] {
            assert_eq!(told(line), "", "{line}");
        }
    }
}
