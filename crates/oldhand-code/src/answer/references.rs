//! Every place where a definition is named.

use crate::answer::step::is_override;
use crate::graph::{EdgeKind, Origin};
use crate::snapshot::{NodeId, Snapshot};

/// One place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub file: NodeId,
    pub line: u32,
    /// The definition around the place; the file itself when there is none.
    pub within: NodeId,
    pub kind: EdgeKind,
    pub origin: Origin,
    /// In percent.
    pub confidence: u8,
}

/// The places where any of `targets` is named, in the order of files and lines.
pub fn references(snapshot: &Snapshot, targets: &[NodeId]) -> Vec<Site> {
    let mut sites: Vec<Site> = Vec::new();
    for &target in targets {
        for edge in snapshot.incoming(target) {
            // What stands in for it has the same name, but does not name it.
            if is_override(snapshot, &edge) {
                continue;
            }
            let file = snapshot.file_of(edge.from);
            sites.extend(snapshot.lines(edge.id).map(|line| Site {
                file,
                line,
                within: edge.from,
                kind: edge.kind,
                origin: edge.origin,
                confidence: edge.confidence,
            }));
        }
    }
    sites.sort_by_key(|site| (site.file, site.line, site.within, site.kind));
    sites.dedup_by_key(|site| (site.file, site.line, site.within, site.kind));
    sites
}
