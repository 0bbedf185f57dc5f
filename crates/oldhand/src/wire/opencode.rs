//! The plugin that OpenCode loads: a file of our own that calls us, because OpenCode has no hooks in its settings.

use super::hooks::{self, Hook};
use super::servers::Run;
use super::words;
use crate::agent::Agent;

const PLUGIN: &str = include_str!("opencode.js");
/// The lines that say what is run, as the plugin is kept here and as they are found again.
const BINARY: &str = "const BINARY = ";
const ARGUMENTS: &str = "const ARGUMENTS = ";

/// The plugin, calling this binary.
pub(super) fn plugin(run: &Run<'_>) -> String {
    let words = words::split(&hooks::command(run, Agent::OpenCode));
    let lines = PLUGIN.lines().map(|line| {
        if line.starts_with(BINARY) {
            format!("{BINARY}{}", serde_json::json!(words[0]))
        } else if line.starts_with(ARGUMENTS) {
            let arguments: Vec<String> = words[1..]
                .iter()
                .map(|word| serde_json::json!(word).to_string())
                .collect();
            format!("{ARGUMENTS}[{}]", arguments.join(", "))
        } else {
            line.to_owned()
        }
    });
    lines.map(|line| line + "\n").collect()
}

/// Whether a file is this plugin, of this or another version.
pub(super) fn is_ours(text: &str) -> bool {
    let first = |text: &str| text.lines().next().map(str::to_owned);
    first(text) == first(PLUGIN)
}

/// What a plugin of ours runs.
pub(super) fn find(text: &str) -> Vec<Hook> {
    let said = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let binary: Option<String> = said(BINARY).and_then(|quoted| serde_json::from_str(quoted).ok());
    let Some(binary) = binary.filter(|_| is_ours(text)) else {
        return Vec::new();
    };
    // Plugins of before did not name what they said.
    let arguments: Vec<String> = said(ARGUMENTS)
        .and_then(|quoted| serde_json::from_str(quoted).ok())
        .unwrap_or_else(|| vec!["hook".to_owned(), Agent::OpenCode.as_str().to_owned()]);
    let words = std::iter::once(&binary).chain(&arguments);
    let words: Vec<String> = words.map(|word| words::quoted(word)).collect();
    vec![Hook {
        event: "plugin".to_owned(),
        command: words.join(" "),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_names_the_binary_whatever_its_path_holds() {
        for binary in [
            "oldhand",
            "/my apps/it's \"here\"/oldhand",
            r"C:\bin\oldhand.exe",
        ] {
            for home in [None, Some("/it's my \"home\"")] {
                let text = plugin(&Run { binary, home });
                assert!(is_ours(&text));
                assert_eq!(find(&text)[0].binary(), binary);
                assert_eq!(find(&text)[0].home().as_deref(), home);
            }
        }
    }

    #[test]
    fn a_file_of_somebody_else_is_not_ours() {
        let theirs = "export const Mine = async () => ({})\nconst BINARY = \"oldhand\"\n";
        assert!(!is_ours(theirs));
        assert_eq!(find(theirs), []);
    }
}
