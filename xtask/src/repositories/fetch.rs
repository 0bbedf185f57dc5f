//! Packages by the clients that people use for them, kept once they are here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use tempfile::TempDir;

use super::Repository;

/// Who fetches a package.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Client {
    Apt,
    Cargo,
    Npm,
    Pip,
}

/// The package in a folder of its own, outside of any repository.
pub(super) fn unpack(repository: &Repository, kept: &Path) -> Result<TempDir> {
    fs::create_dir_all(kept)?;
    let place = kept.join(format!(
        "{}-{}",
        repository.package.replace('/', "-"),
        repository.version
    ));
    let archive = match archive_in(&place) {
        Some(archive) => archive,
        None => fetch(repository, &place)?,
    };
    let folder = tempfile::tempdir()?;
    let mut command = match repository.client {
        Client::Apt => {
            let mut command = Command::new("dpkg-deb");
            command.arg("--extract").arg(&archive).arg(folder.path());
            command
        }
        Client::Cargo | Client::Npm | Client::Pip => {
            let mut command = Command::new("tar");
            command.arg("-xzf").arg(&archive);
            command.arg("-C").arg(folder.path());
            command
        }
    };
    run(&mut command)?;
    keep_only(&folder.path().join(&repository.folder), &repository.only)?;
    Ok(folder)
}

fn keep_only(root: &Path, only: &[String]) -> Result<()> {
    if only.is_empty() {
        return Ok(());
    }
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        if only.iter().any(|name| entry.file_name() == name.as_str()) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The one file in `place`, when it was fetched before.
fn archive_in(place: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(place).ok()?;
    entries.flatten().map(|entry| entry.path()).next()
}

fn fetch(repository: &Repository, place: &Path) -> Result<PathBuf> {
    let Repository {
        package, version, ..
    } = repository;
    // Fetched beside and moved when it is whole, so that an interrupted run leaves nothing half.
    let beside = tempfile::tempdir_in(place.parent().context("it has a folder")?)?;
    match repository.client {
        Client::Npm => {
            run(command("npm", beside.path())
                .args(["pack", "--silent"])
                .arg(format!("{package}@{version}")))?;
        }
        Client::Pip => {
            run(command("pip", beside.path())
                .args(["download", "--quiet", "--no-deps", "--no-binary", ":all:"])
                .arg(format!("{package}=={version}")))?;
        }
        Client::Apt => {
            run(command("apt-get", beside.path())
                .args(["download", "--quiet"])
                .arg(format!("{package}={version}")))?;
        }
        Client::Cargo => fetch_crate(package, version, beside.path())?,
    }
    fs::rename(beside.keep(), place)?;
    archive_in(place).with_context(|| format!("{package} {version} brought no file"))
}

/// Lets cargo fetch the crate for a manifest that asks for nothing else, and takes the archive that cargo keeps.
fn fetch_crate(package: &str, version: &str, into: &Path) -> Result<()> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
        manifest_path: PathBuf,
    }
    let asking = tempfile::tempdir()?;
    fs::create_dir(asking.path().join("src"))?;
    fs::write(asking.path().join("src/lib.rs"), "")?;
    let manifest = format!(
        "[package]\nname = \"asking\"\nedition = \"2021\"\n[dependencies]\n{package} = \"={version}\"\n[workspace]\n"
    );
    fs::write(asking.path().join("Cargo.toml"), manifest)?;
    let output = command("cargo", asking.path())
        .args(["metadata", "--format-version", "1"])
        .output()?;
    ensure!(
        output.status.success(),
        "cargo could not fetch it: {}",
        last_line(&output.stderr)
    );
    let metadata: Metadata = serde_json::from_slice(&output.stdout)?;
    let mut found = metadata.packages.into_iter();
    let found = found.find(|found| found.name == package);
    let manifest = found.context("cargo did not say where it is")?;
    let source = manifest
        .manifest_path
        .parent()
        .context("it lies in a folder")?;
    let name = format!("{package}-{version}.crate");
    let registry = source.parent().and_then(Path::file_name);
    let (Some(registry), Some(root)) = (registry, source.ancestors().nth(3)) else {
        bail!("cargo keeps it in an unknown place");
    };
    let archive = root.join("cache").join(registry).join(&name);
    fs::copy(&archive, into.join(&name))
        .with_context(|| format!("could not copy {}", archive.display()))?;
    Ok(())
}

fn command(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    command
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("{program} is not installed"))?;
    ensure!(
        output.status.success(),
        "{program} failed: {}",
        last_line(&output.stderr)
    );
    Ok(())
}

fn last_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().rfind(|line| !line.trim().is_empty());
    line.unwrap_or_default().trim().to_owned()
}
