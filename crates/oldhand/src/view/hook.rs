//! What a hook answers its client. These shapes belong to the clients, not to us.

use serde::Serialize;

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

/// For the plugins we write ourselves.
#[derive(Serialize)]
pub(crate) struct PluginAnswerView<'a> {
    pub(crate) text: &'a str,
}
