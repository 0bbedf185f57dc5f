//! What stands below a heading that forbids it.

use super::shown;

#[test]
fn what_a_heading_forbids_is_never_told_without_it() {
    let text = "\
# Wallet

## Things that should never happen
1. A commit on `main` that didn't go through a PR.
2. A test that prints a real private key, mnemonic, or password, wherever it is run.

```sh
npm install
```

## Do not
- Use console.log statements in production code paths because they leak customer data.
- Never call the payment provider from unit tests.
- Always ask.

## Avoid

❌ Bad:
- Importing from `dist/`, which is made by the build and is gone after a clean one

✅ Good:
- Importing from `src/`, which is there for everybody and in every checkout

### In tests
- Calling the payment provider, as each call costs real money

### Do
- Use the fake provider in all tests that need a payment to go through

## Pushing
Never do the following.

- Force a push to a branch that somebody else has work on at the time

# Anti-patterns
- Catching every exception around a whole handler and going on as if nothing was
";
    insta::assert_snapshot!(shown(text), @r#"
    4 requirement ["claude.md"] [] Things that should never happen: A commit on `main` that didn't go through a PR.
    5 requirement ["claude.md"] [] Things that should never happen: A test that prints a real private key, mnemonic, or password, wherever it is run.
    8 requirement ["claude.md"] [] Things that should never happen: `npm install`
    12 requirement ["claude.md", "do-not"] [] Do not use console.log statements in production code paths because they leak customer data.
    13 requirement ["claude.md", "do-not"] [] Never call the payment provider from unit tests.
    14 requirement ["claude.md", "do-not"] [] Always ask.
    19 gotcha ["avoid", "claude.md"] ["dist"] ❌ Bad: Importing from `dist/`, which is made by the build and is gone after a clean one
    22 module_insight ["avoid", "claude.md"] ["src"] ✅ Good: Importing from `src/`, which is there for everybody and in every checkout
    25 gotcha ["claude.md", "in-tests"] [] Avoid: In tests: Calling the payment provider, as each call costs real money
    28 preference ["claude.md", "do"] [] Use the fake provider in all tests that need a payment to go through
    33 requirement ["claude.md", "pushing"] [] Never do the following: Force a push to a branch that somebody else has work on at the time
    36 gotcha ["anti-patterns", "claude.md"] [] Anti-patterns: Catching every exception around a whole handler and going on as if nothing was
    "#);
}
