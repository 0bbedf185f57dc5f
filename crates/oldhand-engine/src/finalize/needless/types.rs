//! Files in TypeScript that hold types alone: whoever imports one of them is not built where they do not fit any more.

/// How a line begins that leaves nothing behind when the program runs.
const OF_TYPES: [&str; 8] = [
    "export type ",
    "export interface ",
    "export declare ",
    "type ",
    "interface ",
    "declare ",
    "import ",
    "//",
];

/// Whether a text declares types, and nothing besides. What belongs to a declaration stands further in, or closes it.
pub(super) fn are_all(text: &str) -> bool {
    let mut opening = text
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_alphabetic() || "@_$([".contains(c)));
    let is_of_types = |line: &str| {
        // What is imported without a name is imported for what it does.
        let does = line.strip_prefix("import ");
        let does = does.is_some_and(|rest| rest.trim_start().starts_with(['"', '\'']));
        !does && OF_TYPES.iter().any(|start| line.starts_with(start))
    };
    let declares = |line: &str| line.starts_with("export ") && is_of_types(line);
    text.lines().any(declares) && opening.all(is_of_types)
}

/// Whether code imports a file: by the way from its own folder, or by a path that ends as the file's does (`@/lib/types`).
pub(super) fn imports(text: &str, user: &str, used: &str) -> bool {
    let used = used.rsplit_once('.').map_or(used, |(stem, _)| stem);
    text.split("from ").skip(1).any(|rest| {
        let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            return false;
        };
        let module = rest[1..].split(quote).next().unwrap_or_default();
        let module = module.trim_end_matches(".js");
        if module.starts_with('.') {
            return seen_from(user, module) == used;
        }
        // One step alone ("react", "@/types") may be anybody's.
        let below = module.split_once('/').map_or("", |(_, below)| below);
        below.contains('/') && used.ends_with(&format!("/{below}"))
    })
}

/// A path as it is written in a file, from the top of the project.
fn seen_from(file: &str, written: &str) -> String {
    let mut steps: Vec<&str> = file.split('/').collect();
    steps.pop();
    for step in written.split('/') {
        match step {
            "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_types_has_nothing_that_runs() {
        for (text, expected) in [
            (
                "import type { Id } from \"./id\";\n\n/** One. */\nexport interface Row {\n  id: Id;\n}\nexport type Side =\n  | \"left\"\n  | \"right\";\n",
                true,
            ),
            ("// One.\nexport type Side = 1;\ntype Inner = 2;\n", true),
            ("export type Side = 1;\nexport const SIDES = [1];\n", false),
            (
                "export interface Row {}\nexport enum Side { Left }\n",
                false,
            ),
            ("export interface Row {}\nfunction row() {}\n", false),
            ("interface Row {}\n", false),
            ("import \"./x\";\nexport interface Row {}\n", false),
            ("import './x';\nexport interface Row {}\n", false),
            ("export interface Row {}\n_.mixin({});\n", false),
            ("export interface Row {}\n$(start);\n", false),
            ("export interface Row {}\n(() => start())();\n", false),
            ("export interface Row {}\n[1].forEach(start);\n", false),
            ("export * from \"./row\";\n", false),
            ("", false),
        ] {
            assert_eq!(are_all(text), expected, "{text}");
        }
    }

    #[test]
    fn a_file_is_imported_by_the_way_to_it() {
        for (text, expected) in [
            ("import { Row } from \"./lib/types\";", true),
            ("import type { Row } from './lib/types.js';", true),
            ("import {\n  Row,\n} from \"../src/lib/types\";", true),
            ("import { Row } from \"@/lib/types\";", true),
            ("import { Row } from \"./types\";", false),
            ("import { Row } from \"@/types\";", false),
            ("import { Row } from \"@/web/types\";", false),
            ("// taken from ./lib/types", false),
        ] {
            let imported = imports(text, "ui/src/App.tsx", "ui/src/lib/types.ts");
            assert_eq!(imported, expected, "{text}");
        }
    }
}
