//! As much of HTTP as clients of a model need: one request, one answer, goodbye.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Value,
}

pub(super) enum Reply {
    Json(Value),
    /// A stream of events, some with a name, and what closes it.
    Events {
        events: Vec<(Option<&'static str>, Value)>,
        closing: &'static str,
    },
    /// There is no way to anywhere else from here.
    Refused,
}

impl Reply {
    pub(super) fn events(events: Vec<(Option<&'static str>, Value)>) -> Self {
        Self::Events {
            events,
            closing: "",
        }
    }
}

/// `None` when the client hung up before it asked anything. A body that is no JSON reads as null.
pub(super) fn read(stream: &mut TcpStream) -> io::Result<Option<Request>> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Ok(None);
    };
    let mut length = 0;
    let mut chunked = false;
    let mut expects = false;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').unwrap_or((&header, ""));
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "transfer-encoding" => chunked = value.to_ascii_lowercase().contains("chunked"),
            "expect" => expects = true,
            _ => {}
        }
    }
    if expects {
        reader
            .get_mut()
            .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let mut bytes = Vec::new();
    if chunked {
        read_chunks(&mut reader, &mut bytes)?;
    } else {
        reader.by_ref().take(length).read_to_end(&mut bytes)?;
    }
    Ok(Some(Request {
        method,
        path,
        body: serde_json::from_slice(&bytes).unwrap_or_default(),
    }))
}

fn read_chunks(reader: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).unwrap_or(0);
        reader.by_ref().take(size).read_to_end(bytes)?;
        let mut rest = String::new();
        reader.read_line(&mut rest)?;
        if size == 0 {
            return Ok(());
        }
    }
}

pub(super) fn write(stream: &mut TcpStream, reply: &Reply) -> io::Result<()> {
    let (status, kind, body) = match reply {
        Reply::Json(value) => ("200 OK", "application/json", value.to_string()),
        Reply::Events { events, closing } => ("200 OK", "text/event-stream", {
            let mut body = String::new();
            for (name, data) in events {
                if let Some(name) = name {
                    let _ = writeln!(body, "event: {name}");
                }
                let _ = writeln!(body, "data: {data}\n");
            }
            body + closing
        }),
        Reply::Refused => ("403 Forbidden", "text/plain", String::new()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}
