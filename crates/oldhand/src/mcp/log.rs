//! What happened in a server that nobody watches: a file that stays small.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

/// A longer log begins anew; the one before is kept beside it.
const MOST_BYTES: u64 = 256 * 1024;

#[derive(Clone, Debug)]
pub(super) struct Log {
    path: PathBuf,
}

impl Log {
    pub(super) fn new(home: &Path) -> Self {
        Self {
            path: home.join("mcp.log"),
        }
    }

    /// Writes one line. A log that cannot be written is no reason to stop.
    pub(super) fn write(&self, text: &str) {
        if fs::metadata(&self.path).is_ok_and(|file| file.len() > MOST_BYTES) {
            let _ = fs::rename(&self.path, self.path.with_extension("log.old"));
        }
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        if let Ok(mut file) = options.open(&self.path) {
            let words = oldhand_redact::redact(text).text.replace('\n', " ");
            let line = format!("{} {} {words}\n", Timestamp::now(), std::process::id());
            let _ = file.write_all(line.as_bytes());
        }
    }
}
