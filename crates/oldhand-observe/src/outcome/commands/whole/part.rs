//! Whether a check looks at one part of the project only: one package of a workspace, one module of a build.

use super::{Part, Whole};

impl Whole {
    /// Whether it was told to check one part: `pnpm --filter web test`, `cargo test -p wire`, `gradle :app:test`. How that part is checked is
    /// not how the project is.
    pub fn is_of_a_part(&self) -> bool {
        let mut texts = self
            .parts
            .iter()
            .filter(|part| !matches!(part, Part::Through(_)));
        let program = texts.clone().find(|part| matches!(part, Part::Fixed(_)));
        let Some(program) = program.map(Part::text) else {
            return false;
        };
        let program = program.rsplit(['/', ' ']).next().unwrap_or(program);
        texts.any(|part| names_part(part.text(), program))
    }
}

/// Whether what a program was given names one part to it.
fn names_part(text: &str, program: &str) -> bool {
    let option = text.split(['=', ' ']).next().unwrap_or(text);
    // All of them but one, and those that changed, are no part.
    let is_all = text.ends_with(['*', '!']) || text.contains("=!") || text.contains(" !");
    let is_option = match program {
        "pnpm" | "bun" => matches!(option, "--filter" | "-F"),
        "npm" => matches!(option, "-w" | "--workspace"),
        "turbo" => matches!(option, "--filter" | "-F" | "--scope"),
        "nx" => matches!(option, "-p" | "--projects" | "--project"),
        "lerna" => option == "--scope",
        "cargo" => matches!(option, "-p" | "--package"),
        "uv" => option == "--package",
        "mvn" | "mvnw" => matches!(option, "-pl" | "--projects"),
        "gradle" | "gradlew" => {
            !text.starts_with('-') && text.trim_start_matches(':').contains(':')
        }
        "yarn" => option == "workspace",
        _ => false,
    };
    is_option && !is_all
}

#[cfg(test)]
mod tests {
    use super::super::own_checks;

    #[test]
    fn a_check_of_one_part_is_told_apart_from_one_of_all() {
        for (line, expected) in [
            ("pnpm --filter web build", true),
            ("pnpm -F @shop/web test", true),
            ("bun --filter web test", true),
            ("npm test -w web", true),
            ("npm test --workspace=web", true),
            ("cargo nextest run -p wire", true),
            ("cargo test --package wire", true),
            ("mvn -pl core test", true),
            ("./gradlew :app:test", true),
            // All of it, or another thing by the same letters.
            ("pnpm -r test", false),
            ("pnpm --filter '*' test", false),
            ("npm test --workspaces", false),
            ("cargo test --workspace", false),
            ("npx tsc --noEmit -p tsconfig.app.json", false),
            ("mvn test -P slow", false),
            ("./gradlew test", false),
            ("cd web && pnpm test", false),
        ] {
            let found = own_checks(line, "", "");
            let is_part = found.iter().any(super::Whole::is_of_a_part);
            assert_eq!(is_part, expected, "{line}: {found:?}");
        }
    }
}
