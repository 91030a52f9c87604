"""Conversion of a spec, and of data that identify its scores, to plain JSON and back."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from hashlib import sha256
from types import MappingProxyType
from typing import Any, cast

from dpviz import checks
from dpviz.analysis.spec import Spec
from dpviz.audit import AttackScores
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.checks import FloatArray
from dpviz.claims.guarantee_state import STATE_VERSION, guarantee_from_dict, guarantee_to_dict
from dpviz.data import read_sample
from dpviz.data.samples import SAMPLES
from dpviz.documents import checked_dict, cut_for_error, parse_json
from dpviz.value_object import are_equal

SPEC_FIELDS = tuple(f.name for f in fields(Spec))
SCORES_FIELDS = ("n_members", "n_nonmembers", "sha256")


def state_of(spec: Spec, scores: Scores | None = None) -> dict[str, Any]:
    """Return a spec and the identity of scores as plain JSON, which `from_state` reads.

    Raises ValueError for a guarantee of a class that is not in `dpviz.theory.MECHANISMS`.
    """
    values = {name: getattr(spec, name) for name in SPEC_FIELDS}
    values["claim"] = guarantee_to_dict(spec.claim, "claim")
    values["overlays"] = [guarantee_to_dict(overlay, "overlays") for overlay in spec.overlays]
    values["facts"], values["about"] = spec.facts.as_dict(), spec.about.as_dict()
    values["compare"] = {name: scores_state(each) for name, each in spec.compare.items()}
    if spec.pinned_point is not None:
        values["pinned_point"] = list(spec.pinned_point)
    # A subclass of str, such as that of numpy, becomes str.
    plain = {k: str(v) if isinstance(v, str) else v for k, v in values.items()}
    return {"dpviz": STATE_VERSION, "spec": plain, "scores": scores_state(scores)}


def read_state(state: object) -> dict[str, Any]:
    """Return a state that is a dict or the JSON text of one; raise ValueError otherwise."""
    is_path = isinstance(state, str) and not state.lstrip().startswith("{")
    read = None if is_path else parse_json("state", state)
    if not isinstance(read, dict):
        way_out = "pathlib.Path(...).read_text() returns the text of a file" if is_path else ""
        raise checks.fail("state", "a dict, or its JSON text", cut_for_error(state), way_out)
    return read


def from_state(
    state: object,
    scores: Scores | None = None,
    compare: Mapping[str, Scores] = MappingProxyType({}),
) -> tuple[Spec, Scores | None]:
    """Return the spec and the scores of a `state`, which is a dict from `state_of`, or its JSON."""
    # `scores` and `compare` are the scores for which the state was made; packaged samples may be
    # left out. Raises ValueError if `state` is illegal, has another version, or is of other scores.
    read = read_state(state)
    checks.check_version("state.dpviz", read.get("dpviz"), STATE_VERSION)
    checked_dict("state", read, ("dpviz", "spec", "scores"))
    try:
        spec = _spec_from_state(read["spec"], compare)
    except RecursionError:
        raise checks.fail("state", "nested less deeply", cut_for_error(state)) from None
    return spec, scores_from_state(read["scores"], scores)


def _spec_from_state(state: object, compare: Mapping[str, Scores]) -> Spec:
    read = dict(checked_dict("state.spec", state, SPEC_FIELDS))
    delta, tables = read["delta"], {name: read[name] for name in ("facts", "about")}
    read["claim"] = guarantee_from_dict(read["claim"], "state.spec.claim")
    if not isinstance(read["overlays"], list):
        raise checks.fail("state.spec.overlays", "a list", cut_for_error(read["overlays"]))
    read["overlays"] = tuple(
        guarantee_from_dict(overlay, f"state.spec.overlays[{i}]")
        for i, overlay in enumerate(read["overlays"])
    )
    read["compare"] = _attacks_from_state(read["compare"], compare)
    try:
        spec = Spec(**read)
    except ValueError as error:
        raise ValueError(f"state.spec.{error}") from error
    # A state is legal only if `state_of` would write the spec in the same way.
    if spec.delta != delta:
        raise checks.fail("state.spec.delta", f"{spec.delta!r}, the delta of the claim", delta)
    for name, table in tables.items():
        plain = getattr(spec, name).as_dict()
        if plain != table:
            raise checks.fail(f"state.spec.{name}", f"{plain!r} itself, without a table", table)
    return spec


def _attacks_from_state(state: object, given: Mapping[str, Scores]) -> dict[str, Scores]:
    """Return the other attacks that `state` identifies, from `given` or the packaged samples."""
    if not isinstance(state, dict):
        raise checks.fail("state.spec.compare", "a dict of attacks by name", cut_for_error(state))
    unknown = [name for name in given if name not in state]
    if unknown:
        raise checks.fail("compare", f"names in state.spec.compare, {list(state)}", unknown[0])
    attacks = {}
    for name, identity in state.items():
        scores = scores_from_state(identity, given.get(name), f"compare[{name!r}]")
        if scores is None:
            raise checks.fail(f"state.spec.compare[{name!r}]", "scores", None)
        attacks[name] = scores
    return attacks


def packaged_sample_key(scores: Scores) -> str | None:
    """Return the key of the packaged sample that equals the scores; None if no sample does."""
    if not isinstance(scores, AttackScores) or scores.member_groups is not None:
        return None
    values = scores.member, scores.nonmember
    for key, own in _packaged_samples().items():
        if scores.kind == own.kind and are_equal(values, (own.member, own.nonmember)):
            return key
    return None


def fingerprint(scores: Scores) -> str:
    """Return the hexadecimal SHA-256 of the scores' kind, values (or bins) and group labels."""
    digest = sha256(scores.kind.encode())
    if isinstance(scores, BinnedScores):
        contents = _bytes_of_bins(scores)
    else:
        contents = _bytes_of_records(cast(AttackScores, scores))
    for content in contents:
        digest.update(content)
    return digest.hexdigest()


def _bytes_of_records(scores: AttackScores) -> Iterator[bytes]:
    for values in (scores.member, scores.nonmember):
        yield _float_bytes(values)
    for labels in (scores.member_groups, scores.nonmember_groups):
        if labels is not None:
            yield json.dumps(list(map(str, labels))).encode()


def _bytes_of_bins(scores: BinnedScores) -> Iterator[bytes]:
    # Prefixes distinguish the bytes of counts and of means from bytes of scores.
    for counts in (scores.member_counts, scores.nonmember_counts):
        yield b"counts" + counts.astype("<i8").tobytes()
    yield _float_bytes(scores.thresholds)
    for means in (scores.member_means, scores.nonmember_means):
        yield b"" if means is None else b"means" + _float_bytes(means)


def _float_bytes(values: FloatArray) -> bytes:
    return (values + 0.0).astype("<f8").tobytes()  # + 0.0: -0.0 becomes 0.0


def scores_state(scores: Scores | None) -> dict[str, Any] | None:
    """Return the identity of scores: the key of an equal packaged sample, or sizes and SHA-256."""
    if scores is None:
        return None
    key = packaged_sample_key(scores)
    if key is not None:
        return {"sample": key}
    sizes = {"n_members": scores.n_members, "n_nonmembers": scores.n_nonmembers}
    return sizes | {"sha256": fingerprint(scores)}


def scores_from_state(state: object, given: Scores | None, name: str = "scores") -> Scores | None:
    """Return the scores that `state` identifies; ValueError if `given` does not match."""
    _check_scores_state(f"state.{name}", state)
    if given is None and isinstance(state, dict) and "sample" in state:
        return read_sample(state["sample"])
    identity = scores_state(given)
    if identity != state:
        expected, got = _scores_state_in_words(state), _scores_state_in_words(identity)
        raise ValueError(f"{name} must be {expected}, got {got}")
    return given


def _check_scores_state(name: str, state: object) -> None:
    if state is None:
        return
    if isinstance(state, dict) and "sample" in state:
        sample = checked_dict(name, state, ["sample"])["sample"]
        checks.choice(f"{name}.sample", sample, SAMPLES)
        return
    written = checked_dict(name, state, SCORES_FIELDS)
    for field in SCORES_FIELDS[:2]:
        checks.whole(f"{name}.{field}", written[field], 1)
    digest = written["sha256"]
    if not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{64}", digest):
        raise checks.fail(f"{name}.sha256", "64 hexadecimal digits", cut_for_error(digest))


def _scores_state_in_words(state: Any) -> str:
    if state is None:
        return "none"
    if "sample" in state:
        return f"the packaged sample {state['sample']!r}"
    n_members, n_nonmembers, digest = (state[name] for name in SCORES_FIELDS)
    return f"{n_members} members and {n_nonmembers} non-members with SHA-256 {digest[:16]}..."


@cache
def _packaged_samples() -> dict[str, AttackScores]:
    return {key: read_sample(key) for key in SAMPLES}
