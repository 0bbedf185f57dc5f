//! `cargo xtask install`: the release binary, where the shell finds it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use crate::house::House;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Install below this folder instead of cargo's own.
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
}

pub(crate) fn run(house: &House, args: &Args) -> Result<ExitCode> {
    let root = match &args.root {
        Some(root) => root.clone(),
        None => cargo_root().context("neither CARGO_HOME nor HOME says where cargo's folder is")?,
    };
    let status = house
        .cargo([
            "install",
            "--locked",
            "--force",
            "--path",
            "crates/oldhand",
            "--root",
        ])
        .arg(&root)
        .status()?;
    ensure!(status.success(), "`cargo install` ended with {status}");

    let folder = root.join("bin");
    let binary = folder.join(format!("oldhand{}", env::consts::EXE_SUFFIX));
    println!("installed {}", binary.display());
    let path = env::var_os("PATH").unwrap_or_default();
    if let Some(warning) = warn(&folder, env::split_paths(&path)) {
        println!("warning: {warning}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Where `cargo install` puts things when nobody says otherwise.
fn cargo_root() -> Option<PathBuf> {
    let named = |name| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    named("CARGO_INSTALL_ROOT")
        .or_else(|| named("CARGO_HOME"))
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")))
}

/// Why the shell would not run the binary in `folder`, if it would not.
fn warn(folder: &Path, path: impl Iterator<Item = PathBuf>) -> Option<String> {
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = format!("oldhand{}", env::consts::EXE_SUFFIX);
    for entry in path {
        if real(&entry) == real(folder) {
            return None;
        }
        if entry.join(&name).is_file() {
            return Some(format!(
                "{} comes first on PATH",
                entry.join(&name).display()
            ));
        }
    }
    Some(format!(
        "{} is not on PATH; add it to your shell's profile",
        folder.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_on_the_path_needs_no_warning() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            warn(folder.path(), [folder.path().to_owned()].into_iter()),
            None
        );
    }

    #[test]
    fn a_folder_off_the_path_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let warning = warn(folder.path(), std::iter::empty()).unwrap();
        assert!(
            warning.ends_with("is not on PATH; add it to your shell's profile"),
            "{warning}"
        );
    }

    #[test]
    fn an_older_binary_earlier_on_the_path_is_told() {
        let (older, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let name = format!("oldhand{}", env::consts::EXE_SUFFIX);
        std::fs::write(older.path().join(name), "").unwrap();
        let path = [older.path().to_owned(), folder.path().to_owned()];
        let warning = warn(folder.path(), path.into_iter()).unwrap();
        assert!(warning.ends_with("comes first on PATH"), "{warning}");
    }
}
