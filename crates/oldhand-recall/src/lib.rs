//! From a question to the few lines worth saying.
//!
//! Data in, data out: every stage is a function over plain data, and nothing here asks a clock, a database or a model. The
//! engine runs the lanes through ports and hands over what they found.
//!
//! ```text
//! plan ─► (lanes) ─► fuse ─► gather ─► gate ─► reread ─► judge ─► boost ─► score ─► diversify ─► (expand) ─► pack ─► render
//!                    └─────────────────────────────── rank ────────────────────────────────┘
//! ```
//!
//! - [`plan::plan`] says what kind of question it is, which words the text lane looks for, which lanes to ask and how deep;
//!   [`plan::plan_code`] does so for pieces of code.
//! - [`named::Named`] are the files that a question names; what is about them leads the answer.
//! - [`lane::Ranked`] is what a lane found. The dense lane also scores what the text lane found.
//! - [`rank::rank`] runs the stages up to an ordered answer. Each [`candidate::Candidate`] carries its [`candidate::Because`],
//!   whose `Display` is one line for a person.
//! - [`subject::is_subject`] says of statements in our own words whether a task shares more than that sentence with them.
//! - [`chain::pulled`] and [`chain::expand`] bring along the lessons of files that are used together.
//! - [`inject::compose`] and [`inject::brief_task`] word what an agent is told unasked, within a budget of [`oldhand_domain::tokens::count`]
//!   tokens; only cleared memories get there.

pub mod act;
pub mod beside;
pub mod boost;
pub mod calibration;
pub mod candidate;
pub mod chain;
pub mod diversify;
pub mod effect;
mod endings;
pub mod fuse;
pub mod gate;
pub mod inject;
pub mod lane;
pub mod named;
pub mod nearness;
mod pack;
pub mod phase;
pub mod plan;
pub mod predict;
pub mod rank;
mod render;
pub mod request;
pub mod reread;
pub mod same;
pub mod score;
pub mod subject;
pub mod trust;
