//! Prompts that hand over a whole plan or task for one run: what they order about its steps and its course ends with it.

use super::plain;

/// What is done with a plan that is handed over.
const CARRIED: [&str; 10] = [
    "execute",
    "executing",
    "implement",
    "implementing",
    "continue",
    "continuing",
    "follow",
    "following",
    "resume",
    "finish",
];
/// So many words lie between that and the plan.
const NEAR: usize = 4;

const PARTS: [&str; 3] = ["tasks", "steps", "phases"];

/// How a run is told to end.
const OPENING: [&str; 4] = ["open", "create", "raise", "make"];

/// Fewer words are no task that is handed over.
const TASK: usize = 30;

/// Whether a prompt hands over a plan: "implement the plan task by task", "execute tasks 3 through 10".
pub(super) fn hands_over_plan(prompt: &str) -> bool {
    let lower = plain(prompt);
    let words = words(&lower);
    let carries = |(at, word): (usize, &&str)| {
        let mut near = words[at + 1..].iter().take(NEAR);
        CARRIED.contains(word) && near.any(|word| *word == "plan")
    };
    let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    let counts = |said: &[&str]| {
        PARTS.contains(&said[0])
            && is_number(said[1])
            && matches!(said[2], "to" | "through" | "and")
            && is_number(said[3])
    };
    let ends = |said: &[&str]| said[0] == "after" && said[1] == "all" && PARTS.contains(&said[2]);
    words.iter().enumerate().any(carries)
        || words.windows(4).any(counts)
        || words.windows(3).any(ends)
}

/// Whether a prompt hands over the whole of a task or a plan, up to the pull request that ends it: nobody is there to be asked.
pub(super) fn is_of_one_run(prompt: &str) -> bool {
    let lower = plain(prompt);
    let words = words(&lower);
    let opens = words.windows(3).any(|said| {
        let is_request = matches!(said[2], "pr" | "pull" | "mr" | "merge");
        OPENING.contains(&said[0]) && matches!(said[1], "a" | "the") && is_request
    });
    words.len() >= TASK && opens || hands_over_plan(prompt)
}

fn words(lower: &str) -> Vec<&str> {
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Reach, instructions, paces, refusals};
    use super::*;

    #[test]
    fn a_plan_is_handed_over_to_be_carried_out() {
        for (prompt, expected) in [
            ("Execute the plan task by task.", true),
            ("continue executing the plan", true),
            ("Implement docs/plans/mail-plan.md now", true),
            ("execute Tasks 3 through 10", true),
            ("After all tasks, run the suite", true),
            ("write a plan for the parser", false),
            ("the plan is wrong, fix the parser", false),
            ("fix the tasks page", false),
            (
                "execute the query that is in the first line of the plan",
                false,
            ),
        ] {
            assert_eq!(hands_over_plan(prompt), expected, "{prompt}");
        }
    }

    #[test]
    fn what_a_plan_is_handed_over_with_is_of_that_run() {
        let plan = "Read docs/plans/mail.md. Execute tasks 3 through 9. ";
        let check = "Run the tests after each commit to verify.";
        let reach = |prompt: &str| instructions(prompt).first().map(|(_, reach)| *reach);
        assert_eq!(reach(check), Some(Reach::Lasting));
        assert_eq!(reach(&format!("{plan}{check}")), Some(Reach::Moment));
        let law = format!("{plan}Never push to main.");
        assert_eq!(reach(&law), Some(Reach::Lasting));
        let leave = format!("{plan}Do not regenerate the fixtures unless I ask.");
        assert_eq!(reach(&leave), Some(Reach::Lasting));
        let pace = "commit after each task";
        assert_eq!(paces(pace).len(), 1);
        assert_eq!(paces(&format!("{plan}{pace}")), []);
        let task = "Add a command for dice. It takes two numbers and sends one packet, see docs/dice.md. Show the answer of the server in the log. Branch, add tests, open a PR. ";
        assert_eq!(refusals("Don't ask questions").len(), 1);
        assert_eq!(refusals(&format!("{task}Don't ask questions")), []);
        assert_eq!(refusals("Open a PR. Don't ask questions").len(), 1);
    }
}
