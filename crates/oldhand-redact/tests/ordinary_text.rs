//! Text that is full of long words and secret-like names, and holds no secret: it passes untouched.

use oldhand_redact::redact;

#[track_caller]
fn untouched(text: &str) {
    let redacted = redact(text);
    assert_eq!(redacted.findings, [], "in {text}\n{}", redacted.text);
    assert_eq!(redacted.text, text);
}

#[test]
fn hashes_and_identifiers() {
    untouched("commit 3f786850e387550fdab836ed7e6dc881de23001b\nMerge: 89e6c98d9 2887d7a2b");
    untouched("session 0191b2c4-7d3e-7c11-9a55-3f0c2b1d4e6f started");
    untouched("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    untouched("ETag: \"33a64df551425fcc55e4d42a148795d9f25f89d4\"");
    untouched(
        "<script integrity=\"sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC\">",
    );
}

#[test]
fn lock_files() {
    untouched(
        "name = \"serde\"\nversion = \"1.0.219\"\nchecksum = \"5f0e2c6ed6606019b4e29e69dbaba95b11854410e5347d525002456dbbb786b6\"",
    );
    untouched(
        "\"resolved\": \"https://example.org/lodash/-/lodash-4.17.21.tgz\",\n\"integrity\": \"sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==\"",
    );
    untouched("github.com/pkg/errors v0.9.1 h1:FEBLx1zS214owpjy7qsBeixbURkuhQAwrK5UwLGTwt4=");
}

#[test]
fn encoded_images_and_certificates() {
    untouched(
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==",
    );
    untouched("-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ2Fu\n-----END CERTIFICATE-----");
}

#[test]
fn code_that_handles_secrets_and_holds_none() {
    for line in [
        "let token = lexer.next_token()?;",
        "password = getpass.getpass()",
        "const password = req.body.password;",
        "fn set_password(&mut self, password: &str) -> Result<(), Error> {",
        "this.apiKey = options.apiKey || process.env.API_KEY;",
        "String password = request.getParameter(\"password\");",
        "api_key = os.environ[\"OPENAI_API_KEY\"]",
        "export GITHUB_TOKEN=$(gh auth token)",
        "secret: ${{ secrets.DEPLOY_KEY }}",
        "interface Login { user: string; password: string }",
        "password: z.string().min(8)",
        "token: Token,",
        "key={item.id}",
        "if (token == null) throw new AuthError('token missing');",
        "map.get(\"token\")",
        "assert_eq!(user.password_hash, expected_hash);",
        "tokens = tokenizer.encode(text, max_length=512)",
        "primary_key: true, foreign_key: 'account_id'",
        "event.key === 'ArrowRight'",
        "<input type=\"password\" name=\"password\" autocomplete=\"current-password\">",
        ".password-field { color: #c0ffee; background: url(key.svg) }",
        "curl -H \"Authorization: Bearer $TOKEN\" https://api.example.org/v1/items",
        "psql postgres://postgres:postgres@localhost:5432/postgres",
    ] {
        untouched(line);
    }
}

#[test]
fn placeholders_and_documented_examples() {
    for line in [
        "OPENAI_API_KEY=your-api-key-here",
        "password: <your password>",
        "DB_PASSWORD=changeme",
        "export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "token: xxxxxxxxxxxxxxxxxxxx",
        "Authorization: Bearer <token>",
        "SECRET_KEY=${SECRET_KEY:-}",
        "api_key: \"...\"",
        "password = \"********\"",
    ] {
        untouched(line);
    }
}

#[test]
fn what_test_runners_print() {
    untouched(
        "=== RUN   TestParse/empty\n--- PASS: TestParseLogLevel (0.00s)\n    --- PASS: TestParseLogLevel/DEBUG_2 (0.00s)\nPASS\nok  \texample/log\t0.12s",
    );
    untouched(
        "{\"output\":\"--- PASS: TestIsOutdated/v2_prefix (0.00s)\\n    --- PASS: TestIsOutdated/same_version (0.00s)\\n\"}",
    );
    untouched(
        "PASS src/store.test.ts (5.1 s)\n  \u{2713} keeps the key (3 ms)\ntest auth::tests::token_is_read ... ok",
    );
    untouched("Cache restored from key: linux-x64-f804a68745ce7318dacd9fc03814b81b5");
    untouched("// Parse offset datetime `key = 1979-05-27T00:32:00-07:00`.");
}

#[test]
fn prose() {
    untouched(
        "The password must have at least 12 characters; the token is refreshed every 30 minutes.",
    );
    untouched(
        "Key insight: authentication happens before the secret is read, and the credentials never leave the process.",
    );
    untouched(
        "Press any key to continue. Passing tests: 42. The author passed the token to the next speaker.",
    );
    untouched(
        "We keep a public key and a private key, and the basic idea is that the bearer holds one of them.",
    );
    untouched("La contraseña no es correcta. パスワードを入力してください。");
}

#[test]
fn minified_code() {
    untouched(
        "!function(e,t){\"object\"==typeof exports?t(exports):t(e.key={})}(this,function(e){var r=e.token,n=\"auth\";return r?n:null});",
    );
}
