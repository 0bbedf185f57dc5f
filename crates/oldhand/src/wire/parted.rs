//! Clients that a person took Oldhand out of: nobody connects them again unasked.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::{Client, record};
use crate::file;

/// Notes that a person wants no Oldhand in this client.
pub(crate) fn part(home: &Path, client: Client) -> Result<()> {
    let place = place(home, client);
    file::create_private_dir(&home.join(record::FOLDER))?;
    file::write_privately(&place, b"")
}

/// A person connected it again.
pub(crate) fn join_again(home: &Path, client: Client) -> Result<()> {
    let place = place(home, client);
    match fs::remove_file(&place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("could not remove {}", place.display()))
        }
        _ => Ok(()),
    }
}

pub(crate) fn is_parted(home: &Path, client: Client) -> bool {
    place(home, client).exists()
}

fn place(home: &Path, client: Client) -> PathBuf {
    home.join(record::FOLDER)
        .join(format!("{}.uninstalled", client.as_str()))
}
