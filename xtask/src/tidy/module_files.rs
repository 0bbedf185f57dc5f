//! A module is `foo.rs`, its parts are `foo/`: a tab named after the folder says nothing.

use super::{Finding, SourceFile};

const NAME: &str = concat!("mo", "d.rs");

pub(super) fn find(files: &[SourceFile]) -> Vec<Finding> {
    let named = files
        .iter()
        .filter(|file| file.is_rust() && file.name() == NAME);
    named
        .map(|file| {
            Finding::in_file(
                file,
                format!("belongs beside its folder as `{}.rs`", file.folder()),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::{file, told};
    use super::{NAME, find};

    #[test]
    fn a_module_named_by_its_folder_is_told() {
        let files = [file(&format!("crates/a/src/b/{NAME}"), "//! B.\n")];
        assert_eq!(
            told(&find(&files)),
            [format!(
                "crates/a/src/b/{NAME}: belongs beside its folder as `crates/a/src/b.rs`"
            )]
        );
    }

    #[test]
    fn a_module_named_by_its_file_is_fine() {
        assert_eq!(find(&[file("crates/a/src/b.rs", "//! B.\n")]), []);
    }
}
