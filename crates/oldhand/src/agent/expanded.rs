//! Pages of commands that a client or a framework put in place of what a person typed: only the arguments are that person's words.

/// What stands for a command that was given no words.
const NOTHING: &str = "(a command without arguments)";

/// The words that a person gave to a command whose page the prompt is; `None` where it is no such page.
///
/// A page is told by its form: a part "User Input" with the arguments in a fence, or the front matter of a file of commands and the
/// arguments behind it. Without them a person may as well have put in the file and written below it.
pub(super) fn given(words: &str) -> Option<&str> {
    let page = words.trim_start();
    if let Some(typed) = user_input(page) {
        return Some(or_nothing(typed));
    }
    let (_, typed) = body(page)?.rsplit_once("\nARGUMENTS:")?;
    Some(or_nothing(typed))
}

/// Whether the prompt begins with a file of commands: not all of it was typed.
pub(super) fn is_file(words: &str) -> bool {
    body(words.trim_start()).is_some()
}

/// What stands below the front matter of a file of commands.
fn body(page: &str) -> Option<&str> {
    let rest = page.strip_prefix("---\n")?;
    let (matter, body) = rest.split_once("\n---\n")?;
    let is_matter = |line: &str| {
        let key = line.split_once(':').map_or("", |(key, _)| key);
        matches!(
            key,
            "name" | "description" | "argument-hint" | "allowed-tools"
        )
    };
    matter.lines().any(is_matter).then_some(body)
}

/// What stands in the fence right below the heading "User Input", where an outline of what to do stands around it.
fn user_input(page: &str) -> Option<&str> {
    const HEADING: &str = "## User Input";
    let (before, after) = page.split_once(HEADING)?;
    let opens_line = before.is_empty() || before.ends_with('\n');
    let block = after.trim_start().strip_prefix("```")?;
    let (_, block) = block.split_once('\n')?;
    let (typed, rest) = match block.strip_prefix("```") {
        Some(rest) => ("", rest),
        None => block.split_once("\n```")?,
    };
    let has_page = !before.trim().is_empty() || rest.contains("\n## ");
    (opens_line && has_page).then_some(typed)
}

fn or_nothing(typed: &str) -> &str {
    match typed.trim() {
        "" | "$ARGUMENTS" => NOTHING,
        typed => typed,
    }
}

#[test]
fn of_a_page_only_what_was_given_to_it_is_the_persons() {
    let page = |typed: &str| {
        format!(
            "## User Input\n\n```text\n{typed}\n```\n\nYou **MUST** consider it.\n\n## Outline\n\n1. Always run the script."
        )
    };
    assert_eq!(given(&page("plan the import")), Some("plan the import"));
    assert_eq!(given(&page("two\nlines")), Some("two\nlines"));
    assert_eq!(given(&page("")), Some(NOTHING));
    assert_eq!(given(&page("$ARGUMENTS")), Some(NOTHING));
    let purpose = format!("## Purpose\n\nUnit tests for words.\n\n{}", page("ux"));
    assert_eq!(given(&purpose), Some("ux"));
    let matter = "---\nname: plan\ndescription: Plans.\n---\n# Plan\n\nNever guess.";
    let told = format!("{matter}\n\nARGUMENTS: the import");
    assert_eq!(given(&told), Some("the import"));
    assert_eq!(given(&format!("{matter}\n\nARGUMENTS:")), Some(NOTHING));
    let below = format!("{matter}\n\nwhy does this page not load?");
    assert_eq!(given(&below), None, "a file with a question below it");
    assert!(is_file(&below) && !is_file("why does this page not load?"));
}

#[test]
fn what_a_person_types_is_no_page() {
    for words in [
        "plan the import",
        "## User Input\n\nthe form has no labels",
        "## User Input\n\n```text\nabc\n```\nwhy does this heading not show?",
        "the page says ## User Input\n```\nx\n```\n\n## Outline",
        "---\nalways use pnpm\n---\nand commit",
        "",
    ] {
        assert_eq!(given(words), None, "{words}");
    }
}
