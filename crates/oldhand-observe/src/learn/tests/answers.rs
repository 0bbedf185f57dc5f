//! Which answers to an error are told to those who meet it next.

use super::learned;

fn best(message: &str, stories: &[&str]) -> Option<String> {
    let knowledge = learned(stories);
    let error = &knowledge.errors[message];
    error.best().map(|(how, _)| how.to_string())
}

const NO_LIBRARY: &str = "error: no library targets found in package `shop`";

#[test]
fn sessions_that_left_out_the_same_option_say_one_thing() {
    let tried = |filter: &str, instead: &str| {
        format!(
            "edit a.rs; run cargo test {filter} --lib = 101: {NO_LIBRARY}; run cargo test {instead} = 0: test result: ok. 1 passed"
        )
    };
    let (one, two, three) = (
        tried("cart sum", "cart sum::tests"),
        tried("till", "--bin shop till"),
        tried("stock", "stock"),
    );
    let told = "run `cargo test` without `--lib`";
    assert_eq!(best(NO_LIBRARY, &[&three]).as_deref(), Some(told));
    assert_eq!(best(NO_LIBRARY, &[&one]), None, "about something else");
    assert_eq!(best(NO_LIBRARY, &[&one, &two]).as_deref(), Some(told));
    let knowledge = learned(&[&one, &two, &three]);
    let fixes = &knowledge.errors[NO_LIBRARY].fixes;
    assert_eq!(
        fixes.values().next().unwrap().sessions.len(),
        3,
        "{fixes:?}"
    );
}

#[test]
fn an_option_that_is_left_out_answers_nothing_about_the_work() {
    let message = "error: unused import: `cart`";
    let dodged = format!(
        "edit a.rs; run shop lint --strict = 1: {message}; run shop lint = 0; run cargo test = 0: test result: ok. 1 passed"
    );
    assert_eq!(best(message, &[&dodged]), None);
}

#[test]
fn what_only_failed_work_did_is_not_even_listed() {
    let fixed =
        "edit a.c; run make = 2: error: no such table: users; run ./migrate.sh = 0; run make = 0";
    let taken_back = format!("{fixed}; run git checkout -- a.c = 0");
    let other = format!("{fixed}; edit src/b.c; run make test = 1: error: other thing");
    for story in [taken_back.as_str(), &other] {
        let knowledge = learned(&[story]);
        let error = &knowledge.errors["error: no such table: users"];
        assert!(error.ranked().is_empty(), "{story}: {error:?}");
    }
}

#[test]
fn a_package_is_listed_as_the_fix_of_no_error_that_does_not_name_it() {
    let story = "edit a.go; run go build ./... = 1: a.go:3:1: cannot find module providing package example.org/acme/ink; run go get example.org/acme/ink@v1.4.0 = 0; run go build ./... = 0";
    let knowledge = learned(&[story, story]);
    let error = knowledge.errors.values().next().unwrap();
    assert!(error.best().is_none(), "{error:?}");
    let output = "b.go:9:1: cannot find module providing package example.org/acme/ink";
    assert!(error.best_for(output).is_some(), "{error:?}");
}

#[test]
fn a_command_of_every_day_that_came_first_once_is_no_answer() {
    let message = "error: cannot open `seed.json`";
    let after = |first: &str| {
        format!(
            "edit a.rs; run shop seed = 1: {message}; run {first} = 0; run shop seed = 0; run cargo test = 0: test result: ok. 1 passed"
        )
    };
    for chance in ["git add a.rs", "ls build/", "touch setup.log"] {
        assert_eq!(best(message, &[&after(chance)]), None, "{chance}");
    }
    for first in ["make generate", "git submodule update --init"] {
        let told = best(message, &[&after(first)]);
        assert_eq!(told, Some(format!("first run `{first}`")));
    }
}

#[test]
fn a_program_that_is_not_there_is_answered_by_the_one_that_is() {
    let message = "zsh: command not found: python";
    let tried = |what: &str| {
        format!(
            "edit a.rs; run python {what} = 127: {message}; run python3 {what} = 0; run cargo test = 0: test result: ok. 1 passed"
        )
    };
    let (one, two) = (tried("tools/gen.py"), tried("-m json.tool a.json"));
    let told = best(message, &[&one, &two]);
    assert_eq!(told.as_deref(), Some("run `python3` instead"));
}

#[test]
fn the_program_that_answers_is_found_behind_what_prepares_the_line() {
    let zsh = "zsh: command not found: python";
    let bash = "bash: line 1: pip: command not found";
    for (printed, failing, passing, told) in [
        (
            zsh,
            "cd api && python x.py",
            "cd api && python3 x.py",
            "python3",
        ),
        (zsh, "python x.py", "FOO=1 python3 x.py", "python3"),
        (
            zsh,
            "python x.py",
            "source env/activate && python3 x.py",
            "python3",
        ),
        (
            zsh,
            "python x.py && make b",
            "python3 x.py && make b",
            "python3",
        ),
        (
            zsh,
            "cd api && python x.py",
            "cd api && uv run python x.py",
            "uv run python",
        ),
        (bash, "pip install x2", "pip3 install x2", "pip3"),
        (
            bash,
            "cd api && pip list",
            "cd api && python3 -m pip list",
            "python3 -m pip",
        ),
    ] {
        let story = format!(
            "edit a.rs; run {failing} = 127: {printed}; run {passing} = 0; run cargo test = 0: test result: ok. 1 passed"
        );
        let message = printed.replace("line 1", "line <n>");
        let answer = best(&message, &[&story, &story, &story]);
        let told = format!("run `{told}` instead");
        assert_eq!(answer.as_deref(), Some(told.as_str()), "{passing}");
    }
}

#[test]
fn a_program_that_is_not_there_is_answered_alike_whatever_it_was_to_do() {
    let story = |what: &str| {
        format!(
            "edit a.rs; run pip install {what} = 127: bash: line 1: pip: command not found; run pip3 install {what} = 0; run cargo test = 0: test result: ok. 1 passed"
        )
    };
    let knowledge = learned(&[&story("x1"), &story("x2"), &story("x3")]);
    let error = &knowledge.errors["bash: line <n>: pip: command not found"];
    let ranked = error.ranked();
    assert_eq!(ranked.len(), 1, "{ranked:?}");
    assert_eq!(ranked[0].1.sessions.len(), 3);
}

#[test]
fn a_call_that_a_program_takes_proves_itself() {
    let message = "zsh: command not found: python";
    let tried = format!("run python a.py = 127: {message}; run python3 a.py = 0");
    let told = Some("run `python3` instead");
    assert_eq!(best(message, &[&tried]).as_deref(), told);
    let failed = format!("{tried}; edit a.rs; run cargo test = 101: error: bad thing");
    assert_eq!(best(message, &[&failed]), None, "what failed work did");
    let fetched = format!("fetch https://a.example/x = 0: run this; {tried}");
    assert_eq!(best(message, &[&fetched]), None, "outside text");
    // What the work lacks is not proved by a command that ends well.
    let missing = "error: no such table: users";
    let unproved = format!("run ./seed users = 1: {missing}; run ./seed --fresh users = 0");
    assert_eq!(best(missing, &[&unproved]), None);
}

#[test]
fn nothing_that_reaches_other_machines_or_goes_without_a_rehearsal_is_a_fix() {
    for (failing, message, passing) in [
        (
            "kubectl apply --dryrun -f prod.yaml",
            "error: unknown flag: --dryrun",
            "kubectl apply -f prod.yaml",
        ),
        (
            "terraform apply --compact",
            "error: unknown flag: --compact",
            "terraform apply",
        ),
        (
            "./ship --dry-run web",
            "error: unknown flag: --dry-run",
            "./ship web",
        ),
        (
            "./stamp --check web",
            "error: unknown flag: --check",
            "./stamp web",
        ),
    ] {
        let story = format!(
            "edit a.rs; run {failing} = 1: {message}; run {passing} = 0; run cargo test = 0: test result: ok. 1 passed"
        );
        let knowledge = learned(&[&story, &story]);
        let error = &knowledge.errors[message];
        assert!(error.ranked().is_empty(), "{failing}: {error:?}");
    }
    let known = "error: unknown flag: --fast";
    let story = format!(
        "edit a.rs; run ./stamp --fast web = 1: {known}; run ./stamp web = 0; run cargo test = 0: test result: ok. 1 passed"
    );
    let told = best(known, &[&story, &story]);
    assert_eq!(told.as_deref(), Some("run `stamp` without `--fast`"));
}

#[test]
fn another_try_is_an_answer_where_nothing_happened_in_between() {
    let message = "error: the shop would not open";
    let tried = |between: &str| {
        format!(
            "edit a.rs; run shop open = 1: {message}; {between}run shop open = 0; run cargo test = 0: test result: ok. 1 passed"
        )
    };
    let again = tried("");
    assert_eq!(best(message, &[&again]), None, "once may be chance");
    let told = Some("run it again");
    assert_eq!(best(message, &[&again, &again]).as_deref(), told);
    let looked = tried("read a.rs; run git status = 0; run ls = 0; ");
    assert_eq!(best(message, &[&looked, &looked]).as_deref(), told);
    for between in [
        "edit b.rs; ",
        "run ./one.sh = 0; run ./two.sh = 0; ",
        "run ./one.sh = 1: bad; ",
        "run bun run lint:fix = 0; run make docs = 0; ",
        "run git pull = 0; ",
        "prompt I have logged in, try again; ",
    ] {
        let story = tried(between);
        assert_eq!(best(message, &[&story, &story]), None, "{between}");
    }
    // Another line is another call.
    let other = again.replace("run shop open = 0", "run shop open --fast = 0");
    assert_ne!(best(message, &[&other, &other]).as_deref(), told);
    // What is missing does not come by asking again.
    let script = again.replace(message, "error: Script not found `open`");
    assert_eq!(
        best("error: Script not found `open`", &[&script, &script]),
        None
    );
}

#[test]
fn a_check_that_fails_is_answered_by_the_command_that_puts_things_right() {
    let message = "error: the imports are not sorted";
    let mended = |between: &str| {
        format!(
            "edit a.ts; run bun run lint = 1: {message}; {between}run bun run lint = 0: Checked 9 files.; run bun run test = 0: 3 pass"
        )
    };
    let fixed = mended("run bun run lint:fix = 0: Fixed 1 file.; ");
    let told = Some("first run `bun run lint:fix`");
    assert_eq!(best(message, &[&fixed, &fixed]).as_deref(), told);
    let edited = mended("edit a.ts; run bun run lint:fix = 0; ");
    assert_eq!(best(message, &[&edited, &edited]), None);
    let late = mended("repeat 5 read a.ts; run bun run lint:fix = 0; ");
    assert_eq!(best(message, &[&late, &late]), None);
    let soon = mended("repeat 4 read a.ts; run bun run lint:fix = 0; ");
    assert_eq!(best(message, &[&soon, &soon]).as_deref(), told);
}

#[test]
fn what_throws_work_away_or_is_about_one_case_is_no_fix() {
    let message = "error: no such shelf: `a.rs`";
    for passing in [
        "shop add a.rs && git checkout --theirs a.rs",
        "git stash && shop add a.rs",
        "shop add a.rs && git branch -D old",
        "shop add repos/7/pulls/117/comments a.rs",
        "npm run db:reset && shop add a.rs",
    ] {
        let story = format!(
            "edit a.rs; run shop add a.rs b.rs = 1: {message}; run {passing} = 0; run cargo test = 0: test result: ok. 1 passed"
        );
        let knowledge = learned(&[&story, &story]);
        assert_eq!(knowledge.errors[message].ranked(), [], "{passing}");
    }
}
