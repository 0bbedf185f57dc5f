//! Questions that are no questions: a pasted log of ten thousand words costs no more than a long sentence.

use oldhand_testkit::Sandbox;
use serde_json::Value;

use crate::repository;

const WORDS: usize = 10_000;
/// Of so many words code is looked for at most, and memories.
const IN_CODE: usize = 200;
const IN_MEMORIES: usize = 32;

fn house() -> Sandbox {
    let sandbox = repository();
    sandbox.write(
        "src/oven.py",
        "def preheat_oven(degrees):\n    return degrees * 2\n",
    );
    for number in 0..30 {
        let text = format!("def step{number}(log):\n    return log.line({number})\n");
        sandbox.write(&format!("src/step{number}.py"), text);
    }
    sandbox
        .oldhand(["remember", "The oven is preheated before the tests."])
        .run()
        .success();
    sandbox
}

/// Words that are nowhere, and in their midst what is meant.
fn log() -> String {
    let mut words: Vec<String> = (0..WORDS - 2).map(letters).collect();
    words.splice(5_000..5_000, ["preheat", "degrees"].map(str::to_owned));
    words.join(" ")
}

fn asked(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let outcome = sandbox.oldhand([&["--json"], arguments].concat()).run();
    assert_ne!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
    serde_json::from_str(&outcome.stdout).expect("an answer is JSON")
}

#[test]
fn of_ten_thousand_words_code_is_looked_for_by_those_that_say_most() {
    let (sandbox, log) = (house(), log());
    let answer = asked(&sandbox, &["search", "--code", &log]);
    assert_eq!(answer["words_left_out"], WORDS - IN_CODE);
    assert_eq!(answer["results"][0]["path"], "src/oven.py", "{answer}");
    let explained = sandbox
        .oldhand(["search", "--code", "--explain", &log])
        .run();
    let words = explained.stdout.split_whitespace().collect::<Vec<_>>();
    let said = "looked for the 200 words of the question that are in the fewest files and left out 9800 different words of it";
    assert!(words.join(" ").contains(said), "{explained}");
    let found = asked(&sandbox, &["where", &log]);
    let first = &found["matches"][0]["symbol"];
    assert_eq!(first, "preheat_oven", "{found}");
    let noted = sandbox.oldhand(["where", &log]).run();
    assert!(
        noted.stderr.contains("left out 9800 different words of it"),
        "{noted}"
    );
}

#[test]
fn a_question_of_usual_length_is_looked_for_whole() {
    let sandbox = house();
    let usual: Vec<String> = (0..IN_CODE - 1).map(letters).collect();
    let usual = usual.join(" ") + " preheat";
    // Said again and again a word is one word.
    let again = "preheat degrees ".repeat(IN_CODE);
    for question in ["preheat degrees", usual.as_str(), again.as_str()] {
        let answer = asked(&sandbox, &["search", "--code", question]);
        assert!(answer.get("words_left_out").is_none(), "{answer}");
        assert_eq!(answer["results"][0]["path"], "src/oven.py", "{answer}");
        let noted = sandbox.oldhand(["where", question]).run();
        assert!(!noted.stderr.contains("left out"), "{noted}");
    }
}

#[test]
fn every_question_in_words_may_have_ten_thousand_of_them() {
    let (sandbox, log) = (house(), log());
    let answer = asked(&sandbox, &["search", &log]);
    let words = answer["asked"]["words"].as_array().map(Vec::len);
    assert_eq!(words, Some(IN_MEMORIES));
    let colons = "src/oven.py: ".repeat(WORDS);
    for text in [log.as_str(), colons.as_str()] {
        for command in [
            &["context"][..],
            &["recipe"],
            &["errors"],
            &["refs"],
            &["deps"],
            &["impact"],
            &["outline"],
            &["flow", "src/oven.py"],
            &["coupled"],
        ] {
            let outcome = sandbox.oldhand(command.iter().chain([&text])).run();
            assert!(outcome.code.is_some(), "{command:?} was ended");
            let said = outcome.stdout.len() + outcome.stderr.len();
            assert!(said < 8_192, "{command:?} says it all back: {said}");
        }
    }
}

/// A word for each number that no ending is cut from.
fn letters(number: usize) -> String {
    let letter = |power: u32| char::from(b'a' + (number / 20_usize.pow(power) % 20) as u8);
    (0..4).map(letter).collect::<String>() + "q"
}
