//! Commands that print files of others, and those that do not.

use super::*;
use crate::outcome::shell::Dialect;

fn outside(word: &str, folder: Option<&str>) -> bool {
    let whole = match folder {
        Some(folder) if !word.starts_with(['/', '~']) => format!("{folder}/{word}"),
        _ => word.to_owned(),
    };
    is_of_others(&whole)
        || (!whole.starts_with("/home/dev/project") && whole.starts_with(['/', '~', '.']))
}

#[test]
fn files_elsewhere_are_told_from_those_of_the_project() {
    for command in [
        "cat /etc/hosts",
        "head -5 ../other/README.md",
        "sed -n '1,20p' ~/notes.md",
        "cd /opt/other && cat README.md",
        "X=$(cat /etc/passwd)",
        "rg -n token /usr/share",
        "cat /home/dev/project/node_modules/x/README.md",
        "cat $HOME/notes.md",
        "cat \"${HOME}/notes.md\"",
        "cat /opt/other/*.md",
        "head -50 ~/docs/*.md",
        "cat < /opt/x.md",
        "while read line; do echo $line; done < /opt/x.md",
        "find /opt/other -name '*.md' -exec cat {} \\;",
        "find /opt/other -name '*.md' | xargs cat",
        "ls /opt/other | xargs -I{} cat /opt/other/{}",
        "bash -c \"cat /opt/x.md\"",
        "sudo cat /opt/x.md",
        "python3 -c \"print(open('/opt/x.md').read())\"",
        "python3 - <<'END'\nprint(open('/opt/x.md').read())\nEND",
        "node -e 'console.log(require(\"fs\").readFileSync(\"/opt/x.md\"))'",
        "git -C /opt/other show HEAD:README.md",
        "cd /opt/other && git log -3",
        "cp /opt/x.md ./x.md && cat ./x.md",
        "for f in /opt/other/*.md; do cat \"$f\"; done",
        "awk '{print}' /opt/x.md",
        "tac /opt/x.md",
        "unzip -p /opt/x.zip",
        "tar xOf /opt/x.tgz",
        "pdftotext /opt/x.pdf -",
        "X=/opt/x.md; cat $X",
        "X=$HOME/x.md; cat $X",
        "some-tool --verbose /opt/x.md",
        "python3 ~/tools/summary.py",
        "cat \"/opt/my notes/x.md\"",
        "diff <(cat /opt/a.md) b.md",
        "cat /tmp/../opt/x.md",
        "sed -n '1,80p' ~/.codex/skills/pdf/SKILL.md",
    ] {
        assert!(reads_outside(command, &outside), "{command}");
    }
}

#[test]
fn files_on_a_drive_are_told_by_where_they_lie() {
    let outside = |word: &str, folder: Option<&str>| {
        let whole = match folder {
            Some(folder) if !crate::paths::is_absolute(word) && !word.starts_with('~') => {
                format!("{folder}/{word}")
            }
            _ => word.to_owned(),
        };
        crate::paths::is_absolute(&whole) && !whole.starts_with("D:/code/shop")
            || whole.starts_with('~')
    };
    let from_web = |script: &str| {
        let script = format!(r"Set-Location D:\code\shop\web; {script}");
        reads_outside(&Dialect::PowerShell.wrap(&script), &outside)
    };
    for script in [
        r"Set-Location D:\other; Get-Content notes.md",
        r"python D:\other\x.py",
        r"$p='a.ts'; $p='D:\other\notes.md'; Get-Content $p",
        r"Get-Content $env:USERPROFILE\notes.md",
        r"cd $HOME; gc notes.md",
        r"gc -LP D:\other\notes.md",
    ] {
        assert!(from_web(script), "{script}");
    }
    for script in [
        r"Set-Location D:\code\shop\docs; Get-Content notes.md",
        r"python D:\code\shop\x.py; gc a.ts",
        r"cd ..\docs; gc notes.md",
    ] {
        assert!(!from_web(script), "{script}");
    }
    let home = Dialect::Cmd.wrap(r"type %USERPROFILE%\notes.md");
    assert!(reads_outside(&home, &outside));
}

#[test]
fn what_prints_no_file_of_others_is_no_outside_text() {
    for command in [
        "cat /home/dev/project/src/a.rs",
        "cat /home/dev/project/*.md",
        "cd /home/dev/project && cat src/a.rs",
        "cat src/a.rs | head -3",
        "cat missing 2>/dev/null",
        "sed -n '/^fn/p' src/a.rs",
        "sed 's/a/b/' src/a.rs",
        "rg -n '/api/v1' src",
        "ls /etc",
        "ls -la ~/.config",
        "which python3; /usr/bin/python3 --version",
        "cargo test",
        "cargo build --target-dir /opt/target",
        "go build -o /opt/bin/x ./cmd/x && /opt/bin/x --help",
        "./configure --prefix=/usr",
        "make test > /tmp/out.log 2>&1; tail -5 /tmp/out.log",
        "cat /private/tmp/claude-501/x/scratchpad/a.txt",
        "cat ~/.claude/plans/quiet-river.md",
        "sed -n 1,9p /Users/dev/.claude/plans/quiet-river.md",
        "cp src/a.rs /opt/backup/",
        "rm -rf /opt/build && mkdir -p /opt/build",
        "git worktree add ../other-branch main",
        "git -C /home/dev/project show HEAD",
        "git commit -m 'see /etc/hosts'",
        "docker run -v /opt/x:/x app cat /etc/hosts",
        "GOCACHE=/opt/cache go test ./...",
        "gotest -run /home",
        "tool --route /api/v1/users",
        "echo '~28 minutes'",
        "curl -s localhost:3000/health -o /opt/x",
        "python3 -c \"print(open('src/a.rs').read())\"",
    ] {
        assert!(!reads_outside(command, &outside), "{command}");
    }
}

#[test]
fn a_command_of_nothing_but_openings_ends_soon() {
    let deep = "$(".repeat(100_000);
    assert!(!reads_outside(&deep, &|_, _| true));
}

#[test]
fn scratch_is_left_by_the_way_up() {
    assert!(is_scratch("/tmp/a/b") && is_scratch("/dev/null"));
    assert!(is_scratch("~/.claude/plans/a.md") && is_scratch("/Users/dev/.codex/sessions/a"));
    assert!(!is_scratch("/tmp/../etc/hosts") && !is_scratch("/tmpfiles/x"));
    assert!(!is_scratch("/opt/.claude/plans/a.md") && !is_scratch("/dev/tcp/a.example/80"));
}
