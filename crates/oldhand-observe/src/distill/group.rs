//! Files that all change together: one statement instead of one for every two of them.

use std::collections::BTreeSet;

use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::taint::Taint;
use oldhand_domain::text::{Content, SUMMARY_LIMIT, Summary};

use super::together::{Company, SMALL, Together};
use super::{Candidate, phrase};
use crate::paths;
use crate::promote::cautious_share;

/// Three files or more that change together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub files: BTreeSet<ProjectPath>,
    /// Changes of so many of its files at least are changes of the group.
    pub least: u32,
    /// How many of the changes of any of its files those are.
    pub whole: u32,
    pub any: u32,
}

/// Who saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenBy {
    Commits,
    Sessions,
}

/// A list of more files is read by nobody.
const MOST_FILES: usize = 8;
/// How many of the files that change with one are looked at.
const LOOKED_AT: usize = 24;
/// How many of the changes of any of its files are changes of the group, seen from the cautious end.
const SHARE: f64 = 0.4;

impl Group {
    /// The files that change with these two and with each other; nothing where there are only the two, or where the two say more than
    /// all would. It grows out of `known`, what was told of them before, where that still holds.
    pub fn around(
        company: &dyn Company,
        (a, b): (&ProjectPath, &ProjectPath),
        known: Option<&BTreeSet<ProjectPath>>,
    ) -> Option<Self> {
        if !company.together(a, b).is_some_and(Together::is_close) {
            return None;
        }
        let known = known.filter(|known| known.contains(a) && known.contains(b));
        let known = known.and_then(|known| Self::of(company, known.clone()));
        let pair = || BTreeSet::from([a.clone(), b.clone()]);
        let mut kept = known.map_or_else(pair, |group| group.files);
        let seen = |one: &ProjectPath, two: &ProjectPath| {
            let seen = company.together(one, two).filter(|_| one != two);
            seen.unwrap_or_default()
        };
        let mut beside = company.beside(a);
        beside.truncate(LOOKED_AT);
        beside.retain(|file| seen(file, a).agrees() || seen(file, b).agrees());
        // What makes a group with the two at once stays.
        for file in &beside {
            if let Some(larger) = with(&kept, file)
                && Self::of(company, larger.clone()).is_some()
            {
                kept = larger;
            }
        }
        let mut files = kept.clone();
        for file in &beside {
            files = with(&files, file).unwrap_or(files);
        }
        // Of the others, what goes least with all is left out until the rest is a group.
        loop {
            let group = Self::of(company, files.clone());
            if group.is_some() {
                return group;
            }
            let others = files.iter().filter(|file| !kept.contains(*file));
            let loosest = others.min_by_key(|one| -> u32 {
                let together = files.iter().map(|two| seen(one, two).both);
                together.sum()
            });
            let loosest = loosest.cloned()?;
            files.remove(&loosest);
        }
    }

    /// The group that these files are: each is close to one of the others and goes with half of them, most changes of any of them are
    /// changes of half of them and of three at least, and no two are so much closer that they would be lost among the others.
    pub fn of(company: &dyn Company, files: BTreeSet<ProjectPath>) -> Option<Self> {
        let size = files.len() as u32;
        if !(3..=MOST_FILES as u32).contains(&size) {
            return None;
        }
        let least = size.div_ceil(2).max(3);
        let changes = company.changed_of(&files);
        let any = changes.len() as u32;
        let whole = changes.iter().filter(|changed| **changed >= least).count() as u32;
        if 2 * whole < any || cautious_share(whole, any) < SHARE {
            return None;
        }
        // The upper end of the interval around what all of them do.
        let at_best = 1.0 - cautious_share(any - whole, any);
        let belongs = |one: &ProjectPath| {
            let others = files.iter().filter(|two| *two != one);
            let seen: Vec<Together> = others
                .filter_map(|two| company.together(one, two))
                .collect();
            let goes_with = seen.iter().filter(|seen| seen.agrees()).count() as u32;
            2 * goes_with + 1 >= size
                && seen.iter().any(|seen| seen.is_close())
                && seen.iter().all(|seen| seen.share_of_any() <= at_best)
        };
        files.iter().all(belongs).then_some(Self {
            files,
            least,
            whole,
            any,
        })
    }

    /// Its names in one line: whole paths where they fit, else names with the folder that they share, else the first of them.
    fn summary(&self) -> String {
        let fits = |line: &String| oldhand_domain::tokens::count(line) <= SUMMARY_LIMIT;
        let paths: Vec<&str> = self.files.iter().map(ProjectPath::as_str).collect();
        let names: Vec<&str> = paths.iter().map(|path| paths::file_name(path)).collect();
        let folder = shared_folder(&paths);
        let within = |path: &&'_ str| path[folder.len()..].trim_start_matches('/').to_owned();
        let within: Vec<String> = paths.iter().map(within).collect();
        let within: Vec<&str> = within.iter().map(String::as_str).collect();
        let place = match folder {
            "" => String::new(),
            folder => format!("In `{folder}`, "),
        };
        let say = |place: &str, named: &str| format!("{place}{named} change together");
        let whole = say("", &phrase::names_up_to(&paths, paths.len()));
        let ways = [(place.as_str(), &within), ("", &names)];
        let shorter = ways.into_iter().flat_map(|(place, names)| {
            let shown = (2..=names.len()).rev();
            shown.map(move |shown| say(place, &phrase::names_up_to(names, shown)))
        });
        let mut lines = std::iter::once(whole).chain(shorter);
        lines.find(fits).unwrap_or_default()
    }
}

/// These files and one more, where that says something beside them.
fn with(files: &BTreeSet<ProjectPath>, file: &ProjectPath) -> Option<BTreeSet<ProjectPath>> {
    let is_news = !files.contains(file) && files.len() < MOST_FILES && may_join(file, files);
    is_news.then(|| files.iter().chain([file]).cloned().collect())
}

/// Whether a file says something beside these: no program writes it, it tells neither of all of the project nor its dependencies, it holds no rules for agents, their names do not say that it goes
/// with them, and it is no test among code.
fn may_join(file: &ProjectPath, files: &BTreeSet<ProjectPath>) -> bool {
    let said = files
        .iter()
        .any(|other| paths::say_it(file.as_str(), other.as_str()));
    let file = file.as_str();
    let among_code = !files.iter().any(|other| paths::is_test(other.as_str()));
    !(said
        || paths::is_written_by_program(file)
        || paths::is_manifest(file)
        || paths::is_overview(file) && files.iter().any(|other| !paths::is_prose(other.as_str()))
        || paths::is_rules_file(file)
        || paths::is_test(file) && among_code)
}

/// The folder that all of these lie in; empty where that is the top.
fn shared_folder<'p>(paths: &[&'p str]) -> &'p str {
    let folder = |path: &'p str| path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut folders = paths.iter().map(|path| folder(path));
    let first = folders.next().unwrap_or_default();
    folders.fold(first, |shared, other| {
        let same = shared.split('/').zip(other.split('/'));
        let same = same.take_while(|(one, two)| one == two);
        let length: usize = same.map(|(one, _)| one.len() + 1).sum();
        &shared[..length.saturating_sub(1)]
    })
}

impl Candidate {
    /// Whether it says of more than two files that they change together.
    pub fn is_group(&self) -> bool {
        self.seed.is_some()
    }

    /// Says it of all that change together. `told` is the statement that it makes anew, `sessions` edited the two that showed it.
    pub fn gather(&mut self, group: &Group, by: SeenBy, told: String, sessions: u32) {
        let Some((a, b)) = self.pair() else { return };
        let seed = (a.clone(), b.clone());
        let (size, least) = (group.files.len() as u32, group.least);
        let names: Vec<&str> = group.files.iter().map(ProjectPath::as_str).collect();
        let nearly = if least == size {
            "all of them".to_owned()
        } else {
            format!("at least {least} of the {size}")
        };
        let seen = match by {
            SeenBy::Commits => "small commits in git's history",
            SeenBy::Sessions => "small sessions",
        };
        let content = format!(
            "{} change together: of the {} {seen} (at most {SMALL} files each) that changed any of them, {} changed {nearly}; {} edited `{a}` and `{b}`.",
            phrase::names_up_to(&names, names.len()),
            group.any,
            group.whole,
            phrase::sessions(sessions),
        );
        let Ok(content) = Content::new(&content) else {
            return;
        };
        self.summary = Summary::new(&group.summary()).unwrap_or_else(|_| Summary::of(&content));
        self.content = content;
        self.payload = BuiltInType::CausalDependency.into();
        if by == SeenBy::Commits {
            // No outside text of a session has a hand in what commits say.
            self.taint = Taint::CLEAN;
        }
        self.seed = Some(seed);
        self.told = Some(told);
        self.name_files(group.files.iter().cloned());
        self.impacted.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Origin, Wording};
    use super::*;

    /// Commits by the files that they changed.
    struct Commits(Vec<&'static [&'static str]>);

    impl Company for Commits {
        fn together(&self, a: &ProjectPath, b: &ProjectPath) -> Option<Together> {
            let has = |commit: &[&str], file: &ProjectPath| commit.contains(&file.as_str());
            let count =
                |is: &dyn Fn(&[&str]) -> bool| self.0.iter().filter(|one| is(one)).count() as u32;
            let (of_a, of_b) = (count(&|one| has(one, a)), count(&|one| has(one, b)));
            Some(Together {
                all: self.0.len() as u32,
                ..Together::of(count(&|one| has(one, a) && has(one, b)), [of_a, of_b])
            })
        }

        fn beside(&self, file: &ProjectPath) -> Vec<ProjectPath> {
            let with = self.0.iter().filter(|one| one.contains(&file.as_str()));
            let others: BTreeSet<&str> = with.flat_map(|one| one.iter().copied()).collect();
            let others = others.into_iter().filter(|other| *other != file.as_str());
            others.map(path).collect()
        }

        fn changed_of(&self, files: &BTreeSet<ProjectPath>) -> Vec<u32> {
            let changed = self.0.iter().map(|one| {
                files
                    .iter()
                    .filter(|file| one.contains(&file.as_str()))
                    .count() as u32
            });
            changed.filter(|changed| *changed > 0).collect()
        }
    }

    fn path(text: &str) -> ProjectPath {
        ProjectPath::new(text).unwrap()
    }

    fn around(commits: Vec<&'static [&'static str]>, known: Option<&[&str]>) -> Option<Group> {
        let known = known.map(|known| known.iter().map(|file| path(file)).collect());
        let pair = (&path("text/ca.json"), &path("text/en.json"));
        Group::around(&Commits(commits), pair, known.as_ref())
    }

    const TEXTS: &[&str] = &["text/ca.json", "text/en.json", "text/es.json"];
    const TWO: &[&str] = &["text/ca.json", "text/en.json"];
    const LATE: &[&str] = &["page.ts", "text/ca.json", "text/en.json", "text/es.json"];

    fn beside(some: &[&'static [&'static str]]) -> Vec<&'static [&'static str]> {
        const OTHER: &[&str] = &["src/a.ts"];
        [some, &[OTHER; 20]].concat()
    }

    fn names(group: Option<Group>) -> Vec<String> {
        let files = group.map(|group| group.files).unwrap_or_default();
        files.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn files_of_which_every_two_change_together_are_one_group() {
        let group = around(beside(&[&[TEXTS; 8][..], &[TWO]].concat()), None).unwrap();
        assert_eq!((group.least, group.whole, group.any), (3, 8, 9));
        assert_eq!(names(Some(group)), TEXTS);
    }

    #[test]
    fn documents_of_which_most_change_each_time_are_one_group() {
        const FIVE: [&str; 5] = [
            "text/ca.json",
            "text/en.json",
            "text/es.json",
            "text/fr.json",
            "text/it.json",
        ];
        const CA: &[&str] = &[
            "text/ca.json",
            "text/en.json",
            "text/es.json",
            "text/it.json",
        ];
        const EN: &[&str] = &["text/ca.json", "text/en.json", "text/fr.json"];
        const ES: &[&str] = &["text/en.json", "text/es.json", "text/fr.json"];
        const ALONE: &[&str] = &["text/fr.json"];
        let most = [&[&FIVE as &[&str]; 8][..], &[CA, CA, EN, ES, TWO]].concat();
        let group = around(beside(&most), None).unwrap();
        assert_eq!((group.least, group.whole, group.any), (3, 12, 13));
        assert_eq!(names(Some(group)), FIVE);
        let alone = beside(&[&most[..], &[ALONE; 12]].concat());
        let without: Vec<&str> = FIVE.into_iter().filter(|file| *file != ALONE[0]).collect();
        assert_eq!(names(around(alone, None)), without);
    }

    #[test]
    fn what_goes_with_the_others_seldom_is_none_of_them() {
        let late = beside(&[
            TEXTS, TEXTS, TEXTS, TEXTS, TEXTS, TEXTS, TEXTS, LATE, LATE, LATE,
        ]);
        assert_eq!(names(around(late, None)), TEXTS);
        assert_eq!(around(beside(&[TWO, TWO, TWO, TWO, TEXTS]), None), None);
        let tested: &[&str] = &["text/ca.json", "text/en.json", "text/tests/ca_test.json"];
        assert_eq!(around(beside(&[tested; 6]), None), None, "its name says it");
    }

    #[test]
    fn a_file_that_goes_with_two_and_changes_alone_keeps_no_third_out() {
        const HUB: &[&str] = &["hub.ts"];
        const WITH: &[&str] = &["hub.ts", "text/ca.json", "text/en.json"];
        const ALL: &[&str] = &["hub.ts", "text/ca.json", "text/en.json", "text/es.json"];
        let changes = [&[ALL; 10][..], &[WITH; 2], &[HUB; 10]].concat();
        assert_eq!(names(around(beside(&changes), None)), TEXTS);
    }

    #[test]
    fn changes_of_one_of_them_alone_speak_against_a_group() {
        const ALONE: &[&str] = &["text/es.json"];
        let six = [TEXTS; 6];
        assert!(around(beside(&six), None).is_some());
        let alone = beside(&[&six[..], &[ALONE; 5]].concat());
        assert_eq!(around(alone, None), None);
    }

    #[test]
    fn two_that_are_much_closer_than_the_others_stay_a_pair() {
        let together = [TEXTS; 30];
        let closer = beside(&[&together[..], &[TWO; 12]].concat());
        let pair = Commits(closer.clone()).together(&path(TWO[0]), &path(TWO[1]));
        assert_eq!(pair.map(|pair| (pair.both, pair.rarer)), Some((42, 42)));
        assert_eq!(around(closer, None), None);
        let nearly = beside(&[&together[..], &[TWO; 2]].concat());
        assert_eq!(names(around(nearly, None)), TEXTS);
    }

    #[test]
    fn a_group_that_was_told_stays_while_it_holds_and_grows() {
        let all = beside(&[LATE; 6]);
        assert_eq!(names(around(all, Some(TEXTS))), LATE);
        let no_longer = beside(&[TWO; 6]);
        assert_eq!(around(no_longer, Some(TEXTS)), None);
    }

    #[test]
    fn it_is_said_of_all_in_one_line_and_with_its_numbers() {
        let wording = Wording::plain(
            BuiltInType::CausalDependency,
            "x".to_owned(),
            "x".to_owned(),
        );
        let key = "pair:text/ca.json+text/en.json".to_owned();
        let candidate = Candidate::new(key, Origin::Many, wording).unwrap();
        let mut candidate = candidate.about(TWO.iter().map(|file| path(file)));
        let seen = beside(&[&[TEXTS; 8][..], &[TWO]].concat());
        let group = around(seen, None).unwrap();
        candidate.gather(&group, SeenBy::Commits, "group:x".to_owned(), 2);
        assert_eq!(
            candidate.content.as_str(),
            "`text/ca.json`, `text/en.json` and `text/es.json` change together: of the 9 small commits in git's history (at most 15 files each) that \
             changed any of them, 8 changed all of them; 2 sessions edited `text/ca.json` and `text/en.json`."
        );
        assert_eq!(
            candidate.summary.as_str(),
            "`text/ca.json`, `text/en.json` and `text/es.json` change together"
        );
        assert_eq!(
            (candidate.told_as().as_str(), candidate.files.len()),
            ("group:x", 3)
        );
        assert_eq!(candidate.pair(), Some((&path(TWO[0]), &path(TWO[1]))));
        let files = (1..=7).map(|n| {
            path(&format!(
                "packages/application/src/module{n}/configuration.ts"
            ))
        });
        let long = Group {
            files: files.collect(),
            ..group
        };
        assert_eq!(
            long.summary(),
            "In `packages/application/src`, `module1/configuration.ts`, `module2/configuration.ts` and 5 more change together"
        );
    }
}
