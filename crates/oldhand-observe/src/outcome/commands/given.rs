//! What programs that check are given: which options say what is checked, and which only how one run is shown or cut short.

/// Whether an option, or a variable, shapes what a run prints, repairs what it finds or hurries it: nobody needs it to check the work.
pub(super) fn is_noise(option: &str, program: &str) -> bool {
    let short = option
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'));
    // `-x` of gradle and `-s` of nox choose what is run.
    let is_pytest = program.ends_with("pytest") || program == "py.test" || is_python(program);
    let is_quiet = |c: char| match c {
        'q' | 'v' => true,
        's' => is_pytest || is_manager(program) || program == "make",
        'x' => is_pytest,
        _ => false,
    };
    if short.is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_quiet)) {
        return true;
    }
    // What it is set to, there.
    if option == "-o" && is_pytest {
        return false;
    }
    let shows = matches!(
        option,
        "--quiet"
            | "-quiet"
            | "--silent"
            | "--verbose"
            | "--tb"
            | "--no-header"
            | "--no-summary"
            | "--color"
            | "--colors"
            | "--no-color"
            | "--pretty"
            | "--reporter"
            | "--reporters"
            | "--nocapture"
            | "--no-capture"
            | "--show-output"
            | "--success-output"
            | "--failure-output"
            | "--status-level"
            | "--no-fail-fast"
            | "--format"
            | "--output-format"
            | "--message-format"
            | "--out-format"
            | "--output"
            | "--output-file"
            | "-o"
            | "--durations"
            | "--log-level"
            | "--log-cli-level"
            | "--progress"
            | "--no-progress"
            | "--no-pager"
            | "--stacktrace"
            | "--info"
            | "--debug"
            | "--console"
            | "--nologo"
            | "--logger"
            | "--verbosity"
            | "--show-error-codes"
            | "--no-error-summary"
            | "--json"
            | "-json"
            | "--statistics"
            | "--diff"
            | "--concise"
            | "--full"
            | "-hideShellScriptEnvironment"
            | "-resultBundlePath"
            | "-derivedDataPath"
            | "-rA"
            | "-ra"
            | "-rs"
            | "-rf"
            | "RUST_BACKTRACE"
            | "RUST_LOG"
            | "FORCE_COLOR"
            | "NO_COLOR"
            | "TERM"
            | "PAGER"
            | "LOG_LEVEL"
            | "DEBUG"
    );
    let repairs = matches!(
        option,
        "--fix"
            | "--unsafe-fixes"
            | "--write"
            | "--apply"
            | "--autofix"
            | "--allow-dirty"
            | "--allow-staged"
            | "-u"
            | "--update"
            | "--updateSnapshot"
            | "--update-snapshots"
            | "--snapshot-update"
    );
    let hurries = matches!(
        option,
        "-j" | "--jobs"
            | "--parallel"
            | "--maxWorkers"
            | "--workers"
            | "--timeout"
            | "-timeout"
            | "--testTimeout"
            | "--test-timeout"
            | "-count"
            | "--no-cache"
            | "--force"
            | "--yes"
            | "-y"
            | "--no-install"
            | "--if-present"
            | "--no-restore"
            | "--no-build"
            | "--offline"
            | "--locked"
            | "--frozen"
    );
    shows || repairs || hurries
}

/// Whether an option chooses a part of what is checked, or leaves a part out.
pub(super) fn is_choice(option: &str, program: &str) -> bool {
    let is_choice = matches!(
        option,
        "-k" | "--testNamePattern"
            | "--testPathPattern"
            | "--testPathPatterns"
            | "--test-name-pattern"
            | "-run"
            | "-list"
            | "--grep"
            | "-g"
            | "--lf"
            | "--last-failed"
            | "--ff"
            | "--exitfirst"
            | "--bail"
            | "--maxfail"
            | "--test"
            | "--exact"
            | "--ignored"
            | "--shard"
            | "--changed"
            | "--onlyChanged"
            | "--findRelatedTests"
            | "--retries"
            | "-only-testing"
    );
    is_choice
        || is_exclusion(option)
        || option.starts_with("-only-testing:")
        // What a package manager calls so says where, and what others call so says which file tells it.
        || option == "--filter" && !is_manager(program)
        || option == "-f" && !is_manager(program) && !is_told_a_file(program)
        || option == "-t" && !is_manager(program)
}

/// Whether an option leaves a part out of what is checked.
pub(super) fn is_exclusion(option: &str) -> bool {
    matches!(
        option,
        "--deselect"
            | "--ignore"
            | "--ignore-glob"
            | "--testPathIgnorePatterns"
            | "--grep-invert"
            | "-skip-testing"
            | "--skip"
    ) || option.starts_with("-skip-testing:")
}

/// Whether `-f` names the file in which a program's tasks are.
fn is_told_a_file(program: &str) -> bool {
    matches!(
        program,
        "make" | "gmake" | "just" | "task" | "mvn" | "mvnw" | "nox" | "rake" | "docker-compose"
    )
}

fn is_python(program: &str) -> bool {
    program.starts_with("python") || matches!(program, "py" | "pypy3")
}

fn is_manager(program: &str) -> bool {
    matches!(program, "npm" | "pnpm" | "yarn" | "bun" | "turbo" | "nx")
}

/// Whether the word behind an option belongs to it.
pub(super) fn takes_value(option: &str, program: &str) -> bool {
    let everywhere = matches!(
        option,
        "-p" | "-C"
            | "-k"
            | "-t"
            | "-m"
            | "-n"
            | "-j"
            | "-c"
            | "-e"
            | "-E"
            | "-o"
            | "-g"
            | "-D"
            | "-A"
            | "-W"
            | "--project"
            | "--package"
            | "--exclude"
            | "--features"
            | "--filter"
            | "--dir"
            | "--cwd"
            | "--prefix"
            | "--config"
            | "--configuration"
            | "--settings"
            | "--rootdir"
            | "--root"
            | "--jobs"
            | "--target"
            | "--manifest-path"
            | "--profile"
            | "--bin"
            | "--test"
            | "--example"
            | "--bench"
            | "-tags"
            | "--tags"
            | "-run"
            | "-timeout"
            | "-count"
            | "-bench"
            | "--timeout"
            | "--testTimeout"
            | "--max-warnings"
            | "--ext"
            | "--env-file"
            | "--reporter"
            | "--format"
            | "--output"
            | "--output-format"
            | "--output-file"
            | "--grep"
            | "--testNamePattern"
            | "--testPathPattern"
            | "--test-name-pattern"
            | "--maxWorkers"
            | "--workers"
            | "--pool"
            | "--environment"
            | "--env"
            | "--tb"
            | "--maxfail"
            | "--durations"
            | "--ignore"
            | "--ignore-glob"
            | "--testPathIgnorePatterns"
            | "--grep-invert"
            | "--deselect"
            | "--skip"
            | "--shard"
            | "--logger"
            | "--verbosity"
            | "--tsconfig"
            | "--outDir"
            | "--module"
            | "--moduleResolution"
            | "--jsx"
            | "--color"
            | "--select"
            | "--log-level"
            | "-destination"
            | "-configuration"
            | "-sdk"
            | "-derivedDataPath"
            | "-resultBundlePath"
            | "-testPlan"
            | "-arch"
    );
    match option {
        "-F" | "-w" | "--workspace" => is_manager(program) || option == "-F" && program == "cargo",
        "-f" => !is_manager(program),
        "-x" => matches!(program, "gradle" | "gradlew"),
        "-s" => program == "nox",
        // Modes of theirs, and whole words behind them.
        "-n" | "-e" if matches!(program, "make" | "just" | "go") => false,
        "-c" | "-p" if matches!(program, "playwright" | "jest" | "prettier") => option == "-c",
        _ => everywhere,
    }
}

/// Whether a word names what one run was about: a source file, one test of a file, a temporary place.
pub(super) fn is_one_run(word: &str, value: Option<&str>) -> bool {
    let is_about = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
        let is_settings = |ending: &str| {
            matches!(
                ending,
                "json"
                    | "toml"
                    | "yaml"
                    | "yml"
                    | "ini"
                    | "cfg"
                    | "sln"
                    | "slnx"
                    | "csproj"
                    | "xcodeproj"
                    | "xcworkspace"
                    | "xctestplan"
                    | "mk"
                    | "conf"
                    | "config"
            )
        };
        let is_ending = |ending: &str| {
            (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphabetic())
        };
        let is_source = ending.is_some_and(|(_, ending)| is_ending(ending) && !is_settings(ending));
        is_source && !word.contains('*') || word.contains("::") || word.starts_with("/tmp")
    };
    match value {
        // What an option is set to may well be a script of the project's own.
        Some(value) => value.contains("::") || value.starts_with("/tmp"),
        None if word.starts_with('-') => false,
        None => is_about(word),
    }
}

/// Whether a program checks the very files that it is given: without any of them its name says nothing.
pub(super) fn says_nothing_more(program: &str, words: &[String]) -> bool {
    let of_files = matches!(
        program,
        "mypy"
            | "pylint"
            | "shellcheck"
            | "hadolint"
            | "yamllint"
            | "markdownlint"
            | "stylelint"
            | "eslint"
            | "oxlint"
            | "clang-tidy"
            | "luacheck"
            | "javac"
            | "gcc"
            | "g++"
            | "clang"
            | "clang++"
            | "rustc"
            | "ghc"
            | "esbuild"
            | "swiftc"
    );
    let compiles = words
        .iter()
        .any(|word| matches!(word.as_str(), "py_compile" | "compileall"));
    (of_files || compiles) && words.len() > 1
}
