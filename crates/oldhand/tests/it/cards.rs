//! What lists and answers say of a memory and of code, and that it fits into a line of eighty columns.

use oldhand_testkit::Sandbox;

use crate::{repository, sandbox};

/// A project whose files, functions and memories have long names and many marks.
fn long() -> Sandbox {
    let sandbox = repository();
    let folder = "packages/application/integration_tests";
    for name in ["reconcile", "reimburse"] {
        let path = format!("{folder}/{name}_outstanding_payments.ts");
        let method = format!("{name}OutstandingPaymentsOfCustomers");
        let text =
            format!("export class OutstandingPayments {{\n  {method}() {{ return 1 }}\n}}\n");
        sandbox.write(&path, text);
    }
    let project = sandbox.project();
    for turn in 0..4 {
        let path = format!("{folder}/reconcile_outstanding_payments.ts");
        sandbox.write(&path, format!("{}// {turn}\n", sandbox.read(&path)));
        sandbox.git(&project, ["add", "."]);
        let message = "fix: the outstanding payments are reconciled once";
        sandbox.git(&project, ["commit", "--quiet", "-m", message]);
    }
    let line = r#"{"type":"module_insight","content":"Outstanding payments are reconciled at night.","created_at":"2025-03-01T10:00:00Z"}"#;
    let import = ["import", "json", "-"];
    sandbox.oldhand(import).stdin(line).run().success();
    sandbox
}

#[test]
fn no_heading_is_wider_than_a_line() {
    let sandbox = long();
    for question in [
        &["where", "reconcileOutstandingPaymentsOfCustomers"][..],
        &["refs", "reconcileOutstandingPaymentsOfCustomers"],
        &["search", "--code", "reconcile outstanding payments"],
        &["search", "outstanding payments"],
        &["list"],
        &["map"],
        &["hot"],
    ] {
        let asked = sandbox.oldhand(question).run();
        assert!(!asked.stdout.is_empty(), "{question:?}: {asked}");
        let wide = asked.stdout.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{question:?}: {asked}");
    }
    let where_is = ["where", "reconcileOutstandingPaymentsOfCustomers"];
    let told = sandbox.oldhand(where_is).run().success();
    let path = "\n  packages/application/integration_tests/reconcile_outstanding_payments.ts:2\n";
    assert!(told.contains(path), "a path stays whole: {told}");
}

#[test]
fn a_memory_tells_how_old_its_words_are_and_since_when_it_fades() {
    let sandbox = long();
    let listed = sandbox.oldhand(["list"]).run().success();
    let both = "10 months ago, renewed";
    assert!(listed.contains(both), "{listed}");
    let id = crate::id_of(&sandbox, "payments");
    let shown = sandbox.oldhand(["show", &id]).run().success();
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        shown.contains("halves every 90 days without use, counted from"),
        "{shown}"
    );
    // What does not fade has one clock.
    let line = r#"{"type":"decision","content":"Tabs are used in Makefiles.","created_at":"2025-03-01T10:00:00Z"}"#;
    let import = ["import", "json", "-"];
    sandbox.oldhand(import).stdin(line).run().success();
    let listed = sandbox.oldhand(["list", "--type", "decision"]).run();
    let listed = listed.success();
    assert!(listed.contains("10 months ago"), "{listed}");
    assert!(!listed.contains("renewed"), "{listed}");
}

#[test]
fn an_answer_that_is_not_likely_is_called_a_weak_match() {
    let sandbox = sandbox();
    for text in [
        "The cache of the shop is shared by all workers.",
        "Invoices are printed at night by the billing service.",
        "The tests of the shop need a running database.",
        "Never push to main without a review.",
        "The colour of the logo is decided by the design team.",
        "Ports below 1024 are taken on the build machine.",
    ] {
        sandbox.oldhand(["remember", text]).run().success();
    }
    let likely = sandbox
        .oldhand(["search", "shared cache of the shop"])
        .run();
    assert!(likely.stdout.contains(" % likely · "), "{likely}");
    assert!(!likely.stderr.contains("likely to be"), "{likely}");
    let question = ["search", "--weak", "print a shipping label for the machine"];
    let weak = sandbox.oldhand(question).run();
    assert!(weak.stdout.contains(" · weak match · "), "{weak}");
    assert!(!weak.stdout.contains(" % likely"), "{weak}");
    let note = "none of these is likely to be what you look for";
    assert!(weak.stderr.contains(note), "{weak}");
    let explained = question.iter().chain(&["--explain"]);
    let explained = sandbox.oldhand(explained).run();
    assert!(explained.stdout.contains(" % likely: "), "{explained}");
}
