//! The door on the loopback: MCP over HTTP, and what scripts ask, for whoever knows the token.
//!
//! One process that a person starts and ends. Nothing is served to another machine, to a page of another site, or to anybody
//! without the token ([`guard`]); what is served is what `oldhand mcp` and the command line answer.

mod guard;
mod token;

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};

use crate::apart::apart;
use crate::cli;
use crate::config::Environment;
use crate::explain::Explained;
use crate::failure::Failure;
use crate::mcp::{MOST_CALLS, MOST_SESSIONS, OverHttp, log_panics};
use guard::{Guard, Place, Refusal};
pub(crate) use token::Token;

/// Connections at the same time: every client may listen and ask at once, and others still come in.
const MOST_CONNECTIONS: usize = 2 * MOST_SESSIONS + 64;
/// Those above it who are told so at the same time; who comes then is told nothing.
const MOST_TURNED_AWAY: usize = 32;
/// How long somebody may take to say what they want.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest head of a request.
const LONGEST_HEAD: usize = 64 * 1024;
/// How long a call that is at work may go on after the end was asked for.
const LAST_WORDS: Duration = Duration::from_secs(2);

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// A door that is open on this machine and not yet answered at.
pub(crate) struct Up {
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
    address: SocketAddr,
    token: Token,
}

impl Up {
    /// Opens the door; port 0 takes any that is free.
    pub(crate) fn open(environment: &Environment, port: u16) -> Result<Self> {
        let token = Token::of(&environment.home)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(MOST_CALLS)
            .build()
            .context("could not start the server")?;
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = runtime
            .block_on(TcpListener::bind(wanted))
            .map_err(|error| {
                Failure::unavailable(format!("could not listen on {wanted}: {error}"))
                    .hint("`oldhand up --port 0` takes any port that is free")
            })?;
        let address = listener.local_addr()?;
        Ok(Self {
            runtime,
            listener,
            address,
            token,
        })
    }

    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn token(&self) -> &Token {
        &self.token
    }

    /// Answers until the process is asked to end.
    pub(crate) fn serve(self, environment: &Environment) -> Result<()> {
        log_panics(&environment.home);
        let end = Arc::new(Notify::new());
        let asked = Arc::clone(&end);
        ctrlc::set_handler(move || asked.notify_one())
            .context("could not watch for interruptions")?;
        let house = Arc::new(House {
            environment: environment.clone(),
            guard: Guard::new(self.address.port(), self.token),
            mcp: OverHttp::new(environment),
        });
        let listener = self.listener;
        let runtime = self.runtime;
        runtime.block_on(async {
            tokio::select! {
                () = welcome(&listener, &house) => {}
                () = end.notified() => {}
            }
            drop(listener);
            house.mcp.end();
        });
        // Conversations are cut here; a call that is at work has a moment to come to its end.
        runtime.shutdown_timeout(LAST_WORDS);
        Ok(())
    }
}

/// Lets everybody in who comes while there is room, and tells the others that there is none.
async fn welcome(listener: &TcpListener, house: &Arc<House>) {
    let inside = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let outside = Arc::new(Semaphore::new(MOST_TURNED_AWAY));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, or a guest who left at the doorstep: it passes.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        if let Ok(place) = Arc::clone(&inside).try_acquire_owned() {
            let house = Arc::clone(house);
            tokio::spawn(async move {
                converse(stream, house).await;
                drop(place);
            });
        } else if let Ok(place) = Arc::clone(&outside).try_acquire_owned() {
            tokio::spawn(async move {
                turn_away(stream).await;
                drop(place);
            });
        }
    }
}

async fn converse(stream: TcpStream, house: Arc<House>) {
    let answering = service_fn(move |request| {
        let house = Arc::clone(&house);
        async move { Ok::<_, Infallible>(house.answer(request).await) }
    });
    let conversation = manners().serve_connection(TokioIo::new(stream), answering);
    // A guest who breaks off has nobody to be told.
    let _ = conversation.await;
}

async fn turn_away(stream: TcpStream) {
    let answering = service_fn(|_: Request<Incoming>| async {
        let why = "too many connections are open; one that ends makes room";
        Ok::<_, Infallible>(fail(StatusCode::SERVICE_UNAVAILABLE, why))
    });
    let mut manners = manners();
    let conversation = manners.keep_alive(false);
    let conversation = conversation.serve_connection(TokioIo::new(stream), answering);
    let _ = tokio::time::timeout(PATIENCE, conversation).await;
}

/// How long a guest may speak before being answered.
fn manners() -> http1::Builder {
    let mut manners = http1::Builder::new();
    manners
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(LONGEST_HEAD);
    manners
}

struct House {
    environment: Environment,
    guard: Guard,
    mcp: OverHttp,
}

impl House {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let path = request.uri().path().to_owned();
        let mut answer = match self.guard.check(&request, Place::of(&path)) {
            Err(refusal) => refuse(&refusal),
            Ok(()) => match path.as_str() {
                "/mcp" => self.mcp.answer(request).await,
                _ if request.method() != Method::GET => {
                    let mut answer =
                        fail(StatusCode::METHOD_NOT_ALLOWED, "only GET is answered here");
                    answer
                        .headers_mut()
                        .insert(header::ALLOW, HeaderValue::from_static("GET"));
                    answer
                }
                "/" => tell(StatusCode::OK, "text/html; charset=utf-8", page()),
                "/api/v1/status" => self.status().await,
                _ => fail(StatusCode::NOT_FOUND, "there is nothing at this address"),
            },
        };
        for (name, value) in [
            (header::CACHE_CONTROL, "no-store"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (
                header::CONTENT_SECURITY_POLICY,
                "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
            ),
        ] {
            let value = HeaderValue::from_static(value);
            answer.headers_mut().entry(name).or_insert(value);
        }
        answer
    }

    /// What `oldhand status --json` prints.
    async fn status(&self) -> Answer {
        let environment = self.environment.clone();
        let asked = apart(move || cli::ask(&["status"], &environment.at_present()?));
        match asked.await {
            Ok(Ok((status, _))) => tell(StatusCode::OK, JSON, status.to_string()),
            Ok(Err(error)) => {
                let told = Explained::of(&error);
                let view =
                    json!({ "error": told.message, "kind": told.kind_name(), "hint": told.hint });
                tell(StatusCode::INTERNAL_SERVER_ERROR, JSON, view.to_string())
            }
            Err(_) => fail(
                StatusCode::INTERNAL_SERVER_ERROR,
                "something is broken in Oldhand",
            ),
        }
    }
}

const JSON: &str = "application/json";

fn tell(status: StatusCode, kind: &'static str, text: String) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(text)).boxed());
    *answer.status_mut() = status;
    answer
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// An error as the command line tells it in JSON.
pub(crate) fn fail(status: StatusCode, message: &str) -> Answer {
    let kind = match status {
        StatusCode::NOT_FOUND => "not_found",
        status if status.is_client_error() => "invalid",
        _ => "unavailable",
    };
    let view = json!({ "error": message, "kind": kind, "hint": null });
    tell(status, JSON, view.to_string())
}

fn refuse(refusal: &Refusal) -> Answer {
    let mut answer = fail(refusal.status(), refusal.message());
    if *refusal == Refusal::NoToken {
        answer
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    answer
}

/// What is here, for a person who looks.
fn page() -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
<title>Oldhand</title><style>body{{font:16px/1.5 system-ui,sans-serif;max-width:38rem;margin:3rem auto;padding:0 1rem;\
color-scheme:light dark}}code{{font-size:.95em}}</style><h1>Oldhand {}</h1>\
<p>This door is open on this machine only, to whoever has the token that <code>oldhand up</code> names the file of.</p>\
<ul><li><code>/mcp</code>: the Model Context Protocol over streamable HTTP, for agents.</li>\
<li><code>/api/v1/status</code>: what <code>oldhand status --json</code> prints.</li></ul>\
<p>There is no panel in this version. <code>oldhand status</code>, <code>oldhand review</code> and <code>oldhand search</code> \
in a terminal show what is known.</p></html>",
        env!("CARGO_PKG_VERSION")
    )
}
