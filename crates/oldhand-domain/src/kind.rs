//! A kind of file, by where files lie and how they are called: `test/test-*.py`, `skills/*/SKILL.md`.

use std::fmt;

use crate::path::ProjectPath;

/// Files of one folder, or one in each of its folders, whose names begin and end alike.
///
/// At most one `*` stands for a folder, the last before the name, and at most one is in the name; there is one at least.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(String);

impl Kind {
    pub fn new(pattern: &str) -> Option<Self> {
        let (place, name) = pattern.rsplit_once('/')?;
        let folder = place.strip_suffix("/*").unwrap_or(place);
        let is_plain = ProjectPath::new(folder).is_ok_and(|path| path.as_str() == folder);
        let stars = |text: &str| text.matches('*').count();
        let is_kind = is_plain
            && stars(folder) == 0
            && (1..=2).contains(&stars(pattern))
            && stars(name) <= 1
            && !matches!(name, "" | "*")
            && !pattern.contains('`');
        is_kind.then(|| Self(pattern.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder below which its files lie.
    pub fn folder(&self) -> &str {
        let (place, _) = self.parts();
        place.strip_suffix("/*").unwrap_or(place)
    }

    /// What its files are called.
    pub fn name(&self) -> &str {
        self.parts().1
    }

    /// Whether each of its files lies in a folder of its own, or with others in one of several.
    pub fn is_deep(&self) -> bool {
        self.parts().0.ends_with("/*")
    }

    pub fn has(&self, path: &str) -> bool {
        let (place, _) = self.parts();
        let lies = path.rsplit_once('/').is_some_and(|(folder, _)| {
            match (place.strip_suffix("/*"), folder.rsplit_once('/')) {
                (Some(place), Some((above, _))) => place == above,
                (None, _) => place == folder,
                _ => false,
            }
        });
        lies && self.has_name(path)
    }

    /// Whether a file is called as those of this kind, wherever it lies.
    pub fn has_name(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        match self.name().split_once('*') {
            Some((begin, end)) => {
                name.len() > begin.len() + end.len()
                    && name.starts_with(begin)
                    && name.ends_with(end)
            }
            None => name == self.name(),
        }
    }

    fn parts(&self) -> (&str, &str) {
        self.0.rsplit_once('/').expect("a kind has a folder")
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_the_files_that_lie_and_are_called_so() {
        for (pattern, path, expected) in [
            ("test/test-*.py", "test/test-a.py", true),
            ("test/test-*.py", "test/test-.py", false),
            ("test/test-*.py", "test/helpers.py", false),
            ("test/test-*.py", "test/unit/test-a.py", false),
            ("test/test-*.py", "tests/test-a.py", false),
            ("src/*.stories.tsx", "src/Button.stories.tsx", true),
            ("src/*.stories.tsx", "src/Button.tsx", false),
            ("skills/*/SKILL.md", "skills/a/SKILL.md", true),
            ("skills/*/SKILL.md", "skills/SKILL.md", false),
            ("skills/*/SKILL.md", "skills/a/b/SKILL.md", false),
            ("docs/*/*.md", "docs/cli/a.md", true),
            ("docs/*/*.md", "docs/a.md", false),
        ] {
            let kind = Kind::new(pattern).unwrap();
            assert_eq!(kind.has(path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn what_is_no_kind_is_refused() {
        for pattern in [
            "test.py",
            "test/a.py",
            "test/*",
            "*/a.py",
            "a/*/b/*.py",
            "a/*_*.py",
            "/a/*.py",
            "../a/*.py",
            "a/`*.py",
            "a/",
        ] {
            assert_eq!(Kind::new(pattern), None, "{pattern}");
        }
    }
}
