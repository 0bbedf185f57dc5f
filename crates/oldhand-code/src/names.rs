//! Whether the files of today still hold what a statement names, and whether the project itself defines it.
//!
//! A look at the text: it asks no graph, so that it answers in a tree that was never indexed. Prose is not asked, since it also
//! tells of what is gone.

use std::cell::OnceCell;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use oldhand_domain::path::ProjectPath;
use oldhand_domain::port::{Presence, Tree};

use crate::concordance::list_text;
use crate::language::language_of;
use crate::read::HEAD;
use crate::walk::{Seen, is_manifest, is_prose};

mod definition;
mod ignored;
mod interface;
mod own;
mod uses;

pub use own::called;

use definition::defines;
use interface::Interfaces;
use uses::Uses;

/// The files below a folder, as they were when they were first looked at.
#[derive(Debug)]
pub struct Files {
    root: PathBuf,
    texts: OnceCell<Vec<Seen>>,
    interfaces: Interfaces,
    uses: Uses,
}

impl Files {
    pub fn below(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            texts: OnceCell::new(),
            interfaces: Interfaces::default(),
            uses: Uses::default(),
        }
    }

    /// Every file that is read as text: the tree is walked once for all questions.
    fn texts(&self) -> &[Seen] {
        self.texts.get_or_init(|| list_text(&self.root))
    }

    /// The paths of those that are asked for, documents before others.
    fn asked_for(&self, is_asked: &dyn Fn(&str) -> bool) -> Vec<&str> {
        let files = self.texts().iter().map(|file| file.path.as_str());
        let mut files: Vec<&str> = files.filter(|path| is_asked(path)).collect();
        files.sort_by_key(|path| !is_prose(file_name(path)));
        files
    }
}

impl Tree for Files {
    fn look_for(&self, names: &[String]) -> Vec<Presence> {
        let asked: Vec<Asked<'_>> = names.iter().map(|name| Asked::by(name)).collect();
        let mut found: Vec<Presence> = asked
            .iter()
            .zip(names)
            .map(|(asked, name)| match asked {
                Asked::Nothing | Asked::Words(_) => Presence::Unasked,
                // Files of any kind and size count, not only those that are read as text.
                Asked::File(_) | Asked::Word(_) if self.root.join(name).is_file() => {
                    Presence::Used {
                        file: ProjectPath::new(name).ok(),
                    }
                }
                Asked::Word(_) if name.contains('/') && self.root.join(name).is_dir() => {
                    Presence::Used { file: None }
                }
                _ => Presence::Absent,
            })
            .collect();
        if asked.iter().all(|asked| *asked == Asked::Nothing) {
            return found;
        }
        let mut is_called_so = vec![false; names.len()];
        for file in self.texts() {
            let is_in_prose = is_prose(file_name(&file.path));
            let mut text: Option<String> = None;
            for ((asked, found), called) in asked.iter().zip(&mut found).zip(&mut is_called_so) {
                *called |= asked.is_called(&file.path);
                if let Asked::File(name) = asked {
                    let is_it = file.path == *name || file.path.ends_with(&format!("/{name}"));
                    if is_it && *found == Presence::Absent {
                        *found = Presence::Used {
                            file: ProjectPath::new(&file.path).ok(),
                        };
                    }
                } else if !is_in_prose && *found != Presence::Defined {
                    let read = || self.text_of(&file.path).unwrap_or_default();
                    asked.look_into(text.get_or_insert_with(read), &file.path, found);
                }
            }
        }
        // A file of source that is called so is the project's own part of that name, unless it wraps somebody's library.
        for ((asked, found), called) in asked.iter().zip(&mut found).zip(is_called_so) {
            if let Asked::Word(word) = asked
                && called
                && !self.depends_on(word)
            {
                *found = Presence::Defined;
            }
        }
        found
    }

    fn depends_on(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let mut manifests = self
            .texts()
            .iter()
            .filter(|file| is_manifest(file_name(&file.path)));
        manifests.any(|file| {
            let text = self.text_of(&file.path);
            text.is_some_and(|text| holds(&text.to_lowercase(), &name))
        })
    }

    fn is_called(&self, name: &str) -> bool {
        self.texts().iter().any(|file| {
            let manifest = file_name(&file.path);
            own::begins_program(&file.path, name)
                || is_manifest(manifest)
                    && self
                        .text_of(&file.path)
                        .is_some_and(|text| own::is_own_name(manifest, &text, name))
        })
    }

    fn text_of(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.root.join(file)).ok()
    }

    fn has_folder(&self, folder: &str) -> bool {
        let inside = format!("{}/", folder.trim_end_matches('/'));
        let is_inside = |path: &str| path.starts_with(&inside);
        self.root.join(folder).is_dir() && self.texts().iter().any(|file| is_inside(&file.path))
    }

    fn ignored_at(&self, folder: &str) -> Option<String> {
        ignored::ignored_at(&self.root, folder)
    }

    fn place_with(
        &self,
        needles: &[&str],
        is_asked: &dyn Fn(&str) -> bool,
        line_in: &dyn Fn(&str, &str) -> Option<usize>,
    ) -> Option<(String, usize)> {
        let texts = self.asked_for(is_asked).into_iter().filter_map(|path| {
            let text = self.text_of(path)?;
            let has_all = needles.iter().all(|needle| text.contains(needle));
            has_all.then_some((path, text))
        });
        let mut places = texts.take(MOST_TEXTS).filter_map(|(file, text)| {
            let line = line_in(file, &text)?;
            Some((file.to_owned(), line))
        });
        places.next()
    }

    fn read_each(&self, is_asked: &dyn Fn(&str) -> bool, look: &mut dyn FnMut(&str, &str)) {
        for file in self.asked_for(is_asked) {
            if let Some(text) = self.text_of(file) {
                look(file, &text);
            }
        }
    }

    fn documents_called(&self, name: &str) -> Vec<ProjectPath> {
        let is_it = |path: &str| {
            let own = file_name(path);
            let stem = own.rsplit_once('.').map_or(own, |(stem, _)| stem);
            let is_bare = own == stem && own.chars().all(|c| c.is_ascii_uppercase());
            (is_prose(own) || is_bare) && stem.eq_ignore_ascii_case(name)
        };
        let files = self.texts().iter().filter(|file| is_it(&file.path));
        files
            .filter_map(|file| ProjectPath::new(&file.path).ok())
            .collect()
    }

    fn is_generated(&self, file: &str) -> bool {
        let mut head = Vec::new();
        let read = fs::File::open(self.root.join(file))
            .and_then(|file| file.take(HEAD as u64).read_to_end(&mut head));
        read.is_ok() && crate::read::is_generated(&String::from_utf8_lossy(&head))
    }

    fn binds(&self, declaring: &str, files: [&str; 2]) -> bool {
        let [Some(asked), Some(one), Some(two)] =
            [declaring, files[0], files[1]].map(|file| self.text_of(file))
        else {
            return false;
        };
        let files = [(files[0], one.as_str()), (files[1], two.as_str())];
        self.interfaces.binds((declaring, &asked), files)
    }

    fn uses(&self, files: [&str; 2]) -> bool {
        let paths = || self.texts().iter().map(|file| file.path.clone());
        self.uses.ask(&self.root, paths, files)
    }
}

/// Of a name that is in more texts than this the others are not looked into.
const MOST_TEXTS: usize = 120;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Asked<'a> {
    Nothing,
    File(&'a str),
    Setting(Setting<'a>),
    /// `--max-rows`, with its dashes.
    Flag(&'a str),
    /// Several words, as a command or a line of code: they may stand in a file, and need not.
    Words(&'a str),
    Word(&'a str),
}

/// Shorter words are in every tree, whatever they mean there; programs have names of two letters.
const SHORT: usize = 2;
/// Shorter keys are no settings.
const SHORT_KEY: usize = 3;
/// Shorter names are defined in every tree.
const COMMON: usize = 5;

impl<'a> Asked<'a> {
    fn by(name: &'a str) -> Self {
        let name = name.trim();
        if name.starts_with(['~', '/', '<', '"', '\'', '{', '[', '*', '$', '.'])
            || name.contains("://")
            || name.contains('*')
            || name.starts_with(|c: char| c.is_ascii_digit())
        {
            return Self::Nothing;
        }
        if name.starts_with('-') {
            let flag = name.split([' ', '=']).next().unwrap_or(name);
            let is_long = flag.len() > 2 + SHORT && flag.starts_with("--");
            return if is_long {
                Self::Flag(flag)
            } else {
                Self::Nothing
            };
        }
        if let Some(setting) = Setting::of(name) {
            return Self::Setting(setting);
        }
        if name.contains(' ') {
            return Self::Words(name);
        }
        if is_file_name(name) {
            return Self::File(name);
        }
        let is_part = |c: char| c.is_alphanumeric() || "_-.:/@".contains(c);
        let chain = name.split(|c| !is_part(c)).next().unwrap_or_default();
        let last = chain.trim_end_matches(['.', ':', '/', '@']);
        let last = last.rsplit(['.', ':', '/', '@']).next().unwrap_or(last);
        let letters = last.chars().filter(|c| c.is_alphabetic()).count();
        if letters < SHORT {
            Self::Nothing
        } else {
            Self::Word(last)
        }
    }

    /// Whether a file of source is called as the word that is looked for, or ends so where that is made of several: `tool_list_rows.go`.
    fn is_called(&self, path: &str) -> bool {
        let (Self::Word(word), Some((stem, _))) = (self, file_name(path).rsplit_once('.')) else {
            return false;
        };
        let before = stem.strip_suffix(word).filter(|_| may_define(word, path));
        before.is_some_and(|before| {
            before.is_empty() || word.contains(['_', '-']) && before.ends_with(['_', '-'])
        })
    }

    fn look_into(&self, text: &str, path: &str, found: &mut Presence) {
        match self {
            Self::Word(word) => {
                if may_define(word, path) && defines(text, word, path) {
                    *found = Presence::Defined;
                } else if *found == Presence::Absent && holds(text, word) {
                    *found = Presence::Used { file: None };
                }
            }
            Self::Setting(setting) if *found == Presence::Absent => {
                if setting.stands_in(text) {
                    *found = Presence::Used {
                        file: ProjectPath::new(path).ok(),
                    };
                }
            }
            Self::Flag(flag) if *found == Presence::Absent && has_flag(text, flag) => {
                *found = Presence::Used { file: None };
            }
            Self::Words(words) if *found == Presence::Unasked && text.contains(words) => {
                *found = Presence::Used { file: None };
            }
            Self::Setting(_) | Self::Flag(_) | Self::Words(_) | Self::File(_) | Self::Nothing => {}
        }
    }
}

fn may_define(word: &str, path: &str) -> bool {
    word.len() >= COMMON && language_of(path).is_some()
}

/// Whether a text has an option: with its dashes and to its end, or by its name where it is declared.
fn has_flag(text: &str, flag: &str) -> bool {
    let is_whole = places(text, flag).any(|at| {
        let after = &text[at + flag.len()..];
        !after.starts_with('-') && !text[..at].ends_with('-')
    });
    let name = flag.trim_start_matches('-');
    let quoted = format!("\"{name}\"");
    let field = name.replace('-', "_");
    let is_field = text.contains("#[arg(")
        && places(text, &field).any(|at| text[at + field.len()..].starts_with(':'));
    let declares = |line: &str| {
        let lower = line.to_lowercase();
        line.contains(&quoted)
            && ["flag", "option", "arg"]
                .iter()
                .any(|word| lower.contains(word))
    };
    is_whole || is_field || text.lines().any(declares)
}

/// `key = value`, `key: value` or `KEY=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Setting<'a> {
    key: &'a str,
    /// As it is compared, with what stands before it.
    value: String,
}

impl<'a> Setting<'a> {
    fn of(name: &'a str) -> Option<Self> {
        let at = name.find(['=', ':'])?;
        let (key, value) = (&name[..at], &name[at + 1..]);
        let is_key = |c: char| c.is_alphanumeric() || "_-. \"'".contains(c);
        let stands = !value.is_empty()
            && !value.starts_with(['=', ':', '>'])
            && key.trim().len() >= SHORT_KEY
            && key.chars().all(is_key)
            && (name.as_bytes()[at] == b'=' || value.starts_with(' '));
        stands.then(|| Self {
            key: key.trim_matches([' ', '"', '\'']),
            value: plain(&name[at..]),
        })
    }

    /// Whether a line sets it; `linter.rule: true` is one line below the other in most files.
    fn stands_in(&self, text: &str) -> bool {
        let below = self.key.rsplit_once('.').filter(|(above, key)| {
            let above = above.rsplit('.').next().unwrap_or(above);
            key.len() >= SHORT_KEY && holds(text, above)
        });
        text.lines().any(|line| {
            self.is_set(line, self.key) || below.is_some_and(|(_, key)| self.is_set(line, key))
        })
    }

    fn is_set(&self, line: &str, key: &str) -> bool {
        places(line, key).any(|at| {
            let rest = plain(&line[at + key.len()..]);
            let after = rest.strip_prefix(&self.value);
            after.is_some_and(|after| !after.starts_with(is_part))
        })
    }
}

fn plain(line: &str) -> String {
    line.chars()
        .filter(|c| !c.is_whitespace() && !"\"'`".contains(*c))
        .map(|c| if c == ':' { '=' } else { c })
        .collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_file_name(name: &str) -> bool {
    const SETTINGS: [&str; 14] = [
        "toml",
        "yaml",
        "yml",
        "json",
        "ini",
        "cfg",
        "conf",
        "lock",
        "txt",
        "plist",
        "xml",
        "sh",
        "sql",
        "xcworkspace",
    ];
    let plain = |c: char| c.is_alphanumeric() || "_-./@+".contains(c);
    let last = file_name(name);
    let extension = last.rsplit_once('.').map_or("", |(_, extension)| extension);
    name.chars().all(plain)
        && !extension.is_empty()
        && (language_of(last).is_some()
            || is_manifest(last)
            || is_prose(last)
            || SETTINGS.contains(&extension))
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where a text has a word, and not only as a part of a longer one.
fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |&at| {
            let before = text[..at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
}

fn holds(text: &str, word: &str) -> bool {
    places(text, word).next().is_some()
}

#[cfg(test)]
mod tests;
