//! What is a rule of a person and what is not, sentence by sentence.

use super::*;

fn told(text: &str) -> bool {
    instructions(text)
        .iter()
        .any(|(_, reach)| *reach == Reach::Lasting)
}

#[test]
fn words_that_reach_further_than_the_task_are_kept() {
    for sentence in [
        "We use go-git in other places, so that no checkout is needed",
        "Never push to main directly",
        "Every handler should use the existing GetGitDir() helper.",
        "Codex should never edit files under gen/",
        "Never push to main until the tests pass",
        "we don't merge until CI is green",
        "How we work here:\n- we always overwrite the target",
        "Never use mocks in this service.",
        "Always use pnpm in this frontend, never npm.",
        "Never log secrets in this organisation.",
        "Prefer the shared client over fetch.",
        "when editing things in setup.sh always edit them in the main repository",
        "we are prerelease, we only do patch releases",
        "we don't keep plans, they stay on your own machine",
        "We should not inline prompts",
        "don't use playwright to read pages, use fetch",
        "Worktrees should always be used, so that two agents can work at a time",
    ] {
        assert!(told(sentence), "{sentence}");
    }
}

#[test]
fn how_work_is_handed_in_is_laid_down_without_always() {
    for sentence in [
        "reset it! we should run the formatter on the README before committing it. just that one",
        "Run `just ci` before committing.",
        "Please lint before you push",
        "Run the tests after each commit to verify.",
        "run a deep review with /review:deep before you push",
        "run the demo after every commit",
        "Use a feat: prefix for commits.",
        "but don't include the ticket in PR titles",
        "We squash, so PR titles must follow the commit convention too",
        "Commit messages in English, please",
        "Do not put unrelated work into the same commit",
        "please don't push to main, open a pull request",
        "ok that works, dont print the api key of RPC_URL",
        "Do not edit the generated clients by hand.",
        "(remember) always use the docker of the project",
    ] {
        assert!(told(sentence), "{sentence}");
    }
    for sentence in [
        "create a new branch before we commit",
        "run validation on the workflows before we commit",
        "do not allow two releases from the same commit",
        "fix the tests before we merge",
        "before committing, add one more file",
        "we should run it on the second page",
        "keep the docs commit apart from the rest",
        "put the last two things into separate commits",
        "use the last two commits as an example",
        "keep in mind that there are auto commits",
        "update the PR title and description if needed",
        "the PR titles are wrong",
        "don't push to the device",
        "don't show the key column in the table on the page",
        "I did it by hand on my own machine",
        "branch name in the header is wrong",
        "The branch name should be shown in the header",
        "commit messages in the log view are cut off",
        "commit messages in English look odd",
        "PR titles have the wrong colour in the list",
        "PR description in the template is outdated",
        "the commit message should mention the login fix",
        "the PR titles should mention the login fix",
        "use git bisect to find which commits broke the parser",
        "use git log to see what commits touched the parser",
        "use separate commits for the parser and the docs",
        "keep both commits in the feature branch",
        "keep all commits from the other branch when you rebase",
        "keep commits in the timeline sorted by date",
        "use green for commits that are signed",
        "use a tooltip for commit messages longer than 80 letters",
        "use the same commit for the parser and the docs",
        "don't put both changes into the same commit",
        "don't list commits of bots on the page",
        "do not show commits older than a week in the sidebar",
        "don't truncate branch names in the table",
        "don't print the token count in metrics.py",
        "don't log the key column in `table.rs`",
        "don't commit to main while I'm rebasing",
        "don't push to main, I'm still testing there",
        "don't merge to main before I'm back from lunch",
        "don't merge to main before Friday",
        "Don't do the rename by hand, write a script for the tests",
        "run the migration before you push, then tell me the result",
        "run the seed script before we merge the login fix",
        "We should always display the branch in the header",
        "We must never show the price twice on the page",
        "you must always render the footer last",
        "you should always keep the save button enabled",
    ] {
        assert!(!told(sentence), "{sentence}");
    }
}

#[test]
fn what_is_a_law_for_handing_in_alone_is_known() {
    for (sentence, alone) in [
        ("please don't push to main, open a pull request", true),
        ("Use a feat: prefix for commits.", true),
        ("Don’t edit the generated clients by hand.", true),
        ("Never push to main", false),
        ("don't push to main without asking", false),
        ("Always use a feat: prefix for commits.", false),
        ("branch name in the header is wrong", false),
    ] {
        assert_eq!(is_of_handing_alone(sentence), alone, "{sentence}");
    }
}

#[test]
fn what_a_person_quotes_is_no_rule_of_theirs() {
    for prompt in [
        "the page should say: \"Pilot, we are late. Always use the drone to repair the hull.\"",
        "the captain says “We are late. Never use the drone without a permit.” there",
        "> Never use the drone without a permit.",
    ] {
        assert!(!told(prompt), "{prompt}");
    }
    for prompt in [
        "the page says \"We are late.\" there. Never use the drone without a permit.",
        "an unclosed \" mark.\n\nNever use the drone without a permit.",
    ] {
        assert!(told(prompt), "{prompt}");
    }
}

#[test]
fn a_prompt_of_a_program_lays_nothing_down_and_one_for_a_title_bar_does() {
    for prompt in [
        "Generate a short title for this talk. Always use plain words. Respond with the title only.",
        "You are a title generator. Always use at most six words.",
    ] {
        assert!(!told(prompt), "{prompt}");
    }
    let prompt = "Generate a title bar for the app. Always use pnpm, never npm.";
    assert!(told(prompt));
}

#[test]
fn words_of_the_moment_are_not() {
    for sentence in [
        "don't change anything, just let me know",
        "please do not run the migrations",
        "don't forget to push the branch",
        "remember to check that the migration does not fail",
        "please don't be surprised by the state of main",
        "Please don't get confused by the two branches",
        "don't forget to make sure the PR does not touch billing",
        "never push to main until tomorrow",
        "never push to main until further notice",
        "until the tests pass, never push to main",
        "let's do the mediums first.",
        "I'm working on ticket 98. keep our working documentation in linear.",
        "commit and push",
        "when do we use defaultAgentName?",
        "It always lists these under each branch",
        "User edits made before the first prompt are never captured.",
        "I think we should always ask",
        "can you use a switch instead of an if everywhere?",
        "Generate a commit message but don't commit it",
        "we don't need to commit",
        "don't touch the other modules, just rename this one",
        "always pay attention when you read this",
        "i did some of it, never mind the rest",
        "The function should always use the existing GetGitDir() helper.",
        "Then create a test to always verify the import",
        "Fix it across all boards to make sure it works correctly everywhere",
        "When you are done, I want you to write guidelines and adhere to them everywhere",
        "I want the one from the other screen be exclusively used everywhere",
        "Replace the drawing with one closer to the gallery (we use a 3x5 grid)",
        "Pieces are made by tools, for example a list that should always be in context",
        "I prefer these files to be thoughtful documents",
        "what could we do differently if:\n- the target is read only, we always overwrite",
    ] {
        assert!(!told(sentence), "{sentence}");
    }
    let plan = format!("Always do this. {}", "More of the plan. ".repeat(100));
    assert!(!told(&plan));
}

#[test]
fn a_rule_that_speaks_of_the_moment_is_told_apart() {
    let moment = |text| instructions(text);
    assert_eq!(
        moment("for now, always return an empty list"),
        [("for now, always return an empty list", Reach::Moment)]
    );
    assert_eq!(moment("we don't need that helper"), []);
    assert_eq!(
        moment("Never answer \"not now\" to a person.")[0].1,
        Reach::Lasting
    );
}

#[test]
fn always_and_never_order_only_at_the_start_of_a_clause() {
    for sentence in [
        "Standing orders: Never commit to main",
        "when working with json outputs, never use grep",
        "no, never link a session version",
        "update that rule to always create tasks in main",
        "When you touch the schema, always regenerate the types.",
    ] {
        assert!(told(sentence), "{sentence}");
    }
    for sentence in [
        "it starts high and never gets to 0",
        "Installing one never requires the other.",
        "The flag is defined, never read in the loop",
        "The server seems to always restart twice.",
        "/usr/local should always be owned by the user",
        "The list of sessions should always be hidden without any",
        "We should not display \"AGENTS.md\" for Copilot, but instead \"Copilot instructions\"",
        "`listRooms` must take an id and always return rooms of that house",
        "on start of a sandbox always inject the keys",
        "we don't need the extra comments",
        "we don't have tests for the blueprints",
    ] {
        assert!(!told(sentence), "{sentence}");
    }
}

#[test]
fn a_choice_between_programs_is_a_rule_and_one_between_ways_is_not() {
    assert!(told("use uv instead of pip"));
    assert!(told("Please use pnpm, not npm."));
    assert!(told("let's use pnpm instead of npm"));
    assert!(told("ok, lets use vitest, not jest"));
    let way = "let's use a map instead of the list here";
    assert!(!told(way));
    assert!(!told("Use a map instead of the list here."));
    assert!(!told("let's use npm for the demo"));
}

#[test]
fn half_a_sentence_and_an_item_that_is_ticked_off_lay_nothing_down() {
    for text in [
        "never edit the generated clients unless",
        "we always use the",
        "[x] we always use the shared logger",
        "✅ Every handler should use the error envelope",
        "always show the banner for this release",
        "never use the cache in this migration",
        "never use mocks in this test",
        "prefer the second option of yours",
        "ok, prefer option 2 with tabs",
        "always use the new client for this ticket",
    ] {
        assert!(!told(text), "{text}");
    }
    for text in [
        "never use the cache in this repo",
        "- never edit the generated clients, unless\n  the generator itself is broken",
    ] {
        assert!(told(text), "{text}");
    }
}

#[test]
fn what_points_back_at_the_talk_is_of_the_moment() {
    for text in [
        "I want the dispatcher to NEVER do that",
        "don't use the browser for this without asking",
        "Get the rest done, never stop asking me",
        "Do whatever it takes, without my permission",
        "we should never send open tickets, not just the two you mentioned above",
        "Never write what was learned into it.",
        "create a local skill that makes sure we always update the sitemap",
    ] {
        assert!(!told(text), "{text}");
    }
    for text in [
        "never push without my permission",
        "don't delete a migration without asking",
        "always add new environment variables to the sample file",
        "when you commit, always sign it off",
    ] {
        assert!(told(text), "{text}");
    }
}

#[test]
fn what_is_to_be_written_into_a_rules_file_is_the_rule_itself() {
    let rule_of = |text| instructions(text);
    for (text, rule) in [
        (
            "Note, update AGENTS.md to say that worktrees should always be used here",
            "worktrees should always be used here",
        ),
        (
            "please update CLAUDE.md to always follow the release steps",
            "always follow the release steps",
        ),
        (
            "add a rule that you must never push to main",
            "you must never push to main",
        ),
        (
            "Update AGENTS.md: always run `make lint` so that we never push a broken branch to main",
            "always run `make lint` so that we never push a broken branch to main",
        ),
        (
            "Add to CLAUDE.md: never merge a PR that touches billing without asking me",
            "never merge a PR that touches billing without asking me",
        ),
        (
            "update CLAUDE.md to always rebase a branch that is behind main",
            "always rebase a branch that is behind main",
        ),
    ] {
        assert_eq!(rule_of(text), [(rule, Reach::Lasting)], "{text}");
    }
    for text in [
        "Add a rule to @CLAUDE.md to detect when a new test is required",
        "Update the AGENTS.md file, it is out of date",
    ] {
        assert_eq!(rule_of(text), [], "{text}");
    }
}
