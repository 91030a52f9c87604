"""``dpviz audit``: read scores, compute the audit, print and write it."""

import math
import os
import sys
import warnings
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any, cast

from dpviz import checks
from dpviz.analysis import Analysis, Spec, read_facts
from dpviz.analysis.attacks import Attacks
from dpviz.analysis.facts.read_facts import read_table
from dpviz.audit.scores.base import ScoreKind, Scores
from dpviz.claims import read_claim
from dpviz.cli.text import text
from dpviz.data import check_inputs, read_scores
from dpviz.data.sources.options import ColumnError
from dpviz.number_format import short
from dpviz.replace_file import replace_file
from dpviz.reports.formats import FORMATS, format_of
from dpviz.reports.make import report_of
from dpviz.reports.material import Material, material
from dpviz.reports.receipt import read_receipt


def read(
    paths: Sequence[str],
    chosen: Namespace,
    *,
    score: str | None,
    kind: ScoreKind | None,
    group: str | None = None,
) -> Scores:
    """Read the scores of a file, or of two: of members, then of non-members.

    The membership of one file, and what is missing, are read as the options say. Raises ValueError
    if there are more files, or scores cannot be read.
    """
    if len(paths) > 2:
        raise checks.fail("SCORES", "one file, or two: of members, of non-members", len(paths))
    scores = read_scores(
        paths[0] if len(paths) == 1 else tuple(paths),
        score=score,
        member=chosen.member,
        kind=kind,
        missing=chosen.missing,
        group=group,
        memory_limit=chosen.memory_limit,
    )
    return scores.swapped() if chosen.swap else scores


# The other attacks of ``dpviz audit``: each has a name, a file, and if need be its column.


def attacks_of(chosen: Namespace) -> Attacks:
    """Read the scores of ``--compare``; their membership is read as that of SCORES.

    Raises ValueError if an option is not NAME=VALUE, has an unknown name or a name twice, or scores
    cannot be read.
    """
    paths = _by_name("compare", chosen.compare)
    columns, kinds = _by_name("score-of", chosen.score_of), _by_name("kind-of", chosen.kind_of)
    for option, names in (("score-of", columns), ("kind-of", kinds)):
        for name in names:
            if name not in paths:
                raise checks.fail(option, "about an attack of --compare", name)
    if chosen.records is not None and not paths:
        raise checks.fail("records", "left out without --compare", chosen.records)
    return Attacks(
        {
            name: _read(
                name, path, chosen, columns.get(name), cast(ScoreKind | None, kinds.get(name))
            )
            for name, path in paths.items()
        }
    )


def _by_name(option: str, given: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in given:
        name, _, value = each.partition("=")
        if not (name and value):
            raise checks.fail(option, "NAME=VALUE", each)
        if name in found:
            raise checks.fail(option, "given once for each attack", each)
        found[name] = value
    return found


def _read(
    name: str, path: str, chosen: Namespace, score: str | None, kind: ScoreKind | None
) -> Scores:
    """Read one attack; its warnings and questions say which one they are about."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UserWarning)
        try:
            scores = read([path], chosen, score=score, kind=kind)
        except ColumnError as error:
            if error.role not in ("score", "kind"):
                raise
            value = "|".join(error.choices) if error.role == "kind" else "COLUMN"
            raise ValueError(f"{error} (here: --{error.role}-of {name}={value})") from error
    for each in said:
        warnings.warn(f"{name}: {each.message}", stacklevel=2)
    return scores


# A registered protocol as the defaults of an audit's options.

PLANNED = ("claim", "delta", "confidence_level", "applies_to", "neighbours")


def with_protocol(chosen: Namespace) -> Namespace:
    """Options with `receipt`; those that were left out are as planned there, or the defaults."""
    receipt = None if chosen.protocol is None else read_receipt(chosen.protocol)
    filled = Namespace(**vars(chosen), receipt=receipt)
    default = Spec()
    for name in PLANNED:
        if getattr(chosen, name) is None and receipt is not None:
            setattr(filled, name, getattr(receipt, name))
        elif getattr(chosen, name) is None and name not in ("claim", "delta"):
            setattr(filled, name, getattr(default, name))
    return filled


# From the options to the material of a report: scores that were read, and the result.

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


# ``dpviz audit``: read scores, compute the audit, print and write it.

STANDARD_OUTPUT = "-"
CONTRADICTED, NOT_AS_REGISTERED = 1, 4  # exit codes

WHAT_ARE_THE_RECORDS = (
    "the claim is about one record added or removed, and is converted for one that is replaced: "
    "--applies-to instance says that the records are of one model's training and hold-out data; if "
    "they are one canary in and out of independent trainings, give --applies-to mechanism"
)


def run(chosen: Namespace) -> int:
    """Print what the scores show; 1 if they contradict the claim, 4 if not as registered, else 0.

    Raises ValueError, OSError, ImportError if an option is out of range, the scores cannot be read,
    or the claim cannot be tested.
    """
    leaves_open = chosen.protocol is chosen.applies_to is chosen.neighbours is None
    chosen = with_protocol(chosen)
    spec = spec_of(chosen)
    if leaves_open and spec.claim.adjacency == "add_remove":
        sys.stderr.write(f"dpviz: note: {WHAT_ARE_THE_RECORDS}\n")
    formats = {path: format_of(Path(path).suffix, FORMATS) for path in chosen.report}
    if chosen.json is not None:
        formats[chosen.json] = FORMATS[".json"]
    for path in formats:
        for each in (*chosen.source, *(given.partition("=")[2] for given in chosen.compare)):
            _refuse_overwriting(path, each)
    made = audited(chosen, spec)
    if formats:
        report = report_of(made)
        for path, write in formats.items():
            _write(path, write(report))
    if chosen.json != STANDARD_OUTPUT:
        sys.stdout.write(text(made, full=chosen.full))
    if made.contradicted:
        return CONTRADICTED
    compared = made.result.answers.get("protocol")
    return NOT_AS_REGISTERED if compared is not None and compared.differences else 0


def _refuse_overwriting(path: str, source: str) -> None:
    if path == STANDARD_OUTPUT or not (os.path.exists(path) and os.path.exists(source)):
        return
    if os.path.samefile(path, source):
        raise checks.fail("path", "another file than the scores", path)


def _write(path: str, content: bytes) -> None:
    if path != STANDARD_OUTPUT:
        replace_file(path, content)
        return
    # JSON is UTF-8, whatever the encoding of the terminal.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.stdout.write(content.decode())
