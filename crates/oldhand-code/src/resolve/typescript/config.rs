//! `tsconfig.json` and `jsconfig.json`: `baseUrl`, `paths`, `extends` and project references.

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::problem::{Problem, ProblemKind};
use crate::project::{Project, join, parent};
use crate::walk::is_script_config;

/// Configurations chain at most this often.
const DEPTH: usize = 8;

/// What one configuration says about non-relative specifiers.
#[derive(Clone, Debug, Default)]
struct Rules {
    base: Option<String>,
    /// A pattern with at most one `*`, and the paths it stands for, relative to the project.
    paths: Vec<(String, Vec<String>)>,
}

/// The rules of every folder that has a configuration.
pub(super) struct Configs {
    by_folder: FxHashMap<String, Vec<Rules>>,
}

impl Configs {
    pub(super) fn read(project: &Project<'_>, problems: &mut Vec<Problem>) -> Self {
        let mut texts: FxHashMap<&str, Value> = FxHashMap::default();
        for manifest in project.manifests() {
            if !is_script_config(manifest.file_name()) {
                continue;
            }
            match serde_json::from_str(&without_comments(&manifest.text)) {
                Ok(value) => {
                    texts.insert(&manifest.path, value);
                }
                Err(error) => problems.push(Problem {
                    path: manifest.path.clone(),
                    kind: ProblemKind::Manifest,
                    detail: format!("not understood: {error}"),
                }),
            }
        }
        let mut by_folder: FxHashMap<String, Vec<Rules>> = FxHashMap::default();
        let mut paths: Vec<&&str> = texts.keys().collect();
        // The plain name speaks first for its folder.
        paths.sort_by_key(|path| {
            (
                !path.ends_with("/tsconfig.json") && **path != "tsconfig.json",
                **path,
            )
        });
        for path in paths {
            let rules = inherit(path, &texts, DEPTH);
            by_folder
                .entry(parent(path).to_owned())
                .or_default()
                .push(rules);
        }
        Self { by_folder }
    }

    /// Paths to try for `specifier` written in the file at `from`, best first.
    pub(super) fn candidates(&self, from: &str, specifier: &str) -> Vec<String> {
        let mut folder = parent(from);
        loop {
            if let Some(all) = self.by_folder.get(folder) {
                let candidates: Vec<String> = all
                    .iter()
                    .flat_map(|rules| rules.candidates(specifier))
                    .collect();
                if !candidates.is_empty() {
                    return candidates;
                }
            }
            if folder.is_empty() {
                return Vec::new();
            }
            folder = parent(folder);
        }
    }
}

impl Rules {
    fn candidates(&self, specifier: &str) -> Vec<String> {
        let exact = self.paths.iter().find(|(pattern, _)| pattern == specifier);
        let matching = || {
            let fits = self.paths.iter().filter_map(|(pattern, targets)| {
                let (before, after) = pattern.split_once('*')?;
                let middle = specifier.strip_prefix(before)?.strip_suffix(after)?;
                Some((before.len(), middle, targets))
            });
            // The longest fixed beginning wins, as in the compiler.
            fits.max_by_key(|(length, _, _)| *length)
        };
        let mut candidates = Vec::new();
        if let Some((_, targets)) = exact {
            candidates.extend(targets.iter().cloned());
        } else if let Some((_, middle, targets)) = matching() {
            candidates.extend(targets.iter().map(|target| target.replacen('*', middle, 1)));
        }
        candidates.extend(self.base.as_ref().and_then(|base| join(base, specifier)));
        candidates
    }
}

fn inherit(path: &str, texts: &FxHashMap<&str, Value>, depth: usize) -> Rules {
    let Some(value) = texts.get(path).filter(|_| depth > 0) else {
        return Rules::default();
    };
    let folder = parent(path);
    let mut rules = Rules::default();
    let parents = match &value["extends"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    for extended in parents {
        if let Some(found) = locate(folder, extended, texts) {
            rules = inherit(found, texts, depth - 1);
        }
    }
    let options = &value["compilerOptions"];
    if let Some(base) = options["baseUrl"].as_str() {
        rules.base = join(folder, base);
    }
    if let Some(paths) = options["paths"].as_object() {
        let start = rules.base.clone().unwrap_or_else(|| folder.to_owned());
        rules.paths = paths
            .iter()
            .map(|(pattern, targets)| {
                let targets = targets
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str);
                (
                    pattern.clone(),
                    targets.filter_map(|target| join(&start, target)).collect(),
                )
            })
            .collect();
    }
    // A configuration that only refers to others lends their rules to its folder.
    if rules.paths.is_empty() && rules.base.is_none() {
        for reference in value["references"].as_array().into_iter().flatten() {
            if let Some(found) = reference["path"]
                .as_str()
                .and_then(|path| locate(folder, path, texts))
                && parent(found) == folder
            {
                rules.paths.extend(inherit(found, texts, depth - 1).paths);
            }
        }
    }
    rules
}

fn locate<'t>(folder: &str, written: &str, texts: &FxHashMap<&'t str, Value>) -> Option<&'t str> {
    let path = join(folder, written)?;
    let tries = [
        path.clone(),
        format!("{path}.json"),
        format!("{path}/tsconfig.json"),
    ];
    tries
        .iter()
        .find_map(|path| texts.get_key_value(path.as_str()).map(|(found, _)| *found))
}

/// JSON without comments and trailing commas, which these files may have.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}').chars().peekable();
    let mut quoted = false;
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                quoted = !quoted;
                plain.push(c);
            }
            '\\' if quoted => {
                plain.push(c);
                plain.extend(rest.next());
            }
            '/' if !quoted && rest.peek() == Some(&'/') => {
                while rest.peek().is_some_and(|&c| c != '\n') {
                    rest.next();
                }
            }
            '/' if !quoted && rest.peek() == Some(&'*') => {
                let mut last = ' ';
                for c in rest.by_ref().skip(1) {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '}' | ']' if !quoted => {
                let end = plain.trim_end().len();
                if plain[..end].ends_with(',') {
                    plain.truncate(end - 1);
                }
                plain.push(c);
            }
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_and_trailing_commas_are_not_json() {
        let text = "{ // a\n \"x\": \"//no\", /* b */ \"y\": [1, 2,], }";
        let value: serde_json::Value =
            serde_json::from_str(&without_comments(text)).expect("plain JSON");
        assert_eq!(value, serde_json::json!({"x": "//no", "y": [1, 2]}));
    }
}
