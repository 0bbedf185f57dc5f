//! What questions about the code make of folders, of files that were not read, of misspelt names and of exact ones.

use oldhand_testkit::Sandbox;

use crate::{assert_transcript, repository};

fn shop() -> Sandbox {
    let sandbox = repository();
    for (path, text) in [
        (
            "src/pay/card.ts",
            "export interface Method { charge(sum: number): void }\nexport class Card implements Method { charge(sum: number) { log(sum) } }\nfunction log(sum: number) {}\n",
        ),
        ("src/pay/cash.ts", "export const CASH = 1\n"),
        (
            "src/till.ts",
            "import { Method } from './pay/card'\nexport function pay(method: Method) { method.charge(1) }\n",
        ),
        ("src/payCash.ts", "export function payCash() {}\n"),
    ] {
        sandbox.write(path, text);
    }
    sandbox.write("src/huge.ts", "export const a = 1\n".repeat(200));
    sandbox
        .oldhand(["config", "set", "code.largest", "1"])
        .run()
        .success();
    sandbox.oldhand(["reindex"]).run().success();
    sandbox
}

#[test]
fn a_folder_is_answered_for_by_all_its_files() {
    let sandbox = shop();
    assert_transcript!(sandbox.oldhand(["impact", "src/pay/"]), @"
    exit 0
    --- stdout
    src/pay  2 files
    A change reaches 2 places in 1 file.

    src/till.ts
      0.90  the file imports, line 1
      0.72  pay calls, line 2
    ");
    assert_transcript!(sandbox.oldhand(["impact", "src/pay", "--depth", "1", "--json"]));
}

#[test]
fn where_one_file_is_asked_for_a_folder_is_told_apart() {
    let sandbox = shop();
    assert_transcript!(sandbox.oldhand(["outline", "src/pay"]), @"
    exit 1
    --- stderr
    error: `src/pay` is a folder
    hint: name one of its files; `oldhand impact src/pay` answers for all of them, `oldhand map` for every module
    ");
    assert_transcript!(sandbox.oldhand(["impact", "."]), @"
    exit 2
    --- stderr
    error: `.` is the whole project
    hint: name a file, a folder or a definition; `oldhand map` shows what there is
    ");
}

#[test]
fn a_file_that_was_too_large_to_read_says_so() {
    let sandbox = shop();
    assert_transcript!(sandbox.oldhand(["outline", "src/huge.ts"]), @"
    exit 1
    --- stdout
    src/huge.ts
    --- stderr
    note: it was not read: it is larger than 1024 bytes
    hint: `oldhand config` tells what is skipped: `code.largest`, `code.generated`, `code.vendored`
    ");
    let outcome = sandbox.oldhand(["outline", "src/huge.ts", "--json"]).run();
    let told: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(told["unread"], "is larger than 1024 bytes", "{told}");
}

#[test]
fn a_hint_names_something_of_the_same_kind() {
    let sandbox = shop();
    assert_transcript!(sandbox.oldhand(["impact", "nope.go"]), @"
    exit 1
    --- stderr
    error: no file or definition is called `nope.go`
    hint: `oldhand where nope.go` looks for it by its words
    ");
    assert_transcript!(sandbox.oldhand(["impact", "tills.ts"]), @"
    exit 1
    --- stderr
    error: no file or definition is called `tills.ts`
    hint: did you mean `till.ts`?
    ");
}

#[test]
fn an_exact_name_is_not_followed_by_what_shares_a_word_with_it() {
    let sandbox = shop();
    assert_transcript!(sandbox.oldhand(["where", "payCash"]), @"
    exit 0
    --- stdout
    payCash  function src/payCash.ts:1
      function payCash()
    src/payCash.ts  by part of its name
    ");
}

#[test]
fn a_call_through_an_interface_is_followed_both_ways() {
    let sandbox = shop();
    assert_transcript!(sandbox.oldhand(["impact", "Card.charge"]), @"
    exit 0
    --- stdout
    Card.charge  method src/pay/card.ts:2
    A change reaches 2 places in 2 files.

    src/pay/card.ts
      0.66  Method.charge implemented by, line 2
    src/till.ts
      0.48  pay calls, line 2 through Method.charge
    ");
    assert_transcript!(sandbox.oldhand(["flow", "pay", "log"]), @"
    exit 0
    --- stdout
    pay  function src/till.ts:2
      calls on line 2 Method.charge src/pay/card.ts
      implemented by on line 2 Card.charge src/pay/card.ts
      calls on line 2 log src/pay/card.ts
    ");
}

#[cfg(unix)]
#[test]
fn a_file_whose_name_has_a_line_end_is_left_out_and_spoils_no_answer() {
    let sandbox = repository();
    sandbox.write("bad\nname.py", "def pay_bill():\n    return 1\n");
    sandbox.write("till.py", "def pay_bill():\n    return 2\n");
    sandbox.git(&sandbox.project(), ["add", "."]);
    let commit = ["commit", "--quiet", "-m", "Pay the bill"];
    sandbox.git(&sandbox.project(), commit);
    for arguments in [
        &["context", "pay the bill"][..],
        &["where", "pay_bill"],
        &["search", "--code", "pay bill"],
        &["coupled", "till.py"],
        &["hot"],
        &["impact", "pay_bill"],
    ] {
        let outcome = sandbox.oldhand(arguments).run();
        assert_ne!(outcome.code, Some(2), "{outcome}");
        assert!(!outcome.stdout.contains("name.py"), "{outcome}");
    }
    let outcome = sandbox.oldhand(["reindex"]).run();
    let told = "bad name.py: its name has a character that cannot be seen";
    assert!(outcome.to_string().contains(told), "{outcome}");
}

#[test]
fn a_word_that_no_file_has_finds_code_that_shortens_it_and_the_answer_says_so() {
    let sandbox = repository();
    sandbox.write("merge.py", "def merge_dict(one, other):\n    return one\n");
    let outcome = sandbox.oldhand(["search", "--code", "dictionary"]).run();
    assert_eq!(outcome.code, Some(0), "{outcome}");
    assert!(outcome.stdout.contains("merge.py:1-2"), "{outcome}");
    let told = "no file has “dictionary”: looked for what begins alike, dict";
    assert!(outcome.stderr.contains(told), "{outcome}");
    let json = sandbox.oldhand(["search", "--code", "dictionary", "--json"]);
    let outcome = json.run();
    let answer: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    let told = serde_json::json!([{"word": "dictionary", "looked_for": ["dict"]}]);
    assert_eq!(answer["instead"], told, "{outcome}");
    let outcome = sandbox.oldhand(["search", "--code", "xylophone"]).run();
    assert_eq!(outcome.code, Some(1), "{outcome}");
}

#[test]
fn an_outline_of_ruby_shows_heads_without_what_is_in_them() {
    let sandbox = repository();
    sandbox.write(
        "till.rb",
        "# frozen_string_literal: true\n\nmodule Shop\n  class Till < Desk\n    include Coins\n\n    def pay(sum)\n      count(sum)\n    end\n\n    def open?\n    end\n  end\nend\n",
    );
    assert_transcript!(sandbox.oldhand(["outline", "till.rb"]), @"
    exit 0
    --- stdout
    till.rb
        3  module Shop
        4    class Till < Desk
        7      def pay(sum)
       11      def open? end
    --- stderr
    note: read 1 file for the first time
    ");
}

/// Asking is not teaching: hooks listen only where somebody said so.
#[test]
fn a_question_about_code_makes_no_project_of_a_folder() {
    let sandbox = repository();
    sandbox.write("src/till.py", "def pay():\n    return 1\n");
    let ask = |question: &str| {
        let arguments: Vec<&str> = question.split(' ').collect();
        let asked = sandbox.oldhand(arguments).run();
        let answer = if question == "map" {
            "1 python"
        } else {
            "till"
        };
        assert!(asked.stdout.contains(answer), "{question}: {asked}");
        asked
    };
    assert!(ask("where pay").stderr.contains("for the first time"));
    for question in [
        "search --code pay",
        "map",
        "outline src/till.py",
        "refs pay",
        "impact src/till.py",
        "context pay",
    ] {
        let asked = ask(question);
        assert!(!asked.stderr.contains("first time"), "{question}: {asked}");
    }
    let prompt = serde_json::json!({
        "session_id": "s-1",
        "cwd": sandbox.project(),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "Change how we pay.",
    });
    let hook = sandbox.oldhand(["hook", "claude-code"]);
    hook.stdin(prompt.to_string()).run().success();
    for made in ["projects.toml", "projects"] {
        assert!(!sandbox.home().join(made).exists(), "{made}");
    }
    let init = ["init", "--yes", "--no-agents"];
    let init = sandbox.oldhand(init).run();
    assert!(init.stdout.contains("new project"), "{init}");
    assert!(!ask("where pay").stderr.contains("first time"));
    let aside = std::fs::read_dir(sandbox.home().join("looked-at")).expect("a folder");
    assert_eq!(aside.count(), 0, "what was read has moved in");
}
