//! What the tools of a language run in the surroundings of a project.

use super::skip_options;

/// What `poetry run X`, `bundle exec X`, `pnpm exec X` run; `None` when the tool speaks for itself.
pub(super) fn runner_rest<'a>(name: &str, after: &'a [String]) -> Option<&'a [String]> {
    let verb = after.first()?.as_str();
    let verbs: &[&str] = match name {
        "bundle" | "mise" => &["exec", "x"],
        "npm" | "pnpm" | "yarn" => &["exec", "dlx"],
        _ => &["run"],
    };
    if !verbs.contains(&verb) {
        return None;
    }
    let rest = skip_options(
        &after[1..],
        &[
            "-n",
            "-p",
            "--name",
            "--with",
            "--extra",
            "--group",
            "--python",
            "--package",
            "--filter",
            "-C",
        ],
    );
    let rest = rest.strip_prefix(&["--".to_owned()][..]).unwrap_or(rest);
    // A script that the project named, and no program.
    let is_script = matches!(name, "pdm" | "hatch" | "rye" | "pipenv")
        && rest.first().is_some_and(|inner| is_script_name(inner));
    (!is_script).then_some(rest)
}

fn is_script_name(word: &str) -> bool {
    const NAMES: [&str; 6] = ["test", "tests", "lint", "check", "build", "typecheck"];
    word.split([':', '-', '_'])
        .any(|part| NAMES.contains(&part))
        && !word.contains(['/', '.'])
}
