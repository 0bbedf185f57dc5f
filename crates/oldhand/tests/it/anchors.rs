//! Memories hang on code: they follow it, and are doubted when it changes or goes.

use oldhand_testkit::Sandbox;
use serde_json::Value;

use crate::repository;

const CART: &str = "\
export class Cart {
  items: string[] = [];

  /** The sum of all prices. */
  total(): number {
    return this.items.map((item) => priceOf(item)).reduce((sum, price) => sum + price, 0);
  }
}

export function priceOf(item: string): number {
  return item.length * 100;
}
";

const WORDS: &str = "Totals are in cents, never in euros.";

/// A cart, and a memory that hangs on its total.
fn taught() -> (Sandbox, String) {
    let sandbox = repository();
    sandbox.write("src/cart.ts", CART);
    commit(&sandbox, "Add the cart");
    let receipt = json(&sandbox, &["remember", WORDS, "--at", "Cart.total"]);
    let id = receipt["id"].as_str().expect("an id").to_owned();
    (sandbox, id)
}

fn commit(sandbox: &Sandbox, message: &str) {
    let project = sandbox.project();
    sandbox.git(&project, ["add", "--all"]);
    sandbox.git(&project, ["commit", "--quiet", "-m", message]);
}

fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let outcome = sandbox.oldhand(arguments.iter().chain(&["--json"])).run();
    serde_json::from_str(&outcome.stdout).expect("one JSON document")
}

/// Asks anything about the code, and returns what is said beside the answer.
fn ask(sandbox: &Sandbox) -> String {
    sandbox.oldhand(["where", "price"]).run().stderr
}

fn found(sandbox: &Sandbox, more: &[&str]) -> usize {
    let arguments: Vec<&str> = ["search", "totals in cents"]
        .iter()
        .chain(more)
        .copied()
        .collect();
    let answer = json(sandbox, &arguments);
    answer["results"].as_array().expect("a list").len()
}

#[test]
fn a_memory_hangs_on_a_definition_and_its_file() {
    let (sandbox, id) = taught();
    let memory = json(&sandbox, &["show", &id]);
    assert_eq!(memory["target_node"], "src/cart.ts:Cart.total");
    assert_eq!(memory["files"], serde_json::json!(["src/cart.ts"]));
    let shown = sandbox.oldhand(["show", &id]).run().success();
    assert!(
        shown.contains("hangs on    src/cart.ts:Cart.total"),
        "{shown}"
    );
}

#[test]
fn words_that_name_one_definition_of_the_file_hang_the_memory_on_it() {
    let (sandbox, _) = taught();
    let words = "Never call priceOf with an empty name.";
    let receipt = json(&sandbox, &["remember", words, "--file", "src/cart.ts"]);
    let memory = json(&sandbox, &["show", receipt["id"].as_str().expect("an id")]);
    assert_eq!(memory["target_node"], "src/cart.ts:priceOf");
}

#[test]
fn a_place_that_is_not_there_is_refused() {
    let (sandbox, _) = taught();
    let refused = sandbox
        .oldhand(["remember", "Nothing.", "--at", "Cart.sum"])
        .run();
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("Cart.sum"), "{}", refused.stderr);
}

#[test]
fn a_memory_follows_what_moved_and_was_renamed() {
    let (sandbox, id) = taught();
    let project = sandbox.project();
    std::fs::remove_file(project.join("src/cart.ts")).expect("was there");
    sandbox.write("src/shop/basket.ts", CART.replace("total()", "amount()"));
    let said = ask(&sandbox);
    assert!(said.contains("1 memory followed code that moved"), "{said}");
    let memory = json(&sandbox, &["show", &id]);
    assert_eq!(memory["target_node"], "src/shop/basket.ts:Cart.amount");
    assert_eq!(memory["files"], serde_json::json!(["src/shop/basket.ts"]));
    assert_eq!(memory["stale"], Value::Null);
    assert!(!ask(&sandbox).contains("memory"), "told once");
}

#[test]
fn a_memory_about_a_file_follows_what_git_says() {
    let (sandbox, _) = taught();
    sandbox.write("src/money.ts", "export const CENTS = 100;\n");
    commit(&sandbox, "Add money");
    let words = "Money is counted in whole cents everywhere.";
    let receipt = json(&sandbox, &["remember", words, "--file", "src/money.ts"]);
    let project = sandbox.project();
    sandbox.git(&project, ["mv", "src/money.ts", "src/coin.ts"]);
    commit(&sandbox, "Rename money");
    ask(&sandbox);
    let memory = json(&sandbox, &["show", receipt["id"].as_str().expect("an id")]);
    assert_eq!(memory["files"], serde_json::json!(["src/coin.ts"]));
}

#[test]
fn what_a_person_keeps_although_its_file_is_gone_stays_until_that_file_goes_again() {
    let (sandbox, _) = taught();
    let money = "export const CENTS = 100;\n";
    sandbox.write("src/money.ts", money);
    commit(&sandbox, "Add money");
    let words = "Money is counted in whole cents everywhere.";
    let receipt = json(&sandbox, &["remember", words, "--file", "src/money.ts"]);
    let id = receipt["id"].as_str().expect("an id");
    let is_stale = || {
        ask(&sandbox);
        !json(&sandbox, &["show", id])["stale"].is_null()
    };
    let remove = || {
        std::fs::remove_file(sandbox.project().join("src/money.ts")).expect("was there");
        commit(&sandbox, "Remove money");
    };
    assert!(!is_stale());
    remove();
    assert!(is_stale());
    sandbox.oldhand(["verify", id]).run().success();
    sandbox.write("src/other.ts", "export const OTHER = 1;\n");
    commit(&sandbox, "Add another file");
    assert!(!is_stale(), "a person's word stands");
    sandbox.write("src/money.ts", money);
    commit(&sandbox, "Bring money back");
    assert!(!is_stale());
    remove();
    assert!(is_stale(), "it went again");
}

#[test]
fn a_memory_is_stale_while_its_definition_is_gone() {
    let (sandbox, id) = taught();
    sandbox.write("src/cart.ts", "export function priceOf() { return 1; }\n");
    let said = ask(&sandbox);
    assert!(said.contains("1 memory became stale"), "{said}");
    let memory = json(&sandbox, &["show", &id]);
    assert_eq!(
        memory["stale"]["reason"],
        "the code changed: `Cart.total` is gone from src/cart.ts"
    );
    assert_eq!(
        (found(&sandbox, &[]), found(&sandbox, &["--stale"])),
        (0, 1)
    );
    let said = sandbox.oldhand(["search", "totals in cents"]).run().stderr;
    assert!(said.contains("--stale shows 1 memory"), "{said}");
    let listed = json(&sandbox, &["list", "--stale"]);
    assert_eq!(listed["memories"][0]["id"], id);
    sandbox.write("src/cart.ts", CART);
    let said = ask(&sandbox);
    assert!(said.contains("1 memory no longer stale"), "{said}");
    assert_eq!(found(&sandbox, &[]), 1);
}

#[test]
fn what_is_gone_from_one_worktree_is_not_hidden_in_another() {
    let (sandbox, _) = taught();
    ask(&sandbox);
    let tree = sandbox.root().join("tree");
    let to = tree.display().to_string();
    let add = ["worktree", "add", "--quiet", "-b", "other", &to];
    sandbox.git(&sandbox.project(), add);
    let there = || sandbox.oldhand(["where", "price"]).inside(&tree).run();
    there();
    let without = "export function priceOf() { return 1; }\n";
    std::fs::write(tree.join("src/cart.ts"), without).unwrap();
    let said = there().stderr;
    assert!(said.contains("not in another worktree"), "{said}");
    assert_eq!(found(&sandbox, &[]), 1);
    // Once it is gone from all of them it is stale.
    sandbox.write("src/cart.ts", without);
    let said = ask(&sandbox);
    assert!(said.contains("1 memory became stale"), "{said}");
    assert_eq!(found(&sandbox, &[]), 0);
}

#[test]
fn a_new_signature_is_doubted_until_a_person_says_otherwise() {
    let (sandbox, id) = taught();
    let taxed = CART.replace("total(): number", "total(tax: number): number");
    sandbox.write("src/cart.ts", &taxed);
    ask(&sandbox);
    let memory = json(&sandbox, &["show", &id]);
    assert_eq!(
        memory["stale"]["reason"],
        "the code changed: the signature of `Cart.total` is another one"
    );
    sandbox.oldhand(["verify", &id]).run().success();
    sandbox.write("src/cart.ts", format!("{taxed}// more\n"));
    ask(&sandbox);
    assert_eq!(json(&sandbox, &["show", &id])["stale"], Value::Null);
}

#[test]
fn a_body_may_change_and_a_lost_call_asks_for_a_review() {
    let (sandbox, id) = taught();
    sandbox.write("src/cart.ts", CART.replace("sum + price", "price + sum"));
    ask(&sandbox);
    assert_eq!(json(&sandbox, &["show", &id])["needs_review"], false);
    sandbox.write(
        "src/cart.ts",
        CART.replace("priceOf(item))", "item.length)"),
    );
    ask(&sandbox);
    assert_eq!(json(&sandbox, &["show", &id])["needs_review"], true);
}

#[test]
fn a_memory_is_believed_as_much_as_its_file_still_is_what_it_was() {
    let (sandbox, _) = taught();
    let words = "priceOf returns cents, and nothing says so.";
    let receipt = json(
        &sandbox,
        &[
            "remember",
            words,
            "--type",
            "gotcha",
            "--file",
            "src/cart.ts",
        ],
    );
    let id = receipt["id"].as_str().expect("an id").to_owned();
    let before = json(&sandbox, &["show", &id])["confidence"].clone();
    sandbox.write("src/cart.ts", CART.replace("return", "const sum ="));
    commit_at(&sandbox, "2026-02-15T08:00:00Z");
    sandbox.oldhand(["reindex"]).run().success();
    let after = json(&sandbox, &["show", &id]);
    let (before, after_number) = (
        before.as_f64().unwrap(),
        after["confidence"].as_f64().unwrap(),
    );
    assert!(after_number < before, "{after}");
    let shown = sandbox.oldhand(["show", &id]).run().success();
    assert!(shown.contains("derived_from src/cart.ts ("), "{shown}");
    sandbox.oldhand(["reindex"]).run().success();
    assert_eq!(
        json(&sandbox, &["show", &id])["confidence"],
        after["confidence"]
    );
}

#[test]
fn a_memory_whose_file_was_written_anew_is_stale_until_somebody_stands_by_it() {
    let sandbox = repository();
    sandbox.write(
        "notes/deploy.md",
        "# Deploy\n\nCall the pipeline.\nWait for green.\n",
    );
    commit(&sandbox, "Tell how to deploy");
    let words = "The pipeline must be called by hand.";
    let receipt = json(
        &sandbox,
        &[
            "remember",
            words,
            "--type",
            "gotcha",
            "--file",
            "notes/deploy.md",
        ],
    );
    let id = receipt["id"].as_str().expect("an id").to_owned();
    sandbox.write(
        "notes/deploy.md",
        "Nothing to do any more:\na merge deploys itself.\n",
    );
    commit_at(&sandbox, "2026-02-15T08:00:00Z");
    let said = sandbox.oldhand(["reindex"]).run();
    assert!(
        said.stderr.contains(
            "1 memory became stale: their files were rewritten or what they name is gone"
        ),
        "{}",
        said.stderr
    );
    let mark = json(&sandbox, &["show", &id])["stale"].clone();
    assert_eq!(
        mark["reason"],
        "its files changed: hardly a line of notes/deploy.md is left"
    );
    sandbox
        .oldhand(["verify", &id])
        .at("2026-02-16T08:00:00Z")
        .run()
        .success();
    sandbox
        .oldhand(["reindex"])
        .at("2026-02-16T08:00:00Z")
        .run()
        .success();
    assert_eq!(json(&sandbox, &["show", &id])["stale"], Value::Null);
}

fn commit_at(sandbox: &Sandbox, date: &str) {
    let mut add = sandbox.command("git");
    let added = add
        .args(["add", "--all"])
        .current_dir(sandbox.project())
        .status();
    let mut commit = sandbox.command("git");
    commit
        .args(["commit", "--quiet", "-m", "Work"])
        .env("GIT_COMMITTER_DATE", date);
    let committed = commit.current_dir(sandbox.project()).status();
    for ended in [added, committed] {
        assert!(ended.expect("git starts").success());
    }
}

#[test]
fn a_function_that_is_gone_is_not_found_before_anybody_read_the_code_again() {
    let (sandbox, id) = taught();
    assert_eq!(found(&sandbox, &[]), 1);
    let (before, after) = (
        CART.find("  /** The sum").unwrap(),
        CART.find("export function").unwrap(),
    );
    let without = format!("{}}}\n\n{}", &CART[..before], &CART[after..]);
    sandbox.write("src/cart.ts", &without);
    commit(&sandbox, "Take the sum out");
    let answer = json(&sandbox, &["search", "totals in cents"]);
    assert_eq!(answer["results"].as_array().unwrap().len(), 0, "{answer}");
    assert_eq!(
        answer["left_out"][0]["why"],
        "stale: the code changed: `Cart.total` is gone from src/cart.ts"
    );
    let asked_for = json(&sandbox, &["search", "totals in cents", "--stale"]);
    assert_eq!(asked_for["results"][0]["id"], id.as_str());
    assert!(asked_for["results"][0]["stale"]["reason"].is_string());
    sandbox.write("src/cart.ts", CART);
    assert_eq!(found(&sandbox, &[]), 1, "it is back");
}

/// What a search for cents finds, and what it leaves out.
fn of_cents(sandbox: &Sandbox, extra: &[&str]) -> Value {
    let words = [&["search", "counted in whole cents"], extra].concat();
    json(sandbox, &words)
}

#[test]
fn a_memory_whose_files_went_is_stale_before_anything_wrote_that_down() {
    let (sandbox, _) = taught();
    sandbox.write("src/money.ts", "export const CENTS = 100;\n");
    commit(&sandbox, "Add money");
    let words = "Money is counted in whole cents everywhere.";
    let receipt = json(&sandbox, &["remember", words, "--file", "src/money.ts"]);
    ask(&sandbox);
    assert_eq!(of_cents(&sandbox, &[])["results"][0]["id"], receipt["id"]);
    let money = sandbox.project().join("src/money.ts");
    std::fs::remove_file(&money).expect("was there");
    for is_committed in [false, true] {
        if is_committed {
            commit(&sandbox, "Take money out");
        }
        let answer = of_cents(&sandbox, &[]);
        let why = |left: &&Value| left["id"] == receipt["id"];
        let left = answer["left_out"].as_array().unwrap().iter().find(why);
        assert_eq!(
            left.expect("is left out")["why"],
            "stale: the code changed: src/money.ts is gone"
        );
        assert!(!answer["results"].to_string().contains(words), "{answer}");
        let asked_for = of_cents(&sandbox, &["--stale"]);
        assert_eq!(asked_for["results"][0]["id"], receipt["id"]);
        assert_eq!(
            asked_for["results"][0]["stale"]["reason"],
            "the code changed: src/money.ts is gone"
        );
        let said = sandbox.oldhand(["search", "counted in whole cents"]).run();
        assert!(!said.stdout.contains("whole cents"), "{said}");
        assert!(said.stderr.contains("--stale shows 1 memory"), "{said}");
        let explain = ["search", "--explain", "counted in whole cents"];
        let said = sandbox.oldhand(explain).run();
        assert!(said.stdout.contains("src/money.ts is gone"), "{said}");
        assert!(
            said.stdout.lines().all(|line| line.chars().count() <= 80),
            "{said}"
        );
    }
    let listed = json(&sandbox, &["list", "--stale"]);
    assert_eq!(listed["memories"][0]["id"], receipt["id"], "{listed}");
    let said = sandbox.oldhand(["search", "counted in whole cents"]).run();
    assert!(!said.stdout.contains("whole cents"), "{said}");
}

#[test]
fn what_was_taught_after_the_last_look_is_stale_too_once_its_file_went() {
    let (sandbox, _) = taught();
    sandbox.write("src/money.ts", "export const CENTS = 100;\n");
    commit(&sandbox, "Add money");
    ask(&sandbox);
    let words = "Money is counted in whole cents everywhere.";
    let receipt = json(&sandbox, &["remember", words, "--file", "src/money.ts"]);
    std::fs::remove_file(sandbox.project().join("src/money.ts")).expect("was there");
    let answer = of_cents(&sandbox, &[]);
    assert!(!answer["results"].to_string().contains(words), "{answer}");
    let listed = json(&sandbox, &["list", "--stale"]);
    assert_eq!(listed["memories"][0]["id"], receipt["id"], "{listed}");
}

#[test]
fn a_search_follows_what_moved_and_finds_what_is_back() {
    let (sandbox, _) = taught();
    sandbox.write("src/money.ts", "export const CENTS = 100;\n");
    commit(&sandbox, "Add money");
    let words = "Money is counted in whole cents everywhere.";
    let receipt = json(&sandbox, &["remember", words, "--file", "src/money.ts"]);
    ask(&sandbox);
    let project = sandbox.project();
    sandbox.git(&project, ["mv", "src/money.ts", "src/coin.ts"]);
    let moved = &of_cents(&sandbox, &[])["results"][0];
    assert_eq!(
        (&moved["id"], &moved["stale"]),
        (&receipt["id"], &Value::Null)
    );
    assert_eq!(moved["files"][0], "src/coin.ts");
    let coin = project.join("src/coin.ts");
    let text = std::fs::read(&coin).expect("is there");
    std::fs::remove_file(&coin).expect("was there");
    let is_found = || {
        of_cents(&sandbox, &[])["results"]
            .to_string()
            .contains(words)
    };
    assert!(!is_found());
    std::fs::write(&coin, text).expect("can be written");
    json(&sandbox, &["list", "--stale"]);
    assert!(is_found());
}

#[test]
fn a_file_that_a_commit_moved_or_that_never_was_there_is_not_gone() {
    let (sandbox, _) = taught();
    let text = "export const CENTS = 100;\nexport const EUROS = 1;\n";
    sandbox.write("src/money.ts", text);
    commit(&sandbox, "Add money");
    for (words, file) in [
        ("Money is counted in whole cents.", "src/money.ts"),
        (
            "Prices will be counted in whole cents, too.",
            "src/prices.ts",
        ),
    ] {
        let taught = ["remember", words, "--file", file];
        sandbox.oldhand(taught).run().success();
    }
    ask(&sandbox);
    std::fs::remove_file(sandbox.project().join("src/money.ts")).expect("was there");
    sandbox.write("src/coins.ts", text);
    commit(&sandbox, "Call money coins");
    let answer = of_cents(&sandbox, &[]);
    let found = answer["results"].to_string();
    assert!(found.contains("Money is") && found.contains("Prices will"));
    let said = sandbox.oldhand(["search", "counted in whole cents"]).run();
    let told = "one of these is about files that are not here: src/prices.ts";
    assert!(said.stderr.contains(told), "{said}");
}

#[test]
fn who_asks_what_is_stale_where_no_code_was_read_is_told_so() {
    let sandbox = repository();
    sandbox.oldhand(["remember", WORDS]).run().success();
    let listed = sandbox.oldhand(["list", "--stale"]).run();
    assert!(
        listed
            .stderr
            .contains("the code was not read yet: `oldhand map`"),
        "{listed}"
    );
    let listed = sandbox.oldhand(["list"]).run();
    assert!(!listed.stderr.contains("not read yet"), "{listed}");
}
