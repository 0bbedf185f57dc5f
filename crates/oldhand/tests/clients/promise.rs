//! What must hold with every client, tried with each.

use oldhand_testkit::{Asked, Client, Talk};

use crate::scene::{
    ERROR, TRAP, WAY_OUT, answer, bare, connect, known, learn_the_hard_way, mistake_and_fix,
    mistake_and_words, oldhand, play, receipts, sessions, settings, teach_the_trap, tokens, told,
    wired,
};

/// The request that follows the failing tests: the prompt, a read and an edit came before.
const AFTER_THE_ERROR: usize = 3;

/// A session that meets a known error is told the way out right after it, once, and nothing else; nobody else is told anything.
pub(crate) fn the_fix_reaches_the_next_session(client: Client) {
    let stage = wired(client);
    learn_the_hard_way(&stage);
    play(&stage, mistake_and_fix(&stage), 2);
    let told = told(&stage);
    let [(when, words)] = &told[..] else {
        panic!(
            "one thing is worth saying, not {told:#?}\n{}",
            known(&stage)
        );
    };
    assert_eq!(*when, AFTER_THE_ERROR, "{words}");
    assert!(
        words.contains("went away") && words.contains(WAY_OUT),
        "{words}"
    );
    let asked = stage.model.asked(&Talk::Main);
    let met = |number: usize| {
        asked[number]
            .texts()
            .iter()
            .any(|text| text.contains(ERROR))
    };
    assert!(
        met(*when) && !met(*when - 1),
        "told at the error, not before or after"
    );
    assert_eq!(receipts(&stage), [true], "{}", known(&stage));
    let others = stage.model.all_asked();
    let others = others.iter().filter(|asked| asked.talk != Talk::Main);
    assert_eq!(others.flat_map(Asked::memories).count(), 0);
    println!(
        "{}: tokens told per session {:?}, refused {:?}\n{words}",
        client.as_str(),
        tokens(&stage),
        stage.model.strays()
    );
    #[cfg(target_os = "linux")]
    assert_eq!(crate::scene::processes_left(&stage), [""; 0]);
}

/// A brief at the start, a trap when its file is read, the way out when the error is met: each at its moment, each once, and each
/// seen to arrive. The doctor has nothing to say against such a client.
pub(crate) fn each_thing_is_said_at_its_moment(client: Client) {
    let stage = wired(client);
    learn_the_hard_way(&stage);
    let decision = "We keep money in integer cents because floats lose pennies";
    oldhand(
        &stage.sandbox,
        &["remember", decision, "--type", "decision"],
    );
    teach_the_trap(&stage);
    play(&stage, mistake_and_fix(&stage), 2);
    let told = told(&stage);
    let moments: Vec<usize> = told.iter().map(|(when, _)| *when).collect();
    assert_eq!(moments, [0, 1, AFTER_THE_ERROR], "{told:#?}");
    for ((_, words), about) in told.iter().zip([decision, TRAP, WAY_OUT]) {
        assert!(words.contains(about), "{words}");
    }
    assert_eq!(receipts(&stage), [true; 3], "{}", known(&stage));
    println!(
        "{}: tokens told per session {:?}",
        client.as_str(),
        tokens(&stage)
    );
    let doctor = stage.sandbox.oldhand(["doctor"]);
    let doctor = doctor
        .env("PATH", stage.path())
        .env("OLDHAND_TEST_NOW", "")
        // As the client was told.
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .run();
    assert_eq!(doctor.code, Some(0), "{doctor}");
    assert!(doctor.stdout.contains(client.as_str()), "{doctor}");
}

/// What an agent says between two calls no hook tells: it is read in the client's own transcript when the session ends, where
/// each call still counts once, and reading the transcript again changes nothing.
pub(crate) fn words_between_calls_are_learned(client: Client) {
    const WORDS: &str = "I was wrong about src/total.js: the currency is read from config.json, not set in the code.";
    let stage = wired(client);
    play(&stage, mistake_and_words(&stage, WORDS), 1);
    let session = sessions(&stage).remove(0);
    let id = session["id"].as_str().expect("a session has an id");
    let shown = answer(&stage.sandbox, &["session", "show", id, "--json"]);
    assert_eq!(
        shown["body"]["transcript"]["read"],
        true,
        "{}",
        known(&stage)
    );
    let replayed = answer(&stage.sandbox, &["session", "replay", id, "--json"]);
    assert_eq!(replayed["steps"], 5, "each call counts once: {replayed:#}");
    let list = || answer(&stage.sandbox, &["list", "--json"])["memories"].clone();
    let learned = list();
    assert!(
        learned
            .to_string()
            .contains("the currency is read from config.json"),
        "{}",
        known(&stage)
    );
    let import = answer(&stage.sandbox, &["import", "transcripts", "--json"]);
    assert_eq!(import["transcripts"], 1, "{import}");
    assert_eq!(import["finalized"]["sessions"], 0, "{import}");
    assert_eq!(list(), learned);
}

/// Uninstalling leaves the client's settings as they were, to the byte; where the client itself wrote to them since, nothing of
/// ours stays.
pub(crate) fn uninstalling_leaves_no_trace(client: Client) {
    let stage = bare(client);
    let before = settings(&stage);
    assert!(!before.is_empty());
    connect(&stage);
    assert_ne!(settings(&stage), before);
    oldhand(&stage.sandbox, &["uninstall", "--all", "--yes"]);
    assert_eq!(settings(&stage), before, "without a session");
    connect(&stage);
    let wired = settings(&stage);
    play(&stage, mistake_and_fix(&stage), 1);
    let used = settings(&stage);
    oldhand(&stage.sandbox, &["uninstall", "--all", "--yes"]);
    for (place, (path, left)) in settings(&stage).into_iter().enumerate() {
        if used[place] == wired[place] {
            assert_eq!(left, before[place].1, "{}", path.display());
        } else {
            let left = stage.sandbox.without_paths(&left.unwrap_or_default());
            assert!(!left.contains("oldhand"), "{}: {left}", path.display());
            assert!(!left.contains("hooks.state"), "{}: {left}", path.display());
        }
    }
}
