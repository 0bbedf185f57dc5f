//! What manifests and settings lay down.

use super::*;

fn told(name: &str, text: &str) -> String {
    told_beside(name, text, &[])
}

fn told_beside(name: &str, text: &str, others: &[(&str, &str)]) -> String {
    read(name, text, others.iter().copied()).map_or_else(String::new, |found| {
        format!("{} {}", found.line, found.text)
    })
}

#[test]
fn one_reader_does_for_every_way_of_writing_settings() {
    let cases = [
        (
            "prettier.config.js",
            "export default {\n  semi: true,\n  singleQuote: true,\n  // no\n  printWidth: 100,\n  trailingComma: 'es5',\n};\n",
            "2 Formatted by Prettier: semicolons, single quotes, lines of at most 100 characters, trailing commas (`prettier.config.js`).",
        ),
        (
            "biome.json",
            "{\n\t\"formatter\": { \"enabled\": true, \"indentStyle\": \"tab\" },\n\t\"linter\": {\n\"noConstAssign\": \"error\",\n\"off\": \"warn\" } }",
            "2 Formatted and checked by Biome: tabs, errors are noConstAssign (`biome.json`).",
        ),
        (
            ".golangci.yaml",
            "linters:\n  default: standard\n  enable:\n    - bodyclose\n    - noctx\n  settings:\n    - other\n",
            "4 Go is checked by golangci-lint: with bodyclose, noctx (`.golangci.yaml`).",
        ),
        (
            ".golangci.yaml",
            "version: \"2\"\nissues:\n  max-same-issues: 0\n  fix: true\nlinters:\n  enable:\n    - noctx\n",
            "4 Go is checked by golangci-lint: each run changes files that it can mend (`fix`), with noctx (`.golangci.yaml`).",
        ),
        (
            "package.json",
            "{ \"type\": \"module\",\n\"scripts\": {\n\"lint\": \"eslint . --fix\",\n\"test\": \"vitest\" } }",
            "1 Node: ES modules, the script `lint` changes files (`package.json`).",
        ),
        (
            "package.json",
            "{ \"type\": \"module\",\n\"scripts\": {\n\"lint\": \"eslint .\",\n\"lint:fix\": \"eslint . --fix\" } }",
            "1 Node: ES modules (`package.json`).",
        ),
        (
            "pyproject.toml",
            "[project]\nrequires-python = \">=3.11\"\n[tool.ruff]\nline-length = 100 # wide\n",
            "2 Python: version >=3.11, lines of at most 100 characters (`pyproject.toml`).",
        ),
        (
            "go.mod",
            "module x\n\ngo 1.24.1\n",
            "3 Go: version 1.24.1 (`go.mod`).",
        ),
        (
            "commitlint.config.js",
            "export default { extends: ['@commitlint/config-conventional'] };",
            "1 Commit messages: Conventional Commits (`type(scope): what`) (`commitlint.config.js`).",
        ),
        (
            "Cargo.toml",
            "[package]\nname = \"x\"\nedition.workspace = true\n",
            "",
        ),
        (
            "package.json",
            "{\"name\": \"x\", \"type\": \"commonjs\"}",
            "",
        ),
        ("other.json", "{\"semi\": true}", ""),
    ];
    for (name, text, expected) in cases {
        assert_eq!(told(name, text), expected, "{name}");
    }
}

#[test]
fn the_rules_and_a_formatter_have_the_word_before_an_editorconfig() {
    let editor = "[*]\nend_of_line = lf\n[*.ts]\nindent_style = space\nindent_size = 2\nmax_line_length = 90\n";
    let all = "2 Formatting: spaces, indented by 2, lines of at most 90 characters, line ends are lf (`.editorconfig`).";
    let ends = "2 Formatting: line ends are lf (`.editorconfig`).";
    let width = "2 Formatting: lines of at most 90 characters, line ends are lf (`.editorconfig`).";
    let cases: [(&str, &str, &str); 8] = [
        ("package.json", "{\"type\": \"module\"}", all),
        (
            ".oxfmtrc.json",
            "{\"useTabs\": true,\n\"tabWidth\": 2,\n\"printWidth\": 80}",
            ends,
        ),
        ("biome.json", "{}", ends),
        (
            "biome.json",
            "{\"formatter\": {\"useEditorconfig\": true}}",
            all,
        ),
        (
            "biome.json",
            "{\n  \"formatter\": {\n    \"useEditorconfig\": false\n  }\n}",
            ends,
        ),
        (".prettierrc", "useTabs: true\ntabWidth: 4\n", width),
        ("AGENTS.md", "- **インデント**: タブを使用\n", width),
        ("AGENTS.md", "Say which tabs of the page are open.\n", all),
    ];
    for (name, text, expected) in cases {
        assert_eq!(
            told_beside(".editorconfig", editor, &[(name, text)]),
            expected,
            "{name} {text}"
        );
    }
}

#[test]
fn many_rules_are_named_by_their_number() {
    use std::fmt::Write as _;

    let mut text = String::new();
    for number in 0..20 {
        let _ = writeln!(text, "'rule-{number}': 'error',");
    }
    let said = told("eslint.config.js", &text);
    assert!(
        said.ends_with("rule-11 and 8 more (`eslint.config.js`)."),
        "{said}"
    );
}
