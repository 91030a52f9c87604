"""Valid contents and documents, changed at random."""

import copy
import random
from typing import Any

ODD: list[Any] = [None, True, False, 0, -1, 1, 2, 0.5, 1e-300, 1e308, -0.0, 2**53, 2**63, 10**400]
ODD += [float("nan"), float("inf"), -float("inf"), "", "inf", "nan", "1", "1e5", "\x00", "a" * 300]
ODD += ["\ud800", "١", "<b>", "../x", [], {}, [[]], [{}], {"a": 1}, [1.0, 2.0], ["train"], b""]
NAMES = "loss losses member is_member score split epsilon delta claim spec scores dpviz type base"
NAMES += " serial changes do id name size x y point data index 0 1 sha256 protocol schema facts"
TOKENS = [*NAMES.encode().split(), b"nan", b"inf", b"1e999", b"-", b",", b"\n", b"\r", b'"', b"\0"]
TOKENS += [b"\xff" * 4, b"\x80", b"{", b"}", b"[", b"]", b":", b"9" * 30, b"PAR1", b"ARROW1", b"PK"]


def changed_bytes(rng: random.Random, valid: bytes) -> bytes:
    """A valid content with one to four changes."""
    content = bytearray(valid)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        begin = rng.randrange(len(content) + 1)
        length = rng.choice((0, 1, 1, 2, 8, 64))
        end = min(len(content), begin + length)
        how = rng.randrange(6)
        if how == 0:
            content[begin:end] = rng.randbytes(end - begin)
        elif how == 1:
            del content[begin:end]
        elif how == 2:
            content[begin:end] = rng.choice(TOKENS)
        elif how == 3:
            place = rng.randrange(len(content) + 1)
            content[place:place] = content[begin:end]
        elif how == 4 and begin < len(content):
            content[begin] ^= 1 << rng.randrange(8)
        elif rng.random() < 0.2:
            del content[begin:]
    return bytes(content)


def changed_document(rng: random.Random, valid: Any) -> Any:
    """A document with one to three parts replaced, left out, doubled or renamed."""
    document = copy.deepcopy(valid)
    for _ in range(rng.choice((1, 1, 2, 3))):
        places = list(_places(document))
        if not places:
            return copy.deepcopy(rng.choice(ODD))
        parent, key = rng.choice(places)
        how = rng.randrange(5)
        if how == 0:
            del parent[key]
        elif how == 1 and isinstance(parent, dict):
            parent[rng.choice(NAMES.split())] = parent.pop(key)
        elif how == 2:
            other, place = rng.choice(places)
            parent[key] = copy.deepcopy(other[place])
        else:
            parent[key] = copy.deepcopy(rng.choice(ODD))
    return document


def _places(document: Any) -> Any:
    """Each part with what it is in."""
    waiting = [document]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict | list):
            for key in found if isinstance(found, dict) else range(len(found)):
                yield found, key
                waiting.append(found[key])
