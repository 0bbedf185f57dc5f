//! What outlives the edit after it, and what was of its day.

use super::*;

fn is_lasting(statement: &str) -> bool {
    of_cause(statement, &[]).is_some()
}

#[test]
fn how_others_things_work_outlives_the_edit() {
    for statement in [
        "`LIMIT_AS` isn't settable on macOS, so `before_fn` raises in the child (it works on Linux, but breaks here).",
        "Relay's `x/plugin` registers `auto.New()` as the default loader, which reads the host's real `~/.relayrc`.",
        "`sync` (without `--all`) only installs what the root package depends on.",
        "Cobble doesn't hand `Hidden` on to children, so that their help is shown.",
        "`trim = true` strips the first newline, so the second release has no space before it.",
        "Heron 2.x brings Larch 5 but `@larch/plugin@^6` requires Larch 8, so their types clash.",
        "`fmt` isn't installed because rill takes the `small` profile by default.",
        "The newer Relay log format doesn't emit `token_count`.",
        "On Relay Cloud, `Table()` is turned into `SharedTable` without a word.",
        "`flush` never waits for `fsync`, so a power cut loses the last rows.",
        "Larch has limited support for `fsync`, so a power cut loses the last rows.",
        "Helm can't remove `value` because it has no release to compare with.",
        "Heron tests only what `main` names.",
        "Larch hands each `Row` a copy, and is passed a `Sink` by its caller.",
        "Relay looks for `larch` on PATH before its own folder.",
        "Relay drops rows of `Table` because of its own time limit.",
        "Heron uses the `main` field in `package.json` to find its entry. Without it, our plugin is not found.",
    ] {
        assert!(is_lasting(statement), "{statement}");
    }
}

#[test]
fn mistakes_of_the_day_and_of_a_machine_do_not() {
    for statement in [
        "`runAll` gated `execute` on `len(plans) > 0`, so that nothing was pruned.",
        "`io.ReadFull` got fewer than 4 bytes when reading the length, so the body is empty.",
        "The package is listed in `package.json` and not installed in `node_modules`, so it cannot be resolved.",
        "The cancellation tests are racy: the read can return `ctx.Canceled` or another error.",
        "When `previewKey` is raised, the whole tree of children is made anew.",
        "The record of a run is `{}` because `agent-spawn` fires after the prompt is written.",
        "The validation is right, the message doesn't name the `from` field.",
        "`pyproject.toml` depends on `relay>=1.2` and takes it from git.",
        "`git add` took the ignored `cmd/tool` path instead of the source file.",
        "`1a2b3c4` is an ancestor of `main`, which gives the target all objects.",
        "The package of `relay` doesn't export `Sound`, it needs a new release.",
        "`room.current_model` doesn't exist, so the form is never shown.",
        "String `name` is always trimmed by the form.",
        "Adding `derive(Clone)` breaks the build of the parser.",
        "`/opt/far/away/.ignore` has `*` in it, which hides what is collected.",
        // Somebody made it so, in this project.
        "The Relay job runs before the `check` job, without waiting for it.",
        "The Larch config doesn't name `no-unused` as an exception.",
        "`relay login` is never run before the push.",
        "Relay uses `@/libs/db` but the page imports from `@/libs/orm`.",
        "`extra_rules` are added to the list, not replacing it.",
        "`_out/` is gitignored, so that nothing of it is published.",
        "`rill prepare` is different, it only asks before Relay starts.",
        "Larch is pinned only in `checks.yml`, in two places.",
        // What a language or a program asks for is said by it.
        "The `insert` method requires `Record<string, unknown>`.",
        "`rill test-all` needs to compile the programs first.",
        // What happened once.
        "Relay can't run the job that stalled, it only knows `linux/*`.",
        "Larch has rendered `status-left`, and only resets it during a reload.",
        "`test (amd64)` never left the queue of Relay, not for a fault of the code.",
        // A word that only opens the sentence, before things of a kind.
        "File keys silently skipped — `void fp;` suppressing it masked a gap.",
        "Service tests pass, their controllers fail because of the `Guard` on them.",
        "Relay tests fail because of the `Guard` of the controller.",
        "`void row` hiding an unused value masked a gap.",
        // What it is, and not what it does, whatever is behind that.
        "`logs` is a list (no set), but Relay takes it for an outer value because it's a param.",
        // Nobody knows what is meant.
        "`relay init --agent` doesn't create it (only `relay init` does).",
        // A guess at what goes on in it.
        "`larch` doesn't understand that `relay.stop()` ends the run.",
        // One machine's.
        "`relay run ...` runs → can't find `larch` because rill isn't on PATH.",
        "`from x import y` defers what is named, so only the linter caught it.",
        "`larch-plugin==0.13.340` pins `larch==2026.6.4`, which conflicts with `larch>=2026.7`.",
    ] {
        assert!(!is_lasting(statement), "{statement}");
    }
}

#[test]
fn what_it_meant_that_day_is_left_out_of_how_others_things_work() {
    for (statement, told) in [
        (
            "Cobble doesn't hand `Hidden` on to children, so commands like `relay hooks` (where `hooks` is hidden but `relay` is not) were counted.",
            "Cobble doesn't hand `Hidden` on to children.",
        ),
        (
            "`Larch.spawn` doesn't throw on exit codes. The current code only catches exceptions.",
            "`Larch.spawn` doesn't throw on exit codes.",
        ),
        (
            "`Larch.spawn` doesn't throw on exit codes, so the job went on. It was never told.",
            "`Larch.spawn` doesn't throw on exit codes.",
        ),
    ] {
        assert!(!is_lasting(statement), "{statement}");
        assert_eq!(lasting(statement, &[]), told);
        assert!(is_lasting(told), "{told}");
    }
    for statement in [
        // It holds as a whole.
        "`sync` only installs what the root depends on, so that tools stay out.",
        // The first clause is of that day, too, is about nobody's thing, or names nothing.
        "`runAll` gated `execute`, so that nothing was pruned.",
        "The validation is right, so the message was not read in `form`.",
        "Cobble doesn't hand it on to children, so `Hidden` was lost.",
        "`cache.json` only holds rows, so that the rest was lost.",
    ] {
        assert_eq!(lasting(statement, &[]), statement);
    }
}

#[test]
fn what_the_rest_takes_back_or_binds_is_not_told_alone() {
    for statement in [
        "Cobble doesn't hand `Hidden` on to children, so long as `Walk` is off, which it was here.",
        "Cobble never copies `Changed` to children, so the docs said, which was not the case.",
        "Cobble doesn't hand `Hidden` on, so to speak, to children that were added by hand.",
        "`Hidden` never reaches the children of a command. Our fork already hands it on.",
        "Cobble never copies `Changed` to children, so far as was seen.",
        "Cobble never copies `Changed` to children, so I was told.",
        "Cobble never copies `Changed` to children, so it was said in the log.",
        "Cobble never copies `Changed` to children, so that a copy was made.",
        "Cobble never copies `Changed` to children, so it seemed, which was one old build.",
        "Cobble never copies `Changed` to children, so it went. But 2.0 does.",
        "Cobble never copies `Changed` to children, so they were shown, which wasn't true of 2.0.",
        "`Hidden` never reaches the children of a command. Our fork hands it on.",
        "`Hidden` never reaches the children of a command. That is wrong in the current release.",
        "`Hidden` never reaches the children of a command. It is fixed in the current release.",
        "`Hidden` never reaches the children of a command. So it is until the current code runs.",
        "`Hidden` never reaches the children of a command. That is if our walk is off.",
        "`Hidden` never reaches the children of a command. The plugin now hands it on.",
        // What is quoted is one thing.
        "`Larch.spawn` only takes `echo one, so two`, which was lost.",
        "`Larch.spawn` only takes `echo one. Two`, which is missing.",
        // What is said besides tells which ones are meant, or takes it back as well.
        "Cobble never copies `Changed` to children, so they were shown (but 2.0 does).",
        "Cobble never copies `Changed` to children, so some (where `Walk` is off) were shown, but 2.0 does.",
    ] {
        assert!(!is_lasting(statement), "{statement}");
        assert_eq!(lasting(statement, &[]), statement);
    }
}

#[test]
fn a_file_of_the_project_is_no_name_of_others() {
    for file in [
        "schema.prisma",
        "default.nix",
        "build.gradle",
        "x1.graphql",
        "ab.mts",
        "src/ab.jl",
    ] {
        assert!(is_file(file), "{file}");
        let statement = format!("`{file}` only declares one datasource.");
        assert_eq!(of_cause(&statement, &[]), None, "{file}");
    }
    for file in [
        "App.svelte",
        "Main.java",
        "Info.plist",
        "Dockerfile.dev",
        "Cargo.lock",
        "App.config",
        "Web.config",
        "Localizable.strings",
        "Package.resolved",
        "Main.less",
        "Server.pem",
    ] {
        assert!(is_file(file), "{file}");
    }
    for name in [
        "Relay.spawn",
        "JSON.parse",
        "Promise.all",
        "Relay.lay()",
        "io.EOF",
        "client.enable()",
        "flag.Value",
        "room.current_model",
        "v1.2",
    ] {
        assert!(!is_file(name), "{name}");
    }
    let statement = "Wrapping `io.EOF` breaks whoever reads to the end.";
    assert!(of_cause(statement, &[]).is_some());
}

#[test]
fn what_only_options_are_named_for_needs_them() {
    let statement = "`--max-rows 5` only cuts the first page.";
    let flags = vec!["--max-rows".to_owned()];
    assert_eq!(
        of_cause(statement, &[]),
        Some(Claim::Own {
            names: flags.clone()
        })
    );
    let mended = [ProjectPath::new("src/a.rs").unwrap()];
    assert_eq!(of_cause(statement, &mended), None);
    assert_eq!(
        names_to_find("`--max-rows` only cuts the first page."),
        flags
    );
    let content = "`sync` with `--all` only installs what is named.";
    assert_eq!(names_to_find(content), ["sync"]);
}

#[test]
fn what_is_denied_is_not_looked_for() {
    let text = "It is `github:issues`, not `github:fetch`; no `plan.md` is there, see src/wire.rs.";
    assert_eq!(names(text), ["github:issues", "src/wire.rs"]);
}

#[test]
fn what_an_agent_took_back_is_looked_up_by_its_names() {
    use crate::fold::{FoldOptions, fold};
    let story = "read src/a.c; say I was wrong about `cache_ttl`: it is in seconds, see `src/a.c`.";
    let session = fold(&crate::story::events(story), &FoldOptions::default());
    let signals = crate::detect::detect(&session, &crate::detect::Norms::default());
    let frequency = crate::distill::Frequency::default();
    let candidates = crate::distill::distill(&session, &signals, &[], &frequency);
    let mut claims = candidates.iter().filter_map(|one| one.claim.clone());
    let names = vec!["cache_ttl".to_owned(), "src/a.c".to_owned()];
    assert_eq!(claims.next(), Some(Claim::Own { names }));
}
