//! From what happened to what might be worth remembering.
//!
//! Data in, data out: a journal is folded into [`fold::SessionAnalytics`], detectors name what they see
//! in it, [`distill`] words it, [`promote`] decides. Nothing here asks a model, a clock or a database,
//! and the same journal always gives the same candidates, byte for byte. Start reading at
//! [`detect::DETECTORS`], which is the whole list, and at [`harvest`], which is the whole way.

pub mod detect;
pub mod distill;
pub mod fingerprint;
pub mod fold;
pub mod harvest;
#[cfg(test)]
mod hostile;
pub mod language;
pub mod learn;
pub mod orders;
pub mod outcome;
pub mod paths;
pub mod promote;
pub mod settle;
#[cfg(test)]
mod specs;
#[cfg(test)]
mod way_back;

#[cfg(test)]
use oldhand_testkit::story;
