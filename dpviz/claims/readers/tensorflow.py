"""The statement that TensorFlow Privacy prints: compute_dp_sgd_privacy_statement."""

import re
from typing import Any

from dpviz import checks
from dpviz.claims.claim import Claim
from dpviz.claims.reader import Reader
from dpviz.theory import ApproximateDP
from dpviz.theory.tradeoff import Adjacency

NUMBER = r"([0-9.]+(?:e[+-]?[0-9]+)?|inf)"
DELTA = re.compile(rf"\b(\w+)-level DP with ([\w-]+) adjacency at delta = {NUMBER}", re.I)
ORDERED = re.compile(rf"Epsilon with each example occurring once per epoch:\s+{NUMBER}", re.I)
SAMPLED = re.compile(rf"Epsilon assuming Poisson sampling[^:]{{0,40}}:\s+{NUMBER}", re.I)
ADJACENCIES: dict[str, Adjacency] = {
    "add-or-remove-one": "add_remove",
    "replace-one": "replace_one",
}


def _accepts(source: Any) -> bool:
    return isinstance(source, str) and "DP-SGD performed over" in source


def _read(text: str) -> Claim:
    words = " ".join(text.split())
    stated, ordered = DELTA.search(words), ORDERED.search(words)
    if stated is None:
        raise checks.fail("the statement", 'with "...-level DP with ... adjacency at delta"', text)
    if ordered is None:
        rule = 'with "Epsilon with each example occurring once per epoch: ..."'
        raise checks.fail("the statement", rule, text)
    level, relation, delta = stated.groups()
    adjacency = ADJACENCIES[checks.choice("adjacency of the statement", relation, ADJACENCIES)]
    epsilon, sampled = ordered.group(1), SAMPLED.search(words)
    notes = [f"{level.lower()}-level; records in any order, each once per epoch"]
    if sampled is not None:
        notes.append(
            f"with Poisson sampling, which training seldom does, epsilon is {sampled.group(1)}: "
            f'read_claim(({sampled.group(1)}, {delta}), adjacency="{adjacency}")'
        )
    return Claim(
        guarantee=ApproximateDP(epsilon=float(epsilon), delta=float(delta), adjacency=adjacency),
        source="a statement of TensorFlow Privacy",
        states_adjacency=True,
        notes=tuple(notes),
    )


TENSORFLOW = Reader(name="a statement of TensorFlow Privacy", accepts=_accepts, read=_read)
