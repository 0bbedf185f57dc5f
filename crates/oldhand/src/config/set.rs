//! Writing one setting into a file that a person may have written, without disturbing the rest.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context as _, Result};
use toml_edit::{DocumentMut, Item, Table};

use super::keys::{Key, Value};
use super::readable::{LeftOut, readable};
use crate::failure::Failure;
use crate::file;

/// Sets `key` in the file at `path`, which need not exist. Comments and order stay; lines that cannot be read become comments, and
/// their numbers are returned.
pub(crate) fn set(path: &Path, key: &Key, value: &Value) -> Result<Vec<usize>> {
    let folder = path.parent().context("a settings file lies in a folder")?;
    file::create_private_dir(folder)?;
    let _lock = file::lock(&folder.join("config.lock"))?;
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            return Err(error).with_context(|| format!("could not read {}", path.display()));
        }
    };
    let left_out = readable(&bytes).left_out;
    let text = String::from_utf8(bytes).ok();
    let document = text.and_then(|text| with_comments(&text, &left_out).parse().ok());
    // What not even a comment can hold is for a person to take out.
    let mut document: DocumentMut = match (document, left_out.first()) {
        (Some(document), _) => document,
        (None, Some(one)) => return Err(one.failure(path).into()),
        (None, None) => unreachable!("a file that cannot be read has a line that cannot"),
    };
    let new = match value {
        Value::Text(text) => toml_edit::value(*text),
        Value::Owned(text) => toml_edit::value(text.as_str()),
        Value::Number(number) => toml_edit::value(*number),
        Value::Switch(on) => toml_edit::value(*on),
    };
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    let mut steps: Vec<&str> = key.name.split('.').collect();
    let last = steps.pop().expect("a name has at least one step");
    for step in steps {
        table = table
            .entry(step)
            .or_insert_with(|| Item::Table(Table::new()))
            .as_table_like_mut()
            .ok_or_else(|| {
                Failure::invalid(format!("{}: `{step}` is not a table", path.display()))
                    .hint(format!("take out the line that says what `{step}` is"))
            })?;
    }
    match table.get_mut(last).and_then(Item::as_value_mut) {
        // A value that is replaced keeps the comment behind it.
        Some(old) => {
            let decor = old.decor().clone();
            *old = new.into_value().expect("a setting is a value");
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(last, new);
        }
    }
    file::write_privately(path, document.to_string().as_bytes())?;
    Ok(left_out.iter().map(|one| one.line).collect())
}

/// The text with comments in the place of lines that cannot be read.
fn with_comments(text: &str, left_out: &[LeftOut]) -> String {
    let is_left_out = |at: usize| left_out.iter().any(|one| one.line == at + 1);
    let lines = text.split_inclusive('\n').enumerate();
    let mark = |at: usize| if is_left_out(at) { "# " } else { "" };
    let lines = lines.map(|(at, line)| format!("{}{line}", mark(at)));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys::find;

    #[test]
    fn comments_and_order_survive_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(
            &path,
            "# mine\n[search]\nlimit = 5 # enough\n\n[list]\nlimit = 7\n",
        )
        .unwrap();
        for (name, value) in [
            ("search.limit", Value::Number(9)),
            ("editor", Value::Owned("vi".to_owned())),
            ("output.color", Value::Owned("never".to_owned())),
        ] {
            set(&path, find(name).ok().unwrap(), &value).unwrap();
        }
        insta::assert_snapshot!(fs::read_to_string(&path).unwrap(), @r#"
        editor = "vi"
        # mine
        [search]
        limit = 9 # enough

        [list]
        limit = 7

        [output]
        color = "never"
        "#);
    }
}
