//! Many processes write at once: nothing is lost and nobody sees an error. `cargo xtask bench store` takes twenty.

use oldhand_testkit::Sandbox;
use oldhand_testkit::crowd::{Manner, write_at_once};

fn check(manner: Manner, writers: usize, each: usize) {
    let sandbox = Sandbox::with_repository(env!("CARGO_BIN_EXE_oldhand"));
    let outcome = write_at_once(&sandbox, manner, writers, each);
    assert_eq!(outcome.errors, [""; 0]);
    assert_eq!(outcome.audit.lost, [""; 0]);
    assert_eq!(outcome.audit.integrity, "");
    assert_eq!(outcome.audit.inserted, writers * each);
}

#[test]
fn a_crowd_of_single_writes_loses_nothing() {
    check(Manner::OneByOne, 8, 6);
}

#[test]
fn a_crowd_of_imports_loses_nothing() {
    check(Manner::InOneGo, 6, 40);
}
