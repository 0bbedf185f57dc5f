//! The checks of `oldhand doctor`. Each looks at one thing and never fails itself.

mod agents;
mod delivery;
pub(crate) mod repair;
mod sessions;

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use oldhand_domain::error::StoreError;
use oldhand_domain::filter::{Filter, Only};
use oldhand_domain::port::MemoryReader as _;
use oldhand_engine::rules::is_unsaid;
use oldhand_store::{BackupReason, Finding, Mode, SqliteStore, list_backups};

use crate::cli::edit;
use crate::cli::forget::half_removed;
use crate::cli::import::rules::said;
use crate::config::{Environment, Layered, Listening, Settings};
use crate::desk::{backups_of_gone, describe_look_alike, make_one, refuse_gone};
use crate::explain::Explained;
use crate::out::Out;
use crate::out::time::{ago, count};
use crate::project::{self, Entry, Found, Location, Project, Registry};

pub(crate) use agents::{connected_agents, on_path, silent_agents};

/// What was looked at, what was found, and what to do about it.
pub(crate) struct Check {
    pub(crate) name: &'static str,
    pub(crate) ok: bool,
    pub(crate) detail: String,
    pub(crate) fix: Option<String>,
}

impl Check {
    pub(crate) fn good(name: &'static str, detail: impl Into<String>) -> Self {
        Self {
            name,
            ok: true,
            detail: detail.into(),
            fix: None,
        }
    }

    pub(crate) fn bad(
        name: &'static str,
        detail: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            name,
            ok: false,
            detail: detail.into(),
            fix: Some(fix.into()),
        }
    }

    fn failed(name: &'static str, error: &anyhow::Error) -> Self {
        let explained = Explained::of(error);
        Self {
            name,
            ok: false,
            detail: explained.message,
            // Who is told has just asked it.
            fix: explained
                .hint
                .filter(|hint| !hint.contains("`oldhand doctor`")),
        }
    }
}

/// Every check, from the outside in.
pub(crate) fn examine(environment: &Environment) -> Vec<Check> {
    let mut checks = vec![check_home(environment), check_variables(environment)];
    checks.extend(check_edits(environment));
    let found = project::find(
        &environment.home,
        &environment.folder,
        environment.user_home.as_deref(),
    );
    let project = match &found {
        Ok(Found::Known(project)) => Some(project),
        _ => None,
    };
    checks.push(check_settings(environment, project));
    checks.push(check_projects(environment));
    checks.push(match &found {
        Ok(Found::Known(Project { name, location, .. })) => {
            Check::good("project", format!("{name}, at {}", location.root.display()))
        }
        Ok(Found::Unknown(location)) => check_stranger(environment, location),
        Err(error) => Check::failed("project", error),
    });
    let now = environment.now;
    if let Some(project) = project {
        checks.extend(check_switch(environment, project));
        checks.extend(check_journal(project));
        checks.extend(check_database(
            "database",
            "backups",
            &project.database(),
            Some(&project.name),
            now,
        ));
        // Settings that cannot be read are told by their own check.
        if let Ok(settings) = Settings::read(environment, Some(&project.directory)) {
            checks.extend(crate::code::check(project, &settings));
        }
        checks.extend(check_rules(project));
        checks.extend(sessions::check_sessions(project, now));
        checks.extend(delivery::check_delivery(project));
        checks.extend(delivery::check_lateness(project, now));
        checks.extend(delivery::check_unknown(project, now));
    }
    let personal = environment.personal_database();
    if personal.exists() || backups_of_gone(&personal).is_some() {
        checks.extend(check_database(
            "personal",
            "its backups",
            &personal,
            None,
            now,
        ));
    }
    let root = match &found {
        Ok(Found::Known(Project { location, .. }) | Found::Unknown(location)) => {
            Some(location.root.as_path())
        }
        Err(_) => None,
    };
    checks.extend(agents::check_agents(
        environment,
        root,
        root.filter(|_| project.is_some()),
    ));
    checks
}

fn check_home(environment: &Environment) -> Check {
    const NAME: &str = "home";
    let home = &environment.home;
    let shown = home.display();
    if !home.exists() {
        // It is made below the first folder that is there.
        let above = home.ancestors().find(|above| above.exists());
        return match above.map(probe) {
            Some(Err(error)) => Check::bad(
                NAME,
                format!("{shown} cannot be made: {error}"),
                "set OLDHAND_HOME to a folder that you may write to",
            ),
            _ => Check::good(
                NAME,
                format!("{shown} is made when something is remembered"),
            ),
        };
    }
    if let Err(error) = fs::read_dir(home) {
        return Check::bad(
            NAME,
            format!("{shown} cannot be read: {error}"),
            "make it a folder of your own, or set OLDHAND_HOME to one",
        );
    }
    if let Err(error) = probe(home) {
        let detail = format!("{shown} cannot be written: {error}");
        return Check::bad(
            NAME,
            detail,
            "make it writable; what is there can still be read",
        );
    }
    Check::good(NAME, shown.to_string())
}

/// Whether a file can be made in a folder.
fn probe(folder: &Path) -> std::io::Result<()> {
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe))
}

/// Somebody wanted it so, and may have forgotten.
fn check_switch(environment: &Environment, project: &Project) -> Option<Check> {
    let settings = Settings::read(environment, Some(&project.directory)).ok()?;
    (settings.listening == Listening::Off).then(|| Check {
        fix: Some("`oldhand on` switches it on again".to_owned()),
        ..Check::good(
            "switch",
            "off: agents are neither heard nor told anything in this project",
        )
    })
}

/// Hooks write here and say nothing when they cannot.
fn check_journal(project: &Project) -> Option<Check> {
    let journal = project.directory.join("journal");
    let folder = if journal.exists() {
        journal.as_path()
    } else {
        project.directory.as_path()
    };
    let error = probe(folder).err()?;
    Some(Check::bad(
        "journal",
        format!(
            "{} cannot be written, so nothing is learned: {error}",
            folder.display()
        ),
        "make the folder writable, as it is when you own it",
    ))
}

/// Nothing is broken when a text waits there; it may still be wanted, or be wanted gone.
fn check_edits(environment: &Environment) -> Option<Check> {
    let leftovers = edit::leftovers(&environment.home);
    let first = leftovers.first()?;
    let folder = first.parent()?.display();
    let detail = format!("{} left in {folder}", count(leftovers.len(), "edited text"));
    Some(Check {
        fix: Some("take over what you still want, then remove the rest".to_owned()),
        ..Check::good("edits", detail)
    })
}

fn check_variables(environment: &Environment) -> Check {
    const NAME: &str = "variables";
    let unfit = environment.unfit_variables();
    if !unfit.is_empty() {
        return Check::bad(
            NAME,
            unfit.join("; "),
            "until then it is as if it were not set",
        );
    }
    let unknown = environment.unknown_variables();
    if unknown.is_empty() {
        return Check::good(NAME, "every OLDHAND_ variable that is set is known");
    }
    Check::bad(
        NAME,
        format!("set but not known: {}", unknown.join(", ")),
        "check the spelling; docs/configuration.md lists them",
    )
}

fn check_settings(environment: &Environment, project: Option<&Project>) -> Check {
    let directory = project.map(|project| project.directory.as_path());
    match Layered::read(environment, directory) {
        Ok(_) => Check::good("settings", "every key is known and every value fits"),
        Err(error) => {
            let mut check = Check::failed("settings", &error);
            check
                .detail
                .push_str("; agents are not heard before that is mended");
            check
        }
    }
}

/// Projects without a database are fine; databases without a project are not.
fn check_projects(environment: &Environment) -> Check {
    const NAME: &str = "projects";
    let registry = match Registry::read(&environment.home) {
        Ok(registry) => registry,
        Err(error) => return Check::failed(NAME, &error),
    };
    let known = |name: &str| {
        registry
            .projects()
            .iter()
            .any(|entry| entry.directory == name)
    };
    let number = count(registry.projects().len(), "project");
    if !Registry::is_there(&environment.home) && !registry.projects().is_empty() {
        let detail = format!("the list is gone; {number} found by their folders");
        return Check::bad(NAME, detail, "`oldhand doctor --repair` makes it anew");
    }
    let folder = environment.home.join("projects");
    let there = fs::read_dir(&folder).into_iter().flatten().flatten();
    let strays: Vec<fs::DirEntry> = there
        .filter(|entry| !known(&entry.file_name().to_string_lossy()))
        .collect();
    if !strays.is_empty() {
        let names: Vec<String> = strays
            .iter()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        let lost = registry.lost(&environment.home);
        let fix = if half_removed(&environment.home).len() == strays.len() {
            "`oldhand doctor --repair` removes what was to go".to_owned()
        } else if lost.is_empty() {
            format!("look into {}", folder.display())
        } else {
            let names = lost.join(", ");
            format!("`oldhand doctor --repair` puts into the list again: {names}")
        };
        return Check::bad(NAME, format!("in no list: {}", names.join(", ")), fix);
    }
    let gone: Vec<String> = registry
        .projects()
        .iter()
        .filter(|entry| entry.is_gone())
        .map(Entry::describe)
        .collect();
    if gone.is_empty() {
        return Check::good(NAME, format!("{number} known"));
    }
    let gone = name_some(&gone);
    Check {
        fix: Some(
            "`oldhand status --projects` lists them, `oldhand forget --whole-project NAME` removes one"
                .to_owned(),
        ),
        ..Check::good(
            NAME,
            format!("{number} known; not where they were any more: {gone}"),
        )
    }
}

/// The first of a list that may be long, and how many more there are.
fn name_some(names: &[String]) -> String {
    const MOST: usize = 3;
    let (first, rest) = names.split_at(names.len().min(MOST));
    let more = match rest.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", first.join(", "))
}

/// A place that is not known may be a project that was moved or cloned again.
fn check_stranger(environment: &Environment, location: &Location) -> Check {
    let shown = location.root.display();
    let newcomer = project::look_over(&environment.home, location.clone());
    let look_alikes = newcomer.map(|one| one.look_alikes).unwrap_or_default();
    let told = look_alikes.iter().map(describe_look_alike);
    let told: Vec<String> = std::iter::once(format!("{shown} is not known yet"))
        .chain(told)
        .collect();
    Check {
        fix: make_one(&look_alikes),
        ..Check::good("project", told.join("; "))
    }
}

/// Says what [`check_database`] would of a database that is gone: without a word, nothing would seem to have been learned.
pub(crate) fn tell_lost(project: Option<&Project>, out: &Out) {
    let lost = project.filter(|one| repair::journals_of_gone(&one.database()).is_some());
    if let Some(project) = lost {
        let name = &project.name;
        out.note(&format!("the database of {name} is gone, with no backup"));
        out.hint("`oldhand doctor --repair` learns from its sessions again");
    }
}

fn check_database(
    name: &'static str,
    backups_name: &'static str,
    path: &Path,
    project: Option<&str>,
    now: Timestamp,
) -> Vec<Check> {
    if let Err(error) = refuse_gone(path, project) {
        return vec![
            Check::failed(name, &error),
            check_backups(backups_name, path, now),
        ];
    }
    if let Some(journals) = repair::journals_of_gone(path) {
        let detail = format!("it is gone, with no backup; journals beside it: {journals}");
        let fix = "`oldhand doctor --repair` learns from them again; then `oldhand import rules` takes in what rules files say";
        return vec![Check::bad(name, detail, fix)];
    }
    if !path.exists() {
        return vec![Check::good(name, "there is none yet")];
    }
    let opened = SqliteStore::open(path, Mode::Write);
    let database = match opened {
        Ok(store) => match store.check() {
            Ok(findings) => judge(name, &findings),
            Err(error) => Check::failed(name, &error.into()),
        },
        Err(StoreError::ReadOnly { .. }) => match SqliteStore::open(path, Mode::Read) {
            Ok(_) => Check::good(
                name,
                "can be read; it cannot be written, so it was not checked",
            ),
            Err(error) => Check::failed(name, &error.into()),
        },
        Err(error) => Check::failed(name, &error.into()),
    };
    let mut checks = vec![database, check_backups(backups_name, path, now)];
    checks.extend(check_vectors(path));
    checks
}

/// Nothing is broken when a rule was taken out of its file; whoever still stands by it may say so.
fn check_rules(project: &Project) -> Option<Check> {
    let stale = Filter {
        only: vec![Only::Stale],
        ..Filter::default()
    };
    let store = SqliteStore::open(&project.database(), Mode::Read).ok()?;
    let stale = store.list(&stale).ok()?.memories;
    let unsaid = stale.iter().filter(|memory| is_unsaid(memory)).count();
    (unsaid > 0).then(|| Check {
        fix: Some(said::KEEP.to_owned()),
        ..Check::good(
            "rules",
            format!(
                "{} stale: no rules file says so any more",
                count(unsaid, "rule")
            ),
        )
    })
}

/// Searches make damaged vectors anew once they meet them, and until then do not find by meaning what those are about.
fn check_vectors(database: &Path) -> Option<Check> {
    let damaged = repair::count_damaged(database);
    (damaged > 0).then(|| {
        Check::bad(
            "vectors",
            format!("not as they were written: {damaged}; what they are about is found by its words only"),
            "`oldhand doctor --repair` removes them; the next search makes them anew",
        )
    })
}

fn judge(name: &'static str, findings: &[Finding]) -> Check {
    const MOST: usize = 5;
    if findings.is_empty() {
        return Check::good(
            name,
            "every page, memory and index entry is as it was written",
        );
    }
    let mut words: Vec<String> = findings
        .iter()
        .take(MOST)
        .map(ToString::to_string)
        .collect();
    if findings.len() > MOST {
        words.push(format!("and {} more", findings.len() - MOST));
    }
    let fix = "`oldhand doctor --repair` puts it right and says what it did";
    Check::bad(name, words.join("; "), fix)
}

fn check_backups(name: &'static str, path: &Path, now: Timestamp) -> Check {
    let backups = match list_backups(path) {
        Ok(backups) => backups,
        Err(error) => return Check::failed(name, &error.into()),
    };
    let latest = backups.iter().find_map(|backup| match backup.reason {
        BackupReason::Rolling(at) => Some(at),
        _ => None,
    });
    Check::good(
        name,
        match latest {
            Some(at) => format!("{}, the latest {}", backups.len(), ago(at, now)),
            None => "none yet; one is made with the next change".to_owned(),
        },
    )
}
