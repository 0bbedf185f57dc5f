//! `oldhand context`: what an agent would be told, and which files a task will probably touch.

use oldhand_testkit::Sandbox;
use serde_json::Value;

use crate::{assert_transcript, repository};

/// A repository with some code, a commit, and two things worth knowing.
fn house() -> Sandbox {
    let sandbox = repository();
    sandbox.write(
        "src/auth/login.ts",
        "export function login(user: string) { return session(user) }\n",
    );
    sandbox.write(
        "src/auth/session.ts",
        "export function session(user: string) { return user }\n",
    );
    sandbox.write("src/billing/tax.ts", "export const vatRate = 0.2\n");
    let project = sandbox.project();
    sandbox.git(&project, ["add", "."]);
    sandbox.git(
        &project,
        ["commit", "--quiet", "-m", "Let people log in and pay tax"],
    );
    for arguments in [
        &[
            "remember",
            "Log in fails unless the session cookie is signed.",
            "--type",
            "gotcha",
            "--file",
            "src/auth/login.ts",
        ][..],
        &[
            "remember",
            "The panel is never cached.",
            "--type",
            "decision",
        ],
    ] {
        sandbox.oldhand(arguments).run().success();
    }
    sandbox
}

#[test]
fn the_files_of_a_task_come_with_their_reasons() {
    assert_transcript!(house().oldhand([
        "context",
        "login does not keep the session",
        "--files",
        "3"
    ]));
}

#[test]
fn what_is_known_of_the_file_at_hand_is_told() {
    let sandbox = house();
    assert_transcript!(sandbox.oldhand([
        "context",
        "change the login",
        "--file",
        "src/auth/login.ts",
        "--files",
        "1"
    ]));
    let answer = sandbox
        .oldhand([
            "context",
            "change the login",
            "--file",
            "src/auth/login.ts",
            "--json",
        ])
        .run()
        .success();
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["silent"], false);
    assert_eq!(
        answer["memories"].as_array().map(Vec::len),
        Some(1),
        "{answer}"
    );
    // The file at hand is known to whoever asks: what comes next is not.
    assert_eq!(
        answer["files"][0]["path"], "src/auth/session.ts",
        "{answer}"
    );
}

#[test]
fn the_usual_answer_is_silence() {
    let answer = house()
        .oldhand(["context", "water the plants", "--json"])
        .run();
    let answer: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    assert_eq!(
        (&answer["silent"], &answer["text"], &answer["tokens"]),
        (&true.into(), &"".into(), &0.into())
    );
}

#[test]
fn a_question_about_the_world_predicts_no_file() {
    let sandbox = house();
    let files = |task: &str| {
        let answer = sandbox.oldhand(["context", task, "--json"]).run();
        let answer: Value = serde_json::from_str(&answer.stdout).expect("JSON");
        answer["files"].as_array().map(Vec::len)
    };
    assert_eq!(files("what is the tax in Paris"), Some(0));
    assert!(files("what is the vatRate of the tax") > Some(0));
    assert!(files("add the tax of Paris") > Some(0));
}

#[test]
fn files_that_are_shown_as_probable_are_an_answer() {
    let sandbox = repository();
    for number in 0..700 {
        let text = format!("export function step{number}() {{ return {number} }}\n");
        sandbox.write(&format!("src/part{}/step{number}.ts", number % 7), text);
    }
    let project = sandbox.project();
    sandbox.git(&project, ["add", "."]);
    sandbox.git(&project, ["commit", "--quiet", "-m", "Take steps"]);
    // Most of it is said nowhere here.
    let task = "make step33 faster and cheaper";
    let shown = sandbox.oldhand(["context", task]).run();
    let heading = "files it will probably touch";
    assert!(shown.stdout.contains(heading), "{shown}");
    assert!(shown.stdout.contains("src/part5/step33.ts"), "{shown}");
    assert_eq!(shown.code, Some(0), "{shown}");
    let answer = sandbox.oldhand(["context", task, "--json"]).run().success();
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["pointed"], true, "{answer}");
    let nothing = sandbox.oldhand(["context", "water the plants"]).run();
    assert!(!nothing.stdout.contains(heading), "{nothing}");
    assert_eq!(nothing.code, Some(1), "{nothing}");
}

#[test]
fn a_budget_is_never_exceeded() {
    let sandbox = house();
    for budget in ["0", "10", "40", "1000"] {
        let arguments = [
            "context",
            "change the login",
            "--file",
            "src/auth/login.ts",
            "--budget",
            budget,
            "--json",
        ];
        let answer = sandbox.oldhand(arguments).run().success();
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        let most: u64 = budget.parse().expect("a number");
        assert!(
            answer["tokens"]
                .as_u64()
                .is_some_and(|tokens| tokens <= most),
            "{budget}: {answer}"
        );
    }
}

#[test]
fn the_same_budget_brings_the_same_answer() {
    let sandbox = house();
    let told = |budget: u64| {
        let budget = budget.to_string();
        asked(
            &sandbox,
            &["--file", "src/auth/login.ts", "--budget", &budget],
        )
    };
    let least = told(10)["least"].as_u64().expect("what fits nowhere");
    // The mark of the fence is another each time, and costs more or less.
    for _ in 0..6 {
        let (enough, short) = (told(least), told(least - 1));
        assert_eq!(enough["silent"], false, "{enough}");
        assert_eq!(
            (&short["silent"], &short["least"]),
            (&true.into(), &least.into())
        );
    }
}

#[test]
fn an_empty_task_is_told() {
    assert_transcript!(house().oldhand(["context", " "]));
}

/// What a task brings, asked with these options, as JSON.
fn asked(sandbox: &Sandbox, options: &[&str]) -> Value {
    let arguments = ["context", "people cannot log in", "--json"];
    let answer = sandbox
        .oldhand(arguments.iter().chain(options))
        .run()
        .success();
    serde_json::from_str(&answer).expect("JSON")
}

#[test]
fn each_role_hears_what_is_of_use_to_it() {
    let sandbox = house();
    for (kind, words) in [
        ("requirement", "Whoever may log in sees the panel first."),
        (
            "dead_end",
            "Keeping the password in the page was tried and leaked.",
        ),
        ("decision", "Sessions are cookies because tokens leak."),
        (
            "error_pattern",
            "Login answers 500 while the clock is wrong.",
        ),
    ] {
        let taught = [
            "remember",
            words,
            "--type",
            kind,
            "--file",
            "src/auth/login.ts",
        ];
        sandbox.oldhand(taught).run().success();
    }
    let heard = |role: &str, more: &[&str]| {
        let mut options = vec!["--role", role];
        options.extend(more);
        let answer = asked(&sandbox, &options);
        let memories = answer["memories"].as_array().expect("a list").clone();
        let mut kinds: Vec<String> = memories
            .iter()
            .map(|memory| memory["type"].as_str().expect("a word").to_owned())
            .collect();
        kinds.sort();
        kinds.join(" ")
    };
    let at_hand = ["--file", "src/auth/login.ts"];
    assert_eq!(heard("planner", &at_hand), "dead_end decision requirement");
    assert_eq!(
        heard("coder", &at_hand),
        "dead_end decision error_pattern gotcha"
    );
    assert_eq!(heard("qa", &at_hand), "error_pattern gotcha requirement");
    assert_eq!(heard("recovery", &at_hand), "dead_end error_pattern gotcha");
    // Without a file at hand, the likeliest is looked at.
    let likeliest = ["--files", "1"];
    let coder = heard("coder", &likeliest);
    assert_eq!(coder, "dead_end decision error_pattern gotcha");
    // Whatever the task is, what must hold is for who checks it, and what just failed for who takes it up.
    assert!(heard("qa", &[]).contains("requirement"));
    assert!(heard("recovery", &[]).contains("dead_end"));
    let wrong = sandbox
        .oldhand(["context", "log in", "--role", "boss"])
        .run();
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.contains("planner, coder, qa, recovery"),
        "{wrong}"
    );
}

#[test]
fn the_likeliest_files_are_looked_into() {
    let sandbox = house();
    let outlines = asked(&sandbox, &["--prefetch", "outlines"]);
    let first = |answer: &Value| {
        let likeliest = answer["files"][0]["path"].clone();
        let prefetched = answer["prefetch"].as_array().expect("a list").iter();
        let mut texts = prefetched.filter(|file| file["path"] == likeliest);
        let text = texts.next().expect("the likeliest is there")["text"].clone();
        text.as_str().expect("a text").to_owned()
    };
    let outline = first(&outlines);
    assert!(
        outline.contains("function ") && !outline.contains("return"),
        "{outline}"
    );
    let whole = first(&asked(&sandbox, &["--prefetch", "contents"]));
    assert!(whole.contains("return "), "{whole}");
    assert!(asked(&sandbox, &[])["prefetch"].is_null());

    let large = format!(
        "export function login() {{}}\n{}",
        "// log in\n".repeat(40_000)
    );
    sandbox.write("src/auth/login.ts", large);
    let told = sandbox
        .oldhand(["context", "login", "--prefetch", "contents"])
        .run();
    assert!(
        told.stderr
            .contains("no room within 32000 tokens for src/auth/login.ts"),
        "{told}"
    );
    assert!(!told.stdout.contains("// log in"), "{told}");
}

#[test]
fn a_plan_is_stretched_by_how_far_off_plans_were() {
    let sandbox = house();
    let unknown = asked(&sandbox, &["--steps", "20"]);
    assert_eq!(unknown["steps"]["allowed"], 20);
    assert!(unknown["steps"]["ratio"].is_null(), "{unknown}");
    let calibrate = |actual: f64| {
        let module = "src/auth";
        let line = serde_json::json!({
            "type": "task_calibration",
            "content": format!("Work in {module} took {actual} steps where 10 were planned."),
            "payload": { "task_calibration": { "module": module, "methodology": "none", "mean_actual_steps": actual, "mean_planned_steps": 10.0, "samples": 4 } },
        });
        let import = sandbox.oldhand(["import", "json", "--trusted", "-"]);
        import.stdin(line.to_string()).run().success();
    };
    calibrate(15.0);
    let at = ["--steps", "20", "--file", "src/auth/login.ts"];
    let stretched = asked(&sandbox, &at);
    assert_eq!(stretched["steps"]["allowed"], 30);
    assert_eq!(stretched["steps"]["ratio"], 1.5);
    calibrate(31.0);
    let most = asked(&sandbox, &at);
    assert_eq!(most["steps"]["allowed"], 40, "twice the plan is the most");
    let told = sandbox
        .oldhand(["context", "log in"].iter().chain(&at))
        .run()
        .success();
    assert!(
        told.contains("allow 40 steps where 20 were planned: work here took 3.1 times its plan, but this is the most that is allowed"),
        "{told}"
    );
    for wrong in ["0", "501", "many"] {
        let refused = sandbox
            .oldhand(["context", "log in", "--steps", wrong])
            .run();
        assert_eq!(refused.code, Some(2), "{refused}");
    }
}

#[test]
fn a_memory_whose_code_is_gone_is_not_told_in_the_same_breath() {
    let sandbox = repository();
    let project = sandbox.project();
    let commit = |text: &str| {
        sandbox.write("src/head.py", text);
        sandbox.git(&project, ["add", "."]);
        sandbox.git(&project, ["commit", "--quiet", "-m", "Read heads"]);
    };
    commit(
        "def parse_header(line):\n    return line.split(':')[0]\n\ndef other():\n    return 1\n",
    );
    let fact = "parse_header drops the port when the line has two colons";
    let at = "src/head.py:parse_header";
    sandbox
        .oldhand(["remember", fact, "--at", at, "--type", "gotcha"])
        .run()
        .success();
    let task = "fix parse_header, which drops the port when the line has two colons";
    let told = |sandbox: &Sandbox| {
        let outcome = sandbox.oldhand(["context", task, "--json"]).run();
        let view: Value = serde_json::from_str(&outcome.stdout).unwrap();
        view["text"].as_str().unwrap().contains(fact)
    };
    assert!(told(&sandbox));
    commit("def other():\n    return 1\n");
    assert!(!told(&sandbox));
}

#[cfg(unix)]
#[test]
fn a_task_with_bytes_that_are_no_text_is_still_a_task() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let sandbox = house();
    let odd = OsStr::from_bytes(b"log in \xff\xfe fails");
    for command in ["context", "where", "search"] {
        let outcome = sandbox.oldhand([OsStr::new(command), odd]).run();
        assert!(matches!(outcome.code, Some(0 | 1)), "{command}: {outcome}");
    }
}

#[test]
fn a_file_that_the_task_names_speaks_for_what_is_known_about_it() {
    let sandbox = house();
    let task = "tidy up src/auth/login.ts";
    let search = sandbox.oldhand(["search", task, "--json"]).run().success();
    let search: Value = serde_json::from_str(&search).expect("JSON");
    let context = sandbox.oldhand(["context", task, "--json"]).run().success();
    let context: Value = serde_json::from_str(&context).expect("JSON");
    let about = |answer: &Value, list: &str| -> (Value, f64) {
        let told = answer[list].as_array().expect("a list");
        let lanes = |one: &&Value| one["because"]["lanes"].to_string().contains("graph");
        let one = told.iter().find(lanes).expect("something about the file");
        let relevance = one["because"]["relevance"].as_f64().expect("a number");
        (one["id"].clone(), relevance)
    };
    assert_eq!(about(&search, "results"), about(&context, "memories"));
}

#[test]
fn silence_for_a_review_says_so() {
    let sandbox = repository();
    let line = r#"{"content":"Invoices of batch 417 are rounded to whole cents."}"#;
    sandbox
        .oldhand(["import", "json", "-"])
        .stdin(line)
        .run()
        .success();
    let outcome = sandbox
        .oldhand(["context", "how are invoices of batch 417 rounded"])
        .run();
    let said: Vec<&str> = outcome.stdout.split_whitespace().collect();
    let said = said.join(" ");
    assert!(said.contains("one memory is likely enough, and "), "{said}");
    assert!(said.contains("nobody reviewed it"), "{said}");
    assert!(
        outcome
            .stdout
            .lines()
            .all(|line| line.chars().count() <= 80)
    );
}

#[test]
fn reasons_stand_in_the_order_of_the_lines_and_add_up() {
    let sandbox = repository();
    for text in [
        "`make lint` - Run all linting tasks",
        "`make lint-fix` - Run linting and automatically fix issues",
        "`make -C crates/web lint` - Run linting for the web crate",
        "Colours of charts follow the theme.",
    ] {
        sandbox.oldhand(["remember", text]).run().success();
    }
    let asked = sandbox.oldhand(["context", "run the linter", "--json"]);
    let view: Value = serde_json::from_str(&asked.run().success()).expect("JSON");
    let text = view["text"].as_str().unwrap();
    let told = view["memories"].as_array().unwrap();
    assert_eq!(told.len(), 3, "{text}");
    assert!(text.contains("`make lint` -"), "{text}");
    let lines: Vec<usize> = told
        .iter()
        .map(|one| text.find(one["content"].as_str().unwrap()).unwrap())
        .collect();
    assert!(lines.is_sorted(), "{text}");
    for one in told {
        let because = &one["because"];
        let parts = because["likelihood"].as_object().unwrap().values();
        let sum: f64 = parts.map(|part| part.as_f64().unwrap()).sum();
        let relevance = because["relevance"].as_f64().unwrap();
        assert!(
            (1.0 / (1.0 + (-sum).exp()) - relevance).abs() < 0.001,
            "{because}"
        );
    }
}

#[test]
fn what_git_ignores_everywhere_is_no_file_of_a_task() {
    let named = |sandbox: &Sandbox| {
        let path = "src/auth/keep.ts";
        sandbox.write(
            path,
            "export function keep(login: string) { return login }\n",
        );
        let task = ["context", "login does not keep the session", "--json"];
        let answer = sandbox.oldhand(task).run().success();
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        let mut files = answer["files"].as_array().unwrap().iter();
        files.any(|file| file["path"] == path)
    };
    assert!(named(&house()), "git ignores nothing");
    for (file, text) in [
        (".config/git/ignore", "keep.ts\n"),
        (".gitconfig", "[core]\n\tExcludesFile = ~/ignored\n"),
    ] {
        let sandbox = house();
        let home = sandbox.user_home();
        let path = home.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        std::fs::write(&path, before + text).unwrap();
        std::fs::write(home.join("ignored"), "keep.ts\n").unwrap();
        assert!(!named(&sandbox), "{file}");
    }
}
