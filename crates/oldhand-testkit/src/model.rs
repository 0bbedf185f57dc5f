//! A model on loopback that says what a test wrote down for it, in the protocols that real clients speak.
//!
//! [`Model::plays`] hands out a [`Script`] turn by turn and keeps every request, so that a test can read what the model was given.
//! Start reading at [`Script`].

mod anthropic;
mod chat;
mod gemini;
mod http;
mod responses;

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use http::{Reply, Request};

/// How long a test waits for something that must come.
const PATIENCE: Duration = Duration::from_mins(1);

/// What the model will say, in order.
#[derive(Clone, Debug, Default)]
pub struct Script {
    turns: Vec<Turn>,
    asides: Vec<(String, Vec<Turn>)>,
}

impl Script {
    /// One turn for each request of the main conversation.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self {
            turns: turns.into_iter().collect(),
            asides: Vec::new(),
        }
    }

    /// A conversation of its own, such as a subagent's: requests in which the user's side says `marker`. Its last turn is said
    /// again for as long as it is asked for.
    #[must_use]
    pub fn aside(mut self, marker: &str, turns: impl IntoIterator<Item = Turn>) -> Self {
        let turns = turns.into_iter().collect();
        self.asides.push((marker.to_owned(), turns));
        self
    }
}

/// What the model says once: words, calls of tools, or both.
#[derive(Clone, Debug)]
pub struct Turn {
    text: String,
    calls: Vec<ToolCall>,
    input_tokens: u64,
    pace: Pace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    AtOnce,
    /// Until [`Model::release`].
    Held,
}

impl Turn {
    pub fn say(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            calls: Vec::new(),
            input_tokens: 1000,
            pace: Pace::AtOnce,
        }
    }

    pub fn call(call: ToolCall) -> Self {
        Self::say("").and(call)
    }

    /// One more call in the same turn: clients run them side by side.
    #[must_use]
    pub fn and(mut self, call: ToolCall) -> Self {
        self.calls.push(call);
        self
    }

    /// Claims that the request was this long, so that the client thinks of compaction.
    #[must_use]
    pub fn costing(mut self, input_tokens: u64) -> Self {
        self.input_tokens = input_tokens;
        self
    }

    /// Says nothing until the test lets it.
    #[must_use]
    pub fn held(mut self) -> Self {
        self.pace = Pace::Held;
        self
    }
}

/// A call of a tool. An input that is text and no object goes to a tool that takes free text.
#[derive(Clone, Debug)]
pub struct ToolCall {
    name: String,
    input: Value,
}

impl ToolCall {
    pub fn new(tool: &str, input: Value) -> Self {
        Self {
            name: tool.to_owned(),
            input,
        }
    }
}

/// One request that reached the model.
#[derive(Clone, Debug)]
pub struct Asked {
    pub body: Value,
    pub talk: Talk,
}

/// The conversation that a request belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Talk {
    Main,
    /// With the marker it was told by.
    Aside(String),
    /// No part of the script, such as a title for the session.
    Beside,
}

impl Asked {
    /// Every text of the request, in its order.
    pub fn texts(&self) -> Vec<&str> {
        let mut texts = Vec::new();
        gather(&self.body, &mut texts);
        texts
    }

    /// What Oldhand said, block by block, wherever the client put it.
    pub fn memories(&self) -> Vec<String> {
        let mut blocks = Vec::new();
        for text in self.texts() {
            // Some clients escape what hooks say.
            let text = text.replace("&lt;", "<").replace("&gt;", ">");
            let starts = text.match_indices("<oldhand-memory");
            blocks.extend(starts.filter_map(|(start, _)| {
                let rest = &text[start..];
                let closing = rest.find("</oldhand-memory")?;
                let end = closing + rest[closing..].find('>')? + 1;
                Some(rest[..end].to_owned())
            }));
        }
        blocks
    }
}

fn gather<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| gather(item, texts)),
        Value::Object(members) => members.values().for_each(|member| gather(member, texts)),
        _ => {}
    }
}

/// The protocol of a request, told by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

impl Protocol {
    fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or(path);
        if path.ends_with("/messages") {
            Some(Self::Anthropic)
        } else if path.ends_with("/responses") {
            Some(Self::Responses)
        } else if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with("enerateContent") {
            Some(Self::Gemini)
        } else {
            None
        }
    }

    /// What the user's side of the conversation said.
    fn user_side(self, body: &Value) -> Vec<&str> {
        let messages = match self {
            Self::Anthropic | Self::Chat => &body["messages"],
            Self::Responses => &body["input"],
            Self::Gemini => &body["contents"],
        };
        let mut texts = Vec::new();
        for message in messages.as_array().into_iter().flatten() {
            if message["role"] == "user" {
                gather(message, &mut texts);
            }
        }
        texts
    }

    fn answer(self, request: &Request, turn: &Turn, id: &str) -> Reply {
        match self {
            Self::Anthropic => anthropic::answer(&request.body, turn, id),
            Self::Responses => responses::answer(&request.body, turn, id),
            Self::Chat => chat::answer(&request.body, turn, id),
            Self::Gemini => gemini::answer(&request.path, turn, id),
        }
    }
}

/// The model: a server on a port of its own, gone when it is dropped.
pub struct Model {
    address: SocketAddr,
    desk: Arc<Desk>,
    door: Option<std::thread::JoinHandle<()>>,
}

#[derive(Default)]
struct Desk {
    state: Mutex<State>,
    /// Told whenever a request came or a held turn may be said.
    news: Condvar,
    closed: AtomicBool,
    ids: AtomicU64,
}

#[derive(Default)]
struct State {
    script: Script,
    said: usize,
    said_aside: Vec<usize>,
    asked: Vec<Asked>,
    strays: Vec<String>,
    released: bool,
}

impl Model {
    /// A model that says this, listening on loopback.
    pub fn plays(script: Script) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
        let address = listener
            .local_addr()
            .expect("a bound socket has an address");
        let desk = Arc::new(Desk::default());
        let model = Self {
            address,
            desk: Arc::clone(&desk),
            door: Some(std::thread::spawn(move || open_door(&listener, &desk))),
        };
        model.play(script);
        model
    }

    /// Begins another script; requests so far are forgotten.
    pub fn play(&self, script: Script) {
        *self.state() = State {
            said_aside: vec![0; script.asides.len()],
            script,
            ..State::default()
        };
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests of one conversation, in the order they came.
    pub fn asked(&self, talk: &Talk) -> Vec<Asked> {
        let state = self.state();
        let asked = state.asked.iter().filter(|asked| asked.talk == *talk);
        asked.cloned().collect()
    }

    /// Every request that was answered from the script or beside it.
    pub fn all_asked(&self) -> Vec<Asked> {
        self.state().asked.clone()
    }

    /// What else was asked of this port: `GET /v1/models`, or a way out to the internet, which is refused.
    pub fn strays(&self) -> Vec<String> {
        self.state().strays.clone()
    }

    /// Waits until a conversation has come to its `count`th request.
    pub fn wait_for(&self, talk: &Talk, count: usize) {
        let until = Instant::now() + PATIENCE;
        let mut state = self.state();
        loop {
            let have = state.asked.iter().filter(|asked| asked.talk == *talk);
            let have = have.count();
            if have >= count {
                return;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "only {have} of {count} requests came");
            let waited = self.desk.news.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Lets held turns be said.
    pub fn release(&self) {
        self.state().released = true;
        self.desk.news.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.desk.state()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.desk.closed.store(true, Ordering::Release);
        self.release();
        // The door waits for somebody to come in.
        let _ = TcpStream::connect(self.address);
        if let Some(door) = self.door.take() {
            let _ = door.join();
        }
    }
}

fn open_door(listener: &TcpListener, desk: &Arc<Desk>) {
    for stream in listener.incoming() {
        if desk.closed.load(Ordering::Acquire) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let desk = Arc::clone(desk);
        std::thread::spawn(move || {
            // A client that hangs up has its reasons; what it asked is on record.
            let _ = desk.serve(stream);
        });
    }
}

impl Desk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        let Some(request) = http::read(&mut stream)? else {
            return Ok(());
        };
        let protocol = Protocol::of(&request.path).filter(|_| request.method == "POST");
        let Some(protocol) = protocol else {
            let stray = format!("{} {}", request.method, request.path);
            self.state().strays.push(stray);
            return http::write(&mut stream, &elsewhere(&request));
        };
        let turn = self.hear(protocol, &request);
        if turn.pace == Pace::Held {
            self.hold();
        }
        let id = format!("{:04}", self.ids.fetch_add(1, Ordering::Relaxed));
        http::write(&mut stream, &protocol.answer(&request, &turn, &id))
    }

    /// Writes the request down and finds what to say to it.
    fn hear(&self, protocol: Protocol, request: &Request) -> Turn {
        let user_side = protocol.user_side(&request.body);
        let mut state = self.state();
        let asides = &state.script.asides;
        let aside = asides
            .iter()
            .position(|(marker, _)| user_side.iter().any(|text| text.contains(marker.as_str())));
        let has_tools = request.body["tools"]
            .as_array()
            .is_some_and(|tools| !tools.is_empty());
        let (talk, turn) = match aside {
            Some(place) => {
                let said = state.said_aside[place];
                state.said_aside[place] += 1;
                let (marker, turns) = &state.script.asides[place];
                let turn = turns.get(said).or(turns.last()).cloned();
                (Talk::Aside(marker.clone()), turn)
            }
            None if has_tools => {
                let said = state.said;
                state.said += 1;
                (Talk::Main, state.script.turns.get(said).cloned())
            }
            None => (Talk::Beside, None),
        };
        state.asked.push(Asked {
            body: request.body.clone(),
            talk,
        });
        self.news.notify_all();
        turn.unwrap_or_else(|| Turn::say("ok"))
    }

    fn hold(&self) {
        let held = self
            .news
            .wait_timeout_while(self.state(), PATIENCE, |state| !state.released);
        drop(held);
    }
}

/// Clients ask for lists of models and counts of tokens; they are content with little.
fn elsewhere(request: &Request) -> Reply {
    if request.method == "CONNECT" || request.path.starts_with("http") {
        return Reply::Refused;
    }
    if request.path.contains("ount") && request.path.contains("okens") {
        return Reply::Json(json!({ "input_tokens": 10, "totalTokens": 10 }));
    }
    Reply::Json(json!({ "object": "list", "data": [], "models": [] }))
}

#[cfg(test)]
mod tests;
