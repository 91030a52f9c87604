"""Which scores a state speaks of: a packaged sample by its key, others by their fingerprint."""

import json
import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import Any, cast

import numpy as np

from dpviz import checks
from dpviz.audit import AttackScores
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.checks import FloatArray
from dpviz.claims.plain_json import has_fields, shortened
from dpviz.data import SAMPLES, read_sample

FIELDS = ("n_members", "n_nonmembers", "sha256")


def sample_key(scores: Scores) -> str | None:
    """Key of the packaged sample these scores are, if they are one."""
    if not isinstance(scores, AttackScores) or scores.member_groups is not None:
        return None
    return next((key for key, sample in _packaged().items() if _are_equal(scores, sample)), None)


def fingerprint(scores: Scores) -> str:
    """SHA-256 (hexadecimal) of the scores in their order, their unit and their labels.

    Of binned scores: of cells, counts and means.
    """
    digest = sha256(scores.kind.encode())
    given = cast(AttackScores | BinnedScores, scores)
    for part in _of_cells(given) if isinstance(given, BinnedScores) else _of_records(given):
        digest.update(part)
    return digest.hexdigest()


def _of_records(scores: AttackScores) -> Iterator[bytes]:
    for values in (scores.member, scores.nonmember):
        yield _bytes(values)
    for labels in (scores.member_groups, scores.nonmember_groups):
        if labels is not None:
            yield json.dumps(list(map(str, labels))).encode()


def _of_cells(scores: BinnedScores) -> Iterator[bytes]:
    for counts in (scores.member_counts, scores.nonmember_counts):
        yield b"counts" + counts.astype("<i8").tobytes()
    yield _bytes(scores.thresholds)
    for means in (scores.member_means, scores.nonmember_means):
        yield b"" if means is None else b"means" + _bytes(means)


def _bytes(values: FloatArray) -> bytes:
    return (values + 0.0).astype("<f8").tobytes()  # + 0.0: one zero has no sign


def scores_state(scores: Scores | None) -> dict[str, Any] | None:
    """What a state says about scores; the numbers themselves are not in it."""
    if scores is None:
        return None
    key = sample_key(scores)
    if key is not None:
        return {"sample": key}
    return {
        "n_members": scores.n_members,
        "n_nonmembers": scores.n_nonmembers,
        "sha256": fingerprint(scores),
    }


def scores_of(state: object, given: Scores | None, name: str = "scores") -> Scores | None:
    """The scores a state speaks of: a packaged sample, or the given ones if they are the same.

    `name` is what an error calls them. Raises ValueError if the state is not what `scores_state`
    writes, or the given scores are others or missing.
    """
    _check(f"state.{name}", state)
    if given is None and isinstance(state, dict) and "sample" in state:
        return read_sample(state["sample"])
    found = scores_state(given)
    if found != state:
        raise ValueError(f"{name} must be {_described(state)}, got {_described(found)}")
    return given


def _check(name: str, state: object) -> None:
    if state is None:
        return
    if isinstance(state, dict) and "sample" in state:
        sample = has_fields(name, state, ["sample"])["sample"]
        checks.choice(f"{name}.sample", sample, SAMPLES)
        return
    written = has_fields(name, state, FIELDS)
    for field in FIELDS[:2]:
        checks.whole(f"{name}.{field}", written[field], 1)
    digest = written["sha256"]
    if not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{64}", digest):
        raise checks.fail(f"{name}.sha256", "64 hexadecimal digits", shortened(digest))


def _described(state: Any) -> str:
    if state is None:
        return "none"
    if "sample" in state:
        return f"the packaged sample {state['sample']!r}"
    n_members, n_nonmembers, digest = (state[name] for name in FIELDS)
    return f"{n_members} members and {n_nonmembers} non-members with SHA-256 {digest[:16]}..."


@cache
def _packaged() -> dict[str, AttackScores]:
    return {key: read_sample(key) for key in SAMPLES}


def _are_equal(one: AttackScores, other: AttackScores) -> bool:
    return (
        one.kind == other.kind
        and np.array_equal(one.member, other.member)
        and np.array_equal(one.nonmember, other.nonmember)
    )
