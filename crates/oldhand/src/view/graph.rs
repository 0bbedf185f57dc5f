//! What the code graph answers, as JSON.

use jiff::Timestamp;
use oldhand_code::answer::impact::Reached;
use oldhand_code::answer::map::Command;
use oldhand_code::answer::references::Site;
use oldhand_code::answer::step::Step;
use oldhand_code::snapshot::{NodeId, Snapshot};
use serde::Serialize;

use super::memory::MemoryView;
use crate::code::{file_of, name_of};
use crate::out::time::count;

/// Two digits are what an estimate can carry.
pub(crate) fn rounded(number: f32) -> f64 {
    (f64::from(number) * 100.0).round() / 100.0
}

/// A file or a definition.
#[derive(Serialize)]
pub(crate) struct NodeView<'s> {
    path: &'s str,
    symbol: Option<String>,
    kind: &'static str,
    line: Option<u32>,
    /// The first line of its definition, as it is written.
    signature: Option<&'s str>,
}

impl<'s> NodeView<'s> {
    pub(crate) fn new(snapshot: &'s Snapshot, node: NodeId) -> Self {
        let symbol = (!snapshot.is_file(node)).then(|| snapshot.symbol(node));
        Self {
            path: file_of(snapshot, node),
            symbol: name_of(snapshot, node),
            kind: snapshot.kind(node).as_str(),
            line: symbol.map(|symbol| symbol.first_line),
            signature: symbol.map(|symbol| symbol.signature),
        }
    }

    pub(crate) fn folder(path: &'s str) -> Self {
        Self {
            path,
            symbol: None,
            kind: "directory",
            line: None,
            signature: None,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct ImpactView<'s> {
    pub(crate) target: TargetView<'s>,
    pub(crate) affected: Vec<AffectedView<'s>>,
    /// The modules they are in, strongest first.
    pub(crate) modules: Vec<ReachedModuleView<'s>>,
    pub(crate) tests: Vec<TestView<'s>>,
    pub(crate) memories: Vec<MemoryView<'s>>,
    pub(crate) truncated: bool,
}

#[derive(Serialize)]
pub(crate) struct TargetView<'s> {
    #[serde(flatten)]
    pub(crate) node: NodeView<'s>,
    /// What else the words may have meant.
    pub(crate) others: Vec<NodeView<'s>>,
}

/// What a change reaches of one module.
#[derive(Serialize)]
pub(crate) struct ReachedModuleView<'s> {
    pub(crate) name: &'s str,
    pub(crate) folder: &'s str,
    pub(crate) places: usize,
    pub(crate) files: usize,
    /// Of the strongest place.
    pub(crate) strength: f64,
}

#[derive(Serialize)]
pub(crate) struct AffectedView<'s> {
    path: &'s str,
    symbol: Option<String>,
    module: Option<&'s str>,
    line: Option<u32>,
    depth: u8,
    strength: f64,
    via: Vec<StepView<'s>>,
}

/// One step away from the target: who, by which kind of link, on which line.
#[derive(Serialize)]
pub(crate) struct StepView<'s> {
    path: &'s str,
    symbol: Option<String>,
    kind: &'static str,
    line: Option<u32>,
    confidence: f64,
    origin: &'static str,
}

impl<'s> StepView<'s> {
    pub(crate) fn new(snapshot: &'s Snapshot, step: &Step) -> Self {
        let Step { edge, to, .. } = step;
        Self {
            path: file_of(snapshot, *to),
            symbol: name_of(snapshot, *to),
            kind: step.word(),
            line: snapshot.lines(edge.id).next(),
            confidence: f64::from(edge.confidence) / 100.0,
            origin: edge.origin.as_str(),
        }
    }
}

impl<'s> AffectedView<'s> {
    pub(crate) fn new(snapshot: &'s Snapshot, reached: &Reached, module: Option<&'s str>) -> Self {
        let node = reached.node;
        let steps = reached.path.iter();
        Self {
            path: file_of(snapshot, node),
            symbol: name_of(snapshot, node),
            module,
            line: (!snapshot.is_file(node)).then(|| snapshot.symbol(node).first_line),
            depth: reached.depth,
            strength: rounded(reached.strength),
            via: steps.map(|step| StepView::new(snapshot, step)).collect(),
        }
    }
}

/// A file of tests to run, and which of its tests.
#[derive(Serialize)]
pub(crate) struct TestView<'s> {
    pub(crate) path: &'s str,
    pub(crate) symbols: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct DependenciesView<'s> {
    pub(crate) path: &'s str,
    pub(crate) imports: Vec<NeighbourView<'s>>,
    pub(crate) imported_by: Vec<NeighbourView<'s>>,
    /// Used without being imported: through a value, or because one package is several files.
    pub(crate) uses: Vec<NeighbourView<'s>>,
    pub(crate) used_by: Vec<NeighbourView<'s>>,
    /// Packages outside the project.
    pub(crate) externals: Vec<&'s str>,
}

#[derive(Serialize)]
pub(crate) struct NeighbourView<'s> {
    pub(crate) path: &'s str,
    pub(crate) kinds: Vec<&'static str>,
    pub(crate) confidence: f64,
    /// What is used of the one by the other.
    pub(crate) symbols: Vec<String>,
    /// Where the using file does so.
    pub(crate) lines: Vec<u32>,
}

#[derive(Serialize)]
pub(crate) struct ReferencesView<'s> {
    pub(crate) definitions: Vec<NodeView<'s>>,
    pub(crate) references: Vec<ReferenceView<'s>>,
}

#[derive(Serialize)]
pub(crate) struct ReferenceView<'s> {
    path: &'s str,
    line: u32,
    confidence: f64,
    /// The definition around the place.
    within: Option<String>,
    kind: &'static str,
    origin: &'static str,
}

impl<'s> ReferenceView<'s> {
    pub(crate) fn new(snapshot: &'s Snapshot, site: &Site) -> Self {
        Self {
            path: snapshot.path(site.file),
            line: site.line,
            confidence: f64::from(site.confidence) / 100.0,
            within: name_of(snapshot, site.within),
            kind: site.kind.as_str(),
            origin: site.origin.as_str(),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct CoupledView {
    pub(crate) files: Vec<CoupledFileView>,
}

#[derive(Serialize)]
pub(crate) struct CoupledFileView {
    pub(crate) path: String,
    pub(crate) strength: f64,
    pub(crate) because: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct FlowView<'s> {
    pub(crate) from: NodeView<'s>,
    pub(crate) to: NodeView<'s>,
    pub(crate) paths: Vec<PathView<'s>>,
    pub(crate) truncated: bool,
}

#[derive(Serialize)]
pub(crate) struct PathView<'s> {
    pub(crate) confidence: f64,
    pub(crate) steps: Vec<StepView<'s>>,
}

#[derive(Serialize)]
pub(crate) struct WhereView<'s> {
    pub(crate) matches: Vec<MatchView<'s>>,
    /// Files whose text holds the words.
    pub(crate) files: Vec<WordsView>,
}

#[derive(Serialize)]
pub(crate) struct MatchView<'s> {
    #[serde(flatten)]
    pub(crate) node: NodeView<'s>,
    pub(crate) score: f64,
    pub(crate) because: &'static str,
}

#[derive(Serialize)]
pub(crate) struct WordsView {
    pub(crate) path: String,
    pub(crate) score: f64,
}

#[derive(Serialize)]
pub(crate) struct OutlineView<'s> {
    pub(crate) path: &'s str,
    pub(crate) lines: Vec<OutlineLineView<'s>>,
    pub(crate) left_out: usize,
    pub(crate) tokens: usize,
    /// Why nothing is known of what it defines.
    pub(crate) unread: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct OutlineLineView<'s> {
    pub(crate) line: u32,
    pub(crate) indent: usize,
    pub(crate) text: &'s str,
    pub(crate) symbol: Option<String>,
    pub(crate) kind: &'static str,
}

#[derive(Serialize)]
pub(crate) struct HotView {
    pub(crate) files: Vec<HotFileView>,
    /// Why the history may be less than whole.
    pub(crate) gaps: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct HotFileView {
    pub(crate) path: String,
    pub(crate) score: f64,
    pub(crate) fixes: usize,
    pub(crate) repeated_fixes: usize,
    /// Fixes in a row, each within two weeks of the last, at most; 0 or at least 2.
    pub(crate) longest_chain: usize,
    /// Commits taken back that had changed it.
    pub(crate) reverted: usize,
    pub(crate) commits: usize,
    pub(crate) changes_a_month: f64,
    /// Who changed it most, and the share of all changes that is.
    pub(crate) owner: Option<String>,
    pub(crate) owner_share: Option<f64>,
    pub(crate) dependents: usize,
    pub(crate) lines: u32,
}

impl HotFileView {
    /// Why it is hot, in one line.
    pub(crate) fn say(&self) -> String {
        let mut words = Vec::new();
        if self.commits > 0 {
            let commits = count(self.commits, "commit");
            words.push(if self.changes_a_month < 1.0 {
                commits
            } else {
                format!("{commits} ({:.0} a month)", self.changes_a_month)
            });
        }
        if self.fixes > 0 {
            let fixes = match self.fixes {
                1 => "1 fix".to_owned(),
                fixes => format!("{fixes} fixes"),
            };
            words.push(match self.repeated_fixes {
                0 => fixes,
                again if self.longest_chain > 2 => {
                    let row = self.longest_chain;
                    format!("{fixes} ({again} repeated, up to {row} in a row)")
                }
                again => format!("{fixes} ({again} repeated)"),
            });
        }
        if self.reverted > 0 {
            words.push(match self.reverted {
                1 => "taken back once".to_owned(),
                times => format!("taken back {times} times"),
            });
        }
        if let (Some(owner), Some(share)) = (&self.owner, self.owner_share)
            && self.commits >= 3
            && share >= 0.5
        {
            words.push(format!("mostly by {owner} ({:.0} %)", share * 100.0));
        }
        if self.dependents > 0 {
            words.push(format!("used by {}", count(self.dependents, "file")));
        }
        words.push(count(self.lines as usize, "line"));
        words.join(", ")
    }
}

#[derive(Serialize)]
pub(crate) struct MapView<'s> {
    pub(crate) modules: Vec<ModuleView<'s>>,
    pub(crate) languages: Vec<LanguageView>,
}

/// A language and how many files are written in it.
#[derive(Serialize)]
pub(crate) struct LanguageView {
    pub(crate) name: &'static str,
    pub(crate) files: usize,
}

#[derive(Serialize)]
pub(crate) struct ModuleView<'s> {
    pub(crate) name: &'s str,
    pub(crate) folder: &'s str,
    pub(crate) description: &'s str,
    pub(crate) lines: u32,
    pub(crate) files: Vec<&'s str>,
    pub(crate) tests: Vec<&'s str>,
    pub(crate) core: Vec<&'s str>,
    pub(crate) entry_points: Vec<&'s str>,
    pub(crate) depends_on: Vec<LinkView<'s>>,
    pub(crate) externals: &'s [String],
    pub(crate) commands: Vec<CommandView>,
}

#[derive(Serialize)]
pub(crate) struct LinkView<'s> {
    pub(crate) module: &'s str,
    pub(crate) links: usize,
}

#[derive(Serialize)]
pub(crate) struct CommandView {
    pub(crate) purpose: &'static str,
    pub(crate) line: String,
    pub(crate) folder: String,
}

impl CommandView {
    pub(crate) fn new(command: &Command) -> Self {
        Self {
            purpose: command.purpose.as_str(),
            line: command.line.clone(),
            folder: command.folder.clone(),
        }
    }

    /// The command, and where to run it when that is not the root.
    pub(crate) fn say(&self) -> String {
        if self.folder.is_empty() {
            self.line.clone()
        } else {
            format!("{}  (in {})", self.line, self.folder)
        }
    }
}

/// How many files a compiler's index covers.
#[derive(Serialize)]
pub(crate) struct ScipView {
    pub(crate) files: usize,
}

/// What was made of the tree.
#[derive(Serialize)]
pub(crate) struct IndexView {
    pub(crate) files: usize,
    pub(crate) symbols: usize,
    pub(crate) edges: usize,
    pub(crate) languages: Vec<LanguageView>,
    pub(crate) commits: usize,
    pub(crate) problems: Vec<String>,
    pub(crate) gaps: Vec<String>,
}

/// What a tree and its history say before anyone has worked on it.
#[derive(Serialize)]
pub(crate) struct SurveyView {
    #[serde(flatten)]
    pub(crate) index: IndexView,
    pub(crate) modules: Vec<ModuleNameView>,
    pub(crate) hot: Vec<HotFileView>,
    pub(crate) couplings: Vec<CouplingView>,
    pub(crate) module_couplings: Vec<ModuleCouplingView>,
    /// How many commits took others back.
    pub(crate) reversals: usize,
    /// The newest of them.
    pub(crate) taken_back: Vec<ReversalView>,
    pub(crate) commands: Vec<CommandView>,
}

/// Two modules whose files change together.
#[derive(Serialize)]
pub(crate) struct ModuleCouplingView {
    pub(crate) a: String,
    pub(crate) b: String,
    /// Pairs of files, one of each.
    pub(crate) pairs: usize,
    /// Of the pair that changed together most often.
    pub(crate) commits: usize,
}

/// A commit that took another back.
#[derive(Serialize)]
pub(crate) struct ReversalView {
    /// The first digits of its id.
    pub(crate) by: String,
    /// Of the one it took back, where the history knows it.
    pub(crate) of: Option<String>,
    pub(crate) paths: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct ModuleNameView {
    pub(crate) name: String,
    pub(crate) folder: String,
    pub(crate) files: usize,
}

/// Two files that change together, and in how many commits.
#[derive(Serialize)]
pub(crate) struct CouplingView {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) commits: usize,
}

/// How old the graph is, and what it does not know yet.
#[derive(Serialize)]
pub(crate) struct CodeView {
    pub(crate) files: usize,
    pub(crate) symbols: usize,
    pub(crate) edges: usize,
    pub(crate) updated_at: Option<Timestamp>,
    /// Files that were touched, added or removed since.
    pub(crate) changed: usize,
}
