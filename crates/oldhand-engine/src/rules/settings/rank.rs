//! Who has the last word on how code is formatted: the rules, then the formatter's own settings, then `.editorconfig`.

use std::collections::BTreeSet;

use super::pairs;

/// What an `.editorconfig` and a formatter both lay down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Aspect {
    /// Tabs or spaces.
    Style,
    /// How far.
    Indent,
    /// How long a line may be.
    Width,
}

impl Aspect {
    const KEYS: &[(Self, &[&str])] = &[
        (
            Self::Style,
            &["indent_style", "useTabs", "hard_tabs", "indentStyle"],
        ),
        (
            Self::Indent,
            &[
                "indent_size",
                "tabWidth",
                "tab_spaces",
                "indentWidth",
                "indent-width",
            ],
        ),
        (
            Self::Width,
            &[
                "max_line_length",
                "max_width",
                "printWidth",
                "lineWidth",
                "line-length",
                "max-line-length",
            ],
        ),
    ];

    pub(super) fn of(key: &str) -> Option<Self> {
        let known = Self::KEYS.iter().find(|(_, keys)| keys.contains(&key));
        known.map(|(aspect, _)| *aspect)
    }
}

/// What the other files of a project, by name and text, have said already when an `.editorconfig` is read.
pub(super) fn settled<'t>(others: impl Iterator<Item = (&'t str, &'t str)>) -> BTreeSet<Aspect> {
    let mut settled = BTreeSet::new();
    for (name, text) in others {
        if name == ".editorconfig" {
            continue;
        }
        if super::is_settings_file(name) {
            // Biome has a say of its own on all of them, unless it is told to follow.
            let pairs = pairs(text);
            let follows = pairs.get("useEditorconfig").map(|(value, _)| *value) == Some("true");
            let decides = name.starts_with("biome.json") && !follows;
            settled.extend(
                Aspect::KEYS
                    .iter()
                    .map(|(aspect, _)| *aspect)
                    .filter(|_| decides),
            );
            settled.extend(pairs.into_keys().filter_map(Aspect::of));
        } else if text.lines().any(says_how_to_indent) {
            settled.extend([Aspect::Style, Aspect::Indent]);
        }
    }
    settled
}

/// Whether a line of a rules file says what to indent by.
fn says_how_to_indent(line: &str) -> bool {
    let line = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    has(&["tabs", "タブ", "spaces", "スペース"])
        && has(&[
            "indent",
            "インデント",
            "use tabs",
            "use spaces",
            "タブを使用",
            "over spaces",
            "over tabs",
        ])
}
