//! A second pair of hands: what was read is compared with the question while the next is still being read.

use std::sync::mpsc::{Sender, channel};
use std::thread;

use oldhand_domain::error::StoreError;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::port::{Listing, MemoryStore};
use oldhand_recall::nearness::Nearness;
use oldhand_recall::plan::Plan;

/// How many memories are read before they are handed on.
const STRETCH: usize = 8;

/// Takes texts as they are read.
pub(super) struct Hands(Sender<Vec<String>>);

impl Hands {
    /// Reads memories as [`oldhand_domain::port::MemoryReader::read`] does, and hands on what they say.
    pub(super) fn read(
        &self,
        store: &dyn MemoryStore,
        ids: &[MemoryId],
        filter: &Filter,
    ) -> Result<Listing, StoreError> {
        let mut all = Listing::default();
        for ids in ids.chunks(STRETCH) {
            let Listing { memories, damaged } = store.read(ids, filter)?;
            let texts = memories.iter().map(|memory| memory.content.to_string());
            // Where nobody takes them, the close reading compares what it needs.
            let _ = self.0.send(texts.collect());
            all.memories.extend(memories);
            all.damaged.extend(damaged);
        }
        Ok(all)
    }
}

/// Does `ask`, and meanwhile compares what it hands on with the words of `plan`. `None` where there is nothing to compare with, or no thread for it.
pub(super) fn compare_meanwhile<T>(
    plan: &Plan,
    embed: &(dyn Fn(&[&str]) -> Vec<Vec<f32>> + Sync),
    ask: impl FnOnce(&Hands) -> T,
) -> (T, Option<Nearness>) {
    let (to, from) = channel::<Vec<String>>();
    let hands = Hands(to);
    if plan.words.is_empty() {
        return (ask(&hands), None);
    }
    thread::scope(|scope| {
        let compare = || {
            let mut nearness = Nearness::to(plan);
            from.into_iter()
                .flatten()
                .for_each(|text| nearness.meet(&text, &embed));
            nearness
        };
        let comparing = thread::Builder::new().spawn_scoped(scope, compare);
        let answer = ask(&hands);
        drop(hands);
        (
            answer,
            comparing.ok().and_then(|comparing| comparing.join().ok()),
        )
    })
}
