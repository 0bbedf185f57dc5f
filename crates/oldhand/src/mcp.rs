//! The door for agents that speak the Model Context Protocol: tools, resources and prompts over standard input and output, or HTTP.
//!
//! Standard output is the protocol's alone. Each call opens the project as it is then and closes it again, so that nothing that
//! others wait for is held while nobody asks, and a client that dies leaves nothing behind. Start reading at [`serve`]; [`tool::TOOLS`] is what
//! can be asked.

mod graph;
mod http;
mod lines;
mod log;
mod memory;
mod pieces;
mod prompts;
mod reply;
mod resources;
mod room;
mod scratchpad;
#[cfg(test)]
mod tests;
mod tool;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use oldhand_domain::path::path_in_address;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer, ServiceExt as _};
use rmcp::transport::IntoTransport;
use rmcp::transport::io::stdio_pipes;
use serde_json::Value;

use crate::apart::apart;
use crate::code::Watches;
use crate::config::Environment;
use crate::explain::Explained;
pub(crate) use http::{MOST_SESSIONS, OverHttp};
use lines::Lines;
use log::Log;
use room::{OwnSession, Room};
use tool::{Effect, TOOLS, Tool};

/// Said to every model once: when to ask, and what to leave.
const INSTRUCTIONS: &str = "Oldhand remembers what earlier sessions in this project learned. Before work in an unfamiliar part, \
get_session_context; on an error or a surprise, search_memory; when something cost time to find out, record_memory.";

/// Calls at work at the same time; others wait.
pub(crate) const MOST_CALLS: usize = 4;

/// Whether a tool of this name is ours.
pub(crate) fn has_tool(name: &str) -> bool {
    Tool::named(name).is_some()
}

/// Serves one client until it goes.
pub(crate) fn serve(environment: &Environment) -> Result<()> {
    let log = Log::new(&environment.home);
    log_panics(&environment.home);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MOST_CALLS)
        .build()
        .context("could not start the server")?;
    let server = Server::new(environment, &log, Way::Pipes);
    let (own, watches) = (Arc::clone(&server.own), Arc::clone(&server.watches));
    let ended = runtime.block_on(async { serve_on(server, Lines::new(stdio_pipes())).await });
    // A call that is still at work has nobody left to answer.
    runtime.shutdown_background();
    own.end();
    if let Err(error) = ended {
        log.write(&format!("{error:#}"));
    }
    // Waits for a graph that is being read. A client that kills whoever lingers finds all else done.
    drop(watches);
    Ok(())
}

/// What breaks while a server runs is written where what goes wrong is looked for.
pub(crate) fn log_panics(home: &Path) {
    let log = Log::new(home);
    std::panic::set_hook(Box::new(move |panic| log.write(&format!("panic: {panic}"))));
}

async fn serve_on<E, A>(
    server: Server,
    transport: impl IntoTransport<RoleServer, E, A>,
) -> Result<()>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let running = server
        .serve(transport)
        .await
        .context("the client did not begin")?;
    running.waiting().await.context("the server broke off")?;
    Ok(())
}

/// How a client is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// It started this process for itself, and its environment speaks for it.
    Pipes,
    Http,
}

/// What is known of the client, and where it works.
#[derive(Clone, Debug)]
struct Server {
    environment: Environment,
    way: Way,
    log: Log,
    /// The folders the client says it works in.
    roots: Arc<Mutex<Vec<PathBuf>>>,
    own: Arc<OwnSession>,
    /// The code graph of the project is kept up to date while the client is here.
    watches: Arc<Watches>,
}

impl Server {
    fn new(environment: &Environment, log: &Log, way: Way) -> Self {
        oldhand_store::meaning::keep_open();
        Self {
            environment: environment.clone(),
            way,
            log: log.clone(),
            roots: Arc::default(),
            own: Arc::new(OwnSession::new(environment)),
            watches: Arc::default(),
        }
    }

    /// Does `work` where it may take its time. `None` when the client lost interest.
    async fn work<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&dyn Fn() -> Result<Room>) -> Result<T> + Send + 'static,
    ) -> Option<Result<T>> {
        let client = context.client_info().map(|client| client.name);
        let client = client.unwrap_or_else(|| "mcp".to_owned());
        let server = self.clone();
        let named = session_named_by(context, self.way);
        let working = apart(move || {
            let open = || {
                let folders = server.folders();
                let own = Arc::clone(&server.own);
                let room = Room::open(
                    &server.environment,
                    &folders,
                    client.clone(),
                    named.clone(),
                    own,
                )?;
                server.watches.keep(&room.environment, &room.project);
                Ok(room)
            };
            work(&open)
        });
        let done = context.ct.run_until_cancelled(working).await?;
        Some(done.unwrap_or_else(|panic| {
            let broken = anyhow::Error::new(panic).context("something is broken in Oldhand");
            Err(broken.context("the call was not answered"))
        }))
    }

    /// Where the agent may be at work, the surest first.
    fn folders(&self) -> Vec<PathBuf> {
        let environment = &self.environment;
        let roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        let agent = environment.agent_folder.iter();
        let mut folders: Vec<PathBuf> = agent.chain(roots.iter()).cloned().collect();
        let place = if environment.is_told_the_project {
            0
        } else {
            folders.len()
        };
        folders.insert(place, environment.folder.clone());
        folders
    }

    #[expect(
        deprecated,
        reason = "clients of today say in no other way where they work"
    )]
    async fn ask_for_roots(&self, peer: &Peer<RoleServer>) {
        let offered = peer
            .peer_info()
            .is_some_and(|client| client.capabilities.roots.is_some());
        if !offered {
            return;
        }
        match peer.list_roots().await {
            Ok(told) => {
                let folders = told.roots.iter().filter_map(|root| folder_of(&root.uri));
                *self.roots.lock().unwrap_or_else(PoisonError::into_inner) = folders.collect();
            }
            Err(error) => self
                .log
                .write(&format!("the client did not say where it works: {error}")),
        }
    }

    fn explain(&self, what: &str, error: &anyhow::Error) -> Explained {
        self.log.write(&format!("{what}: {error:#}"));
        Explained::of(error)
    }

    fn refuse(&self, what: &str, error: &anyhow::Error) -> ErrorData {
        let explained = self.explain(what, error);
        let message = match explained.hint {
            Some(hint) => format!("{}; {hint}", explained.message),
            None => explained.message,
        };
        ErrorData::resource_not_found(message, None)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let name = Implementation::new("oldhand", env!("CARGO_PKG_VERSION")).with_title("Oldhand");
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(INSTRUCTIONS)
    }

    /// Over HTTP only versions with sessions: notes belong to one.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let known = ProtocolVersion::KNOWN_VERSIONS.iter();
        known
            .filter(|version| self.way == Way::Pipes || version.has_initialize())
            .cloned()
            .collect()
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_roots(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_roots(&context.peer).await;
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = TOOLS.iter().map(|tool| {
            let effect = ToolAnnotations::with_title(tool.title)
                .read_only(tool.effect == Effect::Reads)
                .destructive(false)
                .open_world(false);
            rmcp::model::Tool::new(tool.name, tool.about, Arc::new(tool.schema()))
                .with_annotations(effect)
        });
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let what = format!("there is no method `{}`", request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, what, None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Tool::named(&request.name) else {
            let meant = match Tool::nearest(&request.name) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => String::new(),
            };
            let message = format!("there is no tool `{}`{meant}", short(&request.name));
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let answered = self
            .work(&context, move |open| {
                let given = tool.take(arguments)?;
                (tool.answer)(&given, &open()?)
            })
            .await;
        let result = match answered {
            Some(Ok(reply)) => reply.into_result(),
            Some(Err(error)) => reply::failure(&self.explain(tool.name, &error)),
            None => return Err(ErrorData::internal_error("the call was cancelled", None)),
        };
        Ok(CallToolResponse::Complete(result))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = self.work(&context, |open| resources::list(&open()?)).await;
        // A client lists what there is when it starts, wherever that is; a place without a project has nothing.
        let listed = listed.and_then(|listed| {
            listed
                .inspect_err(|error| self.log.write(&format!("resources: {error:#}")))
                .ok()
        });
        Ok(ListResourcesResult::with_all_items(
            listed.unwrap_or_default(),
        ))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(
            resources::templates(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let read = self
            .work(&context, move |open| resources::read(&uri, &open()?))
            .await;
        match read {
            Some(Ok(contents)) => Ok(ReadResourceResult::new(vec![contents]).into()),
            Some(Err(error)) => Err(self.refuse("resource", &error)),
            None => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let name = request.name;
        let got = self
            .work(&context, move |open| {
                let argument = |key: &str| arguments.get(key).and_then(Value::as_str);
                prompts::get(&name, argument, open)
            })
            .await;
        match got {
            Some(Ok(message)) => Ok(GetPromptResult::new(vec![message]).into()),
            Some(Err(error)) => {
                let refusal = self.refuse("prompt", &error);
                Err(ErrorData::invalid_params(refusal.message, None))
            }
            None => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }
}

/// The session as a client names it beside a call, or in the environment it starts its servers in.
fn session_named_by(context: &RequestContext<RoleServer>, way: Way) -> Option<String> {
    let beside = |path: &str| {
        let meta = serde_json::to_value(&context.meta).ok()?;
        Some(meta.pointer(path)?.as_str()?.to_owned())
    };
    beside("/x-codex-turn-metadata/session_id")
        .or_else(|| beside("/threadId"))
        .or_else(|| {
            let named = Environment::other_variable("CLAUDE_CODE_SESSION_ID");
            let named = named.filter(|_| way == Way::Pipes)?;
            Some(named.to_string_lossy().into_owned())
        })
}

/// The folder that a `file:` address names.
fn folder_of(uri: &str) -> Option<PathBuf> {
    let path = PathBuf::from(path_in_address(uri)?);
    path.is_absolute().then_some(path)
}

/// A name as far as it is worth repeating.
fn short(name: &str) -> &str {
    &name[..name.floor_char_boundary(80)]
}
