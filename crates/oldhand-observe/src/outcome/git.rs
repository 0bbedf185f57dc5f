//! What a git command did to the work: kept it, took it back, or put it aside.

use super::commands::check_of;
use super::shell::commands;

/// One git command that matters for whether the work stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitAct {
    pub verb: GitVerb,
    pub reach: Reach,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GitVerb {
    Commit,
    /// A commit that says itself that the work is not done.
    Draft,
    /// A commit is undone by another.
    Revert,
    /// Files go back to what they were: `restore`, `checkout --`, `reset --hard`, `clean`.
    Restore,
    Stash,
    /// What was put aside comes back.
    Unstash,
    /// Commits are taken back, files stay: `reset` without `--hard`.
    Reset,
}

impl GitVerb {
    /// Whether the work is in a commit after it, done or not.
    pub fn commits(self) -> bool {
        matches!(self, Self::Commit | Self::Draft)
    }
}

/// Which files it reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    Everything,
    /// As written, relative to where the command ran.
    Files(Vec<String>),
    /// `git checkout a b`: files, or a revision and files, or a branch; only who knows the files can tell.
    Perhaps(Vec<String>),
}

impl GitAct {
    /// Whether the act takes edits of this file away.
    pub fn takes_back(&self, path: &str) -> bool {
        if !matches!(self.verb, GitVerb::Restore | GitVerb::Stash) {
            return false;
        }
        match &self.reach {
            Reach::Everything => true,
            Reach::Files(files) => files.iter().any(|file| covers(file, path)),
            Reach::Perhaps(_) => false,
        }
    }

    /// The act as it was meant where these files had been edited; `None` when it was about none of them.
    #[must_use]
    pub fn among(mut self, edited: &[&str]) -> Option<Self> {
        let Reach::Perhaps(words) = self.reach else {
            return Some(self);
        };
        let is_file = |word: &String| edited.iter().any(|path| names(word, path));
        let files = match words.split_first() {
            Some((revision, files)) if !files.is_empty() && !is_file(revision) => files,
            _ => &words,
        };
        // Beside an edited file another may stand that was not.
        let about_files = files
            .iter()
            .all(|word| is_file(word) || looks_like_a_file(word));
        if !about_files || !files.iter().any(is_file) {
            return None;
        }
        self.reach = Reach::Files(files.to_vec());
        Some(self)
    }
}

/// Branches and tags have no ending, but versions have dots.
fn looks_like_a_file(word: &str) -> bool {
    word == "." || word.contains('.') && !word.contains("..") && !word.starts_with('v')
}

/// Whether a word that may be a branch is rather this file, or a folder above it.
fn names(word: &str, path: &str) -> bool {
    let word = word.trim_start_matches("./").trim_end_matches('/');
    let above = path
        .strip_prefix(word)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    above || word.contains('.') && covers(word, path)
}

/// Whether a path argument names `path`, being it, a folder above it, or its end when run deeper.
fn covers(argument: &str, path: &str) -> bool {
    let argument = argument.trim_start_matches("./").trim_end_matches('/');
    let below = |whole: &str, part: &str| {
        whole
            .strip_prefix(part)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    argument == path
        || below(path, argument)
        || path
            .strip_suffix(argument)
            .is_some_and(|rest| rest.ends_with('/'))
        || argument
            .strip_suffix(path)
            .is_some_and(|rest| rest.ends_with('/'))
}

/// The name of the commit that `git commit` tells of: `[main 1a2b3c4] message`.
pub fn committed(output: &str) -> Option<String> {
    output.lines().find_map(|line| {
        let (head, _) = line.trim_start().strip_prefix('[')?.split_once(']')?;
        let sha = head.rsplit(' ').next()?;
        let hex = sha.bytes().all(|byte| byte.is_ascii_hexdigit());
        (hex && (7..=64).contains(&sha.len())).then(|| sha.to_owned())
    })
}

/// The git acts of a command line.
pub fn acts(line: &str) -> Vec<GitAct> {
    acts_here(line, &[])
}

/// Those of them that are not done in another project, as `elsewhere` says of each command of the line.
pub(crate) fn acts_here(line: &str, elsewhere: &[bool]) -> Vec<GitAct> {
    if !line.contains("git") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (at, simple) in commands(line).into_iter().enumerate() {
        if elsewhere.get(at) == Some(&true) {
            continue;
        }
        let Some(act) = act(&simple.words) else {
            continue;
        };
        // `reset --hard HEAD~1` takes the commit back and its files with it.
        let goes_back = |word: &String| word.contains('~') || word.contains('^');
        if act.verb == GitVerb::Restore
            && simple.words.iter().any(|word| word == "reset")
            && simple.words.iter().any(goes_back)
        {
            found.push(GitAct {
                verb: GitVerb::Reset,
                reach: Reach::Everything,
            });
        }
        found.push(act);
    }
    found
}

fn act(words: &[String]) -> Option<GitAct> {
    if words.first()?.rsplit('/').next()? != "git" {
        return None;
    }
    let mut rest = &words[1..];
    while let Some(word) = rest.first().filter(|word| word.starts_with('-')) {
        let step = if matches!(word.as_str(), "-C" | "-c" | "--git-dir" | "--work-tree") {
            2
        } else {
            1
        };
        rest = rest.get(step..)?;
    }
    let verb = rest.first()?.as_str();
    let rest = &rest[1..];
    let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(&word.as_str()));
    let found = |verb, reach| Some(GitAct { verb, reach });
    match verb {
        "commit" if has(&["--dry-run", "--help"]) => None,
        "commit" if says_undone(rest) => found(GitVerb::Draft, Reach::Everything),
        "commit" => found(GitVerb::Commit, Reach::Everything),
        "revert" if !has(&["--abort", "--quit", "--help"]) => {
            found(GitVerb::Revert, Reach::Everything)
        }
        "restore" => {
            // Only the index changes; the files stay as they are.
            if has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]) {
                return None;
            }
            found(GitVerb::Restore, reach(rest, &["--source", "-s"]))
        }
        "checkout" => {
            let at = rest.iter().position(|word| word == "--");
            if let Some(at) = at {
                return found(GitVerb::Restore, reach(&rest[at + 1..], &[]));
            }
            let plain: Vec<&String> = rest.iter().filter(|word| !word.starts_with('-')).collect();
            match plain.as_slice() {
                _ if has(&["-b", "-B", "-t", "--track", "--orphan", "-d", "--detach"]) => None,
                [only] if looks_like_a_file(only) => found(GitVerb::Restore, reach(rest, &[])),
                [] => None,
                words => {
                    let words = words.iter().map(|word| (*word).clone()).collect();
                    found(GitVerb::Restore, Reach::Perhaps(words))
                }
            }
        }
        "reset" if has(&["--hard", "--merge"]) => found(GitVerb::Restore, Reach::Everything),
        "reset" => {
            let plain = rest.iter().filter(|word| !word.starts_with('-'));
            let back = plain
                .clone()
                .any(|word| word.contains('~') || word.contains('^'));
            (back || has(&["--soft", "--mixed"])).then_some(GitAct {
                verb: GitVerb::Reset,
                reach: Reach::Everything,
            })
        }
        "clean"
            if rest.iter().any(|word| {
                word.starts_with('-')
                    && !word.starts_with("--")
                    && word.contains('f')
                    && !word.contains('n')
            }) =>
        {
            found(GitVerb::Restore, Reach::Everything)
        }
        "stash" => match rest
            .iter()
            .map(String::as_str)
            .find(|word| !word.starts_with('-'))
        {
            None | Some("push" | "save") => found(GitVerb::Stash, Reach::Everything),
            Some("pop" | "apply") => found(GitVerb::Unstash, Reach::Everything),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a line makes a commit without asking the hooks.
pub(crate) fn skips_hooks(line: &str) -> bool {
    let mut exported = false;
    for simple in commands(line) {
        if simple.words[0] == "export" {
            exported |= simple.words.iter().any(|word| silences_hooks(word));
        } else if act(&simple.words).is_some_and(|act| act.verb.commits())
            && (exported
                || simple.wrapping.iter().any(|word| silences_hooks(word))
                || asks_no_hooks(&simple.words))
        {
            return true;
        }
    }
    false
}

/// Whether an assignment tells the programs that run hooks to leave some or all of them out.
fn silences_hooks(word: &str) -> bool {
    match word.split_once('=') {
        Some(("HUSKY" | "LEFTHOOK", value)) => matches!(value, "0" | "false"),
        Some(("SKIP", hooks)) => !hooks.is_empty(),
        _ => false,
    }
}

/// Whether `git commit` is told to ask no hooks: `--no-verify`, or an `n` among the letters of one word.
fn asks_no_hooks(words: &[String]) -> bool {
    /// What follows them, in the same word or the next, is their value.
    const WITH_VALUE: [char; 5] = ['m', 'F', 'C', 'c', 't'];
    /// What follows them in the same word is their value.
    const WITH_REST: [char; 2] = ['u', 'S'];
    let at = words.iter().position(|word| word == "commit");
    let mut rest = words[at.map_or(words.len(), |at| at + 1)..].iter();
    while let Some(word) = rest.next().filter(|word| *word != "--") {
        if word == "--no-verify" {
            return true;
        }
        let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
            continue;
        };
        let value = letters.find(|c| WITH_VALUE.contains(&c) || WITH_REST.contains(&c));
        if letters[..value.unwrap_or(letters.len())].contains('n') {
            return true;
        }
        if letters.ends_with(WITH_VALUE) && value == Some(letters.len() - 1) {
            rest.next();
        }
    }
    false
}

/// Whether the message of a commit says that the work goes on.
fn says_undone(words: &[String]) -> bool {
    let is_flag = |word: &str| {
        word == "--message"
            || word.starts_with('-') && !word.starts_with("--") && word.ends_with('m')
    };
    let behind = words.windows(2).find(|pair| is_flag(&pair[0]));
    let joined = words
        .iter()
        .find_map(|word| word.strip_prefix("--message="));
    let Some(message) = behind.map(|pair| pair[1].as_str()).or(joined) else {
        return false;
    };
    let lower = message.trim_start_matches(['[', '(', ' ']).to_lowercase();
    ["wip", "work in progress", "broken"].iter().any(|mark| {
        let rest = lower.strip_prefix(mark);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

/// Whether a line checks a tree from which the work was put aside: before it, or by the line itself.
pub(crate) fn checks_without_work(line: &str, put_aside: bool) -> bool {
    let mut away = put_aside;
    for simple in commands(line) {
        match act(&simple.words).map(|act| act.verb) {
            Some(GitVerb::Stash) => away = true,
            Some(GitVerb::Unstash) => away = false,
            _ if away && check_of(&simple.words).is_some() => return true,
            _ => {}
        }
    }
    false
}

fn reach(words: &[String], with_value: &[&str]) -> Reach {
    let mut files = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if with_value.contains(&word.as_str()) {
            words.next();
        } else if word == "." || word == ":/" || word == "*" {
            return Reach::Everything;
        } else if !word.starts_with('-') {
            files.push(word.clone());
        }
    }
    if files.is_empty() {
        Reach::Everything
    } else {
        Reach::Files(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_tells_what_it_committed() {
        let told = "lint ok\n[main 1a2b3c4] Fix it\n 1 file changed";
        assert_eq!(committed(told).as_deref(), Some("1a2b3c4"));
        let root = "[main (root-commit) 0123abc] Begin";
        assert_eq!(committed(root).as_deref(), Some("0123abc"));
        for output in ["[INFO] compiled", "nothing to commit", "[1/2] cafe"] {
            assert_eq!(committed(output), None, "{output}");
        }
    }

    fn told(line: &str) -> String {
        let one = |act: &GitAct| match &act.reach {
            Reach::Everything => format!("{:?}", act.verb),
            Reach::Files(files) => format!("{:?}({})", act.verb, files.join(" ")),
            Reach::Perhaps(words) => format!("{:?}?({})", act.verb, words.join(" ")),
        };
        acts(line).iter().map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn acts_are_recognised() {
        let cases = [
            ("git add -A && git commit -m \"x\"", "Commit"),
            ("git -C web -c a=b commit --amend --no-edit", "Commit"),
            ("git revert --no-edit HEAD", "Revert"),
            (
                "git checkout -- src/a.rs src/b.rs",
                "Restore(src/a.rs src/b.rs)",
            ),
            ("git checkout src/a.rs", "Restore(src/a.rs)"),
            ("git checkout .", "Restore"),
            ("git restore .", "Restore"),
            ("git restore --source HEAD~1 src/a.rs", "Restore(src/a.rs)"),
            ("git reset --hard HEAD~1", "Reset, Restore"),
            ("git reset --hard", "Restore"),
            ("git reset --soft HEAD~1", "Reset"),
            ("git stash && git stash pop", "Stash, Unstash"),
            ("git clean -fd", "Restore"),
            ("git checkout -b feature", ""),
            ("git checkout main", "Restore?(main)"),
            ("git checkout HEAD a.rs b.rs", "Restore?(HEAD a.rs b.rs)"),
            ("git restore --staged a.rs", ""),
            ("git reset a.rs", ""),
            ("git stash list", ""),
            ("git status && git diff", ""),
            ("echo git commit", ""),
        ];
        for (line, expected) in cases {
            assert_eq!(told(line), expected, "{line}");
        }
    }

    #[test]
    fn a_commit_skips_the_hooks_however_it_is_told_to() {
        for line in [
            "git commit --no-verify -m x",
            "git commit -n -m x",
            "git commit -nm x",
            "git commit -anm x",
            "git commit -an -m x",
            "git commit -nam x",
            "git commit -m x -n",
            "git commit -am 'fix it' --no-verify",
            "git add -A && git -C web commit -anm x",
            "HUSKY=0 git commit -m x",
            "LEFTHOOK=0 git commit -m x",
            "SKIP=eslint,tests git commit -m x",
            "env SKIP=eslint git commit -m x",
            "export HUSKY=0 && git commit -m x",
        ] {
            assert!(skips_hooks(line), "{line}");
        }
        for line in [
            "git commit -am x",
            "git commit -m n",
            "git commit -mn",
            "git commit -amnow",
            "git commit -m -n",
            "git commit -am '--no-verify is gone'",
            "git commit -am --no-verify",
            "git commit -F notes -a",
            "git commit -Fnotes",
            "git commit -uno -m x",
            "git commit -m x -- -n",
            "git clean -n && git commit -m x",
            "HUSKY=1 git commit -m x",
            "SKIP= git commit -m x",
            "HUSKY=0 npm ci && git commit -m x",
        ] {
            assert!(!skips_hooks(line), "{line}");
        }
    }

    #[test]
    fn a_checkout_is_about_files_where_they_were_edited() {
        let edited = ["src/a.rs", "src/b.rs", "web/main.ts"];
        let meant = |line: &str| {
            let act = acts(line).remove(0).among(&edited)?;
            let taken = edited.iter().filter(|path| act.takes_back(path));
            Some(taken.copied().collect::<Vec<_>>().join(" "))
        };
        let cases = [
            ("git checkout src/a.rs src/b.rs", Some("src/a.rs src/b.rs")),
            ("git checkout HEAD src/a.rs", Some("src/a.rs")),
            ("git checkout HEAD~1 a.rs b.rs", Some("src/a.rs src/b.rs")),
            ("git checkout src", Some("src/a.rs src/b.rs")),
            ("git checkout ./src/", Some("src/a.rs src/b.rs")),
            (
                "git checkout src web",
                Some("src/a.rs src/b.rs web/main.ts"),
            ),
            ("git checkout main", None),
            ("git checkout feature", None),
            ("git checkout HEAD other.rs", None),
            ("git checkout HEAD src/a.rs other.rs", Some("src/a.rs")),
            ("git checkout src/a.rs feature", None),
        ];
        for (line, expected) in cases {
            assert_eq!(meant(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn an_act_reaches_files_however_they_are_written() {
        let act = acts("cd web && git checkout -- src/a.ts").remove(0);
        assert!(act.takes_back("web/src/a.ts") && act.takes_back("src/a.ts"));
        assert!(!act.takes_back("web/src/aa.ts") && !act.takes_back("other.ts"));
        assert!(
            acts("git restore src")
                .remove(0)
                .takes_back("src/deep/a.rs")
        );
        assert!(!acts("git commit -m x").remove(0).takes_back("src/a.rs"));
    }
}
