"""Lays a trained static model out as the one file that is compiled into the binary.

    python pack.py --weights static_d384.npz --tokenizer tokenizer.json \
        --out ../../crates/oldhand-embed/model/static-384-2.bin

`--weights` holds `q` (int8, one row a piece) and `s` (one scale a piece). Pieces the tokenizer can never produce are left
out. Nothing in the file needs parsing: a hook that lives for milliseconds reads only the pages of the words it embeds.

    magic    8 bytes   "ohstatic"
    header   6 × u32   dimensions, pieces, starting pieces, hash slots, bytes of text, offset of the rows
    slots    u16 each  open addressing over FNV-1a, 0xffff is empty; continuing pieces hash from another basis
    ends     u32 each  where each piece's text ends
    text     bytes     starting pieces first, then continuing ones without their `##`
    scales   f32 each
    rows     int8      dimensions a piece, from a 64-byte boundary
"""

import argparse
import re
import struct

import numpy as np

from tokenizer import fold, load_vocabulary

STARTING_BASIS = 0x811C9DC5
CONTINUING_BASIS = 0x9747B28C
PRIME = 0x01000193
EMPTY = 0xFFFF


def hash_of(text, basis):
    value = basis
    for byte in text:
        value = ((value ^ byte) * PRIME) & 0xFFFFFFFF
    return value


def reachable(piece):
    body = piece[2:] if piece.startswith("##") and len(piece) > 2 else piece
    if re.fullmatch(r"[a-z]+|[0-9]+", body):
        return True
    return body is piece and len(piece) == 1 and fold(piece) == piece and piece != "_"


def lay_out(weights, vocabulary):
    rows, scales = weights["q"], weights["s"].astype(np.float32)
    kept = [(piece, number) for piece, number in vocabulary.items() if reachable(piece) and scales[number] > 0]
    continuing = sorted((p[2:].encode(), n) for p, n in kept if p.startswith("##") and len(p) > 2)
    starting = sorted((p.encode(), n) for p, n in kept if not (p.startswith("##") and len(p) > 2))
    entries = starting + continuing

    slot_count = 1 << (2 * len(entries) - 1).bit_length()
    slots = [EMPTY] * slot_count
    for index, (text, _) in enumerate(entries):
        basis = STARTING_BASIS if index < len(starting) else CONTINUING_BASIS
        value = hash_of(text, basis)
        slot = (value ^ (value >> 15)) & (slot_count - 1)
        while slots[slot] != EMPTY:
            slot = (slot + 1) & (slot_count - 1)
        slots[slot] = index

    text = b"".join(entry for entry, _ in entries)
    ends = np.cumsum([len(entry) for entry, _ in entries]).astype("<u4")
    numbers = [number for _, number in entries]
    before_rows = 32 + 2 * slot_count + 4 * len(entries) + len(text) + 4 * len(entries)
    rows_at = (before_rows + 63) // 64 * 64
    dimensions = rows.shape[1]
    return b"".join([
        b"ohstatic",
        struct.pack("<6I", dimensions, len(entries), len(starting), slot_count, len(text), rows_at),
        np.array(slots, "<u2").tobytes(),
        ends.tobytes(),
        text,
        scales[numbers].astype("<f4").tobytes(),
        bytes(rows_at - before_rows),
        rows[numbers].astype(np.int8).tobytes(),
    ])


def read_packed(path, vocabulary):
    """The weights out of a packed file, to compare models by."""
    with open(path, "rb") as file:
        data = file.read()
    dimensions, count, starting, slot_count, length, rows_at = struct.unpack_from("<6I", data, 8)
    ends_at = 32 + 2 * slot_count
    text_at = ends_at + 4 * count
    ends = np.frombuffer(data, "<u4", count, ends_at)
    weights = {"q": np.zeros((len(vocabulary), dimensions), np.int8), "s": np.zeros(len(vocabulary), np.float32)}
    numbers, start = [], 0
    for index, end in enumerate(ends):
        piece = data[text_at + start : text_at + end].decode()
        numbers.append(vocabulary[piece if index < starting else f"##{piece}"])
        start = int(end)
    weights["q"][numbers] = np.frombuffer(data, np.int8, count * dimensions, rows_at).reshape(count, dimensions)
    weights["s"][numbers] = np.frombuffer(data, "<f4", count, text_at + length)
    return weights


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    packed = lay_out(np.load(arguments.weights), load_vocabulary(arguments.tokenizer))
    with open(arguments.out, "wb") as file:
        file.write(packed)
    print(f"{arguments.out}: {len(packed)} bytes")


if __name__ == "__main__":
    main()
