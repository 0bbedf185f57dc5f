//! Manifests and the settings of formatters and linters, read for the conventions they lay down.
//!
//! Only plain keys with plain values are read, so that one reader does for TOML, YAML, JSON, INI and settings written as
//! code: `printWidth: 100`, `max_width = 100`, `"lineWidth": 100`. What a program would have to work out is left out.

mod rank;

use std::collections::BTreeMap;

use rank::{Aspect, settled};

/// A kind of file and what its keys mean.
struct Kind {
    /// Names of files; one that ends in `*` is the beginning of a name.
    names: &'static [&'static str],
    title: &'static str,
    keys: &'static [(&'static str, Meaning)],
    /// What the names of rules that are errors are said to be.
    rules: Option<&'static str>,
}

enum Meaning {
    /// Said of `true`, and of `false` where that says something.
    Flag(&'static str, &'static str),
    /// The value stands for `{}`.
    Value(&'static str),
    Choice(&'static [(&'static str, &'static str)]),
    /// Said of a command that also puts right what it finds.
    Mends(&'static str),
}

use Meaning::{Choice, Flag, Mends, Value};

const WIDTH: Meaning = Value("lines of at most {} characters");
const INDENT: Meaning = Value("indented by {}");
const TABS_OR_SPACES: Meaning = Choice(&[("tab", "tabs"), ("space", "spaces")]);
const QUOTES: Meaning = Choice(&[("single", "single quotes"), ("double", "double quotes")]);

/// Prettier's, which others took over.
const PRETTIER: &[(&str, Meaning)] = &[
    ("semi", Flag("semicolons", "no semicolons")),
    ("singleQuote", Flag("single quotes", "double quotes")),
    ("useTabs", Flag("tabs", "")),
    ("tabWidth", INDENT),
    ("printWidth", WIDTH),
    (
        "trailingComma",
        Choice(&[
            ("none", "no trailing commas"),
            ("es5", "trailing commas"),
            ("all", "trailing commas"),
        ]),
    ),
];

const KINDS: &[Kind] = &[
    Kind {
        names: &[".editorconfig"],
        title: "Formatting",
        keys: &[
            ("indent_style", TABS_OR_SPACES),
            ("indent_size", INDENT),
            ("max_line_length", WIDTH),
            ("end_of_line", Value("line ends are {}")),
        ],
        rules: None,
    },
    Kind {
        names: &["rustfmt.toml", ".rustfmt.toml"],
        title: "Rust is formatted by rustfmt",
        keys: &[
            ("max_width", WIDTH),
            ("hard_tabs", Flag("tabs", "")),
            ("imports_granularity", Value("imports by {}")),
            ("group_imports", Value("imports grouped as {}")),
        ],
        rules: None,
    },
    Kind {
        names: &[".prettierrc*", "prettier.config.*"],
        title: "Formatted by Prettier",
        keys: PRETTIER,
        rules: None,
    },
    Kind {
        names: &[".oxfmtrc*"],
        title: "Formatted by oxfmt",
        keys: PRETTIER,
        rules: None,
    },
    Kind {
        names: &["biome.json", "biome.jsonc"],
        title: "Formatted and checked by Biome",
        keys: &[
            ("indentStyle", TABS_OR_SPACES),
            ("indentWidth", INDENT),
            ("lineWidth", WIDTH),
            ("quoteStyle", QUOTES),
            (
                "semicolons",
                Choice(&[("always", "semicolons"), ("asNeeded", "no semicolons")]),
            ),
        ],
        rules: Some("errors are"),
    },
    Kind {
        names: &[".eslintrc*", "eslint.config.*"],
        title: "Checked by ESLint",
        keys: &[],
        rules: Some("errors are"),
    },
    Kind {
        names: &["tsconfig.json", "tsconfig.base.json"],
        title: "TypeScript",
        keys: &[
            ("strict", Flag("strict", "not strict")),
            ("noImplicitAny", Flag("no implicit any", "")),
            (
                "noUncheckedIndexedAccess",
                Flag("indexed access may be undefined", ""),
            ),
            (
                "exactOptionalPropertyTypes",
                Flag("exact optional properties", ""),
            ),
            ("noUnusedLocals", Flag("no unused locals", "")),
            ("verbatimModuleSyntax", Flag("`import type` for types", "")),
        ],
        rules: None,
    },
    Kind {
        names: &[
            "pyproject.toml",
            "ruff.toml",
            ".ruff.toml",
            "setup.cfg",
            ".flake8",
        ],
        title: "Python",
        keys: &[
            ("requires-python", Value("version {}")),
            ("python_requires", Value("version {}")),
            ("line-length", WIDTH),
            ("max-line-length", WIDTH),
            ("strict", Flag("strict types", "")),
            (
                "disallow_untyped_defs",
                Flag("every function has types", ""),
            ),
        ],
        rules: None,
    },
    Kind {
        names: &["Cargo.toml"],
        title: "Rust",
        keys: &[
            ("edition", Value("edition {}")),
            ("rust-version", Value("version {} at least")),
            (
                "unsafe_code",
                Choice(&[("forbid", "no unsafe code"), ("deny", "no unsafe code")]),
            ),
            (
                "missing_docs",
                Choice(&[
                    ("deny", "everything public is documented"),
                    ("warn", "everything public is documented"),
                ]),
            ),
            (
                "unwrap_used",
                Choice(&[("deny", "no `unwrap`"), ("warn", "no `unwrap`")]),
            ),
        ],
        rules: None,
    },
    Kind {
        names: &["go.mod"],
        title: "Go",
        keys: &[("go", Value("version {}"))],
        rules: None,
    },
    Kind {
        names: &["package.json"],
        title: "Node",
        keys: &[
            ("packageManager", Value("packages by {}")),
            ("type", Choice(&[("module", "ES modules")])),
            ("node", Value("version {}")),
            ("lint", Mends("the script `lint` changes files")),
        ],
        rules: None,
    },
    Kind {
        names: &[".golangci.yml", ".golangci.yaml"],
        title: "Go is checked by golangci-lint",
        keys: &[(
            "fix",
            Flag("each run changes files that it can mend (`fix`)", ""),
        )],
        rules: Some("with"),
    },
    Kind {
        names: &["commitlint.config.*", ".commitlintrc*"],
        title: "Commit messages",
        keys: &[],
        rules: None,
    },
];

/// More rules than this are named by their number.
const NAMED: usize = 12;

/// A convention that a file lays down, and the line where it says so.
pub(super) struct Convention {
    pub(super) text: String,
    pub(super) line: usize,
}

/// Beginnings of the names of files that are read, for whoever looks for them.
pub fn is_settings_file(name: &str) -> bool {
    kind_of(name).is_some()
}

fn kind_of(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| {
        kind.names
            .iter()
            .any(|known| match known.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == *known,
            })
    })
}

/// What the file called `name` lays down: one sentence, or nothing. Of an `.editorconfig` only that is said which no other file of the project,
/// by its name and text, has the word on.
pub(super) fn read<'t>(
    name: &str,
    text: &str,
    others: impl Iterator<Item = (&'t str, &'t str)>,
) -> Option<Convention> {
    let kind = kind_of(name)?;
    let mut pairs = pairs(text);
    if name == ".editorconfig" {
        let settled = settled(others);
        let is_open = |aspect: Aspect| !settled.contains(&aspect);
        pairs.retain(|key, _| Aspect::of(key).is_none_or(is_open));
    }
    let mut said = Vec::new();
    let mut line = usize::MAX;
    for (key, meaning) in kind.keys {
        let Some((value, at)) = pairs.get(*key) else {
            continue;
        };
        let words = meaning.say(value);
        if let Some(words) = words {
            said.push(words);
            line = line.min(*at);
        }
    }
    if let Some(verb) = kind.rules {
        let rules = enforced(text);
        if let Some((_, first)) = rules.first() {
            line = line.min(*first);
            said.push(name_rules(verb, &rules));
        }
    }
    if text.contains("config-conventional") {
        said.push("Conventional Commits (`type(scope): what`)".to_owned());
        line = line.min(1);
    }
    (!said.is_empty()).then(|| Convention {
        text: format!("{}: {} (`{name}`).", kind.title, said.join(", ")),
        line,
    })
}

impl Meaning {
    fn say(&self, value: &str) -> Option<String> {
        let is_plain = |value: &str| {
            let odd = |c: char| matches!(c, '{' | '[' | '(' | '$' | '`');
            !value.is_empty() && value.len() <= 40 && !value.contains(odd)
        };
        let words = match self {
            Flag(yes, no) => match value {
                "true" => (*yes).to_owned(),
                "false" => (*no).to_owned(),
                _ => String::new(),
            },
            Value(words) if is_plain(value) => words.replace("{}", value),
            Value(_) => String::new(),
            Choice(choices) => choices
                .iter()
                .find(|(choice, _)| *choice == value)
                .map_or_else(String::new, |(_, words)| (*words).to_owned()),
            Mends(words) => {
                let mut options = value.split_whitespace();
                let mends = options.any(|option| matches!(option, "--fix" | "--write"));
                if mends {
                    (*words).to_owned()
                } else {
                    String::new()
                }
            }
        };
        (!words.is_empty()).then_some(words)
    }
}

/// The first value of each key, with its line.
fn pairs(text: &str) -> BTreeMap<&str, (&str, usize)> {
    let mut found = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with(['#', ';']) || line.starts_with("//") {
            continue;
        }
        // Several on one line, as in `{ "enabled": true, "indentStyle": "tab" }`.
        let parts = if line.contains('{') {
            line.split(['{', '}', ',']).collect::<Vec<_>>()
        } else {
            vec![line]
        };
        for part in parts {
            // `go 1.24` is a pair, too.
            let pair = part.split_once(['=', ':']).or_else(|| {
                let version = part.strip_prefix("go ");
                version.map(|version| ("go", version))
            });
            if let Some((key, value)) = pair {
                let value = value.trim_start_matches('=');
                found.entry(bare(key)).or_insert((bare(value), at + 1));
            }
        }
    }
    found
}

/// A key or a value without quotes, commas and what is said beside it.
fn bare(text: &str) -> &str {
    let text = text.split(" #").next().unwrap_or(text);
    let text = text.split(" //").next().unwrap_or(text);
    text.trim()
        .trim_end_matches([',', ';'])
        .trim_matches(['"', '\'', ' '])
}

/// Rules that are errors (`"no-console": "error"`), and linters in a list below `enable:`.
fn enforced(text: &str) -> Vec<(&str, usize)> {
    let mut found: Vec<(&str, usize)> = Vec::new();
    let mut is_list = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(item) = line.strip_prefix("- ").filter(|_| is_list) {
            found.push((bare(item), at + 1));
            continue;
        }
        is_list = line == "enable:";
        if let Some((key, value)) = line.split_once(':') {
            let value = value.trim().trim_start_matches('[');
            let is_error = ["\"error\"", "'error'"]
                .iter()
                .any(|word| value.starts_with(word));
            if is_error && bare(key) != "level" {
                found.push((bare(key), at + 1));
            }
        }
    }
    found
}

fn name_rules(verb: &str, rules: &[(&str, usize)]) -> String {
    let names: Vec<&str> = rules.iter().map(|(name, _)| *name).take(NAMED).collect();
    match rules.len().saturating_sub(NAMED) {
        0 => format!("{verb} {}", names.join(", ")),
        more => format!("{verb} {} and {more} more", names.join(", ")),
    }
}

#[cfg(test)]
mod tests;
