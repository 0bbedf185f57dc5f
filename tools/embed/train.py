"""Trains one vector per vocabulary piece so that texts which mean the same come out near each other.

    python train.py --start static_d384.npz --tokenizer tokenizer.json --pairs pairs.jsonl.xz --hold-out click,rich \
        --out trained.npz

Contrastive: in a batch, each left text must find its own right text among all others, and the other way round. The table
starts from `--start` (an earlier table, or pieces run once through a teacher) and is held near it in two ways, so that words
the pairs never show keep their meaning: `--anchor` holds the rows, `--keep` holds how the left texts see each other. Needs
PyTorch; a GPU makes it a minute. `--hold-out` names packages that are only measured.
"""

import argparse
import json
import lzma
import multiprocessing
import random

import numpy as np
import torch

from tokenizer import load_vocabulary, tokenize

POWER = 0.5
VOCABULARY = None


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
        summed = torch.nn.functional.embedding_bag(
            self.pieces[at], table, offsets, mode="sum", per_sample_weights=self.weights[at]
        )
        return torch.nn.functional.normalize(summed, dim=-1)

    def embed_all(self, table):
        everything = torch.arange(len(self.lengths), device=self.pieces.device)
        return torch.cat([self.embed(table, part) for part in everything.split(8192)])


def train(table, left, right, count, options, device):
    start = table.clone()
    table = torch.nn.Parameter(table.clone())
    optimizer = torch.optim.Adam([table], lr=options.rate, betas=(0.9, 0.98))
    generator = torch.Generator().manual_seed(options.seed)
    steps = int(options.epochs * (count // options.batch))
    truth = torch.arange(options.batch, device=device)
    step = 0
    while step < steps:
        for chosen in torch.randperm(count, generator=generator).split(options.batch):
            if len(chosen) < options.batch or step >= steps:
                break
            chosen = chosen.to(device)
            likeness = options.sharpness * left.embed(table, chosen) @ right.embed(table, chosen).T
            loss = torch.nn.functional.cross_entropy(likeness, truth) + torch.nn.functional.cross_entropy(likeness.T, truth)
            loss = loss / 2 + options.anchor * ((table - start) ** 2).sum(1).mean()
            if options.keep:
                loss = loss + options.keep * drift(left, table, start, chosen[: options.batch // 4])
            for group in optimizer.param_groups:
                group["lr"] = options.rate * min(1, (step + 1) / 50) * (1 - step / steps)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            step += 1
    return table.detach()


def drift(bags, table, start, chosen):
    """How differently the texts see each other now from how they did at the start."""
    now, then = bags.embed(table, chosen), bags.embed(start, chosen)
    itself = torch.eye(len(chosen), device=chosen.device, dtype=torch.bool)
    now = (20 * now @ now.T).masked_fill(itself, -1e4).log_softmax(1)
    then = (20 * then @ then.T).masked_fill(itself, -1e4).softmax(1)
    return torch.nn.functional.kl_div(now, then, reduction="batchmean")


def reciprocal_rank(left, right):
    """How early each left finds its own right among all rights: mean reciprocal rank, at most tenth place."""
    likeness = left @ right.T
    own = likeness.diagonal()[:, None]
    ranks = (likeness > own).sum(1) + 1
    return float(torch.where(ranks <= 10, 1 / ranks.float(), torch.zeros_like(own[:, 0])).mean())


def quantise(table):
    scales = (np.abs(table).max(1) / 127).astype(np.float16)
    steps = np.where(scales > 0, scales.astype(np.float32), 1)
    rows = np.clip(np.round(table / steps[:, None]), -127, 127).astype(np.int8)
    rows[scales == 0] = 0
    return rows, scales


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--start", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--pairs", required=True)
    parser.add_argument("--hold-out", default="")
    parser.add_argument("--out", required=True)
    parser.add_argument("--epochs", type=float, default=6)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--rate", type=float, default=0.001)
    parser.add_argument("--sharpness", type=float, default=20)
    parser.add_argument("--anchor", type=float, default=0.1)
    parser.add_argument("--keep", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    device = "cuda" if torch.cuda.is_available() else "cpu"
    with lzma.open(options.pairs, "rt", encoding="utf-8") as file:
        pairs = [json.loads(line) for line in file]
    random.Random(options.seed).shuffle(pairs)
    held = set(options.hold_out.split(","))
    shown = [pair for pair in pairs if pair["package"] not in held]
    kept = [pair for pair in pairs if pair["package"] in held and pair["kind"] == "code"][:4000]

    weights = np.load(options.start)
    table = torch.tensor(weights["q"].astype(np.float32) * weights["s"].astype(np.float32)[:, None], device=device)
    bags = {
        (name, side): Bags([pair[side] for pair in chosen], options.tokenizer, device)
        for name, chosen in (("shown", shown), ("kept", kept))
        for side in ("left", "right")
    }
    measure = lambda table: reciprocal_rank(bags["kept", "left"].embed_all(table), bags["kept", "right"].embed_all(table))
    print(f"{len(shown)} pairs to learn from, {len(kept)} held out; before: {measure(table):.4f}", flush=True)
    trained = train(table, bags["shown", "left"], bags["shown", "right"], len(shown), options, device)
    print(f"after: {measure(trained):.4f}")
    rows, scales = quantise(trained.cpu().numpy())
    np.savez(options.out, q=rows, s=scales)


if __name__ == "__main__":
    main()
