"""Writes the sample vectors that `oldhand-embed`'s tests compare themselves with.

    python reference.py --weights static_d384.npz --tokenizer tokenizer.json \
        --out ../../crates/oldhand-embed/tests/reference.tsv

One line a text: the text with `\\n` and `\\t` escaped, a tab, the number of pieces, a tab, the whole vector.
"""

import argparse
from collections import Counter

import numpy as np

from tokenizer import load_vocabulary, tokenize

SAMPLE = [
    "parse the config file",
    "parseConfigFile",
    "HTTPServerError2xx",
    "snake_case_name and kebab-case-name",
    "fn read_to_string(path: &Path) -> io::Result<String> {\n\tlet mut text = String::new();\n}",
    "The migration failed because the column was renamed; run `make db` first.",
    "café naïve Ångström Straße łódź",
    "日本語 текст 🙂 emoji",
    "sha256 utf8 x86_64 v1.2.3 0xDEADBEEF",
    "a",
    "the the the the cat",
    "İstanbul ΑΒΓ ÷ ×",
    "supercalifragilisticexpialidocious " * 12,
    "what did we decide about retries in the payment client? " * 40,
    "q" * 101 + " short",
    "src/agent/claude_code.rs:120: error[E0382]: borrow of moved value: `event`",
]


def embed(text, vocabulary, rows, scales):
    found = tokenize(text, vocabulary)
    total = np.zeros(rows.shape[1])
    for piece, count in Counter(found).items():
        total += count**0.5 * float(scales[piece]) * rows[piece].astype(np.float64)
    length = np.linalg.norm(total)
    return len(found), total / length if length else total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    vocabulary = load_vocabulary(arguments.tokenizer)
    weights = np.load(arguments.weights)
    with open(arguments.out, "w", encoding="utf-8") as file:
        for text in SAMPLE:
            count, vector = embed(text, vocabulary, weights["q"], weights["s"])
            escaped = text.replace("\n", "\\n").replace("\t", "\\t")
            numbers = " ".join(f"{value:.7f}" for value in vector)
            file.write(f"{escaped}\t{count}\t{numbers}\n")


if __name__ == "__main__":
    main()
