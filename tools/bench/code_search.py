"""How well `oldhand search --code` finds a function by what its documentation says.

    python code_search.py OLDHAND FOLDER [QUESTIONS]

Copies the Python files of FOLDER into a repository of its own, takes the docstrings out of all functions, and asks with the first sentence of
each. Right is a piece that holds the function. Prints the mean reciprocal rank and the recall among the first ten.
"""

import ast
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile


def first_sentence(text):
    return re.sub(r"\s+", " ", re.split(r"(?<=[.!?])\s|\n\n", text.strip())[0])


def documented(tree):
    """Functions with a docstring and a body, and the node of the docstring."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node) and len(node.body) > 1:
            yield node, node.body[0]


def take_out(text):
    """The text without docstrings, and for each its first sentence and where its function is now."""
    lines, gone, found = text.split("\n"), set(), []
    for function, docstring in documented(ast.parse(text)):
        sentence = first_sentence(docstring.value.value)
        if 20 <= len(sentence) <= 300:
            gone.update(range(docstring.lineno, docstring.end_lineno + 1))
            found.append((sentence, function.name, function.lineno, function.end_lineno))
    kept = [number for number in range(1, len(lines) + 1) if number not in gone]
    now = {number: at for at, number in enumerate(kept, 1)}
    last = lambda end: next(number for number in range(end, 0, -1) if number in now)
    answers = [(sentence, name, now[first], now[last(end)]) for sentence, name, first, end in found]
    return "\n".join(lines[number - 1] for number in kept), answers


def prepare(folder, place):
    questions = []
    for source in sorted(pathlib.Path(folder).rglob("*.py")):
        path = source.relative_to(folder)
        if "test" in str(path):
            continue
        try:
            text, answers = take_out(source.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, encoding="utf-8")
        questions += [(str(path), *answer) for answer in answers]
    git = ["git", "-C", str(place), "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "without documentation"]):
        subprocess.run(git + command, check=True)
    return questions


def main():
    oldhand, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as place:
        questions = prepare(folder, pathlib.Path(place))
        random.Random(1).shuffle(questions)
        environment = dict(os.environ, OLDHAND_HOME=home)
        ask = lambda *arguments: subprocess.run(
            [oldhand, *arguments], cwd=place, env=environment, capture_output=True, text=True
        ).stdout
        ask("init", "--yes", "--no-agents")
        ranks = []
        for path, sentence, name, first, last in questions[:most]:
            pieces = json.loads(ask("search", "--code", "--json", "--limit", "10", "--", sentence) or '{"results": []}')["results"]
            holds = lambda piece: piece["path"] == path and (
                piece["first_line"] <= first and piece["last_line"] >= last
                or piece["name"].split(".")[-1] == name and piece["first_line"] <= last and piece["last_line"] >= first
            )
            ranks.append(next((at for at, piece in enumerate(pieces, 1) if holds(piece)), None))
    found = [rank for rank in ranks if rank]
    print(f"{len(questions)} functions, {len(ranks)} asked for")
    print(f"MRR@10 {sum(1 / rank for rank in found) / len(ranks):.3f}, recall@10 {len(found) / len(ranks):.3f}")


if __name__ == "__main__":
    main()
