//! Command lines and what they check.

use super::*;

fn told(line: &str) -> String {
    match classify(line) {
        None => "-".to_owned(),
        Some(found) => {
            let names: Vec<&str> = found.checks.iter().map(|check| check.as_str()).collect();
            let masked = if found.exit == ExitCode::Masked {
                " (masked)"
            } else {
                ""
            };
            format!("{}{masked}", names.join("+"))
        }
    }
}

#[test]
fn checks_are_recognised() {
    let cases = [
        ("cargo test", "test"),
        ("cargo +nightly nextest run -p a", "test"),
        ("cargo clippy --all-targets -- -D warnings", "lint"),
        ("cargo check && cargo test", "type check+test"),
        ("cd cli && go test ./... 2>&1 | tail -30", "test (masked)"),
        ("go build ./... && go vet ./...", "build+lint"),
        ("set -o pipefail; go test ./... | tee log", "test"),
        ("CI=1 pnpm --filter web run test:unit", "test"),
        ("npm test", "test"),
        ("npm run lint -- --fix", "lint"),
        ("yarn tsc --noEmit", "type check"),
        ("npx tsc --noEmit -p . && npx vitest run", "type check+test"),
        ("bun run typecheck", "type check"),
        ("mise run test:ci", "test"),
        ("mise run fmt && mise run lint", "lint"),
        ("make -j8 check", "test"),
        ("npm run format:check", "lint"),
        ("make", "build"),
        ("just build", "build"),
        ("timeout 300 sudo -E python3 -m pytest -x tests/", "test"),
        ("poetry run pytest || true", "test (masked)"),
        ("uv run mypy src", "type check"),
        ("python manage.py test users", "test"),
        ("./mvnw -q -DskipTests package", "build"),
        ("mvn clean verify", "test"),
        ("./gradlew :app:testDebugUnitTest", "test"),
        ("gradle assemble", "build"),
        (
            "bash -lc 'cd x && bundle exec rspec spec/a_spec.rb'",
            "test",
        ),
        ("dotnet test --no-build", "test"),
        ("mix credo --strict", "lint"),
        ("ruff check . ; ruff format --check .", "lint (masked)"),
        ("golangci-lint run", "lint"),
        ("./scripts/run-tests.sh", "test"),
        (
            "cmake --build build -j4 && ctest --test-dir build",
            "build+test",
        ),
        ("node --test", "test"),
        ("bazel test //...", "test"),
        ("deno check main.ts", "type check"),
        ("go test ./... ; echo $?", "test (masked)"),
        ("docker compose run --rm app pytest -x", "test"),
        (
            "docker compose -f ci.yml exec -T app bash -c 'npm test'",
            "test",
        ),
        ("docker run --rm -v .:/src image cargo build", "build"),
        ("docker exec web npm run lint", "lint"),
        ("nix develop -c cargo test", "test"),
        ("nix develop .#ci --command make check", "test"),
        ("nix-shell --run 'cargo clippy'", "lint"),
        ("php artisan test --parallel", "test"),
        ("php vendor/bin/phpunit", "test"),
        ("hatch test", "test"),
        ("lake build", "build"),
        ("wsl cargo test", "test"),
        ("cargo test --no-run", "build"),
        ("pytest -n 4", "test"),
    ];
    for (line, expected) in cases {
        assert_eq!(told(line), expected, "{line}");
    }
}

#[test]
fn other_commands_check_nothing() {
    for line in [
        "ls -la",
        "git commit -m 'add tests'",
        "cat test.sh",
        "npm install",
        "npm run dev",
        "mise run fmt",
        "npm run format",
        "mix format",
        "cargo run",
        "cargo test --help",
        "echo 'npm test'",
        "grep -rn 'cargo test' .",
        "vim Makefile",
        "go run ./cmd/test",
        "cd tests",
        "rm -rf build",
        "docker build .",
        "prettier --write .",
        "cat <<EOF\nnpm test\nEOF",
        "vitest --watch",
        "pytest --collect-only -q",
        "make -n test",
        "just --dry-run build",
        "cargo test -- --list",
        "cargo nextest list",
        "go test -list . ./...",
        "jest --listTests",
        "ctest -N",
        "./gradlew test --dry-run",
        "docker compose up -d",
        "docker compose run app bash",
        "php artisan migrate",
        "",
    ] {
        assert_eq!(told(line), "-", "{line}");
    }
}

#[test]
fn keys_name_the_command_without_its_flags() {
    assert_eq!(
        command_key("cd a && go test -run TestX ./cli/... 2>&1 | head").as_deref(),
        Some("go test TestX")
    );
    assert_eq!(command_key("FOO=1 pytest -x").as_deref(), Some("pytest"));
    assert_eq!(
        program_key("git add -A && git commit -m x").as_deref(),
        Some("git add")
    );
    assert_eq!(program_key("rg foo src").as_deref(), Some("rg"));
    let key = program_key("flutter test --coverage test/a_test.dart");
    assert_eq!(key.as_deref(), Some("flutter test"));
    let key = program_key("pnpm --filter @shop/web -C apps run test:unit --watch");
    assert_eq!(key.as_deref(), Some("pnpm run test:unit"));
    assert_eq!(
        program_key("cargo +nightly test").as_deref(),
        Some("cargo test")
    );
    assert_eq!(check_commands("make"), [(Check::Build, "make".to_owned())]);
    assert_eq!(
        program_key("mise run lint 2>&1").as_deref(),
        Some("mise run lint")
    );
    assert_eq!(command_key(""), None);
}
