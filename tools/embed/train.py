"""Trains one vector per vocabulary piece so that texts which mean the same come out near each other.

    python train.py --start static_d384.npz --tokenizer tokenizer.json --pairs pairs.jsonl.xz --hold-out click,rich \
        --out trained.npz

Contrastive: in a batch, each left text must find its own right text among all others, and the other way round; every other round a
batch is made of handfuls of pairs from the same package, which are harder to tell apart. What a function is for must also find its
bare name, and its code without the name. The first 256 numbers are trained to serve alone. The table starts from `--start` (an
earlier table, or pieces run once through a teacher) and is held near it in two ways, so that words the pairs never show keep their
meaning: `--keep` holds how texts of prose see each other while it trains, and only a `--share` of the way from the start is gone in
the end. With `--teacher`, texts are also drawn to see each other as the teacher sees them. Needs PyTorch; a GPU makes it a minute. `--hold-out` names packages that are only measured.
"""

import argparse
import json
import lzma
import multiprocessing
import os
import random
import re

import numpy as np
import torch
from torch.nn.functional import cross_entropy, embedding_bag, kl_div, normalize

from teacher import Teacher
from tokenizer import load_vocabulary, tokenize

POWER = 0.5
SHORT = 256
HANDFUL = 64
# Pieces that the teacher reads of what is said and of what it is said of, and pairs of a batch that it compares.
READ = (64, 160)
COMPARED = 2048
SEEN = 20
ASKED = 0.12
ASKING = (
    "how to", "how do i", "where do we", "what does", "where is", "why does", "which function", "find", "code that", "function to",
    "what did we decide about",
)
VOCABULARY = None
# Sums on a GPU in a fixed order: the same pairs and the same seed give the same numbers.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


def set_vocabulary(path):
    global VOCABULARY
    VOCABULARY = load_vocabulary(path)


def count_pieces(text):
    return np.unique(np.array(tokenize(text, VOCABULARY), dtype=np.int32), return_counts=True)


class Bags:
    """Texts as pieces with their weights, ready to be summed on the device."""

    def __init__(self, texts, tokenizer, device):
        with multiprocessing.Pool(initializer=set_vocabulary, initargs=(tokenizer,)) as pool:
            counted = pool.map(count_pieces, texts, chunksize=500)
        lengths = np.array([len(pieces) for pieces, _ in counted])
        self.pieces = torch.tensor(np.concatenate([pieces for pieces, _ in counted]), device=device).long()
        counts = np.concatenate([counts for _, counts in counted]).astype(np.float32)
        self.weights = torch.tensor(counts**POWER, device=device)
        self.lengths = torch.tensor(lengths, device=device)
        self.starts = torch.cumsum(self.lengths, 0) - self.lengths

    def embed(self, table, chosen):
        lengths = self.lengths[chosen]
        offsets = torch.cumsum(lengths, 0) - lengths
        inside = torch.arange(int(lengths.sum()), device=chosen.device) - torch.repeat_interleave(offsets, lengths)
        at = inside + torch.repeat_interleave(self.starts[chosen], lengths)
        return embedding_bag(self.pieces[at], table, offsets, mode="sum", per_sample_weights=self.weights[at])

    def embed_all(self, table):
        everything = torch.arange(len(self.lengths), device=self.pieces.device)
        return torch.cat([normalize(self.embed(table, part), dim=-1) for part in everything.split(8192)])


class Pairs:
    """All pairs as bags: what is said, what it is said of, that without its name, and the name alone."""

    def __init__(self, pairs, tokenizer, device):
        rng = random.Random(5)
        self.left = Bags([asked(without(pair["left"], pair["name"]), rng) for pair in pairs], tokenizer, device)
        self.right = Bags([pair["right"] for pair in pairs], tokenizer, device)
        self.nameless = Bags([without(pair["right"], pair["name"]) for pair in pairs], tokenizer, device)
        self.name = Bags([pair["name"] for pair in pairs], tokenizer, device)
        self.is_code = torch.tensor([pair["kind"] == "code" for pair in pairs], device=device)
        self.is_prose = torch.tensor([pair["kind"] in ("prose", "heading", "commit") for pair in pairs], device=device)
        packages = {}
        for at, pair in enumerate(pairs):
            packages.setdefault(pair["package"], []).append(at)
        self.texts = [pair["left"] for pair in pairs], [pair["right"] for pair in pairs]
        self.packages = [torch.tensor(members) for members in packages.values()]

    def __len__(self):
        return len(self.is_code)

    def orders(self, generator):
        """Orders to go through the pairs in, without end: at random, then by handfuls of one package."""
        while True:
            yield torch.randperm(len(self), generator=generator)
            handfuls = []
            for members in self.packages:
                handfuls.extend(members[torch.randperm(len(members), generator=generator)].split(HANDFUL))
            yield torch.cat([handfuls[at] for at in torch.randperm(len(handfuls), generator=generator)])


def without(text, name):
    """`text` without a name of its own: to find `parse_uri` by “parse_uri parses a URI” teaches nothing."""
    bare = name.split(".")[-1]
    return re.sub(rf"\b{re.escape(bare)}\b", " ", text) if len(bare) > 3 else text


def asked(text, rng):
    """Some texts as a person would ask for them."""
    return f"{rng.choice(ASKING)} {text[:1].lower()}{text[1:]}" if rng.random() < ASKED else text


def contrast(left, right, options):
    """How badly each finds its own, both ways, by all numbers and by the first few."""
    truth = torch.arange(len(left), device=left.device)
    loss = 0
    for share, length in ((0.7, left.shape[1]), (0.3, SHORT)):
        likeness = options.sharpness * normalize(left[:, :length], dim=-1) @ normalize(right[:, :length], dim=-1).T
        loss = loss + share * (cross_entropy(likeness, truth) + cross_entropy(likeness.T, truth)) / 2
    return loss


def batches(pairs, options):
    generator = torch.Generator().manual_seed(options.seed)
    for order in pairs.orders(generator):
        yield from (chosen for chosen in order.split(options.batch) if len(chosen) == options.batch)


def train(table, pairs, taught, options, device):
    start = table.clone()
    table = torch.nn.Parameter(table.clone())
    optimizer = torch.optim.Adam([table], lr=options.rate, betas=(0.9, 0.98))
    steps = int(options.epochs * (len(pairs) // options.batch))
    rng = random.Random(options.seed)
    for step, chosen in zip(range(steps), batches(pairs, options)):
        chosen = chosen.to(device)
        left = pairs.left.embed(table, chosen)
        right = pairs.nameless if rng.random() < options.nameless else pairs.right
        right = right.embed(table, chosen)
        loss = contrast(left, right, options)
        if taught:
            few = chosen[:COMPARED]
            loss = loss + options.teach * apart((left[:COMPARED], right[:COMPARED]), [vectors[few].float() for vectors in taught])
        if options.name:
            code = pairs.is_code[chosen] & (pairs.name.lengths[chosen] > 0)
            loss = loss + options.name * contrast(left[code], pairs.name.embed(table, chosen[code]), options)
        if options.keep:
            prose = chosen[pairs.is_prose[chosen]][:1024]
            loss = loss + options.keep * (drift(pairs.left, table, start, prose) + drift(pairs.right, table, start, prose)) / 2
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / 50) * (1 - step / steps)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return start + options.share * (table.detach() - start)


def drift(bags, table, start, chosen):
    """How differently the texts see each other now from how they did at the start."""
    now, then = (normalize(bags.embed(one, chosen), dim=-1) for one in (table, start))
    return unlike(now, now, then, then)


def apart(seen, taught):
    """How differently both sides of pairs see each other and themselves from how the teacher sees them."""
    left, right = (normalize(side, dim=-1) for side in seen)
    taught_left, taught_right = taught
    sides = (left, right, taught_left, taught_right), (left, left, taught_left, taught_left), (right, right, taught_right, taught_right)
    return sum(unlike(*one, itself=one[0] is one[1]) for one in sides) / 3


def unlike(first, second, taught_first, taught_second, itself=True):
    now, then = SEEN * first @ second.T, SEEN * taught_first @ taught_second.T
    if itself:
        own = torch.eye(len(first), device=first.device, dtype=torch.bool)
        now, then = now.masked_fill(own, -1e4), then.masked_fill(own, -1e4)
    return kl_div(now.log_softmax(1), then.softmax(1), reduction="batchmean")


def reciprocal_rank(left, right):
    """How early each left finds its own right among all rights: mean reciprocal rank, at most tenth place."""
    likeness = left @ right.T
    own = likeness.diagonal()[:, None]
    ranks = (likeness > own).sum(1) + 1
    return float(torch.where(ranks <= 10, 1 / ranks.float(), torch.zeros_like(own[:, 0])).mean())


def load_table(path, device):
    weights = np.load(path)
    return torch.tensor(weights["q"].astype(np.float32) * weights["s"].astype(np.float32)[:, None], device=device)


def load_pairs(paths):
    pairs = []
    for path in paths:
        with lzma.open(path, "rt", encoding="utf-8") as file:
            pairs.extend(json.loads(line) for line in file)
    return pairs


def quantise(table):
    scales = (np.abs(table).max(1) / 127).astype(np.float16)
    steps = np.where(scales > 0, scales.astype(np.float32), 1)
    rows = np.clip(np.round(table / steps[:, None]), -127, 127).astype(np.int8)
    rows[scales == 0] = 0
    return rows, scales


def options_of(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--start", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--pairs", required=True, nargs="+")
    parser.add_argument("--hold-out", default="")
    parser.add_argument("--teacher", help="the teacher's folder; without it only pairs teach")
    parser.add_argument("--teach", type=float, default=1)
    parser.add_argument("--out", required=True)
    parser.add_argument("--epochs", type=float, default=6)
    parser.add_argument("--batch", type=int, default=8192)
    parser.add_argument("--rate", type=float, default=0.003)
    parser.add_argument("--sharpness", type=float, default=20)
    parser.add_argument("--share", type=float, default=0.55)
    parser.add_argument("--keep", type=float, default=1)
    parser.add_argument("--name", type=float, default=0.3)
    parser.add_argument("--nameless", type=float, default=0.25)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def main():
    options = options_of()
    torch.use_deterministic_algorithms(True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    everything = load_pairs(options.pairs)
    held = set(options.hold_out.split(","))
    # What is said alike in a package that is held out must not be learnt from another one.
    known = {text for pair in everything if pair["package"] in held for text in (pair["left"], pair["right"])}
    learnt = [pair for pair in everything if pair["package"] not in held and not known & {pair["left"], pair["right"]}]
    shown = Pairs(learnt, options.tokenizer, device)
    kept = [pair for pair in everything if pair["package"] in held and pair["kind"] == "code"][:4000]
    table = load_table(options.start, device)
    if kept:
        kept = Pairs(kept, options.tokenizer, device)
    measure = lambda table: reciprocal_rank(kept.left.embed_all(table), kept.right.embed_all(table)) if kept else float("nan")
    print(f"{len(shown)} pairs to learn from, {len(kept)} held out; before: {measure(table):.4f}", flush=True)
    taught = None
    if options.teacher:
        teacher = Teacher(options.teacher, device, torch.float16 if device == "cuda" else torch.float32)
        taught = [teacher.vectors(texts, options.tokenizer, most) for texts, most in zip(shown.texts, READ)]
    trained = train(table, shown, taught, options, device)
    print(f"after: {measure(trained):.4f}")
    rows, scales = quantise(trained.cpu().numpy())
    np.savez(options.out, q=rows, s=scales)


if __name__ == "__main__":
    main()
