"""Measures tables of piece vectors, beside BM25, on questions with known answers.

    python measure.py --tokenizer tokenizer.json --sets sets.json.xz static_d384.npz trained.npz

`--sets` holds `{name: {"docs": [text…], "queries": [text…], "rel": [[place of each right text]…]}}`; where a set has `dconv` and `qconv`, a
query is only asked among the texts of its own conversation. Prints mean reciprocal rank and recall, both at 10: BM25 alone, each table
alone, and each with BM25 (standardised scores, the table's times `--weight`), then how much each table gains over the first with a
bootstrap interval of 95 %. A table is what `train.py` writes, or a packed model (`.bin`).
"""

import argparse
import json
import lzma
import math
import re
from collections import Counter

import numpy as np

from pack import read_packed
from tokenizer import load_vocabulary, tokenize

PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ed", "es", "s")


def stem(word):
    return next((word[: -len(end)] for end in ENDINGS if word.endswith(end) and len(word) - len(end) >= 3), word)


def split(text):
    words = []
    for whole in re.findall(r"\w+", text):
        parts = [part.lower() for piece in whole.split("_") for part in PART.findall(piece)]
        words.extend(stem(part) for part in parts)
        if len(parts) > 1:
            words.append("".join(parts))
    return words


def bm25(texts, questions, k=1.2, b=0.75):
    counted = [Counter(split(text)) for text in texts]
    lengths = np.array([sum(counts.values()) for counts in counted], dtype=np.float32)
    usual = 1 - b + b * lengths / lengths.mean()
    holders = {}
    for at, counts in enumerate(counted):
        for word, times in counts.items():
            holders.setdefault(word, []).append((at, times))
    scores = np.zeros((len(questions), len(texts)), np.float32)
    for row, question in zip(scores, questions):
        for word in set(split(question)):
            held = holders.get(word)
            if held:
                places, times = (np.array(column) for column in zip(*held))
                rarity = math.log(1 + (len(texts) - len(held) + 0.5) / (len(held) + 0.5))
                row[places] += rarity * times * (k + 1) / (times + k * usual[places])
    return scores


def embed(table, texts, vocabulary):
    vectors = np.zeros((len(texts), table.shape[1]), np.float32)
    for vector, text in zip(vectors, texts):
        pieces, counts = np.unique(np.array(tokenize(text, vocabulary), dtype=np.int64), return_counts=True)
        vector += np.sqrt(counts, dtype=np.float32) @ table[pieces]
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def standardised(scores, apart):
    kept = np.ma.masked_array(scores, apart)
    return np.asarray((scores - kept.mean(1)[:, None]) / (kept.std(1)[:, None] + 1e-9))


def weigh(scores, apart, right):
    """Reciprocal rank and recall at 10 of each question."""
    best = np.argsort(-np.where(apart, -np.inf, scores), axis=1, kind="stable")[:, :10]
    ranks, recalls = [], []
    for row, places in zip(best, right):
        hits = [at for at, place in enumerate(row, 1) if place in places]
        ranks.append(1 / hits[0] if hits else 0)
        recalls.append(len(hits) / len(set(places)))
    return np.array(ranks), np.array(recalls)


def interval(differences, rng):
    drawn = rng.choice(differences, (2000, len(differences))).mean(1)
    return np.percentile(drawn, 2.5), np.percentile(drawn, 97.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--sets", required=True)
    parser.add_argument("--weight", type=float, default=1)
    parser.add_argument("tables", nargs="+")
    arguments = parser.parse_args()
    vocabulary = load_vocabulary(arguments.tokenizer)
    with lzma.open(arguments.sets, "rt", encoding="utf-8") as file:
        sets = json.load(file)
    for name, asked in sets.items():
        apart = np.zeros((len(asked["queries"]), len(asked["docs"])), bool)
        if "dconv" in asked:
            apart = np.array(asked["qconv"])[:, None] != np.array(asked["dconv"])[None]
        words = bm25(asked["docs"], asked["queries"])
        told = lambda found: f"{found[0].mean():.3f} / {found[1].mean():.3f}"
        print(f"{name}: {len(asked['queries'])} among {len(asked['docs'])}\n  BM25 {told(weigh(words, apart, asked['rel']))}")
        first = None
        for path in arguments.tables:
            weights = read_packed(path, vocabulary) if path.endswith(".bin") else np.load(path)
            table = weights["q"].astype(np.float32) * weights["s"].astype(np.float32)[:, None]
            near = embed(table, asked["queries"], vocabulary) @ embed(table, asked["docs"], vocabulary).T
            alone = weigh(near, apart, asked["rel"])
            fused = weigh(standardised(words, apart) + arguments.weight * standardised(near, apart), apart, asked["rel"])
            first = first or (alone, fused)
            rng = np.random.default_rng(1)
            gains = [(now[0] - then[0]) for now, then in zip((alone, fused), first)]
            said = [f"{gain.mean():+.3f} [{low:+.3f}, {high:+.3f}]" for gain in gains for low, high in [interval(gain, rng)]]
            print(f"  {path} alone {told(alone)} ({said[0]}), with BM25 {told(fused)} ({said[1]})", flush=True)


if __name__ == "__main__":
    main()
