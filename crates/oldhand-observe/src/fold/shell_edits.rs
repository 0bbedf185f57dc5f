//! Files that a command changes, as if they had been edited.

use oldhand_domain::event::{Event, Place};
use oldhand_domain::path::ProjectPath;

use super::{AccessKind, LIST_LIMIT, SessionAnalytics};
use crate::outcome::shell::commands;
use crate::outcome::writes::writes;

impl SessionAnalytics {
    pub(super) fn edit_in_shell(&mut self, key: u64, command: &str, event: &Event) {
        let root = self.start.as_ref().map_or("", |start| start.cwd.as_str());
        let Some(writes) = writes(command, root) else {
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
