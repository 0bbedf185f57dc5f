"""Finds pairs of texts that mean the same in packages and repositories: the training data of the static model.

    python pairs.py --out pairs.jsonl.xz PLACE…

A place is a folder as a registry's ordinary client unpacked it (`pip download`, `cargo vendor`, `npm pack`), or a git repository, bare or
not, whose newest commit is read. Kinds of pairs: the first sentence of a function's documentation and the code below it, that sentence
and the rest of the documentation, a comment and the lines it stands above, a heading and its paragraph, the first line of a commit
message and the rest. A pair keeps its package's name, so that packages can be held out.
"""

import argparse
import ast
import io
import json
import lzma
import multiprocessing
import os
import random
import re
import subprocess
import warnings

LONGEST_CODE = 900
LONGEST_PROSE = 400
LONGEST_FILE = 400_000
FEWEST_WORDS = 4
MOST = {"code": 9000, "prose": 1500, "comment": 2500, "heading": 1200, "commit": 2500}
SENTENCE = re.compile(r"(?<=[.!?])\s|\n\s*\n")
PASSED_OVER = re.compile(r"(^|[/_.])(tests?|testing|testdata|fixtures?|vendor|vendored|third_party|node_modules|dist|generated|examples?)([/_.]|$)|\.min\.|_pb2?\.|\.pb\.go|zz_")
BORING = re.compile(r"(?i)copyright|licen[sc]e|todo|fixme|noqa|eslint|pylint|deprecated|https?://|auto-?generated|inheritdoc|^(see|same as|alias)\b")
TRAILER = re.compile(r"(?im)^(\w+-\w+-by|signed-off-by|change-id|fixes|closes|refs?|cc|bug|issue|see|release notes?|https?:|\(cherry).*$")

JAVASCRIPT = re.compile(
    r"(export\s+)?(default\s+)?(declare\s+)?((public|private|protected|static|async|readonly|override|abstract|get|set)\s+)*"
    r"(function\s*\*?\s*(?P<function>[\w$]+)|(const|let|var)\s+(?P<variable>[\w$]+)\s*[:=]|(?P<member>[\w$.]+)\s*[:=]\s*(async\s*)?function"
    r"|(?P<method>[\w$]+)\s*(<[^>]*>)?\()"
)
FUNCTION = {
    ".rs": re.compile(r"(pub(\([a-z: ]+\))?\s+)?(default\s+)?(const\s+|async\s+|unsafe\s+|extern\s+\"C\"\s+)*fn\s+(?P<name>\w+)"),
    ".go": re.compile(r"func\s+(\([^)]*\)\s*)?(?P<name>\w+)"),
    ".java": re.compile(r"((public|private|protected|static|final|abstract|synchronized|default|native)\s+)*(<[^>]+>\s*)?[\w<>\[\],.? ]+\s(?P<name>\w+)\s*\("),
    ".js": JAVASCRIPT,
    ".ts": JAVASCRIPT,
    ".tsx": JAVASCRIPT,
    ".jsx": JAVASCRIPT,
    ".mjs": JAVASCRIPT,
}
# A wheel keeps its README in METADATA.
ENDINGS = (".py", ".md", ".dist-info/METADATA", *FUNCTION)


def python_pairs(source):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = source.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        text = ast.get_docstring(node)
        if not text or len(node.body) < 2:
            continue
        said = node.body[0]
        code = lines[node.lineno - 1 : said.lineno - 1] + lines[said.end_lineno : node.end_lineno]
        yield from described(text, code, node.name)
    yield from comments(lines, "#")


def braced_pairs(source, ending):
    lines = source.split("\n")
    at = 0
    while at < len(lines):
        text, after = documentation(lines, at, ending)
        if text is None:
            at += 1
            continue
        while after < len(lines) and lines[after].strip().startswith(("#[", "@")):
            after += 1
        head = FUNCTION[ending].match(lines[after].strip()) if after < len(lines) else None
        if head:
            name = next((found for key, found in head.groupdict().items() if found), "")
            yield from described(text, body(lines, after), name)
        at = max(after, at + 1)
    yield from comments(lines, "//")


def documentation(lines, at, ending):
    """The text of the documentation that begins here, and the line after it."""
    first = lines[at].strip()
    mark = {".rs": "///", ".go": "//"}.get(ending)
    if mark:
        if not first.startswith(mark + " ") or ending == ".go" and lines[at][:1] != "/":
            return None, at
        after = at
        while after < len(lines) and lines[after].strip().startswith(mark):
            after += 1
        return "\n".join(line.strip()[len(mark) :].strip() for line in lines[at:after]), after
    if not first.startswith("/**"):
        return None, at
    after = at
    while after < len(lines) and "*/" not in lines[after]:
        after += 1
    said = "\n".join(line.strip().strip("/*").strip() for line in lines[at : after + 1]).strip()
    described_by = re.search(r"(?m)^@desc(?:ription)?\s+(.+)", said)
    said = re.split(r"(?m)^@", said)[0].strip() or (described_by.group(1) if described_by else "")
    said = re.sub(r"<[^>]+>", " ", re.sub(r"\{@\w+\s+#?([^}]*)\}", r"\1", said))
    return said, after + 1


def body(lines, first):
    """The lines of the function that begins here, as far as its braces reach."""
    depth, seen = 0, False
    for at in range(first, min(len(lines), first + 60)):
        depth += lines[at].count("{") - lines[at].count("}")
        seen = seen or "{" in lines[at]
        if seen and depth <= 0:
            return lines[first : at + 1]
        if not seen and lines[at].rstrip().endswith(";"):
            return []
    return lines[first : first + 40] if seen else []


def described(text, code, name):
    parts = SENTENCE.split(text.strip(), maxsplit=1)
    title = re.sub(r"\[([^\]]+)\](\([^)]*\))?", r"\1", " ".join(parts[0].split()).replace("`", ""))[:250]
    if not is_said(title):
        return
    code = squeeze(code)
    if code.count("\n") >= 2 and len(code) > 60:
        yield "code", title, code, name
    rest = " ".join(parts[1].split()) if len(parts) > 1 else ""
    if len(rest.split()) > 8:
        yield "prose", title, rest[:LONGEST_PROSE], ""


def squeeze(lines):
    return "\n".join(line.strip() for line in lines if line.strip())[:LONGEST_CODE]


def is_said(words):
    plain = re.findall(r"[A-Za-z]{2,}", words)
    return len(plain) >= FEWEST_WORDS and words.isascii() and not BORING.search(words)


def comments(lines, mark):
    for at in range(1, len(lines) - 3):
        text = lines[at].strip()
        if not text.startswith(mark + " ") or lines[at - 1].strip().startswith(mark) or lines[at + 1].strip().startswith(mark):
            continue
        words = text[len(mark) :].strip()
        below = squeeze(lines[at + 1 : at + 7])
        if is_said(words) and len(words.split()) >= 5 and words[:1].isalpha() and not words.endswith((";", "{", ")", ",")) and len(below) > 40:
            yield "comment", words[:200], below[:500], ""


def headings(source):
    parts = re.split(r"(?m)^#{1,4} +(.+)$", source)
    for heading, text in zip(parts[1::2], parts[2::2]):
        heading = re.sub(r"[`*#\[\]]|\(http[^)]*\)", "", heading).strip()
        text = re.sub(r"https?://\S+|<[^>]+>", "", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text))
        text = " ".join(text.split())[:LONGEST_PROSE]
        if len(re.findall(r"[A-Za-z]{2,}", heading)) >= 3 and len(text.split()) > 12 and heading.isascii():
            yield "heading", heading[:160], text, ""


def commits(repository):
    log = git(repository, "log", "-n", "20000", "--no-merges", "--format=%s%x1f%b%x1e").decode("utf-8", "ignore")
    for entry in log.split("\x1e"):
        subject, _, rest = entry.strip().partition("\x1f")
        subject = re.sub(r"\s*\(#\d+\)|^(Fixed|Refs) #\d+[ ,-]*", "", subject)
        rest = " ".join(re.sub(r"https?://\S+|<!--.*?-->", "", TRAILER.sub("", rest), flags=re.S).split())
        if is_said(subject) and 15 <= len(rest.split()) <= 300 and not subject.lower().startswith(("merge", "revert", "release")) and "bump" not in subject.lower():
            yield "commit", subject[:200], rest[:600], ""


def sources(place):
    """The files of a package worth reading, with their texts."""
    if is_repository(place):
        listed = git(place, "ls-tree", "-r", "-z", "HEAD").decode("utf-8", "ignore").split("\0")
        entries = [entry.partition("\t") for entry in listed if entry]
        wanted = [(path, about.split()[2]) for about, _, path in entries if is_wanted(path)]
        for at in range(0, len(wanted), 500):
            yield from stored(place, wanted[at : at + 500])
        return
    for folder, _, names in sorted(os.walk(place)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if is_wanted(os.path.relpath(path, place)) and os.path.isfile(path):
                with open(path, encoding="utf-8", errors="ignore") as file:
                    yield name, file.read(LONGEST_FILE)


def stored(repository, wanted):
    """The texts of stored files; a shallow copy of a repository may lack some."""
    answer = io.BytesIO(git(repository, "cat-file", "--batch", said="".join(f"{name}\n" for _, name in wanted).encode()))
    for path, _ in wanted:
        head = answer.readline().split()
        if len(head) == 3:
            text = answer.read(int(head[2]) + 1)
            if len(text) <= LONGEST_FILE:
                yield path, text.decode("utf-8", "ignore")


def git(repository, *arguments, said=None):
    return subprocess.run(["git", "-C", repository, *arguments], input=said, capture_output=True).stdout


def is_repository(place):
    return os.path.exists(os.path.join(place, ".git")) or os.path.exists(os.path.join(place, "packed-refs"))


def is_wanted(path):
    return path.endswith(ENDINGS) and not PASSED_OVER.search(path.lower()) and not path.endswith(".d.ts")


def file_pairs(path, source):
    ending = os.path.splitext(path)[1]
    if ending == ".py":
        return python_pairs(source)
    if ending in (".md", ""):
        return headings(source)
    return braced_pairs(source, ending)


def package_pairs(place):
    seen, found = set(), {kind: [] for kind in MOST}
    streams = [commits(place)] if is_repository(place) else []
    streams += [file_pairs(path, source) for path, source in sources(place)]
    for stream in streams:
        for kind, left, right, name in stream:
            if (kind, left.lower()) not in seen and (kind, right) not in seen:
                seen.update(((kind, left.lower()), (kind, right)))
                found[kind].append((kind, left, right, name))
    rng = random.Random(1)
    for kind, pairs in found.items():
        rng.shuffle(pairs)
        del pairs[MOST[kind] :]
    parts = os.path.normpath(place).split(os.sep)
    package = parts[-2] if parts[-1] == "repo" else parts[-1]
    pairs = [pair for kind in found.values() for pair in kind]
    return [{"package": package, "kind": kind, "left": left, "right": right, "name": name} for kind, left, right, name in pairs]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("places", nargs="+")
    arguments = parser.parse_args()
    counts, seen = dict.fromkeys(MOST, 0), set()
    with lzma.open(arguments.out, "wt", encoding="utf-8", preset=0) as file, multiprocessing.Pool(arguments.workers) as pool:
        for pairs in pool.imap(package_pairs, arguments.places):
            for pair in pairs:
                # Packages copy from each other; the first one keeps it.
                said = hash((pair["kind"], pair["right"]))
                if said in seen:
                    continue
                seen.add(said)
                counts[pair["kind"]] += 1
                file.write(json.dumps(pair, ensure_ascii=False) + "\n")
    print(f"{arguments.out}: {counts} of {len(arguments.places)} packages")


if __name__ == "__main__":
    main()
