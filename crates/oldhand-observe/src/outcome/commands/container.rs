//! What is run inside a container: `docker compose run app pytest` is a run of pytest.

/// The command inside, where the words start one in a container.
pub(super) fn inside(rest: &[String]) -> Option<&[String]> {
    const WITH_VALUE: [&str; 17] = [
        "-f",
        "--file",
        "-p",
        "--profile",
        "--project-name",
        "-e",
        "--env",
        "-u",
        "--user",
        "-w",
        "--workdir",
        "-v",
        "--volume",
        "--name",
        "--entrypoint",
        "--network",
        "--env-file",
    ];
    let mut words = rest;
    // The verb, then the service, image or container, then the command.
    let mut seen = 0;
    let wanted = 2;
    while let Some(word) = words.first() {
        if word.starts_with('-') {
            let step = if WITH_VALUE.contains(&word.as_str()) {
                2
            } else {
                1
            };
            words = words.get(step..)?;
            continue;
        }
        if seen == wanted {
            return Some(words);
        }
        let is_verb = seen == 0;
        if is_verb && word == "compose" {
            words = &words[1..];
            continue;
        }
        if is_verb && !matches!(word.as_str(), "run" | "exec") {
            return None;
        }
        seen += 1;
        words = &words[1..];
    }
    None
}
