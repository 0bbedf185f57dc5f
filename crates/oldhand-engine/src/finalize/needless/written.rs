//! Lines of scripts and tasks by which a program of the project writes a file: `make-docs > docs/cli.md`.

/// How an option ends that names the file to be written.
const OUTPUT: [&str; 6] = [
    "--out",
    "--output",
    "--outfile",
    "--out-file",
    "--output-file",
    "-o",
];

/// Whether a line has a program write this file: behind `>`, behind an option for the output, or as the first thing that is given to what
/// writes (`fs.writeFile("a.json", …)`).
pub(super) fn writes(line: &str, file: &str) -> bool {
    line.match_indices(file).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + file.len()..]);
        !goes_on(after)
            && leads_to_output(without_folder(before).trim_end_matches(['"', '\'', '`']))
    })
}

/// Whether a name is longer than the part of it before this.
pub(super) fn goes_on(after: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    let mut after = after.chars();
    match after.next() {
        Some('.') => after.next().is_some_and(is_part),
        next => next.is_some_and(is_part),
    }
}

/// What stands before a path without what may be said for the top of the project: `./`, `$ROOT/`, `{toxinidir}/`, `$(srcdir)/`.
fn without_folder(before: &str) -> &str {
    let Some(rest) = before.strip_suffix('/') else {
        return before;
    };
    if let Some(rest) = rest.strip_suffix('.') {
        return rest;
    }
    let rest = rest.trim_end_matches(['"', '}', ')']);
    let rest = rest.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    match rest.trim_end_matches(['"', '{', '(']) {
        outer if outer.ends_with('$') => outer.trim_end_matches('$'),
        outer if outer.len() < rest.len() => outer,
        _ => before,
    }
}

fn leads_to_output(before: &str) -> bool {
    let led = before.trim_end();
    if let Some(command) = led.strip_suffix('>') {
        // Not an arrow, a comparison, a closing tag or a second stream.
        let command = command.strip_suffix('>').unwrap_or(command);
        return command.ends_with(' ') && !command.trim().is_empty();
    }
    if let Some(call) = led.strip_suffix('(') {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let name = call.rsplit(|c| !is_part(c)).next().unwrap_or_default();
        return name.to_ascii_lowercase().contains("write");
    }
    let option = led.trim_end_matches('=').rsplit(' ').next();
    let is_apart = led.len() < before.len() || led.ends_with('=');
    is_apart && option.is_some_and(|option| OUTPUT.contains(&option))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_writes_what_it_puts_output_into() {
        for (line, expected) in [
            ("mise usage > docs/cli.md", true),
            ("\tgo run ./cmd/x --write-docs >docs/cli.md", true),
            ("cat >> docs/cli.md <<EOF", true),
            ("run = \"usage --file a.kdl > docs/cli.md\"", true),
            ("x --outfile {toxinidir}/docs/cli.md", true),
            ("x --output=./docs/cli.md", true),
            ("x -o \"$ROOT/docs/cli.md\" a", true),
            ("x > $(srcdir)/docs/cli.md;", true),
            ("await fs.writeFile('docs/cli.md', text);", true),
            ("file::write(\"docs/cli.md\", text)?;", true),
            // It is read, copied, or another file.
            ("x docs/cli.md > out.txt", false),
            ("cp docs/cli.md web/", false),
            ("fs.readFile('docs/cli.md')", false),
            ("x > docs/cli.md.in", false),
            ("x > docs/cli.mdx", false),
            ("x > web/docs/cli.md", false),
            ("x > my-docs/cli.md", false),
            ("x --outline docs/cli.md", false),
            ("write(join(root, 'docs/cli.md'))", false),
            // No output.
            ("a => 'docs/cli.md'", false),
            ("if (a >= 'docs/cli.md')", false),
            ("<a>docs/cli.md</a>", false),
            ("> docs/cli.md", false),
        ] {
            assert_eq!(writes(line, "docs/cli.md"), expected, "{line}");
        }
    }
}
