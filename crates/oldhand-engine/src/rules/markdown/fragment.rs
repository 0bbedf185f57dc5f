//! Lists whose points are no sentences: `golangci-lint` below `CI runs these checks:` says nothing alone.

use super::super::guess::{demands, is_command, opens_with_order};
use super::super::stance::{Stance, stance_of};
use super::{Block, Kind};

/// A point of more words than these says something itself.
const LONGEST: usize = 6;
/// Fewer points than these stand on their own.
const FEWEST: usize = 2;
/// They are at least so much of their list: two of three.
const MOST_OF: (usize, usize) = (2, 3);
/// So many bytes of a list are one statement.
const LIST: usize = 400;

/// Makes one statement of neighbours below one line or heading that have no verb: `CI checks: gofmt, golangci-lint`. A list of which some are
/// sentences stays as it is, unless two of three are not.
pub(super) fn join_fragments(blocks: Vec<Block>) -> Vec<Block> {
    let mut joined: Vec<Block> = Vec::with_capacity(blocks.len());
    let mut rest = blocks.into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut list = vec![first];
        while let Some(next) = rest.peek()
            && list[0].is_point
            && next.is_point
            && next.lead == list[0].lead
            && next.headings == list[0].headings
        {
            list.extend(rest.next());
        }
        let fragments = list.iter().filter(|block| block.is_fragment()).count();
        if fragments >= FEWEST && fragments * MOST_OF.1 >= list.len() * MOST_OF.0 {
            joined.extend(join(list));
        } else {
            joined.extend(list);
        }
    }
    joined
}

/// The same for one list.
fn join(list: Vec<Block>) -> Vec<Block> {
    let mut joined = Vec::new();
    let mut run: Vec<Block> = Vec::new();
    let end_run = |run: &mut Vec<Block>, joined: &mut Vec<Block>| {
        let run = std::mem::take(run);
        if run.len() < FEWEST {
            joined.extend(run);
        } else {
            joined.push(one_of(&run));
        }
    };
    for block in list {
        let is_fragment = block.is_fragment();
        let length: usize = run.iter().map(|block| block.point().len()).sum();
        if !is_fragment || length + block.point().len() > LIST {
            end_run(&mut run, &mut joined);
        }
        if is_fragment {
            run.push(block);
        } else {
            joined.push(block);
        }
    }
    end_run(&mut run, &mut joined);
    joined
}

fn one_of(run: &[Block]) -> Block {
    let points: Vec<&str> = run.iter().map(point_of).collect();
    let is_cut = points.iter().any(|point| point.contains([',', ':', ';']));
    let list = points.join(if is_cut { "; " } else { ", " });
    let above = run[0].headings.last();
    let text = match (run[0].lead(), above) {
        (Some(lead), _) => format!("{lead} {list}"),
        // What forbids is put before it by whoever tells it.
        (None, Some(heading)) if stance_of(heading) != Stance::Forbids => {
            format!("{heading}: {list}")
        }
        _ => list,
    };
    Block {
        text,
        ..run[0].clone()
    }
}

fn point_of(block: &Block) -> &str {
    block.point().trim_end_matches(['.', ','])
}

impl Block {
    /// Whether it is a few words without a verb, below something that they belong to.
    fn is_fragment(&self) -> bool {
        let point = without_asides(point_of(self));
        let words = || point.split_whitespace().map(bare_word);
        let has_verb = || words().any(|word| VERBS.contains(&word.as_str()));
        self.kind == Kind::Statement
            && self.is_point
            && self.children.is_empty()
            && (self.lead.is_some() || !self.headings.is_empty())
            && !self.text.contains('\n')
            && (1..=LONGEST).contains(&words().count())
            && !point.ends_with(['.', '!', '?', ':', ';'])
            && !point.contains(['→', '=', '❌', '✅'])
            // Words of other scripts tell their verbs in other ways.
            && !point.chars().any(|c| c.is_alphabetic() && c > '\u{24f}')
            && !demands(&point)
            && !is_command(&point)
            && !opens_with_order(&point)
            && !has_verb()
    }
}

/// The text without what stands in parentheses.
fn without_asides(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept.trim_end().to_owned()
}

fn bare_word(word: &str) -> String {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.to_lowercase().replace('’', "'")
}

/// What makes a sentence of some words.
const VERBS: &[&str] = &[
    "allow",
    "allows",
    "applies",
    "apply",
    "are",
    "be",
    "been",
    "belongs",
    "breaks",
    "builds",
    "calls",
    "can",
    "can't",
    "cannot",
    "catch",
    "catches",
    "checks",
    "comes",
    "connects",
    "contains",
    "controls",
    "converts",
    "could",
    "create",
    "creates",
    "defines",
    "delegates",
    "depends",
    "describes",
    "detect",
    "detects",
    "did",
    "do",
    "does",
    "doesn't",
    "embeds",
    "emits",
    "enables",
    "ends",
    "exist",
    "exists",
    "expects",
    "exports",
    "extends",
    "fail",
    "fails",
    "falls",
    "fetches",
    "follow",
    "follows",
    "gets",
    "gives",
    "goes",
    "had",
    "handle",
    "handles",
    "has",
    "have",
    "holds",
    "implement",
    "implements",
    "imports",
    "includes",
    "inherits",
    "is",
    "isn't",
    "it's",
    "keep",
    "keeps",
    "lies",
    "listens",
    "lives",
    "loads",
    "looks",
    "made",
    "makes",
    "manages",
    "maps",
    "may",
    "means",
    "might",
    "must",
    "need",
    "needs",
    "overrides",
    "parses",
    "passes",
    "persists",
    "points",
    "prevents",
    "provide",
    "provides",
    "reads",
    "receives",
    "renders",
    "replaces",
    "requires",
    "resolves",
    "returns",
    "runs",
    "saves",
    "say",
    "says",
    "sends",
    "serves",
    "should",
    "shows",
    "stands",
    "starts",
    "stays",
    "stores",
    "supports",
    "syncs",
    "takes",
    "tells",
    "that's",
    "tracks",
    "triggers",
    "updates",
    "use",
    "used",
    "uses",
    "validates",
    "was",
    "were",
    "will",
    "won't",
    "work",
    "works",
    "would",
    "wraps",
    "writes",
];

#[cfg(test)]
mod tests {
    use super::super::blocks;

    fn told(text: &str) -> Vec<String> {
        let blocks = blocks(text, 1).into_iter();
        blocks.map(|block| block.text).collect()
    }

    #[test]
    fn points_without_a_verb_are_one_statement_with_what_they_belong_to() {
        for (text, expected) in [
            (
                "**CI runs these checks:**\n1. gofmt check (must pass)\n2. golangci-lint\n3. go.mod tidy check",
                &[
                    "CI runs these checks: gofmt check (must pass), golangci-lint, go.mod tidy check",
                ][..],
            ),
            (
                "## Tech stack\n\n- Language: Go 1.25\n- Linting: golangci-lint",
                &["Tech stack: Language: Go 1.25; Linting: golangci-lint"],
            ),
            (
                "### ❌ Out of scope\n\n- Billing/payments\n- File versioning",
                &["Billing/payments, File versioning"],
            ),
            // One of three says something itself.
            (
                "Checks:\n- gofmt\n- go vet\n- The linter runs last\n",
                &["Checks: gofmt, go vet", "Checks: The linter runs last"],
            ),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
    }

    #[test]
    fn what_says_something_itself_stays_apart() {
        for text in [
            "## Rules\n\n- Use tabs\n- Keep it small",
            "## Rules\n\n- Never push\n- No secrets",
            "## Rules\n\n- Tests run in CI\n- The cache is shared",
            "## Rules\n\n- `npm test` first\n- `npm run lint` second",
            "## Rules\n\n- One two three four five six seven\n- Eight nine ten eleven twelve thirteen fourteen",
            "## Rules\n\n- Small parts.\n  - of all\n- Large parts",
            "- Small parts\n- Large parts",
            "## Rules\n\n- Small parts\n- Large parts\n- The linter runs last\n- The cache is shared",
            "## 규칙\n\n- 커밋 금지\n- 수동 커밋 필요",
            "## Rules\n\n- Small parts",
        ] {
            let found = told(text);
            let points = text.matches("\n- ").count() + usize::from(text.starts_with('-'));
            assert_eq!(found.len(), points, "{text}: {found:?}");
        }
        let most = "## Rules\n\n- One two three four five six\n- A b c d e f";
        assert_eq!(told(most).len(), 1, "six words are few");
    }
}
