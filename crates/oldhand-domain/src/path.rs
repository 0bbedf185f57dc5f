//! Paths inside a project.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A file of the project, relative to its root and separated by `/` on every platform.
///
/// It can never point outside: no root, no drive, no `..`, no empty step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProjectPath(String);

/// The longest path, in bytes.
pub const PATH_LIMIT: usize = 1024;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPath {
    #[error("a path cannot be empty")]
    Empty,
    #[error("path `{0}` leaves the project")]
    Outside(String),
    #[error("a path of {0} bytes is longer than {PATH_LIMIT}")]
    TooLong(usize),
    #[error("a path cannot hold {0:?}")]
    Character(char),
}

impl ProjectPath {
    /// Whether it is `place` or lies below it.
    pub fn is_at_or_below(&self, place: &Self) -> bool {
        let rest = self.as_str().strip_prefix(place.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    pub fn new(text: &str) -> Result<Self, InvalidPath> {
        if text.len() > PATH_LIMIT {
            return Err(InvalidPath::TooLong(text.len()));
        }
        if let Some(bad) = text.chars().find(|&c| crate::text::is_hidden(c)) {
            return Err(InvalidPath::Character(bad));
        }
        let slashed = text.replace('\\', "/");
        let outside = || InvalidPath::Outside(text.to_owned());
        if slashed.starts_with('/') {
            return Err(outside());
        }
        let mut steps: Vec<&str> = Vec::new();
        for step in slashed.split('/') {
            match step {
                "" | "." => {}
                ".." => {
                    steps.pop().ok_or_else(outside)?;
                }
                _ => steps.push(step),
            }
        }
        let first = steps.first().ok_or(InvalidPath::Empty)?.as_bytes();
        let drive = first.len() > 1 && first[0].is_ascii_alphabetic() && first[1] == b':';
        if drive || first[0] == b'~' {
            return Err(outside());
        }
        Ok(Self(steps.join("/")))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder it lies in; nothing for what lies at the top.
    pub fn folder(&self) -> Option<Self> {
        let (folder, _) = self.0.rsplit_once('/')?;
        Some(Self(folder.to_owned()))
    }

    /// The folders around it, the nearest first.
    pub fn folders(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.folder(), Self::folder)
    }

    /// The ends of it that begin behind a `/`, the longest first.
    pub fn ends(&self) -> impl Iterator<Item = &str> {
        self.0.match_indices('/').map(|(at, _)| &self.0[at + 1..])
    }

    /// The last step.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for ProjectPath {
    type Error = InvalidPath;

    fn try_from(text: String) -> Result<Self, InvalidPath> {
        Self::new(&text)
    }
}

impl std::str::FromStr for ProjectPath {
    type Err = InvalidPath;

    fn from_str(text: &str) -> Result<Self, InvalidPath> {
        Self::new(text)
    }
}

impl From<ProjectPath> for String {
    fn from(path: ProjectPath) -> Self {
        path.0
    }
}

/// The path that a `file:` address of this machine names.
pub fn path_in_address(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let coded = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        let coded = coded.filter(|_| byte == b'%');
        bytes.push(coded.unwrap_or(byte));
        rest = if coded.is_some() { &after[2..] } else { after };
    }
    let path = String::from_utf8(bytes).ok()?;
    // On Windows the drive follows a slash.
    Some(if cfg!(windows) {
        path.trim_start_matches('/').to_owned()
    } else {
        path
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_spelling() {
        for same in [
            "src/main.rs",
            "./src/main.rs",
            "src\\main.rs",
            "src//main.rs",
            "src/x/../main.rs",
        ] {
            assert_eq!(
                ProjectPath::new(same).unwrap().as_str(),
                "src/main.rs",
                "{same}"
            );
        }
    }

    #[test]
    fn nothing_outside_the_project_is_a_project_path() {
        for bad in [
            "/etc/passwd",
            "../secrets",
            "a/../../b",
            "C:\\Users",
            "~/.ssh/id_rsa",
            "\\\\server\\share",
            "",
            ".",
            "a\0b",
            "a\nb",
        ] {
            assert!(ProjectPath::new(bad).is_err(), "{bad:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_accepted_path_stays_inside_and_is_its_own_spelling(text in "[a-z./\\\\~: ]{0,24}") {
            if let Ok(path) = ProjectPath::new(&text) {
                proptest::prop_assert!(path.as_str().split('/').all(|step| !step.is_empty() && step != ".." && step != "."));
                proptest::prop_assert!(!path.as_str().starts_with('/'));
                proptest::prop_assert_eq!(ProjectPath::new(path.as_str()), Ok(path.clone()));
            }
        }
    }

    #[test]
    fn an_address_names_a_path() {
        for (address, path) in [
            ("file:///srv/my%20shop", Some("/srv/my shop")),
            ("file://localhost/srv/50%", Some("/srv/50%")),
            ("file:///a%C3%A9", Some("/aé")),
            ("https://example.com/srv", None),
            ("file:///%FF", None),
        ] {
            let expected = path.map(|path| {
                let drive = cfg!(windows).then(|| path.trim_start_matches('/'));
                drive.unwrap_or(path).to_owned()
            });
            assert_eq!(path_in_address(address), expected, "{address}");
        }
    }
}
