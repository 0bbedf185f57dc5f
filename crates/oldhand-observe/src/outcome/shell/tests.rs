//! Lines and the simple commands in them.

use super::*;

fn cut(line: &str) -> String {
    let told = |simple: &Simple| {
        let join = match simple.then {
            Then::And => " &&",
            Then::Or => " ||",
            Then::Pipe => " |",
            Then::Next => " ;",
            Then::Aside => " &",
            Then::End => "",
        };
        let into: Vec<String> = simple
            .into
            .iter()
            .map(|file| format!(" > {file}"))
            .collect();
        format!("[{}{}]{join}", simple.words.join(" "), into.concat())
    };
    commands(line)
        .iter()
        .map(told)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn lines_are_cut_at_their_joints() {
    let cases = [
        ("cd web && npm test", "[cd web] && [npm test]"),
        (
            "cargo test 2>&1 | tail -20; echo done",
            "[cargo test] | [tail -20] ; [echo done]",
        ),
        (
            "FOO=1 BAR=x timeout -k 5 60 sudo -u me go test ./...",
            "[go test ./...]",
        ),
        (
            "bash -lc 'cd a && pytest -q' || true",
            "[cd a] && [pytest -q] || [true]",
        ),
        ("nice -n 5 npx --yes vitest run", "[vitest run]"),
        (
            "uv run --with x pytest && poetry run mypy .",
            "[pytest] && [mypy .]",
        ),
        (
            "git commit -m \"$(cat <<'EOF'\nfix: a && b\nEOF\n)\"",
            "[git commit -m $(cat <<'EOF'\nfix: a && b\nEOF\n)]",
        ),
        (
            "git commit -m \"$(cat <<'EOF'\nfix: \"rule (a > b)\" isn't \"kept\"\nEOF\n)\" && git push",
            "[git commit -m $(cat <<'EOF'\nfix: \"rule (a > b)\" isn't \"kept\"\nEOF\n)] && [git push]",
        ),
        (
            "echo \"$(grep \"a > b\" x | wc -l) > $((1 << 2))\" > out; make",
            "[echo $(grep \"a > b\" x | wc -l) > $((1 << 2)) > out] ; [make]",
        ),
        (
            "echo $(cat <<EOF\na ) > b\nEOF\n) && make",
            "[echo $()] && [make]",
        ),
        (
            "cat <<EOF > a.txt\nnpm test\nEOF\necho ok",
            "[cat > a.txt] ; [echo ok]",
        ),
        ("echo 'a && b' # npm test", "[echo a && b]"),
        ("(cd x; make) > log 2>&1 &", "[cd x] ; [make > log] &"),
        (
            "echo 'a > b' >>\"my file\" 2>err && cat <in >&2",
            "[echo a > b > my file] && [cat]",
        ),
        ("", ""),
    ];
    for (line, expected) in cases {
        assert_eq!(cut(line), expected, "{line}");
    }
}

#[test]
fn broken_lines_do_no_harm() {
    for line in [
        "echo > 'unclosed",
        "'unclosed",
        "\"",
        "$(",
        "a &&",
        "|||",
        "<<",
        "\\",
        "bash -c",
        "timeout",
        "sudo -u",
        "é\u{202e} && ü",
    ] {
        let _ = commands(line);
    }
}
