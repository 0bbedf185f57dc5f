//! Whether clients that were told to call us can: a hook that never runs says nothing about it.

mod silent;
mod version;

use std::path::{Path, PathBuf};

use super::Check;
use crate::agent::Agent;
use crate::config::Environment;
use crate::out::time::count;
use crate::wire::trust::{self, Standing};
use crate::wire::{self, Client, Hook, Piece, Place, Reach, Wiring};
use silent::Surroundings;

/// One check for each client that is wired, for the user or in the repository at `root`: everything that keeps it from
/// calling, or that all is well.
pub(super) fn check_agents(
    environment: &Environment,
    root: Option<&Path>,
    project: Option<&Path>,
) -> Vec<Check> {
    Client::ALL
        .into_iter()
        .flat_map(|client| check(client, environment, root, project))
        .collect()
}

/// What keeps clients that are wired from calling, in a project at `root`.
pub(crate) fn silent_agents(environment: &Environment, root: &Path) -> Vec<Check> {
    let mut checks = check_agents(environment, Some(root), Some(root));
    checks.retain(|check| !check.ok);
    checks
}

/// The agents whose hooks call us in the repository at `root`.
pub(crate) fn connected_agents(environment: &Environment, root: &Path) -> Vec<Agent> {
    let calls = |client: Client| {
        let mut places = places(client, environment, Some(root)).into_iter();
        places.any(|(_, place)| {
            let text = wire::read(&place.path).ok().flatten();
            text.is_some_and(|text| !wire::look(&place, &text).hooks.is_empty())
        })
    };
    let client_of = |agent: &Agent| {
        let mut clients = Client::ALL.into_iter();
        clients.find(|client| client.as_str() == agent.as_str())
    };
    let all = Agent::ALL.into_iter();
    all.filter(|agent| client_of(agent).is_some_and(calls))
        .collect()
}

fn check(
    client: Client,
    environment: &Environment,
    root: Option<&Path>,
    project: Option<&Path>,
) -> Vec<Check> {
    let name = client.as_str();
    let again = format!("`oldhand install {name}` writes it anew");
    let mut problems: Vec<Check> = Vec::new();
    let mut found: Vec<String> = Vec::new();
    let (mut has_hooks, mut has_server) = (false, false);
    for (reach, place) in places(client, environment, root) {
        let text = match wire::read(&place.path) {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(error) => {
                problems.push(Check::failed(name, &error));
                continue;
            }
        };
        let shown = place.path.display();
        if !wire::is_readable(&place, &text) {
            // Somebody else's file that we never wrote to is not ours to complain about.
            if text.contains("oldhand") {
                problems.push(Check::bad(
                    name,
                    format!("{shown} cannot be read, so nothing in it counts"),
                    "put the file right; a comma or a bracket is usually missing",
                ));
            }
            continue;
        }
        let wiring = wire::look(&place, &text);
        has_hooks |= !wiring.hooks.is_empty();
        has_server |= wiring.server.is_some();
        // What others share cannot say where one of them keeps things.
        let needs = match reach {
            Reach::Repository if environment.is_moved => ", for agents started with OLDHAND_HOME",
            _ => "",
        };
        if !wiring.hooks.is_empty() {
            let hooks = count(wiring.hooks.len(), "hook");
            found.push(format!("{hooks} in {shown}{needs}"));
        }
        if wiring.server.is_some() {
            found.push(format!("server in {shown}{needs}"));
        }
        let told = binaries(&place, &wiring)
            .or_else(|| mismatch(&place, &wiring.hooks))
            .or_else(|| homes(&place, &wiring, environment).filter(|_| reach == Reach::User))
            .map(|detail| Check::bad(name, detail, again.clone()));
        problems.extend(told);
        if wiring.is_there()
            && let Some(detail) = wire::obstacle(client, &place, &text)
        {
            problems.push(Check::bad(name, detail, "take it out"));
        }
        if wiring.server.is_some_and(|server| server.is_off) {
            let detail = format!("the server is switched off in {shown}");
            problems.push(Check::bad(name, detail, "switch it on there"));
        }
        problems.extend(unapproved(&place, &text, root));
    }
    if found.is_empty() {
        return problems;
    }
    let surroundings = Surroundings {
        environment,
        root,
        project,
        variable: &|name: &str| Environment::other_variable(name),
        read: &|path: &Path| wire::read(path).ok().flatten(),
        has_hooks,
        has_server,
    };
    let ways = silent::ways(client, &surroundings);
    problems.extend(
        ways.into_iter()
            .map(|(detail, fix)| Check::bad(name, detail, fix)),
    );
    problems.extend(version::check(client).map(|(detail, fix)| Check::bad(name, detail, fix)));
    if problems.is_empty() {
        problems.push(Check::good(name, found.join(", ")));
    }
    let unseen = silent::unseen(client, &surroundings);
    problems.extend(unseen.map(|(detail, fix)| Check {
        fix: Some(fix),
        ..Check::good(name, detail)
    }));
    problems
}

fn places(client: Client, environment: &Environment, root: Option<&Path>) -> Vec<(Reach, Place)> {
    let user = client.places(Reach::User, environment, Path::new(""));
    let here = root.map(|root| client.places(Reach::Repository, environment, root));
    let user = user.into_iter().map(|place| (Reach::User, place));
    let here = here.into_iter().flatten();
    user.chain(here.map(|place| (Reach::Repository, place)))
        .collect()
}

/// Hooks or a server that keep what they hear elsewhere than here.
fn homes(place: &Place, wiring: &Wiring, environment: &Environment) -> Option<String> {
    let is_elsewhere = |home: &Option<String>| match home {
        Some(named) => Path::new(named) != environment.home,
        None => environment.is_moved,
    };
    let hooks = wiring.hooks.iter().map(|hook| ("hooks", hook.home()));
    let server = wiring.server.iter();
    let server = server.map(|server| ("server's settings", server.home.clone()));
    let (what, other) = hooks.chain(server).find(|(_, home)| is_elsewhere(home))?;
    let (shown, here) = (place.path.display(), environment.home.display());
    Some(match other {
        Some(other) => format!("its {what} in {shown} belong to {other}, and this is {here}"),
        None => format!("its {what} in {shown} do not name {here} and look elsewhere"),
    })
}

/// What is wrong with what is run.
fn binaries(place: &Place, wiring: &Wiring) -> Option<String> {
    let hooks = wiring.hooks.iter().map(|hook| ("hooks", hook.binary()));
    let server = wiring
        .server
        .iter()
        .map(|server| ("server", server.binary.clone()));
    hooks.chain(server).find_map(|(what, binary)| {
        let shown = place.path.display();
        let verb = if what == "hooks" { "run" } else { "runs" };
        if !Path::new(&binary).is_absolute() {
            let found = on_path(&binary).is_some();
            return (!found).then(|| {
                format!("its {what} in {shown} {verb} `{binary}`, which is not on your PATH")
            });
        }
        match std::fs::metadata(&binary) {
            Err(_) => Some(format!("its {what} {verb} {binary}, which is not there")),
            Ok(file) if !may_run(&file) => {
                Some(format!("its {what} {verb} {binary}, which may not be run"))
            }
            Ok(_) => None,
        }
    })
}

#[cfg(unix)]
fn may_run(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.is_file() && file.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn may_run(file: &std::fs::Metadata) -> bool {
    file.is_file()
}

/// Hooks that are not those of this version.
fn mismatch(place: &Place, hooks: &[Hook]) -> Option<String> {
    let first = hooks.first()?;
    let shown = place.path.display();
    if hooks.iter().any(|hook| hook.command != first.command) {
        return Some(format!("its hooks in {shown} differ"));
    }
    let wanted = place.pieces.iter().find_map(|piece| match piece {
        Piece::Hooks(agent) => Some(wire::events(*agent)),
        _ => None,
    })?;
    let missing: Vec<&str> = wanted
        .iter()
        .copied()
        .filter(|event| !hooks.iter().any(|hook| hook.event == *event))
        .collect();
    (!missing.is_empty()).then(|| format!("{shown} has no hook for {}", missing.join(", ")))
}

/// Codex skips what its user did not approve, or approved as it was before, without a word. Codex itself knows best; where it cannot be
/// asked, its settings say what was ever approved.
fn unapproved(place: &Place, text: &str, root: Option<&Path>) -> Vec<Check> {
    let name = Client::Codex.as_str();
    let is_hooks = place.pieces.contains(&Piece::Hooks(Agent::Codex));
    if !is_hooks || wire::look(place, text).hooks.is_empty() {
        return Vec::new();
    }
    let shown = place.path.display();
    let skipped = |number: usize, why: &str| {
        (number > 0).then(|| {
            let hooks = count(number, "hook");
            Check::bad(
                name,
                format!("{hooks} in {shown} {why}, so Codex skips them without a word"),
                "start `codex` and approve the hooks when it asks, or `oldhand install codex --trust`",
            )
        })
    };
    let folder = root.or(place.path.parent()).unwrap_or(Path::new("/"));
    let asked = on_path(Client::Codex.program())
        .and_then(|_| trust::ask(&place.path, folder).ok())
        .filter(|known| !known.is_empty());
    let Some(known) = asked else {
        let config = wire::read(&place.path.with_file_name("config.toml"));
        let config = config.ok().flatten().unwrap_or_default();
        let waiting = trust::unapproved(&place.path, &config).len();
        return skipped(waiting, "not approved").into_iter().collect();
    };
    let number = |standing| {
        known
            .iter()
            .filter(|hook| hook.standing == standing)
            .count()
    };
    let off = known.iter().filter(|hook| !hook.is_on).count();
    let off = (off > 0).then(|| {
        let detail = format!("{} in {shown} switched off", count(off, "hook"));
        Check::bad(name, detail, "in `codex`, `/hooks` switches them on again")
    });
    let new = skipped(number(Standing::New), "not approved");
    let changed = skipped(number(Standing::Changed), "changed since you approved them");
    [new, changed, off].into_iter().flatten().collect()
}

/// The program of this name that a shell would run.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = Environment::other_variable("PATH")?;
    let names = if cfg!(windows) {
        vec![format!("{program}.exe"), format!("{program}.cmd")]
    } else {
        vec![program.to_owned()]
    };
    std::env::split_paths(&path)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|file| std::fs::metadata(file).is_ok_and(|file| may_run(&file)))
}
