//! The doors of the house: the command line, and what it is started with.
//!
//! Everything outside the house is looked at here and nowhere else: arguments, environment, clock, files, terminal.
//! Start reading at [`cli`], which has one file per command; [`project`] says which project a folder is, [`config`]
//! what is set, [`out`] how answers look.

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]

mod agent;
mod apart;
mod card;
mod cli;
mod code;
mod config;
mod crib;
mod desk;
mod explain;
mod failure;
mod file;
mod health;
mod heap;
mod hook;
mod ids;
mod input;
mod interrupt;
mod job;
mod mcp;
mod nearest;
mod out;
mod page;
mod paths;
mod processors;
mod project;
mod sessions;
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
mod start;
mod sweep;
mod trust;
mod up;
mod view;
mod wire;

#[cfg(any(test, not(all(target_os = "linux", target_env = "gnu"))))]
fn main() -> std::process::ExitCode {
    cli::run(std::env::args_os())
}
