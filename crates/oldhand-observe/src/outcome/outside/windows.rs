//! What fetches on Windows.

use super::super::shell::Dialect;
use super::has_address;

/// Whether a line of PowerShell or `cmd` has the address of another machine. Objects, cmdlets and programs by the dozen fetch there, so
/// that the address is what tells.
pub(super) fn asks_from_windows(line: &str) -> bool {
    let words = line.split(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | ';' | '&'));
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    let mut is_windows = || {
        while let Some(word) = words.next() {
            match Dialect::of(word) {
                Some(Dialect::PowerShell) => return true,
                // A folder may have that name.
                Some(Dialect::Cmd) if words.peek().is_some_and(|next| next.starts_with('/')) => {
                    return true;
                }
                _ => {}
            }
        }
        false
    };
    has_address(line) && is_windows()
}

/// Names of Windows that fetch, where they stand in a line of no shell of its own.
pub(super) fn is_windows_fetcher(program: &str) -> bool {
    const NAMES: [&str; 8] = [
        "invoke-webrequest",
        "invoke-restmethod",
        "iwr",
        "irm",
        "start-bitstransfer",
        "bitsadmin",
        "certutil",
        "mshta",
    ];
    let name = program.to_ascii_lowercase();
    NAMES.contains(&name.strip_suffix(".exe").unwrap_or(&name))
}
