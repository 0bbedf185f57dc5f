//! A session told in short lines, for tests: `read src/a.rs`, `run cargo test = 1: error: no`.

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::event::{
    BoundedText, Call, Change, Ending, Event, Happening, Issue, Place, Planning, Return,
    SessionType, Severity, Start, Tokens, UserCorrection, Voice,
};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::work_unit::WorkUnit;

/// The events of a story: one step a line, or in one line separated by `; `. What is not understood
/// panics.
pub fn events(story: &str) -> Vec<Event> {
    let mut teller = Teller {
        at: Timestamp::UNIX_EPOCH,
        agent: None,
        calls: 0,
        events: Vec::new(),
    };
    let lines: Vec<&str> = if story.contains('\n') {
        story.lines().collect()
    } else {
        story.split("; ").collect()
    };
    for line in lines {
        let line = line.trim().trim_start_matches("- ").trim();
        if !line.is_empty() {
            teller.tell(line);
        }
    }
    teller.events
}

struct Teller {
    at: Timestamp,
    agent: Option<String>,
    calls: u32,
    events: Vec<Event>,
}

impl Teller {
    fn tell(&mut self, line: &str) {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (head, result) = rest.split_once(" = ").unwrap_or((rest, ""));
        match verb {
            "start" => self.start(rest),
            "prompt" => self.happen(Happening::Prompt {
                text: text(rest),
                pasted: false,
                answers: false,
            }),
            "paste" => self.happen(Happening::Prompt {
                text: text(rest),
                pasted: true,
                answers: false,
            }),
            // What is typed where the agent asked something.
            "answer" => self.happen(Happening::Prompt {
                text: text(rest),
                pasted: false,
                answers: true,
            }),
            "say" => self.happen(Happening::Text {
                voice: Voice::Said,
                text: text(rest),
            }),
            "think" => self.happen(Happening::Text {
                voice: Voice::Reasoned,
                text: text(rest),
            }),
            "read" => self.call(Call::Read { file: place(head) }, result),
            "edit" => {
                let (file, change) = change(head);
                self.call(
                    Call::Edit {
                        files: vec![file],
                        change,
                    },
                    result,
                );
            }
            "write" => {
                let (file, change) = change(head);
                self.call(Call::Write { file, change }, result);
            }
            "grep" => self.call(
                Call::Grep {
                    pattern: head.to_owned(),
                    within: None,
                },
                result,
            ),
            "glob" => self.call(
                Call::Glob {
                    pattern: head.to_owned(),
                    outside: false,
                },
                result,
            ),
            "run" => {
                // `run [web] npm test`: in a folder of the project.
                let inside = head
                    .strip_prefix('[')
                    .and_then(|rest| rest.split_once("] "));
                let (folder, head) =
                    inside.map_or((None, head), |(folder, line)| (Some(path(folder)), line));
                self.call(
                    Call::Shell {
                        command: text(head),
                        reads_outside: head.contains(" /etc/"),
                        folder,
                    },
                    result,
                );
            }
            "fetch" => self.call(
                Call::WebFetch {
                    url: head.to_owned(),
                },
                result,
            ),
            "search" => self.call(
                Call::WebSearch {
                    query: head.to_owned(),
                },
                result,
            ),
            "mcp" => {
                let (server, name) = head.split_once(' ').expect("mcp SERVER TOOL");
                self.call(
                    Call::Mcp {
                        server: server.to_owned(),
                        name: name.to_owned(),
                    },
                    result,
                );
            }
            "task" => {
                // `task reviewer: look it over`: of a kind of agent.
                let kind = head.split_once(": ").map(|(kind, _)| kind);
                let kind = kind.filter(|kind| !kind.contains(' '));
                let kind = kind.map(str::to_owned);
                let about = text(head);
                self.call(Call::Task { about, kind }, result);
            }
            // `skill commit`, `call some_tool`: what a client is asked for by its name.
            "skill" => self.call(own("Skill", Some(head)), result),
            "call" => self.call(own(head, None), result),
            "plan" => {
                let steps = |count: &str| count.parse().expect("a number of steps");
                let plan = match head.strip_prefix('+') {
                    Some(more) => Planning::Added(steps(more)),
                    None => Planning::Whole(steps(head)),
                };
                self.call(
                    Call::Other {
                        name: "plan".to_owned(),
                        asked: None,
                        plan: Some(plan),
                    },
                    result,
                );
            }
            "repeat" => {
                let (count, step) = rest.split_once(' ').expect("repeat N STEP");
                for n in 1..=count.parse().expect("a number") {
                    let n: u32 = n;
                    self.tell(&step.replace("{n}", &n.to_string()));
                }
            }
            "wait" => {
                let seconds: i64 = rest.trim_end_matches('s').parse().expect("wait SECONDSs");
                self.at += SignedDuration::from_secs(seconds);
            }
            "as" => {
                let (agent, step) = rest.split_once(": ").expect("as AGENT: STEP");
                self.agent = Some(agent.to_owned());
                self.tell(step);
                self.agent = None;
            }
            "tokens" => {
                let (input, output) = rest.split_once(' ').expect("tokens IN OUT");
                let number = |word: &str| word.parse().expect("a number");
                self.happen(Happening::StepCompleted(Tokens {
                    input: number(input),
                    output: number(output),
                }));
            }
            "validated" => self.validated(rest),
            "commit" => self.happen(Happening::CommitMade {
                sha: None,
                message: text(rest),
                files: Vec::new(),
            }),
            "corrected" => {
                let how: UserCorrection = rest.parse().expect("a user correction");
                self.happen(Happening::Corrected { how, file: None });
            }
            "note" => {
                let (kind, words) = rest.split_once(": ").expect("note KIND: TEXT");
                self.happen(Happening::Noted {
                    kind: kind.to_owned(),
                    text: text(words),
                    files: Vec::new(),
                });
            }
            "subtask" => {
                let (name, rest) = rest.split_once(' ').expect("subtask NAME passed|failed");
                let (verdict, issue) = rest.split_once(' ').unwrap_or((rest, ""));
                self.happen(Happening::SubtaskValidated {
                    subtask: name.to_owned(),
                    passed: verdict == "passed",
                    by: "qa".to_owned(),
                    issues: issues(issue),
                });
            }
            // `told pr_review`: a person says what the session was for.
            "told" => self.happen(Happening::TypeTold {
                session_type: rest.parse().expect("a session type"),
                by: "user".to_owned(),
            }),
            "end" => self.happen(Happening::SessionEnded { reason: None }),
            other => panic!("nobody knows how to `{other}`"),
        }
    }

    fn start(&mut self, rest: &str) {
        let mut words = rest.split_whitespace();
        let session_type: SessionType = words
            .next()
            .unwrap_or("build")
            .parse()
            .expect("a session type");
        let mut planned_steps = None;
        let mut work_unit = None;
        while let (Some(what), Some(value)) = (words.next(), words.next()) {
            match what {
                "planned" => planned_steps = Some(value.parse().expect("a number")),
                "unit" => work_unit = Some(WorkUnit::parse("native", value).expect("a work unit")),
                other => panic!("nobody knows a session's `{other}`"),
            }
        }
        self.happen(Happening::SessionStarted(Start {
            client: "story".to_owned(),
            session_type,
            type_told: false,
            task: None,
            cwd: "/project".to_owned(),
            branch: None,
            work_unit,
            planned_steps,
        }));
    }

    /// `validated passed`, `validated failed critical src/a.rs: it leaks`.
    fn validated(&mut self, rest: &str) {
        let (verdict, issue) = rest.split_once(' ').unwrap_or((rest, ""));
        self.happen(Happening::Validated {
            passed: verdict == "passed",
            by: "qa".to_owned(),
            issues: issues(issue),
        });
    }

    fn happen(&mut self, what: Happening) {
        self.at += SignedDuration::from_secs(1);
        self.events.push(Event {
            at: self.at,
            agent: self.agent.clone(),
            what,
        });
    }

    /// `= 0`, `= 1: output`, `= a.rs b.rs`, `= 12 files`, `= failed: why`, nothing.
    fn call(&mut self, call: Call, result: &str) {
        self.calls += 1;
        // `run make = refused`: a person said no to it; `= waits`: nothing came of it yet.
        if matches!(result, "refused" | "waits") {
            let id = format!("call{}", self.calls);
            self.happen(Happening::ToolCalled { id, call });
            if result == "refused" {
                let how = UserCorrection::PermissionDenied;
                self.happen(Happening::Corrected { how, file: None });
            }
            return;
        }
        let (status, output) = result.split_once(": ").unwrap_or((result, ""));
        let exit_code = if matches!(call, Call::Shell { .. }) {
            Some(status.parse().unwrap_or(0))
        } else {
            None
        };
        let failed = status == "failed" || exit_code.is_some_and(|code: i32| code != 0);
        let search = matches!(call, Call::Grep { .. } | Call::Glob { .. });
        let matched = match status.strip_suffix(" files") {
            Some(count) if search => (1..=count.parse().expect("a number"))
                .map(|n: u32| path(&format!("listed/f{n}.rs")))
                .collect(),
            _ if search && status != "nothing" => status.split_whitespace().map(path).collect(),
            _ => Vec::new(),
        };
        let mut back = Return {
            id: format!("call{}", self.calls),
            call,
            ended: if failed {
                Ending::Failed
            } else {
                Ending::Succeeded
            },
            excerpt: text(&output.replace("\\n", "\n").replace("\\t", "\t")),
            matched,
            found: None,
            exit_code,
            duration_ms: None,
            size: output.len() as u64,
        };
        back.keep_matches(Return::MATCHES);
        self.happen(Happening::ToolReturned(back));
    }
}

/// `critical src/a.rs: it leaks`, or nothing.
fn issues(told: &str) -> Vec<Issue> {
    let issue = told.split_once(": ").map(|(head, words)| {
        let (severity, file) = head.split_once(' ').expect("SEVERITY FILE: TEXT");
        let severity: Severity = severity.parse().expect("a severity");
        Issue {
            severity,
            text: text(words),
            file: ProjectPath::new(file).ok(),
        }
    });
    issue.into_iter().collect()
}

fn text(words: &str) -> BoundedText {
    BoundedText::ends(words, 2000)
}

fn path(word: &str) -> ProjectPath {
    ProjectPath::new(word).expect("a project path")
}

fn place(word: &str) -> Place {
    if word.starts_with('/') {
        Place::Outside
    } else {
        Place::Project(path(word))
    }
}

/// A tool of a client's own, and what it is asked for by its name.
fn own(tool: &str, asked: Option<&str>) -> Call {
    Call::Other {
        name: tool.to_owned(),
        asked: asked.map(str::to_owned),
        plan: None,
    }
}

/// `src/a.rs`, or `src/a.rs old -> new`.
fn change(words: &str) -> (Place, Option<Change>) {
    let (file, change) = words.split_once(' ').unwrap_or((words, ""));
    let change = change
        .split_once("->")
        .map(|(old, new)| Change::between(old.trim(), new.trim()));
    (place(file), change)
}
