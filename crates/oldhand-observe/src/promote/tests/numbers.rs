//! The numbers of promotion, from both sides.

use oldhand_domain::path::ProjectPath;

use super::*;
use crate::distill::Together;

const PLAIN: GateRule = GateRule {
    sessions: None,
    lowered: 0.0,
};

/// A candidate of a signal under its own key, of these files.
pub(super) fn shown(kind: SignalKind, key: &str, files: &[&str]) -> Candidate {
    let mut candidate = rows::taught_by(kind);
    candidate.key = key.to_owned();
    candidate.files.clear();
    candidate.sessions_needed = None;
    candidate.about(files.iter().map(|file| ProjectPath::new(file).unwrap()))
}

pub(super) fn before(key: &str, sessions: u32, edited_sessions: u32, task_types: u32) -> Frequency {
    let seen = Seen {
        sessions,
        task_types,
        edited_sessions,
        ..Seen::default()
    };
    Frequency {
        seen: BTreeMap::from([(key.to_owned(), seen)]),
        ..Frequency::default()
    }
}

pub(super) fn decided(candidate: &Candidate, frequency: &Frequency) -> Result<Promotion, Dropped> {
    let judgement = judge(&fold(
        &events("edit a.rs; validated passed"),
        &FoldOptions::default(),
    ));
    let circumstances = Circumstances {
        session_type: SessionType::Build,
        sight: Sight::Work,
        judgement: &judgement,
        complexity: Complexity::Standard,
        frequency,
        neighbours: &BTreeMap::new(),
        barred: &BTreeMap::new(),
        taught_before: 0,
        feedback: Feedback::default(),
    };
    let gate = Gate::of(SessionType::Build, &judgement);
    decide(candidate, gate, &circumstances)
}

#[test]
fn tasks_teach_two_ten_and_twenty_five() {
    use Complexity as C;
    let limits = [C::Trivial, C::Standard, C::Complex].map(C::limit);
    assert_eq!(limits, [2, 10, 25]);
}

#[test]
fn a_signal_at_the_floor_is_looked_at() {
    let told = |value: f64| {
        let mut candidate = rows::taught_by(SignalKind::SelfCorrection);
        candidate.priority = value;
        decided(&candidate, &Frequency::default()).is_ok()
    };
    assert!(told(0.4) && !told(0.39));
}

#[test]
fn what_a_person_says_again_is_surer_and_needs_no_word_from_the_third_time_on() {
    let told = |sessions: u32| {
        let mut candidate = rows::taught_by(SignalKind::ErrorRetry);
        candidate.origin = Origin::Person;
        candidate.confidence = Confidence::clamped(0.7);
        let frequency = before(&candidate.key, sessions - 1, 0, 1);
        let found = decided(&candidate, &frequency).unwrap();
        (
            format!("{:.2}", found.confidence.get()),
            found.review.is_some(),
        )
    };
    for (sessions, sure, needs_review) in [
        (1, "0.70", true),
        (2, "0.77", true),
        (3, "0.84", false),
        (4, "0.91", false),
        (5, "0.92", false),
    ] {
        assert_eq!(told(sessions), (sure.to_owned(), needs_review));
    }
}

#[test]
fn a_pair_is_as_sure_as_its_sessions_its_kinds_of_task_and_its_edits() {
    let key = "pair:lib/b.c+src/a.c";
    let pair = shown(SignalKind::CoAccess, key, &["src/a.c", "lib/b.c"]);
    let sure = |sessions: u32, edited: u32, kinds: u32| {
        sureness(&pair, &before(key, sessions - 1, edited, kinds)).get()
    };
    let share = cautious_share(6, 6);
    for (edited, kinds, expected) in [
        (0, 0, share * 0.8),
        (0, 1, share * 0.8),
        (0, 2, share * 0.9),
        (0, 3, share),
        (0, 4, share),
        (1, 3, share),
        (2, 3, share + 0.1),
    ] {
        let told = sure(6, edited, kinds);
        assert!((told - expected).abs() < 1e-6, "{edited} {kinds}: {told}");
    }
    assert!((sure(9_000, 9_000, 3) - 0.95).abs() < 1e-6, "never surer");
}

#[test]
fn git_adds_what_it_bears_out() {
    let key = "pair:lib/b.c+src/a.c";
    let mut pair = shown(SignalKind::CoAccess, key, &["src/a.c", "lib/b.c"]);
    pair.edited = true;
    let sure = |both: u32| {
        let mut frequency = before(key, 3, 0, 3);
        let git = Together {
            all: 400,
            ..Together::of(both, [both, both])
        };
        frequency.together.insert(key.to_owned(), git);
        sureness(&pair, &frequency).get()
    };
    let agreed = cautious_share(4, 4) + 0.1;
    assert!((sure(3) - agreed).abs() < 1e-6, "{}", sure(3));
    let borne_out = 0.65 + 0.6 * (cautious_share(20, 20) - 0.5);
    assert!((sure(20) - borne_out).abs() < 1e-6, "{}", sure(20));
}

#[test]
fn a_beginning_a_habit_and_a_pair_must_be_sure_enough() {
    let not_sure =
        |found: Result<Promotion, Dropped>| matches!(found, Err(Dropped::NotSure { .. }));
    let file = shown(SignalKind::FileAccess, "file:src/m/a.c", &["src/m/a.c"]);
    let begins = |seen: u32, of: u32| {
        let mut frequency = before("file:src/m/a.c", seen - 1, seen - 1, 1);
        frequency.modules.insert("src/m".to_owned(), of - 1);
        not_sure(decided(&file, &frequency))
    };
    assert!(!begins(5, 5) && !begins(8, 9));
    assert!(begins(4, 4) && begins(7, 8));
    let order = shown(SignalKind::TestOrder, "tests:src/m:first", &["src/m/a.c"]);
    let habit = |seen: u32, of: u32| {
        let mut frequency = before("tests:src/m:first", seen - 1, 0, 1);
        frequency.modules.insert("src/m".to_owned(), of - 1);
        not_sure(decided(&order, &frequency))
    };
    assert!(!habit(3, 3) && !habit(7, 9));
    assert!(habit(6, 8));
    let key = "pair:lib/b.c+src/a.c";
    let pair = shown(SignalKind::CoAccess, key, &["src/a.c", "lib/b.c"]);
    let both = |sessions: u32| not_sure(decided(&pair, &before(key, sessions - 1, 0, 3)));
    assert!(!both(4) && both(3), "0.51 and 0.44");
}

#[test]
fn most_sessions_are_more_than_half() {
    let file = shown(SignalKind::FileAccess, "file:src/m/a.c", &["src/m/a.c"]);
    for (seen, of, usual) in [(10, 20, false), (11, 20, true)] {
        let mut times = before("file:src/m/a.c", seen - 1, 0, 1);
        times.modules.insert("src/m".to_owned(), of - 1);
        assert_eq!(frequency(&file, PLAIN, &times).is_ok(), usual, "{seen}");
    }
}

#[test]
fn a_module_of_three_files_has_no_beginning() {
    let file = shown(SignalKind::FileAccess, "file:src/m/a.c", &["src/m/a.c"]);
    for (files, expected) in [
        (0, Ok(())),
        (1, Err(Dropped::SmallModule { files: 1 })),
        (3, Err(Dropped::SmallModule { files: 3 })),
        (4, Ok(())),
    ] {
        let module_files = BTreeMap::from([("src/m".to_owned(), files)]);
        let frequency = Frequency {
            module_files,
            ..Frequency::default()
        };
        assert_eq!(telling(&file, &frequency), expected);
    }
}

#[test]
fn files_of_two_folders_are_edited_twice_or_used_five_times() {
    let told = |files: [&str; 2], sessions: u32, edited: u32| {
        let key = format!("pair:{}+{}", files[0], files[1]);
        let pair = shown(SignalKind::CoAccess, &key, &files);
        telling(&pair, &before(&key, sessions - 1, edited, 1)).is_ok()
    };
    let (across, beside) = (["lib/b.c", "src/a.c"], ["src/a.c", "src/b.c"]);
    for (files, sessions, edited, expected) in [
        (across, 4, 1, false),
        (across, 4, 2, true),
        (across, 5, 0, true),
        (beside, 9, 2, false),
        (beside, 3, 3, true),
    ] {
        let told = told(files, sessions, edited);
        assert_eq!(told, expected, "{files:?} {sessions} {edited}");
    }
}

#[test]
fn what_is_alike_is_known_and_changed_by_what_is_surer_by_a_tenth() {
    let candidate = rows::taught_by(SignalKind::ErrorRetry);
    let memory: MemoryId = "0198c1e2-77aa-7000-8000-0123456789ab".parse().unwrap();
    let judgement = judge(&fold(&events("edit a.rs"), &FoldOptions::default()));
    let told = |cosine: f64, confidence: f64| {
        let near = Neighbour {
            memory,
            cosine,
            confidence: Confidence::clamped(confidence),
            says: Says::Alike,
        };
        let neighbours = BTreeMap::from([(candidate.key.clone(), near)]);
        let circumstances = Circumstances {
            session_type: SessionType::Build,
            sight: Sight::Work,
            judgement: &judgement,
            complexity: Complexity::Standard,
            frequency: &Frequency::default(),
            neighbours: &neighbours,
            barred: &BTreeMap::new(),
            taught_before: 0,
            feedback: Feedback::default(),
        };
        match novelty(&candidate, Confidence::clamped(0.8), &circumstances) {
            Ok(None) => "new",
            Ok(Some(_)) => "surer",
            Err(_) => "known",
        }
    };
    assert_eq!(told(0.88, 0.1), "new");
    assert_eq!(told(0.89, 0.1), "surer");
    assert_eq!(told(0.89, 0.69), "surer");
    assert_eq!(told(0.89, 0.695), "surer");
    assert_eq!(told(0.89, 0.71), "known");
}

#[test]
fn what_an_agent_saw_is_the_sessions_own_where_it_is_more_than_alike() {
    let one = vec![rows::taught_by(SignalKind::ErrorRetry)];
    let mut two = one.clone();
    two[0].key = "another".to_owned();
    for (alike, observations) in [(0.88, 2), (0.89, 1)] {
        let merged = merge_into(one.clone(), vec![two.clone()], |_, _| alike);
        assert_eq!(merged.len(), observations, "{alike}");
    }
}

#[test]
fn what_an_agent_took_in_marks_what_the_session_saw_as_well() {
    let whole = vec![rows::taught_by(SignalKind::ErrorRetry)];
    let mut own = whole.clone();
    own[0].taint = Taint::by(OutsideText::Web);
    let merged = merge_into(whole, vec![own], |_, _| 0.0);
    let [one] = merged.as_slice() else {
        panic!("{merged:?}")
    };
    assert!(!one.taint.is_clean());
}
