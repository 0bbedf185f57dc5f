"""Fits the weights of `search --code` on the pieces that `code_search_bench --pieces FILE` wrote.

    python code_weights.py FILE

Tries how much the nearness of a name and of a place counts beside that of the text, and how much all three count beside the words, on the
questions that are not held out, and prints the best with what they give on both halves. Needs NumPy.
"""

import sys
from itertools import product

import numpy as np

OUTSTANDING = 3.0
ASIDE = 2.0


def read(path):
    questions = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            question, mark, *numbers = line.rstrip("\n").split("\t")
            questions.setdefault((question, mark), []).append([float(number) for number in numbers])
    return {key: np.array(rows) for key, rows in questions.items()}


def standardised(scores):
    """As the lanes are joined: deviations from the mean, beyond three less and less."""
    spread = scores.std()
    if spread < 1e-12:
        return np.zeros_like(scores)
    far = (scores - scores.mean()) / spread
    return np.where(far <= OUTSTANDING, far, OUTSTANDING + np.log1p(np.maximum(far - OUTSTANDING, 0)))


def reciprocal_rank(rows, weights):
    right, words, text, name, place, aside = rows.T
    of_name, of_place, of_meaning = weights
    near = text + of_name * np.maximum(name, 0) + of_place * place
    order = np.argsort(ASIDE * aside - standardised(words) - of_meaning * standardised(near), kind="stable")[:10]
    hits = np.flatnonzero(right[order])
    return 1 / (hits[0] + 1) if len(hits) else 0.0


def main():
    questions = read(sys.argv[1])
    tuned = [rows for (_, mark), rows in questions.items() if mark != "held-out"]
    kept = [rows for (_, mark), rows in questions.items() if mark == "held-out"]
    mean = lambda of, weights: np.mean([reciprocal_rank(rows, weights) for rows in of])
    print("MRR@10 of the questions whose words find anything; name, place, meaning")
    tried = [(mean(tuned, weights), weights) for weights in product((0, 0.4, 0.6, 0.8), (0, 0.4, 0.7, 1), (1.2, 2, 3, 4))]
    for found, weights in sorted(tried):
        print(f"{found:.4f}", *weights)
    found, weights = max(tried)
    print(f"best: {weights}: {found:.4f}; held out {mean(kept, weights):.4f}")


if __name__ == "__main__":
    main()
