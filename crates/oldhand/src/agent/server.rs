//! Calls of MCP servers as clients name them that put one underscore between the server and the tool.

use oldhand_domain::event::Call;
use oldhand_observe::fold::OWN_SERVERS;

use super::json::name;
use crate::mcp;

/// Ends the name of a server of which only the beginning can be seen, so that nobody takes it for the one that is called so.
pub(crate) const OR_LONGER: &str = "_*";

/// A server that has no name.
const UNKNOWN: &str = "unknown";

/// `SERVER_TOOL`. With one underscore more it could be a server of a longer name; only our own tools are known by theirs.
pub(super) fn joined(both: &str) -> Option<Call> {
    let of_own = |server: &'static str| {
        let tool = both.strip_prefix(server)?.strip_prefix('_')?;
        mcp::has_tool(tool).then_some((server, tool))
    };
    if let Some((server, tool)) = OWN_SERVERS.into_iter().find_map(of_own) {
        return Some(called(server.to_owned(), tool));
    }
    let (server, tool) = both.split_once('_')?;
    if server.is_empty() || tool.is_empty() {
        return None;
    }
    let or_longer = if tool.contains('_') { OR_LONGER } else { "" };
    Some(called(format!("{}{or_longer}", name(server)), tool))
}

/// A tool of some server.
pub(super) fn unknown(tool: &str) -> Call {
    called(UNKNOWN.to_owned(), tool)
}

fn called(server: String, tool: &str) -> Call {
    Call::Mcp {
        server,
        name: name(tool),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_whose_name_may_be_longer_is_never_the_one_it_begins_like() {
        for (both, server, tool) in [
            ("oldhand_search_memory", "oldhand", "search_memory"),
            ("oldhand_evil_read", "oldhand_*", "evil_read"),
            (
                "oldhand_evil_search_memory",
                "oldhand_*",
                "evil_search_memory",
            ),
            ("github_mirror_read", "github_*", "mirror_read"),
            ("github_search", "github", "search"),
        ] {
            let expected = Some(called(server.to_owned(), tool));
            assert_eq!(joined(both), expected, "{both}");
        }
        for both in ["search", "_search", "github_"] {
            assert_eq!(joined(both), None, "{both}");
        }
    }
}
