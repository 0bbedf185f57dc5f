//! What a person means by `src/a.ts`, `src/a.ts:Class.method`, `Class.method` or `method`.

use crate::snapshot::{NodeId, Snapshot};

/// The nodes that `text` may mean, best first; nothing when there is no such file or definition.
///
/// A path may leave out its beginning as long as what is left is whole names (`a.ts` for `src/a.ts`).
pub fn locate(snapshot: &Snapshot, text: &str) -> Vec<NodeId> {
    let text = text.trim().trim_start_matches("./");
    let as_file = files(snapshot, text);
    if !as_file.is_empty() {
        return as_file;
    }
    // A line number behind a path means the innermost definition on that line.
    for (at, _) in text.rmatch_indices(':').take(COLONS) {
        let (path, symbol) = (text[..at].trim_end_matches(':'), &text[at + 1..]);
        let files = files(snapshot, path);
        if files.is_empty() || symbol.is_empty() {
            continue;
        }
        if let Ok(line) = symbol.parse::<u32>() {
            return files
                .iter()
                .map(|&file| at_line(snapshot, file, line).unwrap_or(file))
                .collect();
        }
        let found = symbols(snapshot, symbol)
            .into_iter()
            .filter(|&node| files.contains(&snapshot.file_of(node)));
        return found.collect();
    }
    symbols(snapshot, text)
}

/// So many colons may stand behind a path; a text with more of them is none.
pub const COLONS: usize = 16;

/// The innermost definition around a line of `file`.
pub fn at_line(snapshot: &Snapshot, file: NodeId, line: u32) -> Option<NodeId> {
    let around = snapshot.symbols_in(file).map(|node| snapshot.symbol(node));
    let around = around.filter(|symbol| symbol.first_line <= line && line <= symbol.last_line);
    around
        .min_by_key(|symbol| symbol.last_line - symbol.first_line)
        .map(|symbol| symbol.id)
}

/// `Outer.inner`, with the owner for what stands outside its type.
pub fn qualified_name(snapshot: &Snapshot, node: NodeId) -> String {
    if snapshot.is_file(node) {
        return snapshot.path(node).to_owned();
    }
    let symbol = snapshot.symbol(node);
    let mut parts = vec![symbol.name];
    if !symbol.owner.is_empty() {
        parts.push(symbol.owner);
    }
    let mut around = symbol.container;
    while let Some(outer) = around {
        let outer = snapshot.symbol(outer);
        parts.push(outer.name);
        around = outer.container;
    }
    parts.reverse();
    parts.join(".")
}

fn files(snapshot: &Snapshot, path: &str) -> Vec<NodeId> {
    if let Some(file) = snapshot.find_file(path) {
        return vec![file];
    }
    if path.is_empty() || !path.contains(['.', '/']) {
        return Vec::new();
    }
    let end = format!("/{path}");
    let mut found: Vec<NodeId> = snapshot
        .files()
        .filter(|&file| snapshot.path(file).ends_with(&end))
        .collect();
    found.sort_by_key(|&file| snapshot.path(file).len());
    found
}

fn symbols(snapshot: &Snapshot, text: &str) -> Vec<NodeId> {
    let plain = text.replace("::", ".").replace('#', ".");
    let name = plain.rsplit('.').next().unwrap_or(&plain).to_owned();
    let mut found: Vec<NodeId> = snapshot.named(&name).collect();
    if plain.contains('.') {
        let end = format!(".{plain}");
        found.retain(|&node| {
            let whole = qualified_name(snapshot, node);
            whole == plain || whole.ends_with(&end)
        });
    }
    // What most depend on is most likely meant; tests are called like what they test.
    found.sort_by_key(|&node| {
        let is_test = super::impact::is_test(snapshot, node);
        (
            is_test,
            std::cmp::Reverse(snapshot.incoming_count(node)),
            node,
        )
    });
    found
}
