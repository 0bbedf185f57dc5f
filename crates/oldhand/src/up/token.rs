//! The token of the loopback door: made once, readable by this user alone.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use uuid::Uuid;

use crate::file;

/// Where it is kept, in `OLDHAND_HOME`.
const FILE: &str = "up.token";
/// Held while it is made.
const LOCK: &str = "up.token.lock";

pub(crate) struct Token {
    text: String,
    file: PathBuf,
}

impl Token {
    /// The token that is kept, or a new one where there is none that only this user knows.
    pub(crate) fn of(home: &Path) -> Result<Self> {
        let path = home.join(FILE);
        if let Some(text) = kept(&path) {
            return Ok(Self { text, file: path });
        }
        file::create_private_dir(home)?;
        // Of two doors that open at once, one makes it and the other takes that one.
        let _alone = file::lock(&home.join(LOCK))?;
        if let Some(text) = kept(&path) {
            return Ok(Self { text, file: path });
        }
        let text = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        file::write_privately(&path, text.as_bytes())?;
        Ok(Self { text, file: path })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Compared by hashes, so that the time it takes tells nothing of how much was right.
    pub(crate) fn is(&self, given: &str) -> bool {
        blake3::hash(given.as_bytes()) == blake3::hash(self.text.as_bytes())
    }

    #[cfg(test)]
    pub(super) fn known(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            file: PathBuf::new(),
        }
    }
}

fn kept(path: &Path) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if fs::metadata(path).ok()?.permissions().mode() & 0o077 != 0 {
            return None;
        }
    }
    let text = fs::read_to_string(path).ok()?;
    let is_whole = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_whole.then_some(text)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_token_is_kept_until_somebody_else_could_have_read_it() {
        let home = tempfile::tempdir().unwrap();
        let first = Token::of(home.path()).unwrap();
        assert_eq!(first.text().len(), 64);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(first.file()), 0o600);
        assert!(Token::of(home.path()).unwrap().is(first.text()));
        fs::set_permissions(first.file(), fs::Permissions::from_mode(0o644)).unwrap();
        let second = Token::of(home.path()).unwrap();
        assert!(!second.is(first.text()));
        assert_eq!(mode(second.file()), 0o600);
    }

    #[test]
    fn doors_that_open_at_once_have_the_token_that_is_kept() {
        for _ in 0..20 {
            let home = tempfile::tempdir().unwrap();
            let together = std::sync::Barrier::new(4);
            let open = || {
                together.wait();
                Token::of(home.path()).unwrap().text().to_owned()
            };
            let texts = std::thread::scope(|scope| {
                let doors: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
                let texts = doors.into_iter().map(|door| door.join().unwrap());
                texts.collect::<Vec<_>>()
            });
            let kept = fs::read_to_string(home.path().join(FILE)).unwrap();
            assert_eq!(texts, vec![kept; 4]);
        }
    }
}
