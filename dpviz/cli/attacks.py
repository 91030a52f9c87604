"""The other attacks of ``dpviz audit``: each has a name, a file, and if need be its column."""

import warnings
from argparse import Namespace
from collections.abc import Iterable
from typing import cast

from dpviz import checks
from dpviz.analysis.attacks import Attacks
from dpviz.audit.scores.base import ScoreKind, Scores
from dpviz.cli.read import read
from dpviz.data.sources.options import ColumnError


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
