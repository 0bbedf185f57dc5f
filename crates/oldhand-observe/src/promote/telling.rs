//! Whether what recurs says more than everybody knows: where files lie, and that changes are checked.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::{BuiltInType, Payload};
use oldhand_domain::signal::SignalKind;

use super::Dropped;
use crate::distill::{Candidate, Frequency, Origin};
use crate::outcome::commands::{classify, format_commands, is_own_name};

/// Sessions that must have edited both files of a pair, or else used both. However often files of one folder are read side by side, that says
/// no more than that they lie there.
const IN_ONE_FOLDER: (u32, Option<u32>) = (3, None);
const ACROSS_FOLDERS: (u32, Option<u32>) = (2, Some(5));
/// Sessions that must have edited both where commits do not say so, too.
const WITHOUT_COMMITS: u32 = 5;
/// With fewer files than this a module has no beginning.
const MODULE_FILES: u32 = 4;

/// Whether something that recurs says more than where files lie.
pub(super) fn telling(candidate: &Candidate, frequency: &Frequency) -> Result<(), Dropped> {
    if candidate.origin == Origin::Signal(SignalKind::FileAccess) {
        let file = candidate.files.first().map_or("", ProjectPath::as_str);
        let named = crate::paths::is_config(file) || crate::paths::is_entry(file);
        let is_plan = crate::paths::is_for_agents(file);
        if crate::paths::module_of(file) == "." || named || is_plan {
            return Err(Dropped::Everybodys);
        }
        let files = module_files(candidate, frequency);
        if (1..MODULE_FILES).contains(&files) {
            return Err(Dropped::SmallModule { files });
        }
    }
    let config = candidate.origin == Origin::Signal(SignalKind::ConfigTouch);
    if config && crate::paths::is_manifest(configured(candidate)) {
        return Err(Dropped::Manifest);
    }
    if config && (is_of_a_tool(configured(candidate)) || is_of_the_top(candidate)) {
        return Err(Dropped::Everybodys);
    }
    if let Some((a, b)) = candidate.pair() {
        let (a, b) = (a.as_str(), b.as_str());
        // What agents are told is changed for whatever they got wrong.
        if crate::paths::is_rules_file(a) || crate::paths::is_rules_file(b) {
            return Err(Dropped::ProseBesideCode);
        }
        let any = |is_so: fn(&str) -> bool| is_so(a) || is_so(b);
        if any(crate::paths::is_written_by_program) {
            return Err(Dropped::ByProgram);
        }
        if any(crate::paths::is_manifest) {
            return Err(Dropped::Manifest);
        }
        // What tells of all of a project changes with all of it.
        if any(crate::paths::is_overview) && differ(candidate, crate::paths::is_prose) {
            return Err(Dropped::ProseBesideCode);
        }
        // Names that say it say it to everybody.
        if crate::paths::say_it(a, b) {
            return Err(Dropped::NamesSayIt);
        }
        // Documents go with the code, and its tests go with it, too.
        if differ(candidate, crate::paths::is_prose)
            && differ(candidate, crate::paths::is_named_test)
        {
            return Err(Dropped::ProseBesideCode);
        }
        if frequency.borne_out(candidate).is_none() {
            company(candidate, frequency)?;
        }
    }
    Ok(())
}

/// Whether sessions alone say enough of a pair that git does not bear out.
fn company(candidate: &Candidate, frequency: &Frequency) -> Result<(), Dropped> {
    // What is written for people goes with all that is written about it.
    if differ(candidate, crate::paths::is_prose) {
        return Err(Dropped::ProseBesideCode);
    }
    let agreed = frequency.together.get(&candidate.key);
    if candidate.origin == Origin::Many && !agreed.is_some_and(|together| together.agrees()) {
        let seen = candidate.witnesses.len() as u32;
        let needed = WITHOUT_COMMITS;
        let enough = seen >= needed;
        return enough
            .then_some(())
            .ok_or(Dropped::SeldomChanged { seen, needed });
    }
    let Origin::Signal(SignalKind::CoAccess) = candidate.origin else {
        return Ok(());
    };
    let seen = frequency.before(&candidate.key);
    let edited = seen.edited_sessions + u32::from(candidate.edited);
    let (needed, read) = if is_one_folder(candidate) {
        IN_ONE_FOLDER
    } else {
        ACROSS_FOLDERS
    };
    if edited < needed && read.is_none_or(|read| seen.sessions + 1 < read) {
        return Err(Dropped::SeldomChanged {
            seen: edited,
            needed,
        });
    }
    Ok(())
}

/// Whether settings are those of a tool that checks or builds: they are changed when it is set up, not for a module.
fn is_of_a_tool(config: &str) -> bool {
    let name = crate::paths::file_name(config);
    let hidden = name.starts_with('.') && !name.starts_with(".env");
    hidden || name.contains(".config.") || name.starts_with("tsconfig")
}

/// Whether settings are told to go with what lies at the top of the project: that is no part of it, and all of it.
fn is_of_the_top(candidate: &Candidate) -> bool {
    candidate.key.ends_with("+.")
}

/// The settings that a change asked for: the key is `config:settings+module`.
fn configured(candidate: &Candidate) -> &str {
    let key = candidate.key.strip_prefix("config:").unwrap_or_default();
    key.rsplit_once('+').map_or(key, |(config, _)| config)
}

/// Whether something holds for one file of a pair and not for the other.
fn differ(candidate: &Candidate, is_so: fn(&str) -> bool) -> bool {
    let pair = candidate.pair();
    pair.is_some_and(|(a, b)| is_so(a.as_str()) != is_so(b.as_str()))
}

/// Whether both files of a pair lie in the same folder.
fn is_one_folder(candidate: &Candidate) -> bool {
    fn folder(file: &ProjectPath) -> &str {
        file.as_str()
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder)
    }
    candidate
        .pair()
        .is_some_and(|(a, b)| folder(a) == folder(b))
}

/// Whether a recipe says no more than that changes are read, checked and committed: everybody works like that. News is a command of
/// the project's own that has to follow a change.
pub(super) fn is_common(candidate: &Candidate) -> bool {
    if candidate.built_in() != Some(BuiltInType::WorkflowRecipe) {
        return false;
    }
    let of_session = candidate
        .key
        .strip_prefix("sequence:")
        .map(|steps| steps.split(" > ").collect());
    let steps: Vec<&str> = match (&candidate.payload, of_session) {
        (Payload::WorkflowRecipe(recipe), _) => {
            let steps = recipe.steps.iter();
            steps.map(|step| step.description.as_str()).collect()
        }
        (_, steps) => steps.unwrap_or_default(),
    };
    let mut steps = steps.into_iter();
    let changed = steps.any(|step| step.starts_with("edit ") || step.starts_with("write "));
    // What comes after the first change.
    let mut then = steps.filter_map(|step| step.strip_prefix("run "));
    !(changed && then.any(is_of_project))
}

/// Whether a command, as steps name it, is one that a project gave a name to, and no check: `make gen`, `npm run db:migrate`, `seed.sh`.
fn is_of_project(command: &str) -> bool {
    /// What these runners do in every project.
    const EVERYWHERE: [&str; 28] = [
        "install",
        "i",
        "ci",
        "add",
        "remove",
        "uninstall",
        "update",
        "upgrade",
        "init",
        "create",
        "exec",
        "x",
        "dlx",
        "run",
        "start",
        "dev",
        "serve",
        "preview",
        "clean",
        "fix",
        "link",
        "publish",
        "view",
        "ls",
        "list",
        "use",
        "trust",
        "check",
    ];
    if classify(command).is_some() || !format_commands(command).is_empty() {
        return false;
    }
    let mut words = command.split_whitespace().skip(1);
    let named = words.find(|word| *word != "run").unwrap_or_default();
    let verb = named.split(':').next().unwrap_or_default();
    command == "go generate" || (is_own_name(command) && !EVERYWHERE.contains(&verb))
}

/// Files of the module of a candidate's file that sessions have used.
fn module_files(candidate: &Candidate, frequency: &Frequency) -> u32 {
    let module = candidate
        .files
        .first()
        .map(|file| crate::paths::module_of(file.as_str()));
    let known = module.and_then(|module| frequency.module_files.get(module));
    known.copied().unwrap_or(0)
}
