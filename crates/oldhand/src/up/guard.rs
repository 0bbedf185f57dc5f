//! Who is let in: those who came to this machine by its own name, from no page of another site, with the token.

use hyper::header::{AUTHORIZATION, HOST, ORIGIN};
use hyper::{Request, StatusCode};

use super::Token;

/// What this machine calls itself.
const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

pub(super) struct Guard {
    port: u16,
    token: Token,
}

/// What a request is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It tells nothing that is worth a token.
    Open,
    Closed,
}

impl Place {
    pub(super) fn of(path: &str) -> Self {
        if path == "/" {
            Self::Open
        } else {
            Self::Closed
        }
    }
}

/// Why somebody is not let in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// They asked for another machine: a name that was made to lead here.
    OtherHost,
    /// A page of another site asks.
    OtherOrigin,
    NoToken,
}

impl Refusal {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::OtherHost => StatusCode::MISDIRECTED_REQUEST,
            Self::OtherOrigin => StatusCode::FORBIDDEN,
            Self::NoToken => StatusCode::UNAUTHORIZED,
        }
    }

    pub(super) fn message(&self) -> &'static str {
        match self {
            Self::OtherHost => "this is not the host that was asked for",
            Self::OtherOrigin => "pages of other sites are not answered",
            Self::NoToken => {
                "the token is missing or wrong; it is in up.token in OLDHAND_HOME and goes into `Authorization: Bearer`"
            }
        }
    }
}

impl Guard {
    pub(super) fn new(port: u16, token: Token) -> Self {
        Self { port, token }
    }

    pub(super) fn check<B>(&self, request: &Request<B>, place: Place) -> Result<(), Refusal> {
        let word = |name| {
            let values = request.headers().get_all(name).iter();
            let words: Vec<&str> = values.map(|value| value.to_str().unwrap_or("?")).collect();
            words
        };
        match word(HOST)[..] {
            [host] if self.is_here(host) => {}
            _ => return Err(Refusal::OtherHost),
        }
        let origins = word(ORIGIN);
        let is_ours = |origin: &&str| {
            let host = origin.strip_prefix("http://");
            host.is_some_and(|host| self.is_here(host))
        };
        if !origins.iter().all(is_ours) {
            return Err(Refusal::OtherOrigin);
        }
        let shown = word(AUTHORIZATION);
        let bearer = match shown[..] {
            [shown] => shown
                .split_once(' ')
                .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
                .map(|(_, token)| token.trim()),
            _ => None,
        };
        let has_token = bearer.is_some_and(|given| self.token.is(given));
        if has_token || place == Place::Open {
            Ok(())
        } else {
            Err(Refusal::NoToken)
        }
    }

    fn is_here(&self, host: &str) -> bool {
        host.rsplit_once(':').is_some_and(|(name, port)| {
            NAMES.contains(&name.to_ascii_lowercase().as_str()) && port == self.port.to_string()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn checked(path: &str, headers: &[(&str, &str)]) -> Result<(), Refusal> {
        let guard = Guard::new(4690, Token::known(TOKEN));
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        guard.check(&request.body(()).unwrap(), Place::of(path))
    }

    #[test]
    fn only_this_machine_under_its_own_name_is_answered() {
        let bearer = format!("Bearer {TOKEN}");
        let asked = |host: &str| checked("/mcp", &[("host", host), ("authorization", &bearer)]);
        for host in ["127.0.0.1:4690", "LocalHost:4690", "[::1]:4690"] {
            assert_eq!(asked(host), Ok(()), "{host}");
        }
        for host in [
            "evil.example:4690",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:+4690",
            "127.0.0.1:04690",
            "127.0.0.1.evil.example:4690",
            "localhost:4690:4690",
            "",
        ] {
            assert_eq!(asked(host), Err(Refusal::OtherHost), "{host}");
        }
        assert_eq!(checked("/mcp", &[]), Err(Refusal::OtherHost));
        let twice = [("host", "localhost:4690"), ("host", "evil.example:4690")];
        assert_eq!(checked("/", &twice), Err(Refusal::OtherHost));
    }

    #[test]
    fn a_page_of_another_site_is_refused_even_with_the_token() {
        let from = |origin: &str| {
            let (host, bearer) = ("localhost:4690", format!("Bearer {TOKEN}"));
            let shown = [
                ("host", host),
                ("origin", origin),
                ("authorization", bearer.as_str()),
            ];
            checked("/mcp", &shown)
        };
        assert_eq!(from("http://127.0.0.1:4690"), Ok(()));
        for origin in [
            "https://evil.example",
            "null",
            "http://localhost:3000",
            "http://localhost",
        ] {
            assert_eq!(from(origin), Err(Refusal::OtherOrigin), "{origin}");
        }
    }

    #[test]
    fn without_the_token_only_the_doorplate_is_shown() {
        let here = ("host", "localhost:4690");
        assert_eq!(checked("/", &[here]), Ok(()));
        assert_eq!(checked("/mcp", &[here]), Err(Refusal::NoToken));
        for shown in ["Bearer wrong", "Basic 0123", "", TOKEN] {
            let shown = [here, ("authorization", shown)];
            assert_eq!(checked("/mcp", &shown), Err(Refusal::NoToken));
        }
        let cut = format!("Bearer {}", &TOKEN[1..]);
        let cut = [here, ("authorization", cut.as_str())];
        assert_eq!(checked("/mcp", &cut), Err(Refusal::NoToken));
        // Addresses end up in histories and lists of processes.
        let in_address = format!("/api/v1/status?token={TOKEN}");
        assert_eq!(checked(&in_address, &[here]), Err(Refusal::NoToken));
    }
}
