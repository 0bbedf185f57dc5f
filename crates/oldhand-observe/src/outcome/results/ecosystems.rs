//! How the checks of common ecosystems are called, what they print, and what is made of both.

use super::*;
use crate::outcome::commands::classify;

/// A command, what it checks, and the ends of a run that passed and of one that failed.
type Row = (&'static str, &'static str, &'static str, &'static str);

const RUNS: &str = "3 runs, 3 assertions, 0 failures, 0 errors, 0 skips";
const RED_RUNS: &str = "3 runs, 3 assertions, 1 failures, 0 errors, 0 skips";
const PYTEST: &str = "3 passed in 0.12s";
const RED_PYTEST: &str = "1 failed, 2 passed in 0.12s";
const GRADLE: &str = "BUILD SUCCESSFUL in 3s";
const RED_GRADLE: &str = "BUILD FAILED in 3s";
const PHP: &str = "OK (3 tests, 3 assertions)";
const RED_PHP: &str = "FAILURES!\nTests: 3, Assertions: 3, Failures: 1.";
const CTEST: &str = "100% tests passed, 0 tests failed out of 3";
const RED_CTEST: &str = "67% tests passed, 1 tests failed out of 3";
const DART: &str = "00:02 +3: All tests passed!";
const RED_DART: &str = "00:02 +2 -1: Some tests failed.";
const TSC: &str = "src/a.ts(1,1): error TS2304: Cannot find name 'x'.";
const RUFF: &str = "Found 1 error.";

const BIOME: &str = "Checked 275 files in 113ms. No fixes applied.";
const RED_BIOME: &str = "Checked 275 files in 113ms. No fixes applied.\nFound 4 errors.";
/// Warnings that are errors here.
const STRICT_BIOME: &str = "Checked 9 files in 3ms. No fixes applied.\nFound 1 warning.\nerror: script \"lint\" exited with code 1";

const XCODE: &str = "** BUILD SUCCEEDED **";
const RED_XCODE: &str = "** BUILD FAILED **";
/// It did not come to building.
const NO_DEVICE: &str = "xcodebuild: error: Unable to find a device matching the provided destination specifier:\n\t\t{ platform:iOS Simulator, name:iPhone 1 }";

const ROWS: [Row; 70] = [
    ("xcodebuild build -scheme App", "build", XCODE, RED_XCODE),
    (
        "xcodebuild -scheme App build 2>&1 | tail -30",
        "build",
        XCODE,
        NO_DEVICE,
    ),
    ("biome check", "lint", BIOME, RED_BIOME),
    ("bun run lint", "lint", BIOME, STRICT_BIOME),
    ("rails test", "test", RUNS, RED_RUNS),
    ("bin/rails test test/models", "test", RUNS, RED_RUNS),
    ("bundle exec rails test:system", "test", RUNS, RED_RUNS),
    ("bundle exec rake test", "test", RUNS, RED_RUNS),
    (
        "bundle exec rspec",
        "test",
        "3 examples, 0 failures",
        "3 examples, 1 failure",
    ),
    (
        "lein test",
        "test",
        "Ran 3 tests containing 3 assertions.\n0 failures, 0 errors.",
        "Ran 3 tests containing 3 assertions.\n1 failures, 0 errors.",
    ),
    (
        "clojure -M:test",
        "test",
        "0 failures, 0 errors.",
        "1 failures, 0 errors.",
    ),
    (
        "mix test",
        "test",
        "3 tests, 0 failures",
        "3 tests, 1 failure",
    ),
    (
        "swift test",
        "test",
        "Executed 3 tests, with 0 failures",
        "Executed 3 tests, with 1 failure",
    ),
    (
        "dotnet test",
        "test",
        "Passed!  - Failed: 0, Passed: 3",
        "Failed!  - Failed: 1, Passed: 2",
    ),
    ("gradle test", "test", GRADLE, RED_GRADLE),
    ("./gradlew check", "test", GRADLE, RED_GRADLE),
    (
        "mvn -q verify",
        "test",
        "[INFO] BUILD SUCCESS",
        "[INFO] BUILD FAILURE",
    ),
    (
        "sbt test",
        "test",
        "[success] Total time: 3 s",
        "[error] (Test / test) failed",
    ),
    (
        "zig build test",
        "test",
        "",
        "error: the following build command failed",
    ),
    (
        "zig test src/a.zig",
        "test",
        "All 3 tests passed.",
        "2 passed; 0 skipped; 1 failed.",
    ),
    ("zig build", "build", "", "error: unknown"),
    ("flutter test", "test", DART, RED_DART),
    ("dart test", "test", DART, RED_DART),
    (
        "deno test -A",
        "test",
        "ok | 3 passed | 0 failed (10ms)",
        "FAILED | 2 passed | 1 failed (10ms)",
    ),
    ("bun test", "test", " 3 pass\n 0 fail", " 2 pass\n 1 fail"),
    ("vendor/bin/phpunit", "test", PHP, RED_PHP),
    ("composer test", "test", PHP, RED_PHP),
    ("composer run-script test", "test", PHP, RED_PHP),
    ("ctest --test-dir build", "test", CTEST, RED_CTEST),
    ("meson test -C build", "test", "Ok: 3", "Fail: 1"),
    (
        "bazel test //...",
        "test",
        "Executed 1 out of 1 test: 1 test passes.",
        "//a:b FAILED in 0.3s",
    ),
    (
        "nox",
        "test",
        "nox > Session tests was successful.",
        "nox > Session tests failed.",
    ),
    (
        "nox -s lint",
        "lint",
        "nox > Session lint was successful.",
        "nox > Session lint failed.",
    ),
    ("tox", "test", "congratulations :)", "evaluation failed :("),
    (
        "tox -e lint",
        "lint",
        "congratulations :)",
        "evaluation failed :(",
    ),
    (
        "tox -e mypy",
        "type check",
        "congratulations :)",
        "evaluation failed :(",
    ),
    (
        "tox -e py311,lint",
        "test",
        "congratulations :)",
        "evaluation failed :(",
    ),
    ("hatch test", "test", PYTEST, RED_PYTEST),
    ("hatch run test", "test", PYTEST, RED_PYTEST),
    (
        "hatch run types:check",
        "type check",
        "Success: no issues found in 3 source files",
        "Found 1 error in 1 file",
    ),
    ("uv run pytest", "test", PYTEST, RED_PYTEST),
    ("poetry run pytest -q", "test", PYTEST, RED_PYTEST),
    ("poetry run poe test", "test", PYTEST, RED_PYTEST),
    ("pdm run pytest", "test", PYTEST, RED_PYTEST),
    ("pdm run test", "test", PYTEST, RED_PYTEST),
    ("pdm run lint", "lint", "All checks passed!", RUFF),
    (
        "python -m coverage run -m pytest",
        "test",
        PYTEST,
        RED_PYTEST,
    ),
    (
        "coverage run -m unittest",
        "test",
        "Ran 3 tests in 0.1s\n\nOK",
        "Ran 3 tests in 0.1s\n\nFAILED (failures=1)",
    ),
    (
        "cargo llvm-cov",
        "test",
        "test result: ok. 3 passed; 0 failed",
        "test result: FAILED. 2 passed; 1 failed",
    ),
    (
        "cargo hack check --feature-powerset",
        "type check",
        "Finished `dev` profile",
        "error[E0425]: x",
    ),
    (
        "pre-commit run -a",
        "lint",
        "ruff....Passed",
        "ruff....Failed",
    ),
    ("ruff check .", "lint", "All checks passed!", RUFF),
    (
        "mypy src",
        "type check",
        "Success: no issues found in 3 source files",
        "Found 1 error in 1 file (checked 3 source files)",
    ),
    (
        "npx pyright",
        "type check",
        "0 errors, 0 warnings, 0 informations",
        "1 error, 0 warnings, 0 informations",
    ),
    ("npx tsc --noEmit", "type check", "", TSC),
    ("npx vue-tsc --noEmit", "type check", "", TSC),
    (
        "npx svelte-check",
        "type check",
        "svelte-check found 0 errors and 0 warnings",
        "svelte-check found 1 error and 0 warnings",
    ),
    ("npx astro check", "type check", "0 errors", "1 error"),
    (
        "npx next lint",
        "lint",
        "No ESLint warnings or errors",
        "Error: x",
    ),
    ("golangci-lint run", "lint", "0 issues.", "1 issues:"),
    (
        "terraform validate",
        "type check",
        "Success! The configuration is valid.",
        "Error: Unsupported argument",
    ),
    ("terraform fmt -check", "lint", "", "main.tf"),
    (
        "helm lint charts/shop",
        "lint",
        "1 chart(s) linted, 0 chart(s) failed",
        "Error: 1 chart(s) linted, 1 chart(s) failed",
    ),
    ("shellcheck a.sh", "lint", "", "In a.sh line 1:"),
    (
        "npm run ci",
        "test",
        "Tests  3 passed (3)",
        "Tests  1 failed | 2 passed (3)",
    ),
    (
        "yarn run ci",
        "test",
        "Tests  3 passed (3)",
        "Tests  1 failed | 2 passed (3)",
    ),
    ("make ci", "test", "ok  \tshop\t0.01s", "FAIL\tshop\t0.01s"),
    (
        "make -C tests build",
        "build",
        "",
        "make: *** [Makefile:2: build] Error 1",
    ),
    (
        "npm run lint:check",
        "lint",
        "",
        "✖ 1 problem (1 error, 0 warnings)",
    ),
    (
        "pants test ::",
        "test",
        "✓ a succeeded in 1s",
        "✕ a failed in 1s",
    ),
];

#[test]
fn checks_of_common_ecosystems_are_known_and_so_is_how_they_went() {
    for (command, kind, green, red) in ROWS {
        let line = classify(command).unwrap_or_else(|| panic!("{command} checks nothing"));
        let names: Vec<&str> = line.checks.iter().map(|check| check.as_str()).collect();
        assert_eq!(names.join(", "), kind, "{command}");
        assert_eq!(
            judge(&line, Some(0), green),
            CheckResult::Passed,
            "{command}"
        );
        assert_eq!(judge(&line, Some(1), red), CheckResult::Failed, "{command}");
        // Behind a pipe only words tell, and they never tell the opposite.
        let piped = classify(&format!("{command} 2>&1 | tail -20")).unwrap();
        assert_ne!(
            judge(&piped, Some(0), green),
            CheckResult::Failed,
            "{command}"
        );
        assert_ne!(
            judge(&piped, Some(0), red),
            CheckResult::Passed,
            "{command}"
        );
    }
}

#[test]
fn what_only_installs_or_lists_checks_nothing() {
    for command in [
        "npm ci",
        "npm run dev",
        "rails server",
        "rails db:migrate",
        "terraform plan",
        "helm install shop",
        "pdm run python a.py",
        "coverage report",
        "pipenv install pytest",
        "pipenv install --dev pytest",
        "pdm add pytest-check",
        "pdm add -dG test pytest",
        "rye add --dev pytest",
        "hatch env create test",
        "uv add pytest",
        "uv add --dev pytest",
        "uv tool install pytest",
        "uv pip install pytest",
        "uv remove pytest",
        "poetry add --group dev pytest",
        "poetry remove pytest",
        "pip install pytest",
        "python -m pip install pytest",
        "pipx install tox",
        "conda install pytest",
        "npm install jest",
        "npm install --save-dev jest",
        "npm i -D jest",
        "npm uninstall jest",
        "npm rm jest",
        "npm update vitest",
        "npm view jest",
        "npm exec -- jest --version",
        "pnpm add -D vitest",
        "pnpm remove vitest",
        "pnpm up vitest",
        "pnpm why vitest",
        "yarn add --dev jest",
        "yarn workspace web add jest",
        "yarn upgrade jest",
        "yarn why jest",
        "bun add vitest",
        "bun install jest",
        "bun remove vitest",
        "cargo install cargo-nextest",
        "cargo add nextest",
        "gem install rspec",
        "bundle add rspec",
        "bundle install",
        "composer require phpunit/phpunit",
        "composer require --dev test",
        "composer remove phpunit/phpunit",
        "dotnet add package test",
        "dotnet new install test",
        "flutter pub add test",
        "dart pub add test",
        "dart pub add dev:test",
        "mix archive.install hex test",
        "deno add jsr:test",
        "deno install test",
        "stack install test",
        "cabal install test",
        "swift package add-dependency test",
        "forge install test",
        "mise install test",
        "mise use test",
        "mise x pytest --version",
        "go get test",
        "brew install shellcheck",
        "apt-get install -y shellcheck",
    ] {
        assert_eq!(classify(command), None, "{command}");
    }
}
