//! A store that breaks at the last moment: what is left then, and what it was asked before.

use std::sync::atomic::{AtomicUsize, Ordering};

use oldhand_domain::error::StoreError;
use oldhand_domain::session::{Finish, SessionRecord, SessionStore, Tombstone};
use oldhand_testkit::story::events;

use super::learn::session;
use super::promotion::CORRECTED;
use super::*;

/// A store on which the last moment of every finalization fails, and which counts how often it is asked what was erased.
pub(super) struct Breaking<'a>(&'a RamStore, AtomicUsize);

impl<'a> Breaking<'a> {
    pub(super) fn on(store: &'a RamStore) -> Self {
        Self(store, AtomicUsize::new(0))
    }
}

impl SessionStore for Breaking<'_> {
    fn finish_session(&self, plan: &mut Finish<'_>) -> Result<(), StoreError> {
        self.0.finish_session(&mut |reader| {
            let finished = plan(reader)?;
            let nothing = finished.memories.is_empty() && finished.used.is_empty();
            assert!(!nothing, "there is something to lose");
            Err(StoreError::DiskFull { doing: "save" })
        })
    }

    fn rewrite_session(&self, record: &SessionRecord) -> Result<(), StoreError> {
        self.0.rewrite_session(record)
    }

    fn session(&self, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        self.0.session(id)
    }

    fn sessions(&self) -> Result<Vec<SessionRecord>, StoreError> {
        SessionStore::sessions(self.0)
    }

    fn find_sessions(&self, prefix: &str) -> Result<Vec<SessionId>, StoreError> {
        self.0.find_sessions(prefix)
    }

    fn sessions_with_error(
        &self,
        error: &str,
        limit: usize,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        self.0.sessions_with_error(error, limit)
    }

    fn bury(&self, erased: &[Tombstone]) -> Result<(), StoreError> {
        self.0.bury(erased)
    }

    fn is_buried(&self, tombstone: &Tombstone) -> Result<bool, StoreError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.is_buried(tombstone)
    }

    fn remove_session(&self, id: &SessionId) -> Result<(), StoreError> {
        self.0.remove_session(id)
    }
}

#[test]
fn a_session_out_of_hand_asks_no_more_than_a_full_one() {
    let asked = |failures: usize| {
        let house = House::new();
        let breaking = Breaking::on(&house.project);
        let mut finalizer = house.engine().finalizer(&breaking, &[]).unwrap();
        let story =
            format!("repeat {failures} run shop = 1: error: no such shelf: `q{{n}}z`; {CORRECTED}");
        let pad: Scratchpad = events(&story).iter().collect();
        let broken = finalizer.finalize(&session("one"), &pad, "d", Extent::Whole, day(1));
        assert!(broken.is_err());
        breaking.1.load(Ordering::Relaxed)
    };
    assert!(asked(100) < asked(600));
    assert_eq!(asked(600), asked(1200));
}

#[test]
fn a_finalization_that_breaks_leaves_nothing() {
    let house = House::new();
    let breaking = Breaking::on(&house.project);
    let mut finalizer = house.engine().finalizer(&breaking, &[]).unwrap();
    let pad: Scratchpad = events(CORRECTED).iter().collect();
    let broken = finalizer.finalize(&session("one"), &pad, "d", Extent::Whole, day(1));
    assert!(broken.is_err());
    assert_eq!(house.everything(), []);
    assert_eq!(SessionStore::sessions(&house.project).unwrap(), []);
    house.live("one", CORRECTED);
    assert_ne!(house.everything(), []);
}
