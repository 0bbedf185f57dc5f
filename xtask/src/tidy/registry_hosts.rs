//! No host name of a package registry: where packages come from is the reader's own setting.

use super::{Finding, SourceFile, by_line};

/// Spelled in two halves, so that this file passes its own rule.
const HOSTS: [&str; 4] = [
    concat!("crates", ".io"),
    concat!("npmjs", ".org"),
    concat!("npmjs", ".com"),
    concat!("pypi", ".org"),
];

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    by_line(
        files,
        |file| !file.is_lock_file(),
        |line| {
            let host = HOSTS.iter().find(|host| line.contains(*host))?;
            Some(format!("names the package registry {host}"))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::super::sample::file;
    use super::{HOSTS, find};

    #[test]
    fn a_registry_is_told() {
        for host in HOSTS {
            for text in [format!("see https://{host}/x"), format!("from {host}")] {
                assert_eq!(find(&[file("README.md", &text)]).len(), 1, "{text}");
            }
        }
    }

    #[test]
    fn a_lock_file_may_name_its_registry() {
        for host in HOSTS {
            assert_eq!(find(&[file("Cargo.lock", &format!("https://{host}"))]), []);
        }
    }
}
