//! The same tools over streamable HTTP: one server for every client that begins a session, and an end to each of them.

use std::convert::Infallible;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Bytes};
use hyper::{Method, Request, Response, StatusCode};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::log::Log;
use super::{Server, Way};
use crate::code::Watches;
use crate::config::Environment;
use crate::up;

/// Clients at the same time.
pub(crate) const MOST_SESSIONS: usize = 64;
/// A client that asked nothing for so long has gone; one that comes back begins again.
const SILENT: Duration = Duration::from_mins(30);
/// The longest message.
const LONGEST: usize = 4 * 1024 * 1024;
/// What a client names its session by.
const SESSION: &str = "mcp-session-id";

pub(crate) struct OverHttp {
    service: StreamableHttpService<Server, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    end: Box<dyn Fn() + Send + Sync>,
}

impl OverHttp {
    pub(crate) fn new(environment: &Environment) -> Self {
        let log = Log::new(&environment.home);
        // Where this process was started by an agent says nothing of the agents that come.
        let mut environment = environment.clone();
        environment.agent_folder = None;
        let mut config = SessionConfig::default();
        config.keep_alive = Some(SILENT);
        let mut sessions = LocalSessionManager::default();
        sessions.session_config = config;
        let sessions = Arc::new(sessions);
        let config = StreamableHttpServerConfig::default().with_max_request_body_bytes(LONGEST);
        let token = config.cancellation_token.clone();
        let watches: Arc<Watches> = Arc::default();
        let server = move || {
            let mut server = Server::new(&environment, &log, Way::Http);
            server.watches = Arc::clone(&watches);
            Ok(server)
        };
        Self {
            service: StreamableHttpService::new(server, Arc::clone(&sessions), config),
            sessions,
            end: Box::new(move || token.cancel()),
        }
    }

    pub(crate) async fn answer<B>(
        &self,
        request: Request<B>,
    ) -> Response<BoxBody<Bytes, Infallible>>
    where
        B: Body + Send + 'static,
        B::Error: Display,
    {
        let begins = request.method() == Method::POST && !request.headers().contains_key(SESSION);
        if begins && self.sessions.sessions.read().await.len() >= MOST_SESSIONS {
            return up::fail(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many clients have a session; one that ends makes room",
            );
        }
        self.service.handle(request).await
    }

    /// Every session is over.
    pub(crate) fn end(&self) {
        (self.end)();
    }
}
