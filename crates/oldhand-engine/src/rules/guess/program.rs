//! Programs that projects are worked with, and code that runs one.

/// Programs whose name at the start of a piece of code makes it a command.
const PROGRAMS: &[&str] = &[
    "bash", "bun", "bundle", "cargo", "cd", "composer", "deno", "docker", "dotnet", "git", "go",
    "gradle", "just", "kubectl", "make", "mix", "mvn", "node", "npm", "npx", "pip", "pipenv",
    "pnpm", "poetry", "pytest", "python", "python3", "rake", "sh", "swift", "tox", "uv", "yarn",
];

/// Programs that a project is built, tested and run with.
pub(in crate::rules) fn is_builder(program: &str) -> bool {
    const MORE: &[&str] = &[
        "bazel",
        "biome",
        "black",
        "cmake",
        "ctest",
        "dart",
        "docker-compose",
        "eslint",
        "flutter",
        "golangci-lint",
        "gradlew",
        "hatch",
        "jest",
        "lefthook",
        "mise",
        "mvnw",
        "mypy",
        "nx",
        "pdm",
        "php",
        "phpunit",
        "playwright",
        "pre-commit",
        "prettier",
        "rails",
        "rspec",
        "ruby",
        "ruff",
        "rustc",
        "rustup",
        "task",
        "tsc",
        "turbo",
        "vite",
        "vitest",
        "xcodebuild",
        "zig",
    ];
    PROGRAMS.contains(&program) || MORE.contains(&program)
}

pub(in crate::rules) fn is_command(text: &str) -> bool {
    let codes = text.split('`').skip(1).step_by(2);
    codes.map(str::trim).any(|code| {
        let mut words = code.trim_start_matches("$ ").split_whitespace();
        let first = words.next().unwrap_or_default();
        first.starts_with("./") || (PROGRAMS.contains(&first) && words.next().is_some())
    })
}
