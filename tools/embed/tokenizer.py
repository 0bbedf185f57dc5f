"""Text to vocabulary pieces: the reference the Rust tokenizer is checked against.

The rules, in order: accents folded, identifiers split (camelCase, snake_case, letter before digit), lower case, then
words, digit runs and single marks; each word is one vocabulary entry or its greedy longest WordPieces.
"""

import json
import re
import unicodedata

BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_|(?<=[A-Za-z])(?=[0-9])")
WORD = re.compile(r"[a-z]+|[0-9]+|[^\sa-z0-9]")
LONGEST_WORD = 100
MOST_PIECES = 256


def load_vocabulary(path):
    """The pieces of a WordPiece `tokenizer.json`, by text, with `##` on continuing ones."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)["model"]["vocab"]


def fold(text):
    """Accented Latin letters as their plain letter; everything else untouched."""
    folded = []
    for char in text:
        if "\u00c0" <= char <= "\u017f":
            plain = unicodedata.normalize("NFD", char)[0]
            folded.append(plain if plain.isascii() else char)
        else:
            folded.append(char)
    return "".join(folded)


def words(text):
    return WORD.findall(BOUNDARY.sub(" ", fold(text)).lower())


def pieces(word, vocabulary):
    """Greedy longest match; nothing when some part of the word has no piece."""
    if len(word) > LONGEST_WORD:
        return []
    found, start = [], 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            piece = vocabulary.get(prefix + word[start:end])
            if piece is not None:
                found.append(piece)
                start = end
                break
        else:
            return []
    return found


def tokenize(text, vocabulary, most=MOST_PIECES):
    found = []
    for word in words(text):
        found.extend(pieces(word, vocabulary))
        if len(found) >= most:
            break
    return found[:most]
