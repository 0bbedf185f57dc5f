"""Makes the questions with known answers that `measure.py` asks, from pairs of packages that training did not see.

    python sets.py --pairs pairs.jsonl.xz --packages click,rich --out sets.json.xz

A set for each kind of pair: what is said asks, its own name taken out, and among all that it could be said of the right one is found.
"""

import argparse
import json
import lzma
import random
import re

MOST = 3000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", required=True)
    parser.add_argument("--packages", required=True, help="those that were held out, with commas between")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    held_out = set(options.packages.split(","))
    kinds = {}
    with lzma.open(options.pairs, "rt", encoding="utf-8") as file:
        for pair in map(json.loads, file):
            if pair["package"] in held_out:
                kinds.setdefault(pair["kind"], []).append(pair)
    sets = {}
    for kind, pairs in sorted(kinds.items()):
        random.Random(3).shuffle(pairs)
        pairs = pairs[:MOST]
        bare = [re.escape(pair["name"].split(".")[-1]) for pair in pairs]
        asked = [re.sub(rf"\b{name}\b", " ", pair["left"]) if name else pair["left"] for name, pair in zip(bare, pairs)]
        right = [[place] for place in range(len(pairs))]
        sets[kind] = {"docs": [pair["right"] for pair in pairs], "queries": asked, "rel": right}
    with lzma.open(options.out, "wt", encoding="utf-8") as file:
        json.dump(sets, file)
    print(options.out, {kind: len(one["docs"]) for kind, one in sets.items()})


if __name__ == "__main__":
    main()
