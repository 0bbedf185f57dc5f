//! Real coding agents, brought by npm and tried offline: `crates/oldhand/tests/clients`.

use anyhow::Result;
use oldhand_testkit::Client;

use crate::checks::judge;
use crate::house::House;
use crate::report::Verdict;

/// Installs the client, once, below cargo's target folder, and runs the tests that are named after it.
pub(crate) fn check(house: &House, client: Client) -> Result<Verdict> {
    let packages = house.target_directory()?.join("agents");
    if let Err(reason) = client.install(&packages) {
        return Ok(Verdict::Skipped(reason));
    }
    let module = client.as_str().replace('-', "_");
    let mut tests = house.cargo(["test", "--workspace", "--locked", "--test", "clients"]);
    // Each test is a whole agent: more of them at once than cores only wait for each other.
    tests
        .args(["--", "--show-output", "--test-threads", "2"])
        .arg(format!("{module}::"))
        .env("OLDHAND_AGENT_PACKAGES", packages);
    judge(&mut tests)
}
