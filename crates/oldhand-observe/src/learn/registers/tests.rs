//! Which files a register names, and which registers are told.

use super::*;

fn kind(pattern: &str) -> Kind {
    Kind::new(pattern).unwrap()
}

fn register(pattern: &str, added: [u32; 2], named: [u32; 2]) -> Register {
    let name = |at: u32| pattern.replace('*', &format!("x{at}"));
    Register {
        kind: kind(pattern),
        path: "package.json".to_owned(),
        added: added[1],
        changed: added[0],
        files: (0..named[1]).map(name).collect(),
        named: named[0],
    }
}

#[test]
fn a_register_says_what_commits_did_and_what_it_names() {
    let some = register("test/test-*.py", [40, 48], [46, 52]);
    assert_eq!(
        some.content(),
        "A new file like `test/test-*.py` is entered in `package.json`: 40 of the 48 commits that added one changed it (at most 30 files each), and it names 46 of the 52 there are."
    );
    let all = register("test/test-*.py", [5, 5], [6, 6]);
    assert_eq!(
        all.content(),
        "A new file like `test/test-*.py` is entered in `package.json`: all 5 commits that added one changed it (at most 30 files each), and it names all 6 there are."
    );
    for one in [some, all] {
        let content = one.content();
        let (kind, path) = entered_in(&content).unwrap();
        assert_eq!((kind, path), (one.kind, "package.json"));
    }
    assert_eq!(entered_in("`a` and `b` change together"), None);
}

#[test]
fn a_register_names_two_thirds_of_the_files_and_five() {
    for (named, there, expected) in [(5, 7, true), (5, 8, false), (4, 4, false), (6, 9, true)] {
        let one = register("test/*.py", [5, 5], [named, there]);
        assert_eq!(one.holds(), expected, "{named} of {there}");
    }
}

#[test]
fn files_of_several_folders_are_a_kind_where_not_most_lie_in_one() {
    for (of_one, expected) in [(3, true), (4, false)] {
        let mut one = register("src/*/*.ts", [5, 5], [6, 6]);
        let name = |at: u32| {
            let folder = if at < of_one { 0 } else { at };
            format!("src/{folder}/{at}.ts")
        };
        one.files = (0..6).map(name).collect();
        assert_eq!(one.holds(), expected, "{of_one} of 6");
    }
}

#[test]
fn a_text_names_a_file_by_what_is_no_everyday_word() {
    for (path, text, pattern, file, expected) in [
        (
            "package.json",
            "python3 test/test-a.py &&",
            "test/test-*.py",
            "test/test-a.py",
            true,
        ),
        (
            "package.json",
            "python3 test/test-ab.py",
            "test/test-*.py",
            "test/test-a.py",
            false,
        ),
        (
            "mkdocs.yml",
            "- Home: guide.md",
            "docs/*.md",
            "docs/guide.md",
            true,
        ),
        (
            "sidebars.js",
            "'segments/cli/angular',",
            "docs/segments/*/*.mdx",
            "docs/segments/cli/angular.mdx",
            true,
        ),
        (
            "types.go",
            "ANGULAR = \"angular\"",
            "docs/segments/*/*.mdx",
            "docs/segments/cli/angular.mdx",
            false,
        ),
        (
            "site.ts",
            "link: '/about'",
            "docs/*.md",
            "docs/about.md",
            true,
        ),
        (
            "site.ts",
            "text: 'about'",
            "docs/*.md",
            "docs/about.md",
            false,
        ),
        (
            "site.ts",
            "see https://x.y/z/about",
            "docs/*.md",
            "docs/about.md",
            false,
        ),
        (
            "run.ts",
            "import { a } from '../api/jobs.test.js'",
            "src/api/*.test.ts",
            "src/api/jobs.test.ts",
            true,
        ),
        (
            "src/run.ts",
            "import { a } from './jobs.js'",
            "src/*.ts",
            "src/jobs.ts",
            true,
        ),
        (
            "lib/run.ts",
            "import { a } from './jobs.js'",
            "src/*.ts",
            "src/jobs.ts",
            false,
        ),
        (
            "cli.py",
            "from . import blame_cmds",
            "app/*_cmds.py",
            "app/blame_cmds.py",
            true,
        ),
        (
            "cli.py",
            "import app.commands.blame",
            "app/commands/*.py",
            "app/commands/blame.py",
            true,
        ),
        (
            "src/cli.rs",
            "pub(crate) mod list_all;",
            "src/cli/*.rs",
            "src/cli/list_all.rs",
            false,
        ),
        (
            "src/cli.rs",
            "mod list_all;\nlist_all::run(door)",
            "src/cli/*.rs",
            "src/cli/list_all.rs",
            false,
        ),
        (
            "src/cli.rs",
            "list_all::run(door)",
            "src/cli/*.rs",
            "src/cli/list_all.rs",
            true,
        ),
        (
            "src/all.ts",
            "export * from './ui/list-all'",
            "src/ui/*.ts",
            "src/ui/list-all.ts",
            false,
        ),
        (
            "locales.json",
            "[\"en\", \"de\"]",
            "src/locales/*.ts",
            "src/locales/de.ts",
            true,
        ),
        (
            "locales.json",
            "[\"en\", \"dec\"]",
            "src/locales/*.ts",
            "src/locales/de.ts",
            false,
        ),
        (
            "skills.json",
            "\"skills/plan\"",
            "skills/*/SKILL.md",
            "skills/plan/SKILL.md",
            true,
        ),
        (
            "skills.md",
            "we plan",
            "skills/*/SKILL.md",
            "skills/plan/SKILL.md",
            false,
        ),
        (
            "skills.yaml",
            "- plan",
            "skills/*/SKILL.md",
            "skills/plan/SKILL.md",
            true,
        ),
    ] {
        let found = Named::of(path, text).names(&kind(pattern), file);
        assert_eq!(found, expected, "{text} {file}");
    }
}

#[test]
fn code_lists_what_it_names_in_lines_that_are_alike() {
    let files = [
        "src/jobs/send-all.ts",
        "src/jobs/clean.ts",
        "src/jobs/build.ts",
    ];
    for (path, text, expected) in [
        (
            "src/jobs.ts",
            "const ALL = [\n  sendAll,\n  clean,\n];\nbuild(1);",
            true,
        ),
        (
            "src/jobs.ts",
            "const a = sendAll(b);\nif (clean) {\nbuild(1);",
            false,
        ),
        (
            "src/jobs.ts",
            "import { sendAll } from './jobs/send-all';\nimport { clean } from './jobs/clean';",
            false,
        ),
        (
            "jobs.go",
            "import (\n\tclean \"x/clean\"\n\tbuild \"x/build\"\n)",
            false,
        ),
        ("jobs.json", "", true),
        ("README.md", "", true),
    ] {
        assert_eq!(
            is_row(path, text, &files, &kind("src/jobs/*.ts")),
            expected,
            "{text}"
        );
    }
}

#[test]
fn what_others_demand_or_write_is_no_register() {
    for (pattern, path, expected) in [
        ("test/test-*.py", "package.json", true),
        ("docs/*.md", "mkdocs.yml", true),
        ("docs/*.md", "docs/.vitepress/config.mts", true),
        ("docs/*.md", "README.md", true),
        ("docs/*.md", "CHANGELOG.md", false),
        ("crates/*/Cargo.toml", "Cargo.toml", false),
        ("crates/*/Cargo.toml", "Cargo.lock", false),
        ("src/ui/*.tsx", "src/ui/index.ts", false),
        ("src/ui/*.tsx", "src/index.ts", true),
        ("app/*.swift", "App.xcodeproj/project.pbxproj", false),
        ("drizzle/*.sql", "drizzle/meta/_journal.json", false),
        (".claude/hooks/*.sh", ".claude/settings.json", true),
        ("plans/*.md", ".planning/STATE.md", false),
    ] {
        assert_eq!(may_be_register(&kind(pattern), path), expected, "{path}");
    }
    for (file, expected) in [
        ("test/test-a.py", true),
        ("docs/shot.png", false),
        (".planning/todos/a.md", false),
        ("_bmad-output/stories/a.md", false),
        ("dist/a.js", false),
    ] {
        assert_eq!(may_be_entered(file), expected, "{file}");
    }
}

#[test]
fn of_kinds_that_share_files_the_fitting_one_is_told() {
    let wide = |mut one: Register, more: &[&str]| {
        one.files.extend(more.iter().map(|file| (*file).to_owned()));
        one
    };
    let narrow = register("test/test-*.py", [40, 48], [46, 52]);
    let mut broad = register("test/*.py", [40, 52], [46, 52]);
    broad.files = narrow.files.clone();
    let broad = wide(broad, &["test/helper.py"]);
    let told = choose(vec![broad, narrow.clone()]);
    assert_eq!(told, [narrow]);
    let same = [
        register("test/*.py", [5, 5], [6, 6]),
        register("test/test-*.py", [5, 5], [6, 6]),
    ];
    let mut same = same.to_vec();
    same[0].files = same[1].files.clone();
    assert_eq!(choose(same)[0].kind, kind("test/test-*.py"));
    let folders = ["code/*/a.c", "code/*/b.c"].map(|pattern| register(pattern, [9, 9], [9, 9]));
    assert_eq!(
        choose(folders.to_vec()).len(),
        1,
        "one folder is entered once"
    );
}
