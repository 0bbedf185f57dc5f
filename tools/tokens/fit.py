"""Fits what `oldhand_domain::tokens` takes a piece of text to cost.

    python tools/tokens/fit.py cut TEXTS.jsonl > PIECES.jsonl          (needs numpy and regex)
    node tools/tokens/count.mjs PIECES.jsonl > COUNTED.jsonl
    python tools/tokens/fit.py fit COUNTED.jsonl

TEXTS.jsonl holds {"text"}, one a line, of a few hundred characters each: source code, documentation, issues and dialogue in English, prose in
other languages, none of it from this repository. Pieces are what a tokenizer looks up as one. Those of English letters are fitted to the
mean of o200k and cl100k, others to o200k alone, as the two are far apart there. Fitting whole texts instead gave better numbers on texts
of the same kinds and worse ones on this repository.
"""

import collections
import json
import string
import sys

import numpy
import regex

CUT = regex.compile(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SCRIPTS = [
    (0x250, "latin"), (0x370, "other"), (0x400, "greek"), (0x530, "cyrillic"), (0x590, "other"), (0x900, "semitic"), (0x1100, "indic"),
    (0x1200, "hangul"), (0x3040, "other"), (0x3100, "kana"), (0x3400, "other"), (0xA000, "han"), (0xAC00, "other"), (0xD7B0, "hangul"),
]


def script(letter):
    return next((name for end, name in SCRIPTS if ord(letter) < end), "other")


def features(piece):
    if not regex.search(r"\p{L}", piece):
        if regex.fullmatch(r"\s+|\p{N}+", piece):
            return {"number or space": 1}
        marks = piece.strip()
        foreign = sum(ord(mark) > 127 for mark in marks)
        if foreign:
            return {"symbol": foreign, "marks among symbols": foreign < len(marks)}
        return {f"marks {min(len(marks), 4)}": 1, "more marks": max(0, len(marks) - 4)}
    lead = "alone" if regex.match(r"\p{L}", piece) else "after space" if piece[0] == " " else "after mark"
    word = piece if lead == "alone" else piece[1:]
    unusual = {} if lead != "after mark" or piece[0] in "._(" else {"after /" if piece[0] == "/" else "after unusual": 1}
    if all(ord(letter) < 128 for letter in word):
        if len(word) > 1 and word.isupper():
            return {f"capitals {lead}": 1, "more capitals": max(0, len(word) - 3), **unusual}
        found = collections.Counter({f"word {lead} {min(len(word), 12):02}": 1, "more letters": max(0, len(word) - 12), **unusual})
        if len(word) > 3:
            found.update("pair " + a + b for a, b in zip("^" + word.lower(), word.lower() + "$"))
        return found
    kinds = collections.Counter(map(script, word))
    start = "foreign latin word" if set(kinds) == {"latin"} else "foreign word"
    return {start: 1, **{f"{start if name == 'latin' else name} letter": number for name, number in kinds.items()}}


def lines(path):
    return [json.loads(line) for line in open(path, encoding="utf8")]


def cut(path):
    times = collections.Counter(piece for line in lines(path) for piece in CUT.findall(line["text"]))
    for piece, count in times.items():
        print(json.dumps({"text": piece, "times": count}))


def target(piece):
    return (piece["o200k"] + piece["cl100k"]) / 2 if piece["text"].isascii() else piece["o200k"]


def fit(path):
    pieces = [(piece, features(piece["text"])) for piece in lines(path)]
    names = sorted({name for _, found in pieces for name in found})
    column = {name: at for at, name in enumerate(names)}
    # A pair of letters moves little.
    products = numpy.diag([300.0 if name.startswith("pair") else 0.001 for name in names])
    sums = numpy.zeros(len(names))
    for piece, found in pieces:
        places, amounts = [column[name] for name in found], numpy.array([float(amount) for amount in found.values()])
        products[numpy.ix_(places, places)] += piece["times"] * numpy.outer(amounts, amounts)
        sums[places] += piece["times"] * amounts * target(piece)
    weights = numpy.linalg.solve(products, sums)
    for name, weight in zip(names, weights):
        if not name.startswith("pair"):
            print(f"{1000 * weight:7.0f}  {name}")
    print("pairs, hundredths:")
    for first in "^" + string.ascii_lowercase:
        pairs = ["pair " + first + second for second in string.ascii_lowercase + "$"]
        print([round(100 * weights[column[name]]) if name in column else 40 for name in pairs])


{"cut": cut, "fit": fit}[sys.argv[1]](sys.argv[2])
