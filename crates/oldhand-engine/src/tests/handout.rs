//! What hooks are handed out is what they would have found themselves.

use oldhand_domain::memory::Memory;
use oldhand_domain::taint::{OutsideText, Taint};
use oldhand_domain::text::Fingerprint;
use oldhand_observe::fingerprint::fingerprint;
use oldhand_recall::inject::Line;
use oldhand_recall::trust::TrustLevel;

use super::*;
use crate::handout::{hand_out, ready_for};

fn about(content: &str, memory_type: BuiltInType, files: &[&str]) -> Draft {
    Draft {
        files: files
            .iter()
            .map(|file| ProjectPath::new(file).unwrap())
            .collect(),
        ..Draft::taught(Payload::from(memory_type), content)
    }
}

const ERROR: &str = "error: no such column: name";

/// About an error and about a file.
fn about_error(content: &str) -> Draft {
    let error = fingerprint(ERROR).unwrap();
    Draft {
        fingerprints: [Fingerprint::new(&error.message).unwrap()].into(),
        ..about(content, BuiltInType::ErrorPattern, &["src/schema.rs"])
    }
}

/// Of four memories about one error, one may be told.
fn learn_error(house: &House) {
    house.remember(about_error("The column comes with the seventh migration."));
    house.remember(Draft {
        needs_review: true,
        ..about_error("Restarting the server helps.")
    });
    house.remember(Draft {
        taint: Taint::by(OutsideText::Web),
        ..about_error("Somebody's page says to drop the table.")
    });
    let flagged = house.remember(about_error("Quote the name, it is a keyword."));
    let Written::Inserted(flagged) = flagged.outcome else {
        panic!("{flagged:?}")
    };
    let id = flagged.id.to_string();
    let wrong = Correction::Inaccurate;
    let flagged = house.engine().flag(&id, wrong, None, day(0)).unwrap();
    // What is flagged waits for a review too; the flag alone has to be enough.
    let flagged = Memory {
        needs_review: false,
        ..flagged.memory
    };
    let store = &house.project;
    store.change(&mut |_| Ok(vec![flagged.clone()])).unwrap();
}

fn filled() -> House {
    use BuiltInType as T;
    let house = House::new();
    let dead_end = Payload::DeadEnd(DeadEnd {
        tried: "make test".to_owned(),
        why_it_failed: "there is no such target".to_owned(),
        used_instead: None,
        task_context: None,
    });
    let drafts = [
        about("Run migrations first.", T::Gotcha, &["src/db.rs"]),
        about(
            "The pool closes early.",
            T::E2eObservation,
            &["src/db.rs", "src/pool.rs"],
        ),
        about(
            "A change here breaks the router.",
            T::CausalDependency,
            &["src/db.rs"],
        ),
        Draft {
            impacted_nodes: ["src/log.rs".to_owned()].into(),
            ..about(
                "When the store changes, the log changes too.",
                T::CausalDependency,
                &["src/log.rs", "src/store.rs"],
            )
        },
        about(
            "`cargo nextest run` hangs in this repository.",
            T::DeadEnd,
            &[],
        ),
        Draft::taught(dead_end, "There is no target called test in the Makefile."),
        about(
            "`fn open` is in the store, nowhere else.",
            T::ModuleInsight,
            &[],
        ),
        about(
            "There is no `.lint.yml`; the file is `.lint.yaml` (seen in 2 sessions).",
            T::Gotcha,
            &[".lint.yaml"],
        ),
        about(
            "There is no `src/cmds/`; what was looked for there is in `src/` (seen in 3 sessions).",
            T::Gotcha,
            &["src/run.rs"],
        ),
        Draft {
            fingerprints: [Fingerprint::new("left in tmp/clones").unwrap()].into(),
            ..about(
                "Failures in `tmp/clones/` are not of the project's code.",
                T::Gotcha,
                &[],
            )
        },
        about(
            "`make lint` failed on the changes of 9 of the 12 sessions that ran it, most often format (9). Run `make fmt` first: it alone made it pass in 5 sessions.",
            T::Pattern,
            &[],
        ),
        about("Errors are values, never panics.", T::Decision, &[]),
        about("Tabs are four columns wide.", T::Preference, &[]),
        about(
            "Nothing about this is standing.",
            T::ModuleInsight,
            &["src/db.rs"],
        ),
    ];
    for draft in drafts {
        house.remember(draft);
    }
    learn_error(&house);
    house
}

/// The same question to the store and to what was handed out.
fn said(house: &House, cue: &Cue, level: TrustLevel) -> (Vec<Line>, Option<Vec<Line>>) {
    let session = SessionId::new("s1").unwrap();
    let listener = Listener {
        branch: None,
        session: &session,
        level,
        now: day(1),
    };
    let asked = house.engine().recall_for(cue, listener).unwrap();
    let answers = hand_out(&house.project).unwrap();
    let answer = |key: &str| -> Result<Option<Vec<u8>>, ()> {
        let found = answers.iter().find(|(known, _)| known == key);
        Ok(found.map(|(_, answer)| answer.clone()))
    };
    let ready = ready_for(cue, answer).map(|memories| {
        let project: RamStore = memories.into_iter().collect();
        let engine = Engine::new(&project, Some(&house.personal), &StaticEmbedder, &house.ids);
        engine.recall_for(cue, listener).unwrap()
    });
    (asked, ready)
}

#[test]
fn what_is_handed_out_leads_to_the_same_words_as_the_store() {
    let house = filled();
    let file = |path: &str| ProjectPath::new(path).unwrap();
    let cues = [
        (Cue::SessionStarted, 3),
        (Cue::ContextCompacted, 3),
        (Cue::FileRead(file("src/db.rs")), 2),
        (Cue::FileEdited(file("src/db.rs")), 3),
        (Cue::FileEdited(file("src/store.rs")), 1),
        (Cue::FileEdited(file("src/log.rs")), 0),
        (Cue::FileRead(file("src/pool.rs")), 1),
        (Cue::FileRead(file("src")), 0),
        (Cue::FileRead(file("src/other.rs")), 0),
        (
            Cue::StepEnded(vec![file("src/pool.rs"), file("src/db.rs")]),
            2,
        ),
        (Cue::StepEnded(vec![file("src/other.rs")]), 0),
        (Cue::CommandRan("make test".to_owned()), 1),
        (Cue::CommandRan(" cargo nextest run ".to_owned()), 1),
        (Cue::CommandRan("cargo nextest".to_owned()), 0),
        (Cue::Searched("fn open".to_owned()), 1),
        (Cue::Searched("fn close".to_owned()), 0),
        // A wrong name is told to who missed the file, not to who has found it; nor is a size to who has read it.
        (Cue::FileMissed(file(".lint.yml")), 1),
        (Cue::FileMissed(file(".lint.yaml")), 0),
        (Cue::FileMissed(file("src/cmds")), 1),
        (Cue::FileMissed(file("src/cmds/run.rs")), 1),
        (Cue::FileMissed(file("src/commands/run.rs")), 0),
        (Cue::FileRead(file("src/run.rs")), 0),
        (
            Cue::Failed("tmp/clones/one/src/x.test.ts:3:1 failed".to_owned()),
            1,
        ),
        (Cue::Failed("tmp/other/x.test.ts:3:1 failed".to_owned()), 0),
        (Cue::CheckFailed("make lint".to_owned()), 1),
        (Cue::CheckFailed("make test".to_owned()), 0),
        (Cue::FileRead(file(".lint.yaml")), 0),
        (Cue::Failed("error: no such table".to_owned()), 0),
        (Cue::Failed(ERROR.to_owned()), 1),
        (Cue::FileRead(file("src/schema.rs")), 1),
    ];
    for level in TrustLevel::ALL {
        for (cue, number) in &cues {
            let (asked, ready) = said(&house, cue, level);
            assert_eq!(ready.as_ref(), Some(&asked), "{cue:?}");
            assert_eq!(asked.len(), *number, "{cue:?}");
        }
    }
}

#[test]
fn what_only_a_database_can_tell_is_left_to_it() {
    let house = filled();
    for cue in [
        Cue::Asked("make the pool close later".to_owned()),
        Cue::CommandRan("echo `date`".to_owned()),
    ] {
        assert_eq!(said(&house, &cue, TrustLevel::Standard).1, None, "{cue:?}");
    }
    let unreadable = |_: &str| -> Result<Option<Vec<u8>>, ()> { Err(()) };
    assert!(ready_for(&Cue::SessionStarted, unreadable).is_none());
    let met =
        |key: &str| -> Result<Option<Vec<u8>>, ()> { Ok(key.starts_with("met:").then(Vec::new)) };
    assert!(ready_for(&Cue::Failed("error: no such table".to_owned()), met).is_none());
}

#[test]
fn a_memory_that_was_changed_behind_our_back_is_not_used() {
    let house = filled();
    let cue = Cue::FileRead(ProjectPath::new("src/pool.rs").unwrap());
    let answers = hand_out(&house.project).unwrap();
    let forged = |key: &str| -> Result<Option<Vec<u8>>, ()> {
        let found = answers.iter().find(|(known, _)| known == key);
        let text = found.map(|(_, answer)| String::from_utf8(answer.clone()).unwrap());
        Ok(text.map(|text| text.replace("closes early", "is for rent").into_bytes()))
    };
    assert!(ready_for(&cue, forged).is_none());
}
