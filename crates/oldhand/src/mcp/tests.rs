//! The server without a process around it: roots, cancellation, and many calls at once.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

use super::log::Log;
use super::{Server, Way, folder_of, serve_on};
use crate::config::Environment;

/// Far more than anything here takes; a test that hangs is a test that fails.
const PATIENCE: Duration = Duration::from_mins(1);

struct Client {
    to: WriteHalf<DuplexStream>,
    from: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
}

impl Client {
    async fn say(&mut self, message: Value) {
        let line = format!("{message}\n");
        self.to.write_all(line.as_bytes()).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.from.next_line());
        let line = line.await.unwrap().unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

/// Talks to a server whose client is in `folder`, and then leaves.
fn converse<F>(environment: &Environment, talk: impl FnOnce(Client) -> F)
where
    F: Future<Output = ()>,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let server = Server::new(environment, &Log::new(&environment.home), Way::Pipes);
    runtime.block_on(async {
        let serving = tokio::spawn(serve_on(server, ours));
        let (from, to) = tokio::io::split(theirs);
        let from = BufReader::new(from).lines();
        talk(Client { to, from }).await;
        let ended = tokio::time::timeout(PATIENCE, serving).await;
        ended.unwrap().unwrap().unwrap();
    });
}

fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

async fn begin(client: &mut Client, capabilities: Value) {
    let who = json!({ "name": "test", "version": "1" });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": who });
    client
        .say(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }))
        .await;
    assert_eq!(client.hear().await["id"], 0);
    client
        .say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await;
}

/// A home of its own, seen from a folder that is no project.
fn nowhere(root: &std::path::Path) -> Environment {
    let mut environment = Environment::read(None).unwrap();
    environment.home = root.join("home");
    environment.user_home = Some(root.to_owned());
    environment.agent_folder = None;
    environment.folder = root.join("elsewhere");
    for folder in ["home", "elsewhere", "work place"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    environment
}

#[test]
fn the_project_is_where_the_client_says_it_works() {
    let root = tempfile::tempdir().unwrap();
    let environment = nowhere(root.path());
    let mut there = environment.clone();
    there.folder = root.path().join("work place");
    crate::cli::ask(&["remember", "--", "Ports begin at 7000."], &there).unwrap();
    converse(&environment, async |mut client| {
        begin(&mut client, json!({ "roots": {} })).await;
        let asked = client.hear().await;
        assert_eq!(asked["method"], "roots/list");
        let uri = format!("file://{}", root.path().join("work%20place").display());
        let roots = json!({ "roots": [{ "uri": uri }] });
        client
            .say(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": roots }))
            .await;
        client
            .say(call(1, "search_memory", &json!({ "query": "ports" })))
            .await;
        let answer = client.hear().await;
        assert!(
            answer.to_string().contains("Ports begin at 7000."),
            "{answer}"
        );
    });
}

#[test]
fn many_calls_at_once_are_all_answered() {
    let root = tempfile::tempdir().unwrap();
    let environment = nowhere(root.path());
    crate::cli::ask(&["remember", "--", "Ports begin at 7000."], &environment).unwrap();
    let mut sessions = std::collections::BTreeSet::new();
    converse(&environment, async |mut client| {
        begin(&mut client, json!({})).await;
        for id in 1..=40 {
            let tool = if id % 2 == 0 {
                "search_memory"
            } else {
                "record_memory"
            };
            let text = format!("Port number {id} is taken.");
            let arguments = if id % 2 == 0 {
                json!({ "query": "ports" })
            } else {
                json!({ "text": text })
            };
            client.say(call(id, tool, &arguments)).await;
        }
        let mut answered = std::collections::BTreeSet::new();
        for _ in 1..=40 {
            let answer = client.hear().await;
            assert_eq!(answer["result"]["isError"], false, "{answer}");
            answered.insert(answer["id"].as_u64());
            let session = &answer["result"]["structuredContent"]["session"];
            sessions.extend(session.as_str().map(str::to_owned));
        }
        assert_eq!(answered.len(), 40);
    });
    assert_eq!(sessions.len(), 1, "they are of one session: {sessions:?}");
}

#[test]
fn the_graph_follows_the_tree_while_a_client_is_here() {
    let root = tempfile::tempdir().unwrap();
    let environment = nowhere(root.path());
    let write = |name: &str| {
        let text = format!("export function {name}() {{}}\n");
        std::fs::write(environment.folder.join(format!("{name}.ts")), text).unwrap();
    };
    write("first");
    crate::cli::ask(&["reindex"], &environment).unwrap();
    let known = || {
        let (status, _) = crate::cli::ask(&["status"], &environment).unwrap();
        status["code"]["files"].as_u64().unwrap_or_default()
    };
    converse(&environment, async |mut client| {
        begin(&mut client, json!({})).await;
        client.say(call(1, "get_module_map", &json!({}))).await;
        assert_eq!(client.hear().await["id"], 1);
        assert_eq!(known(), 1);
        // The watch begins some time after the first call; what is written before is told with what is written after.
        for round in 0..240 {
            write(&format!("later{round}"));
            tokio::time::sleep(Duration::from_millis(250)).await;
            if known() > 1 {
                return;
            }
        }
        panic!("nobody read what changed");
    });
}

#[test]
fn a_call_that_nobody_wants_any_more_is_given_up() {
    let root = tempfile::tempdir().unwrap();
    let environment = nowhere(root.path());
    crate::cli::ask(&["remember", "--", "Ports begin at 7000."], &environment).unwrap();
    converse(&environment, async |mut client| {
        begin(&mut client, json!({})).await;
        client.say(call(1, "get_module_map", &json!({}))).await;
        let params = json!({ "requestId": 1 });
        client
            .say(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
            .await;
        client
            .say(json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }))
            .await;
        let mut heard = client.hear().await;
        // The answer may have been on its way already.
        if heard["id"] == 1 {
            heard = client.hear().await;
        }
        assert_eq!(heard["id"], 2, "{heard}");
    });
}

#[test]
fn only_folders_of_this_machine_are_folders() {
    #[cfg(unix)]
    {
        let read = |uri: &str| folder_of(uri).map(|path| path.display().to_string());
        assert_eq!(read("file:///a%20b/%C3%A9").as_deref(), Some("/a b/é"));
        assert_eq!(read("file:///100%").as_deref(), Some("/100%"));
    }
    assert_eq!(folder_of("https://example.com/a"), None);
    assert_eq!(folder_of("file://"), None);
}

/// When a process closes a handle of a file that SQLite does not know of, the system takes away all locks that the process has on that file.
#[test]
#[cfg(target_os = "linux")]
fn what_a_server_is_asked_takes_no_lock_away() {
    use oldhand_store::{Mode, SqliteStore};
    use oldhand_testkit::locks_on;

    let root = tempfile::tempdir().unwrap();
    let environment = nowhere(root.path());
    let taught = ["remember", "--", "Ports begin at 7000."];
    let (taught, _) = crate::cli::ask(&taught, &environment).unwrap();
    let id = taught["memory"]["id"].as_str().unwrap();
    let mut projects = std::fs::read_dir(environment.home.join("projects")).unwrap();
    let project = projects.next().unwrap().unwrap().path();
    let database = project.join("memory.db");
    // So long that a change would bear another time, whatever the file system counts in: until then a look is taken with SQLite alone.
    std::thread::sleep(Duration::from_millis(2_200));
    let writer = SqliteStore::open(&database, Mode::Write).unwrap();
    let locks = || locks_on(&database);
    let before = locks();
    // Over some file systems nobody can tell.
    assert_ne!(before, Some(0));
    converse(&environment, async |mut client| {
        begin(&mut client, json!({})).await;
        let ports = json!({ "query": "ports" });
        client.say(call(1, "search_memory", &ports)).await;
        let answer = client.hear().await;
        assert!(answer.to_string().contains("7000"), "{answer}");
        assert_eq!(locks(), before);
    });
    for command in [
        ["search", "ports"],
        ["context", "change the ports"],
        ["show", id],
    ] {
        crate::cli::ask(&command, &environment).unwrap();
        assert_eq!(locks(), before, "{command:?}");
    }
    drop(writer);
}
