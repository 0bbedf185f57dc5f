//! Rules files (CLAUDE.md, AGENTS.md, .cursorrules and their kin) read as typed statements.
//!
//! Pure: text in, rules out. [`parse`] cuts a file into statements; [`guess_type`] says what kind of statement a
//! sentence is, which is also what a person gets who names no type.

mod guess;
mod markdown;

use std::collections::BTreeSet;

use oldhand_domain::memory::{Author, Draft};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::payload::BuiltInType;
use oldhand_domain::text::{CONTENT_LIMIT, Content, Tag};
use oldhand_domain::vocabulary::Visibility;
use oldhand_redact::redact;

pub use guess::guess_type;

use markdown::{Block, Kind};

/// Where tools keep their rules, below a project's root. A name that ends in `/` is a folder of such files.
pub const KNOWN_FILES: &[&str] = &[
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".cursor/rules/",
    ".windsurfrules",
    ".windsurf/rules/",
    ".github/copilot-instructions.md",
];

/// One statement of a rules file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub content: String,
    pub rule_type: BuiltInType,
    pub tags: BTreeSet<Tag>,
    /// Paths the statement names; whether they exist is for the caller to find out.
    pub paths: BTreeSet<ProjectPath>,
    /// From 1.
    pub line: usize,
}

/// A part of the file that is not a statement we can keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    pub line: usize,
    pub why: &'static str,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    pub rules: Vec<Rule>,
    pub skipped: Vec<Skipped>,
}

/// Cuts the rules file at `file` into statements.
pub fn parse(file: &ProjectPath, text: &str) -> Rules {
    let (front, body, first_line) = split_front_matter(text);
    let globs = front.map(read_globs).unwrap_or_default();
    let mut found = Rules::default();
    let mut seen = BTreeSet::new();
    for block in markdown::blocks(body, first_line) {
        match block.kind {
            Kind::Statement => {
                for rule in read_statement(file, &block, &globs) {
                    if rule.content.len() > CONTENT_LIMIT {
                        found.skipped.push(Skipped {
                            line: rule.line,
                            why: "longer than a memory can be",
                        });
                    } else if seen.insert(rule.content.clone()) {
                        found.rules.push(rule);
                    }
                }
            }
            Kind::Skipped(why) => found.skipped.push(Skipped {
                line: block.line,
                why,
            }),
        }
    }
    found
}

impl Rule {
    /// What is stored for this rule, as it would read after redaction; `None` when nothing would be left.
    pub fn stored_content(&self) -> Option<Content> {
        Content::new(&redact(&self.content).text).ok()
    }

    /// The memory that the rule asks for. It is the project's, like the file it comes from.
    pub fn draft(self, file: &ProjectPath) -> Draft {
        let author = Author::new(&format!("import:{file}"));
        Draft {
            tags: self.tags,
            files: self.paths,
            created_by: author.unwrap_or_else(|_| Author::user()),
            visibility: Some(Visibility::Project),
            ..Draft::taught(self.rule_type.into(), self.content)
        }
    }
}

/// The tag that all rules of a file carry.
pub fn file_tag(file: &ProjectPath) -> Option<Tag> {
    Tag::new(&file.name().replace([' ', ','], "-")).ok()
}

fn read_statement(file: &ProjectPath, block: &Block, globs: &BTreeSet<ProjectPath>) -> Vec<Rule> {
    let heading = block.headings.last().map(String::as_str);
    let mut tags: BTreeSet<Tag> = file_tag(file).into_iter().collect();
    tags.extend(heading.and_then(heading_tag));
    let contents = if block.text.len() > CONTENT_LIMIT && !block.children.is_empty() {
        // Too much for one memory, but its points stand on their own.
        block.children.clone()
    } else {
        vec![block.whole()]
    };
    contents
        .into_iter()
        .map(|content| {
            let content = with_context(heading, &content);
            Rule {
                rule_type: guess::guess_type_under(heading, &content),
                paths: globs.iter().cloned().chain(named_paths(&content)).collect(),
                tags: tags.clone(),
                line: block.line,
                content,
            }
        })
        .collect()
}

/// A few words rarely stand on their own: `Run npm test` under "Unit tests" becomes `Unit tests: Run npm test`.
fn with_context(heading: Option<&str>, content: &str) -> String {
    let few = content.split_whitespace().count() < 8;
    match heading {
        Some(heading) if few && !mentions(content, heading) => format!("{heading}: {content}"),
        _ => content.to_owned(),
    }
}

fn mentions(content: &str, heading: &str) -> bool {
    let content = content.to_lowercase();
    let mut words = heading.split_whitespace().filter(|word| word.len() > 3);
    words.any(|word| content.contains(&word.to_lowercase()))
}

fn heading_tag(heading: &str) -> Option<Tag> {
    let words: Vec<String> = heading
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() || words.len() > 4 {
        return None;
    }
    Tag::new(&words.join("-")).ok()
}

/// What is written in backticks and looks like a path: `src/db/schema.ts`, `Makefile.toml`.
fn named_paths(content: &str) -> BTreeSet<ProjectPath> {
    let in_backticks = content.split('`').skip(1).step_by(2);
    in_backticks.filter_map(as_path).collect()
}

fn as_path(text: &str) -> Option<ProjectPath> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@');
    let path_like = text.chars().all(plain)
        && text.chars().any(char::is_alphanumeric)
        && (text.contains('/')
            || text
                .rsplit_once('.')
                .is_some_and(|(stem, _)| !stem.is_empty()));
    if !path_like || text.starts_with(['/', '@', '-']) || text.contains("..") {
        return None;
    }
    ProjectPath::new(text.trim_end_matches('/')).ok()
}

/// The text between two lines of `---` at the top, the rest, and the line the rest begins at.
fn split_front_matter(text: &str) -> (Option<&str>, &str, usize) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"))
    else {
        return (None, text, 1);
    };
    let mut at = 0;
    for (number, line) in rest.split_inclusive('\n').enumerate() {
        if line.trim_end() == "---" {
            return (Some(&rest[..at]), &rest[at + line.len()..], number + 3);
        }
        at += line.len();
    }
    (None, text, 1)
}

/// The folders that `globs: src/api/**/*.ts, docs/*.md` limits a rule to.
fn read_globs(front: &str) -> BTreeSet<ProjectPath> {
    let values = front.lines().filter_map(|line| {
        line.strip_prefix("globs:")
            .or(line.strip_prefix("applyTo:"))
    });
    values
        .flat_map(|globs| globs.split(','))
        .filter_map(|glob| {
            let glob = glob.trim().trim_matches(['"', '\'', '[', ']', ' ']);
            let fixed = match glob.find(['*', '?', '{', '[']) {
                Some(at) => glob[..at].rsplit_once('/')?.0,
                None => glob,
            };
            ProjectPath::new(fixed).ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let file = ProjectPath::new("CLAUDE.md").unwrap();
        let Rules { rules, skipped } = parse(&file, text);
        let rules = rules.iter().map(|rule| {
            let tags: Vec<&str> = rule.tags.iter().map(Tag::as_str).collect();
            let paths: Vec<&str> = rule.paths.iter().map(ProjectPath::as_str).collect();
            format!(
                "{} {} {tags:?} {paths:?} {}",
                rule.line, rule.rule_type, rule.content
            )
        });
        let skipped = skipped
            .iter()
            .map(|skipped| format!("{} skipped: {}", skipped.line, skipped.why));
        rules.chain(skipped).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn bullets_become_statements_and_headings_their_context() {
        let text = "\
# My app

This file provides guidance to Claude Code when working here.

## Commands
- `npm test` runs the unit tests
- Build: `npm run build`

## Database
Never edit `src/db/schema.sql` by hand, or the next migration fails.

- Prefer prepared statements over string building in all queries
- When a migration fails:
  - run `make reset` first
  - then look at `logs/db.log` for the reason it gave
";
        insta::assert_snapshot!(shown(text), @r#"
        6 pattern ["claude.md", "commands"] [] Commands: `npm test` runs the unit tests
        7 pattern ["claude.md", "commands"] [] Commands: Build: `npm run build`
        10 requirement ["claude.md", "database"] ["src/db/schema.sql"] Never edit `src/db/schema.sql` by hand, or the next migration fails.
        12 preference ["claude.md", "database"] [] Prefer prepared statements over string building in all queries
        14 gotcha ["claude.md", "database"] [] When a migration fails: run `make reset` first
        15 gotcha ["claude.md", "database"] ["logs/db.log"] When a migration fails: then look at `logs/db.log` for the reason it gave
        3 skipped: speaks about the file itself
        "#);
    }

    #[test]
    fn plain_lines_and_front_matter_are_understood() {
        let text = "\
---
description: API rules
globs: src/api/**/*.ts, docs/*.md
alwaysApply: false
---
You must validate every request body.
Use zod for that.
";
        insta::assert_snapshot!(shown(text), @r#"
        6 requirement ["claude.md"] ["docs", "src/api"] You must validate every request body.
        7 preference ["claude.md"] ["docs", "src/api"] Use zod for that.
        "#);
    }

    #[test]
    fn code_stays_with_its_sentence_and_tables_are_told() {
        let text = "\
## Running the server

```bash
make serve PORT=8080
```

Errors are returned as values:

```ts
return err('bad')
```

| a | b |
|---|---|
@docs/more.md
<!-- not for
us -->
";
        insta::assert_snapshot!(shown(text), @r#"
        4 pattern ["claude.md", "running-the-server"] [] Running the server: `make serve PORT=8080`
        7 pattern ["claude.md", "running-the-server"] [] Errors are returned as values:
        ```
        return err('bad')
        ```
        13 skipped: a table
        15 skipped: names another file
        "#);
    }

    #[test]
    fn code_below_a_list_is_not_its_last_bullet() {
        let text = "\
## Dashboard

- The charts are drawn by the browser, not by the server.
- Set it up once:
  ```sh
  make setup
  ```

```sh
make serve  # with hot reload
```
";
        insta::assert_snapshot!(shown(text), @r#"
        3 module_insight ["claude.md", "dashboard"] [] The charts are drawn by the browser, not by the server.
        4 pattern ["claude.md", "dashboard"] [] Set it up once:
        ```
        make setup
        ```
        10 pattern ["claude.md", "dashboard"] [] Dashboard: with hot reload: `make serve`
        "#);
    }

    #[test]
    fn odd_files_are_read_without_a_panic() {
        let odd = [
            "\u{a0}```\n \u{3000}code\n\u{2003}\u{a0}```\n",
            "---\n",
            "---\nglobs: *, [é*\n---\n- é\n   - ü\n",
            "#\n##\n-\n- \n1.\n1. \n```",
            "<!-- never closed\n- a",
            "`\n``\n- `a",
            "\u{feff}# T\r\n- a\r\n\r\n",
        ];
        for text in odd {
            shown(text);
        }
        assert_eq!(shown("- a\n\nThe end of it:").lines().count(), 2);
        assert_eq!(shown("```sh\nmake all").lines().count(), 1);
    }

    #[test]
    fn the_same_statement_twice_is_one_rule() {
        assert_eq!(
            shown("- Keep functions short and flat\n- Keep functions short and flat\n")
                .lines()
                .count(),
            1
        );
    }

    #[test]
    fn a_rule_longer_than_a_memory_is_told_and_not_cut() {
        let text = format!("- {}\n", "word ".repeat(500));
        assert_eq!(shown(&text), "1 skipped: longer than a memory can be");
    }

    #[test]
    fn labels_and_drawings_are_no_rules_and_names_are_explained_together() {
        let text = "\
## Errors
**How it works:**
- The root command prints nothing by itself
- Never print an error twice

**Key files:**
- `errors.go` - defines the errors
- `root.go` - holds the root command
- `main.go` - prints what is left

**Layout:**
```
src/
├── cart.ts
└── db.ts
```

**Why:**

## Words
- `TurnStart`: a turn begins
- `TurnEnd`: must be sent last
";
        insta::assert_snapshot!(shown(text), @r##"
3 module_insight ["claude.md", "errors"] [] How it works: The root command prints nothing by itself
4 requirement ["claude.md", "errors"] [] How it works: Never print an error twice
7 module_insight ["claude.md", "errors"] ["errors.go", "main.go", "root.go"] Key files:
- `errors.go` - defines the errors
- `root.go` - holds the root command
- `main.go` - prints what is left
21 module_insight ["claude.md", "words"] [] Words: `TurnStart`: a turn begins
22 requirement ["claude.md", "words"] [] Words: `TurnEnd`: must be sent last
12 skipped: a drawing
11 skipped: a label without a statement
18 skipped: a label without a statement
"##);
    }
}
