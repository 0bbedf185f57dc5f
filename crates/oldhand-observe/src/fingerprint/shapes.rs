//! What a word of an output is, by its shape alone.

/// `</div>` is no path: it is the same wherever it comes, and who writes a client's own tags must be seen to do so.
pub(super) fn is_closing_tag(open: &str, core: &str, tail: &str) -> bool {
    let name = core.strip_prefix('/').unwrap_or_default();
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "-_:".contains(c));
    open.ends_with('<') && tail.starts_with('>') && is_name
}

/// Whether a word names the module that the words before it say is missing, as seen from the code: what helps against one says nothing of
/// another. A place on a machine is no name.
pub(super) fn is_missing_module(before: &str, core: &str) -> bool {
    const MISSES: [&str; 7] = [
        "cannot find module",
        "cannot find package",
        "can't resolve",
        "could not resolve",
        "failed to resolve import",
        "no module named",
        "no required module provides package",
    ];
    let before = before.trim_end_matches(['"', '\'', '`', ' ']).as_bytes();
    let misses = |words: &&str| {
        let at = before.len().checked_sub(words.len());
        at.is_some_and(|at| before[at..].eq_ignore_ascii_case(words.as_bytes()))
    };
    let is_place = core.starts_with(['/', '~']) || core.contains([':', '\\', '<']);
    !is_place && !core.is_empty() && MISSES.iter().any(misses)
}

pub(super) fn is_time(core: &str) -> bool {
    let digits = core.bytes().filter(u8::is_ascii_digit).count();
    let marks = core
        .bytes()
        .filter(|b| matches!(b, b':' | b'-' | b'.' | b'T' | b'Z' | b'+'))
        .count();
    digits >= 4
        && digits + marks == core.len()
        && (core.bytes().filter(|&b| b == b':').count() >= 2
            || core.bytes().filter(|&b| b == b'-').count() >= 2)
}

pub(super) fn is_path(core: &str) -> bool {
    // What was taken out before is no path: normalising twice must change nothing.
    if core.contains('<') {
        return false;
    }
    let bare = core.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
    let lined = bare.len() < core.len() && core[bare.len()..].starts_with(':');
    let slashed = |text: &str| {
        let slashes = text.matches(['/', '\\']).count();
        slashes > 0
            && text.len() > 2
            && text.chars().any(char::is_alphanumeric)
            && !text.starts_with("//")
    };
    if slashed(bare) {
        if !lined && is_qualified_name(bare) {
            return false;
        }
        // `and/or`, `n/a` and `text/plain` are words; a path has a dot, a root or several steps.
        return bare.starts_with(['/', '.', '~'])
            || bare.matches(['/', '\\']).count() > 1
            || bare.contains('.')
            || lined;
    }
    lined && bare.contains('.')
}

/// `os/exec.Command`, `fs/promises.readFile`: what stands behind the last dot is written in mixed case as names are, and as endings of files are not.
fn is_qualified_name(bare: &str) -> bool {
    const ENDINGS: [&str; 4] = ["Dockerfile", "RData", "Rmd", "Rproj"];
    let Some((package, name)) = bare.rsplit_once('.') else {
        return false;
    };
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    !package.starts_with(['/', '.', '~'])
        && !package.contains('\\')
        && package.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')'))
        && letters.len() > 2
        && letters.chars().all(|c| c.is_alphabetic() || c == '_')
        && letters.contains(char::is_uppercase)
        && letters.contains(char::is_lowercase)
        && !ENDINGS.contains(&letters)
}

pub(super) fn is_hash(core: &str) -> bool {
    let hex = core.bytes().filter(u8::is_ascii_hexdigit).count();
    let dashes = core.bytes().filter(|&b| b == b'-').count();
    hex >= 7
        && hex + dashes == core.len()
        && core.bytes().any(|b| b.is_ascii_digit())
        && core.bytes().any(|b| b.is_ascii_alphabetic())
        && (dashes == 0 || hex >= 16)
        || core.starts_with("0x") && core.len() > 4
        || core.starts_with("sha256:")
}

#[cfg(test)]
mod tests {
    use super::super::normalise;

    #[test]
    fn the_name_of_a_thing_in_a_package_is_no_path() {
        for (line, expected) in [
            (
                "main.go:7:2: os/exec.Command must not be called. use os/exec.CommandContext (noctx)",
                "<path>: os/exec.Command must not be called. use os/exec.CommandContext (noctx)",
            ),
            (
                "github.com/spf13/cobra.(*Command).Execute called crypto/sha256.Sum256",
                "github.com/spf13/cobra.(*Command).Execute called crypto/sha256.Sum256",
            ),
            (
                "`node:fs/promises.readFile` is not a function",
                "`node:fs/promises.readFile` is not a function",
            ),
            (
                "docs/Plan.md docs/a.PNG or docs/a.Rmd or ./lib/a.Command or /x/a.Command or a/b.Test:3",
                "<path> or <path> or <path> or <path> or <path>",
            ),
            (
                "built build/web.Dockerfile and docs/a.RData",
                "built <path> and <path>",
            ),
        ] {
            assert_eq!(normalise(line), expected, "{line}");
        }
    }
}

#[test]
fn a_missing_module_keeps_its_name_and_a_place_on_a_machine_does_not() {
    for (line, expected) in [
        (
            "Error: Cannot find module './generated/client'",
            "Error: Cannot find module './generated/client'",
        ),
        (
            "src/a.ts(3,4): error TS2307: Cannot find module \"../views/home\" or its types",
            "<path>(<n>): error TS2307: Cannot find module \"../views/home\" or its types",
        ),
        (
            "Module not found: Error: Can't resolve './a/b.css' in '/home/a/src'",
            "Module not found: Error: Can't resolve './a/b.css' in '<path>'",
        ),
        (
            "Error: Cannot find module '/home/a/dist/main.js'",
            "Error: Cannot find module '<path>'",
        ),
    ] {
        assert_eq!(super::normalise(line), expected, "{line}");
    }
}
