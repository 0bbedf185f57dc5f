//! What the name of a value says about it: `db_password`, `apiKey`, `primary_key`.

use crate::filter::{Case, Filter, Lazy};
use crate::kind::SecretKind;
use crate::words::{self, Words};

/// How much a name promises, and so how little the value has to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Promise {
    /// `key`, `auth`: most values are none, so only an obviously generated one is taken.
    Weak,
    /// `secret`, `token`, `api_key`: the value must look generated.
    Fair,
    /// `password`: any literal will do.
    Strong,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) kind: SecretKind,
    pub(crate) promise: Promise,
}

/// Texts, one of which is in every name that [`read`] knows.
pub(crate) const ROOTS: &[&str] = &[
    "pass",
    "pwd",
    "psw",
    "pw=",
    "pw:",
    "pw ",
    "pw\"",
    "pw'",
    "secret",
    "token",
    "key",
    "auth",
    "cred",
    "sig=",
    "signature=",
];

/// The last word of names that speak about a secret and hold none.
static TAILS: Words<{ words::count(TAILS_TEXT) }> = Words::new(TAILS_TEXT);
const TAILS_TEXT: &str = "\
    action age alg algo algorithm alias arn at attempts attribute bits bytes callback char \
    charset class code codes column complexity config count created date digest dir directory \
    disabled duration element enabled encoder encoding endpoint enumeration env error errors \
    event expiration expire expired expires expiry failed field fields file filename files \
    fingerprint flow folder form format func function group handler hash header headers hint \
    host id ids index info input issuer iterations kind label len length lifetime limit limits \
    link list location manager map max message method min mode model msg name names options \
    owner page param parameter params parser path paths pattern placeholder plugin policy port \
    prefix prompt property provider ratelimit re ref regex regexp required reset role rounds \
    rule rules scheme scope scopes screen selector server service settings size source state \
    status store strategy strength success suffix text time timeout title tooltip ttl type types \
    uri url usage used user username valid validation validator var version within";

/// Words that, anywhere in a name, say that it holds no secret.
static NEVER: Words<{ words::count(NEVER_TEXT) }> = Words::new(NEVER_TEXT);
const NEVER_TEXT: &str = "\
    foreign forgot forgotten hotkey invalid keyboard keyword label mandatory missing partition \
    placeholder primary pub public shortcut title toggle tokenizer tooltip wrong";

/// First words of questions and switches: `has_password`, `requireToken`.
static SWITCHES: Words<{ words::count(SWITCHES_TEXT) }> = Words::new(SWITCHES_TEXT);
const SWITCHES_TEXT: &str = "\
    allow can check compare disable enable has hash hide is needs no require requires should \
    show use uses validate verify";

/// Words before `key` that make it a key to something.
static KEY_TO: Words<{ words::count(KEY_TO_TEXT) }> = Words::new(KEY_TO_TEXT);
const KEY_TO_TEXT: &str = "\
    access account admin api app application auth client consumer crypto deploy encrypt \
    encryption hmac integration jwt licence license master oauth private routing secret service \
    session shared sign signature signing ssh storage subscription webhook write";

/// Words before `key` that make it the name of an entry: what it finds is not locked.
static KEY_OF: Words<{ words::count(KEY_OF_TEXT) }> = Words::new(KEY_OF_TEXT);
const KEY_OF_TEXT: &str = "\
    cache concurrency dedup dedupe deduplication group idempotency idempotent index lock lookup \
    row sort";

/// Words that make `tokens` a number of pieces of text, unless the value is plainly none.
static COUNTED: Words<{ words::count(COUNTED_TEXT) }> = Words::new(COUNTED_TEXT);
const COUNTED_TEXT: &str = "\
    cache cached completion context input max min num output prompt reasoning remaining thinking \
    total usage";

/// Words that make `tokens` what lets someone in, however many there may be.
static TOKENS_TO: Words<{ words::count(TOKENS_TO_TEXT) }> = Words::new(TOKENS_TO_TEXT);
const TOKENS_TO_TEXT: &str = "access api auth bearer refresh";

/// Vendors whose keys have no prefix: the name tells whose they are.
const VENDORS: &[(&str, SecretKind)] = &[
    ("aws_secret", SecretKind::AwsSecretKey),
    ("awssecret", SecretKind::AwsSecretKey),
    ("secret_access_key", SecretKind::AwsSecretKey),
    ("secretaccesskey", SecretKind::AwsSecretKey),
    ("aws_session", SecretKind::AwsSessionToken),
    ("azure_client", SecretKind::AzureClientSecret),
    ("aliyun", SecretKind::AlibabaKey),
    ("alibaba", SecretKind::AlibabaKey),
    ("tencent", SecretKind::TencentKey),
    ("hcloud", SecretKind::HetznerToken),
    ("hetzner", SecretKind::HetznerToken),
    ("linode", SecretKind::LinodeToken),
    ("digitalocean", SecretKind::DigitaloceanToken),
    ("cloudflare", SecretKind::CloudflareToken),
    ("heroku", SecretKind::HerokuKey),
    ("scaleway", SecretKind::ScalewayKey),
    ("scw_secret", SecretKind::ScalewayKey),
    ("ibmcloud", SecretKind::IbmCloudKey),
    ("fastly", SecretKind::FastlyToken),
    ("twilio", SecretKind::TwilioKey),
    ("mailgun", SecretKind::MailgunKey),
    ("postmark", SecretKind::PostmarkToken),
    ("cohere", SecretKind::CohereKey),
    ("mistral", SecretKind::MistralKey),
    ("datadog", SecretKind::DatadogKey),
    ("dd_api", SecretKind::DatadogKey),
    ("dd_app", SecretKind::DatadogKey),
    ("vercel", SecretKind::VercelToken),
    ("okta", SecretKind::OktaToken),
    ("asana", SecretKind::AsanaToken),
    ("snyk", SecretKind::SnykToken),
    ("adyen", SecretKind::AdyenKey),
    ("dropbox", SecretKind::DropboxToken),
];

const MOST_WORDS: usize = 16;

/// What `name` promises, or `None` for a name that holds no secret.
pub(crate) fn read(name: &[u8]) -> Option<Named> {
    let last = name
        .rsplit(|byte| *byte == b'.')
        .find(|part| !part.is_empty())?;
    let mut lower = [0_u8; 64];
    let lower = lower.get_mut(..last.len())?;
    lower.copy_from_slice(last);
    lower.make_ascii_lowercase();
    let mut words: [&[u8]; MOST_WORDS] = [&[]; MOST_WORDS];
    let count = split(last, lower, &mut words);
    let words = &words[..count];
    let (first, tail) = (words.first()?, words.last()?);
    if TAILS.has(tail) || SWITCHES.has(first) || words.iter().any(|word| NEVER.has(word)) {
        return None;
    }
    let named = |kind, promise| Some(Named { kind, promise });
    let any = |test: fn(&[u8]) -> bool| words.iter().any(|word| test(word));
    if any(|word| has(word, b"passphrase")) {
        return named(SecretKind::Passphrase, Promise::Strong);
    }
    if any(is_password) {
        return named(SecretKind::Password, Promise::Strong);
    }
    if any(|word| has(word, b"secret") && !has(word, b"secretar")) {
        return named(SecretKind::Secret, Promise::Fair);
    }
    let is_count = any(|word| COUNTED.has(word)) && !any(|word| TOKENS_TO.has(word));
    if *tail == b"tokens" && is_count {
        return named(SecretKind::Token, Promise::Weak);
    }
    if any(|word| word.ends_with(b"token") || word == b"tokens") {
        return named(SecretKind::Token, Promise::Fair);
    }
    if let Some(at) = words
        .iter()
        .position(|word| word.ends_with(b"key") || *word == b"keys")
    {
        let leads = words[at]
            .strip_suffix(b"key")
            .is_some_and(|stem| KEY_TO.has(stem));
        let follows = at > 0 && KEY_TO.has(words[at - 1]);
        let finds = at > 0 && KEY_OF.has(words[at - 1]) && vendor(last).is_none();
        if words[at].len() > 4 && !leads || finds {
            return None;
        }
        return named(
            SecretKind::ApiKey,
            if leads || follows {
                Promise::Fair
            } else {
                Promise::Weak
            },
        );
    }
    if any(|word| word.starts_with(b"cred")) {
        return named(SecretKind::Credential, Promise::Weak);
    }
    if any(|word| {
        word.starts_with(b"auth") && !word.starts_with(b"author")
            || word.ends_with(b"auth")
            || word == b"authorization"
    }) {
        return named(SecretKind::Credential, Promise::Weak);
    }
    None
}

/// What `name` promises in the address of a page, where also signatures stand.
pub(crate) fn opens_a_page(name: &[u8]) -> Option<Named> {
    let signs = [
        &b"sig"[..],
        b"signature",
        b"x-amz-signature",
        b"x-goog-signature",
    ];
    if signs.iter().any(|sign| name.eq_ignore_ascii_case(sign)) {
        return Some(Named {
            kind: SecretKind::Token,
            promise: Promise::Fair,
        });
    }
    read(name)
}

/// The kind of a secret under `name`, when the name tells whose it is.
pub(crate) fn vendor(name: &[u8]) -> Option<SecretKind> {
    static FILTER: Lazy<SecretKind> = Lazy::new(|| {
        Filter::new(
            VENDORS
                .iter()
                .map(|(part, kind)| (*part, Case::Ignored, *kind)),
        )
    });
    let mut vendor = None;
    FILTER.each(name, |_, kind| vendor = vendor.or(Some(kind)));
    vendor
}

/// True when a name that [`read`] may know is somewhere in `text`.
pub(crate) fn is_in(text: &[u8]) -> bool {
    const ROOTS: [&[u8]; 7] = [
        b"pass", b"pw", b"secret", b"token", b"key", b"auth", b"cred",
    ];
    let ends = |tail: &[u8]| {
        let from = text.len().saturating_sub(tail.len());
        text[from..].eq_ignore_ascii_case(tail)
    };
    ends(b"sig")
        || ends(b"signature")
        || ROOTS.iter().any(|root| {
            text.windows(root.len())
                .any(|part| part.eq_ignore_ascii_case(root))
        })
}

/// `PWD` and `OLDPWD`: where a shell stands and stood.
pub(crate) fn is_folder_of_a_shell(name: &[u8]) -> bool {
    matches!(name, b"PWD" | b"OLDPWD" | b"INIT_CWD")
}

/// True for the name of a function that is given the name of a secret and not the secret.
pub(crate) fn fetches(name: &[u8]) -> bool {
    let last = name.rsplit(|byte| *byte == b'.').next().unwrap_or(name);
    let fetchers: [&[u8]; 9] = [
        b"get", b"find", b"fetch", b"load", b"read", b"parse", b"decode", b"on", b"new",
    ];
    fetchers
        .iter()
        .any(|word| last.len() >= word.len() && last[..word.len()].eq_ignore_ascii_case(word))
}

fn is_password(word: &[u8]) -> bool {
    const WHOLE: [&[u8]; 6] = [b"pass", b"pw", b"psw", b"pswd", b"passwrd", b"passcode"];
    const PART: [&[u8]; 5] = [b"password", b"passwd", b"passwort", b"pwd", b"passw0rd"];
    /// Words that happen to end so.
    const ENDS_SO: [&[u8]; 7] = [
        b"bypass",
        b"compass",
        b"encompass",
        b"overpass",
        b"surpass",
        b"trespass",
        b"underpass",
    ];
    WHOLE.contains(&word)
        || PART.iter().any(|part| has(word, part))
        || (word.ends_with(b"pass") && !ENDS_SO.contains(&word))
}

fn has(word: &[u8], part: &[u8]) -> bool {
    word.windows(part.len())
        .any(|there| there[0] == part[0] && there == part)
}

/// Cuts a name at `_`, `-` and where a small letter meets a capital; `lower` is `name` in small letters.
fn split<'a>(name: &[u8], lower: &'a [u8], words: &mut [&'a [u8]; MOST_WORDS]) -> usize {
    let (mut count, mut start) = (0, 0);
    for at in 0..=name.len() {
        let separator = at == name.len() || !name[at].is_ascii_alphabetic();
        let hump = !separator
            && at > start
            && name[at].is_ascii_uppercase()
            && (name[at - 1].is_ascii_lowercase()
                || name.get(at + 1).is_some_and(u8::is_ascii_lowercase));
        if !separator && !hump {
            continue;
        }
        if at > start && count < MOST_WORDS {
            words[count] = &lower[start..at];
            count += 1;
        }
        start = if separator { at + 1 } else { at };
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn promise(name: &str) -> Option<Promise> {
        read(name.as_bytes()).map(|named| named.promise)
    }

    #[test]
    fn names_of_secrets_promise_as_much_as_they_say() {
        for name in [
            "password",
            "DB_PASSWORD",
            "dbPass",
            "user.passwd",
            "--admin-password",
            "keystorePassword",
            "PGPASSWORD",
        ] {
            assert_eq!(promise(name), Some(Promise::Strong), "{name}");
        }
        for name in [
            "client_secret",
            "accessToken",
            "API_KEY",
            "apikey",
            "x-api-key",
            "APIKey",
            "privateKey",
            "secretKeyBase",
            "CACHE_API_KEY",
            "refresh_tokens",
            "MAX_API_TOKENS",
            "cached_access_tokens",
        ] {
            assert_eq!(promise(name), Some(Promise::Fair), "{name}");
        }
        for name in [
            "key",
            "auth",
            "credentials",
            "nkey1_key",
            "AZURE_SEARCH_QUERY_KEY",
            "TENCENT_MAP_KEY",
            "TENCENT_INDEX_KEY",
            "azure_translation_key",
            "REGISTRY_KEY",
            "MESSAGE_KEY",
            "InputTokens",
            "cache_read_input_tokens",
        ] {
            assert_eq!(promise(name), Some(Promise::Weak), "{name}");
        }
    }

    #[test]
    fn a_vendor_in_the_name_is_the_kind() {
        let check = |name: &str, kind| assert_eq!(vendor(name.as_bytes()), kind, "{name}");
        check("HEROKU_API_KEY", Some(SecretKind::HerokuKey));
        check("DD_API_KEY", Some(SecretKind::DatadogKey));
        check("awsSecretAccessKey", Some(SecretKind::AwsSecretKey));
        check("co.cohere.apiKey", Some(SecretKind::CohereKey));
        check("db_password", None);
    }

    #[test]
    fn the_lists_are_sorted() {
        assert!(
            TAILS.is_sorted() && NEVER.is_sorted() && SWITCHES.is_sorted() && KEY_TO.is_sorted()
        );
        assert!(KEY_OF.is_sorted() && COUNTED.is_sorted() && TOKENS_TO.is_sorted());
    }

    #[test]
    fn names_about_secrets_promise_nothing() {
        for name in [
            "password_length",
            "Password.Algorithm",
            "tokenType",
            "primary_key",
            "publicKey",
            "monkey",
            "author",
            "bypass",
            "has_password",
            "keyboard",
            "passed",
            "secret_name",
            "FORGOT_PASSWORD",
            "idempotency_key",
            "--idempotency-key",
            "GLOBAL_TOOLS_CACHE_KEY",
        ] {
            assert_eq!(promise(name), None, "{name}");
        }
    }
}
