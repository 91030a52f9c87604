"""What is shown as plain JSON, and back: a small dictionary to keep, send or compare."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from hashlib import sha256
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from dpviz import checks
from dpviz.analysis.spec import Spec
from dpviz.audit import AttackScores
from dpviz.audit.bounds.registry import FORMER_DEFAULT
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.checks import FloatArray
from dpviz.claims.guarantee_state import (
    guarantee_of,
    guarantee_state,
    has_fields,
    parsed,
    shortened,
)
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


# What is shown as plain JSON, and back: a small dictionary to keep, send or compare.

VERSION = 5  # of what is written
READABLE = (1, 2, 3, 4, 5)  # in 1 the FPR was always a number
SPEC_FIELDS = tuple(f.name for f in fields(Spec))

SINCE = {  # the first version with a field; else 1
    **dict.fromkeys(("neighbours", "facts"), 3),
    **dict.fromkeys(("about", "naming", "compare", "same_records", "pinned_point"), 4),
    **dict.fromkeys(("kappa", "cost_false_alarm", "cost_miss"), 4),
    "lower_bound_method": 5,
}


def state_of(spec: Spec, scores: Scores | None = None) -> dict[str, Any]:
    """Everything needed to show the same again, but the numbers of the scores.

    Plain JSON: "dpviz" (the version, 5), "spec" (every field; inf is written "inf") and "scores":
    None, the key of a packaged sample, or how many scores there are and their SHA-256; so also of
    each compared attack.

    Raises ValueError if the claim or an overlay is of a class that is not in
    `dpviz.theory.MECHANISMS`.
    """
    shown = {name: getattr(spec, name) for name in SPEC_FIELDS}
    shown["claim"] = guarantee_state(spec.claim, "claim")
    shown["overlays"] = [guarantee_state(overlay, "overlays") for overlay in spec.overlays]
    shown["facts"], shown["about"] = spec.facts.plain(), spec.about.plain()
    shown["compare"] = {name: scores_state(each) for name, each in spec.compare.items()}
    if spec.pinned_point is not None:
        shown["pinned_point"] = list(spec.pinned_point)
    plain = {k: str(v) if isinstance(v, str) else v for k, v in shown.items()}
    return {"dpviz": VERSION, "spec": plain, "scores": scores_state(scores)}


def from_state(
    state: object,
    scores: Scores | None = None,
    compare: Mapping[str, Scores] = MappingProxyType({}),
) -> tuple[Spec, Scores | None]:
    """The spec and the scores of a state.

    `state` is what `state_of` gave, or its JSON text; `scores` and `compare` are those it was made
    from, of which packaged samples may be left out.

    Raises ValueError if it is anything else, of another version, or of other scores; the message
    says where.
    """
    read = parsed("state", state)
    if not isinstance(read, dict):
        raise checks.fail("state", "a dict, or its JSON text", shortened(state))
    version = read.get("dpviz")
    if isinstance(version, bool) or version not in READABLE:
        raise checks.fail("state.dpviz", "1, 2, 3, 4 or 5, a version of states", shortened(version))
    has_fields("state", read, ("dpviz", "spec", "scores"))
    try:
        spec = _spec(read["spec"], version, compare)
    except RecursionError:
        raise checks.fail("state", "nested less deeply", shortened(state)) from None
    return spec, scores_of(read["scores"], scores)


def _spec(state: object, version: int, compare: Mapping[str, Scores]) -> Spec:
    names = [name for name in SPEC_FIELDS if version >= SINCE.get(name, 1)]
    read = {"lower_bound_method": FORMER_DEFAULT} | has_fields("state.spec", state, names)
    delta, tables = read["delta"], {name: read.get(name, {}) for name in ("facts", "about")}
    read["claim"] = guarantee_of(read["claim"], "state.spec.claim")
    if not isinstance(read["overlays"], list):
        raise checks.fail("state.spec.overlays", "a list", shortened(read["overlays"]))
    read["overlays"] = tuple(
        guarantee_of(overlay, f"state.spec.overlays[{i}]")
        for i, overlay in enumerate(read["overlays"])
    )
    read["compare"] = _attacks(read.get("compare", {}), compare)
    try:
        spec = Spec(**read)
    except ValueError as error:
        raise ValueError(f"state.spec.{error}") from error
    if spec.delta != delta:
        raise checks.fail("state.spec.delta", f"{spec.delta!r}, that of the claim", delta)
    for name, given in tables.items():
        plain = getattr(spec, name).plain()
        if plain != given:
            raise checks.fail(f"state.spec.{name}", f"written as {plain!r}", given)
    return spec


def _attacks(state: object, given: Mapping[str, Scores]) -> dict[str, Scores]:
    """The compared attacks of a state: packaged samples, or the given ones if they are the same."""
    if not isinstance(state, dict):
        raise checks.fail("state.spec.compare", "an object of attacks by name", shortened(state))
    unknown = [name for name in given if name not in state]
    if unknown:
        raise checks.fail("compare", f"the attacks {list(state)} of the state", unknown[0])
    found = {}
    for name, each in state.items():
        scores = scores_of(each, given.get(name), f"compare[{name!r}]")
        if scores is None:
            raise checks.fail(f"state.spec.compare[{name!r}]", "scores", None)
        found[name] = scores
    return found
