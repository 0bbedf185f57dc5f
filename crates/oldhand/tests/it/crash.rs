//! A writer that is killed loses nothing it has acknowledged. `cargo xtask bench store` does this a thousand times.

use oldhand_testkit::Sandbox;
use oldhand_testkit::crash::kill_at_random;

#[test]
fn a_killed_writer_keeps_its_word() {
    let sandbox = Sandbox::with_repository(env!("CARGO_BIN_EXE_oldhand"));
    let outcome = kill_at_random(&sandbox, 40, 11);
    assert_eq!(outcome.audit.lost, [""; 0]);
    assert_eq!(outcome.audit.integrity, "");
}
