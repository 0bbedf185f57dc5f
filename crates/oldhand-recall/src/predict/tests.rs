//! What puts a file first.

use super::*;

mod named;
mod planned;

fn strings(items: &[&str]) -> Vec<String> {
    items.iter().map(|&item| item.to_owned()).collect()
}

fn session(prompt: &str, edited: &[&str], read: &[&str]) -> PastSession {
    PastSession {
        words: task_words(prompt),
        branch: None,
        edited: strings(edited),
        read: strings(read),
        touched: strings(edited).into_iter().chain(strings(read)).collect(),
    }
}

fn commit(files: &[&str]) -> PastCommit {
    PastCommit {
        files: strings(files),
    }
}

const TREE: [&str; 6] = [
    "src/auth/login.ts",
    "src/auth/session.ts",
    "src/billing/invoice.ts",
    "src/billing/tax.ts",
    "README.md",
    "yarn.lock",
];

fn predicted(task: &str, sessions: &[PastSession], commits: &[PastCommit]) -> Vec<Predicted> {
    let files = strings(&TREE);
    predict(
        &Task::new(task),
        &Evidence {
            files: &files,
            sessions,
            commits,
            ..Evidence::default()
        },
        10,
    )
}

fn first(task: &str, sessions: &[PastSession], commits: &[PastCommit]) -> (String, PredictionLane) {
    let first = predicted(task, sessions, commits)
        .into_iter()
        .next()
        .expect("something is predicted");
    (first.path, first.because.first().expect("it says why").lane)
}

#[test]
fn a_file_that_is_named_comes_first() {
    let (path, lane) = first("rename the total in billing/tax.ts", &[], &[]);
    assert_eq!(
        (path.as_str(), lane),
        ("src/billing/tax.ts", PredictionLane::Named)
    );
}

#[test]
fn words_of_the_path_are_enough() {
    let (path, _) = first("the login page shows an error", &[], &[]);
    assert_eq!(path, "src/auth/login.ts");
}

#[test]
fn a_like_task_brings_its_files() {
    let past = [
        session(
            "round VAT amounts correctly",
            &["src/billing/tax.ts"],
            &["src/billing/invoice.ts"],
        ),
        session(
            "logout does not clear cookies",
            &["src/auth/session.ts"],
            &[],
        ),
    ];
    let all = predicted("VAT amounts are rounded wrongly", &past, &[]);
    let tax = all
        .iter()
        .find(|file| file.path == "src/billing/tax.ts")
        .expect("the file of the like task is there");
    assert!(
        tax.because
            .iter()
            .any(|reason| reason.lane == PredictionLane::EditedForLikeTasks)
    );
    let order: Vec<&str> = all.iter().map(|file| file.path.as_str()).collect();
    let place = |path: &str| order.iter().position(|other| *other == path);
    assert!(
        place("src/billing/tax.ts") < place("src/billing/invoice.ts"),
        "edited before read: {order:?}"
    );
}

#[test]
fn with_nothing_said_what_was_just_done_goes_on() {
    let past = [
        session("a", &["src/billing/tax.ts"], &[]),
        session("b", &["src/auth/session.ts"], &[]),
    ];
    let (path, _) = first("continue", &past, &[]);
    assert_eq!(path, "src/auth/session.ts");
}

#[test]
fn with_nothing_said_the_branch_goes_on() {
    let on = |branch: &str, file: &str| PastSession {
        branch: Some(branch.to_owned()),
        ..session("a", &[file], &[])
    };
    let past = [
        on("tax", "src/billing/tax.ts"),
        on("main", "README.md"),
        on("main", "src/auth/session.ts"),
    ];
    let files = strings(&TREE);
    let first = |branch| {
        let evidence = Evidence {
            files: &files,
            sessions: &past,
            branch,
            ..Evidence::default()
        };
        predict(&Task::new("continue"), &evidence, 1).remove(0)
    };
    assert_eq!(first(None).path, "src/auth/session.ts");
    let found = first(Some("tax"));
    assert_eq!(found.path, "src/billing/tax.ts");
    assert_eq!(found.because[0].lane, PredictionLane::EditedOnBranch);
}

#[test]
fn a_branch_that_is_called_after_its_work_says_what_continue_means() {
    let files = strings(&TREE);
    let past = [session("a", &["README.md"], &[])];
    let branch = Some("someone/round-tax");
    let evidence = Evidence {
        files: &files,
        sessions: &past,
        branch,
        ..Evidence::default()
    };
    let task = Task::new("continue").on_branch(branch);
    let found = predict(&task, &evidence, 1).remove(0);
    assert_eq!(
        (found.path.as_str(), found.because[0].lane),
        ("src/billing/tax.ts", PredictionLane::Path)
    );
}

#[test]
fn a_session_on_a_branch_of_the_like_name_brings_its_files() {
    let files = strings(&TREE);
    let past = [
        PastSession {
            words: session_words("ok", Some("someone/vat-amounts")),
            ..session("", &["src/billing/tax.ts"], &[])
        },
        session("go on", &["README.md"], &[]),
    ];
    let evidence = Evidence {
        files: &files,
        sessions: &past,
        ..Evidence::default()
    };
    let all = predict(&Task::new("VAT amounts are wrong"), &evidence, 10);
    let tax = all.iter().find(|file| file.path == "src/billing/tax.ts");
    let mut because = tax.expect("it is there").because.iter();
    assert!(because.any(|reason| reason.lane == PredictionLane::EditedForLikeTasks));
}

#[test]
fn a_long_report_is_left_to_the_code_also_where_sessions_are_known() {
    let files = strings(&TREE);
    let past = [session("go on", &["src/auth/login.ts"], &[])];
    let evidence = Evidence {
        files: &files,
        located: &[
            ("src/auth/session.ts".to_owned(), 5.0),
            ("src/billing/tax.ts".to_owned(), 2.0),
        ],
        sessions: &past,
        ..Evidence::default()
    };
    let report: Vec<String> = ('a'..='z')
        .flat_map(|one| ('a'..='g').map(move |two| format!("x{one}{two}")))
        .collect();
    let first = |text: &str| predict(&Task::new(text), &evidence, 1).remove(0);
    let found = first(&report.join(" "));
    assert_eq!(found.path, "src/auth/session.ts");
    assert_eq!(found.because[0].lane, PredictionLane::Located);
    // A plan as long that names what it is about is none.
    let plan = format!("in src/billing/invoice.ts {}", report.join(" "));
    assert_eq!(first(&plan).path, "src/billing/invoice.ts");
}

#[test]
fn what_the_code_says_decides_where_no_session_is_known() {
    let files = strings(&TREE);
    let located = [
        ("src/auth/session.ts".to_owned(), 5.0),
        ("src/billing/tax.ts".to_owned(), 2.0),
    ];
    let past = [session("login again", &["src/auth/login.ts"], &[])];
    let first = |sessions| {
        let evidence = Evidence {
            files: &files,
            located: &located,
            sessions,
            ..Evidence::default()
        };
        predict(&Task::new("login"), &evidence, 1).remove(0).path
    };
    assert_eq!(first(&[]), "src/auth/session.ts");
    assert_eq!(first(&past), "src/auth/login.ts");
}

/// What comes first where code and history disagree and no session is known.
fn first_untaught(task: &str, commits: &[PastCommit]) -> Predicted {
    let files = strings(&TREE);
    let evidence = Evidence {
        files: &files,
        located: &[
            ("src/auth/session.ts".to_owned(), 5.0),
            ("src/billing/tax.ts".to_owned(), 2.0),
        ],
        expected: &[
            ("src/billing/invoice.ts".to_owned(), 0.6),
            ("src/auth/session.ts".to_owned(), 0.1),
        ],
        commits,
        ..Evidence::default()
    };
    predict(&Task::new(task), &evidence, 1).remove(0)
}

#[test]
fn what_history_expects_leads_for_a_sentence_and_what_the_code_says_for_a_report() {
    let commits = vec![commit(&["README.md"]); 400];
    let found = first_untaught("send the reminder twice", &commits);
    assert_eq!(found.path, "src/billing/invoice.ts");
    assert_eq!(found.because[0].lane, PredictionLane::LikeCommits);
    let report: Vec<String> = (0..100).map(|word| format!("word{word}x")).collect();
    let found = first_untaught(&report.join(" "), &commits);
    assert_eq!(found.path, "src/auth/session.ts");
    assert_eq!(found.because[0].lane, PredictionLane::Located);
}

#[test]
fn a_history_of_three_commits_leads_nobody() {
    let commits = vec![commit(&["README.md"]); 3];
    let found = first_untaught("send the reminder twice", &commits);
    assert_eq!(found.path, "src/auth/session.ts");
}

#[test]
fn what_is_remembered_about_a_file_brings_it() {
    let files = strings(&TREE);
    let evidence = Evidence {
        files: &files,
        remembered: &[("src/billing/tax.ts".to_owned(), 0.4)],
        ..Evidence::default()
    };
    let all = predict(&Task::new("xyzzy"), &evidence, 10);
    assert_eq!(all[0].path, "src/billing/tax.ts");
    assert_eq!(all[0].because[0].lane, PredictionLane::Remembered);
}

#[test]
fn what_the_files_at_hand_use_comes_next() {
    let files = strings(&["auth/login.ts", "billing/invoice.ts", "web/page.ts"]);
    let evidence = Evidence {
        files: &files,
        uses: &[
            ("auth/login.ts".to_owned(), "billing/invoice.ts".to_owned()),
            ("web/page.ts".to_owned(), "auth/login.ts".to_owned()),
        ],
        at_hand: &strings(&["auth/login.ts"]),
        ..Evidence::default()
    };
    let all = predict(&Task::new("go on"), &evidence, 10);
    let lanes: Vec<(&str, PredictionLane)> = all
        .iter()
        .take(2)
        .map(|file| (file.path.as_str(), file.because[0].lane))
        .collect();
    assert_eq!(
        lanes,
        [
            ("billing/invoice.ts", PredictionLane::UsedByAtHand),
            ("web/page.ts", PredictionLane::UsesAtHand),
        ]
    );
}

#[test]
fn nothing_known_predicts_nothing() {
    assert_eq!(predicted("xyzzy", &[], &[]), []);
    let nothing = Evidence::default();
    assert_eq!(predict(&Task::new(""), &nothing, 10), []);
}

#[test]
fn the_same_question_has_the_same_answer() {
    let past = [session("login", &["src/auth/login.ts"], &["README.md"])];
    let commits = [commit(&["src/auth/login.ts", "README.md"])];
    assert_eq!(
        predicted("login", &past, &commits),
        predicted("login", &past, &commits)
    );
}

#[test]
fn a_test_comes_with_what_it_tests() {
    let files = strings(&[
        "src/tax.ts",
        "src/tax.test.ts",
        "src/other.ts",
        "lib/test_tax.py",
    ]);
    let evidence = Evidence {
        files: &files,
        at_hand: &strings(&["src/tax.ts"]),
        ..Evidence::default()
    };
    let all = predict(&Task::new("round it"), &evidence, 10);
    assert_eq!(all[0].path, "src/tax.test.ts");
    assert!(
        all[0]
            .because
            .iter()
            .any(|reason| reason.lane == PredictionLane::PartnerAtHand)
    );
    assert!(
        all.iter().all(|file| file.path != "src/tax.ts"),
        "it is at hand"
    );
}

#[test]
fn what_came_after_the_files_at_hand_comes_again() {
    let files = strings(&TREE);
    let past = [
        session("a", &["src/auth/login.ts", "README.md"], &[]),
        session("b", &["src/auth/login.ts", "README.md"], &[]),
        session("c", &["src/billing/tax.ts", "yarn.lock"], &[]),
    ];
    let evidence = Evidence {
        files: &files,
        sessions: &past,
        at_hand: &strings(&["src/auth/login.ts"]),
        ..Evidence::default()
    };
    let all = predict(&Task::new("continue"), &evidence, 10);
    assert_eq!(all[0].path, "README.md");
    let lanes: Vec<PredictionLane> = all[0].because.iter().map(|reason| reason.lane).collect();
    assert!(lanes.contains(&PredictionLane::WithAtHand));
    assert!(lanes.contains(&PredictionLane::AfterAtHand));
    assert!(lanes.contains(&PredictionLane::LikeThisSession));
}

#[test]
fn a_file_of_the_same_name_elsewhere_comes_next() {
    let files = strings(&["api/invoice.ts", "web/invoice.ts", "web/login.ts"]);
    let evidence = Evidence {
        files: &files,
        at_hand: &strings(&["api/invoice.ts"]),
        ..Evidence::default()
    };
    let all = predict(&Task::new("continue"), &evidence, 10);
    assert_eq!(
        (all[0].path.as_str(), all[0].because[0].lane),
        ("web/invoice.ts", PredictionLane::NamedAlike)
    );
}

#[test]
fn of_two_files_that_are_used_the_one_that_fits_comes_first() {
    let files = strings(&["a.ts", "one/b.ts", "two/c.ts"]);
    let evidence = Evidence {
        files: &files,
        contents: &[("two/c.ts".to_owned(), 2.0)],
        uses: &[
            ("a.ts".to_owned(), "one/b.ts".to_owned()),
            ("a.ts".to_owned(), "two/c.ts".to_owned()),
        ],
        at_hand: &strings(&["a.ts"]),
        ..Evidence::default()
    };
    let all = predict(&Task::new("round it"), &evidence, 10);
    assert_eq!(all[0].path, "two/c.ts");
    let lanes: Vec<PredictionLane> = all[0].because.iter().map(|reason| reason.lane).collect();
    assert!(lanes.contains(&PredictionLane::UsedAndFits));
}

#[test]
fn a_page_that_everybody_knows_is_named_without_its_ending() {
    let past = [session("a", &["src/auth/session.ts"], &[])];
    let (path, lane) = first("translate the readme to German", &past, &[]);
    assert_eq!((path.as_str(), lane), ("README.md", PredictionLane::Named));
}

#[test]
fn what_tools_installed_is_touched_by_no_task() {
    let past = [session(
        "deploy to staging",
        &["src/auth/login.ts"],
        &["node_modules/auth/dist/index.mjs", "plans/staging.md"],
    )];
    let all = predicted("deploy to staging", &past, &[]);
    let paths: Vec<&str> = all.iter().map(|file| file.path.as_str()).collect();
    assert!(paths.contains(&"plans/staging.md"), "{paths:?}");
    assert!(!paths.iter().any(|path| path.contains("node_modules")));
}

#[test]
fn what_was_edited_on_a_branch_for_everything_leads_only_where_nothing_is_said() {
    let share = |task: &str, branch: &str| {
        let past = [PastSession {
            branch: Some(branch.to_owned()),
            ..session("a", &["src/auth/session.ts"], &[])
        }];
        let files = strings(&TREE);
        let evidence = Evidence {
            files: &files,
            sessions: &past,
            branch: Some(branch),
            ..Evidence::default()
        };
        let all = predict(&Task::new(task), &evidence, 10);
        let reasons = all.iter().flat_map(|file| &file.because);
        let of_branch = reasons.filter(|reason| reason.lane == PredictionLane::EditedOnBranch);
        of_branch.map(|reason| reason.share).sum::<f64>()
    };
    for task in ["format the code", "deploy to staging"] {
        assert!(share(task, "main") < 0.6 * share(task, "tax"), "{task}");
    }
    assert!(share("continue", "main") >= share("continue", "tax"));
}
