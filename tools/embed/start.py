"""Makes the table that training starts from: every piece of the vocabulary, run once through the teacher.

    python start.py --teacher teacher/model --pairs pairs.jsonl.xz --tokenizer tokenizer.json --out start.npz

The teacher's `tokenizer.json` is written to `--tokenizer`: its vocabulary is that of the model. Each piece goes through the teacher between the
marks of a beginning and an end, and the mean of what comes out is its vector; vectors are turned so that their first numbers say most, and
what pairs say often counts for less. Needs PyTorch.
"""

import argparse
import itertools
import json
import lzma
from collections import Counter

import numpy as np
import torch

from teacher import BEGIN, END, Teacher, read_from
from tokenizer import load_vocabulary, tokenize

# Marks of the teacher's own, which no text has.
UNUSED = 999
TOGETHER = 1024
RARITY = 1e-3


def count_pieces(path, vocabulary, every):
    counts = Counter()
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in itertools.islice(file, 0, None, every):
            pair = json.loads(line)
            counts.update(tokenize(pair["left"], vocabulary))
            counts.update(tokenize(pair["right"], vocabulary))
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--teacher", required=True)
    parser.add_argument("--pairs", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--every", type=int, default=4, help="count the pieces of each so-many-th pair")
    parser.add_argument("--pieces", type=int, help="read only so many pieces, to try it")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    with open(options.tokenizer, "wb") as file:
        file.write(read_from(options.teacher, "tokenizer.json"))
    vocabulary = load_vocabulary(options.tokenizer)
    teacher = Teacher(options.teacher, "cuda" if torch.cuda.is_available() else "cpu")
    number = options.pieces or len(vocabulary)
    read = []
    for pieces in torch.arange(number, device=teacher.device).split(TOGETHER):
        marks = torch.ones_like(pieces)
        marked = torch.stack([BEGIN * marks, pieces, END * marks], 1)
        read.append(teacher.read(marked, marked >= 0))
    rows = torch.cat(read).cpu().numpy()
    rows = rows - rows.mean(0)
    _, _, turn = np.linalg.svd(rows.T @ rows)
    rows = rows @ turn.T
    counts = count_pieces(options.pairs, vocabulary, options.every)
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
