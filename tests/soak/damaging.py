"""Structure-aware damage to text: what a hand, a program or an enemy might do to a file."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

_TOKEN = re.compile(r"\s+|[\w.+-]+|.", re.DOTALL)
NUMBERS = [
    "0", "-1", "1e400", "1e-400", "1e99999999", "-0.0", "nan", "inf", "0x10", "1/0", "1/3", "1_000",
    "2147483648", "9223372036854775808", "18446744073709551616", "1000000000000", "1e3990",
    "1e-3990", "9" * 5000, "0." + "0" * 5000 + "1", "1/" + "7" * 3990, "٣", "½", "1e", "--1", "+5",
    ".", "1.5.2",
]  # fmt: skip
ODD = [
    "\0", "\ufeff", "\u2028", "\x1b[31m", "é", "𝔸", "\u202e", "\r", "\r\n", "\x85", "\xa0",
    '"', "'", "\\", "<!--", "]]>", "&amp;", "&#0;", "%", "/*", "//", "#", "{", "}", "[", "]", "(",
    ")", ";", ",", "null", "true", "NaN", "a" * 100_000, "<!DOCTYPE a [<!ENTITY b 'c'>]>",
]  # fmt: skip


def tokens_of(text: str) -> list[str]:
    """Words and numbers, white space, and single signs."""
    return _TOKEN.findall(text)


def _span(random: Random, tokens: Sequence[str]) -> tuple[int, int]:
    """A few tokens, or many."""
    start = random.randrange(len(tokens))
    return start, start + random.choice([1, 1, 1, 2, 5, 20, 100])


def _delete(random: Random, tokens: list[str]) -> list[str]:
    start, end = _span(random, tokens)
    return tokens[:start] + tokens[end:]


def _duplicate(random: Random, tokens: list[str]) -> list[str]:
    start, end = _span(random, tokens)
    return tokens[:end] + tokens[start:end] * random.choice([1, 1, 2, 1000]) + tokens[end:]


def _swap(random: Random, tokens: list[str]) -> list[str]:
    first, second = random.randrange(len(tokens)), random.randrange(len(tokens))
    tokens = tokens.copy()
    tokens[first], tokens[second] = tokens[second], tokens[first]
    return tokens


def _replace_number(random: Random, tokens: list[str]) -> list[str]:
    places = [place for place, token in enumerate(tokens) if token[0].isdigit()]
    if not places:
        return tokens
    place = random.choice(places)
    short = tokens[place].isdecimal() and len(tokens[place]) < 100
    near = str(int(tokens[place]) + random.choice([-1, 1])) if short else "7"
    return [*tokens[:place], random.choice([near, *NUMBERS]), *tokens[place + 1 :]]


def _replace_word(random: Random, tokens: list[str]) -> list[str]:
    """A word by another word of the file, or by a sign that means something."""
    place = random.randrange(len(tokens))
    return [*tokens[:place], random.choice([*ODD, random.choice(tokens)]), *tokens[place + 1 :]]


def _insert(random: Random, tokens: list[str]) -> list[str]:
    place = random.randrange(len(tokens) + 1)
    return [*tokens[:place], random.choice(ODD), *tokens[place:]]


def _truncate(random: Random, tokens: list[str]) -> list[str]:
    return tokens[: random.randrange(len(tokens))]


def _nest(random: Random, tokens: list[str]) -> list[str]:
    """A sign many times, as of brackets that are never closed."""
    place = random.randrange(len(tokens))
    return tokens[:place] + [tokens[place]] * random.choice([50, 2000, 50_000]) + tokens[place:]


DAMAGES: tuple[Callable[[Random, list[str]], list[str]], ...] = (
    _delete,
    _duplicate,
    _swap,
    _replace_number,
    _replace_number,
    _replace_word,
    _insert,
    _truncate,
    _nest,
)
LONGEST = 2_000_000  # characters of a damaged file


def damaged(random: Random, text: str) -> str:
    """A text with one to four damages."""
    tokens = tokens_of(text)
    for _ in range(random.choice([1, 1, 1, 2, 4])):
        tokens = random.choice(DAMAGES)(random, tokens) or ["0"]
    return "".join(tokens)[:LONGEST]


def damaged_bytes(random: Random, content: bytes) -> bytes:
    """Bytes of which some are others, missing or there twice: for packed files."""
    changed = bytearray(content)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(changed))
        change = random.choice(["set", "cut", "repeat"])
        if change == "set":
            changed[place] = random.randrange(256)
        elif change == "cut":
            del changed[place : place + random.choice([1, 5, 10**6])]
        else:
            changed[place:place] = changed[: random.choice([1, 100])]
        changed = changed or bytearray(b"\x1f")
    return bytes(changed)


def damaged_document(random: Random, text: str) -> str:
    """A JSON text that is JSON still: entries are there twice, are missing or are others."""
    document = json.loads(text)
    for _ in range(random.choice([1, 1, 2])):
        boxes = _boxes(document)
        box, other_box = (random.choice(boxes[random.choice(list(boxes))]) for _ in range(2))
        key, other = random.choice(_keys(box)), random.choice(_keys(other_box))
        change = random.choice(["twice", "twice", "missing", "another", "number"])
        if change == "twice" and isinstance(box, list):
            box.insert(random.randint(0, len(box)), copy.deepcopy(box[key]))
        elif change == "missing":
            del box[key]
        elif change == "number" and isinstance(box[key], int):
            box[key] += random.choice([-1, 1])
        else:
            box[key] = copy.deepcopy(other_box[other])
    return json.dumps(document)


def _boxes(document: Any) -> dict[tuple[str, ...], list[Any]]:
    """All lists and objects of a document that are not empty, by the keys that lead to them."""
    boxes: dict[tuple[str, ...], list[Any]] = {}
    left: list[tuple[tuple[str, ...], Any]] = [((), document)]
    while left:
        path, box = left.pop()
        if isinstance(box, list | dict) and box:
            boxes.setdefault(path, []).append(box)
            inner = [(key if isinstance(key, str) else "", box[key]) for key in _keys(box)]
            left += [((*path, name), value) for name, value in inner]
    return boxes


def _keys(box: Any) -> list[Any]:
    return list(range(len(box))) if isinstance(box, list) else list(box)
