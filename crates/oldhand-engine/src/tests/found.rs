//! What agents found out and a person put away, and what it may replace.

use oldhand_domain::memory::Memory;
use oldhand_domain::session::SessionStore;
use oldhand_domain::vocabulary::ReviewReason;

use super::*;

const SAYS: &str =
    "`larch` reads `--only web` as a folder, because it keeps `Rows` apart from all others.";

/// What an agent found out about an error that it met with this shelf.
fn finds(shelf: &str) -> String {
    format!(
        "{}; say Root cause: {SAYS}; edit src/a.c; run larch build = 0",
        meets(shelf)
    )
}

fn meets(shelf: &str) -> String {
    format!("read src/b.c; run larch build --only web = 1: error: Shelf '{shelf}' is missing")
}

impl House {
    /// Finalizes sessions that went like these; each is later than the one before.
    fn live_each(&self, first: usize, stories: &[String]) {
        for (at, story) in stories.iter().enumerate() {
            let number = first + at;
            let story = format!("wait {}s; {story}; edit src/c.c", number + 1);
            self.live(&format!("s{number}"), &story);
        }
    }

    fn told_of(&self, words: &str) -> Vec<Memory> {
        let all = self.everything().into_iter();
        all.filter(|one| one.is_live() && one.content.as_str().contains(words))
            .collect()
    }

    /// As if the words of the first session had become this memory in an earlier build, by themselves.
    fn had_become(&self, memory: &str) {
        let mut record = SessionStore::session(&self.project, &SessionId::new("s0").unwrap())
            .unwrap()
            .unwrap();
        let mut report = SessionReport::read(&record).unwrap();
        let mut lines = report.lines.iter_mut();
        let line = lines.find(|line| line.key.starts_with("cause:")).unwrap();
        "promoted".clone_into(&mut line.outcome);
        line.memory = Some(memory.to_owned());
        record.report = serde_json::to_string(&report).unwrap();
        self.project.rewrite_session(&record).unwrap();
    }
}

type PutAway = fn(&House, &str);

#[test]
fn what_a_person_put_away_of_one_error_does_not_come_back_with_another() {
    let forget = |house: &House, id: &str| {
        house.engine().forget(id, day(1)).unwrap();
    };
    let flag = |house: &House, id: &str| {
        let wrong = Correction::Inaccurate;
        house.engine().flag(id, wrong, None, day(1)).unwrap();
    };
    let erase = |house: &House, id: &str| {
        house.engine().erase(id, Some(&house.project)).unwrap();
        for record in SessionStore::sessions(&house.project).unwrap() {
            for text in [&record.report, &record.body] {
                assert!(!text.contains("as a folder"), "{text}");
            }
        }
    };
    let leave = |_: &House, _: &str| {};
    let ways: [(PutAway, usize); 4] = [(leave, 1), (forget, 0), (flag, 0), (erase, 0)];
    for (put_away, left) in ways {
        let house = House::new();
        house.live_each(0, &[finds("Rows"), meets("Rows")]);
        let [told] = house.told_of("as a folder").try_into().unwrap();
        let told: Memory = told;
        house.project.touch(&[told.id], day(1)).unwrap();
        put_away(&house, &told.id.to_string());
        house.live_each(2, &[finds("Pages"), meets("Pages")]);
        let with_other = house.told_of("Shelf 'Pages'").len();
        assert_eq!(with_other, left);
        let of_it = house.told_of("as a folder");
        let stands = of_it.iter().filter(|one| one.flagged.is_none()).count();
        assert_eq!(stands > 0, left > 0, "{of_it:?}");
    }
}

#[test]
fn what_was_put_away_under_the_key_of_its_words_stays_so() {
    let house = House::new();
    house.live_each(0, &[finds("Rows")]);
    let id = house
        .teach("An older build told it so.")
        .id()
        .unwrap()
        .to_string();
    house.had_become(&id);
    let wrong = Correction::Inaccurate;
    house.engine().flag(&id, wrong, None, day(1)).unwrap();
    house.live_each(1, &[meets("Rows")]);
    assert_eq!(house.told_of("as a folder"), []);

    let house = House::new();
    house.live_each(0, &[finds("Rows")]);
    let receipt = house.teach("An older build told it so.");
    house.had_become(&receipt.id().unwrap().to_string());
    let id = receipt.id().unwrap().to_string();
    house.engine().erase(&id, Some(&house.project)).unwrap();
    house.live_each(1, &[meets("Rows"), finds("Rows")]);
    assert_eq!(house.told_of("as a folder"), []);
    for record in SessionStore::sessions(&house.project).unwrap() {
        assert!(!record.body.contains("as a folder"), "{}", record.body);
    }
}

#[test]
fn what_waits_for_a_person_replaces_nothing_that_agents_are_told() {
    let house = House::new();
    house.live_each(0, &[finds("Rows")]);
    let id = house
        .teach("An older build told it so.")
        .id()
        .unwrap()
        .to_string();
    house.had_become(&id);
    house.live_each(1, &[meets("Rows")]);
    let [told] = house.told_of("as a folder").try_into().unwrap();
    let told: Memory = told;
    assert!(told.needs_review, "{told:?}");
    let older = house.engine().show(&id).unwrap().memory;
    assert!(older.is_live(), "{older:?}");
}

#[test]
fn a_finding_is_a_guess_where_there_are_no_files_to_ask() {
    let house = House::new();
    house.live_each(
        0,
        &[finds("Rows"), meets("Rows"), meets("Rows"), meets("Rows")],
    );
    let [told] = house.told_of("as a folder").try_into().unwrap();
    let told: Memory = told;
    assert_eq!(told.review_reason, Some(ReviewReason::Guess));
}
