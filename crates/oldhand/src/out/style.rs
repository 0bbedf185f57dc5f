//! The few colours there are, each with one meaning.

use anstyle::{AnsiColor, Style};

/// Ids: what one copies into the next command.
pub(crate) const ID: Style = AnsiColor::Yellow.on_default();
/// What kind of thing it is.
pub(crate) const TYPE: Style = AnsiColor::Cyan.on_default();
/// Beside the point: ages, numbers, labels.
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();

pub(super) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(super) const HINT: Style = AnsiColor::Cyan.on_default().bold();
pub(super) const NOTE: Style = AnsiColor::Blue.on_default().bold();
pub(crate) const QUESTION: Style = STRONG;
