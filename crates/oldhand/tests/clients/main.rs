//! Real coding agents with Oldhand installed, offline, against a scripted model: what they are told, and what they never notice.
//!
//! `cargo xtask test` installs the packages and runs these; [`scene`] is the project they all work in.

mod claude_code;
mod codex;
mod gemini;
mod promise;
mod scene;
