//! Commands that fetch a program and run it unseen, or carry secrets out.

const FETCH: &[&str] = &[
    "curl ",
    "wget ",
    "iwr ",
    "irm ",
    "invoke-webrequest ",
    "invoke-restmethod ",
];
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "iex",
    "pwsh",
    "powershell",
    "cmd",
];
/// They also read data: only without a program of their own do they run what they read.
const INTERPRETERS: &[&str] = &["python", "python3", "node", "perl", "ruby", "php"];

/// Whether a line, in lower case, runs what it fetches.
pub(super) fn fetches(line: &str) -> bool {
    let inside = [
        "bash <(",
        "sh <(",
        "zsh <(",
        "source <(",
        "eval \"$(",
        "eval $(",
        "-c \"$(",
        "-c '$(",
        "iex (",
    ]
    .iter()
    .any(|opening| {
        line.split(opening).skip(1).any(|rest| {
            FETCH
                .iter()
                .any(|fetch| rest.trim_start_matches('(').starts_with(fetch))
        })
    });
    inside || piped(line)
}

/// Whether all that a line fetches comes from addresses that stand there and that nobody can change on the way, and is run as it came.
pub(super) fn installs(line: &str) -> bool {
    let parts: Vec<&str> = line.split('|').collect();
    let is_sound = |(at, part): (usize, &&str)| {
        let mut fetched = fetched(part).peekable();
        let is_run = parts.get(at + 1).is_none_or(|next| runs(next));
        fetched.peek().is_none() || is_run && fetched.all(is_from_sound_addresses)
    };
    !decodes(line) && parts.iter().enumerate().all(is_sound)
}

/// What stands behind each word that fetches.
fn fetched(part: &str) -> impl Iterator<Item = &str> {
    let found = FETCH.iter().flat_map(|fetch| part.match_indices(fetch));
    let begins = move |at: usize| !part[..at].ends_with(char::is_alphanumeric);
    found
        .filter(move |(at, _)| begins(*at))
        .map(|(at, fetch)| &part[at + fetch.len()..])
}

/// Whether all that may be an address among these words is a sound one, and there is one. An option may name another way, or have nobody ask whose address it is.
fn is_from_sound_addresses(words: &str) -> bool {
    let is_around = |c: char| {
        matches!(
            c,
            '"' | '\'' | '`' | '<' | '(' | ')' | ',' | ';' | ':' | '.'
        )
    };
    let words = words
        .split_whitespace()
        .map(|word| word.trim_matches(is_around));
    let (options, others): (Vec<&str>, Vec<&str>) = words.partition(|word| word.starts_with('-'));
    let is_odd = |option: &&str| {
        let is_long = option.starts_with("--");
        option.contains('.') && !option.starts_with("--tlsv")
            || !is_long && option.contains('k')
            || matches!(*option, "--insecure" | "--no-check-certificate")
    };
    let mut addresses = others
        .iter()
        .filter(|word| word.contains(['.', ':']))
        .peekable();
    let is_sound = |address: &&str| {
        let rest = address.strip_prefix("https://");
        let host = rest.and_then(|rest| rest.split(['/', '?', '#', '\\']).next());
        host.is_some_and(|host| !host.contains(['@', '$', '%']))
    };
    !options.iter().any(is_odd) && addresses.peek().is_some() && addresses.all(is_sound)
}

fn piped(line: &str) -> bool {
    let mut parts = line.split('|');
    let Some(mut before) = parts.next() else {
        return false;
    };
    let mut fetched = false;
    for part in parts {
        fetched |= FETCH.iter().any(|fetch| before.contains(fetch)) || decodes(before);
        if fetched && runs(part) {
            return true;
        }
        before = part;
    }
    false
}

fn decodes(command: &str) -> bool {
    ["base64 -d", "base64 --decode", "xxd -r"]
        .iter()
        .any(|decode| command.contains(decode))
}

fn runs(command: &str) -> bool {
    let ended = |char: char| {
        char.is_whitespace() || matches!(char, '`' | '"' | '\'' | ')' | ';' | ',' | '.' | '&')
    };
    let mut words = command.split(ended).filter(|word| !word.is_empty());
    let mut wrapped = false;
    let program = loop {
        let Some(word) = words.next() else {
            return false;
        };
        match word {
            "sudo" | "env" | "exec" | "doas" => wrapped = true,
            "-u" | "-g" | "-C" if wrapped => drop(words.next()),
            _ if word.contains('=') || (wrapped && word.starts_with('-')) => {}
            _ => break word,
        }
    };
    let program = program.rsplit('/').next().unwrap_or(program);
    let takes_data = words.next().is_some_and(|option| {
        option.starts_with("-m") || option.starts_with("-c") || option.starts_with("-e")
    });
    SHELLS.contains(&program) || INTERPRETERS.contains(&program) && !takes_data
}

const PLACES: &[&str] = &[
    "~/.ssh",
    "$home/.ssh",
    "id_rsa",
    "id_ed25519",
    ".aws/credentials",
    "/etc/shadow",
    "/etc/passwd",
    "printenv",
    "$(env)",
    "@.env",
    "< .env",
    "cat .env",
    "the .env",
    ".netrc",
];
const SECRETS: &[&str] = &[
    "secrets",
    "credentials",
    "environment variables",
    "env vars",
    "private key",
    "ssh key",
    "passwords",
];
const SEND: &[&str] = &[
    "send ",
    "post ",
    "upload ",
    "forward ",
    "transmit ",
    "email ",
    "exfiltrate ",
];

/// Whether a text, in lower case and in one line, takes secrets to an address.
pub(super) fn leaks(line: &str) -> bool {
    let addressed = line.contains("http://")
        || line.contains("https://")
        || line.contains("ftp://")
        || line.split(" to ").skip(1).any(is_address);
    let has = |parts: &[&str]| parts.iter().any(|part| line.contains(part));
    let carried = has(PLACES) && (has(FETCH) || has(&["nc ", "ncat ", "scp "]) || has(SEND));
    let sent = has(SECRETS)
        && SEND.iter().any(|verb| {
            line.match_indices(verb).any(|(at, _)| {
                let begins = line[..at]
                    .chars()
                    .next_back()
                    .is_none_or(|char| !char.is_alphanumeric());
                let rest = &line[at..];
                begins
                    && rest.split_once(" to ").is_some_and(|(what, to)| {
                        SECRETS.iter().any(|secret| what.contains(secret)) && to.contains("://")
                    })
            })
        });
    addressed && (carried || sent)
}

/// Whether a text begins with a machine or a mailbox elsewhere; a file of the project has a short ending or a folder.
fn is_address(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    let word = word.trim_end_matches([',', '.', ')', '"', '\'']);
    let host = word.rsplit_once('@').map_or(word, |(_, host)| host);
    let mut parts = host.rsplit('.');
    let last = parts.next().unwrap_or_default();
    let has_more = parts.next().is_some_and(|part| !part.is_empty());
    let is_host = has_more
        && !host.starts_with('.')
        && !host.contains('/')
        && last.chars().all(|c| c.is_ascii_alphabetic());
    is_host && (word.contains('@') || last.len() >= 2 && !is_ending(last))
}

/// Endings of files, which end no name of a machine.
fn is_ending(last: &str) -> bool {
    matches!(
        last,
        "env"
            | "json"
            | "yaml"
            | "yml"
            | "toml"
            | "txt"
            | "log"
            | "md"
            | "ts"
            | "js"
            | "py"
            | "rs"
            | "go"
            | "rb"
            | "java"
            | "php"
            | "lock"
            | "local"
            | "pem"
            | "key"
            | "ini"
            | "conf"
            | "cfg"
            | "xml"
            | "sql"
            | "csv"
            | "tsx"
            | "jsx"
            | "html"
            | "css"
    )
}
