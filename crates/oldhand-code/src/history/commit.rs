//! One commit as plain data, whoever read it, and what its message says about it.

/// One commit, compared with its first parent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    pub id: String,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    pub author: String,
    pub message: String,
    pub parents: usize,
    pub changes: Vec<Change>,
    /// How many files changed in truth; more than `changes` when whoever listed them cut the list short.
    pub changed_files: usize,
}

/// One file in one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub path: String,
    pub kind: ChangeKind,
    /// Hashes of the content before and after; `None` when there is none or it is not known.
    pub before: Option<u64>,
    pub after: Option<u64>,
    /// Which lines came and went; read only where it is needed, so mostly absent.
    pub lines: Option<LineChange>,
}

impl Change {
    pub fn new(path: impl Into<String>, kind: ChangeKind) -> Self {
        Self {
            path: path.into(),
            kind,
            before: None,
            after: None,
            lines: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    Renamed { from: String },
}

/// Hashes of the lines that one change brought and took. A line that only moved, or that has only another version in it, is in neither.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineChange {
    pub added: Vec<u32>,
    pub removed: Vec<u32>,
    /// Nothing but versions is different.
    pub is_bump: bool,
}

/// One thing a commit can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    Merge = 1,
    /// More files than one thought touches; says nothing about which belong together.
    Sweep = 2,
    /// Written by a program that keeps versions or formatting up to date.
    Automatic = 4,
    Fix = 8,
    Revert = 16,
    /// Gives the project a new version.
    Release = 32,
    /// Says that it formats, and touches many files: a sweep however many are usual.
    Formatting = 64,
}

/// What a commit is, as far as its shape and message tell: a set of [`Trait`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nature(pub(super) u8);

/// Above this many files a commit no longer says what belongs together.
pub(super) const SWEEP_FILES: usize = 30;
/// A commit that says it formats is a sweep from here on.
const FORMATTING_FILES: usize = 8;

impl Nature {
    pub fn of(commit: &Commit) -> Self {
        let subject = commit
            .message
            .lines()
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let files = commit.changed_files.max(commit.changes.len());
        let formats = says_any(&subject, FORMATTING) && files >= FORMATTING_FILES;
        let author = commit.author.to_lowercase();
        let automatic = ["[bot]", "dependabot", "renovate", "github-actions"];
        let reverts = reverted_id(&commit.message).is_some() || subject.starts_with("revert");
        let traits = [
            (Trait::Merge, commit.parents > 1),
            (Trait::Sweep, files > SWEEP_FILES || formats),
            (
                Trait::Automatic,
                automatic.iter().any(|name| author.contains(name)),
            ),
            (Trait::Fix, says_fix(&subject, &commit.message)),
            (Trait::Revert, reverts),
            (Trait::Release, says_release(&subject)),
            (Trait::Formatting, formats),
        ];
        let held = traits.iter().filter(|(_, holds)| *holds);
        Self(held.fold(0, |set, (one, _)| set | *one as u8))
    }

    pub fn is(self, one: Trait) -> bool {
        self.0 & one as u8 != 0
    }
}

/// The commit that this message says it takes back.
pub fn reverted_id(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("This reverts commit ")?;
    let end = rest
        .find(|c: char| !c.is_ascii_hexdigit())
        .unwrap_or(rest.len());
    (end >= 7).then(|| &rest[..end])
}

const FORMATTING: &[&str] = &[
    "format",
    "formatting",
    "reformat",
    "fmt",
    "rustfmt",
    "gofmt",
    "prettier",
    "black",
    "isort",
    "lint",
    "whitespace",
    "indentation",
    "clippy",
    "eslint",
    "pyupgrade",
    "license",
];
const FIXING: &[&str] = &[
    "fix",
    "fixes",
    "fixed",
    "fixing",
    "bugfix",
    "hotfix",
    "bug",
    "regression",
    "crash",
    "repair",
    "broken",
];
/// A mended spelling or a mended build is not a mended bug.
const NOT_A_BUG: &[&str] = &[
    "typo",
    "typos",
    "spelling",
    "lint",
    "format",
    "docs",
    "doc",
    "changelog",
    "grammar",
];

fn says_fix(subject: &str, message: &str) -> bool {
    if says_any(subject, NOT_A_BUG) {
        return false;
    }
    let closes_an_issue = || {
        let lower = message.to_lowercase();
        ["fixes #", "fixed #", "fix #"]
            .iter()
            .any(|phrase| lower.contains(phrase))
    };
    says_any(subject, FIXING) || closes_an_issue()
}

/// Whether a subject is of a new version and nothing else: `chore(main): release 1.4.0`, `Bump version to 2.0`, `v1.2.3`.
fn says_release(subject: &str) -> bool {
    const RELEASING: &[&str] = &[
        "release",
        "releasing",
        "bump version",
        "bump the version",
        "version packages",
        "version bump",
        "prepare release",
    ];
    let kind = subject.split_once(": ").filter(|(kind, _)| {
        let plain = |c: char| c.is_alphanumeric() || "()-_/!".contains(c);
        kind.chars().all(plain)
    });
    let said = kind.map_or(subject, |(_, said)| said).trim();
    let is_version = |word: &str| {
        let number = word.trim_start_matches('v');
        number.starts_with(|c: char| c.is_ascii_digit()) && number.contains('.')
    };
    let tells = RELEASING.iter().any(|start| {
        let rest = said.strip_prefix(start);
        let rest = rest.filter(|rest| !rest.starts_with(char::is_alphanumeric));
        rest.is_some_and(|rest| {
            let mut words = rest.split_whitespace();
            rest.is_empty() || words.any(is_version) || *start == "version packages"
        })
    });
    let mut words = said.split_whitespace();
    tells || words.next().is_some_and(is_version) && words.next().is_none()
}

fn says_any(subject: &str, words: &[&str]) -> bool {
    subject
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| words.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nature(author: &str, message: &str, files: usize) -> Nature {
        Nature::of(&Commit {
            author: author.to_owned(),
            message: message.to_owned(),
            parents: 1,
            changed_files: files,
            ..Commit::default()
        })
    }

    #[test]
    fn a_release_is_told_from_work_on_releases() {
        for (message, is_release) in [
            ("chore: release v1.2.3", true),
            ("chore(main): release 1.4.0", true),
            ("Release 2.0.0-rc.1", true),
            ("v0.3.1", true),
            ("Bump version to 0.4.0", true),
            ("Version Packages (#12)", true),
            ("release", true),
            ("release the lock before waiting", false),
            ("ci: release notes are written by a script", false),
            ("Releases are signed", false),
            ("bump serde to 1.0.200", false),
        ] {
            let said = nature("Ada", message, 2);
            assert_eq!(said.is(Trait::Release), is_release, "{message}");
        }
    }

    #[test]
    fn a_fix_says_so_and_a_mended_spelling_is_none() {
        for (message, is_fix) in [
            ("fix(auth): refuse empty tokens", true),
            ("Router: keep params\n\nFixes #123", true),
            ("Repair broken redirect", true),
            ("Fix typo in readme", false),
            ("docs: fix link", false),
            ("prefix the names", false),
            ("Add a fixture", false),
        ] {
            assert_eq!(
                nature("Ada", message, 2).is(Trait::Fix),
                is_fix,
                "{message}"
            );
        }
    }

    #[test]
    fn many_files_or_a_formatter_make_a_sweep() {
        assert!(nature("Ada", "Rename everything", 31).is(Trait::Sweep));
        assert!(!nature("Ada", "Rename everything", 30).is(Trait::Sweep));
        assert!(!nature("Ada", "Rename everything", 31).is(Trait::Formatting));
        assert!(nature("Ada", "run prettier", 12).is(Trait::Sweep));
        assert!(nature("Ada", "run prettier", 12).is(Trait::Formatting));
        assert!(!nature("Ada", "format one file", 1).is(Trait::Sweep));
    }

    #[test]
    fn programs_are_known_by_name() {
        assert!(nature("dependabot[bot]", "bump serde", 2).is(Trait::Automatic));
        assert!(!nature("Ada Bothwell", "bump serde", 2).is(Trait::Automatic));
    }

    #[test]
    fn a_revert_names_what_it_takes_back() {
        let message = "Revert \"Cache it\"\n\nThis reverts commit 0123456789abcdef.\n";
        assert_eq!(reverted_id(message), Some("0123456789abcdef"));
        assert!(nature("Ada", message, 1).is(Trait::Revert));
        assert_eq!(reverted_id("This reverts commit to the old way"), None);
    }
}
