//! Which words are written as files are: most words with a dot or a slash in them are none.

/// Endings that files have and other words do not.
const ENDINGS: &[&str] = &[
    "adoc",
    "asm",
    "astro",
    "bash",
    "bat",
    "bib",
    "bzl",
    "c",
    "cc",
    "cfg",
    "cjs",
    "clj",
    "cljs",
    "cmake",
    "cmd",
    "conf",
    "cpp",
    "cs",
    "csproj",
    "css",
    "csv",
    "cts",
    "cu",
    "cxx",
    "dart",
    "db",
    "diff",
    "el",
    "elm",
    "env",
    "erb",
    "erl",
    "ex",
    "exs",
    "feature",
    "fish",
    "fs",
    "fsx",
    "gemspec",
    "gleam",
    "go",
    "gql",
    "gradle",
    "graphql",
    "groovy",
    "h",
    "haml",
    "hbs",
    "hcl",
    "hh",
    "hpp",
    "hrl",
    "hs",
    "htm",
    "html",
    "hxx",
    "ini",
    "ipynb",
    "java",
    "jinja",
    "jl",
    "js",
    "json",
    "json5",
    "jsonc",
    "jsonl",
    "jsx",
    "kt",
    "kts",
    "less",
    "lhs",
    "liquid",
    "local",
    "lock",
    "log",
    "lua",
    "m",
    "map",
    "markdown",
    "md",
    "mdc",
    "mdx",
    "mjs",
    "mk",
    "ml",
    "mli",
    "mm",
    "mod",
    "mts",
    "mustache",
    "nim",
    "nix",
    "org",
    "patch",
    "pem",
    "php",
    "pl",
    "plist",
    "pm",
    "png",
    "prisma",
    "properties",
    "proto",
    "ps1",
    "pug",
    "py",
    "pyi",
    "pyx",
    "r",
    "rake",
    "rb",
    "rs",
    "rst",
    "s",
    "sass",
    "sbt",
    "scala",
    "scm",
    "scss",
    "sh",
    "sln",
    "snap",
    "sol",
    "sql",
    "sqlite",
    "storyboard",
    "styl",
    "sum",
    "sv",
    "svelte",
    "svg",
    "swift",
    "tcl",
    "tex",
    "tf",
    "tfvars",
    "thrift",
    "toml",
    "tpl",
    "ts",
    "tsv",
    "tsx",
    "txt",
    "v",
    "vb",
    "vhd",
    "vim",
    "vue",
    "wasm",
    "wat",
    "wgsl",
    "xml",
    "xsd",
    "yaml",
    "yml",
    "zig",
    "zsh",
];

/// Files that have no ending.
const PLAIN: &[&str] = &[
    "BUILD",
    "CHANGELOG",
    "CODEOWNERS",
    "Brewfile",
    "Containerfile",
    "Dockerfile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "LICENSE",
    "Makefile",
    "NOTICE",
    "Pipfile",
    "Procfile",
    "README",
    "Rakefile",
    "Vagrantfile",
    "WORKSPACE",
    "gradlew",
    "justfile",
    "makefile",
];

/// Folders that a path without an ending may begin with. `and/or` does not.
const FOLDERS: &[&str] = &[
    "api",
    "app",
    "apps",
    "assets",
    "backend",
    "benches",
    "bin",
    "build",
    "cmd",
    "components",
    "config",
    "crates",
    "db",
    "deploy",
    "docker",
    "docs",
    "examples",
    "frontend",
    "include",
    "infra",
    "internal",
    "lib",
    "libs",
    "migrations",
    "modules",
    "packages",
    "pkg",
    "public",
    "scripts",
    "server",
    "services",
    "spec",
    "src",
    "templates",
    "test",
    "tests",
    "tools",
    "vendor",
    "web",
    "xtask",
];

/// What is written as a file and is something else.
const PRODUCTS: &[&str] = &[
    "Backbone.js",
    "D3.js",
    "Discord.js",
    "Ember.js",
    "Express.js",
    "Nest.js",
    "Next.js",
    "Node.js",
    "Nuxt.js",
    "React.js",
    "Three.js",
    "Vue.js",
];

/// Whether a word is written as a file is: `walk.rs`, `Cargo.toml`, `.gitignore` and `src/walk`, but neither `config.load` nor `and/or`.
pub(crate) fn is_file(word: &str) -> bool {
    match word.rsplit_once('/') {
        Some((folders, name)) => {
            let is_folder = |step: &str| FOLDERS.contains(&step) || step.starts_with('.');
            let mut steps = folders.split('/').filter(|step| *step != ".");
            steps.next().is_some_and(is_folder)
                || PLAIN.contains(&name)
                // No word of a sentence is written so.
                || word.contains('_')
                || ending(name).is_some_and(is_written_as_ending)
        }
        None => is_name(word),
    }
}

/// Whether a word is the name of a file, which stands without its folder.
fn is_name(word: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+@".contains(&byte);
    let Some(ending) = ending(word).filter(|_| word.bytes().all(is_of_name)) else {
        return false;
    };
    if PRODUCTS.contains(&word) {
        return false;
    }
    let is_hidden = word.starts_with('.') && word.len() == ending.len() + 1;
    ENDINGS.contains(&ending.to_ascii_lowercase().as_str())
        || (is_hidden && is_of_hidden(ending))
        || word.starts_with(".env.")
}

/// `.gitignore`, `.npmrc` and `.editorconfig`, but no method such as `.clone`.
fn is_of_hidden(name: &str) -> bool {
    let ends = ["rc", "ignore", "config", "attributes", "modules", "profile"];
    ends.iter().any(|end| name.ends_with(end))
}

fn ending(name: &str) -> Option<&str> {
    Some(name.rsplit_once('.')?.1)
}

fn is_written_as_ending(ending: &str) -> bool {
    ending.len() <= 10
        && ending.starts_with(|first: char| first.is_ascii_alphabetic())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_with_a_dot_or_a_slash_is_a_file_only_where_it_is_written_as_one() {
        for file in [
            "walk.rs",
            "Cargo.toml",
            "README.MD",
            ".gitignore",
            ".env",
            ".env.local",
            "web/level.tmx",
            "src/api",
            "e2e/schema_check",
            "./src/api",
            ".github/CODEOWNERS",
            "deep/Dockerfile",
        ] {
            assert!(is_file(file), "{file}");
        }
        for other in [
            "Node.js",
            "config.load",
            "and/or",
            "I/O",
            "TCP/IP",
            "e.g",
            "3.5",
            ".clone",
            "self.items.len",
            "ASP.NET",
            "read/write",
        ] {
            assert!(!is_file(other), "{other}");
        }
    }
}
