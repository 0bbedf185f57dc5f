//! Commands of all clients as lines of a POSIX shell: what another shell runs is wrapped in the call of that one.

use oldhand_domain::event::Call;
use oldhand_observe::outcome::outside::{is_of_others, reads_outside};
use oldhand_observe::outcome::shell::{Dialect, is_plain};
use serde_json::Value;

use super::excerpt;
use super::json::{COMMAND, any_text};
use super::patch;
use super::root::Root;

/// A command that a tool was given, in the folder that some clients name beside it.
pub(super) fn call(tool: &str, input: &Value, root: &Root, cwd: Option<&str>) -> Call {
    let folder = any_text(input, &["workdir", "working_directory"]);
    if let Some(text) = patch_of(input) {
        return patch::call(text, root, folder.or(cwd));
    }
    // These tools are named after the shell they run; the others take what the machine has.
    let own = match tool {
        "Bash" | "bash" => None,
        "PowerShell" => Some(Dialect::PowerShell),
        _ => shell_of(folder.or(cwd)),
    };
    let command = command(input, own);
    match folder.filter(|folder| !root.is_whole(folder, cwd)) {
        Some(folder) => line(&format!("cd '{}' && {command}", slashed(folder)), root, cwd),
        None => line(&command, root, cwd),
    }
}

/// The patch that early versions of Codex handed to their shell as the second word of a command.
fn patch_of(input: &Value) -> Option<&str> {
    match input.get("command")?.as_array()?.as_slice() {
        [program, text] if program.as_str() == Some("apply_patch") => text.as_str(),
        _ => None,
    }
}

/// A command that the machine's own shell runs.
pub(super) fn typed(command: &str, root: &Root, cwd: Option<&str>) -> Call {
    line(&wrapped(command, shell_of(cwd)), root, cwd)
}

/// A command, judged by its whole text before it is cut.
fn line(command: &str, root: &Root, cwd: Option<&str>) -> Call {
    let lies_outside = |path: &str, folder: Option<&str>| {
        let base = folder.map(|folder| root.join(folder, cwd));
        let base = base.as_deref().or(cwd);
        !root.is_whole(path, base)
            && (root.place(path, base))
                .project()
                .is_none_or(|path| is_of_others(path.as_str()))
            && !root.is_other_checkout(path, base)
    };
    let folder = cwd.and_then(|cwd| root.place(cwd, None).project().cloned());
    Call::Shell {
        reads_outside: reads_outside(command, &lies_outside),
        command: excerpt::head(command, COMMAND),
        folder,
    }
}

/// A command as a string or as the list of its words.
fn command(input: &Value, own: Option<Dialect>) -> String {
    let value = input.get("command").or_else(|| input.get("cmd"));
    match value {
        Some(Value::String(text)) => wrapped(text, own),
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            // `bash -lc SCRIPT` is only how the client runs the script.
            match words.as_slice() {
                [shell, flag, script] if shell.ends_with("sh") && flag.ends_with('c') => {
                    (*script).to_owned()
                }
                [shell, rest @ ..]
                    if let Some(dialect) = Dialect::of(shell)
                        && let Some(script) = dialect.script(rest) =>
                {
                    wrapped(&script, Some(dialect))
                }
                _ => words.join(" "),
            }
        }
        _ => String::new(),
    }
}

/// A script as a line; one that means the same in both shells needs no wrapping.
fn wrapped(script: &str, dialect: Option<Dialect>) -> String {
    match dialect.filter(|dialect| !is_plain(script, *dialect)) {
        Some(dialect) => dialect.wrap(script),
        None => script.to_owned(),
    }
}

/// The shell of a machine whose folders lie on drives.
fn shell_of(folder: Option<&str>) -> Option<Dialect> {
    let mut start = folder?.bytes();
    let has_drive = start
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic());
    (has_drive && start.next() == Some(b':')).then_some(Dialect::PowerShell)
}

fn slashed(folder: &str) -> String {
    match shell_of(Some(folder)) {
        Some(_) => folder.replace('\\', "/"),
        None => folder.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use oldhand_observe::outcome::shell::commands;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_patch_that_is_given_to_the_shell_is_an_edit_and_no_line() {
        let patch = "*** Begin Patch\n*** Update File: a.js\n+items.filter(x => x.score > limit.max)\n*** End Patch";
        let input = json!({ "command": ["apply_patch", patch] });
        let root = Root::new("/home/dev/project");
        let call = call("shell", &input, &root, Some("/home/dev/project"));
        let Call::Edit { files, .. } = &call else {
            panic!("{call:?}");
        };
        assert_eq!(files, &[root.place("a.js", None)]);
    }

    fn command_of(call: &Call) -> String {
        match call {
            Call::Shell { command, .. } => command.as_str().to_owned(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_command_that_reads_elsewhere_says_so_and_one_that_reads_the_project_does_not() {
        let root = Root::new("/home/dev/project");
        let outside = |command: &str| {
            let input = json!({ "command": command });
            let call = call("Bash", &input, &root, Some("/home/dev/project/src"));
            matches!(
                call,
                Call::Shell {
                    reads_outside: true,
                    ..
                }
            )
        };
        assert!(outside("cat ../../other/README.md"));
        assert!(outside("cd /opt/lib && head -3 notes.md"));
        assert!(outside("cat node_modules/left-pad/README.md"));
        assert!(outside("cd .. && head -3 .venv/lib/notes.md"));
        assert!(outside("cat /home/dev/project2/README.md"));
        assert!(outside("cat $HOME/notes.md") && outside("cat < ../../x.md"));
        assert!(!outside("cat /tmp/out.log"));
        assert!(outside("cat /home/dev/project-router/README.md"));
        assert!(!outside(
            "cd /home/dev/.codex/worktrees/ab12/project && cat README.md"
        ));
        assert!(!outside("cat ../README.md"));
        assert!(!outside("cd .. && cat README.md"));
        assert!(!outside("rg -n port /home/dev/project"));
    }

    #[test]
    fn a_command_says_in_which_folder_of_the_project_it_ran() {
        let root = Root::new("/home/dev/project");
        let folder = |cwd| match typed("npm test", &root, cwd) {
            Call::Shell { folder, .. } => folder.map(|folder| folder.to_string()),
            _ => None,
        };
        let inside = folder(Some("/home/dev/project/web/ui"));
        assert_eq!(inside.as_deref(), Some("web/ui"));
        for root in [None, Some("/home/dev/project"), Some("/home/dev/other")] {
            assert_eq!(folder(root), None, "{root:?}");
        }
    }

    #[test]
    fn what_powershell_runs_is_read_as_powershell_however_a_client_says_so() {
        let windows = Root::new(r"D:\work\shop");
        let cwd = Some(r"D:\work\shop");
        let lists = [
            json!({ "command": ["pwsh.exe", "-NoLogo", "-Command", r"Get-Content web\a.ts"] }),
            json!({ "command": ["powershell", "-Command", "Get-Content", r"web\a.ts"] }),
            json!({ "command": [r"C:\Windows\System32\cmd.exe", "/c", r"type web\a.ts"] }),
            json!({ "command": r"Get-Content web\a.ts", "workdir": r"D:\work\shop" }),
            json!({ "command": r"Get-Content D:\work\shop\web\a.ts" }),
            json!({ "command": r"Get-Content a.ts", "workdir": r"D:\work\shop\web" }),
        ];
        for input in lists {
            let call = call("shell_command", &input, &windows, cwd);
            let read = commands(&command_of(&call)).pop().expect("a command");
            assert_eq!(read.words[0], "cat", "{input}");
            assert!(read.words[1].ends_with("a.ts"), "{input} {read:?}");
            assert!(
                matches!(
                    call,
                    Call::Shell {
                        reads_outside: false,
                        ..
                    }
                ),
                "{input}"
            );
        }
        let plain = json!({ "command": ["pwsh", "-c", "npm test"] });
        assert_eq!(
            command_of(&call("shell", &plain, &windows, cwd)),
            "npm test"
        );
        let elsewhere = json!({ "command": r"Get-Content D:\work\other\a.md" });
        assert!(matches!(
            call("shell_command", &elsewhere, &windows, cwd),
            Call::Shell {
                reads_outside: true,
                ..
            }
        ));
    }

    #[test]
    fn a_posix_shell_keeps_its_escapes_on_every_machine() {
        let escaped = json!({ "command": r"cat my\ notes.md" });
        for (tool, cwd) in [
            ("Bash", r"D:\work\shop"),
            ("bash", r"D:\work\shop"),
            ("shell_command", "/home/dev/shop"),
        ] {
            let told = call(tool, &escaped, &Root::new(cwd), Some(cwd));
            assert_eq!(command_of(&told), r"cat my\ notes.md", "{tool}");
        }
        let list = json!({ "command": ["bash", "-lc", r"cat my\ notes.md"] });
        let root = Root::new(r"D:\work\shop");
        let told = call("shell", &list, &root, Some(r"D:\work\shop"));
        assert_eq!(command_of(&told), r"cat my\ notes.md");
    }
}
