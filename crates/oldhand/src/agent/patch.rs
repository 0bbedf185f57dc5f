//! The patch format of Codex: which files it names, what it takes out and puts in.

use oldhand_domain::event::{Call, Change};

use super::root::Root;

/// The call a patch stands for: a write when it only makes one new file, else an edit.
pub(super) fn call(patch: &str, root: &Root, cwd: Option<&str>) -> Call {
    let mut files = Vec::new();
    let mut added_files = 0;
    let (mut removed, mut added) = (String::new(), String::new());
    for line in patch.lines() {
        let named = [
            "*** Update File: ",
            "*** Add File: ",
            "*** Delete File: ",
            "*** Move to: ",
        ]
        .iter()
        .find_map(|mark| line.strip_prefix(mark).map(|path| (*mark, path)));
        if let Some((mark, path)) = named {
            let place = root.place(path, cwd);
            if !files.contains(&place) {
                files.push(place);
            }
            added_files += usize::from(mark.contains("Add"));
        } else if let Some(text) = line.strip_prefix('-') {
            removed.push_str(text);
            removed.push('\n');
        } else if let Some(text) = line.strip_prefix('+') {
            added.push_str(text);
            added.push('\n');
        }
    }
    let change = Some(Change::between(&removed, &added));
    match files.as_slice() {
        [one] if added_files == 1 => Call::Write {
            file: one.clone(),
            change,
        },
        _ => Call::Edit { files, change },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oldhand_domain::event::ToolName;

    #[test]
    fn a_patch_names_its_files() {
        let root = Root::new("/p");
        let patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n-old\n+new\n*** Delete File: b.ts\n*** End Patch";
        let Call::Edit { files, .. } = call(patch, &root, None) else {
            panic!("an edit")
        };
        assert_eq!(files.len(), 2);
        let patch = "*** Begin Patch\n*** Add File: c.ts\n+new\n*** End Patch";
        assert_eq!(call(patch, &root, None).tool(), ToolName::Write);
    }
}
