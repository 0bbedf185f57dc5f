//! Whether what recurs says more than everybody knows: where files lie, and that changes are checked.

use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::Payload;
use oldhand_domain::signal::SignalKind;

use super::Dropped;
use crate::detect::sequence::is_act;
use crate::distill::{Candidate, Frequency, Origin};
use crate::outcome::commands::classify;

/// Sessions that must have edited both files of a pair, or else used both.
const IN_ONE_FOLDER: (u32, u32) = (3, 8);
const ACROSS_FOLDERS: (u32, u32) = (2, 5);
/// With fewer files than this a module has no beginning.
const MODULE_FILES: u32 = 4;

/// Whether something that recurs says more than where files lie.
pub(super) fn telling(candidate: &Candidate, frequency: &Frequency) -> Result<(), Dropped> {
    if candidate.origin == Origin::Signal(SignalKind::FileAccess) {
        let file = candidate.files.first().map_or("", ProjectPath::as_str);
        let named = crate::paths::is_config(file) || crate::paths::is_entry(file);
        if crate::paths::module_of(file) == "." || named {
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
    let is_pair = candidate.origin == Origin::Signal(SignalKind::CoAccess);
    if is_pair && frequency.borne_out(candidate).is_none() {
        let seen = frequency
            .seen
            .get(&candidate.key)
            .copied()
            .unwrap_or_default();
        let edited = seen.edited_sessions + u32::from(candidate.edited);
        // What is written for people goes with all that is written about it, unless git says otherwise.
        if one_is_prose(candidate) {
            return Err(Dropped::ProseBesideCode);
        }
        // Files of one folder are read together anyway: changes say more.
        let (needed, read) = if is_one_folder(candidate) {
            IN_ONE_FOLDER
        } else {
            ACROSS_FOLDERS
        };
        if edited < needed && seen.sessions + 1 < read {
            return Err(Dropped::SeldomChanged {
                seen: edited,
                needed,
            });
        }
    }
    Ok(())
}

/// The settings that a change asked for: the key is `config:settings+module`.
fn configured(candidate: &Candidate) -> &str {
    let key = candidate.key.strip_prefix("config:").unwrap_or_default();
    key.rsplit_once('+').map_or(key, |(config, _)| config)
}

/// Whether one file of a pair is written for people and the other is not.
fn one_is_prose(candidate: &Candidate) -> bool {
    let mut kinds = candidate
        .files
        .iter()
        .map(|file| crate::paths::is_prose(file.as_str()));
    let first = kinds.next();
    kinds.any(|kind| Some(kind) != first)
}

/// Whether both files of a pair lie in the same folder.
fn is_one_folder(candidate: &Candidate) -> bool {
    let mut folders = candidate.files.iter().map(|file| {
        file.as_str()
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder)
    });
    let first = folders.next();
    folders.all(|folder| Some(folder) == first)
}

/// Whether a recipe says no more than that changes are looked at and checked: that is told once for the project.
pub(super) fn only_checks(candidate: &Candidate) -> bool {
    let Payload::WorkflowRecipe(recipe) = &candidate.payload else {
        return false;
    };
    recipe.steps.iter().all(|step| {
        let words = step.description.as_str();
        let check = words.strip_prefix("run ").and_then(classify);
        check.is_some() || !is_act(words)
    })
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
