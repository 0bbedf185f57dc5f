//! A power cut, as far as a program can make one: an ext4 file system that is shut down without writing anything more.

#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub(super) use linux::cut_at_random;
use oldhand_testkit::Audit;

pub(super) enum Cuts {
    /// The audits of all cuts, added up.
    Made(Audit),
    Skipped(String),
}

#[cfg(not(target_os = "linux"))]
pub(super) fn cut_at_random(_: &std::path::Path, _: usize) -> anyhow::Result<Cuts> {
    Ok(Cuts::Skipped("they need Linux".to_owned()))
}
