//! What a reader takes for the same error: cases of one rule, and a file whether its folder is told or not.
//!
//! What an error is kept by stays as it is: a file alone may be the very name that tells it from the next one.

use super::{fingerprint, normalise, rule_of, without_exit_code};

/// What kind of error a message is one of: the rule of a linter, or its words without the names of files.
pub fn kind_of(message: &str) -> String {
    rule_of(message).unwrap_or_else(|| without_files(message))
}

/// The kinds of all errors that an output may tell of, by each line and as a whole.
pub fn kinds_in(output: &str) -> Vec<String> {
    const LINES: usize = 60;
    let whole = fingerprint(output).map(|error| error.message);
    let lines = output.lines().map(|line| without_exit_code(line.trim()));
    let lines = lines.filter(|line| !line.is_empty()).take(LINES);
    let mut kinds: Vec<String> = whole
        .into_iter()
        .chain(lines.map(normalise))
        .map(|message| kind_of(&message))
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// The same words with `<path>` for every file that is named without a folder.
fn without_files(message: &str) -> String {
    let words = message.split_whitespace().map(|word| {
        let open = word.len() - word.trim_start_matches(['(', '[', '"', '\'', '`']).len();
        let bare = word[open..].trim_end_matches([')', ']', '"', '\'', '`', ',', ';', ':', '.']);
        if is_file(bare) {
            word.replacen(bare, "<path>", 1)
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn is_file(word: &str) -> bool {
    const ENDINGS: [&str; 44] = [
        "c", "cc", "cfg", "cjs", "cpp", "cs", "css", "csv", "dart", "ex", "exs", "go", "gradle",
        "h", "hpp", "html", "ini", "java", "js", "json", "jsx", "kt", "lock", "lua", "md", "mdx",
        "mjs", "php", "proto", "py", "rb", "rs", "scss", "sh", "sql", "svelte", "swift", "tf",
        "toml", "ts", "tsx", "txt", "yaml", "yml",
    ];
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    word.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && stem.chars().all(plain) && ENDINGS.contains(&ending)
    })
}

#[test]
fn a_file_is_one_with_or_without_its_folder() {
    for (line, other) in [
        (
            "CONFLICT (content): Merge conflict in a.go",
            "CONFLICT (content): Merge conflict in cmd/b.go",
        ),
        (
            "error: cannot open `seed.json`.",
            "error: cannot open `data/seed.json`.",
        ),
    ] {
        assert_eq!(
            kind_of(&normalise(line)),
            kind_of(&normalise(other)),
            "{line}"
        );
    }
    for line in [
        "error: Next.jsx2 is not there",
        "error: os.Exit is not there",
        "TypeError: shop.open is not a function",
    ] {
        assert_eq!(kind_of(line), line);
    }
}

#[test]
fn any_line_of_an_output_may_tell_the_error() {
    let output = "Auto-merging a.go\nCONFLICT (content): Merge conflict in a.go\nAutomatic merge failed; fix conflicts and then commit the result.";
    let kinds = kinds_in(output);
    assert!(
        kinds
            .iter()
            .any(|kind| kind == "CONFLICT (content): Merge conflict in <path>"),
        "{kinds:?}"
    );
    assert_eq!(kinds_in(""), [""; 0]);
}
