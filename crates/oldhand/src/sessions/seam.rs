//! Where what hooks told fits into what a transcript tells, so that each thing that happened counts once.
//!
//! A transcript tells more of a call, a prompt or an answer than a hook does, so that its words stand. What only hooks know (what
//! was injected, what people said of the work, what a transcript was too short for) goes between the two things that both
//! tell, and there by its time. Two journals of the same bytes always give the same order.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher as _};

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::error::StoreError;
use oldhand_domain::event::{BoundedText, Call, Event, Happening, Return, Start};
use oldhand_domain::taint::{OutsideText, Taint};
use oldhand_observe::fold::{FoldOptions, outside_of};

use crate::agent::{Agent, OR_LONGER, UNNAMED};

/// A few words may be said again; the same words so soon are the same.
const FEW_WORDS: usize = 3;
const SOON: SignedDuration = SignedDuration::from_mins(10);

/// Whether what hooks told has its place among what the transcript tells.
#[derive(Clone, Copy)]
enum Fate {
    /// The transcript tells it; at this place, where that says how far the session was.
    Told(Option<u32>),
    /// Only hooks tell it: not before the place `after`, and not behind the place `before`.
    New { after: u32, before: u32 },
}

/// How the events of two journals go together.
pub(super) struct Seam {
    fates: Vec<Fate>,
    /// What the hooks' copy of an event says it brought in, and the transcript's does not.
    marks: BTreeMap<u32, Taint>,
    /// How the session began, as hooks tell it.
    start: Option<Start>,
}

impl Seam {
    /// `hooks` is asked twice.
    pub(super) fn between<H: Iterator<Item = Result<impl Borrow<Event>, StoreError>>>(
        transcript: impl Iterator<Item = Result<impl Borrow<Event>, StoreError>>,
        hooks: impl Fn() -> Result<H, StoreError>,
        options: &FoldOptions,
    ) -> Result<Self, StoreError> {
        let mut told = Told::default();
        for event in transcript {
            told.note(event?.borrow(), options);
        }
        for event in hooks()? {
            let name = name_of_call(event?.borrow());
            if name.is_some_and(|name| told.calls.contains_key(&name)) {
                told.shares_names = true;
                break;
            }
        }
        let mut seam = Self {
            fates: Vec::new(),
            marks: BTreeMap::new(),
            start: None,
        };
        let mut after = 0;
        for event in hooks()? {
            let fate = seam.place(event?.borrow(), &mut told, options, &mut after);
            seam.fates.push(fate);
        }
        let mut next = u32::MAX;
        for fate in seam.fates.iter_mut().rev() {
            match fate {
                Fate::Told(at) => next = at.map_or(next, |at| next.min(at)),
                Fate::New { before, .. } => *before = next,
            }
        }
        Ok(seam)
    }

    fn place(
        &mut self,
        event: &Event,
        told: &mut Told,
        options: &FoldOptions,
        after: &mut u32,
    ) -> Fate {
        let new = Fate::New {
            after: *after,
            before: u32::MAX,
        };
        if let (Happening::SessionStarted(start), None) = (&event.what, &self.start) {
            self.start = Some(start.clone());
            told.hooks_name_calls = Agent::named(&start.client).is_none_or(Agent::names_calls);
            return if told.has_start {
                Fate::Told(None)
            } else {
                new
            };
        }
        let Some(at) = told.find(event, *after) else {
            return new;
        };
        let is_anchor = matches!(
            event.what,
            Happening::ToolCalled { .. } | Happening::ToolReturned(_) | Happening::Prompt { .. }
        );
        if is_anchor {
            *after = (*after).max(at + 1);
        }
        let outside = outside_of(event, options);
        if let Some(outside) = outside.filter(|outside| told.marks.get(&at) != Some(outside)) {
            let marks = self.marks.entry(at).or_default();
            *marks = std::mem::take(marks).join(&Taint::by(outside));
        }
        Fate::Told(is_anchor.then_some(at))
    }

    /// Hands on the events of both journals, each once.
    pub(super) fn weave(
        &self,
        transcript: impl Iterator<Item = Result<Event, StoreError>>,
        hooks: impl Iterator<Item = Result<Event, StoreError>>,
        mut take: impl FnMut(Event),
    ) -> Result<(), StoreError> {
        let mut news = hooks
            .zip(&self.fates)
            .filter_map(|(event, fate)| match fate {
                Fate::Told(_) => None,
                Fate::New { after, before } => Some(event.map(|event| (event, *after, *before))),
            });
        let mut next = news.next().transpose()?;
        for (at, event) in (0_u32..).zip(transcript) {
            let mut event = event?;
            while let Some((new, _, _)) = next.take_if(|(new, after, before)| {
                *after <= at && (*before <= at || new.at < event.at)
            }) {
                take(new);
                next = news.next().transpose()?;
            }
            if let (Happening::SessionStarted(start), Some(of_hooks)) =
                (&mut event.what, &self.start)
            {
                complete(start, of_hooks);
            }
            let marks = self.marks.get(&at).map(|outside| Event {
                at: event.at,
                agent: event.agent.clone(),
                what: Happening::MayHaveTaken {
                    outside: outside.clone(),
                },
            });
            take(event);
            marks.into_iter().for_each(&mut take);
        }
        while let Some((new, _, _)) = next {
            take(new);
            next = news.next().transpose()?;
        }
        Ok(())
    }
}

/// Hooks run in the client's environment and know what the session is for.
fn complete(start: &mut Start, of_hooks: &Start) {
    start.session_type = of_hooks.session_type;
    start.type_told = of_hooks.type_told;
    start.task = of_hooks.task.clone().or(start.task.take());
    start.work_unit = of_hooks.work_unit.clone().or(start.work_unit.take());
    start.planned_steps = of_hooks.planned_steps.or(start.planned_steps);
    start.branch = of_hooks.branch.clone().or(start.branch.take());
    if start.cwd.is_empty() {
        start.cwd.clone_from(&of_hooks.cwd);
    }
}

/// What a transcript tells, by names that a hook's copy has as well.
#[derive(Default)]
struct Told {
    count: u32,
    has_start: bool,
    /// Whether hooks call a call by the name that the transcript has for it.
    hooks_name_calls: bool,
    /// Whether any call of theirs has a name that the transcript knows.
    shares_names: bool,
    calls: HashMap<u64, u32>,
    words: HashMap<u64, Vec<(u32, Timestamp)>>,
    /// Outside text that an event of the transcript brought in.
    marks: HashMap<u32, OutsideText>,
}

impl Told {
    fn note(&mut self, event: &Event, options: &FoldOptions) {
        let at = self.count;
        self.count += 1;
        self.has_start |= matches!(event.what, Happening::SessionStarted(_));
        if let Some(name) = name_of_call(event) {
            self.calls.entry(name).or_insert(at);
        }
        // Of a client that tells its hooks no names, a call is known by what was called.
        let names = [name_of_words(event), name_of_content(event)];
        for name in names.into_iter().flatten() {
            self.words.entry(name).or_default().push((at, event.at));
        }
        if let Some(outside) = outside_of(event, options) {
            self.marks.insert(at, outside);
        }
    }

    /// Where the transcript tells what a hook told; not before `after` if that can be. What happens more than once is found as
    /// often as it is told.
    fn find(&mut self, event: &Event, after: u32) -> Option<u32> {
        if let Happening::ToolCalled { .. } | Happening::ToolReturned(_) = event.what {
            let known = name_of_call(event).and_then(|name| self.calls.get(&name).copied());
            let is_unnamed = matches!(&event.what, Happening::ToolReturned(back) if back.id.starts_with(UNNAMED));
            let by_content = is_unnamed || !self.hooks_name_calls && !self.shares_names;
            let content = name_of_content(event).filter(|_| by_content);
            return known.or_else(|| self.claim(content?, after, |_| true));
        }
        let name = name_of_words(event)?;
        match &event.what {
            // Hooks may tell an answer twice, and never one that the transcript has only once twice over.
            Happening::Text { .. } => self.words.get(&name)?.first().map(|(at, _)| *at),
            Happening::Prompt { text, .. } => {
                let long = text.as_str().split_whitespace().count() > FEW_WORDS;
                let is_same = |at: Timestamp| long || event.at.duration_since(at).abs() <= SOON;
                self.claim(name, after, is_same)
            }
            _ => self.claim(name, after, |_| true),
        }
    }

    fn claim(&mut self, name: u64, after: u32, is_same: impl Fn(Timestamp) -> bool) -> Option<u32> {
        let places = self.words.get_mut(&name)?;
        let later = places
            .iter()
            .position(|(at, when)| *at >= after && is_same(*when));
        let found = later.or_else(|| places.iter().rposition(|(_, when)| is_same(*when)))?;
        Some(places.remove(found).0)
    }
}

/// Nothing for a call without a name: two of them are not the same.
fn name_of_call(event: &Event) -> Option<u64> {
    let (kind, id) = match &event.what {
        Happening::ToolCalled { id, .. } => ("called", id),
        Happening::ToolReturned(back) => ("returned", &back.id),
        _ => return None,
    };
    (!id.is_empty()).then(|| hash((kind, id)))
}

fn name_of_words(event: &Event) -> Option<u64> {
    let agent = event.agent.as_deref();
    match &event.what {
        Happening::Prompt { text, .. } => Some(hash(("prompt", agent, text.as_str()))),
        Happening::Text { voice, text } => {
            Some(hash(("text", voice.to_string(), agent, last_words(text))))
        }
        Happening::Corrected { how, file } => {
            let file = file.as_ref().map(ToString::to_string);
            Some(hash(("corrected", how.to_string(), file)))
        }
        Happening::ContextCompacted => Some(hash("compacted")),
        _ => None,
    }
}

/// Names the return of a call by what was called. Hooks that do not name calls do not name subagents either.
fn name_of_content(event: &Event) -> Option<u64> {
    let Happening::ToolReturned(Return { call, .. }) = &event.what else {
        return None;
    };
    let called = match call {
        // Where a server's name ends cannot always be seen.
        Call::Mcp { server, name } => format!("{}_{name}", server.trim_end_matches(OR_LONGER)),
        call => serde_json::to_string(call).ok()?,
    };
    Some(hash(("content", called)))
}

/// So many letters of an answer's end say which one it is.
const LAST: usize = 200;

/// The end of an answer. Gemini CLI tells its hooks all that was said in a turn at once, and the last of it comes last.
fn last_words(text: &BoundedText) -> &str {
    let line = text.as_str().trim_end().lines().next_back();
    let line = line.unwrap_or_default().trim();
    &line[line.ceil_char_boundary(line.len().saturating_sub(LAST))..]
}

fn hash(words: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use oldhand_domain::event::{Ending, Voice};

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn returned(second: i64, id: &str, call: Call) -> Event {
        let back = Return {
            id: id.to_owned(),
            call,
            ended: Ending::Succeeded,
            excerpt: BoundedText::head("", 1),
            matched: Vec::new(),
            found: None,
            exit_code: None,
            duration_ms: None,
            size: 0,
        };
        Event::new(at(second), Happening::ToolReturned(back))
    }

    fn ran(second: i64, id: &str, command: &str) -> Event {
        let call = Call::Shell {
            command: BoundedText::head(command, 100),
            reads_outside: false,
            folder: None,
        };
        returned(second, id, call)
    }

    fn began(client: &str) -> Event {
        let start = Start {
            client: client.to_owned(),
            session_type: oldhand_domain::event::SessionType::Build,
            type_told: false,
            task: None,
            cwd: "/project".to_owned(),
            branch: None,
            work_unit: None,
            planned_steps: None,
        };
        Event::new(at(0), Happening::SessionStarted(start))
    }

    fn asked(second: i64, words: &str) -> Event {
        let text = BoundedText::head(words, 100);
        let pasted = false;
        let answers = false;
        let what = Happening::Prompt {
            text,
            pasted,
            answers,
        };
        Event::new(at(second), what)
    }

    fn said(second: i64, words: &str) -> Event {
        let (voice, text) = (Voice::Said, BoundedText::head(words, 100));
        Event::new(at(second), Happening::Text { voice, text })
    }

    fn noted(second: i64, words: &str) -> Event {
        let text = BoundedText::head(words, 100);
        let (kind, files) = ("gotcha".to_owned(), Vec::new());
        Event::new(at(second), Happening::Noted { kind, text, files })
    }

    fn each(events: &[Event]) -> impl Iterator<Item = Result<Event, StoreError>> {
        events.iter().cloned().map(Ok)
    }

    /// Every event in a word, in the order they are handed on.
    fn woven(transcript: &[Event], hooks: &[Event]) -> Vec<String> {
        let seam = Seam::between(
            each(transcript),
            || Ok(each(hooks)),
            &FoldOptions::default(),
        )
        .unwrap();
        let mut words = Vec::new();
        let take = |event: Event| {
            words.push(match event.what {
                Happening::SessionStarted(_) => "began".to_owned(),
                Happening::ToolReturned(back) => back.id,
                Happening::Prompt { text, .. }
                | Happening::Text { text, .. }
                | Happening::Noted { text, .. } => text.as_str().to_owned(),
                Happening::MayHaveTaken { outside } => {
                    outside.sources().map(OutsideText::label).collect()
                }
                other => format!("{other:?}"),
            });
        };
        seam.weave(each(transcript), each(hooks), take).unwrap();
        words
    }

    #[test]
    fn what_both_tell_counts_once_and_what_only_hooks_know_stays_in_its_place() {
        let transcript = [
            began("codex"),
            asked(10, "go on"),
            ran(20, "a", "make"),
            said(30, "Halfway."),
            ran(40, "b", "make"),
            said(50, "Done."),
        ];
        // Hooks of another clock: their order is kept all the same.
        let hooks = [
            began("codex"),
            asked(15, "go on"),
            ran(500, "a", "make"),
            noted(510, "between"),
            ran(520, "b", "make"),
            said(530, "Done."),
            ran(540, "c", "make"),
            asked(900, "go on"),
        ];
        let expected = [
            "began", "go on", "a", "Halfway.", "between", "b", "Done.", "c", "go on",
        ];
        assert_eq!(woven(&transcript, &hooks), expected);
        let only = woven(&transcript, &[]);
        assert_eq!(only.len(), transcript.len());
        assert_eq!(woven(&[], &hooks).len(), hooks.len());
    }

    #[test]
    fn a_client_whose_hooks_name_no_calls_is_known_by_what_was_called() {
        let transcript = [ran(1, "x__1", "make"), ran(3, "x__2", "make")];
        let hooks = |client: &str| {
            [
                began(client),
                ran(1, "digest-1", "make"),
                ran(3, "digest-2", "make"),
                ran(5, "digest-3", "make"),
            ]
        };
        let by_content = woven(&transcript, &hooks("gemini"));
        assert_eq!(by_content, ["began", "x__1", "x__2", "digest-3"]);
        // Where calls have names, another name is another call, unless it is made up.
        assert_eq!(woven(&transcript, &hooks("codex")).len(), 6);
        let unnamed = ran(2, &format!("{UNNAMED}1"), "make");
        let hooks = [began("codex"), unnamed, ran(3, "x__2", "make")];
        assert_eq!(woven(&transcript, &hooks), ["began", "x__1", "x__2"]);
    }

    #[test]
    fn calls_of_a_client_that_may_name_them_are_known_by_name_where_any_name_is_shared() {
        let transcript = [ran(1, "a", "make"), ran(3, "b", "make")];
        let hooks = |first: &str| {
            [
                began("cursor"),
                ran(1, first, "make"),
                ran(3, "other", "make"),
            ]
        };
        assert_eq!(woven(&transcript, &hooks("digest")), ["began", "a", "b"]);
        assert_eq!(
            woven(&transcript, &hooks("a")),
            ["began", "a", "b", "other"]
        );
        // Calls without a name are not all the same call.
        let nameless = [ran(1, "", "make"), ran(3, "", "touch a")];
        let of_hooks = [began("codex"), ran(1, "", "make"), ran(3, "", "touch a")];
        assert_eq!(woven(&nameless, &of_hooks).len(), 5);
        let of_hooks = [began("cursor"), ran(1, "", "make"), ran(3, "", "touch a")];
        assert_eq!(woven(&nameless, &of_hooks).len(), 3);
    }

    #[test]
    fn outside_text_that_only_one_side_saw_marks_all_the_same() {
        let page = Call::WebFetch {
            url: "https://example.com".to_owned(),
        };
        let transcript = [ran(1, "a", "make"), ran(2, "b", "make")];
        let hooks = [began("codex"), returned(1, "a", page.clone())];
        assert_eq!(woven(&transcript, &hooks), ["began", "a", "web", "b"]);
        // What the transcript says itself needs no second word.
        let transcript = [returned(1, "a", page.clone())];
        assert_eq!(woven(&transcript, &hooks), ["began", "a"]);
        let hooks = [began("codex"), ran(1, "a", "make")];
        assert_eq!(woven(&transcript, &hooks), ["began", "a"]);
    }
}
