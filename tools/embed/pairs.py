"""Finds pairs of texts that mean the same in folders of unpacked packages: the training data of the static model.

    python pairs.py --out pairs.jsonl.xz FOLDER…

Each folder is one package, by name, as its registry's ordinary client unpacked it (`pip download`, `cargo vendor`, `npm pack`).
Kinds of pairs: the first sentence of a docstring and the code below it, that sentence and the rest of the docstring, a comment
and the lines it stands above. A pair keeps its package's name, so that packages can be held out.
"""

import argparse
import ast
import json
import lzma
import os
import random
import re

LONGEST_CODE = 600
LONGEST_PROSE = 400
FEWEST_WORDS = 4
MOST_A_PACKAGE = 12000
SENTENCE = re.compile(r"(?<=[.!?])\s|\n\s*\n")
FUNCTION = {
    ".rs": re.compile(r"\s*(pub(\([a-z]+\))? )?(const |async |unsafe )*(fn|struct|enum|trait) "),
    ".js": re.compile(r"\s*(export )?(default )?(async )?(function|class|const|static|get|set)?\s*[\w$]+.*[({=]"),
}
FUNCTION[".ts"] = FUNCTION[".js"]


def python_pairs(source):
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = source.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        text = ast.get_docstring(node)
        if not text:
            continue
        said = node.body[0]
        code = "\n".join(lines[node.lineno - 1 : said.lineno - 1] + lines[said.end_lineno : node.end_lineno])
        yield from described(text, code)
    yield from comments(lines, "#")


def braced_pairs(source, ending):
    lines = source.split("\n")
    at = 0
    while at < len(lines):
        text, after = block_comment(lines, at, ending)
        if text is None:
            at += 1
            continue
        while after < len(lines) and lines[after].strip().startswith(("#[", "@")):
            after += 1
        if after < len(lines) and FUNCTION[ending].match(lines[after]):
            yield from described(text, "\n".join(lines[after : after + 25]))
        at = max(after, at + 1)
    yield from comments(lines, "//")


def block_comment(lines, at, ending):
    first = lines[at].strip()
    if ending == ".rs":
        if not first.startswith("/// "):
            return None, at
        after = at
        while after < len(lines) and lines[after].strip().startswith("///"):
            after += 1
        return "\n".join(line.strip()[3:].strip() for line in lines[at:after]), after
    if not first.startswith("/**"):
        return None, at
    after = at
    while after < len(lines) and "*/" not in lines[after]:
        after += 1
    body = [line.strip().strip("/*").strip() for line in lines[at : after + 1]]
    return "\n".join(line for line in body if line and not line.startswith("@")), after + 1


def described(text, code):
    parts = SENTENCE.split(text.strip(), 1)
    title = " ".join(parts[0].split())[:200]
    if len(title.split()) < FEWEST_WORDS:
        return
    if len(code.strip()) > 40:
        yield "code", title, code.strip()[:LONGEST_CODE]
    rest = " ".join(parts[1].split()) if len(parts) > 1 else ""
    if len(rest.split()) > 8:
        yield "prose", title, rest[:LONGEST_PROSE]


def comments(lines, mark):
    for at in range(len(lines) - 3):
        text = lines[at].strip()
        if not text.startswith(mark + " ") or lines[at - 1].strip().startswith(mark):
            continue
        words = text[len(mark) :].strip()
        below = "\n".join(lines[at + 1 : at + 7]).strip()
        is_prose = len(words.split()) >= 5 and words[:1].isalpha() and not words.endswith((";", "{", ")", ","))
        if is_prose and len(below) > 40 and not below.startswith(mark):
            yield "comment", words[:200], below[:LONGEST_CODE]


def package_pairs(folder):
    seen = set()
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            ending = os.path.splitext(name)[1]
            if "test" in place.lower() or ending not in (".py", ".rs", ".js", ".ts"):
                continue
            try:
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    source = file.read(400_000)
            except (OSError, UnicodeDecodeError):
                continue
            found = python_pairs(source) if ending == ".py" else braced_pairs(source, ending)
            for kind, left, right in found:
                if (kind, left) not in seen:
                    seen.add((kind, left))
                    yield kind, left, right


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("folders", nargs="+")
    arguments = parser.parse_args()
    rng = random.Random(1)
    count = 0
    with lzma.open(arguments.out, "wt", encoding="utf-8", preset=1) as file:
        for folder in arguments.folders:
            pairs = list(package_pairs(folder))
            rng.shuffle(pairs)
            for kind, left, right in pairs[:MOST_A_PACKAGE]:
                record = {"package": os.path.basename(folder.rstrip("/")), "kind": kind, "left": left, "right": right}
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                count += 1
    print(f"{arguments.out}: {count} pairs of {len(arguments.folders)} packages")


if __name__ == "__main__":
    main()
