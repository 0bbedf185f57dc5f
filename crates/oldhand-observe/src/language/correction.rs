//! The agent says that it had something wrong.

use super::{Rule, says};

const TURN: &[&str] = &[
    " but ",
    "however",
    " actually",
    "turns out",
    "turned out",
    " — ",
    " - ",
    "; ",
    "instead",
    "which is wrong",
    "which was wrong",
    "that was wrong",
    "wasn't",
    "isn't",
];
const WRONG: &[&str] = &[
    "wrong",
    "incorrect",
    "mistaken",
    "backwards",
    "inaccurate",
    "flawed",
    "not quite right",
    "off by",
    "too narrow",
    "too pessimistic",
    "too optimistic",
];

const CONTRAST: &[&str] = &[
    ", not `",
    ", not in `",
    ", not the ",
    " not `",
    " rather than `",
    " instead of `",
];
/// What is denied of a name, and what is so instead.
const DENIED: &[&str] = &[
    "` is not ",
    "` isn't ",
    "` are not ",
    "` aren't ",
    "` does not ",
    "` doesn't ",
];
const INSTEAD: &[&str] = &[
    ", it is ",
    ", it's ",
    " — it ",
    " - it ",
    "; it ",
    " — they ",
    "; they ",
];
const MUSING: &[&str] = &[
    "let me", "should", "could", "maybe", "perhaps", "would", "i'll", "i need", "i think",
    "we can", "better", "simpler", "probably", "let's", "not sure", " says ", "issue", "problem",
    "approach", "not just", "not only",
];
/// The agent went to the wrong place and goes on: an errand, not a lesson.
const ERRANDS: &[&str] = &[
    "let me look",
    "let me try",
    "let me run",
    "let me check",
    "i should have asked",
];

pub(super) const RULES: &[Rule] = &[
    says("i was wrong").never(&["wrong key", "prove that i was"]),
    says("i was mistaken"),
    says("i was incorrect"),
    says("i stand corrected"),
    says("i misread"),
    says("i misunderstood"),
    says("i misinterpreted"),
    says("i misdiagnosed"),
    says("i had it backwards"),
    says("i had that backwards"),
    says("i had that wrong"),
    says("i got that wrong"),
    says("i got it wrong"),
    says("i mistakenly"),
    says("i incorrectly"),
    says("i wrongly"),
    says("i erroneously"),
    says("i need to correct myself"),
    says("i need to correct my"),
    says("i should correct myself"),
    says("i should correct my"),
    says("let me correct myself"),
    says("let me correct my earlier"),
    says("let me correct my previous"),
    says("let me correct my statement"),
    says("let me correct my claim"),
    says("let me correct my analysis"),
    says("i conflated"),
    says("i confused").beside(&[" with "]),
    says("i said earlier").beside(TURN),
    says("i said").beside(&[
        " but actually",
        "that was wrong",
        "which was wrong",
        "which is wrong",
    ]),
    says("i claimed").beside(&[
        " but ",
        "that was wrong",
        "which was wrong",
        "which is wrong",
    ]),
    says("i stated").beside(&[
        " but ",
        "that was wrong",
        "which was wrong",
        "which is wrong",
    ]),
    says("i told you").beside(&[" but ", "that was wrong"]),
    says("i made an incorrect assumption"),
    says("i made a wrong assumption"),
    says("i missed an important detail"),
    says("i overlooked"),
    says("i should have used").beside(&[" instead of ", " rather than ", ", not "]),
    says("i take that back"),
    says("i spoke too soon"),
    says("i initially thought").beside(TURN),
    says("i initially assumed").beside(TURN),
    says("i originally thought").beside(TURN),
    says("i originally assumed").beside(TURN),
    says("i first thought").beside(TURN),
    says("i previously thought").beside(TURN),
    says("i previously assumed").beside(TURN),
    says("i earlier claimed").beside(TURN),
    says("i had assumed").beside(TURN),
    says("i'd assumed").beside(TURN),
    says("i assumed").beside(&[
        " but ",
        "however",
        "turns out",
        "turned out",
        "which is wrong",
        "which was wrong",
        "that was wrong",
        "that's wrong",
        "incorrectly",
    ]),
    says("as i initially thought"),
    says("as i originally thought"),
    says("as i first thought"),
    says("as i previously thought"),
    says("contrary to what i"),
    says("my earlier").beside(WRONG),
    says("my initial").beside(WRONG),
    says("my previous").beside(WRONG),
    says("my original").beside(WRONG),
    says("my first").beside(WRONG),
    says("my assumption").beside(WRONG),
    says("my claim").beside(WRONG),
    says("my understanding").beside(WRONG),
    says("my analysis").beside(WRONG),
    says("my diagnosis").beside(WRONG),
    says("my reading").beside(WRONG),
    says("correction:")
        .first()
        .never(&["self-correction", "auto-correction"]),
    says("quick correction:").first(),
    says("one correction:").first(),
    says("that was my mistake").never(ERRANDS),
    says("my mistake")
        .first()
        .beside(&[" — ", " - ", ": "])
        .never(ERRANDS),
    // The bare word is thinking aloud; only a short contrast that names the thing is a correction.
    says("actually, it's")
        .first()
        .beside(CONTRAST)
        .never(MUSING),
    says("actually, it is")
        .first()
        .beside(CONTRAST)
        .never(MUSING),
    says("actually, the").first().beside(CONTRAST).never(MUSING),
    says("actually, `")
        .first()
        .beside(&[", not "])
        .never(MUSING),
    says("actually, `")
        .first()
        .beside(DENIED)
        .too(INSTEAD)
        .never(MUSING),
    says("actually `")
        .first()
        .beside(DENIED)
        .too(INSTEAD)
        .never(MUSING),
    says("actually, that's")
        .first()
        .beside(CONTRAST)
        .never(MUSING),
    says("actually, that is")
        .first()
        .beside(CONTRAST)
        .never(MUSING),
    says("actually, this is")
        .first()
        .beside(CONTRAST)
        .never(MUSING),
];
