//! One message a line, over two pipes. Whatever comes in, the conversation goes on: what is no message is answered as JSON-RPC
//! asks, and only the end of the input is an end.

use std::io;
use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, GetMeta as _, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// The longest message; whoever sends more is told so, and nothing of it is kept.
const LONGEST: usize = 16 * 1024 * 1024;

pub(super) struct Lines<R, W> {
    from: BufReader<R>,
    to: Arc<Mutex<W>>,
    /// As much of a line as has come. Outlives a read that is broken off, as reads are while answers go out.
    line: Vec<u8>,
    is_too_long: bool,
    /// An answer that is on its way. Outlives a read that is broken off, or half of it would stand before the next one.
    answering: Option<JoinHandle<io::Result<()>>>,
    /// Whether the client has said who it is. Before that only requests mean anything.
    has_begun: bool,
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    pub(super) fn new((from, to): (R, W)) -> Self {
        Self {
            from: BufReader::new(from),
            to: Arc::new(Mutex::new(to)),
            line: Vec::new(),
            is_too_long: false,
            answering: None,
            has_begun: false,
        }
    }

    /// Reads to the end of a line, or of the input: the last line need not be ended. `false` when there is no more.
    async fn read(&mut self) -> bool {
        loop {
            let Ok(come) = self.from.fill_buf().await else {
                return false;
            };
            let end = come.iter().position(|byte| *byte == b'\n');
            let (more, taken) = match end {
                Some(at) => (&come[..at], at + 1),
                None => (come, come.len()),
            };
            if self.line.len() + more.len() > LONGEST {
                self.is_too_long = true;
                self.line.clear();
            } else if !self.is_too_long {
                self.line.extend_from_slice(more);
            }
            self.from.consume(taken);
            if end.is_some() {
                return true;
            }
            if taken == 0 {
                return self.is_too_long || !self.line.is_empty();
            }
        }
    }

    /// The message of the line that was read; `None` for an empty one.
    fn take(&mut self) -> Option<Result<ClientJsonRpcMessage, Refused>> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) {
            return Some(Err(Refused::TooLong));
        }
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
        let line = line.trim_ascii();
        (!line.is_empty()).then(|| serde_json::from_slice(line).map_err(|_| Refused::of(line)))
    }

    /// Whether a message has a meaning yet.
    fn admits(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if let ClientJsonRpcMessage::Request(asked) = message {
            let begins = match &asked.request {
                ClientRequest::InitializeRequest(_) => true,
                ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_) => false,
                other => other.get_meta().protocol_version().is_some(),
            };
            self.has_begun |= begins;
            return true;
        }
        self.has_begun
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        write_line(Arc::clone(&self.to), message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(answering) = &mut self.answering {
                let sent = answering.await;
                self.answering = None;
                sent.ok()?.ok()?;
            }
            if !self.read().await {
                return None;
            }
            match self.take() {
                Some(Ok(message)) if self.admits(&message) => return Some(message),
                Some(Err(refused)) => {
                    if let Some(answer) = refused.answer() {
                        let writing = write_line(Arc::clone(&self.to), answer);
                        self.answering = Some(tokio::spawn(writing));
                    }
                }
                Some(Ok(_)) | None => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.to.lock().await.shutdown().await
    }
}

async fn write_line<W: AsyncWrite + Unpin>(
    to: Arc<Mutex<W>>,
    message: impl Serialize,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut to = to.lock().await;
    to.write_all(&line).await?;
    to.flush().await
}

/// Why a line is no message.
enum Refused {
    TooLong,
    NotJson,
    /// It can be told whom to answer, if anybody.
    NotAMessage(Option<RequestId>),
    /// Nobody waits for an answer to what is said or answered by the way.
    NotAsked,
}

impl Refused {
    fn of(line: &[u8]) -> Self {
        let Ok(said) = serde_json::from_slice::<Value>(line) else {
            return Self::NotJson;
        };
        let id = match &said["id"] {
            Value::String(id) => Some(RequestId::String(id.as_str().into())),
            Value::Number(id) => id.as_i64().map(RequestId::Number),
            _ => None,
        };
        let is_answer = said.get("result").or_else(|| said.get("error")).is_some();
        let is_notice = said.get("id").is_none() && said["method"].is_string();
        if is_answer || is_notice {
            Self::NotAsked
        } else {
            Self::NotAMessage(id)
        }
    }

    /// An answer to nobody in particular says so: JSON-RPC wants its id to be null, not left out.
    fn answer(self) -> Option<Value> {
        let (error, id) = match self {
            Self::TooLong => {
                let most = format!("a message may have {LONGEST} bytes at most");
                (ErrorData::invalid_request(most, None), None)
            }
            Self::NotJson => (ErrorData::parse_error("this is not JSON", None), None),
            Self::NotAMessage(id) => {
                let what = "this is not a message of JSON-RPC 2.0";
                (ErrorData::invalid_request(what, None), id)
            }
            Self::NotAsked => return None,
        };
        Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_refusal_arrives_whole_when_the_read_is_broken_off() {
        let (client, server) = tokio::io::duplex(16);
        let (from, to) = tokio::io::split(server);
        let mut lines = Lines::new((from, to));
        let (hears, mut says) = tokio::io::split(client);
        says.write_all(b"nonsense\n").await.unwrap();
        let broken_off = tokio::time::timeout(Duration::from_millis(50), lines.receive()).await;
        assert!(broken_off.is_err(), "nobody has read the answer yet");
        let mut answer = String::new();
        let mut hears = BufReader::new(hears);
        let hearing = tokio::time::timeout(Duration::from_secs(10), hears.read_line(&mut answer));
        hearing.await.expect("it goes on").unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["error"]["message"], "this is not JSON");
        assert_eq!(answer.get("id"), Some(&Value::Null));
    }
}
