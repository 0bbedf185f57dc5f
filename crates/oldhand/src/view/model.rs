//! Models as JSON.

use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct ModelsView {
    pub(crate) models: Vec<ModelView>,
}

#[derive(Serialize)]
pub(crate) struct ModelView {
    pub(crate) model: &'static str,
    pub(crate) dimensions: usize,
    /// The lengths to which its vectors may be cut.
    pub(crate) prefixes: &'static [usize],
    /// Whether it was measured what relevance means for it.
    pub(crate) measured: bool,
    /// By the settings.
    pub(crate) chosen: bool,
    /// Whether its vectors answer now.
    pub(crate) serving: bool,
    /// How many there are.
    pub(crate) vectors: usize,
    /// How many changes of the memories they do not follow yet.
    pub(crate) behind: usize,
}
