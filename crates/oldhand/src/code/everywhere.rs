//! What git is told to ignore in every repository of a person: nearly always nothing.

use std::fs;
use std::path::Path;

use crate::config::Environment;

/// The setting that names a file of such patterns.
const SETTING: &[u8] = b"excludesfile";

/// Spares this process looking for what is ignored everywhere, where nothing can be. For one that ends soon: settings may change.
pub(crate) fn look(environment: &Environment) {
    let named = Environment::other_variable;
    let Some(home) = &environment.user_home else {
        return;
    };
    let folder = named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    let folder = folder.join("git");
    let settings = [
        named("GIT_CONFIG_GLOBAL"),
        Some(home.join(".gitconfig")),
        Some(folder.join("config")),
        Some(named("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into())),
    ];
    let is_set = settings.iter().flatten().any(|file| names_some(file));
    if !is_set && !folder.join("ignore").exists() {
        oldhand_code::walk::ignore_nothing_everywhere();
    }
}

/// Whether settings may name a file of patterns. Those that cannot be read name none.
fn names_some(settings: &Path) -> bool {
    let bytes = fs::read(settings).unwrap_or_default();
    let mut words = bytes.windows(SETTING.len());
    words.any(|word| word.eq_ignore_ascii_case(SETTING))
}
