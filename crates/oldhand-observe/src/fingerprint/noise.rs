//! Lines that are no error whatever words they have: source code, settings, differences, warnings.

/// A line of somebody's code, a setting or a difference, which is no error whatever words it has.
pub(super) fn is_source(line: &str) -> bool {
    // Runners print the code around a failure with its numbers: `12 | throw new Error("x")`.
    let bare = line
        .split_once("] ")
        .filter(|(name, _)| name.starts_with('[') && !name.contains(' '));
    let bare = bare
        .map_or(line, |(_, rest)| rest)
        .trim_start_matches(['>', ' ']);
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < bare.len() && digits.trim_start().starts_with('|');
    let code = bare.ends_with(['{', '}', ';'])
        && !bare.contains(": ")
        && bare.contains(['(', '=', '{', '}']);
    let code = code
        || bare.ends_with(';') && bare.starts_with("throw ")
        || bare.starts_with("export ") && bare.contains('=');
    let difference =
        line.starts_with("+ ") || line.starts_with("@@ ") || line.starts_with("diff --git");
    numbered || code || difference || bare.starts_with("func ") || bare.starts_with("import ")
}

/// A line that only warns: the run went on.
pub(super) fn is_warning(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    [
        "npm warn",
        "warning:",
        "warn:",
        "(node:",
        "deprecationwarning",
    ]
    .iter()
    .any(|start| lower.starts_with(start))
}

#[test]
fn code_settings_differences_and_warnings_are_no_errors() {
    for line in [
        "[test] 12 | throw new Error(\"setup never completed\");",
        "> 12 |   expect(error).toBe(1)",
        "throw new Error(\"setup never completed\");",
        "func Get(name string) (Strategy, error) {",
        "[lint:go] func Get(name string) (Strategy, error) {",
        "export TREAT_MISSING_BASELINES_AS_TEST_FAILURES\\=NO",
        "+ return errors.New(\"failed\")",
        "diff --git a/error.go b/error.go",
        "npm warn Unknown user config \"nodedir\". This will stop working",
        "warning: unused variable: `failed`",
        "(node:123) Warning: something failed",
    ] {
        assert!(is_source(line) || is_warning(line), "{line}");
        assert_eq!(super::fingerprint(line), None, "{line}");
    }
    for line in [
        "error: no field `ttl` on type `Cache`",
        "src/a.go:3:4: undefined: cacheSize",
        "TypeError: cacheSize is not a function",
        "error TS2345: Argument of type '{ a: string; }' is not assignable to 'Cache'",
        "FATAL: role \"web\" does not exist",
    ] {
        assert!(!is_source(line) && !is_warning(line), "{line}");
    }
}
