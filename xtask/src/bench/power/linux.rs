//! Root makes a file system in a file, lets writers work on it, and pulls the plug.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use oldhand_testkit::{Audit, Dice, Ledger, Sandbox};
use tempfile::TempDir;

use super::Cuts;

/// `EXT4_IOC_SHUTDOWN`: stop at once.
const SHUTDOWN: libc::Ioctl = 0x8004_587d_u32 as libc::Ioctl;
/// Do not even write the file system's own log.
static WITHOUT_LOG: u32 = 2;
const IMAGE_BYTES: u64 = 256 << 20;
const WRITERS: usize = 2;

pub(in crate::bench) fn cut_at_random(oldhand: &Path, cuts: usize) -> Result<Cuts> {
    let disk = match Disk::new() {
        Ok(disk) => disk,
        Err(why) => return Ok(Cuts::Skipped(format!("{why:#}"))),
    };
    let mut dice = Dice::new(2);
    let mut total = Audit::default();
    for cut in 0..cuts {
        let audit = cut_once(&disk, oldhand, cut, &mut dice)?;
        total.acknowledged += audit.acknowledged;
        total.inserted += audit.inserted;
        total.lost.extend(audit.lost);
        total.integrity += &audit.integrity;
    }
    Ok(Cuts::Made(total))
}

fn cut_once(disk: &Disk, oldhand: &Path, cut: usize, dice: &mut Dice) -> Result<Audit> {
    disk.mount()?;
    let sandbox = Sandbox::inside(&disk.folder(), oldhand);
    // The first memory makes the database; its folders must be on disk before the plug is pulled.
    sandbox.oldhand(["status"]).run();
    disk.sync()?;
    let cut_now = AtomicBool::new(false);
    let delay = Duration::from_millis(50 + dice.below(600));
    let mut ledger = Ledger::default();
    thread::scope(|scope| -> Result<()> {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let seed = (cut * WRITERS + writer) as u64;
                let (sandbox, cut_now) = (&sandbox, &cut_now);
                scope.spawn(move || write_until(cut_now, sandbox, seed))
            })
            .collect();
        thread::sleep(delay);
        // Told first: nobody hears an answer that comes after the cut, and a call that is under way during it may
        // return as if nothing had happened, which no machine without power does.
        cut_now.store(true, Ordering::SeqCst);
        let done = disk.pull_the_plug();
        for writer in writers {
            ledger.append(writer.join().expect("a writer does not panic"));
        }
        done
    })?;
    disk.unmount()?;
    disk.mount()?;
    let audit = ledger.audit(&sandbox);
    drop(sandbox);
    disk.unmount()?;
    Ok(audit)
}

fn write_until(cut_now: &AtomicBool, sandbox: &Sandbox, seed: u64) -> Ledger {
    let mut dice = Dice::new(seed);
    let mut ledger = Ledger::default();
    // Far more than fit into the time; the cut ends it.
    for number in 0..10_000 {
        let statement = dice.statement(seed as usize * 10_000 + number);
        let outcome = sandbox.oldhand(["remember", "--json", &statement]).run();
        if cut_now.load(Ordering::SeqCst) {
            break;
        }
        ledger.take_down(&outcome.stdout, &statement);
    }
    ledger
}

/// A file system of our own, in a file, unmounted when it goes.
struct Disk {
    root: TempDir,
}

impl Disk {
    fn new() -> Result<Self> {
        let uid = Command::new("id")
            .arg("-u")
            .output()
            .context("could not ask who runs this")?;
        ensure!(
            uid.stdout == b"0\n",
            "they need root, to mount a file system"
        );
        let root = tempfile::tempdir()?;
        let disk = Self { root };
        fs::create_dir(disk.folder())?;
        File::create(disk.image())?.set_len(IMAGE_BYTES)?;
        call(
            Command::new("mkfs.ext4")
                .args(["-q", "-F"])
                .arg(disk.image()),
        )?;
        disk.mount()?;
        disk.unmount()?;
        Ok(disk)
    }

    fn image(&self) -> PathBuf {
        self.root.path().join("image")
    }

    fn folder(&self) -> PathBuf {
        self.root.path().join("disk")
    }

    fn mount(&self) -> Result<()> {
        call(
            Command::new("mount")
                .args(["-o", "loop"])
                .arg(self.image())
                .arg(self.folder()),
        )
    }

    fn unmount(&self) -> Result<()> {
        call(Command::new("umount").arg(self.folder()))
    }

    fn sync(&self) -> Result<()> {
        call(Command::new("sync").arg("-f").arg(self.folder()))
    }

    fn pull_the_plug(&self) -> Result<()> {
        let folder = File::open(self.folder()).context("could not open the file system")?;
        // SAFETY: the descriptor is open for the whole call, and the argument is a u32 that outlives it.
        let answer = unsafe { libc::ioctl(folder.as_raw_fd(), SHUTDOWN, &raw const WITHOUT_LOG) };
        ensure!(
            answer == 0,
            "could not shut the file system down: {}",
            std::io::Error::last_os_error()
        );
        Ok(())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Not mounted any more is what we want, so failing to unmount is fine; the folder is then removed.
        let _ = Command::new("umount").arg("-q").arg(self.folder()).output();
    }
}

fn call(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("could not run {name}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{name} failed: {}",
        told.trim_end()
    );
    Ok(())
}
