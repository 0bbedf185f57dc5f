"""Asks the benchmark of issues through the command, with and without memory of the issues before.

    python localise_through.py OLDHAND TASKS.jsonl CLONES N

TASKS.jsonl has one issue a line (repo, base_commit, created_at, problem_statement, gold_files), CLONES a folder `owner+name` for each repository. In the
order of time, every Nth issue of a repository is asked with `oldhand context ISSUE --json` at the commit it was reported on, in two homes: one knows the index alone, the
other was also told (`oldhand import json`) every earlier issue with the files that fixed it. Prints how often all files of the fix are among the first source
files outside of tests, and the gain with its interval. Uses the standard library only, and a folder of its own for everything that is written.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

PLACES = (1, 3, 5, 10)
ENDINGS = (".py", ".go", ".rs", ".ts", ".tsx", ".js", ".jsx", ".java", ".c", ".h", ".cc", ".cpp", ".rb", ".vue")
LONGEST_TASK = 20_000
LONGEST_MEMORY = 1_500
RESAMPLES = 2000


def counts(path):
    name = path.rsplit("/", 1)[-1]
    is_test = name.startswith("test_") or "_test." in name or {"test", "tests"} & set(path.split("/"))
    return path.endswith(ENDINGS) and not is_test


class Home:
    """What is known of one clone by one way of asking."""

    def __init__(self, oldhand, root, folder):
        self.oldhand, self.root = oldhand, root
        (folder / "user").mkdir(parents=True)
        self.environment = {**os.environ, "OLDHAND_HOME": str(folder / "home"), "HOME": str(folder / "user")}

    def run(self, *command, given=None):
        return subprocess.run(
            [self.oldhand, *command], cwd=self.root, env=self.environment, input=given, capture_output=True, text=True, check=False
        )

    def remember(self, task):
        memory = {"type": "gotcha", "content": task["problem_statement"][:LONGEST_MEMORY], "files": task["gold_files"]}
        answer = self.run("import", "json", "-", "--json", given=json.dumps(memory) + "\n")
        if answer.returncode:
            sys.exit(f"{task['instance_id']} cannot be remembered: {answer.stdout}{answer.stderr}")

    def found(self, task):
        answer = self.run("context", "--json", "--files", "60", "--", task["problem_statement"][:LONGEST_TASK])
        files = [file["path"] for file in json.loads(answer.stdout)["files"] if counts(file["path"])]
        gold = set(task["gold_files"])
        return [gold <= set(files[:place]) for place in PLACES]


def go_to(commit, root):
    """Checks `commit` out. A clone may lack its largest files: they stay away."""
    move = ["update-ref", "--no-deref", "HEAD", commit]
    write = ["checkout-index", "--all", "--force", "--index", "--quiet"]
    for command in (move, ["read-tree", "--reset", commit], write, ["clean", "-ffdxq"]):
        subprocess.run(["git", *command], cwd=root, capture_output=True, check=False)


def measure(oldhand, tasks, clone, every):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        root = str(Path(folder) / "clone")
        subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", clone, root], check=True)
        alone, taught = (Home(oldhand, root, Path(folder) / name) for name in ("alone", "taught"))
        for number, task in enumerate(sorted(tasks, key=lambda task: task["created_at"])):
            if number % every == 0:
                go_to(task["base_commit"], root)
                rows.append((alone.found(task), taught.found(task)))
            taught.remember(task)
    return rows


def say(name, rows):
    for way, label in enumerate(("index alone", "with the issues before")):
        cells = [f"{100 * sum(row[way][place] for row in rows) / len(rows):.1f}" for place in range(len(PLACES))]
        print("| " + " | ".join([name, label, str(len(rows)), *cells]) + " |", flush=True)


def interval(gains):
    chance = random.Random(1)
    means = sorted(sum(chance.choices(gains, k=len(gains))) / len(gains) for _ in range(RESAMPLES))
    return 100 * sum(gains) / len(gains), 100 * means[RESAMPLES // 40], 100 * means[-RESAMPLES // 40]


def main():
    oldhand, told, clones, every = sys.argv[1:]
    by_repository = {}
    with open(told, encoding="utf-8") as file:
        for line in file:
            task = json.loads(line)
            by_repository.setdefault(task["repo"], []).append(task)
    print("| repository | way | issues | Acc@1 | Acc@3 | Acc@5 | Acc@10 |\n| --- | --- | --- | --- | --- | --- | --- |")
    pooled = []
    for repository, tasks in sorted(by_repository.items()):
        clone = Path(clones) / repository.replace("/", "+")
        clone = clone / "repo" if (clone / "repo").exists() else clone
        if clone.exists():
            rows = measure(oldhand, tasks, str(clone), int(every))
            say(repository, rows)
            pooled += rows
    say("pooled", pooled)
    for at, place in enumerate(PLACES):
        mean, low, high = interval([taught[at] - alone[at] for alone, taught in pooled])
        print(f"\nAcc@{place} {mean:+.1f} [{low:+.1f}, {high:+.1f}]")


if __name__ == "__main__":
    main()
