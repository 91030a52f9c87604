"""A test of a claim while records arrive: stop as soon as it is contradicted.

Statement and proof are those of `dpviz.audit.bounds.e_process`: a capital that bets against the
claim on pairs of a member and a non-member, in their order of arrival, ever reaches
``1 / (1 - confidence_level)`` with probability at most ``1 - confidence_level`` if the claim is
true. So one may look after every record and stop for any reason.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.bounds.e_process import FIRST_PAIRS, NO_GUESSES, Thresholds, block_end, wealth
from dpviz.audit.bounds.result import APPLIES_TO, AppliesTo
from dpviz.audit.evidence.claim import Outcome, check_neighbours
from dpviz.audit.scores.base import SCORE_KINDS
from dpviz.checks import FloatArray
from dpviz.claims.read import checked_claim
from dpviz.theory import ApproximateDP
from dpviz.theory.tradeoff import Adjacency

STATE = "dpviz/stream/1"


@dataclass(frozen=True, kw_only=True)
class Look:
    """What a stream showed after an update.

    Parameters
    ----------
    pairs : int, pairs of one member and one non-member seen by then
    wealth : float, the capital against the claim, from a stake of 1

    Examples
    --------
    >>> from dpviz import audit, theory
    >>> stream = audit.Stream(theory.PureDP(epsilon=1))
    >>> look = stream.update(member=[3, 4], nonmember=[1])
    >>> look.pairs, round(look.wealth, 9)
    (1, 1.0)
    """

    pairs: int
    wealth: float


class Stream:
    """A claim under test while records arrive; every look is allowed, and stopping at any of them.

    Parameters
    ----------
    claim : TradeoffFunction
        An (epsilon, delta) claim, or anything that `read_claim` reads as one.
    confidence_level : float, in (0, 1)
    kind : {"score", "loss"}, whether a high score or a low loss means member
    applies_to : {"instance", "mechanism"}
    neighbours : {"add_remove", "replace_one"}, optional; these two as of `claim_test`

    Attributes
    ----------
    history : tuple of Look, one for each update
    pairs : int, pairs seen; what one class has too many of waits for the other
    wealth : float, the capital after the last update
    goal : float, the capital that contradicts the claim, ``1 / (1 - confidence_level)``
    p_value : float, valid at any time: 1 over the largest capital so far, at most 1
    verdict : {"contradicted", "not decidable"}
        Once contradicted, a claim stays so. "not decidable" does not confirm it.

    Raises
    ------
    ValueError
        If an argument is out of range, or the claim is not an (epsilon, delta) one.

    References
    ----------
    Ville, "Étude critique de la notion de collectif" (1939); Shafer and Vovk, "Game-Theoretic
    Foundations for Probability and Finance" (2019).

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit, theory
    >>> stream = audit.Stream(theory.PureDP(epsilon=1))
    >>> rng = np.random.default_rng(1)
    >>> while stream.verdict == "not decidable":
    ...     _ = stream.update(member=rng.normal(2, 1, 10), nonmember=rng.normal(0, 1, 10))
    >>> stream.pairs, stream.wealth > stream.goal
    (40, True)
    """

    def __init__(
        self,
        claim: object,
        *,
        confidence_level: float = 0.95,
        kind: str = "score",
        applies_to: AppliesTo = "instance",
        neighbours: Adjacency | None = None,
    ) -> None:
        guarantee = checked_claim("claim", claim)
        if not isinstance(guarantee, ApproximateDP):
            raise checks.fail("claim", "an (epsilon, delta) claim", claim)
        checks.choice("applies_to", applies_to, APPLIES_TO)
        check_neighbours(guarantee, applies_to, neighbours)
        self.claim, self.kind = guarantee, checks.choice("kind", kind, SCORE_KINDS)
        self.applies_to = applies_to
        self.confidence_level = checks.real(
            "confidence_level", confidence_level, 0, 1, closed="neither"
        )
        self._looks: list[Look] = []
        self._largest = 1.0
        self._member, self._nonmember = np.zeros(0), np.zeros(0)
        # Pairs that were counted, those at the end of their block, and what was guessed of them.
        self._counted, self._end = 0, FIRST_PAIRS
        self._thresholds: Thresholds | None = None
        self._guesses = NO_GUESSES

    def update(self, *, member: ArrayLike = (), nonmember: ArrayLike = ()) -> Look:
        """Take in new records, and look.

        Parameters
        ----------
        member, nonmember : array-like, scores in their order of arrival; any numbers of them

        Returns
        -------
        Look

        Raises
        ------
        ValueError
            If a score is not a finite number; then nothing is taken in.
        """
        new = [
            _checked(name, values)
            for name, values in (("member", member), ("nonmember", nonmember))
        ]
        sign = -1 if self.kind == "loss" else 1
        self._member = np.concatenate([self._member, sign * new[0]])
        self._nonmember = np.concatenate([self._nonmember, sign * new[1]])
        self._count()
        claim = self.claim
        capital = wealth(
            self._guesses[None], np.array([claim.claimed_epsilon]), claim.claimed_delta
        )
        look = Look(pairs=self.pairs, wealth=float(capital[0, 0]))
        self._looks.append(look)
        self._largest = max(self._largest, look.wealth)
        return look

    def _count(self) -> None:
        """Count the guesses about pairs that are new, block by block."""
        while self._counted < self.pairs:
            until = min(self._end, self.pairs)
            if self._thresholds is not None:
                new = slice(self._counted, until)
                self._guesses = self._guesses + self._thresholds.guesses(
                    self._member[new], self._nonmember[new]
                )
            self._counted = until
            if until == self._end:
                past = np.concatenate([self._member[:until], self._nonmember[:until]])
                self._thresholds = Thresholds.of(past)
                self._end = block_end(until)

    def save(self, path: str | Path) -> None:
        """Write everything seen so far as JSON; `resume` reads it.

        Parameters
        ----------
        path : str or Path
        """
        content = {
            "schema": STATE,
            "epsilon": self.claim.claimed_epsilon,
            "delta": self.claim.claimed_delta,
            "adjacency": self.claim.adjacency,
            "applies_to": self.applies_to,
            "confidence_level": self.confidence_level,
            "kind": self.kind,
            "member": self._member.tolist(),
            "nonmember": self._nonmember.tolist(),
            "history": [[look.pairs, look.wealth] for look in self._looks],
        }
        new = Path(f"{path}.new")  # an interrupted run leaves the old file
        new.write_text(json.dumps(content, allow_nan=False), "utf-8")
        new.replace(path)

    @classmethod
    def resume(cls, path: str | Path) -> "Stream":
        """Continue a stream that was saved.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Stream

        Raises
        ------
        ValueError
            If the file was not written by `save`.
        """
        try:
            content: dict[str, Any] = json.loads(Path(path).read_text("utf-8"))
            if content["schema"] != STATE:
                raise KeyError(STATE)
            adjacency = content["adjacency"]
            stream = cls(
                ApproximateDP(
                    epsilon=content["epsilon"], delta=content["delta"], adjacency=adjacency
                ),
                applies_to=content["applies_to"],
                neighbours=adjacency,
                confidence_level=content["confidence_level"],
                kind=content["kind"],
            )
            stream._member = _checked("member", content["member"])
            stream._nonmember = _checked("nonmember", content["nonmember"])
            stream._looks = [Look(pairs=pairs, wealth=each) for pairs, each in content["history"]]
        except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise checks.fail("path", f"a file of schema {STATE}", str(path)) from error
        stream._largest = max([1.0, *(look.wealth for look in stream._looks)])
        stream._count()
        return stream

    @property
    def history(self) -> tuple[Look, ...]:
        """One look for each update."""
        return tuple(self._looks)

    @property
    def pairs(self) -> int:
        """Pairs of one member and one non-member seen so far."""
        return min(self._member.size, self._nonmember.size)

    @property
    def wealth(self) -> float:
        """The capital after the last update."""
        return self._looks[-1].wealth if self._looks else 1.0

    @property
    def goal(self) -> float:
        """The capital that contradicts the claim."""
        return 1 / (1 - self.confidence_level)

    @property
    def p_value(self) -> float:
        """1 over the largest capital so far, at most 1."""
        return 1 / self._largest

    @property
    def verdict(self) -> Outcome:
        """Whether the capital has ever reached its goal."""
        return "contradicted" if self._largest >= self.goal else "not decidable"


def _checked(name: str, values: ArrayLike) -> FloatArray:
    return checks.finite_vector(name, values) if np.size(values) else np.zeros(0)
