"""Asks the benchmark of sessions through the command, as somebody who has only the binary would.

    python sessions_through.py OLDHAND SESSIONS.jsonl CLONE [SESSIONS.jsonl CLONE …]

In the order of time, before each session that edits something: checks out the commit it began on in a clone of its own, imports the sessions before it
as transcripts of Claude Code (`oldhand import transcripts`) and asks `oldhand context PROMPT --json` with the first prompt, then with one to twelve
files at hand (`--file`) for the next one. Prints recall of the edited files and how often the next file was among five. Uses the standard library only, and a folder of its own for everything that is written.
"""

import json
import os
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

TOOLS = {"read": "Read", "edit": "Edit", "write": "Write", "bash": "Bash", "grep": "Grep", "glob": "Glob"}
LONGEST_PROMPT = 20_000
MOST_AT_HAND = 12


def is_inside(path):
    return not path.startswith(("/", "EXT"))


def call_of(event, number, root):
    """What Claude Code would have asked its tool, as far as the data says."""
    kind, paths = event.get("op"), event.get("paths", [])
    if kind in ("read", "edit", "write") and paths:
        path = f"{root}/{paths[0]}" if is_inside(paths[0]) else f"/elsewhere/{paths[0]}"
        more = {"edit": {"old_string": f"before {number}", "new_string": f"after {number}"}, "write": {"content": "new"}}
        return TOOLS[kind], {"file_path": path, **more.get(kind, {})}
    if kind == "bash":
        return "Bash", {"command": event.get("arg", "")}
    if kind in ("grep", "glob"):
        return TOOLS[kind], {"pattern": event.get("arg", "")}
    return event.get("tool") or "Other", {"arg": event.get("arg", "")}


def transcript_of(session, root):
    """The lines of a transcript of Claude Code that tell `session`."""
    start = datetime.fromisoformat(session["start"].replace("Z", "+00:00"))
    for number, event in enumerate(session["events"]):
        at = start + timedelta(seconds=event.get("t") or 0)
        line = {
            "cwd": root,
            "sessionId": session["session_id"],
            "gitBranch": session.get("branch") or "main",
            "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        if event["k"] == "prompt":
            yield {**line, "type": "user", "message": {"role": "user", "content": event["text"]}}
        elif event["k"] == "tool":
            name, asked = call_of(event, number, root)
            call = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": asked}
            yield {**line, "type": "assistant", "message": {"role": "assistant", "id": f"msg_{number}", "content": [call]}}
            failed = bool(event.get("err"))
            said = event.get("errtext", "") if failed else ""
            result = {"type": "tool_result", "tool_use_id": call["id"], "is_error": failed, "content": said}
            yield {**line, "type": "user", "message": {"role": "user", "content": [result]}}


class Ground:
    """A clone and a home of its own that sessions are told to one after the other."""

    def __init__(self, oldhand, clone, folder):
        self.oldhand, self.root = oldhand, str(folder / "clone")
        self.told, self.waiting = folder / "transcripts", []
        self.told.mkdir()
        (folder / "user").mkdir()
        self.environment = {**os.environ, "OLDHAND_HOME": str(folder / "home"), "HOME": str(folder / "user")}
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", clone, self.root], check=True)

    def run(self, *command):
        return subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)

    def go_back_to(self, session):
        """Checks out what `session` began on; false where no commit is that old. Files the clone does not hold stay away."""
        commits = [point["commit"] for point in session["checkpoints"] if point.get("commit")]
        for end in ([f"{commits[0]}^"] if commits else []) + ["origin/HEAD", "--all"]:
            commit = self.run("git", "rev-list", "-1", "--before", session["start"], end).stdout.strip()
            if commit:
                self.run("git", "checkout", "--quiet", "--force", commit)
                self.run("git", "checkout", "--quiet", "--force", "-B", session.get("branch") or "main")
                return True
        return False

    def tell(self, session):
        path = self.told / f"{session['session_id']}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in transcript_of(session, self.root)))
        self.waiting.append(str(path))

    def predict(self, prompt, at_hand=()):
        if self.waiting:
            self.run(self.oldhand, "import", "transcripts", *self.waiting)
            self.waiting = []
        files = [word for path in at_hand for word in ("--file", path)]
        answer = self.run(self.oldhand, "context", "--json", *files, "--", prompt[:LONGEST_PROMPT])
        return [file["path"] for file in json.loads(answer.stdout)["files"]]


def touched_by(session, kinds):
    """The files of the project in the order in which `session` first came to them."""
    calls = (event for event in session["events"] if event.get("op") in kinds)
    return list(dict.fromkeys(path for event in calls for path in event["paths"] if is_inside(path)))


def recall(gold, predicted):
    return len(gold & set(predicted)) / len(gold)


def next_files(ground, prompt, touched):
    """Whether each of the first files but the very first was among five, with those before it at hand."""
    for known in range(1, min(len(touched), MOST_AT_HAND + 1)):
        files = ground.predict(prompt, touched[:known])
        yield touched[known] in [path for path in files if path not in touched[:known]][:5]


def measure(oldhand, sessions, clone):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        ground = Ground(oldhand, clone, Path(folder))
        for number, session in enumerate(sessions):
            prompts = [event["text"] for event in session["events"] if event["k"] == "prompt"]
            gold = set(touched_by(session, ("edit", "write")))
            if number and gold and prompts and ground.go_back_to(session):
                files = ground.predict(prompts[0])
                unnamed = {path for path in gold if path.rsplit("/", 1)[-1].lower() not in prompts[0].lower()}
                far = recall(unnamed, files[:10]) if unnamed else None
                among = list(next_files(ground, prompts[0], touched_by(session, ("read", "edit", "write"))))
                rows.append(((recall(gold, files[:5]), recall(gold, files[:10]), bool(gold & set(files[:5])), far), among))
            ground.tell(session)
    return rows


def print_row(name, rows):
    columns = [[first[column] for first, _ in rows if first[column] is not None] for column in range(4)]
    columns.append([hit for _, among in rows for hit in among])
    means = [f"{100 * sum(column) / len(column):.1f}" if column else "–" for column in columns]
    print("| " + " | ".join([name, *means, str(len(rows))]) + " |", flush=True)


def main():
    oldhand, *pairs = sys.argv[1:]
    print("| repository | R@5 | R@10 | any@5 | unnamed R@10 | next file hit@5 | sessions |\n| --- | --- | --- | --- | --- | --- | --- |")
    pooled = []
    for told, clone in zip(pairs[::2], pairs[1::2], strict=True):
        with open(told, encoding="utf-8") as file:
            rows = measure(oldhand, [json.loads(line) for line in file], clone)
        print_row(Path(told).stem, rows)
        pooled += rows
    print_row("pooled", pooled)


if __name__ == "__main__":
    main()
