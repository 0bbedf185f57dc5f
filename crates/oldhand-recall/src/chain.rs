//! What hangs together comes along: files that are nearly always touched together bring their lessons.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use oldhand_domain::id::MemoryId;
use oldhand_domain::memory::Memory;
use oldhand_domain::path::ProjectPath;

use crate::candidate::{Because, Candidate};

/// Two files are one chain above this share of common use.
pub const STRONG: f64 = 0.6;
/// Answers that may bring others.
const BEST: usize = 5;
/// How many may come along.
const MOST: usize = 5;

/// Two files that are used together, and in which share of cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub from: ProjectPath,
    pub to: ProjectPath,
    pub strength: f64,
}

/// It came along with another answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Chained {
    pub with: MemoryId,
    pub link: Link,
}

impl fmt::Display for Chained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Link { from, to, strength } = &self.link;
        write!(
            f,
            "came with {}: {to} goes with {from} in {:.0} %",
            self.with.short(),
            strength * 100.0
        )
    }
}

/// The files that the best answers pull along: look up the memories about these.
pub fn pulled(candidates: &[Candidate], links: &[Link]) -> BTreeSet<ProjectPath> {
    chains(candidates, links).into_keys().collect()
}

/// Adds memories about pulled files at the end, each with the answer that brought it. Those already there stay where they are.
pub fn expand(candidates: &mut Vec<Candidate>, links: &[Link], about_pulled: Vec<Memory>) {
    let chains = chains(candidates, links);
    let present: BTreeSet<MemoryId> = candidates
        .iter()
        .map(|candidate| candidate.memory.id)
        .collect();
    let mut added: Vec<Candidate> = about_pulled
        .into_iter()
        .filter(|memory| !present.contains(&memory.id))
        .filter_map(|memory| {
            let strength =
                |file: &&ProjectPath| chains.get(*file).map_or(0.0, |(_, link)| link.strength);
            let file = memory
                .files
                .iter()
                .max_by(|left, right| strength(left).total_cmp(&strength(right)))?;
            let (parent, link) = chains.get(file)?;
            let parent = &candidates[*parent];
            // Less than what brought it, always: it is a hint, not an answer.
            let score = parent.score * link.strength * 0.5;
            let because = Because {
                lanes: Vec::new(),
                words: Vec::new(),
                reading: None,
                beside: None,
                boost: None,
                usefulness: None,
                outranked: None,
                crowded: None,
                chained: Some(Chained {
                    with: parent.memory.id,
                    link: link.clone(),
                }),
                ..parent.because.clone()
            };
            Some(Candidate {
                memory,
                score,
                because,
            })
        })
        .collect();
    crate::candidate::sort(&mut added);
    added.truncate(MOST);
    candidates.extend(added);
}

/// Each pulled file with the answer that pulls it hardest.
fn chains(candidates: &[Candidate], links: &[Link]) -> BTreeMap<ProjectPath, (usize, Link)> {
    let mut chains: BTreeMap<ProjectPath, (usize, Link)> = BTreeMap::new();
    for (index, candidate) in candidates.iter().take(BEST).enumerate() {
        let strong = links
            .iter()
            .filter(|link| link.strength > STRONG && candidate.memory.files.contains(&link.from));
        for link in strong {
            let known = chains
                .get(&link.to)
                .map_or(0.0, |(_, known)| known.strength);
            if link.strength > known {
                chains.insert(link.to.clone(), (index, link.clone()));
            }
        }
    }
    chains
}

#[cfg(test)]
mod tests {
    use oldhand_domain::payload::BuiltInType;
    use oldhand_testkit::memory;

    use super::*;
    use crate::candidate::tests::{candidates, order};

    fn path(text: &str) -> ProjectPath {
        ProjectPath::new(text).unwrap()
    }

    fn about(number: u32, file: &str) -> Memory {
        let mut memory = memory(
            number,
            BuiltInType::CausalDependency,
            "Change both together.",
        );
        memory.files.insert(path(file));
        memory
    }

    fn link(to: &str, strength: f64) -> Link {
        Link {
            from: path("a.rs"),
            to: path(to),
            strength,
        }
    }

    #[test]
    fn strongly_linked_files_bring_their_lessons() {
        let mut all = candidates(&[0.5, 0.4]);
        all[0].memory.files.insert(path("a.rs"));
        let links = [link("b.rs", 0.9), link("c.rs", 0.5)];
        assert_eq!(pulled(&all, &links), BTreeSet::from([path("b.rs")]));
        expand(&mut all, &links, vec![about(8, "b.rs"), about(9, "c.rs")]);
        assert_eq!(order(&all), [1, 2, 8]);
        let why = all[2].because.chained.as_ref().unwrap().to_string();
        assert!(why.ends_with("b.rs goes with a.rs in 90 %"), "{why}");
        assert!(all[2].score < all[0].score);
    }

    #[test]
    fn what_is_already_an_answer_is_not_added_again() {
        let mut all = candidates(&[0.5, 0.4]);
        all[0].memory.files.insert(path("a.rs"));
        let known = Memory {
            files: BTreeSet::from([path("b.rs")]),
            ..all[1].memory.clone()
        };
        expand(&mut all, &[link("b.rs", 0.9)], vec![known]);
        assert_eq!(order(&all), [1, 2]);
    }
}
