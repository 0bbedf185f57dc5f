//! What an agent wanted to run, in the form in which a person allows or refuses it: a program with its verb, a script or a target of the
//! project, a check.

use super::program::{has_verbs, is_value};
use super::typed::is_interpreter;
use super::{check_of, is_preparation};
use crate::detect::sequence::is_act;
use crate::outcome::shell::{Simple, commands};

/// With what work is handed in. People order it, so that who refuses it may only mean the moment.
const HANDING: [&str; 6] = [
    "git commit",
    "git push",
    "gh pr create",
    "gh pr merge",
    "glab mr create",
    "glab mr merge",
];

/// Programs whose every use is of its own: which branch, which container, which package.
const OF_THE_MOMENT: [&str; 12] = [
    "git", "gh", "glab", "docker", "kubectl", "pip", "uv", "poetry", "mise", "go", "dart", "swift",
];

/// Verbs of theirs that do the same each time.
const THE_SAME: [&str; 9] = [
    "test", "build", "vet", "publish", "deploy", "apply", "push", "generate", "release",
];

/// Where the project's own scripts begin.
const RUNS: [&str; 3] = ["run", "run-script", "x"];

/// Whether it hands work in.
pub(crate) fn hands_in(what: &str) -> bool {
    HANDING.contains(&what)
}

/// What a line runs that a person may refuse as such, each once.
pub(crate) fn attempted(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for simple in commands(line) {
        if let Some(what) = what(&simple)
            && !found.contains(&what)
        {
            found.push(what);
        }
    }
    found
}

/// The one thing that was refused with a line; nothing where it would have done more than that.
pub(crate) fn refused_in(line: &str) -> Option<String> {
    let run = commands(line);
    let mut acts = run.iter().filter(|simple| !leads_on(simple)).map(what);
    let first = acts.next()??;
    acts.all(|act| act.as_ref() == Some(&first))
        .then_some(first)
}

/// Whether a command only looks, or gets ready for the one that is meant.
fn leads_on(simple: &Simple) -> bool {
    let name = name_of(simple);
    let verb = verbs(simple).next();
    let key = match verb {
        Some(verb) if name == "git" => format!("git {verb}"),
        _ => name.to_owned(),
    };
    is_preparation(simple) || key == "git add" || !is_act(&format!("run {key}"))
}

fn name_of(simple: &Simple) -> &str {
    let program = simple.words.first().map_or("", String::as_str);
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The plain words behind a program.
fn verbs(simple: &Simple) -> impl Iterator<Item = &str> {
    let is_plain = |word: &&str| {
        let mut letters = word.chars();
        !word.starts_with('-')
            && letters.all(|c| c.is_alphanumeric() || matches!(c, '-' | ':' | '_' | '.'))
    };
    let program = name_of(simple);
    let rest = simple.words.get(1..).unwrap_or_default();
    let named = rest.iter().enumerate();
    let named = named.filter(move |(at, _)| !is_value(program, rest, *at));
    let named = named.map(|(_, word)| word.as_str());
    named.take_while(|word| word.len() <= 60).filter(is_plain)
}

/// Whether a path names a script within the project: it begins at no root, drive or home of any system, and leads up nowhere.
fn is_own(path: &str) -> bool {
    path.contains('/')
        && !path.starts_with(['/', '\\', '~', '$', '%', '-'])
        && !path.contains(':')
        && path.split(['/', '\\']).all(|part| part != "..")
        && path.len() <= 80
}

fn what(simple: &Simple) -> Option<String> {
    let (program, name) = (simple.words.first()?.as_str(), name_of(simple));
    if is_interpreter(name) {
        let script = simple.words.get(1).filter(|script| is_own(script))?;
        return Some(format!("{name} {script}"));
    }
    if !has_verbs(name) && !matches!(name, "glab" | "rake") {
        let is_script = is_own(program) && !program.contains("node_modules");
        let is_check = check_of(&simple.words).is_some();
        let what = if is_script { program } else { name };
        return (is_script || is_check).then(|| what.to_owned());
    }
    let mut verbs = verbs(simple);
    let verb = verbs.next()?;
    if matches!(name, "gh" | "glab") {
        let what = format!("{name} {verb} {}", verbs.next()?);
        return hands_in(&what).then_some(what);
    }
    if RUNS.contains(&verb) && !matches!(name, "docker" | "kubectl") {
        let script = verbs.next()?;
        return Some(format!("{name} {verb} {script}"));
    }
    let what = format!("{name} {verb}");
    let is_same = !OF_THE_MOMENT.contains(&name) || THE_SAME.contains(&verb);
    let is_task = name == "mise" && verb.contains(':');
    (hands_in(&what) || name != "git" && (is_same || is_task)).then_some(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_called_by_what_it_runs() {
        for (line, expected) in [
            ("mise run test:ci 2>&1 | tail -5", "mise run test:ci"),
            ("cd web && npm run e2e -- --headed", "npm run e2e"),
            ("make deploy", "make deploy"),
            ("./scripts/release.sh --dry-run", "./scripts/release.sh"),
            ("bash tools/seed.sh users", "tools/seed.sh"),
            ("git commit -m \"feat: a; b\"", "git commit"),
            ("git -c a=b push origin main", "git push"),
            ("gh pr create --draft --title x", "gh pr create"),
            ("go test ./... -race", "go test"),
            ("pytest tests -x", "pytest"),
            ("terraform apply -auto-approve", "terraform apply"),
            ("git status && git diff", ""),
            ("rm -rf build", ""),
            ("git checkout -b fix main", ""),
            ("gh pr view 12 --json title", ""),
            ("docker exec db psql", ""),
            ("docker run postgres", ""),
            ("cat notes.md | head", ""),
            ("/opt/tool/run.sh", ""),
            ("C:/tools/run.sh", ""),
            ("python C:/tools/run.py", ""),
            ("node C:run.js", ""),
            ("../../ana/x.sh", ""),
            ("./tools/../../ana/x.sh", ""),
            ("python ../ana/x.py", ""),
            ("python tools/seed..v2.py", "python tools/seed..v2.py"),
            ("pnpm --filter web test", "pnpm test"),
            ("pnpm -w test", "pnpm test"),
            ("npm --prefix web run e2e", "npm run e2e"),
            ("npm run -w web e2e", "npm run e2e"),
            ("make -C web e2e", "make e2e"),
            ("make -j 8 e2e", "make e2e"),
            ("make -j e2e", "make e2e"),
            ("make -n deploy", "make deploy"),
            ("git -C sub commit -m x", "git commit"),
            ("cargo --package web test", "cargo test"),
            ("kubectl -n shop apply -f k8s", "kubectl apply"),
            ("gh -R shop pr create", "gh pr create"),
        ] {
            assert_eq!(attempted(line).join(", "), expected, "{line}");
        }
    }

    #[test]
    fn what_was_refused_with_a_line_is_known_where_it_does_one_thing() {
        for (line, expected) in [
            (
                "cd web && npm run e2e 2>&1 | grep -c ok",
                Some("npm run e2e"),
            ),
            ("git add a.rs && git commit -m x", Some("git commit")),
            (
                "git -C sub add a.rs && git -C sub commit -m x",
                Some("git commit"),
            ),
            ("mise run fmt && mise run test:ci", None),
            ("git stash && mise run test:ci", None),
            ("rm -rf build && make", None),
            ("rm -rf build", None),
            ("ls", None),
        ] {
            assert_eq!(refused_in(line).as_deref(), expected, "{line}");
        }
    }
}
