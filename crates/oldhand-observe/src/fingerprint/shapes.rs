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
        // `and/or`, `n/a` and `text/plain` are words; a path has a dot, a root or several steps.
        return bare.starts_with(['/', '.', '~'])
            || bare.matches(['/', '\\']).count() > 1
            || bare.contains('.')
            || lined;
    }
    lined && bare.contains('.')
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
