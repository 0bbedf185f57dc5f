//! A [`History`] as bytes and back, so that it is read from git once and continued afterwards.
//!
//! Everything is a variable-length number or a text with its length before it. A cache that was cut short, was made
//! by another version or does not add up is refused whole; the caller reads git again.

use oldhand_domain::words;
use rustc_hash::FxHashMap;

use super::Gap;
use super::commit::Nature;
use super::log::{Entry, File, History, Names, Rename, RepeatedFix, Revert, RevertEvidence};

/// The number goes up with the form, or with what is read out of a commit.
const MAGIC: &[u8] = b"oldhand history 4\n";

impl History {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer(MAGIC.to_vec());
        // Words that were cut another way would not be found any more.
        out.number(u64::from(words::VERSION));
        out.texts(&self.words.list);
        out.texts(&self.authors.list);
        out.count(self.files.len());
        for file in &self.files {
            out.text(&file.path);
            out.number(u64::from(file.alive));
            out.count(file.contents.len());
            for &(content, commit) in &file.contents {
                out.number(content);
                out.number(u64::from(commit));
            }
            out.count(usize::from(file.last_fix.is_some()));
            if let Some((commit, lines)) = &file.last_fix {
                out.number(u64::from(*commit));
                out.numbers(lines);
            }
            out.count(usize::from(file.divided_from.is_some()));
            if let Some((whole, commit)) = file.divided_from {
                out.number(u64::from(whole));
                out.number(u64::from(commit));
            }
        }
        let mut paths: Vec<_> = self.by_path.iter().collect();
        paths.sort_unstable();
        out.count(paths.len());
        for (path, &file) in paths {
            out.text(path);
            out.number(u64::from(file));
        }
        out.count(self.commits.len());
        for entry in &self.commits {
            out.number(entry.id);
            out.signed(entry.time);
            out.number(u64::from(entry.author));
            out.number(u64::from(entry.nature.0));
            out.numbers(&entry.files);
            out.numbers(&entry.words);
        }
        out.count(self.reverts.len());
        for revert in &self.reverts {
            out.number(u64::from(revert.by));
            out.number(revert.of.map_or(0, |of| u64::from(of) + 1));
            out.number(u64::from(revert.evidence == RevertEvidence::Content));
        }
        out.count(self.repeated_fixes.len());
        for fix in &self.repeated_fixes {
            out.numbers(&[fix.file, fix.first, fix.again, u32::from(fix.same_lines)]);
        }
        out.count(self.renames.len());
        for rename in &self.renames {
            out.numbers(&[rename.commit, rename.file]);
            out.text(&rename.from);
            out.text(&rename.to);
        }
        out.text(self.tip.as_deref().unwrap_or_default());
        let capped = self.gaps.iter().find_map(|gap| match gap {
            Gap::Capped { commits } => Some(commits + 1),
            _ => None,
        });
        out.count(capped.unwrap_or_default());
        out.0
    }

    /// The history that [`to_bytes`](Self::to_bytes) wrote. Gaps other than the cut-off are found again by reading.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut input = Reader(bytes.strip_prefix(MAGIC)?);
        if input.small()? != words::VERSION {
            return None;
        }
        let words = input.names()?;
        let authors = input.names()?;
        let files: Vec<File> = input.list(|input| {
            let path = input.text()?;
            let alive = input.number()? != 0;
            let contents = input.list(|input| Some((input.number()?, input.small()?)))?;
            let has_fix = input.number()? != 0;
            let last_fix = if has_fix {
                Some((input.small()?, input.smalls()?))
            } else {
                None
            };
            let is_part = input.number()? != 0;
            let divided_from = if is_part {
                Some((input.small()?, input.small()?))
            } else {
                None
            };
            Some(File {
                path,
                alive,
                contents,
                last_fix,
                divided_from,
            })
        })?;
        let by_path = input.list(|input| Some((input.text()?, input.small()?)))?;
        let commits: Vec<Entry> = input.list(|input| {
            Some(Entry {
                id: input.number()?,
                time: input.signed()?,
                author: input.small()?,
                nature: Nature(u8::try_from(input.number()?).ok()?),
                files: input.smalls()?.into(),
                words: input.smalls()?.into(),
            })
        })?;
        let reverts = input.list(|input| {
            let by = input.small()?;
            let of = input.small()?.checked_sub(1);
            let is_content = input.number()? != 0;
            let evidence = if is_content {
                RevertEvidence::Content
            } else {
                RevertEvidence::Message
            };
            Some(Revert { by, of, evidence })
        })?;
        let repeated_fixes = input.list(|input| {
            let [file, first, again, same_lines] = input.smalls()?[..] else {
                return None;
            };
            Some(RepeatedFix {
                file,
                first,
                again,
                same_lines: same_lines != 0,
            })
        })?;
        let renames = input.list(|input| {
            let [commit, file] = input.smalls()?[..] else {
                return None;
            };
            Some(Rename {
                commit,
                file,
                from: input.text()?,
                to: input.text()?,
            })
        })?;
        let tip = Some(input.text()?).filter(|tip| !tip.is_empty());
        let capped = input.small()?.checked_sub(1);
        let history = Self {
            files,
            by_path: by_path.into_iter().collect::<FxHashMap<String, u32>>(),
            words,
            authors,
            commits,
            reverts,
            repeated_fixes,
            renames,
            tip,
            gaps: capped
                .map(|commits| Gap::Capped {
                    commits: commits as usize,
                })
                .into_iter()
                .collect(),
            ..Self::default()
        };
        (input.0.is_empty() && history.adds_up()).then_some(history)
    }

    /// Every number points at something that is there.
    fn adds_up(&self) -> bool {
        let (files, commits) = (self.files.len() as u32, self.commits.len() as u32);
        let (words, authors) = (self.words.list.len() as u32, self.authors.list.len() as u32);
        self.by_path.values().all(|&file| file < files)
            && self.commits.iter().all(|entry| {
                entry.author < authors
                    && entry.files.iter().all(|&file| file < files)
                    && entry.words.iter().all(|&word| word < words)
            })
            && self.files.iter().all(|file| {
                file.last_fix
                    .as_ref()
                    .is_none_or(|(commit, _)| *commit < commits)
            })
            && self
                .reverts
                .iter()
                .all(|it| it.by < commits && it.of.is_none_or(|of| of < commits))
            && self
                .repeated_fixes
                .iter()
                .all(|it| it.file < files && it.first < commits && it.again < commits)
            && self
                .renames
                .iter()
                .all(|it| it.file < files && it.commit < commits)
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Small numbers stay short whatever their sign.
    fn signed(&mut self, value: i64) {
        self.number(((value << 1) ^ (value >> 63)) as u64);
    }

    fn count(&mut self, value: usize) {
        self.number(value as u64);
    }

    fn numbers(&mut self, values: &[u32]) {
        self.count(values.len());
        for &value in values {
            self.number(u64::from(value));
        }
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    fn texts(&mut self, texts: &[String]) {
        self.count(texts.len());
        for text in texts {
            self.text(text);
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let value = self.number()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    /// A list whose length is believed only as far as the bytes that are left.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = usize::try_from(self.number()?)
            .ok()
            .filter(|length| *length <= self.0.len())?;
        (0..length).map(|_| item(self)).collect()
    }

    fn smalls(&mut self) -> Option<Vec<u32>> {
        self.list(Self::small)
    }

    fn names(&mut self) -> Option<Names> {
        let list = self.list(Self::text)?;
        let numbers = list
            .iter()
            .zip(0..)
            .map(|(name, number)| (name.clone(), number))
            .collect();
        Some(Names { list, numbers })
    }
}
