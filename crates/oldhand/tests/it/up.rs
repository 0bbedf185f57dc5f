//! `oldhand up`, asked over the loopback by a client that knows no more than HTTP.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::time::Duration;

use oldhand_testkit::Sandbox;
use serde_json::{Value, json};

use crate::repository;

/// A door that is open.
struct Up {
    child: Child,
    host: String,
    token: String,
}

/// What came back: status, head and body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Up {
    fn start(sandbox: &Sandbox) -> Self {
        let mut child = sandbox
            .oldhand(["up", "--no-open", "--port", "0", "--json"])
            // Whoever starts the door speaks for no client.
            .env("CLAUDE_CODE_SESSION_ID", "not-the-clients")
            .spawn();
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("standard output is piped"))
            .read_line(&mut line)
            .expect("the address is printed");
        let told: Value = serde_json::from_str(&line).expect("as JSON");
        let mcp = told["mcp"].as_str().expect("the address of MCP");
        let host = mcp
            .strip_prefix("http://")
            .and_then(|rest| rest.strip_suffix("/mcp"));
        let host = host.expect("an address on this machine").to_owned();
        assert!(host.starts_with("127.0.0.1:"), "{told}");
        let token = told["token"].as_str().expect("the token").to_owned();
        assert_eq!(told["url"], format!("http://{host}/"), "no token in it");
        Self { child, host, token }
    }

    /// Sends one request with these lines of head, on a connection of its own.
    fn send(&self, method: &str, path: &str, head: &[String], body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.host).expect("the door is open");
        let patience = Some(Duration::from_mins(1));
        stream.set_read_timeout(patience).expect("a time-out");
        let head = head.join("\r\n");
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        // A refusal may come before all is sent.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Answer {
            status: status.expect("a status"),
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    fn here(&self) -> String {
        format!("Host: {}", self.host)
    }

    fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.token)
    }

    fn post(&self, session: Option<&str>, message: &Value) -> Answer {
        let mut head = vec![
            self.here(),
            self.bearer(),
            "Content-Type: application/json".to_owned(),
            "Accept: application/json, text/event-stream".to_owned(),
        ];
        head.extend(session.map(|session| format!("Mcp-Session-Id: {session}")));
        self.send("POST", "/mcp", &head, &message.to_string())
    }

    /// Begins a session and says its name.
    fn begin(&self) -> String {
        let begun = self.post(
            None,
            &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "some-client", "version": "1" },
            } }),
        );
        assert_eq!(begun.status, 200, "{}", begun.body);
        assert_eq!(begun.message()["result"]["serverInfo"]["name"], "oldhand");
        let session = begun
            .head
            .lines()
            .find_map(|line| line.strip_prefix("mcp-session-id: "));
        let session = session.expect("a session has a name").trim().to_owned();
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.post(Some(&session), &ready).status, 202);
        session
    }

    /// The words of a tool's answer.
    fn call(&self, session: &str, tool: &str, arguments: &Value) -> String {
        let params = json!({ "name": tool, "arguments": arguments });
        let message =
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
        let answer = self.post(Some(session), &message).message();
        let text = answer["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// Ends a session as its client does.
    fn leave(&self, session: &str) -> u16 {
        let named = format!("Mcp-Session-Id: {session}");
        let head = [self.here(), self.bearer(), named];
        self.send("DELETE", "/mcp", &head, "").status
    }

    /// Ends the door as a system does, and waits for it.
    fn end(self) -> (Option<i32>, String) {
        let pid = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(asked.is_ok_and(|asked| asked.success()));
        let output = self.child.wait_with_output().expect("the door closes");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), words)
    }
}

impl Answer {
    /// The one message in a stream of events, or in a plain body.
    fn message(&self) -> Value {
        let events = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"));
        let told = events.map(str::trim).find(|event| event.starts_with('{'));
        let told = told.unwrap_or(self.body.as_str());
        serde_json::from_str(told).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

fn known() -> Sandbox {
    let sandbox = repository();
    sandbox.oldhand(["init"]).run().success();
    let taught = [
        "remember",
        "Run migrations before the tests.",
        "--type",
        "gotcha",
    ];
    sandbox.oldhand(taught).run().success();
    sandbox
}

#[test]
fn an_agent_asks_and_notes_over_http_and_is_learned_from() {
    let sandbox = known();
    let up = Up::start(&sandbox);
    let session = up.begin();
    let found = up.call(&session, "search_memory", &json!({ "query": "migrations" }));
    assert!(
        found.contains("Run migrations before the tests."),
        "{found}"
    );
    let note = "The socket must be closed twice, or the port stays taken.";
    let arguments = json!({ "text": note, "type": "gotcha" });
    up.call(&session, "record_memory", &arguments);
    let socket = json!({ "query": "socket" });
    assert!(up.call(&session, "search_memory", &socket).contains(note));
    // Another client is not told what nobody has judged.
    let other = up.begin();
    assert!(!up.call(&other, "search_memory", &socket).contains(note));
    // What it reports is about its own session, and when it goes this one goes on.
    up.call(&other, "report_outcome", &json!({ "passed": false }));
    assert!(up.leave(&other) < 300);
    let late = json!({ "text": "The pool is drained by hand before a restart.", "type": "gotcha" });
    up.call(&session, "record_memory", &late);
    up.call(&session, "report_outcome", &json!({ "passed": true }));
    assert_eq!(up.end(), (Some(0), String::new()));
    sandbox
        .oldhand(["session", "finalize", "--all", "--wait"])
        .run()
        .success();
    let kept = sandbox
        .oldhand(["search", "socket port", "--json"])
        .run()
        .success();
    let kept: Value = serde_json::from_str(&kept).expect("search answers JSON");
    assert_eq!(kept["results"][0]["content"], note, "{kept}");
    // No hook saw what its agent had read.
    assert_eq!(kept["results"][0]["needs_review"], true, "{kept}");
    let sessions = sandbox.oldhand(["session", "list", "--json"]).run();
    let sessions: Value = serde_json::from_str(&sessions.success()).expect("a list in JSON");
    let sessions = sessions["sessions"].as_array().expect("sessions");
    let told = |outcome: &str| {
        let those = sessions.iter().filter(|one| one["outcome"] == outcome);
        those.map(|one| one["memories"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(told("failed"), [0], "{sessions:?}");
    assert_eq!(told("passed"), [2], "{sessions:?}");
}

#[test]
fn only_the_token_opens_and_only_to_this_machine() {
    let sandbox = known();
    let up = Up::start(&sandbox);
    let (here, bearer) = (up.here(), up.bearer());
    let status = "/api/v1/status";
    let get = |path: &str, head: &[&String]| {
        let head: Vec<String> = head.iter().map(|line| (*line).clone()).collect();
        up.send("GET", path, &head, "")
    };
    let told = get(status, &[&here, &bearer]);
    assert_eq!(told.status, 200);
    let printed = sandbox.oldhand(["status", "--json"]).run().success();
    let printed: Value = serde_json::from_str(&printed).expect("status answers JSON");
    assert_eq!(told.message(), printed);
    let in_address = format!("{status}?token={}", up.token);
    assert_eq!(get(&in_address, &[&here]).status, 401);

    let refused = get(status, &[&here]);
    assert_eq!(refused.status, 401);
    assert!(refused.head.contains("www-authenticate: bearer"));
    for path in ["/mcp", status, "/elsewhere"] {
        assert_eq!(
            get(path, &[&here, &"Authorization: Bearer guess".into()]).status,
            401
        );
        let other = "Host: evil.example".to_owned();
        assert_eq!(get(path, &[&other, &bearer]).status, 421);
        let page = "Origin: https://evil.example".to_owned();
        assert_eq!(get(path, &[&here, &bearer, &page]).status, 403);
    }
    assert_eq!(get("/elsewhere", &[&here, &bearer]).status, 404);
    let plate = get("/", &[&here]);
    assert_eq!(plate.status, 200);
    assert!(plate.body.contains("no panel in this version"));
    assert!(!plate.head.contains("access-control-allow-origin"));
    assert_eq!(
        up.send("DELETE", "/", std::slice::from_ref(&here), "")
            .status,
        405
    );
    let huge = json!({ "jsonrpc": "2.0", "id": 1, "method": "x".repeat(5_000_000) });
    assert_eq!(up.post(None, &huge).status, 413);
    // A request that never ends keeps nobody else out.
    let mut slow = TcpStream::connect(&up.host).expect("the door is open");
    slow.write_all(b"GET / HTTP/1.1\r\nHo").expect("it listens");
    assert_eq!(get("/", &[&here]).status, 200);

    let home = sandbox.home();
    let host = up.host.clone();
    assert_eq!(up.end(), (Some(0), String::new()));
    assert!(TcpStream::connect(host).is_err(), "the door is closed");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let token = std::fs::metadata(home.join("up.token")).expect("the token is kept");
        assert_eq!(token.permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_port_that_is_taken_is_told_with_a_way_out() {
    let sandbox = known();
    let up = Up::start(&sandbox);
    let port = up.host.rsplit(':').next().expect("a port").to_owned();
    let second = sandbox.oldhand(["up", "--no-open", "--port", &port]).run();
    assert_eq!(second.code, Some(2));
    assert!(second.stderr.contains("--port 0"), "{}", second.stderr);
    assert_eq!(up.end(), (Some(0), String::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_job_that_is_done_is_gone() {
    let sandbox = known();
    let up = Up::start(&sandbox);
    let session = up.begin();
    up.call(&session, "report_outcome", &json!({ "passed": true }));
    up.leave(&session);
    let until = |what: &str, holds: &dyn Fn() -> bool| {
        let mut times = (0..600).map(|_| std::thread::sleep(Duration::from_millis(100)));
        assert!(times.any(|()| holds()), "{what}");
    };
    until("the session is learned from", &|| {
        let listed = sandbox.oldhand(["session", "list", "--json"]).run();
        listed.stdout.contains(r#""finalized":true"#)
    });
    let parent = up.child.id().to_string();
    until("no child stays behind", &|| {
        let processes = std::fs::read_dir("/proc").expect("processes are listed");
        let stats = processes.filter_map(|one| {
            let stat = std::fs::read_to_string(one.ok()?.path().join("stat")).ok()?;
            let (_, state_and_parent) = stat.rsplit_once(") ")?;
            Some(state_and_parent.split(' ').nth(1)?.to_owned())
        });
        !stats.into_iter().any(|of| of == parent)
    });
    assert_eq!(up.end(), (Some(0), String::new()));
}

#[test]
fn clients_that_listen_keep_nobody_out_and_too_many_are_told() {
    let sandbox = known();
    let up = Up::start(&sandbox);
    let (here, bearer) = (up.here(), up.bearer());
    let hold = |request: String| {
        let mut stream = TcpStream::connect(&up.host).expect("the door is open");
        stream.write_all(request.as_bytes()).expect("it listens");
        stream
    };
    let plate = || up.send("GET", "/", std::slice::from_ref(&here), "").status;
    let mut held = Vec::new();
    for _ in 0..64 {
        let session = format!("Mcp-Session-Id: {}", up.begin());
        let accept = "Accept: text/event-stream";
        let listen =
            format!("GET /mcp HTTP/1.1\r\n{here}\r\n{bearer}\r\n{accept}\r\n{session}\r\n\r\n");
        held.push(hold(listen));
    }
    assert_eq!(plate(), 200);
    // What is announced and never sent keeps a connection open.
    let kinds = "Content-Type: application/json\r\nAccept: application/json, text/event-stream";
    for _ in 0..128 {
        let post = format!(
            "POST /mcp HTTP/1.1\r\n{here}\r\n{bearer}\r\n{kinds}\r\nContent-Length: 9\r\nMcp-Session-Id: none\r\n\r\n{{"
        );
        held.push(hold(post));
    }
    assert_eq!(plate(), 503);
    drop(held);
    let mut times = (0..600).map(|_| std::thread::sleep(Duration::from_millis(50)));
    assert!(times.any(|()| plate() == 200), "there is room again");
    assert_eq!(up.end(), (Some(0), String::new()));
}
