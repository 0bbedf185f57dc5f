//! What a hook answers its client. These shapes belong to the clients, not to us.

use std::borrow::Cow;

use serde::Serialize;

use crate::wire::Change;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnswerView<'a> {
    hook_specific_output: ContextView<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContextView<'a> {
    hook_event_name: &'a str,
    additional_context: &'a str,
}

impl<'a> AnswerView<'a> {
    pub(crate) fn new(event: &'a str, text: &'a str) -> Self {
        Self {
            hook_specific_output: ContextView {
                hook_event_name: event,
                additional_context: text,
            },
        }
    }
}

/// For Cursor.
#[derive(Serialize)]
pub(crate) struct BareAnswerView<'a> {
    pub(crate) additional_context: &'a str,
}

/// For the plugins we write ourselves.
#[derive(Serialize)]
pub(crate) struct PluginAnswerView<'a> {
    pub(crate) text: &'a str,
}

/// What `install` and `uninstall` did.
#[derive(Serialize)]
pub(crate) struct WiresView<'a> {
    pub(crate) files: Vec<WireView<'a>>,
}

#[derive(Serialize)]
pub(crate) struct WireView<'a> {
    agent: &'static str,
    path: Cow<'a, str>,
    /// `written`, `planned` or `unchanged`.
    outcome: &'static str,
}

impl<'a> WireView<'a> {
    pub(crate) fn new(change: &'a Change, outcome: &'static str) -> Self {
        Self {
            agent: change.client.as_str(),
            path: change.path.to_string_lossy(),
            outcome,
        }
    }
}
