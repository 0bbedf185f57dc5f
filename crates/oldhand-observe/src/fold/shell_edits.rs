//! Files that a command changes, as if they had been edited.

use oldhand_domain::event::{Event, Place};
use oldhand_domain::path::ProjectPath;

use super::{AccessKind, LIST_LIMIT, SessionAnalytics};
use crate::outcome::shell::commands;
use crate::outcome::walk::Begun;
use crate::outcome::writes::writes;

impl SessionAnalytics {
    pub(super) fn edit_in_shell(
        &mut self,
        key: u64,
        command: &str,
        begun: Begun<'_>,
        event: &Event,
    ) {
        let Some(writes) = writes(command, begun) else {
            return;
        };
        let mut files = writes.changed;
        for path in writes.removed {
            // What the session made itself and takes away again was a scratch file: nothing is left of it.
            if self.has_made(&path) {
                let id = self.files.id(&path);
                self.edits.retain(|edit| edit.file != id);
            } else {
                files.push(path);
            }
        }
        if files.is_empty() && !writes.unnamed {
            return;
        }
        for path in files {
            let kind = if self.is_known(&path) {
                AccessKind::Edit
            } else {
                AccessKind::Write
            };
            let place = Place::Project(path);
            self.touch(&place, kind, event);
            self.push_edit(&place, event, None);
        }
        if writes.unnamed {
            // It is the last one that counts.
            self.unnamed_edits.truncate(LIST_LIMIT - 1);
            self.unnamed_edits.push(self.step);
        }
        // Of several commands that failed together nobody knows which one did.
        if commands(command).len() == 1 {
            self.changing.insert(key, self.step);
        }
    }

    fn is_known(&self, path: &ProjectPath) -> bool {
        self.files
            .find(path)
            .is_some_and(|used| used.first_step > 0)
    }

    fn has_made(&self, path: &ProjectPath) -> bool {
        let used = self.files.find(path);
        used.is_some_and(|used| used.writes > 0 && used.reads == 0)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use oldhand_domain::event::{BoundedText, Call, Happening, SessionType, Start};

    use super::*;
    use crate::fold::{FoldOptions, fold};

    /// The files that lines read and change, each run in a folder of the project by a session that began in `cwd`.
    fn used(cwd: &str, lines: &[(&str, &str)]) -> String {
        let start = Start {
            client: "claude-code".to_owned(),
            session_type: SessionType::Build,
            type_told: false,
            task: None,
            cwd: cwd.to_owned(),
            branch: None,
            work_unit: None,
            planned_steps: None,
        };
        let calls = lines.iter().enumerate().map(|(at, (folder, line))| {
            let call = Call::Shell {
                command: BoundedText::head(line, 500),
                reads_outside: false,
                folder: ProjectPath::new(folder).ok(),
            };
            let id = at.to_string();
            Happening::ToolCalled { id, call }
        });
        let happened = std::iter::once(Happening::SessionStarted(start)).chain(calls);
        let events: Vec<Event> = happened
            .map(|what| Event::new(Timestamp::UNIX_EPOCH, what))
            .collect();
        let session = fold(&events, &FoldOptions::default());
        let told = session.files.iter().map(|(_, file)| {
            let changed = if file.is_edited() { "*" } else { "" };
            format!("{}{changed}", file.path)
        });
        told.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn paths_of_a_line_are_seen_from_the_folder_that_it_ran_in() {
        const ROOT: &str = "/home/dev/shop";
        const PART: &str = "/home/dev/shop/src";
        let cases = [
            (
                "src",
                "sed -i s/a/b/ config/types.go",
                "src/config/types.go*",
            ),
            ("src", "cat config/types.go", "src/config/types.go"),
            ("src", "echo hi > config/types.go", "src/config/types.go*"),
            ("src", "sed -i s/a/b/ ../web/a.js", "web/a.js*"),
            ("src", "cat ../web/a.js", "web/a.js"),
            ("src", "cat ./../src/a.go", "src/a.go"),
            ("src", "cat ../../other/a.go", ""),
            ("src", "echo hi > ../../other/a.go", ""),
            ("src", "mv a.go ../web/", "web/a.go* src/a.go*"),
            ("src", "cd config && cat types.go", "src/config/types.go"),
            ("src", "cd .. && cat web/a.js", "web/a.js"),
            ("src", "cd .. && echo hi > web/a.js", "web/a.js*"),
            ("src", "cd ../.. && cat web/a.js", ""),
            ("src", "bash -c 'cd ../web && ls'; cat a.go", "src/a.go"),
            ("src", "bash -c 'cd ../web && ls'; echo > a.go", "src/a.go*"),
            ("src", "cd /home/dev/shop/web && cat a.js", "web/a.js"),
            ("src", "cd /home/dev/shop && sed -i s/a/b/ a.js", "a.js*"),
            ("src", "cat /home/dev/shop/src/a.go", "src/a.go"),
            ("src", "cd /srv/other && cat a.js && echo > b.js", ""),
            ("src/config", "cat types.go", "src/config/types.go"),
            ("src/config", "cd .. && cat a.go", "src/a.go"),
            ("", "cd src && cat config/types.go", "src/config/types.go"),
            ("", "cat config/types.go", "config/types.go"),
            ("", "sed -i s/a/b/ config/types.go", "config/types.go*"),
            ("", "sed -i s/a/b/ ../web/a.js", ""),
        ];
        for (folder, line, expected) in cases {
            // Where the session began says nothing of where a later line runs.
            let first = (folder == "src").then_some(PART);
            for cwd in [Some(ROOT), first].into_iter().flatten() {
                let begun = if cwd == PART { "src" } else { "" };
                let lines = [(begun, "make"), (folder, line)];
                assert_eq!(used(cwd, &lines), expected, "{line} in {folder} from {cwd}");
            }
        }
    }

    #[test]
    fn a_folder_of_the_projects_own_name_is_not_where_the_session_began() {
        let lines = [
            ("", "ls"),
            ("shop", "cat /home/dev/shop/shop/a.py"),
            ("shop", "cd /home/dev/shop && cat b.py"),
        ];
        assert_eq!(used("/home/dev/shop", &lines), "shop/a.py b.py");
        // Whoever tells no folder is taken for the root.
        let untold = [("", "cat a.go"), ("", "cat /home/dev/shop/src/b.go")];
        assert_eq!(used("/home/dev/shop/src", &untold), "a.go b.go");
    }
}
