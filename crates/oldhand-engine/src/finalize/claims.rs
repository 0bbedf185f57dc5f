//! Whether what agents found out is borne out by the files of today, and whether a memory says it already.

use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::port::{Presence, Tree};
use oldhand_observe::distill::{
    Candidate, Claim, has_both, is_same, keep, made_of, meets, names, stated, stem, taken_for,
    typed, typed_at,
};
use oldhand_observe::paths::{file_name, is_prose, is_test, stem as stem_of};
use oldhand_observe::promote::Dropped;

use super::Finalizer;
use crate::EngineError;

/// Two statements that share fewer names may be about different things.
const SHARED: usize = 2;

impl Finalizer<'_> {
    /// Refuses what the tree does not bear out, and words a version as the manifest has it today. The tree is walked once for all.
    pub(super) fn check_claims(&self, candidates: &mut [Candidate]) -> Result<(), EngineError> {
        let Some(tree) = self.tree else {
            // Nothing bears out what nobody can look up.
            for candidate in candidates {
                candidate.claim = None;
            }
            return Ok(());
        };
        let open = candidates.iter_mut().filter(|candidate| candidate.is_fit());
        let open: Vec<(&mut Candidate, Claim)> = open
            .filter_map(|candidate| candidate.claim.clone().map(|claim| (candidate, claim)))
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        let asked: Vec<String> = open
            .iter()
            .flat_map(|(_, claim)| looked_for(claim))
            .collect();
        let mut found = tree.look_for(&asked).into_iter();
        let gotchas = Filter {
            types: vec![BuiltInType::Gotcha.into()],
            ..Filter::default()
        };
        let known = self.engine.project.list(&gotchas)?.memories;
        let known: Vec<(MemoryId, Vec<String>)> = known
            .iter()
            .map(|memory| (memory.id, names(stated(memory.content.as_str()))))
            .filter(|(_, names)| names.len() >= SHARED)
            .collect();
        for (candidate, claim) in open {
            let found: Vec<Presence> = found.by_ref().take(looked_for(&claim).len()).collect();
            check(candidate, &claim, &found, tree);
            if let Some(why) = self.said_before(&claim, candidate, &known) {
                candidate.refuse(why);
            }
        }
        Ok(())
    }

    /// A memory that names mostly the same things, made of other words.
    fn said_before(
        &self,
        claim: &Claim,
        candidate: &Candidate,
        known: &[(MemoryId, Vec<String>)],
    ) -> Option<Dropped> {
        let own = claim.names();
        if own.len() < SHARED || self.across.learned.contains_key(&candidate.told_as()) {
            return None;
        }
        let (memory, _) = known.iter().find(|(_, others)| is_same(&own, others))?;
        Some(Dropped::NamedBefore { memory: *memory })
    }
}

/// The names that have to be looked for in the tree; whose thing it is stands last.
fn looked_for(claim: &Claim) -> Vec<String> {
    match claim {
        Claim::Outside { names, on } => {
            let makers = on.iter().flat_map(|on| [on.clone(), on.to_lowercase()]);
            names.iter().cloned().chain(makers).collect()
        }
        Claim::Own { names } => names.clone(),
        Claim::Version { .. } => Vec::new(),
    }
}

fn check(candidate: &mut Candidate, claim: &Claim, found: &[Presence], tree: &dyn Tree) {
    if is_made_otherwise(candidate, found, tree) {
        candidate.refuse(Dropped::Past);
    }
    if is_met_nowhere(candidate, tree) {
        candidate.refuse(Dropped::Gone);
    }
    if let Some(place) = says_type(candidate, tree) {
        candidate.refuse(Dropped::SaidAt { place });
    }
    match claim {
        Claim::Version {
            manifest,
            statement,
        } => {
            let text = tree.text_of(manifest.as_str()).unwrap_or_default();
            match keep(statement, manifest, &text) {
                Some(wording) => candidate.reword(&wording),
                None => candidate.refuse(Dropped::Mended),
            }
        }
        Claim::Outside { names, on } => {
            let (found, makers) = found.split_at(names.len());
            // What it is about must be somebody else's, and so must most of what it names; it may name what the project defines as
            // well: `main`, `Read()`.
            let own = found.iter().filter(|it| **it == Presence::Defined).count();
            let is_theirs = found.first().is_some_and(is_used) && 2 * own < found.len();
            // Nor is it the project itself, which its own manifest names as well: "`shop serve` only …" is about `shop`.
            let about = on.as_ref().or(names.first());
            let about = about.and_then(|name| name.split_whitespace().next());
            let is_itself = about.is_some_and(|name| tree.is_called(name));
            if on.is_none() && own > 0 && !is_theirs || is_itself {
                candidate.refuse(Dropped::Mended);
            }
            // Whose it is says a manifest, or a file that uses its name where nothing is defined by it.
            let is_known =
                makers.first().is_some_and(is_there) && !makers.contains(&Presence::Defined);
            let depends = on.as_ref().map(|on| is_known || tree.depends_on(on));
            if !depends.unwrap_or_else(|| found.iter().any(is_there)) {
                candidate.refuse(Dropped::NamesNothing);
            }
            candidate.keep_files(|file| tree.text_of(file.as_str()).is_some());
            if let Some(file) = file_of(candidate, names, on.as_deref(), tree) {
                candidate.is_about(file);
            }
            settle(candidate, found);
        }
        Claim::Own { .. } => {
            let is_lost = |file: &ProjectPath| tree.text_of(file.as_str()).is_none();
            if !candidate.files.is_empty() && candidate.files.iter().all(is_lost) {
                candidate.refuse(Dropped::Gone);
            }
            if !found.iter().any(is_there) {
                candidate.refuse(Dropped::NamesNothing);
            }
            settle(candidate, found);
        }
    }
}

/// Whether the files of today say otherwise of how a name is declared, defined or set: no line has both.
fn is_made_otherwise(candidate: &Candidate, found: &[Presence], tree: &dyn Tree) -> bool {
    let Some(made) = made_of(stated(candidate.content.as_str())) else {
        return false;
    };
    let used = found.iter().filter_map(|presence| match presence {
        Presence::Used { file } => file.as_ref(),
        _ => None,
    });
    let mut files = candidate.files.iter().chain(used);
    !files.any(|file| {
        let text = tree.text_of(file.as_str());
        text.is_some_and(|text| has_both(&text, made))
    })
}

/// Whether it tells what a tool takes a name for, and no file of today has both.
fn is_met_nowhere(candidate: &Candidate, tree: &dyn Tree) -> bool {
    let Some(pair) = taken_for(stated(candidate.content.as_str())) else {
        return false;
    };
    let needles = [stem(pair.0), stem(pair.1)];
    let line_in = |_: &str, text: &str| meets(text, pair).then_some(1);
    let met = tree.place_with(&needles, &|file| !is_prose(file), &line_in);
    met.is_none()
}

/// The line of code that says the type which is all that it tells.
fn says_type(candidate: &Candidate, tree: &dyn Tree) -> Option<String> {
    let pair = typed(stated(candidate.content.as_str()))?;
    let line_in = |_: &str, text: &str| typed_at(text, pair);
    let place = tree.place_with(&[pair.0, pair.1], &|file| !is_prose(file), &line_in);
    place.map(|(file, line)| format!("{file}:{line}"))
}

/// The file of today that a finding is about rather than those that were changed that day: one that is called as its subject is and has
/// half of what it names, or one that has all of that where the changed ones have less than half.
fn file_of(
    candidate: &Candidate,
    names: &[String],
    subject: Option<&str>,
    tree: &dyn Tree,
) -> Option<ProjectPath> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_word = |name: &&String| name.len() >= LONG && name.chars().all(is_part);
    let words: Vec<&str> = names.iter().filter(is_word).map(String::as_str).collect();
    if words.len() < SHARED {
        return None;
    }
    let held = |text: &str| words.iter().filter(|word| text.contains(**word)).count();
    let is_code = |file: &str| !is_prose(file) && !is_test(file);
    let letters = |text: &str| {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.collect::<String>().to_lowercase()
    };
    let is_called =
        |file: &str| subject.is_some_and(|name| letters(stem_of(file)) == letters(name));
    let half = |_: &str, text: &str| (2 * held(text) >= words.len()).then_some(1);
    let called = tree.place_with(&[], &|file| is_code(file) && is_called(file), &half);
    let of_changed = || {
        let texts = candidate
            .files
            .iter()
            .filter_map(|file| tree.text_of(file.as_str()));
        texts.map(|text| held(&text)).max().unwrap_or_default()
    };
    let found = called.or_else(|| {
        let all = |_: &str, _: &str| Some(1);
        (2 * of_changed() < words.len()).then(|| tree.place_with(&words, &is_code, &all))?
    });
    let file = found.and_then(|(file, _)| ProjectPath::new(&file).ok())?;
    (!candidate.files.contains(&file)).then_some(file)
}

/// Shorter names are in files of any kind.
const LONG: usize = 5;

fn settle(candidate: &mut Candidate, found: &[Presence]) {
    if found.contains(&Presence::Absent) {
        candidate.refuse(Dropped::Gone);
        return;
    }
    let stands = found.iter().find_map(|presence| match presence {
        Presence::Used { file } => file.clone(),
        _ => None,
    });
    let is_named = |file: &ProjectPath| {
        candidate
            .content
            .as_str()
            .contains(file_name(file.as_str()))
    };
    if let Some(file) = stands.filter(|file| !candidate.files.contains(file) && !is_named(file)) {
        candidate.stands_in(file);
    }
}

fn is_used(presence: &Presence) -> bool {
    matches!(presence, Presence::Used { .. })
}

fn is_there(presence: &Presence) -> bool {
    matches!(presence, Presence::Used { .. } | Presence::Defined)
}
