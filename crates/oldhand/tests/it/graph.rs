//! `oldhand impact`, `deps`, `refs`, `flow`, `where`, `outline`, `map`, `coupled`, `hot` and `reindex`.

use oldhand_testkit::Sandbox;

use crate::session::Transcript;
use crate::{assert_transcript, repository, sandbox};

const CART: &str = "\
import { priceOf } from './price';

/** What a customer is about to buy. */
export class Cart {
  items: string[] = [];

  add(item: string): void {
    this.items.push(item);
  }

  /** The sum of all prices. */
  total(): number {
    return this.items.map(priceOf).reduce((sum, price) => sum + price, 0);
  }
}
";

const PRICE: &str = "\
/** The price of one item, in cents. */
export function priceOf(item: string): number {
  return item.length * 100;
}
";

const CHECKOUT: &str = "\
import { Cart } from './cart';

export function checkout(cart: Cart): string {
  return receipt(cart.total());
}

function receipt(total: number): string {
  return `paid ${total}`;
}
";

const CART_TEST: &str = "\
import { Cart } from '../src/cart';

test('an empty cart costs nothing', () => {
  const cart = new Cart();
  expect(cart.total()).toBe(0);
});
";

const PACKAGE: &str = r#"{
  "name": "shop",
  "description": "A small shop.",
  "scripts": { "build": "tsc", "test": "jest" }
}
"#;

const REPORT: &str = "\
\"\"\"Reports for the accountant.\"\"\"
from tools.money import cents


def report(sales):
    \"\"\"All sales of a day.\"\"\"
    return [cents(sale) for sale in sales]
";

const MONEY: &str = "\
def cents(amount):
    return round(amount * 100)
";

/// A shop in TypeScript with a report in Python, whose cart and price changed together.
fn shop() -> Sandbox {
    let sandbox = repository();
    for (path, text) in [
        ("package.json", PACKAGE),
        ("src/cart.ts", CART),
        ("src/price.ts", PRICE),
        ("src/checkout.ts", CHECKOUT),
        ("test/cart.test.ts", CART_TEST),
        ("tools/__init__.py", ""),
        ("tools/money.py", MONEY),
        ("tools/report.py", REPORT),
    ] {
        sandbox.write(path, text);
    }
    commit(&sandbox, "Open the shop");
    for round in 1..=3 {
        sandbox.write("src/cart.ts", format!("{CART}// {round}\n"));
        sandbox.write("src/price.ts", format!("{PRICE}// {round}\n"));
        commit(&sandbox, "Fix rounding of prices");
    }
    sandbox
}

fn commit(sandbox: &Sandbox, message: &str) {
    let project = sandbox.project();
    sandbox.git(&project, ["add", "--all"]);
    sandbox.git(&project, ["commit", "--quiet", "-m", message]);
}

/// A shop that was read once, so that nothing is said about the first reading.
fn known_shop() -> Sandbox {
    let sandbox = shop();
    sandbox.oldhand(["reindex"]).run().success();
    sandbox
}

fn json(sandbox: &Sandbox, arguments: &[&str]) -> serde_json::Value {
    let outcome = sandbox.oldhand(arguments.iter().chain(&["--json"])).run();
    serde_json::from_str(&outcome.stdout).expect("one JSON document")
}

fn paths(list: &serde_json::Value) -> Vec<&str> {
    let items = list.as_array().expect("a list").iter();
    items.filter_map(|item| item["path"].as_str()).collect()
}

#[test]
fn impact_names_who_is_touched_and_the_tests_to_run() {
    assert_transcript!(known_shop().oldhand(["impact", "src/price.ts"]));
}

#[test]
fn impact_of_a_symbol_as_json() {
    assert_transcript!(known_shop().oldhand(["impact", "priceOf", "--depth", "1", "--json"]));
}

#[test]
fn impact_takes_a_symbol_of_a_file_and_a_line() {
    let sandbox = known_shop();
    for target in [
        "src/cart.ts:Cart.total",
        "src/cart.ts:13",
        "Cart.total",
        "Cart::total",
    ] {
        let answer = json(&sandbox, &["impact", target]);
        assert_eq!(answer["target"]["symbol"], "Cart.total", "{target}");
        assert!(
            paths(&answer["affected"]).contains(&"src/checkout.ts"),
            "{target}"
        );
        assert_eq!(paths(&answer["tests"]), ["test/cart.test.ts"], "{target}");
    }
}

#[test]
fn impact_brings_what_is_remembered_about_the_files_it_reaches() {
    let sandbox = known_shop();
    let words = "Receipts are kept for ten years.";
    let teach = ["remember", words, "--file", "src/checkout.ts"];
    sandbox.oldhand(teach).run().success();
    assert_transcript!(sandbox.oldhand(["impact", "src/cart.ts"]));
    let answer = json(&sandbox, &["impact", "src/cart.ts"]);
    assert_eq!(answer["memories"][0]["content"], words);
}

#[test]
fn impact_the_other_way_is_what_it_stands_on() {
    assert_transcript!(known_shop().oldhand(["impact", "checkout", "--dependencies"]));
}

#[test]
fn impact_draws_a_picture() {
    let sandbox = known_shop();
    assert_transcript!(sandbox.oldhand(["impact", "priceOf", "--depth", "1", "--draw", "dot"]));
    let drawn = sandbox.oldhand(["impact", "priceOf", "--draw", "svg"]);
    assert!(drawn.run().success().starts_with("<svg"));
}

#[test]
fn what_nothing_depends_on_ends_with_code_1() {
    assert_transcript!(known_shop().oldhand(["impact", "tools/report.py:report"]));
}

#[test]
fn an_unknown_symbol_is_told_with_the_nearest() {
    let sandbox = known_shop();
    assert_transcript!(sandbox.oldhand(["impact", "priceOff"]));
    assert_transcript!(sandbox.oldhand(["impact", "kubernetes", "--json"]));
}

#[test]
fn deps_in_words_and_as_json() {
    let sandbox = known_shop();
    assert_transcript!(sandbox.oldhand(["deps", "src/cart.ts"]));
    assert_transcript!(sandbox.oldhand(["deps", "src/cart.ts", "--json"]));
}

#[test]
fn deps_of_a_file_that_is_not_there() {
    assert_transcript!(known_shop().oldhand(["deps", "src/basket.ts"]));
}

#[test]
fn refs_in_words_and_as_json() {
    let sandbox = known_shop();
    assert_transcript!(sandbox.oldhand(["refs", "Cart"]));
    assert_transcript!(sandbox.oldhand(["refs", "cents", "--json"]));
}

#[test]
fn refs_of_what_is_not_there() {
    assert_transcript!(known_shop().oldhand(["refs", "Basket"]));
}

#[test]
fn flow_in_words_and_as_json() {
    let sandbox = known_shop();
    assert_transcript!(sandbox.oldhand(["flow", "checkout", "priceOf"]));
    assert_transcript!(sandbox.oldhand(["flow", "report", "cents", "--json"]));
}

#[test]
fn flow_without_a_way_ends_with_code_1() {
    assert_transcript!(known_shop().oldhand(["flow", "priceOf", "checkout"]));
}

#[test]
fn where_in_words_and_as_json() {
    let sandbox = known_shop();
    assert_transcript!(sandbox.oldhand(["where", "price", "of", "item"]));
    assert_transcript!(sandbox.oldhand(["where", "accountant", "--json"]));
}

#[test]
fn where_nothing_is_ends_with_code_1() {
    assert_transcript!(known_shop().oldhand(["where", "kubernetes"]));
}

#[test]
fn outline_in_words_and_as_json() {
    let sandbox = known_shop();
    assert_transcript!(sandbox.oldhand(["outline", "src/cart.ts"]));
    assert_transcript!(sandbox.oldhand(["outline", "cart.ts", "--tokens", "40", "--json"]));
}

#[test]
fn outline_of_what_is_no_code() {
    assert_transcript!(known_shop().oldhand(["outline", "package.json"]));
}

#[test]
fn map_in_words_and_as_json() {
    let sandbox = known_shop();
    assert_transcript!(sandbox.oldhand(["map"]));
    assert_transcript!(sandbox.oldhand(["map", "--json"]));
}

#[test]
fn map_of_an_empty_folder_ends_with_code_1() {
    assert_transcript!(sandbox().oldhand(["map"]));
}

#[test]
fn coupled_in_words_and_as_json() {
    let sandbox = known_shop();
    assert_transcript!(sandbox.oldhand(["coupled", "src/price.ts", "--limit", "3"]));
    let answer = json(&sandbox, &["coupled", "src/price.ts", "--limit", "1"]);
    assert_eq!(paths(&answer["files"]), ["src/cart.ts"]);
    assert!(answer["files"][0]["strength"].as_f64().unwrap() > 0.5);
}

#[test]
fn coupled_of_a_file_that_is_not_there() {
    assert_transcript!(known_shop().oldhand(["coupled", "src/basket.ts"]));
}

#[test]
fn coupled_without_git_says_why_it_knows_nothing() {
    let sandbox = sandbox();
    sandbox.write("a.py", MONEY);
    assert_transcript!(sandbox.oldhand(["coupled", "a.py"]));
}

#[test]
fn coupled_also_knows_what_agents_edited_together() {
    let sandbox = known_shop();
    for number in 1..=3 {
        let session = format!("5e551011-0000-4000-8000-00000000000{number}");
        let mut transcript = Transcript::new(&sandbox, &session);
        transcript.prompt("Round the amounts in the report as the shop does");
        for path in ["src/price.ts", "tools/money.py"] {
            let path = sandbox.project().canonicalize().unwrap().join(path);
            let input =
                serde_json::json!({ "file_path": path, "old_string": "100", "new_string": "1000" });
            transcript.tool("Edit", &input, "The file has been updated.", false);
        }
        sandbox.write(&format!("{session}.jsonl"), transcript.text());
        let import = ["import", "transcripts", &format!("{session}.jsonl")];
        sandbox.oldhand(import).run().success();
    }
    sandbox
        .oldhand(["session", "finalize", "--all"])
        .run()
        .success();
    assert_transcript!(sandbox.oldhand(["coupled", "src/price.ts", "--limit", "2"]));
}

#[test]
fn hot_in_words_and_as_json() {
    let sandbox = known_shop();
    assert_transcript!(sandbox.oldhand(["hot"]));
    assert_transcript!(sandbox.oldhand(["hot", "--limit", "1", "--json"]));
}

#[test]
fn hot_in_an_empty_folder_ends_with_code_1() {
    assert_transcript!(sandbox().oldhand(["hot"]));
}

#[test]
fn reindex_says_what_it_made() {
    let sandbox = shop();
    assert_transcript!(sandbox.oldhand(["reindex"]));
    assert_transcript!(sandbox.oldhand(["reindex", "--json"]));
}

#[test]
fn a_scip_index_is_taken_in_and_outlives_a_reindex() {
    let sandbox = known_shop();
    sandbox.write("index.scip", scip("src/checkout.ts", "src/price.ts"));
    assert_transcript!(sandbox.oldhand(["import", "scip", "index.scip"]));
    for _ in 0..2 {
        let answer = json(&sandbox, &["refs", "priceOf"]);
        let references = answer["references"].as_array().unwrap();
        let precise = references.iter().find(|site| site["origin"] == "scip");
        let precise = precise.expect("the compiler named a place");
        assert_eq!(precise["path"], "src/checkout.ts");
        assert_eq!(precise["line"], 4);
        sandbox.oldhand(["reindex"]).run().success();
    }
}

#[test]
fn what_is_no_scip_index_is_refused() {
    let sandbox = known_shop();
    sandbox.write("index.scip", [0xff; 40]);
    assert_transcript!(sandbox.oldhand(["import", "scip", "index.scip"]));
}

/// An index in which line 4 of `user` names the function that `definer` defines on its line 2.
fn scip(user: &str, definer: &str) -> Vec<u8> {
    let symbol = "scip-typescript npm shop 1.0.0 `price.ts`/priceOf().";
    let document = |path: &str, range: [u8; 3], roles: u8| {
        let occurrence = [
            field(1, &range),
            field(2, symbol.as_bytes()),
            vec![3 << 3, roles],
        ];
        let document = [field(1, path.as_bytes()), field(2, &occurrence.concat())];
        field(2, &document.concat())
    };
    [
        document(user, [3, 9, 16], 0),
        document(definer, [1, 16, 23], 1),
    ]
    .concat()
}

/// A length-delimited field of a protobuf.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).expect("short enough for one byte");
    assert!(length < 128, "a longer length takes two bytes");
    [&[number << 3 | 2, length], bytes].concat()
}

#[test]
fn init_reads_the_code_and_shows_what_it_says() {
    let sandbox = shop();
    assert_transcript!(sandbox.oldhand(["init", "--yes"]));
    sandbox.write("src/cart.ts", CART);
    assert_transcript!(sandbox.oldhand(["status"]));
}

#[test]
fn doctor_tells_what_could_not_be_read_and_what_is_missing() {
    let sandbox = shop();
    sandbox.write("src/broken.ts", "export function half( {\n");
    commit(&sandbox, "Break off");
    let clone = sandbox.root().join("shallow");
    let from = format!("file://{}", sandbox.project().display());
    let to = clone.display().to_string();
    sandbox.git(
        sandbox.root(),
        ["clone", "--quiet", "--depth", "1", &from, &to],
    );
    sandbox.oldhand(["init"]).inside(&clone).run().success();
    let outcome = sandbox.oldhand(["doctor"]).inside(&clone).run();
    let said: Vec<&str> = outcome
        .stdout
        .lines()
        .filter(|line| line.contains(" code ") || line.contains(" history "))
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_question_reads_the_code_first_and_makes_no_project_of_it() {
    let sandbox = shop();
    assert_transcript!(sandbox.oldhand(["refs", "cents"]));
    let status = json(&sandbox, &["status"]);
    assert_eq!(status["project"], serde_json::Value::Null);
}

#[test]
fn a_file_that_changed_is_read_before_the_answer() {
    let sandbox = known_shop();
    let basket = "import { priceOf } from './price';\nexport const one = priceOf('x');\n";
    sandbox.write("src/basket.ts", basket);
    let answer = json(&sandbox, &["deps", "src/price.ts"]);
    assert_eq!(
        paths(&answer["imported_by"]),
        ["src/basket.ts", "src/cart.ts"]
    );
    std::fs::remove_file(sandbox.project().join("src/basket.ts")).unwrap();
    let answer = json(&sandbox, &["deps", "src/price.ts"]);
    assert_eq!(paths(&answer["imported_by"]), ["src/cart.ts"]);
}

#[test]
fn a_file_is_named_from_where_one_stands() {
    let sandbox = known_shop();
    let inside = sandbox.oldhand(["deps", "cart.ts", "--json"]).inside("src");
    let inside = inside.run().success();
    let outside = sandbox.oldhand(["deps", "src/cart.ts", "--json"]).run();
    assert_eq!(inside, outside.success());
}

#[test]
fn each_worktree_is_answered_from_its_own_files() {
    let sandbox = known_shop();
    let tree = sandbox.root().join("tree");
    let to = tree.display().to_string();
    let add = ["worktree", "add", "--quiet", "-b", "other", &to];
    sandbox.git(&sandbox.project(), add);
    std::fs::remove_file(tree.join("src/cart.ts")).unwrap();
    for _ in 0..2 {
        let there = sandbox.oldhand(["refs", "priceOf"]).inside(&tree).run();
        assert_eq!(there.code, Some(1), "{there}");
        let here = sandbox.oldhand(["refs", "priceOf"]).run();
        assert_eq!(here.code, Some(0), "{here}");
    }
}

#[test]
fn a_damaged_graph_is_made_anew() {
    let sandbox = known_shop();
    let folder = crate::database(&sandbox).with_file_name("graph");
    for tree in std::fs::read_dir(folder.join("trees")).unwrap() {
        std::fs::write(tree.unwrap().path().join("graph.snap"), b"not a graph").unwrap();
    }
    std::fs::write(folder.join("history.bin"), b"not a history").unwrap();
    std::fs::write(folder.join("words"), b"not words").unwrap();
    let answer = json(&sandbox, &["refs", "cents"]);
    assert_eq!(paths(&answer["definitions"]), ["tools/money.py"]);
    let answer = json(&sandbox, &["coupled", "src/price.ts", "--limit", "1"]);
    assert_eq!(paths(&answer["files"]), ["src/cart.ts"]);
    let answer = json(&sandbox, &["where", "accountant"]);
    assert!(!answer["matches"].as_array().unwrap().is_empty());
}

#[test]
fn rust_and_go_are_understood_too() {
    let sandbox = repository();
    for (path, text) in [
        (
            "Cargo.toml",
            "[package]\nname = \"mill\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
        ),
        (
            "src/lib.rs",
            "pub mod grain;\n\npub fn flour() -> u32 {\n    grain::grind(3)\n}\n",
        ),
        (
            "src/grain.rs",
            "pub fn grind(sacks: u32) -> u32 {\n    sacks * 50\n}\n",
        ),
        ("go/go.mod", "module example.org/mill\n\ngo 1.22\n"),
        (
            "go/main.go",
            "package main\n\nimport \"example.org/mill/wheel\"\n\nfunc main() {\n\twheel.Turn()\n}\n",
        ),
        (
            "go/wheel/wheel.go",
            "package wheel\n\n// Turn turns the wheel once.\nfunc Turn() {}\n",
        ),
    ] {
        sandbox.write(path, text);
    }
    let answer = json(&sandbox, &["impact", "grind"]);
    assert!(paths(&answer["affected"]).contains(&"src/lib.rs"));
    let answer = json(&sandbox, &["refs", "Turn"]);
    assert!(paths(&answer["references"]).contains(&"go/main.go"));
}
