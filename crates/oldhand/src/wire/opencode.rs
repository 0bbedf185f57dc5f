//! The plugin that OpenCode loads: a file of our own that calls us, because OpenCode has no hooks in its settings.

use super::hooks::Hook;

const PLUGIN: &str = include_str!("opencode.js");
/// The line that names the binary, as the plugin is kept here and as it is found again.
const BINARY: &str = "const BINARY = ";

/// The plugin, calling this binary.
pub(super) fn plugin(binary: &str) -> String {
    let quoted = serde_json::Value::from(binary).to_string();
    PLUGIN.replacen(
        &format!("{BINARY}\"oldhand\""),
        &format!("{BINARY}{quoted}"),
        1,
    )
}

/// Whether a file is this plugin, of this or another version.
pub(super) fn is_ours(text: &str) -> bool {
    let first = |text: &str| text.lines().next().map(str::to_owned);
    first(text) == first(PLUGIN)
}

/// What a plugin of ours runs.
pub(super) fn find(text: &str) -> Vec<Hook> {
    let line = text.lines().find_map(|line| line.strip_prefix(BINARY));
    let binary: Option<String> = line.and_then(|quoted| serde_json::from_str(quoted).ok());
    match binary {
        Some(binary) if is_ours(text) => vec![Hook {
            event: "plugin".to_owned(),
            command: format!("{binary} hook opencode"),
        }],
        _ => Vec::new(),
    }
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
            let text = plugin(binary);
            assert!(is_ours(&text));
            assert_eq!(find(&text)[0].binary(), binary);
        }
    }

    #[test]
    fn a_file_of_somebody_else_is_not_ours() {
        let theirs = "export const Mine = async () => ({})\nconst BINARY = \"oldhand\"\n";
        assert!(!is_ours(theirs));
        assert_eq!(find(theirs), []);
    }
}
