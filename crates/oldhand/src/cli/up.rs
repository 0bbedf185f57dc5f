//! `oldhand up`: the door for agents and scripts that speak HTTP.

use std::io::{IsTerminal as _, Write as _};
use std::process::{Command, ExitCode, Stdio};

use anyhow::Result;
use serde_json::json;

use super::Door;
use crate::out::style::STRONG;
use crate::up::Up;

/// Serve MCP and the HTTP API on this machine, until Ctrl-C
///
/// Listens on 127.0.0.1 only and answers whoever shows the token as `Authorization: Bearer TOKEN`. The token is made once and
/// kept in up.token in OLDHAND_HOME, readable by you alone; delete the file and the next start makes a new one. Pages
/// of other sites are refused, and so are names that were made to lead here.
///
/// At /mcp is the Model Context Protocol over streamable HTTP, with the tools of `oldhand mcp`, about the project of the
/// folder that the client names, else of this one. At /api/v1/status is what `oldhand status --json` prints. The panel is
/// not part of this version: / is a page that says so.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand up
  oldhand up --no-open --port 0 --json
  claude mcp add --transport http oldhand http://127.0.0.1:4690/mcp --header \"Authorization: Bearer TOKEN\"")]
pub(crate) struct Args {
    /// The port to listen on; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 4690)]
    port: u16,
    /// Do not open the page in the browser
    #[arg(long)]
    no_open: bool,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let up = Up::open(&door.environment, args.port)?;
    let address = up.address();
    let token = up.token().text();
    // Without the token: others see the arguments of the program that opens it, and browsers keep addresses.
    let url = format!("{address}/");
    if door.out.is_json() {
        door.out.json(&json!({
            "url": url,
            "mcp": format!("{address}/mcp"),
            "api": format!("{address}/api/v1/"),
            "token": token,
            "token_file": up.token().file(),
        }))?;
    } else {
        writeln!(door.out, "{STRONG}{url}{STRONG:#}")?;
        writeln!(door.out, "  MCP       {address}/mcp")?;
        writeln!(door.out, "  status    {address}/api/v1/status")?;
        writeln!(door.out, "  token     {}", up.token().file().display())?;
        door.out.note("open until Ctrl-C");
    }
    door.out.flush()?;
    if !args.no_open && !door.out.is_json() && std::io::stdout().is_terminal() {
        open(&url);
    }
    up.serve(&door.environment)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows the page to a person. Where that cannot be done, the address on the terminal has to do.
fn open(url: &str) {
    let (program, first): (&str, &[&str]) = if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    let opener = Command::new(program)
        .args(first)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Ok(mut opener) = opener {
        // Where there is no thread for it, it is waited for by whoever ends this process.
        let _ = std::thread::Builder::new().spawn(move || opener.wait());
    }
}
