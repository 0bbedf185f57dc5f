//! The rules that linters state: which rule, in whose words. It is one error however the case is worded.

/// A rule a linter held against the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRule {
    /// As the linter names it: `goconst`, `no-unused-vars`, `E501`.
    pub rule: String,
    /// The linter's words about this case.
    pub message: String,
}

/// More different rules than these in one output are an untended project, not a lesson.
const MOST: usize = 8;

/// Findings of compilers and formatters that linters pass on: they say nothing about how code is written here.
const NOT_RULES: [&str; 12] = [
    "typecheck",
    "gofmt",
    "gofumpt",
    "goimports",
    "gci",
    "format",
    "prettier",
    "prettier/prettier",
    "error",
    "warning",
    "compile",
    "syntax",
];

/// Every rule that an output names as broken, each once, in order.
pub fn broken_rules(output: &str) -> Vec<BrokenRule> {
    let mut found: Vec<BrokenRule> = Vec::new();
    let mut before = "";
    for line in output.lines().map(str::trim_end) {
        let told = placed(line)
            .or_else(|| in_columns(line))
            .or_else(|| clippy(line, before));
        if let Some(told) = told
            && !NOT_RULES.contains(&told.rule.as_str())
            && told.message.len() >= 8
            && found.iter().all(|known| known.rule != told.rule)
        {
            found.push(told);
        }
        // Clippy names the rule some lines under the message.
        if line.starts_with("error: ") || line.starts_with("warning: ") {
            before = line;
        }
    }
    if found.len() > MOST {
        Vec::new()
    } else {
        found
    }
}

/// `a.go:3:4: words (rule)`, `a.py:3:4: E501 words`, `a.py:3:0: C0114: words (rule)`.
fn placed(line: &str) -> Option<BrokenRule> {
    let line = line.trim_start();
    // A task runner may put its own name in front: `[lint:go] a.go:3:4: …`.
    let line = match line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "))
    {
        Some((runner, rest)) if !runner.contains(' ') => rest,
        _ => line,
    };
    let (place, words) = line.split_once(": ")?;
    let mut parts = place.rsplit(':');
    let numbered = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    let is_place = numbered(parts.next()) && !place.contains(' ') && place.contains('.');
    if !is_place {
        return None;
    }
    let words = words.trim();
    if let Some((message, rule)) = words
        .strip_suffix(')')
        .and_then(|words| words.rsplit_once(" ("))
        && is_name(rule)
    {
        return Some(broken(rule, message));
    }
    let (code, message) = words.split_once(' ')?;
    let code = code.trim_end_matches(':');
    is_code(code).then(|| broken(code, message.trim_start_matches("[*] ")))
}

/// `  12:5  error  words  rule-name`, as eslint and its kin print it.
fn in_columns(line: &str) -> Option<BrokenRule> {
    let mut columns = line
        .split("  ")
        .map(str::trim)
        .filter(|cell| !cell.is_empty());
    let (place, level) = (columns.next()?, columns.next()?);
    let (row, column) = place.split_once(':')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(row) || !digits(column) || !matches!(level, "error" | "warning") {
        return None;
    }
    let (message, rule) = (columns.next()?, columns.last()?);
    is_name(rule).then(|| broken(rule, message))
}

/// `= note: `-D clippy::rule` implied by …` under `error: words`.
fn clippy(line: &str, before: &str) -> Option<BrokenRule> {
    let (_, rest) = line.split_once("clippy::")?;
    if !line.trim_start().starts_with("= note:") {
        return None;
    }
    let end = rest
        .find(|c: char| !(c.is_ascii_lowercase() || matches!(c, '_' | '-')))
        .unwrap_or(rest.len());
    let message = before.split_once(": ")?.1;
    (end > 2).then(|| broken(&format!("clippy::{}", &rest[..end]), message))
}

fn broken(rule: &str, message: &str) -> BrokenRule {
    let message = message.trim().trim_end_matches('.');
    // One linter for many rules tells them apart by a code of its own: `G304: …  (gosec)`.
    let (rule, message) = match message.split_once(": ").filter(|(code, _)| is_code(code)) {
        Some((code, words)) => (format!("{rule} {code}"), words),
        None => (rule.to_owned(), message),
    };
    BrokenRule {
        rule,
        message: message.to_owned(),
    }
}

/// A rule's name: small letters, digits and dashes, perhaps with a plug-in in front.
fn is_name(word: &str) -> bool {
    (3..=60).contains(&word.len())
        && word.starts_with(|c: char| c.is_ascii_lowercase() || c == '@')
        && word.bytes().all(|b| {
            b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'/' | b'@' | b'_')
        })
}

/// `E501`, `F401`, `PLR2004`, `SC2086`.
fn is_code(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    (1..=4).contains(&letters)
        && (3..=4).contains(&(word.len() - letters))
        && word[letters..].bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(output: &str) -> String {
        let rules = broken_rules(output);
        let lines: Vec<String> = rules
            .iter()
            .map(|broken| format!("{}: {}", broken.rule, broken.message))
            .collect();
        lines.join(" | ")
    }

    #[test]
    fn each_linter_names_its_rules_its_own_way() {
        let cases = [
            (
                "cmd/a.go:81:15: string `x` has 3 occurrences, make it a constant (goconst)\n\tagent := \"x\"\n1 issues:",
                "goconst: string `x` has 3 occurrences, make it a constant",
            ),
            (
                "[lint:go] cmd/b.go:87:1: New returns interface (pkg.Strategy) (ireturn)",
                "ireturn: New returns interface (pkg.Strategy)",
            ),
            (
                "src/a.ts\n  12:5  error  'x' is assigned a value but never used  @typescript-eslint/no-unused-vars\n",
                "@typescript-eslint/no-unused-vars: 'x' is assigned a value but never used",
            ),
            (
                "app/a.py:3:1: F401 [*] `os` imported but unused",
                "F401: `os` imported but unused",
            ),
            (
                "error: this argument is passed by value\n --> src/a.rs:1:1\n  = note: `-D clippy::needless-pass-by-value` implied by `-D warnings`",
                "clippy::needless-pass-by-value: this argument is passed by value",
            ),
            (
                "cmd/main.go:19:13: G304: Potential file inclusion (gosec)",
                "gosec G304: Potential file inclusion",
            ),
            ("cmd/a.go:1:2: undefined: x (typecheck)", ""),
            ("foo_test.go:42: want 3, got 4", ""),
            ("12:30:01 error something failed (again)", ""),
            ("see a.go:3: it is (probably) fine", ""),
            ("2 problems (2 errors, 0 warnings)", ""),
        ];
        for (output, expected) in cases {
            assert_eq!(told(output), expected, "{output}");
        }
    }

    #[test]
    fn a_flood_of_rules_teaches_nothing() {
        let line = |n| format!("a.go:{n}:1: something is not right (rule{n})");
        let lines: Vec<String> = (0..20).map(line).collect();
        assert_eq!(told(&lines.join("\n")), "");
    }
}
