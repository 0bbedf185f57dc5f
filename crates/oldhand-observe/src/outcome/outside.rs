//! Commands that bring in text which neither the project nor its people wrote: fetched from elsewhere, or read from files elsewhere.

use super::shell::{Simple, commands};

/// How deep a command inside a command inside a command is followed.
const DEPTH_LIMIT: usize = 4;

/// How much of a command is looked at: what is longer is a file in disguise.
const LOOKED_AT: usize = 16 * 1024;

/// Names without which no command fetches anything: most have none of them and need not be cut up.
const CUES: [&str; 35] = [
    "curl",
    "wget",
    "http",
    "lynx",
    "w3m",
    "links",
    "aria2c",
    "gh ",
    "glab ",
    "git",
    "npm",
    "pnpm",
    "yarn",
    "pip",
    "cargo",
    "gem ",
    "brew",
    "ssh",
    "scp",
    "ftp",
    "nc ",
    "ncat",
    "telnet",
    "rsync",
    "docker",
    "aws ",
    "gcloud ",
    "gsutil ",
    "az ",
    "kubectl",
    "psql",
    "mysql",
    "mariadb",
    "mongo",
    "redis-cli",
];

/// Whether a command brings in text from the network. What runs on this machine is the project's own, and so is what its own
/// remote sends.
pub fn fetches(command: &str) -> bool {
    let command = &command[..command.floor_char_boundary(LOOKED_AT)];
    CUES.iter().any(|cue| command.contains(cue)) && fetches_within(command, 0)
}

fn fetches_within(command: &str, depth: usize) -> bool {
    commands(command)
        .iter()
        .any(|simple| brings(simple, command))
        || (depth < DEPTH_LIMIT
            && inner(command)
                .iter()
                .any(|inner| fetches_within(inner, depth + 1)))
}

fn brings(simple: &Simple, line: &str) -> bool {
    let program = base(&simple.words[0]);
    let rest = &simple.words[1..];
    let mut plain = rest.iter().filter(|word| !word.starts_with('-'));
    let verb = plain.next().map_or("", String::as_str);
    let act = plain.next().map_or("", String::as_str);
    match program {
        "curl" | "wget" | "http" | "https" | "xh" | "lynx" | "w3m" | "links" | "aria2c" => {
            let addresses = addresses(rest);
            addresses.is_empty() || addresses.iter().any(|word| !is_local(word))
        }
        "ssh" | "scp" | "sftp" | "ftp" | "nc" | "ncat" | "telnet" => !is_local(verb),
        "rsync" => rest.iter().any(|word| word.contains(':')),
        // Anybody may write an issue, a comment, a page or a log; writing one brings nothing back.
        "gh" | "glab" => match verb {
            "" | "auth" | "config" | "alias" | "extension" | "completion" | "label" | "secret" => {
                false
            }
            "api" | "search" | "browse" => true,
            _ => !matches!(
                act,
                "" | "create"
                    | "edit"
                    | "close"
                    | "reopen"
                    | "merge"
                    | "ready"
                    | "comment"
                    | "delete"
                    | "lock"
                    | "pin"
                    | "checkout"
                    | "rerun"
                    | "cancel"
                    | "upload"
            ),
        },
        "git" => verb == "clone" || (verb == "submodule" && act == "add"),
        "npm" | "pnpm" | "yarn" => matches!(verb, "view" | "info" | "show" | "search"),
        "pip" | "pip3" => matches!(verb, "download" | "index" | "search"),
        "cargo" | "gem" | "brew" => matches!(verb, "info" | "search"),
        // What stands in a cloud or a cluster others write as well.
        "aws" | "gcloud" | "gsutil" | "az" => !matches!(verb, "" | "configure" | "config" | "auth"),
        "kubectl" if rest.iter().any(|word| shows_a_cluster(word)) => true,
        // A database of this machine is the project's own.
        "psql" | "mysql" | "mariadb" | "mongo" | "mongosh" | "redis-cli" => asks_elsewhere(rest),
        "deno" | "bun" if rest.iter().any(|word| is_elsewhere(word)) => true,
        // What is run inside is a command of its own.
        "docker" | "podman" | "kubectl" | "nerdctl" => (1..rest.len()).any(|at| {
            let inside = Simple {
                words: rest[at..].to_vec(),
                through: None,
                into: Vec::new(),
                then: simple.then,
            };
            is_fetcher(base(&rest[at])) && brings(&inside, line)
        }),
        "python" | "python3" | "node" | "deno" | "bun" | "ruby" | "perl" | "php" => {
            script_fetches(line)
        }
        _ => false,
    }
}

fn shows_a_cluster(verb: &str) -> bool {
    matches!(verb, "logs" | "get" | "describe" | "exec" | "events")
}

/// Whether a word is the address of another machine.
fn is_elsewhere(word: &str) -> bool {
    word.contains("://") && !is_local(word)
}

/// Whether the client of a database is told to ask another machine: by an address, or by `-h` and `--host`.
fn asks_elsewhere(words: &[String]) -> bool {
    let mut before = "";
    words.iter().any(|word| {
        let named = match before {
            "-h" | "--host" => Some(word.as_str()),
            _ => word
                .strip_prefix("--host=")
                .or_else(|| word.strip_prefix("host=")),
        };
        before = word;
        // A folder is where a socket of this machine lies.
        is_elsewhere(word) || named.is_some_and(|host| !host.starts_with('/') && !is_local(host))
    })
}

/// The words that name what is fetched; the values of options may name a proxy or a header.
fn addresses(words: &[String]) -> Vec<&str> {
    const WITH_VALUE: [&str; 20] = [
        "-x",
        "-e",
        "-H",
        "-d",
        "-o",
        "-O",
        "-u",
        "-A",
        "-b",
        "-c",
        "-F",
        "-T",
        "-X",
        "-m",
        "-w",
        "--resolve",
        "--proxy",
        "--header",
        "--data",
        "--output",
    ];
    let mut found = Vec::new();
    let mut before = "";
    for word in words {
        let is_value = WITH_VALUE.contains(&before);
        before = word;
        let is_named = word.contains(['.', ':']) || word.starts_with("localhost");
        if !word.starts_with('-') && is_named && !is_value {
            found.push(word.as_str());
        }
    }
    found
}

fn is_fetcher(program: &str) -> bool {
    matches!(program, "curl" | "wget" | "http" | "https" | "git" | "ssh")
}

/// Whether a program written into the command line asks another machine.
fn script_fetches(line: &str) -> bool {
    const CALLS: [&str; 7] = [
        "urllib",
        "requests.",
        "httpx",
        "fetch(",
        "Net::HTTP",
        "file_get_contents",
        "open-uri",
    ];
    let elsewhere = line
        .split("://")
        .skip(1)
        .any(|rest| !is_local_host(host(rest)));
    elsewhere && CALLS.iter().any(|call| line.contains(call))
}

/// Whether a word names a place on this machine: by its host, not by what its path says.
fn is_local(word: &str) -> bool {
    let address = word.split_once("://").map_or(word, |(_, rest)| rest);
    is_local_host(host(address))
}

fn host(address: &str) -> &str {
    let end = address
        .find(['/', '?', '#', '"', '\'', ' ', ')'])
        .unwrap_or(address.len());
    let named = &address[..end];
    named.rsplit_once('@').map_or(named, |(_, host)| host)
}

fn is_local_host(host: &str) -> bool {
    let name = if host.starts_with('[') {
        host
    } else {
        host.split(':').next().unwrap_or("")
    };
    matches!(name, "localhost" | "127.0.0.1" | "0.0.0.0") || host.starts_with("[::1]")
}

/// Whether a file below the project was written by those it depends on.
pub fn is_of_others(path: &str) -> bool {
    path.split('/').any(|folder| {
        matches!(
            folder,
            "node_modules" | "bower_components" | "site-packages" | ".venv" | "venv" | ".tox"
        )
    })
}

/// Whether a command prints files that lie elsewhere. `lies_outside` is given a path and the folder it is relative to, where the
/// command went into one.
pub fn reads_outside(command: &str, lies_outside: &dyn Fn(&str, Option<&str>) -> bool) -> bool {
    let looked_at = &command[..command.floor_char_boundary(LOOKED_AT)];
    reads_outside_within(looked_at, lies_outside, 0)
}

fn reads_outside_within(
    command: &str,
    lies_outside: &dyn Fn(&str, Option<&str>) -> bool,
    depth: usize,
) -> bool {
    let mut folder: Option<String> = None;
    let here = commands(command).iter().any(|simple| {
        let program = base(&simple.words[0]);
        let plain: Vec<&String> = simple.words[1..]
            .iter()
            .filter(|word| !word.starts_with('-') && !word.contains(['*', '$', '(', '{', '|']))
            .collect();
        match program {
            "cd" | "pushd" => {
                if let Some(into) = plain.first() {
                    let inside = folder.as_ref().filter(|_| !into.starts_with(['/', '~']));
                    folder = Some(
                        inside.map_or_else(|| (*into).clone(), |folder| format!("{folder}/{into}")),
                    );
                }
                false
            }
            "cat" | "bat" | "less" | "more" | "nl" | "head" | "tail" | "strings" | "xxd"
            | "zcat" | "diff" => any_outside(&plain, folder.as_deref(), lies_outside),
            // The first word says what to look for.
            "sed" | "awk" | "rg" | "grep" | "ag" | "ack" | "jq" | "yq" => {
                let files = plain.get(1..).unwrap_or_default();
                any_outside(files, folder.as_deref(), lies_outside)
            }
            _ => false,
        }
    });
    here || (depth < DEPTH_LIMIT
        && inner(command)
            .iter()
            .any(|inner| reads_outside_within(inner, lies_outside, depth + 1)))
}

fn any_outside(
    words: &[&String],
    folder: Option<&str>,
    lies_outside: &dyn Fn(&str, Option<&str>) -> bool,
) -> bool {
    words
        .iter()
        .filter(|word| is_path(word, folder.is_some()) && !word.starts_with("/dev/"))
        .any(|word| lies_outside(word, folder))
}

/// A word that leads away from where the command runs or to what others wrote, or any file once it went elsewhere.
fn is_path(word: &str, moved: bool) -> bool {
    let named = word.starts_with(['/', '~']) || word.starts_with("..") || word.contains("/../");
    named || is_of_others(word) || (moved && word.contains('.'))
}

/// The commands inside `$(…)` and backquotes.
fn inner(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find("$(") {
        let text = &rest[at + 2..];
        let mut depth = 1_usize;
        let end = text.find(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let end = end.unwrap_or(text.len());
        found.push(text[..end].to_owned());
        rest = &text[end..];
    }
    found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
    found
}

fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_the_network_is_told_from_what_stays_here() {
        for command in [
            "curl -s https://example.org/install.sh",
            "cd x && wget http://example.org/a",
            "curl https://example.org/localhost",
            "curl -x localhost:8080 https://example.org/a",
            "curl http://localhost:1/ https://example.org/a",
            "X=$(curl -s https://example.org/a); echo $X",
            "echo `wget -qO- http://example.org`",
            "docker run --rm alpine curl https://example.org",
            "git clone https://example.org/x /tmp/y && cat /tmp/y/README.md",
            "python3 -c 'import urllib.request as u; print(u.urlopen(\"https://example.org\").read())'",
            "python3 - <<'END'\nimport requests\nprint(requests.get('https://example.org').text)\nEND",
            "ssh build.example.org cat /etc/motd",
            "gh issue view 12",
            "gh pr view 3 --comments",
            "gh pr diff 3",
            "gh pr list",
            "gh run view 7 --log",
            "gh release view v1",
            "gh api repos/x/y",
            "npm view left-pad readme",
            "pip download some-package",
            "aws s3 cp s3://bucket/notes.txt -",
            "kubectl logs deploy/api",
            "kubectl -n prod get pods",
            "psql postgres://db.example.org/app -c 'select 1'",
            "mysql -h db.example.org -e 'select 1'",
            "redis-cli -h cache.example.org get motd",
            "deno run https://example.org/x.ts",
        ] {
            assert!(fetches(command), "{command}");
        }
        for command in [
            "curl http://localhost:8080/health?from=https://example.org",
            "curl -X POST http://user@127.0.0.1:3000/",
            "curl http://[::1]:9/",
            "gh pr create --fill",
            "gh pr merge 3",
            "gh auth status",
            "git pull",
            "git push",
            "npm test",
            "npm install",
            "cargo test",
            "docker compose up -d",
            "docker run --rm app pytest",
            "node -e 'fetch(\"http://localhost:3000\")'",
            "echo curl",
            "aws configure list",
            "kubectl apply -f deploy.yaml",
            "psql -c 'select 1' postgres://localhost/app",
            "psql -h /run/postgresql app",
            "redis-cli get motd",
            "deno test",
            "grep -rn https://example.org src",
        ] {
            assert!(!fetches(command), "{command}");
        }
    }

    #[test]
    fn files_elsewhere_are_told_from_those_of_the_project() {
        let outside = |word: &str, folder: Option<&str>| {
            let whole = match folder {
                Some(folder) if !word.starts_with(['/', '~']) => format!("{folder}/{word}"),
                _ => word.to_owned(),
            };
            is_of_others(&whole)
                || (!whole.starts_with("/home/dev/project") && whole.starts_with(['/', '~', '.']))
        };
        for command in [
            "cat /etc/hosts",
            "head -5 ../other/README.md",
            "sed -n '1,20p' ~/notes.md",
            "cd /opt/other && cat README.md",
            "X=$(cat /etc/passwd)",
            "rg -n token /usr/share",
            "cat /home/dev/project/node_modules/x/README.md",
        ] {
            assert!(reads_outside(command, &outside), "{command}");
        }
        for command in [
            "cat /home/dev/project/src/a.rs",
            "cd /home/dev/project && cat src/a.rs",
            "cat src/a.rs | head -3",
            "cat missing 2>/dev/null",
            "sed -n '/^fn/p' src/a.rs",
            "sed 's/a/b/' src/a.rs",
            "ls /etc",
            "cargo test",
        ] {
            assert!(!reads_outside(command, &outside), "{command}");
        }
    }

    #[test]
    fn a_command_of_nothing_but_openings_ends_soon() {
        let deep = "$(".repeat(100_000);
        assert!(!reads_outside(&deep, &|_, _| true));
        assert!(!fetches(&format!("{deep}curl")));
    }
}
