//! A second pair of hands: what was read is compared with the question while the next is still being read, and what is left then by both.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use oldhand_domain::error::StoreError;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::MemoryId;
use oldhand_domain::port::{Listing, MemoryStore};
use oldhand_recall::nearness::{Embed, Nearness};
use oldhand_recall::plan::Plan;

/// [`Embed`], by several at once.
pub(super) type EmbedWords<'a> = dyn Fn(&[&str]) -> Vec<Vec<f32>> + Sync + 'a;

/// How many memories are read before they are handed on.
const STRETCH: usize = 4;

/// Takes texts as they are read.
#[derive(Default)]
pub(super) struct Hands {
    left: Mutex<Left>,
    is_more: Condvar,
}

/// Texts that nobody has taken yet.
#[derive(Default)]
struct Left {
    texts: VecDeque<String>,
    is_all: bool,
}

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
            self.left().texts.extend(texts);
            self.is_more.notify_one();
            all.memories.extend(memories);
            all.damaged.extend(damaged);
        }
        Ok(all)
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next text; waits for it, unless no more comes.
    fn take(&self) -> Option<String> {
        let is_waiting = |left: &mut Left| left.texts.is_empty() && !left.is_all;
        let left = self.is_more.wait_while(self.left(), is_waiting);
        left.unwrap_or_else(PoisonError::into_inner)
            .texts
            .pop_front()
    }

    /// Compares what nobody else takes.
    fn compare(&self, plan: &Plan, embed: Option<&Embed<'_>>) -> Nearness {
        let mut nearness = Nearness::to(plan);
        while let Some(text) = self.take() {
            nearness.meet(&text, embed);
        }
        nearness
    }
}

/// Says at its end that no more comes, also where that is a panic: nobody waits for ever.
struct End<'a>(&'a Hands);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.left().is_all = true;
        self.0.is_more.notify_all();
    }
}

/// Does `ask`, and meanwhile compares what it hands on with the words of `plan`. Nothing where there is nothing to compare with.
pub(super) fn compare_meanwhile<T>(
    plan: &Plan,
    embed: Option<&EmbedWords<'_>>,
    ask: impl FnOnce(&Hands) -> T,
) -> (T, Vec<Nearness>) {
    let hands = Hands::default();
    if plan.words.is_empty() {
        return (ask(&hands), Vec::new());
    }
    let compared = Mutex::new(Vec::new());
    let compare = || {
        let embed = embed.map(|embed| embed as &Embed<'_>);
        // Whoever panics (it should not) costs what it compared, not the answer.
        if let Ok(nearness) = catch_unwind(AssertUnwindSafe(|| hands.compare(plan, embed))) {
            let mut compared = compared.lock().unwrap_or_else(PoisonError::into_inner);
            compared.push(nearness);
        }
    };
    let answer = thread::scope(|scope| {
        // Where there is no thread for it, all is left for this one.
        let _ = thread::Builder::new().spawn_scoped(scope, compare);
        let end = End(&hands);
        let answer = ask(&hands);
        drop(end);
        compare();
        answer
        // The other is waited for until it has compared all, but not until the system has taken its stack away, as joining it would.
    });
    let compared = compared.into_inner();
    (answer, compared.unwrap_or_else(PoisonError::into_inner))
}
