//! Lines of Windows shells and the simple commands in them.

use super::*;
use crate::outcome::shell::commands;

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
        let into: Vec<String> = (simple.into.iter())
            .map(|file| format!(" > {file}"))
            .collect();
        format!("[{}{}]{join}", simple.words.join(" "), into.concat())
    };
    let all: Vec<String> = commands(line).iter().map(told).collect();
    all.join(" ")
}

#[test]
fn lines_of_powershell_are_told_by_what_they_do() {
    for (script, expected) in [
        (
            r"Get-Content -Path docs\plan.md -Encoding UTF8",
            "[cat docs/plan.md]",
        ),
        ("gc a.md -Raw", "[cat a.md]"),
        (
            r"Get-Content src\a.ts -TotalCount 200 | Select-Object -Last 20",
            "[cat src/a.ts] | [tail -20]",
        ),
        (
            r"Set-Location -Path 'D:\code\shop'; Get-Content -LiteralPath .\web\b.ts",
            "[cd D:/code/shop] ; [cat ./web/b.ts]",
        ),
        (
            r"Select-String -Path web\*.ts -Pattern 'a\.b|c' -Context 2,2",
            r"[grep a\.b|c web/*.ts]",
        ),
        (r"git branch | sls '^\d+'", r"[git branch] | [grep ^\d+]"),
        (
            "Get-ChildItem -Recurse -File src,docs | Select-Object FullName, Length",
            "[ls src docs] | [Select-Object]",
        ),
        ("gci -Force", "[ls]"),
        (
            r"Set-Content -Path web\a.ts -Value 'x; y' -NoNewline",
            "[tee web/a.ts]",
        ),
        (
            "'it''s' | Out-File -FilePath notes.md -Append",
            "[tee notes.md]",
        ),
        (
            "@'\nrm -rf src; x\n'@ | Set-Content docs/a.md; npm test",
            "[tee docs/a.md] ; [npm test]",
        ),
        (
            r"New-Item -ItemType Directory -Force -Path web\new | Out-Null",
            "[mkdir web/new] | [Out-Null]",
        ),
        (r"New-Item web\b.ts", "[tee web/b.ts]"),
        (r"Remove-Item -Recurse -Force web\old.ts", "[rm web/old.ts]"),
        (
            r"Move-Item a.ts -Destination web\a.ts",
            "[mv a.ts web/a.ts]",
        ),
        (r"Copy-Item -Path a.ts -Destination b.ts", "[cp a.ts b.ts]"),
        (r"Rename-Item web\a.ts b.ts", "[mv web/a.ts web/b.ts]"),
        (
            r#"$env:CI='1'; python code\train.py --out "a b\c""#,
            r"[python code/train.py --out a b\c]",
        ),
        (
            r"conda run -n lab python code\train.py",
            "[python code/train.py]",
        ),
        (
            r"$p='web/a.ts'; (Get-Content $p -Raw) -replace 'a','b' | Set-Content -Path $p",
            "[cat web/a.ts] | [tee web/a.ts]",
        ),
        (
            "$lines = Get-Content \"a`\"b.md\"; $lines[3..9]; $i=1; foreach ($l in $lines) { \"$i $l\" }",
            "[cat a\"b.md]",
        ),
        (
            r"& '.\scripts\check.ps1' -Json; & npm.cmd run lint 2>&1 > out\lint.txt",
            "[./scripts/check.ps1 -Json] ; [npm run lint > out/lint.txt]",
        ),
        ("npm test `\n  --silent", "[npm test --silent]"),
        (
            "iwr -Uri https://example.org -UseBasicParsing",
            "[curl https://example.org]",
        ),
        ("git add . # all; of it", "[git add .]"),
        (
            r"$p='web/a.ts'; $p='D:\other\notes.md'; Get-Content $p",
            "[cat D:/other/notes.md]",
        ),
        (
            r"$p='a.ts'; [string]$p = 'b.ts'; gc $p; $q = $p = 'c.ts'; gc $p",
            "[cat b.ts] ; [cat c.ts]",
        ),
        ("$p='a.ts'; $p += '.bak'; gc $p", "[cat $p]"),
        ("$p='a.ts'; $p = Get-Date; gc $p", "[Get-Date] ; [cat $p]"),
        (
            "$p='a.ts'; $p = 'x' | Get-Date; gc $p",
            "[Get-Date] ; [cat $p]",
        ),
        ("$f='a.ts'; foreach ($f in $all) { gc $f }", "[cat $f]"),
        (
            r#"Get-Content $env:USERPROFILE\notes.md; gc "$Home\b.md""#,
            "[cat ~/notes.md] ; [cat ~/b.md]",
        ),
        (r"gc -lp web\a.ts -AsByteStream", "[cat web/a.ts]"),
        ("ls -Name src", "[ls src]"),
        ("New-Item -Path web -Name b.ts -Confirm x", "[tee web/b.ts]"),
        (r#"rg -n "a\(b" src\web"#, r"[rg -n a\(b src/web]"),
    ] {
        assert_eq!(cut(&Dialect::PowerShell.wrap(script)), expected, "{script}");
    }
}

#[test]
fn lines_of_cmd_are_told_by_what_they_do() {
    for (script, expected) in [
        (r"type docs\plan.md", "[cat docs/plan.md]"),
        (
            r"cd /d D:\code\shop && dir /s /b src",
            "[cd D:/code/shop] && [ls src]",
        ),
        (r#"findstr /S /N /C:"a b" src\*.ts"#, "[grep a b src/*.ts]"),
        (r"set CI=1&& npm test > nul 2>&1", "[npm test]"),
        (
            r"copy a.txt b.txt & del a.txt",
            "[cp a.txt b.txt] ; [rm a.txt]",
        ),
        (r"echo x>web\a.txt", "[echo x > web/a.txt]"),
        (r"type %UserProfile%\notes.md", "[cat ~/notes.md]"),
    ] {
        assert_eq!(cut(&Dialect::Cmd.wrap(script)), expected, "{script}");
    }
}

#[test]
fn a_shell_is_found_however_it_is_called_and_a_posix_line_keeps_its_escapes() {
    for (line, expected) in [
        (
            r#"pwsh.exe -NoLogo -Command "Get-Content a\\b.md""#,
            "[cat a/b.md]",
        ),
        (
            r"'C:\Program Files\PowerShell\7\pwsh.exe' -NoProfile -c gc a.md | head -3",
            "[cat a.md] | [head -3]",
        ),
        ("cmd.exe //c 'type a.md'", "[cat a.md]"),
        ("powershell -File check.ps1 -Json", "[check.ps1 -Json]"),
        ("cmd -file check.ps1", "[cmd -file check.ps1]"),
        (r"cat my\ notes.md a\\b", r"[cat my notes.md a\b]"),
        ("Get-Content a.md", "[Get-Content a.md]"),
    ] {
        assert_eq!(cut(line), expected, "{line}");
    }
}

#[test]
fn variables_that_hold_each_other_many_times_put_in_little() {
    let mut script = vec!["$v0='xxxxxxxxxx'".to_owned()];
    for level in 1..12 {
        let before = format!("$v{}", level - 1).repeat(10);
        script.push(format!("$v{level}=\"{before}\""));
    }
    script.extend(["gc $v11", "gc $v1"].map(str::to_owned));
    script.extend(vec!["echo $v3".to_owned(); 1_000]);
    script.extend((0..100).map(|number| format!("$env:N{number}='1'")));
    script.push("npm test".to_owned());
    let commands = lex(&script.join(";"), Dialect::PowerShell);
    let words = commands.iter().flat_map(|simple| &simple.words);
    assert!(words.map(String::len).sum::<usize>() < 2 * MOST_PUT_IN);
    let mut counts = commands.iter().map(|simple| simple.words.len());
    assert!(counts.all(|count| count <= MOST_SET + 2));
}

#[test]
fn broken_scripts_do_no_harm() {
    for script in [
        "'",
        "\"$",
        "@'",
        "$(",
        "{",
        "}",
        "(",
        "$x =",
        "$x +",
        "%userprofile%",
        "%é",
        "a | ",
        ">",
        "`",
        "&",
        "-x",
        "é\u{202e},",
    ] {
        for dialect in [Dialect::PowerShell, Dialect::Cmd] {
            let _ = lex(script, dialect);
        }
    }
}
