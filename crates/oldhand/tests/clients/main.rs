//! Real coding agents with Oldhand installed, offline, against a scripted model: what they are told, and what they never notice.
//!
//! `cargo xtask test` installs the packages and runs these; [`scene`] is the project they all work in.
#![allow(
    clippy::print_stdout,
    reason = "`cargo xtask test` shows what agents were told, and in how many tokens"
)]

mod claude_code;
mod codex;
mod gemini;
mod opencode;
mod promise;
mod scene;
mod trouble;
