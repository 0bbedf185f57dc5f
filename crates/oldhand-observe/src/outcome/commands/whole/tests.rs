//! Lines as agents run them, and the checks that they make here.

use super::*;

const ROOT: &str = "/home/dev/shop";

fn told(line: &str) -> String {
    told_in("", line)
}

fn told_in(folder: &str, line: &str) -> String {
    let checks = own_checks(line, ROOT, folder).into_iter();
    checks
        .map(|whole| whole.line())
        .collect::<Vec<_>>()
        .join(", ")
}

#[test]
fn a_check_is_told_with_what_it_was_given_and_without_what_one_run_was_about() {
    for (line, expected) in [
        (
            "npx vitest run --globals src/a.test.ts 2>&1 | tail -5",
            "npx vitest run --globals",
        ),
        (
            "npx vitest run --globals --reporter=dot",
            "npx vitest run --globals",
        ),
        ("npx tsc --noEmit -p web", "npx tsc --noEmit -p web"),
        ("./node_modules/.bin/tsc --noEmit", "npx tsc --noEmit"),
        (
            "NODE_OPTIONS=--experimental-vm-modules npx --yes jest -t 'adds one'",
            "NODE_OPTIONS=--experimental-vm-modules npx jest",
        ),
        (
            "API_KEY=abc RUST_LOG=debug cargo test --features x,y parse",
            "cargo test --features x,y parse",
        ),
        (
            "uv run --extra dev pytest -xvs tests/test_a.py::test_b",
            "uv run --extra dev pytest",
        ),
        (
            "uv run pytest tests/ -k 'one or two' --tb=short -q",
            "uv run pytest tests/",
        ),
        (
            "source .venv/bin/activate && pytest tests",
            "source .venv/bin/activate && pytest tests",
        ),
        (
            ".venv/bin/python -m ruff check src/a.py",
            ".venv/bin/python -m ruff check",
        ),
        ("/home/dev/shop/.venv/bin/pytest", ".venv/bin/pytest"),
        ("/opt/bin/pytest -n 4", "pytest -n 4"),
        (
            "cargo nextest run -p core --no-fail-fast",
            "cargo nextest run -p core",
        ),
        (
            "cargo clippy --all-targets -- -D warnings",
            "cargo clippy --all-targets -- -D warnings",
        ),
        ("cargo test -- --nocapture", "cargo test"),
        ("golangci-lint run ./... --fix", "golangci-lint run ./..."),
        (
            "npx playwright test --project chromium -g 'logs in'",
            "npx playwright test --project chromium",
        ),
        (
            "npm --prefix web test -- --run src/a.test.ts",
            "npm --prefix web test -- --run",
        ),
        (
            "pnpm --filter @shop/web test",
            "pnpm --filter @shop/web test",
        ),
        (
            "go test -tags integration ./... -run TestA -count=1 -v",
            "go test -tags integration ./...",
        ),
        ("timeout 60 make -C api test", "make -C api test"),
        ("mvn -q clean test", "mvn clean test"),
        ("dotnet test Shop.sln --no-build", "dotnet test Shop.sln"),
        ("bash scripts/test.sh --fast", "bash scripts/test.sh --fast"),
        ("npx eslint src/a.ts", ""),
        ("npx eslint src --ext .ts --fix", "npx eslint src --ext .ts"),
        ("mypy $FILES", ""),
        ("cargo fmt --check && cargo clippy", "cargo clippy"),
        (
            "xcodebuild test -scheme Vault -destination 'platform=iOS Simulator,name=iPhone 16' -only-testing:VaultTests/A -quiet",
            "xcodebuild test -scheme Vault -destination 'platform=iOS Simulator,name=iPhone 16'",
        ),
        (
            "xcodebuild test -scheme Vault -destination 'id=1E2BEFBC-2FBC-49D2-84B5-5DE55338CF79'",
            "xcodebuild test -scheme Vault -destination 'id=…'",
        ),
        ("xcodebuild build", ""),
        (
            "docker compose exec api pytest -q",
            "docker compose exec api pytest -q",
        ),
    ] {
        assert_eq!(told(line), expected, "{line}");
        if !expected.is_empty() && !expected.contains(", ") {
            let again = Whole::read(expected).map(|whole| whole.line());
            assert_eq!(again.as_deref(), Some(expected), "read again");
        }
    }
}

#[test]
fn a_check_belongs_to_the_folder_it_ran_in() {
    for (line, expected) in [
        ("make check", "make check"),
        ("cd /home/dev/shop && make check", "make check"),
        (
            "cd /home/dev/shop/web && make check",
            "cd web && make check",
        ),
        ("cd ~/shop && make check", "make check"),
        (
            "cd web/ui && make check && cd ../api && make test",
            "cd web/ui && make check, cd web/api && make test",
        ),
        (
            "cd web && make test; cd .. && make check",
            "cd web && make test, make check",
        ),
        ("cd .. && make check", "make check"),
        ("cd \"$ROOT\" && make check", "make check"),
        (
            "cd .claude/worktrees/one/web && make check",
            "cd web && make check",
        ),
        ("cd .worktrees/one && make check", "make check"),
        ("cd .git/wt/one && make check", "make check"),
        ("cd /home/dev/other && make check", ""),
        ("cd /home/dev/shopping && make check", ""),
        ("cd ~/other && make check", ""),
        ("cd ../other && make check", ""),
        ("(cd web && make test) && make check", ""),
        (
            "cd /tmp/a && make test; cd /home/dev/shop && make check",
            "make check",
        ),
    ] {
        assert_eq!(told(line), expected, "{line}");
    }
    for (line, expected) in [
        ("make check", "cd web && make check"),
        ("cd ui && make check", "cd web/ui && make check"),
        ("cd .. && make check", "make check"),
        ("cd ../api && make check", "cd api && make check"),
        (
            "cd /home/dev/shop/api && make check",
            "cd api && make check",
        ),
        ("cd ../../other && make check", ""),
    ] {
        assert_eq!(told_in("web", line), expected, "{line}");
    }
}
