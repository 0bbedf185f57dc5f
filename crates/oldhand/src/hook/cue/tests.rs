//! Which calls are cues, and of what.

use jiff::Timestamp;
use oldhand_domain::event::BoundedText;

use super::*;

fn back(call: Call, ended: Ending, exit_code: Option<i32>) -> Event {
    let returned = Return {
        id: "1".to_owned(),
        call,
        ended,
        excerpt: BoundedText::head("error: no such table", 200),
        matched: Vec::new(),
        found: None,
        exit_code,
        duration_ms: None,
        size: 20,
    };
    Event::new(Timestamp::UNIX_EPOCH, Happening::ToolReturned(returned))
}

fn shell() -> Call {
    Call::Shell {
        command: BoundedText::head("make test", 100),
        reads_outside: false,
        folder: None,
    }
}

#[test]
fn only_facts_are_cues() {
    let file = ProjectPath::new("src/db.rs").unwrap();
    let edit = Call::Edit {
        files: vec![Place::Project(file.clone()), Place::Outside],
        change: None,
    };
    let error = Cue::Failed("error: no such table".to_owned());
    let command = Cue::CommandRan("make test".to_owned());
    let nowhere = Path::new("/nowhere");
    let after = |event: Event| cues(Moment::AfterTool, &[event], &[], nowhere);
    assert_eq!(
        after(back(shell(), Ending::Failed, Some(2))),
        [
            error.clone(),
            Cue::CheckFailed("make test".to_owned()),
            command.clone()
        ]
    );
    assert_eq!(
        after(back(shell(), Ending::Succeeded, Some(0))),
        std::slice::from_ref(&command)
    );
    assert_eq!(
        after(back(shell(), Ending::Succeeded, None)),
        [command.clone(), error.clone()]
    );
    assert_eq!(
        after(back(edit, Ending::Succeeded, None)),
        [Cue::FileEdited(file)]
    );
    let prompt = back(shell(), Ending::Failed, Some(2));
    assert_eq!(cues(Moment::Prompt, &[prompt], &[], nowhere), []);
    let other = ProjectPath::new("src/pool.rs").unwrap();
    let step = [other];
    assert_eq!(
        cues(Moment::StepEnd, &[], &step, nowhere),
        [Cue::StepEnded(step.to_vec())]
    );
    assert_eq!(cues(Moment::StepEnd, &[], &[], nowhere), []);
}

#[test]
fn who_missed_a_file_is_told_by_the_name_it_was_asked_by() {
    let root = tempfile::tempdir().unwrap();
    let missed = |call: Call, ended: Ending| {
        let event = back(call, ended, None);
        let cues = cues(Moment::ToolTrouble, &[event], &[], root.path());
        let first = cues.first();
        assert!(ended == Ending::Succeeded || matches!(first, Some(Cue::Failed(_))));
        let missed = cues.iter().filter_map(|cue| match cue {
            Cue::FileMissed(file) => Some(file.to_string()),
            _ => None,
        });
        missed.collect::<Vec<_>>()
    };
    let place = || Place::Project(ProjectPath::new(".lint.yml").unwrap());
    let read = || Call::Read { file: place() };
    let grep = Call::Grep {
        pattern: "rules".to_owned(),
        within: Some(place()),
    };
    let cat = || Call::Shell {
        command: BoundedText::head("cat ./.lint.yml | head -3", 100),
        reads_outside: false,
        folder: None,
    };
    assert_eq!(missed(read(), Ending::Failed), [".lint.yml"]);
    assert_eq!(missed(grep, Ending::Failed), [".lint.yml"]);
    assert_eq!(missed(cat(), Ending::Failed), [".lint.yml"]);
    assert_eq!(missed(read(), Ending::Succeeded), [""; 0]);
    assert_eq!(missed(cat(), Ending::Succeeded), [""; 0]);
    let in_web = Call::Shell {
        command: BoundedText::head("cat ../a.js b.js", 100),
        reads_outside: false,
        folder: ProjectPath::new("web").ok(),
    };
    assert_eq!(missed(in_web, Ending::Failed), ["a.js", "web/b.js"]);
    fs::write(root.path().join(".lint.yml"), "rules: [").unwrap();
    assert_eq!(missed(cat(), Ending::Failed), [""; 0], "it is there");
    assert_eq!(missed(read(), Ending::Failed), [""; 0], "it is too large");
}

#[test]
fn a_command_that_shows_a_file_reads_it() {
    let read_in = |folder: &str, command: &str| {
        let root = "/home/dev/shop";
        let files = of_command(command, Begun { root, folder }).into_iter();
        files
            .filter_map(|cue| cue.file().map(ToString::to_string))
            .collect::<Vec<_>>()
    };
    let read = |command: &str| read_in("", command);
    assert_eq!(read("sed -n '1,40p' src/db.rs"), ["src/db.rs"]);
    assert_eq!(
        read("cd app && cat ./a.rs b.rs | head -5"),
        ["app/a.rs", "app/b.rs"]
    );
    assert_eq!(read_in("app", "cat a.rs ../b.rs"), ["app/a.rs", "b.rs"]);
    assert_eq!(read_in("app", "cd .. && cat a.rs"), ["a.rs"]);
    assert_eq!(read_in("app", "cat ../../b.rs"), [""; 0]);
    assert_eq!(
        read_in("app", "cd /home/dev/shop/web && cat a.js"),
        ["web/a.js"]
    );
    assert_eq!(read("rm src/db.rs; cat /etc/passwd ~/.ssh/id"), [""; 0]);
}

#[test]
fn a_prompt_is_a_cue_when_it_asks_for_something() {
    let asked = |text: &str| {
        let text = BoundedText::head(text, 200);
        let what = Happening::Prompt {
            text,
            pasted: false,
            answers: false,
        };
        cues(
            Moment::Prompt,
            &[Event::new(Timestamp::UNIX_EPOCH, what)],
            &[],
            Path::new("/nowhere"),
        )
        .len()
    };
    assert_eq!(asked("make the wire format compile"), 1);
    assert_eq!(asked("yes, go"), 0);
    assert_eq!(asked("/compact keep the plan please"), 0);
}

#[test]
fn who_lists_a_folder_that_is_not_there_missed_it() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("src")).unwrap();
    for (pattern, answer, expected) in [
        ("cmds/*.go", "No files found", Some("cmds")),
        ("cmds/*.go", "cmds/run.go", None),
        ("src/*.go", "No files found", None),
        ("*.go", "No files found", None),
    ] {
        let call = Call::Glob {
            pattern: pattern.to_owned(),
            outside: false,
        };
        let mut event = back(call, Ending::Succeeded, None);
        if let Happening::ToolReturned(back) = &mut event.what {
            back.excerpt = BoundedText::head(answer, 200);
        }
        let cues = cues(Moment::AfterTool, &[event], &[], root.path());
        let missed = expected.map(|path| Cue::FileMissed(ProjectPath::new(path).unwrap()));
        assert_eq!(cues, Vec::from_iter(missed), "{pattern}: {answer}");
    }
}
