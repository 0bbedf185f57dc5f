//! Whether what hooks say reaches the model: of what was said, how much the clients' own transcripts hold.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use oldhand_domain::event::Happening;
use oldhand_store::journal::Journals;

use super::Check;
use crate::hook::{LATE_HOOKS, UNKNOWN_HOOKS};
use crate::out::time::count;
use crate::project::Project;

/// So many sessions are looked at, the latest first.
const SESSIONS: usize = 50;
/// So often something has to be said in vain at one point before that is no accident, and so often at all.
const NO_ACCIDENT: usize = 3;
const NOTHING_ARRIVES: usize = 2;

/// Of what was said at one point of a client's sessions.
#[derive(Default)]
struct Rate {
    said: usize,
    arrived: usize,
}

/// One check for all clients, once a transcript has been looked into.
pub(super) fn check_delivery(project: &Project) -> Option<Check> {
    const NAME: &str = "delivery";
    let rates = rates(&Journals::new(project.directory.join("journal")));
    if rates.is_empty() {
        return None;
    }
    let mut clients: BTreeMap<&str, Rate> = BTreeMap::new();
    for ((client, _), rate) in &rates {
        let all = clients.entry(client).or_default();
        all.said += rate.said;
        all.arrived += rate.arrived;
    }
    let told: Vec<String> = clients
        .iter()
        .map(|(client, rate)| format!("{client} {} of {}", rate.arrived, rate.said))
        .collect();
    let detail = format!("what was said and reached the model: {}", told.join(", "));
    let vain = rates
        .iter()
        .find(|(_, rate)| rate.said >= NO_ACCIDENT && rate.arrived == 0);
    let deaf = clients
        .iter()
        .find(|(_, rate)| rate.said >= NOTHING_ARRIVES && rate.arrived == 0);
    let anew = |client: &str| {
        format!(
            "`oldhand install {client}` writes its hooks anew; a newer version of {client} may deliver"
        )
    };
    Some(match (deaf, vain) {
        (None, None) => Check::good(NAME, detail),
        (Some((client, _)), _) => Check::bad(
            NAME,
            format!("{detail}; {client} delivered nothing"),
            anew(client),
        ),
        (None, Some(((client, point), rate))) => Check::bad(
            NAME,
            format!(
                "{detail}; at the point `{point}` {client} delivered none of {}",
                rate.said
            ),
            anew(client),
        ),
    })
}

/// Calls of hooks in the last days that nobody here knows.
pub(super) fn check_unknown(project: &Project, now: Timestamp) -> Option<Check> {
    const NAME: &str = "calls of hooks";
    let events = noted_lately(project, UNKNOWN_HOOKS, now)?;
    let told: Vec<String> = events
        .iter()
        .map(|(event, times)| format!("{event} {times}×"))
        .collect();
    let told = told.join(", ");
    // The others are heard; a client that says new things is worth knowing of.
    (!events.is_empty()).then(|| {
        Check::good(
            NAME,
            format!("kinds that nobody here knows, in the last 7 days: {told}"),
        )
    })
}

/// How often each event is noted in a file beside the database, in the last days.
fn noted_lately(project: &Project, file: &str, now: Timestamp) -> Option<BTreeMap<String, usize>> {
    const DAYS: SignedDuration = SignedDuration::from_hours(7 * 24);
    let noted = std::fs::read_to_string(project.directory.join(file)).ok()?;
    let mut events: BTreeMap<String, usize> = BTreeMap::new();
    for line in noted.lines() {
        let Some((at, event)) = line.split_once(' ') else {
            continue;
        };
        let lately = |at: Timestamp| now.duration_since(at) <= DAYS;
        if at.parse().is_ok_and(lately) {
            *events.entry(event.to_owned()).or_default() += 1;
        }
    }
    Some(events)
}

/// Whether hooks have the time they need: those that gave up in the last days said nothing.
pub(super) fn check_lateness(project: &Project, now: Timestamp) -> Option<Check> {
    const NAME: &str = "hooks in time";
    /// So many are no accident of one busy moment.
    const OFTEN: usize = 5;
    let events = noted_lately(project, LATE_HOOKS, now)?;
    let late: usize = events.values().sum();
    let told: Vec<String> = events
        .iter()
        .map(|(event, times)| format!("{event} {times}"))
        .collect();
    let detail = format!(
        "{} gave up at the limit in the last 7 days and said nothing: {}",
        count(late, "hook"),
        told.join(", ")
    );
    match late {
        0 => None,
        1..OFTEN => Some(Check::good(NAME, detail)),
        _ => Some(Check::bad(
            NAME,
            detail,
            "the machine is busy or the disk is slow; `oldhand config set hook.deadline 300` lets agents wait longer for them",
        )),
    }
}

/// By client and point, in sessions whose transcript was looked into.
fn rates(journals: &Journals) -> BTreeMap<(String, String), Rate> {
    let mut listed = journals.list().unwrap_or_default();
    listed.sort_by_key(|journal| std::cmp::Reverse(journal.modified));
    let mut rates: BTreeMap<(String, String), Rate> = BTreeMap::new();
    for journal in listed.into_iter().take(SESSIONS) {
        let mut client = None;
        let mut said: Vec<(String, String)> = Vec::new();
        let mut arrived: Option<BTreeSet<String>> = None;
        let read = journals.each(&journal.session, |event| match event.what {
            Happening::SessionStarted(start) => client = Some(start.client),
            Happening::Injected {
                point,
                fence: Some(fence),
                ..
            } => said.push((point, fence)),
            Happening::Delivered { fences } => arrived.get_or_insert_default().extend(fences),
            _ => {}
        });
        let (Ok(_), Some(client), Some(arrived)) = (read, client, arrived) else {
            continue;
        };
        for (point, fence) in said {
            let rate = rates.entry((client.clone(), point)).or_default();
            rate.said += 1;
            rate.arrived += usize::from(arrived.contains(&fence));
        }
    }
    rates
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use jiff::Timestamp;
    use oldhand_domain::event::{Event, SessionType, Start};

    use super::*;
    use crate::project::{Location, Place};

    /// `None` where no transcript was looked into.
    fn checked(arrive: Option<&[&str]>) -> Option<Check> {
        let folder = tempfile::tempdir().unwrap();
        let journals = Journals::new(folder.path().join("journal"));
        let start = Happening::SessionStarted(Start {
            client: "gemini".to_owned(),
            session_type: SessionType::default(),
            type_told: false,
            task: None,
            cwd: "/shop".to_owned(),
            branch: None,
            work_unit: None,
            planned_steps: None,
        });
        let said = [
            ("brief", "a"),
            ("error", "b"),
            ("error", "c"),
            ("error", "d"),
        ];
        let said = said.map(|(point, fence)| Happening::Injected {
            point: point.to_owned(),
            memories: Vec::new(),
            facts: Vec::new(),
            tokens: 9,
            fence: Some(fence.to_owned()),
        });
        let looked = arrive.map(|arrive| Happening::Delivered {
            fences: arrive.iter().map(|fence| (*fence).to_owned()).collect(),
        });
        let events: Vec<Event> = std::iter::once(start)
            .chain(said)
            .chain(looked)
            .map(|what| Event::new(Timestamp::UNIX_EPOCH, what))
            .collect();
        journals.append(&"s-1".parse().unwrap(), &events).unwrap();
        let root = PathBuf::from("/shop");
        check_delivery(&Project {
            name: "shop".to_owned(),
            directory: folder.path().to_owned(),
            location: Location {
                place: Place::Folder(root.clone()),
                root,
                git_dir: None,
            },
        })
    }

    #[test]
    fn a_point_that_never_delivers_is_told_and_no_transcript_claims_nothing() {
        assert!(checked(None).is_none());
        let good = checked(Some(&["a", "b"])).unwrap();
        assert!(good.ok);
        assert_eq!(
            good.detail,
            "what was said and reached the model: gemini 2 of 4"
        );
        let bad = checked(Some(&["a"])).unwrap();
        assert!(!bad.ok);
        assert!(
            bad.detail
                .ends_with("at the point `error` gemini delivered none of 3")
        );
        let deaf = checked(Some(&[])).unwrap();
        assert!(!deaf.ok);
        assert!(deaf.detail.ends_with("0 of 4; gemini delivered nothing"));
    }
}
