//! The rules that linters state: which rule, in whose words, and of which file.

/// A rule a linter held against the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRule {
    /// As the linter names it: `goconst`, `no-unused-vars`, `E501`.
    pub rule: String,
    /// The linter's words about this case.
    pub message: String,
    /// The file that it is about, as the linter writes it.
    pub file: Option<String>,
}

/// More different rules than these in one output are an untended project, not a lesson.
const MOST: usize = 24;

/// Findings of compilers that linters pass on, and levels: they say nothing about how code is written here.
const NOT_RULES: [&str; 5] = ["typecheck", "error", "warning", "compile", "syntax"];

/// Every rule that an output names as broken, once for each file, in order.
pub fn broken_rules(output: &str) -> Vec<BrokenRule> {
    let mut found: Vec<BrokenRule> = Vec::new();
    let mut seen = Seen::default();
    let mut lines = output.lines().map(str::trim_end).peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        let told = placed(line)
            .or_else(|| in_columns(line, seen.file))
            .or_else(|| under_a_line(line, next))
            .or_else(|| of_markdown(line))
            .or_else(|| shellcheck(line, seen.file))
            .or_else(|| of_message(line))
            .or_else(|| clippy(line, &seen));
        if let Some(told) = told
            && !NOT_RULES.contains(&told.rule.as_str())
            && found
                .iter()
                .all(|known| known.rule != told.rule || known.file != told.file)
        {
            found.push(told);
        }
        seen.look_at(line, next);
    }
    let mut rules: Vec<&str> = found.iter().map(|broken| broken.rule.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    if rules.len() > MOST {
        Vec::new()
    } else {
        found
    }
}

/// What an error without its paths and numbers is one case of, where a linter named the rule or what is not used: every name that is
/// not used is one error for each, and one and the same to whoever looks at a list.
pub(super) fn rule_of(message: &str) -> Option<String> {
    let bare = without_runner(message);
    let Some(words) = bare.strip_prefix("<path>: ") else {
        return of_row(bare);
    };
    if let Some(told) = of_words(words, None) {
        return (!NOT_RULES.contains(&told.rule.as_str())).then_some(told.rule);
    }
    let lower = words.to_lowercase();
    let unused = ["not used", "never used", "unused"];
    let is_unused = unused.iter().any(|words| lower.contains(words));
    let is_word = |word: &&str| !word.contains(['"', '\'', '`']) && !word.contains('<');
    let kept: Vec<&str> = match words.rsplit_once(": ") {
        Some((said, name)) if !name.contains(' ') => said.split_whitespace().collect(),
        _ => words.split_whitespace().filter(is_word).collect(),
    };
    is_unused.then(|| kept.join(" "))
}

/// `<n>:<n> error words rule-name`: a row of eslint and its kin.
fn of_row(message: &str) -> Option<String> {
    let mut words = message.split_whitespace();
    let is_row = words.next() == Some("<n>:<n>") && matches!(words.next(), Some("error" | "✖"));
    let rule = words.last().filter(|_| is_row)?;
    (is_name(rule) && rule.contains(['-', '/'])).then(|| rule.to_owned())
}

/// A line without the name that a runner of tasks puts in front: `[lint:go] a.go:3:4: …`.
fn without_runner(line: &str) -> &str {
    match line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "))
    {
        Some((runner, rest)) if !runner.contains(' ') => rest,
        _ => line,
    }
}

/// What the lines before one said that it belongs to.
#[derive(Default)]
struct Seen<'o> {
    /// What a compiler complains of.
    message: &'o str,
    /// The file that the lines are about.
    file: Option<&'o str>,
}

impl<'o> Seen<'o> {
    fn look_at(&mut self, line: &'o str, next: &str) {
        if line.starts_with("error: ") || line.starts_with("warning: ") {
            self.message = line;
            self.file = None;
        }
        // ` --> src/a.rs:1:1`, `In a.sh line 3:`, and a path alone above the rows of eslint.
        let shown = line.trim_start().strip_prefix("--> ").and_then(file_of);
        let named = line
            .strip_prefix("In ")
            .and_then(|rest| rest.split_once(" line ").map(|(file, _)| file));
        // A blank may be in a path, and is in every sentence: what stands above a row is a path.
        let may_be = !line.contains(' ') || is_row(next);
        let alone = file_of(line).filter(|file| may_be && *file == line && is_file(file));
        if let Some(file) = shown.or(named).or(alone) {
            self.file = Some(file);
        }
    }
}

/// `a.go:3:4: words (rule)`, `a.py:3:4: E501 words`, `a.py:3:0: C0114: words (rule)`, `a.rb:3:4: C: Style/Name: words`.
fn placed(line: &str) -> Option<BrokenRule> {
    let line = without_runner(line.trim_start());
    let (place, words) = line.split_once(": ")?;
    let mut parts = place.rsplit(':');
    let is_place = is_number(parts.next()) && !place.contains(' ') && place.contains('.');
    if !is_place {
        return None;
    }
    of_words(words.trim(), file_of(place))
}

/// What stands behind a place: `words (rule)`, `E501 words`, `C: Style/Name: words`.
fn of_words(words: &str, file: Option<&str>) -> Option<BrokenRule> {
    if let Some((message, rule)) = words
        .strip_suffix(')')
        .and_then(|words| words.rsplit_once(" ("))
        && is_name(rule)
    {
        return broken(rule, message, file);
    }
    let (code, message) = words.split_once(' ')?;
    let code = code.trim_end_matches(':');
    if is_code(code) {
        return broken(code, message.trim_start_matches("[*] "), file);
    }
    let (cop, message) = message
        .trim_start_matches("[Correctable] ")
        .split_once(": ")?;
    let is_cop = |name: &str| {
        name.contains('/')
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '/')
    };
    (code.len() == 1 && is_cop(cop)).then(|| broken(cop, message, file))?
}

/// `  12:5  error  words  rule-name`, as eslint and its kin print it below the name of the file.
fn in_columns(line: &str, file: Option<&str>) -> Option<BrokenRule> {
    let mut columns = line
        .split("  ")
        .map(str::trim)
        .filter(|cell| !cell.is_empty());
    let (place, level) = (columns.next()?, columns.next()?);
    if !is_spot(place) || !matches!(level, "error" | "✖") {
        return None;
    }
    let (message, rule) = (columns.next()?, columns.last()?);
    is_name(rule).then(|| broken(rule, message, file))?
}

/// `a.tsx:4:25 lint/style/useConst ━━━`, as biome draws it, with the words below; `F401 [*] words` above ` --> a.py:1:8`, as ruff does.
fn under_a_line(line: &str, next: &str) -> Option<BrokenRule> {
    let line = line.trim_start();
    if let Some(place) = next.trim_start().strip_prefix("--> ") {
        let (code, message) = line.split_once(' ')?;
        let file = file_of(place);
        return is_code(code)
            .then(|| broken(code, message.trim_start_matches("[*] "), file))
            .flatten();
    }
    if !line.contains("━━") {
        return None;
    }
    let mut words = line.strip_prefix("at ").unwrap_or(line).split_whitespace();
    let (place, rule) = (words.next()?, words.next()?);
    let file = file_of(place).filter(|file| is_file(file))?;
    let is_group = rule.starts_with("lint/") || rule.starts_with("assist/");
    let is_rule = is_group || matches!(rule, "format" | "organizeImports");
    let told = next.trim_start_matches(|c: char| !c.is_alphanumeric());
    is_rule.then(|| BrokenRule {
        rule: rule.to_owned(),
        message: told.trim_end_matches('.').to_owned(),
        file: Some(file.to_owned()),
    })
}

/// `a.md:72 error MD040/fenced-code-language words`, as markdownlint prints it.
fn of_markdown(line: &str) -> Option<BrokenRule> {
    let (place, words) = line.trim_start().split_once(' ')?;
    let file = file_of(place).filter(|file| is_file(file))?;
    let mut parts = place[file.len()..].split(':').skip(1);
    if !is_number(parts.next()) {
        return None;
    }
    let (rule, message) = words.trim_start_matches("error ").split_once(' ')?;
    let (code, name) = rule.split_once('/')?;
    let is_rule = code.starts_with("MD") && is_code(code) && is_name(name);
    let message = message.split(" [").next().unwrap_or(message);
    is_rule.then(|| broken(rule, message, Some(file)))?
}

/// `^-- SC2086 (info): words`, below the name of the file.
fn shellcheck(line: &str, file: Option<&str>) -> Option<BrokenRule> {
    let (_, rest) = line.split_once("-- SC")?;
    let (code, words) = rest.split_once(' ')?;
    let (_, message) = words.split_once("): ")?;
    is_number(Some(code)).then(|| broken(&format!("SC{code}"), message, file))?
}

/// `✖   subject may not be empty [subject-empty]`: a rule for the message of a commit, which no file has.
fn of_message(line: &str) -> Option<BrokenRule> {
    let words = line.trim_start().strip_prefix('✖')?.trim();
    let (message, rule) = words.strip_suffix(']')?.rsplit_once(" [")?;
    (is_name(rule) && rule.contains('-')).then(|| broken(rule, message, None))?
}

/// `= note: `-D clippy::rule` implied by …`, or `= help: … index.html#rule`, under `error: words`.
fn clippy(line: &str, seen: &Seen<'_>) -> Option<BrokenRule> {
    let words = line.trim_start();
    let rest = if let Some(note) = words.strip_prefix("= note:") {
        note.split_once("clippy::")?.1
    } else {
        let help = words.strip_prefix("= help:")?;
        help.split_once("rust-clippy/")?.1.split_once('#')?.1
    };
    let end = rest
        .find(|c: char| !(c.is_ascii_lowercase() || matches!(c, '_' | '-')))
        .unwrap_or(rest.len());
    let message = seen.message.split_once(": ")?.1;
    let rule = format!("clippy::{}", rest[..end].replace('-', "_"));
    (end > 2).then(|| broken(&rule, message, seen.file))?
}

fn broken(rule: &str, message: &str, file: Option<&str>) -> Option<BrokenRule> {
    let message = message.trim().trim_end_matches('.');
    if message.len() < 8 {
        return None;
    }
    // One linter for many rules tells them apart by a code of its own: `G304: …  (gosec)`.
    let (rule, message) = match message.split_once(": ").filter(|(code, _)| is_code(code)) {
        Some((code, words)) => (format!("{rule} {code}"), words),
        None => (rule.to_owned(), message),
    };
    Some(BrokenRule {
        rule,
        message: message.to_owned(),
        file: file.map(str::to_owned),
    })
}

fn is_number(part: Option<&str>) -> bool {
    part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

/// The path in front of the first colon, but for the one behind a drive: `C:\app\a.py` of `C:\app\a.py:3:1`.
fn file_of(place: &str) -> Option<&str> {
    let bytes = place.as_bytes();
    let is_drive = bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.get(1) == Some(&b':')
        && matches!(bytes.get(2), Some(b'\\' | b'/'));
    let drive = if is_drive { 2 } else { 0 };
    let end = place[drive..].find(':').map(|end| drive + end);
    place.get(..end.unwrap_or(place.len()))
}

/// `12:5`
fn is_spot(place: &str) -> bool {
    let spot = place.split_once(':');
    spot.is_some_and(|(row, column)| is_number(Some(row)) && is_number(Some(column)))
}

/// Whether a line is a row of eslint, whatever its level.
fn is_row(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next().is_some_and(is_spot)
        && matches!(words.next(), Some("error" | "warning" | "✖" | "⚠"))
}

/// Whether a word may be the path of a file: the last step has an ending.
fn is_file(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| {
        (1..=10).contains(&ending.len()) && ending.bytes().all(|b| b.is_ascii_alphanumeric())
    })
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
            .map(|broken| {
                let file = broken.file.as_deref().unwrap_or("-");
                format!("{file}: {}: {}", broken.rule, broken.message)
            })
            .collect();
        lines.join(" | ")
    }

    #[test]
    fn each_linter_names_its_rules_its_own_way() {
        let cases = [
            (
                "cmd/a.go:81:15: string `x` has 3 occurrences, make it a constant (goconst)\n\tagent := \"x\"\n1 issues:",
                "cmd/a.go: goconst: string `x` has 3 occurrences, make it a constant",
            ),
            (
                "[lint:go] cmd/b.go:87:1: New returns interface (pkg.Strategy) (ireturn)",
                "cmd/b.go: ireturn: New returns interface (pkg.Strategy)",
            ),
            (
                "src/a.ts\n  12:5  error  'x' is assigned a value but never used  @typescript-eslint/no-unused-vars\n",
                "src/a.ts: @typescript-eslint/no-unused-vars: 'x' is assigned a value but never used",
            ),
            (
                "C:\\work\\web\\src\\a.ts\n  12:5  error  'x' is assigned a value but never used  no-unused-vars\n",
                "C:\\work\\web\\src\\a.ts: no-unused-vars: 'x' is assigned a value but never used",
            ),
            (
                "/home/me/My Shop/src/a.ts\n  3:1  warning  Unexpected any here  no-any\n  12:5  error  'x' is assigned a value but never used  no-unused-vars\n",
                "/home/me/My Shop/src/a.ts: no-unused-vars: 'x' is assigned a value but never used",
            ),
            // A sentence that ends in a path names no file of the rows below.
            (
                "src/a.ts\nsee docs/lint.md\n\n  12:5  error  'x' is assigned a value but never used  no-unused-vars\n",
                "src/a.ts: no-unused-vars: 'x' is assigned a value but never used",
            ),
            (
                "C:/app/a.py:3:1: F401 [*] `os` imported but unused",
                "C:/app/a.py: F401: `os` imported but unused",
            ),
            // A warning stops nobody.
            (
                "src/a.ts\n  12:5  warning  Unexpected any. Specify another type  no-explicit-any\n",
                "",
            ),
            (
                "app/a.py:3:1: F401 [*] `os` imported but unused",
                "app/a.py: F401: `os` imported but unused",
            ),
            (
                "F401 [*] `os` imported but unused\n --> app/a.py:1:8\n  |\n1 | import os",
                "app/a.py: F401: `os` imported but unused",
            ),
            (
                "error: this argument is passed by value\n --> src/a.rs:1:1\n  = note: `-D clippy::needless-pass-by-value` implied by `-D warnings`",
                "src/a.rs: clippy::needless_pass_by_value: this argument is passed by value",
            ),
            (
                "error: unneeded return statement\n --> src/a.rs:1:1\n  |\n  = help: for further information visit https://lints.example/rust-clippy/master/index.html#needless_return",
                "src/a.rs: clippy::needless_return: unneeded return statement",
            ),
            (
                "cmd/main.go:19:13: G304: Potential file inclusion (gosec)",
                "cmd/main.go: gosec G304: Potential file inclusion",
            ),
            (
                " at web/src/Tab.tsx:44:25 lint/correctness/useHookDeps  FIXABLE  ━━━━━━━━━━\n\n  × This hook",
                "web/src/Tab.tsx: lint/correctness/useHookDeps: ",
            ),
            (
                " at web/src/tab.ts:5:1 assist/source/organizeImports  FIXABLE  ━━━━━━━━━━\n\n  × The imports and exports are not sorted.",
                "web/src/tab.ts: assist/source/organizeImports: ",
            ),
            (
                "web/src/tab.ts format ━━━━━━━━━━━━━\n  × Formatter would have printed the following content:",
                "web/src/tab.ts: format: Formatter would have printed the following content:",
            ),
            (
                "✖ markdownlint --fix:\n/p/docs/a.md:72 error MD040/fenced-code-language Fenced code blocks should have a language specified [Context: \"```\"]",
                "/p/docs/a.md: MD040/fenced-code-language: Fenced code blocks should have a language specified",
            ),
            (
                "In bin/up.sh line 3:\necho $1\n     ^-- SC2086 (info): Double quote to prevent globbing and word splitting.",
                "bin/up.sh: SC2086: Double quote to prevent globbing and word splitting",
            ),
            (
                "app/a.rb:3:4: C: [Correctable] Style/StringLiterals: Prefer single-quoted strings.",
                "app/a.rb: Style/StringLiterals: Prefer single-quoted strings",
            ),
            (
                "⧗   input: x\n✖   subject may not be empty [subject-empty]\n✖   found 1 problems, 0 warnings",
                "-: subject-empty: subject may not be empty",
            ),
            // Once for each file.
            (
                "a.go:1:2: error is not nil but it returns nil (nilerr)\na.go:5:2: error is not nil but it returns nil (nilerr)\nb.go:1:2: error is not nil but it returns nil (nilerr)",
                "a.go: nilerr: error is not nil but it returns nil | b.go: nilerr: error is not nil but it returns nil",
            ),
            ("cmd/a.go:1:2: undefined: x (typecheck)", ""),
            ("foo_test.go:42: want 3, got 4", ""),
            ("12:30:01 error something failed (again)", ""),
            ("see a.go:3: it is (probably) fine", ""),
            ("2 problems (2 errors, 0 warnings)", ""),
            ("README.md:3 error while reading the file", ""),
        ];
        for (output, expected) in cases {
            assert_eq!(told(output), expected, "{output}");
        }
    }

    #[test]
    fn what_an_error_is_one_case_of_is_told_by_the_rule() {
        for (message, expected) in [
            (
                "<path>: Error return value of `a.Close` is not checked (errcheck)",
                "errcheck",
            ),
            (
                "<path>: Error return value is not checked (errcheck)",
                "errcheck",
            ),
            (
                "[lint:go] <path>: G104: Errors unhandled (gosec)",
                "gosec G104",
            ),
            ("<path>: G104: Errors unhandled (gosec)", "gosec G104"),
            ("<path>: F401 [*] `os` imported but unused", "F401"),
            (
                "<n>:<n> error 'x' is never used @typescript-eslint/no-unused-vars",
                "@typescript-eslint/no-unused-vars",
            ),
            (
                "<path>: \"encoding/json\" imported and not used",
                "imported and not used",
            ),
            (
                "<path>: \"<path>\" imported and not used",
                "imported and not used",
            ),
            (
                "<path>: declared and not used: strat",
                "declared and not used",
            ),
            ("<path>: undefined: strat", ""),
            ("<path>: undefined: errors (typecheck)", ""),
            ("error: no such table: users", ""),
            ("test TestResume fails", ""),
        ] {
            assert_eq!(rule_of(message).unwrap_or_default(), expected, "{message}");
        }
    }

    #[test]
    fn a_flood_of_rules_teaches_nothing() {
        let line = |n| format!("a.go:{n}:1: something is not right (rule{n})");
        let lines: Vec<String> = (0..25).map(line).collect();
        assert_eq!(told(&lines.join("\n")), "");
        assert_ne!(told(&lines[..24].join("\n")), "");
    }
}
