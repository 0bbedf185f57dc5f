//! Budgets: fold and detect at 200 000 events a second and core; the harvest of 5 000 events in 100 ms.

use std::fmt::Write as _;
use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use jiff::{SignedDuration, Timestamp};
use oldhand_domain::event::{
    BoundedText, Call, Change, Ending, Event, Happening, Place, Return, Tokens, Voice,
};
use oldhand_domain::id::SessionId;
use oldhand_domain::path::ProjectPath;
use oldhand_observe::detect::{Norms, dead_end, detect};
use oldhand_observe::fold::{FoldOptions, fold};
use oldhand_observe::harvest::harvest;
use oldhand_observe::learn::Knowledge;

fn main() {
    divan::main();
}

const SIZES: [usize; 3] = [500, 5_000, 50_000];

/// The baseline: touching every event and nothing else.
#[divan::bench(args = SIZES)]
fn walk_only(bencher: Bencher<'_, '_>, events: usize) {
    let session = session(events);
    bencher.counter(ItemsCount::new(events)).bench(|| {
        let calls = session
            .iter()
            .filter(|event| matches!(event.what, Happening::ToolReturned(_)));
        black_box(calls.count())
    });
}

#[divan::bench(args = SIZES)]
fn fold_only(bencher: Bencher<'_, '_>, events: usize) {
    let session = session(events);
    let options = FoldOptions::default();
    bencher
        .counter(ItemsCount::new(events))
        .bench(|| fold(black_box(&session), &options));
}

#[divan::bench(args = SIZES)]
fn fold_and_detect(bencher: Bencher<'_, '_>, events: usize) {
    let session = session(events);
    let options = FoldOptions::default();
    bencher.counter(ItemsCount::new(events)).bench(|| {
        let analytics = fold(black_box(&session), &options);
        (
            detect(&analytics, &Norms::default()),
            dead_end::detect(&analytics),
        )
    });
}

#[divan::bench(args = SIZES)]
fn fold_and_harvest(bencher: Bencher<'_, '_>, events: usize) {
    let session = session(events);
    let options = FoldOptions::default();
    let known = Knowledge::default();
    bencher.counter(ItemsCount::new(events)).bench(|| {
        let analytics = fold(black_box(&session), &options);
        harvest(
            SessionId::new("bench").expect("a valid id"),
            &analytics,
            &known,
        )
    });
}

/// A session in the mix of real ones: of ten events about two are words, four calls, three results,
/// one a count of tokens; one command in five fails.
fn session(size: usize) -> Vec<Event> {
    let mut at = Timestamp::UNIX_EPOCH;
    let mut events = Vec::with_capacity(size);
    let mut seed = 7_u64;
    let mut call = 0_u32;
    while events.len() < size {
        at += SignedDuration::from_secs(3);
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let dice = (seed >> 33) as u32;
        let what = match dice % 10 {
            0 => Happening::Text {
                voice: Voice::Reasoned,
                text: words(dice),
            },
            1 => Happening::Text {
                voice: Voice::Said,
                text: BoundedText::head("Now let me run the tests.", 200),
            },
            2 => Happening::StepCompleted(Tokens {
                input: u64::from(dice % 90_000),
                output: 300,
            }),
            _ => {
                call += 1;
                let done = returned(call, dice / 10);
                events.push(Event::new(
                    at,
                    Happening::ToolCalled {
                        id: done.id.clone(),
                        call: done.call.clone(),
                    },
                ));
                Happening::ToolReturned(done)
            }
        };
        events.push(Event::new(at, what));
    }
    events.truncate(size);
    events
}

fn returned(number: u32, dice: u32) -> Return {
    let file = || Place::Project(path(dice / 7));
    let failed = dice.is_multiple_of(5);
    let call = match dice % 7 {
        0 | 1 => Call::Read { file: file() },
        2 => Call::Edit {
            files: vec![file()],
            change: Some(Change::between(&dice.to_string(), "new")),
        },
        3 => Call::Grep {
            pattern: format!("symbol_{}", dice % 40),
            within: None,
        },
        4 => Call::Glob {
            pattern: format!("**/*_{}.rs", dice % 9),
            outside: false,
        },
        5 => Call::Shell {
            command: BoundedText::head("cd app && cargo test -p core --quiet 2>&1 | tail -20", 400),
            reads_outside: false,
            folder: None,
        },
        _ => Call::Shell {
            command: BoundedText::head(&format!("rg -n 'fn part_{}' src | head", dice % 30), 400),
            reads_outside: false,
            folder: None,
        },
    };
    let search = matches!(call, Call::Grep { .. } | Call::Glob { .. });
    let mut excerpt = String::new();
    if matches!(call, Call::Shell { .. }) {
        for line in 0..12 {
            let _ = writeln!(
                excerpt,
                "src/part_{}.rs:{line}: compiling unit {line}",
                dice % 30
            );
        }
        if failed {
            let _ = writeln!(
                excerpt,
                "error[E0{}]: mismatched types in part {}",
                300 + dice % 20,
                dice % 20
            );
        }
    }
    Return {
        id: format!("toolu_{number}"),
        call,
        ended: if failed && !search {
            Ending::Failed
        } else {
            Ending::Succeeded
        },
        excerpt: BoundedText::ends(&excerpt, 1600),
        matched: if search {
            (0..12).map(|n| path(dice / 7 + n)).collect()
        } else {
            Vec::new()
        },
        found: None,
        exit_code: Some(i32::from(failed)),
        duration_ms: Some(40),
        size: excerpt.len() as u64,
    }
}

fn path(number: u32) -> ProjectPath {
    let (folder, file) = (number % 12, number % 160);
    ProjectPath::new(&format!("crates/room_{folder}/src/part_{file}.rs")).expect("a project path")
}

fn words(dice: u32) -> BoundedText {
    let start = match dice % 60 {
        0 => "I was wrong about `ttl`. It is in seconds.",
        1 => "This approach won't work. Let me look at the pool instead.",
        _ => "Looking at the code, the handler reads the token and passes it on to the store.",
    };
    BoundedText::head(
        &format!(
            "{start} {}",
            "The next step is to see who calls it and with which argument. ".repeat(12)
        ),
        2400,
    )
}
