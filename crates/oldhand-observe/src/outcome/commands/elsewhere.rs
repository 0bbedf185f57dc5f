//! Which commands of a line run outside of the project: what they check or commit is another's.

use super::whole::home_of;
use crate::outcome::shell::{Simple, commands};
use crate::paths::{below, is_absolute};

/// Where clients keep checkouts of all projects.
const WORKTREES: [&str; 3] = [
    "/.codex/worktrees/",
    "/.claude/worktrees/",
    "/.cursor/worktrees/",
];

/// For each command of a line, whether it surely runs outside of the project at `root`, where the line began in `folder` of it. What is
/// not known, such as a folder in a variable, is taken for the project; so are the folders above it, for a session may begin in a part.
pub(crate) fn elsewhere(line: &str, root: &str, folder: &str) -> Vec<bool> {
    let run = commands(line);
    let root = slashed(root);
    if !is_absolute(&root) {
        return vec![false; run.len()];
    }
    let begun = straight(&format!("{root}/{folder}"));
    let (mut here, mut last) = (Some(begun.clone()), Some(begun));
    // A script of its own leaves everything as it was.
    let mut before: Vec<(usize, Option<String>)> = Vec::new();
    let mut found = Vec::with_capacity(run.len());
    for simple in &run {
        let same = before.iter().zip(&simple.within);
        let same = same.take_while(|((one, _), two)| one == *two).count();
        if let Some((_, outside)) = before.drain(same..).next() {
            here = outside;
        }
        let entered = simple.within[same..].iter();
        before.extend(entered.map(|script| (*script, here.clone())));
        if matches!(simple.words[0].as_str(), "cd" | "pushd" | "popd") {
            let to = match simple.words.get(1).map(String::as_str) {
                Some("-") => last.clone(),
                Some(to) if simple.words.len() == 2 => leads(to, here.as_deref(), &root),
                _ if simple.words[0] == "popd" => last.clone(),
                _ => None,
            };
            last = std::mem::replace(&mut here, to);
        }
        let is_away = |path: &str| is_away(path, &root);
        found.push(here.as_deref().is_some_and(is_away) || is_sent(simple, here.as_deref(), &root));
    }
    found
}

/// The whole path that a word names, coming from `here`.
fn leads(to: &str, here: Option<&str>, root: &str) -> Option<String> {
    let to = match to.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            format!("{}{rest}", home_of(root)?)
        }
        _ => slashed(to),
    };
    if to.is_empty() || to.contains(['$', '`', '*', '?', '{', '~']) {
        return None;
    }
    if is_absolute(&to) {
        return Some(straight(&to));
    }
    Some(straight(&format!("{}/{to}", here?)))
}

/// Whether a folder is neither in the project nor above it.
fn is_away(path: &str, root: &str) -> bool {
    // macOS shows one folder under two names.
    let bare = |path: &str| path.strip_prefix("/private").unwrap_or(path).to_owned();
    let (path, root) = (bare(path), bare(root));
    let is_checkout = WORKTREES.iter().any(|folder| path.contains(folder));
    below(&path, &root).is_none() && below(&root, &path).is_none() && path != "/" && !is_checkout
}

/// Whether a command is told to work in a folder outside of the project, or on nothing but files there.
fn is_sent(simple: &Simple, here: Option<&str>, root: &str) -> bool {
    let program = simple.words[0].rsplit(['/', '\\']).next().unwrap_or("");
    let is_away = |word: &str| leads(word, here, root).is_some_and(|path| is_away(&path, root));
    let options = place_options(program);
    let rest = &simple.words[1..];
    let named = rest.iter().enumerate().find_map(|(at, word)| {
        if options.contains(&word.as_str()) {
            return rest.get(at + 1).map(String::as_str);
        }
        let long = word
            .split_once('=')
            .filter(|(name, _)| options.contains(name));
        // `make -C/srv/other`
        let short = word.strip_prefix("-C").filter(|_| options.contains(&"-C"));
        long.map(|(_, value)| value).or(short)
    });
    if let Some(named) = named {
        return is_away(named);
    }
    let files = files_of(program, rest);
    !files.is_empty() && files.iter().all(|file| is_away(file))
}

/// The options of a program that say in which folder, or by which manifest, it works.
fn place_options(program: &str) -> &'static [&'static str] {
    match program {
        "make" | "gmake" => &["-C", "--directory"],
        "git" => &["-C", "--work-tree"],
        "go" => &["-C"],
        "cargo" => &["-C", "--manifest-path"],
        "npm" | "pnpm" | "yarn" | "bun" => &["--prefix", "-C", "--dir", "--cwd"],
        "just" => &["-d", "--working-directory", "-f", "--justfile"],
        "task" => &["-d", "--dir", "-t", "--taskfile"],
        "mise" => &["-C", "--cd"],
        "mvn" | "mvnw" => &["-f", "--file"],
        "gradle" | "gradlew" => &["-p", "--project-dir"],
        "composer" => &["-d", "--working-dir"],
        "swift" => &["--package-path"],
        "terraform" | "tofu" => &["-chdir"],
        "pytest" | "py.test" => &["--rootdir"],
        "jest" => &["--rootDir"],
        "vitest" => &["--root", "--dir"],
        "tsc" | "vue-tsc" => &["-p", "--project"],
        "tox" => &["-c", "--root"],
        _ => &[],
    }
}

/// The files and folders that a program was given to check. What may be the value of an option is none.
fn files_of<'a>(program: &str, rest: &'a [String]) -> Vec<&'a str> {
    let takes_files = matches!(
        program,
        "pytest"
            | "py.test"
            | "python"
            | "python3"
            | "jest"
            | "vitest"
            | "mocha"
            | "rspec"
            | "phpunit"
            | "pest"
            | "bats"
            | "go"
            | "dotnet"
            | "eslint"
            | "ruff"
            | "mypy"
            | "pyright"
            | "flake8"
            | "pylint"
            | "shellcheck"
            | "rubocop"
            | "black"
            | "prettier"
            | "biome"
    );
    let has_verb = matches!(program, "go" | "ruff" | "biome" | "dotnet");
    let mut files = Vec::new();
    let mut is_value = has_verb;
    for word in rest.iter().filter(|_| takes_files) {
        if !word.starts_with('-') {
            if !is_value {
                files.push(word.as_str());
            }
            is_value = false;
        } else if !files.is_empty() || !has_verb {
            is_value = !word.contains('=') && !is_switch(word);
        }
    }
    files
}

/// Whether an option takes no value.
fn is_switch(option: &str) -> bool {
    const LONG: [&str; 6] = [
        "--verbose",
        "--quiet",
        "--fix",
        "--check",
        "--strict",
        "--no-cov",
    ];
    let letters = option.trim_start_matches('-');
    LONG.contains(&option)
        || !option.starts_with("--") && letters.chars().all(|letter| "qxvslr".contains(letter))
}

fn slashed(path: &str) -> String {
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    let path = if is_drive {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    };
    if path.len() > 1 {
        path.trim_end_matches('/').to_owned()
    } else {
        path
    }
}

/// A whole path without steps that lead nowhere or back.
fn straight(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/').skip(usize::from(path.starts_with('/'))) {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    let start = if path.starts_with('/') { "/" } else { "" };
    format!("{start}{}", steps.join("/"))
}

#[test]
fn a_command_runs_elsewhere_where_it_is_sent_out_of_the_project() {
    let last = |line: &str| elsewhere(line, "/home/dev/shop", "").pop().unwrap();
    for line in [
        "cd /srv/other && npm test",
        "cd ../other && npm test",
        "cd ~/other && npm test",
        "(cd /srv/other && npm test)",
        "bash -c 'cd /srv/other && npm test'",
        "make -C /srv/other test",
        "make -C/srv/other test",
        "make --directory=/srv/other test",
        "npm --prefix /srv/other test",
        "npm test --prefix=../other",
        "yarn --cwd /srv/other test",
        "git -C /srv/other commit -m x",
        "cargo test --manifest-path /srv/other/Cargo.toml",
        "pytest -q /srv/other",
        "python -m pytest ../other/tests",
        "ruff check /srv/other",
        "go -C /srv/other test ./...",
        "./gradlew -p /srv/other test",
        "cd /home/dev/shop-two && npm test",
    ] {
        assert!(last(line), "{line}");
    }
    for line in [
        "npm test",
        "cd web && npm test",
        "cd /home/dev/shop/web && npm test",
        "cd ~/shop && npm test",
        "cd /srv/other && npm test; cd - && npm test",
        "pushd /srv/other && make; popd && npm test",
        "bash -c 'cd /srv/other && make' && npm test",
        "cd \"$ROOT\" && npm test",
        "cd .. && npm test",
        "make -C web test",
        "npm --prefix web test",
        "git -C web commit -m x",
        "cargo test --manifest-path web/Cargo.toml",
        "pytest tests /srv/other/tests",
        "pytest --junitxml /tmp/out.xml",
        "pytest -c /etc/pytest.ini tests/a.py",
        "go test example.com/shop/...",
        "cmake --build /tmp/build",
        "ctest --test-dir /tmp/build",
        "/opt/venv/bin/pytest tests",
        "cd /home/dev/.codex/worktrees/ab12/shop && npm test",
    ] {
        assert!(!last(line), "{line}");
    }
    let in_part = |line: &str| elsewhere(line, "/home/dev/shop", "web").pop().unwrap();
    assert!(in_part("cd ../../other && npm test") && !in_part("cd ../api && npm test"));
    let unknown = elsewhere("cd /srv/other && npm test", "", "");
    assert_eq!(
        unknown,
        [false, false],
        "where the project lies is not known"
    );
    let drive = elsewhere("cd D:/other && npm test", "C:\\dev\\shop", "");
    assert_eq!(drive, [true, true]);
}
