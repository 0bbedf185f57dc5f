//! A piece of work, as its methodology names it.

use serde::{Deserialize, Serialize};

/// Opaque ids from the outermost container to the innermost item: `spec_042/subtask_3`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct WorkUnit {
    methodology: String,
    hierarchy: Vec<String>,
    label: String,
}

#[derive(Deserialize)]
struct Unchecked {
    methodology: String,
    hierarchy: Vec<String>,
    label: String,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidWorkUnit {
    #[error("a work unit needs at least one id")]
    Empty,
    #[error(
        "`{0}` cannot be an id in a work unit: it is empty, too long, or holds a slash or a space"
    )]
    Id(String),
}

const ID_LIMIT: usize = 80;
const DEPTH_LIMIT: usize = 8;

impl WorkUnit {
    pub fn new(
        methodology: &str,
        hierarchy: &[&str],
        label: &str,
    ) -> Result<Self, InvalidWorkUnit> {
        if hierarchy.is_empty() || hierarchy.len() > DEPTH_LIMIT {
            return Err(InvalidWorkUnit::Empty);
        }
        let bad = |id: &&&str| {
            id.is_empty()
                || id.len() > ID_LIMIT
                || id.contains(|c: char| c == '/' || c.is_whitespace() || c.is_control())
        };
        let all = hierarchy.iter().chain(std::iter::once(&methodology));
        if let Some(id) = all.into_iter().find(bad) {
            return Err(InvalidWorkUnit::Id((*id).to_owned()));
        }
        let path = hierarchy.join("/");
        Ok(Self {
            methodology: methodology.to_owned(),
            hierarchy: hierarchy.iter().map(|&id| id.to_owned()).collect(),
            label: if label.trim().is_empty() {
                path
            } else {
                label.trim().to_owned()
            },
        })
    }

    /// Reads `spec_042/subtask_3`.
    pub fn parse(methodology: &str, path: &str) -> Result<Self, InvalidWorkUnit> {
        let hierarchy: Vec<&str> = path.split('/').filter(|id| !id.is_empty()).collect();
        Self::new(methodology, &hierarchy, "")
    }

    pub fn methodology(&self) -> &str {
        &self.methodology
    }

    pub fn hierarchy(&self) -> &[String] {
        &self.hierarchy
    }

    pub fn label(&self) -> &str {
        &self.label
    }

    /// The ids joined by slashes.
    pub fn path(&self) -> String {
        self.hierarchy.join("/")
    }

    /// Whether `other` is this unit or lies inside it.
    pub fn contains(&self, other: &Self) -> bool {
        self.methodology == other.methodology && other.hierarchy.starts_with(&self.hierarchy)
    }
}

impl TryFrom<Unchecked> for WorkUnit {
    type Error = InvalidWorkUnit;

    fn try_from(raw: Unchecked) -> Result<Self, InvalidWorkUnit> {
        let hierarchy: Vec<&str> = raw.hierarchy.iter().map(String::as_str).collect();
        Self::new(&raw.methodology, &hierarchy, &raw.label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_contains_its_parts_and_itself() {
        let spec = WorkUnit::parse("native", "spec_042").unwrap();
        let subtask = WorkUnit::parse("native", "spec_042/subtask_3").unwrap();
        assert!(spec.contains(&subtask) && spec.contains(&spec));
        assert!(!subtask.contains(&spec));
        assert!(
            !WorkUnit::parse("bmad", "spec_042")
                .unwrap()
                .contains(&subtask)
        );
    }

    #[test]
    fn json_goes_through_the_same_door() {
        let json = r#"{"methodology":"native","hierarchy":["a b"],"label":""}"#;
        assert!(serde_json::from_str::<WorkUnit>(json).is_err());
        assert!(WorkUnit::parse("native", "/").is_err());
    }
}
