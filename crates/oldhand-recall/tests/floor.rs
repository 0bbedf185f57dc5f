//! The floor under the lanes and their fusion: a share of questions whose answer must come first. `tests/it/retrieval.rs` of the binary holds the whole
//! command to one.
//!
//! Small enough for every change; `examples/retrieval_bench` measures on real data.

use std::collections::BTreeMap;

use oldhand_domain::words;
use oldhand_embed::{StaticEmbedder, cosine};
use oldhand_recall::fuse::{Method, fuse};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::plan::{RecentWork, plan};
use oldhand_recall::predict::Bm25;
use oldhand_testkit::questions::{MEMORIES, QUESTIONS};

fn share_found(method: Option<Method>, within: usize) -> f64 {
    let vectors = StaticEmbedder.embed_batch(MEMORIES);
    let found = |&&(question, answer): &&(&str, usize)| {
        let plan = plan(question, RecentWork::Ordinary).for_model(StaticEmbedder::MODEL);
        let asked: BTreeMap<String, f64> =
            plan.words.iter().map(|word| (word.clone(), 1.0)).collect();
        let mut text = Bm25::new(&asked, 0.75);
        for memory in MEMORIES {
            text.read(|take| words::each(memory, take));
        }
        let vector = StaticEmbedder.embed(question);
        let near = vectors
            .iter()
            .enumerate()
            .map(|(at, other)| (at, f64::from(cosine(&vector, other))));
        let lanes = [
            Ranked::new(Lane::Text, text.score()),
            Ranked::new(Lane::Dense, near),
        ];
        let (lanes, method) = match method {
            Some(method) => (&lanes[..], method),
            None => (&lanes[..1], Method::Standardised),
        };
        fuse(lanes, &plan, method)
            .iter()
            .take(within)
            .any(|item| item.key == answer)
    };
    QUESTIONS.iter().filter(found).count() as f64 / QUESTIONS.len() as f64
}

#[test]
fn the_right_memory_comes_first_often_enough() {
    let first = share_found(Some(Method::Standardised), 1);
    let among_three = share_found(Some(Method::Standardised), 3);
    assert!(first >= 0.80, "{first} first");
    assert!(among_three >= 0.92, "{among_three} among the first three");
}

#[test]
fn both_lanes_together_beat_words_alone() {
    let words = share_found(None, 3);
    let both = share_found(Some(Method::Standardised), 3);
    assert!(both > words, "{both} against {words}");
}
