//! The agent's own words say that it had something wrong, or what was behind a failure.

use oldhand_domain::event::{Digest, Voice};
use oldhand_domain::path::ProjectPath;
use oldhand_domain::signal::SignalKind;

use super::{CORRECTION, Finding, Norms, Signal, causes};
use crate::fold::SessionAnalytics;
use crate::language::Admission;
use crate::paths;

pub(super) fn detect(session: &SessionAnalytics, _: &Norms) -> Vec<Signal> {
    let corrections = session
        .said
        .iter()
        .filter(|said| said.admission == Admission::Correction);
    let corrections = corrections.map(|said| {
        let key = format!("{CORRECTION}{}", Digest::of(&said.sentence.to_lowercase()));
        let finding = Finding::SelfCorrection {
            sentence: said.sentence.clone(),
            next: said.next.clone(),
        };
        // Files named in the words are what it is about; else what was just looked at, unless a tool made that.
        let words = format!("{} {}", said.sentence, said.next.as_deref().unwrap_or(""));
        let named: Vec<ProjectPath> = session
            .files
            .iter()
            .filter(|(_, file)| words.contains(paths::file_name(file.path.as_str())))
            .map(|(_, file)| file.path.clone())
            .take(3)
            .collect();
        let files = if named.is_empty() {
            let looked_at = said.files.iter();
            let mut written = looked_at.filter(|file| !paths::is_generated(file.as_str()));
            written.next().cloned().into_iter().collect()
        } else {
            named
        };
        let strength = if said.voice == Voice::Said {
            0.82
        } else {
            0.72
        };
        Signal::new(SignalKind::SelfCorrection, key, finding)
            .about(files)
            .seen_at([said.step])
            .strong(strength)
    });
    let causes = causes::found(session).into_iter().map(|found| {
        let finding = Finding::Cause {
            statement: found.said.sentence.clone(),
            mended: found.mended.clone(),
            explains: found.explains.clone(),
        };
        let fixes = session
            .edits
            .iter()
            .filter(|edit| found.mended.contains(session.files.path(edit.file)));
        let fixes: Vec<u32> = fixes.map(|edit| edit.step).take(2).collect();
        Signal::new(SignalKind::SelfCorrection, found.key(), finding)
            .about(found.mended)
            .seen_at([found.said.step].into_iter().chain(fixes))
            .strong(0.8)
    });
    corrections.chain(causes).collect()
}

#[test]
fn only_an_admission_is_a_signal_and_it_has_the_file_that_it_names() {
    let wrong = "I was wrong about the channel. It is `github:issues`, not `github:fetch`.";
    let named =
        "I was wrong about the channel. In ipc.ts it is `github:issues`, not `github:fetch`.";
    let cases = [
        (
            format!("read src/ipc.ts; read src/b.ts; say {named}"),
            "src/ipc.ts 0.82",
        ),
        (
            format!("read src/ipc.ts; read src/b.ts; think {named}"),
            "src/ipc.ts 0.72",
        ),
        (
            format!("read src/ipc.ts; read src/b.ts; say {wrong}"),
            "src/b.ts 0.82",
        ),
        (
            "repeat 4 read src/a{n}.ts; say I was wrong about the port: a1.ts, a2.ts, a3.ts and a4.ts have `8080`, not `80`.".to_owned(),
            "src/a1.ts src/a2.ts src/a3.ts 0.82",
        ),
        // A tool made the only file.
        (format!("read report/coverage.min.js; say {wrong}"), " 0.82"),
        (format!("say {wrong}"), " 0.82"),
        ("read src/b.ts; say Actually, let me look.".to_owned(), ""),
        ("read src/b.ts; say Wait, there is more.".to_owned(), ""),
        (
            "read src/b.ts; say Am I wrong about the channel `github:issues`?".to_owned(),
            "",
        ),
    ];
    for (story, expected) in cases {
        let signals = super::detected(&story);
        let kind = SignalKind::SelfCorrection;
        let found = signals.iter().filter(|signal| signal.kind == kind);
        let told: Vec<String> = found
            .map(|signal| {
                let files = signal.files.iter().map(ProjectPath::as_str);
                let files: Vec<&str> = files.collect();
                format!("{} {}", files.join(" "), signal.strength)
            })
            .collect();
        assert_eq!(told.join(", "), expected, "{story}");
    }
}
