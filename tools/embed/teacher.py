"""The teacher, all-MiniLM-L6-v2 (Apache-2.0), as a package holds it: a folder with `model.safetensors` and `tokenizer.json`.

Nothing of the package is run: its numbers are read, and what they mean is written here with PyTorch. Texts are cut into pieces as the
static model cuts them, so that both read the same.
"""

import json
import multiprocessing
import os
import struct

import numpy as np
import torch
from torch.nn.functional import gelu, layer_norm, linear, normalize, scaled_dot_product_attention

from tokenizer import load_vocabulary, tokenize

BEGIN, END = 101, 102
HEADS = 12
TOGETHER = 2048
VOCABULARY = None


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
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = (8 + length + at for at in entry["data_offsets"])
            tensors[name.removeprefix("bert.")] = np.frombuffer(data[start:end], dtype=np.float32).reshape(entry["shape"])
    return tensors


class Teacher:
    def __init__(self, folder, device, kind=torch.float32):
        tensors = read_tensors(read_from(folder, "model.safetensors"))
        self.tensors = {name: torch.tensor(numbers, device=device, dtype=kind) for name, numbers in tensors.items()}
        self.layers = 1 + max(int(name.split(".")[2]) for name in tensors if name.startswith("encoder.layer."))
        self.device = device

    def linear(self, x, name):
        return linear(x, self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"])

    def norm(self, x, name):
        return layer_norm(x, x.shape[-1:], self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"], 1e-12)

    @torch.no_grad()
    def read(self, pieces, filled):
        """What comes out for each text, the mean over its pieces; `filled` tells those from what only fills the row."""
        words = self.tensors["embeddings.word_embeddings.weight"][pieces]
        places = self.tensors["embeddings.position_embeddings.weight"][: pieces.shape[1]]
        x = self.norm(words + places + self.tensors["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(self.layers):
            at = f"encoder.layer.{layer}"
            x = self.norm(x + self.attend(x, filled, at), f"{at}.attention.output.LayerNorm")
            inner = gelu(self.linear(x, f"{at}.intermediate.dense"))
            x = self.norm(x + self.linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        counted = filled[:, :, None].to(x.dtype)
        return ((x * counted).sum(1) / counted.sum(1)).float()

    def attend(self, x, filled, at):
        count, length, width = x.shape
        split = lambda name: self.linear(x, f"{at}.attention.self.{name}").view(count, length, HEADS, -1).transpose(1, 2)
        seen = scaled_dot_product_attention(split("query"), split("key"), split("value"), attn_mask=filled[:, None, None])
        return self.linear(seen.transpose(1, 2).reshape(count, length, width), f"{at}.attention.output.dense")

    def vectors(self, texts, tokenizer, most):
        """A vector of unit length for each text, of which at most so many pieces are read."""
        with multiprocessing.Pool(initializer=set_vocabulary, initargs=(tokenizer,)) as pool:
            cut = pool.map(cut_text, [(text, most) for text in texts], chunksize=500)
        lengths = np.array([len(pieces) for pieces in cut])
        order = np.argsort(lengths, kind="stable")
        found = torch.zeros(len(texts), len(self.tensors["embeddings.LayerNorm.bias"]), device=self.device, dtype=torch.float16)
        for some in np.split(order, range(TOGETHER, len(order), TOGETHER)):
            filled = np.arange(lengths[some].max())[None] < lengths[some][:, None]
            pieces = np.zeros(filled.shape, np.int64)
            pieces[filled] = np.concatenate([cut[at] for at in some])
            read = self.read(torch.tensor(pieces, device=self.device), torch.tensor(filled, device=self.device))
            found[torch.tensor(some, device=self.device)] = normalize(read, dim=-1).half()
        return found


def set_vocabulary(path):
    global VOCABULARY
    VOCABULARY = load_vocabulary(path)


def cut_text(text_and_most):
    return np.array([BEGIN, *tokenize(text_and_most[0], VOCABULARY, text_and_most[1]), END])
