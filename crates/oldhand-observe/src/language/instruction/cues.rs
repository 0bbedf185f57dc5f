//! The words by which a sentence lays something down, and those by which it speaks of the moment only.

/// Words of the moment, of doubt, and of what is still open.
pub(super) const PASSING: [&str; 34] = [
    "for now",
    "right now",
    "not now",
    "at the moment",
    "for the moment",
    "in the meantime",
    "this time",
    "just once",
    "yet",
    "later",
    "until ",
    "today",
    "let me ",
    "not sure",
    "i think",
    "i guess",
    "maybe",
    "perhaps",
    "probably",
    "what if",
    "if we ",
    "if i ",
    "can we",
    "can you",
    "could you",
    "should we",
    "never mind",
    "nevermind",
    "would be",
    "so far",
    "pay attention",
    "already",
    "for example",
    "worry",
];

/// What opens an order to make or change something now, or says when: it is done once and then over.
pub(super) const DEEDS: [&str; 31] = [
    "then ",
    "next ",
    "now ",
    "great, ",
    "if that ",
    "when you are ",
    "when you're ",
    "once ",
    "i want ",
    "add ",
    "update ",
    "write ",
    "create ",
    "make a ",
    "make the ",
    "fix ",
    "replace ",
    "implement ",
    "refactor ",
    "rename ",
    "convert ",
    "extract ",
    "continue ",
    "finish ",
    "clarify ",
    "build ",
    "change ",
    "move ",
    "remove ",
    "delete ",
    "get ",
];

/// What "this" may point at in a rule that lasts.
pub(super) const PLACES: [&str; 13] = [
    "repo",
    "repository",
    "project",
    "codebase",
    "monorepo",
    "workspace",
    "package",
    "crate",
    "service",
    "app",
    "frontend",
    "backend",
    "organisation",
];

/// What begins to hold with a sentence and does not end with its task.
pub(super) const FROM_NOW: [&str; 6] = [
    "from now on",
    "going forward",
    "in the future",
    "in future",
    "from now,",
    "from here on",
];

/// How often something is to be done, where a wish stands beside it.
pub(super) const EVERY_TIME: [&str; 6] = [
    "whenever you ",
    "whenever we ",
    "every time you ",
    "every time we ",
    "each time you ",
    "each time we ",
];

/// What is done again and again, and so what "before every …" and "with each …" reach.
pub(super) const AGAIN: [&str; 7] = ["commit", "push", "pr", "merge", "release", "change", "edit"];

/// A person asks for something.
pub(super) const WANTED: [&str; 6] = [
    "should ",
    "must ",
    "make sure",
    "ensure",
    "please ",
    "remember to ",
];

/// Only with a person's word, or under a condition of theirs.
pub(super) const UNLESS: [&str; 11] = [
    "unless i ask",
    "unless i say",
    "unless i tell",
    "unless i explicitly",
    "unless asked",
    "unless told",
    "only when i ask",
    "only if i ask",
    "ask me before ",
    "ask before ",
    "check with me before ",
];

/// How people begin to say what "we" do always.
pub(super) const WE: [&str; 14] = [
    "always ",
    "never ",
    "only ",
    "don't ",
    "dont ",
    "do not ",
    "should always ",
    "should never ",
    "should not ",
    "shouldn't ",
    "must always ",
    "must never ",
    "must not ",
    "prefer ",
];

/// "We don't need that" tells how something is, and orders nothing.
pub(super) const TELLS_HOW: [&str; 14] = [
    "need",
    "have",
    "want",
    "care",
    "know",
    "see",
    "think",
    "get",
    "got",
    "wrote",
    "did",
    "even",
    "really",
    "currently",
];

/// Those whom a rule binds, beside the clients that people call by name.
pub(super) const BOUND: [&str; 6] = ["you", "we", "agent", "agents", "subagent", "subagents"];

/// What a product does for those who look at it: "we should not display …" is a wish for it, and no rule for those who work.
pub(super) const SHOWN: [&str; 15] = [
    "display",
    "displayed",
    "show",
    "shown",
    "hide",
    "hidden",
    "render",
    "rendered",
    "highlight",
    "highlighted",
    "truncate",
    "truncated",
    "sort",
    "sorted",
    "list",
];

/// Where users of a product look.
pub(super) const SEEN: [&str; 28] = [
    "header", "footer", "page", "pages", "table", "lists", "sidebar", "view", "column", "columns",
    "row", "rows", "button", "buttons", "dialog", "modal", "panel", "menu", "screen", "timeline",
    "tooltip", "badge", "toast", "tab", "ui", "dropdown", "colour", "color",
];

/// What is done with things of the work: "worktrees should always be used".
pub(super) const WORKED: [&str; 7] = [
    "used",
    "run",
    "committed",
    "pushed",
    "merged",
    "edited",
    "changed",
];

/// Programs people choose between: "use pnpm, not npm" is a rule, "use a heap instead of a list" a task.
pub(super) const TOOLS: [&str; 36] = [
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "npx",
    "bunx",
    "deno",
    "uv",
    "uvx",
    "pip",
    "poetry",
    "conda",
    "pipenv",
    "cargo",
    "mise",
    "nix",
    "docker",
    "podman",
    "jq",
    "grep",
    "rg",
    "ripgrep",
    "sed",
    "jest",
    "vitest",
    "pytest",
    "playwright",
    "cypress",
    "eslint",
    "biome",
    "prettier",
    "ruff",
    "gh",
    "git",
    "curl",
    "tsx",
];

/// Things that every project's work has, and by which one sees a rule broken.
pub(super) const OF_WORK: [&str; 20] = [
    "commit",
    "commits",
    "committing",
    "branch",
    "branches",
    "worktree",
    "worktrees",
    "main",
    "master",
    "develop",
    "pr",
    "prs",
    "pull",
    "dependency",
    "dependencies",
    "migration",
    "migrations",
    "changelog",
    "linter",
    "formatter",
];

/// These read the same whether something was done or is to be done.
pub(super) const BOTH_WAYS: [&str; 6] = ["read", "set", "hit", "run", "put", "come"];

/// What sets one program above another.
pub(super) const CHOSEN_OVER: [&str; 5] = [
    " instead of ",
    " not ",
    " rather than ",
    " over ",
    " never ",
];

/// After "always" and "never" these tell what happens, not what to do.
pub(super) const TELLING: [&str; 40] = [
    "the", "a", "an", "on", "in", "at", "again", "been", "be", "quite", "more", "less", "mind",
    "actually", "really", "going", "got", "was", "were", "is", "are", "had", "saw", "did", "ran",
    "made", "went", "gone", "done", "wrote", "written", "seen", "found", "came", "shown", "knew",
    "thought", "will", "would", "true",
];
