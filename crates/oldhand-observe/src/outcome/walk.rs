//! Where in the project the commands of a line run, and what the paths in it mean from there.

use oldhand_domain::path::ProjectPath;

use super::commands::{has_own_shell, in_checkout};
use super::shell::{Simple, commands};
use crate::paths;

/// Where a line begins.
#[derive(Clone, Copy, Debug)]
pub struct Begun<'a> {
    /// Where the project lies on its machine; empty where nobody knows.
    pub root: &'a str,
    /// The folder of the project, empty for its root.
    pub folder: &'a str,
}

impl<'a> Begun<'a> {
    pub fn at(root: &'a str) -> Self {
        Self { root, folder: "" }
    }

    /// The same project, in a folder that a client named; none for its root.
    #[must_use]
    pub fn within(self, folder: Option<&'a ProjectPath>) -> Self {
        let folder = folder.map_or("", ProjectPath::as_str);
        Self { folder, ..self }
    }
}

/// The way that a line takes through the folders.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    root: &'a str,
    /// Where it is, from the root; `None` outside the project.
    here: Option<String>,
    /// Where it was when each script began that it is in: a script of its own leaves the folder as it was.
    before: Vec<(usize, Option<String>)>,
}

impl<'a> Walk<'a> {
    pub fn of(begun: Begun<'a>) -> Self {
        Self {
            root: begun.root,
            here: Some(begun.folder.to_owned()),
            before: Vec::new(),
        }
    }

    /// Comes to the next command of the line; whether that is one that only goes elsewhere.
    pub fn goes(&mut self, simple: &Simple) -> bool {
        let same = self.before.iter().zip(&simple.within);
        let same = same.take_while(|((one, _), two)| one == *two).count();
        if let Some((_, outside)) = self.before.drain(same..).next() {
            self.here = outside;
        }
        let entered = simple.within[same..].iter();
        let here = &self.here;
        (self.before).extend(entered.map(|script| (*script, here.clone())));
        let goes = simple.words[0] == "cd";
        if goes {
            self.here = self.led(simple.words.get(1));
        }
        goes
    }

    /// Nobody can tell where it is.
    pub(crate) fn lose(&mut self) {
        self.here = None;
    }

    /// What a word names in the project.
    pub fn path(&self, word: &str) -> Option<ProjectPath> {
        let path = if paths::is_absolute(word) {
            in_checkout(paths::below(word, self.root)?)
        } else {
            in_checkout(&join(self.here.as_deref()?, word))
        };
        ProjectPath::new(&path).ok()
    }

    fn led(&self, to: Option<&String>) -> Option<String> {
        let to = to?.trim_end_matches('/');
        if paths::is_absolute(to) {
            return paths::below(to, self.root).map(in_checkout);
        }
        let here = self.here.as_deref().filter(|_| !is_pattern(to))?;
        Some(in_checkout(&join(here, to)))
    }
}

/// Where a line began, of which a client told only in which folder it was left. One that went up may have begun in any folder there.
pub fn begun_before(line: &str, left: ProjectPath) -> Option<ProjectPath> {
    let run = commands(line);
    let mut to = (run.iter())
        .filter(|simple| simple.words[0] == "cd" && simple.within.is_empty())
        .filter_map(|simple| simple.words.get(1))
        .peekable();
    let is_whole = to.peek().is_none_or(|first| paths::is_absolute(first));
    if is_whole || has_own_shell(line) {
        return Some(left);
    }
    let way = to.fold(String::new(), |way, to| join(&way, to));
    if way.is_empty() {
        return Some(left);
    }
    if way.starts_with("..") || is_pattern(&way) {
        return None;
    }
    match left.as_str().strip_suffix(way.as_str()) {
        Some("") => None,
        Some(above) if above.ends_with('/') => ProjectPath::new(above.trim_end_matches('/')).ok(),
        _ => Some(left),
    }
}

fn join(folder: &str, word: &str) -> String {
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in word.split('/') {
        match step {
            "" | "." => {}
            // A way out of the project stays in it as `..`, which is no path of a project.
            ".." if steps.last().is_some_and(|last| *last != "..") => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

/// Not one file by its name: a glob, a variable, a home, a descriptor.
pub(crate) fn is_pattern(word: &str) -> bool {
    word.contains(['*', '$', '?', '{', '(', '`', '['])
        || word.starts_with(['~', '&', '-'])
        || word.is_empty()
}

#[test]
fn a_line_that_was_left_somewhere_began_above_what_it_went_down() {
    let begun = |line: &str, left: &str| {
        let left = ProjectPath::new(left).unwrap();
        let begun = begun_before(line, left);
        begun.map_or_else(String::new, |begun| begun.to_string())
    };
    assert_eq!(begun("cat types.go", "src/config"), "src/config");
    assert_eq!(begun("cd src && cat a.go", "src"), "");
    assert_eq!(begun("cd ./config/ && ls", "src/config"), "src");
    assert_eq!(begun("cd src; cd config; ls", "app/src/config"), "app");
    assert_eq!(begun("cd config && ls; cd ..", "src"), "src");
    // The client went back by itself, or what it went to was not there.
    assert_eq!(begun("cd fig && ls", "src/config"), "src/config");
    assert_eq!(begun("bash -c 'cd config && ls'", "src"), "src");
    assert_eq!(begun("(cd config && ls)", "src"), "src");
    assert_eq!(begun("cd /home/dev/shop/web && ls", "web"), "web");
    assert_eq!(begun("cd ../web && ls", "web"), "");
    assert_eq!(begun("cd \"$WEB\" && ls", "web"), "");
}
