//! Which sections are a manual of somebody else's program, and which are about the project.

use super::*;

fn found(text: &str) -> Vec<(String, usize, usize)> {
    let is_own = |word: &str| ["shop", "tools/mend"].contains(&word);
    let found = manuals(text, &is_own).into_iter();
    found
        .map(|manual| (manual.program, manual.first, manual.last))
        .collect()
}

fn lines(from: usize, to: usize, line: impl Fn(usize) -> String) -> String {
    (from..to).map(line).collect::<Vec<_>>().join("\n")
}

fn commands(program: &str, many: usize) -> String {
    let each = lines(0, many, |n| format!("{program} part{n} # What it does"));
    format!("```bash\n{each}\n```\n")
}

#[test]
fn a_section_about_one_program_is_its_manual() {
    let points = lines(0, 20, |n| format!("- `jq '.[{n}]'` takes one"));
    let options = lines(0, 16, |n| format!("- `--option{n}`: what it does"));
    let some = lines(0, 4, |n| format!("- `ffmpeg -i {n}.mp4` reads it"));
    let functions = lines(0, 7, |n| {
        format!(
            "### `name{n}(f)`\n\n- Never use it alone.\n- It ends.\n\n```\njq 'name{n}' in.json\n```\n"
        )
    });
    for (text, program) in [
        (
            format!("# Shop\n\n## rtk\n\n{}", commands("rtk", 20)),
            "rtk",
        ),
        (
            format!("# Shop\n\n## Use\n\n{}", commands("$ sudo rtk", 20)),
            "rtk",
        ),
        (format!("# rtk\n\n{}", commands("rtk", 20)), "rtk"),
        (format!("# Shop\n\n## jq\n\n{points}\n"), "jq"),
        (
            format!("# Shop\n\n## ffmpeg\n\n{options}\n{some}\n"),
            "ffmpeg",
        ),
        (format!("# Shop\n\n## jq 1.7\n\n{functions}\n"), "jq"),
        // Two of three are about it.
        (
            format!(
                "# Shop\n\n## rtk\n\n{}\n{}",
                commands("rtk", 20),
                lines(0, 10, |n| format!("- Rule {n}"))
            ),
            "rtk",
        ),
    ] {
        let found = found(&text);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].0, program, "{text}");
    }
}

#[test]
fn what_is_about_the_project_is_no_manual() {
    for text in [
        format!("# Shop\n\n## rtk\n\n{}", commands("rtk", 19)),
        format!(
            "# Shop\n\n## rtk\n\n{}\n{}",
            commands("rtk", 20),
            lines(0, 11, |n| format!("- Rule {n}"))
        ),
        // What it is built with, and what it has itself.
        format!("# Shop\n\n## Commands\n\n{}", commands("cargo", 40)),
        format!("# Tools\n\n## Commands\n\n{}", commands("shop", 40)),
        // How the project uses a program on its own files.
        format!(
            "# Shop\n\n## Fixes\n\n{}",
            commands("awk -f tools/mend", 40)
        ),
        // The title is about all that stands below it.
        format!("# Shop\n\n{}", commands("rtk", 40)),
        format!(
            "# Shop\n\n## Commands\n\n{}",
            lines(0, 40, |n| format!("- Word{n} is created by created"))
        ),
        format!(
            "# Shop\n\n## Flags\n\n{}",
            lines(0, 40, |n| format!("- `--option{n}`: what it does"))
        ),
    ] {
        assert_eq!(found(&text), [], "{text}");
    }
}

#[test]
fn a_manual_goes_to_the_next_heading_of_its_rank() {
    let text = format!(
        "# Shop\n\n# rtk\n\n## A\n\n{}\n# More\n\n- Be kind.\n",
        commands("rtk", 20)
    );
    assert_eq!(found(&text), [("rtk".to_owned(), 3, 29)]);
}

#[test]
fn an_order_to_the_reader_is_told_apart_from_what_the_manual_says() {
    let text = format!(
        "# Shop\n\n## jq\n\n- `add(f)`: adds\n- `--raw`: prints\n{}",
        lines(0, 20, |n| format!("- `jq {n}` does it"))
    );
    let manual = manuals(&text, &|_| false).remove(0);
    for (said, expected) in [
        ("**Always prefix commands with `jq`**. It is safe.", true),
        ("**Important**: Even in chains with `&&`, use `jq`:", true),
        ("Never write parsers of your own here.", true),
        ("❌ Do NOT edit the output by hand", true),
        ("Never use `add` on objects without keys.", false),
        ("You must pass `-r` to print raw output.", false),
        ("Use `--raw` for scripts", false),
        ("`add` always runs before the next filter.", false),
        ("The input must be an array.", false),
        ("Takes an array.", false),
    ] {
        assert_eq!(manual.orders(said), expected, "{said}");
    }
}
