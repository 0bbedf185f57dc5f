//! Lines as agents run them, and the checks that they make here.

use super::*;

const ROOT: &str = "/home/dev/shop";

fn told(line: &str) -> String {
    told_in("", line)
}

fn told_in(folder: &str, line: &str) -> String {
    let checks = own_checks(line, ROOT, folder).into_iter();
    checks
        .map(|whole| shown(&whole))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A check as it would be told, and behind it what would keep it from being told.
fn shown(whole: &Whole) -> String {
    assert_eq!(
        Whole::read(&whole.line()).as_ref(),
        Some(whole),
        "read again"
    );
    let untold: Vec<&str> = whole.untold().collect();
    let mut shown = whole.with(|_| true);
    if !whole.folder.is_empty() {
        shown = format!("cd {} && {shown}", whole.folder);
    }
    if !untold.is_empty() {
        shown = format!("{shown} [{}]", untold.join(" | "));
    }
    shown
}

#[test]
fn a_check_is_told_with_what_it_was_given_and_without_what_one_run_was_about() {
    for (line, expected) in [
        (
            "npx vitest run --globals src/a.test.ts 2>&1 | tail -5",
            "npx vitest run --globals [src/a.test.ts]",
        ),
        (
            "npx vitest run src/a.test.ts --globals",
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
            "NODE_OPTIONS=--experimental-vm-modules npx jest [-t 'adds one']",
        ),
        (
            "API_KEY=abc RUST_LOG=debug cargo test --features x,y parse",
            "cargo test --features x,y parse [API_KEY]",
        ),
        (
            "uv run --extra dev pytest -xvs tests/test_a.py::test_b",
            "uv run --extra dev pytest",
        ),
        (
            "uv run pytest tests/ -k 'one or two' --tb=short -q",
            "uv run pytest tests/ [-k 'one or two']",
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
            "npx playwright test --project chromium [-g 'logs in']",
        ),
        (
            "npm --prefix web test -- --run src/a.test.ts",
            "npm --prefix web test -- --run [src/a.test.ts]",
        ),
        (
            "pnpm --filter @shop/web test",
            "pnpm --filter @shop/web test",
        ),
        (
            "go test -tags integration ./... -run TestA -count=1 -v",
            "go test -tags integration ./... [-run TestA]",
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
            "xcodebuild test -scheme Vault -destination 'platform=iOS Simulator,name=iPhone 16' [-only-testing:VaultTests/A]",
        ),
        (
            "xcodebuild test -scheme Vault -destination 'id=1E2BEFBC-2FBC-49D2-84B5-5DE55338CF79'",
            "xcodebuild test -scheme Vault [-destination]",
        ),
        ("xcodebuild build", ""),
        (
            "docker compose exec api pytest -q",
            "docker compose exec api pytest -q",
        ),
    ] {
        assert_eq!(told(line), expected, "{line}");
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
        ("cd .. && make check", ""),
        ("cd \"$ROOT\" && make check", ""),
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

#[test]
fn what_cannot_be_told_as_it_was_keeps_a_check_from_being_told() {
    for (line, expected) in [
        // What chooses tasks is told with them.
        ("./gradlew check -x test", "./gradlew check -x test"),
        ("nox -s lint", "nox -s lint"),
        ("make -f build/ci.mk check", "make -f build/ci.mk check"),
        ("mvn -f api/pom.xml verify", "mvn -f api/pom.xml verify"),
        ("just -f ci.just check", "just -f ci.just check"),
        ("npx nx run-many -t test", "npx nx run-many -t test"),
        (
            "bazel test //... --config=ci",
            "bazel test //... --config=ci",
        ),
        // What leaves a part out is not.
        (
            "uv run pytest tests -k 'not integration'",
            "uv run pytest tests [-k]",
        ),
        (
            "uv run pytest tests --ignore=tests/e2e",
            "uv run pytest tests [--ignore]",
        ),
        ("pytest --deselect a -m slow", "pytest -m slow [--deselect]"),
        ("npm run lint -- src", "npm run lint [src]"),
        ("npm test -- --run parse", "npm test -- --run [parse]"),
        // What nobody else has, or should have.
        (
            "pytest --db-password=x1 -m slow",
            "pytest -m slow [--db-password]",
        ),
        ("pytest --token x1 -m slow", "pytest -m slow [--token]"),
        (
            "mvn verify -Ddb.password=x1 -Pit",
            "mvn verify -Pit [-Ddb.password]",
        ),
        ("MYSQL_PWD=x1 pytest -m slow", "pytest -m slow [MYSQL_PWD]"),
        ("GH_PAT=x1 make check", "make check [GH_PAT]"),
        ("COOKIE=id=x1 make check", "make check [COOKIE]"),
        ("SENTRY_DSN=x1 make check", "make check [SENTRY_DSN]"),
        ("make check DB_PWD=x1", "make check [DB_PWD]"),
        ("make check SRC=a,/home/dev/b", "make check [SRC]"),
        (
            "npx playwright test --user admin:x1",
            "npx playwright test [--user]",
        ),
        (
            "npx cypress run --env USER=jane,CODE=x1",
            "npx cypress run [--env]",
        ),
        ("pytest --rootdir=/home/dev/other", "pytest [--rootdir]"),
        ("pytest C:/Users/dev/shop/tests", "pytest […]"),
        ("pytest --junit jane@example.org", "pytest --junit […]"),
        ("gcc -I/opt/include -c src", "gcc -c src […]"),
        ("/home/dev/other/bin/pytest -m slow", ""),
        (
            "BYPASS_CACHE=1 pytest --pass-with-none",
            "BYPASS_CACHE=1 pytest --pass-with-none",
        ),
        // What it may need in front of it.
        ("nix develop -c make check", "make check […]"),
        ("nix-shell --run 'make check'", "make check […]"),
        (
            "dotenv -e .env.test -- npx vitest run",
            "npx vitest run […]",
        ),
        ("xvfb-run -a npx playwright test", "npx playwright test […]"),
        ("sudo make check", "make check […]"),
        ("git ls-files | xargs shellcheck", ""),
        ("eval \"$(mise env)\" && make check", "make check […]"),
        ("source env.sh && make check", "make check […]"),
        ("for p in a b; do make check; done", "make check […]"),
        ("export A=b.c && uv run pytest", "A=b.c uv run pytest"),
        ("export A=$HOME/x && uv run pytest", "uv run pytest [A]"),
        // Containers are told as they were typed, or not.
        (
            "docker compose exec api pytest -k \"adds one\"",
            "docker compose exec api pytest -k 'adds one'",
        ),
        ("docker exec app sh -c 'cd /app && pytest -m slow'", ""),
        ("docker run --rm -v /home/dev/shop:/app img pytest", ""),
        ("docker compose run --rm -e PIN=4711 api pytest", ""),
        ("docker exec 3f2a9c1b7d2e pytest", ""),
    ] {
        assert_eq!(told(line), expected, "{line}");
    }
    let long: Vec<String> = (0..20).map(|at| format!("--opt{at}=value{at}")).collect();
    let long = format!("uv run pytest {}", long.join(" "));
    assert_eq!(told(&long), "uv run pytest […]");
}

#[test]
fn nothing_is_known_of_a_folder_that_nobody_can_tell() {
    for (line, expected) in [
        ("cd /tmp/other && cd web && make check", ""),
        ("cd \"$(mktemp -d)\" && make check", ""),
        ("cd $OTHER && make check", ""),
        (
            "cd web && make test; cd - && make check",
            "cd web && make test",
        ),
        (
            "pushd web && make test && popd && make check",
            "cd web && make test",
        ),
        ("cd web && make test; cd; make check", "cd web && make test"),
        ("cd ~ && make check", ""),
        ("cd / && make check", ""),
        ("cd 'my app' && make check", ""),
        ("cd '/home/dev/shop/my app' && make check", ""),
        ("if true; then cd web; fi; make check", ""),
        ("cd web && make test & make check", "cd web && make test"),
        ("( set -e; cd web; make test ); make check", ""),
        (
            "bash -c 'cd web && make test'; make check",
            "cd web && make test, make check",
        ),
        ("bash -c 'cd web'; bash -c 'make test'", "make test"),
    ] {
        assert_eq!(told(line), expected, "{line}");
    }
}

#[test]
fn paths_of_the_project_are_written_from_the_folder() {
    for (line, expected) in [
        (
            "cd /home/dev/shop/web && npx eslint --config /home/dev/shop/eslint.config.js src",
            "cd web && npx eslint --config ../eslint.config.js src",
        ),
        (
            "cd /home/dev/shop/web && npx tsc --noEmit -p /home/dev/shop/web/tsconfig.app.json",
            "cd web && npx tsc --noEmit -p tsconfig.app.json",
        ),
        (
            "cd api && /home/dev/shop/.venv/bin/pytest -m slow",
            "cd api && ../.venv/bin/pytest -m slow",
        ),
        (
            "cd web && bash /home/dev/shop/web/test.sh",
            "cd web && bash ./test.sh",
        ),
        (
            "source .venv/bin/activate && cd api && pytest -m slow",
            "cd api && source ../.venv/bin/activate && pytest -m slow",
        ),
        (
            "cd web && npx vitest run ../shared",
            "cd web && npx vitest run ../shared",
        ),
        ("npx vitest run ../shared", "npx vitest run […]"),
    ] {
        assert_eq!(told(line), expected, "{line}");
    }
}
