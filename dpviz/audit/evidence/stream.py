"""A test of a claim while records arrive: stop as soon as it is contradicted.

Statement and proof are those of `dpviz.audit.bounds.e_process`: a capital that bets against the
claim on pairs of a member and a non-member, in their order of arrival, ever reaches
``1 / (1 - confidence_level)`` with probability at most ``1 - confidence_level`` if the claim is
true. So one may look after every record and stop for any reason.

`dpviz.audit.evidence.players` proves the same where records depend on each other.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.bounds.e_process import FIRST_PAIRS, block_end
from dpviz.audit.bounds.result import APPLIES_TO, AppliesTo
from dpviz.audit.evidence.claim import Outcome, check_neighbours
from dpviz.audit.evidence.players import DEPENDENCES, Dependence, Players
from dpviz.audit.evidence.state_file import read_state, write_state
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import SCORE_KINDS, ScoreKind
from dpviz.checks import FloatArray
from dpviz.claims.read import checked_claim
from dpviz.theory import ApproximateDP
from dpviz.theory.tradeoff import Adjacency

STATE = "dpviz/stream/1"
ROUNDING = 1e-6  # relative, of a capital that is computed again, perhaps by another machine


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
    dependence : {"independent", "coupled", "batched"}
        Which records may depend on each other: none, the member and the non-member that arrive at
        the same place, or all records of one update. The more may, the later a claim is
        contradicted.

    Attributes
    ----------
    history : tuple of Look, one for each update
    pairs : int, pairs seen; what one class has too many of waits for the other, but in a batch
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
        kind: ScoreKind = "score",
        applies_to: AppliesTo = "instance",
        neighbours: Adjacency | None = None,
        dependence: Dependence = "independent",
    ) -> None:
        guarantee = checked_claim("claim", claim)
        if not isinstance(guarantee, ApproximateDP):
            raise checks.fail("claim", "an (epsilon, delta) claim", claim)
        checks.choice("applies_to", applies_to, APPLIES_TO)
        check_neighbours(guarantee, applies_to, neighbours)
        checks.choice("kind", kind, SCORE_KINDS)
        checks.choice("dependence", dependence, DEPENDENCES)
        self.claim, self.kind, self.applies_to = guarantee, kind, applies_to
        self.dependence = dependence
        self.confidence_level = checks.real(
            "confidence_level", confidence_level, 0, 1, closed="neither"
        )
        self._looks: list[Look] = []
        self._largest = 1.0
        self._member, self._nonmember = np.zeros(0), np.zeros(0)
        self._batches: list[tuple[int, int]] = []  # members and non-members by the end of each
        # Pairs or batches that were counted, and pairs at the end of the block.
        self._counted, self._end = 0, FIRST_PAIRS
        self._players = Players(guarantee.claimed_epsilon, guarantee.claimed_delta, self.dependence)

    def update(self, *, member: ArrayLike = (), nonmember: ArrayLike = ()) -> Look:
        """Take in new records, and look.

        Parameters
        ----------
        member, nonmember : array-like
            Scores in their order of arrival; any numbers of them, in a batch at least one of each.

        Returns
        -------
        Look

        Raises
        ------
        ValueError
            If a score is not a finite number, or a batch lacks a class; then nothing is taken in.
        """
        new = [
            _checked(name, values)
            for name, values in (("member", member), ("nonmember", nonmember))
        ]
        if self.dependence == "batched" and not (new[0].size and new[1].size):
            sizes = f"{new[0].size} and {new[1].size}"
            raise ValueError(f"a batch must have members and non-members, got {sizes}")
        sign = -1 if self.kind == "loss" else 1
        self._member = np.concatenate([self._member, sign * new[0]])
        self._nonmember = np.concatenate([self._nonmember, sign * new[1]])
        if self.dependence == "batched":
            self._batches.append((self._member.size, self._nonmember.size))
        return self._look(self.pairs, len(self._batches))

    def _look(self, pairs: int, batches: int) -> Look:
        """Bet on what is new among so many pairs or batches, and note the capital."""
        self._count(pairs, batches)
        look = Look(pairs=pairs, wealth=self._players.capital)
        self._looks.append(look)
        self._largest = max(self._largest, look.wealth)
        return look

    def _count(self, pairs: int, batches: int) -> None:
        if self.dependence == "batched":
            for n, m in self._batches[self._counted : batches]:
                begin = self._batches[self._counted - 1] if self._counted else (0, 0)
                self._players.bet(self._member[begin[0] : n], self._nonmember[begin[1] : m])
                self._counted += 1
                if min(n, m) >= self._end:
                    self._end_block(n, m)
            return
        while self._counted < pairs:
            until = min(self._end, pairs)
            new = slice(self._counted, until)
            self._players.bet(self._member[new], self._nonmember[new])
            self._counted = until
            if until == self._end:
                self._end_block(until, until)

    def _end_block(self, n: int, m: int) -> None:
        self._players.learn(np.concatenate([self._member[:n], self._nonmember[:m]]))
        self._end = block_end(min(n, m))

    @property
    def state(self) -> dict[str, Any]:
        """Everything seen so far, as JSON can hold it; `from_state` reads it."""
        return {
            "schema": STATE,
            "epsilon": self.claim.claimed_epsilon,
            "delta": self.claim.claimed_delta,
            "adjacency": self.claim.adjacency,
            "applies_to": self.applies_to,
            "confidence_level": self.confidence_level,
            "kind": self.kind,
            "dependence": self.dependence,
            "batches": self._batches,
            "member": self._member.tolist(),
            "nonmember": self._nonmember.tolist(),
            "history": [[look.pairs, look.wealth] for look in self._looks],
        }

    def save(self, path: str | Path) -> None:
        """Write `state` to a JSON file; `resume` reads it.

        Parameters
        ----------
        path : str or Path
        """
        write_state(path, self.state)

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
        return cls.from_state(read_state(path, STATE))

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "Stream":
        """The stream that had this `state`.

        Parameters
        ----------
        state : dict

        Returns
        -------
        Stream

        Raises
        ------
        ValueError
            If it is no state of a stream, or its history is not that of its records, from which it
            is computed again.
        """
        try:
            if state["schema"] != STATE:
                raise KeyError(state["schema"])
            adjacency = state["adjacency"]
            stream = cls(
                ApproximateDP(epsilon=state["epsilon"], delta=state["delta"], adjacency=adjacency),
                applies_to=state["applies_to"],
                neighbours=adjacency,
                confidence_level=state["confidence_level"],
                kind=state["kind"],
                # States that say nothing of it are of independent records.
                dependence=state.get("dependence", "independent"),
            )
            stream._member = _checked("member", state["member"])
            stream._nonmember = _checked("nonmember", state["nonmember"])
            batches = _rows("batches", state.get("batches", []))
            history = _rows("history", state["history"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"state must be of schema {STATE}, got {error!r}") from error
        sizes = (stream._member.size, stream._nonmember.size)
        steps = np.diff(batches, axis=0, prepend=0)
        if batches.size and (np.any(steps < 1) or tuple(batches[-1]) != sizes):
            raise checks.fail(
                "batches", f"growing numbers of records up to {sizes}", batches.tolist()
            )
        pairs = history[:, 0]
        if np.any(np.diff(pairs, prepend=0) < 0) or max(pairs, default=0) != stream.pairs:
            raise checks.fail(
                "history", f"numbers of pairs that end at {stream.pairs}", pairs.tolist()
            )
        stream._batches = [(int(n), int(m)) for n, m in batches]
        if stream.dependence == "batched":
            ends = [min(batch) for batch in stream._batches]
            if pairs.tolist() != ends:
                raise checks.fail(
                    "history", f"looks at the ends of the batches, {ends} pairs", pairs.tolist()
                )
        for batch, (n, saved) in enumerate(history.tolist(), start=1):
            look = stream._look(int(n), batch)
            if not math.isclose(look.wealth, saved, rel_tol=ROUNDING):
                of_records = f"a wealth of {look.wealth:.12g} after {look.pairs} pairs"
                raise checks.fail("history", f"that of the records, {of_records}", saved)
        return stream

    @property
    def scores(self) -> AttackScores:
        """All records so far in their order of arrival, to explore or to bound epsilon by.

        Other bounds are for a number of records that was fixed beforehand.
        """
        return AttackScores(member=self._member, nonmember=self._nonmember, kind=self.kind)

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


def _rows(name: str, values: ArrayLike) -> FloatArray:
    """Pairs of numbers, the first ones whole, from a saved state."""
    rows = checks.reals(name, values, 0) if np.size(values) else np.zeros((0, 2))
    if rows.ndim != 2 or rows.shape[1] != 2 or np.any(rows[:, 0] % 1):
        raise checks.fail(name, "rows of two numbers, the first one whole", values)
    return rows
