"""From the options to the material of a report: scores that were read, and the result."""

import math
import sys
import warnings
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dpviz import checks
from dpviz.analysis import Analysis, Spec, read_facts
from dpviz.analysis.facts.read_table import read_table
from dpviz.analysis.number_format import short
from dpviz.claims import read_claim
from dpviz.cli.attacks import attacks_of
from dpviz.cli.read import read
from dpviz.data import check_inputs
from dpviz.reports.material import Material, material

HIGH_OR_LOW = {"score": "a high number", "loss": "a low number"}


def spec_of(chosen: Namespace) -> Spec:
    """Return the spec of the options.

    Raises ValueError if one leaves its range, or `delta` is not that of the claim.
    """
    names = ("prior", "fpr", "confidence_level", "applies_to", "neighbours", "naming")
    given: dict[str, Any] = {name: getattr(chosen, name) for name in names}
    if chosen.claim is None:
        given["epsilon"] = math.inf
    else:
        given["claim"] = read_claim(chosen.claim).guarantee
    if chosen.receipt is not None:
        given["lower_bound_method"] = chosen.receipt.lower_bound_method
    if chosen.facts is not None:
        given["facts"] = read_facts(chosen.facts)
    if chosen.about is not None:
        given["about"] = read_table("about", chosen.about)
    if chosen.delta is not None:
        given["delta"] = chosen.delta
        own = given["claim"].parameters.get("delta", chosen.delta) if "claim" in given else None
        if own not in (None, chosen.delta):
            raise checks.fail("delta", f"that of the claim, {own:g}, or left out", chosen.delta)
    return Spec.of(**given)


def audited(chosen: Namespace, spec: Spec) -> Material:
    """Read the scores and compute the result, the slow parts too.

    Raises ValueError if a claim was given and cannot be tested, or the scores look reversed: that
    a reversed attack contradicts nothing is no reason to pass a gate.
    """
    with _warnings_on_stderr() as warned:
        scores = read(
            chosen.source, chosen, score=chosen.score, kind=chosen.kind, group=chosen.group
        )
        same_records = None if chosen.records is None else chosen.records == "same"
        spec = spec.changed(compare=attacks_of(chosen), same_records=same_records)
        analysis = Analysis(scores)
        analysis.prepare_audit(spec)
        result = analysis.result(spec).with_answer("inputs", check_inputs(scores))
    if chosen.receipt is not None:
        compared = chosen.receipt.compared(result)
        result = result.with_answer("protocol", compared)
        warned += [f"not as registered: {each}" for each in compared.differences]
    made = material(result, warnings=warned)
    if result.sample is None:
        raise RuntimeError("an audit has scores")
    if made.is_claimed and made.contradicted is None:
        reason = dict(result.sample.audit.refused).get("test", "it was not computed")
        raise ValueError(f"the claim {chosen.claim} cannot be tested: {reason}")
    area = result.sample.rates.auc
    if made.is_claimed and area.high < 0.5 and not chosen.as_is:
        other = "score" if scores.kind == "loss" else "loss"
        raise ValueError(
            f"the scores look reversed (AUC {short(area.value)}), and reversed scores contradict "
            f"no claim: give --kind {other} if {HIGH_OR_LOW[other]} means member, --swap if "
            "members and non-members are swapped, or --as-is to test them as they are"
        )
    return made


@contextmanager
def _warnings_on_stderr() -> Iterator[list[str]]:
    """One line for each warning, as it comes; the texts are collected."""
    said: list[str] = []

    def say(message: Warning | str, *_about: object, **_more: object) -> None:
        said.append(" ".join(str(message).split()))
        sys.stderr.write(f"dpviz: warning: {said[-1]}\n")

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = say
        yield said
