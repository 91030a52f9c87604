"""What a check of the inputs looks at, and what it finds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray

Vector = NDArray[Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Inputs:
    """Scores and what is known of their records, of members and of non-members in their order.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    covariates : pair of ndarray, shape (n, k), or None
        Numbers, frequent categories as columns of 0 and 1.
    rows : pair of ndarray of int, shape (n,), or None
        A code of each row of the covariates: equal rows have equal codes.
    ids : pair of ndarray, shape (n,), or None
    order : pair of ndarray, shape (n,), or None
        Places or times of records; None: not known.
    seed : int
    """

    scores: Scores
    covariates: tuple[FloatArray, FloatArray] | None = None
    rows: tuple[Vector, Vector] | None = None
    ids: tuple[Vector, Vector] | None = None
    order: tuple[FloatArray, FloatArray] | None = None
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What one check found: an indication and never a bound.

    Parameters
    ----------
    question : str
        The question of the checklist that it may help to answer.
    is_notable : bool
        Whether it is a reason to look at the data again.
    sentence : str
    numbers : tuple of (str, float)
        What the sentence says, exactly.

    Examples
    --------
    >>> import dpviz
    >>> [finding] = dpviz.check_inputs((range(5), range(3, 63)), kind="loss").notable
    >>> finding.sentence
    'The classes differ much in size: 5 members, 60 non-members.'
    """

    question: str
    is_notable: bool
    sentence: str
    numbers: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, kw_only=True)
class InputChecks:
    """All findings about some inputs; a check that lacks its input is in `skipped`.

    Examples
    --------
    >>> import dpviz
    >>> checks = dpviz.check_inputs(dpviz.read_sample("overfitted"))
    >>> checks.notable
    ()
    >>> checks.skipped[0]
    'without covariates, near copies and drift are not checked'
    """

    findings: tuple[Finding, ...]
    skipped: tuple[str, ...] = ()

    @property
    def notable(self) -> tuple[Finding, ...]:
        """The findings that are a reason to look at the data again."""
        return tuple(finding for finding in self.findings if finding.is_notable)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __str__(self) -> str:
        lines = [f"{'! ' if each.is_notable else '  '}{each.sentence}" for each in self]
        return "\n".join([*lines, *(f"  {each[0].upper()}{each[1:]}." for each in self.skipped)])
