"""Fits the weights of `search --code` on the pieces that `code_search_bench --pieces FILE` wrote.

    python code_weights.py FILE

Goes through the weights one after the other, twice, and keeps what gives most on the questions that are not held out: how much the nearness of text,
name, place and signatures counts, how much all of them count beside the words, what a name gains that begins as the question does, and what
is aside, or does nothing where a question asks what is done, loses. Prints the best with what they give on both halves, and left-one-repository-out. Needs NumPy.
"""

import sys

import numpy as np

OUTSTANDING = 3.0
START = {"text": 1.0, "name": 0.3, "place": 1.0, "signatures": 1.0, "usual": 0.0, "meaning": 3.0, "begins": 1.0, "aside": 3.0, "shape": 0.0}
TRIED = {
    "name": (0.0, 0.3, 0.6, 1.0),
    "place": (0.7, 1.0, 1.4, 2.0, 2.6),
    "signatures": (0.0, 0.6, 1.2, 1.7, 2.2),
    "usual": (-1.5, -1.0, -0.5, 0.0),
    "meaning": (1.5, 2.0, 2.5, 3.0, 4.0),
    "begins": (0.0, 0.5, 1.0, 1.5, 2.0),
    "aside": (2.0, 3.0, 4.0, 5.0),
    "shape": (0.0, 1.0, 1.5, 2.0, 2.5, 3.0),
}


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
    right, words, text, name, place, signatures, usual, begins, aside, shape = rows.T
    near = weights["text"] * text + weights["name"] * np.maximum(name, 0) + weights["place"] * place + weights["signatures"] * signatures
    near = near + weights["usual"] * usual
    score = standardised(words) + weights["meaning"] * standardised(near) + weights["begins"] * begins - weights["aside"] * aside - weights["shape"] * shape
    hits = np.flatnonzero(right[np.argsort(-score, kind="stable")[:10]])
    return 1 / (hits[0] + 1) if len(hits) else 0.0


def mean(of, weights):
    return float(np.mean([reciprocal_rank(rows, weights) for rows in of]))


def fit(of):
    weights, best = dict(START), mean(of, START)
    for name, values in [*TRIED.items(), *TRIED.items()]:
        for value in values:
            found = mean(of, tried := {**weights, name: value})
            if found > best:
                weights, best = tried, found
    return weights, best


def main():
    questions = read(sys.argv[1])
    tuned = {key: rows for key, rows in questions.items() if key[1] != "held-out"}
    kept = [rows for key, rows in questions.items() if key[1] == "held-out"]
    weights, best = fit(list(tuned.values()))
    print("MRR@10 of the questions whose words find anything")
    print(f"best: {weights}: {best:.4f}")
    if kept:
        print(f"held out: {mean(kept, weights):.4f}")
    repositories = sorted({key[0].rsplit("-", 1)[0] for key in tuned})
    found = []
    for repository in repositories:
        is_own = lambda key: key[0].rsplit("-", 1)[0] == repository
        others, _ = fit([rows for key, rows in tuned.items() if not is_own(key)])
        own = [reciprocal_rank(rows, others) for key, rows in tuned.items() if is_own(key)]
        print(f"{repository}: {np.mean(own):.4f} by the weights of the others")
        found.extend(own)
    print(f"left-one-repository-out: {np.mean(found):.4f}")


if __name__ == "__main__":
    main()
