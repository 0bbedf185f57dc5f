//! Silence that is told from vectors alone is the silence that the store would have kept.

use std::collections::{BTreeMap, BTreeSet};

use oldhand_domain::port::MemoryReader as _;
use oldhand_recall::trust::TrustLevel;

use super::*;

/// Every vector, compared one by one.
struct Compared(BTreeMap<MemoryId, Vec<f32>>);

impl Compared {
    fn of(house: &House) -> Self {
        let memories = house.project.list(&Filter::default()).unwrap().memories;
        let vectors = memories.iter().map(|memory| {
            let vector = StaticEmbedder.embed(memory.content.as_str());
            (memory.id, vector)
        });
        Self(vectors.collect())
    }
}

impl VectorIndex for Compared {
    fn nearest(
        &self,
        question: &[f32],
        limit: usize,
        among: Option<&BTreeSet<MemoryId>>,
    ) -> Vec<(MemoryId, f32)> {
        let ids = self.0.keys().copied();
        let ids: Vec<MemoryId> = ids
            .filter(|id| among.is_none_or(|among| among.contains(id)))
            .collect();
        let mut near = self.cosines(question, &ids);
        near.sort_by(|left, right| right.1.total_cmp(&left.1));
        near.truncate(limit);
        near
    }

    fn cosines(&self, question: &[f32], ids: &[MemoryId]) -> Vec<(MemoryId, f32)> {
        let near = |id: &MemoryId| Some((*id, oldhand_embed::cosine(question, self.0.get(id)?)));
        ids.iter().filter_map(near).collect()
    }

    fn vectors(&self, ids: &[MemoryId]) -> BTreeMap<MemoryId, Vec<f32>> {
        let found = ids
            .iter()
            .filter_map(|id| Some((*id, self.0.get(id)?.clone())));
        found.collect()
    }
}

fn filled() -> House {
    let house = House::new();
    let parts = ["parser", "cache", "billing job", "login form", "map view"];
    let troubles = [
        "needs a warm start before the first request",
        "rounds to whole cents and loses the rest",
        "forgets the time zone when it is restarted",
        "must never be imported by the command line",
    ];
    for part in parts {
        for trouble in troubles {
            house.teach(&format!("The {part} {trouble}."));
        }
    }
    house
}

/// Whether silence is told, and what the store has to say.
fn ask(house: &House, vectors: &Compared, task: &str) -> (bool, usize) {
    let silent = is_silent(
        task,
        &StaticEmbedder,
        vectors,
        vectors.0.len(),
        &BTreeSet::new(),
        |_| {},
    );
    let session = SessionId::new("asked").unwrap();
    let listener = Listener {
        session: &session,
        branch: None,
        level: TrustLevel::Standard,
        now: day(0),
    };
    let engine = Engine::new(&house.project, None, &StaticEmbedder, &house.ids);
    let engine = engine.with_vectors(Shelf::Project, vectors);
    let said = engine
        .recall_for(&Cue::Asked(task.to_owned()), listener)
        .unwrap();
    (silent, said.len())
}

#[test]
fn nothing_is_kept_back_that_the_store_would_say() {
    let house = filled();
    let vectors = Compared::of(&house);
    let memories = house.project.list(&Filter::default()).unwrap().memories;
    let mut tasks: Vec<String> = memories
        .iter()
        .map(|memory| memory.content.to_string())
        .collect();
    let more = [
        "billing",
        "why does the billing job lose cents?",
        "the map view forgets the time zone",
        "importedBy commandLine",
        "",
        "?",
        "vielen Dank",
    ];
    tasks.extend(more.map(str::to_owned));
    let mut spoken = 0;
    for task in tasks {
        let (silent, said) = ask(&house, &vectors, &task);
        assert!(!silent || said == 0, "{task}");
        spoken += usize::from(said > 0);
    }
    assert!(spoken > 0, "a test in which nothing is ever said is none");
}

#[test]
fn a_task_that_is_near_nothing_is_known_to_end_in_silence() {
    let house = filled();
    let vectors = Compared::of(&house);
    for task in ["zebra", "thanks, go on", "write a poem about autumn leaves"] {
        assert_eq!(ask(&house, &vectors, task), (true, 0), "{task}");
    }
}

#[test]
fn only_a_task_that_is_near_something_is_looked_at_twice() {
    let house = filled();
    let vectors = Compared::of(&house);
    let looks = |task: &str| {
        let (mut looks, none) = (0, BTreeSet::new());
        let rows = vectors.0.len();
        is_silent(task, &StaticEmbedder, &vectors, rows, &none, |_| looks += 1);
        looks
    };
    assert_eq!(looks("write a poem about autumn leaves"), 0);
    assert_eq!(looks("The billing job forgets the time zone."), 1);
}

#[test]
fn where_many_of_the_nearest_are_gone_the_store_is_asked() {
    let house = filled();
    let vectors = Compared::of(&house);
    let gone: BTreeSet<MemoryId> = vectors.0.keys().copied().collect();
    let silent = |task: &str| is_silent(task, &StaticEmbedder, &vectors, gone.len(), &gone, |_| {});
    let memories = house.project.list(&Filter::default()).unwrap().memories;
    assert!(!silent(memories[0].content.as_str()));
    // Without what is gone it is no nearer.
    assert!(silent("zebra"));
}

#[test]
fn where_vectors_cannot_tell_the_store_is_asked_unless_there_are_none() {
    let unread = Compared(BTreeMap::new());
    let silent = |rows| {
        is_silent(
            "zebra",
            &StaticEmbedder,
            &unread,
            rows,
            &BTreeSet::new(),
            |_| {},
        )
    };
    assert!(!silent(3));
    assert!(silent(0));
}

/// What nobody asks about: six hundred things about invoices.
fn strangers() -> Vec<String> {
    let parts = [
        "header", "footer", "table", "tax", "total", "customer", "currency", "date",
    ];
    let does = [
        "is printed on",
        "is left out of",
        "comes twice on",
        "is rounded on",
        "is bold on",
    ];
    let pages = [
        "the first page",
        "the last page",
        "reminders",
        "credit notes",
        "drafts",
    ];
    let kinds = ["paper", "mailed", "yearly"];
    let mut all = Vec::new();
    for part in parts {
        for does in does {
            for page in pages {
                all.extend(
                    kinds.map(|kind| format!("The {part} of {kind} invoices {does} {page}.")),
                );
            }
        }
    }
    all
}

#[test]
fn strangers_silence_nothing_whether_they_may_be_told_or_not() {
    let house = House::new();
    house.teach("resolve_redirects drops the Authorization header when the host changes.");
    let tasks = [
        "why is the auth header lost on redirects",
        "fix redirects in resolve_redirects",
    ];
    let told = || {
        let vectors = Compared::of(&house);
        tasks.map(|task| ask(&house, &vectors, task))
    };
    assert_eq!(told(), [(false, 1); 2], "alone");
    let drafts = strangers().into_iter().enumerate();
    let drafts = drafts.map(|(at, text)| Draft {
        needs_review: at % 2 == 0,
        ..gotcha(&text)
    });
    let engine = house.engine();
    engine
        .remember_all(
            Shelf::Project,
            drafts.collect(),
            Voice::Speaker,
            day(0),
            &mut |_| {},
        )
        .unwrap();
    let number = house.project.list(&Filter::default()).unwrap().memories;
    assert!(number.len() > 400, "{}", number.len());
    assert_eq!(told(), [(false, 1); 2], "among {}", number.len());
}
