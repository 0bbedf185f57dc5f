//! What sessions teach, weighed against what is known: told stays told, another file is another memory, and what many sessions
//! show is shown by those that did it.

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::repository;
use crate::session::Transcript;

/// One session after the other, a day apart.
struct Diary {
    sandbox: Sandbox,
    day: u32,
}

/// What an agent did: `edit FILE`, `read FILE`, `large FILE`, `miss FILE` (it has another ending), `run COMMAND = OUTPUT`, `fail COMMAND = OUTPUT`.
type Step<'a> = &'a str;

impl Diary {
    fn new() -> Self {
        Self {
            sandbox: repository(),
            day: 0,
        }
    }

    fn ask(&self, arguments: &[&str]) -> Value {
        let json = arguments.iter().chain(&["--json"]);
        let told = self.sandbox.oldhand(json).run().success();
        serde_json::from_str(&told).expect("JSON")
    }

    /// Imports the next session and says what became of it.
    fn live(&mut self, prompt: &str, steps: &[Step<'_>]) -> Vec<Value> {
        self.day += 1;
        let name = format!("s{:02}", self.day);
        let root = self.sandbox.project().canonicalize().expect("a project");
        let path = |file: &str| root.join(file).display().to_string();
        let mut told = Transcript::new(&self.sandbox, &name);
        told.prompt(prompt);
        for step in steps {
            let (verb, rest) = step.split_once(' ').expect("a verb and more");
            let (what, output) = rest.split_once(" = ").unwrap_or((rest, "ok"));
            match verb {
                "read" => told.tool("Read", &json!({ "file_path": path(what) }), "x", false),
                "large" => {
                    self.sandbox.write(what, "let x = 1;\n".repeat(7_000));
                    let refused =
                        "File content (34278 tokens) exceeds maximum allowed tokens (25000).";
                    told.tool("Read", &json!({ "file_path": path(what) }), refused, true);
                }
                "miss" => {
                    let there = format!("{what}.yaml");
                    self.sandbox.write(&there, "a: 1\n");
                    let asked = json!({ "file_path": path(&format!("{what}.yml")) });
                    let name = there.rsplit('/').next().unwrap_or_default();
                    let missed = format!("File does not exist. Did you mean {name}?");
                    told.tool("Read", &asked, &missed, true);
                }
                "edit" => {
                    self.sandbox.write(what, "b\n");
                    told.tool(
                        "Edit",
                        &json!({ "file_path": path(what), "old_string": "a", "new_string": "b" }),
                        "The file has been updated",
                        false,
                    );
                }
                "run" => told.tool("Bash", &json!({ "command": what }), output, false),
                _ => told.tool(
                    "Bash",
                    &json!({ "command": what }),
                    &format!("Exit code 2\n{output}"),
                    true,
                ),
            }
        }
        let day = format!("2026-01-{:02}T", self.day);
        let text = told.text().replace("2026-01-10T", &day);
        self.sandbox
            .write(&format!("../transcripts/{name}.jsonl"), text);
        self.ask(&["import", "transcripts", "../transcripts"]);
        let shown = self.ask(&["session", "show", &name]);
        shown["report"]["lines"].as_array().expect("lines").clone()
    }

    fn memories(&self, memory_type: &str) -> Vec<Value> {
        let listed = self.ask(&["list", "--limit", "200"]);
        let memories = listed["memories"].as_array().expect("memories").clone();
        let of_type = memories.into_iter();
        of_type
            .filter(|memory| memory["type"] == memory_type)
            .collect()
    }
}

const MET: [Step<'_>; 7] = [
    "fail make = a.c:3: error: header `bad` not found",
    "fail make = a.c:3: error: header `bad` not found",
    "run ./configure",
    "run make",
    "edit src/a.c",
    "edit src/b.c",
    "run make",
];

#[test]
fn what_agents_are_told_is_not_silenced_by_a_session_without_evidence() {
    let mut diary = Diary::new();
    let passed = [&MET[..], &["run make test = 1 passed"]].concat();
    diary.live("fix it", &passed);
    diary.live("fix it", &passed);
    let review = |diary: &Diary| {
        let [memory] = &diary.memories("error_pattern")[..] else {
            panic!("{:?}", diary.memories("error_pattern"))
        };
        memory["needs_review"].clone()
    };
    assert_eq!(review(&diary), json!(false));
    let lines = diary.live("fix it", &[&MET[..], &["edit src/zz.c"]].concat());
    assert!(
        lines.iter().any(|line| line["confirms"] == true),
        "{lines:?}"
    );
    assert_eq!(review(&diary), json!(false));
}

#[test]
fn another_file_is_another_memory_and_a_rejection_is_about_its_own() {
    let mut diary = Diary::new();
    let work = |file: &'static str| {
        [
            file,
            "edit src/a.rs",
            "edit src/b.rs",
            "run make test = 1 passed",
        ]
    };
    // One session that meets it says too little.
    for task in ["fix it", "add it"] {
        diary.live(task, &work("miss src/store/schema_big"));
        diary.live(task, &work("miss src/store/schema_huge"));
    }
    let known = diary.memories("gotcha");
    assert_eq!(known.len(), 2, "{known:?}");
    for memory in &known {
        let id = memory["id"].as_str().expect("an id");
        diary.ask(&["forget", id, "--yes"]);
    }
    for task in ["fix it", "add it"] {
        diary.live(task, &work("miss src/store/schema_vast"));
        diary.live(task, &work("miss src/store/schema_big"));
    }
    let known = diary.memories("gotcha");
    let [vast] = &known[..] else {
        panic!("{known:?}")
    };
    assert!(vast["summary"].as_str().expect("words").contains("vast"));
}

#[test]
fn a_file_that_is_too_large_to_be_read_says_so_itself() {
    let mut diary = Diary::new();
    for task in ["fix it", "add it"] {
        let lines = diary.live(task, &["large src/big.rs", "run make test = 1 passed"]);
        let mut lines = lines.iter();
        let large = lines.find(|line| line["key"] == "large:src/big.rs");
        assert_eq!(
            large.expect("it is listed")["why"],
            "the error itself says what helped"
        );
    }
    let listed = diary.sandbox.oldhand(["list", "--type", "gotcha"]).run();
    assert_eq!(listed.code, Some(1), "{}", listed.stdout);
}

#[test]
fn a_memory_is_explained_by_the_sessions_and_events_that_show_it() {
    let mut diary = Diary::new();
    let mut last = Vec::new();
    for number in 1..=10 {
        let files = if number <= 6 {
            ["edit src/parser.rs", "edit lib/lexer.rs"]
        } else {
            ["edit src/writer.rs", "edit lib/printer.rs"]
        };
        let task = ["fix it", "add it", "rename it"][number % 3];
        last = diary.live(task, &[files[0], files[1], "run make test = 1 passed"]);
    }
    let pairs = diary.memories("causal_dependency");
    let names = |memory: &&Value| {
        memory["content"]
            .as_str()
            .unwrap_or_default()
            .contains("parser")
    };
    let pair = pairs.iter().find(names).expect("the pair is known");
    let shown = diary.ask(&["show", pair["id"].as_str().expect("an id")]);
    let taught = shown["learned_from"].as_array().expect("lessons");
    let sessions: Vec<&str> = taught
        .iter()
        .filter_map(|lesson| lesson["session"].as_str())
        .collect();
    assert_eq!(sessions, ["s01", "s02", "s03", "s04", "s05", "s06"]);
    for lesson in taught {
        let words = lesson["events"].to_string();
        assert!(words.contains("src/parser.rs"), "{lesson}");
    }
    // The tenth brings up what all ten show, and what it did not do itself it claims no step of.
    let together: Vec<&Value> = last
        .iter()
        .filter(|line| line["together"] == true)
        .collect();
    let checking: Vec<&&Value> = together
        .iter()
        .filter(|line| line["key"] == "checking")
        .collect();
    assert_eq!(checking.len(), 1, "{last:?}");
    for line in &together {
        let claims = line["steps"]
            .as_array()
            .is_some_and(|steps| !steps.is_empty());
        let elsewhere = line["summary"]
            .as_str()
            .is_some_and(|words| words.contains("parser"));
        assert!(!(claims && elsewhere), "{line}");
    }
    let told = diary
        .sandbox
        .oldhand(["session", "show", "s10"])
        .run()
        .success();
    assert!(told.contains("seen in 10 sessions"), "{told}");
    let room = "(at most 10 may come of it: work that passed, usual task)";
    assert!(told.contains(room), "{told}");
}

#[test]
fn what_many_sessions_show_is_not_lost_with_the_session_that_brings_it_up() {
    let mut diary = Diary::new();
    for number in 1..=5 {
        let file = format!("edit src/m/x{number}.rs");
        let steps = [
            "edit src/m/core.rs",
            &file,
            "run make test = test result: ok. 3 passed; 0 failed",
        ];
        let failed = ["fail make test = test result: FAILED. 1 passed; 1 failed"];
        if number == 5 {
            diary.live("fix it", &[&steps[..2], &failed].concat());
        } else {
            diary.live("fix it", &steps);
        }
    }
    let known = diary.memories("pattern");
    let [checking] = &known[..] else {
        panic!("{known:?}")
    };
    assert_eq!(checking["needs_review"], true);
    assert!(
        checking["summary"]
            .as_str()
            .expect("words")
            .contains("make test")
    );
    let provenance = checking["provenance"].to_string();
    assert!(!provenance.contains("s05"), "{provenance}");
}

#[test]
fn unfinished_work_is_not_finished_by_other_work() {
    let mut diary = Diary::new();
    diary.live(
        "cache the parser",
        &[
            "edit src/parser.c",
            "edit src/cache.c",
            "fail make test = FAILED test_parser: no cache",
        ],
    );
    assert_eq!(diary.memories("work_state").len(), 1);
    diary.live(
        "fix a typo in the docs page",
        &[
            "edit web/page.ts",
            "edit web/style.ts",
            "run npm test = 3 passed",
        ],
    );
    assert_eq!(diary.memories("work_state").len(), 1);
    let state = diary.memories("work_state")[0]["id"].clone();
    diary.live(
        "go on with the cache",
        &["edit src/cache.c", "run make test = 1 passed"],
    );
    let shown = diary.ask(&["show", state.as_str().expect("an id")]);
    let why = shown["deprecated"]["reason"].as_str();
    assert_eq!(why, Some("the work was finished in session s03"));
}
