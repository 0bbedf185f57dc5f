//! What is said of a place that looks like a known project.

use crate::out::Out;
use crate::project::{LookAlike, Newcomer, Resemblance};

/// Says which known projects a new one looks like, and how to make them one.
pub(crate) fn tell_look_alikes(newcomer: &Newcomer, out: &Out) {
    const MOST: usize = 3;
    let alike = &newcomer.look_alikes;
    for look_alike in alike.iter().take(MOST) {
        out.note(&describe_look_alike(look_alike));
    }
    if alike.len() > MOST {
        let rest = alike[MOST..].iter().map(|one| one.name.as_str());
        let rest: Vec<&str> = rest.collect();
        out.note(&format!("or project {}", rest.join(", ")));
    }
    if let Some(hint) = make_one(&newcomer.look_alikes) {
        out.hint(&hint);
    }
}

/// How a place becomes one of the projects it looks like, the likeliest first. `None` where it looks like none.
pub(crate) fn make_one(look_alikes: &[LookAlike]) -> Option<String> {
    let (first, rest) = look_alikes.split_first()?;
    let first = format!("`oldhand init --same-as {}`", first.directory);
    let others = rest
        .iter()
        .map(|other| format!(", or `--same-as {}`,", other.directory));
    let others: String = others.collect();
    Some(format!("{first}{others} makes them one project"))
}

pub(crate) fn describe_look_alike(look_alike: &LookAlike) -> String {
    let LookAlike {
        name,
        place,
        still_there,
        resemblance,
        ..
    } = look_alike;
    match (resemblance, still_there) {
        _ if place.is_empty() => {
            format!("this may be project {name}, and nobody knows any more where that was")
        }
        (Resemblance::History, true) => {
            format!("this is another clone of project {name}, known at {place}")
        }
        (Resemblance::History, false) => format!(
            "this looks like project {name}, which was at {place} and is not there any more"
        ),
        (Resemblance::Folder, _) => {
            format!("this folder was project {name} before a repository came into it")
        }
        (Resemblance::Whereabouts, _) => {
            format!("this may be project {name}, which was at {place} and is not there any more")
        }
    }
}
